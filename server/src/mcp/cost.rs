//! `cost` and `suggest`: cycles of kernels, and the changes that would save some.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::{tool, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use visa_analysis::{Analysis, EFFORT, KernelCost, MOST_EFFORT, OperationRow, Proposal};

use super::quotes::short;
use super::room::{Held, Room};
use super::server::Tools;
use super::shapes::{Change, Part, Shower};
use crate::engine::Answer;
use crate::lint::cost::old::of_revision;
use crate::lint::cost::shared_effort;
use crate::project::paths::slashes;
use crate::project::regular::{SOURCE_BYTES, read_text};

/// Kernels of an answer where nothing is said.
const KERNELS: usize = 5;

/// Operations that are named of a kernel where nothing is said.
const OPERATIONS: usize = 5;

/// What `cost` is asked for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CostInput {
    /// A file or folder of the workspace; by default all of it.
    path: Option<String>,
    /// Only the kernels of this name.
    kernel: Option<String>,
    /// What to compare with: a Git revision of the same files (`HEAD`), or another file of the workspace where `path` is one file.
    compare_to: Option<String>,
    /// Operations that are named of each kernel, those of the most cycles; 5 by default, 0 for none.
    operations: Option<usize>,
    /// The most kernels of the answer; 5 by default.
    limit: Option<usize>,
    /// Kernels to pass over.
    offset: Option<usize>,
}

/// What `cost` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CostOutput {
    /// Kernels, those of the most cycles first.
    kernels: Vec<Kernel>,
    /// How many more kernels there are.
    more: u64,
    /// What to call next.
    next: String,
}

/// A kernel's cycles, as predicted.
#[derive(Debug, Serialize, JsonSchema)]
struct Kernel {
    /// Its name.
    kernel: String,
    /// Where it is, as `file:line:column`.
    at: String,
    /// Cycles from its start to its end; null where an operation cannot be followed.
    cycles: Option<u64>,
    /// The fewest and the most cycles that are likely.
    likely: Option<[u64; 2]>,
    /// What the cycles are made of: `schedule` or `book`.
    model: &'static str,
    /// Cycles that each context is busy.
    busy: Busy,
    /// The most bytes a slice that are occupied at once.
    peak: Option<Peak>,
    /// The operations of the most cycles.
    operations: Vec<Operation>,
    /// How many more operations there are.
    more_operations: u64,
    /// Why there are no cycles, as `file:line: reason`.
    unresolved: Vec<String>,
    /// Cycles in the state that it is compared with, where that has them.
    before: Option<u64>,
    /// Cycles more than there; negative where it is faster now.
    difference: Option<i64>,
}

/// Cycles by context; null where they are not known.
#[derive(Debug, Serialize, JsonSchema)]
struct Busy {
    main: Option<u64>,
    sub: Option<u64>,
    dma: Option<u64>,
}

/// Bytes a slice.
#[derive(Debug, Serialize, JsonSchema)]
struct Peak {
    dm_bytes: u64,
    trf_bytes: u64,
    vrf_bytes: u64,
    /// Why a peak is above the size of its memory.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

/// An operation of a kernel.
#[derive(Debug, Serialize, JsonSchema)]
struct Operation {
    /// Its number in program order; `stages` takes it.
    id: u32,
    /// What it does.
    name: String,
    /// Where, as `file:line:column`.
    at: String,
    /// `main`, `sub` or `dma`.
    context: &'static str,
    /// Cycles that it takes.
    cycles: Option<u64>,
    /// First cycle.
    start: Option<u64>,
    /// The engine that decides its cycles.
    bottleneck: Option<&'static str>,
    /// Whether the kernel's cycles depend on it.
    critical: bool,
}

/// What `suggest` is asked for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SuggestInput {
    /// A file or folder of the workspace; by default all of it.
    path: Option<String>,
    /// Only the kernels of this name.
    kernel: Option<String>,
    /// Changes of each kernel that are tried, at most 2000; 100 by default, and fewer where there are many files. More take longer.
    effort: Option<usize>,
    /// The most proposals a kernel; 3 by default.
    limit: Option<usize>,
}

/// What `suggest` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SuggestOutput {
    /// Kernels with proposals, those that save most first.
    kernels: Vec<Suggestions>,
    /// Kernels for which nothing was found.
    without: u64,
    /// How many more proposals there are.
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
    /// What to do.
    message: String,
    /// How.
    help: Option<String>,
    /// Cycles that it saves; null where it was not simulated.
    saves: Option<u64>,
    /// Cycles of the kernel with it.
    cycles: Option<u64>,
    /// Whether it saves something wherever the figures are within their bounds.
    certain: bool,
    /// The rule that says it; `explain` tells more.
    rule: &'static str,
    /// Where, as `file:line:column`.
    at: String,
    /// The whole change; null where it is given in words alone.
    change: Option<Change>,
}

