//! Quoted text in the words of an answer, cut where it is long.
//!
//! What is quoted comes from sources, which may be anybody's: an agent is told what a literal is, and not all that somebody wrote into it.

/// Characters of a quotation that are shown.
const QUOTED: usize = 80;

/// Characters of words between quotations that are shown: more are no words of this program, but of a literal with a back quote.
const WORDS: usize = 600;

/// The words with each quotation, between back quotes, of at most [`QUOTED`] characters; on one line, as they are in a protocol of lines
/// and in an agent's reading.
pub(super) fn shortened_quotes(words: &str) -> String {
    let words = visa_analysis::visible_lines(words);
    let parts = words
        .split('`')
        .enumerate()
        .map(|(number, part)| cut_to_length(part, if number % 2 == 0 { WORDS } else { QUOTED }));
    parts.collect::<Vec<_>>().join("`")
}

/// The text in at most that many characters, a sign for the rest among them.
fn cut_to_length(text: &str, most: usize) -> String {
    if text.char_indices().nth(most).is_none() {
        return text.to_owned();
    }
    let shown: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{shown}…")
}

#[cfg(test)]
mod tests {
    use super::shortened_quotes;

    #[test]
    fn quotations_are_cut_and_words_are_not() {
        let long = "x".repeat(1_000_000);
        let shown = "x".repeat(79);
        let words = "w".repeat(200);
        assert_eq!(
            shortened_quotes(&format!("{words} `{long}` is not `a`")),
            format!("{words} `{shown}…` is not `a`")
        );
        // A literal that ends its quotation.
        let hostile = shortened_quotes(&format!("`a`{long}`b`"));
        assert!(hostile.chars().count() < 700, "{hostile}");
        let fits = "y".repeat(80);
        assert_eq!(shortened_quotes(&format!("`{fits}`")), format!("`{fits}`"));
        assert_eq!(shortened_quotes("`ü\u{202e}`"), "`ü\\u{202e}`");
    }
}
