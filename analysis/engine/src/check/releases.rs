//! Files that are written for another release or another library than their crate is for.
//!
//! Knows where that is seen and what the manifest says of it; the words are the rules'.

use crate::db::Db;
use crate::inputs::{SourceFile, enabled_rules};
use crate::items::{Span, crate_of, excluded_shapes, file_library, file_manifest, library_imports};
use crate::libraries::Library;
use crate::places::Places;
use crate::report::{Diagnostic, Position, Range, RelatedPlace};
use crate::rules::{Finding, OwnRules as _, versions};

/// What a file shows of another release or library, placed.
pub(super) fn mismatches(
    db: &dyn Db,
    file: SourceFile,
    places: &mut Places<'_>,
) -> Vec<Diagnostic> {
    let families = enabled_rules(db, file).families();
    if !families.have_one_of(versions::RULES) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    if let Some(found) = excluded_shapes(db, file) {
        let (krate, library) = (crate_of(db, file), file_library(db, file));
        findings.extend(versions::excluded(&krate, &library, &found));
    }
    findings.extend(other_imports(db, file));
    let placed = findings
        .iter()
        .filter_map(|finding| places.diagnostic(finding));
    let manifest = by_manifest(db, file);
    placed
        .map(|mut diagnostic| {
            diagnostic.related.extend(manifest.clone());
            diagnostic
        })
        .collect()
}

/// The first import of a library that is not the crate's.
fn other_imports(db: &dyn Db, file: SourceFile) -> Option<Finding> {
    let library = file_library(db, file);
    let mut imports = library_imports(db, file);
    let other = |(imported, _): &(Library, Span)| *imported != library.dialect.library;
    let (imported, place) = imports.find(other)?;
    let krate = crate_of(db, file);
    Some(versions::other_library(place, imported, &krate, &library))
}

/// What the manifest says of the crate's library, where it is.
fn by_manifest(db: &dyn Db, file: SourceFile) -> Option<RelatedPlace> {
    let named = file_manifest(db, file)?;
    let place = named.place?;
    let position = |(byte, line, column)| Position { byte, line, column };
    let message = match named.release {
        Some((_, source)) => format!("the manifest names the library here; {source}"),
        None => "the manifest names the library here".to_owned(),
    };
    Some(RelatedPlace {
        message,
        file: place.file,
        range: Range {
            start: position(place.start),
            end: position(place.end),
        },
        fault: None,
    })
}
