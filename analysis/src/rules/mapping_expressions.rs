//! Rules of the family "mapping expressions": what is wrong with an `m!`, `i!` or `axes!` as it stands.
//!
//! They look at every call of these macros in an item, whether a kernel reaches it or not. A fault in an alias is the
//! alias's; its uses have none.

use super::{Applicability, Checked, Finding, Rule, rule, words};
use crate::derivation::tensors::RepeatedAxis;
use crate::items::{MappingProblem, MappingProblemKind, MappingSite, Span};
use crate::mapping::MappingError;

/// How far from a number the nearest divisors are searched.
const DIVISOR_DISTANCE: u64 = 4096;

/// The family's rules.
pub(super) const RULES: &[Rule] = &[
    rule!(
        "mapping_syntax",
        Mapping,
        "Mapping Expressions",
        "`axes!`, `m!` or `i!` does not parse",
        "The three macros have small grammars of their own: axes with `/`, `%`, `#` and `=`, each followed by a plain number, \
         commas between factors, brackets or parentheses around groups, braces around a Rust type. Anything else stops the \
         compiler at the macro with few words. An alias that needs itself has no mapping either.",
    ),
    rule!(
        "unknown_axis",
        Mapping,
        "Axis Sizes",
        "a name in a mapping expression that names no axis in scope",
        "The symbols of a mapping are axes, declared by `axes!` and found by Rust's rules for types: in the \
         block, in the module, or imported. An axis declared in another module has to be imported like any \
         other name, and a renaming import gives it another name here while it stays the same axis.",
        fix,
    ),
    rule!(
        "duplicate_axis",
        Mapping,
        "library",
        "one `axes!` declares a name twice",
        "Each axis becomes a type of its own with its size as a constant, so a name can be declared once in a scope: the \
         compiler stops at the second one. Of two declarations with different sizes only one can be meant; every mapping \
         that uses the name has to be read again when it is known which.",
    ),
    rule!(
        "axis_size_zero",
        Mapping,
        "derived",
        "an axis without values, or with more than the machine can count",
        "An axis counts the values of an index, and a buffer over it has that many positions. With none there is nothing to \
         map, and every size that the axis takes part in is zero; a size beyond 64 bits does not exist for the compiler.",
    ),
    rule!(
        "stride_indivisible",
        Mapping,
        "Stride and Modulo",
        "`E / n` where `n` does not divide the size of `E`",
        "`E / n` counts the blocks of `n` positions in `E`. Blocks are whole: if a last block would be shorter, the \
         expression has no size, and the compiler stops at the first place that asks for it. Pad `E` to a multiple first.",
        fix,
        alt,
    ),
    rule!(
        "modulo_indivisible",
        Mapping,
        "Stride and Modulo",
        "`E % n` where `n` does not divide the size of `E`",
        "`E % n` is the place inside a block of `n` positions of `E`. Blocks are whole: if a last block would be shorter, the \
         expression has no size, and the compiler stops at the first place that asks for it. Pad `E` to a multiple first.",
        fix,
        alt,
    ),
    rule!(
        "padding_shrinks",
        Mapping,
        "Padding",
        "`E # n` where `n` is smaller than `E`",
        "The number after `#` is the size with the padding, not the padding that is added: `A # 256` is a buffer of 256 \
         positions. It can only be as large as what is padded, or larger; to keep fewer positions there is `=`. The library \
         takes the smaller number without a word and stops much later, when it lays out the tensor.",
        fix,
    ),
    rule!(
        "resize_grows",
        Mapping,
        "Resize",
        "`E = n` where `n` is larger than `E`",
        "A resize keeps the first `n` positions and drops the others, so it can only make a mapping smaller. Beyond the size \
         there is nothing to keep: positions behind the last value would name indices that the axis does not have. Room \
         without data is padding, `#`.",
        fix,
    ),
    rule!(
        "mapping_overflow",
        Mapping,
        "derived",
        "a product of sizes does not fit 64 bits",
        "Positions are counted in 64 bits, and the size of a pair is the product of its parts. A product beyond that stops the \
         compiler's constants where they are asked for, and no memory is as large; most likely one of the sizes has a digit \
         too many, or a part stands in the pair twice.",
    ),
    rule!(
        "axis_repeated",
        Suspicious,
        "derived",
        "one tensor's mapping selects the same digit of an axis twice",
        "A position stands for the index that its levels add up to. If two of them step through the same digit of an axis, \
         several positions stand for one element, those beyond the axis stand for none, and a transfer that fills the tensor \
         has no single answer to what belongs where. Most often one of the two was meant to be the rest of the axis: `A / 8` \
         beside `A % 8`, or an axis of its own.",
    ),
];

