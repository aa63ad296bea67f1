//! Rust in Markdown files and in doc comments: findings, costs and fixes at the places of the file.

use super::{
    assert_code, folder_with, json, rules_and_levels, run, run_with_input, stderr, stdout,
};

const HEAD: &str = "use furiosa_visa_std::prelude::*;\naxes![L = 4096];\n";

/// A kernel whose transfer is at an address; 4 is misaligned.
fn kernel(address: u32) -> String {
    format!(
        "#[device(chip = 1)]\nfn load(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![L]>) -> DmTensor<i32, m![1], m![1 # 2], m![L / 16], m![L % 16]> {{\n    x.to_dm(&mut ctx.tdma, {address})\n}}\n"
    )
}

/// Lines with something in front of each.
fn prefixed(prefix: &str, text: &str) -> String {
    text.lines()
        .map(|line| format!("{prefix}{line}\n"))
        .collect()
}

fn block(address: u32) -> String {
    format!("```rust\n{HEAD}{}```\n", kernel(address))
}

/// `rule` and the text at the place of each finding, which has to be the same by bytes as by line and column.
#[track_caller]
fn found(text: &str, name: &str, arguments: &[&str]) -> Vec<(String, String)> {
    let folder = folder_with(&[(name, text.as_bytes())]);
    let output = run(
        folder.path(),
        &[&["--format", "json", name], arguments].concat(),
    );
    let document = json(&output);
    let findings = document["diagnostics"].as_array().unwrap();
    findings
        .iter()
        .map(|finding| {
            assert_eq!(finding["file"], name);
            let number = |end: &str, key: &str| {
                usize::try_from(finding["range"][end][key].as_u64().unwrap()).unwrap()
            };
            let bytes = number("start", "byte")..number("end", "byte");
            let line = text.split('\n').nth(number("start", "line") - 1).unwrap();
            let by_column: String = line
                .chars()
                .skip(number("start", "column") - 1)
                .take(text[bytes.clone()].chars().count())
                .collect();
            assert_eq!(by_column, text[bytes.clone()]);
            (
                finding["rule"].as_str().unwrap().to_owned(),
                text[bytes].to_owned(),
            )
        })
        .collect()
}

#[test]
fn blocks_of_markdown_are_checked_at_their_places() {
    let wrong = block(4);
    let texts = [
        wrong.clone(),
        format!("# Größe\n\nWörter: ä.\n\n{wrong}\nMore.\n"),
        format!("Words.\n\n{}", prefixed("> ", &wrong)),
        format!("- a list\n\n{}", prefixed("  ", &wrong)),
        format!("1. > deep\n   >\n{}", prefixed("   > ", &wrong)),
        wrong.replace("```", "~~~"),
        wrong.replace('\n', "\r\n"),
        format!("\u{feff}Words.\n\n{wrong}"),
        // The kernel's head is hidden from readers.
        wrong
            .replace("use furiosa", "# use furiosa")
            .replace("axes!", "# axes!"),
        // Never closed.
        wrong.trim_end_matches("```\n").to_owned(),
        // One block is broken, the other is checked.
        format!("```rust\nfn broken( {{ [\n```\n\n{wrong}"),
        // Another language before and behind.
        format!("```toml\n[package]\n```\n\n{wrong}\n```text\nfn f(\n```\n"),
        // As the book prints fragments.
        wrong
            .replace("axes!", "fn main() {\naxes!")
            .replace("}\n```", "}\n}\n```"),
    ];
    for text in texts {
        let expected = [("dma_alignment".to_owned(), "4".to_owned())];
        let found = found(&text, "book/a.md", &[]);
        let rules: Vec<_> = found.iter().map(|(rule, _)| rule.as_str()).collect();
        assert_eq!(rules, ["dma_alignment"], "{text}");
        let words = &found[0].1;
        assert!(
            words == &expected[0].1 || words == "to_dm",
            "{words}: {text}"
        );
    }
    let right = format!("{}\n{}", block(0), block(256));
    assert_eq!(found(&right, "a.md", &[]), []);
}

