//! Whether rows share units, here called bytes: two of one side, or one of each of two sides.
//!
//! Rows are at sums of indices times steps, so the question is whether a sum of bounded integers times steps falls into an
//! interval. Loops are taken by the size of their steps: what the smaller ones can still make up for leaves a few
//! indices of each, usually one, so that counts do not matter. Knows nothing of what the bytes are.

use super::{Side, Transfer};

/// Sums that are looked at before the answer is that it is unknown.
const SEARCH_BUDGET: u32 = 1_000_000;

/// Indices that are tried one by one although arithmetic could tell.
const LINEAR_SCAN_LIMIT: i128 = 16;
/// Indices at both ends of a range that are tried one by one before arithmetic.
const ENDS: i128 = 3;

/// Whether rows share bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meeting {
    /// No two rows do.
    Never,
    /// Two rows do, with these indices from the outermost loop to the innermost: the first row is the smaller one, and the
    /// other is this many iterations of each loop behind it.
    Shared {
        /// Iterations between the two rows, a number a loop.
        iterations: Vec<i128>,
        /// Bytes from the start of one row to the start of the other.
        distance: i128,
    },
    /// Too entangled to tell.
    Unknown,
}

/// A number that may be anything from `low` to `high`, times `step`.
#[derive(Debug, Clone, Copy)]
struct Term {
    low: i128,
    high: i128,
    step: i128,
    /// Which number it is, for the answer.
    index: usize,
}

impl Term {
    /// The smallest and the largest that it adds.
    fn range(self) -> Option<(i128, i128)> {
        let one = self.low.checked_mul(self.step)?;
        let other = self.high.checked_mul(self.step)?;
        Some((one.min(other), one.max(other)))
    }
}

/// What is left to choose: the terms by falling step, and what those behind each can add.
struct Search {
    terms: Vec<Term>,
    /// Of the terms from here on: the least and the most that they add together.
    rest: Vec<(i128, i128)>,
    /// The greatest common divisor of the steps from here on.
    divisors: Vec<i128>,
    low: i128,
    high: i128,
    left: u32,
    chosen: Vec<i128>,
}

enum Outcome {
    Found(i128),
    None,
    GaveUp,
}

impl Search {
    /// A search for sums from `low` to `high`; `None` where numbers are beyond 2^126.
    fn new(mut terms: Vec<Term>, low: i128, high: i128) -> Option<Self> {
        if terms
            .iter()
            .any(|term| term.step.unsigned_abs() >= 1 << 125)
        {
            return None;
        }
        terms.sort_by_key(|term| std::cmp::Reverse(term.step.abs()));
        let mut rest: Vec<(i128, i128)> = vec![(0, 0)];
        let mut divisors: Vec<i128> = vec![0];
        for term in terms.iter().rev() {
            let (least, most) = term.range()?;
            let (below, above) = *rest.last()?;
            rest.push((below.checked_add(least)?, above.checked_add(most)?));
            divisors.push(greatest_common_divisor(*divisors.last()?, term.step.abs()));
        }
        rest.reverse();
        divisors.reverse();
        let widest = rest
            .first()
            .is_none_or(|(least, most)| least.unsigned_abs().max(most.unsigned_abs()) < 1 << 125);
        let chosen = vec![0; terms.len()];
        widest.then_some(Self {
            terms,
            rest,
            divisors,
            low,
            high,
            left: SEARCH_BUDGET,
            chosen,
        })
    }

