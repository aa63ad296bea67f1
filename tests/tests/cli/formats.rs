//! Each format against what its readers expect: schemas, escapes, uniqueness, the same findings everywhere.

use super::*;

/// The formats with the part of their output that a test of all may look at.
const FORMATS: [&str; 11] = [
    "human",
    "short",
    "json",
    "jsonl",
    "sarif",
    "github",
    "gitlab",
    "junit",
    "rdjson",
    "checkstyle",
    "agent",
];

/// A file whose name and text hold what formats have to escape, with two findings on line 1 and one on line 3.
pub(super) const HOSTILE_NAME: &str = "we,i:r%d ü&.rs";
pub(super) const HOSTILE: &str = "// visa-lint: allow(a<b&\"c\u{1b}[31m\u{1}%,x)\nfn f() {}\n// visa-lint: allow(slice_size)\nfn g() {}\n";

/// The book's kernels and a part of the kernels that are wrong, in one format.
pub(super) fn fixtures(format: &str) -> Output {
    fixtures_with(&["--format", format])
}

fn fixtures_with(options: &[&str]) -> Output {
    let folder = repository().join("fixtures");
    let mut paths: Vec<_> = std::fs::read_dir(folder.join("violations"))
        .unwrap()
        .map(|rule| format!("violations/{}", rule.unwrap().file_name().to_string_lossy()))
        .collect();
    // What does not parse is said on standard error.
    paths.retain(|path| !path.ends_with("pto_syntax") && !path.ends_with("nki_syntax"));
    paths.sort();
    let paths = paths.iter().step_by(8).map(String::as_str);
    let arguments: Vec<_> = options
        .iter()
        .copied()
        .chain(["--warn", "style", "kernels/book"])
        // Something is not looked at.
        .chain(["violations/unresolved_operation"])
        .chain(paths)
        .collect();
    run(&folder, &arguments)
}

fn valid_sarif(output: &Output) -> Value {
    // The pattern of a language, which nothing here writes, has a bracket too many, and a strict reader refuses it.
    let text = visa_tests::read(&repository().join("tests/schemas/sarif-2.1.0.json"));
    let text = text.replace("-[a-zA-Z]{2}]?$", "-[a-zA-Z]{2}$");
    let schema: Value = serde_json::from_str(&text).unwrap();
    let validator = jsonschema::options()
        .should_validate_formats(true)
        .build(&schema)
        .unwrap();
    let document = json(output);
    let errors: Vec<_> = validator
        .iter_errors(&document)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
    document
}

