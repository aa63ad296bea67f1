//! Division of forms: where each term of one mapping is found in another.
//!
//! Every live digit is an interval of its atom: `atom / s` with `l` live positions covers the places from `s` to `s * l`
//! in the multiplicative sense. Intervals of the two sides over one atom match where they share a refinement; what matched
//! is cut out of both and leaves a hole. Division looks at terms alone: padding of the two sides may differ freely.
//!
//! The parts of a group that a size cuts across are steps through the group's positions, and divide as those of an axis.
//!
//! Two readings beyond the library: a padded run and its axis are one atom (both step linearly through the axis), and
//! copies ([`Atom::Broadcast`]) that only the divisor has do not make a division inexact, since nothing is lost with them.

use super::canonical;
use super::form::{Atom, Digit, Form, Term};
use super::groups::Groups;
use super::index::PaddingKind;

/// How holes are marked in the residues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DivisionMode {
    /// All padding of the residues is accessible.
    Relaxed,
    /// Holes are marked as never accessed; other padding stays as it was.
    Strict,
}

/// One selection found on both sides.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Match {
    /// Positions of the dividend a step.
    pub dividend_stride: u64,
    /// Positions of the divisor a step.
    pub divisor_stride: u64,
    /// The selection.
    pub term: Term,
    /// Steps.
    pub count: u64,
}

/// What a division found.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Division {
    /// The selections found, by their stride in the dividend, largest first.
    pub matches: Vec<Match>,
    /// The dividend with holes of the same extent for what matched.
    pub dividend_residue: Form,
    /// The divisor with holes of the same extent for what matched.
    pub divisor_residue: Form,
}

impl Division {
    /// Whether every term of the divisor was found. The dividend may have more.
    pub fn exact(&self) -> bool {
        self.divisor_residue
            .digits()
            .iter()
            .filter_map(|digit| digit.term.as_ref())
            .all(|term| term.atom == Atom::Broadcast)
    }
}

/// Divides `dividend` by `divisor`.
pub fn divide(dividend: &Form, divisor: &Form, mode: DivisionMode) -> Division {
    with_groups(dividend, divisor, |dividend, divisor| {
        let mut state = State::new(dividend, divisor);
        state.run();
        let kept = vec![1; state.matches.len()];
        Some(state.finish(mode, &kept))
    })
    .unwrap_or_else(|| Division {
        matches: Vec::new(),
        dividend_residue: dividend.clone(),
        divisor_residue: divisor.clone(),
    })
}

/// Divides with the groups that sizes cut across as axes, which step evenly, and writes the result with groups again.
fn with_groups(
    dividend: &Form,
    divisor: &Form,
    divided: impl FnOnce(&Form, &Form) -> Option<Division>,
) -> Option<Division> {
    let groups = Groups::of(&[dividend, divisor]);
    if groups.is_empty() {
        return divided(dividend, divisor);
    }
    let mut division = divided(&groups.rewrite(dividend), &groups.rewrite(divisor))?;
    division.dividend_residue = groups.restore(&division.dividend_residue);
    division.divisor_residue = groups.restore(&division.divisor_residue);
    for found in &mut division.matches {
        let mut digit = Digit::new(Some(found.term.clone()), found.count);
        if let Some(restored) = Form::from_digits([digit.clone()]).map(|form| groups.restore(&form))
            && let [only] = restored.digits()
        {
            digit = only.clone();
        }
        if let Some(term) = digit.term
            && digit.live == found.count
        {
            found.term = term;
        }
    }
    Some(division)
}

/// Divides `dividend` by the first `len` positions of `divisor`: what matched keeps its first values inside its old extent,
/// so that `[A, B]` by `B` with `len` 2 leaves `A, B = 2 # |B|`. A `len` of 1 leaves holes.
///
/// None when `len` is 0 or above the size of the divisor, when it is above 1 and the divisor has no term, or when it cuts
/// across the divisor's digits. The result can be inexact, as in [`divide`].
pub fn divide_span(dividend: &Form, divisor: &Form, len: u64) -> Option<Division> {
    if len == 0 || len > divisor.size() || (len > 1 && !divisor.has_terms()) {
        return None;
    }
    with_groups(dividend, divisor, |dividend, divisor| {
        let mut state = State::new(dividend, divisor);
        state.run();
        let kept = state
            .matches
            .iter()
            .map(|found| {
                if len <= found.divisor_stride {
                    Some(1)
                } else if len / found.divisor_stride >= found.count {
                    Some(found.count)
                } else if len.is_multiple_of(found.divisor_stride) {
                    Some(len / found.divisor_stride)
                } else {
                    None
                }
            })
            .collect::<Option<Vec<u64>>>()?;
        Some(state.finish(DivisionMode::Relaxed, &kept))
    })
}

