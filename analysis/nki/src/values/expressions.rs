//! Expressions to values.
//!
//! Knows Python's operators and literals. What it does not follow is unknown; each part of an expression is still looked at, as there
//! may be a call in it.

use std::sync::Arc;

use ruff_python_ast::{
    Comprehension, Expr, ExprAttribute, ExprSubscript, Number, Operator, UnaryOp,
};

use super::environment::{Environment, either_value};
use super::functions::Interpreter;
use super::grids::{self, mesh_field};
use super::{Elements, NamedTensor, UnknownMember, Value};
use crate::names::{Api, Known};
use crate::symbols::{Kind, Size};
use crate::syntax::span_of;
use crate::types::{Reason, Shape, Tensor};

/// Expressions in one another that are followed.
const MOST_DEEP: usize = 48;

/// The dotted path of a name and its attributes: `cfg.tile`.
pub fn dotted(expression: &Expr) -> Option<String> {
    let mut parts = Vec::new();
    let mut inner = expression;
    loop {
        match inner {
            Expr::Name(name) => {
                parts.push(name.id.as_str());
                parts.reverse();
                return Some(parts.join("."));
            }
            Expr::Attribute(attribute) if parts.len() < 8 => {
                parts.push(attribute.attr.as_str());
                inner = &attribute.value;
            }
            _ => return None,
        }
    }
}

/// What was assigned to a field by its path. Most functions assign to none.
fn assigned_field(expression: &Expr, environment: &Environment) -> Option<Value> {
    if !environment.has_fields() {
        return None;
    }
    environment.get(&dotted(expression)?).cloned()
}

impl<'a> Interpreter<'a> {
    /// The value of an expression.
    pub fn value(&mut self, expression: &'a Expr, environment: &mut Environment) -> Value {
        if self.depth >= MOST_DEEP {
            return Value::Unknown(Reason::Expression);
        }
        self.depth += 1;
        let value = self.value_inside(expression, environment);
        self.depth -= 1;
        value
    }

    fn value_inside(&mut self, expression: &'a Expr, environment: &mut Environment) -> Value {
        match expression {
            Expr::Name(name) => self.name(expression, name.id.as_str(), environment),
            Expr::Attribute(attribute) => self.attribute(expression, attribute, environment),
            Expr::Subscript(subscript) => self.subscript(subscript, environment),
            Expr::Call(call) => self.call(call, environment),
            Expr::NumberLiteral(literal) => match &literal.value {
                Number::Int(number) => number
                    .as_i64()
                    .map_or(Value::Unknown(Reason::Expression), |number| {
                        Value::Int(Size::number(number))
                    }),
                Number::Float(number) => Value::Float(*number),
                Number::Complex { .. } => Value::Unknown(Reason::Expression),
            },
            Expr::StringLiteral(literal) => Value::Text(Arc::from(literal.value.to_str())),
            Expr::BooleanLiteral(literal) => Value::Bool(literal.value),
            Expr::NoneLiteral(_) => Value::None,
            Expr::BinOp(operation) => {
                let left = self.value(&operation.left, environment);
                let right = self.value(&operation.right, environment);
                if matches!(left, Value::Tensor(_)) || matches!(right, Value::Tensor(_)) {
                    self.step = self.step.saturating_add(1);
                    self.note_use(&left, true, span_of(&*operation.left));
                    self.note_use(&right, true, span_of(&*operation.right));
                }
                self.binary(&left, operation.op, &right)
            }
            Expr::UnaryOp(operation) => {
                let value = self.value(&operation.operand, environment);
                match (operation.op, value) {
                    (UnaryOp::UAdd, value) => value,
                    (UnaryOp::USub, Value::Float(number)) => Value::Float(-number),
                    (UnaryOp::USub, value) => {
                        let negated = value.as_size().and_then(|size| size.negated());
                        negated.map_or(Value::Unknown(Reason::Expression), Value::Int)
                    }
                    _ => Value::Unknown(Reason::Expression),
                }
            }
            Expr::Tuple(tuple) => match self.elements(&tuple.elts, environment) {
                Some(elements) => Value::Tuple(elements),
                None => Value::Unknown(Reason::Expression),
            },
            Expr::List(list) => match self.elements(&list.elts, environment) {
                Some(elements) => Value::List(elements),
                None => Value::Unknown(Reason::Expression),
            },
            Expr::If(choice) => {
                self.value(&choice.test, environment);
                let outer = self.enter_branch();
                let left = self.value(&choice.body, environment);
                self.leave_branch(outer);
                self.enter_branch();
                let right = self.value(&choice.orelse, environment);
                self.leave_branch(outer);
                either_value(&left, &right)
            }
            Expr::Named(named) => {
                let value = self.value(&named.value, environment);
                self.bind_target(&named.target, value.clone(), environment);
                value
            }
            _ => self.look_at_parts(expression, environment),
        }
    }

