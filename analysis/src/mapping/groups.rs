//! Groups that a size cuts across, written as axes of their own.
//!
//! `[A, B] / 8` and `[A, B] % 8` are two digits of one position: only the sum of both is a value of `A` and one of `B`.
//! Here the positions of such a group become an axis, the same one in all the forms that are looked at together, and
//! `A` or `B` alone become steps through it where they are a part of it. In these terms the parts of a group step evenly,
//! so that everything that is known of axes (merging, division, sets of values) holds for groups too.
//!
//! Two groups are one where the digits that both have are the same and nothing lies between them: `[A, B, C] / 16` and
//! `[B, C] % 16` count one position. Groups that fit in no such way stay apart: their values are added up, and what
//! follows from the sums is not proven (see [`is_settled`]).

use std::collections::BTreeSet;
use std::sync::Arc;

use super::canonical::gcd;
use super::form::{Atom, Digit, Form, Term};
use super::index::{Axis, PaddingKind};

/// What a digit of a group counts.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Counted {
    Axis(Axis),
    /// A group inside the group.
    Group(Arc<Form>),
    /// Positions that all hold the same.
    Copies,
    /// Positions without an element, but for the first.
    Nothing,
}

/// A digit of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Link {
    counted: Counted,
    /// Values of what is counted a step.
    low: u64,
    /// Steps that hold elements.
    live: u64,
    /// Steps before the next digit takes over.
    extent: u64,
}

impl Link {
    fn of(digit: &Digit) -> Self {
        let (counted, low) = match &digit.term {
            None => (Counted::Nothing, 1),
            Some(term) => match &term.atom {
                Atom::Axis(axis) | Atom::PaddedRun(axis) => {
                    (Counted::Axis(axis.clone()), term.stride)
                }
                Atom::Composite(inner) => (Counted::Group(Arc::clone(inner)), term.stride),
                Atom::Broadcast => (Counted::Copies, 1),
            },
        };
        Self {
            counted,
            low,
            live: digit.live,
            extent: digit.extent,
        }
    }

    /// Steps before what is counted ends of itself.
    fn top(&self) -> Option<u64> {
        match &self.counted {
            Counted::Axis(axis) => Some(axis.size().div_ceil(self.low)),
            Counted::Group(inner) => Some(inner.size().div_ceil(self.low)),
            Counted::Copies | Counted::Nothing => None,
        }
    }

    /// The digit in steps of a `ratio`-th.
    fn finer(&self, ratio: u64) -> Option<Self> {
        let mut link = Self {
            counted: self.counted.clone(),
            low: self.low / ratio,
            live: self.live.checked_mul(ratio)?,
            extent: self.extent.checked_mul(ratio)?,
        };
        link.live = link.top().map_or(link.live, |top| link.live.min(top));
        Some(link)
    }

    fn digit(&self) -> Digit {
        let atom = match &self.counted {
            Counted::Axis(axis) => Some(Atom::Axis(axis.clone())),
            Counted::Group(inner) => Some(Atom::Composite(Arc::clone(inner))),
            Counted::Copies => Some(Atom::Broadcast),
            Counted::Nothing => None,
        };
        let term = atom.map(|atom| Term {
            atom,
            stride: self.low,
            modulo: self.live,
        });
        let mut digit = Digit::new(term, self.live);
        digit.add_padding(self.extent, PaddingKind::Top);
        digit
    }
}

/// The digits of a group, innermost first. The outermost one runs on as far as selections reach.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Chain {
    links: Vec<Link>,
    /// Positions after which the group ends, where a selection goes beyond and the digits do not end there of themselves:
    /// what lies behind is padding.
    end: Option<u64>,
    /// Positions that selections reach.
    reach: u64,
}

/// Two chains as one, with the positions of it that one position of each is.
struct Joined {
    chain: Chain,
    first: u64,
    second: u64,
}

impl Chain {
    /// The chain of a digit, and the positions of it a step; None for copies and padding.
    fn of(digit: &Digit) -> Option<(Self, u64)> {
        let term = digit.term.as_ref()?;
        match &term.atom {
            Atom::Broadcast => None,
            Atom::Axis(_) | Atom::PaddedRun(_) => {
                let chain = Self {
                    links: vec![Link::of(&digit.unpadded())],
                    end: None,
                    reach: digit.live,
                };
                Some((chain, 1))
            }
            Atom::Composite(form) => Self::of_group(form, term.stride, digit.live),
        }
    }

