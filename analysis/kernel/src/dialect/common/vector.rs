//! Methods inside of the Vector Engine that both libraries have, in all their releases: rows and arguments.

use crate::catalogue::{CanonicalStage, Generic, Role};
use crate::dialect::{Action, Argument, Method, Receiver, StageUse};

use super::arguments::{PACKET, SLICE, TIME};
use super::rows::{arg, merging_stage, method_on, stage_once};

use CanonicalStage as S;

/// A method of one stream.
pub(in crate::dialect) const fn single_stream_method(
    name: &'static str,
    generics: &'static [Generic],
    arguments: &'static [Argument],
    stages: &'static [StageUse],
) -> Method {
    method_on(
        Receiver::Single,
        name,
        generics,
        arguments,
        Action::Stages(stages),
    )
}

/// A method of a pair of streams.
pub(in crate::dialect) const fn pair_method(
    name: &'static str,
    generics: &'static [Generic],
    arguments: &'static [Argument],
    stages: &'static [StageUse],
) -> Method {
    method_on(
        Receiver::Pair,
        name,
        generics,
        arguments,
        Action::Stages(stages),
    )
}

/// What an ALU is to do.
pub(in crate::dialect) const fn operation_argument(ty: &'static str) -> Argument {
    arg(Role::Operation, "op", ty)
}

pub(in crate::dialect) const LOGIC: Argument = operation_argument("LogicBinaryOp");
pub(in crate::dialect) const FXP: Argument = operation_argument("FxpBinaryOp");
pub(in crate::dialect) const FP_UNARY: Argument = operation_argument("FpUnaryOp");
pub(in crate::dialect) const FP_BINARY: Argument = operation_argument("FpBinaryOp");
pub(in crate::dialect) const FP_TERNARY: Argument = operation_argument("FpTernaryOp");
pub(in crate::dialect) const FP_DIV: Argument = operation_argument("FpDivBinaryOp");
pub(in crate::dialect) const CLIP: Argument = operation_argument("ClipBinaryOp");
pub(in crate::dialect) const MODE: Argument = arg(Role::Mode, "mode", "BinaryArgMode");
pub(in crate::dialect) const TERNARY_MODE: Argument = arg(Role::Mode, "mode", "TernaryArgMode");
pub(in crate::dialect) const OPERAND: Argument = arg(Role::Operand, "operand", "operand");
pub(in crate::dialect) const OPERAND0: Argument = arg(Role::Operand, "group0", "operand");
pub(in crate::dialect) const OPERAND1: Argument = arg(Role::Operand, "group1", "operand");
pub(in crate::dialect) const PAIR: Argument =
    arg(Role::OperandAndConstant, "operand", "(operand, constant)");
pub(in crate::dialect) const PAIR0: Argument =
    arg(Role::OperandAndConstant, "group0", "(operand, constant)");
pub(in crate::dialect) const PAIR1: Argument =
    arg(Role::OperandAndConstant, "group1", "(operand, constant)");
pub(in crate::dialect) const RUNS0: Argument = arg(Role::GroupRuns, "group0", "bool");
pub(in crate::dialect) const RUNS1: Argument = arg(Role::GroupRuns, "group1", "bool");
pub(in crate::dialect) const WIDTH: Argument =
    arg(Role::IntegerBits, "int_width", "u32").usual("31");

