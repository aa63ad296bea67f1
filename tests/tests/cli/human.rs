//! What people see: colours where a terminal takes them, lines that fit, nothing that a terminal would obey.

use super::*;

/// The file that the README's sample is about.
const SAMPLE: &str = "fixtures/kernels/faulty/gate.rs";

#[test]
fn the_readme_shows_what_the_program_prints() {
    let printed = stdout(&run(&repository(), &[SAMPLE]));
    // The marks that tell the tests what to expect are nothing to show.
    let printed: String = printed
        .lines()
        .flat_map(|line| [line.split(" //~").next().unwrap(), "\n"])
        .collect();
    let path = repository().join("README.md");
    let readme = visa_tests::read(&path);
    let (before, rest) = readme.split_once("```text\n").unwrap();
    let (sample, after) = rest.split_once("```\n").unwrap();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, format!("{before}```text\n{printed}```\n{after}")).unwrap();
        return;
    }
    assert!(before.contains(&format!("visa-lint {SAMPLE}")));
    assert_eq!(
        sample, printed,
        "the README's sample is old; run this test with UPDATE_EXPECT=1"
    );
}

#[test]
fn colours_are_for_those_who_want_them() {
    let folder = folder_with(&[("a.rs", FINDINGS.as_bytes())]);
    let colored = |variables: &[(&str, &str)], arguments: &[&str]| {
        let output = command(folder.path(), &[&["a.rs"], arguments].concat())
            .env_remove("CLICOLOR")
            .envs(variables.iter().copied())
            .output()
            .unwrap();
        assert_code(&output, 1);
        stdout(&output).contains('\u{1b}')
    };
    let forced = ("CLICOLOR_FORCE", "1");
    assert!(!colored(&[], &[]));
    assert!(colored(&[], &["--color", "always"]));
    assert!(colored(&[forced], &[]));
    assert!(!colored(&[("CLICOLOR_FORCE", "0")], &[]));
    assert!(!colored(&[forced, ("NO_COLOR", "1")], &[]));
    assert!(colored(&[forced, ("NO_COLOR", "")], &[]));
    assert!(!colored(&[forced], &["--color", "never"]));
    assert!(colored(&[("NO_COLOR", "1")], &["--color", "always"]));
    // Programs read the other formats.
    for format in [
        "short", "json", "jsonl", "sarif", "github", "gitlab", "junit", "agent",
    ] {
        let arguments = ["--color", "always", "--format", format];
        assert!(!colored(&[], &arguments), "{format}");
    }
}

#[test]
fn lines_that_the_program_words_fit_the_paper() {
    let output = run(&repository().join("fixtures"), &["violations"]);
    let text = stdout(&output);
    // The line that sums up stays one, and so does that of what was not looked at.
    let (text, last) = text.trim_end().rsplit_once('\n').unwrap();
    assert!(
        last.ends_with("--warn unresolved_operation shows them"),
        "{last}"
    );
    let (text, _) = text.rsplit_once('\n').unwrap();
    let own: Vec<_> = text
        .lines()
        .filter(|line| !line.contains(['│', '┌', '·']))
        .collect();
    assert!(own.len() > 500, "{}", own.len());
    let long: Vec<_> = own
        .iter()
        .filter(|line| line.chars().count() > 100)
        // A word alone on its line has nowhere to break.
        .filter(|line| line.trim().contains(' '))
        .collect();
    assert!(long.is_empty(), "{long:#?}");
    let trailing = text.lines().find(|line| line.ends_with(' '));
    assert_eq!(trailing, None);
}

#[test]
fn a_terminal_gets_nothing_to_obey() {
    let text = "// visa-lint: allow(a\u{1b}]0;b\u{7},\u{9b}c)\r\nfn f() {}\r\n";
    let folder = folder_with(&[("a.rs", text.as_bytes())]);
    let printed = stdout(&run(folder.path(), &["a.rs"]));
    let obeyed = |character: char| character.is_control() && !"\r\n".contains(character);
    assert!(!printed.contains(obeyed), "{printed:?}");
    let short = stdout(&run(folder.path(), &["a.rs", "--format", "short"]));
    assert!(!short.contains(obeyed), "{short:?}");
    assert_eq!(short.lines().count(), 2, "{short}");
    // An escape stands for each, in a message and in the source.
    assert!(printed.contains("`a\\u{1b}]0;b\\u{7}`"), "{printed}");
    assert!(
        printed.contains("allow(a\\u{1b}]0;b\\u{7},\\u{9b}c)"),
        "{printed}"
    );
}