    /// The chain of `form / stride = live`. Groups that count on into the form are written out: `[[A, B] / 4, C]` is a
    /// part of `[A, B, C]`.
    fn of_group(form: &Form, stride: u64, live: u64) -> Option<(Self, u64)> {
        let mut digits = form.digits().to_vec();
        let mut stride = stride;
        let mut end = form.size();
        loop {
            let (first, rest) = digits.split_first()?;
            let Some(Term {
                atom: Atom::Composite(inner),
                stride: step,
                ..
            }) = &first.term
            else {
                break;
            };
            let mut inside = inner.digits().to_vec();
            if rest.is_empty() {
                end = end.checked_mul(*step)?.min(inner.size());
            } else if first.live == inner.size().div_ceil(*step) {
                // All of it: what is outside goes on where it and its padding end.
                let last = inside.last_mut()?;
                let unit = inner.size() / last.extent;
                let extent = step.checked_mul(first.extent)?;
                if !extent.is_multiple_of(unit) {
                    break;
                }
                last.add_padding(extent / unit, PaddingKind::Top);
                end = end.checked_mul(*step)?;
            } else {
                break;
            }
            stride = stride.checked_mul(*step)?;
            inside.extend(rest.iter().cloned());
            digits = inside;
        }
        // The outermost digit ends where the form does.
        while let Some(Digit {
            term:
                Some(Term {
                    atom: Atom::Composite(inner),
                    stride: 1,
                    ..
                }),
            ..
        }) = digits.last()
        {
            let outside = inner.digits().to_vec();
            digits.pop();
            digits.extend(outside);
        }
        let mut chain = Self {
            links: digits.iter().map(Link::of).collect(),
            end: None,
            reach: stride.checked_mul(live)?,
        };
        if chain.reach > end && chain.natural_size() != Some(end) {
            chain.end = Some(end);
        } else {
            chain.reach = chain.reach.min(end);
        }
        Some((chain, stride))
    }

    /// Positions of the chain a step of one of its digits.
    fn unit(&self, at: usize) -> u64 {
        self.links
            .iter()
            .take(at)
            .fold(1, |unit, link| unit.saturating_mul(link.extent))
    }

    /// Positions where the outermost digit ends of itself.
    fn natural_size(&self) -> Option<u64> {
        let (last, inner) = self.links.split_last()?;
        self.unit(inner.len()).checked_mul(last.top()?)
    }

    /// The chain in steps of `low` values of its innermost digit, and the positions of it that one was.
    fn refined(&self, low: u64) -> Option<(Self, u64)> {
        let (first, rest) = self.links.split_first()?;
        let ratio = first.low / low;
        let mut links = vec![first.finer(ratio)?];
        links.extend(rest.iter().cloned());
        let end = match self.end {
            Some(end) => Some(end.checked_mul(ratio)?),
            None => None,
        };
        let reach = self.reach.checked_mul(ratio)?;
        Some((Self { links, end, reach }, ratio))
    }

    /// Both as one chain, where the first digit of one lies in a digit of the other and all outside of it agree.
    fn join(&self, other: &Self) -> Option<Joined> {
        let (left, right) = (self.links.first()?, other.links.first()?);
        let common = gcd(left.low, right.low);
        if left.counted == right.counted && common < left.low && common < right.low {
            let (fine, ratio) = self.refined(common)?;
            let joined = fine.join(other)?;
            return Some(Joined {
                first: joined.first.checked_mul(ratio)?,
                ..joined
            });
        }
        for at in 0..self.links.len() {
            if let Some(joined) = self.join_at(at, other) {
                return Some(joined);
            }
        }
        for at in 0..other.links.len() {
            if let Some(joined) = other.join_at(at, self) {
                return Some(Joined {
                    chain: joined.chain,
                    first: joined.second,
                    second: joined.first,
                });
            }
        }
        None
    }

