//! Formats that other programs read: GitLab, JUnit, `rdjson`, Checkstyle. Each is held against the shape that its reader documents.

use std::collections::BTreeSet;

use super::formats::{HOSTILE, HOSTILE_NAME, fixtures};
use super::*;

#[test]
fn gitlab_fingerprints_are_unique_and_outlive_edits() {
    let fingerprints = |output: &Output| -> Vec<String> {
        let document = json(output);
        let issues = document.as_array().unwrap().iter();
        issues
            .map(|issue| issue["fingerprint"].as_str().unwrap().to_owned())
            .collect()
    };
    let all = fingerprints(&fixtures("gitlab"));
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());

    // One function twice, and a third with another body: the first two differ by their names alone.
    let body = "#[expect(tcp::slice_size)]\nlet x = 1;\nlet y = x;\n";
    let old = format!("fn f() {{\n{body}{body}}}\nfn g() {{\n{body}}}\n");
    let moved = format!(
        "// moved\n\nfn f() {{ /* away */\n{}{}}}\nfn g() {{\n{body}}}\n",
        body.replace("tcp::", " tcp :: "),
        body.replace("#[expect", "  # [\n  expect")
    );
    let folder = folder_with(&[("a.rs", old.as_bytes())]);
    let arguments = ["a.rs", "--format", "gitlab"];
    let before = fingerprints(&run(folder.path(), &arguments));
    assert_eq!(before.iter().collect::<BTreeSet<_>>().len(), 3);
    std::fs::write(folder.path().join("a.rs"), moved).unwrap();
    assert_eq!(fingerprints(&run(folder.path(), &arguments)), before);
    // Mending the first of `f` leaves one of the two, and `g` as it was.
    std::fs::write(
        folder.path().join("a.rs"),
        old.replacen("#[expect(tcp::slice_size)]\n", "", 1),
    )
    .unwrap();
    let after = fingerprints(&run(folder.path(), &arguments));
    assert_eq!(after, [before[0].clone(), before[2].clone()]);
    // The path's spelling does not count.
    let absolute = folder.path().canonicalize().unwrap().join("a.rs");
    let absolute = run(
        folder.path(),
        &[absolute.to_str().unwrap(), "--format", "gitlab"],
    );
    assert_eq!(fingerprints(&absolute), after);
    assert_eq!(json(&absolute)[0]["location"]["path"], "a.rs");
}

#[test]
fn gitlab_issues_have_the_documented_shape() {
    let folder = folder_with(&[("k/a.rs", FINDINGS.as_bytes())]);
    let document = json(&run(folder.path(), &["--format", "gitlab"]));
    let issue = &document[0];
    assert_eq!(issue["check_name"], "unknown_rule");
    assert_eq!(issue["severity"], "critical");
    assert_eq!(document[1]["severity"], "major");
    let place = serde_json::json!({"path": "k/a.rs", "lines": {"begin": 1, "end": 1}});
    assert_eq!(issue["location"], place);
    assert!(
        issue["description"]
            .as_str()
            .unwrap()
            .contains("no_such_rule")
    );
}

#[test]
fn junit_is_xml_whatever_a_message_holds() {
    let folder = folder_with(&[
        (HOSTILE_NAME, HOSTILE.as_bytes()),
        ("fine.rs", b"fn f() {}\n"),
    ]);
    let text = stdout(&run(folder.path(), &["--format", "junit"]));
    let illegal = |character: char| character.is_control() && !"\n\r\t".contains(character);
    assert!(!text.contains(illegal), "{text:?}");
    let report = quick_junit::Report::deserialize_from_str(&text).unwrap();
    assert_eq!((report.tests, report.failures, report.errors), (4, 2, 0));
    let names: Vec<_> = report
        .test_suites
        .iter()
        .map(|suite| &*suite.name)
        .collect();
    assert_eq!(names, ["fine.rs", HOSTILE_NAME]);
    let suite = &report.test_suites[1];
    assert_eq!(&*suite.test_cases[0].name, "unknown_rule at 1:21");
    let quick_junit::TestCaseStatus::NonSuccess { message, .. } = &suite.test_cases[0].status
    else {
        panic!("a finding at level deny passed");
    };
    let message = message.as_ref().unwrap();
    assert!(message.contains("`a<b&\"c"), "{message:?}");
    let warning = suite.test_cases[2].system_out.as_ref().unwrap();
    assert!(
        warning.contains("warning[unused_suppression]"),
        "{warning:?}"
    );
}

