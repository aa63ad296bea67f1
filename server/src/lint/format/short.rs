//! One line a finding: `path:line:column: level[rule] message`.

use std::fmt::Write;

use super::printable;
use crate::lint::check::Outline;

/// Renders the findings.
pub(crate) fn render(outline: &Outline<'_>, quiet: bool, statistics: bool) -> String {
    let mut text = String::new();
    for finding in outline.open() {
        let diagnostic = &finding.diagnostic;
        let start = diagnostic.range.start;
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{}:{}:{}: {}[{}] {}",
            printable(&diagnostic.file).replace('\n', " "),
            start.line,
            start.column,
            finding.level.name(),
            diagnostic.rule,
            printable(&diagnostic.message).replace('\n', " ")
        );
    }
    if statistics && !quiet {
        text.push_str(&super::statistics::render(outline));
    }
    text
}
