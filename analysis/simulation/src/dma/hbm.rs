//! One side of a transfer in HBM: channels, banks and rows (book: High-Bandwidth Memory).
//!
//! Knows which channel, bank and row an address falls into, and walks a bounded number of the requests of a transfer to see
//! how they share the channels. A transfer of more requests is judged by windows of its stream; where every loop has a
//! power of two of iterations and steps by one, the channels of the whole follow from its address bits alone, because
//! the channel is linear in them. What other transfers do to the same channels meanwhile is not known here.

use super::REQUEST_BYTES;
pub use super::channels::{CHANNELS, Direction};
use super::channels::{Tally, Walk};

/// Channels of a stack.
pub use crate::hardware::HBM_STACK_CHANNELS as STACK_CHANNELS;
/// Thirds of a cycle that a channel takes to move 256 bytes.
pub use crate::hardware::HBM_UNIT_THIRDS as TRANSFER_THIRDS;
pub use crate::hardware::{hbm_bank as bank, hbm_channel as channel, hbm_row as row};

/// Requests that are walked at most, over all engines of a chip.
pub(super) const WALK_REQUESTS: u64 = 8_192;
/// Requests of one window of a stream that is too long to be walked.
const WINDOW_REQUESTS: u64 = 1_024;

/// A loop over packets: iterations and bytes between two of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stride {
    /// Iterations.
    pub size: u64,
    /// Bytes.
    pub bytes: u64,
}

/// The packets of a transfer on its HBM side, a chip at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stream {
    /// Reads or writes.
    pub direction: Direction,
    /// Address of the first byte.
    pub base: u64,
    /// Loops that every engine makes, outermost first.
    pub loops: Vec<Stride>,
    /// For each engine, where its innermost packets start, in the order of the stream: one a slice it serves.
    pub points: Vec<Vec<u64>>,
    /// The loops that the points come from: the same packets again, as a nest.
    pub spread: Vec<Stride>,
    /// Bytes of a packet.
    pub packet_bytes: u64,
}

/// How a stream meets the memory.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HbmPattern {
    /// Requests of a chip, over all engines.
    pub requests: u64,
    /// Cycles that the busiest engine needs to issue its requests.
    pub engine_cycles: u64,
    /// Cycles of the busiest engine if it had the memory to itself: with what it waits where a channel's queue is full.
    pub alone_cycles: u64,
    /// Cycles of the busiest channel, for all engines.
    pub channel_cycles: u64,
    /// Channels that serve it.
    pub channels: u64,
    /// Stacks that serve it.
    pub stacks: u64,
    /// Requests whose channel waits for another row of a bank.
    pub row_switches: u64,
    /// Reads that cross a boundary of 256 bytes.
    pub misaligned_reads: u64,
    /// Writes of a part of a unit of 256 bytes.
    pub partial_writes: u64,
    /// Requests that were walked to know it; fewer than `requests` where windows stand for the whole.
    pub walked: u64,
    /// Whether the channels were worked out from the address bits, or all requests walked: the distribution is exact.
    pub exact: bool,
}

impl HbmPattern {
    /// Cycles that this side is busy.
    pub fn cycles(&self) -> u64 {
        self.alone_cycles.max(self.channel_cycles)
    }
}

/// How many channels and stacks a stream uses evenly.
#[derive(Debug, Clone, Copy)]
struct Spread {
    channels: u64,
    stacks: u64,
}

impl Stream {
    /// Packets of the engine with this many points; `None` beyond 2^64.
    fn packets(&self, points: usize) -> Option<u64> {
        let points = u64::try_from(points).ok()?;
        self.loops
            .iter()
            .try_fold(points, |total, stride| total.checked_mul(stride.size))
    }

    /// Whether all engines together make one request.
    fn is_single(&self) -> bool {
        self.points.len() == 1 && self.packet_requests() == 1
    }

    /// Requests of a packet.
    fn packet_requests(&self) -> u64 {
        self.packet_bytes.div_ceil(REQUEST_BYTES)
    }

