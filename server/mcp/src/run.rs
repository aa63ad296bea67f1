//! `run` and `compare`: kernels are executed, and their results judged, alone or beside an older state.

use std::sync::Arc;

use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::{tool, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use visa_analysis::{
    Analysis, FilePlace, IndexRange, KernelCost, Level, RunFinding, RunRefusal, RunReport,
    RunRequest, Tolerance, compare_runs,
};

use super::cost::{checked_sources, costs_of, old_texts};
use super::server::Tools;
use super::shapes::Shower;
use crate::project::copied::Copied;
use crate::project::engine::Answer;

/// Bytes that the elements of a run's tensors may take.
const MEMORY: u64 = 1_000_000_000;

/// The most findings of an answer.
const FINDINGS: usize = 10;

/// What `run` is asked for. Sentences of fields are read by agents; what a name says has none.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RunInput {
    // The kernel's file.
    path: String,
    /// If the file has several.
    function: Option<String>,
    // Where random inputs start from; 0 by default.
    seed: Option<u64>,
    /// First and last random index.
    index_range: Option<(i64, i64)>,
}

/// What `compare` is asked for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CompareInput {
    // The new kernel's file.
    path: String,
    /// A file or a git revision.
    compare_to: String,
    /// If the file has several.
    function: Option<String>,
    // Where random inputs start from; 0 by default.
    seed: Option<u64>,
    /// First and last random index.
    index_range: Option<(i64, i64)>,
}

/// What `run` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RunOutput {
    // The function.
    function: String,
    // Why it did not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_run: Option<String>,
    // Its outputs.
    outputs: Vec<Output>,
    // What is wrong with them.
    findings: Vec<Finding>,
    /// How many more findings there are.
    more: u64,
    // Facts about the run.
    notes: Vec<String>,
}

/// An output.
#[derive(Debug, Serialize, JsonSchema)]
struct Output {
    name: String,
    dtype: &'static str,
    shape: Vec<usize>,
    undefined: u64,
    stale: u64,
}

/// A finding.
#[derive(Debug, Serialize, JsonSchema)]
struct Finding {
    rule: &'static str,
    message: String,
    /// Where it comes from, as `file:line:column: what`.
    origin: Option<String>,
    /// How it went, likewise.
    through: Vec<String>,
    help: Option<String>,
}

/// What `compare` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CompareOutput {
    // Whether the new kernel has no error.
    legal: bool,
    /// Null if one did not run.
    equal: Option<bool>,
    // What differs, and what is undefined in the new one.
    findings: Vec<Finding>,
    /// How many more findings there are.
    more: u64,
    // Why one of them did not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_run: Option<String>,
    /// Cycles of the old one.
    before: Option<u64>,
    // Cycles of the new one.
    after: Option<u64>,
}

fn request(
    function: Option<&str>,
    seed: Option<u64>,
    index_range: Option<(i64, i64)>,
) -> Result<RunRequest, String> {
    if index_range.is_some_and(|(first, last)| first > last) {
        return Err("`index_range` has its larger number first".to_owned());
    }
    Ok(RunRequest {
        function: function.map(Into::into),
        seed: seed.unwrap_or(0),
        index_range: index_range.map(|(first, last)| IndexRange { first, last }),
        max_memory: MEMORY,
        ..RunRequest::default()
    })
}

/// The one file that a path names.
fn one_source(paths: Vec<String>, given: &str) -> Result<String, String> {
    match <[String; 1]>::try_from(paths) {
        Ok([path]) => Ok(path),
        Err(paths) => Err(format!(
            "`{given}` names {} files: a run is of one",
            paths.len()
        )),
    }
}

fn finding(shower: &Shower<'_>, finding: &RunFinding) -> Finding {
    let at = |place: &FilePlace, what: &str| {
        format!("{}: {what}", shower.place(&place.file, place.range))
    };
    let through = finding.through.iter();
    Finding {
        rule: finding.rule,
        message: finding.message.clone(),
        origin: (finding.origin.as_ref()).map(|origin| at(&origin.span, &origin.what)),
        through: through
            .map(|station| at(&station.span, &station.what))
            .collect(),
        help: finding.help.clone(),
    }
}

fn findings(shower: &Shower<'_>, found: &[RunFinding]) -> (Vec<Finding>, u64) {
    let shown = found.iter().take(FINDINGS);
    let shown = shown.map(|one| finding(shower, one)).collect();
    (shown, found.len().saturating_sub(FINDINGS) as u64)
}

fn refused(shower: &Shower<'_>, refusal: &RunRefusal) -> String {
    let place = refusal.place.as_ref();
    let place = place.map(|place| shower.place(&place.file, place.range));
    let help = refusal.help.iter().map(|help| format!("; {help}"));
    let help: String = help.collect();
    match place {
        Some(place) => format!("{place}: {}{help}", refusal.reason),
        None => format!("{}{help}", refusal.reason),
    }
}

