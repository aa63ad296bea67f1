//! Which files are checked, and which more are loaded for their names.
//!
//! Knows paths, `.gitignore`, Cargo packages and the places where modules are; nothing about kernels. The engine sees
//! absolute paths with `/` between components; people see the paths as they gave them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::Deserialize;
use visa_analysis::{
    Language, Package, PackageFeatures, ending_of, has_rust_code, is_markdown, language_of,
    thousands,
};

use super::Failure;
use super::features::features_of;
use super::languages::{is_known, is_rust, takes_no_part, unsupported_file_text};
use super::libraries::{Libraries, libraries_of};
pub use super::loaded::LoadedFile;
use super::packages::{Manifest, Manifests, path_dependencies};
use super::paths::{absolute, end_of, shown_path, slashes, system_reason};
use super::regular::{SOURCE_BYTES, read_stream, read_text, text_of};
pub use super::search::folders_below;
pub use super::search::sources_below;
use super::settings::Resolver;
use super::since::changed_since;

/// Packages that are followed from those that are checked, by paths in their manifests.
const MOST_PACKAGES: usize = 4_096;

/// Directories above or below a lone file that are searched for modules.
const MODULE_DEPTH: usize = 32;

/// What standard input is, where a path is `-`.
#[derive(Debug, Clone, Copy)]
pub enum StandardInput<'a> {
    /// One text, with the name that it goes by.
    Text(Option<&'a Path>),
    /// Several: a JSON object a line, with path and text.
    Texts,
}

impl StandardInput<'_> {
    /// Whether an option says so.
    const fn is_said(self) -> bool {
        !matches!(self, Self::Text(None))
    }
}

/// One of several texts of standard input.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GivenText {
    path: PathBuf,
    text: String,
}

/// All that a run looks at.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Sources {
    /// Every loaded file: those that are reported on and those that only give names.
    pub files: Vec<LoadedFile>,
    /// The paths that are reported on.
    pub reported: Vec<String>,
    /// Those of them that are reported on only because they are open in an editor.
    pub(crate) only_open: BTreeSet<String>,
    /// The packages that the files belong to.
    pub packages: Vec<Package>,
    /// What these say of the libraries that kernels are written for.
    pub libraries: Libraries,
    /// Their features.
    pub features: Vec<PackageFeatures>,
    /// The path of standard input's text, if that was read.
    pub standard_input: Option<String>,
    /// The languages that the options say files have, by path.
    pub languages: BTreeMap<String, Language>,
    /// How people see a path.
    names: BTreeMap<String, String>,
    /// The current folder.
    here: String,
    /// The folders that were given, and those of the files that were.
    given_folders: Vec<PathBuf>,
    /// What could not be read.
    pub errors: Vec<String>,
    /// What is worth saying and fails nothing.
    pub warnings: Vec<String>,
}

impl Sources {
    /// Finds and reads everything that the paths of the command line name and the settings do not exclude.
    pub fn gather(paths: &[PathBuf], stdin: StandardInput<'_>, settings: &mut Resolver) -> Self {
        let mut gathering = Gathering::new(settings);
        // An option that says what standard input is asks for it.
        let is_input = |path: &&Path| path.as_os_str() == "-";
        let paths = || paths.iter().map(PathBuf::as_path);
        let implied = stdin.is_said() && !paths().any(|path| is_input(&path));
        for path in paths().chain(implied.then(|| Path::new("-"))) {
            if is_input(&path) {
                match stdin {
                    StandardInput::Text(name) => gathering.standard_input(name),
                    StandardInput::Texts => gathering.standard_texts(),
                }
            } else {
                gathering.path(path);
            }
        }
        gathering.add_neighbours();
        gathering.read()
    }

    /// Finds and reads everything below an editor's folders, and what is open in it and is elsewhere or is hidden there,
    /// with the neighbours of all. What is open is not read: its text is given.
    pub(crate) fn around_folders(
        folders: &[PathBuf],
        open: BTreeMap<PathBuf, String>,
        settings: &mut Resolver,
    ) -> Self {
        let mut gathering = Gathering::new(settings);
        for folder in folders {
            gathering.folder(folder);
        }
        let mut only_open = BTreeSet::new();
        for path in open.keys() {
            if !gathering.reported.contains_key(path) {
                gathering.report(path.clone(), slashes(path), true);
                only_open.insert(slashes(path));
            }
        }
        gathering.given.extend(open);
        gathering.is_open = true;
        gathering.add_neighbours();
        Self {
            only_open,
            ..gathering.read()
        }
    }