/// The shape of reviewdog's Diagnostic Format: members, words, and that numbers count from 1. Anything else is refused.
fn shape_of_rdjson() -> Value {
    let object = |properties: Value, required: &[&str]| serde_json::json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
    let text = serde_json::json!({"type": "string", "minLength": 1});
    let number = serde_json::json!({"type": "integer", "minimum": 1});
    let place = object(
        serde_json::json!({"line": number, "column": number}),
        &["line"],
    );
    let range = object(
        serde_json::json!({"start": place, "end": place}),
        &["start"],
    );
    let location = object(serde_json::json!({"path": text, "range": range}), &["path"]);
    let severity = serde_json::json!({"enum": ["UNKNOWN_SEVERITY", "ERROR", "WARNING", "INFO"]});
    let source = object(serde_json::json!({"name": text, "url": text}), &["name"]);
    let code = object(serde_json::json!({"value": text, "url": text}), &["value"]);
    let suggestion = object(
        serde_json::json!({"range": range, "text": {"type": "string"}}),
        &["range", "text"],
    );
    let related = object(
        serde_json::json!({"message": {"type": "string"}, "location": location}),
        &["location"],
    );
    let diagnostic = object(
        serde_json::json!({
            "message": text, "location": location, "severity": severity, "source": source, "code": code,
            "suggestions": {"type": "array", "items": suggestion}, "original_output": text,
            "related_locations": {"type": "array", "items": related},
        }),
        &["message", "location"],
    );
    object(
        serde_json::json!({
            "diagnostics": {"type": "array", "items": diagnostic}, "source": source, "severity": severity,
        }),
        &["diagnostics"],
    )
}

/// The byte of a text that a place of reviewdog's format means: lines and bytes of a line, both from 1.
fn byte_of(text: &str, place: &Value) -> usize {
    let number = |name: &str| usize::try_from(place[name].as_u64().unwrap()).unwrap() - 1;
    let before: usize = text
        .split_inclusive('\n')
        .take(number("line"))
        .map(str::len)
        .sum();
    before + number("column")
}

