//! What one expression of a function stands for, in the middle of a chain that may not be finished yet.
//!
//! The function is lowered as for its body, and the value of the expression that ends at a given place is kept: the first
//! run of a loop stands for all.

use ra_ap_syntax::ast::{self, AstNode};
use rustc_hash::FxHashMap;

use crate::db::Db;
use crate::items::{ItemId, Span};
use crate::kernel::dialect::{Access, PlanKind, PlanStep};
use crate::kernel::{Body, Context, OperationId, TensorId};

use super::{Interpreter, Thing, Value, functions};

/// What an expression stands for, by the numbers of the body beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Probed {
    /// An open stream: the pass, and how many of its stages are before the place.
    Stream {
        /// The pass.
        pass: OperationId,
        /// Stages of it that the expression has run.
        stages: usize,
    },
    /// A tensor or a view.
    Tensor {
        /// Its number.
        id: TensorId,
        /// Whether it is the tensor itself or a view, and of which kind.
        access: Access,
    },
    /// `ctx.main` and its like; `None` where the function is generic over it.
    Context(Option<Context>),
    /// The whole context.
    Device,
    /// A plan of a transfer that was not carried out yet.
    Plan {
        /// What it will do.
        kind: PlanKind,
        /// Its last step.
        last: PlanStep,
    },
    /// One value in HBM.
    RunTimeValue,
}

/// Lowers a function and says what the expression stands for that ends at an offset of the function's text; none where it
/// is nothing of the library, or was not followed.
pub fn probe(db: &dyn Db, function: ItemId, end: u32) -> Option<(Body, Probed)> {
    let watch = Watch {
        item: function.owner(db),
        end,
        seen: None,
    };
    let (body, probed) = functions::lower_watching(db, function, Some(watch));
    Some((body, probed?))
}

/// An expression whose value is asked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Watch {
    item: ItemId,
    end: u32,
    pub(super) seen: Option<Seen>,
}

/// The value of a watched expression when it was met.
#[derive(Debug, Clone, Copy)]
pub(super) enum Seen {
    /// The pass's place in the draft, and its stages so far.
    Stream(usize, usize),
    Tensor(TensorId, Access),
    Context(Option<Context>),
    Device,
    Plan(PlanKind, PlanStep),
    RunTimeValue,
}

impl Seen {
    /// The same by the numbers of the finished body; none if a branch copied the operation away.
    pub(super) fn with_final_numbers(
        self,
        numbers: &FxHashMap<usize, OperationId>,
    ) -> Option<Probed> {
        Some(match self {
            Self::Stream(place, stages) => Probed::Stream {
                pass: *numbers.get(&place)?,
                stages,
            },
            Self::Tensor(id, access) => Probed::Tensor { id, access },
            Self::Context(context) => Probed::Context(context),
            Self::Device => Probed::Device,
            Self::Plan(kind, last) => Probed::Plan { kind, last },
            Self::RunTimeValue => Probed::RunTimeValue,
        })
    }
}

impl Interpreter<'_> {
    /// Keeps the value of an expression if it is the one that is asked for.
    pub(super) fn watched(&mut self, expression: &ast::Expr, value: &Value) {
        let Some(watch) = self.own.watch else {
            return;
        };
        if watch.seen.is_some() {
            return;
        }
        let span: Span = self.frame.site.span(expression.syntax());
        if span.item != watch.item || span.end != watch.end {
            return;
        }
        let seen = match value {
            Value::Thing(Thing::Stream(pass)) => self
                .own
                .draft
                .pass(*pass)
                .map(|draft| Seen::Stream(*pass, draft.stages.len())),
            Value::Thing(Thing::Tensor(id)) => self
                .own
                .draft
                .tensor(*id)
                .map(|tensor| Seen::Tensor(*id, tensor.kind.access)),
            Value::Thing(Thing::Context(context)) => Some(Seen::Context(*context)),
            Value::Thing(Thing::Device) => Some(Seen::Device),
            Value::Thing(Thing::Plan(plan)) => plan.last().map(|last| Seen::Plan(plan.kind, last)),
            Value::Thing(Thing::RunTimeValue(_)) => Some(Seen::RunTimeValue),
            _ => None,
        };
        self.own.watch = Some(Watch { seen, ..watch });
    }
}
