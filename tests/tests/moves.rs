//! The moves of the search one by one: each in the smallest kernel where it pays, applied and costed again.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking, also in its helpers"
)]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use visa_analysis::{KernelCost, Model, Proposal, Workspace};
use visa_tests::advice::{advised, faults, said, searched, total};
use visa_tests::hints::applied;
use visa_tests::{read, repository, rust_files};

/// Candidates of a kernel; enough for each move, few enough for a test.
const EFFORT: usize = 48;

fn cost<'a>(costs: &'a [KernelCost], kernel: &str) -> &'a KernelCost {
    costs.iter().find(|cost| cost.name == kernel).unwrap()
}

/// What the kernels of a text cost, each text searched once.
fn costs(text: &str) -> Arc<Vec<KernelCost>> {
    static KNOWN: Mutex<BTreeMap<String, Arc<Vec<KernelCost>>>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let advise = || Arc::new(advised(text, Model::Schedule, EFFORT));
    Arc::clone(known.entry(text.to_owned()).or_insert_with(advise))
}

/// All proposals of a kernel, judged.
fn judged(text: &str, kernel: &str) -> Vec<Proposal> {
    let costs = costs(text);
    let all = searched(cost(&costs, kernel));
    let before = said(text);
    for proposal in &all {
        let faults = faults(text, &before, kernel, proposal, Model::Schedule);
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }
    all.into_iter().cloned().collect()
}

/// The best proposal of a move, and the text that it makes.
fn best_by(text: &str, kernel: &str, by: &str) -> (Proposal, String) {
    let all = judged(text, kernel);
    let found = all.iter().find(|proposal| proposal.by == Some(by));
    let best = found.unwrap_or_else(|| panic!("no proposal by {by}: {all:#?}"));
    (best.clone(), applied(text, &best.edits))
}

