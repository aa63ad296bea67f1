//! Which operations the stages of the Vector Engine offer; their order and lanes are the catalogue's.

use crate::hardware::{ElementType, OperationGroup, VectorOperation, operations_of};
use crate::kernel::VectorStage;
use crate::kernel::catalogue::vector_stages;

pub use crate::kernel::catalogue::{is_stashable, may_follow, way_into, way_out_of};

/// The groups of operations that a stage offers.
pub const fn operation_groups(stage: VectorStage) -> &'static [OperationGroup] {
    match stage {
        VectorStage::Logic => &[OperationGroup::Logic],
        VectorStage::Fxp => &[OperationGroup::Fxp],
        VectorStage::Fp => &[
            OperationGroup::FloatUnary,
            OperationGroup::FloatBinary,
            OperationGroup::FloatTernary,
        ],
        VectorStage::IntraSliceReduce => &[OperationGroup::ReduceInSlice],
        VectorStage::FpDiv => &[OperationGroup::FloatDivide],
        VectorStage::Clip => &[OperationGroup::Clip],
        VectorStage::InterSliceReduce => &[OperationGroup::ReduceAcross],
        VectorStage::Branch
        | VectorStage::FxpToFp
        | VectorStage::Narrow
        | VectorStage::Widen
        | VectorStage::FpToFxp
        | VectorStage::Filter => &[],
    }
}

/// The operations that a stage offers on a stream of a type.
pub fn operations_on(
    stage: VectorStage,
    element_type: ElementType,
) -> impl Iterator<Item = &'static VectorOperation> {
    let operations = operation_groups(stage)
        .iter()
        .flat_map(|group| operations_of(*group));
    operations.filter(move |operation| operation.element_type == element_type)
}

/// The stages behind which a stash may be taken.
pub fn stashable_stages() -> Vec<VectorStage> {
    let stages = vector_stages().iter().copied();
    stages.filter(|stage| is_stashable(*stage)).collect()
}

/// The stages that may be entered from one.
pub fn followers(from: VectorStage) -> Vec<VectorStage> {
    let stages = vector_stages().iter().copied();
    stages.filter(|&to| may_follow(from, to)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The library's table of transitions, row by row, without the columns that lanes exclude.
    #[test]
    fn transitions() {
        use VectorStage::{
            Branch, Clip, Filter, Fp, FpDiv, FpToFxp, Fxp, FxpToFp, IntraSliceReduce, Logic,
            Narrow, Widen,
        };
        let allowed = [
            (Branch, Logic),
            (Logic, Logic),
            (Logic, Fxp),
            (Fxp, Fxp),
            (FxpToFp, Narrow),
            (Narrow, IntraSliceReduce),
            (Fp, Fp),
            (IntraSliceReduce, FpDiv),
            (FpDiv, Widen),
            (Widen, FpToFxp),
            (Clip, Clip),
            (Clip, Filter),
        ];
        assert!(allowed.iter().all(|&(from, to)| may_follow(from, to)));
        let refused = [
            (Fxp, Logic),
            (FxpToFp, Fxp),
            (FxpToFp, FxpToFp),
            (Narrow, Narrow),
            (Fp, Narrow),
            (IntraSliceReduce, Fp),
            (FpDiv, IntraSliceReduce),
            (Widen, Narrow),
            (Clip, FpToFxp),
            (Filter, Clip),
            (Branch, Branch),
        ];
        assert!(refused.iter().all(|&(from, to)| !may_follow(from, to)));
    }

    /// The book's list of stages behind which a stash may be taken.
    #[test]
    fn stashes() {
        use VectorStage::{Branch, Clip, Fp, FpDiv, Fxp, Logic, Narrow};
        assert_eq!(
            stashable_stages(),
            [Branch, Logic, Fxp, Narrow, Fp, FpDiv, Clip]
        );
    }
}
