//! Words for what collectives take of their tensors: the parts of a level, the values of a pattern, the key of a scatter.

use super::Finding;
use super::wording::written;
use crate::derivation::tensors::PartsViolation;
use crate::kernel::Level;

/// Words what of a collective is no part of its tensor.
pub(super) fn word(violation: &PartsViolation) -> Finding {
    match violation {
        PartsViolation::Number {
            method,
            level,
            told,
            size,
            in_pattern: false,
            span,
        } => {
            let parts = parts(*level);
            Finding::new(
                "tile_mismatch",
                *span,
                format!("`{method}` is told {told} {parts}; the tensor's level of {parts} has {size}"),
            )
            .help(format!(
                "write {size}, and in the pattern a value for each of the {size} {parts}"
            ))
        }
        PartsViolation::Number {
            level,
            told,
            size,
            in_pattern: true,
            span,
            ..
        } => Finding::new(
            "tile_mismatch",
            *span,
            format!(
                "the pattern says for {told} of {size} {} what they take; the others are left without data",
                parts(*level)
            ),
        )
        .help(format!("give the pattern {size} values")),
        PartsViolation::Pattern {
            value,
            size,
            level,
            index,
            span,
        } => {
            let taken = match index {
                Some(index) => format!("value {value} of `{}`", written(index)),
                None => format!("part {value} of the level of {}", parts(*level)),
            };
            Finding::new(
                "tile_out_of_bounds",
                *span,
                format!("the pattern takes {taken}, which has {size}, counted from 0"),
            )
            .help(format!("the last one is {}", size.saturating_sub(1)))
        }
        PartsViolation::Key { key, tensor, span } => Finding::new(
            "tile_mismatch",
            *span,
            format!(
                "the key `{}` is no part of the source's slices and elements, `{}`; a scatter sends a row for each value of \
                 the key",
                written(key),
                written(tensor)
            ),
        )
        .help("name as the key what counts the rows in the source's slices and elements"),
    }
}

fn parts(level: Level) -> &'static str {
    if level == Level::Chip {
        "chips"
    } else {
        "clusters"
    }
}
