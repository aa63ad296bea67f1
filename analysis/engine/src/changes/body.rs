//! A copy of a body in which edits are made and taken back, so that trying many costs one copy.
//!
//! Knows which tensors and operations hold the values of a place, and which operations read or write a tensor; judges nothing.

use rustc_hash::{FxHashMap, FxHashSet};

use super::values::{Values, places_of_operation, places_of_tensor, write};
use crate::derivation::memory::MemoryDerivation;
use crate::items::Span;
use crate::kernel::{Body, OperationKind, PassEnd, TensorId};

/// What of a body is written at a place.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Holder {
    Tensor(usize),
    Operation(usize),
}

/// What edits change in a body, by numbers, each once and in ascending order.
#[derive(Debug, Default)]
pub(crate) struct Change {
    /// The tensors that hold an edited value.
    pub(crate) tensors: Vec<usize>,
    /// The operations that hold one.
    pub(crate) operations: Vec<usize>,
    /// These operations, and those that read or write one of these tensors or a register that they fill.
    pub(crate) touched: Vec<usize>,
}

/// A copy of a body in which edits are made and taken back.
pub(crate) struct TrialBody {
    body: Body,
    holders: FxHashMap<Span, Vec<Holder>>,
    /// The operations that read or write a tensor with bytes of its own. Views and reshapes are used by who uses their tensor:
    /// their bytes are the same.
    users: FxHashMap<TensorId, Vec<usize>>,
}

impl TrialBody {
    /// A copy of a body, given what was derived of the body's memory, for edits at places that are wanted.
    pub(crate) fn of(
        body: &Body,
        memory: &MemoryDerivation,
        is_wanted: impl Fn(Span) -> bool,
    ) -> Self {
        let mut holders: FxHashMap<Span, Vec<Holder>> = FxHashMap::default();
        let mut note = |place: Span, holder: Holder| {
            if !is_wanted(place) {
                return;
            }
            let known = holders.entry(place).or_default();
            if known.last() != Some(&holder) {
                known.push(holder);
            }
        };
        for (number, tensor) in body.tensors.iter().enumerate() {
            places_of_tensor(tensor, |place| note(place, Holder::Tensor(number)));
        }
        for (number, operation) in body.operations.iter().enumerate() {
            places_of_operation(operation, |place| note(place, Holder::Operation(number)));
        }
        Self {
            users: users(memory),
            body: body.clone(),
            holders,
        }
    }

    /// The body as it is now.
    pub(crate) const fn body(&self) -> &Body {
        &self.body
    }

    /// What edits at some places change; `None` where nothing of the body is written at one of them.
    pub(crate) fn change(&self, places: impl IntoIterator<Item = Span>) -> Option<Change> {
        let mut holders: FxHashSet<Holder> = FxHashSet::default();
        for place in places {
            holders.extend(self.holders.get(&place)?);
        }
        let mut change = Change::default();
        // The runs of a loop make many views of one tensor: its users are taken once.
        let mut bases: FxHashSet<TensorId> = FxHashSet::default();
        for holder in holders {
            match holder {
                Holder::Tensor(number) => {
                    change.tensors.push(number);
                    let tensor = self.body.tensors.get(number);
                    bases.extend(tensor.map(|tensor| self.body.root(tensor.id)));
                }
                Holder::Operation(number) => {
                    change.operations.push(number);
                    change.touched.push(number);
                    // Who reads a register asks by which stream it was filled.
                    bases.extend(self.filled_register(number));
                }
            }
        }
        let users = bases.iter().filter_map(|base| self.users.get(base));
        change.touched.extend(users.flatten());
        for numbers in [
            &mut change.tensors,
            &mut change.operations,
            &mut change.touched,
        ] {
            numbers.sort_unstable();
            numbers.dedup();
        }
        Some(change)
    }

    /// The register that an operation fills, if it fills one.
    fn filled_register(&self, operation: usize) -> Option<TensorId> {
        let operation = self.body.operations.get(operation)?;
        match &operation.kind {
            OperationKind::Pass(pass) => match pass.end {
                PassEnd::ToVrf { target, .. } => Some(self.body.root(target)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Writes values where a change has them; at how many places the body now holds one.
    pub(crate) fn make(&mut self, values: &Values, change: &Change) -> usize {
        let mut writing = write(values);
        for number in &change.tensors {
            if let Some(tensor) = self.body.tensors.get_mut(*number) {
                writing.tensor(tensor);
            }
        }
        for number in &change.operations {
            if let Some(operation) = self.body.operations.get_mut(*number) {
                writing.operation(operation);
            }
        }
        writing.written()
    }

    /// Makes the body what it was before a change.
    pub(crate) fn take_back(&mut self, original: &Body, change: &Change) {
        for number in &change.tensors {
            let own = self.body.tensors.get_mut(*number);
            if let (Some(own), Some(old)) = (own, original.tensors.get(*number)) {
                own.clone_from(old);
            }
        }
        for number in &change.operations {
            let own = self.body.operations.get_mut(*number);
            if let (Some(own), Some(old)) = (own, original.operations.get(*number)) {
                own.clone_from(old);
            }
        }
    }
}

/// The operations that read or write each tensor that has bytes of its own.
fn users(memory: &MemoryDerivation) -> FxHashMap<TensorId, Vec<usize>> {
    let mut users: FxHashMap<TensorId, Vec<usize>> = FxHashMap::default();
    for (operation, touches) in memory.touches.iter().enumerate() {
        for touch in touches {
            let lifetime = memory.lifetimes.get(touch.allocation);
            let own = lifetime.map(|lifetime| users.entry(lifetime.tensor).or_default());
            if let Some(own) = own.filter(|own| own.last() != Some(&operation)) {
                own.push(operation);
            }
        }
    }
    users
}
