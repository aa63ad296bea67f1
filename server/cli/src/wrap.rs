//! Breaking long lines at spaces, and in mappings and code only where they fit no line.

use textwrap::core::{Word, display_width};
use textwrap::wrap_algorithms::wrap_first_fit;

/// Columns of a line where no terminal says how many it has.
pub(crate) const WIDTH: usize = 100;

/// The text with line breaks in place of spaces wherever a line would grow beyond a width in columns. Code (between backticks or
/// brackets) that fits a line stays whole; longer code breaks after its commas, and a longer part of it at any space. A word that is
/// longer than the width stays whole.
pub(crate) fn wrap_text(text: &str, width: usize) -> String {
    let lines = text.lines().map(|line| wrap_line(line, width));
    lines.collect::<Vec<_>>().join("\n")
}

fn wrap_line(line: &str, width: usize) -> String {
    let pieces = breakable_pieces(line, is_outside_of_code);
    let parts = pieces.into_iter().flat_map(|piece| {
        let parts = fitting_pieces(piece, width, |before, _| before.ends_with([',', ';']));
        parts
            .into_iter()
            .flat_map(|part| fitting_pieces(part, width, |_, _| true))
    });
    let words: Vec<Word<'_>> = parts.map(Word::from).collect();
    // Terminals have far fewer columns than a float has whole numbers.
    let lines = wrap_first_fit(&words, &[width as f64]);
    let lines = lines.into_iter().map(|words| {
        let line: String = words
            .iter()
            .flat_map(|word| [word.word, word.whitespace])
            .collect();
        line.trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A piece as it is if it fits a line, else taken apart.
fn fitting_pieces(piece: &str, width: usize, may_break: fn(&str, &Code) -> bool) -> Vec<&str> {
    if display_width(piece.trim_end()) <= width {
        vec![piece]
    } else {
        breakable_pieces(piece, may_break)
    }
}

/// Whether a place of a line is inside of code.
#[derive(Default)]
struct Code {
    quoted: bool,
    brackets: usize,
}

fn is_outside_of_code(_: &str, code: &Code) -> bool {
    !code.quoted && code.brackets == 0
}

/// The line, cut behind those of its spaces where it may break, as what is before them and the code around them say.
fn breakable_pieces(line: &str, may_break: fn(&str, &Code) -> bool) -> Vec<&str> {
    let mut code = Code::default();
    let mut found = Vec::new();
    let mut start = 0;
    for (at, character) in line.char_indices() {
        match character {
            '[' | '{' => code.brackets += 1,
            ']' | '}' => code.brackets = code.brackets.saturating_sub(1),
            '`' => code.quoted = !code.quoted,
            ' ' => {
                let before = line.get(start..at).unwrap_or("");
                if !before.trim_start().is_empty() && may_break(before, &code) {
                    found.extend(line.get(start..=at));
                    start = at + 1;
                }
            }
            _ => {}
        }
    }
    found.extend(line.get(start..).filter(|rest| !rest.is_empty()));
    found
}

#[cfg(test)]
mod tests {
    use super::wrap_text;

    #[test]
    fn long_lines_break_at_spaces() {
        let text = vec!["abcd"; 40].join(" ");
        let wrapped = wrap_text(&text, 100);
        // 20 words of 4 with 19 spaces are 99 columns; a 21st would need 104.
        let lines: Vec<_> = wrapped.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(lines.iter().all(|line| line.len() == 99));
        assert_eq!(wrapped.replace('\n', " "), text);
    }

    #[test]
    fn short_lines_and_long_words_stay() {
        assert_eq!(wrap_text("one\ntwo", 10), "one\ntwo");
        let word = "x".repeat(300);
        assert_eq!(wrap_text(&word, 100), word);
        assert_eq!(wrap_text(&format!("{word} y"), 100), format!("{word}\ny"));
        assert_eq!(wrap_text("   indented text", 12), "   indented\ntext");
        assert_eq!(wrap_text("", 10), "");
    }

    #[test]
    fn mappings_break_last_and_after_their_commas() {
        // 32 characters fit: the text would break inside the mapping, and breaks before it.
        assert_eq!(
            wrap_text("the element is not the `m![A / 8, B]` declared", 32),
            "the element is not the\n`m![A / 8, B]` declared"
        );
        // A mapping that fits no line breaks after a comma, although `Beta / 1024` would fit too.
        assert_eq!(
            wrap_text("`m![Alpha % 16, Beta / 1024 % 8, Gamma / 2 % 128]`", 28),
            "`m![Alpha % 16,\nBeta / 1024 % 8,\nGamma / 2 % 128]`"
        );
    }

    #[test]
    fn wide_characters_count_once() {
        assert_eq!(wrap_text("ééé ééé ééé", 7), "ééé ééé\nééé");
    }
}
