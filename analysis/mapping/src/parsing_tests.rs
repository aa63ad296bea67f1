//! Tests of the macro grammars.

use super::*;
use crate::PaddingKind;
use crate::syntax::{FactorKind, Operator, SyntaxKind};

/// The tree in a compact notation of its own, to compare shapes.
fn shape(node: &SyntaxNode) -> String {
    match &node.kind {
        SyntaxKind::One => "1".to_owned(),
        SyntaxKind::Number(value) => format!("n{value}"),
        SyntaxKind::Name(name) => name.clone(),
        SyntaxKind::Escape { content } => format!("<{}..{}>", content.start, content.end),
        SyntaxKind::Binary {
            operator,
            left,
            factor,
            ..
        } => {
            let operator = match operator {
                Operator::Stride => "/",
                Operator::Modulo => "%",
                Operator::Resize => "=",
                Operator::Pad(PaddingKind::Top) => "#",
                Operator::Pad(PaddingKind::Zero) => "#0",
                Operator::Pad(PaddingKind::Bottom) => "#!",
            };
            let factor = match &factor.kind {
                FactorKind::Literal(value) => value.to_string(),
                FactorKind::Constant { .. } => "constant".to_owned(),
                FactorKind::Name(name) => name.clone(),
                FactorKind::Mapping(inner) => shape(inner),
                FactorKind::Missing => "?".to_owned(),
            };
            format!("({}{operator}{factor})", shape(left))
        }
        SyntaxKind::Pair(parts) => parts.iter().map(shape).collect::<Vec<_>>().join(","),
        SyntaxKind::Group(inner) => format!("[{}]", shape(inner)),
        SyntaxKind::Missing => "?".to_owned(),
    }
}

fn read(text: &str) -> (String, Vec<String>) {
    let (node, errors) = parse_mapping(text);
    let places = errors
        .iter()
        .map(|error| text.get(error.span.clone()).unwrap_or("OUT").to_owned())
        .collect();
    (
        node.as_ref().map_or_else(|| "none".to_owned(), shape),
        places,
    )
}

fn clean(text: &str) -> String {
    let (tree, errors) = read(text);
    assert_eq!(errors, Vec::<String>::new(), "{text}");
    tree
}

#[test]
fn operators_are_left_associative_on_one_level() {
    assert_eq!(clean("A # 16 / 4"), "((A#16)/4)");
    assert_eq!(clean("B % 4 = 2 # 4"), "(((B%4)=2)#4)");
    assert_eq!(clean("A, B # 64"), "A,(B#64)");
    assert_eq!(clean("[A, B] # 64"), "([A,B]#64)");
    assert_eq!(
        clean("([A, B] # 64 % 4) = 3 # 4"),
        "(([(([A,B]#64)%4)]=3)#4)"
    );
}

#[test]
fn escapes_numbers_and_padding_kinds() {
    assert_eq!(clean("{ Time } / 4, 1 # 2"), "(<2..6>/4),(1#2)");
    assert_eq!(clean("A #{0} 8, B #{!} 4, C #{*} 2"), "(A#08),(B#!4),(C#2)");
    assert_eq!(clean("4"), "n4");
    assert_eq!(clean("S_decode"), "S_decode");
}

#[test]
fn what_the_macro_refuses_is_reported_at_its_token() {
    assert_eq!(read(""), ("none".to_owned(), vec![String::new()]));
    assert_eq!(read("A, B,"), ("A,B".to_owned(), vec![",".to_owned()]));
    assert_eq!(read("A /"), ("(A/?)".to_owned(), vec![String::new()]));
    assert_eq!(
        read("A / , B"),
        ("(A/?),B".to_owned(), vec![",".to_owned()])
    );
    assert_eq!(
        read("A / N, B"),
        ("(A/N),B".to_owned(), vec!["N".to_owned()])
    );
    assert_eq!(
        read("A / { N }"),
        ("(A/constant)".to_owned(), vec!["{ N }".to_owned()])
    );
    assert_eq!(
        read("A / 1_024"),
        ("(A/1024)".to_owned(), vec!["1_024".to_owned()])
    );
    assert_eq!(
        read("A / 0x10 % 2"),
        ("((A/16)%2)".to_owned(), vec!["0x10".to_owned()])
    );
    assert_eq!(read("A * B, C"), ("A,C".to_owned(), vec!["*".to_owned()]));
    assert_eq!(read("A B"), ("A".to_owned(), vec!["B".to_owned()]));
    assert_eq!(read("[], A"), ("[?],A".to_owned(), vec!["[]".to_owned()]));
    assert_eq!(
        read("A / 99999999999999999999"),
        ("(A/?)".to_owned(), vec!["99999999999999999999".to_owned()])
    );
}

#[test]
fn unbalanced_and_foreign_text_keeps_the_rest() {
    assert_eq!(
        read("[A, B # 4"),
        ("[A,(B#4)]".to_owned(), vec!["[".to_owned()])
    );
    assert_eq!(read("A ] , B"), ("A,B".to_owned(), vec!["]".to_owned()]));
    assert_eq!(read("A, \" B"), ("A,B".to_owned(), vec!["\"".to_owned()]));
    assert_eq!(read("Größe, B").1, Vec::<String>::new());
    assert_eq!(read("A, → B"), ("A,B".to_owned(), vec!["→".to_owned()]));
    let deep = "(".repeat(100_000);
    assert_eq!(parse_mapping(&deep).1.len(), 1);
    let long = format!("A{}", " / 1".repeat(100_000));
    assert_eq!(parse_mapping(&long).1.len(), 1);
}

