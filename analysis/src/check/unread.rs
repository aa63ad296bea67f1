//! Crates for a library that is not read, or in a release that is not known: where that is said, once a crate.
//!
//! Knows which kernels such crates have and which file says it best; nothing of what their calls mean.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::functions;
use crate::db::Db;
use crate::inputs::{Project, SourceFile};
use crate::items::{Span, crate_of, device_attribute, dialect, file_library, library_imports};
use crate::kernel::{UnresolvedReason, body};
use crate::rules::{self, Finding};

/// What is said in a file about its crate's library, with the file of the crate that says it best. Every file with calls of
/// the library says it, for who asks about that file alone.
pub(crate) fn unread_library(db: &dyn Db, file: SourceFile) -> Option<(Finding, Arc<str>)> {
    if is_known(db, file) {
        return None;
    }
    let krate = crate_of(db, file);
    let home = homes(db, Project::try_get(db)?).get(&krate.root).cloned()?;
    let place = place(db, file).filter(|_| has_unread(db, file) || *home == *file.path(db))?;
    let library = file_library(db, file);
    let finding = if library.dialect.library.is_read() {
        rules::versions::unknown_release(place, &krate, &library)
    } else {
        rules::unread_library(place, &krate, &library)
    };
    Some((finding, home))
}

/// Whether the file's library is read in its own release.
fn is_known(db: &dyn Db, file: SourceFile) -> bool {
    dialect(db, file).library.is_read() && !file_library(db, file).is_unknown
}

/// For each crate that something is to be said of the file that says it best: one that imports the library, as near to
/// the crate's root as possible.
#[salsa::tracked(returns(clone))]
fn homes(db: &dyn Db, project: Project) -> Arc<BTreeMap<Arc<str>, Arc<str>>> {
    type Preference = (bool, usize, Arc<str>);
    let mut best: BTreeMap<Arc<str>, (bool, Preference)> = BTreeMap::new();
    for file in project.files(db).values() {
        if is_known(db, *file) {
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

/// Whether a file has kernels of a release that is not known, or calls that may be operations of a library that is not read.
#[salsa::tracked(returns(copy))]
fn has_unread(db: &dyn Db, file: SourceFile) -> bool {
    first_unread(db, file).is_some()
}

/// The name of the first such function of a file.
fn first_unread(db: &dyn Db, file: SourceFile) -> Option<Span> {
    let is_read = dialect(db, file).library.is_read();
    functions(db, file).into_iter().find_map(|function| {
        if is_read {
            let attribute = device_attribute(db, function)?;
            return Some(attribute.span);
        }
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
    let (_, place) = imports.find(|(library, _)| *library == wanted)?;
    Some(place)
}
