//! Constant expressions: what `rustc` would compute, as far as sizes and addresses need it.
//!
//! It knows integers, booleans, arrays, tuples and ranges. What it cannot compute, what overflows and what divides by zero
//! is unknown, with the reason.

use ra_ap_syntax::ast::{
    self, ArithOp, BinaryOp, CmpOp, HasArgList, HasName, LogicOp, Ordering, RangeItem, RangeOp,
    UnaryOp,
};

use super::file::plain_name;
use super::floats::Float;
use super::integers::IntegerType;
use crate::syntax::parse_text;

/// Expressions inside each other that are followed.
const MAXIMUM_DEPTH: usize = 128;
/// Elements of `[x; n]` that are written out.
const MAXIMUM_REPEAT: i128 = 65_536;

/// The value of a constant expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ConstValue {
    /// An integer of any type.
    Int(i128),
    /// A boolean.
    Bool(bool),
    /// A float. Only the walk through a function makes it; constants of mappings and addresses are integers.
    Float(Float),
    /// An array or a slice.
    Array(Vec<ConstValue>),
    /// A tuple; `()` is the empty one.
    Tuple(Vec<ConstValue>),
    /// A range of integers, the end exclusive.
    Range {
        /// The first value.
        start: i128,
        /// The value after the last.
        end: i128,
    },
    /// Not known, and why.
    Unknown(&'static str),
}

impl ConstValue {
    /// The value as an unsigned integer of 64 bits.
    pub fn as_u64(&self) -> Option<u64> {
        match self {
            Self::Int(value) => u64::try_from(*value).ok(),
            _ => None,
        }
    }

    /// The value as an integer.
    #[cfg(test)]
    pub fn as_int(&self) -> Option<i128> {
        match self {
            Self::Int(value) => Some(*value),
            _ => None,
        }
    }
}

/// What an expression may refer to besides literals.
pub trait ConstEnvironment {
    /// The value of a local variable; none if there is no variable of that name, and the path is looked up. A variable of
    /// unknown value is `Some(ConstValue::Unknown(..))`.
    fn local(&self, name: &str) -> Option<ConstValue>;

    /// The value of a path: a constant, `Alias::SIZE`, `<m![A]>::SIZE`. Limits of integer types are known already.
    fn path(&self, path: &ast::Path) -> ConstValue;

    /// The value of an expression that is none of integers, booleans, arrays, tuples, blocks and `if`.
    fn other(&self, _expression: &ast::Expr) -> ConstValue {
        ConstValue::Unknown("an expression that is not constant arithmetic")
    }
}

/// Evaluates an expression.
pub fn evaluate_expression(
    expression: &ast::Expr,
    environment: &dyn ConstEnvironment,
) -> ConstValue {
    evaluate_as(expression, None, environment)
}

/// Evaluates an expression of a known integer type; a value that does not fit is unknown.
pub fn evaluate_as(
    expression: &ast::Expr,
    expected: Option<IntegerType>,
    environment: &dyn ConstEnvironment,
) -> ConstValue {
    let mut evaluator = Evaluator {
        environment,
        locals: Vec::new(),
        depth: 0,
    };
    let value = evaluator.expression(expression, expected);
    match (&value, expected) {
        (ConstValue::Int(number), Some(integer)) if !integer.holds_value(*number) => OVERFLOW,
        _ => value,
    }
}

const OVERFLOW: ConstValue = ConstValue::Unknown("arithmetic overflow");
const INCOMPLETE: ConstValue = ConstValue::Unknown("an incomplete expression");
const NO_INTEGER: ConstValue = ConstValue::Unknown("an operand that is not a known integer");

struct Evaluator<'a> {
    environment: &'a dyn ConstEnvironment,
    /// Variables of blocks, innermost last.
    locals: Vec<(std::sync::Arc<str>, ConstValue)>,
    depth: usize,
}