#[test]
fn the_successor_takes_more() {
    let (node, errors) = parse_mapping_in(
        "A / { N }, B # (C / D), E % F,",
        Grammar::OptStd {
            major: 0,
            minor: 10,
        },
    );
    assert_eq!(errors, Vec::new());
    assert_eq!(
        node.as_ref().map(shape).as_deref(),
        Some("(A/constant),(B#[(C/D)]),(E%F)")
    );
}

#[test]
fn spans_are_bytes_also_after_other_letters() {
    let text = "[Ä, B] / 4";
    let (node, _) = parse_mapping(text);
    let Some(SyntaxNode {
        kind:
            SyntaxKind::Binary {
                left,
                factor,
                operator_span,
                ..
            },
        span,
    }) = node
    else {
        panic!("no operator");
    };
    assert_eq!(&text[left.span], "[Ä, B]");
    assert_eq!(&text[factor.span], "4");
    assert_eq!(&text[operator_span], "/");
    assert_eq!(&text[span], text);
}

#[test]
fn axes_take_integers() {
    let text = "A = 8, B = 1_024, Kv = 0x10usize, D = 0b1_00u64, E = 0o17,";
    let (axes, errors) = parse_axes(text);
    assert_eq!(errors, Vec::new());
    let sizes: Vec<_> = axes
        .iter()
        .map(|axis| (axis.name.as_str(), axis.size))
        .collect();
    assert_eq!(
        sizes,
        [
            ("A", Some(8)),
            ("B", Some(1024)),
            ("Kv", Some(16)),
            ("D", Some(4)),
            ("E", Some(15))
        ]
    );
    assert_eq!(&text[axes[1].size_span.clone()], "1_024");
}

/// The macro takes one literal token: what stands for a number anyway keeps its value, with an error where the
/// macro stops.
#[test]
fn sizes_of_axes_are_single_literals() {
    let refused = |size: &str| {
        let text = format!("A = 2, B = {size}, C = 3");
        let (axes, errors) = parse_axes(&text);
        let [error] = errors.as_slice() else {
            panic!("{size}: {errors:?}")
        };
        let [_, axis, _] = axes.as_slice() else {
            panic!("{size}: {axes:?}")
        };
        let instead = error.instead.as_ref();
        (
            text[error.span.clone()].to_owned(),
            axis.size,
            instead.map(|instead| (text[instead.span.clone()].to_owned(), instead.text.clone())),
        )
    };
    let evident = |at: &str, size: &str, value: u64| {
        assert_eq!(
            refused(size),
            (
                at.to_owned(),
                Some(value),
                Some((size.to_owned(), value.to_string()))
            )
        );
    };
    evident("*", "4 * 8", 32);
    evident("<<", "1 << 40", 1 << 40);
    evident("-", "0x10 - 1_0", 6);
    evident("(8)", "(8)", 8);
    evident("(8 + 1)", "(8 + 1) * 2", 18);
    let unknown = |at: &str, size: &str| {
        assert_eq!(refused(size), (at.to_owned(), None, None));
    };
    unknown("N", "N");
    unknown("*", "4 * N");
    unknown("crate", "crate::sizes::N");
    unknown("-", "-8");
    unknown("8.0", "8.0");
    evident("8f32", "8f32", 8);
    unknown("8e2", "8e2");
    unknown("\"8\"", "\"8\"");
    unknown("{ 8 }", "{ 8 }");
    unknown("<<", "1 << 64");
    unknown("9999999999999999999999", "9999999999999999999999");
}

#[test]
fn faulty_axes_keep_the_others() {
    let text = "A = , b = 3, C, D = N, E = 99999999999999999999, F = 1 << 64, G = 2 H = 3, I = 4";
    let (axes, errors) = parse_axes(text);
    let known: Vec<_> = axes
        .iter()
        .filter_map(|axis| axis.size.map(|size| (axis.name.as_str(), size)))
        .collect();
    assert_eq!(known, [("b", 3), ("I", 4)]);
    assert_eq!(errors.len(), 7);
    assert_eq!(parse_axes("").0, Vec::new());
    assert_eq!(parse_axes(", A = 1").0.len(), 1);
}

#[test]
fn indices_have_a_mapping_and_a_value() {
    let text = "A / 4: i % 2, [B, C]: f(x, y) + std::mem::size_of::<u8>(),";
    let (entries, errors) = parse_index(text);
    assert_eq!(errors, Vec::new());
    let read: Vec<_> = entries
        .iter()
        .map(|entry| (shape(&entry.mapping), &text[entry.value_span.clone()]))
        .collect();
    assert_eq!(
        read,
        [
            ("(A/4)".to_owned(), "i % 2"),
            ("[B,C]".to_owned(), "f(x, y) + std::mem::size_of::<u8>()")
        ]
    );
    assert_eq!(parse_index("").1, Vec::new());
    assert_eq!(parse_index("A = 3").1.len(), 2);
    assert_eq!(parse_index("A:").1.len(), 1);
}
