//! Groups that a size cuts across, written as axes of their own.
//!
//! `[A, B] / 8` and `[A, B] % 8` are two digits of one position: only the sum of both is a value of `A` and one of `B`.
//! Here the positions of such a group become an axis, the same one in all the forms that are looked at together, and
//! `A` or `B` alone become steps through it where they are a part of it. In these terms the parts of a group step evenly,
//! so that everything that is known of axes (merging, division, sets of values) holds for groups too.
//!
//! Two groups are one where the digits that both have are the same and nothing is between them: `[A, B, C] / 16` and
//! `[B, C] % 16` count one position. Groups that fit in no such way stay apart: their values are added up, and what
//! follows from the sums is not proven (see [`is_settled`]).

use std::collections::BTreeSet;
use std::sync::Arc;

mod chain;
mod lift;

use super::form::{Atom, Digit, Form, Term};
use super::index::Axis;

use chain::{Chain, Counted, Link};
use lift::step_digit;

/// A group as an axis of its own.
#[derive(Clone, Debug)]
pub struct Group {
    chain: Chain,
    /// The group's positions.
    pub axis: Axis,
    /// What the positions hold.
    pub form: Form,
}

impl Group {
    /// Whether no two positions hold the same element.
    pub fn is_injective(&self) -> bool {
        let single = |link: &Link| matches!(link.counted, Counted::Axis(_) | Counted::Nothing);
        let mut axes = BTreeSet::new();
        self.chain.links.iter().all(|link| {
            single(link)
                && match &link.counted {
                    // Two digits of one axis are told apart by their places alone; such groups are walked.
                    Counted::Axis(axis) => axes.insert(axis.clone()),
                    _ => true,
                }
        })
    }

    /// Of the digit that steps by so many positions: its live steps and all its steps. None for the outermost.
    pub fn digit_at(&self, place: u64) -> Option<(u64, u64)> {
        let last = self.chain.links.len().saturating_sub(1);
        (0..last)
            .find(|at| self.chain.unit(*at) == place)
            .and_then(|at| self.chain.links.get(at))
            .map(|link| (link.live, link.extent))
    }
}

/// The groups that sizes cut across in some forms that are looked at together.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    groups: Vec<Group>,
}

impl Groups {
    /// The groups of some forms. Empty, at no cost, where no size cuts across a group.
    pub fn of(forms: &[&Form]) -> Self {
        let digits = || forms.iter().flat_map(|form| form.digits());
        let mut chains: Vec<Chain> = Vec::new();
        for digit in digits().filter(|digit| is_composite(digit)) {
            let Some((mut chain, _)) = Chain::of(digit) else {
                continue;
            };
            while let Some((at, joined)) = chains
                .iter()
                .enumerate()
                .find_map(|(at, known)| Some((at, known.join(&chain)?.chain)))
            {
                chains.remove(at);
                chain = joined;
            }
            chains.push(chain);
        }
        if chains.is_empty() {
            return Self::default();
        }
        // Finer parts of a group's innermost axis that are alone: `B % 2` beside `[A, B / 2] / 2`.
        for digit in digits().filter(|digit| !is_composite(digit)) {
            let Some((part, _)) = Chain::of(digit) else {
                continue;
            };
            for chain in &mut chains {
                let below = matches!(
                    (chain.links.first(), part.links.first()),
                    (Some(first), Some(own))
                        if own.counted == first.counted && !own.low.is_multiple_of(first.low)
                );
                if below && let Some(joined) = chain.join(&part) {
                    *chain = joined.chain;
                }
            }
        }
        // A group that another one contains is a part of that.
        chains.sort_by_key(|chain| std::cmp::Reverse(chain.depth()));
        let mut groups: Vec<Group> = Vec::new();
        for chain in chains {
            let chain = chain.completed_chain();
            let Some(form) = chain.form() else {
                continue;
            };
            let mut name = format!("[{}]", form.to_mapping());
            while groups.iter().any(|group| group.axis.name() == name) {
                name.push('\'');
            }
            let axis = Axis::new(&name, form.size());
            groups.push(Group { chain, axis, form });
        }
        Self { groups }
    }

    /// Whether no axis is grouped.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The group that an axis stands for.
    pub fn group(&self, axis: &Axis) -> Option<&Group> {
        self.groups.iter().find(|group| group.axis == *axis)
    }

