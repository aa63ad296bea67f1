//! What names of a mapping expression stand for: axes, aliases, parameters, constants, and types that an escape pastes.
//!
//! Knows what to say of a name that is none of these; what an operator makes of its operands is the resolver's.

use ra_ap_syntax::ast;

use super::generics::has_arguments;
use super::{
    MAXIMUM_DEPTH, MappingProblemKind, Resolver, ScopeEnvironment, alias_mapping, grammar_of,
};
use crate::constants::{ConstValue, evaluate_expression};
use crate::db::Db;
use crate::declarations::{MacroArguments, path_segments};
use crate::file::{file_items, item_text, macro_name};
use crate::homonyms::axes_named;
use crate::ids::{ItemKind, ModuleId, Span};
use crate::libraries::{self, MappingType};
use crate::mapping::{Axis, Mapping};
use crate::names::nearest_names;
use crate::resolve::{AxisDefinition, Namespace, Resolution, resolve_path, visible_type_names};
use crate::syntax::parse_text;

impl Resolver<'_> {
    /// Whether a name is that of a constant and of no type.
    pub(super) fn is_constant(&self, name: &str) -> bool {
        let types = resolve_path(self.db, self.scope, &[name], Namespace::Type);
        let is_type = !matches!(
            types,
            Resolution::Unknown {
                has_unresolved_glob: false
            }
        );
        !is_type
            && matches!(
                resolve_path(self.db, self.scope, &[name], Namespace::Value),
                Resolution::Const(_) | Resolution::Parameter(_)
            )
    }

    /// Reports the constant that an expression names, or is, at the place that the macro stops at.
    pub(super) fn named_constant(&mut self, expression: Span, span: Span, factor: bool) {
        let kind = MappingProblemKind::NamedConstant {
            text: self.source_text(span),
            value: self.constant(expression),
            factor,
            grammar: grammar_of(self.db, span),
        };
        self.push_problem(kind, span);
    }

    pub(super) fn source_text(&self, span: Span) -> String {
        let text = item_text(self.db, span.item);
        let source = text.text.get(span.start as usize..span.end as usize);
        source.unwrap_or("").to_owned()
    }

    pub(super) fn constant(&self, span: Span) -> Option<u64> {
        self.constant_text(&self.source_text(span))?.as_u64()
    }

    pub(super) fn constant_text(&self, text: &str) -> Option<ConstValue> {
        let source = format!("const _: usize = {{ {text} }};");
        let tree = parse_text(&source).ok()?.tree();
        let item = ast::HasModuleItem::items(&tree).next()?;
        let ast::Item::Const(item) = item else {
            return None;
        };
        let environment = ScopeEnvironment {
            db: self.db,
            scope: self.scope.clone(),
            bindings: self.bindings,
        };
        Some(evaluate_expression(&item.body()?, &environment))
    }

    pub(super) fn name(&mut self, name: &str, span: Span) -> Option<Mapping> {
        let found = resolve_path(self.db, self.scope, &[name], Namespace::Type);
        self.wants_axis(name, &found, span);
        self.found_mapping(name, found, span)
    }

    /// The mapping of a bare name by what it is found to be.
    pub(super) fn found_mapping(
        &mut self,
        name: &str,
        found: Resolution,
        span: Span,
    ) -> Option<Mapping> {
        match found {
            Resolution::Axis(axis) => axis_mapping(&axis),
            Resolution::Alias(alias) => alias_mapping(self.db, alias).mapping.clone(),
            Resolution::Parameter(_) => {
                let bound = self.bindings.mapping(name);
                if bound.is_none() {
                    self.push_problem(MappingProblemKind::UnresolvedEscape, span);
                }
                bound
            }
            Resolution::Prelude(path) if &*path == "Identity" => Some(Mapping::identity()),
            // No name of the preludes is an axis, so its being there explains nothing.
            Resolution::Prelude(path) if libraries::is_prelude_name(&path) => {
                self.unknown_name(name, false, span)
            }
            Resolution::Unknown {
                has_unresolved_glob,
            } => self.unknown_name(name, has_unresolved_glob, span),
            Resolution::Const(_)
            | Resolution::Function(_)
            | Resolution::Module(_)
            | Resolution::Type(_)
            | Resolution::Prelude(_)
            | Resolution::External => self.unknown_name(name, true, span),
        }
    }

    fn unknown_name(&mut self, name: &str, silent: bool, span: Span) -> Option<Mapping> {
        if !silent && self.is_constant(name) {
            self.named_constant(span, span, false);
            return None;
        }
        let mut declared = Vec::new();
        let mut nearest = Vec::new();
        if !silent {
            let module = self.scope.module;
            let paths = axes_named(self.db, module, name).into_iter();
            declared = paths.map(|(path, _)| from_root(path)).collect();
            declared.dedup();
            let visible = visible_type_names(self.db, self.scope);
            nearest = nearest_names(name, visible.iter().map(|name| &**name));
        }
        let imports_at = declared
            .first()
            .and_then(|_| first_use(self.db, self.scope.module));
        let kind = MappingProblemKind::UnknownAxis {
            name: name.to_owned(),
            nearest,
            silent,
            declared,
            imports_at,
        };
        self.push_problem(kind, span);
        None
    }

    /// `{ type }`: pasted verbatim, so anything that is a mapping as a type.
    pub(super) fn escaped_mapping(&mut self, span: Span, whole: Span) -> Option<Mapping> {
        const BEFORE: &str = "type X = ";
        let source = format!("{BEFORE}{};", self.source_text(span));
        // What is more than a type (`{ A # 8 }`) is none: its first name stands for something else.
        let whole_type = parse_text(&source).ok();
        let whole_type = whole_type.filter(|parse| parse.errors().is_empty());
        let written = whole_type.and_then(|parse| {
            let item = ast::HasModuleItem::items(&parse.tree()).next()?;
            match item {
                ast::Item::TypeAlias(alias) => alias.ty(),
                _ => None,
            }
        });
        // Offsets in the wrapped text are `BEFORE` too large.
        let start = Span {
            item: span.item,
            start: span
                .start
                .wrapping_sub(u32::try_from(BEFORE.len()).unwrap_or(0)),
            end: span.end,
        };
        if let Some(written) = &written {
            self.wants_mapping(written, span, whole);
        }
        // The places of another text are not observed.
        let observed = self.observed.take();
        let mapping = written.and_then(|written| self.written_type(&written, start));
        self.observed = observed;
        mapping.unwrap_or_else(|| {
            self.push_problem(MappingProblemKind::UnresolvedEscape, span);
            None
        })
    }

    /// The outer option says whether the type is a mapping at all. Offsets of the tree count from `start`.
    pub(super) fn written_type(
        &mut self,
        written: &ast::Type,
        start: Span,
    ) -> Option<Option<Mapping>> {
        if self.depth >= MAXIMUM_DEPTH {
            return None;
        }
        self.depth += 1;
        let mapping = self.type_kind(written, start);
        self.depth -= 1;
        mapping
    }

    fn type_kind(&mut self, written: &ast::Type, start: Span) -> Option<Option<Mapping>> {
        match written {
            ast::Type::ParenType(inner) => self.written_type(&inner.ty()?, start),
            ast::Type::MacroType(call) => {
                let call = call.macro_call()?;
                if macro_name(&call)? != "m" {
                    return None;
                }
                let arguments = MacroArguments::of(&call)?;
                let body = arguments.shifted_span(start);
                Some(self.text(&arguments.text, body))
            }
            ast::Type::PathType(path) => {
                let path = path.path()?;
                let segments = path_segments(&path);
                let segments: Vec<&str> = segments.iter().map(|segment| &**segment).collect();
                match resolve_path(self.db, self.scope, &segments, Namespace::Type) {
                    Resolution::Parameter(name) => self.bindings.mapping(&name).map(Some),
                    Resolution::Alias(alias) if has_arguments(&path) => {
                        self.generic_alias(alias, &path, start)
                    }
                    Resolution::Alias(alias) => {
                        let result = alias_mapping(self.db, alias);
                        // An alias of a tensor has neither; one with a fault keeps the fault to itself.
                        (result.mapping.is_some() || !result.problems.is_empty())
                            .then(|| result.mapping.clone())
                    }
                    Resolution::Axis(axis) => Some(axis_mapping(&axis)),
                    Resolution::Prelude(name) => {
                        let ty = MappingType::of_name(name.rsplit("::").next()?)?;
                        self.built_type(ty, &path, start)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

fn axis_mapping(axis: &AxisDefinition) -> Option<Mapping> {
    Some(Mapping::axis(Axis::new(&axis.name, axis.size?)))
}

/// A path that begins at the crate's root, as a `use` writes it.
fn from_root(path: String) -> String {
    if path.starts_with("crate::") {
        path
    } else {
        format!("crate::{path}")
    }
}

/// The first `use` of a module that is a file.
fn first_use(db: &dyn Db, module: ModuleId) -> Option<Span> {
    if module.local(db).is_some() || !module.path(db).is_empty() {
        return None;
    }
    let items = file_items(db, module.file(db));
    let first = items
        .items
        .iter()
        .find(|item| item.kind(db) == ItemKind::Use && item.module_path(db).is_empty())?;
    let span = item_text(db, *first).full_span();
    Some(Span {
        end: span.start,
        ..span
    })
}
