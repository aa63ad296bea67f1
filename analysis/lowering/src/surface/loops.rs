//! Loops: unrolled while that stays small, else their first two runs and the last.
//!
//! Rules judge operations, and the runs of one loop differ only in addresses and in what they carry from run to run. The second
//! run shows what the first one leaves behind in memory. The last run shows the bounds: a tile that ends past its tensor does
//! so there. So these three stand for a loop that is too long, and a body keeps below its limit of operations. Where its runs
//! differ, the loop is reported as unresolved, because a fault of a run in between would be missed.

use ra_ap_syntax::ast::{self, AstNode, HasLoopBody};
use ra_ap_syntax::{SyntaxNode, TextRange};

use crate::items::Span;
use crate::kernel::{LoopFrame, UnresolvedReason};

use super::deviceless::{Deviceless, Following};
use super::values::{Sequence, Value};
use super::{Cut, Elaborate, Flow, Walker};

impl<L: Elaborate> Walker<'_, L> {
    pub(crate) fn for_loop(&mut self, run: &ast::ForExpr) -> Value<L> {
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
        match self.choose_following(body.syntax(), Some(&sequence)) {
            Following::Whole => self.counted_runs(span, (&pattern, &body), &sequence, None),
            Following::Once(_) if count == 0 => {}
            Following::Once(piece) => {
                self.run_once((span, &body), Some(&pattern), &piece);
            }
            Following::Within(piece) => self.on_host_budget(|walker| {
                walker.counted_runs(span, (&pattern, &body), &sequence, Some(&piece));
            }),
        }
        Value::Unit
    }

    /// The runs of a `for` over a sequence; `piece` is what it may change where it holds no device value.
    fn counted_runs(
        &mut self,
        span: Span,
        (pattern, body): (&ast::Pat, &ast::BlockExpr),
        sequence: &Sequence<L>,
        piece: Option<&Deviceless>,
    ) {
        let count = sequence.count();
        let mut shortened = count > self.iteration_limit.saturating_sub(self.iterations);
        let mut iteration = 0;
        let start = L::operations(self);
        while iteration < count && !self.exhausted {
            let before = (self.iterations, L::operations(self), self.expressions);
            if !self.iteration(
                span,
                body,
                (iteration, Some(count)),
                Some((pattern, sequence.value_at(iteration))),
            ) {
                break;
            }
            if let Some(piece) = piece
                && self.is_host_budget_spent()
            {
                self.forget_changes(piece);
                return;
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
            L::cut(self, Cut::Shortened, span);
            let names = names_in(pattern);
            if L::operations(self) > start && runs_differ(body, &names) {
                // The last run and the first two are followed.
                L::unresolved(self, UnresolvedReason::LongLoop(Some(count)), span);
            }
        }
    }

    /// Whether all runs together would exceed what a body may have, from what the first one took.
    fn is_too_long(
        &self,
        count: u64,
        (iterations, operations, expressions): (u64, usize, u64),
    ) -> bool {
        let (_, expression_limit) = self.limits;
        let operation_limit = u64::try_from(self.operation_limit()).unwrap_or(u64::MAX);
        let length = |operations: usize| u64::try_from(operations).unwrap_or(u64::MAX);
        let exceeds = |before: u64, now: u64, limit: u64| {
            count.saturating_mul(now.saturating_sub(before)) > limit.saturating_sub(before)
        };
        exceeds(iterations, self.iterations, self.iteration_limit)
            || exceeds(
                length(operations),
                length(L::operations(self)),
                operation_limit,
            )
            // Half of what is left, so that something can come after the loop.
            || exceeds(expressions, self.expressions, expression_limit / 2)
    }

    /// One run of a loop's body; false where the loop ends with it.
    pub(super) fn iteration(
        &mut self,
        span: Span,
        body: &ast::BlockExpr,
        (iteration, count): (u64, Option<u64>),
        variable: Option<(&ast::Pat, Value<L>)>,
    ) -> bool {
        self.iterations = self.iterations.saturating_add(1);
        if !self.spend() {
            return false;
        }
        let outer = self.frame.variables.len();
        if let Some((pattern, value)) = variable {
            self.bind_pattern(pattern, value);
        }
        self.loops.push(LoopFrame {
            span,
            iteration,
            count,
        });
        self.block(body);
        self.loops.pop();
        self.frame.variables.truncate(outer);
        let leaves = matches!(self.flow, Flow::Continue | Flow::Break);
        if leaves && !self.is_target(body.syntax().parent()) {
            return false;
        }
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

    /// Whether a loop or block is what a `break` or `continue` means, which is its business then.
    fn is_target(&mut self, node: Option<SyntaxNode>) -> bool {
        let Some(target) = &self.target else {
            return true;
        };
        let label = node.and_then(|node| node.children().find_map(ast::Label::cast));
        let label = label.and_then(|label| label.lifetime());
        let is_meant = label.is_some_and(|label| label.text() == target.as_str());
        if is_meant {
            self.target = None;
        }
        is_meant
    }

    /// A block, which a `break` with its label leaves.
    pub(crate) fn labelled_block(&mut self, block: &ast::BlockExpr) -> Value<L> {
        let value = self.block(block);
        if self.flow == Flow::Break
            && self.target.is_some()
            && self.is_target(Some(block.syntax().clone()))
        {
            self.flow = Flow::Next;
            return self.broken.take().unwrap_or(Value::Unit);
        }
        value
    }

    /// A loop whose runs are not known: two stand for all.
    fn unbounded(&mut self, span: Span, body: &ast::BlockExpr, pattern: Option<&ast::Pat>) {
        if let Following::Once(piece) = self.choose_following(body.syntax(), None) {
            self.run_once((span, body), pattern, &piece);
            return;
        }
        let before = L::operations(self);
        for iteration in 0..2 {
            let variable = pattern.map(|pattern| (pattern, Value::Unknown));
            if !self.iteration(span, body, (iteration, None), variable) {
                break;
            }
        }
        if L::operations(self) > before {
            L::cut(self, Cut::Unbounded, span);
        }
        let names = pattern.map(names_in).unwrap_or_default();
        if names_occur(body, &names) && L::operations(self) > before {
            L::unresolved(self, UnresolvedReason::UnboundedLoop, span);
        }
    }

    pub(crate) fn while_loop(&mut self, run: &ast::WhileExpr) -> Value<L> {
        let Some(body) = run.loop_body() else {
            return Value::Unit;
        };
        let span = self.keyword(
            run.while_token().map(|token| token.text_range()),
            run.syntax().text_range(),
        );
        match self.choose_following(body.syntax(), None) {
            Following::Whole => self.while_runs(span, (run, &body), None),
            Following::Once(piece) => {
                self.forget_changes(&piece);
                let condition = plain_condition(run);
                let ended = condition.map(|condition| self.expression(&condition).as_boolean());
                if ended != Some(Some(false)) && self.flow == Flow::Next {
                    self.run_once((span, &body), None, &piece);
                }
            }
            Following::Within(piece) => {
                self.on_host_budget(|walker| walker.while_runs(span, (run, &body), Some(&piece)));
            }
        }
        Value::Unit
    }

    /// The runs of a `while`; `piece` is what it may change where it holds no device value.
    fn while_runs(
        &mut self,
        span: Span,
        (run, body): (&ast::WhileExpr, &ast::BlockExpr),
        piece: Option<&Deviceless>,
    ) {
        let mut iteration = 0;
        let start = L::operations(self);
        while !self.exhausted && self.flow == Flow::Next {
            if let Some(piece) = piece
                && self.is_host_budget_spent()
            {
                self.forget_changes(piece);
                return;
            }
            let condition = plain_condition(run);
            let condition =
                condition.and_then(|condition| self.expression(&condition).as_boolean());
            match condition {
                Some(false) => break,
                Some(true) if self.iterations < self.iteration_limit => {
                    if !self.iteration(span, body, (iteration, None), None) {
                        break;
                    }
                }
                Some(true) => {
                    L::cut(self, Cut::Shortened, span);
                    if L::operations(self) > start {
                        L::unresolved(self, UnresolvedReason::LongLoop(None), span);
                    }
                    break;
                }
                None => {
                    self.unbounded(span, body, None);
                    break;
                }
            }
            iteration += 1;
        }
    }

    pub(crate) fn endless_loop(
        &mut self,
        body: Option<ast::BlockExpr>,
        keyword: Option<TextRange>,
    ) -> Value<L> {
        let Some(body) = body else {
            return Value::Unit;
        };
        let span = self.keyword(keyword, body.syntax().text_range());
        match self.choose_following(body.syntax(), None) {
            Following::Whole => self.endless_runs(span, &body, None),
            Following::Once(piece) => self.run_once((span, &body), None, &piece),
            Following::Within(piece) => {
                self.on_host_budget(|walker| walker.endless_runs(span, &body, Some(&piece)))
            }
        }
    }

    /// The runs of a `loop`; `piece` is what it may change where it holds no device value.
    fn endless_runs(
        &mut self,
        span: Span,
        body: &ast::BlockExpr,
        piece: Option<&Deviceless>,
    ) -> Value<L> {
        let mut iteration = 0;
        let start = L::operations(self);
        while !self.exhausted && self.iterations < self.iteration_limit {
            let (before, exits) = (L::operations(self), self.exits.len());
            if let Some(piece) = piece
                && self.is_host_budget_spent()
            {
                self.forget_changes(piece);
                return Value::Unknown;
            }
            if !self.iteration(span, body, (iteration, None), None) {
                if self.flow != Flow::Next {
                    return Value::Unknown;
                }
                return self.broken.take().unwrap_or(Value::Unit);
            }
            iteration += 1;
            // Without a known end two runs stand for all; a loop that only counts is followed to its end.
            let endless = !breaks(body) || self.exits.len() > exits;
            if iteration >= 2 && L::operations(self) > before && endless {
                break;
            }
        }
        if L::operations(self) > start {
            L::cut(self, Cut::Unbounded, span);
        }
        Value::Unit
    }
}

/// The condition of a `while` that is an expression.
fn plain_condition(run: &ast::WhileExpr) -> Option<ast::Expr> {
    let condition = run.condition();
    condition.filter(|condition| !matches!(condition, ast::Expr::LetExpr(_)))
}

/// The names that a pattern binds.
fn names_in(pattern: &ast::Pat) -> Vec<String> {
    let names = pattern.syntax().descendants().filter_map(ast::Name::cast);
    names.map(|name| name.text().to_string()).collect()
}

/// Whether one of the names is in a loop's body.
fn names_occur(body: &ast::BlockExpr, names: &[String]) -> bool {
    let mut used = body.syntax().descendants().filter_map(ast::NameRef::cast);
    used.any(|name| names.iter().any(|known| name.text() == known.as_str()))
}

/// Whether runs of a loop's body differ: it uses the loop's variable, or changes another one.
fn runs_differ(body: &ast::BlockExpr, names: &[String]) -> bool {
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
