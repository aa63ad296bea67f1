//! Which library a file is written for, in which release, and why.
//!
//! The user's choice goes first, then what the crate's manifest names, then imports: the file's own, those of its crate's
//! root, those of any other file of the crate. Only a crate that says nothing anywhere is read as the book's. The release is
//! what the lock file or the manifest says; shapes of the sources are not looked at here.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::file::{file_items, item_text};
use super::ids::{ItemId, ItemKind, ModuleId, ModulePath};
use super::modules::crate_root;
use crate::db::Db;
use crate::inputs::{PackageLibrary, PackageManifest, Project, SourceFile, options};
use crate::libraries::{Library, Release};

/// A library in a release: what decides what methods mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Dialect {
    /// The library.
    pub library: Library,
    /// Its release; the newest one that is known where nothing says which.
    pub release: Release,
}

impl Dialect {
    /// The newest release of a library.
    #[must_use]
    pub const fn newest(library: Library) -> Self {
        Self {
            library,
            release: library.newest(),
        }
    }
}

impl Default for Dialect {
    fn default() -> Self {
        Self::newest(Library::default())
    }
}

/// The crate that a file belongs to, as far as libraries go: a package has one manifest for all its targets.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Crate {
    /// The package's name; none for a file outside of all packages.
    pub package: Option<Arc<str>>,
    /// The folder of the package's manifest; for a file outside of all packages the root file of its modules.
    pub root: Arc<str>,
}

/// Library and release, and what decided them.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileLibrary {
    /// The library in its release.
    pub dialect: Dialect,
    /// The release as it is written somewhere, patch included: `0.8.1`.
    pub release: Option<Arc<str>>,
    /// What decided, in a clause; files are named as below the crate's folder.
    pub because: Arc<str>,
}

/// The crate of a file.
#[salsa::tracked(returns(clone))]
pub fn crate_of(db: &dyn Db, file: SourceFile) -> Arc<Crate> {
    let known = manifest(db, file).map(|(root, manifest)| Crate {
        package: Some(manifest.name),
        root,
    });
    Arc::new(known.unwrap_or_else(|| Crate {
        package: None,
        root: root_file(db, file).path(db),
    }))
}

/// The library of a file, in its release.
#[salsa::tracked(returns(copy))]
pub fn dialect(db: &dyn Db, file: SourceFile) -> Dialect {
    file_library(db, file).dialect
}

/// Library and release of a file.
#[salsa::tracked(returns(clone))]
pub fn file_library(db: &dyn Db, file: SourceFile) -> Arc<FileLibrary> {
    let named: Arc<[PackageLibrary]> =
        manifest(db, file).map_or_else(Default::default, |(_, manifest)| manifest.libraries);
    let (library, because) = decided(db, file, &named);
    let known = named.iter().find(|named| named.library == library);
    let release = known.and_then(|named| named.release.clone());
    let because = match &release {
        Some((_, source)) => format!("{because}; {source}"),
        None => because,
    };
    let written = release.as_ref();
    let known = written.and_then(|(release, _)| Release::of_version(release));
    Arc::new(FileLibrary {
        dialect: Dialect {
            library,
            release: known.unwrap_or_else(|| library.newest()),
        },
        release: release.map(|(release, _)| release),
        because: because.into(),
    })
}

/// The library of a file, and what says so.
fn decided(db: &dyn Db, file: SourceFile, named: &[PackageLibrary]) -> (Library, String) {
    if let Some(library) = options(db, file).library {
        return (library, "the settings choose it".to_owned());
    }
    let mut declared = named
        .iter()
        .filter_map(|named| Some((named.library, named.named.as_ref()?)));
    // A crate may depend on both; which one a file is for, imports say.
    if let (Some((library, because)), None) = (declared.next(), declared.next()) {
        return (library, because.to_string());
    }
    let imported = imported_library(db, file).map(|library| (library, file));
    let imported = imported.or_else(|| {
        let root = root_file(db, file);
        imported_library(db, root).map(|library| (library, root))
    });
    let imported = imported.or_else(|| {
        let imports = crate_imports(db, Project::try_get(db)?);
        imports.get(&crate_of(db, file).root).copied()
    });
    match imported {
        Some((library, by)) => {
            let by = below_crate(db, by);
            (library, format!("`{by}` imports it"))
        }
        None => (
            Library::default(),
            "nothing names a library, and this one is the book's".to_owned(),
        ),
    }
}

