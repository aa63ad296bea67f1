//! Breaking long lines at spaces, for mappings and sentences.

/// Columns of a line of prose on a terminal.
const WIDTH: usize = 100;

/// The text with line breaks in place of spaces wherever a line would grow beyond 100 columns. A word that is longer stays
/// whole.
pub(crate) fn wrap(text: &str) -> String {
    let mut wrapped = String::with_capacity(text.len());
    for (index, line) in text.lines().enumerate() {
        if index > 0 {
            wrapped.push('\n');
        }
        let mut width = 0;
        for word in line.split(' ') {
            let length = word.chars().count();
            if width > 0 && width + 1 + length > WIDTH {
                wrapped.push('\n');
                width = 0;
            } else if width > 0 {
                wrapped.push(' ');
                width += 1;
            }
            wrapped.push_str(word);
            width += length;
        }
    }
    wrapped
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn long_lines_break_at_spaces() {
        let text = vec!["abcd"; 40].join(" ");
        let wrapped = wrap(&text);
        // 20 words of 4 with 19 spaces are 99 columns; a 21st would need 104.
        let lines: Vec<_> = wrapped.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(lines.iter().all(|line| line.len() == 99));
        assert_eq!(wrapped.replace('\n', " "), text);
    }

    #[test]
    fn short_lines_and_long_words_stay() {
        assert_eq!(wrap("one\ntwo"), "one\ntwo");
        let word = "x".repeat(300);
        assert_eq!(wrap(&word), word);
    }
}
