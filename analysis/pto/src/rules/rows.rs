//! Rules about where rows are: alignment of their steps, the end of UB, rows that share bytes.
//!
//! Sources differ about a copy within UB, so a rule about it uses only what all of them agree on. Rows are compared by the loops that
//! lie between them. The outermost of these has the step that is too short, and it alone is blamed: the loops inside are right. A fix of a
//! step moves rows, so operations that touch the bytes between them are looked at first.

use super::super::analysis::Facts;
use super::super::program::Function;
use super::super::syntax::Place;
use super::super::transfers::{
    Copy, CopyKind, Derived, Field, LoopOrigin, SideStep, UB_ALIGNMENT, UB_BYTES, UB_BYTES_BEFORE,
};
use super::super::values::Memory;
use super::nests::one_row;
use super::packed_rows::{MovedRows, touching_the_gaps};
use super::writing::{Change, text_span};
use super::{Check, Found};
use visa_base::numbers::thousands;
use visa_findings::{Alternative, Applicability, Rule, TextSpan, rule};
use visa_transfer::{Loop, Meeting, Side, Transfer, rows_meet, sides_meet};

pub(super) static PTO_STRIDE_ALIGNMENT: Rule = rule!(
    Pto: "pto_stride_alignment",
    Hardware,
    "Alignment Constraints",
    "a step in UB, of rows or of a loop, that is not a multiple of 32",
    "Every row in UB begins a block of 32 bytes. A step that is taken at least once and is no multiple of 32 puts \
     the next row into the middle of a block. After rows of another length the stride leaves the rest of the last \
     block, padded or unused. Rows that lie close together on both sides are one long row, which takes no step.",
    fix
);

pub(super) static PTO_UB_BOUNDS: Rule = rule!(
    Pto: "pto_ub_bounds",
    Hardware,
    "Loop Stride Configuration",
    "a copy that goes past the end of UB",
    "UB has 262,144 bytes; in the generations a2 and a3 it has 196,608. A copy reaches from its address, over the \
     strides of all its loops, to the end of the last row.",
    alt
);

pub(super) static PTO_ROWS_OVERLAP: Rule = rule!(
    Pto: "pto_rows_overlap",
    Silent,
    "Burst / Stride / Pad Model",
    "rows of the destination that share bytes: one overwrites another",
    "A stride is the distance from the start of one row to the start of the next, not the gap between them. If it is \
     shorter than the row, or the stride of a loop is shorter than the reach of the loops inside it, rows overwrite \
     each other without an error. Padding after a row counts as part of it.",
    fix
);

pub(super) static PTO_SOURCE_ROWS_OVERLAP: Rule = rule!(
    Pto: "pto_source_rows_overlap",
    Suspicious,
    "Burst / Stride / Pad Model",
    "rows of the source that share bytes; with a step of 0 the same row is read again",
    "A stride is at least as long as a row. A shorter one reads bytes twice, as sliding windows over a signal do. A \
     stride of 0 reads one row again and again, as a broadcast does. In most other cases the gap between the rows was \
     given in place of the stride."
);

pub(super) static PTO_UB_COPY_OVERLAP: Rule = rule!(
    Pto: "pto_ub_copy_overlap",
    Suspicious,
    "derived",
    "a copy within UB whose source and destination share bytes",
    "The order in which a copy within UB reads and writes is not specified. Where source and destination share bytes, \
     the result depends on it. The finding holds for both meanings of its strides, in blocks of 32 bytes from the end \
     of a burst and in bytes from its start."
);

pub(super) fn check_rows(
    check: &mut Check<'_>,
    function: &Function,
    facts: &Facts,
    derived: &Derived,
) {
    check_alignment(check, function, facts, derived);
    check_bounds(check, function, derived);
    if derived.copy.kind == CopyKind::UbToUb {
        ub_copy(check, &derived.copy);
        return;
    }
    check_overlap(check, derived, Side::Target);
    check_overlap(check, derived, Side::Source);
}

