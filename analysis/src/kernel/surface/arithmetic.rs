//! Numbers: comparisons, arithmetic and casts of known values.

use ra_ap_syntax::ast;

use crate::items::ConstValue;

use super::{Elaborate, Value};

/// An integer literal without a suffix is an `i32` where it stands for a value and not for a size.
pub(in crate::kernel) fn mark_literal<L: Elaborate>(
    value: Value<L>,
    expression: &ast::Expr,
) -> Value<L> {
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

/// Whether a value keeps under a cast to a type of that name; values in kernels nearly always do.
pub(in crate::kernel) fn fits(value: &ConstValue, ty: &str, address_type: &str) -> bool {
    let ConstValue::Int(value) = value else {
        return true;
    };
    match ty.trim() {
        "u8" => u8::try_from(*value).is_ok(),
        "u16" => u16::try_from(*value).is_ok(),
        "u32" => u32::try_from(*value).is_ok(),
        "u64" | "usize" => u64::try_from(*value).is_ok(),
        "i8" => i8::try_from(*value).is_ok(),
        "i16" => i16::try_from(*value).is_ok(),
        "i32" => i32::try_from(*value).is_ok(),
        "i64" | "isize" => i64::try_from(*value).is_ok(),
        ty if ty == address_type => u64::try_from(*value).is_ok(),
        _ => true,
    }
}

/// A comparison of two known numbers.
pub(in crate::kernel) fn compare<L: Elaborate>(
    op: ast::CmpOp,
    left: &Value<L>,
    right: &Value<L>,
) -> Option<bool> {
    if let (Some(left), Some(right)) = (left.as_boolean(), right.as_boolean())
        && let ast::CmpOp::Eq { negated } = op
    {
        return Some((left == right) != negated);
    }
    let (left, right) = (left.as_integer()?, right.as_integer()?);
    Some(match op {
        ast::CmpOp::Eq { negated } => (left == right) != negated,
        ast::CmpOp::Ord {
            ordering: ast::Ordering::Less,
            strict,
        } => left < right || (!strict && left == right),
        ast::CmpOp::Ord {
            ordering: ast::Ordering::Greater,
            strict,
        } => left > right || (!strict && left == right),
    })
}

/// Arithmetic of two known numbers; anything that overflows is unknown.
pub(in crate::kernel) fn arithmetic<L: Elaborate>(
    op: ast::ArithOp,
    left: Value<L>,
    right: Value<L>,
) -> Value<L> {
    let scalar = match (&left, &right) {
        (Value::Constant(_, left), Value::Constant(_, right)) => left.or(*right),
        _ => None,
    };
    let result = match (left.as_integer(), right.as_integer()) {
        (Some(left), Some(right)) => integers(op, left, right),
        _ => None,
    };
    match result {
        Some(value) => Value::Constant(ConstValue::Int(value), scalar),
        None => match (left, right) {
            (Value::Constant(..), Value::Constant(..)) => {
                Value::Constant(ConstValue::Unknown("arithmetic of a float"), scalar)
            }
            _ => Value::Unknown,
        },
    }
}

fn integers(op: ast::ArithOp, left: i128, right: i128) -> Option<i128> {
    let shift = || u32::try_from(right).ok().filter(|bits| *bits < 64);
    match op {
        ast::ArithOp::Add => left.checked_add(right),
        ast::ArithOp::Sub => left.checked_sub(right),
        ast::ArithOp::Mul => left.checked_mul(right),
        ast::ArithOp::Div => left.checked_div(right),
        ast::ArithOp::Rem => left.checked_rem(right),
        ast::ArithOp::Shl => 1_i128
            .checked_shl(shift()?)
            .and_then(|factor| left.checked_mul(factor)),
        ast::ArithOp::Shr => left.checked_shr(shift()?),
        ast::ArithOp::BitAnd => Some(left & right),
        ast::ArithOp::BitOr => Some(left | right),
        ast::ArithOp::BitXor => Some(left ^ right),
    }
}
