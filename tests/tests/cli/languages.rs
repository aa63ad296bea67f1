//! Kernels in several languages: which files take part, one report of all, and nothing new for a project in Rust.

use super::{assert_code, folder_with, json, run, run_with_input, stderr, stdout};
use visa_tests::{read, repository};

const RUST: &str = "axes![Q = 0];\n";
const PYTHON: &str = "import os\n\nprint(os.getcwd())\n";
const PANORAMA: &str = "# hugin project file\np f2 w3000\n";

/// The wrong kernel of a rule.
fn wrong(rule: &str, ending: &str) -> String {
    let path = format!("fixtures/violations/{rule}/wrong.{ending}");
    let text = read(&repository().join(path));
    assert!(!text.is_empty(), "{rule} has a wrong kernel");
    text
}

/// The names of the rules of a report, in its order.
fn rules(output: &std::process::Output) -> Vec<String> {
    let document = json(output);
    let findings = document["diagnostics"].as_array().unwrap();
    let names = findings
        .iter()
        .map(|finding| finding["rule"].as_str().unwrap().to_owned());
    names.collect()
}

#[test]
fn a_folder_of_all_languages_is_one_report() {
    let pto = wrong("pto_rows_overlap", "pto");
    let nki = wrong("nki_hwdge_engine", "py");
    let folder = folder_with(&[
        ("a.rs", RUST.as_bytes()),
        ("b/k.pto", pto.as_bytes()),
        ("c/k.py", nki.as_bytes()),
        ("c/other.py", PYTHON.as_bytes()),
        ("d.mlir", b"module {}\n"),
        ("pano.pto", PANORAMA.as_bytes()),
    ]);
    let output = run(folder.path(), &["--format", "json"]);
    assert_code(&output, 1);
    let document = json(&output);
    assert_eq!(document["files"], 3);
    assert_eq!(document["languages"]["rust"]["files"], 1);
    assert_eq!(document["languages"]["pto"]["files"], 1);
    assert_eq!(document["languages"]["nki"]["files"], 1);
    let found = rules(&output);
    for rule in ["axis_size_zero", "pto_rows_overlap", "nki_hwdge_engine"] {
        assert!(found.iter().any(|found| found == rule), "{rule}: {found:?}");
    }
    // Files come in the order of their paths, however often it is asked.
    assert_eq!(
        stdout(&output),
        stdout(&run(folder.path(), &["--format", "json"]))
    );
    let sarif = json(&run(folder.path(), &["--format", "sarif"]));
    let described = sarif["runs"][0]["tool"]["driver"]["rules"]
        .as_array()
        .unwrap();
    for rule in ["axis_size_zero", "pto_rows_overlap", "nki_hwdge_engine"] {
        assert!(described.iter().any(|known| known["id"] == rule), "{rule}");
    }
    let counts = stdout(&run(folder.path(), &[]));
    assert!(
        counts.contains("1 file in Rust, 1 file in PTO, 1 file in NKI"),
        "{counts}"
    );
}

#[test]
fn languages_are_selected_by_name() {
    let pto = wrong("pto_rows_overlap", "pto");
    let folder = folder_with(&[("a.rs", RUST.as_bytes()), ("k.pto", pto.as_bytes())]);
    let found = |arguments: &[&str]| {
        let all = [&["--format", "json"], arguments].concat();
        rules(&run(folder.path(), &all))
    };
    let of_pto = found(&["--select", "pto"]);
    assert!(!of_pto.is_empty() && of_pto.iter().all(|rule| rule.starts_with("pto_")));
    assert_eq!(found(&["--select", "rust"]), ["axis_size_zero"]);
    assert_eq!(found(&["--select", "nki"]), [""; 0]);
    assert_eq!(found(&["--ignore", "pto"]), ["axis_size_zero"]);
    assert_eq!(found(&["--language", "rust"]), ["axis_size_zero"]);
    let misspelt = run(folder.path(), &["--select", "ptoo"]);
    assert_code(&misspelt, 2);
    assert!(
        stderr(&misspelt).contains("did you mean `pto`"),
        "{}",
        stderr(&misspelt)
    );
}

