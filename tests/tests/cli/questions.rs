//! What the program answers about rules, mappings and sequencers.

use visa_analysis::positions_looked_at;

use super::*;

#[test]
fn the_catalogue_is_printed_in_three_formats() {
    let folder = repository();
    let document = json(&run(&folder, &["rules", "--format", "json"]));
    let rules = document["rules"].as_array().unwrap();
    assert_eq!(rules.len(), visa_analysis::all_rules().count());
    for key in [
        "name", "group", "level", "summary", "why", "heading", "wrong", "right",
    ] {
        assert!(
            rules
                .iter()
                .all(|rule| rule[key].as_str().is_some_and(|text| !text.is_empty())),
            "{key}"
        );
    }
    // Of two pairs of kernels, the one that authors write today.
    let both = rules
        .iter()
        .find(|rule| rule["name"] == "alu_reuse")
        .unwrap();
    for key in ["wrong", "right"] {
        assert!(both[key].as_str().unwrap().contains("furiosa_opt_std"));
    }
    let human = stdout(&run(&folder, &["rules"]));
    let markdown = stdout(&run(&folder, &["rules", "--format", "markdown"]));
    for rule in visa_analysis::all_rules() {
        assert!(
            human.contains(rule.name) && markdown.contains(&format!("({}.md)", rule.name)),
            "{}",
            rule.name
        );
        let page = stdout(&run(&folder, &["explain", rule.name]));
        // A long heading is wrapped.
        let words = page.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            (rule.heading == "library"
                || rule.heading == "derived"
                || words.contains(rule.heading))
                && page.contains("Wrong")
                && page.contains("Right"),
            "{page}"
        );
    }
}

#[test]
fn the_catalogue_says_where_rules_hold() {
    let folder = repository();
    let document = json(&run(&folder, &["rules", "--format", "json"]));
    let of = |name: &str| {
        let rules = document["rules"].as_array().unwrap().iter();
        rules.clone().find(|rule| rule["name"] == name).unwrap()
    };
    let book = serde_json::json!({"library": "visa-std", "since": "0.1", "until": null, "refused_since": null});
    let overlap = of("dm_overlap");
    let early = serde_json::json!({"library": "opt-std", "since": "0.2", "until": "0.5", "refused_since": null});
    assert_eq!(overlap["holds"], serde_json::json!([book, early]));
    assert_eq!(overlap["instead"], serde_json::json!(["dm_capacity"]));
    let limit = of("library_limit");
    let refused = serde_json::json!({"library": "visa-std", "since": "0.1", "until": null, "refused_since": "0.1"});
    assert_eq!(limit["holds"], serde_json::json!([refused]));
    let capacity = of("vrf_capacity");
    assert_eq!(capacity["holds"][1]["refused_since"], "0.6");
    assert_eq!(capacity["otherwise"], "compiler");
    let texts = capacity["texts"].as_array().unwrap();
    let known = serde_json::json!({"by": "compiler", "words": "Cannot find evict target for Vrf"});
    assert!(texts.contains(&known), "{texts:?}");
    for rule in document["rules"].as_array().unwrap() {
        assert!(
            rule["since"].is_string() && rule["aliases"].is_array(),
            "{rule}"
        );
        // Kernels in other languages are written for no library.
        let other = rule["language"] == "pto" || rule["language"] == "nki";
        assert_eq!(
            rule["holds"].as_array().unwrap().is_empty(),
            other,
            "{rule}"
        );
    }
    let page = stdout(&run(&folder, &["explain", "dm_overlap"]));
    let words = page.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains(
            "`furiosa_opt_std` 0.2 to 0.5. In other releases `dm_capacity` takes its place."
        ),
        "{page}"
    );
}

