//! The rule about the order of engines.

use crate::derivation::PassDerivation;
use crate::derivation::pipeline::{PipelineViolation, Place};
use crate::items::Span;
use crate::kernel::catalogue::{CanonicalStage, Engine, Generic, order_of_engines};
use crate::kernel::{Level, Pass, Position, Stage};

use super::wording::{self, mapping_macro_text};
use super::{Alternative, Applicability, Checked, Edit, Finding, Rule, rule, words};

pub(crate) static PIPELINE_ORDER: Rule = rule!(
    "pipeline_order",
    Hardware,
    Collect,
    "Pipeline Position, Commit Engine: Constraints",
    "an engine is entered from a position that the pipeline does not allow",
    "A pass runs through the Tensor Unit's engines in one order: Fetch, Switch, Collect, Contraction, Vector, Cast, \
     Transpose, Commit. Switch and everything after Collect can be left out. The order cannot be changed, and Collect \
     cannot be left out before an engine that takes flits. The sub context is shorter still: what it commits comes \
     straight from its fetch.";
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static LIFT_ORDER: Rule = rule!(
    "lift_order",
    Hardware,
    Fetch,
    "library",
    "a lift after one of an inner level, after an adapter, or a second one of its level",
    "Lifts are part of the fetch: they say at which place each chip, cluster and slice begins to read. They follow the fetch \
     directly, chips before clusters before slices, each at most once, and the adapters convert what was read.";
    holds: Holds::SUCCESSOR.since(7),
    refused: Refusal::BY_LIBRARIES,
);

/// The family's rules.
pub(super) const RULES: &[&Rule] = &[&PIPELINE_ORDER, &LIFT_ORDER];

/// Turns the violations of this family into findings.
pub(super) fn check_pipeline(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    for (pass, derived) in wording::judged_passes(checked) {
        findings.extend(
            derived
                .pipeline
                .violations
                .iter()
                .filter_map(|violation| to_finding(pass, violation)),
        );
    }
}

/// Whether a pass is committed where its library asks for a trim first: its packet is not the one that is written.
pub(super) fn lacks_trim(pass: &Pass, derived: &PassDerivation) -> bool {
    let mut violations = derived.pipeline.violations.iter();
    violations.any(|violation| match violation {
        PipelineViolation::NotOffered { place, position } => {
            let stage = stage_at(pass, *place);
            *position < Position::CommitTrim && stage.is_some_and(CanonicalStage::commits)
        }
        _ => false,
    })
}

fn stage_at(pass: &Pass, place: Place) -> Option<CanonicalStage> {
    match place {
        Place::Stage(index) => pass.stages.get(index).map(|stage| stage.kind.canonical()),
        Place::End => pass.end.canonical(),
    }
}

fn place_span(pass: &Pass, place: Place) -> Span {
    let stage = match place {
        Place::Stage(index) => pass.stages.get(index).map(|stage| stage.span),
        Place::End => pass.end.written_target().map(|(_, span)| span),
    };
    stage.unwrap_or(pass.begin.packet.span)
}

/// What a stream comes from: an engine, or the method that begins it.
fn from(pass: &Pass, position: Position) -> String {
    let begun = || format!("`{}`", pass.library().begin_method_name(false));
    position.engine().unwrap_or_else(begun)
}

/// The lifts, in their order.
const LIFTS: [CanonicalStage; 3] = [
    CanonicalStage::FetchChipLift,
    CanonicalStage::FetchClusterLift,
    CanonicalStage::FetchSliceLift,
];

/// A lift in another place than behind the fetch and the lifts of outer levels.
fn word_lift(pass: &Pass, place: Place, position: Position, stage: CanonicalStage) -> Finding {
    let library = pass.library();
    let order: Vec<String> = std::iter::once(CanonicalStage::Fetch)
        .chain(LIFTS)
        .map(|stage| format!("`{}`", library.name_of(stage)))
        .collect();
    let before = match place {
        Place::Stage(index) => index
            .checked_sub(1)
            .and_then(|before| pass.stages.get(before)),
        Place::End => None,
    };
    let from = before.map_or_else(
        || from(pass, position),
        |before| format!("`{}`", before.method),
    );
    let finding = Finding::new(
        &LIFT_ORDER,
        place_span(pass, place),
        format!("`{}` cannot follow {from}", library.name_of(stage)),
    )
    .note(format!(
        "the order is {}, then the adapters; each lift at most once",
        order.join(", ")
    ));
    match before {
        Some(before) => finding.related(before.span, "it follows this"),
        None => finding,
    }
}

/// A method that the library has at other positions alone, with the methods that lead there.
fn not_offered(pass: &Pass, place: Place, position: Position) -> Finding {
    let library = pass.library();
    let stage = stage_at(pass, place);
    let method = stage.map_or("", |stage| library.name_of(stage));
    if let Some(stage) = stage
        && LIFTS.contains(&stage)
    {
        return word_lift(pass, place, position, stage);
    }
    let before = from(pass, position);
    let message = format!("`{method}` is not a method of a stream that comes from {before}");
    let finding = Finding::new(&PIPELINE_ORDER, place_span(pass, place), message);
    let trim = library.name_of(CanonicalStage::CommitTrim);
    match stage {
        Some(stage) if stage.commits() && position < Position::CommitTrim => finding.note(format!(
            "`{trim}` cuts the packet to what is written, and a commit follows it"
        )),
        _ => finding,
    }
}

/// The steps of a contraction, in their order.
const CONTRACTION: [CanonicalStage; 4] = [
    CanonicalStage::Align,
    CanonicalStage::Contract,
    CanonicalStage::ContractTime,
    CanonicalStage::Accumulate,
];

/// An engine, or a step of one, behind what does not lead to it.
fn word_order(pass: &Pass, place: Place, engine: Engine, position: Position) -> Finding {
    let stages = match place {
        Place::Stage(index) => pass.stages.get(index).map(|stage| {
            let before = index
                .checked_sub(1)
                .and_then(|before| pass.stages.get(before));
            (stage, before)
        }),
        Place::End => None,
    };
    let entered = format!("{engine} is not entered from {}", from(pass, position));
    let message = match stages {
        Some((stage, Some(before))) => format!(
            "`{}` cannot follow `{}`: {entered}; engines and their steps follow each other in one order",
            stage.method, before.method
        ),
        _ => format!(
            "{}; the engines follow each other in one order",
            words::capitalised_text(&entered)
        ),
    };
    let library = pass.library();
    let of_contraction = |stage: &Stage| CONTRACTION.contains(&stage.kind.canonical());
    let note = match stages {
        Some((stage, Some(before))) if of_contraction(stage) && of_contraction(before) => {
            let steps = CONTRACTION.into_iter();
            let steps = steps.filter(|step| library.method_of(*step).is_some());
            let steps: Vec<String> = steps
                .map(|step| format!("`{}`", library.name_of(step)))
                .collect();
            format!("the steps of a contraction are {}", steps.join(", "))
        }
        _ => format!("the order is {}", order_of_engines().join(", ")),
    };
    Finding::new(&PIPELINE_ORDER, place_span(pass, place), message).note(note)
}

fn to_finding(pass: &Pass, violation: &PipelineViolation) -> Option<Finding> {
    let collect = pass.library().name_of(CanonicalStage::Collect);
    Some(match violation {
        PipelineViolation::NotCollected { place, engine, position, collected } => {
            let finding = Finding::new(
                &PIPELINE_ORDER,
                place_span(pass, *place),
                format!("{engine} is entered from {}; it takes flits of 32 bytes, which only `{collect}` makes", from(pass, *position)),
            );
            match collected {
                Some((time, packet)) => {
                    let generics = [
                        (Generic::Level(Level::Time), mapping_macro_text(time)),
                        (Generic::Level(Level::Packet), mapping_macro_text(packet)),
                    ];
                    let call = pass.library().write(CanonicalStage::Collect, &generics, &[]);
                    let at = place_span(pass, *place);
                    let before = Span { end: at.start, ..at };
                    let stated = Alternative {
                        text: format!("`{call}` before it"),
                        edits: vec![Edit::new(before, format!("{call}."))],
                    };
                    finding.alternatives("call ", [stated]).fix(
                        Applicability::Maybe,
                        format!("Collect before it: `{call}`"),
                        before,
                        format!("{call}."),
                    )
                }
                None => finding.help(format!("call `{collect}` before it")),
            }
        }
        PipelineViolation::Order { place: place @ Place::Stage(index), position, .. }
            if pass.stages.get(*index).is_some_and(|stage| LIFTS.contains(&stage.kind.canonical())) =>
        {
            not_offered(pass, *place, *position)
        }
        PipelineViolation::Order { place, engine, position } => word_order(pass, *place, *engine, *position),
        // Which context has a stage is another rule's.
        PipelineViolation::Context { .. } | PipelineViolation::Unimplemented { .. } => return None,
        PipelineViolation::NotOffered { place, position } => not_offered(pass, *place, *position),
        PipelineViolation::SubContextCommit { position } => Finding::new(
            &PIPELINE_ORDER,
            place_span(pass, Place::End),
            format!("the sub context commits only what comes straight from its fetch; this stream comes from {}", from(pass, *position)),
        )
        .help(format!(
            "begin this pass on the main context, or commit right after `{}` with packets of 32 bytes",
            pass.library().name_of(CanonicalStage::Fetch)
        )),
    })
}