#[test]
fn what_is_named_and_takes_no_part_is_a_mistake() {
    let folder = folder_with(&[
        ("x.txt", b"text"),
        ("other.py", PYTHON.as_bytes()),
        ("pano.pto", PANORAMA.as_bytes()),
        ("d.mlir", b"module {}\n"),
    ]);
    for (name, words) in [
        ("x.txt", "its name is that of no kernel file"),
        ("other.py", "it imports no `nki`"),
        ("pano.pto", "a panorama project"),
        ("d.mlir", "it holds no `pto.` operation"),
    ] {
        let output = run(folder.path(), &["check", name]);
        assert_code(&output, 2);
        assert!(
            stderr(&output).contains(words),
            "{name}: {}",
            stderr(&output)
        );
    }
    // A folder without any says so, and is no mistake.
    let output = run(folder.path(), &["."]);
    assert_code(&output, 0);
    assert!(
        stderr(&output).contains("no file with kernels"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_project_in_rust_says_the_same_with_python_beside_it() {
    let alone = folder_with(&[("a.rs", RUST.as_bytes())]);
    let beside = folder_with(&[
        ("a.rs", RUST.as_bytes()),
        ("tool.py", PYTHON.as_bytes()),
        ("deep/tool.py", PYTHON.as_bytes()),
        ("pano.pto", PANORAMA.as_bytes()),
    ]);
    for arguments in [&["--format", "json"][..], &[], &["--statistics"]] {
        let (one, other) = (run(alone.path(), arguments), run(beside.path(), arguments));
        assert_eq!(stdout(&one), stdout(&other));
        assert_eq!(stderr(&one), stderr(&other));
        assert_eq!(one.status.code(), other.status.code());
    }
}

#[test]
fn standard_input_has_the_language_of_its_name_or_of_the_option() {
    let pto = wrong("pto_rows_overlap", "pto");
    let folder = folder_with(&[]);
    for arguments in [
        &["-", "--stdin-filename", "k.pto", "--format", "json"][..],
        &["-", "--language", "pto", "--format", "json"],
        &[
            "-",
            "--stdin-filename",
            "k.txt",
            "--language",
            "pto",
            "--format",
            "json",
        ],
    ] {
        let output = run_with_input(folder.path(), arguments, pto.as_bytes());
        let found = rules(&output);
        assert!(
            found.iter().any(|rule| rule == "pto_rows_overlap"),
            "{arguments:?}"
        );
    }
}

#[test]
fn suppressions_have_the_form_of_the_language() {
    let pto = "// visa-lint: allow(pto_syntax)\n// visa-lint: allow(pto_syntaxx)\n";
    let nki =
        "import nki\n# visa-lint: allow(nki_syntax)\nx = 1  # visa-lint: allow(nki_syntaxx)\n";
    let folder = folder_with(&[("k.pto", pto.as_bytes()), ("k.py", nki.as_bytes())]);
    let output = run(folder.path(), &["--format", "json"]);
    assert_code(&output, 1);
    assert_eq!(
        rules(&output),
        [
            "unused_suppression",
            "unknown_rule",
            "unused_suppression",
            "unknown_rule"
        ]
    );
    let fixed = run(folder.path(), &["--fix", "."]);
    assert_code(&fixed, 1);
    let text = |name: &str| read(&folder.path().join(name));
    assert_eq!(text("k.pto"), "// visa-lint: allow(pto_syntaxx)\n");
    assert_eq!(
        text("k.py"),
        "import nki\nx = 1  # visa-lint: allow(nki_syntaxx)\n"
    );
}

#[test]
fn settings_of_other_machines_are_checked() {
    let folder = folder_with(&[
        ("k.pto", b"module {}\n"),
        (
            "visa-lint.toml",
            b"[pto]\ngm_bytes_per_cycle = 64\nsetup_cycles = 100\n[nki]\ntarget = \"trn2\"\nversion = \"0.6\"\n",
        ),
    ]);
    let shown = stdout(&run(folder.path(), &["--show-settings"]));
    for line in [
        "pto.gm_bytes_per_cycle = 64",
        "pto.setup_cycles = 100",
        "nki.target = \"trn2\"",
        "nki.version = \"0.6\"",
    ] {
        assert!(shown.contains(line), "{shown}");
    }
    for (text, words) in [
        ("[nki]\nversion = \"six\"\n", "not a release of NKI"),
        ("[nki]\ntarget = \"trn9\"\n", "trn9"),
        ("[pto]\nspeed = 1\n", "speed"),
    ] {
        let folder = folder_with(&[
            ("k.pto", b"module {}\n"),
            ("visa-lint.toml", text.as_bytes()),
        ]);
        let output = run(folder.path(), &["."]);
        assert_code(&output, 2);
        assert!(stderr(&output).contains(words), "{}", stderr(&output));
    }
}

/// 32 rows of 512 bytes at 64 bytes a cycle are 256 cycles, and 100 before each; the store waits for the vector core's flag.
#[test]
fn costs_name_lanes_and_schedule_them_by_the_settings() {
    let pto = read(&repository().join("fixtures/pto/functions.pto"));
    let nki = read(&repository().join("fixtures/nki/library.py"));
    let settings = b"[pto]\ngm_bytes_per_cycle = 64\nsetup_cycles = 100\n";
    let folder = folder_with(&[
        ("k.pto", pto.as_bytes()),
        ("k.py", nki.as_bytes()),
        ("visa-lint.toml", settings),
    ]);
    let document = json(&run(folder.path(), &["cost", "--format", "json"]));
    let functions = document["transfers"].as_array().unwrap();
    let named = |name: &str| {
        let found = functions.iter().find(|function| function["name"] == name);
        found
            .unwrap_or_else(|| panic!("{name}: {document}"))
            .clone()
    };
    let function = named("there_and_back");
    let names: Vec<_> = (function["lanes"].as_array().unwrap().iter())
        .map(|lane| {
            (
                lane["name"].as_str().unwrap(),
                lane["bytes"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(names, [("MTE2", 16_384), ("MTE3", 16_384)]);
    let schedule = &function["schedule"];
    assert_eq!(schedule["total"], 712);
    let store = &schedule["slots"][1];
    assert_eq!(
        (&store["lane"], &store["start"]),
        (&"MTE3".into(), &356.into())
    );
    // Loops of a function whose steps are all known run as often as they say; one that leaves order to the assembler has no schedule.
    assert_eq!(
        named("in_a_loop")["schedule"]["slots"]
            .as_array()
            .unwrap()
            .len(),
        8
    );
    assert!(named("padded")["schedule"].is_null());
    let queues: Vec<_> = (named("at_a_register")["lanes"].as_array().unwrap().iter())
        .map(|lane| lane["name"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(queues, ["sync"]);
    let trace = stdout(&run(folder.path(), &["cost", "--format", "trace", "k.pto"]));
    assert!(trace.contains("MTE3: UB to GM") && trace.contains("there_and_back (by the settings)"));
    let picture = stdout(&run(folder.path(), &["cost", "--format", "svg", "k.pto"]));
    assert!(picture.contains("712 cycles by the settings") && picture.contains("#d98324"));
    let people = stdout(&run(folder.path(), &["cost", "k.pto"]));
    assert!(
        people.contains("lane MTE2: 1 transfer, 16,384 bytes, busy 356 of 712 cycles"),
        "{people}"
    );
}

/// What `--fix` writes, `--diff` shows and JSON proposes is one change, whatever the ends of lines are.
#[test]
fn fixes_are_the_same_in_files_in_diffs_and_in_json() {
    for (rule, ending) in [
        ("pto_store_order", "pto"),
        ("pto_unsynchronised", "pto"),
        ("nki_engine_ignored", "py"),
        ("nki_indirect_mode", "py"),
        ("nki_oob_direct", "py"),
    ] {
        for line_end in ["\n", "\r\n"] {
            let text = wrong(rule, ending).replace('\n', line_end);
            let name = format!("k.{ending}");
            let folder = folder_with(&[(&name, text.as_bytes())]);
            let document = json(&run(folder.path(), &["--format", "json"]));
            let machine: Vec<_> = document["diagnostics"]
                .as_array()
                .unwrap()
                .iter()
                .flat_map(|finding| finding["fixes"].as_array().unwrap())
                .filter(|fix| fix["applicability"] == "machine")
                .collect();
            let [fix] = machine.as_slice() else {
                panic!("{rule}: {machine:?}");
            };
            let mut proposed = text.clone();
            let mut edits: Vec<_> = fix["edits"].as_array().unwrap().iter().collect();
            let byte = |edit: &serde_json::Value, end: &str| {
                usize::try_from(edit[end].as_u64().unwrap()).unwrap()
            };
            edits.sort_by_key(|edit| std::cmp::Reverse(byte(edit, "start_byte")));
            for edit in edits {
                let range = byte(edit, "start_byte")..byte(edit, "end_byte");
                proposed.replace_range(range, edit["text"].as_str().unwrap());
            }
            let diff = stdout(&run(folder.path(), &["--diff", "."]));
            assert_eq!(
                read(&folder.path().join(&name)),
                text,
                "{rule}: a diff writes nothing"
            );
            run(folder.path(), &["--fix", "."]);
            let written = read(&folder.path().join(&name));
            assert_eq!(written, proposed, "{rule}");
            let new: Vec<&str> = written
                .lines()
                .filter(|line| !text.lines().any(|old| old == *line))
                .collect();
            assert!(!new.is_empty(), "{rule}");
            for line in new {
                assert!(diff.contains(&format!("+{line}")), "{rule}: {line}\n{diff}");
            }
        }
    }
}
