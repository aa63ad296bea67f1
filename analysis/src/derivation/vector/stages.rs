//! What the Vector Engine's stages are called, and which operations are whose; their order and lanes are the catalogue's.

use crate::kernel::VectorStage;
use crate::kernel::catalogue::vector_stages;

pub use crate::kernel::catalogue::{is_stashable, may_follow, way_into, way_out_of};

/// The enums of a stage's operations.
#[must_use]
pub const fn enumerations(stage: VectorStage) -> &'static [&'static str] {
    match stage {
        VectorStage::Logic => &["LogicBinaryOpI32", "LogicBinaryOpF32"],
        VectorStage::Fxp => &["FxpBinaryOp"],
        VectorStage::Fp => &["FpUnaryOp", "FpBinaryOp", "FpTernaryOp"],
        VectorStage::IntraSliceReduce => &["IntraSliceReduceOpI32", "IntraSliceReduceOpF32"],
        VectorStage::FpDiv => &["FpDivBinaryOp"],
        VectorStage::Clip => &["ClipBinaryOpI32", "ClipBinaryOpF32"],
        VectorStage::InterSliceReduce => &["InterSliceReduceOpI32", "InterSliceReduceOpF32"],
        VectorStage::Branch
        | VectorStage::FxpToFp
        | VectorStage::Narrow
        | VectorStage::Widen
        | VectorStage::FpToFxp
        | VectorStage::Filter => &[],
    }
}

/// The stages behind which a stash may be taken.
#[must_use]
pub fn stashable() -> Vec<VectorStage> {
    let stages = vector_stages().iter().copied();
    stages.filter(|stage| is_stashable(*stage)).collect()
}

/// The stages that may be entered from one.
#[must_use]
pub fn followers(from: VectorStage) -> Vec<VectorStage> {
    let stages = vector_stages().iter().copied();
    stages.filter(|&to| may_follow(from, to)).collect()
}

/// The stage's name in the book.
#[must_use]
pub const fn name(stage: VectorStage) -> &'static str {
    match stage {
        VectorStage::Branch => "Branch",
        VectorStage::Logic => "Logic",
        VectorStage::Fxp => "Fxp",
        VectorStage::FxpToFp => "FxpToFp",
        VectorStage::Narrow => "Narrow",
        VectorStage::Fp => "Fp",
        VectorStage::IntraSliceReduce => "IntraSliceReduce",
        VectorStage::FpDiv => "FpDiv",
        VectorStage::Widen => "Widen",
        VectorStage::FpToFxp => "FpToFxp",
        VectorStage::Clip => "Clip",
        VectorStage::InterSliceReduce => "InterSliceReduce",
        VectorStage::Filter => "Filter",
    }
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
        assert_eq!(stashable(), [Branch, Logic, Fxp, Narrow, Fp, FpDiv, Clip]);
    }
}
