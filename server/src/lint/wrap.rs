//! Breaking long lines at spaces, where a reader of sentences and mappings would.

/// Columns of a line where no terminal says how many it has.
pub(crate) const WIDTH: usize = 100;

/// The text with line breaks in place of spaces wherever a line would grow beyond a width in characters. Of the spaces in the
/// right half of a line the outermost one is taken: between words rather than in a mapping, after a comma of the mapping
/// rather than beside an operator. A word that is longer than the width stays whole.
pub(crate) fn wrap(text: &str, width: usize) -> String {
    let mut wrapped = String::with_capacity(text.len());
    for (index, line) in text.lines().enumerate() {
        if index > 0 {
            wrapped.push('\n');
        }
        wrap_line(line, width, &mut wrapped);
    }
    wrapped
}

/// A space where a line may break.
#[derive(Clone, Copy)]
struct Space {
    byte: usize,
    /// Characters before it in the whole text.
    column: usize,
    /// How much a break here tears apart.
    cost: usize,
}

fn wrap_line(line: &str, width: usize, wrapped: &mut String) {
    let spaces = spaces(line);
    let length = line.chars().count();
    let (mut start_byte, mut start_column) = (0, 0);
    let mut rest = spaces.as_slice();
    while length - start_column > width {
        let fitting = rest.partition_point(|space| space.column <= start_column + width);
        let (near, far) = rest.split_at(fitting);
        let Some(space) = best(near, start_column + width / 2).or_else(|| far.first().copied())
        else {
            break;
        };
        wrapped.push_str(line.get(start_byte..space.byte).unwrap_or(""));
        wrapped.push('\n');
        start_byte = space.byte + 1;
        start_column = space.column + 1;
        let next = rest.partition_point(|other| other.column <= space.column);
        rest = rest.get(next..).unwrap_or(&[]);
    }
    wrapped.push_str(line.get(start_byte..).unwrap_or(""));
}

/// The cheapest of the spaces beyond a column, the last one of equals; the last of all where none is beyond it.
fn best(spaces: &[Space], column: usize) -> Option<Space> {
    let beyond = spaces
        .iter()
        .rev()
        .take_while(|space| space.column > column);
    let cheapest = beyond.min_by_key(|space| space.cost);
    cheapest.or(spaces.last()).copied()
}

fn spaces(line: &str) -> Vec<Space> {
    let mut spaces = Vec::new();
    let mut depth = 0_usize;
    let mut quoted = false;
    let mut before = None;
    for (column, (byte, character)) in line.char_indices().enumerate() {
        match character {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            '`' => quoted = !quoted,
            ' ' if column > 0 => {
                let inside = 2 * (depth + usize::from(quoted));
                let torn = usize::from(inside > 0 && !matches!(before, Some(',' | ';')));
                spaces.push(Space {
                    byte,
                    column,
                    cost: inside + torn,
                });
            }
            _ => {}
        }
        before = Some(character);
    }
    spaces
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn long_lines_break_at_spaces() {
        let text = vec!["abcd"; 40].join(" ");
        let wrapped = wrap(&text, 100);
        // 20 words of 4 with 19 spaces are 99 columns; a 21st would need 104.
        let lines: Vec<_> = wrapped.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(lines.iter().all(|line| line.len() == 99));
        assert_eq!(wrapped.replace('\n', " "), text);
    }

    #[test]
    fn short_lines_and_long_words_stay() {
        assert_eq!(wrap("one\ntwo", 10), "one\ntwo");
        let word = "x".repeat(300);
        assert_eq!(wrap(&word, 100), word);
        assert_eq!(wrap(&format!("{word} y"), 100), format!("{word}\ny"));
        assert_eq!(wrap("   indented text", 12), "   indented\ntext");
        assert_eq!(wrap("", 10), "");
    }

    #[test]
    fn mappings_break_last_and_after_their_commas() {
        // 32 characters fit: the text would break inside the mapping, and breaks before it.
        assert_eq!(
            wrap("the element is not the `m![A / 8, B]` declared", 32),
            "the element is not the\n`m![A / 8, B]` declared"
        );
        // A mapping that fits no line breaks after a comma, although `Beta / 1024` would fit too.
        assert_eq!(
            wrap("`m![Alpha % 16, Beta / 1024 % 8, Gamma / 2 % 128]`", 28),
            "`m![Alpha % 16,\nBeta / 1024 % 8,\nGamma / 2 % 128]`"
        );
    }

    #[test]
    fn wide_characters_count_once() {
        assert_eq!(wrap("ééé ééé ééé", 7), "ééé ééé\nééé");
    }
}
