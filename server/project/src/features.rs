//! The features of packages: which a build turns on that says nothing about features, which another package may turn on, and
//! which is not done.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use toml::{Table, Value};
use visa_analysis::{PackageFeatures, Truth};

use super::packages::{Manifest, is_inherited, path_of};
use super::paths::slashes;

/// The sections of a manifest that name other packages.
const DEPENDENCIES: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];
/// The sections of targets that a build leaves out without the features that they require.
const TARGETS: [&str; 4] = ["bin", "example", "test", "bench"];

/// What holds for the features of packages that are looked at together: on by default, off, or unknown because one of them turns
/// it on in another one, or a target requires it.
pub(crate) fn features_of(manifests: &[Manifest]) -> Vec<PackageFeatures> {
    let mut wanted: BTreeMap<PathBuf, Wanted> = BTreeMap::new();
    for manifest in manifests {
        for (name, dependency) in manifest_dependencies(manifest.table()) {
            let shared = is_inherited(dependency).then(|| manifest.workspace_dependency(name));
            let shared = shared.flatten();
            let place = match &shared {
                Some((folder, entry)) => path_of(folder, entry),
                None => path_of(&manifest.root, dependency),
            };
            let Some(place) = place else { continue };
            let wanted = wanted.entry(place).or_default();
            wanted.add(dependency);
            if let Some((_, entry)) = shared {
                wanted.add(entry);
            }
        }
    }
    manifests
        .iter()
        .map(|manifest| PackageFeatures {
            root: slashes(&manifest.root).into(),
            features: truths(manifest.table(), wanted.get(&manifest.root)),
        })
        .collect()
}

/// What other packages want of one.
#[derive(Default)]
struct Wanted {
    features: BTreeSet<String>,
    /// A package wants it without its default features.
    without_default: bool,
}

impl Wanted {
    fn add(&mut self, dependency: &Value) {
        let features = dependency.get("features").and_then(Value::as_array);
        let names = features.into_iter().flatten().filter_map(Value::as_str);
        self.features.extend(names.map(str::to_owned));
        let default = dependency
            .get("default-features")
            .or_else(|| dependency.get("default_features"));
        self.without_default |= default.and_then(Value::as_bool) == Some(false);
    }
}

/// The dependencies of a manifest by name, those for some platforms among them.
fn manifest_dependencies(table: &Table) -> Vec<(&str, &Value)> {
    let of_targets = table.get("target").and_then(Value::as_table);
    let of_targets = of_targets
        .into_iter()
        .flat_map(|targets| targets.values().filter_map(Value::as_table));
    [table]
        .into_iter()
        .chain(of_targets)
        .flat_map(|table| {
            DEPENDENCIES
                .iter()
                .filter_map(|section| table.get(*section)?.as_table())
        })
        .flat_map(|section| section.iter().map(|(name, value)| (name.as_str(), value)))
        .collect()
}

/// What holds for each feature of a manifest.
fn truths(table: &Table, wanted: Option<&Wanted>) -> BTreeMap<Arc<str>, Truth> {
    let features = Features::of(table);
    let closure = |names: &mut dyn Iterator<Item = &str>| features.closure(names);
    let default = closure(&mut ["default"].into_iter());
    let perhaps = wanted.iter().flat_map(|wanted| wanted.features.iter());
    let required = TARGETS
        .iter()
        .filter_map(|section| table.get(*section)?.as_array())
        .flatten()
        .filter_map(|target| target.get("required-features")?.as_array())
        .flatten()
        .filter_map(Value::as_str);
    let perhaps = closure(&mut perhaps.map(String::as_str).chain(required));
    let sure = wanted.is_none_or(|wanted| !wanted.without_default);
    let truth = |name: &str| match name {
        _ if default.contains(name) && sure => Truth::On,
        _ if default.contains(name) || perhaps.contains(name) => Truth::Unknown,
        _ => Truth::Off,
    };
    features
        .by_name
        .keys()
        .map(|name| (Arc::from(*name), truth(name)))
        .collect()
}

/// The features of one manifest with what each turns on.
struct Features<'a> {
    by_name: BTreeMap<&'a str, Vec<&'a str>>,
}

impl<'a> Features<'a> {
    fn of(table: &'a Table) -> Self {
        let written = table.get("features").and_then(Value::as_table);
        let mut by_name: BTreeMap<&str, Vec<&str>> = written
            .into_iter()
            .flatten()
            .map(|(name, turned_on)| {
                let turned_on = turned_on.as_array().into_iter().flatten();
                (name.as_str(), turned_on.filter_map(Value::as_str).collect())
            })
            .collect();
        // An optional dependency is a feature of its name, unless some feature names it as `dep:`.
        let named: BTreeSet<&str> = by_name
            .values()
            .flatten()
            .filter_map(|entry| entry.strip_prefix("dep:"))
            .collect();
        for (name, dependency) in manifest_dependencies(table) {
            let optional = dependency.get("optional").and_then(Value::as_bool) == Some(true);
            if optional && !named.contains(name) {
                by_name.entry(name).or_default();
            }
        }
        Self { by_name }
    }

