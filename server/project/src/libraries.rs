//! Which of the libraries that kernels are written for a package depends on, and in which release.
//!
//! Knows manifests, the workspace's table of dependencies and the lock file above; neither sources nor settings. A requirement
//! counts as the lowest release that it allows.

use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use semver::{Comparator, Op, Version, VersionReq};
use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table, Value};
use visa_analysis::{Library, ManifestPlace, PackageLibrary, PackageManifest, Release};

use super::locks::{Lock, Locks, is_same};
use super::packages::{Manifest, Manifests, is_inherited, path_dependencies, path_of};
use super::paths::slashes;

/// The tables of a manifest that name dependencies, those of kernels before those of their tests.
const SECTIONS: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

/// What packages say of the libraries, and which lock files could not be read, a line each.
pub(crate) fn libraries_of(
    manifests: &Manifests,
    packages: &[Manifest],
) -> (Libraries, Vec<String>) {
    let locks = Locks::default();
    let libraries = packages.iter().map(|package| {
        let of = libraries_of_package(manifests, &locks, package);
        (slashes(&package.root).into(), of)
    });
    let mut libraries: Libraries = libraries.collect();
    libraries.sort_by(|one, other| one.0.cmp(&other.0));
    (libraries, locks.problems())
}

/// The library that the package around a folder depends on, and its release if that is known; of two libraries the wanted one, else
/// the current one. What cannot be read says nothing.
pub(crate) fn dialect_of_folder(
    folder: &Path,
    wanted: Option<Library>,
) -> Option<(Library, Option<Release>)> {
    let manifests = Manifests::default();
    let package = manifests.package(&manifests.package_of(folder)?);
    let said = libraries_of_package(&manifests, &Locks::default(), &package);
    let order = [wanted, Some(Library::OptStd), Some(Library::VisaStd)];
    let found = order.into_iter().flatten().find_map(|library| {
        let mut libraries = said.libraries.iter();
        libraries.find(|found| found.library == library)
    })?;
    let release = found.release.as_ref();
    let release = release.and_then(|(release, _)| Release::of_version(release));
    Some((found.library, release))
}

/// What a package says of the libraries.
fn libraries_of_package(
    manifests: &Manifests,
    locks: &Locks,
    package: &Manifest,
) -> PackageManifest {
    let workspace = package.workspace.as_ref();
    let workspace = workspace.map(|(folder, _)| folder.as_path());
    let lock = locks.lock_of_package(&package.name, &package.root, workspace);
    let libraries = Library::ALL
        .into_iter()
        .filter_map(|wanted| package_library(manifests, package, lock.as_deref(), wanted));
    PackageManifest {
        name: package.name.as_str().into(),
        libraries: libraries.collect(),
        problem: package
            .is_broken
            .then(|| "`Cargo.toml` cannot be read".into()),
    }
}

/// The name of a library as Cargo knows it.
fn package_name(library: Library) -> String {
    library.crate_name().replace('_', "-")
}

fn package_library(
    manifests: &Manifests,
    package: &Manifest,
    lock: Option<&Lock>,
    wanted: Library,
) -> Option<PackageLibrary> {
    let name = package_name(wanted);
    let Some(dependency) = dependency_named(manifests, package, &name) else {
        return library_through_dependency(manifests, package, lock, wanted);
    };
    let requirement = dependency.requirement.as_deref();
    let locked = lock.and_then(|lock| lock.release(&package.name, &name, requirement));
    let release = match locked {
        Some(release) => {
            let source = format!("`Cargo.lock` resolves it to {release}");
            Ok((release, source))
        }
        None => match patched(manifests, package, &dependency, &name) {
            Some(patched) => Ok(patched),
            None => dependency.release(),
        },
    };
    let (release, without) = match release {
        Ok((release, source)) => (Some((release.into(), source.into())), None),
        Err(without) => (None, Some(without.into())),
    };
    let renamed = dependency.renamed.as_deref();
    Some(PackageLibrary {
        library: wanted,
        named: Some(dependency.dependency_clause(&name).into()),
        through: false,
        renamed: renamed.map(|renamed| renamed.replace('-', "_").into()),
        release,
        without,
        place: dependency.place,
    })
}

/// A library that a package does not depend on itself: another package that it depends on may hand its names on.
fn library_through_dependency(
    manifests: &Manifests,
    package: &Manifest,
    lock: Option<&Lock>,
    wanted: Library,
) -> Option<PackageLibrary> {
    let name = package_name(wanted);
    if is_same(&package.name, &name) {
        return None;
    }
    let locked = lock.and_then(|lock| lock.through(&package.name, &name));
    let (by, release) = match locked {
        Some((by, release)) => {
            let source = release.as_ref().map(|release| {
                let source = format!("`Cargo.lock` resolves it to {release}");
                (release.as_str().into(), source.into())
            });
            (by.to_owned(), source)
        }
        None => {
            let (by, dependency) = through_paths(manifests, package, &name)?;
            let release = dependency.release().ok();
            let release = release.map(|(release, source)| (release.into(), source.into()));
            (by, release)
        }
    };
    let named = format!("`Cargo.toml` depends on `{by}`, which depends on `{name}`");
    Some(PackageLibrary {
        library: wanted,
        named: Some(named.into()),
        through: true,
        release,
        ..PackageLibrary::default()
    })
}