    /// How the stream meets the memory; `None` if it has more requests than can be counted.
    pub fn pattern(&self) -> Option<HbmPattern> {
        let per_packet = self.packet_requests();
        let counts: Vec<u64> = self
            .points
            .iter()
            .map(|points| self.packets(points.len()))
            .collect::<Option<_>>()?;
        let requests = counts
            .iter()
            .try_fold(0_u64, |total, count| total.checked_add(*count))?
            .checked_mul(per_packet)?;
        let whole = requests <= WALK_REQUESTS;
        let spread = if whole { None } else { self.even_spread() };
        let mut totals = Totals::default();
        for (points, count) in self.points.iter().zip(&counts) {
            let windows = if whole {
                Windows::all(*count)
            } else {
                Windows::some(*count, per_packet, self.points.len(), spread.is_some())
            };
            totals.add(&self.walk_windows(points, &windows), *count, &windows);
        }
        Some(totals.pattern(requests, whole, spread))
    }

    /// Walks the windows of one engine.
    fn walk_windows(&self, points: &[u64], windows: &Windows) -> Tally<u64> {
        let mut walk = Walk::new(
            self.direction,
            windows.whole && windows.total == 1 && self.is_single(),
        );
        let mut before = walk.tally();
        if !windows.whole {
            // A first lap opens rows and fills queues, as what comes before has done in the middle of a transfer.
            self.walk_window(&mut walk, points, windows.start(0), windows.packets);
            before = walk.tally();
        }
        for window in 0..windows.count {
            self.walk_window(&mut walk, points, windows.start(window), windows.packets);
        }
        walk.tally().since_tally(&before)
    }

    fn walk_window(&self, walk: &mut Walk, points: &[u64], start: u64, packets: u64) {
        let mut place = Odometer::at_packet(self, points, start);
        for _ in 0..packets {
            walk.packet(place.address(), self.packet_bytes);
            place.advance();
        }
    }

    /// The channels over which the whole stream spreads evenly. `None` where the loops are no powers of two whose address
    /// bits keep apart, or where requests cross units.
    fn even_spread(&self) -> Option<Spread> {
        let inside = Stride {
            size: self.packet_requests(),
            bytes: REQUEST_BYTES,
        };
        let whole = self.packet_bytes.is_multiple_of(REQUEST_BYTES)
            || self.packet_bytes.is_power_of_two() && self.packet_bytes < REQUEST_BYTES;
        let mut bits = self.packet_bytes.min(REQUEST_BYTES).checked_sub(1)?;
        if !whole || self.base & bits != 0 {
            return None;
        }
        for stride in self.loops.iter().chain(&self.spread).chain([&inside]) {
            if stride.size <= 1 || stride.bytes == 0 {
                continue;
            }
            if !stride.size.is_power_of_two() || !stride.bytes.is_power_of_two() {
                return None;
            }
            let mask = (stride.size - 1).checked_mul(stride.bytes)?;
            if bits & mask != 0 {
                return None;
            }
            bits |= mask;
        }
        (self.base & bits == 0).then(|| Spread {
            channels: 1 << channel_rank(bits),
            stacks: 1 + (bits >> 8 & 1),
        })
    }
}

/// The place of a packet in the stream of an engine.
struct Odometer<'a> {
    stream: &'a Stream,
    points: &'a [u64],
    point: usize,
    /// Iteration of each loop, outermost first.
    turns: Vec<u64>,
    /// Address of the loops alone.
    outer: u64,
}

impl<'a> Odometer<'a> {
    /// The packet of that number.
    fn at_packet(stream: &'a Stream, points: &'a [u64], packet: u64) -> Self {
        let inner = points.len().max(1) as u64;
        let mut rest = packet / inner;
        let mut turns = vec![0; stream.loops.len()];
        let mut outer = stream.base;
        for (turn, stride) in turns.iter_mut().zip(&stream.loops).rev() {
            let size = stride.size.max(1);
            *turn = rest % size;
            outer = outer.wrapping_add(turn.wrapping_mul(stride.bytes));
            rest /= size;
        }
        Self {
            stream,
            points,
            point: usize::try_from(packet % inner).unwrap_or(0),
            turns,
            outer,
        }
    }

    fn address(&self) -> u64 {
        self.outer
            .wrapping_add(self.points.get(self.point).copied().unwrap_or(0))
    }

    fn advance(&mut self) {
        self.point += 1;
        if self.point < self.points.len() {
            return;
        }
        self.point = 0;
        for (turn, stride) in self.turns.iter_mut().zip(&self.stream.loops).rev() {
            *turn += 1;
            self.outer = self.outer.wrapping_add(stride.bytes);
            if *turn < stride.size {
                return;
            }
            self.outer = self.outer.wrapping_sub(stride.bytes.wrapping_mul(*turn));
            *turn = 0;
        }
    }
}