impl Evaluator<'_> {
    fn expression(&mut self, expression: &ast::Expr, expected: Option<IntegerType>) -> ConstValue {
        if self.depth >= MAXIMUM_DEPTH {
            return ConstValue::Unknown("an expression nested too deeply");
        }
        self.depth += 1;
        let value = self.kind(expression, expected);
        self.depth -= 1;
        value
    }

    fn operand(
        &mut self,
        expression: Option<ast::Expr>,
        expected: Option<IntegerType>,
    ) -> ConstValue {
        expression.map_or(INCOMPLETE, |expression| {
            self.expression(&expression, expected)
        })
    }

    fn kind(&mut self, expression: &ast::Expr, expected: Option<IntegerType>) -> ConstValue {
        match expression {
            ast::Expr::Literal(literal) => literal_value(literal),
            ast::Expr::ParenExpr(inner) => self.operand(inner.expr(), expected),
            ast::Expr::RefExpr(inner) => self.operand(inner.expr(), expected),
            ast::Expr::PrefixExpr(prefix) => self.prefix(prefix, expected),
            ast::Expr::BinExpr(binary) => self.binary(binary, expected),
            ast::Expr::CastExpr(cast) => self.cast(cast),
            ast::Expr::BlockExpr(block) => self.block(block, expected),
            ast::Expr::IfExpr(branch) => self.branch(branch, expected),
            ast::Expr::PathExpr(path) => self.path(path),
            ast::Expr::ArrayExpr(array) => self.array(array),
            ast::Expr::TupleExpr(tuple) => ConstValue::Tuple(
                tuple
                    .fields()
                    .map(|field| self.expression(&field, None))
                    .collect(),
            ),
            ast::Expr::IndexExpr(index) => self.index(index),
            ast::Expr::FieldExpr(field) => self.field(field, expression),
            ast::Expr::RangeExpr(range) => self.range(range),
            ast::Expr::MethodCallExpr(call) => self.method(call, expression),
            _ => self.environment.other(expression),
        }
    }

    fn prefix(&mut self, prefix: &ast::PrefixExpr, expected: Option<IntegerType>) -> ConstValue {
        let integer = prefix
            .expr()
            .and_then(|inner| integer_type(&inner))
            .or(expected);
        // `-128i8`: the literal alone does not fit.
        let value = self.operand(prefix.expr(), expected);
        match (prefix.op_kind(), value) {
            (Some(UnaryOp::Deref), value) => value,
            (Some(UnaryOp::Not), ConstValue::Bool(value)) => ConstValue::Bool(!value),
            (Some(UnaryOp::Not), ConstValue::Int(value)) => {
                integer.map_or(NO_INTEGER, |integer| ConstValue::Int(integer.wrap(!value)))
            }
            (Some(UnaryOp::Neg), ConstValue::Int(value)) => {
                checked_integer(value.checked_neg(), integer)
            }
            (_, ConstValue::Unknown(reason)) => ConstValue::Unknown(reason),
            _ => NO_INTEGER,
        }
    }

    fn binary(&mut self, binary: &ast::BinExpr, expected: Option<IntegerType>) -> ConstValue {
        let (left, right) = (binary.lhs(), binary.rhs());
        match binary.op_kind() {
            Some(BinaryOp::ArithOp(operator)) => {
                let shift = matches!(operator, ArithOp::Shl | ArithOp::Shr);
                let known = left.as_ref().and_then(integer_type);
                let known =
                    known.or_else(|| right.as_ref().filter(|_| !shift).and_then(integer_type));
                let integer = known.or(expected);
                let left = self.operand(left, integer);
                let right = self.operand(right, if shift { None } else { integer });
                arithmetic_constant(operator, &left, &right, integer)
            }
            Some(BinaryOp::LogicOp(operator)) => {
                let left = self.operand(left, None);
                match (operator, left) {
                    (LogicOp::And, ConstValue::Bool(false)) => ConstValue::Bool(false),
                    (LogicOp::Or, ConstValue::Bool(true)) => ConstValue::Bool(true),
                    (_, ConstValue::Bool(_)) => self.operand(right, None),
                    (_, ConstValue::Unknown(reason)) => ConstValue::Unknown(reason),
                    _ => NO_INTEGER,
                }
            }
            Some(BinaryOp::CmpOp(operator)) => {
                let integer = left.as_ref().and_then(integer_type);
                let integer = integer.or_else(|| right.as_ref().and_then(integer_type));
                let left = self.operand(left, integer);
                let right = self.operand(right, integer);
                compare_constants(operator, &left, &right)
            }
            Some(BinaryOp::Assignment { .. }) => ConstValue::Unknown("an assignment"),
            None => INCOMPLETE,
        }
    }

    fn cast(&mut self, cast: &ast::CastExpr) -> ConstValue {
        let target = cast.ty().and_then(|target| IntegerType::of_type(&target));
        let value = self.operand(cast.expr(), None);
        match (target, value) {
            (Some(target), ConstValue::Int(value)) => ConstValue::Int(target.wrap(value)),
            (Some(_), ConstValue::Bool(value)) => ConstValue::Int(i128::from(value)),
            (_, ConstValue::Unknown(reason)) => ConstValue::Unknown(reason),
            _ => ConstValue::Unknown("a cast to something else than an integer"),
        }
    }

    fn block(&mut self, block: &ast::BlockExpr, expected: Option<IntegerType>) -> ConstValue {
        let Some(list) = block.stmt_list() else {
            return INCOMPLETE;
        };
        let variables = self.locals.len();
        let mut plain = block.async_token().is_none();
        for statement in list.statements() {
            match statement {
                ast::Stmt::LetStmt(statement) => plain &= self.variable(&statement),
                ast::Stmt::Item(_) => {}
                ast::Stmt::ExprStmt(_) => plain = false,
            }
        }
        let value = match list.tail_expr() {
            _ if !plain => ConstValue::Unknown("a block with statements"),
            None => ConstValue::Tuple(Vec::new()),
            Some(tail) => self.expression(&tail, expected),
        };
        self.locals.truncate(variables);
        value
    }

    /// `let x = …;`; false for any other pattern.
    fn variable(&mut self, statement: &ast::LetStmt) -> bool {
        let Some(ast::Pat::IdentPat(pattern)) = statement.pat() else {
            return false;
        };
        let Some(name) = pattern.name().filter(|_| pattern.mut_token().is_none()) else {
            return false;
        };
        let integer = statement
            .ty()
            .and_then(|written| IntegerType::of_type(&written));
        let value = self.operand(statement.initializer(), integer);
        self.locals.push((plain_name(name.text()), value));
        true
    }

    fn branch(&mut self, branch: &ast::IfExpr, expected: Option<IntegerType>) -> ConstValue {
        // A chain of `else if` is a loop, not a recursion.
        let mut branch = branch.clone();
        loop {
            let taken = match self.operand(branch.condition(), None) {
                ConstValue::Bool(taken) => taken,
                ConstValue::Unknown(reason) => return ConstValue::Unknown(reason),
                _ => return ConstValue::Unknown("a condition that is not constant"),
            };
            let block = match branch.else_branch() {
                _ if taken => branch.then_branch(),
                Some(ast::ElseBranch::IfExpr(next)) => {
                    branch = next;
                    continue;
                }
                Some(ast::ElseBranch::Block(block)) => Some(block),
                None => return ConstValue::Tuple(Vec::new()),
            };
            return block.map_or(INCOMPLETE, |block| self.block(&block, expected));
        }
    }

    fn path(&mut self, expression: &ast::PathExpr) -> ConstValue {
        let Some(path) = expression.path() else {
            return INCOMPLETE;
        };
        if let Some(name) = path.as_single_name_ref() {
            let name = plain_name(name.text());
            let local = self.locals.iter().rev().find(|(local, _)| *local == name);
            let local = local.map(|(_, value)| value.clone());
            if let Some(value) = local.or_else(|| self.environment.local(&name)) {
                return value;
            }
        }
        match IntegerType::limit(&path) {
            Some(value) => ConstValue::Int(value),
            None => self.environment.path(&path),
        }
    }

    fn array(&mut self, array: &ast::ArrayExpr) -> ConstValue {
        match array.kind() {
            ast::ArrayExprKind::ElementList(elements) => ConstValue::Array(
                elements
                    .map(|element| self.expression(&element, None))
                    .collect(),
            ),
            ast::ArrayExprKind::Repeat {
                initializer,
                repeat,
            } => {
                let value = self.operand(initializer, None);
                match self.operand(repeat, None) {
                    ConstValue::Int(count) if (0..=MAXIMUM_REPEAT).contains(&count) => {
                        let count = usize::try_from(count).unwrap_or(0);
                        ConstValue::Array(vec![value; count])
                    }
                    ConstValue::Unknown(reason) => ConstValue::Unknown(reason),
                    _ => ConstValue::Unknown("an array that is too long to write out"),
                }
            }
        }
    }

    fn index(&mut self, index: &ast::IndexExpr) -> ConstValue {
        let array = self.operand(index.base(), None);
        let place = self.operand(index.index(), None);
        match (array, place) {
            (ConstValue::Array(elements), ConstValue::Int(place)) => usize::try_from(place)
                .ok()
                .and_then(|place| elements.into_iter().nth(place))
                .unwrap_or(ConstValue::Unknown("an index outside of the array")),
            (ConstValue::Unknown(reason), _) | (_, ConstValue::Unknown(reason)) => {
                ConstValue::Unknown(reason)
            }
            _ => ConstValue::Unknown("an index into something that is not an array"),
        }
    }

    fn field(&mut self, field: &ast::FieldExpr, expression: &ast::Expr) -> ConstValue {
        // `x.0` has the number as a name or as a token of its own.
        let written = field.name_ref().map(|name| name.text().to_string());
        let written = written.or_else(|| field.index_token().map(|token| token.text().to_owned()));
        let place = written.and_then(|written| written.parse::<usize>().ok());
        let Some(place) = place else {
            return self.environment.other(expression);
        };
        match self.operand(field.expr(), None) {
            ConstValue::Tuple(elements) => elements.into_iter().nth(place).unwrap_or(INCOMPLETE),
            ConstValue::Unknown(reason) => ConstValue::Unknown(reason),
            _ => self.environment.other(expression),
        }
    }

    fn range(&mut self, range: &ast::RangeExpr) -> ConstValue {
        let integer = range.start().as_ref().and_then(integer_type);
        let integer = integer.or_else(|| range.end().as_ref().and_then(integer_type));
        let start = self.operand(range.start(), integer);
        let end = self.operand(range.end(), integer);
        match (start, end, range.op_kind()) {
            (ConstValue::Int(start), ConstValue::Int(end), Some(RangeOp::Exclusive)) => {
                ConstValue::Range { start, end }
            }
            (ConstValue::Int(start), ConstValue::Int(end), Some(RangeOp::Inclusive)) => end
                .checked_add(1)
                .map_or(OVERFLOW, |end| ConstValue::Range { start, end }),
            (ConstValue::Unknown(reason), _, _) | (_, ConstValue::Unknown(reason), _) => {
                ConstValue::Unknown(reason)
            }
            _ => NO_INTEGER,
        }
    }

    /// The few methods of integers and arrays that are in constants.
    fn method(&mut self, call: &ast::MethodCallExpr, expression: &ast::Expr) -> ConstValue {
        let Some(name) = call.name_ref() else {
            return INCOMPLETE;
        };
        let receiver = call.receiver();
        let integer = receiver.as_ref().and_then(integer_type);
        let arguments: Vec<ast::Expr> = call
            .arg_list()
            .into_iter()
            .flat_map(|list| list.args())
            .collect();
        let name = name.text().to_string();
        let known = name == "len" || INTEGER_METHODS.contains(&name.as_str());
        if !known || arguments.len() > 1 {
            return self.environment.other(expression);
        }
        let receiver = self.operand(receiver, None);
        let argument = arguments
            .first()
            .map(|argument| self.expression(argument, None));
        match (name.as_str(), receiver, argument) {
            ("len", ConstValue::Array(elements), None) => {
                i128::try_from(elements.len()).map_or(OVERFLOW, ConstValue::Int)
            }
            (_, ConstValue::Unknown(reason), _) | (_, _, Some(ConstValue::Unknown(reason))) => {
                ConstValue::Unknown(reason)
            }
            (name, ConstValue::Int(value), None) => integer_method(name, value, None, integer),
            (name, ConstValue::Int(value), Some(ConstValue::Int(argument))) => {
                integer_method(name, value, Some(argument), integer)
            }
            _ => self.environment.other(expression),
        }
    }
}

