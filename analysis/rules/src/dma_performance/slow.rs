//! A transfer that takes several times what its bytes need, and what of its shape that comes from.
//!
//! Says the cause in numbers where no other rule names one: what would be better is for the search of remedies.

use rustc_hash::FxHashMap;

use crate::derivation::dma::DmaDerivation;
use crate::hardware::Model;
use crate::items::Span;
use crate::kernel::{Body, Copy, Operation, Tensor, Tier};
use crate::mapping::Mapping;
use crate::simulation::dma::{
    DmaCost, REQUEST_BYTES, SidePattern, Transfer,
    alternatives::{ThroughHbm, through_hbm},
    dm::ENGINE_SLICES,
    least_cycles, own_tensor_cycles,
};
use crate::simulation::overlap::Overlap;
use crate::wording::thousands;

use super::super::heavy::{kernel_share, may_be_heavy};
use super::super::{Checked, Finding, Saving};
use super::SLOW_TRANSFER;

/// Packets of fewer bytes are a cause.
const SMALL_PACKET: u64 = 64;

/// What to do where a load is charged for more than its tile.
const OWN_TENSOR: &str = "give each tile a tensor of its own";

/// Tensors whose tiles are loaded: the first load, and the kernel's cycles as it is and with a tensor a tile. Each is worked out once,
/// since that takes a schedule; `None` for those that save little.
pub(super) type OwnTensors = FxHashMap<usize, Option<(Span, (u64, u64))>>;

/// What tensors of their own save where an operation loads a tile.
fn own_tensors(
    checked: &Checked<'_>,
    operation: &Operation,
    known: &mut OwnTensors,
) -> Option<(Span, (u64, u64))> {
    let overlap = Overlap {
        body: checked.body,
        derivation: checked.derivation(),
        simulation: checked.simulation(),
    };
    let allocation = overlap.written_allocation(operation.id)?;
    *known.entry(allocation).or_insert_with(|| {
        let first = overlap.first_write(allocation)?.span;
        Some((first, overlap.with_own_tensors(allocation)?))
    })
}

/// The finding of a transfer that no other rule says anything of.
pub(super) fn slow_transfer_finding(
    checked: &Checked<'_>,
    known: &mut OwnTensors,
    operation: &Operation,
    copy: &Copy,
    derived: &DmaDerivation,
    cost: &DmaCost,
) -> Option<Finding> {
    let body = checked.body;
    if !may_be_heavy(cost.cycles) || !derived.violations.is_empty() {
        return None;
    }
    let moved = Moved::of(body, copy)?;
    let tiers = (moved.source.tier, moved.target.tier);
    let need = least_cycles(body, checked.model, tiers, moved.bytes, moved.engines)?;
    let charged = moved
        .charged(body)
        .filter(|_| checked.model == Model::Schedule);
    // That a tile is charged for its tensor is worth a word wherever a tensor of its own saves something.
    let alone = charged.as_ref().and_then(|_| {
        let (first, total) = own_tensors(checked, operation, known)?;
        let after = own_tensor_cycles(body, copy, derived, checked.model)?;
        // Of the loads of one tensor the first says what is saved.
        Some((first == operation.span, after, total))
    });
    let takes = match kernel_share(checked, operation, cost.cycles, need) {
        Some(takes) => takes,
        None => {
            alone.filter(|(first, ..)| *first)?;
            format!("takes {} cycles", thousands(cost.cycles))
        }
    };
    let mut causes = moved.causes(derived, cost);
    causes.extend(charged);
    if causes.is_empty() {
        return None;
    }
    let what = match tiers {
        (Tier::Dm, Tier::Hbm) => "store",
        (Tier::Hbm, Tier::Dm) => "load",
        _ => "transfer",
    };
    let finding = Finding::new(
        &SLOW_TRANSFER,
        copy.span,
        format!(
            "the {what} {takes}, and its {} bytes need about {}: {}",
            thousands(moved.bytes),
            thousands(need),
            causes.join("; ")
        ),
    );
    Some(match alone {
        Some((false, ..)) => finding.help(OWN_TENSOR),
        Some((true, after, total)) => finding
            .help(OWN_TENSOR)
            .note(format!(
                "the kernel takes {} cycles, {} with the change",
                thousands(total.0),
                thousands(total.1)
            ))
            .saves(Saving {
                operation_before: cost.cycles,
                operation_after: after,
                kernel: Some(total),
                simulated: true,
            }),
        None => match fewer_copies(checked, copy, derived, (moved.copies, cost.cycles)) {
            Some(other) => finding
                .help(other.help)
                .note(other.note)
                .saves(other.saving),
            None => finding.help(search_help(body, cost.cycles.saturating_sub(need))),
        },
    })
}

