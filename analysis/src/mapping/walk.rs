//! Index functions over numbered axes, for walking many positions without naming an axis at each.

use super::counted::look_at_position;
use super::form::{Atom, Digit, Form};
use super::index::Axis;

/// A list of digits ready to be walked.
pub(super) struct Walk {
    steps: Vec<Step>,
}

struct Step {
    live: u64,
    extent: u64,
    stride: u64,
    target: Target,
}

enum Target {
    Nothing,
    Axis(usize),
    Group(Walk),
}

impl Walk {
    /// Prepares digits; `axes` are the numbered axes and hold every axis of the digits.
    pub(super) fn new(digits: &[Digit], axes: &[Axis]) -> Self {
        let steps = digits
            .iter()
            .map(|digit| {
                let (stride, target) = match &digit.term {
                    None => (0, Target::Nothing),
                    Some(term) => {
                        let target = match &term.atom {
                            Atom::Axis(axis) | Atom::PaddedRun(axis) => axes
                                .iter()
                                .position(|known| known == axis)
                                .map_or(Target::Nothing, Target::Axis),
                            Atom::Broadcast => Target::Nothing,
                            Atom::Composite(inner) => {
                                Target::Group(Walk::new(inner.digits(), axes))
                            }
                        };
                        (term.stride, target)
                    }
                };
                Step {
                    live: digit.live,
                    extent: digit.extent,
                    stride,
                    target,
                }
            })
            .collect();
        Self { steps }
    }

    /// Adds the values at a position to `values`; false where it is padding by the digits' extents.
    fn add(&self, position: u64, values: &mut [u64]) -> bool {
        let mut rest = position;
        for step in &self.steps {
            let here = rest % step.extent;
            rest /= step.extent;
            if here >= step.live {
                return false;
            }
            let moved = here.saturating_mul(step.stride);
            match &step.target {
                Target::Nothing => {}
                Target::Axis(axis) => {
                    if let Some(value) = values.get_mut(*axis) {
                        *value = value.saturating_add(moved);
                    }
                }
                Target::Group(group) => {
                    if !group.add(moved, values) {
                        return false;
                    }
                }
            }
        }
        true
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
