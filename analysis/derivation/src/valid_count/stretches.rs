//! Time cut into stretches, each a digit of an axis or what is between two, and the time steps at which a value of the digits
//! begins or ends. Knows no counters.

use super::digits::{AxisDigit, Digits};

/// Divisors of the time steps that are looked at.
pub(super) const MOST_DIVISORS: usize = 256;
/// The largest factor that is looked for.
const LARGEST_FACTOR: u64 = 1 << 16;

/// A stretch of time: a digit of the axis, or what is between two of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stretch {
    pub(super) position: u64,
    pub(super) extent: u64,
    /// Elements a step moves; 0 for other axes.
    pub(super) stride: u64,
}

impl Stretch {
    pub(super) fn position_end(&self) -> u64 {
        self.position.saturating_mul(self.extent)
    }
}

/// Time cut into the axis's digits and what is between them; `None` where they overlap or are too large.
pub(super) fn stretches(digits: &Digits, steps: u64) -> Option<Vec<Stretch>> {
    let mut sorted: Vec<&AxisDigit> = digits.as_slice().iter().collect();
    sorted.sort_by_key(|digit| digit.position_stride);
    let mut position = 1_u64;
    let mut stretches = Vec::new();
    let between = |stretches: &mut Vec<Stretch>, from: u64, to: u64| {
        if to < from || !to.is_multiple_of(from) {
            return None;
        }
        if to > from {
            stretches.push(Stretch {
                position: from,
                extent: to / from,
                stride: 0,
            });
        }
        Some(())
    };
    for digit in sorted {
        between(&mut stretches, position, digit.position_stride)?;
        stretches.push(Stretch {
            position: digit.position_stride,
            extent: digit.extent,
            stride: digit.stride,
        });
        position = digit.position_stride.checked_mul(digit.extent)?;
    }
    between(&mut stretches, position, steps)?;
    Some(stretches)
}

/// All divisors of a number; `None` where its factors are not all small or too many.
pub(super) fn divisors_of(number: u64) -> Option<Vec<u64>> {
    let mut divisors = vec![1];
    let mut rest = number;
    let mut factor = 2;
    while rest > 1 {
        if factor > LARGEST_FACTOR || factor.checked_mul(factor)? > rest {
            // What is left has no factor up to its root, unless the search ended before that.
            if factor.checked_mul(factor)? <= rest {
                return None;
            }
            factor = rest;
        }
        let mut power = 1;
        let smaller = divisors.clone();
        while rest.is_multiple_of(factor) {
            rest /= factor;
            power *= factor;
            divisors.extend(smaller.iter().map(|divisor| divisor * power));
        }
        if divisors.len() > MOST_DIVISORS {
            return None;
        }
        factor += 1;
    }
    divisors.sort_unstable();
    Some(divisors)
}

/// Digits cut at places that are inside of them.
pub(super) fn cut_stretches(digits: &[Stretch], places: &[u64]) -> Vec<Stretch> {
    let mut cut = Vec::new();
    for digit in digits {
        let mut ends: Vec<u64> = places
            .iter()
            .copied()
            .filter(|&place| digit.position < place && place < digit.position_end())
            .collect();
        ends.push(digit.position_end());
        let mut position = digit.position;
        let mut parts = Vec::new();
        for end in ends {
            parts.push(Stretch {
                position,
                extent: end / position,
                stride: digit.stride * (position / digit.position),
            });
            position = end;
        }
        cut.extend(parts.into_iter().rev());
    }
    cut
}

/// The steps of digits, largest stride first, at the largest of their values below a bound: position and step.
pub(super) fn largest_below(digits: &[Stretch], bound: u64) -> Option<Vec<(u64, u64)>> {
    let mut rest = bound.checked_sub(1)?;
    let mut steps = Vec::new();
    for digit in digits {
        let step = (rest / digit.stride).min(digit.extent - 1);
        rest -= step * digit.stride;
        steps.push((digit.position, step));
    }
    Some(steps)
}

fn value_at_steps(digits: &[Stretch], steps: &[u64]) -> u64 {
    let parts = digits.iter().zip(steps);
    parts.map(|(digit, step)| digit.stride * step).sum()
}

fn time_at_steps(digits: &[Stretch], steps: &[u64]) -> u64 {
    let parts = digits.iter().zip(steps);
    parts.map(|(digit, step)| digit.position * step).sum()
}

/// Time steps with a value below `bound` and from `from` on, such that each other one has a digit that is smaller and
/// none that is larger than in one of them.
pub(super) fn last_points(digits: &[Stretch], bound: u64, from: u64) -> Vec<u64> {
    let Some(edge) = largest_below(digits, bound) else {
        return vec![];
    };
    let edge: Vec<u64> = edge.into_iter().map(|(_, step)| step).collect();
    let mut points = vec![edge.clone()];
    for (number, &step) in edge.iter().enumerate().filter(|&(_, &step)| step > 0) {
        let mut point: Vec<u64> = edge.iter().take(number).copied().collect();
        point.push(step - 1);
        point.extend(digits.iter().skip(number + 1).map(|digit| digit.extent - 1));
        points.push(point);
    }
    points.retain(|point| value_at_steps(digits, point) >= from);
    points
        .iter()
        .map(|point| time_at_steps(digits, point))
        .collect()
}

/// Time steps with a value of at least `from` and below `bound`, such that each other one has a digit that is larger and
/// none that is smaller than in one of them.
pub(super) fn first_points(digits: &[Stretch], from: u64, bound: u64) -> Vec<u64> {
    let edge = match largest_below(digits, from) {
        None => vec![0; digits.len()],
        Some(below) => {
            let mut edge: Vec<u64> = below.into_iter().map(|(_, step)| step).collect();
            let Some(raised) = edge
                .iter()
                .zip(digits)
                .rposition(|(&step, digit)| step + 1 < digit.extent)
            else {
                return vec![];
            };
            edge[raised] += 1;
            for step in edge.iter_mut().skip(raised + 1) {
                *step = 0;
            }
            edge
        }
    };
    let mut points = vec![edge.clone()];
    for (number, (&step, digit)) in edge.iter().zip(digits).enumerate() {
        if step + 1 < digit.extent {
            let mut point: Vec<u64> = edge.iter().take(number).copied().collect();
            point.push(step + 1);
            point.resize(digits.len(), 0);
            points.push(point);
        }
    }
    points.retain(|point| value_at_steps(digits, point) < bound);
    points
        .iter()
        .map(|point| time_at_steps(digits, point))
        .collect()
}
