//! Methods behind a dot: those that the library has for the receiver and that the machine can run next.

use crate::db::Db;
use crate::derivation::conventions::Conventions;
use crate::items::item_text;
use crate::kernel::catalogue::{CanonicalStage, Engine, Entry, Generic, Role, vector_stages};
use crate::kernel::dialect::{Action, Dialect, Guide, Method, Part, TypeShape};
use crate::kernel::{Context, Level, Pass, Position, VectorStage};
use crate::{Completion, CompletionKind};
use visa_base::names::is_word_letter;

use super::around::functions_around;
use super::context::Around;
use super::conversions::converted_types;
use super::receiver::Receiver;
use super::vector::VectorState;
use super::word_proposal;

/// How far behind the others a method is that goes wrong.
const DOUBTFUL: u32 = 500;

/// Proposals behind the dot at a place.
pub(super) fn propose_methods(db: &dyn Db, around: &Around, dot: usize) -> Option<Vec<Completion>> {
    let receiver = Receiver::at(db, around, dot)?;
    if receiver.is_device() {
        // Fields, which the compiler's own server proposes.
        return None;
    }
    let offers = Offers::of(db, around, &receiver);
    let followed_by_call = around.is_called();
    let name = context_name(db, around);
    let mut proposals = Vec::new();
    for method in offers.dialect.every_method() {
        let Some(guide) = offers
            .dialect
            .guide(method)
            .filter(|_| offers.offers_method(method))
        else {
            continue;
        };
        let doubt = offers.doubt(method);
        let rank = method_rank(offers.pass.as_ref(), method, &guide);
        let rank = rank.saturating_add(if doubt.is_some() { DOUBTFUL } else { 0 });
        let mut found = word_proposal(around, method.name, CompletionKind::Method, rank);
        found.detail = Some(method_signature(method, &guide, offers.context));
        found.documentation = Some(match doubt {
            Some(doubt) => format!("{} {doubt}", guide.summary),
            None => guide.summary.clone(),
        });
        if !followed_by_call {
            found.insert = call_snippet(method, &guide, (offers.context, &name));
            found.snippet = true;
        }
        proposals.push(found);
    }
    Some(proposals)
}

/// What is known of a receiver where methods are looked for.
struct Offers<'a> {
    receiver: &'a Receiver,
    dialect: Dialect,
    pass: Option<Pass>,
    vector: Option<VectorState>,
    /// The context of the stream, or the receiver itself.
    context: Option<Context>,
}

impl<'a> Offers<'a> {
    fn of(db: &dyn Db, around: &Around, receiver: &'a Receiver) -> Self {
        let pass = receiver.pass();
        let vector = pass
            .as_ref()
            .and_then(|pass| VectorState::of(receiver.body(), pass));
        Self {
            receiver,
            dialect: around.dialect(db),
            context: match &pass {
                Some(pass) => pass.context,
                None => receiver.context().flatten(),
            },
            pass,
            vector,
        }
    }

    fn conventions(&self) -> Conventions {
        Conventions::of(self.dialect.id())
    }

    /// Whether the receiver has a method, and the machine can run it next.
    fn offers_method(&self, method: &Method) -> bool {
        if !self.receiver.has_method(method) {
            return false;
        }
        // What only says something of a tensor is proposed where the library's host code is of the same crate.
        let is_quiet = match method.action {
            Action::Same => true,
            Action::Accessor(_) => !self.conventions().is_successor(),
            _ => false,
        };
        if is_quiet {
            return false;
        }
        match (&self.pass, &self.vector) {
            (Some(_), Some(vector)) => vector.allows_method(method),
            (Some(pass), None) => self.stream_has(pass, method),
            (None, _) => self.is_allowed(method),
        }
    }

    /// Whether the library has a method behind the stream's position, in its context and for its type, and the pipeline
    /// allows it.
    fn stream_has(&self, pass: &Pass, method: &Method) -> bool {
        let shape = pass.output();
        let Some(first) = method.stages().first() else {
            return false;
        };
        let takes = |found| {
            let made = converted_types(first.stage, found, self.receiver.target, self.dialect);
            first.stage.takes_type(found) && made.is_none_or(|made| !made.is_empty())
        };
        method.follows(shape.position, pass.context)
            && method.is_offered_in(self.dialect.id().release, pass.context)
            && shape.element_type.value.is_none_or(takes)
    }

    /// Parallel copies are the sub context's, and steps of a plan have an order.
    fn is_allowed(&self, method: &Method) -> bool {
        match (self.receiver.context(), self.receiver.plan(), method.action) {
            (Some(context), _, Action::ParallelCopy(_)) => context != Some(Context::Main),
            (_, Some(last), Action::Plan(step)) => step.may_follow(last),
            _ => true,
        }
    }

