//! Every call of `m!`, `i!` and `axes!` in an item, resolved once, whether a kernel reaches it or not.

use std::cell::Cell;
use std::sync::Arc;

use ra_ap_syntax::ast::{self, AstNode};
use ra_ap_syntax::{NodeOrToken, SyntaxElement, SyntaxKind, SyntaxNode, TextRange, TextSize};
use rustc_hash::{FxHashMap, FxHashSet};

use super::attributes::{DeviceEntry, device_entries};
use super::declarations::{MacroArguments, WrittenArguments};
use super::file::{ItemText, item_text, parse_item};
use super::ids::{ItemId, ItemKind, Span};
use super::mappings::{
    MappingProblem, MappingProblemKind, MappingResult, Observed, alias_mapping,
    arguments_of_other_roles, grammar_of, grammar_problems, observe_mapping_text, once_each,
    resolve_mapping, resolve_mapping_text,
};
use super::recent::recently_parsed_mapping;
use super::references::{ReferenceOrder, reference_order};
use super::remarks::{MappingRemark, mapping_remarks};
use super::scopes::{ItemScopes, block_scopes, scope_at};
use crate::db::Db;
use crate::mapping::{
    AxisDeclaration, Grammar, Mapping, SyntaxNode as SyntaxTree, parse_axes_in, parse_index_in,
};
use crate::syntax::{VisitedNode, green_path_name, nodes_of};

/// Which macro is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SiteKind {
    /// `m!`.
    Mapping,
    /// `i!`.
    Index,
    /// `axes!`.
    Axes,
}

impl SiteKind {
    /// The macro of a name.
    fn of(name: &str) -> Option<Self> {
        match name {
            "m" => Some(Self::Mapping),
            "i" => Some(Self::Index),
            "axes" => Some(Self::Axes),
            _ => None,
        }
    }
}

/// A call of one of the macros of mappings.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MappingSite {
    /// Which.
    pub kind: SiteKind,
    /// The call.
    pub span: Span,
    /// The text between its delimiters.
    pub body: Span,
    /// For `m!` its mapping; for `i!` the mapping of every entry; empty for `axes!`. None where unknown or wrong.
    pub mappings: Vec<Option<Mapping>>,
    /// What is wrong in it.
    pub problems: Vec<MappingProblem>,
    /// What there is to remark about an `m!` that nothing is wrong in.
    pub remarks: Vec<MappingRemark>,
}

impl MappingSite {
    /// Whether a place is between its delimiters.
    pub fn holds(&self, place: Span) -> bool {
        let body = self.body;
        body.item == place.item && body.start <= place.start && place.end <= body.end
    }
}

/// The calls in an item of a module, those in its blocks included, in the order of the text. Bodies of `macro_rules!` are
/// templates and have none.
#[salsa::tracked(returns(clone))]
pub fn mapping_sites(db: &dyn Db, item: ItemId) -> Arc<[MappingSite]> {
    if item.kind(db) == ItemKind::MacroDefinition || item.parent(db).is_some() {
        return Arc::from([]);
    }
    let parsed = parse_item(db, item);
    let Some(root) = parsed.root() else {
        return Arc::from([]);
    };
    let mut collector = Collector {
        db,
        item,
        text: &parsed.text,
        scopes: ItemScopes::of(db, item),
        sites: Vec::new(),
        faultless: FxHashMap::default(),
    };
    collector.collect_sites(root.syntax());
    collector.cycles();
    collector.roles(root.syntax());
    collector.sites.sort_by_key(|site| site.span.start);
    collector.sites.into()
}

/// What an `m!` would say if its body were written otherwise. Spans of problems count in the new text.
pub fn resolve_edited(db: &dyn Db, site: &MappingSite, text: &str) -> MappingResult {
    let scope = scope_at(db, site.span.item, site.span.start);
    resolve_mapping_text(db, &scope, text, site.body)
}

