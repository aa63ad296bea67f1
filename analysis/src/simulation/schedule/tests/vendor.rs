//! The vendor's schedule by hand: who waits for whom, what holds what, and what comes around the operations.
//!
//! Every figure is 1,003 cycles before the first operation, 600 behind the last, and the cycles that the test gives to its
//! operations. 1,600 are a synchronisation of 600 and the 1,000 behind it.

use super::*;
use crate::items::Dialect;
use crate::kernel::{OperationKind, Stage, StageKind};
use crate::libraries::{Library, Release};

const DMA: Context = Context::TensorDma;
const MAIN: Context = Context::Main;
const SUB: Context = Context::Sub;

/// A kernel of the current library.
fn current() -> BodyBuilder<'static> {
    of_release(8)
}

fn of_release(minor: u16) -> BodyBuilder<'static> {
    let mut builder = BodyBuilder::new(AXES);
    builder.body.dialect = Dialect {
        library: Library::OptStd,
        release: Release::new(0, minor),
    };
    builder
}

fn by_the_vendor(body: &Body, cycles: &[u64]) -> Schedule {
    let costs: Vec<Arc<OperationCost>> = cycles.iter().copied().map(cost).map(Arc::new).collect();
    derive(
        body,
        &derivation::derive(body, Target::Rngd),
        &costs,
        Model::Schedule,
        &Conflicts::default(),
    )
}

/// Appends a stage to the pass that was made last.
fn with_stage(builder: &mut BodyBuilder<'_>, kind: StageKind) {
    let operation = builder.body.operations.last_mut().expect("an operation");
    let OperationKind::Pass(pass) = &mut operation.kind else {
        panic!("no pass");
    };
    pass.stages.push(Stage {
        kind,
        output: pass.begin.clone(),
        method: "stage".to_owned(),
        span: operation.span,
    });
}

/// Half of a tensor over `A`, from an index on.
fn half(builder: &mut BodyBuilder<'_>, whole: TensorId, start: u64) -> TensorId {
    builder.tile(whole, "A", 32, start, "A = 32 # 64")
}

fn fetch(table: bool) -> StageKind {
    StageKind::Fetch {
        table,
        zero_points: Vec::new(),
    }
}

#[test]
fn a_kernel_begins_at_1003_and_ends_with_a_synchronisation() {
    let mut builder = current();
    let input = builder.input("A");
    builder.load(input, "1 # 256", "A", 0);
    on(&mut builder, &[DMA]);
    let schedule = by_the_vendor(&builder.body, &[500]);
    assert_eq!(times(&schedule), [(1_003, 1_503)]);
    assert_eq!(schedule.total, Some(2_103));
    // A helper is no kernel.
    builder.body.device = None;
    assert_eq!(by_the_vendor(&builder.body, &[500]).total, Some(500));
}

#[test]
fn a_read_of_a_tile_waits_for_earlier_writes_of_other_tiles_of_its_tensor() {
    let mut builder = current();
    let input = builder.input("A");
    let part = builder.input("A = 32 # 64");
    let buffer = builder.load(input, "1 # 256", "A", 0);
    let [lower, upper] = [0, 32].map(|start| half(&mut builder, buffer, start));
    builder.copy(part, lower);
    builder.copy(part, upper);
    commit(&mut builder, lower, 512);
    on(&mut builder, &[DMA, DMA, DMA, MAIN]);
    let cycles = [10, 100, 20, 50];
    let schedule = by_the_vendor(&builder.body, &cycles);
    assert_eq!(
        times(&schedule),
        // The pass reads the lower tile, which is there at 1,113, and waits for the upper one.
        [
            (1_003, 1_013),
            (1_013, 1_113),
            (1_113, 1_133),
            (1_133, 1_183)
        ]
    );
    assert_eq!(schedule.total, Some(1_783));
    let slot = schedule.slot(OperationId(3)).expect("a slot");
    assert_eq!(slot.waits[0].operation, OperationId(2));
    assert_eq!(slot.waits[0].cause, WaitCause::ReadAfterWrite);
    // By the book it waits for its bytes.
    let costs: Vec<OperationCost> = cycles.iter().copied().map(cost).collect();
    let of_the_book = super::schedule(&builder.body, &costs);
    assert_eq!(
        times(&of_the_book),
        [(0, 10), (10, 110), (110, 130), (110, 160)]
    );
}

