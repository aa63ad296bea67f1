//! Rules of the Valid Count Generator.

mod repairs;

use crate::derivation::valid_count::{
    COUNTERS, GATES, Placement, ReduceCounts, Refusal, SliceSteps,
};

use super::wording::{self, quoted_names};
use super::{Alternative, Checked, Finding, Rule, rule, words};

pub(super) use repairs::written_mappings;

pub(crate) static VCG_PACKET_NOT_INNERMOST: Rule = rule!(
    "vcg_packet_not_innermost",
    Hardware,
    Vector,
    "Valid Count Generator's Interface",
    "the reduced axis's part in the packet is not its innermost digit",
    "The generator counts the valid lanes of a flit from lane 0 on, and its count falls as the axis runs out over \
     time. With the innermost digit of the axis in the packet the last elements are the last lanes. With an outer \
     digit there, each lane runs out at its own time step, and the counters cannot make such a sequence.",
    fix;
    holds: Holds::BOOK,
);

pub(crate) static VCG_PACKET_SHARED: Rule = rule!(
    "vcg_packet_shared",
    Silent,
    Vector,
    "Valid Count Generator's Interface",
    "another axis shares the packet with a padded reduced axis",
    "A count of `n` means lanes 0 to `n - 1`, whatever they hold. If another axis is in the packet with the reduced \
     one, its elements are cut off or padding is included. The kernel runs, and the result is wrong.",
    alt;
    holds: Holds::BOOK,
);

pub(crate) static VCG_SLICE_PACKET: Rule = rule!(
    "vcg_slice_packet",
    Hardware,
    Vector,
    "Slice + Packet",
    "slices need different partial counts at one time step",
    "The packet count of a flit depends only on time. All slices get the same one, and a gate can only close a whole \
     slice. An axis over slice and packet whose last flit is partly filled needs two counts at once.",
    alt;
    holds: Holds::BOOK,
);

pub(crate) static VCG_SLICE_ORDER: Rule = rule!(
    "vcg_slice_order",
    Hardware,
    Vector,
    "How R Should Be Distributed",
    "the axis's parts in the slice do not ascend from inner to outer, or interleave with time",
    "A gate parts the slices by one threshold on their number: below it all time steps are valid, at it some, above \
     it none. That needs slices whose elements follow each other, and larger steps of the axis further out. The \
     axis's time steps are all inside or all outside its slices.",
    fix;
    holds: Holds::BOOK,
);

pub(crate) static VCG_TRANSPOSED_TIME: Rule = rule!(
    "vcg_transposed_time",
    Silent,
    Vector,
    "Slice + Time (Transposed)",
    "the inner part of the axis is in the slice, and time has more steps than the axis fills",
    "With the inner part in the slice, the slices below the threshold are taken to be valid at every time step. If \
     the axis is padded to more time steps than its last element needs, the steps beyond count padding as data. The \
     kernel runs, and the result is wrong.",
    fix;
    holds: Holds::BOOK,
);

pub(crate) static VCG_DIMENSIONS: Rule = rule!(
    "vcg_dimensions",
    Hardware,
    Vector,
    "What Patterns Are Expressible",
    "more counters, gates or packet counts are needed than the generator has",
    "The generator walks time with eight nested counters, counts lanes for one axis, and has three gates. The count \
     falls along each counter. Parts of the axis that are in time from the smallest outside to the largest inside \
     take one counter each, if the last element is between their ends. Other axes between two of them often take one \
     more. The finding is only where no eight counters of any lengths and strides give the counts.",
    alt;
    holds: Holds::BOOK,
);

/// The family's rules.
pub(super) const RULES: &[&Rule] = &[
    &VCG_PACKET_NOT_INNERMOST,
    &VCG_PACKET_SHARED,
    &VCG_SLICE_PACKET,
    &VCG_SLICE_ORDER,
    &VCG_TRANSPOSED_TIME,
    &VCG_DIMENSIONS,
];

/// Turns the violations of this family into findings.
pub(super) fn check_valid_count(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    for (pass, derived) in wording::judged_passes(checked) {
        for reduce in &derived.valid_counts.reduces {
            let Some(mut finding) = to_finding(reduce) else {
                continue;
            };
            if let Some(fix) = repairs::placement_fix(checked.body, pass, reduce) {
                let mut texts: Vec<&str> = Vec::new();
                for edit in &fix.edits {
                    if !texts.contains(&&*edit.text) {
                        texts.push(&edit.text);
                    }
                }
                let stated = Alternative {
                    text: words::names_in_code(&texts),
                    edits: fix.edits.clone(),
                };
                finding = finding.alternatives(
                    "place the same elements so that they can be counted: ",
                    [stated],
                );
                finding.fixes.push(fix);
            }
            findings.push(finding);
        }
    }
}

