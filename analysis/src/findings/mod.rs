//! What rules are made of, in every language: declarations with groups and levels, findings with their places, fixes and
//! alternatives, and the words that all of them share.
//!
//! It knows how a rule is declared and what it may say. It knows no rule and no check: those are in the room of each language.

mod alternatives;
mod cause;
mod cost_change;
mod declaration;
mod engines;
mod finding;
mod releases;
mod replacement;
pub(crate) mod words;

pub use alternatives::{Alternative, Alternatives};
pub use cause::Cause;
pub use cost_change::CostChange;
pub(crate) use declaration::rule;
pub use declaration::{Group, Level, Offers, Rule};
pub use engines::Engine;
pub use finding::{Applicability, Finding, Fix, Related, Saving, TextSpan};
pub use releases::{Confirmer, Holds, Refusal};
pub use replacement::{Edit, Replacement, Value};
