//! What would make the tensors of a memory fit that are needed at once: a later load, an earlier last use, a narrower type.
//!
//! Each proposal is tried: the lives of all tensors of the memory are worked out again with it, and only one with which they fit
//! at every point is kept. A proposal moves one operation at most, and none over an operation that it depends on.

use crate::hardware::{COMMIT_UNIT_BYTES, ElementType};
use crate::kernel::{Body, OperationId, OperationKind, PassEnd, TensorId, Tier};

use super::allocations::{Allocation, Touch, allocation_touches};
use super::sums::Sum;

/// Proposals that are kept.
const KEPT: usize = 3;

/// Tensors that proposals are tried for, the largest first.
const TRIED: usize = 32;

/// One change with which the tensors fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Relief {
    /// Each of the tensors is made right before its first use.
    LaterLoad {
        /// The tensors.
        tensors: Vec<TensorId>,
        /// Bytes at the fullest point then.
        bytes: u64,
    },
    /// The operation that reads the tensor last runs before the point at which the tensors do not fit.
    EarlierUse {
        /// The tensor.
        tensor: TensorId,
        /// The operation that reads it last.
        operation: OperationId,
        /// Bytes at the fullest point then.
        bytes: u64,
    },
    /// The tensor is kept in a type of half the bits.
    NarrowerType {
        /// The tensor.
        tensor: TensorId,
        /// The type.
        element: ElementType,
        /// Bytes at the fullest point then.
        bytes: u64,
    },
}

/// From when to when a tensor is needed, in half operations: an operation of number `n` is at `2 n + 1`, so that there is
/// room before each for one that is moved there.
#[derive(Debug, Clone, Copy)]
struct Life {
    tensor: TensorId,
    bytes: u64,
    from: u64,
    to: u64,
}

const fn operation_time(operation: OperationId) -> u64 {
    2 * operation.0 as u64 + 1
}

/// What would make the tensors of a sum fit.
pub(super) fn reliefs(body: &Body, allocations: &[Allocation], sum: &Sum) -> Vec<Relief> {
    let members: Vec<&Allocation> = (allocations.iter())
        .filter(|allocation| {
            let is_used = !allocation.reads.is_empty() || allocation.outlives_body();
            allocation.tier == sum.tier && is_used
        })
        .collect();
    let Some(point) = (members.iter())
        .find(|member| member.tensor == sum.last.0)
        .and_then(|member| Some(member.writes.first()?.operation))
    else {
        return Vec::new();
    };
    let mut tried: Vec<(TensorId, u64)> = sum.others.clone();
    tried.push(sum.last);
    tried.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    tried.truncate(TRIED);
    let tried: Vec<&Allocation> = (tried.iter())
        .filter_map(|(id, _)| members.iter().find(|member| member.tensor == *id).copied())
        .collect();
    let trial = ReliefTrial {
        body,
        allocations,
        lives: members
            .iter()
            .filter_map(|member| allocation_life(body, member))
            .collect(),
        touched: allocation_touches(body, allocations),
        sum,
        point,
    };
    let later = trial.later(&tried);
    let earlier = tried.iter().filter_map(|one| trial.earlier_use(one));
    let narrower = tried.iter().filter_map(|one| trial.narrower(one));
    // One of each kind first.
    let mut kept: Vec<Relief> = Vec::new();
    let mut kinds = [later, earlier.collect(), narrower.collect()];
    for kind in &mut kinds {
        if !kind.is_empty() {
            kept.push(kind.remove(0));
        }
    }
    kept.extend(kinds.into_iter().flatten());
    kept.truncate(KEPT);
    kept
}

fn allocation_life(body: &Body, allocation: &Allocation) -> Option<Life> {
    let lifetime = allocation.lifetime(body);
    Some(Life {
        tensor: allocation.tensor,
        bytes: allocation.placed_bytes()?,
        from: operation_time(lifetime.from),
        to: operation_time(lifetime.to),
    })
}

/// The tensors of a memory that no longer fit at a point, to try what changes of them would free.
struct ReliefTrial<'a> {
    body: &'a Body,
    allocations: &'a [Allocation],
    lives: Vec<Life>,
    touched: Vec<Vec<Touch>>,
    sum: &'a Sum,
    /// The operation with which the tensors no longer fit.
    point: OperationId,
}

