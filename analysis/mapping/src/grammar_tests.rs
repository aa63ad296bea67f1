//! The table of constructs by release: what the first release accepts, the one before refuses at its token.

use super::{Construct, Grammar};
use crate::parsing::parse_index_in;
use crate::{GrammarError, parse_axes_in, parse_mapping_in};

const RELEASES: [u16; 9] = [2, 3, 4, 5, 6, 7, 8, 9, 10];

fn release(minor: u16) -> Grammar {
    Grammar::OptStd { major: 0, minor }
}

#[derive(Clone, Copy)]
enum Macro {
    Mapping,
    Index,
    Axes,
}

fn errors(which: Macro, text: &str, grammar: Grammar) -> Vec<GrammarError> {
    match which {
        Macro::Mapping => parse_mapping_in(text, grammar).1,
        Macro::Index => parse_index_in(text, grammar).1,
        Macro::Axes => parse_axes_in(text, grammar).1,
    }
}

/// Construct, macro, text, and the token that releases before refuse.
const TABLE: &[(Construct, Macro, &str, &str)] = &[
    (Construct::Number, Macro::Mapping, "A, 2", "2"),
    (Construct::Number, Macro::Mapping, "[A, 12] # 64", "12"),
    (Construct::Number, Macro::Index, "4: i", "4"),
    (Construct::PaddingKind, Macro::Mapping, "A #{*} 8", "{*}"),
    (Construct::PaddingKind, Macro::Mapping, "A #{!} 8, B", "{!}"),
    (Construct::PaddingKind, Macro::Mapping, "[A # {0} 8]", "{0}"),
    (Construct::PaddingKind, Macro::Index, "A #{0} 8: 1", "{0}"),
    (
        Construct::ConstantFactor,
        Macro::Mapping,
        "A / { N }",
        "{ N }",
    ),
    (
        Construct::ConstantFactor,
        Macro::Mapping,
        "A % {B::SIZE / 2}",
        "{B::SIZE / 2}",
    ),
    (
        Construct::ConstantFactor,
        Macro::Mapping,
        "A = { 8 }",
        "{ 8 }",
    ),
    (
        Construct::ConstantFactor,
        Macro::Mapping,
        "1 # { Out::SIZE }",
        "{ Out::SIZE }",
    ),
    (Construct::ConstantFactor, Macro::Index, "A / {N}: i", "{N}"),
    (Construct::AxisFactor, Macro::Mapping, "A / B", "B"),
    (Construct::AxisFactor, Macro::Mapping, "1 # Tiles", "Tiles"),
    (Construct::AxisFactor, Macro::Mapping, "[A, B = C], D", "C"),
    (Construct::AxisFactor, Macro::Index, "A % B: 1", "B"),
    (
        Construct::MappingFactor,
        Macro::Mapping,
        "1 # (W / 512)",
        "(W / 512)",
    ),
    (Construct::MappingFactor, Macro::Mapping, "A / (4)", "(4)"),
    (Construct::MappingFactor, Macro::Index, "A / (B): i", "(B)"),
    (
        Construct::LowerCaseAxis,
        Macro::Axes,
        "A = 2, rows = 8",
        "rows",
    ),
    (Construct::LowerCaseAxis, Macro::Axes, "k_ = 8,", "k_"),
];

#[test]
fn each_construct_is_read_from_its_first_release_on() {
    for (construct, which, text, token) in TABLE {
        let (_, since) = construct.first_release();
        for minor in RELEASES {
            let found = errors(*which, text, release(minor));
            let accepts = release(minor).reads_construct(*construct);
            assert_eq!(accepts, minor >= since, "{construct:?} in 0.{minor}");
            if accepts {
                assert_eq!(found, Vec::new(), "{text} in 0.{minor}");
                continue;
            }
            let [error] = found.as_slice() else {
                panic!("{text} in 0.{minor}: {found:?}");
            };
            assert_eq!(&text[error.span.clone()], *token, "{text} in 0.{minor}");
            let named = format!("is read from release 0.{since} on");
            assert!(error.message.ends_with(&named), "{}", error.message);
        }
    }
    for construct in Construct::ALL {
        let tested = TABLE.iter().any(|(known, ..)| *known == construct);
        assert!(tested || construct == Construct::TrailingComma);
    }
}