/// A part of a digit, from `low` to `low * count` of its atom.
#[derive(Clone, Debug)]
struct Piece {
    low: u64,
    count: u64,
    /// Above `count` for a truncated digit, which is indivisible.
    modulo: u64,
    buffer_stride: u64,
    found: Option<usize>,
}

impl Piece {
    fn high(&self) -> u64 {
        self.low.saturating_mul(self.count)
    }

    fn is_truncated(&self) -> bool {
        self.count < self.modulo
    }
}

/// A digit with the parts it has been cut into, innermost first.
struct Cut<'a> {
    digit: &'a Digit,
    pieces: Vec<Piece>,
}

/// What two pieces share: from `low`, `span` steps of it, of which `count` are live in the divisor.
struct Shared {
    low: u64,
    span: u64,
    count: u64,
}

/// A digit of a side, and a piece of it.
type Place = (usize, usize);

struct State<'a> {
    dividend: Vec<Cut<'a>>,
    divisor: Vec<Cut<'a>>,
    matches: Vec<Match>,
}

impl<'a> State<'a> {
    fn new(dividend: &'a Form, divisor: &'a Form) -> Self {
        Self {
            dividend: cuts(dividend),
            divisor: cuts(divisor),
            matches: Vec::new(),
        }
    }

    /// Matches pieces, outermost first, until no two are left that share a part.
    fn run(&mut self) {
        while let Some((left, right, shared)) = self.find() {
            let id = self.matches.len();
            let (Some(dividend), Some(divisor)) =
                (self.dividend.get_mut(left.0), self.divisor.get_mut(right.0))
            else {
                return;
            };
            let Some(term) = &dividend.digit.term else {
                return;
            };
            let atom = term.atom.clone();
            let dividend_stride = split(&mut dividend.pieces, left.1, &shared, id);
            let divisor_stride = split(&mut divisor.pieces, right.1, &shared, id);
            self.matches.push(Match {
                dividend_stride,
                divisor_stride,
                term: Term {
                    atom,
                    stride: shared.low,
                    modulo: shared.span,
                },
                count: shared.count,
            });
        }
    }

    fn find(&self) -> Option<(Place, Place, Shared)> {
        for (left, dividend) in self.dividend.iter().enumerate().rev() {
            for (right, divisor) in self.divisor.iter().enumerate().rev() {
                if !same_atom(dividend.digit, divisor.digit) {
                    continue;
                }
                for (left_piece, p) in dividend.pieces.iter().enumerate().rev() {
                    for (right_piece, q) in divisor.pieces.iter().enumerate().rev() {
                        if let Some(shared) = share(dividend.digit, p, divisor.digit, q) {
                            return Some(((left, left_piece), (right, right_piece), shared));
                        }
                    }
                }
            }
        }
        None
    }

    fn finish(mut self, mode: DivisionMode, kept: &[u64]) -> Division {
        let holes = vec![1; self.matches.len()];
        let dividend_residue = residue(&self.dividend, mode, kept);
        let divisor_residue = residue(&self.divisor, mode, &holes);
        self.matches
            .sort_by_key(|found| std::cmp::Reverse(found.dividend_stride));
        Division {
            matches: self.matches,
            dividend_residue,
            divisor_residue,
        }
    }
}

fn cuts(form: &Form) -> Vec<Cut<'_>> {
    let mut buffer_stride: u64 = 1;
    let mut cuts = Vec::new();
    for digit in form.digits() {
        let pieces = digit.term.iter().map(|term| Piece {
            low: term.stride,
            count: digit.live,
            modulo: term.modulo,
            buffer_stride,
            found: None,
        });
        cuts.push(Cut {
            digit,
            pieces: pieces.collect(),
        });
        buffer_stride = buffer_stride.saturating_mul(digit.extent);
    }
    cuts
}

