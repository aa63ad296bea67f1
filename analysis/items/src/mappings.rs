//! Mapping expressions with their names resolved: from the trees of `m!` to checked mappings and what is wrong with them.
//!
//! A fault inside an alias belongs to the alias: its uses have no mapping and no problem of their own.

mod factors;
mod generics;
mod names;
mod roles;
mod types;

use std::ops::Range;
use std::sync::Arc;

use ra_ap_syntax::ast::{self, AstNode};
use rustc_hash::FxHashMap;

use super::bindings::Bindings;
use super::dialects::dialect;
use super::file::{item_text, parse_item};
use super::ids::{ItemId, ItemKind, Span};
use super::recent::recently_parsed_mapping;
use super::references::{ReferenceOrder, reference_order};
use super::resolve::{Namespace, Resolution, resolve_path};
use super::scopes::{ScopeRef, scope_at};
use super::values::ScopeEnvironment;
use crate::db::Db;
use crate::inputs::SourceFile;
use crate::libraries::{Dialect, Library};
use crate::mapping::{
    Grammar, GrammarError, Mapping, MappingError, Operator, SyntaxKind, SyntaxNode,
};
pub(super) use roles::arguments_of_other_roles;
pub use roles::{NameRole, RolePlace};

/// Escapes and groups inside each other that are followed.
const MAXIMUM_DEPTH: usize = 64;

/// Generic aliases that are written out for one expression.
const MAXIMUM_EXPANSIONS: usize = 1024;

/// A mapping expression after resolution.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct MappingResult {
    /// The mapping; none if anything in it is unknown or wrong.
    pub mapping: Option<Mapping>,
    /// What is wrong in the expression itself, in the order of the text.
    pub problems: Vec<MappingProblem>,
}

/// One thing that is wrong, or not known, in a mapping expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MappingProblem {
    /// What.
    pub kind: MappingProblemKind,
    /// Where: the offending token, the name, or the operator with its right operand.
    pub span: Span,
}

/// What can be wrong with a mapping expression or a declaration of axes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MappingProblemKind {
    /// The macro would not parse.
    Grammar {
        /// What is there and what could.
        message: String,
        /// Another text for a place that says the same, where one is plain.
        instead: Option<(Span, String)>,
    },
    /// The name of a constant, or one in braces, where the macro takes something else.
    NamedConstant {
        /// As written.
        text: String,
        /// Its value, where it is known.
        value: Option<u64>,
        /// Whether it is a right operand; else it is in the place of an axis.
        factor: bool,
        /// Whose macro it is.
        grammar: Grammar,
    },
    /// A name that no axis has.
    UnknownAxis {
        /// The name as written.
        name: String,
        /// Similar names of axes and aliases in scope, the most similar first.
        nearest: Vec<String>,
        /// Whether it may be declared where we cannot look: nothing is reported then.
        silent: bool,
        /// Axes of that name that other modules of the crate declare, by their paths from its root.
        declared: Vec<String>,
        /// A `use` of the module, before which another one may be written.
        imports_at: Option<Span>,
    },
    /// An operator that its operands do not allow, with the numbers.
    Invalid(MappingError),
    /// The alias that the expression belongs to needs itself.
    CyclicAlias {
        /// The alias.
        name: String,
    },
    /// A mapping where an axis is wanted, or an axis where a mapping is.
    OtherRole {
        /// As written.
        name: String,
        /// What it should be.
        wanted: NameRole,
        /// Where it is.
        place: RolePlace,
        /// A text for the place that is what it should be.
        instead: Option<String>,
    },
    /// An escaped type, a constant or a generic parameter whose mapping is not known. Not a fault.
    UnresolvedEscape,
    /// A name declared twice in one `axes!`.
    DuplicateAxis {
        /// The name.
        name: String,
        /// The first declaration.
        first: Span,
    },
    /// An axis of size 0.
    AxisSizeZero {
        /// The axis.
        name: String,
    },
    /// An axis whose size does not fit 64 bits.
    AxisSizeOverflow {
        /// The axis.
        name: String,
    },
}

