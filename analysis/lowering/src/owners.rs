//! Generic types of the project: what their parameters stand for in a value, in a call of what is associated with them, and in
//! what a trait gives them (`S::Element`, `<L::Shape as Shapes>::Element`).
//!
//! A block of methods names the parameters of its type again: `impl<S> Scale<S>`. They are matched by their place in the block's
//! type. What only a trait's bound says of a parameter is not known here.

use std::sync::Arc;

use ra_ap_syntax::ast::{self, AstNode, HasGenericParams, HasName};

use crate::items::{self, ItemId, Namespace, Resolution, Span};
use crate::surface::{Argument, Turbofish, path_arguments, path_segments};

use super::bindings::{Binding, Owner};
use super::type_syntax::parameter_names;
use super::types::Type;
use super::{Generics, Interpreter, Site, Value};

/// Parts of a path of types that are followed: `A::Shape::Element`.
const PATH_LENGTH: usize = 8;

/// What the place where a value goes says of its type.
#[derive(Debug)]
pub(super) struct Expected {
    /// The path of the call that gives the value.
    call: Span,
    what: Expectation,
}

#[derive(Debug)]
enum Expectation {
    /// A struct of the project, and what its parameters stand for.
    Record(ItemId, Arc<[Binding]>),
    /// An array of that length.
    Array(u64),
}

