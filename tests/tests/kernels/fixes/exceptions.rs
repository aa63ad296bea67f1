//! Wrong kernels that are excepted from what holds of fixes, each with the reason.

use std::collections::BTreeSet;

/// Wrong kernels whose rule promises a fix or alternatives and that have none, with the reason.
pub(super) const WITHOUT: &[(&str, &str)] = &[
    (
        "collect_packet_size/wrong_alias_opt_std_0_8",
        "the packet is an argument of an alias, whose other uses are right",
    ),
    (
        "tile_mismatch/wrong_span_opt_std_0_8",
        "which axis is tiled instead, or with which padding, the author knows",
    ),
    (
        "trf_row_mismatch/wrong_padded_opt_std_0_8",
        "which axis has the lanes in place of the padded one the author knows",
    ),
    (
        "align_packet_size/wrong_opt_std_0_8",
        "a smaller packet asks for other times of the stages behind it, which the author declares",
    ),
    (
        "intra_reduce_mapping/wrong_opt_std_0_8",
        "the declared results, up to the function's own, hold the axis that the reduction takes away",
    ),
    (
        "inter_reduce_mapping/wrong_opt_std_0_8",
        "the declared results, up to the function's own, are at the other slices",
    ),
    (
        "inter_reduce_mapping/wrong_opt_std_0_6",
        "the padding comes with the load and is declared behind it: which part of the slice moves the author knows",
    ),
    (
        "inter_reduce_mapping/wrong_opt_std_0_7",
        "the order of the slices is that of the load and is declared up to the function's own result",
    ),
    (
        "chip_size/wrong_opt_std_0_10",
        "the attribute or the type: the author knows how many chips the kernel is for",
    ),
    (
        "cluster_size/wrong_opt_std_0_10",
        "no part of an axis of 4 clusters fits the element without another tensor in the HBM",
    ),
    (
        "dma_alignment/wrong_zero_opt_std_0_10",
        "whether the padding has to read as zero the author knows",
    ),
    (
        "dma_alignment/wrong_scratchpad_opt_std_0_9",
        "rows of one element become longer only with another tensor",
    ),
    (
        "tile_mismatch/wrong_scattered_opt_std_0_8",
        "no view has an axis in one run that the tensor scatters",
    ),
    (
        "switch_topology_mismatch/wrong_opt_std_0_6",
        "where slices and time are both declared otherwise, mending one of them leaves the other",
    ),
    (
        "switch_topology_mismatch/wrong_opt_std_0_8",
        "what is dropped, or taken from time, has no place that the declared slices leave to it",
    ),
    (
        "way_shape/wrong_opt_std_0_8",
        "an odd number of steps makes no pairs, whatever is declared behind them",
    ),
    (
        "dma_alignment/wrong_slice_opt_std_0_8",
        "only another order of the whole tensor brings the values of the axis further apart",
    ),
    (
        "dma_alignment/wrong_gather_opt_std_0_9",
        "rows of one element become longer only with another table",
    ),
    (
        "shared_padding_read/wrong_3",
        "a ring has no size that the axis fills: only another layout of the whole tensor mends it",
    ),
    (
        "modulo_indivisible/wrong",
        "the other part of the axis is in another expression, which this one alone cannot fit",
    ),
    (
        "stride_indivisible/wrong_2",
        "nobody knows what the 0 was to be, and its neighbours do not fit the kernel",
    ),
    (
        "modulo_indivisible/wrong_2",
        "nobody knows what the 0 was to be, and its neighbours do not fit the kernel",
    ),
];

/// Wrong kernels of which a proposal leaves something else to mend, with the reason. No machine fix does.
pub(super) const LEAVES_MORE: &[(&str, &str)] = &[
    (
        "violations/half_mac_packet/wrong",
        "the release repeats packets of one flit only",
    ),
    (
        "kernels/current/first/src/lib",
        "the load behind the store then reads the rows in the order of the first tensor, a short run each",
    ),
    (
        "kernels/current/tour/src/memory/chips",
        "the tile behind the load is declared in the order that the tensor had",
    ),
];

/// Whether a list excepts a path; `used` collects the entries that were needed.
pub(super) fn excepted<'a>(
    list: &[(&'a str, &str)],
    path: &str,
    used: &mut BTreeSet<&'a str>,
) -> bool {
    let entry = list.iter().find(|(entry, _)| {
        let entry = format!("{entry}.rs");
        path == format!("fixtures/violations/{entry}") || path == format!("fixtures/{entry}")
    });
    entry.is_some_and(|(entry, _)| {
        used.insert(entry);
        true
    })
}

/// Entries of a list that except nothing any more.
pub(super) fn stale(list: &[(&str, &str)], used: &BTreeSet<&str>) -> Vec<String> {
    list.iter()
        .filter(|(entry, _)| !used.contains(entry))
        .map(|(entry, _)| format!("{entry} needs no exception any more"))
        .collect()
}
