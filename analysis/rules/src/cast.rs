//! Rules of the family "cast": what the Cast Engine converts, and the packet it delivers.

use super::sequencer::bits_as_bytes;
use super::{Alternative, Checked, Finding, Rule, rule, wording, words};
use crate::derivation::StageDerivation;
use crate::derivation::cast::CastViolation;
use crate::hardware::FLIT_BYTES;

pub(crate) static CAST_UNSUPPORTED: Rule = rule!(
    "cast_unsupported",
    Hardware,
    Cast,
    "Precision Lowering",
    "a type pair that the Cast Engine does not convert",
    "The Cast Engine only lowers the precision of what the Contraction Engine and the Vector Engine compute: `i32` \
     to narrower integers, `f32` to narrower floats. It neither widens nor crosses between integers and floats. \
     Widening belongs to the Fetch Engine, and the crossing to the Vector Engine's fixed-point stages.",
    alt;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static CAST_PACKET: Rule = rule!(
    "cast_packet",
    Hardware,
    Cast,
    "Packet Transformation",
    "the packet of a cast is not the elements of the input packet padded to a flit",
    "One flit of 32 bytes enters the Cast Engine a cycle and one leaves it. The elements of the input packet keep \
     their order and become narrower, so they fill only the beginning of the flit that leaves. The rest is padding \
     and has to be in the mapping. Time passes through unchanged.",
    fix;
    refused: Refusal::BY_LIBRARIES,
);

/// The family's rules.
pub(super) const RULES: &[&Rule] = &[&CAST_UNSUPPORTED, &CAST_PACKET];

/// Turns the violations of this family into findings.
pub(super) fn check_cast(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    for (_, pass) in wording::judged_passes(checked) {
        for stage in &pass.stages {
            if let StageDerivation::Cast(cast) = stage {
                findings.extend(
                    cast.violations
                        .iter()
                        .map(|violation| to_finding(checked, violation)),
                );
            }
        }
    }
}

fn to_finding(checked: &Checked<'_>, violation: &CastViolation) -> Finding {
    match violation {
        CastViolation::Unsupported {
            input,
            output,
            legal,
            input_span,
            span,
        } => {
            let finding = Finding::new(
                &CAST_UNSUPPORTED,
                *span,
                format!("the Cast Engine cannot convert `{input}` to `{output}`"),
            )
            .related(*input_span, format!("`{input}` enters the cast"));
            if input == output {
                finding.help("leave the cast out: the stream has the type already")
            } else if legal.is_empty() {
                finding.help(
                    "it takes `i32` and `f32` streams; convert other types in the Fetch Engine",
                )
            } else {
                finding.help(format!(
                    "it converts `{input}` to {}",
                    words::names_in_code(legal)
                ))
            }
        }
        CastViolation::InputPacket {
            bits,
            span,
            packet_span,
        } => Finding::new(
            &CAST_PACKET,
            *span,
            format!(
                "a packet of {} enters the Cast Engine, which takes flits of {FLIT_BYTES}",
                bits_as_bytes(*bits)
            ),
        )
        .related(
            *packet_span,
            format!("the packet of {}", bits_as_bytes(*bits)),
        ),
        CastViolation::OutputPacket {
            declared,
            bits,
            expected,
            span,
            input_span,
        } => {
            let message = match bits {
                Some(bits) => format!(
                    "the packet is {}; the Cast Engine pads its output to {FLIT_BYTES} bytes",
                    bits_as_bytes(*bits)
                ),
                None => format!(
                    "the packet `{declared}` is not what the Cast Engine makes of its input: `{expected}`"
                ),
            };
            Finding::new(&CAST_PACKET, *span, message)
                .related(*input_span, "the packet that enters the cast")
                .alternatives("the packet is ", [Alternative::text(*span, expected)])
                .fix(
                    checked.replacing(*span),
                    format!("write `m![{expected}]`"),
                    *span,
                    expected,
                )
        }
    }
}