#[test]
fn the_last_line_sums_up() {
    let last = |options: &[&str]| {
        let folder = folder_with(&[("a.rs", FINDINGS.as_bytes())]);
        let text = stdout(&run(folder.path(), &[&["a.rs"], options].concat()));
        text.lines().last().unwrap_or_default().to_owned()
    };
    let start = "0 kernels, 0 operations: ";
    assert_eq!(
        last(&["--deny", "warnings"]),
        format!("{start}2 errors, 1 fixable with --fix")
    );
    assert_eq!(
        last(&["--warn", "unknown_rule"]),
        format!("{start}2 warnings, 1 fixable with --fix")
    );
    assert_eq!(
        last(&["--ignore", "unused_suppression"]),
        format!("{start}1 error")
    );
    assert_eq!(
        last(&["--allow", "suspicious"]),
        format!("{start}no findings")
    );
}

#[test]
fn long_lines_are_cut_around_what_is_wrong() {
    // 1,500 findings in a line of 40 kB: shown whole, it would be the line and its marks. The first starts behind 500
    // statements of 20 characters and `type K = m![A `.
    let right = "type K = m![A % 8]; ".repeat(500);
    let line = right + &"type K = m![A * 3]; ".repeat(1_500);
    let text = format!("use furiosa_visa_std::prelude::*;\naxes![A = 8];\n{line}\n");
    let folder = folder_with(&[("a.rs", text.as_bytes())]);
    let report = stdout(&run(folder.path(), &["a.rs", "--color", "never"]));
    let longest = report.lines().map(|line| line.chars().count()).max();
    assert!(longest.unwrap() < 600, "{longest:?}");
    assert!(
        report.contains("a.rs:3:10015"),
        "the column is that of the file"
    );
    let shown = report.lines().filter(|line| line.contains("...")).count();
    assert!(shown > 0);
}

#[test]
fn safe_fixes_are_told_from_unsafe_ones() {
    // One suppression that nobody needs, and two rules with a letter too many.
    let unused = "#[expect(tcp::slice_size)]\nfn f() {}\n";
    let misspelt = "#[allow(tcp::slice_sizes)]\nfn g() {}\n#[allow(tcp::chip_sizes)]\nfn h() {}\n";
    let printed = |text: String| {
        let folder = folder_with(&[("a.rs", text.as_bytes())]);
        stdout(&run(folder.path(), &["a.rs"]))
    };
    let both = printed(format!("{unused}{misspelt}"));
    assert!(both.contains(" = fix: Remove the suppression\n"), "{both}");
    let unsafely = " = fix (unsafe): Write `slice_size`\n";
    assert!(both.contains(unsafely), "{both}");
    // The help that asks whether it was meant says nothing else.
    assert!(!both.contains("did you mean `slice_size`?"), "{both}");
    let ends = |text: &str, end: &str| assert!(text.ends_with(end), "{text}");
    ends(
        &both,
        ", 1 fixable with --fix, up to 2 more with --unsafe-fixes\n",
    );
    ends(
        &printed(unused.to_owned()),
        ": 1 warning, 1 fixable with --fix\n",
    );
    let alone = printed(misspelt.to_owned());
    ends(
        &alone,
        ": 2 errors, up to 2 fixable with --fix --unsafe-fixes\n",
    );
}

#[test]
fn places_of_one_fault_are_shown_together() {
    let text = "axes![D = 60];\nfn f() {\n    type T = m![D / 8];\n    type P = m![D % 8];\n}\n";
    let folder = folder_with(&[("a.rs", text.as_bytes())]);
    let printed = stdout(&run(folder.path(), &["a.rs"]));
    assert_eq!(
        printed.matches("60 positions of `D`").count(),
        1,
        "{printed}"
    );
    assert!(printed.contains("--- here too\n"), "{printed}");
    let fix = " = fix (unsafe): Pad `D` to 64 first, in all 2 places\n";
    assert!(printed.contains(fix), "{printed}");
    assert_eq!(printed.matches("Pad `D` to 64").count(), 1, "{printed}");
    assert!(printed.contains(": 1 error, up to 1 fixable"), "{printed}");
}

#[cfg(unix)]
#[test]
fn a_line_break_in_a_name_breaks_no_line() {
    let folder = folder_with(&[("two\nlines.rs", b"axes![A = 0];\n")]);
    let printed = stdout(&run(folder.path(), &["."]));
    assert!(printed.contains("two\\nlines.rs:1:11"), "{printed}");
}

/// The headings of findings: level and rule.
fn headings(text: &str) -> Vec<&str> {
    let lines = text.lines();
    let headings = lines.filter(|line| line.starts_with("error[") || line.starts_with("warning["));
    headings.filter_map(|line| line.split(':').next()).collect()
}

