//! Scatters and parallel copies: what they move at a time, and whether the target has a place for it (library: 5.11).
//!
//! A scatter moves one row a value of its key; a parallel copy moves, for each part of a level, what is left of the elements
//! with one value of an index cut out. The indices of a scatter have one for each row. Shuffles keep the mapping, so nothing can be lost; of a gather nothing is known.

use crate::forms::divide_relaxed;
use crate::items::Span;
use crate::kernel::{Body, Collective, CollectiveWork, OperationId, Origin, RedistributionStep};
use crate::mapping::{Mapping, project};
use crate::tensors::{collective_fault, one_part};

use super::{MoveFault, MoveKind, MoveViolation, invented, lost, missing_value};

/// What a scatter or a parallel copy moves at a time.
pub(crate) struct Moved {
    /// What is read, with holes for what is taken one by one.
    pub(crate) source: Mapping,
    /// What is written.
    pub(crate) target: Mapping,
    /// Where the target's mapping is written.
    pub(crate) span: Span,
}

/// What is lost in a scatter or a parallel copy.
pub(super) fn judge_collective(
    body: &Body,
    id: OperationId,
    collective: &Collective,
) -> Option<MoveViolation> {
    let kind = match &collective.work {
        CollectiveWork::Scatter { .. } => MoveKind::Scatter(id),
        _ => MoveKind::ParallelCopy(id),
    };
    let moved = moved_at_once(body, collective)?;
    let more = || match kind {
        // What a scatter places its rows on is no axis of theirs, also where it is the key's.
        MoveKind::Scatter(_) => one_place(collective, &moved),
        _ => invented(&moved.source, &moved.target),
    };
    let Some(fault) = lost(&moved.source, &moved.target, true).or_else(more) else {
        return unindexed(body, id, collective);
    };
    Some(MoveViolation {
        kind,
        fault,
        source: moved.source,
        target: moved.target,
        span: moved.span,
        method: collective.span,
        accepted: false,
    })
}

/// What a scatter or a parallel copy moves; `None` for other collectives, where a mapping is unknown, and where what it
/// reads is no part of its source: that is said there.
pub(crate) fn moved_at_once(body: &Body, collective: &Collective) -> Option<Moved> {
    if collective_fault(body, collective).is_some() {
        return None;
    }
    let source = body.tensor(*collective.sources.first()?)?;
    let target = body.tensor(*collective.targets.first()?)?;
    let (source, target) = match &collective.work {
        CollectiveWork::Scatter { key } => {
            let (whole, key) = (source.levels.full_mapping()?, key.get()?);
            if whole.is_opaque() || key.is_opaque() {
                return None;
            }
            let division = divide_relaxed(whole.form(), key.form());
            let row = division.exact().then_some(&division.dividend_residue)?;
            (row.to_mapping(), target.levels.full_mapping()?)
        }
        CollectiveWork::ParallelCopy { parts, sliced, .. } => {
            let mut read = one_part(&source.levels, parts.level)?;
            read.element.value = Some(sliced.get()?.clone());
            let written = one_part(&target.levels, parts.level)?;
            (read.full_mapping()?, written.full_mapping()?)
        }
        // What the steps of a plan leave is written into a view, where it is not declared again.
        CollectiveWork::Redistribute { steps, .. }
            if matches!(target.origin, Origin::View { .. }) =>
        {
            let mut read = source.levels.clone();
            if let Some(RedistributionStep::Slice { element, .. }) = steps.last() {
                read.element.value = Some(element.get()?.clone());
            }
            (read.full_mapping()?, target.levels.full_mapping()?)
        }
        CollectiveWork::Gather
        | CollectiveWork::GatherRows(_)
        | CollectiveWork::ScatterRows(_)
        | CollectiveWork::Redistribute { .. }
        | CollectiveWork::Fill { .. }
        | CollectiveWork::Shuffle(_) => return None,
    };
    Some(Moved {
        source,
        target,
        span: body
            .tensor(*collective.targets.first()?)?
            .levels
            .element
            .span,
    })
}

impl Moved {
    /// Whether a scatter has no axis beside its rows' own elements to place the rows on.
    pub(crate) fn has_no_axis_for(&self, collective: &Collective) -> bool {
        if !matches!(collective.work, CollectiveWork::Scatter { .. })
            || self.source.is_opaque()
            || self.target.is_opaque()
        {
            return false;
        }
        let division = divide_relaxed(self.target.form(), self.source.form());
        division.exact() && !division.dividend_residue.has_terms()
    }
}

/// Rows that the indices say nothing of: the indices run over an axis of the key and leave out values of it (library: every
/// index has to be there). What indices mean that do not have the axis at all is said nowhere.
fn unindexed(body: &Body, id: OperationId, collective: &Collective) -> Option<MoveViolation> {
    let CollectiveWork::Scatter { key } = &collective.work else {
        return None;
    };
    let key = key.get().filter(|key| !key.is_opaque())?;
    let indices = body.tensor(*collective.sources.get(1)?)?;
    let counted = indices
        .levels
        .full_mapping()
        .filter(|whole| !whole.is_opaque())?;
    let (axis, value) = key.form().axis_names().into_iter().find_map(|axis| {
        let there = counted.form().contains_axis(&axis);
        let parts = [key, &counted].map(|mapping| project(mapping.form(), &axis));
        let [Some(rows), Some(held)] = parts else {
            return None;
        };
        let value = missing_value(&rows, &held).filter(|_| there)?;
        Some((axis.to_string(), value))
    })?;
    Some(MoveViolation {
        kind: MoveKind::Scatter(id),
        fault: MoveFault::NoIndex {
            key: key.clone(),
            axis,
            value,
        },
        source: key.clone(),
        target: counted,
        span: indices.levels.element.span,
        method: collective.span,
        accepted: false,
    })
}

/// Several rows and one place for all of them. A single row has its place, whatever the library says.
fn one_place(collective: &Collective, moved: &Moved) -> Option<MoveFault> {
    let CollectiveWork::Scatter { key } = &collective.work else {
        return None;
    };
    let key = key.get().filter(|key| key.form().live_size() > 1)?;
    moved
        .has_no_axis_for(collective)
        .then(|| MoveFault::OnePlace {
            key: key.clone(),
            row: moved.source.form().remove_padding().to_mapping(),
        })
}
