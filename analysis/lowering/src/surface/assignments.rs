//! What is written to: variables, fields, elements, tuples of places.

use ra_ap_syntax::ast;

use crate::syntax::without_raw;

use super::arithmetic::arithmetic_value;
use super::values::Value;
use super::{Elaborate, Walker};

impl<L: Elaborate> Walker<'_, L> {
    pub(super) fn assignment(
        &mut self,
        left: &ast::Expr,
        op: Option<ast::ArithOp>,
        right: &ast::Expr,
    ) -> Value<L> {
        let mut value = self.expression(right);
        if let Some(op) = op {
            let before = self.expression(left);
            value = arithmetic_value(op, before, value);
        }
        self.assign_to(left, value);
        Value::Unit
    }

    pub(super) fn assign_to(&mut self, place: &ast::Expr, value: Value<L>) {
        match place {
            ast::Expr::ParenExpr(inner) => {
                if let Some(inner) = inner.expr() {
                    self.assign_to(&inner, value);
                }
            }
            ast::Expr::PrefixExpr(inner) => {
                if let Some(inner) = inner.expr() {
                    self.assign_to(&inner, value);
                }
            }
            ast::Expr::PathExpr(path) => {
                let name = path.path().and_then(|path| path.as_single_name_ref());
                if let Some(name) = name {
                    let name = without_raw(name.text()).to_owned();
                    let value = match self.variable(&name).cloned() {
                        Some(Value::Declared(ty)) => self.typed(value, &ty),
                        Some(before) => {
                            L::unify(self, &before, &value);
                            value
                        }
                        None => value,
                    };
                    self.assign(&name, value);
                }
            }
            ast::Expr::TupleExpr(tuple) => {
                let values = match value {
                    Value::Tuple(values) => values,
                    _ => Vec::new(),
                };
                for (index, field) in tuple.fields().enumerate() {
                    let value = values.get(index).cloned().unwrap_or(Value::Unknown);
                    self.assign_to(&field, value);
                }
            }
            ast::Expr::IndexExpr(index) => self.assign_element(index, value),
            ast::Expr::FieldExpr(field) => self.assign_field(field, value),
            ast::Expr::RefExpr(inner) => {
                if let Some(inner) = inner.expr() {
                    self.assign_to(&inner, value);
                }
            }
            _ => {}
        }
    }

    /// A field of a struct or a tuple that a variable holds.
    fn assign_field(&mut self, field: &ast::FieldExpr, value: Value<L>) {
        let (Some(base), Some(name)) = (field.expr(), field.name_ref()) else {
            return;
        };
        let name = name.text().to_string();
        let place = name.parse::<usize>().ok();
        let mut whole = self.expression(&base);
        let slot = match &mut whole {
            Value::Tuple(parts) => place.and_then(|place| parts.get_mut(place)),
            Value::Named(named) => match place {
                Some(place) => named.arguments.get_mut(place).map(|(value, _)| value),
                None => {
                    let mut fields = named.fields.iter_mut();
                    let found = fields.find(|(field, ..)| *field == name);
                    found.map(|(_, value, _)| value)
                }
            },
            _ => None,
        };
        if let Some(slot) = slot {
            L::unify(self, &slot.clone(), &value);
            *slot = value;
            self.assign_to(&base, whole);
        }
    }

    /// What a called function left in the places that it was lent: `&mut place`, and a variable that is such a reference.
    pub(super) fn take_back(&mut self, given: &[ast::Expr]) {
        for (index, value) in std::mem::take(&mut self.lent) {
            if let Some(place) = given.get(index) {
                self.assign_to(place, value);
            }
        }
    }

    fn assign_element(&mut self, index: &ast::IndexExpr, value: Value<L>) {
        let (Some(base), Some(at)) = (index.base(), index.index()) else {
            return;
        };
        let array = self.expression(&base);
        let at = self
            .expression(&at)
            .as_u64()
            .and_then(|at| usize::try_from(at).ok());
        let changed = match (array, at) {
            (Value::Array(mut values), Some(at)) => {
                if let Some(slot) = values.get_mut(at) {
                    *slot = value;
                }
                Value::Array(values)
            }
            _ => Value::Unknown,
        };
        self.assign_to(&base, changed);
    }
}