    /// Reports on only the files that differ from what a revision of git has of them. The others still give names.
    ///
    /// # Errors
    ///
    /// A file is in no repository, or the revision is none there.
    pub fn report_on_changed(&mut self, revision: &str) -> Result<(), Failure> {
        let reported = self.files.iter();
        let reported = reported.filter(|file| self.reported.binary_search(&file.path).is_ok());
        let changed = changed_since(reported, revision)?;
        self.reported.retain(|path| changed.contains(path.as_str()));
        Ok(())
    }

    /// Some of the files, by their positions, with all that is known of packages.
    pub fn part_of_files(&self, positions: &[usize]) -> Self {
        let files = positions.iter().filter_map(|at| self.files.get(*at));
        let paths = files.clone().map(|file| &file.path);
        let is_reported = |path: &&String| self.reported.binary_search(path).is_ok();
        Self {
            reported: paths.filter(is_reported).cloned().collect(),
            files: files.cloned().collect(),
            packages: self.packages.clone(),
            libraries: self.libraries.clone(),
            features: self.features.clone(),
            languages: self.languages.clone(),
            ..Self::default()
        }
    }

    /// The files to report on that are links to places outside of the folders that were given: what is there may be anybody's.
    pub fn files_outside(&self) -> BTreeSet<String> {
        let folders = self.given_folders.iter();
        let folders: Vec<PathBuf> = folders.filter_map(|folder| end_of(folder)).collect();
        let is_inside = |path: &str| {
            let end = end_of(Path::new(path));
            end.is_some_and(|end| folders.iter().any(|folder| end.starts_with(folder)))
        };
        let on_disk = self.reported.iter();
        let on_disk = on_disk.filter(|path| self.standard_input.as_ref() != Some(*path));
        on_disk.filter(|path| !is_inside(path)).cloned().collect()
    }

    /// The path as people gave it; of a file that is none of the run's, such as a manifest, that below the current folder.
    pub fn shown_path(&self, path: &str) -> String {
        let known = self.names.get(path).cloned();
        let below = || {
            let below = path.strip_prefix(&self.here)?.strip_prefix('/')?;
            Some(below.to_owned())
        };
        known.or_else(below).unwrap_or_else(|| path.to_owned())
    }
}

/// The work in progress: absolute paths, not yet read.
struct Gathering<'a> {
    settings: &'a mut Resolver,
    here: PathBuf,
    /// The language of `--language`.
    said: Option<Language>,
    /// Files that were named one by one, or given.
    named: BTreeSet<PathBuf>,
    given_folders: Vec<PathBuf>,
    /// Files to report on, with the name people see.
    reported: BTreeMap<PathBuf, String>,
    /// Files that only give names.
    others: BTreeSet<PathBuf>,
    /// Texts that do not come from the disk.
    given: BTreeMap<PathBuf, String>,
    /// The path of standard input's text, if that was read.
    standard_input: Option<String>,
    /// Whether files are named because an editor has them open: what takes no part is then no mistake.
    is_open: bool,
    manifests: Manifests,
    packages: Vec<Manifest>,
    errors: Vec<String>,
    warnings: Vec<String>,
}

impl<'a> Gathering<'a> {
    fn new(settings: &'a mut Resolver) -> Self {
        Self {
            said: settings.language(),
            named: BTreeSet::new(),
            given_folders: Vec::new(),
            settings,
            here: std::env::current_dir().unwrap_or_default(),
            reported: BTreeMap::new(),
            others: BTreeSet::new(),
            given: BTreeMap::new(),
            standard_input: None,
            is_open: false,
            manifests: Manifests::default(),
            packages: Vec::new(),
            errors: Vec::new(),
            warnings: Vec::new(),
        }
    }

    fn standard_input(&mut self, name: Option<&Path>) {
        let unknown = |name: &&Path| self.said.is_none() && !is_known(name);
        if let Some(name) = name.filter(unknown) {
            self.errors.push(unsupported_file_text(&shown_path(name)));
            return;
        }
        let name = name.unwrap_or_else(|| Path::new("<stdin>"));
        match text_of(std::io::stdin().lock(), SOURCE_BYTES) {
            Ok(text) => {
                let path = absolute(&self.here, name);
                self.report(path.clone(), shown_path(name), true);
                self.standard_input = Some(slashes(&path));
                self.given.insert(path, text);
            }
            Err(error) => self.errors.push(format!("`{}`: {error}", shown_path(name))),
        }
    }

