//! Lock files: which release a package's dependency is resolved to.
//!
//! Cargo writes them line by line, so they are read line by line: a workspace has one of many lines, and all of its packages ask
//! for it. What Cargo would not have written is a problem that is said, with its line.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use semver::{Version, VersionReq};

use super::regular::{SOURCE_BYTES, is_meant, read_text};

/// The lock files that were read, by their folders.
#[derive(Debug, Default)]
pub(super) struct Locks {
    read: RefCell<HashMap<PathBuf, Option<Rc<Lock>>>>,
    problems: RefCell<Vec<String>>,
}

impl Locks {
    /// The lock file of a package: that of its workspace, else the nearest at or above it that has the package, else the nearest.
    pub(super) fn lock_of_package(
        &self,
        name: &str,
        root: &Path,
        workspace: Option<&Path>,
    ) -> Option<Rc<Lock>> {
        let above = workspace.into_iter().chain(root.ancestors());
        let mut nearest = None;
        for lock in above.filter_map(|folder| self.file(folder)) {
            if lock.numbers(name).next().is_some() {
                return Some(lock);
            }
            nearest.get_or_insert(lock);
        }
        nearest
    }

    /// The lock file in a folder.
    fn file(&self, folder: &Path) -> Option<Rc<Lock>> {
        if let Some(known) = self.read.borrow().get(folder) {
            return known.clone();
        }
        let path = folder.join("Cargo.lock");
        let read = is_meant(&path).then(|| {
            let text = read_text(&path, SOURCE_BYTES)?;
            Lock::parse(&text)
        });
        let lock = match read {
            Some(Ok(lock)) => Some(Rc::new(lock)),
            Some(Err(why)) => {
                let problem = format!("cannot read `{}`: {why}", path.display());
                self.problems.borrow_mut().push(problem);
                None
            }
            None => None,
        };
        let mut known = self.read.borrow_mut();
        known.insert(folder.to_path_buf(), lock.clone());
        lock
    }

    /// What could not be read, a line each.
    pub(super) fn problems(self) -> Vec<String> {
        self.problems.into_inner()
    }
}

/// A lock file.
#[derive(Debug, Default)]
pub(super) struct Lock {
    packages: Vec<Locked>,
    /// The numbers of packages by their name, with underscores.
    by_name: HashMap<String, Vec<usize>>,
    /// For each package those that depend on it, once it was asked for.
    users: OnceCell<Vec<Vec<usize>>>,
}

/// A package of a lock file.
#[derive(Debug, Default)]
struct Locked {
    name: String,
    version: String,
    /// `name`, `name version` or `name version (source)`, as short as it is unambiguous.
    dependencies: Vec<String>,
}

/// What lines are about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Package,
    Other,
}

impl Lock {
    /// Reads the text of a lock file, or says what is wrong with it.
    fn parse(text: &str) -> Result<Self, String> {
        let mut lock = Self::default();
        let mut section = Section::Other;
        // What the lines of an array that is not closed yet are taken for.
        let mut array = None;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (number, line) in (1_usize..).zip(text.lines()) {
            let line = line.trim();
            let refused = || format!("Cargo does not write line {number}");
            if let Some(is_wanted) = array {
                match line {
                    "]" => array = None,
                    "" => {}
                    entry => {
                        let entry =
                            unquoted_text(entry.trim_end_matches(',')).ok_or_else(refused)?;
                        if is_wanted {
                            lock.depends(entry);
                        }
                    }
                }
                continue;
            }
            match line {
                "" => {}
                line if line.starts_with('#') => {}
                "[[package]]" | "[root]" => {
                    section = Section::Package;
                    lock.packages.push(Locked::default());
                }
                line if line.starts_with('[') && line.ends_with(']') => section = Section::Other,
                line => {
                    let (key, value) = line.split_once('=').ok_or_else(refused)?;
                    let (key, value) = (key.trim(), value.trim());
                    let is_wanted = section == Section::Package && key == "dependencies";
                    if value == "[" {
                        array = Some(is_wanted);
                    } else if let Some(inside) = value.strip_prefix('[') {
                        let inside = inside.strip_suffix(']').ok_or_else(refused)?;
                        let entries = inside.split(',').map(str::trim);
                        for entry in entries.filter(|entry| !entry.is_empty() && is_wanted) {
                            lock.depends(unquoted_text(entry).ok_or_else(refused)?);
                        }
                    } else if section == Section::Package
                        && let Some(package) = lock.packages.last_mut()
                    {
                        let text = unquoted_text(value).ok_or_else(refused)?.to_owned();
                        match key {
                            "name" => package.name = text,
                            "version" => package.version = text,
                            _ => {}
                        }
                    } else if value.is_empty() {
                        return Err(refused());
                    }
                }
            }
        }
        if array.is_some() {
            return Err("it ends within a list".to_owned());
        }
        for (number, package) in lock.packages.iter().enumerate() {
            let numbers = lock.by_name.entry(underscored(&package.name)).or_default();
            numbers.push(number);
        }
        Ok(lock)
    }

