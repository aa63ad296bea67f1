//! Rules about the registers of loops: not set, set for another copy, set for the other direction.
//!
//! Registers keep their numbers from one copy to the next, and from one function to the next. So a copy that sets none of its own runs
//! with what was left over: that is legal and often meant. A finding needs a number that was set for a copy of another shape, or no
//! number on any way to the copy. Functions that call others, or are called, may have had their registers set there, and are not judged.

use super::super::analysis::Facts;
use super::super::program::{Function, What};
use super::super::registers::Presence;
use super::super::syntax::OperationId;
use super::super::transfers::{Derived, Direction};
use super::writing::{Change, text_span};
use super::{Check, Found};
use visa_findings::{Applicability, Fix, Rule, TextSpan, rule};

pub(super) static PTO_LOOP_STRIDE_UNSET: Rule = rule!(
    Pto: "pto_loop_stride_unset",
    Silent,
    "Loop Stride Configuration",
    "a loop that runs more than once and whose steps nothing in the function sets",
    "The counts of the loops are in one register and the steps of each in another. Where a loop runs and its steps were never \
     set, each iteration goes where the register happens to point."
);

pub(super) static PTO_LOOP_REGISTERS_UNSET: Rule = rule!(
    Pto: "pto_loop_registers_unset",
    Suspicious,
    "Loop Stride Configuration",
    "a copy before which the counts of the loops are not set on every path",
    "A copy reads the counts of its loops from registers. Nothing resets them to 1, 1. A copy that does not set them \
     runs the loops of an earlier copy, in this kernel or in another one.",
    fix
);

pub(super) static PTO_LOOP_REGISTERS_STALE: Rule = rule!(
    Pto: "pto_loop_registers_stale",
    Suspicious,
    "derived",
    "a copy that runs loops by counts that were set for an earlier copy",
    "The counts of the loops stay until they are set again. A copy that follows one with loops runs the same loops, which is meant \
     only where both move the same shape.",
    fix
);

pub(super) static PTO_LOOP_DIRECTION: Rule = rule!(
    Pto: "pto_loop_direction",
    Suspicious,
    "Loop Stride Configuration",
    "registers set for one direction in a function that copies only in the other",
    "There are two sets of registers: `outtoub` for copies from GM to UB, `ubtoout` for those back. What is set in \
     one has no effect on the other. Copies run with what their own set holds.",
    fix
);

pub(super) static PTO_LOOP_COUNT_ORDER: Rule = rule!(
    Pto: "pto_loop_count_order",
    Toolchain,
    "Loop Stride Configuration",
    "two different counts, which the manual and the assembler read in opposite order",
    "By the manual the first operand of `set_loop_size` is the count of loop1, the inner loop. One assembler packs \
     it as that of loop2. With two different counts the nest depends on the assembler."
);

pub(super) fn check_copy(check: &mut Check<'_>, function: &Function, derived: &Derived) {
    if derived.copy.grouped || function.is_before || derived.copy.kind.direction().is_none() {
        return;
    }
    stride_unset(check, derived);
    size_unset(check, derived);
    stale(check, derived);
}

pub(super) fn check_function_registers(check: &mut Check<'_>, function: &Function, facts: &Facts) {
    if function.is_before {
        return;
    }
    other_direction(check, function, facts);
    count_order(check, function);
}

fn name_of(check: &Check<'_>, id: OperationId) -> TextSpan {
    text_span(check.analysis.file.operation(id).name)
}

fn stride_unset(check: &mut Check<'_>, derived: &Derived) {
    let registers = &derived.registers;
    let Some(direction) = derived.copy.kind.direction() else {
        return;
    };
    for (index, stride) in registers.strides.iter().enumerate() {
        let level = index + 1;
        let Some(count) = registers.size.value(index).filter(|&count| count > 1) else {
            continue;
        };
        let set = registers.size.presence == Presence::Always;
        if !set || stride.presence != Presence::Never {
            continue;
        }
        let message = format!(
            "loop{level} runs {count} times and `pto.set_loop{level}_stride_{}` is not set before: the \
             address of every iteration is undefined",
            direction.ending(),
        );
        let name = name_of(check, derived.operation());
        let mut finding = Found::new(&PTO_LOOP_STRIDE_UNSET, name, message);
        if let Some(place) = registers.size.place(index) {
            finding = finding.related(text_span(place), format!("{count} iterations are set here"));
        }
        check.report(finding);
        return;
    }
}

/// An operation before a copy that sets the counts to 1, 1.
fn one_and_one(check: &Check<'_>, copy: OperationId, direction: Direction) -> Fix<TextSpan> {
    let mut change = Change::before_operation(check.analysis, &check.constants, copy);
    let one = change.constant(1, "i64");
    let operation = format!("pto.set_loop_size_{}", direction.ending());
    change.line(format!("{operation} {one}, {one} : i64, i64"));
    change.into_fix(
        Applicability::Maybe,
        format!("Set 1, 1 before the copy: `{operation}`"),
    )
}

