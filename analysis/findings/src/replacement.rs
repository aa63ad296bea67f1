//! What a fix writes: a place, and a value or a text to put there.
//!
//! Knows how a value is written, nothing about what it means where it is put.

use std::convert::Infallible;

/// One replacement in a text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Edit<P, V = Infallible> {
    /// What is replaced.
    pub span: P,
    /// By what.
    pub text: String,
    /// What the text writes, where that is a value that a body may hold.
    pub value: Option<V>,
}

impl<P, V> Edit<P, V> {
    /// A replacement of a place.
    pub fn new(span: P, with: impl IntoReplacement<V>) -> Self {
        let Replacement { text, value } = with.into_replacement();
        Self { span, text, value }
    }

    /// The same in another place.
    pub fn map_place<Q>(self, place: impl FnOnce(P) -> Q) -> Edit<Q, V> {
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
pub struct Replacement<V = Infallible> {
    /// The text.
    pub text: String,
    /// The value that it writes, where a body may hold that.
    pub value: Option<V>,
}

impl<V: From<u64>> Replacement<V> {
    /// An address in bytes.
    pub fn address(bytes: u64) -> Self {
        Self {
            text: format!("{bytes:#x}"),
            value: Some(V::from(bytes)),
        }
    }
}

/// A thing that a fix may write. A trait of our own, so that each language can say it of its own values.
pub trait IntoReplacement<V> {
    /// The text of it, with its value.
    fn into_replacement(self) -> Replacement<V>;
}

impl<V> IntoReplacement<V> for Replacement<V> {
    fn into_replacement(self) -> Self {
        self
    }
}

impl<V> IntoReplacement<V> for String {
    fn into_replacement(self) -> Replacement<V> {
        Replacement {
            text: self,
            value: None,
        }
    }
}

impl<V> IntoReplacement<V> for &str {
    fn into_replacement(self) -> Replacement<V> {
        self.to_owned().into_replacement()
    }
}

impl<V: From<u64>> IntoReplacement<V> for u64 {
    fn into_replacement(self) -> Replacement<V> {
        Replacement {
            text: self.to_string(),
            value: Some(V::from(self)),
        }
    }
}