    fn standard_texts(&mut self) {
        let lines = match text_of(std::io::stdin().lock(), SOURCE_BYTES) {
            Ok(lines) => lines,
            Err(error) => return self.errors.push(format!("standard input: {error}")),
        };
        for (number, line) in (1_u64..).zip(lines.lines()) {
            if line.trim().is_empty() {
                continue;
            }
            let given: GivenText = match serde_json::from_str(line) {
                Ok(given) => given,
                Err(error) => {
                    let words = format!("standard input, line {number}: {error}");
                    self.errors.push(words);
                    continue;
                }
            };
            let name = shown_path(&given.path);
            if self.said.is_none() && !is_known(&given.path) {
                self.errors.push(unsupported_file_text(&name));
                continue;
            }
            let path = absolute(&self.here, &given.path);
            if self.given.contains_key(&path) {
                let words = format!("standard input, line {number}: `{name}` is given twice");
                self.errors.push(words);
                continue;
            }
            self.report(path.clone(), name, true);
            self.given.insert(path, given.text);
        }
    }

    fn path(&mut self, path: &Path) {
        match std::fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => self.folder(path),
            Ok(_) if path.file_name().is_some_and(|name| name == "Cargo.toml") => {
                let folder = path
                    .parent()
                    .filter(|parent| !parent.as_os_str().is_empty());
                self.folder(folder.unwrap_or_else(|| Path::new(".")));
            }
            Ok(metadata) if !metadata.is_file() && is_stream(path) => self.stream(path),
            Ok(_) if self.said.is_some() || is_known(path) => {
                // A file of the folder that somebody works in may be a link to another one of it.
                let path_of_engine = absolute(&self.here, path);
                let folder = path_of_engine.parent().map(Path::to_path_buf);
                self.given_folders.extend(folder);
                self.given_folders.push(self.here.clone());
                self.report(path_of_engine, shown_path(path), true);
            }
            // A caller that names every file may name those that are none of ours, too, where the settings exclude them.
            Ok(_) if self.settings.excludes(&absolute(&self.here, path), true) => {}
            Ok(_) => self.errors.push(unsupported_file_text(&shown_path(path))),
            Err(error) => self.errors.push(format!(
                "cannot read `{}`: {}{}",
                path.display(),
                system_reason(&error),
                unexpanded(path)
            )),
        }
    }

    /// What a shell hands over as a path, such as `<(git show HEAD:kernel.rs)`: it can be read once.
    fn stream(&mut self, path: &Path) {
        match read_stream(path, SOURCE_BYTES) {
            Ok(text) => {
                let path_of_engine = absolute(&self.here, path);
                self.report(path_of_engine.clone(), shown_path(path), true);
                self.given.insert(path_of_engine, text);
            }
            Err(why) => self
                .errors
                .push(format!("cannot read `{}`: {why}", shown_path(path))),
        }
    }

    /// Every file of a language below a folder that neither `.gitignore` nor a leading dot hides.
    fn folder(&mut self, folder: &Path) {
        self.given_folders.push(absolute(&self.here, folder));
        let (mut files, errors) = sources_below(folder);
        if let Some(said) = self.said {
            let language = |file: &PathBuf| file.to_str().and_then(ending_of);
            files.retain(|file| language(file).is_some_and(|known| known.language == said));
        }
        let (rust, others): (Vec<PathBuf>, Vec<PathBuf>) =
            files.into_iter().partition(|file| is_rust(file));
        let others = self.taking_part(others);
        if rust.is_empty() && others.is_empty() && errors.is_empty() {
            let words = match self.said {
                Some(said) => format!("no file in {said} in `{}`", folder.display()),
                None => format!("no file with kernels in `{}`", folder.display()),
            };
            self.warnings.push(words);
        }
        for file in rust {
            self.report(absolute(&self.here, &file), shown_path(&file), false);
        }
        for (file, text) in others {
            let path = absolute(&self.here, &file);
            self.report(path.clone(), shown_path(&file), false);
            if let Some(text) = text.filter(|_| self.reported.contains_key(&path)) {
                self.given.entry(path).or_insert(text);
            }
        }
        self.errors.extend(errors);
    }

    /// Those of a folder's files in other languages than Rust that take part, with their texts as far as they can be read: which
    /// Python is ours only its text says, and there may be much of it.
    fn taking_part(&mut self, files: Vec<PathBuf>) -> Vec<(PathBuf, Option<String>)> {
        let kept = files.into_iter().filter(|file| {
            let path = absolute(&self.here, file);
            !self.given.contains_key(&path) && !self.settings.excludes(&path, false)
        });
        let kept: Vec<PathBuf> = kept.collect();
        kept.into_par_iter()
            .filter_map(|file| {
                let text = read_text(&file, SOURCE_BYTES).ok();
                let name = slashes(&file);
                match text {
                    Some(text) => language_of(&name, &text)
                        .is_some()
                        .then_some((file, Some(text))),
                    // That one of a language of its own cannot be read is said; whether others are ours is unknown.
                    None => ending_of(&name)
                        .is_some_and(|known| !known.by_text)
                        .then_some((file, None)),
                }
            })
            .collect()
    }

    /// Takes a file up, unless the settings exclude it.
    fn report(&mut self, path: PathBuf, shown: String, named: bool) {
        if self.settings.excludes(&path, named) {
            return;
        }
        if named {
            self.named.insert(path.clone());
        }
        let own = path.strip_prefix(&self.here).unwrap_or(&path);
        if own.to_str().is_some() {
            self.reported.insert(path, shown);
        } else {
            // Findings and fixes name files in text: another file could have the name that is shown.
            self.errors
                .push(format!("cannot check `{shown}`: its name is not UTF-8"));
        }
    }

    /// Adds the files that names may come from: the packages of the files with the packages they depend on by path, and the
    /// modules beside files that belong to no package.
    fn add_neighbours(&mut self) {
        let mut roots: BTreeSet<PathBuf> = BTreeSet::new();
        let mut lone: BTreeSet<PathBuf> = BTreeSet::new();
        let mut known: BTreeMap<PathBuf, Option<PathBuf>> = BTreeMap::new();
        let in_rust =
            |file: &&PathBuf| is_rust(file) || !is_known(file) || is_markdown(&slashes(file));
        for file in self.reported.keys().filter(in_rust) {
            let Some(folder) = file.parent() else {
                continue;
            };
            let package = known
                .entry(folder.to_path_buf())
                .or_insert_with(|| self.manifests.package_of(folder));
            match package {
                Some(root) => roots.insert(root.clone()),
                None => lone.insert(folder.to_path_buf()),
            };
        }
        self.packages_around(roots);
        let mut searched = BTreeSet::new();
        for folder in lone {
            let top = top_of_modules(&folder);
            modules_below(&top, 0, &mut searched, &mut self.others);
        }
    }

    /// Adds packages, those that they depend on by path, and the files of all.
    fn packages_around(&mut self, roots: BTreeSet<PathBuf>) {
        // By links one folder has any number of paths.
        let mut known: BTreeSet<PathBuf> = roots
            .iter()
            .map(|root| self.manifests.place(root))
            .collect();
        let mut waiting: Vec<PathBuf> = roots.into_iter().collect();
        let mut left_out = 0_usize;
        while let Some(root) = waiting.pop() {
            let manifest = self.manifests.package(&root);
            for dependency in path_dependencies(&manifest) {
                if known.contains(&self.manifests.place(&dependency)) {
                    continue;
                }
                if known.len() >= MOST_PACKAGES {
                    left_out += 1;
                    continue;
                }
                known.insert(self.manifests.place(&dependency));
                waiting.push(dependency);
            }
            let sources = sources_below(&root).0.into_iter();
            self.others.extend(sources.filter(|path| is_rust(path)));
            self.packages.push(manifest);
        }
        if left_out > 0 {
            let most = thousands(MOST_PACKAGES as u64);
            self.warnings.push(format!(
                "more than {most} packages depend on each other by path; names of the others are not known"
            ));
        }
    }

    fn read(mut self) -> Sources {
        let mut wanted: Vec<(PathBuf, bool)> = self
            .reported
            .keys()
            .map(|path| (path.clone(), true))
            .collect();
        wanted.extend(
            self.others
                .iter()
                .filter(|path| !self.reported.contains_key(*path))
                .map(|path| (path.clone(), false)),
        );
        let given = std::mem::take(&mut self.given);
        let (said, is_open) = (self.said, self.is_open);
        let named = std::mem::take(&mut self.named);
        // By its path, its text, or what the options say of files that are named.
        let takes_part = |path: &Path, text: &str| {
            let name = slashes(path);
            let is_said = said.is_some() && named.contains(path);
            is_said || ending_of(&name).is_none() || language_of(&name, text).is_some()
        };
        let read: Vec<_> = wanted
            .into_par_iter()
            .map(|(path, reported)| {
                let text = given
                    .get(&path)
                    .map_or_else(|| read_text(&path, SOURCE_BYTES), |text| Ok(text.clone()));
                (path, reported, text)
            })
            .collect();
        let mut sources = Sources {
            standard_input: self.standard_input,
            here: slashes(&self.here),
            given_folders: self.given_folders,
            errors: self.errors,
            warnings: self.warnings,
            ..Sources::default()
        };
        for (path, reported, text) in read {
            let name = slashes(&path);
            let shown = self.reported.get(&path).cloned();
            let shown = shown.unwrap_or_else(|| {
                path.strip_prefix(&self.here)
                    .map_or_else(|_| slashes(&path), slashes)
            });
            match text {
                Ok(text) if reported && is_markdown(&name) && !has_rust_code(&text) => {
                    let why =
                        "has no fenced Rust code (```rust), so that there is nothing to check";
                    sources.errors.push(format!("`{shown}` {why}"));
                    continue;
                }
                // What is open in an editor may take part with the next keystroke.
                Ok(text) if reported && !is_open && !takes_part(&path, &text) => {
                    sources.errors.push(takes_no_part(&shown));
                    continue;
                }
                Ok(text) => sources.files.push(LoadedFile {
                    path: name.clone(),
                    text,
                }),
                Err(error) if reported => {
                    sources
                        .errors
                        .push(format!("cannot read `{shown}`: {error}"));
                    continue;
                }
                Err(_) => continue,
            }
            if reported {
                if let Some(said) = said.filter(|_| named.contains(&path)) {
                    sources.languages.insert(name.clone(), said);
                }
                sources.reported.push(name.clone());
            }
            sources.names.insert(name, shown);
        }
        sources.reported.sort();
        sources
            .files
            .sort_by(|one, other| one.path.cmp(&other.path));
        let (libraries, problems) = libraries_of(&self.manifests, &self.packages);
        sources.libraries = libraries;
        sources.warnings.extend(self.manifests.problems());
        sources.warnings.extend(problems);
        sources.features = features_of(&self.packages);
        sources.packages = self
            .packages
            .into_iter()
            .map(|manifest| Package {
                name: manifest.name.into(),
                root: slashes(&manifest.root).into(),
            })
            .collect();
        sources
            .packages
            .sort_by(|one, other| one.root.cmp(&other.root));
        sources
    }
}