#[test]
fn explain_finds_the_rule_of_a_pasted_error() {
    let folder = repository();
    let ask = |text: &str| run(&folder, &["explain", text]);
    let found = ask("Cannot find evict target for Vrf (E17, size: 3932160)");
    assert_code(&found, 0);
    let page = stdout(&found);
    assert!(page.starts_with("The compiler says"), "{page}");
    assert!(page.contains("vrf_capacity (group hardware"), "{page}");
    let several = ask("Switch ring size mismatch: the slot sweep computed 16, but 32 was asserted");
    assert_code(&several, 0);
    let list = stdout(&several);
    for name in ["switch_ring_too_small", "switch_ring_too_large"] {
        assert!(list.contains(&format!("\n  {name}: ")), "{list}");
    }
    let like = stdout(&ask("commit leaves: a DM cell is now left unwritten"));
    assert!(
        like.contains("Like this text") && like.contains("commit_mapping"),
        "{like}"
    );
    let none = ask("the transpose of my wishes is unknown");
    assert_code(&none, 2);
    let words = stderr(&none);
    assert!(words.contains("no rule matches this text"), "{words}");
    assert!(
        words.contains("did you mean") && words.contains("`transpose_rows`"),
        "{words}"
    );
    let nothing = stderr(&ask("something else altogether"));
    assert!(
        nothing.contains("`visa-lint rules` lists all of them"),
        "{nothing}"
    );
}

#[test]
fn explain_lists_the_rules_of_a_group() {
    let list = stdout(&run(&repository(), &["explain", "style"]));
    assert!(
        list.starts_with("style (group, allow by default)\n"),
        "{list}"
    );
    let style = visa_analysis::all_rules().filter(|rule| rule.group.name() == "style");
    for rule in style {
        assert!(list.contains(&format!("\n  {}", rule.name)), "{list}");
    }
    assert!(!list.contains("slice_size"), "{list}");
}

#[test]
fn words_of_a_filter_are_words_of_the_catalogue_or_their_beginnings() {
    let folder = repository();
    let found = stdout(&run(&folder, &["rules", "ALU"]));
    assert!(found.contains("  alu_reuse"), "{found}");
    // Its summary says "values".
    assert!(!found.contains("axis_size_zero"), "{found}");
    let found = stdout(&run(&folder, &["rules", "overlap", "vect"]));
    assert!(found.contains("  vrf_overlap"), "{found}");
    let refused = |arguments: &[&str], words: &str| {
        let output = run(&folder, arguments);
        assert_code(&output, 2);
        let told = stderr(&output);
        assert!(told.contains(words), "{told}");
    };
    refused(
        &["explain", "hardwar"],
        "no rule or group is called `hardwar`; did you mean `hardware`?",
    );
    refused(&["explain", "vcg"], "`visa-lint rules vcg` searches");
    for number in ["x", "-1", "1.5"] {
        refused(
            &["--max-diagnostics", number, "."],
            &format!(
                "invalid value '{number}' for '--max-diagnostics <N>': a whole number from 0 on is wanted"
            ),
        );
    }
}

#[test]
fn map_answers_in_the_documented_shape() {
    let folder = repository();
    let arguments = [
        "map",
        "m![B / 4 % 2, A = 3 # 4]",
        "--axes",
        "A=8,B=1099511627776",
        "--type",
        "bf16",
        "--index",
        "0..5",
        "--against",
        "B / 4 % 2, A = 3 # 4",
        "--format",
        "json",
    ];
    let document = json(&run(&folder, &arguments));
    let expected = serde_json::json!({
        "expr": "B / 4 % 2, A = 3 # 4",
        // 2 times 4 positions of 16 bits.
        "size": 8, "bits": 128, "normal_form": "B / 4 % 2, A = 3 # 4",
        "factors": [
            {"axis": "B", "stride": 4, "size": 2, "valid": 2, "padding": 0},
            {"axis": "A", "stride": 1, "size": 4, "valid": 3, "padding": 1}
        ],
        "index": [{"A": 0, "B": 0}, {"A": 1, "B": 0}, {"A": 2, "B": 0}, null, {"A": 0, "B": 4}],
        "equivalent": true
    });
    assert_eq!(document, expected);
    let human = run(&folder, &["map", "A # 4", "--axes", "A=3", "--type", "i8"]);
    assert_code(&human, 0);
    assert!(
        stdout(&human).contains("4 bytes") && stdout(&human).contains("A0 A1 A2 ·"),
        "{}",
        stdout(&human)
    );
}

