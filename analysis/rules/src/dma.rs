//! Rules of the DMA engines.

use crate::alternatives::SuggestMappings as _;
use crate::derivation::OperationDerivation;
use crate::derivation::conventions::Conventions;
use crate::derivation::dma::{DmaDerivation, DmaViolation};
use crate::hardware::{DMA_ALIGNMENT_BYTES, DMA_PACKET_BYTES};
use crate::kernel::{Copy, OperationKind, Tier};
use crate::transfer::Side;

use super::memory::with_nearest;
use super::sequencer::{bits_as_bytes, transfer_span};
use super::{Applicability, Checked, Finding, Group, Rule, rule, wording};

pub(crate) static DMA_ALIGNMENT: Rule = Rule {
    // Reads that the book refuses and the current library takes.
    lesser: Some(Group::Suspicious),
    ..rule!(
        "dma_alignment",
        Hardware,
        Dma,
        "DMA Engine: Alignment Constraints",
        "a transfer into DM whose address or packet is not a multiple of 8 bytes",
        "A bank of DM writes whole rows of 8 bytes. So each write of a DMA engine starts at a multiple of 8 bytes and is \
         a multiple of 8 bytes long. From HBM the read address must be one too. The packet is the longest run of bytes \
         that is contiguous on both sides. If the two layouts agree on less than 8 bytes at a time, nothing can be \
         written. Padding counts where both sides hold it, and for the current library where the target does.",
        fix;
        refused: Refusal::since(2),
    )
};

pub(crate) static DMA_PACKET_LIMIT: Rule = rule!(
    "dma_packet_limit",
    Hardware,
    Dma,
    "DMA Engine",
    "a run above 4,096 bytes that no smaller packet divides",
    "A DMA packet has at most 4,096 bytes, the longest burst of the bus. A longer run is moved in equal packets, whose number \
     is one more loop of at most 65,536 iterations. A run whose length has a large prime factor has no such packets: pad \
     the axis on both sides, or move it in parts.",
    alt,
);

/// The family's rules.
pub(super) const RULES: &[&Rule] = &[&DMA_ALIGNMENT, &DMA_PACKET_LIMIT];

/// Turns the violations of this family into findings.
pub(super) fn check_dma(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    for (operation, derived) in wording::judged_operations(checked) {
        if let (OperationKind::Copy(copy), OperationDerivation::Copy(derived)) =
            (&operation.kind, derived)
        {
            findings.extend(
                derived
                    .violations
                    .iter()
                    .filter_map(|violation| to_finding(checked, copy, derived, violation)),
            );
        }
    }
}

