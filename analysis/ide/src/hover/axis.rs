//! The page of an axis.

use std::sync::Arc;

use crate::db::Db;
use crate::inputs::SourceFile;
use crate::items::{
    AxisDefinition, MappingSite, Namespace, Resolution, Span, item_text, resolve_path, scope_at,
};
use crate::mapping::parse_axes;
use crate::numbers::thousands;
use crate::syntax::without_raw;

use super::super::Hover;
use super::super::names::Named;
use super::occurrences;
use super::page::{Page, code, counted, line_of, markdown_table};
use super::range_of;

/// Axes of one `axes!` that are listed.
const SHOWN: usize = 32;

/// The page: size, where it is declared, where the reader's file and others use it.
pub(super) fn axis_page(
    db: &dyn Db,
    axis: &AxisDefinition,
    name: &str,
    reader: SourceFile,
) -> String {
    let size = match axis.size {
        Some(size) => counted(size, "value"),
        None => "its size is missing, 0 or beyond 64 bits".to_owned(),
    };
    let plain = without_raw(name);
    let here = if plain == &*axis.name {
        String::new()
    } else {
        format!(", called {} here", code(plain))
    };
    let mut page = Page::headed(format!("axis **{}**: {size}{here}", code(&axis.name)));
    page.add(format!("Declared at {}.", line_of(db, axis.span, reader)));
    page.add(occurrences::occurrences_page(
        db,
        &Named::Axis(axis.clone()),
        name,
        reader,
    ));
    page.into_markdown()
}

/// The page of an `axes!`: all that it declares.
fn all_of(db: &dyn Db, site: &MappingSite) -> Option<Hover> {
    let text = item_text(db, site.body.item);
    let body = text
        .text
        .get(site.body.start as usize..site.body.end as usize)?;
    let (axes, _) = parse_axes(body);
    let rows: Vec<Vec<String>> = axes
        .iter()
        .take(SHOWN)
        .map(|axis| {
            let size = axis.size.map_or_else(|| "?".to_owned(), thousands);
            vec![code(&axis.name), size]
        })
        .collect();
    let mut page = Page::headed(format!("**`axes!`**: {}", axes_words(axes.len())));
    page.add(markdown_table(&["axis", "size"], 1, &rows));
    Some(Hover {
        range: range_of(db, site.span)?,
        markdown: page.into_markdown(),
    })
}

fn axes_words(count: usize) -> String {
    if count == 1 {
        "1 axis".to_owned()
    } else {
        format!("{count} axes")
    }
}

/// The page of a name in an `axes!`; on its other tokens, of all of it.
pub(super) fn declared_axis_page(
    db: &dyn Db,
    site: &MappingSite,
    token: Span,
    name: &str,
) -> Option<Hover> {
    let is_name = name.starts_with(|first: char| first == '_' || first.is_alphabetic());
    if !is_name || token.start < site.body.start || token.end > site.body.end {
        return all_of(db, site);
    }
    let scope = scope_at(db, token.item, token.start);
    let axis = match resolve_path(db, &scope, &[name], Namespace::Type) {
        Resolution::Axis(axis) if axis.span == token => axis,
        // Declared more than once: this one's size is what is behind it.
        _ => {
            let text = item_text(db, token.item);
            let behind = text.text.get(token.start as usize..)?;
            let (axes, _) = parse_axes(behind.split([',', ']', ')', '}', ';']).next()?);
            let size = axes.first().filter(|axis| axis.name == name)?.size;
            AxisDefinition {
                name: Arc::from(name),
                size: size.filter(|size| *size > 0),
                span: token,
            }
        }
    };
    Some(Hover {
        range: range_of(db, token)?,
        markdown: axis_page(db, &axis, name, token.item.file(db)),
    })
}
