//! The element types that a stage makes of another: what proposals of types say, and whether a stream has a converting method at
//! all.

use crate::hardware::{
    ElementType, Target, cast_outputs, commit_cast_targets, fetch_cast_targets,
    fetch_casts_of_step, table_lookup_targets, zero_point_target,
};
use crate::kernel::catalogue::CanonicalStage;
use crate::kernel::dialect::Dialect;

/// The element types of the library's release that a stage makes of one; `None` for a stage that converts nothing.
pub(super) fn converted_types(
    stage: CanonicalStage,
    from: ElementType,
    target: Target,
    dialect: Dialect,
) -> Option<Vec<ElementType>> {
    let made = match stage {
        CanonicalStage::Fetch => std::iter::once(from)
            .chain(fetch_cast_targets(target, from))
            .collect(),
        CanonicalStage::FetchCast => fetch_casts_of_step(target, from),
        CanonicalStage::FetchTable => table_lookup_targets(from),
        CanonicalStage::FetchZeroPoint => {
            zero_point_target(from).map_or_else(Vec::new, |(to, _)| vec![to])
        }
        CanonicalStage::Cast => cast_outputs(from, target).to_vec(),
        CanonicalStage::CommitCast | CanonicalStage::CommitCastRelu => commit_cast_targets(from),
        CanonicalStage::VectorReinterpret => match from {
            ElementType::I32 => vec![ElementType::F32],
            ElementType::F32 => vec![ElementType::I32],
            _ => Vec::new(),
        },
        _ => return None,
    };
    let known = made.into_iter().filter(|to| dialect.has_scalar(*to));
    Some(known.collect())
}
