//! Paths and calls: functions of the project, constructors of tensors, names of the library, methods by receiver.

use ra_ap_syntax::ast::{self, AstNode, HasArgList};

use crate::hardware::ElementType;
use crate::items::{self, ConstValue, ItemId, Namespace, Resolution, Span};
use crate::kernel::catalogue::Role;
use crate::kernel::dialect::{Constructor, Method};
use crate::kernel::{Address, AddressValue, Tier, UnresolvedReason, Written};
use crate::mapping::Axis;

use super::Interpreter;
use super::arguments::{Argument, path_arguments};
use super::draft::{LaunchDraft, OriginDraft};
use super::site::{Site, segments};
use super::types::Type;
use super::values::{Named, Value};

/// Aliases of one name that are followed.
const ALIASES: usize = 16;

/// A call of a method.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) name: String,
    pub(super) name_span: Span,
    pub(super) turbofish: Vec<Argument>,
    pub(super) arguments: Vec<(Value, Span)>,
}

impl Call {
    /// The first argument of a role, with its place; none where the call does not have it.
    pub(super) fn given(&self, method: &Method, role: Role) -> Option<&(Value, Span)> {
        self.arguments.get(method.argument(role)?)
    }

    /// The value of the first argument of a role.
    pub(super) fn value_of(&self, method: &Method, role: Role) -> Value {
        self.given(method, role)
            .map_or(Value::Unknown, |(value, _)| value.clone())
    }

    /// The place of the first argument of a role, or the method's name where it is missing.
    pub(super) fn place_of(&self, method: &Method, role: Role) -> Span {
        self.given(method, role)
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

    /// The value of an argument.
    pub(super) fn argument(&self, index: usize) -> Value {
        self.arguments
            .get(index)
            .map_or(Value::Unknown, |(value, _)| value.clone())
    }

    /// The place of an argument, or the method's name where it is missing.
    pub(super) fn argument_span(&self, index: usize) -> Span {
        self.arguments
            .get(index)
            .map_or(self.name_span, |(_, span)| *span)
    }
}

impl Interpreter<'_> {
    /// The value of a path: a variable, a constant, a function, a name of the library.
    pub(super) fn path(&mut self, path: &ast::Path) -> Value {
        let names = segments(path);
        if let [name] = names.as_slice() {
            if let Some(value) = self.variable(name) {
                return match value {
                    Value::Declared(_) => Value::Unknown,
                    value => value.clone(),
                };
            }
            if let Some(constant) = self
                .frame
                .site
                .generics
                .get(name)
                .and_then(|binding| binding.constant.clone())
            {
                return Value::from_constant(constant);
            }
        }
        if names.last().is_some_and(|name| name == "SIZE")
            && let Some(size) = self.size_of(path)
        {
            return Value::integer(i128::from(size));
        }
        let site = self.frame.site.clone();
        match site.resolve_at(self.db, path, &names, Namespace::Value) {
            Resolution::Const(item) => self.constant_item(item),
            Resolution::Function(item) => Value::Function(item),
            // The library's own names have no value that a constant could have.
            Resolution::Prelude(known) if is_plain_name(&names) => {
                Value::named(self.library_path(path, names, Some(&known)))
            }
            _ => match self.constant(&path_expression(path)) {
                // `i32::MAX`, `f32::NEG_INFINITY`: a number of that type, known or not.
                value if number_owner(&names).is_some() => {
                    Value::Constant(value, number_owner(&names))
                }
                ConstValue::Unknown(_) if !names.is_empty() => {
                    Value::named(self.library_path(path, names, None))
                }
                value => Value::from_constant(value),
            },
        }
    }

    /// A path as the library has it, whatever imports and aliases make of it in this scope; `known` is what it resolves to.
    pub(super) fn library_path(
        &mut self,
        path: &ast::Path,
        written: Vec<String>,
        known: Option<&str>,
    ) -> Vec<String> {
        let own = |known: &str, last: Option<&String>| {
            let names = known.split("::").map(str::to_owned);
            names.chain(last.cloned()).collect()
        };
        match known {
            Some(known) if !known.is_empty() => own(known, None),
            Some(_) => written,
            // A variant through an alias of its enum.
            None => {
                let site = self.frame.site.clone();
                let alias = path.qualifier().map(|qualifier| {
                    let found = site.resolve(self.db, &qualifier, Namespace::Type);
                    self.behind_aliases(found)
                });
                match alias {
                    Some(Resolution::Prelude(known)) if !known.is_empty() => {
                        own(&known, written.last())
                    }
                    _ => written,
                }
            }
        }
    }