    /// Looks for a sum that falls into the interval, with `sum` given by the terms before `level`.
    fn look_for_sum(&mut self, level: usize, sum: i128) -> Outcome {
        let (Some(&(below, above)), Some(&divisor)) =
            (self.rest.get(level), self.divisors.get(level))
        else {
            return Outcome::None;
        };
        if sum + above < self.low || sum + below > self.high {
            return Outcome::None;
        }
        let Some(&term) = self.terms.get(level) else {
            return Outcome::Found(sum);
        };
        // All that can still be added is a multiple of the divisor.
        let next = sum + round_up(self.low - sum, divisor);
        if next > self.high {
            return Outcome::None;
        }
        if term.step == 0 {
            self.choose(level, term.low.max(0).min(term.high));
            return self.look_for_sum(level + 1, sum);
        }
        let (below, above) = self.rest.get(level + 1).copied().unwrap_or((0, 0));
        // low <= sum + index * step + rest <= high for some rest.
        let (from, to) = (self.low - sum - above, self.high - sum - below);
        let (first, last) = if term.step > 0 {
            (divide_up(from, term.step), divide_down(to, term.step))
        } else {
            (divide_up(-to, -term.step), divide_down(-from, -term.step))
        };
        let (first, last) = (first.max(term.low), last.min(term.high));
        if let [term, last_term] = self.terms.get(level..).unwrap_or_default()
            && last_term.step != 0
            && last - first > LINEAR_SCAN_LIMIT
        {
            let (term, last_term) = (*term, *last_term);
            return self.look_at_two(level, sum, term, last_term, (first, last));
        }
        for index in first..=last {
            if self.left == 0 {
                return Outcome::GaveUp;
            }
            self.left -= 1;
            self.choose(level, index);
            match self.look_for_sum(level + 1, sum + index * term.step) {
                Outcome::None => {}
                found => return found,
            }
        }
        Outcome::None
    }

    /// The two smallest steps: the first index for which a multiple of the smallest step is right is found by arithmetic, however
    /// many there are.
    fn look_at_two(
        &mut self,
        level: usize,
        sum: i128,
        term: Term,
        smallest: Term,
        (first, last): (i128, i128),
    ) -> Outcome {
        // Only near the ends can the index of the smallest step be out of its bounds: an interval is narrower than a step.
        let inner = (first + ENDS, last - ENDS);
        let ends = (first..inner.0).chain(inner.1 + 1..=last);
        for index in ends {
            self.choose(level, index);
            if let found @ Outcome::Found(_) = self.look_for_sum(level + 1, sum + index * term.step)
            {
                return found;
            }
        }
        let modulus = smallest.step.abs();
        let begin = sum + inner.0 * term.step;
        let (low, high) = (self.low - begin, self.high - begin);
        let steps = if high - low >= modulus {
            Some(0)
        } else {
            let (low, high) = (low.rem_euclid(modulus), high.rem_euclid(modulus));
            if low > high {
                // The interval holds a multiple already.
                Some(0)
            } else {
                first_in_range(term.step.rem_euclid(modulus), modulus, low, high)
            }
        };
        let Some(index) = steps
            .map(|steps| inner.0 + steps)
            .filter(|&index| index <= inner.1)
        else {
            return Outcome::None;
        };
        self.choose(level, index);
        self.look_for_sum(level + 1, sum + index * term.step)
    }

    fn choose(&mut self, level: usize, index: i128) {
        let place = self.terms.get(level).map(|term| term.index);
        if let Some(chosen) = place.and_then(|place| self.chosen.get_mut(place)) {
            *chosen = index;
        }
    }
}

const fn divide_down(number: i128, by: i128) -> i128 {
    number.div_euclid(by)
}

const fn divide_up(number: i128, by: i128) -> i128 {
    -((-number).div_euclid(by))
}

/// The next multiple of a divisor; that of 0 is 0 alone, which is at or above numbers up to 0 only.
const fn round_up(number: i128, divisor: i128) -> i128 {
    if divisor == 0 {
        return 0;
    }
    divide_up(number, divisor) * divisor
}

/// The greatest common divisor; of 0 and `n` it is `n`.
pub const fn greatest_common_divisor(one: i128, other: i128) -> i128 {
    let (mut one, mut other) = (one, other);
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}

