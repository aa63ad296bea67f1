//! Chains through the Vector Engine: which rules they break, and that nothing is said of one fact twice.

use visa_tests::check_text;

/// The rules of all findings on a chain over a stream of one type, in order.
fn rules(element_type: &str, time: &str, packet: &str, chain: &str) -> Vec<String> {
    placed(element_type, "S", time, packet, "R = 16, L = 8", chain)
}

fn placed(
    element_type: &str,
    slice: &str,
    time: &str,
    packet: &str,
    axes: &str,
    chain: &str,
) -> Vec<String> {
    let text = format!(
        "use furiosa_visa_std::prelude::*;\n\
         axes![S = 256, X = 64, Y = 32, W = 64, H = 4, G = 2, J = 3, A = 4, B = 6, C = 4, {axes}];\n\
         fn stage<'l, const T: Tu>(\n    \
             x: CollectTensor<'l, T, {element_type}, m![1], m![1 # 2], m![{slice}], m![{time}], m![{packet}]>,\n    \
             v: &VrfTensor<{element_type}, m![1], m![1 # 2], m![{slice}], m![L]>,\n\
         ) {{\n    \
             let y = x.vector_init(){chain};\n\
         }}\n"
    );
    let report = check_text("stage.rs", &text);
    assert!(
        report.unresolved.is_empty(),
        "{chain}: {:?}",
        report.unresolved
    );
    report
        .diagnostics
        .iter()
        .map(|diagnostic| diagnostic.rule.to_owned())
        .collect()
}

const BRANCH: &str = ".vector_intra_slice_branch(BranchMode::Unconditional)";

#[track_caller]
fn on_integers(chain: &str, expected: &[&str]) {
    assert_eq!(
        rules("i32", "R", "L", &format!("{BRANCH}{chain}")),
        expected,
        "{chain}"
    );
}

#[track_caller]
fn on_floats(chain: &str, expected: &[&str]) {
    assert_eq!(
        rules("f32", "R", "L", &format!("{BRANCH}{chain}")),
        expected,
        "{chain}"
    );
}

const SPLIT: &str = ".vector_split::<m![R, L / 4], m![L % 4]>()";
const CONCAT: &str = ".vector_concat::<m![R], m![L]>()";

#[test]
fn every_stage_once_in_order() {
    on_integers(
        &format!(
            ".vector_logic(LogicBinaryOpI32::BitXor, 7).vector_logic(LogicBinaryOpI32::BitOr, 1)\
             .vector_fxp(FxpBinaryOp::MulInt, 3).vector_fxp(FxpBinaryOp::SubFxp, 1).vector_fxp_to_fp(20)\
             {SPLIT}.vector_fp_unary(FpUnaryOp::Sqrt).vector_fp_unary(FpUnaryOp::Exp)\
             .vector_fp_ternary(FpTernaryOp::FmaF, (2.0f32, 1.0f32))\
             .vector_fp_div(FpDivBinaryOp::DivF, 4.0f32){CONCAT}\
             .vector_fp_to_fxp(20).vector_clip(ClipBinaryOpI32::Min, 9).vector_clip(ClipBinaryOpI32::AddFxp, 1)\
             .vector_final()"
        ),
        // The machine takes it; the library compares the three arguments with the type that came in.
        &["library_limit"],
    );
}

#[test]
fn stages_out_of_order() {
    let chain = format!(
        "{SPLIT}.vector_fp_unary(FpUnaryOp::Sin){CONCAT}{SPLIT}.vector_fp_unary(FpUnaryOp::Exp){CONCAT}"
    );
    // Widened streams do not narrow again; what is behind the second split only follows.
    on_floats(&chain, &["vector_stage_order"]);
    on_integers(
        ".vector_clip(ClipBinaryOpI32::Max, 0).vector_fxp(FxpBinaryOp::AddFxp, 1).vector_final()",
        &["vector_stage_order"],
    );
    on_integers(
        ".vector_fxp_to_fp(8).vector_fp_to_fxp(8).vector_fp_to_fxp(8)",
        &["vector_stage_order"],
    );
}

