//! Rules about single fields of copies and registers: memories, widths, counts, addresses.

use super::super::program::{Function, What};
use super::super::transfers::{Copy, CopyKind, Derived, Direction, Field, Given, UB_ALIGNMENT};
use super::super::values::{Element, Memory};
use super::writing::{Change, text_span};
use super::{Check, Found};
use visa_base::numbers::thousands;
use visa_findings::{Applicability, Rule, rule};
use visa_transfer::Side;

pub(super) static PTO_DIRECTION: Rule = rule!(
    Pto: "pto_direction",
    Hardware,
    "DMA Transfer Execution",
    "a copy whose source or destination is not in the memory that the operation copies from or to",
    "Each copy goes one way: from GM to UB, from UB to GM, or within UB. Pointers carry their memory in their type, and the \
     assembler refuses one of another memory.",
    fix
);

pub(super) static PTO_ELEMENT_WIDTH: Rule = rule!(
    Pto: "pto_element_width",
    Hardware,
    "derived",
    "a copy between pointers to elements of different widths",
    "A copy moves bytes and converts nothing. The assembler refuses pointers whose elements differ in width; `pto.castptr` \
     gives one of them the other's type where the bytes are meant."
);

pub(super) static PTO_FIELD_WIDTH: Rule = rule!(
    Pto: "pto_field_width",
    Hardware,
    "Loop Stride Configuration",
    "a value that is negative, or larger than its field holds",
    "Counts and strides go into fields of a fixed width. They are 21 bits for loop counts and strides in UB, 40 for \
     strides in GM, 16 in copies within UB. A larger value is cut off or refused, and no field holds a negative \
     number."
);

pub(super) static PTO_FIELD_NARROW: Rule = rule!(
    Pto: "pto_field_narrow",
    Suspicious,
    "derived",
    "a value that fits the field's width in the manual and not in the assembler, or the reverse",
    "For the number and length of rows the manual gives 16 bits and the assembler packs 21. For padding the manual \
     gives 8 and the assembler packs 6. A value between the two works with one of them only. Two transfers, each of a \
     part, fit both."
);

pub(super) static PTO_ADDRESS_ALIGNMENT: Rule = rule!(
    Pto: "pto_address_alignment",
    Hardware,
    "Alignment Constraints",
    "an address in UB that is not a multiple of 32",
    "UB is read and written in blocks of 32 bytes. An address of a copy, as source or as destination, begins such a block. \
     The assembler cannot see most addresses, and the engine does not round them.",
    fix
);

pub(super) static PTO_RESERVED_FIELD: Rule = rule!(
    Pto: "pto_reserved_field",
    Suspicious,
    "pto.copy_ubuf_to_gm",
    "a store whose reserved operand is not 0",
    "The sixth operand of `pto.copy_ubuf_to_gm` is reserved and should be 0. One assembler reads it as a control of \
     the L2 cache: what another value does depends on the assembler.",
    fix
);

pub(super) static PTO_ZERO_COUNT: Rule = rule!(
    Pto: "pto_zero_count",
    Suspicious,
    "derived",
    "a copy that moves nothing: no rows, rows of no bytes, or a loop that runs 0 times",
    "The nest of a copy runs as often as its counts say. Where one of them is 0 it does not run, and the \
     destination keeps what it had. Most often the number was computed wrongly."
);

pub(super) static PTO_ELEMENT_SPLIT: Rule = rule!(
    Pto: "pto_element_split",
    Suspicious,
    "derived",
    "rows whose length is not a multiple of the element size",
    "Lengths count bytes. A row that ends within an element most likely has its length in elements, or in bytes of \
     another type. The last element of the row is then half new and half old."
);

pub(super) static PTO_STREAM_ID: Rule = rule!(
    Pto: "pto_stream_id",
    Style,
    "pto.copy_gm_to_ubuf",
    "a stream id other than 0",
    "The operand `sid` is usually 0. Another value is legal but unusual. The manual does not explain the streams of a \
     core, and generated code uses only the first.",
    fix
);

