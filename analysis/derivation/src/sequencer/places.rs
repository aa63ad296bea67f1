//! Where a buffer holds the digits of each axis, and which loops walk a digit of the stream through it.
//!
//! A digit of the stream counts through values of an axis (`A / 4 % 8` through 0, 4, .. 28). The buffer holds the
//! same axis in digits of its own, each at a distance of so many elements a value. Walking the stream's digit takes one
//! loop for each of the buffer's digits that it crosses, provided that the borders of the two agree.

use std::sync::Arc;

use crate::mapping::{Atom, Digit, Form, Term};

use super::entries::{Entry, merge};

/// Why a part of the stream cannot be walked through the buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Misfit {
    /// The buffer holds the axis, but not this part of it (book: Insufficient Input).
    Insufficient {
        /// The axis.
        axis: Arc<str>,
        /// The stream's digit steps through the axis by this many values.
        step: u64,
        /// How many of them it asks for.
        needed: u64,
        /// How many of them the buffer holds; 1 where it holds none but the first.
        held: u64,
    },
    /// The borders of the stream's digits and of the buffer's do not agree (book: Incompatible Shapes).
    Incompatible {
        /// The axis.
        axis: Arc<str>,
        /// The stream's digit steps through the axis by this many values.
        step: u64,
        /// The buffer's digit there runs over this many values before another one takes over.
        border: u64,
    },
    /// This analysis cannot tell.
    Unknown,
}

/// What a digit counts through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Counted {
    /// An axis of that name and size; the padded run of an axis is counted by the axis's own values.
    Axis(Arc<str>, u64),
    /// Positions of a group that no plain digits express.
    Composite(Arc<Form>),
}

impl Counted {
    /// What an atom counts through; `None` for copies, which hold no index.
    pub(super) fn of(atom: &Atom) -> Option<Self> {
        match atom {
            Atom::Axis(axis) | Atom::PaddedRun(axis) => {
                Some(Self::Axis(Arc::from(axis.name()), axis.size()))
            }
            Atom::Composite(group) => Some(Self::Composite(Arc::clone(group))),
            Atom::Broadcast => None,
        }
    }

    /// Values before it ends.
    fn size(&self) -> u64 {
        match self {
            Self::Axis(_, size) => *size,
            Self::Composite(group) => group.size(),
        }
    }

    /// The axis, or the group in brackets.
    pub(super) fn name(&self) -> Arc<str> {
        match self {
            Self::Axis(name, _) => Arc::clone(name),
            Self::Composite(group) => Arc::from(format!("[{}]", group.to_mapping()).as_str()),
        }
    }
}

/// A digit of an axis as the buffer holds it.
#[derive(Debug, Clone)]
pub(super) struct Held {
    pub(super) counted: Counted,
    /// The digit's lowest value step in its axis.
    pub(super) low: u64,
    /// Values (in units of `low`) after which the next digit of the axis begins.
    pub(super) modulo: u64,
    /// Values that the buffer has room for data of.
    pub(super) live: u64,
    /// Elements between two values.
    pub(super) place: i128,
    /// Positions that the digit takes, padding included.
    pub(super) extent: u64,
    /// The highest value that the stream has asked for so far.
    pub(super) reached: u64,
    /// The step of a digit of the stream that ends within this one and not at its border.
    uneven: Option<u64>,
}

impl Held {
    /// The place in the axis where the next digit begins.
    pub(super) const fn border(&self) -> u64 {
        self.low.saturating_mul(self.modulo)
    }

    /// Whether no digit of the axis comes after this one: from here on values are walked without end.
    pub(super) fn is_outermost(&self) -> bool {
        self.border() >= self.counted.size()
    }

    /// Values that the axis itself has at this digit.
    fn axis_values(&self) -> u64 {
        self.counted
            .size()
            .div_ceil(self.low.max(1))
            .min(self.modulo)
    }
}

/// A buffer seen as a place for each digit of each axis.
#[derive(Debug, Clone, Default)]
pub(crate) struct Places {
    pub(super) held: Vec<Held>,
    /// Anonymous broadcasts of the buffer, innermost first: copies and elements between them.
    broadcasts: Vec<(u64, i128)>,
    /// Axes inside parts that cannot be told apart.
    pub(super) opaque: Vec<Arc<str>>,
    /// An axis that chooses between two buffers, and the distance between them in elements.
    interleaved: Option<(Arc<str>, Option<i128>)>,
}

impl Places {
    /// The places of a buffer.
    pub(super) fn of(buffer: &Form) -> Self {
        let mut places = Self::default();
        places.hold(buffer, 1);
        places
    }

