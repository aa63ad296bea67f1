//! What searches of kernels found, for as long as it holds.
//!
//! An answer holds as long as nothing changes, and beyond that where nothing changed that the kernel is made of.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use visa_analysis::{KernelCost, Searchable};

use super::lock::lock_ignoring_poison;

/// Kernels whose answers are kept.
const KEPT: usize = 16;

/// What searches found.
#[derive(Default)]
pub(crate) struct Advice {
    /// The last answers, the newest first.
    known: Mutex<VecDeque<Known>>,
    /// One search at a time.
    pub(super) turn: tokio::sync::Mutex<()>,
    /// The search in the background.
    pub(super) unasked: Mutex<Option<tokio::task::AbortHandle>>,
}

/// The answer about a kernel.
pub(super) struct Known {
    pub(super) kernel: Searchable,
    pub(super) effort: usize,
    /// None for a kernel without a total.
    pub(super) cost: Option<Arc<KernelCost>>,
    /// The writes of the engine that it was compared with last.
    pub(super) writes: u64,
}

impl Advice {
    /// The answers that hold after so many writes.
    pub(crate) fn known_answers(&self, writes: u64) -> Vec<Arc<KernelCost>> {
        let known = lock_ignoring_poison(&self.known);
        let current = known.iter().filter(|one| one.writes == writes);
        current.filter_map(|one| one.cost.clone()).collect()
    }

    /// Whether a kernel was searched already; then its answer holds after so many writes, too.
    pub(super) fn has_answer(&self, kernel: &Searchable, effort: usize, writes: u64) -> bool {
        let mut known = lock_ignoring_poison(&self.known);
        let same = known
            .iter_mut()
            .find(|one| one.effort == effort && one.kernel == *kernel);
        same.map(|one| one.writes = one.writes.max(writes))
            .is_some()
    }

    pub(super) fn keep_answer(&self, found: Known) {
        let mut known = lock_ignoring_poison(&self.known);
        known.push_front(found);
        known.truncate(KEPT);
    }
}
