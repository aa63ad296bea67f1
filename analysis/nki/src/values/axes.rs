//! Views by methods that change axes: `slice`, `select`, `reshape_dim` and their like.
//!
//! Knows the methods of a tensor, which are those of the wrapper that kernels used before releases had them.

use super::Value;
use super::calls::Passed;
use super::functions::Interpreter;
use crate::symbols::{Kind, Size, extents_product};
use crate::types::{Shape, Tensor};

/// An axis of a view.
#[derive(Clone)]
struct Axis {
    extent: Size,
    step: Option<Size>,
    /// Whether it is the partition.
    is_partition: bool,
}

impl Axis {
    /// One that was not there before.
    fn new(extent: Size, step: Option<Size>) -> Self {
        Self {
            extent,
            step,
            is_partition: false,
        }
    }
}

fn axes_of(tensor: &Tensor) -> Option<Vec<Axis>> {
    let extents = tensor.shape.known_extents()?;
    let axes = extents.iter().enumerate().map(|(place, extent)| Axis {
        extent: extent.clone(),
        step: tensor
            .steps
            .as_ref()
            .and_then(|steps| steps.get(place).cloned()),
        is_partition: tensor.partition_axis == Some(place),
    });
    Some(axes.collect())
}

/// An argument that is the number of an axis, of so many.
fn axis_argument(passed: &Passed<'_>, name: &str, place: usize, count: usize) -> Option<usize> {
    let number = passed.get(name, place)?.value.as_size()?.value()?;
    let count = i64::try_from(count).ok()?;
    let number = if number < 0 { number + count } else { number };
    (0..count)
        .contains(&number)
        .then(|| usize::try_from(number).ok())
        .flatten()
}

impl<'a> Interpreter<'a> {
    /// The view that a method gives; `None` where it is none of these, or where it is not known what it gives.
    pub fn view_of_axes(
        &mut self,
        tensor: &Tensor,
        method: &str,
        passed: &Passed<'a>,
    ) -> Option<Tensor> {
        if method == "get_view" {
            return Some(tensor.clone());
        }
        let mut axes = axes_of(tensor)?;
        let mut is_dynamic = tensor.is_dynamic;
        match method {
            "slice" => {
                let at = axis_argument(passed, "dim", 0, axes.len())?;
                let bound = |name, place| passed.get(name, place)?.value.as_size();
                let (start, end) = (bound("start", 1)?, bound("end", 2)?);
                let step = match passed.get("step", 3) {
                    Some(given) => given.value.as_size()?.value().filter(|step| *step > 0)?,
                    None => 1,
                };
                is_dynamic |= start.has_kind(Kind::Runtime);
                let cut = axes.get_mut(at)?;
                cut.extent = section_length(&start, &end, step, &cut.extent)?;
                cut.step = cut
                    .step
                    .as_ref()
                    .and_then(|old| old.times(&Size::number(step)));
            }
            "select" => {
                let at = axis_argument(passed, "dim", 0, axes.len())?;
                let index = &passed.get("index", 1)?.value;
                is_dynamic |= match index {
                    Value::Tensor(_) => true,
                    index => index.as_size()?.has_kind(Kind::Runtime),
                };
                axes.remove(at);
            }
            "expand_dim" => {
                let at = axis_argument(passed, "dim", 0, axes.len().checked_add(1)?)?;
                axes.insert(at, Axis::new(Size::number(1), None));
            }
            "squeeze_dim" => {
                let at = axis_argument(passed, "dim", 0, axes.len())?;
                axes.remove(at);
            }
            "broadcast" => {
                let at = axis_argument(passed, "dim", 0, axes.len())?;
                let stretched = axes.get_mut(at)?;
                stretched.extent = passed.get("size", 1)?.value.as_size()?;
                stretched.step = Some(Size::number(0));
            }
            "reshape_dim" => {
                let at = axis_argument(passed, "dim", 0, axes.len())?;
                let stated = passed.get("shape", 1)?.value.elements()?.to_vec();
                let old = axes.get(at)?.clone();
                let parts = self.parts_of_axis(&old, &stated)?;
                axes.splice(at..=at, parts);
            }
            "flatten_dims" => {
                let first = axis_argument(passed, "start_dim", 0, axes.len())?;
                let last = axis_argument(passed, "end_dim", 1, axes.len())?;
                let joined = axes.get(first..=last)?;
                let extents: Vec<Size> = joined.iter().map(|axis| axis.extent.clone()).collect();
                let extent = extents_product(&extents)?;
                // They lie one in another, or the method refuses.
                let step = joined.last().and_then(|axis| axis.step.clone());
                let is_partition = joined.iter().any(|axis| axis.is_partition);
                let whole = Axis {
                    extent,
                    step,
                    is_partition,
                };
                axes.splice(first..=last, [whole]);
            }
            _ => return None,
        }
        Some(with_axes(tensor, &axes, is_dynamic))
    }

    /// What an axis becomes that is cut into others, of which one may be open.
    fn parts_of_axis(&mut self, old: &Axis, stated: &[Value]) -> Option<Vec<Axis>> {
        let mut extents = self.integers(stated)?;
        if let Some(open) = extents.iter().position(|extent| extent.value() == Some(-1)) {
            let mut others = extents.clone();
            others.remove(open);
            let rest = old.extent.exact_quotient(&extents_product(&others)?);
            let rest =
                rest.unwrap_or_else(|| Size::named("?", self.fresh_number(), Kind::Parameter));
            *extents.get_mut(open)? = rest;
        }
        let inner = Tensor::row_major(&extents)?;
        let parts = extents.into_iter().zip(inner).enumerate();
        let parts = parts.map(|(place, (extent, by))| Axis {
            extent,
            step: old.step.as_ref().and_then(|step| step.times(&by)),
            is_partition: old.is_partition && place == 0,
        });
        Some(parts.collect())
    }
}

/// How many positions a section has; `None` where it is not a section of the axis.
fn section_length(start: &Size, end: &Size, step: i64, extent: &Size) -> Option<Size> {
    let is_beyond = match (end.value(), extent.value()) {
        (Some(end), Some(extent)) => end > extent,
        _ => false,
    };
    let all = end.minus(start)?;
    if is_beyond
        || all.sign() == Some(-1)
        || all.has_kind(Kind::Loop)
        || all.has_kind(Kind::Runtime)
    {
        return None;
    }
    if step == 1 {
        return Some(all);
    }
    all.plus(&Size::number(step - 1))?
        .quotient(&Size::number(step))
}

fn with_axes(tensor: &Tensor, axes: &[Axis], is_dynamic: bool) -> Tensor {
    let extents = axes.iter().map(|axis| axis.extent.clone()).collect();
    Tensor {
        shape: Shape::Known(extents),
        steps: axes.iter().map(|axis| axis.step.clone()).collect(),
        partition_axis: axes.iter().position(|axis| axis.is_partition),
        cuts_partitions: true,
        is_dynamic,
        ..tensor.without_shape()
    }
}
