//! Folders, settings files and the client's settings.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use tower_lsp::ls_types::notification::ShowMessage;
use tower_lsp::ls_types::request::{RegisterCapability, WorkspaceConfiguration};
use tower_lsp::ls_types::{Diagnostic, DiagnosticSeverity, MessageType, Position};

use super::diagnostics::{BROKEN, published, pull, pull_workspace, rules};
use super::support::{Client, Setup, untitled, uri_of};
use super::texts::{Text, both};

/// Files of a folder, by their names.
struct Folder {
    folder: tempfile::TempDir,
}

impl Folder {
    fn with(files: &[(&str, &str)]) -> Self {
        let folder = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        for (name, text) in files {
            folder.write(name, text);
        }
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

/// The names of files with findings, and their rules.
fn found(client: &mut Client) -> Vec<(String, Vec<String>)> {
    let pulled = pull_workspace(client, &[]);
    let found = pulled.into_iter().map(|(uri, diagnostics, _)| {
        let diagnostics = diagnostics.unwrap();
        let rules = rules(&diagnostics).into_iter().map(str::to_owned);
        (uri.rsplit('/').next().unwrap().to_owned(), rules.collect())
    });
    found.collect()
}

/// The names of files with findings.
fn names(client: &mut Client) -> Vec<String> {
    found(client).into_iter().map(|(name, _)| name).collect()
}

/// Tells the server that files changed.
fn changed(client: &mut Client, paths: &[PathBuf]) {
    let changes: Vec<Value> = paths
        .iter()
        // What happened is looked up on the disk.
        .map(|path| json!({ "uri": uri_of(path), "type": 2 }))
        .collect();
    client.notify_raw(
        "workspace/didChangeWatchedFiles",
        json!({ "changes": changes }),
    );
}

/// Waits until the server says something else than before.
fn eventually<T: PartialEq + std::fmt::Debug>(
    client: &mut Client,
    expected: &T,
    ask: impl Fn(&mut Client) -> T,
) {
    let end = std::time::Instant::now() + super::support::PATIENCE;
    loop {
        let answer = ask(client);
        if answer == *expected {
            return;
        }
        assert!(std::time::Instant::now() < end, "{answer:?}");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[test]
fn what_is_checked_is_what_the_command_line_checks() {
    let folder = Folder::with(&[
        (".gitignore", "ignored.rs\n"),
        ("visa-lint.toml", "exclude = [\"left/\"]\n"),
        ("a.rs", BROKEN),
        ("ignored.rs", BROKEN),
        ("left/out.rs", BROKEN),
        ("deep/er/b.rs", BROKEN),
        ("c.txt", BROKEN),
    ]);
    let mut client = Setup::utf16().folder(folder.folder.path()).in_process();
    assert_eq!(names(&mut client), ["a.rs", "b.rs"]);
    // What is opened and hidden from a search is checked, what the settings leave out is not.
    let [ignored, left] = ["ignored.rs", "left/out.rs"].map(|name| uri_of(&folder.path(name)));
    client.open(&ignored, BROKEN);
    client.open(&left, BROKEN);
    assert_eq!(pull(&mut client, &ignored).len(), 2);
    assert_eq!(pull(&mut client, &left), []);
    client.finish();
}

#[test]
fn several_folders_are_one_workspace() {
    let one = Folder::with(&[
        ("Cargo.toml", "[package]\nname = \"one\"\n"),
        ("src/lib.rs", "pub use two::A;\n"),
        ("src/part.rs", BROKEN),
    ]);
    let two = Folder::with(&[("lib.rs", BROKEN)]);
    let mut client = Setup::utf16().folder(one.folder.path()).in_process();
    assert_eq!(names(&mut client), ["part.rs"]);
    let folders = |folder: &Folder| json!([{ "uri": uri_of(folder.folder.path()), "name": "x" }]);
    let change = json!({ "event": { "added": folders(&two), "removed": [] } });
    client.notify_raw("workspace/didChangeWorkspaceFolders", change);
    let both = ["lib.rs".to_owned(), "part.rs".to_owned()];
    eventually(&mut client, &both.to_vec(), |client| {
        let mut names = names(client);
        names.sort();
        names
    });
    let change = json!({ "event": { "added": [], "removed": folders(&one) } });
    client.notify_raw("workspace/didChangeWorkspaceFolders", change);
    eventually(&mut client, &vec!["lib.rs".to_owned()], names);
    client.finish();
}

#[test]
fn an_unknown_release_is_said_once_a_crate_and_taken_back_with_the_manifest() {
    let manifest =
        |library: &str| format!("[package]\nname = \"k\"\n[dependencies]\n{library} = \"0.99\"\n");
    let kernel = "use super::*;
axes![G = 2048];
#[device(chip = 1)]
fn load(ctx: &mut Context, gates: &HbmTensor<i32, m![1], m![G]>) {
    let gates = gates.to_dm::<m![1 # 2], m![G / 8], m![G % 8]>(&mut ctx.tdma, 4);
}
";
    let folder = Folder::with(&[
        ("Cargo.toml", &manifest("furiosa-opt-std")),
        ("src/lib.rs", "mod one;\nmod two;\n"),
        ("src/one.rs", kernel),
        ("src/two.rs", kernel),
    ]);
    let mut client = Setup::utf16().folder(folder.folder.path()).in_process();
    let said = |name: &str, rule: &str| (name.to_owned(), vec![rule.to_owned()]);
    assert_eq!(
        found(&mut client),
        [
            (
                "one.rs".to_owned(),
                vec![
                    "dialect_unsupported".to_owned(),
                    "library_version_mismatch".to_owned()
                ]
            ),
            said("two.rs", "library_version_mismatch")
        ],
        "the release once for both modules"
    );
    folder.write("Cargo.toml", &manifest("furiosa-visa-std"));
    changed(&mut client, &[folder.path("Cargo.toml")]);
    let read = ["one.rs", "two.rs"].map(|name| said(name, "dma_alignment"));
    eventually(&mut client, &read.to_vec(), |client| {
        let mut found = found(client);
        found.sort();
        found
    });
    client.finish();
}

/// What the status item shows: the library and the release of a document, also after the manifest names another one.
#[test]
fn a_document_has_the_library_and_the_release_of_its_crate() {
    let manifest = |version: &str| {
        format!("[package]\nname = \"k\"\n[dependencies]\nfuriosa-opt-std = \"{version}\"\n")
    };
    let kernel = "use super::*;
axes![G = 8];
#[device(chip = 1)]
fn keep(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![G]>) {}
";
    let folder = Folder::with(&[
        ("Cargo.toml", &manifest("0.6")),
        ("src/lib.rs", "mod one;\n"),
        ("src/one.rs", kernel),
    ]);
    let ask = |client: &mut Client| {
        let uri = uri_of(&folder.path("src/one.rs"));
        client.request_raw("visa/dialect", json!({ "uri": uri }))
    };
    let mut client = Setup::utf16().folder(folder.folder.path()).in_process();
    let uri = uri_of(&folder.path("src/one.rs"));
    client.open(&uri, kernel);
    assert_eq!(pull(&mut client, &uri), []);
    let expected = json!({
        "version": 1, "crate": "k", "dialect": "opt-std", "release": "0.6.0", "read_as": null,
        "because": "`Cargo.toml` depends on `furiosa-opt-std`; the requirement `0.6` counts as 0.6.0",
    });
    assert_eq!(ask(&mut client), expected);
    // The kernel is not written for the new one, and the manifest's line is beside the finding.
    folder.write("Cargo.toml", &manifest("0.8"));
    changed(&mut client, &[folder.path("Cargo.toml")]);
    eventually(&mut client, &json!("0.8.0"), |client| {
        ask(client)["release"].clone()
    });
    let found = pull(&mut client, &uri);
    assert_eq!(found.len(), 1, "{found:?}");
    let related = found[0].related_information.clone().unwrap();
    let place = &related[0].location;
    assert_eq!(place.uri, uri_of(&folder.path("Cargo.toml")));
    assert_eq!(place.range.start, Position::new(3, 0));
    assert_eq!(place.range.end, Position::new(3, 23));
    let unknown = json!({ "uri": uri_of(&folder.path("src/none.rs")) });
    assert_eq!(client.request_raw("visa/dialect", unknown), Value::Null);
    client.finish();
    let chosen = json!({ "dialect": "opt-std@0.7" });
    let setup = Setup::utf16().with("/initializationOptions", chosen);
    let mut client = setup.folder(folder.folder.path()).in_process();
    eventually(&mut client, &json!("0.7"), |client| {
        ask(client)["release"].clone()
    });
    client.finish();
}

#[test]
fn a_file_outside_of_all_folders_is_checked_with_its_neighbours() {
    let inside = Folder::with(&[("a.rs", "axes![A = 8];\n")]);
    let outside = Folder::with(&[
        (
            "axes.rs",
            "use furiosa_visa_std::prelude::*;\naxes![A = 10];\n",
        ),
        ("other.rs", BROKEN),
    ]);
    let text =
        "mod axes;\nuse axes::A;\nuse furiosa_visa_std::prelude::*;\ntype Part = m![A / 4];\n";
    outside.write("lib.rs", text);
    let mut client = Setup::utf16().folder(inside.folder.path()).in_process();
    let uri = uri_of(&outside.path("lib.rs"));
    client.open(&uri, text);
    assert_eq!(rules(&pull(&mut client, &uri)), ["stride_indivisible"]);
    // Its neighbours only give names.
    assert_eq!(names(&mut client), ["lib.rs"]);
    client.close(&uri);
    eventually(&mut client, &Vec::<String>::new(), names);
    client.finish();
}

#[test]
fn files_that_change_on_disk_are_read_again() {
    let folder = Folder::with(&[("a.rs", BROKEN), ("b.rs", "axes![A = 8];\n")]);
    let mut client = Setup::utf16().folder(folder.folder.path()).in_process();
    assert_eq!(names(&mut client), ["a.rs"]);
    folder.write("b.rs", BROKEN);
    changed(&mut client, &[folder.path("b.rs")]);
    eventually(
        &mut client,
        &vec!["a.rs".to_owned(), "b.rs".to_owned()],
        names,
    );
    folder.write("new/c.rs", BROKEN);
    std::fs::remove_file(folder.path("a.rs")).unwrap();
    changed(&mut client, &[folder.path("new/c.rs"), folder.path("a.rs")]);
    eventually(
        &mut client,
        &vec!["b.rs".to_owned(), "c.rs".to_owned()],
        names,
    );
    // The text of an open document is the client's, whatever happens on the disk.
    let uri = uri_of(&folder.path("b.rs"));
    client.open(&uri, "axes![A = 0];\n");
    folder.write("b.rs", "axes![A = 8];\n");
    changed(&mut client, &[folder.path("b.rs")]);
    folder.write("new/c.rs", "axes![A = 8];\n");
    changed(&mut client, &[folder.path("new/c.rs")]);
    eventually(&mut client, &vec!["b.rs".to_owned()], names);
    assert_eq!(rules(&pull(&mut client, &uri)), ["axis_size_zero"]);
    std::fs::remove_file(folder.path("b.rs")).unwrap();
    changed(&mut client, &[folder.path("b.rs")]);
    assert_eq!(rules(&pull(&mut client, &uri)), ["axis_size_zero"]);
    client.close(&uri);
    eventually(&mut client, &Vec::<String>::new(), names);
    client.finish();
}

#[test]
fn the_client_is_asked_to_watch_and_to_pull_again() {
    let folder = Folder::with(&[("a.rs", BROKEN)]);
    let client = Setup::utf16()
        .with(
            "/capabilities/workspace/didChangeWatchedFiles/dynamicRegistration",
            json!(true),
        )
        .with(
            "/capabilities/workspace/diagnostics/refreshSupport",
            json!(true),
        )
        .with(
            "/capabilities/workspace/inlayHint/refreshSupport",
            json!(true),
        );
    let mut client = client.folder(folder.folder.path()).in_process();
    let (id, registered) = client.server_request::<RegisterCapability>();
    client.answer(&id, &Value::Null);
    let options = registered.registrations[0]
        .register_options
        .as_ref()
        .unwrap();
    let patterns: Vec<&str> = options["watchers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|watcher| watcher["globPattern"].as_str().unwrap())
        .collect();
    assert_eq!(
        patterns,
        [
            "**/*.rs",
            "**/*.pto",
            "**/*.mlir",
            "**/*.py",
            "**/Cargo.toml",
            "**/Cargo.lock",
            "**/visa-lint.toml",
            "**/.gitignore"
        ]
    );
    let refreshed = |client: &mut Client| {
        for method in [
            "workspace/diagnostic/refresh",
            "workspace/inlayHint/refresh",
        ] {
            let id = client.next_of(method)["id"].clone();
            client.answer(&id, &Value::Null);
        }
    };
    refreshed(&mut client);
    // What is not there and was not concerns nobody.
    changed(&mut client, &[folder.path("target/never.rs")]);
    let again = client.comes_within("workspace/diagnostic/refresh", Duration::from_millis(300));
    assert!(!again);
    for _ in 0..2 {
        folder.write("a.rs", "axes![A = 8];\n");
        changed(&mut client, &[folder.path("a.rs")]);
        refreshed(&mut client);
    }
    assert_eq!(names(&mut client), [""; 0]);
    client.finish();
}

/// The level of the first finding of a text with the client's settings.
fn severity(client: &mut Client) -> Option<DiagnosticSeverity> {
    let uri = untitled("level.rs");
    pull(client, &uri).first().and_then(|first| first.severity)
}

#[test]
fn settings_come_with_initialize() {
    let setup = Setup::utf16().with(
        "/initializationOptions",
        json!({ "levels": { "unused_suppression": "deny", "mapping": "allow" } }),
    );
    let mut client = setup.in_process();
    let uri = untitled("level.rs");
    client.open(&uri, BROKEN);
    let diagnostics = pull(&mut client, &uri);
    assert_eq!(rules(&diagnostics), ["unused_suppression"]);
    assert_eq!(diagnostics[0].severity, Some(DiagnosticSeverity::ERROR));
    client.finish();
}

#[test]
fn settings_are_pulled_where_the_client_answers() {
    let setup = Setup::utf16().with("/capabilities/workspace/configuration", json!(true));
    let mut client = setup.in_process();
    let uri = untitled("level.rs");
    client.open(&uri, "axes![A = 8]; // visa-lint: allow(axis_size_zero)\n");
    for (level, expected) in [
        ("deny", Some(DiagnosticSeverity::ERROR)),
        ("warn", Some(DiagnosticSeverity::WARNING)),
        ("allow", None),
    ] {
        let (id, asked) = client.server_request::<WorkspaceConfiguration>();
        assert_eq!(asked.items[0].section.as_deref(), Some("visa"));
        let settings = json!({ "levels": { "unused_suppression": level }, "target": null });
        client.answer(&id, &json!([settings]));
        eventually(&mut client, &expected, severity);
        client.notify_raw(
            "workspace/didChangeConfiguration",
            json!({ "settings": null }),
        );
    }
    let (id, _) = client.server_request::<WorkspaceConfiguration>();
    client.answer(&id, &json!([null]));
    client.finish();
}

#[test]
fn settings_are_taken_from_the_notification_of_other_clients() {
    let mut client = Setup::utf16().in_process();
    let uri = untitled("level.rs");
    client.open(&uri, "axes![A = 8]; // visa-lint: allow(axis_size_zero)\n");
    assert_eq!(severity(&mut client), Some(DiagnosticSeverity::WARNING));
    let settings = json!({ "visa": { "levels": { "warnings": "deny" } } });
    client.notify_raw(
        "workspace/didChangeConfiguration",
        json!({ "settings": settings }),
    );
    eventually(&mut client, &Some(DiagnosticSeverity::ERROR), severity);
    // Neither the settings of another server nor none at all are ours.
    for others in [json!(null), json!({}), json!({ "rust-analyzer": {} })] {
        let others = json!({ "settings": others });
        client.notify_raw("workspace/didChangeConfiguration", others);
    }
    assert_eq!(severity(&mut client), Some(DiagnosticSeverity::ERROR));
    let settings = json!({ "visa": { "diagnostics": { "enable": false } } });
    client.notify_raw(
        "workspace/didChangeConfiguration",
        json!({ "settings": settings }),
    );
    eventually(&mut client, &None, severity);
    client.finish();
}

#[test]
fn settings_that_cannot_be_used_are_named_and_the_rest_holds() {
    let setup = Setup::utf16().with(
        "/initializationOptions",
        json!({ "levels": { "unused_suppression": "deny" }, "target": "rngdx", "dialekt": "auto" }),
    );
    let mut client = setup.in_process();
    let told: Vec<String> = (0..2)
        .map(|_| {
            let told = client.notification::<ShowMessage>();
            assert_eq!(told.typ, MessageType::WARNING);
            told.message
        })
        .collect();
    let mut told: Vec<&str> = told.iter().map(String::as_str).collect();
    told.sort_unstable();
    assert_eq!(
        told,
        [
            "`visa.target` has to be one of `rngd`, `rngd-s`, and is `\"rngdx\"`",
            "there is no setting `visa.dialekt`; did you mean `visa.dialect`?",
        ]
    );
    let uri = untitled("level.rs");
    client.open(&uri, "axes![A = 8]; // visa-lint: allow(axis_size_zero)\n");
    assert_eq!(severity(&mut client), Some(DiagnosticSeverity::ERROR));
    client.finish();
}

#[test]
fn the_clients_levels_win_over_the_file() {
    let folder = Folder::with(&[
        (
            "visa-lint.toml",
            "[levels]\nmapping = \"warn\"\nunused_suppression = \"deny\"\n",
        ),
        ("a.rs", BROKEN),
    ]);
    let uri = uri_of(&folder.path("a.rs"));
    let severities = |diagnostics: &[Diagnostic]| {
        let severities = diagnostics.iter().map(|found| found.severity.unwrap());
        severities.collect::<Vec<_>>()
    };
    let mut client = Setup::utf16().folder(folder.folder.path()).in_process();
    let diagnostics = pull(&mut client, &uri);
    assert_eq!(
        severities(&diagnostics),
        [DiagnosticSeverity::WARNING, DiagnosticSeverity::ERROR]
    );
    client.finish();
    let setup = Setup::utf16().with(
        "/initializationOptions",
        json!({ "visa": { "levels": { "axis_size_zero": "allow" } } }),
    );
    let mut client = setup.folder(folder.folder.path()).in_process();
    let diagnostics = pull(&mut client, &uri);
    assert_eq!(rules(&diagnostics), ["unused_suppression"]);
    assert_eq!(severities(&diagnostics), [DiagnosticSeverity::ERROR]);
    client.finish();
}

#[test]
fn a_settings_file_that_is_wrong_says_so_and_the_last_one_holds() {
    let folder = Folder::with(&[
        ("visa-lint.toml", "[levels]\nmapping = \"allow\"\n"),
        ("a.rs", BROKEN),
    ]);
    let mut client = Setup::utf16().folder(folder.folder.path()).in_process();
    let settings = folder.path("visa-lint.toml");
    let quiet = vec![("a.rs".to_owned(), vec!["unused_suppression".to_owned()])];
    assert_eq!(found(&mut client), quiet);
    folder.write("visa-lint.toml", "[levels]\nmapping = \"allowed\"\n");
    changed(&mut client, std::slice::from_ref(&settings));
    let told = client.notification::<ShowMessage>();
    assert_eq!(told.typ, MessageType::ERROR);
    assert!(
        told.message.starts_with("visa-lint.toml:2:11: "),
        "{}",
        told.message
    );
    let wrong = ("visa-lint.toml".to_owned(), vec![String::new()]);
    eventually(&mut client, &vec![quiet[0].clone(), wrong], found);
    let diagnostics = pull(&mut client, &uri_of(&settings));
    assert_eq!(diagnostics[0].range.start.line, 1);
    assert_eq!(diagnostics[0].range.start.character, 10);
    folder.write("visa-lint.toml", "[levels]\nmapping = \"warn\"\n");
    changed(&mut client, &[settings]);
    let both = ["axis_size_zero", "unused_suppression"].map(str::to_owned);
    eventually(
        &mut client,
        &vec![("a.rs".to_owned(), both.to_vec())],
        found,
    );
    client.finish();
}

#[test]
fn a_client_that_does_not_pull_is_told_of_a_wrong_settings_file() {
    let folder = Folder::with(&[("visa-lint.toml", "targt = \"rngd\"\n"), ("a.rs", BROKEN)]);
    let setup = Setup::utf16().pushed().folder(folder.folder.path());
    let mut client = setup.in_process();
    assert!(
        client
            .notification::<ShowMessage>()
            .message
            .contains("targt")
    );
    let told = published(&mut client, &uri_of(&folder.path("a.rs")));
    assert_eq!(told.diagnostics.len(), 2);
    let settings = folder.path("visa-lint.toml");
    let told = published(&mut client, &uri_of(&settings));
    assert_eq!(told.diagnostics[0].range.start.line, 0);
    std::fs::remove_file(&settings).unwrap();
    changed(&mut client, std::slice::from_ref(&settings));
    let told = published(&mut client, &uri_of(&settings));
    assert_eq!(told.diagnostics, []);
    client.finish();
}

#[test]
fn another_settings_file_and_only_the_open_files() {
    let folder = Folder::with(&[
        ("ci/strict.toml", "[levels]\nwarnings = \"deny\"\n"),
        ("visa-lint.toml", "[levels]\nwarnings = \"allow\"\n"),
        ("a.rs", BROKEN),
        ("b.rs", BROKEN),
    ]);
    let settings = json!({
        "configPath": "ci/strict.toml",
        "diagnostics": { "scope": "openFiles" },
    });
    let setup = Setup::utf16().with("/initializationOptions", settings);
    let mut client = setup.folder(folder.folder.path()).in_process();
    assert_eq!(names(&mut client), [""; 0]);
    let uri = uri_of(&folder.path("a.rs"));
    client.open(&uri, BROKEN);
    let diagnostics = pull(&mut client, &uri);
    assert_eq!(diagnostics[1].severity, Some(DiagnosticSeverity::ERROR));
    assert_eq!(names(&mut client), ["a.rs"]);
    // That file is read again when it is saved, though its name is its own.
    folder.write("ci/strict.toml", "[levels]\nwarnings = \"allow\"\n");
    let strict = uri_of(&folder.path("ci/strict.toml"));
    client.notify_raw(
        "textDocument/didSave",
        json!({ "textDocument": { "uri": strict } }),
    );
    eventually(&mut client, &1, |client| pull(client, &uri).len());
    client.finish();
}

#[test]
fn the_first_check_shows_how_far_it_is() {
    let folder = Folder::with(&[("a.rs", BROKEN), ("b.rs", BROKEN)]);
    let setup = Setup::utf16().with("/capabilities/window/workDoneProgress", json!(true));
    let mut client = setup.folder(folder.folder.path()).in_process();
    let id = client.next_of("window/workDoneProgress/create")["id"].clone();
    client.answer(&id, &Value::Null);
    let mut kinds = Vec::new();
    let last = loop {
        let progress = client.next_of("$/progress")["params"]["value"].clone();
        kinds.push(progress["kind"].as_str().unwrap().to_owned());
        if progress["kind"] == "end" {
            break progress;
        }
    };
    assert_eq!(kinds.first().map(String::as_str), Some("begin"));
    assert_eq!(last["message"], "2 files");
    client.finish();
}

#[test]
fn a_folder_that_is_not_there_is_no_end() {
    let mut client = Setup::utf16()
        .folder(Path::new("/nowhere/at/all"))
        .in_process();
    let uri = untitled("broken.rs");
    client.open(&uri, BROKEN);
    assert_eq!(pull(&mut client, &uri).len(), 2);
    client.ignore("window/logMessage");
    client.finish();
}

#[test]
fn a_document_that_is_on_no_disk_is_as_a_new_file_of_the_first_folder() {
    let folder = Folder::with(&[("visa-lint.toml", "[levels]\nmapping = \"warn\"\n")]);
    let mut client = Setup::utf16().folder(folder.folder.path()).in_process();
    let uri = untitled("level.rs");
    client.open(&uri, "axes![A = 0];\n");
    assert_eq!(severity(&mut client), Some(DiagnosticSeverity::WARNING));
    client.finish();
}

#[test]
fn only_rust_is_checked() {
    let folder = Folder::with(&[("a.rs", BROKEN), ("visa-lint.toml", "# axes![A = 0];\n")]);
    let mut client = Setup::utf16().folder(folder.folder.path()).in_process();
    let settings = uri_of(&folder.path("visa-lint.toml"));
    client.open(&settings, "axes![A = 0];\n");
    assert_eq!(pull(&mut client, &settings), []);
    assert_eq!(names(&mut client), ["a.rs"]);
    client.finish();
}

#[test]
fn a_settings_files_mistakes_stand_where_the_client_counts_them() {
    let wrong = "levels = { \"é𝄞\" = \"warn\", mappin = \"warn\" }\r\n";
    let folder = Folder::with(&[("visa-lint.toml", wrong)]);
    for (setup, utf8) in both() {
        let mut client = setup.folder(folder.folder.path()).in_process();
        assert_eq!(client.notification::<ShowMessage>().typ, MessageType::ERROR);
        let diagnostics = pull(&mut client, &uri_of(&folder.path("visa-lint.toml")));
        let text = Text::new(wrong, utf8);
        let starts = diagnostics.iter().map(|found| found.range.start);
        let expected = [text.caret("{ |\"é"), text.caret(", |mappin")];
        let mut starts: Vec<_> = starts.collect();
        starts.sort_unstable();
        assert_eq!(starts, expected);
        let end = diagnostics[0].range.end;
        assert_eq!(end, text.caret("\"warn\" }|\r\n"));
        client.finish();
    }
}

/// A pipe that nobody writes into keeps nobody waiting.
#[cfg(unix)]
#[test]
fn what_decides_and_is_no_file_is_told_of() {
    let folder = Folder::with(&[("a.rs", BROKEN), ("deep/b.rs", BROKEN)]);
    for name in [".gitignore", "deep/visa-lint.toml", "deep/pipe.rs"] {
        let made = std::process::Command::new("mkfifo")
            .arg(folder.path(name))
            .status();
        assert!(made.unwrap().success());
    }
    let mut client = Setup::utf16().folder(folder.folder.path()).in_process();
    assert_eq!(names(&mut client), ["a.rs", "b.rs", "visa-lint.toml"]);
    let told = client.notification::<ShowMessage>();
    let words = "deep/visa-lint.toml`: it is a named pipe, not a regular file";
    assert!(told.message.contains(words), "{}", told.message);
    let log = client.next_of("window/logMessage");
    let words = ".gitignore`: it is a named pipe, not a regular file";
    assert!(
        log["params"]["message"].as_str().unwrap().contains(words),
        "{log}"
    );
    client.ignore("window/logMessage");
    client.finish();
}
