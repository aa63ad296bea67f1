//! Tiles: whether what a tile declares is the part that it selects, and is inside of its tensor (book: Resize;
//! library: views and tiles).

use crate::conventions::Conventions;
use crate::items::Span;
use crate::kernel::{Body, Level, Levels, Origin, Tensor, TileWindow};
use crate::mapping::{
    Answer, Division, DivisionMode, FindAxisError, Form, Mapping, MappingKind, PaddingKind, divide,
    divide_span, equal_forms, find_axis, holds_every_element, window_axis,
};

/// A tile that is no part of its tensor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TileViolation {
    /// The tiled index is no part of the tensor's mapping.
    Absent {
        /// The index.
        index: Mapping,
        /// The tensor's full mapping.
        tensor: Mapping,
        /// Where the index is written.
        span: Span,
    },
    /// The tiled index has no axis, so that there are no values of which several could be kept.
    NoAxis {
        /// The index.
        index: Mapping,
        /// How many values the tile asks for.
        length: u64,
        /// Where the index is written.
        span: Span,
    },
    /// The tiled index is in the level, but not as one run of one stride.
    Scattered {
        /// The index.
        index: Mapping,
        /// The level's mapping.
        within: Mapping,
        /// Where the index is written.
        span: Span,
    },
    /// The declared mapping is not what the tile leaves of the tensor's.
    Output {
        /// The level that is tiled.
        level: Level,
        /// As declared.
        declared: Mapping,
        /// What the tile leaves, if it can be said of the level alone.
        expected: Option<Mapping>,
        /// The index.
        index: Mapping,
        /// How many values it keeps.
        length: u64,
        /// Where the mapping is declared.
        span: Span,
    },
    /// The tile keeps no value at all.
    Empty {
        /// Where the number is written.
        span: Span,
    },
    /// The index is one run, but what it spans is no part of its level: padding behind it belongs to the index.
    Span {
        /// The index.
        index: Mapping,
        /// What it is an index of.
        within: Mapping,
        /// Positions from one value of the index to the next.
        stride: u64,
        /// Where the index is written.
        span: Span,
    },
    /// The tile is longer than the index.
    TooLong {
        /// The index.
        index: Mapping,
        /// How many values the tile asks for.
        length: u64,
        /// Where the number is written.
        span: Span,
    },
    /// The tile begins where the index is padding.
    StartsOnPadding {
        /// The index.
        index: Mapping,
        /// The first value.
        start: u64,
        /// The values of the index that are no padding.
        live: u64,
        /// Where the start is written.
        span: Span,
    },
    /// The tile ends behind the last value of the index.
    OutOfBounds {
        /// The index.
        index: Mapping,
        /// The first value, in the worst run of the loops around.
        start: u64,
        /// How many values the tile keeps.
        length: u64,
        /// The start differs from run to run.
        in_loop: bool,
        /// Where the start is written.
        span: Span,
    },
}

/// Derives what the tile of a view violates, if the tensor is one.
pub(super) fn derive_tile(body: &Body, tensor: &Tensor) -> Option<TileViolation> {
    let Origin::View {
        of,
        tile: Some(window),
    } = &tensor.origin
    else {
        return None;
    };
    let index = window.index.value.as_ref()?;
    let length = window.length.value?;
    if length == 0 {
        return Some(TileViolation::Empty {
            span: window.length.span,
        });
    }
    if length > index.size() {
        return Some(TileViolation::TooLong {
            index: index.clone(),
            length,
            span: window.length.span,
        });
    }
    let whole = body.tensor(*of)?;
    let base = &whole.levels;
    let divides = Conventions::of(body.dialect).cuts_tiles_out_of_whole_spans();
    let fault = match tile_holes(body, whole) {
        Holes::Searched => tile_mismatch(base, &tensor.levels, window, index, length),
        Holes::Spelled(kind) => in_level(base, window, (index, length), (kind, divides)),
        Holes::Either => tile_mismatch(base, &tensor.levels, window, index, length).filter(|_| {
            let kinds = [PaddingKind::Top, PaddingKind::Bottom];
            let mut spelled = kinds
                .map(|kind| in_level(base, window, (index, length), (kind, divides)))
                .into_iter();
            spelled.all(|fault| fault.is_some())
        }),
    };
    fault
        .or_else(|| out_of_bounds(window, index, length))
        .or_else(|| {
            let known = Conventions::of(body.dialect).starts_tiles_on_values();
            known.then(|| starts_on_padding(window, index)).flatten()
        })
}

/// How the hole that a tile leaves is looked for.
enum Holes {
    /// Over the whole tensor, by its elements.
    Searched,
    /// In the level of the tile, with padding of this kind.
    Spelled(PaddingKind),
    /// Either way, with any kind.
    Either,
}

fn tile_holes(body: &Body, whole: &Tensor) -> Holes {
    let conventions = Conventions::of(body.dialect);
    if conventions.tiles_one_level() {
        Holes::Spelled(hole_padding(whole.exclusive))
    } else if conventions.has_library_limits() {
        Holes::Searched
    } else {
        Holes::Either
    }
}

