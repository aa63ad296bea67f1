//! Findings as diagnostics, for those who ask for them; see [`crate::publishing`] for those who do not.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hasher};
use std::str::FromStr;

use tower_lsp::ls_types::{
    CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag,
    DocumentDiagnosticParams, DocumentDiagnosticReport, DocumentDiagnosticReportKind,
    DocumentDiagnosticReportResult, FullDocumentDiagnosticReport, Location, NumberOrString,
    Position, Range, RelatedFullDocumentDiagnosticReport, RelatedUnchangedDocumentDiagnosticReport,
    UnchangedDocumentDiagnosticReport, Uri, WorkspaceDiagnosticParams, WorkspaceDiagnosticReport,
    WorkspaceDiagnosticReportResult, WorkspaceDocumentDiagnosticReport,
    WorkspaceFullDocumentDiagnosticReport, WorkspaceUnchangedDocumentDiagnosticReport,
};
use visa_analysis::{
    ByteRange, FileReport, Group, InactiveCode, Level, OperationCounts, Problem, RelatedPlace,
};

use super::fixes::Carried;
use super::reports::is_whole;
use crate::documents::run_findings::diagnostic_of;
use crate::early::{MANY_FILES, MANY_OPERATIONS, Part};
use crate::positions::Encoding;
use crate::project::client_settings::Scope;
use crate::project::engine::{Answer, Failure};
use crate::project::settings::SettingsProblem;
use crate::state::Snapshot;
use crate::status;

/// The `source` field of our diagnostics.
pub(super) const SOURCE: &str = "visa-lint";

/// Closed files that are shown of with a document at most: all of them are shown of with the workspace.
const RELATED: usize = 16;

/// The rules whose findings point at what can go.
const UNNECESSARY: [&str; 2] = ["unused_suppression", "redundant_mapping_op"];

/// `textDocument/diagnostic`; nothing where no part of it is worth being said before the whole.
pub(crate) fn document_diagnostics(
    snapshot: &Snapshot,
    params: &DocumentDiagnosticParams,
    part: Part,
) -> Answer<Option<DocumentDiagnosticReportResult>> {
    let path = snapshot.path(&params.text_document.uri);
    let items = match of_file(snapshot, &path, part) {
        Err(Failure::NoSuchFile) => Some(Vec::new()),
        items => items?,
    };
    let Some(items) = items else { return Ok(None) };
    let related_documents = match part {
        Part::Own | Part::WithoutCosts => None,
        Part::Whole => related_documents(snapshot, &path)?,
    };
    let result_id = result_id(&items);
    let report = if params.previous_result_id.as_ref() == Some(&result_id) {
        DocumentDiagnosticReport::Unchanged(RelatedUnchangedDocumentDiagnosticReport {
            related_documents,
            unchanged_document_diagnostic_report: UnchangedDocumentDiagnosticReport { result_id },
        })
    } else {
        DocumentDiagnosticReport::Full(RelatedFullDocumentDiagnosticReport {
            related_documents,
            full_document_diagnostic_report: FullDocumentDiagnosticReport {
                result_id: Some(result_id),
                items,
            },
        })
    };
    Ok(Some(report.into()))
}

/// What is said of the closed files that a document and they may call: clients pull those that are open themselves.
fn related_documents(
    snapshot: &Snapshot,
    path: &str,
) -> Answer<Option<HashMap<Uri, DocumentDiagnosticReportKind>>> {
    let settings = &snapshot.view.settings;
    let wanted = settings.client.diagnostics && settings.client.scope == Scope::Workspace;
    if !snapshot.view.client.related_documents || !wanted || !settings.reports(path) {
        return Ok(None);
    }
    let files = snapshot.analysis.related_files(&[path.to_owned()]);
    let closed = files
        .into_iter()
        .filter(|file| file != path && snapshot.version(file).is_none() && settings.reports(file));
    let mut reports = HashMap::new();
    for file in closed.take(RELATED) {
        let items = of_file(snapshot, &file, Part::Whole)?.unwrap_or_default();
        let report = FullDocumentDiagnosticReport {
            result_id: Some(result_id(&items)),
            items,
        };
        reports.insert(snapshot.uri(&file)?, report.into());
    }
    Ok((!reports.is_empty()).then_some(reports))
}

