//! Closures that are called, and code whose operations are not seen: macros, closures that are handed to what is not followed.
//!
//! Knows which names run operations, and says where these are; it does not guess what they do.

use ra_ap_syntax::ast::{self, AstNode};
use ra_ap_syntax::{NodeOrToken, SyntaxKind, SyntaxNode, TextRange, TextSize};
use rowan::GreenNodeData;
use rustc_hash::FxHashMap;

use crate::items::Span;
use crate::kernel::{Unresolved, UnresolvedReason};

use super::deviceless::{Deviceless, Following, is_bound_to_device};
use super::site::path_segments;
use super::values::{Closure, Sequence, Value};
use super::variants::MATCHES;
use super::{CALL_WEIGHT, Call, Elaborate, Flow, Placed, SEQUENCE_LIMIT, Walker};

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

/// Macros of Rust whose value is made of what they are given: what it is lost for is said where it is used.
const VALUE_MACROS: &[&str] = &["dbg", "vec"];

/// A closure whose operations have to be said unless it is called.
#[derive(Debug)]
pub(crate) struct Handed {
    /// Where it is written.
    closure: Span,
    /// The operations in it.
    operations: Vec<Span>,
}

impl<L: Elaborate> Walker<'_, L> {
    /// A call of a closure where it was made: it sees the variables of the call instead of its own, which differ only
    /// where one of them was shadowed in between.
    pub(crate) fn call_closure(&mut self, closure: &Closure, arguments: &[Placed<L>]) -> Value<L> {
        if closure.item != self.frame.site.item {
            return Value::Unknown;
        }
        let Some(body) = closure.expression.body() else {
            return Value::Unknown;
        };
        self.closure_is_followed(closure);
        self.expressions = self.expressions.saturating_add(CALL_WEIGHT);
        let outer = self.frame.variables.len();
        let parameters = closure
            .expression
            .param_list()
            .into_iter()
            .flat_map(|list| list.params().collect::<Vec<_>>());
        for (index, parameter) in parameters.enumerate() {
            let value = arguments
                .get(index)
                .map_or(Value::Unknown, |(value, _)| value.clone());
            if let Some(pattern) = parameter.pat() {
                self.bind_pattern(&pattern, value);
            }
        }
        let value = self.expression(&body);
        self.frame.variables.truncate(outer);
        if self.flow == Flow::Return {
            self.flow = Flow::Next;
            return self.frame.returned.take().unwrap_or(Value::Unknown);
        }
        value
    }

    /// `map`, `for_each` and `filter`: the closure runs on each value of a short sequence.
    pub(crate) fn closure_method(&mut self, receiver: Value<L>, call: &Call<L>) -> Value<L> {
        if let (Value::Closure(closure), true) = (call.argument(1), call.name == "fold") {
            let sequence = match receiver {
                Value::Sequence(sequence) => sequence,
                Value::Array(values) => Sequence::List(values),
                _ => return Value::Unknown,
            };
            return self.fold(&sequence, &closure, call);
        }
        let Value::Closure(closure) = call.argument(0) else {
            return Value::Unknown;
        };
        let is_array = matches!(receiver, Value::Array(_));
        let sequence = match receiver {
            Value::Sequence(sequence) => sequence,
            Value::Array(values) => Sequence::List(values),
            _ => return Value::Unknown,
        };
        let known = matches!(call.name.as_str(), "map" | "for_each" | "filter");
        if !known || sequence.count() > SEQUENCE_LIMIT {
            return Value::Unknown;
        }
        match self.choose_following(closure.expression.syntax(), Some(&sequence)) {
            Following::Whole => self.each_value((&sequence, is_array), &closure, call, None),
            Following::Once(piece) => {
                self.forget_changes(&piece);
                match call.name.as_str() {
                    "for_each" => Value::Unit,
                    _ => Value::Unknown,
                }
            }
            Following::Within(piece) => self.on_host_budget(|walker| {
                walker.each_value((&sequence, is_array), &closure, call, Some(&piece))
            }),
        }
    }

    /// A closure on each value of a sequence; `piece` is what it may change where it holds no device value.
    fn each_value(
        &mut self,
        (sequence, is_array): (&Sequence<L>, bool),
        closure: &Closure,
        call: &Call<L>,
        piece: Option<&Deviceless>,
    ) -> Value<L> {
        let mut values = Vec::new();
        for index in 0..sequence.count() {
            if let Some(piece) = piece
                && self.is_host_budget_spent()
            {
                self.forget_changes(piece);
                return Value::Unknown;
            }
            let value = sequence.value_at(index);
            let given = [(value.clone(), call.argument_span(0))];
            let result = self.call_closure(closure, &given);
            match (call.name.as_str(), result.as_boolean()) {
                ("filter", Some(true)) => values.push(value),
                ("filter", Some(false)) => {}
                ("filter", None) => return Value::Unknown,
                _ => values.push(result),
            }
        }
        match call.name.as_str() {
            "for_each" => Value::Unit,
            _ if is_array => Value::Array(values),
            _ => Value::Sequence(Sequence::List(values)),
        }
    }

    /// `fold`: the closure runs on what came so far and each value of a short sequence.
    fn fold(&mut self, sequence: &Sequence<L>, closure: &Closure, call: &Call<L>) -> Value<L> {
        if sequence.count() > SEQUENCE_LIMIT {
            return Value::Unknown;
        }
        let start = call.argument(0);
        if is_bound_to_device(&start) {
            return self.folded_value(start, (sequence, closure), call, None);
        }
        match self.choose_following(closure.expression.syntax(), Some(sequence)) {
            Following::Whole => self.folded_value(start, (sequence, closure), call, None),
            Following::Once(piece) => {
                self.forget_changes(&piece);
                Value::Unknown
            }
            Following::Within(piece) => self.on_host_budget(|walker| {
                walker.folded_value(start, (sequence, closure), call, Some(&piece))
            }),
        }
    }

    fn folded_value(
        &mut self,
        mut so_far: Value<L>,
        (sequence, closure): (&Sequence<L>, &Closure),
        call: &Call<L>,
        piece: Option<&Deviceless>,
    ) -> Value<L> {
        let place = call.argument_span(1);
        for index in 0..sequence.count() {
            if let Some(piece) = piece
                && self.is_host_budget_spent()
            {
                self.forget_changes(piece);
                return Value::Unknown;
            }
            let given = [(so_far, place), (sequence.value_at(index), place)];
            so_far = self.call_closure(closure, &given);
        }
        so_far
    }

    /// `array::from_fn`: the closure runs on each index.
    pub(crate) fn array_from_fn(&mut self, closure: &Closure, length: u64) -> Value<L> {
        if length > SEQUENCE_LIMIT {
            return Value::Unknown;
        }
        let place = self.here;
        let made = (0..length).map(|index| {
            let given = [(Value::integer(i128::from(index)), place)];
            self.call_closure(closure, &given)
        });
        Value::Array(made.collect())
    }

    /// A macro in the place of an expression or a statement: operations may run in it if it is given a context or a stream.
    /// One that is given tensors and whose value is `used` may begin with operations, or give what they begin with.
    pub(crate) fn macro_call(&mut self, call: &ast::MacroCall, used: bool) -> Value<L> {
        let Some(path) = call.path() else {
            return Value::Unknown;
        };
        let names = path_segments(&path);
        let name = names.last().map_or("", String::as_str);
        if name == MATCHES
            && let Some(value) = self.matches_call(call)
        {
            return value;
        }
        let words: Vec<String> = call
            .token_tree()
            .into_iter()
            .flat_map(|tree| tree.syntax().descendants_with_tokens())
            .filter_map(NodeOrToken::into_token)
            .filter(|token| matches!(token.kind(), SyntaxKind::IDENT | SyntaxKind::SELF_KW))
            .map(|token| token.text().to_owned())
            .collect();
        let given = |is_given: fn(&Value<L>) -> bool| {
            let mut variables = words.iter().filter_map(|word| self.variable(word));
            variables.any(is_given)
        };
        let plain = PLAIN_MACROS.contains(&name) && !words.iter().any(|word| L::runs(self, word));
        let made_of_tensors = used && !VALUE_MACROS.contains(&name);
        let is_said =
            given(|value| matches!(value, Value::Thing(thing) if L::runs_where_given(thing)))
                || (made_of_tensors && given(Value::is_device_side));
        if plain {
            return Value::Unknown;
        }
        let site = &self.frame.site;
        let start = site.span(path.syntax());
        let sign = call.excl_token().map(|sign| sign.text_range().end().into());
        let span = Span {
            end: sign.unwrap_or(start.end),
            ..start
        };
        let reason = UnresolvedReason::Macro(name.to_owned());
        if is_said {
            L::unresolved(self, reason, span);
        } else if used {
            self.unexpanded.push(Unresolved::at(reason, span));
        }
        Value::Unknown
    }

    /// A closure. Whether its operations are seen is known at the end.
    pub(crate) fn closure(&mut self, closure: &ast::ClosureExpr) -> Value<L> {
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

    /// A closure is called: what it runs is seen.
    pub(crate) fn closure_is_followed(&mut self, closure: &Closure) {
        if !self.handed.is_empty() {
            let span = self.frame.site.span(closure.expression.syntax());
            for known in &mut self.handed {
                if known.closure == span {
                    known.operations.clear();
                }
            }
        }
    }

    /// Says what is in closures that were not called.
    pub(crate) fn say_what_was_handed_on(&mut self) {
        let handed = std::mem::take(&mut self.handed);
        for span in handed.into_iter().flat_map(|closure| closure.operations) {
            L::unresolved(self, UnresolvedReason::ClosureNotFollowed, span);
        }
    }

    /// The operations that a piece of the frame's text names: each method that runs one, in the order of the text. A function
    /// in it has its own.
    pub(crate) fn operations_in(&self, node: &SyntaxNode) -> Vec<Span> {
        let text = &self.frame.site.parsed.text;
        let mut operations = Vec::new();
        // A kernel calls the same few methods again and again.
        let mut known: FxHashMap<&str, bool> = FxHashMap::default();
        let mut note = |node, start| {
            if SyntaxKind::from(GreenNodeData::kind(node).0) == SyntaxKind::METHOD_CALL_EXPR
                && let Some((name, place)) = method_name(node, start)
                && *known.entry(name).or_insert_with(|| L::runs(self, name))
            {
                operations.push(text.span_of(place));
            }
        };
        let (green, start) = (node.green(), node.text_range().start());
        note(green, start);
        visit(green, start, |node, start| {
            // Tokens are no calls.
            let kind = SyntaxKind::from(node.kind().0);
            let own = kind != SyntaxKind::FN && kind != SyntaxKind::TOKEN_TREE;
            if own {
                note(node, start);
            }
            own
        });
        // A chain's last method is met first.
        operations.sort_unstable_by_key(|span| (span.start, span.end));
        operations
    }
}

