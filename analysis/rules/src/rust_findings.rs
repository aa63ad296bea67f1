//! Findings of kernels in Rust: the contract's types, with places in items and with the values that a body holds.

use crate::findings;
use crate::items::Span;
use crate::kernel::TrfAddress;
use crate::mapping::Mapping;

/// A finding in an item.
pub type Finding<P = Span> = findings::Finding<P, Value>;

/// A code action in items.
pub type Fix<P = Span> = findings::Fix<P, Value>;

/// A replacement in an item.
pub type Edit<P = Span> = findings::Edit<P, Value>;

/// The other end of a finding.
pub type Related<P = Span> = findings::Related<P>;

/// Something that the author may write instead.
pub type Alternative<P = Span> = findings::Alternative<P, Value>;

/// The alternatives of a finding.
pub type Alternatives<P = Span> = findings::Alternatives<P, Value>;

/// A text that a fix writes, with its value.
///
/// A mapping, a number or an address is made from the value, so that the trial of a fix puts that into the body and reads no
/// text again. Anything else (a call, a name, a part of an expression) is text alone.
pub type Replacement = findings::Replacement<Value>;

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

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}