/// What the parts of an `m!` stand for.
#[derive(Debug, Clone, Default)]
pub struct MappingParts {
    /// The body's tree, as far as it could be read; places count in bytes of the body.
    pub tree: Option<SyntaxTree>,
    /// The whole, and what is wrong in it.
    pub result: MappingResult,
    observed: Observed,
}

impl MappingParts {
    /// What the node or group of those bytes stands for; none where that is unknown or wrong.
    pub fn mapping(&self, place: &std::ops::Range<usize>) -> Option<&Mapping> {
        self.observed.get(&(place.start, place.end))
    }
}

/// Resolves an `m!` again, with every part of it. Nothing for the other macros.
pub fn mapping_parts(db: &dyn Db, site: &MappingSite) -> MappingParts {
    let item = site.body.item;
    let text = item_text(db, item);
    let body = text
        .text
        .get(site.body.start as usize..site.body.end as usize)
        .filter(|_| site.kind == SiteKind::Mapping);
    let Some(body) = body else {
        return MappingParts::default();
    };
    let scope = scope_at(db, item, site.span.start);
    let (result, observed) = observe_mapping_text(db, &scope, body, site.body);
    let parsed = recently_parsed_mapping(body, grammar_of(db, site.body));
    MappingParts {
        tree: parsed.0.clone(),
        result,
        observed,
    }
}

struct Collector<'a> {
    db: &'a dyn Db,
    item: ItemId,
    text: &'a ItemText,
    scopes: ItemScopes,
    sites: Vec<MappingSite>,
    /// What was read of bodies of `m!` that nothing is wrong in, by the block around them, in which their names are looked up:
    /// kernels write the same few again and again.
    faultless: FxHashMap<Option<u32>, FxHashMap<Box<str>, Faultless>>,
}

/// A call whose tree of tokens is in the code itself, not in the arguments of another macro.
struct PlainCall {
    kind: SiteKind,
    /// Where the call starts.
    start: TextSize,
    /// Its tree of tokens.
    tree: TextRange,
    /// Whether that tree has more than one token or tree in it.
    filled: bool,
}

impl PlainCall {
    /// The call that a tree of tokens belongs to, where it is just a name, `!` and the tree.
    fn of(tree: VisitedNode<'_>) -> Option<Self> {
        if tree.kind != SyntaxKind::TOKEN_TREE || tree.parent_kind() != SyntaxKind::MACRO_CALL {
            return None;
        }
        let mut children = tree.parent.children().filter(|child| match child {
            NodeOrToken::Token(token) => !SyntaxKind::from(token.kind().0).is_trivia(),
            NodeOrToken::Node(_) => true,
        });
        let path = tree.parent.children().next()?.into_node()?;
        children.next();
        let bang = children.next()?.into_token()?;
        let body = children.next()?.into_node()?;
        let is_plain = SyntaxKind::from(path.kind().0) == SyntaxKind::PATH
            && path.children().count() == 1
            && SyntaxKind::from(bang.kind().0) == SyntaxKind::BANG
            && std::ptr::eq(body, tree.node);
        let kind = SiteKind::of(green_path_name(tree.parent).filter(|_| is_plain)?)?;
        Some(Self {
            kind,
            start: tree.parent_start,
            tree: tree.range,
            filled: tree.node.children().count() > 1,
        })
    }
}

/// Where a text has the `!` that every call of a macro has: most nodes of a kernel have none in them and are not looked into.
struct Marks {
    offsets: Vec<usize>,
    /// The first that is not before the last place that was asked about: a walk asks in the order of the text.
    next: Cell<usize>,
}

impl Marks {
    fn of(text: &str) -> Self {
        Self {
            offsets: memchr::memchr_iter(b'!', text.as_bytes()).collect(),
            next: Cell::new(0),
        }
    }

    /// Whether one is in a range, which starts nowhere before those that were asked about.
    fn has_one_in(&self, range: TextRange) -> bool {
        let (start, end) = (usize::from(range.start()), usize::from(range.end()));
        let mut next = self.next.get();
        while self.offsets.get(next).is_some_and(|mark| *mark < start) {
            next += 1;
        }
        self.next.set(next);
        self.offsets.get(next).is_some_and(|mark| *mark < end)
    }
}

