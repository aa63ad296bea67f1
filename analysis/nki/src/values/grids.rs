//! Arrays of indices in closed form: `nl.arange(128)[:, None]`, `nl.mgrid[0:128, 0:512]`, and sums and products of them.
//!
//! Such an index counts: along each of its axes it goes on by a step. Knows extents and steps; a condition on one is not followed.

use std::sync::Arc;

use ruff_python_ast::{Expr, ExprSubscript, Operator};

use super::Value;
use super::calls::Passed;
use super::environment::Environment;
use super::functions::Interpreter;
use crate::symbols::{Kind, Size};
use crate::types::{Reason, Shape, Tensor};

/// An array of indices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    /// Its axes.
    pub extents: Vec<Size>,
    /// What it grows by along each axis, in positions of what it indexes; `None` where that is not known.
    pub steps: Option<Vec<Size>>,
    /// Whether its start is known at run time only.
    pub is_dynamic: bool,
}

impl Grid {
    /// Indices that count up along one axis of several.
    fn counting(extents: Vec<Size>, along: usize) -> Self {
        let step = |axis| Size::number(i64::from(axis == along));
        Self {
            steps: Some((0..extents.len()).map(step).collect()),
            extents,
            is_dynamic: false,
        }
    }

    /// The value of an operator between indices and a number.
    fn with_number(&self, operator: Operator, number: &Size) -> Option<Self> {
        let steps = match operator {
            Operator::Add | Operator::Sub => self.steps.clone(),
            Operator::Mult => {
                let steps = self.steps.iter().flatten();
                let steps = steps.map(|step| step.times(number));
                self.steps.as_ref().and_then(|_| steps.collect())
            }
            Operator::FloorDiv | Operator::Mod => None,
            _ => return None,
        };
        Some(Self {
            extents: self.extents.clone(),
            steps,
            is_dynamic: self.is_dynamic || number.has_kind(Kind::Runtime),
        })
    }

    /// The value of an operator between two arrays of indices, which stretch axes of one position.
    fn with_grid(&self, operator: Operator, other: &Self) -> Option<Self> {
        let extents = broadcast_shape(&[&self.extents, &other.extents])?;
        let (left, right) = (
            self.stretched_steps(&extents),
            other.stretched_steps(&extents),
        );
        let both = left.zip(right);
        let steps = match operator {
            Operator::Add => both.and_then(|(element_without_rows_axis, right)| {
                pairwise(&element_without_rows_axis, &right, Size::plus)
            }),
            Operator::Sub => both.and_then(|(element_without_rows_axis, right)| {
                pairwise(&element_without_rows_axis, &right, Size::minus)
            }),
            _ => None,
        };
        Some(Self {
            extents,
            steps,
            is_dynamic: self.is_dynamic || other.is_dynamic,
        })
    }

    /// Its steps along the axes of a shape that it is stretched to: an axis that it lacks repeats it.
    pub fn stretched_steps(&self, extents: &[Size]) -> Option<Vec<Size>> {
        let missing = extents.len().checked_sub(self.extents.len())?;
        let steps = self.steps.as_ref()?.iter().cloned();
        let repeated = std::iter::repeat_n(Size::number(0), missing);
        Some(repeated.chain(steps).collect())
    }
}

fn pairwise(
    left: &[Size],
    right: &[Size],
    join: fn(&Size, &Size) -> Option<Size>,
) -> Option<Vec<Size>> {
    let pairs = left.iter().zip(right);
    pairs.map(|(left, right)| join(left, right)).collect()
}

/// The shape that several shapes are stretched to: from the last axis on, axes of one position take the extent of the others.
/// `None` where two extents are not known to fit.
pub fn broadcast_shape(shapes: &[&[Size]]) -> Option<Vec<Size>> {
    let rank = shapes.iter().map(|shape| shape.len()).max()?;
    let mut extents = vec![Size::number(1); rank];
    for shape in shapes {
        for (extent, own) in extents.iter_mut().rev().zip(shape.iter().rev()) {
            if own.value() == Some(1) || own == extent {
                continue;
            }
            if extent.value() != Some(1) {
                return None;
            }
            *extent = own.clone();
        }
    }
    Some(extents)
}

/// `nl.arange(stop)`, `nl.arange(start, stop)`, `nl.arange(start, stop, step)`.
pub fn arange(passed: &Passed<'_>) -> Value {
    let size = |place: usize| passed.positional.get(place)?.value.as_size();
    let bounds = match passed.positional.len() {
        1 => size(0).map(|stop| (Size::number(0), stop, Size::number(1))),
        2 => size(0)
            .zip(size(1))
            .map(|(start, stop)| (start, stop, Size::number(1))),
        3 => size(0)
            .zip(size(1))
            .zip(size(2))
            .map(|((start, stop), step)| (start, stop, step)),
        _ => None,
    };
    let grid = bounds
        .filter(|_| passed.keywords.is_empty())
        .and_then(|(start, stop, step)| {
            let each = step.value().filter(|step| *step > 0)?;
            let length = stop.minus(&start)?.plus(&Size::number(each - 1))?;
            Some(Grid {
                extents: vec![length.quotient(&Size::number(each))?],
                steps: Some(vec![step]),
                is_dynamic: start.has_kind(Kind::Runtime),
            })
        });
    grid.map_or(Value::Unknown(Reason::Index), |grid| {
        Value::Grid(Arc::new(grid))
    })
}

/// The value of an operator of which one side is an array of indices. `None` where the other side is none and no number.
pub fn operated(left: &Value, operator: Operator, right: &Value) -> Option<Value> {
    let grid = match (left, right) {
        (Value::Grid(left), Value::Grid(right)) => left.with_grid(operator, right)?,
        (Value::Grid(grid), other) => grid.with_number(operator, &other.as_size()?)?,
        (other, Value::Grid(grid)) if matches!(operator, Operator::Add | Operator::Mult) => {
            grid.with_number(operator, &other.as_size()?)?
        }
        _ => return None,
    };
    Some(Value::Grid(Arc::new(grid)))
}

