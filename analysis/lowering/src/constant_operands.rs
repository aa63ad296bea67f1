//! Operands that the vendor's compiler needs as constants and that are computed, as they are written.
//!
//! The compiler knows literals, `const` items and what is in `const { … }`. Which arguments of which methods it needs so, the
//! dialect's table says; what is not surely computed is passed over.

use std::sync::Arc;

use ra_ap_syntax::ast::{self, AstNode, HasArgList, HasName};
use ra_ap_syntax::{SyntaxKind, SyntaxNode};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::db::Db;
use crate::items::{
    ItemId, Namespace, ParsedItem, Resolution, Span, parse_item, resolve_path, scope_at,
};

use crate::syntax::{VisitedNode, green_child, green_name, nodes_of};

use super::callgraph::is_reached_from_kernel;
use super::device_language::{is_constant, is_read_while_running, without_parentheses};
use super::surface::path_segments;
use crate::kernel::catalogue::Role;
use crate::kernel::dialect;

/// An operand that is computed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ComputedOperand {
    /// What computes it.
    pub kind: ComputedKind,
    /// What is written in the place of the argument.
    pub written: String,
    /// The argument.
    pub span: Span,
    /// What is computed: the argument itself, or what the variable that it names is bound to, with the text there.
    pub source: (Span, String),
    /// Where the compiler needs it, if a function of the project hands it on: the operand there.
    pub needed_at: Option<Span>,
}

/// What computes an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ComputedKind {
    /// The size of an axis or a mapping, as another type.
    SizeCast,
    /// A call.
    Call,
    /// The variable of a loop.
    LoopVariable,
    /// A condition that is decided while the kernel runs.
    Condition,
}

/// The computed operands of a function; none of functions that run on the host.
#[salsa::tracked(returns(clone))]
pub fn computed_operands(db: &dyn Db, function: ItemId) -> Arc<[ComputedOperand]> {
    if !is_reached_from_kernel(db, function) {
        return Arc::from([]);
    }
    let parsed = parse_item(db, function);
    let Some(node) = parsed.cast::<ast::Fn>() else {
        return Arc::from([]);
    };
    let mut found = Vec::new();
    let reader = std::cell::LazyCell::new(|| Reader::new(db, function, &parsed, &node));
    for operand in needed_constants(db, function, &node) {
        found.extend(reader.operand(&operand, None));
    }
    for (argument, needed_at) in handed_on(db, function, &node) {
        found.extend(reader.operand(&argument, Some(needed_at)));
    }
    found.into()
}

/// The arguments of a function's calls that the compiler needs as constants, by the table of the library.
fn needed_constants(db: &dyn Db, function: ItemId, node: &ast::Fn) -> Vec<ast::Expr> {
    let table = dialect::of_file(db, function.file(db));
    let needs_constants = |met: VisitedNode<'_>| {
        let is_call = met.kind == SyntaxKind::METHOD_CALL_EXPR;
        let name = green_child(met.node, SyntaxKind::NAME_REF).filter(|_| is_call);
        name.and_then(green_name).is_some_and(|name| {
            let mut arguments = table.methods(name).flat_map(|method| method.arguments);
            arguments.any(|argument| is_needed_constant(argument.role))
        })
    };
    let calls = nodes_of(node.syntax(), needs_constants, |met| {
        met.kind != SyntaxKind::TOKEN_TREE
    });
    let mut found = Vec::new();
    for call in calls.into_iter().filter_map(ast::MethodCallExpr::cast) {
        let Some(name) = call.name_ref() else {
            continue;
        };
        let given: Vec<ast::Expr> = call
            .arg_list()
            .into_iter()
            .flat_map(|list| list.args().collect::<Vec<_>>())
            .collect();
        let mut methods = table.methods(name.text());
        let Some(method) = methods.find(|method| method.arguments.len() == given.len()) else {
            continue;
        };
        for (argument, expression) in method.arguments.iter().zip(given) {
            if is_needed_constant(argument.role) {
                found.push(expression);
            }
        }
    }
    found
}

/// The arguments of calls of the project's functions that those hand on to where the compiler needs a constant, with that place.
fn handed_on(db: &dyn Db, function: ItemId, node: &ast::Fn) -> Vec<(ast::Expr, Span)> {
    let is_call = |met: VisitedNode<'_>| met.kind == SyntaxKind::CALL_EXPR;
    let calls = nodes_of(node.syntax(), is_call, |met| {
        met.kind != SyntaxKind::TOKEN_TREE
    });
    let mut found = Vec::new();
    for call in calls.into_iter().filter_map(ast::CallExpr::cast) {
        let given = list_arguments(call.arg_list());
        if given.is_empty() {
            continue;
        }
        let Some(callee) = called_function(db, function, &call) else {
            continue;
        };
        for (number, needed_at) in operand_parameters(db, callee).iter() {
            found.extend(given.get(*number).map(|given| (given.clone(), *needed_at)));
        }
    }
    found
}

