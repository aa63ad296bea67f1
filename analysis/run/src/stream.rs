//! The stream of a pass: where its elements are, and moves of them that wait.
//!
//! A pass of a large kernel names the same elements in six orders before it computes with them: fetched, switched, collected,
//! transposed, aligned. Each order as elements of its own costs more memory and time than all sums together. A move therefore waits
//! where the next one gives the same elements without it: where the stream keeps every element of what it is moved from. The element
//! of a position then follows from its coordinates alone, whatever stands between.

use crate::items::Span;
use crate::kernel::{StreamShape, TensorId};

use super::cells::{Cells, OriginId, ends, is_identity};
use super::halt::{Halt, Step};
use super::machine::{Machine, no_plan};
use super::memory::View;
use super::plan::{Plan, Wheel, plan};
use super::space::{Over, Space, stream_levels};

/// The elements of a stream and where they are.
#[derive(Debug, Clone)]
pub(super) struct Stream {
    /// Their places, without holes.
    pub(super) space: Space,
    /// The elements in the order of `space`; where a move waits, those that it moves, or none of them.
    pub(super) cells: Cells,
    waiting: Option<Waiting>,
}

/// A move that is not carried out yet.
#[derive(Debug, Clone)]
struct Waiting {
    /// Where the elements lie until then.
    space: Space,
    /// The store that has them, where the stream has none of its own.
    store: Option<TensorId>,
}

/// Where elements are.
#[derive(Debug, Clone, Copy)]
pub(super) enum Held<'a> {
    /// In a stream.
    Stream(&'a Cells),
    /// In the store of a tensor.
    Store(TensorId),
}

impl Stream {
    /// Elements in the order of a space.
    pub(super) const fn new(space: Space, cells: Cells) -> Self {
        Self {
            space,
            cells,
            waiting: None,
        }
    }

    /// Where the elements lie.
    pub(super) fn held_space(&self) -> &Space {
        let waiting = self.waiting.as_ref();
        waiting.map_or(&self.space, |waiting| &waiting.space)
    }

    /// The store that has the elements, where the stream has none of its own.
    pub(super) fn store(&self) -> Option<TensorId> {
        self.waiting.as_ref().and_then(|waiting| waiting.store)
    }

    /// The elements as they lie in the held space.
    pub(super) fn held(&self) -> Held<'_> {
        let store = self.store();
        store.map_or(Held::Stream(&self.cells), Held::Store)
    }

    /// Whether each position of the stream is one element that lies somewhere, and each element that lies there is in the stream.
    fn is_rearranged(&self, held: usize) -> bool {
        let live = self.held_space().live_elements();
        live == Some(held) && held == self.space.positions()
    }

    /// Puts other elements in the place of those that lie there.
    pub(super) fn hold(&mut self, cells: Cells) {
        self.cells = cells;
        if let Some(waiting) = &mut self.waiting {
            waiting.store = None;
        }
    }

    /// Takes the elements out; the stream holds none until it gets others.
    pub(super) fn take_cells(&mut self) -> Cells {
        let empty = Cells::defined(visa_arrays::Array::zeros(self.cells.array.kind(), 0));
        std::mem::replace(&mut self.cells, empty)
    }
}

/// The places of a stream of a shape.
pub(super) fn stream_space(shape: &StreamShape, place: Span) -> Step<Space> {
    let levels = stream_levels(shape);
    let levels =
        levels.ok_or_else(|| Halt::refused(place, "a mapping of the stream is not known"))?;
    Space::dense(levels).ok_or_else(|| Halt::refused(place, "the stream has too many elements"))
}

/// Whether a move takes every element of its source: what comes behind it finds all of them by their coordinates.
fn takes_every_element(plan: &Plan, source: &Space) -> bool {
    let Plan::Wheels { wheels, .. } = plan else {
        return false;
    };
    let mut taken: Vec<&Wheel> = wheels.iter().filter(|wheel| wheel.source > 0).collect();
    taken.sort_by_key(|wheel| wheel.source);
    // A digit that is named twice is no stand-in for one of the same size that is left out.
    let is_repeated = taken.windows(2).any(|pair| match pair {
        [inner, outer] => outer.source < inner.source.saturating_mul(inner.count),
        _ => false,
    });
    let count = taken
        .iter()
        .fold(1_usize, |all, wheel| all.saturating_mul(wheel.count));
    let mut places = source.places.iter();
    let has_copies = places.any(|place| place.over == Over::Number && place.live > 1);
    !is_repeated && !has_copies && source.live_elements() == Some(count)
}

