//! What runs of kernels say, as JSON.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use visa_analysis::arrays::Effects;
use visa_analysis::{
    FilePlace, RunFinding, RunOutput, RunRefusal, RunReport, StandingError, TracedValue,
};

use super::pretty;
use crate::project::Failure;

/// What `visa-lint run --json` prints for one function.
#[derive(Serialize, JsonSchema)]
pub struct Document<'a> {
    version: u32,
    #[serde(flatten)]
    run: Run<'a>,
}

/// What `visa-lint run --all --json` prints.
#[derive(Serialize, JsonSchema)]
pub struct AllDocument<'a> {
    version: u32,
    /// The functions, in the order of files and places.
    functions: Vec<Run<'a>>,
    /// What could not be read, and why; the exit code is then 1 or 2.
    errors: &'a [String],
}

/// One function.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Run<'a> {
    function: &'a str,
    file: &'a str,
    /// The seed of random inputs.
    seed: u64,
    /// Why it did not run; the exit code is then 2, and all lists are empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_run: Option<NotRun<'a>>,
    #[serde(flatten)]
    done: Done<'a>,
}

/// The answer of a function that ran.
#[derive(Default, Serialize, JsonSchema)]
struct Done<'a> {
    /// The release of the library whose rules held.
    release: Option<String>,
    operations: u64,
    outputs: Vec<Output<'a>>,
    findings: Vec<Found<'a>>,
    numbers: Effects,
    notes: &'a [String],
    /// Errors of `check` that stand in the kernel.
    standing: &'a [StandingError],
    /// Results of the lines of `--trace`.
    trace: Vec<Traced<'a>>,
}

/// The reason that a function did not run.
#[derive(Serialize, JsonSchema)]
struct NotRun<'a> {
    reason: &'a str,
    help: Option<&'a str>,
    /// The place in the sources; null where inputs are at fault.
    span: Option<&'a FilePlace>,
}

/// An output.
#[derive(Serialize, JsonSchema)]
struct Output<'a> {
    #[serde(flatten)]
    output: &'a RunOutput,
    /// The element type of the kernel.
    dtype: &'static str,
    /// The file that it was written to by `--outputs`.
    file: Option<String>,
    /// The file of booleans beside it.
    defined: Option<String>,
}

/// A finding.
#[derive(Serialize, JsonSchema)]
struct Found<'a> {
    #[serde(flatten)]
    finding: &'a RunFinding,
    group: &'static str,
    level: &'static str,
}

/// The result of an operation.
#[derive(Serialize, JsonSchema)]
struct Traced<'a> {
    name: &'a str,
    span: &'a FilePlace,
    dtype: &'static str,
    /// In physical order, padding included.
    shape: &'a [usize],
    mapping: &'a str,
    /// Elements that are no padding.
    live: u64,
    undefined: u64,
    least: Option<f64>,
    most: Option<f64>,
}

fn output<'a>(output: &'a RunOutput, folder: Option<&Path>) -> Output<'a> {
    let file = |name: String| folder.map(|folder| folder.join(name).display().to_string());
    Output {
        output,
        dtype: output.values.kind().name(),
        file: file(format!("{}.npy", output.name)),
        defined: file(format!("{}.defined.npy", output.name)),
    }
}

fn found(finding: &RunFinding) -> Found<'_> {
    Found {
        finding,
        group: "silent",
        level: "error",
    }
}

fn traced(value: &TracedValue) -> Traced<'_> {
    // JSON has no infinity.
    let end = |number: f64| number.is_finite().then_some(number);
    Traced {
        name: &value.name,
        span: &value.span,
        dtype: value.kind.name(),
        shape: &value.shape,
        mapping: &value.mapping,
        live: value.live,
        undefined: value.undefined,
        least: value.range_of_values.and_then(|(least, _)| end(least)),
        most: value.range_of_values.and_then(|(_, most)| end(most)),
    }
}

/// One function: its name, its file, the seed, what came of it.
pub type Given<'a> = (&'a str, &'a str, u64, &'a Result<RunReport, RunRefusal>);

impl<'a> Run<'a> {
    /// `folder` is where outputs were written.
    pub(crate) fn of((function, file, seed, result): Given<'a>, folder: Option<&Path>) -> Self {
        let refusal = result.as_ref().err();
        Self {
            function,
            file,
            seed,
            not_run: refusal.map(|refusal| NotRun {
                reason: &refusal.reason,
                help: refusal.help.as_deref(),
                span: refusal.place.as_ref(),
            }),
            done: result
                .as_ref()
                .map_or_else(|_| Done::default(), |report| done(report, folder)),
        }
    }
}

fn done<'a>(report: &'a RunReport, folder: Option<&Path>) -> Done<'a> {
    let outputs = report.outputs.iter();
    Done {
        release: Some(report.release.to_string()),
        operations: report.operations,
        outputs: outputs.map(|one| output(one, folder)).collect(),
        findings: report.findings.iter().map(found).collect(),
        numbers: report.numbers,
        notes: &report.notes,
        standing: &report.standing,
        trace: report.traced.iter().map(traced).collect(),
    }
}

/// The document of one function.
pub fn write_one(given: Given<'_>, folder: Option<&Path>) -> Result<String, Failure> {
    pretty(&Document {
        version: 1,
        run: Run::of(given, folder),
    })
}

/// The document of several functions.
pub fn write_all<'a>(
    given: impl Iterator<Item = Given<'a>>,
    errors: &[String],
) -> Result<String, Failure> {
    pretty(&AllDocument {
        version: 1,
        functions: given.map(|given| Run::of(given, None)).collect(),
        errors,
    })
}
