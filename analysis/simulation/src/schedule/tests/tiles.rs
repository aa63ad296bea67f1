//! Many tiles of one tensor: the same waits as a comparison of all pairs gives, in room that grows with the operations alone.

use super::*;
use crate::derivation::memory::{Part, Touch};
use crate::hardware::calibration::TileReads;
use crate::items::Dialect;
use crate::libraries::{Library, Release};
use crate::schedule::hazards::{Found, Hazards};

const DMA: Context = Context::TensorDma;
const MAIN: Context = Context::Main;

fn current() -> BodyBuilder<'static> {
    let mut builder = BodyBuilder::new(AXES);
    builder.body.dialect = Dialect {
        library: Library::OptStd,
        release: Release::new(0, 8),
    };
    builder
}

/// So many values of `A` from a first one on.
fn tile(builder: &mut BodyBuilder<'_>, whole: TensorId, start: u64, length: u64) -> TensorId {
    let mapping = format!("A = {length} # 64");
    builder.tile(whole, "A", length, start, &mapping)
}

/// A tensor of which each tile is loaded, and read right behind its load.
fn loaded_and_read(tiles: u64) -> Body {
    let mut builder = current();
    let input = builder.input("A");
    let part = builder.input("A = 1 # 64");
    let buffer = builder.load(input, "1 # 256", "A", 0);
    let mut contexts = vec![DMA];
    for start in 0..tiles {
        let own = tile(&mut builder, buffer, start, 1);
        builder.copy(part, own);
        commit(&mut builder, own, 512 * (start + 1));
        contexts.extend([DMA, MAIN]);
    }
    on(&mut builder, &contexts);
    builder.body
}

#[test]
fn each_tile_is_read_behind_all_earlier_loads_however_many_there_are() {
    for tiles in [4, 15, 16, 17, 40, 64] {
        let body = loaded_and_read(tiles);
        let costs = body.operations.iter().map(|operation| {
            let cycles = if operation.context == DMA { 10 } else { 1 };
            Arc::new(cost(cycles))
        });
        let derived = derivation::derive_body(&body, Target::Rngd);
        let costs: Vec<_> = costs.collect();
        let conflicts = Conflicts::default();
        let schedule = derive(&body, &derived, &costs, Model::Schedule, &conflicts);
        // The load of the whole ends at 1,013, and each tile's ten cycles behind the one before.
        for number in 0..tiles {
            let read = OperationId(u32::try_from(2 * number + 2).unwrap());
            let slot = schedule.slot(read).unwrap();
            assert_eq!(slot.start, 1_023 + 10 * number, "{tiles} tiles, {number}");
            assert_eq!(slot.waits[0].operation, OperationId(read.0 - 1));
            assert_eq!(slot.waits[0].cause, WaitCause::ReadAfterWrite);
        }
        assert_eq!(schedule.total, Some(1_013 + 10 * tiles + 1 + 600));
    }
}

#[test]
fn what_is_waited_for_takes_room_for_each_operation_alone() {
    let body = loaded_and_read(64);
    let derived = derivation::derive_body(&body, Target::Rngd);
    let mut hazards = Hazards::new(&derived, &[], TileReads::OfTheTensor);
    for operation in &body.operations {
        let found = hazards.waits_of_next(operation.id);
        assert!(found.len() < 20, "{:?}: {}", operation.id, found.len());
    }
}

/// All that an operation depends on, through others too.
fn closed(direct: &[Vec<usize>]) -> Vec<Vec<bool>> {
    let mut all: Vec<Vec<bool>> = Vec::new();
    for before in direct {
        let mut own = vec![false; direct.len()];
        for other in before {
            own[*other] = true;
            for (place, there) in all[*other].iter().enumerate() {
                own[place] |= there;
            }
        }
        all.push(own);
    }
    all
}

#[test]
fn random_tiles_wait_as_a_walk_over_all_pairs_says() {
    let mut random = StdRng::seed_from_u64(15);
    let mut chains = 0;
    for _ in 0..60 {
        let mut builder = current();
        let input = builder.input("A");
        let buffer = builder.load(input, "1 # 256", "A", 0);
        for number in 0..random.random_range(10_u64..90) {
            let length = random.random_range(1..=3);
            let start = random.random_range(0..=64 - length);
            let own = tile(&mut builder, buffer, start, length);
            match random.random_range(0..12) {
                0..=5 => {
                    let part = builder.input(&format!("A = {length} # 64"));
                    builder.copy(part, own);
                }
                6 => {
                    builder.copy(input, buffer);
                }
                _ => {
                    commit(&mut builder, own, 512 * (number + 1));
                }
            }
        }
        let body = builder.body;
        let derived = derivation::derive_body(&body, Target::Rngd);
        for reads in [TileReads::OfTheTensor, TileReads::OfTheirBytes] {
            let touches = &derived.memory.touches;
            let meets = |earlier: &Touch, later: &Touch| {
                let tensor = reads == TileReads::OfTheTensor && earlier.writes && !later.writes;
                earlier.allocation == later.allocation
                    && (earlier.writes || later.writes)
                    && (tensor || !earlier.part.is_apart_from(&later.part))
            };
            let pairs: Vec<Vec<usize>> = (0..touches.len())
                .map(|later| {
                    let any = |earlier: &usize| {
                        let mut both = touches[*earlier].iter();
                        both.any(|one| touches[later].iter().any(|other| meets(one, other)))
                    };
                    (0..later).filter(any).collect()
                })
                .collect();
            let mut hazards = Hazards::new(&derived, &[], reads);
            let found: Vec<Vec<usize>> = body
                .operations
                .iter()
                .map(|operation| {
                    let Found { waits, chains: of } = hazards.waits_of_next(operation.id);
                    chains += of.len();
                    let joined = of.iter().flat_map(|(chain, count)| {
                        let writes = &hazards.chain(*chain)[..*count];
                        writes.iter().map(|(id, _)| *id).collect::<Vec<_>>()
                    });
                    let all = waits.iter().map(|wait| wait.operation).chain(joined);
                    all.map(|id| id.0 as usize).collect()
                })
                .collect();
            assert_eq!(closed(&found), closed(&pairs), "{reads:?}");
        }
        let windows = derived.memory.touches.iter().flatten();
        let windows = windows.filter(|touch| matches!(touch.part, Part::Window { .. }));
        assert!(windows.count() > 0);
    }
    assert!(chains > 20, "{chains}");
}
