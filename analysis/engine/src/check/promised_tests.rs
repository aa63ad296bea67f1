//! What a performance finding promises: the right kernel beside the wrong one takes just those cycles.

use std::path::Path;

use crate::Options;
use crate::check::{body, function_simulation, function_time_findings};
use crate::db::AnalysisDatabase;
use crate::items::{ItemId, ItemKind, file_items};
use crate::rules::Saving;

fn fixture(rule: &str, name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/violations")
        .join(rule)
        .join(name);
    std::fs::read_to_string(path).unwrap_or_default()
}

/// A kernel by the figures of the book.
fn database(text: &str) -> AnalysisDatabase {
    let mut db = AnalysisDatabase::default();
    let options = Options {
        model: crate::Model::Book,
        ..Options::default()
    };
    db.set_project([("kernel.rs", text)], Vec::new(), options);
    db
}

fn functions(db: &AnalysisDatabase) -> Vec<ItemId> {
    let file = db.file("kernel.rs").expect("the file");
    let items = file_items(db, file);
    let items = items.items.iter().copied();
    items
        .filter(|item| item.kind(db) == ItemKind::Function)
        .collect()
}

/// What the findings of a rule in a kernel would save.
fn savings(rule: &str, text: &str) -> Vec<Saving> {
    let db = database(text);
    functions(&db)
        .into_iter()
        .flat_map(|function| function_time_findings(&db, function).findings.clone())
        .filter(|finding| finding.rule.name == rule)
        .filter_map(|finding| finding.saving)
        .collect()
}

/// The total of the only kernel of a text.
fn total(text: &str) -> Option<u64> {
    let db = database(text);
    let mut kernels = functions(&db)
        .into_iter()
        .filter(|function| body(&db, *function).device.is_some());
    function_simulation(&db, kernels.next()?).total()
}

#[test]
fn the_right_kernel_takes_the_promised_cycles() {
    // The right kernel of `half_mac_packet` has other weights, and of `trf_load_stall` the load's waiting is no part of the
    // schedule.
    for rule in [
        "fetch_narrow_packet",
        "fetch_partial_flit",
        "switch_ring_too_large",
        "switch_custom_is_regular",
        "idle_rows",
        "narrow_round_trip",
        "transpose_single_buffer",
        "commit_split_writes",
        "idle_slices",
        "idle_cluster",
    ] {
        let (wrong, right) = (fixture(rule, "wrong.rs"), fixture(rule, "right.rs"));
        let savings = savings(rule, &wrong);
        assert_eq!(savings.len(), 1, "{rule}");
        let promised = savings[0].kernel;
        assert_eq!(promised, total(&wrong).zip(total(&right)), "{rule}");
        if rule != "switch_custom_is_regular" {
            assert!(
                promised.is_some_and(|(before, after)| after < before),
                "{rule}"
            );
        }
    }
}