#[test]
fn each_block_is_a_crate_of_its_own() {
    let folder = folder_with(&[(
        "a.md",
        format!(
            "```rust\n{HEAD}```\n\n```rust\ntype T = m![L];\n```\n\n{}{}",
            block(4),
            block(12)
        )
        .as_bytes(),
    )]);
    let output = run(folder.path(), &["a.md", "--format", "json"]);
    assert_code(&output, 1);
    let document = json(&output);
    assert_eq!(
        (&document["files"], &document["kernels"]),
        (&1.into(), &2.into())
    );
    assert_eq!(document["operations"]["resolved"], 2);
    let found = rules_and_levels(&document);
    let count = |rule: &str| found.iter().filter(|found| found.starts_with(rule)).count();
    assert_eq!(count("dma_alignment"), 2, "{found:?}");
    // `L` is another block's.
    assert_eq!(found.len(), 3, "{found:?}");
    let human = stdout(&run(folder.path(), &["a.md"]));
    assert!(
        human.contains("type T = m![L];") && human.contains("a.md:"),
        "{human}"
    );
}

#[test]
fn a_file_without_rust_is_no_pass() {
    for text in [
        "",
        "# Words\n",
        "```\nfn f() {}\n```\n",
        "```text\nx\n```\n",
        "```rust,ignore\nfn f() {}\n```\n",
        "```rust,compile_fail\nfn f() {}\n```\n",
    ] {
        let folder = folder_with(&[("a.md", text.as_bytes()), ("b.rs", b"fn f() {}\n")]);
        let output = run(folder.path(), &["a.md"]);
        assert_code(&output, 2);
        assert!(
            stderr(&output).contains("`a.md` has no fenced Rust code"),
            "{}",
            stderr(&output)
        );
        // A folder is searched for Rust files alone.
        assert_code(&run(folder.path(), &["."]), 0);
    }
    let folder = folder_with(&[("a.md", b"\xff```rust\n```\n")]);
    assert_code(&run(folder.path(), &["a.md"]), 2);
    let output = run_with_input(
        folder.path(),
        &["-", "--stdin-filename", "x.md", "--format", "json"],
        block(4).as_bytes(),
    );
    assert_code(&output, 1);
    assert_eq!(rules_and_levels(&json(&output)), ["dma_alignment deny"]);
}

#[test]
fn doc_comments_are_checked_on_request() {
    let documented = |address: u32| {
        let lines = format!(
            "Größe:\n\n```\n# {}\n{}```",
            HEAD.trim_end().replace('\n', "\n# "),
            kernel(address)
        );
        format!("{}fn f() {{}}\n", prefixed("/// ", &lines))
    };
    let text = documented(4);
    assert_eq!(found(&text, "a.rs", &[]), []);
    let with = |text: &str| {
        let found = found(text, "a.rs", &["--doc"]);
        found.into_iter().map(|(rule, _)| rule).collect::<Vec<_>>()
    };
    assert_eq!(with(&text), ["dma_alignment"]);
    assert_eq!(with(&documented(0)), Vec::<String>::new());
    let inner = format!(
        "mod m {{\n{}fn f() {{}}\n}}\n",
        prefixed("    //! ", &block(4))
    );
    assert_eq!(with(&inner), ["dma_alignment"]);
    let starred = format!("/**\n{} */\nfn f() {{}}\n", prefixed(" * ", &block(4)));
    assert_eq!(with(&starred), ["dma_alignment"]);
    // The file's own findings come along, in the order of places.
    let both = format!(
        "{}#[allow(tcp::no_such_rule)]\nfn g() {{}}\n",
        documented(4)
    );
    assert_eq!(with(&both), ["dma_alignment", "unknown_rule"]);
}

#[test]
fn fixes_are_made_in_the_file() {
    // A remark that allows nothing is removed.
    let line = "fn f() {} // visa-lint: allow(slice_size)";
    for prefix in ["", "> ", "  "] {
        let text = |line: &str| {
            let head = if prefix == "  " {
                "- x\n\n"
            } else {
                "Wörter.\n\n"
            };
            format!(
                "{head}{}",
                prefixed(prefix, &format!("```rust\n{line}\nfn g() {{}}\n```"))
            )
        };
        let folder = folder_with(&[("a.md", text(line).as_bytes())]);
        let output = run(folder.path(), &["a.md", "--fix"]);
        assert_code(&output, 0);
        let fixed = std::fs::read_to_string(folder.path().join("a.md")).unwrap();
        assert_eq!(fixed, text("fn f() {}"), "{prefix:?}");
    }
    // On a line of its own in a quote the mark of the quote would go with it: nothing is changed.
    let text = "> ```rust\n> #[expect(tcp::slice_size)]\n> fn f() {}\n> ```\n";
    let folder = folder_with(&[("a.md", text.as_bytes())]);
    let _ = run(folder.path(), &["a.md", "--fix"]);
    let after = std::fs::read_to_string(folder.path().join("a.md")).unwrap();
    assert!(after.lines().all(|line| line.starts_with('>')), "{after}");
}

