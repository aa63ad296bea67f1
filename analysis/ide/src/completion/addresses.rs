//! Addresses where a tensor is put: the free places of its memory, with their room.
//!
//! Only where the call says the address. Free is what no other tensor of the function has at any time, so that a place holds
//! whatever the order of the schedule is; where another tensor is at an unknown place, nothing is proposed.

use crate::check::function_derivation;
use crate::db::Db;
use crate::derivation::BodyDerivation;
use crate::derivation::memory::free::{free_addresses, free_stretches};
use crate::hardware::FLIT_BYTES;
use crate::items::{ItemId, Span};
use crate::kernel::catalogue::Role;
use crate::kernel::dialect::{Action, Method};
use crate::kernel::{Body, CanonicalStage, Tier};
use crate::lowering::body;
use crate::numbers::thousands;
use crate::{Completion, CompletionKind};

use super::around::functions_around;
use super::context::{Around, Owner};
use super::receiver::called_method;
use super::word_proposal;

/// Places that are proposed at most.
const PLACE_LIMIT: usize = 16;

/// Proposals directly behind `(` or a comma of the arguments of a method that is given an address.
pub(super) fn propose_addresses(db: &dyn Db, around: &Around) -> Option<Vec<Completion>> {
    let opener = around.openers.first().copied()?;
    if !matches!(around.text(0), "(" | ",") {
        return None;
    }
    let Owner::Arguments { name, dot } = around.owner(opener) else {
        return None;
    };
    let (method, receiver) = called_method(db, around, (&name, dot), false)?;
    let context = receiver
        .as_ref()
        .and_then(|receiver| receiver.pass()?.context);
    let (_, argument) = method.arguments_in(context).nth(opener.commas)?;
    if argument.role != Role::Address {
        return None;
    }
    let tier = made_tier(method)?;
    let (item, start) = around.item_end(db, dot)?;
    let (_, end) = around.item_here(db)?;
    let word = u32::try_from(around.word.len()).ok()?;
    let call = Span {
        item,
        start,
        end: end.saturating_add(word).saturating_add(1),
    };
    let function = functions_around(db, item, end).next()?;
    let free = free_places(db, function, (tier, call), 0)?;
    let found = free
        .into_iter()
        .zip(0_u32..)
        .map(|((address, room), rank)| {
            let label = format!("{address:#x}");
            let mut found = word_proposal(around, label, CompletionKind::Value, rank);
            found.detail = Some(format!("{} bytes free", thousands(room)));
            found
        });
    Some(found.collect())
}

/// The memory of slices in which a method makes a tensor; none for HBM, which hardly is short, and for the regions of the TRF.
fn made_tier(method: &Method) -> Option<Tier> {
    let tier = match method.action {
        Action::Transfer(tier) => tier,
        Action::Gather => Tier::Dm,
        Action::Stages(_) => match method.stage()? {
            CanonicalStage::Commit => Tier::Dm,
            CanonicalStage::ToVrf => Tier::Vrf,
            _ => return None,
        },
        _ => return None,
    };
    matches!(tier, Tier::Dm | Tier::Vrf).then_some(tier)
}

/// Free places of a memory, the lowest first, each with the bytes that are free from there on: what the tensor of a call fits into,
/// where its size is known, and `least` bytes.
pub(super) fn free_places(
    db: &dyn Db,
    function: ItemId,
    (tier, call): (Tier, Span),
    least: u64,
) -> Option<Vec<(u64, u64)>> {
    let body = body(db, function);
    let derivation = function_derivation(db, function);
    let (taken, bytes) = taken_stretches(&body, &derivation, (tier, call))?;
    let bytes = bytes.max(least);
    let gaps = free_stretches(taken, tier.capacity(&body.machine)?);
    let found = gaps.iter().flat_map(|gap| {
        let starts = free_addresses(std::slice::from_ref(gap), bytes, 0, FLIT_BYTES);
        starts.map(|start| (start, gap.1.saturating_sub(start)))
    });
    Some(
        found
            .filter(|(_, room)| *room > 0)
            .take(PLACE_LIMIT)
            .collect(),
    )
}

/// The stretches that others than the tensor of the call have, and the bytes of that one, 0 where they are not known. `None` where it is
/// not known where another one is.
fn taken_stretches(
    body: &Body,
    derivation: &BodyDerivation,
    (tier, call): (Tier, Span),
) -> Option<(Vec<(u64, u64)>, u64)> {
    let mut taken = Vec::new();
    let mut own = 0;
    for lifetime in &derivation.memory.lifetimes {
        if lifetime.tier != tier {
            continue;
        }
        let address = body.tensor(lifetime.tensor)?.address.span;
        let is_own =
            address.item == call.item && call.start <= address.start && address.start <= call.end;
        if is_own {
            own = own.max(lifetime.bytes.unwrap_or(0));
            continue;
        }
        let start = lifetime.address?;
        taken.push((start, start.checked_add(lifetime.bytes?)?));
    }
    Some((taken, own))
}
