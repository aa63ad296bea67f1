//! Transfers that a small change would make faster: packets, HBM, DMNs and slices, commands, and the ways of tensors through
//! the memories.
//!
//! A transfer has one finding at most, for the cause whose removal saves the most. The cycles before and after come from
//! the simulation, asked about the changed transfer. What saves less than a tenth of the transfer, or less than
//! [`SAVED_CYCLES`], or less than both 1,000 cycles and a tenth of the kernel, is not worth an author's minute and is not
//! said. A row that is short on both sides is no finding: only where another layout of one side, another address or a
//! little padding mends it, there is something to do.

mod candidates;
mod journeys;
mod slow;

use rustc_hash::FxHashSet;

use crate::derivation::OperationDerivation;
use crate::derivation::tensors::bytes_of;
use crate::kernel::{Body, OperationKind, TensorId, Tier};

use super::{Checked, Finding, Rule, rule};

/// Cycles that a change must save: most of what a command takes to start.
const SAVED_CYCLES: u64 = 400;

pub(crate) static DMA_SMALL_PACKET: Rule = rule!(
    "dma_small_packet",
    Performance,
    Dma,
    "Packet size and internal DMA requests",
    "packets of less than 256 bytes, or of 256 n + r, where another order of the layout gives longer ones",
    "A DMA engine moves a packet in requests of up to 256 bytes, one in each cycle. A request of 64 bytes takes as \
     long as one of 256. The packet is the longest run of bytes that is contiguous on both sides, so the order of the \
     axes decides it. Reported where another order of one side saves a tenth of the transfer and at least 400 cycles.",
    fix,
);

pub(crate) static DMA_PRIME_PACKET: Rule = rule!(
    "dma_prime_packet",
    Performance,
    Dma,
    "Packet size and internal DMA requests",
    "a run whose length no useful packet divides",
    "A run of more than 4,096 bytes is moved in equal packets. If its length has no large divisor, such as a prime, \
     the packets shrink to a few bytes, and each is a separate request. Pad the run on both sides to a multiple of \
     256 bytes, or move it in two transfers, one of packets of 4,096 bytes and one of the rest. Each costs 500 cycles \
     to start. Reported where this saves a tenth of the transfer and at least 400 cycles.",
    alt,
);

pub(crate) static HBM_MISALIGNED_READ: Rule = rule!(
    "hbm_misaligned_read",
    Performance,
    Dma,
    "Misaligned Access",
    "reads from HBM that cross boundaries of 256 bytes",
    "HBM moves units of 256 bytes that start at multiples of 256. A request that crosses such a boundary takes two, which \
     halves the bandwidth. Start tensors at multiples of 256 bytes and pad rows to them. Reported where this saves a \
     tenth of the transfer and at least 400 cycles.",
    fix,
);

pub(crate) static HBM_PARTIAL_WRITE: Rule = rule!(
    "hbm_partial_write",
    Performance,
    Dma,
    "Misaligned Access",
    "writes to HBM of a part of a 256-byte unit",
    "HBM writes units of 256 bytes. A part of one is a read, a change and a write of the whole, about 50 times as slow. Write \
     longer runs, start them at multiples of 256 bytes, or pad them to whole units. Reported where this saves a tenth of \
     the transfer and at least 400 cycles.",
    fix,
);

pub(crate) static HBM_STACK_IDLE: Rule = rule!(
    "hbm_stack_idle",
    Performance,
    Dma,
    "Example 5: Homogeneous DMA Engine HBM to DM (Pathological: Missing Stack Interleaving)",
    "a transfer that leaves one of HBM's two stacks idle",
    "Bit 8 of an HBM address chooses the stack. If every packet starts at an even multiple of 256 bytes and ends \
     before the next one, that bit never changes. Then half of the 32 channels are idle. Reported where the channels \
     are what the transfer waits for: both stacks save a tenth of it and at least 400 cycles.",
    alt,
);

pub(crate) static HBM_BANK_CONFLICT: Rule = rule!(
    "hbm_bank_conflict",
    Performance,
    Dma,
    "Bank Conflict",
    "consecutive accesses to other rows of one HBM bank",
    "A bank of HBM holds one row open; the next row takes about 40 cycles to open, seven times as long as a request. \
     The controller hides this while other banks work. It cannot hide it if each access falls into another row of the \
     same bank, as with slices that are 2 MiB apart. Lay the data out so that what is moved together is together. \
     Reported where more than half of the requests wait and the change saves a tenth of the transfer and at least 400 \
     cycles.",
    alt,
);

pub(crate) static DMN_NOT_INTERLEAVED: Rule = rule!(
    "dmn_not_interleaved",
    Performance,
    Dma,
    "Optimizing DMA Performance",
    "a transfer whose slices are in one DMN of each engine",
    "A DMA engine serves a pair of DMNs, 32 slices each, and moves 256 bytes a cycle. A DMN takes 128: where all slices of a \
     transfer are in one, every request takes two cycles. Spread the slices over the cluster; more engines help then, \
     too. Reported where this saves a tenth of the transfer and at least 400 cycles.",
    alt,
);

pub(crate) static SLICES_NOT_INTERLEAVED: Rule = rule!(
    "slices_not_interleaved",
    Performance,
    Dma,
    "Optimizing DMA Performance",
    "a transfer whose requests all queue on one slice of a DMN",
    "A slice keeps two commands in its queue, after those of the Fetch and Commit Engines. A transfer that reaches one slice of \
     a DMN waits in that queue with every request, and only one engine works on it. Put a part of the axes on slices. Reported \
     where this saves a tenth of the transfer and at least 400 cycles.",
    alt,
);

