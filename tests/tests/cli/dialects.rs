//! Which library a crate is written for, in which release, and what is said where it is not read.

use super::*;

/// A kernel for the book's successor, with seven calls.
const OPT: &str = "axes![G = 2048];
#[device(chip = 1)]
fn double(device: &mut Device, gates: &HbmTensor<i32, m![1], m![G]>) -> HbmTensor<i32, m![1], m![G]> {
    let gates = gates.to_dm::<m![1 # 2], m![G / 8], m![G % 8]>(&mut device.tdma);
    let pass = device.main.begin(gates.view()).fetch::<m![1], m![G % 8]>().collect::<m![1], m![G % 8]>();
    pass.commit_trim::<m![G % 8]>().commit().to_hbm(&mut device.tdma)
}
";

/// A kernel for the book's library, with a slip that is found only if it is read as such.
const VISA: &str = "axes![G = 2048];
#[device(chip = 1)]
fn load(ctx: &mut Context, gates: &HbmTensor<i32, m![1], m![G]>) {
    let gates = gates.to_dm::<m![1 # 2], m![G / 8], m![G % 8]>(&mut ctx.tdma, 4);
}
";

/// The crate's entry of a report's `dialects`.
fn dialect_of(files: &[(&str, &str)]) -> Value {
    let files: Vec<_> = files
        .iter()
        .map(|(name, text)| (*name, text.as_bytes()))
        .collect();
    let folder = folder_with(&files);
    let document = json(&run(folder.path(), &["--format", "json"]));
    let dialects = document["dialects"].as_array().unwrap();
    assert_eq!(dialects.len(), 1, "{dialects:?}");
    let mut found = dialects[0].clone();
    found.as_object_mut().unwrap().remove("files").unwrap();
    found
}

fn manifest(dependencies: &str) -> String {
    format!("[package]\nname = \"attention\"\nversion = \"1.0.0\"\n{dependencies}")
}

/// The report says of the findings of a crate who else would have found them.
#[test]
fn people_are_shown_who_confirms_the_findings() {
    // The packet of 4 bytes is an error of the library; an immediate that is no constant is one of its compiler.
    let kernel = OPT
        .replace("commit_trim::<m![G % 8]>()", "commit_trim::<m![1]>()")
        .replace("    let pass", "    while true {}\n    let pass");
    let text = format!("use furiosa_opt_std::prelude::*;\n{kernel}");
    let folder = folder_with(&[("kernel.rs", text.as_bytes())]);
    let arguments = ["kernel.rs", "--dialect", "opt-std@0.8"];
    let document = json(&run(
        folder.path(),
        &[&arguments[..], &["--format", "json"]].concat(),
    ));
    let by = |who: &str| {
        let found = document["diagnostics"].as_array().unwrap().iter();
        found.filter(|one| one["confirmed_by"] == who).count()
    };
    let human = stdout(&run(folder.path(), &arguments));
    let line = format!(
        "Of these findings, the library itself refuses {}, the vendor's compiler refuses {}.",
        by("library"),
        by("compiler")
    );
    assert!(
        by("library") > 0 && by("compiler") > 0 && by("model") == 0,
        "{document}"
    );
    assert!(human.contains(&line), "{human}");
    // A kernel for the book's library has no such line.
    let book = folder_with(&[("kernel.rs", VISA.as_bytes())]);
    let human = stdout(&run(book.path(), &["kernel.rs"]));
    assert!(!human.contains("Of these findings"), "{human}");
}

/// A release that is not known is said once a crate, and its kernels are read as of the newest one that is.
#[test]
fn a_crate_of_an_unknown_release_gets_one_warning() {
    let manifest = manifest("[dependencies]\nfuriosa-opt-std = \"0.99\"\n");
    let child = format!("use super::*;\n{OPT}");
    let folder = folder_with(&[
        ("Cargo.toml", manifest.as_bytes()),
        (
            "src/lib.rs",
            b"use furiosa_opt_std::prelude::*;\nmod one;\nmod two;\n",
        ),
        ("src/one.rs", child.as_bytes()),
        ("src/two.rs", child.as_bytes()),
    ]);
    let output = run(folder.path(), &["--format", "json"]);
    assert_code(&output, 0);
    let document = json(&output);
    assert_eq!(
        rules_and_levels(&document),
        ["dialect_unsupported warn"],
        "{document}"
    );
    let finding = &document["diagnostics"][0];
    assert_eq!(finding["file"], "src/lib.rs");
    assert_eq!(finding["range"]["start"]["column"], 5);
    let human = stdout(&run(folder.path(), &[]));
    assert_eq!(human.matches("dialect_unsupported]").count(), 1, "{human}");
    // Who asks about one file is given as well.
    let one = json(&run(folder.path(), &["src/two.rs", "--format", "json"]));
    assert_eq!(rules_and_levels(&one), ["dialect_unsupported warn"]);
    assert_eq!(one["diagnostics"][0]["file"], "src/two.rs");
    let both = ["src/one.rs", "src/two.rs", "--format", "json"];
    assert_eq!(rules_and_levels(&json(&run(folder.path(), &both))).len(), 1);
    let denied = ["--deny", "dialect_unsupported"];
    assert_code(&run(folder.path(), &denied), 1);
}

#[test]
fn the_manifest_decides_for_files_that_import_nothing() {
    let child = format!("use super::*;\n{OPT}");
    for (dependencies, release, because) in [
        (
            "[dependencies]\nfuriosa-opt-std = \"0.6\"\n",
            "0.6.0",
            "`Cargo.toml` depends on `furiosa-opt-std`; the requirement `0.6` counts as 0.6.0",
        ),
        (
            "[dependencies]\nstd_of_ours = { package = \"furiosa-opt-std\", version = \">=0.7, <0.9\" }\n",
            "0.7.0",
            "`Cargo.toml` depends on `furiosa-opt-std` as `std_of_ours`; the requirement `>=0.7, <0.9` counts as 0.7.0",
        ),
        (
            "[target.'cfg(unix)'.dev-dependencies]\nfuriosa_opt_std = \"=0.8.1\"\n",
            "0.8.1",
            "`Cargo.toml` depends on `furiosa-opt-std`; the requirement `=0.8.1` counts as 0.8.1",
        ),
        (
            "[dependencies]\nfuriosa-opt-std = { workspace = true }\n[workspace.dependencies]\nfuriosa-opt-std = \"0.9.0\"\n",
            "0.9.0",
            "`Cargo.toml` depends on `furiosa-opt-std` of its workspace; the requirement `0.9.0` counts as 0.9.0",
        ),
        (
            "[dependencies]\nfuriosa-opt-std = { path = \"library\" }\n",
            "0.10.0",
            "`Cargo.toml` depends on `furiosa-opt-std`; the manifest at its path says 0.10.0",
        ),
    ] {
        let found = dialect_of(&[
            ("Cargo.toml", &manifest(dependencies)),
            (
                "library/Cargo.toml",
                "[package]\nname = \"furiosa-opt-std\"\nversion = \"0.10.0\"\n",
            ),
            ("src/lib.rs", &child),
        ]);
        assert_eq!(
            found,
            serde_json::json!({
                "crate": "attention", "dialect": "opt-std", "release": release, "because": because
            })
        );
    }
}

#[test]
fn the_lock_file_says_which_release_it_is() {
    let manifest = manifest("[dependencies]\nfuriosa-opt-std = \"0.8\"\n");
    let package = |name: &str, version: &str, rest: &str| {
        format!("[[package]]\nname = \"{name}\"\nversion = \"{version}\"\n{rest}\n")
    };
    let library = |version: &str| package("furiosa-opt-std", version, "");
    let own = package(
        "attention",
        "1.0.0",
        "dependencies = [\n \"furiosa-opt-std 0.8.0\",\n]",
    );
    for (lock, release) in [
        (library("0.8.1"), "0.8.1"),
        // Others are for other members of the workspace.
        (library("0.7.0") + &library("0.8.1"), "0.8.1"),
        (library("0.8.0") + &library("0.8.1") + &own, "0.8.0"),
        (library("0.8.0") + &library("0.8.1"), "0.8.1"),
        // Older than the manifest.
        (library("0.7.0"), "0.8.0"),
        ("no lock file = ".to_owned(), "0.8.0"),
    ] {
        let found = dialect_of(&[
            ("Cargo.toml", &manifest),
            ("Cargo.lock", &lock),
            ("src/lib.rs", OPT),
        ]);
        assert_eq!(found["release"], release, "{lock}");
        let locked = found["because"].as_str().unwrap().contains("Cargo.lock");
        assert_eq!(locked, lock.contains(release), "{found}");
    }
}

#[test]
fn imports_of_other_files_decide_where_the_manifest_does_not() {
    let found = dialect_of(&[
        ("Cargo.toml", &manifest("")),
        ("src/lib.rs", "mod layout;\nmod kernels;\n"),
        ("src/kernels.rs", &format!("use super::layout::*;\n{OPT}")),
        ("src/layout.rs", "pub use furiosa_opt_std::prelude::*;\n"),
    ]);
    let newest = visa_analysis::Library::OptStd.newest().to_string();
    assert_eq!(
        found,
        serde_json::json!({
            "crate": "attention", "dialect": "opt-std", "release": newest,
            "because": format!("`src/layout.rs` imports it; {newest} is the newest that has what the sources use (`&mut Device` is of 0.8 \
                        and later)")
        })
    );
    // Without a manifest the files of one tree of modules are a crate.
    let folder = folder_with(&[
        ("mod.rs", b"mod layout;\nmod kernels;\n"),
        ("kernels.rs", format!("use super::*;\n{OPT}").as_bytes()),
        ("layout.rs", b"use furiosa_opt_std::prelude::*;\n"),
        ("alone.rs", VISA.as_bytes()),
    ]);
    let document = json(&run(folder.path(), &["--format", "json"]));
    let dialects = &document["dialects"];
    assert_eq!(dialects[0]["crate"], "alone.rs");
    assert_eq!(dialects[0]["dialect"], "visa-std");
    assert_eq!(
        dialects[0]["because"],
        "nothing names a library, and this one is the book's"
    );
    assert_eq!(dialects[1]["crate"], "mod.rs");
    assert_eq!(dialects[1]["dialect"], "opt-std");
    assert_eq!(document["diagnostics"][0]["file"], "alone.rs");
    assert_eq!(document["diagnostics"].as_array().unwrap().len(), 1);
}

#[test]
fn a_crate_for_the_books_library_is_read_although_a_module_imports_nothing() {
    let files = [
        (
            "Cargo.toml".to_owned(),
            manifest("[dependencies]\nfuriosa-visa-std = { git = \"https://example.org/std\" }\n"),
        ),
        ("src/lib.rs".to_owned(), format!("use super::*;\n{VISA}")),
    ];
    let files: Vec<_> = files
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_bytes()))
        .collect();
    let folder = folder_with(&files);
    let document = json(&run(folder.path(), &["--format", "json"]));
    assert_eq!(rules_and_levels(&document), ["dma_alignment deny"]);
    assert_eq!(
        document["dialects"][0]["because"],
        "`Cargo.toml` depends on `furiosa-visa-std`"
    );
    // The user goes before the manifest.
    let chosen = ["--dialect", "opt-std@0.10", "--format", "json"];
    let document = json(&run(folder.path(), &chosen));
    // It looks like another release, and is judged as the one that was chosen: that has no addresses.
    assert_eq!(
        rules_and_levels(&document),
        ["library_version_mismatch warn"]
    );
    assert_eq!(document["dialects"][0]["because"], "the settings choose it");
}

