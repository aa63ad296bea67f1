//! The tensors that an index, an access pattern or a change of form makes of a tensor.
//!
//! Knows extents, steps and what makes an address or a row depend on run time; nothing of legality.

use std::sync::Arc;

use ruff_python_ast::{Expr, ExprSlice, ExprSubscript};

use super::Value;
use super::calls::Passed;
use super::environment::Environment;
use super::functions::Interpreter;
use super::grids::{Grid, view_by_grids};
use crate::symbols::{Kind, Size, extents_product};
use crate::syntax::span_of;
use crate::types::{Gather, Reason, Shape, ShapeOf, Span, Tensor};

/// What an index does to an axis.
enum Part {
    /// A section of so many; whether its start is known at run time only.
    Section(Size, bool),
    /// One position; whether it is known at run time only.
    Position(bool),
    /// Rows that a tensor of indices chooses.
    Rows(Gather),
    /// An array of indices.
    Grid(Arc<Grid>),
    /// Not known.
    Unknown(Reason),
}

impl<'a> Interpreter<'a> {
    /// `x[…]`.
    pub fn index(
        &mut self,
        base: &Value,
        subscript: &'a ExprSubscript,
        environment: &mut Environment,
    ) -> Value {
        let tensor = self.tensor(base, environment);
        let expressions = match &*subscript.slice {
            Expr::Tuple(tuple) => tuple.elts.as_slice(),
            other => std::slice::from_ref(other),
        };
        if let [Expr::EllipsisLiteral(_)] = expressions {
            // All of it.
            return Value::Tensor(Arc::new(Tensor {
                is_view: true,
                argument: None,
                ..(*tensor).clone()
            }));
        }
        let extents = tensor.shape.known_extents();
        let parts: Vec<Part> = expressions
            .iter()
            .enumerate()
            .map(|(axis, expression)| {
                let extent = match extents {
                    Some(extents) => extents.get(axis).cloned(),
                    None => self.extent_cut(&tensor, axis, expression, environment),
                };
                self.index_part(expression, extent.as_ref(), environment)
            })
            .collect();
        if parts.iter().any(|part| matches!(part, Part::Grid(_))) {
            let grids: Option<Vec<Option<Arc<Grid>>>> = parts
                .iter()
                .map(|part| match part {
                    Part::Grid(grid) => Some(Some(Arc::clone(grid))),
                    Part::Position(_) => Some(None),
                    _ => None,
                })
                .collect();
            if let Some(grids) = grids {
                let mut view = view_by_grids(&tensor, &grids);
                view.is_dynamic |= parts
                    .iter()
                    .any(|part| matches!(part, Part::Position(true)));
                return Value::Tensor(Arc::new(view));
            }
        }
        // `cfg[0]` of something that is no tensor has no place in a transfer, so that a view of unknown shape does no harm.
        Value::Tensor(Arc::new(indexed_view(&tensor, parts)))
    }

    /// The extent of an axis of an argument of unknown rank, where a section of it has an open end.
    fn extent_cut(
        &mut self,
        tensor: &Tensor,
        axis: usize,
        section: &Expr,
        environment: &Environment,
    ) -> Option<Size> {
        let of = tensor.shape_of.as_ref()?;
        let is_open = section.as_slice_expr()?.upper.is_none();
        let axis = i64::try_from(axis.checked_add(of.without)?).ok()?;
        let owner = environment.owner_of_shape(&of.argument);
        is_open
            .then(|| self.extent(&owner, axis, None, environment))
            .flatten()
    }

    fn index_part(
        &mut self,
        expression: &'a Expr,
        extent: Option<&Size>,
        environment: &mut Environment,
    ) -> Part {
        if let Expr::Slice(slice) = expression {
            return self.section(slice, extent, environment);
        }
        if matches!(expression, Expr::EllipsisLiteral(_) | Expr::NoneLiteral(_)) {
            return Part::Unknown(Reason::Index);
        }
        match self.value(expression, environment) {
            Value::Int(size) => Part::Position(size.has_kind(Kind::Runtime)),
            Value::Section { start, length } => {
                let is_dynamic = start
                    .as_size()
                    .is_some_and(|size| size.has_kind(Kind::Runtime));
                Part::Section(length, is_dynamic)
            }
            Value::Grid(grid) => Part::Grid(grid),
            // A tensor of unknown memory may be an element of a list, and that a number.
            Value::Tensor(indices) if indices.space.is_some() => Part::Rows(Gather {
                indices: Some(indices),
                span: span_of(expression),
                by_offset: false,
            }),
            Value::Unknown(reason) => Part::Unknown(reason),
            _ => Part::Unknown(Reason::Index),
        }
    }