#[test]
fn every_format_reports_the_same_findings() {
    let document = json(&fixtures("json"));
    let findings = document["diagnostics"].as_array().unwrap();
    let confirmed = ["library", "compiler", "model"].map(Value::from);
    for finding in findings {
        let by = &finding["confirmed_by"];
        assert!(by.is_null() || confirmed.contains(by), "{finding}");
    }
    let open: Vec<_> = findings
        .iter()
        .filter(|finding| finding["suppressed"] == false)
        .collect();
    assert!(open.len() > 20, "{}", open.len());
    let sarif = json(&fixtures("sarif"));
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), findings.len());
    for (result, finding) in results.iter().zip(findings) {
        assert_eq!(result["ruleId"], finding["rule"]);
        assert_eq!(
            result["suppressions"].as_array().unwrap().is_empty(),
            finding["suppressed"] == false
        );
    }
    let gitlab = json(&fixtures("gitlab"));
    let rules: Vec<_> = open.iter().map(|finding| &finding["rule"]).collect();
    let issues = gitlab.as_array().unwrap().iter();
    assert_eq!(
        issues.map(|issue| &issue["check_name"]).collect::<Vec<_>>(),
        rules
    );
    let lines = stdout(&fixtures("jsonl"));
    let lines: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let of_type = |wanted: &str| lines.iter().filter(|line| line["type"] == wanted).count();
    assert_eq!(of_type("finding"), findings.len());
    assert_eq!(
        of_type("unresolved"),
        document["unresolved"].as_array().unwrap().len()
    );
    assert_eq!(lines.last().unwrap()["type"], "summary");
    for (line, finding) in lines.iter().zip(findings) {
        assert_eq!(line["message"], finding["message"]);
    }
    // What says the same is one line with its count.
    let agent = stdout(&fixtures("agent"));
    let reported = agent
        .lines()
        .filter(|line| line.contains(" deny ") || line.contains(" warn "))
        .map(|line| {
            let times = line
                .split(" | ")
                .find_map(|part| part.split_once(" times, also at "));
            times.map_or(1, |(count, _)| count.parse::<usize>().unwrap())
        });
    assert_eq!(reported.sum::<usize>(), open.len(), "{agent}");
    for (format, marks) in [
        ("github", &["::"][..]),
        ("short", &[".rs:", ".pto:", ".py:"]),
    ] {
        let text = stdout(&fixtures(format));
        let notes = ["::notice ", ": note[", " note "];
        let lines: Vec<_> = text
            .lines()
            .filter(|line| marks.iter().any(|mark| line.contains(mark)))
            .filter(|line| !notes.iter().any(|note| line.contains(note)))
            .collect();
        assert_eq!(lines.len(), open.len(), "{format}");
        for (line, finding) in lines.iter().zip(&open) {
            assert!(line.contains(finding["rule"].as_str().unwrap()), "{line}");
        }
    }
    let junit = quick_junit::Report::deserialize_from_str(&stdout(&fixtures("junit"))).unwrap();
    assert_eq!(junit.test_suites.len() as u64, document["files"]);
    let denied = open
        .iter()
        .filter(|finding| finding["level"] == "deny")
        .count();
    assert_eq!((junit.failures, junit.errors), (denied, 0));
}

#[test]
fn every_format_prints_the_same_bytes_twice() {
    for format in FORMATS {
        let first = fixtures(format);
        let second = fixtures_with(&["--format", format, "--jobs", "1"]);
        assert!(first.stdout == second.stdout, "{format}");
        // These have no room for how much was not looked at.
        let said = stderr(&first);
        let lines = usize::from(["gitlab", "rdjson", "checkstyle"].contains(&format));
        assert_eq!(said.lines().count(), lines, "{format}: {said}");
    }
}

#[test]
fn every_format_goes_to_a_file_whole() {
    let folder = folder_with(&[("a.rs", FINDINGS.as_bytes())]);
    for format in FORMATS {
        let printed = run(folder.path(), &["a.rs", "--format", format]);
        assert_code(&printed, 1);
        let arguments = ["a.rs", "--format", format, "--output-file", "report"];
        let output = run(folder.path(), &arguments);
        assert_code(&output, 1);
        assert!(output.stdout.is_empty());
        let written = std::fs::read(folder.path().join("report")).unwrap();
        assert!(written == printed.stdout, "{format}");
        let failed = run(folder.path(), &[&arguments[..], &["missing.rs"]].concat());
        assert_code(&failed, 2);
        let kept = std::fs::read(folder.path().join("report")).unwrap();
        assert!(kept == written, "{format}");
    }
}

#[test]
fn sarif_is_valid_and_describes_every_rule() {
    let document = valid_sarif(&fixtures("sarif"));
    let run = &document["runs"][0];
    let driver = &run["tool"]["driver"];
    assert_eq!(run["columnKind"], "unicodeCodePoints");
    let rules = driver["rules"].as_array().unwrap();
    // Those that something is said of, each once.
    let results = run["results"].as_array().unwrap();
    let said: std::collections::BTreeSet<&str> = results
        .iter()
        .map(|result| result["ruleId"].as_str().unwrap())
        .collect();
    let described: Vec<&str> = rules
        .iter()
        .map(|rule| rule["id"].as_str().unwrap())
        .collect();
    assert!(said.iter().all(|rule| described.contains(rule)), "{said:?}");
    assert!(described.len() <= said.len() + 1, "{described:?}");
    for rule in rules {
        for text in [
            "/shortDescription/text",
            "/fullDescription/text",
            "/help/markdown",
        ] {
            let text = rule.pointer(text).and_then(Value::as_str);
            assert!(text.is_some_and(|text| !text.is_empty()), "{rule}");
        }
        let known = visa_analysis::find_rule(rule["id"].as_str().unwrap()).unwrap();
        let enabled = known.default_level() != visa_analysis::Level::Allow;
        let configuration = &rule["defaultConfiguration"];
        assert_eq!(configuration["enabled"], enabled, "{rule}");
    }
    for result in run["results"].as_array().unwrap() {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
    }
}

