//! Rules of planned transfers: redistributions between chips and clusters, gathers, scatters; and of views with other padding.

use crate::derivation::plans::{
    IndexFault, LayoutFault, PatternFault, PlanFault, PlanViolation, RegionFault, RowsFault,
    derive_plans,
};
use crate::hardware::DMA_ALIGNMENT_BYTES;
use crate::kernel::Level;
use crate::mapping::Mapping;

use super::dma::DMA_ALIGNMENT;
use super::tensors::SPM_CAPACITY;
use super::wording::mapping_macro_text;
use super::{Alternative, Checked, Finding, Rule, rule, words};

pub(crate) static SLICE_PATTERN: Rule = rule!(
    "slice_pattern",
    Hardware,
    Dma,
    "library",
    "a redistribution whose pattern does not say for each chip or cluster what it takes",
    "A redistribution moves whole clusters between chips and clusters, or lets each of them take one value of an \
     axis. Its pattern has one number for each chip or cluster that takes data. For a shuffle this is an existing \
     source, and no source twice, so that nothing is lost. For a slice it is a value of the axis, padding included. A \
     chip or cluster with data takes from one with data: the place that padding names holds nothing.",
    alt;
    holds: Holds::SUCCESSOR.since(8),
    refused: Refusal::since(8),
);

pub(crate) static SLICE_LAYOUT: Rule = rule!(
    "slice_layout",
    Hardware,
    Dma,
    "library",
    "a slice of a redistribution takes an axis that is not one run of the element, or declares something else than what is left",
    "To take one value of an axis is to start at another place and to leave out one loop. So the whole axis is one \
     run of the element, at one stride. The result is the element without it, with every padding in its old place. An \
     axis that a step before has taken is not there any more. The slice that runs through the sub context copies one \
     piece of memory. Its axis is the outermost one, and no hole may be below it.",
    alt;
    holds: Holds::SUCCESSOR.since(8),
    refused: Refusal::since(8),
);

pub(crate) static GATHER_MAPPING: Rule = rule!(
    "gather_mapping",
    Hardware,
    Dma,
    "library",
    "a gather whose rows, list and target do not fit each other",
    "A gather reads one row of a table in the HBM for each index of a list. The axis that the indices count is one \
     run of the table's element. The row is the element without it, padding included. The target holds each row once \
     for each position of the list, in any order, and nothing else. It writes no copies: an axis or a repetition that \
     neither the row nor the list has stays unwritten.",
    alt;
    holds: Holds::SUCCESSOR.since(9),
    refused: Refusal::since(9),
);

pub(crate) static SCATTER_MAPPING: Rule = rule!(
    "scatter_mapping",
    Hardware,
    Dma,
    "library",
    "a scatter whose updates, list and destination do not fit each other",
    "A scatter writes one row of a tensor in the HBM for each index of a list. The axis that the indices count is one \
     run of the destination's element. The row is what is left of it. The updates in the slices are rows and \
     positions of the list, nothing that no row sends. Without an axis to count, all rows would go to the same place.",
    alt;
    holds: Holds::SUCCESSOR.since(9),
    refused: Refusal::since(9),
);

pub(crate) static SPM_INDEX_PLACEMENT: Rule = rule!(
    "spm_index_placement",
    Hardware,
    Dma,
    "library",
    "a list of indices that the DMA engine cannot read from where it is",
    "The list that a gather or scatter follows is read position by position, so it has an index at each: no padding. \
     A list in the scratchpad is read from the first processing element of a cluster, and the others hold none of it. \
     No engine reads the list of another chip. Each chip has its own part, spread like the data, or all have the same \
     list.",
    alt;
    holds: Holds::SUCCESSOR.since(9),
    refused: Refusal::since(9),
);

pub(crate) static PAD_VIEW: Rule = rule!(
    "pad_view",
    Hardware,
    Memory,
    "library",
    "a view with other padding differs in more than one padding after everything else",
    "A view moves nothing. Padding after all elements of a slice can be named or left unnamed without any of them \
     changing place. Padding further inside cannot, since everything outside of it would be elsewhere. So the wider \
     one of the two mappings is the narrower one with a single padding (`#`) around all of it. Padding inside is \
     changed by a pass or a transfer.",
    alt;
    holds: Holds::SUCCESSOR.since(6),
    refused: Refusal::since(6),
);

