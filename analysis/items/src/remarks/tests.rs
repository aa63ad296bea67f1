use super::{MappingRemarkKind, bare_numbers, mapping_remarks};
use crate::mapping::{
    Answer, Grammar, SyntaxKind, SyntaxNode, mappings_equal, parse_mapping, parse_mapping_in,
};
use crate::mappings::Observed;
use crate::testing::{mapping, span};

const AXES: &[(&str, u64)] = &[("A", 16), ("B", 8), ("R", 13)];

/// What each part of an expression stands for, every part read on its own.
fn observe(text: &str, node: &SyntaxNode, observed: &mut Observed) {
    let part = text.get(node.span.clone()).expect("a part");
    observed.insert((node.span.start, node.span.end), mapping(part, AXES));
    match &node.kind {
        SyntaxKind::Binary { left, .. } => observe(text, left, observed),
        SyntaxKind::Group(inner) => observe(text, inner, observed),
        SyntaxKind::Pair(parts) => {
            for part in parts {
                observe(text, part, observed);
            }
        }
        _ => {}
    }
}

const CURRENT: Grammar = Grammar::OptStd {
    major: 0,
    minor: 10,
};

fn kinds(text: &str) -> Vec<MappingRemarkKind> {
    kinds_in(text, Grammar::VisaStd)
}

fn kinds_in(text: &str, grammar: Grammar) -> Vec<MappingRemarkKind> {
    let (tree, errors) = parse_mapping_in(text, grammar);
    assert!(errors.is_empty(), "{text}");
    let tree = tree.expect("a tree");
    let mut observed = Observed::default();
    observe(text, &tree, &mut observed);
    mapping_remarks(&tree, text, &observed, grammar, span(0))
        .into_iter()
        .map(|remark| remark.kind)
        .collect()
}

#[track_caller]
fn simplifies(text: &str, expected: &str, places: usize) {
    let kinds = kinds(text);
    let [MappingRemarkKind::Redundant { simpler, count, .. }] = kinds.as_slice() else {
        panic!("{text}: {kinds:?}");
    };
    assert_eq!((simpler.as_str(), *count), (expected, places), "{text}");
    let same = mappings_equal(&mapping(text, AXES), &mapping(simpler, AXES));
    assert_eq!(same, Answer::Yes, "{text}");
}

#[track_caller]
fn merges(text: &str, expected: &[(&str, &str)]) {
    let found: Vec<(String, String)> = kinds(text)
        .into_iter()
        .map(|kind| match kind {
            MappingRemarkKind::Unmerged { written, merged } => (written, merged),
            other => panic!("{text}: {other:?}"),
        })
        .collect();
    let expected: Vec<(String, String)> = expected
        .iter()
        .map(|(written, merged)| ((*written).to_owned(), (*merged).to_owned()))
        .collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn bare_numbers_are_found_in_groups_and_pairs() {
    let (tree, errors) = parse_mapping("[A, 4] # 16 / 2, 1, (8 % 2)");
    assert!(errors.is_empty());
    let mut found: Vec<u64> = bare_numbers(&tree.expect("a tree"))
        .into_iter()
        .map(|(count, _)| count)
        .collect();
    found.sort_unstable();
    assert_eq!(found, [4, 8]);
}

#[test]
fn operators_that_change_nothing_go() {
    simplifies("A / 1", "A", 1);
    simplifies("A % 16, B", "A, B", 1);
    simplifies("A # 16", "A", 1);
    simplifies("A = 16 / 4", "A / 4", 1);
    simplifies("[A, B] # 128 % 8", "[A, B] % 8", 1);
    simplifies("A / 4 # 4, B # 8 # 16", "A / 4, B # 16", 2);
    simplifies("A, 1, B % 1", "A", 2);
    simplifies("1, A % 1", "1", 2);
    simplifies("([A, 1] # 32 / 1) = 4", "([A] # 32) = 4", 2);
}

#[test]
fn what_matters_stays() {
    for text in [
        "A",
        "1",
        "1 # 2",
        "A # 32",
        "A % 1",
        "A = 4",
        "R # 16 % 16 / 2, B",
        "1 # 2, A",
        "A, 1 # 2",
        "A % 4, A / 4",
        "A / 4, B % 4",
        "A / 4, A % 2",
        "A / 4 # 8, A % 4",
        "A / 4, A % 4 # 8",
    ] {
        let expected = usize::from(text.starts_with("R # 16 % 16"));
        assert_eq!(kinds(text).len(), expected, "{text}: {:?}", kinds(text));
    }
}

#[test]
fn neighbours_of_one_axis_merge() {
    merges("A / 4, A % 4", &[("A / 4, A % 4", "A")]);
    merges("B, A / 8, A / 4 % 2", &[("A / 8, A / 4 % 2", "A / 4")]);
    merges("A / 4 % 2, A % 4, B", &[("A / 4 % 2, A % 4", "A % 8")]);
    merges(
        "A / 8, A / 4 % 2, A % 4",
        &[("A / 8, A / 4 % 2, A % 4", "A")],
    );
    merges(
        "R # 16 / 4, R # 16 % 4",
        &[("R # 16 / 4, R # 16 % 4", "R # 16")],
    );
    merges(
        "[A / 4, A % 4] # 32, B / 2, B % 2",
        &[("A / 4, A % 4", "A"), ("B / 2, B % 2", "B")],
    );
    merges(
        "[A, B] / 4, [A, B] % 4",
        &[("[A, B] / 4, [A, B] % 4", "[A, B]")],
    );
}

/// In the current dialect numbers are positions, and paddings of different kinds stay apart.
#[test]
fn numbers_and_kinds_say_something() {
    for text in [
        "2",
        "A, 2",
        "2, A # 32",
        "[2, A] #{0} 64",
        "A #{0} 32 # 64",
        "A # 32 #{!} 64",
        "1 #{!} 2, A",
        "R #{0} 16 / 4, R # 16 % 4",
        "R # 16 / 4, R #{!} 16 % 4",
        "2, 2",
    ] {
        assert_eq!(kinds_in(text, CURRENT), [], "{text}");
    }
    let redundant = |text: &str| match kinds_in(text, CURRENT).as_slice() {
        [MappingRemarkKind::Redundant { simpler, .. }] => simpler.clone(),
        other => panic!("{text}: {other:?}"),
    };
    assert_eq!(redundant("A #{0} 16"), "A");
    assert_eq!(redundant("2, 1, A"), "2, A");
    assert_eq!(redundant("A #{!} 32 / 1"), "A #{!} 32");
    assert_eq!(redundant("A #{0} 32 # 32"), "A #{0} 32");
    let merged = |text: &str| match kinds_in(text, CURRENT).as_slice() {
        [MappingRemarkKind::Unmerged { merged, .. }] => merged.clone(),
        other => panic!("{text}: {other:?}"),
    };
    assert_eq!(merged("2, A / 4, A % 4"), "A");
    assert_eq!(merged("R #{0} 16 / 4, R #{0} 16 % 4"), "R #{0} 16");
    // The book's text may write a number, and its library refuses it.
    assert!(matches!(
        kinds("A, 2").as_slice(),
        [MappingRemarkKind::BareNumber(2)]
    ));
}