    /// Looks at the parts of an expression that has no value here.
    fn look_at_parts(&mut self, expression: &'a Expr, environment: &mut Environment) -> Value {
        match expression {
            Expr::BoolOp(parts) => self.look_at_each(&parts.values, environment),
            Expr::Compare(compare) => {
                self.value(&compare.left, environment);
                self.look_at_each(&compare.comparators, environment);
            }
            Expr::Set(set) => self.look_at_each(&set.elts, environment),
            Expr::Dict(dict) => {
                for item in &dict.items {
                    self.value(&item.value, environment);
                }
            }
            Expr::ListComp(inner) => {
                let element = self.comprehension(&inner.generators, &[&inner.elt], environment);
                if let Value::Tensor(tensor) = element {
                    return Value::Tensors(Elements::Each(tensor));
                }
            }
            Expr::SetComp(inner) => {
                self.comprehension(&inner.generators, &[&inner.elt], environment);
            }
            Expr::Generator(inner) => {
                self.comprehension(&inner.generators, &[&inner.elt], environment);
            }
            Expr::DictComp(inner) => {
                self.comprehension(&inner.generators, &[&inner.value], environment);
            }
            Expr::Lambda(inner) => {
                environment.begin_way();
                let outer = self.enter_branch();
                for parameter in inner.parameters.iter().flat_map(|all| all.iter()) {
                    let unknown = Value::Unknown(Reason::Argument);
                    environment.set(parameter.name().as_str(), unknown);
                }
                self.value(&inner.body, environment);
                self.leave_branch(outer);
                environment.take_back();
            }
            Expr::Await(inner) => {
                self.value(&inner.value, environment);
            }
            Expr::Yield(inner) => {
                if let Some(value) = &inner.value {
                    self.value(value, environment);
                }
            }
            Expr::YieldFrom(inner) => {
                self.value(&inner.value, environment);
            }
            Expr::Starred(inner) => {
                self.value(&inner.value, environment);
            }
            _ => {}
        }
        Value::Unknown(Reason::Expression)
    }

    fn look_at_each(&mut self, expressions: &'a [Expr], environment: &mut Environment) {
        for expression in expressions {
            self.value(expression, environment);
        }
    }

    fn elements(
        &mut self,
        expressions: &'a [Expr],
        environment: &mut Environment,
    ) -> Option<Arc<[Value]>> {
        // A table of data is no shape: its elements are not kept.
        if expressions.len() > 64 {
            self.look_at_each(expressions, environment);
            return None;
        }
        let values: Vec<Value> = expressions
            .iter()
            .map(|expression| self.value(expression, environment))
            .collect();
        let is_starred = expressions.iter().any(Expr::is_starred_expr);
        (!is_starred).then(|| values.into())
    }

