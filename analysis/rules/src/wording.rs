//! What families share to put violations into words: walking the stages, and proposing a computed mapping.

use crate::alternatives::SuggestMappings as _;
use crate::derivation::views::MisalignedWindow;
use crate::derivation::{OperationDerivation, PassDerivation, StageDerivation};
use crate::items::Span;
use crate::kernel::{Operation, OperationKind, Pass, Stage, Written};
use crate::mapping::Mapping;
pub(super) use crate::numbers::thousands;

use super::{Alternative, Applicability, Checked, Edit, Finding, Fix, Rule, sequencer};

/// The operations that are judged, each with what was derived of it.
pub(super) fn judged_operations<'a>(
    checked: &Checked<'a>,
) -> impl Iterator<Item = (&'a Operation, &'a OperationDerivation)> {
    let (operations, derived) = (&checked.body.operations, &checked.derivation().operations);
    let all = checked.only.is_none().then_some(0..operations.len());
    let some = checked.only.into_iter().flatten().copied();
    all.into_iter()
        .flatten()
        .chain(some)
        .filter_map(|number| operations.get(number).zip(derived.get(number)))
}

/// The passes that are judged, each with what was derived of it.
pub(super) fn judged_passes<'a>(
    checked: &Checked<'a>,
) -> impl Iterator<Item = (&'a Pass, &'a PassDerivation)> {
    judged_operations(checked).filter_map(|(operation, derived)| match (&operation.kind, derived) {
        (OperationKind::Pass(pass), OperationDerivation::Pass(derived)) => {
            Some((&**pass, &**derived))
        }
        _ => None,
    })
}

/// A stage of a pass with what was derived of it.
pub(super) struct StageOf<'a> {
    /// The pass.
    pub pass: &'a Pass,
    /// The stage's number in the pass.
    pub index: usize,
    /// The stage.
    pub stage: &'a Stage,
    /// What was derived.
    pub derived: &'a StageDerivation,
}

/// The stages of all passes.
pub(super) fn judged_stages<'a>(checked: &Checked<'a>) -> impl Iterator<Item = StageOf<'a>> {
    judged_passes(checked).flat_map(|(pass, derived)| {
        pass.stages
            .iter()
            .zip(&derived.stages)
            .enumerate()
            .map(move |(index, (stage, derived))| StageOf {
                pass,
                index,
                stage,
                derived,
            })
    })
}

/// What is said of the use of an alias.
pub(super) const USED_HERE: &str = "used here";

/// Adds the use of the alias that the finding is at, if it is at one.
pub(super) fn link_use<'a>(
    finding: Finding,
    mappings: impl IntoIterator<Item = &'a Written<Mapping>>,
) -> Finding {
    let mut mappings = mappings.into_iter();
    let used = mappings
        .find(|written| written.span == finding.span)
        .and_then(|written| written.used_at);
    match used {
        Some(used) => finding.related(used, USED_HERE),
        None => finding,
    }
}

/// The mappings that a stage declares.
pub(super) fn declared_mappings(stage: &Stage) -> [&Written<Mapping>; 3] {
    let output = &stage.output;
    [&output.slice, &output.time, &output.packet]
}

/// A mapping as an author writes it.
pub(super) fn mapping_macro_text(mapping: &Mapping) -> String {
    format!("m![{mapping}]")
}

/// A selection of an axis: values of the axis a step, and steps.
pub(super) fn selection_text((stride, count): (u64, u64)) -> String {
    match stride {
        1 => format!("{count} values"),
        _ => format!("{count} steps of {stride} values"),
    }
}

/// Names in a sentence: `A`, `A and B`, `A, B and C`.
pub(super) fn quoted_names(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.as_slice() {
        [] => "nothing".to_owned(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Adds a fix that replaces the mappings at the given places. Nothing is proposed where a mapping is not written
/// anywhere (its place is the method's name); a mapping of another item is never replaced without looking.
pub(super) fn propose_mappings(
    mut finding: Finding,
    applicability: Applicability,
    method: Span,
    replacements: &[(Span, &Mapping)],
) -> Finding {
    if replacements.is_empty() || replacements.iter().any(|(place, _)| *place == method) {
        return finding;
    }
    let elsewhere = replacements
        .iter()
        .any(|(place, _)| place.item != method.item);
    let text: Vec<String> = replacements
        .iter()
        .map(|(_, mapping)| mapping_macro_text(mapping))
        .collect();
    finding.fixes.push(Fix {
        title: format!("Write `{}`", text.join(", ")),
        applicability: if elsewhere {
            Applicability::Maybe
        } else {
            applicability
        },
        edits: replacements
            .iter()
            .map(|(span, mapping)| Edit::new(*span, *mapping))
            .collect(),
        cost: None,
    });
    finding
}

/// Says what an element in the order of its stream is, and proposes it.
pub(super) fn stream_order(
    finding: Finding,
    element: &Mapping,
    place: Span,
    method: Span,
) -> Finding {
    let replaced = [(place, element)];
    let words = ("in the stream's order it is ", "{}");
    finding.suggest(words, Applicability::Maybe, method, &replaced)
}

/// As [`propose_mappings`], for mappings of which one may be an alias: an alias may be right elsewhere, so its use is replaced.
pub(super) fn propose_instead(
    finding: Finding,
    applicability: Applicability,
    method: Span,
    replacements: &[(&Written<Mapping>, &Mapping)],
) -> Finding {
    propose_mappings(finding, applicability, method, &at_uses(replacements))
}

/// Replacements of mappings, those that come by an alias at the use of it.
pub(super) fn at_uses<'a>(
    replacements: &[(&Written<Mapping>, &'a Mapping)],
) -> Vec<(Span, &'a Mapping)> {
    replacements
        .iter()
        .map(|(declared, mapping)| (declared.used_at.unwrap_or(declared.span), *mapping))
        .collect()
}

/// Those of the replacements that write something else than what is there.
pub(super) fn differing<'a>(
    replacements: impl IntoIterator<Item = (&'a Written<Mapping>, &'a Mapping)>,
) -> Vec<(&'a Written<Mapping>, &'a Mapping)> {
    let differs = |(declared, wanted): &(&Written<Mapping>, &Mapping)| {
        declared
            .get()
            .is_none_or(|declared| declared.form() != wanted.form())
    };
    replacements.into_iter().filter(differs).collect()
}

/// A tile that begins within a unit of DM: `machine` says what of the hardware asks for whole units.
pub(super) fn misaligned_window(
    rule: &'static Rule,
    window: &MisalignedWindow,
    machine: &str,
) -> Finding {
    let finding = Finding::new(
        rule,
        window.span,
        format!(
            "the tile begins {} into its tensor; {machine}",
            sequencer::bits_as_bytes(window.offset_bits)
        ),
    );
    let near = window.near.iter();
    if window.near.is_empty() {
        let help = format!(
            "let the tile begin at multiples of {} values",
            window.values
        );
        return finding.help(help);
    }
    let stated = near
        .clone()
        .map(|start| Alternative::text(window.span, *start));
    let finding = finding.alternatives("begin the tile at ", stated);
    near.fold(finding, |finding, start| {
        let title = format!("Begin the tile at {start}");
        finding.fix(Applicability::Maybe, title, window.span, *start)
    })
}
