//! Paths and calls: variables, constants and functions of the project; what is none of them is the elaboration's.

use ra_ap_syntax::ast::{self, AstNode, HasArgList};

use crate::items::{self, ConstValue, Float, ItemId, Namespace, Resolution, Span};

use super::arguments::{Argument, Turbofish, path_arguments};
use super::site::{Bound, Site, only_segment, path_segments};
use super::values::Value;
use super::{Elaborate, Flow, Placed, Walker};

/// Aliases of one name that are followed.
const ALIASES: usize = 16;

/// A call of a method.
#[derive(Debug, Clone)]
pub(crate) struct Call<L: Elaborate> {
    pub(crate) name: String,
    pub(crate) name_span: Span,
    pub(crate) turbofish: Vec<Argument>,
    pub(crate) arguments: Vec<Placed<L>>,
}

impl<L: Elaborate> Call<L> {
    /// The value of an argument.
    pub(crate) fn argument(&self, index: usize) -> Value<L> {
        self.arguments
            .get(index)
            .map_or(Value::Unknown, |(value, _)| value.clone())
    }

    /// The place of an argument, or the method's name where it is missing.
    pub(crate) fn argument_span(&self, index: usize) -> Span {
        self.arguments
            .get(index)
            .map_or(self.name_span, |(_, span)| *span)
    }
}

impl<L: Elaborate> Walker<'_, L> {
    /// The value of a path: a variable, a constant, a function, a name of the library.
    pub(crate) fn path(&mut self, path: &ast::Path) -> Value<L> {
        if let Some(name) = only_segment(path)
            && let Some(value) = self.variable(name)
        {
            return match value {
                Value::Declared(_) => Value::Unknown,
                value => value.clone(),
            };
        }
        let names = path_segments(path);
        if let [name] = names.as_slice()
            && let Some(constant) = self
                .frame
                .site
                .generics
                .get(name)
                .and_then(|binding| binding.constant().cloned())
        {
            return Value::from_constant(constant);
        }
        if let [owner, name] = names.as_slice()
            && name != "SIZE"
            && self.frame.site.type_parameter(owner).is_some()
            && self.frame.site.owner(owner).is_none()
        {
            // What a trait gives a parameter: some number.
            return Value::Constant(ConstValue::Unknown("an associated constant"), None);
        }
        if names.last().is_some_and(|name| name == "SIZE")
            && let Some(size) = L::size_of(self, path)
        {
            return Value::integer(i128::from(size));
        }
        let site = self.frame.site.clone();
        match site.resolve_at(self.db, path, &names, Namespace::Value) {
            Resolution::Const(item) => self.constant_item(item),
            Resolution::Function(item) => Value::Function(item),
            // The library's own names have no value that a constant could have.
            Resolution::Prelude(known) if is_plain_name::<L>(&names) => {
                Value::named(self.library_path(path, names, Some(&known)))
            }
            _ => match self.constant(&path_expression(path)) {
                // `i32::MAX`, `f32::NEG_INFINITY`: a number of that type, known or not.
                value if number_owner::<L>(&names).is_some() => {
                    let value = Float::named(&names).map_or(value, ConstValue::Float);
                    Value::Constant(value, number_owner::<L>(&names))
                }
                ConstValue::Unknown(_) if let Some(float) = Float::named(&names) => {
                    Value::Constant(ConstValue::Float(float), Some(L::FLOAT))
                }
                ConstValue::Unknown(_) if !names.is_empty() => {
                    // A struct without fields is a value of its type, and so is a variant.
                    let item = match site.resolve_at(self.db, path, &names, Namespace::Type) {
                        Resolution::Type(item) => Some(item),
                        _ => self.enum_of(path),
                    };
                    let mut value = Value::named(self.library_path(path, names, None));
                    if let Value::Named(named) = &mut value {
                        named.item = item;
                    }
                    value
                }
                value => Value::from_constant(value),
            },
        }
    }

    /// The enum of the project that a path names a variant of.
    pub(crate) fn enum_of(&mut self, path: &ast::Path) -> Option<ItemId> {
        let site = self.frame.site.clone();
        let found = match path.qualifier() {
            Some(owner) => site.resolve_path(self.db, &owner, Namespace::Type),
            None => site.resolve_path(self.db, path, Namespace::Value),
        };
        match self.behind_aliases(found) {
            Resolution::Type(item) if !items::is_trait(self.db, item) => Some(item),
            _ => None,
        }
    }

    /// A path as the library has it, whatever imports and aliases make of it in this scope; `known` is what it resolves to.
    pub(crate) fn library_path(
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
                    let found = site.resolve_path(self.db, &qualifier, Namespace::Type);
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
            found = site.resolve_path(self.db, &path, Namespace::Type);
        }
        found
    }

    /// The value of a `const` or `static`: a number, or what its initializer names.
    pub(crate) fn constant_item(&mut self, item: ItemId) -> Value<L> {
        let value = items::const_value(self.db, item).clone();
        let site = self.site(item);
        let (initializer, ty) = match site.parsed.item() {
            Some(ast::Item::Const(node)) => (node.body(), node.ty()),
            Some(ast::Item::Static(node)) => (node.body(), node.ty()),
            _ => (None, None),
        };
        let known = Value::from_constant(value);
        let value = match (known, initializer) {
            // Numbers that are not computed have a type in the text.
            (known, Some(initializer)) if has_unknown(&known) && !self.stack.contains(&item) => {
                self.stack.push(item);
                let value = self.at_site(&site, |interpreter| interpreter.expression(&initializer));
                self.stack.pop();
                value
            }
            (known, _) => known,
        };
        match ty {
            Some(ty) => {
                let here = self.here;
                let ty = L::read_type(self, &site, &ty, here);
                self.typed(value, &ty)
            }
            None => value,
        }
    }

    /// Looks at an expression that is in another text than the function's: in an alias.
    pub(crate) fn at_site(
        &mut self,
        site: &Site<L>,
        run: impl FnOnce(&mut Self) -> Value<L>,
    ) -> Value<L> {
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
    pub(crate) fn call(&mut self, call: &ast::CallExpr) -> Value<L> {
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
        if self.flow != Flow::Next {
            return Value::Unknown;
        }
        let names = path_segments(&path);
        if let [name] = names.as_slice() {
            match self.variable(name).cloned() {
                Some(Value::Function(function)) => {
                    return L::inline(self, function, Turbofish::default(), &arguments, span);
                }
                Some(Value::Closure(closure)) => return self.call_closure(&closure, &arguments),
                _ => {}
            }
        }
        let site = self.frame.site.clone();
        match site.resolve_at(self.db, &path, &names, Namespace::Value) {
            Resolution::Function(function) => {
                let owner = path.qualifier();
                let own = path_arguments(&path);
                let of_type = owner.as_ref().map(path_arguments).unwrap_or_default();
                let turbofish = Turbofish {
                    own: &own,
                    of_type: &of_type,
                    owner: owner.as_ref().and_then(|owner| self.type_called_on(owner)),
                    written: owner.as_ref(),
                };
                self.lent.clear();
                let value = L::inline(self, function, turbofish, &arguments, span);
                if !self.lent.is_empty() {
                    self.take_back(&call_arguments(call));
                }
                value
            }
            _ if let Some(moved) = self.moved_places(&names, &arguments, call) => moved,
            _ if let Some(length) = self.length_from_fn(&path, &names, span)
                && let Some((Value::Closure(closure), _)) = arguments.first() =>
            {
                self.array_from_fn(closure, length)
            }
            resolution => L::call(self, (&path, span), &names, arguments, &resolution),
        }
    }
}