impl ReliefTrial<'_> {
    /// Bytes at the fullest point, if that many fit.
    fn peak(&self, change: impl Fn(&mut Life)) -> Option<u64> {
        let mut events: Vec<(u64, bool, u64)> = Vec::new();
        for life in &self.lives {
            let mut life = *life;
            change(&mut life);
            events.push((life.from, true, life.bytes));
            events.push((life.to.saturating_add(1), false, life.bytes));
        }
        events.sort_unstable();
        let (mut now, mut most) = (0_u64, 0_u64);
        for (_, begins, bytes) in events {
            now = if begins {
                now.saturating_add(bytes)
            } else {
                now.saturating_sub(bytes)
            };
            most = most.max(now);
        }
        (most <= self.sum.capacity).then_some(most)
    }

    /// Where the one operation that makes a tensor out of another memory could be instead: right before its first use.
    fn first_use(&self, one: &Allocation) -> Option<(TensorId, u64)> {
        let [write] = one.writes.as_slice() else {
            return None;
        };
        let first = one.reads.first()?.operation;
        // What it is made from stays as long as it is not made: in another memory that costs nothing here.
        let touched = self.touched.get(write.operation.0 as usize)?;
        let apart = touched.iter().filter(|touch| !touch.writes).all(|touch| {
            let source = self.allocations.get(touch.allocation);
            source.is_some_and(|source| source.tier != self.sum.tier)
                && !self.is_written_between(touch, write.operation, first)
        });
        let moves = apart
            && first.0 > write.operation.0.saturating_add(1)
            && self.is_straight(write.operation, first);
        moves.then(|| (one.tensor, operation_time(first).saturating_sub(1)))
    }

    /// Loads that are moved: one, or where no single one is enough, as few of all of them as are.
    fn later(&self, tried: &[&Allocation]) -> Vec<Relief> {
        let movable: Vec<(TensorId, u64)> =
            tried.iter().filter_map(|one| self.first_use(one)).collect();
        let relief = |moved: &[(TensorId, u64)]| {
            let bytes = self.peak(|life| {
                if let Some((_, from)) = moved.iter().find(|(tensor, _)| *tensor == life.tensor) {
                    life.from = *from;
                }
            })?;
            let tensors = moved.iter().map(|(tensor, _)| *tensor).collect();
            Some(Relief::LaterLoad { tensors, bytes })
        };
        let alone: Vec<Relief> = movable
            .iter()
            .filter_map(|one| relief(std::slice::from_ref(one)))
            .collect();
        if !alone.is_empty() {
            return alone;
        }
        let mut needed = movable.clone();
        for one in &movable {
            let fewer: Vec<_> = needed
                .iter()
                .filter(|other| *other != one)
                .copied()
                .collect();
            if relief(&fewer).is_some() {
                needed = fewer;
            }
        }
        relief(&needed).into_iter().collect()
    }

    /// Whether the allocation of a touch is written between two operations.
    fn is_written_between(&self, touch: &Touch, from: OperationId, to: OperationId) -> bool {
        let allocation = self.allocations.get(touch.allocation);
        allocation.is_none_or(|allocation| {
            let mut writes = allocation.writes.iter();
            writes.any(|write| write.operation > from && write.operation < to)
        })
    }

    /// Whether two operations are in the same run of the same branches and loops: only there is one moved to the other.
    fn is_straight(&self, one: OperationId, other: OperationId) -> bool {
        let both = [one, other].map(|id| self.body.operation(id));
        let [Some(one), Some(other)] = both else {
            return false;
        };
        one.branches == other.branches && one.loops == other.loops
    }

    /// A tensor that is used once more behind the point, by an operation that needs nothing which is made from there on.
    fn earlier_use(&self, one: &Allocation) -> Option<Relief> {
        let last = one.reads.last()?.operation;
        let rest = one.reads.iter().filter(|read| read.operation >= self.point);
        if one.outlives_body()
            || rest.count() != 1
            || last <= self.point
            || !self.is_straight(self.point, last)
        {
            return None;
        }
        let touched = self.touched.get(last.0 as usize)?;
        let movable = touched.iter().all(|touch| {
            let Some(other) = self.allocations.get(touch.allocation) else {
                return false;
            };
            let since = |accesses: &[super::allocations::Access]| {
                let mut accesses = accesses.iter();
                accesses.any(|access| access.operation >= self.point && access.operation < last)
            };
            // What it reads is there before; what it writes is not needed before.
            !since(&other.writes) && (!touch.writes || !since(&other.reads))
        });
        if !movable {
            return None;
        }
        let target = self.made_by(last);
        let moved = operation_time(self.point).saturating_sub(1);
        let bytes = self.peak(|life| {
            if life.tensor == one.tensor {
                life.to = moved;
            }
            if Some(life.tensor) == target {
                life.from = life.from.min(moved);
            }
        })?;
        Some(Relief::EarlierUse {
            tensor: one.tensor,
            operation: last,
            bytes,
        })
    }

    /// The tensor whose bytes an operation writes.
    fn made_by(&self, operation: OperationId) -> Option<TensorId> {
        let touched = self.touched.get(operation.0 as usize)?;
        let written = touched.iter().find(|touch| touch.writes)?;
        Some(self.allocations.get(written.allocation)?.tensor)
    }

    /// A tensor of data memory in a type of half the bits that the Vector Engine's results are converted to.
    fn narrower(&self, one: &Allocation) -> Option<Relief> {
        if self.sum.tier != Tier::Dm || !self.is_committed(one) {
            return None;
        }
        let element = match self.body.tensor(one.tensor)?.element_type.value? {
            ElementType::F32 => ElementType::Bf16,
            ElementType::I32 => ElementType::I16,
            _ => return None,
        };
        let bytes = self.peak(|life| {
            if life.tensor == one.tensor {
                life.bytes = (life.bytes / 2).next_multiple_of(COMMIT_UNIT_BYTES);
            }
        })?;
        Some(Relief::NarrowerType {
            tensor: one.tensor,
            element,
            bytes,
        })
    }

    /// Whether passes write all of the tensor: a transfer converts nothing.
    fn is_committed(&self, one: &Allocation) -> bool {
        !one.writes.is_empty()
            && one.writes.iter().all(|write| {
                let kind = self.body.operation(write.operation).map(|one| &one.kind);
                matches!(kind, Some(OperationKind::Pass(pass))
                    if matches!(pass.end, PassEnd::Commit { .. } | PassEnd::CommitView { .. }))
            })
    }
}