#[test]
fn lanes() {
    on_floats(
        ".vector_fp_unary(FpUnaryOp::Tanh).vector_final()",
        &["vector_way"],
    );
    on_floats(&format!("{SPLIT}.vector_final()"), &["vector_way"]);
    on_floats(
        &format!("{SPLIT}.vector_clip(ClipBinaryOpF32::Max, 0.0f32).vector_final()"),
        &["vector_way"],
    );
    on_floats(&format!("{CONCAT}.vector_final()"), &["vector_way"]);
    on_floats(
        ".vector_fp_binary(FpBinaryOp::AddF, 1.0f32).vector_fp_unary(FpUnaryOp::Exp).vector_final()",
        &["vector_way"],
    );
}

#[test]
fn alus() {
    // The book's examples: two additions; a root and a hyperbolic tangent on one unit.
    on_integers(
        ".vector_fxp(FxpBinaryOp::AddFxp, 4).vector_fxp(FxpBinaryOp::MulInt, 2).vector_fxp(FxpBinaryOp::SubFxpSat, 4)",
        &["alu_reuse"],
    );
    on_floats(
        &format!("{SPLIT}.vector_fp_unary(FpUnaryOp::Sqrt).vector_fp_unary(FpUnaryOp::Tanh)"),
        &["alu_reuse"],
    );
    // All five of the float stage.
    on_floats(
        &format!(
            "{SPLIT}.vector_fp_binary(FpBinaryOp::AddF, 1.0f32).vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), 2.0f32)\
             .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul1), 3.0f32).vector_fp_unary(FpUnaryOp::Log)\
             .vector_fp_unary(FpUnaryOp::NegExp)"
        ),
        &[],
    );
    // The divider behind the reduction is another one than the division of the float stage.
    on_floats(
        &format!(
            "{SPLIT}.vector_fp_binary(FpBinaryOp::DivF, 2.0f32).vector_fp_div(FpDivBinaryOp::DivF, 3.0f32)"
        ),
        &[],
    );
    // A reduction across slices starts a new set.
    let chain = ".vector_fxp(FxpBinaryOp::AddFxp, 4)\
                 .vector_inter_slice_reduce::<m![W, 1 # 4], m![R]>(InterSliceReduceOpI32::Add).vector_final()";
    assert_eq!(
        placed(
            "i32",
            "W, H",
            "R",
            "L",
            "R = 16, L = 8",
            &format!("{BRANCH}{chain}")
        ),
        [""; 0]
    );
    let chain = format!(
        ".vector_inter_slice_reduce::<m![W, 1 # 4], m![R]>(InterSliceReduceOpI32::Add){BRANCH}\
         .vector_clip(ClipBinaryOpI32::Max, 1).vector_clip(ClipBinaryOpI32::AbsMax, 1)"
    );
    assert_eq!(
        placed("i32", "W, H", "R", "L", "R = 16, L = 8", &chain),
        ["alu_reuse"]
    );
}

#[test]
fn two_groups() {
    let unzip = ".vector_intra_slice_unzip::<G, m![R, 1 # 2], m![R]>()";
    let pair = |chain: &str| rules("i32", "R, G", "L", &format!("{unzip}{chain}"));
    assert_eq!(
        pair(".vector_clip_zip(ClipBinaryOpI32::AddFxp).vector_final()"),
        [""; 0]
    );
    // Both groups share one set of ALUs, and the zip has no other; a skipped operation uses none.
    assert_eq!(
        pair(
            ".vector_clip(ClipBinaryOpI32::AddFxp, 1, ()).vector_clip_zip(ClipBinaryOpI32::AddFxp)"
        ),
        ["alu_reuse"]
    );
    assert_eq!(
        pair(
            ".vector_clip(ClipBinaryOpI32::AddFxp, (), ()).vector_clip_zip(ClipBinaryOpI32::AddFxp)"
        ),
        [""; 0]
    );
    assert_eq!(
        pair(".vector_clip_zip(ClipBinaryOpI32::AddFxp).vector_stash()"),
        ["two_group_unavailable"]
    );
    assert_eq!(
        pair(".vector_fxp(FxpBinaryOp::AddFxp, Stash, ()).vector_clip_zip(ClipBinaryOpI32::Max)"),
        ["stash_stage"]
    );
    let three = ".vector_intra_slice_unzip::<J, m![R, 1 # 3], m![R]>()";
    assert_eq!(rules("i32", "R, J", "L", three), ["two_group_unavailable"]);
    assert_eq!(rules("i32", "R", "L", unzip), ["two_group_unavailable"]);
    let outer = ".vector_intra_slice_unzip::<G, m![1 # 2, R], m![R]>()";
    assert_eq!(rules("i32", "R, G", "L", outer), ["way_shape"]);
}

