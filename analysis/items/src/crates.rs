//! Crates as far as libraries go: which files are one, what its manifest says, which libraries they import.
//!
//! A package has one manifest for all its targets. What is decided from it is in [`super::dialects`].

#![allow(
    missing_docs,
    reason = "salsa generates undocumented constructors and setters"
)]

use std::collections::BTreeMap;

use std::ops::Range;
use std::sync::Arc;

use super::dialects::has_kernel_words;
use super::file::{file_items, item_text};
use super::ids::{ItemId, ItemKind, ModuleId, ModulePath, Span};
use super::modules::crate_root;
use super::shapes::{Evidence, release_evidence};
use crate::db::Db;
use crate::fragments::{file_of, is_fragment};
use crate::inputs::{PackageEntry, Project, SourceFile};
use crate::libraries::{Crate, Library};
use crate::names::is_word_letter;

/// A crate by its root, for queries about it.
#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX, debug)]
pub(super) struct CrateId {
    /// The folder of the manifest, the root file of a crate without one, or a block of a text, which is a crate of its own.
    #[returns(clone)]
    pub root: Arc<str>,
    /// Its manifest, if it has one.
    #[returns(copy)]
    pub manifest: Option<PackageEntry>,
}

/// The crate of a file.
#[salsa::tracked(returns(clone))]
pub fn crate_of(db: &dyn Db, file: SourceFile) -> Arc<Crate> {
    let krate = crate_id(db, file);
    let manifest = krate.manifest(db);
    let root = match manifest {
        Some(manifest) => manifest.root(db),
        None => file_of(&krate.root(db)).into(),
    };
    Arc::new(Crate {
        package: manifest.map(|manifest| manifest.manifest(db).name),
        root,
    })
}

/// The crate of a file, by its root.
#[salsa::tracked(returns(copy))]
pub(super) fn crate_id(db: &dyn Db, file: SourceFile) -> CrateId {
    let manifest = package_around(db, file);
    let path = file.path(db);
    let root = match manifest {
        // What a block of a text shows says nothing of the package that the text is in.
        _ if is_fragment(&path) => path,
        Some(manifest) => manifest.root(db),
        None => root_file(db, file).path(db),
    };
    CrateId::new(db, root, manifest)
}

/// The package around a file.
#[salsa::tracked(returns(copy))]
pub(super) fn package_around(db: &dyn Db, file: SourceFile) -> Option<PackageEntry> {
    let manifests = Project::try_get(db)?.manifests(db);
    if manifests.is_empty() {
        return None;
    }
    let path = file.path(db);
    let mut folder: &str = &path;
    while let Some((above, _)) = folder.rsplit_once('/') {
        folder = above;
        if let Some(found) = manifests.get(folder) {
            return Some(*found);
        }
    }
    let found = manifests.get("").copied();
    found.filter(|_| !path.starts_with('/'))
}

/// The names that the package around a file gives libraries in its manifest.
#[salsa::tracked(returns(clone))]
pub(super) fn renamed_libraries(db: &dyn Db, file: SourceFile) -> Arc<[(Library, Arc<str>)]> {
    let Some(entry) = package_around(db, file) else {
        return Arc::default();
    };
    let manifest = entry.manifest(db);
    let renamed = manifest.libraries.iter();
    renamed
        .filter_map(|named| Some((named.library, Arc::clone(named.renamed.as_ref()?))))
        .collect()
}

/// The files of each crate, in the order of their paths.
#[salsa::tracked(returns(clone))]
fn files_of_crates(db: &dyn Db, project: Project) -> Arc<BTreeMap<Arc<str>, Arc<[SourceFile]>>> {
    let mut crates: BTreeMap<Arc<str>, Vec<SourceFile>> = BTreeMap::new();
    for file in project.files(db).values() {
        let root = crate_id(db, *file).root(db);
        crates.entry(root).or_default().push(*file);
    }
    let crates = crates.into_iter();
    Arc::new(crates.map(|(root, files)| (root, files.into())).collect())
}

/// The files of a crate, in the order of their paths. Files of other crates come and go without it.
#[salsa::tracked(returns(clone))]
pub(super) fn files_of_crate(db: &dyn Db, krate: CrateId) -> Arc<[SourceFile]> {
    let crates = Project::try_get(db).map(|project| files_of_crates(db, project));
    let files = crates.and_then(|crates| crates.get(&krate.root(db)).cloned());
    files.unwrap_or_default()
}

/// Whether code of one file can use what another one declares: they are of one crate, or the first one's crate names the other's
/// package somewhere.
pub fn may_use(db: &dyn Db, from: SourceFile, other: SourceFile) -> bool {
    let (from, other) = (crate_id(db, from), crate_id(db, other));
    from == other || names_package(db, from, other)
}

#[salsa::tracked(returns(copy))]
fn names_package(db: &dyn Db, from: CrateId, other: CrateId) -> bool {
    // Any file of the crate may be typed into.
    if let Some(project) = Project::try_get(db) {
        project.restless(db);
    }
    let Some(entry) = other.manifest(db) else {
        return false;
    };
    let name = entry.manifest(db).name.replace('-', "_");
    let files = files_of_crate(db, from);
    !name.is_empty()
        && files
            .iter()
            .any(|file| word_range(&file.text(db), &name).is_some())
}