#[test]
fn a_crate_without_kernels_is_not_warned_about() {
    let folder = folder_with(&[(
        "a.rs",
        b"use furiosa_opt_std::prelude::*;\naxes![G = 2048];\nfn host() { start().stop(); }\n",
    )]);
    let document = json(&run(folder.path(), &["--format", "json"]));
    assert_eq!(rules_and_levels(&document), [""; 0]);
}

/// A crate may give a library another name; what its prelude brings into scope is known anyway.
#[test]
fn names_of_a_renamed_library_are_resolved() {
    let manifest = manifest(
        "[dependencies]\nour-std = { package = \"furiosa_visa_std\", version = \"0.1\" }\n",
    );
    let kernel = "axes![G = 2048];
#[device(chip = 1)]
fn largest(ctx: &mut Context, gates: &HbmTensor<f32, m![1], m![G]>) -> HbmTensor<f32, m![1], m![G]> {
    let gates: DmTensor<f32, m![1], m![1 # 2], m![G / 64 # 256], m![G % 64]> = gates.to_dm(&mut ctx.tdma, 4);
    let gates: DmTensor<f32, m![1], m![1 # 2], m![G / 64 # 256], m![G % 64]> = ctx.main.begin(gates.view()).fetch::<f32, m![1], m![G % 64]>()
        .collect::<m![G / 8 % 8], m![G % 8]>().vector_init().vector_intra_slice_branch(Unconditional)
        .vector_clip(Largest, 0.0).vector_final().commit(4096);
    gates.to_hbm(&mut ctx.tdma, 1 << 28)
}
";
    for (name, imports) in [
        (
            "our_std",
            "use our_std::prelude::*;\nuse our_std::prelude::{BranchMode::*, ClipBinaryOpF32::Max as Largest};",
        ),
        (
            "our_std",
            "extern crate our_std as tcp;\nuse tcp::prelude::*;\nuse BranchMode::Unconditional;\nuse ClipBinaryOpF32::Max as Largest;",
        ),
        (
            "our_std",
            "mod all { pub use our_std::prelude::*; }\nuse all::*;\nuse BranchMode::*;\nuse ClipBinaryOpF32::{self as Op};\nuse Op::Max as Largest;",
        ),
    ] {
        let text = format!("{imports}\n{kernel}");
        let folder = folder_with(&[
            ("Cargo.toml", manifest.as_bytes()),
            ("src/lib.rs", text.as_bytes()),
        ]);
        let document = json(&run(
            folder.path(),
            &["--format", "json", "--deny", "vector_op_type"],
        ));
        assert_eq!(
            document["operations"]["unresolved"], 0,
            "{name} {imports}: {document}"
        );
        // The slip in the address is found, so the kernel was read.
        assert_eq!(
            rules_and_levels(&document),
            ["dma_alignment deny"],
            "{imports}: {document}"
        );
    }
}

/// A manifest that cannot be read decides nothing, and that is said: the crate's library is guessed then.
#[test]
fn a_manifest_that_is_broken_is_told() {
    let folder = folder_with(&[
        ("Cargo.toml", b"[package\nname = \"broken\"\n"),
        ("src/lib.rs", b"fn f() {}\n"),
    ]);
    for path in ["src/lib.rs", "."] {
        let output = run(folder.path(), &[path]);
        assert_code(&output, 0);
        let told = stderr(&output);
        assert_eq!(told.matches("Cargo.toml`").count(), 1, "{told}");
        assert!(told.starts_with("warning: cannot read `"), "{told}");
    }
}

/// What the newest known release refuses, a later one may take.
#[test]
fn what_a_release_refuses_is_a_warning_in_one_that_is_not_known() {
    let kernel = format!(
        "use furiosa_opt_std::prelude::*;\n{}",
        OPT.replace("    let pass", "    while true {}\n    let pass")
    );
    for (release, level, confirmed) in [("0.10", "deny", "compiler"), ("0.99", "warn", "")] {
        let manifest = manifest(&format!(
            "[dependencies]\nfuriosa-opt-std = \"{release}\"\n"
        ));
        let folder = folder_with(&[
            ("Cargo.toml", manifest.as_bytes()),
            ("src/lib.rs", kernel.as_bytes()),
        ]);
        let document = json(&run(folder.path(), &["--format", "json"]));
        let found = document["diagnostics"].as_array().unwrap();
        let mut found = found.iter().filter(|one| one["rule"] == "kernel_language");
        let one = found.next().unwrap();
        assert_eq!(one["level"], level, "{one}");
        assert_eq!(one["confirmed_by"].as_str().unwrap_or_default(), confirmed);
    }
}
