use super::{
    MappingQuestion, QuestionError, SequenceQuestion, SequencerMode, derive_sequence,
    evaluate_mapping,
};
use crate::items::Dialect;
use crate::libraries::{Library, Release};

fn question<'a>(expression: &'a str, axes: &'a str) -> MappingQuestion<'a> {
    MappingQuestion {
        expression,
        axes,
        ..MappingQuestion::default()
    }
}

#[test]
fn a_mapping_is_evaluated_with_or_without_its_macro() {
    // Padded to 16, A / 2 has 4 live positions of 4; two bits of i4 are no byte.
    let wrapped = evaluate_mapping(&MappingQuestion {
        element_type: Some("i8"),
        positions: Some((2, 6)),
        against: Some("A / 2 # 8, A % 2"),
        ..question("m![A # 16]", "A = 8")
    })
    .unwrap();
    assert_eq!((wrapped.size, wrapped.bits), (16, Some(128)));
    assert_eq!(wrapped.expression, "A # 16");
    assert_eq!(wrapped.equivalent, Some(Some(true)));
    assert_eq!(wrapped.index.len(), 4);
    assert_eq!(wrapped.index[3].as_ref().unwrap().get("A"), Some(&5));
    assert_eq!(
        evaluate_mapping(&question("A # 16", "A = 8")).unwrap().size,
        16
    );
    // Axes as a kernel declares them.
    let declared = question("m![A # 16]", " axes![A = 8];");
    assert_eq!(evaluate_mapping(&declared).unwrap().size, 16);
    let factor = &wrapped.factors[0];
    assert_eq!(
        (
            factor.axis.as_deref(),
            factor.size,
            factor.valid,
            factor.padding
        ),
        (Some("A"), 16, 8, 8)
    );
}

#[test]
fn refusals_name_their_rule() {
    let rule = |expression: &str| match evaluate_mapping(&question(expression, "A = 8, B = 512")) {
        Err(QuestionError::IllFormed { rule, .. }) => rule,
        other => panic!("{expression}: {other:?}"),
    };
    assert_eq!(rule("A / 3"), "stride_indivisible");
    assert_eq!(rule("A % 3"), "modulo_indivisible");
    assert_eq!(rule("A # 4"), "padding_shrinks");
    assert_eq!(rule("A = 9"), "resize_grows");
    assert_eq!(rule("C"), "unknown_axis");
    for broken in ["A,", "A /", "[A", "A]; type X = m![B", "", "A + B"] {
        assert_eq!(rule(broken), "mapping_syntax", "{broken}");
    }
    let option = |axes: &str| {
        matches!(
            evaluate_mapping(&question("1", axes)),
            Err(QuestionError::Option(_))
        )
    };
    assert!(option("A = ") && option("A = 4, A = 8") && option("A = 0"));
    assert!(!option("") && !option("A = 1 << 40"));
}

#[test]
fn a_call_of_the_macro_that_does_not_end_is_refused_at_its_place() {
    let said = |expression: &str| match evaluate_mapping(&question(expression, "A = 8")) {
        Err(QuestionError::IllFormed {
            rule,
            message,
            which: 0,
            at: Some((text, span)),
        }) if rule == "mapping_syntax" => (message, text[..span.start].to_owned()),
        other => panic!("{expression}: {other:?}"),
    };
    for (expression, words, before) in [
        ("m![A", "`[` is never closed", "m!"),
        (" m! [A / (2)", "`[` is never closed", "m! "),
        ("m![A)", "`[` is closed by `)`", "m![A"),
        ("m!{A]", "`{` is closed by `]`", "m!{A"),
        ("m![A] B", "the call of `m!` ends before `B`", "m![A] "),
        ("m![A]]", "the call of `m!` ends before `]`", "m![A]"),
        ("m!A", "the call of `m!` has no brackets: `m![…]`", ""),
        ("m!", "the call of `m!` has no brackets: `m![…]`", ""),
        ("A #", "the right operand", "A #"),
    ] {
        let (message, text) = said(expression);
        assert!(message.starts_with(words), "{expression}: {message}");
        assert_eq!(text, before, "{expression}");
    }
    assert_eq!(
        evaluate_mapping(&question("m!({ m![A] })", "A = 8"))
            .unwrap()
            .size,
        8
    );
    // Which of several it is.
    let other = evaluate_mapping(&MappingQuestion {
        against: Some("m![A"),
        ..question("A", "A = 8")
    });
    assert!(
        matches!(other, Err(QuestionError::IllFormed { which: 1, .. })),
        "{other:?}"
    );
    let axes = evaluate_mapping(&question("A", "axes![A = 8"));
    let words = "axes `axes![A = 8`: `[` is never closed".to_owned();
    assert_eq!(axes.err(), Some(QuestionError::Option(words)));
}

#[test]
fn the_grammar_is_that_of_the_dialect() {
    let current = |minor, expression| {
        evaluate_mapping(&MappingQuestion {
            dialect: Dialect {
                library: Library::OptStd,
                release: Release::new(0, minor),
            },
            ..question(expression, "A = 8, B = 512")
        })
    };
    // Two copies of 8; 512 positions in groups of the 8 of `A`; 3 of zeros behind 5 of the 8.
    assert_eq!(current(8, "2, A").unwrap().size, 16);
    assert_eq!(current(8, "B / A").unwrap().size, 64);
    assert_eq!(current(8, "A #{0} 16,").unwrap().size, 16);
    assert_eq!(current(8, "B % (A / 2)").unwrap().size, 4);
    // An axis is a factor from 0.8 on and never in the book, a number is an operand from 0.3 on.
    let place = |answer: Result<_, QuestionError>| match answer {
        Err(QuestionError::IllFormed {
            at: Some((text, span)),
            ..
        }) => text.get(span).map(str::to_owned),
        other => panic!("{other:?}"),
    };
    assert_eq!(place(current(7, "B / A")).as_deref(), Some("A"));
    assert_eq!(place(current(2, "2, A")).as_deref(), Some("2"));
    assert_eq!(
        place(evaluate_mapping(&question("B / A", "A = 8, B = 512"))).as_deref(),
        Some("A")
    );
    // What is refused is where it is, in letters of several bytes too.
    assert_eq!(place(current(8, "m![A, ä % 3]")).as_deref(), Some("ä"));
    assert_eq!(place(current(8, "B, A / 3")).as_deref(), Some("/ 3"));
}

#[test]
fn a_sequencer_is_derived() {
    // 8 rows of 16 bytes, every one of them in a line with the next: one run of 128 bytes, 4 accesses of 32 bytes.
    let answer = derive_sequence(&SequenceQuestion {
        axes: "A = 8, B = 16",
        buffer: "A, B",
        time: "A",
        packet: "B",
        element_type: "i8",
        mode: SequencerMode::Fetch,
        sub_context: false,
        address: 0,
    })
    .unwrap();
    assert_eq!(answer.error, None);
    assert_eq!(answer.merged.len(), 1);
    assert_eq!(
        (answer.merged[0].size, answer.merged[0].stride),
        (128, Some(1))
    );
    assert_eq!(
        (answer.packet_bytes, answer.contiguous_bytes),
        (Some(16), Some(128))
    );
    assert_eq!(
        answer
            .accesses
            .zip(answer.access_bytes)
            .map(|(count, bytes)| count * bytes),
        Some(128)
    );
}
