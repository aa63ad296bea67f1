//! Definition and references of axes and aliases across files.
//!
//! Definition answers inside `m!`, `i!` and `axes!`, which other servers see as tokens, and on axes anywhere; an alias in
//! ordinary code is ordinary Rust, which we leave to the server that knows Rust. References answer on every name of an axis or
//! alias, since the user wants those in the macros as well.

mod rename;
#[cfg(test)]
mod tests;

use ra_ap_syntax::ast::{self, AstNode, HasGenericParams, HasName};
use ra_ap_syntax::{SyntaxKind, SyntaxToken};

use crate::db::Db;
use crate::inputs::SourceFile;
use crate::items::{Resolution, Span};

use super::cursor::Cursor;
use super::names::{
    FileNames, Named, Occurrence, Role, all_of, answer_place, item_name_span, place_of, plain_name,
};
use super::{ByteRange, Place};

pub(super) use rename::{prepare_rename, rename_at};

/// The name at a cursor.
fn name_at(db: &dyn Db, file: SourceFile, offset: u32) -> Option<SyntaxToken> {
    let cursor = Cursor::at(db, file, offset)?;
    cursor.name().cloned()
}

/// Where the name at a cursor is declared.
pub(super) fn definition_at(db: &dyn Db, file: SourceFile, offset: u32) -> Vec<Place> {
    definition_place(db, file, offset).into_iter().collect()
}

fn definition_place(db: &dyn Db, file: SourceFile, offset: u32) -> Option<Place> {
    let token = name_at(db, file, offset)?;
    let occurrence = Occurrence::of(&token)?;
    let names = FileNames::new(db, file)?;
    let ours = match occurrence.role {
        Role::AxisDeclaration => return Some(answer_place(db, (file, names.range(&token)))),
        Role::Tree { ours } => ours,
        _ => false,
    };
    let meaning = names.name_meaning(&occurrence)?;
    let span = match meaning {
        Resolution::Axis(axis) => axis.span,
        _ if !ours => return None,
        Resolution::Parameter(name) => {
            let range = generic_parameter(&token, &name)?;
            return Some(answer_place(db, (file, names.range(&range))));
        }
        // The constants of `{ … }` and of the values in `i!`.
        Resolution::Unknown { .. } | Resolution::External => value_span(&names, &occurrence, db)?,
        other => declared_span(other, db)?,
    };
    Some(answer_place(db, place_of(db, span)?))
}

fn declared_span(meaning: Resolution, db: &dyn Db) -> Option<Span> {
    match meaning {
        Resolution::Axis(axis) => Some(axis.span),
        Resolution::Alias(item)
        | Resolution::Const(item)
        | Resolution::Function(item)
        | Resolution::Type(item) => item_name_span(db, item),
        _ => None,
    }
}

/// What a name declares that is no type.
fn value_span(names: &FileNames<'_>, occurrence: &Occurrence, db: &dyn Db) -> Option<Span> {
    let value = Occurrence {
        namespace: crate::items::Namespace::Value,
        ..occurrence.clone()
    };
    declared_span(names.name_meaning(&value)?, db)
}

/// The generic parameter of a name that a token in the item means.
fn generic_parameter(token: &SyntaxToken, name: &str) -> Option<SyntaxToken> {
    token
        .parent_ancestors()
        .filter_map(ast::AnyHasGenericParams::cast)
        .filter_map(|item| item.generic_param_list())
        .flat_map(|list| list.generic_params())
        .filter_map(|parameter| match parameter {
            ast::GenericParam::ConstParam(parameter) => parameter.name(),
            ast::GenericParam::TypeParam(parameter) => parameter.name(),
            ast::GenericParam::LifetimeParam(_) => None,
        })
        .filter_map(|name| name.syntax().first_token())
        .find(|token| token.kind() == SyntaxKind::IDENT && *plain_name(token.text()) == *name)
}

/// The axis or alias that the name at a cursor means.
pub(super) fn named_at(
    db: &dyn Db,
    file: SourceFile,
    offset: u32,
) -> Option<(Named, Occurrence, ByteRange)> {
    let token = name_at(db, file, offset)?;
    let occurrence = Occurrence::of(&token)?;
    let names = FileNames::new(db, file)?;
    let named = names.named_declaration(&occurrence)?;
    let range = names.range(&token);
    Some((named, occurrence, range))
}

/// Where the axis or alias at a cursor is used.
pub(super) fn references_at(
    db: &dyn Db,
    file: SourceFile,
    offset: u32,
    with_declaration: bool,
) -> Vec<Place> {
    let Some((named, ..)) = named_at(db, file, offset) else {
        return Vec::new();
    };
    let declaration = |role| matches!(role, Role::AxisDeclaration | Role::AliasDeclaration);
    all_of(db, &named)
        .into_iter()
        .filter(|found| with_declaration || !declaration(found.role))
        .map(|found| answer_place(db, (found.file, found.range)))
        .collect()
}

/// The declaration's place of the axis or alias that a name at a byte means, inside and outside of macros.
#[cfg(test)]
fn definition_of_any(
    analysis: &crate::workspace::Analysis,
    path: &str,
    offset: u32,
) -> Option<Place> {
    let file = analysis.file(path)?;
    let answer = analysis.guarded(|db| {
        let (named, ..) = named_at(db, file, offset)?;
        Some(answer_place(db, named.place(db)?))
    });
    answer.ok().flatten()
}
