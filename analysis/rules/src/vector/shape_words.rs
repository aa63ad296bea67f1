//! Words for a declared shape that is another than what the operation makes, and for making eight lanes of four.

use crate::alternatives::SuggestMappings as _;
use crate::derivation::vector::Mismatch;
use crate::items::Span;
use crate::kernel::Stage;
use crate::kernel::catalogue::CanonicalStage;
use crate::kernel::dialect::Dialect;
use crate::mapping::Mapping;

use super::super::wording::mapping_macro_text;
use super::super::{Applicability, Finding, Rule};

/// A declared shape against what the operation makes of its input.
pub(super) fn word_shape(
    rule: &'static Rule,
    span: Span,
    stage: &Stage,
    mismatches: &[Mismatch],
) -> Finding {
    let parts: Vec<String> = mismatches
        .iter()
        .map(|part| {
            format!(
                "{} is declared `{}`; `{}` makes it `{}`",
                part.parameter,
                mapping_macro_text(&part.declared),
                stage.method,
                mapping_macro_text(&part.expected)
            )
        })
        .collect();
    let wanted: Vec<String> = mismatches
        .iter()
        .map(|part| format!("{} {{}}", part.parameter))
        .collect();
    let finding = Finding::new(rule, span, parts.join(", and "));
    let replacements: Vec<(Span, &Mapping)> = mismatches
        .iter()
        .map(|part| (part.span, &part.expected))
        .collect();
    let words = ("write ", &*wanted.join(", "));
    finding.suggest(words, Applicability::Machine, stage.span, &replacements)
}

/// How eight lanes are made of four.
pub(super) fn widen_before(library: Dialect) -> String {
    format!(
        "widen before it: `{}` after a split, `{}` after a trim",
        library.name_of(CanonicalStage::VectorConcat),
        library.name_of(CanonicalStage::VectorPad)
    )
}
