//! Ways to four lanes and back that nothing on the way needs.

use crate::db::Db;
use crate::hardware::{OperationGroup, same_function};
use crate::items::Span;
use crate::kernel::dialect::Dialect;
use crate::kernel::{
    AluOperation, Body, CanonicalStage, Pass, Position, Stage, StageKind, VectorStage, Way, Written,
};
use crate::mapping::Mapping;
use crate::simulation::what_if;

use super::super::chains::{next_name, passes_of};
use super::super::{Applicability, Checked, Edit, Finding, Fix, Rule, rule};
use super::{Costed, weighty_passes, with_saving, worth};

pub(crate) static NARROW_ROUND_TRIP: Rule = rule!(
    "narrow_round_trip",
    Performance,
    Vector,
    "Vector Engine: Performance",
    "a stream is split into four lanes and joined again without need, or for one operation that eight lanes have",
    "The float and reduction stages work on four lanes. A split makes two packets of every flit, and the Vector \
     Engine takes twice the cycles until they are joined again. The split wastes half of the engine's throughput if \
     nothing is between, or only an operation that a stage of eight lanes has too. The Clip stage adds floats. \
     Reported where the whole pass gets a tenth faster and the kernel 2 % and 100 cycles (without a total, the pass \
     500 cycles).",
    fix,
);

/// The family's rules.
pub(in super::super) const RULES: &[&Rule] = &[&NARROW_ROUND_TRIP];

pub(in super::super) fn check_vector_performance(
    checked: &Checked<'_>,
    findings: &mut Vec<Finding>,
) {
    for costed in weighty_passes(checked) {
        for (index, stage, _) in costed.stages() {
            if matches!(stage.kind, StageKind::VectorSplit | StageKind::VectorTrim) {
                findings.extend(round_trip(&costed, index, stage));
            }
        }
    }
}

const fn is_joining(stage: &Stage) -> bool {
    matches!(stage.kind, StageKind::VectorConcat | StageKind::VectorPad)
}

fn round_trip(costed: &Costed<'_>, index: usize, narrow: &Stage) -> Option<Finding> {
    let rest = costed.pass.stages.get(index + 1..)?;
    let end = index + 1 + rest.iter().position(is_joining)?;
    let between = costed.pass.stages.get(index + 1..end)?;
    let (moved, message) = match between {
        [] => (
            None,
            "the stream is split into four lanes and joined again with nothing between".to_owned(),
        ),
        [stage] => {
            let (operation, name) = on_eight_lanes(costed.pass.library(), stage)?;
            let message = format!(
                "the stream is split into four lanes for one operation that the Clip stage has on eight: `{name}`"
            );
            (Some(operation), message)
        }
        _ => return None,
    };
    let changed = what_if(costed.known, costed.operation.id, |pass| {
        without_round_trip(pass, index, end, moved);
    })?;
    let saving = worth(costed.known, &changed)?;
    let finding = Finding::new(&NARROW_ROUND_TRIP, narrow.span, message);
    let joined = costed.pass.stages.get(end)?;
    Some(with_saving(
        finding.related(joined.span, "joined again here"),
        saving,
    ))
}

