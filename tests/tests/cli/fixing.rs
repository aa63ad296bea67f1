//! `--fix` and `--diff`: what is changed, what is left alone, and what is said.

use std::fs;
use std::path::Path;

use super::*;

/// A file whose suppression is of no use: the fix removes it. The line breaks are mixed, and a mark is first.
const UNUSED: &str = "\u{feff}// größe\r\n#[allow(tcp::slice_size)] // ü\r\nfn f() {}\n";
const MENDED: &str = "\u{feff}// größe\r\n// ü\r\nfn f() {}\n";
/// A misspelt rule: what was meant is only likely.
const MISSPELT: &str = "#[allow(tcp::slice_siez)]\nfn f() {}\n";

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().flatten();
    let mut names: Vec<_> = entries
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn read(folder: &TempDir, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).unwrap()
}

#[test]
fn fixes_are_written_and_every_other_byte_stays() {
    let folder = folder_with(&[("a.rs", UNUSED.as_bytes()), ("b.rs", b"fn g() {}\n")]);
    let other = fs::metadata(folder.path().join("b.rs")).unwrap().modified();
    let output = run(folder.path(), &["--fix"]);
    assert_code(&output, 0);
    assert_eq!(read(&folder, "a.rs"), MENDED);
    assert_eq!(stderr(&output), "1 fixed, 0 remaining (1 file changed)\n");
    assert_eq!(stdout(&output), "0 kernels, 0 operations: no findings\n");
    assert_eq!(names(folder.path()), ["a.rs", "b.rs"]);
    let untouched = fs::metadata(folder.path().join("b.rs")).unwrap().modified();
    assert_eq!(other.unwrap(), untouched.unwrap());
    let again = run(folder.path(), &["--fix", "--quiet"]);
    assert_code(&again, 0);
    assert_eq!(read(&folder, "a.rs"), MENDED);
    assert_eq!((stdout(&again), stderr(&again)), Default::default());
}

#[test]
fn what_cannot_be_fixed_is_still_reported_and_fails() {
    let text = format!("{FINDINGS}{MISSPELT}");
    let folder = folder_with(&[("a.rs", text.as_bytes())]);
    let output = run(folder.path(), &["a.rs", "--fix", "--format", "json"]);
    assert_code(&output, 1);
    assert_eq!(stderr(&output), "1 fixed, 2 remaining (1 file changed)\n");
    assert_eq!(
        rules_and_levels(&json(&output)),
        ["unknown_rule deny", "unknown_rule deny"]
    );
    let after = text.replace("#[expect(tcp::slice_size)]\n", "");
    assert_eq!(read(&folder, "a.rs"), after);
}

#[test]
fn rules_that_do_not_run_fix_nothing() {
    for options in [
        ["--ignore", "unused_suppression"],
        ["--allow", "suspicious"],
        ["--select", "hardware"],
    ] {
        let folder = folder_with(&[("a.rs", UNUSED.as_bytes())]);
        let output = run(folder.path(), &[&["a.rs", "--fix"][..], &options].concat());
        assert_code(&output, 0);
        assert_eq!(stderr(&output), "0 fixed, 0 remaining\n");
        assert_eq!(read(&folder, "a.rs"), UNUSED);
    }
}

#[test]
fn likely_fixes_are_applied_on_request_and_what_they_lead_to_is_fixed_too() {
    let folder = folder_with(&[("a.rs", MISSPELT.as_bytes())]);
    let sure = run(folder.path(), &["a.rs", "--fix"]);
    assert_code(&sure, 1);
    assert_eq!(read(&folder, "a.rs"), MISSPELT);
    // The name that was meant suppresses nothing either: the next round removes the attribute.
    let likely = run(folder.path(), &["a.rs", "--fix", "--unsafe-fixes"]);
    assert_code(&likely, 0);
    assert_eq!(read(&folder, "a.rs"), "fn f() {}\n");
    assert_eq!(stderr(&likely), "1 fixed, 0 remaining (1 file changed)\n");
}

