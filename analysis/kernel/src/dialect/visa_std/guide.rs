//! Methods of tensors and contexts of the book's library in words, those that are written most first.

use crate::Tier;
use crate::dialect::common::guide::{
    CHIP, ELEMENT, INDEX, LENGTH, SOURCE, annotated_row, generic_part, guide_row, row_on_tier,
};
use crate::dialect::guide::{GuideRow, Part};

const SLICE: Part = generic_part("Slice2", "The slices of the result: 256.");
const CLUSTER: Part = generic_part("Cluster2", "The clusters of the result: 2.");

/// Methods of tensors and contexts; those of streams are worded by the catalogue.
pub(super) const GUIDE: &[GuideRow] = &[
    guide_row("view", "A shared view of the tensor.", &[]),
    guide_row("view_mut", "An exclusive view of the tensor.", &[]),
    guide_row(
        "begin",
        "Begins a pass over a tensor of the DM.",
        &[SOURCE, SOURCE, SOURCE, SOURCE, SOURCE],
    ),
    guide_row(
        "begin_interleaved",
        "Begins a pass over two tensors in turn.",
        &[
            generic_part("I", "The axis of size 2 that tells the tensors apart."),
            SOURCE,
            SOURCE,
            SOURCE,
            SOURCE,
            SOURCE,
        ],
    ),
    guide_row(
        "to_dm",
        "Copies to a new tensor in the DM.",
        &[CLUSTER, SLICE, ELEMENT],
    ),
    guide_row(
        "to_dm",
        "Copies to a new tensor in the DM of the same clusters.",
        &[SLICE, ELEMENT],
    ),
    row_on_tier(
        Tier::Host,
        annotated_row(
            "to_hbm",
            "Copies from the host to a new tensor in the HBM.",
            &[CHIP, ELEMENT],
        ),
    ),
    annotated_row("to_hbm", "Copies to a new tensor in the HBM.", &[ELEMENT]),
    annotated_row(
        "to_hbm",
        "Copies to a new tensor in the HBM.",
        &[
            generic_part("DMA", "Which DMA: follows from the argument."),
            ELEMENT,
        ],
    ),
    annotated_row("to_host", "Copies to a new tensor of the host.", &[ELEMENT]),
    guide_row(
        "tile",
        "The part of the view where the index has the values from `start` on.",
        &[INDEX, LENGTH, ELEMENT],
    ),
    guide_row(
        "slice_tile",
        "A part of the view along its slices.",
        &[INDEX, LENGTH, SLICE],
    ),
    guide_row(
        "cluster_tile",
        "A part of the view along its clusters.",
        &[INDEX, LENGTH, CLUSTER],
    ),
    guide_row(
        "chip_tile",
        "A part of the view along its chips.",
        &[INDEX, LENGTH, CHIP],
    ),
    annotated_row(
        "to_hbm_view",
        "Copies to a view of a tensor in the HBM.",
        &[SOURCE],
    ),
    annotated_row(
        "to_hbm_view",
        "Copies to a view of a tensor in the HBM.",
        &[
            generic_part("DMA", "Which DMA: follows from the argument."),
            SOURCE,
        ],
    ),
    annotated_row(
        "to_dm_view",
        "Copies to a view of a tensor in the DM.",
        &[SOURCE, SOURCE, SOURCE],
    ),
    annotated_row(
        "to_dm_view",
        "Copies to a view of a tensor in the DM of the same clusters.",
        &[SOURCE, SOURCE],
    ),
    annotated_row(
        "to_dm_view_pcopy",
        "Copies to a view of a tensor in the DM by the sub context.",
        &[SOURCE, SOURCE],
    ),
    annotated_row(
        "to_dm_pcopy",
        "Copies to a tensor in the DM by the sub context.",
        &[SOURCE, SOURCE],
    ),
    guide_row(
        "dma_gather",
        "Copies the rows that an index tensor names to a new tensor in the DM.",
        &[CLUSTER, SLICE, ELEMENT, SOURCE],
    ),
    guide_row(
        "dma_scatter",
        "Copies to the rows of a tensor in the HBM that an index tensor names.",
        &[
            generic_part(
                "Key",
                "The part of the tensor that the index tensor is over.",
            ),
            SOURCE,
            SOURCE,
        ],
    ),
    annotated_row(
        "reshape",
        "The same bytes under another type.",
        &[CHIP, CLUSTER, SLICE, ELEMENT],
    ),
    guide_row(
        "parallel_copy_cluster_slice",
        "Deals parts of a tensor out to the clusters; the result is at address 0.",
        &[
            generic_part("CLUSTER_DIM", "How many clusters: 2."),
            generic_part("AxisToSlice", "The part of the element that is dealt out."),
            generic_part("AxisSlicedElement", "The element with a hole in its place."),
            ELEMENT,
            SOURCE,
            SOURCE,
            SOURCE,
            SOURCE,
            SOURCE,
        ],
    ),
    guide_row(
        "parallel_copy_chip_slice",
        "Deals parts of a tensor out to the chips; the result is at address 0.",
        &[
            generic_part("CHIP_DIM", "How many chips."),
            generic_part("AxisToSlice", "The part of the element that is dealt out."),
            generic_part("AxisSlicedElement", "The element with a hole in its place."),
            ELEMENT,
            SOURCE,
            SOURCE,
            SOURCE,
            SOURCE,
            SOURCE,
        ],
    ),
    guide_row(
        "dm_cluster_shuffle",
        "Moves tensors of the DM between clusters; the result is at address 0.",
        &[
            SOURCE,
            generic_part("CLUSTER_DIM", "How many clusters: 2."),
            SOURCE,
            SOURCE,
            SOURCE,
            SOURCE,
        ],
    ),
    guide_row(
        "dm_chip_shuffle",
        "Moves tensors of the DM between chips; the result is at address 0.",
        &[
            SOURCE,
            generic_part("CHIP_DIM", "How many chips."),
            SOURCE,
            SOURCE,
            SOURCE,
            SOURCE,
        ],
    ),
    guide_row(
        "hbm_cluster_shuffle",
        "Moves tensors of the HBM between clusters.",
        &[SOURCE, SOURCE, SOURCE],
    ),
    guide_row(
        "hbm_chip_shuffle",
        "Moves tensors of the HBM between chips.",
        &[SOURCE, SOURCE, SOURCE],
    ),
    guide_row("address", "The tensor's first byte.", &[]),
    guide_row("to_buf", "The values in the order of the buffer.", &[]),
    guide_row("into_inner", "The mathematical tensor.", &[]),
    guide_row("clone", "The same once more.", &[]),
    guide_row("into", "The same as a shared view.", &[]),
];
