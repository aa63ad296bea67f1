//! Rules about the shape of nests: loops that could be rows, rows that could be one, transfers that are small.
//!
//! A loop is a row of a transfer where its steps on both sides continue the rows below it, so the fix changes two numbers and drops the
//! loop. The numbers of a grouped copy belong to it alone. Registers may serve other copies as well, and a fix is offered only where no
//! other copy reads them. Whether several transfers are one is a question of bytes, and the rows are compared as numbers, not as text.

use super::super::program::{Function, What};
use super::super::syntax::{OperationId, Place};
use super::super::transfers::{Copy, CopyKind, Derived, Field, GivenLoop, LoopOrigin, SideStep};
use super::writing::{Change, text_span};
use super::{Check, Found};
use visa_base::numbers::thousands;
use visa_findings::{Applicability, Fix, Rule, TextSpan, rule};
use visa_transfer::Side;

pub(super) static PTO_LOOP_COLLAPSIBLE: Rule = rule!(
    Pto: "pto_loop_collapsible",
    Performance,
    "derived",
    "a loop whose steps continue the rows on both sides: more rows without the loop do the same",
    "Where each iteration begins where the next row would, on both sides, the loop only counts rows. One transfer with all rows and \
     no loop moves the same bytes to the same places, and needs no registers for it.",
    fix
);

pub(super) static PTO_SOFTWARE_LOOP: Rule = rule!(
    Pto: "pto_software_loop",
    Performance,
    "derived",
    "a copy with more than two loops: the assembler issues one transfer for each iteration of the others",
    "The engine has two loops around the rows. For each further one the assembler writes a loop of single \
     transfers, each with its own setup time. Rows that continue each other, or two kernels of fewer loops, need \
     none."
);

pub(super) static PTO_BURSTS_MERGEABLE: Rule = rule!(
    Pto: "pto_bursts_mergeable",
    Style,
    "derived",
    "rows that are contiguous on both sides: one longer row does the same",
    "Where the stride is the length of a row on both sides, there is no gap between the rows. One long row is the \
     same copy. The engine moves the same bytes, and a later change cannot get the stride wrong.",
    fix
);

pub(super) static PTO_SMALL_TRANSFER: Rule = rule!(
    Pto: "pto_small_transfer",
    Style,
    "derived",
    "a transfer of less than 16 KiB",
    "Each transfer takes a setup time before its first byte. For older generations the vendor gives 16 KiB as the \
     size from which that time hardly counts, and says that it varies with the chip."
);

/// Bytes of a transfer from which its setup hardly counts, by the vendor's figure for older generations.
const SMALL: i128 = 16_384;
/// The most rows and the longest row that all sources allow.
const MOST: i64 = 65_535;

pub(super) fn check_nests(check: &mut Check<'_>, function: &Function, derived: &Derived) {
    if matches!(derived.copy.kind, CopyKind::UbToUb | CopyKind::GmToL1) {
        return;
    }
    check_collapsible(check, function, derived);
    software_loop(check, derived);
    check_mergeable(check, derived);
    check_small(check, derived);
}

fn row_steps(derived: &Derived) -> Option<(&SideStep, i64, [i64; 2])> {
    let rows = derived.loops.first()?;
    let count = rows.count.filter(|&count| count > 0)?;
    Some((
        rows,
        count,
        [
            rows.step_of_side(Side::Source)?,
            rows.step_of_side(Side::Target)?,
        ],
    ))
}

fn check_collapsible(check: &mut Check<'_>, function: &Function, derived: &Derived) {
    let Some((_, count, [source, target])) = row_steps(derived) else {
        return;
    };
    // The innermost loop that runs more than once.
    let Some(one) = derived
        .loops
        .iter()
        .skip(1)
        .find(|one| one.count != Some(1))
    else {
        return;
    };
    let Some(iterations) = one.count.filter(|&iterations| iterations > 1) else {
        return;
    };
    let continues = |step: i64, side: Side| {
        let next = step.checked_mul(count);
        next.is_some() && next == one.step_of_side(side)
    };
    let all = count.checked_mul(iterations).filter(|&all| all <= MOST);
    let (true, true, Some(all)) = (
        continues(source, Side::Source),
        continues(target, Side::Target),
        all,
    ) else {
        return;
    };
    let Some(place) = one.count_place else {
        return;
    };
    let message = format!(
        "loop{} continues the rows on both sides: {count} rows, {iterations} times, can be {} rows without the loop",
        one.level,
        thousands(all.unsigned_abs()),
    );
    let name = check.analysis.file.operation(derived.operation()).name;
    let mut finding = Found::new(&PTO_LOOP_COLLAPSIBLE, text_span(place), message);
    if one.origin == LoopOrigin::Registers {
        finding = finding.related(text_span(name), "this copy reads the loop");
    }
    let fix = match one.origin {
        LoopOrigin::Group => without_group(check, &derived.copy, one.level, all),
        _ => without_registers(check, function, derived, one, all),
    };
    finding.fixes.extend(fix);
    let words = format!("`n_burst` of {all} without the loop does the same");
    check.report(finding.help(words));
}