#[test]
fn a_name_is_a_guess() {
    // Another letter is another axis, and a similar name is one that somebody has to look at.
    for (text, guess) in [
        ("axes![A = 8192];\ntype Slice = m![B / 32];\n", None),
        (
            "axes![Tokens = 8192];\ntype Slice = m![Token / 32];\n",
            Some("axes![Tokens = 8192];\ntype Slice = m![Tokens / 32];\n"),
        ),
    ] {
        let folder = folder_with(&[("a.rs", text.as_bytes())]);
        let sure = run(folder.path(), &["a.rs", "--fix"]);
        assert_code(&sure, 1);
        assert_eq!(stderr(&sure), "0 fixed, 1 remaining\n");
        assert_eq!(read(&folder, "a.rs"), text);
        let likely = run(folder.path(), &["a.rs", "--fix", "--unsafe-fixes"]);
        assert_code(&likely, i32::from(guess.is_none()));
        assert_eq!(read(&folder, "a.rs"), guess.unwrap_or(text));
    }
}

/// One axis that does not divide, at three places in two functions.
const INDIVISIBLE: &str = "axes![D = 60];\nfn f() {\n    type T = m![D / 8];\n    type P = m![D % 8];\n}\n\
                           fn g() {\n    type T = m![D / 8];\n}\n";

#[test]
fn a_fault_of_several_places_is_counted_fixed_and_known_once() {
    let folder = folder_with(&[("a.rs", INDIVISIBLE.as_bytes())]);
    let output = run(folder.path(), &["a.rs", "--format", "json"]);
    let document = json(&output);
    assert_eq!(rules_and_levels(&document), ["stride_indivisible deny"]);
    let related = document["diagnostics"][0]["related"].as_array().unwrap();
    assert_eq!(related.len(), 2);
    // Two rules find it: what one of them is allowed the other still says.
    for (options, code) in [
        (["--allow", "stride_indivisible"], 1),
        (["--select", "modulo_indivisible"], 1),
        (["--allow", "mapping"], 0),
    ] {
        let output = run(folder.path(), &[&["a.rs"], &options[..]].concat());
        assert_code(&output, code);
    }
    let known = run(folder.path(), &["a.rs", "--write-baseline", "b.json"]);
    assert_eq!(stderr(&known), "1 finding written to `b.json`\n");
    assert_code(&run(folder.path(), &["a.rs", "--baseline", "b.json"]), 0);
    // A comment each in the two functions.
    let allowed = run(folder.path(), &["a.rs", "--add-ignore"]);
    assert_code(&allowed, 0);
    assert_eq!(read(&folder, "a.rs").matches("visa-lint: allow").count(), 2);
    assert_code(&run(folder.path(), &["a.rs", "--deny", "warnings"]), 0);
    std::fs::write(folder.path().join("a.rs"), INDIVISIBLE).unwrap();
    let fixed = run(folder.path(), &["a.rs", "--fix", "--unsafe-fixes"]);
    assert_code(&fixed, 0);
    assert_eq!(stderr(&fixed), "1 fixed, 0 remaining (1 file changed)\n");
    let after = INDIVISIBLE.replace("D / 8", "D # 64 / 8");
    assert_eq!(read(&folder, "a.rs"), after.replace("D % 8", "D # 64 % 8"));
}

#[test]
fn only_named_files_are_changed() {
    let folder = folder_with(&[
        ("Cargo.toml", b"[package]\nname = \"k\"\n"),
        ("src/lib.rs", b"mod a;\nmod b;\n"),
        ("src/a.rs", UNUSED.as_bytes()),
        ("src/b.rs", UNUSED.as_bytes()),
    ]);
    assert_code(&run(folder.path(), &["src/a.rs", "--fix"]), 0);
    assert_eq!(read(&folder, "src/a.rs"), MENDED);
    assert_eq!(read(&folder, "src/b.rs"), UNUSED);
}

