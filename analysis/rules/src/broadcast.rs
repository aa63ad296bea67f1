//! A vector that is spread over the slices in parts of less than a flit and broadcast to all of them: in parts of a flit it is
//! collected without holes.
//!
//! Knows loads of the TRF that fetch a slice's part, broadcast it and collect it. What else reads the vector is the business
//! of the code that follows an alternative.

use crate::hardware::FLIT_BYTES;
use crate::kernel::{Body, Pass, PassSource, StageKind, Tensor};
use crate::mapping::Form;

use super::lanes::Edits;
use super::{Alternative, words};

/// The load with parts of a flit a slice.
pub(super) fn whole_flits(body: &Body, pass: &Pass, loaded: &Tensor) -> Option<Alternative> {
    let [fetch, switch, collect] = pass.stages.as_slice() else {
        return None;
    };
    let kinds = (&fetch.kind, &switch.kind, &collect.kind);
    let (StageKind::Fetch { .. }, StageKind::Switch(_), StageKind::Collect) = kinds else {
        return None;
    };
    let PassSource::Tensor(source) = pass.source else {
        return None;
    };
    let source = body.tensor(source)?;
    let bytes = fetch.output.packet_bytes()?;
    let factor = FLIT_BYTES.checked_div(bytes)?;
    if factor < 2 || bytes.checked_mul(factor) != Some(FLIT_BYTES) {
        return None;
    }
    let slice = source.levels.slice.as_ref()?;
    let spread = slice.get()?.form().remove_padding();
    let (outer, inner) = spread.split_at(factor)?;
    let slices = outer.pad(body.machine.slices)?;
    let element = source.levels.element.get()?.form();
    let packet = fetch.output.packet.get()?.form();
    // The broadcast puts the slices into time as they are.
    if switch.output.time.get()?.form().remove_padding() != spread {
        return None;
    }
    let (held, flit) = (
        Form::multiply(&inner, element)?,
        Form::multiply(&inner, packet)?,
    );
    let mut edits = Edits::default();
    edits.declare_mapping(slice, &slices);
    edits.declare_mapping(&source.levels.element, &held);
    edits.declare_mapping(&fetch.output.packet, &flit);
    edits.declare_mapping(&switch.output.time, &slices);
    edits.declare_mapping(&collect.output.time, &slices);
    edits.declare_mapping(&collect.output.packet, &flit);
    edits.declare_mapping(&loaded.levels.element, &Form::multiply(&slices, &flit)?);
    let mut texts: Vec<&str> = Vec::new();
    for edit in &edits.list {
        if !texts.contains(&&*edit.text) {
            texts.push(&edit.text);
        }
    }
    Some(Alternative {
        text: format!(
            "spread a flit over each slice: {}",
            words::names_in_code(&texts)
        ),
        edits: edits.list,
    })
}