    /// What an alias of a path stands for, through other aliases.
    fn behind_aliases(&mut self, mut found: Resolution) -> Resolution {
        for _ in 0..ALIASES {
            let Resolution::Alias(alias) = found else {
                break;
            };
            let site = self.site(alias);
            let ty = match site.parsed.item() {
                Some(ast::Item::TypeAlias(alias)) => alias.ty(),
                _ => None,
            };
            let path = match ty {
                Some(ast::Type::PathType(ty)) => ty.path(),
                _ => None,
            };
            let Some(path) = path else {
                return Resolution::Alias(alias);
            };
            found = site.resolve(self.db, &path, Namespace::Type);
        }
        found
    }

    /// The value of a `const` or `static`: a number, or what its initializer names.
    pub(super) fn constant_item(&mut self, item: ItemId) -> Value {
        let value = items::const_value(self.db, item).clone();
        let site = self.site(item);
        let (initializer, ty) = match site.parsed.item() {
            Some(ast::Item::Const(node)) => (node.body(), node.ty()),
            Some(ast::Item::Static(node)) => (node.body(), node.ty()),
            _ => (None, None),
        };
        let known = Value::from_constant(value);
        let value = match (known, initializer) {
            (Value::Unknown, Some(initializer)) if !self.stack.contains(&item) => {
                self.stack.push(item);
                let value = self.at_site(&site, |interpreter| interpreter.expression(&initializer));
                self.stack.pop();
                value
            }
            (known, _) => known,
        };
        match ty {
            Some(ty) => {
                let ty = self.read_type(&site, &ty, self.here);
                self.typed(value, &ty)
            }
            None => value,
        }
    }

    /// `<m![A]>::SIZE`, `Alias::SIZE`, `Axis::SIZE`.
    fn size_of(&mut self, path: &ast::Path) -> Option<u64> {
        let site = self.frame.site.clone();
        let qualifier = path.qualifier()?;
        let slot = match qualifier
            .segment()
            .and_then(|segment| segment.type_anchor())
        {
            Some(anchor) => {
                let ty = anchor.ty()?;
                if let Some(axis) = self
                    .axis_of(&site, &Argument::Type(ty.clone()))
                    .and_then(|written| written.value)
                {
                    return Some(axis.size());
                }
                self.mapping_of_type(&site, &ty, None, 0)
            }
            None => match site.resolve(self.db, &qualifier, Namespace::Type) {
                Resolution::Axis(axis) => return axis.size,
                Resolution::Alias(alias) => self.alias_mapping(alias, None, 0),
                _ => {
                    let binding = site.generics.get(segments(&qualifier).first()?.as_str())?;
                    if let Some(axis) = &binding.axis {
                        return Some(axis.size());
                    }
                    binding.mapping
                }
            },
        };
        self.draft
            .mappings
            .value(slot)
            .map(crate::mapping::Mapping::size)
    }

    /// The axis that a generic argument names.
    pub(super) fn axis_of(&mut self, site: &Site, argument: &Argument) -> Option<Written<Axis>> {
        let path = argument.path()?;
        let span = site.span(path.syntax());
        if let Some(binding) = segments(&path)
            .first()
            .and_then(|name| site.type_parameter(name))
        {
            return Some(Written {
                value: binding.axis.clone(),
                ..Written::unknown(span)
            });
        }
        match site.resolve(self.db, &path, Namespace::Type) {
            Resolution::Axis(axis) => {
                let value = axis
                    .size
                    .and_then(|size| Axis::checked(&axis.name, size).ok());
                Some(Written {
                    value,
                    ..Written::unknown(span)
                })
            }
            _ => None,
        }
    }

    /// The constant that a generic argument names.
    pub(super) fn constant_of(&mut self, site: &Site, argument: &Argument) -> Option<ConstValue> {
        let value = match argument {
            Argument::Constant(expression) => {
                self.at_site(site, |interpreter| interpreter.expression(expression))
            }
            Argument::Type(ast::Type::PathType(ty)) => {
                let path = ty.path()?;
                match site.resolve(self.db, &path, Namespace::Value) {
                    Resolution::Const(item) => {
                        Value::from_constant(items::const_value(self.db, item).clone())
                    }
                    Resolution::Parameter(_) => {
                        self.at_site(site, |interpreter| interpreter.path(&path))
                    }
                    _ => return None,
                }
            }
            Argument::Type(_) => return None,
        };
        match value {
            Value::Constant(value @ (ConstValue::Int(_) | ConstValue::Bool(_)), _) => Some(value),
            _ => None,
        }
    }

