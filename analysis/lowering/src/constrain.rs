//! Values under types: what a declared type says of a value, two values of one type, one value for two.

use std::sync::Arc;

use crate::items::Span;
use crate::kernel::dialect::Access;
use crate::kernel::{Address, AddressValue, Level, PassSource, TensorId};

use super::draft::{OriginDraft, PassDraft};
use super::types::TensorType;
use super::types::{LevelSlots, Type};
use super::{Interpreter, Named, Thing, Value};

/// Tensors of an array parameter that are told apart.
const ARRAY_LIMIT: u64 = 64;
/// The same where a run is followed.
const RUN_ARRAY_LIMIT: u64 = 4_096;

impl Interpreter<'_> {
    /// A value of a type that comes from outside: a parameter, or the result of something that is not followed.
    pub(super) fn value_of_type(&mut self, ty: &Type, place: Span) -> Value {
        match ty {
            Type::Tensor(kind) => {
                let address = Address {
                    value: AddressValue::Unknown,
                    span: place,
                };
                Value::Thing(Thing::Tensor(self.own.draft.add_tensor(
                    *kind,
                    address,
                    OriginDraft::Parameter,
                    place,
                )))
            }
            Type::Stream { shape, context } => {
                let source = PassSource::Parameter {
                    position: shape.position,
                };
                self.begin_pass(*context, source, *shape, place)
            }
            Type::Device => Value::Thing(Thing::Device),
            Type::RunTimeValue => Value::Thing(Thing::RunTimeValue(None)),
            Type::Context(context) => Value::Thing(Thing::Context(*context)),
            Type::Tuple(parts) => Value::Tuple(
                parts
                    .iter()
                    .map(|part| self.value_of_type(part, place))
                    .collect(),
            ),
            Type::Number(Some(scalar)) => Value::Constant(
                crate::items::ConstValue::Unknown("a parameter"),
                Some(*scalar),
            ),
            Type::Unit => Value::Unit,
            Type::Record(item, fields, generics) => Value::Named(Box::new(Named {
                item: Some(*item),
                generics: Arc::clone(generics),
                path: vec![item.name(self.db).to_string()],
                arguments: Vec::new(),
                fields: fields
                    .iter()
                    .map(|(name, ty)| (name.clone(), self.value_of_type(ty, place), place))
                    .collect(),
            })),
            Type::Array(inner, Some(length))
                if (*length <= ARRAY_LIMIT || self.own.given.is_some())
                    && *length <= RUN_ARRAY_LIMIT
                    && inner.is_device_side() =>
            {
                Value::Array(
                    (0..*length)
                        .map(|_| self.value_of_type(inner, place))
                        .collect(),
                )
            }
            Type::Number(None) | Type::Unknown | Type::Array(..) => Value::Unknown,
        }
    }

    /// Fills the open parts of a value's type from a declared type, and the other way round.
    pub(super) fn constrain(&mut self, value: &Value, ty: &Type) {
        match (value, ty) {
            (Value::Thing(Thing::Tensor(id)), Type::Tensor(declared)) => {
                let Some(kind) = self.own.draft.tensor(*id).map(|tensor| tensor.kind) else {
                    return;
                };
                if kind.tier == declared.tier {
                    self.own.draft.scalars.unify(kind.scalar, declared.scalar);
                    self.unify_all(
                        kind.levels.all_slots().collect(),
                        declared.levels.all_slots().collect(),
                    );
                    self.keep_declared(*id, declared.levels);
                }
            }
            (Value::Thing(Thing::Stream(place)), Type::Stream { shape, .. }) => {
                let Some(own) = self.own.draft.pass(*place).map(PassDraft::shape) else {
                    return;
                };
                self.own.draft.scalars.unify(own.scalar, shape.scalar);
                if own.row.is_some() == shape.row.is_some() {
                    self.unify_all(own.all_slots().collect(), shape.all_slots().collect());
                }
            }
            (Value::Tuple(values), Type::Tuple(types)) => {
                for (value, ty) in values.iter().zip(types) {
                    self.constrain(value, ty);
                }
            }
            (Value::Named(named), Type::Record(_, declared, _)) => {
                for (name, value, _) in &named.fields {
                    if let Some((_, ty)) = declared.iter().find(|(field, _)| field == name) {
                        self.constrain(value, ty);
                    }
                }
                for ((value, _), (_, ty)) in named.arguments.iter().zip(declared) {
                    self.constrain(value, ty);
                }
            }
            (Value::Array(values), Type::Array(ty, _)) => {
                for value in values {
                    self.constrain(value, ty);
                }
            }
            _ => {}
        }
    }

    /// A tensor that a stream ends in is over the chips, clusters and slices that it is declared with where it is bound:
    /// where the stream has others, and also for the place that is written.
    fn keep_declared(&mut self, id: TensorId, declared: LevelSlots) {
        if self
            .own
            .draft
            .tensor(id)
            .is_none_or(|tensor| tensor.name.is_some())
        {
            return;
        }
        for level in [Level::Chip, Level::Cluster, Level::Slice] {
            if let Some(slot) = declared.get(level)
                && self.own.draft.mappings.value(slot).is_some()
                && let Some(tensor) = self.own.draft.tensor_mut(id)
            {
                tensor.kind.levels = tensor.kind.levels.with_level(level, slot);
            }
        }
    }

    /// Says that two values have one type: what a variable held before, elements of one array, arms of one branching.
    pub(super) fn unify_values(&mut self, first: &Value, second: &Value) {
        match (first, second) {
            (Value::Thing(Thing::Tensor(first)), Value::Thing(Thing::Tensor(second))) => {
                let kinds = (
                    self.own.draft.tensor(*first),
                    self.own.draft.tensor(*second),
                );
                if let (Some(first), Some(second)) = kinds {
                    let (first, second) = (first.kind, second.kind);
                    if first.tier == second.tier {
                        self.own.draft.scalars.unify(first.scalar, second.scalar);
                        self.unify_all(
                            first.levels.all_slots().collect(),
                            second.levels.all_slots().collect(),
                        );
                    }
                }
            }
            (Value::Tuple(first), Value::Tuple(second))
            | (Value::Array(first), Value::Array(second)) => {
                for (first, second) in first.iter().zip(second) {
                    self.unify_values(first, second);
                }
            }
            _ => {}
        }
    }

    fn unify_all(
        &mut self,
        first: Vec<super::slots::MappingSlot>,
        second: Vec<super::slots::MappingSlot>,
    ) {
        for (first, second) in first.into_iter().zip(second) {
            self.own.draft.mappings.unify(first, second);
        }
    }

    pub(super) fn merge_tensors(
        &mut self,
        first: crate::kernel::TensorId,
        second: crate::kernel::TensorId,
    ) -> Value {
        let kinds = (
            self.own
                .draft
                .tensor(first)
                .map(|tensor| (tensor.kind, tensor.span, tensor.address.span)),
            self.own.draft.tensor(second).map(|tensor| tensor.kind),
        );
        let (Some((kind, span, place)), Some(other)) = kinds else {
            return Value::Unknown;
        };
        if kind.tier != other.tier {
            return Value::Unknown;
        }
        self.unify_values(
            &Value::Thing(Thing::Tensor(first)),
            &Value::Thing(Thing::Tensor(second)),
        );
        // Even where both are at one address: a third tensor there would seem to be over them.
        let address = Address {
            value: AddressValue::Unknown,
            span: place,
        };
        let kind = TensorType {
            access: Access::Owned,
            ..kind
        };
        Value::Thing(Thing::Tensor(self.own.draft.add_tensor(
            kind,
            address,
            OriginDraft::Parameter,
            span,
        )))
    }

    /// An element of an array at an unknown place: a tensor of their common type, if they are tensors.
    pub(super) fn one_of(&mut self, values: Vec<Value>) -> Value {
        let mut values = values.into_iter();
        let Some(first @ Value::Thing(Thing::Tensor(_))) = values.next() else {
            return Value::Unknown;
        };
        values.fold(first, |one, other| self.merge(one, other))
    }

    /// A tensor is called as it is first bound.
    pub(super) fn name_tensor(&mut self, value: &Value, name: &str, span: Span) {
        if let Value::Thing(Thing::Tensor(id)) = value
            && let Some(tensor) = self.own.draft.tensors.get_mut(id.0 as usize)
            && tensor.name.is_none()
        {
            tensor.name = Some(name.to_owned());
            tensor.span = span;
        }
    }
}
