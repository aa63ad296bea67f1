//! Schedules of small bodies by hand, and of random ones against a scheduler that compares every pair of operations byte
//! by byte.

use std::sync::Arc;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

mod tiles;
mod vendor;

use super::*;
use crate::OperationCost;
use crate::derivation;
use crate::hardware::{Model, Target};
use crate::kernel::{AddressValue, TensorId};
use crate::lanes::Lane;
use crate::testing_body::BodyBuilder;

const AXES: &[(&str, u64)] = &[("A", 64)];

fn cost(cycles: u64) -> OperationCost {
    OperationCost {
        cycles: Some(cycles),
        ..OperationCost::default()
    }
}

fn on(builder: &mut BodyBuilder<'_>, contexts: &[Context]) {
    for (operation, context) in builder.body.operations.iter_mut().zip(contexts) {
        operation.context = *context;
    }
}

fn schedule(body: &Body, costs: &[OperationCost]) -> Schedule {
    let costs: Vec<Arc<OperationCost>> = costs.iter().cloned().map(Arc::new).collect();
    derive(
        body,
        &derivation::derive_body(body, Target::Rngd),
        &costs,
        Model::Book,
        &Conflicts::default(),
    )
}

fn times(schedule: &Schedule) -> Vec<(u64, u64)> {
    let slots = schedule.slots.iter();
    slots.map(|slot| (slot.start, slot.end)).collect()
}

fn commit(builder: &mut BodyBuilder<'_>, source: TensorId, address: u64) -> TensorId {
    builder.pass(
        source,
        &[],
        Tier::Dm,
        &["1 # 256", "A"],
        AddressValue::Bytes(address),
    )
}

#[test]
fn a_load_runs_beside_a_pass_that_does_not_need_it() {
    let mut builder = BodyBuilder::new(AXES);
    let input = builder.input("A");
    let first = builder.load(input, "1 # 256", "A", 0);
    let second = builder.load(input, "1 # 256", "A", 256);
    let third = commit(&mut builder, first, 512);
    commit(&mut builder, second, 768);
    builder.read(third);
    let dma = Context::TensorDma;
    on(&mut builder, &[dma, dma, Context::Main, Context::Main, dma]);
    let schedule = schedule(
        &builder.body,
        &[cost(100), cost(100), cost(30), cost(40), cost(7)],
    );
    // The second pass waits for the second load; the store waits for only its context.
    assert_eq!(
        times(&schedule),
        [(0, 100), (100, 200), (100, 130), (200, 240), (200, 207)]
    );
    assert_eq!(schedule.total, Some(240));
    // 100 to 130 load and pass, 200 to 207 store and pass.
    assert_eq!(schedule.overlap(), 37);
    assert_eq!(schedule.busy(Lane::TENSOR_DMA), 207);
    assert_eq!(schedule.least_total(), 207);
    assert_eq!(
        schedule.critical_path(),
        [OperationId(0), OperationId(1), OperationId(3)]
    );
    let pauses: Vec<_> = schedule
        .idle(Lane::MAIN)
        .into_iter()
        .map(|idle| (idle.start, idle.end, idle.until))
        .collect();
    assert_eq!(
        pauses,
        [
            (0, 100, Some(OperationId(2))),
            (130, 200, Some(OperationId(3)))
        ]
    );
    let slot = schedule.slot(OperationId(3)).expect("a slot");
    assert_eq!(slot.waits.len(), 1);
    assert_eq!(slot.waits[0].operation, OperationId(1));
    assert_eq!(slot.waits[0].cause, WaitCause::ReadAfterWrite);
}

#[test]
fn a_load_over_bytes_that_a_pass_reads_waits_for_it() {
    let mut builder = BodyBuilder::new(AXES);
    let input = builder.input("A");
    let first = builder.load(input, "1 # 256", "A", 0);
    commit(&mut builder, first, 512);
    builder.load(input, "1 # 256", "A", 128);
    on(
        &mut builder,
        &[Context::TensorDma, Context::Main, Context::TensorDma],
    );
    let schedule = schedule(&builder.body, &[cost(10), cost(50), cost(10)]);
    assert_eq!(times(&schedule), [(0, 10), (10, 60), (60, 70)]);
    let slot = schedule.slot(OperationId(2)).expect("a slot");
    assert_eq!(slot.waits[0].cause, WaitCause::WriteAfterRead);
}

#[test]
fn tiles_of_other_values_do_not_wait_for_each_other() {
    let mut builder = BodyBuilder::new(AXES);
    let input = builder.input("A");
    let buffer = builder.load(input, "1 # 256", "A", 0);
    let lower = builder.tile(buffer, "A", 32, 0, "A = 32 # 64");
    let upper = builder.tile(buffer, "A", 32, 32, "A = 32 # 64");
    commit(&mut builder, lower, 512);
    builder.copy(input, upper);
    builder.copy(input, lower);
    let dma = Context::TensorDma;
    on(&mut builder, &[dma, Context::Main, dma, dma]);
    let schedule = schedule(&builder.body, &[cost(10), cost(50), cost(20), cost(20)]);
    assert_eq!(times(&schedule), [(0, 10), (10, 60), (10, 30), (60, 80)]);
}

