//! `stages` and `free_addresses`: what the engines make of an operation, and where a kernel's memories have room.

use std::sync::Arc;
use visa_analysis::EditorQuestions as _;

use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::{tool, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::RwLockReadGuard;
use visa_analysis::{Analysis, MemoryRow, OperationRow};

use super::cost::{chosen_kernels, costs_of, text_of};
use super::room::{Held, Room};
use super::server::Tools;
use super::shapes::{LIMIT, Part, Shower, offset_of};
use crate::project::engine::{Answer, Failure};

/// Free stretches of an answer where nothing is said.
const STRETCHES: usize = 20;

/// What `stages` is asked for: a place in a file, or a kernel by its name.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct StagesInput {
    /// The file.
    path: String,
    /// A line of the operation, from 1.
    line: Option<u32>,
    /// A column of it in characters, from 1; by default where the line's text begins.
    column: Option<u32>,
    /// The kernel, in the place of a line. It may be left out where the file has one.
    kernel: Option<String>,
    /// Only the operation of this number, as `cost` gives it.
    operation: Option<u32>,
    /// The most operations of the answer; 10 by default.
    limit: Option<usize>,
    /// Operations to pass over.
    offset: Option<usize>,
}

/// What `stages` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct StagesOutput {
    /// The kernel.
    kernel: String,
    /// Its operations, or those at the place that was asked for.
    operations: Vec<Operation>,
    /// How many more operations there are.
    more: u64,
}

/// An operation with the stream behind each of its stages.
#[derive(Debug, Serialize, JsonSchema)]
struct Operation {
    /// Its number in program order.
    id: u32,
    /// What it does.
    name: String,
    /// Where, as `file:line:column`.
    at: String,
    /// `main`, `sub` or `dma`.
    context: &'static str,
    /// Cycles that it takes; null where they are not known.
    cycles: Option<u64>,
    /// The engine that decides its cycles.
    bottleneck: Option<&'static str>,
    /// What each engine does.
    engines: Vec<Engine>,
    /// The stream behind each stage, from `begin` to `commit`; empty for a transfer.
    stages: Vec<Stage>,
    /// What was taken for granted.
    assumptions: Vec<String>,
}

/// An engine in an operation.
#[derive(Debug, Serialize, JsonSchema)]
struct Engine {
    /// Its name.
    engine: &'static str,
    /// Cycles that it is busy.
    cycles: Option<u64>,
    /// The configuration that was derived.
    detail: String,
}

/// The stream behind a stage; null where something is not known or does not apply.
#[derive(Debug, Serialize, JsonSchema)]
struct Stage {
    /// The method.
    method: String,
    /// The element type.
    element_type: Option<&'static str>,
    /// The slices' mapping.
    slice: Option<String>,
    /// The mapping of the iterations.
    time: Option<String>,
    /// The mapping of one packet.
    packet: Option<String>,
    /// Bytes of a packet.
    packet_bytes: Option<u64>,
    /// Flits of a packet.
    flits: Option<u64>,
    /// Lanes inside the Vector Engine.
    way: Option<u64>,
    /// Cycles that the engine of the stage is busy.
    cycles: Option<u64>,
}

/// What `free_addresses` is asked for: the kernel around a line, or one by its name.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FreeInput {
    /// The file.
    path: String,
    /// A line of the kernel, from 1.
    line: Option<u32>,
    /// The kernel, in the place of a line. It may be left out where the file has one.
    kernel: Option<String>,
    /// Only this memory: `dm`, `trf` or `vrf`.
    memory: Option<Memory>,
    /// Only stretches with room for so many bytes a slice.
    #[serde(default)]
    bytes: u64,
    /// The most stretches of the answer; 20 by default.
    limit: Option<usize>,
    /// Stretches to pass over.
    offset: Option<usize>,
}