pub(crate) static DMA_SEGMENTED: Rule = rule!(
    "dma_segmented",
    Performance,
    Dma,
    "Example 6: Heterogeneous DMA Engine with Segmentation",
    "a shape that does not divide, so that a transfer takes several commands",
    "One command moves a box. If an axis is in padded parts at the source and in its true length at the target, the \
     last part is smaller. It needs separate commands, and each costs 500 cycles to start. Choose a size that \
     divides, or hold the padding in the target too. Reported where one command saves a tenth of the transfer and at \
     least 400 cycles.",
    alt,
);

pub(crate) static DMA_UNNECESSARY_HOP: Rule = rule!(
    "dma_unnecessary_hop",
    Performance,
    Dma,
    "Memory Performance",
    "a tensor moved through a memory that it only passes through",
    "A DMA engine moves between any two memories and changes the layout on the way. A tensor that only the next \
     transfer reads needs neither. One transfer from the first place to the last saves a start of 500 cycles and half \
     of the traffic. Reported where the direct transfer is legal and saves a tenth and at least 400 cycles.",
);

pub(crate) static DMA_MANY_SMALL: Rule = rule!(
    "dma_many_small",
    Performance,
    Dma,
    "Startup Latency",
    "several transfers whose start-up outweighs their data and that could be one",
    "Each DMA command takes about 500 cycles before the first byte moves. Six or more transfers of parts of one \
     tensor, each with less than 250 cycles of data, spend most of their time on that. Load the whole tensor once, \
     and take tiles of it. Reported where this saves a tenth of the kernel's cycles, and the whole fits a quarter of \
     a slice's DM.",
);

pub(crate) static CHIP_TRANSFER: Rule = rule!(
    "chip_transfer",
    Performance,
    Dma,
    "Inter-Chip Transfers",
    "a transfer between chips within a loop",
    "The links between chips move 30 bytes a cycle, an eighth of what one DMA engine moves. In a loop the cost comes with every \
     run. Move the data once before the loop, or choose the split over chips so that each keeps its own. Reported where \
     the links decide what the transfer takes, and all runs together spend at least 400 cycles on them.",
);

/// A transfer that takes several times what its bytes need.
pub static SLOW_TRANSFER: Rule = rule!(
    "slow_transfer",
    Performance,
    Dma,
    "Optimizing DMA Performance",
    "a transfer that takes several times what its bytes need",
    "Whole units of 256 bytes, in runs that are contiguous on both sides and use all engines, would take fewer \
     cycles. The finding names the cause, which the compiler's schedule charges: short runs, several pieces in a unit \
     of HBM, copies, idle engines, or a part of a larger tensor. Reported where a transfer takes a tenth of its \
     kernel, at least four times what its bytes need and at least 1,000 cycles more, and no other rule names a change \
     of it, or a way over HBM is shorter than copying inside of DM. `visa-lint cost` searches for one: another split \
     over slices and elements, or results that are gathered into fewer slices before they are stored.",
);

/// The family's rules.
pub(super) const RULES: &[&Rule] = &[
    &DMA_SMALL_PACKET,
    &DMA_PRIME_PACKET,
    &HBM_MISALIGNED_READ,
    &HBM_PARTIAL_WRITE,
    &HBM_STACK_IDLE,
    &HBM_BANK_CONFLICT,
    &DMN_NOT_INTERLEAVED,
    &SLICES_NOT_INTERLEAVED,
    &DMA_SEGMENTED,
    &DMA_UNNECESSARY_HOP,
    &DMA_MANY_SMALL,
    &CHIP_TRANSFER,
    &SLOW_TRANSFER,
];

/// Finds what a change would save.
pub(super) fn check_dma_performance(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    let operations = checked.body.operations.iter();
    let derived = operations.zip(&checked.derivation().operations);
    // The runs of a loop are alike: the first one speaks for all.
    let mut seen = FxHashSet::default();
    let mut slow = Vec::new();
    let mut own_tensors = slow::OwnTensors::default();
    for ((operation, derived), cost) in derived.zip(&checked.simulation().operations) {
        if let (OperationKind::Copy(copy), OperationDerivation::Copy(derived), Some(pattern)) =
            (&operation.kind, derived, &cost.dma)
            && seen.insert((copy.span, pattern.cycles))
        {
            let mut slow_transfer = || {
                let known = &mut own_tensors;
                slow::slow_transfer_finding(checked, known, operation, copy, derived, pattern)
            };
            // Where a tensor is copied into slices another way is worth more than other slices.
            let copying = slow::has_way_over_hbm(checked, copy, pattern)
                .then(&mut slow_transfer)
                .flatten();
            if copying.is_some() {
                slow.extend(copying);
                continue;
            }
            let found = candidates::transfer_finding(checked, operation, copy, derived, pattern);
            if found.is_none() {
                slow.extend(slow_transfer());
            }
            findings.extend(found);
        }
    }
    journeys::check_journeys(checked, findings);
    slow.retain(|slow| findings.iter().all(|other| other.span != slow.span));
    findings.extend(slow);
}

/// Whether a change is worth saying: it saves a tenth, and [`SAVED_CYCLES`].
fn is_worth(before: u64, after: u64) -> bool {
    let saved = before.saturating_sub(after);
    saved >= SAVED_CYCLES && saved >= before / 10
}

/// Whether a tensor does not fit its memory, which is said elsewhere.
fn is_too_large(body: &Body, id: TensorId) -> bool {
    body.tensor(id).is_some_and(|tensor| {
        tensor.tier == Tier::Dm
            && bytes_of(tensor).is_some_and(|bytes| bytes > body.machine.dm_bytes)
    })
}
