//! The layout of a mapping: its digits as boxes, its normal form and its padding, with axes told apart.

use rustc_hash::FxHashSet;

use crate::db::Db;
use crate::items::{AxisPaths, ScopeRef, Span, mapping_sites, scope_at};
use crate::mapping::Mapping;
use crate::numbers::thousands;
use crate::rules::with_paths;

use super::page::{Page, block, code, percent_text};
use super::picture::{boxes, padding_positions};

/// A mapping whose axes are told apart from others of their names that its item uses, or that the names mean there.
pub(super) struct ToldApart<'a> {
    db: &'a dyn Db,
    scope: ScopeRef,
    pub(super) mapping: Mapping,
}

impl<'a> ToldApart<'a> {
    /// A mapping as it is shown at a place.
    pub(super) fn at(db: &'a dyn Db, place: Span, mapping: &Mapping) -> Self {
        let sites = mapping_sites(db, place.item);
        let others = sites.iter().flat_map(|site| site.mappings.iter().flatten());
        let axes: FxHashSet<_> = others.chain([mapping]).flat_map(Mapping::axes).collect();
        let scope = scope_at(db, place.item, place.start);
        let paths = AxisPaths::of(db, &scope, &axes);
        let mapping = paths.mapping(mapping).unwrap_or_else(|| mapping.clone());
        Self { db, scope, mapping }
    }

    /// A mapping of the same axes in code.
    pub(super) fn mapping_in_code(&self, mapping: &Mapping) -> String {
        with_paths(self.db, &self.scope, &format!("m![{mapping}]"))
    }
}

/// The digits of a mapping, its normal form, and how much of it is padding.
pub(super) fn layout_text(shown: &ToldApart<'_>) -> String {
    let mapping = &shown.mapping;
    let form = mapping.form();
    let mut page = Page::default();
    page.add(boxes(form).map(|boxes| block("text", &boxes)));
    let mut lines = vec![format!(
        "Normal form {}",
        code(&shown.mapping_in_code(&form.to_mapping()))
    )];
    match padding_positions(mapping) {
        Some(0) => {}
        Some(empty) => lines.push(format!(
            "Padding {}: {} of {} positions",
            percent_text(empty, mapping.size()),
            thousands(empty),
            thousands(mapping.size())
        )),
        None => {
            lines.push("Padding unknown: its digits are too entangled to be counted".to_owned());
        }
    }
    page.add_lines(&lines);
    page.into_markdown()
}
