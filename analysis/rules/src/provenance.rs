//! Rules about positions that hold no data and are taken for some.

use crate::alternatives::SuggestMappings as _;
use crate::derivation::memory::{MoveFault, MoveViolation};
use crate::derivation::provenance::{Claim, ClaimKind, PaddingCause, PaddingRead};
use crate::kernel::catalogue::{CanonicalStage as S, Generic, Role};
use crate::kernel::dialect::Dialect;
use crate::kernel::{Level, OperationId, OperationKind, StageKind};
use crate::numbers::counted;

use super::{Applicability, Checked, Finding, Rule, rule, wording};

pub(crate) static CLAIMED_REPLICATION: Rule = rule!(
    "claimed_replication",
    Suspicious,
    Memory,
    "derived",
    "copies are declared or read that nothing writes",
    "Each slice, cluster and chip has its own memory, and data is in several of them only if something put it there. \
     A load from the HBM moves a copy for each position of its target. Broadcasts of the Switch Engine and of a \
     reduction across slices make copies too. A store, or a transfer inside the HBM, into an axis that the source \
     lacks makes no copies. Reading `1 # n` as if all n positions were filled is wrong too. A run on the host makes \
     the copies; on the machine the other positions hold what was there before.",
    alt,
);

pub(crate) static SHARED_PADDING_READ: Rule = rule!(
    "shared_padding_read",
    Suspicious,
    Memory,
    "Masking, Padding Strategy",
    "a reduction or contraction reads padded positions that nothing masked",
    "Padding holds whatever was in memory, and a sum over it is wrong by as much. The Fetch Engine's mask sets the \
     padding of one axis to zero, in the main context. The Valid Count Generator leaves padding out of an intra-slice \
     reduce. A reduction across slices takes every slice as it is. A second padded axis has no mask, and an operand \
     that was loaded with its padding does not remove it.",
    fix,
);

/// The family's rules.
pub(super) const RULES: &[&Rule] = &[&CLAIMED_REPLICATION, &SHARED_PADDING_READ];

/// Turns claims into findings.
pub(super) fn check_provenance(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    let claims = &checked.derivation().provenance.claims;
    findings.extend(claims.iter().map(|claim| to_finding(checked, claim)));
    let padding = &checked.derivation().provenance.padding;
    let library = checked.body.library();
    findings.extend(padding.iter().map(|read| word_padding(library, read)));
}

/// Whether what a reshape does is a claim of copies, or names copies that are there.
pub(super) fn explains(checked: &Checked<'_>, violation: &MoveViolation) -> bool {
    matches!(violation.fault, MoveFault::PaddingBecomesData { .. })
        && checked
            .derivation()
            .provenance
            .explained
            .contains(&violation.span)
}

const fn level_units(level: Level) -> &'static str {
    match level {
        Level::Chip => "chips",
        Level::Cluster => "clusters",
        _ => "slices",
    }
}

