//! Which library a crate is written for, in which release, and why.
//!
//! A crate has one library and one release, whatever its files import. The user's choice goes first; it alone may differ from
//! file to file. The library is what the manifest names, else what a file of the crate imports, else what a package that the
//! manifest names hands on, else whose names the sources use. The release is that of the lock file or of the manifest, else the
//! newest that has all shapes of the sources.

use std::sync::Arc;

use ra_ap_syntax::ast::AstNode;

use super::crates::{
    CrateId, below_crate, crate_evidence, crate_id, crate_imports, package_around, root_of,
};
use super::ids::{ItemId, Span};
use super::scopes::file_functions;
use super::shapes::{Shapes, release_evidence, shape_places};
use crate::db::Db;
use crate::inputs::{
    PackageLibrary, PackageManifest, Project, SourceFile, options, parse, syntax_error_count,
};
use crate::libraries::{Dialect, FileLibrary, Library, Release, Shape, TOOLS};
use crate::names::is_word_letter;
use crate::syntax::{PLACEHOLDER_START, has_placeholder};

/// The library of a file, in its release.
#[salsa::tracked(returns(copy))]
pub fn dialect(db: &dyn Db, file: SourceFile) -> Dialect {
    file_library(db, file).dialect
}

/// Library and release of a file.
#[salsa::tracked(returns(clone))]
pub fn file_library(db: &dyn Db, file: SourceFile) -> Arc<FileLibrary> {
    let chosen = options(db, file);
    crate_library(db, crate_id(db, file), chosen.library, chosen.release)
}

/// Whether a file can hold something of a kernel: the user chose a library for it, its crate names one, or its text has words that only
/// kernels have. A template of a generator of projects is none. Everything else is ordinary Rust, of which nothing is resolved, lowered or reported.
#[salsa::tracked(returns(copy))]
pub fn concerns_kernels(db: &dyn Db, file: SourceFile) -> bool {
    let chosen = options(db, file);
    let names_kernels = chosen.library.is_some()
        || chosen.release.is_some()
        || has_kernel_words(db, file)
        || names_a_library(db, file);
    names_kernels && !is_template(db, file)
}

/// Whether a file is a template of a generator of projects: it has placeholders, and does not parse for them.
#[salsa::tracked(returns(copy))]
pub fn is_template(db: &dyn Db, file: SourceFile) -> bool {
    // Any file may be typed into.
    if let Some(project) = Project::try_get(db) {
        project.restless(db);
    }
    memchr::memmem::find(file.text(db).as_bytes(), PLACEHOLDER_START.as_bytes()).is_some()
        && syntax_error_count(db, file) > 0
        && (parse(db, file).tree()).is_some_and(|tree| has_placeholder(tree.syntax()))
}

/// The files of a project that can hold something of a kernel, in the order of their paths.
pub fn kernel_files(db: &dyn Db, project: Project) -> Vec<SourceFile> {
    let files = project.files(db);
    let files = files.values().copied();
    files.filter(|file| concerns_kernels(db, *file)).collect()
}

/// Whether a text has the name of a library, a call of `m!` or `axes!`, the attribute of kernels, or a remark to this program. One pass
/// over the bytes: the text is not parsed for it.
#[salsa::tracked(returns(copy))]
pub(super) fn has_kernel_words(db: &dyn Db, file: SourceFile) -> bool {
    // Any file may be typed into.
    if let Some(project) = Project::try_get(db) {
        project.restless(db);
    }
    let text = file.text(db);
    let bytes = text.as_bytes();
    let libraries = Library::ALL.iter().map(|library| library.crate_name());
    let words = ["[device", "::device", "visa-lint:"].into_iter();
    let mut words = libraries.chain(words);
    words.any(|word| memchr::memmem::find(bytes, word.as_bytes()).is_some())
        || memchr::memchr_iter(b'!', bytes).any(|at| is_kernel_macro(&text, at))
        || TOOLS.into_iter().any(|tool| {
            memchr::memmem::find_iter(bytes, tool.as_bytes())
                .any(|at| is_rule_path(&text, at, tool.len()))
        })
}

/// How far before a macro's name a remark on its line is looked for, in bytes: a bound, so that no text takes time by its square.
const REMARK_BYTES: usize = 400;

/// Whether the `!` at an offset calls `m!` or `axes!` as kernels do, in square brackets and in no remark: parsers of Rust have tests
/// and remarks about a macro `m!()`.
fn is_kernel_macro(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end();
    let start = before.trim_end_matches(is_word_letter);
    if !matches!(&before[start.len()..], "m" | "axes")
        || !text[at + 1..].trim_start().starts_with('[')
    {
        return false;
    }
    let near = &start[start.floor_char_boundary(start.len().saturating_sub(REMARK_BYTES))..];
    let line = near.rsplit('\n').next().unwrap_or(near);
    !line.contains("//")
}

/// Whether the word at an offset begins the path of a rule in an attribute: `#[allow(tcp::slice_size)]`.
fn is_rule_path(text: &str, at: usize, length: usize) -> bool {
    text[..at].trim_end().ends_with(['(', ','])
        && text[at + length..].trim_start().starts_with("::")
}

