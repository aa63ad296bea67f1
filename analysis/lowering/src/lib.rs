//! From the text of a function to a [`Body`]: an abstract interpretation of its normalised text.
//!
//! [`surface`] follows values through the function's Rust (tensors, streams, contexts, constants), not types;
//! what a library gives a meaning to is elaborated here, by the table of its dialect. Each operation's mappings and element
//! types are slots that a turbofish, an annotation, a return type or the parameter of a helper fills, in either direction
//! along a chain. Helpers are followed into with the values that they are called with. It is no type checker: where
//! two written types disagree it keeps both and leaves the complaint to the compiler. What it cannot follow it records
//! with a reason and goes on.
//!
//! Findings, costs, runs and editors ask it for a [`body`]. Derivations and the simulation are given one and never ask.

#![allow(
    unreachable_pub,
    reason = "modules are private, and `pub` is what other modules of the crate may use"
)]

// The crates below, by the names of their rooms.
use visa_base::names;
use visa_hardware as hardware;
use visa_inputs::{self as inputs, db};
use visa_items as items;
use visa_kernel as kernel;
use visa_libraries as libraries;
use visa_mapping as mapping;
use visa_syntax as syntax;

mod bindings;
pub mod callgraph;
mod calls;
mod collectives;
pub mod constant_operands;
mod constrain;
mod contexts;
pub mod device_language;
mod draft;
mod elaborate;
mod finish;
mod foreign;
mod functions;
mod given;
mod helpers;
mod hiding_macros;
mod homonyms;
mod host_calls;
mod mappings;
mod markers;
mod matching;
mod methods;
mod operands;
mod owners;
mod plain_types;
mod plans;
mod probe;
mod quiet_calls;
mod record;
mod slots;
mod streams;
mod surface;
mod transfers;
mod type_arguments;
mod type_syntax;
mod types;
mod unfollowed;

#[cfg(test)]
mod tests;

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::db::Db;
use crate::items::{ItemId, ScopeKey, Span};
use crate::mapping::Mapping;

use crate::kernel::dialect::Dialect;
use crate::kernel::{Body, UnresolvedReason};

pub(crate) use host_calls::is_named_in;

pub use given::{GivenNumbers, body_of_run};
pub use hiding_macros::hidden_kernels;
pub use probe::{Probed, probe};
pub use surface::EXPRESSION_DEPTH;

use draft::Draft;
use elaborate::{Kernels, Thing};
use quiet_calls::QuietCalls;
use slots::{MappingSlot, ScalarSlot};

/// Operations of a function's own text that are followed.
const WRITTEN_LIMIT: usize = 16_384;
/// Operations that helpers and loop runs may add to those that a function says itself.
const OPERATION_LIMIT: usize = 4_096;
/// Expressions that are looked at in one body beside those that the function says itself, so that no nesting of helpers and
/// loops takes long.
const EXPRESSION_LIMIT: u64 = 200_000;
/// Calls of helpers that are followed in a function that is no kernel.
const HELPER_CALLS: u32 = 1_024;
/// Expressions without device values that are followed in a function that is no kernel and may be the host's; none in one that is. Small
/// loops that compute the addresses of a helper are within it.
const HOST_EXPRESSIONS: u64 = 1_024;
/// Helpers that may call each other.
pub const CALL_DEPTH: usize = 32;

/// The walk through a body, elaborated by the table of its library.
type Interpreter<'db> = surface::Walker<'db, Kernels>;
type Value = surface::Value<Kernels>;
type Named = surface::Named<Kernels>;
type Call = surface::Call<Kernels>;
type Site = surface::Site<Kernels>;
type Generics = surface::Generics<Kernels>;
type Frame = surface::Frame<Kernels>;
type Variables = surface::Variables<Kernels>;

/// Lowers one function.
///
/// Helpers of the project are inlined with the arguments they are called with; loops with constant bounds are unrolled
/// up to a limit that `Body::shortened_loops` names.
#[salsa::tracked(returns(clone))]
pub fn body(db: &dyn Db, function: ItemId) -> Arc<Body> {
    Arc::new(functions::lower_function(db, function))
}

/// A function as lowered where calls of other releases and of the other library mean what they mean there: for
/// the code that rewrites them. Nothing else may judge it.
pub fn body_as_meant(db: &dyn Db, function: ItemId) -> Body {
    functions::lower_as_meant(db, function)
}

/// What the elaboration knows of one body.
#[derive(Debug)]
struct Lowering {
    dialect: Dialect,
    draft: Draft,
    /// Mappings of aliases; none while one is being read.
    aliases: FxHashMap<ItemId, Option<MappingSlot>>,
    /// Aliases with parameters, and whether each needs itself.
    cyclic: FxHashMap<ItemId, bool>,
    /// Mappings of `m![..]` that no generic parameter changes.
    macros: FxHashMap<Span, MappingSlot>,
    /// What was read of the texts of `m![..]` that no generic parameter changes, by where their names are looked up.
    plain: FxHashMap<(ScopeKey, Box<str>), Result<Mapping, UnresolvedReason>>,
    /// Types as written that no generic parameter changes, all of them known.
    types: FxHashMap<Span, types::Type>,
    /// Outputs of contractions whose input type was not known yet.
    contractions: Vec<(ScalarSlot, ScalarSlot)>,
    quiet: QuietCalls,
    /// Which parameters a function of the host does not read, where that was asked.
    unread: FxHashMap<ItemId, Rc<[bool]>>,
    /// Calls of helpers that are still followed.
    calls_left: u32,
    /// What the place says of the type of the value that goes there.
    expected: Option<owners::Expected>,
    /// The expression whose value is asked for.
    watch: Option<probe::Watch>,
    /// The numbers that the function is given, where a run is followed.
    given: Option<GivenNumbers>,
    /// Whether calls of other releases are followed as those have them.
    follows_foreign: bool,
}

/// The walk through a function, before its parameters are bound.
fn interpreter(db: &dyn Db, dialect: Dialect, site: Site, here: Span) -> Interpreter<'_> {
    let own = Lowering {
        dialect,
        draft: Draft::default(),
        aliases: FxHashMap::default(),
        cyclic: FxHashMap::default(),
        macros: FxHashMap::default(),
        plain: FxHashMap::default(),
        types: FxHashMap::default(),
        contractions: Vec::new(),
        quiet: QuietCalls::default(),
        unread: FxHashMap::default(),
        calls_left: u32::MAX,
        expected: None,
        watch: None,
        given: None,
        follows_foreign: false,
    };
    let frame = Frame {
        site,
        variables: Variables::default(),
        result: types::Type::Unknown,
        returned: None,
    };
    Interpreter::new(db, own, frame, here, (OPERATION_LIMIT, EXPRESSION_LIMIT))
}
