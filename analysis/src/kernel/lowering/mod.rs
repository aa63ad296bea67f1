//! From the text of a function to a [`Body`]: an abstract interpretation of its normalised text.
//!
//! It follows values (tensors, streams, contexts, constants), not types: each operation's mappings and element types
//! are slots that a turbofish, an annotation, a return type or the parameter of a helper fills, in either direction
//! along a chain. Helpers are followed into with the values that they are called with. It is no type checker: where
//! two written types disagree it keeps both and leaves the complaint to the compiler. What it cannot follow it records
//! with a reason and goes on.

mod arguments;
mod arithmetic;
mod branches;
mod calls;
mod collectives;
mod contexts;
mod draft;
mod expressions;
mod finish;
mod functions;
mod homonyms;
mod loops;
mod mappings;
mod methods;
mod operands;
mod probe;
mod quiet_calls;
mod site;
mod slots;
mod statements;
mod streams;
mod transfers;
mod type_syntax;
mod types;
mod unfollowed;
mod unseen;
mod values;
mod variables;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::db::Db;
use crate::items::{ItemId, ScopeKey, Span};
use crate::mapping::Mapping;

use super::callgraph;
use super::dialect::Dialect;
use super::{Body, BranchArm, LoopFrame, UnresolvedReason};

pub use probe::{Probed, probe};

use draft::Draft;
use quiet_calls::QuietCalls;
use site::Site;
pub(in crate::kernel) use site::segments as path_names;
use slots::{MappingSlot, ScalarSlot};
use types::Type;
use values::Value;
use variables::Variables;

/// Operations of a function's own text that are followed.
const WRITTEN_LIMIT: usize = 16_384;
/// Operations that helpers and loop runs may add to those that a function says itself.
const OPERATION_LIMIT: usize = 4_096;
/// Loop runs that one body may have.
const ITERATION_LIMIT: u64 = 4_096;
/// Expressions that are looked at in one body beside those that the function says itself, so that no nesting of helpers and
/// loops takes long.
const EXPRESSION_LIMIT: u64 = 200_000;
/// Expressions that a call of a helper counts for.
const CALL_WEIGHT: u64 = 8;
/// Helpers that may call each other.
pub(crate) const CALL_DEPTH: usize = 32;
/// Expressions that may stand in each other, helpers included.
pub(crate) const EXPRESSION_DEPTH: u32 = 160;

/// Lowers one function.
///
/// Helpers of the project are inlined with the arguments they are called with; loops with constant bounds are unrolled
/// up to a limit that `Body::shortened_loops` names.
#[salsa::tracked(returns(clone))]
pub fn body(db: &dyn Db, function: ItemId) -> Arc<Body> {
    Arc::new(functions::lower(db, function))
}

/// Where control goes after a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flow {
    /// To the next one.
    Next,
    /// Out of the innermost loop.
    Break,
    /// To the innermost loop's next run.
    Continue,
    /// Out of the function.
    Return,
}

/// The function that is being followed: the body's own, or a helper.
#[derive(Debug)]
struct Frame {
    site: Site,
    variables: Variables,
    /// The declared result.
    result: Type,
    /// What `return` gave so far.
    returned: Option<Value>,
}

/// The interpretation of one body.
struct Interpreter<'db> {
    db: &'db dyn Db,
    dialect: Dialect,
    draft: Draft,
    frame: Frame,
    /// The items read so far, without generic parameters.
    sites: FxHashMap<ItemId, Site>,
    /// Mappings of aliases; none while one is being read.
    aliases: FxHashMap<ItemId, Option<MappingSlot>>,
    /// Mappings of `m![..]` that no generic parameter changes.
    macros: FxHashMap<Span, MappingSlot>,
    /// What was read of the texts of `m![..]` that no generic parameter changes, by where their names are looked up.
    plain: FxHashMap<(ScopeKey, Box<str>), Result<Mapping, UnresolvedReason>>,
    /// Outputs of contractions whose input type was not known yet.
    contractions: Vec<(ScalarSlot, ScalarSlot)>,
    loops: Vec<LoopFrame>,
    branches: Vec<BranchArm>,
    calls: Vec<Span>,
    /// The functions that are being followed, outermost first.
    stack: Vec<ItemId>,
    quiet: QuietCalls,
    flow: Flow,
    /// Branchings of which only some arms leave, with how many operations there were behind them.
    exits: Vec<(Span, usize)>,
    /// What the last `break` gave.
    broken: Option<Value>,
    /// The function's own place: stands in where nothing better is known.
    here: Span,
    expressions: u64,
    iterations: u64,
    depth: u32,
    /// Operations and expressions that the body may have.
    limits: (usize, u64),
    exhausted: bool,
    /// Closures with operations in them, and those of them that nobody has called yet.
    handed: Vec<unseen::Handed>,
    /// The expression whose value somebody asks for.
    watch: Option<probe::Watch>,
}

impl<'db> Interpreter<'db> {
    fn new(db: &'db dyn Db, dialect: Dialect, site: Site, here: Span) -> Self {
        Self {
            db,
            dialect,
            draft: Draft::default(),
            stack: vec![site.item],
            frame: Frame {
                site,
                variables: Variables::default(),
                result: Type::Unknown,
                returned: None,
            },
            sites: FxHashMap::default(),
            aliases: FxHashMap::default(),
            macros: FxHashMap::default(),
            plain: FxHashMap::default(),
            contractions: Vec::new(),
            loops: Vec::new(),
            branches: Vec::new(),
            calls: Vec::new(),
            quiet: QuietCalls::default(),
            flow: Flow::Next,
            exits: Vec::new(),
            broken: None,
            here,
            expressions: 0,
            iterations: 0,
            depth: 0,
            limits: (OPERATION_LIMIT, EXPRESSION_LIMIT),
            exhausted: false,
            handed: Vec::new(),
            watch: None,
        }
    }

    /// The text of an item, without generic parameters.
    fn site(&mut self, item: ItemId) -> Site {
        let db = self.db;
        let site = self.sites.entry(item);
        site.or_insert_with(|| Site::new(db, item)).clone()
    }

    /// Counts one expression or statement; false where the body has used up what it may.
    fn spend(&mut self) -> bool {
        self.expressions = self.expressions.saturating_add(1);
        let (_, expressions) = self.limits;
        self.exhausted |= self.expressions > expressions;
        !self.exhausted
    }

    /// Records something that no operation of the draft stands for.
    fn unresolved(&mut self, reason: UnresolvedReason, span: Span) {
        self.draft
            .unresolved
            .push(super::Unresolved::at(reason, span));
    }

    /// The variable of a name, innermost first.
    fn variable(&self, name: &str) -> Option<&Value> {
        self.frame.variables.get(name)
    }

    /// Gives a variable another value.
    fn assign(&mut self, name: &str, value: Value) {
        if let Some(slot) = self.frame.variables.get_mut(name) {
            *slot = value;
        }
    }
}
