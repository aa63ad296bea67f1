//! The digits of a group as a chain, and two chains as one where they count the same positions.
//!
//! Knows single groups and pairs of them; which groups some forms have together, and what in those forms is a part of one,
//! it does not know. A chain of digits that count on in no such way is none: then the answer is `None`.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::super::canonical::gcd;
use super::super::form::{Atom, Digit, Form, Padding, Term};
use super::super::index::{Axis, PaddingKind};

/// What a digit of a group counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Counted {
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
pub(super) struct Link {
    pub(super) counted: Counted,
    /// Values of what is counted a step.
    pub(super) low: u64,
    /// Steps that hold elements.
    pub(super) live: u64,
    /// Steps before the next digit takes over.
    pub(super) extent: u64,
    /// What is between the two.
    pub(super) paddings: Vec<Padding>,
}

impl Link {
    pub(super) fn of(digit: &Digit) -> Self {
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
            paddings: digit.paddings().to_vec(),
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
            paddings: Vec::new(),
        };
        let end = link.live;
        link.live = link.top().map_or(end, |top| end.min(top));
        // What is behind the end of what is counted comes before the digit's own padding.
        let mut digit = Digit::new(None, link.live);
        digit.add_padding(end, self.padding_behind());
        for padding in &self.paddings {
            digit.add_padding(padding.extent.checked_mul(ratio)?, padding.kind);
        }
        link.paddings = digit.paddings().to_vec();
        Some(link)
    }

    fn padding_behind(&self) -> PaddingKind {
        match &self.counted {
            Counted::Group(inner) => inner.padding_behind(),
            Counted::Axis(_) | Counted::Copies | Counted::Nothing => PaddingKind::Top,
        }
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
        for padding in &self.paddings {
            digit.add_padding(padding.extent, padding.kind);
        }
        digit
    }
}

/// The digits of a group, innermost first. The outermost one runs on as far as selections reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chain {
    pub(super) links: Vec<Link>,
    /// Positions after which the group ends, where a selection goes beyond and the digits do not end there of themselves:
    /// what is behind is padding.
    pub(super) end: Option<u64>,
    /// Positions that selections reach.
    pub(super) reach: u64,
    /// The padding behind the end.
    pub(super) behind: PaddingKind,
}

/// Two chains as one, with the positions of it that one position of each is.
pub(super) struct Joined {
    pub(super) chain: Chain,
    pub(super) first: u64,
    pub(super) second: u64,
}

impl Chain {
    /// The chain of a digit, and the positions of it a step; None for copies and padding.
    pub(super) fn of(digit: &Digit) -> Option<(Self, u64)> {
        let term = digit.term.as_ref()?;
        match &term.atom {
            Atom::Broadcast => None,
            Atom::Axis(_) | Atom::PaddedRun(_) => {
                let chain = Self {
                    links: vec![Link::of(&digit.unpadded())],
                    end: None,
                    reach: digit.live,
                    behind: PaddingKind::Top,
                };
                Some((chain, 1))
            }
            Atom::Composite(form) => Self::of_group(form, term.stride, digit.live),
        }
    }

