//! Names of axes and aliases: what a name in a file means, and all names in the project that mean the same.
//!
//! Names are found in the texts of files and looked at in their trees; what they mean `items` says. Inside the arguments of
//! macros that are not ours a name counts as what the place around the call sees. Names in texts of `format!` and the like are
//! not seen.

mod occurrence;
#[cfg(test)]
pub(super) mod testing;

use std::collections::BTreeSet;
use std::sync::Arc;

use ra_ap_syntax::ast::{self, AstNode, HasName};
use ra_ap_syntax::{NodeOrToken, SyntaxNode, SyntaxToken, TextSize};

use crate::check::reachable_from;
use crate::db::Db;
use crate::inputs::{Project, SourceFile, parse};
use crate::items::{
    AxisDefinition, ItemId, ItemKind, Resolution, ScopeRef, Span, TokenMap, block_scopes,
    file_items, file_range, parse_item, resolve_path, scope_at, token_map,
};

pub(super) use self::occurrence::{Occurrence, Role, plain_name};
use super::{ByteRange, Place};

/// An axis or an alias that the project declares.
#[derive(Debug, Clone)]
pub(super) enum Named {
    /// An axis. Its identity here is its declaration.
    Axis(AxisDefinition),
    /// A type alias.
    Alias(ItemId),
}

impl PartialEq for Named {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Axis(one), Self::Axis(other)) => one.span == other.span,
            (Self::Alias(one), Self::Alias(other)) => one == other,
            _ => false,
        }
    }
}

impl Named {
    /// What a path means, if that is an axis or an alias.
    pub(super) fn of(meaning: Resolution) -> Option<Self> {
        match meaning {
            Resolution::Axis(axis) => Some(Self::Axis(axis)),
            Resolution::Alias(alias) => Some(Self::Alias(alias)),
            _ => None,
        }
    }

    /// The name in its declaration.
    pub(super) fn name(&self, db: &dyn Db) -> Arc<str> {
        match self {
            Self::Axis(axis) => plain_name(&axis.name),
            Self::Alias(alias) => alias.name(db),
        }
    }

    /// The name's place in its declaration.
    pub(super) fn place(&self, db: &dyn Db) -> Option<(SourceFile, ByteRange)> {
        match self {
            Self::Axis(axis) => place_of(db, axis.span),
            Self::Alias(alias) => place_of(db, item_name_span(db, *alias)?),
        }
    }

    /// The file of the declaration.
    pub(super) fn file(&self, db: &dyn Db) -> SourceFile {
        match self {
            Self::Axis(axis) => axis.span.item.file(db),
            Self::Alias(alias) => alias.file(db),
        }
    }
}

/// Bytes of a file of a span; none where the text is no longer there.
pub(super) fn place_of(db: &dyn Db, span: Span) -> Option<(SourceFile, ByteRange)> {
    let (file, start, end) = file_range(db, span);
    (end > start).then_some((file, ByteRange { start, end }))
}

/// A place of an answer.
pub(super) fn answer_place(db: &dyn Db, (file, range): (SourceFile, ByteRange)) -> Place {
    Place {
        file: file.path(db),
        range,
    }
}

/// The span of an item's name.
pub(super) fn item_name_span(db: &dyn Db, item: ItemId) -> Option<Span> {
    let parsed = parse_item(db, item);
    let name = match parsed.item()? {
        ast::Item::Fn(item) => item.name(),
        ast::Item::TypeAlias(item) => item.name(),
        ast::Item::Const(item) => item.name(),
        ast::Item::Static(item) => item.name(),
        ast::Item::Module(item) => item.name(),
        ast::Item::Struct(item) => item.name(),
        ast::Item::Enum(item) => item.name(),
        ast::Item::Union(item) => item.name(),
        ast::Item::Trait(item) => item.name(),
        _ => None,
    }?;
    Some(parsed.span(name.syntax()))
}

/// The names of one file.
pub(super) struct FileNames<'a> {
    db: &'a dyn Db,
    /// The file.
    pub(super) file: SourceFile,
    root: SyntaxNode,
    text: Arc<str>,
    /// Bytes of the file before its tree.
    base: u32,
    tokens: Arc<TokenMap>,
    /// The items with their bytes, in the order of the file.
    items: Vec<(u32, u32, ItemId)>,
}

