//! Which release a crate is written for: the order of what decides, sentence by sentence, and what is said where nothing does.

use super::*;

/// A kernel that any release from 0.8 on has.
const KERNEL: &str = "axes![G = 2048];
#[device(chip = 1, pe = 8)]
fn keep(device: &mut Device, gates: &HbmTensor<i32, m![1], m![G]>) {}
";
/// The same as releases up to 0.7 have it.
const EARLY: &str = "axes![G = 2048];
#[device(chip = 1, pe = 8)]
fn keep(ctx: &mut Context, gates: &HbmTensor<i32, m![1], m![G]>) {}
";
const IMPORT: &str = "use furiosa_opt_std::prelude::*;\n";

/// A folder with some files.
fn folder_of(files: &[(&str, &str)]) -> TempDir {
    let files: Vec<_> = files
        .iter()
        .map(|(name, text)| (*name, text.as_bytes()))
        .collect();
    folder_with(&files)
}

/// What a report says of crates: crate, library, release, reason.
fn crates_of(document: &Value) -> Vec<[String; 4]> {
    let text = |value: &Value| value.as_str().unwrap_or("none").to_owned();
    let dialects = document["dialects"].as_array().unwrap();
    let members = ["crate", "dialect", "release", "because"];
    dialects
        .iter()
        .map(|known| members.map(|member| text(&known[member])))
        .collect()
}

/// What is said of the one crate of a folder: library and release, reason.
fn decided(files: &[(&str, &str)], options: &[&str]) -> (String, String) {
    let folder = folder_of(files);
    let options = [&["--format", "json"], options].concat();
    let crates = crates_of(&json(&run(folder.path(), &options)));
    let [[_, dialect, release, because]] = crates.as_slice() else {
        panic!("{crates:?}");
    };
    (
        with_newest(&format!("{dialect} {release}")),
        with_newest(because),
    )
}

fn manifest(dependencies: &str) -> String {
    format!("[package]\nname = \"attention\"\nversion = \"1.0.0\"\n{dependencies}")
}

/// A package of a lock file.
fn locked(name: &str, version: &str, dependencies: &str) -> String {
    format!("[[package]]\nname = \"{name}\"\nversion = \"{version}\"\n{dependencies}\n")
}

/// The places and messages of the findings of a rule.
fn found(document: &Value, rule: &str) -> Vec<String> {
    let diagnostics = document["diagnostics"].as_array().unwrap().iter();
    diagnostics
        .filter(|found| found["rule"] == rule)
        .map(|found| {
            let (file, message) = (&found["file"], &found["message"]);
            let line = &found["range"]["start"]["line"];
            format!(
                "{}:{line}: {}",
                file.as_str().unwrap(),
                message.as_str().unwrap()
            )
        })
        .collect()
}

/// Each source of the order goes before all that come after it.
#[test]
fn the_first_that_answers_wins() {
    let pinned = manifest("[dependencies]\nfuriosa-opt-std = \"0.6\"\n");
    let any = manifest("[dependencies]\nfuriosa-opt-std = \"*\"\n");
    let lock = locked("furiosa-opt-std", "0.6.4", "");
    let text = format!("{IMPORT}{EARLY}");
    let shapes = text.clone() + "fn shift(c: &mut Context, x: X) { x.dm_cluster_swap() }\n";
    let settings = "[library]\nversion = \"0.9\"\n";
    let all = [
        ("visa-lint.toml", settings),
        ("Cargo.lock", &lock),
        ("Cargo.toml", &pinned),
        ("src/lib.rs", &shapes),
    ];
    let of = |from: usize, options: &[&str]| decided(&all[from..], options).0;
    assert_eq!(of(0, &["--dialect", "opt-std@0.5"]), "opt-std 0.5");
    assert_eq!(of(0, &[]), "opt-std 0.9");
    assert_eq!(of(1, &[]), "opt-std 0.6.4");
    assert_eq!(of(2, &[]), "opt-std 0.6.0");
    assert_eq!(of(3, &[]), "opt-std 0.7");
    assert_eq!(
        decided(&[("Cargo.toml", &any), ("src/lib.rs", &shapes)], &[]),
        (
            "opt-std 0.7".to_owned(),
            "`Cargo.toml` depends on `furiosa-opt-std`; the requirement `*` names no release; 0.7 is the newest that has what \
             the sources use (`dm_cluster_swap` is of 0.7 alone)"
                .to_owned()
        )
    );
    let plain = format!("{IMPORT}axes![G = 2048];\n#[device]\nfn none() {{}}\n");
    assert_eq!(
        decided(&[("src/lib.rs", &plain), ("Cargo.toml", &any)], &[]),
        (
            "opt-std NEWEST".to_owned(),
            "`Cargo.toml` depends on `furiosa-opt-std`; the requirement `*` names no release; nothing says its release, and \
             NEWEST is the newest that is known"
                .to_owned()
        )
    );
}

