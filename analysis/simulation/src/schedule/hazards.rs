//! Which operations touch the same bytes, asked one after the other in the order of a schedule.
//!
//! Touches of one place are kept by what they touch of it, so that a tile is compared with those that it may meet and not with all of its
//! tensor. Where a read waits for all writes of a tensor, many of them are said once, as a chain, and not for each reader.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::derivation::BodyDerivation;
use crate::derivation::memory::{Lifetime, Part, Touch};
use crate::hardware::calibration::TileReads;
use crate::kernel::{OperationId, Tier};
use crate::mapping::Mapping;

use super::{Wait, WaitCause};

/// Writes of a tensor from which on its readers name them as a chain.
const CHAIN: usize = 16;

/// What an operation must not run beside.
#[derive(Debug, Clone, Default)]
pub(super) struct Found {
    /// Operations one by one, each once.
    pub(super) waits: Vec<Wait>,
    /// Chains of which the first so many writes come before it.
    pub(super) chains: Vec<(usize, usize)>,
}

/// A write of a chain, and what it writes, as a number in the list of lifetimes.
pub(super) type ChainWrite = (OperationId, usize);

impl Found {
    /// How much there is of it.
    pub(super) const fn len(&self) -> usize {
        self.waits.len() + self.chains.len()
    }
}

/// The wait for a write of a chain.
pub(super) const fn wait_for((operation, allocation): ChainWrite) -> Wait {
    Wait {
        operation,
        cause: WaitCause::ReadAfterWrite,
        allocation: Some(allocation),
    }
}

/// Which operations touch the same bytes, asked one after the other.
pub(super) struct Hazards<'a> {
    touches: &'a [Vec<Touch>],
    places: Places,
    /// For each place the operations that touched it so far.
    touched: Vec<Touched<'a>>,
    /// All writes of a place since it was last written whole, in the order in which they were asked about.
    chains: Vec<Vec<ChainWrite>>,
    tile_reads: TileReads,
    /// Allocations whose tiles count as tensors.
    pub(super) apart: &'a [usize],
}

/// An operation, the allocation that it touches, and whether it writes.
#[derive(Debug, Clone, Copy)]
struct Earlier {
    operation: OperationId,
    allocation: usize,
    writes: bool,
}

/// The touches of a place since it was last written whole.
#[derive(Debug, Default)]
struct Touched<'a> {
    /// Those of all of it, or of an unknown part.
    whole: ByKind<Vec<Earlier>>,
    /// Those of tiles: by allocation and index, which are few.
    tiles: Vec<TilesOfIndex<'a>>,
    /// The chain of its writes.
    chain: Option<usize>,
}

/// Writes and reads apart: what reads must not wait for others that read, and need not look at them.
#[derive(Debug, Default)]
struct ByKind<T> {
    writes: T,
    reads: T,
}

impl<T> ByKind<T> {
    fn kind_mut(&mut self, writes: bool) -> &mut T {
        if writes {
            &mut self.writes
        } else {
            &mut self.reads
        }
    }

    /// Those that a touch must not run beside: for a read the writes, for a write both.
    fn hindering(&self, writes: bool) -> impl Iterator<Item = &T> {
        std::iter::once(&self.writes).chain(writes.then_some(&self.reads))
    }
}

/// Tiles of one index of an allocation.
#[derive(Debug)]
struct TilesOfIndex<'a> {
    allocation: usize,
    index: &'a Mapping,
    touches: ByKind<Tiles>,
}

impl TilesOfIndex<'_> {
    fn remember_tile(&mut self, start: u64, length: u64, earlier: Earlier) {
        if earlier.writes {
            // A write of all of a tile has itself waited for everything before.
            for writes in [false, true] {
                let tiles = self.touches.kind_mut(writes);
                tiles.forget_tiles(start, length, earlier.operation);
            }
        }
        let tiles = self.touches.kind_mut(earlier.writes);
        tiles.longest = tiles.longest.max(length);
        let here = tiles.by_start.entry(start).or_default();
        here.push((length, earlier));
    }
}

/// Touches of tiles by their first value.
#[derive(Debug, Default)]
struct Tiles {
    /// Values of the longest tile.
    longest: u64,
    /// By the first value: the number of values, and who touches them.
    by_start: BTreeMap<u64, Vec<(u64, Earlier)>>,
}

impl Tiles {
    /// Those that share values with a window.
    fn overlapping_tiles(&self, start: u64, length: u64) -> impl Iterator<Item = &Earlier> {
        let from = start.saturating_sub(self.longest.saturating_sub(1));
        let to = start.saturating_add(length);
        let near = self.by_start.range(from..to.max(from));
        near.flat_map(move |(first, touches)| {
            let reach = touches.iter();
            reach
                .filter(move |(length, _)| first.saturating_add(*length) > start)
                .map(|(_, earlier)| earlier)
        })
    }

    fn all_earlier(&self) -> impl Iterator<Item = &Earlier> {
        self.by_start.values().flatten().map(|(_, earlier)| earlier)
    }