#[test]
fn a_read_of_a_tile_does_not_wait_for_later_writes_nor_these_for_it() {
    let mut builder = current();
    let input = builder.input("A");
    let part = builder.input("A = 32 # 64");
    let buffer = builder.load(input, "1 # 256", "A", 0);
    let [lower, upper] = [0, 32].map(|start| half(&mut builder, buffer, start));
    builder.copy(part, lower);
    commit(&mut builder, lower, 512);
    builder.copy(part, upper);
    on(&mut builder, &[DMA, DMA, MAIN, DMA]);
    let schedule = by_the_vendor(&builder.body, &[10, 20, 50, 100]);
    // The load of the upper tile is most waited for: nothing waits for it, but it takes 100, and the lower one with its pass 70.
    assert_eq!(
        times(&schedule),
        [
            (1_003, 1_013),
            (1_113, 1_133),
            (1_133, 1_183),
            (1_013, 1_113)
        ]
    );
    assert_eq!(schedule.total, Some(1_783));
}

#[test]
fn a_load_of_a_tile_waits_for_stores_to_other_tiles_and_their_synchronisation() {
    let mut builder = current();
    let input = builder.input("A");
    let scratch = builder.input("A");
    let part = builder.load(input, "1 # 256", "A = 32 # 64", 0);
    let [lower, upper] = [0, 32].map(|start| half(&mut builder, scratch, start));
    builder.copy(part, lower);
    builder.load(upper, "1 # 256", "A = 32 # 64", 512);
    on(&mut builder, &[DMA, DMA, DMA]);
    let schedule = by_the_vendor(&builder.body, &[10, 20, 30]);
    // 1,033 and 1,600.
    assert_eq!(
        times(&schedule),
        [(1_003, 1_013), (1_013, 1_033), (2_633, 2_663)]
    );
}

#[test]
fn a_load_of_what_was_stored_waits_for_a_synchronisation_and_a_pass_does_not() {
    let mut builder = current();
    let input = builder.input("A");
    let scratch = builder.input("A");
    let first = builder.load(input, "1 # 256", "A", 0);
    builder.copy(first, scratch);
    builder.load(scratch, "1 # 256", "A", 512);
    commit(&mut builder, first, 1_024);
    on(&mut builder, &[DMA, DMA, DMA, MAIN]);
    let schedule = by_the_vendor(&builder.body, &[100, 50, 40, 30]);
    assert_eq!(
        times(&schedule),
        [
            (1_003, 1_103),
            (1_103, 1_153),
            (2_753, 2_793),
            (1_103, 1_133)
        ]
    );
}

#[test]
fn the_transfer_goes_first_that_most_waits_for_from_release_5_on() {
    for (release, expected) in [
        // The second load with its pass and the store takes 20 + 300 + 10, the first nothing more than itself.
        (5, [(1_023, 1_043), (1_003, 1_023), (1_023, 1_323)]),
        (8, [(1_023, 1_043), (1_003, 1_023), (1_023, 1_323)]),
        (4, [(1_003, 1_023), (1_023, 1_043), (1_043, 1_343)]),
    ] {
        let mut builder = of_release(release);
        let input = builder.input("A");
        builder.load(input, "1 # 256", "A", 0);
        let second = builder.load(input, "1 # 256", "A", 256);
        commit(&mut builder, second, 512);
        on(&mut builder, &[DMA, DMA, MAIN]);
        let schedule = by_the_vendor(&builder.body, &[20, 20, 300]);
        assert_eq!(times(&schedule), expected, "0.{release}");
    }
}

#[test]
fn of_two_that_are_waited_for_alike_the_shorter_goes_first() {
    let mut builder = current();
    let input = builder.input("A");
    let first = builder.load(input, "1 # 256", "A", 0);
    let second = builder.load(input, "1 # 256", "A", 256);
    commit(&mut builder, first, 512);
    commit(&mut builder, second, 768);
    on(&mut builder, &[DMA, DMA, MAIN, SUB]);
    // Both chains take 100.
    let schedule = by_the_vendor(&builder.body, &[60, 20, 40, 80]);
    assert_eq!(
        times(&schedule),
        [
            (1_023, 1_083),
            (1_003, 1_023),
            (1_083, 1_123),
            (1_023, 1_103)
        ]
    );
}

