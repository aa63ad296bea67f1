//! `fix`: what changes that were offered, or all safe ones, make of the sources: shown first, written when that is asked for.

use std::path::Path;
use std::sync::Arc;

use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::{tool, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use visa_analysis::{Analysis, Applicability, DiagnosticFix, Texts, Trust, apply_fixes, fix_all};

use super::offers::Offer;
use super::quotes::shortened_quotes;
use super::room::{Held, Room};
use super::server::Tools;
use super::shapes::{Checked, Counts, Finding, Part, Shower};
use crate::documents::diff::unified;
use crate::project::copied::Copied;
use crate::project::engine::{Answer, Failure};
use crate::project::workspace_settings::Settings;
use crate::project::writing::{Staged, put_in_place};

/// Lines of the difference that are shown where nothing is said.
const LINES: usize = 120;

/// What `fix` is asked for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// Ids of changes that `check` or `suggest` offered. Without any, all fixes of `path`.
    ids: Option<Vec<String>>,
    /// A file or folder whose fixes are applied until nothing changes; by default the whole workspace.
    path: Option<String>,
    /// Without ids: also fixes that are only likely to be meant.
    #[serde(default)]
    include_unsafe: bool,
    /// Write the files. By default nothing is written and the answer is a preview.
    #[serde(default)]
    apply: bool,
    /// The most lines of the difference in the answer; 120 by default.
    limit: Option<usize>,
    /// Lines of the difference to pass over.
    offset: Option<usize>,
}

/// What `fix` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    /// Whether the files were written.
    applied: bool,
    /// The files that change.
    files: Vec<String>,
    /// What changes, as a unified difference.
    diff: String,
    /// How many more lines the difference has.
    more: u64,
    /// What is found before, in the files that may be concerned.
    before: Counts,
    /// What is found after.
    after: Counts,
    /// Findings after the change that were not there before.
    new_findings: Vec<Finding>,
    /// What to call next.
    next: String,
}

/// New texts, with the files that may be concerned.
struct Made {
    old: Texts,
    new: Texts,
    concerned: Vec<String>,
    before: Checked,
}

#[tool_router(router = fix_router, vis = "pub(super)")]
impl Tools {
    /// Preview or apply changes that `check` and `suggest` offer, or all safe fixes of a path.
    #[tool(annotations(
        title = "Fix kernels",
        read_only_hint = false,
        destructive_hint = true,
        idempotent_hint = true,
        open_world_hint = false
    ))]
    async fn fix(&self, Parameters(input): Parameters<Input>) -> Result<Json<Output>, String> {
        let room = &self.room;
        let _alone = room.writing().await;
        let held = room.fresh_workspace().await?;
        let made = match input.ids {
            Some(ids) if input.path.is_some() => {
                return Err(format!(
                    "either `ids` or `path`: `{}` says which files it changes",
                    ids.join("`, `")
                ));
            }
            Some(ids) => offered_texts(&held, room, ids).await?,
            None => {
                all_fixed_texts(&held, room, input.path.as_deref(), input.include_unsafe).await?
            }
        };
        let part = Part::of(input.offset, input.limit, LINES);
        let mut output = judge_changes(&held, room, &made, part).await?;
        if made.new.is_empty() {
            return Ok(Json(output));
        }
        let worse = output.after.deny > output.before.deny
            || output.after.unresolved > output.before.unresolved;
        if input.apply && worse {
            "nothing was written: the change brings errors, or operations that cannot be followed; `what_if` tries another"
                .clone_into(&mut output.next);
        } else if input.apply {
            write(room, made).await?;
            output.applied = true;
            "`check` and `cost` say where the kernel is now".clone_into(&mut output.next);
        }
        Ok(Json(output))
    }
}

/// The texts that changes of these names make.
async fn offered_texts(held: &Held, room: &Arc<Room>, ids: Vec<String>) -> Result<Made, String> {
    if ids.is_empty() {
        return Err("`ids` is empty; leave it out for all safe fixes".to_owned());
    }
    let offers = ids.iter().map(|id| {
        let offer = room.offer_named(id);
        offer.ok_or_else(|| {
            format!(
                "no change `{id}` was offered in this session; `check` and `suggest` offer some"
            )
        })
    });
    let offers: Vec<Offer> = offers.collect::<Result<_, String>>()?;
    let settings = Arc::clone(&held.settings);
    room
        .ask_engine(move |analysis| {
            if let Some((id, _)) = ids.iter().zip(&offers).find(|(_, offer)| !offer.still_holds(analysis)) {
                return Err(Failure::Refused(format!(
                    "`{id}` was offered for another text of its files; call `check` or `suggest` again"
                )));
            }
            let fixes: Vec<DiagnosticFix> = offers
                .iter()
                .map(|offer| DiagnosticFix {
                    title: shortened_quotes(&offer.title),
                    applicability: Applicability::Maybe,
                    edits: offer.edits.clone(),
                    cost: None,
                })
                .collect();
            let files: Vec<String> = offers.iter().flat_map(Offer::files).map(str::to_owned).collect();
            let old = texts_of(analysis, &files)?;
            let application = apply_fixes(&old, &fixes);
            if let Some((_, id)) = ids.iter().enumerate().find(|(at, _)| !application.applied.contains(at)) {
                return Err(Failure::Refused(format!(
                    "`{id}` changes what another of these changes too; apply one, then call `check` again"
                )));
            }
            made_changes(analysis, &settings, old, application.texts)
        })
        .await
}