#[test]
fn explain_shows_kernels_of_the_library_that_is_asked_for() {
    let folder = repository();
    let page = |arguments: &[&str]| {
        let output = run(&folder, &[&["explain"], arguments].concat());
        assert_code(&output, 0);
        stdout(&output)
    };
    let current = page(&["dm_capacity"]);
    assert!(
        current.contains("For `furiosa_opt_std` 0.10:")
            && !current.contains("furiosa_visa_std::prelude"),
        "{current}"
    );
    let book = page(&["dm_capacity", "--dialect", "visa-std"]);
    assert!(
        book.contains("For `furiosa_visa_std` 0.1:") && book.contains("furiosa_visa_std::prelude"),
        "{book}"
    );
    // What only the book has is shown where the current library is asked for, and said.
    let only = page(&["dm_overlap", "--dialect", "opt-std@0.8"]);
    assert!(
        only.contains("For `furiosa_opt_std` 0.8 the rule does not hold.")
            && !only.contains("For `furiosa_opt_std` 0.8:"),
        "{only}"
    );
    // A crate's own release, by its manifest; an option goes first.
    let manifest = b"[package]\nname = \"k\"\nversion = \"1.0.0\"\n[dependencies]\nfuriosa-opt-std = \"0.8\"\n";
    let of_crate = folder_with(&[("Cargo.toml", manifest), ("src/lib.rs", b"")]);
    let own = |more: &[&str]| {
        let arguments = [&["explain", "alu_reuse"], more].concat();
        stdout(&run(&of_crate.path().join("src"), &arguments))
    };
    let older = own(&[]);
    assert!(older.contains("For `furiosa_opt_std` 0.8:"), "{older}");
    let newest = own(&["--dialect", "opt-std@0.10"]);
    assert!(newest.contains("For `furiosa_opt_std` 0.10:"), "{newest}");
    // The lines of each kernel that the other does not have are marked.
    let marked = |sign: &str| {
        let lines = older.lines().filter(|line| line.starts_with(sign));
        lines.count()
    };
    assert_eq!((marked("  - "), marked("  + ")), (1, 1), "{older}");
    let newer = page(&[
        "other_release_api",
        "--dialect",
        "visa-std",
        "--format",
        "markdown",
    ]);
    assert!(newer.contains("furiosa_opt_std::prelude"), "{newer}");
    let bad = run(
        &folder,
        &["explain", "dm_capacity", "--dialect", "opt-std@0.1"],
    );
    assert_code(&bad, 2);
}

#[test]
fn map_reads_the_grammar_of_a_dialect() {
    let folder = repository();
    let map = |folder: &Path, arguments: &[&str]| run(folder, &[&["map"], arguments].concat());
    let axes = ["--axes", "A=8,B=512"];
    // The newest release, where nothing says another: an axis as a factor is read from 0.8 on.
    let newest = map(&folder, &["B / A", axes[0], axes[1]]);
    assert_code(&newest, 0);
    assert!(
        stdout(&newest).contains("size         64"),
        "{}",
        stdout(&newest)
    );
    let earlier = map(
        &folder,
        &["B / A, 2", axes[0], axes[1], "--dialect", "opt-std@0.7"],
    );
    assert_code(&earlier, 1);
    let words = stderr(&earlier);
    // The expression with a mark below the fifth letter.
    assert!(
        words.contains("[mapping_syntax]") && words.contains("0.8"),
        "{words}"
    );
    assert!(words.contains("\n  B / A, 2\n      ^\n"), "{words}");
    let document = json(&map(
        &folder,
        &[
            "m![ B / A, 2]",
            axes[0],
            axes[1],
            "--dialect",
            "opt-std@0.7",
            "--format",
            "json",
        ],
    ));
    let at = serde_json::json!({"expr": "B / A, 2", "start": 4, "end": 5});
    assert_eq!(document["error"]["at"], at, "{document}");
    let outside = map(&folder, &["ä, A / 3", axes[0], axes[1]]);
    assert_code(&outside, 1);
    assert!(
        stderr(&outside).contains("\n  ä, A / 3\n  ^"),
        "{}",
        stderr(&outside)
    );
    let undeclared = map(&folder, &["A / 7"]);
    assert_code(&undeclared, 1);
    assert!(
        stderr(&undeclared).contains("`--axes 'A = 64, B = 8'` declares the axes"),
        "{}",
        stderr(&undeclared)
    );
    for bad in ["opt-std@0.1", "std", "opt-std@x"] {
        assert_code(&map(&folder, &["A", axes[0], axes[1], "--dialect", bad]), 2);
    }
    // A crate of 0.7, by its manifest; and its settings, which go first.
    let manifest = b"[package]\nname = \"k\"\nversion = \"1.0.0\"\n[dependencies]\nfuriosa-opt-std = \"0.7\"\n";
    let of_crate = folder_with(&[("Cargo.toml", manifest), ("src/lib.rs", b"")]);
    assert_code(&map(of_crate.path(), &["B / A", axes[0], axes[1]]), 1);
    assert_code(
        &map(&of_crate.path().join("src"), &["B / A", axes[0], axes[1]]),
        1,
    );
    let settings = folder_with(&[
        ("Cargo.toml", manifest),
        ("visa-lint.toml", b"dialect = \"opt-std@0.9\"\n"),
    ]);
    assert_code(&map(settings.path(), &["B / A", axes[0], axes[1]]), 0);
    let broken = folder_with(&[
        ("Cargo.toml", b"[package\n"),
        ("visa-lint.toml", b"dialect = 3\n"),
    ]);
    assert_code(&map(broken.path(), &["B / A", axes[0], axes[1]]), 0);
}