#[test]
fn a_diff_says_what_would_change_and_changes_nothing() {
    let folder = folder_with(&[
        ("k/a.rs", UNUSED.as_bytes()),
        ("k/b.rs", FINDINGS.as_bytes()),
    ]);
    let output = run(folder.path(), &["k", "--diff"]);
    assert_code(&output, 1);
    let expected = "--- a/k/a.rs\n+++ b/k/a.rs\n@@ -1,3 +1,3 @@\n \u{feff}// größe\r\n\
                    -#[allow(tcp::slice_size)] // ü\r\n+// ü\r\n fn f() {}\n\
                    --- a/k/b.rs\n+++ b/k/b.rs\n@@ -1,4 +1,3 @@\n #[allow(tcp::no_such_rule)]\n fn f() {}\n\
                    -#[expect(tcp::slice_size)]\n fn g() {}\n";
    assert_eq!(stdout(&output), expected);
    assert_eq!(stderr(&output), "2 findings would be fixed in 2 files\n");
    assert_eq!(read(&folder, "k/a.rs"), UNUSED);
    assert_eq!(read(&folder, "k/b.rs"), FINDINGS);
    let colored = run(folder.path(), &["k", "--diff", "--color", "always"]);
    assert!(stdout(&colored).contains("\u{1b}[32m+// ü\r\u{1b}[0m\n"));
    assert_code(&run(folder.path(), &["k", "--diff", "--exit-zero"]), 0);
    // What is found and cannot be fixed is no difference.
    let unfixable = folder_with(&[("a.rs", MISSPELT.as_bytes())]);
    let output = run(unfixable.path(), &["--diff"]);
    assert_code(&output, 0);
    assert_eq!(stdout(&output), "");
    assert_eq!(stderr(&output), "nothing would be fixed\n");
    assert_code(&run(unfixable.path(), &["--diff", "--unsafe-fixes"]), 1);
    assert_code(&run(unfixable.path(), &["--diff", "missing.rs"]), 2);
    assert_code(&run(unfixable.path(), &["--diff", "--fix"]), 2);
}

#[test]
fn standard_input_comes_out_mended() {
    let folder = folder_with(&[]);
    let output = run_with_input(folder.path(), &["-", "--fix"], UNUSED.as_bytes());
    assert_code(&output, 0);
    assert_eq!(stdout(&output), MENDED);
    // What is left is said beside it.
    let output = run_with_input(
        folder.path(),
        &["-", "--fix", "--format", "short"],
        FINDINGS.as_bytes(),
    );
    assert_code(&output, 1);
    assert_eq!(
        stdout(&output),
        FINDINGS.replace("#[expect(tcp::slice_size)]\n", "")
    );
    let said = stderr(&output);
    assert!(
        said.starts_with("<stdin>:1:14: error[unknown_rule]"),
        "{said}"
    );
    assert!(
        said.ends_with("1 fixed, 1 remaining (1 file changed)\n"),
        "{said}"
    );
    // A text without findings comes out as it is, one that is no text not at all.
    let fine = run_with_input(folder.path(), &["-", "--fix", "-q"], b"fn f(\r\n");
    assert_eq!(stdout(&fine), "fn f(\r\n");
    let bytes = run_with_input(folder.path(), &["-", "--fix"], b"\xff");
    assert_code(&bytes, 2);
    assert_eq!(stdout(&bytes), "");
    let diff = run_with_input(
        folder.path(),
        &["-", "--diff", "--stdin-filename", "k.rs"],
        MISSPELT.as_bytes(),
    );
    assert_code(&diff, 0);
    assert!(names(folder.path()).is_empty());
}

#[cfg(unix)]
#[test]
fn what_a_link_leads_to_outside_of_the_folders_stays() {
    use std::os::unix::fs::symlink;
    let folder = folder_with(&[
        ("other/k.rs", UNUSED.as_bytes()),
        ("own/a.rs", UNUSED.as_bytes()),
        ("own/more/b.rs", UNUSED.as_bytes()),
    ]);
    let own = folder.path().join("own");
    symlink("../other/k.rs", own.join("k.rs")).unwrap();
    // One to another file of the folder is its own file.
    symlink("more/b.rs", own.join("c.rs")).unwrap();
    let words = "warning: `k.rs` is a link to a file outside of the folders that are given: it is not changed\n";
    let diff = run(&own, &[".", "--diff"]);
    assert!(stderr(&diff).starts_with(words), "{}", stderr(&diff));
    assert!(!stdout(&diff).contains("k.rs"), "{}", stdout(&diff));
    // The finding is still reported.
    for arguments in [
        &[".", "--fix"][..],
        &["k.rs", "--fix"],
        &["k.rs", "--add-ignore"],
    ] {
        let fixed = run(&own, arguments);
        assert_code(&fixed, 0);
        assert!(stderr(&fixed).starts_with(words), "{}", stderr(&fixed));
        assert!(
            stdout(&fixed).contains("unused_suppression"),
            "{}",
            stdout(&fixed)
        );
        assert_eq!(read(&folder, "other/k.rs"), UNUSED);
    }
    assert_eq!(read(&folder, "own/a.rs"), MENDED);
    assert_eq!(read(&folder, "own/more/b.rs"), MENDED);
    // Where both folders are given, it is inside.
    assert_code(&run(folder.path(), &["own", "other", "--fix"]), 0);
    assert_eq!(read(&folder, "other/k.rs"), MENDED);
}