/// The family's rules.
pub(super) const RULES: &[&Rule] = &[
    &SLICE_PATTERN,
    &SLICE_LAYOUT,
    &GATHER_MAPPING,
    &SCATTER_MAPPING,
    &SPM_INDEX_PLACEMENT,
    &PAD_VIEW,
];

/// Turns what the plans of a body cannot do into findings.
pub(super) fn check_plans(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    findings.extend(derive_plans(checked.body).iter().map(to_finding));
}

fn to_finding(violation: &PlanViolation) -> Finding {
    match &violation.fault {
        PlanFault::Layout(fault) => word_layout(violation, fault),
        PlanFault::Pattern(fault) => word_pattern(violation, fault),
        PlanFault::Gather(fault) => word_rows(&GATHER_MAPPING, violation, fault),
        PlanFault::Scatter(fault) => word_rows(&SCATTER_MAPPING, violation, fault),
        PlanFault::Index(fault) => index(violation, fault),
        PlanFault::IndexSize { bytes, capacity } => Finding::new(
            &SPM_CAPACITY,
            violation.span,
            format!(
                "the list of indices takes {}; the scratchpad that it is read from has {}",
                words::bytes_text(*bytes),
                words::bytes_text(*capacity)
            ),
        )
        .help("hold the list in the HBM as byte offsets, or fetch the rows by several shorter lists"),
        PlanFault::Stride { axis, bits } => Finding::new(
            &DMA_ALIGNMENT,
            violation.span,
            format!(
                "the values of `{}` are {} apart; what is written to DM starts at a multiple of {DMA_ALIGNMENT_BYTES} bytes",
                mapping_macro_text(axis),
                super::sequencer::bits_as_bytes(*bits)
            ),
        )
        .help("hold at least 8 bytes of other elements inside of the axis"),
        PlanFault::Tail { elements, bits } => {
            let run = match elements {
                1 => "one element".to_owned(),
                _ => format!("{elements} elements"),
            };
            Finding::new(
                &DMA_ALIGNMENT,
                violation.span,
                format!(
                    "a row and the target share a contiguous run of {run}, {}; what is written to DM is a multiple of \
                     {DMA_ALIGNMENT_BYTES} bytes",
                    super::sequencer::bits_as_bytes(*bits)
                ),
            )
            .help("keep at least 8 bytes of the row together, or pad it in the target")
        }
        PlanFault::Narrower {
            widens,
            before,
            after,
        } => {
            let message = if *widens {
                format!("the view with more padding has {after} positions; what it is taken of has {before}")
            } else {
                format!("the view with less padding has {after} positions; what it is taken of has {before}")
            };
            Finding::new(&PAD_VIEW, violation.span, message)
                .help("ask for the view in the other direction, or move the elements")
        }
        PlanFault::Padding {
            widens,
            expected,
            found,
        } => word_padding(violation, *widens, expected, found),
    }
}

fn word_padding(
    violation: &PlanViolation,
    widens: bool,
    expected: &Mapping,
    found: &Mapping,
) -> Finding {
    let (wide, narrow) = (mapping_macro_text(found), mapping_macro_text(expected));
    if widens {
        let message = format!(
            "`{wide}` is not the view's elements with one padding after them, which are `{narrow}`"
        );
        return with_mapping(
            Finding::new(&PAD_VIEW, violation.span, message),
            violation,
            "padded after everything it is ",
            expected,
        );
    }
    let message =
        format!("with one padding after them these elements are `{narrow}`; the view has `{wide}`");
    Finding::new(&PAD_VIEW, violation.span, message)
        .help("leave out the outermost padding alone; what is further inside stays where it is")
}

