//! Loops: unrolled while that stays small, else their first two runs and the last.

use ra_ap_syntax::TextRange;
use ra_ap_syntax::ast::{self, AstNode, HasLoopBody};

use crate::items::Span;
use crate::kernel::{LoopFrame, UnresolvedReason};

use super::values::{Sequence, Value};
use super::{Flow, ITERATION_LIMIT, Interpreter};

impl Interpreter<'_> {
    pub(super) fn for_loop(&mut self, run: &ast::ForExpr) -> Value {
        let over = run
            .iterable()
            .map_or(Value::Unknown, |iterable| self.expression(&iterable));
        if self.flow != Flow::Next {
            return Value::Unknown;
        }
        let (Some(pattern), Some(body)) = (run.pat(), run.loop_body()) else {
            return Value::Unit;
        };
        let span = self.keyword(
            run.for_token().map(|token| token.text_range()),
            run.syntax().text_range(),
        );
        let sequence = match over {
            Value::Sequence(sequence) => sequence,
            Value::Array(values) => Sequence::List(values),
            _ => {
                self.unbounded(span, &body, Some(&pattern));
                return Value::Unit;
            }
        };
        let count = sequence.count();
        let mut shortened = count > ITERATION_LIMIT.saturating_sub(self.iterations);
        let mut iteration = 0;
        let start = self.draft.operations.len();
        while iteration < count && !self.exhausted {
            let before = (
                self.iterations,
                self.draft.operations.len(),
                self.expressions,
            );
            if !self.iteration(
                span,
                &body,
                (iteration, Some(count)),
                Some((&pattern, sequence.at(iteration))),
            ) {
                break;
            }
            if iteration == 0 && !shortened {
                shortened = self.is_too_long(count, before);
            }
            iteration = match iteration {
                0 => 1,
                1 if shortened => count.saturating_sub(1).max(2),
                other => other + 1,
            };
        }
        if shortened && count > 3 {
            self.draft.shortened_loops.push(span);
            let names = names_in(&pattern);
            if self.draft.operations.len() > start && depends(&body, &names) {
                // The last run and the first two are followed.
                self.unresolved(UnresolvedReason::LongLoop(Some(count)), span);
            }
        }
        Value::Unit
    }

    /// Whether all runs together would exceed what a body may have, from what the first one took.
    fn is_too_long(
        &self,
        count: u64,
        (iterations, operations, expressions): (u64, usize, u64),
    ) -> bool {
        let (operation_limit, expression_limit) = self.limits;
        let operation_limit = u64::try_from(operation_limit).unwrap_or(u64::MAX);
        let length = |operations: usize| u64::try_from(operations).unwrap_or(u64::MAX);
        let exceeds = |before: u64, now: u64, limit: u64| {
            count.saturating_mul(now.saturating_sub(before)) > limit.saturating_sub(before)
        };
        exceeds(iterations, self.iterations, ITERATION_LIMIT)
            || exceeds(
                length(operations),
                length(self.draft.operations.len()),
                operation_limit,
            )
            // Half of what is left, so that something can come after the loop.
            || exceeds(expressions, self.expressions, expression_limit / 2)
    }

    /// One run of a loop's body; false where the loop ends with it.
    fn iteration(
        &mut self,
        span: Span,
        body: &ast::BlockExpr,
        (iteration, count): (u64, Option<u64>),
        variable: Option<(&ast::Pat, Value)>,
    ) -> bool {
        self.iterations = self.iterations.saturating_add(1);
        if !self.spend() {
            return false;
        }
        let outer = self.frame.variables.len();
        if let Some((pattern, value)) = variable {
            self.bind(pattern, value);
        }
        self.loops.push(LoopFrame {
            span,
            iteration,
            count,
        });
        self.block(body);
        self.loops.pop();
        self.frame.variables.truncate(outer);
        match self.flow {
            Flow::Next => true,
            Flow::Continue => {
                self.flow = Flow::Next;
                true
            }
            Flow::Break => {
                self.flow = Flow::Next;
                false
            }
            Flow::Return => false,
        }
    }

    /// A loop whose runs are not known: two stand for all.
    fn unbounded(&mut self, span: Span, body: &ast::BlockExpr, pattern: Option<&ast::Pat>) {
        let before = self.draft.operations.len();
        for iteration in 0..2 {
            let variable = pattern.map(|pattern| (pattern, Value::Unknown));
            if !self.iteration(span, body, (iteration, None), variable) {
                break;
            }
        }
        if self.draft.operations.len() > before {
            self.draft.unbounded_loops.push(span);
        }
        let names = pattern.map(names_in).unwrap_or_default();
        if names_occur(body, &names) && self.draft.operations.len() > before {
            self.unresolved(UnresolvedReason::UnboundedLoop, span);
        }
    }

    pub(super) fn while_loop(&mut self, run: &ast::WhileExpr) -> Value {
        let Some(body) = run.loop_body() else {
            return Value::Unit;
        };
        let span = self.keyword(
            run.while_token().map(|token| token.text_range()),
            run.syntax().text_range(),
        );
        let mut iteration = 0;
        let start = self.draft.operations.len();
        while !self.exhausted && self.flow == Flow::Next {
            let condition = match run.condition() {
                Some(ast::Expr::LetExpr(_)) | None => None,
                Some(condition) => self.expression(&condition).as_boolean(),
            };
            match condition {
                Some(false) => break,
                Some(true) if self.iterations < ITERATION_LIMIT => {
                    if !self.iteration(span, &body, (iteration, None), None) {
                        break;
                    }
                }
                Some(true) => {
                    self.draft.shortened_loops.push(span);
                    if self.draft.operations.len() > start {
                        self.unresolved(UnresolvedReason::LongLoop(None), span);
                    }
                    break;
                }
                None => {
                    self.unbounded(span, &body, None);
                    break;
                }
            }
            iteration += 1;
        }
        Value::Unit
    }

    pub(super) fn endless_loop(
        &mut self,
        body: Option<ast::BlockExpr>,
        keyword: Option<TextRange>,
    ) -> Value {
        let Some(body) = body else {
            return Value::Unit;
        };
        let span = self.keyword(keyword, body.syntax().text_range());
        let mut iteration = 0;
        let start = self.draft.operations.len();
        while !self.exhausted && self.iterations < ITERATION_LIMIT {
            let (before, exits) = (self.draft.operations.len(), self.exits.len());
            if !self.iteration(span, &body, (iteration, None), None) {
                return self.broken.take().unwrap_or(Value::Unit);
            }
            iteration += 1;
            // Without a known end two runs stand for all; a loop that only counts is followed to its end.
            let endless = !breaks(&body) || self.exits.len() > exits;
            if iteration >= 2 && self.draft.operations.len() > before && endless {
                break;
            }
        }
        if self.draft.operations.len() > start {
            self.draft.unbounded_loops.push(span);
        }
        Value::Unit
    }
}

/// The names that a pattern binds.
fn names_in(pattern: &ast::Pat) -> Vec<String> {
    let names = pattern.syntax().descendants().filter_map(ast::Name::cast);
    names.map(|name| name.text().to_string()).collect()
}

/// Whether one of the names stands in a loop's body.
fn names_occur(body: &ast::BlockExpr, names: &[String]) -> bool {
    let mut used = body.syntax().descendants().filter_map(ast::NameRef::cast);
    used.any(|name| names.iter().any(|known| name.text() == known.as_str()))
}

/// Whether runs of a loop's body differ: it uses the loop's variable, or changes another one.
fn depends(body: &ast::BlockExpr, names: &[String]) -> bool {
    let mut operators = body.syntax().descendants().filter_map(ast::BinExpr::cast);
    let assigns = operators
        .any(|operator| matches!(operator.op_kind(), Some(ast::BinaryOp::Assignment { .. })));
    assigns || names_occur(body, names)
}

/// Whether a loop's body can end the loop.
fn breaks(body: &ast::BlockExpr) -> bool {
    body.syntax()
        .descendants()
        .any(|node| ast::BreakExpr::can_cast(node.kind()) || ast::ReturnExpr::can_cast(node.kind()))
}