fn signed_thousands(number: i128) -> String {
    let sign = if number < 0 { "-" } else { "" };
    let amount = u64::try_from(number.unsigned_abs()).unwrap_or(u64::MAX);
    format!("{sign}{}", thousands(amount))
}

/// What a loop is called.
fn loop_name(one: &SideStep) -> String {
    match one.level {
        0 => "rows".to_owned(),
        level => format!("iterations of loop{level}"),
    }
}

fn check_alignment(check: &mut Check<'_>, function: &Function, facts: &Facts, derived: &Derived) {
    let copy = &derived.copy;
    let sides = [Side::Source, Side::Target];
    let in_ub = |side: &Side| copy.kind.memory(*side) == Memory::Ub;
    // A copy within UB has gaps in whole blocks.
    let Some(side) = sides
        .into_iter()
        .find(in_ub)
        .filter(|_| copy.kind.gm_side().is_some())
    else {
        return;
    };
    let name = check.analysis.file.operation(copy.operation).name;
    for one in derived.loops.iter().filter(|one| one.is_taken()) {
        let (Some(step), Some(place)) = (one.step_of_side(side), one.place(side)) else {
            continue;
        };
        if step < 0 || step % UB_ALIGNMENT == 0 {
            continue;
        }
        let next = (step / UB_ALIGNMENT + 1) * UB_ALIGNMENT;
        let message = format!(
            "{} start {} bytes apart in UB; a row starts at a multiple of {UB_ALIGNMENT}",
            loop_name(one),
            signed_thousands(i128::from(step)),
        );
        let mut finding = Found::new(&PTO_STRIDE_ALIGNMENT, text_span(place), message);
        if one.origin == LoopOrigin::Registers {
            finding = finding.related(text_span(name), "this copy reads the step");
        }
        let row = copy.number(Field::Length).filter(|_| one.level == 0);
        let packed = row.filter(|_| copy.fills() != Some(true));
        if let Some((all, fix)) = packed.and_then(|_| one_row(check, derived)) {
            finding.fixes.push(fix);
            finding = finding.help(format!(
                "the rows are contiguous on both sides: one row of {} bytes takes no step",
                signed_thousands(i128::from(all))
            ));
        }
        let moved = row.map(|length| MovedRows { length, step: next });
        let reader = moved.and_then(|rows| touching_the_gaps(function, facts, derived, side, rows));
        let finding = match reader {
            Some(reader) => beside_packed_rows(check, finding, reader, next),
            None => with_next_step(check, finding, derived, one, side, (next, row)),
        };
        check.report(finding);
    }
}

/// The finding with the next step that is aligned.
fn with_next_step(
    check: &Check<'_>,
    mut finding: Found,
    derived: &Derived,
    one: &SideStep,
    side: Side,
    (next, row): (i64, Option<i64>),
) -> Found {
    let left = row.map(|row| next - row).filter(|left| *left > 0);
    let words = match left {
        Some(left) => format!("which leaves {left} bytes after each row"),
        None => "the next multiple".to_owned(),
    };
    if let Some((text, fix)) = other_step(check, derived, one, side, next) {
        finding.fixes.push(fix);
        let words = format!("{text} would be {next}, {words}");
        let help = match finding.help.take() {
            Some(help) => format!("{help}; or {words}"),
            None => words,
        };
        finding = finding.help(help);
    }
    finding
}

/// The finding where another operation touches what would be between the rows: with that step alone it would read what nothing wrote.
fn beside_packed_rows(
    check: &Check<'_>,
    finding: Found,
    reader: super::super::syntax::OperationId,
    next: i64,
) -> Found {
    let name = check.analysis.file.operation(reader).name;
    let has_help = finding.help.is_some();
    let finding = finding.related(text_span(name), "this expects the rows without gaps");
    if has_help {
        return finding;
    }
    finding.help(format!(
        "rows {next} bytes apart are aligned; `{}` then has to expect them there",
        check.analysis.file.text_at(name)
    ))
}