/// Why an axis is not one run of a mapping.
fn run(axis: &Mapping, whole: &Mapping, fault: RegionFault) -> String {
    let (axis, whole) = (mapping_macro_text(axis), mapping_macro_text(whole));
    match fault {
        RegionFault::Absent => format!("`{axis}` is not part of `{whole}`"),
        RegionFault::Scattered => format!("`{axis}` is not one run of one stride in `{whole}`"),
        RegionFault::Mixed => format!("`{axis}` cannot be taken out of `{whole}` as one region"),
    }
}

fn word_layout(violation: &PlanViolation, fault: &LayoutFault) -> Finding {
    let finding = |message: String| Finding::new(&SLICE_LAYOUT, violation.span, message);
    match fault {
        LayoutFault::Axis {
            axis,
            element,
            fault,
        } => finding(run(axis, element, *fault))
            .help("take an axis of the element, or neighbouring parts of it in their order"),
        LayoutFault::Overlap { axis, element } => finding(format!(
            "`{}` is in `{}`, and an earlier step of the plan has taken it or a part of it",
            mapping_macro_text(axis),
            mapping_macro_text(element)
        ))
        .help("take each part of the element once"),
        LayoutFault::NotOutermost { axis, outer } => finding(format!(
            "`{}` is not the outermost axis of the element: `{}` is outside of it",
            mapping_macro_text(axis),
            mapping_macro_text(outer)
        ))
        .help("take the outermost axis, or plan a transfer by the DMA engine, which takes any"),
        LayoutFault::Hole { inner } => finding(format!(
            "`{}` below the axis has padding that must not be written",
            mapping_macro_text(inner)
        ))
        .help("take the slice of the whole tensor"),
        LayoutFault::Output {
            expected,
            declared,
            axis,
        } => {
            let message = match axis {
                Some(axis) => format!(
                    "without `{}` the element is `{}`, not `{}`",
                    mapping_macro_text(axis),
                    mapping_macro_text(expected),
                    mapping_macro_text(declared)
                ),
                None => format!(
                    "the plan leaves `{}`, and its result is declared as `{}`",
                    mapping_macro_text(expected),
                    mapping_macro_text(declared)
                ),
            };
            with_mapping(finding(message), violation, "declare ", expected)
        }
    }
}

/// States a mapping to write at the place of a violation.
fn with_mapping(
    finding: Finding,
    violation: &PlanViolation,
    lead: &'static str,
    mapping: &Mapping,
) -> Finding {
    if violation.span == violation.method {
        return finding.help(format!("it is `{}`", mapping_macro_text(mapping)));
    }
    finding.alternatives(lead, [Alternative::text(violation.span, mapping)])
}

fn part_words(level: Level) -> (&'static str, &'static str) {
    match level {
        Level::Chip => ("chip", "chips"),
        _ => ("cluster", "clusters"),
    }
}

fn word_pattern(violation: &PlanViolation, fault: &PatternFault) -> Finding {
    let finding = |message: String| Finding::new(&SLICE_PATTERN, violation.span, message);
    match fault {
        PatternFault::Count {
            level,
            given,
            parts: count,
        } => {
            let (one, several) = part_words(*level);
            let size = if *count == 1 {
                format!("1 {one}")
            } else {
                format!("{count} {several}")
            };
            finding(format!(
                "the pattern has {given} {}; there {} {size}",
                if *given == 1 { "number" } else { "numbers" },
                if *count == 1 { "is" } else { "are" }
            ))
            .help(format!("write one number for each {one}"))
        }
        PatternFault::Value {
            value,
            part,
            level,
            axis,
        } => {
            let (one, _) = part_words(*level);
            finding(format!(
                "{one} {part} takes value {value} of `{}`, which has {}, counted from 0",
                mapping_macro_text(axis),
                axis.size()
            ))
            .help("take values that the axis has")
        }
        PatternFault::Source {
            source,
            part,
            level,
            parts: count,
        } => {
            let (one, several) = part_words(*level);
            let exist = if *count == 1 { one } else { several };
            finding(format!(
                "{one} {part} takes from {one} {source}; there are {count} {exist}, counted from 0"
            ))
            .help("name each of them once")
        }
        PatternFault::Repeated { source, level } => {
            let (one, several) = part_words(*level);
            finding(format!(
                "two {several} take from {one} {source}, so the data of another one is lost"
            ))
            .help("name each of them once: a shuffle is a permutation")
        }
        PatternFault::Clusters { clusters } => finding(format!(
            "a swap of clusters takes two of them; the tensor's level of clusters has {clusters}"
        ))
        .help("leave it out where a kernel runs on one cluster"),
        PatternFault::Padded { target, source } => finding(format!(
            "chip {}, cluster {} holds data and takes from chip {}, cluster {}, which holds padding",
            target.0, target.1, source.0, source.1
        ))
        .help("spread the tensor over all chips and clusters that take part, or leave these where they are"),
    }
}