#[cfg(unix)]
#[test]
fn permissions_and_links_are_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = folder_with(&[
        ("real/a.rs", UNUSED.as_bytes()),
        ("k/b.rs", UNUSED.as_bytes()),
    ]);
    let target = folder.path().join("real/a.rs");
    fs::set_permissions(&target, fs::Permissions::from_mode(0o750)).unwrap();
    symlink("../real/a.rs", folder.path().join("k/a.rs")).unwrap();
    let named = ["k/a.rs", "k/b.rs", "--fix"];
    assert_code(&run(folder.path(), &named), 0);
    assert_eq!(read(&folder, "real/a.rs"), MENDED);
    let link = fs::symlink_metadata(folder.path().join("k/a.rs")).unwrap();
    assert!(link.file_type().is_symlink());
    let mode = fs::metadata(&target).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o750);
    // A file that may not be written: it and all others stay.
    fs::write(&target, UNUSED).unwrap();
    fs::write(folder.path().join("k/b.rs"), UNUSED).unwrap();
    fs::set_permissions(&target, fs::Permissions::from_mode(0o444)).unwrap();
    let output = run(folder.path(), &named);
    assert_code(&output, 2);
    assert_eq!(
        stderr(&output),
        "error: cannot write `k/a.rs`: the file is read-only\n"
    );
    assert_eq!(read(&folder, "real/a.rs"), UNUSED);
    assert_eq!(read(&folder, "k/b.rs"), UNUSED);
    assert_eq!(names(&folder.path().join("k")), ["a.rs", "b.rs"]);
    assert_eq!(names(&folder.path().join("real")), ["a.rs"]);
}

#[test]
fn every_fixture_is_fixed_once_and_for_all() {
    let fixtures = repository().join("fixtures");
    let folder = tempfile::tempdir().unwrap();
    let sources = visa_tests::rust_files(&fixtures);
    for source in &sources {
        let path = folder.path().join(source.strip_prefix(&fixtures).unwrap());
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::copy(source, path).unwrap();
    }
    let denied = |output: &Output| {
        let document = json(output);
        let all = rules_and_levels(&document);
        all.iter()
            .filter(|finding| finding.ends_with("deny"))
            .count()
    };
    let before = run(folder.path(), &["--format", "json"]);
    let first = run(
        folder.path(),
        &["--fix", "--unsafe-fixes", "--format", "json"],
    );
    assert!(denied(&first) < denied(&before));
    let texts = || -> Vec<String> {
        let files = visa_tests::rust_files(folder.path());
        files.iter().map(|path| visa_tests::read(path)).collect()
    };
    let fixed = texts();
    let second = run(
        folder.path(),
        &["--fix", "--unsafe-fixes", "--format", "json"],
    );
    assert!(
        stderr(&second).starts_with("0 fixed, "),
        "{}",
        stderr(&second)
    );
    assert!(texts() == fixed);
    assert_eq!(first.stdout, second.stdout);
}

/// A fixture, as a file of its own.
fn fixture_in_folder(name: &str) -> (TempDir, String) {
    let text = visa_tests::read(&repository().join(format!("fixtures/violations/{name}.rs")));
    let folder = folder_with(&[("a.rs", text.as_bytes())]);
    (folder, text)
}

