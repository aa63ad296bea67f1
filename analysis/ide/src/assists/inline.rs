//! What an alias stands for takes the place of its name: at one use, or at all of them.
//!
//! A use is replaced only where every name of the alias means there what it means in the alias. In a mapping the alias is
//! in braces, and is replaced with them; several parts keep together by brackets. The declaration goes with the last use, if
//! nothing else can see it.

use std::sync::Arc;

use ra_ap_syntax::ast::{self, AstNode, HasGenericArgs, HasGenericParams, HasVisibility};
use ra_ap_syntax::{SyntaxKind, SyntaxToken};

use crate::db::Db;
use crate::inputs::SourceFile;
use crate::items::{
    ItemId, Namespace, Resolution, ScopeRef, SiteKind, file_grammar, file_range, item_text,
    mapping_parts, mapping_sites, resolve_path,
};
use crate::mapping::{self, FactorKind, SyntaxNode};
use crate::report::FileEdit;

use super::super::cursor::{Cursor, macro_kind};
use super::super::names::{FileNames, Found, Named, Occurrence, Role, all_of};
use super::super::{Assist, AssistKind, ByteRange};
use super::{slice, token_from};

/// Nodes of an expression inside each other that are looked at.
const DEPTH: u32 = 64;

/// What an alias stands for.
struct Meaning {
    /// The type as it is written.
    text: String,
    /// What is between the brackets of the `m!`, if it is one.
    body: Option<Body>,
    /// The paths in it with what they mean, which they must mean at the uses too.
    names: Vec<Known>,
    /// The declaration, with its comments.
    declaration: ByteRange,
    private: bool,
}

/// A path with what it means.
type Known = (Vec<Arc<str>>, Namespace, Resolution);

struct Body {
    text: String,
    /// Several parts, which operators and commas around would take apart.
    is_pair: bool,
}

/// Replaces the alias at the cursor by what it stands for.
pub(super) fn inline_alias(db: &dyn Db, file: SourceFile, selection: ByteRange) -> Vec<Assist> {
    inline_at(db, file, selection).unwrap_or_default()
}

fn inline_at(db: &dyn Db, file: SourceFile, selection: ByteRange) -> Option<Vec<Assist>> {
    let cursor = Cursor::at(db, file, selection.start)?;
    let token = cursor.name()?;
    let occurrence = Occurrence::of(token)?;
    let names = FileNames::new(db, file)?;
    let range = names.range(token);
    if !range.touches(selection.end) {
        return None;
    }
    let named = names.named_declaration(&occurrence)?;
    let Named::Alias(alias) = &named else {
        return None;
    };
    let meaning = alias_meaning(db, *alias)?;
    let name = named.name(db);
    let mut assists = Vec::new();
    let assist = |title: String, edits| Assist {
        title,
        kind: AssistKind::Inline,
        edits,
    };
    if let (Role::Path | Role::Tree { ours: true }, Some(scope)) =
        (occurrence.role, names.scope(token))
        && let Some(edit) = replacing_edit(db, &names, token, occurrence.role, &scope, &meaning)
    {
        assists.push(assist(format!("Inline `{name}` here"), vec![edit]));
    }
    assists.extend(
        everywhere(db, &named, &meaning).map(|(uses, removes, edits)| {
            let all = if uses == 1 {
                "at its one use".to_owned()
            } else {
                format!("at all {uses} uses")
            };
            let end = if removes { " and remove it" } else { "" };
            assist(format!("Inline `{name}` {all}{end}"), edits)
        }),
    );
    Some(assists)
}

/// The edits that replace every use: how many there are, and whether the declaration goes too.
fn everywhere(
    db: &dyn Db,
    named: &Named,
    meaning: &Meaning,
) -> Option<(usize, bool, Vec<FileEdit>)> {
    let found = all_of(db, named);
    let mut edits = Vec::new();
    let mut imported = false;
    let mut names: Option<FileNames<'_>> = None;
    for place in &found {
        match place.role {
            Role::AliasDeclaration => continue,
            Role::Import | Role::ImportRename => {
                imported = true;
                continue;
            }
            Role::AxisDeclaration | Role::Tree { ours: false } => return None,
            Role::Path | Role::Tree { ours: true } => {}
        }
        if names.as_ref().is_none_or(|names| names.file != place.file) {
            names = FileNames::new(db, place.file);
        }
        let names = names.as_ref()?;
        let token = token_of(db, place)?;
        edits.push(replacing_edit(
            db,
            names,
            &token,
            place.role,
            &place.scope,
            meaning,
        )?);
    }
    let uses = edits.len();
    if uses == 0 {
        return None;
    }
    let removes = meaning.private && !imported;
    if removes {
        let file = named.file(db);
        edits.push(FileEdit {
            file: file.path(db),
            start_byte: meaning.declaration.start,
            end_byte: meaning.declaration.end,
            text: String::new(),
        });
    }
    // A use in a part that is itself replaced has no text of its own.
    let mut places: Vec<_> = edits
        .iter()
        .map(|edit| (Arc::clone(&edit.file), edit.start_byte, edit.end_byte))
        .collect();
    places.sort();
    let apart = places.windows(2).all(|pair| match pair {
        [one, other] => one.0 != other.0 || one.2 <= other.1,
        _ => true,
    });
    apart.then_some((uses, removes, edits))
}