/// The texts that all trusted fixes of some files make.
async fn all_fixed_texts(
    held: &Held,
    room: &Arc<Room>,
    path: Option<&str>,
    include_unsafe: bool,
) -> Result<Made, String> {
    let at = path.map(|given| room.root.path_inside(given)).transpose()?;
    let mut own = held.reported(at.as_deref());
    // A link to a file elsewhere is none of the workspace's.
    own.retain(|path| room.root.ends_inside(Path::new(path)));
    if own.is_empty() {
        let shown = path.unwrap_or(".");
        return Err(format!(
            "nothing to fix in `{shown}`: there are no sources that are checked"
        ));
    }
    let settings = Arc::clone(&held.settings);
    let trust = if include_unsafe {
        Trust::Maybe
    } else {
        Trust::Machine
    };
    room.ask_engine(move |analysis| {
        let mut copy = Copied::of(analysis, Arc::clone(&settings), &own)?;
        let new = fix_all(&mut copy, trust).texts;
        copy.is_awaited()?;
        let changed: Vec<String> = new.keys().map(ToString::to_string).collect();
        let old = texts_of(analysis, &changed)?;
        made_changes(analysis, &settings, old, new)
    })
    .await
}

fn texts_of(analysis: &Analysis, files: &[String]) -> Answer<Texts> {
    let texts = files
        .iter()
        .map(|file| Ok((Arc::from(file.as_str()), analysis.text(file)?)));
    texts.collect()
}

fn made_changes(analysis: &Analysis, settings: &Settings, old: Texts, new: Texts) -> Answer<Made> {
    let changed: Vec<String> = new.keys().map(ToString::to_string).collect();
    let mut concerned = analysis.related_files(&changed);
    concerned.retain(|path| settings.reported.contains(path.as_str()) || changed.contains(path));
    let before = Checked::of(analysis.file_reports(&concerned), settings)?;
    Ok(Made {
        old,
        new,
        concerned,
        before,
    })
}

/// What is found with the new texts, in a copy.
async fn judge_changes(
    held: &Held,
    room: &Arc<Room>,
    made: &Made,
    part: Part,
) -> Result<Output, String> {
    let mut diff = String::new();
    for (path, new) in &made.new {
        let old = made.old.get(path).map_or("", |text| text);
        diff.push_str(&unified(&room.root.shown_path(path), old, new));
    }
    let lines: Vec<&str> = diff.split_inclusive('\n').collect();
    let (lines, more) = part.take_part(lines);
    let files: Vec<String> = made
        .new
        .keys()
        .map(|path| room.root.shown_path(path))
        .collect();
    let before = made.before.level_counts();
    let mut output = Output {
        applied: false,
        files,
        diff: lines.concat(),
        more,
        before,
        after: before,
        new_findings: Vec::new(),
        next: "nothing to change".to_owned(),
    };
    if made.new.is_empty() {
        return Ok(output);
    }
    let (asked, settings) = (Arc::clone(room), Arc::clone(&held.settings));
    let texts = made.new.iter();
    let texts: Vec<(String, String)> = texts
        .map(|(path, text)| (path.to_string(), text.to_string()))
        .collect();
    let concerned = made.concerned.clone();
    let known = made.before.outlook();
    let answer = room.ask_engine(move |analysis| {
        let copy = Copied::with_texts(analysis, Arc::clone(&settings), texts)?;
        let after = Checked::of(copy.file_reports(&concerned)?, &settings)?;
        let counts = after.level_counts();
        let tried = copy.analysis();
        let mut shower = Shower::new(&asked, &tried);
        Ok((counts, shower.findings(&after.without(&known), false)))
    });
    (output.after, output.new_findings) = answer.await?;
    "a preview: the same call with `apply` true writes it".clone_into(&mut output.next);
    Ok(output)
}

/// Writes the new texts: all of the files, or none.
async fn write(room: &Arc<Room>, made: Made) -> Result<(), String> {
    let room = Arc::clone(room);
    let written = tokio::task::spawn_blocking(move || {
        let mut staged = Vec::new();
        for (path, new) in &made.new {
            let shown = room.root.shown_path(path);
            let at = Path::new(&**path);
            if !room.root.is_named_inside(at) || !room.root.ends_inside(at) {
                return Err(format!(
                    "`{shown}` is outside of the workspace, and is not written"
                ));
            }
            let old = made.old.get(path).map_or("", |text| text);
            let one = Staged::new(&shown, path, old, new);
            staged.push(one.map_err(|failure| failure.messages.join("\n"))?);
        }
        put_in_place(staged).map_err(|failure| failure.messages.join("\n"))
    });
    written
        .await
        .map_err(|_| "a defect of visa-lint: the files could not be written".to_owned())?
}
