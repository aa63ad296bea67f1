//! Index functions over numbered axes, for walking many positions without naming an axis at each.
//!
//! The digits over one group add up to a position of it, and that is taken apart at the end: values carry from one axis
//! of the group to the next.

use super::counted::look_at_position;
use super::form::{Atom, Digit, Form, Padding};
use super::groups::Groups;
use super::index::{Axis, PaddingKind};

/// A list of digits ready to be walked.
pub(super) struct Walk {
    steps: Vec<Step>,
    groups: Vec<Walk>,
    /// What is behind the last position, where this is a group.
    behind: PaddingKind,
}

struct Step {
    live: u64,
    extent: u64,
    paddings: Vec<Padding>,
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
        let rewritten = groups.rewritten_digits(form);
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
            // Every composite has its group; this one is walked on its own anyway.
            Some(Atom::Composite(inner)) => {
                known.push(Axis::new("", 1));
                found.push(Walk::new(inner, axes));
                Target::Group(found.len() - 1)
            }
        };
        let steps = rewritten
            .iter()
            .map(|digit| Step {
                live: digit.live,
                extent: digit.extent,
                paddings: digit.paddings().to_vec(),
                stride: digit.term.as_ref().map_or(0, |term| term.stride),
                target: target(digit),
            })
            .collect();
        Self {
            steps,
            groups: found,
            behind: form.padding_behind(),
        }
    }

    /// Adds the values at a position to `values`, or says what padding is there: of several digits that are padded, the
    /// outermost decides, and a group is where its outermost digit is.
    fn add(&self, position: u64, values: &mut [u64]) -> Result<(), PaddingKind> {
        let mut sums = vec![0_u64; self.groups.len()];
        let mut padded: Option<(usize, PaddingKind)> = None;
        let mut rest = position;
        for (at, step) in self.steps.iter().enumerate() {
            let here = rest % step.extent;
            rest /= step.extent;
            if here >= step.live {
                padded = Some((at, step.kind_at(here)));
                continue;
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
        if rest != 0 {
            // What is left is behind the last position.
            return Err(self.behind);
        }
        for (number, (group, sum)) in self.groups.iter().zip(sums).enumerate() {
            if let Err(kind) = group.add(sum, values) {
                let into = |step: &Step| matches!(step.target, Target::Group(own) if own == number);
                let at = self.steps.iter().rposition(into).unwrap_or(0);
                if padded.is_none_or(|(other, _)| at > other) {
                    padded = Some((at, kind));
                }
            }
        }
        match padded {
            Some((_, kind)) => Err(kind),
            None => Ok(()),
        }
    }

    /// The values of all axes at a position, in `values`; else the padding that is there.
    pub(super) fn cell_at(
        &self,
        position: u64,
        axes: &[Axis],
        values: &mut [u64],
    ) -> Result<(), PaddingKind> {
        look_at_position();
        values.fill(0);
        self.add(position, values)?;
        let mut ends = values.iter().zip(axes);
        match ends.any(|(value, axis)| *value >= axis.size()) {
            true => Err(PaddingKind::Top),
            false => Ok(()),
        }
    }

    /// The values of all axes at a position, in `values`; false where it holds no element.
    pub(super) fn values_at(&self, position: u64, axes: &[Axis], values: &mut [u64]) -> bool {
        self.cell_at(position, axes, values).is_ok()
    }
}

impl Step {
    fn kind_at(&self, position: u64) -> PaddingKind {
        let mut paddings = self.paddings.iter();
        paddings
            .find(|padding| position < padding.extent)
            .map_or(PaddingKind::Top, |padding| padding.kind)
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
