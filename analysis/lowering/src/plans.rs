//! Plans: transfers that several methods describe and the last one carries out (redistributions between chips and clusters,
//! gathers, scatters); and collectives that are methods of a tensor.
//!
//! Keeps each step as written. Whether a plan can be carried out is the derivation's question.

use crate::items::Span;
use crate::kernel::catalogue::Role;
use crate::kernel::dialect::{Access, Action, Method, PlanKind, PlanStep};
use crate::kernel::{
    Address, AddressValue, Context, Level, Parts, TensorId, Tier, UnresolvedReason, Written,
};

use super::collectives::{CollectiveDraft, RowsDraft, StepDraft, WorkDraft, parts_of, tensor_of};
use super::draft::{KindDraft, TensorDraft, levels_of};
use super::slots::MappingSlot;
use super::transfers::{Generics, context_of_argument};
use super::types::TensorType;
use super::{Call, Interpreter, Thing, Value};

/// A plan that has not been carried out.
#[derive(Debug, Clone)]
pub(super) struct PlanDraft {
    pub(super) kind: PlanKind,
    /// The tensor whose method began the plan.
    pub(super) tensor: TensorId,
    pub(super) steps: Vec<StepDraft>,
    pub(super) rows: Option<RowsDraft>,
    pub(super) index: Option<TensorId>,
}

impl PlanDraft {
    /// The step that decides what may come next; none before the first.
    pub(super) fn last(&self) -> Option<PlanStep> {
        let Some(rows) = &self.rows else {
            return self.steps.last().map(StepDraft::plan_step);
        };
        Some(match (&rows.prefix, &rows.domain) {
            (Some(_), _) => PlanStep::Prefix,
            (None, Some(_)) if rows.positions => PlanStep::Positions,
            (None, Some(_)) => PlanStep::Offsets,
            (None, None) if self.kind == PlanKind::Scatter => PlanStep::Scatter,
            (None, None) => PlanStep::Gather,
        })
    }
}

