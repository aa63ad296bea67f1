//! Rules of the family "memory": tensors in each other's way, and moves that lose data.
//!
//! One fault of a move can show twice: the engine refuses the mappings, and the move loses data because of them. Then the
//! engine's rule has the finding and this family is silent, so that one mistake gives one message.

mod sums;

use sums::word_sum;

use super::wording::propose_mappings;
use super::{
    Alternative, Applicability, Checked, Finding, Group, Replacement, Rule, levels, provenance,
    region_replacement, rule, words,
};
use crate::derivation::commit::CommitViolation;
use crate::derivation::holding::element_holding_axis;
use crate::derivation::memory::{
    ConflictKind, Elsewhere, MemoryViolation, MoveFault, MoveKind, MoveViolation, Occupant,
    nearest_places,
};
use crate::derivation::{EndDerivation, OperationDerivation, PassDerivation, StageDerivation};
use crate::hardware::Machine;
use crate::items::Span;
use crate::kernel::dialect::Dialect;
use crate::kernel::{Body, OperationId, OperationKind, PassEnd, Tier, TrfAddress};

pub(crate) static DM_OVERLAP: Rule = rule!(
    "dm_overlap",
    Silent,
    Memory,
    "Execution Contexts, Memory Allocation",
    "two tensors in data memory share bytes while both are needed",
    "Addresses are chosen by hand, and nothing keeps two tensors apart. The later write lands on the earlier tensor, \
     and a later read of that one gets the wrong numbers. A tensor is needed from the operation that writes it to the \
     last one that reads it; before and after, its bytes are free.",
    fix,
    alt;
    holds: Holds::EVERYWHERE.until(5),
    instead: &["dm_capacity"],
);

pub(crate) static TRF_OVERLAP: Rule = rule!(
    "trf_overlap",
    Silent,
    Memory,
    "TRF Address Modes",
    "two tensors in the tensor register file share a region while both are needed",
    "A tensor takes the whole register file or one of its halves. Loading another one into the same region while the \
     first is still aligned with streams replaces the operand in the middle of the work. Two tensors live side by side \
     in the two halves only.",
    fix;
    holds: Holds::EVERYWHERE.until(5),
    instead: &["trf_capacity"],
);

pub(crate) static VRF_OVERLAP: Rule = rule!(
    "vrf_overlap",
    Silent,
    Memory,
    "Execution Contexts",
    "two tensors in the vector register file share bytes while both are needed",
    "The sub context loads operands while the main context computes, and the addresses of the registers are chosen by \
     hand. An operand may be loaded over another one that a later vector operation still reads. That operation then \
     reads the new operand, and only the numbers show it.",
    fix;
    holds: Holds::EVERYWHERE.until(5),
    instead: &["vrf_capacity"],
);

pub(crate) static HBM_OVERLAP: Rule = rule!(
    "hbm_overlap",
    Silent,
    Memory,
    "derived",
    "two tensors in HBM share bytes while both are needed",
    "A store goes to the address that it is given, whatever is there: HBM has no owner but the program. A store into \
     the bytes of a result destroys the result. A later transfer of the result reads the other tensor's bytes.",
    fix;
    holds: Holds::EVERYWHERE.until(5),
    instead: &["hbm_capacity"],
);

pub(crate) static STALE_READ: Rule = rule!(
    "stale_read",
    Silent,
    Memory,
    "Scheduling",
    "a tensor named by its address is read after another one was written over it",
    "`{tensor at an address}` names bytes that something else has filled, and the compiler cannot see for how long \
     they stay. The schedule keeps the written order if two operations touch the same bytes. A read after a write \
     gets the written bytes, not those that its name stands for.";
    holds: Holds::EVERYWHERE.until(5),
);

