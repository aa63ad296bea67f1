//! Findings that say the same, as one.

use std::collections::HashMap;

use visa_analysis::Diagnostic;

use crate::outline::Finding;

/// The findings in groups of those that say the same, in the order of their first ones.
pub(super) fn alike_findings<'a>(
    findings: impl IntoIterator<Item = &'a Finding>,
) -> Vec<Vec<&'a Finding>> {
    let mut groups: Vec<Vec<&Finding>> = Vec::new();
    let mut known = HashMap::new();
    for finding in findings {
        let Diagnostic {
            rule,
            message,
            help,
            ..
        } = &finding.diagnostic;
        let group = *known
            .entry((finding.level.name(), *rule, message, help))
            .or_insert(groups.len());
        match groups.get_mut(group) {
            Some(group) => group.push(finding),
            None => groups.push(vec![finding]),
        }
    }
    groups
}
