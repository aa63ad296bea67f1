//! Methods of the current library inside of the Vector Engine: on one stream, and on two groups.

use crate::kernel::catalogue::{CanonicalStage, Generic, Role};
use crate::kernel::dialect::rows::{arg, merging, once};
use crate::kernel::dialect::{Action, Argument, Method, Receiver, Releases, StageUse};

use super::methods::{PACKET, SCALAR, SLICE, TIME};
use super::{R2, R3, R6, R7, R8};

use CanonicalStage as S;

const fn on(
    receiver: Receiver,
    name: &'static str,
    generics: &'static [Generic],
    arguments: &'static [Argument],
    stages: &'static [StageUse],
) -> Method {
    Method {
        name,
        receiver,
        generics,
        arguments,
        action: Action::Stages(stages),
        offered_at: None,
        only_in: None,
        releases: Some(Releases::since(R2)),
        without_body: false,
    }
}

const fn single(
    name: &'static str,
    generics: &'static [Generic],
    arguments: &'static [Argument],
    stages: &'static [StageUse],
) -> Method {
    on(Receiver::Single, name, generics, arguments, stages)
}

const fn pair(
    name: &'static str,
    generics: &'static [Generic],
    arguments: &'static [Argument],
    stages: &'static [StageUse],
) -> Method {
    on(Receiver::Pair, name, generics, arguments, stages)
}

const fn op(ty: &'static str) -> Argument {
    arg(Role::Operation, "op", ty)
}

const LOGIC: Argument = op("LogicBinaryOp");
const FXP: Argument = op("FxpBinaryOp");
const FP_UNARY: Argument = op("FpUnaryOp");
const FP_BINARY: Argument = op("FpBinaryOp");
const FP_TERNARY: Argument = op("FpTernaryOp");
const CLIP: Argument = op("ClipBinaryOp");
const MODE: Argument = arg(Role::Mode, "mode", "BinaryArgMode");
const TERNARY_MODE: Argument = arg(Role::Mode, "mode", "TernaryArgMode");
const OPERAND: Argument = arg(Role::Operand, "operand", "operand");
const OPERAND0: Argument = arg(Role::Operand, "group0", "operand");
const OPERAND1: Argument = arg(Role::Operand, "group1", "operand");
const PAIR: Argument = arg(Role::OperandAndConstant, "operand", "(operand, constant)");
const PAIR0: Argument = arg(Role::OperandAndConstant, "group0", "(operand, constant)");
const PAIR1: Argument = arg(Role::OperandAndConstant, "group1", "(operand, constant)");
const RUNS0: Argument = arg(Role::GroupRuns, "group0", "bool");
const RUNS1: Argument = arg(Role::GroupRuns, "group1", "bool");
const WIDTH: Argument = arg(Role::IntegerBits, "int_width", "u32").usual("31");
const TAG: Argument = arg(Role::Configuration, "mode", "TagMode").usual("TagMode::Zero");

