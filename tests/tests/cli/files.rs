//! Which files a run reads, what broken ones do to it, and where names come from.

use super::*;

#[test]
fn one_unreadable_file_does_not_stop_the_others() {
    let folder = folder_with(&[
        ("a.rs", FINDINGS.as_bytes()),
        ("bad.rs", b"fn f() {}\n\xff\xfe"),
        ("empty.rs", b""),
    ]);
    let output = run(folder.path(), &[".", "missing.rs", "--format", "json"]);
    assert_code(&output, 2);
    assert!(
        stderr(&output).contains("`bad.rs`: not UTF-8: invalid byte at offset 10"),
        "{}",
        stderr(&output)
    );
    assert!(stderr(&output).contains("missing.rs"));
    let document = json(&output);
    assert_eq!(document["files"], 2);
    assert_eq!(rules_and_levels(&document).len(), 2);
}

#[test]
fn standard_input_goes_by_the_name_it_is_given() {
    let folder = folder_with(&[]);
    let output = run_with_input(
        folder.path(),
        &["-", "--format", "short"],
        FINDINGS.as_bytes(),
    );
    assert_code(&output, 1);
    assert!(
        stdout(&output).starts_with("<stdin>:1:14: error[unknown_rule]"),
        "{}",
        stdout(&output)
    );
    let named = ["-", "--stdin-filename", "src/k.rs", "--format", "short"];
    let output = run_with_input(folder.path(), &named, FINDINGS.as_bytes());
    assert!(
        stdout(&output).starts_with("src/k.rs:1:14: "),
        "{}",
        stdout(&output)
    );
    let output = run_with_input(folder.path(), &["-"], b"\xff");
    assert_code(&output, 2);
    assert!(stderr(&output).contains("not UTF-8"));
}

#[test]
fn folders_are_searched_as_gitignore_says() {
    let folder = folder_with(&[
        ("src/a.rs", FINDINGS.as_bytes()),
        ("src/made/b.rs", FINDINGS.as_bytes()),
        ("src/not_rust.txt", FINDINGS.as_bytes()),
        (".hidden/c.rs", FINDINGS.as_bytes()),
        ("target/d.rs", FINDINGS.as_bytes()),
        ("Cargo.toml", b"[package]\nname = \"k\"\n"),
        (".gitignore", b"made/\n"),
    ]);
    let document = json(&run(folder.path(), &["--format", "json"]));
    assert_eq!(document["files"], 1);
    assert_eq!(document["diagnostics"][0]["file"], "src/a.rs");
    let manifest = json(&run(folder.path(), &["Cargo.toml", "--format", "json"]));
    assert_eq!(manifest["files"], 1);
    // A file that is named is checked, whatever hides it.
    assert_eq!(
        json(&run(folder.path(), &["src/made/b.rs", "--format", "json"]))["files"],
        1
    );
    let twice = ["src", "./src/a.rs", "src/../src/a.rs", "--format", "json"];
    assert_eq!(json(&run(folder.path(), &twice))["files"], 1);
    let nothing = run(folder.path(), &[".hidden/none", "--format", "json"]);
    assert_code(&nothing, 2);
}

#[cfg(unix)]
#[test]
fn links_that_lead_in_a_circle_end() {
    let folder = folder_with(&[("k/a.rs", FINDINGS.as_bytes())]);
    std::os::unix::fs::symlink(folder.path(), folder.path().join("k/back")).unwrap();
    std::os::unix::fs::symlink("self.rs", folder.path().join("k/self.rs")).unwrap();
    std::os::unix::fs::symlink("loop", folder.path().join("loop")).unwrap();
    let document = json(&run(folder.path(), &["k", "--format", "json"]));
    assert_eq!(document["files"], 1);
    let inside = json(&run(folder.path(), &["k/back/k", "--format", "json"]));
    assert_eq!(inside["files"], 1);
    let looping = run(folder.path(), &["loop", "k"]);
    assert_code(&looping, 2);
    assert!(
        stderr(&looping).contains("cannot read `loop`"),
        "{}",
        stderr(&looping)
    );
    assert!(stdout(&looping).contains("unknown_rule"));
}

