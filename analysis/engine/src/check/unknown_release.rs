//! Crates in a release of their library that is not known: where that is said, once a crate.
//!
//! Knows which files of such crates have kernels and which file says it best; nothing of what their calls mean.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::db::Db;
use crate::inputs::{Project, SourceFile};
use crate::items::functions_of_file;
use crate::items::{Span, crate_of, device_attribute, dialect, file_library, library_imports};
use crate::rules::{self, Finding};

/// What is said in a file about its crate's release, with the file of the crate that says it best. Every file with kernels
/// says it, for who asks about that file alone.
pub(crate) fn unknown_release(db: &dyn Db, file: SourceFile) -> Option<(Finding, Arc<str>)> {
    let library = file_library(db, file);
    if !library.is_unknown {
        return None;
    }
    let krate = crate_of(db, file);
    let home = homes(db, Project::try_get(db)?).get(&krate.root).cloned()?;
    let place =
        release_place(db, file).filter(|_| has_kernels(db, file) || *home == *file.path(db))?;
    let finding = rules::versions::unknown_release(place, &krate, &library);
    Some((finding, home))
}

/// For each crate that something is to be said of the file that says it best: one that imports the library, as near to
/// the crate's root as possible.
#[salsa::tracked(returns(clone))]
fn homes(db: &dyn Db, project: Project) -> Arc<BTreeMap<Arc<str>, Arc<str>>> {
    type Preference = (bool, usize, Arc<str>);
    let mut best: BTreeMap<Arc<str>, (bool, Preference)> = BTreeMap::new();
    for file in project.files(db).values() {
        if !file_library(db, *file).is_unknown {
            continue;
        }
        let imports = library_import(db, *file).is_some();
        let kernels = has_kernels(db, *file);
        if !imports && !kernels {
            continue;
        }
        let path = file.path(db);
        let depth = path.matches('/').count();
        let preference = (!imports, depth, path);
        let root = Arc::clone(&crate_of(db, *file).root);
        let known = best
            .entry(root)
            .or_insert_with(|| (false, preference.clone()));
        known.0 |= kernels;
        if preference < known.1 {
            known.1 = preference;
        }
    }
    let homes = best.into_iter().filter(|(_, (kernels, _))| *kernels);
    Arc::new(homes.map(|(root, (_, (.., home)))| (root, home)).collect())
}

/// Whether a file has kernels.
#[salsa::tracked(returns(copy))]
fn has_kernels(db: &dyn Db, file: SourceFile) -> bool {
    first_kernel(db, file).is_some()
}

/// The attribute of the first kernel of a file.
fn first_kernel(db: &dyn Db, file: SourceFile) -> Option<Span> {
    let mut kernels = functions_of_file(db, file).into_iter();
    kernels.find_map(|function| Some(device_attribute(db, function)?.span))
}

/// Where a file says it: at the library's name in an import, else at the first kernel.
fn release_place(db: &dyn Db, file: SourceFile) -> Option<Span> {
    library_import(db, file).or_else(|| first_kernel(db, file))
}

/// The name of the file's library in its imports.
fn library_import(db: &dyn Db, file: SourceFile) -> Option<Span> {
    let wanted = dialect(db, file).library;
    let mut imports = library_imports(db, file);
    let (_, place) = imports.find(|(library, _)| *library == wanted)?;
    Some(place)
}