#[test]
fn shapes() {
    on_floats(".vector_trim_way4::<m![L % 4]>()", &["narrow_drops_data"]);
    on_floats(".vector_split::<m![L / 4, R], m![L % 4]>()", &["way_shape"]);
    on_floats(
        &format!("{SPLIT}.vector_pad_way8::<m![L % 4 # 8]>().vector_final()"),
        &[],
    );
    on_floats(
        &format!("{SPLIT}.vector_pad_way8::<m![L]>().vector_final()"),
        &["way_shape"],
    );
    // Two steps of time that are halves of nothing still go into one packet.
    on_floats(
        &format!("{SPLIT}.vector_concat::<m![L / 4, R / 2], m![R % 2, L % 4]>()"),
        &["way_shape"],
    );
    let chain = |trim: &str| format!("{BRANCH}.vector_trim_way4::<m![{trim}]>()");
    assert_eq!(rules("f32", "R", "C # 8", &chain("C")), [""; 0]);
    assert_eq!(rules("f32", "R", "J # 8", &chain("J # 4")), [""; 0]);
    // Three lanes are no packet of four.
    assert_eq!(rules("f32", "R", "J # 8", &chain("J")), ["way_shape"]);
    // Six live lanes.
    assert_eq!(
        rules("f32", "R", "B # 8", &chain("B # 8 % 4")),
        ["narrow_drops_data"]
    );
}

#[test]
fn stash() {
    on_integers(
        ".vector_stash().vector_fxp(FxpBinaryOp::AddFxp, 2).vector_clip(ClipBinaryOpI32::Max, Stash)",
        &[],
    );
    on_floats(
        &format!(
            ".vector_stash(){SPLIT}.vector_fp_unary(FpUnaryOp::Sigmoid){CONCAT}.vector_clip(ClipBinaryOpF32::Max, Stash)"
        ),
        &[],
    );
    on_integers(".vector_fxp(FxpBinaryOp::AddFxp, Stash)", &["stash_stage"]);
    on_integers(
        ".vector_stash().vector_fxp(FxpBinaryOp::AddFxp, 1).vector_stash()",
        &["stash_stage"],
    );
    // Free again once it was read.
    on_integers(
        ".vector_stash().vector_fxp(FxpBinaryOp::AddFxp, Stash).vector_stash().vector_clip(ClipBinaryOpI32::Max, Stash)",
        &[],
    );
    on_floats(&format!("{SPLIT}{CONCAT}.vector_stash()"), &["stash_stage"]);
    // What was reduced is not there any more when the stash is read.
    on_floats(
        &format!(
            "{SPLIT}.vector_stash().vector_intra_slice_reduce::<R, m![L / 4], m![L % 4]>(IntraSliceReduceOpF32::Max)\
             .vector_fp_div(FpDivBinaryOp::DivF, Stash)"
        ),
        &["operand_mapping"],
    );
}

#[test]
fn types() {
    assert_eq!(rules("bf16", "R", "L, G", BRANCH), ["vector_type"]);
    on_integers(
        &format!("{SPLIT}.vector_fp_unary(FpUnaryOp::Exp)"),
        &["vector_op_type"],
    );
    on_floats(".vector_fxp_to_fp(4)", &["vector_op_type"]);
    on_floats(
        ".vector_logic(LogicBinaryOpI32::LeftShift, 2)",
        &["vector_op_type"],
    );
    on_integers(".vector_clip(FxpBinaryOp::AddFxp, 2)", &["vector_op_type"]);
    on_integers(
        ".vector_clip(ClipBinaryOpI32::Max, 2.5f32)",
        &["operand_type"],
    );
    on_integers(".vector_fxp(FxpBinaryOp::AddFxp, VeRhs::vrf(v))", &[]);
    let compare = |kind: &str| {
        let comparison = format!("InputCmp::{kind}(InputCmp{kind}::Less)");
        let list = [comparison.as_str(); 4].join(", ");
        rules(
            "i32",
            "R",
            "L",
            &format!(".vector_intra_slice_branch(BranchMode::Comparison([{list}])).vector_final()"),
        )
    };
    assert_eq!(compare("I32"), [""; 0]);
    assert_eq!(compare("F32"), ["vector_op_type"]);
    // A stream that is i32 can be narrowed for a reduction.
    on_integers(
        &format!(
            "{SPLIT}.vector_intra_slice_reduce::<R, m![L / 4], m![L % 4]>(IntraSliceReduceOpF32::Max)"
        ),
        &["vector_op_type"],
    );
}