#[test]
fn passes_with_the_vector_engine_or_a_cast_follow_each_other_and_others_do_not() {
    let two = |first: Option<StageKind>, second: Option<StageKind>| {
        let mut builder = current();
        let input = builder.input("A");
        let loaded = builder.load(input, "1 # 256", "A", 0);
        commit(&mut builder, loaded, 512);
        if let Some(kind) = first {
            with_stage(&mut builder, kind);
        }
        commit(&mut builder, loaded, 768);
        if let Some(kind) = second {
            with_stage(&mut builder, kind);
        }
        on(&mut builder, &[DMA, MAIN, SUB]);
        let schedule = by_the_vendor(&builder.body, &[10, 50, 40]);
        times(&schedule)[1..].to_vec()
    };
    let beside = [(1_013, 1_063), (1_013, 1_053)];
    let behind = [(1_013, 1_063), (1_063, 1_103)];
    let (vector, cast) = (StageKind::VectorInit, StageKind::Cast);
    assert_eq!(two(Some(vector.clone()), Some(vector.clone())), behind);
    assert_eq!(two(Some(vector.clone()), Some(cast.clone())), behind);
    assert_eq!(two(Some(cast), None), beside);
    assert_eq!(two(Some(vector), None), beside);
    assert_eq!(two(None, None), beside);
}

#[test]
fn a_main_pass_that_ends_in_the_vrf_holds_the_sub_context() {
    for (tier, sub) in [
        (Tier::Vrf, (1_063, 1_103)),
        // What ends in DM holds the main context alone.
        (Tier::Dm, (1_013, 1_053)),
    ] {
        let mut builder = current();
        let input = builder.input("A");
        let loaded = builder.load(input, "1 # 256", "A", 0);
        let address = AddressValue::Bytes(512);
        builder.pass(loaded, &[], tier, &["1 # 256", "A"], address);
        commit(&mut builder, loaded, 1_024);
        on(&mut builder, &[DMA, MAIN, SUB]);
        let schedule = by_the_vendor(&builder.body, &[10, 50, 40]);
        assert_eq!(times(&schedule)[2], sub, "{tier:?}");
    }
}

#[test]
fn the_table_of_a_lookup_is_loaded_and_put_into_place_while_no_pass_runs() {
    let mut builder = current();
    let input = builder.input("A");
    let loaded = builder.load(input, "1 # 256", "A", 0);
    commit(&mut builder, loaded, 512);
    commit(&mut builder, loaded, 1_024);
    with_stage(&mut builder, fetch(true));
    on(&mut builder, &[DMA, MAIN, MAIN]);
    let schedule = by_the_vendor(&builder.body, &[10, 2_000, 50]);
    // The table's transfer goes first: most waits for it. It ends at 1,841, and putting the table into place takes 1,293, in which
    // neither pass runs. Then the one goes first that takes longer.
    assert_eq!(
        times(&schedule),
        [(1_841, 1_851), (3_134, 5_134), (5_134, 5_184)]
    );
}

#[test]
fn a_transfer_into_a_tensor_that_a_pass_writes_too_brings_a_synchronisation() {
    for (joins, reader) in [(true, (2_683, 2_713)), (false, (1_083, 1_113))] {
        let mut builder = current();
        let input = builder.input("A");
        let part = builder.load(input, "1 # 256", "A = 32 # 64", 0);
        let whole = if joins {
            commit(&mut builder, part, 512)
        } else {
            builder.load(input, "1 # 256", "A", 512)
        };
        let upper = half(&mut builder, whole, 32);
        builder.copy(part, upper);
        commit(&mut builder, whole, 1_024);
        let second = if joins { MAIN } else { DMA };
        on(&mut builder, &[DMA, second, DMA, MAIN]);
        let schedule = by_the_vendor(&builder.body, &[20, 20, 40, 30]);
        // The transfer ends at 1,083.
        assert_eq!(times(&schedule)[3], reader, "{joins}");
    }
}