/// What the mappings of a body's tensors and streams repeat; the expressions themselves are judged by [`check_sites`].
pub(super) fn check(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    for RepeatedAxis {
        axis,
        parts,
        span,
        other,
    } in &checked.derivation.tensors.repeated
    {
        let [fine, coarse] = parts.map(|(stride, count)| match stride {
            1 => format!("{count} values"),
            _ => format!("{count} steps of {stride} values"),
        });
        let mut finding = Finding::new(
            "axis_repeated",
            *span,
            format!(
                "`{axis}` is selected twice in one tensor: {fine} and {coarse} run over the same digits"
            ),
        );
        if let Some(other) = other {
            finding = finding.related(*other, "the other selection");
        }
        findings.push(finding);
    }
}

/// What is wrong with the calls of the macros in an item. `source` gives the text of a place.
pub(super) fn check_sites(sites: &[MappingSite], source: impl Fn(Span) -> String) -> Vec<Finding> {
    let problems = sites.iter().flat_map(|site| &site.problems);
    problems
        .filter_map(|problem| word(problem, &source(problem.span)))
        .collect()
}

fn word(problem: &MappingProblem, source: &str) -> Option<Finding> {
    let span = problem.span;
    Some(match &problem.kind {
        MappingProblemKind::Grammar(message) => {
            Finding::new("mapping_syntax", span, message.clone())
        }
        MappingProblemKind::CyclicAlias { name } => Finding::new(
            "mapping_syntax",
            span,
            format!("the alias `{name}` needs itself, so it has no mapping"),
        ),
        MappingProblemKind::UnknownAxis { silent: true, .. }
        | MappingProblemKind::UnresolvedEscape => return None,
        MappingProblemKind::UnknownAxis { name, nearest, .. } => word_unknown(name, nearest, span),
        MappingProblemKind::DuplicateAxis { name, first } => Finding::new(
            "duplicate_axis",
            span,
            format!("the axis `{name}` is declared twice"),
        )
        .related(*first, "first declared here"),
        MappingProblemKind::AxisSizeZero { name } => Finding::new(
            "axis_size_zero",
            span,
            format!("the axis `{name}` has no values: nothing can be mapped over it"),
        )
        .help("an axis that is not needed yet has size 1"),
        MappingProblemKind::AxisSizeOverflow { name } => Finding::new(
            "axis_size_zero",
            span,
            format!("the size of the axis `{name}` does not fit 64 bits"),
        ),
        MappingProblemKind::Invalid(error) => return word_invalid(error, span, source),
    })
}

fn word_unknown(name: &str, nearest: &[String], span: Span) -> Finding {
    let mut finding = Finding::new(
        "unknown_axis",
        span,
        format!("`{name}` names no axis in scope"),
    );
    // One similar name is the only reading; among several the author chooses.
    let applicability = if nearest.len() == 1 {
        Applicability::Machine
    } else {
        Applicability::Maybe
    };
    for other in nearest {
        finding = finding.fix(
            applicability,
            format!("write `{other}`"),
            span,
            other.clone(),
        );
    }
    if nearest.is_empty() {
        finding.help(format!(
            "declare it: `axes![{name} = …]`, or import it from the module that does"
        ))
    } else {
        finding.help(format!("similar names in scope: {}", words::names(nearest)))
    }
}

