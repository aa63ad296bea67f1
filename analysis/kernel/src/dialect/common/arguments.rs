//! Generic parameters and arguments that methods of both libraries have.

use crate::Level;
use crate::catalogue::{Generic, Role};
use crate::dialect::{Access, Argument};

use super::rows::arg;

use Access::{Exclusive, Owned, Shared};
use Generic::{Axis, Constant, Index, Inferred};

pub(in crate::dialect) const ELEMENT: Generic = Generic::Level(Level::Element);
pub(in crate::dialect) const CHIP: Generic = Generic::Level(Level::Chip);
pub(in crate::dialect) const CLUSTER: Generic = Generic::Level(Level::Cluster);
pub(in crate::dialect) const SLICE: Generic = Generic::Level(Level::Slice);
pub(in crate::dialect) const PE: Generic = Generic::Level(Level::Pe);
pub(in crate::dialect) const ROW: Generic = Generic::Level(Level::Row);
pub(in crate::dialect) const TIME: Generic = Generic::Level(Level::Time);
pub(in crate::dialect) const PACKET: Generic = Generic::Level(Level::Packet);
pub(in crate::dialect) const SCALAR: Generic = Generic::Scalar;

pub(in crate::dialect) const OWNED: &[Access] = &[Owned];
pub(in crate::dialect) const SHARED: &[Access] = &[Shared];
pub(in crate::dialect) const EXCLUSIVE: &[Access] = &[Exclusive];
pub(in crate::dialect) const VIEWS: &[Access] = &[Shared, Exclusive];
/// The tensor and what only reads it.
pub(in crate::dialect) const READ: &[Access] = &[Owned, Shared];
pub(in crate::dialect) const ANY: &[Access] = &[Owned, Shared, Exclusive];

pub(in crate::dialect) const ADDRESS: Argument = arg(Role::Address, "address", "Address")
    .meaning("The first byte of the result, in its slice or chip.");
pub(in crate::dialect) const REGION: Argument =
    arg(Role::Address, "region", "TrfAddress").usual("TrfAddress::Full");
pub(in crate::dialect) const START: Argument = arg(Role::Start, "start", "usize")
    .meaning("The first value, in units of the index.")
    .usual("0");
pub(in crate::dialect) const DM_TARGET: Argument =
    arg(Role::Target, "target", "DmTensorViewMut").meaning("What is written.");
pub(in crate::dialect) const HBM_TARGET: Argument =
    arg(Role::Target, "target", "HbmTensorViewMut").meaning("What is written.");
pub(in crate::dialect) const HBM_OWNED: Argument =
    arg(Role::Target, "target", "&mut HbmTensor").meaning("What is written.");
pub(in crate::dialect) const VIEW: Argument =
    arg(Role::Source, "tensor", "DmTensorView").meaning("What is read.");
pub(in crate::dialect) const PATTERN: Argument =
    arg(Role::Pattern, "pattern", "&[usize]").meaning("For each target the number of its source.");
pub(in crate::dialect) const INDICES: Argument =
    arg(Role::Indices, "indices", "&HbmTensor<i32>").meaning("The rows.");
pub(in crate::dialect) const SCALED: Argument = arg(Role::Scaled, "scaled", "bool")
    .meaning("Whether indices are byte offsets.")
    .usual("false");

pub(in crate::dialect) const BEGIN: &[Generic] =
    &[Inferred, Inferred, Inferred, Inferred, Inferred];
pub(in crate::dialect) const BEGIN_INTERLEAVED: &[Generic] =
    &[Axis, Inferred, Inferred, Inferred, Inferred, Inferred];
pub(in crate::dialect) const PARALLEL_COPY: &[Generic] = &[
    Constant, Index, Index, ELEMENT, Inferred, Inferred, Inferred, Inferred, Inferred,
];

/// The two tensors of an interleaved beginning.
pub(in crate::dialect) const BOTH: &[Argument] = &[
    arg(Role::Source, "first", "DmTensorView").meaning("Index 0 of the axis."),
    arg(Role::Source, "second", "DmTensorView").meaning("Index 1 of the axis."),
];
