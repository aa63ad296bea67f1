//! The fewest counters that walk a function of time: which digits one counter can pass together.
//!
//! Digits in an order that no single counter has need a counter each, or fewer: where the last step of 512 alone is out,
//! one counter of 512 stops one step before its end, in whatever order the digits are. Two questions have exact answers
//! here. Along one counter the count never rises: where it would, no counter passes those time steps together, and the
//! least number of counters that is left over all divisors of the time steps is a proof. For counters that begin and end
//! between digits or inside of one, strides exist or not as linear inequalities do. Counters that cut across digits
//! otherwise are known by the first question alone, and where both together decide nothing the answer is unknown.

use super::answer::Assigned;
use super::digits::{AxisDigit, Digits};
use super::outer_part::is_prime_power;
use super::strides::{Row, Solution, solve};

/// Systems of inequalities that are looked at for one placement.
const MOST_SYSTEMS: usize = 300;
/// Divisors of the time steps that are looked at.
const MOST_DIVISORS: usize = 256;
/// The largest factor that is looked for.
const LARGEST_FACTOR: u64 = 1 << 16;

/// What is to be counted over time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Wanted {
    /// Digits of the axis in time, as the hardware steps through them.
    pub digits: Digits,
    /// A flit counts at least `n + 1` where the digits' value is below the number at `n`; falling, and none is 0 but
    /// the first.
    pub thresholds: Vec<u64>,
    /// Whether the packet count counts, whose cap is the stride of its innermost counter; else a gate.
    pub packets: bool,
}

/// What is known of the counters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fewest {
    /// These do it, and the count stops at `valid`.
    Counters {
        /// Those that move the index.
        counters: Vec<Assigned>,
        /// Where the index stops.
        valid: u64,
    },
    /// More than there are: at least this many.
    TooMany(usize),
    /// Neither is known.
    Unknown,
}

/// The fewest counters over that many time steps, where there are `most`; one that only carries the cap counts too.
#[must_use]
pub(super) fn counters(wanted: &Wanted, steps: u64, most: usize) -> Fewest {
    Walk::new(wanted, steps).map_or(Fewest::Unknown, |walk| walk.fewest(most))
}

/// A stretch of time: a digit of the axis, or what is between two of them.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    position: u64,
    extent: u64,
    /// Elements a step moves; 0 for other axes.
    stride: u64,
}

impl Stretch {
    fn end(&self) -> u64 {
        self.position.saturating_mul(self.extent)
    }
}

/// A counter: where it begins and where the next one does.
type Edge = (u64, u64);

struct Walk<'a> {
    wanted: &'a Wanted,
    stretches: Vec<Stretch>,
    /// Where counters can begin, between digits or inside of one; ascending.
    places: Vec<u64>,
    /// All divisors of the time steps; ascending. Empty where they are too many.
    divisors: Vec<u64>,
    /// Time steps that no counter passes together.
    apart: Vec<Edge>,
    steps: u64,
}

impl<'a> Walk<'a> {
    fn new(wanted: &'a Wanted, steps: u64) -> Option<Self> {
        let stretches = stretches(&wanted.digits, steps)?;
        let mut places = vec![1];
        let mut divisors = vec![1_u64];
        for stretch in &stretches {
            let own = divisors_of(stretch.extent)?;
            places.extend(own.iter().map(|divisor| stretch.position * divisor));
            if !divisors.is_empty() {
                divisors = own
                    .iter()
                    .flat_map(|divisor| divisors.iter().map(move |other| other * divisor))
                    .collect();
                divisors.sort_unstable();
                divisors.dedup();
                if divisors.len() > MOST_DIVISORS {
                    divisors.clear();
                }
            }
        }
        places.sort_unstable();
        places.dedup();
        if places.len() > MOST_DIVISORS {
            return None;
        }
        let mut walk = Self {
            wanted,
            stretches,
            places,
            divisors,
            apart: vec![],
            steps,
        };
        walk.apart = walk.places_apart();
        Some(walk)
    }

    fn fewest(&self, most: usize) -> Fewest {
        let at_least = self
            .least(&self.divisors)
            .get(&self.steps)
            .copied()
            .unwrap_or(1);
        if at_least > most {
            return Fewest::TooMany(at_least);
        }
        let is_prime_power = is_prime_power(self.steps);
        // Counters that begin wherever they can do whatever fewer of them do.
        if is_prime_power
            && let Some(system) = System::new(self, &self.places)
            && solve(&system.rows) == Solution::Impossible
        {
            return Fewest::TooMany(most + 1);
        }
        let mut search = Search {
            walk: self,
            left: self.least_to_end(),
            most,
            systems: 0,
            is_sure: true,
        };
        for length in 1..=most {
            if let Some(found) = search.with(&mut vec![1], length) {
                return found;
            }
        }
        // With one prime every counter begins between digits or inside of one: all of them were looked at.
        if search.is_sure && is_prime_power {
            Fewest::TooMany(most + 1)
        } else {
            Fewest::Unknown
        }
    }

