//! Methods behind a dot: those that the library has for the receiver and that the machine can run next.

use crate::db::Db;
use crate::ide::{Completion, CompletionKind};
use crate::kernel::catalogue::{CanonicalStage, Entry, Generic, Role, vector_stages};
use crate::kernel::dialect::{Action, Guide, Method, Part};
use crate::kernel::{Context, Level, Pass, Position, VectorStage};

use super::context::Around;
use super::proposal;
use super::receiver::Receiver;
use super::vector::VectorState;

/// Proposals behind the dot at a place.
pub(super) fn propose(db: &dyn Db, around: &Around, dot: usize) -> Option<Vec<Completion>> {
    let receiver = Receiver::at(db, around, dot)?;
    if receiver.is_device() {
        // Fields, which the compiler's own server proposes.
        return None;
    }
    let pass = receiver.pass();
    let vector = pass
        .as_ref()
        .and_then(|pass| VectorState::of(receiver.body(), pass));
    let followed_by_call = around.is_called();
    let mut proposals = Vec::new();
    let dialect = around.dialect(db);
    for method in dialect.every_method() {
        if !receiver.has(method) || matches!(method.action, Action::Accessor(_) | Action::Same) {
            continue;
        }
        let is_allowed = match (&pass, &vector) {
            (Some(_), Some(vector)) => vector.allows(method),
            (Some(pass), None) => stream_allows(pass, method),
            (None, _) => context_allows(&receiver, method),
        };
        let Some(guide) = dialect.guide(method).filter(|_| is_allowed) else {
            continue;
        };
        let mut found = proposal(
            around,
            method.name,
            CompletionKind::Method,
            rank(pass.as_ref(), method, &guide),
        );
        found.detail = Some(signature(&guide));
        found.documentation = Some(guide.summary.clone());
        if !followed_by_call {
            found.insert = snippet(method, &guide);
            found.snippet = true;
        }
        proposals.push(found);
    }
    Some(proposals)
}

/// Whether the library has a method behind the stream's position, for its type, and the pipeline allows it.
fn stream_allows(pass: &Pass, method: &Method) -> bool {
    let shape = pass.output();
    let element_type = shape.element_type.value;
    let takes = |found| {
        method
            .stages()
            .first()
            .is_some_and(|first| first.stage.takes(found))
    };
    method.follows(shape.position, pass.context) && element_type.is_none_or(takes)
}

/// Parallel copies are the sub context's.
fn context_allows(receiver: &Receiver, method: &Method) -> bool {
    match (receiver.context(), method.action) {
        (Some(context), Action::ParallelCopy(_)) => context != Some(Context::Main),
        _ => true,
    }
}

/// Where a method is in the list: stages of the Vector Engine in the order of the pipeline, others by how often they are
/// written, and what is unlikely so early last.
fn rank(pass: Option<&Pass>, method: &Method, guide: &Guide) -> u32 {
    let Some(pass) = pass else {
        return guide.order;
    };
    let Some(stage) = method.stages().last().map(|used| used.stage) else {
        return guide.order;
    };
    let early = matches!(pass.output().position, Position::Fetch | Position::Switch);
    if stage.commits() && early && pass.context == Some(Context::Main) {
        return guide.order.saturating_add(100);
    }
    let row = stage.row();
    if row.entry != Entry::Inside || row.exit.opens() {
        return guide.order;
    }
    // What leaves the engine and what only keeps the stream follow the reduction across slices.
    let reached = stage
        .vector_stage()
        .unwrap_or(VectorStage::InterSliceReduce);
    let twin = match stage {
        CanonicalStage::VectorTrim | CanonicalStage::VectorPad | CanonicalStage::VectorFinal => 1,
        CanonicalStage::VectorStash => 2,
        _ if row.parameters.is_empty() => 0,
        _ => method.arity() as u32 + 5 * u32::from(method.has(Role::Mode)),
    };
    let place = vector_stages().iter().position(|other| *other == reached);
    let place = place.and_then(|place| u32::try_from(place).ok());
    place.unwrap_or(0).saturating_mul(10).saturating_add(twin)
}

/// The signature in one line.
pub(in crate::ide) fn signature(guide: &Guide) -> String {
    let generics: Vec<&str> = guide.generics.iter().map(|part| part.name).collect();
    let arguments: Vec<&str> = guide.arguments.iter().map(|part| part.name).collect();
    let arguments = arguments.join(", ");
    if generics.iter().all(|name| *name == "_") {
        format!("({arguments})")
    } else {
        format!("::<{}>({arguments})", generics.join(", "))
    }
}

/// The call with a place to fill in for whatever does not follow.
fn snippet(method: &Method, guide: &Guide) -> String {
    let mut places = 0_u32;
    let mut text = method.name.to_owned();
    let is_inferred = |generic: &Generic| matches!(generic, Generic::Inferred);
    if guide.turbofish && !method.generics.iter().all(is_inferred) {
        let generics: Vec<String> = method
            .generics
            .iter()
            .zip(&guide.generics)
            .map(|(generic, part)| generic_place(*generic, part, &mut places))
            .collect();
        text.push_str(&format!("::<{}>", generics.join(", ")));
    }
    let arguments: Vec<String> = guide
        .arguments
        .iter()
        .zip(method.arguments)
        .map(|(part, argument)| {
            places += 1;
            let usual = if part.usual.is_empty() {
                part.name
            } else {
                part.usual
            };
            let reference = if argument.role == Role::Weights {
                "&"
            } else {
                ""
            };
            format!("{reference}${{{places}:{usual}}}")
        })
        .collect();
    text.push_str(&format!("({})$0", arguments.join(", ")));
    text
}

fn generic_place(generic: Generic, part: &Part, places: &mut u32) -> String {
    let mut place = || {
        *places += 1;
        *places
    };
    match generic {
        Generic::Inferred | Generic::Level(Level::Row) => "_".to_owned(),
        Generic::Level(_) | Generic::Index => format!("m![${}]", place()),
        Generic::Scalar | Generic::Axis | Generic::Constant => {
            format!("${{{}:{}}}", place(), part.name)
        }
    }
}