/// `workspace/diagnostic`: every file that something is said about, or that something was said about before; with what is known of the
/// whole workspace.
pub(crate) fn workspace_diagnostics(
    snapshot: &Snapshot,
    params: &WorkspaceDiagnosticParams,
) -> Answer<(WorkspaceDiagnosticReportResult, status::Known)> {
    let mut before: BTreeMap<String, (&Uri, &str)> = params
        .previous_result_ids
        .iter()
        .map(|known| {
            (
                snapshot.path(&known.uri),
                (&known.uri, known.value.as_str()),
            )
        })
        .collect();
    let mut items = Vec::new();
    let checked = of_workspace(snapshot, &|_, _| {})?;
    let known = checked.known_of_workspace(snapshot);
    for (path, diagnostics) in checked.files {
        let result_id = result_id(&diagnostics);
        let (uri, known) = match before.remove(&path) {
            Some((uri, known)) => (uri.clone(), Some(known)),
            None if diagnostics.is_empty() => continue,
            None => (snapshot.uri(&path)?, None),
        };
        let version = snapshot.version(&path).map(i64::from);
        items.push(if known == Some(&result_id) {
            let unchanged_document_diagnostic_report =
                UnchangedDocumentDiagnosticReport { result_id };
            WorkspaceUnchangedDocumentDiagnosticReport {
                uri,
                version,
                unchanged_document_diagnostic_report,
            }
            .into()
        } else {
            full_report(uri, version, Some(result_id), diagnostics)
        });
    }
    // What was said of files that are gone, or no longer among those that are checked.
    let gone = before.into_iter().filter(|(path, _)| {
        snapshot.version(path).is_none() || !snapshot.view.settings.client.diagnostics
    });
    let nothing = result_id(&[]);
    items.extend(
        gone.filter(|(_, (_, known))| *known != nothing)
            .map(|(_, (uri, _))| full_report(uri.clone(), None, None, Vec::new())),
    );
    Ok((WorkspaceDiagnosticReport { items }.into(), known))
}

fn full_report(
    uri: Uri,
    version: Option<i64>,
    result_id: Option<String>,
    items: Vec<Diagnostic>,
) -> WorkspaceDocumentDiagnosticReport {
    WorkspaceFullDocumentDiagnosticReport {
        uri,
        version,
        full_document_diagnostic_report: FullDocumentDiagnosticReport { result_id, items },
    }
    .into()
}

/// What tells answers about a file apart. Equal answers have equal names, whatever happened between them.
pub(crate) fn result_id(items: &[Diagnostic]) -> String {
    let mut hashed = Hashed::default();
    for item in items {
        // What a diagnostic carries names the text's version: another one does not change what is shown.
        let shown = (
            (&item.range, &item.severity, &item.code, &item.message),
            (
                &item.code_description,
                &item.related_information,
                &item.tags,
            ),
        );
        // Writing into a hash does not fail.
        let _ = serde_json::to_writer(&mut hashed, &shown);
    }
    format!("{:016x}", hashed.0.finish())
}

/// The hash of what is written.
#[derive(Default)]
struct Hashed(DefaultHasher);

