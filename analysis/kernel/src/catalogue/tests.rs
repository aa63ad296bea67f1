use super::*;

#[test]
fn rows_stand_in_the_order_of_the_enum() {
    for (index, row) in CATALOGUE.iter().enumerate() {
        assert_eq!(row.stage as usize, index, "{}", row.name);
        assert_eq!(row.stage.row(), row);
    }
    assert_eq!(CATALOGUE.len(), CanonicalStage::ToVrf as usize + 1);
}

#[test]
fn names_and_words_are_there_and_unique() {
    for (index, row) in CATALOGUE.iter().enumerate() {
        assert!(!row.summary.is_empty(), "{}", row.name);
        let twin = CATALOGUE
            .iter()
            .skip(index + 1)
            .find(|other| other.name == row.name);
        assert_eq!(twin, None, "{}", row.name);
    }
}

/// The order that the book gives (Pipeline Position).
#[test]
fn engines_follow_each_other_in_the_books_order() {
    let order = [
        "Fetch",
        "Switch",
        "Collect",
        "Contraction",
        "Vector",
        "Cast",
        "Transpose",
        "Commit",
    ];
    assert_eq!(order_of_engines(), order);
}

#[test]
fn the_rows_reach_the_vector_stages_in_their_order() {
    let mut reached: Vec<VectorStage> = Vec::new();
    for row in CATALOGUE {
        if let Some(stage) = row.stage.vector_stage()
            && !reached.contains(&stage)
        {
            reached.push(stage);
        }
    }
    assert_eq!(reached, vector_stages());
}

/// The book's drawing: the Collect Engine loads both register files; the libraries load the VRF also with what left the
/// Vector Engine. Nothing else leads there.
#[test]
fn register_files_are_loaded_with_flits_of_the_collect_engine() {
    use Position::{Accumulate, Cast, Collect, Fetch, Transpose, VectorFinal};
    let enters = |stage: CanonicalStage, from| stage.refusal(from, Some(Context::Sub)).is_none();
    assert!(enters(CanonicalStage::ToTrf, Collect));
    assert!(enters(CanonicalStage::ToVrf, Collect));
    assert!(enters(CanonicalStage::ToVrf, VectorFinal));
    for from in [Accumulate, VectorFinal, Cast, Transpose] {
        let found = CanonicalStage::ToTrf.refusal(from, Some(Context::Main));
        assert_eq!(found, Some(Refusal::Order), "{from:?}");
    }
    for from in [Accumulate, Cast, Transpose] {
        let found = CanonicalStage::ToVrf.refusal(from, Some(Context::Main));
        assert_eq!(found, Some(Refusal::Order), "{from:?}");
    }
    let found = CanonicalStage::ToTrf.refusal(Fetch, Some(Context::Sub));
    assert_eq!(found, Some(Refusal::NotCollected));
}

/// The book's list of types of the reducer: `f8e5m2` is one of them.
#[test]
fn the_contraction_engine_takes_both_floats_of_8_bits() {
    use ElementType::{Bf16, F8E4M3, F8E5M2, F32, I4, I8, I16, I32, U8};
    for taken in [I4, I8, F8E4M3, F8E5M2, Bf16] {
        assert!(CanonicalStage::Align.takes_type(taken), "{taken}");
        assert!(CanonicalStage::Contract.takes_type(taken), "{taken}");
    }
    for refused in [U8, I16, I32, F32] {
        assert!(!CanonicalStage::Align.takes_type(refused), "{refused}");
    }
}

/// The book's table of lanes (Narrow, Widen) and its list of stages behind which a stash may be taken.
#[test]
fn lanes_and_stashes() {
    use VectorStage::{
        Branch, Clip, Fp, FpDiv, FpToFxp, Fxp, FxpToFp, IntraSliceReduce, Logic, Narrow, Widen,
    };
    for eight in [Branch, Logic, Fxp, FxpToFp, Narrow, FpToFxp, Clip] {
        assert_eq!(way_into(eight), Way::Way8, "{eight:?}");
    }
    for four in [Fp, IntraSliceReduce, FpDiv, Widen] {
        assert_eq!(way_into(four), Way::Way4, "{four:?}");
    }
    assert_eq!(way_out_of(Narrow), Way::Way4);
    assert_eq!(way_out_of(Widen), Way::Way8);
    assert_eq!(way_out_of(Fp), Way::Way4);
    let stashable: Vec<VectorStage> = vector_stages()
        .iter()
        .copied()
        .filter(|stage| is_stashable(*stage))
        .collect();
    assert_eq!(stashable, [Branch, Logic, Fxp, Narrow, Fp, FpDiv, Clip]);
}
