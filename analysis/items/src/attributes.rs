//! The entries of `#[device(…)]` as they are written, for who judges them. What they mean is in
//! [`super::device_attribute`].

use std::ops::Range;

use super::declarations::MacroArguments;
use super::file::ItemText;
use super::ids::Span;

/// An entry: `key = value`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DeviceEntry {
    /// The key, or all of an entry without a value.
    pub key: (String, Span),
    /// The value.
    pub value: Option<(String, Span)>,
}

/// The entries of the arguments of an attribute, in their order; those without any text are left out.
pub(super) fn device_entries(text: &ItemText, arguments: &MacroArguments) -> Box<[DeviceEntry]> {
    let part = |range: Range<usize>| {
        let written = arguments.text.get(range.clone()).unwrap_or("");
        let start = range.start + (written.len() - written.trim_start().len());
        let written = written.trim();
        let span = arguments.span(text, &(start..start + written.len()));
        (written.to_owned(), span)
    };
    let mut entries = Vec::new();
    let mut start = 0;
    for entry in arguments.text.split(',') {
        let end = start + entry.len();
        let equals = entry.find('=').map(|at| start + at);
        entries.push(DeviceEntry {
            key: part(start..equals.unwrap_or(end)),
            value: equals.map(|equals| part(equals + 1..end)),
        });
        start = end + 1;
    }
    entries.retain(|entry| !entry.key.0.is_empty() || entry.value.is_some());
    entries.into()
}
