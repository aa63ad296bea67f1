//! Spatial and temporal reduction, in words.

use crate::alternatives::mappings_alternative;
use crate::contraction::{
    ACCUMULATE_LAYOUT, ACCUMULATE_SLICES_DATA, ACCUMULATOR_CAPACITY, ALIGN_PACKET_SIZE,
    CONTRACT_OUTPUT_LIMIT, CONTRACT_PACKET_MISMATCH, CONTRACTION_TYPE, REDUCE_MAX_ROWS,
};
use crate::derivation::contraction::{
    AccumulateDerivation, AccumulateViolation, AccumulatedTime, ContractDerivation,
    ContractViolation, INTERLEAVED_LIMIT, SEQUENTIAL_LIMIT,
};
use crate::kernel::catalogue::{CanonicalStage, Generic};
use crate::kernel::{AccumulationKind, Level};
use crate::levels;
use crate::mapping::Mapping;
use crate::sequencer::bits_as_bytes;
use crate::wording::{StageOf, at_uses, differing, mapping_macro_text, propose_instead};
use crate::{Alternative, Applicability, Finding};

/// Words the violations of a spatial reduction.
pub(super) fn word_contract_violations(
    of: &StageOf<'_>,
    derived: &ContractDerivation,
    findings: &mut Vec<Finding>,
) {
    for violation in &derived.violations {
        findings.push(word_contract(of, derived, violation));
    }
}

fn word_contract(
    of: &StageOf<'_>,
    derived: &ContractDerivation,
    violation: &ContractViolation,
) -> Finding {
    let input = of.pass.input_of(of.index);
    let output = &of.stage.output;
    match violation {
        ContractViolation::Type { element_type } => Finding::new(
            &CONTRACTION_TYPE,
            of.stage.span,
            format!(
                "operands of `{element_type}` enter the Contraction Engine, which multiplies `i4`, `i8`, `f8e4m3`, `f8e5m2` and `bf16`"
            ),
        )
        .related(input.element_type.span, "the operands' type"),
        ContractViolation::AlignedPacketSize { bits } => Finding::new(
            &ALIGN_PACKET_SIZE,
            input.packet.span,
            format!("the aligned packet is {}; a row multiplies 64 bytes a cycle", bits_as_bytes(*bits)),
        ),
        ContractViolation::OutputLimit { elements } => with_packets(
            Finding::new(
                &CONTRACT_OUTPUT_LIMIT,
                output.packet.span,
                format!("{elements} elements a row leave the reduction tree; the accumulator has 32 columns"),
            ),
            of,
            derived,
            None,
        ),
        ContractViolation::PacketMismatch => {
            let depth = derived.depth_limit.unwrap_or_default();
            let declared = output.packet.get();
            // The output that is as large as the declared one is most likely meant.
            let meant = derived
                .possible_packets
                .iter()
                .find(|packet| declared.is_some_and(|declared| declared.size() == packet.size()));
            with_packets(
                Finding::new(
                    &CONTRACT_PACKET_MISMATCH,
                    output.packet.span,
                    format!(
                        "the contracted packet `{}` is not `{}` divided by 1, 2, … or 2^{depth}; the tree sums neighbours, from the inside",
                        declared.map_or_else(String::new, mapping_macro_text),
                        input.packet.get().map_or_else(String::new, mapping_macro_text),
                    ),
                ),
                of,
                derived,
                meant,
            )
        }
        ContractViolation::MaximumRows { rows } => {
            let finding = Finding::new(
                &REDUCE_MAX_ROWS,
                of.stage.span,
                format!("a maximum over {rows} rows; only row 0 can compare"),
            )
            .help("load the TRF tensor with one row and let the others go through time");
            match &input.row {
                Some(row) => finding.related(row.span, format!("{rows} rows")),
                None => finding,
            }
        }
    }
}

/// Lists the packets that the tree can make, and proposes the one that is meant.
fn with_packets(
    finding: Finding,
    of: &StageOf<'_>,
    derived: &ContractDerivation,
    meant: Option<&Mapping>,
) -> Finding {
    if derived.possible_packets.is_empty() {
        return finding.help(
            "sum at least one more level of the tree, so that 32 elements or fewer are left",
        );
    }
    let packet = &of.stage.output.packet;
    // The one that is meant first: where something follows from a packet, one alone is stated.
    let others = derived.possible_packets.iter();
    let possible = meant
        .into_iter()
        .chain(others.filter(|other| Some(*other) != meant));
    let possible = possible.filter_map(|possible| {
        mappings_alternative("{}", of.stage.span, &at_uses(&[(packet, possible)]))
    });
    let finding = finding
        .help("leave the packet divided by a power of two")
        .alternatives("the tree can leave ", possible);
    match meant {
        Some(meant) => propose_instead(
            finding,
            Applicability::Maybe,
            of.stage.span,
            &[(&of.stage.output.packet, meant)],
        ),
        None => finding,
    }
}

/// Words the violations of a temporal reduction.
pub(super) fn word_accumulate_violations(
    of: &StageOf<'_>,
    derived: &AccumulateDerivation,
    findings: &mut Vec<Finding>,
) {
    for violation in &derived.violations {
        findings.push(word_accumulate(of, derived, violation));
    }
}