/// What both libraries have.
pub(in crate::dialect) const METHODS: &[Method] = &[
    // Structure.
    single_stream_method(
        "vector_inter_slice_reduce",
        &[SLICE, TIME],
        &[operation_argument("InterSliceReduceOp")],
        &[stage_once(S::VectorInterReduce)],
    ),
    single_stream_method("vector_stash", &[], &[], &[stage_once(S::VectorStash)]),
    single_stream_method(
        "vector_intra_slice_reduce",
        &[Generic::Axis, TIME, PACKET],
        &[operation_argument("IntraSliceReduceOp")],
        &[stage_once(S::VectorIntraReduce)],
    ),
    single_stream_method("vector_final", &[], &[], &[stage_once(S::VectorFinal)]),
    // Operations of a single stream.
    single_stream_method(
        "vector_logic",
        &[],
        &[LOGIC, OPERAND],
        &[stage_once(S::VectorLogic)],
    ),
    single_stream_method(
        "vector_logic_with_mode",
        &[],
        &[LOGIC, MODE, OPERAND],
        &[stage_once(S::VectorLogic)],
    ),
    single_stream_method(
        "vector_fxp",
        &[],
        &[FXP, OPERAND],
        &[stage_once(S::VectorFxp)],
    ),
    single_stream_method(
        "vector_fxp_with_mode",
        &[],
        &[FXP, MODE, OPERAND],
        &[stage_once(S::VectorFxp)],
    ),
    single_stream_method(
        "vector_fxp_to_fp",
        &[],
        &[WIDTH],
        &[stage_once(S::VectorFxpToFp)],
    ),
    single_stream_method(
        "vector_fp_unary",
        &[],
        &[FP_UNARY],
        &[stage_once(S::VectorFp)],
    ),
    single_stream_method(
        "vector_fp_binary",
        &[],
        &[FP_BINARY, OPERAND],
        &[stage_once(S::VectorFp)],
    ),
    single_stream_method(
        "vector_fp_binary_with_mode",
        &[],
        &[FP_BINARY, MODE, OPERAND],
        &[stage_once(S::VectorFp)],
    ),
    single_stream_method(
        "vector_fp_ternary",
        &[],
        &[FP_TERNARY, PAIR],
        &[stage_once(S::VectorFp)],
    ),
    single_stream_method(
        "vector_fp_ternary_with_mode",
        &[],
        &[FP_TERNARY, TERNARY_MODE, PAIR],
        &[stage_once(S::VectorFp)],
    ),
    single_stream_method(
        "vector_fp_to_fxp",
        &[],
        &[WIDTH],
        &[stage_once(S::VectorFpToFxp)],
    ),
    single_stream_method(
        "vector_clip",
        &[],
        &[CLIP, OPERAND],
        &[stage_once(S::VectorClip)],
    ),
    single_stream_method(
        "vector_clip_with_mode",
        &[],
        &[CLIP, MODE, OPERAND],
        &[stage_once(S::VectorClip)],
    ),
    // Operations of a pair.
    pair_method(
        "vector_logic",
        &[],
        &[LOGIC, OPERAND0, OPERAND1],
        &[stage_once(S::VectorLogic)],
    ),
    pair_method(
        "vector_logic_with_mode",
        &[],
        &[LOGIC, MODE, OPERAND0, OPERAND1],
        &[stage_once(S::VectorLogic)],
    ),
    pair_method(
        "vector_fxp",
        &[],
        &[FXP, OPERAND0, OPERAND1],
        &[stage_once(S::VectorFxp)],
    ),
    pair_method(
        "vector_fxp_with_mode",
        &[],
        &[FXP, MODE, OPERAND0, OPERAND1],
        &[stage_once(S::VectorFxp)],
    ),
    pair_method(
        "vector_fxp_to_fp",
        &[],
        &[WIDTH],
        &[stage_once(S::VectorFxpToFp)],
    ),
    pair_method(
        "vector_fp_unary",
        &[],
        &[FP_UNARY, RUNS0, RUNS1],
        &[stage_once(S::VectorFp)],
    ),
    pair_method(
        "vector_fp_binary",
        &[],
        &[FP_BINARY, OPERAND0, OPERAND1],
        &[stage_once(S::VectorFp)],
    ),
    pair_method(
        "vector_fp_binary_with_mode",
        &[],
        &[FP_BINARY, MODE, OPERAND0, OPERAND1],
        &[stage_once(S::VectorFp)],
    ),
    pair_method(
        "vector_fp_ternary",
        &[],
        &[FP_TERNARY, PAIR0, PAIR1],
        &[stage_once(S::VectorFp)],
    ),
    pair_method(
        "vector_fp_ternary_with_mode",
        &[],
        &[FP_TERNARY, TERNARY_MODE, PAIR0, PAIR1],
        &[stage_once(S::VectorFp)],
    ),
    pair_method(
        "vector_fp_to_fxp",
        &[],
        &[WIDTH],
        &[stage_once(S::VectorFpToFxp)],
    ),
    pair_method(
        "vector_clip",
        &[],
        &[CLIP, OPERAND0, OPERAND1],
        &[stage_once(S::VectorClip)],
    ),
    pair_method(
        "vector_clip_with_mode",
        &[],
        &[CLIP, MODE, OPERAND0, OPERAND1],
        &[stage_once(S::VectorClip)],
    ),
    pair_method(
        "vector_logic_zip",
        &[],
        &[LOGIC],
        &[merging_stage(S::VectorLogic)],
    ),
    pair_method(
        "vector_logic_zip_with_mode",
        &[],
        &[LOGIC, MODE],
        &[merging_stage(S::VectorLogic)],
    ),
    pair_method(
        "vector_fxp_zip",
        &[],
        &[FXP],
        &[merging_stage(S::VectorFxp)],
    ),
    pair_method(
        "vector_fxp_zip_with_mode",
        &[],
        &[FXP, MODE],
        &[merging_stage(S::VectorFxp)],
    ),
    pair_method(
        "vector_fp_zip",
        &[],
        &[FP_BINARY],
        &[merging_stage(S::VectorFp)],
    ),
    pair_method(
        "vector_fp_zip_with_mode",
        &[],
        &[FP_BINARY, MODE],
        &[merging_stage(S::VectorFp)],
    ),
    pair_method(
        "vector_clip_zip",
        &[],
        &[CLIP],
        &[merging_stage(S::VectorClip)],
    ),
    pair_method(
        "vector_clip_zip_with_mode",
        &[],
        &[CLIP, MODE],
        &[merging_stage(S::VectorClip)],
    ),
];
