//! What the library makes of what the walk through a function meets: the hooks of [`Elaborate`].
//!
//! Everything that only a library's table can say is reached from here; the walk itself knows no library.

use std::sync::Arc;

use ra_ap_syntax::ast;

use crate::hardware::ElementType;
use crate::items::{ConstValue, ItemId, Resolution, Span};
use crate::kernel::catalogue::Role;
use crate::kernel::dialect::Method;
use crate::kernel::{Context, TensorId, UnresolvedReason};
use crate::surface::{self, Argument, Cut, Elaborate, RecordType, Turbofish};

use super::bindings::Binding;
use super::plans::PlanDraft;
use super::types::Type;
use super::{Call, Interpreter, Lowering, Site, Value};

/// The elaboration of kernels by the table of a library.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kernels;

/// A value that only the library knows.
#[derive(Debug, Clone)]
pub(super) enum Thing {
    /// The whole context.
    Device,
    /// One context; `None` where the function is generic over it.
    Context(Option<Context>),
    /// A tensor or view.
    Tensor(TensorId),
    /// An open stream: the pass's place in the draft.
    Stream(usize),
    /// A plan that has not been carried out.
    Plan(Box<PlanDraft>),
    /// One value in HBM: what it is, a run decides. Where a run is followed, it is known.
    RunTimeValue(Option<ConstValue>),
}

impl Elaborate for Kernels {
    type State = Lowering;
    type Thing = Thing;
    type Type = Type;
    type Scalar = ElementType;
    type Binding = Binding;

    const FLOAT: ElementType = ElementType::F32;
    const INTEGER: ElementType = ElementType::I32;

    fn scalar_named(name: &str) -> Option<ElementType> {
        ElementType::from_name(name)
    }

    fn suffix_of(literal: &str) -> Option<ElementType> {
        ElementType::ALL.into_iter().find(|scalar| {
            literal.len() > scalar.name().len()
                && literal.ends_with(scalar.name())
                && !literal.starts_with("0x")
        })
    }

    fn read_type(walker: &mut Interpreter<'_>, site: &Site, ty: &ast::Type, place: Span) -> Type {
        walker.read_type(site, ty, place)
    }

    fn expect(walker: &mut Interpreter<'_>, expression: &ast::Expr, ty: &Type) {
        walker.expect(expression, ty);
    }

    fn expected_length(walker: &Interpreter<'_>, call: Span) -> Option<u64> {
        walker.expected_length(call)
    }

    fn constant_of(
        walker: &mut Interpreter<'_>,
        site: &Site,
        argument: &Argument,
    ) -> Option<ConstValue> {
        walker.constant_of(site, argument)
    }

