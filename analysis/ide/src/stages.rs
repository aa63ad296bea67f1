//! The kernel around a cursor: its cost, its stage tables, its memories over time.
//!
//! Picks from what `cost` and `simulation` hold; computes nothing of it. A function that kernels call is seen through the
//! nearest of them: by itself it has no schedule.

use schemars::JsonSchema;
use serde::Serialize;

use ra_ap_syntax::ast::{self, AstNode};
use ra_ap_syntax::{SyntaxNode, TextRange, TextSize, TokenAtOffset};

use crate::check::function_simulation;
use crate::cost::{
    KernelCost, MemoryRow, OperationRow, OverfullRow, kernel_cost_of, memory_of, operations_of,
    overfull_rows, tier_name,
};
use crate::db::Db;
use crate::inputs::SourceFile;
use crate::items::{
    ItemId, Span, TokenMap, file_items, functions_of, is_inside, item_text, token_map,
};
use crate::kernel::{Body, Operation, OperationId, Tier};
use crate::lowering::body;
use crate::lowering::callgraph::kernels_reaching;
use crate::simulation::Peak;

use super::ByteRange;
use super::cursor::Cursor;
use super::operations::operation_methods;

/// The memories of a slice.
const OF_A_SLICE: [Tier; 3] = [Tier::Dm, Tier::Trf, Tier::Vrf];

/// The stage tables at a cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageTableAnswer {
    /// The kernel.
    pub kernel: String,
    /// The operations with their stages: the one at the cursor (in a loop, each run of it), or all.
    pub operations: Vec<OperationRow>,
}

/// A stretch of a memory that nothing occupies while something of the kernel runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Free")]
pub struct FreeRow {
    /// The memory: `dm`, `trf`, `vrf`.
    pub tier: &'static str,
    /// First byte, in the slice.
    pub address: u64,
    /// Bytes.
    pub bytes: u64,
}

/// The memories of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryMapAnswer {
    /// The kernel.
    pub kernel: String,
    /// Cycles from its start to its end; `None` where something of it is unresolved.
    pub total: Option<u64>,
    /// What is where and when.
    pub memory: Vec<MemoryRow>,
    /// The most bytes a slice that are occupied at once.
    pub peak: Option<Peak>,
    /// The memories whose peaks are above their sizes, each with the reason.
    pub overfull: Vec<OverfullRow>,
    /// Bytes of each memory, a slice.
    pub capacity: Vec<(&'static str, u64)>,
    /// The stretches that are free all the time; none where that is not known of a memory.
    pub free: Vec<FreeRow>,
}

/// The stage table at a cursor.
pub(super) fn stage_table(db: &dyn Db, file: SourceFile, offset: u32) -> Option<StageTableAnswer> {
    let function = function_around(db, file, offset)?;
    // A function that no kernel reaches is shown by itself.
    let kernel = kernel_around(db, function).unwrap_or(function);
    let lowered = body(db, kernel);
    let mut operations = operations_of(db, kernel);
    if kernel != function {
        let mut inside = operations.clone();
        inside.retain(|row| {
            let operation = lowered.operation(OperationId(row.id));
            operation.is_some_and(|operation| {
                operation_methods(operation).any(|(span, _)| is_inside(db, span, function))
            })
        });
        if !inside.is_empty() {
            operations = inside;
        }
    }
    let here = operations_at(db, file, function, &lowered, offset);
    if !here.is_empty() {
        operations.retain(|row| here.contains(&OperationId(row.id)));
    }
    Some(StageTableAnswer {
        kernel: lowered.name.clone(),
        operations,
    })
}

/// What the kernel around a cursor costs.
pub(super) fn kernel_cost_at(db: &dyn Db, file: SourceFile, offset: u32) -> Option<KernelCost> {
    kernel_cost_of(db, kernel_at(db, file, offset)?)
}

/// The kernel around a cursor.
pub(super) fn kernel_at(db: &dyn Db, file: SourceFile, offset: u32) -> Option<ItemId> {
    kernel_around(db, function_around(db, file, offset)?)
}

/// The memories of the kernel around a cursor.
pub(super) fn memory_map(db: &dyn Db, file: SourceFile, offset: u32) -> Option<MemoryMapAnswer> {
    let kernel = kernel_around(db, function_around(db, file, offset)?)?;
    let simulation = function_simulation(db, kernel);
    let total = simulation.total();
    // Where something is unresolved, it may be anywhere.
    let of_tier = |tier| simulation.memory.holes(tier, 0, total?);
    let holes = OF_A_SLICE.into_iter().filter_map(of_tier).flatten();
    let capacity = OF_A_SLICE
        .into_iter()
        .filter_map(|tier| Some((tier_name(tier), simulation.memory.capacity(tier)?)));
    Some(MemoryMapAnswer {
        kernel: body(db, kernel).name.clone(),
        total,
        memory: memory_of(db, kernel),
        peak: total.map(|_| simulation.memory.peak),
        overfull: total.map_or_else(Vec::new, |_| overfull_rows(&simulation)),
        capacity: capacity.collect(),
        free: holes
            .map(|hole| FreeRow {
                tier: tier_name(hole.tier),
                address: hole.address,
                bytes: hole.bytes,
            })
            .collect(),
    })
}

