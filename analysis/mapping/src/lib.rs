//! The mapping algebra: expressions over axes, their canonical forms, and what can be asked of two of them.
//!
//! Pure mathematics: nothing here knows of files, kernels or hardware, and no answer takes time that grows with the size
//! of an axis, except bounded enumeration where it is said.

#![allow(
    unreachable_pub,
    reason = "modules are private, and `pub` is what other modules of the crate may use"
)]

mod axis_entries;
mod canonical;
mod counted;
mod division;
mod elements;
mod error;
mod evaluate;
mod expression;
mod factors;
mod form;
mod grammar;
mod groups;
mod index;
mod literals;
mod parsing;
mod projection;
mod reader;
mod regions;
mod relation;
mod repair;
mod rewriting;
mod syntax;
mod walk;

pub use canonical::gcd;
pub use counted::positions_looked_at;
pub use division::{Division, DivisionMode, Match, divide, divide_span};
pub use elements::{holds_every_element, same_elements};
pub use error::MappingError;
#[cfg(test)]
pub use expression::DEPTH_LIMIT;
pub use expression::{Mapping, MappingKind};
pub use factors::uncountable as uncountable_factor;
pub use form::{Atom, Digit, Factor, Form, IndexFunction, PlacedTerm, Term};
pub use grammar::{Construct, Grammar};
pub use groups::{Group, Groups};
pub use index::{Axis, Cell, Index, PaddingKind};
pub use parsing::{parse_axes, parse_axes_in, parse_index_in, parse_mapping, parse_mapping_in};
pub use projection::{AxisPart, project};
#[cfg(test)]
pub use regions::WindowAxisError;
#[cfg(test)]
pub use regions::remove_axis;
pub use regions::{FindAxisError, find_axis, slots, window_axis};
pub use relation::{Answer, equal_forms, mappings_equal};
pub use syntax::{
    AxisDeclaration, FactorKind, FactorNode, GrammarError, Operator, SyntaxKind, SyntaxNode,
};

#[cfg(test)]
mod tests;