pub(super) fn check_fields(check: &mut Check<'_>, function: &Function, derived: &Derived) {
    let copy = &derived.copy;
    check_direction(check, copy);
    element_width(check, copy);
    for (field, given) in &copy.fields {
        check_width(check, copy.kind, *field, given);
    }
    for (index, given) in copy.loops.iter().enumerate() {
        let level = u8::try_from(index + 1).unwrap_or(u8::MAX);
        check_width(check, copy.kind, Field::LoopCount(level), &given.count);
        for (side, step) in [(Side::Source, &given.source), (Side::Target, &given.target)] {
            check_width(check, copy.kind, Field::LoopStride(level, side), step);
        }
        check_zero(check, copy, Field::LoopCount(level), &given.count);
    }
    check_addresses(check, copy);
    for field in [Field::Rows, Field::Length] {
        if let Some(given) = copy.given_field(field) {
            check_zero(check, copy, field, given);
        }
    }
    zero_registers(check, function, derived);
    check_reserved(check, copy);
    element_split(check, copy);
    check_stream(check, copy);
}

/// The widths of what registers are set to.
pub(super) fn check_registers(check: &mut Check<'_>, function: &Function) {
    if function.is_before {
        return;
    }
    let mut set: Vec<(Direction, Field, Given)> = Vec::new();
    function.visit_actions(&mut |action| match &action.what {
        What::Size(direction, [one, two]) => {
            set.push((*direction, Field::LoopCount(1), *one));
            set.push((*direction, Field::LoopCount(2), *two));
        }
        What::Stride(direction, level, [source, target]) => {
            let level = if *level == 0 { 1 } else { 2 };
            set.push((*direction, Field::LoopStride(level, Side::Source), *source));
            set.push((*direction, Field::LoopStride(level, Side::Target), *target));
        }
        _ => {}
    });
    for (direction, field, given) in set {
        check_width(check, direction.kind(), field, &given);
    }
}

fn signed_thousands(number: i64) -> String {
    let sign = if number < 0 { "-" } else { "" };
    format!("{sign}{}", thousands(number.unsigned_abs()))
}

fn check_direction(check: &mut Check<'_>, copy: &Copy) {
    let file = &check.analysis.file;
    let memory = |side: Side| copy.pointer(side).and_then(|pointer| pointer.memory);
    let swapped = memory(Side::Source) == Some(copy.kind.memory(Side::Target))
        && memory(Side::Target) == Some(copy.kind.memory(Side::Source))
        && copy.kind.direction().is_some();
    for (side, word) in [(Side::Source, "source"), (Side::Target, "destination")] {
        let wanted = copy.kind.memory(side);
        let Some(found) = memory(side).filter(|found| *found != wanted) else {
            continue;
        };
        let Some(base) = copy.base_address(side) else {
            continue;
        };
        let message = format!(
            "the {word} is in {}, and `{}` {} {}",
            found.name(),
            file.name(copy.operation),
            if side == Side::Source {
                "reads"
            } else {
                "writes"
            },
            wanted.name(),
        );
        let mut finding = Found::new(&PTO_DIRECTION, text_span(base.place()), message);
        if let Some(fix) = swapped.then(|| other_operation(check, copy)).flatten() {
            finding = finding.stating(Some(fix));
        } else if let Some(right) = operation_between(memory(Side::Source), memory(Side::Target)) {
            finding = finding.help(format!("`{right}` copies between these memories"));
        }
        check.report(finding);
        // Both sides swapped is one fault.
        if swapped {
            return;
        }
    }
}

fn operation_between(source: Option<Memory>, target: Option<Memory>) -> Option<&'static str> {
    match (source?, target?) {
        (Memory::Gm, Memory::Ub) => Some("pto.mte_gm_ub"),
        (Memory::Ub, Memory::Gm) => Some("pto.mte_ub_gm"),
        (Memory::Ub, Memory::Ub) => Some("pto.mte_ub_ub"),
        _ => None,
    }
}

/// `mte_gm_ub` as `mte_ub_gm`: the same operands but that of the cache, which goes with its type.
fn other_operation(
    check: &Check<'_>,
    copy: &Copy,
) -> Option<visa_findings::Fix<visa_findings::TextSpan>> {
    let file = &check.analysis.file;
    let fits = copy.grouped && copy.kind == CopyKind::GmToUb && copy.padding.is_none();
    let cache = copy.given_field(Field::CacheControl).filter(|_| fits)?;
    let target = copy.given_field(Field::Target)?;
    let every_operand_typed = copy.types.len() == copy.fields.len() + 3 * copy.loops.len();
    let (pointer, control) = (copy.types.get(1)?, copy.types.get(2)?);
    let mut change = Change::before_operation(check.analysis, &check.constants, copy.operation);
    let name = file.operation(copy.operation).name;
    change.replace_place(name, "pto.mte_ub_gm");
    let behind = |first: super::super::syntax::Place, second: super::super::syntax::Place| {
        super::super::syntax::Place {
            start: first.end,
            end: second.end,
        }
    };
    change.replace_place(behind(target.place(), cache.place()), "");
    if every_operand_typed {
        change.replace_place(behind(*pointer, *control), "");
    }
    Some(change.into_fix(Applicability::Maybe, "Write `pto.mte_ub_gm`"))
}