#[test]
fn sarif_places_findings_and_fixes_as_json_does() {
    let (sarif, plain) = (json(&fixtures("sarif")), json(&fixtures("json")));
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let findings = plain["diagnostics"].as_array().unwrap();
    let number = |value: &Value| value.as_u64().unwrap();
    let mut edits = 0;
    for (result, finding) in results.iter().zip(findings) {
        let place = &result["locations"][0]["physicalLocation"];
        let (region, range) = (&place["region"], &finding["range"]);
        assert_eq!(place["artifactLocation"]["uri"], finding["file"]);
        assert_eq!(region["startLine"], range["start"]["line"]);
        assert_eq!(region["startColumn"], range["start"]["column"]);
        assert_eq!(region["endLine"], range["end"]["line"]);
        assert_eq!(region["endColumn"], range["end"]["column"]);
        assert_eq!(region["byteOffset"], range["start"]["byte"]);
        let end = number(&region["byteOffset"]) + number(&region["byteLength"]);
        assert_eq!(end, number(&range["end"]["byte"]));
        let related = result["relatedLocations"].as_array().map_or(0, Vec::len);
        assert_eq!(related, finding["related"].as_array().unwrap().len());
        for (index, fix) in finding["fixes"].as_array().unwrap().iter().enumerate() {
            let other = &result["fixes"][index];
            // The price stands behind the title.
            let (words, title) = (&other["description"]["text"], &fix["title"]);
            let words = words.as_str().unwrap_or_default();
            let price = words.strip_prefix(title.as_str().unwrap_or_default());
            assert!(
                price.is_some_and(|price| price.is_empty() || price.starts_with(" (")),
                "{words}"
            );
            let changes = other["artifactChanges"].as_array().unwrap().iter();
            let replacements: Vec<_> = changes
                .flat_map(|change| change["replacements"].as_array().unwrap())
                .collect();
            for (replacement, edit) in replacements.iter().zip(fix["edits"].as_array().unwrap()) {
                let deleted = &replacement["deletedRegion"];
                assert_eq!(deleted["byteOffset"], edit["start_byte"]);
                let length = number(&edit["end_byte"]) - number(&edit["start_byte"]);
                assert_eq!(deleted["byteLength"], length);
                assert_eq!(replacement["insertedContent"]["text"], edit["text"]);
                edits += 1;
            }
        }
    }
    assert!(edits > 10, "{edits}");
}

