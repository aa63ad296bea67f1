//! Where a store is written, so that statements can be put before it that change what it stores.
//!
//! What is stored is a variable of the statement's block, or becomes one: where it is an expression, the statements before it name
//! it first. A store in a helper that holds for any mapping is changed where the kernel calls it, so that no other caller is given
//! another tensor. Knows the tree of the function, names and nothing of mappings.

use ra_ap_syntax::ast::{self, AstNode, HasArgList, HasGenericParams, HasName};
use ra_ap_syntax::{SyntaxKind, SyntaxNode};
use rustc_hash::FxHashSet;

use crate::db::Db;
use crate::items::{ParsedItem, Span, file_range, method_call, parse_item};
use crate::kernel::{Body, Context, Operation};
use crate::names::is_word_letter;
use crate::rules::Edit;

/// Names for what has none, the first that the function does not use.
const NAMES: [&str; 5] = ["stored", "stored2", "stored3", "stored4", "stored5"];

/// The statement of a store.
pub(super) struct Statement {
    /// Where it begins.
    pub(super) start: Span,
    /// The variable that is stored.
    pub(super) name: String,
    /// The statement that names what is stored, where it has no name, and the edit that uses the name.
    named: Option<(String, Edit)>,
    /// The context that the store runs in, as it is written there.
    pub(super) context: String,
    /// The tensor unit that passes of the function begin in.
    pub(super) unit: Option<String>,
}

impl Statement {
    /// That of a transfer. `None` where what is stored cannot be named.
    pub(super) fn of(db: &dyn Db, body: &Body, operation: &Operation) -> Option<Self> {
        let store = method_call(db, operation.span)?;
        let mut item = operation.span.item;
        let mut stored = without_views(store.receiver()?, body)?;
        let mut node = store.syntax().clone();
        let mut words = expression_text(&store.arg_list()?.args().next()?);
        // Out of helpers that hold for any mapping.
        let mut calls = operation.calls.iter().rev();
        while is_generic(&node)? {
            let site = *calls.next()?;
            let (arguments, at) = arguments_of(db, site)?;
            stored = without_views(
                referent(given_argument(&node, &variable_name(&stored)?, &arguments)?),
                body,
            )?;
            let (root, rest) = root_of(&words)?;
            let replaced = expression_text(&given_argument(&node, root, &arguments)?);
            words = rest.replacen('%', &replaced, 1);
            (item, node) = (site.item, at);
        }
        let parsed = parse_item(db, item);
        // The statement, or the expression that a block ends with.
        let inside = node.ancestors().find(|node| {
            let parent = node.parent();
            parent.is_some_and(|parent| ast::StmtList::can_cast(parent.kind()))
        })?;
        let start = parsed.span(&inside);
        let (name, named) = match variable_name(&stored) {
            Some(name) => (name, None),
            None => {
                let (name, statement, edit) = to_be_named(db, &parsed, &inside, &stored)?;
                (name, Some((statement, edit)))
            }
        };
        let main = body
            .operations
            .iter()
            .find(|operation| operation.context == Context::Main && operation.span.item == item);
        let unit = main.and_then(|operation| {
            let receiver = method_call(db, operation.span)?.receiver()?;
            let plain = matches!(receiver, ast::Expr::FieldExpr(_) | ast::Expr::PathExpr(_));
            plain.then(|| expression_text(&receiver))
        });
        Some(Self {
            start: Span {
                end: start.start,
                ..start
            },
            name,
            named,
            context: words,
            unit,
        })
    }
}

impl Statement {
    /// Whether what is stored has a name already.
    pub(super) const fn has_name(&self) -> bool {
        self.named.is_none()
    }

    /// What is stored, in words.
    pub(super) fn stored_in_words(&self) -> String {
        match &self.named {
            Some(_) => format!("the result, named `{}`,", self.name),
            None => format!("`{}`", self.name),
        }
    }

    /// The edits that put statements before it, in which what is stored has its name.
    pub(super) fn with_before(&self, statements: &[String]) -> Vec<Edit> {
        let first = self.named.as_ref().map(|(statement, _)| statement);
        let text: String = first
            .into_iter()
            .chain(statements)
            .map(|statement| format!("{statement}\n"))
            .collect();
        match &self.named {
            // Two edits at one byte would meet.
            Some((_, used)) if used.span.start == self.start.start => {
                vec![Edit::new(used.span, format!("{text}{}", self.name))]
            }
            named => {
                let mut edits = vec![Edit::new(self.start, text)];
                edits.extend(named.iter().map(|(_, used)| used.clone()));
                edits
            }
        }
    }
}

/// An expression without the spaces of normalised text.
fn expression_text(expression: &ast::Expr) -> String {
    let text = expression.syntax().text().to_string();
    text.replace(" . ", ".").replace("& mut ", "&mut ")
}

/// What a view of the whole is of.
fn without_views(mut receiver: ast::Expr, body: &Body) -> Option<ast::Expr> {
    loop {
        match receiver {
            ast::Expr::MethodCallExpr(view)
                if view
                    .name_ref()
                    .map(|name| name.text().to_string())
                    .as_deref()
                    == body.library().view() =>
            {
                receiver = view.receiver()?;
            }
            ast::Expr::ParenExpr(inner) => receiver = inner.expr()?,
            other => return Some(other),
        }
    }
}

