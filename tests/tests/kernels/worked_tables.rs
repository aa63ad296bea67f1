//! The worked tables of the current library, line by line: which rule a line breaks, in a kernel as an author writes it.

use visa_tests::check_text;

/// The rules of all findings of a text, in order, each once.
fn rules(text: &str) -> Vec<String> {
    let report = check_text("table.rs", text);
    assert!(
        report.unresolved.is_empty(),
        "{text}: {:?}",
        report.unresolved
    );
    let mut rules: Vec<String> = report
        .diagnostics
        .iter()
        .map(|diagnostic| diagnostic.rule.to_owned())
        .collect();
    rules.dedup();
    rules
}

const RELEASES: [u16; 3] = [7, 8, 10];

/// The first parameter of a kernel in release `0.minor`.
const fn context(minor: u16) -> &'static str {
    if minor < 8 {
        "&mut Context"
    } else {
        "&mut Device"
    }
}

/// A fetch of `i8` that delivers time and packet of an element.
fn fetched(minor: u16, element: &str, time: &str, packet: &str) -> Vec<String> {
    let context = context(minor);
    rules(&format!(
        "// dialect: opt-std@0.{minor}\n\
         use furiosa_opt_std::prelude::*;\n\
         axes![S = 256, P = 8, Q = 8, N = 8, R = 16];\n\
         fn read(device: {context}, x: &DmTensor<i8, m![1], m![1 # 2], m![S], m![{element}]>) {{\n    \
             let y = device.main.begin(x.view()).fetch::<m![{time}], m![{packet}]>();\n\
         }}\n"
    ))
}

/// Element, time, packet, and the rules of which one refuses them.
const FETCHES: &[(&str, &str, &str, &[&str])] = &[
    ("P, Q", "P", "Q", &[]),
    ("P, Q", "Q", "P", &["fetch_packet_contiguity"]),
    ("Q", "1", "Q, N", &["fetch_packet_contiguity"]),
    ("R", "R / 8", "R % 8", &[]),
    ("P", "4", "P", &[]),
    // `Q` is not read, and `N` does not step through the element.
    (
        "P, Q",
        "P",
        "N",
        &["tensor_lost", "fetch_packet_contiguity"],
    ),
    ("1 # 2, P", "1", "P", &[]),
];

#[test]
fn fetches_are_judged_as_in_the_table() {
    for (element, time, packet, refusing) in FETCHES {
        for minor in RELEASES {
            let found = fetched(minor, element, time, packet);
            judged(
                &found,
                refusing,
                &format!("{element} by {time} | {packet} in 0.{minor}"),
            );
        }
    }
}

/// Nothing is found where nothing refuses a line, and one of the rules that refuse it else.
#[track_caller]
fn judged(found: &[String], refusing: &[&str], line: &str) {
    if refusing.is_empty() {
        assert!(found.is_empty(), "{line}: {found:?}");
    } else {
        let refused = found.iter().any(|rule| refusing.contains(&rule.as_str()));
        assert!(refused, "{line}: {found:?}");
    }
}

/// A commit of trimmed packets of `i8`.
fn committed(minor: u16, time: &str, packet: &str, element: &str) -> Vec<String> {
    rules(&format!(
        "// dialect: opt-std@0.{minor}\n\
         use furiosa_opt_std::prelude::*;\n\
         axes![S = 256, A = 16, B = 2, C = 4, M = 4, N = 8, X = 8, W = 3];\n\
         fn store<'l, const T: Tu>(\n    \
             x: CommitTrimTensor<'l, T, i8, m![1], m![1 # 2], m![S], m![{time}], m![{packet}]>,\n\
         ) -> DmTensor<i8, m![1], m![1 # 2], m![S], m![{element}]> {{\n    \
             x.commit()\n\
         }}\n"
    ))
}

/// Time, packet, element, and the rules of which one refuses them.
const COMMITS: &[(&str, &str, &str, &[&str])] = &[
    ("A, B, C", "N", "A, B, C, N", &[]),
    ("A", "N # 16", "A, N # 16", &[]),
    ("A # 32, B", "N", "B, A # 32, N", &[]),
    ("1 # 2, A, 1 # 2", "N", "A, 1 # 3, N", &[]),
    // More padding than the element has.
    ("A, 1 # 5", "N", "A, 1 # 2, N", &["commit_mapping"]),
    // Three bytes.
    ("M", "W", "M, W", &["commit_packet_size", "commit_size"]),
    // Another packet.
    ("M", "N # 32", "M, X", &["commit_mapping", "tensor_lost"]),
];

#[test]
fn commits_are_judged_as_in_the_table() {
    for (time, packet, element, refusing) in COMMITS {
        for minor in RELEASES {
            let found = committed(minor, time, packet, element);
            judged(
                &found,
                refusing,
                &format!("{time} | {packet} to {element} in 0.{minor}"),
            );
        }
    }
}
