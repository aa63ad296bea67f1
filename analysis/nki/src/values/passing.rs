//! What a value is where it goes from one text to another, and what two calls pass alike.
//!
//! Places of one text mean nothing in another. Follows no statement.

use std::sync::Arc;

use super::{Argument, Elements, Value};
use crate::types::{Gather, Reason, Span, Tensor};

/// A value as another text has it: without places in its own, and without functions from a number on, which no other text knows.
pub fn abroad(value: &Value, functions: usize) -> Value {
    let tensor = |tensor: &Tensor| {
        Arc::new(Tensor {
            second_offset: tensor.second_offset.map(|_| Span::default()),
            column_offset: None,
            gather: tensor.gather.clone().map(|gather| Gather {
                span: Span::default(),
                indices: gather.indices.map(|indices| {
                    Arc::new(Tensor {
                        declared: None,
                        shape_span: None,
                        dtype_span: None,
                        ..(*indices).clone()
                    })
                }),
                ..gather
            }),
            declared: None,
            shape_span: None,
            dtype_span: None,
            ..tensor.clone()
        })
    };
    let all = |elements: &[Value]| elements.iter().map(|one| abroad(one, functions)).collect();
    match value {
        Value::Tensor(found) => Value::Tensor(tensor(found)),
        Value::Tensors(Elements::Each(found)) => Value::Tensors(Elements::Each(tensor(found))),
        Value::Tuple(elements) => Value::Tuple(all(elements)),
        Value::List(elements) => Value::List(all(elements)),
        Value::Function(place) if *place >= functions => Value::Unknown(Reason::Call),
        other => other.clone(),
    }
}

/// A value from another text: rows that were chosen there are chosen here at a place.
pub fn chosen_at(value: Value, at: Span) -> Value {
    let is_abroad = |tensor: &Tensor| {
        let gather = tensor.gather.as_ref().map(|gather| gather.span);
        [gather, tensor.second_offset].contains(&Some(Span::default()))
    };
    match value {
        Value::Tensor(tensor) if is_abroad(&tensor) => Value::Tensor(Arc::new(Tensor {
            second_offset: tensor.second_offset.map(|_| at),
            gather: tensor
                .gather
                .clone()
                .map(|gather| Gather { span: at, ..gather }),
            ..(*tensor).clone()
        })),
        other => other,
    }
}

/// An argument that calls disagree about but for its memory has this number until it is bound.
pub const UNNUMBERED: u32 = u32::MAX;

/// Two tensors of which only the memory is the same.
fn of_one_memory(one: &Value, other: &Value) -> Option<Value> {
    let space = |value: &Value| match value {
        Value::Tensor(tensor) if tensor.gather.is_none() && !tensor.may_gather => tensor.space,
        Value::Argument(argument) => argument.space,
        _ => None,
    };
    let space = space(one).filter(|known| space(other) == Some(*known))?;
    Some(Value::Argument(Arc::new(Argument {
        name: Arc::from("argument"),
        number: UNNUMBERED,
        space: Some(space),
    })))
}

/// What two calls pass alike. Of two tensors with other names what both have.
pub fn agreed_value(one: Value, other: &Value) -> Option<Value> {
    if one == *other {
        return Some(one);
    }
    let (Value::Tensor(one), Value::Tensor(other)) = (&one, other) else {
        return of_one_memory(&one, other);
    };
    if one.gather.is_some() || other.gather.is_some() {
        return None;
    }
    if one.shape != other.shape {
        return of_one_memory(
            &Value::Tensor(Arc::clone(one)),
            &Value::Tensor(Arc::clone(other)),
        );
    }
    Some(Value::Tensor(Arc::new(Tensor {
        space: one.space.filter(|space| other.space == Some(*space)),
        shape: one.shape.clone(),
        shape_of: one
            .shape_of
            .clone()
            .filter(|of| other.shape_of.as_ref() == Some(of)),
        dtype: one
            .dtype
            .clone()
            .filter(|dtype| other.dtype.as_ref() == Some(dtype)),
        steps: one
            .steps
            .clone()
            .filter(|steps| other.steps.as_ref() == Some(steps)),
        partition_axis: one
            .partition_axis
            .filter(|axis| other.partition_axis == Some(*axis)),
        is_dynamic: one.is_dynamic && other.is_dynamic,
        may_gather: one.may_gather || other.may_gather,
        is_view: one.is_view || other.is_view,
        ..Tensor::unknown(Reason::Argument)
    })))
}