/// The function of the project that a call names.
fn called_function(db: &dyn Db, function: ItemId, call: &ast::CallExpr) -> Option<ItemId> {
    let Some(ast::Expr::PathExpr(callee)) = call.expr() else {
        return None;
    };
    let path = callee.path()?;
    let names = path_segments(&path);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let place = path.syntax().text_range().start().into();
    let scope = scope_at(db, function, place);
    match resolve_path(db, &scope, &names, Namespace::Value) {
        Resolution::Function(function) => Some(function),
        _ => None,
    }
}

/// The parameters of a function, by number, that become operands which the compiler needs as constants, in it or in what it calls; with
/// the place of the operand.
#[salsa::tracked(returns(clone), cycle_result = no_operand_parameters)]
fn operand_parameters(db: &dyn Db, function: ItemId) -> Arc<[(usize, Span)]> {
    let parsed = parse_item(db, function);
    let Some(node) = parsed.cast::<ast::Fn>() else {
        return Arc::from([]);
    };
    let numbers = number_parameters(&node);
    if numbers.is_empty() {
        return Arc::from([]);
    }
    let own = needed_constants(db, function, &node)
        .into_iter()
        .map(|operand| {
            let place = parsed.span(operand.syntax());
            (operand, place)
        });
    let mut found: Vec<(usize, Span)> = Vec::new();
    for (operand, needed_at) in own.chain(handed_on(db, function, &node)) {
        let mut named = Vec::new();
        add_names_of_operand(db, function, &operand, &mut named);
        for number in named.iter().filter_map(|name| numbers.get(name)) {
            if found.iter().all(|(known, _)| known != number) {
                found.push((*number, needed_at));
            }
        }
    }
    found.into()
}

/// Adds the names that an operand is made of: itself, and what is computed with, listed or given to a constructor of the library. The
/// index of a list of registers is none: it says which register, and the compiler writes every turn of a loop out.
fn add_names_of_operand(
    db: &dyn Db,
    function: ItemId,
    operand: &ast::Expr,
    names: &mut Vec<String>,
) {
    let parts: Vec<ast::Expr> = match operand {
        ast::Expr::PathExpr(path) => {
            names.push(path.syntax().text().to_string());
            Vec::new()
        }
        ast::Expr::ParenExpr(inner) => inner.expr().into_iter().collect(),
        ast::Expr::PrefixExpr(inner) => inner.expr().into_iter().collect(),
        ast::Expr::CastExpr(inner) => inner.expr().into_iter().collect(),
        ast::Expr::BinExpr(both) => both.lhs().into_iter().chain(both.rhs()).collect(),
        ast::Expr::TupleExpr(tuple) => tuple.fields().collect(),
        ast::Expr::ArrayExpr(array) => match array.kind() {
            ast::ArrayExprKind::ElementList(elements) => elements.collect(),
            ast::ArrayExprKind::Repeat { initializer, .. } => initializer.into_iter().collect(),
        },
        ast::Expr::CallExpr(call) if called_function(db, function, call).is_none() => {
            list_arguments(call.arg_list())
        }
        _ => Vec::new(),
    };
    for part in &parts {
        add_names_of_operand(db, function, part, names);
    }
}

/// What is said of functions that call each other in a circle.
fn no_operand_parameters(_: &dyn Db, _: salsa::Id, _: ItemId) -> Arc<[(usize, Span)]> {
    Arc::from([])
}

/// The parameters of a function that are numbers and that nothing else in it is called as, with their places in the list.
fn number_parameters(node: &ast::Fn) -> FxHashMap<String, usize> {
    let parameters = node.param_list().into_iter().flat_map(|list| list.params());
    let mut numbers = FxHashMap::default();
    for (number, parameter) in parameters.enumerate() {
        if let (Some(ast::Pat::IdentPat(pattern)), Some(ty)) = (parameter.pat(), parameter.ty())
            && let Some(name) = pattern.name()
            && is_number_type(&ty.syntax().text().to_string())
        {
            numbers.insert(name.text().to_string(), number);
        }
    }
    let is_pattern = |met: VisitedNode<'_>| met.kind == SyntaxKind::IDENT_PAT;
    let body = node.body();
    let patterns = body.map(|body| nodes_of(body.syntax(), is_pattern, |_| true));
    for pattern in patterns
        .into_iter()
        .flatten()
        .filter_map(ast::IdentPat::cast)
    {
        if let Some(name) = pattern.name() {
            numbers.remove(name.text().to_string().as_str());
        }
    }
    numbers
}

