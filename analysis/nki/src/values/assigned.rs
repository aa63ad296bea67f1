//! The names that a block binds, anywhere in it, and the lists that it may change.
//!
//! Knows Python's binding forms, and nothing of values.

use std::borrow::Cow;

use ruff_python_ast::visitor::{Visitor, walk_except_handler, walk_expr, walk_pattern, walk_stmt};
use ruff_python_ast::{
    ExceptHandler, Expr, ExprContext, Pattern, Stmt, StmtFunctionDef, StmtGlobal, StmtNonlocal,
};
use rustc_hash::FxHashMap;

use super::expressions::dotted;

/// What a block does to names and lists, found in one walk.
#[derive(Debug, Default)]
pub struct Assigned<'a> {
    /// How often each name is bound, those of functions, classes and lambdas in the block left out. Imports do not count: two of them
    /// are two ways to the same.
    pub names: FxHashMap<Cow<'a, str>, u32>,
    /// Whether something in the block may change a list in place.
    pub changes_lists: bool,
    /// How often the block appends to each name; other changes count twice.
    pub appended: FxHashMap<Cow<'a, str>, u32>,
    /// Functions, classes and lambdas around what is looked at.
    depth: usize,
}

/// What statements do to names and lists.
pub fn assigned(body: &[Stmt]) -> Assigned<'_> {
    let mut found = Assigned::default();
    for statement in body {
        found.visit_stmt(statement);
    }
    found
}

/// The functions that statements define, in classes and branches too; those in functions are left out.
pub fn defined_functions(body: &[Stmt]) -> Vec<&StmtFunctionDef> {
    struct Defined<'a>(Vec<&'a StmtFunctionDef>);

    impl<'a> Visitor<'a> for Defined<'a> {
        fn visit_stmt(&mut self, statement: &'a Stmt) {
            match statement {
                Stmt::FunctionDef(function) => self.0.push(function),
                other => walk_stmt(self, other),
            }
        }
    }

    let mut found = Defined(Vec::new());
    for statement in body {
        found.visit_stmt(statement);
    }
    found.0
}

impl<'a> Assigned<'a> {
    fn add(&mut self, name: impl Into<Cow<'a, str>>) {
        if self.depth == 0 {
            *self.names.entry(name.into()).or_insert(0) += 1;
        }
    }

    /// A list that an expression names is changed.
    fn note_change(&mut self, list: &'a Expr, times: u32) {
        self.changes_lists = true;
        if let Some(name) = dotted_path(list) {
            *self.appended.entry(name).or_insert(0) += times;
        }
    }

    fn walk_deeper(&mut self, walk: impl FnOnce(&mut Self)) {
        self.depth += 1;
        walk(self);
        self.depth -= 1;
    }
}

/// The dotted path of a name and its attributes.
fn dotted_path(expression: &Expr) -> Option<Cow<'_, str>> {
    match expression {
        Expr::Name(name) => Some(Cow::Borrowed(name.id.as_str())),
        other => dotted(other).map(Cow::Owned),
    }
}

impl<'a> Visitor<'a> for Assigned<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::FunctionDef(function) => {
                self.add(function.name.as_str());
                self.walk_deeper(|inside| walk_stmt(inside, statement));
            }
            Stmt::ClassDef(class) => {
                self.add(class.name.as_str());
                self.walk_deeper(|inside| walk_stmt(inside, statement));
            }
            Stmt::Import(_) | Stmt::ImportFrom(_) => {}
            Stmt::Global(StmtGlobal { names, .. }) | Stmt::Nonlocal(StmtNonlocal { names, .. }) => {
                for name in names {
                    // Assigned here and elsewhere: twice at least.
                    self.add(name.as_str());
                    self.add(name.as_str());
                }
            }
            _ => walk_stmt(self, statement),
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Name(name) => {
                if !matches!(name.ctx, ExprContext::Load) {
                    self.add(name.id.as_str());
                }
            }
            Expr::Attribute(attribute) => {
                if !matches!(attribute.ctx, ExprContext::Load)
                    && let Some(path) = dotted_path(expression)
                {
                    self.add(path);
                }
                match attribute.attr.as_str() {
                    "append" => self.note_change(&attribute.value, 1),
                    other if CHANGING.contains(&other) => self.note_change(&attribute.value, 2),
                    _ => {}
                }
                self.visit_expr(&attribute.value);
            }
            Expr::Subscript(subscript) => {
                if !matches!(subscript.ctx, ExprContext::Load) {
                    self.note_change(&subscript.value, 2);
                }
                walk_expr(self, expression);
            }
            Expr::Lambda(_) => self.walk_deeper(|inside| walk_expr(inside, expression)),
            Expr::NumberLiteral(_) | Expr::StringLiteral(_) | Expr::NoneLiteral(_) => {}
            _ => walk_expr(self, expression),
        }
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(inner) = handler;
        if let Some(name) = &inner.name {
            self.add(name.as_str());
        }
        walk_except_handler(self, handler);
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        let name = match pattern {
            Pattern::MatchAs(inner) => inner.name.as_ref(),
            Pattern::MatchStar(inner) => inner.name.as_ref(),
            Pattern::MatchMapping(inner) => inner.rest.as_ref(),
            _ => None,
        };
        if let Some(name) = name {
            self.add(name.as_str());
        }
        walk_pattern(self, pattern);
    }
}

/// Methods that change a list in place.
pub const CHANGING: &[&str] = &[
    "append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse",
];
