//! Crates for a library that is not read: where that is said, once a crate.
//!
//! Knows which calls such crates make and which file says it best; nothing of what the calls mean.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::functions;
use crate::db::Db;
use crate::inputs::{Project, SourceFile};
use crate::items::{Span, crate_of, dialect, file_library, library_imports};
use crate::kernel::{UnresolvedReason, body};
use crate::rules::{self, Finding};

/// What is said in a file about its crate's library, with the file of the crate that says it best. Every file with calls of
/// the library says it, for who asks about that file alone.
pub(crate) fn unread_library(db: &dyn Db, file: SourceFile) -> Option<(Finding, Arc<str>)> {
    if dialect(db, file).library.is_read() {
        return None;
    }
    let krate = crate_of(db, file);
    let home = homes(db, Project::try_get(db)?).get(&krate.root).cloned()?;
    let place = place(db, file).filter(|_| has_unread(db, file) || *home == *file.path(db))?;
    let finding = rules::unread_library(place, &krate, &file_library(db, file));
    Some((finding, home))
}

/// For each crate with calls of a library that is not read the file that says it best: one that imports the library, as near to
/// the crate's root as possible.
#[salsa::tracked(returns(clone))]
fn homes(db: &dyn Db, project: Project) -> Arc<BTreeMap<Arc<str>, Arc<str>>> {
    type Preference = (bool, usize, Arc<str>);
    let mut best: BTreeMap<Arc<str>, (bool, Preference)> = BTreeMap::new();
    for file in project.files(db).values() {
        if dialect(db, *file).library.is_read() {
            continue;
        }
        let imports = import(db, *file).is_some();
        let unread = has_unread(db, *file);
        if !imports && !unread {
            continue;
        }
        let path = file.path(db);
        let depth = path.matches('/').count();
        let preference = (!imports, depth, path);
        let root = Arc::clone(&crate_of(db, *file).root);
        let known = best
            .entry(root)
            .or_insert_with(|| (false, preference.clone()));
        known.0 |= unread;
        if preference < known.1 {
            known.1 = preference;
        }
    }
    let homes = best.into_iter().filter(|(_, (unread, _))| *unread);
    Arc::new(homes.map(|(root, (_, (.., home)))| (root, home)).collect())
}

/// Whether a file has calls that may be operations of a library that is not read.
#[salsa::tracked(returns(copy))]
fn has_unread(db: &dyn Db, file: SourceFile) -> bool {
    first_unread(db, file).is_some()
}

/// The name of the first function of a file with such calls.
fn first_unread(db: &dyn Db, file: SourceFile) -> Option<Span> {
    functions(db, file).into_iter().find_map(|function| {
        let body = body(db, function);
        let unread = |place: &crate::kernel::Unresolved| {
            matches!(place.reason, UnresolvedReason::UnreadLibrary(_))
        };
        body.unresolved.iter().any(unread).then_some(body.span)
    })
}

/// Where a file says it: at the library's name in an import, else at the first function that uses it.
fn place(db: &dyn Db, file: SourceFile) -> Option<Span> {
    import(db, file).or_else(|| first_unread(db, file))
}

/// The name of the file's library in its imports.
fn import(db: &dyn Db, file: SourceFile) -> Option<Span> {
    let wanted = dialect(db, file).library;
    let mut imports = library_imports(db, file);
    let (_, item, start) = imports.find(|(library, ..)| *library == wanted)?;
    let length = wanted.crate_name().len();
    Some(Span {
        item,
        start: u32::try_from(start).ok()?,
        end: u32::try_from(start + length).ok()?,
    })
}
