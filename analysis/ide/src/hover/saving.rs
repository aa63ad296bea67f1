//! What would save most, as a line of a page: of a kernel, or of one of its statements.

use crate::check::all_time_findings;
use crate::cost::{KernelCost, Proposal};
use crate::db::Db;
use crate::inputs::SourceFile;
use crate::items::{ItemId, Span};
use crate::numbers::thousands;
use crate::places::Places;
use crate::rules::{Finding, Group, Saving};

use super::page::{counted, line_of, prose};

/// The best that a search found about an operation, as a line; `None` where it found nothing about it.
pub(super) fn best_searched_saving(
    places: &mut Places<'_>,
    span: Span,
    known: &[&KernelCost],
) -> Option<(u64, String)> {
    let (file, range) = places.range(span)?;
    let proposals = known.iter().flat_map(|cost| &cost.proposals);
    let about = proposals.filter(|one| one.by.is_some() && one.file == file && one.range == range);
    let best = about.max_by_key(|one| one.saves)?;
    Some((best.saves?, line_of_search(best)))
}

/// The best that a search found of a kernel.
pub(super) fn searched_of_kernel(cost: &KernelCost) -> Option<(u64, String)> {
    let found = cost.proposals.iter().filter(|one| one.by.is_some());
    let best = found.max_by_key(|one| one.saves)?;
    Some((best.saves?, line_of_search(best)))
}

fn line_of_search(proposal: &Proposal) -> String {
    let saves = counted(proposal.saves.unwrap_or(0), "cycle");
    let totals = proposal.total.map_or_else(String::new, |(before, after)| {
        format!(
            " of the kernel's {}, {} are left",
            thousands(before),
            thousands(after)
        )
    });
    let unsure = if proposal.is_certain {
        ""
    } else {
        ", within the bounds of both"
    };
    format!(
        "Would save {saves}{totals}{unsure}: {} (a code action makes the change)",
        prose(&proposal.message)
    )
}

/// The operation whose proposals are asked for.
#[derive(Clone, Copy)]
pub(super) struct Meant {
    /// The statement around it.
    pub(super) statement: Span,
    /// Its cycles, if no other operation takes as many: a proposal about a tensor's type names its operation by them alone.
    pub(super) cycles: Option<u64>,
}

/// The largest saving that is known of a kernel, of those about an operation if one is meant; `None` where none is known. With
/// the cycles; those that were not simulated count as none. `reader` is the file that the line is counted in.
pub(super) fn best(
    db: &dyn Db,
    kernel: ItemId,
    meant: Option<Meant>,
    reader: SourceFile,
) -> Option<(u64, String)> {
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
    let advice = prose(&advice);
    let line = if saving.simulated {
        format!(
            "Would save {}{place}: {advice}",
            counted(saving.cycles(), "cycle")
        )
    } else {
        format!("Might save cycles, not simulated{place}: {advice}")
    };
    Some((if saving.simulated { saving.cycles() } else { 0 }, line))
}

/// The line of the larger saving.
pub(super) fn larger(one: Option<(u64, String)>, other: Option<(u64, String)>) -> Option<String> {
    let both = one.into_iter().chain(other);
    both.max_by_key(|(cycles, _)| *cycles).map(|(_, line)| line)
}