impl Interpreter<'_> {
    /// The arguments of the type that a block of methods is for, as the block writes them.
    fn arguments_of_block(&mut self, block: ItemId) -> Vec<Argument> {
        let node = self.site(block).parsed.cast::<ast::Impl>();
        match node.and_then(|node| node.self_ty()) {
            Some(ast::Type::PathType(ty)) => ty
                .path()
                .map_or_else(Vec::new, |path| path_arguments(&path)),
            _ => Vec::new(),
        }
    }

    /// What the parameters of a block stand for where its type has these arguments.
    pub(super) fn bind_block(&mut self, block: ItemId, given: &[Binding]) -> Generics {
        let written = self.arguments_of_block(block);
        let mut generics = Generics::new();
        for (argument, binding) in written.iter().zip(given) {
            let names = argument.path().map(|path| path_segments(&path));
            if let Some([name]) = names.as_deref() {
                generics.insert(name.clone(), binding.clone());
            }
        }
        generics
    }

    /// What the parameters of `Self` stand for in a site.
    pub(super) fn self_arguments(&mut self, site: &Site, place: Span) -> Arc<[Binding]> {
        if let Some(Owner { arguments, .. }) = site
            .generics
            .get("Self")
            .and_then(|binding| binding.owner.clone())
        {
            return arguments;
        }
        let block = site.item.owner(self.db);
        let written = self.arguments_of_block(block);
        written
            .iter()
            .map(|argument| self.bind_argument(site, Some(argument), place))
            .collect()
    }

    /// What the parameters of the type stand for that a path names; nothing where it has none.
    pub(super) fn arguments_of_type(
        &mut self,
        site: &Site,
        path: &ast::Path,
        place: Span,
    ) -> Arc<[Binding]> {
        match path_segments(path).as_slice() {
            [name] if let Some(binding) = site.generics.get(name) => binding
                .owner
                .as_ref()
                .map_or_else(Arc::default, |owner| Arc::clone(&owner.arguments)),
            [name] if name == "Self" => self.self_arguments(site, place),
            _ => {
                let anchor = path.segment().and_then(|segment| segment.type_anchor());
                let ty = match anchor.and_then(|anchor| anchor.ty()) {
                    Some(ty) => self.read_type_at(site, &ty, place, 0),
                    None => self.read_path_type(site, path, place, 0),
                };
                match ty {
                    Type::Record(_, _, arguments) => arguments,
                    _ => Arc::default(),
                }
            }
        }
    }

    /// What the parameters of the block around a called function stand for: by the value that it is called on, by the type, or
    /// by the place where its result goes.
    pub(super) fn bound_by_type(
        &mut self,
        (block, caller): (ItemId, &Site),
        turbofish: Turbofish<'_>,
        receiver: Option<&Value>,
        call: Span,
    ) -> Generics {
        if let Some(Value::Named(named)) = receiver
            && !named.generics.is_empty()
        {
            let given = Arc::clone(&named.generics);
            return self.bind_block(block, &given);
        }
        let mut given = match turbofish.written {
            Some(path) => self.arguments_of_type(caller, path, call).to_vec(),
            None => Vec::new(),
        };
        if let Some(Expected {
            call: expected,
            what: Expectation::Record(item, arguments),
        }) = &self.own.expected
            && *expected == call
            && turbofish.owner == Some(*item)
        {
            let expected = Arc::clone(arguments);
            for (index, expected) in expected.iter().enumerate() {
                match given.get_mut(index) {
                    Some(given) if self.is_open(given) => *given = expected.clone(),
                    Some(_) => {}
                    None => given.push(expected.clone()),
                }
            }
        }
        if given.iter().all(|binding| self.is_open(binding)) {
            return Generics::new();
        }
        self.bind_block(block, &given)
    }

    /// Whether nothing is known of a parameter.
    pub(super) fn is_open(&self, binding: &Binding) -> bool {
        binding.owner.is_none()
            && binding.axis.is_none()
            && binding.context.is_none()
            && binding.constant.is_none()
            && self.own.draft.mappings.is_open(binding.mapping)
            && self.own.draft.scalars.is_open(binding.scalar)
    }

    /// A value goes where a type is expected: a call that makes it takes its parameters from there.
    pub(super) fn expect(&mut self, expression: &ast::Expr, ty: &Type) {
        let what = match ty {
            Type::Record(item, _, arguments) if !arguments.is_empty() => {
                Expectation::Record(*item, Arc::clone(arguments))
            }
            Type::Array(_, Some(length)) => Expectation::Array(*length),
            _ => return,
        };
        let ast::Expr::CallExpr(call) = expression else {
            return;
        };
        let Some(ast::Expr::PathExpr(callee)) = call.expr() else {
            return;
        };
        if let Some(path) = callee.path() {
            self.own.expected = Some(Expected {
                call: self.frame.site.span(path.syntax()),
                what,
            });
        }
    }

    /// The length of the array that is expected of the call at a place.
    pub(super) fn expected_length(&self, call: Span) -> Option<u64> {
        match &self.own.expected {
            Some(Expected {
                call: expected,
                what: Expectation::Array(length),
            }) if *expected == call => Some(*length),
            _ => None,
        }
    }

    /// What a path of types through generic parameters means: the type as it is written in its block, with the block's
    /// parameters bound. None where the path does not begin with a parameter that stands for a type of the project.
    pub(super) fn projected(
        &mut self,
        site: &Site,
        names: &[String],
        place: Span,
    ) -> Option<(Site, ast::Type)> {
        let (first, rest) = names.split_first()?;
        if rest.is_empty() || rest.len() > PATH_LENGTH {
            return None;
        }
        if let ("Self", [name]) = (first.as_str(), rest)
            && let Some(own) = self.type_of_own_block(site, name)
        {
            return Some(own);
        }
        let mut owner = match site.generics.get(first) {
            Some(binding) => binding.owner.clone()?,
            None if first == "Self" => self.own_type(site, place)?,
            None => return None,
        };
        for (index, name) in rest.iter().enumerate() {
            let item = items::associated_item(self.db, owner.item, name)?;
            let (inner, ty) = self.associated_type(item, &owner.arguments)?;
            if index + 1 == rest.len() {
                return Some((inner, ty));
            }
            let argument = Argument::Type(ty);
            owner = self.bind_argument(&inner, Some(&argument), place).owner?;
        }
        None
    }

    /// An associated type of the block around a site, whatever the block is for.
    fn type_of_own_block(&mut self, site: &Site, name: &str) -> Option<(Site, ast::Type)> {
        let item = items::in_block(self.db, site.item.owner(self.db), name)?;
        let mut inner = self.site(item);
        let ty = inner.parsed.cast::<ast::TypeAlias>()?.ty()?;
        inner.generics = std::rc::Rc::clone(&site.generics);
        Some((inner, ty))
    }

    /// The type of the block around a site, where it is generic.
    fn own_type(&mut self, site: &Site, place: Span) -> Option<Owner> {
        let block = site.item.owner(self.db);
        let inner = self.site(block);
        let node = inner.parsed.cast::<ast::Impl>()?;
        node.generic_param_list()?;
        let ast::Type::PathType(ty) = node.self_ty()? else {
            return None;
        };
        let path = ty.path()?;
        match inner.resolve_path(self.db, &path, Namespace::Type) {
            Resolution::Type(item) => Some(Owner {
                item,
                arguments: self.self_arguments(site, place),
            }),
            _ => None,
        }
    }

    /// An associated type as its block writes it.
    pub(super) fn associated_type(
        &mut self,
        item: ItemId,
        arguments: &[Binding],
    ) -> Option<(Site, ast::Type)> {
        let mut inner = self.site(item);
        let ty = inner.parsed.cast::<ast::TypeAlias>()?.ty()?;
        let generics = self.bind_block(item.owner(self.db), arguments);
        inner.generics = std::rc::Rc::new(generics);
        Some((inner, ty))
    }

    /// What the parameters of a struct stand for, by the values of its fields.
    pub(super) fn generics_of(
        &mut self,
        item: ItemId,
        fields: &[(String, Value, Span)],
        place: Span,
    ) -> Arc<[Binding]> {
        let inner = self.site(item);
        let Some(node) = inner.parsed.cast::<ast::Struct>() else {
            return Arc::default();
        };
        let Some(ast::FieldList::RecordFieldList(declared)) = node.field_list() else {
            return Arc::default();
        };
        let names = parameter_names(node.generic_param_list());
        let mut generics = Generics::new();
        for name in &names {
            let open = self.bind_argument(&inner, None, place);
            generics.insert(name.clone(), open);
        }
        for field in declared.fields() {
            let (Some(name), Some(ty)) = (field.name(), field.ty()) else {
                continue;
            };
            if let Some((_, value, _)) = fields.iter().find(|(known, ..)| *known == name.text()) {
                self.match_type(&inner, &mut generics, &ty, value, 0);
            }
        }
        names
            .iter()
            .filter_map(|name| generics.remove(name))
            .collect()
    }
}