impl<'a> Interpreter<'a> {
    /// `grid[:, None]`: the same indices with axes of one position.
    pub fn reshaped_grid(&mut self, grid: &Grid, subscript: &'a ExprSubscript) -> Value {
        let parts = match &*subscript.slice {
            Expr::Tuple(tuple) => tuple.elts.as_slice(),
            other => std::slice::from_ref(other),
        };
        let mut axes = grid.extents.iter().enumerate();
        let mut extents = Vec::new();
        let mut steps = grid.steps.as_ref().map(|_| Vec::new());
        let mut add = |extent: Size, step: Option<Size>| {
            extents.push(extent);
            match (&mut steps, step) {
                (Some(steps), Some(step)) => steps.push(step),
                (steps, _) => *steps = None,
            }
        };
        let step_of = |axis: usize| {
            grid.steps
                .as_ref()
                .and_then(|steps| steps.get(axis).cloned())
        };
        for part in parts {
            match part {
                Expr::NoneLiteral(_) => add(Size::number(1), Some(Size::number(0))),
                Expr::Slice(slice)
                    if slice.lower.is_none() && slice.upper.is_none() && slice.step.is_none() =>
                {
                    match axes.next() {
                        Some((axis, extent)) => add(extent.clone(), step_of(axis)),
                        None => return Value::Unknown(Reason::Index),
                    }
                }
                _ => return Value::Unknown(Reason::Index),
            }
        }
        for (axis, extent) in axes {
            add(extent.clone(), step_of(axis));
        }
        Value::Grid(Arc::new(Grid {
            extents,
            steps,
            is_dynamic: grid.is_dynamic,
        }))
    }

    /// `nl.mgrid[0:128, 0:512]`: for each axis the indices along it.
    pub fn mesh(&mut self, subscript: &'a ExprSubscript, environment: &mut Environment) -> Value {
        let parts = match &*subscript.slice {
            Expr::Tuple(tuple) => tuple.elts.as_slice(),
            other => std::slice::from_ref(other),
        };
        let mut extents = Vec::new();
        let mut is_dynamic = false;
        for part in parts {
            let Expr::Slice(slice) = part else {
                return Value::Unknown(Reason::Index);
            };
            let mut bound = |bound: Option<&'a Expr>| match bound {
                None => Some(Size::number(0)),
                Some(bound) => self.value(bound, environment).as_size(),
            };
            let lower = bound(slice.lower.as_deref());
            let upper = slice.upper.as_deref().and_then(|upper| bound(Some(upper)));
            let length =
                upper
                    .zip(lower)
                    .filter(|_| slice.step.is_none())
                    .and_then(|(upper, lower)| {
                        is_dynamic |= lower.has_kind(Kind::Runtime);
                        upper.minus(&lower)
                    });
            match length {
                Some(length) => extents.push(length),
                None => return Value::Unknown(Reason::Index),
            }
        }
        let grids = (0..extents.len()).map(|axis| {
            Value::Grid(Arc::new(Grid {
                is_dynamic,
                ..Grid::counting(extents.clone(), axis)
            }))
        });
        let mut grids: Vec<Value> = grids.collect();
        match grids.len() {
            1 => grids.remove(0),
            _ => Value::Tuple(grids.into()),
        }
    }
}

/// The array of indices that a field of a mesh is: `p` is the first axis, `x`, `y` and `z` those behind it.
pub fn mesh_field(elements: &[Value], name: &str) -> Option<Value> {
    let place = ["p", "x", "y", "z", "w"]
        .iter()
        .position(|field| *field == name)?;
    let element = elements.get(place)?;
    matches!(element, Value::Grid(_)).then(|| element.clone())
}

/// The view of a tensor whose axes are all indexed, by arrays of indices and by numbers, with what each index is.
pub fn view_by_grids(tensor: &Tensor, parts: &[Option<Arc<Grid>>]) -> Tensor {
    let mut view = Tensor {
        is_view: true,
        argument: None,
        ..tensor.without_shape()
    };
    view.cuts_partitions = true;
    view.is_dynamic |= parts.iter().flatten().any(|grid| grid.is_dynamic);
    let shapes: Vec<&[Size]> = parts.iter().flatten().map(|grid| &*grid.extents).collect();
    let known_rank = tensor.shape.known_extents().map(<[Size]>::len);
    let Some(extents) =
        broadcast_shape(&shapes).filter(|_| known_rank.is_none_or(|rank| rank == parts.len()))
    else {
        view.shape = Shape::Unknown(Reason::Index);
        view.partition_axis = None;
        return view;
    };
    view.steps = steps_of_view(tensor, parts, &extents);
    // The axis of the view along which the partition goes on.
    view.partition_axis = tensor.partition_axis.and_then(|axis| {
        let steps = parts.get(axis)?.as_ref()?.stretched_steps(&extents)?;
        steps.iter().position(|step| step.value() != Some(0))
    });
    view.shape = Shape::Known(extents);
    view
}

fn steps_of_view(
    tensor: &Tensor,
    parts: &[Option<Arc<Grid>>],
    extents: &[Size],
) -> Option<Vec<Size>> {
    let mut steps = vec![Size::number(0); extents.len()];
    for (part, step) in parts.iter().zip(tensor.steps.as_ref()?) {
        let Some(grid) = part else { continue };
        for (sum, own) in steps.iter_mut().zip(grid.stretched_steps(extents)?) {
            *sum = sum.plus(&own.times(step)?)?;
        }
    }
    Some(steps)
}
