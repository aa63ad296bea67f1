//! Blocks, `let` statements and patterns.

use std::rc::Rc;

use ra_ap_syntax::SyntaxNode;
use ra_ap_syntax::ast::{self, AstNode, HasName};

use crate::syntax::{child_of, without_raw};

use super::values::Value;
use super::{Elaborate, Flow, Walker};

impl<L: Elaborate> Walker<'_, L> {
    /// Runs a block and gives its value.
    pub(crate) fn block(&mut self, block: &ast::BlockExpr) -> Value<L> {
        let outer = self.frame.variables.len();
        let mut value = Value::Unit;
        if let Some(list) = block.stmt_list() {
            for statement in list.statements() {
                if self.flow != Flow::Next || !self.spend() {
                    break;
                }
                self.statement(&statement);
            }
            if self.flow == Flow::Next
                && !self.exhausted
                && let Some(tail) = list.tail_expr()
            {
                value = self.expression(&tail);
            }
        }
        self.frame.variables.truncate(outer);
        value
    }

    fn statement(&mut self, statement: &ast::Stmt) {
        match statement {
            ast::Stmt::LetStmt(statement) => self.let_statement(statement),
            ast::Stmt::ExprStmt(statement) => match statement.expr() {
                Some(ast::Expr::MacroExpr(expression)) => {
                    if let Some(call) = expression.macro_call() {
                        self.macro_call(&call, false);
                    }
                }
                Some(expression) => {
                    self.expression(&expression);
                }
                None => {}
            },
            ast::Stmt::Item(ast::Item::MacroCall(call)) => {
                self.macro_call(call, false);
            }
            ast::Stmt::Item(_) => {}
        }
    }

    fn let_statement(&mut self, statement: &ast::LetStmt) {
        let site = self.frame.site.clone();
        let read = |walker: &mut Self| {
            let ty = child_of::<ast::Type>(statement.syntax())?;
            let place = site.span(ty.syntax());
            Some(L::read_type(walker, &site, &ty, place))
        };
        let initializer = child_of::<ast::Expr>(statement.syntax());
        // A call takes from the declared type what its arguments do not say.
        let is_call = matches!(initializer, Some(ast::Expr::CallExpr(_)));
        let expected = if is_call { read(self) } else { None };
        if let (Some(initializer), Some(ty)) = (&initializer, &expected) {
            L::expect(self, initializer, ty);
        }
        let value = match &initializer {
            Some(initializer) => self.expression(initializer),
            None => Value::Unknown,
        };
        let declared = expected.or_else(|| read(self));
        let value = match &declared {
            Some(ty) => self.typed(value, ty),
            None => value,
        };
        let value = match (&initializer, declared, value) {
            (None, Some(ty), Value::Unknown) => Value::Declared(Rc::new(ty)),
            (Some(_), Some(ty), value) => self.as_declared(value, &ty, statement.syntax()),
            (_, _, value) => value,
        };
        if let Some(pattern) = child_of::<ast::Pat>(statement.syntax()) {
            let other = child_of::<ast::LetElse>(statement.syntax());
            if let Some(other) = other.and_then(|other| other.block_expr())
                && self.pattern_matches(&pattern, &value, 0) == Some(false)
            {
                self.block(&other);
                return;
            }
            self.bind_pattern(&pattern, value);
        }
    }

    /// A value under a declared type.
    pub(crate) fn typed(&mut self, value: Value<L>, ty: &L::Type) -> Value<L> {
        L::constrain(self, &value, ty);
        match (value, L::number(ty)) {
            (Value::Constant(value, None), Some(scalar)) => Value::Constant(value, scalar),
            (value, _) => value,
        }
    }

    /// What an operation gave that could not be followed, under the type that is declared for it: operations on it can be
    /// followed again. Where it is and what it holds is not known.
    pub(crate) fn as_declared(
        &mut self,
        value: Value<L>,
        ty: &L::Type,
        written: &SyntaxNode,
    ) -> Value<L> {
        match value {
            Value::Unknown
                if L::is_device_side(ty) && self.flow == Flow::Next && !self.exhausted =>
            {
                let place = self.frame.site.span(written);
                L::value_of_type(self, ty, place)
            }
            value => value,
        }
    }

    /// Binds a pattern's variables to the parts of a value.
    pub(crate) fn bind_pattern(&mut self, pattern: &ast::Pat, value: Value<L>) {
        if self.depth >= super::EXPRESSION_DEPTH {
            return;
        }
        self.depth += 1;
        match pattern {
            ast::Pat::IdentPat(identifier) => self.bind_name(identifier, value),
            ast::Pat::ParenPat(inner) => self.bind_inner(inner.pat(), value),
            ast::Pat::RefPat(inner) => self.bind_inner(inner.pat(), value),
            ast::Pat::TuplePat(tuple) => {
                self.bind_parts(&tuple.fields().collect::<Vec<_>>(), &value);
            }
            ast::Pat::SlicePat(slice) => self.bind_parts(&slice.pats().collect::<Vec<_>>(), &value),
            ast::Pat::TupleStructPat(tuple) => {
                let parts: Vec<ast::Pat> = tuple.fields().collect();
                match &value {
                    Value::Named(_) => {
                        let values = (0..parts.len())
                            .map(|index| self.field_of(&value, &index.to_string()))
                            .collect();
                        self.bind_parts(&parts, &Value::Tuple(values));
                    }
                    _ => self.bind_parts(&parts, &Value::Unknown),
                }
            }
            ast::Pat::RecordPat(record) => self.bind_fields(record, &value),
            _ => {}
        }
        self.depth -= 1;
    }

    fn bind_inner(&mut self, inner: Option<ast::Pat>, value: Value<L>) {
        if let Some(inner) = inner {
            self.bind_pattern(&inner, value);
        }
    }

    /// `Context { main, tdma, .. }`, or a struct of the project.
    fn bind_fields(&mut self, record: &ast::RecordPat, value: &Value<L>) {
        let fields: Vec<ast::RecordPatField> = record
            .record_pat_field_list()
            .into_iter()
            .flat_map(|list| list.fields().collect::<Vec<_>>())
            .collect();
        for field in fields {
            let Some(pattern) = field.pat() else {
                continue;
            };
            let name = match (field.name_ref(), &pattern) {
                (Some(name), _) => name.text().to_string(),
                (None, ast::Pat::IdentPat(identifier)) => identifier
                    .name()
                    .map_or_else(String::new, |name| name.text().to_string()),
                _ => continue,
            };
            let value = self.field_of(value, &name);
            self.bind_pattern(&pattern, value);
        }
    }

    fn bind_parts(&mut self, parts: &[ast::Pat], value: &Value<L>) {
        let values: &[Value<L>] = match value {
            Value::Tuple(values) | Value::Array(values) => values,
            _ => &[],
        };
        // `..`, or `middle @ ..`, which has a name.
        let named_rest = |part: &ast::Pat| match part {
            ast::Pat::IdentPat(part) => matches!(part.pat(), Some(ast::Pat::RestPat(_))),
            _ => false,
        };
        let rest = parts
            .iter()
            .position(|part| matches!(part, ast::Pat::RestPat(_)) || named_rest(part));
        for (index, part) in parts.iter().enumerate() {
            if rest == Some(index) && named_rest(part) {
                let end = (values.len() + index + 1).saturating_sub(parts.len());
                let middle = values.get(index..end).unwrap_or_default();
                self.bind_pattern(part, Value::Array(middle.to_vec()));
                continue;
            }
            let place = match rest {
                Some(rest) if index > rest => (values.len() + index).checked_sub(parts.len()),
                _ => Some(index),
            };
            let value = place
                .and_then(|place| values.get(place))
                .cloned()
                .unwrap_or(Value::Unknown);
            self.bind_pattern(part, value);
        }
    }

    fn bind_name(&mut self, identifier: &ast::IdentPat, value: Value<L>) {
        if let Some(name) = identifier.name() {
            let span = self.frame.site.span(name.syntax());
            let text = without_raw(name.text()).to_owned();
            L::named(self, &value, &text, span);
            self.frame.variables.push(&text, value.clone());
        }
        if let Some(inner) = identifier.pat() {
            self.bind_pattern(&inner, value);
        }
    }
}