#[test]
fn kernels_in_markdown_cost() {
    let text = format!(
        "Words.\n\n{}\n{}",
        block(0),
        block(256).replace("fn load", "fn other")
    );
    let folder = folder_with(&[("a.md", text.as_bytes())]);
    let output = run(folder.path(), &["cost", "a.md", "--format", "json"]);
    assert_code(&output, 0);
    let document = json(&output);
    let kernels = document["kernels"].as_array().unwrap();
    let names: Vec<_> = kernels
        .iter()
        .map(|kernel| kernel["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["load", "other"]);
    assert!(
        kernels
            .iter()
            .all(|kernel| kernel["file"] == "a.md" && kernel["cycles"]["total"].is_u64())
    );
    // The kernel's name is in line 7, behind two lines of words, the fence, two lines of names and the attribute.
    let text = format!("Words.\n\n{}", block(0));
    let folder = folder_with(&[("a.md", text.as_bytes())]);
    let document = json(&run(folder.path(), &["cost", "a.md", "--format", "json"]));
    assert_eq!(
        document["kernels"][0]["operations"][0]["range"]["start"]["line"],
        8
    );
}

/// The pages of the rules are Markdown with a wrong kernel each, which gives what the page is about.
#[test]
fn the_pages_of_the_rules_report_their_rules() {
    let pages = visa_tests::docs::rule_pages();
    let files: Vec<(&str, &[u8])> = pages
        .iter()
        .map(|(name, page)| (name.as_str(), page.as_bytes()))
        .collect();
    let folder = folder_with(&files);
    let output = run(folder.path(), &["rules", "--format", "json"]);
    let rules = json(&output);
    let rules = rules
        .as_array()
        .or_else(|| rules["rules"].as_array())
        .unwrap();
    let mut arguments = vec![
        "check".to_owned(),
        "--format=json".to_owned(),
        "--exit-zero".to_owned(),
    ];
    let mut names = Vec::new();
    for rule in rules {
        let name = rule["name"].as_str().unwrap();
        // Blocks of other languages are not read.
        if rule["language"] == "pto" || rule["language"] == "nki" {
            continue;
        }
        if rule["level"] == "allow" {
            arguments.push(format!("--warn={name}"));
        }
        arguments.push(format!("{name}.md"));
        names.push(name.to_owned());
    }
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let output = run(folder.path(), &arguments);
    assert_eq!(stderr(&output), "");
    let report = json(&output);
    let found = report["diagnostics"].as_array().unwrap();
    let silent: Vec<&String> = names
        .iter()
        .filter(|name| {
            let page = format!("{name}.md");
            !found
                .iter()
                .any(|found| found["rule"] == name.as_str() && found["file"] == page.as_str())
        })
        .collect();
    // Blocks of Markdown are judged as of the newest release: a page of an earlier one may be silent, and so may those that need settings
    // or a manifest to compare with.
    let is_of_newest =
        |name: &str| pages[&format!("{name}.md")].contains("For `furiosa_opt_std` 0.10:");
    let compared = ["budget_exceeded", "library_version_mismatch"];
    let silent: Vec<&&String> = silent
        .iter()
        .filter(|name| !compared.contains(&name.as_str()) && is_of_newest(name))
        .collect();
    assert!(silent.is_empty(), "{silent:?}");
    let unused: Vec<&serde_json::Value> = found
        .iter()
        .filter(|found| found["rule"] == "unused_suppression")
        .map(|found| &found["file"])
        .collect();
    // The page of names of rules allows one that the newest release does not find.
    let expected = ["unknown_rule", "unused_suppression"].map(|name| format!("{name}.md"));
    assert_eq!(unused, expected.each_ref());
}

#[test]
fn strings_of_documentation_are_checked_on_request() {
    let lines: String = ["```", "axes![Q = 0];", "```"]
        .iter()
        .map(|line| format!("#[doc = \"{line}\"]\n"))
        .collect();
    let text = format!("{lines}fn f() {{}}\n#[doc = \"```\\naxes![R = 0];\\n```\"]\nfn g() {{}}\n");
    assert_eq!(found(&text, "a.rs", &[]), []);
    let zero = ("axis_size_zero".to_owned(), "0".to_owned());
    assert_eq!(found(&text, "a.rs", &["--doc"]), [zero.clone(), zero]);
}