/// What all files of a crate say of releases.
#[salsa::tracked(returns(copy))]
pub(super) fn crate_evidence(db: &dyn Db, krate: CrateId) -> Evidence {
    // Any function of the crate may be typed into.
    if let Some(project) = Project::try_get(db) {
        project.restless(db);
    }
    let files = files_of_crate(db, krate);
    let each = files.iter().map(|file| release_evidence(db, *file));
    each.fold(Evidence::default(), Evidence::and_evidence)
}

/// What a crate imports: for each library the files that do, the crate's root first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Imports {
    by_library: BTreeMap<Library, Vec<SourceFile>>,
}

impl Imports {
    /// Whether some file of the crate imports a library.
    pub(super) fn names_any(&self) -> bool {
        !self.by_library.is_empty()
    }

    /// The library that the crate imports, and the first of its files that does. Of two the root's, else the one that more
    /// files import.
    pub(super) fn library(&self, root: SourceFile) -> Option<(Library, SourceFile)> {
        let weight = |(library, files): &(&Library, &Vec<SourceFile>)| {
            (files.contains(&root), files.len(), **library)
        };
        let (library, files) = self.by_library.iter().max_by_key(weight)?;
        let first = files.iter().find(|file| **file == root);
        Some((*library, *first.or_else(|| files.first())?))
    }
}

/// What the files of a crate import.
#[salsa::tracked(returns(clone))]
pub(super) fn crate_imports(db: &dyn Db, krate: CrateId) -> Arc<Imports> {
    let mut imports = Imports::default();
    for file in files_of_crate(db, krate).iter() {
        for library in imported_libraries(db, *file).iter() {
            let files = imports.by_library.entry(*library).or_default();
            files.push(*file);
        }
    }
    Arc::new(imports)
}

/// The libraries that a file's imports name, in the order of the library's own list.
#[salsa::tracked(returns(clone))]
fn imported_libraries(db: &dyn Db, file: SourceFile) -> Arc<[Library]> {
    // Most files name no library, and need not be parsed for it.
    if renamed_libraries(db, file).is_empty() && !has_kernel_words(db, file) {
        return Arc::default();
    }
    let named: Vec<Library> = library_imports(db, file)
        .map(|(library, ..)| library)
        .collect();
    let all = Library::ALL.into_iter();
    all.filter(|library| named.contains(library)).collect()
}

/// The imports of a file that name a library, with the place of its name.
pub fn library_imports(db: &dyn Db, file: SourceFile) -> impl Iterator<Item = (Library, Span)> {
    let items = file_items(db, file);
    let imports: Vec<ItemId> = items
        .items
        .iter()
        .copied()
        .filter(|item| item.kind(db) == ItemKind::Use)
        .collect();
    let renamed = renamed_libraries(db, file);
    imports.into_iter().filter_map(move |item| {
        let text = item_text(db, item);
        let own =
            Library::ALL.map(|library| (word_range(&text.text, library.crate_name()), library));
        let others = renamed
            .iter()
            .map(|(library, name)| (word_range(&text.text, name), *library));
        let named = own.into_iter().chain(others);
        let named = named.filter_map(|(place, library)| Some((place?, library)));
        let (place, library) = named.min_by_key(|(place, _)| place.start)?;
        let offset = |at| u32::try_from(at).unwrap_or(u32::MAX);
        Some((library, text.span(offset(place.start), offset(place.end))))
    })
}

/// Where a name is as a word of its own.
fn word_range(text: &str, name: &str) -> Option<Range<usize>> {
    text.match_indices(name)
        .map(|(start, _)| start)
        .find(|start| {
            let before = text
                .get(..*start)
                .and_then(|before| before.chars().next_back());
            let after = text
                .get(start + name.len()..)
                .and_then(|after| after.chars().next());
            !before.is_some_and(is_word_letter) && !after.is_some_and(is_word_letter)
        })
        .map(|start| start..start + name.len())
}

/// The root file of a file's modules.
pub(super) fn root_file(db: &dyn Db, file: SourceFile) -> SourceFile {
    crate_root(db, ModuleId::new(db, file, ModulePath::from([]))).file(db)
}

/// The root file of a crate's modules: of a package that of its library or program, else that of the first of its files.
pub(super) fn root_of(db: &dyn Db, krate: CrateId) -> Option<SourceFile> {
    let files = files_of_crate(db, krate);
    let usual = ["src/lib.rs", "src/main.rs"].into_iter().find_map(|name| {
        let mut files = files.iter();
        files.find(|file| below_crate(db, krate, **file) == name)
    });
    let first = || files.first().map(|file| root_file(db, *file));
    usual.copied().or_else(first)
}

/// A file's path below the folder of its crate.
pub(super) fn below_crate(db: &dyn Db, krate: CrateId, file: SourceFile) -> String {
    let path = file.path(db);
    let path = file_of(&path);
    let root = match krate.manifest(db) {
        Some(manifest) => manifest.root(db),
        None => krate.root(db),
    };
    let folder = match krate.manifest(db) {
        Some(_) => &*root,
        None => root.rsplit_once('/').map_or("", |(folder, _)| folder),
    };
    let below = path
        .strip_prefix(folder)
        .map(|rest| rest.trim_start_matches('/'));
    below.unwrap_or(path).to_owned()
}
