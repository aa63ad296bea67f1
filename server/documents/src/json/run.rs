//! What runs of kernels say, as JSON.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use visa_analysis::{Range, RunFinding, RunOutput, RunRefusal, RunReport, TracedValue};

use super::pretty;
use crate::project::Failure;

/// What `visa-lint run --json` prints for one function.
#[derive(Serialize, JsonSchema)]
pub struct Document {
    version: u32,
    #[serde(flatten)]
    run: Run,
}

/// What `visa-lint run --all --json` prints.
#[derive(Serialize, JsonSchema)]
pub struct AllDocument {
    version: u32,
    /// The functions, in the order of files and places.
    functions: Vec<Run>,
    /// What could not be read, and why; the exit code is then 1 or 2.
    errors: Vec<String>,
}

/// One function.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Run {
    function: String,
    file: String,
    /// The seed of random inputs.
    seed: u64,
    /// Why it did not run; the exit code is then 2, and all lists are empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_run: Option<NotRun>,
    /// The release of the library whose rules held.
    release: Option<String>,
    operations: u64,
    outputs: Vec<Output>,
    findings: Vec<Found>,
    numbers: Numbers,
    notes: Vec<String>,
    /// Errors of `check` that stand in the kernel.
    standing: Vec<Standing>,
    /// Results of the lines of `--trace`.
    trace: Vec<Traced>,
}

/// Why a function did not run.
#[derive(Serialize, JsonSchema)]
struct NotRun {
    reason: String,
    help: Option<String>,
    /// The place in the sources; null where inputs are at fault.
    span: Option<Span>,
}

/// A place in a file.
#[derive(Serialize, JsonSchema)]
struct Span {
    file: String,
    range: Range,
}

/// An output.
#[derive(Serialize, JsonSchema)]
struct Output {
    /// `result`, `result.1`, or the name of a `&mut` parameter.
    name: String,
    /// The file that it was written to by `--outputs`.
    file: Option<String>,
    /// The file of booleans beside it.
    defined: Option<String>,
    /// The element type of the kernel.
    dtype: &'static str,
    shape: Vec<usize>,
    /// What each dimension is: the name of its axis, or the term of the mapping.
    dimensions: Vec<String>,
    mapping: String,
    /// Elements that are undefined, padding left out.
    undefined: u64,
    /// Elements that keep an older value on the device.
    stale: u64,
}

/// A finding.
#[derive(Serialize, JsonSchema)]
struct Found {
    rule: &'static str,
    group: &'static str,
    level: &'static str,
    message: String,
    help: Option<String>,
    /// The output; empty where an error ended the run.
    output: String,
    /// Elements.
    count: u64,
    /// The coordinates of the first one, the outermost axis first.
    first: Vec<Coordinate>,
    origin: Option<Origin>,
    /// How it went: at most three places.
    through: Vec<Station>,
}

/// A coordinate along an axis.
#[derive(Serialize, JsonSchema)]
struct Coordinate {
    axis: String,
    at: u64,
}

/// Where it comes from.
#[derive(Serialize, JsonSchema)]
struct Origin {
    kind: &'static str,
    what: String,
    span: Span,
}

/// An operation that carried it on.
#[derive(Serialize, JsonSchema)]
struct Station {
    what: String,
    span: Span,
}

/// Elements to which arithmetic did something.
#[derive(Serialize, JsonSchema)]
struct Numbers {
    wrapped: u64,
    saturated: u64,
    flushed: u64,
    became_nan: u64,
}

/// An error of `check`.
#[derive(Serialize, JsonSchema)]
struct Standing {
    rule: &'static str,
    message: String,
    span: Span,
}

/// The result of an operation.
#[derive(Serialize, JsonSchema)]
struct Traced {
    name: String,
    span: Span,
    dtype: &'static str,
    /// In physical order, padding included.
    shape: Vec<usize>,
    mapping: String,
    /// Elements that are no padding.
    live: u64,
    undefined: u64,
    least: Option<f64>,
    most: Option<f64>,
}