/// A vector that a load copies into all slices; `REST` is how it is read.
const PRODUCTS: &str = "use furiosa_visa_std::prelude::*;
axes![O = 256, R = 4096];
type Chip = m![1];
type Cluster = m![1 # 2];
type Slice = m![O];
#[device(chip = 1)]
fn products(ctx: &mut Context, weights: &HbmTensor<bf16, Chip, m![O, R]>, vector: &HbmTensor<bf16, Chip, m![R]>, out: &mut HbmTensor<f32, Chip, m![O, 1 # 64]>) {
    let weights: DmTensor<bf16, Chip, Cluster, Slice, m![R]> = weights.to_dm(&mut ctx.tdma, 0);
    let vector: DmTensor<bf16, Chip, Cluster, Slice, m![R]> = vector.to_dm(&mut ctx.tdma, 1 << 13);
    let vector_trf: TrfTensor<bf16, Chip, Cluster, Slice, m![1], m![R]> = ctx
        .sub
        .begin(vector.view())
        .fetch::<bf16, m![1], m![R]>()
        .collect::<m![R / 16], m![R % 16]>()
        .to_trf(TrfAddress::Full);
    let result: DmTensor<f32, Chip, Cluster, Slice, m![1 # 64]> = ctx
        .main
        .begin(weights.view())
        .fetch::<bf16, m![R / 32], m![R % 32]>()
        .collect::<m![R / 16], m![R % 16]>()
        .align::<m![R / 32], m![R % 32], _, _>(&vector_trf)
        .contract::<m![1]>()
        .accumulate::<m![1], m![1 # 8]>(AccumulationKind::Interleaved)
        .commit(1 << 14);
    result.view().to_hbm_view(&mut ctx.tdma, out.view_mut());
}
";

#[test]
fn a_load_that_copies_becomes_a_broadcast_by_the_switch() {
    let (best, changed) = best_by(PRODUCTS, "products", "broadcast");
    assert!(
        changed.contains("SwitchConfig::Broadcast01 { slice1: 256, slice0: 1, time0: 1 }"),
        "{changed}"
    );
    // 8,192 bytes into 256 slices: 549 + 9.297 * 64 slices * 32 requests = 19,589 cycles. Spread over the slices it is a load
    // of 32 bytes a slice, and the pass has 263 + 512 cycles of the ring of 256 and one a flit and slice.
    let (before, after) = best.total.unwrap();
    assert!(after + 18_000 < before, "{before} became {after}");
    let again = judged(&changed, "products");
    assert!(
        again
            .iter()
            .all(|proposal| proposal.by != Some("broadcast"))
    );
}

#[test]
fn the_padding_of_a_ring_is_never_loaded() {
    let text = "use furiosa_visa_std::prelude::*;
axes![O = 256, L = 4, T = 16];
type Chip = m![1];
type Cluster = m![1 # 2];
#[device(chip = 1)]
fn little(ctx: &mut Context, scales: &HbmTensor<f32, Chip, m![T, L, 1 # 2]>) {
    let scales: DmTensor<f32, Chip, Cluster, m![L # 256], m![T, 1 # 2]> = scales.to_dm(&mut ctx.tdma, 0);
    let _scales: DmTensor<f32, Chip, Cluster, m![O], m![T, L # 256, 1 # 8]> = ctx
        .main
        .begin(scales.view())
        .fetch::<f32, m![T], m![1 # 2]>()
        .switch::<m![O], m![T, L # 256]>(SwitchConfig::Broadcast1 { slice1: 256, slice0: 1 })
        .collect::<m![T, L # 256], m![1 # 8]>()
        .commit(0x1000);
}
";
    let costs = advised(text, Model::Schedule, EFFORT);
    // What the ring's padding gives to a slice would have to be loaded: copies by padding are no candidates.
    let all = searched(cost(&costs, "little"));
    assert!(
        all.iter().all(|one| one.by != Some("broadcast")),
        "{all:#?}"
    );
}

const HELPERS: &str = "// dialect: opt-std@0.8
use furiosa_opt_std::prelude::*;
axes![N = 512];
type Chip = m![1];
type Cluster = m![1 # 2];
fn put<X: M, E: M, Dst: M>(device: &mut Device, x: &DmTensor<f32, Chip, Cluster, X, E>) -> HbmTensor<f32, Chip, Dst> {
    x.to_hbm(&mut device.tdma)
}
fn kept(device: &mut Device, y: &DmTensor<f32, Chip, Cluster, m![N / 2], m![N % 2]>) -> HbmTensor<f32, Chip, m![N]> {
    y.to_hbm(&mut device.tdma)
}
fn copied(device: &mut Device, x: &HbmTensor<f32, Chip, m![N]>) -> DmTensor<f32, Chip, Cluster, m![N / 2], m![N % 2]> {
    x.to_dm(&mut device.tdma)
}
#[device(chip = 1)]
fn generic(device: &mut Device, x: &HbmTensor<f32, Chip, m![N]>) -> HbmTensor<f32, Chip, m![N]> {
    let y = copied(device, x);
    put(device, &y)
}
#[device(chip = 1)]
fn plain(device: &mut Device, x: &HbmTensor<f32, Chip, m![N]>) -> HbmTensor<f32, Chip, m![N]> {
    let y = copied(device, x);
    kept(device, &y)
}
#[device(chip = 1)]
fn unnamed(device: &mut Device, x: &HbmTensor<f32, Chip, m![N]>) -> HbmTensor<f32, Chip, m![N]> {
    copied(device, x).to_hbm(&mut device.tdma)
}
";

#[test]
fn stores_of_helpers_are_gathered_where_no_caller_is_given_another_tensor() {
    let gathered = |kernel: &str| best_by(HELPERS, kernel, "gather").1;
    // For any mapping: the kernel gathers before it calls.
    let changed = gathered("generic");
    assert!(
        changed.contains("let y = copied(device, x);\n    let y = y.to_dm::<"),
        "{changed}"
    );
    // For one mapping: inside, and every caller is as legal as before.
    let changed = gathered("plain");
    let helper = changed.find("fn kept").unwrap();
    let gather = changed.find("let y = y.to_dm::<").unwrap();
    assert!(
        helper < gather && gather < changed.find("fn copied").unwrap(),
        "{changed}"
    );
    // What has no name is given one.
    let changed = gathered("unnamed");
    assert!(
        changed.contains("let stored = copied(device, x);\n    let stored = stored.to_dm::<"),
        "{changed}"
    );
}

#[test]
fn a_change_of_a_helper_makes_no_other_kernel_slower() {
    for kernel in ["generic", "plain", "unnamed"] {
        let costs = costs(HELPERS);
        for proposal in searched(cost(&costs, kernel)) {
            let changed = applied(HELPERS, &proposal.edits);
            for other in ["generic", "plain", "unnamed"] {
                let before = total(HELPERS, Model::Schedule, other).unwrap();
                let after = total(&changed, Model::Schedule, other);
                assert!(
                    after.is_some_and(|after| after <= before),
                    "{}: {other} takes {after:?} cycles instead of {before}",
                    proposal.message
                );
            }
        }
    }
}

/// The three stores of a decoder's projections, each of the result of a helper in another file.
#[test]
fn results_of_helpers_in_other_files_are_gathered() {
    let folder = repository().join("fixtures/kernels/current/decoder/src");
    let files: Vec<(String, String)> = rust_files(&folder)
        .iter()
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap();
            (format!("src/{name}"), read(path))
        })
        .collect();
    let advise = |files: &[(String, String)], effort: usize| -> KernelCost {
        let mut workspace = Workspace::new();
        let texts = files
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str()));
        workspace.set_files(texts);
        let costs = workspace
            .analysis()
            .costs_with_advice("src/model.rs", effort);
        cost(&costs.unwrap(), "query_key_value").clone()
    };
    let found = advise(&files, 24);
    let proposals = searched(&found);
    let best = proposals.first().expect("something is proposed");
    let (before, after) = best.total.unwrap();
    assert!((before - after) * 4 > before, "{before} became {after}");
    let changed: Vec<(String, String)> = files
        .iter()
        .map(|(path, text)| {
            let own = best.edits.iter().filter(|edit| *edit.file == **path);
            let own: Vec<_> = own.cloned().collect();
            (path.clone(), applied(text, &own))
        })
        .collect();
    assert_eq!(advise(&changed, 0).total, Some(after));
}

/// Elements that change their order on the way, eight bytes at a time and more.
const TURNED: &str = "// dialect: opt-std@0.8
use furiosa_opt_std::prelude::*;
axes![S = 256, A = 32, B = 64, C = 8];
type Chip = m![1];
type Cluster = m![1 # 2];
#[device(chip = 1)]
fn turned(device: &mut Device, x: &HbmTensor<bf16, Chip, m![S, A, B, C]>, out: &mut HbmTensor<bf16, Chip, m![S, B, A, C]>) {
    let x: DmTensor<bf16, Chip, Cluster, m![S], m![A, B, C]> = x.to_dm(&mut device.tdma);
    let z: DmTensor<bf16, Chip, Cluster, m![S], m![A, B, C]> = device.main.begin(x.view()).fetch::<m![A, B], m![C]>().collect::<m![A, B], m![C # 16]>().commit_trim::<m![C]>().commit();
    let y: DmTensor<bf16, Chip, Cluster, m![S], m![B, A, C]> = z.to_dm(&mut device.tdma);
    y.view().to_hbm_view(&mut device.tdma, out.view_mut());
}
#[device(chip = 1)]
fn loaded(device: &mut Device, x: &HbmTensor<bf16, Chip, m![S, A, B, C]>) -> HbmTensor<bf16, Chip, m![S, A, B, C]> {
    let x: DmTensor<bf16, Chip, Cluster, m![S], m![B, A, C]> = x.to_dm(&mut device.tdma);
    let y: DmTensor<bf16, Chip, Cluster, m![S], m![A, B, C]> = device.main.begin(x.view()).fetch::<m![A, B], m![C]>().collect::<m![A, B], m![C # 16]>().commit_trim::<m![C]>().commit();
    y.to_hbm(&mut device.tdma)
}
#[device(chip = 1)]
fn narrow(device: &mut Device, x: &HbmTensor<bf16, Chip, m![S, A, B]>) -> HbmTensor<bf16, Chip, m![S, A, B]> {
    let x: DmTensor<bf16, Chip, Cluster, m![S], m![A, B]> = x.to_dm(&mut device.tdma);
    let y: DmTensor<bf16, Chip, Cluster, m![S], m![A, B]> = device.main.begin(x.view()).fetch::<m![A, B / 4], m![B % 4]>().collect::<m![A, B / 4], m![B % 4 # 16]>().commit_trim::<m![B % 4]>().commit();
    y.to_hbm(&mut device.tdma)
}
";

#[test]
fn a_transfer_that_only_turns_elements_becomes_a_pass() {
    let (best, changed) = best_by(TURNED, "turned", "engine");
    let kernel = changed.split("fn loaded").next().unwrap();
    assert!(
        kernel.contains("m![B, A, C]> = device.main.begin(z.view()).fetch::<m![B, ")
            && !kernel.contains("z.to_dm("),
        "{kernel}"
    );
    let (before, after) = best.total.unwrap();
    assert!(after * 2 < before, "{before} became {after}");
}

#[test]
fn what_is_loaded_in_the_order_of_hbm_comes_in_longer_runs() {
    let all = judged(TURNED, "loaded");
    let best = all.first().expect("something is proposed");
    let changed = applied(TURNED, &best.edits);
    let kernel = changed.split("fn loaded").nth(1).unwrap();
    assert!(kernel.contains("m![A, B, C]"), "{kernel}");
    let (before, after) = best.total.unwrap();
    assert!(after * 4 < before, "{before} became {after}");
    // Not the same saving twice at one place.
    let single = all.iter().filter(|one| one.range == best.range);
    let totals: Vec<_> = single.map(|one| one.total).collect();
    let mut distinct = totals.clone();
    distinct.dedup();
    assert_eq!(totals, distinct);
}

#[test]
fn packets_are_fetched_in_whole_flits() {
    let (best, changed) = best_by(TURNED, "narrow", "packet");
    assert!(
        changed.contains(
            ".fetch::<m![A, B / 16], m![B % 16]>().collect::<m![A, B / 16], m![B % 16]>()"
        ),
        "{changed}"
    );
    // 32 * 16 packets of 8 bytes become 32 * 4 of 32.
    let (before, after) = best.total.unwrap();
    assert_eq!(before - after, 512 - 128);
}
