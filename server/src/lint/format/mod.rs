//! How findings are written: one file a format.

pub(crate) mod human;
pub(crate) mod json;
pub(crate) mod short;
mod statistics;
mod wrap;

pub(crate) use self::wrap::wrap;

use visa_analysis::OperationCounts;

use super::check::Outline;

/// `2 kernels, 14 operations (1 unresolved), 3 findings`.
pub(crate) fn summary(outline: &Outline<'_>) -> String {
    let OperationCounts {
        resolved,
        unresolved,
        ..
    } = outline.operations;
    let operations = counted(resolved.saturating_add(*unresolved), "operation");
    let unresolved = if *unresolved == 0 {
        String::new()
    } else {
        format!(" ({unresolved} unresolved)")
    };
    let open = outline.open().count() as u64;
    let hidden = hidden(outline.findings.len() as u64 - open, outline.known);
    let findings = if open == 0 {
        "no findings".to_owned()
    } else {
        counted(open, "finding")
    };
    format!(
        "{}, {operations}{unresolved}, {findings}{hidden}",
        counted(outline.kernels, "kernel")
    )
}

/// ` (1 more suppressed, 2 known)`, or nothing.
fn hidden(suppressed: u64, known: u64) -> String {
    match (suppressed, known) {
        (0, 0) => String::new(),
        (suppressed, 0) => format!(" ({suppressed} more suppressed)"),
        (0, known) => format!(" ({known} known)"),
        (suppressed, known) => format!(" ({suppressed} more suppressed, {known} known)"),
    }
}

/// `1 kernel`, `2 kernels`.
pub(crate) fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