/// The tests of a part of the library name no library, and are written for the current one: a constant in braces is a size there.
#[test]
fn a_crate_that_the_library_is_made_of_is_for_the_current_one() {
    let part = "[package]\nname = \"furiosa-mapping\"\nversion = \"0.10.0\"\n";
    let text = "use furiosa_mapping::*;\naxes![A = 8];\nconst N: usize = 64;\ntype Padded = m![A # { N }];\n";
    let files = [("Cargo.toml", part), ("src/lib.rs", text)];
    let (dialect, because) = decided(&files, &[]);
    assert_eq!(dialect, "opt-std NEWEST", "{because}");
    assert!(
        because.starts_with("`furiosa-mapping` is a part of `furiosa_opt_std`; "),
        "{because}"
    );
    let folder = folder_of(&files);
    let document = json(&run(folder.path(), &["--format", "json"]));
    assert_eq!(found(&document, "mapping_syntax"), [""; 0]);
    // Of a crate of another name nothing says so.
    let other = part.replace("furiosa-mapping", "mapping");
    let files = [("Cargo.toml", other.as_str()), ("src/lib.rs", text)];
    assert!(decided(&files, &[]).0.starts_with("visa-std"));
}

#[test]
fn manifests_name_the_library_in_many_ways() {
    let library = "[package]\nname = \"furiosa-opt-std\"\nversion = \"0.5.1\"\n";
    let shared = "[package]\nname = \"furiosa-opt-std\"\nversion.workspace = true\n[workspace.package]\nversion = \"0.4.0\"\n";
    for (dependencies, release, because) in [
        (
            "[build-dependencies]\nfuriosa-opt-std = \"0.6\"",
            "0.6.0",
            "the requirement `0.6` counts as 0.6.0",
        ),
        (
            "[target.'cfg(unix)'.dependencies]\nx = { package = \"furiosa-opt-std\", version = \">=0.6, <0.9\" }",
            "0.6.0",
            "`Cargo.toml` depends on `furiosa-opt-std` as `x`",
        ),
        // Of several the crate's own before those of its tests, one without another name first.
        (
            "[dev-dependencies]\nfuriosa-opt-std = \"0.9\"\n[target.'cfg(unix)'.dependencies]\nfuriosa-opt-std = \"0.7\"",
            "0.7.0",
            "`0.7`",
        ),
        (
            "[dependencies]\nearlier = { package = \"furiosa-opt-std\", version = \"0.6\" }\nfuriosa-opt-std = \"0.8\"",
            "0.8.0",
            "`0.8`",
        ),
        // A version beside a path or a revision counts, else the manifest at the path.
        (
            "[dependencies]\nfuriosa-opt-std = { path = \"std\", version = \"0.7\" }",
            "0.7.0",
            "`0.7`",
        ),
        (
            "[dependencies]\nfuriosa-opt-std = { path = \"std\" }",
            "0.5.1",
            "the manifest at its path says 0.5.1",
        ),
        (
            "[dependencies]\nfuriosa-opt-std = { path = \"shared\" }",
            "0.4.0",
            "the manifest at its path says 0.4.0",
        ),
        (
            "[dependencies]\nfuriosa-opt-std = { git = \"https://example.org/x\", rev = \"ab\", version = \"0.7\" }",
            "0.7.0",
            "`0.7`",
        ),
        (
            "[dependencies]\nfuriosa-opt-std = { git = \"https://example.org/x\", rev = \"ab\" }",
            "NEWEST",
            "its Git revision names no release; NEWEST is the newest that has what the sources use (`&mut Device` is of 0.8 and later)",
        ),
        (
            "[dependencies]\nfuriosa-opt-std = { path = \"nowhere\" }",
            "NEWEST",
            "the manifest at its path says no version; NEWEST is",
        ),
        (
            "[dependencies]\nfuriosa-opt-std = \"latest\"",
            "NEWEST",
            "the requirement `latest` is none; NEWEST is",
        ),
        (
            "[dependencies]\nfuriosa-opt-std.workspace = true",
            "NEWEST",
            "its workspace has no such dependency; NEWEST is",
        ),
        (
            "[dependencies]\nfuriosa-opt-std = {}",
            "NEWEST",
            "it names no version; NEWEST is",
        ),
        (
            "[dependencies]\nfuriosa-opt-std.workspace = true\n[workspace.dependencies]\nfuriosa-opt-std = { path = \"std\" }",
            "0.5.1",
            "`Cargo.toml` depends on `furiosa-opt-std` of its workspace; the manifest at its path",
        ),
    ] {
        let (dialect, why) = decided(
            &[
                ("Cargo.toml", &manifest(dependencies)),
                ("std/Cargo.toml", library),
                ("shared/Cargo.toml", shared),
                ("src/lib.rs", &format!("use super::*;\n{KERNEL}")),
            ],
            &[],
        );
        assert_eq!(
            dialect,
            format!("opt-std {release}"),
            "{dependencies}: {why}"
        );
        assert!(why.contains(because), "{dependencies}: {why}");
    }
}