    /// As `join`, with the first digit of `other` in the digit of `self` at that place.
    fn join_at(&self, at: usize, other: &Self) -> Option<Joined> {
        let (left, right) = (self.links.get(at)?, other.links.first()?);
        if left.counted != right.counted || !right.low.is_multiple_of(left.low) {
            return None;
        }
        let ratio = right.low / left.low;
        // The step that starts there lies inside the digit, else a digit further out would take it.
        if at + 1 < self.links.len() && ratio >= left.extent {
            return None;
        }
        let second = self.unit(at).checked_mul(ratio)?;
        let theirs = other.reach.checked_mul(second)?;
        let their_end = match other.end {
            Some(end) => Some(end.checked_mul(second)?),
            None => None,
        };
        let mut links = self.links.get(..at)?.to_vec();
        let mut ratio = ratio;
        for step in 0.. {
            let (p, q) = (self.links.get(at + step)?, other.links.get(step)?);
            if step > 0 && (p.counted != q.counted || p.low != q.low) {
                return None;
            }
            let finer = q.finer(ratio)?;
            let unit = self.unit(at + step);
            let ends = at + step + 1 == self.links.len();
            let other_ends = step + 1 == other.links.len();
            let end = match (ends, other_ends) {
                (false, false) => {
                    if p.extent != finer.extent || p.live.div_ceil(ratio) != q.live {
                        return None;
                    }
                    links.push(p.clone());
                    ratio = 1;
                    continue;
                }
                (true, false) => {
                    if !fits(self.end, self.reach, unit, &finer) {
                        return None;
                    }
                    links.push(finer);
                    links.extend(other.links.get(step + 1..)?.iter().cloned());
                    their_end
                }
                (false, true) => {
                    if !fits(their_end, theirs, unit, p) {
                        return None;
                    }
                    links.extend(self.links.get(at + step..)?.iter().cloned());
                    self.end
                }
                (true, true) => {
                    let mut last = p.clone();
                    last.live = p.live.max(finer.live);
                    last.extent = last.live;
                    links.push(last);
                    match (self.end, their_end) {
                        (None, None) => None,
                        (Some(end), None) => (theirs <= end.checked_next_multiple_of(second)?)
                            .then_some(Some(end))?,
                        (None, Some(end)) => (self.reach <= end).then_some(Some(end))?,
                        (Some(end), Some(other)) => {
                            (end.checked_next_multiple_of(second)? == other).then_some(Some(end))?
                        }
                    }
                }
            };
            return Some(Joined {
                chain: Self {
                    links,
                    end,
                    reach: self.reach.max(theirs),
                },
                first: 1,
                second,
            });
        }
        None
    }

    /// The chain with its outermost digit running to where it ends of itself.
    fn complete(&self) -> Self {
        let mut whole = self.clone();
        let natural = self.natural_size();
        let unit = self.unit(self.links.len().saturating_sub(1));
        if let Some(last) = whole.links.last_mut() {
            let needed = self.end.unwrap_or(self.reach).div_ceil(unit);
            // A group whose whole does not fit 64 bits keeps what is needed of it.
            last.live = natural.map_or(needed, |natural| natural / unit);
            last.extent = last.live;
        }
        whole
    }

    /// What the positions hold.
    fn form(&self) -> Option<Form> {
        let form = Form::from_digits(self.links.iter().map(Link::digit))?;
        match self.end {
            None => Some(form),
            Some(end) => form.resize(end),
        }
    }

    /// Groups inside groups, at the most.
    fn depth(&self) -> usize {
        let inner = |form: &Form| {
            Self::of_group(form, 1, form.size()).map_or(0, |(chain, _)| chain.depth())
        };
        let below = self.links.iter().map(|link| match &link.counted {
            Counted::Group(form) => inner(form),
            _ => 0,
        });
        below.max().unwrap_or(0) + 1
    }

    fn axes(&self) -> BTreeSet<Axis> {
        let mut axes = BTreeSet::new();
        for link in &self.links {
            match &link.counted {
                Counted::Axis(axis) => {
                    axes.insert(axis.clone());
                }
                Counted::Group(inner) => axes.extend(inner.axes()),
                Counted::Copies | Counted::Nothing => {}
            }
        }
        axes
    }
}