impl<'a> FileNames<'a> {
    /// The names of a file; none if it is not analysed.
    pub(super) fn new(db: &'a dyn Db, file: SourceFile) -> Option<Self> {
        let parsed = parse(db, file);
        let tree = parsed.tree()?;
        let tokens = token_map(db, file);
        let items = file_items(db, file);
        let range = |item: &ItemId| {
            let (start, end) = tokens.item_range(*item)?;
            Some((start, end, *item))
        };
        let mut items: Vec<_> = items.items.iter().filter_map(range).collect();
        items.sort_unstable_by_key(|(start, ..)| *start);
        Some(Self {
            db,
            file,
            root: tree.syntax().clone(),
            text: file.text(db),
            base: parsed.offset(),
            tokens,
            items,
        })
    }

    /// Bytes of the file of a token.
    pub(super) fn range(&self, token: &SyntaxToken) -> ByteRange {
        let range = token.text_range();
        ByteRange {
            start: u32::from(range.start()).saturating_add(self.base),
            end: u32::from(range.end()).saturating_add(self.base),
        }
    }

    /// The item of a module that a token is in, and the token's offset in the item's normalised text.
    pub(super) fn item(&self, token: &SyntaxToken) -> Option<(ItemId, u32)> {
        let start = self.range(token).start;
        let after = self.items.partition_point(|(from, ..)| *from <= start);
        let (_, end, item) = self.items.get(after.checked_sub(1)?)?;
        (start < *end).then_some(())?;
        Some((*item, self.tokens.offset_in(*item, start)?))
    }

    /// The scope that a token is in.
    pub(super) fn scope(&self, token: &SyntaxToken) -> Option<ScopeRef> {
        let (item, offset) = self.item(token)?;
        Some(scope_at(self.db, item, offset))
    }

    /// The tokens whose name, without an `r#`, is this one, in the order of the text.
    pub(super) fn tokens_named(&self, name: &str) -> Vec<SyntaxToken> {
        let mut tokens: Vec<SyntaxToken> = Vec::new();
        if name.is_empty() {
            return tokens;
        }
        // Both are in the order of the text: looking each place up from the root would walk all items once a place.
        let mut parts = self.root.children_with_tokens();
        let mut part = parts.next();
        for (start, _) in word_places(&self.text, name) {
            let offset = u32::try_from(start)
                .ok()
                .and_then(|start| start.checked_sub(self.base));
            let Some(offset) = offset.map(TextSize::from) else {
                continue;
            };
            while part
                .as_ref()
                .is_some_and(|part| part.text_range().end() <= offset)
            {
                part = parts.next();
            }
            let token = match &part {
                Some(NodeOrToken::Node(node)) if node.text_range().contains(offset) => {
                    node.token_at_offset(offset).right_biased()
                }
                Some(NodeOrToken::Token(token)) => Some(token.clone()),
                _ => None,
            };
            let Some(token) = token else { continue };
            if *plain_name(token.text()) == *name && tokens.last() != Some(&token) {
                tokens.push(token);
            }
        }
        tokens
    }

    /// What a name means where it is.
    pub(super) fn name_meaning(&self, occurrence: &Occurrence) -> Option<Resolution> {
        let (item, offset) = self.item(&occurrence.token)?;
        let path: Vec<&str> = occurrence.path.iter().map(|segment| &**segment).collect();
        let scope = scope_at(self.db, item, offset);
        Some(resolve_path(self.db, &scope, &path, occurrence.namespace))
    }

    /// The axis or alias that a name means where it is; in a declaration the one that is declared.
    pub(super) fn named_declaration(&self, occurrence: &Occurrence) -> Option<Named> {
        match occurrence.role {
            Role::AxisDeclaration => self.declared_axis(occurrence).map(Named::Axis),
            Role::AliasDeclaration => self.declared_alias(occurrence).map(Named::Alias),
            _ => Named::of(self.name_meaning(occurrence)?),
        }
    }