pub(super) const METHODS: &[Method] = &[
    // Structure.
    single(
        "vector_intra_slice_tag",
        &[],
        &[TAG],
        &[once(S::VectorBranch)],
    ),
    single(
        "vector_intra_slice_unzip",
        &[Generic::Axis, Generic::Index, TIME],
        &[],
        &[once(S::VectorUnzip)],
    )
    .until(R7),
    single(
        "vector_intra_slice_unzip",
        &[Generic::Axis, TIME],
        &[],
        &[once(S::VectorUnzip)],
    )
    .since(R8),
    single(
        "vector_inter_slice_reduce",
        &[SLICE, TIME],
        &[op("InterSliceReduceOp")],
        &[once(S::VectorInterReduce)],
    ),
    single("vector_stash", &[], &[], &[once(S::VectorStash)]),
    single(
        "vector_filter",
        &[TIME],
        &[arg(Role::Condition, "guard", "TagGuard")],
        &[once(S::VectorFilter)],
    )
    .without_body(),
    single(
        "vector_narrow_split",
        &[TIME, PACKET],
        &[],
        &[once(S::VectorSplit)],
    ),
    single("vector_narrow_clip", &[PACKET], &[], &[once(S::VectorTrim)]).until(R2),
    single("vector_narrow_trim", &[PACKET], &[], &[once(S::VectorTrim)]).since(R3),
    single(
        "vector_widen_concat",
        &[TIME, PACKET],
        &[],
        &[once(S::VectorConcat)],
    ),
    single("vector_widen_pad", &[PACKET], &[], &[once(S::VectorPad)]),
    single(
        "vector_intra_slice_reduce",
        &[Generic::Axis, TIME, PACKET],
        &[op("IntraSliceReduceOp")],
        &[once(S::VectorIntraReduce)],
    ),
    single(
        "vector_reinterpret",
        &[SCALAR],
        &[],
        &[once(S::VectorReinterpret)],
    )
    .since(R6),
    single("vector_final", &[], &[], &[once(S::VectorFinal)]),
    // Operations of a single stream.
    single(
        "vector_logic",
        &[],
        &[LOGIC, OPERAND],
        &[once(S::VectorLogic)],
    ),
    single(
        "vector_logic_with_mode",
        &[],
        &[LOGIC, MODE, OPERAND],
        &[once(S::VectorLogic)],
    ),
    single("vector_fxp", &[], &[FXP, OPERAND], &[once(S::VectorFxp)]),
    single(
        "vector_fxp_with_mode",
        &[],
        &[FXP, MODE, OPERAND],
        &[once(S::VectorFxp)],
    ),
    single("vector_fxp_to_fp", &[], &[WIDTH], &[once(S::VectorFxpToFp)]),
    single("vector_fp_unary", &[], &[FP_UNARY], &[once(S::VectorFp)]),
    single(
        "vector_fp_binary",
        &[],
        &[FP_BINARY, OPERAND],
        &[once(S::VectorFp)],
    ),
    single(
        "vector_fp_binary_with_mode",
        &[],
        &[FP_BINARY, MODE, OPERAND],
        &[once(S::VectorFp)],
    ),
    single(
        "vector_fp_ternary",
        &[],
        &[FP_TERNARY, PAIR],
        &[once(S::VectorFp)],
    ),
    single(
        "vector_fp_ternary_with_mode",
        &[],
        &[FP_TERNARY, TERNARY_MODE, PAIR],
        &[once(S::VectorFp)],
    ),
    single("vector_fp_div", &[], &[OPERAND], &[once(S::VectorFpDiv)]),
    single(
        "vector_fp_div_with_mode",
        &[],
        &[MODE, OPERAND],
        &[once(S::VectorFpDiv)],
    ),
    single("vector_fp_to_fxp", &[], &[WIDTH], &[once(S::VectorFpToFxp)]),
    single("vector_clip", &[], &[CLIP, OPERAND], &[once(S::VectorClip)]),
    single(
        "vector_clip_with_mode",
        &[],
        &[CLIP, MODE, OPERAND],
        &[once(S::VectorClip)],
    ),
    // Operations of a pair.
    pair(
        "vector_logic",
        &[],
        &[LOGIC, OPERAND0, OPERAND1],
        &[once(S::VectorLogic)],
    ),
    pair(
        "vector_logic_with_mode",
        &[],
        &[LOGIC, MODE, OPERAND0, OPERAND1],
        &[once(S::VectorLogic)],
    ),
    pair(
        "vector_fxp",
        &[],
        &[FXP, OPERAND0, OPERAND1],
        &[once(S::VectorFxp)],
    ),
    pair(
        "vector_fxp_with_mode",
        &[],
        &[FXP, MODE, OPERAND0, OPERAND1],
        &[once(S::VectorFxp)],
    ),
    pair("vector_fxp_to_fp", &[], &[WIDTH], &[once(S::VectorFxpToFp)]),
    pair(
        "vector_fp_unary",
        &[],
        &[FP_UNARY, RUNS0, RUNS1],
        &[once(S::VectorFp)],
    ),
    pair(
        "vector_fp_binary",
        &[],
        &[FP_BINARY, OPERAND0, OPERAND1],
        &[once(S::VectorFp)],
    ),
    pair(
        "vector_fp_binary_with_mode",
        &[],
        &[FP_BINARY, MODE, OPERAND0, OPERAND1],
        &[once(S::VectorFp)],
    ),
    pair(
        "vector_fp_ternary",
        &[],
        &[FP_TERNARY, PAIR0, PAIR1],
        &[once(S::VectorFp)],
    ),
    pair(
        "vector_fp_ternary_with_mode",
        &[],
        &[FP_TERNARY, TERNARY_MODE, PAIR0, PAIR1],
        &[once(S::VectorFp)],
    ),
    pair(
        "vector_fp_div",
        &[],
        &[OPERAND0, OPERAND1],
        &[once(S::VectorFpDiv)],
    ),
    pair(
        "vector_fp_div_with_mode",
        &[],
        &[MODE, OPERAND0, OPERAND1],
        &[once(S::VectorFpDiv)],
    ),
    pair("vector_fp_to_fxp", &[], &[WIDTH], &[once(S::VectorFpToFxp)]),
    pair(
        "vector_clip",
        &[],
        &[CLIP, OPERAND0, OPERAND1],
        &[once(S::VectorClip)],
    ),
    pair(
        "vector_clip_with_mode",
        &[],
        &[CLIP, MODE, OPERAND0, OPERAND1],
        &[once(S::VectorClip)],
    ),
    // What only pairs have, or have as well.
    pair(
        "vector_narrow_split",
        &[TIME, PACKET],
        &[],
        &[once(S::VectorSplit)],
    ),
    pair(
        "vector_widen_concat",
        &[TIME, PACKET],
        &[],
        &[once(S::VectorConcat)],
    ),
    pair(
        "vector_reinterpret",
        &[SCALAR],
        &[],
        &[once(S::VectorReinterpret)],
    )
    .since(R6),
    pair(
        "vector_logic_zip",
        &[],
        &[LOGIC],
        &[merging(S::VectorLogic)],
    ),
    pair(
        "vector_logic_zip_with_mode",
        &[],
        &[LOGIC, MODE],
        &[merging(S::VectorLogic)],
    ),
    pair("vector_fxp_zip", &[], &[FXP], &[merging(S::VectorFxp)]),
    pair(
        "vector_fxp_zip_with_mode",
        &[],
        &[FXP, MODE],
        &[merging(S::VectorFxp)],
    ),
    pair("vector_fp_zip", &[], &[FP_BINARY], &[merging(S::VectorFp)]),
    pair(
        "vector_fp_zip_with_mode",
        &[],
        &[FP_BINARY, MODE],
        &[merging(S::VectorFp)],
    ),
    pair("vector_clip_zip", &[], &[CLIP], &[merging(S::VectorClip)]),
    pair(
        "vector_clip_zip_with_mode",
        &[],
        &[CLIP, MODE],
        &[merging(S::VectorClip)],
    ),
];