#[test]
fn ill_formed_expressions_exit_with_1_and_name_the_rule() {
    let folder = repository();
    for (expression, rule) in [
        ("A / 3", "stride_indivisible"),
        ("A,", "mapping_syntax"),
        ("X", "unknown_axis"),
    ] {
        let book = ["map", expression, "--axes", "A=8", "--dialect", "visa-std"];
        let output = run(&folder, &[&book[..], &["--format", "json"]].concat());
        assert_code(&output, 1);
        assert_eq!(json(&output)["error"]["rule"], rule);
        assert!(json(&output)["error"]["message"].is_string());
        let human = run(&folder, &book);
        assert_code(&human, 1);
        assert!(stderr(&human).contains(rule), "{}", stderr(&human));
        let sequence = [
            "sequence", "--axes", "A=8", "--buffer", expression, "--format", "json",
        ];
        let output = run(&folder, &sequence);
        assert_code(&output, 1);
        assert_eq!(json(&output)["error"]["rule"], rule);
    }
    for arguments in [
        &["map", "A", "--axes", "A="][..],
        &["map", "A", "--axes", "A=8", "--type", "i7"],
        &["map", "A", "--axes", "A=8", "--index", "x"],
        &["map", "A", "--axes", "A=8", "--index", "0..9"],
        &["sequence", "--axes", "A=8"],
    ] {
        assert_code(&run(&folder, arguments), 2);
    }
}

#[test]
fn sequence_answers_in_the_documented_shape() {
    let arguments = [
        "sequence",
        "--axes",
        "A=8,B=512",
        "--buffer",
        "A, B",
        "--time",
        "B / 16, A",
        "--packet",
        "B % 16",
        "--type",
        "i8",
        "--mode",
        "fetch",
        "--context",
        "main",
        "--address",
        "0",
        "--format",
        "json",
    ];
    let document = json(&run(&repository(), &arguments));
    let expected = serde_json::json!({
        "entries": [
            {"size": 32, "stride": 16, "axis": "B"},
            {"size": 8, "stride": 512, "axis": "A"},
            {"size": 16, "stride": 1, "axis": "B"}
        ],
        "merged": [{"size": 32, "stride": 16}, {"size": 8, "stride": 512}, {"size": 16, "stride": 1}],
        // 16 bytes are in a line; 32 * 8 packets, one access each. Rows are 512 bytes apart, a multiple of the 128 bytes
        // that the banks cover, so that the 8 accesses of a column meet one bank.
        "packet_bytes": 16, "contiguous_bytes": 16, "access_bytes": 16, "accesses": 256, "cycles": 256,
        "longest_bank_run": 8, "error": null
    });
    assert_eq!(document, expected);
}