    fn depends(&mut self, entry: &str) {
        if let Some(package) = self.packages.last_mut() {
            package.dependencies.push(entry.to_owned());
        }
    }

    /// The numbers of the packages of a name.
    fn numbers(&self, name: &str) -> impl Iterator<Item = usize> {
        let numbers = self.by_name.get(&underscored(name));
        numbers.into_iter().flatten().copied()
    }

    /// The versions of the packages of a name.
    fn versions(&self, name: &str) -> impl Iterator<Item = &str> {
        let packages = self.numbers(name).filter_map(|at| self.packages.get(at));
        packages.map(|package| package.version.as_str())
    }

    /// The release that a package's dependency on another is resolved to: the only one there is, else the one that the lock
    /// file names for the package, else the newest that the requirement allows.
    pub(super) fn release(
        &self,
        package: &str,
        name: &str,
        requirement: Option<&str>,
    ) -> Option<String> {
        let requirement = requirement.and_then(|text| VersionReq::parse(text).ok());
        // A lock file that is older than the manifest says nothing.
        let allowed = |version: &&str| {
            let version = Version::parse(version).ok();
            match (&requirement, version) {
                (Some(requirement), Some(version)) => requirement.matches(&version),
                _ => true,
            }
        };
        let versions: Vec<&str> = self.versions(name).filter(allowed).collect();
        if let [only] = versions.as_slice() {
            return Some((*only).to_owned());
        }
        let own = self.numbers(package).filter_map(|at| self.packages.get(at));
        let own = own.flat_map(|own| &own.dependencies).find_map(|entry| {
            let mut words = entry.split_whitespace();
            let same = words.next().is_some_and(|word| is_same(word, name));
            same.then(|| words.next()).flatten()
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

    /// The package that a package depends on and that itself depends on another one, over others or not, with the release of the
    /// other where that is one alone.
    pub(super) fn through(&self, package: &str, name: &str) -> Option<(&str, Option<String>)> {
        let own = self.numbers(package).next()?;
        let mut reaching = vec![false; self.packages.len()];
        let mut waiting: Vec<usize> = self.numbers(name).collect();
        if waiting.is_empty() {
            return None;
        }
        while let Some(at) = waiting.pop() {
            match reaching.get_mut(at) {
                Some(known) if !*known => *known = true,
                _ => continue,
            }
            let users = self.users().get(at).into_iter().flatten();
            waiting.extend(users.copied());
        }
        let dependencies = &self.packages.get(own)?.dependencies;
        let by = dependencies.iter().find_map(|entry| {
            let numbers = self.meant(entry);
            let found = numbers
                .into_iter()
                .find(|at| reaching.get(*at) == Some(&true))?;
            self.packages.get(found)
        })?;
        let release = self.reached(own, name, &mut reaching);
        (!is_same(&by.name, name)).then_some((by.name.as_str(), release))
    }

    /// The release of a package that another depends on over those that are `reaching`, if it is one alone. What is looked at
    /// is taken out of these.
    fn reached(&self, from: usize, name: &str, reaching: &mut [bool]) -> Option<String> {
        let wanted: Vec<usize> = self.numbers(name).collect();
        let mut waiting = vec![from];
        let mut found: Vec<&str> = Vec::new();
        while let Some(at) = waiting.pop() {
            match reaching.get_mut(at) {
                Some(known) if *known => *known = false,
                _ => continue,
            }
            let Some(package) = self.packages.get(at) else {
                continue;
            };
            if wanted.contains(&at) {
                found.push(&package.version);
            } else {
                let entries = package.dependencies.iter();
                waiting.extend(entries.flat_map(|entry| self.meant(entry)));
            }
        }
        match found.as_slice() {
            [only] => Some((*only).to_owned()),
            _ => None,
        }
    }

    /// For each package those that depend on it.
    fn users(&self) -> &[Vec<usize>] {
        self.users.get_or_init(|| {
            let mut users = vec![Vec::new(); self.packages.len()];
            for (user, package) in self.packages.iter().enumerate() {
                for dependency in package
                    .dependencies
                    .iter()
                    .flat_map(|entry| self.meant(entry))
                {
                    if let Some(users) = users.get_mut(dependency) {
                        users.push(user);
                    }
                }
            }
            users
        })
    }

    /// The packages that an entry of a list of dependencies means.
    fn meant(&self, entry: &str) -> Vec<usize> {
        let mut words = entry.split_whitespace();
        let (name, version) = (words.next().unwrap_or(""), words.next());
        let numbers = self.numbers(name);
        let is_meant = |at: &usize| {
            let package = self.packages.get(*at);
            let own = package.map(|package| package.version.as_str());
            version.is_none() || own == version
        };
        numbers.filter(is_meant).collect()
    }
}

/// What is between quotes.
fn unquoted_text(text: &str) -> Option<&str> {
    text.strip_prefix('"')?.strip_suffix('"')
}

/// A name as Cargo's users compare it, who mix dashes and underscores.
fn underscored(name: &str) -> String {
    name.replace('-', "_")
}

/// Whether two names of packages are the same to Cargo's users.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    let letters = |name: &str| -> Vec<u8> {
        let bytes = name.bytes();
        bytes
            .map(|byte| if byte == b'-' { b'_' } else { byte })
            .collect()
    };
    one.len() == other.len() && letters(one) == letters(other)
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::{Lock, Locks};

    const LOCK: &str = "# made by Cargo
version = 4

[[package]]
name = \"app\"
version = \"1.0.0\"
dependencies = [
 \"furiosa-opt-std 0.8.0\",
 \"layout\",
]

[[package]]
name = \"furiosa-opt-std\"
version = \"0.7.0\"
source = \"registry+https://github.com/rust-lang/crates.io-index\"
checksum = \"00\"

[[package]]
name = \"furiosa-opt-std\"
version = \"0.8.0\"

[[package]]
name = \"layout\"
version = \"0.1.0\"
dependencies = [\"furiosa-opt-std 0.7.0\"]

[[package]]
name = \"user\"
version = \"0.1.0\"
dependencies = [
 \"layout 0.1.0\",
]

[metadata]
\"checksum x\" = \"y\"
";

    #[test]
    fn a_lock_file_is_read_once_for_all_packages_of_a_workspace() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("Cargo.lock");
        std::fs::write(&file, LOCK).expect("a lock file");
        let locks = Locks::default();
        let of = |name: &str| {
            locks.lock_of_package(name, &folder.path().join(name), Some(folder.path()))
        };
        let first = of("app").expect("a lock");
        // Were it read again, it would be gone.
        std::fs::remove_file(&file).expect("no lock file");
        let second = of("user").expect("the lock again");
        assert!(Rc::ptr_eq(&first, &second));
    }

    #[test]
    fn releases_are_those_that_packages_ask_for() {
        let lock = Lock::parse(LOCK).unwrap();
        let of = |package: &str, requirement| lock.release(package, "furiosa-opt-std", requirement);
        assert_eq!(of("app", Some("*")).as_deref(), Some("0.8.0"));
        assert_eq!(of("layout", None).as_deref(), Some("0.7.0"));
        assert_eq!(of("other", Some("0.7")).as_deref(), Some("0.7.0"));
        assert_eq!(of("other", Some("*")).as_deref(), Some("0.8.0"));
        assert_eq!(of("other", None), None);
        assert_eq!(of("app", Some("0.9")), None);
    }

    #[test]
    fn a_library_is_reached_over_others() {
        let lock = Lock::parse(LOCK).unwrap();
        let through = |package: &str| lock.through(package, "furiosa-opt-std");
        assert_eq!(through("user"), Some(("layout", Some("0.7.0".to_owned()))));
        assert_eq!(through("app"), None);
        assert_eq!(through("layout"), None);
        assert_eq!(through("nothing"), None);
        assert_eq!(lock.through("user", "absent"), None);
        let one = LOCK.replace("\"0.7.0\"", "\"0.8.0\"").replacen(
            "[[package]]\nname = \"furiosa-opt-std\"\nversion = \"0.8.0\"\n\n",
            "",
            1,
        );
        let one = Lock::parse(&one.replace("std 0.7.0", "std")).unwrap();
        let found = one.through("user", "furiosa_opt_std");
        assert_eq!(found, Some(("layout", Some("0.8.0".to_owned()))));
    }

    #[test]
    fn what_cargo_would_not_write_is_named() {
        let refused = |text: &str| Lock::parse(text).err();
        assert_eq!(
            refused("version = 4\n<<<<<<< HEAD\n").as_deref(),
            Some("Cargo does not write line 2")
        );
        assert_eq!(
            refused("[[package]]\nname = 4\n").as_deref(),
            Some("Cargo does not write line 2")
        );
        assert_eq!(
            refused("[[package]]\ndependencies = [\n \"a\",\n").as_deref(),
            Some("it ends within a list")
        );
        assert_eq!(refused(""), None);
        assert_eq!(
            refused("\u{feff}version = 4\r\n\r\n[[package]]\r\nname = \"x\"\r\n"),
            None
        );
    }
}
