//! Methods of the book's library in words, those that are written most first.

use crate::kernel::Tier;
use crate::kernel::dialect::guide::{GuideRow, Part};

const fn generic(name: &'static str, meaning: &'static str) -> Part {
    Part {
        name,
        ty: "",
        meaning,
        usual: "",
    }
}

const fn argument(
    name: &'static str,
    ty: &'static str,
    meaning: &'static str,
    usual: &'static str,
) -> Part {
    Part {
        name,
        ty,
        meaning,
        usual,
    }
}

const fn row(
    name: &'static str,
    summary: &'static str,
    generics: &'static [Part],
    arguments: &'static [Part],
) -> GuideRow {
    GuideRow {
        name,
        tier: None,
        summary,
        generics,
        arguments,
        turbofish: true,
    }
}

/// A method whose generics an annotation says.
const fn annotated(
    name: &'static str,
    summary: &'static str,
    generics: &'static [Part],
    arguments: &'static [Part],
) -> GuideRow {
    GuideRow {
        turbofish: false,
        ..row(name, summary, generics, arguments)
    }
}

const fn on(tier: Tier, row: GuideRow) -> GuideRow {
    GuideRow {
        tier: Some(tier),
        ..row
    }
}

const SCALAR: Part = generic("D2", "The element type that leaves the stage.");
const TIME: Part = generic("Time2", "The iterations that leave the stage.");
const PACKET: Part = generic(
    "Packet2",
    "The elements of one iteration that leave the stage.",
);
const SLICE: Part = generic("Slice2", "The slices of the result: 256.");
const CLUSTER: Part = generic("Cluster2", "The clusters of the result: 2.");
const CHIP: Part = generic("Chip2", "The chips of the result.");
const ELEMENT: Part = generic(
    "Element2",
    "The positions that each slice or chip of the result holds.",
);
const INDEX: Part = generic("Index", "The index along which the tile is cut.");
const LENGTH: Part = generic("LEN", "How many values of the index the tile keeps.");
const SOURCE: Part = generic("_", "Follows from the argument.");

const TDMA: Part = argument("dma", "&mut DmaContext", "The tensor DMA.", "&mut ctx.tdma");
const ANY_DMA: Part = argument(
    "dma",
    "&mut DmaContext",
    "The tensor DMA or the PCIe DMA.",
    "&mut ctx.tdma",
);
const SUB: Part = argument("unit", "&mut TuContext", "The sub context.", "&mut ctx.sub");
const ADDRESS: Part = argument(
    "address",
    "Address",
    "The first byte of the result, in its slice or chip.",
    "",
);
const START: Part = argument(
    "start",
    "usize",
    "The first value, in units of the index.",
    "0",
);
const DM_TARGET: Part = argument("target", "DmTensorViewMut", "What is written.", "");
const HBM_TARGET: Part = argument("target", "HbmTensorViewMut", "What is written.", "");
const VIEW: Part = argument("tensor", "DmTensorView", "What is read.", "");
const PATTERN: Part = argument(
    "pattern",
    "&[usize]",
    "For each target the number of its source.",
    "",
);

