//! Calls of the project's own macros: which definition a name means, and what each call of a file stands for.
//!
//! Runs before names are resolved, since macros declare names: a macro is looked for where its text is in scope, else among the
//! files of the package, else among what other packages export. Where two definitions fit, none is taken. Macros of other crates
//! are not known.

#![allow(
    missing_docs,
    reason = "salsa generates undocumented constructors and setters"
)]

use std::cell::OnceCell;
use std::sync::Arc;

use ra_ap_syntax::ast::{self, AstNode, HasAttrs, HasName};
use ra_ap_syntax::{SourceFile as SourceTree, SyntaxKind, SyntaxNode, TextRange, TextSize};
use rustc_hash::{FxHashMap, FxHashSet};
use salsa::Id;
use salsa::plumbing::{AsId, FromId};

use super::crates::package_around;
use super::declarations::QUIET_MACROS;
use super::file::{macro_name, plain_name};
use super::loose::{LooseCrates, loose_crate, loose_crates};
use crate::db::Db;
use crate::inputs::{PackageEntry, Project, SourceFile, parse};
use crate::names::is_word_letter;
use crate::syntax::{CallOrigin, CallPlace, DefinitionKey, Expanded, MacroRules};

/// What begins a definition.
const KEYWORD: &str = "macro_rules";

/// Bytes that all calls of a file together may stand for.
const MAXIMUM_LENGTH: usize = 1 << 22;

/// Macros that declare names or bring text, and are never looked for either.
const NEVER_EXPANDED: [&str; 3] = ["axes", "include", "option_env"];

/// What a call among the items of a module stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ExpandedItems {
    /// The text of the items.
    pub(super) text: String,
    /// Where it is reported.
    pub(super) origin: CallOrigin,
}

/// What the calls of a file stand for.
#[derive(Clone, Debug, Default)]
pub(super) struct ExpandedCalls {
    /// Calls among the items of modules, by their range.
    pub(super) items: Vec<(TextRange, ExpandedItems)>,
    /// Calls inside of items: their range, where they are reported, and the text.
    pub(super) inside: Vec<(TextRange, CallOrigin, String)>,
}

/// A definition, as other files see it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Definition {
    name: Arc<str>,
    rules: MacroRules,
    exported: bool,
}

/// A definition of the file itself.
struct Own {
    name: Arc<str>,
    rules: MacroRules,
    /// Where it is in scope.
    scope: TextRange,
    /// A condition says whether it is there.
    conditional: bool,
}

/// What the calls of a file stand for that name macros of the project. `text` is the tree's text.
pub(super) fn expanded_calls(
    db: &dyn Db,
    file: SourceFile,
    tree: &SourceTree,
    text: &str,
) -> ExpandedCalls {
    let mut found = ExpandedCalls::default();
    let called = called_names(text);
    if called.is_empty() {
        return found;
    }
    let own = own_definitions(db, file, tree, text);
    let elsewhere = OnceCell::new();
    let lookup = |name: &str, at: TextSize| -> Option<MacroRules> {
        let fits = |own: &&Own| *own.name == *name;
        // Which of two a condition leaves is not ours to say.
        let first = own.iter().find(fits);
        let differs =
            |other: &Own| first.is_some_and(|first| !first.rules.says_the_same(&other.rules));
        if own.iter().filter(fits).any(|own| own.conditional)
            && own.iter().filter(fits).any(differs)
        {
            return None;
        }
        // The last one before the call, in the innermost scope around it; else any, as `#[macro_use]` has it.
        let visible = own.iter().filter(fits).filter(|own| own.scope.contains(at));
        let nearest = visible.max_by_key(|own| own.scope.start());
        if let Some(own) = nearest.or_else(|| own.iter().rfind(fits)) {
            return Some(own.rules.clone());
        }
        elsewhere
            .get_or_init(|| macros_for(db, file))
            .get(name)
            .cloned()
            .flatten()
    };
    let mut length = 0_usize;
    let calls = tree.syntax().descendants().filter_map(ast::MacroCall::cast);
    for call in calls {
        let Some(name) = macro_name(&call).filter(|name| called.contains(name.as_str())) else {
            continue;
        };
        let range = call.syntax().text_range();
        let Some(rules) = lookup(&name, range.start()) else {
            continue;
        };
        let (among_items, place) = place_of(&call);
        let Some((arguments, arguments_start)) = bracketed_text(&call) else {
            continue;
        };
        let expanded = rules.expand(&arguments, place, &|name| lookup(name, range.start()));
        let Some(Expanded {
            text,
            mut copied,
            written,
        }) = expanded
        else {
            continue;
        };
        length = length.saturating_add(text.len());
        if length > MAXIMUM_LENGTH {
            break;
        }
        for part in &mut copied {
            part.from = part.from.saturating_add(arguments_start.into());
        }
        let origin = CallOrigin {
            name: reported_at(&call),
            copied,
            written,
        };
        if among_items {
            found.items.push((range, ExpandedItems { text, origin }));
        } else {
            found.inside.push((range, origin, text));
        }
    }
    found
}

