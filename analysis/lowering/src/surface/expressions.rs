//! Expressions that are neither calls nor control flow: chains, arithmetic, literals, tuples, arrays.

use std::sync::Arc;

use ra_ap_syntax::AstToken;
use ra_ap_syntax::ast::{self, AstNode, HasArgList, HasLoopBody, RangeItem};

use crate::items::{ConstValue, Float, Namespace, Resolution, Span};
use crate::kernel::UnresolvedReason;
use crate::syntax::{child_of, green_name, without_raw};

use super::arguments::{generic_arguments, path_arguments};
use super::arithmetic::{arithmetic_value, cast_float, compare_values, fits_type, mark_literal};
use super::calls::Call;
use super::values::{Named, Sequence, Value};
use super::{EXPRESSION_DEPTH, Elaborate, Flow, Placed, Walker};

/// Fields of a struct's value: name, value, place.
type Fields<L> = Vec<(String, Value<L>, Span)>;

impl<L: Elaborate> Walker<'_, L> {
    /// The value of an expression, with the operations that it runs recorded.
    pub(crate) fn expression(&mut self, expression: &ast::Expr) -> Value<L> {
        if self.flow != Flow::Next || !self.spend() {
            return Value::Unknown;
        }
        if self.depth >= EXPRESSION_DEPTH {
            for span in self.operations_in(expression.syntax()) {
                L::unresolved(self, UnresolvedReason::TooDeep("expressions"), span);
            }
            return Value::Unknown;
        }
        self.depth += 1;
        let value = self.expression_inside(expression);
        self.depth -= 1;
        L::seen(self, expression, &value);
        value
    }

    fn expression_inside(&mut self, expression: &ast::Expr) -> Value<L> {
        match expression {
            ast::Expr::MethodCallExpr(_)
            | ast::Expr::FieldExpr(_)
            | ast::Expr::AwaitExpr(_)
            | ast::Expr::TryExpr(_)
            | ast::Expr::ParenExpr(_)
            | ast::Expr::RefExpr(_) => self.chain(expression),
            ast::Expr::CallExpr(call) => self.call(call),
            ast::Expr::PathExpr(path) => {
                let path = child_of(path.syntax());
                path.map_or(Value::Unknown, |path| self.path(&path))
            }
            ast::Expr::Literal(literal) => self.literal(literal),
            ast::Expr::PrefixExpr(prefix) => self.prefix(prefix),
            ast::Expr::BinExpr(binary) => self.binary(binary),
            ast::Expr::CastExpr(cast) => self.cast(cast),
            ast::Expr::BlockExpr(block) => self.labelled_block(block),
            ast::Expr::IfExpr(branch) => self.if_expression(branch),
            ast::Expr::MatchExpr(branch) => self.match_expression(branch),
            ast::Expr::ForExpr(run) => self.for_loop(run),
            ast::Expr::WhileExpr(run) => self.while_loop(run),
            ast::Expr::LoopExpr(run) => {
                let keyword = run.loop_token().map(|token| token.text_range());
                self.endless_loop(run.loop_body(), keyword)
            }
            ast::Expr::TupleExpr(tuple) => self.tuple(tuple),
            ast::Expr::ArrayExpr(array) => self.array(array),
            ast::Expr::IndexExpr(index) => self.index(index),
            ast::Expr::RangeExpr(range) => self.range(range),
            ast::Expr::RecordExpr(record) => self.record(record),
            ast::Expr::ReturnExpr(result) => self.return_expression(result),
            ast::Expr::BreakExpr(leave) => {
                let value = leave
                    .expr()
                    .map_or(Value::Unit, |inner| self.expression(&inner));
                if self.flow != Flow::Next {
                    return Value::Unknown;
                }
                self.broken = Some(value);
                self.target = leave.lifetime().map(|label| label.text().to_string());
                self.leave_with(Flow::Break)
            }
            ast::Expr::ClosureExpr(closure) => self.closure(closure),
            ast::Expr::MacroExpr(call) => call
                .macro_call()
                .map_or(Value::Unknown, |call| self.macro_call(&call, true)),
            ast::Expr::LetExpr(test) => self.let_test(test),
            ast::Expr::ContinueExpr(next) => {
                self.target = next.lifetime().map(|label| label.text().to_string());
                self.leave_with(Flow::Continue)
            }
            _ => Value::Unknown,
        }
    }

    fn leave_with(&mut self, flow: Flow) -> Value<L> {
        self.flow = flow;
        Value::Unknown
    }

    fn return_expression(&mut self, expression: &ast::ReturnExpr) -> Value<L> {
        let value = expression
            .expr()
            .map_or(Value::Unit, |inner| self.expression(&inner));
        let result = self.frame.result.clone();
        L::constrain(self, &value, &result);
        self.frame.returned = Some(match self.frame.returned.take() {
            Some(before) => self.merge(before, value),
            None => value,
        });
        self.leave_with(Flow::Return)
    }

    /// A chain of calls and fields, walked from its start: a chain may be long without being nested.
    fn chain(&mut self, expression: &ast::Expr) -> Value<L> {
        let mut links = Vec::new();
        let mut start = expression.clone();
        while matches!(
            start,
            ast::Expr::MethodCallExpr(_)
                | ast::Expr::FieldExpr(_)
                | ast::Expr::AwaitExpr(_)
                | ast::Expr::TryExpr(_)
                | ast::Expr::ParenExpr(_)
                | ast::Expr::RefExpr(_)
        ) {
            let Some(before) = child_of::<ast::Expr>(start.syntax()) else {
                return Value::Unknown;
            };
            links.push(std::mem::replace(&mut start, before));
        }
        let mut value = self.expression(&start);
        for link in links.iter().rev() {
            if self.flow != Flow::Next || !self.spend() {
                return Value::Unknown;
            }
            value = match link {
                ast::Expr::MethodCallExpr(call) => self.method_call(value, call),
                ast::Expr::FieldExpr(field) => self.field(&value, field),
                _ => value,
            };
            L::seen(self, link, &value);
        }
        value
    }

    fn field(&mut self, value: &Value<L>, field: &ast::FieldExpr) -> Value<L> {
        let name = field
            .name_ref()
            .map_or_else(String::new, |name| name.text().to_string());
        self.field_of(value, &name)
    }

    /// A field by its name or number.
    pub(crate) fn field_of(&self, value: &Value<L>, name: &str) -> Value<L> {
        match value {
            Value::Thing(thing) => L::field(self, thing, name),
            Value::Tuple(values) => {
                let index = name.parse::<usize>().ok();
                index
                    .and_then(|index| values.get(index))
                    .cloned()
                    .unwrap_or(Value::Unknown)
            }
            Value::Named(named) => {
                let field = named.fields.iter().find(|(field, ..)| *field == name);
                let part = || named.arguments.get(name.parse::<usize>().ok()?);
                field
                    .map(|(_, value, _)| value)
                    .or_else(|| part().map(|(value, _)| value))
                    .cloned()
                    .unwrap_or(Value::Unknown)
            }
            _ => Value::Unknown,
        }
    }

    fn method_call(&mut self, receiver: Value<L>, call: &ast::MethodCallExpr) -> Value<L> {
        let site = self.frame.site.clone();
        let (name, name_span) = match child_of::<ast::NameRef>(call.syntax()) {
            Some(name) => (
                without_raw(name.text()).to_owned(),
                site.span(name.syntax()),
            ),
            None => return Value::Unknown,
        };
        if let (Value::Array(values), "push") = (&receiver, name.as_str()) {
            return self.push(values.clone(), call);
        }
        let turbofish = generic_arguments(child_of(call.syntax()));
        let arguments = self.argument_values(child_of(call.syntax()));
        if self.flow != Flow::Next {
            return Value::Unknown;
        }
        let written = call;
        let call = Call {
            name,
            name_span,
            turbofish,
            arguments,
        };
        self.lent.clear();
        let value = L::method(self, receiver, &call);
        if !self.lent.is_empty() {
            let arguments = written.arg_list().into_iter();
            let arguments = arguments.flat_map(|list| list.args().collect::<Vec<_>>());
            let given: Vec<ast::Expr> = written.receiver().into_iter().chain(arguments).collect();
            self.take_back(&given);
        }
        value
    }

    /// A value added to a list that a variable holds.
    fn push(&mut self, mut values: Vec<Value<L>>, call: &ast::MethodCallExpr) -> Value<L> {
        let arguments = self.argument_values(call.arg_list());
        values.extend(arguments.into_iter().map(|(value, _)| value));
        if let Some(receiver) = call.receiver() {
            self.assign_to(&receiver, Value::Array(values));
        }
        Value::Unit
    }

    /// The values of a call's arguments with their places, in order.
    pub(crate) fn argument_values(&mut self, list: Option<ast::ArgList>) -> Vec<Placed<L>> {
        let Some(list) = list else {
            return Vec::new();
        };
        let expressions: Vec<ast::Expr> = list.args().collect();
        expressions
            .iter()
            .map(|expression| {
                let span = self.frame.site.span(expression.syntax());
                let value = self.expression(expression);
                (mark_literal(value, expression), span)
            })
            .collect()
    }

    fn literal(&mut self, literal: &ast::Literal) -> Value<L> {
        match literal.kind() {
            ast::LiteralKind::Bool(value) => Value::boolean(value),
            ast::LiteralKind::IntNumber(_) => {
                let scalar = green_name(literal.syntax().green()).and_then(L::suffix_of);
                // `3f32` is a float without a point.
                let float = green_name(literal.syntax().green())
                    .filter(|_| scalar == Some(L::FLOAT))
                    .and_then(Float::literal);
                let value = match float {
                    Some(float) => ConstValue::Float(float),
                    None => self.constant(&ast::Expr::Literal(literal.clone())),
                };
                Value::Constant(value, scalar)
            }
            ast::LiteralKind::FloatNumber(number) => {
                let value = Float::literal(number.syntax().text());
                let value = value.map_or(ConstValue::Unknown("a float"), ConstValue::Float);
                Value::Constant(value, Some(L::FLOAT))
            }
            ast::LiteralKind::Char(_) | ast::LiteralKind::Byte(_) => {
                Value::Constant(ConstValue::Unknown("a character"), None)
            }
            _ => Value::Unknown,
        }
    }

    fn prefix(&mut self, prefix: &ast::PrefixExpr) -> Value<L> {
        let Some(inner) = prefix.expr() else {
            return Value::Unknown;
        };
        let value = self.expression(&inner);
        match (prefix.op_kind(), value) {
            (Some(ast::UnaryOp::Deref), value) => value,
            (Some(ast::UnaryOp::Neg), Value::Constant(ConstValue::Int(value), scalar)) => {
                match value.checked_neg() {
                    Some(value) => Value::Constant(ConstValue::Int(value), scalar),
                    None => Value::Unknown,
                }
            }
            (Some(ast::UnaryOp::Neg), Value::Constant(ConstValue::Float(value), scalar)) => {
                Value::Constant(ConstValue::Float(value.negated()), scalar)
            }
            (Some(ast::UnaryOp::Neg), Value::Constant(value, scalar)) => {
                Value::Constant(value, scalar)
            }
            (Some(ast::UnaryOp::Not), Value::Constant(ConstValue::Bool(value), _)) => {
                Value::boolean(!value)
            }
            // How many bits there are is the type's, which need not be known here.
            (Some(ast::UnaryOp::Not), Value::Constant(_, scalar)) => {
                Value::Constant(ConstValue::Unknown("a complement"), scalar)
            }
            _ => Value::Unknown,
        }
    }

    fn cast(&mut self, cast: &ast::CastExpr) -> Value<L> {
        let value = cast
            .expr()
            .map_or(Value::Unknown, |inner| self.expression(&inner));
        let site = self.frame.site.clone();
        let here = self.here;
        let ty = cast.ty().map(|ty| L::read_type(self, &site, &ty, here));
        match (value, ty.as_ref().and_then(L::number)) {
            (Value::Constant(value, _), Some(scalar)) => {
                let address = L::address_type(self);
                let name = cast
                    .ty()
                    .map_or_else(String::new, |ty| ty.syntax().text().to_string());
                let value = cast_float(value, name.trim());
                let fits = cast
                    .ty()
                    .is_none_or(|ty| fits_type(&value, &ty.syntax().text().to_string(), address));
                Value::Constant(
                    if fits {
                        value
                    } else {
                        ConstValue::Unknown("a cast that changes the value")
                    },
                    scalar,
                )
            }
            // Only numbers, and variants that have one, are cast to a number.
            (Value::Unknown | Value::Named(_), Some(scalar)) => {
                Value::Constant(ConstValue::Unknown("a cast"), scalar)
            }
            (value, _) => value,
        }
    }

    fn binary(&mut self, binary: &ast::BinExpr) -> Value<L> {
        let (Some(left), Some(right)) = (binary.lhs(), binary.rhs()) else {
            return Value::Unknown;
        };
        match binary.op_kind() {
            Some(ast::BinaryOp::Assignment { op }) => self.assignment(&left, op, &right),
            Some(ast::BinaryOp::LogicOp(op)) => self.logic(&left, op, &right),
            Some(ast::BinaryOp::CmpOp(op)) => {
                let (left, right) = (self.expression(&left), self.expression(&right));
                let known = compare_values(op, &left, &right);
                let known = known.or_else(|| self.compare_variants(op, &left, &right));
                known.map_or(Value::Unknown, Value::boolean)
            }
            Some(ast::BinaryOp::ArithOp(op)) => {
                let (left, right) = (self.expression(&left), self.expression(&right));
                arithmetic_value(op, left, right)
            }
            None => Value::Unknown,
        }
    }

    fn logic(&mut self, left: &ast::Expr, op: ast::LogicOp, right: &ast::Expr) -> Value<L> {
        let left = self.expression(left).as_boolean();
        let decides = matches!(op, ast::LogicOp::Or);
        if left == Some(decides) {
            return Value::boolean(decides);
        }
        let right = self.expression(right).as_boolean();
        match (left, right) {
            (Some(_), Some(right)) => Value::boolean(right),
            (None, Some(right)) if right == decides => Value::boolean(decides),
            _ => Value::Unknown,
        }
    }

    fn tuple(&mut self, tuple: &ast::TupleExpr) -> Value<L> {
        let fields: Vec<ast::Expr> = tuple.fields().collect();
        if fields.is_empty() {
            return Value::Unit;
        }
        Value::Tuple(
            fields
                .iter()
                .map(|field| self.marked_literal(field))
                .collect(),
        )
    }

    fn array(&mut self, array: &ast::ArrayExpr) -> Value<L> {
        match array.kind() {
            ast::ArrayExprKind::ElementList(elements) => {
                let elements: Vec<ast::Expr> = elements.collect();
                // One type for all elements.
                let values: Vec<Value<L>> = elements
                    .iter()
                    .map(|element| self.marked_literal(element))
                    .collect();
                if let Some(first) = values.first() {
                    for other in values.iter().skip(1) {
                        L::unify(self, first, other);
                    }
                }
                Value::Array(values)
            }
            ast::ArrayExprKind::Repeat {
                initializer,
                repeat,
            } => {
                let value = initializer.map_or(Value::Unknown, |initializer| {
                    self.marked_literal(&initializer)
                });
                let count = repeat.and_then(|repeat| self.expression(&repeat).as_u64());
                // Only constants can be repeated, and no kernel repeats more than a handful.
                match count {
                    Some(count) if count <= 1_024 => {
                        Value::Array((0..count).map(|_| value.clone()).collect())
                    }
                    _ => Value::Unknown,
                }
            }
        }
    }

    fn marked_literal(&mut self, expression: &ast::Expr) -> Value<L> {
        let value = self.expression(expression);
        mark_literal(value, expression)
    }

    fn index(&mut self, index: &ast::IndexExpr) -> Value<L> {
        let (Some(base), Some(at)) = (index.base(), index.index()) else {
            return Value::Unknown;
        };
        let base = self.expression(&base);
        if let (Value::Array(values), ast::Expr::RangeExpr(range)) = (&base, &at)
            && (range.start().is_none() || range.end().is_none())
        {
            return self.open_part(values, range);
        }
        let at = self.expression(&at);
        match (base, at) {
            (
                Value::Array(values),
                Value::Sequence(Sequence::Steps {
                    start,
                    step: 1,
                    count,
                }),
            ) => {
                let start = usize::try_from(start).unwrap_or(usize::MAX);
                let end = usize::try_from(count)
                    .ok()
                    .and_then(|count| start.checked_add(count));
                let part = end.and_then(|end| values.get(start..end));
                part.map_or(Value::Unknown, |part| Value::Array(part.to_vec()))
            }
            (Value::Array(values), at) => match at.as_u64() {
                Some(at) => usize::try_from(at)
                    .ok()
                    .and_then(|at| values.get(at))
                    .cloned()
                    .unwrap_or(Value::Unknown),
                None => L::one_of(self, values),
            },
            _ => Value::Unknown,
        }
    }

    /// `[from..]`, `[..to]` and `[..]` of a list.
    fn open_part(&mut self, values: &[Value<L>], range: &ast::RangeExpr) -> Value<L> {
        let mut place = |end: Option<ast::Expr>, left_out: usize| match end {
            None => Some(left_out),
            Some(end) => usize::try_from(self.expression(&end).as_u64()?).ok(),
        };
        let start = place(range.start(), 0);
        let end = place(range.end(), values.len());
        let inclusive = matches!(range.op_kind(), Some(ast::RangeOp::Inclusive));
        let end = end.map(|end| end + usize::from(inclusive && range.end().is_some()));
        let part = start
            .zip(end)
            .and_then(|(start, end)| values.get(start..end));
        part.map_or(Value::Unknown, |part| Value::Array(part.to_vec()))
    }

    fn range(&mut self, range: &ast::RangeExpr) -> Value<L> {
        let (start, end) = match (range.start(), range.end()) {
            (Some(start), Some(end)) => (
                self.expression(&start).as_integer(),
                self.expression(&end).as_integer(),
            ),
            (None, Some(end)) => (Some(0), self.expression(&end).as_integer()),
            _ => return Value::Unknown,
        };
        let (Some(start), Some(end)) = (start, end) else {
            return Value::Unknown;
        };
        let extra = i128::from(matches!(range.op_kind(), Some(ast::RangeOp::Inclusive)));
        let count = end
            .checked_sub(start)
            .and_then(|count| count.checked_add(extra))
            .map(|count| count.max(0));
        match count.and_then(|count| u64::try_from(count).ok()) {
            Some(count) => Value::Sequence(Sequence::Steps {
                start,
                step: 1,
                count,
            }),
            None => Value::Unknown,
        }
    }

    fn record(&mut self, record: &ast::RecordExpr) -> Value<L> {
        let Some(path) = record.path() else {
            return Value::Unknown;
        };
        let site = self.frame.site.clone();
        let found = site.resolve_path(self.db, &path, Namespace::Type);
        let known = match &found {
            Resolution::Prelude(known) => Some(&**known),
            _ => None,
        };
        let declared = match &found {
            Resolution::Type(item) => Some(*item),
            _ => None,
        };
        let item = declared.or_else(|| self.enum_of(&path));
        let place = site.span(path.syntax());
        let ty = declared.map(|_| L::read_path_type(self, &site, &path, place));
        let expected = ty.as_ref().and_then(L::record_of);
        let (fields, rest) =
            self.record_fields(record, expected.map_or(&[][..], |(types, _)| types));
        // What the type does not say of its parameters the values do.
        let generics = match (item, expected) {
            (Some(item), Some((_, given))) if !given.is_empty() => {
                match rest.filter(|rest| rest.item == Some(item)) {
                    Some(rest) => rest.generics,
                    None if path_arguments(&path).is_empty()
                        && !super::site::path_segments(&path)
                            .iter()
                            .any(|name| name == "Self") =>
                    {
                        L::generics_of(self, item, &fields, place)
                    }
                    None => Arc::clone(given),
                }
            }
            _ => Arc::default(),
        };
        let value = Value::Named(Box::new(Named {
            item,
            generics,
            path: self.library_path(&path, super::site::path_segments(&path), known),
            arguments: Vec::new(),
            fields,
        }));
        if let Some(ty) = &ty {
            L::constrain(self, &value, ty);
        }
        value
    }

    /// The fields of a struct's value with those that it takes from another one, and that one.
    fn record_fields(
        &mut self,
        record: &ast::RecordExpr,
        types: &[(String, L::Type)],
    ) -> (Fields<L>, Option<Named<L>>) {
        let list = record.record_expr_field_list();
        let written = list.iter().flat_map(ast::RecordExprFieldList::fields);
        let written: Vec<ast::RecordExprField> = written.collect();
        let mut fields = Vec::with_capacity(written.len());
        for field in &written {
            let (Some(name), Some(expression)) = (field.field_name(), field.expr()) else {
                continue;
            };
            let name = name.text().to_string();
            let span = self.frame.site.span(expression.syntax());
            if let Some((_, ty)) = types.iter().find(|(field, _)| *field == name) {
                L::expect(self, &expression, ty);
            }
            fields.push((name, self.expression(&expression), span));
        }
        let rest = list.and_then(|list| list.spread());
        let Some(Value::Named(rest)) = rest.map(|rest| self.expression(&rest)) else {
            return (fields, None);
        };
        let is_given = |name: &String| fields.iter().any(|(field, ..)| field == name);
        let taken = rest.fields.iter().filter(|(name, ..)| !is_given(name));
        let taken: Vec<_> = taken.cloned().collect();
        fields.extend(taken);
        (fields, Some(*rest))
    }
}