/// The padding in place of what a tile leaves out: what is behind an exclusive view's is not to be written.
const fn hole_padding(exclusive: bool) -> PaddingKind {
    if exclusive {
        PaddingKind::Bottom
    } else {
        PaddingKind::Top
    }
}

/// Whether what a tile declares is what it leaves of its level alone.
fn in_level(
    base: &Levels,
    window: &TileWindow,
    (index, length): (&Mapping, u64),
    (kind, divides): (PaddingKind, bool),
) -> Option<TileViolation> {
    let (_, level) = base.iter().find(|(level, _)| *level == window.level)?;
    let level = level.value.as_ref().filter(|level| !level.is_opaque())?;
    let declared = window.output.value.as_ref()?;
    if index.is_opaque() || declared.is_opaque() {
        return None;
    }
    let expected = if index.size() == 1 {
        level.form().clone()
    } else {
        let stride = match find_axis(level.form(), index.form()) {
            Ok(stride) => stride,
            Err(FindAxisError::Undecided) => return None,
            Err(FindAxisError::NotInMapping) => {
                return Some(TileViolation::Absent {
                    index: index.clone(),
                    tensor: level.clone(),
                    span: window.index.span,
                });
            }
            Err(FindAxisError::Scattered | FindAxisError::SpanDoesNotDivide { .. }) => {
                return Some(TileViolation::Scattered {
                    index: index.clone(),
                    within: level.clone(),
                    span: window.index.span,
                });
            }
        };
        let spanned = stride.checked_mul(index.size())?;
        if divides && !level.size().is_multiple_of(spanned) {
            return Some(TileViolation::Span {
                index: index.clone(),
                within: level.clone(),
                stride,
                span: window.index.span,
            });
        }
        window_axis(level.form(), stride, index.size(), length, kind).ok()?
    };
    (equal_forms(&expected, declared.form()) == Answer::No).then(|| TileViolation::Output {
        level: window.level,
        declared: declared.clone(),
        expected: Some(
            mapping_with_cut_index(level, index, length, kind)
                .filter(|written| *written.form() == expected)
                .unwrap_or_else(|| hole_apart(&expected)),
        ),
        index: index.clone(),
        length,
        span: window.output.span,
    })
}

/// A mapping with the part that is an index cut to its first values, as it is written.
fn mapping_with_cut_index(
    whole: &Mapping,
    index: &Mapping,
    length: u64,
    kind: PaddingKind,
) -> Option<Mapping> {
    let kept = if length == 1 {
        Mapping::identity()
    } else {
        index.resize(length).ok()?
    };
    let cut = kept.pad_to(index.size(), kind).ok()?;
    let parts: Vec<Mapping> = match whole.kind() {
        MappingKind::Product(parts) => parts.to_vec(),
        _ => vec![whole.clone()],
    };
    let parts: Vec<Mapping> = parts
        .into_iter()
        .map(|part| {
            if part.form() == index.form() {
                cut.clone()
            } else {
                part
            }
        })
        .collect();
    Mapping::product(&parts).ok()
}

/// A form as who tiles writes it: the hole in front of what is kept, `1 # 4, F % 256`, and not around it, `F % 256 # 1024`.
fn hole_apart(form: &Form) -> Mapping {
    let shortest = form.to_mapping();
    let parts: Vec<Mapping> = match shortest.kind() {
        MappingKind::Product(parts) => parts.to_vec(),
        _ => vec![shortest.clone()],
    };
    let mut apart = Vec::new();
    for part in parts {
        if let MappingKind::Pad(inner, size, kind) = part.kind()
            && inner.size() > 1
            && size.is_multiple_of(inner.size())
            && let Ok(hole) = Mapping::identity().pad_to(size / inner.size(), kind)
        {
            apart.extend([hole, inner.clone()]);
        } else {
            apart.push(part);
        }
    }
    let written = Mapping::product(&apart).ok();
    written
        .filter(|written| written.form() == form)
        .unwrap_or(shortest)
}

/// Of an index with several parts nothing is said: which of its positions are padding depends on all of them.
fn starts_on_padding(window: &TileWindow, index: &Mapping) -> Option<TileViolation> {
    let form = index.form();
    let [digit] = form.digits() else {
        return None;
    };
    let worst = window.start_range.map(|(_, largest)| largest);
    let start = window.start.value.into_iter().chain(worst).max()?;
    let on_padding = !index.is_opaque() && start >= digit.live && start < digit.extent;
    (on_padding && digit.term.is_some() && !digit.paddings().is_empty()).then(|| {
        TileViolation::StartsOnPadding {
            index: index.clone(),
            start,
            live: digit.live,
            span: window.start.span,
        }
    })
}

