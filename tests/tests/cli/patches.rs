//! What `[patch]` and `exclude` say of a crate's release.

use super::*;

const KERNEL: &str = "use furiosa_opt_std::prelude::*;
axes![G = 2048];
#[device(chip = 1, pe = 8)]
fn keep(device: &mut Device, gates: &HbmTensor<i32, m![1], m![G]>) {}
";

/// What is said of the crate `attention` of a folder: release and reason.
fn decided(files: &[(&str, &str)]) -> (String, String) {
    let files: Vec<_> = files
        .iter()
        .map(|(name, text)| (*name, text.as_bytes()))
        .collect();
    let folder = folder_with(&files);
    let document = json(&run(folder.path(), &["--format", "json"]));
    let dialects = document["dialects"].as_array().unwrap();
    let own = dialects.iter().find(|known| known["crate"] == "attention");
    let own = own.unwrap_or_else(|| panic!("{document}"));
    let text = |member: &str| own[member].as_str().unwrap_or("none").to_owned();
    (text("release"), text("because"))
}

fn library(version: &str) -> String {
    format!("[package]\nname = \"furiosa-opt-std\"\nversion = \"{version}\"\n")
}

#[test]
fn a_patch_by_path_puts_its_release_in_place() {
    let manifest = |patch: &str| {
        format!(
            "[package]\nname = \"attention\"\nversion = \"1.0.0\"\n[dependencies]\nfuriosa-opt-std = \"0.8\"\n{patch}"
        )
    };
    let with = |patch: &str, version: &str| {
        let (manifest, library) = (manifest(patch), library(version));
        decided(&[
            ("Cargo.toml", manifest.as_str()),
            ("src/lib.rs", KERNEL),
            ("vendor/Cargo.toml", library.as_str()),
        ])
    };
    let patch = "[patch.crates-io]\nfuriosa-opt-std = { path = \"vendor\" }\n";
    let (release, because) = with(patch, "0.8.1");
    assert_eq!(release, "0.8.1");
    assert!(
        because.contains("`[patch]` puts release 0.8.1 in its place"),
        "{because}"
    );
    let renamed = "[patch.crates-io]\nstd = { path = \"vendor\", package = \"furiosa-opt-std\" }\n";
    assert_eq!(with(renamed, "0.8.1").0, "0.8.1");
    // Cargo takes no patch that the requirement does not allow, nor one for another source.
    assert_eq!(with(patch, "0.9.0").0, "0.8.0");
    let other = "[patch.\"https://example.org/std\"]\nfuriosa-opt-std = { path = \"vendor\" }\n";
    assert_eq!(with(other, "0.8.1").0, "0.8.0");
    // A revision names no release: the requirement goes on deciding.
    let revision = "[patch.crates-io]\nfuriosa-opt-std = { git = \"https://example.org/std\" }\n";
    assert_eq!(with(revision, "0.8.1").0, "0.8.0");
    for strange in [
        "[patch]\ncrates-io = 3\n",
        "[patch.crates-io]\nfuriosa-opt-std = \"0.9\"\n",
        "[patch.crates-io]\nfuriosa-opt-std = { path = \"nowhere\" }\n",
    ] {
        assert_eq!(with(strange, "0.8.1").0, "0.8.0", "{strange}");
    }
}

#[test]
fn the_patch_of_a_member_is_that_of_its_workspace() {
    let root = "[workspace]\nmembers = [\"kernels\"]\n[patch.crates-io]\nfuriosa-opt-std = { path = \"vendor\" }\n";
    let member = "[package]\nname = \"attention\"\nversion = \"1.0.0\"\n[dependencies]\nfuriosa-opt-std = \"0.8\"\n[patch.crates-io]\nfuriosa-opt-std = { path = \"nowhere\" }\n";
    let library = library("0.8.1");
    let (release, _) = decided(&[
        ("Cargo.toml", root),
        ("kernels/Cargo.toml", member),
        ("kernels/src/lib.rs", KERNEL),
        ("vendor/Cargo.toml", library.as_str()),
    ]);
    assert_eq!(release, "0.8.1");
}

#[test]
fn a_workspace_says_nothing_of_what_it_excludes() {
    let root = |lists: &str| {
        format!("[workspace]\n{lists}[workspace.dependencies]\nfuriosa-opt-std = \"0.7\"\n")
    };
    let member = "[package]\nname = \"attention\"\nversion = \"1.0.0\"\n[dependencies]\nfuriosa-opt-std = { workspace = true }\n";
    let with = |lists: &str| {
        let root = root(lists);
        decided(&[
            ("Cargo.toml", root.as_str()),
            ("old/kernels/Cargo.toml", member),
            ("old/kernels/src/lib.rs", KERNEL),
        ])
    };
    assert_eq!(with("members = [\"old/*\"]\n").0, "0.7.0");
    let (release, because) = with("exclude = [\"old\"]\n");
    assert_ne!(release, "0.7.0", "{because}");
    // Who is named as a member is one anyway.
    assert_eq!(
        with("members = [\"old/kernels\"]\nexclude = [\"old\"]\n").0,
        "0.7.0"
    );
}
