//! The moves of the search one by one: each in the smallest kernel where it pays, applied and costed again.

mod transports;

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

/// Sixteen groups of sixteen slices, each group with a vector of its own.
#[test]
fn a_load_that_copies_within_groups_becomes_rings_of_a_group() {
    let text = PRODUCTS
        .replace("O = 256, R = 4096", "O = 256, R = 2048, P = 16, V = 16")
        .replace("type Slice = m![O]", "type Slice = m![P, V]")
        .replace("m![O, R]>, vector", "m![P, V, R]>, vector")
        .replace(
            "vector: &HbmTensor<bf16, Chip, m![R]>",
            "vector: &HbmTensor<bf16, Chip, m![P, R]>",
        )
        .replace("m![O, 1 # 64]", "m![P, V, 1 # 64]");
    let (best, changed) = best_by(&text, "products", "broadcast");
    assert!(
        changed.contains("SwitchConfig::Broadcast01 { slice1: 16, slice0: 1, time0: 8 }"),
        "{changed}"
    );
    assert!(
        changed.contains("m![P, R / 128], m![R % 128]>(&mut ctx.tdma, 1 << 13)"),
        "{changed}"
    );
    // 4,096 bytes into 16 copies: 549 + 2.45 * 64 slices * 16 requests = 3,058 cycles. Each slice with 256 of its own: 549 + 3 * 64 = 741.
    let (before, after) = best.total.unwrap();
    assert!(after + 2_000 < before, "{before} became {after}");
    let again = judged(&changed, "products");
    assert!(
        again
            .iter()
            .all(|proposal| proposal.by != Some("broadcast"))
    );
}

#[test]
fn a_reduction_below_padding_becomes_a_ring_and_a_sum() {
    let text = read(&repository().join("fixtures/schedules/0.8.1/interslice_8_below_padding.rs"));
    let (best, changed) = best_by(&text, "kernel", "ring");
    assert!(
        changed.contains("SwitchConfig::Broadcast1 { slice1: 8, slice0: 1 }"),
        "{changed}"
    );
    // The reduction waits for 8 slices 32 times: 281 + 1 + 9 * 255 + 3 = 2,580 cycles. The ring has 263 + 8, the sum behind it
    // 281 + 8 packets, and what comes behind the sum a pass of its own, 281 + 1.
    let (before, after) = best.total.unwrap();
    assert_eq!(before - after, 2_580 - 289 - 282);
    let again = judged(&changed, "kernel");
    assert!(again.iter().all(|proposal| proposal.by != Some("ring")));
}

/// What is reduced into dummy slices is a ring like any other.
#[test]
fn a_reduction_into_dummy_slices_becomes_a_ring_and_a_sum() {
    let text = read(&repository().join("fixtures/schedules/0.8.1/interslice_8_below_padding.rs"));
    let text =
        text.replace("m![1 # 32, V]", "m![1 # 256]")
            .replacen("m![V, 1 # 8]", "m![1 # 8]", 1);
    let (best, changed) = best_by(&text, "kernel", "ring");
    assert!(
        changed.contains(
            ".switch::<m![1 # 256], m![K / 480]>(SwitchConfig::Broadcast1 { slice1: 8, slice0: 1 })"
        ),
        "{changed}"
    );
    let (before, after) = best.total.unwrap();
    assert_eq!(before - after, 2_580 - 289 - 282);
}

