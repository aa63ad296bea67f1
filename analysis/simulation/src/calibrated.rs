//! What the vendor's compiler would write into its schedule for an operation: the book's work counts and the constants of a
//! release (`hardware::calibration`).
//!
//! Knows which constant applies to what. A kind of operation of which no schedule is public keeps the book's figure and is
//! marked as uncalibrated; nothing is said about a chip.

mod pass;
pub mod ranges;
mod requests;
mod transfer;

use crate::hardware::calibration::{RATE_UNIT, Rate};
use crate::hardware::{CalibrationId, Class};

pub use pass::{lookups, pass_class, reduced_ring, reduction_tail, ring_wait, scheduled_stages};
pub use transfer::{figure as transfer_figure, least_cycles as least_transfer, transfer_cycles};

/// A figure of the schedule with its bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Figure {
    /// Cycles.
    pub cycles: u64,
    /// The fewest that are likely.
    pub low: u64,
    /// The most that are likely.
    pub high: u64,
    /// What it is; `None` where no schedule shows such an operation: then the figure is the book's and has no bounds.
    pub class: Option<Class>,
    /// Whose constants it is made of.
    pub calibration: CalibrationId,
}

impl Figure {
    /// A figure with the bounds of its class.
    pub fn of(calibration: CalibrationId, class: Class, cycles: u64) -> Self {
        let spread = class.spread();
        let part = |percent: u64| {
            let part = (u128::from(cycles) * u128::from(percent)).div_ceil(100);
            u64::try_from(part).unwrap_or(u64::MAX)
        };
        Self {
            cycles,
            low: cycles.saturating_sub(part(spread.below)),
            high: cycles.saturating_add(part(spread.above)),
            class: Some(class),
            calibration,
        }
    }

    /// Whether something is known of how far the compiler's figure may be from it.
    pub const fn is_bounded(&self) -> bool {
        self.class.is_some() || self.low < self.high
    }

    /// The book's figure of an operation without evidence.
    pub const fn uncalibrated(calibration: CalibrationId, cycles: u64) -> Self {
        Self {
            cycles,
            low: cycles,
            high: cycles,
            class: None,
            calibration,
        }
    }

    /// The same figure, which may be so many percent higher: it is larger than what its class was compared with.
    pub fn up_to(self, percent: u64) -> Self {
        let part = (u128::from(self.cycles) * u128::from(percent)).div_ceil(100);
        let part = u64::try_from(part).unwrap_or(u64::MAX);
        Self {
            high: self.cycles.saturating_add(part),
            ..self
        }
    }
}

/// So many times a rate, rounded to whole cycles; `None` beyond 64 bits.
fn rated_cycles(rate: Rate, count: u64) -> Option<u64> {
    let product = u128::from(rate) * u128::from(count);
    u64::try_from((product + u128::from(RATE_UNIT) / 2) / u128::from(RATE_UNIT)).ok()
}