fn word_accumulate(
    of: &StageOf<'_>,
    derived: &AccumulateDerivation,
    violation: &AccumulateViolation,
) -> Finding {
    let output = &of.stage.output;
    let time = output
        .time
        .get()
        .map_or_else(String::new, mapping_macro_text);
    match violation {
        AccumulateViolation::InputPacket { elements } => Finding::new(
            &CONTRACT_OUTPUT_LIMIT,
            of.pass.input_of(of.index).packet.span,
            format!("{elements} elements a row enter the accumulator; it has 32 columns"),
        ),
        AccumulateViolation::PacketSize { elements } => with_layout(
            Finding::new(
                &ACCUMULATE_LAYOUT,
                output.packet.span,
                format!(
                    "the accumulated packet is {elements} elements; the accumulator's bus carries 8"
                ),
            ),
            derived,
            of,
        ),
        AccumulateViolation::Packet => with_layout(
            Finding::new(
                &ACCUMULATE_LAYOUT,
                output.packet.span,
                format!(
                    "the accumulated packet is declared `{}`; {} puts `{}` on the bus",
                    output
                        .packet
                        .get()
                        .map_or_else(String::new, mapping_macro_text),
                    kind_name(derived.kind),
                    derived
                        .expected_packet
                        .as_ref()
                        .map_or_else(String::new, mapping_macro_text),
                ),
            ),
            derived,
            of,
        ),
        AccumulateViolation::Time(reason) => with_layout(
            Finding::new(
                &ACCUMULATE_LAYOUT,
                output.time.span,
                format!(
                    "the accumulated time `{time}` {}",
                    word_time(derived.kind, reason, output.time.get())
                ),
            ),
            derived,
            of,
        ),
        AccumulateViolation::SlicesData { kept, live } => {
            let column = if *kept == 1 { "column" } else { "columns" };
            with_layout(
                Finding::new(
                    &ACCUMULATE_SLICES_DATA,
                    output.time.span,
                    format!(
                        "the accumulated time takes {kept} {column} of the packet, and {live} hold data; the others are dropped"
                    ),
                ),
                derived,
                of,
            )
        }
        AccumulateViolation::Capacity { inner, limit } => {
            word_capacity(of, derived, *inner, *limit)
        }
    }
}

pub(crate) fn word_time(
    kind: Option<AccumulationKind>,
    reason: &AccumulatedTime,
    declared: Option<&Mapping>,
) -> String {
    match reason {
        AccumulatedTime::Innermost => match kind {
            Some(AccumulationKind::Sequential) => {
                "does not end with the rows and the packet's outer part, which follow each other on the bus".to_owned()
            }
            _ => "does not end with the packet, whose columns follow each other on the bus".to_owned(),
        },
        AccumulatedTime::Unknown { axes } => {
            let extra = levels::sized(axes, declared);
            format!("has {extra}, which the contracted time does not have")
        }
        AccumulatedTime::Reordered => {
            "keeps axes in another order than they arrive; slots are read out in the order they were filled".to_owned()
        }
        AccumulatedTime::Padding => {
            "leaves a gap between the axes that it keeps: it keeps a part of an axis inside of others, or gives an axis another padding than it has in the contracted time".to_owned()
        }
    }
}

fn word_capacity(
    of: &StageOf<'_>,
    derived: &AccumulateDerivation,
    inner: u64,
    limit: u64,
) -> Finding {
    let kind = kind_name(derived.kind);
    let finding = Finding::new(
        &ACCUMULATOR_CAPACITY,
        of.stage.output.time.span,
        format!(
            "{inner} positions inside the outermost reduced axis wait for their sums; the accumulator has slots for {limit} ({kind})"
        ),
    )
    .related(of.pass.input_of(of.index).time.span, "the contracted time");
    let other = match derived.kind {
        Some(AccumulationKind::Interleaved) => ("sequential", SEQUENTIAL_LIMIT),
        _ => ("interleaved", INTERLEAVED_LIMIT),
    };
    let mut ways = Vec::new();
    if derived
        .inner_otherwise
        .is_some_and(|inner| inner <= other.1)
    {
        ways.push(format!(
            "{} accumulation, which keeps fewer sums waiting",
            other.0
        ));
    }
    if derived.reordered_time.is_some() {
        ways.push(
            "fetch the reduced axes innermost in time, so that no sum waits for another".to_owned(),
        );
    }
    ways.push(
        "work on what is inside the reduced axis in parts, each with the reduced axis inside of it"
            .to_owned(),
    );
    finding.help(ways.join(", or "))
}

fn with_layout(finding: Finding, derived: &AccumulateDerivation, of: &StageOf<'_>) -> Finding {
    let (Some(time), Some(packet)) = (&derived.expected_time, &derived.expected_packet) else {
        return finding;
    };
    let output = &of.stage.output;
    let finding = finding.note(format!(
        "{}, with the axes kept here: Time `{}`, Packet `{}`",
        kind_name(derived.kind),
        mapping_macro_text(time),
        mapping_macro_text(packet)
    ));
    let replacements = differing([(&output.time, time), (&output.packet, packet)]);
    let generics = [
        (Generic::Level(Level::Time), mapping_macro_text(time)),
        (Generic::Level(Level::Packet), mapping_macro_text(packet)),
    ];
    let library = of.pass.library();
    let call = library.write_method(CanonicalStage::Accumulate, &generics);
    let call = format!("`{call}`");
    let stated = mappings_alternative("", of.stage.span, &at_uses(&replacements));
    let stated = stated.map(|stated| Alternative {
        text: call,
        ..stated
    });
    let finding = finding.alternatives("write ", stated);
    propose_instead(finding, Applicability::Maybe, of.stage.span, &replacements)
}

const fn kind_name(kind: Option<AccumulationKind>) -> &'static str {
    match kind {
        Some(AccumulationKind::Interleaved) => "interleaved accumulation",
        Some(AccumulationKind::Sequential) => "sequential accumulation",
        None => "accumulation",
    }
}
