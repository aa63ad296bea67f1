//! What the walk records: operations where it is, what could not be followed, what a limit leaves out.

use rustc_hash::FxHashSet;

use ra_ap_syntax::ast::{self, AstNode};

use crate::items::Span;
use crate::kernel::dialect::Action;
use crate::kernel::{Context, PassEnd, PassSource, Unresolved, UnresolvedReason};

use super::draft::{KindDraft, LostMethod, OperationDraft, PassDraft};
use super::markers::is_mapping;
use super::types::ShapeSlots;
use super::{Call, Interpreter, Thing, Value};

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
        let operations = self.own.draft.operations.len();
        // Behind the second question the function's text is read once.
        if operations >= self.limits.0 && operations >= self.operation_limit() {
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

    /// Notes a method that ends a pass, or that is given a mapping, on a value that is not known.
    pub(super) fn note_lost_method(&mut self, call: &Call) {
        let mut methods = self.own.dialect.methods_of_any_release(&call.name);
        let ends = methods.any(|method| match method.action {
            Action::Stages(uses) => uses.last().is_some_and(|last| last.stage.ends_stream()),
            _ => false,
        });
        drop(methods);
        let mapped = call.turbofish.iter().any(is_mapping);
        if ends || mapped {
            let place = call.name_span;
            self.own.draft.lost.push(LostMethod {
                place,
                mapped,
                ends,
            });
        }
    }

    /// Says what became of methods on values that are not known: which macros are not expanded, or else where passes end
    /// on them. Where something else could not be followed, they come of it.
    pub(super) fn say_what_was_lost(&mut self, is_kernel: bool) {
        let lost = std::mem::take(&mut self.own.draft.lost);
        // A `commit` alone may be anything's.
        let Some(first) = lost
            .iter()
            .find(|method| is_kernel || method.mapped)
            .map(|method| method.place)
        else {
            return;
        };
        let macros = std::mem::take(&mut self.unexpanded);
        let draft = &mut self.own.draft;
        if !macros.is_empty() {
            draft.unresolved.extend(macros);
            return;
        }
        let failed = |operation: &OperationDraft| operation.failure.is_some();
        if !draft.unresolved.is_empty() || draft.operations.iter().any(failed) {
            return;
        }
        let ends = lost.iter().filter(|method| method.ends);
        let mut places: Vec<Span> = ends.map(|method| method.place).collect();
        if places.is_empty() {
            places.push(first);
        }
        for place in places {
            self.unresolved(UnresolvedReason::NotInferred, place);
        }
    }

    /// Records something that no operation of the draft stands for.
    pub(super) fn unresolved(&mut self, reason: UnresolvedReason, span: Span) {
        self.own.draft.unresolved.push(Unresolved::at(reason, span));
    }
}
