//! Unified diffs of texts.

use similar::TextDiff;
use visa_analysis::visible_escape;

/// Lines of context around a change.
const CONTEXT: usize = 3;

/// What turns the old text of a file into the new one, as `git apply` and `patch -p1` read it.
pub fn unified(path: &str, old: &str, new: &str) -> String {
    let path = path.trim_start_matches('/');
    let [before, after] = ["a", "b"].map(|side| git_quoted(&format!("{side}/{path}")));
    TextDiff::from_lines(old, new)
        .unified_diff()
        .context_radius(CONTEXT)
        .header(&before, &after)
        .to_string()
}

/// A file's name as git writes it in the head of a diff: one with a line break could hold a patch of another file. Names
/// with a space end in a tab, behind which `patch` looks for a date.
fn git_quoted(path: &str) -> String {
    let is_quoted = |character: char| matches!(character, '"' | '\\') || !is_plain(character);
    if !path.contains(is_quoted) {
        let end = if path.contains(' ') { "\t" } else { "" };
        return format!("{path}{end}");
    }
    let mut quoted = String::from("\"");
    for character in path.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            _ if is_plain(character) => quoted.push(character),
            _ => {
                let mut bytes = [0; 4];
                for byte in character.encode_utf8(&mut bytes).bytes() {
                    quoted.push_str(&format!("\\{byte:03o}"));
                }
            }
        }
    }
    quoted.push('"');
    quoted
}

/// Whether a character is sent as it is.
fn is_plain(character: char) -> bool {
    let mut bytes = [0; 4];
    visible_escape(character.encode_utf8(&mut bytes)).is_none()
}

#[cfg(test)]
mod tests {
    use super::unified;

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
    fn names_are_quoted_as_git_quotes_them() {
        let head = |path: &str| {
            let diff = unified(path, "a\n", "b\n");
            diff.lines().next().unwrap_or_default().to_owned()
        };
        assert_eq!(head("k/größe.rs"), "--- a/k/größe.rs");
        assert_eq!(head("a b.rs"), "--- a/a b.rs\t");
        assert_eq!(head("a\"b\\c.rs"), "--- \"a/a\\\"b\\\\c.rs\"");
        let patch = "x.rs\n--- y.rs\n+++ y.rs\n@@ -0,0 +1 @@\n+evil\n";
        assert_eq!(
            head(patch),
            "--- \"a/x.rs\\n--- y.rs\\n+++ y.rs\\n@@ -0,0 +1 @@\\n+evil\\n\""
        );
        // U+202E is E2 80 AE in UTF-8, and an escape is 1B.
        assert_eq!(head("\u{202e}\u{1b}"), "--- \"a/\\342\\200\\256\\033\"");
    }
}