fn size_unset(check: &mut Check<'_>, derived: &Derived) {
    let Some(direction) = derived.copy.kind.direction() else {
        return;
    };
    let size = &derived.registers.size;
    let ending = direction.ending();
    let message = match size.presence {
        Presence::Never => {
            format!(
                "no `pto.set_loop_size_{ending}` comes before this copy, which reads the loop counts"
            )
        }
        Presence::Sometimes => {
            format!(
                "`pto.set_loop_size_{ending}` is on some paths to this copy, not on all: the loop counts depend on the path"
            )
        }
        Presence::Always | Presence::Unknown => return,
    };
    let name = name_of(check, derived.operation());
    let mut finding = Found::new(&PTO_LOOP_REGISTERS_UNSET, name, message);
    for &setter in &size.setters {
        finding = finding.related(name_of(check, setter), "set here on some path");
    }
    finding
        .fixes
        .push(one_and_one(check, derived.operation(), direction));
    check.report(finding.help("a copy without loops has counts of 1, 1"));
}

fn stale(check: &mut Check<'_>, derived: &Derived) {
    let registers = &derived.registers;
    let Some(direction) = derived.copy.kind.direction() else {
        return;
    };
    let size = &registers.size;
    let (Some(first), Some(second)) = (size.value(0), size.value(1)) else {
        return;
    };
    let runs = first > 0 && second > 0 && first.saturating_mul(second) > 1;
    let earlier = size
        .readers
        .iter()
        .find(|&&reader| reader != derived.operation());
    let (true, Presence::Always, Some(&earlier)) = (runs, size.presence, earlier) else {
        return;
    };
    let message = format!(
        "the copy runs loops of {first} and {second} iterations, which were set for an earlier copy"
    );
    let name = name_of(check, derived.operation());
    let mut finding = Found::new(&PTO_LOOP_REGISTERS_STALE, name, message)
        .related(name_of(check, earlier), "the earlier copy");
    for &setter in &size.setters {
        finding = finding.related(name_of(check, setter), "the counts are set here");
    }
    finding
        .fixes
        .push(one_and_one(check, derived.operation(), direction));
    check.report(finding.help("set the counts before this copy, even if they are the same"));
}

fn other_direction(check: &mut Check<'_>, function: &Function, facts: &Facts) {
    let mut set: Vec<(OperationId, Direction)> = Vec::new();
    let mut calls = false;
    function.visit_actions(&mut |action| match &action.what {
        What::Size(direction, _) | What::Stride(direction, ..) => {
            set.push((action.operation, *direction));
        }
        What::Call => calls = true,
        _ => {}
    });
    // A function that is called, or calls, may set registers for a copy in another one.
    if calls || facts.is_called || set.is_empty() {
        return;
    }
    let first = |direction: Direction| {
        let mut copies = function.copies.iter();
        copies.find(|copy| !copy.grouped && copy.kind.direction() == Some(direction))
    };
    let (other, wrong) = match Direction::ALL.map(first) {
        [Some(to_ub), None] => (to_ub, Direction::ToGm),
        [None, Some(to_gm)] => (to_gm, Direction::ToUb),
        _ => return,
    };
    for (operation, direction) in set {
        if direction != wrong {
            continue;
        }
        let file = &check.analysis.file;
        let name = file.name(operation);
        let right = name.replace(direction.ending(), direction.other_direction().ending());
        let message = format!(
            "`{name}` sets registers that no copy here reads: all copies are of the other direction"
        );
        let mut change = Change::before_operation(check.analysis, &check.constants, operation);
        change.replace_place(file.operation(operation).name, right.clone());
        let fix = change.into_fix(Applicability::Maybe, format!("Write `{right}`"));
        let finding = Found::new(&PTO_LOOP_DIRECTION, name_of(check, operation), message).related(
            name_of(check, other.operation),
            "a copy of the other direction",
        );
        check.report(finding.stating(Some(fix)));
    }
}

fn count_order(check: &mut Check<'_>, function: &Function) {
    let mut set = Vec::new();
    function.visit_actions(&mut |action| {
        if let What::Size(_, [one, two]) = &action.what {
            set.push((*one, *two));
        }
    });
    for (one, two) in set {
        let (Some(first), Some(second)) = (one.number(), two.number()) else {
            continue;
        };
        if first == second {
            continue;
        }
        let place = one.place().span_to(two.place());
        let message = format!(
            "the counts are {first} and {second}: by the manual loop1 runs {first} times, and one assembler gives loop2 the \
             first of the two"
        );
        let finding = Found::new(&PTO_LOOP_COUNT_ORDER, text_span(place), message);
        check.report(finding.help("a grouped copy with `loop(…)` says which loop is which"));
    }
}
