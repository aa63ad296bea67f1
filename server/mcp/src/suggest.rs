//! `suggest`: the changes that would save cycles: of one kernel each change, of several how much each could save.

use std::sync::Arc;

use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::{tool, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use visa_analysis::{EFFORT, KernelCost, MOST_EFFORT, Proposal};

use super::cost::{checked_sources, chosen_kernels, files_of};
use super::quotes::shortened_quotes;
use super::server::Tools;
use super::shapes::{Change, Part, Shower};
use crate::project::effort::shared_effort;

/// Proposals of a kernel where nothing is said.
const PROPOSALS: usize = 3;

/// Kernels of a list where nothing is said.
const LISTED: usize = 20;

/// What `suggest` is asked for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// A file or folder of the workspace; by default all of it.
    path: Option<String>,
    /// The kernel whose proposals are shown. Without it, where there are several: how much each could save.
    kernel: Option<String>,
    /// Changes of each kernel that are tried, at most 2000; 100 by default, and fewer where there are many files. More take longer.
    effort: Option<usize>,
    /// The most proposals of the kernel that is named, 3 by default; else the most kernels, 20 by default.
    limit: Option<usize>,
    /// Proposals or kernels to pass over.
    offset: Option<usize>,
}

/// What `suggest` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    /// The kernel with its proposals, the best first; or kernels with what each could save, those that save most first.
    kernels: Vec<Suggestions>,
    /// Kernels for which nothing was found.
    without: u64,
    /// How many more proposals, or kernels, there are.
    more: u64,
    /// What to call next.
    next: String,
}

/// What would save cycles of a kernel.
#[derive(Debug, Serialize, JsonSchema)]
struct Suggestions {
    /// Its name.
    kernel: String,
    /// Where it is, as `file:line:column`.
    at: String,
    /// Its cycles now.
    cycles: Option<u64>,
    /// What the best proposal saves; null where none was simulated.
    saves: Option<u64>,
    /// Where one kernel is asked about.
    #[serde(flatten)]
    details: Option<Details>,
}

/// The proposals for a kernel.
#[derive(Debug, Serialize, JsonSchema)]
struct Details {
    /// Changes that were tried.
    tried: u64,
    /// Whether there was more to try: a larger `effort` may find more.
    stopped: bool,
    /// The best first.
    proposals: Vec<Suggestion>,
}

/// A change that saves cycles.
#[derive(Debug, Serialize, JsonSchema)]
struct Suggestion {
    /// What to do, where no change says it by its title.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// How.
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
    /// Cycles that it saves; null where it was not simulated.
    saves: Option<u64>,
    /// Cycles of the kernel with it.
    cycles: Option<u64>,
    /// Whether it saves something wherever the figures are within their bounds.
    certain: bool,
    /// The rule of the advice; `explain` has its page.
    rule: &'static str,
    /// Where, as `file:line:column`.
    at: String,
    /// The whole change, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<Change>,
}

#[tool_router(router = suggest_router, vis = "pub(super)")]
impl Tools {
    /// Search for changes that save cycles: each is tried on a copy, is legal, gives the same tensors, and saves the cycles that it states.
    #[tool(annotations(
        title = "Faster kernels",
        read_only_hint = true,
        open_world_hint = false
    ))]
    async fn suggest(&self, Parameters(input): Parameters<Input>) -> Result<Json<Output>, String> {
        let room = &self.room;
        if input.effort.is_some_and(|effort| effort > MOST_EFFORT) {
            return Err(format!("`effort` is at most {MOST_EFFORT}"));
        }
        let held = room.fresh_workspace().await?;
        let paths = checked_sources(room, &held, input.path.as_deref())?;
        let effort = input
            .effort
            .unwrap_or_else(|| shared_effort(paths.len()).min(EFFORT));
        let asked = Arc::clone(room);
        let part = (input.offset, input.limit);
        let name = input.kernel;
        let answer = room.ask_engine(move |analysis| {
            let wanted = files_of(analysis, paths, name.as_deref())?;
            let mut costs = Vec::new();
            for (_, known) in analysis.costs_with_advice_of(&wanted, effort, None) {
                costs.extend(known?);
            }
            let costs = match chosen_kernels(costs, name.as_deref()) {
                Ok(costs) => costs,
                Err(words) => return Ok(Err(words)),
            };
            Ok(Ok(suggestions(
                &mut Shower::new(&asked, analysis),
                &costs,
                name.is_some(),
                part,
            )))
        });
        answer.await?.map(Json)
    }
}

