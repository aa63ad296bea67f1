//! Digits of an axis that are twice in one tensor: two positions then share an element, and others have none.

use std::sync::Arc;

use crate::items::Span;
use crate::kernel::{
    Body, Operation, OperationKind, Origin, Pass, PassSource, StageKind, StreamShape, Tensor,
    Written,
};
use crate::mapping::{AxisPart, Form, Mapping, project};
use crate::thread_memo::ThreadMemo;

/// A tensor or stream whose levels select the same digit of an axis twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepeatedAxis {
    /// The axis.
    pub axis: String,
    /// The two selections: values of the axis a step, and steps; the finer one first.
    pub parts: [(u64, u64); 2],
    /// Where the innermost level that selects it is written.
    pub span: Span,
    /// Where the other level is written, if it is another one.
    pub other: Option<Span>,
}

/// Derives the repeated digits of all tensors at rest and of the streams of some operations, each place once.
pub(super) fn derive_repeated_axes<'b>(
    body: &'b Body,
    operations: impl Iterator<Item = &'b Operation>,
) -> Vec<RepeatedAxis> {
    let tensors = body.tensors.iter().filter_map(of_tensor);
    let operations = operations.filter_map(of_operation);
    each_once(tensors.chain(operations))
}

/// Derives the repeated digits of all tensors at rest, each place once.
pub(crate) fn of_tensors(body: &Body) -> Vec<RepeatedAxis> {
    each_once(body.tensors.iter().filter_map(of_tensor))
}

fn each_once(found: impl Iterator<Item = RepeatedAxis>) -> Vec<RepeatedAxis> {
    let mut repeated: Vec<RepeatedAxis> = Vec::new();
    for found in found {
        if repeated.iter().all(|known| known.span != found.span) {
            repeated.push(found);
        }
    }
    repeated
}

/// The repeated digit of an operation's streams.
pub(crate) fn of_operation(operation: &Operation) -> Option<RepeatedAxis> {
    match &operation.kind {
        OperationKind::Pass(pass) => of_pass(pass),
        OperationKind::Copy(_) | OperationKind::Collective(_) => None,
    }
}

fn of_tensor(tensor: &Tensor) -> Option<RepeatedAxis> {
    if matches!(tensor.origin, Origin::View { .. } | Origin::Resized { .. }) {
        return None;
    }
    let levels: Vec<&Written<Mapping>> = tensor.levels.iter().map(|(_, written)| written).collect();
    of_levels(&levels)
}

/// Where a pass declares its stream freely: the parameter of a stage function, and the fetch. What later engines make of
/// it is theirs to judge.
fn of_pass(pass: &Pass) -> Option<RepeatedAxis> {
    let begin = matches!(pass.source, PassSource::Parameter { .. }).then_some(&pass.begin);
    let fetched = pass
        .stages
        .iter()
        .filter(|stage| matches!(stage.kind, StageKind::Fetch { .. }));
    let mut shapes = begin.into_iter().chain(fetched.map(|stage| &stage.output));
    shapes.find_map(|shape| of_levels(&levels_of(shape)))
}

fn levels_of(shape: &StreamShape) -> Vec<&Written<Mapping>> {
    let mut levels = vec![&shape.chip, &shape.cluster, &shape.slice];
    levels.extend(shape.row.as_ref());
    levels.extend([&shape.time, &shape.packet]);
    levels
}

fn of_levels(levels: &[&Written<Mapping>]) -> Option<RepeatedAxis> {
    let mappings: Vec<Mapping> = levels
        .iter()
        .map(|level| level.value.clone())
        .collect::<Option<_>>()?;
    let full = Mapping::product(&mappings).ok()?;
    let found =
        REPEATED.with(|known| known.answer_or_find(full, |full| repeated_parts(full.form())));
    found.into_iter().find_map(|(axis_argument, parts)| {
        let mut places = levels
            .iter()
            .rev()
            .filter(|level| {
                level
                    .value
                    .as_ref()
                    .is_some_and(|mapping| mapping.form().contains_axis(&axis_argument))
            })
            .map(|level| level.span);
        let span = places.next()?;
        Some(RepeatedAxis {
            axis: axis_argument.to_string(),
            parts,
            span,
            other: places.next().filter(|other| *other != span),
        })
    })
}

/// An axis with two selections of it.
type Selections = (Arc<str>, [(u64, u64); 2]);

thread_local! {
    static REPEATED: ThreadMemo<Mapping, Vec<Selections>> = ThreadMemo::default();
}

/// The axes of which a digit is twice.
fn repeated_parts(form: &Form) -> Vec<Selections> {
    let repeated = form.axis_names().into_iter().filter_map(|axis| {
        let parts = repeated_selections(form, &axis)?;
        Some((axis, parts))
    });
    repeated.collect()
}

/// Two selections of an axis in a form that step through the same digits, if there are two.
pub(crate) fn repeated_selections(form: &Form, axis: &str) -> Option<[(u64, u64); 2]> {
    overlapping(project(form, axis)?)
}

/// Two selections of one axis that step through the same values.
fn overlapping(mut parts: Vec<AxisPart>) -> Option<[(u64, u64); 2]> {
    parts.retain(|part| part.count > 1);
    parts.sort_unstable_by_key(|part| part.axis_stride);
    parts.windows(2).find_map(|pair| match pair {
        [fine, coarse] => {
            let reach = fine.axis_stride.checked_mul(fine.count)?;
            let overlap = coarse.axis_stride < reach;
            overlap.then_some([
                (fine.axis_stride, fine.count),
                (coarse.axis_stride, coarse.count),
            ])
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{mapping, written};

    fn repeats(levels: &[&str]) -> Option<(String, [(u64, u64); 2])> {
        let axes = [("A", 64), ("B", 8), ("R", 13)];
        let levels: Vec<Written<Mapping>> = levels
            .iter()
            .map(|text| written(mapping(text, &axes)))
            .collect();
        of_levels(&levels.iter().collect::<Vec<_>>()).map(|found| (found.axis, found.parts))
    }

    #[test]
    fn a_digit_stands_once_in_a_tensor() {
        for levels in [
            &["A / 8", "A % 8"][..],
            &["A / 8 % 4", "A / 32, B, A % 8"],
            &["R # 16 / 4", "R # 16 % 4"],
            &["A = 5", "B"],
            &["1 # 256", "1"],
        ] {
            assert_eq!(repeats(levels), None, "{levels:?}");
        }
        assert_eq!(
            repeats(&["A", "A"]),
            Some(("A".to_owned(), [(1, 64), (1, 64)]))
        );
        assert_eq!(
            repeats(&["A / 2", "A"]),
            Some(("A".to_owned(), [(1, 64), (2, 32)]))
        );
        assert_eq!(
            repeats(&["B", "A / 4, A % 8"]),
            Some(("A".to_owned(), [(1, 8), (4, 16)]))
        );
        assert_eq!(
            repeats(&["A / 8 % 2, B, A / 8 % 2"]),
            Some(("A".to_owned(), [(8, 2), (8, 2)]))
        );
    }
}
