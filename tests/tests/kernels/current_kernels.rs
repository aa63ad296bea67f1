//! Whole kernels of the current library, release by release: single files and crates whose modules import nothing themselves.
//! All of them are accepted by the library of their release: nothing above `performance` is found in them, every operation is
//! followed, and each kernel has a cost, or the places that the cost model says nothing of.

use std::path::{Path, PathBuf};

use serde_json::Value;
use visa_tests::{read, repository, rust_files, shown};

fn folder() -> PathBuf {
    repository().join("fixtures/kernels/current")
}

/// What a command of the program prints about a folder.
fn printed(command: &[&str], folder: &Path) -> Value {
    let output = visa_tests::command(env!("CARGO_BIN_EXE_visa-lint-tested"))
        .current_dir(repository())
        .args(command)
        .args(["--format", "json"])
        .arg(folder)
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The packages of the folder, with the release that each manifest asks for.
fn packages() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder()).unwrap().flatten() {
        let manifest = read(&entry.path().join("Cargo.toml"));
        let line = manifest
            .lines()
            .find_map(|line| line.strip_prefix("furiosa-opt-std = "));
        let release = line.unwrap().trim_matches('"').to_owned();
        found.push((entry.path(), release));
    }
    found.sort();
    found
}

#[test]
fn kernels_that_the_library_accepts_have_no_finding_above_performance() {
    let mut problems = Vec::new();
    for (package, _) in packages() {
        let report = printed(&["check"], &package);
        for finding in list(&report["diagnostics"]) {
            if !matches!(finding["group"].as_str(), Some("performance" | "style")) {
                problems.push(format!(
                    "{}:{}: [{}] {}",
                    finding["file"],
                    finding["range"]["start"]["line"],
                    finding["rule"],
                    finding["message"]
                ));
            }
        }
        for left in list(&report["unresolved"]) {
            problems.push(format!(
                "{}:{}: {}: {}",
                left["file"], left["range"]["start"]["line"], left["what"], left["reason"]
            ));
        }
        if report["operations"]["unresolved"] != 0 || report["operations"]["resolved"] == 0 {
            problems.push(format!("{}: {}", shown(&package), report["operations"]));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_package_is_read_for_the_release_of_its_manifest() {
    for (package, release) in packages() {
        let report = printed(&["check"], &package);
        let dialects = list(&report["dialects"]);
        assert!(!dialects.is_empty(), "{}", shown(&package));
        for dialect in dialects {
            assert_eq!(dialect["dialect"], "opt-std", "{dialect}");
            let read_as = dialect["release"].as_str().unwrap();
            assert!(
                read_as == release || read_as.starts_with(&format!("{release}.")),
                "{dialect}"
            );
        }
    }
}

/// Costs alone: what would save most is searched for in tests of its own.
#[test]
fn every_kernel_has_a_cost_or_the_places_that_prevent_one() {
    let mut problems = Vec::new();
    let (mut kernels, mut known) = (0, 0);
    for (package, _) in packages() {
        let report = printed(&["cost", "--effort", "0"], &package);
        for kernel in list(&report["kernels"]) {
            kernels += 1;
            let total = kernel["cycles"]["total"].as_u64();
            known += usize::from(total.is_some());
            let is_explained = match total {
                Some(total) => total > 0,
                None => !list(&kernel["unresolved"]).is_empty(),
            };
            if !is_explained {
                problems.push(format!("{}: {}", shown(&package), kernel["name"]));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(known >= 80, "{known} of {kernels} kernels have a total");
}

#[test]
fn there_are_enough_of_them_for_each_of_three_releases() {
    let lines: usize = rust_files(&folder())
        .iter()
        .map(|path| read(path).lines().count())
        .sum();
    assert!(lines >= 3_000, "{lines} lines");
    let mut of_release = std::collections::BTreeMap::<String, u64>::new();
    let mut crates = 0;
    for (package, release) in packages() {
        let report = printed(&["check"], &package);
        let minor: Vec<&str> = release.split('.').take(2).collect();
        *of_release.entry(minor.join(".")).or_default() += report["kernels"].as_u64().unwrap();
        crates += usize::from(package.join("src/lib.rs").is_file());
    }
    assert!(crates >= 6, "{crates} crates of several files");
    for release in ["0.6", "0.8", "0.10"] {
        let kernels = of_release.get(release).copied().unwrap_or(0);
        assert!(kernels >= 20, "{kernels} kernels for {release}");
    }
}

#[test]
fn modules_of_the_crates_import_nothing_themselves() {
    let mut modules = 0;
    for (package, _) in packages() {
        let source = package.join("src");
        for path in rust_files(&source) {
            if path == source.join("lib.rs") {
                continue;
            }
            modules += 1;
            let text = read(&path);
            assert!(!text.contains("use furiosa_opt_std"), "{}", shown(&path));
        }
    }
    assert!(modules >= 15, "{modules} modules");
}