    fn section(
        &mut self,
        slice: &'a ExprSlice,
        extent: Option<&Size>,
        environment: &mut Environment,
    ) -> Part {
        if let Some(step) = &slice.step {
            let step = self
                .value(step, environment)
                .as_size()
                .and_then(|size| size.value());
            if step != Some(1) {
                return Part::Unknown(Reason::Index);
            }
        }
        let mut bound = |bound: &'a Expr| {
            let value = self.value(bound, environment);
            let reason = value.reason();
            let size = self.integer(&value).ok_or(reason)?;
            match size.value() {
                // From the end.
                Some(number) if number < 0 => extent
                    .and_then(|extent| extent.plus(&size))
                    .ok_or(Reason::Argument),
                _ => Ok(size),
            }
        };
        let lower = slice
            .lower
            .as_deref()
            .map_or(Ok(Size::number(0)), &mut bound);
        let upper = match slice.upper.as_deref() {
            Some(upper) => bound(upper),
            None => extent.cloned().ok_or(Reason::Argument),
        };
        let (lower, upper) = match (lower, upper) {
            (Ok(lower), Ok(upper)) => (lower, upper),
            (Err(reason), _) | (_, Err(reason)) => return Part::Unknown(reason),
        };
        // Beyond the end an array is cut and a kernel is refused: neither length is what is written.
        let is_beyond = match (upper.value(), extent.and_then(Size::value)) {
            (Some(upper), Some(extent)) => upper > extent,
            _ => false,
        };
        match upper.minus(&lower) {
            Some(length) if !is_beyond && length.sign() != Some(-1) => {
                if length.has_kind(Kind::Loop) || length.has_kind(Kind::Runtime) {
                    return Part::Unknown(Reason::Index);
                }
                Part::Section(length, lower.has_kind(Kind::Runtime))
            }
            _ => Part::Unknown(Reason::Index),
        }
    }

    /// A method of a tensor that gives a view.
    pub fn view(
        &mut self,
        base: &Value,
        method: &str,
        passed: &Passed<'a>,
        environment: &mut Environment,
    ) -> Value {
        let tensor = self.tensor(base, environment);
        let view = match method {
            "ap" => self.access_pattern(&tensor, passed, environment),
            "reshape" => self.reshaped_view(&tensor, passed),
            "view" => reinterpreted(&tensor, passed),
            "permute" | "transpose" => permuted_view(&tensor, passed),
            _ => match self.view_of_axes(&tensor, method, passed) {
                Some(view) => view,
                None => return Value::Unknown(Reason::View),
            },
        };
        Value::Tensor(Arc::new(Tensor {
            is_view: true,
            argument: None,
            ..view
        }))
    }

    /// `x.reshape((…))`.
    fn reshaped_view(&mut self, tensor: &Tensor, passed: &Passed<'_>) -> Tensor {
        let stated = match passed.get("shape", 0).map(|given| &given.value) {
            Some(Value::Tuple(elements) | Value::List(elements)) => Some((elements.to_vec(), true)),
            // One that is not known may be a tuple.
            Some(_) => Some((
                passed
                    .positional
                    .iter()
                    .map(|given| given.value.clone())
                    .collect(),
                false,
            )),
            None => None,
        };
        let extents: Option<Vec<Size>> = stated.and_then(|(stated, is_listed)| {
            if is_listed {
                return self.integers(&stated);
            }
            stated.iter().map(Value::as_size).collect()
        });
        let extents = extents.and_then(|extents| {
            let open = extents.iter().position(|extent| extent.value() == Some(-1));
            let Some(open) = open else {
                return Some(extents);
            };
            let mut others = extents.clone();
            others.remove(open);
            let rest = tensor
                .elements()?
                .exact_quotient(&extents_product(&others)?)?;
            let mut extents = extents;
            *extents.get_mut(open)? = rest;
            Some(extents)
        });
        let keeps_partition = |extents: &[Size]| {
            let first = tensor.shape.known_extents().and_then(<[Size]>::first);
            tensor.partition_axis == Some(0) && first.is_some() && first == extents.first()
        };
        let partition_axis = extents
            .as_deref()
            .filter(|extents| keeps_partition(extents))
            .map(|_| 0);
        Tensor {
            cuts_partitions: tensor.cuts_partitions || partition_axis.is_none(),
            partition_axis,
            ..with_shape(tensor, extents)
        }
    }

    /// The steps and counts of an access pattern.
    fn pattern(&mut self, value: &Value) -> Option<Vec<(Size, Size)>> {
        value
            .elements()?
            .iter()
            .map(|pair| match pair.elements()? {
                [step, count] => Some((self.integer(step)?, self.integer(count)?)),
                _ => None,
            })
            .collect()
    }

    fn access_pattern(
        &mut self,
        tensor: &Tensor,
        passed: &Passed<'a>,
        environment: &Environment,
    ) -> Tensor {
        let pattern = passed
            .get("pattern", 0)
            .and_then(|given| self.pattern(&given.value));
        let is_known = pattern.is_some();
        let (steps, extents): (Vec<Size>, Vec<Size>) =
            pattern.unwrap_or_default().into_iter().unzip();
        let given = |name: &str| {
            passed
                .named_argument(name)
                .filter(|given| !matches!(given.value, Value::None))
        };
        let vector = given("vector_offset");
        let scalar = given("scalar_offset");
        let offset_is_dynamic = given("offset")
            .and_then(|offset| offset.value.as_size())
            .is_some_and(|offset| offset.has_kind(Kind::Runtime));
        let gather = vector.and_then(|given| {
            let indices = self.tensor(&given.value, environment);
            indices.space?;
            Some(Gather {
                indices: Some(indices),
                span: given.written.value,
                by_offset: true,
            })
        });
        let dtype = match given("dtype").map(|given| &given.value) {
            Some(Value::Dtype(dtype)) => Some(dtype.clone()),
            Some(_) => None,
            None => tensor.dtype.clone(),
        };
        let is_read = |value: &Value| match value {
            Value::Tensor(_) => true,
            value => value
                .as_size()
                .is_some_and(|size| size.has_kind(Kind::Runtime)),
        };
        let axis = given("indirect_dim").and_then(|given| given.value.as_size()?.value());
        let column_offset = scalar
            .filter(|given| is_read(&given.value) && axis.is_some_and(|axis| axis > 0))
            .map(|given| given.written.whole);
        let second_offset: Option<Span> = scalar
            .filter(|_| gather.is_some())
            .map(|given| given.written.whole);
        Tensor {
            shape: if is_known {
                Shape::Known(extents)
            } else {
                Shape::Unknown(Reason::Index)
            },
            steps: (!steps.is_empty()).then_some(steps),
            dtype,
            partition_axis: tensor.partition_axis.map(|_| 0),
            cuts_partitions: true,
            may_gather: tensor.may_gather || (vector.is_some() && gather.is_none()),
            is_dynamic: tensor.is_dynamic
                || scalar.is_some_and(|given| {
                    !matches!(given.value, Value::Unknown(_) | Value::Argument(_))
                })
                || offset_is_dynamic,
            gather: gather.or_else(|| tensor.gather.clone()),
            second_offset,
            column_offset,
            ..tensor.without_shape()
        }
    }
}

