//! Where the elements of a tensor or stream are: the digits of its mapping with their places in memory.

use std::sync::Arc;

use crate::kernel::{Level, Levels, StreamShape};
use crate::mapping::{Atom, Axis, Cell, Digit, Form, Mapping, PaddingKind};

/// One level of a tensor or stream.
#[derive(Debug, Clone)]
pub(super) struct LevelPart {
    /// The level.
    pub(super) level: Level,
    /// Its mapping.
    pub(super) mapping: Mapping,
    /// Elements of memory from one position of the level to the next.
    pub(super) stride: usize,
}

impl LevelPart {
    fn form(&self) -> &Form {
        self.mapping.form()
    }

    /// Positions of the level, padding included.
    pub(super) fn size(&self) -> usize {
        usize::try_from(self.form().size()).unwrap_or(usize::MAX)
    }
}

/// What a digit runs over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Over {
    /// Values of the axis with that number in its space.
    Axis(usize),
    /// A number: all of its positions hold the same element.
    Number,
    /// Nothing: padding behind one position.
    Padding,
}

/// One digit of a level, with its place in memory.
#[derive(Debug, Clone)]
pub(super) struct Place {
    /// The level, by its number in the space.
    pub(super) level: usize,
    /// What it runs over.
    pub(super) over: Over,
    /// Values of the axis a step.
    pub(super) step: u64,
    /// Steps before the selection repeats.
    pub(super) modulo: u64,
    /// Positions that hold elements.
    pub(super) live: u64,
    /// All positions.
    pub(super) extent: u64,
    /// Elements of memory a step.
    pub(super) stride: usize,
}

/// The positions of a tensor or stream in memory, level by level.
#[derive(Debug, Clone)]
pub(super) struct Space {
    /// The levels, outermost first.
    pub(super) levels: Vec<LevelPart>,
    /// The axes, numbered.
    pub(super) axes: Vec<Axis>,
    /// The digits, outermost first.
    pub(super) places: Vec<Place>,
    /// The place of the first position in memory.
    pub(super) offset: usize,
    /// Whether a group that a size cuts across is in it, so that its digits do not say what its positions hold.
    pub(super) is_opaque: bool,
    /// Whether digits of an axis together run beyond its size.
    pub(super) is_ragged: bool,
}

/// The levels of a tensor in the order of its elements in memory, each with its mapping; `None` if one is unknown.
pub(super) fn tensor_levels(levels: &Levels) -> Option<Vec<(Level, Mapping)>> {
    levels
        .iter()
        .map(|(level, mapping)| Some((level, mapping.get()?.clone())))
        .collect()
}

/// The levels of a stream, each with its mapping; `None` if one is unknown.
pub(super) fn stream_levels(shape: &StreamShape) -> Option<Vec<(Level, Mapping)>> {
    let named = [
        (Level::Chip, Some(&shape.chip)),
        (Level::Cluster, Some(&shape.cluster)),
        (Level::Slice, Some(&shape.slice)),
        (Level::Row, shape.row.as_ref()),
        (Level::Time, Some(&shape.time)),
        (Level::Packet, Some(&shape.packet)),
    ];
    let present = named
        .into_iter()
        .filter_map(|(level, mapping)| Some((level, mapping?)));
    present
        .map(|(level, mapping)| Some((level, mapping.get()?.clone())))
        .collect()
}

impl Space {
    /// Levels one after the other without holes, the last one innermost; `None` if there are more positions than a memory has.
    pub(super) fn dense(levels: Vec<(Level, Mapping)>) -> Option<Self> {
        let mut stride = 1_usize;
        let mut parts = Vec::with_capacity(levels.len());
        for (level, mapping) in levels.into_iter().rev() {
            let size = usize::try_from(mapping.form().size()).ok()?;
            parts.push(LevelPart {
                level,
                mapping,
                stride,
            });
            stride = stride.checked_mul(size)?;
        }
        parts.reverse();
        Some(Self::new(parts, 0))
    }

