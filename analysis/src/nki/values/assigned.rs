//! The names that a block binds, anywhere in it.
//!
//! Knows Python's binding forms, and nothing of values.

use std::sync::Arc;

use ruff_python_ast::visitor::{Visitor, walk_except_handler, walk_expr, walk_pattern, walk_stmt};
use ruff_python_ast::{Alias, ExceptHandler, Expr, ExprContext, Pattern, Stmt};
use rustc_hash::FxHashMap;

use super::expressions::dotted;

/// Names with how often they are bound.
#[derive(Debug, Default)]
pub struct Assigned {
    /// How often each name is bound. Imports do not count: two of them are two ways to the same.
    pub names: FxHashMap<Arc<str>, u32>,
    /// Names that an import binds.
    pub imported: Vec<Arc<str>>,
}

/// The names that statements bind, those of functions in them left out.
pub fn assigned(body: &[Stmt]) -> Assigned {
    let mut found = Assigned::default();
    for statement in body {
        found.visit_stmt(statement);
    }
    found
}

impl Assigned {
    fn add(&mut self, name: &str) {
        *self.names.entry(Arc::from(name)).or_insert(0) += 1;
    }

    fn import(&mut self, alias: &Alias) {
        let name = alias.asname.as_ref().map_or_else(
            || alias.name.as_str().split('.').next().unwrap_or_default(),
            |name| name.as_str(),
        );
        self.imported.push(Arc::from(name));
    }
}

impl<'a> Visitor<'a> for Assigned {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::FunctionDef(function) => self.add(function.name.as_str()),
            Stmt::ClassDef(class) => self.add(class.name.as_str()),
            Stmt::Import(import) => import.names.iter().for_each(|alias| self.import(alias)),
            Stmt::ImportFrom(import) => import.names.iter().for_each(|alias| self.import(alias)),
            Stmt::Global(global) => {
                for name in &global.names {
                    // Assigned here and elsewhere: twice at the least.
                    self.add(name.as_str());
                    self.add(name.as_str());
                }
            }
            Stmt::Nonlocal(nonlocal) => {
                for name in &nonlocal.names {
                    self.add(name.as_str());
                    self.add(name.as_str());
                }
            }
            _ => walk_stmt(self, statement),
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Name(name) if !matches!(name.ctx, ExprContext::Load) => {
                self.add(name.id.as_str());
            }
            Expr::Attribute(attribute) if !matches!(attribute.ctx, ExprContext::Load) => {
                if let Some(path) = dotted(expression) {
                    self.add(&path);
                }
            }
            Expr::Lambda(_) => {}
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
        match pattern {
            Pattern::MatchAs(inner) => {
                if let Some(name) = &inner.name {
                    self.add(name.as_str());
                }
            }
            Pattern::MatchStar(inner) => {
                if let Some(name) = &inner.name {
                    self.add(name.as_str());
                }
            }
            Pattern::MatchMapping(inner) => {
                if let Some(name) = &inner.rest {
                    self.add(name.as_str());
                }
            }
            _ => {}
        }
        walk_pattern(self, pattern);
    }
}

/// Methods that change a list in place.
pub const CHANGING: &[&str] = &[
    "append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse",
];

#[derive(Default)]
struct Changes {
    found: bool,
}

impl<'a> Visitor<'a> for Changes {
    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Attribute(attribute) => self.found |= CHANGING.contains(&attribute.attr.as_str()),
            Expr::Subscript(subscript) => self.found |= !matches!(subscript.ctx, ExprContext::Load),
            _ => {}
        }
        walk_expr(self, expression);
    }
}

/// Whether a block may change a list in place.
pub fn changes_lists(body: &[Stmt]) -> bool {
    let mut changes = Changes::default();
    for statement in body {
        changes.visit_stmt(statement);
    }
    changes.found
}

#[derive(Default)]
struct Appended {
    times: FxHashMap<Arc<str>, u32>,
}

impl<'a> Visitor<'a> for Appended {
    fn visit_expr(&mut self, expression: &'a Expr) {
        let (changed, times) = match expression {
            Expr::Attribute(attribute) => match attribute.attr.as_str() {
                "append" => (dotted(&attribute.value), 1),
                other if CHANGING.contains(&other) => (dotted(&attribute.value), 2),
                _ => (None, 0),
            },
            Expr::Subscript(subscript) if !matches!(subscript.ctx, ExprContext::Load) => {
                (dotted(&subscript.value), 2)
            }
            _ => (None, 0),
        };
        if let Some(name) = changed {
            *self.times.entry(Arc::from(name)).or_insert(0) += times;
        }
        walk_expr(self, expression);
    }
}

/// How often a block appends to each name; other changes count twice.
pub fn appended(body: &[Stmt]) -> FxHashMap<Arc<str>, u32> {
    let mut appended = Appended::default();
    for statement in body {
        appended.visit_stmt(statement);
    }
    appended.times
}