#[cfg(unix)]
#[test]
fn a_name_that_is_not_utf_8_is_refused_with_words() {
    use std::os::unix::ffi::OsStrExt;
    let folder = folder_with(&[("fine.rs", b"fn f() {}\n")]);
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9.rs");
    std::fs::write(folder.path().join(name), FINDINGS).unwrap();
    for arguments in [
        &["--format", "json"][..],
        &["--fix"],
        &["--format", "sarif"],
    ] {
        let output = run(folder.path(), arguments);
        assert_code(&output, 2);
        let said = stderr(&output);
        assert!(said.contains("its name is not UTF-8"), "{said}");
        assert!(!stdout(&output).contains("no_such_rule"));
    }
    assert_eq!(
        std::fs::read_to_string(folder.path().join(name)).unwrap(),
        FINDINGS
    );
}

#[test]
fn positions_count_characters_and_line_breaks_once() {
    let text = "\u{feff}/* größe */ #[allow(tcp::nö)]\r\nfn f() {}\r\n/* ü */ #[allow(tcp::nix)]\r\nfn g() {}\r\n";
    let folder = folder_with(&[("a.rs", text.as_bytes())]);
    let document = json(&run(folder.path(), &["a.rs", "--format", "json"]));
    let position = |index: usize| document["diagnostics"][index]["range"]["start"].clone();
    // Line 1: the byte-order mark is no column; `/* größe */ #[allow(tcp::` are 25 characters and 27 bytes.
    assert_eq!(
        position(0),
        serde_json::json!({"line": 1, "column": 26, "byte": 30})
    );
    // Line 3 starts after 37 and 11 bytes; `/* ü */ #[allow(tcp::` are 21 characters and 22 bytes.
    assert_eq!(
        position(1),
        serde_json::json!({"line": 3, "column": 22, "byte": 70})
    );
}

#[test]
fn broken_files_are_checked_where_they_parse() {
    let broken = [
        "axes![A = 8, B = ;\nfn f(",
        "fn f() { let x = m![A / ; }\n#[allow(tcp::nix)] fn g() {}",
        "}}}}",
        "mod a; mod a { mod b; } #[path = \"x.rs\"] mod c;",
        "type A = m![{ B }]; type B = m![{ A }];",
        "fn f() { f() } fn g() { h() } fn h() { g() }",
        "",
        "\u{feff}",
        "\r\n\r\n",
        "#![",
        "r#\"",
        "/* /*",
    ];
    for text in broken {
        let folder = folder_with(&[("a.rs", text.as_bytes()), ("z.rs", FINDINGS.as_bytes())]);
        let output = run(folder.path(), &[".", "--format", "json"]);
        assert_code(&output, 1);
        let rules = rules_and_levels(&json(&output));
        assert!(
            rules.contains(&"unknown_rule deny".to_owned()),
            "{text}: {rules:?}"
        );
    }
}

#[test]
fn deep_nesting_is_refused_and_the_rest_is_checked() {
    for text in [
        format!("axes![A = 8]; {}", "(".repeat(100_000)),
        format!("axes![A = 8]; fn f() {{ {} }}", "!".repeat(100_000)),
        "m![".repeat(50_000),
    ] {
        let folder = folder_with(&[("deep.rs", text.as_bytes()), ("z.rs", FINDINGS.as_bytes())]);
        let output = run(folder.path(), &[".", "--format", "short"]);
        assert_code(&output, 2);
        assert!(
            stderr(&output).contains("`deep.rs`: brackets or operators are nested too deeply"),
            "{}",
            stderr(&output)
        );
        assert!(stdout(&output).contains("z.rs:1:14: error[unknown_rule]"));
    }
}

#[test]
fn a_million_lines_are_checked() {
    let mut text = String::new();
    for function in 0..10_000 {
        text.push_str(&format!("fn f{function}(x: u64) -> u64 {{\n"));
        for line in 0..32 {
            text.push_str(&format!("    let x = x + {line};\n    // a remark\n\n"));
        }
        text.push_str("    x\n}\n\n\n");
    }
    text.push_str("#[allow(tcp::no_such_rule)]\nfn last() {}\n");
    assert!(text.lines().count() > 1_000_000);
    let folder = folder_with(&[("a.rs", text.as_bytes())]);
    let output = run(folder.path(), &["a.rs", "--format", "short"]);
    assert_code(&output, 1);
    assert!(
        stdout(&output).starts_with("a.rs:1010001:14: error[unknown_rule]"),
        "{}",
        stdout(&output)
    );
}