#[test]
fn accumulator_slots() {
    let slots = |time: &str, out: &str| {
        let chain = format!(
            "{BRANCH}.vector_trim_way4::<m![C]>().vector_intra_slice_reduce::<R, m![{out}], m![C]>(IntraSliceReduceOpI32::AddSat)"
        );
        rules("i32", time, "C # 8", &chain)
    };
    // Figure R5, and the factors outside of the reduced one, which need none.
    assert_eq!(slots("R, G, A", "G, A"), [""; 0]);
    assert_eq!(slots("R, J, A", "J, A"), ["intra_reduce_slots"]);
    assert_eq!(slots("R / 2, G, R % 2", "G"), [""; 0]);
    assert_eq!(slots("B, J, A, R", "B, J, A"), [""; 0]);
    assert_eq!(slots("R / 2, B, R % 2, A", "B, A"), ["intra_reduce_slots"]);
}

#[test]
fn reductions_in_a_slice() {
    let reduce = |time: &str, packet: &str| {
        let chain = format!(
            "{BRANCH}{SPLIT}.vector_intra_slice_reduce::<R, m![{time}], m![{packet}]>(IntraSliceReduceOpI32::Min)"
        );
        rules("i32", "R", "L", &chain)
    };
    assert_eq!(reduce("L / 4", "L % 4"), [""; 0]);
    assert_eq!(reduce("L / 4", "1 # 4"), ["intra_reduce_mapping"]);
    assert_eq!(reduce("1", "L % 4"), ["intra_reduce_mapping"]);
    let chain = format!(
        "{BRANCH}.vector_trim_way4::<m![A]>().vector_intra_slice_reduce::<A, m![R], m![1 # 4]>(IntraSliceReduceOpI32::Min)"
    );
    assert_eq!(rules("i32", "R", "A # 8", &chain), [""; 0]);
    // Another axis in the four lanes is folded too.
    let chain = format!(
        "{BRANCH}.vector_split::<m![R, G, A / 2], m![A % 2, K]>()\
         .vector_intra_slice_reduce::<A, m![R, G], m![K # 4]>(IntraSliceReduceOpI32::Min)"
    );
    assert_eq!(
        placed("i32", "S", "R, G", "A, K", "R = 16, L = 8, K = 2", &chain),
        ["intra_reduce_mapping"]
    );
}

/// Valid counts before the mapping: of one reduce only the first is said.
#[test]
fn valid_counts_come_first() {
    let chain = format!(
        "{BRANCH}.vector_split::<m![K # 24 / 4, G], m![K # 24 % 4]>()\
         .vector_intra_slice_reduce::<K, m![1], m![G # 4]>(IntraSliceReduceOpI32::AddSat)"
    );
    assert_eq!(
        placed(
            "i32",
            "S",
            "K # 24 / 4",
            "G, K # 24 % 4",
            "R = 16, L = 8, K = 19",
            &chain
        ),
        ["vcg_packet_shared"]
    );
}

#[test]
fn reductions_across_slices() {
    let across = |slice: &str, time: &str| {
        let chain = format!(
            ".vector_inter_slice_reduce::<m![{slice}], m![{time}]>(InterSliceReduceOpF32::Mul).vector_final()"
        );
        placed(
            "f32",
            "W, H",
            "G, A, J",
            "L",
            "R = 16, L = 8, N = 4, K = 2",
            &chain,
        )
    };
    // Broadcast, dummy, promotion from the middle of time.
    assert_eq!(across("W, N", "G, A, J"), [""; 0]);
    assert_eq!(across("W, 1 # 4", "G, A, J"), [""; 0]);
    assert_eq!(across("W, A", "G, J"), [""; 0]);
    // Lost from time, new in time, reordered, moved in the slice.
    assert_eq!(across("W, 1 # 4", "G, J"), ["inter_reduce_mapping"]);
    assert_eq!(across("W, 1 # 4", "G, A, J, K"), ["inter_reduce_mapping"]);
    assert_eq!(across("W, 1 # 4", "A, G, J"), ["inter_reduce_mapping"]);
    assert_eq!(across("1 # 4, W", "G, A, J"), ["inter_reduce_mapping"]);
    let inter =
        ".vector_inter_slice_reduce::<m![W, 1 # 4], m![R, L / 4]>(InterSliceReduceOpF32::Add)";
    let chain = format!("{BRANCH}{SPLIT}{inter}");
    assert_eq!(
        placed("f32", "W, H", "R", "L", "R = 16, L = 8", &chain),
        ["inter_reduce_stage"]
    );
    // Behind a block of stages none may follow.
    let inter = ".vector_inter_slice_reduce::<m![W, 1 # 4], m![R]>(InterSliceReduceOpF32::Add)";
    let chain = format!("{BRANCH}{inter}{BRANCH}");
    assert_eq!(
        placed("f32", "W, H", "R", "L", "R = 16, L = 8", &chain),
        ["vector_stage_order"]
    );
}