    /// The chain of `form / stride = live`. Groups that count on into the form are written out: `[[A, B] / 4, C]` is a
    /// part of `[A, B, C]`.
    pub(super) fn of_group(form: &Form, stride: u64, live: u64) -> Option<(Self, u64)> {
        let mut digits = form.digits().to_vec();
        let mut stride = stride;
        let mut end = form.size();
        let mut behind = form.padding_behind();
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
                behind = common_padding_kind(behind, inner.padding_behind())?;
            } else if first.live == inner.size().div_ceil(*step) {
                // All of it: what is outside goes on where it and its padding end.
                let last = inside.last_mut()?;
                let unit = inner.size() / last.extent;
                let extent = step.checked_mul(first.extent)?;
                if !extent.is_multiple_of(unit) {
                    break;
                }
                // Padding of two kinds that meets within the outermost digit is not followed.
                let kind = first.padding_kind();
                if first.paddings().len() > 1
                    || inner.padding_behind() != kind && !inner.size().is_multiple_of(*step)
                {
                    break;
                }
                last.add_padding(extent / unit, kind);
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
            behind,
        };
        if chain.reach > end && chain.natural_size() != Some(end) {
            chain.end = Some(end);
        } else {
            chain.reach = chain.reach.min(end);
        }
        Some((chain, stride))
    }

    /// Positions of the chain a step of one of its digits.
    pub(super) fn unit(&self, at: usize) -> u64 {
        self.links
            .iter()
            .take(at)
            .fold(1, |unit, link| unit.saturating_mul(link.extent))
    }

    /// Positions where the outermost digit ends of itself.
    pub(super) fn natural_size(&self) -> Option<u64> {
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
        let behind = self.behind;
        Some((
            Self {
                links,
                end,
                reach,
                behind,
            },
            ratio,
        ))
    }

    /// Both as one chain, where the first digit of one is in a digit of the other and all outside of it agree.
    pub(super) fn join(&self, other: &Self) -> Option<Joined> {
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
        // The step that starts there is inside the digit, else a digit further out would take it.
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
                    if p.extent != finer.extent
                        || p.live.div_ceil(ratio) != q.live
                        || p.paddings != finer.paddings
                    {
                        return None;
                    }
                    links.push(p.clone());
                    ratio = 1;
                    continue;
                }
                (true, false) => {
                    if !fits_link(self.end, self.reach, unit, &finer) {
                        return None;
                    }
                    links.push(finer);
                    links.extend(other.links.get(step + 1..)?.iter().cloned());
                    their_end
                }
                (false, true) => {
                    if !fits_link(their_end, theirs, unit, p) {
                        return None;
                    }
                    links.extend(self.links.get(at + step..)?.iter().cloned());
                    self.end
                }
                (true, true) => {
                    let mut last = p.clone();
                    last.live = p.live.max(finer.live);
                    last.extent = last.live;
                    last.paddings.clear();
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
                    behind: common_padding_kind(self.behind, other.behind)?,
                },
                first: 1,
                second,
            });
        }
        None
    }

    /// The chain with its outermost digit running to where it ends of itself.
    pub(super) fn completed_chain(&self) -> Self {
        let mut whole = self.clone();
        let natural = self.natural_size();
        let unit = self.unit(self.links.len().saturating_sub(1));
        if let Some(last) = whole.links.last_mut() {
            let needed = self.end.unwrap_or(self.reach).div_ceil(unit);
            // A group whose whole does not fit 64 bits keeps what is needed of it.
            last.live = natural.map_or(needed, |natural| natural / unit);
            last.extent = last.live;
            last.paddings.clear();
        }
        whole
    }

    /// What the positions hold.
    pub(super) fn form(&self) -> Option<Form> {
        let form = Form::from_digits(self.links.iter().map(Link::digit))?;
        let form = match self.end {
            None => Some(form),
            Some(end) => form.resize(end),
        };
        form.map(|form| form.with_behind(self.behind))
    }

    /// Groups inside groups, at most.
    pub(super) fn depth(&self) -> usize {
        let inner = |form: &Form| {
            Self::of_group(form, 1, form.size()).map_or(0, |(chain, _)| chain.depth())
        };
        let below = self.links.iter().map(|link| match &link.counted {
            Counted::Group(form) => inner(form),
            _ => 0,
        });
        below.max().unwrap_or(0) + 1
    }

    pub(super) fn axes(&self) -> BTreeSet<Axis> {
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

/// The kind of what is behind two parts of a group, of which one may not say it; None where they differ.
fn common_padding_kind(one: PaddingKind, other: PaddingKind) -> Option<PaddingKind> {
    match (one, other) {
        (PaddingKind::Top, kind) | (kind, PaddingKind::Top) => Some(kind),
        (one, other) => (one == other).then_some(one),
    }
}

/// Whether a chain that ends in a digit is in it: it reaches no further, and ends with the digit's data or not at all.
fn fits_link(end: Option<u64>, reach: u64, unit: u64, link: &Link) -> bool {
    reach <= unit.saturating_mul(link.extent)
        && end.is_none_or(|end| Some(end) == unit.checked_mul(link.live))
}