#[test]
fn a_fix_that_changes_a_signature_is_left_out_unless_its_rule_is_named() {
    let (folder, text) = fixture_in_folder("hbm_partial_write/wrong");
    let all = ["a.rs", "--fix", "--unsafe-fixes"];
    let output = run(folder.path(), &all);
    assert_eq!(
        stderr(&output),
        "0 fixed, 1 remaining\n1 fix not applied: it changes the signature of `store`\n"
    );
    assert_eq!(read(&folder, "a.rs"), text);
    // The group of the rule is no name of it.
    run(
        folder.path(),
        &[&all[..], &["--select", "performance"]].concat(),
    );
    assert_eq!(read(&folder, "a.rs"), text);
    let named = ["--select", "hbm_partial_write"];
    let output = run(folder.path(), &[&all[..], &named].concat());
    assert_eq!(stderr(&output), "1 fixed, 0 remaining (1 file changed)\n");
    assert!(read(&folder, "a.rs").contains("-> HbmTensor<i8, Chip, m![S, R, K]>"));
}

/// Rows of 128 bytes in a tensor that the kernel loads itself: longer rows are loaded in small packets.
const STARVED: &str = "use furiosa_visa_std::prelude::*;
axes![S = 256, T = 64, P = 32];
type Chip = m![1];
type Cluster = m![1 # 2];
type Slice = m![S];
#[device(chip = 1)]
fn reorder(ctx: &mut Context, input: &HbmTensor<i8, Chip, m![S, T, P # 128]>) -> HbmTensor<i8, Chip, m![S, T, P]> {
    let input: DmTensor<i8, Chip, Cluster, Slice, m![T, P # 128]> = input.to_dm(&mut ctx.tdma, 0);
    let output: DmTensor<i8, Chip, Cluster, Slice, m![T, P]> = ctx
        .main
        .begin(input.view())
        .fetch::<i8, m![T], m![P]>()
        .collect::<m![T], m![P]>()
        .commit(0x8000);
    output.to_hbm(&mut ctx.tdma, 1 << 28)
}
";

#[test]
fn a_fix_that_makes_a_kernel_slower_is_left_out_and_shows_its_price() {
    let folder = folder_with(&[("a.rs", STARVED.as_bytes())]);
    let totals = |folder: &TempDir| {
        let options = ["cost", "a.rs", "--effort", "0", "--format", "json"];
        let answer = json(&run(folder.path(), &options));
        answer["kernels"][0]["cycles"]["calibrated"]["total"]
            .as_u64()
            .unwrap()
    };
    let document = json(&run(folder.path(), &["a.rs", "--format", "json"]));
    let found = document["diagnostics"].as_array().unwrap();
    let found = found
        .iter()
        .find(|found| found["rule"] == "bank_starvation")
        .unwrap();
    let fix = &found["fixes"][0];
    // The price is that of the kernel with the fix made by hand.
    let mut edits: Vec<&Value> = fix["edits"].as_array().unwrap().iter().collect();
    let place = |edit: &Value, end: &str| usize::try_from(edit[end].as_u64().unwrap()).unwrap();
    edits.sort_by_key(|edit| std::cmp::Reverse(place(edit, "start_byte")));
    let mut text = STARVED.to_owned();
    for edit in edits {
        let range = place(edit, "start_byte")..place(edit, "end_byte");
        text.replace_range(range, edit["text"].as_str().unwrap());
    }
    let made = folder_with(&[("a.rs", text.as_bytes())]);
    let (before, after) = (totals(&folder), totals(&made));
    assert_eq!(fix["cost"]["before"].as_u64(), Some(before));
    assert_eq!(fix["cost"]["after"].as_u64(), Some(after));
    assert!(5 * after > 7 * before, "{before} {after}");
    let percent = ((after - before) * 200 + before) / (before * 2);
    let price = format!("+{percent} %");
    for format in ["human", "agent"] {
        let shown = stdout(&run(folder.path(), &["a.rs", "--format", format]));
        assert!(shown.contains(&format!("({price} cycles)")), "{shown}");
        assert!(
            !shown.contains("next: `--fix") && !shown.contains("makes the first"),
            "{shown}"
        );
    }
    let output = run(folder.path(), &["a.rs", "--fix", "--unsafe-fixes"]);
    let note = format!("1 fix not applied: it makes `reorder` slower ({price})\n");
    assert!(stderr(&output).contains(&note), "{}", stderr(&output));
    assert_eq!(read(&folder, "a.rs"), STARVED);
    let diff = run(folder.path(), &["a.rs", "--diff", "--unsafe-fixes"]);
    assert_eq!(
        (diff.status.code(), stdout(&diff)),
        (Some(0), String::new())
    );
    assert!(stderr(&diff).contains(&note), "{}", stderr(&diff));
}
