//! Repairs of a pass through the Vector Engine that take more than one place: lanes narrowed and widened around a run of
//! stages, an operand's type changed on its way from the memory it comes from, a pass cut in two.
//!
//! Everything here is computed from the pass at hand. What cannot be determined gives no repair.

use crate::derivation::holding::element_holding_axis;
use crate::derivation::vector::{
    Shape, VectorDerivation, came_by_split, halves, is_widened, lanes_taken, narrow_lanes,
    widen_lanes, widens,
};
use crate::hardware::{Alu, ElementType, Target, fetch_casts};
use crate::items::Span;
use crate::kernel::catalogue::Generic;
use crate::kernel::{
    Level, OperationKind, Origin, Pass, PassEnd, PassSource, Stage, StageKind, StreamShape,
    TensorId, VectorStage, Way,
};
use crate::mapping::{Form, Mapping};

use super::super::lanes::{Edits, follow_lanes};
use super::super::wording::mapping_macro_text;
use super::super::{Applicability, Checked, Edit, Fix};

/// How many transfers and passes a tensor is followed back through.
const ORIGINS: usize = 32;

/// Inserts the narrowing or widening that the stage of that number lacks: the operation that keeps all data, and where
/// lanes are narrowed, the way back behind the last stage that works on four lanes.
pub(super) fn change_lanes(pass: &Pass, index: usize, needs: Way) -> Option<Fix> {
    let stage = pass.stages.get(index)?;
    let input = shape_of(pass.input_of(index))?;
    let (title, edits) = match needs {
        Way::Way4 => narrow(pass, index, &input)?,
        // What is widened later would be widened twice.
        Way::Way8 if pass.stages.get(index..)?.iter().any(widens) => return None,
        Way::Way8 => {
            let call = widening_call(pass, &input, came_by_split(pass, index))?;
            let title = format!("Widen before `{}`: `{call}`", stage.method);
            (title, vec![edit_before_stage(stage, &call)])
        }
    };
    let own = |edit: &Edit| edit.span.item == stage.span.item;
    Some(Fix {
        title,
        applicability: if edits.iter().all(own) {
            Applicability::Machine
        } else {
            Applicability::Maybe
        },
        edits,
        cost: None,
    })
}

fn shape_of(stream: &StreamShape) -> Option<Shape> {
    let form = |mapping: Option<&Mapping>| Some(mapping?.form().clone());
    Some((form(stream.time.get())?, form(stream.packet.get())?))
}

/// A call in front of a stage's own.
fn edit_before_stage(stage: &Stage, call: &str) -> Edit {
    let place = Span {
        end: stage.span.start,
        ..stage.span
    };
    Edit::new(place, format!("{call}."))
}

/// The narrowing before a stage, and the widening behind the run of four-lane stages that it begins.
fn narrow(pass: &Pass, index: usize, input: &Shape) -> Option<(String, Vec<Edit>)> {
    let stage = pass.stages.get(index)?;
    let (kind, mut shape) = narrow_lanes(input)?;
    let split = matches!(kind, StageKind::VectorSplit);
    let call = call(pass, &kind, &shape);
    let mut edits = vec![edit_before_stage(stage, &call)];
    let mut title = format!("Narrow before `{}`: `{call}`", stage.method);
    for later in pass.stages.get(index..)? {
        match lanes_taken(later) {
            Some(Way::Way4) => {
                // A reduce declares what it leaves; all others leave what they take.
                if matches!(later.kind, StageKind::VectorIntraReduce { .. }) {
                    shape = shape_of(&later.output)?;
                }
                if is_widened(later) {
                    break;
                }
            }
            Some(Way::Way8) => {
                let call = widening_call(pass, &shape, split)?;
                title = format!("{title}, and `{call}` after it");
                edits.push(edit_before_stage(later, &call));
                break;
            }
            None => {}
        }
    }
    Some((title, edits))
}

/// The call that makes eight lanes of four.
fn widening_call(pass: &Pass, shape: &Shape, split: bool) -> Option<String> {
    let (kind, shape) = widen_lanes(shape, split)?;
    Some(call(pass, &kind, &shape))
}

/// A call that leaves time and packet, as far as the method says them.
fn call(pass: &Pass, change: &StageKind, (time, packet): &Shape) -> String {
    let generics = [
        (
            Generic::Level(Level::Time),
            mapping_macro_text(&time.to_mapping()),
        ),
        (
            Generic::Level(Level::Packet),
            mapping_macro_text(&packet.to_mapping()),
        ),
    ];
    pass.library().write(change.canonical(), &generics, &[])
}

