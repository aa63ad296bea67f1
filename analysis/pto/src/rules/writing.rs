//! What fixes write: operands with other numbers, operations before others.
//!
//! A number is an operand, so that another number needs a constant: one that is there and seen, or a new one before the operation.

use std::cell::OnceCell;

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::analysis::Analysis;
use super::super::syntax::{Cursor, Kind, OperationId, Place};
use super::super::transfers::Given;
use super::super::values::{DefinitionId, Known};
use visa_findings::{Alternative, Applicability, Edit, Fix, TextSpan};

/// A place as findings have it.
pub(super) const fn text_span(place: Place) -> TextSpan {
    TextSpan::new(place.start, place.end)
}

/// The constants of a file by their number, and all names that it uses. Each is looked up when a fix asks for it first: most
/// functions have no fault.
#[derive(Debug, Default)]
pub(in super::super) struct Constants {
    by_number: OnceCell<FxHashMap<i64, Vec<DefinitionId>>>,
    names: OnceCell<FxHashSet<String>>,
}

impl Constants {
    /// The definitions of constants of a number, in the order of the text.
    fn of_number(&self, analysis: &Analysis, number: i64) -> &[DefinitionId] {
        let constants = self.by_number.get_or_init(|| {
            let mut constants: FxHashMap<i64, Vec<DefinitionId>> = FxHashMap::default();
            for (index, definition) in analysis.names.definitions.iter().enumerate() {
                let is_constant = definition
                    .operation
                    .is_some_and(|id| analysis.file.name(id) == "arith.constant");
                let known = analysis.program.values.get(definition.value);
                if let (true, Some(number)) = (is_constant, known.and_then(Known::number)) {
                    let id = DefinitionId(u32::try_from(index).unwrap_or(u32::MAX));
                    constants.entry(number).or_default().push(id);
                }
            }
            constants
        });
        constants.get(&number).map_or(&[], Vec::as_slice)
    }

    /// Whether the file uses a name.
    fn is_taken(&self, analysis: &Analysis, name: &str) -> bool {
        let names = self.names.get_or_init(|| {
            let file = &analysis.file;
            let values = file.tokens.iter().filter(|token| token.kind == Kind::Value);
            values
                .map(|token| file.text_at(token.place).to_owned())
                .collect()
        });
        names.contains(name)
    }
}

/// Constants of one number among which one is looked for.
const MOST_COMPARED: usize = 256;

/// A change of a file around one operation.
pub(in super::super) struct Change<'a> {
    analysis: &'a Analysis,
    constants: &'a Constants,
    at: OperationId,
    lines: Vec<String>,
    named: Vec<String>,
    edits: Vec<Edit<TextSpan>>,
}

impl<'a> Change<'a> {
    /// A change that puts new operations before one.
    pub(in super::super) const fn before_operation(
        analysis: &'a Analysis,
        constants: &'a Constants,
        at: OperationId,
    ) -> Self {
        Self {
            analysis,
            constants,
            at,
            lines: Vec::new(),
            named: Vec::new(),
            edits: Vec::new(),
        }
    }

    /// The name of a constant: one that is seen here, or a new one.
    pub(in super::super) fn constant(&mut self, number: i64, of_type: &str) -> String {
        let file = &self.analysis.file;
        let at = file.operation(self.at);
        let candidates = self.constants.of_number(self.analysis, number);
        // The nearest ones before it: those of other functions are not seen.
        let before = candidates.partition_point(|id| {
            let definition = self.analysis.names.definitions.get(id.0 as usize);
            definition.is_some_and(|definition| definition.place < at.place)
        });
        let nearest = candidates.get(..before).unwrap_or_default().iter().rev();
        let seen = nearest.take(MOST_COMPARED).find_map(|id| {
            let definition = self.analysis.names.definitions.get(id.0 as usize)?;
            if !file.is_within(at.region, definition.region) {
                return None;
            }
            let typed = type_of_constant(self.analysis, definition.operation?);
            (typed == of_type).then(|| file.text_at(definition.place).to_owned())
        });
        seen.unwrap_or_else(|| {
            let text = match (of_type, number) {
                ("i1", 0) => "false".to_owned(),
                ("i1", _) => "true".to_owned(),
                _ => number.to_string(),
            };
            let name = if of_type == "i1" {
                text.clone()
            } else {
                format!("c{text}")
            };
            let line = if of_type == "i1" {
                text
            } else {
                format!("{text} : {of_type}")
            };
            self.defined(&name, &format!("arith.constant {line}"))
        })
    }