/// The folder of the crate root that a module's folder belongs to: upwards while the folder is that of a module.
fn top_of_modules(folder: &Path) -> PathBuf {
    let mut top = folder.to_path_buf();
    for _ in 0..MODULE_DEPTH {
        let beside = top.with_extension("rs");
        let Some(parent) = top.parent() else { break };
        if !top.join("mod.rs").is_file() && !beside.is_file() {
            break;
        }
        top = parent.to_path_buf();
    }
    top
}

/// The `.rs` files of a folder and of those of its folders that hold modules.
fn modules_below(
    folder: &Path,
    depth: usize,
    searched: &mut BTreeSet<PathBuf>,
    found: &mut BTreeSet<PathBuf>,
) {
    if depth > MODULE_DEPTH || !searched.insert(folder.to_path_buf()) {
        return;
    }
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if kind.is_dir() {
            if path.join("mod.rs").is_file() || path.with_extension("rs").is_file() {
                modules_below(&path, depth + 1, searched, found);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") && path.is_file() {
            found.insert(path);
        }
    }
}

/// What to say of a path that is none and looks like a pattern: a shell expands those, and some only where one matches.
fn unexpanded(path: &Path) -> &'static str {
    let pattern = path.to_string_lossy().contains(['*', '?', '[', '{']);
    if pattern {
        "; a pattern is the shell's to expand: name a folder, and what to leave out as `exclude` in `visa-lint.toml`"
    } else {
        ""
    }
}

/// Whether a path names what the shell or the caller holds open rather than a file of its own.
fn is_stream(path: &Path) -> bool {
    ["/dev/fd", "/dev/stdin", "/proc"]
        .iter()
        .any(|place| path.starts_with(place))
}
