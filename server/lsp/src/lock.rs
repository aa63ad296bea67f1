//! Mutexes that a panic does not close.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a mutex holds. What panicked while it was held left it as whole as it was.
pub(crate) fn lock_ignoring_poison<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
