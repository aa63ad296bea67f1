//! What files declare and import: items with their normalised text, modules, names across files, constants, mappings.
//!
//! It knows names and constant values. It knows no tensor types, no method chains and no hardware: bodies of functions
//! are only scopes here. Everything is computed from the **normalised text** of items (tokens without comments, one space
//! where there was trivia), so that what depends on an item re-runs only when its tokens change. A [`Span`] points into
//! that text; [`file_range`] turns it into bytes of the file when something is reported.
//! All that is made for Rust reads it: kernels and lowering for names and mappings, `places` for where an item is in its file.

#![allow(
    unreachable_pub,
    reason = "modules are private, and `pub` is what other modules of the crate may use"
)]

// The crates below, by the names of their rooms.
use visa_base::conditions;
use visa_base::names;
use visa_inputs as inputs;
use visa_inputs::db;
use visa_libraries as libraries;
use visa_mapping as mapping;
use visa_syntax as syntax;
use visa_syntax::fragments;

// The name by which `testing` is compiled in the crates above too.
#[cfg(test)]
extern crate self as visa_items;

mod associated;
mod attributes;
mod bindings;
mod constants;
mod crates;
mod declarations;
mod dialects;
mod editing;
mod file;
mod floats;
mod held;
mod homonyms;
mod ids;
mod integers;
mod item_names;
mod language;
mod loose;
mod macros;
mod mappings;
mod modules;
mod recent;
mod references;
mod remarks;
mod resolve;
mod scopes;
mod shapes;
mod sites;
#[cfg(test)]
mod testing;
mod tokens;
mod values;

pub use self::associated::{associated_item, implementations, in_block, is_trait};
pub use self::attributes::DeviceEntry;
pub use self::bindings::Bound;
#[cfg(test)]
pub use self::constants::ConstEnvironment;
pub use self::constants::literal_u64 as literal_number;
pub use self::constants::{
    ConstValue, arithmetic_constant, compare_constants, evaluate_expression, integer_method,
};
pub use self::crates::library_imports;
pub use self::crates::{crate_of, may_use};
#[cfg(test)]
pub use self::declarations::module_scope;
pub use self::dialects::{Excluded, excluded_shapes, file_manifest};
pub use self::dialects::{
    concerns_kernels, dialect, file_library, functions_of_file, is_template, kernel_files,
    names_a_library,
};
pub use self::editing::{DISUSED_BY_EDIT, Typing};
pub use self::file::method_call;
pub use self::file::{
    ItemText, ParsedItem, TokenMap, file_items, file_range, item_at, item_text, left_out_code,
    parse_item, parse_signature, token_map, unread_bytes,
};
pub use self::floats::{Float, FloatType};
pub use self::homonyms::AxisPaths;
pub use self::ids::{ItemId, ItemKind, ModuleId, ModulePath, Span};
pub use self::integers::IntegerType;
pub use self::item_names::ItemNames;
pub use self::macros::definition_start;
pub use self::mappings::{
    MappingProblem, MappingProblemKind, NameRole, RolePlace, alias_mapping, file_grammar,
    grammar_in, resolve_mapping_text, resolve_mapping_text_with, resolve_mapping_type,
    resolve_mapping_type_with,
};
#[cfg(test)]
pub use self::modules::module_tree;
pub use self::modules::{
    ModuleTarget, crate_root, file_package, is_left_out, module_target, parent_module,
};
pub use self::remarks::{MappingRemark, MappingRemarkKind};
pub use self::resolve::{
    AxisDefinition, Namespace, Resolution, associated_name, resolve_path, visible_type_names,
};
pub use self::scopes::{
    ScopeKey, ScopeRef, all_functions, block_scopes, file_functions, functions_around,
    functions_of, is_inside, scope_at,
};
pub use self::sites::{
    MappingParts, MappingSite, SiteKind, device_attribute, mapping_parts, mapping_sites,
    resolve_edited,
};
pub use self::values::{ItemEnvironment, const_value};
pub use crate::libraries::{Crate, Dialect, FileLibrary};

#[cfg(test)]
mod tests;