#[tool_router(router = cost_router, vis = "pub(super)")]
impl Tools {
    /// Predict the cycles of kernels: total, busy contexts, the costliest operations; on request compared with another state.
    #[tool(annotations(
        title = "Cycles of kernels",
        read_only_hint = true,
        open_world_hint = false
    ))]
    async fn cost(
        &self,
        Parameters(input): Parameters<CostInput>,
    ) -> Result<Json<CostOutput>, String> {
        let room = &self.room;
        let mut trial = None;
        let before = match &input.compare_to {
            None => None,
            Some(other) => {
                let alone = trial.insert(room.alone().await?);
                let paths = sources(room, &alone.held, input.path.as_deref())?;
                alone.set(old_texts(room, &paths, other).await?);
                let costs = alone
                    .ask(move |analysis| costs_of(analysis, &paths))
                    .await?;
                alone.undo();
                let key = |cost: &KernelCost| (cost.file.to_string(), cost.name.clone());
                Some(
                    costs
                        .iter()
                        .map(|cost| (key(cost), cost.total))
                        .collect::<BTreeMap<_, _>>(),
                )
            }
        };
        let read = match trial {
            Some(_) => None,
            None => Some(room.fresh().await?),
        };
        let held = match (&trial, &read) {
            (Some(trial), _) => &trial.held,
            (None, Some(read)) => &**read,
            (None, None) => return Err("a defect of visa-lint: no workspace".to_owned()),
        };
        let paths = sources(room, held, input.path.as_deref())?;
        let asked = Arc::clone(room);
        let part = Part::of(input.offset, input.limit, KERNELS);
        let operations = input.operations.unwrap_or(OPERATIONS);
        let name = input.kernel;
        let answer = room.ask(move |analysis| {
            let costs = costs_of(analysis, &paths)?;
            let costs = match chosen(costs, name.as_deref()) {
                Ok(costs) => costs,
                Err(words) => return Ok(Err(words)),
            };
            let shower = Shower::new(&asked, analysis);
            let mut kernels: Vec<Kernel> = costs
                .iter()
                .map(|cost| {
                    let state = before.as_ref();
                    let known = state.and_then(|state| {
                        *state.get(&(cost.file.to_string(), cost.name.clone()))?
                    });
                    kernel(&shower, cost, operations, known)
                })
                .collect();
            kernels.sort_by_key(|kernel| std::cmp::Reverse(kernel.cycles));
            let (kernels, more) = part.take(kernels);
            Ok(Ok(CostOutput {
                next: after_cost(&kernels),
                kernels,
                more,
            }))
        });
        answer.await?.map(Json)
    }

    /// Search for changes that save cycles: each is tried on a copy and is legal, gives the same tensors, and saves what it says.
    #[tool(annotations(
        title = "Faster kernels",
        read_only_hint = true,
        open_world_hint = false
    ))]
    async fn suggest(
        &self,
        Parameters(input): Parameters<SuggestInput>,
    ) -> Result<Json<SuggestOutput>, String> {
        let room = &self.room;
        if input.effort.is_some_and(|effort| effort > MOST_EFFORT) {
            return Err(format!("`effort` is at most {MOST_EFFORT}"));
        }
        let held = room.fresh().await?;
        let paths = sources(room, &held, input.path.as_deref())?;
        let effort = input
            .effort
            .unwrap_or_else(|| shared_effort(paths.len()).min(EFFORT));
        let asked = Arc::clone(room);
        let limit = input.limit.unwrap_or(3).clamp(1, 10);
        let name = input.kernel;
        let answer = room.ask(move |analysis| {
            let wanted = files_of(analysis, paths, name.as_deref())?;
            let mut costs = Vec::new();
            for (_, known) in analysis.costs_with_advice_of(&wanted, effort, None) {
                costs.extend(known?);
            }
            let costs = match chosen(costs, name.as_deref()) {
                Ok(costs) => costs,
                Err(words) => return Ok(Err(words)),
            };
            Ok(Ok(suggestions(
                &mut Shower::new(&asked, analysis),
                &costs,
                limit,
            )))
        });
        answer.await?.map(Json)
    }
}

