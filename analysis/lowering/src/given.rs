//! What a function is given and what it returns: its parameters and results by name, and the numbers of a run.

use std::collections::BTreeMap;
use std::sync::Arc;

use ra_ap_syntax::ast::{self, AstNode, HasName};

use crate::db::Db;
use crate::items::{ConstValue, ItemId};
use crate::kernel::{Body, Given, Parameter};

use super::types::Type;
use super::{Interpreter, Thing, Value, functions};

/// Operations that a run may have.
pub(super) const RUN_OPERATIONS: usize = 1 << 20;
/// Expressions that are looked at for a run.
pub(super) const RUN_EXPRESSIONS: u64 = 1 << 28;
/// Turns of loops that a run may have.
pub(super) const RUN_ITERATIONS: u64 = 1 << 22;

/// Numbers of run time by the names of the parameters.
pub type GivenNumbers = BTreeMap<String, ConstValue>;

/// Lowers a function for a run: with the numbers of run time that it is given, and every loop to its end.
///
/// The body of the lint is another query, whose limits are smaller: what is run changes nothing there.
pub fn body_of_run(db: &dyn Db, function: ItemId, given: GivenNumbers) -> Arc<Body> {
    Arc::new(functions::lower_run(db, function, given))
}

impl Interpreter<'_> {
    /// Keeps a parameter by its name, and gives numbers of a run their values.
    pub(super) fn note_parameter(
        &mut self,
        parameter: &ast::Param,
        ty: &Type,
        value: Value,
    ) -> Value {
        if matches!(ty, Type::Device | Type::Context(_) | Type::Stream { .. }) {
            return value;
        }
        let last = self.own.draft.parameters.last();
        let position = last.map_or(0, |last| last.position + 1);
        let name = match parameter.pat() {
            Some(ast::Pat::IdentPat(name)) => name.name().map(|name| name.text().to_string()),
            _ => None,
        };
        let name = name.unwrap_or_else(|| format!("argument{position}"));
        if matches!(ty, Type::Number(_)) {
            let known = self.note_number(&name, position);
            return known.map_or(value, Value::from_constant);
        }
        self.note_value((name, position), value, parameter.ty().as_ref())
    }

    /// Keeps a number that a function is given; its value, if it is known.
    fn note_number(&mut self, name: &str, position: usize) -> Option<ConstValue> {
        self.own.draft.parameters.push(Parameter {
            name: name.to_owned(),
            position,
            given: Given::Number,
        });
        self.own.given.as_ref()?.get(name).cloned()
    }

    fn note_value(
        &mut self,
        (name, position): (String, usize),
        value: Value,
        ty: Option<&ast::Type>,
    ) -> Value {
        match value {
            Value::Thing(Thing::Tensor(tensor)) => {
                self.own.draft.parameters.push(Parameter {
                    name,
                    position,
                    given: Given::Tensor {
                        tensor,
                        is_mutable: ty.is_some_and(is_lent_to_be_changed),
                    },
                });
                Value::Thing(Thing::Tensor(tensor))
            }
            Value::Thing(Thing::RunTimeValue(_)) => {
                let known = self.note_number(&name, position);
                // A boolean is a byte that is not 0.
                let is_boolean =
                    ty.is_some_and(|ty| ty.syntax().text().to_string().contains("bool"));
                let known = known.map(|known| match known {
                    ConstValue::Int(number) if is_boolean => ConstValue::Bool(number != 0),
                    known => known,
                });
                Value::Thing(Thing::RunTimeValue(known))
            }
            Value::Tuple(parts) => {
                let types = tuple_types(ty);
                let parts = parts.into_iter().enumerate().map(|(number, part)| {
                    let place = (format!("{name}.{number}"), position);
                    self.note_value(place, part, types.get(number).or(ty))
                });
                Value::Tuple(parts.collect())
            }
            Value::Array(parts) => {
                let parts = parts.into_iter().enumerate().map(|(number, part)| {
                    let place = (format!("{name}[{number}]"), position);
                    self.note_value(place, part, ty)
                });
                Value::Array(parts.collect())
            }
            Value::Named(mut named) => {
                for (field, value, _) in &mut named.fields {
                    let place = (format!("{name}.{field}"), position);
                    let given = std::mem::replace(value, Value::Unknown);
                    *value = self.note_value(place, given, ty);
                }
                Value::Named(named)
            }
            value => value,
        }
    }

    /// Keeps the tensors of a result by their places in it.
    pub(super) fn note_results(&mut self, name: String, value: &Value) {
        match value {
            Value::Thing(Thing::Tensor(id)) => self.own.draft.results.push((name, *id)),
            Value::Tuple(parts) => {
                for (number, part) in parts.iter().enumerate() {
                    self.note_results(format!("{name}.{number}"), part);
                }
            }
            Value::Array(parts) => {
                for (number, part) in parts.iter().enumerate() {
                    self.note_results(format!("{name}[{number}]"), part);
                }
            }
            Value::Named(named) => {
                for (number, (part, _)) in named.arguments.iter().enumerate() {
                    self.note_results(format!("{name}.{number}"), part);
                }
                for (field, part, _) in &named.fields {
                    self.note_results(format!("{name}.{field}"), part);
                }
            }
            _ => {}
        }
    }
}

/// Whether a type is `&mut`, or an array of what is.
fn is_lent_to_be_changed(ty: &ast::Type) -> bool {
    match ty {
        ast::Type::RefType(lent) => lent.mut_token().is_some(),
        ast::Type::ArrayType(array) => array.ty().as_ref().is_some_and(is_lent_to_be_changed),
        _ => false,
    }
}

/// The types of the parts of a tuple that are lent one by one; none where the tuple is lent as a whole.
fn tuple_types(ty: Option<&ast::Type>) -> Vec<ast::Type> {
    match ty {
        Some(ast::Type::TupleType(tuple)) => tuple.fields().collect(),
        _ => Vec::new(),
    }
}