/// The workspace's manifest is above the member's; each member has its own release.
#[test]
fn members_of_a_workspace_have_releases_of_their_own() {
    let member = |name: &str, dependency: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"1.0.0\"\n[dependencies]\n{dependency}\n")
    };
    let root = "[workspace]\nmembers = [\"*\"]\n[workspace.dependencies]\nstd8 = { package = \"furiosa-opt-std\", version = \"0.8\" }\n";
    let lock = [
        locked("furiosa-opt-std", "0.7.2", ""),
        locked("furiosa-opt-std", "0.8.1", ""),
        locked(
            "any",
            "1.0.0",
            "dependencies = [\n \"furiosa-opt-std 0.7.2\",\n]",
        ),
    ]
    .concat();
    let text = format!("use super::*;\n{KERNEL}");
    let stale = locked("furiosa-opt-std", "0.6.0", "") + &locked("any", "1.0.0", "");
    let folder = folder_of(&[
        ("Cargo.toml", root),
        ("Cargo.lock", &lock),
        ("any/Cargo.toml", &member("any", "furiosa-opt-std = \"*\"")),
        // From before it was a member.
        ("any/Cargo.lock", &stale),
        ("any/src/lib.rs", &text),
        (
            "book/Cargo.toml",
            &member("book", "furiosa-visa-std = \"0.1\""),
        ),
        ("book/src/lib.rs", &text),
        (
            "inherits/Cargo.toml",
            &member("inherits", "std8.workspace = true"),
        ),
        ("inherits/src/lib.rs", &text),
        (
            "older/Cargo.toml",
            &member("older", "furiosa-opt-std = \"=0.6.0\""),
        ),
        ("older/src/lib.rs", &text),
    ]);
    let crates = crates_of(&json(&run(folder.path(), &["--format", "json"])));
    let short: Vec<String> = crates
        .iter()
        .map(|[name, dialect, release, _]| format!("{name} {dialect} {release}"))
        .collect();
    assert_eq!(
        short,
        [
            "any opt-std 0.7.2",
            "book visa-std 0.1.0",
            "inherits opt-std 0.8.1",
            "older opt-std 0.6.0"
        ]
    );
}