fn out_of_bounds(window: &TileWindow, index: &Mapping, length: u64) -> Option<TileViolation> {
    let worst = window.start_range.map(|(_, largest)| largest);
    let start = window.start.value.into_iter().chain(worst).max()?;
    let inside = start
        .checked_add(length)
        .is_some_and(|end| end <= index.size());
    (!inside).then(|| TileViolation::OutOfBounds {
        index: index.clone(),
        start,
        length,
        in_loop: window
            .start_range
            .is_some_and(|(least, largest)| least != largest),
        span: window.start.span,
    })
}

/// Whether what a tile declares is what it leaves of its tensor.
pub(super) fn tile_mismatch(
    base: &Levels,
    tile: &Levels,
    window: &TileWindow,
    index: &Mapping,
    length: u64,
) -> Option<TileViolation> {
    let whole = base.full_mapping()?;
    let declared = window.output.value.as_ref()?;
    if length > 1 && !index.is_opaque() && !index.form().has_terms() {
        return Some(TileViolation::NoAxis {
            index: index.clone(),
            length,
            span: window.index.span,
        });
    }
    let division = if length == 1 {
        Some(divide(whole.form(), index.form(), DivisionMode::Relaxed))
    } else {
        divide_span(whole.form(), index.form(), length)
    };
    let Some(division) = division.filter(Division::exact) else {
        // The division may fail on ragged parts that the tensor does hold.
        return (holds_every_element(whole.form(), index.form()) == Answer::No).then(|| {
            TileViolation::Absent {
                index: index.clone(),
                tensor: whole.clone(),
                span: window.index.span,
            }
        });
    };
    let left = &division.dividend_residue;
    let declared_whole = tile.full_mapping()?;
    (equal_forms(left, declared_whole.form()) == Answer::No).then(|| TileViolation::Output {
        level: window.level,
        declared: declared.clone(),
        expected: expected_output(left, base, window.level, index, length),
        index: index.clone(),
        length,
        span: window.output.span,
    })
}

/// The mapping of a level behind a tile of `length` values of an index; `None` where the index is no part of the tensor, or
/// the tile no part of the index.
pub fn tile_output(
    body: &Body,
    whole: &Tensor,
    level: Level,
    index: &Mapping,
    length: u64,
) -> Option<Mapping> {
    if length == 0 || length > index.size() {
        return None;
    }
    let base = &whole.levels;
    if !matches!(tile_holes(body, whole), Holes::Searched) {
        let (_, mapping) = base.iter().find(|(candidate, _)| *candidate == level)?;
        let mapping = mapping.value.as_ref()?;
        let kind = hole_padding(whole.exclusive);
        let stride = find_axis(mapping.form(), index.form()).ok()?;
        let left = window_axis(mapping.form(), stride, index.size(), length, kind).ok()?;
        return mapping_with_cut_index(mapping, index, length, kind)
            .filter(|written| *written.form() == left)
            .or_else(|| Some(hole_apart(&left)));
    }
    let whole = base.full_mapping()?;
    let division = if length == 1 {
        divide(whole.form(), index.form(), DivisionMode::Relaxed)
    } else {
        divide_span(whole.form(), index.form(), length)?
    };
    if !division.exact() {
        return None;
    }
    expected_output(&division.dividend_residue, base, level, index, length)
}

/// The mapping that the tile leaves of the level, written as the tensor's is where that is possible.
fn expected_output(
    left: &Form,
    base: &Levels,
    level: Level,
    index: &Mapping,
    length: u64,
) -> Option<Mapping> {
    let expected = level_of(left, base, level)?;
    let (_, whole) = base.iter().find(|(candidate, _)| *candidate == level)?;
    let cut = if length == 1 {
        Ok(Mapping::identity())
    } else {
        index.resize(length)
    };
    let cut = cut
        .and_then(|cut| cut.pad_to(index.size(), PaddingKind::Top))
        .ok()?;
    let whole = whole.value.as_ref()?;
    let parts: Vec<Mapping> = match whole.kind() {
        MappingKind::Product(parts) => parts.to_vec(),
        _ => vec![whole.clone()],
    };
    let replaced: Vec<Mapping> = parts
        .into_iter()
        .map(|part| {
            if part.form() == index.form() {
                cut.clone()
            } else {
                part
            }
        })
        .collect();
    let written = Mapping::product(&replaced)
        .ok()
        .filter(|written| *written.form() == expected);
    Some(written.unwrap_or_else(|| hole_apart(&expected)))
}

/// The part of a full mapping's form that is in one level, by the sizes of the levels.
fn level_of(full: &Form, levels: &Levels, level: Level) -> Option<Form> {
    let mut inside = 1_u64;
    let mut size = None;
    for (candidate, written) in levels.iter() {
        let here = written.value.as_ref()?.size();
        if candidate == level {
            size = Some(here);
        } else if size.is_some() {
            inside = inside.checked_mul(here)?;
        }
    }
    let (outer, _) = full.split_at(inside)?;
    let (_, part) = outer.split_at(size?)?;
    Some(part)
}
