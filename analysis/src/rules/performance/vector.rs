//! Ways to four lanes and back that nothing on the way needs.

use crate::hardware::{OperationGroup, same_function};
use crate::kernel::dialect::Dialect;
use crate::kernel::{
    AluOperation, CanonicalStage, Pass, Position, Stage, StageKind, VectorStage, Way,
};
use crate::simulation::what_if;

use super::super::{Checked, Finding, Rule, rule};
use super::{Costed, weighty_passes, with_saving, worth};

pub(in crate::rules) static NARROW_ROUND_TRIP: Rule = rule!(
    "narrow_round_trip",
    Performance,
    Vector,
    "Vector Engine: Performance",
    "a stream is split into four lanes and joined again without need, or for one operation that eight lanes have",
    "The float and reduction stages work on four lanes: a split makes two packets of every flit, and the Vector Engine takes \
     twice the cycles until they are joined again. Where nothing is between, or only an operation that a stage of eight lanes \
     has too (the Clip stage adds floats), the split costs half of the engine's throughput for nothing. \
     Reported where the whole pass gets a tenth faster and the kernel 2 % and 100 cycles (without a total, the pass 500 cycles).",
);

/// The family's rules.
pub(in super::super) const RULES: &[&Rule] = &[&NARROW_ROUND_TRIP];

pub(in super::super) fn check(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    for costed in weighty_passes(checked) {
        for (index, stage, _) in costed.stages() {
            if matches!(stage.kind, StageKind::VectorSplit | StageKind::VectorTrim) {
                findings.extend(round_trip(&costed, index, stage));
            }
        }
    }
}

const fn joins(stage: &Stage) -> bool {
    matches!(stage.kind, StageKind::VectorConcat | StageKind::VectorPad)
}

fn round_trip(costed: &Costed<'_>, index: usize, narrow: &Stage) -> Option<Finding> {
    let rest = costed.pass.stages.get(index + 1..)?;
    let end = index + 1 + rest.iter().position(joins)?;
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

/// The same operation in the Clip stage, with its name.
fn on_eight_lanes(library: Dialect, stage: &Stage) -> Option<(AluOperation, String)> {
    let StageKind::VectorAlu(operation) = &stage.kind else {
        return None;
    };
    if operation.zip || operation.operands.len() > 1 {
        return None;
    }
    let names = library.operations();
    let found = operation.known(library)?;
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
