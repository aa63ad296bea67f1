//! What kernels write of Rust that the vendor's compiler does not take on the device, as it is written.
//!
//! It looks at the text of functions that run on the device, and not at what they compute: constants are what needs no variable.
//! Which release takes what, and how that is said, the rules know.

use std::sync::Arc;

use ra_ap_syntax::ast::{
    self, AstNode, HasArgList, HasGenericArgs, HasGenericParams, HasLoopBody, HasName, RangeItem,
};
use ra_ap_syntax::{NodeOrToken, SyntaxKind, SyntaxNode, T};
use rustc_hash::FxHashSet;

use crate::db::Db;
use crate::items::{
    ItemEnvironment, ItemId, ParsedItem, Span, device_attribute, evaluate_expression, parse_item,
};

use crate::syntax::{VisitedNode, bound_names, green_child, green_name, green_path_name, nodes_of};

use super::callgraph::{callees_of_function, is_reached_from_kernel};
use super::surface::path_segments;

/// Something that the compiler does not take, and where it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LanguageFault {
    /// What it is.
    pub kind: LanguageFaultKind,
    /// Where.
    pub span: Span,
}

/// What the compiler does not take.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum LanguageFaultKind {
    /// A kernel with parameters: `A`, `N`.
    Generic(Vec<String>),
    /// A call that may end the program: `assert!`, `unwrap`.
    Panics(String),
    /// An index that is read while the kernel runs.
    RuntimeIndex,
    /// A closure.
    Closure,
    /// A sequence of tensors that grows.
    Sequence,
    /// A loop over numbers that do not start at 0.
    RangeStart(RangeStart),
    /// A loop without a statement.
    EmptyLoop,
    /// A loop over a range without a number, as it is written.
    NoTurns(String),
    /// A loop with a condition.
    While,
    /// A function that calls itself, by way of these others.
    Recursion(Vec<String>),
}

/// A loop over numbers that do not start at 0.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RangeStart {
    /// The first number.
    pub first: u64,
    /// The range as it is written.
    pub written: String,
    /// The range from 0 with as many numbers, where that can be written.
    pub from_zero: Option<String>,
    /// The loop's variable, and where its body uses it; none where a macro may use it.
    pub variable: Option<(String, Vec<Span>)>,
}

/// What a function writes that the compiler does not take; nothing of functions that run on the host.
#[salsa::tracked(returns(clone))]
pub fn language_faults(db: &dyn Db, function: ItemId) -> Arc<[LanguageFault]> {
    if !is_reached_from_kernel(db, function) {
        return Arc::from([]);
    }
    let parsed = parse_item(db, function);
    let Some(node) = parsed.cast::<ast::Fn>() else {
        return Arc::from([]);
    };
    let mut reader = Reader {
        db,
        function,
        parsed: &parsed,
        locals: FxHashSet::default(),
        read: FxHashSet::default(),
        found: Vec::new(),
    };
    if device_attribute(db, function).is_some() {
        reader.generics(&node);
    }
    reader.recursion(&node);
    if let Some(body) = node.body() {
        let suspects = suspects(body.syntax());
        // Most functions have none: then nothing asks for their variables.
        if !suspects.is_empty() {
            reader.variables(&node);
        }
        for suspect in suspects {
            reader.node(&suspect);
        }
    }
    reader.found.into()
}

/// Macros that end the program wherever they run.
const ENDING: [&str; 4] = ["panic", "unreachable", "todo", "unimplemented"];

/// Macros that end the program where what they are given does not hold.
const ASSERTING: [&str; 3] = ["assert", "assert_eq", "assert_ne"];

/// Methods that end the program where there is no value.
const UNWRAPPING: [&str; 2] = ["unwrap", "expect"];

/// The type of sequences that grow, and the macro that makes one.
const SEQUENCES: (&str, &str) = ("Vec", "vec");

/// The nodes of a body that may be faults by what they are and what they name, without those that are worked out before the
/// function runs.
fn suspects(body: &SyntaxNode) -> Vec<SyntaxNode> {
    let may_be_fault = |met: VisitedNode<'_>| match met.kind {
        SyntaxKind::MACRO_CALL => green_path_name(met.node).is_some_and(|name| {
            ENDING.contains(&name) || ASSERTING.contains(&name) || name == SEQUENCES.1
        }),
        SyntaxKind::METHOD_CALL_EXPR => green_child(met.node, SyntaxKind::NAME_REF)
            .and_then(green_name)
            .is_some_and(|name| UNWRAPPING.contains(&name)),
        SyntaxKind::PATH_TYPE => green_path_name(met.node) == Some(SEQUENCES.0),
        SyntaxKind::INDEX_EXPR
        | SyntaxKind::CLOSURE_EXPR
        | SyntaxKind::WHILE_EXPR
        | SyntaxKind::FOR_EXPR => true,
        _ => false,
    };
    let runs = |met: VisitedNode<'_>| {
        let is_constant = is_constant_kind(met.kind)
            || met.kind == SyntaxKind::BLOCK_EXPR && met.has_token(SyntaxKind::CONST_KW);
        !is_constant && met.kind != SyntaxKind::TOKEN_TREE
    };
    nodes_of(body, may_be_fault, runs)
}