pub(crate) static TENSOR_LOST: Rule = Rule {
    // What the library takes anyway.
    lesser: Some(Group::Suspicious),
    ..rule!(
        "tensor_lost",
        Silent,
        Memory,
        "Tensor Functions",
        "a move drops elements of the tensor, or claims elements that the source does not hold",
        "Moving a tensor changes where its elements are, not which there are. The mappings of both ends say what each \
         holds. An element of the source without a place in the target is gone, and a place of the target for which the \
         source has no element holds whatever was there. A resize (`=`) in the target says that the rest is meant to go. \
         The current library treats whole parts of an axis that the source lacks as copies. It does not check what a \
         transfer to the HBM or a trim leaves out. There the finding is a warning.";
        refused: Refusal::BY_LIBRARIES,
    )
};

/// The family's rules.
pub(super) const RULES: &[&Rule] = &[
    &DM_OVERLAP,
    &TRF_OVERLAP,
    &VRF_OVERLAP,
    &HBM_OVERLAP,
    &STALE_READ,
    &TENSOR_LOST,
];

/// Turns the violations of this family into findings.
pub(super) fn check_memory(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    for violation in &checked.derivation().memory.violations {
        match violation {
            MemoryViolation::Conflict { .. } => {
                findings.extend(word_conflict(checked.body, violation));
            }
            MemoryViolation::Sum(sum) => findings.push(word_sum(checked.body, sum)),
        }
    }
    for violation in &checked.derivation().memory.moves {
        if !is_reported_by_engine(checked, violation.kind)
            && !provenance::explains(checked, violation)
        {
            findings.push(with_place(
                checked,
                violation,
                word_move(checked, violation),
            ));
        }
    }
}

/// Proposes a target of a transfer that holds what would be lost.
fn with_place(checked: &Checked<'_>, violation: &MoveViolation, finding: Finding) -> Finding {
    let (
        MoveKind::Copy(id),
        MoveFault::Lost {
            axis: Some(axis), ..
        },
    ) = (violation.kind, &violation.fault)
    else {
        return finding;
    };
    let operation = checked.body.operation(id).map(|operation| &operation.kind);
    let Some(OperationKind::Copy(copy)) = operation else {
        return finding;
    };
    let element = checked
        .body
        .tensor(copy.target)
        .map(|tensor| &tensor.levels.element);
    let Some((place, form)) = element.and_then(|element| Some((element, element.get()?.form())))
    else {
        return finding;
    };
    match element_holding_axis(violation.source.form(), form, axis) {
        Some(wanted) => propose_mappings(
            finding,
            Applicability::Maybe,
            copy.span,
            &[(place.span, &wanted)],
        ),
        None => finding,
    }
}

/// Whether the move's own engine already says what is wrong with its mappings.
fn is_reported_by_engine(checked: &Checked<'_>, kind: MoveKind) -> bool {
    let pass = |id: OperationId| -> Option<&PassDerivation> {
        match checked.derivation().operations.get(id.0 as usize)? {
            OperationDerivation::Pass(pass) => Some(pass),
            _ => None,
        }
    };
    match kind {
        MoveKind::Copy(_)
        | MoveKind::Scatter(_)
        | MoveKind::ParallelCopy(_)
        | MoveKind::Reshape => false,
        MoveKind::Fetch(id, stage) | MoveKind::Switch(id, stage) | MoveKind::Trim(id, stage) => {
            pass(id)
                .and_then(|pass| pass.stages.get(stage))
                .is_some_and(|stage| match stage {
                    StageDerivation::Fetch(fetch) => !fetch.violations.is_empty(),
                    StageDerivation::Switch(switch) => !switch.violations.is_empty(),
                    StageDerivation::Step(step) => !step.violations.is_empty(),
                    _ => false,
                })
        }
        MoveKind::Commit(id) => pass(id).is_some_and(|pass| match &pass.end {
            EndDerivation::Commit(commit) => commit.violations.iter().any(speaks_of_mappings),
            _ => false,
        }),
    }
}

/// Whether a violation of a commit is about what is committed, not where.
fn speaks_of_mappings(violation: &CommitViolation) -> bool {
    !matches!(
        violation,
        CommitViolation::Alignment { .. } | CommitViolation::Window(_) | CommitViolation::Bank(_)
    )
}

