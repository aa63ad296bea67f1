//! Types as written: aliases, tensors, streams, contexts, with their mapping arguments.
//!
//! Two limits keep this finite. Aliases that double, each naming the one before it twice, grow as a power of two: each alias
//! read spends a part of the body's budget. An alias that needs itself with larger arguments, `type A<X> = A<A<X>>`, would
//! never end: it is found by walking names before anything is bound. A type without open slots is read once a body, since each
//! call of a helper asks for the same parameter types again.

use std::rc::Rc;

use ra_ap_syntax::SyntaxKind;
use ra_ap_syntax::ast::{self, AstNode, HasGenericParams, HasName};
use rustc_hash::FxHashSet;

use crate::items::{ItemId, Namespace, Resolution, Span};
use crate::kernel::dialect::{TypeEntry, TypeParameter, TypeShape};
use crate::kernel::{Context, Level, Position, Way};
use crate::surface::{Argument, path_arguments, path_segments};
use crate::syntax::child_of;

use super::bindings::{Binding, Owner};
use super::draft::levels_of;
use super::markers::{context_of, number_type};
use super::slots::{MappingSlot, ScalarSlot};
use super::types::{ShapeSlots, TensorType, Type};
use super::{Generics, Interpreter, Site};

/// Nesting of types and aliases that is followed.
pub(super) const DEPTH: u32 = 32;

