//! Another split of a tensor over the slices: the innermost part on them grows or shrinks until all slices are used, and what
//! every slice holds follows.
//!
//! Knows the tensors and streams of one body that are over the same slices. Whether the engines can live with the new parts is
//! left to the code that follows an alternative.

use crate::derivation::resplit::Split;
use crate::items::Span;
use crate::kernel::{Body, OperationKind, Tier, Written};
use crate::mapping::Mapping;

use super::lanes::Edits;
use super::{Alternative, words};

/// The split of what is written at a place over all slices.
pub(super) fn over_all_slices(body: &Body, place: Span) -> Option<Alternative> {
    let over_here = |written: &&Written<Mapping>| written.span == place;
    let slices = body
        .tensors
        .iter()
        .filter_map(|tensor| tensor.levels.slice.as_ref());
    let before = slices.filter(over_here).find_map(Written::get)?.form();
    let split = Split::of(body.machine.slices, &before.remove_padding())?;
    let mut edits = Edits::default();
    edits.text(place, &split.slices.to_mapping());
    let same = |slice: Option<&Written<Mapping>>| {
        slice.and_then(Written::get).map(Mapping::form) == Some(before)
    };
    for tensor in &body.tensors {
        if tensor.tier == Tier::Hbm || !same(tensor.levels.slice.as_ref()) {
            continue;
        }
        let slice = tensor.levels.slice.as_ref()?;
        edits.declare_mapping(slice, &split.slices);
        let element = &tensor.levels.element;
        edits.declare_mapping(element, &split.held_form(element.get()?.form())?);
    }
    for operation in &body.operations {
        let OperationKind::Pass(pass) = &operation.kind else {
            continue;
        };
        for stage in &pass.stages {
            let output = &stage.output;
            if !same(Some(&output.slice)) {
                continue;
            }
            if output.slice.span != stage.span {
                edits.declare_mapping(&output.slice, &split.slices);
            }
            let (time, packet) = (output.time.get()?.form(), output.packet.get()?.form());
            let (time, packet) = split.streamed_form(time, packet)?;
            for (declared, form) in [(&output.time, &time), (&output.packet, &packet)] {
                if declared.span != stage.span {
                    edits.declare_mapping(declared, form);
                }
            }
        }
    }
    let mut texts: Vec<&str> = Vec::new();
    for edit in &edits.list {
        if !texts.contains(&&*edit.text) {
            texts.push(&edit.text);
        }
    }
    Some(Alternative {
        text: format!("split it otherwise: {}", words::names_in_code(&texts)),
        edits: edits.list,
    })
}