impl Interpreter<'_> {
    /// A step of a plan: the first is a method of a tensor, the last carries the plan out.
    pub(super) fn plan_method(
        &mut self,
        mut plan: PlanDraft,
        step: PlanStep,
        method: &'static Method,
        call: &Call,
    ) -> Value {
        let generics = self.generics(method, call);
        let slot = |lowering: &mut Self, at: usize| lowering.index_slot(&generics, at, call);
        match step {
            PlanStep::Shuffle(level) => {
                let parts = self.swapped(parts_of(level, &generics, method, call), method);
                plan.steps.push(StepDraft::Shuffle(parts));
            }
            PlanStep::Slice(level) => {
                let index = slot(self, 0);
                let element = self.element_slot(&generics, call);
                plan.steps.push(StepDraft::Slice {
                    parts: parts_of(level, &generics, method, call),
                    index,
                    element,
                });
            }
            PlanStep::Gather | PlanStep::Scatter => {
                plan.rows = Some(RowsDraft {
                    axis: slot(self, 0),
                    payload: slot(self, 1),
                    domain: None,
                    positions: false,
                    prefix: None,
                });
            }
            PlanStep::Offsets | PlanStep::Positions => {
                let domain = slot(self, 0);
                if let Some(rows) = &mut plan.rows {
                    rows.domain = Some(domain);
                    rows.positions = step == PlanStep::Positions;
                }
                plan.index = tensor_of(&call.value_of(method, Role::Indices));
            }
            PlanStep::Prefix => {
                if let Some(rows) = &mut plan.rows {
                    rows.prefix = Some(Written {
                        value: call.value_of(method, Role::Start).as_u64(),
                        ..Written::unknown(call.place_of(method, Role::Start))
                    });
                }
            }
            PlanStep::Make | PlanStep::Write => {
                return self.carry_out(plan, &generics, method, call);
            }
        }
        Value::Thing(Thing::Plan(Box::new(plan)))
    }

    /// The plan that a method of a tensor begins.
    pub(super) fn begin_plan(&self, tensor: TensorId, step: PlanStep) -> PlanDraft {
        let kind = match step {
            PlanStep::Gather => PlanKind::Gather,
            PlanStep::Scatter => PlanKind::Scatter,
            _ => PlanKind::Redistribution,
        };
        PlanDraft {
            kind,
            tensor,
            steps: Vec::new(),
            rows: None,
            index: None,
        }
    }

    fn index_slot(&mut self, generics: &Generics, at: usize, call: &Call) -> MappingSlot {
        match generics.indices.get(at) {
            Some(slot) => *slot,
            None => self.own.draft.mappings.open_slot(call.name_span),
        }
    }

    fn element_slot(&mut self, generics: &Generics, call: &Call) -> MappingSlot {
        generics
            .level(Level::Element)
            .unwrap_or_else(|| self.own.draft.mappings.open_slot(call.name_span))
    }

    /// A shuffle without a pattern swaps the two clusters.
    fn swapped(&self, parts: Parts, method: &Method) -> Parts {
        if method.has_role(Role::Pattern) {
            return parts;
        }
        Parts {
            pattern: Written {
                value: Some(vec![Some(1), Some(0)]),
                ..parts.pattern
            },
            ..parts
        }
    }

    fn carry_out(
        &mut self,
        plan: PlanDraft,
        generics: &Generics,
        method: &'static Method,
        call: &Call,
    ) -> Value {
        let span = call.name_span;
        let context = context_of_argument(method, call, Context::TensorDma);
        let role = match plan.kind {
            PlanKind::Scatter => Role::Source,
            PlanKind::Redistribution | PlanKind::Gather => Role::Target,
        };
        let given = tensor_of(&call.value_of(method, role));
        if method.has_role(role) && given.is_none() {
            let reason = UnresolvedReason::UnsupportedExpression(
                "the tensor of a planned transfer".to_owned(),
            );
            self.unresolved(reason, call.place_of(method, role));
            return Value::Unit;
        }
        let (sources, target) = match (plan.kind, given) {
            (PlanKind::Scatter, Some(updates)) => (vec![updates], Some(plan.tensor)),
            (_, target) => (vec![plan.tensor], target),
        };
        let mut sources = sources;
        sources.extend(plan.index);
        let work = match (plan.kind, plan.rows) {
            (PlanKind::Gather, Some(rows)) => WorkDraft::GatherRows(rows),
            (PlanKind::Scatter, Some(rows)) => WorkDraft::ScatterRows(rows),
            _ => WorkDraft::Redistribute {
                steps: plan.steps,
                asymmetric: false,
            },
        };
        let draft = CollectiveDraft {
            method: method.name,
            sources,
            targets: target.into_iter().collect(),
            work,
            span,
        };
        if target.is_some() {
            self.operation(KindDraft::Collective(draft), context, span);
            return Value::Unit;
        }
        let Some(kind) = self.own.draft.tensor(plan.tensor).map(|tensor| tensor.kind) else {
            return Value::Unknown;
        };
        let levels = levels_of(Tier::Dm, |level| {
            let kept = kind.levels.get(level).filter(|_| level != Level::Element);
            generics
                .level(level)
                .or(kept)
                .unwrap_or_else(|| self.own.draft.mappings.open_slot(span))
        });
        self.made_by_collective(
            draft,
            TensorType {
                tier: Tier::Dm,
                access: Access::Owned,
                levels,
                ..kind
            },
            context,
        )
    }

    /// A collective that is a method of a tensor: a shuffle, or a part of an axis for each part of a level.
    pub(super) fn tensor_collective(
        &mut self,
        id: TensorId,
        source: &TensorDraft,
        method: &'static Method,
        call: &Call,
    ) -> Value {
        let generics = self.generics(method, call);
        let context = context_of_argument(method, call, Context::TensorDma);
        let mut levels = source.kind.levels;
        let step = match method.action {
            Action::ParallelCopy(level) => {
                let index = self.index_slot(&generics, 0, call);
                let element = self.element_slot(&generics, call);
                levels = levels.with_level(Level::Element, element);
                StepDraft::Slice {
                    parts: parts_of(level, &generics, method, call),
                    index,
                    element,
                }
            }
            Action::Shuffle(level) => {
                let parts = parts_of(level, &generics, method, call);
                StepDraft::Shuffle(self.swapped(parts, method))
            }
            _ => return Value::Unknown,
        };
        let draft = CollectiveDraft {
            method: method.name,
            sources: vec![id],
            targets: Vec::new(),
            work: WorkDraft::Redistribute {
                asymmetric: matches!(step, StepDraft::Slice { .. }),
                steps: vec![step],
            },
            span: call.name_span,
        };
        let kind = TensorType {
            access: Access::Owned,
            levels,
            ..source.kind
        };
        self.made_by_collective(draft, kind, context)
    }

    /// Sets every element of a view to a value.
    pub(super) fn fill_view(
        &mut self,
        id: TensorId,
        method: &'static Method,
        call: &Call,
    ) -> Value {
        let context = context_of_argument(method, call, Context::Sub);
        let draft = CollectiveDraft {
            method: method.name,
            sources: Vec::new(),
            targets: vec![id],
            work: WorkDraft::Fill(super::operands::number_of(
                &call.value_of(method, Role::Value),
            )),
            span: call.name_span,
        };
        self.operation(KindDraft::Collective(draft), context, call.name_span);
        Value::Unit
    }

    fn made_by_collective(
        &mut self,
        draft: CollectiveDraft,
        kind: TensorType,
        context: Context,
    ) -> Value {
        let address = unknown_address(draft.span);
        let made = self.collective(draft, kind, address, context);
        made.map_or(Value::Unknown, |(_, value)| value)
    }
}

/// The address of what the library puts where it likes.
pub(super) const fn unknown_address(span: Span) -> Address {
    Address {
        value: AddressValue::Unknown,
        span,
    }
}