struct Reader<'a> {
    db: &'a dyn Db,
    function: ItemId,
    parsed: &'a ParsedItem,
    /// The variables of the function: what depends on none of them is a constant.
    locals: FxHashSet<String>,
    /// The variables that hold what the kernel reads while it runs.
    read: FxHashSet<String>,
    found: Vec<LanguageFault>,
}

impl Reader<'_> {
    fn report(&mut self, kind: LanguageFaultKind, place: &SyntaxNode) {
        let span = self.parsed.span(place);
        self.found.push(LanguageFault { kind, span });
    }

    /// The parameters of a kernel but for lifetimes.
    fn generics(&mut self, node: &ast::Fn) {
        let Some(list) = node.generic_param_list() else {
            return;
        };
        let names = list.generic_params().filter_map(|parameter| {
            let name = match parameter {
                ast::GenericParam::ConstParam(parameter) => parameter.name(),
                ast::GenericParam::TypeParam(parameter) => parameter.name(),
                ast::GenericParam::LifetimeParam(_) => None,
            };
            Some(name?.text().to_string())
        });
        let names: Vec<String> = names.collect();
        if !names.is_empty() {
            self.report(LanguageFaultKind::Generic(names), list.syntax());
        }
    }

    /// Whether the function reaches itself.
    fn recursion(&mut self, node: &ast::Fn) {
        let Some(through) = way_back(self.db, self.function) else {
            return;
        };
        let names = through.iter().map(|other| other.name(self.db));
        let names = names.map(|name| name.to_string()).collect();
        let place = node
            .name()
            .map_or_else(|| node.syntax().clone(), |name| name.syntax().clone());
        self.report(LanguageFaultKind::Recursion(names), &place);
    }

    /// Learns the variables.
    fn variables(&mut self, node: &ast::Fn) {
        self.locals = bound_names(node.syntax());
        let is_binding = |met: VisitedNode<'_>| met.kind == SyntaxKind::LET_STMT;
        let bindings = nodes_of(node.syntax(), is_binding, |_| true);
        for binding in bindings.into_iter().filter_map(ast::LetStmt::cast) {
            let (Some(pattern), Some(value)) = (binding.pat(), binding.initializer()) else {
                continue;
            };
            if is_read_while_running(&value) {
                let own = ast::IdentPat::cast(pattern.syntax().clone());
                let own = own.and_then(|pattern| pattern.name());
                self.read.extend(own.map(|name| name.text().to_string()));
                self.read.extend(bound_names(pattern.syntax()));
            }
        }
    }

    fn node(&mut self, node: &SyntaxNode) {
        match node.kind() {
            SyntaxKind::MACRO_CALL => self.macro_call(node),
            SyntaxKind::METHOD_CALL_EXPR => self.method_call(node),
            SyntaxKind::INDEX_EXPR => self.index(node),
            SyntaxKind::CLOSURE_EXPR => self.report(LanguageFaultKind::Closure, node),
            SyntaxKind::WHILE_EXPR => {
                let keyword = ast::WhileExpr::cast(node.clone()).and_then(|run| run.while_token());
                self.at_keyword(LanguageFaultKind::While, keyword, node);
            }
            SyntaxKind::FOR_EXPR => self.for_loop(node),
            SyntaxKind::PATH_TYPE => self.path_type(node),
            _ => {}
        }
    }

    fn at_keyword(
        &mut self,
        kind: LanguageFaultKind,
        keyword: Option<ra_ap_syntax::SyntaxToken>,
        node: &SyntaxNode,
    ) {
        let range = keyword.map_or_else(|| node.text_range(), |token| token.text_range());
        let span = self.parsed.text.span_of(range);
        self.found.push(LanguageFault { kind, span });
    }

    fn macro_call(&mut self, node: &SyntaxNode) {
        let Some(call) = ast::MacroCall::cast(node.clone()) else {
            return;
        };
        let Some(path) = call.path() else {
            return;
        };
        let name = path_segments(&path).pop().unwrap_or_default();
        let tokens = call.token_tree();
        let given = tokens.as_ref().map(ast::TokenTree::syntax);
        let depends = given.is_some_and(|given| self.names_a_variable(given));
        let ends =
            ENDING.contains(&name.as_str()) || (ASSERTING.contains(&name.as_str()) && depends);
        if ends && !self.is_decided_by_constants(node) {
            self.report(LanguageFaultKind::Panics(format!("{name}!")), path.syntax());
        } else if name == SEQUENCES.1 && depends {
            self.report(LanguageFaultKind::Sequence, path.syntax());
        }
    }

    fn method_call(&mut self, node: &SyntaxNode) {
        let Some(call) = ast::MethodCallExpr::cast(node.clone()) else {
            return;
        };
        let (Some(name), Some(receiver)) = (call.name_ref(), call.receiver()) else {
            return;
        };
        let word = name.text().to_string();
        let depends =
            UNWRAPPING.contains(&word.as_str()) && self.names_a_variable(receiver.syntax());
        if depends && !self.is_decided_by_constants(node) {
            self.report(LanguageFaultKind::Panics(word), name.syntax());
        }
    }

    fn index(&mut self, node: &SyntaxNode) {
        let index = ast::IndexExpr::cast(node.clone()).and_then(|indexed| indexed.index());
        if let Some(index) = index
            && names_one_of(index.syntax(), &self.read)
        {
            self.report(LanguageFaultKind::RuntimeIndex, index.syntax());
        }
    }

    /// A sequence of tensors by its type: `Vec<DmTensor<…>>`.
    fn path_type(&mut self, node: &SyntaxNode) {
        let segment = ast::PathType::cast(node.clone())
            .and_then(|ty| ty.path())
            .and_then(|path| path.segment());
        let Some(segment) = segment else {
            return;
        };
        let is_sequence = segment
            .name_ref()
            .is_some_and(|name| name.text() == SEQUENCES.0);
        let of_tensors = segment.generic_arg_list().is_some_and(|arguments| {
            let mut names = arguments
                .syntax()
                .descendants()
                .filter_map(ast::NameRef::cast);
            names.any(|name| name.text().contains("Tensor"))
        });
        if is_sequence && of_tensors {
            self.report(LanguageFaultKind::Sequence, node);
        }
    }

    fn for_loop(&mut self, node: &SyntaxNode) {
        let Some(run) = ast::ForExpr::cast(node.clone()) else {
            return;
        };
        let body = run.loop_body();
        let is_empty = body.as_ref().is_some_and(|body| {
            let statements = body.stmt_list();
            statements.is_some_and(|list| {
                list.statements().next().is_none() && list.tail_expr().is_none()
            })
        });
        if is_empty {
            self.at_keyword(LanguageFaultKind::EmptyLoop, run.for_token(), node);
            return;
        }
        let Some(ast::Expr::RangeExpr(range)) = run.iterable().map(without_parentheses) else {
            return;
        };
        let start = range.start().map(without_parentheses);
        let Some(first) = start.as_ref().and_then(|start| self.number(start)) else {
            return;
        };
        let last = range.end().and_then(|end| self.number(&end));
        let inclusive = range
            .op_token()
            .is_some_and(|operator| operator.kind() == T![..=]);
        if last.is_some_and(|last| first > last || first == last && !inclusive) {
            let written = range.syntax().text().to_string();
            self.report(LanguageFaultKind::NoTurns(written), range.syntax());
            return;
        }
        if first > 0 {
            let from_zero = self.range_from_zero(&range, first);
            let variable = self.variable_uses(&run);
            let fault = RangeStart {
                first,
                written: range.syntax().text().to_string(),
                from_zero,
                variable,
            };
            self.report(LanguageFaultKind::RangeStart(fault), range.syntax());
        }
    }

    /// A range with as many numbers that starts at 0.
    fn range_from_zero(&self, range: &ast::RangeExpr, first: u64) -> Option<String> {
        let end = range.end()?;
        let operator = range.op_token()?.text().to_owned();
        Some(match (&end, self.number(&end)) {
            (ast::Expr::Literal(_), Some(last)) => {
                format!("0{operator}{}", last.checked_sub(first)?)
            }
            _ => format!("0{operator}{} - {first}", end.syntax().text()),
        })
    }

    /// The variable of a loop with the places that use it; `None` where not all of them can be seen.
    fn variable_uses(&self, run: &ast::ForExpr) -> Option<(String, Vec<Span>)> {
        let Some(ast::Pat::IdentPat(pattern)) = run.pat() else {
            return None;
        };
        let name = pattern.name()?.text().to_string();
        let body = run.loop_body()?;
        let hides = |node: SyntaxNode| {
            let rebinds = ast::IdentPat::cast(node.clone())
                .and_then(|pattern| pattern.name())
                .is_some_and(|bound| bound.text() == name);
            rebinds || ast::TokenTree::can_cast(node.kind()) && has_token(&node, &name)
        };
        if body.syntax().descendants().any(hides) {
            return None;
        }
        let uses = body
            .syntax()
            .descendants()
            .filter_map(ast::PathExpr::cast)
            .filter(|path| path.syntax().text() == name.as_str());
        let places = uses.map(|path| self.parsed.span(path.syntax())).collect();
        Some((name, places))
    }

    /// The value of an expression of constants.
    fn number(&self, expression: &ast::Expr) -> Option<u64> {
        if self.names_a_variable(expression.syntax()) {
            return None;
        }
        let (db, item) = (self.db, self.function);
        evaluate_expression(expression, &ItemEnvironment { db, item }).as_u64()
    }

    fn names_a_variable(&self, node: &SyntaxNode) -> bool {
        names_one_of(node, &self.locals)
    }

    /// Whether constants alone decide whether a place is reached.
    fn is_decided_by_constants(&self, node: &SyntaxNode) -> bool {
        let around = node.ancestors().skip(1);
        let inside = around.take_while(|outer| !ast::Fn::can_cast(outer.kind()));
        inside.into_iter().any(|outer| {
            let decides = match outer.kind() {
                SyntaxKind::IF_EXPR => {
                    ast::IfExpr::cast(outer).and_then(|branch| branch.condition())
                }
                SyntaxKind::MATCH_EXPR => {
                    ast::MatchExpr::cast(outer).and_then(|branch| branch.expr())
                }
                _ => None,
            };
            decides.is_some_and(|condition| !self.names_a_variable(condition.syntax()))
        })
    }
}

