//! What a copy of bytes by nested loops does: rows of one length, loops with a step on each side, nothing else.
//!
//! Pure mathematics beside `mapping`: knows no language, no memory, no hardware and no file. All distances are bytes. A nest
//! answers how far it reaches, whether two of its rows share bytes, how few loops would do, how it is aligned, and where its
//! rows lie. No answer takes longer with larger counts.

mod meeting;
mod merging;
mod pictures;
#[cfg(test)]
mod tests;

pub use meeting::{Meeting, covers, rows_meet, sides_meet};
pub use pictures::TableRow;

/// One loop around the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Loop {
    /// Iterations.
    pub count: u64,
    /// Bytes from one iteration to the next on the side that is read; 0 reads the same again.
    pub source: i64,
    /// Bytes from one iteration to the next on the side that is written.
    pub target: i64,
}

/// One of the two ends of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// What is read.
    Source,
    /// What is written.
    Target,
}

/// Rows of `run` bytes, and the loops around them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Transfer {
    /// Bytes that lie in a line on both sides and are moved together.
    pub run: u64,
    /// Bytes that a row takes on the target, at least `run`: with what is filled in behind it.
    pub width: u64,
    /// The loops, the outermost first.
    pub loops: Vec<Loop>,
}

/// The bytes that a side touches, as offsets from its base: from `low` up to but not `high`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Extent {
    /// The first byte; negative where a step is.
    pub low: i128,
    /// The byte behind the last.
    pub high: i128,
}

impl Extent {
    /// Bytes from the first to the last, holes included.
    #[must_use]
    pub const fn length(self) -> i128 {
        self.high - self.low
    }
}

impl Loop {
    /// The step of a side.
    #[must_use]
    pub const fn step(self, side: Side) -> i64 {
        match side {
            Side::Source => self.source,
            Side::Target => self.target,
        }
    }
}

impl Transfer {
    /// A transfer whose rows take on the target what they have.
    #[must_use]
    pub const fn new(run: u64, loops: Vec<Loop>) -> Self {
        Self {
            run,
            width: run,
            loops,
        }
    }

    /// The same with rows that take `width` bytes on the target, where that is more than they have.
    #[must_use]
    pub fn with_width(self, width: u64) -> Self {
        Self {
            width: width.max(self.run),
            ..self
        }
    }

    /// Bytes that a row takes on a side.
    #[must_use]
    pub const fn row(&self, side: Side) -> u64 {
        match side {
            Side::Source => self.run,
            Side::Target => self.width,
        }
    }

    /// The number of rows; `None` beyond 2^127.
    #[must_use]
    pub fn rows(&self) -> Option<i128> {
        if self.loops.iter().any(|one| one.count == 0) {
            return Some(0);
        }
        self.loops
            .iter()
            .try_fold(1_i128, |rows, one| rows.checked_mul(i128::from(one.count)))
    }

    /// Whether it moves nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.run == 0 || self.loops.iter().any(|one| one.count == 0)
    }

    /// Bytes that are moved; `None` beyond 2^127.
    #[must_use]
    pub fn bytes(&self) -> Option<i128> {
        self.rows()?.checked_mul(i128::from(self.run))
    }

    /// Bytes that are written: those that are moved with what is filled in behind each row.
    #[must_use]
    pub fn written(&self) -> Option<i128> {
        self.rows()?.checked_mul(i128::from(self.width))
    }

    /// What a side touches from its base on; `None` where it moves nothing or the distances are beyond 2^127.
    #[must_use]
    pub fn extent(&self, side: Side) -> Option<Extent> {
        if self.is_empty() {
            return None;
        }
        let mut extent = Extent {
            low: 0,
            high: i128::from(self.row(side)),
        };
        for one in &self.loops {
            let way = i128::from(one.count - 1).checked_mul(i128::from(one.step(side)))?;
            extent.low = extent.low.checked_add(way.min(0))?;
            extent.high = extent.high.checked_add(way.max(0))?;
        }
        Some(extent)
    }

    /// Bytes from the first that a side touches to its last.
    #[must_use]
    pub fn reach(&self, side: Side) -> Option<i128> {
        self.extent(side).map(Extent::length)
    }

    /// The largest power of two that divides a base and every step of a side that is taken at least once. 0 is a multiple of
    /// all: where nothing limits it, the answer is 2^63.
    #[must_use]
    pub fn alignment(&self, side: Side, base: i64) -> u64 {
        let steps = self.loops.iter().filter(|one| one.count > 1);
        let all = steps.fold(base.unsigned_abs(), |bits, one| {
            bits | one.step(side).unsigned_abs()
        });
        1 << all.trailing_zeros().min(63)
    }
}
