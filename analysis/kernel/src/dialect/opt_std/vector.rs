//! Methods of the current library inside of the Vector Engine: on one stream, and on two groups.

use crate::catalogue::{CanonicalStage, Generic, Role};
use crate::dialect::common::arguments::{PACKET, SCALAR, TIME};
use crate::dialect::common::rows::{arg, stage_once};
use crate::dialect::common::vector::{
    MODE, OPERAND, OPERAND0, OPERAND1, pair_method, single_stream_method,
};
use crate::dialect::{Argument, Method};

use super::{R2, R3, R6, R7, R8};

use CanonicalStage as S;

const TAG: Argument = arg(Role::Configuration, "mode", "TagMode").usual("TagMode::Zero");

/// What the other library has not, or in other words.
pub(super) const METHODS: &[Method] = &[
    // Structure.
    single_stream_method(
        "vector_intra_slice_tag",
        &[],
        &[TAG],
        &[stage_once(S::VectorBranch)],
    ),
    single_stream_method(
        "vector_intra_slice_unzip",
        &[Generic::Axis, Generic::Index, TIME],
        &[],
        &[stage_once(S::VectorUnzip)],
    )
    .until(R7),
    single_stream_method(
        "vector_intra_slice_unzip",
        &[Generic::Axis, TIME],
        &[],
        &[stage_once(S::VectorUnzip)],
    )
    .since(R8),
    single_stream_method(
        "vector_filter",
        &[TIME],
        &[arg(Role::Condition, "guard", "TagGuard")],
        &[stage_once(S::VectorFilter)],
    )
    .without_body(),
    single_stream_method(
        "vector_narrow_split",
        &[TIME, PACKET],
        &[],
        &[stage_once(S::VectorSplit)],
    ),
    single_stream_method(
        "vector_narrow_clip",
        &[PACKET],
        &[],
        &[stage_once(S::VectorTrim)],
    )
    .until(R2),
    single_stream_method(
        "vector_narrow_trim",
        &[PACKET],
        &[],
        &[stage_once(S::VectorTrim)],
    )
    .since(R3),
    single_stream_method(
        "vector_widen_concat",
        &[TIME, PACKET],
        &[],
        &[stage_once(S::VectorConcat)],
    ),
    single_stream_method(
        "vector_widen_pad",
        &[PACKET],
        &[],
        &[stage_once(S::VectorPad)],
    ),
    single_stream_method(
        "vector_reinterpret",
        &[SCALAR],
        &[],
        &[stage_once(S::VectorReinterpret)],
    )
    .since(R6),
    // Operations of a single stream.
    single_stream_method(
        "vector_fp_div",
        &[],
        &[OPERAND],
        &[stage_once(S::VectorFpDiv)],
    ),
    single_stream_method(
        "vector_fp_div_with_mode",
        &[],
        &[MODE, OPERAND],
        &[stage_once(S::VectorFpDiv)],
    ),
    // Operations of a pair.
    pair_method(
        "vector_fp_div",
        &[],
        &[OPERAND0, OPERAND1],
        &[stage_once(S::VectorFpDiv)],
    ),
    pair_method(
        "vector_fp_div_with_mode",
        &[],
        &[MODE, OPERAND0, OPERAND1],
        &[stage_once(S::VectorFpDiv)],
    ),
    // What only pairs have, or have as well.
    pair_method(
        "vector_narrow_split",
        &[TIME, PACKET],
        &[],
        &[stage_once(S::VectorSplit)],
    ),
    pair_method(
        "vector_widen_concat",
        &[TIME, PACKET],
        &[],
        &[stage_once(S::VectorConcat)],
    ),
    pair_method(
        "vector_reinterpret",
        &[SCALAR],
        &[],
        &[stage_once(S::VectorReinterpret)],
    )
    .since(R6),
];
