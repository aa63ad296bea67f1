use super::invalid::nearest_divisors;
use super::*;
use crate::mapping::MappingError;
use crate::testing::span;

fn worded(kind: MappingProblemKind, source: &str) -> Option<Finding> {
    to_finding(
        &MappingProblem {
            kind,
            span: span(1),
        },
        &Around {
            source: &|_| source.to_owned(),
            works: &|_, _| true,
            operand: None,
            module: "",
        },
    )
}

#[test]
fn nearest_divisors_lie_on_both_sides() {
    assert_eq!(nearest_divisors(16384, 60, |_| true), [32, 64]);
    assert_eq!(nearest_divisors(13, 4, |_| true), [1, 13]);
    assert_eq!(nearest_divisors(12, 24, |_| true), [12]);
    assert_eq!(nearest_divisors(16384, 60, |divisor| divisor >= 128), [128]);
    assert_eq!(
        nearest_divisors(u64::MAX - 58, 10, |_| true),
        [1],
        "a prime below 2^64"
    );
}

#[test]
fn a_remainder_names_padding_and_divisors() {
    let error = MappingError::StrideIndivisible {
        size: 13,
        divisor: 4,
    };
    let finding = worded(MappingProblemKind::Invalid(error), "/ 4").expect("a finding");
    assert_eq!(finding.rule.name, "stride_indivisible");
    assert!(finding.message.contains("13 positions") && finding.message.contains("1 is left over"));
    assert_eq!(
        finding.help.as_deref(),
        Some("pad the operand to 16 first, or use a divisor of 13, the nearest being 1 or 13")
    );
    let texts: Vec<&str> = finding
        .fixes
        .iter()
        .map(|fix| fix.edits[0].text.as_str())
        .collect();
    assert_eq!(texts, ["# 16 / 4"]);
}

#[test]
fn a_zero_divisor_belongs_to_its_operator() {
    let rule = |source| {
        worded(
            MappingProblemKind::Invalid(MappingError::ZeroDivisor { size: 8 }),
            source,
        )
        .map(|found| found.rule.name)
    };
    assert_eq!(rule("% 0"), Some("modulo_indivisible"));
    assert_eq!(rule("/ 0"), Some("stride_indivisible"));
}

#[test]
fn an_axis_that_may_be_declared_elsewhere_is_silent() {
    let unknown = |silent, nearest: &[&str]| MappingProblemKind::UnknownAxis {
        name: "Token".to_owned(),
        nearest: nearest.iter().map(ToString::to_string).collect(),
        silent,
        declared: Vec::new(),
        imports_at: None,
    };
    assert_eq!(worded(unknown(true, &[]), "Token"), None);
    let finding = worded(unknown(false, &["Tokens"]), "Token").expect("a finding");
    assert_eq!(finding.rule.name, "unknown_axis");
    assert_eq!(finding.fixes[0].edits[0].text, "Tokens");
    assert_eq!(
        finding.fixes[0].applicability,
        Applicability::Maybe,
        "a name is a guess"
    );
    assert_eq!(worded(MappingProblemKind::UnresolvedEscape, "{ E }"), None);
}

#[test]
fn a_bare_constant_is_worded_by_release() {
    let worded = |grammar| {
        let kind = MappingProblemKind::NamedConstant {
            text: "N".to_owned(),
            value: Some(4),
            factor: true,
            grammar,
        };
        let found = worded(kind, "N").expect("a finding");
        let fix = found.fixes.first().map(|fix| fix.edits[0].text.clone());
        (found.rule.name, fix)
    };
    let release = |minor| Grammar::OptStd { major: 0, minor };
    let with = |text: &str| Some(text.to_owned());
    assert_eq!(worded(Grammar::VisaStd), ("mapping_syntax", with("4")));
    assert_eq!(worded(release(3)), ("mapping_syntax", with("4")));
    assert_eq!(worded(release(4)), ("mapping_syntax", with("{ N }")));
    assert_eq!(worded(release(7)), ("mapping_syntax", with("{ N }")));
    assert_eq!(worded(release(8)), ("unknown_axis", with("{ N }")));
    assert_eq!(worded(release(10)), ("unknown_axis", with("{ N }")));
}