/// Whether the compiler needs to know an argument.
const fn is_needed_constant(role: Role) -> bool {
    matches!(
        role,
        Role::Operand | Role::OperandAndConstant | Role::Value | Role::Pattern
    )
}

/// Variables that are followed to what they are bound to, one to the next.
const FOLLOWED: usize = 4;

/// The name of sizes.
const SIZE: &str = "SIZE";

struct Reader<'a> {
    db: &'a dyn Db,
    function: ItemId,
    parsed: &'a ParsedItem,
    /// Variables of loops.
    counted: FxHashSet<String>,
    /// Variables that are bound once, to what; `None` for a name that is bound more often.
    bound: FxHashMap<String, Option<ast::Expr>>,
}

impl<'a> Reader<'a> {
    fn new(db: &'a dyn Db, function: ItemId, parsed: &'a ParsedItem, node: &ast::Fn) -> Self {
        let mut counted = FxHashSet::default();
        let mut bound: FxHashMap<String, Option<ast::Expr>> = FxHashMap::default();
        let is_pattern = |met: VisitedNode<'_>| met.kind == SyntaxKind::IDENT_PAT;
        let patterns = nodes_of(node.syntax(), is_pattern, |_| true);
        for pattern in patterns.into_iter().filter_map(ast::IdentPat::cast) {
            let Some(name) = pattern.name() else {
                continue;
            };
            let name = name.text().to_string();
            let binding = pattern.syntax().parent();
            let value = binding
                .clone()
                .and_then(ast::LetStmt::cast)
                .filter(|_| pattern.mut_token().is_none())
                .and_then(|binding| binding.initializer());
            if binding.is_some_and(|binding| ast::ForExpr::can_cast(binding.kind())) {
                counted.insert(name.clone());
            }
            let first = !bound.contains_key(&name);
            bound.insert(name, value.filter(|_| first));
        }
        Self {
            db,
            function,
            parsed,
            counted,
            bound,
        }
    }

    /// What is computed of an operand.
    fn operand(&self, expression: &ast::Expr, needed_at: Option<Span>) -> Option<ComputedOperand> {
        let (kind, at) = self.computed(expression, FOLLOWED)?;
        Some(ComputedOperand {
            kind,
            written: expression.syntax().text().to_string(),
            span: self.parsed.span(expression.syntax()),
            source: (
                self.parsed.span(at.syntax()),
                at.syntax().text().to_string(),
            ),
            needed_at,
        })
    }

    /// What is surely computed in an expression, and the outermost expression that is.
    fn computed(&self, expression: &ast::Expr, depth: usize) -> Option<(ComputedKind, ast::Expr)> {
        let expression = without_parentheses(expression.clone());
        if is_constant(expression.syntax()) {
            return None;
        }
        let all = |parts: Vec<ast::Expr>| parts.iter().find_map(|part| self.computed(part, depth));
        match &expression {
            ast::Expr::PathExpr(path) => {
                let name = path.syntax().text().to_string();
                match self.bound.get(&name) {
                    _ if self.counted.contains(&name) => {
                        Some((ComputedKind::LoopVariable, expression))
                    }
                    Some(Some(value)) if depth > 0 => self.computed(value, depth - 1),
                    _ => None,
                }
            }
            ast::Expr::PrefixExpr(prefix) => {
                let (kind, at) = self.computed(&prefix.expr()?, depth)?;
                Some((kind, self.outer(expression, at)))
            }
            ast::Expr::CastExpr(cast) => {
                let inner = cast.expr()?;
                if is_size(&inner) {
                    return Some((ComputedKind::SizeCast, expression));
                }
                let (kind, at) = self.computed(&inner, depth)?;
                Some((kind, self.outer(expression, at)))
            }
            ast::Expr::BinExpr(both) => {
                let (kind, at) = all([both.lhs()?, both.rhs()?].into())?;
                Some((kind, self.outer(expression, at)))
            }
            ast::Expr::TupleExpr(tuple) => all(tuple.fields().collect()),
            ast::Expr::ArrayExpr(array) => match array.kind() {
                ast::ArrayExprKind::ElementList(elements) => all(elements.collect()),
                ast::ArrayExprKind::Repeat { initializer, .. } => {
                    all(initializer.into_iter().collect())
                }
            },
            ast::Expr::RefExpr(reference) => match reference.expr()? {
                array @ ast::Expr::ArrayExpr(_) => self.computed(&array, depth),
                _ => None,
            },
            ast::Expr::CallExpr(call) => {
                if self.gives_a_number(call) {
                    return Some((ComputedKind::Call, expression));
                }
                // What a function of the project gives otherwise is a register, whatever it is given.
                if called_function(self.db, self.function, call).is_some() {
                    return None;
                }
                all(list_arguments(call.arg_list()))
            }
            ast::Expr::MethodCallExpr(call) => {
                let root = root_of(call)?;
                match &root {
                    // A value that methods of the library add to.
                    ast::Expr::CallExpr(_) => all([call.receiver()?].into())
                        .or_else(|| all(list_arguments(call.arg_list()))),
                    _ if self.is_number(&root) => Some((ComputedKind::Call, expression)),
                    _ => None,
                }
            }
            ast::Expr::IfExpr(branch) => {
                let condition = branch.condition()?;
                let decided = self.is_decided_at_runtime(condition.syntax());
                decided.then_some((ComputedKind::Condition, expression))
            }
            _ => None,
        }
    }

