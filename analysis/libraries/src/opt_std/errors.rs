//! What the successor and its compiler say of a kernel that they refuse, by the rule that foresees it.

use crate::errors::{Said, compiler, library};

/// Parts of texts, each as long as is the same in all of them. `…` is what differs from one to the next.
pub(super) const ERRORS: &[(&str, &[Said])] = &[
    (
        "mapping_syntax",
        &[
            library("empty mapping expression … is not supported"),
            library("invalid mapping syntax"),
            library("unexpected end of mapping expression"),
            library("unsupported token … in mapping syntax"),
            library("unexpected token … expected an axis name"),
        ],
    ),
    (
        "unknown_axis",
        &[library("cannot find type … in this scope")],
    ),
    (
        "duplicate_axis",
        &[library(
            "is declared multiple times in this axes! invocation",
        )],
    ),
    (
        "stride_indivisible",
        &[
            library("Stride size must divide the original size"),
            library("stride … does not divide size"),
        ],
    ),
    (
        "modulo_indivisible",
        &[
            library("Modulo size must divide the original size"),
            library("modulo … does not divide size"),
        ],
    ),
    ("padding_shrinks", &[library("padding … is below size")]),
    ("resize_grows", &[library("resize … exceeds size")]),
    (
        "tile_mismatch",
        &[
            library("tile: failed to split by the index expression"),
            library("tile: the view type after the split does not match the requested view"),
        ],
    ),
    (
        "tile_out_of_bounds",
        &[
            library("tile window exceeds index extent"),
            library("tile start maps to … padding"),
            library("tile start maps out of bounds"),
        ],
    ),
    (
        "cluster_size",
        &[
            library("Cluster::SIZE must be 1 or 2"),
            library("Fetch: Cluster size must be one of"),
        ],
    ),
    (
        "slice_size",
        &[
            library("Slice::SIZE must be 64, 128, or 256"),
            library("Fetch: Slice size must be one of"),
        ],
    ),
    (
        "dm_capacity",
        &[compiler(
            "failed to translate vISA to IR: BeamSearch failed",
        )],
    ),
    (
        "trf_capacity",
        &[
            library("TRF data … exceeds register file capacity"),
            library("TRF data … exceeds the tensor register file capacity"),
        ],
    ),
    (
        "vrf_capacity",
        &[
            library("VRF data must fit the vector register file"),
            library("VRF data … exceeds register file capacity"),
            compiler("Cannot find evict target for Vrf"),
        ],
    ),
    (
        "tensor_lost",
        &[
            library("Fetch: a live input axis is left unread"),
            library("transpose: Src must be covered by the dst stream"),
            library("a live cell was left unread or unwritten"),
            compiler("lir: incorrect buffer size"),
        ],
    ),
    (
        "sequencer_entries",
        &[library("sequencer entries, but the table holds")],
    ),
    (
        "sequencer_incompatible",
        &[
            library("Fetch: cannot read an output axis from DM"),
            compiler("lower_fetch_unit: failed to stride_exact"),
            compiler("Condition failed: points … b % a"),
        ],
    ),
    (
        "fetch_packet_alignment",
        &[
            library("Packet size must be 8-byte aligned"),
            library("no legal … fetch size for"),
        ],
    ),
    (
        "fetch_cast_overflow",
        &[library("no legal Main fetch size for")],
    ),
    (
        "fetch_sub_context_size",
        &[library("no legal Sub fetch size for")],
    ),
    (
        "fetch_packet_contiguity",
        &[library(
            "the packet's innermost axis must be contiguous in DM",
        )],
    ),
    (
        "fetch_cast_unsupported",
        &[
            library("the trait bound … FetchCast … is not satisfied"),
            library("the trait bound … FetchZeroPointSub … is not satisfied"),
            library("the trait bound … TableLookupCast … is not satisfied"),
        ],
    ),
    (
        "fetch_sub_context_adapter",
        &[library("no method named fetch_table_lookup")],
    ),
    (
        "fetch_zero_point_range",
        &[library("is outside the source type's quantized range")],
    ),
    (
        "lift_order",
        &[
            library("cannot lift onto"),
            library("no method named fetch_chip_lift"),
            library("no method named fetch_cluster_lift"),
            library("no method named fetch_slice_lift"),
        ],
    ),
    (
        "lift_placement",
        &[
            library("lift changes no placement axis; use a plain fetch"),
            library("lift placement size differs"),
            library("lift placement size must be a power of two"),
            library("only an input size-2 broadcast may differ"),
            library("lift replaces the input broadcast at stride … with padding"),
            library("a lift's output Time must divide its input Time"),
            library("a lift fills broadcasts of the dimension"),
            library("unaligned fetch base at"),
        ],
    ),
    (
        "switch_parameters",
        &[
            library("All dimensions must be greater than 0"),
            library("InSlice::SIZE must be divisible by (slice1 * slice0)"),
            library("InTime::SIZE must be divisible by the config's time split"),
            library("Switch … must be a power of 2"),
        ],
    ),
    (
        "switch_slice_size",
        &[library("Switch input and output slice sizes must match")],
    ),
    (
        "switch_topology_mismatch",
        &[
            library("Switch OutSlice mismatch: expected … got"),
            library("Switch OutTime mismatch: expected … got"),
            library("Switch read is not sequenceable"),
            library("Switch OutSlice slot must source from InSlice"),
            library("Switch input Time must be carried to output Time unchanged"),
            library("which must not be written; only a Top hole"),
            library("Switch snoop bitmap disagrees"),
        ],
    ),
    (
        "switch_broadcast_axis_reused",
        &[
            library("must be an axis the input Slice/Time does not carry"),
            library("Switch broadcast tiles both claim"),
        ],
    ),
    (
        "switch_order",
        &[library(
            "Switch axes moving from input Slice to output Time must preserve their relative order",
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
        &[
            library("Collect … packet must be exactly … bytes (one flit)"),
            library("Packet size must be exactly one flit (32 bytes)"),
        ],
    ),
    (
        "collect_packet_mismatch",
        &[library("Collect packet mismatch")],
    ),
    ("collect_time_mismatch", &[library("Collect time mismatch")]),
    (
        "contraction_type",
        &[
            library("the trait bound … ContractionCast … is not satisfied"),
            library("the trait bound … ContractionWeight … is not satisfied"),
        ],
    ),
    (
        "trf_row_count",
        &[
            library("Lane::SIZE must be 1, 2, 4, or 8"),
            library("Lane::SIZE … does not divide Time::SIZE"),
        ],
    ),
    (
        "trf_row_mismatch",
        &[
            library("to_trf lane mismatch: time_outer"),
            compiler("StoTrf: kernel-declared fn_output_shape does not match trf_shape"),
        ],
    ),
    (
        "trf_element_mismatch",
        &[library("to_trf element mismatch")],
    ),
    (
        "vrf_element_mismatch",
        &[
            library("to_vrf element mismatch: the register holds the stream it stores"),
            compiler("StoVrf: … does not match vrf_shape"),
        ],
    ),
    (
        "align_packet_size",
        &[
            library("OutPacket must be 1 or 2 flits"),
            library("Packet size must be one or two flits (32 or 64 bytes)"),
        ],
    ),
    (
        "align_packet_mismatch",
        &[
            library("contract_outer: inner flit of OutPacket must equal the input Packet"),
            library("contract_outer: OutPacket's packed cells must equal the innermost"),
            library("contract_outer: cannot pack … cells from Time"),
        ],
    ),
    (
        "align_time_mismatch",
        &[
            library("contract_outer: Time does not divide OutTime"),
            library(
                "contract_outer: OutTime must be the outer Time with broadcast (tiling) axes innermost",
            ),
        ],
    ),
    (
        "contract_packet_mismatch",
        &[
            library("is not a valid contraction of Packet"),
            library("Packet must be 32 or 64 bytes"),
        ],
    ),
    (
        "contract_output_limit",
        &[
            library("OutPacket::SIZE must be at most"),
            library("OutPacket::SIZE must be a power of two"),
            library(
                "Packet element count must be a power of two and at most the accumulator column count",
            ),
        ],
    ),
    (
        "accumulate_layout",
        &[
            library("contract_time: OutTime … must divide Time"),
            library("contract_time: OutTime axes must follow the same order as the Time axes"),
            library("contract_time: Padding mismatch"),
            library("contract_lane … OutPacket mismatch"),
            library("contract_lane … OutTime mismatch"),
            library("contract_lane: Packet::SIZE must be at most"),
            library("contract_lane: OutPacket::SIZE must be"),
        ],
    ),
    (
        "accumulator_capacity",
        &[library("accumulator buffer overflows: padded Lane")],
    ),
    (
        "vector_packet",
        &[
            library("VectorTensor requires Packet of 8 elements"),
            library("VectorTensorPair requires Packet of 8 elements"),
        ],
    ),
    (
        "alu_reuse",
        &[
            library("is already in use"),
            compiler("is not available for op Binary"),
            compiler("this node needs more slots than a VE pass has"),
        ],
    ),
    (
        "narrow_drops_data",
        &[library("the back 4 lanes of the packet must be dummy")],
    ),
    (
        "way_shape",
        &[
            library("Vector_Split time factor mismatch"),
            library("Vector_Split packet mismatch"),
            library("Split requires Packet of 8 elements"),
            library("Concat requires Packet of 4 elements"),
            library("Concat requires a positive, even Time size"),
            library("Vector_Concat time factor mismatch"),
            library("Vector_Concat packet mismatch"),
            library("vector_narrow_trim: Packet2 must match the front 4 of Packet"),
            library("vector_widen_pad: Packet2 must be Packet padded to 8"),
        ],
    ),
    (
        "unzip_group",
        &[
            library("elements sit inside the group axis"),
            library("vector_intra_slice_unzip: group axis … is not in the stream it unzips"),
        ],
    ),
    (
        "operand_mapping",
        &[
            library("VRF operand … is not readable by the stream"),
            library("VRF operand … cannot feed the"),
            library("the VE DSL rejects operands carrying write holes"),
            library("the stream leaves operand axes unmatched"),
        ],
    ),
    (
        "operand_placement",
        &[library("cannot be this op's operand")],
    ),
    (
        "operand_slots",
        &[
            library("SlotDefect"),
            library("DeadGuard"),
            library("AfterUnconditional"),
            library("NoFreeImmediate"),
            compiler("this node needs more slots than a VE pass has"),
        ],
    ),
    (
        "intra_reduce_mapping",
        &[
            library("Intra-slice reduce … divide failed"),
            library("IntraSliceReduce: all reduced axes must match the specified reduce_label"),
            library("IntraSliceReduce: all the reduce axes must be fully reduced"),
            library("IntraSliceReduce: Packet should be either preserved or reduced to 4"),
        ],
    ),
    (
        "intra_reduce_slots",
        &[library("accumulator slots but the reducer holds")],
    ),
    (
        "inter_reduce_mapping",
        &[
            compiler("VRU reduce axes must be innermost in Partitioning"),
            compiler("cannot reduce pack alias"),
        ],
    ),
    (
        "reduce_padding",
        &[compiler("reduce axis should not have padding")],
    ),
    (
        "context_restriction",
        &[
            library("no method named contract_outer"),
            library("no method named contract_packet"),
            library("no method named contract_time"),
            library("no method named contract_lane"),
            library("no method named commit_cast"),
            library("no method named commit_valid_count_pack"),
            compiler("no entry found for key"),
        ],
    ),
    (
        "register_store_from_main",
        &[compiler("no entry found for key"), compiler("PXI-601")],
    ),
    (
        "cast_unsupported",
        &[
            library("the trait bound … CastEngineCast … is not satisfied"),
            library("the trait bound … CommitCast … is not satisfied"),
        ],
    ),
    (
        "cast_packet",
        &[
            library("Cast … packet must be exactly … bytes (one flit)"),
            library("Cast packet mismatch"),
        ],
    ),
    (
        "transpose_rows",
        &[
            library("Transpose: output packet beyond max_in_rows"),
            library("Transpose: cannot place in_rows in Time … consistently with OutTime"),
            library("Transpose row evidence … is not present in Time"),
            library("Transpose row evidence … is not aligned in Time"),
            library("Transpose row evidence … has no live row terms"),
            library("TransposeConfig in_rows … does not split Time rest"),
        ],
    ),
    (
        "transpose_columns",
        &[
            library("TransposeConfig out_rows … must be … in_cols"),
            library("TransposeConfig packets_per_col … does not split Time"),
            library("TransposeConfig in_cols … must equal packets_per_col"),
        ],
    ),
    (
        "transpose_packet",
        &[
            library("Transpose input packet must be 32 bytes"),
            library("Transpose output packet must be 32 bytes"),
            library("Transpose: input packet beyond valid_size_per_packet"),
            library("Transpose: Packet beyond valid_size_per_packet"),
            library("Transpose: element_bits … must be one of"),
        ],
    ),
    (
        "commit_packet_size",
        &[
            library("Commit: input packet must be one of"),
            library("commit_trim output packet must be one of"),
            library("Packet size must be 8, 16, 24, or 32 bytes"),
            library("commit_cast input packet is … conversion units"),
            compiler("in-slice element extent is … not a multiple of the SRAM access width"),
        ],
    ),
    (
        "commit_mapping",
        &[
            library("must be the innermost run of the DM element"),
            library("Commit: cannot write the time axes … into the DM element"),
            library("Commit: a DM cell is left unwritten"),
            library("commit_trim packet mismatch"),
        ],
    ),
    (
        "dma_alignment",
        &[
            library("DMA tail alignment violation"),
            library("DMA address stride alignment violation"),
            compiler("strides … is not aligned by"),
            compiler("tail_size % min_align"),
            compiler("in-slice element extent is … not a multiple of the SRAM access width"),
        ],
    ),
    ("stage_unimplemented", &[library("not yet implemented")]),
    (
        "reshape_size",
        &[
            library("Chip size must be preserved"),
            library("Cluster size must be preserved"),
            library("Slice size must be preserved"),
            library("Element size must be preserved"),
            compiler("a reshape may change a tensor's Cluster extent only as a pad or an unpad"),
        ],
    ),
    (
        "pad_view",
        &[
            library("pad: the padded view cannot be narrower"),
            library("pad: the requested view type is not the padded view"),
        ],
    ),
    (
        "slice_pattern",
        &[
            library("slice: expected one index per target"),
            library("slice: index … for target … is out of bounds for axis"),
            library("chip shuffle:"),
            library("SRAM redistribution:"),
            library("cluster_swap requires exactly two clusters"),
        ],
    ),
    (
        "slice_layout",
        &[
            library("slice: cannot locate AxisToSlice"),
            library("slice: AxisToSlice … sits at stride"),
            library("slice: AxisToSlice … is not a complete axis of Element"),
            library("slice: axes … overlap in Element"),
            library("slice: AxisToSlice … must be the outermost axis"),
            library("slice: the tail under AxisToSlice contains a must-not-write padding region"),
            library("slice: Element2 must be Element with AxisToSlice removed"),
        ],
    ),
    (
        "gather_mapping",
        &[
            library("gather indexed axis"),
            library("gather payload must be table mapping"),
            library("gather output … cannot hold payload"),
            library("gather domain must be the one the index carries"),
        ],
    ),
    (
        "scatter_mapping",
        &[
            library("scatter indexed axis"),
            library("scatter updates … cannot supply payload"),
            library("scatter domain must be the one the index carries"),
            library("scatter source payload … cannot be placed in destination payload"),
        ],
    ),
    (
        "spm_capacity",
        &[library(
            "SPM data must fit the scratchpad one fused PE holds",
        )],
    ),
    (
        "spm_pe_size",
        &[
            library("Pe::SIZE must be 1, 2, or 4"),
            library("Pe::SIZE must be Slice::SIZE / 64"),
        ],
    ),
    (
        "spm_index_placement",
        &[
            library("SPM indirect index Pe mapping"),
            library("index list … must have one entry per position"),
            library("index chip mapping … must either be broadcast or match"),
        ],
    ),
    (
        "device_grid",
        &[compiler("slice extent … does not match the device config")],
    ),
    (
        "live_slice_count",
        &[
            compiler("split (axis_index: 0, inner_size: 4) is not valid on shape"),
            compiler("split (inner_size: 64) is not valid on shape"),
            compiler("cannot find the across_index"),
            compiler("called Option::unwrap() on a None value"),
        ],
    ),
    (
        "operand_not_constant",
        &[
            compiler("a vISA scalar operand must be known at compile time"),
            compiler("a vector-engine immediate must be a compile-time constant"),
            compiler("does not const-fold"),
        ],
    ),
    (
        "runtime_panic",
        &[compiler(
            "runtime panic!/assert! is not supported in a #[device] body",
        )],
    ),
    ("generic_kernel", &[compiler("has type parameters")]),
    (
        "kernel_language",
        &[
            compiler("A loop was not rewritten"),
            compiler("attempt to subtract with overflow"),
            compiler("HashMap::index: invalid key"),
            compiler("CTensorAddr::Var() count must be"),
        ],
    ),
    (
        "other_release_api",
        &[
            library("no method named"),
            library("no variant or associated item named"),
            library("unresolved import furiosa_opt_std"),
        ],
    ),
];