/// A crate that only knows the library by another package that hands it on.
#[test]
fn re_exports_belong_to_the_library_behind_them() {
    let own = manifest("[dependencies]\nlayout = { path = \"layout\" }\n");
    let layout = "[package]\nname = \"layout\"\nversion = \"0.1.0\"\n[dependencies]\nfuriosa-opt-std = \"0.7\"\n";
    let files = [
        ("Cargo.toml", own.as_str()),
        ("layout/Cargo.toml", layout),
        (
            "layout/src/lib.rs",
            "pub use furiosa_opt_std::prelude::*;\n",
        ),
        ("src/lib.rs", &format!("use layout::*;\n{EARLY}")),
    ];
    let of_own = |files: &[(&str, &str)]| {
        let folder = folder_of(files);
        let document = json(&run(folder.path(), &["src", "--format", "json"]));
        crates_of(&document).remove(0)
    };
    let [_, dialect, release, because] = of_own(&files);
    assert_eq!((dialect.as_str(), release.as_str()), ("opt-std", "0.7.0"));
    assert_eq!(
        because,
        "`Cargo.toml` depends on `layout`, which depends on `furiosa-opt-std`; the requirement `0.7` counts as 0.7.0"
    );
    // The lock file knows packages that are not there.
    let lock = [
        locked(
            "attention",
            "1.0.0",
            "dependencies = [\n \"prelude-of-ours\",\n]",
        ),
        locked("furiosa-opt-std", "0.6.2", ""),
        locked(
            "prelude-of-ours",
            "2.0.0",
            "dependencies = [\n \"furiosa-opt-std\",\n]",
        ),
    ]
    .concat();
    let [_, dialect, release, because] = of_own(&[
        (
            "Cargo.toml",
            &manifest("[dependencies]\nprelude-of-ours = \"2\"\n"),
        ),
        ("Cargo.lock", &lock),
        ("src/lib.rs", &format!("use prelude_of_ours::*;\n{EARLY}")),
    ]);
    assert_eq!((dialect.as_str(), release.as_str()), ("opt-std", "0.6.2"));
    assert!(
        because.contains("depends on `prelude-of-ours`, which depends"),
        "{because}"
    );
}

#[test]
fn both_libraries_are_one_dialect_and_a_remark() {
    let both = manifest("[dependencies]\nfuriosa-opt-std = \"0.8\"\nfuriosa-visa-std = \"0.1\"\n");
    let book = "use furiosa_visa_std::prelude::*;\n";
    let files = [
        ("Cargo.toml", both.as_str()),
        ("src/lib.rs", "mod book;\nmod one;\nmod two;\n"),
        ("src/book.rs", book),
        ("src/one.rs", &format!("{IMPORT}{KERNEL}")),
        ("src/two.rs", &format!("{IMPORT}{KERNEL}")),
    ];
    let folder = folder_of(&files);
    let document = json(&run(folder.path(), &["--format", "json"]));
    assert_eq!(
        crates_of(&document),
        [[
            "attention",
            "opt-std",
            "0.8.0",
            "`Cargo.toml` depends on both libraries; `src/one.rs` imports it; the requirement `0.8` counts as 0.8.0"
        ]]
    );
    let files = &document["dialects"][0]["files"];
    let expected = ["src/book.rs", "src/lib.rs", "src/one.rs", "src/two.rs"];
    assert_eq!(*files, serde_json::json!(expected));
    assert_eq!(
        found(&document, "library_version_mismatch"),
        [
            "src/book.rs:1: `furiosa_visa_std` is imported, and the crate `attention` is read as for `furiosa_opt_std`"
        ]
    );
    // The root decides before the number of files.
    let rooted = [files_with_root(&both, book).as_slice()].concat();
    let rooted: Vec<_> = rooted
        .iter()
        .map(|(name, text)| (*name, text.as_str()))
        .collect();
    assert!(decided(&rooted, &[]).0.starts_with("visa-std"));
    // The user reads single files otherwise.
    let settings = "[[overrides]]\npaths = [\"src/book.rs\"]\ndialect = \"visa-std\"\n";
    std::fs::write(folder.path().join("visa-lint.toml"), settings).unwrap();
    let document = json(&run(folder.path(), &["--format", "json"]));
    assert_eq!(found(&document, "library_version_mismatch"), [""; 0]);
    let crates = crates_of(&document);
    assert_eq!(crates.len(), 2, "{crates:?}");
    assert_eq!(
        document["dialects"][0]["files"],
        serde_json::json!(["src/book.rs"])
    );
}

fn files_with_root(both: &str, book: &str) -> Vec<(&'static str, String)> {
    vec![
        ("Cargo.toml", both.to_owned()),
        ("src/lib.rs", format!("{book}mod one;\nmod two;\n")),
        ("src/one.rs", IMPORT.to_owned()),
        ("src/two.rs", IMPORT.to_owned()),
    ]
}

