//! Methods of the current library inside of the Vector Engine: on one stream, and on two groups.

use crate::kernel::catalogue::{CanonicalStage, Generic, Role};
use crate::kernel::dialect::common::arguments::{PACKET, SCALAR, TIME};
use crate::kernel::dialect::common::rows::{arg, once};
use crate::kernel::dialect::common::vector::{MODE, OPERAND, OPERAND0, OPERAND1, pair, single};
use crate::kernel::dialect::{Argument, Method};

use super::{R2, R3, R6, R7, R8};

use CanonicalStage as S;

const TAG: Argument = arg(Role::Configuration, "mode", "TagMode").usual("TagMode::Zero");

/// What the other library has not, or in other words.
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
        "vector_reinterpret",
        &[SCALAR],
        &[],
        &[once(S::VectorReinterpret)],
    )
    .since(R6),
    // Operations of a single stream.
    single("vector_fp_div", &[], &[OPERAND], &[once(S::VectorFpDiv)]),
    single(
        "vector_fp_div_with_mode",
        &[],
        &[MODE, OPERAND],
        &[once(S::VectorFpDiv)],
    ),
    // Operations of a pair.
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
];