    /// The names of what cannot be followed through these rewritten forms: the axes of the groups, which are steps through
    /// the groups where they can be, and groups of which some form holds an axis on its own.
    pub fn opaque_names(&self, rewritten: &[&Form]) -> Vec<Arc<str>> {
        let mut names = Vec::new();
        for group in &self.groups {
            let members = group.chain.axes();
            let apart = rewritten
                .iter()
                .any(|form| !form.axes().is_disjoint(&members));
            names.extend(members.iter().map(Axis::shared_name));
            names.extend(apart.then(|| group.axis.shared_name()));
        }
        names
    }

    /// Whether a rewritten form steps through a group that has an axis of that name.
    pub fn carry(&self, rewritten: &Form, name: &str) -> bool {
        self.groups.iter().any(|group| {
            group.chain.axes().iter().any(|axis| axis.name() == name)
                && rewritten.contains_axis(group.axis.name())
        })
    }

    /// Whether an axis of that name stands for a group.
    pub fn is_group(&self, name: &str) -> bool {
        self.groups.iter().any(|group| group.axis.name() == name)
    }

    /// Whether an axis stands for a group, or is a part of one.
    pub fn mention(&self, axis: &Axis) -> bool {
        self.groups
            .iter()
            .any(|group| group.axis == *axis || group.chain.axes().contains(axis))
    }

    /// Whether the groups and the other digits of these rewritten forms share no axis, so that each group's element is
    /// that of one position.
    pub fn are_independent(&self, rewritten: &[&Form]) -> bool {
        let terms = || {
            let digits = rewritten.iter().flat_map(|form| form.digits());
            digits.filter_map(|digit| digit.term.as_ref())
        };
        let is_used = |group: &&Group| terms().any(|term| term.atom.axis() == Some(&group.axis));
        let mut seen = BTreeSet::new();
        let apart = self
            .groups
            .iter()
            .filter(is_used)
            .flat_map(|group| group.chain.axes())
            .all(|axis| seen.insert(axis));
        apart
            && terms().all(|term| match &term.atom {
                Atom::Axis(axis) | Atom::PaddedRun(axis) => !seen.contains(axis),
                Atom::Composite(_) => false,
                Atom::Broadcast => true,
            })
    }

    /// A form with the groups as axes.
    pub fn rewrite(&self, form: &Form) -> Form {
        if self.is_empty() {
            return form.clone();
        }
        Form::from_digits(self.rewritten_digits(form)).unwrap_or_else(|| form.clone())
    }

    /// The digits of a form with the groups as axes, neighbours not merged.
    pub(super) fn rewritten_digits(&self, form: &Form) -> Vec<Digit> {
        if self.is_empty() {
            return form.digits().to_vec();
        }
        let lifted: Vec<Vec<Digit>> = form.digits().iter().map(|digit| self.lift(digit)).collect();
        let overlapping: Vec<&Group> = self
            .groups
            .iter()
            .filter(|group| overlap(group, &lifted))
            .collect();
        let strides: Vec<(&Axis, u64)> = lifted
            .iter()
            .flatten()
            .filter_map(|part| part.term.as_ref())
            .filter_map(|term| Some((term.atom.axis()?, term.stride)))
            .collect();
        let digits = form
            .digits()
            .iter()
            .zip(&lifted)
            .flat_map(|(digit, lifted)| {
                let into = |group: &&Group| lifted.iter().any(|part| counts(part, group).is_some());
                if overlapping.iter().any(into) {
                    return vec![digit.clone()];
                }
                let counted = lifted.iter().map(|part| self.counted(part, &strides));
                counted.collect()
            });
        digits.collect()
    }

    /// A lifted part with the steps that are positions of its group, given the steps of all parts.
    fn counted(&self, part: &Digit, strides: &[(&Axis, u64)]) -> Digit {
        let group = |term: &Term| term.atom.axis().and_then(|axis| self.group(axis));
        let Some((term, group)) = part
            .term
            .as_ref()
            .and_then(|term| Some((term, group(term)?)))
        else {
            return part.clone();
        };
        let next = strides
            .iter()
            .filter(|(axis, stride)| **axis == group.axis && *stride > term.stride)
            .map(|(_, stride)| *stride)
            .min();
        let live = group
            .chain
            .counted_steps(term.stride, part, next.unwrap_or(u64::MAX));
        step_digit(&group.axis, term.stride, live, part)
    }