fn token_of(db: &dyn Db, place: &Found) -> Option<SyntaxToken> {
    let (token, _) = token_from(db, place.file, place.range.start)?;
    (token.kind() == SyntaxKind::IDENT).then_some(token)
}

/// What an alias without parameters stands for.
fn alias_meaning(db: &dyn Db, alias: ItemId) -> Option<Meaning> {
    let named = Named::Alias(alias);
    let (file, place) = named.place(db)?;
    let (token, base) = token_from(db, file, place.start)?;
    let node = token.parent_ancestors().find_map(ast::TypeAlias::cast)?;
    if node.generic_param_list().is_some() || node.where_clause().is_some() {
        return None;
    }
    let written = node.ty()?;
    if !is_sound(db, alias) {
        return None;
    }
    let text = file.text(db);
    let names = FileNames::new(db, file)?;
    let bytes = |node: &ra_ap_syntax::SyntaxNode| {
        let range = node.text_range();
        Some(ByteRange {
            start: u32::from(range.start()).checked_add(base)?,
            end: u32::from(range.end()).checked_add(base)?,
        })
    };
    let source = slice(&text, bytes(written.syntax())?)?.to_owned();
    // A comment would swallow what follows; a semicolon that is missing means that the type is not done.
    if source.contains("//") || node.semicolon_token().is_none() {
        return None;
    }
    Some(Meaning {
        body: body_of(&written, &source, file_grammar(db, file)),
        names: names_in(&names, &written)?,
        declaration: declaration_lines(&text, bytes(node.syntax())?),
        private: node.visibility().is_none(),
        text: source,
    })
}

/// Whether nothing is wrong in the mappings of an alias: a fault would be found once more at every use.
fn is_sound(db: &dyn Db, alias: ItemId) -> bool {
    let span = item_text(db, alias).full_span();
    let sites = mapping_sites(db, alias.owner(db));
    sites
        .iter()
        .filter(|site| span.start <= site.span.start && site.span.end <= span.end)
        .all(|site| site.problems.is_empty())
}

fn body_of(written: &ast::Type, source: &str, grammar: mapping::Grammar) -> Option<Body> {
    let ast::Type::MacroType(call) = written else {
        return None;
    };
    let tree = call.macro_call()?.token_tree()?;
    if macro_kind(tree.syntax()) != Some(SiteKind::Mapping) {
        return None;
    }
    let open = source.find(['[', '(', '{'])?;
    let body = source.get(open + 1..source.len().checked_sub(1)?)?.trim();
    let (parsed, errors) = mapping::parse_mapping_in(body, grammar);
    let parsed = parsed.filter(|_| errors.is_empty())?;
    Some(Body {
        text: body.to_owned(),
        is_pair: matches!(parsed.kind, mapping::SyntaxKind::Pair(_)),
    })
}

/// The paths in a type with what they mean; `None` if that is unknown of one.
fn names_in(names: &FileNames<'_>, written: &ast::Type) -> Option<Vec<Known>> {
    let tokens = written.syntax().descendants_with_tokens();
    let identifiers = tokens
        .filter_map(ra_ap_syntax::NodeOrToken::into_token)
        .filter(|token| token.kind() == SyntaxKind::IDENT);
    let mut found = Vec::new();
    for token in identifiers {
        // Names of macros, labels and attributes are no paths.
        let Some(occurrence) = Occurrence::of(&token) else {
            continue;
        };
        let meaning = names.name_meaning(&occurrence)?;
        if matches!(meaning, Resolution::Parameter(_)) {
            return None;
        }
        found.push((occurrence.path.clone(), occurrence.namespace, meaning));
    }
    Some(found)
}

/// The lines of a declaration that is alone on them, else the declaration itself.
fn declaration_lines(text: &str, range: ByteRange) -> ByteRange {
    let before = text.get(..range.start as usize).unwrap_or_default();
    let behind = text.get(range.end as usize..).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line_end = behind.find('\n').map_or(behind.len(), |at| at + 1);
    let alone = before
        .get(line_start..)
        .is_some_and(|rest| rest.trim().is_empty())
        && behind
            .get(..line_end)
            .is_some_and(|rest| rest.trim().is_empty());
    if !alone {
        return range;
    }
    ByteRange {
        start: u32::try_from(line_start).unwrap_or(range.start),
        end: u32::try_from(line_end)
            .ok()
            .and_then(|rest| range.end.checked_add(rest))
            .unwrap_or(range.end),
    }
}