fn word_rows(rule: &'static Rule, violation: &PlanViolation, fault: &RowsFault) -> Finding {
    let finding = |message: String| Finding::new(rule, violation.span, message);
    match fault {
        RowsFault::NoAxis => {
            finding("the indices count no axis, so that all rows go to one place".to_owned())
                .help("name the axis of the destination that the indices count")
        }
        RowsFault::Axis {
            axis,
            element,
            fault,
        } => finding(run(axis, element, *fault)).help(
            "count an axis of the tensor in the HBM, or neighbouring parts of it in their order",
        ),
        RowsFault::Payload { expected, declared } => with_mapping(
            finding(format!(
                "without the counted axis a row is `{}`, not `{}`",
                mapping_macro_text(expected),
                mapping_macro_text(declared)
            )),
            violation,
            "declare ",
            expected,
        ),
        RowsFault::Domain { expected, declared } => with_mapping(
            finding(format!(
                "the list of indices runs over `{}`, not over `{}`",
                mapping_macro_text(expected),
                mapping_macro_text(declared)
            )),
            violation,
            "declare ",
            expected,
        ),
        RowsFault::Elements {
            tensor,
            rows,
            axis,
            in_tensor,
        } => {
            let (tensor, rows) = (mapping_macro_text(tensor), mapping_macro_text(rows));
            let message = match (axis, in_tensor) {
                (Some(axis), true) => format!(
                    "the rows are `{rows}` altogether; the tensor in the slices, `{tensor}`, has no `{axis}` to hold them"
                ),
                (Some(axis), false) => format!(
                    "the tensor in the slices is `{tensor}`; the rows, `{rows}` altogether, have no `{axis}`"
                ),
                (None, true) => format!(
                    "the rows are `{rows}` altogether; the tensor in the slices, `{tensor}`, does not hold all of them"
                ),
                (None, false) => format!(
                    "the tensor in the slices is `{tensor}`; the rows, `{rows}` altogether, do not have all of it"
                ),
            };
            finding(message).help("let clusters, slices and element hold row and list, each once")
        }
        RowsFault::Copies { count } => finding(format!(
            "the target holds {count} copies of each row, and a gather writes one"
        ))
        .help("write idle clusters and slices as padding, and make copies by a pass afterwards"),
    }
}

fn index(violation: &PlanViolation, fault: &IndexFault) -> Finding {
    let finding = |message: String| Finding::new(&SPM_INDEX_PLACEMENT, violation.span, message);
    match fault {
        IndexFault::Padding { list } => finding(format!(
            "the list of indices, `{}`, has padding, where there is no index",
            mapping_macro_text(list)
        ))
        .help("hold an index at each position of the list"),
        IndexFault::Pe { found, expected } => with_mapping(
            finding(format!(
                "the list of indices is on processing elements `{}`; it is read from the first one alone",
                mapping_macro_text(found)
            )),
            violation,
            "write ",
            expected,
        ),
        IndexFault::Chip { index, data } => with_mapping(
            finding(format!(
                "the list of indices is on chips `{}`, the data on `{}`, and no chip reads the list of another",
                mapping_macro_text(index),
                mapping_macro_text(data)
            )),
            violation,
            "spread it like the data: ",
            data,
        ),
    }
}
