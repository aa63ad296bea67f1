//! Which tensor elements a form holds, whatever their order and however often.
//!
//! The elements are a product over the axes: each axis takes the sums of its own digits. A group that a size cuts across
//! is an axis of its positions. Where its axes are stepped through beside it, all of them are walked together. Sets that
//! are too large to walk are compared by their digits, else the answer is unknown.

use std::collections::{BTreeMap, HashSet};

use super::counted::look_at_position;
use super::form::{Atom, Digit, Form};
use super::groups::{Group, Groups, is_settled};
use super::index::Axis;
use super::relation::{Answer, ENUMERATION_LIMIT};
use super::walk::{Walk, axes_of};

/// Whether both hold exactly the same elements.
pub fn same_elements(a: &Form, b: &Form) -> Answer {
    holds_every_element(a, b).and(holds_every_element(b, a))
}

/// Whether `a` holds every element of `b`.
pub fn holds_every_element(a: &Form, b: &Form) -> Answer {
    match includes(a, b) {
        Answer::No if !(is_settled(a) && is_settled(b)) => Answer::Unknown,
        answer => answer,
    }
}

fn includes(a: &Form, b: &Form) -> Answer {
    let groups = Groups::of(&[a, b]);
    let (a, b) = (groups.rewrite(a), groups.rewrite(b));
    let independent = groups.are_independent(&[&a, &b]);
    let mut answer = Answer::Yes;
    let mut entangled = false;
    for axis in b.axes() {
        let group = groups.group(&axis);
        let held = if !independent && groups.mention(&axis) {
            Answer::Unknown
        } else {
            let held = axis_holds(&axis, group, &a, &b);
            match group {
                // Another position may hold the same element.
                Some(group) if held == Answer::No && !group.is_injective() => Answer::Unknown,
                _ => held,
            }
        };
        if held == Answer::No {
            return held;
        }
        if held == Answer::Unknown && groups.mention(&axis) {
            entangled = true;
        } else {
            answer = answer.and(held);
        }
    }
    if entangled {
        answer = answer.and(groups_hold(&groups, &a, &b));
    }
    answer
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
    fn of(form: &Form, axis: &Axis, group: Option<&Group>) -> Self {
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
        if let Some(group) = group {
            fill_holes(group, &mut by_stride);
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

/// Steps of a whole digit of a group go on through the padding behind it, where nothing else steps there: such positions
/// hold no element, so that the elements stay the same, and runs come to be in a line.
fn fill_holes(group: &Group, by_stride: &mut BTreeMap<u64, u64>) {
    let strides: Vec<u64> = by_stride.keys().copied().collect();
    let mut below: u64 = 0;
    for (at, stride) in strides.iter().enumerate() {
        let next = strides.get(at + 1).copied().unwrap_or(u64::MAX);
        let Some(steps) = by_stride.get_mut(stride) else {
            continue;
        };
        if let Some((live, extent)) = group.digit_at(*stride)
            && live == *steps
            && below < *stride
            && stride.saturating_mul(extent) <= next
        {
            *steps = extent;
        }
        below = below.saturating_add(stride.saturating_mul(*steps - 1));
    }
}

fn axis_holds(axis: &Axis, group: Option<&Group>, a: &Form, b: &Form) -> Answer {
    let (a, b) = (Runs::of(a, axis, group), Runs::of(b, axis, group));
    if a.runs == b.runs || a.runs.first() == Some(&(1, axis.size())) {
        return Answer::Yes;
    }
    let inner: Vec<Axis> =
        group.map_or_else(Vec::new, |group| group.form.axes().into_iter().collect());
    let walk = group.map(|group| Walk::new(&group.form, &inner));
    let has_element = |value: u64| match &walk {
        _ if value >= axis.size() => false,
        None => true,
        Some(walk) => walk.values_at(value, &inner, &mut vec![0; inner.len()]),
    };
    let every_value = |held: &dyn Fn(u64) -> bool| {
        let all = (0..b.combinations())
            .map(|number| b.sum(number))
            .all(|value| held(value) || !has_element(value));
        Answer::from(all)
    };
    if !a.graded {
        let all = a.combinations();
        if all > ENUMERATION_LIMIT || b.combinations() > ENUMERATION_LIMIT {
            return Answer::Unknown;
        }
        let held: HashSet<u64> = (0..all).map(|number| a.sum(number)).collect();
        return every_value(&|value| held.contains(&value));
    }
    // A few values disprove most; walking them all proves.
    let probes = b.runs.iter().flat_map(|(stride, count)| {
        [1, count / 2, count - 1].map(|steps| stride.saturating_mul(steps))
    });
    if probes
        .filter(|value| has_element(*value))
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
    every_value(&|value| a.contains(value))
}

/// The digits that step through groups or their axes, padding dropped.
fn touching(groups: &Groups, form: &Form) -> Vec<Digit> {
    let touches = |digit: &&Digit| {
        digit.term.as_ref().is_some_and(|term| match &term.atom {
            Atom::Axis(axis) | Atom::PaddedRun(axis) => groups.mention(axis),
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

/// Whether `a` holds every element of `b`, as far as groups go: walked together, since their axes are not independent.
fn groups_hold(groups: &Groups, a: &Form, b: &Form) -> Answer {
    let (left, right) = (touching(groups, a), touching(groups, b));
    let times = |list: &[Digit], digit: &Digit| list.iter().filter(|known| *known == digit).count();
    if right
        .iter()
        .all(|digit| times(&right, digit) <= times(&left, digit))
    {
        return Answer::Yes;
    }
    let part = |digits: &[Digit]| Some(groups.restore(&Form::from_digits(digits.to_vec())?));
    let (Some(left), Some(right)) = (part(&left), part(&right)) else {
        return Answer::Unknown;
    };
    let axes = axes_of(&[&left, &right]);
    let (Some(held), Some(wanted)) = (held_values(&left, &axes), held_values(&right, &axes)) else {
        return Answer::Unknown;
    };
    wanted.is_subset(&held).into()
}

/// Every combination of values that a form holds; None when there are too many positions.
fn held_values(form: &Form, axes: &[Axis]) -> Option<HashSet<Vec<u64>>> {
    let positions = form.size();
    if positions > ENUMERATION_LIMIT {
        return None;
    }
    let walk = Walk::new(form, axes);
    let mut values = vec![0; axes.len()];
    let mut found = HashSet::new();
    for position in 0..positions {
        if walk.values_at(position, axes, &mut values) && !found.contains(&values) {
            found.insert(values.clone());
        }
    }
    Some(found)
}
