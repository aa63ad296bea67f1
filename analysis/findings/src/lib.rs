//! The contract between the languages: declarations of rules with groups and levels, findings with their places, fixes and
//! alternatives, reports, answers to editors, and the trait that a front end implements.
//!
//! It knows how a rule is declared and what it may say. It knows no rule, no check and no language: those are in the room of each
//! language. A place is `P`; `V` is a value that a fix may write, [`Infallible`](std::convert::Infallible) where it writes texts alone.

#![allow(
    unreachable_pub,
    reason = "modules are private, and `pub` is what other modules of the crate may use"
)]

pub mod answers;
pub mod front_end;
pub mod report;
pub mod words;

mod alternatives;
mod cause;
mod cost_change;
mod declaration;
mod engines;
mod finding;
mod pages;
mod releases;
mod replacement;

pub use alternatives::{Alternative, Alternatives};
pub use cause::Cause;
pub use cost_change::CostChange;
pub use declaration::{Group, Level, Offers, Rule};
pub use engines::Engine;
pub use finding::{Applicability, Finding, Fix, Related, Saving, TextSpan};
pub use pages::{documentation_url, rule_url};
pub use releases::{Confirmer, Holds, Refusal};
pub use replacement::{Edit, IntoReplacement, Replacement};
/// The languages that rules look at, for [`rule!`].
pub use visa_base::language::Language;