/// What an `m!` says that nothing is wrong in.
struct Faultless {
    mapping: Mapping,
    remarks: Vec<MappingRemark>,
    /// The body that was read: the remarks are placed in it.
    body: Span,
}

impl Faultless {
    /// The remarks, placed in another body of the same text.
    fn remarks_in(&self, body: Span) -> Vec<MappingRemark> {
        let remarks = self.remarks.iter().cloned();
        remarks
            .map(|remark| remark.moved_remark(self.body, body))
            .collect()
    }
}

impl Collector<'_> {
    fn collect_sites(&mut self, root: &SyntaxNode) {
        let mut calls = Vec::new();
        // Nothing in a site is another one.
        let mut end = TextSize::from(0);
        let may_be_site = |met: VisitedNode<'_>| {
            if met.kind != SyntaxKind::TOKEN_TREE || met.range.start() < end {
                return false;
            }
            if let Some(call) = PlainCall::of(met) {
                end = met.range.end();
                calls.push(call);
                return false;
            }
            let of_macro = met.parent_kind() == SyntaxKind::MACRO_CALL;
            let name = of_macro.then(|| green_path_name(met.parent)).flatten();
            !of_macro || name.is_some_and(|name| SiteKind::of(name).is_some())
        };
        let marks = Marks::of(&self.text.text);
        let runs = |met: VisitedNode<'_>| match met.kind {
            SyntaxKind::MACRO_RULES | SyntaxKind::MACRO_DEF => false,
            // The mark of a call is before its tree, not in it.
            SyntaxKind::TOKEN_TREE => true,
            _ => marks.has_one_in(met.range),
        };
        let others = nodes_of(root, may_be_site, runs);
        self.sites.reserve(calls.len());
        for call in calls {
            self.plain_call(&call);
        }
        let mut end = TextSize::from(0);
        for tree in others {
            let range = tree.text_range();
            if range.start() >= end && self.token_tree(&tree) {
                end = range.end();
            }
        }
    }

    fn plain_call(&mut self, call: &PlainCall) {
        let range = std::ops::Range::<usize>::from(call.tree);
        let text = Arc::clone(&self.text.text);
        let tree = text.get(range).unwrap_or_default();
        let start = call.tree.start().into();
        if let Some(arguments) = WrittenArguments::of(tree, start, call.filled) {
            let end = call.tree.end().into();
            self.site(call.kind, (call.start.into(), end), &arguments);
        }
    }

    /// Adds a site for each alias that needs itself, where its name is: it may be written without any macro.
    fn cycles(&mut self) {
        let scopes = block_scopes(self.db, self.item);
        let aliases = scopes
            .locals
            .iter()
            .map(|local| local.id)
            .chain([self.item]);
        for alias in aliases.filter(|alias| alias.kind(self.db) == ItemKind::Alias) {
            if reference_order(self.db, alias) != ReferenceOrder::Cyclic {
                continue;
            }
            let problems = alias_mapping(self.db, alias).problems.clone();
            let Some(span) = problems.first().map(|problem| problem.span) else {
                continue;
            };
            self.sites.push(MappingSite {
                kind: SiteKind::Mapping,
                span,
                body: span,
                mappings: vec![None],
                problems,
                remarks: Vec::new(),
            });
        }
    }

    /// Adds a site for each argument of a type that is an axis where a mapping is wanted, or a mapping where an axis is.
    fn roles(&mut self, root: &SyntaxNode) {
        let scope_at = |offset| self.scopes.scope_at_offset(self.db, offset);
        let place = |range| self.text.span_of(range);
        for problem in arguments_of_other_roles(self.db, self.item, root, scope_at, place) {
            self.sites.push(MappingSite {
                kind: SiteKind::Axes,
                span: problem.span,
                body: problem.span,
                mappings: Vec::new(),
                problems: vec![problem],
                remarks: Vec::new(),
            });
        }
    }

    /// Adds the site of a tree of tokens that is the body of one of the macros: the tokens before it are `!` and a name, be it
    /// in code or in the arguments of another macro.
    fn token_tree(&mut self, tree: &SyntaxNode) -> bool {
        let before = |element: &SyntaxElement| {
            std::iter::successors(
                element.prev_sibling_or_token(),
                SyntaxElement::prev_sibling_or_token,
            )
            .find(|element| !element.kind().is_trivia())
        };
        let Some(bang) =
            before(&tree.clone().into()).filter(|bang| bang.kind() == SyntaxKind::BANG)
        else {
            return false;
        };
        let Some(name) = before(&bang) else {
            return false;
        };
        let last = match &name {
            SyntaxElement::Node(path) => path.last_token(),
            SyntaxElement::Token(token) => Some(token.clone()),
        };
        let Some(kind) = last.and_then(|last| SiteKind::of(last.text())) else {
            return false;
        };
        let Some(arguments) = MacroArguments::of_tree(tree) else {
            return false;
        };
        let place = (
            name.text_range().start().into(),
            tree.text_range().end().into(),
        );
        self.site(kind, place, &arguments.written());
        true
    }

    /// Adds the site of a call at a place.
    fn site(&mut self, kind: SiteKind, (start, end): (u32, u32), arguments: &WrittenArguments<'_>) {
        let span = self.text.span(start, end);
        let body = arguments.full_span(self.text);
        let site = MappingSite {
            kind,
            span,
            body,
            mappings: Vec::new(),
            problems: Vec::new(),
            remarks: Vec::new(),
        };
        let site = match kind {
            SiteKind::Mapping => self.mapping(site, arguments.text, start),
            SiteKind::Index => self.index(site, arguments.text, start),
            SiteKind::Axes => axes_site(site, arguments.text, grammar_of(self.db, body)),
        };
        self.sites.push(site);
    }

    fn mapping(&mut self, mut site: MappingSite, text: &str, offset: u32) -> MappingSite {
        let block = self.scopes.block_at(offset);
        let known = self.faultless.get(&block);
        if let Some(known) = known.and_then(|known| known.get(text)) {
            site.remarks = known.remarks_in(site.body);
            site.mappings.push(Some(known.mapping.clone()));
            return site;
        }
        let scope = self.scopes.scope_at_offset(self.db, offset);
        let (result, observed) = observe_mapping_text(self.db, &scope, text, site.body);
        site.problems = result.problems;
        // Between the brackets of an empty call nothing can be shown.
        let book = grammar_of(self.db, site.body).is_book();
        for problem in &mut site.problems {
            if !book && problem.span == site.body && problem.span.start == problem.span.end {
                problem.span = site.span;
            }
        }
        if result.mapping.is_some() {
            let grammar = grammar_of(self.db, site.body);
            if let (Some(tree), _) = &*recently_parsed_mapping(text, grammar) {
                site.remarks = mapping_remarks(tree, text, &observed, grammar, site.body);
            }
        }
        if let (Some(mapping), true) = (&result.mapping, site.problems.is_empty()) {
            let known = Faultless {
                mapping: mapping.clone(),
                remarks: site.remarks.clone(),
                body: site.body,
            };
            let of_block = self.faultless.entry(block).or_default();
            of_block.insert(text.into(), known);
        }
        site.mappings.push(result.mapping);
        site
    }

    fn index(&self, mut site: MappingSite, text: &str, offset: u32) -> MappingSite {
        let scope = self.scopes.scope_at_offset(self.db, offset);
        let (entries, errors) = parse_index_in(text, grammar_of(self.db, site.body));
        site.problems = grammar_problems(errors, site.body);
        for entry in entries {
            let MappingResult { mapping, problems } =
                resolve_mapping(self.db, &scope, &entry.mapping, site.body);
            site.mappings.push(mapping);
            site.problems.extend(problems);
        }
        once_each(&mut site.problems);
        site
    }
}

