//! Calls of helpers that leave nothing in the body, so that they need not be followed twice.
//!
//! Helpers that call each other twice at each of thirty levels are reached a billion times. Where such a call makes no
//! operation and no tensor, the second one with the same arguments at the same depth does not either, and gives the same value.

use rustc_hash::FxHashMap;

use crate::items::ItemId;
use crate::items::Span;
use crate::kernel::TensorId;
use crate::surface::Turbofish;

use super::{Interpreter, Thing, Value};

/// What a call of a helper depends on: the function, how deep the call is, and its arguments.
pub(super) type QuietCall = (ItemId, usize, Vec<PlainArgument>);

/// An argument that carries no state of the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum PlainArgument {
    Unit,
    Device,
    Context(Option<crate::kernel::Context>),
    /// A tensor that the call does nothing with that the body would show.
    Tensor(TensorId),
    Integer(i128),
}

/// What a call gives that leaves nothing in the body.
#[derive(Debug, Clone)]
pub(super) struct QuietResult {
    value: Value,
    /// What it leaves in the places that it is lent, by the number of the argument.
    lent: Vec<(usize, Value)>,
}

/// The calls that left nothing in the body.
#[derive(Debug, Default)]
pub(super) struct QuietCalls {
    known: FxHashMap<QuietCall, QuietResult>,
    /// Calls that were cut because the function was being followed already: what is around them decides that.
    pub(super) recursions: u64,
}

/// How much a body has, to tell whether a call added to it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mark {
    moment: u64,
    slots: [usize; 2],
    others: [usize; 7],
    recursions: u64,
}

impl Interpreter<'_> {
    /// What a call is known by, where it may be left out if it left nothing behind before.
    pub(super) fn quiet_key(
        &self,
        function: ItemId,
        turbofish: Turbofish<'_>,
        arguments: &[(Value, Span)],
    ) -> Option<QuietCall> {
        let is_generic = !turbofish.own.is_empty() || !turbofish.of_type.is_empty();
        if is_generic || turbofish.owner.is_some() || self.own.watch.is_some() {
            return None;
        }
        let plain = arguments.iter().map(|(value, _)| match value {
            Value::Unit => Some(PlainArgument::Unit),
            Value::Thing(Thing::Device) => Some(PlainArgument::Device),
            Value::Thing(Thing::Context(context)) => Some(PlainArgument::Context(*context)),
            Value::Thing(Thing::Tensor(tensor)) => Some(PlainArgument::Tensor(*tensor)),
            value => value.as_integer().map(PlainArgument::Integer),
        });
        Some((function, self.stack.len(), plain.collect::<Option<_>>()?))
    }

    /// The value of a call that is known to leave nothing in the body; what it leaves in places that it is lent is left there again.
    pub(super) fn repeat_quiet(&mut self, call: &QuietCall) -> Option<Value> {
        let known = self.own.quiet.known.get(call)?.clone();
        self.lent = known.lent;
        Some(known.value)
    }

    /// What the body has now.
    pub(super) fn mark(&self) -> Mark {
        let draft = &self.own.draft;
        Mark {
            moment: draft.now(),
            slots: [draft.mappings.len(), draft.scalars.len()],
            others: [
                draft.launches.len(),
                draft.shortened_loops.len(),
                draft.unbounded_loops.len(),
                draft.undecided_exits.len(),
                draft.tile_starts.len(),
                self.exits.len(),
                self.own.contractions.len(),
            ],
            recursions: self.own.quiet.recursions,
        }
    }

    /// Remembers a call that left nothing in the body since a mark was taken. What it could not resolve is recorded already, at
    /// its place.
    pub(super) fn remember_quiet(&mut self, call: QuietCall, before: &Mark, value: &Value) {
        let is_plain = matches!(value, Value::Unit | Value::Constant(..));
        if is_plain && self.mark() == *before && !self.exhausted {
            let result = QuietResult {
                value: value.clone(),
                lent: self.lent.clone(),
            };
            self.own.quiet.known.insert(call, result);
        }
    }
}
