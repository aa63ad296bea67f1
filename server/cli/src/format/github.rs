//! Workflow commands of GitHub Actions, which become annotations of the changed lines.
//!
//! GitHub places columns only in a range of one line and drops them otherwise, so they are left out where lines differ.

use std::fmt::Write;

use visa_analysis::{Range, visible_lines};

use super::common::{level_word, summary_text, whole_text};
use crate::fingerprint::portable_path;
use crate::outline::{Finding, NotLookedAt, Outline, UNRESOLVED_OPERATION};

/// Whether the process runs as a step of a workflow.
pub(crate) fn is_running() -> bool {
    std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true")
}

/// Renders a command a finding, and a notice each for the first operations that were not looked at; then, for the job's log, the statistics if asked for and the line that sums up.
pub(crate) fn render_github(outline: &Outline<'_>, quiet: bool, statistics: bool) -> String {
    let mut text = String::new();
    for finding in outline.written_open() {
        text.push_str(&command(finding, finding.diagnostic.url.as_deref()));
        text.push('\n');
    }
    if let Some(words) = outline.left_out_words() {
        text.push_str(&format!("::notice title=visa-lint::{}\n", data(&words)));
    }
    for operation in outline.examples().filter(|_| !quiet) {
        text.push_str(&notice_command(operation));
        text.push('\n');
    }
    if statistics && !quiet {
        text.push_str(&super::statistics::render_statistics(outline));
    }
    if !quiet {
        for words in outline.not_followed_words() {
            text.push_str(&words);
            text.push('\n');
        }
        text.push_str(&summary_text(outline, false));
        text.push('\n');
    }
    text
}

/// The command of a finding; `url` is the address of its rule's page, which GitHub shows as a link.
fn command(finding: &Finding, url: Option<&str>) -> String {
    let diagnostic = &finding.diagnostic;
    let command = level_word(finding.level);
    let Range { start, end } = diagnostic.range;
    let mut line = format!(
        "::{command} file={},line={},endLine={}",
        property(&portable_path(&diagnostic.file)),
        start.line,
        end.line
    );
    // Writing to a string cannot fail.
    if start.line == end.line {
        let _ = write!(line, ",col={},endColumn={}", start.column, end.column);
    }
    let words = with_link(whole_text(diagnostic), url);
    let _ = write!(
        line,
        ",title={}::{}",
        property(diagnostic.rule),
        data(&words)
    );
    line
}

/// The words, and on a line of its own the address that GitHub makes a link of.
fn with_link(mut words: String, url: Option<&str>) -> String {
    if let Some(url) = url {
        words.push('\n');
        words.push_str(url);
    }
    words
}

/// An operation that was not looked at.
fn notice_command(operation: &NotLookedAt) -> String {
    let start = operation.place.range.start;
    format!(
        "::notice file={},line={},title={UNRESOLVED_OPERATION}::{}",
        property(&portable_path(&operation.file)),
        start.line,
        data(&operation.place_and_reason())
    )
}

/// The escapes of a command's text. The log shows it, so that nothing in it may be obeyed either.
fn data(text: &str) -> String {
    visible_lines(text).replace('%', "%25").replace('\n', "%0A")
}

/// The escapes of a command's property, which ends at a comma or colon.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::{data, property, with_link};

    #[test]
    fn the_address_of_a_page_is_the_last_line() {
        let url = "https://example.org/rules/alu_reuse.html";
        let words = with_link("used twice".to_owned(), Some(url));
        assert_eq!(data(&words), format!("used twice%0A{url}"));
        assert_eq!(with_link("used twice".to_owned(), None), "used twice");
    }

    #[test]
    fn commands_escape_what_would_end_them() {
        assert_eq!(data("50 %, a: b\n"), "50 %25, a: b%0A");
        assert_eq!(data("a\n::error ::\u{1b}x"), "a%0A\\u{3a}:error ::\\u{1b}x");
        assert_eq!(property("a,b:c%0A.rs"), "a%2Cb%3Ac%250A.rs");
    }
}