#[test]
fn files_without_a_manifest_have_an_answer() {
    // A file alone, with an import and without one.
    assert_eq!(
        decided(&[("k.rs", &format!("{IMPORT}{KERNEL}"))], &[]),
        (
            "opt-std NEWEST".to_owned(),
            "`k.rs` imports it; NEWEST is the newest that has what the sources use (`&mut Device` is of 0.8 and later)".to_owned()
        )
    );
    assert_eq!(
        decided(&[("k.rs", &format!("use super::*;\n{KERNEL}"))], &[]),
        (
            "opt-std NEWEST".to_owned(),
            "nothing names a library, and `&mut Device` in the sources is its; NEWEST is the newest that has what the sources \
             use (`&mut Device` is of 0.8 and later)"
                .to_owned()
        )
    );
    // What both libraries have says nothing; names of the book's library say that it is not the other one.
    let both = format!("use super::*;\n{EARLY}");
    let book = both.clone() + "fn f(c: &mut Context, mode: BranchMode, lanes: LaneMode) {}\n";
    for text in [both.as_str(), &book] {
        let (dialect, because) = decided(&[("k.rs", text)], &[]);
        assert_eq!(dialect, "visa-std none");
        assert_eq!(
            because,
            "nothing names a library, and this one is the book's"
        );
    }
    // A package whose root is missing, and one whose manifest names no library.
    let (dialect, because) = decided(
        &[
            ("Cargo.toml", &manifest("")),
            ("src/deep/k.rs", &format!("use crate::x::*;\n{KERNEL}")),
        ],
        &[],
    );
    assert!(dialect == "opt-std NEWEST" && because.starts_with("nothing names a library"));
    // `[library] version` says which library it is where nothing does.
    let settings = ("visa-lint.toml", "[library]\nversion = \"0.6\"\n");
    let (dialect, because) = decided(&[settings, ("k.rs", &both)], &[]);
    assert_eq!(dialect, "opt-std 0.6");
    assert_eq!(because, "nothing names a library; the settings choose 0.6");
    // It does not turn a crate for the book's library into one for another.
    let plain = format!("use furiosa_visa_std::prelude::*;\n{EARLY}");
    assert_eq!(
        decided(&[settings, ("k.rs", &plain)], &[]).0,
        "visa-std none"
    );
}

#[test]
fn standard_input_belongs_to_the_crate_that_it_is_named_in() {
    let pinned = manifest("[dependencies]\nfuriosa-opt-std = \"0.6\"\n");
    let folder = folder_of(&[("Cargo.toml", &pinned), ("src/lib.rs", "mod k;\n")]);
    let text = format!("use super::*;\n{EARLY}");
    let of = |options: &[&str]| {
        let options = [options, &["--format", "json"]].concat();
        let output = run_with_input(folder.path(), &options, text.as_bytes());
        crates_of(&json(&output)).remove(0)[..3].to_vec()
    };
    let named = of(&["-", "--stdin-filename", "src/k.rs"]);
    assert_eq!(named, ["attention", "opt-std", "0.6.0"]);
    assert_eq!(of(&["-"]), ["attention", "opt-std", "0.6.0"]);
    let chosen = of(&["-", "--dialect", "opt-std@0.7"]);
    assert_eq!(chosen, ["attention", "opt-std", "0.7"]);
}

/// A manifest that cannot be read is the crate's anyway: a package further up decides nothing for it.
#[test]
fn a_manifest_that_does_not_parse_is_no_reason_to_guess() {
    let outer = manifest("[dependencies]\nfuriosa-visa-std = \"0.1\"\n");
    let folder = folder_of(&[
        ("Cargo.toml", &outer),
        ("inner/Cargo.toml", "[package\nname = \"inner\"\n"),
        ("inner/src/lib.rs", &format!("{IMPORT}mod k;\n")),
        ("inner/src/k.rs", &format!("use super::*;\n{KERNEL}")),
    ]);
    let output = run(folder.path(), &["inner", "--format", "json"]);
    let crates = crates_of(&json(&output)).into_iter();
    let crates = crates.map(|told| told.map(|part| with_newest(&part)));
    assert_eq!(
        crates.collect::<Vec<_>>(),
        [[
            "inner",
            "opt-std",
            "NEWEST",
            "`Cargo.toml` cannot be read; `src/lib.rs` imports it; NEWEST is the newest that has what the sources use \
             (`&mut Device` is of 0.8 and later)"
        ]]
    );
    let told = stderr(&output);
    assert_eq!(told.matches("cannot read `").count(), 1, "{told}");
}

