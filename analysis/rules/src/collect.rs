//! Rules of the Collect Engine, and the words for loads of the VRF that drop or claim elements (`tensor_lost`).

use crate::alternatives::{SuggestMappings as _, mappings_alternative};
use crate::derivation::collect::{CollectDerivation, CollectViolation, VrfLoadViolation};
use crate::derivation::{EndDerivation, StageDerivation};
use crate::items::Span;
use crate::kernel::catalogue::{CanonicalStage, Generic};
use crate::kernel::{Level, PassEnd, StreamShape, Written};
use crate::mapping::Mapping;
use crate::memory::TENSOR_LOST;

use super::sequencer::bits_as_bytes;
use super::wording::{
    self, StageOf, at_uses, declared_mappings, differing, link_use, mapping_macro_text,
    propose_instead,
};
use super::{Alternative, Applicability, Checked, Finding, Rule, levels, rule};

pub(crate) static COLLECT_PACKET_SIZE: Rule = rule!(
    "collect_packet_size",
    Hardware,
    Collect,
    "Packet Normalization",
    "the collected packet is not exactly one flit of 32 bytes",
    "Every engine after the Collect Engine, and both register files, move one flit of 32 bytes a cycle. The Collect \
     Engine pads a packet to whole flits and passes them on one by one. Its output is always one flit, and the flits \
     of a longer packet become the innermost steps of time. A shorter packet is spelled with its padding.",
    fix;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static COLLECT_PACKET_MISMATCH: Rule = rule!(
    "collect_packet_mismatch",
    Hardware,
    Collect,
    "Packet Normalization",
    "the collected packet is not the inner flit of the padded input packet",
    "The Collect Engine cuts; it does not reorder. The output flit holds 32 neighbouring bytes of the input packet, \
     in their order. It is the innermost part of the packet's mapping, padded at the packet's end. Another order or \
     another part has to be made by the fetch.",
    fix;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static COLLECT_TIME_MISMATCH: Rule = rule!(
    "collect_time_mismatch",
    Hardware,
    Collect,
    "Packet Normalization",
    "the collected time is not the input time followed by the flits of a packet",
    "All flits of one packet leave before the first of the next. The time after the Collect Engine is therefore the \
     input's time with the packet's outer part innermost. Its order comes from the fetch (and the switch) and cannot \
     change here.",
    fix;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static VRF_ELEMENT_MISMATCH: Rule = rule!(
    "vrf_element_mismatch",
    Hardware,
    Vector,
    "library",
    "a register is declared with another mapping than the stream that it stores",
    "A load of the vector register file stores flit after flit as they come. From release 0.7 on the register's \
     element is the time and packet of that stream, in their order and with their padding. A scalar that fills a flit \
     is `m![E # 8]`, not `m![E]`. Another order would be read back wrongly by the operations that take the register \
     as an operand. The compilers before 0.7 lose that layout if a reduction inside a slice is stored by its own \
     pass. There, commit the result, and load it in a second pass.";
    holds: Holds::SUCCESSOR,
    refused: Refusal::since(7),
);

/// The family's rules.
pub(super) const RULES: &[&Rule] = &[
    &VRF_ELEMENT_MISMATCH,
    &COLLECT_PACKET_SIZE,
    &COLLECT_PACKET_MISMATCH,
    &COLLECT_TIME_MISMATCH,
];

/// Turns the violations of this family into findings.
pub(super) fn check_collect(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    for of in wording::judged_stages(checked) {
        if let StageDerivation::Collect(derived) = of.derived {
            findings.extend(derived.violations.iter().map(|violation| {
                link_use(
                    to_finding(&of, derived, violation),
                    declared_mappings(of.stage),
                )
            }));
        }
    }
    for (pass, derived) in wording::judged_passes(checked) {
        if let (EndDerivation::Vrf(derived), PassEnd::ToVrf { target, .. }) =
            (&derived.end, &pass.end)
            && let Some(tensor) = checked.body.tensor(*target)
        {
            let element = &tensor.levels.element;
            findings.extend(derived.violations.iter().map(|violation| {
                link_use(word_vrf_load(element, pass.output(), violation), [element])
            }));
        }
    }
}

/// An element of the VRF that is not time and packet of the stream as it comes.
fn misspelled(element: &Written<Mapping>, stream: &StreamShape, spelled: &Mapping) -> Finding {
    let shown = element.get().map_or_else(String::new, mapping_macro_text);
    let finding = Finding::new(
        &VRF_ELEMENT_MISMATCH,
        element.span,
        format!(
            "the register is declared as `{shown}`, and the stream stores `{}`",
            mapping_macro_text(spelled)
        ),
    )
    .related(stream.time.span, "the stream's time")
    .related(stream.packet.span, "the stream's packet");
    let replaced = [(element.span, spelled)];
    let words = ("declare it as it is stored: ", "{}");
    finding.suggest(words, Applicability::Maybe, element.span, &replaced)
}

/// A register that a reduction is stored to.
fn reduced_store_finding(element: &Written<Mapping>, reduction: Span) -> Finding {
    Finding::new(
        &VRF_ELEMENT_MISMATCH,
        element.span,
        "the pass stores what it has just reduced, and compilers before release 0.7 cannot lay that register out".to_owned(),
    )
    .related(reduction, "it is reduced here")
    .help("commit the result to the data memory, and load the register by a second pass")
    .found_by_compiler()
}

/// A load of the VRF is a move: what it drops or claims is the fault of every move.
fn word_vrf_load(
    element: &Written<Mapping>,
    stream: &StreamShape,
    violation: &VrfLoadViolation,
) -> Finding {
    let (missing, extra) = match violation {
        VrfLoadViolation::Element { missing, extra } => (missing, extra),
        VrfLoadViolation::Spelling { stream: spelled } => {
            return misspelled(element, stream, spelled);
        }
        VrfLoadViolation::Reduced { reduction } => {
            return reduced_store_finding(element, *reduction);
        }
    };
    let missing_parts = levels::sized(missing, stream.stream().as_ref());
    let extra_parts = levels::sized(extra, element.get());
    let fault = match (missing.is_empty(), extra.is_empty()) {
        (_, true) => format!("has no place for {missing_parts} of the stream"),
        (true, false) => format!("claims {extra_parts}, which the stream does not bring"),
        (false, false) => {
            format!("has no place for {missing_parts} of the stream and claims {extra_parts}")
        }
    };
    let shown = element.get().map_or_else(String::new, mapping_macro_text);
    Finding::new(
        &TENSOR_LOST,
        element.span,
        format!("the VRF tensor's element `{shown}` {fault}; a load stores each flit as it comes"),
    )
    .related(stream.time.span, "the stream's time")
    .help(
        "hold exactly the axes of the stream's time and packet, in any order and with any padding",
    )
}

fn to_finding(
    of: &StageOf<'_>,
    derived: &CollectDerivation,
    violation: &CollectViolation,
) -> Finding {
    let output = &of.stage.output;
    let packet = of
        .pass
        .input_of(of.index)
        .packet
        .get()
        .map_or_else(String::new, mapping_macro_text);
    let expected = |mapping: &Option<Mapping>| {
        mapping.as_ref().map_or_else(
            || "one flit of it".to_owned(),
            |m| format!("`{}`", mapping_macro_text(m)),
        )
    };
    let (finding, parts) = match violation {
        CollectViolation::PacketSize { bits } => (
            Finding::new(
                &COLLECT_PACKET_SIZE,
                output.packet.span,
                format!(
                    "the collected packet is {}; the Collect Engine outputs flits of exactly 32 bytes",
                    bits_as_bytes(*bits)
                ),
            ),
            vec![
                (&output.time, &derived.expected_time),
                (&output.packet, &derived.expected_packet),
            ],
        ),
        CollectViolation::PacketMismatch => (
            Finding::new(
                &COLLECT_PACKET_MISMATCH,
                output.packet.span,
                format!(
                    "the collected packet is declared `{}`; the inner flit of the packet `{packet}` is {}",
                    output
                        .packet
                        .get()
                        .map_or_else(String::new, mapping_macro_text),
                    expected(&derived.expected_packet)
                ),
            ),
            vec![
                (&output.time, &derived.expected_time),
                (&output.packet, &derived.expected_packet),
            ],
        ),
        CollectViolation::TimeMismatch => (
            Finding::new(
                &COLLECT_TIME_MISMATCH,
                output.time.span,
                format!(
                    "the collected time is declared `{}`; the input's time with the flits of a packet innermost is {}",
                    output
                        .time
                        .get()
                        .map_or_else(String::new, mapping_macro_text),
                    expected(&derived.expected_time)
                ),
            ),
            vec![(&output.time, &derived.expected_time)],
        ),
    };
    let mut finding = finding;
    if let (Some(time), Some(packet), Some(flits)) = (
        &derived.expected_time,
        &derived.expected_packet,
        derived.flits,
    ) {
        let unit = if flits == 1 { "flit" } else { "flits" };
        finding = finding.note(format!(
            "a packet is {flits} {unit}: Time `{}`, Packet `{}`",
            mapping_macro_text(time),
            mapping_macro_text(packet)
        ));
    }
    let parts = parts.into_iter();
    let replacements =
        differing(parts.filter_map(|(declared, expected)| Some((declared, expected.as_ref()?))));
    let finding = match (&derived.expected_time, &derived.expected_packet) {
        (Some(time), Some(packet)) => {
            let generics = [
                (Generic::Level(Level::Time), mapping_macro_text(time)),
                (Generic::Level(Level::Packet), mapping_macro_text(packet)),
            ];
            let library = of.pass.library();
            let call = format!(
                "`{}`",
                library.write(CanonicalStage::Collect, &generics, &[])
            );
            let written = mappings_alternative("", of.stage.span, &at_uses(&replacements));
            finding.alternatives(
                "write ",
                written.map(|written| Alternative {
                    text: call,
                    ..written
                }),
            )
        }
        _ => finding,
    };
    propose_instead(
        finding,
        Applicability::Machine,
        of.stage.span,
        &replacements,
    )
}