fn word_invalid(error: &MappingError, span: Span, source: &str) -> Option<Finding> {
    Some(match error {
        MappingError::StrideIndivisible { size, divisor } => indivisible("stride_indivisible", '/', *size, *divisor, span),
        MappingError::ModuloIndivisible { size, divisor } => indivisible("modulo_indivisible", '%', *size, *divisor, span),
        MappingError::ZeroDivisor => {
            let rule = if source.starts_with('%') { "modulo_indivisible" } else { "stride_indivisible" };
            Finding::new(rule, span, "there are no blocks of 0 positions: the divisor is at least 1")
        }
        MappingError::PaddingShrinks { size, padded } => Finding::new(
            "padding_shrinks",
            span,
            format!("{size} positions are padded to {padded}; the number after `#` is the size with the padding"),
        )
        .help(format!("pad to {size} or more, or keep {padded} positions with `= {padded}`"))
        .fix(Applicability::Maybe, format!("pad to {size}"), span, format!("# {size}"))
        .fix(Applicability::Maybe, format!("keep {padded} positions"), span, format!("= {padded}")),
        MappingError::ResizeGrows { size, resized } => Finding::new(
            "resize_grows",
            span,
            format!("{size} positions are resized to {resized}; a resize only drops positions"),
        )
        .help(format!("room without data is padding: `# {resized}`"))
        .fix(Applicability::Maybe, format!("pad to {resized}"), span, format!("# {resized}"))
        .fix(Applicability::Maybe, format!("keep all {size} positions"), span, format!("= {size}")),
        MappingError::Overflow { outer, inner } => Finding::new(
            "mapping_overflow",
            span,
            format!("{outer} times {inner} positions do not fit 64 bits"),
        ),
        MappingError::ZeroSize => {
            Finding::new("axis_size_zero", span, "no position is left: a mapping has at least one")
        }
        // Reported where the axis is declared; or a limit of this analysis and no fault.
        MappingError::AxisSizeZero { .. } | MappingError::TooDeep => return None,
    })
}

fn indivisible(rule: &'static str, operator: char, size: u64, divisor: u64, span: Span) -> Finding {
    let below = size / divisor * divisor;
    let mut finding = Finding::new(
        rule,
        span,
        format!(
            "{size} positions are no whole number of blocks of {divisor}: {} are left over",
            size - below
        ),
    );
    let divisors = nearest_divisors(size, divisor);
    let mut ways = Vec::new();
    if let Some(padded) = below.checked_add(divisor) {
        ways.push(format!("pad the operand to {padded} first"));
        finding = finding.fix(
            Applicability::Maybe,
            format!("pad to {padded} first"),
            span,
            format!("# {padded} {operator} {divisor}"),
        );
    }
    for other in &divisors {
        finding = finding.fix(
            Applicability::Maybe,
            format!("use blocks of {other}"),
            span,
            format!("{operator} {other}"),
        );
    }
    if !divisors.is_empty() {
        ways.push(format!(
            "use a divisor, the nearest being {}",
            words::alternatives(&divisors)
        ));
    }
    finding.help(ways.join(", or "))
}

/// The nearest divisors of `size` below and above a number, as far as they are near.
fn nearest_divisors(size: u64, number: u64) -> Vec<u64> {
    let divides = |candidate: &u64| *candidate > 0 && size.is_multiple_of(*candidate);
    let below = (number.saturating_sub(DIVISOR_DISTANCE)..number)
        .rev()
        .find(divides);
    let above = (number.saturating_add(1)..=number.saturating_add(DIVISOR_DISTANCE)).find(divides);
    below.into_iter().chain(above).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::testing::span;

    fn worded(kind: MappingProblemKind, source: &str) -> Option<Finding> {
        word(
            &MappingProblem {
                kind,
                span: span(1),
            },
            source,
        )
    }

    #[test]
    fn nearest_divisors_lie_on_both_sides() {
        assert_eq!(nearest_divisors(16384, 60), [32, 64]);
        assert_eq!(nearest_divisors(13, 4), [1, 13]);
        assert_eq!(nearest_divisors(12, 24), [12]);
        assert_eq!(
            nearest_divisors(u64::MAX - 58, 10),
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
        assert_eq!(finding.rule, "stride_indivisible");
        assert!(
            finding.message.contains("13 positions") && finding.message.contains("1 are left over")
        );
        assert_eq!(
            finding.help.as_deref(),
            Some("pad the operand to 16 first, or use a divisor, the nearest being 1 or 13")
        );
        let texts: Vec<&str> = finding
            .fixes
            .iter()
            .map(|fix| fix.edits[0].text.as_str())
            .collect();
        assert_eq!(texts, ["# 16 / 4", "/ 1", "/ 13"]);
    }

    #[test]
    fn a_zero_divisor_belongs_to_its_operator() {
        let rule = |source| {
            worded(
                MappingProblemKind::Invalid(MappingError::ZeroDivisor),
                source,
            )
            .map(|found| found.rule)
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
        };
        assert_eq!(worded(unknown(true, &[]), "Token"), None);
        let finding = worded(unknown(false, &["Tokens"]), "Token").expect("a finding");
        assert_eq!(finding.rule, "unknown_axis");
        assert_eq!(finding.fixes[0].applicability, Applicability::Machine);
        assert_eq!(worded(MappingProblemKind::UnresolvedEscape, "{ E }"), None);
    }
}