    fn record_of(ty: &Type) -> Option<RecordType<'_, Self>> {
        match ty {
            Type::Record(_, fields, generics) => Some((fields, generics)),
            _ => None,
        }
    }

    fn generics_of(
        walker: &mut Interpreter<'_>,
        item: ItemId,
        fields: &[(String, Value, Span)],
        place: Span,
    ) -> Arc<[Binding]> {
        walker.generics_of(item, fields, place)
    }

    fn read_path_type(
        walker: &mut Interpreter<'_>,
        site: &Site,
        path: &ast::Path,
        place: Span,
    ) -> Type {
        walker.read_path_type(site, path, place, 0)
    }

    fn number(ty: &Type) -> Option<Option<ElementType>> {
        match ty {
            Type::Number(scalar) => Some(*scalar),
            _ => None,
        }
    }

    fn address_type(walker: &Interpreter<'_>) -> &'static str {
        walker.own.dialect.words.address_type
    }

    fn is_device_side(ty: &Type) -> bool {
        ty.is_device_side()
    }

    fn value_of_type(walker: &mut Interpreter<'_>, ty: &Type, place: Span) -> Value {
        walker.value_of_type(ty, place)
    }

    fn constrain(walker: &mut Interpreter<'_>, value: &Value, ty: &Type) {
        walker.constrain(value, ty);
    }

    fn unify(walker: &mut Interpreter<'_>, first: &Value, second: &Value) {
        walker.unify_values(first, second);
    }

    fn merge(walker: &mut Interpreter<'_>, first: Thing, second: Thing) -> Value {
        let thing = match (first, second) {
            (Thing::Tensor(first), Thing::Tensor(second)) if first != second => {
                return walker.merge_tensors(first, second);
            }
            (Thing::Tensor(same), Thing::Tensor(_)) => Thing::Tensor(same),
            (Thing::Stream(first), Thing::Stream(second)) if first == second => {
                Thing::Stream(first)
            }
            (Thing::Device, Thing::Device) => Thing::Device,
            (Thing::RunTimeValue(first), Thing::RunTimeValue(second)) => {
                let is_same = first == second;
                Thing::RunTimeValue(first.filter(|_| is_same))
            }
            (Thing::Context(first), Thing::Context(second)) => {
                Thing::Context(first.filter(|_| first == second))
            }
            _ => return Value::Unknown,
        };
        Value::Thing(thing)
    }

    fn one_of(walker: &mut Interpreter<'_>, values: Vec<Value>) -> Value {
        walker.one_of(values)
    }

    fn field(walker: &Interpreter<'_>, thing: &Thing, name: &str) -> Value {
        let context = match thing {
            Thing::Device => walker.own.dialect.context_field(name),
            _ => None,
        };
        match context {
            Some(context) => Value::Thing(Thing::Context(Some(context))),
            None => Value::Unknown,
        }
    }

    fn named(walker: &mut Interpreter<'_>, value: &Value, name: &str, span: Span) {
        walker.name_tensor(value, name, span);
    }

    fn runs_where_given(thing: &Thing) -> bool {
        !matches!(thing, Thing::Tensor(_))
    }

    fn method(walker: &mut Interpreter<'_>, receiver: Value, call: &Call) -> Value {
        walker.method(receiver, call)
    }

    fn inline(
        walker: &mut Interpreter<'_>,
        function: ItemId,
        turbofish: Turbofish<'_>,
        arguments: &[(Value, Span)],
        span: Span,
    ) -> Value {
        walker.inline(function, turbofish, arguments, span)
    }

    fn call(
        walker: &mut Interpreter<'_>,
        path: (&ast::Path, Span),
        names: &[String],
        arguments: Vec<(Value, Span)>,
        resolution: &Resolution,
    ) -> Value {
        walker.library_call(path, names, arguments, resolution)
    }

    fn size_of(walker: &mut Interpreter<'_>, path: &ast::Path) -> Option<u64> {
        walker.size_of(path)
    }

    fn runs(walker: &Interpreter<'_>, method: &str) -> bool {
        let mut methods = walker.own.dialect.methods_of_any_release(method);
        methods.any(|method| method.action.begins_operation())
    }

    fn concerns_device(walker: &Interpreter<'_>, text: &str) -> bool {
        walker.concerns_device(text)
    }

    fn operations(walker: &Interpreter<'_>) -> usize {
        walker.own.draft.operations.len()
    }

    fn unresolved(walker: &mut Interpreter<'_>, reason: UnresolvedReason, span: Span) {
        walker.unresolved(reason, span);
    }

    fn cut(walker: &mut Interpreter<'_>, how: Cut, span: Span) {
        let draft = &mut walker.own.draft;
        match how {
            Cut::Shortened => draft.shortened_loops.push(span),
            Cut::Unbounded => draft.unbounded_loops.push(span),
        }
    }

    fn seen(walker: &mut Interpreter<'_>, expression: &ast::Expr, value: &Value) {
        walker.watched(expression, value);
    }
}

/// Arguments by role.
impl surface::Call<Kernels> {
    /// The first argument of a role, with its place; none where the call does not have it.
    pub(super) fn given_argument(&self, method: &Method, role: Role) -> Option<&(Value, Span)> {
        self.arguments.get(method.argument(role)?)
    }

    /// The value of the first argument of a role.
    pub(super) fn value_of(&self, method: &Method, role: Role) -> Value {
        self.given_argument(method, role)
            .map_or(Value::Unknown, |(value, _)| value.clone())
    }

    /// The place of the first argument of a role, or the method's name where it is missing.
    pub(super) fn place_of(&self, method: &Method, role: Role) -> Span {
        self.given_argument(method, role)
            .map_or(self.name_span, |(_, span)| *span)
    }

    /// All arguments of a role, those that are missing as unknown.
    pub(super) fn all_of(&self, method: &Method, role: Role) -> Vec<(Value, Span)> {
        let places = (0..method.arguments.len()).filter(|index| {
            method
                .arguments
                .get(*index)
                .is_some_and(|argument| argument.role == role)
        });
        places
            .map(|index| (self.argument(index), self.argument_span(index)))
            .collect()
    }
}
