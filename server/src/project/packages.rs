//! Cargo packages: where they are, what they are called, and which they depend on by path.

use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::paths::absolute;
use super::regular::{DECIDING_BYTES, is_meant, read_text};

/// What is known of a package from its `Cargo.toml`.
#[derive(Debug)]
pub(crate) struct Manifest {
    /// The package's name.
    pub(crate) name: String,
    /// The folder of the manifest, absolute.
    pub(crate) root: PathBuf,
    /// All that it says.
    pub(super) table: Table,
}

impl Manifest {
    /// Reads the manifest in a folder.
    pub(crate) fn read(root: &Path) -> Result<Self, String> {
        let table = table(root)?;
        let name = package_name(&table).unwrap_or_default().to_owned();
        Ok(Self {
            name,
            root: root.to_path_buf(),
            table,
        })
    }
}

/// The folder of the package that a folder belongs to: the nearest above with a manifest that declares one. What is in the
/// place of a manifest and is none is given once.
pub(crate) fn package_of(folder: &Path, warnings: &mut Vec<String>) -> Option<PathBuf> {
    let mut declares = |folder: &&Path| {
        let path = folder.join("Cargo.toml");
        if !is_meant(&path) {
            return false;
        }
        match table(folder) {
            Ok(table) => package_name(&table).is_some(),
            Err(warning) => {
                if !warnings.contains(&warning) {
                    warnings.push(warning);
                }
                false
            }
        }
    };
    folder
        .ancestors()
        .find(|folder| declares(folder))
        .map(Path::to_path_buf)
}

/// The folders of the packages that a package depends on by path, also by the workspace's table of dependencies.
pub(crate) fn path_dependencies(manifest: &Manifest) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    let mut inherited = false;
    for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
        let Some(dependencies) = manifest.table.get(section).and_then(Value::as_table) else {
            continue;
        };
        for dependency in dependencies.values() {
            folders.extend(path_of(&manifest.root, dependency));
            inherited |= dependency.get("workspace").and_then(Value::as_bool) == Some(true);
        }
    }
    if inherited {
        folders.extend(workspace_dependencies(manifest));
    }
    folders.retain(|folder| folder.join("Cargo.toml").is_file());
    folders
}

/// The path dependencies of the workspace's table that the package inherits.
fn workspace_dependencies(manifest: &Manifest) -> Vec<PathBuf> {
    let Some((folder, table)) = workspace_of(&manifest.root) else {
        return Vec::new();
    };
    let workspace = table.get("workspace").and_then(Value::as_table);
    let shared = workspace.and_then(|workspace| workspace.get("dependencies")?.as_table());
    shared
        .into_iter()
        .flatten()
        .filter(|(name, _)| inherits(manifest, name))
        .filter_map(|(_, dependency)| path_of(&folder, dependency))
        .collect()
}

/// The nearest manifest at or above a package that declares a workspace, with its folder.
pub(super) fn workspace_of(root: &Path) -> Option<(PathBuf, Table)> {
    root.ancestors().find_map(|folder| {
        let table = table(folder).ok()?;
        table
            .contains_key("workspace")
            .then_some((folder.to_path_buf(), table))
    })
}

/// The version of the package in a folder; one that its workspace says is not looked up.
pub(super) fn package_version(folder: &Path) -> Option<String> {
    let table = table(folder).ok()?;
    Some(table.get("package")?.get("version")?.as_str()?.to_owned())
}

fn inherits(manifest: &Manifest, name: &str) -> bool {
    ["dependencies", "dev-dependencies", "build-dependencies"]
        .iter()
        .any(|section| {
            let dependency = manifest
                .table
                .get(*section)
                .and_then(|section| section.get(name));
            dependency
                .and_then(|dependency| dependency.get("workspace"))
                .and_then(Value::as_bool)
                == Some(true)
        })
}

fn path_of(root: &Path, dependency: &Value) -> Option<PathBuf> {
    let path = dependency.get("path")?.as_str()?;
    Some(absolute(root, Path::new(path)))
}

fn package_name(table: &Table) -> Option<&str> {
    table.get("package")?.get("name")?.as_str()
}

pub(super) fn table(folder: &Path) -> Result<Table, String> {
    let path = folder.join("Cargo.toml");
    let text = read_text(&path, DECIDING_BYTES)
        .map_err(|why| format!("cannot read `{}`: {why}", path.display()))?;
    text.parse().map_err(|error: toml::de::Error| {
        format!("cannot read `{}`: {}", path.display(), error.message())
    })
}
