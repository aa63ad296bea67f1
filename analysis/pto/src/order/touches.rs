//! The bytes that operations touch, and whether two of them touch the same.

use super::super::program::{Access, Action};
use super::super::syntax::OperationId;
use super::super::transfers::{CopyKind, Derived, Given};
use super::super::values::{Expression, Memory};
use super::pipe_bit;
use visa_transfer::{Meeting, Side, Transfer, sides_meet};

/// An offset in both readings: in elements, and in bytes. `None` where it is not known.
type Readings = Option<[i64; 2]>;

/// Bytes that an operation touches.
#[derive(Debug, Clone, Copy)]
pub(super) struct Touch<'a> {
    pub(super) operation: OperationId,
    pub(super) pipe: u16,
    pub(super) memory: Memory,
    base: Given,
    /// What is added to the base.
    offsets: Readings,
    /// What each loop around it adds the first time; only for an offset that loops change.
    first_offsets: Readings,
    rows: &'a Transfer,
    side: Side,
    certain: bool,
}

impl Touch<'_> {
    /// Whether it writes the bytes.
    pub(super) fn writes(&self) -> bool {
        self.side == Side::Target
    }
}

/// What a copy reads and writes, as far as that is known. Whether the pipe of a copy within UB is known is not settled.
pub(super) fn touched_by_copy<'a>(
    derived: &'a Derived,
    action: &Action,
) -> impl Iterator<Item = Touch<'a>> {
    let (operation, certain) = (action.operation, action.certain);
    let kind = derived.copy.kind;
    let pipe = kind
        .pipe()
        .filter(|_| kind != CopyKind::UbToUb)
        .and_then(pipe_bit);
    let rows = derived.transfer.as_ref().filter(|rows| !rows.is_empty());
    [Side::Source, Side::Target]
        .into_iter()
        .filter_map(move |side| {
            let memory = kind.memory(side);
            matches!(memory, Memory::Gm | Memory::Ub).then_some(())?;
            Some(Touch {
                operation,
                pipe: pipe?,
                memory,
                base: *derived.copy.base_address(side)?,
                offsets: Some([0; 2]),
                first_offsets: Some([0; 2]),
                rows: rows?,
                side,
                certain,
            })
        })
}

/// What an access of the vector core touches: the byte at the address, whatever the width of the access is.
static BYTE: Transfer = Transfer {
    run: 1,
    width: 1,
    loops: Vec::new(),
};

pub(super) fn touched_by_access(action: &Action, access: &Access) -> Option<Touch<'static>> {
    let in_readings = |offset: Expression| -> Readings {
        let number = offset.number()?;
        let bytes = number.checked_mul(i64::from(access.element?))?;
        Some([number, bytes])
    };
    let offset = access.offset?.known?;
    Some(Touch {
        operation: action.operation,
        pipe: pipe_bit("PIPE_V")?,
        memory: Memory::Ub,
        base: access.pointer,
        offsets: in_readings(offset.always),
        first_offsets: in_readings(offset.first),
        rows: &BYTE,
        side: if access.writes {
            Side::Target
        } else {
            Side::Source
        },
        certain: action.certain,
    })
}

/// Whether a write and a read share bytes in every reading: always, or the first time that the loops around both run.
pub(super) fn touches_meet(write: &Touch<'_>, read: &Touch<'_>) -> bool {
    let (Some(one), Some(other)) = (write.base.known, read.base.known) else {
        return false;
    };
    if write.memory != read.memory {
        return false;
    }
    let always = other.always.minus(one.always);
    let first = other
        .first
        .minus(one.first)
        .filter(|_| write.certain && read.certain);
    shares_bytes(write, write.offsets, read, read.offsets, always)
        || shares_bytes(write, write.first_offsets, read, read.first_offsets, first)
}

fn shares_bytes(
    write: &Touch<'_>,
    write_offsets: Readings,
    read: &Touch<'_>,
    read_offsets: Readings,
    distance: Option<i64>,
) -> bool {
    let (Some(distance), Some(from), Some(to)) = (distance, write_offsets, read_offsets) else {
        return false;
    };
    let meets = |from: i64, to: i64| {
        let distance = i128::from(distance) + i128::from(to) - i128::from(from);
        let meeting = sides_meet((write.rows, write.side), (read.rows, read.side), distance);
        matches!(meeting, Meeting::Shared { .. })
    };
    // Most offsets are the same in both readings.
    let distinct = |readings: [i64; 2]| if readings[0] == readings[1] { 1 } else { 2 };
    let mut from = from.into_iter().take(distinct(from));
    from.all(|from| {
        let mut to = to.into_iter().take(distinct(to));
        to.all(|to| meets(from, to))
    })
}
