//! What would save most, as a line of a page: of a kernel, or of one of its statements.

use crate::check::all_time_findings;
use crate::db::Db;
use crate::inputs::SourceFile;
use crate::items::{ItemId, Span};
use crate::rules::{Finding, Group, Saving};

use super::page::{count, line_of};

/// The operation whose proposals are asked for.
#[derive(Clone, Copy)]
pub(super) struct Meant {
    /// The statement around it.
    pub(super) statement: Span,
    /// Its cycles, if no other operation takes as many: a proposal about a tensor's type names its operation by them alone.
    pub(super) cycles: Option<u64>,
}

/// The largest saving that is known of a kernel, of those about an operation if one is meant; `None` where none is known.
/// `reader` is the file that the line is counted in.
pub(super) fn best(
    db: &dyn Db,
    kernel: ItemId,
    meant: Option<Meant>,
    reader: SourceFile,
) -> Option<String> {
    let is_meant = |finding: &Finding, saving: &Saving| {
        meant.is_none_or(|meant| {
            let around = meant.statement;
            let inside = |span: Span| {
                span.item == around.item && around.start <= span.start && span.start < around.end
            };
            inside(finding.span) || meant.cycles == Some(saving.operation_before)
        })
    };
    let found = all_time_findings(db, kernel);
    let proposals = found.findings.iter().filter_map(|finding| {
        let saving = finding
            .saving
            .filter(|_| finding.rule.group == Group::Performance)?;
        (saving.cycles() > 0 && is_meant(finding, &saving)).then_some((saving, finding))
    });
    let (saving, finding) = proposals
        .max_by_key(|(saving, finding)| (saving.cycles(), std::cmp::Reverse(finding.span.start)))?;
    let place = match meant {
        Some(_) => String::new(),
        None => format!(", {}", line_of(db, finding.span, reader)),
    };
    let advice = finding.advice().unwrap_or_else(|| finding.message.clone());
    Some(if saving.simulated {
        format!(
            "Would save {}{place}: {advice}",
            count(saving.cycles(), "cycle")
        )
    } else {
        format!("Might save cycles, not simulated{place}: {advice}")
    })
}