/// The cycles of the function that ran.
fn cycles_of(costs: &[KernelCost], function: Option<&str>) -> Option<u64> {
    let mut named = costs
        .iter()
        .filter(|cost| function.is_none_or(|function| cost.name == function));
    match (named.next(), named.next()) {
        (Some(only), None) => only.total,
        _ => None,
    }
}

/// What is known of one state of a kernel.
struct State {
    result: Result<RunReport, RunRefusal>,
    cycles: Option<u64>,
    errors: u64,
}

fn state_of(analysis: &Analysis, path: &str, request: &RunRequest) -> Answer<State> {
    let paths = [path.to_owned()];
    let costs = costs_of(analysis, &paths)?;
    let mut errors = 0;
    for report in analysis.file_reports(&paths) {
        let denied = report
            .diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.default_level == Level::Deny && !diagnostic.suppressed);
        errors += denied.count() as u64;
    }
    Ok(State {
        result: analysis.run(path, request),
        cycles: cycles_of(&costs, request.function.as_deref()),
        errors,
    })
}

#[tool_router(router = run_router, vis = "pub(super)")]
impl Tools {
    /// Execute a kernel with random inputs: which results the device never writes, and from which line that comes.
    #[tool(annotations(title = "Run a kernel", read_only_hint = true, open_world_hint = false))]
    async fn run(
        &self,
        Parameters(input): Parameters<RunInput>,
    ) -> Result<Json<RunOutput>, String> {
        let room = &self.room;
        let request = request(input.function.as_deref(), input.seed, input.index_range)?;
        let held = room.fresh_workspace().await?;
        let paths = checked_sources(room, &held, Some(&input.path))?;
        let path = one_source(paths, &input.path)?;
        let asked = Arc::clone(room);
        let answer = room.ask_engine(move |analysis| {
            let shower = Shower::new(&asked, analysis);
            let report = match analysis.run(&path, &request) {
                Err(refusal) => {
                    return Ok(RunOutput {
                        function: input.function.unwrap_or_default(),
                        not_run: Some(refused(&shower, &refusal)),
                        outputs: Vec::new(),
                        findings: Vec::new(),
                        more: 0,
                        notes: Vec::new(),
                    });
                }
                Ok(report) => report,
            };
            let (findings, more) = findings(&shower, &report.findings);
            let outputs = report.outputs.iter().map(|output| Output {
                name: output.name.to_string(),
                dtype: output.values.kind().name(),
                shape: output.shape.clone(),
                undefined: output.undefined,
                stale: output.stale,
            });
            Ok(RunOutput {
                function: report.function.to_string(),
                not_run: None,
                outputs: outputs.collect(),
                findings,
                more,
                notes: report.notes,
            })
        });
        answer.await.map(Json)
    }

    /// Compare a kernel with an older state: whether it has errors, whether its results are equal for the same random inputs, and the cycles
    /// of both.
    #[tool(annotations(
        title = "Compare two kernels",
        read_only_hint = true,
        open_world_hint = false
    ))]
    async fn compare(
        &self,
        Parameters(input): Parameters<CompareInput>,
    ) -> Result<Json<CompareOutput>, String> {
        let room = &self.room;
        let request = request(input.function.as_deref(), input.seed, input.index_range)?;
        let held = room.fresh_workspace().await?;
        let paths = checked_sources(room, &held, Some(&input.path))?;
        let path = one_source(paths, &input.path)?;
        let old = old_texts(room, std::slice::from_ref(&path), &input.compare_to).await?;
        let settings = Arc::clone(&held.settings);
        let asked = Arc::clone(room);
        let output = room.ask_engine(move |analysis| {
            let new = state_of(analysis, &path, &request)?;
            let copy = Copied::with_texts(analysis, settings, old)?;
            let old = state_of(&copy.analysis(), &path, &request)?;
            Ok(compared(&Shower::new(&asked, analysis), new, &old))
        });
        output.await.map(Json)
    }
}

fn compared(shower: &Shower<'_>, new: State, old: &State) -> CompareOutput {
    let mut output = CompareOutput {
        legal: new.errors == 0,
        equal: None,
        findings: Vec::new(),
        more: 0,
        not_run: None,
        before: old.cycles,
        after: new.cycles,
    };
    let (mut report, before) = match (new.result, &old.result) {
        (Ok(report), Ok(before)) => (report, before),
        (Err(refusal), _) => {
            output.not_run = Some(refused(shower, &refusal));
            return output;
        }
        (_, Err(refusal)) => {
            let why = refused(shower, refusal);
            output.not_run = Some(format!("the old state did not run: {why}"));
            return output;
        }
    };
    match compare_runs(&report, before, Tolerance::Reordered) {
        Ok(found) => {
            output.equal = Some(found.is_empty());
            report.findings.extend(found);
        }
        Err(why) => output.not_run = Some(why.0),
    }
    (output.findings, output.more) = findings(shower, &report.findings);
    output
}
