//! Collectives: gathers, scatters, shuffles, parallel copies.
//!
//! Keeps what the library's checks of them need: the key of a scatter, how many parts a level is said to have and what
//! each of them takes, the index of a parallel copy and the elements that it leaves.

use crate::items::{ConstValue, Span};
use crate::kernel::catalogue::Role;
use crate::kernel::dialect::{Access, Action, Method, PlanStep};
use crate::kernel::{
    Address, AddressValue, Collective, CollectiveWork, Context, Level, Parts, RedistributionStep,
    Rows, TensorId, Tier, UnresolvedReason, Written,
};

use crate::mapping::Mapping;

use super::draft::{KindDraft, OriginDraft, TensorDraft, levels_of};
use super::finish::Finish;
use super::slots::MappingSlot;
use super::transfers::Generics;
use super::types::TensorType;
use super::{Call, Interpreter, Thing, Value};

/// The words for a gather: the library has no body for it and the book no rule, so nothing says which of the table's axes
/// the indices count.
const GATHERED: &str = "what a gather makes of its table";

/// A collective over slots.
#[derive(Debug, Clone)]
pub(super) struct CollectiveDraft {
    pub(super) method: &'static str,
    pub(super) sources: Vec<TensorId>,
    pub(super) targets: Vec<TensorId>,
    pub(super) work: WorkDraft,
    pub(super) span: Span,
}

/// What it does, over slots.
#[derive(Debug, Clone)]
pub(super) enum WorkDraft {
    Fill(Option<ConstValue>),
    GatherRows(RowsDraft),
    ScatterRows(RowsDraft),
    Redistribute {
        steps: Vec<StepDraft>,
        asymmetric: bool,
    },
    Gather,
    Scatter {
        key: MappingSlot,
    },
    Shuffle(Parts),
    ParallelCopy {
        parts: Parts,
        index: MappingSlot,
        sliced: MappingSlot,
    },
}

/// The rows of a gather or scatter, over slots.
#[derive(Debug, Clone)]
pub(super) struct RowsDraft {
    pub(super) axis: MappingSlot,
    pub(super) payload: MappingSlot,
    pub(super) domain: Option<MappingSlot>,
    pub(super) positions: bool,
    pub(super) prefix: Option<Written<u64>>,
}

/// A step of a redistribution, over slots.
#[derive(Debug, Clone)]
pub(super) enum StepDraft {
    Shuffle(Parts),
    Slice {
        parts: Parts,
        index: MappingSlot,
        element: MappingSlot,
    },
}

impl StepDraft {
    /// Which step it is.
    pub(super) const fn plan_step(&self) -> PlanStep {
        match self {
            Self::Shuffle(parts) => PlanStep::Shuffle(parts.level),
            Self::Slice { parts, .. } => PlanStep::Slice(parts.level),
        }
    }

    /// Who takes what.
    pub(super) const fn parts(&self) -> &Parts {
        match self {
            Self::Shuffle(parts) | Self::Slice { parts, .. } => parts,
        }
    }
}

impl CollectiveDraft {
    /// The mappings that are no level of a tensor.
    pub(super) fn slots(&self) -> impl Iterator<Item = MappingSlot> {
        let slots: Vec<MappingSlot> = match &self.work {
            WorkDraft::Fill(_) | WorkDraft::Gather | WorkDraft::Shuffle(_) => Vec::new(),
            WorkDraft::GatherRows(rows) | WorkDraft::ScatterRows(rows) => {
                let named = [rows.axis, rows.payload];
                named.into_iter().chain(rows.domain).collect()
            }
            WorkDraft::Redistribute { steps, .. } => {
                let slices = steps.iter().filter_map(|step| match step {
                    StepDraft::Slice { index, element, .. } => Some([*index, *element]),
                    StepDraft::Shuffle(_) => None,
                });
                slices.flatten().collect()
            }
            WorkDraft::Scatter { key } => vec![*key],
            WorkDraft::ParallelCopy { index, sliced, .. } => vec![*index, *sliced],
        };
        slots.into_iter()
    }
}