/// A kernel with what was found for it, the best first.
struct Advised<'a> {
    cost: &'a KernelCost,
    proposals: Vec<&'a Proposal>,
}

impl<'a> Advised<'a> {
    fn of(cost: &'a KernelCost) -> Self {
        let pair = cost.searched.as_ref().and_then(|made| made.pair.as_ref());
        let mut proposals: Vec<&Proposal> = pair.into_iter().chain(&cost.proposals).collect();
        // A whole change comes before words, then what saves most.
        proposals.sort_by_key(|one| (one.edits.is_empty(), std::cmp::Reverse(one.saves)));
        Self { cost, proposals }
    }

    /// Cycles that the best proposal saves.
    fn best_saving(&self) -> Option<u64> {
        self.proposals.iter().filter_map(|one| one.saves).max()
    }

    fn shown_suggestions(&self, shower: &Shower<'_>, details: Option<Details>) -> Suggestions {
        Suggestions {
            kernel: self.cost.name.clone(),
            at: shower.place(&self.cost.file, self.cost.range),
            cycles: self.cost.total,
            saves: self.best_saving(),
            details,
        }
    }

    /// The proposals of a part, and how many are behind it.
    fn details(&self, shower: &mut Shower<'_>, part: Part) -> (Details, u64) {
        let searched = self.cost.searched.as_ref();
        let (proposals, more) = part.take_part(self.proposals.clone());
        let details = Details {
            tried: searched.map_or(0, |searched| searched.tried as u64),
            stopped: searched.is_some_and(|searched| searched.stopped),
            proposals: proposals
                .into_iter()
                .map(|one| proposal_suggestion(shower, one))
                .collect(),
        };
        (details, more)
    }
}

/// The proposals for one kernel; of several, what each could save.
fn suggestions(
    shower: &mut Shower<'_>,
    costs: &[KernelCost],
    named: bool,
    (offset, limit): (Option<usize>, Option<usize>),
) -> Output {
    let mut found: Vec<Advised<'_>> = costs.iter().map(Advised::of).collect();
    found.retain(|one| !one.proposals.is_empty());
    found.sort_by_key(|one| std::cmp::Reverse(one.best_saving()));
    let without = costs.len().saturating_sub(found.len()) as u64;
    let part = |default| Part::of(offset, limit, default);
    let (kernels, more) = if named || costs.len() == 1 {
        let (mut kernels, mut more) = (Vec::new(), 0);
        for one in &found {
            let (details, left) = one.details(shower, part(PROPOSALS));
            more += left;
            kernels.push(one.shown_suggestions(shower, Some(details)));
        }
        (kernels, more)
    } else {
        let (found, more) = part(LISTED).take_part(found);
        let kernels = found.iter().map(|one| one.shown_suggestions(shower, None));
        (kernels.collect(), more)
    };
    Output {
        next: next(&kernels),
        kernels,
        without,
        more,
    }
}

/// What to call after a search.
fn next(kernels: &[Suggestions]) -> String {
    let Some(first) = kernels.first() else {
        return "nothing was found; a larger `effort` tries more".to_owned();
    };
    if first.details.is_none() {
        return format!(
            "`suggest` with kernel \"{}\" shows its proposals",
            first.kernel
        );
    }
    let details = kernels.iter().filter_map(|kernel| kernel.details.as_ref());
    let mut proposals = details.flat_map(|details| &details.proposals);
    match proposals.find_map(|one| one.change.as_ref()) {
        Some(change) => format!(
            "`fix` with ids [\"{}\"] shows that change, with `apply` it writes it; then `check` and `suggest` again",
            change.id
        ),
        None => "the proposals are words: `what_if` tries your edit".to_owned(),
    }
}

fn proposal_suggestion(shower: &mut Shower<'_>, one: &Proposal) -> Suggestion {
    let change = if one.edits.is_empty() {
        None
    } else {
        shower.named_change(&one.message, false, &one.edits)
    };
    Suggestion {
        message: change.is_none().then(|| shortened_quotes(&one.message)),
        help: one.help.clone(),
        saves: one.saves,
        cycles: one.total.map(|(_, after)| after),
        certain: one.is_certain,
        rule: one.rule,
        at: shower.place(&one.file, one.range),
        change,
    }
}