fn same_atom(left: &Digit, right: &Digit) -> bool {
    let (Some(left), Some(right)) = (&left.term, &right.term) else {
        return false;
    };
    match (left.atom.axis(), right.atom.axis()) {
        (Some(a), Some(b)) => a == b,
        (None, None) => left.atom == right.atom,
        _ => false,
    }
}

/// What a piece of the dividend and one of the divisor share, both over one atom.
fn share(dividend: &Digit, p: &Piece, divisor: &Digit, q: &Piece) -> Option<Shared> {
    if p.found.is_some() || q.found.is_some() {
        return None;
    }
    let composite = [dividend, divisor].iter().any(|digit| {
        matches!(
            digit.term,
            Some(Term {
                atom: Atom::Composite(_),
                ..
            })
        )
    });
    // A composite does not step linearly, and a truncated unit has no parts: only the same selection matches.
    if composite || p.is_truncated() {
        let same = p.low == q.low && p.count >= q.count && (composite || p.modulo == q.modulo);
        return same.then_some(Shared {
            low: p.low,
            span: p.modulo,
            count: q.count,
        });
    }
    if q.is_truncated() {
        let high = q.low.checked_mul(q.modulo)?;
        let inside =
            q.low.is_multiple_of(p.low) && p.high() >= high && p.high().is_multiple_of(high);
        return inside.then_some(Shared {
            low: q.low,
            span: q.modulo,
            count: q.count,
        });
    }
    let low = p.low.max(q.low);
    let high = p.high().min(q.high());
    let shared = low < high
        && low.is_multiple_of(p.low)
        && low.is_multiple_of(q.low)
        && high.is_multiple_of(low)
        && p.high().is_multiple_of(high)
        && q.high().is_multiple_of(high);
    shared.then(|| Shared {
        low,
        span: high / low,
        count: high / low,
    })
}

/// Cuts the shared part out of a piece; returns its buffer stride.
fn split(pieces: &mut Vec<Piece>, at: usize, shared: &Shared, id: usize) -> u64 {
    let Some(piece) = pieces.get(at).cloned() else {
        return 0;
    };
    let inner = shared.low / piece.low;
    let buffer_stride = piece.buffer_stride.saturating_mul(inner);
    // An indivisible piece is matched whole.
    let whole = piece.is_truncated() || inner.saturating_mul(shared.span) >= piece.count;
    let count = if whole {
        piece.count / inner
    } else {
        shared.span
    };
    let mut parts = Vec::new();
    if inner > 1 {
        parts.push(Piece {
            count: inner,
            modulo: inner,
            ..piece.clone()
        });
    }
    parts.push(Piece {
        low: shared.low,
        count,
        modulo: count,
        buffer_stride,
        found: Some(id),
    });
    if !whole {
        let below = inner.saturating_mul(shared.span);
        let outer = piece.count / below;
        parts.push(Piece {
            low: piece.low.saturating_mul(below),
            count: outer,
            modulo: outer,
            buffer_stride: piece.buffer_stride.saturating_mul(below),
            found: None,
        });
    }
    pieces.splice(at..=at, parts);
    buffer_stride
}

/// A side with what matched cut down to the values kept of each match, 1 for a hole.
fn residue(side: &[Cut<'_>], mode: DivisionMode, kept: &[u64]) -> Form {
    let hole = match mode {
        DivisionMode::Relaxed => PaddingKind::Top,
        DivisionMode::Strict => PaddingKind::Bottom,
    };
    let mut list = Vec::new();
    for cut in side {
        let mut parts = Vec::new();
        for piece in &cut.pieces {
            let term = cut.digit.term.as_ref().map(|term| Term {
                atom: term.atom.clone(),
                stride: piece.low,
                modulo: piece.modulo,
            });
            let part = match piece.found.map(|id| kept.get(id).copied().unwrap_or(1)) {
                None => Digit::new(term, piece.count),
                Some(keep) => {
                    let keep = keep.min(piece.count);
                    let mut part = Digit::new(term.filter(|_| keep > 1), keep);
                    part.add_padding(piece.count, hole);
                    part
                }
            };
            canonical::push(&mut parts, part);
        }
        for padding in cut.digit.paddings() {
            let kind = match mode {
                DivisionMode::Relaxed => PaddingKind::Top,
                DivisionMode::Strict => padding.kind,
            };
            parts = canonical::pad(&parts, padding.extent, kind);
        }
        for digit in parts {
            canonical::push(&mut list, digit);
        }
    }
    Form::from_canonical(list)
}