/// The first release of the successor reads them; the book's library does not, and names no release.
#[test]
fn trailing_commas_are_the_successors() {
    for text in ["A,", "A, B,", "(A, B,)", "[A, B,] / 4,"] {
        for minor in RELEASES {
            assert_eq!(errors(Macro::Mapping, text, release(minor)), Vec::new());
        }
        let found = errors(Macro::Mapping, text, Grammar::VisaStd);
        assert!(!found.is_empty(), "{text}");
        for error in found {
            assert_eq!(error.message, "a mapping has no trailing comma");
            assert_eq!(&text[error.span], ",");
        }
    }
    let before = Grammar::OptStd { major: 0, minor: 1 };
    let found = errors(Macro::Mapping, "A,", before);
    assert!(found[0].message.ends_with("from release 0.2 on"));
}

#[test]
fn no_release_reads_these() {
    let cases: &[(Macro, &str, &str)] = &[
        (Macro::Mapping, "", ""),
        (Macro::Mapping, ",", ","),
        (Macro::Mapping, "A,, B", ","),
        (Macro::Mapping, ", A", ","),
        (Macro::Mapping, "A /", ""),
        (Macro::Mapping, "A / , B", ","),
        (Macro::Mapping, "A / [B]", "[B]"),
        (Macro::Mapping, "A # [B, C], D", "[B, C]"),
        (Macro::Mapping, "A / 0x10", "0x10"),
        (Macro::Mapping, "A / 1_024", "1_024"),
        (Macro::Mapping, "A / 4usize", "4usize"),
        (Macro::Mapping, "A # 8.0", "8.0"),
        (Macro::Mapping, "A + B", "+"),
        (Macro::Mapping, "A * 2", "*"),
        (Macro::Mapping, "A / -4", "-"),
        (Macro::Mapping, "A ! 4", "!"),
        (Macro::Mapping, "A::B", ":"),
        (Macro::Mapping, "A / 4 B", "B"),
        (Macro::Mapping, "[], A", "[]"),
        (Macro::Mapping, "{}", "{}"),
        (
            Macro::Mapping,
            "A / 99999999999999999999",
            "99999999999999999999",
        ),
        (Macro::Index, ",", ","),
        (Macro::Index, "A: 0,, B: 1", ","),
        (Macro::Axes, ",", ","),
        (Macro::Axes, ", A = 4", ","),
        (Macro::Axes, "A = 4,, B = 2", ","),
        (Macro::Axes, "A = N", "N"),
        (Macro::Axes, "A = 4 * 8", "*"),
        (Macro::Axes, "A = { 8 }", "{ 8 }"),
        (Macro::Axes, "A = 8.0", "8.0"),
        (Macro::Axes, "_A = 4", "_A"),
        (Macro::Axes, "_ = 4", "_"),
        (Macro::Axes, "Größe = 4", "Größe"),
        (Macro::Axes, "Self = 4", "Self"),
        (Macro::Axes, "r#A = 4", "r#A"),
        (Macro::Axes, "A: 4", ":"),
        (Macro::Axes, "A", ""),
    ];
    for (which, text, token) in cases {
        for minor in RELEASES {
            let found = errors(*which, text, release(minor));
            let [error] = found.as_slice() else {
                panic!("{text} in 0.{minor}: {found:?}");
            };
            assert_eq!(
                text.get(error.span.clone()),
                Some(*token),
                "{text} in 0.{minor}"
            );
            assert!(!error.message.contains("from release"), "{}", error.message);
        }
    }
    assert_eq!(errors(Macro::Axes, "type = 4", release(10)).len(), 1);
}

#[test]
fn what_every_release_reads() {
    for minor in RELEASES {
        for text in [
            "1",
            "A",
            "A / 4 % 2 = 1 # 8",
            "[A, (B)] # 64",
            "{ Time } / 4, 1 # 2",
            "A # 007",
        ] {
            assert_eq!(
                errors(Macro::Mapping, text, release(minor)),
                Vec::new(),
                "{text}"
            );
        }
        for text in ["", "A = 0x10, B = 1_024, C = 8usize, D = 0b11,", "A_1 = 2"] {
            assert_eq!(
                errors(Macro::Axes, text, release(minor)),
                Vec::new(),
                "{text}"
            );
        }
        for text in [
            "",
            "A: 1, B: f(2, 3),",
            "A, B: 5",
            "(A, B,): 5",
            "A, B,: 5",
            "A = 8: 0",
        ] {
            assert_eq!(
                errors(Macro::Index, text, release(minor)),
                Vec::new(),
                "{text}"
            );
        }
    }
    // The book's `i!` reads one part before a colon.
    assert!(!errors(Macro::Index, "A, B: 5", Grammar::VisaStd).is_empty());
}

