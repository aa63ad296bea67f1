//! Names and quoted text of a repository, as people and CI jobs may be sent them.
//!
//! A file's name or a literal may hold what a terminal obeys (control characters), what shows other text than there is
//! (overrides of the direction of writing), or what the runner of a CI job takes for a command. All of these are shown as
//! escapes of Rust, and never sent.

use std::borrow::Cow;

/// The text on one line.
pub fn visible(text: &str) -> Cow<'_, str> {
    escaped_text(text, |_| false)
}

/// The text with its line breaks, where they are the program's own.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    escaped_text(text, |rest| rest.starts_with('\n'))
}

/// Lines of a source, laid out as they are: with their tabs, and with the line breaks of Windows.
pub fn visible_source(text: &str) -> Cow<'_, str> {
    escaped_text(text, |rest| {
        rest.starts_with(['\n', '\t']) || rest.starts_with("\r\n")
    })
}

/// The text with escapes, but for the characters that are kept where a rest of it begins with them.
fn escaped_text(text: &str, keeps: impl Fn(&str) -> bool) -> Cow<'_, str> {
    if !text.contains(is_obeyed) && !text.contains("##") && !text.contains("::") {
        return text.into();
    }
    let mut visible = String::with_capacity(text.len());
    let mut begins_line = true;
    for (at, character) in text.char_indices() {
        let rest = text.get(at..).unwrap_or_default();
        if keeps(rest) {
            visible.push(character);
        } else if begins_line && rest.starts_with("::") {
            visible.push_str("\\u{3a}");
        } else {
            match visible_escape(rest) {
                Some(escape) => visible.push_str(&escape),
                None => visible.push(character),
            }
        }
        // Runners trim a line before they look for a command.
        begins_line = match character {
            '\n' => begins_line || keeps(rest),
            _ => begins_line && character.is_whitespace(),
        };
    }
    visible.into()
}

/// What stands for the first character of a text where that must not be sent.
pub fn visible_escape(text: &str) -> Option<String> {
    let first = text.chars().next()?;
    if first == '#' && begins_command(text) {
        return Some("\\u{23}".to_owned());
    }
    is_obeyed(first).then(|| first.escape_default().to_string())
}

/// Whether a character does something in place of being shown: control characters, other line breaks, and those that
/// change the direction of writing.
fn is_obeyed(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

/// Whether a text begins as commands of runners do that may stand anywhere in a line: `##[…`, `##vso[…`.
fn begins_command(text: &str) -> bool {
    let Some(word) = text.strip_prefix("##") else {
        return false;
    };
    word.trim_start_matches(|letter: char| letter.is_ascii_alphanumeric())
        .starts_with('[')
}

#[cfg(test)]
mod tests {
    use super::{visible, visible_lines, visible_source};

    #[test]
    fn what_would_be_obeyed_is_shown() {
        assert_eq!(visible("a\r\nb\tü\u{1b}[31m"), "a\\r\\nb\\tü\\u{1b}[31m");
        assert_eq!(visible("\u{7f}\u{9b}x\0"), "\\u{7f}\\u{9b}x\\u{0}");
        let overrides = "a\u{202e}b\u{2066}c\u{2069}d\u{200f}\u{2028}";
        let shown = "a\\u{202e}b\\u{2066}c\\u{2069}d\\u{200f}\\u{2028}";
        assert_eq!(visible(overrides), shown);
        for plain in ["", "m![A / 8, B # 4]", "größe 数", "a::b", "# 1", "##"] {
            assert_eq!(visible(plain), plain);
        }
    }

    #[test]
    fn own_line_breaks_stay_and_others_do_not() {
        assert_eq!(visible_lines("a\n\tb\r\nc"), "a\n\\tb\\r\nc");
        let source = "+\ta\r\n \rb\u{1b}\n  ::error ::x\n+a::b";
        let shown = "+\ta\r\n \\rb\\u{1b}\n  \\u{3a}:error ::x\n+a::b";
        assert_eq!(visible_source(source), shown);
    }

    #[test]
    fn no_text_is_a_command_of_a_runner() {
        assert_eq!(visible("a\n::error ::x"), "a\\n::error ::x");
        assert_eq!(visible("::error ::x.rs"), "\\u{3a}:error ::x.rs");
        assert_eq!(visible("\t ::error ::x"), "\\t \\u{3a}:error ::x");
        assert_eq!(visible_lines("a\n  ::set-env"), "a\n  \\u{3a}:set-env");
        assert_eq!(visible("a ##[error]x"), "a \\u{23}#[error]x");
        assert_eq!(visible("###vso[task.x]"), "#\\u{23}#vso[task.x]");
        // Neither is a path of Rust, nor an axis that is padded.
        assert_eq!(visible("std::mem"), "std::mem");
        assert_eq!(visible("A ## 4"), "A ## 4");
    }
}
