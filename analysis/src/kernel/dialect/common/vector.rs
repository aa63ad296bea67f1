//! Methods inside of the Vector Engine that both libraries have, in all their releases: rows and arguments.

use crate::kernel::catalogue::{CanonicalStage, Generic, Role};
use crate::kernel::dialect::{Action, Argument, Method, Receiver, StageUse};

use super::arguments::{PACKET, SLICE, TIME};
use super::rows::{arg, merging, on, once};

use CanonicalStage as S;

/// A method of one stream.
pub(in crate::kernel::dialect) const fn single(
    name: &'static str,
    generics: &'static [Generic],
    arguments: &'static [Argument],
    stages: &'static [StageUse],
) -> Method {
    on(
        Receiver::Single,
        name,
        generics,
        arguments,
        Action::Stages(stages),
    )
}

/// A method of a pair of streams.
pub(in crate::kernel::dialect) const fn pair(
    name: &'static str,
    generics: &'static [Generic],
    arguments: &'static [Argument],
    stages: &'static [StageUse],
) -> Method {
    on(
        Receiver::Pair,
        name,
        generics,
        arguments,
        Action::Stages(stages),
    )
}

/// What an ALU is to do.
pub(in crate::kernel::dialect) const fn op(ty: &'static str) -> Argument {
    arg(Role::Operation, "op", ty)
}

pub(in crate::kernel::dialect) const LOGIC: Argument = op("LogicBinaryOp");
pub(in crate::kernel::dialect) const FXP: Argument = op("FxpBinaryOp");
pub(in crate::kernel::dialect) const FP_UNARY: Argument = op("FpUnaryOp");
pub(in crate::kernel::dialect) const FP_BINARY: Argument = op("FpBinaryOp");
pub(in crate::kernel::dialect) const FP_TERNARY: Argument = op("FpTernaryOp");
pub(in crate::kernel::dialect) const FP_DIV: Argument = op("FpDivBinaryOp");
pub(in crate::kernel::dialect) const CLIP: Argument = op("ClipBinaryOp");
pub(in crate::kernel::dialect) const MODE: Argument = arg(Role::Mode, "mode", "BinaryArgMode");
pub(in crate::kernel::dialect) const TERNARY_MODE: Argument =
    arg(Role::Mode, "mode", "TernaryArgMode");
pub(in crate::kernel::dialect) const OPERAND: Argument = arg(Role::Operand, "operand", "operand");
pub(in crate::kernel::dialect) const OPERAND0: Argument = arg(Role::Operand, "group0", "operand");
pub(in crate::kernel::dialect) const OPERAND1: Argument = arg(Role::Operand, "group1", "operand");
pub(in crate::kernel::dialect) const PAIR: Argument =
    arg(Role::OperandAndConstant, "operand", "(operand, constant)");
pub(in crate::kernel::dialect) const PAIR0: Argument =
    arg(Role::OperandAndConstant, "group0", "(operand, constant)");
pub(in crate::kernel::dialect) const PAIR1: Argument =
    arg(Role::OperandAndConstant, "group1", "(operand, constant)");
pub(in crate::kernel::dialect) const RUNS0: Argument = arg(Role::GroupRuns, "group0", "bool");
pub(in crate::kernel::dialect) const RUNS1: Argument = arg(Role::GroupRuns, "group1", "bool");
pub(in crate::kernel::dialect) const WIDTH: Argument =
    arg(Role::IntegerBits, "int_width", "u32").usual("31");

/// What both libraries have.
pub(in crate::kernel::dialect) const METHODS: &[Method] = &[
    // Structure.
    single(
        "vector_inter_slice_reduce",
        &[SLICE, TIME],
        &[op("InterSliceReduceOp")],
        &[once(S::VectorInterReduce)],
    ),
    single("vector_stash", &[], &[], &[once(S::VectorStash)]),
    single(
        "vector_intra_slice_reduce",
        &[Generic::Axis, TIME, PACKET],
        &[op("IntraSliceReduceOp")],
        &[once(S::VectorIntraReduce)],
    ),
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
