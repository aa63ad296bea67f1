//! Tests of semantic tokens.

use crate::EditorQuestions as _;
use crate::names::testing::everywhere;
use crate::workspace::Workspace;
use crate::{ByteRange, TokenKind};

/// The tokens of a text as `text:kind`, a declaration with a `!` behind it.
fn tokens(text: &str, range: Option<ByteRange>) -> String {
    let mut workspace = Workspace::new();
    workspace.set_files([("kernel.rs", text)]);
    let tokens = workspace
        .analysis()
        .semantic_tokens("kernel.rs", range)
        .unwrap();
    let word = |token: &crate::SemanticToken| {
        let place = token.range.start as usize..token.range.end as usize;
        let kind = match token.kind {
            TokenKind::Axis => "axis",
            TokenKind::Alias => "alias",
            TokenKind::Number => "number",
            TokenKind::Operator => "operator",
            TokenKind::Padding => "padding",
        };
        let declaration = if token.declaration { "!" } else { "" };
        format!("{}:{kind}{declaration}", &text[place])
    };
    tokens.iter().map(word).collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(tokens(text, None), expected);
}

#[test]
fn declarations() {
    check(
        "axes![A = 8, B_x = 1_024];",
        "A:axis! =:operator 8:number B_x:axis! =:operator 1_024:number",
    );
}

#[test]
fn mappings() {
    check(
        "type T = m![A / 2 % 4, { U }, (B # 16), X]; type U = m![1]; mod axes_ {} axes!(A = 8, B = 2);",
        "A:axis /:operator 2:number %:operator 4:number U:alias B:axis #:operator 16:number 1:number \
         A:axis! =:operator 8:number B:axis! =:operator 2:number",
    );
}

#[test]
fn paddings() {
    check(
        "type T = m![A # {0} 16, A #{!} 16, A = 4]; axes![A = 8];",
        "A:axis #:operator {:padding 0:padding }:padding 16:number A:axis #:operator {:padding !:padding }:padding \
         16:number A:axis =:operator 4:number A:axis! =:operator 8:number",
    );
}

#[test]
fn what_is_rust_stays_rust() {
    check(
        "axes![A = 8]; const N: usize = 2; fn f(i: usize) { i![A / 2: i / 4, A: A::SIZE % 3]; type T = m![{ N / 2 }]; }",
        "A:axis! =:operator 8:number A:axis /:operator 2:number 4:number A:axis A:axis 3:number 2:number",
    );
}

#[test]
fn macros_in_arguments_of_others_and_templates() {
    check(
        "axes![A = 8]; macro_rules! k { () => { m![A] } } fn f() { assert_eq!(A, <m![A]>::SIZE); }",
        "A:axis! =:operator 8:number A:axis",
    );
}

#[test]
fn of_a_range_only() {
    let text = "axes![A = 8]; type T = m![A / 2];";
    let start = u32::try_from(text.find("/ 2").unwrap()).unwrap();
    let range = ByteRange {
        start,
        end: start + 3,
    };
    assert_eq!(tokens(text, Some(range)), "/:operator 2:number");
}

#[test]
fn anywhere_in_anything() {
    let text = include_str!("../../../../fixtures/kernels/right/pairs.rs");
    everywhere(text, |analysis, offset| {
        let range = (offset > 0).then_some(ByteRange {
            start: offset / 2,
            end: offset,
        });
        let tokens = analysis.semantic_tokens("kernel.rs", range).unwrap();
        for pair in tokens.windows(2) {
            assert!(pair[0].range.end <= pair[1].range.start);
        }
    });
}