/// A packet that the Fetch Engine does not deliver has a configuration anyway: both are said.
#[test]
fn sequence_says_what_the_fetch_refuses() {
    let fetch = |packet: &'static str, kind: &'static str| {
        [
            "sequence", "--axes", "A=8,B=60", "--buffer", "A, B", "--time", "A", "--packet",
            packet, "--type", kind, "--mode", "fetch",
        ]
    };
    let with_json = |arguments: &[&str]| {
        let arguments: Vec<&str> = arguments
            .iter()
            .copied()
            .chain(["--format", "json"])
            .collect();
        json(&run(&repository(), &arguments))
    };
    // 60 bytes, in accesses of 4; the rows are in a line.
    let refused = with_json(&fetch("B", "i8"));
    assert_eq!(refused["error"], serde_json::Value::Null);
    assert_eq!(refused["access_bytes"], 4);
    assert_eq!(refused["refusals"].as_array().map(Vec::len), Some(1));
    assert_eq!(refused["refusals"][0]["rule"], "fetch_packet_alignment");
    // 30 bytes of 4-bit elements, 60 with a byte each, 64 with padding.
    for (packet, kind, size) in [("B", "i4", "30 bytes"), ("B # 61", "i4", "30.5 bytes")] {
        let refused = with_json(&fetch(packet, kind));
        let message = refused["refusals"][0]["message"].as_str().unwrap_or("");
        assert!(message.contains(size), "{message}");
    }
    assert!(with_json(&fetch("B # 64", "i8")).get("refusals").is_none());
    let output = run(&repository(), &fetch("B", "i8"));
    assert_code(&output, 0);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().find(|line| line.starts_with("refused"));
    assert!(
        line.is_some_and(
            |line| line.contains("fetch_packet_alignment") && line.contains("60 bytes")
        ),
        "{text}"
    );
    // A commit has other sizes, and its error names them.
    let commit = [
        "sequence", "--axes", "A=8,B=60", "--buffer", "A, B", "--time", "A", "--packet", "B",
        "--type", "i8", "--mode", "commit",
    ];
    let commit = with_json(&commit);
    assert_eq!(commit["error"], "commit_packet_size");
    assert!(commit.get("refusals").is_none());
}

/// The most positions that an answer looks at, of axes that have 2^40: a form is compared at some ten places a digit.
const LOOKED_AT: u64 = 10_000;

/// An answer, and that it walked no axis.
fn at_once<T>(ask: impl FnOnce() -> T) -> T {
    let before = positions_looked_at();
    let answer = ask();
    let positions = positions_looked_at() - before;
    assert!(positions < LOOKED_AT, "{positions} positions");
    answer
}

#[test]
fn huge_axes_answer_at_once() {
    let folder = repository();
    let axes = "A = 1 << 40, B = 1 << 20";
    let question = visa_analysis::MappingQuestion {
        expression: "A / 4096 # 1073741824, A % 4096",
        axes,
        against: Some("A # 4398046511104"),
        ..visa_analysis::MappingQuestion::default()
    };
    let answer = at_once(|| visa_analysis::evaluate_mapping(&question).unwrap());
    assert_eq!(
        (answer.size, answer.equivalent),
        (1 << 42, Some(Some(true)))
    );
    let question = visa_analysis::SequenceQuestion {
        axes,
        buffer: "A",
        time: "A / 32",
        packet: "A % 32",
        element_type: "i8",
        mode: visa_analysis::SequencerMode::Fetch,
        sub_context: false,
        address: 0,
    };
    let answer = at_once(|| visa_analysis::derive_sequence(&question).unwrap());
    assert_eq!(answer.accesses, Some(1 << 35));
    for arguments in [
        &["map", "A / 4096, A % 4096", "--axes", axes][..],
        &[
            "sequence", "--axes", axes, "--buffer", "A", "--time", "A / 32", "--packet", "A % 32",
        ],
    ] {
        assert_code(&run(&folder, arguments), 0);
    }
}

#[test]
fn help_and_version_are_answers() {
    let folder = repository();
    for arguments in [
        &["--help"][..],
        &["--version"],
        &["check", "--help"],
        &["rules", "--help"],
    ] {
        let output = run(&folder, arguments);
        assert_code(&output, 0);
        assert!(!output.stdout.is_empty() && output.stderr.is_empty());
    }
    assert!(stdout(&run(&folder, &["check", "--help"])).contains("--stdin-filename"));
}
