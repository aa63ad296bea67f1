//! Mapping arguments: `m![..]` with its names resolved, generic parameters put in, and parameters inferred from values.
//!
//! What is wrong in an expression is reported where it is by the rules about mapping expressions; here it is only
//! known or not.

use std::sync::Arc;

use ra_ap_syntax::ast::{self, AstNode};

use crate::items::{self, ItemId, MappingProblemKind, ScopeRef, Span};
use crate::kernel::{UnresolvedReason, Written};
use crate::mapping::{self, Mapping, MappingKind, SyntaxKind, SyntaxNode};
use crate::syntax::{child_of, green_path_name};

use super::slots::MappingSlot;
use super::{Generics, Interpreter, Site};

/// Nesting of expressions and aliases that is followed.
const DEPTH: u32 = 64;

/// The text of the body of a macro call.
fn macro_body(call: &ast::MacroCall) -> Option<String> {
    let text = call.token_tree()?.syntax().green().to_string();
    without_brackets(&text).map(str::to_owned)
}

/// The body of a macro call in a site: its text, and where it starts in the item's tree.
fn body_in<'a>(site: &'a Site, call: &ast::MacroCall) -> Option<(&'a str, u32)> {
    let tree: ast::TokenTree = child_of(call.syntax())?;
    let range = tree.syntax().text_range();
    let text = site
        .parsed
        .text
        .text
        .get(std::ops::Range::<usize>::from(range))?;
    let start: u32 = range.start().into();
    Some((without_brackets(text)?, start.saturating_add(1)))
}

fn without_brackets(text: &str) -> Option<&str> {
    let body = text.get(1..)?;
    Some(body.strip_suffix([')', ']', '}']).unwrap_or(body))
}

/// Whether a macro call is one of a name.
pub(super) fn is_macro(call: &ast::MacroCall, name: &str) -> bool {
    green_path_name(call.syntax().green()) == Some(name)
}

