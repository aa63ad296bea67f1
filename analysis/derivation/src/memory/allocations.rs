//! Allocations: tensors with bytes of their own, and every operation that reads or writes them.

use rustc_hash::FxHashMap;

use crate::hardware::COMMIT_UNIT_BYTES;
use crate::items::Span;
use crate::kernel::{AddressValue, Body, OperationId, Origin, TensorId, Tier, TileWindow};
use crate::mapping::Mapping;

use super::super::tensors::bytes_of;

/// From when to when a tensor holds data that is needed, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lifetime {
    /// The tensor that was made there; views and reshapes of it count as the tensor.
    pub tensor: TensorId,
    /// Its memory.
    pub tier: Tier,
    /// First byte, in the slice (DM, VRF, TRF over all rows) or chip (HBM); `None` if it is no constant.
    pub address: Option<u64>,
    /// Bytes it takes there, padding included; for a TRF tensor the region that its address names. `None` if unknown.
    pub bytes: Option<u64>,
    /// The operation that first writes it; for a tensor that existed before, the first operation at or after its
    /// declaration.
    pub from: OperationId,
    /// The last operation that reads it, or the last of the body for one that outlives it.
    pub to: OperationId,
    /// It is needed after the body's last operation.
    pub outlives_body: bool,
}

/// The part of an allocation that an operation touches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    Whole,
    /// `length` values of `index` from `start`.
    Window {
        /// The tiled index.
        index: Mapping,
        /// First value.
        start: u64,
        /// Values.
        length: u64,
    },
    /// Some of it.
    Unknown,
}

impl Part {
    /// Whether two parts of one allocation are known to share nothing: different values of one index.
    pub fn is_apart_from(&self, other: &Self) -> bool {
        let (
            Self::Window {
                index,
                start,
                length,
            },
            Self::Window {
                index: other_index,
                start: other_start,
                length: other_length,
            },
        ) = (self, other)
        else {
            return false;
        };
        let ends_before = |start: u64, length: u64, other: u64| {
            start.checked_add(length).is_some_and(|end| end <= other)
        };
        index == other_index
            && (ends_before(*start, *length, *other_start)
                || ends_before(*other_start, *other_length, *start))
    }
}

/// What one operation does with one allocation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touch {
    /// The allocation's number in the list of lifetimes.
    pub allocation: usize,
    /// Whether it writes there; else it reads.
    pub writes: bool,
    /// What of it.
    pub part: Part,
}

/// One list an operation of the body: what it reads, then what it writes.
pub(super) fn allocation_touches(body: &Body, allocations: &[Allocation]) -> Vec<Vec<Touch>> {
    let mut touches = vec![Vec::new(); body.operations.len()];
    for writes in [false, true] {
        for (allocation, of) in allocations.iter().enumerate() {
            for access in if writes { &of.writes } else { &of.reads } {
                // A launch reads before the operation of its number; it is none itself.
                let own = body
                    .operation(access.operation)
                    .is_some_and(|operation| operation.span == access.span);
                if let Some(list) = touches.get_mut(access.operation.0 as usize).filter(|_| own) {
                    list.push(Touch {
                        allocation,
                        writes,
                        part: access.part.clone(),
                    });
                }
            }
        }
    }
    touches
}

/// One operation's touch of an allocation, seen from the allocation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Access {
    /// The operation.
    pub operation: OperationId,
    /// What of the allocation.
    pub part: Part,
    /// Where the operation is written; for the launch of a kernel, which counts as a read right before the operation,
    /// the launch.
    pub span: Span,
}

/// A tensor with bytes of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Allocation {
    /// The tensor.
    pub tensor: TensorId,
    /// Its memory.
    pub tier: Tier,
    /// First byte and byte after the last.
    pub range: Option<(u64, u64)>,
    /// Bytes, if known.
    pub bytes: Option<u64>,
    /// Made by `from_addr`: something else may have written it.
    pub from_address: bool,
    /// It holds data when it is made.
    pub initialised: bool,
    /// Operations before the point from which it exists.
    pub created: OperationId,
    /// Needed after the body.
    pub escapes: bool,
    /// Reads in program order.
    pub reads: Vec<Access>,
    /// Writes in program order.
    pub writes: Vec<Access>,
}

impl Allocation {
    /// Whether the data it holds at the end of the body is needed afterwards.
    pub(super) fn outlives_body(&self) -> bool {
        self.escapes || (self.from_address && self.writes.is_empty())
    }

    /// Bytes that it takes where the library places it: in the DM whole words.
    pub(super) fn placed_bytes(&self) -> Option<u64> {
        let unit = if self.tier == Tier::Dm {
            COMMIT_UNIT_BYTES
        } else {
            1
        };
        self.bytes?.checked_next_multiple_of(unit)
    }

