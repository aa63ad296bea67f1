//! Copies between memories: their operands by role, and what they do with the registers that are in force.
//!
//! Knows the operations that copy, their fields and units, and how wide each field is. What a register holds at a copy
//! comes from `registers`; what a nest of rows does is in the room `transfer`. Judges nothing.

mod deriving;
mod fields;
mod reading;

pub use deriving::{Derived, LoopOrigin, SideStep, derive_copy};
pub use fields::Field;
pub use reading::{
    Copy, CopyKind, Direction, Given, GivenLoop, OperandFault, fields_of, is_copy, kind_of, read,
};

/// Bytes at multiples of which a row begins in UB (book: Alignment Constraints).
pub const UB_ALIGNMENT: i64 = 32;
/// Bytes of UB (book: Loop Stride Configuration).
pub const UB_BYTES: i64 = 262_144;
/// Bytes of UB of the generation before, which the current manual gives.
pub const UB_BYTES_BEFORE: i64 = 196_608;
