//! What the book's library says of a kernel that it refuses, by the rule that foresees it.

use crate::errors::{Said, library};

/// Parts of texts, each as long as is the same in all of them. `…` is what differs from one to the next.
pub(super) const ERRORS: &[(&str, &[Said])] = &[
    (
        "mapping_syntax",
        &[library("Parse error"), library("Broadcast not supported")],
    ),
    ("duplicate_axis", &[library("is defined multiple times")]),
    (
        "stride_indivisible",
        &[library("Stride size must divide the original size")],
    ),
    (
        "modulo_indivisible",
        &[library("Modulo size must divide the original size")],
    ),
    (
        "tile_mismatch",
        &[
            library("[assert_div] failed to split by the index expression"),
            library("[assert_div] inconsistent view type after split"),
        ],
    ),
    ("cluster_size", &[library("Cluster size must be 2, got")]),
    ("slice_size", &[library("Slice size must be 256, got")]),
    (
        "trf_capacity",
        &[library("TRF data … exceeds register file capacity")],
    ),
    (
        "tensor_lost",
        &[library(
            "failed to divide mapping expressions for transpose",
        )],
    ),
    (
        "fetch_packet_alignment",
        &[library("Fetch output packet must be 8-byte aligned")],
    ),
    (
        "switch_parameters",
        &[
            library("All dimensions must be greater than 0"),
            library("InSlice::SIZE must be divisible by (slice1 * slice0)"),
            library("InTime::SIZE must be divisible by time0"),
            library("InTime::SIZE must be divisible by (slice1 * time0)"),
            library("All dimensions should multiply to 256"),
            library("Switch ring size must be a power of 2"),
        ],
    ),
    (
        "switch_slice_size",
        &[library("Switch input and output slice sizes must match")],
    ),
    (
        "switch_topology_mismatch",
        &[
            library("OutTime does not match expected layout"),
            library("OutSlice does not match expected layout"),
            library("OutSlice must preserve … from InSlice"),
            library("OutTime must preserve … from InTime"),
            library("Input and output time dimensions must match"),
        ],
    ),
    (
        "switch_broadcast_axis_reused",
        &[
            library("Switch broadcast axes must be new axes"),
            library("OutSlice broadcast axes must be new axes"),
            library("Switch broadcast axes must each be used exactly once"),
        ],
    ),
    (
        "switch_order",
        &[library(
            "must preserve their relative order from input Slice",
        )],
    ),
    (
        "switch_not_innermost",
        &[library(
            "Switch axes moving from input slice to output time must be at the output time innermost positions",
        )],
    ),
    (
        "switch_ring_too_small",
        &[library("Switch ring size mismatch")],
    ),
    (
        "switch_ring_too_large",
        &[library("Switch ring size mismatch")],
    ),
    (
        "collect_packet_size",
        &[library(
            "Collect output packet must be exactly 32 bytes (one flit)",
        )],
    ),
    (
        "collect_packet_mismatch",
        &[library("Collect packet mismatch")],
    ),
    ("collect_time_mismatch", &[library("Collect time mismatch")]),
    (
        "trf_row_count",
        &[
            library("Row::SIZE must be 1, 2, 4, or 8"),
            library("Row::SIZE … does not divide Time::SIZE"),
        ],
    ),
    (
        "trf_row_mismatch",
        &[library("to_trf row mismatch: time_outer")],
    ),
    (
        "trf_element_mismatch",
        &[library("to_trf element mismatch")],
    ),
    (
        "align_packet_size",
        &[library("OutPacket must be 64 bytes")],
    ),
    (
        "align_packet_mismatch",
        &[library("align packet mismatch: inner flit of OutPacket")],
    ),
    (
        "align_time_mismatch",
        &[
            library("align: Time does not divide OutTime"),
            library("align: Time axes are reordered in OutTime"),
            library("align: tiling axes must be innermost in OutTime"),
        ],
    ),
    (
        "align_tiling_not_in_trf",
        &[library("tiling axes must be present in TRF")],
    ),
    (
        "contract_packet_mismatch",
        &[
            library("is not a valid contraction of Packet"),
            library("Packet must be 64 bytes"),
        ],
    ),
    (
        "contract_output_limit",
        &[library("OutPacket::SIZE must be at most 32")],
    ),
    (
        "accumulate_layout",
        &[
            library("accumulate: Packet::SIZE must be at most"),
            library("accumulate: OutPacket::SIZE must be"),
            library("OutTime mismatch. Could not decompose"),
            library("Some axes present in Time are not present in Time'"),
            library("OutTime axes must follow the same order as the Time axes"),
        ],
    ),
    (
        "accumulator_capacity",
        &[library("axes inner to reduce must be")],
    ),
    (
        "vector_packet",
        &[
            library("VectorTensor requires Packet of 8 elements"),
            library("VectorTensorPair requires Packet of 8 elements"),
        ],
    ),
    ("alu_reuse", &[library("is already in use")]),
    (
        "narrow_drops_data",
        &[library("the back 4 lanes of the packet must be dummy")],
    ),
    (
        "way_shape",
        &[
            library("Vector_Split time factor mismatch"),
            library("Split requires Packet of 8 elements"),
            library("Concat requires Packet of 4 elements"),
            library("Packet2 must be Packet padded to 8"),
        ],
    ),
    ("stash_stage", &[library("stash type mismatch: stashed as")]),
    (
        "intra_reduce_mapping",
        &[
            library("all reduced axes must match the specified reduce_label"),
            library("all the reduce axes should be fully reduced"),
            library("Packet should be either preserved or reduced to 4"),
        ],
    ),
    (
        "inter_reduce_mapping",
        &[library("Failed to calculate broadcast factor")],
    ),
    (
        "cast_packet",
        &[
            library("Cast input packet must be exactly 32 bytes (one flit)"),
            library("Cast output packet must be exactly 32 bytes (one flit)"),
            library("Cast packet mismatch"),
        ],
    ),
    (
        "transpose_rows",
        &[
            library("Transpose in_rows must be"),
            library("Transpose in_rows … must be present in the input Time"),
        ],
    ),
    (
        "transpose_columns",
        &[
            library("Transpose in_cols size … must be one of"),
            library("Transpose out_rows … must be … in_cols"),
        ],
    ),
    (
        "transpose_packet",
        &[
            library("Transpose input packet must be 32 bytes"),
            library("Transpose output packet must be 32 bytes"),
            library("Transpose time mismatch"),
        ],
    ),
    (
        "commit_packet_size",
        &[
            library("Commit input packet must be exactly 32 bytes"),
            library("Commit output packet must be one of"),
        ],
    ),
    (
        "commit_mapping",
        &[
            library("Commit packet mismatch"),
            library("Commit element size does not divide time size"),
            library("is not a valid transpose of the input Time"),
        ],
    ),
    ("library_limit", &[library("not yet implemented")]),
];