/// Another number for a step, where it is written.
fn other_step(
    check: &Check<'_>,
    derived: &Derived,
    one: &SideStep,
    side: Side,
    step: i64,
) -> Option<(String, visa_findings::Fix<TextSpan>)> {
    let field = match one.level {
        0 => Field::Stride(side),
        level => Field::LoopStride(level, side),
    };
    let name = field.name(derived.copy.kind);
    let place = one.place(side)?;
    let (operation, operand) = operand_at(check, derived, one, place)?;
    let given = super::super::transfers::Given {
        operand,
        known: None,
    };
    let mut change = Change::before_operation(check.analysis, &check.constants, operation);
    change.number(&given, step);
    let title = format!("Write {step} for `{name}`");
    Some((
        format!("`{name}`"),
        change.into_fix(Applicability::Maybe, title),
    ))
}

/// The operation that an operand belongs to, and the operand: the copy itself, or the one that set the register.
fn operand_at(
    check: &Check<'_>,
    derived: &Derived,
    one: &SideStep,
    place: Place,
) -> Option<(
    super::super::syntax::OperationId,
    super::super::syntax::Operand,
)> {
    let operation = if one.origin == LoopOrigin::Registers {
        let registers = &derived.registers;
        let strides = registers
            .strides
            .get(usize::from(one.level).checked_sub(1)?)?;
        let setters = [&registers.size, strides];
        let mut all = setters
            .into_iter()
            .flat_map(|register| register.setters.iter());
        let file = &check.analysis.file;
        *all.find(|id| {
            let whole = file.operation(**id).place;
            whole.start <= place.start && place.end <= whole.end
        })?
    } else {
        derived.operation()
    };
    let tokens = &check.analysis.file.tokens;
    let token = tokens.partition_point(|token| token.place.start < place.start);
    Some((
        operation,
        super::super::syntax::Operand {
            token: u32::try_from(token).ok()?,
            place,
        },
    ))
}

fn check_bounds(check: &mut Check<'_>, function: &Function, derived: &Derived) {
    let copy = &derived.copy;
    let size = if function.is_before {
        UB_BYTES_BEFORE
    } else {
        UB_BYTES
    };
    for (side, word) in [(Side::Source, "source"), (Side::Target, "destination")] {
        if copy.kind.memory(side) != Memory::Ub {
            continue;
        }
        let Some((base, address)) = copy
            .base_address(side)
            .and_then(|base| Some((base, base.number()?)))
        else {
            continue;
        };
        if address < 0 || address >= size {
            let message = format!(
                "the {word} starts at {}; UB has {} bytes",
                signed_thousands(i128::from(address)),
                signed_thousands(i128::from(size)),
            );
            check.report(Found::new(&PTO_UB_BOUNDS, text_span(base.place()), message));
            continue;
        }
        // Of a copy within UB only the address is what both readings agree on.
        if copy.kind == CopyKind::UbToUb {
            continue;
        }
        let Some(extent) = derived
            .transfer
            .as_ref()
            .and_then(|moved| moved.extent(side))
        else {
            continue;
        };
        let (low, high) = (
            i128::from(address) + extent.low,
            i128::from(address) + extent.high,
        );
        if low >= 0 && high <= i128::from(size) {
            continue;
        }
        let message = if high > i128::from(size) {
            format!(
                "the {word} starts at {} and spans {} bytes, up to {}: {} bytes past the {} of UB",
                signed_thousands(i128::from(address)),
                signed_thousands(extent.length()),
                signed_thousands(high),
                signed_thousands(high - i128::from(size)),
                signed_thousands(i128::from(size)),
            )
        } else {
            format!(
                "the {word} reaches address {}, below the start of UB",
                signed_thousands(low)
            )
        };
        let finding = Found::new(&PTO_UB_BOUNDS, text_span(base.place()), message);
        let fitting = fitting_counts(check, derived, side, address, size);
        check.report(finding.alternatives("what fits UB: ", fitting));
    }
}

