//! Costs as one JSON object, in the shape that scripts rely on.

use super::transfers::{FileTransfers, FunctionTransfers, functions};
use schemars::JsonSchema;
use serde::Serialize;
use visa_analysis::{
    CalibratedRow, CalibratedTotal, EngineRow, IdleRow, KernelCost, MemoryRow, OperationRow,
    OverfullRow, RunsRow, StageRow, WaitRow,
};

use super::{Range, pretty, range, roofline};
use crate::project::Failure;

#[derive(Serialize, JsonSchema)]
pub(crate) struct Document<'a> {
    version: u32,
    kernels: Vec<Kernel<'a>>,
    /// What functions in other languages than Rust move.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    transfers: Vec<FunctionTransfers<'a>>,
    /// What could not be read, so that its kernels are missing here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct Kernel<'a> {
    name: &'a str,
    file: &'a str,
    range: Range,
    chips: Option<u64>,
    cycles: Cycles<'a>,
    /// Null where there is a total, and where more than loops is in its way.
    runs: Option<Runs<'a>>,
    operations: Vec<Operation<'a>>,
    idle: Vec<Idle<'a>>,
    critical_path: &'a [u32],
    memory: Vec<Memory<'a>>,
    peak: Option<Peak>,
    proposals: Vec<Proposal<'a>>,
    /// Null where only the rules were asked.
    searched: Option<Searched<'a>>,
    roofline: Option<roofline::Document>,
    assumptions: &'a [String],
    unresolved: Vec<Unresolved<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct Cycles<'a> {
    total: Option<u64>,
    main: Option<u64>,
    sub: Option<u64>,
    dma: Option<u64>,
    overlap: Option<u64>,
    least: Option<u64>,
    calibrated: Calibrated<'a>,
}

/// What a kernel takes whose loops are not unrolled to their end.
#[derive(Serialize, JsonSchema)]
struct Runs<'a> {
    /// Cycles with the runs that are scheduled.
    scheduled: u64,
    /// The fewest cycles of all runs; null where run time decides how often a loop runs.
    low: Option<u64>,
    high: Option<u64>,
    loops: Vec<Loop<'a>>,
    sentence: String,
}

/// A loop of which some runs are scheduled.
#[derive(Serialize, JsonSchema)]
struct Loop<'a> {
    file: &'a str,
    range: Range,
    scheduled: u64,
    runs: Option<u64>,
    /// The fewest cycles of a further run.
    best: u64,
    worst: u64,
}

/// What the schedule of a release says of a kernel.
#[derive(Serialize, JsonSchema)]
struct Calibrated<'a> {
    total: Option<u64>,
    low: Option<u64>,
    high: Option<u64>,
    basis: String,
    model: &'a str,
}

/// What it says of an operation.
#[derive(Serialize, JsonSchema)]
struct CalibratedOperation {
    cycles: u64,
    low: Option<u64>,
    high: Option<u64>,
    /// Its slowest engine by the schedule.
    bottleneck: Option<&'static str>,
    basis: String,
    class: &'static str,
    samples: u64,
    /// In percent.
    median_error: Option<f64>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Operation<'a> {
    id: u32,
    name: &'a str,
    context: &'static str,
    file: &'a str,
    range: Range,
    statement: Range,
    loops: &'a [u64],
    start: Option<u64>,
    end: Option<u64>,
    cycles: Option<u64>,
    calibrated: Option<CalibratedOperation>,
    bottleneck: Option<&'static str>,
    stages: Vec<Engine<'a>>,
    waits_for: Vec<u32>,
    waits: Vec<Wait<'a>>,
    reads: &'a [String],
    writes: &'a [String],
    stream: Vec<Stage<'a>>,
    assumptions: &'a [String],
}

#[derive(Serialize, JsonSchema)]
struct Engine<'a> {
    engine: &'static str,
    method: Option<&'a str>,
    cycles: Option<u64>,
    /// Whether it is the `bottleneck` of its operation.
    slowest: bool,
    latency: u64,
    detail: &'a str,
    formula: &'static str,
    inputs: serde_json::Map<String, serde_json::Value>,
    heading: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct Wait<'a> {
    operation: u32,
    cause: &'static str,
    tensor: Option<&'a str>,
}

#[derive(Serialize, JsonSchema)]
struct Stage<'a> {
    method: &'a str,
    element_type: Option<&'static str>,
    slice: Option<&'a str>,
    time: Option<&'a str>,
    packet: Option<&'a str>,
    iterations: Option<u64>,
    packet_bytes: Option<u64>,
    flits: Option<u64>,
    way: Option<u64>,
    engine: Option<&'static str>,
    cycles: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