/// What a tensor is called in a message.
fn call(occupant: &Occupant) -> String {
    match &occupant.name {
        Some(name) => format!("`{name}`"),
        None => "a tensor".to_owned(),
    }
}

/// The same beside another tensor, which may have the same name.
fn call_beside(occupant: &Occupant, other: &Occupant) -> String {
    if occupant.name == other.name {
        format!("an earlier {}", call(occupant).trim_start_matches("a "))
    } else {
        call(occupant)
    }
}

/// Where a tensor is in its memory.
fn place_of(machine: Machine, tier: Tier, occupant: &Occupant) -> String {
    let (_, half) = TrfAddress::FirstHalf.bytes(&machine);
    match (tier, occupant.range) {
        (Tier::Trf, (0, end)) if end > half => "all of the register file".to_owned(),
        (Tier::Trf, (0, _)) => "the first half".to_owned(),
        (Tier::Trf, _) => "the second half".to_owned(),
        (_, range) => words::hex_range(range),
    }
}

fn word_conflict(body: &Body, violation: &MemoryViolation) -> Option<Finding> {
    let MemoryViolation::Conflict {
        kind,
        tier,
        needed,
        written,
        write,
        read_span,
        elsewhere,
        span,
        ..
    } = violation
    else {
        return None;
    };
    let (earlier, later) = (call_beside(needed, written), call(written));
    let place = |occupant| place_of(body.machine, *tier, occupant);
    let (earlier_place, later_place) = (place(needed), place(written));
    if *kind == ConflictKind::StaleRead {
        let write_span = body
            .operation(*write)
            .map_or(written.span, |operation| operation.span);
        let message = format!(
            "{earlier} in {earlier_place} is read after {later} was written over it in {later_place}"
        );
        let finding = Finding::new(&STALE_READ, *span, message)
            .related(needed.address_span, "the address is given a name here")
            .related(write_span, "the bytes are written here");
        return Some(finding.help("read it before they are written, or move one of the two"));
    }
    let (rule, place) = match tier {
        Tier::Trf => (&TRF_OVERLAP, ""),
        Tier::Vrf => (&VRF_OVERLAP, " of the vector register file"),
        Tier::Hbm | Tier::Host | Tier::Spm => (&HBM_OVERLAP, " of HBM"),
        Tier::Dm => (&DM_OVERLAP, " of data memory"),
    };
    let needed_when = if read_span.is_some() {
        "read later"
    } else {
        "needed later"
    };
    let message = format!(
        "{later} is written to {later_place}{place}, over {earlier} in {earlier_place}, which is {needed_when}"
    );
    let mut finding = Finding::new(rule, *span, message)
        .related(needed.address_span, format!("{earlier} is here"));
    if let Some(read_span) = read_span {
        finding = finding.related(*read_span, format!("{earlier} is read here"));
    }
    if *tier != Tier::Trf {
        let shared = needed
            .range
            .1
            .min(written.range.1)
            .saturating_sub(needed.range.0.max(written.range.0));
        finding = finding.note(format!("they share {}", words::bytes_text(shared)));
    }
    Some(with_free_place(body, finding, elsewhere, written))
}

/// Says where the written tensor could be instead.
fn with_free_place(
    body: &Body,
    finding: Finding,
    elsewhere: &Elsewhere,
    written: &Occupant,
) -> Finding {
    let during = "free while it is needed: ";
    with_places(
        body.library(),
        finding,
        elsewhere,
        during,
        written.address_span,
    )
}

/// States the free addresses nearest to one that is no multiple of something, and proposes the first one.
pub(super) fn with_nearest(
    checked: &Checked<'_>,
    finding: Finding,
    address_span: Span,
    alignment: u64,
) -> Finding {
    let memory = &checked.derivation().memory;
    let places = nearest_places(checked.body, memory, address_span, alignment);
    let Some(first) = places.first() else {
        return finding.help("move it to an address that is a multiple, where nothing else is");
    };
    let stated = places
        .iter()
        .map(|place| Alternative::text(address_span, Replacement::address(*place)));
    finding.alternatives("move it to ", stated).fix(
        Applicability::Maybe,
        format!("move the tensor to `{first:#x}`"),
        address_span,
        Replacement::address(*first),
    )
}