/// A memory of a slice.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Memory {
    /// The slices' memory.
    Dm,
    /// The register file of the contraction.
    Trf,
    /// The register file of the Vector Engine.
    Vrf,
}

impl Memory {
    const fn name(self) -> &'static str {
        match self {
            Self::Dm => "dm",
            Self::Trf => "trf",
            Self::Vrf => "vrf",
        }
    }
}

/// What `free_addresses` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct FreeOutput {
    /// The kernel.
    kernel: String,
    /// Stretches that nothing occupies while the kernel runs, in bytes of a slice.
    free: Vec<Free>,
    /// How many more stretches there are.
    more: u64,
    /// Bytes of each memory, a slice.
    capacity: Vec<Capacity>,
    /// What is not known, in words; null where all is.
    unknown: Option<String>,
}

/// A free stretch.
#[derive(Debug, Serialize, JsonSchema)]
struct Free {
    /// The memory.
    memory: &'static str,
    /// Its first byte.
    address: u64,
    /// How many bytes are free.
    bytes: u64,
}

/// The size of a memory.
#[derive(Debug, Serialize, JsonSchema)]
struct Capacity {
    /// The memory.
    memory: &'static str,
    /// Bytes a slice.
    bytes: u64,
}

#[tool_router(router = operations_router, vis = "pub(super)")]
impl Tools {
    /// The stage table of operations: the stream's mappings, bytes, flits, lanes and cycles behind each stage.
    #[tool(annotations(
        title = "Stages of an operation",
        read_only_hint = true,
        open_world_hint = false
    ))]
    async fn stages(
        &self,
        Parameters(input): Parameters<StagesInput>,
    ) -> Result<Json<StagesOutput>, String> {
        let room = &self.room;
        let (_held, path, at) = place_in(room, &input.path, input.line, input.column).await?;
        let part = Part::of(input.offset, input.limit, LIMIT);
        let asked = Arc::clone(room);
        let answer = room.ask_engine(move |analysis| {
            let at = asked_place(analysis, &path, at, input.kernel.as_deref())?;
            let table = analysis.stage_table(&path, at)?;
            let mut table = table.ok_or_else(|| no_function(&asked, &path))?;
            if let Some(number) = input.operation {
                // A kernel's place is asked for first: the number counts all of its operations.
                table.operations.retain(|row| row.id == number);
                if table.operations.is_empty() {
                    return Err(Failure::Refused(format!(
                        "`{}` has no operation {number} there; `cost` numbers them",
                        table.kernel
                    )));
                }
            }
            let (rows, more) = part.take_part(table.operations);
            let shower = Shower::new(&asked, analysis);
            Ok(StagesOutput {
                kernel: table.kernel,
                operations: rows
                    .iter()
                    .map(|row| operation_answer(&shower, row))
                    .collect(),
                more,
            })
        });
        answer.await.map(Json)
    }

    /// Addresses that are free while a kernel runs, by memory.
    #[tool(annotations(
        title = "Free addresses",
        read_only_hint = true,
        open_world_hint = false
    ))]
    async fn free_addresses(
        &self,
        Parameters(input): Parameters<FreeInput>,
    ) -> Result<Json<FreeOutput>, String> {
        let room = &self.room;
        let (_held, path, at) = place_in(room, &input.path, input.line, None).await?;
        let part = Part::of(input.offset, input.limit, STRETCHES);
        let asked = Arc::clone(room);
        let answer = room.ask_engine(move |analysis| {
            let at = asked_place(analysis, &path, at, input.kernel.as_deref())?;
            let map = analysis.memory_map(&path, at)?;
            let map = map.ok_or_else(|| no_function(&asked, &path))?;
            let wanted = |name: &str| input.memory.is_none_or(|memory| memory.name() == name);
            let mut free: Vec<_> = map.free.iter().collect();
            free.retain(|row| wanted(row.tier) && row.bytes >= input.bytes);
            let (free, more) = part.take_part(free);
            let placed = |row: &&MemoryRow| wanted(row.tier) && row.address.is_none();
            let chosen = map.memory.iter().filter(placed).filter(|row| row.tier != "hbm").count();
            let unknown = if map.total.is_none() {
                Some("an operation of the kernel cannot be followed, so that nothing is known to be free; `cost` names it".to_owned())
            } else {
                (chosen > 0).then(|| {
                    format!("the library chooses the addresses of {chosen} tensors, so that no stretch of their memories is known to be free; `cost` has the most bytes that are occupied at once")
                })
            };
            Ok(FreeOutput {
                kernel: map.kernel,
                free: free
                    .into_iter()
                    .map(|row| Free {
                        memory: row.tier,
                        address: row.address,
                        bytes: row.bytes,
                    })
                    .collect(),
                more,
                capacity: map
                    .capacity
                    .iter()
                    .filter(|(memory, _)| wanted(memory))
                    .map(|(memory, bytes)| Capacity {
                        memory,
                        bytes: *bytes,
                    })
                    .collect(),
                unknown,
            })
        });
        answer.await.map(Json)
    }
}