    pub(super) fn lifetime(&self, body: &Body) -> Lifetime {
        let last = OperationId(
            u32::try_from(body.operations.len())
                .unwrap_or(u32::MAX)
                .saturating_sub(1),
        );
        let first_write = self.writes.first().map(|write| write.operation);
        let from = if self.initialised {
            self.created
        } else {
            first_write.unwrap_or(self.created)
        };
        let read = self.reads.last().map(|read| read.operation);
        let to = if self.outlives_body() {
            last
        } else {
            read.max(first_write).unwrap_or(from)
        };
        Lifetime {
            tensor: self.tensor,
            tier: self.tier,
            address: self.range.map(|(start, _)| start),
            bytes: self.range.map(|(start, end)| end - start).or(self.bytes),
            from: from.min(last),
            to: to.min(last).max(from.min(last)),
            outlives_body: self.outlives_body(),
        }
    }
}

/// The allocation that a tensor's bytes belong to, and the part of it that the tensor is.
fn resolve_allocation(body: &Body, id: TensorId) -> Option<(TensorId, Part)> {
    let mut part = Part::Whole;
    for tensor in body.sharing(id) {
        match &tensor.origin {
            Origin::View {
                tile: Some(tile), ..
            } => {
                part = if part == Part::Whole {
                    window(tile)
                } else {
                    Part::Unknown
                };
            }
            Origin::View { tile: None, .. } | Origin::Resized { .. } => {}
            Origin::Reshape { .. } => {
                if part != Part::Whole {
                    part = Part::Unknown;
                }
            }
            Origin::Parameter | Origin::FromAddress | Origin::New | Origin::Operation(_) => {
                return Some((tensor.id, part));
            }
        }
    }
    None
}

fn window(tile: &TileWindow) -> Part {
    match (&tile.index.value, tile.start.value, tile.length.value) {
        (Some(index), Some(start), Some(length)) => Part::Window {
            index: index.clone(),
            start,
            length,
        },
        _ => Part::Unknown,
    }
}

/// All allocations of a body, with their accesses.
pub(super) fn collect(body: &Body) -> Vec<Allocation> {
    let mut allocations: Vec<Allocation> = Vec::new();
    let mut by_tensor: FxHashMap<TensorId, usize> = FxHashMap::default();
    for tensor in &body.tensors {
        if tensor.tier == Tier::Host
            || matches!(
                tensor.origin,
                Origin::View { .. } | Origin::Resized { .. } | Origin::Reshape { .. }
            )
        {
            continue;
        }
        let bytes = bytes_of(tensor);
        // What comes from outside is where the caller put it, whatever address is recorded of it.
        let range = match tensor.address.value {
            _ if tensor.origin == Origin::Parameter => None,
            AddressValue::Bytes(address) => {
                bytes.and_then(|bytes| Some((address, address.checked_add(bytes)?)))
            }
            AddressValue::Trf(region) => Some(region.bytes(&body.machine)),
            AddressValue::Unknown => None,
        };
        by_tensor.insert(tensor.id, allocations.len());
        allocations.push(Allocation {
            tensor: tensor.id,
            tier: tensor.tier,
            range,
            bytes,
            from_address: tensor.origin == Origin::FromAddress,
            initialised: tensor.origin == Origin::Parameter,
            created: tensor.created_before,
            escapes: false,
            reads: Vec::new(),
            writes: Vec::new(),
        });
    }
    let find = |id: TensorId| {
        let (root, part) = resolve_allocation(body, id)?;
        Some((*by_tensor.get(&root)?, part))
    };
    for operation in &body.operations {
        for id in operation.tensors_read() {
            if let Some((allocation, part)) =
                find(id).and_then(|(at, part)| Some((allocations.get_mut(at)?, part)))
            {
                allocation.reads.push(Access {
                    operation: operation.id,
                    part,
                    span: operation.span,
                });
            }
        }
        for id in operation.tensors_written() {
            if let Some((allocation, part)) =
                find(id).and_then(|(at, part)| Some((allocations.get_mut(at)?, part)))
            {
                allocation.writes.push(Access {
                    operation: operation.id,
                    part,
                    span: operation.span,
                });
            }
        }
    }
    for launch in &body.launches {
        for &id in &launch.tensors {
            if let Some((allocation, part)) =
                find(id).and_then(|(at, part)| Some((allocations.get_mut(at)?, part)))
            {
                allocation.reads.push(Access {
                    operation: launch.before,
                    part,
                    span: launch.span,
                });
                allocation.reads.sort_by_key(|read| read.operation);
            }
        }
    }
    for &id in &body.escaping {
        if let Some(allocation) = find(id).and_then(|(at, _)| allocations.get_mut(at)) {
            allocation.escapes = true;
        }
    }
    for allocation in &mut allocations {
        let (read, write) = (allocation.reads.first(), allocation.writes.first());
        // What `from_addr` names holds data unless this body writes it before it reads it.
        if allocation.from_address {
            allocation.initialised = match (read, write) {
                (_, None) => true,
                (None, Some(_)) => false,
                (Some(read), Some(write)) => read.operation < write.operation,
            };
        }
    }
    allocations
}
