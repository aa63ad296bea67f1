//! `check`: findings of the workspace, a folder, a file, or a text that is nowhere on disk.

use std::path::PathBuf;
use std::sync::Arc;

use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::{tool, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use visa_analysis::Analysis;

use super::room::{Held, Room, TEXT_BYTES};
use super::server::Tools;
use super::shapes::{Checked, Counts, Finding, LIMIT, Part, Shower, Unresolved};
use crate::project::copied::Copied;
use crate::project::engine::Answer;
use crate::project::paths::slashes;
use crate::project::regular::{SOURCE_BYTES, read_text};
use crate::project::settings::Dialect;
use crate::project::workspace_settings::Settings;

/// The name of a text that has none.
const UNNAMED: &str = "unnamed-text.rs";

/// What `check` is asked for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// A file or folder of the workspace; by default all of it. With `text`, the file that the text is to be taken for.
    path: Option<String>,
    /// A source to check in the place of what is on disk. Nothing is written.
    text: Option<String>,
    /// The library and release that the text is written for, as `opt-std@0.8` or `visa-std`; by default that of the crate around
    /// `path`.
    dialect: Option<Dialect>,
    /// The most findings of the answer; 10 by default.
    limit: Option<usize>,
    /// Findings to pass over, to go on where the last answer ended.
    offset: Option<usize>,
}

/// What `check` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    /// Files that were checked.
    files: u64,
    /// Kernels in them.
    kernels: u64,
    /// Findings by level, and operations that no rule has looked at.
    counts: Counts,
    /// Operations that were followed.
    resolved: u64,
    /// Findings, those of one cause joined, the gravest first.
    findings: Vec<Finding>,
    /// How many more findings there are.
    more: u64,
    /// Operations that no rule has looked at; the first few.
    unresolved: Vec<Unresolved>,
    /// Crates and the library that each is read for.
    dialects: Vec<String>,
    /// Files that could not be read or parsed, and settings that could not be used.
    problems: Vec<String>,
    /// What to call next.
    next: String,
}

#[tool_router(router = check_router, vis = "pub(super)")]
impl Tools {
    /// Check kernels: the findings by cause, gravest first, with changes that mend them.
    #[tool(annotations(
        title = "Check kernels",
        read_only_hint = true,
        open_world_hint = false
    ))]
    async fn check(&self, Parameters(input): Parameters<Input>) -> Result<Json<Output>, String> {
        let part = Part::of(input.offset, input.limit, LIMIT);
        match input.text {
            Some(text) => {
                let path = self
                    .room
                    .root
                    .source_path(input.path.as_deref().unwrap_or(UNNAMED))?;
                of_text(&self.room, path, text, input.dialect, part).await
            }
            None if input.dialect.is_some() => Err(
                "`dialect` goes with `text`; for files the manifest or `visa-lint.toml` decides"
                    .to_owned(),
            ),
            None => of_files(&self.room, input.path.as_deref(), part).await,
        }
        .map(Json)
    }
}

async fn of_files(room: &Arc<Room>, path: Option<&str>, part: Part) -> Result<Output, String> {
    let path = path.map(|given| room.root.path_inside(given)).transpose()?;
    let held = room.fresh_workspace().await?;
    if let Some(path) = path.as_ref().filter(|path| !path.is_dir()) {
        let path = room.root.source_path(&slashes(path))?;
        if !held.knows(&slashes(&path)) {
            drop(held);
            let read = path.clone();
            let text = tokio::task::spawn_blocking(move || read_text(&read, SOURCE_BYTES)).await;
            let shown = room.root.shown_path(&slashes(&path));
            let text = text
                .map_err(|_| "a defect of visa-lint: the file could not be read".to_owned())?
                .map_err(|why| format!("cannot read `{shown}`: {why}"))?;
            // What a search leaves out is checked where it is named.
            return of_text(room, path, text, None, part).await;
        }
    }
    let paths = held.reported(path.as_deref());
    if paths.is_empty() {
        return Err(nothing(room, path.as_deref(), &held));
    }
    let (asked, settings) = (Arc::clone(room), Arc::clone(&held.settings));
    let found =
        room.ask_engine(move |analysis| check_answer(&asked, analysis, &settings, &paths, part));
    let mut output = found.await?;
    output.problems.splice(0..0, held.problems.iter().cloned());
    Ok(output)
}

