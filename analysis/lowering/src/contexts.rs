//! Methods of contexts: the beginnings of streams; collectives are in [`super::collectives`].

use crate::items::Span;
use crate::kernel::catalogue::Role;
use crate::kernel::dialect::{Access, Action, Method};
use crate::kernel::{
    Address, AddressValue, Context, Level, PassSource, Position, TensorId, Tier, UnresolvedReason,
    Written,
};
use crate::mapping::Mapping;

use super::draft::{OriginDraft, levels_of};
use super::slots::MappingSlot;
use super::types::{ShapeSlots, TensorType};
use super::{Call, Interpreter, Thing, Value};

impl Interpreter<'_> {
    /// A method of a context: the beginning of a stream, or a collective.
    pub(super) fn context_method(
        &mut self,
        context: Option<Context>,
        method: &'static Method,
        call: &Call,
    ) -> Value {
        match method.action {
            Action::Begin => self.begin_stream(context, method, call),
            Action::BeginInterleaved => self.begin_interleaved(context, method, call),
            Action::Shuffle(_) | Action::ParallelCopy(_) => {
                self.context_collective(context, method, call)
            }
            _ => Value::Unknown,
        }
    }

    fn begin_stream(&mut self, context: Option<Context>, method: &Method, call: &Call) -> Value {
        let place = call.place_of(method, Role::Source);
        let (tensor, followed) =
            self.streamed_tensor(&(call.value_of(method, Role::Source), place));
        let Some(kind) = self.own.draft.tensor(tensor).map(|tensor| tensor.kind) else {
            return Value::Unknown;
        };
        let time = self
            .own
            .draft
            .mappings
            .known_slot(Written::new(Mapping::identity(), call.name_span));
        let begin = self.begin_shape(&kind, time, call.name_span);
        let stream = self.begin_pass(context, PassSource::Tensor(tensor), begin, call.name_span);
        if let (Value::Thing(Thing::Stream(pass)), false) = (&stream, followed) {
            let reason = UnresolvedReason::UnsupportedExpression(
                "the tensor that a stream begins with".to_owned(),
            );
            self.own.draft.fail(*pass, reason, place);
        }
        stream
    }

    /// The tensor of an argument; an unknown one where it could not be followed.
    fn streamed_tensor(&mut self, (value, span): &(Value, Span)) -> (TensorId, bool) {
        let span = *span;
        if let Value::Thing(Thing::Tensor(id)) = value {
            return (*id, true);
        }
        let levels = levels_of(Tier::Dm, |_| self.own.draft.mappings.open_slot(span));
        let scalar = self.own.draft.scalars.open_slot(span);
        let kind = TensorType {
            tier: Tier::Dm,
            access: Access::Shared,
            scalar,
            levels,
        };
        let address = Address {
            value: AddressValue::Unknown,
            span,
        };
        (
            self.own
                .draft
                .add_tensor(kind, address, OriginDraft::Parameter, span),
            false,
        )
    }

    fn begin_shape(&mut self, kind: &TensorType, time: MappingSlot, span: Span) -> ShapeSlots {
        let mut level = |level: Level| match kind.levels.get(level) {
            Some(slot) => slot,
            None => self.own.draft.mappings.open_slot(span),
        };
        ShapeSlots {
            position: Position::Begin,
            scalar: kind.scalar,
            chip: level(Level::Chip),
            cluster: level(Level::Cluster),
            slice: level(Level::Slice),
            row: None,
            time,
            packet: kind.levels.element,
            way: None,
        }
    }

    fn begin_interleaved(
        &mut self,
        context: Option<Context>,
        method: &Method,
        call: &Call,
    ) -> Value {
        let generics = self.generics(method, call);
        let axis = generics
            .axis
            .unwrap_or_else(|| Written::unknown(call.name_span));
        let mut tensors = Vec::new();
        let mut spans = Vec::new();
        let mut followed = true;
        // What is behind the arguments that the method has is a tensor, too: how many there may be is judged later.
        let beyond = call.arguments.iter().skip(method.arguments.len()).cloned();
        let given = call.all_of(method, Role::Source);
        let written = given.into_iter().take(call.arguments.len().max(1));
        for source in written.chain(beyond) {
            let (tensor, known) = self.streamed_tensor(&source);
            followed &= known;
            tensors.push(tensor);
            spans.push(source.1);
        }
        let Some(kind) = tensors
            .first()
            .and_then(|id| self.own.draft.tensor(*id))
            .map(|tensor| tensor.kind)
        else {
            return Value::Unknown;
        };
        for other in tensors
            .iter()
            .skip(1)
            .filter_map(|id| self.own.draft.tensor(*id))
            .map(|tensor| tensor.kind)
            .collect::<Vec<_>>()
        {
            self.own.draft.scalars.unify(kind.scalar, other.scalar);
            for (one, two) in kind
                .levels
                .all_slots()
                .zip(other.levels.all_slots())
                .collect::<Vec<_>>()
            {
                self.own.draft.mappings.unify(one, two);
            }
        }
        let time = match &axis.value {
            Some(value) => self
                .own
                .draft
                .mappings
                .known_slot(Written::new(Mapping::axis(value.clone()), axis.span)),
            None => self.own.draft.mappings.open_slot(axis.span),
        };
        let begin = self.begin_shape(&kind, time, call.name_span);
        let stream = self.begin_pass(
            context,
            PassSource::Interleaved {
                axis,
                tensors,
                spans,
            },
            begin,
            call.name_span,
        );
        if let (Value::Thing(Thing::Stream(pass)), false) = (&stream, followed) {
            let reason = UnresolvedReason::UnsupportedExpression(
                "a tensor that a stream begins with".to_owned(),
            );
            self.own.draft.fail(*pass, reason, call.name_span);
        }
        stream
    }
}
