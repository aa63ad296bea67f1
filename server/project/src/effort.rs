//! How far changes are searched, where nothing is said.

/// Changes that are tried of the kernels of many files together, where nothing is said.
const SHARED_EFFORT: usize = 1_000;

/// The fewest that are tried of a kernel, where nothing is said.
const LEAST_EFFORT: usize = 10;

/// How far remedies are searched of so many files, where nothing is said.
pub fn shared_effort(files: usize) -> usize {
    let shared = SHARED_EFFORT / files.max(1);
    shared.clamp(LEAST_EFFORT, visa_analysis::EFFORT)
}