    /// The whole of an expression, where what is computed of it is written in it.
    fn outer(&self, whole: ast::Expr, part: ast::Expr) -> ast::Expr {
        let range = part.syntax().text_range();
        if whole.syntax().text_range().contains_range(range) {
            whole
        } else {
            part
        }
    }

    /// Whether a function of the project, or one of a type of numbers, gives a number.
    fn gives_a_number(&self, call: &ast::CallExpr) -> bool {
        let Some(ast::Expr::PathExpr(callee)) = call.expr() else {
            return false;
        };
        let Some(path) = callee.path() else {
            return false;
        };
        let names = path_segments(&path);
        if let [owner, _] = names.as_slice()
            && is_number_type(owner)
        {
            return true;
        }
        let Some(function) = called_function(self.db, self.function, call) else {
            return false;
        };
        let declared = parse_item(self.db, function).cast::<ast::Fn>();
        let result = declared.and_then(|declared| declared.ret_type()?.ty());
        result.is_some_and(|result| is_number_type(&result.syntax().text().to_string()))
    }

    /// Whether an expression is a literal, a number by its type, or a constant.
    fn is_number(&self, expression: &ast::Expr) -> bool {
        match expression {
            ast::Expr::Literal(_) | ast::Expr::CastExpr(_) => true,
            ast::Expr::PrefixExpr(prefix) => prefix
                .expr()
                .is_some_and(|inner| self.is_number(&without_parentheses(inner))),
            ast::Expr::PathExpr(path) => {
                let Some(path) = path.path() else {
                    return false;
                };
                let names = path_segments(&path);
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                let place = path.syntax().text_range().start().into();
                let scope = scope_at(self.db, self.function, place);
                let found = resolve_path(self.db, &scope, &names, Namespace::Value);
                matches!(found, Resolution::Const(_))
            }
            _ => false,
        }
    }

    /// Whether a condition is decided while the kernel runs: by a loop's variable, or by what the kernel reads.
    fn is_decided_at_runtime(&self, condition: &SyntaxNode) -> bool {
        let names = condition.descendants().filter_map(ast::PathExpr::cast);
        names.into_iter().any(|path| {
            let name = path.syntax().text().to_string();
            let read = self.bound.get(&name).and_then(Option::as_ref);
            self.counted.contains(&name) || read.is_some_and(is_read_while_running)
        })
    }
}

fn list_arguments(list: Option<ast::ArgList>) -> Vec<ast::Expr> {
    list.into_iter()
        .flat_map(|list| list.args().collect::<Vec<_>>())
        .collect()
}

/// What the first of a chain of methods is called on.
fn root_of(call: &ast::MethodCallExpr) -> Option<ast::Expr> {
    let mut receiver = without_parentheses(call.receiver()?);
    while let ast::Expr::MethodCallExpr(inner) = &receiver {
        receiver = without_parentheses(inner.receiver()?);
    }
    Some(receiver)
}

/// Whether an expression is the size of a type: `A::SIZE`.
fn is_size(expression: &ast::Expr) -> bool {
    let ast::Expr::PathExpr(path) = without_parentheses(expression.clone()) else {
        return false;
    };
    let path = path.path();
    let name = path.as_ref().and_then(|path| path.segment()?.name_ref());
    let qualified = path.is_some_and(|path| path.qualifier().is_some());
    qualified && name.is_some_and(|name| name.text() == SIZE)
}

fn is_number_type(name: &str) -> bool {
    let sized = ["f", "i", "u"].iter().any(|kind| {
        let bits = name.strip_prefix(kind);
        bits.is_some_and(|bits| matches!(bits, "8" | "16" | "32" | "64" | "128" | "size"))
    });
    sized && name != "fsize"
}
