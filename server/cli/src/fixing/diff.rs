//! Unified diffs for terminals.

use super::super::styles::{ADDED, PLACE, REMOVED, TITLE, styled};

/// A diff with colours for terminals.
pub(crate) fn colored_diff(diff: &str) -> String {
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
    use super::colored_diff;

    #[test]
    fn colours_end_before_the_line_does() {
        let diff = "--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n z\n";
        assert_eq!(
            colored_diff(diff),
            "\u{1b}[1m--- a\u{1b}[0m\n\u{1b}[1m+++ a\u{1b}[0m\n\u{1b}[36m@@ -1 +1 @@\u{1b}[0m\n\
             \u{1b}[31m-x\u{1b}[0m\n\u{1b}[32m+y\u{1b}[0m\n z\n"
        );
    }
}