impl<L: Elaborate> Walker<'_, L> {
    /// Rust's `swap`, `replace` and `take` of two places.
    fn moved_places(
        &mut self,
        names: &[String],
        arguments: &[Placed<L>],
        call: &ast::CallExpr,
    ) -> Option<Value<L>> {
        let [.., owner, name] = names else {
            return None;
        };
        if owner != "mem" {
            return None;
        }
        match (name.as_str(), arguments, call_arguments(call).as_slice()) {
            ("swap", [(first, _), (second, _)], [here, there]) => {
                self.assign_to(here, second.clone());
                self.assign_to(there, first.clone());
                Some(Value::Unit)
            }
            ("replace", [(before, _), (value, _)], [here, _]) => {
                self.assign_to(here, value.clone());
                Some(before.clone())
            }
            _ => None,
        }
    }

    /// The length of the array that a call of `array::from_fn` makes, by its own argument or by where the array goes.
    fn length_from_fn(&mut self, path: &ast::Path, names: &[String], span: Span) -> Option<u64> {
        let [.., module, name] = names else {
            return None;
        };
        if module != "array" || name != "from_fn" {
            return None;
        }
        let site = self.frame.site.clone();
        let written = path_arguments(path);
        let own = written.get(1).filter(|length| !length.is_placeholder());
        match own {
            Some(length) => L::constant_of(self, &site, length)?.as_u64(),
            None => L::expected_length(self, span),
        }
    }

    /// The type of the project that an associated function is called on.
    fn type_called_on(&mut self, owner: &ast::Path) -> Option<ItemId> {
        let names = path_segments(owner);
        let site = self.frame.site.clone();
        if let [name] = names.as_slice()
            && let Some(owner) = site.owner(name)
        {
            return Some(owner);
        }
        let found = site.resolve_at(self.db, owner, &names, Namespace::Type);
        match self.behind_aliases(found) {
            Resolution::Type(item) if !items::is_trait(self.db, item) => Some(item),
            _ => None,
        }
    }
}

/// The expressions that a call is given.
fn call_arguments(call: &ast::CallExpr) -> Vec<ast::Expr> {
    let list = call.arg_list().into_iter();
    list.flat_map(|list| list.args().collect::<Vec<_>>())
        .collect()
}

/// Whether a path is neither a size nor a limit of numbers.
fn is_plain_name<L: Elaborate>(names: &[String]) -> bool {
    names.last().is_some_and(|name| name != "SIZE") && number_owner::<L>(names).is_none()
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

/// The scalar type that a path's last but one segment names: `f32::MAX`.
fn number_owner<L: Elaborate>(names: &[String]) -> Option<L::Scalar> {
    match names {
        [.., owner, module, _] if module == "consts" => L::scalar_named(owner),
        [.., owner, _] => L::scalar_named(owner),
        _ => None,
    }
}

/// Whether a part of a constant is not known.
fn has_unknown<L: Elaborate>(value: &Value<L>) -> bool {
    match value {
        Value::Unknown => true,
        Value::Array(parts) | Value::Tuple(parts) => parts.iter().any(has_unknown),
        _ => false,
    }
}
