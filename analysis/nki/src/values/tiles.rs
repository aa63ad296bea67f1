//! The tiles that functions of NKI give back: what the engines compute of tiles in SBUF and PSUM.
//!
//! Knows shapes alone, and of functions whose result follows from the shapes of what they read.

use std::sync::Arc;

use ruff_python_ast::{ExprCall, Operator};

use super::calls::{Given, Passed};
use super::environment::Environment;
use super::functions::Interpreter;
use super::grids::broadcast_shape;
use super::{Allocation, Argument, Value};
use crate::names::Api;
use crate::symbols::{Kind, Size};
use crate::syntax::span_of;
use crate::types::{Dtype, Reason, Shape, ShapeOf, Space, Span, Tensor};

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
    "logical_not",
    "mish",
    "negative",
    "reciprocal",
    "relu",
    "rms_norm",
    "rsqrt",
    "sigmoid",
    "sign",
    "silu",
    "sin",
    "softmax",
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
    "logical_and",
    "logical_or",
    "maximum",
    "minimum",
    "multiply",
    "not_equal",
    "power",
    "subtract",
];

/// Functions of the language that reduce axes of a tile.
const REDUCING: &[&str] = &["all", "any", "max", "mean", "min", "prod", "sum", "var"];

/// Instructions of the older form that give back a tile with the shape of one that they read: its keyword and its position.
const OF_SHAPE: &[(&str, &str, usize)] = &[
    ("activation", "data", 1),
    ("activation_reduce", "data", 1),
    ("affine_select", "on_true_tile", 1),
    ("dropout", "data", 0),
    ("nc_match_replace8", "data", 0),
    ("range_select", "on_true_tile", 0),
    ("reciprocal", "data", 0),
    ("scalar_tensor_tensor", "data", 0),
    ("select_reduce", "on_true", 2),
    ("tensor_copy", "src", 0),
    ("tensor_scalar", "data", 0),
    ("tensor_tensor", "data1", 0),
    ("tensor_tensor_scan", "data0", 0),
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
        let dtype = match passed.named_argument("dtype").map(|given| &given.value) {
            Some(Value::Dtype(dtype)) => Some(dtype.clone()),
            Some(Value::None) | None => tensor.as_ref().and_then(|tensor| tensor.dtype.clone()),
            Some(_) => None,
        };
        let has_assumed_axes = tensor
            .as_ref()
            .is_some_and(|tensor| tensor.has_assumed_axes);
        let shape_of = tensor.as_ref().and_then(|tensor| tensor.shape_of.clone());
        let shape = tensor.map_or(Shape::Unknown(Reason::Call), |tensor| tensor.shape.clone());
        let tile = Arc::new(Tensor {
            has_assumed_axes,
            shape_of,
            ..dense_tile(shape, dtype, Some(Space::Sbuf), Some(span_of(call)))
        });
        if self.is_recording {
            self.out.allocations.push(Allocation {
                tensor: Arc::clone(&tile),
                api,
                generations: environment.generations(),
                is_marked: false,
                function: self.function,
                loaded_from: source.map(|given| given.written.value),
                at: self.step,
                fixed: None,
            });
            self.note_use(
                &Value::Tensor(Arc::clone(&tile)),
                false,
                span_of(&*call.func),
            );
        }
        tile
    }

    /// The tile that a function of the language gives back, if its shape follows from what it reads.
    pub fn computed_tile(&mut self, name: &str, passed: &Passed<'a>) -> Value {
        let unknown = Value::Unknown(Reason::Call);
        if ELEMENTWISE.contains(&name) {
            return passed
                .get("x", 0)
                .map_or(unknown, |given| like(&given.value));
        }
        if REDUCING.contains(&name) {
            let (tile, axis) = (passed.get("x", 0), passed.get("axis", 1));
            return reduced_tile(tile, axis, passed).unwrap_or(unknown);
        }
        if OF_TWO.contains(&name) {
            let sides = passed.get("x", 0).zip(passed.get("y", 1));
            return sides
                .and_then(|(left, right)| self.stretched_tile(&left.value, &right.value))
                .unwrap_or(unknown);
        }
        match name {
            "transpose" => swapped_tile(passed.get("x", 0), Some(Space::Sbuf)),
            "load_transpose2d" => swapped_tile(passed.get("src", 0), Some(Space::Sbuf)),
            "matmul" => matrix_product(passed),
            "broadcast_to" => {
                let extents = passed.get("shape", 1).and_then(|given| {
                    let elements = given.value.elements()?;
                    self.integers(elements)
                });
                extents.map_or(unknown, |extents| result_tile(extents, Some(Space::Sbuf)))
            }
            "expand_dims" => expanded_tile(passed).unwrap_or(unknown),
            "where" => {
                let sides = passed.get("x", 1).zip(passed.get("y", 2));
                sides
                    .and_then(|(left, right)| self.stretched_tile(&left.value, &right.value))
                    .unwrap_or(unknown)
            }
            "shared_constant" => self.constant(passed),
            _ => unknown,
        }
    }

    /// `nl.shared_constant(array)`: a tensor in HBM whose shape the array has, which is none of ours.
    fn constant(&mut self, passed: &Passed<'a>) -> Value {
        let argument = Arc::new(Argument {
            name: Arc::from("constant"),
            number: self.fresh_number(),
            space: Some(Space::Hbm),
        });
        let dtype = passed.get("dtype", 1).and_then(|given| match &given.value {
            Value::Dtype(dtype) => Some(dtype.clone()),
            _ => None,
        });
        Value::Tensor(Arc::new(Tensor {
            space: Some(Space::Hbm),
            shape_of: Some(ShapeOf {
                argument,
                without: 0,
            }),
            dtype,
            ..Tensor::unknown(Reason::Argument)
        }))
    }

    /// The tile that an instruction of the older form gives back, if its shape follows from what it reads.
    pub fn tile_of_instruction(&mut self, name: &str, passed: &Passed<'a>) -> Value {
        let unknown = Value::Unknown(Reason::Call);
        if passed.named_argument("dst").is_some() {
            return unknown;
        }
        if let Some((_, keyword, place)) = OF_SHAPE.iter().find(|(known, ..)| *known == name) {
            let tile = passed.get(keyword, *place);
            return tile.map_or(unknown, |given| like(&given.value));
        }
        let of_data = |count: i64| {
            let data = passed
                .get("data", 0)
                .or_else(|| passed.named_argument("src"))?;
            let first = extents_of(&data.value)?.first()?.clone();
            Some(result_tile(
                vec![first, Size::number(count)],
                Some(Space::Sbuf),
            ))
        };
        match name {
            "tensor_reduce" => {
                let (tile, axis) = (passed.get("data", 1), passed.get("axis", 2));
                reduced_tile(tile, axis, passed).unwrap_or(unknown)
            }
            // Which engine transposes decides between SBUF and PSUM.
            "nc_transpose" => swapped_tile(passed.get("data", 0), None),
            "nc_matmul" => {
                let sides = passed.get("stationary", 0).zip(passed.get("moving", 1));
                let columns = |given: &Given| match extents_of(&given.value)? {
                    [_, columns] => Some(columns.clone()),
                    _ => None,
                };
                let extents =
                    sides.and_then(|(left, right)| Some(vec![columns(left)?, columns(right)?]));
                extents.map_or(unknown, |extents| result_tile(extents, Some(Space::Psum)))
            }
            "bn_stats" => of_data(6).unwrap_or(unknown),
            "bn_aggr" => of_data(2).unwrap_or(unknown),
            "max8" | "nc_find_index8" => of_data(8).unwrap_or(unknown),
            "memset" => {
                let extents = passed.get("shape", 0).and_then(|given| {
                    let elements = given.value.elements()?;
                    self.integers(elements)
                });
                extents.map_or(unknown, |extents| result_tile(extents, Some(Space::Sbuf)))
            }
            "iota" => match passed.get("expr", 0).map(|given| &given.value) {
                Some(Value::Grid(grid)) => result_tile(grid.extents.clone(), Some(Space::Sbuf)),
                _ => unknown,
            },
            _ => unknown,
        }
    }
}

