//! Memories that are too full: tensors needed at the same time that do not fit together, wherever they are.
//!
//! Knows lifetimes and bytes; where the library chooses the addresses, each memory is judged once, at its fullest point. It does
//! not know which tensors share bytes: that is [`conflicts`](super::conflicts).

use rustc_hash::FxHashSet;

use crate::items::Span;
use crate::kernel::{Body, OperationId, TensorId, Tier};

use super::super::conventions::Conventions;
use super::allocations::Allocation;
use super::conflicts::Finder;
use super::relief::{self, Relief};

/// Tensors of one memory that are needed at the same time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sum {
    /// The memory.
    pub tier: Tier,
    /// Bytes of all, of a slice.
    pub bytes: u64,
    /// Bytes of the memory.
    pub capacity: u64,
    /// The tensor that no longer fits, and its bytes.
    pub last: (TensorId, u64),
    /// The tensors that are needed meanwhile, and their bytes.
    pub others: Vec<(TensorId, u64)>,
    /// What would make everything fit, one of them alone; empty where nothing was found.
    pub reliefs: Vec<Relief>,
    /// Where the tensor is made.
    pub span: Span,
}

/// The sums of a body that exceed a memory, and the tensors of the VRF that do not fit.
pub(super) fn derive_sums(finder: &Finder<'_>) -> (Vec<Sum>, FxHashSet<TensorId>) {
    let (body, allocations) = (finder.body, finder.allocations);
    let mut sums = Vec::new();
    let crowded = find_crowded(finder, Tier::Vrf, &mut sums);
    if !Conventions::of(body.dialect).is_addressed() {
        // Without addresses nothing overlaps: what remains is whether everything fits, said once a memory.
        self::find_crowded(finder, Tier::Dm, &mut sums);
        self::find_crowded(finder, Tier::Trf, &mut sums);
        sums = fullest_sums(sums);
        for sum in &mut sums {
            sum.reliefs = relief::reliefs(body, allocations, sum);
        }
    }
    (sums, crowded)
}

/// The most bytes that are needed at once in program order, of tensors with the operations of their first and last need.
pub fn bytes_at_once(lives: impl IntoIterator<Item = (OperationId, OperationId, u64)>) -> u64 {
    let mut events: Vec<(u32, bool, u64)> = Vec::new();
    for (from, to, bytes) in lives {
        events.push((from.0, true, bytes));
        events.push((to.0.saturating_add(1), false, bytes));
    }
    // What ends before an operation makes room for what begins there.
    events.sort_unstable();
    let (mut sum, mut most) = (0_u64, 0_u64);
    for (_, begins, bytes) in events {
        sum = if begins {
            sum.saturating_add(bytes)
        } else {
            sum.saturating_sub(bytes)
        };
        most = most.max(sum);
    }
    most
}

/// Whether tensors of a memory are surely never too many at a time: by their lifetimes alone, which is fast.
fn is_roomy(body: &Body, members: &[&Allocation], capacity: u64) -> bool {
    let lives = members.iter().filter_map(|member| {
        let lifetime = member.lifetime(body);
        Some((lifetime.from, lifetime.to, member.bytes?))
    });
    bytes_at_once(lives) <= capacity
}

/// Finds tensors of a memory that do not fit beside what is needed meanwhile, and returns them.
fn find_crowded(finder: &Finder<'_>, tier: Tier, sums: &mut Vec<Sum>) -> FxHashSet<TensorId> {
    let (body, allocations) = (finder.body, finder.allocations);
    let Some(capacity) = tier.capacity(&body.machine) else {
        return FxHashSet::default();
    };
    let registers: Vec<&Allocation> = allocations
        .iter()
        .filter(|allocation| {
            allocation.tier == tier && allocation.bytes.is_some_and(|bytes| bytes <= capacity)
        })
        .collect();
    let mut crowded = FxHashSet::default();
    if is_roomy(body, &registers, capacity) {
        return crowded;
    }
    let addressed = Conventions::of(body.dialect).is_addressed();
    let taken = |allocation: &Allocation| {
        if addressed {
            allocation.bytes
        } else {
            allocation.placed_bytes()
        }
    };
    let mut places: FxHashSet<Span> = FxHashSet::default();
    for last in &registers {
        let (Some(write), Some(bytes)) = (last.writes.first(), taken(last)) else {
            continue;
        };
        let ends_outside = last.range.is_some_and(|(_, end)| end > capacity);
        if ends_outside || (last.reads.is_empty() && !last.outlives_body()) {
            continue;
        }
        let needed = |other: &Allocation| {
            finder.still_needed(other, write.operation).is_some()
                || (!addressed && finder.is_read_by(other, write.operation))
        };
        let others: Vec<(TensorId, u64)> = registers
            .iter()
            .filter(|other| other.tensor != last.tensor && needed(other))
            .filter_map(|other| Some((other.tensor, taken(other)?)))
            .collect();
        let sum = others
            .iter()
            .fold(bytes, |sum, (_, bytes)| sum.saturating_add(*bytes));
        let Some(tensor) = body.tensor(last.tensor).filter(|_| sum > capacity) else {
            continue;
        };
        crowded.insert(last.tensor);
        if places.insert(tensor.span) {
            sums.push(Sum {
                tier,
                bytes: sum,
                capacity,
                last: (last.tensor, bytes),
                others,
                reliefs: Vec::new(),
                span: tensor.span,
            });
        }
    }
    crowded
}
/// Of each memory the first of the largest sums.
fn fullest_sums(sums: Vec<Sum>) -> Vec<Sum> {
    let mut found: Vec<Sum> = Vec::new();
    for sum in sums {
        match found.iter_mut().find(|known| known.tier == sum.tier) {
            Some(known) if known.bytes < sum.bytes => *known = sum,
            Some(_) => {}
            None => found.push(sum),
        }
    }
    found
}
