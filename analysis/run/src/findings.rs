//! What is wrong with the outputs of a run: one finding an origin and output, with the way that it went.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::items::Span;
use crate::kernel::{Origin, TensorId};
use crate::numbers::thousands;
use crate::places::Places;

use super::cells::OriginId;
use super::compare::{coordinates, place_text};
use super::machine::Machine;
use super::outputs::Placed;
use super::request::{OriginKind, RunFinding, RunOrigin, RunStation};

/// Stations that a finding names at most.
const STATIONS: usize = 3;

/// The undefined live elements of an output by origin: the first of each, and how many.
fn by_origin(machine: &Machine<'_>, placed: &Placed) -> BTreeMap<OriginId, (usize, u64)> {
    let mut found: BTreeMap<OriginId, (usize, u64)> = BTreeMap::new();
    let Some(cells) = machine.memory.store(placed.root) else {
        return found;
    };
    let output = &placed.output;
    for at in output.defined.clear_places() {
        if output.live.as_ref().is_some_and(|live| !live.is_set(at)) {
            continue;
        }
        let Some(place) = placed.places.place(at) else {
            continue;
        };
        let entry = found.entry(cells.origin(place)).or_insert((at, 0));
        entry.1 += 1;
    }
    found
}

/// Live elements of an output that keep an older value on the device.
pub(super) fn stale_elements(machine: &Machine<'_>, placed: &Placed) -> u64 {
    let found = by_origin(machine, placed);
    let stale = found.iter().filter(|(origin, _)| {
        let place = machine.origins.place(**origin);
        place.is_some_and(|place| place.kind == OriginKind::Stale)
    });
    stale.map(|(_, (_, count))| count).sum()
}

/// The findings of one output.
pub(super) fn output_findings(
    machine: &Machine<'_>,
    places: &mut Places<'_>,
    placed: &Placed,
) -> Vec<RunFinding> {
    let mut findings = Vec::new();
    for (number, (first, count)) in by_origin(machine, placed) {
        let own = machine.origins.place(number);
        let kind = own.map_or(OriginKind::NeverWritten, |own| {
            kind_of(machine, own.kind, own.tensor)
        });
        let what = own.map_or_else(
            || "nothing wrote it".to_owned(),
            |own| words_of(kind, &own.what),
        );
        let origin = own.and_then(|own| {
            Some(RunOrigin {
                kind,
                what: what.clone(),
                span: places.range(own.span)?.into(),
            })
        });
        let coordinates = coordinates(&placed.output, first);
        let name = &placed.output.name;
        let is_stale = kind == OriginKind::Stale;
        let state = if is_stale {
            "keeps an older value on the device"
        } else {
            "is undefined on the device"
        };
        let many = if count == 1 {
            format!("one element of `{name}` {state}")
        } else {
            let state = if is_stale {
                "keep older values on the device"
            } else {
                "are undefined on the device"
            };
            format!("{} elements of `{name}` {state}", thousands(count))
        };
        let message = format!(
            "{many}, the first {}: {what}",
            place_text(name, &coordinates)
        );
        findings.push(RunFinding {
            rule: if is_stale {
                "run_stale"
            } else {
                "run_undefined"
            },
            output: Arc::clone(name),
            count,
            first: coordinates,
            origin,
            through: stations(machine, places, (placed.tensor, placed.root), number),
            message,
            help: Some(help_of(kind).to_owned()),
        });
    }
    findings
}

/// A place of a new tensor that was written in part is a hole between what was written.
fn kind_of(machine: &Machine<'_>, kind: OriginKind, tensor: Option<TensorId>) -> OriginKind {
    match (kind, tensor) {
        (OriginKind::NeverWritten, Some(tensor)) if !machine.memory.writes(tensor).is_empty() => {
            OriginKind::Hole
        }
        (kind, _) => kind,
    }
}

fn words_of(kind: OriginKind, what: &str) -> String {
    match kind {
        OriginKind::Hole => what.replace(
            "is new and holds nothing",
            "is new, and only a part of it is written",
        ),
        _ => what.to_owned(),
    }
}

/// How an element went from its origin to an output, the last stations first turned round: at most three.
fn stations(
    machine: &Machine<'_>,
    places: &mut Places<'_>,
    (tensor, root): (TensorId, TensorId),
    number: OriginId,
) -> Vec<RunStation> {
    let mut found: Vec<(Span, String)> = Vec::new();
    let mut store = root;
    let mut before = machine.links.len();
    add_reshapes(machine, tensor, &mut found);
    while let Some(at) = (0..before).rev().find(|at| {
        let link = machine.links.get(*at);
        link.is_some_and(|link| link.target == store && link.origins.contains(&number))
    }) {
        let Some(link) = machine.links.get(at) else {
            break;
        };
        let is_origin = machine
            .origins
            .place(number)
            .is_some_and(|own| own.span == link.span);
        if !is_origin {
            found.push((link.span, format!("`{}` takes it along", link.what)));
        }
        before = at;
        let carries = |source: &&TensorId| {
            machine
                .links
                .iter()
                .take(at)
                .any(|earlier| earlier.target == **source && earlier.origins.contains(&number))
        };
        match link.sources.iter().find(carries) {
            Some(source) => {
                for sharing in machine
                    .body
                    .tensors
                    .iter()
                    .filter(|own| machine.body.root(own.id) == *source)
                {
                    if matches!(sharing.origin, Origin::Reshape { .. }) {
                        add_reshapes(machine, sharing.id, &mut found);
                    }
                }
                store = *source;
            }
            None => break,
        }
    }
    found.dedup_by_key(|(span, _)| *span);
    found.truncate(STATIONS);
    found.reverse();
    let shown = found.into_iter().filter_map(|(span, what)| {
        let span = places.range(span)?.into();
        Some(RunStation { what, span })
    });
    shown.collect()
}

/// The reshapes between a tensor and the one that has its bytes.
fn add_reshapes(machine: &Machine<'_>, tensor: TensorId, found: &mut Vec<(Span, String)>) {
    for own in machine.body.sharing(tensor) {
        if matches!(own.origin, Origin::Reshape { .. })
            && found.iter().all(|(span, _)| *span != own.span)
        {
            found.push((
                own.span,
                "a reshape gives the bytes another name".to_owned(),
            ));
        }
    }
}

/// What to write instead.
const fn help_of(kind: OriginKind) -> &'static str {
    match kind {
        OriginKind::NeverWritten => "write the tensor before it is read, or fill it",
        OriginKind::Hole => {
            "write the rest of the tensor too, or store only the part that is written"
        }
        OriginKind::FreshPadding => {
            "do not name padding as data: keep `#` in the mapping, or write the places"
        }
        OriginKind::ArgumentPadding => {
            "take the argument without padding, or write the places that are named"
        }
        OriginKind::ClaimedCopy => {
            "make the copies in data memory and store them, or store each copy by a transfer of its own"
        }
        OriginKind::NamedPadding => "reshape only what holds data",
        OriginKind::IdleLanes => {
            "mask the idle lanes, or choose a packet and a time without padding"
        }
        OriginKind::UngatheredRows => {
            "store only the rows that the gather fills, or fill the others"
        }
        OriginKind::IdlePlace => {
            "give each cluster and chip its own data, or keep `1 # n` in the mapping"
        }
        OriginKind::PaddedWindow => "pad no further than the tensor reaches",
        OriginKind::Overwritten => {
            "give one of the two tensors another address, or read this one before the other is written"
        }
        OriginKind::Stale => "store each copy by a transfer of its own",
        OriginKind::Fault => "change what the operation is given",
    }
}