    /// A new value with a name like the given one.
    pub(in super::super) fn defined(&mut self, name: &str, operation: &str) -> String {
        let name = name.replace('-', "m");
        let is_taken = |name: &str| self.constants.is_taken(self.analysis, name);
        let free = std::iter::once(format!("%{name}"))
            .chain((1..1000).map(|number| format!("%{name}_{number}")))
            .find(|name| !is_taken(name) && !self.named.contains(name));
        let free = free.unwrap_or_else(|| format!("%{name}_new"));
        self.named.push(free.clone());
        self.line(format!("{free} = {operation}"));
        free
    }

    /// A new operation before the one.
    pub(in super::super) fn line(&mut self, line: String) {
        self.lines.push(line);
    }

    /// Another text in a place.
    pub(in super::super) fn replace_place(&mut self, place: Place, with: impl Into<String>) {
        self.edits.push(Edit::new(text_span(place), with.into()));
    }

    /// Another number as an operand; its name.
    pub(in super::super) fn number(&mut self, given: &Given, number: i64) -> String {
        let of_type = type_of(self.analysis, given).unwrap_or_else(|| "i64".to_owned());
        let name = self.constant(number, &of_type);
        self.replace_place(given.place(), name.clone());
        name
    }

    fn into_edits(mut self) -> Vec<Edit<TextSpan>> {
        if !self.lines.is_empty() {
            let file = &self.analysis.file;
            let start = file.operation(self.at).place.start;
            let before = file.text.get(..start as usize).unwrap_or_default();
            let line = before.rsplit('\n').next().unwrap_or_default();
            // As the line before ends; looking through the whole text for each fix would take too long.
            let above = before.get(..before.len() - line.len()).unwrap_or_default();
            let line_break = if above.ends_with("\r\n") {
                "\r\n"
            } else {
                "\n"
            };
            let is_blank = line.chars().all(char::is_whitespace);
            let indent = if is_blank { line } else { "" };
            let text: String = self
                .lines
                .iter()
                .map(|line| format!("{line}{line_break}{indent}"))
                .collect();
            let place = Place { start, end: start };
            // An operation that begins where its own name is replaced gets one edit for both.
            let clash = self.edits.iter_mut().find(|edit| edit.span.start == start);
            match clash {
                Some(edit) => edit.text.insert_str(0, &text),
                None => self.edits.insert(0, Edit::new(text_span(place), text)),
            }
        }
        self.edits
    }

    /// The change as a code action.
    pub(in super::super) fn into_fix(
        self,
        applicability: Applicability,
        title: impl Into<String>,
    ) -> Fix<TextSpan> {
        Fix {
            title: title.into(),
            applicability,
            edits: self.into_edits(),
            cost: None,
        }
    }

    /// The change as an alternative in these words.
    pub(in super::super) fn alternative(self, text: impl Into<String>) -> Alternative<TextSpan> {
        Alternative {
            text: text.into(),
            edits: self.into_edits(),
        }
    }
}

/// The type of an `arith.constant`, as it is written.
fn type_of_constant(analysis: &Analysis, id: OperationId) -> String {
    let file = &analysis.file;
    let mut cursor = Cursor::new(file, id);
    if !cursor.pass_colon() {
        return "i1".to_owned();
    }
    match cursor.types().last() {
        Some(&place) => file.text_at(place).to_owned(),
        None => String::new(),
    }
}

/// The type of an operand's value: as its definition writes it.
fn type_of(analysis: &Analysis, given: &Given) -> Option<String> {
    let value = analysis.names.value(given.operand.token)?;
    let (_, definition) = analysis.names.definition(value)?;
    if let Some(place) = definition.written_type {
        return Some(analysis.file.text_at(place).to_owned());
    }
    let id = definition.operation?;
    if analysis.file.name(id) == "arith.constant" {
        return Some(type_of_constant(analysis, id));
    }
    let mut cursor = Cursor::new(&analysis.file, id);
    if !cursor.pass_colon() {
        return None;
    }
    let mut types = cursor.types();
    if cursor.peek().kind == Kind::Arrow || cursor.text() == "to" {
        cursor.next();
        types = cursor.types();
    }
    types
        .last()
        .map(|&place| analysis.file.text_at(place).to_owned())
}
