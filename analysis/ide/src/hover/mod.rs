//! What is shown beside the pointer.
//!
//! Finds out what is there and hands it to the page of that kind of thing: a mapping, an axis, an alias, a method of a
//! chain, an address, a function, a rule's name. Pages word what `items`, `derivation` and `simulation` know. What is not
//! known is left out, or said to be unknown with the reason.

mod address;
mod alias;
mod axis;
mod elsewhere;
mod engines;
mod function;
mod layout;
mod lives;
mod mapping;
mod meanings;
mod method;
mod occurrences;
mod operation;
mod page;
mod picture;
mod rule;
mod saving;
#[cfg(test)]
mod tests;
mod uses;

use ra_ap_syntax::ast::{self, AstNode};
use ra_ap_syntax::{SyntaxKind, SyntaxToken, T};

pub(super) use self::rule::rule_page;
use crate::cost::KernelCost;

use crate::db::Db;
use crate::inputs::SourceFile;
use crate::items::{
    ItemId, Namespace, Resolution, SiteKind, Span, file_range, functions_around, mapping_sites,
    resolve_path, scope_at,
};
use crate::syntax::without_raw;

pub(super) use elsewhere::prepare_counts;

use super::cursor::Cursor;
use super::operations::operations_at;
use super::{ByteRange, Hover};

/// What to show at a byte of a file; `searched` are the costs of kernels with what a search found of them.
pub(super) fn hover_at(
    db: &dyn Db,
    file: SourceFile,
    offset: u32,
    searched: &[&KernelCost],
) -> Option<Hover> {
    let cursor = Cursor::at(db, file, offset)?;
    let token = pointed_at(&cursor)?;
    let (item, at) = cursor.item(db, token)?;
    let here = Here {
        db,
        token,
        item,
        at,
        range: cursor.range_of(token),
        searched,
    };
    here.mapping()
        .or_else(|| here.address())
        .or_else(|| here.operation())
        .or_else(|| here.method(file))
        .or_else(|| here.name())
}

/// The token that a pointer is on: the one behind the offset, but behind a word's end the word.
fn pointed_at(cursor: &Cursor) -> Option<&SyntaxToken> {
    let is_word = |token: &SyntaxToken| {
        matches!(
            token.kind(),
            SyntaxKind::IDENT | SyntaxKind::INT_NUMBER | T![fn]
        )
    };
    let speaks = |token: &SyntaxToken| {
        is_word(token)
            || matches!(
                token.kind(),
                T![/] | T![%] | T![#] | T![=] | T!['['] | T![']'] | T![!]
            )
    };
    let behind = cursor.tokens.last()?;
    if speaks(behind) {
        return Some(behind);
    }
    let word = cursor.tokens.first().filter(|token| is_word(token));
    word.or(Some(behind))
        .filter(|token| !token.kind().is_trivia())
}

/// A token of an item.
struct Here<'a> {
    db: &'a dyn Db,
    token: &'a SyntaxToken,
    /// The item of a module.
    item: ItemId,
    /// The token's first byte in the item's normalised text.
    at: u32,
    range: ByteRange,
    searched: &'a [&'a KernelCost],
}

impl Here<'_> {
    /// The token's span in the item's normalised text.
    fn span(&self) -> Span {
        let length = u32::from(self.token.text_range().len());
        Span {
            item: self.item,
            start: self.at,
            end: self.at.saturating_add(length),
        }
    }

    fn mapping(&self) -> Option<Hover> {
        let sites = mapping_sites(self.db, self.item);
        let site = sites
            .iter()
            .find(|site| site.span.start <= self.at && self.at < site.span.end)?;
        match site.kind {
            SiteKind::Mapping => mapping::mapping_page(self.db, site, self.span()),
            SiteKind::Axes => {
                axis::declared_axis_page(self.db, site, self.span(), self.token.text())
            }
            SiteKind::Index => self.meaning_page(&[without_raw(self.token.text())]),
        }
    }

    fn address(&self) -> Option<Hover> {
        let (span, markdown) = address::address_page(self.db, self.item, self.at)?;
        Some(Hover {
            range: range_of(self.db, span).unwrap_or(self.range),
            markdown,
        })
    }

    fn operation(&self) -> Option<Hover> {
        if self.token.kind() != SyntaxKind::IDENT {
            return None;
        }
        let found = operations_at(self.db, self.item, self.at);
        let markdown = operation::operation_page(self.db, &found, self.searched).or_else(|| {
            operation::unresolved_page(self.db, self.item, self.at, self.token.text())
        })?;
        Some(Hover {
            range: self.range,
            markdown,
        })
    }

    /// The page of a method that no operation is made of.
    fn method(&self, file: SourceFile) -> Option<Hover> {
        let parent = self.token.parent()?.parent()?;
        if self.token.kind() != SyntaxKind::IDENT || !ast::MethodCallExpr::can_cast(parent.kind()) {
            return None;
        }
        Some(Hover {
            range: self.range,
            markdown: method::method_page(self.db, file, self.range.start, self.token.text())?,
        })
    }

    fn name(&self) -> Option<Hover> {
        if self.token.kind() != SyntaxKind::IDENT {
            return None;
        }
        let parent = self.token.parent()?;
        if ast::Name::can_cast(parent.kind()) {
            return self.declaration(&parent.parent()?);
        }
        let path = parent.ancestors().find_map(ast::Path::cast)?;
        let names = path_segments(&path);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        self.meaning_page(&names)
    }

    fn declaration(&self, around: &ra_ap_syntax::SyntaxNode) -> Option<Hover> {
        let name = without_raw(self.token.text());
        match around.kind() {
            SyntaxKind::FN => {
                let around = functions_around(self.db, self.item, self.at);
                let function = *around.first()?;
                Some(Hover {
                    range: self.range,
                    markdown: function::function_page(self.db, function, name, self.searched)?,
                })
            }
            SyntaxKind::TYPE_ALIAS | SyntaxKind::RENAME => self.meaning_page(&[name]),
            SyntaxKind::IDENT_PAT => Some(Hover {
                range: self.range,
                markdown: lives::lifetime_page(self.db, self.item, self.at, name)?,
            }),
            _ => None,
        }
    }

    /// The page of what a path means here.
    fn meaning_page(&self, path: &[&str]) -> Option<Hover> {
        let scope = scope_at(self.db, self.item, self.at);
        let (file, name) = (self.item.file(self.db), *path.last()?);
        let of = |namespace| match resolve_path(self.db, &scope, path, namespace) {
            Resolution::Axis(axis) => Some(axis::axis_page(self.db, &axis, name, file)),
            Resolution::Alias(alias) => alias::alias_page(self.db, alias, name, file),
            Resolution::Function(function) => {
                function::function_page(self.db, function, name, self.searched)
            }
            _ => None,
        };
        let markdown = of(Namespace::Type).or_else(|| of(Namespace::Value))?;
        Some(Hover {
            range: self.range,
            markdown,
        })
    }
}

/// The names of a path, with those before it.
fn path_segments(path: &ast::Path) -> Vec<String> {
    let mut names: Vec<String> = std::iter::successors(Some(path.clone()), ast::Path::qualifier)
        .filter_map(|path| Some(without_raw(path.segment()?.name_ref()?.text()).to_owned()))
        .collect();
    names.reverse();
    names
}

/// Bytes of the file of a span; none where the text is no longer there.
fn range_of(db: &dyn Db, span: Span) -> Option<ByteRange> {
    let (_, start, end) = file_range(db, span);
    (end > start).then_some(ByteRange { start, end })
}