impl Finish {
    /// The collective with everything that was inferred.
    pub(super) fn collective(&self, draft: CollectiveDraft) -> Collective {
        let mapping = |slot| self.mapping(slot, draft.span);
        Collective {
            work: match draft.work {
                WorkDraft::Fill(value) => CollectiveWork::Fill { value },
                WorkDraft::GatherRows(rows) => CollectiveWork::GatherRows(rows_of(rows, mapping)),
                WorkDraft::ScatterRows(rows) => CollectiveWork::ScatterRows(rows_of(rows, mapping)),
                WorkDraft::Redistribute { steps, asymmetric } => CollectiveWork::Redistribute {
                    steps: steps
                        .into_iter()
                        .map(|step| step_of(step, mapping))
                        .collect(),
                    asymmetric,
                },
                WorkDraft::Gather => CollectiveWork::Gather,
                WorkDraft::Scatter { key } => CollectiveWork::Scatter { key: mapping(key) },
                WorkDraft::Shuffle(parts) => CollectiveWork::Shuffle(parts),
                WorkDraft::ParallelCopy {
                    parts,
                    index,
                    sliced,
                } => CollectiveWork::ParallelCopy {
                    parts,
                    index: mapping(index),
                    sliced: mapping(sliced),
                },
            },
            method: draft.method,
            sources: draft.sources,
            targets: draft.targets,
            span: draft.span,
        }
    }
}

impl Interpreter<'_> {
    /// A shuffle or parallel copy.
    pub(super) fn context_collective(
        &mut self,
        context: Option<Context>,
        method: &'static Method,
        call: &Call,
    ) -> Value {
        let generics = self.generics(method, call);
        let Value::Thing(Thing::Tensor(source)) = call.value_of(method, Role::Source) else {
            let reason =
                UnresolvedReason::UnsupportedExpression("the source of a collective".to_owned());
            self.unresolved(reason, call.place_of(method, Role::Source));
            return Value::Unknown;
        };
        let Some(kind) = self.own.draft.tensor(source).map(|tensor| tensor.kind) else {
            return Value::Unknown;
        };
        let levels = match generics.level(Level::Element) {
            Some(element) => kind.levels.with_level(Level::Element, element),
            None => kind.levels,
        };
        let kind = TensorType {
            access: Access::Owned,
            levels,
            ..kind
        };
        // The library makes these at the start of the memory.
        let address = Address {
            value: AddressValue::Bytes(0),
            span: call.name_span,
        };
        let draft = CollectiveDraft {
            method: method.name,
            sources: vec![source],
            targets: Vec::new(),
            work: self.work_of_parts(method, &generics, call),
            span: call.name_span,
        };
        let made = self.collective(draft, kind, address, context.unwrap_or(Context::Sub));
        made.map_or(Value::Unknown, |(_, value)| value)
    }

    fn work_of_parts(&mut self, method: &Method, generics: &Generics, call: &Call) -> WorkDraft {
        let parts_of = |level| parts_of(level, generics, method, call);
        match method.action {
            Action::ParallelCopy(level) => {
                let mut index = |at: usize| match generics.indices.get(at) {
                    Some(slot) => *slot,
                    None => self.own.draft.mappings.open_slot(call.name_span),
                };
                WorkDraft::ParallelCopy {
                    parts: parts_of(level),
                    index: index(0),
                    sliced: index(1),
                }
            }
            Action::Shuffle(level) => WorkDraft::Shuffle(parts_of(level)),
            _ => WorkDraft::Gather,
        }
    }

    pub(super) fn lower_gather(
        &mut self,
        id: TensorId,
        source: &TensorDraft,
        method: &'static Method,
        call: &Call,
    ) -> Value {
        let generics = self.generics(method, call);
        let levels = levels_of(Tier::Dm, |level| {
            let kept = source.kind.levels.chip.filter(|_| level == Level::Chip);
            generics
                .level(level)
                .or(kept)
                .unwrap_or_else(|| self.own.draft.mappings.open_slot(call.name_span))
        });
        let kind = TensorType {
            tier: Tier::Dm,
            access: Access::Owned,
            scalar: source.kind.scalar,
            levels,
        };
        let address = self.address(call.given_argument(method, Role::Address), call.name_span);
        let index = call.value_of(method, Role::Indices);
        let index = tensor_of(&index);
        let draft = CollectiveDraft {
            method: method.name,
            sources: std::iter::once(id).chain(index).collect(),
            targets: Vec::new(),
            work: WorkDraft::Gather,
            span: call.name_span,
        };
        let Some((place, value)) = self.collective(draft, kind, address, Context::TensorDma) else {
            return Value::Unknown;
        };
        if method.without_body {
            let reason = UnresolvedReason::UnsupportedExpression(GATHERED.to_owned());
            self.own.draft.fail(place, reason, call.name_span);
        }
        value
    }

    pub(super) fn scatter(&mut self, id: TensorId, method: &'static Method, call: &Call) -> Value {
        let generics = self.generics(method, call);
        let given =
            [Role::Indices, Role::Target].map(|role| tensor_of(&call.value_of(method, role)));
        let [Some(index), Some(target)] = given else {
            let reason =
                UnresolvedReason::UnsupportedExpression("the tensors of a scatter".to_owned());
            self.unresolved(reason, call.name_span);
            return Value::Unit;
        };
        let key = match generics.indices.first() {
            Some(key) => *key,
            None => self.own.draft.mappings.open_slot(call.name_span),
        };
        let draft = CollectiveDraft {
            method: method.name,
            sources: vec![id, index],
            targets: vec![target],
            work: WorkDraft::Scatter { key },
            span: call.name_span,
        };
        self.operation(
            KindDraft::Collective(draft),
            Context::TensorDma,
            call.name_span,
        );
        Value::Unit
    }

    /// Adds a collective that makes a tensor: its place, and the tensor.
    pub(super) fn collective(
        &mut self,
        draft: CollectiveDraft,
        kind: TensorType,
        address: Address,
        context: Context,
    ) -> Option<(usize, Value)> {
        let span = draft.span;
        let place = self.operation(KindDraft::Collective(draft), context, span)?;
        self.check_address(place, self.own.dialect.is_addressed(), &address);
        let target = self
            .own
            .draft
            .add_tensor(kind, address, OriginDraft::Operation(place), span);
        if let Some(KindDraft::Collective(collective)) = self
            .own
            .draft
            .operations
            .get_mut(place)
            .map(|operation| &mut operation.kind)
        {
            collective.targets.push(target);
        }
        Some((place, Value::Thing(Thing::Tensor(target))))
    }
}