fn to_finding(
    checked: &Checked<'_>,
    copy: &Copy,
    derived: &DmaDerivation,
    violation: &DmaViolation,
) -> Option<Finding> {
    let (source, target) = (
        checked.body.tensor(copy.source)?,
        checked.body.tensor(copy.target)?,
    );
    let from = if source.tier == Tier::Hbm {
        " from HBM"
    } else {
        ""
    };
    let side_name = |side: Side| match side {
        Side::Source => "reads",
        Side::Target => "writes",
    };
    let span = transfer_span(checked, copy);
    let finding = match violation {
        DmaViolation::Address { side, address } => {
            let tensor = match side {
                Side::Source => source,
                Side::Target => target,
            };
            let finding = Finding::new(
                &DMA_ALIGNMENT,
                tensor.address.span,
                format!(
                    "the transfer {} at address {address}; a transfer{from} to DM uses multiples of {DMA_ALIGNMENT_BYTES} bytes",
                    side_name(*side)
                ),
            );
            return Some(with_nearest(
                checked,
                finding,
                tensor.address.span,
                DMA_ALIGNMENT_BYTES,
            ));
        }
        DmaViolation::Window { side, window } => {
            let machine = format!("a transfer{from} to DM uses multiples of {DMA_ALIGNMENT_BYTES} bytes");
            let finding = wording::misaligned_window(&DMA_ALIGNMENT, window, &machine);
            let finding = finding.related(span, format!("the transfer {} it", side_name(*side)));
            return Some(match side {
                Side::Source => taken_by_the_library(checked, finding),
                // Its checks know nothing of where a tile begins.
                Side::Target => finding.found_by_nobody(),
            });
        }
        DmaViolation::Packet { bits, .. } => Finding::new(
            &DMA_ALIGNMENT,
            span,
            format!(
                "the two sides of the transfer agree on contiguous runs of no more than {}; what is written to DM is a multiple of \
                 {DMA_ALIGNMENT_BYTES} bytes",
                bits_as_bytes(*bits)
            ),
        )
        .help(if Conventions::of(checked.body.dialect).writes_padding_of_the_target() {
            "keep at least 8 bytes of the innermost axis together on both sides; padding of the target counts"
        } else {
            "keep at least 8 bytes of the innermost axis together on both sides; padding counts where both hold it"
        }),
        DmaViolation::Stride { side, axis, bits } => {
            let stride = u64::try_from(*bits).map_or_else(|_| format!("{bits} bits"), bits_as_bytes);
            let axis = axis.as_ref().map_or_else(String::new, |axis| format!(" along `{axis}`"));
            Finding::new(
                &DMA_ALIGNMENT,
                span,
                format!(
                    "the transfer {} at steps of {stride}{axis}; a transfer{from} to DM uses addresses that are multiples of \
                     {DMA_ALIGNMENT_BYTES} bytes",
                    side_name(*side)
                ),
            )
        }
        DmaViolation::PacketLimit { bits } => Finding::new(
            &DMA_PACKET_LIMIT,
            span,
            format!(
                "the transfer moves runs of {}; a packet has at most {DMA_PACKET_BYTES} bytes, and none within the limits \
                 divides them",
                bits_as_bytes(*bits)
            ),
        )
        .help("pad both sides to a length that packets divide"),
        DmaViolation::Sequencer(_) => return None,
    };
    let reads = matches!(
        violation,
        DmaViolation::Stride {
            side: Side::Source,
            ..
        }
    );
    let finding = if reads {
        taken_by_the_library(checked, finding)
    } else {
        finding
    };
    let finding = if derived.loops().is_empty() {
        finding
    } else {
        finding.note(format!(
            "derived loops, as size:(read, write) in bytes: {}",
            derived.configuration()
        ))
    };
    let finding = with_padding(checked, copy, derived, finding);
    Some(if source.levels.element.span == span {
        finding
    } else {
        finding.related(source.levels.element.span, "the source's mapping")
    })
}

/// A finding about what a transfer reads, which the current library takes: there it is suspicious and no more.
fn taken_by_the_library(checked: &Checked<'_>, finding: Finding) -> Finding {
    if Conventions::of(checked.body.dialect).refuses_ragged_reads() {
        return finding;
    }
    let mut finding = finding.note("the library looks at what is written alone, and takes it");
    finding.group = Some(Group::Suspicious);
    finding
}

/// Says which padding of the two tensors would do, and proposes it.
fn with_padding(
    checked: &Checked<'_>,
    copy: &Copy,
    derived: &DmaDerivation,
    finding: Finding,
) -> Finding {
    let padded = derived.padded.iter().filter_map(|(id, element)| {
        let side = if *id == copy.source {
            "source"
        } else {
            "target"
        };
        Some((side, checked.body.tensor(*id)?.levels.element.span, element))
    });
    let padded: Vec<_> = padded.collect();
    if padded.is_empty() || padded.len() < derived.padded.len() {
        return finding;
    }
    let words: Vec<String> = padded
        .iter()
        .map(|(side, ..)| format!("the {side} as {{}}"))
        .collect();
    let replaced: Vec<_> = padded
        .iter()
        .map(|(_, place, element)| (*place, *element))
        .collect();
    let words = ("pad ", &*words.join(" and "));
    finding.suggest(words, Applicability::Maybe, copy.span, &replaced)
}