#[test]
fn a_failed_run_says_so_in_sarif() {
    let folder = folder_with(&[(HOSTILE_NAME, HOSTILE.as_bytes())]);
    let arguments = ["--format", "sarif", HOSTILE_NAME];
    let document = valid_sarif(&run(folder.path(), &arguments));
    let whole = &document["runs"][0];
    assert_eq!(whole["invocations"][0]["executionSuccessful"], true);
    let place = &whole["results"][0]["locations"][0]["physicalLocation"];
    let uri = "we%2Ci%3Ar%25d%20%C3%BC%26.rs";
    assert_eq!(place["artifactLocation"]["uri"], uri);
    let failed = run(folder.path(), &[&arguments[..], &["missing.rs"]].concat());
    assert_code(&failed, 2);
    let document = valid_sarif(&failed);
    let invocation = &document["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
}

#[test]
fn sarif_stays_valid_with_operations_that_were_not_looked_at() {
    let text = "#[device(chip = 1)]\nfn k(ctx: &mut Context) { run!(ctx); }\n";
    let folder = folder_with(&[(HOSTILE_NAME, text.as_bytes())]);
    let document = valid_sarif(&run(folder.path(), &["--format", "sarif", "."]));
    let notices = &document["runs"][0]["invocations"][0]["toolExecutionNotifications"];
    assert_eq!(notices.as_array().unwrap().len(), 1);
}

#[test]
fn suppressed_findings_are_in_sarif_and_json_alone() {
    let text =
        "#[allow(tcp::unknown_rule)]\nmod m {\n    #[allow(tcp::no_such_rule)]\n    fn f() {}\n}\n";
    let folder = folder_with(&[("a.rs", text.as_bytes())]);
    for format in FORMATS {
        let output = run(folder.path(), &["a.rs", "--format", format]);
        assert_code(&output, 0);
        let told = stdout(&output).contains("no_such_rule");
        assert_eq!(
            told,
            ["json", "jsonl", "sarif"].contains(&format),
            "{format}"
        );
    }
    let document = valid_sarif(&run(folder.path(), &["a.rs", "--format", "sarif"]));
    let suppressions = &document["runs"][0]["results"][0]["suppressions"];
    assert_eq!(suppressions[0]["kind"], "inSource");
}

#[test]
fn github_commands_are_escaped() {
    let folder = folder_with(&[(HOSTILE_NAME, HOSTILE.as_bytes())]);
    let text = stdout(&run(folder.path(), &["--format", "github"]));
    let lines: Vec<_> = text.lines().collect();
    // The comment's marker and `allow(` have 20 characters.
    let start = "::error file=we%2Ci%3Ar%25d ü&.rs,line=1,endLine=1,col=21,endColumn=";
    assert!(lines[0].starts_with(start), "{text}");
    assert!(lines[0].contains(",title=unknown_rule::"), "{text}");
    assert!(
        lines[0].contains("%25`") && lines[0].contains("%0Ahelp: "),
        "{text}"
    );
    assert!(lines[2].starts_with("::warning file="), "{text}");
    assert_eq!(lines.len(), 4, "{text}");
}

#[test]
fn a_cost_goes_to_a_file_whole_or_not_at_all() {
    let folder = folder_with(&[("a.rs", FINDINGS.as_bytes())]);
    for format in ["human", "json", "trace", "svg"] {
        let arguments = ["cost", "a.rs", "--format", format];
        let printed = run(folder.path(), &arguments);
        assert_code(&printed, 0);
        let to_file = [&arguments[..], &["--output-file", "report"]].concat();
        assert_code(&run(folder.path(), &to_file), 0);
        let written = std::fs::read(folder.path().join("report")).unwrap();
        assert!(written == printed.stdout, "{format}");
        std::fs::write(folder.path().join("report"), "old").unwrap();
        let failed = run(folder.path(), &[&to_file[..], &["missing.rs"]].concat());
        assert_code(&failed, 2);
        assert!(stderr(&failed).contains("`report` is not written"));
        let kept = std::fs::read(folder.path().join("report")).unwrap();
        assert_eq!(kept, b"old", "{format}");
    }
}

#[test]
fn loops_and_arms_decided_at_run_time_leave_no_total() {
    let total_and_reasons = |start: &str, end: &str| {
        let text = format!(
            "use furiosa_visa_std::prelude::*;\naxes![S = 256, K = 64];\n#[device(chip = 1)]\n\
             fn copies(ctx: &mut Context, flag: bool, n: usize, x: &HbmTensor<i32, m![1], m![S, K]>) {{\n{start}\n\
             let a: DmTensor<i32, m![1], m![1 # 2], m![S], m![K]> = x.to_dm(&mut ctx.tdma, 0);\n{end}\n}}\n"
        );
        let folder = folder_with(&[("a.rs", text.as_bytes())]);
        let kernel =
            json(&run(folder.path(), &["cost", "a.rs", "--format", "json"]))["kernels"][0].take();
        let reasons = kernel["unresolved"].as_array().unwrap().iter();
        let reasons: Vec<_> = reasons
            .map(|gap| gap["reason"].as_str().unwrap().to_owned())
            .collect();
        (kernel["cycles"]["total"].as_u64(), reasons)
    };
    let unknown_runs = "how often a loop runs is decided at run time";
    let unknown_arm = "which arm runs is decided at run time";
    for (start, reason) in [
        ("for _ in 0..n {", unknown_runs),
        ("while flag {", unknown_runs),
        ("loop {", unknown_runs),
        ("if flag { return; } {", unknown_arm),
        ("for _ in 0..4 { if flag { break; }", unknown_arm),
    ] {
        assert_eq!(
            total_and_reasons(start, "}"),
            (None, vec![reason.to_owned()]),
            "{start}"
        );
    }
    let once = total_and_reasons("{", "}").0.unwrap();
    for (start, runs) in [
        ("for _ in 0..3 {", 3),
        ("let mut i = 0; while i < 3 { i += 1;", 3),
    ] {
        assert_eq!(
            total_and_reasons(start, "}"),
            (Some(once * runs), vec![]),
            "{start}"
        );
    }
}

#[test]
fn github_is_chosen_in_a_workflow() {
    let folder = folder_with(&[("a.rs", FINDINGS.as_bytes())]);
    let start = |value: &str, arguments: &[&str]| {
        let output = command(folder.path(), arguments)
            .env("GITHUB_ACTIONS", value)
            .output()
            .unwrap();
        stdout(&output).split([' ', '[']).next().unwrap().to_owned()
    };
    assert_eq!(start("true", &["a.rs"]), "::error");
    assert_eq!(start("false", &["a.rs"]), "error");
    assert_eq!(start("true", &["a.rs", "--format", "human"]), "error");
    assert_eq!(start("true", &["a.rs", "--output-file", "out"]), "");
    let written = std::fs::read_to_string(folder.path().join("out")).unwrap();
    assert!(written.starts_with("error[unknown_rule]"), "{written}");
}

#[test]
fn agents_are_known_by_their_environment() {
    let folder = folder_with(&[("a.rs", FINDINGS.as_bytes())]);
    let last = |variables: &[(&str, &str)], arguments: &[&str]| {
        let mut command = command(folder.path(), arguments);
        command.envs(variables.iter().copied());
        let text = stdout(&command.output().unwrap());
        text.lines().last().unwrap_or_default().to_owned()
    };
    let is_agents = |line: &str| line.starts_with("next: ");
    for name in visa_server::AGENT_VARIABLES {
        assert!(is_agents(&last(&[(name, "1")], &["a.rs"])), "{name}");
        for no in ["", "0", "false"] {
            assert!(!is_agents(&last(&[(name, no)], &["a.rs"])), "{name}={no}");
        }
    }
    assert!(!is_agents(&last(&[], &["a.rs"])));
    let agent = ("AI_AGENT", "some-agent");
    // What is asked for wins, and an agent in a workflow is an agent.
    assert!(!is_agents(&last(&[agent], &["a.rs", "--format", "human"])));
    assert!(is_agents(&last(
        &[agent, ("GITHUB_ACTIONS", "true")],
        &["a.rs"]
    )));
    assert_eq!(last(&[agent], &["a.rs", "--output-file", "out"]), "");
    let written = std::fs::read_to_string(folder.path().join("out")).unwrap();
    assert!(written.starts_with("error[unknown_rule]"), "{written}");
}

#[test]
fn agents_get_equal_findings_once_and_the_next_step() {
    let same = "#[allow(tcp::no_such_rule)]\nfn f() {}\n#[allow(tcp::no_such_rule)]\nfn g() {}\n";
    let folder = folder_with(&[("a.rs", same.as_bytes()), ("b.rs", same.as_bytes())]);
    let text = stdout(&run(folder.path(), &["--format", "agent"]));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    assert!(
        lines[0].starts_with("a.rs:1:14 deny unknown_rule | "),
        "{text}"
    );
    assert!(
        lines[0].contains(" | 4 times, also at a.rs:3:14, b.rs:1:14, b.rs:3:14"),
        "{text}"
    );
    assert_eq!(
        lines[2],
        "next: `visa-lint explain unknown_rule` shows a right kernel; then check again"
    );
    let clean = folder_with(&[("a.rs", b"fn f() {}\n")]);
    let text = stdout(&run(clean.path(), &["--format", "agent"]));
    assert!(text.contains("\nnext: `visa-lint cost` "), "{text}");
    let both = stdout(&run(
        clean.path(),
        &["--format", "agent", "a.rs", "nothing.rs"],
    ));
    assert!(
        both.contains("\nnext: standard error says what could not be checked\n"),
        "{both}"
    );
}

#[test]
fn documents_have_the_shape_of_their_schemas() {
    let schema = |name: &str| {
        let path = repository().join("docs").join(name);
        let schema: Value = serde_json::from_str(&visa_tests::read(&path)).unwrap();
        jsonschema::validator_for(&schema).unwrap()
    };
    let check = schema("check.schema.json");
    let valid = |validator: &jsonschema::Validator, document: &Value| {
        let errors = validator.iter_errors(document);
        let errors: Vec<String> = errors
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert_eq!(errors, Vec::<String>::new(), "{document}");
    };
    valid(
        &check,
        &json(&fixtures_with(&["--format", "json", "--statistics"])),
    );
    let line = schema("check-line.schema.json");
    for text in stdout(&fixtures("jsonl")).lines() {
        valid(&line, &serde_json::from_str(text).unwrap());
    }
    let folder = folder_with(&[("a.rs", FINDINGS.as_bytes())]);
    let failed = run(folder.path(), &["--format", "json", "--target", "rngd-x"]);
    valid(&check, &json(&failed));
    let wrong = serde_json::json!({ "version": 1, "diagnostics": [] });
    assert!(!check.is_valid(&wrong) && !check.is_valid(&serde_json::json!({})));
    let (map, sequence) = (schema("map.schema.json"), schema("sequence.schema.json"));
    for (validator, arguments) in [
        (
            &map,
            &[
                "map",
                "A / 2 # 8",
                "--axes",
                "A=8",
                "--type",
                "i8",
                "--index",
                "0..6",
                "--against",
                "A",
            ][..],
        ),
        (&map, &["map", "A +", "--axes", "A=8"]),
        (&map, &["map", "A", "--axes", "A=8", "--index", "9..1"]),
        (
            &sequence,
            &[
                "sequence", "--axes", "A=64", "--buffer", "A", "--packet", "A",
            ],
        ),
        (
            &sequence,
            &[
                "sequence", "--axes", "A=64", "--buffer", "A", "--packet", "A", "--mode", "commit",
            ],
        ),
        (&sequence, &["sequence", "--axes", "A=64", "--buffer", "]"]),
    ] {
        let arguments: Vec<&str> = arguments
            .iter()
            .copied()
            .chain(["--format", "json"])
            .collect();
        valid(validator, &json(&run(folder.path(), &arguments)));
    }
}

#[test]
fn failures_of_a_run_are_json_where_that_was_asked_for() {
    let folder = folder_with(&[("a.rs", FINDINGS.as_bytes())]);
    for (arguments, words) in [
        (
            &["a.rs", "--format", "json", "--select", "nothing"][..],
            "nothing",
        ),
        (
            &["a.rs", "--format=json", "--no-such-option"],
            "--no-such-option",
        ),
        (&["chekc", "--format", "json"], "check"),
        (
            &["cost", "a.rs", "--format", "json", "--kernel", "k"],
            "no kernel is called `k`",
        ),
        (
            &["a.rs", "--format", "jsonl", "--config", "none.toml"],
            "none.toml",
        ),
    ] {
        let output = run(folder.path(), arguments);
        assert_code(&output, 2);
        let error = &json(&output)["error"];
        let message = error["message"].as_str().unwrap_or_default();
        assert!(message.contains(words), "{arguments:?}: {error}");
        assert!(
            error["messages"].is_array() && stderr(&output).contains(words),
            "{arguments:?}"
        );
    }
    assert_eq!(
        stdout(&run(folder.path(), &["a.rs", "--no-such-option"])),
        ""
    );
    // What could be checked is reported, with what could not.
    let output = run(folder.path(), &["a.rs", "none.rs", "--format", "json"]);
    assert_code(&output, 2);
    let document = json(&output);
    assert_eq!(document["diagnostics"].as_array().map(Vec::len), Some(2));
    let errors = &document["errors"];
    assert!(errors[0].as_str().unwrap().contains("none.rs"), "{errors}");
}

#[test]
fn several_texts_are_checked_at_once() {
    let folder = folder_with(&[("a.rs", b"fn f() {}\n")]);
    let line = |path: &str, text: &str| {
        serde_json::json!({ "path": path, "text": text }).to_string() + "\n"
    };
    let input = line("a.rs", FINDINGS) + "\n" + &line("src/ü.rs", FINDINGS);
    let arguments = ["-", "--stdin-texts", "--format", "short", "--quiet"];
    let output = run_with_input(folder.path(), &arguments, input.as_bytes());
    assert_code(&output, 1);
    let text = stdout(&output);
    let places: Vec<&str> = text
        .lines()
        .filter_map(|line| line.split(": ").next())
        .collect();
    assert_eq!(
        places,
        ["a.rs:1:14", "a.rs:3:15", "src/ü.rs:1:14", "src/ü.rs:3:15"]
    );
    assert_eq!(
        std::fs::read(folder.path().join("a.rs")).unwrap(),
        b"fn f() {}\n"
    );
    for (input, words) in [
        (
            "{\"path\": \"a.rs\"}\n".to_owned(),
            "line 1: missing field `text`",
        ),
        ("no JSON\n".to_owned(), "line 1: expected"),
        (line("a.txt", ""), "a.txt"),
        (
            line("a.rs", "") + &line("./a.rs", ""),
            "line 2: `a.rs` is given twice",
        ),
    ] {
        let output = run_with_input(folder.path(), &arguments, input.as_bytes());
        assert_code(&output, 2);
        assert!(stderr(&output).contains(words), "{}", stderr(&output));
    }
    // What is said of an input that is not read ends the run: else the folder would be checked in its place.
    for arguments in [&["--stdin-texts"][..], &[".", "--stdin-filename", "a.rs"]] {
        let unread = run_with_input(folder.path(), arguments, b"");
        assert_code(&unread, 2);
        let words = "says what standard input is, and standard input is not read: name it `-`";
        assert!(stderr(&unread).contains(words), "{}", stderr(&unread));
    }
    let fix = run_with_input(folder.path(), &["-", "--stdin-texts", "--fix"], b"");
    assert_code(&fix, 2);
}

#[test]
fn agents_get_a_line_a_finding_with_its_edits() {
    let folder = folder_with(&[("a.rs", FINDINGS.as_bytes())]);
    let text = stdout(&run(folder.path(), &["--format", "agent"]));
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 4, "{text}");
    assert_eq!(lines[3], "next: `--fix` mends 1 finding; then check again");
    assert!(
        lines[0].starts_with("a.rs:1:14 deny unknown_rule | "),
        "{text}"
    );
    let edit = "| fix: Remove the suppression: delete \"#[expect(tcp::slice_size)]\\n\" at 3:1";
    assert!(lines[1].ends_with(edit), "{text}");
    let statistics = "files=1 kernels=0 configured_out=0 resolved=0 unresolved=0 deny=1 warn=1 suppressed=0 known=0 fixable=1";
    assert_eq!(lines[2], statistics);
    let quiet = stdout(&run(folder.path(), &["--format", "agent", "--quiet"]));
    assert_eq!(quiet.lines().collect::<Vec<_>>(), lines[..2]);

    let fixtures = stdout(&fixtures("agent"));
    let replaced = fixtures
        .lines()
        .find(|line| line.starts_with("kernels/book/gemv.rs:33:54 "))
        .unwrap();
    assert!(
        replaced.ends_with("replace \"m![1]\" with \"m![1 # 4]\""),
        "{replaced}"
    );

    let hostile = folder_with(&[(HOSTILE_NAME, HOSTILE.as_bytes())]);
    let text = stdout(&run(hostile.path(), &["--format", "agent"]));
    assert_eq!(text.lines().count(), 5, "{text}");
    let control = |character: char| character.is_control() && character != '\n';
    assert!(!text.contains(control), "{text:?}");
    assert!(text.contains("`a<b&\"c\\u{1b}[31m\\u{1}%`"), "{text}");
}
