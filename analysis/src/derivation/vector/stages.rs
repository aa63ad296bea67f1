//! The order of stages, the lanes each works on, and where a stash may be taken: tables of the Vector Engine.

use crate::kernel::{VectorStage, Way};

/// What is fixed about a stage (book: Stages; library: the stage graph).
struct StageRow {
    stage: VectorStage,
    /// The lanes it takes.
    way: Way,
    /// Whether several operations may follow one another in it, each on an ALU of its own.
    repeats: bool,
    /// Whether a stash may be taken behind it.
    stashable: bool,
    /// The enums of its operations.
    enumerations: &'static [&'static str],
}

const fn row(
    stage: VectorStage,
    way: Way,
    (repeats, stashable): (bool, bool),
    enumerations: &'static [&'static str],
) -> StageRow {
    StageRow {
        stage,
        way,
        repeats,
        stashable,
        enumerations,
    }
}

/// The stages in the order of the pipeline: each may be entered from every one before it.
const STAGES: &[StageRow] = &[
    row(VectorStage::Branch, Way::Way8, (false, true), &[]),
    row(
        VectorStage::Logic,
        Way::Way8,
        (true, true),
        &["LogicBinaryOpI32", "LogicBinaryOpF32"],
    ),
    row(VectorStage::Fxp, Way::Way8, (true, true), &["FxpBinaryOp"]),
    row(VectorStage::FxpToFp, Way::Way8, (false, false), &[]),
    row(VectorStage::Narrow, Way::Way8, (false, true), &[]),
    row(
        VectorStage::Fp,
        Way::Way4,
        (true, true),
        &["FpUnaryOp", "FpBinaryOp", "FpTernaryOp"],
    ),
    row(
        VectorStage::IntraSliceReduce,
        Way::Way4,
        (false, false),
        &["IntraSliceReduceOpI32", "IntraSliceReduceOpF32"],
    ),
    row(
        VectorStage::FpDiv,
        Way::Way4,
        (false, true),
        &["FpDivBinaryOp"],
    ),
    row(VectorStage::Widen, Way::Way4, (false, false), &[]),
    row(VectorStage::FpToFxp, Way::Way8, (false, false), &[]),
    row(
        VectorStage::Clip,
        Way::Way8,
        (true, true),
        &["ClipBinaryOpI32", "ClipBinaryOpF32"],
    ),
    row(
        VectorStage::InterSliceReduce,
        Way::Way8,
        (false, false),
        &["InterSliceReduceOpI32", "InterSliceReduceOpF32"],
    ),
    row(VectorStage::Filter, Way::Way8, (false, false), &[]),
];

/// The stages in the order of the pipeline.
pub const ORDER: &[VectorStage] = &[
    VectorStage::Branch,
    VectorStage::Logic,
    VectorStage::Fxp,
    VectorStage::FxpToFp,
    VectorStage::Narrow,
    VectorStage::Fp,
    VectorStage::IntraSliceReduce,
    VectorStage::FpDiv,
    VectorStage::Widen,
    VectorStage::FpToFxp,
    VectorStage::Clip,
    VectorStage::InterSliceReduce,
    VectorStage::Filter,
];

fn find(stage: VectorStage) -> Option<&'static StageRow> {
    STAGES.iter().find(|row| row.stage == stage)
}

fn rank(stage: VectorStage) -> Option<usize> {
    ORDER.iter().position(|&other| other == stage)
}

/// The lanes that a stage takes.
#[must_use]
pub fn way_into(stage: VectorStage) -> Way {
    find(stage).map_or(Way::Way8, |row| row.way)
}

/// The lanes that a stage hands on.
#[must_use]
pub fn way_out_of(stage: VectorStage) -> Way {
    match stage {
        VectorStage::Narrow => Way::Way4,
        VectorStage::Widen => Way::Way8,
        _ => way_into(stage),
    }
}

/// Whether a stash may be taken behind a stage.
#[must_use]
pub fn is_stashable(stage: VectorStage) -> bool {
    find(stage).is_some_and(|row| row.stashable)
}

/// The stages behind which a stash may be taken.
#[must_use]
pub fn stashable() -> Vec<VectorStage> {
    STAGES
        .iter()
        .filter(|row| row.stashable)
        .map(|row| row.stage)
        .collect()
}

/// The enums of a stage's operations.
#[must_use]
pub fn enumerations(stage: VectorStage) -> &'static [&'static str] {
    find(stage).map_or(&[], |row| row.enumerations)
}

/// Whether a stage may be entered from another, lanes left aside.
#[must_use]
pub fn may_follow(from: VectorStage, to: VectorStage) -> bool {
    match (rank(from), rank(to)) {
        (Some(before), Some(after)) if before == after => find(to).is_some_and(|row| row.repeats),
        (Some(before), Some(after)) => before < after,
        _ => true,
    }
}

/// The stages that may be entered from one.
#[must_use]
pub fn followers(from: VectorStage) -> Vec<VectorStage> {
    STAGES
        .iter()
        .map(|row| row.stage)
        .filter(|&to| may_follow(from, to))
        .collect()
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