/// A tile that holds its elements without gaps.
pub fn dense_tile(
    shape: Shape,
    dtype: Option<Dtype>,
    space: Option<Space>,
    declared: Option<Span>,
) -> Tensor {
    Tensor {
        space,
        steps: shape.known_extents().and_then(Tensor::row_major),
        shape,
        dtype,
        partition_axis: Some(0),
        declared,
        ..Tensor::unknown(Reason::Call)
    }
}

fn result_tile(extents: Vec<Size>, space: Option<Space>) -> Value {
    Value::Tensor(Arc::new(dense_tile(
        Shape::Known(extents),
        None,
        space,
        None,
    )))
}

fn extents_of(value: &Value) -> Option<&[Size]> {
    match value {
        Value::Tensor(tensor) => tensor.shape.known_extents(),
        _ => None,
    }
}

/// A tile in SBUF with the shape of another.
fn like(value: &Value) -> Value {
    match value {
        Value::Tensor(tensor) => Value::Tensor(Arc::new(Tensor {
            shape_of: tensor.shape_of.clone(),
            ..dense_tile(tensor.shape.clone(), None, Some(Space::Sbuf), None)
        })),
        _ => Value::Unknown(Reason::Call),
    }
}

/// A tile of two axes with these swapped.
fn swapped_tile(given: Option<&Given>, space: Option<Space>) -> Value {
    match given.and_then(|given| extents_of(&given.value)) {
        Some([first, second]) => result_tile(vec![second.clone(), first.clone()], space),
        _ => Value::Unknown(Reason::Call),
    }
}

