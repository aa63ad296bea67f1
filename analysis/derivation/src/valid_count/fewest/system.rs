//! The strides of counters as unknowns of linear inequalities: one for each time step at which the count must be above or below
//! a number. Knows how a solution becomes counters; which places are tried is the search's.

use crate::transfer::greatest_common_divisor;

use super::super::answer::Assigned;
use super::super::stretches::{cut_stretches, first_points, last_points};
use super::super::strides::Row;
use super::{Edge, Fewest, Walk};

/// The inequalities of the strides of counters; the last unknown is the index where the count stops.
pub(super) struct System {
    pub(super) counters: Vec<Edge>,
    pub(super) rows: Vec<Row>,
    /// The counts between none and all lanes that occur.
    partial: Vec<i128>,
}

impl System {
    /// `None` where no time step is on one side of the count's end.
    pub(super) fn new(walk: &Walk<'_>, begun: &[u64]) -> Option<Self> {
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
        let digits = cut_stretches(&walk.by_stride(), begun);
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
    fn step_row(&self, time: u64, factor: i128, bound: i128) -> Row {
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
        self.rows.push(self.step_row(time, 1, bound));
    }

    /// The index of a time step is at least the end of the count less `bound`.
    fn at_least(&mut self, time: u64, bound: i128) {
        self.rows.push(self.step_row(time, -1, bound));
    }

    /// A counter's stride is that number.
    pub(super) fn equal_rows(&self, counter: usize, stride: i128) -> [Row; 2] {
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
    pub(super) fn setting_from_solution(
        &self,
        numerators: &[i128],
        denominator: i128,
        fixed: bool,
    ) -> Option<Fewest> {
        let common = numerators.iter().fold(denominator, |common, &number| {
            greatest_common_divisor(common, number).max(1)
        });
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