/// The names of macros that a text may call, without those of the library and of Rust.
fn called_names(text: &str) -> FxHashSet<&str> {
    let mut called = FxHashSet::default();
    for (at, _) in text.match_indices('!') {
        let (before, behind) = text.split_at(at);
        if !without_remarks(behind.get(1..).unwrap_or_default()).starts_with(['(', '[', '{']) {
            continue;
        }
        let names = ends_before_remarks(before).into_iter().flatten();
        let names = names.filter_map(|before| {
            let begins = before.trim_end_matches(is_word_letter).len();
            before.get(begins..).filter(|name| !name.is_empty())
        });
        called.extend(
            names.filter(|name| !QUIET_MACROS.contains(name) && !NEVER_EXPANDED.contains(name)),
        );
    }
    called
}

/// A text from its first token on.
fn without_remarks(text: &str) -> &str {
    let mut rest = text.trim_start();
    loop {
        let behind = match rest.get(..2) {
            Some("//") => rest.split_once('\n').map_or("", |(_, behind)| behind),
            Some("/*") => rest.split_once("*/").map_or("", |(_, behind)| behind),
            _ => return rest,
        };
        rest = behind.trim_start();
    }
}

/// Where a text may end, if what it ends with is a remark: it is read forwards alone that tells one from a string.
fn ends_before_remarks(text: &str) -> [Option<&str>; 3] {
    let text = text.trim_end();
    let block = text.strip_suffix("*/").and_then(|text| text.rfind("/*"));
    let line = text.rfind('\n').map_or(0, |end| end + 1);
    let line = text
        .get(line..)
        .and_then(|last| Some(line + last.find("//")?));
    let until = |end: Option<usize>| text.get(..end?).map(str::trim_end);
    [Some(text), until(block), until(line)]
}

/// Whether a call is among the items of a module, and where it is written.
fn place_of(call: &ast::MacroCall) -> (bool, CallPlace) {
    use SyntaxKind::{ASSOC_ITEM_LIST, EXPR_STMT, ITEM_LIST, MACRO_EXPR, SOURCE_FILE, STMT_LIST};
    let kind = |node: &SyntaxNode| node.parent().map(|parent| parent.kind());
    let node = call.syntax();
    match kind(node) {
        Some(SOURCE_FILE | ITEM_LIST) => {
            let in_block = node
                .ancestors()
                .any(|node| ast::BlockExpr::can_cast(node.kind()));
            (!in_block, CallPlace::Statement)
        }
        Some(ASSOC_ITEM_LIST | STMT_LIST) => (false, CallPlace::Statement),
        Some(MACRO_EXPR) => {
            let around = node.parent().as_ref().and_then(kind);
            let place = match around {
                Some(EXPR_STMT | STMT_LIST) => CallPlace::Statement,
                _ => CallPlace::Inside,
            };
            (false, place)
        }
        _ => (false, CallPlace::Inside),
    }
}