#[test]
fn a_lock_file_that_cargo_did_not_write_is_told() {
    let pinned = manifest("[dependencies]\nfuriosa-opt-std = \"0.8\"\n");
    let folder = folder_of(&[
        ("Cargo.toml", &pinned),
        ("Cargo.lock", "version = 4\n<<<<<<< HEAD\n"),
        ("src/lib.rs", KERNEL),
    ]);
    let output = run(folder.path(), &["--format", "json"]);
    assert_eq!(crates_of(&json(&output))[0][2], "0.8.0");
    let told = stderr(&output);
    assert!(
        told.starts_with("warning: cannot read `")
            && told.contains("Cargo.lock`: Cargo does not write line 2"),
        "{told}"
    );
}

/// A release that is not known yet is read as the newest one, and that is said once.
#[test]
fn a_newer_release_is_read_as_the_newest_that_is_known() {
    let newer = manifest("[dependencies]\nfuriosa-opt-std = \"0.99\"\n");
    let child = format!("use super::*;\n{KERNEL}");
    let folder = folder_of(&[
        ("Cargo.toml", &newer),
        ("src/lib.rs", &format!("{IMPORT}mod one;\nmod two;\n")),
        ("src/one.rs", &child),
        ("src/two.rs", &child),
    ]);
    let document = json(&run(folder.path(), &["--format", "json"]));
    let known = &document["dialects"][0];
    assert_eq!(known["release"], "0.99.0");
    assert_eq!(
        known["read_as"],
        visa_analysis::Library::OptStd.newest().to_string()
    );
    assert_eq!(
        known["because"],
        "`Cargo.toml` depends on `furiosa-opt-std`; the requirement `0.99` counts as 0.99.0"
    );
    let chosen = ["--format", "json", "--dialect", "opt-std@0.8"];
    let document = json(&run(folder.path(), &chosen));
    assert_eq!(document["dialects"][0].get("read_as"), None);
}

/// Where other releases have all that a crate uses and its own does not, the manifest is shown beside the place.
#[test]
fn a_mismatch_names_the_manifests_word() {
    let pinned = manifest("[dependencies]\nfuriosa-opt-std = \"0.8\"\n");
    let folder = folder_of(&[
        ("Cargo.toml", &pinned),
        ("src/lib.rs", &format!("{IMPORT}mod k;\n")),
        (
            "src/k.rs",
            &format!("use super::*;\n{EARLY}fn s(x: &DmTensor) {{ x.to_dm_pcopy(c) }}\n"),
        ),
    ]);
    let document = json(&run(folder.path(), &["--format", "json"]));
    assert_eq!(
        found(&document, "library_version_mismatch"),
        [
            "src/k.rs:4: `&mut Context` is of 0.2 to 0.7, and the crate `attention` is for release 0.8.0"
        ]
    );
    let diagnostics = document["diagnostics"].as_array().unwrap().iter();
    let mut mismatch = diagnostics.filter(|found| found["rule"] == "library_version_mismatch");
    let mismatch = mismatch.next().unwrap();
    assert_eq!(
        mismatch["notes"][1],
        "releases 0.2 to 0.6 have all that the crate uses"
    );
    let related = mismatch["related"].as_array().unwrap();
    assert_eq!(related[0]["message"], "`to_dm_pcopy` is of 0.2 to 0.6");
    assert_eq!(related[1]["file"], "Cargo.toml");
    assert_eq!(related[1]["range"]["start"]["line"], 5);
    assert_eq!(related[1]["range"]["start"]["column"], 1);
    assert_eq!(related[1]["range"]["end"]["column"], 24);
    // One method of another release among those of the crate's own is no other release.
    let single = format!("use super::*;\n{KERNEL}fn s(x: &DmTensor) {{ x.to_dm_pcopy(c) }}\n");
    std::fs::write(folder.path().join("src/k.rs"), single).unwrap();
    let document = json(&run(folder.path(), &["--format", "json"]));
    assert_eq!(found(&document, "library_version_mismatch"), [""; 0]);
}