/// The methods of integers that [`integer_method`] knows.
const INTEGER_METHODS: [&str; 11] = [
    "abs_diff",
    "div_ceil",
    "ilog2",
    "is_multiple_of",
    "is_power_of_two",
    "max",
    "min",
    "next_multiple_of",
    "next_power_of_two",
    "pow",
    "trailing_zeros",
];

/// A method of an integer of a type, where that is known: a result that does not fit is unknown. Constants and the numbers
/// in kernels are computed here alike.
pub fn integer_method(
    name: &str,
    value: i128,
    argument: Option<i128>,
    integer: Option<IntegerType>,
) -> ConstValue {
    if !INTEGER_METHODS.contains(&name) {
        return ConstValue::Unknown("a method of a number");
    }
    let is_multiple = |by: i128| value.checked_rem(by).map(|rest| rest == 0);
    let up_to = |by: i128| value.checked_add(by - 1)?.checked_div(by);
    match (name, argument) {
        ("is_multiple_of", Some(by)) if value >= 0 && by > 0 => {
            return is_multiple(by).map_or(OVERFLOW, ConstValue::Bool);
        }
        ("is_power_of_two", None) => {
            return ConstValue::Bool(u128::try_from(value).is_ok_and(u128::is_power_of_two));
        }
        // A `u32`, whatever the number's own type.
        ("trailing_zeros", None) if value > 0 => {
            return ConstValue::Int(i128::from(value.trailing_zeros()));
        }
        ("ilog2", None) if value > 0 => return ConstValue::Int(i128::from(value.ilog2())),
        _ => {}
    }
    let result = match (name, argument) {
        ("pow", Some(exponent)) => u32::try_from(exponent)
            .ok()
            .and_then(|exponent| value.checked_pow(exponent)),
        ("min", Some(other)) => Some(value.min(other)),
        ("max", Some(other)) => Some(value.max(other)),
        ("abs_diff", Some(other)) => value.checked_sub(other).and_then(i128::checked_abs),
        ("div_ceil", Some(by)) if value >= 0 && by > 0 => up_to(by),
        ("next_multiple_of", Some(by)) if value >= 0 && by > 0 => {
            up_to(by).and_then(|parts| parts.checked_mul(by))
        }
        ("next_power_of_two", None) => u64::try_from(value)
            .ok()
            .and_then(u64::checked_next_power_of_two)
            .map(i128::from),
        _ => None,
    };
    checked_integer(result, integer)
}