/// The text between the brackets of a call, and where it begins.
fn bracketed_text(call: &ast::MacroCall) -> Option<(String, TextSize)> {
    let tree = call.token_tree()?;
    let text = tree.syntax().text().to_string();
    let inside = text.strip_prefix(['(', '[', '{'])?;
    let inside = inside.strip_suffix([')', ']', '}'])?.to_owned();
    Some((
        inside,
        tree.syntax().text_range().start() + TextSize::of('('),
    ))
}

/// The name of a called macro, with its path and its sign.
fn reported_at(call: &ast::MacroCall) -> TextRange {
    let whole = call.syntax().text_range();
    let path = call.path().map(|path| path.syntax().text_range());
    let sign = call.excl_token().map(|sign| sign.text_range());
    match (path, sign) {
        (Some(path), Some(sign)) => path.cover(sign),
        _ => whole,
    }
}

/// The definitions of a file with their scopes, in the order of the text.
fn own_definitions(db: &dyn Db, file: SourceFile, tree: &SourceTree, text: &str) -> Vec<Own> {
    if !text.contains(KEYWORD) {
        return Vec::new();
    }
    let end = tree.syntax().text_range().end();
    numbered_definitions(db, file, tree)
        .filter_map(|(id, definition)| {
            let from = definition.syntax().text_range().end();
            let around = definition.syntax().ancestors().skip(1).find(|node| {
                ast::BlockExpr::can_cast(node.kind()) || ast::ItemList::can_cast(node.kind())
            });
            let to = around.map_or(end, |around| around.text_range().end());
            Some(Own {
                name: plain_name(definition.name()?.text()),
                rules: rules_of(id, &definition)?,
                conditional: is_conditional(&definition),
                scope: TextRange::new(from, to.max(from)),
            })
        })
        .collect()
}

fn is_conditional(definition: &ast::MacroRules) -> bool {
    let mut metas = definition.attrs().filter_map(|attribute| attribute.meta());
    metas.any(|meta| matches!(meta, ast::Meta::CfgMeta(_) | ast::Meta::CfgAttrMeta(_)))
}

fn rules_of(id: DefinitionId, definition: &ast::MacroRules) -> Option<MacroRules> {
    let text = definition.token_tree()?.syntax().text().to_string();
    let inside = text.strip_prefix(['(', '[', '{'])?;
    MacroRules::read(inside.strip_suffix([')', ']', '}'])?, id.key())
}

/// A definition of a macro, by its place among those of its file.
#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX, debug)]
pub struct DefinitionId {
    /// The file.
    #[returns(copy)]
    pub file: SourceFile,
    /// How many definitions are before it, those in blocks included.
    #[returns(copy)]
    pub ordinal: u32,
}

impl DefinitionId {
    fn key(self) -> DefinitionKey {
        DefinitionKey(self.as_id().as_bits())
    }

    /// The definition that rules were read from.
    pub(super) fn of_key(key: DefinitionKey) -> Self {
        Self::from_id(Id::from_bits(key.0))
    }
}

/// The definitions of a file.
fn numbered_definitions(
    db: &dyn Db,
    file: SourceFile,
    tree: &SourceTree,
) -> impl Iterator<Item = (DefinitionId, ast::MacroRules)> {
    let all = tree.syntax().descendants();
    let all = all.filter_map(ast::MacroRules::cast);
    (0..)
        .zip(all)
        .map(move |(ordinal, definition)| (DefinitionId::new(db, file, ordinal), definition))
}

/// The name of a macro, and a byte of its file.
type NamedStart = (Arc<str>, u32);

/// The name of a macro and, in its file, the byte behind the brace that opens its rules; none where it is no longer there. Changes
/// with every edit: only for reporting.
pub fn definition_start(db: &dyn Db, definition: DefinitionId) -> Option<NamedStart> {
    let starts = definition_starts(db, definition.file(db));
    starts.get(definition.ordinal(db) as usize)?.clone()
}

#[salsa::tracked(returns(clone))]
fn definition_starts(db: &dyn Db, file: SourceFile) -> Arc<[Option<NamedStart>]> {
    let parsed = parse(db, file);
    let Some(tree) = parsed.tree() else {
        return Arc::from([]);
    };
    let starts = numbered_definitions(db, file, &tree).map(|(_, definition)| {
        let start = definition.token_tree()?.syntax().text_range().start() + TextSize::of('{');
        let name = plain_name(definition.name()?.text());
        Some((name, u32::from(start).saturating_add(parsed.offset())))
    });
    starts.collect()
}

