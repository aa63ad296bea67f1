//! Collectives: whether a level has as many parts as the method is given, whether the pattern names parts that exist, and
//! whether the elements of a parallel copy or the key of a scatter are parts of their tensor (library: 5.11).

use crate::forms::{divide_relaxed, lacks};
use crate::items::Span;
use crate::kernel::{
    Body, Collective, CollectiveWork, Level, Levels, Parts, Tensor, TileWindow, Written,
};
use crate::mapping::{Mapping, PaddingKind};

use super::TensorsViolation;
use super::tiles::{TileViolation, tile_mismatch};

/// A collective that names something else than parts of its tensor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PartsViolation {
    /// A collective is given another number of parts than its level has, or takes too few of them from its pattern.
    Number {
        /// The method.
        method: &'static str,
        /// The level.
        level: Level,
        /// The number of parts that it is given, or that the pattern names.
        given: u64,
        /// The number of parts that the level has.
        size: u64,
        /// It is the pattern that names too few.
        in_pattern: bool,
        /// The pattern with a value for each part, those added that leave a part as it is; `None` where a value is unknown.
        completed: Option<Vec<u64>>,
        /// Where the number or the pattern is written.
        span: Span,
        /// Where the pattern is written.
        pattern_span: Span,
    },
    /// The pattern of a collective names a part that is not there.
    Pattern {
        /// The part, counted from 0.
        value: u64,
        /// How many parts there are.
        size: u64,
        /// The level whose parts take something.
        level: Level,
        /// The index whose values they take; `None` where they take parts of the level.
        index: Option<Mapping>,
        /// Where the pattern is written.
        span: Span,
    },
    /// The key of a scatter is not held whole by the slices and their elements.
    Key {
        /// The key.
        key: Mapping,
        /// Slice and element of the source.
        tensor: Mapping,
        /// What the indices run over, where the source holds it: it may well be the key.
        counted: Option<Mapping>,
        /// Where the key is written.
        span: Span,
    },
}

/// What of a collective is no part of its tensor.
pub(crate) fn collective_fault(body: &Body, collective: &Collective) -> Option<TensorsViolation> {
    let source = body.tensor(*collective.sources.first()?)?;
    let fault = match &collective.work {
        CollectiveWork::Gather
        | CollectiveWork::GatherRows(_)
        | CollectiveWork::ScatterRows(_)
        | CollectiveWork::Redistribute { .. }
        | CollectiveWork::Fill { .. } => None,
        CollectiveWork::Scatter { key } => {
            let indices = collective.sources.get(1).and_then(|id| body.tensor(*id));
            absent_key(source, indices, key)
        }
        CollectiveWork::Shuffle(parts) => {
            let size = size_of(source, parts.level)?;
            part_count_violation(collective, parts, size, size)
                .or_else(|| pattern_violation(parts, size, None))
        }
        CollectiveWork::ParallelCopy {
            parts,
            index,
            sliced,
        } => {
            let size = size_of(source, parts.level)?;
            let written = (index.get()?, index.span);
            if let Some(fault) = part_count_violation(collective, parts, size, written.0.size()) {
                return Some(TensorsViolation::Parts(fault));
            }
            let misplaced = pattern_violation(parts, written.0.size(), Some(written.0));
            if let Some(mut fault) =
                cut_violation(source, parts.level, written, sliced, collective.span)
            {
                // With another target the pattern would still be at fault.
                if let (TileViolation::Output { expected, .. }, true) =
                    (&mut fault, misplaced.is_some())
                {
                    *expected = None;
                }
                return Some(TensorsViolation::Tile(fault));
            }
            misplaced
        }
    };
    fault.map(TensorsViolation::Parts)
}

/// The levels of a tensor of which one part of a level is taken at a time: a hole stands for the level.
pub(crate) fn one_part(levels: &Levels, level: Level) -> Option<Levels> {
    let mut taken = levels.clone();
    let slot = match level {
        Level::Chip => &mut taken.chip,
        Level::Cluster => &mut taken.cluster,
        _ => return None,
    };
    let size = slot.as_ref()?.get()?.size();
    let hole = Mapping::identity().pad_to(size, PaddingKind::Top).ok()?;
    slot.as_mut()?.value = Some(hole);
    Some(taken)
}