fn element_width(check: &mut Check<'_>, copy: &Copy) {
    let element = |side: Side| copy.pointer(side).and_then(|pointer| pointer.element);
    let (Some(source), Some(target)) = (element(Side::Source), element(Side::Target)) else {
        return;
    };
    if source.bits == target.bits {
        return;
    }
    let place = match &copy.types[..] {
        [source, target, ..] => source.span_to(*target),
        _ => check.analysis.file.operation(copy.operation).name,
    };
    let message = format!(
        "the source holds {} of {} bits and the destination {} of {}: a copy does not convert",
        source.name, source.bits, target.name, target.bits
    );
    let finding = Found::new(&PTO_ELEMENT_WIDTH, text_span(place), message)
        .help("`pto.castptr` gives one pointer the type of the other, if the bytes are meant");
    check.report(finding);
}

fn check_width(check: &mut Check<'_>, kind: CopyKind, field: Field, given: &Given) {
    let (Some(width), Some(number)) = (field.width(kind), given.number()) else {
        return;
    };
    if (0..=width.narrow_largest()).contains(&number) {
        return;
    }
    let (name, unit) = (field.name(kind), field.unit(kind));
    let unit = if unit.is_empty() {
        String::new()
    } else {
        format!(" {unit}")
    };
    if number < 0 || number > width.largest_value() {
        let message = format!(
            "{name} is {}{unit}; its field of {} bits holds 0 to {}",
            signed_thousands(number),
            width.bits,
            signed_thousands(width.largest_value()),
        );
        check.report(Found::new(
            &PTO_FIELD_WIDTH,
            text_span(given.place()),
            message,
        ));
    } else {
        let message = format!(
            "{name} is {}{unit}: it fits {} bits but not {}, which hold up to {}, and the manual and the assembler give different widths",
            signed_thousands(number),
            width.bits,
            width.narrow_bits,
            signed_thousands(width.narrow_largest()),
        );
        let parts = number.div_euclid(width.narrow_largest() + 1) + 1;
        let each = (number + parts - 1).div_euclid(parts);
        let finding = Found::new(&PTO_FIELD_NARROW, text_span(given.place()), message);
        let finding = match field {
            Field::Rows | Field::Length => finding.help(format!(
                "{parts} transfers of at most {}{unit} each fit both",
                signed_thousands(each)
            )),
            _ => finding,
        };
        check.report(finding);
    }
}

fn check_addresses(check: &mut Check<'_>, copy: &Copy) {
    for (side, word) in [(Side::Source, "source"), (Side::Target, "destination")] {
        if copy.kind.memory(side) != Memory::Ub {
            continue;
        }
        let Some(base) = copy.base_address(side) else {
            continue;
        };
        let Some(address) = base
            .number()
            .filter(|address| address.rem_euclid(UB_ALIGNMENT) != 0)
        else {
            continue;
        };
        let next = (address.div_euclid(UB_ALIGNMENT) + 1).checked_mul(UB_ALIGNMENT);
        let message = format!(
            "the {word} starts at UB address {}, {} bytes past a multiple of {UB_ALIGNMENT}",
            signed_thousands(address),
            address.rem_euclid(UB_ALIGNMENT),
        );
        let mut finding = Found::new(&PTO_ADDRESS_ALIGNMENT, text_span(base.place()), message);
        if let Some(fix) = next.and_then(|next| moved_address(check, base, next)) {
            finding = finding.stating(Some(fix));
        } else if let Some(next) = next {
            finding = finding.help(format!("the next multiple is {}", signed_thousands(next)));
        }
        check.report(finding);
    }
}

