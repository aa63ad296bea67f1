//! What the walk records: operations where it is, what could not be followed, what a limit leaves out.

use rustc_hash::FxHashSet;

use ra_ap_syntax::ast::{self, AstNode};

use crate::items::Span;
use crate::kernel::{Context, PassEnd, PassSource, Unresolved, UnresolvedReason};

use super::draft::{KindDraft, OperationDraft, PassDraft};
use super::types::ShapeSlots;
use super::{Interpreter, Thing, Value};

impl Interpreter<'_> {
    /// Begins a pass.
    pub(super) fn begin_pass(
        &mut self,
        context: Option<Context>,
        source: PassSource,
        begin: ShapeSlots,
        span: Span,
    ) -> Value {
        let pass = PassDraft {
            context,
            source,
            begin,
            stages: Vec::new(),
            end: PassEnd::Open,
        };
        let operation = self.operation(
            KindDraft::Pass(pass),
            context.unwrap_or(Context::Main),
            span,
        );
        operation.map_or(Value::Unknown, |pass| Value::Thing(Thing::Stream(pass)))
    }

    /// Adds an operation where the interpretation is.
    pub(super) fn operation(
        &mut self,
        kind: KindDraft,
        context: Context,
        span: Span,
    ) -> Option<usize> {
        if self.own.draft.operations.len() >= self.limits.0 {
            self.exhausted = true;
            return None;
        }
        let touched = self.own.draft.tick();
        self.own.draft.operations.push(OperationDraft {
            kind,
            context,
            span,
            loops: self.loops.clone(),
            branches: self.branches.clone(),
            calls: self.calls.clone(),
            touched,
            superseded: false,
            failure: None,
        });
        self.own.draft.operations.len().checked_sub(1)
    }

    /// Says which operations of the function come after a limit: the rest of its text is not looked at.
    pub(super) fn say_what_is_beyond_limits(&mut self, function: &ast::Fn) {
        if !self.exhausted {
            return;
        }
        let operations = self
            .own
            .draft
            .operations
            .iter()
            .map(|operation| operation.span);
        let unresolved = self
            .own
            .draft
            .unresolved
            .iter()
            .map(|place| place.operation);
        let seen: FxHashSet<Span> = operations.chain(unresolved).collect();
        let rest: Vec<Span> = self
            .operations_in(function.syntax())
            .into_iter()
            .filter(|span| !seen.contains(span))
            .collect();
        if rest.is_empty() {
            // What helpers do further on.
            let here = self.here;
            self.unresolved(UnresolvedReason::TooManyOperations, here);
        }
        for span in rest {
            self.unresolved(UnresolvedReason::TooManyOperations, span);
        }
    }

    /// Records something that no operation of the draft stands for.
    pub(super) fn unresolved(&mut self, reason: UnresolvedReason, span: Span) {
        self.own.draft.unresolved.push(Unresolved::at(reason, span));
    }
}