    /// The features that some turn on, themselves included.
    fn closure(&self, names: &mut dyn Iterator<Item = &str>) -> BTreeSet<String> {
        let mut on = BTreeSet::new();
        let mut waiting: Vec<String> = names.map(str::to_owned).collect();
        while let Some(name) = waiting.pop() {
            // `package/feature` turns the optional package on too, `package?/feature` and `dep:package` no feature of ours.
            let own = match name.split_once('/') {
                Some((package, _)) if package.ends_with('?') => continue,
                Some((package, _)) => package,
                None => name.as_str(),
            };
            if let Some(turned_on) = self.by_name.get(own)
                && on.insert(own.to_owned())
            {
                waiting.extend(turned_on.iter().map(|name| (*name).to_owned()));
            }
        }
        on
    }
}

#[cfg(test)]
mod tests {
    use super::super::packages::ManifestFile;
    use super::{Manifest, features_of};
    use visa_analysis::Truth;

    fn manifest(root: &str, text: &str) -> Manifest {
        let file = ManifestFile {
            text: text.to_owned(),
            table: text.parse().unwrap(),
        };
        Manifest {
            name: root.to_owned(),
            root: format!("/{root}").into(),
            is_broken: false,
            file: file.into(),
            workspace: None,
        }
    }

    /// What holds for the features of the first of some manifests, given by folder and text.
    fn features(manifests: &[(&str, &str)]) -> Vec<(String, Truth)> {
        let manifests: Vec<Manifest> = manifests
            .iter()
            .map(|(root, text)| manifest(root, text))
            .collect();
        let features = &features_of(&manifests)[0].features;
        let features = features.iter();
        features
            .filter(|(name, _)| &***name != "default")
            .map(|(name, truth)| (name.to_string(), *truth))
            .collect()
    }

    fn expected(features: &[(&str, Truth)]) -> Vec<(String, Truth)> {
        let features = features.iter();
        features
            .map(|(name, truth)| ((*name).to_owned(), *truth))
            .collect()
    }

    const SHAPES: &str = "[features]
default = [\"a\", \"speed/fast\", \"maybe?/x\"]
a = [\"b\", \"dep:hidden\"]
b = []
c = [\"a\"]
d = [\"d\"]
[dependencies]
speed = { version = \"1\", optional = true }
maybe = { version = \"1\", optional = true }
hidden = { version = \"1\", optional = true }
plain = \"1\"
[target.'cfg(unix)'.dependencies]
late = { version = \"1\", optional = true }
";

    #[test]
    fn the_default_turns_on_what_it_leads_to() {
        use Truth::{Off, On};
        let found = features(&[("k", SHAPES)]);
        let names = [
            ("a", On),
            ("b", On),
            ("c", Off),
            ("d", Off),
            ("late", Off),
            ("maybe", Off),
            ("speed", On),
        ];
        assert_eq!(found, expected(&names));
        assert_eq!(
            features(&[("k", "[features]\nx = []\n")]),
            expected(&[("x", Off)])
        );
        assert_eq!(features(&[("k", "[package]\nname = \"k\"\n")]), []);
    }

    #[test]
    fn what_somebody_else_turns_on_is_unknown() {
        use Truth::{Off, On, Unknown};
        let own = "[features]\ndefault = [\"a\"]\na = []\nb = [\"c\"]\nc = []\nd = []\n";
        let of = |dependency: &str| {
            let user = format!("[dependencies]\nk = {{ path = \"../k\", {dependency} }}\n");
            features(&[("k", own), ("user", &user)])
        };
        let names = |a, b, c| expected(&[("a", a), ("b", b), ("c", c), ("d", Off)]);
        assert_eq!(of("optional = true"), names(On, Off, Off));
        assert_eq!(of("features = [\"b\"]"), names(On, Unknown, Unknown));
        assert_eq!(of("default-features = false"), names(Unknown, Off, Off));
        let required = format!("{own}[[example]]\nname = \"e\"\nrequired-features = [\"c\"]\n");
        assert_eq!(features(&[("k", &required)]), names(On, Off, Unknown));
        let itself =
            format!("{own}[dev-dependencies]\nk = {{ path = \".\", features = [\"c\"] }}\n");
        assert_eq!(features(&[("k", &itself)]), names(On, Off, Unknown));
    }
}