/// A right operand in parentheses is a number, an axis, or a quotient.
#[test]
fn only_what_is_counted_is_a_right_operand() {
    for text in [
        "A / (4)",
        "A / (B)",
        "A / (B / 2)",
        "A / (B / C / 2)",
        "A / (B / (C / 2))",
        "A / ((B))",
        "A / ({ T } / 2)",
        "A / ([B])",
        "A / (B / { N })",
    ] {
        assert_eq!(
            errors(Macro::Mapping, text, release(8)),
            Vec::new(),
            "{text}"
        );
    }
    for (text, token) in [
        ("A / (B, C)", ","),
        ("A / (B % 2)", "%"),
        ("A # (B = 2 / 1)", "="),
        ("A / (B # 8)", "#"),
        ("A / (B #{!} 8)", "#{!}"),
        ("A / ([B % 2, C])", ","),
        ("A / (B / (C % 2))", "%"),
    ] {
        let found = errors(Macro::Mapping, text, release(8));
        let [error] = found.as_slice() else {
            panic!("{text}: {found:?}");
        };
        assert_eq!(&text[error.span.clone()], token, "{text}");
    }
}

#[test]
fn what_says_the_same_is_proposed() {
    let instead = |text: &str, grammar: Grammar| {
        let found = errors(Macro::Mapping, text, grammar);
        let instead = found.first().and_then(|error| error.instead.clone());
        instead.map(|instead| {
            let mut text = text.to_owned();
            text.replace_range(instead.span, &instead.text);
            text
        })
    };
    assert_eq!(instead("", release(6)).as_deref(), Some("1"));
    assert_eq!(instead("", Grammar::VisaStd), None);
    assert_eq!(
        instead("A # [B / 2], C", release(8)).as_deref(),
        Some("A # (B / 2), C")
    );
    assert_eq!(instead("A # [B / 2], C", release(7)), None);
    assert_eq!(instead("A / 0x10", release(4)).as_deref(), Some("A / 16"));
    assert_eq!(instead("A #{*} 8", release(2)).as_deref(), Some("A # 8"));
    assert_eq!(instead("A #{0} 8", release(2)), None);
}

#[test]
fn messages_say_what_is_read_in_that_place() {
    let message = |text: &str, minor: u16| {
        let found = errors(Macro::Mapping, text, release(minor));
        found[0].message.clone()
    };
    assert_eq!(
        message("A / N", 2),
        "the right operand is a plain decimal number, found the name `N`; an axis as a right operand is read from release 0.8 on"
    );
    assert_eq!(
        message("A / N", 6),
        "the right operand is a plain decimal number or `{ constant }`, found the name `N`; an axis as a right operand is read from release 0.8 on"
    );
    assert_eq!(
        message("A / [B]", 8),
        "the right operand is a plain decimal number, `{ constant }`, an axis or a mapping in parentheses, found `[`"
    );
    assert_eq!(
        message("A / { N }", 3),
        "the right operand is a plain decimal number, found `{`; `{ constant }` as a right operand is read from release 0.4 on"
    );
    assert_eq!(
        message("A, 2", 2),
        "expected an axis, `1`, a group or `{ type }`, found `2`; a number of positions that name no axis is read from release 0.3 on"
    );
    assert_eq!(
        message("A, !", 3),
        "expected an axis, a number, a group or `{ type }`, found `!`"
    );
    let found = errors(Macro::Axes, "b = 3", release(8));
    assert_eq!(
        found[0].message,
        "an axis's name starts with one of the letters A to Z, unlike `b`; a lower-case first letter is read from release 0.9 on"
    );
    let found = errors(Macro::Axes, "_b = 3", release(9));
    assert_eq!(
        found[0].message,
        "an axis's name starts with an ASCII letter, unlike `_b`"
    );
}

/// Half-typed and hostile text ends in errors, with spans inside of the text.
#[test]
fn hostile_text_ends_in_errors() {
    let mut texts = vec![
        "(".repeat(100_000),
        "A / (".repeat(60),
        format!("A{}", " / (B)".repeat(10_000)),
        format!("A{}", ", A".repeat(20_000)),
        "A # {".to_owned(),
        "A #{!".to_owned(),
        "größe / ß, 数 # 八".to_owned(),
        "\u{202e}A, B".to_owned(),
        "A / ü[B]".to_owned(),
        "i: :, :".to_owned(),
    ];
    texts.push(format!("A / {}B{}", "(".repeat(60), ")".repeat(60)));
    for text in &texts {
        for which in [Macro::Mapping, Macro::Index, Macro::Axes] {
            for minor in [2, 3, 7, 10] {
                for error in errors(which, text, release(minor)) {
                    assert!(text.get(error.span).is_some());
                    assert!(error.message.len() < 400);
                }
            }
        }
    }
}
