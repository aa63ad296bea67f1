//! How a name is in a file's tree: as a declaration, in an import, in a path, among the tokens of a macro.
//!
//! Knows trees only; what the path means is the business of the module around.

use std::sync::Arc;

use ra_ap_syntax::ast::{self, AstNode};
use ra_ap_syntax::{SyntaxKind, SyntaxNode, SyntaxToken};

use crate::cursor::macro_kind;
use crate::items::{Namespace, SiteKind};
use crate::syntax::without_raw;

/// Segments that a path may have; a longer one means nothing to us.
const MAXIMUM_SEGMENTS: usize = 64;

/// What a name does where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// It declares an axis: an entry of `axes!`.
    AxisDeclaration,
    /// It declares a type alias.
    AliasDeclaration,
    /// It is the other name that an import gives: `use a::B as Name`.
    ImportRename,
    /// It is a segment of an import's path.
    Import,
    /// It is a segment of a path in code.
    Path,
    /// It is a token of a macro's arguments; `ours` in those of `m!`, `i!` and `axes!`.
    Tree {
        /// Whether the macro is one of the mappings'.
        ours: bool,
    },
}

/// A name with the path up to it.
#[derive(Debug, Clone)]
pub(crate) struct Occurrence {
    /// The name's token.
    pub(crate) token: SyntaxToken,
    /// The path up to and including the name; of the other name of an import, the path of what it imports.
    pub(crate) path: Vec<Arc<str>>,
    /// What it does there.
    pub(crate) role: Role,
    /// The namespace that the path is looked up in.
    pub(crate) namespace: Namespace,
}

impl Occurrence {
    /// How a token is, if it is a name that may mean an axis or an alias.
    pub(crate) fn of(token: &SyntaxToken) -> Option<Self> {
        if token.kind() != SyntaxKind::IDENT {
            return None;
        }
        let parent = token.parent()?;
        match parent.kind() {
            SyntaxKind::TOKEN_TREE => in_tree(token, &parent),
            SyntaxKind::NAME => declaration_occurrence(token, &parent.parent()?),
            SyntaxKind::NAME_REF => reference(token, &parent.parent()?),
            _ => None,
        }
    }

    /// The name without the `r#` of a raw identifier.
    pub(crate) fn name(&self) -> Arc<str> {
        plain_name(self.token.text())
    }

    /// The other name that the import around gives to what this name means, if this is the last name of its path.
    pub(crate) fn renamed_by_import(&self) -> Option<Arc<str>> {
        if self.role != Role::Import {
            return None;
        }
        let path = self.token.parent_ancestors().find_map(ast::Path::cast)?;
        let tree = ast::UseTree::cast(path.syntax().parent()?)?;
        let name = ast::HasName::name(&tree.rename()?)?;
        Some(plain_name(name.text()))
    }
}

/// A name without the `r#` of a raw identifier.
pub(crate) fn plain_name(text: &str) -> Arc<str> {
    Arc::from(without_raw(text))
}

fn declaration_occurrence(token: &SyntaxToken, parent: &SyntaxNode) -> Option<Occurrence> {
    let occurrence = |role, path| Occurrence {
        token: token.clone(),
        path,
        role,
        namespace: Namespace::Type,
    };
    match parent.kind() {
        // An associated type is no alias that code outside can name.
        SyntaxKind::TYPE_ALIAS => {
            let around = parent.parent()?.kind();
            (around != SyntaxKind::ASSOC_ITEM_LIST)
                .then(|| occurrence(Role::AliasDeclaration, vec![plain_name(token.text())]))
        }
        SyntaxKind::RENAME => {
            let tree = ast::UseTree::cast(parent.parent()?)?;
            let mut path = import_prefix(&tree)?;
            path.extend(path_segments(&tree.path()?)?);
            if path.len() > 1 && path.last().is_some_and(|last| &**last == "self") {
                path.pop();
            }
            Some(occurrence(Role::ImportRename, path))
        }
        _ => None,
    }
}