/// People get a line a crate, none for the book's library, and none with `--quiet`.
#[test]
fn people_are_told_once_a_crate() {
    let pinned = manifest("[dependencies]\nfuriosa-opt-std = \"0.8\"\n");
    let folder = folder_of(&[
        ("Cargo.toml", &pinned),
        ("src/lib.rs", &format!("{IMPORT}mod k;\n")),
        ("src/k.rs", &format!("use super::*;\n{KERNEL}")),
    ]);
    let human = stdout(&run(folder.path(), &[]));
    let words: Vec<&str> = human.split_whitespace().collect();
    let line = "attention: opt-std 0.8.0 (`Cargo.toml` depends on `furiosa-opt-std`; the requirement `0.8` counts as 0.8.0) 1 kernel";
    assert_eq!(words.join(" ").matches(line).count(), 1, "{human}");
    assert_eq!(human.matches("opt-std 0.8").count(), 1, "{human}");
    let quiet = stdout(&run(folder.path(), &["--quiet"]));
    assert!(!quiet.contains("opt-std"), "{quiet}");
    let book = folder_of(&[(
        "k.rs",
        &format!("use furiosa_visa_std::prelude::*;\n{EARLY}"),
    )]);
    assert!(!stdout(&run(book.path(), &[])).contains("visa-std"));
}

#[test]
fn settings_choose_releases() {
    let text = format!("{IMPORT}{KERNEL}");
    let folder_with_settings = |settings: &str| {
        folder_of(&[
            ("visa-lint.toml", settings),
            ("a.rs", &text),
            ("old/b.rs", &text),
        ])
    };
    let releases = |settings: &str, options: &[&str]| -> Vec<String> {
        let folder = folder_with_settings(settings);
        let document = json(&run(
            folder.path(),
            &[&["--format", "json"], options].concat(),
        ));
        let crates = crates_of(&document);
        crates
            .into_iter()
            .map(|[name, _, release, _]| format!("{name} {release}"))
            .collect()
    };
    let overridden = "dialect = \"opt-std@0.8\"\n[[overrides]]\npaths = [\"old\"]\nlibrary = { version = \"0.9.0\" }\n";
    assert_eq!(releases(overridden, &[]), ["a.rs 0.8", "old/b.rs 0.9"]);
    let both =
        "library.version = \"0.8\"\n[[overrides]]\npaths = [\"old\"]\ndialect = \"opt-std@0.10\"\n";
    assert_eq!(releases(both, &[]), ["a.rs 0.8", "old/b.rs 0.10"]);
    // The command line goes first; a library without a release leaves the file's.
    assert_eq!(
        releases(both, &["--dialect", "opt-std@0.7"]),
        ["a.rs 0.7", "old/b.rs 0.7"]
    );
    assert_eq!(
        releases(both, &["--dialect", "opt-std"]),
        ["a.rs 0.8", "old/b.rs 0.10"]
    );
    assert_eq!(
        releases(both, &["--dialect", "visa-std"]),
        ["a.rs none", "old/b.rs none"]
    );
    let folder = folder_with_settings(both);
    let shown = stdout(&run(folder.path(), &["--show-settings"]));
    for line in [
        "dialect = \"auto\"  # default\nlibrary.version = \"0.8\"  # visa-lint.toml:1\n",
        "dialect = \"opt-std@0.10\"  # visa-lint.toml:4\n",
    ] {
        assert!(shown.contains(line), "{shown}");
    }
}