    /// Tells that parts of these names cannot be followed.
    pub(super) fn with_opaque(mut self, names: Vec<Arc<str>>) -> Self {
        self.opaque.extend(names);
        self
    }

    /// Tells that an axis chooses between two such buffers, `distance` elements apart.
    pub(super) fn interleaved(mut self, axis: Arc<str>, distance: Option<i128>) -> Self {
        self.interleaved = Some((axis, distance));
        self
    }

    /// Records the digits of a form that starts at a stride of `unit` elements.
    pub(super) fn hold(&mut self, form: &Form, unit: i128) {
        let mut place = unit;
        for digit in form.digits() {
            if let Some(term) = &digit.term {
                self.hold_term(term, digit, place);
            }
            place = place.saturating_mul(i128::from(digit.extent));
        }
    }

    fn hold_term(&mut self, term: &Term, digit: &Digit, place: i128) {
        let Some(counted) = Counted::of(&term.atom) else {
            self.broadcasts.push((digit.live, place));
            return;
        };
        if let Counted::Composite(group) = &counted {
            if term.stride == 1 && digit.live >= group.size() {
                // Used whole: its own digits are in the buffer.
                self.hold(group, place);
            } else {
                self.opaque.extend(group.axis_names());
            }
        }
        self.held.push(Held {
            low: term.stride,
            modulo: term.modulo,
            live: digit.live,
            extent: digit.extent,
            counted,
            place,
            reached: 0,
            uneven: None,
        });
    }

    /// The loops that walk one digit of the stream, outermost first, and appends them to `entries`. Loops over padding
    /// alone have no stride of their own: they continue what is inside them, so the caller resolves them last.
    pub(super) fn walk_digit(
        &mut self,
        digit: &Digit,
        entries: &mut Vec<Loop>,
    ) -> Result<(), Misfit> {
        let Some(term) = &digit.term else {
            entries.push(Loop {
                size: digit.extent,
                step: Step::Continue,
                axis: None,
            });
            return Ok(());
        };
        let Some(counted) = Counted::of(&term.atom) else {
            let found = self
                .broadcasts
                .iter()
                .position(|(copies, _)| *copies == digit.live);
            let stride = found.map_or(0, |index| self.broadcasts.remove(index).1);
            entries.push(Loop {
                size: digit.extent,
                step: Step::By(Some(stride)),
                axis: None,
            });
            return Ok(());
        };
        self.walk_counted(&counted, term.stride, digit, entries)
    }

    fn walk_counted(
        &mut self,
        counted: &Counted,
        low: u64,
        digit: &Digit,
        entries: &mut Vec<Loop>,
    ) -> Result<(), Misfit> {
        let name = counted.name();
        if let Some((axis, distance)) = &self.interleaved
            && *axis == name
        {
            entries.push(Loop {
                size: digit.extent,
                step: Step::By(*distance),
                axis: Some(name),
            });
            return Ok(());
        }
        if !self.held.iter().any(|held| held.counted == *counted) {
            return self.walk_absent(counted, low, digit, entries);
        }
        let mut found = Vec::new();
        self.cross(counted, low, digit, &mut found)?;
        entries.extend(found.into_iter().rev());
        Ok(())
    }

    /// The loops of a digit whose axis the buffer holds, innermost first.
    fn cross(
        &mut self,
        counted: &Counted,
        low: u64,
        digit: &Digit,
        found: &mut Vec<Loop>,
    ) -> Result<(), Misfit> {
        let name = counted.name();
        let mut low = low;
        let mut live = digit.live;
        let mut extent = digit.extent;
        loop {
            let incompatible = |border| Misfit::Incompatible {
                axis: Arc::clone(&name),
                step: low,
                border,
            };
            let Some(held) = self
                .held
                .iter_mut()
                .filter(|held| held.counted == *counted)
                .filter(|held| held.low <= low && (held.is_outermost() || low < held.border()))
                .max_by_key(|held| held.low)
            else {
                return Err(self.missing(&name, low, live));
            };
            if !low.is_multiple_of(held.low) {
                return Err(incompatible(held.border()));
            }
            let ratio = low / held.low;
            let room = if held.is_outermost() {
                u64::MAX
            } else if held.border().is_multiple_of(low) {
                held.border() / low
            } else if live.saturating_sub(1).saturating_mul(ratio) < held.modulo {
                // All values are inside the buffer's digit, as long as nothing carries: see `check_reach`.
                held.uneven = Some(low);
                live
            } else {
                return Err(incompatible(held.border()));
            };
            let stride = held.place.checked_mul(i128::from(ratio));
            let step = Step::By(Some(stride.ok_or(Misfit::Unknown)?));
            let values = live.min(room);
            held.reached = held
                .reached
                .saturating_add(values.saturating_sub(1).saturating_mul(ratio));
            let border = held.border();
            if live <= room {
                found.push(Loop {
                    size: extent,
                    step,
                    axis: Some(name),
                });
                return Ok(());
            }
            if !extent.is_multiple_of(room) || room == 0 {
                return Err(incompatible(border));
            }
            found.push(Loop {
                size: room,
                step,
                axis: Some(Arc::clone(&name)),
            });
            extent /= room;
            live = live.div_ceil(room);
            low = border;
        }
    }

