//! What was not looked at: said in every format, counted, and never called free of findings.

use super::*;
use visa_tests::{read, repository};

/// A transfer, a pass with a misspelt method on line 6, and a macro on line 7 that is given the context.
const PARTLY: &str = "use furiosa_visa_std::prelude::*;
axes![L = 4096];
#[device(chip = 1)]
fn k(ctx: &mut Context, lanes: &HbmTensor<i32, m![1], m![L]>) {
    let lanes = lanes.to_dm::<m![1 # 2], m![L / 16], m![L % 16]>(&mut ctx.tdma, 0);
    ctx.main.begin(lanes.view()).fetch::<i32, m![1], m![L % 16]>().colect::<m![L / 8 % 2], m![L % 8]>();
    send_on!(ctx, lanes);
}
";

/// A kernel of which nothing is understood.
const NOTHING: &str = "use furiosa_visa_std::prelude::*;
#[device(chip = 1)]
fn k(ctx: &mut Context) {
    send_on!(ctx);
}
";

const METHOD: &str = "`colect` is not checked: unknown method `colect`; the nearest is `collect`";
const MACRO: &str = "`send_on!` is not checked: the macro `send_on!` is not expanded";
const HINT: &str = "2 operations were not checked";

/// The report of the partly understood kernel in a format.
fn partly(options: &[&str]) -> Output {
    let folder = folder_with(&[("a.rs", PARTLY.as_bytes())]);
    let output = run(folder.path(), &[&["a.rs"], options].concat());
    assert_code(&output, 0);
    output
}

#[test]
fn the_summary_counts_what_was_not_looked_at_and_says_how_to_see_it() {
    assert_eq!(
        stdout(&partly(&[])),
        format!(
            "note: a.rs:6:68: {METHOD}\nnote: a.rs:7:5: {MACRO}\n\
             1 kernel, 3 operations (2 unresolved): nothing found in the others\n{HINT}\n"
        )
    );
    assert_eq!(stdout(&partly(&["--quiet"])), "");
    assert_eq!(
        stdout(&partly(&["--format", "short"])),
        format!(
            "a.rs:6:68: note[unresolved_operation] {METHOD}\n\
             a.rs:7:5: note[unresolved_operation] {MACRO}\n{HINT}\n"
        )
    );
    assert_eq!(stdout(&partly(&["--format", "short", "--quiet"])), "");
    let gitlab = partly(&["--format", "gitlab"]);
    assert_eq!(json(&gitlab), serde_json::json!([]));
    // Nothing of that format lists them.
    let hint = format!("{HINT}; --warn unresolved_operation shows them\n");
    assert_eq!(stderr(&gitlab), hint);
}

#[test]
fn nothing_understood_is_not_called_free_of_findings() {
    let folder = folder_with(&[("a.rs", NOTHING.as_bytes())]);
    let output = run(folder.path(), &["a.rs"]);
    assert_code(&output, 0);
    assert_eq!(
        stdout(&output),
        "note: a.rs:4:5: `send_on!` is not checked: the macro `send_on!` is not expanded\n\
         nothing in a.rs was checked: 1 operation, the macro `send_on!` is not expanded\n\
         1 kernel, 1 operation (1 unresolved): nothing was checked\n\
         1 operation was not checked\n"
    );
    let empty = folder_with(&[]);
    let output = run(empty.path(), &[]);
    assert!(stdout(&output).ends_with(": no file was checked\n"));
}

#[test]
fn a_rule_shows_them_and_ci_can_deny_it() {
    let folder = folder_with(&[("a.rs", PARTLY.as_bytes())]);
    let denied = [
        "a.rs",
        "--deny",
        "unresolved_operation",
        "--format",
        "short",
    ];
    let output = run(folder.path(), &denied);
    assert_code(&output, 1);
    assert_eq!(
        stdout(&output),
        format!(
            "a.rs:6:68: error[unresolved_operation] {METHOD}\n\
             a.rs:7:5: error[unresolved_operation] {MACRO}\n\
             2 operations were not checked\n"
        )
    );
    let human = stdout(&partly(&["--warn", "unresolved_operation"]));
    assert!(human.contains("warning[unresolved_operation]"), "{human}");
    assert!(!human.contains("--warn"), "{human}");
    // Nobody can promise anything about what is not seen, and a promise of not seeing is kept.
    let allowed = PARTLY.replace(
        "    send_on",
        "    // visa-lint: allow(unresolved_operation)\n    send_on",
    );
    let folder = folder_with(&[("a.rs", allowed.as_bytes())]);
    let output = run(folder.path(), &denied);
    assert!(!stdout(&output).contains("send_on"), "{}", stdout(&output));
}

#[test]
fn programs_read_place_subject_and_reason() {
    let document = json(&partly(&["--format", "json"]));
    let method = &document["unresolved"][0];
    assert_eq!(method["file"], "a.rs");
    assert_eq!(method["what"], "colect");
    assert_eq!(
        method["reason"],
        "unknown method `colect`; the nearest is `collect`"
    );
    let start = &method["range"]["start"];
    assert_eq!((&start["line"], &start["column"]), (&6.into(), &68.into()));
    assert_eq!(document["unresolved"][1]["what"], "send_on!");
    assert_eq!(document["unresolved"].as_array().unwrap().len(), 2);
    let sarif = json(&partly(&["--format", "sarif"]));
    let run = &sarif["runs"][0];
    let notices = &run["invocations"][0]["toolExecutionNotifications"];
    assert_eq!(notices[0]["message"]["text"], METHOD);
    assert_eq!(notices[1]["message"]["text"], MACRO);
    let place = &notices[1]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "a.rs");
    assert_eq!(place["region"]["startLine"], 7);
    let index = notices[0]["associatedRule"]["index"].as_u64().unwrap();
    let rule = &run["tool"]["driver"]["rules"][usize::try_from(index).unwrap()];
    assert_eq!(rule["id"], "unresolved_operation");
}