#[test]
fn releases_that_are_none_are_refused_with_their_place() {
    let folder = folder_of(&[("a.rs", "fn f() {}\n")]);
    for (value, words) in [
        ("opt", "invalid value 'opt' for '--dialect <DIALECT>'"),
        ("opt-sdt", "a similar value exists: 'opt-std'"),
        (
            "opt-std@8",
            "`8` is not a release; one is written as `0.8` or `0.8.1`",
        ),
        (
            "opt-std@0.1",
            "`furiosa_opt_std` has no release 0.1, its oldest is 0.2",
        ),
        (
            "visa-std@0.8",
            "`furiosa_visa_std` has no release 0.8, only 0.1",
        ),
    ] {
        let output = run(folder.path(), &["--dialect", value]);
        assert_code(&output, 2);
        let told = stderr(&output);
        assert!(told.contains(words), "{value}: {told}");
    }
    for (settings, words) in [
        (
            "dialect = \"opt-sdt\"\n",
            "visa-lint.toml:1:11: this has to be one of `auto`, `visa-std`, `opt-std`, and is `opt-sdt`",
        ),
        (
            "dialect = \"opt-std@x\"\n",
            "visa-lint.toml:1:11: `x` is not a release; one is written as `0.8` or `0.8.1`",
        ),
        (
            "[library]\nversion = \">=0.8\"\n",
            "visa-lint.toml:2:11: `>=0.8` is not a release",
        ),
        (
            "[library]\nrelease = \"0.8\"\n",
            "visa-lint.toml:2:1: there is no setting `release` here; there are `version`",
        ),
        (
            "dialect = \"visa-std\"\nlibrary.version = \"0.8\"\n",
            "visa-lint.toml:2:19: `dialect` chooses `furiosa_visa_std`, which has no release 0.8",
        ),
        (
            "dialect = \"opt-std@0.7\"\nlibrary.version = \"0.8\"\n",
            "visa-lint.toml:2:19: `dialect` chooses release 0.7, and this is 0.8",
        ),
    ] {
        let folder = folder_of(&[("a.rs", "fn f() {}\n"), ("visa-lint.toml", settings)]);
        let output = run(folder.path(), &[]);
        assert_code(&output, 2);
        let told = stderr(&output);
        assert!(told.contains(words), "{settings}: {told}");
    }
}

/// A lock file of 100,000 lines decides for all crates of a workspace. That it is read once for all is a test of `locks`.
#[test]
fn long_lock_files_decide_for_all_crates() {
    const MEMBERS: usize = 40;
    let mut files = vec![(
        "Cargo.toml".to_owned(),
        "[workspace]\nmembers = [\"*\"]\n".to_owned(),
    )];
    let mut lock = locked("furiosa-opt-std", "0.8.1", "");
    for number in 0..=100_000 / 7 {
        let other = format!("dependencies = [\n \"p{}\",\n]\nsource = \"x\"", number + 1);
        lock.push_str(&locked(&format!("p{number}"), "1.0.0", &other));
    }
    assert!(lock.lines().count() >= 100_000);
    files.push(("Cargo.lock".to_owned(), lock));
    for number in 0..MEMBERS {
        let text =
            format!("[package]\nname = \"m{number}\"\n[dependencies]\nfuriosa-opt-std = \"0.8\"\n");
        files.push((format!("m{number}/Cargo.toml"), text));
        files.push((format!("m{number}/src/lib.rs"), KERNEL.to_owned()));
    }
    let files: Vec<_> = files
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    let folder = folder_of(&files);
    let document = json(&run(folder.path(), &["--format", "json"]));
    let crates = crates_of(&document);
    assert_eq!(crates.len(), MEMBERS);
    assert!(crates.iter().all(|known| known[2] == "0.8.1"), "{crates:?}");
}

/// Blocks of a text are crates of their own, in their package's release or else in one of their own.
#[test]
fn blocks_of_a_text_are_decided_one_by_one() {
    let block = |text: &str| format!("```rust\n{text}```\n");
    let text = block(&format!("{IMPORT}{EARLY}")) + &block(&format!("{IMPORT}{KERNEL}"));
    let folder = folder_of(&[("a.md", &text)]);
    let releases = |folder: &TempDir| {
        let document = json(&run(folder.path(), &["a.md", "--format", "json"]));
        let crates = crates_of(&document).into_iter();
        let short = crates.map(|[name, _, release, because]| {
            assert!(because.is_ascii() && !because.contains('\0'), "{because}");
            with_newest(&format!("{name} {release}"))
        });
        short.collect::<Vec<_>>()
    };
    assert_eq!(releases(&folder), ["a.md 0.7", "a.md NEWEST"]);
    let pinned = manifest("[dependencies]\nfuriosa-opt-std = \"0.6\"\n");
    std::fs::write(folder.path().join("Cargo.toml"), pinned).unwrap();
    assert_eq!(releases(&folder), ["attention 0.6.0"]);
}