fn to_finding(checked: &Checked<'_>, claim: &Claim) -> Finding {
    let units = level_units(claim.level);
    let copies = match &claim.axis {
        Some(axis) => format!("`{axis}` ({} {units})", claim.copies),
        None => format!("{} {units}", claim.copies),
    };
    let message = match claim.kind {
        ClaimKind::Transfer => format!(
            "the target has a copy for each position of {copies}, which the source does not have; a transfer to the HBM \
             writes each element once"
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
        ClaimKind::ReadBack { written, .. } => {
            let name = checked
                .body
                .tensor(written)
                .and_then(|tensor| tensor.name.clone());
            let written = name.map_or_else(
                || "what was written there".to_owned(),
                |name| format!("`{name}`"),
            );
            format!(
                "the tensor at this address has data in all positions of {copies}, and {written} filled only one of them"
            )
        }
        ClaimKind::Reshape { .. } => {
            format!(
                "the reshape calls the positions of {copies} data, and only one of them was written"
            )
        }
    };
    let finding = Finding::new(&CLAIMED_REPLICATION, claim.span, message)
        .help(alternatives_text(checked, claim));
    let left_by = |id: OperationId| checked.body.operation(id).map(|operation| operation.span);
    match claim.kind {
        ClaimKind::Transfer => finding,
        ClaimKind::Operand { left_by: id, .. }
        | ClaimKind::ReadBack { left_by: id, .. }
        | ClaimKind::Reshape { left_by: id } => match left_by(id) {
            Some(span) => finding.related(span, "the other positions were left empty here"),
            None => finding,
        },
    }
}

/// What would put the copies there.
fn alternatives_text(checked: &Checked<'_>, claim: &Claim) -> String {
    let (copies, stride) = (claim.copies, claim.stride);
    let slices = checked.body.machine.slices;
    let reduced = match claim.kind {
        ClaimKind::Operand { left_by, .. }
        | ClaimKind::ReadBack { left_by, .. }
        | ClaimKind::Reshape { left_by } => {
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
        return "declare an axis of as many values in the slices that the reduction leaves: it then writes its result into \
                each of them"
            .to_owned();
    }
    let tiles = "write each copy with a transfer of its own, into a tile of the target";
    let ring = copies.checked_mul(stride).filter(|ring| *ring <= slices);
    match (claim.level, ring) {
        (Level::Slice, Some(_)) => format!(
            "spread the data over these slices and let the Switch Engine of the pass that reads it copy it; or {tiles}"
        ),
        _ => tiles.to_owned(),
    }
}

fn word_padding(library: Dialect, read: &PaddingRead) -> Finding {
    let PaddingRead {
        axis,
        positions,
        live,
        ..
    } = read;
    let empty = positions.saturating_sub(*live);
    let (by, why, help) = match &read.cause {
        PaddingCause::Slices => (
            "the reduction across slices",
            "slices have no valid count here".to_owned(),
            format!(
                "fill the slices of `{axis}`, or let an intra-slice reduce over `{axis}` gate them before the reduction across slices"
            ),
        ),
        PaddingCause::SecondAxis { masked } => (
            "the contraction",
            format!("the fetch masks `{masked}`, and it has one mask"),
            format!("iterate over the positions of `{axis}` that hold data and no others"),
        ),
        PaddingCause::Switched => (
            "the contraction",
            "only some of the slices that they come from have them, and a mask is the same in all slices".to_owned(),
            format!(
                "leave the empty slices of `{axis}` out of the ring, or stream the other operand through it instead"
            ),
        ),
    };
    let empty = counted(empty, "padded position");
    let message =
        format!("{by} reads {empty} of `{axis}` ({live} of {positions} hold data): {why}");
    let finding = Finding::new(&SHARED_PADDING_READ, read.span, message)
        .help(help)
        .related(read.method, "they are read here");
    if let Some(gate) = &read.gate {
        let part = |mapping| wording::mapping_macro_text(mapping);
        let (narrow, wide) = (&gate.narrow, &gate.wide);
        let shape = |time, packet| {
            vec![
                (Generic::Level(Level::Time), part(time)),
                (Generic::Level(Level::Packet), part(packet)),
            ]
        };
        let narrow = shape(&narrow.0, &narrow.1);
        let mut reduced = narrow.clone();
        reduced.push((Generic::Axis, axis.clone()));
        let by = (Role::Operation, library.operations().write(gate.operation));
        let text = format!(
            "{}.{}.{}.{}.{}",
            library.write(S::VectorBranch, &[], &[]),
            library.write(S::VectorSplit, &narrow, &[]),
            library.write(S::VectorIntraReduce, &reduced, &[by]),
            library.write(S::VectorConcat, &shape(&wide.0, &wide.1), &[]),
            library.name_of(S::VectorInterReduce)
        );
        return finding.fix(
            Applicability::Maybe,
            format!("Gate the empty slices by an intra-slice reduce over `{axis}`"),
            read.method,
            text,
        );
    }
    let replacements: Vec<_> = read
        .unpadded
        .iter()
        .map(|(span, mapping)| (*span, mapping))
        .collect();
    let template = vec!["{}"; replacements.len()].join(", ");
    let words = ("write ", &*template);
    finding.suggest(words, Applicability::Machine, read.method, &replacements)
}