fn size_of(tensor: &Tensor, level: Level) -> Option<u64> {
    let mut levels = tensor.levels.iter();
    let (_, found) = levels.find(|(candidate, _)| *candidate == level)?;
    Some(found.get()?.size())
}

/// Whether the level has as many parts as the method is given. `values` is how many values a part can take.
fn part_count_violation(
    collective: &Collective,
    parts: &Parts,
    size: u64,
    values: u64,
) -> Option<PartsViolation> {
    let given = parts.dimension.as_ref()?;
    let dimension = *given.get()?;
    let named = parts.pattern.get().map(|pattern| pattern.len() as u64);
    let short = named.filter(|named| *named < dimension && dimension == size);
    if dimension == size && short.is_none() {
        return None;
    }
    Some(PartsViolation::Number {
        method: collective.method,
        level: parts.level,
        given: short.unwrap_or(dimension),
        size,
        in_pattern: short.is_some(),
        completed: completed_pattern(parts, size, values),
        span: if short.is_some() {
            parts.pattern.span
        } else {
            given.span
        },
        pattern_span: parts.pattern.span,
    })
}

/// Parts of a level that a pattern is completed for: more are no chips or clusters of anybody.
const COMPLETED_PARTS: u64 = 64;

/// The pattern for as many parts as there are; a part that it says nothing of takes its own number.
fn completed_pattern(parts: &Parts, size: u64, values: u64) -> Option<Vec<u64>> {
    if size > COMPLETED_PARTS {
        return None;
    }
    let pattern = parts.pattern.get()?;
    let pattern: Vec<u64> = pattern.iter().copied().collect::<Option<_>>()?;
    let value = |part: u64| -> Option<u64> {
        let named = pattern.get(usize::try_from(part).ok()?).copied();
        let own = part.checked_rem(values)?;
        Some(named.filter(|value| *value < values).unwrap_or(own))
    };
    (0..size).map(value).collect()
}

fn pattern_violation(parts: &Parts, size: u64, index: Option<&Mapping>) -> Option<PartsViolation> {
    let mut values = parts.pattern.get()?.iter().flatten();
    let value = *values.find(|value| **value >= size)?;
    Some(PartsViolation::Pattern {
        value,
        size,
        level: parts.level,
        index: index.cloned(),
        span: parts.pattern.span,
    })
}

/// The elements with one value of the index cut out, against what is declared.
fn cut_violation(
    source: &Tensor,
    level: Level,
    (index, index_span): (&Mapping, Span),
    sliced: &Written<Mapping>,
    span: Span,
) -> Option<TileViolation> {
    let base = one_part(&source.levels, level)?;
    let mut taken = base.clone();
    taken.element.value = Some(sliced.get()?.clone());
    let window = TileWindow {
        level: Level::Element,
        index: Written::new(index.clone(), index_span),
        length: Written::new(1, span),
        start: Written::unknown(span),
        start_range: None,
        output: sliced.clone(),
        span,
    };
    tile_mismatch(&base, &taken, &window, index, 1)
}

/// A key that the slices and their elements do not hold whole. `indices` is the tensor that says where each row goes.
fn absent_key(
    source: &Tensor,
    indices: Option<&Tensor>,
    key: &Written<Mapping>,
) -> Option<PartsViolation> {
    let wanted = key.get()?;
    let slice = source.levels.slice.as_ref()?.get()?;
    let held = slice.pair(source.levels.element.get()?).ok()?;
    if wanted.is_opaque() || held.is_opaque() {
        return None;
    }
    let division = divide_relaxed(held.form(), wanted.form());
    lacks(held.form(), wanted.form(), &division).then(|| PartsViolation::Key {
        key: wanted.clone(),
        tensor: held.form().to_mapping(),
        counted: indices
            .and_then(|tensor| tensor.levels.element.get())
            .filter(|counted| !counted.is_opaque())
            .filter(|counted| divide_relaxed(held.form(), counted.form()).exact())
            .cloned(),
        span: key.span,
    })
}
