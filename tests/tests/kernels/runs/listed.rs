//! Kernels of the fixtures that are excepted from what holds of runs, each with the reason.

/// A kernel, with its function where it has several, and the reason.
pub(super) type Listed = (&'static str, &'static str);

/// Right kernels that do not run, with a part of the reason that the run gives.
pub(super) const NOT_RUN: &[Listed] = &[];

/// Wrong kernels of group `silent` in which a run finds nothing, with the reason.
pub(super) const SILENT_ONLY: &[Listed] = &[];

/// Wrong kernels whose fixes change what they compute, with what a fix repairs.
pub(super) const CHANGED_BY_FIXES: &[Listed] = &[];
