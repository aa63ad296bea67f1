//! Costs as one JSON object, in the shape that scripts rely on.

use super::transfers::{FileTransfers, FunctionTransfers, function_transfers};
use schemars::JsonSchema;
use serde::Serialize;
use visa_analysis::{
    CalibratedTotal, IdleRow, KernelCost, MemoryRow, OperationRow, OverfullRow, Proposal, Range,
    RunsRow, Searched,
};

use super::{pretty, roofline};
use crate::project::Failure;

#[derive(Serialize, JsonSchema)]
#[expect(
    missing_docs,
    reason = "the schema, whose root this is, has a title and would show it"
)]
pub struct Document<'a> {
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
    operations: &'a [OperationRow],
    idle: &'a [IdleRow],
    critical_path: &'a [u32],
    memory: &'a [MemoryRow],
    peak: Option<Peak<'a>>,
    proposals: &'a [Proposal],
    /// Null where only the rules were asked.
    searched: Option<&'a Searched>,
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
    #[serde(flatten)]
    row: &'a RunsRow,
    sentence: String,
}

/// The schedule of a kernel by a release.
#[derive(Serialize, JsonSchema)]
struct Calibrated<'a> {
    #[serde(flatten)]
    total: &'a CalibratedTotal,
    model: &'a str,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Peak<'a> {
    #[serde(flatten)]
    peak: visa_analysis::Peak,
    /// The memories whose peaks are above their sizes.
    overfull: &'a [OverfullRow],
}

#[derive(Serialize, JsonSchema)]
struct Unresolved<'a> {
    reason: &'a str,
    range: Range,
}

/// The costs as one object, in the order of files and kernels, with what kept others from it.
pub fn write(
    kernels: &[KernelCost],
    files: &[FileTransfers],
    errors: Vec<String>,
) -> Result<String, Failure> {
    pretty(&Document {
        transfers: function_transfers(files),
        errors,
        ..cost_document(kernels)
    })
}

/// The object: the members of a kernel are the book's, as scripts rely on, and the schedule's are beside them.
fn cost_document(kernels: &[KernelCost]) -> Document<'_> {
    Document {
        version: 1,
        kernels: kernels
            .iter()
            .map(|chosen| kernel_json(chosen, chosen.book.as_deref().unwrap_or(chosen)))
            .collect(),
        transfers: Vec::new(),
        errors: Vec::new(),
    }
}

/// The object for editors, whose views draw what the chosen model says.
pub fn chosen_document(kernels: &[KernelCost]) -> Document<'_> {
    Document {
        version: 1,
        kernels: kernels
            .iter()
            .map(|chosen| kernel_json(chosen, chosen))
            .collect(),
        transfers: Vec::new(),
        errors: Vec::new(),
    }
}

/// A kernel by one model, and what its schedule says beside it. Proposals are of the model that was chosen.
fn kernel_json<'a>(chosen: &'a KernelCost, cost: &'a KernelCost) -> Kernel<'a> {
    Kernel {
        name: &cost.name,
        file: &cost.file,
        range: cost.range,
        chips: cost.chips,
        cycles: Cycles {
            total: cost.total,
            main: cost.main,
            sub: cost.sub,
            dma: cost.dma,
            overlap: cost.overlap,
            least: cost.least,
            calibrated: Calibrated {
                total: &cost.calibrated,
                model: chosen.model.name(),
            },
        },
        runs: cost.runs.as_ref().map(|row| Runs {
            row,
            sentence: row.sentence(),
        }),
        operations: &cost.operations,
        idle: &cost.idle,
        critical_path: &cost.critical_path,
        memory: &cost.memory,
        peak: cost.peak.map(|peak| Peak::new(peak, &cost.overfull)),
        proposals: &chosen.proposals,
        searched: chosen.searched.as_ref(),
        roofline: cost.roofline.as_ref().map(roofline::roofline_document),
        assumptions: &cost.assumptions,
        unresolved: cost
            .unresolved
            .iter()
            .map(|place| Unresolved {
                reason: &place.reason,
                range: place.range,
            })
            .collect(),
    }
}

impl<'a> Peak<'a> {
    /// The most that is occupied at once, with the memories that are too small for it.
    pub(crate) const fn new(peak: visa_analysis::Peak, overfull: &'a [OverfullRow]) -> Self {
        Self { peak, overfull }
    }
}