/// Lists the places that are free for a tensor, and proposes the first one.
pub(super) fn with_places(
    library: Dialect,
    finding: Finding,
    elsewhere: &Elsewhere,
    during: &'static str,
    address_span: Span,
) -> Finding {
    let places: Vec<Replacement> = match elsewhere {
        Elsewhere::Addresses(addresses) => addresses
            .iter()
            .map(|address| Replacement::address(*address))
            .collect(),
        Elsewhere::Half(region) => vec![region_replacement(library, *region)],
        Elsewhere::Nowhere => Vec::new(),
        Elsewhere::Fixed => {
            return finding.help(
                "keep the bytes free that it is written to, or use the other tensor up before",
            );
        }
    };
    let Some(first) = places.first() else {
        return finding
            .help("no stretch of this size is free meanwhile: use one of the tensors up before the other is written");
    };
    let stated = places
        .iter()
        .map(|place| Alternative::text(address_span, place.clone()));
    finding.alternatives(during, stated).fix(
        Applicability::Maybe,
        format!("move the tensor to `{}`", first.text),
        address_span,
        first.clone(),
    )
}

/// Both sides of a move, level by level; as one mapping where a level is not known.
fn move_sides(checked: &Checked<'_>, violation: &MoveViolation) -> [String; 2] {
    let operation = |id| checked.body.operation(id).map(|found| &found.kind);
    let tensor = |id| {
        checked
            .body
            .tensor(id)
            .and_then(|found| levels::tensor_levels_text(&found.levels))
    };
    let (source, target) = match violation.kind {
        MoveKind::Copy(id) => match operation(id) {
            Some(OperationKind::Copy(copy)) => (tensor(copy.source), tensor(copy.target)),
            _ => (None, None),
        },
        MoveKind::Fetch(id, index) | MoveKind::Switch(id, index) | MoveKind::Trim(id, index) => {
            match operation(id) {
                Some(OperationKind::Pass(pass)) => (
                    levels::stream_levels_text(pass.input_of(index)),
                    pass.stages
                        .get(index)
                        .and_then(|stage| levels::stream_levels_text(&stage.output)),
                ),
                _ => (None, None),
            }
        }
        MoveKind::Commit(id) => match operation(id) {
            Some(OperationKind::Pass(pass)) => {
                let target = match pass.end {
                    PassEnd::Commit { target, .. } | PassEnd::CommitView { target, .. } => {
                        tensor(target)
                    }
                    _ => None,
                };
                (levels::stream_levels_text(pass.output()), target)
            }
            _ => (None, None),
        },
        // The one relabels a single level, the others move parts of tensors.
        MoveKind::Reshape | MoveKind::Scatter(_) | MoveKind::ParallelCopy(_) => (None, None),
    };
    [
        source.unwrap_or_else(|| violation.source.to_string()),
        target.unwrap_or_else(|| violation.target.to_string()),
    ]
}

/// The finding as one that the library does not confirm, where it does not.
const fn doubted(mut finding: Finding, accepted: bool) -> Finding {
    if accepted {
        finding.group = finding.rule.lesser;
    }
    finding
}

