//! Generic parameters and arguments that methods of both libraries have.

use crate::kernel::Level;
use crate::kernel::catalogue::{Generic, Role};
use crate::kernel::dialect::{Access, Argument};

use super::rows::arg;

use Access::{Exclusive, Owned, Shared};
use Generic::{Axis, Constant, Index, Inferred};

pub(in crate::kernel::dialect) const ELEMENT: Generic = Generic::Level(Level::Element);
pub(in crate::kernel::dialect) const CHIP: Generic = Generic::Level(Level::Chip);
pub(in crate::kernel::dialect) const CLUSTER: Generic = Generic::Level(Level::Cluster);
pub(in crate::kernel::dialect) const SLICE: Generic = Generic::Level(Level::Slice);
pub(in crate::kernel::dialect) const PE: Generic = Generic::Level(Level::Pe);
pub(in crate::kernel::dialect) const ROW: Generic = Generic::Level(Level::Row);
pub(in crate::kernel::dialect) const TIME: Generic = Generic::Level(Level::Time);
pub(in crate::kernel::dialect) const PACKET: Generic = Generic::Level(Level::Packet);
pub(in crate::kernel::dialect) const SCALAR: Generic = Generic::Scalar;

pub(in crate::kernel::dialect) const OWNED: &[Access] = &[Owned];
pub(in crate::kernel::dialect) const SHARED: &[Access] = &[Shared];
pub(in crate::kernel::dialect) const EXCLUSIVE: &[Access] = &[Exclusive];
pub(in crate::kernel::dialect) const VIEWS: &[Access] = &[Shared, Exclusive];
/// The tensor and what only reads it.
pub(in crate::kernel::dialect) const READ: &[Access] = &[Owned, Shared];
pub(in crate::kernel::dialect) const ANY: &[Access] = &[Owned, Shared, Exclusive];

pub(in crate::kernel::dialect) const ADDRESS: Argument = arg(Role::Address, "address", "Address")
    .meaning("The first byte of the result, in its slice or chip.");
pub(in crate::kernel::dialect) const REGION: Argument =
    arg(Role::Address, "region", "TrfAddress").usual("TrfAddress::Full");
pub(in crate::kernel::dialect) const START: Argument = arg(Role::Start, "start", "usize")
    .meaning("The first value, in units of the index.")
    .usual("0");
pub(in crate::kernel::dialect) const DM_TARGET: Argument =
    arg(Role::Target, "target", "DmTensorViewMut").meaning("What is written.");
pub(in crate::kernel::dialect) const HBM_TARGET: Argument =
    arg(Role::Target, "target", "HbmTensorViewMut").meaning("What is written.");
pub(in crate::kernel::dialect) const HBM_OWNED: Argument =
    arg(Role::Target, "target", "&mut HbmTensor").meaning("What is written.");
pub(in crate::kernel::dialect) const VIEW: Argument =
    arg(Role::Source, "tensor", "DmTensorView").meaning("What is read.");
pub(in crate::kernel::dialect) const PATTERN: Argument =
    arg(Role::Pattern, "pattern", "&[usize]").meaning("For each target the number of its source.");
pub(in crate::kernel::dialect) const INDICES: Argument =
    arg(Role::Indices, "indices", "&HbmTensor<i32>").meaning("The rows.");
pub(in crate::kernel::dialect) const SCALED: Argument = arg(Role::Scaled, "scaled", "bool")
    .meaning("Whether indices are byte offsets.")
    .usual("false");

pub(in crate::kernel::dialect) const BEGIN: &[Generic] =
    &[Inferred, Inferred, Inferred, Inferred, Inferred];
pub(in crate::kernel::dialect) const BEGIN_INTERLEAVED: &[Generic] =
    &[Axis, Inferred, Inferred, Inferred, Inferred, Inferred];
pub(in crate::kernel::dialect) const PARALLEL_COPY: &[Generic] = &[
    Constant, Index, Index, ELEMENT, Inferred, Inferred, Inferred, Inferred, Inferred,
];

/// The two tensors of an interleaved beginning.
pub(in crate::kernel::dialect) const BOTH: &[Argument] = &[
    arg(Role::Source, "first", "DmTensorView").meaning("Index 0 of the axis."),
    arg(Role::Source, "second", "DmTensorView").meaning("Index 1 of the axis."),
];
