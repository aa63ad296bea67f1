//! The rule about kernels that cost more than the user's settings allow them.

use super::wording::thousands;
use super::{Checked, Finding, Rule, rule};

/// Operations that a finding names at most.
const OPERATIONS: usize = 3;

pub(crate) static BUDGET_EXCEEDED: Rule = rule!(
    "budget_exceeded",
    Performance,
    Schedule,
    "derived",
    "a kernel takes more cycles or memory than its budget in `visa-lint.toml`",
    "A table `[budgets]` in the settings gives kernels, by name or pattern, the cycles and the bytes of data memory, \
     TRF and VRF that they may take. Without one the rule is silent. It compares them with what `visa-lint cost` \
     predicts, so a change that makes a kernel slower or larger is seen where it is made. A kernel with an unknown \
     part has no total, and is not judged. `visa-lint cost` shows what takes the cycles, and with `--compare` what a \
     change added; then either make the kernel cheaper or raise the budget. Level `deny` for this rule fails the run.";
    refused: Refusal::OWN,
);

/// The family's rules.
pub(super) const RULES: &[&Rule] = &[&BUDGET_EXCEEDED];

/// Compares the kernel with its budget.
pub(super) fn check_budget(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    let Some(budget) = checked.budget else {
        return;
    };
    let Some(total) = checked.simulation().total() else {
        return;
    };
    let peak = checked.simulation().memory.peak;
    let measured = [
        (budget.cycles, total, "cycles"),
        (budget.dm_bytes, peak.dm_bytes, "bytes of DM a slice"),
        (budget.trf_bytes, peak.trf_bytes, "bytes of TRF a slice"),
        (budget.vrf_bytes, peak.vrf_bytes, "bytes of VRF a slice"),
    ];
    let exceeded: Vec<String> = measured
        .into_iter()
        .filter_map(|(limit, value, unit)| {
            let limit = limit.filter(|limit| value > *limit)?;
            let (value, limit) = (thousands(value), thousands(limit));
            Some(format!("{value} {unit}, {limit} are allowed"))
        })
        .collect();
    if exceeded.is_empty() {
        return;
    }
    let name = &checked.body.name;
    let message = format!(
        "`{name}` takes more than its budget: {}",
        exceeded.join("; ")
    );
    let mut finding = Finding::new(&BUDGET_EXCEEDED, checked.body.span, message)
        .note(format!(
            "the budget is that of `{}` in the settings",
            budget.kernels
        ))
        .help(format!(
            "`visa-lint cost --kernel {name}` tells what takes them"
        ));
    if budget.cycles.is_some_and(|limit| total > limit) {
        for (cycles, span) in longest_operations(checked) {
            let message = format!("takes {} cycles", thousands(cycles));
            finding = finding.related(span, message);
        }
    }
    findings.push(finding);
}

/// The operations that take most cycles, all their runs together, the longest first.
fn longest_operations(checked: &Checked<'_>) -> Vec<(u64, crate::items::Span)> {
    let mut sums = indexmap::IndexMap::<_, u64>::new();
    let operations = checked.body.operations.iter();
    for (operation, cost) in operations.zip(&checked.simulation().operations) {
        let sum = sums.entry(operation.span).or_default();
        *sum = sum.saturating_add(cost.cycles.unwrap_or(0));
    }
    let mut longest: Vec<_> = sums
        .into_iter()
        .map(|(span, cycles)| (cycles, span))
        .collect();
    longest.sort_by_key(|(cycles, _)| std::cmp::Reverse(*cycles));
    longest.truncate(OPERATIONS);
    longest
}