/// The function whose text, from its first attribute to its last brace, a byte is in or touches.
pub(super) fn function_around(db: &dyn Db, file: SourceFile, offset: u32) -> Option<ItemId> {
    let tokens = token_map(db, file);
    let items = file_items(db, file);
    let touches = |range: Option<(u32, u32)>| {
        range.is_some_and(|(start, end)| ByteRange { start, end }.touches(offset))
    };
    let around = items.items.iter().copied();
    let around = around.filter(|item| touches(tokens.item_range(*item)));
    let functions = around.flat_map(|item| functions_of(db, item));
    // What is inside is behind what is around it. Between two functions without a space the later one is meant, as with
    // a caret before a word.
    functions
        .filter(|function| touches(tokens.range(item_text(db, *function).full_span())))
        .last()
}

/// The kernel that a function belongs to: itself if it is one, else the nearest of its file that reaches it, else the nearest
/// of another file.
fn kernel_around(db: &dyn Db, function: ItemId) -> Option<ItemId> {
    let kernels = kernels_reaching(db, function);
    let own_file = |kernel: &&ItemId| kernel.file(db) == function.file(db);
    kernels.iter().find(own_file).or(kernels.first()).copied()
}

/// The operations in whose chain of methods a byte is, the shortest chain; else those of the statement around it.
fn operations_at(
    db: &dyn Db,
    file: SourceFile,
    function: ItemId,
    lowered: &Body,
    offset: u32,
) -> Vec<OperationId> {
    let Some(at) = Cursor::at(db, file, offset) else {
        return Vec::new();
    };
    let Some(token) = at.token() else {
        return Vec::new();
    };
    let Some(root) = token.parent_ancestors().last() else {
        return Vec::new();
    };
    let base = at.file_range(TextRange::empty(0.into())).start;
    let tokens = token_map(db, file);
    let chains = Chains {
        db,
        root: &root,
        base,
        tokens: &tokens,
        function,
    };
    let own: Vec<(OperationId, TextRange)> = lowered
        .operations
        .iter()
        .filter_map(|operation| Some((operation.id, chains.chain_range(operation)?)))
        .collect();
    let place = token.text_range();
    let around = own
        .iter()
        .filter(|(_, range)| range.contains_range(place))
        .map(|(_, range)| *range)
        .min_by_key(|range| range.len());
    let wanted = around.or_else(|| {
        let statement = token.parent_ancestors().find(|node| {
            node.parent()
                .is_some_and(|parent| ast::StmtList::can_cast(parent.kind()))
        });
        statement.map(|statement| statement.text_range())
    });
    let Some(wanted) = wanted else {
        return Vec::new();
    };
    let meant = own.iter().filter(|(_, range)| match around {
        Some(around) => *range == around,
        None => range.start() < wanted.end() && wanted.start() < range.end(),
    });
    meant.map(|(id, _)| *id).collect()
}

/// Where the chains of a function are in its file.
struct Chains<'a> {
    db: &'a dyn Db,
    root: &'a SyntaxNode,
    base: u32,
    tokens: &'a TokenMap,
    function: ItemId,
}

impl Chains<'_> {
    /// From the receiver of an operation's first method in the function to the end of its last one there.
    fn chain_range(&self, operation: &Operation) -> Option<TextRange> {
        let mut calls = operation_methods(operation)
            .map(|(span, _)| span)
            .filter(|span| is_inside(self.db, *span, self.function))
            .filter_map(|span| self.call(span));
        let first = calls.next()?;
        Some(calls.fold(first, TextRange::cover))
    }

    /// The call whose name is at a place.
    fn call(&self, place: Span) -> Option<TextRange> {
        let (start, _) = self.tokens.range(place)?;
        let start = TextSize::from(start.checked_sub(self.base)?);
        if start > self.root.text_range().end() {
            return None;
        }
        let token = match self.root.token_at_offset(start) {
            TokenAtOffset::None => return None,
            TokenAtOffset::Single(token) | TokenAtOffset::Between(_, token) => token,
        };
        let call = token.parent_ancestors().find(|node| {
            ast::MethodCallExpr::can_cast(node.kind()) || ast::CallExpr::can_cast(node.kind())
        });
        Some(call?.text_range())
    }
}

#[cfg(test)]
mod tests;
