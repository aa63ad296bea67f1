//! Rules of the family "tensors": sizes of the hierarchy's levels, capacities, alignment, tiles.

mod capacity;

use capacity::word_capacity;

use super::collectives;
use super::memory::with_nearest;
use super::{Alternative, Applicability, Cause, Checked, Finding, Group, Rule, rule, words};
use super::{resplit, rows};
use crate::commit::COMMIT_ALIGNMENT;
use crate::contraction::TRF_ROW_COUNT;
use crate::derivation::tensors::{
    AlignmentViolation, RowsViolation, SizeViolation, TensorsViolation, TileViolation,
};
use crate::dma::DMA_ALIGNMENT;
use crate::dma_performance::{HBM_MISALIGNED_READ, HBM_PARTIAL_WRITE};
use crate::items::Span;
use crate::kernel::Level;

pub(crate) static TILE_MISMATCH: Rule = rule!(
    "tile_mismatch",
    Hardware,
    Mappings,
    "Resize",
    "a tile declares another mapping than the part that it selects",
    "A tile is a view: it moves no data, so every element stays where it is in the tensor's memory. The mapping of \
     the tile is therefore the tensor's with the tiled index cut down to the chosen length and padded back to its old \
     extent. The values that are not selected are a hole. With a hole of another width every step over it lands at a \
     wrong address. Collectives tile too. A shuffle goes through a level part by part, a parallel copy through the \
     values of an index, a scatter through those of its key.",
    fix;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static TILE_OUT_OF_BOUNDS: Rule = Rule {
    // Tiles that start on padding: a run without the hardware stops there.
    lesser: Some(Group::Suspicious),
    ..rule!(
        "tile_out_of_bounds",
        Hardware,
        Mappings,
        "Resize",
        "a tile ends past the last value of its index",
        "The start of a tile counts in values of the index, and nothing checks it at run time. A tile that begins too \
         late reads and writes the bytes after the tensor. With the index innermost these belong to the next step, else \
         to any other tensor. A start on the index's own padding names no value at all.";
        refused: Refusal::since(10),
    )
};

pub(crate) static CHIP_SIZE: Rule = rule!(
    "chip_size",
    Hardware,
    Memory,
    "Size Constraint",
    "the chip level has another size than the kernel has chips",
    "A kernel runs on whole chips, as many as its `#[device]` attribute asks for, and every tensor says what each of \
     them holds. The size of the chip level, padding included, is therefore that number. A kernel that needs fewer \
     chips for a tensor pads the level (`1 # 4`). A kernel that needs more asks for them in the attribute.",
    fix;
    refused: Refusal::BY_COMPILER,
);

pub(crate) static CLUSTER_SIZE: Rule = rule!(
    "cluster_size",
    Hardware,
    Memory,
    "Size Constraint",
    "the cluster level has another size than the release takes: 2, later 1 or 2",
    "Every chip has two clusters, and both run the same commands; a tensor cannot leave one of them out. \
     A kernel that needs only one pads the level: `1 # 2` puts the data into the first cluster and leaves \
     the second one idle. An axis of two, or a factor of two of a larger one, puts both to work.",
    fix;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static SLICE_SIZE: Rule = rule!(
    "slice_size",
    Hardware,
    Memory,
    "Size Constraint",
    "the slice level has another size than the release takes: 256, later 64, 128 or 256",
    "A cluster has 256 slices, and a command runs on all of them at once. Slices without data are padding, so the \
     size of the level is always 256: `X / n # 256`. Where the level is larger, a factor of it belongs into the \
     element level. Where it is smaller, either the padding is missing or a factor of the element can be spread over \
     slices that are idle.",
    fix,
    alt;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static ELEMENT_ALIGNMENT: Rule = Rule {
    implies: &[
        &COMMIT_ALIGNMENT,
        &DMA_ALIGNMENT,
        &HBM_MISALIGNED_READ,
        &HBM_PARTIAL_WRITE,
    ],
    ..rule!(
        "element_alignment",
        Hardware,
        Memory,
        "Alignment Constraint",
        "an address that is not a multiple of the element's size",
        "Memories are read and written in whole elements. So the first element of a tensor starts at a multiple of its \
         size, and all others follow. A tensor that starts in the middle of an element's place would need two accesses \
         for each of them, which the sequencers do not make.",
        fix;
        holds: Holds::EVERYWHERE.until(5),
    )
};

pub(crate) static DM_CAPACITY: Rule = rule!(
    "dm_capacity",
    Hardware,
    Memory,
    "Size Constraint",
    "tensors do not fit the 512 KiB of data memory that a slice has",
    "A slice owns 512 KiB of data memory and sees no other slice's. The element level of a tensor, padding included, \
     is what each slice holds of it. Where authors write addresses, it has to end before the last byte. Where the \
     compiler chooses them, all tensors that are needed at the same time have to fit together, each from its making \
     to its last reader. Larger tensors are spread over more slices, or stay in HBM and are worked on in tiles.",
    alt;
    refused: Refusal::BY_COMPILER,
);

pub(crate) static TRF_CAPACITY: Rule = rule!(
    "trf_capacity",
    Hardware,
    Memory,
    "Size Constraint, TRF Address Modes",
    "tensors do not fit the tensor register file",
    "The register file of a slice has eight bank rows of 8 KiB, 64 KiB in all. An address may name one half of it. \
     Where the compiler chooses the place, all tensors that are needed at the same time have to fit together. Each \
     row of the tensor takes a bank row. With fewer than eight rows the others extend the ones in use, so what counts \
     is the product of rows and bytes a row.",
    alt;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static VRF_CAPACITY: Rule = rule!(
    "vrf_capacity",
    Hardware,
    Memory,
    "Size Constraint",
    "tensors do not fit the 8 KiB of vector register file that a slice has",
    "The Vector Engine reads its operands from 8 KiB of registers a slice. A tensor with an address has to end before \
     the last byte. All tensors that are needed at the same time have to fit together, in any placement. An operand \
     is needed from its load to the last operation that names it.",
    alt;
    refused: Refusal::since(6).else_compiler(),
);

pub(crate) static HBM_CAPACITY: Rule = rule!(
    "hbm_capacity",
    Hardware,
    Memory,
    "Memory",
    "a tensor does not fit the 48 GiB of HBM that a chip has, or ends past them",
    "The element level of an HBM tensor is what each chip holds, from its address on where one is written. An address \
     and a size that together reach past the last byte of the chip's 48 GiB name memory that does not exist. The \
     transfer that touches it stops the kernel.";
    refused: Refusal::BY_COMPILER,
);

pub(crate) static SPM_CAPACITY: Rule = rule!(
    "spm_capacity",
    Hardware,
    Memory,
    "library",
    "a tensor in the scratchpad is larger than the scratchpad of a processing element",
    "Each processing element has a scratchpad of 4 KiB, which holds what its controller reads: lists of indices and \
     single values. It is not a place for data that engines work on. If a list does not fit, read it from the HBM as \
     byte offsets, or fetch the rows in several transfers with shorter lists.",
    alt;
    holds: Holds::SUCCESSOR.since(4),
    refused: Refusal::since(9).else_compiler(),
);

/// The family's rules.
pub(super) const RULES: &[&Rule] = &[
    &TILE_MISMATCH,
    &TILE_OUT_OF_BOUNDS,
    &CHIP_SIZE,
    &CLUSTER_SIZE,
    &SLICE_SIZE,
    &ELEMENT_ALIGNMENT,
    &DM_CAPACITY,
    &TRF_CAPACITY,
    &VRF_CAPACITY,
    &HBM_CAPACITY,
    &SPM_CAPACITY,
];

/// Turns the violations of this family into findings.
pub(super) fn check_tensors(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    findings.extend(
        checked
            .derivation()
            .tensors
            .violations
            .iter()
            .map(|violation| match violation {
                TensorsViolation::Size(violation) => word_size(checked, violation),
                TensorsViolation::Alignment(violation) => word_alignment(checked, violation),
                TensorsViolation::Capacity(violation) => word_capacity(checked, violation),
                TensorsViolation::Rows(RowsViolation { rows, span }) => Finding::new(
                    &TRF_ROW_COUNT,
                    *span,
                    format!(
                        "{rows} rows; the MAC array runs with {}",
                        words::listed_with_or(
                            &checked.body.machine.row_counts().collect::<Vec<_>>()
                        )
                    ),
                )
                .help("use fewer rows, and hold the rest of them in the element")
                .alternatives(
                    "write ",
                    rows::fewer_row_alternatives(checked.body, *span, *rows),
                ),
                TensorsViolation::Tile(violation) => word_tile(checked, violation),
                TensorsViolation::Parts(violation) => collectives::to_finding(violation),
            }),
    );
}

fn word_size(checked: &Checked<'_>, violation: &SizeViolation) -> Finding {
    let SizeViolation {
        level,
        mapping,
        expected,
        used,
        span,
        uses,
        attribute,
        fragment,
    } = violation;
    let size = mapping.size();
    let (rule, message) = match level {
        Level::Chip => (
            &CHIP_SIZE,
            format!(
                "the chip level has size {size}; the kernel runs on {expected} {}",
                if *expected == 1 { "chip" } else { "chips" }
            ),
        ),
        Level::Cluster => (
            &CLUSTER_SIZE,
            format!("the cluster level has size {size}; a chip has {expected} clusters"),
        ),
        _ => (
            &SLICE_SIZE,
            format!("the slice level has size {size}; a cluster has {expected} slices"),
        ),
    };
    let mut finding = Finding::new(rule, *span, message).caused_by(Cause::in_item(
        rule.name,
        format!("{mapping} for {expected}"),
    ));
    if *fragment {
        finding.group = Some(Group::Suspicious);
        finding = finding.note("no kernel reaches this function, so nothing runs it as it is");
    }
    for user in uses {
        finding = finding.related(*user, "it is used here");
    }
    if let Some(attribute) = attribute {
        finding = finding.related(*attribute, format!("declared for {expected} here"));
    }
    let padded = mapping
        .form()
        .remove_padding()
        .pad(*expected)
        .filter(|_| used <= expected);
    let split = (*level == Level::Slice)
        .then(|| resplit::over_all_slices(checked.body, *span))
        .flatten();
    // An alias of the chips may be right for other kernels: this one's count is its own.
    let shared = *level == Level::Chip && span.item != checked.body.span.item;
    match padded.map(|form| form.to_mapping()) {
        Some(padded) if !shared || attribute.is_none() => {
            // A chip count may as well be wrong in the attribute.
            let applicability = if *level == Level::Chip {
                Applicability::Maybe
            } else {
                Applicability::Machine
            };
            let verb = if size > *expected { "write" } else { "pad it:" };
            let padding = Alternative {
                text: format!("{verb} `m![{padded}]`"),
                ..Alternative::text(*span, &padded)
            };
            let finding = finding
                .alternatives("", [Some(padding), split].into_iter().flatten())
                .fix(
                    applicability,
                    format!("write `m![{padded}]`"),
                    *span,
                    &padded,
                );
            if *level == Level::Chip {
                with_chips(finding, (*expected, size), *attribute)
            } else {
                finding
            }
        }
        _ if *level == Level::Chip => {
            let finding = finding.help("give the kernel as many chips, or hold less on this level");
            with_chips(finding, (*expected, size), *attribute)
        }
        _ => finding
            .help("move a part of what it holds into the element level")
            .alternatives("", split),
    }
}

/// Proposes that the kernel runs on as many chips as the level has, where the attribute says nothing else.
fn with_chips(finding: Finding, (declared, chips): (u64, u64), attribute: Option<Span>) -> Finding {
    let alone = format!("chip = {declared}").len();
    match attribute {
        Some(place) if (place.end.saturating_sub(place.start)) as usize <= alone => {
            let text = format!("chip = {chips}");
            let mut finding = finding.fix(
                Applicability::Maybe,
                format!("run it on {chips} chips"),
                place,
                text.clone(),
            );
            let mut stated = Alternative::text(place, text);
            stated.text.push_str(" for the kernel");
            match &mut finding.alternatives {
                Some(alternatives) => alternatives.list.push(stated),
                None => finding = finding.alternatives("write ", [stated]),
            }
            finding
        }
        _ => finding,
    }
}

fn word_alignment(checked: &Checked<'_>, violation: &AlignmentViolation) -> Finding {
    let AlignmentViolation {
        address,
        element_type,
        element_bytes,
        span,
    } = violation;
    let finding = Finding::new(
        &ELEMENT_ALIGNMENT,
        *span,
        format!(
            "address {address:#x} is not a multiple of {element_bytes}, the bytes of an `{element_type}`"
        ),
    );
    with_nearest(checked, finding, *span, *element_bytes)
}

fn word_tile(checked: &Checked<'_>, violation: &TileViolation) -> Finding {
    match violation {
        TileViolation::Absent {
            index,
            tensor,
            span,
        } => Finding::new(
            &TILE_MISMATCH,
            *span,
            format!("the tiled index `{index}` is not part of the tensor's mapping `{tensor}`"),
        ),
        TileViolation::Scattered {
            index,
            within,
            span,
        } => Finding::new(
            &TILE_MISMATCH,
            *span,
            format!(
                "`{}` is not one run of one stride in `{}`",
                super::wording::mapping_macro_text(index),
                super::wording::mapping_macro_text(within)
            ),
        )
        .help("tile an axis of the level, or neighbouring parts of it in their order"),
        TileViolation::Span {
            index,
            within,
            stride,
            span,
        } => Finding::new(
            &TILE_MISMATCH,
            *span,
            format!(
                "`{}` has {} values at stride {stride}, which do not divide the {} positions of `{}`",
                super::wording::mapping_macro_text(index),
                index.size(),
                within.size(),
                super::wording::mapping_macro_text(within)
            ),
        )
        .help("tile by the index with the padding that follows it"),
        TileViolation::NoAxis {
            index,
            length,
            span,
        } => Finding::new(
            &TILE_OUT_OF_BOUNDS,
            *span,
            format!("the tile keeps {length} values of `{index}`, which has no axis and so one position alone"),
        )
        .help("name the axis that is tiled; one position of padding is a tile of length one"),
        TileViolation::Output {
            declared,
            expected,
            index,
            length,
            span,
            ..
        } => {
            let finding = Finding::new(
                &TILE_MISMATCH,
                *span,
                match expected {
                    Some(expected) => format!(
                        "the tile keeps {length} of the {} values of `{index}`, which leaves `{expected}`, not `{declared}`",
                        index.size()
                    ),
                    None => format!(
                        "the tile keeps {length} of the {} values of `{index}`, which does not leave `{declared}`",
                        index.size()
                    ),
                },
            );
            match expected {
                Some(expected) => finding
                    .alternatives(
                        "the mapping of the tile is ",
                        [Alternative::text(*span, expected)],
                    )
                    .fix(
                        checked.replacing(*span),
                        format!("declare what the tile leaves: `m![{expected}]`"),
                        *span,
                        expected,
                    ),
                None => finding,
            }
        }
        TileViolation::Empty { span } => {
            Finding::new(&TILE_MISMATCH, *span, "the tile keeps no value at all")
        }
        TileViolation::TooLong {
            index,
            length,
            span,
        } => Finding::new(
            &TILE_OUT_OF_BOUNDS,
            *span,
            format!(
                "the tile keeps {length} values of `{index}`, which has {}",
                index.size()
            ),
        ),
        TileViolation::StartsOnPadding {
            index,
            start,
            live,
            span,
        } => {
            let mut finding = Finding::new(
                &TILE_OUT_OF_BOUNDS,
                *span,
                format!(
                    "the tile starts at {start} of `{index}`, which has {live} values; what follows them is padding"
                ),
            );
            // A run without the hardware stops there; the compiler looks at ends alone.
            finding.group = Some(Group::Suspicious);
            finding.alternatives("the last start is ", [Alternative::text(*span, live - 1)])
        }
        TileViolation::OutOfBounds {
            index,
            start,
            length,
            in_loop,
            span,
        } => {
            let size = index.size();
            let run = if *in_loop { "in its last run " } else { "" };
            let values = match *length {
                1 => format!("value {start}"),
                _ => format!("the values {start} to {}", start.saturating_add(length - 1)),
            };
            Finding::new(
                &TILE_OUT_OF_BOUNDS,
                *span,
                format!(
                    "the tile {run}keeps {values} of `{index}`, which has {size}, counted from 0"
                ),
            )
            .alternatives(
                "the last start is ",
                [Alternative::text(*span, size - length)],
            )
        }
    }
}