impl Machine<'_> {
    /// A stream of the elements of a tensor.
    ///
    /// # Errors
    /// The mappings do not say which elements, or they lie beyond the tensor.
    pub(super) fn stream_of(
        &mut self,
        space: &Space,
        source: &View,
        (idle, place): (OriginId, Span),
    ) -> Step<Stream> {
        let from = self.memory.store(source.root);
        let from = from.ok_or_else(|| Halt::refused(place, "a tensor is not known"))?;
        let moves = plan(space, &source.space).map_err(|reason| no_plan(&reason, place))?;
        if ends(&moves).1 < from.len() && takes_every_element(&moves, &source.space) {
            let none = Cells::defined(visa_arrays::Array::zeros(from.array.kind(), 0));
            return Ok(Stream {
                space: space.clone(),
                cells: none,
                waiting: Some(Waiting {
                    space: source.space.clone(),
                    store: Some(source.root),
                }),
            });
        }
        let cells = self.moved_by_plan(&moves, from, (space.positions(), idle), place)?;
        Ok(Stream::new(space.clone(), cells))
    }

    /// Moves a stream to another space, now or when its elements are asked for.
    ///
    /// # Errors
    /// The mappings do not say which elements.
    pub(super) fn move_stream(
        &mut self,
        stream: &mut Stream,
        space: &Space,
        (idle, place): (OriginId, Span),
    ) -> Step<()> {
        let moves = plan(space, &stream.space).map_err(|reason| no_plan(&reason, place))?;
        let (from, to) = (stream.space.positions(), space.positions());
        if !is_identity(&moves, from, to) {
            let straight = plan(space, stream.held_space());
            let can_wait = takes_every_element(&moves, &stream.space)
                && matches!(straight, Ok(Plan::Wheels { .. }));
            if can_wait {
                let held = stream.held_space().clone();
                stream.waiting.get_or_insert(Waiting {
                    space: held,
                    store: None,
                });
            } else {
                self.carry_stream(stream, (idle, place))?;
                stream.cells = self.moved_by_plan(&moves, &stream.cells, (to, idle), place)?;
            }
        }
        stream.space = space.clone();
        Ok(())
    }

    /// Carries out the move of a stream that waits.
    ///
    /// # Errors
    /// Its elements take more memory than a run may.
    pub(super) fn carry_stream(
        &mut self,
        stream: &mut Stream,
        (idle, place): (OriginId, Span),
    ) -> Step<()> {
        let Some(waiting) = stream.waiting.take() else {
            return Ok(());
        };
        let own = stream.take_cells();
        let from = match waiting.store {
            Some(id) => self.memory.store(id),
            None => Some(&own),
        };
        let from = from.ok_or_else(|| Halt::refused(place, "a tensor is not known"))?;
        let moves =
            plan(&stream.space, &waiting.space).map_err(|reason| no_plan(&reason, place))?;
        let length = stream.space.positions();
        stream.cells = self.moved_by_plan(&moves, from, (length, idle), place)?;
        Ok(())
    }

    /// Makes the elements that a stream holds those of its positions, each once: in another order, or without padding where a move waits.
    ///
    /// # Errors
    /// Its elements take more memory than a run may.
    pub(super) fn make_single(
        &mut self,
        stream: &mut Stream,
        (idle, place): (OriginId, Span),
    ) -> Step<()> {
        let held = self.held_cells(stream, place)?;
        let live = stream.held_space().live_elements();
        if stream.waiting.is_none() || stream.is_rearranged(held.len()) {
            return Ok(());
        }
        let close = stream.held_space().without_padding();
        let is_even = |to: &Space, from: &Space| matches!(plan(to, from), Ok(Plan::Wheels { .. }));
        let has_copies = live.is_none() || live != stream.space.live_elements();
        if has_copies || !is_even(&stream.space, &close) {
            return self.carry_stream(stream, (idle, place));
        }
        let moves = plan(&close, stream.held_space()).map_err(|reason| no_plan(&reason, place))?;
        let cells = self.moved_by_plan(&moves, held, (close.positions(), idle), place)?;
        stream.cells = cells;
        stream.waiting = Some(Waiting {
            space: close,
            store: None,
        });
        Ok(())
    }

    /// Carries out the move of a stream that waits, unless the store that it ends in takes the same elements without it.
    ///
    /// # Errors
    /// The mappings do not say which elements the store takes.
    pub(super) fn prepare_end(
        &mut self,
        stream: &mut Stream,
        target: TensorId,
        (idle, place): (OriginId, Span),
    ) -> Step<()> {
        if stream.waiting.is_none() {
            return Ok(());
        }
        let view = self.memory.view(self.body, target)?;
        plan(&view.space, &stream.space).map_err(|reason| no_plan(&reason, place))?;
        let straight = plan(&view.space, stream.held_space());
        let is_own = stream.store() == Some(view.root);
        if is_own || !matches!(straight, Ok(Plan::Wheels { .. })) {
            self.carry_stream(stream, (idle, place))?;
        }
        Ok(())
    }

    /// The elements of a stream as they lie.
    ///
    /// # Errors
    /// The store that has them is gone.
    pub(super) fn held_cells<'a>(&'a self, stream: &'a Stream, place: Span) -> Step<&'a Cells> {
        match stream.store() {
            Some(id) => {
                let store = self.memory.store(id);
                store.ok_or_else(|| Halt::refused(place, "a tensor is not known"))
            }
            None => Ok(&stream.cells),
        }
    }
}