/// Whether the manifest of a file's crate or an import in it names a library, so that its files are about kernels.
pub fn names_a_library(db: &dyn Db, file: SourceFile) -> bool {
    let krate = crate_id(db, file);
    let manifest = krate.manifest(db).map(|entry| entry.manifest(db));
    let is_declared = manifest.is_some_and(|manifest| {
        let mut libraries = manifest.libraries.iter();
        libraries.any(|library| library.named.is_some())
    });
    is_declared || crate_imports(db, krate).names_any()
}

/// Library and release of a crate, where the user chose some or none of both.
#[salsa::tracked(returns(clone))]
fn crate_library(
    db: &dyn Db,
    krate: CrateId,
    chosen: Option<Library>,
    release: Option<Release>,
) -> Arc<FileLibrary> {
    let manifest = krate.manifest(db).map(|entry| entry.manifest(db));
    let manifest = manifest.unwrap_or_default();
    let (library, because) = match chosen {
        Some(library) => (library, "the settings choose it".to_owned()),
        None => decided_library(db, krate, &manifest, release),
    };
    let of_library = |release: &Release| Library::having(*release) == library;
    let found = match release.filter(of_library) {
        Some(release) => Released::chosen(release, chosen.is_some()),
        None => released(db, krate, library, &manifest),
    };
    let because = match &found.because {
        Some(source) => format!("{because}; {source}"),
        None => because,
    };
    let written = found.written.as_deref().and_then(Release::of_version);
    let known = library.nearest(
        written
            .or(found.derived)
            .unwrap_or_else(|| library.newest()),
    );
    let single = library.releases().len() == 1;
    Arc::new(FileLibrary {
        dialect: Dialect {
            library,
            release: known,
        },
        release: match found.written {
            None if single => None,
            None => Some(known.to_string().into()),
            written => written,
        },
        because: because.into(),
        is_unknown: !single && written.is_some_and(|written| written != known),
    })
}

/// The library of a crate, and what says so, where the user does not.
fn decided_library(
    db: &dyn Db,
    krate: CrateId,
    manifest: &PackageManifest,
    release: Option<Release>,
) -> (Library, String) {
    let declared: Vec<(&PackageLibrary, &Arc<str>)> = manifest
        .libraries
        .iter()
        .filter_map(|named| Some((named, named.named.as_ref()?)))
        .collect();
    let only = |through: bool| {
        let mut named = declared
            .iter()
            .filter(|(named, _)| named.through == through);
        match (named.next(), named.next()) {
            (Some((named, because)), None) => Some((named.library, because.to_string())),
            _ => None,
        }
    };
    if let Some(found) = only(false) {
        return found;
    }
    // What the manifest says where it does not decide.
    let both = declared.iter().filter(|(named, _)| !named.through).count() > 1;
    let remark = match &manifest.problem {
        Some(problem) => format!("{problem}; "),
        None if both => "`Cargo.toml` depends on both libraries; ".to_owned(),
        None => String::new(),
    };
    let root = root_of(db, krate);
    let imported = root.and_then(|root| crate_imports(db, krate).library(root));
    if let Some((library, by)) = imported {
        let by = below_crate(db, krate, by);
        return (library, format!("{remark}`{by}` imports it"));
    }
    if let Some((library, because)) = only(true) {
        return (library, format!("{remark}{because}"));
    }
    // A crate that a library is made of names no library: its own tests are written for the current one.
    let own = manifest.name.replace('-', "_");
    if release.is_none() && Library::OptStd.is_made_of(&own) {
        let name = Library::OptStd.crate_name();
        return (
            Library::OptStd,
            format!("{remark}`{}` is a part of `{name}`", manifest.name),
        );
    }
    if let Some(release) = release {
        return (
            Library::having(release),
            format!("{remark}nothing names a library"),
        );
    }
    let unnamed = if both {
        "no file imports one"
    } else {
        "nothing names a library"
    };
    if let Some(shape) = successors(crate_evidence(db, krate).shapes()) {
        let because = format!(
            "{remark}{unnamed}, and {} in the sources is its",
            shape.words
        );
        return (Library::OptStd, because);
    }
    (
        Library::default(),
        format!("{remark}{unnamed}, and this one is the book's"),
    )
}

/// The shape that tells the sources of a crate from those for the book's library, if they are not for it: more names speak
/// against it than for it.
fn successors(shapes: Shapes) -> Option<&'static Shape> {
    let names = || shapes.rows().filter(|shape| shape.pattern.is_name());
    let own = names().filter(|shape| !shape.in_book).count();
    let of_book = names().filter(|shape| shape.first.is_none()).count();
    names()
        .find(|shape| !shape.in_book)
        .filter(|_| own > of_book)
}

/// The release of a crate's library.
struct Released {
    /// As it is written somewhere.
    written: Option<Arc<str>>,
    /// Where nothing writes it.
    derived: Option<Release>,
    /// What says so, in a clause.
    because: Option<String>,
}