/// The edit that replaces a use; `None` where it would mean something else or cannot be written.
fn replacing_edit(
    db: &dyn Db,
    names: &FileNames<'_>,
    token: &SyntaxToken,
    role: Role,
    scope: &ScopeRef,
    meaning: &Meaning,
) -> Option<FileEdit> {
    let same = meaning.names.iter().all(|(path, namespace, known)| {
        let path: Vec<&str> = path.iter().map(|segment| &**segment).collect();
        resolve_path(db, scope, &path, *namespace) == *known
    });
    if !same {
        return None;
    }
    let (range, text) = match role {
        Role::Path => in_code(names, token, meaning)?,
        _ => in_mapping(db, names, token, meaning)?,
    };
    Some(FileEdit {
        file: names.file.path(db),
        start_byte: range.start,
        end_byte: range.end,
        text,
    })
}

/// A use as a type, or as the beginning of a path: `Alias::SIZE`.
fn in_code(
    names: &FileNames<'_>,
    token: &SyntaxToken,
    meaning: &Meaning,
) -> Option<(ByteRange, String)> {
    let segment = token.parent_ancestors().find_map(ast::PathSegment::cast)?;
    if segment.generic_arg_list().is_some() {
        return None;
    }
    let path = segment.parent_path();
    let around = path.syntax().parent()?;
    let first = names.range(&path.syntax().first_token()?);
    let range = ByteRange {
        start: first.start,
        end: names.range(token).end,
    };
    if ast::PathType::can_cast(around.kind()) {
        return Some((range, meaning.text.clone()));
    }
    // A longer path goes on behind it.
    let goes_on = around.kind() == SyntaxKind::PATH;
    goes_on.then(|| (range, format!("<{}>", meaning.text)))
}

/// A use in a mapping.
fn in_mapping(
    db: &dyn Db,
    names: &FileNames<'_>,
    token: &SyntaxToken,
    meaning: &Meaning,
) -> Option<(ByteRange, String)> {
    let (item, offset) = names.item(token)?;
    let sites = mapping_sites(db, item);
    let site = sites.iter().find(|site| {
        site.kind == SiteKind::Mapping && site.body.start <= offset && offset < site.body.end
    })?;
    if !site.problems.is_empty() {
        return None;
    }
    let at = offset.checked_sub(site.body.start)? as usize;
    let parts = mapping_parts(db, site);
    let (place, how) = use_at(parts.tree.as_ref()?, at, Around::Whole, 0)?;
    // The braces hold the name alone, perhaps with its path.
    let span = site.body.span_inside(&place);
    let text = item_text(db, item);
    let source = text.text.get(span.start as usize..span.end as usize)?;
    let name = source.trim_start_matches('{').trim_end_matches('}').trim();
    let path = name
        .chars()
        .all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | ':' | '#' | ' '));
    let last = name.rsplit(':').next().unwrap_or_default().trim();
    if !path || last != token.text() {
        return None;
    }
    let (_, start, end) = file_range(db, span);
    let written = match (&meaning.body, how) {
        (Some(body), Around::Factor) => format!("({})", body.text),
        (None, Around::Factor) => return None,
        (Some(body), Around::Part) if body.is_pair => format!("[{}]", body.text),
        (Some(body), _) => body.text.clone(),
        (None, _) => format!("{{ {} }}", meaning.text),
    };
    Some((ByteRange { start, end }, written))
}

/// What is around a use in a mapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Around {
    /// Nothing, or brackets.
    Whole,
    /// Commas or operators.
    Part,
    /// An operator before it.
    Factor,
}

/// The name or escape at a byte of a mapping, and what is around it.
fn use_at(
    node: &SyntaxNode,
    at: usize,
    around: Around,
    depth: u32,
) -> Option<(std::ops::Range<usize>, Around)> {
    if depth > DEPTH || !node.span.contains(&at) {
        return None;
    }
    match &node.kind {
        mapping::SyntaxKind::Name(_) | mapping::SyntaxKind::Escape { .. } => {
            Some((node.span.clone(), around))
        }
        mapping::SyntaxKind::Group(inner) => use_at(inner, at, Around::Whole, depth + 1),
        mapping::SyntaxKind::Pair(parts) => parts
            .iter()
            .find_map(|part| use_at(part, at, Around::Part, depth + 1)),
        mapping::SyntaxKind::Binary { left, factor, .. } => {
            if factor.span.contains(&at) {
                return match &factor.kind {
                    FactorKind::Name(_) => Some((factor.span.clone(), Around::Factor)),
                    FactorKind::Mapping(inner) => use_at(inner, at, Around::Whole, depth + 1),
                    _ => None,
                };
            }
            use_at(left, at, Around::Part, depth + 1)
        }
        _ => None,
    }
}