/// Dimension of the space that these address bits span in the 5 bits of the channel's number.
fn channel_rank(bits: u64) -> u32 {
    let mut basis = [0_usize; 5];
    let mut dimension = 0;
    for bit in (0..64).filter(|bit| bits >> bit & 1 == 1) {
        let mut vector = channel(1 << bit);
        for (position, base) in basis.iter_mut().enumerate().rev() {
            if vector >> position & 1 == 0 {
                continue;
            }
            if *base == 0 {
                *base = vector;
                dimension += 1;
                break;
            }
            vector ^= *base;
        }
    }
    dimension
}

/// Which packets of an engine are walked: equal windows, evenly spread.
struct Windows {
    count: u64,
    packets: u64,
    total: u64,
    whole: bool,
}

impl Windows {
    const fn all(packets: u64) -> Self {
        Self {
            count: 1,
            packets,
            total: packets,
            whole: true,
        }
    }

    /// One window where the stream repeats itself, else as many as the engine may have.
    fn some(total: u64, per_packet: u64, engines: usize, regular: bool) -> Self {
        let share = WALK_REQUESTS / (engines.max(1) as u64) / WINDOW_REQUESTS;
        let packets = (WINDOW_REQUESTS / per_packet.max(1)).max(1);
        if total <= packets {
            return Self::all(total);
        }
        let count = if regular { 1 } else { share.max(1) };
        Self {
            count: count.min(total / packets),
            packets,
            total,
            whole: false,
        }
    }

    fn start(&self, window: u64) -> u64 {
        let room = self.total.saturating_sub(self.packets);
        let steps = self.count.saturating_sub(1).max(1);
        u64::try_from(u128::from(room) * u128::from(window) / u128::from(steps)).unwrap_or(0)
    }

    /// Packets walked in all windows.
    const fn walked(&self) -> u64 {
        self.count.saturating_mul(self.packets)
    }
}

/// The tallies of all engines of a chip, scaled from their windows to the whole and added up.
#[derive(Default)]
struct Totals {
    /// Scaled counts. The slowest engine gives the cycles, the others are sums.
    tally: Tally<u128>,
    /// Requests that were walked, as they were counted.
    walked: u64,
}

impl Totals {
    fn add(&mut self, walk: &Tally<u64>, total: u64, windows: &Windows) {
        let scaled = |count: u64| {
            u128::from(count) * u128::from(total) / u128::from(windows.walked().max(1))
        };
        let sums = &mut self.tally;
        for (sum, busy) in sums.busy.iter_mut().zip(walk.busy) {
            *sum += scaled(busy);
        }
        sums.issue = sums.issue.max(scaled(walk.issue));
        sums.elapsed = sums.elapsed.max(scaled(walk.elapsed));
        sums.row_switches += scaled(walk.row_switches);
        sums.misaligned += scaled(walk.misaligned);
        sums.partial += scaled(walk.partial);
        self.walked += walk.requests;
    }

    fn pattern(&self, requests: u64, whole: bool, spread: Option<Spread>) -> HbmPattern {
        let count = |value: u128| u64::try_from(value).unwrap_or(u64::MAX);
        let sums = &self.tally;
        let busiest = sums.busy.iter().copied().max().unwrap_or(0);
        let touched = sums.busy.iter().filter(|busy| **busy > 0).count() as u64;
        let stacks = sums
            .busy
            .chunks(STACK_CHANNELS as usize)
            .filter(|stack| stack.iter().any(|busy| *busy > 0))
            .count() as u64;
        let (thirds, channels, stacks) = match spread {
            Some(spread) => {
                let sum: u128 = sums.busy.iter().sum();
                (
                    sum.div_ceil(u128::from(spread.channels)),
                    spread.channels,
                    spread.stacks,
                )
            }
            None => (busiest, touched, stacks),
        };
        HbmPattern {
            requests,
            engine_cycles: count(sums.issue),
            alone_cycles: count(sums.elapsed.div_ceil(3)),
            channel_cycles: count(thirds.div_ceil(3)),
            channels,
            stacks,
            row_switches: count(sums.row_switches),
            misaligned_reads: count(sums.misaligned),
            partial_writes: count(sums.partial),
            walked: self.walked,
            exact: whole || spread.is_some(),
        }
    }
}