/// A kernel whose axes and stage are in other files of its crate, and in another crate of the workspace.
fn workspace_of_crates() -> TempDir {
    let kernel = "use furiosa_visa_std::prelude::*;
use shapes::Wide as W;
use crate::stages::load;

mod stages;

#[device(chip = 1)]
fn copy(ctx: &mut Context, lanes: &HbmTensor<i32, m![1], m![W]>) -> HbmTensor<i32, m![1], m![W]> {
    let lanes = load(ctx, lanes);
    lanes.to_hbm(&mut ctx.tdma, 1 << 20)
}
";
    let stages = "use furiosa_visa_std::prelude::*;
use shapes::Wide;

pub(crate) fn load(
    ctx: &mut Context,
    lanes: &HbmTensor<i32, m![1], m![Wide]>,
) -> DmTensor<i32, m![1], m![1 # 2], m![Wide / 16], m![Wide % 16]> {
    lanes.to_dm(&mut ctx.tdma, 4)
}
";
    folder_with(&[
        (
            "Cargo.toml",
            b"[workspace]\nmembers = [\"kernels\", \"shapes\"]\n",
        ),
        (
            "kernels/Cargo.toml",
            b"[package]\nname = \"kernels\"\n[dependencies]\nshapes = { path = \"../shapes\" }\n",
        ),
        ("kernels/src/lib.rs", kernel.as_bytes()),
        ("kernels/src/stages.rs", stages.as_bytes()),
        ("shapes/Cargo.toml", b"[package]\nname = \"shapes\"\n"),
        (
            "shapes/src/lib.rs",
            b"use furiosa_visa_std::prelude::*;\naxes![Wide = 4096];\npub use Wide as Renamed;\n",
        ),
    ])
}

#[test]
fn names_come_from_the_whole_crate_and_findings_from_the_named_files() {
    let folder = workspace_of_crates();
    let whole = json(&run(
        folder.path(),
        &["--format", "json", "--ignore", "performance"],
    ));
    assert_eq!(whole["files"], 3);
    assert_eq!(whole["kernels"], 1);
    assert_eq!(
        whole["operations"],
        serde_json::json!({"resolved": 2, "unresolved": 0})
    );
    // The address 4 is no multiple of 8 bytes: found in the helper, once, although the kernel calls it.
    assert_eq!(rules_and_levels(&whole), ["dma_alignment deny"]);
    assert_eq!(whole["diagnostics"][0]["file"], "kernels/src/stages.rs");

    let helper = json(&run(
        folder.path(),
        &[
            "kernels/src/stages.rs",
            "--format",
            "json",
            "--ignore",
            "performance",
        ],
    ));
    assert_eq!(helper["files"], 1);
    assert_eq!(helper["diagnostics"], whole["diagnostics"]);

    let kernel = run(
        folder.path(),
        &[
            "kernels/src/lib.rs",
            "--format",
            "json",
            "--ignore",
            "performance",
        ],
    );
    assert_code(&kernel, 0);
    let kernel = json(&kernel);
    assert_eq!(kernel["files"], 1);
    assert_eq!(kernel["kernels"], 1);
    assert_eq!(
        kernel["operations"],
        serde_json::json!({"resolved": 1, "unresolved": 0})
    );

    let inside = json(&run(
        &folder.path().join("kernels/src"),
        &["stages.rs", "--format", "json", "--ignore", "performance"],
    ));
    assert_eq!(inside["diagnostics"][0]["file"], "stages.rs");
    assert_eq!(rules_and_levels(&inside), ["dma_alignment deny"]);
}

#[test]
fn modules_beside_a_file_of_no_package_give_their_names() {
    let folder = workspace_of_crates();
    let lone = tempfile::tempdir().unwrap();
    let source = |path: &str| std::fs::read_to_string(folder.path().join(path)).unwrap();
    let kernel = source("kernels/src/lib.rs")
        .replace("use shapes::Wide as W;", "use stages::shapes::Wide as W;");
    let stages = source("kernels/src/stages.rs").replace(
        "use shapes::Wide;",
        "pub(crate) mod shapes;\nuse shapes::Wide;",
    );
    std::fs::create_dir_all(lone.path().join("stages")).unwrap();
    std::fs::write(lone.path().join("kernel.rs"), kernel).unwrap();
    std::fs::write(lone.path().join("stages.rs"), stages).unwrap();
    std::fs::write(
        lone.path().join("stages/shapes.rs"),
        source("shapes/src/lib.rs"),
    )
    .unwrap();
    for named in ["kernel.rs", "stages.rs"] {
        let document = json(&run(
            lone.path(),
            &[named, "--format", "json", "--ignore", "performance"],
        ));
        assert_eq!(document["files"], 1);
        assert_eq!(
            document["operations"],
            serde_json::json!({"resolved": 1, "unresolved": 0}),
            "{named}"
        );
    }
    let stages = json(&run(
        lone.path(),
        &["stages.rs", "--format", "json", "--ignore", "performance"],
    ));
    assert_eq!(rules_and_levels(&stages), ["dma_alignment deny"]);
}

