//! Methods of the book's library inside of the Vector Engine: on one stream, and on two groups.

use crate::catalogue::{CanonicalStage, Generic, Role};
use crate::dialect::common::arguments::{PACKET, TIME};
use crate::dialect::common::rows::{arg, stage_once};
use crate::dialect::common::vector::{
    FP_DIV, FP_UNARY, MODE, OPERAND, OPERAND0, OPERAND1, RUNS0, RUNS1, operation_argument,
    pair_method, single_stream_method,
};
use crate::dialect::{Argument, Method};

use CanonicalStage as S;

/// A division whose mode is part of the value.
const DIVISION: Argument = Argument {
    suffix: ".with_mode(${1:BinaryArgMode::Mode01})$0",
    ..operation_argument("FpDivOp")
};
const UNARY_MODE: Argument = arg(Role::Mode, "mode", "UnaryArgMode");
const BRANCH: Argument =
    arg(Role::Configuration, "mode", "BranchMode").usual("BranchMode::Unconditional");

/// What the other library has not, or in other words.
pub(super) const METHODS: &[Method] = &[
    // Structure.
    single_stream_method(
        "vector_intra_slice_branch",
        &[],
        &[BRANCH],
        &[stage_once(S::VectorBranch)],
    ),
    single_stream_method(
        "vector_intra_slice_unzip",
        &[Generic::Axis, Generic::Index, TIME],
        &[],
        &[stage_once(S::VectorUnzip)],
    ),
    single_stream_method(
        "vector_filter",
        &[TIME],
        &[arg(Role::Condition, "ids", "ValidBranchIds")],
        &[stage_once(S::VectorFilter)],
    )
    .without_body(),
    single_stream_method(
        "vector_split",
        &[TIME, PACKET],
        &[],
        &[stage_once(S::VectorSplit)],
    ),
    single_stream_method(
        "vector_trim_way4",
        &[PACKET],
        &[],
        &[stage_once(S::VectorTrim)],
    ),
    single_stream_method(
        "vector_concat",
        &[TIME, PACKET],
        &[],
        &[stage_once(S::VectorConcat)],
    ),
    single_stream_method(
        "vector_pad_way8",
        &[PACKET],
        &[],
        &[stage_once(S::VectorPad)],
    ),
    // Operations of a single stream.
    single_stream_method(
        "vector_fp_unary_with_mode",
        &[],
        &[FP_UNARY, UNARY_MODE],
        &[stage_once(S::VectorFp)],
    ),
    single_stream_method(
        "vector_fp_div",
        &[],
        &[DIVISION, OPERAND],
        &[stage_once(S::VectorFpDiv)],
    ),
    single_stream_method(
        "vector_fp_div_with_mode",
        &[],
        &[FP_DIV, MODE, OPERAND],
        &[stage_once(S::VectorFpDiv)],
    ),
    // Operations of a pair.
    pair_method(
        "vector_split",
        &[TIME, PACKET],
        &[],
        &[stage_once(S::VectorSplit)],
    ),
    pair_method(
        "vector_trim_way4",
        &[PACKET],
        &[],
        &[stage_once(S::VectorTrim)],
    )
    .only_in_the_book(),
    pair_method(
        "vector_fp_unary_with_mode",
        &[],
        &[FP_UNARY, UNARY_MODE, RUNS0, RUNS1],
        &[stage_once(S::VectorFp)],
    ),
    pair_method(
        "vector_fp_div",
        &[],
        &[FP_DIV, OPERAND0, OPERAND1],
        &[stage_once(S::VectorFpDiv)],
    ),
    pair_method(
        "vector_fp_div_with_mode",
        &[],
        &[FP_DIV, MODE, OPERAND0, OPERAND1],
        &[stage_once(S::VectorFpDiv)],
    ),
    pair_method(
        "vector_concat",
        &[TIME, PACKET],
        &[],
        &[stage_once(S::VectorConcat)],
    ),
    pair_method(
        "vector_pad_way8",
        &[PACKET],
        &[],
        &[stage_once(S::VectorPad)],
    )
    .only_in_the_book(),
];
