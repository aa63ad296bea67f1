//! Counts by rule and by reason, for people.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write;

use crate::outline::Outline;
use visa_analysis::visible;

/// Lines with the findings a rule and the operations resolved and unresolved with the reasons, the most frequent first.
pub(super) fn render_statistics(outline: &Outline<'_>) -> String {
    let rules = outline.by_rule();
    let reasons = &outline.operations.reasons;
    let names = rules
        .keys()
        .copied()
        .chain(reasons.keys().map(String::as_str))
        .chain(outline.not_followed.iter().map(|file| file.reason.as_str()));
    let width = names
        .map(|name| visible(name).chars().count() + 2)
        .max()
        .unwrap_or(0)
        .max(if outline.configured_out > 0 {
            "configured out".len()
        } else {
            "operations".len()
        });
    let mut text = String::new();
    // Writing to a string cannot fail.
    let mut line = |name: &str, count: u64| {
        let _ = writeln!(text, "{:width$}  {count:>6}", visible(name));
    };
    line("findings", rules.values().sum());
    for (rule, count) in &rules {
        line(&format!("  {rule}"), *count);
    }
    line(
        "operations",
        outline
            .operations
            .resolved
            .saturating_add(outline.operations.unresolved),
    );
    line("  resolved", outline.operations.resolved);
    line("  unresolved", outline.operations.unresolved);
    let mut reasons: Vec<(&String, &u64)> = reasons.iter().collect();
    reasons.sort_by_key(|(_, count)| Reverse(**count));
    for (reason, count) in reasons {
        line(&format!("    {reason}"), *count);
    }
    // What is no operation: files in which none is recognised.
    let whole = outline
        .not_followed
        .iter()
        .filter(|file| file.operations == 0);
    let mut files: BTreeMap<&str, u64> = BTreeMap::new();
    for file in whole {
        *files.entry(&file.reason).or_default() += 1;
    }
    if !files.is_empty() {
        line("files not followed", files.values().sum());
    }
    let mut files: Vec<(&str, u64)> = files.into_iter().collect();
    files.sort_by_key(|(_, count)| Reverse(*count));
    for (reason, count) in files {
        line(&format!("    {reason}"), count);
    }
    if outline.configured_out > 0 {
        line("configured out", outline.configured_out);
    }
    for (language, counts) in outline.of_languages().into_iter().flatten() {
        line(language.title(), counts.files);
        line("  kernels", counts.kernels);
        line("  resolved", counts.operations.resolved);
        line("  unresolved", counts.operations.unresolved);
    }
    text
}
