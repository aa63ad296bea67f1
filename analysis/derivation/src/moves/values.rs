//! The values of one axis that its parts in a tensor reach, and one of them that another tensor's parts do not.
//!
//! An axis may have billions of values, so the sets are never listed. Parts are digits of a mixed radix: where each stride lies beyond the
//! reach of those below it, dividing from the largest stride down decides whether a value is reached. Where digits overlap there may be
//! several ways to one value, and that division proves nothing: small axes are then listed, and large ones give no answer. Two such sets
//! differ at an edge of a digit if they differ at all, so a few samples at the edges find a missing value. A sample that is not proven to
//! be missing is no finding.

use crate::mapping::AxisPart;

/// Values of an axis that are tried one by one where the digits of its parts overlap.
const OVERLAPPING_VALUES: u64 = 4096;

/// The values of one axis that strided parts reach: `sum(stride * step)` below the axis's size.
pub(super) struct Values {
    /// `(stride, count)`, smallest stride first, neighbours merged.
    pub(super) digits: Vec<(u64, u64)>,
    size: u64,
    /// Where the digits overlap: whether each value is reached.
    reached: Option<Vec<bool>>,
}

impl Values {
    /// `None` on overflow.
    pub(super) fn of(parts: &[AxisPart], size: u64) -> Option<Self> {
        let mut digits: Vec<(u64, u64)> = parts
            .iter()
            .filter(|part| part.count > 1)
            .map(|part| (part.axis_stride, part.count))
            .collect();
        digits.sort_unstable();
        let mut merged: Vec<(u64, u64)> = Vec::new();
        for (stride, count) in digits {
            match merged.last_mut() {
                Some((inner, steps)) if inner.checked_mul(*steps)? == stride => {
                    *steps = steps.checked_mul(count)?;
                }
                _ => merged.push((stride, count)),
            }
        }
        let mut reach = 0_u64;
        let mut overlap = false;
        for &(stride, count) in &merged {
            overlap |= stride <= reach;
            reach = reach.checked_add(stride.checked_mul(count.checked_sub(1)?)?)?;
        }
        let reached = (overlap && size <= OVERLAPPING_VALUES)
            .then(|| reached_values(&merged, size))
            .flatten();
        Some(Self {
            digits: merged,
            size,
            reached,
        })
    }

    /// Whether a value is reached; `None` where the digits of a large axis overlap, so that there is no single way to it.
    fn contains(&self, value: u64) -> Option<bool> {
        if value >= self.size {
            return Some(false);
        }
        if let Some(reached) = &self.reached {
            return reached.get(usize::try_from(value).ok()?).copied();
        }
        let mut reach = 0_u64;
        for &(stride, count) in &self.digits {
            if stride <= reach {
                return None;
            }
            reach = reach.checked_add(stride.checked_mul(count.checked_sub(1)?)?)?;
        }
        let mut rest = value;
        for &(stride, count) in self.digits.iter().rev() {
            rest -= stride.checked_mul((rest / stride).min(count - 1))?;
        }
        Some(rest == 0)
    }

    /// Values that tell this set from another one: for each digit its first, middle and last step, with all others at
    /// their first and at their last.
    fn samples(&self) -> Vec<u64> {
        let last = |&(stride, count): &(u64, u64)| stride.saturating_mul(count - 1);
        let total = self
            .digits
            .iter()
            .map(last)
            .fold(0_u64, u64::saturating_add);
        let mut samples = vec![total];
        for digit in &self.digits {
            let (stride, count) = *digit;
            for step in [1, count / 2, count - 1] {
                let value = stride.saturating_mul(step);
                samples.push(value);
                samples.push(total.saturating_sub(last(digit)).saturating_add(value));
            }
        }
        // A part that is cut short by the axis's size reaches the last value through other steps.
        samples.push(self.size.saturating_sub(1));
        samples.sort_unstable();
        samples.dedup();
        samples
    }

    /// The first value behind each digit, and the one after nothing: 1. Where they are not held, a gap begins.
    fn value_bounds(&self) -> impl Iterator<Item = u64> {
        let ends = self
            .digits
            .iter()
            .map(|&(stride, count)| stride.saturating_mul(count));
        std::iter::once(1).chain(ends)
    }
}

/// Which values below `size` the digits reach, tried one by one.
fn reached_values(digits: &[(u64, u64)], size: u64) -> Option<Vec<bool>> {
    let size = usize::try_from(size).ok()?;
    let mut reached = vec![false; size];
    *reached.first_mut()? = true;
    for &(stride, count) in digits {
        let stride = usize::try_from(stride).ok()?;
        let before = reached.clone();
        for step in 1..usize::try_from(count).ok()? {
            let moved = step.checked_mul(stride)?;
            if moved >= size {
                break;
            }
            for (to, from) in reached.iter_mut().skip(moved).zip(&before) {
                *to |= from;
            }
        }
    }
    Some(reached)
}

/// A value that `from` holds and `within` does not, the smallest one of those that are looked at.
pub(super) fn missing_value(from: &[AxisPart], within: &[AxisPart]) -> Option<u64> {
    let size = from
        .iter()
        .chain(within)
        .map(|part| part.axis.size())
        .max()?;
    let (from, within) = (Values::of(from, size)?, Values::of(within, size)?);
    let mut samples = from.samples();
    samples.extend(within.value_bounds());
    samples.sort_unstable();
    samples
        .into_iter()
        .find(|&value| from.contains(value) == Some(true) && within.contains(value) == Some(false))
}