/// The package that a package depends on by path and that depends on another, over others by path or not, and what it says of
/// it.
fn through_paths(
    manifests: &Manifests,
    package: &Manifest,
    name: &str,
) -> Option<(String, Dependency)> {
    let mut seen: HashSet<PathBuf> = HashSet::from([manifests.place(&package.root)]);
    let first = path_dependencies(package).into_iter();
    let mut waiting: Vec<(PathBuf, Option<String>)> = first.map(|root| (root, None)).collect();
    while let Some((root, by)) = waiting.pop() {
        if !seen.insert(manifests.place(&root)) {
            continue;
        }
        let other = manifests.package(&root);
        let by = by.unwrap_or_else(|| other.name.clone());
        if let Some(dependency) = dependency_named(manifests, &other, name) {
            return Some((by, dependency));
        }
        let further = path_dependencies(&other).into_iter();
        waiting.extend(further.map(|root| (root, Some(by.clone()))));
    }
    None
}

/// The version that a `[patch]` of the workspace's root puts in a dependency's place, and what says so. Cargo takes a patch for the
/// source that the dependency names and where the requirement allows its version; one without a version says nothing here.
fn patched(
    manifests: &Manifests,
    package: &Manifest,
    dependency: &Dependency,
    name: &str,
) -> Option<(String, String)> {
    let (root, file) = match &package.workspace {
        Some((folder, file)) => (folder.as_path(), &file.table),
        None => (package.root.as_path(), package.table()),
    };
    let source = match (&dependency.git, dependency.from) {
        (Some(url), _) => url.as_str(),
        (None, Some(_)) => return None,
        (None, None) => "crates-io",
    };
    let patches = file.get("patch")?.get(source)?.as_table()?;
    let (_, patch) = patches.iter().find(|(key, patch)| {
        let renamed = patch.get("package").and_then(Value::as_str);
        is_same(renamed.unwrap_or(key), name)
    })?;
    let of_path = path_of(root, patch).and_then(|folder| manifests.version(&folder));
    let version = of_path.or_else(|| {
        let requirement = patch.get("version").and_then(Value::as_str)?;
        Some(lowest(requirement)?.to_string())
    })?;
    let parsed = Version::parse(&version).ok()?;
    let requirement = dependency.requirement.as_deref().map(VersionReq::parse);
    let is_taken = match requirement {
        Some(Ok(requirement)) => requirement.matches(&parsed),
        Some(Err(_)) => false,
        None => true,
    };
    is_taken.then(|| {
        let source = format!("`[patch]` puts release {version} in its place");
        (version, source)
    })
}

/// What a manifest says of a dependency.
#[derive(Debug, Default)]
struct Dependency {
    /// The name that the package gives it, where it is another one.
    renamed: Option<String>,
    /// Whether the workspace says the rest.
    inherited: bool,
    /// Whether the workspace has nothing to say.
    is_missing: bool,
    /// The requirement.
    requirement: Option<String>,
    /// Whether `path` or `git` leads to it.
    from: Option<&'static str>,
    /// Where `git` leads to.
    git: Option<String>,
    /// The version in the manifest that `path` leads to.
    version: Option<String>,
    /// Where the manifest names it.
    place: Option<ManifestPlace>,
}

impl Dependency {
    /// What names the library, in a clause.
    fn dependency_clause(&self, name: &str) -> String {
        let mut words = format!("`Cargo.toml` depends on `{name}`");
        if let Some(renamed) = &self.renamed {
            words.push_str(&format!(" as `{renamed}`"));
        }
        if self.inherited {
            words.push_str(" of its workspace");
        }
        words
    }

    /// The release that the manifest asks for, and what says so; or why there is none.
    fn release(&self) -> Result<(String, String), String> {
        if let Some(requirement) = &self.requirement
            && let Some(lowest) = lowest(requirement)
        {
            let source = format!("the requirement `{requirement}` counts as {lowest}");
            return Ok((lowest.to_string(), source));
        }
        if let Some(version) = self.version.clone() {
            let source = format!("the manifest at its path says {version}");
            return Ok((version, source));
        }
        Err(match (&self.requirement, self.from) {
            _ if self.is_missing => "its workspace has no such dependency".to_owned(),
            (Some(requirement), _) if VersionReq::parse(requirement).is_err() => {
                format!("the requirement `{requirement}` is none")
            }
            (Some(requirement), _) => format!("the requirement `{requirement}` names no release"),
            (None, Some("path")) => "the manifest at its path says no version".to_owned(),
            (None, Some(_)) => "its Git revision names no release".to_owned(),
            (None, None) => "it names no version".to_owned(),
        })
    }
}

