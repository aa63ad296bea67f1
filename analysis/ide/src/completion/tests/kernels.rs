//! What authors wrote next is among the proposals: every method, divisor, operation and field of the kernels that are right,
//! with the rest of the file behind the cursor and without it.

use crate::EditorQuestions as _;
use std::path::Path;

use crate::kernel::dialect::VISA_STD;
use crate::workspace::Workspace;

/// How many places share one whose file ends there: each of those is parsed again.
const CUT_STEP: usize = 5;

/// The kernels that are right, by their paths.
fn kernels() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/kernels/right");
    let mut files: Vec<(String, String)> = std::fs::read_dir(folder)
        .expect("the folder")
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let name = entry.file_name().into_string().ok()?;
            Some((name, std::fs::read_to_string(entry.path()).ok()?))
        })
        .collect();
    files.sort();
    assert!(files.len() > 10, "{files:?}");
    files
}

/// Places in a text behind a needle, with the word that follows.
fn words_behind<'a>(text: &'a str, needle: &'a str) -> impl Iterator<Item = (usize, &'a str)> + 'a {
    text.match_indices(needle).filter_map(move |(at, _)| {
        let start = at + needle.len();
        let rest = text.get(start..)?;
        let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_')?;
        Some((start, rest.get(..end)?)).filter(|(_, word)| !word.is_empty())
    })
}

fn labels(workspace: &Workspace, path: &str, offset: usize) -> Vec<String> {
    let offset = u32::try_from(offset).expect("a short text");
    let found = workspace
        .analysis()
        .completions(path, offset)
        .expect("an answer");
    found.into_iter().map(|found| found.label).collect()
}

/// Checks that each word is proposed at its place, in the whole file and in one that ends there.
fn check(needle: &str, is_ours: impl Fn(&str, &str) -> bool, least: usize) {
    let mut problems = Vec::new();
    let mut seen = 0;
    for (path, text) in kernels() {
        let mut workspace = Workspace::new();
        workspace.set_file(&path, &text);
        let wanted: Vec<(usize, &str)> = words_behind(&text, needle)
            .filter(|(at, word)| is_ours(text.get(..*at).unwrap_or(""), word))
            .collect();
        seen += wanted.len();
        let whole: Vec<Vec<String>> = wanted
            .iter()
            .map(|(at, _)| labels(&workspace, &path, *at))
            .collect();
        for (index, ((at, word), whole)) in wanted.iter().zip(whole).enumerate() {
            let mut found = vec![("whole", whole)];
            // What kernels return is not known before they are written.
            if index % CUT_STEP == 0 && *word != "to_host" {
                workspace.set_file(&path, text.get(..*at).unwrap_or(""));
                found.push(("cut", labels(&workspace, &path, *at)));
            }
            let line = text.get(..*at).unwrap_or("").lines().count();
            for (how, found) in found {
                if !found
                    .iter()
                    .any(|label| label == word || label.starts_with(&format!("{word}(")))
                {
                    problems.push(format!("{path}:{line}: {word} ({how}) is not in {found:?}"));
                }
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(seen >= least, "only {seen} places");
}

#[test]
fn the_next_method_is_proposed() {
    let is_method = |_: &str, word: &str| {
        VISA_STD
            .in_newest_release()
            .methods(word)
            .any(|method| VISA_STD.in_newest_release().guide(method).is_some())
    };
    check(".", is_method, 100);
}

#[test]
fn the_next_divisor_is_proposed() {
    let is_number = |before: &str, word: &str| {
        before.ends_with(' ')
            && word.bytes().all(|byte| byte.is_ascii_digit())
            && before
                .lines()
                .last()
                .is_some_and(|line| line.contains("m!["))
    };
    check("/ ", is_number, 30);
    check("% ", is_number, 30);
}

#[test]
fn the_next_operation_is_proposed() {
    for (needle, least) in [
        ("FxpBinaryOp::", 3),
        ("FpBinaryOp::", 3),
        ("FpUnaryOp::", 2),
        ("ClipBinaryOpI32::", 1),
        ("ClipBinaryOpF32::", 1),
        ("InterSliceReduceOpF32::", 1),
        ("IntraSliceReduceOpF32::", 1),
        ("SwitchConfig::", 5),
    ] {
        check(needle, |_, _| true, least);
    }
}

#[test]
fn the_next_axis_is_proposed() {
    let is_axis = |_: &str, word: &str| word.starts_with(|first: char| first.is_ascii_uppercase());
    check("m![", is_axis, 100);
}
