//! The entries of `#[device(…)]` as they are written, for who judges them. What they mean is in
//! [`super::device_attribute`].

use std::ops::Range;

use ra_ap_syntax::ast::{self, AstNode};

use super::declarations::MacroArguments;
use super::file::parse_item;
use super::ids::{ItemId, Span};
use super::sites::written_device_attribute;
use crate::db::Db;

/// An entry: `key = value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DeviceEntry {
    /// The key, or all of an entry without a value.
    pub(crate) key: (String, Span),
    /// The value.
    pub(crate) value: Option<(String, Span)>,
}

/// The entries of a function's `#[device(…)]`, in their order; those without any text are left out.
pub(crate) fn device_entries(db: &dyn Db, function: ItemId) -> Vec<DeviceEntry> {
    let parsed = parse_item(db, function);
    let attribute = parsed
        .cast::<ast::Fn>()
        .and_then(|function| written_device_attribute(&function));
    let tree = attribute.and_then(|attribute| {
        let mut inside = attribute.syntax().descendants();
        inside.find_map(ast::TokenTree::cast)
    });
    let Some(arguments) = tree.and_then(|tree| MacroArguments::of_tree(tree.syntax())) else {
        return Vec::new();
    };
    let part = |range: Range<usize>| {
        let text = arguments.text.get(range.clone()).unwrap_or("");
        let start = range.start + (text.len() - text.trim_start().len());
        let text = text.trim();
        let span = arguments.span(&parsed.text, &(start..start + text.len()));
        (text.to_owned(), span)
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
    entries
}