/// Whether a chain that ends in a digit lies in it: it reaches no further, and ends with the digit's data or not at all.
fn fits(end: Option<u64>, reach: u64, unit: u64, link: &Link) -> bool {
    reach <= unit.saturating_mul(link.extent)
        && end.is_none_or(|end| Some(end) == unit.checked_mul(link.live))
}

/// A group as an axis of its own.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    chain: Chain,
    /// The group's positions.
    pub(crate) axis: Axis,
    /// What the positions hold.
    pub(crate) form: Form,
}

impl Group {
    /// Whether no two positions hold the same element.
    pub(crate) fn is_injective(&self) -> bool {
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
    pub(crate) fn digit_at(&self, place: u64) -> Option<(u64, u64)> {
        let last = self.chain.links.len().saturating_sub(1);
        (0..last)
            .find(|at| self.chain.unit(*at) == place)
            .and_then(|at| self.chain.links.get(at))
            .map(|link| (link.live, link.extent))
    }
}

/// The groups that sizes cut across in some forms that are looked at together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups {
    groups: Vec<Group>,
}

impl Groups {
    /// The groups of some forms. Empty, at no cost, where no size cuts across a group.
    pub(crate) fn of(forms: &[&Form]) -> Self {
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
        // Finer parts of a group's innermost axis that stand alone: `B % 2` beside `[A, B / 2] / 2`.
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
            let chain = chain.complete();
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

    pub(crate) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The group that an axis stands for.
    pub(crate) fn group(&self, axis: &Axis) -> Option<&Group> {
        self.groups.iter().find(|group| group.axis == *axis)
    }

    /// The names of what cannot be followed through these rewritten forms: the axes of the groups, which are steps through
    /// the groups where they can be, and groups of which some form holds an axis on its own.
    pub(crate) fn opaque_names(&self, rewritten: &[&Form]) -> Vec<Arc<str>> {
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
    pub(crate) fn carry(&self, rewritten: &Form, name: &str) -> bool {
        self.groups.iter().any(|group| {
            group.chain.axes().iter().any(|axis| axis.name() == name)
                && rewritten.contains_axis(group.axis.name())
        })
    }

    /// Whether an axis of that name stands for a group.
    pub(crate) fn is_group(&self, name: &str) -> bool {
        self.groups.iter().any(|group| group.axis.name() == name)
    }

    /// Whether an axis stands for a group, or is a part of one.
    pub(crate) fn mention(&self, axis: &Axis) -> bool {
        self.groups
            .iter()
            .any(|group| group.axis == *axis || group.chain.axes().contains(axis))
    }

    /// Whether the groups and the other digits of these rewritten forms share no axis, so that each group's element is
    /// that of one position.
    pub(crate) fn are_independent(&self, rewritten: &[&Form]) -> bool {
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
    pub(crate) fn rewrite(&self, form: &Form) -> Form {
        if self.is_empty() {
            return form.clone();
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
        Form::from_digits(digits).unwrap_or_else(|| form.clone())
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
        step(&group.axis, term.stride, live, part)
    }

    /// A rewritten form with the groups as groups again.
    pub(crate) fn restore(&self, form: &Form) -> Form {
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

/// A digit of `live` steps through a group, padded as `like`.
fn step(axis: &Axis, stride: u64, live: u64, like: &Digit) -> Digit {
    let term = Term {
        atom: Atom::Axis(axis.clone()),
        stride,
        modulo: live,
    };
    let mut digit = Digit::new(Some(term), live);
    for padding in like.paddings() {
        digit.add_padding(padding.extent, padding.kind);
    }
    digit
}

impl Chain {
    /// The steps through the chain's positions, of that axis, that a digit is, innermost first; None where it is no part
    /// of the chain.
    fn lift(&self, positions: &Axis, digit: &Digit) -> Option<Vec<Digit>> {
        let term = digit.term.as_ref()?;
        let direct = match &term.atom {
            Atom::Broadcast => return None,
            Atom::Axis(axis) | Atom::PaddedRun(axis) => {
                self.lift_axis(positions, axis, digit, term.stride)
            }
            Atom::Composite(_) => self.lift_group(positions, digit).map(|digit| vec![digit]),
        };
        direct
            .or_else(|| (0..self.links.len()).find_map(|at| self.lift_inside(at, positions, digit)))
    }

    fn lift_group(&self, positions: &Axis, digit: &Digit) -> Option<Digit> {
        let (own, stride) = Self::of(digit)?;
        let joined = self.join(&own)?;
        let inside = joined.first == 1 && joined.chain.links.len() == self.links.len();
        inside.then_some(())?;
        let stride = stride.checked_mul(joined.second)?;
        Some(step(positions, stride, digit.live, digit))
    }

    /// The steps of a part that are positions of the chain, where the next part steps by `next`: behind the data of a
    /// digit inside the chain, padding of the part is that of the chain, and counted.
    fn counted_steps(&self, stride: u64, part: &Digit, next: u64) -> u64 {
        let span = stride.saturating_mul(part.live);
        let inner = self.links.len().saturating_sub(1);
        let room = self
            .links
            .iter()
            .take(inner)
            .enumerate()
            .map(|(at, link)| {
                let unit = self.unit(at);
                let data = unit.saturating_mul(link.live);
                (unit, data, unit.saturating_mul(link.extent))
            })
            .find(|(unit, data, end)| span > *unit && span >= *data && span <= *end)
            .map_or(0, |(.., end)| end.min(next) / stride);
        part.extent.min(room).max(part.live)
    }

    /// A part of a group inside the chain.
    fn lift_inside(&self, at: usize, positions: &Axis, digit: &Digit) -> Option<Vec<Digit>> {
        let link = self.links.get(at)?;
        let Counted::Group(inner) = &link.counted else {
            return None;
        };
        let (chain, scale) = Self::of_group(inner, 1, inner.size())?;
        let scale = scale.checked_mul(link.low)?;
        let unit = self.unit(at);
        let last = at + 1 == self.links.len();
        let mut parts = chain.complete().lift(positions, digit)?;
        for part in &mut parts {
            let term = part.term.as_mut()?;
            let span = term.stride.checked_mul(part.live)?;
            if !term.stride.is_multiple_of(scale)
                || (!last && span > scale.checked_mul(link.extent)?)
            {
                return None;
            }
            term.stride = unit.checked_mul(term.stride / scale)?;
            if last && !self.holds_span(term.stride, part.live) {
                return None;
            }
        }
        Some(parts)
    }

    /// Whether steps of a stride end where the chain does, or before.
    fn holds_span(&self, stride: u64, live: u64) -> bool {
        self.end.is_none_or(|end| {
            let span = stride.saturating_mul(live);
            end.checked_next_multiple_of(stride)
                .is_none_or(|end| span <= end)
        })
    }

    fn lift_axis(
        &self,
        positions: &Axis,
        axis: &Axis,
        digit: &Digit,
        low: u64,
    ) -> Option<Vec<Digit>> {
        let links = &self.links;
        let (at, link) = links
            .iter()
            .enumerate()
            .filter(|(_, link)| matches!(&link.counted, Counted::Axis(own) if own == axis))
            .filter(|(at, link)| {
                let last = at + 1 == links.len();
                low.is_multiple_of(link.low) && (last || low < link.low.saturating_mul(link.extent))
            })
            .max_by_key(|(_, link)| link.low)?;
        let ratio = low / link.low;
        let stride = self.unit(at).checked_mul(ratio)?;
        if at + 1 == links.len() {
            let inside = self.holds_span(stride, digit.live);
            return inside.then(|| vec![step(positions, stride, digit.live, digit)]);
        }
        let room = link.extent / ratio;
        if digit.live <= room {
            return Some(vec![step(positions, stride, digit.live, digit)]);
        }
        // The digit goes on in another part of the group.
        let splits = link.extent.is_multiple_of(ratio)
            && link.live == link.extent
            && digit.live.is_multiple_of(room)
            && digit.extent.is_multiple_of(room);
        if !splits {
            return None;
        }
        let mut outer = Digit::new(digit.term.clone(), digit.live / room);
        for padding in digit.paddings() {
            outer.add_padding(padding.extent / room, padding.kind);
        }
        let mut parts = vec![step(positions, stride, room, &Digit::new(None, 1))];
        parts.extend(self.lift_axis(positions, axis, &outer, low.checked_mul(room)?)?);
        Some(parts)
    }
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
