//! The styles of text on a terminal. Whether an answer has any is said by the console.

use anstyle::{AnsiColor, Style};

/// Titles and names.
pub(crate) const TITLE: Style = Style::new().bold();
/// How many errors there are: red, as the findings themselves.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
/// How many warnings there are: yellow, as the findings themselves.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// Lines that a diff adds.
pub(crate) const ADDED: Style = AnsiColor::Green.on_default();
/// Lines that a diff removes.
pub(crate) const REMOVED: Style = AnsiColor::Red.on_default();
/// Where in a file a part of a diff is.
pub(crate) const PLACE: Style = AnsiColor::Cyan.on_default();

/// The text in a style, where the answer carries styles.
pub(crate) fn styled(text: &str, style: Style, colored: bool) -> String {
    if colored {
        format!("{style}{text}{style:#}")
    } else {
        text.to_owned()
    }
}
