//! Cycles before and after a change, and when that is worse.

use borsh::{BorshDeserialize, BorshSerialize};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

use visa_base::numbers::thousands;

/// A kernel is slower after a change that adds more than one part in so many to its cycles.
const ALLOWED_PART: u128 = 50;

/// Cycles before and after a change.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    JsonSchema,
    BorshSerialize,
    BorshDeserialize,
)]
#[schemars(rename = "FixCost")]
pub struct CostChange {
    /// Before.
    pub before: u64,
    /// After.
    pub after: u64,
}

impl CostChange {
    /// Whether the change makes it slower by more than 2 %.
    pub fn is_slower(self) -> bool {
        let (before, after) = (u128::from(self.before), u128::from(self.after));
        after * ALLOWED_PART > before * (ALLOWED_PART + 1)
    }

    /// By how many percent the cycles grow, rounded; less than 0 where they fall. 0 where there were none before.
    pub fn percent(self) -> i128 {
        let (before, after) = (i128::from(self.before), i128::from(self.after));
        if before == 0 {
            return 0;
        }
        // To the nearest, and away from 0 in the middle.
        let grown = (after - before) * 200;
        (grown + before * grown.signum()) / (before * 2)
    }
}

/// `+539 %`, `-12 %`.
impl fmt::Display for CostChange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = self.percent();
        let sign = if percent < 0 { '-' } else { '+' };
        let size = u64::try_from(percent.unsigned_abs()).unwrap_or(u64::MAX);
        write!(formatter, "{sign}{} %", thousands(size))
    }
}

#[cfg(test)]
mod tests {
    use super::CostChange;

    #[test]
    fn two_percent_more_are_allowed_and_percents_are_rounded() {
        let cost = |before, after| CostChange { before, after };
        // 2 % of 50 is 1.
        assert!(!cost(50, 51).is_slower());
        assert!(cost(50, 52).is_slower());
        assert!(!cost(0, 0).is_slower());
        assert!(!cost(u64::MAX, u64::MAX).is_slower());
        for (before, after, words) in [
            (200, 1278, "+539 %"),
            (1_000, 985, "-2 %"),
            (1_000, 984, "-2 %"),
            (1_000, 1_000, "+0 %"),
            (3, 4, "+33 %"),
            (1, 21, "+2,000 %"),
            (0, 5, "+0 %"),
        ] {
            assert_eq!(cost(before, after).to_string(), words);
        }
    }
}
