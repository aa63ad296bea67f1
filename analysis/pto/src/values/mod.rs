//! What names mean: which definition a `%x` is, its type where that is a pointer, and the number that it is as far as that is
//! known.
//!
//! Knows the shapes of definitions and arithmetic on constants. What is no constant keeps its identity, so that two addresses over
//! the same unknown base compare by their offsets. Knows no transfer and no order.

mod expressions;
mod names;
#[cfg(test)]
mod tests;
mod types;

pub use expressions::{Expression, Known, Values};
pub use names::{Definition, DefinitionId, Names};
pub use types::{Element, Memory, Pointer, pointer_type, resolve_alias, type_parts};
