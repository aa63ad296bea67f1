//! What is shown beside the pointer.

use std::fmt::Write as _;

use super::super::analysis::Facts;
use super::super::program::{Action, Function, What};
use super::super::syntax::{Kind, OperationId};
use super::super::transfers::{Direction, Field, is_copy};
use super::super::values::Memory;
use super::{Seen, byte_range, operation_at, tables, token_at};
use visa_base::markdown::{code_span, prose};
use visa_findings::answers::Hover;
use visa_transfer::Side;

/// What is shown at an offset.
pub(in super::super) fn hover_at(analysis: &Seen<'_>, offset: u32) -> Option<Hover> {
    let (index, token) = token_at(analysis, offset)?;
    let id = operation_at(analysis, offset)?;
    let file = &analysis.file;
    let name = file.operation(id).name;
    if name.touches_offset(offset) {
        let markdown = of_operation(analysis, id)?;
        return Some(Hover {
            range: byte_range(name),
            markdown,
        });
    }
    if token.kind != Kind::Value {
        return None;
    }
    let mut markdown = operand_text(analysis, id, index).unwrap_or_default();
    if let Some(value) = of_value(analysis, index) {
        if !markdown.is_empty() {
            markdown.push('\n');
        }
        markdown.push_str(&value);
    }
    (!markdown.is_empty()).then(|| Hover {
        range: byte_range(token.place),
        markdown,
    })
}

fn of_operation(analysis: &Seen<'_>, id: OperationId) -> Option<String> {
    if is_copy(analysis.file.name(id)) {
        let (function, facts, derived) = analysis.copy(id)?;
        return Some(tables::copy_text(analysis, function, facts, derived));
    }
    for (function, facts) in analysis.functions() {
        let mut found = None;
        function.visit_actions(&mut |action| {
            if action.operation == id {
                found = Some(action.clone());
            }
        });
        if let Some(action) = found {
            return of_action(analysis, function, facts, &action);
        }
    }
    None
}

fn of_action(
    analysis: &Seen<'_>,
    function: &Function,
    facts: &Facts,
    action: &Action,
) -> Option<String> {
    let line = |id: OperationId| analysis.line(analysis.file.operation(id).place.start);
    match &action.what {
        What::Set(flag) | What::Wait(flag) => {
            let sets = matches!(action.what, What::Set(_));
            let mut lines = Vec::new();
            function.visit_actions(&mut |other| match (&other.what, sets) {
                (What::Wait(wait), true) if wait.is_same_flag(flag) => {
                    lines.push(line(other.operation));
                }
                (What::Set(set), false) if set.is_same_flag(flag) => {
                    lines.push(line(other.operation));
                }
                _ => {}
            });
            let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
            let (does, answer) = if sets {
                ("sets", "awaited")
            } else {
                ("waits for", "set")
            };
            let said = if lines.is_empty() {
                format!("not {answer} in this function")
            } else {
                format!("{answer} in line {}", lines.join(", "))
            };
            let pipe = if sets { &flag.from.name } else { &flag.to.name };
            Some(format!(
                "{} {does} {}: {said}\n",
                prose(pipe),
                code_span(&flag.flag_text())
            ))
        }
        What::Size(direction, _) | What::Stride(direction, ..) => Some(register_readers(
            analysis,
            facts,
            action.operation,
            *direction,
        )),
        What::PadValue(_) => {
            let readers = facts
                .derived
                .iter()
                .filter(|derived| {
                    derived
                        .registers
                        .padding
                        .setters
                        .contains(&action.operation)
                })
                .filter(|derived| derived.copy.fills() == Some(true));
            let lines: Vec<String> = readers
                .map(|derived| line(derived.operation()).to_string())
                .collect();
            let said = if lines.is_empty() {
                "no copy reads it".to_owned()
            } else {
                format!("read by the copy in line {}", lines.join(", "))
            };
            Some(format!("Padding value: {said}\n"))
        }
        _ => None,
    }
}

