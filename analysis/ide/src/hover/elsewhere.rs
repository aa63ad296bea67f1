//! How often other files use an axis or an alias.
//!
//! Counts the same uses as the page of the reader's own file, and looks where references look. Each file's counts are kept, so
//! that a hover asks of a project that is as it was no more than a look-up a file. A file that can name only what it
//! declares itself and the library is passed over by its words alone, and in very large projects nothing is counted.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::db::Db;
use crate::inputs::{Project, SourceFile};
use crate::items::{ItemKind, file_items, item_text};

use super::super::names::{Named, files_around, word_places};
use super::meanings::{Meaning, item_uses};
use super::page::{Page, code};

/// Files that are named.
const FILES: usize = 4;
/// Bytes of the files that are counted in, at most: the first question reads all of them.
const BYTES: usize = 1 << 20;

/// How often a file uses each axis and alias.
#[salsa::tracked(returns(clone))]
fn file_uses(db: &dyn Db, file: SourceFile) -> Arc<FxHashMap<Meaning, usize>> {
    let mut counts = FxHashMap::default();
    for item in &file_items(db, file).items {
        db.unwind_if_revision_cancelled();
        for (_, meaning) in item_uses(db, *item).iter() {
            let count: &mut usize = counts.entry(*meaning).or_default();
            *count = count.saturating_add(1);
        }
    }
    Arc::new(counts)
}

/// Whether a file may name what others declare. Each path that leaves a file begins with one of these words, or with a name
/// that an import of the same file made of one: `crate`, `super`, a module that the file declares to be another file, a
/// package of the project.
#[salsa::tracked(returns(copy))]
fn may_name_others(db: &dyn Db, file: SourceFile) -> bool {
    let items = file_items(db, file);
    let modules = || {
        let is_other = |kind| kind == ItemKind::ModuleDeclaration;
        items
            .items
            .iter()
            .filter(move |item| is_other(item.kind(db)))
    };
    let mut ways: Vec<Arc<str>> = vec![Arc::from("crate"), Arc::from("super")];
    ways.extend(modules().map(|module| module.name(db)));
    let packages = Project::try_get(db).map(|project| project.packages(db));
    for package in packages.iter().flat_map(|packages| packages.iter()) {
        ways.push(package.name.replace('-', "_").into());
    }
    let paths = items.items.iter();
    let mut paths = paths.filter(|item| item.kind(db) != ItemKind::ModuleDeclaration);
    paths.any(|item| {
        let text = item_text(db, *item);
        ways.iter()
            .any(|way| word_places(&text.text, way).next().is_some())
    })
}

/// Counts what a hover of an axis or an alias counts in the files of a project, so that the first one finds it at hand. Nothing
/// for projects in which nothing is counted.
pub(crate) fn prepare_counts(db: &dyn Db) {
    let Some(project) = Project::try_get(db) else {
        return;
    };
    let mut files: Vec<SourceFile> = project.files(db).values().copied().collect();
    files.retain(|file| may_name_others(db, *file));
    if bytes_of(db, &files) <= BYTES {
        for file in files {
            let _ = file_uses(db, file);
        }
    }
}

fn bytes_of(db: &dyn Db, files: &[SourceFile]) -> usize {
    let bytes = files.iter().map(|file| file.text(db).len());
    bytes.fold(0, usize::saturating_add)
}

/// The uses in other files than the reader's, by file, the most first; `None` where there are none.
pub(super) fn uses_elsewhere_page(
    db: &dyn Db,
    named: &Named,
    reader: SourceFile,
) -> Option<String> {
    let home = named.file(db);
    let mut files = files_around(db, home);
    files.retain(|file| *file != reader && (*file == home || may_name_others(db, *file)));
    if bytes_of(db, &files) > BYTES {
        return Some(format!(
            "Uses in other files are not counted here: {} of them may name it.",
            files.len()
        ));
    }
    let wanted = Meaning::of(named);
    let mut counts: Vec<(usize, Arc<str>)> = files
        .into_iter()
        .filter_map(|file| Some((*file_uses(db, file).get(&wanted)?, file.path(db))))
        .collect();
    counts.sort_by(|(one, first), (other, second)| other.cmp(one).then_with(|| first.cmp(second)));
    let total: usize = counts.iter().map(|(count, _)| count).sum();
    let own = reader.path(db);
    let shared = counts.iter().fold(folder_part(&own), |shared, (_, path)| {
        shared_folder(shared, path)
    });
    let listed: Vec<String> = counts
        .iter()
        .take(FILES)
        .map(|(count, path)| {
            let path = path.strip_prefix(shared).unwrap_or(path);
            format!("{}: {}", code(path), times_text(*count))
        })
        .collect();
    let files = match counts.len() {
        0 => return None,
        1 => "one other file".to_owned(),
        count => format!("{count} other files"),
    };
    let mut page = Page::default();
    page.add_list(&format!("Used {} in {files}:", times_text(total)), &listed);
    if counts.len() > FILES {
        page.add(format!("and in {} more files", counts.len() - FILES));
    }
    Some(page.into_markdown())
}

/// A path without what is behind its last `/`.
fn folder_part(path: &str) -> &str {
    path.rfind('/')
        .and_then(|at| path.get(..=at))
        .unwrap_or_default()
}

/// The innermost folder of a folder that a path is in too, with its `/`; empty where there is none.
fn shared_folder<'p>(inner: &'p str, path: &str) -> &'p str {
    let mut shared = inner;
    while !path.starts_with(shared) {
        shared = folder_part(shared.strip_suffix('/').unwrap_or(shared));
    }
    shared
}

/// `once`, `4 times`.
pub(super) fn times_text(count: usize) -> String {
    if count == 1 {
        "once".to_owned()
    } else {
        format!("{count} times")
    }
}