/// The smallest number that, times `step` and modulo `modulus`, is from `low` to `high`, where `0 <= low <= high < modulus`.
fn first_in_range(step: i128, modulus: i128, low: i128, high: i128) -> Option<i128> {
    if low == 0 {
        return Some(0);
    }
    if step == 0 {
        return None;
    }
    if 2 * step > modulus {
        return first_in_range(modulus - step, modulus, modulus - high, modulus - low);
    }
    let without_wrapping = divide_up(low, step);
    if without_wrapping * step <= high {
        return Some(without_wrapping);
    }
    // No multiple of the step is in the interval, so that its ends are in order modulo the step too.
    let wraps = first_in_range(
        (-modulus).rem_euclid(step),
        step,
        low.rem_euclid(step),
        high.rem_euclid(step),
    )?;
    Some(divide_up(low + modulus * wraps, step))
}

/// Whether two different rows of a side share bytes.
pub fn rows_meet<S: Copy + Into<i128>>(transfer: &Transfer<S>, side: Side) -> Meeting {
    let width = i128::from(transfer.row(side));
    if transfer.is_empty() || width == 0 {
        return Meeting::Never;
    }
    let mut unknown = false;
    // Two different rows differ first in one loop, where the later one is ahead by at least one iteration. The
    // innermost loops come first, so that the simplest pair is the one that is named.
    for first in (0..transfer.loops.len()).rev() {
        let terms = transfer.loops.iter().enumerate().skip(first);
        let terms: Vec<Term> = terms
            .map(|(index, one)| Term {
                low: if index == first {
                    1
                } else {
                    1 - i128::from(one.count)
                },
                high: i128::from(one.count) - 1,
                step: one.step(side).into(),
                index: index - first,
            })
            .collect();
        if terms.iter().any(|term| term.low > term.high) {
            continue;
        }
        match search_meeting(terms, 1 - width, width - 1) {
            Meeting::Never => {}
            Meeting::Unknown => unknown = true,
            Meeting::Shared {
                iterations,
                distance,
            } => {
                let mut all = vec![0; first];
                all.extend(iterations);
                return Meeting::Shared {
                    iterations: all,
                    distance,
                };
            }
        }
    }
    if unknown {
        Meeting::Unknown
    } else {
        Meeting::Never
    }
}

/// Whether some row of one side shares bytes with some row of another, whose base is `distance` bytes behind that of the first.
pub fn sides_meet<S: Copy + Into<i128>>(
    (one, one_side): (&Transfer<S>, Side),
    (other, other_side): (&Transfer<S>, Side),
    distance: i128,
) -> Meeting {
    if one.is_empty() || other.is_empty() {
        return Meeting::Never;
    }
    let (one_width, other_width) = (
        i128::from(one.row(one_side)),
        i128::from(other.row(other_side)),
    );
    let forwards = one
        .loops
        .iter()
        .map(|one| (one, one.step(one_side).into().saturating_neg()));
    let backwards = other
        .loops
        .iter()
        .map(|one| (one, one.step(other_side).into()));
    let terms = forwards
        .chain(backwards)
        .enumerate()
        .map(|(index, (one, step))| Term {
            low: 0,
            high: i128::from(one.count) - 1,
            step,
            index,
        });
    // The other row begins `distance + sum` behind the first one's base: they meet from `1 - other_width` to `one_width - 1`.
    let low = (1 - other_width).checked_sub(distance);
    let high = (one_width - 1).checked_sub(distance);
    match (low, high) {
        (Some(low), Some(high)) => search_meeting(terms.collect(), low, high),
        _ => Meeting::Unknown,
    }
}

fn search_meeting(terms: Vec<Term>, low: i128, high: i128) -> Meeting {
    if low < -(1 << 125) || high > 1 << 125 {
        return Meeting::Unknown;
    }
    let Some(mut search) = Search::new(terms, low, high) else {
        return Meeting::Unknown;
    };
    match search.look_for_sum(0, 0) {
        Outcome::Found(distance) => Meeting::Shared {
            iterations: search.chosen,
            distance,
        },
        Outcome::None => Meeting::Never,
        Outcome::GaveUp => Meeting::Unknown,
    }
}
