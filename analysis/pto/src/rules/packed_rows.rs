//! Who else in a function reads or writes the rows of a copy in UB, and expects them without gaps.

use super::super::analysis::Facts;
use super::super::program::{Access, Function, What};
use super::super::syntax::OperationId;
use super::super::transfers::{Derived, UB_ALIGNMENT};
use super::super::values::Memory;
use visa_transfer::{Extent, Side};

/// Rows in UB as they would be with another step.
#[derive(Debug, Clone, Copy)]
pub(super) struct MovedRows {
    /// Bytes of a row.
    pub(super) length: i64,
    /// From the start of one to the start of the next.
    pub(super) step: i64,
}

/// The first operation of a function that touches bytes between the rows of a copy, once these are further apart.
pub(super) fn touching_the_gaps(
    function: &Function,
    facts: &Facts,
    derived: &Derived,
    side: Side,
    rows: MovedRows,
) -> Option<OperationId> {
    let base = derived.copy.base_address(side)?.known?.always;
    let extent = derived.transfer.as_ref()?.extent(side)?;
    let others = facts.derived.iter();
    let others = others.filter(|other| other.operation() != derived.operation());
    let copies = others.filter(|other| {
        [Side::Source, Side::Target].into_iter().any(|side| {
            let known = other.copy.base_address(side).and_then(|base| base.known);
            let in_ub = other.copy.kind.memory(side) == Memory::Ub;
            let distance = known.and_then(|known| known.always.minus(base));
            in_ub
                && distance
                    .is_some_and(|distance| expects_no_gaps(other, side, distance, extent, rows))
        })
    });
    let first = copies.map(Derived::operation).min();
    let mut accesses = Vec::new();
    function.visit_actions(&mut |action| {
        if let What::Access(access) = &action.what
            && let Some(distance) = distance_of(access, base)
            && is_in_gap(distance, extent, rows)
        {
            accesses.push(action.operation);
        }
    });
    first.into_iter().chain(accesses).min()
}

/// Whether another copy touches bytes that are between the moved rows. One whose own step is at fault is moved as well.
fn expects_no_gaps(
    other: &Derived,
    side: Side,
    distance: i64,
    extent: Extent,
    rows: MovedRows,
) -> bool {
    let Some(transfer) = &other.transfer else {
        return false;
    };
    let Some(own) = transfer.extent(side) else {
        return false;
    };
    let shift = i128::from(distance);
    if own.high + shift <= extent.low || extent.high <= own.low + shift {
        return false;
    }
    let mut steps = transfer.loops.iter().filter(|one| one.count > 1);
    if steps.any(|one| one.step(side) % UB_ALIGNMENT != 0) {
        return false;
    }
    let run = i64::try_from(transfer.run).unwrap_or(i64::MAX);
    let start = distance.rem_euclid(rows.step);
    let mut steps = transfer.loops.iter().filter(|one| one.count > 1);
    start.checked_add(run).is_none_or(|end| end > rows.length)
        || steps.any(|one| one.step(side) % rows.step != 0)
}

/// How far behind an address an access begins, where both readings of its offset agree.
fn distance_of(access: &Access, base: super::super::values::Expression) -> Option<i64> {
    let offset = access.offset?.number()?;
    let bytes = i64::from(access.element?);
    if offset != 0 && bytes != 1 {
        return None;
    }
    access
        .pointer
        .known?
        .always
        .minus(base)?
        .checked_add(offset)
}

fn is_in_gap(distance: i64, extent: Extent, rows: MovedRows) -> bool {
    let inside = extent.low <= i128::from(distance) && i128::from(distance) < extent.high;
    inside && distance.rem_euclid(rows.step) >= rows.length
}
