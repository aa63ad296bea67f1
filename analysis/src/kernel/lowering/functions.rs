//! Functions: a body's own, and helpers that it calls.

use std::rc::Rc;

use ra_ap_syntax::ast::{self, AstNode, HasGenericParams, HasName};

use crate::db::Db;
use crate::inputs::options;
use crate::items::{self, ItemId, Span};
use crate::kernel::dialect::{self, Dialect, TypeParameter};
use crate::kernel::{
    Address, AddressValue, Body, Context, DeviceAttribute, Level, PassEnd, PassSource, TensorId,
    Unresolved, UnresolvedReason,
};
use crate::libraries::Library;

use super::arguments::{Argument, path_arguments};
use super::draft::{KindDraft, OperationDraft, OriginDraft, PassDraft};
use super::probe::{Probed, Watch};
use super::site::{Binding, Generics, Site, segments};
use super::types::{LevelSlots, ShapeSlots, Type};
use super::values::{Named, Value};
use super::variables::Variables;
use super::{CALL_DEPTH, CALL_WEIGHT, Flow, Frame, Interpreter, WRITTEN_LIMIT, callgraph};

/// Tensors of an array parameter that are told apart.
const ARRAY_LIMIT: u64 = 64;

/// Lowers a function for itself.
pub(super) fn lower(db: &dyn Db, function: ItemId) -> Body {
    lower_watching(db, function, None).0
}

/// Lowers a function, and says what the expression stands for that is watched.
pub(super) fn lower_watching(
    db: &dyn Db,
    function: ItemId,
    watch: Option<Watch>,
) -> (Body, Option<Probed>) {
    let table = dialect::of_file(db, function.file(db));
    lower_for(db, table, function, watch)
}

/// Lowers a function by the table of a library.
pub(super) fn lower_for(
    db: &dyn Db,
    table: Dialect,
    function: ItemId,
    watch: Option<Watch>,
) -> (Body, Option<Probed>) {
    let site = Site::new(db, function);
    let node = site.parsed.cast::<ast::Fn>();
    let name = node.as_ref().and_then(ast::Fn::name);
    let span = name.as_ref().map_or_else(
        || site.parsed.text.full_span(),
        |name| site.span(name.syntax()),
    );
    let library = items::dialect(db, function.file(db));
    let mut body = Body {
        name: name.map_or_else(String::new, |name| name.text().to_string()),
        span,
        device: items::device_attribute(db, function).map(|attribute| DeviceAttribute {
            chips: attribute.chips,
            span: attribute.span,
        }),
        chips: None,
        dialect: library,
        machine: table.machine,
        reached_from_kernel: callgraph::is_reached_from_kernel(db, function),
        tensors: Vec::new(),
        operations: Vec::new(),
        unresolved: Vec::new(),
        incomplete: Vec::new(),
        escaping: Vec::new(),
        launches: Vec::new(),
        shortened_loops: Vec::new(),
        unbounded_loops: Vec::new(),
        undecided_exits: Vec::new(),
    };
    let chips = options(db, function.file(db)).chips;
    body.chips = match &body.device {
        Some(device) => device.chips.or(chips),
        // What a kernel calls runs on that kernel's chips, and is judged there.
        None if body.reached_from_kernel => None,
        None => chips,
    };
    let Some(node) = node else {
        return (body, None);
    };
    if !library.library.is_read() {
        // The successor's methods mean other things under the same names: nothing is guessed.
        let on_device =
            body.device.is_some() || body.reached_from_kernel || takes_tensors(&node, table);
        if on_device && !is_host_side(&node, &site.parsed.text.text) {
            body.unresolved = unread(&site, &node, library.library);
        }
        return (body, None);
    }
    let text = std::sync::Arc::clone(&site.parsed.text);
    let mut interpreter = Interpreter::new(db, table, site, span);
    interpreter.watch = watch;
    let (operations, expressions) = interpreter.limits;
    let written = interpreter.operations_in(node.syntax()).len();
    let bytes = u64::try_from(text.text.len()).unwrap_or(u64::MAX);
    interpreter.limits = (
        operations.saturating_add(written.min(WRITTEN_LIMIT)),
        // A statement, its expression and a link of a chain are counted each, and none is shorter than a letter.
        expressions.saturating_add(bytes.saturating_mul(2)),
    );
    interpreter.own_body(&node);
    interpreter.say_what_was_handed_on();
    interpreter.say_what_is_beyond_limits(&node);
    interpreter.settle_contractions();
    super::homonyms::tell_apart(db, function, &mut interpreter.draft);
    let seen = interpreter.watch.and_then(|watch| watch.seen);
    let (mut body, probed) = interpreter.draft.finish_knowing(body, table, seen);
    if is_host_side(&node, &text.text) {
        body.unresolved.clear();
    } else if body.device.is_none() {
        leave_to_callers(db, function, &mut body);
    }
    (body, probed)
}