    /// A digit whose axis does not occur in the buffer under its own name: a broadcast, a part of the tensor that is
    /// elsewhere, or a composite whose positions may still are in a line.
    fn walk_absent(
        &mut self,
        counted: &Counted,
        low: u64,
        digit: &Digit,
        entries: &mut Vec<Loop>,
    ) -> Result<(), Misfit> {
        let name = counted.name();
        if let Counted::Composite(group) = counted {
            let size = group.size();
            let mut loops = Vec::new();
            for part in group.digits().iter().rev() {
                self.walk_digit(part, &mut loops)?;
            }
            let loops = merge(&resolve_loops(&loops));
            let whole = low == 1 && digit.extent == size;
            return match loops.as_slice() {
                [line] if line.size == size => {
                    let stride = line
                        .stride
                        .and_then(|stride| stride.checked_mul(i128::from(low)));
                    entries.push(Loop {
                        size: digit.extent,
                        step: Step::By(stride),
                        axis: Some(name),
                    });
                    Ok(())
                }
                parts if whole => {
                    entries.extend(parts.iter().map(Loop::of));
                    Ok(())
                }
                // Padding after a run that is no line: no loop of a constant stride steps over it.
                _ if low == 1 && digit.live == size => Err(Misfit::Incompatible {
                    axis: name,
                    step: low,
                    border: size,
                }),
                _ => Err(Misfit::Unknown),
            };
        }
        if self.opaque.contains(&name) {
            return Err(Misfit::Unknown);
        }
        entries.push(Loop {
            size: digit.extent,
            step: Step::By(Some(0)),
            axis: Some(name),
        });
        Ok(())
    }

    pub(super) fn missing(&self, axis: &Arc<str>, step: u64, needed: u64) -> Misfit {
        if self.opaque.contains(axis) {
            Misfit::Unknown
        } else {
            Misfit::Insufficient {
                axis: Arc::clone(axis),
                step,
                needed,
                held: 1,
            }
        }
    }

    /// After all digits of a stream were walked: whether one asked for more values than a shortened digit of the
    /// buffer has (`A = 3` where the axis goes on).
    pub(super) fn check_reach(&self) -> Result<(), Misfit> {
        for held in &self.held {
            if let Some(step) = held.uneven
                && held.reached >= held.modulo
            {
                let (axis, border) = (held.counted.name(), held.border());
                return Err(Misfit::Incompatible { axis, step, border });
            }
            let complete = held.axis_values();
            let asked = held.reached.saturating_add(1).min(complete);
            if held.live < complete && asked > held.live {
                return Err(Misfit::Insufficient {
                    axis: held.counted.name(),
                    step: held.low,
                    needed: asked,
                    held: held.live,
                });
            }
        }
        Ok(())
    }

    /// Of the outermost digit of a packet: how many of its values the buffer has room for, and up to how many positions
    /// it has when the padding after them counts. `None` if the buffer does not hold the digit.
    pub(super) fn room_for_digit(&self, digit: &Digit) -> Option<Room> {
        let term = digit.term.as_ref()?;
        let counted = Counted::of(&term.atom)?;
        let held = self.holding(&counted, term.stride)?;
        let ratio = term.stride / held.low;
        let data = self.values_in_a_row(&counted, term.stride).min(digit.live);
        // Padding of the buffer follows this digit only if the digit reaches as far as the buffer's.
        let reaches = digit.live.saturating_mul(ratio) >= held.live;
        let padded = if reaches { held.extent / ratio } else { 0 };
        Some(Room { data, padded })
    }