/// Splits where a trim would drop data, and carries what it keeps through the block, into the committed element and on into
/// the tensors that this one is copied to. `None` where something between cannot be followed.
pub(super) fn split_instead(checked: &Checked<'_>, pass: &Pass, index: usize) -> Option<Fix> {
    let input = shape_of(pass.input_of(index))?;
    let (upper, _) = halves(&input.1)?;
    let mut edits = Edits::default();
    let followed = follow_lanes(pass.library(), pass.stages.get(index..)?, input, &mut edits)?;
    let behind = pass.stages.get(index.checked_add(followed.next)?..)?;
    let PassEnd::Commit { target, .. } = pass.end else {
        return None;
    };
    if !behind
        .iter()
        .all(|stage| matches!(stage.kind, StageKind::VectorAlu(_) | StageKind::VectorFinal))
    {
        return None;
    }
    let (time, packet) = &followed.shape;
    let committed = checked.body.tensor(target)?;
    let slice = committed.levels.slice.as_ref()?.get()?.form();
    let mut source = Form::multiply(slice, &Form::multiply(time, packet)?)?;
    let mut wanted = vec![target];
    for operation in &checked.body.operations {
        if let OperationKind::Copy(copy) = &operation.kind
            && wanted
                .last()
                .is_some_and(|last| base_tensor(checked, copy.source) == *last)
        {
            wanted.push(copy.target);
        }
    }
    for id in wanted {
        let element = &checked.body.tensor(id)?.levels.element;
        let mut form = element.get()?.form().clone();
        for axis in upper.axis_names() {
            let wider = element_holding_axis(&source, &form, &axis)?.form().clone();
            // What holds all of the axis keeps its padding.
            if wider.live_size() != form.live_size() {
                form = wider;
            }
        }
        edits.declare_mapping(element, &form);
        if id == target {
            source = Form::multiply(slice, &form)?;
        }
    }
    let own = checked.body.span.item;
    edits
        .list
        .iter()
        .all(|edit| edit.span.item == own)
        .then(|| Fix {
            title: "Split instead of trimming, and keep both halves".to_owned(),
            applicability: Applicability::Maybe,
            edits: edits.list,
            cost: None,
        })
}

/// The tensor that a view is taken of.
fn base_tensor(checked: &Checked<'_>, mut id: TensorId) -> TensorId {
    for _ in 0..ORIGINS {
        match checked.body.tensor(id).map(|tensor| &tensor.origin) {
            Some(Origin::View { of, .. }) => id = *of,
            _ => break,
        }
    }
    id
}

/// Declares an operand in the stream's type all the way back to where it can have it: to a fetch that converts, else to the
/// parameter or address that it comes from.
pub(super) fn retype(
    checked: &Checked<'_>,
    operand: TensorId,
    from: ElementType,
    to: ElementType,
) -> Option<Fix> {
    let mut places: Vec<Span> = Vec::new();
    let mut converted = false;
    let mut next = Some(operand);
    for _ in 0..ORIGINS {
        let Some(tensor) = next.and_then(|id| checked.body.tensor(id)) else {
            break;
        };
        let holds = *tensor.element_type.get()?;
        if places.len() > 1 && fetch_casts(Target::Rngd, holds, to) {
            converted = true;
            break;
        }
        if holds != from {
            return None;
        }
        places.push(tensor.element_type.span);
        next = match &tensor.origin {
            Origin::Parameter | Origin::FromAddress | Origin::New => None,
            Origin::View { of, tile: _ } | Origin::Resized { of, .. } | Origin::Reshape { of } => {
                Some(*of)
            }
            Origin::Operation(id) => match &checked.body.operation(*id)?.kind {
                OperationKind::Copy(copy) => Some(copy.source),
                OperationKind::Pass(pass) => {
                    let PassSource::Tensor(source) = pass.source else {
                        return None;
                    };
                    // Operations on the values themselves would have to change too.
                    for stage in &pass.stages {
                        if *stage.output.element_type.get()? != from || computes_values(stage) {
                            return None;
                        }
                        places.push(stage.output.element_type.span);
                    }
                    Some(source)
                }
                OperationKind::Collective(_) => return None,
            },
        };
        if next.is_none() {
            converted = true;
        }
    }
    places.sort_unstable_by_key(|place| (place.start, place.end));
    places.dedup();
    let own = checked.body.span.item;
    if !converted || places.iter().any(|place| place.item != own) {
        return None;
    }
    Some(Fix {
        title: format!("Declare the operand as `{to}` from where it comes"),
        applicability: Applicability::Maybe,
        edits: places
            .into_iter()
            .map(|span| Edit::new(span, to.name().to_owned()))
            .collect(),
        cost: None,
    })
}

/// Whether a stage computes with the values, so that their type is its business.
const fn computes_values(stage: &Stage) -> bool {
    !matches!(
        stage.kind,
        StageKind::Fetch { .. } | StageKind::Switch(_) | StageKind::Collect
    )
}

/// The passes that the engine's operations fall apart into where each ALU runs once a pass, in words; `None` where one
/// operation's ALU is not known.
pub(super) fn passes_of(pass: &Pass, derived: &VectorDerivation) -> Option<Vec<String>> {
    let mut passes: Vec<Vec<String>> = vec![Vec::new()];
    let mut used: Vec<Alu> = Vec::new();
    for step in &derived.steps {
        let stage = pass.stages.get(step.stage)?;
        let shown = match step.alu {
            Some(alu) => {
                if used.contains(&alu) {
                    used.clear();
                    passes.push(Vec::new());
                }
                used.push(alu);
                format!("`{}` ({})", stage.method, alu.name())
            }
            None => {
                if step.reached == VectorStage::InterSliceReduce {
                    used.clear();
                }
                continue;
            }
        };
        passes.last_mut()?.push(shown);
    }
    (passes.len() > 1).then(|| {
        passes
            .iter()
            .map(|operations| operations.join(", "))
            .collect()
    })
}