fn literal_value(literal: &ast::Literal) -> ConstValue {
    match literal.kind() {
        ast::LiteralKind::IntNumber(number) => number
            .value()
            .ok()
            .and_then(|value| i128::try_from(value).ok())
            .map_or(OVERFLOW, ConstValue::Int),
        ast::LiteralKind::Bool(value) => ConstValue::Bool(value),
        ast::LiteralKind::Byte(byte) => byte
            .value()
            .map_or(INCOMPLETE, |value| ConstValue::Int(i128::from(value))),
        _ => ConstValue::Unknown("a literal that is neither an integer nor a boolean"),
    }
}

/// The value of an integer literal as written.
pub fn literal_u64(text: &str) -> Option<u64> {
    let tree = parse_text(&format!("const _: u64 = {text};")).ok()?.tree();
    let item = ast::HasModuleItem::items(&tree).next()?;
    let ast::Item::Const(item) = item else {
        return None;
    };
    match item.body()? {
        ast::Expr::Literal(literal) => literal_value(&literal).as_u64(),
        _ => None,
    }
}

fn checked_integer(value: Option<i128>, integer: Option<IntegerType>) -> ConstValue {
    match value {
        Some(value) if integer.is_none_or(|integer| integer.holds_value(value)) => {
            ConstValue::Int(value)
        }
        _ => OVERFLOW,
    }
}