/// Visits the nodes inside of a node, each with where it starts; those for which `visit` says no are not entered. The shared
/// nodes are read, which takes no allocation a node.
fn visit<'n>(
    node: &'n GreenNodeData,
    start: TextSize,
    mut visit: impl FnMut(&'n GreenNodeData, TextSize) -> bool,
) {
    let mut pending = vec![(node, start)];
    while let Some((node, start)) = pending.pop() {
        let mut place = start;
        for child in node.children() {
            if let NodeOrToken::Node(inner) = child
                && visit(inner, place)
            {
                pending.push((inner, place));
            }
            place += match child {
                NodeOrToken::Node(node) => node.text_len(),
                NodeOrToken::Token(token) => token.text_len(),
            };
        }
    }
}

/// The name of a call's method and its place.
fn method_name(call: &GreenNodeData, start: TextSize) -> Option<(&str, TextRange)> {
    let mut place = start;
    for child in call.children() {
        match child {
            NodeOrToken::Node(name) if SyntaxKind::from(name.kind().0) == SyntaxKind::NAME_REF => {
                let token = name.children().find_map(NodeOrToken::into_token)?;
                return Some((token.text(), TextRange::at(place, name.text_len())));
            }
            NodeOrToken::Node(node) => place += node.text_len(),
            NodeOrToken::Token(token) => place += token.text_len(),
        }
    }
    None
}