    /// Levels with their own strides.
    pub(super) fn new(levels: Vec<LevelPart>, offset: usize) -> Self {
        let mut axes: Vec<Axis> = Vec::new();
        let mut places = Vec::new();
        let mut is_opaque = false;
        for (number, part) in levels.iter().enumerate() {
            let mut stride = part.stride;
            let mut own = Vec::new();
            for digit in part.form().digits() {
                let place = digit_place(digit, &mut axes, (number, stride));
                is_opaque |= place.is_none();
                own.extend(place);
                stride = stride.saturating_mul(usize::try_from(digit.extent).unwrap_or(usize::MAX));
            }
            places.extend(own.into_iter().rev());
        }
        let mut space = Self {
            levels,
            axes,
            places,
            offset,
            is_opaque,
            is_ragged: false,
        };
        space.is_ragged = space.axes.iter().enumerate().any(|(number, axis)| {
            let reach = space.reach(number);
            reach >= axis.size()
        });
        space
    }

    /// A space of digits alone, without holes, for what is between two others.
    pub(super) fn of_places(axes: Vec<Axis>, places: Vec<Place>) -> Self {
        let mut stride = 1_usize;
        let mut places = places;
        for place in places.iter_mut().rev() {
            place.stride = stride;
            place.extent = place.live;
            stride = stride.saturating_mul(usize::try_from(place.live).unwrap_or(usize::MAX));
        }
        let mut space = Self {
            levels: Vec::new(),
            axes,
            places,
            offset: 0,
            is_opaque: false,
            is_ragged: false,
        };
        space.is_ragged = (0..space.axes.len())
            .any(|number| space.reach(number) >= space.axes.get(number).map_or(0, Axis::size));
        space
    }

    /// The largest value that the digits of an axis give.
    pub(super) fn reach(&self, axis: usize) -> u64 {
        let own = self
            .places
            .iter()
            .filter(|place| place.over == Over::Axis(axis));
        own.fold(0_u64, |sum, place| {
            sum.saturating_add(place.step.saturating_mul(place.live.saturating_sub(1)))
        })
    }

    /// The registers that a stream reads of this tensor, where it lives in one chip, cluster or slice only: each unit reads its own, and
    /// the stream says nothing of the axes over which the other units have theirs.
    pub(super) fn in_units_of(&self, stream: &Self) -> Self {
        let level_of = |space: &Self, place: &Place| {
            let part = space.levels.get(place.level);
            part.map(|part| part.level)
        };
        let lives_in_one = |level: Level| {
            let mut own = stream.places.iter();
            own.all(|place| level_of(stream, place) != Some(level) || place.live <= 1)
        };
        let mut own = self.clone();
        own.places.retain(|place| {
            let Over::Axis(axis) = place.over else {
                return true;
            };
            let is_known = |axis: &Axis| stream.axis_number(axis).is_some();
            let of_units = level_of(self, place).filter(|level| {
                matches!(level, Level::Chip | Level::Cluster | Level::Slice)
                    && !self.axes.get(axis).is_some_and(is_known)
            });
            !of_units.is_some_and(lives_in_one)
        });
        own
    }

    /// Positions of all levels, padding included.
    pub(super) fn positions(&self) -> usize {
        if self.levels.is_empty() {
            let places = self.places.iter();
            return places.fold(1, |all: usize, place| {
                all.saturating_mul(usize::try_from(place.extent).unwrap_or(usize::MAX))
            });
        }
        let levels = self.levels.iter();
        levels.fold(1, |all: usize, part| all.saturating_mul(part.size()))
    }

    /// How many elements its positions hold, copies aside; `None` where the digits do not say.
    pub(super) fn live_elements(&self) -> Option<usize> {
        if self.is_opaque || self.is_ragged {
            return None;
        }
        let places = self.places.iter();
        let mut own = places.filter(|place| matches!(place.over, Over::Axis(_)));
        own.try_fold(1_usize, |all, place| {
            all.checked_mul(usize::try_from(place.live).ok()?)
        })
    }

    /// The same without its innermost digit: where each run of it begins.
    pub(super) fn without_innermost(&self) -> Self {
        let mut rows = self.clone();
        rows.places.pop();
        rows
    }

    /// The same elements one after the other, without padding.
    pub(super) fn without_padding(&self) -> Self {
        let places = self.places.iter();
        let live = places.filter(|place| matches!(place.over, Over::Axis(_)) && place.live > 1);
        Self::of_places(self.axes.clone(), live.cloned().collect())
    }

    /// Whether its positions lie in memory one after the other, from the first place on.
    pub(super) fn is_dense(&self) -> bool {
        let mut stride = 1_usize;
        self.offset == 0
            && self.levels.iter().rev().all(|part| {
                let is_next = part.stride == stride || part.size() <= 1;
                stride = stride.saturating_mul(part.size());
                is_next
            })
    }