fn indexed_view(tensor: &Tensor, parts: Vec<Part>) -> Tensor {
    let mut view = Tensor {
        is_view: true,
        argument: None,
        ..tensor.without_shape()
    };
    let extents = tensor.shape.known_extents();
    let mut shape = Vec::new();
    let mut steps = tensor.steps.as_ref().map(|_| Vec::new());
    let mut unknown = extents.is_none().then_some(match &tensor.shape {
        Shape::Unknown(reason) => *reason,
        Shape::Known(_) => Reason::Index,
    });
    let count = parts.len();
    if parts.iter().all(|part| matches!(part, Part::Position(_))) {
        view.shape_of = tensor.shape_of.clone().map(|of| ShapeOf {
            without: of.without.saturating_add(count),
            ..of
        });
    }
    let cuts_last = matches!(parts.last(), Some(Part::Section(..)));
    let mut partition = None;
    for (axis, part) in parts.into_iter().enumerate() {
        if tensor.partition_axis == Some(axis) {
            let all = extents.and_then(|extents| extents.get(axis));
            view.cuts_partitions |=
                !matches!(&part, Part::Section(length, _) if Some(length) == all);
            if !matches!(part, Part::Position(_)) {
                partition = Some(shape.len());
            }
        }
        let step = tensor
            .steps
            .as_ref()
            .and_then(|steps| steps.get(axis).cloned());
        match part {
            Part::Section(length, is_dynamic) => {
                shape.push(length);
                view.is_dynamic |= is_dynamic;
                if let (Some(steps), Some(step)) = (&mut steps, step) {
                    steps.push(step);
                }
            }
            Part::Position(is_dynamic) => view.is_dynamic |= is_dynamic,
            Part::Rows(gather) => {
                let rows = gather
                    .indices
                    .as_ref()
                    .and_then(|indices| indices.elements());
                match rows {
                    Some(rows) => shape.push(rows),
                    None => unknown = unknown.or(Some(Reason::Index)),
                }
                steps = None;
                view.gather = Some(gather);
            }
            // Beside a section: which axes it takes is not followed.
            Part::Grid(_) => unknown = Some(unknown.unwrap_or(Reason::Index)),
            Part::Unknown(reason) => unknown = Some(unknown.unwrap_or(reason)),
        }
    }
    // Of an argument nothing states its axes. A subscript that cuts two or more of them, the last among them, names them all.
    let names_all =
        count > 1 && cuts_last && matches!(tensor.shape, Shape::Unknown(Reason::Argument));
    if names_all && unknown == Some(Reason::Argument) {
        unknown = None;
        view.has_assumed_axes = true;
    }
    let behind = if names_all {
        Some(&[][..])
    } else {
        extents.and_then(|extents| extents.get(count..))
    };
    match (behind, unknown) {
        (Some(behind), None) => {
            if tensor.partition_axis.is_some_and(|axis| axis >= count) {
                partition = tensor.partition_axis.map(|axis| axis - count + shape.len());
            }
            shape.extend(behind.iter().cloned());
            let steps_behind = tensor.steps.as_ref().and_then(|steps| steps.get(count..));
            view.steps = steps.zip(steps_behind).map(|(mut steps, behind)| {
                steps.extend(behind.iter().cloned());
                steps
            });
            view.shape = Shape::Known(shape);
            view.partition_axis = partition;
        }
        (_, reason) => {
            view.shape = Shape::Unknown(reason.unwrap_or(Reason::Index));
            view.steps = None;
            view.partition_axis = None;
        }
    }
    view
}