/// The largest count of each loop with which a side ends within UB.
fn fitting_counts(
    check: &Check<'_>,
    derived: &Derived,
    side: Side,
    address: i64,
    size: i64,
) -> Vec<Alternative<TextSpan>> {
    let Some(transfer) = &derived.transfer else {
        return Vec::new();
    };
    let fitting = |index: usize, one: &SideStep| {
        let step = one.step_of_side(side).filter(|&step| step > 0)?;
        let place = one.count_place.filter(|_| one.is_taken())?;
        // The nest has the outermost loop first.
        let position = transfer.loops.len().checked_sub(index + 1)?;
        let mut without = transfer.clone();
        without.loops.remove(position);
        let reach = without.extent(side).filter(|extent| extent.low == 0)?.high;
        let room = i128::from(size) - i128::from(address) - reach;
        let count = i64::try_from(room.div_euclid(i128::from(step)) + 1).ok()?;
        if room < 0 || count < 1 {
            return None;
        }
        let (operation, operand) = operand_at(check, derived, one, place)?;
        let given = super::super::transfers::Given {
            operand,
            known: None,
        };
        let mut change = Change::before_operation(check.analysis, &check.constants, operation);
        let name = change.number(&given, count);
        let field = match one.level {
            0 => Field::Rows,
            level => Field::LoopCount(level),
        };
        let words = format!("`{}` of {count} (`{name}`)", field.name(derived.copy.kind));
        Some(change.alternative(words))
    };
    let loops = derived.loops.iter().enumerate();
    loops
        .filter_map(|(index, one)| fitting(index, one))
        .collect()
}

fn check_overlap(check: &mut Check<'_>, derived: &Derived, side: Side) {
    let Some(transfer) = &derived.transfer else {
        return;
    };
    let transfer = &as_given(derived, transfer);
    let Meeting::Shared {
        iterations,
        distance,
    } = rows_meet(transfer, side)
    else {
        return;
    };
    // The same row again, to the same place: what is there does not change. The finding about the source says it.
    let repeats =
        |(loop_, number): (&Loop, &i128)| *number == 0 || (loop_.source == 0 && loop_.target == 0);
    let is_repeated = transfer.loops.iter().zip(&iterations).all(repeats);
    if side == Side::Target && derived.copy.kind == CopyKind::GmToL1 && is_repeated {
        return;
    }
    // The outermost loop between the two rows is the one whose step is too short.
    let Some(position) = iterations.iter().position(|&number| number != 0) else {
        return;
    };
    let Some(level) = transfer.loops.len().checked_sub(position + 1) else {
        return;
    };
    let Some(one) = derived.loops.get(level) else {
        return;
    };
    let Some(place) = one.place(side) else {
        return;
    };
    let inner = Transfer {
        loops: transfer
            .loops
            .get(position + 1..)
            .unwrap_or_default()
            .to_vec(),
        ..transfer.clone()
    };
    let (Some(reach), Some(step)) = (inner.reach(side), one.step_of_side(side)) else {
        return;
    };
    let name = check.analysis.file.operation(derived.operation()).name;
    let related = |finding: Found| {
        if one.origin == LoopOrigin::Registers {
            finding.related(text_span(name), "this copy reads the step")
        } else {
            finding
        }
    };
    if side == Side::Source {
        let message = if step == 0 {
            format!(
                "broadcast: {} of the source start 0 bytes apart: the same bytes are read {} times",
                loop_name(one),
                one.count.unwrap_or_default(),
            )
        } else {
            format!(
                "{} of the source start {} bytes apart and span {} bytes: some bytes are read twice",
                loop_name(one),
                signed_thousands(i128::from(step)),
                signed_thousands(reach),
            )
        };
        check.report(related(Found::new(
            &PTO_SOURCE_ROWS_OVERLAP,
            text_span(place),
            message,
        )));
        return;
    }
    let message = format!(
        "{} of the destination start {} bytes apart and span {} bytes: one overwrites {} bytes of another",
        loop_name(one),
        signed_thousands(i128::from(step)),
        signed_thousands(reach),
        signed_thousands(i128::from(transfer.row(side)) - distance.abs()),
    );
    let mut finding = related(Found::new(&PTO_ROWS_OVERLAP, text_span(place), message));
    if let Some(wanted) = step_apart(
        derived,
        &inner,
        *transfer.loops.get(position).unwrap_or(&Loop {
            count: 1,
            source: 0,
            target: 0,
        }),
    ) && let Some((text, fix)) = other_step(check, derived, one, side, wanted)
    {
        finding.fixes.push(fix);
        finding = finding.help(format!("with {text} of {wanted} they do not overlap"));
    }
    check.report(finding);
}

