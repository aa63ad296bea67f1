//! Which of the libraries that kernels are written for a package depends on, and in which release.
//!
//! Knows manifests, the workspace's table of dependencies and the lock file above; neither sources nor settings. A requirement
//! counts as the lowest release that it allows.

use std::path::Path;
use std::sync::Arc;

use semver::{Comparator, Op, Version, VersionReq};
use toml::{Table, Value};
use visa_analysis::{Library, PackageLibrary, PackageManifest};

use super::packages::{Manifest, package_version, workspace_of};
use super::paths::absolute;

/// The tables of a manifest that name dependencies.
const SECTIONS: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

/// What a package says of the libraries.
pub(crate) fn libraries_of(manifest: &Manifest) -> PackageManifest {
    let lock = Lock::above(&manifest.root);
    let libraries = Library::ALL
        .into_iter()
        .filter_map(|wanted| library(manifest, lock.as_ref(), wanted));
    PackageManifest {
        name: manifest.name.as_str().into(),
        libraries: libraries.collect(),
    }
}

/// The name of a library as Cargo knows it.
fn package_name(library: Library) -> String {
    library.crate_name().replace('_', "-")
}

/// Whether two names of packages are the same to Cargo's users, who mix dashes and underscores.
fn is_same(one: &str, other: &str) -> bool {
    one.replace('_', "-") == other.replace('_', "-")
}

fn library(manifest: &Manifest, lock: Option<&Lock>, wanted: Library) -> Option<PackageLibrary> {
    let name = package_name(wanted);
    let dependency = dependency(manifest, &name);
    let requirement = dependency
        .as_ref()
        .and_then(|dependency| dependency.requirement.as_deref());
    let locked = lock.and_then(|lock| lock.release(&manifest.name, &name, requirement));
    let release = match (locked, &dependency) {
        (Some(release), _) => {
            let source = format!("`Cargo.lock` resolves it to {release}");
            Some((release, source))
        }
        (None, Some(dependency)) => dependency.release(),
        (None, None) => None,
    };
    if dependency.is_none() && release.is_none() {
        return None;
    }
    Some(PackageLibrary {
        library: wanted,
        renamed: dependency
            .as_ref()
            .and_then(|dependency| dependency.renamed.as_deref())
            .map(|renamed| renamed.replace('-', "_").into()),
        named: dependency.map(|dependency| dependency.words(&name).into()),
        release: release.map(|(release, source)| (release.into(), source.into())),
    })
}

/// What a manifest says of a dependency.
#[derive(Debug, Default)]
struct Dependency {
    /// The name that the package gives it, where it is another one.
    renamed: Option<String>,
    /// Whether the workspace says the rest.
    inherited: bool,
    /// The requirement.
    requirement: Option<String>,
    /// The version in the manifest that `path` leads to.
    version: Option<String>,
}

impl Dependency {
    /// What names the library, in a clause.
    fn words(&self, name: &str) -> String {
        let mut words = format!("`Cargo.toml` depends on `{name}`");
        if let Some(renamed) = &self.renamed {
            words.push_str(&format!(" as `{renamed}`"));
        }
        if self.inherited {
            words.push_str(" of its workspace");
        }
        words
    }

    /// The release that the manifest asks for, and what says so.
    fn release(&self) -> Option<(String, String)> {
        if let Some(requirement) = &self.requirement
            && let Some(lowest) = lowest(requirement)
        {
            let source = format!("the requirement `{requirement}` counts as {lowest}");
            return Some((lowest.to_string(), source));
        }
        let version = self.version.clone()?;
        let source = format!("the manifest at its path says {version}");
        Some((version, source))
    }
}

/// The dependency on a package of a name, wherever the manifest names it.
fn dependency(manifest: &Manifest, name: &str) -> Option<Dependency> {
    let targets = manifest.table.get("target").and_then(Value::as_table);
    let targets = targets.into_iter().flat_map(Table::values);
    let tables = std::iter::once(&manifest.table).chain(targets.filter_map(Value::as_table));
    let sections = tables.flat_map(|table| SECTIONS.map(|section| table.get(section)));
    sections
        .flatten()
        .filter_map(Value::as_table)
        .flatten()
        .find_map(|(key, value)| read(manifest, key, value, name))
}

/// One line of a table of dependencies, if it is about the package of a name.
fn read(manifest: &Manifest, key: &str, value: &Value, name: &str) -> Option<Dependency> {
    let inherited = value.get("workspace").and_then(Value::as_bool) == Some(true);
    let workspace = inherited.then(|| workspace_of(&manifest.root)).flatten();
    let (root, value) = match &workspace {
        Some((root, table)) => (
            root.as_path(),
            table.get("workspace")?.get("dependencies")?.get(key)?,
        ),
        None => (manifest.root.as_path(), value),
    };
    let text = |member: &str| value.get(member).and_then(Value::as_str);
    let package = text("package").unwrap_or(key);
    if !is_same(package, name) {
        return None;
    }
    let version = text("path").and_then(|path| {
        let folder = absolute(root, Path::new(path));
        package_version(&folder)
    });
    let requirement = value.as_str().or_else(|| text("version"));
    Some(Dependency {
        renamed: (!is_same(key, name)).then(|| key.to_owned()),
        inherited,
        requirement: requirement.map(str::to_owned),
        version,
    })
}