/// Arithmetic of two values, of an integer type where that is known. Constants and the numbers in kernels are computed here
/// alike.
pub fn arithmetic_constant(
    operator: ArithOp,
    left: &ConstValue,
    right: &ConstValue,
    integer: Option<IntegerType>,
) -> ConstValue {
    if let (ConstValue::Bool(left), ConstValue::Bool(right)) = (left, right) {
        return match operator {
            ArithOp::BitAnd => ConstValue::Bool(left & right),
            ArithOp::BitOr => ConstValue::Bool(left | right),
            ArithOp::BitXor => ConstValue::Bool(left ^ right),
            _ => NO_INTEGER,
        };
    }
    if let (ConstValue::Float(left), ConstValue::Float(right)) = (left, right) {
        let result = left.arithmetic(operator, *right);
        return result.map_or(NO_INTEGER, ConstValue::Float);
    }
    let (left, right) = match (left, right) {
        (ConstValue::Int(left), ConstValue::Int(right)) => (*left, *right),
        (ConstValue::Unknown(reason), _) | (_, ConstValue::Unknown(reason)) => {
            return ConstValue::Unknown(reason);
        }
        _ => return NO_INTEGER,
    };
    if matches!(operator, ArithOp::Div | ArithOp::Rem) && right == 0 {
        return ConstValue::Unknown("a division by zero");
    }
    let value = match operator {
        ArithOp::Add => left.checked_add(right),
        ArithOp::Sub => left.checked_sub(right),
        ArithOp::Mul => left.checked_mul(right),
        ArithOp::Div => left.checked_div(right),
        ArithOp::Rem => left.checked_rem(right),
        ArithOp::BitAnd => Some(left & right),
        ArithOp::BitOr => Some(left | right),
        ArithOp::BitXor => Some(left ^ right),
        ArithOp::Shl | ArithOp::Shr => return shift(operator, left, right, integer),
    };
    checked_integer(value, integer)
}

