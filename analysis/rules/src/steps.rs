//! Findings of steps that are stages of their own: adapters behind a fetch, reductions over time, trims and conversions before
//! a commit. The rules are those of the engines that they are steps of.

use crate::alternatives::SuggestMappings as _;
use crate::derivation::StageDerivation;
use crate::derivation::lifts::LiftFault;
use crate::derivation::steps::StepViolation;
use crate::hardware::{ElementType, FLIT_BYTES};
use crate::kernel::{Level, StageKind};

use super::commit::{COMMIT_MAPPING, COMMIT_PACKET_SIZE};
use super::contraction::{ACCUMULATE_LAYOUT, word_time};
use super::fetch::{FETCH_CAST_UNSUPPORTED, FETCH_ZERO_POINT_RANGE};
use super::sequencer::bits_as_bytes;
use super::wording::{self, StageOf, mapping_macro_text, quoted_names};
use super::{Applicability, Checked, Finding, Rule, rule};

pub(crate) static LIFT_PLACEMENT: Rule = rule!(
    "lift_placement",
    Hardware,
    Fetch,
    "library",
    "a lift that replaces something else than copies by an axis",
    "A lift lets each chip, cluster or slice begin its read at another place. If a placement holds copies, an axis \
     leaves the time and tells the parts apart. It therefore only changes copies of two, four and so on into parts of \
     an axis. It does not change the size of the level or existing axes, and it does not make padding.";
    holds: Holds::SUCCESSOR.since(7),
    refused: Refusal::BY_LIBRARIES,
);

/// The family's rules.
pub(super) const OWN: &[&Rule] = &[&LIFT_PLACEMENT];

/// The rules of other families that the steps break.
pub(super) const RULES: &[&Rule] = &[
    &FETCH_CAST_UNSUPPORTED,
    &FETCH_ZERO_POINT_RANGE,
    &ACCUMULATE_LAYOUT,
    &COMMIT_PACKET_SIZE,
    &COMMIT_MAPPING,
];

/// Turns what the steps of a body cannot do into findings.
pub(super) fn check_steps(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    for of in wording::judged_stages(checked) {
        if let StageDerivation::Step(derived) = of.derived {
            let met = derived.violations.iter();
            findings.extend(met.map(|violation| to_finding(&of, violation)));
        }
    }
}

fn to_finding(of: &StageOf<'_>, violation: &StepViolation) -> Finding {
    let output = &of.stage.output;
    let method = &of.stage.method;
    match violation {
        StepViolation::Conversion {
            from,
            to,
            alternatives,
        } => {
            let rule = if of.stage.kind.adapts() {
                &FETCH_CAST_UNSUPPORTED
            } else {
                &COMMIT_PACKET_SIZE
            };
            Finding::new(
                rule,
                output.element_type.span,
                format!("`{method}` does not convert {from} to {to}"),
            )
            .help(conversions_text(*from, alternatives))
        }
        StepViolation::ZeroPoint {
            zero_point,
            element_type,
            range: (least, largest),
        } => Finding::new(
            &FETCH_ZERO_POINT_RANGE,
            zero_point.span,
            format!(
                "the zero point {} does not fit {element_type}, whose values are {least} to {largest}",
                zero_point.value.unwrap_or_default()
            ),
        ),
        StepViolation::Lift(fault) => word_lift(of, fault),
        StepViolation::Time(reason) => {
            let input = of.pass.input_of(of.index);
            let differs = word_time(None, reason, output.time.get());
            let message = format!("the reduced time {differs}");
            Finding::new(&ACCUMULATE_LAYOUT, output.time.span, message)
                .related(input.time.span, "the contracted time")
        }
        StepViolation::TrimSize { bits, padded } => {
            let message = format!(
                "the trimmed packet is {}; the Commit Engine writes 8, 16, 24 or 32 bytes of a packet",
                bits_as_bytes(*bits)
            );
            let finding = Finding::new(&COMMIT_PACKET_SIZE, output.packet.span, message);
            match padded {
                Some(padded) => {
                    let replaced = [(output.packet.span, padded)];
                    let words = ("keep some of the padding: ", "{}");
                    finding.suggest(words, Applicability::Maybe, of.stage.span, &replaced)
                }
                None => finding,
            }
        }
        StepViolation::TrimPacket { expected } => {
            let before = of
                .pass
                .input_of(of.index)
                .packet
                .get()
                .map(mapping_macro_text);
            let message = match before {
                Some(before) => {
                    format!(
                        "`{method}` keeps the front of the packet `{before}`; the declared packet is not a front of it"
                    )
                }
                None => format!(
                    "`{method}` keeps the front of its packet; the declared packet is not a front of it"
                ),
            };
            let finding = Finding::new(&COMMIT_MAPPING, output.packet.span, message);
            match expected {
                Some(expected) => {
                    let replaced = [(output.packet.span, expected)];
                    let words = ("the front of as many elements is ", "{}");
                    finding.suggest(words, Applicability::Maybe, of.stage.span, &replaced)
                }
                None => finding,
            }
        }
        StepViolation::CastSize { bits } => Finding::new(
            &COMMIT_PACKET_SIZE,
            of.stage.span,
            format!(
                "`{method}` converts packets of {} or {FLIT_BYTES} bytes; this one is {}",
                FLIT_BYTES / 2,
                bits_as_bytes(*bits)
            ),
        ),
    }
}

