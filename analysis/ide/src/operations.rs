//! Which operation, and which stage of it, a method's name in the text stands for.
//!
//! Knows functions, the bodies that hold them and the places of methods; derives nothing. One name may stand for many
//! operations: a helper's text is in the body of every kernel that reaches it, a loop's once a run.

use crate::check::body;
use crate::db::Db;
use crate::items::{ItemId, Span, functions_around};
use crate::kernel::{Body, Operation, OperationId, OperationKind, PassEnd};
use crate::lowering::callgraph;

/// Kernels of which a helper's operations are looked up at most.
pub(super) const KERNELS_SHOWN: usize = 16;

/// The part of an operation that a method is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum OperationPart {
    /// `begin` of a pass; the whole of a transfer or collective.
    Start,
    /// A stage of a pass, by its number.
    Stage(usize),
    /// The end of a pass: `commit`, `commit_view`, `to_trf`, `to_vrf`.
    End,
}

/// An operation in the body of some function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct OperationAt {
    /// The function whose body it is in: a kernel, or a function that none reaches.
    pub(super) function: ItemId,
    /// Its number there.
    pub(super) operation: OperationId,
    /// What of it.
    pub(super) part: OperationPart,
}

/// The functions in whose bodies a place is followed, given in the text of an item of a module: the kernels that reach the
/// innermost function around it, the nearest first, or where there is none that function itself. Empty where there is no
/// function.
pub(super) fn bodies_with(db: &dyn Db, item: ItemId, offset: u32) -> Vec<ItemId> {
    let Some(function) = functions_around(db, item, offset).first().copied() else {
        return Vec::new();
    };
    let kernels = callgraph::kernels_reaching(db, function);
    if kernels.is_empty() {
        return vec![function];
    }
    kernels.iter().copied().take(KERNELS_SHOWN).collect()
}

/// The operations whose method is around an offset of an item's normalised text, the bodies in the order of
/// [`bodies_with`], the operations of each in program order: one a run of a loop, one a call of a helper.
pub(super) fn operations_at(db: &dyn Db, item: ItemId, offset: u32) -> Vec<OperationAt> {
    let in_body = |function: ItemId| {
        let body = body(db, function);
        let found: Vec<OperationAt> = parts_at(&body, item, offset)
            .map(|(operation, part)| OperationAt {
                function,
                operation,
                part,
            })
            .collect();
        found
    };
    let bodies = bodies_with(db, item, offset);
    let found: Vec<OperationAt> = bodies.iter().copied().flat_map(in_body).collect();
    // What no kernel could be followed into is known from the function's own body.
    let own = functions_around(db, item, offset).first().copied();
    match own.filter(|own| found.is_empty() && !bodies.contains(own)) {
        Some(own) => in_body(own),
        None => found,
    }
}

fn parts_at(
    body: &Body,
    item: ItemId,
    offset: u32,
) -> impl Iterator<Item = (OperationId, OperationPart)> + '_ {
    body.operations.iter().filter_map(move |operation| {
        let here = |span: Span| span.item == item && span.start <= offset && offset < span.end;
        let (_, part) = operation_methods(operation).find(|(span, _)| here(*span))?;
        Some((operation.id, part))
    })
}

/// The methods that make an operation, in the order of the stream, each with its place.
pub(super) fn operation_methods(
    operation: &Operation,
) -> impl Iterator<Item = (Span, OperationPart)> + '_ {
    let (stages, end) = match &operation.kind {
        OperationKind::Pass(pass) => (pass.stages.as_slice(), end_span(&pass.end)),
        OperationKind::Copy(_) | OperationKind::Collective(_) => (&[][..], None),
    };
    let stages = stages
        .iter()
        .enumerate()
        .map(|(index, stage)| (stage.span, OperationPart::Stage(index)));
    std::iter::once((operation.span, OperationPart::Start))
        .chain(stages)
        .chain(end.map(|span| (span, OperationPart::End)))
}

/// The place of the method that ends a pass.
pub(super) const fn end_span(end: &PassEnd) -> Option<Span> {
    match end {
        PassEnd::Commit { span, .. }
        | PassEnd::CommitView { span, .. }
        | PassEnd::ToTrf { span, .. }
        | PassEnd::ToVrf { span, .. } => Some(*span),
        PassEnd::Open => None,
    }
}

/// The operations of each body by itself, in the order of [`operations_at`].
pub(super) fn by_body(found: &[OperationAt]) -> Vec<&[OperationAt]> {
    found
        .chunk_by(|one, other| one.function == other.function)
        .collect()
}