impl Interpreter<'_> {
    /// The mapping that an `m![..]` in type position names.
    pub(super) fn macro_mapping(&mut self, site: &Site, call: &ast::MacroCall) -> MappingSlot {
        let span = site.span(call.syntax());
        if site.generics.is_empty()
            && let Some(slot) = self.own.macros.get(&span)
        {
            return *slot;
        }
        let slot = match self.macro_value(site, call) {
            Ok(value) => self
                .own
                .draft
                .mappings
                .known_slot(Written::new(value, span)),
            Err(reason) => self.own.draft.mappings.failed(reason, span),
        };
        if site.generics.is_empty() {
            self.own.macros.insert(span, slot);
        }
        slot
    }

    fn macro_value(
        &mut self,
        site: &Site,
        call: &ast::MacroCall,
    ) -> Result<Mapping, UnresolvedReason> {
        if !is_macro(call, "m") {
            return Err(UnresolvedReason::UnsupportedExpression(
                "a macro instead of a mapping".to_owned(),
            ));
        }
        let (body, start) = body_in(site, call).ok_or(UnresolvedReason::IllFormedMapping)?;
        if site.generics.is_empty() {
            self.plain_value(site, body, start)
        } else {
            self.bound_value(site, body, start)
        }
    }

    /// The mapping of a type that the macro builds and that is written out, `Pair<Symbol<A>, Symbol<B>>`.
    pub(super) fn built_mapping(
        &mut self,
        site: &Site,
        path: &ast::Path,
        path_names: &[String],
        span: Span,
    ) -> MappingSlot {
        let text = path.syntax().text().to_string();
        let (bound, unknown) = self.bound_parameters(site, &text);
        let scope = site.scope_at(self.db, path.syntax().text_range().start().into());
        let start = site.parsed.text.full_span();
        let written = path.syntax().parent().and_then(ast::Type::cast);
        let result = written.and_then(|written| {
            items::resolve_mapping_type_with(self.db, &scope, &written, start, &bound)
        });
        let draft = &mut self.own.draft.mappings;
        match result {
            Some(result) => match result.mapping {
                Some(mapping) => draft.known_slot(Written::new(mapping, span)),
                None => {
                    let problem = result.problems.first().map(|problem| &problem.kind);
                    draft.failed(
                        unknown.unwrap_or_else(|| mapping_problem_reason(problem)),
                        span,
                    )
                }
            },
            None => {
                let name = || UnresolvedReason::UnknownName(path_names.join("::"));
                draft.failed(unknown.unwrap_or_else(name), span)
            }
        }
    }

    /// With what generic parameters stand for in this call.
    fn bound_value(
        &mut self,
        site: &Site,
        body: &str,
        start: u32,
    ) -> Result<Mapping, UnresolvedReason> {
        let (bound, unknown) = self.bound_parameters(site, body);
        let scope = site.scope_at(self.db, start);
        let span = body_span(site, body, start);
        let result = items::resolve_mapping_text_with(self.db, &scope, body, span, &bound);
        result.mapping.ok_or_else(
            || match result.problems.first().map(|problem| &problem.kind) {
                Some(MappingProblemKind::UnresolvedEscape) => {
                    unknown.unwrap_or(UnresolvedReason::GenericMapping)
                }
                kind => mapping_problem_reason(kind),
            },
        )
    }

    /// What generic parameters stand for in this call, and why nothing is known of one that a text names.
    fn bound_parameters(
        &mut self,
        site: &Site,
        text: &str,
    ) -> (items::Bound, Option<UnresolvedReason>) {
        let mut bound = items::Bound::default();
        let mut unknown = None;
        let fallback = site.parsed.text.full_span();
        for (name, binding) in site.generics.iter() {
            let parameter = Arc::from(name.as_str());
            if binding.is_constant {
                bound.add_constant(parameter, binding.constant.clone());
            } else if let Some(axis) = &binding.axis {
                bound.add_mapping(parameter, Mapping::axis(axis.clone()));
            } else {
                let (written, reason) = self
                    .own
                    .draft
                    .mappings
                    .resolve_slot(binding.mapping, fallback);
                match written.value {
                    Some(mapping) => bound.add_mapping(parameter, mapping),
                    None if mentions_name(text, name) => {
                        unknown.get_or_insert(reason.unwrap_or(UnresolvedReason::NotInferred));
                    }
                    None => {}
                }
            }
        }
        (bound, unknown)
    }

    /// Without generic parameters the items' own reading serves.
    fn plain_value(
        &mut self,
        site: &Site,
        body: &str,
        start: u32,
    ) -> Result<Mapping, UnresolvedReason> {
        let scope = site.scope_at(self.db, start);
        let key = (scope.key(), Box::from(body));
        if let Some(known) = self.own.plain.get(&key) {
            return known.clone();
        }
        let value = self.plain_value_afresh(site, &scope, body, start);
        self.own.plain.insert(key, value.clone());
        value
    }

    fn plain_value_afresh(
        &self,
        site: &Site,
        scope: &ScopeRef,
        body: &str,
        start: u32,
    ) -> Result<Mapping, UnresolvedReason> {
        let span = body_span(site, body, start);
        let result = items::resolve_mapping_text(self.db, scope, body, span);
        let problems = &result.problems;
        result
            .mapping
            .ok_or_else(|| mapping_problem_reason(problems.first().map(|problem| &problem.kind)))
    }

    /// The mapping of an alias without parameters, read once a body. `used_at` is kept with it.
    pub(super) fn alias_mapping(
        &mut self,
        alias: ItemId,
        used_at: Option<Span>,
        depth: u32,
    ) -> MappingSlot {
        let slot = match self.own.aliases.get(&alias) {
            Some(Some(slot)) => *slot,
            // An alias that needs itself: the finding is at the alias.
            Some(None) => return self.failed_alias(alias),
            None => {
                self.own.aliases.insert(alias, None);
                let slot = self.alias_mapping_afresh(alias, depth);
                self.own.aliases.insert(alias, Some(slot));
                slot
            }
        };
        self.used_mapping(slot, used_at)
    }

    /// A mapping that an alias holds, with where the alias is used.
    pub(super) fn used_mapping(&mut self, slot: MappingSlot, used_at: Option<Span>) -> MappingSlot {
        let (mut written, _) = self.own.draft.mappings.resolve_slot(slot, self.here);
        if written.value.is_none() || used_at.is_none() {
            return slot;
        }
        written.used_at = used_at;
        self.own.draft.mappings.known_slot(written)
    }

    fn alias_mapping_afresh(&mut self, alias: ItemId, depth: u32) -> MappingSlot {
        if depth > DEPTH {
            return self.failed_alias(alias);
        }
        let site = self.site(alias);
        match site
            .parsed
            .cast::<ast::TypeAlias>()
            .and_then(|alias| alias.ty())
        {
            Some(ty) => self.mapping_of_type(&site, &ty, None, depth + 1),
            None => self.failed_alias(alias),
        }
    }

    fn failed_alias(&mut self, alias: ItemId) -> MappingSlot {
        let span = items::item_text(self.db, alias).full_span();
        self.own
            .draft
            .mappings
            .failed(UnresolvedReason::IllFormedMapping, span)
    }

    /// Binds the generic parameters in a mapping expression so that it names a known mapping.
    pub(super) fn match_macro(
        &mut self,
        generics: &mut Generics,
        call: &ast::MacroCall,
        value: &Mapping,
    ) {
        let Some(body) = macro_body(call) else {
            return;
        };
        let grammar = items::file_grammar(self.db, self.here.item.file(self.db));
        if let (Some(node), errors) = mapping::parse_mapping_in(&body, grammar)
            && errors.is_empty()
        {
            self.match_node(generics, &node, &body, value, 0);
        }
    }

    fn match_node(
        &mut self,
        generics: &mut Generics,
        node: &SyntaxNode,
        body: &str,
        value: &Mapping,
        depth: u32,
    ) {
        if depth > DEPTH {
            return;
        }
        match (&node.kind, value.kind()) {
            (SyntaxKind::Group(inner), _) => {
                self.match_node(generics, inner, body, value, depth + 1);
            }
            (SyntaxKind::Name(name), _) => self.bind_generic(generics, name, value),
            (SyntaxKind::Escape { content }, _) => {
                self.bind_generic(
                    generics,
                    body.get(content.clone()).unwrap_or("").trim(),
                    value,
                );
            }
            (SyntaxKind::Pair(parts), MappingKind::Product(values)) => {
                for (part, value) in parts.iter().rev().zip(values.iter().rev()) {
                    self.match_node(generics, part, body, value, depth + 1);
                }
            }
            (
                SyntaxKind::Binary { left, .. },
                MappingKind::Stride(inner, _)
                | MappingKind::Modulo(inner, _)
                | MappingKind::Resize(inner, _)
                | MappingKind::Pad(inner, ..),
            ) => self.match_node(generics, left, body, inner, depth + 1),
            _ => {}
        }
    }

    fn bind_generic(&mut self, generics: &mut Generics, name: &str, value: &Mapping) {
        let Some(binding) = generics.get_mut(name) else {
            return;
        };
        if let MappingKind::Axis(axis) = value.kind() {
            binding.axis.get_or_insert_with(|| axis.clone());
        }
        if self.own.draft.mappings.is_open(binding.mapping) {
            let known = self
                .own
                .draft
                .mappings
                .known_slot(Written::new(value.clone(), self.here));
            self.own.draft.mappings.unify(binding.mapping, known);
        }
    }
}

/// Why a macro has no mapping, by the first of its problems.
fn mapping_problem_reason(problem: Option<&MappingProblemKind>) -> UnresolvedReason {
    match problem {
        Some(MappingProblemKind::UnknownAxis { name, .. }) => {
            UnresolvedReason::UnknownName(name.clone())
        }
        Some(MappingProblemKind::UnresolvedEscape) => {
            UnresolvedReason::UnsupportedExpression("a type in a mapping".to_owned())
        }
        _ => UnresolvedReason::IllFormedMapping,
    }
}

fn body_span(site: &Site, body: &str, start: u32) -> Span {
    let end = start.saturating_add(u32::try_from(body.len()).unwrap_or(u32::MAX));
    site.parsed.text.span(start, end)
}

/// Whether a body mentions a name.
fn mentions_name(body: &str, name: &str) -> bool {
    let mut words = body.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    words.any(|word| word == name)
}
