//! Tests of folding.

use crate::EditorQuestions as _;
use crate::names::testing::{Marked, everywhere};

/// The marked stretches fold, with these words.
#[track_caller]
fn check(text: &str, words: &[&str]) {
    let marked = Marked::one(text);
    let foldings = marked.analysis().folding_ranges("kernel.rs").unwrap();
    let found: Vec<_> = foldings.iter().map(|folding| folding.range).collect();
    let expected: Vec<_> = marked.marks.iter().map(|mark| mark.range).collect();
    assert_eq!(found, expected);
    let found: Vec<_> = foldings
        .iter()
        .filter_map(|folding| folding.collapsed.as_deref())
        .collect();
    assert_eq!(found, words);
}

#[test]
fn pipelines_fold_behind_what_they_start_from() {
    check(
        "fn f() {
            let y = ctx.main«
                .begin(x.view())
                .fetch::<bf16, m![A]>()
                .collect::<m![A], m![1]>()
                .vector()
                .commit(0)»;
            a.b().c().d();
            a
                .b();
        }",
        &[".begin.fetch.collect … .commit"],
    );
    check("fn f() { x«\n.a()\n.b()\n.c()» }", &[".a.b.c"]);
    check(
        "fn f() { x«\n.a(y«\n.d()\n.e()\n.f()»)\n.b()\n.c()» }",
        &[".a.b.c", ".d.e.f"],
    );
}

#[test]
fn macros_over_several_lines_fold() {
    check("axes![«\n    A = 8,\n    B = 4, // last\n»];", &["A, B"]);
    check("type T = m![«\n A,\n B»];", &["…"]);
    check(
        "axes![«A = 1, B = 1, C = 1,\nD = 1, E = 1, F = 1»];",
        &["A, B, C, D and 2 more"],
    );
    check("axes![A = 8]; type T = m![A];", &[]);
}

#[test]
fn runs_of_declarations_fold() {
    check(
        "use a::*;\n«axes![A = 8];\n// comment\ntype T = m![A];\ntype U = m![2];»\n\ntype V = m![2];\nfn f() { «axes![B = 2];\n type X = m![B];» let x = 1; }",
        &["A, T, U", "B, X"],
    );
}

#[test]
fn anywhere_in_anything() {
    let text = include_str!("../../../../fixtures/kernels/right/gemm.rs");
    everywhere(text, |analysis, offset| {
        if offset == 0 {
            let foldings = analysis.folding_ranges("kernel.rs").unwrap();
            assert!(
                foldings
                    .iter()
                    .all(|folding| folding.range.start < folding.range.end)
            );
        }
    });
}
