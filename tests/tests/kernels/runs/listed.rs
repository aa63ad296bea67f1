//! Kernels of the fixtures that are excepted from what holds of runs, each with the reason.

/// A kernel by its path below the folder of all rules, and the reason.
pub(super) type Listed = (&'static str, &'static str);

/// Right kernels that do not run, with a part of the reason that the run gives.
pub(super) const NOT_RUN: &[Listed] = &[
    (
        "claimed_replication/right_3.rs",
        "the copies that a broadcast leaves in empty positions are not followed",
    ),
    (
        "claimed_replication/right_5.rs",
        "names bytes that another tensor wrote",
    ),
    (
        "commit_alignment/right_tile_begins_at_8_bytes.rs",
        "comes from where a run does not look",
    ),
    (
        "dma_alignment/right_tile_begins_at_8_bytes.rs",
        "comes from where a run does not look",
    ),
    (
        "fetch_sub_context_adapter/right.rs",
        "a lookup by a table of the kernel is not executed",
    ),
    (
        "generic_kernel/right_opt_std_0_7.rs",
        "the mapping of `_shape` is not known",
    ),
    (
        "reduce_max_rows/right.rs",
        "maxima of products have no meaning on the CPU",
    ),
];

/// The result type has less than the source: a run computes what is left, as the library does, and all of it is defined.
const LESS: &str = "what is lost is no part of any output";
/// Releases differ in it, or nobody knows it: a run counts it as right.
const UNKNOWN: &str = "the device's behaviour is not known well enough to mark elements";
/// Nothing is stored that a run could report.
const NO_OUTPUT: &str = "the fault reaches no output of the function";

/// Wrong kernels of group `silent` in which a run finds nothing, with the reason.
pub(super) const SILENT_ONLY: &[Listed] = &[
    ("accumulate_slices_data/wrong.rs", LESS),
    ("dummy_cluster_pass/wrong.rs", UNKNOWN),
    (
        "hbm_overlap/wrong_2.rs",
        "the host chooses the addresses of arguments",
    ),
    ("narrow_drops_data/wrong.rs", LESS),
    ("narrow_drops_data/wrong_opt_std_0_8.rs", LESS),
    ("partial_load/wrong.rs", UNKNOWN),
    ("register_store_from_main/wrong.rs", UNKNOWN),
    (
        "stale_read/wrong.rs",
        "bytes of another tensor are not followed, so it does not run",
    ),
    ("sub_vector_store/wrong.rs", UNKNOWN),
    ("tensor_lost/wrong.rs", LESS),
    ("tensor_lost/wrong_2.rs", LESS),
    ("tensor_lost/wrong_3.rs", LESS),
    ("tensor_lost/wrong_4.rs", LESS),
    ("tensor_lost/wrong_5.rs", LESS),
    ("tensor_lost/wrong_6.rs", LESS),
    ("tensor_lost/wrong_7.rs", LESS),
    ("tensor_lost/wrong_copied_opt_std_0_10.rs", LESS),
    ("tensor_lost/wrong_fetch_opt_std_0_10.rs", LESS),
    ("tensor_lost/wrong_group.rs", LESS),
    ("tensor_lost/wrong_parallel_copy.rs", LESS),
    ("tensor_lost/wrong_parallel_copy_2.rs", LESS),
    ("tensor_lost/wrong_plan_opt_std_0_8.rs", LESS),
    ("tensor_lost/wrong_renamed_opt_std_0_6.rs", LESS),
    ("tensor_lost/wrong_resized_opt_std_0_8.rs", LESS),
    ("tensor_lost/wrong_scatter.rs", LESS),
    ("tensor_lost/wrong_scatter_2.rs", LESS),
    ("tensor_lost/wrong_scatter_3.rs", LESS),
    ("tensor_lost/wrong_scatter_index.rs", LESS),
    ("tensor_lost/wrong_scatter_index_2.rs", LESS),
    ("tensor_lost/wrong_trim_opt_std_0_10.rs", LESS),
    ("tensor_lost/wrong_vrf_load.rs", LESS),
    ("tensor_lost/wrong_vrf_load_2.rs", LESS),
    ("transpose_trims_data/wrong.rs", LESS),
    ("trf_overlap/wrong.rs", NO_OUTPUT),
];

/// Random inputs fill positions, and the fix gives a parameter or result other positions.
const TYPES: &str = "the fix changes the mapping of a parameter or result";
/// The kernel is no legal one, and has no numbers that a fix could keep.
const LOST: &str = "the wrong kernel loses elements or sums too many, and the fix does not";

/// Wrong kernels whose fixes change what they compute, with the reason.
pub(super) const CHANGED_BY_FIXES: &[Listed] = &[
    ("accumulate_slices_data/wrong.rs", LOST),
    ("collect_packet_size/wrong_opt_std_0_10.rs", TYPES),
    ("commit_mapping/wrong_copies_opt_std_0_10.rs", LOST),
    ("commit_mapping/wrong_trim_opt_std_0_8.rs", LOST),
    ("contract_packet_mismatch/wrong.rs", LOST),
    ("contract_packet_mismatch/wrong_opt_std_0_8.rs", LOST),
    (
        "dma_alignment/wrong_tile_begins_within_8_bytes.rs",
        "the fix begins the tile elsewhere",
    ),
    ("hbm_partial_write/wrong.rs", TYPES),
    ("inter_reduce_mapping/wrong.rs", LOST),
    ("intra_reduce_mapping/wrong.rs", LOST),
    ("intra_reduce_mapping/wrong_2.rs", LOST),
    ("narrow_drops_data/wrong.rs", LOST),
    ("narrow_drops_data/wrong_opt_std_0_8.rs", LOST),
    ("operand_type/wrong_2.rs", TYPES),
    ("vcg_slice_order/wrong_2.rs", TYPES),
];