fn reference(token: &SyntaxToken, parent: &SyntaxNode) -> Option<Occurrence> {
    let segment = ast::PathSegment::cast(parent.clone())?;
    let path = segment.parent_path();
    let top = path
        .syntax()
        .ancestors()
        .take_while(|node| node.kind() == SyntaxKind::PATH)
        .last()?;
    let around = top.parent()?;
    let (role, prefix) = match around.kind() {
        SyntaxKind::MACRO_CALL | SyntaxKind::VISIBILITY_INNER => return None,
        SyntaxKind::USE_TREE => {
            let tree = ast::UseTree::cast(around.clone())?;
            (Role::Import, import_prefix(&tree)?)
        }
        _ if ast::Meta::can_cast(around.kind()) => return None,
        _ => (Role::Path, Vec::new()),
    };
    let mut names = prefix;
    names.extend(path_segments(&path)?);
    let whole = top == *path.syntax();
    let value = matches!(around.kind(), SyntaxKind::PATH_EXPR | SyntaxKind::PATH_PAT);
    Some(Occurrence {
        token: token.clone(),
        path: names,
        role,
        namespace: if whole && value {
            Namespace::Value
        } else {
            Namespace::Type
        },
    })
}

/// The path of the groups around a tree of an import, outermost first; a leading `::` as an empty segment.
fn import_prefix(tree: &ast::UseTree) -> Option<Vec<Arc<str>>> {
    let mut groups = Vec::new();
    let mut outermost = tree.clone();
    while let Some(outer) = outermost
        .syntax()
        .parent()
        .filter(|node| node.kind() == SyntaxKind::USE_TREE_LIST)
        .and_then(|list| list.parent())
        .and_then(ast::UseTree::cast)
    {
        if groups.len() >= MAXIMUM_SEGMENTS {
            return None;
        }
        groups.push(match outer.path() {
            Some(path) => path_segments(&path)?,
            None => Vec::new(),
        });
        outermost = outer;
    }
    // A group with only `::` before it has no path that would say so.
    let absolute = outermost.path().is_none()
        && outermost
            .syntax()
            .first_token()
            .is_some_and(|token| token.kind() == SyntaxKind::COLON2);
    let start = absolute.then(|| Arc::from(""));
    Some(
        start
            .into_iter()
            .chain(groups.into_iter().rev().flatten())
            .collect(),
    )
}

/// The names of a path, generic arguments left out, a leading `::` as an empty segment; none for `<A as B>::C`.
fn path_segments(path: &ast::Path) -> Option<Vec<Arc<str>>> {
    let mut names: Vec<Arc<str>> = Vec::new();
    let mut current = Some(path.clone());
    while let Some(path) = current {
        let segment = path.segment()?;
        if segment.type_anchor().is_some() || names.len() >= MAXIMUM_SEGMENTS {
            return None;
        }
        names.push(plain_name(segment.name_ref()?.text()));
        current = path.qualifier();
        if current.is_none() && segment.coloncolon_token().is_some() {
            names.push(Arc::from(""));
        }
    }
    names.reverse();
    Some(names)
}

/// The token before a token, white space and comments left out.
fn token_before(token: &SyntaxToken) -> Option<SyntaxToken> {
    std::iter::successors(token.prev_token(), SyntaxToken::prev_token)
        .find(|token| !token.kind().is_trivia())
}

/// The token behind a token, white space and comments left out.
fn token_behind(token: &SyntaxToken) -> Option<SyntaxToken> {
    std::iter::successors(token.next_token(), SyntaxToken::next_token)
        .find(|token| !token.kind().is_trivia())
}

fn is_of_kind(token: Option<&SyntaxToken>, kind: SyntaxKind) -> bool {
    token.is_some_and(|token| token.kind() == kind)
}

