//! Places in types that a mapping or an element type fills: known from the start, inferred later, or never.
//!
//! A chain shares slots between its steps, so what an annotation at its end says reaches every step that asked for it.

use std::marker::PhantomData;

use crate::hardware::ElementType;
use crate::items::Span;
use crate::kernel::{UnresolvedReason, Written};
use crate::mapping::Mapping;

/// A place in a type.
#[derive(Debug)]
pub(super) struct Slot<T> {
    index: u32,
    kind: PhantomData<fn() -> T>,
}

impl<T> Clone for Slot<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Slot<T> {}

impl<T> PartialEq for Slot<T> {
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index
    }
}

/// A place for a mapping.
pub(super) type MappingSlot = Slot<Mapping>;
/// A place for an element type.
pub(super) type ScalarSlot = Slot<ElementType>;

/// What fills a slot.
#[derive(Debug, Clone)]
enum State<T> {
    /// Nothing yet; the place to name if nothing ever does.
    Open(Span),
    /// A written value.
    Known(Written<T>),
    /// Something written that could not be resolved.
    Failed(UnresolvedReason, Span),
    /// The same as another slot.
    Link(u32),
}

/// All slots of one kind.
#[derive(Debug)]
pub(super) struct SlotTable<T> {
    states: Vec<State<T>>,
}

impl<T> Default for SlotTable<T> {
    fn default() -> Self {
        Self { states: Vec::new() }
    }
}

impl<T: Clone + PartialEq> SlotTable<T> {
    /// How many slots there are.
    pub(super) const fn len(&self) -> usize {
        self.states.len()
    }

    /// Makes room for so many slots.
    pub(super) fn reserve(&mut self, slots: usize) {
        self.states.reserve(slots);
    }

    /// A slot to be inferred; `place` is the method or parameter that asks for it.
    pub(super) fn open_slot(&mut self, place: Span) -> Slot<T> {
        self.push(State::Open(place))
    }

    /// A slot with a value.
    pub(super) fn known_slot(&mut self, written: Written<T>) -> Slot<T> {
        self.push(State::Known(written))
    }

    /// A slot whose text could not be resolved.
    pub(super) fn failed(&mut self, reason: UnresolvedReason, span: Span) -> Slot<T> {
        self.push(State::Failed(reason, span))
    }

    fn push(&mut self, state: State<T>) -> Slot<T> {
        let index = u32::try_from(self.states.len()).unwrap_or(u32::MAX);
        self.states.push(state);
        Slot {
            index,
            kind: PhantomData,
        }
    }

    fn root(&self, slot: Slot<T>) -> u32 {
        let mut index = slot.index;
        // Only roots become links, to other roots, so that this ends; the bound keeps it so if they did not.
        for _ in 0..self.states.len() {
            match self.states.get(index as usize) {
                Some(State::Link(next)) if *next != index => index = *next,
                _ => break,
            }
        }
        index
    }

    fn state(&self, slot: Slot<T>) -> Option<&State<T>> {
        self.states.get(self.root(slot) as usize)
    }

    /// What a slot of another table holds, in a slot of this one.
    pub(super) fn adopt(&mut self, other: &Self, slot: Slot<T>) -> Slot<T> {
        let state = other.state(slot).cloned();
        // No link leads to a link, and a slot of the other table is one of its own.
        self.push(state.unwrap_or(State::Link(u32::MAX)))
    }

    /// What a slot holds in a slot of its own, for a text that is written at `from` and once more at `to`: what is placed in the
    /// first is placed in the second.
    pub(super) fn moved_slot(&mut self, slot: Slot<T>, from: Span, to: Span) -> Slot<T> {
        let moved = |span: Span| {
            let inside = span.item == from.item && from.start <= span.start && span.end <= from.end;
            if !inside {
                return span;
            }
            let at = |place: u32| to.start.saturating_add(place.saturating_sub(from.start));
            Span {
                item: to.item,
                start: at(span.start),
                end: at(span.end),
            }
        };
        let state = match self.state(slot).cloned() {
            Some(State::Open(place)) => State::Open(moved(place)),
            Some(State::Known(written)) => State::Known(Written {
                value: written.value,
                span: moved(written.span),
                used_at: written.used_at.map(moved),
            }),
            Some(State::Failed(reason, place)) => State::Failed(reason, moved(place)),
            // No link leads to a link.
            Some(State::Link(_)) | None => State::Link(u32::MAX),
        };
        self.push(state)
    }

    /// All values that are known by now.
    pub(super) fn values(&self) -> impl Iterator<Item = &T> {
        self.states.iter().filter_map(|state| match state {
            State::Known(written) => written.value.as_ref(),
            _ => None,
        })
    }

    /// Changes all values that are known by now.
    pub(super) fn change_known(&mut self, change: impl Fn(&mut T)) {
        for state in &mut self.states {
            if let State::Known(written) = state
                && let Some(value) = &mut written.value
            {
                change(value);
            }
        }
    }

    /// The value, if known by now.
    pub(super) fn value(&self, slot: Slot<T>) -> Option<&T> {
        match self.state(slot) {
            Some(State::Known(written)) => written.value.as_ref(),
            _ => None,
        }
    }

    /// Whether nothing fills the slot yet.
    pub(super) fn is_open(&self, slot: Slot<T>) -> bool {
        matches!(self.state(slot), Some(State::Open(_)))
    }

    /// Says that two slots stand for the same. Where both are written, each keeps its own: whether they agree is the
    /// compiler's question.
    pub(super) fn unify(&mut self, first: Slot<T>, second: Slot<T>) {
        let (first, second) = (self.root(first), self.root(second));
        if first == second {
            return;
        }
        let open = |table: &Self, index: u32| {
            matches!(table.states.get(index as usize), Some(State::Open(_)))
        };
        let (from, to) = if open(self, first) && open(self, second) {
            (first.max(second), first.min(second))
        } else if open(self, first) {
            (first, second)
        } else if open(self, second) {
            (second, first)
        } else {
            return;
        };
        if let Some(state) = self.states.get_mut(from as usize) {
            *state = State::Link(to);
        }
    }

    /// Why a slot holds nothing in the end, and where to say so; none where it holds something.
    pub(super) fn empty_reason(
        &self,
        slot: Slot<T>,
        fallback: Span,
    ) -> Option<(UnresolvedReason, Span)> {
        if let Some(State::Known(_)) = self.state(slot) {
            return None;
        }
        let (written, reason) = self.resolve_slot(slot, fallback);
        Some((reason?, written.span))
    }

    /// What the slot holds in the end, and why it holds nothing. `fallback` is the place of a slot of another table.
    pub(super) fn resolve_slot(
        &self,
        slot: Slot<T>,
        fallback: Span,
    ) -> (Written<T>, Option<UnresolvedReason>) {
        match self.state(slot) {
            Some(State::Known(written)) => (written.clone(), None),
            Some(State::Failed(reason, span)) => (Written::unknown(*span), Some(reason.clone())),
            Some(State::Open(place)) => (
                Written::unknown(*place),
                Some(UnresolvedReason::NotInferred),
            ),
            Some(State::Link(_)) | None => (
                Written::unknown(fallback),
                Some(UnresolvedReason::NotInferred),
            ),
        }
    }
}