    /// Looks at a comprehension; the value of its last element, where every one is the same.
    fn comprehension(
        &mut self,
        generators: &'a [Comprehension],
        elements: &[&'a Expr],
        environment: &mut Environment,
    ) -> Value {
        environment.begin_way();
        for generator in generators {
            self.value(&generator.iter, environment);
            let unknown = Value::Unknown(Reason::Expression);
            self.bind_target(&generator.target, unknown, environment);
            self.look_at_each(&generator.ifs, environment);
        }
        let mut last = Value::Unknown(Reason::Expression);
        for element in elements {
            last = self.value(element, environment);
        }
        environment.take_back();
        last
    }

    fn name(&mut self, expression: &'a Expr, name: &str, environment: &Environment) -> Value {
        let value = environment
            .get(name)
            .or_else(|| self.globals.as_ref().and_then(|globals| globals.get(name)))
            .cloned()
            .unwrap_or(Value::Unknown(Reason::Name));
        if let Value::Known(known) = &value {
            self.mention(known, span_of(expression));
        }
        let is_kept = self.is_recording && self.keeps_names;
        if is_kept && matches!(value, Value::Tensor(_) | Value::Argument(_)) {
            let tensor = match &value {
                Value::Argument(argument) if argument.space.is_none() => None,
                value => Some(self.tensor(value, environment)),
            };
            if let Some(tensor) = tensor {
                self.out.named.push(NamedTensor {
                    span: span_of(expression),
                    tensor,
                    is_assigned: false,
                });
            }
        }
        value
    }

    fn attribute(
        &mut self,
        expression: &'a Expr,
        attribute: &'a ExprAttribute,
        environment: &mut Environment,
    ) -> Value {
        if let Some(value) = assigned_field(expression, environment) {
            return value;
        }
        let base = self.value(&attribute.value, environment);
        self.attribute_of(base, attribute, environment)
    }

    /// What is called, where the value before its last dot is known.
    pub fn callee_of(
        &mut self,
        expression: &'a Expr,
        base: Value,
        attribute: &'a ExprAttribute,
        environment: &Environment,
    ) -> Value {
        assigned_field(expression, environment)
            .unwrap_or_else(|| self.attribute_of(base, attribute, environment))
    }

    fn attribute_of(
        &mut self,
        base: Value,
        attribute: &'a ExprAttribute,
        environment: &Environment,
    ) -> Value {
        let name = attribute.attr.as_str();
        match base {
            Value::Known(known) => {
                if let Some(enumeration) = known.is_enumeration()
                    && !enumeration.has_member(name)
                {
                    if self.is_recording {
                        self.out.unknown_members.push(UnknownMember {
                            enumeration,
                            span: span_of(&attribute.attr),
                        });
                    }
                    return Value::Unknown(Reason::Mode);
                }
                let member = known.member(name);
                self.mention(&member, span_of(attribute));
                self.settled_member(Value::Known(member))
            }
            Value::Tensor(tensor) => {
                of_tensor(&self.with_learned_shape(&tensor, environment), name)
            }
            Value::Tuple(elements) => {
                mesh_field(&elements, name).unwrap_or(Value::Unknown(Reason::Expression))
            }
            Value::Argument(argument) => self.of_argument(&argument, name, environment),
            // An allocator by another name.
            Value::Space(space) if name.ends_with("alloc") => {
                let memory = space.name().to_ascii_lowercase();
                let path = format!("nki.compiler.{memory}.{name}").into();
                Value::Known(Known {
                    path,
                    api: Api::Older,
                })
            }
            _ => Value::Unknown(Reason::Expression),
        }
    }

    /// A member of NKI that is a number, a memory or a type is that.
    pub fn settled_member(&self, value: Value) -> Value {
        let Value::Known(known) = &value else {
            return value;
        };
        if let Some(number) = known.number() {
            return Value::Int(number);
        }
        if let Some(space) = known.space() {
            return Value::Space(space);
        }
        known.dtype().map_or(value, Value::Dtype)
    }

    fn subscript(&mut self, subscript: &'a ExprSubscript, environment: &mut Environment) -> Value {
        let base = self.value(&subscript.value, environment);
        match &base {
            Value::ShapeOf(argument) => {
                let axis = self
                    .value(&subscript.slice, environment)
                    .as_size()
                    .and_then(|size| size.value());
                let extent = axis.and_then(|axis| self.extent(argument, axis, None, environment));
                extent.map_or(Value::Unknown(Reason::Argument), Value::Int)
            }
            Value::Tuple(elements) | Value::List(elements) => {
                if let Expr::Slice(slice) = &*subscript.slice {
                    return self.part_of(&base, elements, slice, environment);
                }
                let place = self
                    .value(&subscript.slice, environment)
                    .as_size()
                    .and_then(|size| size.value());
                let place = place.and_then(|place| {
                    let length = i64::try_from(elements.len()).ok()?;
                    usize::try_from(if place < 0 { place + length } else { place }).ok()
                });
                let element = place.and_then(|place| elements.get(place).cloned());
                element.unwrap_or(Value::Unknown(Reason::Expression))
            }
            Value::Tensors(elements) => {
                if matches!(&*subscript.slice, Expr::Slice(_)) {
                    return base;
                }
                self.value(&subscript.slice, environment);
                match elements {
                    Elements::Each(element) => Value::Tensor(Arc::clone(element)),
                    _ => Value::Unknown(Reason::Expression),
                }
            }
            Value::Tensor(_) | Value::Argument(_) => self.index(&base, subscript, environment),
            Value::Grid(grid) => self.reshaped_grid(grid, subscript),
            Value::Known(known) if known.language() == Some("mgrid") => {
                self.mesh(subscript, environment)
            }
            other => {
                let reason = other.reason();
                if !matches!(&*subscript.slice, Expr::Slice(_)) {
                    self.value(&subscript.slice, environment);
                }
                Value::Unknown(reason)
            }
        }
    }

    fn part_of(
        &mut self,
        base: &Value,
        elements: &Arc<[Value]>,
        slice: &'a ruff_python_ast::ExprSlice,
        environment: &mut Environment,
    ) -> Value {
        let unknown = Value::Unknown(Reason::Expression);
        if slice.step.is_some() {
            return unknown;
        }
        let length = i64::try_from(elements.len()).unwrap_or(i64::MAX);
        let mut bound = |bound: &'a Option<Box<Expr>>, default: i64| match bound {
            None => Some(default),
            Some(bound) => {
                let value = self.value(bound, environment).as_size()?.value()?;
                Some(if value < 0 { value + length } else { value }.clamp(0, length))
            }
        };
        let (Some(start), Some(end)) = (bound(&slice.lower, 0), bound(&slice.upper, length)) else {
            return unknown;
        };
        let (Ok(start), Ok(end)) = (usize::try_from(start), usize::try_from(end)) else {
            return unknown;
        };
        let part: Arc<[Value]> = elements
            .get(start..end.max(start))
            .unwrap_or_default()
            .into();
        match base {
            Value::List(_) => Value::List(part),
            _ => Value::Tuple(part),
        }
    }