#[test]
fn a_path_that_is_no_kernel_file_is_refused() {
    let folder = folder_with(&[
        ("notes.txt", FINDINGS.as_bytes()),
        ("kernel", FINDINGS.as_bytes()),
        ("k.RS", FINDINGS.as_bytes()),
        ("a.rs", b"fn f() {}\n"),
        ("folder.txt/a.rs", b"fn f() {}\n"),
    ]);
    for name in ["notes.txt", "kernel"] {
        for arguments in [vec![name], vec!["a.rs", name], vec!["cost", name]] {
            let output = run(folder.path(), &arguments);
            assert_code(&output, 2);
            let said = stderr(&output);
            assert!(said.contains(&format!("cannot check `{name}`")), "{said}");
            assert!(said.contains("`.rs`"), "{said}");
        }
    }
    let named = ["-", "--stdin-filename", "notes.txt"];
    let output = run_with_input(folder.path(), &named, FINDINGS.as_bytes());
    assert_code(&output, 2);
    assert!(stderr(&output).contains("cannot check `notes.txt`"));
    assert_code(&run(folder.path(), &["k.RS"]), 1);
    assert_code(&run(folder.path(), &["folder.txt"]), 0);
}

#[test]
fn excluded_files_of_other_kinds_are_passed_over() {
    let folder = folder_with(&[
        ("visa-lint.toml", b"exclude = [\"*.txt\"]\n"),
        ("notes.txt", b"no kernel\n"),
        ("a.rs", b"fn f() {}\n"),
    ]);
    let every = ["--force-exclude", "notes.txt", "a.rs"];
    assert_code(&run(folder.path(), &every), 0);
    assert_code(&run(folder.path(), &["notes.txt"]), 2);
}
/// What makes something are at a path.
#[cfg(unix)]
type Make = fn(&Path);

/// A pipe that nobody writes into.
#[cfg(unix)]
fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// What is found and read by itself may be anything: a pipe would keep the program waiting, and `/dev/zero` has no end.
#[cfg(unix)]
#[test]
fn what_decides_is_read_where_it_is_a_regular_file() {
    let zero = |path: &Path| std::os::unix::fs::symlink("/dev/zero", path).unwrap();
    let cases: [(&str, Make, i32, &str); 6] = [
        (
            "k/.gitignore",
            pipe,
            2,
            "cannot read `k/.gitignore`: it is a named pipe, not a regular file; nothing in `k` is left out",
        ),
        (
            "k/inner/.ignore",
            zero,
            2,
            "cannot read `k/inner/.ignore`: it is a device, not a regular file; nothing in `k/inner` is left out",
        ),
        (
            ".gitignore",
            pipe,
            2,
            ".gitignore`: it is a named pipe, not a regular file",
        ),
        (
            "visa-lint.toml",
            pipe,
            2,
            "cannot read `visa-lint.toml`: it is a named pipe, not a regular file",
        ),
        (
            "k/visa-lint.toml",
            zero,
            2,
            "cannot read `k/visa-lint.toml`: it is a device, not a regular file",
        ),
        (
            "k/Cargo.toml",
            pipe,
            1,
            "Cargo.toml`: it is a named pipe, not a regular file",
        ),
    ];
    for (name, make, code, words) in cases {
        let folder = folder_with(&[
            ("k/a.rs", FINDINGS.as_bytes()),
            ("k/inner/b.rs", FINDINGS.as_bytes()),
        ]);
        make(&folder.path().join(name));
        let output = run(folder.path(), &["k", "--format", "short"]);
        assert_code(&output, code);
        assert!(
            stderr(&output).contains(words),
            "{name}: {}",
            stderr(&output)
        );
        if !name.ends_with("visa-lint.toml") {
            for file in ["k/a.rs:", "k/inner/b.rs:"] {
                assert!(
                    stdout(&output).contains(file),
                    "{name}: {}",
                    stdout(&output)
                );
            }
        }
    }
    let folder = folder_with(&[("a.rs", FINDINGS.as_bytes())]);
    pipe(&folder.path().join("pipe.rs"));
    // Among others it is passed over, by its name it is given.
    let output = run(folder.path(), &[".", "--format", "short"]);
    assert_code(&output, 1);
    assert_eq!(stderr(&output), "");
    let named = run(folder.path(), &["pipe.rs"]);
    assert_code(&named, 2);
    assert!(stderr(&named).contains("it is a named pipe, not a regular file"));
    for option in ["--config", "--baseline"] {
        let refused = run(folder.path(), &["a.rs", option, "/dev/zero"]);
        assert_code(&refused, 2);
        assert!(
            stderr(&refused).contains("it is a device, not a regular file"),
            "{}",
            stderr(&refused)
        );
    }
}

