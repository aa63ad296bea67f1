//! Generic aliases: the type of an alias with what its parameters stand for.
//!
//! Knows arguments in the order of parameters; a fault in an alias is the alias's own and not said here.

use ra_ap_syntax::ast::{self, AstNode};

use super::{MAXIMUM_EXPANSIONS, Resolver};
use crate::bindings::Bound;
use crate::declarations::generic_names;
use crate::file::parse_item;
use crate::ids::{ItemId, Span};
use crate::mapping::Mapping;
use crate::references::{ReferenceOrder, reference_order};
use crate::scopes::scope_at;

impl Resolver<'_> {
    /// An alias with arguments: its type, with what its parameters stand for. A fault in it is the alias's own.
    pub(super) fn generic_alias(
        &mut self,
        alias: ItemId,
        path: &ast::Path,
        start: Span,
    ) -> Option<Option<Mapping>> {
        self.expansions += 1;
        if self.expansions > MAXIMUM_EXPANSIONS
            || reference_order(self.db, alias) != ReferenceOrder::Sound
        {
            return None;
        }
        let parsed = parse_item(self.db, alias);
        let declared = parsed.cast::<ast::TypeAlias>()?;
        let written = declared.ty()?;
        let bound = self.bound_parameters(&declared, path, start);
        let offset = written.syntax().text_range().start().into();
        let mut inside = Resolver {
            db: self.db,
            scope: &scope_at(self.db, alias, offset),
            bindings: &bound,
            problems: Vec::new(),
            depth: self.depth,
            expansions: self.expansions,
            observed: None,
        };
        let mapping = inside.written_type(&written, parsed.text.full_span());
        self.expansions = inside.expansions;
        mapping
    }

    /// What the parameters of an alias stand for, by the arguments of a path to it.
    fn bound_parameters(
        &mut self,
        declared: &ast::TypeAlias,
        path: &ast::Path,
        start: Span,
    ) -> Bound {
        let arguments = path
            .segment()
            .and_then(|segment| ast::HasGenericArgs::generic_arg_list(&segment));
        let arguments = arguments.into_iter().flat_map(|list| list.generic_args());
        let arguments =
            arguments.filter(|argument| !matches!(argument, ast::GenericArg::LifetimeArg(_)));
        let mut bound = Bound::default();
        for ((name, constant), argument) in generic_names(declared).into_iter().zip(arguments) {
            match argument {
                ast::GenericArg::TypeArg(argument) => {
                    let Some(written) = argument.ty() else {
                        continue;
                    };
                    if constant {
                        // A path may name a constant as well as a type.
                        let text = written.syntax().text().to_string();
                        bound.add_constant(name, self.constant_text(&text));
                    } else if let Some(Some(mapping)) = self.quietly(&written, start) {
                        bound.add_mapping(name, mapping);
                    }
                }
                ast::GenericArg::ConstArg(argument) => {
                    let text = argument.syntax().text().to_string();
                    bound.add_constant(name, self.constant_text(&text));
                }
                _ => {}
            }
        }
        bound
    }

    /// The mapping of a type whose faults are reported where its own macro is.
    fn quietly(&mut self, written: &ast::Type, start: Span) -> Option<Option<Mapping>> {
        let before = self.problems.len();
        let mapping = self.written_type(written, start);
        self.problems.truncate(before);
        mapping
    }
}

/// Whether a path gives its last segment arguments.
pub(super) fn has_arguments(path: &ast::Path) -> bool {
    path.segment()
        .and_then(|segment| ast::HasGenericArgs::generic_arg_list(&segment))
        .is_some()
}