fn word_move(checked: &Checked<'_>, violation: &MoveViolation) -> Finding {
    let MoveViolation {
        kind,
        fault,
        source,
        target,
        span,
        method,
        accepted,
    } = violation;
    let what = match kind {
        MoveKind::Copy(_) => "the transfer",
        MoveKind::Fetch(..) => "the fetch",
        MoveKind::Switch(..) => "the switch",
        MoveKind::Commit(_) => "the commit",
        MoveKind::Trim(..) => "the trim",
        MoveKind::Scatter(_) => "the scatter",
        MoveKind::ParallelCopy(_) => "the parallel copy",
        MoveKind::Reshape => "the reshape",
    };
    let element = |axis: &Option<String>, value: &Option<u64>| match (axis, value) {
        (Some(axis), Some(value)) => format!("`{axis}` = {value}"),
        _ => "an element".to_owned(),
    };
    let message = match fault {
        MoveFault::Lost {
            axis: Some(axis), ..
        } if levels::axis_positions(target, axis) == 0 => {
            let missing = levels::sized(std::slice::from_ref(axis), Some(source));
            format!("{what} loses {missing} of the source, which is missing in the target")
        }
        MoveFault::Lost { axis, value } => {
            let held = axis.as_ref().map(|axis| {
                let [of, kept] = [source, target].map(|side| levels::axis_positions(side, axis));
                format!(" ({kept} of {of} positions of `{axis}` have a place there)")
            });
            format!(
                "{what} loses {}: the source holds it, no position of the target does{}",
                element(axis, value),
                held.unwrap_or_default()
            )
        }
        MoveFault::Invented { axis, value } => {
            format!(
                "the target of {what} claims {}, which the source does not hold",
                element(axis, value)
            )
        }
        MoveFault::OnePlace { key, row } => {
            format!(
                "the target of {what} has no axis except the row `{row}`: all {} rows of the key `{key}` go to one place",
                key.size()
            )
        }
        MoveFault::NoIndex { key, axis, value } => {
            let [rows, indices] = [source, target].map(|side| levels::axis_positions(side, axis));
            format!(
                "the indices of {what} have none for `{axis}` = {value} ({indices} of {rows} values of `{axis}` in the key `{key}`): \
                 that row has no destination"
            )
        }
        MoveFault::Size { before, after } => {
            format!(
                "{what} makes {after} positions of {before}; it moves nothing, so their number stays"
            )
        }
        MoveFault::PaddingBecomesData { position } => {
            format!(
                "{what} declares position {position} as data, which is padding in what it is made of"
            )
        }
        MoveFault::DataBecomesPadding { position } => {
            format!(
                "{what} declares position {position} as padding, which holds data in what it is made of"
            )
        }
    };
    let [from, to] = move_sides(checked, violation);
    let names = match fault {
        MoveFault::NoIndex { .. } => ["key", "indices"],
        _ => ["source", "target"],
    };
    let finding = Finding::new(&TENSOR_LOST, *span, message)
        .note(format!("{}: `{from}`", names[0]))
        .note(format!("{}: `{to}`", names[1]));
    let finding = if method == span {
        finding
    } else {
        finding.related(
            *method,
            if *kind == MoveKind::Reshape {
                "reshaped here"
            } else {
                "moved here"
            },
        )
    };
    let finding = match fault {
        MoveFault::Invented { .. } if *accepted => {
            finding.note("the library reads the source again there: it holds copies")
        }
        _ => finding,
    };
    let finding = doubted(finding, *accepted);
    let finding = match (kind, fault) {
        // Of a reshape the library compares the sizes alone.
        (
            MoveKind::Reshape,
            MoveFault::PaddingBecomesData { .. } | MoveFault::DataBecomesPadding { .. },
        ) => finding.accepted_by_successor(checked.body.dialect),
        _ => finding,
    };
    match fault {
        MoveFault::Lost { .. } | MoveFault::DataBecomesPadding { .. } => {
            finding.help("give it a place in the target, or drop it with a resize")
        }
        MoveFault::Invented { .. } | MoveFault::PaddingBecomesData { .. } => finding.help(
            "resize the target to what is held, and pad that, where it has more room than data",
        ),
        MoveFault::OnePlace { .. } => {
            finding.help("give the target an axis that the indices count: one place for each row")
        }
        MoveFault::NoIndex { key, .. } => {
            finding.help(format!("let the indices run over all of the key, `{key}`"))
        }
        MoveFault::Size { .. } => finding,
    }
}