#[test]
fn errors_are_first_within_a_file_and_over_files() {
    // A warning before an error in each file.
    let text = "#[expect(tcp::slice_size)]\nfn f() {}\naxes![A = 0];\n";
    let other = text.replace("slice_size", "chip_size").replace('A', "B");
    let folder = folder_with(&[("a.rs", text.as_bytes()), ("b.rs", other.as_bytes())]);
    let printed = stdout(&run(folder.path(), &["."]));
    let expected = [
        "error[axis_size_zero]",
        "error[axis_size_zero]",
        "warning[unused_suppression]",
        "warning[unused_suppression]",
    ];
    assert_eq!(headings(&printed), expected, "{printed}");
}

#[test]
fn equal_findings_are_one_with_their_count() {
    let one = "axes![A = 0];\n";
    // 2 in a file, 5 in another: the first, three that are named, and three more.
    let folder = folder_with(&[
        (
            "a.rs",
            format!("mod a {{ {one} }}\nmod b {{ {one} }}\n").as_bytes(),
        ),
        (
            "b.rs",
            (0..5)
                .map(|at| format!("mod m{at} {{ {one} }}\n"))
                .collect::<String>()
                .as_bytes(),
        ),
    ]);
    let printed = stdout(&run(folder.path(), &["."]));
    assert_eq!(headings(&printed), ["error[axis_size_zero]"], "{printed}");
    let note = "note: 7 times: also at a.rs:3:19, b.rs:1:20, b.rs:3:20 and 3 more\n";
    assert!(printed.contains(note), "{printed}");
    // All seven count, in the table too.
    assert!(
        printed.contains("\nrule            level  count  fixable\naxis_size_zero  error      7\n"),
        "{printed}"
    );
    assert!(printed.ends_with(": 7 errors\n"), "{printed}");
    let two = stdout(&run(folder.path(), &["a.rs"]));
    assert!(two.contains("note: 2 times: also at a.rs:3:19\n"), "{two}");
    // Few findings need no table.
    assert!(!two.contains("fixable\n"), "{two}");
}

#[test]
fn three_places_of_a_fault_are_shown_and_the_rest_is_counted() {
    // One axis that does not divide, at 21 places: the first, three more, and 17.
    let places: String = (0..21)
        .map(|at| format!("    type T{at} = m![D / 8];\n"))
        .collect();
    let text = format!("axes![D = 60];\nfn f() {{\n{places}}}\n");
    let folder = folder_with(&[("a.rs", text.as_bytes())]);
    let printed = stdout(&run(folder.path(), &["a.rs"]));
    assert_eq!(printed.matches("here too\n").count(), 3, "{printed}");
    assert!(
        printed.contains("note: here too in 3 places above, and 17 more\n"),
        "{printed}"
    );
    // Beyond what the engine lists the number is still that of all.
    let places: String = (0..104)
        .map(|at| format!("    type T{at} = m![D / 8];\n"))
        .collect();
    let text = format!("axes![D = 60];\nfn f() {{\n{places}}}\n");
    let folder = folder_with(&[("a.rs", text.as_bytes())]);
    let printed = stdout(&run(folder.path(), &["a.rs"]));
    assert!(
        printed.contains("note: here too in 3 places above, and 100 more\n"),
        "{printed}"
    );
    assert!(!printed.contains("the same in"), "{printed}");
}

#[test]
fn how_to_see_what_is_unresolved_is_said_where_it_is_not_seen() {
    let operation = "    let _ = x.nonsense();\n";
    let kernel = |count: usize| {
        format!(
            "use furiosa_visa_std::prelude::*;\naxes![L = 4096];\n#[device(chip = 1)]\nfn k(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![L]>) {{\n{}}}\n",
            operation.repeat(count)
        )
    };
    let last = |count: usize| {
        let folder = folder_with(&[("a.rs", kernel(count).as_bytes())]);
        let printed = stdout(&run(folder.path(), &["a.rs"]));
        printed.lines().last().unwrap_or_default().to_owned()
    };
    assert_eq!(last(2), "2 operations were not checked");
    assert_eq!(
        last(12),
        "12 operations were not checked; --warn unresolved_operation shows them"
    );
}

#[test]
fn a_missing_trim_is_one_finding() {
    let path = repository().join("fixtures/schedules/0.8.1/vector_256_divide.rs");
    let right = visa_tests::read(&path);
    let begin = right.find(".commit_trim").unwrap();
    let end = begin + right[begin..].find("()").unwrap() + "()".len();
    let wrong = format!("{}{}", &right[..begin], &right[end..]);
    let found = |text: &str| {
        let folder = folder_with(&[("k.rs", text.as_bytes())]);
        let document = json(&run(folder.path(), &["k.rs", "--format", "json"]));
        rules_and_levels(&document)
    };
    let denied = |text: &str| {
        let mut found = found(text);
        found.retain(|finding| finding.ends_with(" deny"));
        found
    };
    assert_eq!(denied(&right), [""; 0]);
    assert_eq!(denied(&wrong), ["pipeline_order deny"]);
}