fn to_finding(reduce: &ReduceCounts) -> Option<Finding> {
    let Placement::Refused(refusal) = &reduce.placement else {
        return None;
    };
    let axis = &reduce.axis;
    let places = reduce.places;
    let finding = match refusal {
        Refusal::PacketNotInnermost { lane_stride, lanes } => Finding::new(
            &VCG_PACKET_NOT_INNERMOST,
            places.packet,
            format!("the {lanes} lanes of `{axis}` are {lane_stride} elements apart; the valid count needs neighbours from lane 0 on"),
        )
        .help(format!("put the innermost part of `{axis}` into the packet and the outer part into time")),
        Refusal::PacketShared { others } => Finding::new(
            &VCG_PACKET_SHARED,
            places.packet,
            format!("{} shares the packet with the padded axis `{axis}`; a valid count knows lanes, not axes", quoted_names(others)),
        )
        .help(format!("move {} to time or the slice, or let `{axis}` fill the packet", quoted_names(others))),
        Refusal::SlicePacket(conflict) => Finding::new(
            &VCG_SLICE_PACKET,
            places.packet,
            format!(
                "at time step {} slice {} needs a valid count of {} and slice {} one of {}; the count of a time step is the same in all slices",
                conflict.time,
                conflict.first_slice,
                conflict.first_count,
                conflict.second_slice,
                conflict.second_count
            ),
        )
        .help(format!("put the innermost part of `{axis}` into time instead of the packet, or use a size without padding")),
        Refusal::SliceOrder { strides, steps, time_steps } => Finding::new(
            &VCG_SLICE_ORDER,
            places.slice,
            format!(
                "the parts of `{axis}` in the slice step by {} elements from outer to inner; a gate needs strictly decreasing steps",
                strides_list(strides)
            ),
        )
        .note(needed_steps_text(steps, *time_steps))
        .help(format!("order the parts of `{axis}` in the slice from the largest step to the smallest")),
        Refusal::Interleaved { steps, time_steps } => Finding::new(
            &VCG_SLICE_ORDER,
            places.time,
            format!("parts of `{axis}` in time are on both sides of its part in the slice; one threshold cannot part the slices"),
        )
        .note(needed_steps_text(steps, *time_steps))
        .help(format!("put the outer part of `{axis}` into the slice and all of the inner part into time")),
        Refusal::TransposedTime { time_steps, needed, slice_size, padded } => Finding::new(
            &VCG_TRANSPOSED_TIME,
            places.time,
            format!(
                "`{axis}` has {time_steps} time steps and fills {needed}; with its inner part in the slice every step counts as data"
            ),
        )
        .note(format!("a padding of `{axis}` to {padded} = {needed} * {slice_size} has no such steps"))
        .help(format!("pad `{axis}` so that it fills every time step")),
        Refusal::Dimensions { gates, packets, counters } => {
            Finding::new(&VCG_DIMENSIONS, places.time, dimensions(axis, *gates, *packets, *counters))
                .help(format!("let the parts of `{axis}` in time touch each other"))
        }
    };
    let finding = finding.related(reduce.span, format!("`{axis}` is reduced here"));
    Some(finding)
}

fn dimensions(axis: &str, gates: usize, packets: usize, counters: usize) -> String {
    if counters > COUNTERS {
        format!(
            "the valid counts of `{axis}` need at least {counters} counters over time; the generator has {COUNTERS}"
        )
    } else if gates > GATES {
        format!("the valid counts need {gates} gates; the generator has {GATES}")
    } else if packets > 1 {
        format!("the valid counts need {packets} packet counts; the generator has one")
    } else {
        format!("the valid counts of `{axis}` need {gates} gates; the generator has one an axis")
    }
}

fn strides_list(strides: &[u64]) -> String {
    strides
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}

fn needed_steps_text(steps: &[SliceSteps], time_steps: u64) -> String {
    let shown: Vec<String> = steps
        .iter()
        .map(|slice| format!("slice {}: {}", slice.slice, slice.valid))
        .collect();
    format!(
        "time steps with data, of {time_steps}: {}",
        shown.join(", ")
    )
}
