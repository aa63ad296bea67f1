//! What generic parameters stand for, by the values that meet the types that name them: in a parameter of a function, in a
//! field of a struct, and behind aliases of both.
//!
//! A parameter that is a whole argument of a function's type, `x: &Hbm<f32, E>`, is unified where the argument takes that type.
//! What is found here are those inside of a mapping, `m![Out, Hid]`, and all that a struct or an alias has.

use std::sync::Arc;

use ra_ap_syntax::ast::{self, AstNode, HasGenericParams};

use crate::items::{ItemId, Namespace, Resolution};
use crate::kernel::dialect::TypeParameter;
use crate::surface::{Argument, path_arguments, path_segments};

use super::bindings::{Binding, Owner};
use super::slots::{MappingSlot, ScalarSlot};
use super::type_syntax::parameter_names;
use super::{Generics, Interpreter, Site, Thing, Value};

/// Nesting of types and aliases that is followed.
const DEPTH: u32 = 16;

impl Interpreter<'_> {
    /// Binds generic parameters that a type names, as it is written at `site`, to what the value has there.
    pub(super) fn match_type(
        &mut self,
        site: &Site,
        generics: &mut Generics,
        ty: &ast::Type,
        value: &Value,
        depth: u32,
    ) {
        if depth > DEPTH {
            return;
        }
        match (ty, value) {
            (ast::Type::RefType(inner), _) => {
                if let Some(inner) = inner.ty() {
                    self.match_type(site, generics, &inner, value, depth + 1);
                }
            }
            (ast::Type::TupleType(tuple), Value::Tuple(values)) => {
                for (part, value) in tuple.fields().zip(values) {
                    self.match_type(site, generics, &part, value, depth + 1);
                }
            }
            (
                ast::Type::PathType(path),
                Value::Named(_)
                | Value::Thing(Thing::Tensor(_))
                | Value::Thing(Thing::Stream(_))
                | Value::Thing(Thing::Context(_)),
            ) => {
                if let Some(path) = path.path() {
                    self.match_path(site, generics, &path, value, depth);
                }
            }
            _ => {}
        }
    }

    fn match_path(
        &mut self,
        site: &Site,
        generics: &mut Generics,
        path: &ast::Path,
        value: &Value,
        depth: u32,
    ) {
        let names = path_segments(path);
        let is_parameter = matches!(names.as_slice(), [name] if generics.contains_key(name));
        if !is_parameter
            && let Resolution::Alias(alias) =
                site.resolve_at(self.db, path, &names, Namespace::Type)
        {
            self.match_alias(generics, alias, path, value, depth);
            return;
        }
        match value {
            Value::Named(named) => {
                if let Some(item) = named.item {
                    self.match_struct(generics, path, item, &named.generics);
                }
            }
            _ => self.match_entry(generics, path, value),
        }
    }

    /// Binds the parameters that the arguments of an alias name: what the alias stands for binds its own parameters first, and
    /// each of these is what its argument has to be.
    fn match_alias(
        &mut self,
        generics: &mut Generics,
        alias: ItemId,
        path: &ast::Path,
        value: &Value,
        depth: u32,
    ) {
        let inner = self.site(alias);
        let Some(node) = inner.parsed.cast::<ast::TypeAlias>() else {
            return;
        };
        let names = parameter_names(node.generic_param_list());
        let (false, Some(ty)) = (names.is_empty(), node.ty()) else {
            return;
        };
        if self.needs_itself(alias) {
            return;
        }
        let place = inner.span(ty.syntax());
        let mut own = Generics::new();
        for name in &names {
            let open = self.bind_argument(&inner, None, place);
            own.insert(name.clone(), open);
        }
        self.match_type(&inner, &mut own, &ty, value, depth + 1);
        for (name, argument) in names.iter().zip(path_arguments(path)) {
            if let Some(known) = own.remove(name) {
                self.match_argument(generics, &argument, &known);
            }
        }
    }

    /// Binds the parameters that an argument names, where it is known what the argument is.
    fn match_argument(&mut self, generics: &mut Generics, argument: &Argument, known: &Binding) {
        if let Argument::Type(ast::Type::MacroType(ty)) = argument {
            let mapping = self.own.draft.mappings.value(known.mapping).cloned();
            if let (Some(mapping), Some(call)) = (mapping, ty.macro_call()) {
                self.match_macro(generics, &call, &mapping);
            }
            return;
        }
        let name = argument.path().map(|path| path_segments(&path));
        if let Some([name]) = name.as_deref()
            && let Some(binding) = generics.get_mut(name)
            && self.is_open(binding)
        {
            let is_constant = binding.is_constant;
            *binding = Binding {
                is_constant,
                ..known.clone()
            };
        }
    }

    /// Binds parameters that stand for a struct of the project, or for parameters of one.
    fn match_struct(
        &mut self,
        generics: &mut Generics,
        path: &ast::Path,
        item: ItemId,
        known: &Arc<[Binding]>,
    ) {
        let names = path_segments(path);
        if let [name] = names.as_slice()
            && let Some(binding) = generics.get_mut(name)
        {
            binding.owner.get_or_insert_with(|| Owner {
                item,
                arguments: Arc::clone(known),
            });
            return;
        }
        if names
            .last()
            .is_none_or(|name| **name != *item.name(self.db))
        {
            return;
        }
        for (argument, known) in path_arguments(path).iter().zip(known.iter()) {
            self.match_argument(generics, argument, known);
        }
    }

    /// Binds parameters that the arguments of a type of the library name.
    fn match_entry(&mut self, generics: &mut Generics, path: &ast::Path, value: &Value) {
        let names = path_segments(path);
        let Some(entry) = names
            .last()
            .and_then(|name| self.own.dialect.type_entry(name))
        else {
            return;
        };
        for (parameter, argument) in entry.parameters.iter().zip(path_arguments(path)) {
            match parameter {
                TypeParameter::Level(level) => {
                    let slot = match value {
                        Value::Thing(Thing::Tensor(id)) => self
                            .own
                            .draft
                            .tensor(*id)
                            .and_then(|tensor| tensor.kind.levels.get(*level)),
                        Value::Thing(Thing::Stream(place)) => self
                            .own
                            .draft
                            .pass(*place)
                            .and_then(|pass| pass.shape().get(*level)),
                        _ => None,
                    };
                    if let Some(slot) = slot {
                        self.match_level(generics, &argument, slot);
                    }
                }
                TypeParameter::Scalar => {
                    let slot = match value {
                        Value::Thing(Thing::Tensor(id)) => {
                            self.own.draft.tensor(*id).map(|tensor| tensor.kind.scalar)
                        }
                        Value::Thing(Thing::Stream(place)) => {
                            self.own.draft.pass(*place).map(|pass| pass.shape().scalar)
                        }
                        _ => None,
                    };
                    if let Some(slot) = slot {
                        self.match_scalar(generics, &argument, slot);
                    }
                }
                TypeParameter::Context => {
                    let context = match value {
                        Value::Thing(Thing::Stream(place)) => {
                            self.own.draft.pass(*place).and_then(|pass| pass.context)
                        }
                        Value::Thing(Thing::Context(context)) => *context,
                        _ => None,
                    };
                    let name = argument.path().and_then(|path| path_segments(&path).pop());
                    if let Some(binding) = name.and_then(|name| generics.get_mut(&name)) {
                        binding.context = binding.context.or(context);
                    }
                }
                _ => {}
            }
        }
    }

    /// Binds the parameters that a mapping among the arguments names, or the one that it is.
    fn match_level(&mut self, generics: &mut Generics, argument: &Argument, slot: MappingSlot) {
        if let Argument::Type(ast::Type::MacroType(ty)) = argument {
            let known = self.own.draft.mappings.value(slot).cloned();
            if let (Some(known), Some(call)) = (known, ty.macro_call()) {
                self.match_macro(generics, &call, &known);
            }
            return;
        }
        let name = argument.path().map(|path| path_segments(&path));
        if let Some([name]) = name.as_deref()
            && let Some(binding) = generics.get(name)
            && self.own.draft.mappings.is_open(binding.mapping)
        {
            self.own.draft.mappings.unify(binding.mapping, slot);
        }
    }

    fn match_scalar(&mut self, generics: &mut Generics, argument: &Argument, slot: ScalarSlot) {
        let name = argument.path().map(|path| path_segments(&path));
        if let Some([name]) = name.as_deref()
            && let Some(binding) = generics.get(name)
            && self.own.draft.scalars.is_open(binding.scalar)
        {
            self.own.draft.scalars.unify(binding.scalar, slot);
        }
    }
}
