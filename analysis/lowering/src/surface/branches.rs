//! `if` and `match`: the taken arm where the condition is constant, else every arm, with the values merged.
//!
//! Where the condition is not known, each arm is followed from the same variables, so that its operations are judged too.
//! Afterwards a variable has only what both arms agree on. A value that one arm alone gives would deny kernels that never take
//! this arm. An arm that leaves the function says nothing about the code after it, and is not merged.

use ra_ap_syntax::TextRange;
use ra_ap_syntax::ast::{self, AstNode};

use crate::items::{ConstValue, Namespace, Resolution, Span};
use crate::kernel::BranchArm;

use super::values::{Named, Value};
use super::variables::Variables;
use super::{Elaborate, Flow, Walker};

/// Where an arm leaves: its value, its variables, where control goes.
struct Outcome<L: Elaborate> {
    value: Value<L>,
    variables: Variables<L>,
    flow: Flow,
}

impl<L: Elaborate> Walker<'_, L> {
    pub(crate) fn if_expression(&mut self, branch: &ast::IfExpr) -> Value<L> {
        // What `if let` binds is in scope of the arm; the else arm cannot name it.
        let outer = self.frame.variables.len();
        let value = self.decided_if(branch);
        self.frame.variables.truncate(outer);
        value
    }

    fn decided_if(&mut self, branch: &ast::IfExpr) -> Value<L> {
        let condition = match branch.condition() {
            Some(condition) => self.expression(&condition).as_boolean(),
            None => None,
        };
        if self.flow != Flow::Next {
            return Value::Unknown;
        }
        let other = branch.else_branch();
        match condition {
            Some(true) => branch
                .then_branch()
                .map_or(Value::Unit, |block| self.block(&block)),
            Some(false) => self.else_branch(other),
            None => {
                let keyword = branch.if_token().map(|token| token.text_range());
                let span = self.keyword(keyword, branch.syntax().text_range());
                let before = self.frame.variables.clone();
                let then = branch.then_branch();
                let first = self.arm(span, 0, &before, |interpreter| {
                    then.map_or(Value::Unit, |block| interpreter.block(&block))
                });
                let second = self.arm(span, 1, &before, |interpreter| {
                    interpreter.else_branch(other)
                });
                self.join(span, vec![first, second])
            }
        }
    }

    /// `let pattern = value` as a condition: binds, and is true or false where that is known.
    pub(crate) fn let_test(&mut self, test: &ast::LetExpr) -> Value<L> {
        let value = test
            .expr()
            .map_or(Value::Unknown, |expression| self.expression(&expression));
        let Some(pattern) = test.pat() else {
            return Value::Unknown;
        };
        let matched = self.pattern_matches(&pattern, &value, 0);
        self.bind_pattern(&pattern, value);
        matched.map_or(Value::Unknown, Value::boolean)
    }

    fn else_branch(&mut self, branch: Option<ast::ElseBranch>) -> Value<L> {
        match branch {
            Some(ast::ElseBranch::Block(block)) => self.block(&block),
            Some(ast::ElseBranch::IfExpr(branch)) => self.expression(&ast::Expr::IfExpr(branch)),
            None => Value::Unit,
        }
    }

    /// The place of a keyword, or of the whole where it is missing.
    pub(crate) fn keyword(&self, keyword: Option<TextRange>, whole: TextRange) -> Span {
        self.frame
            .site
            .parsed
            .text
            .span_of(keyword.unwrap_or(whole))
    }

    /// Runs one arm of an undecided branching from the variables before it.
    fn arm(
        &mut self,
        span: Span,
        arm: u32,
        before: &Variables<L>,
        run: impl FnOnce(&mut Self) -> Value<L>,
    ) -> Outcome<L> {
        self.frame.variables = before.clone();
        self.branches.push(BranchArm { span, arm });
        let value = run(self);
        self.branches.pop();
        let mut variables = std::mem::take(&mut self.frame.variables);
        variables.truncate(before.len());
        Outcome {
            value,
            variables,
            flow: std::mem::replace(&mut self.flow, Flow::Next),
        }
    }

    /// What holds after an undecided branching.
    fn join(&mut self, span: Span, outcomes: Vec<Outcome<L>>) -> Value<L> {
        let leaves = outcomes.iter().all(|outcome| outcome.flow != Flow::Next);
        let flow = outcomes.first().map_or(Flow::Next, |outcome| outcome.flow);
        if outcomes.iter().any(|outcome| outcome.flow != flow) {
            self.exits.push((span, L::operations(self)));
        }
        let mut result: Option<Outcome<L>> = None;
        for outcome in outcomes {
            // An arm that leaves says nothing about what comes after.
            if outcome.flow != Flow::Next && !leaves {
                continue;
            }
            result = Some(match result {
                None => outcome,
                Some(before) => {
                    let variables = before
                        .variables
                        .merged_with(outcome.variables, |first, second| self.merge(first, second));
                    Outcome {
                        value: self.merge(before.value, outcome.value),
                        variables,
                        flow: before.flow,
                    }
                }
            });
        }
        let Some(result) = result else {
            return Value::Unknown;
        };
        self.frame.variables = result.variables;
        if leaves {
            self.flow = flow;
        }
        result.value
    }

    /// One value for two that may be meant. Tensors of one tier stay a tensor whose address is unknown.
    pub(crate) fn merge(&mut self, first: Value<L>, second: Value<L>) -> Value<L> {
        match (first, second) {
            (Value::Thing(first), Value::Thing(second)) => L::merge(self, first, second),
            (Value::Constant(first, scalar), Value::Constant(second, other)) => {
                let scalar = scalar.filter(|scalar| Some(*scalar) == other);
                let value = if first == second {
                    first
                } else {
                    ConstValue::Unknown("one of two values")
                };
                Value::Constant(value, scalar)
            }
            (Value::Tuple(first), Value::Tuple(second)) if first.len() == second.len() => {
                Value::Tuple(
                    first
                        .into_iter()
                        .zip(second)
                        .map(|(first, second)| self.merge(first, second))
                        .collect(),
                )
            }
            (Value::Array(first), Value::Array(second)) if first.len() == second.len() => {
                Value::Array(
                    first
                        .into_iter()
                        .zip(second)
                        .map(|(first, second)| self.merge(first, second))
                        .collect(),
                )
            }
            (Value::Named(first), Value::Named(second)) if names_equal(&first, &second) => {
                Value::Named(first)
            }
            (Value::Function(first), Value::Function(second)) if first == second => {
                Value::Function(first)
            }
            (Value::Unit, Value::Unit) => Value::Unit,
            _ => Value::Unknown,
        }
    }

    pub(crate) fn match_expression(&mut self, branch: &ast::MatchExpr) -> Value<L> {
        let value = branch
            .expr()
            .map_or(Value::Unknown, |expression| self.expression(&expression));
        if self.flow != Flow::Next {
            return Value::Unknown;
        }
        let arms: Vec<ast::MatchArm> = branch
            .match_arm_list()
            .into_iter()
            .flat_map(|list| list.arms().collect::<Vec<_>>())
            .collect();
        // The first arm that surely matches, if no earlier one may.
        let mut possible = Vec::new();
        for arm in &arms {
            match self.matches(arm, &value) {
                Some(false) => {}
                Some(true) => {
                    possible.push(arm.clone());
                    break;
                }
                None => possible.push(arm.clone()),
            }
        }
        if let [arm] = possible.as_slice() {
            return self.match_arm(arm, value);
        }
        let keyword = branch.match_token().map(|token| token.text_range());
        let span = self.keyword(keyword, branch.syntax().text_range());
        let before = self.frame.variables.clone();
        let mut outcomes = Vec::new();
        for (index, arm) in possible.iter().enumerate() {
            let number = u32::try_from(index).unwrap_or(u32::MAX);
            let value = value.clone();
            outcomes.push(self.arm(span, number, &before, |interpreter| {
                interpreter.match_arm(arm, value)
            }));
        }
        self.join(span, outcomes)
    }

    fn match_arm(&mut self, arm: &ast::MatchArm, value: Value<L>) -> Value<L> {
        let outer = self.frame.variables.len();
        if let Some(pattern) = arm.pat() {
            self.bind_pattern(&pattern, value);
        }
        let value = arm
            .expr()
            .map_or(Value::Unknown, |expression| self.expression(&expression));
        self.frame.variables.truncate(outer);
        value
    }

    /// Whether an arm matches; none where that is not known.
    fn matches(&mut self, arm: &ast::MatchArm, value: &Value<L>) -> Option<bool> {
        let pattern = arm.pat()?;
        let matched = self.pattern_matches(&pattern, value, 0);
        match (matched, arm.guard()) {
            (Some(false), _) => Some(false),
            (_, Some(guard)) => {
                let outer = self.frame.variables.len();
                self.bind_pattern(&pattern, value.clone());
                let holds = guard
                    .condition()
                    .and_then(|condition| self.expression(&condition).as_boolean());
                self.frame.variables.truncate(outer);
                match (matched, holds) {
                    (_, Some(false)) => Some(false),
                    (Some(true), Some(true)) => Some(true),
                    _ => None,
                }
            }
            (matched, None) => matched,
        }
    }

    /// A name in a pattern is a constant, a variant without arguments, or a new variable.
    fn name_matches(&mut self, name: &ast::IdentPat, value: &Value<L>) -> Option<bool> {
        use ast::HasName;
        let text = name.name()?.text().to_string();
        if text == "None" {
            return match value {
                Value::Named(named) => Some(named.name() == "None"),
                _ => None,
            };
        }
        let offset = name.syntax().text_range().start().into();
        let site = self.frame.site.clone();
        match site.resolve_names(self.db, &[text.as_str()], offset, Namespace::Value) {
            Resolution::Const(item) => {
                let expected = self.constant_item(item);
                values_equal(&expected, value)
            }
            _ => Some(true),
        }
    }

    /// Whether a pattern matches a value; none where that is not known.
    pub(super) fn pattern_matches(
        &mut self,
        pattern: &ast::Pat,
        value: &Value<L>,
        depth: u32,
    ) -> Option<bool> {
        if depth > 32 {
            return None;
        }
        match pattern {
            ast::Pat::WildcardPat(_) | ast::Pat::RestPat(_) => Some(true),
            ast::Pat::IdentPat(name) if name.pat().is_none() => self.name_matches(name, value),
            ast::Pat::PathPat(path) => {
                let expected = self.path(&path.path()?);
                values_equal(&expected, value)
            }
            ast::Pat::TupleStructPat(tuple) => {
                let expected = super::site::path_segments(&tuple.path()?);
                let Value::Named(named) = value else {
                    return None;
                };
                if expected.last().map(String::as_str) != Some(named.name()) {
                    return Some(false);
                }
                let parts = tuple.fields().zip(&named.arguments);
                let mut all = Some(true);
                for (pattern, (value, _)) in parts {
                    match self.pattern_matches(&pattern, value, depth + 1) {
                        Some(true) => {}
                        Some(false) => return Some(false),
                        None => all = None,
                    }
                }
                all
            }
            ast::Pat::ParenPat(inner) => self.pattern_matches(&inner.pat()?, value, depth + 1),
            ast::Pat::RefPat(inner) => self.pattern_matches(&inner.pat()?, value, depth + 1),
            ast::Pat::LiteralPat(literal) => {
                let negative = literal.minus_token().is_some();
                let expected = self.expression(&ast::Expr::Literal(literal.literal()?));
                match (
                    expected.as_integer(),
                    value.as_integer(),
                    expected.as_boolean(),
                    value.as_boolean(),
                ) {
                    (Some(expected), Some(value), ..) => {
                        Some(value == if negative { -expected } else { expected })
                    }
                    (.., Some(expected), Some(value)) => Some(expected == value),
                    _ => None,
                }
            }
            ast::Pat::OrPat(or) => {
                let mut any = Some(false);
                for pattern in or.pats() {
                    match self.pattern_matches(&pattern, value, depth + 1) {
                        Some(true) => return Some(true),
                        Some(false) => {}
                        None => any = None,
                    }
                }
                any
            }
            ast::Pat::TuplePat(tuple) => {
                let Value::Tuple(values) = value else {
                    return None;
                };
                let mut all = Some(true);
                for (pattern, value) in tuple.fields().zip(values) {
                    match self.pattern_matches(&pattern, value, depth + 1) {
                        Some(true) => {}
                        Some(false) => return Some(false),
                        None => all = None,
                    }
                }
                all
            }
            _ => None,
        }
    }
}

/// Whether two values are surely equal or surely not.
fn values_equal<L: Elaborate>(first: &Value<L>, second: &Value<L>) -> Option<bool> {
    match (first, second) {
        (
            Value::Constant(ConstValue::Int(first), _),
            Value::Constant(ConstValue::Int(second), _),
        ) => Some(first == second),
        (
            Value::Constant(ConstValue::Bool(first), _),
            Value::Constant(ConstValue::Bool(second), _),
        ) => Some(first == second),
        (Value::Named(first), Value::Named(second)) => {
            Some(first.name() == second.name() && first.arguments.is_empty())
        }
        _ => None,
    }
}

/// Whether two names of the library are the same without arguments.
fn names_equal<L: Elaborate>(first: &Named<L>, second: &Named<L>) -> bool {
    first.path == second.path
        && first.arguments.is_empty()
        && second.arguments.is_empty()
        && first.fields.is_empty()
        && second.fields.is_empty()
}
