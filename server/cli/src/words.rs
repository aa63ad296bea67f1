//! Words that all answers share: text that a reader of XML may be given.

/// The text with a sign in the place of what XML 1.0 cannot hold, not even escaped.
pub(crate) fn xml_text(text: &str) -> String {
    let fits = |character: char| matches!(character, '\t' | '\n' | '\r' | '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    let fitting = |character| {
        if fits(character) {
            character
        } else {
            '\u{fffd}'
        }
    };
    text.chars().map(fitting).collect()
}

#[cfg(test)]
mod tests {
    use super::xml_text;

    #[test]
    fn what_xml_cannot_hold_is_replaced() {
        assert_eq!(
            xml_text("a\u{0}b\u{1b}[31m\u{ffff}\tü"),
            "a\u{fffd}b\u{fffd}[31m\u{fffd}\tü"
        );
    }
}