/// The grammar of the macros in an item's file.
pub fn grammar_of(db: &dyn Db, span: Span) -> Grammar {
    file_grammar(db, span.item.file(db))
}

/// The grammar of the macros in a file.
pub fn file_grammar(db: &dyn Db, file: SourceFile) -> Grammar {
    grammar_in(dialect(db, file))
}

/// The grammar of the macros of a library's release.
pub const fn grammar_in(dialect: Dialect) -> Grammar {
    match dialect.library {
        Library::VisaStd => Grammar::VisaStd,
        Library::OptStd => Grammar::OptStd {
            major: dialect.release.major,
            minor: dialect.release.minor,
        },
    }
}

/// Resolves a mapping expression. `body` is the span of the macro's body, which the tree's spans count in.
pub fn resolve_mapping(
    db: &dyn Db,
    scope: &ScopeRef,
    node: &SyntaxNode,
    body: Span,
) -> MappingResult {
    let mut resolver = Resolver {
        db,
        scope,
        bindings: &(),
        problems: Vec::new(),
        depth: 0,
        expansions: 0,
        observed: None,
    };
    let mapping = resolver.node(node, body);
    MappingResult {
        mapping,
        problems: resolver.problems,
    }
}

/// Parses and resolves the body of an `m!`.
pub fn resolve_mapping_text(
    db: &dyn Db,
    scope: &ScopeRef,
    text: &str,
    body: Span,
) -> MappingResult {
    let mut resolver = Resolver {
        db,
        scope,
        bindings: &(),
        problems: Vec::new(),
        depth: 0,
        expansions: 0,
        observed: None,
    };
    let mapping = resolver.text(text, body);
    MappingResult {
        mapping,
        problems: resolver.problems,
    }
}

/// As [`resolve_mapping_text`], with what generic parameters stand for.
pub fn resolve_mapping_text_with(
    db: &dyn Db,
    scope: &ScopeRef,
    text: &str,
    body: Span,
    bindings: &dyn Bindings,
) -> MappingResult {
    let mut resolver = Resolver {
        db,
        scope,
        bindings,
        problems: Vec::new(),
        depth: 0,
        expansions: 0,
        observed: None,
    };
    let mapping = resolver.text(text, body);
    MappingResult {
        mapping,
        problems: resolver.problems,
    }
}

/// As [`resolve_mapping_text`], and what every part of the expression stands for.
pub(super) fn observe_mapping_text(
    db: &dyn Db,
    scope: &ScopeRef,
    text: &str,
    body: Span,
) -> (MappingResult, Observed) {
    let mut resolver = Resolver {
        db,
        scope,
        bindings: &(),
        problems: Vec::new(),
        depth: 0,
        expansions: 0,
        observed: Some(Observed::default()),
    };
    let mapping = resolver.text(text, body);
    let result = MappingResult {
        mapping,
        problems: resolver.problems,
    };
    (result, resolver.observed.unwrap_or_default())
}

/// Resolves the type of a mapping as it is in code: `m![…]`, an alias, a generic parameter.
///
/// `scope` is the scope of the place, `start` the span of the text that the tree of `written` was parsed from, from its
/// first byte on. None if the type is no mapping that this room knows, for instance a tensor.
pub fn resolve_mapping_type(
    db: &dyn Db,
    scope: &ScopeRef,
    written: &ast::Type,
    start: Span,
) -> Option<MappingResult> {
    resolve_mapping_type_with(db, scope, written, start, &())
}

/// As [`resolve_mapping_type`], with what generic parameters stand for.
pub fn resolve_mapping_type_with(
    db: &dyn Db,
    scope: &ScopeRef,
    written: &ast::Type,
    start: Span,
    bindings: &dyn Bindings,
) -> Option<MappingResult> {
    let mut resolver = Resolver {
        db,
        scope,
        bindings,
        problems: Vec::new(),
        depth: 0,
        expansions: 0,
        observed: None,
    };
    let mapping = resolver.written_type(written, start)?;
    Some(MappingResult {
        mapping,
        problems: resolver.problems,
    })
}