struct Idle<'a> {
    context: &'static str,
    start: u64,
    end: u64,
    until: Option<u32>,
    wait: Option<Wait<'a>>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Memory<'a> {
    tensor: &'a str,
    tier: &'static str,
    address: Option<u64>,
    /// Left out where the address is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    assumed_address: Option<u64>,
    bytes: Option<u64>,
    shape: &'a str,
    from: u64,
    to: u64,
    file: Option<&'a str>,
    range: Option<Range>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Peak {
    dm_bytes: u64,
    trf_bytes: u64,
    vrf_bytes: u64,
    /// The memories whose peaks are above their sizes.
    overfull: Vec<Overfull>,
}

/// A memory whose peak is above its size.
#[derive(Serialize, JsonSchema)]
struct Overfull {
    tier: &'static str,
    bytes: u64,
    capacity: u64,
    /// The rule that reports it; null where nothing is proven.
    rule: Option<&'static str>,
    /// What the figure means.
    sentence: String,
}

#[derive(Serialize, JsonSchema)]
struct Proposal<'a> {
    rule: &'static str,
    message: &'a str,
    help: Option<&'a str>,
    saves: Option<u64>,
    file: &'a str,
    range: Range,
    /// What a searched change does; null for what a rule alone says.
    r#move: Option<&'static str>,
    /// Cycles of the kernel with the change as it was tried.
    after: Option<u64>,
    /// Whether it saves something wherever the figures are within their bounds.
    certain: bool,
    /// The whole change; empty where it is given in words.
    edits: Vec<Edit<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct Edit<'a> {
    file: &'a str,
    start_byte: u32,
    end_byte: u32,
    text: &'a str,
}

/// How the search for changes went.
#[derive(Serialize, JsonSchema)]
struct Searched<'a> {
    tried: usize,
    limit: usize,
    stopped: bool,
    /// The two changes that save most together.
    pair: Option<Proposal<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct Unresolved<'a> {
    reason: &'a str,
    range: Range,
}

/// The costs as one object, in the order of files and kernels, with what kept others from it.
pub(crate) fn write(
    kernels: &[KernelCost],
    files: &[FileTransfers],
    errors: Vec<String>,
) -> Result<String, Failure> {
    pretty(&Document {
        transfers: functions(files),
        errors,
        ..document(kernels)
    })
}

/// The object: the members of a kernel are the book's, as scripts rely on, and the schedule's are beside them.
fn document(kernels: &[KernelCost]) -> Document<'_> {
    Document {
        version: 1,
        kernels: kernels
            .iter()
            .map(|chosen| kernel(chosen, chosen.book.as_deref().unwrap_or(chosen)))
            .collect(),
        transfers: Vec::new(),
        errors: Vec::new(),
    }
}

/// The object for editors, whose views draw what the chosen model says.
pub(crate) fn chosen_document(kernels: &[KernelCost]) -> Document<'_> {
    Document {
        version: 1,
        kernels: kernels
            .iter()
            .map(|chosen| kernel(chosen, chosen))
            .collect(),
        transfers: Vec::new(),
        errors: Vec::new(),
    }
}

/// A kernel by one model, and what its schedule says beside it. Proposals are of the model that was chosen.
fn kernel<'a>(chosen: &'a KernelCost, cost: &'a KernelCost) -> Kernel<'a> {
    Kernel {
        name: &cost.name,
        file: &cost.file,
        range: range(cost.range),
        chips: cost.chips,
        cycles: Cycles {
            total: cost.total,
            main: cost.main,
            sub: cost.sub,
            dma: cost.dma,
            overlap: cost.overlap,
            least: cost.least,
            calibrated: calibrated(&cost.calibrated, chosen.model.name()),
        },
        runs: cost.runs.as_ref().map(runs),
        operations: cost.operations.iter().map(operation).collect(),
        idle: cost.idle.iter().map(idle).collect(),
        critical_path: &cost.critical_path,
        memory: cost.memory.iter().map(memory).collect(),
        peak: cost.peak.map(|of| peak(of, &cost.overfull)),
        proposals: chosen.proposals.iter().map(proposal).collect(),
        searched: chosen.searched.as_ref().map(searched),
        roofline: cost.roofline.as_ref().map(roofline::document),
        assumptions: &cost.assumptions,
        unresolved: cost
            .unresolved
            .iter()
            .map(|place| Unresolved {
                reason: &place.reason,
                range: range(place.range),
            })
            .collect(),
    }
}

fn runs(row: &RunsRow) -> Runs<'_> {
    Runs {
        scheduled: row.scheduled,
        low: row.low,
        high: row.high,
        loops: row
            .loops
            .iter()
            .map(|one| Loop {
                file: &one.file,
                range: range(one.range),
                scheduled: one.scheduled,
                runs: one.runs,
                best: one.best,
                worst: one.worst,
            })
            .collect(),
        sentence: row.sentence(),
    }
}

