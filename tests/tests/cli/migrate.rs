//! `migrate --to RELEASE`: crates rewritten whole, what is left to hand, and wrong use.

use std::fs;

use super::*;

const KERNEL: &str = "#![feature(register_tool)]
#![register_tool(tcp)]
use furiosa_visa_std::prelude::*;

axes![S = 256, B = 32];

// Größe: eine Zeile.
#[allow(tcp::idle_cluster)]
#[device(chip = 1)]
fn copy(ctx: &mut Context, x: &HbmTensor<i8, m![1], m![S, B]>) -> HbmTensor<i8, m![1], m![S, B]> {
    let x: DmTensor<i8, m![1], m![1 # 2], m![S], m![B]> = x.to_dm(&mut ctx.tdma, 0);
    let y: DmTensor<i8, m![1], m![1 # 2], m![S], m![B]> = ctx
        .main
        .begin(x.view()) // in order
        .fetch::<i8, m![1], m![B]>()
        .collect::<m![1], m![B]>()
        .commit(0x20);
    y.to_hbm(&mut ctx.tdma, 1 << 28)
}
";
const MIGRATED: &str = "#![feature(register_tool)]
#![register_tool(furiosa_opt)]
use furiosa_opt_std::prelude::*;

axes![S = 256, B = 32];

// Größe: eine Zeile.
#[allow(furiosa_opt::idle_cluster)]
#[device(chip = 1)]
fn copy(ctx: &mut Device, x: &HbmTensor<i8, m![1], m![S, B]>) -> HbmTensor<i8, m![1], m![S, B]> {
    let x: DmTensor<i8, m![1], m![1 # 2], m![S], m![B]> = x.to_dm(&mut ctx.tdma);
    let y: DmTensor<i8, m![1], m![1 # 2], m![S], m![B]> = ctx
        .main
        .begin(x.view()) // in order
        .fetch::<m![1], m![B]>()
        .collect::<m![1], m![B]>()
        .commit_trim::<m![B]>()
        .commit();
    y.to_hbm(&mut ctx.tdma)
}
";
const MANIFEST: &str = "[package]
name = \"kernels\" # ours
version = \"0.1.0\"

[dependencies]
furiosa-visa-std = \"0.1\"
";

fn manifest(release: &str) -> String {
    MANIFEST.replace(
        "furiosa-visa-std = \"0.1\"",
        &format!("furiosa-opt-std = \"{release}\""),
    )
}

fn a_crate() -> TempDir {
    folder_with(&[
        ("Cargo.toml", MANIFEST.as_bytes()),
        ("src/lib.rs", KERNEL.as_bytes()),
    ])
}

fn text(folder: &TempDir, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).unwrap()
}

#[test]
fn a_crate_is_rewritten_with_its_manifest() {
    let folder = a_crate();
    let output = run(folder.path(), &["migrate", "--to", "0.10"]);
    assert_code(&output, 0);
    assert_eq!(stdout(&output), "");
    assert_eq!(
        stderr(&output),
        "2 files changed for release 0.10 (6 places), 0 left to do by hand\n"
    );
    assert_eq!(text(&folder, "src/lib.rs"), MIGRATED);
    assert_eq!(text(&folder, "Cargo.toml"), manifest("0.10"));
    let again = run(folder.path(), &["migrate", "--to", "0.10.0"]);
    assert_code(&again, 0);
    assert_eq!(
        stderr(&again),
        "nothing to change for release 0.10, 0 left to do by hand\n"
    );
    let check = run(folder.path(), &["check", "--deny", "other_release_api"]);
    assert_code(&check, 0);
}

#[test]
fn a_diff_writes_nothing() {
    let folder = a_crate();
    let output = run(folder.path(), &["migrate", "--to", "0.10", "--diff"]);
    assert_code(&output, 1);
    let diff = stdout(&output);
    for line in [
        "--- a/src/lib.rs",
        "-use furiosa_visa_std::prelude::*;",
        "+use furiosa_opt_std::prelude::*;",
        "+        .commit_trim::<m![B]>()",
        "--- a/Cargo.toml",
        "+furiosa-opt-std = \"0.10\"",
    ] {
        assert!(diff.lines().any(|own| own == line), "{line}\n{diff}");
    }
    assert_eq!(
        stderr(&output),
        "2 files would change for release 0.10 (6 places), 0 left to do by hand\n"
    );
    assert_eq!(text(&folder, "src/lib.rs"), KERNEL);
    assert_eq!(text(&folder, "Cargo.toml"), MANIFEST);
}

#[test]
fn what_is_left_is_listed_with_place_and_reason() {
    let gather = "use furiosa_opt_std::prelude::*;
axes![R = 256, K = 32, N = 16];
#[device(chip = 1)]
fn rows(ctx: &mut Context, table: &HbmTensor<i32, m![1], m![N, R, K]>, at: &HbmTensor<i32, m![1], m![R]>) {
    let rows: DmTensor<i32, m![1], m![1], m![R], m![K]> = table.dma_gather_scaled::<m![1], m![R], m![K], _>(at);
}
";
    let git = "[package]\nname = \"k\"\n[dependencies]\nfuriosa-opt-std = { git = \"https://example.org/opt\", version = \"0.6\" }\n";
    let folder = folder_with(&[
        ("Cargo.toml", git.as_bytes()),
        ("src/lib.rs", gather.as_bytes()),
    ]);
    let output = run(folder.path(), &["migrate", "--to", "0.9"]);
    assert_code(&output, 1);
    let answer = stdout(&output);
    let lines: Vec<&str> = answer.lines().collect();
    assert_eq!(lines.len(), 2, "{answer}");
    assert!(
        lines[0].starts_with("Cargo.toml:4:1: by hand: `furiosa-opt-std` is a `git` dependency"),
        "{answer}"
    );
    assert!(
        lines[1].starts_with("src/lib.rs:5:65: by hand: `dma_gather_scaled`"),
        "{answer}"
    );
    assert!(text(&folder, "src/lib.rs").contains("ctx: &mut Device"));
}

#[test]
fn wrong_use_is_said_and_changes_nothing() {
    let folder = a_crate();
    let failed = |folder: &TempDir, arguments: &[&str]| {
        let output = run(folder.path(), &[&["migrate"][..], arguments].concat());
        assert_code(&output, 2);
        assert_eq!(stdout(&output), "");
        stderr(&output)
    };
    for (release, said) in [
        ("0.99", "there is no such release of `furiosa_opt_std`"),
        ("new", "there is no such release"),
        ("", "there is no such release"),
        ("visa-std@0.1", "releases of `furiosa_opt_std` only"),
    ] {
        let words = failed(&folder, &["--to", release]);
        assert!(
            words.starts_with("error: ") && words.contains(said),
            "{words}"
        );
    }
    assert!(failed(&folder, &[]).contains("--to"));
    assert!(failed(&folder, &["--to", "0.8", "none.rs"]).contains("none.rs"));
    assert_eq!(text(&folder, "src/lib.rs"), KERNEL);

    let later = folder_with(&[
        ("Cargo.toml", manifest("0.10").as_bytes()),
        ("src/lib.rs", MIGRATED.as_bytes()),
    ]);
    let words = failed(&later, &["--to", "0.8"]);
    assert!(
        words.contains("`kernels` is written for release 0.10, which is later than 0.8"),
        "{words}"
    );
    assert_eq!(text(&later, "src/lib.rs"), MIGRATED);

    let broken = folder_with(&[
        ("Cargo.toml", &b"[dependencies\n"[..]),
        ("src/lib.rs", KERNEL.as_bytes()),
    ]);
    let words = failed(&broken, &["--to", "0.8"]);
    assert!(
        words.contains("cannot read `Cargo.toml`: line 1"),
        "{words}"
    );
    assert_eq!(text(&broken, "src/lib.rs"), KERNEL);

    let empty = folder_with(&[("README.md", &b"# Nothing\n"[..])]);
    assert!(failed(&empty, &["--to", "0.8"]).contains("no Rust file"));
}

#[test]
fn a_file_without_a_crate_and_standard_input_are_rewritten() {
    let folder = folder_with(&[("kernel.rs", KERNEL.as_bytes())]);
    let output = run(folder.path(), &["migrate", "--to", "0.10", "kernel.rs"]);
    assert_code(&output, 0);
    assert_eq!(text(&folder, "kernel.rs"), MIGRATED);
    let piped = run_with_input(
        folder.path(),
        &["migrate", "--to", "0.10", "-"],
        KERNEL.as_bytes(),
    );
    assert_code(&piped, 0);
    assert_eq!(stdout(&piped), MIGRATED);
}

/// A workspace's requirement is its own manifest's.
#[test]
fn an_inherited_requirement_is_changed_where_it_is() {
    let shared = "[workspace]\nmembers = [\"k\"]\n[workspace.dependencies]\nfuriosa-visa-std = { version = \"0.1\" }\n";
    let own = "[package]\nname = \"k\"\n[dependencies]\nfuriosa-visa-std.workspace = true\n";
    let folder = folder_with(&[
        ("Cargo.toml", shared.as_bytes()),
        ("k/Cargo.toml", own.as_bytes()),
        ("k/src/lib.rs", KERNEL.as_bytes()),
    ]);
    let output = run(folder.path(), &["migrate", "--to", "0.10", "k"]);
    assert_code(&output, 0);
    assert_eq!(
        text(&folder, "Cargo.toml"),
        shared.replace(
            "furiosa-visa-std = { version = \"0.1\" }",
            "furiosa-opt-std = { version = \"0.10\" }"
        )
    );
    assert_eq!(text(&folder, "k/Cargo.toml"), own.replace("visa", "opt"));
}
