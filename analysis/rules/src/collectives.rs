//! Words for what collectives take of their tensors: the parts of a level, the values of a pattern, the key of a scatter.

use super::wording::mapping_macro_text;
use super::{Alternative, Applicability, Edit, Finding, Fix};
use crate::derivation::tensors::PartsViolation;
use crate::items::Span;
use crate::kernel::Level;
use crate::tensors::{TILE_MISMATCH, TILE_OUT_OF_BOUNDS};

/// Words what of a collective is no part of its tensor.
pub(super) fn to_finding(violation: &PartsViolation) -> Finding {
    match violation {
        PartsViolation::Number {
            method,
            level,
            given,
            size,
            in_pattern: false,
            completed,
            span,
            pattern_span,
        } => {
            let parts = parts_word(*level);
            let finding = Finding::new(
                &TILE_MISMATCH,
                *span,
                format!(
                    "`{method}` is given {given} {parts}; the tensor's level of {parts} has {size}"
                ),
            )
            .help(format!(
                "tell the number of {parts}, and in the pattern a value for each of them"
            ));
            with_pattern(finding, (*span, *size), completed.as_deref(), *pattern_span)
        }
        PartsViolation::Number {
            level,
            given,
            size,
            in_pattern: true,
            completed,
            span,
            pattern_span,
            ..
        } => {
            let finding = Finding::new(
                &TILE_MISMATCH,
                *span,
                format!(
                    "the pattern says for {given} of {size} {} what they take; the others are left without data",
                    parts_word(*level)
                ),
            )
            .help("give the pattern a value for each of them");
            with_pattern(finding, (*span, *size), completed.as_deref(), *pattern_span)
        }
        PartsViolation::Pattern {
            value,
            size,
            level,
            index,
            span,
        } => {
            let taken = match index {
                Some(index) => format!("value {value} of `{}`", mapping_macro_text(index)),
                None => format!("part {value} of the level of {}", parts_word(*level)),
            };
            Finding::new(
                &TILE_OUT_OF_BOUNDS,
                *span,
                format!("the pattern takes {taken}, which has {size}, counted from 0"),
            )
            .alternatives(
                "the last one is ",
                [Alternative::text(*span, size.saturating_sub(1))],
            )
        }
        PartsViolation::Key {
            key,
            tensor,
            counted,
            span,
        } => {
            let finding = Finding::new(
                &TILE_MISMATCH,
                *span,
                format!(
                    "the key `{}` is not part of the source's slices and elements, `{}`; a scatter sends a row for each value \
                     of the key",
                    mapping_macro_text(key),
                    mapping_macro_text(tensor)
                ),
            );
            match counted {
                Some(counted) => finding
                    .alternatives(
                        "the indices run over what the source holds too: ",
                        [Alternative::text(*span, counted)],
                    )
                    .fix(
                        Applicability::Maybe,
                        format!("count the rows by `{}`", mapping_macro_text(counted)),
                        *span,
                        counted,
                    ),
                None => finding.help(
                    "name as the key what counts the rows in the source's slices and elements",
                ),
            }
        }
    }
}

/// Proposes the number of parts together with a pattern for them. Where the pattern alone is at fault, the number's place is
/// the pattern's.
fn with_pattern(
    finding: Finding,
    (place, size): (Span, u64),
    completed: Option<&[u64]>,
    pattern_place: Span,
) -> Finding {
    let Some(completed) = completed else {
        return finding;
    };
    let values: Vec<String> = completed.iter().map(ToString::to_string).collect();
    let pattern = format!("&[{}]", values.join(", "));
    let mut edits = vec![Edit::new(pattern_place, pattern.clone())];
    if place != pattern_place {
        edits.insert(0, Edit::new(place, size));
    }
    finding.stating(Some(Fix {
        title: format!("Shuffle {size} parts by `{pattern}`"),
        applicability: Applicability::Maybe,
        edits,
        cost: None,
    }))
}

fn parts_word(level: Level) -> &'static str {
    if level == Level::Chip {
        "chips"
    } else {
        "clusters"
    }
}
