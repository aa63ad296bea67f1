//! Changes of what a kernel says of its streams and addresses: pad a packet to whole flits, move a tensor to a free place.
//!
//! The kernel is checked with the change made, as a fix is: what follows from it is changed along, and where the rules would
//! find something new the change is not offered.

use std::sync::Arc;

use crate::changes::completed_change;
use crate::check::{as_checked, body};
use crate::derivation::memory::free_places;
use crate::hardware::FLIT_BYTES;
use crate::items::{ItemId, Span};
use crate::kernel::dialect::{self, Dialect};
use crate::kernel::{Address, AddressValue, OperationKind, Origin, Tensor, Tier};
use crate::mapping::Mapping;
use crate::report::FileEdit;
use crate::rules::{Applicability, Edit, Replacement, name_fixes_in_scope, region_replacement};

use super::super::{Assist, AssistKind};
use super::{Here, slice};

/// Free places that are tried.
const PLACES: usize = 8;
/// Multiples that addresses are moved to: what transfers like best, and a flit.
const ALIGNMENTS: [u64; 2] = [256, FLIT_BYTES];

/// Pads the packet of a stage to whole flits.
pub(super) fn pad_packet(here: &Here<'_>) -> Option<Assist> {
    let bodies = here.bodies();
    let (place, padded) = bodies
        .iter()
        .find_map(|function| packet_at(here, *function))?;
    let edits = agreed_edits(here, &bodies, &[Edit::new(place, &padded)])?;
    assist(
        here,
        format!("Pad the packet to whole flits: `m![{padded}]`"),
        edits,
    )
}

/// The packet at the selection that a stage of the function declares, and what it is padded.
fn packet_at(here: &Here<'_>, function: ItemId) -> Option<(Span, Mapping)> {
    let lowered = body(here.db, function);
    let passes = lowered
        .operations
        .iter()
        .filter_map(|operation| match &operation.kind {
            OperationKind::Pass(pass) => Some(pass),
            _ => None,
        });
    passes.flat_map(|pass| &pass.stages).find_map(|stage| {
        let packet = &stage.output.packet;
        // An alias may be right elsewhere: its use is replaced.
        let place = packet.used_at.unwrap_or(packet.span);
        (here.is_at(place) && place != stage.span).then_some(())?;
        Some((place, stage.output.padded_packet(FLIT_BYTES)?))
    })
}

/// Moves a tensor to the first place that is free for as long as it is needed.
pub(super) fn move_tensor(here: &Here<'_>) -> Option<Assist> {
    let bodies = here.bodies();
    let library = dialect::of_file(here.db, bodies.first()?.file(here.db));
    let (span, name, places) = bodies
        .iter()
        .find_map(|function| addressed_at(here, *function))?;
    places.into_iter().take(PLACES).find_map(|place| {
        let edit = Edit::new(span, written_address(library, &place)?);
        let text = edit.text.clone();
        let edits = agreed_edits(here, &bodies, std::slice::from_ref(&edit))?;
        // What another change would have to follow is no free place.
        if edits != [edit] {
            return None;
        }
        assist(here, format!("Move {name} to `{text}`"), edits)
    })
}

fn written_address(library: Dialect, place: &AddressValue) -> Option<Replacement> {
    match place {
        AddressValue::Bytes(address) => Some(Replacement::address(*address)),
        AddressValue::Trf(region) => Some(region_replacement(library, *region)),
        AddressValue::Unknown => None,
    }
}

/// The tensor whose address is the literal at the selection: the literal's place, the tensor's name, where it could be.
fn addressed_at(here: &Here<'_>, function: ItemId) -> Option<(Span, String, Vec<AddressValue>)> {
    let lowered = body(here.db, function);
    let tensor = lowered.tensors.iter().find(|tensor| {
        matches!(tensor.tier, Tier::Dm | Tier::Trf | Tier::Vrf)
            && matches!(tensor.origin, Origin::Operation(_) | Origin::FromAddress)
            && here.is_at(tensor.address.span)
            && is_literal(here, lowered.library(), &tensor.address)
    })?;
    let mut places = Vec::new();
    // What is well is not moved to where it is worse, if there is another place.
    let own = tensor.address.bytes().unwrap_or(0);
    for alignment in ALIGNMENTS
        .into_iter()
        .filter(|by| own.is_multiple_of(*by))
        .chain([FLIT_BYTES])
    {
        for place in free_places(&lowered, tensor.id, alignment) {
            if !places.contains(&place) {
                places.push(place);
            }
        }
    }
    Some((tensor.address.span, tensor_phrase(tensor), places))
}

fn tensor_phrase(tensor: &Tensor) -> String {
    match &tensor.name {
        Some(name) => format!("`{name}`"),
        None => "the tensor".to_owned(),
    }
}

/// Whether the address is written as a number or a region.
fn is_literal(here: &Here<'_>, library: Dialect, address: &Address) -> bool {
    let Some(text) = here
        .range(address.span)
        .and_then(|range| slice(&here.text, range))
    else {
        return false;
    };
    match address.value {
        AddressValue::Bytes(_) => {
            text.starts_with(|first: char| first.is_ascii_digit())
                && text
                    .chars()
                    .all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        }
        AddressValue::Trf(_) => text.starts_with(library.words.trf_type),
        AddressValue::Unknown => false,
    }
}

/// The edits with what follows from them, if all functions that hold the text agree on it.
fn agreed_edits(here: &Here<'_>, bodies: &[ItemId], edits: &[Edit]) -> Option<Vec<Edit>> {
    let mut agreed: Option<Vec<Edit>> = None;
    for function in bodies {
        here.db.unwind_if_revision_cancelled();
        let completed = as_checked(here.db, *function, |checked| {
            completed_change(checked, edits)
        })?;
        match &agreed {
            Some(other) if *other != completed => return None,
            _ => agreed = Some(completed),
        }
    }
    agreed
}

/// The change with its axes by the names that are in scope where they are written.
fn assist(here: &Here<'_>, title: String, edits: Vec<Edit>) -> Option<Assist> {
    let span = edits.first()?.span;
    let mut fixes = vec![crate::rules::Fix {
        title,
        applicability: Applicability::Maybe,
        edits,
        cost: None,
    }];
    name_fixes_in_scope(here.db, span.item, &mut fixes);
    let fix = fixes.pop()?;
    let edits: Option<Vec<FileEdit>> = fix
        .edits
        .into_iter()
        .map(|edit| {
            let (file, start, end) = crate::items::file_range(here.db, edit.span);
            (start < end).then(|| FileEdit {
                file: Arc::clone(&file.path(here.db)),
                start_byte: start,
                end_byte: end,
                text: edit.text,
            })
        })
        .collect();
    Some(Assist {
        title: fix.title,
        kind: AssistKind::Rewrite,
        edits: edits?,
    })
}