    fn declared_axis(&self, occurrence: &Occurrence) -> Option<AxisDefinition> {
        let (item, start) = self.item(&occurrence.token)?;
        let length = u32::from(occurrence.token.text_range().len());
        let span = Span {
            item,
            start,
            end: start.saturating_add(length),
        };
        match self.name_meaning(occurrence) {
            Some(Resolution::Axis(axis)) if axis.span == span => Some(axis),
            // Declared more than once: which one is meant elsewhere is unknown.
            _ => Some(AxisDefinition {
                name: occurrence.name(),
                size: None,
                span,
            }),
        }
    }

    fn declared_alias(&self, occurrence: &Occurrence) -> Option<ItemId> {
        let (item, offset) = self.item(&occurrence.token)?;
        if item.kind(self.db) == ItemKind::Alias && item.name(self.db) == occurrence.name() {
            return Some(item);
        }
        let scopes = block_scopes(self.db, item);
        let mut inside = scopes.locals.iter().filter(|local| {
            local.start <= offset
                && offset < local.end
                && local.id.kind(self.db) == ItemKind::Alias
                && local.id.name(self.db) == occurrence.name()
        });
        inside.next_back().map(|local| local.id)
    }
}

/// The places of a name in a text where it is no part of a longer word.
pub(super) fn word_places<'t>(
    text: &'t str,
    name: &'t str,
) -> impl Iterator<Item = (usize, usize)> + 't {
    let part = |character: char| character == '_' || character.is_alphanumeric();
    text.match_indices(name).filter_map(move |(start, found)| {
        let end = start.checked_add(found.len())?;
        let before = text.get(..start)?.chars().next_back();
        let behind = text.get(end..)?.chars().next();
        (!before.is_some_and(part) && !behind.is_some_and(part)).then_some((start, end))
    })
}

/// A name in some file that means what was asked for.
pub(super) struct Found {
    /// The file.
    pub(super) file: SourceFile,
    /// The name's bytes.
    pub(super) range: ByteRange,
    /// The name as written, without an `r#`.
    pub(super) name: Arc<str>,
    /// What it does there.
    pub(super) role: Role,
    /// Where it is looked up.
    pub(super) scope: ScopeRef,
}

/// The files that can name what a file declares, in the order of their paths.
pub(super) fn files_around(db: &dyn Db, file: SourceFile) -> Vec<SourceFile> {
    let Some(project) = Project::try_get(db) else {
        return vec![file];
    };
    let group = reachable_from(db, file);
    project
        .files(db)
        .values()
        .copied()
        .filter(|other| reachable_from(db, *other) == group)
        .collect()
}

/// All names that mean an axis or alias, its declaration among them, in the order of files and of the text. Names that
/// imports give to it count as well.
pub(super) fn all_of(db: &dyn Db, named: &Named) -> Vec<Found> {
    all_in(db, named, &files_around(db, named.file(db)))
}

/// As [`all_of`], in some files.
pub(super) fn all_in(db: &dyn Db, named: &Named, files: &[SourceFile]) -> Vec<Found> {
    let declared = named.name(db);
    let mut known = BTreeSet::from([Arc::clone(&declared)]);
    let mut pending = vec![declared];
    let mut found = Vec::new();
    while let Some(name) = pending.pop() {
        for file in files {
            db.unwind_if_revision_cancelled();
            if word_places(&file.text(db), &name).next().is_none() {
                continue;
            }
            let Some(names) = FileNames::new(db, *file) else {
                continue;
            };
            for token in names.tokens_named(&name) {
                let Some(occurrence) = Occurrence::of(&token) else {
                    continue;
                };
                let Some(scope) = names.scope(&token) else {
                    continue;
                };
                if names.named_declaration(&occurrence).as_ref() != Some(named) {
                    continue;
                }
                let other = match occurrence.role {
                    Role::ImportRename => Some(Arc::clone(&name)),
                    _ => occurrence.renamed_by_import(),
                };
                if let Some(other) = other
                    && known.insert(Arc::clone(&other))
                {
                    pending.push(other);
                }
                found.push(Found {
                    file: *file,
                    range: names.range(&token),
                    name: Arc::clone(&name),
                    role: occurrence.role,
                    scope,
                });
            }
        }
    }
    let place = |found: &Found| (found.file.path(db), found.range);
    found.sort_by_key(place);
    found.dedup_by(|one, other| one.file == other.file && one.range == other.range);
    found
}
