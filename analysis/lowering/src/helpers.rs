//! Calls of helpers: they are followed with the arguments that they are called with; and a body's own parameters.
//!
//! A helper has no meaning of its own: its mappings hold generic parameters, and its tensors are those of the caller. So its body is walked
//! again at each call, as if it were written there. A walk that enters a function a second time comes to an end only if something gets
//! smaller, a value or a type, and is given up otherwise. What a helper was lent goes back to the caller's places when it ends, and
//! tensors that it was given for good end with it: their bytes are free from then on.

use std::rc::Rc;
use std::sync::Arc;

use ra_ap_syntax::SyntaxKind;
use ra_ap_syntax::ast::{self, AstNode, HasGenericParams, HasName};

use crate::items::{self, ItemId, Span};
use crate::kernel::{TensorId, UnresolvedReason};
use crate::surface::{CALL_WEIGHT, Flow, Turbofish, path_segments};

use super::bindings::{Binding, Owner};
use super::types::Type;
use super::{CALL_DEPTH, Frame, Generics, Interpreter, Site, Thing, Value, Variables};
impl Interpreter<'_> {
    pub(super) fn own_body(&mut self, node: &ast::Fn) {
        let site = self.own_site(node);
        self.frame.site = site.clone();
        if node
            .param_list()
            .and_then(|list| list.self_param())
            .is_some()
        {
            let ty = self.self_type(&site, self.here);
            let value = self.value_of_type(&ty, self.here);
            self.frame.variables.push("self", value);
        }
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
            let value = self.note_parameter(&parameter, &ty, value);
            if let Some(pattern) = parameter.pat() {
                self.bind_pattern(&pattern, value);
            }
        }
        self.frame.result = self.result_type(&site, node, self.here);
        let value = self.function_value(node);
        self.escape_tensors(&value);
        self.note_results("result".to_owned(), &value);
    }

    /// The function's own site: its generic parameters stand for nothing known.
    fn own_site(&mut self, node: &ast::Fn) -> Site {
        let mut site = self.frame.site.clone();
        let mut generics = Generics::new();
        let around = self.block_parameters(&site);
        for (name, is_constant, span) in generic_parameters(&site, node).into_iter().chain(around) {
            let mapping = self
                .own
                .draft
                .mappings
                .failed(UnresolvedReason::GenericMapping, span);
            let scalar = self
                .own
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
                    owner: None,
                    constant: None,
                    is_constant,
                },
            );
        }
        site.generics = Rc::new(generics);
        site
    }

    /// The type that the `impl` block around a function is for.
    pub(super) fn self_type(&mut self, site: &Site, place: Span) -> Type {
        let mut block = self.site(site.item.owner(self.db));
        block.generics = Rc::clone(&site.generics);
        let ty = block
            .parsed
            .cast::<ast::Impl>()
            .and_then(|block| block.self_ty())
            // A block for `Self` is for no type, and would be read without end.
            .filter(|ty| !names_self(ty));
        ty.map_or(Type::Unknown, |ty| self.read_type(&block, &ty, place))
    }

    pub(super) fn result_type(&mut self, site: &Site, node: &ast::Fn, place: Span) -> Type {
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
        if let Some(tail) = block.stmt_list().and_then(|list| list.tail_expr()) {
            let result = self.frame.result.clone();
            self.expect(&tail, &result);
        }
        let tail = self.block(&block);
        for (span, operations) in self.exits.split_off(earlier.min(self.exits.len())) {
            if self.own.draft.operations.len() > operations {
                self.own.draft.undecided_exits.push(span);
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
    fn escape_tensors(&mut self, value: &Value) {
        match value {
            Value::Thing(Thing::Tensor(id)) => self.own.draft.escaping.push(*id),
            Value::Tuple(values) | Value::Array(values) => {
                for value in values {
                    self.escape_tensors(value);
                }
            }
            Value::Named(named) => {
                for value in named.part_values() {
                    self.escape_tensors(value);
                }
            }
            _ => {}
        }
    }

    /// Follows a call of a function of the project.
    pub(super) fn inline(
        &mut self,
        function: ItemId,
        turbofish: Turbofish<'_>,
        arguments: &[(Value, Span)],
        call: Span,
    ) -> Value {
        let quiet = self.quiet_key(function, turbofish, arguments);
        if let Some(call) = quiet.as_ref().filter(|_| !self.stack.contains(&function))
            && let Some(value) = self.repeat_quiet(call)
        {
            return value;
        }
        let before = quiet.is_some().then(|| self.mark());
        let value = self.follow_call(function, turbofish, arguments, call);
        if let (Some(call), Some(before)) = (quiet, before) {
            self.remember_quiet(call, &before, &value);
        }
        value
    }

    fn follow_call(
        &mut self,
        function: ItemId,
        turbofish: Turbofish<'_>,
        arguments: &[(Value, Span)],
        call: Span,
    ) -> Value {
        let site = self.site(function);
        let Some(node) = site.parsed.cast::<ast::Fn>() else {
            return Value::Unknown;
        };
        if let Some(value) = self.left_to_host((function, &site), arguments, call) {
            return value;
        }
        let is_method = node
            .param_list()
            .and_then(|list| list.self_param())
            .is_some();
        let (receiver, arguments) = match arguments.split_first() {
            Some(((receiver, _), rest)) if is_method => (Some(receiver.clone()), rest),
            _ => (None, arguments),
        };
        let site = self.called_site(site, &node, turbofish, (receiver.as_ref(), arguments), call);
        let (values, owned) = self.take_parameters(&site, &node, arguments);
        let result = self.result_type(&site, &node, call);
        let ends =
            self.is_part_of_self(receiver.as_ref()) || self.is_of_parameter(turbofish.written);
        let recursion = self.stack.contains(&function) && !ends;
        self.own.quiet.recursions += u64::from(recursion);
        if recursion || self.stack.len() >= CALL_DEPTH {
            if result.is_device_side() || arguments.iter().any(|(value, _)| value.is_device_side())
            {
                let reason = if recursion {
                    UnresolvedReason::Recursion
                } else {
                    UnresolvedReason::TooDeep("helpers")
                };
                self.unresolved(reason, call);
            }
            return self.value_of_type(&result, call);
        }
        self.expressions = self.expressions.saturating_add(CALL_WEIGHT);
        match self.own.calls_left.checked_sub(1) {
            Some(left) => self.own.calls_left = left,
            None => {
                self.exhausted = true;
                return self.value_of_type(&result, call);
            }
        }
        let frame = Frame {
            site,
            variables: Variables::default(),
            result,
            returned: None,
        };
        let caller = std::mem::replace(&mut self.frame, frame);
        self.stack.push(function);
        self.calls.push(call);
        if let Some(receiver) = receiver {
            self.frame.variables.push("self", receiver);
        }
        for (pattern, value) in values {
            self.bind_pattern(&pattern, value);
        }
        let value = self.function_value(&node);
        self.lent = self.left_in_places(&node);
        self.calls.pop();
        self.stack.pop();
        self.frame = caller;
        self.drop_owned(&owned, &value);
        value
    }

    /// Whether a method is called on a part of what the caller's is called on: that comes to an end.
    fn is_part_of_self(&self, receiver: Option<&Value>) -> bool {
        fn size(value: &Value) -> usize {
            match value {
                Value::Named(named) => 1 + named.part_values().map(size).sum::<usize>(),
                Value::Array(parts) | Value::Tuple(parts) => {
                    1 + parts.iter().map(size).sum::<usize>()
                }
                _ => 1,
            }
        }
        match (receiver, self.variable("self")) {
            (Some(part @ Value::Named(_)), Some(whole @ Value::Named(_))) => {
                size(part) < size(whole)
            }
            _ => false,
        }
    }

    /// Whether a function is called on a type that a generic parameter of the caller stands for, a part of the caller's own type in
    /// `Then<A, B>`: that comes to an end with the type.
    fn is_of_parameter(&self, owner: Option<&ast::Path>) -> bool {
        let site = &self.frame.site;
        owner.is_some_and(|owner| match path_segments(owner).as_slice() {
            [name] => name != "Self" && site.owner(name).is_some(),
            _ => false,
        })
    }

    /// What the function of the frame leaves in the places that it was lent.
    fn left_in_places(&self, node: &ast::Fn) -> Vec<(usize, Value)> {
        let Some(list) = node.param_list() else {
            return Vec::new();
        };
        let mut left = Vec::new();
        let receiver = list.self_param();
        let first = usize::from(receiver.is_some());
        let is_lent = receiver.is_some_and(|receiver| receiver.mut_token().is_some());
        if is_lent && let Some(value) = self.variable("self").filter(|value| can_be_replaced(value))
        {
            left.push((0, value.clone()));
        }
        for (index, parameter) in list.params().enumerate() {
            let (Some(ast::Pat::IdentPat(name)), Some(ast::Type::RefType(ty))) =
                (parameter.pat(), parameter.ty())
            else {
                continue;
            };
            let value = name.name().and_then(|name| self.variable(name.text()));
            if ty.mut_token().is_some()
                && let Some(value) = value.filter(|value| can_be_replaced(value))
            {
                left.push((index + first, value.clone()));
            }
        }
        left
    }

    /// The site of a called function: its generic parameters bound by the turbofish and by the arguments' types.
    fn called_site(
        &mut self,
        mut site: Site,
        node: &ast::Fn,
        turbofish: Turbofish<'_>,
        (receiver, arguments): (Option<&Value>, &[(Value, Span)]),
        call: Span,
    ) -> Site {
        let names = generic_parameters(&site, node);
        let around = self.block_parameters(&site);
        let block = site.item.owner(self.db);
        let is_of_trait = items::is_trait(self.db, block);
        if names.is_empty() && around.is_empty() && !is_of_trait {
            return site;
        }
        let mut generics = Generics::new();
        let caller = self.frame.site.clone();
        if is_of_trait {
            let binding = Binding {
                owner: turbofish.owner.map(|item| Owner {
                    item,
                    arguments: match (receiver, turbofish.written) {
                        (Some(Value::Named(named)), _) => Arc::clone(&named.generics),
                        (_, Some(path)) => self.arguments_of_type(&caller, path, call),
                        _ => Arc::default(),
                    },
                }),
                ..self.bind_argument(&caller, None, call)
            };
            generics.insert("Self".to_owned(), binding);
        }
        let own = names.len();
        let by_type = if around.is_empty() || is_of_trait {
            Generics::new()
        } else {
            self.bound_by_type((block, &caller), turbofish, receiver, call)
        };
        for (index, (name, is_constant, _)) in names.into_iter().chain(around).enumerate() {
            let argument = match index.checked_sub(own) {
                None => turbofish.own.get(index),
                Some(around) => turbofish.of_type.get(around),
            };
            // What is called in its own block has the parameters of the block.
            let inherited = caller.generics.get(&name).filter(|_| {
                index >= own && argument.is_none() && caller.item.parent(self.db) == Some(block)
            });
            let known = by_type.get(&name).filter(|_| index >= own);
            let mut binding = match known.or(inherited) {
                Some(known) => known.clone(),
                None => self.bind_argument(&caller, argument, call),
            };
            binding.is_constant = is_constant;
            generics.insert(name, binding);
        }
        let parameters = node
            .param_list()
            .into_iter()
            .flat_map(|list| list.params().collect::<Vec<_>>());
        for (parameter, (value, _)) in parameters.zip(arguments) {
            if let Some(ty) = parameter.ty() {
                self.match_type(&site, &mut generics, &ty, value, 0);
            }
        }
        site.generics = Rc::new(generics);
        site
    }

    /// The generic parameters of the `impl` block around a function.
    fn block_parameters(&mut self, site: &Site) -> Vec<(String, bool, Span)> {
        let owner = site.item.owner(self.db);
        if owner == site.item {
            return Vec::new();
        }
        let block = self.site(owner);
        if let Some(node) = block.parsed.cast::<ast::Trait>() {
            return generic_parameters(&block, &node);
        }
        let node = block.parsed.cast::<ast::Impl>();
        node.map_or_else(Vec::new, |node| generic_parameters(&block, &node))
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
            if let (Value::Thing(Thing::Tensor(id)), Some(ast::Type::PathType(_))) =
                (&value, parameter.ty())
            {
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
            if !self.holds_tensor(result, *id) {
                self.own.draft.mark_moved(*id);
            }
        }
    }

    fn holds_tensor(&self, value: &Value, id: TensorId) -> bool {
        match value {
            Value::Thing(Thing::Tensor(other)) => {
                *other == id || self.own.draft.base_tensor(*other) == id
            }
            Value::Tuple(values) | Value::Array(values) => {
                values.iter().any(|value| self.holds_tensor(value, id))
            }
            Value::Named(named) => named
                .part_values()
                .any(|value| self.holds_tensor(value, id)),
            _ => false,
        }
    }
}

/// Whether a type names `Self`.
fn names_self(ty: &ast::Type) -> bool {
    let mut parts = ty.syntax().descendants_with_tokens();
    parts.any(|part| part.kind() == SyntaxKind::SELF_TYPE_KW)
}

/// Whether a function has type or constant parameters.
pub(super) fn is_generic(node: &ast::Fn) -> bool {
    let list = node.generic_param_list();
    list.is_some_and(|list| list.type_or_const_params().next().is_some())
}

/// The generic type and constant parameters of a function or block, whether each is a constant, and their places.
fn generic_parameters(site: &Site, node: &impl HasGenericParams) -> Vec<(String, bool, Span)> {
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

/// Whether something else may be in a place that was lent: contexts are what they are.
fn can_be_replaced(value: &Value) -> bool {
    !matches!(
        value,
        Value::Unknown | Value::Thing(Thing::Device) | Value::Thing(Thing::Context(_))
    )
}
