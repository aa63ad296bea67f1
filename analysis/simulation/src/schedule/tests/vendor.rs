//! The vendor's schedule by hand: who waits for whom, what holds what, and what comes around the operations.
//!
//! Every figure is 1,003 cycles before the first operation, 600 behind the last, and the cycles that the test gives to its
//! operations. 1,600 are a synchronisation of 600 and the 1,000 behind it.

use super::*;
use crate::items::Dialect;
use crate::kernel::{LoopFrame, OperationKind, Stage, StageKind};
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
        &derivation::derive_body(body, Target::Rngd),
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
    let output = pass.begin.clone();
    Arc::make_mut(pass).stages.push(Stage {
        kind,
        output,
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
    let cycles = [10, 20, 100, 50];
    let schedule = by_the_vendor(&builder.body, &cycles);
    assert_eq!(
        times(&schedule),
        // The pass reads the lower tile, which is there at 1,033, and waits for the upper one.
        [
            (1_003, 1_013),
            (1_013, 1_033),
            (1_033, 1_133),
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
        [(0, 10), (10, 30), (30, 130), (30, 80)]
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
    // Behind the load of the upper tile nothing remains, and behind the lower one its pass, whatever they take themselves.
    assert_eq!(
        times(&schedule),
        [
            (1_003, 1_013),
            (1_013, 1_033),
            (1_033, 1_083),
            (1_033, 1_133)
        ]
    );
    assert_eq!(schedule.total, Some(1_733));
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
fn of_two_with_as_much_behind_them_the_shorter_goes_first() {
    let mut builder = current();
    let input = builder.input("A");
    let first = builder.load(input, "1 # 256", "A", 0);
    let second = builder.load(input, "1 # 256", "A", 256);
    commit(&mut builder, first, 512);
    commit(&mut builder, second, 768);
    on(&mut builder, &[DMA, DMA, MAIN, SUB]);
    // Behind both 80 remain.
    let schedule = by_the_vendor(&builder.body, &[60, 20, 80, 80]);
    assert_eq!(
        times(&schedule),
        [
            (1_023, 1_083),
            (1_003, 1_023),
            (1_083, 1_163),
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
        let schedule = by_the_vendor(&builder.body, &[10, 40, 50]);
        times(&schedule)[1..].to_vec()
    };
    let beside = [(1_013, 1_053), (1_013, 1_063)];
    let behind = [(1_013, 1_053), (1_053, 1_103)];
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
        (Tier::Vrf, (1_053, 1_103)),
        // What ends in DM holds the main context alone.
        (Tier::Dm, (1_013, 1_063)),
    ] {
        let mut builder = current();
        let input = builder.input("A");
        let loaded = builder.load(input, "1 # 256", "A", 0);
        let address = AddressValue::Bytes(512);
        builder.pass(loaded, &[], tier, &["1 # 256", "A"], address);
        commit(&mut builder, loaded, 1_024);
        on(&mut builder, &[DMA, MAIN, SUB]);
        let schedule = by_the_vendor(&builder.body, &[10, 40, 50]);
        assert_eq!(times(&schedule)[2], sub, "{tier:?}");
    }
}

#[test]
fn the_table_of_a_lookup_is_loaded_and_put_into_place_beside_other_passes() {
    let mut builder = current();
    let input = builder.input("A");
    let loaded = builder.load(input, "1 # 256", "A", 0);
    commit(&mut builder, loaded, 512);
    commit(&mut builder, loaded, 1_024);
    with_stage(&mut builder, fetch(true));
    on(&mut builder, &[DMA, MAIN, MAIN]);
    let schedule = by_the_vendor(&builder.body, &[10, 2_000, 50]);
    // Behind the load 2,000 remain, and behind the table's transfer of 838 the 1,293 that put it into place and a pass of 50.
    assert_eq!(
        times(&schedule),
        [(1_003, 1_013), (1_013, 3_013), (3_144, 3_194)]
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

/// A turn of a loop for each pair of operations.
fn in_a_loop(builder: &mut BodyBuilder<'_>, of_turn: usize) {
    let span = builder.body.span;
    let operations = builder.body.operations.iter_mut();
    for (number, operation) in operations.enumerate() {
        operation.loops = vec![LoopFrame {
            span,
            iteration: (number / of_turn) as u64,
            count: None,
        }];
    }
}

#[test]
fn nothing_overlaps_across_a_turn_of_a_loop_from_release_5_on() {
    for (release, expected, total) in [
        // Two turns of 79, 10 and 20 cycles.
        (
            5,
            [
                (1_082, 1_092),
                (1_092, 1_112),
                (1_191, 1_201),
                (1_201, 1_221),
            ],
            1_821,
        ),
        // The second load is beside the first pass.
        (
            4,
            [
                (1_003, 1_013),
                (1_013, 1_033),
                (1_013, 1_023),
                (1_033, 1_053),
            ],
            1_653,
        ),
    ] {
        let mut builder = of_release(release);
        let input = builder.input("A");
        for turn in 0..2 {
            let loaded = builder.load(input, "1 # 256", "A", turn * 1_024);
            commit(&mut builder, loaded, turn * 1_024 + 512);
        }
        on(&mut builder, &[DMA, MAIN, DMA, MAIN]);
        in_a_loop(&mut builder, 2);
        let schedule = by_the_vendor(&builder.body, &[10, 20, 10, 20]);
        assert_eq!(times(&schedule), expected, "0.{release}");
        assert_eq!(schedule.total, Some(total), "0.{release}");
    }
}

#[test]
fn what_begins_a_turn_waits_for_the_end_of_the_one_before() {
    let mut builder = current();
    let input = builder.input("A");
    for turn in 0..2 {
        builder.load(input, "1 # 256", "A", turn * 1_024);
    }
    on(&mut builder, &[DMA, DMA]);
    in_a_loop(&mut builder, 1);
    let schedule = by_the_vendor(&builder.body, &[10, 10]);
    assert_eq!(times(&schedule), [(1_082, 1_092), (1_171, 1_181)]);
    let wait = &schedule.slot(OperationId(1)).expect("a slot").waits[0];
    assert_eq!(
        (wait.operation, wait.cause),
        (OperationId(0), WaitCause::Turn)
    );
    assert_eq!(schedule.critical_path(), [OperationId(0), OperationId(1)]);
}

#[test]
fn a_short_transfer_fills_the_gap_before_one_that_waits() {
    let mut builder = current();
    let input = builder.input("A");
    let scratch = builder.input("A");
    let first = builder.load(input, "1 # 256", "A", 0);
    builder.copy(first, scratch);
    builder.load(scratch, "1 # 256", "A", 512);
    builder.load(input, "1 # 256", "A", 1_024);
    on(&mut builder, &[DMA, DMA, DMA, DMA]);
    // Nothing waits for the last load: it goes where the load of what was stored waits for 1,600.
    let schedule = by_the_vendor(&builder.body, &[100, 50, 40, 1_000]);
    assert_eq!(
        times(&schedule),
        [
            (1_003, 1_103),
            (1_103, 1_153),
            (2_753, 2_793),
            (1_153, 2_153)
        ]
    );
}