fn axes_site(mut site: MappingSite, text: &str, grammar: Grammar) -> MappingSite {
    let (axes, errors) = parse_axes_in(text, grammar);
    let sizes: Vec<_> = axes
        .iter()
        .filter_map(|axis| Some((axis.size_span.clone(), size_problem(axis, text)?)))
        .collect();
    // A number that is too large is no fault of the grammar.
    let fine: FxHashSet<_> = sizes.iter().map(|(span, _)| span.clone()).collect();
    let errors = errors
        .into_iter()
        .filter(|error| !fine.contains(&error.span));
    site.problems = grammar_problems(errors, site.body);
    for (span, kind) in sizes {
        let span = site.body.span_inside(&span);
        site.problems.push(MappingProblem { kind, span });
    }
    let mut first: FxHashMap<String, Span> = FxHashMap::default();
    for axis in axes {
        let span = site.body.span_inside(&axis.name_span);
        let name = axis.name;
        if let Some(first) = first.get(&name) {
            let kind = MappingProblemKind::DuplicateAxis {
                name,
                first: *first,
            };
            site.problems.push(MappingProblem { kind, span });
        } else {
            first.insert(name, span);
        }
    }
    site
}

fn size_problem(axis: &AxisDeclaration, text: &str) -> Option<MappingProblemKind> {
    let name = axis.name.clone();
    match axis.size {
        Some(0) => Some(MappingProblemKind::AxisSizeZero { name }),
        Some(_) => None,
        None => {
            let digits = text.get(axis.size_span.clone())?;
            let number = digits.starts_with(|first: char| first.is_ascii_digit())
                && digits
                    .chars()
                    .all(|character| character.is_ascii_alphanumeric() || character == '_');
            number.then_some(MappingProblemKind::AxisSizeOverflow { name })
        }
    }
}

