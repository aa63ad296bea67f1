//! How tensors are placed: the grid of the kernel, counts of slices, processing elements, sizes that a change of type keeps, and
//! tensors that are read before anything wrote them.

use crate::derivation::placement::{
    ClusterSplit, GridViolation, LiveCount, PeViolation, SizeChange, UnwrittenRead, cluster_splits,
    grid_violations, live_counts, processing_elements, size_changes, unwritten_reads,
};
use crate::items::Span;
use crate::kernel::{Body, Level, Tier};
use crate::numbers::thousands;

use super::memory::TENSOR_LOST;
use super::wording::mapping_macro_text;
use super::{Alternative, Applicability, Checked, Edit, Finding, Fix, Rule, rule, words};

pub(crate) static DEVICE_GRID: Rule = rule!(
    "device_grid",
    Hardware,
    Memory,
    "library",
    "the cluster or slice level of a tensor is not the grid of the processing elements that the kernel runs on",
    "The attribute of a kernel gives the number of processing elements of a chip. The default is `pe = 8`, all of \
     them. Each has 64 slices, and four of them are a cluster. 1, 2 and 4 are one cluster of 64, 128 and 256 slices, \
     and 8 are two of 256. A command runs on the whole grid, so that every tensor of the kernel has its size. Slices \
     without data are written as padding, `1 # n`. The library compares neither, and the compiler refuses the kernel.",
    fix,
    alt;
    holds: Holds::SUCCESSOR.since(3),
    refused: Refusal::BY_COMPILER,
);

pub(crate) static LIVE_SLICE_COUNT: Rule = Rule {
    level: Some(super::Level::Deny),
    ..rule!(
        "live_slice_count",
        Toolchain,
        Memory,
        "library",
        "an axis is spread over a number of slices that is not a power of two",
        "A level of slices may have padding in place: 7 of 8 slices hold a part of an axis and the last one nothing. The library takes \
         that, and a run without the hardware computes it. The compiler cuts the level at powers of two only, and ends \
         with an internal error that names neither line nor tensor. Padding without an axis, `1 # n`, is fine wherever it is. \
         Spread the axis over a power of two of slices that divides it, and hold the rest in the element.";
        holds: Holds::SUCCESSOR,
        refused: Refusal::BY_COMPILER,
    )
};

pub(crate) static SPM_PE_SIZE: Rule = rule!(
    "spm_pe_size",
    Hardware,
    Memory,
    "library",
    "the level of processing elements of a tensor in the scratchpad is not as many as there are",
    "Each processing element has a scratchpad of its own, which its 64 slices share. A tensor there has a level of \
     processing elements instead of slices, with 1, 2 or 4 for a cluster. A transfer between the scratchpad and \
     slices connects each processing element with its own slices. 256 slices belong to 4.";
    holds: Holds::SUCCESSOR.since(9),
    refused: Refusal::since(9),
);

pub(crate) static RESHAPE_SIZE: Rule = Rule {
    // What has another size is another tensor, too.
    implies: &[&TENSOR_LOST],
    ..rule!(
        "reshape_size",
        Hardware,
        Memory,
        "library",
        "a change of a tensor's type changes the size of a level",
        "A change of type moves nothing: each chip, cluster and slice keeps the bytes that it has, under other names. So \
         each level has as many positions after it as before; padding counts. The same holds for a transfer within a \
         slice, from one view of the data memory into another, and for a stream that is committed into a view. What has \
         to change slices goes through a transfer of the whole tensor or through the Switch Engine. The axis that tells \
         the two clusters apart does not change either. The compiler can rename, pad or unpad the clusters, but nothing \
         else.";
        holds: Holds::SUCCESSOR.since(4),
        refused: Refusal::since(4),
    )
};

pub(crate) static UNINITIALIZED_READ: Rule = rule!(
    "uninitialized_read",
    Suspicious,
    Memory,
    "derived",
    "a new tensor is read before anything wrote it",
    "A new tensor is a place in memory and nothing more: it holds what the last user of the place left there. A run without the \
     hardware finds zeros or old bytes and does not complain, so that a test may pass by chance. Write the tensor first, in \
     all of its parts, or make it by the operation that fills it.";
    holds: Holds::SUCCESSOR.since(5),
);

/// The family's rules.
pub(super) const RULES: &[&Rule] = &[
    &DEVICE_GRID,
    &LIVE_SLICE_COUNT,
    &SPM_PE_SIZE,
    &RESHAPE_SIZE,
    &UNINITIALIZED_READ,
];

pub(super) fn check_placement(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    let body = checked.body;
    let off_grid = grid_violations(body);
    let attribute = fitting_attribute(body);
    findings.extend(
        off_grid
            .iter()
            .map(|fault| word_grid(fault, attribute.as_deref())),
    );
    findings.extend(live_counts(body).iter().map(word_count));
    findings.extend(processing_elements(body).iter().map(word_pe));
    findings.extend(size_changes(body).iter().map(word_change));
    findings.extend(cluster_splits(body).iter().map(word_split));
    let unwritten = unwritten_reads(body, &checked.derivation().memory);
    findings.extend(unwritten.iter().map(|read| word_read(body, read)));
}

const fn name_of(level: Level) -> &'static str {
    match level {
        Level::Chip => "chip",
        Level::Cluster => "cluster",
        Level::Slice => "slice",
        Level::Pe => "processing element",
        Level::Row => "row",
        Level::Element => "element",
        Level::Time => "time",
        Level::Packet => "packet",
    }
}

