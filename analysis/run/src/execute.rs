//! From a request to a report: the function is found, lowered once more for the run, and executed.

use std::sync::Arc;

use visa_arrays::Arithmetic;

use crate::db::Db;
use crate::items::functions_of_file;
use crate::items::{ItemId, Span, device_attribute};
use crate::kernel::Body;
use crate::libraries::{Library, Release};
use crate::lowering::{body, body_of_run};
use crate::places::Places;
use visa_inputs::SourceFile;

use super::findings::{output_findings, stale_elements};
use super::halt::{Halt, Step};
use super::inputs::given_numbers;
use super::machine::{Junk, Machine};
use super::outputs::Placed;
use super::request::{
    OriginKind, RunFinding, RunOrigin, RunOutput, RunRefusal, RunReport, RunRequest,
};
use super::trace::Trace;

/// The function of some files that a request is for.
fn function_of(
    db: &dyn Db,
    files: &[SourceFile],
    request: &RunRequest,
) -> Result<ItemId, RunRefusal> {
    let all: Vec<ItemId> = files
        .iter()
        .flat_map(|file| functions_of_file(db, *file))
        .collect();
    let refusal = |reason: String, help: Option<String>| RunRefusal {
        place: None,
        reason,
        help,
    };
    let is_device = |function: &&ItemId| device_attribute(db, **function).is_some();
    let devices: Vec<ItemId> = all.iter().filter(is_device).copied().collect();
    let names = || {
        let names: Vec<String> = (devices.iter())
            .map(|function| format!("`{}`", function.name(db)))
            .collect();
        names.join(", ")
    };
    let Some(wanted) = &request.function else {
        return match devices.as_slice() {
            [one] => Ok(*one),
            [] => Err(refusal(
                "the file has no `#[device]` function".to_owned(),
                None,
            )),
            _ => Err(refusal(
                "the file has several `#[device]` functions".to_owned(),
                Some(format!("name one of {}", names())),
            )),
        };
    };
    let is_wanted = |function: &&ItemId| *function.name(db) == **wanted;
    let found = devices
        .iter()
        .find(is_wanted)
        .or_else(|| all.iter().find(is_wanted));
    found.copied().ok_or_else(|| {
        let help = (!devices.is_empty()).then(|| format!("the file has {}", names()));
        refusal(format!("the file has no function `{wanted}`"), help)
    })
}

/// The first thing of a body that is not followed to its end.
fn check_followed(body: &Body) -> Step<()> {
    if let Some(entry) = body.unresolved.first() {
        return Err(Halt::refused(entry.span, entry.reason.reason_text()));
    }
    let limits = [
        (
            &body.shortened_loops,
            "a loop has more turns than a run follows",
        ),
        (&body.unbounded_loops, "how often a loop turns is not known"),
        (
            &body.undecided_exits,
            "whether the function is left here is not known",
        ),
    ];
    for (places, reason) in limits {
        if let Some(place) = places.first() {
            return Err(Halt::refused(*place, reason));
        }
    }
    if let Some(call) = body.foreign.first() {
        return Err(Halt::refused(
            call.span,
            "the library does not have this call in the release that the file is written for",
        ));
    }
    for operation in &body.operations {
        if let Some(branch) = operation.branches.first() {
            return Err(Halt::refused(
                branch.span,
                "which way the function takes here is not known",
            ));
        }
    }
    if let Some(id) = body.incomplete.first() {
        let place = body
            .operation(*id)
            .map_or(body.span, |operation| operation.span);
        return Err(Halt::refused(
            place,
            "an operation is not followed to its end",
        ));
    }
    Ok(())
}

/// What a run of a body is asked beside the request.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Asked {
    /// Whether origins are kept.
    pub(super) origins: bool,
    /// What fills undefined elements.
    pub(super) junk: Option<Junk>,
}

/// The arithmetic of a release of a library.
fn arithmetic(library: Library, release: Release) -> Arithmetic {
    match library {
        Library::OptStd => Arithmetic::of_release(release.major, release.minor),
        Library::VisaStd => Arithmetic::BOOK,
    }
}

/// The outputs of a run, and sentences about its inputs.
type Done = (Vec<Placed>, Vec<String>);

/// A run of a body to its end.
pub(super) fn run_body<'a>(
    db: &'a dyn Db,
    body: &'a Body,
    request: &RunRequest,
    asked: Asked,
) -> (Machine<'a>, Step<Done>) {
    let release = request.release.unwrap_or(body.dialect.release);
    let rules = arithmetic(body.dialect.library, release);
    let mut machine = Machine::new(db, body, rules, request.max_memory);
    machine.origins.kept = asked.origins;
    machine.junk = asked.junk;
    // A second run, for origins, has the same results.
    if !asked.origins {
        machine.trace = Trace::of_request(db, request, body.span);
    }
    let done = (|| {
        let notes = machine.take_inputs(request)?;
        machine.run()?;
        Ok((machine.outputs(request)?, notes))
    })();
    (machine, done)
}