    /// Looks at an expression that stands in another text than the function's: in an alias.
    fn at_site(&mut self, site: &Site, run: impl FnOnce(&mut Self) -> Value) -> Value {
        if site.item == self.frame.site.item {
            return run(self);
        }
        let own = std::mem::replace(&mut self.frame.site, site.clone());
        let variables = std::mem::take(&mut self.frame.variables);
        let value = run(self);
        self.frame.site = own;
        self.frame.variables = variables;
        value
    }

    /// A call of a path.
    pub(super) fn call(&mut self, call: &ast::CallExpr) -> Value {
        let Some(ast::Expr::PathExpr(callee)) = call.expr() else {
            if let Some(callee) = call.expr() {
                self.expression(&callee);
            }
            self.argument_values(call.arg_list());
            return Value::Unknown;
        };
        let Some(path) = callee.path() else {
            return Value::Unknown;
        };
        let span = self.frame.site.span(path.syntax());
        let arguments = self.argument_values(call.arg_list());
        if self.flow != super::Flow::Next {
            return Value::Unknown;
        }
        let names = segments(&path);
        if let [name] = names.as_slice() {
            match self.variable(name).cloned() {
                Some(Value::Function(function)) => {
                    return self.inline(function, &[], &arguments, span);
                }
                Some(Value::Closure(closure)) => return self.call_closure(&closure, &arguments),
                _ => {}
            }
        }
        let site = self.frame.site.clone();
        match site.resolve(self.db, &path, Namespace::Value) {
            Resolution::Function(function) => {
                self.inline(function, &path_arguments(&path), &arguments, span)
            }
            resolution => self.library_call(&path, &names, arguments, span, &resolution),
        }
    }

    fn library_call(
        &mut self,
        path: &ast::Path,
        names: &[String],
        arguments: Vec<(Value, Span)>,
        span: Span,
        resolution: &Resolution,
    ) -> Value {
        let known = match resolution {
            Resolution::Prelude(known) => Some(&**known),
            _ => None,
        };
        let names = &*self.library_path(path, names.to_vec(), known);
        let name = names.last().map_or("", String::as_str);
        let site = self.frame.site.clone();
        if let Some(qualifier) = path.qualifier() {
            let owner = match qualifier
                .segment()
                .and_then(|segment| segment.type_anchor())
                .and_then(|anchor| anchor.ty())
            {
                Some(ty) => self.read_type(&site, &ty, span),
                None => self.read_path_type(&site, &qualifier, span, 0),
            };
            let name_span = path
                .segment()
                .map_or(span, |segment| site.span(segment.syntax()));
            match owner {
                Type::Tensor(_) => return self.associated(&owner, name, &arguments, name_span),
                Type::Device => return Value::Device,
                Type::Array(..) => {
                    return arguments
                        .into_iter()
                        .next()
                        .map_or(Value::Array(Vec::new()), |(value, _)| value);
                }
                _ if is_list(names) => return Value::Array(Vec::new()),
                _ if self.is_container(names) => {
                    return arguments
                        .into_iter()
                        .next()
                        .map_or(Value::Array(Vec::new()), |(value, _)| value);
                }
                _ => {}
            }
        }
        if let Some(scalar) = number_owner(names) {
            // `bf16::from_f32(..)`, `f32::exp(..)`: a number of that type.
            return Value::Constant(ConstValue::Unknown("a computed number"), Some(scalar));
        }
        match name {
            _ if name == self.dialect.words.launch
                && (names.len() == 1 || !matches!(resolution, Resolution::Unknown { .. })) =>
            {
                self.launch(&arguments, span)
            }
            "drop" => {
                if let Some((Value::Tensor(id), _)) = arguments.first() {
                    self.draft.mark_moved(*id);
                }
                Value::Unit
            }
            _ => {
                let is_function =
                    name.starts_with(|first: char| first.is_lowercase() || first == '_');
                let is_library = matches!(resolution, Resolution::Prelude(_))
                    || names.len() > 1 && self.is_operand(names);
                if is_function
                    && !is_library
                    && arguments
                        .iter()
                        .any(|(value, _)| value.is_device_side() && !is_register(self, value))
                {
                    self.unresolved(UnresolvedReason::UnknownName(names.join("::")), span);
                    return Value::Unknown;
                }
                Value::Named(Box::new(Named {
                    path: names.to_vec(),
                    arguments,
                    fields: Vec::new(),
                }))
            }
        }
    }

    /// A constructor of operands, conditions or argument modes of the Vector Engine.
    fn is_operand(&self, names: &[String]) -> bool {
        let owner = names.iter().rev().nth(1).map_or("", String::as_str);
        self.dialect.words.operand_owners.contains(&owner)
    }

    fn is_container(&self, names: &[String]) -> bool {
        let words = self.dialect.words;
        matches!(names, [.., owner, name] if words.is_container(owner, name))
    }

