//! Methods of the book's library inside of the Vector Engine: on one stream, and on two groups.

use crate::kernel::catalogue::{CanonicalStage, Generic, Role};
use crate::kernel::dialect::common::arguments::{PACKET, TIME};
use crate::kernel::dialect::common::rows::{arg, once};
use crate::kernel::dialect::common::vector::{
    FP_DIV, FP_UNARY, MODE, OPERAND, OPERAND0, OPERAND1, RUNS0, RUNS1, op, pair, single,
};
use crate::kernel::dialect::{Argument, Method};

use CanonicalStage as S;

/// A division whose mode is part of the value.
const DIVISION: Argument = Argument {
    suffix: ".with_mode(${1:BinaryArgMode::Mode01})$0",
    ..op("FpDivOp")
};
const UNARY_MODE: Argument = arg(Role::Mode, "mode", "UnaryArgMode");
const BRANCH: Argument =
    arg(Role::Configuration, "mode", "BranchMode").usual("BranchMode::Unconditional");

/// What the other library has not, or in other words.
pub(super) const METHODS: &[Method] = &[
    // Structure.
    single(
        "vector_intra_slice_branch",
        &[],
        &[BRANCH],
        &[once(S::VectorBranch)],
    ),
    single(
        "vector_intra_slice_unzip",
        &[Generic::Axis, Generic::Index, TIME],
        &[],
        &[once(S::VectorUnzip)],
    ),
    single(
        "vector_filter",
        &[TIME],
        &[arg(Role::Condition, "ids", "ValidBranchIds")],
        &[once(S::VectorFilter)],
    )
    .without_body(),
    single(
        "vector_split",
        &[TIME, PACKET],
        &[],
        &[once(S::VectorSplit)],
    ),
    single("vector_trim_way4", &[PACKET], &[], &[once(S::VectorTrim)]),
    single(
        "vector_concat",
        &[TIME, PACKET],
        &[],
        &[once(S::VectorConcat)],
    ),
    single("vector_pad_way8", &[PACKET], &[], &[once(S::VectorPad)]),
    // Operations of a single stream.
    single(
        "vector_fp_unary_with_mode",
        &[],
        &[FP_UNARY, UNARY_MODE],
        &[once(S::VectorFp)],
    ),
    single(
        "vector_fp_div",
        &[],
        &[DIVISION, OPERAND],
        &[once(S::VectorFpDiv)],
    ),
    single(
        "vector_fp_div_with_mode",
        &[],
        &[FP_DIV, MODE, OPERAND],
        &[once(S::VectorFpDiv)],
    ),
    // Operations of a pair.
    pair(
        "vector_split",
        &[TIME, PACKET],
        &[],
        &[once(S::VectorSplit)],
    ),
    pair("vector_trim_way4", &[PACKET], &[], &[once(S::VectorTrim)]).only_in_the_book(),
    pair(
        "vector_fp_unary_with_mode",
        &[],
        &[FP_UNARY, UNARY_MODE, RUNS0, RUNS1],
        &[once(S::VectorFp)],
    ),
    pair(
        "vector_fp_div",
        &[],
        &[FP_DIV, OPERAND0, OPERAND1],
        &[once(S::VectorFpDiv)],
    ),
    pair(
        "vector_fp_div_with_mode",
        &[],
        &[FP_DIV, MODE, OPERAND0, OPERAND1],
        &[once(S::VectorFpDiv)],
    ),
    pair(
        "vector_concat",
        &[TIME, PACKET],
        &[],
        &[once(S::VectorConcat)],
    ),
    pair("vector_pad_way8", &[PACKET], &[], &[once(S::VectorPad)]).only_in_the_book(),
];
