//! Tests of selection ranges.

use crate::EditorQuestions as _;
use crate::names::testing::{Marked, everywhere};

/// The texts of the ranges at the caret, the first so many.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let marked = Marked::one(text);
    let (path, offset) = &marked.caret;
    let ranges = marked.analysis().selection_ranges(path, *offset).unwrap();
    let text = &marked.files[0].1;
    let found: Vec<&str> = ranges
        .iter()
        .map(|range| &text[range.start as usize..range.end as usize])
        .take(expected.len())
        .collect();
    assert_eq!(found, expected);
    if !expected.is_empty() {
        let whole = ranges.last().unwrap();
        assert_eq!((whole.start, whole.end as usize), (0, text.len()));
    } else {
        assert_eq!(ranges, []);
    }
}

#[test]
fn from_a_name_to_the_item() {
    check(
        "type T = m![B, (A$0 / 2 % 4 # 8, C)];",
        &[
            "A",
            "A / 2",
            "A / 2 % 4",
            "A / 2 % 4 # 8",
            "A / 2 % 4 # 8, C",
            "(A / 2 % 4 # 8, C)",
            "B, (A / 2 % 4 # 8, C)",
            "[B, (A / 2 % 4 # 8, C)]",
            "m![B, (A / 2 % 4 # 8, C)]",
            "type T = m![B, (A / 2 % 4 # 8, C)];",
        ],
    );
}

#[test]
fn from_an_operand() {
    check(
        "fn f() { x.fetch::<bf16, m![A / $02 % 4]>() }",
        &[
            "2",
            "/ 2",
            "A / 2",
            "A / 2 % 4",
            "[A / 2 % 4]",
            "m![A / 2 % 4]",
            "::<bf16, m![A / 2 % 4]>",
            "x.fetch::<bf16, m![A / 2 % 4]>()",
            "{ x.fetch::<bf16, m![A / 2 % 4]>() }",
        ],
    );
}

#[test]
fn in_axes_and_indices() {
    check(
        "axes![A = 8, B = 1$06];",
        &[
            "16",
            "B = 16",
            "A = 8, B = 16",
            "[A = 8, B = 16]",
            "axes![A = 8, B = 16]",
            "axes![A = 8, B = 16];",
        ],
    );
    check(
        "fn f() { i![A / 2: $0j + 1, B: 0]; }",
        &[
            "j",
            "j + 1",
            "A / 2: j + 1",
            "A / 2: j + 1, B: 0",
            "[A / 2: j + 1, B: 0]",
            "i![A / 2: j + 1, B: 0]",
        ],
    );
}

#[test]
fn in_the_arguments_of_another_macro() {
    check(
        "fn f() { launch!(k::<m![{ $0T }]>); }",
        &[
            "T",
            "{ T }",
            "[{ T }]",
            "m![{ T }]",
            "(k::<m![{ T }]>)",
            "launch!(k::<m![{ T }]>)",
        ],
    );
}

#[test]
fn in_half_a_macro() {
    check("type T = m![A$0 / ", &["A", "A /", "[A /", "m![A /"]);
}

#[test]
fn nothing_outside_of_macros() {
    check("fn f() { $0x; m![A]; }", &[]);
    check("type $0T = m![A];", &[]);
}

#[test]
fn anywhere_in_anything() {
    let text = include_str!("../../../../fixtures/kernels/right/moves.rs");
    everywhere(text, |analysis, offset| {
        let ranges = analysis.selection_ranges("kernel.rs", offset).unwrap();
        for pair in ranges.windows(2) {
            assert!(pair[1].start <= pair[0].start && pair[0].end <= pair[1].end);
            assert_ne!(pair[0], pair[1]);
        }
    });
}