impl Released {
    /// The user's choice, which was said if they chose the library with it.
    fn chosen(release: Release, is_said: bool) -> Self {
        Self {
            written: Some(release.to_string().into()),
            derived: None,
            because: (!is_said).then(|| format!("the settings choose {release}")),
        }
    }
}

/// The release of a crate's library, where the user does not choose it.
fn released(db: &dyn Db, krate: CrateId, library: Library, manifest: &PackageManifest) -> Released {
    let mut known = manifest.libraries.iter();
    let known = known.find(|known| known.library == library);
    if let Some((release, source)) = known.and_then(|known| known.release.clone()) {
        return Released {
            written: Some(release),
            derived: None,
            because: Some(source.to_string()),
        };
    }
    if library.releases().len() == 1 {
        return Released {
            written: None,
            derived: None,
            because: None,
        };
    }
    let shapes = crate_evidence(db, krate).shapes();
    let (release, because) = by_shapes(library, shapes);
    let without = known.and_then(|known| known.without.as_deref());
    let because = match without {
        Some(without) => format!("{without}; {because}"),
        None => because,
    };
    Released {
        written: None,
        derived: Some(release),
        because: Some(because),
    }
}

/// The newest release that has all shapes, and why it is that one. Where none has all of them, the newest that has most.
fn by_shapes(library: Library, shapes: Shapes) -> (Release, String) {
    // What only the book's library has says nothing of releases of another.
    let telling: Vec<&Shape> = shapes
        .rows()
        .filter(|shape| shape.first.is_some())
        .collect();
    let having = |release: &Release| telling.iter().filter(|shape| shape.is_in(*release)).count();
    let releases = library.releases().iter();
    let release = releases
        .copied()
        .max_by_key(|release| (having(release), *release));
    let release = release.unwrap_or_else(|| library.newest());
    let oldest = library.releases().first().copied();
    let earliest = telling.iter().max_by_key(|shape| shape.first);
    let earliest = earliest.filter(|shape| shape.first > oldest);
    let latest = telling.iter().filter(|shape| shape.last.is_some());
    let latest = latest.min_by_key(|shape| shape.last);
    let bounds: Vec<String> = [earliest, latest]
        .into_iter()
        .flatten()
        .map(|shape| format!("{} is of {}", shape.words, shape.releases()))
        .collect();
    let bounds = match bounds.as_slice() {
        [one, other] if one == other => one.clone(),
        all => all.join(", "),
    };
    let because = if bounds.is_empty() {
        format!("nothing says its release, and {release} is the newest that is known")
    } else if having(&release) < telling.len() {
        format!("no release has all that the sources use ({bounds}), and {release} has most")
    } else {
        format!("{release} is the newest that has what the sources use ({bounds})")
    };
    (release, because)
}

/// The manifest's word about a file's library, if there is one.
pub fn file_manifest(db: &dyn Db, file: SourceFile) -> Option<PackageLibrary> {
    let manifest = package_around(db, file)?.manifest(db);
    let wanted = dialect(db, file).library;
    let mut libraries = manifest.libraries.iter();
    libraries.find(|known| known.library == wanted).cloned()
}

/// Shapes of a file that the release of its crate does not have, while other releases have all shapes of the crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excluded {
    /// Where they are, each where it is first.
    pub shapes: Vec<(Span, &'static Shape)>,
    /// The oldest and the newest release that have all shapes of the crate.
    pub fitting: (Release, Release),
}

/// The shapes of a file that the release of its crate does not have. None where no release has all that the crate uses: then
/// single names are of another release, and not the crate.
#[salsa::tracked(returns(clone))]
pub fn excluded_shapes(db: &dyn Db, file: SourceFile) -> Option<Arc<Excluded>> {
    let Dialect { library, release } = dialect(db, file);
    if library.shapes().is_empty() {
        return None;
    }
    let own = release_evidence(db, file).shapes();
    // Most files have nothing that their release has not, and then no other file matters.
    if own.rows().all(|shape| shape.is_in(release)) {
        return None;
    }
    let all = crate_evidence(db, crate_id(db, file)).shapes();
    let fits = |release: &Release| all.rows().all(|shape| shape.is_in(*release));
    let mut fitting = library.releases().iter().copied().filter(fits);
    let oldest = fitting.next()?;
    let newest = fitting.next_back().unwrap_or(oldest);
    let mut shapes = shape_places(db, file, all);
    shapes.retain(|(_, shape)| !shape.is_in(release));
    let excluded = Excluded {
        shapes,
        fitting: (oldest, newest),
    };
    (!excluded.shapes.is_empty()).then(|| Arc::new(excluded))
}

/// The functions of a file, wherever they are in it; none of ordinary Rust, and none of another language.
pub fn functions_of_file(db: &dyn Db, file: SourceFile) -> Vec<ItemId> {
    if file.language(db).has_front_end() || !concerns_kernels(db, file) {
        return Vec::new();
    }
    file_functions(db, file)
}