/// The mapping of a type alias; neither mapping nor problem for an alias of something else, for instance a tensor.
#[salsa::tracked(returns(clone), cycle_result = alias_mapping_cycle)]
pub fn alias_mapping(db: &dyn Db, alias: ItemId) -> Arc<MappingResult> {
    match reference_order(db, alias) {
        ReferenceOrder::Sound => {}
        ReferenceOrder::Cyclic => return Arc::new(cyclic(db, alias)),
        ReferenceOrder::NeedsCyclic | ReferenceOrder::TooDeep => return Arc::default(),
    }
    let parsed = parse_item(db, alias);
    let Some(written) = parsed.cast::<ast::TypeAlias>().and_then(|alias| alias.ty()) else {
        return Arc::default();
    };
    let offset = written.syntax().text_range().start().into();
    let scope = scope_at(db, alias, offset);
    Arc::new(
        resolve_mapping_type(db, &scope, &written, parsed.text.full_span()).unwrap_or_default(),
    )
}

fn alias_mapping_cycle(db: &dyn Db, _id: salsa::Id, alias: ItemId) -> Arc<MappingResult> {
    Arc::new(cyclic(db, alias))
}

fn cyclic(db: &dyn Db, alias: ItemId) -> MappingResult {
    let name = alias.name(db).to_string();
    let text = item_text(db, alias);
    // The name follows the keyword.
    let start = text
        .text
        .find(&format!("type {name}"))
        .map_or(0, |start| start + "type ".len());
    let span = text.full_span().span_inside(&(start..start + name.len()));
    MappingResult {
        mapping: None,
        problems: vec![MappingProblem {
            kind: MappingProblemKind::CyclicAlias { name },
            span,
        }],
    }
}

/// The size of a mapping type in a constant: `<m![A]>::SIZE`, `Alias::SIZE`, `Axis::SIZE`.
pub(super) fn size_of_type(
    db: &dyn Db,
    scope: &ScopeRef,
    written: &ast::Type,
    bindings: &dyn Bindings,
) -> Option<u64> {
    // Problems are reported where the macro is, so the place does not matter here.
    let nowhere = Span {
        item: ItemId::new(
            db,
            scope.module.file(db),
            ItemKind::Other,
            scope.module.path(db),
            Arc::from(""),
            0,
            None,
        ),
        start: 0,
        end: 0,
    };
    Some(
        resolve_mapping_type_with(db, scope, written, nowhere, bindings)?
            .mapping?
            .size(),
    )
}

/// The size of the mapping or axis that a path names.
pub(super) fn size_of_path(db: &dyn Db, scope: &ScopeRef, path: &[&str]) -> Option<u64> {
    match resolve_path(db, scope, path, Namespace::Type) {
        Resolution::Axis(axis) => axis.size,
        Resolution::Alias(alias) => Some(alias_mapping(db, alias).mapping.as_ref()?.size()),
        _ => None,
    }
}

struct Resolver<'a> {
    db: &'a dyn Db,
    scope: &'a ScopeRef,
    bindings: &'a dyn Bindings,
    problems: Vec<MappingProblem>,
    depth: usize,
    /// Generic aliases that were written out.
    expansions: usize,
    /// What parts of the expression stand for, by their bytes of the macro's body, where that is asked for.
    observed: Option<Observed>,
}

/// What the parts of one expression stand for, by their bytes of the macro's body.
pub(super) type Observed = FxHashMap<(usize, usize), Mapping>;

