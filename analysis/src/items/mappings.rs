//! Mapping expressions with their names resolved: from the trees of `m!` to checked mappings and what is wrong with them.
//!
//! A fault inside an alias belongs to the alias: its uses have no mapping and no problem of their own.

mod factors;
mod generics;

use std::ops::Range;
use std::sync::Arc;

use ra_ap_syntax::ast::{self, AstNode};
use rustc_hash::FxHashMap;

use super::bindings::Bindings;
use super::constants::{ConstValue, evaluate};
use super::declarations::{MacroArguments, path_segments};
use super::dialects::{Dialect, dialect};
use super::file::{item_text, macro_name, parse_item};
use super::ids::{ItemId, ItemKind, Span};
use super::recent::recently_parsed_mapping;
use super::references::{ReferenceOrder, reference_order};
use super::resolve::{AxisDefinition, Namespace, Resolution, resolve, visible_type_names};
use super::scopes::{ScopeRef, scope_at};
use super::values::ScopeEnvironment;
use crate::db::Db;
use crate::inputs::SourceFile;
use crate::libraries::{self, Library};
use crate::mapping::{
    Axis, Grammar, GrammarError, Mapping, MappingError, Operator, SyntaxKind, SyntaxNode,
};
use crate::names::nearest_names;
use crate::syntax::parse_text;
use generics::has_arguments;

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
    },
    /// An operator that its operands do not allow, with the numbers.
    Invalid(MappingError),
    /// The alias that the expression belongs to needs itself.
    CyclicAlias {
        /// The alias.
        name: String,
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
#[must_use]
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
    let span = text.full_span().inside(&(start..start + name.len()));
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
    match resolve(db, scope, path, Namespace::Type) {
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
    fn problem(&mut self, kind: MappingProblemKind, span: Span) {
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
            self.problem(
                MappingProblemKind::Invalid(MappingError::TooDeep),
                body.inside(&node.span),
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
        let span = body.inside(&node.span);
        match &node.kind {
            SyntaxKind::One => Some(Mapping::identity()),
            SyntaxKind::Number(count) => self.checked(Mapping::broadcast(*count), span),
            SyntaxKind::Name(name) => self.name(name, span),
            SyntaxKind::Escape { content } => self.escape(body.inside(content)),
            SyntaxKind::Group(inner) => self.node(inner, body),
            SyntaxKind::Missing => None,
            SyntaxKind::Pair(parts) => {
                // Every part is visited, so that each fault is seen.
                let parts: Vec<Option<Mapping>> =
                    parts.iter().map(|part| self.node(part, body)).collect();
                let parts: Option<Vec<Mapping>> = parts.into_iter().collect();
                self.checked(Mapping::product(&parts?), span)
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
            let count = self.factor(factor, body);
            let applied = mapping.zip(count).map(|(mapping, count)| match operator {
                Operator::Stride => mapping.stride(count),
                Operator::Modulo => mapping.modulo(count),
                Operator::Resize => mapping.resize(count),
                Operator::Pad(kind) => mapping.pad_to(count, kind),
            });
            mapping = applied.and_then(|applied| self.checked(applied, body.inside(&place)));
        }
        mapping
    }

    fn checked(&mut self, mapping: Result<Mapping, MappingError>, span: Span) -> Option<Mapping> {
        mapping
            .map_err(|error| self.problem(MappingProblemKind::Invalid(error), span))
            .ok()
    }

    /// Whether a name is that of a constant and of no type.
    fn is_constant(&self, name: &str) -> bool {
        let types = resolve(self.db, self.scope, &[name], Namespace::Type);
        let is_type = !matches!(
            types,
            Resolution::Unknown {
                has_unresolved_glob: false
            }
        );
        !is_type
            && matches!(
                resolve(self.db, self.scope, &[name], Namespace::Value),
                Resolution::Const(_) | Resolution::Parameter(_)
            )
    }

    /// Reports the constant that an expression names, or is, at the place that the macro stops at.
    fn named_constant(&mut self, expression: Span, span: Span, factor: bool) {
        let kind = MappingProblemKind::NamedConstant {
            text: self.source(span),
            value: self.constant(expression),
            factor,
            grammar: grammar_of(self.db, span),
        };
        self.problem(kind, span);
    }

    fn source(&self, span: Span) -> String {
        let text = item_text(self.db, span.item);
        let source = text.text.get(span.start as usize..span.end as usize);
        source.unwrap_or("").to_owned()
    }

    fn constant(&self, span: Span) -> Option<u64> {
        self.constant_text(&self.source(span))?.as_u64()
    }

    fn constant_text(&self, text: &str) -> Option<ConstValue> {
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
        Some(evaluate(&item.body()?, &environment))
    }

    fn name(&mut self, name: &str, span: Span) -> Option<Mapping> {
        match resolve(self.db, self.scope, &[name], Namespace::Type) {
            Resolution::Axis(axis) => axis_mapping(&axis),
            Resolution::Alias(alias) => alias_mapping(self.db, alias).mapping.clone(),
            Resolution::Parameter(_) => {
                let bound = self.bindings.mapping(name);
                if bound.is_none() {
                    self.problem(MappingProblemKind::UnresolvedEscape, span);
                }
                bound
            }
            Resolution::Prelude(path) if &*path == "Identity" => Some(Mapping::identity()),
            // No name of the preludes is an axis, so its being there explains nothing.
            Resolution::Prelude(path) if libraries::is_prelude_name(&path) => {
                self.unknown(name, false, span)
            }
            Resolution::Unknown {
                has_unresolved_glob,
            } => self.unknown(name, has_unresolved_glob, span),
            Resolution::Const(_)
            | Resolution::Function(_)
            | Resolution::Module(_)
            | Resolution::Type(_)
            | Resolution::Prelude(_)
            | Resolution::External => self.unknown(name, true, span),
        }
    }

    fn unknown(&mut self, name: &str, silent: bool, span: Span) -> Option<Mapping> {
        if !silent && self.is_constant(name) {
            self.named_constant(span, span, false);
            return None;
        }
        let nearest = if silent {
            Vec::new()
        } else {
            let visible = visible_type_names(self.db, self.scope);
            nearest_names(name, visible.iter().map(|name| &**name))
        };
        let kind = MappingProblemKind::UnknownAxis {
            name: name.to_owned(),
            nearest,
            silent,
        };
        self.problem(kind, span);
        None
    }

    /// `{ type }`: pasted verbatim, so anything that is a mapping as a type.
    fn escape(&mut self, span: Span) -> Option<Mapping> {
        const BEFORE: &str = "type X = ";
        let source = format!("{BEFORE}{};", self.source(span));
        let written = parse_text(&source).ok().and_then(|parse| {
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
        // The places of another text are not observed.
        let observed = self.observed.take();
        let mapping = written.and_then(|written| self.written_type(&written, start));
        self.observed = observed;
        mapping.unwrap_or_else(|| {
            self.problem(MappingProblemKind::UnresolvedEscape, span);
            None
        })
    }

    /// The outer option says whether the type is a mapping at all. Offsets of the tree count from `start`.
    fn written_type(&mut self, written: &ast::Type, start: Span) -> Option<Option<Mapping>> {
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
                match resolve(self.db, self.scope, &segments, Namespace::Type) {
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
                    Resolution::Prelude(name) if &*name == "Identity" => {
                        Some(Some(Mapping::identity()))
                    }
                    Resolution::Prelude(name) if &*name == "Symbol" => self.symbol(&path, start),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// `Symbol<A>`, what an axis expands to.
    fn symbol(&mut self, path: &ast::Path, start: Span) -> Option<Option<Mapping>> {
        let arguments = ast::HasGenericArgs::generic_arg_list(&path.segment()?)?;
        let mut arguments = arguments.generic_args();
        let (Some(ast::GenericArg::TypeArg(axis)), None) = (arguments.next(), arguments.next())
        else {
            return None;
        };
        self.written_type(&axis.ty()?, start)
    }
}

fn axis_mapping(axis: &AxisDefinition) -> Option<Mapping> {
    Some(Mapping::axis(Axis::new(&axis.name, axis.size?)))
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
                .map(|instead| (body.inside(&instead.span), instead.text)),
        },
        span: body.inside(&error.span),
    };
    errors.into_iter().map(problem).collect()
}