    /// Forgets the touches of other operations that begin where a tile does and end in it.
    fn forget_tiles(&mut self, start: u64, length: u64, operation: OperationId) {
        if let Some(here) = self.by_start.get_mut(&start) {
            here.retain(|(of, other)| *of > length || other.operation == operation);
        }
    }
}

impl<'a> Hazards<'a> {
    pub(super) fn new(
        derivation: &'a BodyDerivation,
        moved: &[usize],
        tile_reads: TileReads,
    ) -> Self {
        let places = Places::of(&derivation.memory.lifetimes, moved);
        let touched = places.neighbours.iter().map(|_| Touched::default());
        Self {
            touches: &derivation.memory.touches,
            touched: touched.collect(),
            places,
            chains: Vec::new(),
            tile_reads,
            apart: &[],
        }
    }

    /// What the next operation must not run beside, of those that were asked about before.
    pub(super) fn waits_of_next(&mut self, operation: OperationId) -> Found {
        let found = self.earlier_conflicts(operation, |_| true);
        self.remember_operation(operation);
        found
    }

    /// The writes of a chain so far.
    pub(super) fn chain(&self, chain: usize) -> &[ChainWrite] {
        self.chains.get(chain).map_or(&[][..], Vec::as_slice)
    }

    /// The chains.
    pub(super) fn into_chains(self) -> Vec<Vec<ChainWrite>> {
        self.chains
    }

    /// Every earlier operation that this one must not run beside, once each, of those that count.
    pub(super) fn earlier_conflicts(
        &self,
        operation: OperationId,
        counts: impl Fn(OperationId) -> bool,
    ) -> Found {
        let mut found = Found::default();
        for touch in self.touches_of(operation) {
            for &place in self.places.neighbours_of(touch.allocation) {
                let Some(touched) = self.touched.get(place) else {
                    continue;
                };
                let of_tensor = !touch.writes
                    && self.tile_reads == TileReads::OfTheTensor
                    && !self.apart.contains(&touch.allocation);
                if of_tensor {
                    self.writes_of(touched, &counts, &mut found);
                } else {
                    touched.visit_hindering(touch, |earlier| {
                        if let Some(cause) = hazard(earlier.writes, touch.writes)
                            && counts(earlier.operation)
                        {
                            found.waits.push(Wait {
                                operation: earlier.operation,
                                cause,
                                allocation: Some(earlier.allocation),
                            });
                        }
                    });
                }
            }
        }
        found.waits.sort_by_key(|wait| (wait.operation, wait.cause));
        found.waits.dedup_by_key(|wait| wait.operation);
        found.chains.sort_unstable();
        found.chains.dedup();
        found
    }

    /// All writes of a place.
    fn writes_of(
        &self,
        touched: &Touched<'_>,
        counts: impl Fn(OperationId) -> bool,
        found: &mut Found,
    ) {
        let Some(chain) = touched.chain else {
            return;
        };
        let writes = self.chain(chain);
        if writes.len() >= CHAIN {
            found.chains.push((chain, writes.len()));
            return;
        }
        let writes = writes.iter().filter(|(other, _)| counts(*other));
        found.waits.extend(writes.copied().map(wait_for));
    }

    fn touches_of(&self, operation: OperationId) -> &'a [Touch] {
        let touches = self.touches.get(operation.0 as usize);
        touches.map_or(&[][..], Vec::as_slice)
    }

    pub(super) fn remember_operation(&mut self, operation: OperationId) {
        for touch in self.touches_of(operation) {
            let place = self.places.of_allocation.get(touch.allocation);
            let Some(touched) = place.and_then(|place| self.touched.get_mut(*place)) else {
                continue;
            };
            if touch.writes && touch.part == Part::Whole {
                // A write of all of the place has itself waited for everything before.
                *touched = Touched::default();
            }
            if touch.writes {
                let chain = *touched.chain.get_or_insert(self.chains.len());
                if chain == self.chains.len() {
                    self.chains.push(Vec::new());
                }
                if let Some(writes) = self.chains.get_mut(chain) {
                    writes.push((operation, touch.allocation));
                }
            }
            touched.remember_touch(touch, operation);
        }
    }
}

impl<'a> Touched<'a> {
    fn remember_touch(&mut self, touch: &'a Touch, operation: OperationId) {
        let earlier = Earlier {
            operation,
            allocation: touch.allocation,
            writes: touch.writes,
        };
        let Part::Window {
            index,
            start,
            length,
        } = &touch.part
        else {
            self.whole.kind_mut(earlier.writes).push(earlier);
            return;
        };
        let same =
            |tiles: &TilesOfIndex<'_>| tiles.allocation == touch.allocation && tiles.index == index;
        let known = self.tiles.iter().position(same);
        let at = known.unwrap_or(self.tiles.len());
        if known.is_none() {
            self.tiles.push(TilesOfIndex {
                allocation: touch.allocation,
                index,
                touches: ByKind::default(),
            });
        }
        if let Some(tiles) = self.tiles.get_mut(at) {
            tiles.remember_tile(*start, *length, earlier);
        }
    }

