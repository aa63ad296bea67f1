//! Methods of tensors and contexts of the book's library in words, those that are written most first.

use crate::kernel::Tier;
use crate::kernel::dialect::common::guide::{
    CHIP, ELEMENT, INDEX, LENGTH, SOURCE, annotated, generic, on, row,
};
use crate::kernel::dialect::guide::{GuideRow, Part};

const SLICE: Part = generic("Slice2", "The slices of the result: 256.");
const CLUSTER: Part = generic("Cluster2", "The clusters of the result: 2.");

/// Methods of tensors and contexts; those of streams are worded by the catalogue.
pub(super) const GUIDE: &[GuideRow] = &[
    row("view", "A shared view of the tensor.", &[]),
    row("view_mut", "An exclusive view of the tensor.", &[]),
    row(
        "begin",
        "Begins a pass over a tensor of the DM.",
        &[SOURCE, SOURCE, SOURCE, SOURCE, SOURCE],
    ),
    row(
        "begin_interleaved",
        "Begins a pass over two tensors in turn.",
        &[
            generic("I", "The axis of size 2 that tells the tensors apart."),
            SOURCE,
            SOURCE,
            SOURCE,
            SOURCE,
            SOURCE,
        ],
    ),
    row(
        "to_dm",
        "Copies to a new tensor in the DM.",
        &[CLUSTER, SLICE, ELEMENT],
    ),
    row(
        "to_dm",
        "Copies to a new tensor in the DM of the same clusters.",
        &[SLICE, ELEMENT],
    ),
    on(
        Tier::Host,
        annotated(
            "to_hbm",
            "Copies from the host to a new tensor in the HBM.",
            &[CHIP, ELEMENT],
        ),
    ),
    annotated("to_hbm", "Copies to a new tensor in the HBM.", &[ELEMENT]),
    annotated(
        "to_hbm",
        "Copies to a new tensor in the HBM.",
        &[
            generic("DMA", "Which DMA: follows from the argument."),
            ELEMENT,
        ],
    ),
    annotated("to_host", "Copies to a new tensor of the host.", &[ELEMENT]),
    row(
        "tile",
        "The part of the view where the index has the values from `start` on.",
        &[INDEX, LENGTH, ELEMENT],
    ),
    row(
        "slice_tile",
        "A part of the view along its slices.",
        &[INDEX, LENGTH, SLICE],
    ),
    row(
        "cluster_tile",
        "A part of the view along its clusters.",
        &[INDEX, LENGTH, CLUSTER],
    ),
    row(
        "chip_tile",
        "A part of the view along its chips.",
        &[INDEX, LENGTH, CHIP],
    ),
    annotated(
        "to_hbm_view",
        "Copies to a view of a tensor in the HBM.",
        &[SOURCE],
    ),
    annotated(
        "to_hbm_view",
        "Copies to a view of a tensor in the HBM.",
        &[
            generic("DMA", "Which DMA: follows from the argument."),
            SOURCE,
        ],
    ),
    annotated(
        "to_dm_view",
        "Copies to a view of a tensor in the DM.",
        &[SOURCE, SOURCE, SOURCE],
    ),
    annotated(
        "to_dm_view",
        "Copies to a view of a tensor in the DM of the same clusters.",
        &[SOURCE, SOURCE],
    ),
    annotated(
        "to_dm_view_pcopy",
        "Copies to a view of a tensor in the DM by the sub context.",
        &[SOURCE, SOURCE],
    ),
    annotated(
        "to_dm_pcopy",
        "Copies to a tensor in the DM by the sub context.",
        &[SOURCE, SOURCE],
    ),
    row(
        "dma_gather",
        "Copies the rows that an index tensor names to a new tensor in the DM.",
        &[CLUSTER, SLICE, ELEMENT, SOURCE],
    ),
    row(
        "dma_scatter",
        "Copies to the rows of a tensor in the HBM that an index tensor names.",
        &[
            generic(
                "Key",
                "The part of the tensor that the index tensor is over.",
            ),
            SOURCE,
            SOURCE,
        ],
    ),
    annotated(
        "reshape",
        "The same bytes under another type.",
        &[CHIP, CLUSTER, SLICE, ELEMENT],
    ),
    row(
        "parallel_copy_cluster_slice",
        "Deals parts of a tensor out to the clusters; the result is at address 0.",
        &[
            generic("CLUSTER_DIM", "How many clusters: 2."),
            generic("AxisToSlice", "The part of the element that is dealt out."),
            generic("AxisSlicedElement", "The element with a hole in its place."),
            ELEMENT,
            SOURCE,
            SOURCE,
            SOURCE,
            SOURCE,
            SOURCE,
        ],
    ),
    row(
        "parallel_copy_chip_slice",
        "Deals parts of a tensor out to the chips; the result is at address 0.",
        &[
            generic("CHIP_DIM", "How many chips."),
            generic("AxisToSlice", "The part of the element that is dealt out."),
            generic("AxisSlicedElement", "The element with a hole in its place."),
            ELEMENT,
            SOURCE,
            SOURCE,
            SOURCE,
            SOURCE,
            SOURCE,
        ],
    ),
    row(
        "dm_cluster_shuffle",
        "Moves tensors of the DM between clusters; the result is at address 0.",
        &[
            SOURCE,
            generic("CLUSTER_DIM", "How many clusters: 2."),
            SOURCE,
            SOURCE,
            SOURCE,
            SOURCE,
        ],
    ),
    row(
        "dm_chip_shuffle",
        "Moves tensors of the DM between chips; the result is at address 0.",
        &[
            SOURCE,
            generic("CHIP_DIM", "How many chips."),
            SOURCE,
            SOURCE,
            SOURCE,
            SOURCE,
        ],
    ),
    row(
        "hbm_cluster_shuffle",
        "Moves tensors of the HBM between clusters.",
        &[SOURCE, SOURCE, SOURCE],
    ),
    row(
        "hbm_chip_shuffle",
        "Moves tensors of the HBM between chips.",
        &[SOURCE, SOURCE, SOURCE],
    ),
    row("address", "The tensor's first byte.", &[]),
    row("to_buf", "The values in the order of the buffer.", &[]),
    row("into_inner", "The mathematical tensor.", &[]),
    row("clone", "The same once more.", &[]),
    row("into", "The same as a shared view.", &[]),
];
