//! Which part of the machine a rule speaks about: the index of the documentation is ordered by it.

use std::sync::LazyLock;

use crate::kernel::catalogue::{CATALOGUE, order_of_engines};

use super::Rule;

/// A part of the index: its title, and the beginnings of its rules' names.
type Part = (&'static str, &'static [&'static str]);

/// The parts before the engines of the Tensor Unit.
const BEFORE: &[Part] = &[
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
    ("Library", &["library_", "device_"]),
    ("Sequencers", &["sequencer_"]),
];

/// Beginnings of an engine's rules beside the names of its stages, by the engine's name in the catalogue.
const OF_ENGINES: &[Part] = &[
    ("Fetch", &["interleave_"]),
    ("Collect", &["pipeline_"]),
    (
        "Contraction",
        &[
            "contraction_",
            "trf_",
            "accumulat",
            "reduce_max_",
            "idle_rows",
            "half_mac_",
        ],
    ),
    (
        "Vector",
        &[
            "alu_",
            "narrow_",
            "way_",
            "two_group_",
            "operand_",
            "intra_",
            "vcg_",
        ],
    ),
];

/// The parts behind the engines of the Tensor Unit.
const AFTER: &[Part] = &[
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

/// The parts in the order of the index, each with the beginnings of its rules' names. The longest beginning wins. A rule of an
/// engine begins with the name of one of its stages.
static PARTS: LazyLock<Vec<(String, Vec<String>)>> = LazyLock::new(|| {
    let given = |(title, beginnings): &Part| {
        let beginnings = beginnings.iter().map(|name| (*name).to_owned());
        ((*title).to_owned(), beginnings.collect())
    };
    let engines = order_of_engines().into_iter().map(|engine| {
        let stages = CATALOGUE.iter().filter(|row| row.engine.whole() == engine);
        let mut beginnings: Vec<String> = stages.map(|row| format!("{}_", row.name)).collect();
        let others = OF_ENGINES.iter().filter(|(whole, _)| *whole == engine);
        beginnings
            .extend(others.flat_map(|(_, names)| names.iter().map(|name| (*name).to_owned())));
        (format!("{engine} Engine"), beginnings)
    });
    let before = BEFORE.iter().map(given);
    before
        .chain(engines)
        .chain(AFTER.iter().map(given))
        .collect()
});

/// The parts, in the order of the index.
pub fn engines() -> impl Iterator<Item = &'static str> {
    PARTS.iter().map(|(engine, _)| engine.as_str())
}

impl Rule {
    /// The part of the machine that the rule speaks about, as the index of the documentation names it.
    #[must_use]
    pub fn engine(&self) -> &'static str {
        let matching = PARTS.iter().flat_map(|(engine, beginnings)| {
            let own = beginnings
                .iter()
                .filter(|name| self.name.starts_with(name.as_str()));
            own.map(|name| (name.len(), engine.as_str()))
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