/// The checked files that a path names.
pub(super) fn sources(room: &Room, held: &Held, path: Option<&str>) -> Result<Vec<String>, String> {
    let at = path.map(|given| room.root.inside(given)).transpose()?;
    let paths = held.reported(at.as_deref());
    if paths.is_empty() {
        let shown = path.unwrap_or(".");
        return Err(format!("`{shown}` has no sources that are checked"));
    }
    Ok(paths)
}

/// What the kernels of files cost, in the order of files and places.
pub(super) fn costs_of(analysis: &Analysis, paths: &[String]) -> Answer<Vec<KernelCost>> {
    let mut costs = Vec::new();
    for (_, known) in analysis.costs_of(paths) {
        costs.extend(known?);
    }
    Ok(costs)
}

/// The files that have kernels of a name; all where none is asked for.
fn files_of(analysis: &Analysis, paths: Vec<String>, name: Option<&str>) -> Answer<Vec<String>> {
    let Some(name) = name else {
        return Ok(paths);
    };
    let mut files: Vec<String> = costs_of(analysis, &paths)?
        .iter()
        .filter(|cost| cost.name == name)
        .map(|cost| cost.file.to_string())
        .collect();
    files.dedup();
    // None: the words about it name those that there are.
    Ok(if files.is_empty() { paths } else { files })
}

/// The kernels of a name, or why there is none.
pub(super) fn chosen(
    mut costs: Vec<KernelCost>,
    name: Option<&str>,
) -> Result<Vec<KernelCost>, String> {
    if costs.is_empty() {
        return Err("there is no kernel: no function has `#[device]`".to_owned());
    }
    let Some(name) = name else {
        return Ok(costs);
    };
    let mut names: Vec<String> = costs.iter().map(|cost| cost.name.clone()).collect();
    costs.retain(|cost| cost.name == name);
    if costs.is_empty() {
        let more = names.len().saturating_sub(20);
        names.truncate(20);
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        return Err(format!(
            "no kernel is called `{name}`; there are: {}{more}",
            names.join(", ")
        ));
    }
    Ok(costs)
}

/// The texts of the state that is compared with, by the engine's path.
async fn old_texts(
    room: &Arc<Room>,
    paths: &[String],
    other: &str,
) -> Result<Vec<(String, String)>, String> {
    let file = room.root.source(other).ok().filter(|file| file.is_file());
    let (paths, other, room) = (paths.to_vec(), other.to_owned(), Arc::clone(room));
    let read = tokio::task::spawn_blocking(move || match file {
        Some(file) => {
            let [path] = paths.as_slice() else {
                return Err(format!(
                    "`compare_to` names one file, and `path` {}; let it name one",
                    paths.len()
                ));
            };
            let text = read_text(&file, SOURCE_BYTES);
            let text = text.map_err(|why| format!("cannot read `{other}`: {why}"))?;
            Ok(vec![(path.clone(), text)])
        }
        None if Path::new(&other).extension().is_some() && other.contains('/') => {
            // A path that is none is no revision either.
            room.root.inside(&other)?;
            Err(format!("there is no file `{other}`"))
        }
        None => {
            let texts = paths.into_iter().map(|path| {
                let text = of_revision(&other, &path);
                let text =
                    text.map_err(|failure| room.root.without_place(&failure.messages.join("\n")))?;
                Ok((path, text))
            });
            texts.collect()
        }
    });
    read.await
        .map_err(|_| "a defect of visa-lint: the other state could not be read".to_owned())?
}

fn kernel(
    shower: &Shower<'_>,
    cost: &KernelCost,
    operations: usize,
    before: Option<u64>,
) -> Kernel {
    let mut rows: Vec<&OperationRow> = cost.operations.iter().collect();
    rows.sort_by_key(|row| (std::cmp::Reverse(row.cycles), row.id));
    let more = rows.len().saturating_sub(operations);
    let difference = |(before, after): (u64, u64)| {
        let signed = |cycles: u64| i64::try_from(cycles).unwrap_or(i64::MAX);
        signed(after).saturating_sub(signed(before))
    };
    Kernel {
        kernel: cost.name.clone(),
        at: shower.place(&cost.file, cost.range),
        cycles: cost.total,
        likely: cost
            .calibrated
            .low
            .zip(cost.calibrated.high)
            .filter(|_| cost.calibrated.total == cost.total)
            .map(|(low, high)| [low, high]),
        model: cost.model.name(),
        busy: Busy {
            main: cost.main,
            sub: cost.sub,
            dma: cost.dma,
        },
        peak: cost.peak.map(|peak| Peak {
            dm_bytes: peak.dm_bytes,
            trf_bytes: peak.trf_bytes,
            vrf_bytes: peak.vrf_bytes,
            notes: cost
                .overfull
                .iter()
                .map(|one| one.sentence.clone())
                .collect(),
        }),
        operations: rows
            .into_iter()
            .take(operations)
            .map(|row| Operation {
                id: row.id,
                name: row.name.clone(),
                at: shower.place(&row.file, row.range),
                context: row.lane.name(),
                cycles: row.cycles,
                start: row.start,
                bottleneck: row.bottleneck,
                critical: cost.critical_path.contains(&row.id),
            })
            .collect(),
        more_operations: more as u64,
        unresolved: cost
            .unresolved
            .iter()
            .map(|place| {
                format!(
                    "{}: {}",
                    shower.place(&cost.file, place.range),
                    place.reason
                )
            })
            .collect(),
        before,
        difference: before.zip(cost.total).map(difference),
    }
}