/// Why there is nothing to check.
fn nothing(room: &Room, path: Option<&std::path::Path>, held: &Held) -> String {
    let shown = path.map_or_else(
        || ".".to_owned(),
        |path| room.root.shown_path(&slashes(path)),
    );
    let why = match path {
        Some(path) if !path.exists() => "there is no such file or folder",
        Some(path) if path.is_file() => "the settings leave it out of the check",
        _ => "there are no files with kernels, or the settings leave them out",
    };
    let problems: Vec<&str> = held.problems.iter().map(String::as_str).collect();
    let mut words = format!("nothing to check in `{shown}`: {why}");
    for problem in problems {
        words.push_str(&format!("\n{problem}"));
    }
    words
}

async fn of_text(
    room: &Arc<Room>,
    path: PathBuf,
    text: String,
    dialect: Option<Dialect>,
    part: Part,
) -> Result<Output, String> {
    if text.len() > TEXT_BYTES {
        let bytes = text.len();
        return Err(format!(
            "the text has {bytes} bytes; the most that is checked is {TEXT_BYTES}"
        ));
    }
    let path = slashes(&path);
    let held = room.fresh_workspace().await?;
    let (asked, settings) = (Arc::clone(room), Arc::clone(&held.settings));
    let answer = room.ask_engine(move |analysis| {
        let texts = [(path.clone(), text)];
        let mut copy = Copied::with_texts(analysis, Arc::clone(&settings), texts)?;
        if let Some(dialect) = dialect {
            copy.read_as(&path, dialect);
        }
        check_answer(&asked, &copy.analysis(), &settings, &[path], part)
    });
    let mut output = answer.await?;
    output.problems.splice(0..0, held.problems.iter().cloned());
    Ok(output)
}

fn check_answer(
    room: &Room,
    analysis: &Analysis,
    settings: &Settings,
    paths: &[String],
    part: Part,
) -> Answer<Output> {
    let reports = analysis.completed_file_reports_with(paths, &|_| {});
    let checked = Checked::of(reports, settings)?;
    let mut shower = Shower::new(room, analysis);
    let (findings, more) = part.take_part(shower.findings(&checked.open, true));
    let report = &checked.report;
    let counts = checked.level_counts();
    let mut unresolved = shower.unresolved(report);
    unresolved.truncate(LIMIT);
    let problems = report.problems.iter().map(|(path, problem)| {
        let path = room.root.shown_path(path);
        format!("`{path}`: {problem}")
    });
    let broken = report.with_syntax_errors.iter().map(|path| {
        let path = room.root.shown_path(path);
        format!("`{path}` does not parse as Rust: only what parses is checked")
    });
    let dialects = report.libraries.keys().map(|known| {
        let name = match &known.krate.package {
            Some(package) => package.to_string(),
            None => room.root.shown_path(&known.krate.root),
        };
        let library = &known.library;
        let release = library.release.as_deref().unwrap_or_default();
        let because = room.root.without_place(&library.because);
        let words = format!(
            "{name}: {} {release} ({because})",
            library.dialect.library.name()
        );
        words.replace("  ", " ")
    });
    Ok(Output {
        files: report.files,
        kernels: report.kernels,
        resolved: report.operations.resolved,
        next: next(&findings, counts, more),
        counts,
        findings,
        more,
        unresolved,
        dialects: dialects.collect(),
        problems: problems.chain(broken).collect(),
    })
}

/// What to call after a check.
fn next(findings: &[Finding], counts: Counts, more: u64) -> String {
    let mut words = match findings.first() {
        Some(first) => match findings.iter().flat_map(|one| &one.fixes).next() {
            Some(fix) => format!(
                "`fix` with ids [\"{}\"] shows what that change does, with `apply` it writes it",
                fix.id
            ),
            None => format!(
                "`explain` `{}` shows a right kernel; `what_if` tries your edit",
                first.rule
            ),
        },
        None if counts.unresolved > 0 => {
            "nothing is known of the unresolved operations: they may be wrong".to_owned()
        }
        None => "no findings: `cost` predicts the cycles, `suggest` searches for fewer".to_owned(),
    };
    if more > 0 {
        words.push_str(&format!(
            "; {more} more findings: raise `limit` or `offset`"
        ));
    }
    words
}
