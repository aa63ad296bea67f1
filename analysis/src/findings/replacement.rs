//! What a fix writes: a place, and a value or a text to put there.
//!
//! Knows how a value is written, nothing about what it means where it is put.

use crate::items::Span;
use crate::kernel::TrfAddress;
use crate::mapping::Mapping;

/// One replacement in a text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Edit<P = Span> {
    /// What is replaced.
    pub span: P,
    /// By what.
    pub text: String,
    /// What the text writes, where that is a value that a body may hold.
    pub value: Option<Value>,
}

impl<P> Edit<P> {
    /// A replacement of a place.
    pub fn new(span: P, with: impl Into<Replacement>) -> Self {
        let Replacement { text, value } = with.into();
        Self { span, text, value }
    }

    /// The same in another place.
    pub fn map_place<Q>(self, place: impl FnOnce(P) -> Q) -> Edit<Q> {
        Edit {
            span: place(self.span),
            text: self.text,
            value: self.value,
        }
    }
}

/// What is written in a place, with its text.
///
/// A mapping, a number or an address is made from the value, so that the trial of a fix puts that into the body and reads no
/// text again. Anything else (a call, a name, a part of an expression) is text alone.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Replacement {
    pub(crate) text: String,
    pub(crate) value: Option<Value>,
}

/// A value that a body holds and a fix writes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Value {
    /// A mapping.
    Mapping(Mapping),
    /// A number, or an address in bytes.
    Number(u64),
    /// A region of the TRF.
    Region(TrfAddress),
}

impl Replacement {
    /// An address in bytes.
    pub fn address(bytes: u64) -> Self {
        Self {
            text: format!("{bytes:#x}"),
            value: Some(Value::Number(bytes)),
        }
    }
}

impl From<String> for Replacement {
    fn from(text: String) -> Self {
        Self { text, value: None }
    }
}

impl From<&str> for Replacement {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<u64> for Replacement {
    fn from(number: u64) -> Self {
        Self {
            text: number.to_string(),
            value: Some(Value::Number(number)),
        }
    }
}
