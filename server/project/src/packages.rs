//! Cargo packages: where they are, what they are called, and which they depend on by path.
//!
//! Each manifest is read once, however many packages ask for it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use toml::{Table, Value};

use super::paths::{absolute, written_in};
use super::regular::{DECIDING_BYTES, is_meant, read_text};

/// What is in a `Cargo.toml`.
#[derive(Debug, Default)]
pub(super) struct ManifestFile {
    pub(super) text: String,
    pub(super) table: Table,
}

/// The manifests that were read, by their folders.
#[derive(Debug, Default)]
pub(crate) struct Manifests {
    read: RefCell<HashMap<PathBuf, Option<Rc<ManifestFile>>>>,
    /// What could not be read, a line each.
    problems: RefCell<Vec<String>>,
    /// Where folders are, by the path that they were asked for by.
    places: RefCell<HashMap<PathBuf, PathBuf>>,
}

impl Manifests {
    /// The folder that a path leads to, with all links followed: two paths to one folder are one package. A folder that is not there
    /// is at its path.
    pub(super) fn place(&self, folder: &Path) -> PathBuf {
        let mut places = self.places.borrow_mut();
        let place = places
            .entry(folder.to_path_buf())
            .or_insert_with_key(|folder| {
                let place = folder.canonicalize();
                place.unwrap_or_else(|_| folder.clone())
            });
        place.clone()
    }

    /// The manifest in a folder. What is in the place of one and cannot be read is among the problems.
    pub(super) fn file(&self, folder: &Path) -> Option<Rc<ManifestFile>> {
        if let Some(known) = self.read.borrow().get(folder) {
            return known.clone();
        }
        let path = folder.join("Cargo.toml");
        let file = if is_meant(&path) {
            match read(&path) {
                Ok(file) => Some(Rc::new(file)),
                Err(why) => {
                    let problem = format!("cannot read `{}`: {why}", path.display());
                    self.problems.borrow_mut().push(problem);
                    None
                }
            }
        } else {
            None
        };
        let mut known = self.read.borrow_mut();
        known.insert(folder.to_path_buf(), file.clone());
        file
    }

    /// The workspace of the package in a folder: the one that its manifest names, else the nearest at or above that declares one and
    /// does not leave the folder out.
    pub(super) fn workspace(&self, root: &Path) -> Option<(PathBuf, Rc<ManifestFile>)> {
        let own = self.file(root);
        let named = own.as_ref().and_then(|file| {
            let named = file.table.get("package")?.get("workspace")?;
            written_in(root, named.as_str()?)
        });
        if let Some(folder) = named {
            return self.file(&folder).map(|file| (folder, file));
        }
        root.ancestors().find_map(|folder| {
            let file = self.file(folder)?;
            let workspace = file.table.get("workspace")?;
            (!is_left_out(workspace, folder, root)).then(|| (folder.to_path_buf(), file.clone()))
        })
    }

    /// The folder of the package that a folder belongs to: the nearest above with a manifest that declares one, or that cannot be
    /// read: a package further up is another one.
    pub(crate) fn package_of(&self, folder: &Path) -> Option<PathBuf> {
        let declares = |folder: &&Path| match self.file(folder) {
            Some(file) => package_name(&file.table).is_some(),
            None => is_meant(&folder.join("Cargo.toml")),
        };
        folder.ancestors().find(declares).map(Path::to_path_buf)
    }

    /// The package in a folder. Of one whose manifest cannot be read only the name of its folder is known.
    pub(crate) fn package(&self, root: &Path) -> Manifest {
        let file = self.file(root);
        let of_folder = || {
            root.file_name()
                .map(|name| name.to_string_lossy().into_owned())
        };
        let name = match &file {
            Some(file) => package_name(&file.table).map(str::to_owned),
            None => of_folder(),
        };
        Manifest {
            name: name.unwrap_or_default(),
            root: root.to_path_buf(),
            is_broken: file.is_none(),
            file: file.unwrap_or_default(),
            workspace: self.workspace(root),
        }
    }

    /// The version of the package in a folder.
    pub(super) fn version(&self, folder: &Path) -> Option<String> {
        let file = self.file(folder)?;
        let version = file.table.get("package")?.get("version")?;
        if let Some(version) = version.as_str() {
            return Some(version.to_owned());
        }
        let (_, workspace) = self.workspace(folder)?;
        let shared = workspace.table.get("workspace")?.get("package")?;
        Some(shared.get("version")?.as_str()?.to_owned())
    }

    /// What could not be read, a line each.
    pub(crate) fn problems(self) -> Vec<String> {
        self.problems.into_inner()
    }
}

/// What is known of a package from its `Cargo.toml`.
#[derive(Debug)]
pub(crate) struct Manifest {
    /// The package's name.
    pub(crate) name: String,
    /// The folder of the manifest, absolute.
    pub(crate) root: PathBuf,
    /// Whether the manifest cannot be read.
    pub(super) is_broken: bool,
    /// All that it says.
    pub(super) file: Rc<ManifestFile>,
    /// The folder of its workspace, which may be its own, and what the manifest there says.
    pub(super) workspace: Option<(PathBuf, Rc<ManifestFile>)>,
}

impl Manifest {
    /// All that it says.
    pub(super) fn table(&self) -> &Table {
        &self.file.table
    }

    /// The line of the workspace's table of dependencies that one with `workspace = true` means.
    pub(super) fn workspace_dependency(&self, name: &str) -> Option<(&Path, &Value)> {
        let (folder, file) = self.workspace.as_ref()?;
        let shared = file.table.get("workspace")?.get("dependencies")?;
        Some((folder, shared.get(name)?))
    }
}

/// Whether a workspace excludes a package's folder: below a folder of `exclude`, and below none of `members`. Cargo compares paths
/// and no patterns here.
fn is_left_out(workspace: &Value, folder: &Path, package: &Path) -> bool {
    let lists = |key: &str| {
        let paths = workspace.get(key).and_then(Value::as_array);
        let mut paths = paths.into_iter().flatten().filter_map(Value::as_str);
        paths.any(|path| package.starts_with(absolute(folder, Path::new(path))))
    };
    lists("exclude") && !lists("members")
}

fn read(path: &Path) -> Result<ManifestFile, String> {
    let text = read_text(path, DECIDING_BYTES)?;
    let parsed = text.parse();
    let table = parsed.map_err(|error: toml::de::Error| error.message().to_owned())?;
    Ok(ManifestFile { text, table })
}

/// Whether a dependency is taken from the workspace's table.
pub(super) fn is_inherited(dependency: &Value) -> bool {
    dependency.get("workspace").and_then(Value::as_bool) == Some(true)
}

/// The folders of the packages that a package depends on by path, also by the workspace's table of dependencies.
pub(crate) fn path_dependencies(manifest: &Manifest) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
        let dependencies = manifest.table().get(section).and_then(Value::as_table);
        for (name, dependency) in dependencies.into_iter().flatten() {
            folders.extend(path_of(&manifest.root, dependency));
            if is_inherited(dependency) {
                let shared = manifest.workspace_dependency(name);
                folders.extend(shared.and_then(|(root, shared)| path_of(root, shared)));
            }
        }
    }
    folders.retain(|folder| folder.join("Cargo.toml").is_file());
    folders
}

/// The folder that a dependency's `path` leads to.
pub(super) fn path_of(root: &Path, dependency: &Value) -> Option<PathBuf> {
    written_in(root, dependency.get("path")?.as_str()?)
}

fn package_name(table: &Table) -> Option<&str> {
    table.get("package")?.get("name")?.as_str()
}
