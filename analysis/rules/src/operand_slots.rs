//! The rule about guarded operands of the Vector Engine.

use crate::derivation::vector::slots::{IMMEDIATES, SlotFault};

use super::{Checked, Finding, Rule, rule, wording};

pub(crate) static OPERAND_SLOTS: Rule = rule!(
    "operand_slots",
    Hardware,
    Vector,
    "library",
    "guarded operands that no element reaches, or that an operation has no room for",
    "An operation of the Vector Engine has room for three immediates and, after them, one read of a register file. \
     Each has a guard, and an element takes the first whose guard admits it; one that no guard admits passes \
     unchanged. A guard that admits nothing, or an operand after one that everything takes, is never used. The \
     library stops at it, and the compiler refuses it.";
    holds: Holds::SUCCESSOR.since(6),
    refused: Refusal::BY_LIBRARIES,
);

/// The family's rules.
pub(super) const RULES: &[&Rule] = &[&OPERAND_SLOTS];

/// Turns faults of guarded operands into findings.
pub(super) fn check_operand_slots(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    for (_, derived) in wording::judged_passes(checked) {
        for violation in &derived.slots {
            let finding = |message: String| Finding::new(&OPERAND_SLOTS, violation.span, message);
            findings.push(match violation.fault {
                SlotFault::DeadGuard => finding(
                    "the guard of this operand admits no element: all four bits are left open and refused"
                        .to_owned(),
                )
                .help("require at least one bit, or leave the operand out"),
                SlotFault::AfterUnconditional { earlier } => finding(
                    "no element reaches this operand: the guard before it admits every element"
                        .to_owned(),
                )
                .related(earlier, "every element takes this one")
                .help("write the operand for all elements last"),
                SlotFault::TooManyImmediates { count } => finding(format!(
                    "{count} immediates; an operation has room for {IMMEDIATES}"
                ))
                .help("load one of them into a register, or use another operation for the rest"),
                SlotFault::RegisterNotLast => finding(
                    "an operand that reads a register file is the last one; others follow this one"
                        .to_owned(),
                )
                .help("write the immediates before it"),
            });
        }
    }
}