    /// The first part of a form that is not held here, whatever its order and padding; parts that is unknown
    /// apart count as held.
    pub(super) fn lacking(&self, form: &Form) -> Option<Misfit> {
        form.digits().iter().find_map(|digit| {
            let term = digit.term.as_ref()?;
            let counted = Counted::of(&term.atom)?;
            let name = counted.name();
            if let Counted::Composite(group) = &counted {
                let whole = term.stride == 1 && digit.live >= group.size();
                return if whole { self.lacking(group) } else { None };
            }
            if self.opaque.contains(&name) {
                return None;
            }
            let known = self.held.iter().any(|held| held.counted == counted);
            let held = if known {
                self.values_in_a_row(&counted, term.stride)
            } else {
                1
            };
            (held < digit.live).then_some(Misfit::Insufficient {
                axis: name,
                step: term.stride,
                needed: digit.live,
                held,
            })
        })
    }

    /// The buffer's digit that a step of `low` values falls into, if it steps evenly through it.
    fn holding(&self, counted: &Counted, low: u64) -> Option<&Held> {
        self.held
            .iter()
            .filter(|held| {
                held.counted == *counted && held.low <= low && low.is_multiple_of(held.low)
            })
            .filter(|held| held.is_outermost() || low < held.border())
            .max_by_key(|held| held.low)
    }

    /// How many steps of `low` values the buffer holds before one is missing.
    fn values_in_a_row(&self, counted: &Counted, low: u64) -> u64 {
        let mut steps = 1_u64;
        let mut next = low;
        // Each round leaves one digit of the buffer behind.
        for _ in 0..self.held.len() {
            let Some(held) = self.holding(counted, next) else {
                break;
            };
            let ratio = next / held.low;
            if held.live < held.axis_values() {
                return steps.saturating_mul(held.live.div_ceil(ratio));
            }
            if held.is_outermost() {
                return u64::MAX;
            }
            steps = steps.saturating_mul(held.border() / next);
            next = held.border();
        }
        steps
    }
}

/// See [`Places::room_for_digit`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Room {
    /// Values with data.
    pub(super) data: u64,
    /// Positions, padding included.
    pub(super) padded: u64,
}

/// A loop before its stride is settled.
#[derive(Debug, Clone)]
pub(super) struct Loop {
    pub(super) size: u64,
    step: Step,
    axis: Option<Arc<str>>,
}

#[derive(Debug, Clone, Copy)]
enum Step {
    /// By so many elements, if known.
    By(Option<i128>),
    /// From where the loop inside ends.
    Continue,
}

impl Loop {
    fn of(entry: &Entry) -> Self {
        Self {
            size: entry.size,
            step: Step::By(entry.stride),
            axis: entry.axis.clone(),
        }
    }

    /// A padded group that is in a line.
    pub(super) fn line(size: u64, stride: Option<i128>, axis: Option<Arc<str>>) -> Self {
        Self {
            size,
            step: Step::By(stride),
            axis,
        }
    }
}

/// Settles the strides of loops over padding and drops loops of one iteration; outermost first.
pub(super) fn resolve_loops(loops: &[Loop]) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::with_capacity(loops.len());
    for level in loops.iter().rev() {
        let stride = match level.step {
            Step::By(stride) => stride,
            Step::Continue => entries.last().map_or(Some(1), Entry::span),
        };
        entries.extend(Entry::new(level.size, stride, level.axis.clone()));
    }
    entries.reverse();
    entries
}

/// Settles strides as `resolve` does, but lets loops over padding step through the holes of a buffer: places behind what
/// the other loops reach of one of its digits. None where a loop finds none.
pub(super) fn resolve_in_holes(loops: &[Loop], buffer: &Form) -> Option<Vec<Entry>> {
    // Of each digit of the buffer: its place, its positions, and how many of them are used.
    let mut place: i128 = 1;
    let mut holes: Vec<(i128, i128, i128)> = Vec::new();
    for digit in buffer.digits() {
        let extent = i128::from(digit.extent);
        let outside = place.checked_mul(extent)?;
        let mut used = 1;
        for level in loops {
            // A loop that starts inside of this digit's steps may run on through them.
            if let Step::By(Some(stride)) = level.step
                && stride < outside
            {
                let reached = i128::from(level.size - 1).checked_mul(stride)? / place;
                used += reached.clamp(0, extent);
            }
        }
        holes.push((place, extent, used));
        place = outside;
    }
    let mut entries: Vec<Entry> = Vec::with_capacity(loops.len());
    for level in loops.iter().rev() {
        let stride = match level.step {
            Step::By(stride) => stride,
            Step::Continue => {
                let size = i128::from(level.size);
                let (place, _, used) = holes
                    .iter_mut()
                    .find(|(_, extent, used)| used.saturating_mul(size) <= *extent)?;
                let stride = place.checked_mul(*used)?;
                *used *= size;
                Some(stride)
            }
        };
        entries.extend(Entry::new(level.size, stride, level.axis.clone()));
    }
    entries.reverse();
    Some(entries)
}