fn after_cost(kernels: &[Kernel]) -> String {
    match kernels.first() {
        Some(first) if first.cycles.is_some() => format!(
            "`suggest` with kernel \"{}\" searches for fewer cycles; `stages` shows an operation",
            first.kernel
        ),
        _ => "where `cycles` is null, `unresolved` says what could not be followed".to_owned(),
    }
}

fn suggestions(shower: &mut Shower<'_>, costs: &[KernelCost], limit: usize) -> SuggestOutput {
    let mut kernels = Vec::new();
    let (mut without, mut more) = (0, 0);
    for cost in costs {
        let searched = cost.searched.as_ref();
        let pair = searched.and_then(|searched| searched.pair.as_ref());
        let mut proposals: Vec<&Proposal> = pair.into_iter().chain(&cost.proposals).collect();
        // A whole change comes before words, then what saves most.
        proposals.sort_by_key(|one| (one.edits.is_empty(), std::cmp::Reverse(one.saves)));
        if proposals.is_empty() {
            without += 1;
            continue;
        }
        more += proposals.len().saturating_sub(limit) as u64;
        kernels.push(Suggestions {
            kernel: cost.name.clone(),
            at: shower.place(&cost.file, cost.range),
            cycles: cost.total,
            tried: searched.map_or(0, |searched| searched.tried as u64),
            stopped: searched.is_some_and(|searched| searched.stopped),
            proposals: proposals
                .into_iter()
                .take(limit)
                .map(|one| suggestion(shower, one))
                .collect(),
        });
    }
    let saves = |kernel: &Suggestions| kernel.proposals.iter().filter_map(|one| one.saves).max();
    kernels.sort_by_key(|kernel| std::cmp::Reverse(saves(kernel)));
    let id = kernels
        .iter()
        .flat_map(|kernel| &kernel.proposals)
        .find_map(|one| one.change.as_ref());
    SuggestOutput {
        next: match id {
            Some(change) => format!(
                "`fix` with ids [\"{}\"] shows that change, with `apply` it writes it; then `check` and `suggest` again",
                change.id
            ),
            None if kernels.is_empty() => {
                "nothing was found; a larger `effort` tries more".to_owned()
            }
            None => "the proposals are words: `what_if` tries your edit".to_owned(),
        },
        kernels,
        without,
        more,
    }
}

fn suggestion(shower: &mut Shower<'_>, one: &Proposal) -> Suggestion {
    Suggestion {
        message: short(&one.message),
        help: one.help.clone(),
        saves: one.saves,
        cycles: one.total.map(|(_, after)| after),
        certain: one.is_certain,
        rule: one.rule,
        at: shower.place(&one.file, one.range),
        change: if one.edits.is_empty() {
            None
        } else {
            shower.change(&one.message, false, &one.edits)
        },
    }
}

/// The text of a source: what the engine holds, else what is on disk.
pub(super) async fn text_of(
    room: &Arc<Room>,
    held: &Held,
    given: &str,
) -> Result<(String, String), String> {
    let path = room.root.source(given)?;
    let engine_path = slashes(&path);
    if held.knows(&engine_path) {
        let asked = engine_path.clone();
        let text = room.ask(move |analysis| Ok(analysis.text(&asked)?)).await?;
        return Ok((engine_path, text.to_string()));
    }
    let read = tokio::task::spawn_blocking(move || read_text(&path, SOURCE_BYTES)).await;
    let text = read.map_err(|_| "a defect of visa-lint: the file could not be read".to_owned())?;
    let text = text.map_err(|why| format!("cannot read `{given}`: {why}"))?;
    Ok((engine_path, text))
}
