//! Which part of the machine a rule speaks about: the index of the documentation is ordered by it.

use super::Rule;

/// The parts in the order of the index, each with the beginnings of its rules' names. The longest beginning wins.
const ENGINES: &[(&str, &[&str])] = &[
    (
        "Mapping expressions",
        &[
            "mapping_",
            "unknown_axis",
            "duplicate_axis",
            "axis_",
            "stride_",
            "modulo_",
            "padding_",
            "resize_",
            "redundant_mapping_op",
            "unmerged_factors",
            "tile_",
        ],
    ),
    (
        "Tensors and memory",
        &[
            "chip_size",
            "cluster_size",
            "slice_size",
            "element_",
            "dm_",
            "trf_capacity",
            "trf_overlap",
            "vrf_",
            "hbm_capacity",
            "hbm_overlap",
            "stale_read",
            "tensor_lost",
            "claimed_",
            "shared_",
        ],
    ),
    ("Library", &["library_"]),
    ("Sequencers", &["sequencer_"]),
    ("Fetch Engine", &["fetch_", "interleave_"]),
    ("Switch Engine", &["switch_"]),
    ("Collect Engine", &["collect_", "pipeline_"]),
    (
        "Contraction Engine",
        &[
            "contraction_",
            "contract_",
            "trf_",
            "align_",
            "accumulat",
            "reduce_max_",
            "idle_rows",
            "half_mac_",
        ],
    ),
    (
        "Vector Engine",
        &[
            "vector_",
            "alu_",
            "narrow_",
            "way_",
            "stash_",
            "two_group_",
            "operand_",
            "intra_",
            "inter_reduce_",
            "vcg_",
        ],
    ),
    ("Cast Engine", &["cast_"]),
    ("Transpose Engine", &["transpose_"]),
    ("Commit Engine", &["commit_"]),
    (
        "DMA Engine and HBM",
        &["dma_", "hbm_", "dmn_", "slices_", "chip_transfer"],
    ),
    (
        "Banks and schedule",
        &[
            "bank_",
            "serialized_",
            "missed_",
            "idle_cluster",
            "idle_slices",
            "budget_",
        ],
    ),
    (
        "Not looked at",
        &["unresolved_operation", "dialect_", "analysis_"],
    ),
    ("Suppressions", &["unused_suppression", "unknown_rule"]),
];

/// The parts, in the order of the index.
pub fn engines() -> impl Iterator<Item = &'static str> {
    ENGINES.iter().map(|(engine, _)| *engine)
}

impl Rule {
    /// The part of the machine that the rule speaks about, as the index of the documentation names it.
    #[must_use]
    pub fn engine(&self) -> &'static str {
        let matching = ENGINES.iter().flat_map(|(engine, beginnings)| {
            let own = beginnings
                .iter()
                .filter(|name| self.name.starts_with(**name));
            own.map(|name| (name.len(), *engine))
        });
        matching.max().map_or("Other", |(_, engine)| engine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_an_engine_and_every_beginning_a_rule() {
        for rule in crate::rules::all() {
            assert_ne!(rule.engine(), "Other", "{}", rule.name);
        }
        let of = |name: &str| crate::rules::find(name).map(Rule::engine);
        assert_eq!(of("trf_capacity"), Some("Tensors and memory"));
        assert_eq!(of("trf_row_count"), Some("Contraction Engine"));
        assert_eq!(of("hbm_overlap"), Some("Tensors and memory"));
        assert_eq!(of("narrow_drops_data"), Some("Vector Engine"));
    }
}
