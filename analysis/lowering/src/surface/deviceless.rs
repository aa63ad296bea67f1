//! Loops, closures and calls that hold no device value, outside of kernels: what they compute is the host's business.
//!
//! A body has a budget for them. Where it is used up, one run stands for all, and what the runs may change is not known.

use std::rc::Rc;

use ra_ap_syntax::SyntaxNode;
use ra_ap_syntax::ast::{self, AstNode};
use rustc_hash::FxHashSet;

use crate::items::Span;
use crate::names::is_word_letter;
use crate::syntax::without_raw;

use super::values::{Sequence, Value};
use super::{Elaborate, Flow, Walker};

/// A piece of a function whose text names nothing that has to do with a device.
#[derive(Debug)]
pub(crate) struct Deviceless {
    /// The words in it, which may be variables.
    words: FxHashSet<Box<str>>,
    /// The variables that it may change.
    changed: FxHashSet<Box<str>>,
}

/// How a loop or a closure is followed.
pub(crate) enum Following {
    /// As often as it runs.
    Whole,
    /// As often as it runs, while the budget lasts.
    Within(Rc<Deviceless>),
    /// Once.
    Once(Rc<Deviceless>),
}

impl<L: Elaborate> Walker<'_, L> {
    /// How a piece of the frame's text is to be followed that is run with some values.
    pub(crate) fn choose_following(
        &mut self,
        piece: &SyntaxNode,
        values: Option<&Sequence<L>>,
    ) -> Following {
        if self.host_budget == u64::MAX || values.is_some_and(may_be_device) {
            return Following::Whole;
        }
        let span = self.frame.site.span(piece);
        let known = match self.deviceless.get(&span) {
            Some(known) => known.clone(),
            None => {
                let text = piece.text().to_string();
                let is_device = L::concerns_device(self, &text);
                let known = (!is_device).then(|| Rc::new(Deviceless::of(piece, &text)));
                self.deviceless.insert(span, known.clone());
                known
            }
        };
        let Some(found) = known else {
            return Following::Whole;
        };
        let mut variables = found.words.iter().filter_map(|name| self.variable(name));
        if variables.any(is_bound_to_device) {
            Following::Whole
        } else if self.is_host_budget_spent() {
            Following::Once(found)
        } else {
            Following::Within(found)
        }
    }

    /// Whether nothing without a device value is to be followed any more.
    pub(crate) fn is_host_budget_spent(&self) -> bool {
        match self.host_until {
            Some(until) => self.expressions >= until,
            None => self.host_budget == 0,
        }
    }

    /// Runs something without device values, and takes what it took off the budget; what is run inside of it is not counted twice.
    pub(crate) fn on_host_budget<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        if self.host_budget == u64::MAX || self.host_until.is_some() {
            return run(self);
        }
        let until = self.expressions.saturating_add(self.host_budget);
        self.host_until = Some(until);
        let value = run(self);
        self.host_until = None;
        self.host_budget = until.saturating_sub(self.expressions);
        value
    }

    /// What a piece may change is not known any more.
    pub(crate) fn forget_changes(&mut self, piece: &Deviceless) {
        for name in &piece.changed {
            self.assign(name, Value::Unknown);
        }
    }

    /// One run of a loop that stands for all.
    pub(crate) fn run_once(
        &mut self,
        (span, body): (Span, &ast::BlockExpr),
        pattern: Option<&ast::Pat>,
        piece: &Deviceless,
    ) -> Value<L> {
        self.forget_changes(piece);
        let variable = pattern.map(|pattern| (pattern, Value::Unknown));
        self.iteration(span, body, (0, None), variable);
        self.forget_changes(piece);
        if self.flow != Flow::Next {
            return Value::Unknown;
        }
        match self.broken.take() {
            Some(_) => Value::Unknown,
            None => Value::Unit,
        }
    }
}

impl Deviceless {
    fn of(piece: &SyntaxNode, text: &str) -> Self {
        let words = text.split(|letter: char| !is_word_letter(letter));
        let words = words.filter(|word| !word.is_empty()).map(Box::from);
        let mut changed = FxHashSet::default();
        for node in piece.descendants() {
            let place = match ast::Expr::cast(node) {
                Some(ast::Expr::BinExpr(expression)) => match expression.op_kind() {
                    Some(ast::BinaryOp::Assignment { .. }) => expression.lhs(),
                    _ => None,
                },
                Some(ast::Expr::RefExpr(lent)) if lent.mut_token().is_some() => lent.expr(),
                Some(ast::Expr::MethodCallExpr(call)) => call.receiver(),
                _ => None,
            };
            let names = place.into_iter().flat_map(|place| {
                let names = place.syntax().descendants().filter_map(ast::NameRef::cast);
                names
                    .map(|name| Box::from(without_raw(name.text())))
                    .collect::<Vec<_>>()
            });
            changed.extend(names);
        }
        Self {
            words: words.collect(),
            changed,
        }
    }
}

/// Whether a value of a sequence may be a device's.
fn may_be_device<L: Elaborate>(values: &Sequence<L>) -> bool {
    match values {
        Sequence::Steps { .. } => false,
        Sequence::List(values) => values.iter().any(is_bound_to_device),
        Sequence::Enumerate(inner) => may_be_device(inner),
        Sequence::Zip(first, second) => may_be_device(first) || may_be_device(second),
    }
}

/// Whether what a variable or an argument holds may lead to operations.
pub(crate) fn is_bound_to_device<L: Elaborate>(value: &Value<L>) -> bool {
    match value {
        Value::Closure(_) | Value::Function(_) => true,
        Value::Sequence(values) => may_be_device(values),
        Value::Declared(ty) => L::is_device_side(ty),
        Value::Tuple(values) | Value::Array(values) => values.iter().any(is_bound_to_device),
        Value::Named(named) => named.part_values().any(is_bound_to_device),
        Value::Thing(_) => true,
        Value::Unknown | Value::Unit | Value::Constant(..) => false,
    }
}
