//! Rules about the text: what does not parse, operands that are not as many as they should be, names that nothing defines.

use super::super::syntax::Place;
use super::writing::{Change, span};
use super::{Check, Found};
use crate::findings::{Applicability, Rule, rule};
use crate::names::nearest_names;

pub(super) static PTO_SYNTAX: Rule = rule!(
    Pto: "pto_syntax",
    Mapping,
    "derived",
    "text that is no MLIR: a bracket that is not closed, a character that it has no use for",
    "An operation is a name with a dot, operands and types; it ends where the next one begins. Where one does not parse, nothing \
     of it is known, and the assembler stops there. The rest of the file is still checked."
);

pub(super) static PTO_OPERANDS: Rule = rule!(
    Pto: "pto_operands",
    Mapping,
    "DMA Transfer Execution",
    "a copy or a register with too few or too many operands, types or numbers in a group",
    "Operands have their meaning by their position. With one too few, each one behind it means something else, and the assembler \
     refuses the operation. A group `nburst` or `loop` has three operands, `pad` one or three."
);

pub(super) static PTO_UNKNOWN_VALUE: Rule = rule!(
    Pto: "pto_unknown_value",
    Mapping,
    "derived",
    "a value that is used and not defined before",
    "A value is seen behind its definition, in the same region and in those inside of it. What is defined in another function, or \
     in a loop that has ended, is not. The assembler stops at the first such name.",
    fix
);

pub(super) fn check(check: &mut Check<'_>) {
    let analysis = check.analysis;
    for problem in &analysis.file.problems {
        let finding = Found::new(&PTO_SYNTAX, span(problem.place), problem.message.clone());
        let finding = match problem.related {
            Some((place, words)) => finding.related(span(place), words),
            None => finding,
        };
        check.report(finding);
    }
    for fault in &analysis.program.faults {
        check.report(Found::new(
            &PTO_OPERANDS,
            span(fault.place),
            fault.message.clone(),
        ));
    }
    unknown_values(check);
}

fn unknown_values(check: &mut Check<'_>) {
    let (analysis, file) = (check.analysis, &check.analysis.file);
    for unknown in &analysis.names.unknown {
        let operation = file.operation(unknown.operation);
        if operation.broken {
            continue;
        }
        let place = file.token(unknown.token).place;
        let name = file.at(place);
        let message = format!("`{name}` is not defined before it is used here");
        let mut finding = Found::new(&PTO_UNKNOWN_VALUE, span(place), message);
        let seen =
            analysis.names.definitions.iter().filter(|known| {
                known.place < place && file.is_within(operation.region, known.region)
            });
        let seen: Vec<(&str, Place)> = seen
            .map(|known| (file.at(known.place), known.place))
            .collect();
        let nearest = nearest_names(name, seen.iter().map(|(name, _)| *name));
        let nearest = nearest
            .first()
            .and_then(|nearest| seen.iter().rfind(|(name, _)| name == nearest));
        if let Some(&(nearest, defined)) = nearest {
            finding = finding.related(span(defined), format!("`{nearest}` is defined here"));
            let mut change = Change::before(analysis, &check.constants, unknown.operation);
            change.replace(place, nearest);
            let fix = change.fix(Applicability::Maybe, format!("Write `{nearest}`"));
            finding = finding.stating(Some(fix));
        }
        check.report(finding);
    }
}