/// The lowest release that a requirement allows; none where it allows all.
fn lowest(requirement: &str) -> Option<Version> {
    let requirement = VersionReq::parse(requirement).ok()?;
    let bounds = requirement.comparators.iter().filter_map(|bound| {
        let Comparator {
            op,
            major,
            minor,
            patch,
            ..
        } = bound;
        let patch_or = |number: &Option<u64>| number.unwrap_or(0);
        let exact = Version::new(*major, patch_or(minor), patch_or(patch));
        match op {
            Op::Less | Op::LessEq => None,
            Op::Greater => Some(match (minor, patch) {
                (None, _) => Version::new(major + 1, 0, 0),
                (Some(minor), None) => Version::new(*major, minor + 1, 0),
                (Some(minor), Some(patch)) => Version::new(*major, *minor, patch + 1),
            }),
            _ => Some(exact),
        }
    });
    bounds.max()
}

/// A lock file.
#[derive(Debug)]
struct Lock {
    packages: Vec<Locked>,
}

/// A package of a lock file.
#[derive(Debug)]
struct Locked {
    name: String,
    version: String,
    /// `name`, `name version` or `name version (source)`, as short as it is unambiguous.
    dependencies: Vec<String>,
}

impl Lock {
    /// The nearest lock file above a package.
    fn above(root: &Path) -> Option<Self> {
        let mut folders = root.ancestors();
        let text =
            folders.find_map(|folder| std::fs::read_to_string(folder.join("Cargo.lock")).ok())?;
        let table: Table = text.parse().ok()?;
        let packages = table.get("package")?.as_array()?.iter();
        let packages = packages.filter_map(|package| {
            let text = |member: &str| Some(package.get(member)?.as_str()?.to_owned());
            let dependencies = package.get("dependencies").and_then(Value::as_array);
            let dependencies = dependencies.into_iter().flatten();
            Some(Locked {
                name: text("name")?,
                version: text("version")?,
                dependencies: dependencies
                    .filter_map(|dependency| Some(dependency.as_str()?.to_owned()))
                    .collect(),
            })
        });
        Some(Self {
            packages: packages.collect(),
        })
    }

    /// The release that a package's dependency on another is resolved to: the only one there is, else the one that the lock
    /// file names for the package, else the newest that the requirement allows.
    fn release(&self, package: &str, name: &str, requirement: Option<&str>) -> Option<String> {
        let named = |locked: &&Locked| is_same(&locked.name, name);
        let requirement = requirement.and_then(|text| VersionReq::parse(text).ok());
        // A lock file that is older than the manifest says nothing.
        let allowed = |version: &str| {
            let version = Version::parse(version).ok();
            match (&requirement, version) {
                (Some(requirement), Some(version)) => requirement.matches(&version),
                _ => true,
            }
        };
        let versions: Vec<&str> = self
            .packages
            .iter()
            .filter(named)
            .map(|locked| locked.version.as_str())
            .filter(|version| allowed(version))
            .collect();
        if let [only] = versions.as_slice() {
            return Some((*only).to_owned());
        }
        let own = self.packages.iter().find(|locked| locked.name == package);
        let own = own.and_then(|own| {
            own.dependencies.iter().find_map(|dependency| {
                let mut words = dependency.split_whitespace();
                let same = words.next().is_some_and(|word| is_same(word, name));
                same.then(|| words.next()).flatten()
            })
        });
        let newest = || {
            let versions = versions.iter().filter_map(|text| Version::parse(text).ok());
            versions.max().map(|version| version.to_string())
        };
        match own {
            Some(version) if versions.contains(&version) => Some(version.to_owned()),
            _ => requirement.as_ref().and_then(|_| newest()),
        }
    }
}

/// The libraries of packages by the folder of their manifest, as the engine is given.
pub(crate) type Libraries = Vec<(Arc<str>, PackageManifest)>;

#[cfg(test)]
mod tests {
    use super::lowest;

    #[test]
    fn a_requirement_counts_as_its_lowest_release() {
        for (requirement, release) in [
            ("0.6", Some("0.6.0")),
            ("^0.6.1", Some("0.6.1")),
            ("~0.7", Some("0.7.0")),
            ("=0.8.1", Some("0.8.1")),
            (">=0.6, <0.9", Some("0.6.0")),
            (">0.6.3", Some("0.6.4")),
            (">0.6", Some("0.7.0")),
            ("0.8.*", Some("0.8.0")),
            ("<0.9", None),
            ("*", None),
            ("no version", None),
        ] {
            let found = lowest(requirement).map(|version| version.to_string());
            assert_eq!(found.as_deref(), release, "{requirement}");
        }
    }
}