/// The functions by way of which a function calls itself, without it.
fn way_back(db: &dyn Db, function: ItemId) -> Option<Vec<ItemId>> {
    let mut seen: Vec<(ItemId, Option<usize>)> = Vec::new();
    let mut known = FxHashSet::default();
    let mut next = 0;
    let mut open = vec![(function, None)];
    loop {
        for (at, from) in open.drain(..) {
            for callee in callees_of_function(db, at).iter() {
                if *callee == function {
                    let mut way = Vec::new();
                    let mut step = from;
                    while let Some((item, before)) = step.and_then(|step| seen.get(step)) {
                        way.push(*item);
                        step = *before;
                    }
                    way.reverse();
                    return Some(way);
                }
                if known.insert(*callee) {
                    seen.push((*callee, from));
                }
            }
        }
        let (item, _) = *seen.get(next)?;
        open.push((item, Some(next)));
        next += 1;
    }
}

/// Whether a part of a function is worked out before it runs.
pub(super) fn is_constant(node: &SyntaxNode) -> bool {
    is_constant_kind(node.kind())
        || ast::BlockExpr::cast(node.clone()).is_some_and(|block| block.const_token().is_some())
}

const fn is_constant_kind(kind: SyntaxKind) -> bool {
    matches!(
        kind,
        SyntaxKind::FN
            | SyntaxKind::CONST
            | SyntaxKind::STATIC
            | SyntaxKind::CONST_ARG
            | SyntaxKind::MACRO_RULES
            | SyntaxKind::ATTR
    )
}