/// The fix of a round trip: both calls go, and an operation between them moves to the Clip stage. `None` where the stream is not
/// joined as it was split, or where the calls are not one chain.
pub(crate) fn round_trip_fix(db: &dyn Db, body: &Body, finding: &Finding) -> Option<Fix> {
    if finding.rule.name != NARROW_ROUND_TRIP.name {
        return None;
    }
    let at = |pass: &Pass| {
        let mut stages = pass.stages.iter();
        stages.position(|stage| stage.span == finding.span)
    };
    let (pass, index) = passes_of(body).find_map(|pass| Some((pass, at(pass)?)))?;
    let rest = pass.stages.get(index..)?;
    let (narrow, rest) = rest.split_first()?;
    let end = rest.iter().position(is_joining)?;
    let joined = rest.get(end)?;
    let (before, after) = (pass.input_of(index), &joined.output);
    let form = |mapping: &Written<Mapping>| mapping.get().map(|mapping| mapping.form().clone());
    if form(&before.time)? != form(&after.time)? || form(&before.packet)? != form(&after.packet)? {
        return None;
    }
    let calls = format!("`{}` and `{}`", narrow.method, joined.method);
    let following = |stage: &Stage| next_name(db, stage.span);
    let next = following(joined)?;
    let (title, applicability, edits) = match rest.get(..end)? {
        [] if following(narrow)? == joined.span => {
            // A trim may drop what no padding brings back.
            let is_split = matches!(narrow.kind, StageKind::VectorSplit);
            let sure = if is_split {
                Applicability::Machine
            } else {
                Applicability::Maybe
            };
            let edit = Edit::new(from_to(narrow.span, next.start), "");
            (format!("Delete {calls}"), sure, vec![edit])
        }
        [stage] if following(narrow)? == stage.span && following(stage)? == joined.span => {
            let (clip, name, mut edits) = moved_to_clip(pass, narrow, stage)?;
            edits.push(Edit::new(from_to(joined.span, next.start), ""));
            let title = format!("Use `{clip}` with `{name}`, and delete {calls}");
            (title, Applicability::Maybe, edits)
        }
        _ => return None,
    };
    Some(Fix {
        title,
        applicability,
        edits,
        cost: None,
    })
}

/// The bytes from the beginning of a place up to a byte.
const fn from_to(place: Span, end: u32) -> Span {
    Span { end, ..place }
}

/// The method of the Clip stage, its operation, and the edits that write both in the place of a split and the operation behind it.
fn moved_to_clip(
    pass: &Pass,
    narrow: &Stage,
    stage: &Stage,
) -> Option<(&'static str, String, Vec<Edit>)> {
    let StageKind::VectorAlu(operation) = &stage.kind else {
        return None;
    };
    let library = pass.library();
    let (_, name) = on_eight_lanes(library, stage)?;
    let clip = library.name_of(CanonicalStage::VectorClip);
    let edits = vec![
        Edit::new(from_to(narrow.span, stage.span.end), clip),
        Edit::new(operation.operation_span, name.clone()),
    ];
    Some((clip, name, edits))
}

/// The same operation in the Clip stage, with its name.
fn on_eight_lanes(library: Dialect, stage: &Stage) -> Option<(AluOperation, String)> {
    let StageKind::VectorAlu(operation) = &stage.kind else {
        return None;
    };
    if operation.zip || operation.operands.len() > 1 {
        return None;
    }
    let names = library.operations();
    let found = operation.known_operation(library)?;
    let other = same_function(found).find(|other| other.group == OperationGroup::Clip)?;
    let named = names.name_of(other)?;
    let moved = AluOperation {
        stage: VectorStage::Clip,
        enumeration: named.enumeration.to_owned(),
        variant: named.variant.to_owned(),
        argument: None,
        ..operation.clone()
    };
    Some((moved, names.write(other)))
}

/// The pass with eight lanes from the stage before `from` to the one behind `to`.
fn without_round_trip(pass: &mut Pass, from: usize, to: usize, moved: Option<AluOperation>) {
    let library = pass.library();
    let mut shape = pass.input_of(from).clone();
    let Some(joined) = pass.stages.get(to) else {
        return;
    };
    shape.time = joined.output.time.clone();
    shape.packet = joined.output.packet.clone();
    shape.position = Position::Vector(VectorStage::Clip);
    shape.way = Some(Way::Way8);
    let stage = moved.map(|operation| Stage {
        kind: StageKind::VectorAlu(operation),
        output: shape,
        method: library.name_of(CanonicalStage::VectorClip).to_owned(),
        span: joined.span,
    });
    pass.stages.splice(from..=to, stage);
}