fn with_shape(tensor: &Tensor, extents: Option<Vec<Size>>) -> Tensor {
    let steps = match (&tensor.steps, &tensor.shape) {
        // Without gaps before, without gaps after.
        (Some(steps), Shape::Known(before))
            if Tensor::row_major(before).as_ref() == Some(steps) =>
        {
            extents.as_deref().and_then(Tensor::row_major)
        }
        _ => None,
    };
    Tensor {
        shape: extents.map_or(Shape::Unknown(Reason::View), Shape::Known),
        steps,
        ..tensor.without_shape()
    }
}

fn reinterpreted(tensor: &Tensor, passed: &Passed<'_>) -> Tensor {
    let dtype = match passed.get("dtype", 0).map(|given| &given.value) {
        Some(Value::Dtype(dtype)) => Some(dtype.clone()),
        _ => None,
    };
    let sizes = dtype.as_ref().and_then(|dtype| {
        let before = tensor.dtype.as_ref()?.bytes()?;
        Some((
            i64::try_from(before).ok()?,
            i64::try_from(dtype.bytes()?).ok()?,
        ))
    });
    let extents = sizes.and_then(|(before, after)| {
        let mut extents = tensor.shape.known_extents()?.to_vec();
        let last = extents.last_mut()?;
        *last = last
            .times(&Size::number(before))?
            .exact_quotient(&Size::number(after))?;
        Some(extents)
    });
    let same = dtype.is_some() && dtype == tensor.dtype;
    Tensor {
        dtype,
        ..with_shape(
            tensor,
            if same {
                tensor.shape.known_extents().map(<[Size]>::to_vec)
            } else {
                extents
            },
        )
    }
}

fn permuted_view(tensor: &Tensor, passed: &Passed<'_>) -> Tensor {
    let axes = match passed.positional.as_slice() {
        [one] => one.value.elements().map(<[Value]>::to_vec),
        [] => passed
            .named_argument("axes")
            .or_else(|| passed.named_argument("dims"))
            .and_then(|given| given.value.elements().map(<[Value]>::to_vec)),
        several => Some(several.iter().map(|given| given.value.clone()).collect()),
    };
    let extents = axes.and_then(|axes| {
        let extents = tensor.shape.known_extents()?;
        let places: Option<Vec<usize>> = axes
            .iter()
            .map(|axis| usize::try_from(axis.as_size()?.value()?).ok())
            .collect();
        let places = places?;
        let mut sorted = places.clone();
        sorted.sort_unstable();
        if !sorted.into_iter().eq(0..extents.len()) {
            return None;
        }
        places
            .iter()
            .map(|place| extents.get(*place).cloned())
            .collect::<Option<Vec<Size>>>()
    });
    Tensor {
        steps: None,
        partition_axis: None,
        cuts_partitions: true,
        shape: extents.map_or(Shape::Unknown(Reason::View), Shape::Known),
        ..tensor.clone()
    }
}
