//! Unified diffs of texts.

use similar::TextDiff;

use super::super::styles::{ADDED, PLACE, REMOVED, TITLE, styled};

/// Lines of context around a change.
const CONTEXT: usize = 3;

/// What turns the old text of a file into the new one, as `git apply` and `patch -p1` read it.
pub(crate) fn unified(path: &str, old: &str, new: &str) -> String {
    let path = path.trim_start_matches('/');
    let (before, after) = (format!("a/{path}"), format!("b/{path}"));
    TextDiff::from_lines(old, new)
        .unified_diff()
        .context_radius(CONTEXT)
        .header(&before, &after)
        .to_string()
}

/// A diff with colours for terminals.
pub(crate) fn colored(diff: &str) -> String {
    let mut text = String::with_capacity(diff.len());
    for line in diff.split_inclusive('\n') {
        let words = line.trim_end_matches('\n');
        let style = match words.as_bytes() {
            [b'-', b'-', b'-', ..] | [b'+', b'+', b'+', ..] => TITLE,
            [b'-', ..] => REMOVED,
            [b'+', ..] => ADDED,
            [b'@', ..] => PLACE,
            _ => {
                text.push_str(line);
                continue;
            }
        };
        text.push_str(&styled(words, style, true));
        text.push_str(line.get(words.len()..).unwrap_or_default());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{colored, unified};

    #[test]
    fn a_diff_keeps_line_breaks_and_says_where_the_last_is_missing() {
        let old = "a\r\nb\r\nc\r\nd\r\ne\r\nf";
        let new = "a\r\nb\r\nc\r\nd\r\nE\r\nf";
        assert_eq!(
            unified("k/a.rs", old, new),
            "--- a/k/a.rs\n+++ b/k/a.rs\n@@ -2,5 +2,5 @@\n b\r\n c\r\n d\r\n-e\r\n+E\r\n f\n\\ No newline at end of file\n"
        );
        assert_eq!(unified("a", old, old), "");
    }

    #[test]
    fn colours_end_before_the_line_does() {
        let diff = "--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n z\n";
        assert_eq!(
            colored(diff),
            "\u{1b}[1m--- a\u{1b}[0m\n\u{1b}[1m+++ a\u{1b}[0m\n\u{1b}[36m@@ -1 +1 @@\u{1b}[0m\n\
             \u{1b}[31m-x\u{1b}[0m\n\u{1b}[32m+y\u{1b}[0m\n z\n"
        );
    }
}
