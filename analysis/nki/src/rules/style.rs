//! Habits: reasons for a mode, names in a profile.

use super::{Context, Found};
use crate::names::Mode;
use crate::transfers::Transfer;
use visa_findings::{Finding, Rule, rule};

/// See the declaration.
pub static FORCED_MODE: Rule = rule!(
    Nki: "nki_forced_mode", Style, "Performance Implications",
    "a mode is stated without a reason",
    "The compiler chooses the mode by the target and the instructions around the call. A forced mode deserves a \
     comment with the result of a profile. Write it on the first line of the call, on the line of the mode, or on the \
     line before."
);

/// See the declaration.
pub static UNNAMED_DMA: Rule = rule!(
    Nki: "nki_unnamed_dma", Style, "The name Parameter",
    "a transfer without a name",
    "Profiles and the compiler's output show the name of a transfer. Without one it is a number among many. \
     Give each transfer of a kernel a `name=` that says what it moves."
);

/// Looks at a transfer.
pub fn check_style(transfer: &Transfer, context: &Context<'_>, found: &mut Vec<Found>) {
    if let Some((mode, at)) = transfer.mode.known_value()
        && mode != Mode::Unknown
    {
        let lines = [transfer.span.start, at.value.start].map(|byte| context.remarks.line(byte));
        let is_explained = lines.iter().any(|line| {
            context.remarks.has_comment(*line)
                || (*line > 0 && context.remarks.has_comment(line - 1))
        });
        if !is_explained {
            found.push(
                Finding::new(
                    &FORCED_MODE,
                    at.value.into(),
                    format!("`{}` is forced without a reason in a comment", mode.name()),
                )
                .help("say what the profile showed, or leave the mode to the compiler"),
            );
        }
    }
    if !transfer.has_name && !transfer.has_unseen {
        found.push(
            Finding::new(
                &UNNAMED_DMA,
                transfer.callee.into(),
                format!(
                    "`{}` without `name=`: profiles show a number instead",
                    transfer.kind.name()
                ),
            )
            .help("add `name=\"…\"`"),
        );
    }
}
