//! The same by fewer loops: loops that continue one another, and rows that touch.

use super::{Loop, Transfer};

impl<S: Copy + Into<i128>> Transfer<S> {
    /// The transfer without loops of one iteration, and with each loop joined to the next inner one where its steps continue
    /// that one's on both sides. Rows stay as they are, and so does the order in which they are moved.
    pub fn with_joined_loops(&self) -> Self {
        let mut inner_first: Vec<Loop<S>> = Vec::new();
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
            ..*self
        }
    }

    /// The joined transfer, with rows that touch on both sides made one run. Rows with something filled in behind them do not
    /// touch.
    pub fn with_merged_rows(&self) -> Self {
        let mut merged = self.with_joined_loops();
        if merged.width != merged.run {
            return merged;
        }
        while let Some(&inner) = merged.loops.last() {
            let (source, target): (i128, i128) = (inner.source.into(), inner.target.into());
            let touches = source == i128::from(merged.run) && source == target;
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

/// The fewest loops that make the same rows in some order: each joined to whichever other continues it. A loop that was
/// joined is at the place of its innermost part, with that part's steps.
pub fn joined_in_any_order<S: Copy + Into<i128>>(mut loops: Vec<Loop<S>>) -> Vec<Loop<S>> {
    loops.retain(|one| one.count != 1);
    let mut place = 0;
    while let Some(&inner) = loops.get(place) {
        let mut others = loops.iter().enumerate();
        let joined = others.find_map(|(other, &outer)| {
            let joined = one_loop(outer, inner).filter(|_| other != place)?;
            Some((other, joined))
        });
        let Some((outer, joined)) = joined else {
            place += 1;
            continue;
        };
        if let Some(inner) = loops.get_mut(place) {
            *inner = joined;
        }
        loops.remove(outer);
        place -= usize::from(outer < place);
    }
    loops
}

/// Two loops as one, if the outer one's steps are those that the inner one would take next.
fn one_loop<S: Copy + Into<i128>>(outer: Loop<S>, inner: Loop<S>) -> Option<Loop<S>> {
    let next = |step: S| step.into().checked_mul(i128::from(inner.count));
    let continues = next(inner.source) == Some(outer.source.into())
        && next(inner.target) == Some(outer.target.into());
    let count = outer.count.checked_mul(inner.count).filter(|_| continues)?;
    Some(Loop { count, ..inner })
}
