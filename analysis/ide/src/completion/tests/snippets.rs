//! Whole declarations and statements: right in every release of each library as they are inserted, and offered nowhere else than
//! where they can be.

use crate::EditorQuestions as _;
use std::collections::BTreeMap;

use crate::items::Dialect;
use crate::libraries::{Library, Release};
use crate::rules::Level;
use crate::workspace::Workspace;
use crate::{Completion, CompletionKind};

/// Every release of each library.
fn dialects() -> Vec<Dialect> {
    let opt = (2..=10).map(|minor| Dialect {
        library: Library::OptStd,
        release: Release::new(0, minor),
    });
    opt.chain([Dialect::newest(Library::VisaStd)]).collect()
}

fn workspace(dialect: Dialect, text: &str) -> Workspace {
    let mut workspace = Workspace::new();
    workspace.set_dialect(dialect);
    workspace.set_file("kernel.rs", text);
    workspace
}

/// The proposals at `$0`.
fn proposals(dialect: Dialect, text: &str) -> Vec<Completion> {
    let offset = text.find("$0").expect("a cursor");
    let workspace = workspace(dialect, &text.replacen("$0", "", 1));
    let offset = u32::try_from(offset).expect("a short text");
    let found = workspace.analysis().completions("kernel.rs", offset);
    found.expect("an answer")
}

fn labels(dialect: Dialect, text: &str) -> Vec<String> {
    let found = proposals(dialect, text).into_iter();
    let snippets = found.filter(|found| found.kind == CompletionKind::Snippet);
    snippets.map(|found| found.label).collect()
}

/// A snippet as an editor inserts it: the words of each place, and the same again where its number is alone.
fn expanded(snippet: &str) -> String {
    let mut words: BTreeMap<String, String> = BTreeMap::new();
    let mut text = String::new();
    let mut rest = snippet;
    while let Some((before, behind)) = rest.split_once('$') {
        text.push_str(before);
        let braced = behind.strip_prefix('{');
        let body = braced.unwrap_or(behind);
        let digits = body.len()
            - body
                .trim_start_matches(|letter: char| letter.is_ascii_digit())
                .len();
        let (number, after) = body.split_at(digits);
        let number = number.to_owned();
        if braced.is_some() {
            let (place, after) = after.split_once('}').expect("a place's end");
            let place = place.trim_start_matches(':').to_owned();
            text.push_str(&place);
            words.insert(number, place);
            rest = after;
        } else {
            text.push_str(words.get(&number).map_or("", String::as_str));
            rest = after;
        }
    }
    text + rest
}

/// The text with a proposal in the place of what is typed at its cursor.
fn applied(text: &str, found: &Completion) -> String {
    let plain = text.replacen("$0", "", 1);
    let (start, end) = (found.replace.start as usize, found.replace.end as usize);
    format!(
        "{}{}{}",
        &plain[..start],
        expanded(&found.insert),
        &plain[end..]
    )
}

/// What is found in a text, and how many operations are not followed.
fn found(dialect: Dialect, text: &str) -> (Vec<String>, u64) {
    let workspace = workspace(dialect, text);
    let report = workspace.analysis().check_file("kernel.rs");
    assert!(report.problems.is_empty(), "{:?}\n{text}", report.problems);
    let shown = report
        .diagnostics
        .iter()
        .filter(|found| found.default_level != Level::Allow);
    let mut found: Vec<String> = shown
        .map(|found| format!("{}: {}", found.rule, found.message))
        .collect();
    found.sort();
    (found, report.operations.unresolved)
}

fn one(dialect: Dialect, text: &str, label: &str) -> Completion {
    let found = proposals(dialect, text);
    let named = found.iter().find(|found| found.label == label);
    named
        .unwrap_or_else(|| panic!("{dialect:?}: no {label} in {found:?}"))
        .clone()
}

fn import(dialect: Dialect) -> String {
    format!("use {}::prelude::*;\n", dialect.library.crate_name())
}

#[test]
fn a_kernel_is_right_as_it_is_inserted_in_every_release() {
    for dialect in dialects() {
        let text = format!("{}\nker$0\n", import(dialect));
        let kernel = one(dialect, &text, "kernel");
        let written = applied(&text, &kernel);
        assert_eq!(
            found(dialect, &written),
            (vec![], 0),
            "{dialect:?}\n{written}"
        );
        // The load, the pass and the store.
        let workspace = workspace(dialect, &written);
        let at = written.find("fn kernel").expect("the kernel") + "fn ".len();
        let at = u32::try_from(at).expect("a short text");
        let cost = workspace.analysis().kernel_cost_at("kernel.rs", at);
        let cost = cost.expect("an answer").expect("a cost");
        assert_eq!(cost.operations.len(), 3, "{written}");
        assert!(cost.total.is_some(), "{written}");
    }
}

#[test]
fn axes_are_right_as_they_are_inserted() {
    for dialect in dialects() {
        let text = format!("{}ax$0", import(dialect));
        let written = applied(&text, &one(dialect, &text, "axes"));
        assert!(written.ends_with("axes![A = 2048];"), "{written}");
        assert_eq!(found(dialect, &written), (vec![], 0), "{written}");
    }
}

#[test]
fn a_chain_reads_a_tensor_of_the_kernel_and_brings_no_finding() {
    for dialect in dialects() {
        let text = format!("{}\nker$0\n", import(dialect));
        let kernel = applied(&text, &one(dialect, &text, "kernel"));
        let (head, tail) = kernel.split_once("    y.to_hbm").expect("the store");
        let text = format!("{head}    chai$0\n    y.to_hbm{tail}");
        assert_eq!(
            labels(dialect, &text),
            ["chain x", "chain y"],
            "{dialect:?}"
        );
        let written = applied(&text, &one(dialect, &text, "chain x"));
        assert_eq!(
            found(dialect, &written),
            (vec![], 0),
            "{dialect:?}\n{written}"
        );
        // 256 values of 4 bytes are at 0 and at 0x1000; the lowest place with room for another 1,024 bytes is behind the first.
        let address = if written.contains(".commit(0x1000)") {
            "commit(0x400)"
        } else {
            "commit()"
        };
        assert!(written.contains(address), "{written}");
    }
}

#[test]
fn nothing_is_offered_where_it_cannot_be_or_is_not_meant() {
    let book = Dialect::newest(Library::VisaStd);
    let imported = import(book);
    // Another crate than one of kernels, the middle of an expression, a place where no word is.
    for text in [
        "use other::prelude::*;\nker$0\n".to_owned(),
        format!("{imported}fn f() {{ let a = ker$0; }}\n"),
        format!("{imported}fn f() {{ ker$0 }}\n"),
        format!("{imported}fn f() {{ cha$0 }}\n"),
        format!("{imported}struct S {{ ker$0 }}\n"),
        format!("{imported}$0\n"),
        format!("{imported}// ker$0\n"),
    ] {
        assert_eq!(labels(book, &text), [""; 0], "{text}");
    }
    // Only what begins with the word.
    assert_eq!(labels(book, &format!("{imported}ker$0\n")), ["kernel"]);
    assert_eq!(labels(book, &format!("{imported}a$0\n")), ["axes"]);
}
