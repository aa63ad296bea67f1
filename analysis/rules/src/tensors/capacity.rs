//! A tensor that is larger than its memory, or ends behind it: the words, and how it could become smaller.

use crate::derivation::memory::Elsewhere;
use crate::derivation::tensors::{CapacityViolation, OutgrownTensor};
use crate::hardware::Machine;
use crate::kernel::{Origin, Tier, TrfAddress};

use super::super::memory::with_places;
use super::super::{Checked, Finding, Rule, words};
use super::{DM_CAPACITY, HBM_CAPACITY, SPM_CAPACITY, TRF_CAPACITY, VRF_CAPACITY};

pub(super) fn word_capacity(checked: &Checked<'_>, violation: &CapacityViolation) -> Finding {
    match violation {
        CapacityViolation::Bytes {
            tensor,
            rows,
            region,
            span,
        } => {
            let place = place_of(tensor.tier, *region);
            let product = match rows {
                Some(rows) if *rows > 1 => {
                    format!(
                        " ({rows} rows of {})",
                        words::bytes_text(tensor.bytes / rows)
                    )
                }
                _ => String::new(),
            };
            let message = format!(
                "the tensor takes {}{product}; {place} has {}",
                words::bytes_text(tensor.bytes),
                words::bytes_text(tensor.capacity)
            );
            let finding = Finding::new(rule_of(tensor.tier), *span, message)
                .related(tensor.span, "the tensor");
            // The library asks where a register file is loaded, and no tensor that comes from elsewhere.
            let of_registers = matches!(tensor.tier, Tier::Trf | Tier::Vrf);
            let is_loaded =
                checked.body.tensors.iter().any(|own| {
                    own.span == tensor.span && matches!(own.origin, Origin::Operation(_))
                });
            let finding = if of_registers && !is_loaded {
                finding.accepted_by_successor(checked.body.dialect)
            } else {
                finding
            };
            finding.help(ways_to_shrink(checked.body.machine, tensor, *region))
        }
        CapacityViolation::End {
            tensor,
            address,
            span,
        } => {
            let last = tensor.capacity.saturating_sub(tensor.bytes);
            let finding = Finding::new(
                rule_of(tensor.tier),
                *span,
                format!(
                    "the tensor of {} ends {} past the end of {} ({})",
                    words::bytes_text(tensor.bytes),
                    words::bytes_text(address.saturating_sub(last)),
                    place_of(tensor.tier, None),
                    words::bytes_text(tensor.capacity)
                ),
            );
            let displaced = &checked.derivation().memory.displaced;
            let elsewhere = displaced
                .iter()
                .find(|displaced| displaced.address_span == *span)
                .map(|displaced| &displaced.elsewhere);
            match elsewhere {
                Some(elsewhere @ Elsewhere::Addresses(_)) => {
                    with_places(
                        checked.body.library(),
                        finding,
                        elsewhere,
                        "free while it is needed: ",
                        *span,
                    )
                }
                Some(Elsewhere::Nowhere) => finding.help(
                    "no place of its size is free while it is needed: use another tensor up before it is written, or \
                     work on it in tiles",
                ),
                _ => finding.help("choose an address that leaves room for all of it"),
            }
        }
    }
}

/// The rule of a memory's size.
fn rule_of(tier: Tier) -> &'static Rule {
    match tier {
        Tier::Hbm | Tier::Host => &HBM_CAPACITY,
        Tier::Spm => &SPM_CAPACITY,
        Tier::Dm => &DM_CAPACITY,
        Tier::Trf => &TRF_CAPACITY,
        Tier::Vrf => &VRF_CAPACITY,
    }
}

fn place_of(tier: Tier, region: Option<TrfAddress>) -> &'static str {
    match (tier, region) {
        (Tier::Trf, Some(TrfAddress::FirstHalf | TrfAddress::SecondHalf)) => {
            "a half of the register file"
        }
        (Tier::Trf, _) => "the tensor register file of a slice",
        (Tier::Vrf, _) => "the vector register file of a slice",
        (Tier::Spm, _) => "the scratchpad of a processing element",
        (Tier::Dm, _) => "the data memory of a slice",
        (Tier::Hbm | Tier::Host, _) => "the HBM of a chip",
    }
}

/// How a tensor that is too large could become smaller.
fn ways_to_shrink(machine: Machine, tensor: &OutgrownTensor, region: Option<TrfAddress>) -> String {
    let parts = tensor.bytes.div_ceil(tensor.capacity);
    let mut ways = Vec::new();
    if matches!(region, Some(TrfAddress::FirstHalf | TrfAddress::SecondHalf)) && parts == 2 {
        ways.push("give it all of the register file".to_owned());
    }
    let idle = tensor
        .slices
        .and_then(|used| machine.slices.checked_div(used))
        .unwrap_or(1);
    if idle >= parts {
        ways.push("spread it over the idle slices".to_owned());
    }
    let clusters = tensor
        .clusters
        .and_then(|used| machine.clusters.checked_div(used))
        .unwrap_or(1);
    if idle < parts && clusters > 1 && idle.saturating_mul(clusters) >= parts {
        ways.push(if idle > 1 {
            "spread it over the idle slices and the idle cluster".to_owned()
        } else {
            "spread it over the idle cluster".to_owned()
        });
    }
    ways.push("work on it in tiles that fit".to_owned());
    ways.join(", or ")
}