/// Two passes of which the second alone reads what the first commits.
const SCALED_AND_MOVED: &str = "use furiosa_opt_std::prelude::*;
axes![S = 256, N = 1024];
type Chip = m![1];
type Cluster = m![1 # 2];
#[device(chip = 1)]
pub fn affine(device: &mut Device, x: &HbmTensor<f32, Chip, m![S, N]>) -> HbmTensor<f32, Chip, m![S, N]> {
    let x: DmTensor<f32, Chip, Cluster, m![S], m![N]> = x.to_dm(&mut device.tdma);
    let a: DmTensor<f32, Chip, Cluster, m![S], m![N]> = device
        .main
        .begin(x.view())
        .fetch::<m![1], m![N]>()
        .collect::<m![N / 8], m![N % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_narrow_split::<m![N / 4], m![N % 4]>()
        .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), 2f32)
        .vector_widen_concat::<m![N / 8], m![N % 8]>()
        .vector_final()
        .commit_trim::<m![N % 8]>()
        .commit();
    let b: DmTensor<f32, Chip, Cluster, m![S], m![N]> = device
        .main
        .begin(a.view())
        .fetch::<m![1], m![N]>()
        .collect::<m![N / 8], m![N % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_narrow_split::<m![N / 4], m![N % 4]>()
        .vector_fp_binary(FpBinaryOp::AddF, 1f32)
        .vector_widen_concat::<m![N / 8], m![N % 8]>()
        .vector_final()
        .commit_trim::<m![N % 8]>()
        .commit();
    b.to_hbm(&mut device.tdma)
}
";

#[test]
fn two_passes_become_one() {
    let (best, changed) = best_by(SCALED_AND_MOVED, "affine", "fuse");
    assert!(!changed.contains("let a:"), "{changed}");
    assert_eq!(
        changed.matches("vector_narrow_split").count(),
        1,
        "{changed}"
    );
    // Each takes 281 + 256 packets of four lanes, and so does the one.
    let (before, after) = best.total.unwrap();
    assert_eq!(before - after, 537);
    // What is rounded between stays rounded.
    let rounded = SCALED_AND_MOVED
        .replacen("let a: DmTensor<f32,", "let a: DmTensor<bf16,", 1)
        .replacen(
            ".vector_final()\n        .commit_trim::<m![N % 8]>()",
            ".vector_final()\n        .cast::<bf16, m![N % 8 # 16]>()\n        .commit_trim::<m![N % 8]>()",
            1,
        )
        .replacen(
            ".begin(a.view())\n        .fetch::<m![1], m![N]>()",
            ".begin(a.view())\n        .fetch::<m![1], m![N]>()\n        .fetch_cast::<f32>()",
            1,
        );
    assert!(total(&rounded, Model::Schedule, "affine").is_some());
    let all = judged(&rounded, "affine");
    assert!(all.iter().all(|proposal| proposal.by != Some("fuse")));
}

/// A vector that a load copies, converted by its reader.
const WEIGHTED: &str = "use furiosa_opt_std::prelude::*;
axes![S = 256, N = 2048];
type Chip = m![1];
type Cluster = m![1 # 2];
#[device(chip = 1)]
pub fn weighted(device: &mut Device, x: &HbmTensor<bf16, Chip, m![S, N]>, w: &HbmTensor<bf16, Chip, m![N]>) -> HbmTensor<bf16, Chip, m![S, N]> {
    let x: DmTensor<bf16, Chip, Cluster, m![S], m![N]> = x.to_dm(&mut device.tdma);
    let w: DmTensor<bf16, Chip, Cluster, m![S], m![N]> = w.to_dm(&mut device.tdma);
    let w: VrfTensor<f32, Chip, Cluster, m![S], m![N]> = device.sub.begin(w.view()).fetch::<m![1], m![N]>().fetch_cast::<f32>().collect::<m![N / 8], m![N % 8]>().to_vrf();
    let y: DmTensor<bf16, Chip, Cluster, m![S], m![N]> = device
        .main
        .begin(x.view())
        .fetch::<m![1], m![N]>()
        .fetch_cast::<f32>()
        .collect::<m![N / 8], m![N % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_narrow_split::<m![N / 4], m![N % 4]>()
        .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), &w)
        .vector_widen_concat::<m![N / 8], m![N % 8]>()
        .vector_final()
        .cast::<bf16, m![N % 8 # 16]>()
        .commit_trim::<m![N % 8]>()
        .commit();
    y.to_hbm(&mut device.tdma)
}
";

#[test]
fn a_broadcast_comes_behind_a_conversion() {
    let (best, changed) = best_by(WEIGHTED, "weighted", "broadcast");
    assert!(
        changed.contains(".fetch_cast::<f32>().switch::<m![S]"),
        "{changed}"
    );
    let (before, after) = best.total.unwrap();
    assert!(after + 5_000 < before, "{before} became {after}");
}

#[test]
fn what_nothing_reads_is_left_out() {
    let spare = "    let spare: DmTensor<bf16, Chip, Cluster, Slice, m![R]> = vector.to_dm(&mut ctx.tdma, 1 << 15);\n";
    let weights = "    let weights: DmTensor";
    let text = PRODUCTS.replacen(weights, &format!("{spare}{weights}"), 1);
    let (best, changed) = best_by(&text, "products", "unread");
    assert_eq!(changed, PRODUCTS);
    let (before, after) = best.total.unwrap();
    assert_eq!(total(PRODUCTS, Model::Schedule, "products"), Some(after));
    assert!(after < before);
    let costs = costs(PRODUCTS);
    let all = searched(cost(&costs, "products"));
    assert!(all.iter().all(|proposal| proposal.by != Some("unread")));
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

/// Single elements that a pass packs, of an axis that slices could have.
const PACKED: &str = "// dialect: opt-std@0.8
use furiosa_opt_std::prelude::*;
axes![S = 64, A = 4, B = 64];
type Chip = m![1];
type Cluster = m![1 # 2];
#[device(chip = 1)]
pub fn packed(device: &mut Device, x: &HbmTensor<bf16, Chip, m![S, A, B, 1 # 4]>, out: &mut HbmTensor<bf16, Chip, m![S, A, B]>) {
    let x: DmTensor<bf16, Chip, Cluster, m![S # 256], m![B, A, 1 # 4]> = x.to_dm(&mut device.tdma);
    let y: DmTensor<bf16, Chip, Cluster, m![S # 256], m![B, A]> = device
        .main
        .begin(x.view())
        .fetch::<m![B, A], m![1 # 4]>()
        .collect::<m![B, A], m![1 # 16]>()
        .transpose::<m![B], m![A # 16]>()
        .commit_trim::<m![A]>()
        .commit();
    y.view().to_hbm_view(&mut device.tdma, out.view_mut());
}
";

#[test]
fn a_split_turns_the_transpose_behind_it() {
    let (best, changed) = best_by(PACKED, "packed", "split");
    assert!(
        changed.contains(".transpose::<m![B / 4], m![B % 4 # 16]>()"),
        "{changed}"
    );
    assert!(changed.contains(".commit_trim::<m![B % 4]>()"), "{changed}");
    // 256 slices of 512 bytes, 549 + 3 * 64 * 2; and 256 pieces of 128 bytes in 128 units: 430 + 2.2 * 4 * 128.
    let after = total(&changed, Model::Schedule, "packed");
    assert_eq!(best.total.map(|(_, after)| after), after);
    let costs = advised(&changed, Model::Schedule, 0);
    let cycles = |name: &str| {
        let rows = &cost(&costs, "packed").operations;
        let row = rows.iter().find(|row| row.name.starts_with(name)).unwrap();
        row.cycles.unwrap()
    };
    assert_eq!((cycles("to_dm"), cycles("to_hbm_view")), (933, 1_556));
    let again = judged(&changed, "packed");
    assert!(
        again
            .iter()
            .all(|proposal| proposal.message != best.message)
    );
}

/// A split is for one tensor, and may be written at another's line first.
#[test]
fn a_split_is_shown_at_the_first_line_that_it_changes() {
    let mut splits = 0;
    for (text, kernel) in [
        (PACKED, "packed"),
        (PRODUCTS, "products"),
        (TURNED, "narrow"),
    ] {
        for proposal in judged(text, kernel) {
            if proposal
                .by
                .is_some_and(|by| by == "split" || by == "both_clusters")
            {
                let first = proposal
                    .edits
                    .iter()
                    .map(|edit| edit.start_byte)
                    .min()
                    .unwrap();
                let line = text[..first as usize].matches('\n').count();
                assert_eq!(
                    proposal.range.start.line as usize,
                    line + 1,
                    "{}",
                    proposal.message
                );
                splits += 1;
            }
        }
    }
    assert!(splits > 0);
}
