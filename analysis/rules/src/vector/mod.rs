//! Rules of the Vector Engine.

mod declarations;
mod operands;
mod reductions;
mod repairs;
mod shape_words;
mod words;

use crate::derivation::PassDerivation;
use crate::derivation::vector::{VectorFault, VectorViolation};
use crate::kernel::Pass;

use super::{Checked, Finding, Rule, wording};

/// The family's rules.
pub(super) const RULES: &[&Rule] = declarations::RULES;

/// Turns the violations of this family into findings.
pub(super) fn check_vector(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    for (pass, derived) in wording::judged_passes(checked) {
        for violation in &derived.vector.violations {
            if !is_consequence(derived, violation) {
                findings.extend(
                    words::to_finding(checked, pass, violation)
                        .map(|finding| noted(finding, pass, derived, violation)),
                );
            }
        }
    }
}

/// Whether a violation only follows from another one of the same reduce.
fn is_consequence(derived: &PassDerivation, violation: &VectorViolation) -> bool {
    matches!(violation.fault, VectorFault::IntraMapping { .. })
        && derived.valid_counts.refuses(violation.stage)
}

/// Adds what the engine does in the pass so far: its stages with the ALUs they use.
fn noted(
    finding: Finding,
    pass: &Pass,
    derived: &PassDerivation,
    violation: &VectorViolation,
) -> Finding {
    if !matches!(
        violation.fault,
        VectorFault::AluReuse { .. } | VectorFault::StageOrder { .. } | VectorFault::Way { .. }
    ) {
        return finding;
    }
    let steps: Vec<String> = derived
        .vector
        .steps
        .iter()
        .filter(|step| step.stage < violation.stage)
        .filter_map(|step| {
            let method = &pass.stages.get(step.stage)?.method;
            Some(match step.alu {
                Some(alu) => format!("`{method}` ({})", alu.name()),
                None => format!("`{method}`"),
            })
        })
        .collect();
    let finding = if steps.is_empty() {
        finding
    } else {
        finding.note(format!("before it in this pass: {}", steps.join(", ")))
    };
    let parted = matches!(violation.fault, VectorFault::AluReuse { .. })
        .then(|| repairs::passes_of(pass, &derived.vector))
        .flatten();
    match parted {
        Some(passes) => finding.note(format!(
            "the operations fit into {} passes: {}",
            passes.len(),
            passes.join("; then ")
        )),
        None => finding,
    }
}
