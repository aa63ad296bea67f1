//! What holds for the repository as a whole.
#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking, also in its helpers"
)]

mod circles;
mod library_names;
mod rooms;
mod site_pages;

use std::path::Path;

use visa_tests::wire_types::types_of;
use visa_tests::{read, repository, shown, source_files};

/// A file beyond this many lines likely holds two rooms.
const MAXIMUM_LINES: usize = 900;

fn sources(folder: &str) -> Vec<(String, String)> {
    source_files(folder)
        .iter()
        .map(|path| (shown(path), read(path)))
        .collect()
}

/// Whether a file of the library holds tests and what they need.
fn is_test_code(path: &str) -> bool {
    [
        "/tests/",
        "tests.rs",
        "/testing",
        "brute_force",
        "dma/events.rs",
    ]
    .iter()
    .any(|word| path.contains(word))
}

/// The text without its unit tests.
fn shipped(text: &str) -> &str {
    let starts = ["#[cfg(test)]\nmod ", "#[cfg(all(test, "];
    let end = starts.iter().filter_map(|start| text.find(start)).min();
    &text[..end.unwrap_or(text.len())]
}

#[test]
fn source_files_stay_readable() {
    let long: Vec<_> = ["analysis", "server"]
        .into_iter()
        .flat_map(sources)
        .filter(|(_, text)| text.lines().count() > MAXIMUM_LINES)
        .map(|(path, text)| format!("{path}: {} lines", text.lines().count()))
        .collect();
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn modules_open_with_what_they_know() {
    let silent: Vec<_> = ["analysis", "server"]
        .into_iter()
        .flat_map(sources)
        .filter(|(path, text)| !is_test_code(path) && !text.starts_with("//!"))
        .map(|(path, _)| path)
        .collect();
    assert!(silent.is_empty(), "{}", silent.join("\n"));
}

/// The walk through a function's Rust serves any library: what only one gives a meaning to goes through its trait.
#[test]
fn what_the_source_says_knows_no_library_and_no_hardware() {
    let mut wrong = Vec::new();
    for (path, text) in sources("analysis/lowering/src/surface") {
        let lines = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        let code = lines.collect::<Vec<_>>().join("\n");
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        let words: Vec<&str> = code.split(|letter| !is_part(letter)).collect();
        for room in ["dialect", "catalogue", "hardware", "libraries", "lowering"] {
            if words.contains(&room) {
                wrong.push(format!("{path} names {room}"));
            }
        }
        // Of operations it knows only how they are reached and why one is not.
        for known in ["Tensor", "Stage", "Pass", "Context", "Tier", "Position"] {
            if words.contains(&known) {
                wrong.push(format!("{path} names {known}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn library_code_does_not_give_up() {
    let mut wrong = Vec::new();
    for (path, text) in ["analysis", "server"].into_iter().flat_map(sources) {
        let tests = is_test_code(&path);
        for (number, line) in shipped(&text).lines().enumerate().filter(|_| !tests) {
            let code = line.split("//").next().unwrap_or("");
            let gives_up = [
                ".unwrap()",
                ".expect(\"",
                "panic!(",
                "todo!(",
                "unimplemented!(",
                "unreachable!(",
            ];
            if gives_up.iter().any(|word| code.contains(word)) {
                wrong.push(format!("{path}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A device has no end, and a pipe waits for a writer: one function looks at what a file is before it is read.
#[test]
fn files_are_read_in_one_place() {
    let mut wrong = Vec::new();
    for (path, text) in ["analysis", "server"].into_iter().flat_map(sources) {
        // A file that is about to be replaced is opened for its attributes, and nothing of it is read.
        let own = [
            "server/project/src/regular.rs",
            "server/project/src/writing/attributes.rs",
        ];
        let reads_for_all = own.contains(&path.as_str()) || is_test_code(&path);
        for (number, line) in shipped(&text).lines().enumerate() {
            let reads = ["fs::read(", "fs::read_to_string(", "File::open("];
            // What the system itself says of processes is as it says it.
            let of_system = line.contains("\"/proc/");
            if !reads_for_all && !of_system && reads.iter().any(|read| line.contains(read)) {
                wrong.push(format!("{path}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What the program prints.
fn printed(arguments: &[&str]) -> String {
    let output = visa_tests::command(env!("CARGO_BIN_EXE_visa-lint-tested"))
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_schema_of_the_settings_is_what_the_program_prints() {
    let printed = printed(&["init", "--schema"]);
    let file = repository().join("docs/visa-lint.schema.json");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&file, &printed).unwrap();
    }
    let stale = "docs/visa-lint.schema.json differs from `visa-lint init --schema`; run this test with UPDATE_EXPECT=1";
    assert!(read(&file) == printed, "{stale}");
}

#[test]
fn the_schema_of_costs_and_the_types_of_the_extension_are_what_the_server_writes() {
    let schema = visa_server::schema_of_costs().unwrap();
    let types = types_of(&serde_json::from_str(&schema).unwrap());
    let made = [
        ("docs/cost.schema.json", schema),
        ("vscode-extension/src/wire.ts", types),
        (
            "vscode-extension/src/lanes.ts",
            visa_tests::lane_types::lanes(),
        ),
    ];
    for (path, text) in made {
        let file = repository().join(path);
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&file, &text).unwrap();
        }
        assert!(
            read(&file) == text,
            "{path} differs from what the server writes; run this test with UPDATE_EXPECT=1"
        );
    }
}

#[test]
fn the_schemas_and_what_language_models_read_are_up_to_date() {
    let mut made = visa_server::schemas().unwrap();
    made.push(("llms.txt", visa_tests::llms::index()));
    for (name, text) in made {
        let file = repository().join("docs").join(name);
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(&file, &text).unwrap();
        }
        assert!(
            read(&file) == text,
            "docs/{name} is out of date; run this test with UPDATE_EXPECT=1"
        );
    }
}

#[test]
fn costs_and_memory_maps_are_as_their_schema_says() {
    let schema: serde_json::Value =
        serde_json::from_str(&visa_server::schema_of_costs().unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for kernels in ["fixtures/kernels/book", "fixtures/kernels/current/decoder"] {
        let folder = repository().join(kernels);
        let written = printed(&["cost", "--format", "json", folder.to_str().unwrap()]);
        let document: serde_json::Value = serde_json::from_str(&written).unwrap();
        let faults: Vec<String> = validator
            .iter_errors(&document)
            .map(|fault| format!("{}: {fault}", fault.instance_path()))
            .collect();
        assert_eq!(faults, Vec::<String>::new(), "{kernels}");
        assert!(document["kernels"].as_array().unwrap().len() > 2);
    }
}

/// Each is tried by `release/try`, `release/crates` or `vscode-extension/tests/ring/run`, where its package can be made.
#[test]
fn every_way_to_install_is_in_the_readme() {
    let readme = read(&repository().join("README.md"));
    let version = env!("CARGO_PKG_VERSION");
    let archive = format!("tar -xzf visa-lint-v{version}-x86_64-unknown-linux-musl.tar.gz");
    let extension = format!("code --install-extension visa-lint-{version}-linux-x64.vsix");
    for command in [
        "pip install visa-lint",
        "uvx visa-lint .",
        "npm install -g visa-lint",
        "npx visa-lint .",
        "cargo binstall visa-lint",
        "cargo install --locked visa-lint",
        &archive,
        &extension,
        "cargo install --locked --path server",
    ] {
        assert!(readme.contains(&format!("`{command}`")), "{command}");
    }
    let editors = read(&repository().join("docs/editors.md"));
    assert!(editors.contains(&extension), "docs/editors.md");
}

/// `cargo binstall` asks for the archives under the names that `release/build` gives them.
#[test]
fn the_archives_have_the_names_that_binstall_asks_for() {
    let manifest = read(&repository().join("server/Cargo.toml"));
    let build = read(&repository().join("release/build"));
    let name = "visa-lint-v{ version }-{ target }";
    assert!(manifest.contains(&format!(
        "/releases/download/v{{ version }}/{name}{{ archive-suffix }}\""
    )));
    assert!(manifest.contains(&format!("bin-dir = \"{name}/{{ bin }}{{ binary-ext }}\"")));
    assert!(build.contains("name=visa-lint-v$version-$target\n"));
    assert!(build.contains("-czf \"$out/$name.tar.gz\" \"$name\""));
}

#[test]
fn a_fresh_clone_has_what_the_readme_names() {
    let readme = read(&repository().join("README.md"));
    let commands = readme.lines().filter(|line| line.starts_with("cargo "));
    let commands: Vec<_> = commands
        .filter_map(|line| line.split('#').next())
        .map(str::trim)
        .collect();
    let lint = "cargo run --bin visa-lint -- --exit-zero fixtures/kernels";
    assert_eq!(commands, [lint, "cargo test --workspace"]);
    for file in [
        "LICENSE",
        "CHANGELOG.md",
        ".ci/run",
        "rust-toolchain.toml",
        "docs/configuration.md",
        "docs/README.md",
    ] {
        assert!(Path::new(&repository()).join(file).is_file(), "{file}");
    }
}

/// The setting of the extension offers each release that is known, the newest first.
#[test]
fn the_extension_offers_the_known_releases() {
    let library = visa_analysis::Library::OptStd;
    let path = repository().join("vscode-extension/package.json");
    let package = read(&path);
    let is_release = |line: &&str| line.trim_start().starts_with("\"opt-std@");
    let indent = package
        .lines()
        .find(is_release)
        .map_or(0, |line| line.len() - line.trim_start().len());
    let releases = library.releases().iter().rev();
    let offered: Vec<String> = releases
        .map(|release| format!("{:indent$}\"opt-std@{release}\",", ""))
        .collect();
    let mut lines: Vec<&str> = package.lines().collect();
    let first = lines.iter().position(&is_release).unwrap();
    lines.retain(|line| !is_release(line));
    lines.splice(first..first, offered.iter().map(String::as_str));
    let expected = lines.join("\n") + "\n";
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, &expected).unwrap();
    }
    let stale = "run this test with UPDATE_EXPECT=1";
    assert!(
        package == expected,
        "vscode-extension/package.json: {stale}"
    );
}

#[test]
fn a_folder_that_is_not_trusted_says_no_path() {
    let package = read(&repository().join("vscode-extension/package.json"));
    let package: serde_json::Value = serde_json::from_str(&package).unwrap();
    let restricted = &package["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"];
    let restricted: Vec<&str> = restricted
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|name| name.as_str())
        .collect();
    let settings = &package["contributes"]["configuration"];
    let sections = match settings {
        serde_json::Value::Array(sections) => sections.clone(),
        section => vec![section.clone()],
    };
    let names = sections
        .iter()
        .filter_map(|section| section["properties"].as_object())
        .flat_map(|properties| properties.keys());
    let paths: Vec<&str> = names
        .map(String::as_str)
        .filter(|name| name.to_lowercase().ends_with("path"))
        .collect();
    assert_eq!(paths.len(), 2, "{paths:?}");
    for path in paths {
        assert!(
            restricted.contains(&path),
            "{path} is taken from any folder"
        );
    }
}