#[test]
fn ci_systems_are_told_in_their_own_way() {
    let github = stdout(&partly(&["--format", "github"]));
    assert!(
        github.starts_with(&format!(
            "::notice file=a.rs,line=6,title=unresolved_operation::{METHOD}\n"
        )),
        "{github}"
    );
    assert!(github.ends_with(&format!("{HINT}\n")), "{github}");
    let junit = stdout(&partly(&["--format", "junit"]));
    assert!(junit.contains("skipped=\"2\""), "{junit}");
    assert!(
        junit.contains("name=\"unresolved_operation at 6:68\""),
        "{junit}"
    );
    assert!(junit.contains("the nearest is `collect`"), "{junit}");
    let agent = stdout(&partly(&["--format", "agent"]));
    assert!(
        agent.starts_with(&format!("a.rs:6:68 note unresolved_operation | {METHOD}\n")),
        "{agent}"
    );
}

/// A kernel of so many passes; the one of a number collects two flits at once, which no kernel may.
fn passes(count: usize, wrong: usize) -> String {
    let mut text = "use furiosa_visa_std::prelude::*;
axes![X = 1024];
#[device(chip = 1)]
fn k(ctx: &mut Context, x: &DmTensor<i8, m![1], m![1 # 2], m![1 # 256], m![X]>) {
"
    .to_owned();
    for pass in 0..count {
        let size = if pass == wrong { 64 } else { 32 };
        text.push_str(&format!(
            "let y = ctx.main.begin(x.view()).fetch::<i8, m![X / 32], m![X % 32]>()\
             .collect::<m![X / {size}], m![X % {size}]>().commit::<m![X]>({});\n",
            1024 * (1 + pass % 100)
        ));
    }
    text.push_str("}\n");
    text
}

#[test]
fn an_illegal_operation_is_found_wherever_it_stands() {
    let folder = folder_with(&[("a.rs", passes(4_200, 4_150).as_bytes())]);
    let output = run(
        folder.path(),
        &["a.rs", "--select", "hardware", "--format", "json"],
    );
    assert_code(&output, 1);
    let document = json(&output);
    assert_eq!(
        document["operations"],
        serde_json::json!({"resolved": 4_200, "unresolved": 0})
    );
    let line = &document["diagnostics"][0]["range"]["start"]["line"];
    // Four lines are before the first pass.
    assert_eq!(*line, 4_150 + 5);
}

#[test]
fn a_limit_is_a_warning_with_a_place_and_a_count() {
    let copies = "let t: T = x.to_dm(&mut ctx.tdma, 0);\n".repeat(2_000);
    let text = format!(
        "use furiosa_visa_std::prelude::*;
axes![A = 2048];
type T = DmTensor<i32, m![1], m![1 # 2], m![A / 8], m![A % 8]>;
#[device(chip = 1)]
fn kernel(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![A]>) {{
    many(ctx, x); many(ctx, x); many(ctx, x);
    let one: T = x.to_dm(&mut ctx.tdma, 64);
    let two: T = x.to_dm(&mut ctx.tdma, 128);
}}
fn many(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![A]>) {{
{copies}}}
"
    );
    let folder = folder_with(&[("a.rs", text.as_bytes())]);
    let arguments = ["a.rs", "--select", "toolchain", "--format", "short"];
    let output = run(folder.path(), &arguments);
    assert_code(&output, 0);
    assert_eq!(
        stdout(&output),
        "a.rs:7:20: warning[analysis_limit] the analysis of `kernel` ends after 4,098 operations: 2 operations from here on are \
         not checked\n\
         2 operations were not checked\n"
    );
}

/// A file of each language that takes part and of which nothing is followed, with the operations in it and why.
const NOT_FOLLOWED: [(&str, &str, u64, &str); 4] = [
    (
        "host.rs",
        "use furiosa_visa_std::prelude::*;\nfn main() {}\n",
        0,
        "the file names the library, and no kernel in it is recognised",
    ),
    (
        "helper.py",
        "import neuronxcc.nki.language as nl\n\ndef tile(x):\n    return x\n",
        0,
        "the file imports NKI, and no transfer in it is recognised",
    ),
    (
        "cube.pto",
        "func.func @f(%a: !pto.ptr<f16, l1>, %b: !pto.ptr<f16, left>, %n: i64) {\n  \
         pto.mte_l1_l0a %a, %b, %n, %n, %n, %n : !pto.ptr<f16, l1>, !pto.ptr<f16, left>, i64, i64, i64, i64\n  return\n}\n",
        1,
        "transfers between the memories of the matrix unit are not followed",
    ),
    (
        "compute.pto",
        "func.func @f(%a: !pto.vreg<64xf32>) {\n  %b = pto.vexp %a : !pto.vreg<64xf32> -> !pto.vreg<64xf32>\n  return\n}\n",
        0,
        "no transfer in the file is recognised",
    ),
];

#[test]
fn a_file_of_which_nothing_is_followed_is_never_free_of_findings() {
    for (name, text, operations, reason) in NOT_FOLLOWED {
        let folder = folder_with(&[(name, text.as_bytes())]);
        let plural = if operations == 1 { "" } else { "s" };
        let said =
            format!("nothing in {name} was checked: {operations} operation{plural}, {reason}");
        for format in ["human", "short", "agent", "github", "sarif"] {
            let output = run(folder.path(), &[name, "--format", format]);
            assert_code(&output, 0);
            let text = stdout(&output);
            // People's lines are wrapped.
            let whole = text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(whole.contains(&said), "{format}: {text}");
            assert!(!text.contains("no findings"), "{format}: {text}");
        }
        for format in ["gitlab", "rdjson", "checkstyle"] {
            let output = run(folder.path(), &[name, "--format", format]);
            assert_code(&output, 0);
            assert!(
                stderr(&output).contains(&said),
                "{format}: {}",
                stderr(&output)
            );
        }
        let document = json(&run(folder.path(), &[name, "--format", "json"]));
        let wanted =
            serde_json::json!([{"file": name, "operations": operations, "reason": reason}]);
        assert_eq!(document["not_followed"], wanted);
        let lines = stdout(&run(folder.path(), &[name, "--format", "jsonl"]));
        let last: serde_json::Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
        assert_eq!(last["not_followed"], wanted);
        let junit = stdout(&run(folder.path(), &[name, "--format", "junit"]));
        for words in [name, "skipped=\"1\"", reason] {
            assert!(junit.contains(words), "{junit}");
        }
        let counted = stdout(&run(folder.path(), &[name, "--statistics"]));
        assert!(counted.contains(&format!("    {reason}")), "{counted}");
        let denied = ["--deny", "unresolved_operation", "--format", "short"];
        let denied = run(folder.path(), &[&[name][..], &denied].concat());
        assert_code(&denied, 1);
        assert!(
            stdout(&denied).contains("error[unresolved_operation]"),
            "{}",
            stdout(&denied)
        );
    }
}

#[test]
fn what_is_followed_in_part_or_declares_only_is_not_named() {
    let followed = read(&repository().join("fixtures/violations/pto_unsynchronised/right.pto"));
    let folder = folder_with(&[
        (
            "axes.rs",
            b"use furiosa_visa_std::prelude::*;\naxes![A = 8];\n",
        ),
        ("k.pto", followed.as_bytes()),
        (
            "constants.py",
            b"import neuronxcc.nki.language as nl\n\nTILE = nl.tile_size.pmax\n",
        ),
    ]);
    let output = run(folder.path(), &["."]);
    assert_code(&output, 0);
    assert!(
        !stdout(&output).contains("nothing in"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn reasons_come_by_how_often_they_are() {
    let load = "  pto.mgather ins(%a, %a : !a, !a) outs(%a : !a)\n";
    let cube = "  pto.mte_l1_l0a %a, %a\n".repeat(3);
    let text = format!("func.func @f(%a: !a) {{\n{load}{cube}  return\n}}\n");
    let folder = folder_with(&[("k.pto", text.as_bytes())]);
    let counted = stdout(&run(folder.path(), &["k.pto", "--statistics"]));
    let place = |words: &str| {
        counted
            .find(words)
            .unwrap_or_else(|| panic!("{words}: {counted}"))
    };
    assert!(place("    transfers between") < place("    gathers and scatters"));
    assert!(
        counted.contains(
            "nothing in k.pto was checked: 4 operations, most: transfers between the memories"
        ),
        "{counted}"
    );
}
