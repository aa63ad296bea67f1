//! Rules about what is filled in behind rows.

use super::super::program::{Function, What};
use super::super::registers::Presence;
use super::super::syntax::{Cursor, Place};
use super::super::transfers::{CopyKind, Derived, Field, UB_ALIGNMENT};
use super::super::values::Element;
use super::writing::{Change, text_span};
use super::{Check, Found};
use visa_findings::{Applicability, Fix, Rule, TextSpan, rule};
use visa_transfer::Side;

pub(super) static PTO_PAD_VALUE_UNSET: Rule = rule!(
    Pto: "pto_pad_value_unset",
    Suspicious,
    "Alignment Constraints",
    "a copy that pads its rows, with no padding value set in the function before",
    "With `data_select_bit` each row in UB is filled up with the value that `pto.set_mov_pad_val` set. Where nothing set it, the \
     register holds what an earlier kernel left there.",
    fix
);

pub(super) static PTO_PADDING_DISABLED: Rule = rule!(
    Pto: "pto_padding_disabled",
    Suspicious,
    "pto.copy_gm_to_ubuf",
    "a copy with left or right padding whose `data_select_bit` is false",
    "Padding is written only where `data_select_bit` is true. With false the byte counts to the left and right have \
     no effect, and the bytes of UB there keep what they held.",
    fix
);

pub(super) static PTO_ROW_TAIL: Rule = rule!(
    Pto: "pto_row_tail",
    Suspicious,
    "Alignment Constraints",
    "rows in UB whose length is not a multiple of 32 bytes, without padding",
    "UB is written in blocks of 32 bytes. After a row that ends within a block, the rest of the block is undefined, \
     and an operation on whole vectors reads it.",
    fix
);

pub(super) static PTO_PAD_TYPE: Rule = rule!(
    Pto: "pto_pad_type",
    Hardware,
    "derived",
    "a padding value of a type that the register does not take",
    "The register of the padding value takes i8, i16, i32, f16, bf16 and f32; the assembler refuses other types. \
     Elements of 64 bits, or of fewer than 8, cannot be padded."
);

/// The types that a padding value may have.
const PAD_TYPES: [&str; 12] = [
    "i8", "si8", "ui8", "i16", "si16", "ui16", "i32", "si32", "ui32", "f16", "bf16", "f32",
];

pub(super) fn check_padding(check: &mut Check<'_>, function: &Function, derived: &Derived) {
    pad_value_unset(check, function, derived);
    padding_disabled(check, derived);
    row_tail(check, derived);
    if let Some(padding) = &derived.copy.padding
        && let Some(element) = padding.element
    {
        pad_type(check, padding.value.place(), element);
    }
}

/// The types of what `set_mov_pad_val` is given.
pub(super) fn check_registers(check: &mut Check<'_>, function: &Function) {
    let mut set = Vec::new();
    function.visit_actions(&mut |action| {
        if let What::PadValue(given) = &action.what {
            set.push((action.operation, *given));
        }
    });
    for (id, given) in set {
        let file = &check.analysis.file;
        let mut cursor = Cursor::new(file, id);
        if !cursor.pass_colon() {
            continue;
        }
        let element = cursor
            .types()
            .first()
            .and_then(|&place| Element::of(file.text_at(place)));
        if let Some(element) = element {
            pad_type(check, given.place(), element);
        }
    }
}

fn pad_type(check: &mut Check<'_>, place: Place, element: Element) {
    if PAD_TYPES.contains(&element.name) {
        return;
    }
    let message = format!(
        "the padding value has type {}; the register takes i8, i16, i32, f16, bf16 and f32",
        element.name
    );
    check.report(Found::new(&PTO_PAD_TYPE, text_span(place), message));
}

/// The element that rows in UB are made of.
fn row_element(derived: &Derived) -> Option<Element> {
    let of = |side: Side| {
        derived
            .copy
            .pointer(side)
            .and_then(|pointer| pointer.element)
    };
    of(Side::Target)
        .or(of(Side::Source))
        .filter(|element| PAD_TYPES.contains(&element.name))
}

/// A zero of the element, and its type, defined before the copy.
fn define_zero(change: &mut Change<'_>, element: Element) -> (String, &'static str) {
    let is_float = element.name.contains('f');
    let number = if is_float { "0.0" } else { "0" };
    let value = change.defined(
        &format!("zero_{}", element.name),
        &format!("arith.constant {number} : {}", element.name),
    );
    (value, element.name)
}