fn matrix_product(passed: &Passed<'_>) -> Value {
    let is_transposed = match passed.get("transpose_x", 2).map(|given| &given.value) {
        None => Some(false),
        Some(Value::Bool(is_transposed)) => Some(*is_transposed),
        Some(_) => None,
    };
    let side = |name, place| extents_of(&passed.get(name, place)?.value);
    let sides = side("x", 0).zip(side("y", 1)).zip(is_transposed);
    match sides {
        Some((([first, second], [_, columns]), is_transposed)) => {
            let rows = if is_transposed { second } else { first };
            result_tile(vec![rows.clone(), columns.clone()], Some(Space::Psum))
        }
        _ => Value::Unknown(Reason::Call),
    }
}

/// A tile whose axes some of are reduced: they are left out, or have one position where `keepdims` says so.
fn reduced_tile(tile: Option<&Given>, axis: Option<&Given>, passed: &Passed<'_>) -> Option<Value> {
    let extents = extents_of(&tile?.value)?;
    let rank = i64::try_from(extents.len()).ok()?;
    let keeps = match passed.named_argument("keepdims").map(|given| &given.value) {
        None => false,
        Some(Value::Bool(keeps)) => *keeps,
        Some(_) => return None,
    };
    let place = |value: &Value| -> Option<i64> {
        let axis = value.as_size()?.value()?;
        Some(if axis < 0 {
            axis.checked_add(rank)?
        } else {
            axis
        })
    };
    let axis = &axis?.value;
    let places: Vec<i64> = match axis.elements() {
        Some(elements) => elements.iter().map(place).collect::<Option<_>>()?,
        None => vec![place(axis)?],
    };
    let mut left = Vec::new();
    for (at, extent) in (0_i64..).zip(extents) {
        if !places.contains(&at) {
            left.push(extent.clone());
        } else if keeps {
            left.push(Size::number(1));
        }
    }
    Some(result_tile(left, Some(Space::Sbuf)))
}

/// `nl.expand_dims(x, axis)`: an axis more, of one position.
fn expanded_tile(passed: &Passed<'_>) -> Option<Value> {
    let mut extents = extents_of(
        &passed
            .get("x", 0)
            .or_else(|| passed.named_argument("data"))?
            .value,
    )?
    .to_vec();
    let axis = passed.get("axis", 1)?.value.as_size()?.value()?;
    let length = i64::try_from(extents.len()).ok()?;
    let place = if axis < 0 {
        axis.checked_add(length + 1)?
    } else {
        axis
    };
    let place = usize::try_from(place)
        .ok()
        .filter(|place| *place <= extents.len())?;
    extents.insert(place, Size::number(1));
    Some(result_tile(extents, Some(Space::Sbuf)))
}

impl<'a> Interpreter<'a> {
    /// The tile of an operator of Python between two tiles, or a tile and a number: `a + b`, `a * 2.0`.
    pub fn operated_tile(
        &mut self,
        left: &Value,
        operator: Operator,
        right: &Value,
    ) -> Option<Value> {
        let is_elementwise = matches!(
            operator,
            Operator::Add | Operator::Sub | Operator::Mult | Operator::Div
        );
        is_elementwise
            .then(|| self.stretched_tile(left, right))
            .flatten()
    }

    /// The extents that two tiles of as many axes are stretched to. Where it is not known which of two is the longer one, the extent
    /// is a symbol of its own.
    fn stretched_extents(&mut self, left: &[Size], right: &[Size]) -> Option<Vec<Size>> {
        if let Some(extents) = broadcast_shape(&[left, right]) {
            return Some(extents);
        }
        let is_number = |size: &Size| size.value().is_some_and(|number| number > 1);
        let pairs = left.iter().zip(right);
        let longer = pairs.map(|(one, other)| match (is_number(one), is_number(other)) {
            (true, true) if one != other => None,
            (true, _) => Some(one.clone()),
            (_, true) => Some(other.clone()),
            _ if one == other || other.value() == Some(1) => Some(one.clone()),
            _ if one.value() == Some(1) => Some(other.clone()),
            _ => Some(Size::named("?", self.fresh_number(), Kind::Parameter)),
        });
        longer
            .collect::<Option<Vec<_>>>()
            .filter(|_| left.len() == right.len())
    }

    /// What two tiles, or a tile and a number, are stretched to.
    fn stretched_tile(&mut self, left: &Value, right: &Value) -> Option<Value> {
        let is_number = |value: &Value| matches!(value, Value::Int(_) | Value::Float(_));
        let is_tile = |value: &Value| matches!(value, Value::Tensor(tensor) if tensor.space.is_some_and(Space::has_partitions));
        match (is_tile(left), is_tile(right)) {
            (true, true) => {
                let (Value::Tensor(one), Value::Tensor(other)) = (left, right) else {
                    return None;
                };
                if one.shape_of.is_some() && one.shape_of == other.shape_of {
                    return Some(like(left));
                }
                let extents = self
                    .stretched_extents(one.shape.known_extents()?, other.shape.known_extents()?)?;
                Some(result_tile(extents, Some(Space::Sbuf)))
            }
            (true, false) => is_number(right).then(|| like(left)),
            (false, true) => is_number(left).then(|| like(right)),
            (false, false) => None,
        }
    }
}