/// The rows as wide as they are given: that one ends at a multiple of 32 overwrites another only where its step is not aligned,
/// which is another finding.
fn as_given(derived: &Derived, transfer: &Transfer) -> Transfer {
    let copy = &derived.copy;
    let stride = copy.number(Field::Stride(Side::Target));
    let filled = stride.filter(|_| copy.fills() == Some(true));
    let width = filled
        .and_then(|stride| u64::try_from(stride).ok())
        .unwrap_or(0);
    Transfer::new(transfer.run, transfer.loops.clone()).with_width(width)
}

/// The step that puts what the loops inside reach one behind another: the reach, in UB up to the next multiple of 32.
fn step_apart(derived: &Derived, inner: &Transfer, outer: Loop) -> Option<i64> {
    let reach = i64::try_from(inner.reach(Side::Target)?).ok()?;
    let wanted = match derived.copy.kind.memory(Side::Target) {
        Memory::Ub => (reach + UB_ALIGNMENT - 1).div_euclid(UB_ALIGNMENT) * UB_ALIGNMENT,
        _ => reach,
    };
    // Loops inside that overlap themselves are another finding, with another step.
    let apart = rows_meet(inner, Side::Target) == Meeting::Never;
    (apart && outer.count > 1).then_some(wanted)
}

fn ub_copy(check: &mut Check<'_>, copy: &Copy) {
    let number = |field: Field| copy.number(field);
    let (Some(rows), Some(length)) = (number(Field::Rows), number(Field::Length)) else {
        return;
    };
    let steps = (
        number(Field::Stride(Side::Source)),
        number(Field::Stride(Side::Target)),
    );
    let (Some(source_step), Some(target_step)) = steps else {
        return;
    };
    let (Some(source), Some(target)) = (
        copy.base_address(Side::Source),
        copy.base_address(Side::Target),
    ) else {
        return;
    };
    let distance = source
        .known
        .zip(target.known)
        .and_then(|(source, target)| source.always.minus(target.always));
    let (Some(distance), Ok(rows), Ok(length)) =
        (distance, u64::try_from(rows), u64::try_from(length))
    else {
        return;
    };
    let in_blocks = |gap: i64| {
        i64::try_from(length)
            .ok()?
            .checked_add(gap)?
            .checked_mul(UB_ALIGNMENT)
    };
    let (Some(source_blocks), Some(target_blocks)) =
        (in_blocks(source_step), in_blocks(target_step))
    else {
        return;
    };
    let nest = |run: u64, source: i64, target: i64| {
        Transfer::new(
            run,
            vec![Loop {
                count: rows,
                source,
                target,
            }],
        )
    };
    let readings = [
        nest(length.saturating_mul(32), source_blocks, target_blocks),
        nest(length, source_step, target_step),
    ];
    let meets = |nest: &Transfer| {
        let meeting = sides_meet(
            (nest, Side::Target),
            (nest, Side::Source),
            i128::from(distance),
        );
        matches!(meeting, Meeting::Shared { .. })
    };
    if readings.iter().all(meets) {
        let apart = signed_thousands(i128::from(distance).abs());
        let message = format!(
            "source and destination start {apart} bytes apart and overlap: the order of reads and writes is not specified"
        );
        let finding = Found::new(&PTO_UB_COPY_OVERLAP, text_span(target.place()), message);
        check.report(finding.related(text_span(source.place()), "the source"));
    }
}