/// The parts of a level as a call has them. The library takes the pattern as an array of as many values as there are parts,
/// so that a number which is left to inference is the pattern's length.
pub(super) fn parts_of(level: Level, generics: &Generics, method: &Method, call: &Call) -> Parts {
    let span = call.place_of(method, Role::Pattern);
    let values = match call.value_of(method, Role::Pattern) {
        Value::Array(values) => Some(values.iter().map(Value::as_u64).collect::<Vec<_>>()),
        _ => None,
    };
    let length = values.as_ref().map(|values| values.len() as u64);
    let dimension = generics
        .constants
        .first()
        .map(|written| match written.value {
            Some(_) => written.clone(),
            None => Written {
                value: length,
                ..Written::unknown(span)
            },
        });
    Parts {
        level,
        dimension,
        pattern: Written {
            value: values,
            ..Written::unknown(span)
        },
    }
}

/// The tensor that a value is.
pub(super) fn tensor_of(value: &Value) -> Option<TensorId> {
    match value {
        Value::Thing(Thing::Tensor(id)) => Some(*id),
        _ => None,
    }
}

fn rows_of(draft: RowsDraft, mapping: impl Fn(MappingSlot) -> Written<Mapping>) -> Rows {
    Rows {
        axis: mapping(draft.axis),
        payload: mapping(draft.payload),
        domain: draft.domain.map(mapping),
        positions: draft.positions,
        prefix: draft.prefix,
    }
}

fn step_of(
    draft: StepDraft,
    mapping: impl Fn(MappingSlot) -> Written<Mapping>,
) -> RedistributionStep {
    match draft {
        StepDraft::Shuffle(parts) => RedistributionStep::Shuffle(parts),
        StepDraft::Slice {
            parts,
            index,
            element,
        } => RedistributionStep::Slice {
            parts,
            index: mapping(index),
            element: mapping(element),
        },
    }
}
