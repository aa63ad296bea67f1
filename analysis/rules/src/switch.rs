//! Rules of the Switch Engine.

use crate::alternatives::SuggestMappings as _;
use crate::derivation::StageDerivation;
use crate::derivation::switch::{SwitchDerivation, SwitchPart, SwitchShape, SwitchViolation};
use crate::items::Span;
use crate::kernel::{
    Pass, Stage, StageKind, StreamShape, SwitchConfig, SwitchParameter, SwitchTopology, Written,
};
use crate::mapping::Mapping;
use crate::numbers::counted;

use super::performance::switch::SWITCH_RING_TOO_LARGE;
use super::wording::{
    self, StageOf, at_uses, declared_mappings, link_use, mapping_macro_text, propose_instead,
    quoted_names,
};
use super::{Alternative, Applicability, Checked, Finding, Group, Rule, rule};

/// Divisors that are tried, up to this one.
const MOST_DIVISORS: u64 = 256;

pub(crate) static SWITCH_PARAMETERS: Rule = rule!(
    "switch_parameters",
    Hardware,
    Switch,
    "Switch Engine: Constraints",
    "a Switch Engine parameter is 0, does not divide the slices or the time, or is not a possible ring size",
    "A topology cuts the 256 slices into `[slice2, slice1, slice0]` and, where it has a `time0`, the iterations into \
     parts of that size. The routers are configured in those units, so each product has to divide the level that it \
     cuts. These are `slice1 * slice0` the slices, `time0` (`slice1 * time0` for {transpose into time}, where that \
     many iterations change places with slices) the time. A custom ring closes after a power of two of slices, at \
     most 256.",
    alt;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static SWITCH_SLICE_SIZE: Rule = Rule {
    lesser: Some(Group::Suspicious),
    ..rule!(
        "switch_slice_size",
        Hardware,
        Switch,
        "Regular Topology Constraints",
        "the slices before and after the Switch Engine are not both 256",
        "The ring that connects the slices of a cluster always runs through all 256 of them. There is no switching on a \
         part of a cluster. Both the slices that enter and the slices that leave have to be 256 positions. Slices without \
         data are padding: `m![A # 256]`, and copies need an axis of their own or `1 # n`.";
        refused: Refusal::BY_LIBRARIES,
    )
};

pub(crate) static SWITCH_TOPOLOGY_MISMATCH: Rule = rule!(
    "switch_topology_mismatch",
    Hardware,
    Switch,
    "Regular Topology Constraints",
    "the declared slices or time are not what the topology makes of the input",
    "Each topology is a fixed wiring of the routers. It decides which part of the slices moves into time, and where \
     in time that part goes. Packets always arrive in that order. A declaration that orders or cuts them differently \
     gives every later engine the wrong element at each step. The note shows what the named topology makes of this \
     input.",
    fix;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static SWITCH_BROADCAST_AXIS_REUSED: Rule = rule!(
    "switch_broadcast_axis_reused",
    Hardware,
    Switch,
    "Broadcast01",
    "a broadcast position of the output slices names an axis of the input",
    "Where a part of the slices moves into time, the slices of a ring all hold the same packets afterwards. That \
     position of the output counts copies, and a copy number is not an index of the data. If it had the name of an \
     axis of the input, it would claim that each slice holds another part of that axis. Declare an axis of the ring's \
     size for the copies, or write `1 # n`.";
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static SWITCH_ORDER: Rule = rule!(
    "switch_order",
    Hardware,
    Switch,
    "Order Preservation",
    "a custom ring changes the order of the axes that move from slices to time",
    "A router holds about one packet: it passes on what arrives, in the order of the slices that it comes from. Axes that \
     move from slices to time therefore keep their order; reordering them would need a buffer that the ring does not \
     have. Reorder later, with the next fetch.",
    fix;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static SWITCH_NOT_INNERMOST: Rule = rule!(
    "switch_not_innermost",
    Hardware,
    Switch,
    "Innermost Time Position",
    "a custom ring puts an axis that moved from the slices outside an axis of the input time",
    "For each of its packets, a slice first lets the packets of its ring neighbours for the same step pass. Then it \
     continues with the next step. The axes that moved from slices are thus the innermost of the output time. Only \
     {broadcast of both parts} can keep some of the input time inside, by its `time0`.",
    fix;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static SWITCH_RING_TOO_SMALL: Rule = rule!(
    "switch_ring_too_small",
    Hardware,
    Switch,
    "Custom Topologies",
    "a custom ring is smaller than the slices that exchange data",
    "A ring is a run of `{ring size}` neighbouring slices, and packets never leave it. Every slice that an output slice takes \
     data from has to be in the same ring. The smallest valid ring reaches up to the outermost part of the slices that moves, \
     leaves, or changes places.",
    fix;
    refused: Refusal::BY_LIBRARIES,
);

/// The family's rules.
pub(super) const RULES: &[&Rule] = &[
    &SWITCH_PARAMETERS,
    &SWITCH_SLICE_SIZE,
    &SWITCH_TOPOLOGY_MISMATCH,
    &SWITCH_BROADCAST_AXIS_REUSED,
    &SWITCH_ORDER,
    &SWITCH_NOT_INNERMOST,
    &SWITCH_RING_TOO_SMALL,
];

/// Turns the violations of this family into findings.
pub(super) fn check_switch(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    for of in wording::judged_stages(checked) {
        if let StageDerivation::Switch(derived) = of.derived {
            for violation in &derived.violations {
                let mut finding = link_use(
                    to_finding(&of, derived, violation),
                    declared_mappings(of.stage),
                );
                if finding.rule == &SWITCH_SLICE_SIZE && !checked.body.reached_from_kernel {
                    finding.group = finding.rule.lesser;
                }
                findings.push(finding);
            }
        }
    }
}

fn to_finding(
    of: &StageOf<'_>,
    derived: &SwitchDerivation,
    violation: &SwitchViolation,
) -> Finding {
    let stage = of.stage;
    let output = &stage.output;
    match violation {
        SwitchViolation::ZeroParameter { .. }
        | SwitchViolation::RingSize { .. }
        | SwitchViolation::SliceIndivisible { .. }
        | SwitchViolation::TimeIndivisible { .. } => {
            word_parameter(of.pass, stage, of.pass.input_of(of.index), violation)
        }
        SwitchViolation::SliceSize {
            input,
            output: slices,
        } => {
            let finding = Finding::new(
                &SWITCH_SLICE_SIZE,
                output.slice.span,
                if of.pass.machine.takes_slices(*input) && of.pass.machine.takes_slices(*slices) {
                    format!("{input} slices enter the Switch Engine and {slices} leave it; packets change slices, and their number stays")
                } else {
                    format!(
                        "{input} slices enter the Switch Engine and {slices} leave it; its ring runs through all {} slices of a cluster",
                        of.pass.machine.slices
                    )
                },
            );
            let before = of.pass.input_of(of.index).slice.span;
            if !of.pass.machine.takes_slices(*input) && before != output.slice.span {
                finding.related(before, format!("{input} slices before the switch"))
            } else {
                finding
            }
        }
        SwitchViolation::BroadcastAxisReused { axes } => {
            let finding = with_shape(
                Finding::new(
                    &SWITCH_BROADCAST_AXIS_REUSED,
                    output.slice.span,
                    format!(
                        "the slices of a ring all hold the same packets here, and {} is an axis of the input's slices or \
                         time: a copy number is not part of it",
                        quoted_names(axes)
                    ),
                )
                .help("declare an axis of that size for the copies"),
                derived.expected.as_ref(),
            );
            match &derived.expected {
                // A regular topology's expected slices hold `1 # n` there; a custom ring's are the declared ones.
                Some(shape) if output.slice.get() != Some(&shape.slice) => finding.suggest(
                    (
                        "declare an axis of that size for the copies, or write ",
                        "{}",
                    ),
                    Applicability::Maybe,
                    stage.span,
                    &at_uses(&[(&output.slice, &shape.slice)]),
                ),
                _ => finding,
            }
        }
        SwitchViolation::CopiesTwice { axis } => Finding::new(
            &SWITCH_BROADCAST_AXIS_REUSED,
            output.slice.span,
            format!(
                "two broadcast positions of the output slices name the same part of `{axis}`: a copy has one number in each of them"
            ),
        )
        .help("declare an axis for each of the positions"),
        SwitchViolation::CopiesOnPadding { declared } => Finding::new(
            &SWITCH_TOPOLOGY_MISMATCH,
            output.slice.span,
            format!(
                "copies arrive at every one of the slices `{}`, and some of these are padding that may not be written",
                mapping_macro_text(declared)
            ),
        )
        .help("declare the copies without that padding"),
        SwitchViolation::SliceFromTime { axes } => Finding::new(
            &SWITCH_TOPOLOGY_MISMATCH,
            output.slice.span,
            format!(
                "{} of the input's time {} in the output slices; a custom ring moves slices into time and nothing back",
                quoted_names(axes),
                if axes.len() == 1 { "is" } else { "are" }
            ),
        )
        .help("exchange slices and time by a topology that does, or declare other slices"),
        SwitchViolation::Dropped { axes } => Finding::new(
            &SWITCH_TOPOLOGY_MISMATCH,
            output.time.span,
            format!(
                "a part of {} is in neither the slices nor the time of the output; a switch passes on all that enters it",
                quoted_names(axes)
            ),
        )
        .help("let the whole axis move into time, and read a part of it from there"),
        SwitchViolation::Topology { part } => word_topology(of, derived, *part),
        SwitchViolation::NotInnermost { moved } => propose_time(
            Finding::new(
                &SWITCH_NOT_INNERMOST,
                output.time.span,
                format!(
                    "the slices' {} moved into time and {} not innermost there: the packets of one step arrive back to back",
                    quoted_names(moved),
                    if moved.len() == 1 { "is" } else { "are" },
                ),
            ),
            stage,
            derived.expected.as_ref(),
        ),
        SwitchViolation::Order { moved } => propose_time(
            Finding::new(
                &SWITCH_ORDER,
                output.time.span,
                format!(
                    "{} moved from slices into time in another order: the routers keep the order of the slices",
                    quoted_names(moved),
                ),
            ),
            stage,
            derived.expected.as_ref(),
        ),
        SwitchViolation::RingTooSmall { ring_size, least } => {
            let place = parameter_span(stage, SwitchParameter::RingSize).unwrap_or(stage.span);
            Finding::new(
                &SWITCH_RING_TOO_SMALL,
                place,
                format!("a ring of {ring_size} slices does not reach all slices that exchange data: {least} do"),
            )
            .alternatives("the smallest valid ring is ", [Alternative::text(place, *least)])
            .fix(
                Applicability::Machine,
                format!("Make the ring {}", counted(*least, "slice")),
                place,
                *least,
            )
        }
        SwitchViolation::RingTooLarge { ring_size, least } => {
            let place = parameter_span(stage, SwitchParameter::RingSize).unwrap_or(stage.span);
            Finding::new(
                &SWITCH_RING_TOO_LARGE,
                place,
                format!("a ring of {}, and the data needs one of {}: the library takes no other size", counted(*ring_size, "slice"), counted(*least, "slice")),
            )
            .fix(
                Applicability::Machine,
                format!("Make the ring {}", counted(*least, "slice")),
                place,
                *least,
            )
        }
    }
}

fn word_topology(of: &StageOf<'_>, derived: &SwitchDerivation, part: SwitchPart) -> Finding {
    let stage = of.stage;
    let (declared, what) = match part {
        SwitchPart::Slice => (&stage.output.slice, "slices"),
        SwitchPart::Time => (&stage.output.time, "time"),
    };
    let shown =
        |mapping: &Written<Mapping>| mapping.get().map_or_else(String::new, mapping_macro_text);
    let name = topology_name(of.pass, stage);
    let message = match &derived.expected {
        Some(expected) => {
            let expected = match part {
                SwitchPart::Slice => &expected.slice,
                SwitchPart::Time => &expected.time,
            };
            format!(
                "the {what} are declared `{}`; {name} makes `{}` of this input",
                shown(declared),
                mapping_macro_text(expected)
            )
        }
        None => format!(
            "the {what} are declared `{}`, which {name} does not make of this input",
            shown(declared)
        ),
    };
    let message = if part == SwitchPart::Time {
        message.replacen("time are", "time is", 1)
    } else {
        message
    };
    let mut finding = with_shape(
        Finding::new(&SWITCH_TOPOLOGY_MISMATCH, declared.span, message),
        derived.expected.as_ref(),
    );
    if let Some(SwitchShape { slice, time }) = &derived.expected {
        let replacement = match part {
            SwitchPart::Slice => slice,
            SwitchPart::Time => time,
        };
        finding = propose_instead(
            finding,
            Applicability::Maybe,
            stage.span,
            &[(declared, replacement)],
        );
    }
    finding
}

fn word_parameter(
    pass: &Pass,
    stage: &Stage,
    input: &StreamShape,
    violation: &SwitchViolation,
) -> Finding {
    let at = |which| parameter_span(stage, which).unwrap_or(stage.span);
    let finding = |place, message: String| Finding::new(&SWITCH_PARAMETERS, place, message);
    match *violation {
        SwitchViolation::ZeroParameter { parameter: which } => {
            let message = format!(
                "`{}` is 0; every part has at least one position",
                pass.library().words.switch_field(which)
            );
            let possible = zero_alternatives(stage, input, which);
            let place = at(which);
            finding(place, message)
                .help("give every part as many positions as it has")
                .alternatives("it can be ", number_alternatives(stage, place, possible))
        }
        SwitchViolation::RingSize { ring_size } => {
            let message = format!(
                "a ring of {ring_size} slices cannot close; rings are a power of two up to {}",
                pass.machine.slices
            );
            let near: Vec<u64> = pass.machine.rings().collect();
            let below = near.iter().rev().find(|&&size| size < ring_size);
            let above = near.iter().find(|&&size| size > ring_size);
            let place = at(SwitchParameter::RingSize);
            let near = [below, above].into_iter().flatten().copied();
            finding(place, message)
                .help("take the ring that the slices need which exchange data")
                .alternatives(
                    "the nearest rings are ",
                    number_alternatives(stage, place, near),
                )
        }
        SwitchViolation::SliceIndivisible {
            slice1,
            slice0,
            slices,
        } => {
            let place = at(SwitchParameter::Slice1);
            finding(
                place,
                format!("`slice1 * slice0` is {slice1} * {slice0}, which does not divide the {slices} slices"),
            )
            .help("take parts whose product divides the slices")
            .alternatives("with the other part as it is, this one can be ", number_alternatives(stage, place, first_divisors(slices, slice0)))
        }
        SwitchViolation::TimeIndivisible {
            slice1,
            time0,
            time,
        } => {
            let (product, fixed) = match slice1 {
                Some(slice1) => (
                    format!("`slice1 * time0` is {slice1} * {time0}, which"),
                    slice1,
                ),
                None => (format!("`time0` is {time0}, which"), 1),
            };
            let place = at(SwitchParameter::Time0);
            finding(
                place,
                format!("{product} does not divide the {time} iterations of the input"),
            )
            .help("take parts whose product divides the iterations")
            .alternatives(
                "it can be ",
                number_alternatives(stage, place, first_divisors(time, fixed)),
            )
        }
        _ => finding(stage.span, String::new()),
    }
}

/// Numbers that may be at a place; none where it is the method's.
fn number_alternatives(
    stage: &Stage,
    place: Span,
    numbers: impl IntoIterator<Item = u64>,
) -> impl Iterator<Item = Alternative> {
    let numbers = numbers.into_iter().filter(move |_| place != stage.span);
    numbers.map(move |number| Alternative::text(place, number))
}

/// What a parameter that is 0 can be with the others as they are; empty where an input is unknown.
fn zero_alternatives(stage: &Stage, input: &StreamShape, which: SwitchParameter) -> Vec<u64> {
    let size = |mapping: &Written<Mapping>| mapping.get().map(Mapping::size);
    let value = |which| parameter_value(stage, which).unwrap_or(1).max(1);
    let found =
        match which {
            SwitchParameter::RingSize => {
                return (0..=8_u32).map(|power| 1 << power).collect();
            }
            SwitchParameter::Slice1 => size(&input.slice)
                .map(|slices| first_divisors(slices, value(SwitchParameter::Slice0))),
            SwitchParameter::Slice0 => size(&input.slice)
                .map(|slices| first_divisors(slices, value(SwitchParameter::Slice1))),
            SwitchParameter::Time0 => size(&input.time).map(|time| {
                let exchanged = match &stage.kind {
                    StageKind::Switch(config)
                        if matches!(config.get(), Some(SwitchConfig::InterTranspose { .. })) =>
                    {
                        value(SwitchParameter::Slice1)
                    }
                    _ => 1,
                };
                first_divisors(time, exchanged)
            }),
        };
    found.unwrap_or_default()
}

/// The first few divisors of `size / fixed`; empty if `fixed` does not divide `size`.
fn first_divisors(size: u64, fixed: u64) -> Vec<u64> {
    if fixed == 0 || !size.is_multiple_of(fixed) {
        return Vec::new();
    }
    let rest = size / fixed;
    (1..=rest.min(MOST_DIVISORS))
        .filter(|candidate| rest.is_multiple_of(*candidate))
        .collect()
}

fn with_shape(finding: Finding, shape: Option<&SwitchShape>) -> Finding {
    match shape {
        Some(SwitchShape { slice, time }) => finding.note(format!(
            "the topology makes: Slice `{}`, Time `{}`",
            mapping_macro_text(slice),
            mapping_macro_text(time)
        )),
        None => finding,
    }
}

fn propose_time(finding: Finding, stage: &Stage, shape: Option<&SwitchShape>) -> Finding {
    let Some(shape) = shape else {
        return finding;
    };
    let replaced = at_uses(&[(&stage.output.time, &shape.time)]);
    let words = ("the ring makes ", "{} of the time");
    finding.suggest(words, Applicability::Maybe, stage.span, &replaced)
}

fn topology_name(pass: &Pass, stage: &Stage) -> &'static str {
    let StageKind::Switch(Written {
        value: Some(config),
        ..
    }) = &stage.kind
    else {
        return "the topology";
    };
    match config.topology() {
        SwitchTopology::CustomBroadcast => "a custom ring",
        topology => {
            let word = pass.library().words.switch_of(topology);
            word.map_or("the topology", |word| word.name)
        }
    }
}

/// Where a parameter of a stage's configuration is written.
fn parameter_span(stage: &Stage, which: SwitchParameter) -> Option<Span> {
    written_parameter(stage, which).map(|written| written.span)
}

/// The value of a parameter.
fn parameter_value(stage: &Stage, which: SwitchParameter) -> Option<u64> {
    written_parameter(stage, which)?.get().copied()
}

fn written_parameter(stage: &Stage, which: SwitchParameter) -> Option<&Written<u64>> {
    match &stage.kind {
        StageKind::Switch(config) => config.get()?.parameter(which),
        _ => None,
    }
}