#[test]
fn an_operation_that_starves_a_bank_takes_the_place_of_the_dma() {
    let mut builder = BodyBuilder::new(AXES);
    let input = builder.input("A");
    let first = builder.load(input, "1 # 256", "A", 0);
    commit(&mut builder, first, 512);
    builder.load(input, "1 # 256", "A", 1024);
    on(
        &mut builder,
        &[Context::TensorDma, Context::Main, Context::TensorDma],
    );
    let holding = OperationCost {
        holds_dma: true,
        ..cost(50)
    };
    let schedule = schedule(&builder.body, &[cost(10), holding, cost(10)]);
    assert_eq!(times(&schedule), [(0, 10), (10, 60), (60, 70)]);
    let slot = schedule.slot(OperationId(2)).expect("a slot");
    assert_eq!(slot.waits[0].cause, WaitCause::Held);
}

#[test]
fn an_unknown_cost_leaves_no_schedule_and_no_total() {
    let mut builder = BodyBuilder::new(AXES);
    let input = builder.input("A");
    builder.load(input, "1 # 256", "A", 0);
    let schedule = schedule(&builder.body, &[OperationCost::default()]);
    assert_eq!(schedule, Schedule::default());
}

/// Bytes that an operation reads, and bytes that it writes.
type Bytes = [(u64, u64); 2];

/// A random body over a few buffers of DM, with what each operation touches.
fn random(random: &mut StdRng) -> (Body, Vec<OperationCost>, Vec<Bytes>) {
    let mut builder = BodyBuilder::new(AXES);
    let input = builder.input("A");
    let mut made: Vec<(TensorId, u64)> = Vec::new();
    let (mut contexts, mut costs, mut bytes) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..random.random_range(1..12) {
        let address = random.random_range(0..6_u64) * 128;
        let target = (address, address + 256);
        let source = (!made.is_empty() && random.random_bool(0.6))
            .then(|| made[random.random_range(0..made.len())]);
        match source {
            Some((tensor, from)) => {
                made.push((commit(&mut builder, tensor, address), address));
                contexts.push([Context::Main, Context::Sub][random.random_range(0..2)]);
                bytes.push([(from, from + 256), target]);
            }
            None => {
                made.push((builder.load(input, "1 # 256", "A", address), address));
                contexts.push([Context::TensorDma, Context::PcieDma][random.random_range(0..2)]);
                bytes.push([(0, 0), target]);
            }
        }
        costs.push(OperationCost {
            holds_dma: random.random_bool(0.1),
            holds_sub: random.random_bool(0.1),
            ..cost(random.random_range(1..100))
        });
    }
    on(&mut builder, &contexts);
    (builder.body, costs, bytes)
}

/// The start of each operation by comparing it with all before it.
fn walked(body: &Body, costs: &[OperationCost], bytes: &[Bytes]) -> Vec<(u64, u64)> {
    let lanes = |at: usize| {
        let mut lanes = vec![body.operations[at].context];
        if costs[at].holds_sub {
            lanes.push(Context::Sub);
        }
        if costs[at].holds_dma {
            lanes.extend([Context::TensorDma, Context::PcieDma]);
        }
        lanes
    };
    let meet =
        |one: (u64, u64), two: (u64, u64)| (one.0..one.1).any(|byte| two.0 <= byte && byte < two.1);
    let mut times: Vec<(u64, u64)> = Vec::new();
    for at in 0..costs.len() {
        let mut start = 0;
        for before in 0..at {
            let [reads, writes] = bytes[at];
            let [read_before, written_before] = bytes[before];
            let conflict = meet(written_before, reads)
                || meet(read_before, writes)
                || meet(written_before, writes)
                || lanes(at).iter().any(|lane| lanes(before).contains(lane));
            if conflict {
                start = start.max(times[before].1);
            }
        }
        times.push((start, start + costs[at].cycles.expect("a cost")));
    }
    times
}

#[test]
fn random_bodies_run_as_a_walk_over_all_pairs_says() {
    let mut source = StdRng::seed_from_u64(7);
    let mut waiting = 0;
    for round in 0..2_000 {
        let (body, costs, bytes) = random(&mut source);
        let schedule = schedule(&body, &costs);
        assert_eq!(times(&schedule), walked(&body, &costs, &bytes), "{round}");
        for slot in schedule.slots.iter().filter(|slot| slot.start > 0) {
            let first = slot.waits.first().expect("something it waits for");
            let other = schedule.slot(first.operation).expect("its slot");
            assert_eq!(other.end, slot.start, "{round}");
            waiting += 1;
        }
    }
    assert!(waiting > 1_000, "{waiting}");
}