impl Resolver<'_> {
    fn push_problem(&mut self, kind: MappingProblemKind, span: Span) {
        self.problems.push(MappingProblem { kind, span });
    }

    fn text(&mut self, text: &str, body: Span) -> Option<Mapping> {
        let parsed = recently_parsed_mapping(text, grammar_of(self.db, body));
        let (node, errors) = &*parsed;
        let broken = !errors.is_empty();
        self.problems
            .extend(grammar_problems(errors.iter().cloned(), body));
        let mapping = self.node(node.as_ref()?, body);
        once_each(&mut self.problems);
        mapping.filter(|_| !broken)
    }

    fn node(&mut self, node: &SyntaxNode, body: Span) -> Option<Mapping> {
        if self.depth >= MAXIMUM_DEPTH {
            self.push_problem(
                MappingProblemKind::Invalid(MappingError::TooDeep),
                body.span_inside(&node.span),
            );
            return None;
        }
        self.depth += 1;
        let mapping = self.kind(node, body);
        self.depth -= 1;
        self.observe(&node.span, mapping.as_ref());
        mapping
    }

    fn observe(&mut self, place: &Range<usize>, mapping: Option<&Mapping>) {
        if let (Some(observed), Some(mapping)) = (&mut self.observed, mapping) {
            observed.insert((place.start, place.end), mapping.clone());
        }
    }

    fn kind(&mut self, node: &SyntaxNode, body: Span) -> Option<Mapping> {
        let span = body.span_inside(&node.span);
        match &node.kind {
            SyntaxKind::One => Some(Mapping::identity()),
            SyntaxKind::Number(count) => self.checked_mapping(Mapping::broadcast(*count), span),
            SyntaxKind::Name(name) => self.name(name, span),
            SyntaxKind::Escape { content } => self.escaped_mapping(body.span_inside(content), span),
            SyntaxKind::Group(inner) => self.node(inner, body),
            SyntaxKind::Missing => None,
            SyntaxKind::Pair(parts) => {
                // Every part is visited, so that each fault is seen.
                let parts: Vec<Option<Mapping>> =
                    parts.iter().map(|part| self.node(part, body)).collect();
                let parts: Option<Vec<Mapping>> = parts.into_iter().collect();
                self.checked_mapping(Mapping::product(&parts?), span)
            }
            SyntaxKind::Binary { .. } => self.binary(node, body),
        }
    }

    /// A chain of operators nests to the left; it is walked as a loop, so that its length does not count as depth.
    fn binary(&mut self, node: &SyntaxNode, body: Span) -> Option<Mapping> {
        let mut operations = Vec::new();
        let mut current = node;
        while let SyntaxKind::Binary {
            operator,
            operator_span,
            left,
            factor,
        } = &current.kind
        {
            operations.push((
                *operator,
                operator_span.start..factor.span.end.max(operator_span.end),
                factor,
                &left.span,
            ));
            current = left;
        }
        let mut mapping = self.node(current, body);
        for (operator, place, factor, left) in operations.into_iter().rev() {
            self.observe(left, mapping.as_ref());
            let count = self.factor_value(factor, body);
            let applied = mapping.zip(count).map(|(mapping, count)| match operator {
                Operator::Stride => mapping.stride(count),
                Operator::Modulo => mapping.modulo(count),
                Operator::Resize => mapping.resize(count),
                Operator::Pad(kind) => mapping.pad_to(count, kind),
            });
            mapping =
                applied.and_then(|applied| self.checked_mapping(applied, body.span_inside(&place)));
        }
        mapping
    }

    fn checked_mapping(
        &mut self,
        mapping: Result<Mapping, MappingError>,
        span: Span,
    ) -> Option<Mapping> {
        mapping
            .map_err(|error| self.push_problem(MappingProblemKind::Invalid(error), span))
            .ok()
    }
}

/// Leaves out what the grammar says of a place where a constant is: that it is one says more.
pub(super) fn once_each(problems: &mut Vec<MappingProblem>) {
    let constants: Vec<Span> = problems
        .iter()
        .filter(|problem| matches!(problem.kind, MappingProblemKind::NamedConstant { .. }))
        .map(|problem| problem.span)
        .collect();
    problems.retain(|problem| {
        !matches!(problem.kind, MappingProblemKind::Grammar { .. })
            || !constants.contains(&problem.span)
    });
}

/// Grammar errors as problems.
pub(super) fn grammar_problems(
    errors: impl IntoIterator<Item = GrammarError>,
    body: Span,
) -> Vec<MappingProblem> {
    let problem = |error: GrammarError| MappingProblem {
        kind: MappingProblemKind::Grammar {
            message: error.message,
            instead: error
                .instead
                .map(|instead| (body.span_inside(&instead.span), instead.text)),
        },
        span: body.span_inside(&error.span),
    };
    errors.into_iter().map(problem).collect()
}
