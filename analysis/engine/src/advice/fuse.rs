//! Candidates that do the work of two passes in one: the second reads only what the first commits, in the same packets, so that its
//! stages go on where the Vector Engine of the first ends.
//!
//! Only where the first commits what leaves the Vector Engine as it is, so that nothing is rounded less or more often; whether the ALUs
//! and their order allow it is judged where the candidate is tried.

use ra_ap_syntax::ast::{self, AstNode, HasName};
use ra_ap_syntax::{SyntaxKind, SyntaxNode};

use crate::db::Db;
use crate::items::{method_call, parse_item};
use crate::kernel::{
    Body, Context, Operation, OperationKind, Origin, Pass, PassEnd, PassSource, Stage, StageKind,
};
use crate::rules::Edit;

use super::writing::{expression_span, only_reader, stream_forms, tensor_phrase, written_at};
use super::{Candidate, Kind};

/// The pass together with the one before it.
pub(super) fn fuse_candidates(db: &dyn Db, body: &Body, operation: &Operation) -> Vec<Candidate> {
    let found = match &operation.kind {
        OperationKind::Pass(pass) if operation.context == Context::Main => {
            making_pass(body, operation, pass)
                .and_then(|first| fuse_candidate(db, body, first, (operation, pass)))
        }
        _ => None,
    };
    found.into_iter().collect()
}

/// The pass of the main context that makes what this one alone reads.
pub(super) fn making_pass<'a>(
    body: &'a Body,
    operation: &Operation,
    pass: &Pass,
) -> Option<(&'a Operation, &'a Pass)> {
    let PassSource::Tensor(read) = &pass.source else {
        return None;
    };
    let root = body.tensor(body.root(*read))?;
    let Origin::Operation(made) = root.origin else {
        return None;
    };
    let first = body.operation(made)?;
    let OperationKind::Pass(maker) = &first.kind else {
        return None;
    };
    let (reader, _) = only_reader(body, *read)?;
    let escapes = body.escaping.iter().any(|id| body.root(*id) == root.id);
    let once = first.loops.is_empty() && operation.loops.is_empty();
    let plain = matches!(maker.end, PassEnd::Commit { .. }) && first.context == Context::Main;
    (plain && !escapes && once && reader.id == operation.id).then_some((first, maker))
}

/// The stages of the first pass up to the one that the second goes on behind, and those of the second that fall away.
fn joint(first: &Pass, second: &Pass) -> Option<(usize, usize)> {
    let last = first
        .stages
        .iter()
        .position(|stage| matches!(stage.kind, StageKind::VectorFinal))?;
    let rest = first.stages.get(last + 1..)?;
    let as_it_is = rest
        .iter()
        .all(|stage| matches!(stage.kind, StageKind::CommitTrim));
    let [fetch, collect, init, stages @ ..] = second.stages.as_slice() else {
        return None;
    };
    let reads = matches!(&fetch.kind, StageKind::Fetch { table: false, zero_points } if zero_points.is_empty())
        && matches!(collect.kind, StageKind::Collect)
        && matches!(init.kind, StageKind::VectorInit);
    let given = &first.stages.get(last)?.output;
    let same = stream_forms(given) == stream_forms(&collect.output)
        && given.element_type.get() == collect.output.element_type.get();
    if !as_it_is || !reads || !same {
        return None;
    }
    let (mut end, mut skipped) = (last, 3);
    if let Some(Stage {
        kind: StageKind::VectorBranch(mode),
        ..
    }) = stages.first()
    {
        let opened = first.stages.iter().find_map(|stage| match &stage.kind {
            StageKind::VectorBranch(mode) => Some(mode),
            _ => None,
        });
        if opened != Some(mode) {
            return None;
        }
        skipped += 1;
    }
    // Eight lanes and back to four: the second goes on in four.
    let widens = end.checked_sub(1).and_then(|index| first.stages.get(index));
    let narrows = second.stages.get(skipped);
    let back =
        widens
            .zip(narrows)
            .is_some_and(|(widens, narrows)| match (&widens.kind, &narrows.kind) {
                (StageKind::VectorConcat, StageKind::VectorSplit)
                | (StageKind::VectorPad, StageKind::VectorTrim) => {
                    stream_forms(first.input_of(end - 1)) == stream_forms(&narrows.output)
                }
                _ => false,
            });
    if back {
        (end, skipped) = (end - 1, skipped + 1);
    }
    Some((end, skipped))
}

fn fuse_candidate(
    db: &dyn Db,
    body: &Body,
    (before, first): (&Operation, &Pass),
    (operation, second): (&Operation, &Pass),
) -> Option<Candidate> {
    let item = operation.span.item;
    if before.span.item != item {
        return None;
    }
    let (end, skipped) = joint(first, second)?;
    let parsed = parse_item(db, item);
    let kept = expression_span(db, first.stages.get(end.checked_sub(1)?)?.span)?;
    let replaced = expression_span(db, second.stages.get(skipped.checked_sub(1)?)?.span)?;
    let made = movable(db, before, operation)?;
    let text = written_at(db, kept)?;
    let name = tensor_phrase(body, body.tensor(first.end.written_target()?.0)?);
    Some(Candidate {
        kind: Kind::Fuse,
        title: format!("Do the pass that makes {name} and the one that reads it in one"),
        span: operation.span,
        rule: None,
        edits: vec![
            Edit::new(parsed.span(&made), String::new()),
            Edit::new(replaced, text),
        ],
    })
}

/// The statement of an operation, where it may go on in that of another one.
pub(super) fn movable(db: &dyn Db, first: &Operation, then: &Operation) -> Option<SyntaxNode> {
    let statement = |of: &Operation| -> Option<SyntaxNode> {
        let inside = method_call(db, of.span)?.syntax().clone();
        let found = inside.ancestors().find_map(ast::LetStmt::cast)?;
        Some(found.syntax().clone())
    };
    let (made, reading) = (statement(first)?, statement(then)?);
    may_move(&made, &reading)?;
    Some(made)
}

/// Whether a statement may go on in a later one of its block: nothing between gives a name that it reads, or is more than a plain
/// statement.
fn may_move(made: &SyntaxNode, reading: &SyntaxNode) -> Option<()> {
    let tokens = made.descendants_with_tokens();
    let tokens = tokens.filter_map(ra_ap_syntax::NodeOrToken::into_token);
    let read: Vec<String> = tokens
        .filter(|token| token.kind() == SyntaxKind::IDENT)
        .map(|token| token.text().to_owned())
        .collect();
    let mut next = made.next_sibling()?;
    while next != *reading {
        let given = ast::LetStmt::cast(next.clone())?.pat()?;
        let ast::Pat::IdentPat(given) = given else {
            return None;
        };
        let name = given.name()?.text().to_string();
        if read.contains(&name) {
            return None;
        }
        next = next.next_sibling()?;
    }
    Some(())
}
