//! `cost`: cycles of kernels.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::{tool, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use visa_analysis::{Analysis, KernelCost, OperationRow, Peak};

use super::room::{Held, Room};
use super::server::Tools;
use super::shapes::{Part, Shower};
use crate::project::copied::Copied;
use crate::project::engine::Answer;
use crate::project::git::text_of_revision;
use crate::project::paths::slashes;
use crate::project::regular::{SOURCE_BYTES, read_text};
use crate::project::workspace_settings::Settings;

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
    peak: Option<PeakWithNotes>,
    /// The operations of the most cycles.
    operations: Vec<Operation>,
    /// How many more operations there are.
    more_operations: u64,
    /// Why there are no cycles, as `file:line: reason`.
    unresolved: Vec<String>,
    /// Cycles in the state that it is compared with, where that has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<u64>,
    /// Cycles more than there; negative where it is faster now.
    #[serde(skip_serializing_if = "Option::is_none")]
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
struct PeakWithNotes {
    #[serde(flatten)]
    peak: Peak,
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
        let held = room.fresh_workspace().await?;
        let paths = checked_sources(room, &held, input.path.as_deref())?;
        let other = match &input.compare_to {
            Some(other) => Some(old_texts(room, &paths, other).await?),
            None => None,
        };
        let settings = Arc::clone(&held.settings);
        let asked = Arc::clone(room);
        let part = Part::of(input.offset, input.limit, KERNELS);
        let operations = input.operations.unwrap_or(OPERATIONS);
        let name = input.kernel;
        let answer = room.ask_engine(move |analysis| {
            let before = other.map(|texts| totals_with(analysis, settings, texts, &paths));
            let before = before.transpose()?;
            let costs = costs_of(analysis, &paths)?;
            let costs = match chosen_kernels(costs, name.as_deref()) {
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
                    kernel_answer(&shower, cost, operations, known)
                })
                .collect();
            kernels.sort_by_key(|kernel| std::cmp::Reverse(kernel.cycles));
            let (kernels, more) = part.take_part(kernels);
            Ok(Ok(CostOutput {
                next: after_cost(&kernels),
                kernels,
                more,
            }))
        });
        answer.await?.map(Json)
    }
}

/// Cycles by file and name of a kernel.
type KernelTotals = BTreeMap<(String, String), Option<u64>>;

/// The cycles of the kernels of files with other texts.
fn totals_with(
    analysis: &Analysis,
    settings: Arc<Settings>,
    texts: Vec<(String, String)>,
    paths: &[String],
) -> Answer<KernelTotals> {
    let copy = Copied::with_texts(analysis, settings, texts)?;
    let costs = costs_of(&copy.analysis(), paths)?.into_iter();
    let totals = costs.map(|cost| ((cost.file.to_string(), cost.name), cost.total));
    Ok(totals.collect())
}

/// The checked files that a path names.
pub(super) fn checked_sources(
    room: &Room,
    held: &Held,
    path: Option<&str>,
) -> Result<Vec<String>, String> {
    let at = path.map(|given| room.root.path_inside(given)).transpose()?;
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
pub(super) fn files_of(
    analysis: &Analysis,
    paths: Vec<String>,
    name: Option<&str>,
) -> Answer<Vec<String>> {
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
pub(super) fn chosen_kernels(
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
pub(super) async fn old_texts(
    room: &Arc<Room>,
    paths: &[String],
    other: &str,
) -> Result<Vec<(String, String)>, String> {
    let file = room
        .root
        .source_path(other)
        .ok()
        .filter(|file| file.is_file());
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
            room.root.path_inside(&other)?;
            Err(format!("there is no file `{other}`"))
        }
        None => {
            let texts = paths.into_iter().map(|path| {
                let text = text_of_revision(&other, &path);
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

fn kernel_answer(
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
        peak: cost.peak.map(|peak| PeakWithNotes {
            peak,
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

/// The text of a source: what the engine holds, else what is on disk.
pub(super) async fn text_of(
    room: &Arc<Room>,
    held: &Held,
    given: &str,
) -> Result<(String, String), String> {
    let path = room.root.source_path(given)?;
    let engine_path = slashes(&path);
    if held.knows(&engine_path) {
        let asked = engine_path.clone();
        let text = room
            .ask_engine(move |analysis| Ok(analysis.text(&asked)?))
            .await?;
        return Ok((engine_path, text.to_string()));
    }
    let read = tokio::task::spawn_blocking(move || read_text(&path, SOURCE_BYTES)).await;
    let text = read.map_err(|_| "a defect of visa-lint: the file could not be read".to_owned())?;
    let text = text.map_err(|why| format!("cannot read `{given}`: {why}"))?;
    Ok((engine_path, text))
}
