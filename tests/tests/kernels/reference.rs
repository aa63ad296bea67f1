//! What the current library and its compiler refuse, row by row: which rule says it, and a wrong kernel of that library that
//! shows the rule; or why no kernel can.

use std::collections::{BTreeMap, BTreeSet};

use visa_tests::{marks, read, repository, rust_files, shown};

/// Rules that the current library keeps from the book's, by what they are about.
const KEPT: &[(&str, &str)] = &[
    (
        "names and numbers of mappings",
        "mapping_syntax unknown_axis duplicate_axis axis_size_zero mapping_overflow",
    ),
    (
        "factors",
        "stride_indivisible modulo_indivisible padding_shrinks resize_grows",
    ),
    (
        "how mappings are written",
        "axis_repeated redundant_mapping_op unmerged_factors",
    ),
    ("tiles", "tile_mismatch tile_out_of_bounds"),
    ("sizes of levels", "chip_size cluster_size slice_size"),
    (
        "one tensor and sums of live ones",
        "dm_capacity trf_capacity vrf_capacity hbm_capacity",
    ),
    (
        "addresses, until 0.5",
        "dm_overlap trf_overlap vrf_overlap hbm_overlap stale_read element_alignment",
    ),
    (
        "what moves lose and claim",
        "tensor_lost claimed_replication shared_padding_read",
    ),
    (
        "the fetch's sequencer",
        "sequencer_entries sequencer_iterations sequencer_incompatible sequencer_insufficient_input",
    ),
    ("the packet, until 0.6", "sequencer_packet"),
    (
        "the commit's sequencer",
        "sequencer_write_bounds sequencer_write_broadcast sequencer_write_stride commit_size",
    ),
    ("the fetched packet", "fetch_packet_alignment"),
    (
        "conversions",
        "fetch_cast_unsupported cast_unsupported fetch_cast_overflow",
    ),
    (
        "the sub context's fetch",
        "fetch_sub_context_size fetch_sub_context_adapter",
    ),
    ("zero points", "fetch_zero_point_range"),
    ("two tensors in turn", "interleave_mismatch"),
    (
        "switches",
        "switch_slice_size switch_parameters switch_topology_mismatch switch_order switch_not_innermost",
    ),
    (
        "copies of switches",
        "switch_broadcast_axis_reused switch_ring_too_small switch_ring_too_large switch_custom_is_regular",
    ),
    (
        "flits and their order",
        "collect_packet_size collect_packet_mismatch collect_time_mismatch pipeline_order",
    ),
    (
        "weights",
        "contraction_type trf_row_count trf_row_mismatch trf_element_mismatch",
    ),
    (
        "operands of contractions",
        "align_packet_size align_packet_mismatch align_time_mismatch align_operand_mismatch trf_sequencer",
    ),
    (
        "sums",
        "contract_packet_mismatch contract_output_limit accumulate_layout accumulator_capacity",
    ),
    (
        "the Vector Engine's stream",
        "vector_type vector_packet vector_stage_order vector_way vector_op_type",
    ),
    (
        "its stages",
        "alu_reuse narrow_drops_data way_shape inter_reduce_stage inter_reduce_mapping",
    ),
    ("stash and groups", "stash_stage two_group_unavailable"),
    ("its operands", "operand_mapping operand_type"),
    (
        "reductions in a slice",
        "intra_reduce_mapping intra_reduce_slots",
    ),
    (
        "casts and transposes",
        "cast_packet transpose_rows transpose_columns transpose_packet",
    ),
    (
        "commits",
        "commit_packet_size commit_mapping commit_alignment commit_in_place",
    ),
    ("transfers", "dma_alignment"),
];

/// Rules that the current library adds.
const ADDED: &str = "fetch_packet_contiguity lift_order lift_placement vrf_element_mismatch register_store_from_main \
    context_restriction unzip_group operand_slots operand_placement reduce_padding reshape_size pad_view slice_pattern slice_layout \
    gather_mapping scatter_mapping spm_capacity spm_pe_size spm_index_placement device_grid device_attribute live_slice_count \
    operand_not_constant runtime_panic generic_kernel stage_unimplemented kernel_language uninitialized_read \
    library_version_mismatch other_release_api";