fn register_readers(
    analysis: &Seen<'_>,
    facts: &Facts,
    id: OperationId,
    direction: Direction,
) -> String {
    let file = &analysis.file;
    let mut text = format!(
        "Registers of copies from {}\n",
        match direction {
            Direction::ToUb => "GM to UB",
            Direction::ToGm => "UB to GM",
        }
    );
    let mut some = false;
    for derived in facts.derived.iter().filter(|derived| !derived.copy.grouped) {
        let registers = &derived.registers;
        let mut all = std::iter::once(&registers.size).chain(&registers.strides);
        if all.any(|register| register.setters.contains(&id)) {
            some = true;
            let place = file.operation(derived.operation()).name;
            let _ = writeln!(
                text,
                "\n- read by {} in line {}",
                code_span(file.text_at(place)),
                analysis.line(place.start)
            );
        }
    }
    if !some {
        text.push_str("\nNo copy reads them.\n");
    }
    text
}

/// The field that an operand of a copy or a register is.
fn operand_text(analysis: &Seen<'_>, id: OperationId, token: u32) -> Option<String> {
    if let Some((_, _, derived)) = analysis.copy(id) {
        let copy = &derived.copy;
        let found = copy
            .fields
            .iter()
            .find(|(_, given)| given.operand.token == token);
        if let Some((field, given)) = found {
            let value = match field {
                Field::Source | Field::Target | Field::Select => None,
                _ => given.number(),
            };
            return Some(tables::field_text(copy.kind, *field, value));
        }
        for (index, group) in copy.loops.iter().enumerate() {
            let level = u8::try_from(index + 1).ok()?;
            let fields = [
                (Field::LoopCount(level), group.count),
                (Field::LoopStride(level, Side::Source), group.source),
                (Field::LoopStride(level, Side::Target), group.target),
            ];
            let found = fields
                .iter()
                .find(|(_, given)| given.operand.token == token);
            if let Some((field, given)) = found {
                return Some(tables::field_text(copy.kind, *field, given.number()));
            }
        }
        return None;
    }
    let mut found = None;
    for (function, _) in analysis.functions() {
        function.visit_actions(&mut |action| {
            if action.operation != id {
                return;
            }
            let fields = match &action.what {
                What::Size(direction, given) => Some((
                    direction,
                    [
                        (Field::LoopCount(1), given[0]),
                        (Field::LoopCount(2), given[1]),
                    ],
                )),
                What::Stride(direction, level, given) => {
                    let level = if *level == 0 { 1 } else { 2 };
                    Some((
                        direction,
                        [
                            (Field::LoopStride(level, Side::Source), given[0]),
                            (Field::LoopStride(level, Side::Target), given[1]),
                        ],
                    ))
                }
                _ => None,
            };
            if let Some((direction, fields)) = fields {
                let field = fields
                    .iter()
                    .find(|(_, given)| given.operand.token == token);
                found = field.map(|(field, given)| {
                    tables::field_text(direction.kind(), *field, given.number())
                });
            }
        });
    }
    found
}

/// The number that a name is; of a pointer to UB, what is there.
fn of_value(analysis: &Seen<'_>, token: u32) -> Option<String> {
    let file = &analysis.file;
    let place = file.token(token).place;
    let value = analysis.names.value(token).or_else(|| {
        let mut definitions = analysis.names.definitions.iter();
        definitions
            .find(|known| known.place == place)
            .map(|known| known.value)
    })?;
    let known = analysis.program.values.get(value)?;
    let name = code_span(file.text_at(place));
    let in_ub = known
        .pointer
        .is_some_and(|pointer| pointer.memory == Some(Memory::Ub));
    match known.number() {
        Some(number) if in_ub => {
            let mut text = format!(
                "{name}: {} of UB\n",
                tables::signed_thousands(i128::from(number))
            );
            let function = analysis.functions().find(|(function, _)| {
                let region = file.region(function.region);
                region.tokens.contains(&token)
            });
            if let Some((function, facts)) = function {
                text.push_str(&tables::map(analysis, function, facts));
            }
            Some(text)
        }
        Some(number) => Some(format!(
            "{name} = {}\n",
            tables::signed_thousands(i128::from(number))
        )),
        None => None,
    }
}
