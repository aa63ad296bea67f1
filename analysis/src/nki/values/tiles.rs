//! The tiles that functions of NKI give back: what the engines compute of tiles in SBUF and PSUM.
//!
//! Knows shapes alone, and of functions whose result follows from the shapes of what they read.

use std::sync::Arc;

use ruff_python_ast::{ExprCall, Operator};

use super::calls::Passed;
use super::environment::Environment;
use super::functions::Interpreter;
use super::grids::broadcast;
use super::{Allocation, Value};
use crate::nki::names::Api;
use crate::nki::symbols::Size;
use crate::nki::syntax::span_of;
use crate::nki::types::{Dtype, Reason, Shape, Space, Span, Tensor};

/// Functions of one tile that keep its shape.
const ELEMENTWISE: &[&str] = &[
    "abs",
    "arctan",
    "ceil",
    "copy",
    "cos",
    "dropout",
    "erf",
    "exp",
    "floor",
    "gelu",
    "gelu_apprx_tanh",
    "invert",
    "log",
    "mish",
    "negative",
    "reciprocal",
    "relu",
    "rsqrt",
    "sigmoid",
    "sign",
    "silu",
    "sin",
    "softplus",
    "sqrt",
    "square",
    "tan",
    "tanh",
    "trunc",
];

/// Functions of two tiles, or of a tile and a number, whose shapes are stretched to each other.
const OF_TWO: &[&str] = &[
    "add",
    "bitwise_and",
    "bitwise_or",
    "bitwise_xor",
    "divide",
    "equal",
    "greater",
    "greater_equal",
    "less",
    "less_equal",
    "maximum",
    "minimum",
    "multiply",
    "not_equal",
    "power",
    "subtract",
];

impl<'a> Interpreter<'a> {
    /// The tile that `nl.load` gives back; also an allocation in SBUF.
    pub fn loaded_tile(
        &mut self,
        api: Api,
        call: &'a ExprCall,
        passed: &Passed<'a>,
        environment: &Environment,
    ) -> Arc<Tensor> {
        let source = passed.get("src", 0);
        let tensor = source.map(|given| self.tensor(&given.value, environment));
        let dtype = match passed.named("dtype").map(|given| &given.value) {
            Some(Value::Dtype(dtype)) => Some(dtype.clone()),
            Some(Value::None) | None => tensor.as_ref().and_then(|tensor| tensor.dtype.clone()),
            Some(_) => None,
        };
        let has_assumed_axes = tensor
            .as_ref()
            .is_some_and(|tensor| tensor.has_assumed_axes);
        let shape = tensor.map_or(Shape::Unknown(Reason::Call), |tensor| tensor.shape.clone());
        let tile = Arc::new(Tensor {
            has_assumed_axes,
            ..tile(shape, dtype, Space::Sbuf, Some(span_of(call)))
        });
        if self.is_recording {
            self.out.allocations.push(Allocation {
                tensor: Arc::clone(&tile),
                api,
                generations: environment.generations(),
                is_marked: false,
                function: self.function,
                loaded_from: source.map(|given| given.written.value),
            });
        }
        tile
    }

    /// The tile that a function of the language gives back, if its shape follows from what it reads.
    pub fn computed_tile(&mut self, name: &str, passed: &Passed<'a>) -> Value {
        let unknown = Value::Unknown(Reason::Call);
        if ELEMENTWISE.contains(&name) {
            return match passed.get("x", 0).map(|given| &given.value) {
                Some(Value::Tensor(tensor)) => result(tensor.shape.clone(), None, Space::Sbuf),
                _ => unknown,
            };
        }
        if OF_TWO.contains(&name) {
            let sides = passed.get("x", 0).zip(passed.get("y", 1));
            return sides
                .and_then(|(left, right)| stretched_tile(&left.value, &right.value))
                .unwrap_or(unknown);
        }
        let tensor = |place: usize| match &passed.positional.get(place)?.value {
            Value::Tensor(tensor) => Some(Arc::clone(tensor)),
            _ => None,
        };
        match name {
            "transpose" => match tensor(0).as_ref().and_then(|tensor| tensor.shape.known()) {
                Some([first, second]) => {
                    let extents = vec![second.clone(), first.clone()];
                    result(Shape::Known(extents), None, Space::Sbuf)
                }
                _ => unknown,
            },
            "matmul" => {
                let is_transposed = match passed.get("transpose_x", 2).map(|given| &given.value) {
                    None => Some(false),
                    Some(Value::Bool(is_transposed)) => Some(*is_transposed),
                    Some(_) => None,
                };
                let product = tensor(0).zip(tensor(1)).zip(is_transposed);
                let extents = product.and_then(|((left, right), is_transposed)| {
                    let ([first, second], [_, columns]) =
                        (left.shape.known()?, right.shape.known()?)
                    else {
                        return None;
                    };
                    let rows = if is_transposed { second } else { first };
                    Some(vec![rows.clone(), columns.clone()])
                });
                extents.map_or(unknown, |extents| {
                    result(Shape::Known(extents), None, Space::Psum)
                })
            }
            _ => unknown,
        }
    }
}

/// A tile that holds its elements without gaps.
fn tile(shape: Shape, dtype: Option<Dtype>, space: Space, declared: Option<Span>) -> Tensor {
    Tensor {
        space: Some(space),
        steps: shape.known().and_then(Tensor::row_major),
        shape,
        dtype,
        partition_axis: Some(0),
        declared,
        ..Tensor::unknown(Reason::Call)
    }
}

fn result(shape: Shape, dtype: Option<Dtype>, space: Space) -> Value {
    Value::Tensor(Arc::new(tile(shape, dtype, space, None)))
}

/// The tile of an operator of Python between two tiles, or a tile and a number: `a + b`, `a * 2.0`.
pub fn operated(left: &Value, operator: Operator, right: &Value) -> Option<Value> {
    let is_elementwise = matches!(
        operator,
        Operator::Add | Operator::Sub | Operator::Mult | Operator::Div
    );
    stretched_tile(left, right).filter(|_| is_elementwise)
}

fn stretched_tile(left: &Value, right: &Value) -> Option<Value> {
    let shape_of = |value: &Value| -> Option<Vec<Size>> {
        match value {
            Value::Tensor(tensor) if tensor.space.is_some_and(Space::has_partitions) => {
                Some(tensor.shape.known()?.to_vec())
            }
            Value::Int(_) | Value::Float(_) => Some(Vec::new()),
            _ => None,
        }
    };
    let (left, right) = (shape_of(left)?, shape_of(right)?);
    let extents = broadcast(&[&left, &right]).filter(|extents| !extents.is_empty())?;
    Some(result(Shape::Known(extents), None, Space::Sbuf))
}