/// The library's errors with the rules that say them.
const ERRORS: &[(&str, &str)] = &[
    (
        "FetchError ClusterSize, SliceSize",
        "cluster_size slice_size",
    ),
    (
        "FetchError Unreadable, Unread, NonContiguousPacket, TooManyEntries",
        "sequencer_incompatible tensor_lost fetch_packet_contiguity sequencer_entries",
    ),
    (
        "FetchVolumeError",
        "fetch_cast_overflow fetch_packet_alignment fetch_sub_context_size",
    ),
    ("FetchLiftError, FetchBaseError", "lift_placement"),
    ("SwitchError SliceSizeMismatch", "switch_slice_size"),
    (
        "SwitchError ZeroDimension, NotPowerOfTwo, SliceNotDivisible, TimeNotDivisible, RingSizeNotPowerOfTwo",
        "switch_parameters",
    ),
    (
        "SwitchError OutputMismatch, Unsequenceable, InTimeNotPreserved, OutSliceSourcedFromTime, OutputHasUnwritableRegion",
        "switch_topology_mismatch",
    ),
    (
        "SwitchError BroadcastNotNew, BroadcastUsedMoreThanOnce",
        "switch_broadcast_axis_reused",
    ),
    (
        "SwitchError RingSizeMismatch",
        "switch_ring_too_small switch_ring_too_large",
    ),
    (
        "SwitchError MovedAxesNotInnermost, MovedOrderNotPreserved",
        "switch_not_innermost switch_order",
    ),
    (
        "CollectError",
        "collect_packet_size collect_packet_mismatch collect_time_mismatch",
    ),
    (
        "ToTrfError",
        "trf_row_count trf_row_mismatch trf_element_mismatch trf_capacity",
    ),
    ("ToVrfError", "vrf_capacity vrf_element_mismatch"),
    (
        "StreamAdapterError",
        "trf_row_count align_packet_size align_packet_mismatch align_time_mismatch",
    ),
    (
        "ContractPacketError",
        "contract_packet_mismatch contract_output_limit",
    ),
    (
        "ContractTimeError, ContractLaneError",
        "accumulate_layout trf_row_count accumulator_capacity",
    ),
    (
        "VectorError Split, Concat, Pad, Trim",
        "way_shape narrow_drops_data",
    ),
    (
        "VectorError Unzip, Reduce",
        "unzip_group intra_reduce_mapping intra_reduce_slots",
    ),
    (
        "VrfOperandError, SlotDefect, an ALU in use",
        "operand_mapping operand_slots alu_reuse",
    ),
    (
        "CastError, TransposeError",
        "cast_packet transpose_packet transpose_rows",
    ),
    (
        "CommitTrimError, CommitCastError, CommitError",
        "commit_packet_size commit_mapping sequencer_entries",
    ),
    ("TileError, PadError", "tile_mismatch pad_view"),
    (
        "SlicePatternError, SliceError",
        "slice_pattern slice_layout dma_alignment",
    ),
    (
        "gathers and scatters",
        "gather_mapping scatter_mapping spm_index_placement",
    ),
    (
        "DMA tail alignment violation, DMA address stride alignment violation",
        "dma_alignment",
    ),
    ("tile window exceeds index extent", "tile_out_of_bounds"),
];

/// What only the compiler says, with a rule that the text leads to.
const TEXTS: &[(&str, &str)] = &[
    (
        "failed to translate vISA to IR: BeamSearch failed",
        "dm_capacity",
    ),
    (
        "Cannot find evict target for Vrf (0, size: 3932160)",
        "vrf_capacity",
    ),
    (
        "split (inner_size: 64) is not valid on shape([H_16=240])",
        "live_slice_count",
    ),
    ("cannot find the across_index", "live_slice_count"),
    (
        "slice extent 128 does not match the device config",
        "device_grid",
    ),
    (
        "in-slice element extent is 30 B, not a multiple of the SRAM access width 8",
        "commit_packet_size",
    ),
    (
        "lower_fetch_unit: failed to stride_exact",
        "sequencer_incompatible",
    ),
    (
        "StoVrf: kernel-declared fn_output_shape does not match vrf_shape",
        "vrf_element_mismatch",
    ),
    ("N is not available for op Binary(MulF)", "alu_reuse"),
    (
        "this node needs more slots than a VE pass has",
        "operand_slots",
    ),
    ("reduce axis should not have padding", "reduce_padding"),
    (
        "VRU reduce axes must be innermost in Partitioning",
        "inter_reduce_mapping",
    ),
    ("strides([8,128,4]) is not aligned by 8", "dma_alignment"),
    (
        "lir: incorrect buffer size at T7: buffer.size() (256) != 228",
        "tensor_lost",
    ),
    (
        "a vISA scalar operand must be known at compile time",
        "operand_not_constant",
    ),
    (
        "CTensorAddr::Var() count must be <= 1024",
        "kernel_language",
    ),
    ("A loop was not rewritten", "kernel_language"),
];