/// Whether a value comes from the device: of a call that is given a part of the context to change.
pub(super) fn is_read_while_running(value: &ast::Expr) -> bool {
    let mut reached = Some(without_parentheses(value.clone()));
    while let Some(expression) = reached {
        reached = match expression {
            ast::Expr::MethodCallExpr(call) => {
                let given = call.arg_list().into_iter().flat_map(|list| list.args());
                let reads = given.into_iter().any(|argument| match argument {
                    ast::Expr::RefExpr(reference) => reference.mut_token().is_some(),
                    _ => false,
                });
                if reads {
                    return true;
                }
                call.receiver()
            }
            ast::Expr::CastExpr(cast) => cast.expr(),
            ast::Expr::ParenExpr(inside) => inside.expr(),
            _ => None,
        };
    }
    false
}

pub(super) fn without_parentheses(mut expression: ast::Expr) -> ast::Expr {
    while let ast::Expr::ParenExpr(inside) = &expression {
        match inside.expr() {
            Some(inner) => expression = inner,
            None => break,
        }
    }
    expression
}

/// Whether an expression, or the tokens that a macro is given, names one of some variables.
fn names_one_of(node: &SyntaxNode, names: &FxHashSet<String>) -> bool {
    let tokens = node.descendants_with_tokens();
    let mut tokens = tokens.filter_map(NodeOrToken::into_token);
    tokens.any(|token| {
        token.kind() == SyntaxKind::IDENT
            && names.contains(token.text())
            // Not a field, a method or a part of a path.
            && token.prev_token().is_none_or(|before| !matches!(before.kind(), T![.] | T![::] | T![:]))
    })
}

fn has_token(tree: &SyntaxNode, text: &str) -> bool {
    let tokens = tree.descendants_with_tokens();
    let mut tokens = tokens.filter_map(NodeOrToken::into_token);
    // A text may capture the variable.
    tokens.any(|token| {
        token.text() == text || token.kind() == SyntaxKind::STRING && token.text().contains(text)
    })
}
