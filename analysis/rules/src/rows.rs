//! Fewer rows of a tensor in the TRF: a part of them goes into the element, and the passes that read it go through that part.
//!
//! Knows the load and the passes that align with the tensor. What follows behind them (the cast, the element of a commit) is
//! left to the code that completes a fix.

use crate::hardware::ACCUMULATOR_BUS_ELEMENTS;
use crate::items::Span;
use crate::kernel::{
    AccumulationKind, Body, OperationKind, Pass, PassEnd, StageKind, Tensor, TensorId, Written,
};
use crate::mapping::{Form, Mapping};

use super::Alternative;
use super::lanes::Edits;
use super::wording::mapping_macro_text;

/// How a tensor of so many rows, which are written at a place, could have fewer.
pub(super) fn fewer_row_alternatives(body: &Body, place: Span, rows: u64) -> Vec<Alternative> {
    let declared = |tensor: &&Tensor| {
        let row = tensor.levels.row.as_ref();
        row.is_some_and(|row| row.span == place)
    };
    let Some(tensor) = body.tensors.iter().find(declared) else {
        return Vec::new();
    };
    let counts: Vec<u64> = body.machine.row_counts().collect();
    let counts = counts
        .into_iter()
        .rev()
        .filter(|count| *count < rows && rows.is_multiple_of(*count))
        .filter_map(|count| with_rows(body, tensor, count));
    // The largest keeps the most of the array busy.
    counts.take(1).collect()
}

/// The tensor with so many rows.
fn with_rows(body: &Body, tensor: &Tensor, count: u64) -> Option<Alternative> {
    let row = tensor.levels.row.as_ref()?;
    let whole = row.get()?;
    let inner = whole.modulo(count).ok()?;
    let outer = whole.stride(count).ok()?;
    let element = &tensor.levels.element;
    let held = joined_mapping(&[&outer, element.get()?])?;
    let mut edits = Edits::default();
    edits.text(row.span, &inner);
    edits.text(element.span, &held);
    let texts = [mapping_macro_text(&inner), mapping_macro_text(&held)];
    for operation in &body.operations {
        let OperationKind::Pass(pass) = &operation.kind else {
            continue;
        };
        if matches!(pass.end, PassEnd::ToTrf { target, .. } if target == tensor.id) {
            edit_load(pass, whole, &inner, &outer, &mut edits)?;
        }
        read(pass, tensor.id, (whole, &inner, &outer), &mut edits)?;
    }
    let others: Vec<String> = edits
        .list
        .iter()
        .skip(2)
        .map(|edit| format!("`{}`", edit.text))
        .collect();
    let text = format!(
        "`{}` as the rows and `{}` as the element, and in the passes {}",
        texts[0],
        texts[1],
        others.join(", ")
    );
    Some(Alternative {
        text,
        edits: edits.list,
    })
}

/// Mappings side by side, the first one outermost.
fn joined_mapping(parts: &[&Mapping]) -> Option<Mapping> {
    let mut forms = parts.iter().map(|part| part.form());
    let all = forms.try_fold(Form::identity(), |all, form| Form::multiply(&all, form))?;
    Some(all.to_mapping())
}

/// The stages of the load go through the rows first.
fn edit_load(
    pass: &Pass,
    whole: &Mapping,
    inner: &Mapping,
    outer: &Mapping,
    edits: &mut Edits,
) -> Option<()> {
    for stage in &pass.stages {
        let time = &stage.output.time;
        let rest = without_outermost(time.get()?, whole)?;
        let time_now = joined_mapping(&[inner, outer, &rest])?;
        edit_declared(time, stage.span, &time_now, edits)?;
    }
    Some(())
}

/// What a mapping holds inside of an outermost part.
fn without_outermost(mapping: &Mapping, outermost: &Mapping) -> Option<Mapping> {
    let inside = mapping.size().checked_div(outermost.size())?;
    let (outer, rest) = mapping.form().split_at(inside)?;
    (outer == *outermost.form()).then(|| rest.to_mapping())
}

/// A pass that aligns with the tensor repeats each packet for the part of the rows that is in the element now.
fn read(
    pass: &Pass,
    tensor: TensorId,
    (whole, inner, outer): (&Mapping, &Mapping, &Mapping),
    edits: &mut Edits,
) -> Option<()> {
    let aligns = |kind: &StageKind| matches!(kind, StageKind::Align { operand: Some(id), .. } if *id == tensor);
    let Some(first) = pass.stages.iter().position(|stage| aligns(&stage.kind)) else {
        return Some(());
    };
    for stage in pass.stages.get(first..)? {
        let output = &stage.output;
        match &stage.kind {
            StageKind::Align { .. } => {
                let time = joined_mapping(&[output.time.get()?, outer])?;
                edit_declared(&output.time, stage.span, &time, edits)?;
            }
            StageKind::Contract | StageKind::ContractMax => {}
            StageKind::Accumulate(kind) => {
                let time = output.time.get()?;
                match kind.get()? {
                    AccumulationKind::Interleaved => {
                        let live = output.packet.get()?.form().remove_padding();
                        if live != *whole.form() {
                            return None;
                        }
                        let time = joined_mapping(&[time, outer])?;
                        let packet = inner.form().pad(ACCUMULATOR_BUS_ELEMENTS)?.to_mapping();
                        edit_declared(&output.time, stage.span, &time, edits)?;
                        edit_declared(&output.packet, stage.span, &packet, edits)?;
                    }
                    AccumulationKind::Sequential => return None,
                }
                return Some(());
            }
            _ => return Some(()),
        }
    }
    Some(())
}

/// Writes a mapping where another one is declared; nothing where it is written nowhere.
fn edit_declared(
    declared: &Written<Mapping>,
    method: Span,
    mapping: &Mapping,
    edits: &mut Edits,
) -> Option<()> {
    let same: Option<&Form> = declared.get().map(Mapping::form);
    if same == Some(mapping.form()) {
        return Some(());
    }
    let place = declared.used_at.unwrap_or(declared.span);
    if place == method {
        // What is written nowhere is what the stage before has.
        return Some(());
    }
    edits.text(place, mapping);
    Some(())
}