    /// The value of an operator.
    pub fn binary(&mut self, left: &Value, operator: Operator, right: &Value) -> Value {
        if let (Operator::Add, Value::Tuple(left), Value::Tuple(right)) = (operator, left, right) {
            return Value::Tuple(left.iter().chain(right.iter()).cloned().collect());
        }
        if let Some(value) = grids::operated(left, operator, right)
            .or_else(|| self.operated_tile(left, operator, right))
        {
            return value;
        }
        let (Some(left_size), Some(right_size)) = (left.as_size(), right.as_size()) else {
            return Value::Unknown(match (left, right) {
                (Value::Unknown(reason), _) | (_, Value::Unknown(reason)) => *reason,
                _ => Reason::Expression,
            });
        };
        let result = match operator {
            Operator::Add => left_size.plus(&right_size),
            Operator::Sub => left_size.minus(&right_size),
            Operator::Mult => left_size.times(&right_size),
            Operator::FloorDiv => left_size.quotient(&right_size),
            Operator::Mod => left_size.remainder_by(&right_size),
            Operator::Pow | Operator::LShift => power(&left_size, operator, &right_size),
            _ => None,
        };
        match result {
            Some(size) => Value::Int(size),
            None if left_size.has_kind(Kind::Runtime) || right_size.has_kind(Kind::Runtime) => {
                let number = self.fresh_number();
                Value::Int(Size::named("runtime value", number, Kind::Runtime))
            }
            None => Value::Unknown(Reason::Expression),
        }
    }

    /// Whether an expression reads a value that is known at run time only.
    pub fn reads_register(&mut self, expression: &'a Expr, environment: &mut Environment) -> bool {
        let was_recording = std::mem::replace(&mut self.is_recording, false);
        let is_runtime = match expression {
            Expr::Compare(compare) => std::iter::once(&*compare.left)
                .chain(&compare.comparators)
                .any(|part| self.reads_register(part, environment)),
            Expr::BoolOp(parts) => parts
                .values
                .iter()
                .any(|part| self.reads_register(part, environment)),
            other => {
                let value = self.value(other, environment);
                matches!(&value, Value::Int(size) if size.has_kind(Kind::Runtime))
            }
        };
        self.is_recording = was_recording;
        is_runtime
    }
}

fn power(left: &Size, operator: Operator, right: &Size) -> Option<Size> {
    let (left, right) = (left.value()?, u32::try_from(right.value()?).ok()?);
    let value = match operator {
        Operator::Pow => left.checked_pow(right)?,
        _ => left.checked_mul(2_i64.checked_pow(right)?)?,
    };
    Some(Size::number(value))
}

/// Extents as the tuple of integers that `shape` is.
pub fn shape_tuple(extents: &[Size]) -> Value {
    Value::Tuple(extents.iter().cloned().map(Value::Int).collect())
}

/// A length as a value.
pub fn int(length: usize) -> Value {
    Value::Int(Size::number(i64::try_from(length).unwrap_or(i64::MAX)))
}

fn of_tensor(tensor: &Tensor, name: &str) -> Value {
    let unknown = match &tensor.shape {
        Shape::Unknown(reason) => Value::Unknown(*reason),
        Shape::Known(_) => Value::Unknown(Reason::View),
    };
    match name {
        "shape" => match (&tensor.shape, &tensor.shape_of) {
            (Shape::Known(extents), _) => shape_tuple(extents),
            (_, Some(of)) if of.without == 0 => Value::ShapeOf(Arc::clone(&of.argument)),
            _ => unknown,
        },
        "ndim" => tensor
            .shape
            .known_extents()
            .map_or(unknown, |extents| int(extents.len())),
        "dtype" => tensor
            .dtype
            .clone()
            .map_or(Value::Unknown(Reason::Expression), Value::Dtype),
        "buffer" => tensor
            .space
            .map_or(Value::Unknown(Reason::Expression), Value::Space),
        _ => Value::Unknown(Reason::View),
    }
}

/// What a member of NKI is called by.
pub fn known_function(value: &Value) -> Option<&Known> {
    match value {
        Value::Known(known) => Some(known),
        _ => None,
    }
}