/// Executes a function of some files.
///
/// # Errors
/// It is not executed: with the place and the reason.
pub fn execute(
    db: &dyn Db,
    files: &[SourceFile],
    request: &RunRequest,
) -> Result<RunReport, RunRefusal> {
    let function = function_of(db, files, request)?;
    let known = body(db, function);
    let mut places = Places::new(db);
    let refused = |halt: Halt, places: &mut Places<'_>| refusal_of(halt, places);
    let numbers =
        given_numbers(&known.parameters, request).map_err(|halt| refused(halt, &mut places))?;
    let lowered = body_of_run(db, function, numbers);
    check_followed(&lowered).map_err(|halt| refused(halt, &mut places))?;
    let (mut machine, done) = run_body(db, &lowered, request, Asked::default());
    let trace = machine.trace.take();
    let head = places.range(lowered.span).ok_or_else(|| RunRefusal {
        place: None,
        reason: "the function is no longer there".to_owned(),
        help: None,
    })?;
    let mut report = RunReport {
        file: head.0,
        range: head.1,
        function: Arc::from(lowered.name.as_str()),
        release: request.release.unwrap_or(lowered.dialect.release),
        outputs: Vec::new(),
        findings: Vec::new(),
        numbers: machine.effects,
        notes: Vec::new(),
        standing: Vec::new(),
        traced: Vec::new(),
        operations: lowered.operations.len() as u64,
    };
    let (placed, notes) = match done {
        Ok(done) => done,
        Err(Halt::Fault { place, reason }) => {
            report
                .findings
                .push(fault_finding(place, reason, &mut places));
            return Ok(report);
        }
        Err(halt) => return Err(refused(halt, &mut places)),
    };
    drop(machine);
    report.notes = notes;
    if let Some(trace) = trace {
        report.notes.extend(trace.missed_lines());
        report.traced = trace.into_values();
    }
    let is_undefined = placed.iter().any(|placed| placed.output.undefined > 0);
    report.outputs = placed.into_iter().map(|placed| placed.output).collect();
    if is_undefined {
        add_findings(db, &lowered, request, &mut report, &mut places);
    }
    Ok(report)
}

/// The outputs of a run whose undefined elements are overwritten with junk behind each operation: bits that are all set, or from a seed.
/// What is defined must not change by it.
///
/// # Errors
/// It is not executed to its end.
pub fn outputs_with_junk(
    db: &dyn Db,
    files: &[SourceFile],
    request: &RunRequest,
    seed: Option<u64>,
) -> Result<Vec<RunOutput>, RunRefusal> {
    let function = function_of(db, files, request)?;
    let known = body(db, function);
    let mut places = Places::new(db);
    let numbers =
        given_numbers(&known.parameters, request).map_err(|halt| refusal_of(halt, &mut places))?;
    let lowered = body_of_run(db, function, numbers);
    check_followed(&lowered).map_err(|halt| refusal_of(halt, &mut places))?;
    let asked = Asked {
        junk: Some(seed.map_or(Junk::Ones, Junk::Random)),
        ..Asked::default()
    };
    let (_, done) = run_body(db, &lowered, request, asked);
    let (placed, _) = done.map_err(|halt| refusal_of(halt, &mut places))?;
    Ok(placed.into_iter().map(|placed| placed.output).collect())
}

/// Runs once more with origins, for what is reported.
fn add_findings(
    db: &dyn Db,
    lowered: &Body,
    request: &RunRequest,
    report: &mut RunReport,
    places: &mut Places<'_>,
) {
    let asked = Asked {
        origins: true,
        ..Asked::default()
    };
    let (machine, done) = run_body(db, lowered, request, asked);
    let Ok((placed, _)) = done else {
        return;
    };
    for (own, placed) in report.outputs.iter_mut().zip(&placed) {
        own.stale = stale_elements(&machine, placed);
        own.undefined = own.undefined.saturating_sub(own.stale);
        report
            .findings
            .extend(output_findings(&machine, places, placed));
    }
}

/// An operation that cannot be executed with its operands.
fn fault_finding(place: Span, reason: String, places: &mut Places<'_>) -> RunFinding {
    let origin = places.range(place).map(|place| RunOrigin {
        kind: OriginKind::Fault,
        what: reason.clone(),
        span: place.into(),
    });
    RunFinding {
        rule: "run_error",
        output: Arc::from(""),
        count: 0,
        first: Vec::new(),
        origin,
        through: Vec::new(),
        message: reason,
        help: None,
    }
}

fn refusal_of(halt: Halt, places: &mut Places<'_>) -> RunRefusal {
    match halt {
        Halt::Refused {
            place,
            reason,
            help,
        } => RunRefusal {
            place: place.and_then(|place| places.range(place)).map(Into::into),
            reason,
            help,
        },
        Halt::Fault { place, reason } => RunRefusal {
            place: places.range(place).map(Into::into),
            reason,
            help: None,
        },
    }
}