/// The definitions of a file, as other files see them: those in blocks are not seen.
#[salsa::tracked(returns(clone))]
fn definitions(db: &dyn Db, file: SourceFile) -> Arc<[Definition]> {
    if !file.text(db).contains(KEYWORD) {
        return Arc::from([]);
    }
    let Some(tree) = parse(db, file).tree() else {
        return Arc::from([]);
    };
    let all = numbered_definitions(db, file, &tree);
    let seen = all.filter(|(_, definition)| {
        let mut around = definition.syntax().ancestors();
        !around.any(|node| ast::BlockExpr::can_cast(node.kind()))
    });
    seen.filter_map(|(id, definition)| {
        let exported = definition.attrs().any(|attribute| {
            let name = attribute.path().and_then(|path| path.as_single_name_ref());
            name.is_some_and(|name| name.text() == "macro_export")
        });
        Some(Definition {
            name: plain_name(definition.name()?.text()),
            rules: rules_of(id, &definition)?,
            exported,
        })
    })
    .collect()
}

/// Macros by name; none where several are meant.
type Macros = FxHashMap<Arc<str>, Option<MacroRules>>;

/// The macros of a project by package, those of crates outside of all packages by the crate's first file, and those that any may
/// use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct ProjectMacros {
    packages: FxHashMap<PackageEntry, Macros>,
    loose: FxHashMap<SourceFile, Macros>,
    exported: Macros,
}

#[salsa::tracked(returns(clone))]
fn project_macros(db: &dyn Db, project: Project) -> Arc<ProjectMacros> {
    // A definition may be typed into, in any file.
    project.restless(db);
    let mut found = ProjectMacros::default();
    for file in project.files(db).values() {
        let definitions = definitions(db, *file);
        if definitions.is_empty() {
            continue;
        }
        let own = match package_around(db, *file) {
            Some(package) => found.packages.entry(package).or_default(),
            None => {
                let first = loose_crate(db, project, *file);
                found.loose.entry(first).or_default()
            }
        };
        for definition in definitions.iter() {
            add(own, definition);
            if definition.exported {
                add(&mut found.exported, definition);
            }
        }
    }
    Arc::new(found)
}

fn add(macros: &mut Macros, definition: &Definition) {
    let name = Arc::clone(&definition.name);
    macros
        .entry(name)
        .and_modify(|known| {
            let same = |known: &MacroRules| known.says_the_same(&definition.rules);
            if !known.as_ref().is_some_and(same) {
                *known = None;
            }
        })
        .or_insert_with(|| Some(definition.rules.clone()));
}

/// What decides which macros of other files the calls of a file mean: equal as long as all calls mean the same.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct MacrosOfAll {
    macros: Arc<ProjectMacros>,
    /// Which files are one crate, where that decides.
    loose: Option<Arc<LooseCrates>>,
}

/// The macros of all files, with what decides who may call them.
pub(super) fn macros_of_all(db: &dyn Db) -> MacrosOfAll {
    let Some(project) = Project::try_get(db) else {
        return MacrosOfAll::default();
    };
    let macros = project_macros(db, project);
    let loose = (!macros.loose.is_empty()).then(|| loose_crates(db, project));
    MacrosOfAll { macros, loose }
}

/// The macros that a file may call.
fn macros_for(db: &dyn Db, file: SourceFile) -> Macros {
    let Some(project) = Project::try_get(db) else {
        return Macros::default();
    };
    let all = project_macros(db, project);
    let mut macros = all.exported.clone();
    let own = match package_around(db, file) {
        Some(package) => all.packages.get(&package),
        None if all.loose.is_empty() => None,
        None => all.loose.get(&loose_crate(db, project, file)),
    };
    if let Some(own) = own {
        macros.extend(
            own.iter()
                .map(|(name, rules)| (Arc::clone(name), rules.clone())),
        );
    }
    macros
}
