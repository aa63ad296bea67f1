//! One line a finding: `path:line:column: error[rule] message`, or `warning[rule]`. A last line says how much was not looked at, if anything was.

use std::fmt::Write;

use super::common::level_word;
use crate::outline::{Outline, UNRESOLVED_OPERATION};
use visa_analysis::visible;

/// Renders the findings; then, unless it is to be quiet, what is no finding.
pub(crate) fn render_short(outline: &Outline<'_>, quiet: bool, statistics: bool) -> String {
    let mut text = String::new();
    for finding in outline.written_open() {
        let diagnostic = &finding.diagnostic;
        let start = diagnostic.range.start;
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{}:{}:{}: {}[{}] {}",
            visible(&diagnostic.file),
            start.line,
            start.column,
            level_word(finding.level),
            diagnostic.rule,
            visible(&diagnostic.message)
        );
    }
    if let Some(words) = outline.left_out_words() {
        text.push_str(&words);
        text.push('\n');
    }
    for operation in outline.examples().filter(|_| !quiet) {
        let start = operation.place.range.start;
        let _ = writeln!(
            text,
            "{}:{}:{}: note[{UNRESOLVED_OPERATION}] {}",
            visible(&operation.file),
            start.line,
            start.column,
            visible(&operation.place_and_reason())
        );
    }
    if statistics && !quiet {
        text.push_str(&super::statistics::render_statistics(outline));
    }
    let not_followed = outline.not_followed_words().into_iter();
    for words in not_followed.chain(outline.not_looked_at(true)) {
        if !quiet {
            text.push_str(&words);
            text.push('\n');
        }
    }
    text
}