impl Interpreter<'_> {
    /// The type as written. Arguments that are left out or `_` become open slots named after `place`.
    ///
    /// Where no generic parameter changes what is written, and nothing in it is left to be inferred, it is read once a body:
    /// each call of a helper asks for the types of its parameters and of its result. What annotates something is read once
    /// for all bodies.
    pub(super) fn read_type(&mut self, site: &Site, ty: &ast::Type, place: Span) -> Type {
        let written = site.span(ty.syntax());
        if let Some(known) = self.own.types.get(&written) {
            return known.clone();
        }
        if let Some(known) = self.plain_type(site, written) {
            self.own.types.insert(written, known.clone());
            return known;
        }
        let read = self.read_type_at(site, ty, place, 0);
        if site.generics.is_empty() && self.is_filled(&read) {
            self.own.types.insert(written, read.clone());
        }
        read
    }

    /// Whether nothing in a type is unknown or left to be inferred.
    pub(super) fn is_filled(&self, ty: &Type) -> bool {
        let draft = &self.own.draft;
        let scalar = |slot: ScalarSlot| !draft.scalars.is_open(slot);
        let mapping = |slot: MappingSlot| !draft.mappings.is_open(slot);
        match ty {
            Type::Unknown => false,
            Type::Unit | Type::Number(_) | Type::Device | Type::RunTimeValue | Type::Context(_) => {
                true
            }
            Type::Tensor(tensor) => scalar(tensor.scalar) && tensor.levels.all_slots().all(mapping),
            Type::Stream { shape, .. } => scalar(shape.scalar) && shape.all_slots().all(mapping),
            Type::Tuple(parts) => parts.iter().all(|part| self.is_filled(part)),
            Type::Record(_, fields, _) => fields.iter().all(|(_, field)| self.is_filled(field)),
            Type::Array(inner, _) => self.is_filled(inner),
        }
    }

    pub(super) fn read_type_at(
        &mut self,
        site: &Site,
        ty: &ast::Type,
        place: Span,
        depth: u32,
    ) -> Type {
        if depth > DEPTH {
            return Type::Unknown;
        }
        match ty {
            ast::Type::RefType(inner) => self.read_inner(site, inner.ty(), place, depth),
            ast::Type::ParenType(inner) => self.read_inner(site, inner.ty(), place, depth),
            ast::Type::ArrayType(inner) => {
                let length = inner.const_arg().and_then(|argument| argument.expr());
                let length = length
                    .and_then(|length| self.constant_of(site, &Argument::Constant(length)))
                    .and_then(|length| length.as_u64());
                let inner = self.read_inner(site, inner.ty(), place, depth);
                Type::Array(Box::new(inner), length)
            }
            ast::Type::SliceType(inner) => {
                let inner = self.read_inner(site, inner.ty(), place, depth);
                Type::Array(Box::new(inner), None)
            }
            ast::Type::TupleType(tuple) => {
                let parts: Vec<Type> = tuple
                    .fields()
                    .map(|part| self.read_type_at(site, &part, place, depth + 1))
                    .collect();
                if parts.is_empty() {
                    Type::Unit
                } else {
                    Type::Tuple(parts)
                }
            }
            ast::Type::PathType(path) => match child_of(path.syntax()) {
                Some(path) => self.read_path_type(site, &path, place, depth),
                None => Type::Unknown,
            },
            _ => Type::Unknown,
        }
    }

    fn read_inner(&mut self, site: &Site, ty: Option<ast::Type>, place: Span, depth: u32) -> Type {
        ty.map_or(Type::Unknown, |ty| {
            self.read_type_at(site, &ty, place, depth + 1)
        })
    }

    /// The type that a path names, with the arguments of its last segment.
    pub(super) fn read_path_type(
        &mut self,
        site: &Site,
        path: &ast::Path,
        place: Span,
        depth: u32,
    ) -> Type {
        let names = path_segments(path);
        let Some(name) = names.last() else {
            return Type::Unknown;
        };
        if let Some((inner, ty)) = self.projected(site, &names, place) {
            return self.read_type_at(&inner, &ty, place, depth + 1);
        }
        if names.len() == 1 && name == "Self" && arguments_of_block_are_bound(site) {
            return self.self_type(site, place);
        }
        let arguments = path_arguments(path);
        match site.resolve_at(self.db, path, &names, Namespace::Type) {
            Resolution::Alias(alias) => {
                let Some((inner, ty)) = self.alias_site(site, alias, &arguments, place) else {
                    return Type::Unknown;
                };
                self.read_type_at(&inner, &ty, place, depth + 1)
            }
            Resolution::Type(item) => self.read_struct(site, item, &arguments, place, depth),
            Resolution::Parameter(_) | Resolution::Axis(_) | Resolution::Module(_) => Type::Unknown,
            // A block of methods for a type of the library: `impl Gate for Hidden`.
            _ if names.len() == 1 && name == "Self" => self.self_type(site, place),
            _ => match self.type_of_any_library(name) {
                Some(entry) => self.read_entry(site, entry, &arguments, place, depth),
                None => number_type(name, self.own.dialect.words),
            },
        }
    }

    /// A struct of the project, its fields by name or number, its parameters bound to arguments.
    fn read_struct(
        &mut self,
        site: &Site,
        item: ItemId,
        arguments: &[Argument],
        place: Span,
        depth: u32,
    ) -> Type {
        // A struct may hold references to itself.
        if self.stack.contains(&item) || !self.spend() || depth >= DEPTH / 4 {
            return Type::Unknown;
        }
        let mut inner = self.site(item);
        let Some(node) = inner.parsed.cast::<ast::Struct>() else {
            return Type::Unknown;
        };
        let declared: Vec<(String, ast::Type)> = match node.field_list() {
            Some(ast::FieldList::RecordFieldList(list)) => list
                .fields()
                .filter_map(|field| Some((field.name()?.text().to_string(), field.ty()?)))
                .collect(),
            Some(ast::FieldList::TupleFieldList(list)) => (0_usize..)
                .zip(list.fields())
                .filter_map(|(index, field)| Some((index.to_string(), field.ty()?)))
                .collect(),
            None => Vec::new(),
        };
        self.bind_parameters(
            site,
            &mut inner,
            node.generic_param_list(),
            arguments,
            place,
        );
        let names = parameter_names(node.generic_param_list());
        let generics = names.iter().filter_map(|name| inner.generics.get(name));
        let generics = generics.cloned().collect();
        self.stack.push(item);
        let fields = declared
            .into_iter()
            .map(|(name, ty)| (name, self.read_type_at(&inner, &ty, place, depth + 1)))
            .collect();
        self.stack.pop();
        Type::Record(item, fields, generics)
    }

    /// The site of an alias with its parameters bound to arguments, and the type it stands for.
    pub(super) fn alias_site(
        &mut self,
        site: &Site,
        alias: ItemId,
        arguments: &[Argument],
        place: Span,
    ) -> Option<(Site, ast::Type)> {
        // An alias may name the one before it several times, and so on.
        if !self.spend() {
            return None;
        }
        let mut inner = self.site(alias);
        let item = inner.parsed.cast::<ast::TypeAlias>()?;
        let ty = item.ty()?;
        if item.generic_param_list().is_some() && self.needs_itself(alias) {
            return None;
        }
        self.bind_parameters(
            site,
            &mut inner,
            item.generic_param_list(),
            arguments,
            place,
        );
        Some((inner, ty))
    }

    /// Whether an alias stands for a type that is written with it, `type A<X> = A<A<X>>`, alone or by way of other aliases.
    pub(super) fn needs_itself(&mut self, alias: ItemId) -> bool {
        if let Some(known) = self.own.cyclic.get(&alias) {
            return *known;
        }
        let (mut seen, mut next) = (FxHashSet::default(), vec![alias]);
        while let Some(current) = next.pop() {
            for used in self.aliases_in(current) {
                if seen.insert(used) {
                    next.push(used);
                }
            }
        }
        let needs = seen.contains(&alias);
        self.own.cyclic.insert(alias, needs);
        needs
    }

    /// The aliases that an alias is written with.
    fn aliases_in(&mut self, alias: ItemId) -> Vec<ItemId> {
        let site = self.site(alias);
        let Some(ty) = site
            .parsed
            .cast::<ast::TypeAlias>()
            .and_then(|item| item.ty())
        else {
            return Vec::new();
        };
        let paths = ty.syntax().descendants().filter_map(ast::PathType::cast);
        paths
            .filter_map(|ty| ty.path())
            .filter_map(
                |path| match site.resolve_path(self.db, &path, Namespace::Type) {
                    Resolution::Alias(used) => Some(used),
                    _ => None,
                },
            )
            .collect()
    }

    pub(super) fn has_parameters(&mut self, alias: ItemId) -> bool {
        let parsed = self.site(alias).parsed;
        parsed.has_child(SyntaxKind::GENERIC_PARAM_LIST)
    }

    /// Binds the parameters of an alias or a struct to the arguments at `site`, or to their defaults.
    fn bind_parameters(
        &mut self,
        site: &Site,
        inner: &mut Site,
        parameters: Option<ast::GenericParamList>,
        arguments: &[Argument],
        place: Span,
    ) {
        let parameters = parameters
            .into_iter()
            .flat_map(|list| list.type_or_const_params().collect::<Vec<_>>());
        for (index, parameter) in parameters.enumerate() {
            let (name, default, is_constant) = match parameter {
                ast::TypeOrConstParam::Type(parameter) => (
                    parameter.name(),
                    parameter.default_type().map(Argument::Type),
                    false,
                ),
                ast::TypeOrConstParam::Const(parameter) => {
                    let default = parameter.default_val().and_then(|value| value.expr());
                    (parameter.name(), default.map(Argument::Constant), true)
                }
            };
            let Some(name) = name else { continue };
            // A default may name the parameters before it.
            let mut binding = match (arguments.get(index), default) {
                // A default may also name what it is a default of.
                (None, Some(default)) if !self.stack.contains(&inner.item) => {
                    self.stack.push(inner.item);
                    let bound = self.bind_argument(&inner.clone(), Some(&default), place);
                    self.stack.pop();
                    bound
                }
                (given, _) => self.bind_argument(site, given, place),
            };
            binding.is_constant = is_constant;
            let mut generics = Generics::clone(&inner.generics);
            generics.insert(name.text().to_string(), binding);
            inner.generics = Rc::new(generics);
        }
    }

    /// What a generic argument means in each of its readings; open slots where it is left out.
    pub(super) fn bind_argument(
        &mut self,
        site: &Site,
        argument: Option<&Argument>,
        place: Span,
    ) -> Binding {
        let given = argument.filter(|argument| !argument.is_placeholder());
        let path = given.and_then(Argument::path);
        let names = path.as_ref().map(path_segments);
        if let Some([name]) = names.as_deref()
            && let Some(binding) = site.generics.get(name)
        {
            return binding.clone();
        }
        let meant = path
            .as_ref()
            .zip(names.as_deref())
            .map(|(path, names)| site.resolve_at(self.db, path, names, Namespace::Type));
        let owner = match &meant {
            Some(Resolution::Type(item)) => Some(Owner {
                item: *item,
                arguments: path
                    .as_ref()
                    .map_or_else(Vec::new, path_arguments)
                    .iter()
                    .map(|argument| self.bind_argument(site, Some(argument), place))
                    .collect(),
            }),
            Some(Resolution::Alias(alias)) => self.owner_behind(site, *alias, path.as_ref(), place),
            _ => None,
        };
        let is_alias = matches!(meant, Some(Resolution::Alias(_)));
        // A type of a name is what is meant by it, whatever else has the name.
        let given_otherwise = given.filter(|_| !is_alias && owner.is_none());
        let axis = given_otherwise
            .and_then(|argument| self.axis_of(site, argument))
            .and_then(|written| written.value);
        let words = self.own.dialect.words;
        let context = given_otherwise.and_then(|given| context_of(given, words));
        let constant = given_otherwise.and_then(|argument| self.constant_of(site, argument));
        let mapping = match given {
            Some(argument)
                if axis.is_none() && context.is_none() && constant.is_none() && owner.is_none() =>
            {
                self.mapping_of_argument(site, Some(argument), place)
            }
            _ => self.own.draft.mappings.open_slot(place),
        };
        let scalar = self.scalar_of_argument(site, given, place);
        Binding {
            mapping,
            scalar,
            axis,
            context,
            owner,
            constant,
            is_constant: false,
        }
    }

    /// The type of the project that an alias stands for.
    fn owner_behind(
        &mut self,
        site: &Site,
        alias: ItemId,
        path: Option<&ast::Path>,
        place: Span,
    ) -> Option<Owner> {
        if self.stack.contains(&alias) {
            return None;
        }
        let arguments = path_arguments(path?);
        let names = path_segments(path?);
        let behind = match self.projected(site, &names, place) {
            Some(projected) => Some(projected),
            None => self.alias_site(site, alias, &arguments, place),
        };
        let (inner, ty) = behind?;
        if !matches!(ty, ast::Type::PathType(_)) {
            return None;
        }
        self.stack.push(alias);
        let bound = self.bind_argument(&inner, Some(&Argument::Type(ty)), place);
        self.stack.pop();
        bound.owner
    }

    fn read_entry(
        &mut self,
        site: &Site,
        entry: &'static TypeEntry,
        arguments: &[Argument],
        place: Span,
        depth: u32,
    ) -> Type {
        match entry.shape {
            TypeShape::Device => Type::Device,
            TypeShape::RunTimeValue => Type::RunTimeValue,
            TypeShape::TensorUnit | TypeShape::DmaEngine => Type::Context(
                arguments
                    .first()
                    .and_then(|argument| self.context_argument(site, argument)),
            ),
            TypeShape::Container => match arguments.first() {
                Some(Argument::Type(ty)) => {
                    let inner = self.read_type_at(site, ty, place, depth + 1);
                    Type::Array(Box::new(inner), None)
                }
                _ => Type::Unknown,
            },
            TypeShape::Tensor(tier, access) => {
                let argument = |parameter: TypeParameter| argument_of(entry, arguments, parameter);
                let scalar = self.scalar_of_argument(site, argument(TypeParameter::Scalar), place);
                let levels = levels_of(tier, |level| {
                    self.mapping_of_argument(site, argument(TypeParameter::Level(level)), place)
                });
                Type::Tensor(TensorType {
                    tier,
                    access,
                    scalar,
                    levels,
                })
            }
            TypeShape::Stream(position, way) => {
                self.read_stream(site, entry, arguments, (position, way), place)
            }
        }
    }

    fn read_stream(
        &mut self,
        site: &Site,
        entry: &'static TypeEntry,
        arguments: &[Argument],
        (position, way): (Option<Position>, Option<Way>),
        place: Span,
    ) -> Type {
        let argument = |parameter: TypeParameter| argument_of(entry, arguments, parameter);
        let word = |parameter: TypeParameter| {
            argument(parameter)
                .and_then(Argument::path)
                .and_then(|path| path_segments(&path).pop())
        };
        let words = self.own.dialect.words;
        let marker = word(TypeParameter::Position);
        let position = match (position, word(TypeParameter::Stage)) {
            (Some(Position::Vector(_)), Some(stream_method)) => {
                words.vector_stage(&stream_method).map(Position::Vector)
            }
            (Some(Position::VectorPair(_)), Some(stream_method)) => {
                words.vector_stage(&stream_method).map(Position::VectorPair)
            }
            (position, _) => position.or_else(|| self.own.dialect.position(marker.as_deref()?)),
        };
        let Some(position) = position else {
            return Type::Unknown;
        };
        let written = word(TypeParameter::Way);
        let way = written
            .and_then(|commit_step_row| words.way(&commit_step_row))
            .or(way);
        let scalar = self.scalar_of_argument(site, argument(TypeParameter::Scalar), place);
        let mut level = |level: Level| {
            self.mapping_of_argument(
                site,
                argument_of(entry, arguments, TypeParameter::Level(level)),
                place,
            )
        };
        let has_row = entry.parameters.contains(&TypeParameter::Level(Level::Row));
        let shape = ShapeSlots {
            position,
            scalar,
            chip: level(Level::Chip),
            cluster: level(Level::Cluster),
            slice: level(Level::Slice),
            row: has_row.then(|| level(Level::Row)),
            time: level(Level::Time),
            packet: level(Level::Packet),
            way,
        };
        let context = argument_of(entry, arguments, TypeParameter::Context)
            .and_then(|argument| self.context_argument(site, argument));
        Type::Stream { shape, context }
    }

    /// The context that an argument names: `{ Tu::Main }`, or a parameter bound to one.
    fn context_argument(&mut self, site: &Site, argument: &Argument) -> Option<Context> {
        let bound = argument.path().and_then(|path| {
            site.generics
                .get(path_segments(&path).first()?.as_str())?
                .context
        });
        bound.or_else(|| context_of(argument, self.own.dialect.words))
    }
}

/// The names of type and constant parameters, in order.
pub(super) fn parameter_names(list: Option<ast::GenericParamList>) -> Vec<String> {
    let list = list.into_iter();
    let parameters = list.flat_map(|list| list.type_or_const_params().collect::<Vec<_>>());
    parameters
        .filter_map(|parameter| match parameter {
            ast::TypeOrConstParam::Type(parameter) => parameter.name(),
            ast::TypeOrConstParam::Const(parameter) => parameter.name(),
        })
        .map(|name| name.text().to_string())
        .collect()
}

/// Whether the parameters of the block around a site stand for something.
fn arguments_of_block_are_bound(site: &Site) -> bool {
    !site.generics.is_empty() && !site.generics.contains_key("Self")
}

/// The argument that stands for a parameter of a type.
fn argument_of<'a>(
    entry: &TypeEntry,
    arguments: &'a [Argument],
    parameter: TypeParameter,
) -> Option<&'a Argument> {
    entry
        .parameters
        .iter()
        .position(|candidate| *candidate == parameter)
        .and_then(|index| arguments.get(index))
}
