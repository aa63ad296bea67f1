//! Tensors that a call declares: by a shape, in a memory, and at a place in it.
//!
//! Knows the parameters of those calls; says nothing of what fits.

use std::sync::Arc;

use ruff_python_ast::ExprCall;

use super::calls::Passed;
use super::environment::Environment;
use super::functions::Interpreter;
use super::tiles::dense_tile;
use super::{Allocation, Fixed, Value};
use crate::names::{Api, space_named};
use crate::syntax::span_of;
use crate::types::{Dtype, Reason, Shape, ShapeOf, Space, Tensor};

impl<'a> Interpreter<'a> {
    /// `nl.ndarray(shape, dtype, buffer=…)` and its like; `dtype_place` is the position of the type, and `is_filled` says whether it has
    /// values from the start.
    pub fn allocation(
        &mut self,
        api: Api,
        call: &'a ExprCall,
        passed: &Passed<'a>,
        (dtype_place, is_filled): (usize, bool),
        environment: &Environment,
    ) -> Value {
        let stated = passed.get("shape", 0).map(|given| &given.value);
        let extents = stated.and_then(|value| match value {
            Value::Tuple(elements) | Value::List(elements) => self.integers(elements),
            other => other
                .as_size()
                .filter(|size| size.value().is_some())
                .map(|size| vec![size]),
        });
        let marked = stated.and_then(Value::elements).and_then(|elements| {
            elements
                .iter()
                .position(|element| matches!(element, Value::Partition(_)))
        });
        let dtype = passed.get("dtype", dtype_place);
        let memory = passed.named_argument("buffer").map(|given| &given.value);
        let space = match memory {
            None | Some(Value::None) => Some(Space::Sbuf),
            Some(value) => buffer(value),
        };
        let fixed = match memory {
            Some(Value::Place(_, fixed)) => Some((**fixed).clone()),
            _ => None,
        };
        let has_partitions = space.is_some_and(Space::has_partitions);
        let reason = match stated {
            Some(Value::ShapeOf(_)) => Reason::Argument,
            stated => stated.map_or(Reason::Expression, Value::reason),
        };
        let tensor = Arc::new(Tensor {
            space,
            steps: extents.as_deref().and_then(Tensor::row_major),
            shape: extents.map_or(Shape::Unknown(reason), Shape::Known),
            shape_of: match stated {
                Some(Value::ShapeOf(argument)) => Some(ShapeOf {
                    argument: Arc::clone(argument),
                    without: 0,
                }),
                _ => None,
            },
            dtype: dtype.and_then(|given| element_type(&given.value)),
            partition_axis: has_partitions.then(|| marked.unwrap_or(0)),
            declared: Some(span_of(call)),
            shape_span: passed.get("shape", 0).map(|given| given.written.value),
            dtype_span: dtype.map(|given| given.written.value),
            ..Tensor::unknown(reason)
        });
        if self.is_recording {
            self.step = self.step.saturating_add(1);
            self.out.allocations.push(Allocation {
                tensor: Arc::clone(&tensor),
                api,
                generations: environment.generations(),
                is_marked: marked.is_some(),
                function: self.function,
                loaded_from: None,
                at: self.step,
                fixed: fixed.or_else(|| allocation_address(passed)),
            });
        }
        let value = Value::Tensor(tensor);
        if is_filled {
            self.note_use(&value, false, span_of(&*call.func));
        }
        value
    }

    /// A tensor in SBUF of a shape that is given, by an allocator that is none of NKI's own.
    pub fn tile_of_allocator(&mut self, passed: &Passed<'a>) -> Value {
        let extents = passed
            .get("shape", 0)
            .and_then(|given| given.value.elements())
            .and_then(|elements| self.integers(elements));
        let dtype = passed.get("dtype", 1).and_then(|given| match &given.value {
            Value::Dtype(dtype) => Some(dtype.clone()),
            _ => None,
        });
        let shape = extents.map_or(Shape::Unknown(Reason::Call), Shape::Known);
        Value::Tensor(Arc::new(dense_tile(shape, dtype, Some(Space::Sbuf), None)))
    }
}

/// The memory that a value names.
pub fn buffer(value: &Value) -> Option<Space> {
    match value {
        Value::Space(space) | Value::Place(space, _) => Some(*space),
        Value::Text(name) => space_named(name),
        _ => None,
    }
}

/// `sbuf.mod_alloc(base_addr=0, num_free_tiles=(4,))`: a place in a memory, where its numbers are known.
pub fn placed_allocation(space: Space, passed: &Passed<'_>) -> Value {
    let in_banks = space == Space::Psum;
    let (base, tiles) = if in_banks {
        ("base_bank", "num_bank_tiles")
    } else {
        ("base_addr", "num_free_tiles")
    };
    let number = |value: &Value| value.as_size()?.value();
    let given = passed.named_argument(base);
    let base = given.and_then(|given| number(&given.value));
    let tiles: Option<Vec<i64>> = match passed.named_argument(tiles).map(|given| &given.value) {
        None => Some(Vec::new()),
        Some(value) => match value.elements() {
            Some(elements) => elements.iter().map(number).collect(),
            None => number(value).map(|tiles| vec![tiles]),
        },
    };
    match (base, tiles, given) {
        (Some(base), Some(tiles), Some(given)) => Value::Place(
            space,
            Arc::new(Fixed {
                base,
                tiles,
                in_banks,
                at: given.written.whole,
            }),
        ),
        _ => Value::Space(space),
    }
}

/// `address=(partition, offset)` of an allocation. An offset counts bytes at least.
fn allocation_address(passed: &Passed<'_>) -> Option<Fixed> {
    let given = passed.named_argument("address")?;
    let [_, offset] = given.value.elements()? else {
        return None;
    };
    Some(Fixed {
        base: offset.as_size()?.value()?,
        tiles: Vec::new(),
        in_banks: false,
        at: given.written.whole,
    })
}

fn element_type(value: &Value) -> Option<Dtype> {
    match value {
        Value::Dtype(dtype) => Some(dtype.clone()),
        Value::Text(name) => Dtype::named(name),
        _ => None,
    }
}