fn word_lift(of: &StageOf<'_>, fault: &LiftFault) -> Finding {
    let method = &of.stage.method;
    let level = match of.stage.kind {
        StageKind::FetchLift(Level::Chip) => &of.stage.output.chip,
        StageKind::FetchLift(Level::Cluster) => &of.stage.output.cluster,
        _ => &of.stage.output.slice,
    };
    let finding = |message: String| Finding::new(&LIFT_PLACEMENT, level.span, message);
    match fault {
        LiftFault::Unchanged => finding(format!(
            "`{method}` does not change the placement; a fetch alone reads the same"
        ))
        .help("name an axis in place of copies, or leave the lift out"),
        LiftFault::Size { before, after } => finding(format!(
            "the level has {before} positions before the lift and {after} after it"
        ))
        .help("keep the size, and name an axis in place of copies"),
        LiftFault::Count { size } => finding(format!(
            "the level has {size} positions; a lift changes pieces of two, and {size} is not a power of two"
        ))
        .help("pad the level to a power of two, or leave the lift out"),
        LiftFault::Replaced { stride, part } => finding(format!(
            "`{}` at stride {stride} is replaced; a lift replaces copies alone",
            mapping_macro_text(part)
        ))
        .help("begin with copies, such as `m![2]`, where the axis is to be"),
        LiftFault::Padding { stride } => finding(format!(
            "copies at stride {stride} are replaced by padding, which reads nothing"
        ))
        .help("reshape the tensor where its copies are not to count"),
        LiftFault::Unread { axes } => Finding::new(
            &LIFT_PLACEMENT,
            of.stage.output.time.span,
            format!(
                "a part of {} is neither lifted nor in the time that is left, so it is not read",
                quoted_names(axes)
            ),
        )
        .related(of.pass.input_of(of.index).time.span, "the time before the lift")
        .help("take the lifted axes out of the time, and nothing else"),
        LiftFault::Base { part, bits } => finding(format!(
            "the parts `{}` begin {} from each other; each begins at a multiple of 8 bytes",
            mapping_macro_text(part),
            bits_as_bytes(*bits)
        ))
        .help("lift an axis that is further outside in the element, or pad what is inside of it"),
        LiftFault::Time { before, after } => Finding::new(
            &LIFT_PLACEMENT,
            of.stage.output.time.span,
            format!(
                "{before} iterations become {after}; the time gets shorter by the copies that the lift names"
            ),
        )
        .help("take the lifted axis out of the time"),
    }
}

/// The conversions that there are, in words.
fn conversions_text(from: ElementType, alternatives: &[ElementType]) -> String {
    let others = alternatives.iter().filter(|other| **other != from);
    let names: Vec<String> = others.map(ToString::to_string).collect();
    if names.is_empty() {
        return format!("no conversion begins with {from}");
    }
    format!("{from} can become {}", names.join(", "))
}
