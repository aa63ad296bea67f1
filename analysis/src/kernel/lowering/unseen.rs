//! Code whose operations nobody sees: macros that are given a context, closures that are handed to what is not followed.
//!
//! Knows which names run operations, and says where these stand; it does not guess what they do.

use ra_ap_syntax::ast::{self, AstNode};
use ra_ap_syntax::{NodeOrToken, SyntaxKind, SyntaxNode};
use rustc_hash::FxHashSet;

use crate::items::Span;
use crate::kernel::UnresolvedReason;

use super::Interpreter;
use super::site::segments;
use super::values::{Closure, Value};

/// Macros of Rust that print, compare or give up: a context among their arguments runs nothing.
const PLAIN_MACROS: &[&str] = &[
    "assert",
    "assert_eq",
    "assert_ne",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "eprint",
    "eprintln",
    "format",
    "panic",
    "print",
    "println",
    "todo",
    "unimplemented",
    "unreachable",
    "write",
    "writeln",
];

/// A closure whose operations have to be said unless somebody calls it.
#[derive(Debug)]
pub(super) struct Handed {
    /// Where it is written.
    closure: Span,
    /// The operations in it.
    operations: Vec<Span>,
}

impl Interpreter<'_> {
    /// A macro in the place of an expression or a statement: operations may run in it if it is given a context or a stream.
    pub(super) fn macro_call(&mut self, call: &ast::MacroCall) -> Value {
        let Some(path) = call.path() else {
            return Value::Unknown;
        };
        let names = segments(&path);
        let name = names.last().map_or("", String::as_str);
        let words: Vec<String> = call
            .token_tree()
            .into_iter()
            .flat_map(|tree| tree.syntax().descendants_with_tokens())
            .filter_map(NodeOrToken::into_token)
            .filter(|token| matches!(token.kind(), SyntaxKind::IDENT | SyntaxKind::SELF_KW))
            .map(|token| token.text().to_owned())
            .collect();
        let is_given =
            |value: &Value| matches!(value, Value::Device | Value::Context(_) | Value::Stream(_));
        let given = words
            .iter()
            .any(|word| self.variable(word).is_some_and(is_given));
        let plain = PLAIN_MACROS.contains(&name) && !words.iter().any(|word| self.runs(word));
        if given && !plain {
            let site = &self.frame.site;
            let start = site.span(path.syntax());
            let sign = call.excl_token().map(|sign| sign.text_range().end().into());
            let span = Span {
                end: sign.unwrap_or(start.end),
                ..start
            };
            self.unresolved(UnresolvedReason::Macro(name.to_owned()), span);
        }
        Value::Unknown
    }

    /// A closure. Whether its operations are seen is known at the end.
    pub(super) fn closure(&mut self, closure: &ast::ClosureExpr) -> Value {
        let span = self.frame.site.span(closure.syntax());
        if !self.handed.iter().any(|known| known.closure == span) {
            let operations = self.operations_in(closure.syntax());
            if !operations.is_empty() {
                self.handed.push(Handed {
                    closure: span,
                    operations,
                });
            }
        }
        Value::Closure(Box::new(Closure {
            item: self.frame.site.item,
            expression: closure.clone(),
        }))
    }

    /// Somebody calls a closure: what it runs is seen.
    pub(super) fn closure_is_followed(&mut self, closure: &Closure) {
        if !self.handed.is_empty() {
            let span = self.frame.site.span(closure.expression.syntax());
            for known in &mut self.handed {
                if known.closure == span {
                    known.operations.clear();
                }
            }
        }
    }

    /// Says what stands in closures that nobody called.
    pub(super) fn say_what_was_handed_on(&mut self) {
        let handed = std::mem::take(&mut self.handed);
        for span in handed.into_iter().flat_map(|closure| closure.operations) {
            self.unresolved(UnresolvedReason::ClosureNotFollowed, span);
        }
    }

    /// Says which operations of the function come after a limit: the rest of its text is not looked at.
    pub(super) fn say_what_is_beyond_limits(&mut self, function: &ast::Fn) {
        if !self.exhausted {
            return;
        }
        let operations = self.draft.operations.iter().map(|operation| operation.span);
        let unresolved = self.draft.unresolved.iter().map(|place| place.operation);
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

    /// The operations that a piece of the frame's text names: each method that runs one, in the order of the text. A function
    /// in it has its own.
    pub(super) fn operations_in(&self, node: &SyntaxNode) -> Vec<Span> {
        let own = nearest_function(node);
        node.descendants()
            .filter_map(ast::MethodCallExpr::cast)
            .filter(|call| nearest_function(call.syntax()) == own)
            .filter_map(|call| call.name_ref())
            .filter(|name| self.runs(name.text()))
            .map(|name| self.frame.site.span(name.syntax()))
            .collect()
    }

    /// Whether a method of that name runs an operation.
    fn runs(&self, name: &str) -> bool {
        self.dialect
            .methods_of_any_release(name)
            .any(|method| method.action.runs())
    }
}

/// The function that a node stands in, or is.
fn nearest_function(node: &SyntaxNode) -> Option<ast::Fn> {
    node.ancestors().find_map(ast::Fn::cast)
}
