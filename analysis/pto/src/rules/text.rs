//! Rules about the text: what does not parse, operands that are not as many as they should be, names that nothing defines.

use super::super::syntax::Place;
use super::writing::{Change, text_span};
use super::{Check, Found};
use visa_base::names::nearest_names;
use visa_findings::{Applicability, Rule, rule};

pub(super) static PTO_SYNTAX: Rule = rule!(
    Pto: "pto_syntax",
    Mapping,
    "derived",
    "text that is not MLIR: a bracket that is not closed, a character that MLIR does not use",
    "An operation is a name with a dot, operands and types; it ends where the next one begins. If one does not parse, \
     its content is unknown, and the assembler stops there. The rest of the file is still checked."
);

pub(super) static PTO_OPERANDS: Rule = rule!(
    Pto: "pto_operands",
    Mapping,
    "DMA Transfer Execution",
    "a copy or a register operation with too few or too many operands, types or numbers in a group",
    "An operand's position says what it means. With one missing, each operand after it means something else, and \
     the assembler refuses the operation. A group `nburst` or `loop` has three operands, `pad` one or three."
);

pub(super) static PTO_UNKNOWN_VALUE: Rule = rule!(
    Pto: "pto_unknown_value",
    Mapping,
    "derived",
    "a value that is used and not defined before",
    "A value can be used after its definition, in the same region and in regions inside it. What is defined in another function, or \
     in a loop that has ended, is not. The assembler stops at the first such name.",
    fix
);

pub(super) fn check_text(check: &mut Check<'_>) {
    let analysis = check.analysis;
    for problem in &analysis.file.problems {
        let finding = Found::new(
            &PTO_SYNTAX,
            text_span(problem.place),
            problem.message.clone(),
        );
        let finding = match problem.related {
            Some((place, words)) => finding.related(text_span(place), words),
            None => finding,
        };
        check.report(finding);
    }
    for fault in &analysis.program.faults {
        check.report(Found::new(
            &PTO_OPERANDS,
            text_span(fault.place),
            fault.message.clone(),
        ));
    }
    unknown_values(check);
}

/// Unknown names that are compared with all others.
const MOST_COMPARED: usize = 100;

fn unknown_values(check: &mut Check<'_>) {
    let (analysis, file) = (check.analysis, &check.analysis.file);
    let surroundings = Surroundings::of(check);
    for (number, unknown) in analysis.names.unknown.iter().enumerate() {
        let operation = file.operation(unknown.operation);
        let place = file.token(unknown.token).place;
        if operation.broken || surroundings.are_broken(place) {
            continue;
        }
        let name = file.text_at(place);
        let message = format!("`{name}` is not defined before it is used here");
        let mut finding = Found::new(&PTO_UNKNOWN_VALUE, text_span(place), message);
        if number >= MOST_COMPARED {
            check.report(finding);
            continue;
        }
        let seen =
            analysis.names.definitions.iter().filter(|known| {
                known.place < place && file.is_within(operation.region, known.region)
            });
        let seen: Vec<(&str, Place)> = seen
            .map(|known| (file.text_at(known.place), known.place))
            .collect();
        let nearest = nearest_names(name, seen.iter().map(|(name, _)| *name));
        let nearest = nearest
            .first()
            .and_then(|nearest| seen.iter().rfind(|(name, _)| name == nearest));
        if let Some(&(nearest, defined)) = nearest {
            finding = finding.related(text_span(defined), format!("`{nearest}` is defined here"));
            let mut change =
                Change::before_operation(analysis, &check.constants, unknown.operation);
            change.replace_place(place, nearest);
            let fix = change.into_fix(Applicability::Maybe, format!("Write `{nearest}`"));
            finding = finding.stating(Some(fix));
        }
        check.report(finding);
    }
}

/// The functions of a file, each with whether something in it does not parse: what that would define is not known.
struct Surroundings {
    functions: Vec<(Place, bool)>,
    any: bool,
}

impl Surroundings {
    fn of(check: &Check<'_>) -> Self {
        let analysis = check.analysis;
        let mut problems: Vec<u32> = analysis
            .file
            .problems
            .iter()
            .map(|problem| problem.place.start)
            .collect();
        problems.sort_unstable();
        let functions = analysis.program.functions.iter().filter_map(|function| {
            let place = analysis.file.operation(function.operation?).place;
            let first = problems.partition_point(|&start| start < place.start);
            let is_broken = problems.get(first).is_some_and(|&start| start <= place.end);
            Some((place, is_broken))
        });
        Self {
            functions: functions.collect(),
            any: !problems.is_empty(),
        }
    }

    /// Whether something in the function around a place does not parse; outside of all functions, something in the file.
    fn are_broken(&self, place: Place) -> bool {
        let behind = self
            .functions
            .partition_point(|(function, _)| function.start <= place.start);
        let around = behind
            .checked_sub(1)
            .and_then(|index| self.functions.get(index));
        match around {
            Some((function, is_broken)) if place.end <= function.end => *is_broken,
            _ => self.any,
        }
    }
}