fn proposal(proposal: &visa_analysis::Proposal) -> Proposal<'_> {
    Proposal {
        rule: proposal.rule,
        message: &proposal.message,
        help: proposal.help.as_deref(),
        saves: proposal.saves,
        file: &proposal.file,
        range: range(proposal.range),
        r#move: proposal.by,
        after: proposal.total.map(|(_, after)| after),
        certain: proposal.is_certain,
        edits: proposal
            .edits
            .iter()
            .map(|edit| Edit {
                file: &edit.file,
                start_byte: edit.start_byte,
                end_byte: edit.end_byte,
                text: &edit.text,
            })
            .collect(),
    }
}

fn searched(searched: &visa_analysis::Searched) -> Searched<'_> {
    Searched {
        tried: searched.tried,
        limit: searched.limit,
        stopped: searched.stopped,
        pair: searched.pair.as_ref().map(proposal),
    }
}

fn calibrated<'a>(total: &CalibratedTotal, model: &'a str) -> Calibrated<'a> {
    Calibrated {
        total: total.total,
        low: total.low,
        high: total.high,
        basis: basis(total.release),
        model,
    }
}

fn calibrated_operation(row: &CalibratedRow) -> CalibratedOperation {
    CalibratedOperation {
        cycles: row.cycles,
        low: row.low,
        high: row.high,
        bottleneck: row.bottleneck,
        basis: basis(row.release),
        class: row.class,
        samples: row.samples,
        median_error: row.median_error.map(|tenths| tenths as f64 / 10.0),
    }
}

fn basis(release: &str) -> String {
    format!("schedule {release}")
}

/// An operation of a kernel.
pub(crate) fn operation(row: &OperationRow) -> Operation<'_> {
    Operation {
        id: row.id,
        name: &row.name,
        context: row.lane.name(),
        file: &row.file,
        range: range(row.range),
        statement: range(row.statement),
        loops: &row.loops,
        start: row.start,
        end: row.end,
        cycles: row.cycles,
        calibrated: row.calibrated.as_ref().map(calibrated_operation),
        bottleneck: row.bottleneck,
        stages: row.engines.iter().map(engine).collect(),
        waits_for: row.waits.iter().map(|wait| wait.operation).collect(),
        waits: row.waits.iter().map(wait).collect(),
        reads: &row.reads,
        writes: &row.writes,
        stream: row.stages.iter().map(stage).collect(),
        assumptions: &row.assumptions,
    }
}

fn engine(row: &EngineRow) -> Engine<'_> {
    Engine {
        engine: row.engine,
        method: row.method.as_deref(),
        cycles: row.cycles,
        slowest: row.is_slowest,
        latency: row.latency,
        detail: &row.detail,
        formula: row.formula,
        inputs: row
            .inputs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).into()))
            .collect(),
        heading: row.heading,
    }
}

fn wait(row: &WaitRow) -> Wait<'_> {
    Wait {
        operation: row.operation,
        cause: row.cause,
        tensor: row.tensor.as_deref(),
    }
}

fn stage(row: &StageRow) -> Stage<'_> {
    Stage {
        method: &row.method,
        element_type: row.element_type,
        slice: row.slice.as_deref(),
        time: row.time.as_deref(),
        packet: row.packet.as_deref(),
        iterations: row.iterations,
        packet_bytes: row.packet_bytes,
        flits: row.flits,
        way: row.way,
        engine: row.engine,
        cycles: row.cycles,
    }
}

fn idle(row: &IdleRow) -> Idle<'_> {
    Idle {
        context: row.lane.name(),
        start: row.start,
        end: row.end,
        until: row.until,
        wait: row.wait.as_ref().map(wait),
    }
}

/// What a tensor occupies, and when.
pub(crate) fn memory(row: &MemoryRow) -> Memory<'_> {
    Memory {
        tensor: &row.tensor,
        tier: row.tier,
        address: row.address,
        assumed_address: row.assumed_address,
        bytes: row.bytes,
        shape: &row.shape,
        from: row.from,
        to: row.to,
        file: row.file.as_deref(),
        range: row.range.map(range),
    }
}

/// The most that is occupied at once.
pub(crate) fn peak(peak: visa_analysis::Peak, overfull: &[OverfullRow]) -> Peak {
    let overfull = overfull.iter().map(|one| Overfull {
        tier: one.tier,
        bytes: one.bytes,
        capacity: one.capacity,
        rule: one.rule,
        sentence: one.sentence.clone(),
    });
    Peak {
        dm_bytes: peak.dm_bytes,
        trf_bytes: peak.trf_bytes,
        vrf_bytes: peak.vrf_bytes,
        overfull: overfull.collect(),
    }
}