/// A shift by the type's width or more is an error; bits shifted out of a known type are lost.
fn shift(operator: ArithOp, value: i128, amount: i128, integer: Option<IntegerType>) -> ConstValue {
    let width = integer.map_or(126, IntegerType::bits);
    let Some(amount) = u32::try_from(amount).ok().filter(|amount| *amount < width) else {
        return OVERFLOW;
    };
    if operator == ArithOp::Shr {
        return ConstValue::Int(value >> amount);
    }
    let shifted = 1_i128
        .checked_shl(amount)
        .and_then(|factor| value.checked_mul(factor));
    match (shifted, integer) {
        (Some(value), Some(integer)) => ConstValue::Int(integer.wrap(value)),
        (Some(value), None) => ConstValue::Int(value),
        (None, _) => OVERFLOW,
    }
}

/// A comparison of two values of one type.
pub fn compare_constants(operator: CmpOp, left: &ConstValue, right: &ConstValue) -> ConstValue {
    if let (ConstValue::Float(left), ConstValue::Float(right)) = (left, right) {
        return ConstValue::Bool(left.compares(operator, *right));
    }
    let order = match (left, right) {
        (ConstValue::Int(left), ConstValue::Int(right)) => left.cmp(right),
        (ConstValue::Bool(left), ConstValue::Bool(right)) => left.cmp(right),
        (ConstValue::Unknown(reason), _) | (_, ConstValue::Unknown(reason)) => {
            return ConstValue::Unknown(reason);
        }
        _ => return NO_INTEGER,
    };
    ConstValue::Bool(match operator {
        CmpOp::Eq { negated } => order.is_eq() != negated,
        CmpOp::Ord {
            ordering: Ordering::Less,
            strict,
        } => {
            if strict {
                order.is_lt()
            } else {
                order.is_le()
            }
        }
        CmpOp::Ord {
            ordering: Ordering::Greater,
            strict,
        } => {
            if strict {
                order.is_gt()
            } else {
                order.is_ge()
            }
        }
    })
}

/// The integer type that an expression shows by itself: a suffix, a cast, a limit of a type.
fn integer_type(expression: &ast::Expr) -> Option<IntegerType> {
    let mut expression = expression.clone();
    // Along the left spine, as a loop: the spine of a long sum is as long as the sum.
    for _ in 0..MAXIMUM_DEPTH {
        expression = match expression {
            ast::Expr::Literal(literal) => {
                let ast::LiteralKind::IntNumber(number) = literal.kind() else {
                    return None;
                };
                return number.suffix().and_then(IntegerType::named);
            }
            ast::Expr::CastExpr(cast) => return IntegerType::of_type(&cast.ty()?),
            ast::Expr::PathExpr(path) => return IntegerType::of_limit(&path.path()?),
            ast::Expr::ParenExpr(inner) => inner.expr()?,
            ast::Expr::PrefixExpr(inner) => inner.expr()?,
            ast::Expr::BinExpr(binary)
                if matches!(binary.op_kind(), Some(BinaryOp::ArithOp(_))) =>
            {
                binary.lhs()?
            }
            _ => return None,
        };
    }
    None
}
