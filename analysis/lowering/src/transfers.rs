//! Methods of tensors at rest: views, tiles, transfers, reshapes.

use crate::kernel::catalogue::{CanonicalStage, Generic, Role};
use crate::kernel::dialect::{Access, Action, Method};
use crate::kernel::{
    Address, AddressValue, Context, Copy, Level, TensorId, Tier, UnresolvedReason, Written,
};
use crate::mapping::Axis;
use crate::surface::Argument;

use super::draft::{KindDraft, OriginDraft, TensorDraft, TileDraft, TilePlace, levels_of};
use super::markers::is_mapping;
use super::slots::{MappingSlot, ScalarSlot};
use super::types::TensorType;
use super::{Call, Interpreter, Thing, Value};

/// The words for an address that is no constant expression.
pub(super) const COMPUTED_ADDRESS: &str = "an address that is not a constant";

/// A method's generic arguments by meaning; what is left out or `_` is open.
#[derive(Debug, Default)]
pub(super) struct Generics {
    pub(super) scalar: Option<ScalarSlot>,
    pub(super) levels: Vec<(Level, MappingSlot)>,
    pub(super) axis: Option<Written<Axis>>,
    pub(super) constants: Vec<Written<u64>>,
    pub(super) indices: Vec<MappingSlot>,
}

impl Generics {
    /// The slot of a level that the method gives to its result.
    pub(super) fn level(&self, level: Level) -> Option<MappingSlot> {
        self.levels
            .iter()
            .find(|(candidate, _)| *candidate == level)
            .map(|(_, slot)| *slot)
    }

    /// Takes those that a stage has parameters for.
    pub(super) fn take_for(&mut self, stage: CanonicalStage) -> Self {
        let has = |generic: Generic| stage.generic(generic).is_some();
        let mut own: Vec<(Level, MappingSlot)> = Vec::new();
        // Of each level the first: the next one is a later stage's.
        self.levels.retain(|(level, slot)| {
            let takes = has(Generic::Level(*level)) && own.iter().all(|(known, _)| known != level);
            if takes {
                own.push((*level, *slot));
            }
            !takes
        });
        let take_all = |wanted: bool, from: &mut Vec<MappingSlot>| {
            if wanted {
                std::mem::take(from)
            } else {
                Vec::new()
            }
        };
        Self {
            scalar: self.scalar.take_if(|_| has(Generic::Scalar)),
            levels: own,
            axis: self.axis.take_if(|_| has(Generic::Axis)),
            constants: Vec::new(),
            indices: take_all(has(Generic::Index), &mut self.indices),
        }
    }
}

/// Why the generics of a call stand for nothing: another number of them is written than the method has. What the compiler infers and
/// constants that early releases lack may be left out, and so may all.
fn miscounted(method: &Method, call: &Call) -> Option<UnresolvedReason> {
    let written = call.turbofish.len();
    let plain = method
        .generics
        .iter()
        .filter(|generic| !matches!(generic, Generic::Constant | Generic::Inferred));
    let few = written > 0 && written < plain.count();
    let many = call
        .turbofish
        .iter()
        .skip(method.generics.len())
        .any(is_mapping);
    (few || many).then(|| UnresolvedReason::Generics {
        method: call.name.clone(),
        written,
        needed: method.generics.len(),
    })
}

