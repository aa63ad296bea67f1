//! The same bytes by fewer loops: loops that continue one another, and rows that touch.
//!
//! The order in which bytes are moved stays as it is.

use super::{Loop, Transfer};

impl Transfer {
    /// The transfer without loops of one iteration, and with each loop joined to the next inner one where its steps continue
    /// that one's on both sides. Rows stay as they are.
    #[must_use]
    pub fn joined(&self) -> Self {
        let mut inner_first: Vec<Loop> = Vec::new();
        for &outer in self.loops.iter().rev().filter(|one| one.count != 1) {
            let joined = inner_first.last().and_then(|&inner| one_loop(outer, inner));
            match (joined, inner_first.last_mut()) {
                (Some(joined), Some(inner)) => *inner = joined,
                _ => inner_first.push(outer),
            }
        }
        inner_first.reverse();
        Self {
            loops: inner_first,
            ..self.clone()
        }
    }

    /// The joined transfer, with rows that touch on both sides made one run. Rows with something filled in behind them do not
    /// touch.
    #[must_use]
    pub fn merged(&self) -> Self {
        let mut merged = self.joined();
        if merged.width != merged.run {
            return merged;
        }
        while let Some(&inner) = merged.loops.last() {
            let touches =
                i128::from(inner.source) == i128::from(merged.run) && inner.source == inner.target;
            let Some(run) = merged.run.checked_mul(inner.count).filter(|_| touches) else {
                break;
            };
            merged.loops.pop();
            merged.run = run;
            merged.width = run;
        }
        merged
    }
}

/// Two loops as one, if the outer one's steps are those that the inner one would take next.
fn one_loop(outer: Loop, inner: Loop) -> Option<Loop> {
    let count = i64::try_from(inner.count).ok()?;
    let continues = inner.source.checked_mul(count) == Some(outer.source)
        && inner.target.checked_mul(count) == Some(outer.target);
    let count = outer.count.checked_mul(inner.count)?;
    continues.then_some(Loop { count, ..inner })
}
