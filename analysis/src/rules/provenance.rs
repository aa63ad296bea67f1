//! Rules about positions that hold no data and are taken for some.

use crate::derivation::memory::{MoveFault, MoveViolation};
use crate::derivation::provenance::{Claim, ClaimKind};
use crate::hardware::SLICES;
use crate::kernel::{Level, OperationId, OperationKind, StageKind};

use super::{Checked, Finding, Rule, rule};

/// The family's rules.
pub(super) const RULES: &[Rule] = &[rule!(
    "claimed_replication",
    Suspicious,
    "derived",
    "copies are declared or read that nothing writes",
    "Each slice, cluster and chip has memory of its own, and data is in several of them only where an engine put it there: the \
     Switch Engine's broadcasts do, and the broadcast of a reduction across slices. A type that names an axis which the source \
     lacks, or reads `1 # n` as if all n positions were filled, is only a claim. A run on the host makes the copies; \
     on the machine the other positions hold what was there before.",
    alt,
)];

/// Turns claims into findings.
pub(super) fn check(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    let claims = &checked.derivation.provenance.claims;
    findings.extend(claims.iter().map(|claim| word(checked, claim)));
}

/// Whether what a reshape does is a claim of copies, or names copies that are there.
pub(super) fn explains(checked: &Checked<'_>, violation: &MoveViolation) -> bool {
    matches!(violation.fault, MoveFault::PaddingBecomesData { .. })
        && checked
            .derivation
            .provenance
            .explained
            .contains(&violation.span)
}

const fn units(level: Level) -> &'static str {
    match level {
        Level::Chip => "chips",
        Level::Cluster => "clusters",
        _ => "slices",
    }
}

fn word(checked: &Checked<'_>, claim: &Claim) -> Finding {
    let units = units(claim.level);
    let copies = match &claim.axis {
        Some(axis) => format!("`{axis}` ({} {units})", claim.copies),
        None => format!("{} {units}", claim.copies),
    };
    let message = match claim.kind {
        ClaimKind::Transfer => format!(
            "the target has a copy for each position of {copies}, which the source does not have; a transfer writes each \
             element once"
        ),
        ClaimKind::Operand { tensor, .. } => {
            let name = checked
                .body
                .tensor(tensor)
                .and_then(|tensor| tensor.name.clone());
            let operand = name.map_or_else(|| "the operand".to_owned(), |name| format!("`{name}`"));
            format!(
                "{operand} is read in all positions of {copies}, and only one of them was loaded"
            )
        }
        ClaimKind::Reshape { .. } => {
            format!(
                "the reshape calls the positions of {copies} data, and only one of them was written"
            )
        }
    };
    let finding =
        Finding::new("claimed_replication", claim.span, message).help(alternatives(checked, claim));
    let left_by = |id: OperationId| checked.body.operation(id).map(|operation| operation.span);
    match claim.kind {
        ClaimKind::Transfer => finding,
        ClaimKind::Operand { left_by: id, .. } | ClaimKind::Reshape { left_by: id } => {
            match left_by(id) {
                Some(span) => finding.related(span, "the other positions were left empty here"),
                None => finding,
            }
        }
    }
}

/// What would put the copies there.
fn alternatives(checked: &Checked<'_>, claim: &Claim) -> String {
    let (copies, stride) = (claim.copies, claim.stride);
    let reduced = match claim.kind {
        ClaimKind::Operand { left_by, .. } | ClaimKind::Reshape { left_by } => {
            let operation = checked.body.operation(left_by);
            operation.is_some_and(|operation| match &operation.kind {
                OperationKind::Pass(pass) => pass
                    .stages
                    .iter()
                    .any(|stage| matches!(stage.kind, StageKind::VectorInterReduce { .. })),
                _ => false,
            })
        }
        ClaimKind::Transfer => false,
    };
    if reduced {
        return format!(
            "declare an axis of size {copies} in the slices that the reduction leaves: it then writes its result into each of them"
        );
    }
    let tiles = "write each copy with a transfer of its own, into a tile of the target";
    let ring = copies.checked_mul(stride).filter(|ring| *ring <= SLICES);
    match (claim.level, ring) {
        (Level::Slice, Some(_)) if stride == 1 => format!(
            "spread the data over the {copies} slices and let the pass that reads it copy it: \
             `SwitchConfig::Broadcast01 {{ slice1: {copies}, slice0: 1, time0: 1 }}`; or {tiles}"
        ),
        (Level::Slice, Some(_)) => format!(
            "spread the data over the {copies} slices and let the pass that reads it copy it: \
             `SwitchConfig::Broadcast1 {{ slice1: {copies}, slice0: {stride} }}`; or {tiles}"
        ),
        _ => tiles.to_owned(),
    }
}
