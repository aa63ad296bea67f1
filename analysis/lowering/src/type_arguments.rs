//! Mappings and element types that arguments of types name: through aliases, parameters, projections and macros.

use ra_ap_syntax::ast::{self, AstNode};

use crate::hardware::ElementType;
use crate::items::{Namespace, Resolution, Span};
use crate::kernel::{UnresolvedReason, Written};
use crate::surface::{Argument, path_arguments, path_segments};
use crate::syntax::child_of;

use super::slots::{MappingSlot, ScalarSlot};
use super::type_syntax::DEPTH;
use super::{Interpreter, Site};

impl Interpreter<'_> {
    /// The mapping that an argument names; open where it is left out or `_`.
    pub(super) fn mapping_of_argument(
        &mut self,
        site: &Site,
        argument: Option<&Argument>,
        place: Span,
    ) -> MappingSlot {
        match argument {
            None => self.own.draft.mappings.open_slot(place),
            Some(argument) if argument.is_placeholder() => self.own.draft.mappings.open_slot(place),
            Some(Argument::Type(ty)) => {
                let used_at = Some(site.span(ty.syntax()));
                self.mapping_of_type(site, ty, used_at, 0)
            }
            Some(argument @ Argument::Constant(expression)) => {
                let span = site.span(expression.syntax());
                match argument.path() {
                    Some(path) => self.mapping_of_path(site, &path, Some(span), 0),
                    None => self.own.draft.mappings.failed(
                        UnresolvedReason::UnsupportedExpression(
                            "a constant instead of a mapping".to_owned(),
                        ),
                        span,
                    ),
                }
            }
        }
    }

    /// The mapping that a type names. `used_at` is where it is in a type; none inside of an alias.
    pub(super) fn mapping_of_type(
        &mut self,
        site: &Site,
        ty: &ast::Type,
        used_at: Option<Span>,
        depth: u32,
    ) -> MappingSlot {
        let span = site.span(ty.syntax());
        match ty {
            ast::Type::MacroType(ty) => match child_of(ty.syntax()) {
                Some(call) => self.macro_mapping(site, &call),
                None => self
                    .own
                    .draft
                    .mappings
                    .failed(UnresolvedReason::IllFormedMapping, span),
            },
            ast::Type::ParenType(inner) if depth < DEPTH => match inner.ty() {
                Some(inner) => self.mapping_of_type(site, &inner, used_at, depth + 1),
                None => self
                    .own
                    .draft
                    .mappings
                    .failed(UnresolvedReason::IllFormedMapping, span),
            },
            ast::Type::PathType(path) => match child_of(path.syntax()) {
                Some(path) => self.mapping_of_path(site, &path, used_at, depth),
                None => self
                    .own
                    .draft
                    .mappings
                    .failed(UnresolvedReason::IllFormedMapping, span),
            },
            _ => self.own.draft.mappings.failed(
                UnresolvedReason::UnsupportedExpression("a type that is not a mapping".to_owned()),
                span,
            ),
        }
    }

    fn mapping_of_path(
        &mut self,
        site: &Site,
        path: &ast::Path,
        used_at: Option<Span>,
        depth: u32,
    ) -> MappingSlot {
        let span = site.span(path.syntax());
        let names = path_segments(path);
        if let [name] = names.as_slice()
            && let Some(binding) = site.type_parameter(name)
        {
            return binding.mapping;
        }
        if let Some((inner, ty)) = self.projected(site, &names, span) {
            if depth < DEPTH {
                return self.mapping_of_type(&inner, &ty, used_at, depth + 1);
            }
            let reason = UnresolvedReason::IllFormedMapping;
            return self.own.draft.mappings.failed(reason, span);
        }
        match site.resolve_at(self.db, path, &names, Namespace::Type) {
            Resolution::Alias(alias) => {
                let arguments = path_arguments(path);
                if arguments.is_empty() && !self.has_parameters(alias) {
                    return self.alias_mapping(alias, used_at, depth + 1);
                }
                if depth < DEPTH
                    && let Some((inner, ty)) = self.alias_site(site, alias, &arguments, span)
                {
                    let slot = self.mapping_of_type(&inner, &ty, None, depth + 1);
                    return self.used_mapping(slot, used_at);
                }
                self.own
                    .draft
                    .mappings
                    .failed(UnresolvedReason::IllFormedMapping, span)
            }
            Resolution::Parameter(_) => self
                .own
                .draft
                .mappings
                .failed(UnresolvedReason::GenericMapping, span),
            // A type that the macro builds, written out.
            Resolution::Prelude(_) => self.built_mapping(site, path, &names, span),
            _ => self
                .own
                .draft
                .mappings
                .failed(UnresolvedReason::UnknownName(names.join("::")), span),
        }
    }

    /// The element type that an argument names; open where it is left out or `_`.
    pub(super) fn scalar_of_argument(
        &mut self,
        site: &Site,
        argument: Option<&Argument>,
        place: Span,
    ) -> ScalarSlot {
        let Some(argument) = argument.filter(|argument| !argument.is_placeholder()) else {
            return self.own.draft.scalars.open_slot(place);
        };
        let span = site.span(argument.syntax());
        let Some(path) = argument.path() else {
            return self.own.draft.scalars.failed(
                UnresolvedReason::UnknownName(argument.syntax().text().to_string()),
                span,
            );
        };
        self.scalar_of_path(site, &path, span, 0)
    }

    fn scalar_of_path(
        &mut self,
        site: &Site,
        path: &ast::Path,
        span: Span,
        depth: u32,
    ) -> ScalarSlot {
        let names = path_segments(path);
        if let [name] = names.as_slice()
            && let Some(binding) = site.generics.get(name)
        {
            return binding.scalar;
        }
        if depth < DEPTH
            && let Some((inner, ast::Type::PathType(ty))) = self.projected(site, &names, span)
            && let Some(path) = ty.path()
        {
            return self.scalar_of_path(&inner, &path, span, depth + 1);
        }
        match site.resolve_at(self.db, path, &names, Namespace::Type) {
            Resolution::Alias(alias) if depth < DEPTH => {
                let inner = self.site(alias);
                let ty = inner
                    .parsed
                    .cast::<ast::TypeAlias>()
                    .and_then(|alias| alias.ty());
                match ty {
                    Some(ast::Type::PathType(ty)) if ty.path().is_some() => match ty.path() {
                        Some(path) => self.scalar_of_path(&inner, &path, span, depth + 1),
                        None => self.own.draft.scalars.open_slot(span),
                    },
                    _ => self
                        .own
                        .draft
                        .scalars
                        .failed(UnresolvedReason::UnknownName(names.join("::")), span),
                }
            }
            Resolution::Parameter(_) => self
                .own
                .draft
                .scalars
                .failed(UnresolvedReason::GenericMapping, span),
            _ => match names.last().and_then(|name| ElementType::from_name(name)) {
                Some(scalar) => self
                    .own
                    .draft
                    .scalars
                    .known_slot(Written::new(scalar, span)),
                None => self
                    .own
                    .draft
                    .scalars
                    .failed(UnresolvedReason::UnknownName(names.join("::")), span),
            },
        }
    }
}