/// What a reference is of.
fn referent(expression: ast::Expr) -> ast::Expr {
    match &expression {
        ast::Expr::RefExpr(reference) => reference.expr().map_or(expression.clone(), referent),
        _ => expression,
    }
}

fn variable_name(expression: &ast::Expr) -> Option<String> {
    match expression {
        ast::Expr::PathExpr(path) => {
            let segment = path.path()?.as_single_name_ref()?;
            Some(segment.text().to_string())
        }
        _ => None,
    }
}

/// Whether the function around a node has parameters that are types.
fn is_generic(node: &SyntaxNode) -> Option<bool> {
    let function = node.ancestors().find_map(ast::Fn::cast)?;
    let parameters = function.generic_param_list();
    Some(parameters.is_some_and(|list| list.type_or_const_params().next().is_some()))
}

/// The arguments of a call of a function at a place, and the call.
fn arguments_of(db: &dyn Db, site: Span) -> Option<(Vec<ast::Expr>, SyntaxNode)> {
    let parsed = parse_item(db, site.item);
    let root = parsed.root()?;
    let calls = root.syntax().descendants().filter_map(ast::CallExpr::cast);
    let call = calls
        .filter(|call| {
            let span = parsed.span(call.syntax());
            span.start <= site.start && site.end <= span.end
        })
        .min_by_key(|call| {
            let span = parsed.span(call.syntax());
            span.end - span.start
        })?;
    let arguments = call.arg_list()?.args().collect();
    Some((arguments, call.syntax().clone()))
}

/// The argument that a parameter of the function around a node is given.
fn given_argument(node: &SyntaxNode, name: &str, arguments: &[ast::Expr]) -> Option<ast::Expr> {
    let function = node.ancestors().find_map(ast::Fn::cast)?;
    let mut parameters = function.param_list()?.params();
    let at = parameters.position(|parameter| {
        let pattern = parameter.pat();
        matches!(pattern, Some(ast::Pat::IdentPat(pattern)) if pattern.name().is_some_and(|own| own.text() == name))
    })?;
    arguments.get(at).cloned()
}

/// The variable that a place begins with, and the place with `%` instead of it: `device` and `&mut %.tdma`.
fn root_of(words: &str) -> Option<(&str, String)> {
    let begins = words.find(|letter: char| letter != '&' && letter != ' ')?;
    let begins = begins
        + if words.get(begins..)?.starts_with("mut ") {
            4
        } else {
            0
        };
    let rest = words.get(begins..)?;
    let length = rest.find('.').unwrap_or(rest.len());
    let root = rest.get(..length)?;
    let plain = root.chars().all(is_word_letter);
    let behind = rest.get(length..)?;
    let before = words.get(..begins)?;
    (plain && !root.is_empty()).then(|| (root, format!("{before}%{behind}")))
}

/// The names that the item of a node does not use.
pub(super) fn unused_names(node: &SyntaxNode, names: &[&'static str]) -> Option<Vec<&'static str>> {
    let root = node.ancestors().last()?;
    let tokens = root.descendants_with_tokens();
    let tokens = tokens.filter_map(ra_ap_syntax::NodeOrToken::into_token);
    let used: FxHashSet<String> = tokens
        .filter(|token| token.kind() == SyntaxKind::IDENT)
        .map(|token| token.text().to_owned())
        .collect();
    let unused = names.iter().filter(|name| !used.contains(**name));
    Some(unused.copied().collect())
}

/// A name for an expression, the statement that gives it, and the edit that uses it.
fn to_be_named(
    db: &dyn Db,
    parsed: &ParsedItem,
    inside: &SyntaxNode,
    stored: &ast::Expr,
) -> Option<(String, String, Edit)> {
    let within = stored.syntax().text_range();
    if !inside.text_range().contains_range(within) || is_conditional(inside, stored.syntax()) {
        return None;
    }
    let name = *unused_names(inside, &NAMES)?.first()?;
    let span = parsed.span(stored.syntax());
    let (file, start, end) = file_range(db, span);
    let text = file.text(db);
    let text = text.get(start as usize..end as usize)?;
    let statement = format!("let {name} = {text};");
    Some((name.to_owned(), statement, Edit::new(span, name.to_owned())))
}

/// Whether an expression of a statement runs only in some cases, or more than once.
fn is_conditional(statement: &SyntaxNode, expression: &SyntaxNode) -> bool {
    let around = expression.ancestors().skip(1);
    let mut around = around.take_while(|node| node != statement);
    around.any(|node| {
        matches!(
            node.kind(),
            SyntaxKind::CLOSURE_EXPR
                | SyntaxKind::IF_EXPR
                | SyntaxKind::MATCH_EXPR
                | SyntaxKind::FOR_EXPR
                | SyntaxKind::WHILE_EXPR
                | SyntaxKind::BLOCK_EXPR
        )
    })
}