/// A number of many digits takes as long as its digits, and not as long as their square, which were hours.
#[test]
fn numbers_of_many_digits_are_read_once() {
    let digits = "7".repeat(2_000_000);
    let text = format!(
        "use furiosa_visa_std::prelude::*;\naxes![A = {digits}];\naxes![B = (0x{digits} + 1), C = 8];\n\
         type T = m![C % {digits}];\ntype U = m![C / 0x{digits}];\nconst D: usize = {digits};\ntype V = m![C / D];\n"
    );
    let folder = folder_with(&[("a.rs", text.as_bytes())]);
    let output = run(folder.path(), &["a.rs", "--format", "json"]);
    assert_code(&output, 1);
    let rules: Vec<_> = json(&output)["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["rule"].as_str().unwrap().to_owned())
        .collect();
    assert!(rules.len() >= 4, "{rules:?}");
}

/// Files of more text than one part has, padded with remarks: a lone one, a file with its module, and two packages, of which
/// one names the other.
fn of_several_parts() -> TempDir {
    let padded = |text: &str| {
        let remarks = "// a remark that means nothing\n".repeat(40_000);
        format!("{text}{remarks}")
    };
    let dividing = "use furiosa_visa_std::prelude::*;\naxes![A = 8];\ntype Part = m![A / 3];\n";
    let declaring =
        "mod sizes;\nuse sizes::A;\nuse furiosa_visa_std::prelude::*;\ntype Part = m![A / 4];\n";
    let naming = "use the_axes::A;\nuse furiosa_visa_std::prelude::*;\ntype Part = m![A / 4];\n";
    let axes = "use furiosa_visa_std::prelude::*;\naxes![A = 10];\n";
    let manifest = |name: &str| format!("[package]\nname = \"{name}\"\n");
    let user = manifest("user") + "[dependencies]\nthe-axes = { path = \"../axes\" }\n";
    folder_with(&[
        ("lone/a.rs", padded(dividing).as_bytes()),
        ("tree/b.rs", padded(declaring).as_bytes()),
        ("tree/sizes.rs", padded(axes).as_bytes()),
        ("user/Cargo.toml", user.as_bytes()),
        ("user/src/lib.rs", padded(naming).as_bytes()),
        ("axes/Cargo.toml", manifest("the-axes").as_bytes()),
        ("axes/src/lib.rs", padded(axes).as_bytes()),
    ])
}

#[test]
fn files_that_are_checked_part_by_part_have_the_findings_that_they_have_alone() {
    let folder = of_several_parts();
    let short = |paths: &[&str]| {
        let output = run(
            folder.path(),
            &[paths, &["--format", "short", "--quiet"]].concat(),
        );
        assert_code(&output, 1);
        stdout(&output)
    };
    let together = short(&["."]);
    assert_eq!(
        together.matches("error[stride_indivisible]").count(),
        3,
        "{together}"
    );
    let apart = ["lone", "tree", "user"].map(|path| short(&[path])).concat();
    assert_eq!(together, apart);
    let costs = |path: &str| json(&run(folder.path(), &["cost", path, "--format", "json"]));
    assert_eq!(costs(".")["kernels"], serde_json::json!([]));
}

/// Crates of other people fill no editor's list of problems: nothing is read in them, whatever they do.
#[test]
fn ordinary_rust_is_left_alone() {
    let cyclic = "const N: usize = f([0; N]);\nconst fn f(x: [u8; N]) -> usize { N }\ntype A<T> = A<A<T>>;\n";
    let folder = folder_with(&[
        (
            "Cargo.toml",
            b"[package]\nname = \"host\"\nversion = \"1.0.0\"\n",
        ),
        ("src/lib.rs", cyclic.as_bytes()),
        ("src/broken.rs", b"fn f( {}\n"),
    ]);
    let output = run(folder.path(), &["--format", "json"]);
    assert_code(&output, 0);
    assert_eq!(stderr(&output), "");
    let report = json(&output);
    assert_eq!(report["diagnostics"], serde_json::json!([]));
    assert_eq!(report["unresolved"], serde_json::json!([]));
}
