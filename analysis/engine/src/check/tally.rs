//! The order of a file's diagnostics and the counts of its operations, which files of all languages share.

use std::collections::BTreeMap;

use crate::report::{Diagnostic, OperationCounts, UnresolvedPlace};

/// How many other places of a finding are listed where many operations or many calls of a macro have it.
pub(super) const OTHER_PLACES: usize = 24;

/// The operations of a file: how many, and how many of them are not resolved for which reason.
pub(super) fn operation_counts(
    operations: usize,
    unresolved: &[UnresolvedPlace],
) -> OperationCounts {
    let mut counts = OperationCounts {
        resolved: operations as u64,
        unresolved: 0,
        reasons: BTreeMap::new(),
    };
    for place in unresolved.iter().filter(|place| place.counts) {
        counts.unresolved += 1;
        *counts.reasons.entry(place.reason.clone()).or_default() += 1;
    }
    counts
}

/// Orders diagnostics by place and rule, and keeps one of each: a helper's fault is met once a call. Operations that share a type
/// alias share the faults in it: the one that is kept names the places of all of them.
pub(super) fn sort_diagnostics(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by(|one, other| {
        (one.range, one.rule, one.called_at, one.group, &one.message).cmp(&(
            other.range,
            other.rule,
            other.called_at,
            other.group,
            &other.message,
        ))
    });
    diagnostics.dedup_by(|later, earlier| {
        let same = (later.range, later.rule, later.called_at)
            == (earlier.range, earlier.rule, earlier.called_at);
        if same && later.message == earlier.message {
            let places = std::mem::take(&mut later.related).into_iter();
            let more = places.filter(|place| !earlier.related.contains(place));
            let more: Vec<_> = more.collect();
            let free = OTHER_PLACES.saturating_sub(earlier.related.len());
            earlier.related.extend(more.into_iter().take(free));
        }
        same
    });
}