impl Interpreter<'_> {
    /// Reads a call's turbofish in the order of the method's generics.
    pub(super) fn generics(&mut self, method: &Method, call: &Call) -> Generics {
        let site = self.frame.site.clone();
        let place = call.name_span;
        let mut result = Generics::default();
        let mut arguments = call.turbofish.iter().peekable();
        let miscounted = miscounted(method, call);
        for generic in method.generics {
            // A constant that is left out although a turbofish is there: the mapping after it says so.
            let skipped = *generic == Generic::Constant
                && call.turbofish.len() < method.generics.len()
                && arguments
                    .peek()
                    .is_some_and(|argument| is_mapping(argument));
            let argument: Option<&Argument> = if skipped { None } else { arguments.next() };
            match generic {
                Generic::Scalar => {
                    result.scalar = Some(self.scalar_of_argument(&site, argument, place));
                }
                Generic::Level(level) => {
                    let slot = match &miscounted {
                        Some(reason) => self.own.draft.mappings.failed(reason.clone(), place),
                        None => self.mapping_of_argument(&site, argument, place),
                    };
                    result.levels.push((*level, slot));
                }
                Generic::Index => {
                    let slot = self.mapping_of_argument(&site, argument, place);
                    result.indices.push(slot);
                }
                Generic::Axis => {
                    result.axis = argument.and_then(|argument| self.axis_of(&site, argument));
                }
                Generic::Constant => {
                    let value = argument.and_then(|argument| self.constant_of(&site, argument));
                    let span = argument.map_or(place, |argument| site.span(argument.syntax()));
                    let value = value.and_then(|value| value.as_u64());
                    result.constants.push(Written {
                        value,
                        ..Written::unknown(span)
                    });
                }
                Generic::Inferred => {}
            }
        }
        result
    }

    /// A method of a tensor or view.
    pub(super) fn tensor_method(
        &mut self,
        id: TensorId,
        method: &'static Method,
        call: &Call,
    ) -> Value {
        let Some(source) = self.own.draft.tensor(id).cloned() else {
            return Value::Unknown;
        };
        match method.action {
            Action::View(access) => {
                let kind = TensorType {
                    access,
                    ..source.kind
                };
                let origin = OriginDraft::View { of: id, tile: None };
                Value::Thing(Thing::Tensor(self.own.draft.add_tensor(
                    kind,
                    source.address,
                    origin,
                    call.name_span,
                )))
            }
            Action::Tile(level) => self.tile(id, source, level, method, call),
            Action::Transfer(tier) => self.transfer(id, &source, tier, method, call),
            Action::TransferInto => self.transfer_into(id, &source, method, call),
            Action::Reshape => self.reshape(id, source, method, call),
            Action::Resize { widens } => self.resize(id, source, (method, widens), call),
            Action::Fill => self.fill_view(id, method, call),
            Action::Plan(step) => {
                let plan = self.begin_plan(id, step);
                self.plan_method(plan, step, method, call)
            }
            Action::Shuffle(_) | Action::ParallelCopy(_) => {
                self.tensor_collective(id, &source, method, call)
            }
            Action::Gather => self.lower_gather(id, &source, method, call),
            Action::Scatter => self.scatter(id, method, call),
            _ => Value::Unknown,
        }
    }

    fn tile(
        &mut self,
        id: TensorId,
        source: TensorDraft,
        level: Level,
        method: &Method,
        call: &Call,
    ) -> Value {
        let generics = self.generics(method, call);
        let span = call.name_span;
        let output = generics
            .level(level)
            .unwrap_or_else(|| self.own.draft.mappings.open_slot(span));
        let index = match generics.indices.first() {
            Some(index) => *index,
            None => self.own.draft.mappings.open_slot(span),
        };
        let length = generics
            .constants
            .into_iter()
            .next()
            .unwrap_or_else(|| Written::unknown(span));
        let start = Written {
            value: call.value_of(method, Role::Start).as_u64(),
            ..Written::unknown(call.place_of(method, Role::Start))
        };
        let place = (!self.loops.is_empty()).then(|| (span, self.calls.clone()));
        if let Some(place) = &place {
            self.widen_start(place, start.value);
        }
        let tile = TileDraft {
            level,
            index,
            length,
            start,
            output,
            span,
            place,
        };
        let kind = TensorType {
            levels: source.kind.levels.with_level(level, output),
            ..source.kind
        };
        let origin = OriginDraft::View {
            of: id,
            tile: Some(Box::new(tile)),
        };
        Value::Thing(Thing::Tensor(self.own.draft.add_tensor(
            kind,
            source.address,
            origin,
            span,
        )))
    }

    fn widen_start(&mut self, place: &TilePlace, start: Option<u64>) {
        let range = match (self.own.draft.tile_starts.get(place), start) {
            (None, Some(start)) => Some((start, start)),
            (Some(Some((least, largest))), Some(start)) => {
                Some(((*least).min(start), (*largest).max(start)))
            }
            (Some(None), _) | (_, None) => None,
        };
        self.own.draft.tile_starts.insert(place.clone(), range);
    }

    fn transfer(
        &mut self,
        id: TensorId,
        source: &TensorDraft,
        tier: Tier,
        method: &Method,
        call: &Call,
    ) -> Value {
        let generics = self.generics(method, call);
        let levels = levels_of(tier, |level| {
            let kept = source
                .kind
                .levels
                .get(level)
                .filter(|_| level != Level::Element);
            generics
                .level(level)
                .or(kept)
                .unwrap_or_else(|| self.own.draft.mappings.open_slot(call.name_span))
        });
        let kind = TensorType {
            tier,
            access: Access::Owned,
            scalar: source.kind.scalar,
            levels,
        };
        let given = call.given_argument(method, Role::Address);
        let address = self.address(given, call.name_span);
        let default = if source.kind.tier == Tier::Host {
            Context::PcieDma
        } else {
            Context::TensorDma
        };
        let context = context_of_argument(method, call, default);
        let copy = Copy {
            method: method.name,
            source: id,
            target: TensorId(u32::MAX),
            span: call.name_span,
        };
        let Some(place) = self.operation(KindDraft::Copy(copy), context, call.name_span) else {
            return Value::Unknown;
        };
        self.check_address(place, given.is_some(), &address);
        let target =
            self.own
                .draft
                .add_tensor(kind, address, OriginDraft::Operation(place), call.name_span);
        if let Some(KindDraft::Copy(copy)) = self
            .own
            .draft
            .operations
            .get_mut(place)
            .map(|operation| &mut operation.kind)
        {
            copy.target = target;
        }
        Value::Thing(Thing::Tensor(target))
    }

    /// An address that is written and no constant leaves the operation unresolved.
    pub(super) fn check_address(&mut self, place: usize, written: bool, address: &Address) {
        if written && address.value == AddressValue::Unknown {
            let reason = UnresolvedReason::UnsupportedExpression(COMPUTED_ADDRESS.to_owned());
            self.own.draft.fail(place, reason, address.span);
        }
    }

    fn transfer_into(
        &mut self,
        id: TensorId,
        source: &TensorDraft,
        method: &Method,
        call: &Call,
    ) -> Value {
        let context = context_of_argument(method, call, Context::TensorDma);
        let Value::Thing(Thing::Tensor(target)) = call.value_of(method, Role::Target) else {
            let reason =
                UnresolvedReason::UnsupportedExpression("the target of a transfer".to_owned());
            self.unresolved(reason, call.place_of(method, Role::Target));
            return Value::Unit;
        };
        if let Some(target) = self.own.draft.tensor(target).map(|target| target.kind) {
            self.own
                .draft
                .scalars
                .unify(source.kind.scalar, target.scalar);
            let kept = if target.tier == source.kind.tier {
                &[Level::Chip, Level::Cluster][..]
            } else {
                &[Level::Chip][..]
            };
            for level in kept {
                if let (Some(own), Some(other)) =
                    (source.kind.levels.get(*level), target.levels.get(*level))
                {
                    self.own.draft.mappings.unify(own, other);
                }
            }
        }
        let copy = Copy {
            method: method.name,
            source: id,
            target,
            span: call.name_span,
        };
        self.operation(KindDraft::Copy(copy), context, call.name_span);
        Value::Unit
    }

    /// A view with other padding behind its elements.
    fn resize(
        &mut self,
        id: TensorId,
        source: TensorDraft,
        (method, widens): (&Method, bool),
        call: &Call,
    ) -> Value {
        let generics = self.generics(method, call);
        let element = generics
            .level(Level::Element)
            .unwrap_or_else(|| self.own.draft.mappings.open_slot(call.name_span));
        let kind = TensorType {
            levels: source.kind.levels.with_level(Level::Element, element),
            ..source.kind
        };
        let origin = OriginDraft::Resized { of: id, widens };
        Value::Thing(Thing::Tensor(self.own.draft.add_tensor(
            kind,
            source.address,
            origin,
            call.name_span,
        )))
    }

    fn reshape(
        &mut self,
        id: TensorId,
        source: TensorDraft,
        method: &Method,
        call: &Call,
    ) -> Value {
        let generics = self.generics(method, call);
        let levels = levels_of(source.kind.tier, |level| {
            generics
                .level(level)
                .unwrap_or_else(|| self.own.draft.mappings.open_slot(call.name_span))
        });
        let kind = TensorType {
            levels,
            ..source.kind
        };
        self.own.draft.mark_moved(id);
        Value::Thing(Thing::Tensor(self.own.draft.add_tensor(
            kind,
            source.address,
            OriginDraft::Reshape { of: id },
            call.name_span,
        )))
    }
}

/// The context that a call is given.
pub(super) fn context_of_argument(method: &Method, call: &Call, default: Context) -> Context {
    match call.given_argument(method, Role::Context) {
        Some((Value::Thing(Thing::Context(Some(context))), _)) => *context,
        _ => default,
    }
}