impl std::io::Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The diagnostics of one file; `None` if a partial answer would not help.
pub(crate) fn of_file(
    snapshot: &Snapshot,
    path: &str,
    part: Part,
) -> Answer<Option<Vec<Diagnostic>>> {
    let settings = &snapshot.view.settings;
    let says = settings.client.diagnostics && settings.reports(path);
    let problems = (settings.problems.get(path)).filter(|_| settings.client.diagnostics);
    match part {
        Part::Own | Part::WithoutCosts if !says || problems.is_some() => Ok(None),
        Part::Own if snapshot.view.settings.reported.len() < MANY_FILES => Ok(None),
        Part::Own => {
            let report = snapshot.analysis.check_own(path);
            let says_something = report.problems.is_empty() && !report.diagnostics.is_empty();
            says_something
                .then(|| of_report(snapshot, &report))
                .transpose()
        }
        Part::WithoutCosts => {
            let report = snapshot.analysis.check_file_without_costs(path);
            let is_early = report.operations.resolved >= MANY_OPERATIONS;
            is_early.then(|| of_report(snapshot, &report)).transpose()
        }
        Part::Whole => match problems {
            Some(problems) => Ok(Some(of_settings_file(problems, snapshot))),
            None if !says => Ok(Some(Vec::new())),
            None => of_report(snapshot, &snapshot.analysis.check_file(path)).map(Some),
        },
    }
}

/// What a check of the workspace says.
#[derive(Default)]
pub(crate) struct Checked {
    /// The diagnostics by file, also of files that nothing is said of.
    pub(crate) files: Vec<(String, Vec<Diagnostic>)>,
    /// Functions with `#[device]`.
    pub(crate) kernels: u64,
    /// How many operations were understood.
    pub(crate) operations: OperationCounts,
}

impl Checked {
    /// What this check tells of the workspace.
    pub(crate) fn known_of_workspace(&self, snapshot: &Snapshot) -> status::Known {
        let client = &snapshot.view.settings.client;
        let is_whole = client.diagnostics && client.scope == Scope::Workspace;
        status::Known::new(is_whole.then_some(self.kernels), snapshot.writes)
    }
}

/// The diagnostics of all files that are checked, or of the open ones where the client wants no more; `checked` is given how
/// many items of the code are to be checked, each time that one is.
pub(crate) fn of_workspace(
    snapshot: &Snapshot,
    checked: &(dyn Fn(usize, usize) + Sync),
) -> Answer<Checked> {
    let settings = &snapshot.view.settings;
    let mut answer = Checked::default();
    if !settings.client.diagnostics {
        return Ok(answer);
    }
    let open = snapshot.view.documents.keys();
    let mut paths: Vec<String> = match settings.client.scope {
        Scope::OpenFiles => open.map(ToString::to_string).collect(),
        Scope::Workspace => open
            .chain(settings.reported.iter())
            .map(ToString::to_string)
            .collect(),
    };
    paths.retain(|path| settings.reports(path));
    paths.sort();
    paths.dedup();
    let done = std::sync::atomic::AtomicUsize::new(0);
    let reports = snapshot.analysis.file_reports_with(&paths, &|total| {
        let done = done.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        checked(done.saturating_add(1), total);
    });
    for (path, report) in paths.into_iter().zip(reports) {
        answer.kernels = answer.kernels.saturating_add(report.kernels);
        answer.operations.add(&report.operations);
        match of_report(snapshot, &report) {
            // Deleted, and not yet known to be.
            Err(Failure::NoSuchFile) => {}
            items => answer.files.push((path, items?)),
        }
    }
    for (path, problems) in &settings.problems {
        let items = of_settings_file(problems, snapshot);
        answer.files.push((path.to_string(), items));
    }
    Ok(answer)
}