/// The calls of a function for a library that is not read, one each: which of them run operations is not known.
fn unread(site: &Site, node: &ast::Fn, library: Library) -> Vec<Unresolved> {
    let calls = node
        .body()
        .into_iter()
        .flat_map(|body| body.syntax().descendants().collect::<Vec<_>>())
        .filter_map(ast::MethodCallExpr::cast)
        .filter_map(|call| call.name_ref());
    calls
        .map(|name| {
            let reason = UnresolvedReason::UnreadLibrary(library);
            Unresolved::at(reason, site.span(name.syntax()))
        })
        .collect()
}

/// Whether the types of a function's parameters are those of tensors or contexts.
fn takes_tensors(node: &ast::Fn, library: Dialect) -> bool {
    let types = node
        .param_list()
        .into_iter()
        .flat_map(|list| list.params().collect::<Vec<_>>())
        .filter_map(|parameter| parameter.ty());
    types
        .flat_map(|ty| ty.syntax().descendants().collect::<Vec<_>>())
        .filter_map(ast::NameRef::cast)
        .any(|name| {
            let name = name.text();
            name.contains("Tensor") || library.type_entry(name).is_some()
        })
}

/// What only a caller can say is counted where it is said: in the kernel that calls, whose body holds the helper's
/// operations too.
fn leave_to_callers(db: &dyn Db, function: ItemId, body: &mut Body) {
    if body.reached_from_kernel {
        body.unresolved.clear();
        return;
    }
    let is_called = callgraph::is_called(db, function);
    body.unresolved.retain(|entry| match &entry.reason {
        UnresolvedReason::GenericMapping | UnresolvedReason::UnboundedLoop => !is_called,
        UnresolvedReason::UnsupportedExpression(what) => what != super::transfers::COMPUTED_ADDRESS,
        _ => true,
    });
}

/// Whether a function runs on the host: what it does besides transfers is not a kernel's business.
///
/// `text` is the function's: where it has neither name the calls need not be visited.
fn is_host_side(node: &ast::Fn, text: &str) -> bool {
    let is_test = ast::HasAttrs::attrs(node).any(|attribute| {
        let path = attribute.syntax().descendants().find_map(ast::Path::cast);
        path.is_some_and(|path| segments(&path).last().is_some_and(|name| name == "test"))
    });
    let starts_kernels = || {
        node.syntax()
            .descendants()
            .filter_map(ast::CallExpr::cast)
            .filter_map(|call| match call.expr()? {
                ast::Expr::PathExpr(callee) => segments(&callee.path()?).pop(),
                _ => None,
            })
            .any(|name| name == "launch" || name == "acquire")
    };
    let names_start = text.contains("launch") || text.contains("acquire");
    is_test || node.async_token().is_some() || (names_start && starts_kernels())
}