fn pad_value_unset(check: &mut Check<'_>, function: &Function, derived: &Derived) {
    let copy = &derived.copy;
    let unset = derived.registers.padding.presence == Presence::Never;
    if copy.grouped || function.is_before || copy.fills() != Some(true) || !unset {
        return;
    }
    let Some(select) = copy.given_field(Field::Select) else {
        return;
    };
    let message = "the copy pads its rows and no `pto.set_mov_pad_val` comes before it: the padding \
                   value is undefined";
    let mut finding = Found::new(&PTO_PAD_VALUE_UNSET, text_span(select.place()), message);
    if let Some(element) = row_element(derived) {
        let mut change = Change::before_operation(check.analysis, &check.constants, copy.operation);
        let (value, of_type) = define_zero(&mut change, element);
        change.line(format!("pto.set_mov_pad_val {value} : {of_type}"));
        let fix = change.into_fix(
            Applicability::Maybe,
            "Set the padding value to 0 before the copy",
        );
        finding.fixes.push(fix);
        finding = finding.help("`pto.set_mov_pad_val` before the copy sets the padding value");
    }
    check.report(finding);
}

fn padding_disabled(check: &mut Check<'_>, derived: &Derived) {
    let copy = &derived.copy;
    if copy.grouped || copy.fills() != Some(false) {
        return;
    }
    let Some(select) = copy.given_field(Field::Select) else {
        return;
    };
    for field in [Field::LeftPadding, Field::RightPadding] {
        let Some(given) = copy.given_field(field) else {
            continue;
        };
        let Some(number) = given.number().filter(|&number| number > 0) else {
            continue;
        };
        let name = field.name(copy.kind);
        let message =
            format!("{name} is {number}, and has no effect while `data_select_bit` is false");
        let mut change = Change::before_operation(check.analysis, &check.constants, copy.operation);
        change.number(select, 1);
        let fix = change.into_fix(
            Applicability::Maybe,
            "Pad the rows: write `true` for `data_select_bit`",
        );
        let mut finding = Found::new(&PTO_PADDING_DISABLED, text_span(given.place()), message)
            .related(text_span(select.place()), "`data_select_bit` is false here");
        finding.fixes.push(fix);
        check.report(finding);
        return;
    }
}

fn row_tail(check: &mut Check<'_>, derived: &Derived) {
    let copy = &derived.copy;
    if copy.kind != CopyKind::GmToUb || copy.fills() != Some(false) {
        return;
    }
    let Some(given) = copy.given_field(Field::Length) else {
        return;
    };
    let Some(length) = given.number().filter(|&length| length > 0) else {
        return;
    };
    let rest = length.rem_euclid(UB_ALIGNMENT);
    if rest == 0 {
        return;
    }
    let message = format!(
        "a row of {length} bytes leaves {} bytes of its last block of {UB_ALIGNMENT} undefined",
        UB_ALIGNMENT - rest
    );
    let mut finding = Found::new(&PTO_ROW_TAIL, text_span(given.place()), message);
    if let Some(fix) = with_padding(check, derived) {
        finding.fixes.push(fix);
    }
    check.report(finding.help("padding fills them"));
}

/// The copy with its rows filled up with 0.
fn with_padding(check: &Check<'_>, derived: &Derived) -> Option<Fix<TextSpan>> {
    let copy = &derived.copy;
    let element = row_element(derived)?;
    let mut change = Change::before_operation(check.analysis, &check.constants, copy.operation);
    let length = copy.number(Field::Length)?;
    let rounded = length
        .checked_add(UB_ALIGNMENT - 1)?
        .div_euclid(UB_ALIGNMENT)
        * UB_ALIGNMENT;
    // Padding goes up to the step: one that is shorter leaves no room for it. More than one row would be moved by another step.
    if let Some(step) = copy.given_field(Field::Stride(Side::Target))
        && step.number().is_some_and(|step| step < rounded)
    {
        if copy.number(Field::Rows)? > 1 {
            return None;
        }
        change.number(step, rounded);
    }
    if copy.grouped {
        let file = &check.analysis.file;
        let (value, of_type) = define_zero(&mut change, element);
        let mut cursor = Cursor::new(file, copy.operation);
        if !cursor.pass_colon() {
            return None;
        }
        let last = *copy.types.last()?;
        // Groups end before the colon, and types at the end.
        let colon = file.token(cursor.index().checked_sub(1)?).place;
        let at = |offset: u32| Place {
            start: offset,
            end: offset,
        };
        change.replace_place(at(colon.start), format!("pad({value}) "));
        change.replace_place(at(last.end), format!(", pad {of_type}"));
    } else {
        change.number(copy.given_field(Field::Select)?, 1);
        match derived.registers.padding.presence {
            Presence::Always => {}
            Presence::Never => {
                let (value, of_type) = define_zero(&mut change, element);
                change.line(format!("pto.set_mov_pad_val {value} : {of_type}"));
            }
            Presence::Sometimes | Presence::Unknown => return None,
        }
    }
    Some(change.into_fix(Applicability::Maybe, "Pad the rows with 0"))
}
