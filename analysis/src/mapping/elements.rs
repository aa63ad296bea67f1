//! Which tensor elements a form holds, whatever their order and however often.
//!
//! Away from composites the elements are a product over the axes: each axis takes the sums of its own digits. Axes that
//! meet in a composite are walked together. Sets that are too large to walk are compared by their digits, else the answer
//! is unknown.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::counted::look_at_position;
use super::form::{Atom, Digit, Form};
use super::index::Axis;
use super::relation::{Answer, ENUMERATION_LIMIT};
use super::walk::Walk;

/// Whether both hold exactly the same elements.
#[must_use]
pub fn same_elements(a: &Form, b: &Form) -> Answer {
    holds(a, b).and(holds(b, a))
}

/// Whether `a` holds every element of `b`.
#[must_use]
pub fn holds(a: &Form, b: &Form) -> Answer {
    let entangled: BTreeSet<Axis> = composite_axes(a).chain(composite_axes(b)).collect();
    let mut answer = Answer::Yes;
    let axes: BTreeSet<Axis> = b.axes();
    for axis in axes.difference(&entangled) {
        answer = answer.and(axis_holds(axis, &Runs::of(a, axis), &Runs::of(b, axis)));
        if answer == Answer::No {
            return answer;
        }
    }
    if entangled.is_empty() {
        return answer;
    }
    answer.and(groups_hold(&entangled, a, b))
}

fn composite_axes(form: &Form) -> impl Iterator<Item = Axis> {
    form.digits()
        .iter()
        .filter_map(|digit| match &digit.term.as_ref()?.atom {
            Atom::Composite(inner) => Some(inner.axes()),
            Atom::Axis(_) | Atom::PaddedRun(_) | Atom::Broadcast => None,
        })
        .flatten()
}

/// The values of one axis: every sum of one step of each run. Runs of one step are left out, and runs that continue each
/// other without a gap are one.
#[derive(Debug, PartialEq, Eq)]
struct Runs {
    /// Values a step to steps, smallest stride first.
    runs: Vec<(u64, u64)>,
    /// Whether each value has one sum at most, found largest run first.
    graded: bool,
}

impl Runs {
    fn of(form: &Form, axis: &Axis) -> Self {
        let mut by_stride: BTreeMap<u64, u64> = BTreeMap::new();
        for digit in form.digits() {
            if let Some(term) = &digit.term
                && term.atom.axis() == Some(axis)
            {
                // Two runs of one stride give the sums of both.
                let steps = by_stride.entry(term.stride).or_insert(1);
                *steps = steps.saturating_add(digit.live - 1);
            }
        }
        let mut runs: Vec<(u64, u64)> = Vec::new();
        let mut graded = true;
        for (stride, count) in by_stride {
            let Some((inner, steps)) = runs.last_mut() else {
                runs.push((stride, count));
                continue;
            };
            let reach = inner.saturating_mul(*steps);
            if stride.is_multiple_of(*inner) && stride <= reach {
                let more = (stride / *inner).saturating_mul(count - 1);
                *steps = steps.saturating_add(more);
            } else {
                graded &= stride.is_multiple_of(*inner);
                runs.push((stride, count));
            }
        }
        if let Some((stride, count)) = runs.last_mut() {
            *count = (*count).min(axis.size().div_ceil(*stride));
        }
        Self { runs, graded }
    }

    /// Whether a value below the size of the axis is among the sums.
    fn contains(&self, value: u64) -> bool {
        let mut rest = value;
        for (stride, count) in self.runs.iter().rev() {
            let steps = (rest / stride).min(count - 1);
            rest -= steps * stride;
        }
        rest == 0
    }

    /// The number of sums, counting a sum that is made in several ways as often.
    fn combinations(&self) -> u64 {
        self.runs
            .iter()
            .fold(1, |all: u64, (_, count)| all.saturating_mul(*count))
    }

    /// The sum of a numbered combination.
    fn sum(&self, number: u64) -> u64 {
        look_at_position();
        let mut rest = number;
        let mut sum: u64 = 0;
        for (stride, count) in &self.runs {
            sum = sum.saturating_add((rest % count).saturating_mul(*stride));
            rest /= count;
        }
        sum
    }
}

fn axis_holds(axis: &Axis, a: &Runs, b: &Runs) -> Answer {
    if a.runs == b.runs || a.runs.first() == Some(&(1, axis.size())) {
        return Answer::Yes;
    }
    if !a.graded {
        let all = a.combinations();
        if all > ENUMERATION_LIMIT || b.combinations() > ENUMERATION_LIMIT {
            return Answer::Unknown;
        }
        let held: HashSet<u64> = (0..all).map(|number| a.sum(number)).collect();
        return every_value(axis, b, |value| held.contains(&value));
    }
    // A few values disprove most; walking them all proves.
    let probes = b.runs.iter().flat_map(|(stride, count)| {
        [1, count / 2, count - 1].map(|steps| stride.saturating_mul(steps))
    });
    if probes
        .filter(|value| *value < axis.size())
        .any(|value| !a.contains(value))
    {
        return Answer::No;
    }
    if let ([(coarse, far)], [(fine, near)]) = (a.runs.as_slice(), b.runs.as_slice())
        && fine.is_multiple_of(*coarse)
        && fine.saturating_mul(near - 1) <= coarse.saturating_mul(far - 1)
    {
        return Answer::Yes;
    }
    if b.combinations() > ENUMERATION_LIMIT {
        return Answer::Unknown;
    }
    every_value(axis, b, |value| a.contains(value))
}

fn every_value(axis: &Axis, b: &Runs, held: impl Fn(u64) -> bool) -> Answer {
    (0..b.combinations())
        .map(|number| b.sum(number))
        .filter(|value| *value < axis.size())
        .all(held)
        .into()
}

/// The digits that touch the given axes, padding dropped.
fn touching(form: &Form, axes: &BTreeSet<Axis>) -> Vec<Digit> {
    let touches = |digit: &&Digit| {
        digit.term.as_ref().is_some_and(|term| match &term.atom {
            Atom::Axis(axis) | Atom::PaddedRun(axis) => axes.contains(axis),
            Atom::Broadcast => false,
            Atom::Composite(_) => true,
        })
    };
    form.digits()
        .iter()
        .filter(touches)
        .map(Digit::unpadded)
        .collect()
}

fn groups_hold(axes: &BTreeSet<Axis>, a: &Form, b: &Form) -> Answer {
    let (left, right) = (touching(a, axes), touching(b, axes));
    let times = |list: &[Digit], digit: &Digit| list.iter().filter(|known| *known == digit).count();
    if right
        .iter()
        .all(|digit| times(&right, digit) <= times(&left, digit))
    {
        return Answer::Yes;
    }
    let axes: Vec<Axis> = axes.iter().cloned().collect();
    let (Some(held), Some(wanted)) = (values(&left, &axes), values(&right, &axes)) else {
        return Answer::Unknown;
    };
    wanted.is_subset(&held).into()
}

/// Every combination of values that the digits hold; None when there are too many positions.
fn values(digits: &[Digit], axes: &[Axis]) -> Option<HashSet<Vec<u64>>> {
    let positions = digits
        .iter()
        .try_fold(1_u64, |all, digit| all.checked_mul(digit.extent))
        .filter(|all| *all <= ENUMERATION_LIMIT)?;
    let walk = Walk::new(digits, axes);
    let mut values = vec![0; axes.len()];
    let mut found = HashSet::new();
    for position in 0..positions {
        if walk.values_at(position, axes, &mut values) && !found.contains(&values) {
            found.insert(values.clone());
        }
    }
    Some(found)
}