/// Rules of the rows above without a wrong kernel of the current library, and why.
const WITHOUT: &[(&str, &str)] = &[
    (
        "trf_overlap",
        "tensors in the TRF have addresses until 0.3 only; `dm_overlap` shows the rule for that library",
    ),
    ("vrf_overlap", "as `trf_overlap`"),
    ("hbm_overlap", "as `trf_overlap`"),
    ("stale_read", "as `trf_overlap`"),
    ("element_alignment", "as `trf_overlap`"),
    (
        "shared_padding_read",
        "masks never ran in the current library; a reduction over padding is `reduce_padding`",
    ),
    (
        "sequencer_iterations",
        "a loop of that many steps is longer than any time that fits the data memory",
    ),
    (
        "sequencer_insufficient_input",
        "`sequencer_incompatible` and `tensor_lost` say it of mappings that the library accepts",
    ),
    (
        "sequencer_write_broadcast",
        "`commit_mapping` says it where the element is compared exactly",
    ),
    ("sequencer_write_stride", "as `sequencer_write_broadcast`"),
    (
        "fetch_sub_context_adapter",
        "`context_restriction` says it where contexts are types",
    ),
    (
        "switch_slice_size",
        "the tensor behind the switch has the slices of another grid: `device_grid` says it there",
    ),
    (
        "vector_packet",
        "a collected packet is one flit, which has 8 elements of every type that the Vector Engine takes",
    ),
    (
        "commit_in_place",
        "Rust lends a tensor to the view that is read or to the one that is written",
    ),
];

/// The wrong kernels of the current library by the rules that their markers name.
fn shown_by() -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in rust_files(&repository().join("fixtures/violations")) {
        let text = read(&path);
        if !text.starts_with("// dialect: opt-std") {
            continue;
        }
        for (_, rule) in marks(&text) {
            found.entry(rule.clone()).or_default().push(shown(&path));
        }
    }
    found
}

fn rules() -> BTreeSet<&'static str> {
    let kept = KEPT.iter().flat_map(|(_, rules)| rules.split_whitespace());
    let errors = ERRORS
        .iter()
        .flat_map(|(_, rules)| rules.split_whitespace());
    kept.chain(ADDED.split_whitespace()).chain(errors).collect()
}

#[test]
fn every_row_has_a_wrong_kernel_or_a_reason() {
    let shown_by = shown_by();
    let mut problems = Vec::new();
    for rule in rules() {
        let reason = WITHOUT.iter().find(|(without, _)| *without == rule);
        match (shown_by.get(rule), reason) {
            (None, None) => {
                problems.push(format!("{rule}: no wrong kernel of the current library"));
            }
            (Some(kernels), Some(_)) => {
                problems.push(format!("{rule}: {} shows it", kernels.join(", ")));
            }
            _ => {}
        }
    }
    for (rule, _) in WITHOUT {
        if !rules().contains(rule) {
            problems.push(format!("{rule} is in no row"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn rows_name_rules_that_there_are() {
    let known: BTreeSet<&str> = visa_analysis::all_rules().map(|rule| rule.name).collect();
    let unknown: Vec<_> = rules().difference(&known).copied().collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

#[test]
fn what_the_compiler_says_leads_to_its_rule() {
    let mut problems = Vec::new();
    for (text, rule) in TEXTS {
        let output = visa_tests::command(env!("CARGO_BIN_EXE_visa-lint-tested"))
            .args(["explain", text])
            .output()
            .unwrap();
        let printed = String::from_utf8_lossy(&output.stdout);
        if !printed.contains(rule) {
            problems.push(format!("{text}: {rule} is not among {printed}"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