    /// The number of an axis.
    pub(super) fn axis_number(&self, axis: &Axis) -> Option<usize> {
        self.axes.iter().position(|own| own == axis)
    }

    /// The mapping of a level.
    pub(super) fn mapping(&self, level: Level) -> Option<&Mapping> {
        let found = self.levels.iter().find(|part| part.level == level);
        found.map(|part| &part.mapping)
    }

    /// Whether positions that are no elements are among its own.
    pub(super) fn has_padding(&self) -> bool {
        self.is_opaque
            || self.is_ragged
            || self.places.iter().any(|place| place.extent > place.live)
    }

    /// Whether a padding that reads as zero is among its positions.
    pub(super) fn has_zero_padding(&self) -> bool {
        let digits = self.levels.iter().flat_map(|part| part.form().digits());
        let mut paddings = digits.flat_map(|digit| digit.paddings().iter());
        paddings.any(|padding| padding.kind == PaddingKind::Zero)
    }

    /// The kind of padding that a position is; `None` where it holds an element. A level that must not be touched outweighs others.
    pub(super) fn padding_kind(&self, position: usize) -> Option<PaddingKind> {
        let mut rest = position;
        let mut found = None;
        for part in self.levels.iter().rev() {
            let size = part.size().max(1);
            let cell = part.form().cell_at((rest % size) as u64);
            rest /= size;
            found = match (cell, found) {
                (Cell::Padding(kind), Some(PaddingKind::Zero) | None) => Some(kind),
                (Cell::OutOfBounds, _) => Some(PaddingKind::Top),
                (_, found) => found,
            };
        }
        found
    }

    /// The place in memory of a position, counted through all levels.
    pub(super) fn memory_place(&self, position: usize) -> usize {
        let mut rest = position;
        let mut place = self.offset;
        for part in self.levels.iter().rev() {
            let size = part.size().max(1);
            place += rest % size * part.stride;
            rest /= size;
        }
        place
    }

    /// The index function over all levels, and the names of the axes; `None` where the product is too large.
    pub(super) fn function(&self) -> Option<Cells> {
        let mappings: Vec<Mapping> = self
            .levels
            .iter()
            .map(|part| part.mapping.clone())
            .collect();
        let whole = Mapping::product(&mappings).ok()?;
        let axes: Vec<Axis> = whole.form().axes().into_iter().collect();
        Some(Cells {
            function: whole.form().function(),
            axes,
        })
    }

    /// The mapping as text, chip first.
    pub(super) fn words(&self) -> Arc<str> {
        let parts: Vec<String> = self
            .levels
            .iter()
            .map(|part| part.mapping.to_string())
            .collect();
        format!("({})", parts.join(", ")).into()
    }
}

/// The elements that positions hold, by the index function.
pub(super) struct Cells {
    function: crate::mapping::IndexFunction,
    /// The axes, in the order of the values.
    pub(super) axes: Vec<Axis>,
}

impl Cells {
    /// The value of each axis at a position; `None` where it holds no element.
    pub(super) fn values(&self, position: usize) -> Option<Vec<u64>> {
        let position = u64::try_from(position).ok()?;
        match self.function.cell_at(position) {
            Cell::Index(index) => {
                let axes = self.axes.iter();
                Some(axes.map(|axis| index.value(axis.name())).collect())
            }
            Cell::Padding(_) | Cell::OutOfBounds => None,
        }
    }
}

/// The digit with its place; `None` for a group.
fn digit_place(
    digit: &Digit,
    axes: &mut Vec<Axis>,
    (level, stride): (usize, usize),
) -> Option<Place> {
    let mut number_of = |axis: &Axis| match axes.iter().position(|known| known == axis) {
        Some(number) => number,
        None => {
            axes.push(axis.clone());
            axes.len() - 1
        }
    };
    let (over, step, modulo) = match &digit.term {
        None => (Over::Padding, 0, 1),
        Some(term) => match &term.atom {
            Atom::Axis(axis) | Atom::PaddedRun(axis) => {
                (Over::Axis(number_of(axis)), term.stride, term.modulo)
            }
            Atom::Broadcast => (Over::Number, 0, digit.live),
            Atom::Composite(_) => return None,
        },
    };
    Some(Place {
        level,
        over,
        step,
        modulo,
        live: digit.live,
        extent: digit.extent,
        stride,
    })
}
