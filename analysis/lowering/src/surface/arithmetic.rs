//! Numbers: comparisons, arithmetic and casts of known values, computed as constants are.

use ra_ap_syntax::ast;

use crate::items::{self, ConstValue, Float, FloatType, IntegerType};

use super::{Elaborate, Value};

/// An integer literal without a suffix is an `i32` where it stands for a value and not for a size.
pub(crate) fn mark_literal<L: Elaborate>(value: Value<L>, expression: &ast::Expr) -> Value<L> {
    let literal = match expression {
        ast::Expr::Literal(_) => true,
        ast::Expr::PrefixExpr(prefix) => matches!(prefix.expr(), Some(ast::Expr::Literal(_))),
        _ => false,
    };
    match value {
        Value::Constant(ConstValue::Int(value), None) if literal => {
            Value::Constant(ConstValue::Int(value), Some(L::INTEGER))
        }
        value => value,
    }
}

/// What a cast to a type of a name makes of a number where one side is a float; any other value as it is.
pub(crate) fn cast_float(value: ConstValue, name: &str) -> ConstValue {
    match (value, FloatType::named(name)) {
        (ConstValue::Int(value), Some(to)) => ConstValue::Float(Float::of_integer(value, to)),
        (ConstValue::Float(value), Some(to)) => ConstValue::Float(value.cast(to)),
        (ConstValue::Float(value), None) => match IntegerType::named(name) {
            Some(integer) => ConstValue::Int(integer.cut(value.to_integer())),
            None => ConstValue::Unknown("a float cast to another type"),
        },
        (value, None) => value,
        (_, Some(_)) => ConstValue::Unknown("a cast to a float"),
    }
}

/// Whether a value keeps under a cast to a type of that name; values in kernels nearly always do.
pub(crate) fn fits_type(value: &ConstValue, ty: &str, address_type: &str) -> bool {
    let ConstValue::Int(value) = value else {
        return true;
    };
    let name = match ty.trim() {
        ty if ty == address_type => "u64",
        ty => ty,
    };
    IntegerType::named(name).is_none_or(|integer| integer.holds_value(*value))
}

/// A comparison of two known numbers or booleans.
pub(crate) fn compare_values<L: Elaborate>(
    op: ast::CmpOp,
    left: &Value<L>,
    right: &Value<L>,
) -> Option<bool> {
    let known = |value: &Value<L>| {
        if let Value::Constant(float @ ConstValue::Float(_), _) = value {
            return Some(float.clone());
        }
        let boolean = value.as_boolean().map(ConstValue::Bool);
        boolean.or_else(|| value.as_integer().map(ConstValue::Int))
    };
    match items::compare_constants(op, &known(left)?, &known(right)?) {
        ConstValue::Bool(holds) => Some(holds),
        _ => None,
    }
}

/// Arithmetic of two known numbers; anything that overflows is unknown.
pub(crate) fn arithmetic_value<L: Elaborate>(
    op: ast::ArithOp,
    left: Value<L>,
    right: Value<L>,
) -> Value<L> {
    let scalar = match (&left, &right) {
        (Value::Constant(_, left), Value::Constant(_, right)) => left.or(*right),
        _ => None,
    };
    if let (Some(left), Some(right)) = (left.as_integer(), right.as_integer()) {
        let (left, right) = (ConstValue::Int(left), ConstValue::Int(right));
        let result = items::arithmetic_constant(op, &left, &right, None);
        return Value::Constant(result, scalar);
    }
    match (left, right) {
        (
            Value::Constant(left @ ConstValue::Float(_), _),
            Value::Constant(right @ ConstValue::Float(_), _),
        ) => Value::Constant(items::arithmetic_constant(op, &left, &right, None), scalar),
        (Value::Constant(..), Value::Constant(..)) => {
            Value::Constant(ConstValue::Unknown("arithmetic of a float"), scalar)
        }
        _ => Value::Unknown,
    }
}
