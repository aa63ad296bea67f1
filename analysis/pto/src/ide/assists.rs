//! Changes on request: a copy with registers as a copy in groups, and back.

use std::sync::Arc;

use super::super::analysis::Analysis;
use super::super::rules::{Change, Constants};
use super::super::syntax::{OperationId, Place};
use super::super::transfers::{CopyKind, Derived, Field, Given};
use super::operation_at;
use visa_findings::Applicability;
use visa_findings::answers::{Assist, AssistKind};
use visa_findings::report::FileEdit;
use visa_transfer::Side;

/// The changes that are possible at a selection.
pub(in super::super) fn assists_at(
    analysis: &Analysis,
    path: &Arc<str>,
    offset: u32,
) -> Vec<Assist> {
    let found = operation_at(analysis, offset).and_then(|id| analysis.copy(id));
    let Some((function, _, derived)) = found else {
        return Vec::new();
    };
    // Without registers the two forms are not the same.
    if function.is_before || derived.copy.fills() != Some(false) {
        return Vec::new();
    }
    let constants = Constants::default();
    let change = if derived.copy.grouped {
        with_registers(analysis, &constants, derived)
    } else {
        in_groups(analysis, &constants, derived)
    };
    let Some((change, title)) = change else {
        return Vec::new();
    };
    let edits = change.into_fix(Applicability::Machine, title).edits;
    let edits = edits.into_iter().map(|edit| FileEdit {
        file: Arc::clone(path),
        start_byte: edit.span.start,
        end_byte: edit.span.end,
        text: edit.text,
    });
    vec![Assist {
        title: title.to_owned(),
        kind: AssistKind::Rewrite,
        edits: edits.collect(),
    }]
}

fn given_text(analysis: &Analysis, given: Option<&Given>) -> Option<String> {
    given.map(|given| analysis.file.text_at(given.place()).to_owned())
}

/// From an operation's name to its end.
fn operation_body(analysis: &Analysis, id: OperationId) -> Place {
    let operation = analysis.file.operation(id);
    operation.name.span_to(operation.place)
}

/// The types of both pointers.
fn pointers(analysis: &Analysis, derived: &Derived) -> Option<String> {
    let [source, target, ..] = &derived.copy.types[..] else {
        return None;
    };
    Some(format!(
        "{}, {}",
        analysis.file.text_at(*source),
        analysis.file.text_at(*target)
    ))
}

fn in_groups<'a>(
    analysis: &'a Analysis,
    constants: &'a Constants,
    derived: &Derived,
) -> Option<(Change<'a>, &'static str)> {
    let copy = &derived.copy;
    derived.transfer.as_ref()?;
    let field = |field: Field| given_text(analysis, copy.given_field(field));
    let mut change = Change::before_operation(analysis, constants, copy.operation);
    let mut loops = String::new();
    let mut types = 0;
    for one in derived
        .loops
        .iter()
        .skip(1)
        .filter(|one| one.count != Some(1))
    {
        let count = change.constant(one.count?, "i64");
        let source = change.constant(one.step_of_side(Side::Source)?, "i64");
        let target = change.constant(one.step_of_side(Side::Target)?, "i64");
        loops.push_str(&format!(" loop({count}, {source}, {target})"));
        types += 3;
    }
    let (name, control) = match copy.kind {
        CopyKind::GmToUb => ("pto.mte_gm_ub", Some(field(Field::CacheControl)?)),
        CopyKind::UbToGm => ("pto.mte_ub_gm", None),
        CopyKind::UbToUb | CopyKind::GmToL1 => return None,
    };
    let first = control
        .as_ref()
        .map_or(String::new(), |control| format!("{control}, "));
    types += 4 + usize::from(control.is_some());
    let written = format!(
        "{name} {}, {}, {first}{} nburst({}, {}, {}){loops} : {}{}",
        field(Field::Source)?,
        field(Field::Target)?,
        field(Field::Length)?,
        field(Field::Rows)?,
        field(Field::Stride(Side::Source))?,
        field(Field::Stride(Side::Target))?,
        pointers(analysis, derived)?,
        ", i64".repeat(types),
    );
    change.replace_place(operation_body(analysis, copy.operation), written);
    Some((change, "Write the copy in groups"))
}

fn with_registers<'a>(
    analysis: &'a Analysis,
    constants: &'a Constants,
    derived: &Derived,
) -> Option<(Change<'a>, &'static str)> {
    let copy = &derived.copy;
    if copy.loops.len() > 2 {
        return None;
    }
    let field = |field: Field| given_text(analysis, copy.given_field(field));
    let direction = copy.kind.direction()?;
    let mut change = Change::before_operation(analysis, constants, copy.operation);
    let ending = direction.ending();
    let mut counts = Vec::new();
    for (index, one) in copy.loops.iter().enumerate() {
        let [count, source, target] =
            [one.count, one.source, one.target].map(|given| analysis.file.text_at(given.place()));
        counts.push(count.to_owned());
        change.line(format!(
            "pto.set_loop{}_stride_{ending} {source}, {target} : i64, i64",
            index + 1
        ));
    }
    while counts.len() < 2 {
        let one = change.constant(1, "i64");
        counts.push(one);
    }
    change.line(format!(
        "pto.set_loop_size_{ending} {} : i64, i64",
        counts.join(", ")
    ));
    let zero = change.constant(0, "i64");
    let (rows, length) = (field(Field::Rows)?, field(Field::Length)?);
    let (source, target) = (
        field(Field::Stride(Side::Source))?,
        field(Field::Stride(Side::Target))?,
    );
    let between = match copy.kind {
        CopyKind::GmToUb => {
            let no = change.constant(0, "i1");
            let control = field(Field::CacheControl)?;
            format!("{zero}, {rows}, {length}, {zero}, {zero}, {no}, {control}, {source}, {target}")
        }
        _ => format!("{zero}, {rows}, {length}, {zero}, {target}, {source}"),
    };
    let (name, types) = match copy.kind {
        CopyKind::GmToUb => (
            "pto.copy_gm_to_ubuf",
            "i64, i64, i64, i64, i64, i1, i64, i64, i64",
        ),
        CopyKind::UbToGm => ("pto.copy_ubuf_to_gm", "i64, i64, i64, i64, i64, i64"),
        CopyKind::UbToUb | CopyKind::GmToL1 => return None,
    };
    let written = format!(
        "{name} {}, {}, {between} : {}, {types}",
        field(Field::Source)?,
        field(Field::Target)?,
        pointers(analysis, derived)?,
    );
    change.replace_place(operation_body(analysis, copy.operation), written);
    Some((change, "Write the copy with registers"))
}