/// `#[device(chip = N)]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DeviceAttribute {
    /// The chip count, if it is a literal that fits.
    pub chips: Option<u64>,
    /// The count of processing elements (the successor's library only), if it is a literal that fits.
    pub pe: Option<u64>,
    /// The attribute's argument: what is between its parentheses, or the attribute without one.
    pub span: Span,
    /// Its entries, as they are written.
    pub entries: Box<[DeviceEntry]>,
}

/// The `#[device(…)]` of a function.
#[salsa::tracked(returns(clone))]
pub fn device_attribute(db: &dyn Db, function: ItemId) -> Option<DeviceAttribute> {
    let parsed = parse_item(db, function);
    let node = parsed.cast::<ast::Fn>()?;
    let attribute = ast::HasAttrs::attrs(&node).find(|attribute| {
        let path = attribute.syntax().descendants().find_map(ast::Path::cast);
        let name = path
            .and_then(|path| path.segment())
            .and_then(|segment| segment.name_ref());
        name.is_some_and(|name| name.text() == "device")
    })?;
    let tree = attribute
        .syntax()
        .descendants()
        .find_map(ast::TokenTree::cast);
    let Some(arguments) = tree.and_then(|tree| MacroArguments::of_tree(tree.syntax())) else {
        return Some(DeviceAttribute {
            chips: None,
            pe: None,
            span: parsed.span(attribute.syntax()),
            entries: Box::default(),
        });
    };
    let value = |key: &str| {
        let entries = arguments.text.split(',');
        let value = entries
            .filter_map(|entry| entry.split_once('='))
            .find(|(name, _)| name.trim() == key);
        super::constants::literal_u64(value?.1.trim())
    };
    Some(DeviceAttribute {
        // The library keeps a byte of it.
        chips: value("chip").filter(|chips| *chips <= u64::from(u8::MAX)),
        pe: value("pe"),
        entries: device_entries(&parsed.text, &arguments),
        span: arguments.full_span(&parsed.text),
    })
}