/// The rows with the loop's, and the group left out with its types.
fn without_group(check: &Check<'_>, copy: &Copy, level: u8, all: i64) -> Option<Fix<TextSpan>> {
    let group: &GivenLoop = copy.loops.get(usize::from(level).checked_sub(1)?)?;
    let mut change = Change::before_operation(check.analysis, &check.constants, copy.operation);
    change.number(copy.given_field(Field::Rows)?, all);
    // With the blank before it.
    let text = &check.analysis.file.text;
    let before = text.get(..group.place.start as usize)?;
    let blank = before.len() - before.trim_end_matches([' ', ',']).len();
    let start = group.place.start - u32::try_from(blank).ok()?;
    change.replace_place(
        Place {
            start,
            end: group.place.end,
        },
        "",
    );
    let padded = usize::from(copy.padding.is_some());
    if copy.types.len() == copy.fields.len() + 3 * copy.loops.len() + padded {
        // All numbers are of one type: any three go.
        let last = copy.types.len().checked_sub(padded + 1)?;
        let (kept, last) = (copy.types.get(last.checked_sub(3)?)?, copy.types.get(last)?);
        change.replace_place(
            Place {
                start: kept.end,
                end: last.end,
            },
            "",
        );
    }
    Some(change.into_fix(
        Applicability::Machine,
        format!("Move {all} rows without the loop"),
    ))
}

/// The rows with the loop's, and the register back at 1; only where no other copy reads it.
fn without_registers(
    check: &Check<'_>,
    function: &Function,
    derived: &Derived,
    one: &SideStep,
    all: i64,
) -> Option<Fix<TextSpan>> {
    let [setter] = derived.registers.size.setters[..] else {
        return None;
    };
    let mut readers = function
        .copies
        .iter()
        .filter(|copy| !copy.grouped && copy.kind == derived.copy.kind);
    // This one, and no other. Only for one that is alone is the function gone through.
    if readers.nth(1).is_some() {
        return None;
    }
    let mut given = None;
    function.visit_actions(&mut |action| {
        if let What::Size(_, counts) = &action.what
            && action.operation == setter
        {
            given = counts.get(usize::from(one.level) - 1).copied();
        }
    });
    let mut change = Change::before_operation(check.analysis, &check.constants, setter);
    // Both numbers are written where the register is set and at the copy, after it.
    let count = change.constant(1, "i64");
    change.replace_place(given?.place(), count);
    let rows = derived.copy.given_field(Field::Rows)?;
    change.number(rows, all);
    Some(change.into_fix(
        Applicability::Machine,
        format!("Move {all} rows without the loop"),
    ))
}

fn software_loop(check: &mut Check<'_>, derived: &Derived) {
    let copy = &derived.copy;
    let running: Vec<&GivenLoop> = copy
        .loops
        .iter()
        .filter(|one| one.count.number().is_some_and(|count| count > 1))
        .collect();
    let Some((third, others)) = running.get(2..).and_then(<[_]>::split_first) else {
        return;
    };
    let outer = std::iter::once(third).chain(others);
    let transfers = outer
        .filter_map(|one| u64::try_from(one.count.number()?).ok())
        .try_fold(1_u64, u64::checked_mul);
    let Some(transfers) = transfers else {
        return;
    };
    let message = format!(
        "{} loops run more than once and the engine has two: the assembler issues {} transfers",
        running.len(),
        thousands(transfers),
    );
    check.report(Found::new(
        &PTO_SOFTWARE_LOOP,
        text_span(third.place),
        message,
    ));
}

/// Rows that are contiguous on both sides as one: its bytes, and the change.
pub(super) fn one_row(check: &Check<'_>, derived: &Derived) -> Option<(i64, Fix<TextSpan>)> {
    let (_, count, steps) = row_steps(derived)?;
    let copy = &derived.copy;
    let (length, rows) = (
        copy.given_field(Field::Length)?,
        copy.given_field(Field::Rows)?,
    );
    let number = length.number().filter(|&number| number > 0)?;
    let all = number.checked_mul(count).filter(|&all| all <= MOST)?;
    if count <= 1 || steps != [number; 2] {
        return None;
    }
    let mut change = Change::before_operation(check.analysis, &check.constants, copy.operation);
    change.number(rows, 1);
    change.number(length, all);
    let title = format!("Move one row of {} bytes", thousands(all.unsigned_abs()));
    Some((all, change.into_fix(Applicability::Machine, title)))
}

fn check_mergeable(check: &mut Check<'_>, derived: &Derived) {
    let Some((all, fix)) = one_row(check, derived) else {
        return;
    };
    let copy = &derived.copy;
    let (Some(rows), Some(count), Some(length)) = (
        copy.given_field(Field::Rows),
        copy.number(Field::Rows),
        copy.number(Field::Length),
    ) else {
        return;
    };
    // With padding each row ends at its stride, which is its length: nothing is filled in, and one row is the same.
    let message = format!(
        "{count} rows of {length} bytes are contiguous on both sides: one row of {} bytes does the same",
        thousands(all.unsigned_abs()),
    );
    let mut finding = Found::new(&PTO_BURSTS_MERGEABLE, text_span(rows.place()), message);
    finding.fixes.push(fix);
    check.report(finding);
}

fn check_small(check: &mut Check<'_>, derived: &Derived) {
    let moved = derived
        .transfer
        .as_ref()
        .and_then(visa_transfer::Transfer::moved);
    let Some(moved) = moved.filter(|&moved| moved > 0 && moved < SMALL) else {
        return;
    };
    let id: OperationId = derived.operation();
    let message = format!(
        "the transfer moves {} bytes; below {} the setup time dominates",
        thousands(u64::try_from(moved).unwrap_or(0)),
        thousands(u64::try_from(SMALL).unwrap_or(0)),
    );
    let name = check.analysis.file.operation(id).name;
    check.report(Found::new(&PTO_SMALL_TRANSFER, text_span(name), message));
}