/// What the package around a file says of libraries, with the package's folder.
#[salsa::tracked(returns(clone))]
fn manifest(db: &dyn Db, file: SourceFile) -> Option<(Arc<str>, PackageManifest)> {
    let manifests = Project::try_get(db)?.manifests(db);
    if manifests.is_empty() {
        return None;
    }
    let path = file.path(db);
    let mut folder: &str = &path;
    while let Some((above, _)) = folder.rsplit_once('/') {
        folder = above;
        if let Some((root, manifest)) = manifests.get_key_value(folder) {
            return Some((Arc::clone(root), manifest.clone()));
        }
    }
    let (root, manifest) = manifests.get_key_value("")?;
    let relative = !path.starts_with('/');
    relative.then(|| (Arc::clone(root), manifest.clone()))
}

/// The names that the package around a file gives libraries in its manifest.
#[salsa::tracked(returns(clone))]
pub(super) fn renamed_libraries(db: &dyn Db, file: SourceFile) -> Arc<[(Library, Arc<str>)]> {
    let libraries = manifest(db, file).map_or_else(Default::default, |(_, found)| found.libraries);
    let renamed = libraries.iter();
    renamed
        .filter_map(|named| Some((named.library, Arc::clone(named.renamed.as_ref()?))))
        .collect()
}

/// For each crate the first of its files, in the order of their paths, that imports a library.
#[salsa::tracked(returns(clone))]
fn crate_imports(db: &dyn Db, project: Project) -> Arc<BTreeMap<Arc<str>, (Library, SourceFile)>> {
    let mut imports = BTreeMap::new();
    for file in project.files(db).values() {
        if let Some(library) = imported_library(db, *file) {
            let root = Arc::clone(&crate_of(db, *file).root);
            imports.entry(root).or_insert((library, *file));
        }
    }
    Arc::new(imports)
}

/// The library that a file's imports name.
#[salsa::tracked(returns(copy))]
fn imported_library(db: &dyn Db, file: SourceFile) -> Option<Library> {
    library_imports(db, file)
        .next()
        .map(|(library, ..)| library)
}

/// The imports of a file that name a library, with the first byte of its name in the item's text.
pub(crate) fn library_imports(
    db: &dyn Db,
    file: SourceFile,
) -> impl Iterator<Item = (Library, ItemId, usize)> {
    let items = file_items(db, file);
    let imports: Vec<ItemId> = items
        .items
        .iter()
        .copied()
        .filter(|item| item.kind(db) == ItemKind::Use)
        .collect();
    let renamed = renamed_libraries(db, file);
    imports.into_iter().filter_map(move |item| {
        let text = Arc::clone(&item_text(db, item).text);
        let own = Library::ALL.map(|library| Some((text.find(library.crate_name())?, library)));
        let others = renamed
            .iter()
            .filter_map(|(library, name)| Some((word(&text, name)?, *library)));
        let (start, library) = own.into_iter().flatten().chain(others).min()?;
        Some((library, item, start))
    })
}

/// Where a name is as a word of its own.
fn word(text: &str, name: &str) -> Option<usize> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(name)
        .map(|(start, _)| start)
        .find(|start| {
            let before = text
                .get(..*start)
                .and_then(|before| before.chars().next_back());
            let after = text
                .get(start + name.len()..)
                .and_then(|after| after.chars().next());
            !before.is_some_and(is_part) && !after.is_some_and(is_part)
        })
}

/// The root file of a file's modules.
fn root_file(db: &dyn Db, file: SourceFile) -> SourceFile {
    crate_root(db, ModuleId::new(db, file, ModulePath::from([]))).file(db)
}

/// A file's path below the folder of its crate.
fn below_crate(db: &dyn Db, file: SourceFile) -> String {
    let path = file.path(db);
    let krate = crate_of(db, file);
    let folder = match &krate.package {
        Some(_) => &*krate.root,
        None => krate.root.rsplit_once('/').map_or("", |(folder, _)| folder),
    };
    let below = path
        .strip_prefix(folder)
        .map(|rest| rest.trim_start_matches('/'));
    below.unwrap_or(&path).to_owned()
}