fn span(file: &str, range: Range) -> Span {
    Span {
        file: file.to_owned(),
        range,
    }
}

fn output(output: &RunOutput, folder: Option<&Path>) -> Output {
    let file = |name: String| folder.map(|folder| folder.join(name).display().to_string());
    Output {
        name: output.name.to_string(),
        file: file(format!("{}.npy", output.name)),
        defined: file(format!("{}.defined.npy", output.name)),
        dtype: output.values.kind().name(),
        shape: output.shape.clone(),
        dimensions: output.dimensions.iter().map(ToString::to_string).collect(),
        mapping: output.mapping.to_string(),
        undefined: output.undefined,
        stale: output.stale,
    }
}

fn found(finding: &RunFinding) -> Found {
    let first = finding.first.iter();
    let through = finding.through.iter();
    Found {
        rule: finding.rule,
        group: "silent",
        level: "error",
        message: finding.message.clone(),
        help: finding.help.clone(),
        output: finding.output.to_string(),
        count: finding.count,
        first: first
            .map(|place| Coordinate {
                axis: place.axis.to_string(),
                at: place.at,
            })
            .collect(),
        origin: finding.origin.as_ref().map(|origin| Origin {
            kind: origin.kind.name(),
            what: origin.what.clone(),
            span: span(&origin.file, origin.range),
        }),
        through: through
            .map(|station| Station {
                what: station.what.clone(),
                span: span(&station.file, station.range),
            })
            .collect(),
    }
}

fn traced(value: &TracedValue) -> Traced {
    // JSON has no infinity.
    let end = |number: f64| number.is_finite().then_some(number);
    Traced {
        name: value.name.to_string(),
        span: span(&value.file, value.range),
        dtype: value.kind.name(),
        shape: value.shape.clone(),
        mapping: value.mapping.to_string(),
        live: value.live,
        undefined: value.undefined,
        least: value.range_of_values.and_then(|(least, _)| end(least)),
        most: value.range_of_values.and_then(|(_, most)| end(most)),
    }
}

/// One function: its name, its file, the seed, what came of it.
pub type Given<'a> = (&'a str, &'a str, u64, &'a Result<RunReport, RunRefusal>);

impl Run {
    /// `folder` is where outputs were written.
    pub(crate) fn of((function, file, seed, result): Given<'_>, folder: Option<&Path>) -> Self {
        let mut run = Self {
            function: function.to_owned(),
            file: file.to_owned(),
            seed,
            not_run: None,
            release: None,
            operations: 0,
            outputs: Vec::new(),
            findings: Vec::new(),
            numbers: Numbers {
                wrapped: 0,
                saturated: 0,
                flushed: 0,
                became_nan: 0,
            },
            notes: Vec::new(),
            standing: Vec::new(),
            trace: Vec::new(),
        };
        let report = match result {
            Err(refusal) => {
                let place = refusal.place.as_ref();
                run.not_run = Some(NotRun {
                    reason: refusal.reason.clone(),
                    help: refusal.help.clone(),
                    span: place.map(|(file, place)| span(file, *place)),
                });
                return run;
            }
            Ok(report) => report,
        };
        run.release = Some(report.release.to_string());
        run.operations = report.operations;
        let outputs = report.outputs.iter();
        run.outputs = outputs.map(|one| output(one, folder)).collect();
        run.findings = report.findings.iter().map(found).collect();
        run.numbers = Numbers {
            wrapped: report.numbers.wrapped,
            saturated: report.numbers.saturated,
            flushed: report.numbers.flushed,
            became_nan: report.numbers.became_nan,
        };
        run.notes.clone_from(&report.notes);
        let standing = report.standing.iter();
        run.standing = standing
            .map(|error| Standing {
                rule: error.rule,
                message: error.message.clone(),
                span: span(&error.file, error.range),
            })
            .collect();
        run.trace = report.traced.iter().map(traced).collect();
        run
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
        errors: errors.to_vec(),
    })
}
