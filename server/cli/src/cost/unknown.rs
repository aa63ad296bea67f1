//! Why a kernel has no total, in a line.

use visa_analysis::KernelCost;

/// Where and why a kernel has no total: `k.rs:35: the address of `x` is not known`.
pub(super) fn unknown_place(kernel: &KernelCost) -> Option<String> {
    if let Some(runs) = &kernel.runs {
        return Some(format!("{}: {}", kernel.file, runs.sentence()));
    }
    let first = kernel.unresolved.first()?;
    let more = match kernel.unresolved.len() {
        1 => String::new(),
        count => format!(" (and {} more)", count - 1),
    };
    let line = first.range.start.line;
    Some(format!("{}:{line}: {}{more}", kernel.file, first.reason))
}
