//! Why a rule's findings have no fix: what would have to be known, rule by rule.

/// The clause behind "There is no automatic fix", in the order of the rules' names.
const REASONS: &[(&str, &str)] = &[
    (
        "accumulate_layout",
        "both layouts are legal for other tensors, and what follows the accumulation is laid out for the one that is written",
    ),
    (
        "align_operand_mismatch",
        "either the stream or the weights may have the order that was meant",
    ),
    (
        "align_tiling_not_in_trf",
        "the weights would have to be stored with that axis, by a pass that is written elsewhere",
    ),
    (
        "analysis_limit",
        "the limit is one of visa-lint, and the kernel may be right",
    ),
    (
        "axis_repeated",
        "which of the two places was to be another part of the axis is not known",
    ),
    ("axis_size_zero", "no other size is written anywhere"),
    (
        "bank_starvation_combined",
        "either pass can be moved or padded, and which one is cheaper is a question about the whole kernel",
    ),
    (
        "budget_exceeded",
        "either the kernel becomes cheaper or the budget larger, and the second is a decision of the project",
    ),
    (
        "chip_size",
        "either the attribute or the mapping states the number of chips that was meant",
    ),
    (
        "chip_transfer",
        "whether the data can be moved once, before the loop, depends on what the loop changes",
    ),
    (
        "cluster_size",
        "what the second cluster holds is a decision of the layout",
    ),
    (
        "cluster_transfer",
        "the data has to go another way, by a pass or over HBM, and each has another cost",
    ),
    (
        "commit_in_place",
        "a free place for the result, or another order of the pass, is a decision about the rest of the kernel",
    ),
    (
        "contract_output_limit",
        "how the rest of the axis is reduced, in time or by another pass, is open",
    ),
    (
        "dialect_unsupported",
        "the release is written in the manifest, and its kernels may be right",
    ),
    (
        "dma_alignment",
        "the padding belongs into tensors that other operations read, or the address into what places them",
    ),
    (
        "dma_many_small",
        "the tensor that holds all parts has to be laid out for every pass that reads one",
    ),
    (
        "dma_unnecessary_hop",
        "the name of the tensor between may be used by the author for more than the transfer",
    ),
    (
        "dummy_cluster_pass",
        "whether the second cluster is to compute something, and what, is not written",
    ),
    (
        "duplicate_axis",
        "one of the two declarations has the wrong name or the wrong size",
    ),
    (
        "fetch_cast_overflow",
        "fewer elements in a fetch, or another type, change every later stage",
    ),
    (
        "fetch_packet_contiguity",
        "either the packet or the buffer has the order that was meant",
    ),
    (
        "fetch_zero_point_range",
        "which value the zero point was to have is not written",
    ),
    (
        "generic_kernel",
        "a kernel for each set of arguments has to be written, and callers decide which there are",
    ),
    (
        "idle_cluster",
        "which axis is split over the clusters decides what each pass reads; `visa-lint cost` searches for one",
    ),
    (
        "idle_rows",
        "other rows for the weights change the stream and what follows it; `visa-lint cost` searches for them",
    ),
    (
        "idle_slices",
        "which axis is spread over more slices decides what each pass reads; `visa-lint cost` searches for one",
    ),
    (
        "inter_reduce_stage",
        "the reduction has to be put elsewhere in the pass, or into a pass of its own",
    ),
    (
        "interleave_mismatch",
        "either of the two tensors may have the layout that was meant",
    ),
    (
        "library_limit",
        "another form that means the same is not always the shortest for the kernel",
    ),
    (
        "library_version_mismatch",
        "either the file belongs to another crate or its text is to be migrated: `visa-lint migrate` does the second",
    ),
    (
        "lift_order",
        "which of the two lifts was to come first depends on what their levels hold",
    ),
    (
        "lift_placement",
        "which axis was to replace copies is not written",
    ),
    (
        "live_slice_count",
        "how many slices hold data is decided by every operation on the tensor",
    ),
    ("mapping_overflow", "the wrong size is unknown"),
    (
        "missed_overlap",
        "a second address, another place in the program or a loop that is written out each change more than one line; `visa-lint cost` searches for the first two",
    ),
    (
        "nki_column_offset",
        "whether the columns can be chosen before the run is known to the author alone",
    ),
    (
        "nki_compute_operation",
        "the computation has to be made by an engine",
    ),
    (
        "nki_compute_sources",
        "which sources are summed first decides the rounding",
    ),
    (
        "nki_copy_size",
        "either of the two shapes may be the one that was meant",
    ),
    (
        "nki_fixed_address",
        "another place has to be free for as long as the tensor is needed",
    ),
    (
        "nki_forced_mode",
        "the reason is known to the author alone; without one the mode is to be left out",
    ),
    (
        "nki_index_memory",
        "the indices have to be loaded into SBUF first, into a tensor of the author's choice",
    ),
    (
        "nki_indirect_memory",
        "what is in SBUF would have to be stored, or selected by an engine",
    ),
    (
        "nki_indirect_target",
        "the core is the one that the kernel is for",
    ),
    (
        "nki_needed_at_once",
        "which tensor is cut into tiles, and how, is a decision about the loops",
    ),
    (
        "nki_offsets_exclusive",
        "which of the two offsets was meant is not known",
    ),
    (
        "nki_oob_abort",
        "whether indices can be out of bounds depends on the data",
    ),
    (
        "nki_partition_bytes",
        "how the tensor is cut is a decision about the loops around it",
    ),
    ("nki_priority", "which priority was meant is not written"),
    ("nki_syntax", "what was meant cannot be read"),
    (
        "nki_transpose_destination",
        "a destination in SBUF has to be stored afterwards, if it was to be elsewhere",
    ),
    (
        "nki_transpose_mode_version",
        "another mode has another cost, and another release may be the one that is used",
    ),
    (
        "nki_transpose_rank",
        "which axis is lacking in one of the two shapes is not known",
    ),
    (
        "nki_transpose_shape_version",
        "another shape changes what reads the result",
    ),
    (
        "nki_unnamed_dma",
        "only the author knows what the transfer is for",
    ),
    (
        "operand_mapping",
        "either the operand or the stream has the mapping that was meant",
    ),
    (
        "operand_placement",
        "either the operand is stored elsewhere or the stream is brought to it",
    ),
    (
        "operand_slots",
        "which guard was to reach an element is not known",
    ),
    (
        "partial_load",
        "what was to be in the rest of the tensor is not written",
    ),
    ("pipeline_order", "another order computes something else"),
    (
        "pto_element_split",
        "either the length of the rows or the type of their elements is wrong",
    ),
    (
        "pto_element_width",
        "either of the two pointers may have the type that was meant",
    ),
    (
        "pto_event_never_awaited",
        "where a pipe has to wait depends on what it reads",
    ),
    (
        "pto_event_never_set",
        "the pipe that should set the flag, and the place, are unknown",
    ),
    (
        "pto_event_some_paths",
        "either the wait is moved into the branch or the flag out of it",
    ),
    (
        "pto_field_narrow",
        "the two sources disagree, and which one the target follows is not known",
    ),
    (
        "pto_field_width",
        "the transfer has to be split, or the value is a mistake",
    ),
    (
        "pto_loop_count_order",
        "the manual and the assembler disagree, and equal counts are the only form that is right by both",
    ),
    (
        "pto_loop_stride_unset",
        "the steps follow from the layout of the two buffers",
    ),
    (
        "pto_operands",
        "which operand is lacking, or too much, is not known",
    ),
    (
        "pto_pad_type",
        "which value the padding was to have is not written",
    ),
    (
        "pto_small_transfer",
        "whether several transfers can be one depends on the loops around them",
    ),
    (
        "pto_software_loop",
        "which two of the loops the engine is to run depends on their counts; the others may be rows",
    ),
    ("pto_source_rows_overlap", "overlapping rows may be meant"),
    ("pto_syntax", "what was meant cannot be read"),
    (
        "pto_tile_alignment",
        "wider rows take more of UB, and all readers have to ignore the bytes after the valid part",
    ),
    (
        "pto_tile_size",
        "either the tile or the view has the size that was meant",
    ),
    (
        "pto_ub_copy_overlap",
        "another place has to be free, or the copy is to be made in steps",
    ),
    ("pto_view_bounds", "either the offset or the size is wrong"),
    (
        "pto_zero_count",
        "whether nothing is to be moved is known to the author alone",
    ),
    (
        "reduce_max_rows",
        "the other rows have to be reduced by another pass, or were not meant",
    ),
    (
        "reduce_padding",
        "which value the padding is to have, or how much of it is valid, depends on the operation",
    ),
    (
        "reshape_size",
        "which level has the size that was meant is not known",
    ),
    (
        "runtime_panic",
        "what the kernel is to do in that case is not written",
    ),
    (
        "sequencer_incompatible",
        "either side may have the split that was meant",
    ),
    (
        "sequencer_insufficient_input",
        "either the stream is too long or the buffer too small",
    ),
    (
        "sequencer_write_broadcast",
        "which of the values is to be kept is not known",
    ),
    (
        "serialized_by_bank",
        "the padding of the rows, or the order of the loops, belongs to a tensor that other passes read",
    ),
    (
        "slow_lookup",
        "the contraction that takes the elements, or the split of its other operand, has to be written",
    ),
    (
        "slow_pass",
        "a smaller ring needs other slices on both sides; `visa-lint cost` searches for them",
    ),
    (
        "slow_transfer",
        "another layout concerns every operation on the tensor; `visa-lint cost` searches for one",
    ),
    (
        "spm_pe_size",
        "what each processing element is to hold is a decision of the layout",
    ),
    (
        "stage_unimplemented",
        "the stage has to be made of others, or by another pass",
    ),
    (
        "stale_read",
        "either the read or the write that came between is at the wrong place",
    ),
    ("stash_stage", "which value was to be kept is not known"),
    (
        "sub_vector_store",
        "the pass may go to the main context, or its result by way of DM, and each has another cost",
    ),
    (
        "switch_broadcast_axis_reused",
        "which axis was to name the copies is not written",
    ),
    (
        "switch_slice_size",
        "what the other slices are to hold is not written",
    ),
    (
        "switch_topology_mismatch",
        "either the topology or the declared slices are what was meant",
    ),
    (
        "tensor_lost",
        "either the elements are to be kept or the source was to hold more",
    ),
    (
        "tile_out_of_bounds",
        "either the index, the length or the axis is wrong",
    ),
    (
        "tile_reshape",
        "the tile has to be a tensor of its own, or the type to be changed before it is taken",
    ),
    (
        "transpose_single_buffer",
        "fewer columns change the stream after the transpose",
    ),
    (
        "trf_load_stall",
        "half of the register file holds half of the weights",
    ),
    (
        "trf_sequencer",
        "either the weights are stored in another order or the stream runs in another one",
    ),
    (
        "two_group_unavailable",
        "which values form the two groups is not written",
    ),
    (
        "unfinished_pass",
        "where the result is to go is not written",
    ),
    (
        "uninitialized_read",
        "what the tensor was to hold is not written",
    ),
    (
        "unresolved_operation",
        "the operation may be right: visa-lint cannot tell",
    ),
    (
        "unzip_group",
        "which axis tells the two groups apart is not written",
    ),
    (
        "vrf_element_mismatch",
        "either the register or the stream has the mapping that was meant",
    ),
    (
        "way_shape",
        "either side of the operation may have the mapping that was meant",
    ),
];

/// Why a rule's findings have no fix.
pub(super) fn reason_without_fix(rule: &str) -> Option<&'static str> {
    let mut reasons = REASONS.iter();
    reasons.find_map(|(name, reason)| (*name == rule).then_some(*reason))
}

#[cfg(test)]
mod tests {
    use visa_analysis::all_rules;

    use super::REASONS;

    #[test]
    fn reasons_are_those_of_rules_each_once() {
        for (name, _) in REASONS {
            assert!(all_rules().any(|rule| rule.name == *name), "{name}");
        }
        assert!(REASONS.is_sorted_by(|(one, _), (other, _)| one < other));
    }
}
