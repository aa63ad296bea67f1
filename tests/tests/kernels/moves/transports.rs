//! Moves of how bytes come to where they are used: into the VRF, through HBM, by one load in place of several.

use visa_analysis::Model;
use visa_tests::advice::total;

use super::{best_by, judged};

/// A result that the sub context brings back into the VRF.
const BROUGHT_BACK: &str = "// dialect: opt-std@0.8
use furiosa_opt_std::prelude::*;
axes![S = 256, N = 1024];
type Chip = m![1];
type Cluster = m![1 # 2];
#[device(chip = 1)]
pub fn gated(device: &mut Device, x: &HbmTensor<f32, Chip, m![S, N]>) -> HbmTensor<f32, Chip, m![S, N]> {
    let x: DmTensor<f32, Chip, Cluster, m![S], m![N]> = x.to_dm(&mut device.tdma);
    let a: DmTensor<f32, Chip, Cluster, m![S], m![N]> = device
        .main
        .begin(x.view())
        .fetch::<m![1], m![N]>()
        .collect::<m![N / 8], m![N % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_narrow_split::<m![N / 4], m![N % 4]>()
        .vector_fp_unary(FpUnaryOp::Sigmoid)
        .vector_widen_concat::<m![N / 8], m![N % 8]>()
        .vector_final()
        .commit_trim::<m![N % 8]>()
        .commit();
    let a: VrfTensor<f32, Chip, Cluster, m![S], m![N]> = device
        .sub
        .begin(a.view())
        .fetch::<m![1], m![N]>()
        .collect::<m![N / 8], m![N % 8]>()
        .to_vrf();
    let b: DmTensor<f32, Chip, Cluster, m![S], m![N]> = device
        .main
        .begin(x.view())
        .fetch::<m![1], m![N]>()
        .collect::<m![N / 8], m![N % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_narrow_split::<m![N / 4], m![N % 4]>()
        .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), &a)
        .vector_widen_concat::<m![N / 8], m![N % 8]>()
        .vector_final()
        .commit_trim::<m![N % 8]>()
        .commit();
    b.to_hbm(&mut device.tdma)
}
";

#[test]
fn a_pass_ends_in_the_vrf_where_the_release_lets_it() {
    let (best, changed) = best_by(BROUGHT_BACK, "gated", "direct");
    assert!(!changed.contains(".begin(a.view())"), "{changed}");
    assert_eq!(
        changed.matches(".to_vrf(&mut device.sub)").count(),
        1,
        "{changed}"
    );
    // The pass has 281 + 256 packets of four lanes, and the one that brings them back 263 + 4,096 bytes by 8 a cycle. One that ends
    // in the VRF has 280 + 256.
    let (before, after) = best.total.unwrap();
    assert_eq!(before - after, 537 + 775 - 536);
    let again = judged(&changed, "gated");
    assert!(again.iter().all(|proposal| proposal.by != Some("direct")));
    // 0.6.0 does not come back from such a pass.
    let older = BROUGHT_BACK.replacen("@0.8", "@0.6", 1);
    assert!(total(&older, Model::Schedule, "gated").is_some());
    let all = judged(&older, "gated");
    assert!(all.iter().all(|proposal| proposal.by != Some("direct")));
    // What is rounded between stays rounded.
    let rounded = BROUGHT_BACK
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
    assert!(total(&rounded, Model::Schedule, "gated").is_some());
    let all = judged(&rounded, "gated");
    assert!(all.iter().all(|proposal| proposal.by != Some("direct")));
}

/// The book's library chooses the address of a register file itself in no case: the author's stays.
#[test]
fn a_pass_of_the_book_ends_in_the_vrf_at_the_address_of_its_reader() {
    let text = BROUGHT_BACK
        .replace("// dialect: opt-std@0.8\n", "")
        .replace("furiosa_opt_std", "furiosa_visa_std")
        .replace("device: &mut Device", "ctx: &mut Context")
        .replace("device\n", "ctx\n")
        .replace("&mut device.tdma", "&mut ctx.tdma")
        .replace(
            "vector_intra_slice_tag(TagMode::Zero)",
            "vector_intra_slice_branch(BranchMode::Unconditional)",
        )
        .replace("vector_narrow_split", "vector_split")
        .replace("vector_widen_concat", "vector_concat")
        .replace(".fetch::<m![1]", ".fetch::<f32, m![1]")
        .replace(".commit_trim::<m![N % 8]>()\n        ", "")
        .replace(".to_vrf()", ".to_vrf(0x400)")
        .replacen("x.to_dm(&mut ctx.tdma)", "x.to_dm(&mut ctx.tdma, 0)", 1)
        .replacen(".commit()", ".commit(0x2000)", 1)
        .replacen(".commit()", ".commit(0x4000)", 1)
        .replace("b.to_hbm(&mut ctx.tdma)", "b.to_hbm(&mut ctx.tdma, 0)");
    let (best, changed) = best_by(&text, "gated", "direct");
    assert!(changed.contains(".to_vrf(0x400)"), "{changed}");
    assert!(!changed.contains(".begin(a.view())"), "{changed}");
    let (before, after) = best.total.unwrap();
    // By the table of 0.5.1, in which a pass that ends in the VRF has 263 + 256.
    assert_eq!(before - after, 537 + 775 - 519);
}

/// A tensor that goes to other slices by HBM, in pieces of 240 bytes.
const RELAID: &str = "// dialect: opt-std@0.8
use furiosa_opt_std::prelude::*;
axes![K = 30720];
type Chip = m![1];
type Cluster = m![1 # 2];
#[device(chip = 1)]
pub fn relaid(device: &mut Device, x: &HbmTensor<bf16, Chip, m![K]>) -> HbmTensor<bf16, Chip, m![K]> {
    let x: DmTensor<bf16, Chip, Cluster, m![K / 120], m![K % 120]> = x.to_dm(&mut device.tdma);
    let hop: HbmTensor<bf16, Chip, m![K]> = x.to_hbm(&mut device.tdma);
    let y: DmTensor<bf16, Chip, Cluster, m![K / 120 % 16, K / 1920], m![K % 120]> = hop.to_dm(&mut device.tdma);
    y.to_hbm(&mut device.tdma)
}
";

#[test]
fn what_a_kernel_keeps_for_itself_is_stored_in_slots_of_its_own() {
    let (best, changed) = best_by(RELAID, "relaid", "slots");
    assert!(changed.contains("m![K / 120, K % 120 # 128]"), "{changed}");
    assert!(changed.contains("-> HbmTensor<bf16, Chip, m![K]>"));
    // Each of 240 units is written in two pieces: 430 + 2.2 * 4 * 240 = 2,542 cycles. Of 256 slots each is written in one: 993. Behind
    // it, of the 64 pieces of an engine all cross a boundary, 549 + 3 * 128 cycles, and none does any more: 549 + 2.45 * 64.
    let (before, after) = best.total.unwrap();
    assert_eq!(before - after, (2_542 - 993) + (933 - 706));
    let again = judged(&changed, "relaid");
    assert!(again.iter().all(|proposal| proposal.by != Some("slots")));
    // Declared apart from the store, and to be stored into a view.
    let apart = RELAID.replacen(
        "let hop: HbmTensor<bf16, Chip, m![K]> = x.to_hbm(&mut device.tdma);",
        "let mut hop: HbmTensor<bf16, Chip, m![K]> = HbmTensor::new();\n    x.view().to_hbm_view(&mut device.tdma, hop.view_mut());",
        1,
    );
    let (best, changed) = best_by(&apart, "relaid", "slots");
    assert!(
        changed.contains("HbmTensor<bf16, Chip, m![K / 120, K % 120 # 128]> = HbmTensor::new()"),
        "{changed}"
    );
    let (before, after) = best.total.unwrap();
    assert_eq!(before - after, (2_542 - 993) + (933 - 706));
    // What it gives keeps its mapping.
    let given = RELAID.replacen("y.to_hbm(&mut device.tdma)", "hop", 1);
    let all = judged(&given, "relaid");
    assert!(all.iter().all(|proposal| proposal.by != Some("slots")));
}

#[test]
fn what_goes_by_hbm_to_other_slices_moves_inside_of_dm() {
    let (best, changed) = best_by(RELAID, "relaid", "on_chip");
    assert!(!changed.contains("hop"), "{changed}");
    assert!(
        changed.contains("m![K % 120]> = x.to_dm(&mut device.tdma);\n    y.to_hbm"),
        "{changed}"
    );
    // The store of 240 units in two pieces each, the synchronisation and what comes behind it, and a load of 64 pieces that cross
    // boundaries, 549 + 3 * 128, against a move of 64 pieces an engine, 435 + 3 * 64.
    let (before, after) = best.total.unwrap();
    assert_eq!(before - after, 2_542 + 600 + 1_000 + 933 - 627);
    let again = judged(&changed, "relaid");
    assert!(again.iter().all(|proposal| proposal.by != Some("on_chip")));
    // Into a view, of what is declared apart, and with mappings of its own.
    let apart = RELAID
        .replacen(
            "let hop: HbmTensor<bf16, Chip, m![K]> = x.to_hbm(&mut device.tdma);",
            "let mut hop: HbmTensor<bf16, Chip, m![K]> = HbmTensor::new();\n    x.view().to_hbm_view(&mut device.tdma, hop.view_mut());",
            1,
        )
        .replacen(
            "let y: DmTensor<bf16, Chip, Cluster, m![K / 120 % 16, K / 1920], m![K % 120]> = hop.to_dm(",
            "let y = hop.view().to_dm::<Cluster, m![K / 120 % 16, K / 1920], m![K % 120]>(",
            1,
        );
    let (best, changed) = best_by(&apart, "relaid", "on_chip");
    assert!(!changed.contains("hop"), "{changed}");
    assert!(
        changed.contains(
            "let y = x.to_dm::<m![1], m![1 # 2], m![K / 120 % 16, K / 1920], m![K % 120]>("
        ),
        "{changed}"
    );
    let (before, after) = best.total.unwrap();
    assert_eq!(before - after, 2_542 + 600 + 1_000 + 933 - 627);
}

/// The book's library gives a transfer inside of DM fewer mappings and an address.
#[test]
fn what_goes_by_hbm_in_the_book_moves_to_the_address_of_its_reader() {
    let text = RELAID
        .replace("// dialect: opt-std@0.8\n", "")
        .replace("furiosa_opt_std", "furiosa_visa_std")
        .replace("device: &mut Device", "ctx: &mut Context")
        .replace("device.tdma", "ctx.tdma")
        .replacen("x.to_dm(&mut ctx.tdma)", "x.to_dm(&mut ctx.tdma, 0)", 1)
        .replacen(
            "hop.to_dm(&mut ctx.tdma)",
            "hop.to_dm(&mut ctx.tdma, 0x800)",
            1,
        )
        .replacen(
            "x.to_hbm(&mut ctx.tdma)",
            "x.to_hbm(&mut ctx.tdma, 1 << 28)",
            1,
        )
        .replacen(
            "y.to_hbm(&mut ctx.tdma)",
            "y.to_hbm(&mut ctx.tdma, 1 << 29)",
            1,
        );
    for model in [Model::Schedule, Model::Book] {
        assert!(total(&text, model, "relaid").is_some(), "{text}");
    }
    let (_, changed) = best_by(&text, "relaid", "on_chip");
    assert!(
        changed.contains("x.to_dm(&mut ctx.tdma, 0x800)"),
        "{changed}"
    );
}

#[test]
fn what_has_to_go_by_hbm_goes_there() {
    let stays = |text: &str| {
        assert!(total(text, Model::Schedule, "relaid").is_some(), "{text}");
        let all = judged(text, "relaid");
        assert!(
            all.iter().all(|proposal| proposal.by != Some("on_chip")),
            "{all:#?}"
        );
    };
    // The kernel gives it.
    stays(&RELAID.replacen("y.to_hbm(&mut device.tdma)", "hop", 1));
    // The load writes copies.
    let copies = RELAID
        .replacen("axes![K = 30720]", "axes![K = 30720, V = 2]", 1)
        .replacen(
            "Cluster, m![K / 120 % 16, K / 1920], m![K % 120]>",
            "m![V], m![K / 120 % 16, K / 1920], m![K % 120]>",
            1,
        )
        .replacen(
            "y.to_hbm(&mut device.tdma)",
            "let _z: HbmTensor<bf16, Chip, m![V, K]> = y.to_hbm(&mut device.tdma);\n    x.to_hbm(&mut device.tdma)",
            1,
        );
    stays(&copies);
    // Its name means something else where it is loaded.
    let named = RELAID.replacen("    let y:", "    let x = 0;\n    let y:", 1);
    stays(&named);
    // Releases up to 0.6 move nothing to the other cluster.
    let other = RELAID.replace("opt-std@0.8", "opt-std@0.6").replacen(
        "Cluster, m![K / 120 % 16, K / 1920], m![K % 120]>",
        "m![K / 15360], m![K / 120 % 128 # 256], m![K % 120]>",
        1,
    );
    stays(&other);
}

/// A tensor that is loaded once for the main context and once for the VRF.
const TWICE: &str = "// dialect: opt-std@0.8
use furiosa_opt_std::prelude::*;
axes![S = 256, N = 1024];
type Chip = m![1];
type Cluster = m![1 # 2];
#[device(chip = 1)]
pub fn squares(device: &mut Device, x: &HbmTensor<f32, Chip, m![S, N]>) -> HbmTensor<f32, Chip, m![S, N]> {
    let a: DmTensor<f32, Chip, Cluster, m![S], m![N]> = x.to_dm(&mut device.tdma);
    let b: DmTensor<f32, Chip, Cluster, m![S], m![N]> = x.to_dm(&mut device.tdma);
    let w: VrfTensor<f32, Chip, Cluster, m![S], m![N]> = device.sub.begin(b.view()).fetch::<m![1], m![N]>().collect::<m![N / 8], m![N % 8]>().to_vrf();
    let y: DmTensor<f32, Chip, Cluster, m![S], m![N]> = device
        .main
        .begin(a.view())
        .fetch::<m![1], m![N]>()
        .collect::<m![N / 8], m![N % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_narrow_split::<m![N / 4], m![N % 4]>()
        .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), &w)
        .vector_widen_concat::<m![N / 8], m![N % 8]>()
        .vector_final()
        .commit_trim::<m![N % 8]>()
        .commit();
    y.to_hbm(&mut device.tdma)
}
";

#[test]
fn what_is_loaded_twice_is_loaded_once() {
    let (best, changed) = best_by(TWICE, "squares", "merge");
    assert_eq!(changed.matches("x.to_dm(").count(), 1, "{changed}");
    assert_eq!(changed.matches(".begin(a.view())").count(), 2, "{changed}");
    // Each load has 549 + 27 / 16 * 64 * 16 = 2,277 cycles. The pass into the VRF, 263 + 512, ran beside the second and is waited for
    // now.
    let (before, after) = best.total.unwrap();
    assert_eq!(before - after, 2_277 - 775);
    let again = judged(&changed, "squares");
    assert!(again.iter().all(|proposal| proposal.by != Some("merge")));
    // What is written in between is another tensor.
    let kept = TWICE
        .replacen("-> HbmTensor<f32, Chip, m![S, N]>", "", 1)
        .replacen(
            "y.to_hbm(&mut device.tdma)",
            "y.view().to_hbm_view(&mut device.tdma, x.view_mut());",
            1,
        );
    let kept = kept.replacen("x: &HbmTensor", "x: &mut HbmTensor", 1);
    assert!(total(&kept, Model::Schedule, "squares").is_some());
    let all = judged(&kept, "squares");
    assert!(all.iter().all(|proposal| proposal.by != Some("merge")));
}

/// Two tiles of a tensor, each with a load and a pass of its own.
const TILES: &str = "// dialect: opt-std@0.8
use furiosa_opt_std::prelude::*;
axes![S = 256, H = 2, N = 64];
type Chip = m![1];
type Cluster = m![1 # 2];
#[device(chip = 1)]
pub fn halves(device: &mut Device, x: &HbmTensor<f32, Chip, m![H, S, N]>, out: &mut HbmTensor<f32, Chip, m![H, S, N]>) {
    let a: DmTensor<f32, Chip, Cluster, m![S], m![N]> = x.view().tile::<m![H], 1, m![H = 1 # 2, S, N]>(0).to_dm(&mut device.tdma);
    let b: DmTensor<f32, Chip, Cluster, m![S], m![N]> = x.view().tile::<m![H], 1, m![H = 1 # 2, S, N]>(1).to_dm(&mut device.tdma);
    let a: DmTensor<f32, Chip, Cluster, m![S], m![N]> = device.main.begin(a.view()).fetch::<m![1], m![N]>().collect::<m![N / 8], m![N % 8]>().vector_init().vector_intra_slice_tag(TagMode::Zero).vector_narrow_split::<m![N / 4], m![N % 4]>().vector_fp_unary(FpUnaryOp::Sigmoid).vector_widen_concat::<m![N / 8], m![N % 8]>().vector_final().commit_trim::<m![N % 8]>().commit();
    let b: DmTensor<f32, Chip, Cluster, m![S], m![N]> = device.main.begin(b.view()).fetch::<m![1], m![N]>().collect::<m![N / 8], m![N % 8]>().vector_init().vector_intra_slice_tag(TagMode::Zero).vector_narrow_split::<m![N / 4], m![N % 4]>().vector_fp_unary(FpUnaryOp::Sqrt).vector_widen_concat::<m![N / 8], m![N % 8]>().vector_final().commit_trim::<m![N % 8]>().commit();
    a.view().to_hbm_view(&mut device.tdma, out.view_mut().tile::<m![H], 1, m![H = 1 #{!} 2, S, N]>(0));
    b.view().to_hbm_view(&mut device.tdma, out.view_mut().tile::<m![H], 1, m![H = 1 #{!} 2, S, N]>(1));
}
";

#[test]
fn tiles_that_are_loaded_one_by_one_are_loaded_together() {
    // A variable of the same name later hides which one is read: then nothing is renamed.
    let all = judged(TILES, "halves");
    assert!(all.iter().all(|proposal| proposal.by != Some("merge")));
    let text = TILES
        .replace(
            "let a: DmTensor<f32, Chip, Cluster, m![S], m![N]> = x",
            "let first: DmTensor<f32, Chip, Cluster, m![S], m![N]> = x",
        )
        .replace(
            "let b: DmTensor<f32, Chip, Cluster, m![S], m![N]> = x",
            "let second: DmTensor<f32, Chip, Cluster, m![S], m![N]> = x",
        )
        .replace("begin(a.view())", "begin(first.view())")
        .replace("begin(b.view())", "begin(second.view())");
    let (best, changed) = best_by(&text, "halves", "merge");
    assert_eq!(changed.matches("to_dm").count(), 1, "{changed}");
    assert!(
        changed.contains("begin(tiles.view().tile::<m![H], 1, m![1 # 2, N]>(1))"),
        "{changed}"
    );
    // Two loads of one request a slice, 549 + 2.45 * 64, become one of two, 549 + 3 * 128. The first pass, 281 + 16, ran beside the
    // second load and no longer does.
    let (before, after) = best.total.unwrap();
    assert_eq!(before - after, 2 * 706 - 933 - 297);
    let again = judged(&changed, "halves");
    assert!(again.iter().all(|proposal| proposal.by != Some("merge")));
}