    /// The least number of counters from the first time step to each of the places.
    fn least(&self, places: &[u64]) -> std::collections::BTreeMap<u64, usize> {
        let mut least = std::collections::BTreeMap::from([(1, 0)]);
        for &to in places.iter().filter(|&&to| to > 1) {
            let best = least
                .iter()
                .filter(|&(&from, _)| self.is_edge((from, to)))
                .map(|(_, count)| count + 1)
                .min();
            if let Some(best) = best {
                least.insert(to, best);
            }
        }
        least
    }

    fn least_to_end(&self) -> std::collections::BTreeMap<u64, usize> {
        let mut least = std::collections::BTreeMap::from([(self.steps, 0)]);
        for &from in self.places.iter().rev().filter(|&&from| from < self.steps) {
            let best = least
                .iter()
                .filter(|&(&to, _)| self.is_edge((from, to)))
                .map(|(_, count)| count + 1)
                .min();
            if let Some(best) = best {
                least.insert(from, best);
            }
        }
        least
    }

    /// Whether one counter may pass the time steps from one place to the other.
    fn is_edge(&self, (from, to): Edge) -> bool {
        from < to
            && to.is_multiple_of(from)
            && !self
                .apart
                .iter()
                .any(|&(first, last)| first.is_multiple_of(from) && to.is_multiple_of(last))
    }

    /// The count of a time step.
    fn count(&self, time: u64) -> usize {
        let value = self
            .stretches
            .iter()
            .map(|stretch| (time / stretch.position % stretch.extent) * stretch.stride)
            .sum::<u64>();
        let below = |threshold: &&u64| value < **threshold;
        self.wanted.thresholds.iter().filter(below).count()
    }

    /// The shortest stretches of time along which the count rises somewhere.
    fn places_apart(&self) -> Vec<Edge> {
        let mut apart: Vec<Edge> = Vec::new();
        for &from in self.places.iter().rev() {
            for &to in &self.places {
                let contains =
                    |&(first, last): &Edge| first.is_multiple_of(from) && to.is_multiple_of(last);
                if to > from
                    && to.is_multiple_of(from)
                    && !apart.iter().any(contains)
                    && self.rises((from, to))
                {
                    apart.push((from, to));
                }
            }
        }
        apart
    }

    /// Whether two time steps that differ in this stretch alone are known of which the later one counts more.
    ///
    /// The inner digit falls from its last step to its first while the outer one makes a step. What decides the rest is
    /// whether the digits above the inner one are where the count is about to change.
    fn rises(&self, (from, to): Edge) -> bool {
        let at = |place: u64| {
            self.stretches
                .iter()
                .position(|stretch| stretch.position <= place && place < stretch.end())
        };
        let (Some(inner), Some(outer)) = (at(from), at(to - 1)) else {
            return false;
        };
        let (Some(low), Some(high)) = (self.stretches.get(inner), self.stretches.get(outer)) else {
            return false;
        };
        if inner == outer || high.stride > low.stride || !to.is_multiple_of(high.position) {
            return false;
        }
        // Steps of the outer digit in this stretch, and the part of the inner digit before it.
        let (turns, kept) = (to / high.position, from / low.position);
        if turns < 2 || turns > high.extent {
            return false;
        }
        self.wanted.thresholds.iter().any(|&threshold| {
            let Some(edge) = largest_below(&self.by_stride(), threshold) else {
                return false;
            };
            [false, true].into_iter().any(|full| {
                let rest = |extent: u64| if full { extent - 1 } else { 0 };
                let mut others = 0_u64;
                for (number, stretch) in self.stretches.iter().enumerate() {
                    let step = if number == inner {
                        rest(kept)
                    } else if number == outer {
                        rest(high.extent / turns) * turns
                    } else if stretch.stride > low.stride {
                        edge.iter()
                            .find(|(position, _)| *position == stretch.position)
                            .map_or(0, |(_, step)| *step)
                    } else {
                        rest(stretch.extent)
                    };
                    others += step * stretch.position;
                }
                let last = (low.extent / kept - 1) * kept * low.position;
                [0, turns - 2].into_iter().any(|turn| {
                    let before = others + last + turn * high.position;
                    let after = others + (turn + 1) * high.position;
                    self.count(before) < self.count(after)
                })
            })
        })
    }