pub(in crate::kernel::dialect) const GUIDE: &[GuideRow] = &[
    row("view", "A shared view of the tensor.", &[], &[]),
    row("view_mut", "An exclusive view of the tensor.", &[], &[]),
    // Streams, in the order of the pipeline.
    row(
        "begin",
        "Begins a pass over a tensor of the DM.",
        &[SOURCE, SOURCE, SOURCE, SOURCE, SOURCE],
        &[argument("tensor", "DmTensorView", "What is read.", "")],
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
        &[
            argument("first", "DmTensorView", "Index 0 of the axis.", ""),
            argument("second", "DmTensorView", "Index 1 of the axis.", ""),
        ],
    ),
    row(
        "fetch",
        "Reads packets from the DM in the order of `Time2`; a packet is a multiple of 8 bytes.",
        &[SCALAR, TIME, PACKET],
        &[],
    ),
    row(
        "switch",
        "Exchanges packets between slices.",
        &[SLICE, TIME],
        &[argument(
            "config",
            "SwitchConfig",
            "The topology with its sizes.",
            "",
        )],
    ),
    row(
        "collect",
        "Cuts packets into flits of 32 bytes; the rest of a packet becomes the innermost time.",
        &[TIME, PACKET],
        &[],
    ),
    row(
        "align",
        "Brings the stream and the weights in the TRF to one computation mapping.",
        &[
            generic("OutTime", "The iterations of the computation."),
            generic(
                "OutPacket",
                "The elements that are multiplied in one iteration.",
            ),
            generic("Row", "The rows of the weights: follows from them."),
            generic(
                "TrfElement",
                "The elements of the weights: follows from them.",
            ),
        ],
        &[argument("weights", "&TrfTensor", "The weights.", "")],
    ),
    row(
        "contract",
        "Multiplies and adds inside of a packet.",
        &[generic("OutPacket", "What of the packet is left.")],
        &[],
    ),
    row(
        "accumulate",
        "Adds over time, and lays the rows out.",
        &[
            generic("OutTime", "The iterations that are left."),
            generic("OutPacket", "The elements of one iteration."),
        ],
        &[argument(
            "kind",
            "AccumulationKind",
            "Rows side by side in the packet, or one after the other in time.",
            "AccumulationKind::Interleaved",
        )],
    ),
    row("vector_init", "Enters the Vector Engine.", &[], &[]),
    row(
        "vector_intra_slice_branch",
        "Opens the stages inside of a slice.",
        &[],
        &[argument(
            "mode",
            "BranchMode",
            "What decides which group an element belongs to.",
            "BranchMode::Unconditional",
        )],
    ),
    row(
        "vector_intra_slice_unzip",
        "Makes two groups of an interleaved stream.",
        &[
            generic("I", "The axis of size 2 that tells the groups apart."),
            generic(
                "TileTime",
                "`Time` with a hole `1 # 2` in the axis's place.",
            ),
            generic("SplitTime", "`Time` without the axis."),
        ],
        &[],
    ),
    row(
        "vector_inter_slice_reduce",
        "Reduces across slices.",
        &[SLICE, TIME],
        &[argument("op", "InterSliceReduceOp", "The operation.", "")],
    ),
    row(
        "vector_fxp_to_fp",
        "Reads fixed-point numbers as floats.",
        &[],
        &[argument(
            "int_width",
            "u32",
            "Integer bits, below 32.",
            "31",
        )],
    ),
    row(
        "vector_split",
        "8 lanes to 4, the halves one after the other in time.",
        &[TIME, PACKET],
        &[],
    ),
    row(
        "vector_trim_way4",
        "8 lanes to 4; the back 4 have to be padding.",
        &[PACKET],
        &[],
    ),
    row(
        "vector_intra_slice_reduce",
        "Reduces an axis over time inside of the slice.",
        &[generic("Reduce", "The axis that is reduced."), TIME, PACKET],
        &[argument("op", "IntraSliceReduceOp", "The operation.", "")],
    ),
    row(
        "vector_concat",
        "4 lanes to 8, two iterations in one.",
        &[TIME, PACKET],
        &[],
    ),
    row(
        "vector_pad_way8",
        "4 lanes to 8; the back 4 are padding.",
        &[PACKET],
        &[],
    ),
    row(
        "vector_fp_to_fxp",
        "Rounds floats to fixed-point numbers.",
        &[],
        &[argument(
            "int_width",
            "u32",
            "Integer bits, below 32.",
            "31",
        )],
    ),
    row("vector_final", "Leaves the Vector Engine.", &[], &[]),
    row(
        "vector_stash",
        "Keeps the stream as it is here for a later operand `Stash`; once in a pass.",
        &[],
        &[],
    ),
    row(
        "vector_filter",
        "Drops the iterations of a group.",
        &[TIME],
        &[argument("ids", "ValidBranchIds", "What stays.", "")],
    ),
    row(
        "cast",
        "Lowers the precision; the packet is padded to 32 bytes again.",
        &[SCALAR, PACKET],
        &[],
    ),
    row(
        "transpose",
        "Transposes blocks of time and packet.",
        &[TIME, PACKET],
        &[],
    ),
    annotated(
        "commit",
        "Writes the stream to a new tensor in the DM; its innermost part is the packet.",
        &[generic(
            "Element",
            "The positions that each slice of the tensor holds.",
        )],
        &[ADDRESS],
    ),
    annotated(
        "commit_view",
        "Writes the stream to a view of a tensor in the DM.",
        &[SOURCE],
        &[DM_TARGET],
    ),
    annotated(
        "to_trf",
        "Loads the stream into the tensor register file.",
        &[
            generic("Row", "The rows of the MAC array: 1, 2, 4 or 8."),
            generic("Element", "What each row holds."),
        ],
        &[argument(
            "region",
            "TrfAddress",
            "Which part of each row.",
            "TrfAddress::Full",
        )],
    ),
    annotated(
        "to_vrf",
        "Loads the stream into the vector register file.",
        &[generic("Element", "What each slice holds.")],
        &[ADDRESS],
    ),
    // Transfers.
    row(
        "to_dm",
        "Copies to a new tensor in the DM.",
        &[CLUSTER, SLICE, ELEMENT],
        &[TDMA, ADDRESS],
    ),
    row(
        "to_dm",
        "Copies to a new tensor in the DM of the same clusters.",
        &[SLICE, ELEMENT],
        &[TDMA, ADDRESS],
    ),
    on(
        Tier::Host,
        annotated(
            "to_hbm",
            "Copies from the host to a new tensor in the HBM.",
            &[CHIP, ELEMENT],
            &[
                argument("dma", "&mut DmaContext", "The PCIe DMA.", "&mut ctx.pdma"),
                ADDRESS,
            ],
        ),
    ),
    annotated(
        "to_hbm",
        "Copies to a new tensor in the HBM.",
        &[ELEMENT],
        &[TDMA, ADDRESS],
    ),
    annotated(
        "to_hbm",
        "Copies to a new tensor in the HBM.",
        &[
            generic("DMA", "Which DMA: follows from the argument."),
            ELEMENT,
        ],
        &[ANY_DMA, ADDRESS],
    ),
    annotated(
        "to_host",
        "Copies to a new tensor of the host.",
        &[ELEMENT],
        &[argument(
            "dma",
            "&mut DmaContext",
            "The PCIe DMA.",
            "&mut ctx.pdma",
        )],
    ),
    row(
        "tile",
        "The part of the view where the index has the values from `start` on.",
        &[INDEX, LENGTH, ELEMENT],
        &[START],
    ),
    row(
        "slice_tile",
        "A part of the view along its slices.",
        &[INDEX, LENGTH, SLICE],
        &[START],
    ),
    row(
        "cluster_tile",
        "A part of the view along its clusters.",
        &[INDEX, LENGTH, CLUSTER],
        &[START],
    ),
    row(
        "chip_tile",
        "A part of the view along its chips.",
        &[INDEX, LENGTH, CHIP],
        &[START],
    ),
    annotated(
        "to_hbm_view",
        "Copies to a view of a tensor in the HBM.",
        &[SOURCE],
        &[TDMA, HBM_TARGET],
    ),
    annotated(
        "to_hbm_view",
        "Copies to a view of a tensor in the HBM.",
        &[
            generic("DMA", "Which DMA: follows from the argument."),
            SOURCE,
        ],
        &[ANY_DMA, HBM_TARGET],
    ),
    annotated(
        "to_dm_view",
        "Copies to a view of a tensor in the DM.",
        &[SOURCE, SOURCE, SOURCE],
        &[TDMA, DM_TARGET],
    ),
    annotated(
        "to_dm_view",
        "Copies to a view of a tensor in the DM of the same clusters.",
        &[SOURCE, SOURCE],
        &[TDMA, DM_TARGET],
    ),
    annotated(
        "to_dm_view_pcopy",
        "Copies to a view of a tensor in the DM by the sub context.",
        &[SOURCE, SOURCE],
        &[SUB, DM_TARGET],
    ),
    annotated(
        "to_dm_pcopy",
        "Copies to a tensor in the DM by the sub context.",
        &[SOURCE, SOURCE],
        &[
            SUB,
            argument("target", "&mut DmTensor", "What is written.", ""),
        ],
    ),
    row(
        "dma_gather",
        "Copies the rows that an index tensor names to a new tensor in the DM.",
        &[CLUSTER, SLICE, ELEMENT, SOURCE],
        &[
            argument("indices", "&HbmTensor<i32>", "The rows.", ""),
            ADDRESS,
        ],
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
        &[
            argument("indices", "&HbmTensor<i32>", "The rows.", ""),
            argument("target", "&mut HbmTensor", "What is written.", ""),
            argument(
                "scaled",
                "bool",
                "Whether indices are byte offsets.",
                "false",
            ),
        ],
    ),
    annotated(
        "reshape",
        "The same bytes under another type.",
        &[CHIP, CLUSTER, SLICE, ELEMENT],
        &[],
    ),
    // Collectives.
    row(
        "parallel_copy_cluster_slice",
        "Deals parts of a tensor out to the clusters; the result lies at address 0.",
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
        &[VIEW, PATTERN],
    ),
    row(
        "parallel_copy_chip_slice",
        "Deals parts of a tensor out to the chips; the result lies at address 0.",
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
        &[VIEW, PATTERN],
    ),
    row(
        "dm_cluster_shuffle",
        "Moves tensors of the DM between clusters; the result lies at address 0.",
        &[
            SOURCE,
            generic("CLUSTER_DIM", "How many clusters: 2."),
            SOURCE,
            SOURCE,
            SOURCE,
            SOURCE,
        ],
        &[VIEW, PATTERN],
    ),
    row(
        "dm_chip_shuffle",
        "Moves tensors of the DM between chips; the result lies at address 0.",
        &[
            SOURCE,
            generic("CHIP_DIM", "How many chips."),
            SOURCE,
            SOURCE,
            SOURCE,
            SOURCE,
        ],
        &[VIEW, PATTERN],
    ),
    row(
        "hbm_cluster_shuffle",
        "Moves tensors of the HBM between clusters.",
        &[SOURCE, SOURCE, SOURCE],
        &[
            argument("tensor", "&HbmTensor", "What is read.", ""),
            PATTERN,
        ],
    ),
    row(
        "hbm_chip_shuffle",
        "Moves tensors of the HBM between chips.",
        &[SOURCE, SOURCE, SOURCE],
        &[
            argument("tensor", "&HbmTensor", "What is read.", ""),
            PATTERN,
        ],
    ),
    row("address", "The tensor's first byte.", &[], &[]),
    row("to_buf", "The values in the order of the buffer.", &[], &[]),
    row("into_inner", "The mathematical tensor.", &[], &[]),
    row("clone", "The same once more.", &[], &[]),
    row("into", "The same as a shared view.", &[], &[]),
];
