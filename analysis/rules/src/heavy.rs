//! Operations that take a noticeable part of their kernel and several times what their bytes need.
//!
//! Knows what is several times and what is noticeable, for transfers and passes alike; not what their bytes need.

use crate::kernel::Operation;
use crate::wording::thousands;

use super::Checked;

/// The operation takes at least so many times what its bytes need.
const SEVERAL: u64 = 4;

/// All runs of it take at least one part in so many of the kernel.
const NOTICEABLE: u64 = 10;

/// Cycles beyond what its bytes need, at least.
const CYCLES: u64 = 1_000;

/// Whether an operation of so many cycles can be meant at all, whatever its bytes need.
pub(super) const fn may_be_heavy(cycles: u64) -> bool {
    cycles >= CYCLES
}

/// How much of its kernel an operation takes, in words behind its name, where it takes far more than the `need` of its bytes.
pub(super) fn kernel_share(
    checked: &Checked<'_>,
    operation: &Operation,
    cycles: u64,
    need: u64,
) -> Option<String> {
    if cycles < need.saturating_mul(SEVERAL) || cycles.saturating_sub(need) < CYCLES {
        return None;
    }
    let total = checked.simulation().total()?;
    let runs = checked.body.runs_of(operation);
    if cycles.saturating_mul(runs).min(total) < total / NOTICEABLE {
        return None;
    }
    let (cycles, total) = (thousands(cycles), thousands(total));
    Some(if runs < 2 {
        format!("takes {cycles} of {total} cycles")
    } else {
        let runs = thousands(runs);
        format!("takes {cycles} cycles in each of {runs} runs, of {total} in all")
    })
}