    /// The axis's digits, largest stride first.
    fn by_stride(&self) -> Vec<Stretch> {
        let mut digits: Vec<Stretch> = self
            .stretches
            .iter()
            .copied()
            .filter(|stretch| stretch.stride > 0)
            .collect();
        digits.sort_by_key(|digit| std::cmp::Reverse(digit.stride));
        digits
    }
}

/// Looks for counters of strides that do it, between the places of a walk.
struct Search<'a> {
    walk: &'a Walk<'a>,
    left: std::collections::BTreeMap<u64, usize>,
    most: usize,
    systems: usize,
    is_sure: bool,
}

impl Search<'_> {
    /// The counters that begin at the places so far and have that many more.
    fn with(&mut self, begun: &mut Vec<u64>, more: usize) -> Option<Fewest> {
        let &from = begun.last()?;
        if self.systems > MOST_SYSTEMS {
            return None;
        }
        if more == 0 {
            return (from == self.walk.steps)
                .then(|| self.strides(begun))
                .flatten();
        }
        for index in (0..self.walk.places.len()).rev() {
            let Some(&to) = self.walk.places.get(index) else {
                continue;
            };
            let reaches = self.left.get(&to).is_some_and(|&left| {
                left < more && (left > 0 || to == self.walk.steps && more == 1)
            });
            if !reaches || !self.walk.is_edge((from, to)) {
                continue;
            }
            begun.push(to);
            let found = self.with(begun, more - 1);
            begun.pop();
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Strides for counters that begin at these places, if there are any.
    fn strides(&mut self, begun: &[u64]) -> Option<Fewest> {
        let system = System::new(self.walk, begun)?;
        let number = system.counters.len();
        // A cap that no counter moves by takes a counter of its own, which never steps.
        if !self.walk.wanted.packets || number < self.most {
            let found = self.solved(&system, &[]);
            if found.is_some() || !self.walk.wanted.packets {
                return found;
            }
        }
        let cap = i128::try_from(self.walk.wanted.thresholds.len()).ok()?;
        for innermost in 0..number {
            let mut fixed = vec![];
            for counter in 0..=innermost {
                let stride = if counter == innermost { cap } else { 0 };
                fixed.extend(system.equal(counter, stride));
            }
            let found = self.solved(&system, &fixed);
            if found.is_some() {
                return found;
            }
        }
        None
    }

    fn solved(&mut self, system: &System, fixed: &[Row]) -> Option<Fewest> {
        self.systems += 1;
        if self.systems > MOST_SYSTEMS {
            self.is_sure = false;
            return None;
        }
        let rows: Vec<Row> = system.rows.iter().chain(fixed).cloned().collect();
        match solve(&rows) {
            Solution::Impossible => None,
            Solution::Unknown => {
                self.is_sure = false;
                None
            }
            Solution::Found {
                numerators,
                denominator,
            } => {
                let found = system.setting(&numerators, denominator, !fixed.is_empty());
                self.is_sure &= found.is_some();
                found
            }
        }
    }
}

/// The inequalities of the strides of counters; the last unknown is the index where the count stops.
struct System {
    counters: Vec<Edge>,
    rows: Vec<Row>,
    /// The counts between none and all lanes that occur.
    partial: Vec<i128>,
}

impl System {
    /// `None` where no time step is on one side of the count's end.
    fn new(walk: &Walk<'_>, begun: &[u64]) -> Option<Self> {
        let counters = begun
            .windows(2)
            .filter_map(|pair| match pair {
                &[from, to] => Some((from, to)),
                _ => None,
            })
            .collect();
        let mut system = Self {
            counters,
            rows: vec![],
            partial: vec![],
        };
        let digits = cut(&walk.by_stride(), begun);
        let thresholds = &walk.wanted.thresholds;
        let beside: u64 = walk
            .stretches
            .iter()
            .filter(|stretch| stretch.stride == 0)
            .map(|stretch| (stretch.extent - 1) * stretch.position)
            .sum();
        let (&first, &last) = (thresholds.first()?, thresholds.last()?);
        let cap = i128::try_from(thresholds.len()).ok()?;
        for time in last_points(&digits, last, 0) {
            system.at_most(time + beside, -cap);
        }
        for time in first_points(&digits, first, u64::MAX) {
            system.at_least(time, 0);
        }
        for (count, pair) in (1_i128..).zip(thresholds.windows(2)) {
            let &[above, below] = pair else { continue };
            let mut times = first_points(&digits, below, above);
            if times.is_empty() {
                continue;
            }
            system.partial.push(count);
            times.extend(
                last_points(&digits, above, below)
                    .iter()
                    .map(|time| time + beside),
            );
            for time in times {
                system.at_most(time, -count);
                system.at_least(time, count);
            }
        }
        Some(system)
    }

    /// The steps of the counters at a time step, with a factor, and the end of the count with its own.
    fn row(&self, time: u64, factor: i128, bound: i128) -> Row {
        let mut coefficients: Vec<i128> = self
            .counters
            .iter()
            .map(|(from, to)| factor * i128::from(time / from % (to / from)))
            .collect();
        coefficients.push(-factor);
        Row {
            coefficients,
            bound,
        }
    }

    /// The index of a time step is at most the end of the count and `bound`.
    fn at_most(&mut self, time: u64, bound: i128) {
        self.rows.push(self.row(time, 1, bound));
    }

    /// The index of a time step is at least the end of the count less `bound`.
    fn at_least(&mut self, time: u64, bound: i128) {
        self.rows.push(self.row(time, -1, bound));
    }

    /// A counter's stride is that number.
    fn equal(&self, counter: usize, stride: i128) -> [Row; 2] {
        [1, -1].map(|factor| {
            let mut coefficients = vec![0; self.counters.len() + 1];
            coefficients[counter] = factor;
            Row {
                coefficients,
                bound: factor * stride,
            }
        })
    }

    /// The setting of a solution, made of whole numbers: all of it grows by the denominator, and the end of the count by
    /// what keeps the one partial count as it is.
    fn setting(&self, numerators: &[i128], denominator: i128, fixed: bool) -> Option<Fewest> {
        let common = numerators
            .iter()
            .fold(denominator, |common, &number| gcd(common, number));
        let (numbers, scale): (Vec<i128>, i128) = (
            numerators.iter().map(|number| number / common).collect(),
            denominator / common,
        );
        let kept = match self.partial.as_slice() {
            _ if scale == 1 => 0,
            _ if fixed => return None,
            [] => 0,
            [count] => *count,
            _ => return None,
        };
        let (&end, strides) = numbers.split_last()?;
        let valid = u64::try_from(end - scale * kept + kept).ok()?;
        let counters = self
            .counters
            .iter()
            .zip(strides)
            .filter(|&(_, &stride)| stride > 0)
            .map(|(&(from, to), &stride)| {
                Some(Assigned {
                    position_stride: from,
                    limit: to / from,
                    stride: u64::try_from(stride).ok()?,
                })
            })
            .collect::<Option<_>>()?;
        Some(Fewest::Counters { counters, valid })
    }
}

fn gcd(first: i128, second: i128) -> i128 {
    let (mut first, mut second) = (first, second);
    while second != 0 {
        (first, second) = (second, first % second);
    }
    first.max(1)
}

/// Time cut into the axis's digits and what is between them; `None` where they overlap or are too large.
fn stretches(digits: &Digits, steps: u64) -> Option<Vec<Stretch>> {
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
fn divisors_of(number: u64) -> Option<Vec<u64>> {
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
fn cut(digits: &[Stretch], places: &[u64]) -> Vec<Stretch> {
    let mut cut = Vec::new();
    for digit in digits {
        let mut ends: Vec<u64> = places
            .iter()
            .copied()
            .filter(|&place| digit.position < place && place < digit.end())
            .collect();
        ends.push(digit.end());
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
fn largest_below(digits: &[Stretch], bound: u64) -> Option<Vec<(u64, u64)>> {
    let mut rest = bound.checked_sub(1)?;
    let mut steps = Vec::new();
    for digit in digits {
        let step = (rest / digit.stride).min(digit.extent - 1);
        rest -= step * digit.stride;
        steps.push((digit.position, step));
    }
    Some(steps)
}

fn value(digits: &[Stretch], steps: &[u64]) -> u64 {
    let parts = digits.iter().zip(steps);
    parts.map(|(digit, step)| digit.stride * step).sum()
}

fn time(digits: &[Stretch], steps: &[u64]) -> u64 {
    let parts = digits.iter().zip(steps);
    parts.map(|(digit, step)| digit.position * step).sum()
}

/// Time steps with a value below `bound` and from `from` on, such that each other one has a digit that is smaller and
/// none that is larger than in one of them.
fn last_points(digits: &[Stretch], bound: u64, from: u64) -> Vec<u64> {
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
    points.retain(|point| value(digits, point) >= from);
    points.iter().map(|point| time(digits, point)).collect()
}

/// Time steps with a value of at least `from` and below `bound`, such that each other one has a digit that is larger and
/// none that is smaller than in one of them.
fn first_points(digits: &[Stretch], from: u64, bound: u64) -> Vec<u64> {
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
    points.retain(|point| value(digits, point) < bound);
    points.iter().map(|point| time(digits, point)).collect()
}
