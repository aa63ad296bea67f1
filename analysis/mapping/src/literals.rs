//! Numbers as they are written, of any length, in a time that grows with their length and no faster.
//!
//! Knows the spellings of an integer literal; what a number is for is not known here.

use std::borrow::Cow;

use proc_macro2::{Group, TokenStream, TokenTree};

/// The longest spelling of a number that `syn` is given, which works out its digits one by one, each from all before: 64 binary
/// digits, as many `_`, the base and the type.
const LITERAL_LIMIT: usize = 140;

/// Letters of a longer text that a message repeats.
const SHOWN_LETTERS: usize = 40;

/// The value of an integer literal in any spelling.
pub(super) fn integer_value(text: &str) -> Option<u64> {
    let text = bounded_number(text);
    syn::parse_str::<syn::LitInt>(text.as_deref()?)
        .ok()?
        .base10_parse()
        .ok()
}

/// A token without numbers that take long to read.
pub(super) fn bounded(token: TokenTree) -> TokenTree {
    match token {
        TokenTree::Literal(literal) => {
            let text = literal.to_string();
            match bounded_number(&text).map(|text| text.parse()) {
                Some(Ok(short)) if text.len() > LITERAL_LIMIT => TokenTree::Literal(short),
                _ => TokenTree::Literal(literal),
            }
        }
        TokenTree::Group(group) => {
            let stream: TokenStream = group.stream().into_iter().map(bounded).collect();
            TokenTree::Group(Group::new(group.delimiter(), stream))
        }
        other => other,
    }
}

/// A spelling of the same number that is not too long, or of one that does not fit 64 bits either. None for what is too long and
/// no number.
fn bounded_number(text: &str) -> Option<Cow<'_, str>> {
    if text.len() <= LITERAL_LIMIT {
        return Some(Cow::Borrowed(text));
    }
    let prefix = ["0x", "0o", "0b"]
        .into_iter()
        .find(|prefix| text.starts_with(prefix));
    let prefix = prefix.unwrap_or("");
    let is_digit = |letter: &char| match prefix {
        "0x" => letter.is_ascii_hexdigit(),
        _ => letter.is_ascii_digit(),
    };
    let written = text.get(prefix.len()..)?;
    let end = written.find(|letter| !is_digit(&letter) && letter != '_');
    let (digits, ending) = written.split_at(end.unwrap_or(written.len()));
    if digits.is_empty() || ending.len() > LITERAL_LIMIT {
        return None;
    }
    let digits = digits
        .chars()
        .filter(is_digit)
        .skip_while(|digit| *digit == '0');
    // One digit more than 64 bits have in the smallest base.
    let digits: String = digits.take(65).collect();
    Some(Cow::Owned(format!("{prefix}0{digits}{ending}")))
}

/// A text as a message repeats it.
pub(super) fn shown_letters(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(SHOWN_LETTERS) {
        Some((end, _)) => Cow::Owned(format!("{}…", text.get(..end).unwrap_or(text))),
        None => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::bounded_number;

    #[test]
    fn a_long_number_keeps_its_value_or_stays_too_large() {
        let zeros = "0".repeat(1000);
        let value = |text: &str| super::integer_value(text);
        assert_eq!(value(&format!("{zeros}42usize")), Some(42));
        assert_eq!(value(&format!("0x{zeros}ff_u64")), Some(255));
        assert_eq!(value(&format!("0b{}", "1_".repeat(64))), Some(u64::MAX));
        assert_eq!(value(&format!("0b{}{zeros}", "1_".repeat(64))), None);
        assert_eq!(
            value(&format!("18446744073709551615{}", "_".repeat(300))),
            Some(u64::MAX)
        );
        assert_eq!(
            value(&format!("18446744073709551616{}", "_".repeat(300))),
            None
        );
        assert_eq!(value(&"7".repeat(1000)), None);
        assert_eq!(bounded_number(&format!("\"{zeros}\"")), None);
        assert_eq!(bounded_number(&format!("1{}", "e".repeat(1000))), None);
    }
}