/// The diagnostics of a report: open findings, at the levels that hold for the file.
fn of_report(snapshot: &Snapshot, report: &FileReport) -> Answer<Vec<Diagnostic>> {
    is_whole(report)?;
    let problems = report.problems.iter();
    let mut diagnostics: Vec<Diagnostic> = problems.map(of_problem).collect();
    let settings = snapshot.view.settings.table.settings_of(&report.path);
    for finding in report.diagnostics.iter().filter(|found| !found.suppressed) {
        let level = settings.level_of(finding);
        if level != Level::Allow && is_said_here(snapshot, finding) {
            diagnostics.push(of_finding(snapshot, finding, level)?);
        }
    }
    diagnostics.extend(run_diagnostics(snapshot, &report.path)?);
    // Without the tag one could not tell a hint about code that is not looked at from a finding in it.
    if snapshot.view.client.diagnostic_tags {
        for inactive in &report.inactive {
            diagnostics.push(of_inactive(snapshot, &report.path, inactive)?);
        }
    }
    Ok(diagnostics)
}

/// What an editor shows of code that is not looked at, in the way in which Rust's language server does.
fn of_inactive(snapshot: &Snapshot, path: &str, inactive: &InactiveCode) -> Answer<Diagnostic> {
    let why = match &inactive.condition {
        Some(condition) => format!("`{condition}` does not hold here"),
        None => "a condition leaves the module out".to_owned(),
    };
    Ok(Diagnostic {
        range: range_in_file(snapshot, path, inactive.range)?,
        severity: Some(DiagnosticSeverity::HINT),
        code: Some(NumberOrString::String("inactive-code".to_owned())),
        source: Some(SOURCE.to_owned()),
        message: format!("this code is not checked: {why}; the setting `cfg` lists what holds"),
        tags: Some(vec![DiagnosticTag::UNNECESSARY]),
        ..Diagnostic::default()
    })
}

/// Whether a finding that is said once a crate is said in its file: in another one only where nothing is said of the best one.
fn is_said_here(snapshot: &Snapshot, finding: &visa_analysis::Diagnostic) -> bool {
    let Some(home) = finding.home.as_deref() else {
        return true;
    };
    let settings = &snapshot.view.settings;
    let told = match settings.client.scope {
        Scope::OpenFiles => snapshot.version(home).is_some(),
        Scope::Workspace => settings.reports(home),
    };
    home == &*finding.file || !told
}

/// The diagnostic of a finding.
pub(super) fn of_finding(
    snapshot: &Snapshot,
    finding: &visa_analysis::Diagnostic,
    level: Level,
) -> Answer<Diagnostic> {
    let client = &snapshot.view.client;
    let range = range_in_file(snapshot, &finding.file, finding.range)?;
    let related = finding
        .related
        .iter()
        .map(|place| related_place_information(snapshot, place));
    let related = related.collect::<Answer<Vec<_>>>()?;
    let url = finding.url.clone().or_else(|| {
        // The client asks the server for the page.
        let scheme = client.rule_scheme.as_ref()?;
        Some(format!("{scheme}:/{}.md", finding.rule))
    });
    let url = url.and_then(|url| Uri::from_str(&url).ok());
    let unnecessary = client.diagnostic_tags && UNNECESSARY.contains(&finding.rule);
    let data = if client.diagnostic_data {
        serde_json::to_value(Carried::of(snapshot, finding)).ok()
    } else {
        None
    };
    let mut message = full_message(finding);
    if !client.related_information {
        // Its words would be lost.
        for place in &finding.related {
            message.push_str(&format!("\n{}", place.message));
        }
    }
    Ok(Diagnostic {
        range,
        severity: Some(finding_severity(finding.group, level)),
        code: Some(NumberOrString::String(finding.rule.to_owned())),
        code_description: url
            .filter(|_| client.code_description)
            .map(|href| CodeDescription { href }),
        source: Some(SOURCE.to_owned()),
        message,
        related_information: (client.related_information && !related.is_empty()).then_some(related),
        tags: unnecessary.then(|| vec![DiagnosticTag::UNNECESSARY]),
        data,
    })
}

/// What is wrong, then the further facts and what to do, a line each.
fn full_message(finding: &visa_analysis::Diagnostic) -> String {
    let notes = finding.notes.iter().map(|note| format!("\nnote: {note}"));
    let help = finding.help.iter().map(|help| format!("\nhelp: {help}"));
    finding.message.clone() + &notes.chain(help).collect::<String>()
}

