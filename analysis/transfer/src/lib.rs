//! What a copy by nested loops does: rows of one length, loops with a step on each side, nothing else.
//!
//! Pure mathematics beside `mapping`: knows no language, no memory, no hardware and no file. Lengths and distances are in one
//! unit, the caller's: bytes for PTO, bits for kernels in Rust, whose elements may be half a byte. A nest answers how far it
//! reaches, whether two of its rows share units, how few loops would do, how it is aligned, and where its rows are. No answer
//! takes longer with larger counts.

#![allow(
    unreachable_pub,
    reason = "modules are private, and `pub` is what other modules of the crate may use"
)]

mod meeting;
mod merging;
mod pictures;
#[cfg(test)]
mod tests;

pub use meeting::{Meeting, greatest_common_divisor, rows_meet, sides_meet};
pub use merging::joined_in_any_order;

/// One loop around the rows. A step is a distance: the answers below want one that an `i128` holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Loop<S = i64> {
    /// Iterations.
    pub count: u64,
    /// From one iteration to the next on the side that is read; 0 reads the same again.
    pub source: S,
    /// From one iteration to the next on the side that is written.
    pub target: S,
}

/// One of the two ends of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// What is read.
    Source,
    /// What is written.
    Target,
}

/// Rows of `run` units, and the loops around them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Transfer<S = i64> {
    /// What is in a line on both sides and is moved together.
    pub run: u64,
    /// What a row takes on the target, at least `run`: with what is filled in behind it.
    pub width: u64,
    /// The loops, the outermost first.
    pub loops: Vec<Loop<S>>,
}

/// What a side touches, as offsets from its base: from `low` up to but not `high`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Extent {
    /// The first; negative where a step is.
    pub low: i128,
    /// The one behind the last.
    pub high: i128,
}

impl Extent {
    /// From the first to the last, holes included.
    pub const fn length(self) -> i128 {
        self.high - self.low
    }
}

impl<S: Copy> Loop<S> {
    /// The step of a side.
    pub const fn step(self, side: Side) -> S {
        match side {
            Side::Source => self.source,
            Side::Target => self.target,
        }
    }
}

impl<S> Loop<S> {
    /// The step of a side, to be changed.
    pub const fn step_mut(&mut self, side: Side) -> &mut S {
        match side {
            Side::Source => &mut self.source,
            Side::Target => &mut self.target,
        }
    }
}

impl Side {
    /// The other end.
    pub const fn other(self) -> Self {
        match self {
            Self::Source => Self::Target,
            Self::Target => Self::Source,
        }
    }
}

impl<S> Transfer<S> {
    /// A transfer whose rows take on the target what they have.
    pub const fn new(run: u64, loops: Vec<Loop<S>>) -> Self {
        Self {
            run,
            width: run,
            loops,
        }
    }

    /// The same with rows that take `width` on the target, where that is more than they have.
    pub fn with_width(self, width: u64) -> Self {
        Self {
            width: width.max(self.run),
            ..self
        }
    }

    /// What a row takes on a side.
    pub const fn row(&self, side: Side) -> u64 {
        match side {
            Side::Source => self.run,
            Side::Target => self.width,
        }
    }

    /// The number of rows; `None` beyond 2^127.
    pub fn rows(&self) -> Option<i128> {
        if self.loops.iter().any(|one| one.count == 0) {
            return Some(0);
        }
        self.loops
            .iter()
            .try_fold(1_i128, |rows, one| rows.checked_mul(i128::from(one.count)))
    }

    /// Whether it moves nothing.
    pub fn is_empty(&self) -> bool {
        self.run == 0 || self.loops.iter().any(|one| one.count == 0)
    }

    /// What is moved altogether; `None` beyond 2^127.
    pub fn moved(&self) -> Option<i128> {
        self.rows()?.checked_mul(i128::from(self.run))
    }

    /// What is written: that which is moved, with what is filled in behind each row.
    pub fn written(&self) -> Option<i128> {
        self.rows()?.checked_mul(i128::from(self.width))
    }
}

impl<S: Copy + Into<i128>> Transfer<S> {
    /// What a side touches from its base on; `None` where it moves nothing or the distances are beyond 2^127.
    pub fn extent(&self, side: Side) -> Option<Extent> {
        if self.is_empty() {
            return None;
        }
        let mut extent = Extent {
            low: 0,
            high: i128::from(self.row(side)),
        };
        for one in &self.loops {
            let way = i128::from(one.count - 1).checked_mul(one.step(side).into())?;
            extent.low = extent.low.checked_add(way.min(0))?;
            extent.high = extent.high.checked_add(way.max(0))?;
        }
        Some(extent)
    }

    /// From the first that a side touches to its last.
    pub fn reach(&self, side: Side) -> Option<i128> {
        self.extent(side).map(Extent::length)
    }

    /// The largest power of two that divides a base and every step of a side that is taken at least once. 0 is a multiple of
    /// all: where nothing limits it, the answer is 2^63.
    pub fn alignment(&self, side: Side, base: i64) -> u64 {
        let steps = self.loops.iter().filter(|one| one.count > 1);
        let all = steps.fold(u128::from(base.unsigned_abs()), |bits, one| {
            bits | one.step(side).into().unsigned_abs()
        });
        1 << all.trailing_zeros().min(63)
    }

    /// The first loop, the outermost first, that steps by no multiple of `unit` on one of these sides: its place in the
    /// nest, and the first such side. A loop of one iteration takes no step.
    pub fn misaligned_step(&self, unit: u64, sides: &[Side]) -> Option<(usize, Side)> {
        let unit = i128::from(unit);
        let of = |one: &Loop<S>| {
            let wrong = |side: &&Side| one.step(**side).into().checked_rem(unit) != Some(0);
            sides.iter().find(wrong).copied()
        };
        let nest = self.loops.iter().enumerate();
        nest.filter(|(_, one)| one.count > 1)
            .find_map(|(place, one)| Some((place, of(one)?)))
    }
}