/// The dependency on a package of a name, wherever the manifest names it: under its own name before another.
fn dependency_named(manifests: &Manifests, package: &Manifest, name: &str) -> Option<Dependency> {
    let targets = package.table().get("target").and_then(Value::as_table);
    let targets: Vec<(&String, &Table)> = targets
        .into_iter()
        .flatten()
        .filter_map(|(target, table)| Some((target, table.as_table()?)))
        .collect();
    let sections = SECTIONS.iter().flat_map(|section| {
        let own = package.table().get(*section);
        let own = own.map(|table| (vec![*section], table));
        let of_targets = targets.iter().filter_map(|(target, table)| {
            let path = vec!["target", target.as_str(), *section];
            Some((path, table.get(*section)?))
        });
        own.into_iter().chain(of_targets)
    });
    let mut found: Vec<Dependency> = sections
        .filter_map(|(path, section)| Some((path, section.as_table()?)))
        .flat_map(|(path, section)| section.iter().map(move |line| (path.clone(), line)))
        .filter_map(|(path, (key, value))| read(manifests, package, (&path, key), value, name))
        .collect();
    // Stable: the first of several sections goes first.
    found.sort_by_key(|dependency| dependency.renamed.is_some());
    found.into_iter().next()
}

/// One line of a table of dependencies, if it is about the package of a name.
fn read(
    manifests: &Manifests,
    package: &Manifest,
    (section, key): (&[&str], &str),
    value: &Value,
    name: &str,
) -> Option<Dependency> {
    let inherited = is_inherited(value);
    let shared = inherited
        .then(|| package.workspace_dependency(key))
        .flatten();
    if inherited && shared.is_none() {
        return is_same(key, name).then(|| Dependency {
            inherited,
            is_missing: true,
            ..Dependency::default()
        });
    }
    let (root, value) = shared.unwrap_or((&package.root, value));
    let text = |member: &str| value.get(member).and_then(Value::as_str);
    if !is_same(text("package").unwrap_or(key), name) {
        return None;
    }
    let version = path_of(root, value).and_then(|folder| manifests.version(&folder));
    let requirement = value.as_str().or_else(|| text("version"));
    let from = ["path", "git"]
        .into_iter()
        .find(|from| text(from).is_some());
    let section = if shared.is_some() {
        &["workspace", "dependencies"][..]
    } else {
        section
    };
    Some(Dependency {
        renamed: (!is_same(key, name)).then(|| key.to_owned()),
        inherited,
        is_missing: false,
        requirement: requirement.map(str::to_owned),
        from,
        git: text("git").map(str::to_owned),
        version,
        place: dependency_place(manifests, root, section, key),
    })
}

/// Where a manifest names a dependency: at its version, else at all that it says of it.
fn dependency_place(
    manifests: &Manifests,
    root: &Path,
    section: &[&str],
    key: &str,
) -> Option<ManifestPlace> {
    let file = manifests.file(root)?;
    let table = DeTable::parse(&file.text).ok()?;
    let mut table = table.get_ref();
    for name in section {
        table = table_member(table, name)?.1.get_ref().as_table()?;
    }
    let (name, value) = table_member(table, key)?;
    let inner = value.get_ref().as_table();
    let version = inner.and_then(|table| table_member(table, "version"));
    let bytes = match version {
        Some((_, version)) => version.span(),
        None => Range {
            start: name.span().start,
            end: value.span().end.max(name.span().end),
        },
    };
    let point = |byte: usize| {
        let before = file.text.get(..byte)?;
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next()?.chars().count() + 1;
        Some((
            u32::try_from(byte).ok()?,
            u32::try_from(line).ok()?,
            u32::try_from(column).ok()?,
        ))
    };
    Some(ManifestPlace {
        file: slashes(&root.join("Cargo.toml")).into(),
        start: point(bytes.start)?,
        end: point(bytes.end)?,
    })
}

/// A line of a table, with its name.
fn table_member<'t, 'i>(
    table: &'t DeTable<'i>,
    name: &str,
) -> Option<(
    &'t Spanned<std::borrow::Cow<'i, str>>,
    &'t Spanned<DeValue<'i>>,
)> {
    table.iter().find(|(key, _)| key.get_ref() == name)
}

/// The lowest release that a requirement allows; none where it allows all.
pub(super) fn lowest(requirement: &str) -> Option<Version> {
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