/// Matters of style are no warnings in an editor, unless more is asked for.
fn finding_severity(group: Group, level: Level) -> DiagnosticSeverity {
    match (level, group) {
        (Level::Deny, _) => DiagnosticSeverity::ERROR,
        (_, Group::Style) => DiagnosticSeverity::INFORMATION,
        (Level::Warn | Level::Allow, _) => DiagnosticSeverity::WARNING,
    }
}

fn related_place_information(
    snapshot: &Snapshot,
    place: &RelatedPlace,
) -> Answer<DiagnosticRelatedInformation> {
    Ok(DiagnosticRelatedInformation {
        location: Location {
            uri: snapshot.uri(&place.file)?,
            range: match range_in_file(snapshot, &place.file, place.range) {
                // A manifest is none of the engine's files.
                Err(Failure::NoSuchFile) => of_lines(place.range),
                found => found?,
            },
        },
        message: place.message.clone(),
    })
}

fn range_in_file(snapshot: &Snapshot, path: &str, range: visa_analysis::Range) -> Answer<Range> {
    let bytes = ByteRange {
        start: range.start.byte,
        end: range.end.byte,
    };
    Ok(snapshot.file(path)?.range(bytes))
}

/// A range of a file whose text is not at hand: a column counts characters, as it does in all encodings of ASCII.
fn of_lines(range: visa_analysis::Range) -> Range {
    let position = |place: visa_analysis::Position| Position {
        line: place.line.saturating_sub(1),
        character: place.column.saturating_sub(1),
    };
    Range {
        start: position(range.start),
        end: position(range.end),
    }
}

/// What is wrong with a settings file.
fn of_settings_file(problems: &[SettingsProblem], snapshot: &Snapshot) -> Vec<Diagnostic> {
    let encoding = snapshot.view.encoding;
    let problems = problems.iter();
    problems
        .map(|problem| of_settings(problem, encoding))
        .collect()
}

/// Why a file was not checked, at its start.
fn of_problem(problem: &Problem) -> Diagnostic {
    Diagnostic {
        severity: Some(DiagnosticSeverity::INFORMATION),
        source: Some(SOURCE.to_owned()),
        message: format!("not checked: {problem}"),
        ..Diagnostic::default()
    }
}

/// What is wrong with a settings file, from its place to the end of the line.
fn of_settings(problem: &SettingsProblem, encoding: Encoding) -> Diagnostic {
    let (line, before, after) = problem.line();
    let start = encoding.columns_of(before);
    let place = |character| Position { line, character };
    Diagnostic {
        range: Range {
            start: place(start),
            end: place(start.saturating_add(encoding.columns_of(after))),
        },
        severity: Some(DiagnosticSeverity::ERROR),
        source: Some(SOURCE.to_owned()),
        message: format!(
            "{}\nnote: the settings before hold until it is right",
            problem.words
        ),
        ..Diagnostic::default()
    }
}

/// The `source` field of what runs find.
const RUN_SOURCE: &str = "visa-lint run";

/// What runs found in a file, as far as nothing was edited since.
fn run_diagnostics(snapshot: &Snapshot, path: &str) -> Answer<Vec<Diagnostic>> {
    let mut found = Vec::new();
    for report in snapshot.ran() {
        for finding in &report.findings {
            let placed = diagnostic_of(finding, &report);
            if *placed.file == *path {
                found.push(of_run(snapshot, &placed)?);
            }
        }
    }
    Ok(found)
}

fn of_run(snapshot: &Snapshot, placed: &visa_analysis::Diagnostic) -> Answer<Diagnostic> {
    Ok(Diagnostic {
        source: Some(RUN_SOURCE.to_owned()),
        data: None,
        ..of_finding(snapshot, placed, Level::Deny)?
    })
}