/// A transfer takes a share of at most so much of another for that to be proposed in words: four fifths.
const WORTH: (u64, u64) = (4, 5);

/// Whether so many cycles are worth a word in place of others.
const fn is_worth(before: u64, after: u64) -> bool {
    after.saturating_mul(WORTH.1) <= before.saturating_mul(WORTH.0)
}

/// The way over HBM in place of a transfer inside of DM that writes copies, where it is shorter.
fn way_over_hbm(checked: &Checked<'_>, copy: &Copy, cycles: u64) -> Option<ThroughHbm> {
    let moved = Moved::of(checked.body, copy)?;
    if moved.copies < 2 {
        return None;
    }
    let way = through_hbm(checked.body, copy, checked.model)?;
    is_worth(cycles, way.cycles()).then_some(way)
}

/// Whether a transfer takes longer than a way over HBM.
pub(super) fn has_way_over_hbm(checked: &Checked<'_>, copy: &Copy, cost: &DmaCost) -> bool {
    may_be_heavy(cost.cycles) && way_over_hbm(checked, copy, cost.cycles).is_some()
}

/// What a transfer that writes copies could be instead.
struct FewerCopies {
    help: &'static str,
    /// What that takes, in numbers.
    note: String,
    saving: Saving,
}

/// What a transfer of so many copies and cycles could be instead, where that is worth it: inside of DM a way over HBM, from HBM two
/// regions.
fn fewer_copies(
    checked: &Checked<'_>,
    copy: &Copy,
    derived: &DmaDerivation,
    (copies, cycles): (u64, u64),
) -> Option<FewerCopies> {
    if copies < 2 {
        return None;
    }
    let (help, note, after) = if let Some(way) = way_over_hbm(checked, copy, cycles) {
        let note = format!(
            "a store of {} cycles, {} for the synchronisation and a load of {} take {} in place of {}",
            thousands(way.store),
            thousands(way.sync),
            thousands(way.load),
            thousands(way.cycles()),
            thousands(cycles)
        );
        let help = "store it to HBM and load it from there";
        (help, note, way.cycles())
    } else {
        let transfer = Transfer::of(checked.body, copy, derived, checked.model)?;
        let after = transfer.over_two_regions()?.cost()?.cycles;
        let note = format!(
            "that takes {} in place of {} cycles, and the second copy has to be written",
            thousands(after),
            thousands(cycles)
        );
        let help = "hold it twice in HBM, and load half of the slices from each copy";
        (help, note, after)
    };
    let saving = Saving {
        operation_before: cycles,
        operation_after: after,
        kernel: None,
        simulated: false,
    };
    is_worth(cycles, after).then_some(FewerCopies { help, note, saving })
}

/// The command that searches for a change of a kernel that saves some of the cycles that a transfer takes beyond its need.
fn search_help(body: &Body, beyond: u64) -> String {
    let changes = "other splits over slices and elements, results gathered before they are stored";
    if body.device.is_none() {
        return format!(
            "`visa-lint cost` of a kernel that calls this lists changes that a search found: {changes}"
        );
    }
    format!(
        "`visa-lint cost --kernel {} --diff` searches for a change that saves some of the {} cycles beyond that: {changes}",
        body.name,
        thousands(beyond)
    )
}