/// Another number where a pointer is made from a number, or from another pointer and a number of elements.
fn moved_address(
    check: &Check<'_>,
    base: &Given,
    address: i64,
) -> Option<visa_findings::Fix<visa_findings::TextSpan>> {
    let analysis = check.analysis;
    let value = analysis.names.value(base.operand.token)?;
    let (_, definition) = analysis.names.definition(value)?;
    let id = definition.operation?;
    let mut cursor = super::super::syntax::Cursor::new(&analysis.file, id);
    let given = |operand| {
        let known = analysis.program.values.operand(&analysis.names, operand)?;
        let known = Some(known);
        Some(Given { operand, known })
    };
    let (given, number) = match analysis.file.name(id) {
        "pto.castptr" => {
            let given = given(cursor.operand()?)?;
            // Of a pointer it only changes the type.
            if given.known?.pointer.is_some() {
                return None;
            }
            (given, address)
        }
        "pto.addptr" => {
            cursor.eat(b'(');
            let [_, count] = cursor.operands().operands[..] else {
                return None;
            };
            let bytes = base.known?.pointer?.element?.bytes()?;
            let missing = address.checked_sub(base.number()?)?;
            if missing % i64::from(bytes) != 0 {
                return None;
            }
            let count = given(count)?;
            let number = count.number()?.checked_add(missing / i64::from(bytes))?;
            (count, number)
        }
        _ => return None,
    };
    let mut change = Change::before_operation(analysis, &check.constants, id);
    change.number(&given, number);
    Some(change.into_fix(
        Applicability::Maybe,
        format!(
            "Start at {}, the next multiple of {UB_ALIGNMENT}",
            signed_thousands(address)
        ),
    ))
}

fn check_zero(check: &mut Check<'_>, copy: &Copy, field: Field, given: &Given) {
    if given.number() == Some(0) {
        let name = field.name(copy.kind);
        let message = format!("{name} is 0: the copy moves nothing");
        check.report(Found::new(
            &PTO_ZERO_COUNT,
            text_span(given.place()),
            message,
        ));
    }
}

fn zero_registers(check: &mut Check<'_>, function: &Function, derived: &Derived) {
    if derived.copy.grouped || function.is_before {
        return;
    }
    let copy = check.analysis.file.operation(derived.operation()).name;
    let zero = derived
        .loops
        .iter()
        .filter(|one| one.level > 0 && one.count == Some(0));
    for (level, place) in zero.filter_map(|one| Some((one.level, one.count_place?))) {
        let message = format!("loop{level} runs 0 times: the copy that reads it moves nothing");
        let finding = Found::new(&PTO_ZERO_COUNT, text_span(place), message);
        check.report(finding.related(text_span(copy), "this copy reads it"));
    }
}

fn check_reserved(check: &mut Check<'_>, copy: &Copy) {
    let Some(given) = copy.given_field(Field::Reserved) else {
        return;
    };
    let Some(number) = given.number().filter(|number| (1..=15).contains(number)) else {
        return;
    };
    let message = format!("the reserved operand is {number}; it should be 0");
    let mut change = Change::before_operation(check.analysis, &check.constants, copy.operation);
    change.number(given, 0);
    let fix = change.into_fix(Applicability::Maybe, "Write 0 for the reserved operand");
    let finding = Found::new(&PTO_RESERVED_FIELD, text_span(given.place()), message);
    check.report(finding.stating(Some(fix)));
}

fn element_split(check: &mut Check<'_>, copy: &Copy) {
    if copy.kind == CopyKind::UbToUb {
        return;
    }
    let element = [Side::Source, Side::Target]
        .into_iter()
        .find_map(|side| copy.pointer(side)?.element);
    let bytes = element.and_then(Element::bytes).map(i64::from);
    let (Some(element), Some(bytes), Some(length)) =
        (element, bytes, copy.given_field(Field::Length))
    else {
        return;
    };
    let Some(number) = length
        .number()
        .filter(|number| *number > 0 && number % bytes != 0)
    else {
        return;
    };
    let message = format!(
        "a row of {} bytes is not a whole number of elements: {} has {bytes} bytes",
        signed_thousands(number),
        element.name,
    );
    check.report(Found::new(
        &PTO_ELEMENT_SPLIT,
        text_span(length.place()),
        message,
    ));
}

fn check_stream(check: &mut Check<'_>, copy: &Copy) {
    if let Some(given) = copy.given_field(Field::Stream)
        && let Some(number) = given.number().filter(|number| (1..=15).contains(number))
    {
        let message = format!("the stream id is {number}; it is usually 0");
        let mut change = Change::before_operation(check.analysis, &check.constants, copy.operation);
        change.number(given, 0);
        let fix = change.into_fix(Applicability::Maybe, "Write 0 for the stream id");
        let finding = Found::new(&PTO_STREAM_ID, text_span(given.place()), message);
        check.report(finding.stating(Some(fix)));
    }
}