impl Interpreter<'_> {
    fn own_body(&mut self, node: &ast::Fn) {
        let site = self.own_site(node);
        self.frame.site = site.clone();
        for parameter in node
            .param_list()
            .into_iter()
            .flat_map(|list| list.params().collect::<Vec<_>>())
        {
            let span = site.span(parameter.syntax());
            let place = parameter
                .pat()
                .map_or(span, |pattern| site.span(pattern.syntax()));
            let ty = parameter
                .ty()
                .map_or(Type::Unknown, |ty| self.read_type(&site, &ty, place));
            let value = self.value_of_type(&ty, place);
            if let Some(pattern) = parameter.pat() {
                self.bind(&pattern, value);
            }
        }
        self.frame.result = self.result_type(&site, node, self.here);
        let value = self.function_value(node);
        self.escape(&value);
    }

    /// The function's own site: its generic parameters stand for nothing known.
    fn own_site(&mut self, node: &ast::Fn) -> Site {
        let mut site = self.frame.site.clone();
        let mut generics = Generics::new();
        for (name, is_constant, span) in parameters(&site, node) {
            let mapping = self
                .draft
                .mappings
                .failed(UnresolvedReason::GenericMapping, span);
            let scalar = self
                .draft
                .scalars
                .failed(UnresolvedReason::GenericMapping, span);
            generics.insert(
                name,
                Binding {
                    mapping,
                    scalar,
                    axis: None,
                    context: None,
                    constant: None,
                    is_constant,
                },
            );
        }
        site.generics = Rc::new(generics);
        site
    }

    fn result_type(&mut self, site: &Site, node: &ast::Fn, place: Span) -> Type {
        match node.ret_type() {
            Some(result) => result
                .ty()
                .map_or(Type::Unknown, |ty| self.read_type(site, &ty, place)),
            None => Type::Unit,
        }
    }

    /// Runs the body of the frame's function and gives its result.
    fn function_value(&mut self, node: &ast::Fn) -> Value {
        let Some(block) = node.body() else {
            return Value::Unknown;
        };
        let earlier = self.exits.len();
        let tail = self.block(&block);
        for (span, operations) in self.exits.split_off(earlier.min(self.exits.len())) {
            if self.draft.operations.len() > operations {
                self.draft.undecided_exits.push(span);
            }
        }
        let returned = self.frame.returned.take();
        let value = match (returned, self.flow) {
            (Some(value), Flow::Return) => value,
            (Some(value), _) => self.merge(value, tail),
            (None, _) => tail,
        };
        self.flow = Flow::Next;
        let result = self.frame.result.clone();
        self.constrain(&value, &result);
        value
    }

    /// Tensors in a result outlive the body.
    fn escape(&mut self, value: &Value) {
        match value {
            Value::Tensor(id) => self.draft.escaping.push(*id),
            Value::Tuple(values) | Value::Array(values) => {
                for value in values {
                    self.escape(value);
                }
            }
            _ => {}
        }
    }

    /// A value of a type that comes from outside: a parameter, or the result of something that is not followed.
    pub(super) fn value_of_type(&mut self, ty: &Type, place: Span) -> Value {
        match ty {
            Type::Tensor(kind) => {
                let address = Address {
                    value: AddressValue::Unknown,
                    span: place,
                };
                Value::Tensor(
                    self.draft
                        .add_tensor(*kind, address, OriginDraft::Parameter, place),
                )
            }
            Type::Stream { shape, context } => {
                let source = PassSource::Parameter {
                    position: shape.position,
                };
                self.begin_pass(*context, source, *shape, place)
            }
            Type::Device => Value::Device,
            Type::Context(context) => Value::Context(*context),
            Type::Tuple(parts) => Value::Tuple(
                parts
                    .iter()
                    .map(|part| self.value_of_type(part, place))
                    .collect(),
            ),
            Type::Number(Some(scalar)) => Value::Constant(
                crate::items::ConstValue::Unknown("a parameter"),
                Some(*scalar),
            ),
            Type::Unit => Value::Unit,
            Type::Record(name, fields) => Value::Named(Box::new(Named {
                path: vec![name.clone()],
                arguments: Vec::new(),
                fields: fields
                    .iter()
                    .map(|(name, ty)| (name.clone(), self.value_of_type(ty, place), place))
                    .collect(),
            })),
            Type::Array(inner, Some(length))
                if *length <= ARRAY_LIMIT && inner.is_device_side() =>
            {
                Value::Array(
                    (0..*length)
                        .map(|_| self.value_of_type(inner, place))
                        .collect(),
                )
            }
            Type::Number(None) | Type::Unknown | Type::Array(..) => Value::Unknown,
        }
    }

    /// Begins a pass.
    pub(super) fn begin_pass(
        &mut self,
        context: Option<Context>,
        source: PassSource,
        begin: ShapeSlots,
        span: Span,
    ) -> Value {
        let pass = PassDraft {
            context,
            source,
            begin,
            stages: Vec::new(),
            end: PassEnd::Open,
        };
        let operation = self.operation(
            KindDraft::Pass(pass),
            context.unwrap_or(Context::Main),
            span,
        );
        operation.map_or(Value::Unknown, Value::Stream)
    }

    /// Adds an operation where the interpretation stands.
    pub(super) fn operation(
        &mut self,
        kind: KindDraft,
        context: Context,
        span: Span,
    ) -> Option<usize> {
        if self.draft.operations.len() >= self.limits.0 {
            self.exhausted = true;
            return None;
        }
        let touched = self.draft.tick();
        self.draft.operations.push(OperationDraft {
            kind,
            context,
            span,
            loops: self.loops.clone(),
            branches: self.branches.clone(),
            calls: self.calls.clone(),
            touched,
            superseded: false,
            failure: None,
        });
        self.draft.operations.len().checked_sub(1)
    }

    /// Follows a call of a function of the project.
    pub(super) fn inline(
        &mut self,
        function: ItemId,
        turbofish: &[Argument],
        arguments: &[(Value, Span)],
        call: Span,
    ) -> Value {
        let quiet = self.quiet_key(function, turbofish, arguments);
        let known = quiet.as_ref().is_some_and(|call| self.is_quiet(call));
        if known && !self.stack.contains(&function) {
            return Value::Unit;
        }
        let before = quiet.is_some().then(|| self.mark());
        let value = self.follow(function, turbofish, arguments, call);
        if let (Some(call), Some(before)) = (quiet, before) {
            self.remember_quiet(call, &before, &value);
        }
        value
    }

    fn follow(
        &mut self,
        function: ItemId,
        turbofish: &[Argument],
        arguments: &[(Value, Span)],
        call: Span,
    ) -> Value {
        let site = self.site(function);
        let Some(node) = site.parsed.cast::<ast::Fn>() else {
            return Value::Unknown;
        };
        let site = self.called_site(site, &node, turbofish, arguments, call);
        let (values, owned) = self.take_parameters(&site, &node, arguments);
        let result = self.result_type(&site, &node, call);
        let recursion = self.stack.contains(&function);
        self.quiet.recursions += u64::from(recursion);
        if recursion || self.stack.len() >= CALL_DEPTH {
            if result.is_device_side() || arguments.iter().any(|(value, _)| value.is_device_side())
            {
                let reason = if self.stack.contains(&function) {
                    UnresolvedReason::Recursion
                } else {
                    UnresolvedReason::TooDeep("helpers")
                };
                self.unresolved(reason, call);
            }
            return self.value_of_type(&result, call);
        }
        self.expressions = self.expressions.saturating_add(CALL_WEIGHT);
        let frame = Frame {
            site,
            variables: Variables::default(),
            result,
            returned: None,
        };
        let caller = std::mem::replace(&mut self.frame, frame);
        self.stack.push(function);
        self.calls.push(call);
        for (pattern, value) in values {
            self.bind(&pattern, value);
        }
        let value = self.function_value(&node);
        self.calls.pop();
        self.stack.pop();
        self.frame = caller;
        self.drop_owned(&owned, &value);
        value
    }

    /// The site of a called function: its generic parameters bound by the turbofish and by the arguments' types.
    fn called_site(
        &mut self,
        mut site: Site,
        node: &ast::Fn,
        turbofish: &[Argument],
        arguments: &[(Value, Span)],
        call: Span,
    ) -> Site {
        let names = parameters(&site, node);
        if names.is_empty() {
            return site;
        }
        let mut generics = Generics::new();
        let caller = self.frame.site.clone();
        for (index, (name, is_constant, _)) in names.into_iter().enumerate() {
            let mut binding = self.bind_argument(&caller, turbofish.get(index), call);
            binding.is_constant = is_constant;
            generics.insert(name, binding);
        }
        let parameters = node
            .param_list()
            .into_iter()
            .flat_map(|list| list.params().collect::<Vec<_>>());
        for (parameter, (value, _)) in parameters.zip(arguments) {
            if let Some(ty) = parameter.ty() {
                self.match_type(&mut generics, &ty, value, 0);
            }
        }
        site.generics = Rc::new(generics);
        site
    }

    /// Binds generic parameters that a parameter's type names to what the argument's type has there.
    fn match_type(&mut self, generics: &mut Generics, ty: &ast::Type, value: &Value, depth: u32) {
        if depth > 16 {
            return;
        }
        match (ty, value) {
            (ast::Type::RefType(inner), _) => {
                if let Some(inner) = inner.ty() {
                    self.match_type(generics, &inner, value, depth + 1);
                }
            }
            (ast::Type::TupleType(tuple), Value::Tuple(values)) => {
                for (part, value) in tuple.fields().zip(values) {
                    self.match_type(generics, &part, value, depth + 1);
                }
            }
            (
                ast::Type::PathType(path),
                Value::Tensor(_) | Value::Stream(_) | Value::Context(_),
            ) => {
                if let Some(path) = path.path() {
                    self.match_entry(generics, &path, value);
                }
            }
            _ => {}
        }
    }

    fn match_entry(&mut self, generics: &mut Generics, path: &ast::Path, value: &Value) {
        let names = segments(path);
        let Some(entry) = names.last().and_then(|name| self.dialect.type_entry(name)) else {
            return;
        };
        for (parameter, argument) in entry.parameters.iter().zip(path_arguments(path)) {
            let known = match (parameter, value) {
                (TypeParameter::Level(level), Value::Tensor(id)) => self
                    .draft
                    .tensor(*id)
                    .and_then(|tensor| tensor.kind.levels.get(*level)),
                (TypeParameter::Level(level), Value::Stream(place)) => self
                    .draft
                    .pass(*place)
                    .and_then(|pass| pass.shape().get(*level)),
                (TypeParameter::Context, _) => {
                    let context = match value {
                        Value::Stream(place) => {
                            self.draft.pass(*place).and_then(|pass| pass.context)
                        }
                        Value::Context(context) => *context,
                        _ => None,
                    };
                    let name = argument.path().and_then(|path| segments(&path).pop());
                    if let Some(binding) = name.and_then(|name| generics.get_mut(&name)) {
                        binding.context = binding.context.or(context);
                    }
                    None
                }
                _ => None,
            };
            let known = known.and_then(|slot| self.draft.mappings.value(slot).cloned());
            if let (Some(known), Argument::Type(ast::Type::MacroType(ty))) = (known, &argument)
                && let Some(call) = ty.macro_call()
            {
                self.match_macro(generics, &call, &known);
            }
        }
    }

    /// The parameters' patterns with the arguments, which take the declared types; and the tensors handed over whole.
    fn take_parameters(
        &mut self,
        site: &Site,
        node: &ast::Fn,
        arguments: &[(Value, Span)],
    ) -> (Vec<(ast::Pat, Value)>, Vec<TensorId>) {
        let mut values = Vec::new();
        let mut owned = Vec::new();
        let parameters = node
            .param_list()
            .into_iter()
            .flat_map(|list| list.params().collect::<Vec<_>>());
        for (index, parameter) in parameters.enumerate() {
            let place = site.span(parameter.syntax());
            let ty = parameter
                .ty()
                .map_or(Type::Unknown, |ty| self.read_type(site, &ty, place));
            let value = match arguments.get(index) {
                // An argument that could not be followed still has its declared type.
                Some((Value::Unknown, _)) | None => self.value_of_type(&ty, place),
                Some((value, _)) => self.typed(value.clone(), &ty),
            };
            if let (Value::Tensor(id), Some(ast::Type::PathType(_))) = (&value, parameter.ty()) {
                owned.push(*id);
            }
            if let Some(pattern) = parameter.pat() {
                values.push((pattern, value));
            }
        }
        (values, owned)
    }

    /// Tensors handed over to a helper end with it, unless it gives them back.
    fn drop_owned(&mut self, owned: &[TensorId], result: &Value) {
        for id in owned {
            if !self.holds(result, *id) {
                self.draft.mark_moved(*id);
            }
        }
    }

    fn holds(&self, value: &Value, id: TensorId) -> bool {
        match value {
            Value::Tensor(other) => *other == id || self.draft.base(*other) == id,
            Value::Tuple(values) | Value::Array(values) => {
                values.iter().any(|value| self.holds(value, id))
            }
            _ => false,
        }
    }

    /// Fills the open parts of a value's type from a declared type, and the other way round.
    pub(super) fn constrain(&mut self, value: &Value, ty: &Type) {
        match (value, ty) {
            (Value::Tensor(id), Type::Tensor(declared)) => {
                let Some(kind) = self.draft.tensor(*id).map(|tensor| tensor.kind) else {
                    return;
                };
                if kind.tier == declared.tier {
                    self.draft.scalars.unify(kind.scalar, declared.scalar);
                    self.unify_all(kind.levels.all().collect(), declared.levels.all().collect());
                    self.keep_declared(*id, declared.levels);
                }
            }
            (Value::Stream(place), Type::Stream { shape, .. }) => {
                let Some(own) = self.draft.pass(*place).map(PassDraft::shape) else {
                    return;
                };
                self.draft.scalars.unify(own.scalar, shape.scalar);
                if own.row.is_some() == shape.row.is_some() {
                    self.unify_all(own.all().collect(), shape.all().collect());
                }
            }
            (Value::Tuple(values), Type::Tuple(types)) => {
                for (value, ty) in values.iter().zip(types) {
                    self.constrain(value, ty);
                }
            }
            (Value::Named(named), Type::Record(_, declared)) => {
                for (name, value, _) in &named.fields {
                    if let Some((_, ty)) = declared.iter().find(|(field, _)| field == name) {
                        self.constrain(value, ty);
                    }
                }
            }
            (Value::Array(values), Type::Array(ty, _)) => {
                for value in values {
                    self.constrain(value, ty);
                }
            }
            _ => {}
        }
    }

    /// A tensor that a stream ends in lies over the chips, clusters and slices that it is declared with where it is bound:
    /// where the stream has others, and also for the place that is written.
    fn keep_declared(&mut self, id: TensorId, declared: LevelSlots) {
        if self
            .draft
            .tensor(id)
            .is_none_or(|tensor| tensor.name.is_some())
        {
            return;
        }
        for level in [Level::Chip, Level::Cluster, Level::Slice] {
            if let Some(slot) = declared.get(level)
                && self.draft.mappings.value(slot).is_some()
                && let Some(tensor) = self.draft.tensor_mut(id)
            {
                tensor.kind.levels = tensor.kind.levels.with(level, slot);
            }
        }
    }

    /// Says that two values have one type: what a variable held before, elements of one array, arms of one branching.
    pub(super) fn unify_values(&mut self, first: &Value, second: &Value) {
        match (first, second) {
            (Value::Tensor(first), Value::Tensor(second)) => {
                let kinds = (self.draft.tensor(*first), self.draft.tensor(*second));
                if let (Some(first), Some(second)) = kinds {
                    let (first, second) = (first.kind, second.kind);
                    if first.tier == second.tier {
                        self.draft.scalars.unify(first.scalar, second.scalar);
                        self.unify_all(first.levels.all().collect(), second.levels.all().collect());
                    }
                }
            }
            (Value::Tuple(first), Value::Tuple(second))
            | (Value::Array(first), Value::Array(second)) => {
                for (first, second) in first.iter().zip(second) {
                    self.unify_values(first, second);
                }
            }
            _ => {}
        }
    }

    fn unify_all(
        &mut self,
        first: Vec<super::slots::MappingSlot>,
        second: Vec<super::slots::MappingSlot>,
    ) {
        for (first, second) in first.into_iter().zip(second) {
            self.draft.mappings.unify(first, second);
        }
    }
}

/// The generic type and constant parameters of a function, whether each is a constant, and their places.
fn parameters(site: &Site, node: &ast::Fn) -> Vec<(String, bool, Span)> {
    node.generic_param_list()
        .into_iter()
        .flat_map(|list| list.type_or_const_params().collect::<Vec<_>>())
        .filter_map(|parameter| match parameter {
            ast::TypeOrConstParam::Type(parameter) => Some((parameter.name()?, false)),
            ast::TypeOrConstParam::Const(parameter) => Some((parameter.name()?, true)),
        })
        .map(|(name, is_constant)| {
            (
                name.text().to_string(),
                is_constant,
                site.span(name.syntax()),
            )
        })
        .collect()
}