/// What a transfer moves.
struct Moved<'a> {
    source: &'a Tensor,
    target: &'a Tensor,
    /// Bytes that are written, copies included.
    bytes: u64,
    /// Times that each byte of the source is written.
    copies: u64,
    /// Engines that the clusters have.
    engines: u64,
}

impl<'a> Moved<'a> {
    fn of(body: &'a Body, copy: &Copy) -> Option<Self> {
        let (source, target) = (body.tensor(copy.source)?, body.tensor(copy.target)?);
        let (read, bytes) = (live_bytes(source)?, live_bytes(target)?);
        let dm = if target.tier == Tier::Dm {
            target
        } else {
            source
        };
        if dm.tier != Tier::Dm {
            return None;
        }
        let clusters = dm.levels.cluster.as_ref()?.get()?.form().live_size();
        Some(Self {
            source,
            target,
            // What a store has more of than HBM is not written.
            bytes: if target.tier == Tier::Dm {
                bytes
            } else {
                bytes.min(read)
            },
            copies: if target.tier == Tier::Dm {
                bytes.checked_div(read)?.max(1)
            } else {
                1
            },
            engines: clusters
                .saturating_mul(body.machine.slices / ENGINE_SLICES)
                .max(1),
        })
    }

    /// What the schedule charges of a load into a part of a tensor.
    fn charged(&self, body: &Body) -> Option<String> {
        let whole = body.tensor(body.root(self.target.id))?;
        let all = live_bytes(whole)?;
        let loads = (self.source.tier, self.target.tier) == (Tier::Hbm, Tier::Dm);
        (loads && whole.tier == Tier::Dm && all > self.bytes).then(|| {
            format!(
                "they are a part of a tensor of {} bytes in DM, and the compiler's schedule charges all of it",
                thousands(all)
            )
        })
    }

    fn causes(&self, derived: &DmaDerivation, cost: &DmaCost) -> Vec<String> {
        let mut causes = Vec::new();
        let run = derived.run_bits().map_or(0, |bits| bits / 8);
        let partial = match &cost.write {
            SidePattern::Hbm(pattern) => pattern.partial_writes,
            _ => 0,
        };
        if partial > 0 && run > 0 {
            let pieces = REQUEST_BYTES.div_ceil(run);
            causes.push(format!(
                "runs of {run} bytes, {}",
                if pieces > 1 {
                    format!("{pieces} pieces to each unit of {REQUEST_BYTES} bytes, which is read, changed and written for each")
                } else {
                    format!("each with parts of units of {REQUEST_BYTES} bytes, which are read, changed and written")
                }
            ));
        } else if cost.packet_bytes > 0 && cost.packet_bytes < SMALL_PACKET {
            causes.push(format!(
                "packets of {} bytes in requests that could be of {REQUEST_BYTES}",
                cost.packet_bytes
            ));
        } else if run > 0 && run < REQUEST_BYTES {
            causes.push(format!(
                "runs of {run} bytes in requests that could be of {REQUEST_BYTES}"
            ));
        }
        if self.copies > 1 {
            causes.push(format!("{} copies of each byte", thousands(self.copies)));
        }
        if cost.engines < self.engines {
            causes.push(format!(
                "{} of {} engines at work",
                cost.engines, self.engines
            ));
        }
        causes
    }
}

/// Bytes of a tensor on all chips that are no padding.
fn live_bytes(tensor: &Tensor) -> Option<u64> {
    let mut bits = tensor.element_type.get()?.bits();
    for (_, level) in tensor.levels.iter() {
        for digit in level.get().map(Mapping::form)?.digits() {
            bits = bits.checked_mul(digit.live)?;
        }
    }
    Some(bits.div_ceil(8))
}