#[test]
fn rdjson_has_reviewdogs_shape_and_suggests_what_fixes_do() {
    let output = fixtures("rdjson");
    let document = json(&output);
    let validator = jsonschema::validator_for(&shape_of_rdjson()).unwrap();
    let faults: Vec<String> = validator
        .iter_errors(&document)
        .map(|fault| format!("{}: {fault}", fault.instance_path()))
        .collect();
    assert_eq!(faults, Vec::<String>::new());
    assert_eq!(document["source"]["name"], "visa-lint");
    let whole = json(&fixtures("json"));
    let findings = whole["diagnostics"].as_array().unwrap().iter();
    let findings: Vec<&Value> = findings
        .filter(|finding| finding["suppressed"] == false)
        .collect();
    let all = document["diagnostics"].as_array().unwrap();
    let (rows, notes) = all.split_at(findings.len());
    assert!(!notes.is_empty() && notes.iter().all(|note| note["severity"] == "INFO"));
    let mut suggestions = 0;
    for (row, finding) in rows.iter().zip(&findings) {
        assert_eq!(row["code"]["value"], finding["rule"]);
        assert_eq!(row["location"]["path"], finding["file"]);
        let severity = if finding["level"] == "deny" {
            "ERROR"
        } else {
            "WARNING"
        };
        assert_eq!(row["severity"], severity);
        let file = finding["file"].as_str().unwrap();
        let text = visa_tests::read(&repository().join("fixtures").join(file));
        let start = byte_of(&text, &row["location"]["range"]["start"]);
        assert_eq!(
            start as u64,
            finding["range"]["start"]["byte"].as_u64().unwrap()
        );
        // Each suggestion, applied, gives what its fix gives with all edits.
        let fixed = finding["fixes"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|fix| {
                let mut edits: Vec<&Value> = fix["edits"].as_array().unwrap().iter().collect();
                edits.sort_by_key(|edit| std::cmp::Reverse(edit["start_byte"].as_u64()));
                let mut fixed = text.clone();
                for edit in &edits {
                    if edit["file"] != finding["file"] {
                        return None;
                    }
                    let byte = |name: &str| usize::try_from(edit[name].as_u64().unwrap()).unwrap();
                    fixed.replace_range(
                        byte("start_byte")..byte("end_byte"),
                        edit["text"].as_str().unwrap(),
                    );
                }
                (!edits.is_empty()).then_some(fixed)
            });
        let suggested = row["suggestions"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|suggestion| {
                let at = |end: &str| byte_of(&text, &suggestion["range"][end]);
                let mut suggested = text.clone();
                suggested
                    .replace_range(at("start")..at("end"), suggestion["text"].as_str().unwrap());
                suggested
            });
        let suggested: Vec<String> = suggested.collect();
        suggestions += suggested.len();
        assert_eq!(suggested, fixed.collect::<Vec<_>>(), "{finding}");
    }
    assert!(suggestions > 5, "{suggestions}");
    // `ü` before a finding is two bytes and one character.
    let folder = folder_with(&[(
        "a.rs",
        "/* ü */ #[allow(tcp::nope)]\nfn f() {}\n".as_bytes(),
    )]);
    let document = json(&run(folder.path(), &["--format", "rdjson"]));
    let start = &document["diagnostics"][0]["location"]["range"]["start"];
    assert_eq!(*start, serde_json::json!({"line": 1, "column": 23}));
}

#[test]
fn checkstyle_is_xml_with_a_row_a_finding() {
    let folder = folder_with(&[
        (HOSTILE_NAME, HOSTILE.as_bytes()),
        ("fine.rs", b"fn f() {}\n"),
    ]);
    let text = stdout(&run(folder.path(), &["--format", "checkstyle"]));
    let mut reader = quick_xml::Reader::from_str(&text);
    let mut rows = Vec::new();
    loop {
        use quick_xml::events::Event;
        let event = reader.read_event().unwrap();
        let (Event::Start(element) | Event::Empty(element)) = event else {
            if event == Event::Eof {
                break;
            }
            continue;
        };
        let attributes = element.attributes().map(|attribute| {
            let attribute = attribute.unwrap();
            let key = String::from_utf8(attribute.key.as_ref().to_vec()).unwrap();
            let value = attribute.normalized_value(quick_xml::XmlVersion::Explicit1_0);
            (key, value.unwrap().into_owned())
        });
        let name = String::from_utf8(element.name().as_ref().to_vec()).unwrap();
        rows.push((name, attributes.collect::<Vec<(String, String)>>()));
    }
    let names: Vec<&str> = rows.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        ["checkstyle", "file", "file", "error", "error", "error"]
    );
    assert_eq!(rows[0].1[0].0, "version");
    let of_file = |row: usize| rows[row].1[0].clone();
    assert_eq!(of_file(1), ("name".to_owned(), "fine.rs".to_owned()));
    assert_eq!(of_file(2), ("name".to_owned(), HOSTILE_NAME.to_owned()));
    for (row, severity) in [(3, "error"), (4, "error"), (5, "warning")] {
        let keys: Vec<&str> = rows[row].1.iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(keys, ["line", "column", "severity", "message", "source"]);
        assert_eq!(rows[row].1[2].1, severity);
    }
    let first: Vec<&str> = rows[3].1.iter().map(|(_, value)| value.as_str()).collect();
    assert_eq!(
        (first[0], first[1], first[4]),
        ("1", "21", "visa-lint.unknown_rule")
    );
    // Line breaks of a message are still there when it was read; what XML cannot hold is not.
    assert!(first[3].contains("`a<b&\"c\u{fffd}[31m"), "{first:?}");
    assert!(rows[5].1[3].1.contains('\n'), "{:?}", rows[5]);
}
