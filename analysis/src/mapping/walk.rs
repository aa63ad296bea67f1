//! Index functions over numbered axes, for walking many positions without naming an axis at each.
//!
//! The digits over one group add up to a position of it, and that is taken apart at the end: values carry from one axis
//! of the group to the next.

use super::counted::look_at_position;
use super::form::{Atom, Digit, Form};
use super::groups::Groups;
use super::index::Axis;

/// A list of digits ready to be walked.
pub(super) struct Walk {
    steps: Vec<Step>,
    groups: Vec<Walk>,
}

struct Step {
    live: u64,
    extent: u64,
    stride: u64,
    target: Target,
}

#[derive(Clone, Copy)]
enum Target {
    Nothing,
    Axis(usize),
    /// A group whose position several digits may share.
    Group(usize),
}

impl Walk {
    /// Prepares a form; `axes` are the numbered axes and hold every axis of the form.
    pub(super) fn new(form: &Form, axes: &[Axis]) -> Self {
        let groups = Groups::of(&[form]);
        let rewritten = groups.rewrite(form);
        let mut found: Vec<Walk> = Vec::new();
        let mut known: Vec<Axis> = Vec::new();
        let mut target = |digit: &Digit| match digit.term.as_ref().map(|term| &term.atom) {
            None | Some(Atom::Broadcast) => Target::Nothing,
            Some(Atom::Axis(axis) | Atom::PaddedRun(axis)) => {
                if let Some(at) = known.iter().position(|known| known == axis) {
                    Target::Group(at)
                } else if let Some(group) = groups.group(axis) {
                    known.push(axis.clone());
                    found.push(Walk::new(&group.form, axes));
                    Target::Group(found.len() - 1)
                } else {
                    let at = axes.iter().position(|known| known == axis);
                    at.map_or(Target::Nothing, Target::Axis)
                }
            }
            // Every composite has its group; this one is walked on its own all the same.
            Some(Atom::Composite(inner)) => {
                known.push(Axis::new("", 1));
                found.push(Walk::new(inner, axes));
                Target::Group(found.len() - 1)
            }
        };
        let steps = rewritten
            .digits()
            .iter()
            .map(|digit| Step {
                live: digit.live,
                extent: digit.extent,
                stride: digit.term.as_ref().map_or(0, |term| term.stride),
                target: target(digit),
            })
            .collect();
        Self {
            steps,
            groups: found,
        }
    }

    /// Adds the values at a position to `values`; false where it is padding by the digits' extents.
    fn add(&self, position: u64, values: &mut [u64]) -> bool {
        let mut sums = vec![0_u64; self.groups.len()];
        let mut rest = position;
        for step in &self.steps {
            let here = rest % step.extent;
            rest /= step.extent;
            if here >= step.live {
                return false;
            }
            let moved = here.saturating_mul(step.stride);
            let value = match step.target {
                Target::Nothing => None,
                Target::Axis(axis) => values.get_mut(axis),
                Target::Group(group) => sums.get_mut(group),
            };
            if let Some(value) = value {
                *value = value.saturating_add(moved);
            }
        }
        // What is left is behind the last position.
        rest == 0
            && self
                .groups
                .iter()
                .zip(sums)
                .all(|(group, sum)| group.add(sum, values))
    }

    /// The values of all axes at a position, in `values`; false where it holds no element.
    pub(super) fn values_at(&self, position: u64, axes: &[Axis], values: &mut [u64]) -> bool {
        look_at_position();
        values.fill(0);
        self.add(position, values)
            && values
                .iter()
                .zip(axes)
                .all(|(value, axis)| *value < axis.size())
    }
}

/// The axes of some forms, each once.
pub(super) fn axes_of(forms: &[&Form]) -> Vec<Axis> {
    let mut axes = std::collections::BTreeSet::new();
    for form in forms {
        axes.extend(form.axes());
    }
    axes.into_iter().collect()
}