    /// A rewritten form with the groups as groups again.
    pub fn restore(&self, form: &Form) -> Form {
        if self.is_empty() {
            return form.clone();
        }
        let digits = form.digits().iter().map(|digit| {
            let mut digit = digit.clone();
            if let Some(term) = &mut digit.term {
                let group = term.atom.axis().and_then(|axis| self.group(axis));
                term.atom = match (&term.atom, group) {
                    (_, Some(group)) => Atom::Composite(Arc::new(group.form.clone())),
                    (Atom::Composite(inner), None) => {
                        Atom::Composite(Arc::new(self.restore(inner)))
                    }
                    (atom, None) => atom.clone(),
                };
            }
            digit
        });
        Form::from_digits(digits).unwrap_or_else(|| form.clone())
    }

    fn lift(&self, digit: &Digit) -> Vec<Digit> {
        let lifted = self
            .groups
            .iter()
            .find_map(|group| group.chain.lift(&group.axis, digit));
        lifted.unwrap_or_else(|| vec![digit.clone()])
    }
}

/// Whether what a form holds is beyond doubt: all that steps through the axes of a group that a size cuts across steps
/// through that group's positions. Of others (`[A, B] / 8, [B, A] % 8`) nothing says whether the sums carry.
pub(super) fn is_settled(form: &Form) -> bool {
    let groups = Groups::of(&[form]);
    if groups.is_empty() {
        return true;
    }
    let is_whole = |digit: &Digit| match &digit.term {
        Some(Term {
            atom: Atom::Composite(inner),
            stride,
            ..
        }) => *stride == 1 && digit.live == inner.size(),
        _ => true,
    };
    form.digits().iter().all(is_whole) || {
        let rewritten = groups.rewrite(form);
        // Steps through padding or copies alone do not tell which group they belong to.
        let told = |link: &Link| !matches!(link.counted, Counted::Copies | Counted::Nothing);
        let told = |group: &Group| group.chain.links.iter().all(told);
        groups.groups.iter().all(told)
            && !rewritten.has_composites()
            && groups.are_independent(&[&rewritten])
    }
}

/// The step and the number of steps of a digit through a group.
fn counts(digit: &Digit, group: &Group) -> Option<(u64, u64)> {
    let term = digit.term.as_ref()?;
    (*term.atom.axis()? == group.axis).then_some((term.stride, digit.live))
}

/// Whether digits of one form reach positions of a group in more than one way: then they are values that are added up
/// (`A, A`), and no digits of one position.
fn overlap(group: &Group, lifted: &[Vec<Digit>]) -> bool {
    let mut steps: Vec<(u64, u64)> = lifted
        .iter()
        .flatten()
        .filter_map(|digit| counts(digit, group))
        .collect();
    steps.sort_unstable();
    let mut reach: u64 = 0;
    steps.iter().any(|(stride, live)| {
        let overlaps = *stride <= reach;
        reach = reach.saturating_add(stride.saturating_mul(live - 1));
        overlaps
    })
}

fn is_composite(digit: &Digit) -> bool {
    matches!(
        digit.term,
        Some(Term {
            atom: Atom::Composite(_),
            ..
        })
    )
}

/// Two neighbouring digits of one group that count on, as one: `[A, B] / 8, [A, B] % 8`.
pub(super) fn merge_neighbours(inner: &Digit, outer: &Digit) -> Option<Digit> {
    if !is_composite(inner) && !is_composite(outer) {
        return None;
    }
    let pair = [inner.clone(), outer.clone()].map(|digit| Form::from_canonical(vec![digit]));
    let groups = Groups::of(&[&pair[0], &pair[1]]);
    let [group] = groups.groups.as_slice() else {
        return None;
    };
    let single = |digit: &Digit| match groups.lift(digit).as_slice() {
        [lifted] => counts(lifted, group).map(|(stride, _)| (stride, lifted.clone())),
        _ => None,
    };
    let (low, inner) = single(inner)?;
    let (next, _) = single(outer)?;
    let live = group.chain.counted_steps(low, &inner, next);
    let (extent, steps) = (inner.extent, outer.live);
    if live != extent || low.checked_mul(live)? != next {
        return None;
    }
    let term = Term {
        atom: Atom::Composite(Arc::new(group.form.clone())),
        stride: low,
        modulo: live,
    };
    let mut merged = Digit::new(Some(term), live.checked_mul(steps)?);
    for padding in outer.paddings() {
        merged.add_padding(live.checked_mul(padding.extent)?, padding.kind);
    }
    Some(merged)
}
