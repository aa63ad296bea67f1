//! How many positions were looked at: the work of what is asked of mappings, for tests that say that it does not grow with the size
//! of an axis.

use std::cell::Cell;

thread_local! {
    static POSITIONS: Cell<u64> = const { Cell::new(0) };
}

/// Counts a position.
pub(super) fn look_at_position() {
    POSITIONS.set(POSITIONS.get().wrapping_add(1));
}

/// How many positions of mappings this thread has looked at since it began. What an answer took is the difference of two.
pub fn positions_looked_at() -> u64 {
    POSITIONS.get()
}