    /// Those that a touch must not run beside, since they are not known to share nothing with it.
    fn visit_hindering(&self, touch: &Touch, mut take: impl FnMut(&Earlier)) {
        let whole = self.whole.hindering(touch.writes);
        whole.flatten().for_each(&mut take);
        for of_index in &self.tiles {
            for tiles in of_index.touches.hindering(touch.writes) {
                match &touch.part {
                    Part::Window {
                        index,
                        start,
                        length,
                    } if of_index.allocation == touch.allocation && of_index.index == index => {
                        tiles.overlapping_tiles(*start, *length).for_each(&mut take);
                    }
                    _ => tiles.all_earlier().for_each(&mut take),
                }
            }
        }
    }
}

const fn hazard(earlier_writes: bool, later_writes: bool) -> Option<WaitCause> {
    match (earlier_writes, later_writes) {
        (true, false) => Some(WaitCause::ReadAfterWrite),
        (false, true) => Some(WaitCause::WriteAfterRead),
        (true, true) => Some(WaitCause::WriteAfterWrite),
        (false, false) => None,
    }
}

/// The places that allocations are at. Allocations of the same bytes share one: the runs of a loop make many.
struct Places {
    /// The place of each allocation.
    of_allocation: Vec<usize>,
    /// For each place itself and those that share bytes with it.
    neighbours: Vec<Vec<usize>>,
}

/// Bytes of a memory, from the first to behind the last, and whether a variation moved them.
type Bytes = (Tier, u64, u64, bool);

impl Places {
    fn of(lifetimes: &[Lifetime], moved: &[usize]) -> Self {
        let moved: FxHashSet<usize> = moved.iter().copied().collect();
        let mut known: FxHashMap<Bytes, usize> = FxHashMap::default();
        let mut places: Vec<Option<Bytes>> = Vec::new();
        let mut of_allocation = Vec::with_capacity(lifetimes.len());
        for (number, lifetime) in lifetimes.iter().enumerate() {
            let bytes = lifetime
                .address
                .zip(lifetime.bytes)
                .and_then(|(start, bytes)| {
                    let end = start.checked_add(bytes)?;
                    Some((lifetime.tier, start, end, moved.contains(&number)))
                });
            let place = match bytes {
                Some(bytes) => *known.entry(bytes).or_insert(places.len()),
                // Its place is unknown: it gets one of its own.
                None => places.len(),
            };
            if place == places.len() {
                places.push(bytes);
            }
            of_allocation.push(place);
        }
        Self {
            of_allocation,
            neighbours: overlapping_places(&places),
        }
    }

    fn neighbours_of(&self, allocation: usize) -> &[usize] {
        let place = self.of_allocation.get(allocation);
        let neighbours = place.and_then(|place| self.neighbours.get(*place));
        neighbours.map_or(&[][..], Vec::as_slice)
    }
}

/// For each place itself and those that share bytes with it: a walk over the places by their first bytes.
fn overlapping_places(places: &[Option<Bytes>]) -> Vec<Vec<usize>> {
    let mut neighbours: Vec<Vec<usize>> = (0..places.len()).map(|place| vec![place]).collect();
    let mut sorted: Vec<(Bytes, usize)> = places
        .iter()
        .enumerate()
        .filter_map(|(place, bytes)| Some(((*bytes)?, place)))
        .collect();
    sorted.sort_unstable_by_key(|((tier, start, end, moved), place)| {
        (*tier, *moved, *start, *end, *place)
    });
    let mut open: Vec<(Bytes, usize)> = Vec::new();
    for (bytes, place) in sorted {
        let (tier, start, end, moved) = bytes;
        open.retain(|((other, _, until, otherwise), _)| {
            *other == tier && *otherwise == moved && *until > start
        });
        for (_, other) in open.iter().filter(|_| end > start) {
            if let Some(list) = neighbours.get_mut(*other) {
                list.push(place);
            }
            if let Some(list) = neighbours.get_mut(place) {
                list.push(*other);
            }
        }
        open.push((bytes, place));
    }
    neighbours
}

/// Whether two operations must not run beside each other, because one writes what the other touches.
pub fn operations_conflict(
    derivation: &BodyDerivation,
    one: OperationId,
    other: OperationId,
) -> bool {
    let memory = &derivation.memory;
    let touches = |id: OperationId| {
        let touches = memory.touches.get(id.0 as usize);
        touches.map_or(&[][..], Vec::as_slice)
    };
    let range = |touch: &Touch| {
        let lifetime = memory.lifetimes.get(touch.allocation)?;
        let start = lifetime.address?;
        Some((lifetime.tier, start, start.checked_add(lifetime.bytes?)?))
    };
    touches(one).iter().any(|mine| {
        touches(other).iter().any(|theirs| {
            if !mine.writes && !theirs.writes {
                return false;
            }
            if mine.allocation == theirs.allocation {
                return !mine.part.is_apart_from(&theirs.part);
            }
            match (range(mine), range(theirs)) {
                (Some((tier, start, end)), Some((other_tier, other_start, other_end))) => {
                    tier == other_tier && start < other_end && other_start < end
                }
                _ => false,
            }
        })
    })
}