fn in_tree(token: &SyntaxToken, tree: &SyntaxNode) -> Option<Occurrence> {
    let kind = tree
        .ancestors()
        .take_while(|node| node.kind() == SyntaxKind::TOKEN_TREE)
        .find_map(|tree| macro_kind(&tree));
    let (previous, next) = (token_before(token), token_behind(token));
    let occurrence = |role, path| Occurrence {
        token: token.clone(),
        path,
        role,
        namespace: Namespace::Type,
    };
    if macro_kind(tree) == Some(SiteKind::Axes)
        && previous.as_ref().is_none_or(|previous| {
            previous.kind() == SyntaxKind::COMMA || tree.first_token().as_ref() == Some(previous)
        })
    {
        return Some(occurrence(
            Role::AxisDeclaration,
            vec![plain_name(token.text())],
        ));
    }
    // `$name` of a template, `.field` and `.method()`, `name!`.
    if is_of_kind(previous.as_ref(), SyntaxKind::DOLLAR) {
        return None;
    }
    if let Some(dot) = previous
        .as_ref()
        .filter(|previous| is_of_kind(Some(previous), SyntaxKind::DOT))
        && !is_of_kind(dot.prev_token().as_ref(), SyntaxKind::DOT)
    {
        return None;
    }
    if is_of_kind(next.as_ref(), SyntaxKind::BANG)
        && next
            .as_ref()
            .and_then(token_behind)
            .is_some_and(|open| is_opening_bracket(open.kind()))
    {
        return None;
    }
    if kind.is_none() && (is_label(next.as_ref()) || !is_attribute_value(token, next.as_ref())) {
        return None;
    }
    let mut path = tree_path(token)?;
    path.push(plain_name(token.text()));
    Some(occurrence(
        Role::Tree {
            ours: kind.is_some(),
        },
        path,
    ))
}

fn is_opening_bracket(kind: SyntaxKind) -> bool {
    matches!(
        kind,
        SyntaxKind::L_BRACK | SyntaxKind::L_PAREN | SyntaxKind::L_CURLY
    )
}

/// Whether a name is followed by a single colon: the label of a field.
fn is_label(next: Option<&SyntaxToken>) -> bool {
    next.is_some_and(|next| {
        next.kind() == SyntaxKind::COLON
            && !is_of_kind(next.next_token().as_ref(), SyntaxKind::COLON)
    })
}

/// Whether a name in the arguments of an attribute can be a value: attributes are keys, but for `#[device(chip = N)]`. True
/// outside of attributes.
fn is_attribute_value(token: &SyntaxToken, next: Option<&SyntaxToken>) -> bool {
    let Some(attribute) = token.parent_ancestors().find_map(ast::Attr::cast) else {
        return true;
    };
    let path = attribute
        .syntax()
        .descendants()
        .find_map(ast::Path::cast)
        .and_then(|path| path.segment())
        .and_then(|segment| segment.name_ref());
    path.is_some_and(|name| name.text() == "device") && !is_of_kind(next, SyntaxKind::EQ)
}

/// The names before a name among tokens: `a::b::` before `c`. None where what is before the colons is no name.
fn tree_path(token: &SyntaxToken) -> Option<Vec<Arc<str>>> {
    let mut path: Vec<Arc<str>> = Vec::new();
    let mut current = token.clone();
    loop {
        let Some(colons) = token_before(&current) else {
            break;
        };
        let start = match colons.kind() {
            SyntaxKind::COLON2 => colons,
            SyntaxKind::COLON => match colons.prev_token() {
                Some(first) if first.kind() == SyntaxKind::COLON => first,
                _ => break,
            },
            _ => break,
        };
        if path.len() >= MAXIMUM_SEGMENTS {
            return None;
        }
        let Some(name) = token_before(&start) else {
            path.push(Arc::from(""));
            break;
        };
        match name.kind() {
            SyntaxKind::IDENT
            | SyntaxKind::SELF_KW
            | SyntaxKind::SUPER_KW
            | SyntaxKind::CRATE_KW => {
                path.push(plain_name(name.text()));
                current = name;
            }
            SyntaxKind::R_ANGLE => return None,
            _ => {
                path.push(Arc::from(""));
                break;
            }
        }
    }
    path.reverse();
    Some(path)
}
