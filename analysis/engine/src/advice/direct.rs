//! Candidates that store what leaves the Vector Engine into the VRF itself: in place of a commit, and a pass of the sub context that
//! reads it back and does nothing else.
//!
//! Only where the library's release lets a pass of the main context end in the VRF, and where the packets are the same, so that
//! nothing is converted less often and the register file holds what it held. Such a pass occupies both contexts: whether it pays
//! is judged by the whole schedule.

use ra_ap_syntax::ast::{self, AstNode, HasArgList};

use crate::db::Db;
use crate::derivation::conventions::Conventions;
use crate::items::{method_call, parse_item};
use crate::kernel::{Body, Context, Operation, OperationKind, Pass, PassEnd, StageKind};
use crate::rules::Edit;

use super::fuse::{making_pass, movable};
use super::writing::{expression_span, stream_forms, tensor_phrase, written_at};
use super::{Candidate, Kind};

/// The pass that makes what an operation brings into the VRF, with the VRF as its end.
pub(super) fn direct_candidates(db: &dyn Db, body: &Body, operation: &Operation) -> Vec<Candidate> {
    if !Conventions::of(body.dialect).feeds_vrf_from_main() {
        return Vec::new();
    }
    let found = match &operation.kind {
        OperationKind::Pass(pass) if operation.context == Context::Sub => {
            direct_candidate(db, body, operation, pass)
        }
        _ => None,
    };
    found.into_iter().collect()
}

/// What leaves the Vector Engine of the first pass, where the second only brings these packets into the VRF: the number of the stage.
fn handed(first: &Pass, second: &Pass) -> Option<usize> {
    let last = first
        .stages
        .iter()
        .position(|stage| matches!(stage.kind, StageKind::VectorFinal))?;
    let mut rest = first.stages.get(last + 1..)?.iter();
    let [fetch, collect] = second.stages.as_slice() else {
        return None;
    };
    let reads = matches!(&fetch.kind, StageKind::Fetch { table: false, zero_points } if zero_points.is_empty())
        && matches!(collect.kind, StageKind::Collect);
    let given = &first.stages.get(last)?.output;
    let same = stream_forms(given)? == stream_forms(&collect.output)?
        && given.element_type.get()? == collect.output.element_type.get()?;
    let as_it_is = rest.all(|stage| matches!(stage.kind, StageKind::CommitTrim));
    (reads && same && as_it_is).then_some(last)
}

fn direct_candidate(
    db: &dyn Db,
    body: &Body,
    operation: &Operation,
    second: &Pass,
) -> Option<Candidate> {
    let PassEnd::ToVrf { span: end, .. } = second.end else {
        return None;
    };
    let (before, first) = making_pass(body, operation, second)?;
    if before.span.item != operation.span.item {
        return None;
    }
    let last = first.stages.get(handed(first, second)?)?;
    let parsed = parse_item(db, operation.span.item);
    let made = movable(db, before, operation)?;
    let chain = written_at(db, expression_span(db, last.span)?)?;
    let stored = method_call(db, end)?;
    let brought = parsed.span(stored.receiver()?.syntax());
    let mut edits = vec![
        Edit::new(parsed.span(&made), String::new()),
        Edit::new(brought, chain),
    ];
    // The library asks for the context that has the VRF, unless the pass runs there.
    if !body.library().is_addressed() {
        let begun = method_call(db, operation.span)?.receiver()?;
        let unit: String = begun
            .syntax()
            .text()
            .to_string()
            .split_whitespace()
            .collect();
        let unit = match begun {
            ast::Expr::PathExpr(_) => unit,
            _ => format!("&mut {unit}"),
        };
        let arguments = parsed.span(stored.arg_list()?.syntax());
        edits.push(Edit::new(arguments, format!("({unit})")));
    }
    let name = tensor_phrase(body, body.tensor(first.end.written_target()?.0)?);
    Some(Candidate {
        kind: Kind::Direct,
        title: format!(
            "Let the pass that makes {name} end in the VRF, in place of a commit and a pass that brings it there"
        ),
        span: operation.span,
        rule: None,
        edits,
    })
}