    /// An associated function of a tensor type.
    fn associated(
        &mut self,
        owner: &Type,
        name: &str,
        arguments: &[(Value, Span)],
        span: Span,
    ) -> Value {
        let Type::Tensor(kind) = owner else {
            return Value::Unknown;
        };
        let kind = *kind;
        let constructor = self
            .dialect
            .associated
            .iter()
            .find(|function| function.name == name && function.tiers.contains(&kind.tier));
        match constructor.map(|function| function.constructor) {
            Some(Constructor::FromAddress) => {
                let address = self.address(arguments.first(), span);
                Value::Tensor(
                    self.draft
                        .add_tensor(kind, address, OriginDraft::FromAddress, span),
                )
            }
            Some(Constructor::Contents) => {
                let address = Address {
                    value: AddressValue::Unknown,
                    span,
                };
                Value::Tensor(
                    self.draft
                        .add_tensor(kind, address, OriginDraft::Parameter, span),
                )
            }
            None => {
                if arguments.iter().any(|(value, _)| value.is_device_side()) {
                    self.unresolved(UnresolvedReason::UnknownMethod(name.to_owned()), span);
                }
                Value::Unknown
            }
        }
    }

    /// `launch(kernel, arguments)`: the kernel's own body holds its operations; the arguments take its types.
    fn launch(&mut self, arguments: &[(Value, Span)], span: Span) -> Value {
        let [(Value::Function(kernel), _), given @ ..] = arguments else {
            return Value::Unknown;
        };
        let values = match given.first() {
            Some((Value::Tuple(values), _)) => values.clone(),
            Some((value, _)) => vec![value.clone()],
            None => Vec::new(),
        };
        let site = self.site(*kernel);
        let Some(node) = site.parsed.cast::<ast::Fn>() else {
            return Value::Unknown;
        };
        let parameters = node
            .param_list()
            .into_iter()
            .flat_map(|list| list.params().collect::<Vec<_>>());
        for (parameter, value) in parameters.zip(&values) {
            if let Some(ty) = parameter.ty() {
                let ty = self.read_type(&site, &ty, span);
                self.constrain(value, &ty);
            }
        }
        let tensors = values
            .iter()
            .filter_map(|value| match value {
                Value::Tensor(id) => Some(*id),
                _ => None,
            })
            .collect();
        let at = self.draft.tick();
        self.draft.launches.push(LaunchDraft { at, tensors, span });
        match node.ret_type().and_then(|result| result.ty()) {
            Some(ty) => {
                let ty = self.read_type(&site, &ty, span);
                self.value_of_type(&ty, span)
            }
            None => Value::Unit,
        }
    }

    /// An address argument.
    pub(super) fn address(&mut self, argument: Option<&(Value, Span)>, method: Span) -> Address {
        let Some((value, span)) = argument else {
            return Address {
                value: AddressValue::Unknown,
                span: method,
            };
        };
        let value = match value {
            Value::Constant(ConstValue::Int(bytes), _) => {
                u64::try_from(*bytes).map_or(AddressValue::Unknown, AddressValue::Bytes)
            }
            Value::Named(named) => match self.dialect.words.trf_region(named.name()) {
                Some(region) => AddressValue::Trf(region),
                None => AddressValue::Unknown,
            },
            _ => AddressValue::Unknown,
        };
        Address { value, span: *span }
    }
}

/// Whether a value is a tensor in a register file: constructors of operands take these.
fn is_register(interpreter: &Interpreter<'_>, value: &Value) -> bool {
    match value {
        Value::Tensor(id) => interpreter
            .draft
            .tensor(*id)
            .is_some_and(|tensor| tensor.kind.tier == Tier::Vrf),
        _ => false,
    }
}

/// Whether a path makes an empty list.
fn is_list(names: &[String]) -> bool {
    matches!(names, [.., owner, name] if owner == "Vec" && matches!(name.as_str(), "new" | "with_capacity"))
}

/// The element type that a path's last but one segment names: `f32::MAX`.
fn number_owner(names: &[String]) -> Option<ElementType> {
    match names {
        [.., owner, _] => ElementType::from_name(owner),
        _ => None,
    }
}

/// Whether a path is neither a size nor a limit of numbers.
fn is_plain_name(names: &[String]) -> bool {
    names.last().is_some_and(|name| name != "SIZE") && number_owner(names).is_none()
}

/// The expression that a path is.
fn path_expression(path: &ast::Path) -> ast::Expr {
    path.syntax()
        .parent()
        .and_then(ast::Expr::cast)
        .unwrap_or_else(|| {
            // A path outside of an expression has no value; an empty block stands for that.
            ast::Expr::BlockExpr(ra_ap_syntax::ast::make::expr_empty_block())
        })
}