    /// Why a method that exists goes wrong anyway.
    fn doubt(&self, method: &Method) -> Option<&'static str> {
        if !self.conventions().types_positions() {
            return None;
        }
        if method.without_body {
            return Some("This release has no body for it: a run stops there.");
        }
        let stage = method.stages().first()?.stage;
        let engine = stage.row().engine;
        let multiplies = matches!(
            engine,
            Engine::Align | Engine::Contract | Engine::Accumulate
        );
        match self.context? {
            Context::Sub if multiplies && self.conventions().contracts_on_main_alone() => {
                Some("The compiler takes it in the main context only.")
            }
            Context::Main
                if (engine == Engine::TrfLoad
                    && self.conventions().loads_trf_from_any_context())
                    || (engine == Engine::VrfLoad
                        && self.conventions().loads_vrf_from_any_context()) =>
            {
                Some("From the main context it was seen to hang or to load wrong values.")
            }
            _ => None,
        }
    }
}

/// Where a method is in the list: stages of the Vector Engine in the order of the pipeline, others by how often they are
/// written, and what is unlikely so early last.
fn method_rank(pass: Option<&Pass>, method: &Method, guide: &Guide) -> u32 {
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
        _ => method.arity() as u32 + 5 * u32::from(method.has_role(Role::Mode)),
    };
    let place = vector_stages().iter().position(|other| *other == reached);
    let place = place.and_then(|place| u32::try_from(place).ok());
    place.unwrap_or(0).saturating_mul(10).saturating_add(twin)
}

/// The signature in one line, as it is in a context.
pub(crate) fn method_signature(method: &Method, guide: &Guide, context: Option<Context>) -> String {
    let generics: Vec<&str> = guide.generics.iter().map(|part| part.name).collect();
    let arguments: Vec<&str> = method
        .arguments_in(context)
        .filter_map(|(index, _)| Some(guide.arguments.get(index)?.name))
        .collect();
    let arguments = arguments.join(", ");
    if generics.iter().all(|name| *name == "_") {
        format!("({arguments})")
    } else {
        format!("::<{}>({arguments})", generics.join(", "))
    }
}

/// The call with a place to fill in for whatever does not follow. The context is that of the stream; the name that of the whole
/// context in the kernel.
fn call_snippet(
    method: &Method,
    guide: &Guide,
    (context, name): (Option<Context>, &str),
) -> String {
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
    let arguments: Vec<String> = method
        .arguments_in(context)
        .filter_map(|(index, argument)| Some((guide.arguments.get(index)?, argument)))
        .map(|(part, argument)| {
            places += 1;
            let usual = match part.usual.strip_prefix(WHOLE_CONTEXT) {
                Some(field) => format!("&mut {name}.{field}"),
                None if part.usual.is_empty() => part.name.to_owned(),
                None => part.usual.to_owned(),
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

/// How tables begin an argument that is a field of the whole context.
const WHOLE_CONTEXT: &str = "&mut device.";

/// What the kernel around the cursor calls the whole context; what authors do where it has none.
fn context_name(db: &dyn Db, around: &Around) -> String {
    let declared = declared_context(db, around);
    declared.unwrap_or_else(|| around.dialect(db).context_name().to_owned())
}

/// What the kernel around the cursor calls the whole context, if it is given it.
pub(super) fn declared_context(db: &dyn Db, around: &Around) -> Option<String> {
    let dialect = around.dialect(db);
    around.item_here(db).and_then(|(item, end)| {
        let types: Vec<&str> = dialect
            .types
            .iter()
            .copied()
            .flatten()
            .filter(|entry| entry.shape == TypeShape::Device)
            .map(|entry| entry.name)
            .collect();
        functions_around(db, item, end)
            .find_map(|function| parameter_of(&item_text(db, function).text, &types))
    })
}

/// The parameter of a function's text that has one of some types behind `&mut`.
fn parameter_of(text: &str, types: &[&str]) -> Option<String> {
    let head = text.split_once('(')?.1;
    let head = head.split('{').next()?;
    head.match_indices("mut").find_map(|(at, _)| {
        let (before, behind) = (head.get(..at)?, head.get(at + 3..)?);
        let path = behind.split([',', ')', '<']).next()?;
        let named = path.rsplit("::").next()?.trim();
        if !types.contains(&named) {
            return None;
        }
        // `name : & 'l mut`
        let before = before.trim_end();
        let before = before.rsplit_once(':').map_or("", |(before, _)| before);
        let name = before
            .trim_end()
            .rsplit(|character| !is_word_letter(character));
        let name = name.into_iter().next().filter(|name| !name.is_empty())?;
        Some(name.to_owned())
    })
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
