//! Capacities of the memories and alignment of addresses (book: Size Constraint, Alignment Constraint, TRF Address
//! Modes).

use crate::hardware::{ElementType, Machine};
use crate::items::Span;
use crate::kernel::{AddressValue, Origin, Tensor, Tier, TrfAddress, Written};
use crate::mapping::Mapping;

/// An address that is no multiple of the element's size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlignmentViolation {
    /// The address in bytes.
    pub address: u64,
    /// The element's type.
    pub element_type: ElementType,
    /// Its size in bytes.
    pub element_bytes: u64,
    /// Where the address is written.
    pub span: Span,
}

/// The tensor of a capacity violation: numbers that the remedies need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutgrownTensor {
    /// Its memory.
    pub tier: Tier,
    /// Bytes of one slice, chip or (TRF) of all rows of a slice.
    pub bytes: u64,
    /// Bytes that the memory has there.
    pub capacity: u64,
    /// Slices that hold data, of those of a cluster.
    pub slices: Option<u64>,
    /// Clusters that hold data, of those of a chip.
    pub clusters: Option<u64>,
    /// Where the tensor is made.
    pub span: Span,
}

/// A tensor that does not fit its memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CapacityViolation {
    /// It is larger than the memory.
    Bytes {
        /// The tensor.
        tensor: OutgrownTensor,
        /// Rows, in the TRF.
        rows: Option<u64>,
        /// The region of the TRF that the capacity is of.
        region: Option<TrfAddress>,
        /// Where its element is written.
        span: Span,
    },
    /// It ends behind the end of the memory.
    End {
        /// The tensor.
        tensor: OutgrownTensor,
        /// Its address in bytes.
        address: u64,
        /// Where the address is written.
        span: Span,
    },
}

/// More rows than the MAC array has, of a tensor that no load of the body makes: a load is judged with its stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowsViolation {
    /// Rows asked for.
    pub rows: u64,
    /// Where they are written.
    pub span: Span,
}

/// Whether the tensor is in memory of its own; a view or a reshape is in that of another.
fn is_allocation(tensor: &Tensor) -> bool {
    !matches!(
        tensor.origin,
        Origin::View { .. } | Origin::Resized { .. } | Origin::Reshape { .. }
    )
}

/// Derives whether the tensor's address is a multiple of its element.
pub(super) fn alignment_violation(tensor: &Tensor) -> Option<AlignmentViolation> {
    let element_type = tensor.element_type.value?;
    let element_bytes = element_type.bits().div_ceil(8);
    let address = tensor.address.bytes()?;
    (is_allocation(tensor) && address % element_bytes != 0).then_some(AlignmentViolation {
        address,
        element_type,
        element_bytes,
        span: tensor.address.span,
    })
}

/// Bytes that a tensor takes of its memory: of a slice for DM and VRF, of all rows of a slice for the TRF, of a chip
/// for the HBM. `None` if a size or the type is unknown, or the bytes overflow.
pub fn bytes_of(tensor: &Tensor) -> Option<u64> {
    let element = tensor
        .element_type
        .value?
        .bytes_rounded_up(tensor.levels.element.value.as_ref()?.size())?;
    match &tensor.levels.row {
        Some(row) if tensor.tier == Tier::Trf => element.checked_mul(row.value.as_ref()?.size()),
        _ => Some(element),
    }
}

/// The rows of a TRF tensor and where they are written.
fn rows_of(tensor: &Tensor) -> Option<(&Mapping, Span)> {
    let row = tensor.levels.row.as_ref()?;
    (tensor.tier == Tier::Trf).then_some((row.value.as_ref()?, row.span))
}

/// Derives whether a tensor that comes from elsewhere has more rows than the MAC array.
pub(super) fn row_count(machine: Machine, tensor: &Tensor) -> Option<RowsViolation> {
    let (rows, span) = rows_of(tensor)?;
    let rows = rows.size();
    let judged = matches!(tensor.origin, Origin::Parameter | Origin::FromAddress);
    (judged && rows > machine.rows).then_some(RowsViolation { rows, span })
}

/// Bytes that are too many whatever becomes of the rows. A count that the MAC array does not have is a fault of its own, so
/// that the data is shared out again and the rows' padding goes with it.
fn bytes_of_data(machine: Machine, tensor: &Tensor) -> Option<u64> {
    let bytes = bytes_of(tensor)?;
    match rows_of(tensor) {
        Some((rows, _)) if rows.size() > machine.rows => {
            let data = rows.form().remove_padding().size();
            let least = machine.row_counts().find(|rows| *rows >= data);
            (bytes / rows.size()).checked_mul(least.unwrap_or(data))
        }
        _ => Some(bytes),
    }
}

/// Derives whether the tensor fits its memory.
pub(super) fn capacity_violation(machine: Machine, tensor: &Tensor) -> Option<CapacityViolation> {
    if !is_allocation(tensor) {
        return None;
    }
    let region = match tensor.address.value {
        AddressValue::Trf(region) => Some(region),
        AddressValue::Bytes(_) | AddressValue::Unknown => None,
    };
    let capacity = match region.filter(|_| tensor.tier == Tier::Trf) {
        Some(region) => {
            let (start, end) = region.bytes(&machine);
            end.saturating_sub(start)
        }
        None => tensor.tier.capacity(&machine)?,
    };
    let bytes = bytes_of(tensor)?;
    let outgrown = || OutgrownTensor {
        tier: tensor.tier,
        bytes,
        capacity,
        slices: used(tensor.levels.slice.as_ref(), machine.slices),
        clusters: used(tensor.levels.cluster.as_ref(), machine.clusters),
        span: tensor.span,
    };
    if bytes_of_data(machine, tensor)? > capacity {
        return Some(CapacityViolation::Bytes {
            tensor: outgrown(),
            rows: rows_of(tensor).map(|(rows, _)| rows.size()),
            region,
            span: tensor.levels.element.span,
        });
    }
    let address = tensor.address.bytes()?;
    let fits = address
        .checked_add(bytes)
        .is_some_and(|end| end <= capacity);
    (!fits).then(|| CapacityViolation::End {
        tensor: outgrown(),
        address,
        span: tensor.address.span,
    })
}

/// Positions of a level up to its outermost padding, if the level has the hardware's size.
fn used(level: Option<&Written<Mapping>>, size: u64) -> Option<u64> {
    let mapping = level?.value.as_ref()?;
    (mapping.size() == size).then(|| mapping.form().remove_padding().size())
}