/// The argument of the attribute that fits all tensors of a kernel, if one does.
fn fitting_attribute(body: &Body) -> Option<String> {
    let device = body.device.as_ref()?;
    let chips = device.chips?;
    let in_slices = body
        .tensors
        .iter()
        .filter(|tensor| matches!(tensor.tier, Tier::Dm | Tier::Trf | Tier::Vrf));
    let mut grids = in_slices.map(|tensor| {
        let cluster = tensor.levels.cluster.as_ref()?.value.as_ref()?.size();
        let slice = tensor.levels.slice.as_ref()?.value.as_ref()?.size();
        Some((cluster, slice))
    });
    let first = grids.next()??;
    if !grids.all(|grid| grid == Some(first)) {
        return None;
    }
    let pes = (1..=body.machine.pes()).find(|pes| body.machine.grid(*pes) == Some(first))?;
    Some(format!("chip = {chips}, pe = {pes}"))
}

fn word_grid(fault: &GridViolation, attribute: Option<&str>) -> Finding {
    let level = name_of(fault.level);
    let (size, expected, pes) = (fault.mapping.size(), fault.expected, fault.pes);
    let message = format!(
        "the {level} level has size {size}; on {pes} processing elements it has {expected}"
    );
    let says = if fault.written {
        format!("it is declared for {pes} processing elements here")
    } else {
        format!("no `pe` here, so the kernel has {pes} processing elements")
    };
    let finding = Finding::new(&DEVICE_GRID, fault.span, message).related(fault.attribute, says);
    let Some(attribute) = attribute else {
        return finding.help("write idle slices and clusters as padding, so that each level has the size of the grid");
    };
    let edit = Edit::new(fault.attribute, attribute.to_owned());
    let stated = Alternative {
        text: format!("`{attribute}`"),
        edits: vec![edit.clone()],
    };
    let mut finding = finding.alternatives(
        "if all of the kernel is meant for this grid, write ",
        [stated],
    );
    finding.fixes.push(Fix {
        title: format!("Write `{attribute}`"),
        applicability: Applicability::Maybe,
        edits: vec![edit],
        cost: None,
    });
    finding
}

fn word_count(fault: &LiveCount) -> Finding {
    let (live, extent) = (fault.live, fault.extent);
    let what = match &fault.axis {
        Some((axis, _)) => format!("`{axis}` fills"),
        None => "a group of axes fills".to_owned(),
    };
    let message = format!(
        "{what} {live} of {extent} positions of the slices, and the compiler splits powers of two alone"
    );
    let finding = Finding::new(&LIVE_SLICE_COUNT, fault.span, message)
        .help("spread the axis over a count that is a power of two and divides it, and hold the rest in the element");
    match (&fault.axis, fault.counts.is_empty()) {
        (Some((axis, size)), false) => finding.note(format!(
            "counts that divide `{axis}` (size {}) and that the compiler splits: {}",
            thousands(*size),
            counts_list(&fault.counts)
        )),
        (Some((axis, size)), true) => finding.note(format!(
            "no power of two divides `{axis}` (size {}): pad the axis in the element",
            thousands(*size)
        )),
        (None, _) => finding,
    }
}

fn counts_list(counts: &[u64]) -> String {
    let counts: Vec<String> = counts.iter().map(u64::to_string).collect();
    counts.join(", ")
}

fn word_pe(fault: &PeViolation) -> Finding {
    let size = fault.size;
    let Some((slices, other)) = fault.slices else {
        let expected = words::listed_with_or(&fault.expected);
        let message = format!(
            "the level of processing elements has size {size}; a cluster's scratchpads are {expected}"
        );
        return Finding::new(&SPM_PE_SIZE, fault.span, message)
            .help("write one of the counts, and hold the rest in the element");
    };
    let expected = counts_list(&fault.expected);
    let message = format!(
        "the level of processing elements has size {size}; {slices} slices belong to {expected}"
    );
    Finding::new(&SPM_PE_SIZE, fault.span, message)
        .related(
            other,
            format!("the tensor on the other side has {slices} slices"),
        )
        .help("write as many processing elements as the slices belong to")
}

fn word_change(fault: &SizeChange) -> Finding {
    let level = name_of(fault.level);
    let (before, after) = (thousands(fault.before), thousands(fault.after));
    let message = format!(
        "the {level} level has {before} positions before and {after} after, and a change of type keeps them"
    );
    let finding = Finding::new(&RESHAPE_SIZE, fault.span, message)
        .help("write a mapping of as many positions, padding included");
    if fault.source == fault.span {
        finding
    } else {
        finding.related(fault.source, "what it was before")
    }
}

fn word_split(fault: &ClusterSplit) -> Finding {
    let (before, after) = (
        mapping_macro_text(&fault.before),
        mapping_macro_text(&fault.after),
    );
    let message = format!(
        "the clusters hold the halves of `{before}` and are declared to hold those of `{after}`; a change of type moves no data \
         between them"
    );
    Finding::new(&RESHAPE_SIZE, fault.span, message)
        .related(fault.source, "how the clusters were told apart before")
        .help("keep the axis of the clusters, or move the tensor by a transfer through HBM")
        .found_by_compiler()
}

fn word_read(body: &Body, read: &UnwrittenRead) -> Finding {
    let tensor = body.tensor(read.tensor);
    let name = tensor.and_then(|tensor| tensor.name.as_deref());
    let subject = name.map_or_else(|| "the tensor".to_owned(), |name| format!("`{name}`"));
    let made: Span = tensor.map_or(read.span, |tensor| tensor.span);
    let message = format!("{subject} is read here, and nothing has written it before");
    Finding::new(&UNINITIALIZED_READ, read.span, message)
        .related(
            made,
            "it is made here, and holds what the place held before",
        )
        .help("write all of it first, or make it by the operation that fills it")
}
