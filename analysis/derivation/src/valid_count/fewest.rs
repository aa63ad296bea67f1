//! The fewest counters that walk a function of time: which digits one counter can pass together.
//!
//! Digits in an order that no single counter has need a counter each, or fewer: where the last step of 512 alone is out,
//! one counter of 512 stops one step before its end, in whatever order the digits are. Two questions have exact answers
//! here. Along one counter the count never rises: where it would, no counter passes those time steps together, and the
//! least number of counters that is left over all divisors of the time steps is a proof. For counters that begin and end
//! between digits or inside of one, strides exist or not as linear inequalities do. Counters that cut across digits
//! otherwise are known by the first question alone, and where both together decide nothing the answer is unknown.

mod system;

use super::answer::Assigned;
use super::digits::Digits;
use super::outer_part::is_prime_power;
use super::stretches::{MOST_DIVISORS, Stretch, divisors_of, largest_below, stretches};
use super::strides::{Row, Solution, solve_rows};
use system::System;

/// Systems of inequalities that are looked at for one placement.
const MOST_SYSTEMS: usize = 300;

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
pub(super) fn counters(wanted: &Wanted, steps: u64, most: usize) -> Fewest {
    Walk::new(wanted, steps).map_or(Fewest::Unknown, |walk| walk.fewest(most))
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
            .least_counters(&self.divisors)
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
            && solve_rows(&system.rows) == Solution::Impossible
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
            if let Some(found) = search.fewest_with_more(&mut vec![1], length) {
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
    fn least_counters(&self, places: &[u64]) -> std::collections::BTreeMap<u64, usize> {
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
                .position(|stretch| stretch.position <= place && place < stretch.position_end())
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
    fn fewest_with_more(&mut self, begun: &mut Vec<u64>, more: usize) -> Option<Fewest> {
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
            let found = self.fewest_with_more(begun, more - 1);
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
                fixed.extend(system.equal_rows(counter, stride));
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
        match solve_rows(&rows) {
            Solution::Impossible => None,
            Solution::Unknown => {
                self.is_sure = false;
                None
            }
            Solution::Found {
                numerators,
                denominator,
            } => {
                let found =
                    system.setting_from_solution(&numerators, denominator, !fixed.is_empty());
                self.is_sure &= found.is_some();
                found
            }
        }
    }
}
