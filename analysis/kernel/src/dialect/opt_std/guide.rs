//! Methods of tensors and contexts of the current library in words, those that are written most first.

use crate::Tier;
use crate::dialect::common::guide::{
    CHIP, ELEMENT, INDEX, LENGTH, SOURCE, annotated_row, generic_part, guide_row, row_on_tier,
};
use crate::dialect::guide::{GuideRow, Part};

const SLICE: Part = generic_part("Slice2", "The slices of the result: 64, 128 or 256.");
const CLUSTER: Part = generic_part("Cluster2", "The clusters of the result: 1 or 2.");
const PE: Part = generic_part("Pe2", "The processing elements of the result: 1, 2 or 4.");
const DMA: Part = generic_part("DMA", "Which DMA: follows from the argument.");
/// A generic that is always inferred, by the name that the library gives it.
const fn inferred_part(name: &'static str) -> Part {
    generic_part(name, "Follows from the argument.")
}

const OWN_CLUSTER: Part = generic_part("Cluster", "The clusters of the result: 1 or 2.");
const OWN_SLICE: Part = generic_part("Slice", "The slices of the result: 64, 128 or 256.");
const SLICED: Part = generic_part("AxisToSlice", "The part of the element that is dealt out.");
const REST: Part = generic_part("Element2", "The element without that part.");
const INDEXED: Part = generic_part("IndexedAxis", "The axis that the indices count.");
const PAYLOAD: Part = generic_part(
    "Payload",
    "What each index names: the element without that axis.",
);
const DOMAIN: Part = generic_part("Domain", "What the indices run over.");

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
    annotated_row(
        "to_dm",
        "Copies to a new tensor in the DM.",
        &[OWN_CLUSTER, OWN_SLICE, ELEMENT],
    ),
    annotated_row(
        "to_dm",
        "Copies to a new tensor in the DM.",
        &[CHIP, CLUSTER, SLICE, ELEMENT],
    ),
    annotated_row(
        "to_dm",
        "Copies to a new tensor in the DM of the same clusters.",
        &[SLICE, ELEMENT],
    ),
    annotated_row(
        "to_dm",
        "Carries the plan out: the result is a new tensor in the DM.",
        &[ELEMENT],
    ),
    annotated_row(
        "to_dm_at",
        "As `to_dm`, at an address.",
        &[OWN_CLUSTER, OWN_SLICE, ELEMENT],
    ),
    annotated_row("to_dm_at", "As `to_dm`, at an address.", &[SLICE, ELEMENT]),
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
        &[DMA, ELEMENT],
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
    guide_row(
        "pad",
        "The view with padding after its elements.",
        &[ELEMENT],
    ),
    guide_row(
        "unpad",
        "The view without the padding after its elements.",
        &[ELEMENT],
    ),
    annotated_row(
        "reshape",
        "The same bytes under another type.",
        &[CHIP, CLUSTER, SLICE, ELEMENT],
    ),
    annotated_row(
        "reshape",
        "The same bytes under another type.",
        &[CHIP, ELEMENT],
    ),
    guide_row(
        "memset",
        "Sets each element to a constant, by the sub context.",
        &[],
    ),
    row_on_tier(
        Tier::Dm,
        annotated_row(
            "to_hbm_view",
            "Copies to a view of a tensor in the HBM.",
            &[inferred_part("Element2")],
        ),
    ),
    row_on_tier(
        Tier::Dm,
        annotated_row(
            "to_hbm_view",
            "Copies to a view of a tensor in the HBM.",
            &[inferred_part("Chip2"), inferred_part("Element2")],
        ),
    ),
    row_on_tier(
        Tier::Dm,
        annotated_row(
            "to_hbm_view",
            "Copies to a view of a tensor in the HBM.",
            &[
                inferred_part("Chip2"),
                inferred_part("Element2"),
                inferred_part("Chips"),
            ],
        ),
    ),
    row_on_tier(
        Tier::Hbm,
        annotated_row(
            "to_hbm_view",
            "Copies to a view of a tensor in the HBM.",
            &[DMA, inferred_part("Element2")],
        ),
    ),
    row_on_tier(
        Tier::Hbm,
        annotated_row(
            "to_hbm_view",
            "Copies to a view of a tensor in the HBM.",
            &[DMA, inferred_part("Chip2"), inferred_part("Element2")],
        ),
    ),
    row_on_tier(
        Tier::Hbm,
        annotated_row(
            "to_hbm_view",
            "Copies to a view of a tensor in the HBM.",
            &[
                DMA,
                inferred_part("Chip2"),
                inferred_part("Element2"),
                inferred_part("Chips2"),
            ],
        ),
    ),
    row_on_tier(
        Tier::Hbm,
        annotated_row(
            "to_dm_view",
            "Copies to a view of a tensor in the DM.",
            &[
                inferred_part("Cluster"),
                inferred_part("Slice"),
                inferred_part("Element2"),
            ],
        ),
    ),
    row_on_tier(
        Tier::Hbm,
        annotated_row(
            "to_dm_view",
            "Copies to a view of a tensor in the DM.",
            &[
                inferred_part("Chip2"),
                inferred_part("Cluster"),
                inferred_part("Slice"),
                inferred_part("Element2"),
            ],
        ),
    ),
    annotated_row(
        "to_dm_view",
        "Copies to a view of a tensor in the DM.",
        &[inferred_part("Slice2"), inferred_part("Element2")],
    ),
    annotated_row(
        "to_dm_view",
        "Copies to a view of a tensor in the DM.",
        &[
            inferred_part("Chip2"),
            inferred_part("Cluster2"),
            inferred_part("Slice2"),
            inferred_part("Element2"),
        ],
    ),
    annotated_row(
        "to_dm_view_pcopy",
        "Copies to a view of a tensor in the DM by the sub context.",
        &[inferred_part("Slice2"), inferred_part("Element2")],
    ),
    annotated_row(
        "to_dm_view_pcopy",
        "Copies to a view of a tensor in the DM by the sub context.",
        &[
            inferred_part("Chip2"),
            inferred_part("Cluster2"),
            inferred_part("Slice2"),
            inferred_part("Element2"),
        ],
    ),
    annotated_row(
        "to_dm_pcopy",
        "Copies to a new tensor in the DM by the sub context.",
        &[SLICE, ELEMENT],
    ),
    annotated_row(
        "to_dm_pcopy_at",
        "As `to_dm_pcopy`, at an address.",
        &[SLICE, ELEMENT],
    ),
    annotated_row(
        "to_spm",
        "Copies to a new tensor in the scratchpad.",
        &[PE, ELEMENT],
    ),
    guide_row(
        "to_spm",
        "Loads the value, so that a condition can ask for it.",
        &[],
    ),
    guide_row(
        "chip_shuffle",
        "Plans that chips take the tensors of others.",
        &[],
    ),
    guide_row(
        "cluster_swap",
        "Plans that the two clusters change tensors.",
        &[],
    ),
    guide_row(
        "chip_slice",
        "Plans that each chip takes one part of an axis.",
        &[SLICED, REST],
    ),
    guide_row(
        "cluster_slice",
        "Plans that each cluster takes one part of an axis.",
        &[SLICED, REST],
    ),
    guide_row(
        "asymmetric_chip_slice",
        "Gives each chip one part of an axis, by the sub context.",
        &[SLICED, REST],
    ),
    guide_row(
        "asymmetric_cluster_slice",
        "Gives each cluster one part of an axis, by the sub context.",
        &[SLICED, REST],
    ),
    guide_row(
        "dm_cluster_shuffle",
        "Moves tensors of the DM between clusters.",
        &[SOURCE],
    ),
    guide_row(
        "dm_cluster_swap",
        "The two clusters change tensors of the DM.",
        &[],
    ),
    guide_row(
        "dm_chip_shuffle",
        "Moves tensors of the DM between chips.",
        &[SOURCE],
    ),
    guide_row(
        "hbm_chip_shuffle",
        "Moves tensors of the HBM between chips.",
        &[SOURCE, DMA],
    ),
    guide_row(
        "hbm_cluster_shuffle",
        "Moves tensors of the HBM between clusters.",
        &[SOURCE, DMA],
    ),
    guide_row(
        "parallel_copy_cluster_slice",
        "Deals parts of a tensor out to the clusters.",
        &[
            generic_part("CLUSTER_DIM", "How many clusters: 2."),
            SLICED,
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
        "Deals parts of a tensor out to the chips.",
        &[
            generic_part("CHIP_DIM", "How many chips."),
            SLICED,
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
        "gather",
        "Plans to read the rows that indices name.",
        &[INDEXED, PAYLOAD],
    ),
    guide_row(
        "scatter",
        "Plans to write the rows that indices name.",
        &[INDEXED, PAYLOAD],
    ),
    guide_row(
        "by_byte_offsets",
        "The indices are byte offsets in the HBM.",
        &[DOMAIN],
    ),
    guide_row(
        "by_positions",
        "The indices are positions in the scratchpad.",
        &[DOMAIN],
    ),
    guide_row("sparse_prefix", "Only the first indices count.", &[]),
    guide_row(
        "from_dm",
        "Carries the plan out with a tensor of the DM.",
        &[],
    ),
    guide_row(
        "from_dm_view",
        "Carries the plan out with a view of the DM.",
        &[],
    ),
    guide_row(
        "dma_gather",
        "Copies the rows that an index tensor names to a new tensor in the DM.",
        &[CLUSTER, SLICE, ELEMENT, SOURCE],
    ),
    guide_row(
        "dma_gather_scaled",
        "Copies the rows that byte offsets name to a new tensor in the DM.",
        &[CLUSTER, SLICE, ELEMENT, SOURCE],
    ),
    guide_row(
        "dma_gather_scaled_at",
        "As `dma_gather_scaled`, at an address.",
        &[CLUSTER, SLICE, ELEMENT, SOURCE],
    ),
    guide_row(
        "dma_gather_unscaled",
        "Copies the rows that positions name to a new tensor in the DM.",
        &[SOURCE, SOURCE, SOURCE, CLUSTER, SLICE, ELEMENT],
    ),
    guide_row(
        "dma_scatter",
        "Copies to the rows of a tensor in the HBM that byte offsets name.",
        &[
            generic_part(
                "Key",
                "The part of the tensor that the index tensor is over.",
            ),
            SOURCE,
            SOURCE,
        ],
    ),
    guide_row(
        "dma_scatter_unscaled",
        "Copies to the rows of a tensor in the HBM that positions name.",
        &[
            generic_part(
                "Key",
                "The part of the tensor that the index tensor is over.",
            ),
            SOURCE,
            SOURCE,
            SOURCE,
            SOURCE,
        ],
    ),
    guide_row("address", "The tensor's first byte.", &[]),
    guide_row("size", "How many elements the tensor has.", &[]),
    guide_row("ready", "Waits until the tensor is there.", &[]),
    guide_row("to_buf", "The values in the order of the buffer.", &[]),
    guide_row("into_vec", "The values in the order of the buffer.", &[]),
    guide_row("into_buffer", "The memory of the tensor.", &[]),
    guide_row("into_inner", "The mathematical tensor.", &[]),
    guide_row("clone", "The same once more.", &[]),
    guide_row("into", "The same as a shared view.", &[]),
];

/// What the library calls the generics, method by method; a method that is not listed has the catalogue's names.
pub(super) const GENERIC_NAMES: &[(&str, &[&str])] = &[
    ("fetch", &["OutTime", "OutPacket"]),
    ("fetch_chip_lift", &["OutChip", "OutTime"]),
    ("fetch_cluster_lift", &["OutCluster", "OutTime"]),
    ("fetch_slice_lift", &["OutSlice", "OutTime"]),
    ("fetch_mask", &["OutTime", "OutPacket"]),
    ("fetch_table_lookup", &["OutD"]),
    ("fetch_cast", &["OutD"]),
    ("fetch_zero_point_sub", &["OutD"]),
    ("switch", &["OutSlice", "OutTime"]),
    (
        "contract_outer",
        &["OutTime", "OutPacket", "Lane", "TrfElement"],
    ),
    (
        "contract_outer",
        &["OutTime", "OutPacket", "Lane", "TrfElement", "TrfD"],
    ),
    ("cast", &["OutD", "OutPacket"]),
    ("transpose", &["OutTime", "OutPacket"]),
    ("to_trf", &["Lane", "Element"]),
    ("to_trf_at", &["Lane", "Element"]),
    ("commit_trim", &["OutPacket"]),
    ("commit_cast", &["OutD"]),
    ("commit_cast_relu", &["OutD"]),
    ("commit_view", &["Element"]),
    ("commit_view", &["DstSlice", "Element"]),
    ("vector_inter_slice_reduce", &["OutSlice", "OutTime"]),
    (
        "vector_intra_slice_reduce",
        &["Reduce", "OutTime", "OutPacket"],
    ),
];