/// The placements of the book's table, through the whole checker.
#[test]
fn placements() {
    let placement = |axes: &str, slice: &str, time: &str, out_of: &str| {
        let chain = format!(
            "{BRANCH}.vector_trim_way4::<m![1 # 4]>().vector_intra_slice_reduce::<K, m![{out_of}], m![1 # 4]>(IntraSliceReduceOpI32::Max)"
        );
        placed(
            "i32",
            slice,
            time,
            "1 # 8",
            &format!("R = 16, L = 8, {axes}"),
            &chain,
        )
    };
    assert_eq!(
        placement("K = 17", "Y, K # 24 / 3", "K # 24 % 3", "1"),
        [""; 0]
    );
    assert_eq!(
        placement("K = 13", "K # 16 / 8, Y, K # 16 / 2 % 4", "K # 16 % 2", "1"),
        [""; 0]
    );
    assert_eq!(
        placement("K = 5", "X, K # 8 % 4", "K # 8 / 4", "1"),
        [""; 0]
    );
    assert_eq!(
        placement("K = 14", "X, K # 20 % 4", "K # 20 / 4", "1"),
        ["vcg_transposed_time"]
    );
    assert_eq!(placement("K = 12", "S", "K # 16", "1"), [""; 0]);
    assert_eq!(
        placement("K = 13", "Y, K # 16 / 2 % 4, K # 16 / 8", "K # 16 % 2", "1"),
        ["vcg_slice_order"]
    );
    assert_eq!(
        placement("K = 13", "X, K # 16 / 2 % 4", "K # 16 / 8, K # 16 % 2", "1"),
        ["vcg_slice_order"]
    );
    let counted = |axes: &str, slice: &str, time: &str, packet: &str, split: &str| {
        let chain = format!(
            "{BRANCH}{split}.vector_intra_slice_reduce::<K, m![1], m![1 # 4]>(IntraSliceReduceOpI32::Max)"
        );
        placed(
            "i32",
            slice,
            time,
            packet,
            &format!("R = 16, L = 8, {axes}"),
            &chain,
        )
    };
    assert_eq!(
        counted(
            "K = 3",
            "S",
            "1",
            "K # 8",
            ".vector_trim_way4::<m![K # 4]>()"
        ),
        [""; 0]
    );
    let split = ".vector_split::<m![K # 24 / 4], m![K # 24 % 4]>()";
    assert_eq!(
        counted("K = 19", "S", "K # 24 / 8", "K # 24 % 8", split),
        [""; 0]
    );
    // The book's own form of it drops lanes 4 to 7.
    assert_eq!(
        counted(
            "K = 19",
            "S",
            "K # 24 / 8",
            "K # 24 % 8",
            ".vector_trim_way4::<m![K # 24 % 4]>()"
        ),
        ["narrow_drops_data"]
    );
    let trim = ".vector_trim_way4::<m![K # 24 / 8 # 4]>()";
    assert_eq!(
        counted("K = 19", "S", "K # 24 % 8", "K # 24 / 8 # 8", trim),
        ["vcg_packet_not_innermost"]
    );
    let trim = ".vector_trim_way4::<m![K # 8 % 4]>()";
    assert_eq!(
        counted("K = 7", "S", "K # 8 / 4", "K # 8 % 4 # 8", trim),
        [""; 0]
    );
    let split = ".vector_split::<m![K # 2048 % 8 / 4], m![K # 2048 % 4]>()";
    assert_eq!(
        counted("K = 2045", "K # 2048 / 8", "1", "K # 2048 % 8", split),
        ["vcg_slice_packet"]
    );
    let split = ".vector_split::<m![K % 8 / 4], m![K % 4]>()";
    assert_eq!(counted("K = 2048", "K / 8", "1", "K % 8", split), [""; 0]);
}
