//! What markers and types of numbers among generic arguments name.

use ra_ap_syntax::ast;

use crate::hardware::ElementType;
use crate::kernel::Context;
use crate::kernel::dialect::Words;
use crate::surface::{Argument, path_segments};

use super::mappings::is_macro;
use super::types::Type;

/// Whether an argument can only be a mapping.
pub(super) fn is_mapping(argument: &Argument) -> bool {
    matches!(argument, Argument::Type(ast::Type::MacroType(ty)) if ty.macro_call().is_some_and(|call| is_macro(&call, "m")))
}

/// The context that a marker names.
pub(super) fn context_of(argument: &Argument, words: &Words) -> Option<Context> {
    let names = path_segments(&argument.path()?);
    match names.as_slice() {
        [.., owner, name] => words.context(owner, name),
        _ => None,
    }
}

/// The type of numbers of that name.
pub(super) fn number_type(name: &str, words: &Words) -> Type {
    match (ElementType::from_name(name), name) {
        (Some(scalar), _) => Type::Number(Some(scalar)),
        (
            None,
            "u16" | "u32" | "u64" | "u128" | "usize" | "i64" | "i128" | "isize" | "f64" | "bool",
        ) => Type::Number(None),
        _ if name == words.address_type => Type::Number(None),
        _ => Type::Unknown,
    }
}