/// The engine's path of a file that is checked, as it is on the disk now, and the byte at a line of it where one is given. The
/// guard keeps changes away until it is dropped.
async fn place_in<'a>(
    room: &'a Arc<Room>,
    given: &str,
    line: Option<u32>,
    column: Option<u32>,
) -> Result<(RwLockReadGuard<'a, Held>, String, Option<u32>), String> {
    let held = room.fresh_workspace().await?;
    let (path, text) = text_of(room, &held, given).await?;
    if !held.knows(&path) {
        return Err(format!(
            "`{given}` is hidden from the check by `.gitignore` or by the settings"
        ));
    }
    let at = line
        .map(|line| offset_of(&text, line, column))
        .transpose()?;
    Ok((held, path, at))
}

fn no_function(room: &Room, path: &str) -> Failure {
    let shown = room.root.shown_path(path);
    Failure::Refused(format!("there is no kernel at this place of `{shown}`"))
}

/// A byte of the place that was asked for: the line's, that of the kernel's name, or that of the file's only kernel.
fn asked_place(
    analysis: &Analysis,
    path: &str,
    at: Option<u32>,
    kernel: Option<&str>,
) -> Answer<u32> {
    if let Some(at) = at {
        return Ok(at);
    }
    let costs = costs_of(analysis, &[path.to_owned()])?;
    let costs = chosen_kernels(costs, kernel).map_err(Failure::Refused)?;
    match costs.as_slice() {
        [only] => Ok(only.range.start.byte),
        several => {
            let names: Vec<&str> = several
                .iter()
                .take(20)
                .map(|cost| cost.name.as_str())
                .collect();
            Err(Failure::Refused(format!(
                "the file has several kernels; name one by `kernel` or `line`: {}",
                names.join(", ")
            )))
        }
    }
}

fn operation_answer(shower: &Shower<'_>, row: &OperationRow) -> Operation {
    Operation {
        id: row.id,
        name: row.name.clone(),
        at: shower.place(&row.file, row.range),
        context: row.lane.name(),
        cycles: row.cycles,
        bottleneck: row.bottleneck,
        engines: row
            .engines
            .iter()
            .map(|engine| Engine {
                engine: engine.engine,
                cycles: engine.cycles,
                detail: engine.detail.clone(),
            })
            .collect(),
        stages: row
            .stages
            .iter()
            .map(|stage| Stage {
                method: stage.method.clone(),
                element_type: stage.element_type,
                slice: stage.slice.clone(),
                time: stage.time.clone(),
                packet: stage.packet.clone(),
                packet_bytes: stage.packet_bytes,
                flits: stage.flits,
                way: stage.way,
                cycles: stage.cycles,
            })
            .collect(),
        assumptions: row.assumptions.clone(),
    }
}
