//! Words that all answers share: counts, and text that a terminal may be given.

use std::borrow::Cow;

/// `1 kernel`, `2 kernels`.
pub(crate) fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// The text without characters that a terminal would obey.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    let obeyed = |character: char| character.is_control() && character != '\n';
    if text.contains(obeyed) {
        text.replace(obeyed, "\u{fffd}").into()
    } else {
        text.into()
    }
}
