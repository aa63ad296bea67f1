//! `what_if`: what edits of the caller's own would bring: findings and cycles, before and after. Nothing is written.

use std::collections::BTreeMap;
use std::sync::Arc;

use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::{tool, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use visa_analysis::{Analysis, KernelCost};

use super::cost::{costs_of, text_of};
use super::quotes::shortened_quotes;
use super::room::{Held, Room, TEXT_BYTES};
use super::server::Tools;
use super::shapes::{Checked, Counts, Finding, LIMIT, Part, Shower};
use crate::project::copied::Copied;
use crate::project::paths::slashes;
use crate::project::workspace_settings::Settings;

/// The most edits of a call.
const EDITS: usize = 100;

/// What `what_if` is asked for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// The edits, applied in their order.
    edits: Vec<OwnEdit>,
    /// The most findings of the answer; 10 by default.
    limit: Option<usize>,
    /// Findings to pass over.
    offset: Option<usize>,
}

/// An edit: either `old` and `new`, or `text`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OwnEdit {
    /// The file; one that is not there is taken for empty.
    path: String,
    /// What is replaced; it occurs once in the file.
    old: Option<String>,
    /// What takes its place.
    new: Option<String>,
    /// The whole new text of the file.
    text: Option<String>,
}

/// What `what_if` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Output {
    /// Findings before, in the files that may be concerned.
    before: Counts,
    /// Findings after.
    after: Counts,
    /// Findings that the edits bring, by cause.
    new_findings: Vec<Finding>,
    /// How many more new findings there are.
    more: u64,
    /// Findings that the edits mend, as `file: rule: message`; the first few.
    gone: Vec<String>,
    /// Kernels in the files that may be concerned whose cycles change or are not known.
    kernels: Vec<Kernel>,
    /// Files that do not parse with the edits: only what parses is checked.
    broken: Vec<String>,
    /// What to call next.
    next: String,
}

/// A kernel before and after.
#[derive(Debug, Serialize, JsonSchema)]
struct Kernel {
    /// Its name.
    kernel: String,
    /// Its file.
    file: String,
    /// Cycles before; null where they are not known or it was not there.
    before: Option<u64>,
    /// Cycles after.
    after: Option<u64>,
    /// Cycles more; negative where it is faster.
    difference: Option<i64>,
}

#[tool_router(router = what_if_router, vis = "pub(super)")]
impl Tools {
    /// Try edits without writing them: which findings they bring and mend, and how the cycles of kernels change.
    #[tool(annotations(title = "Try edits", read_only_hint = true, open_world_hint = false))]
    async fn what_if(&self, Parameters(input): Parameters<Input>) -> Result<Json<Output>, String> {
        let room = &self.room;
        if input.edits.is_empty() || input.edits.len() > EDITS {
            return Err(format!("`edits` has 1 to {EDITS} entries"));
        }
        let held = room.fresh_workspace().await?;
        let texts = edited_texts(room, &held, &input.edits).await?;
        let part = Part::of(input.offset, input.limit, LIMIT);
        let (asked, settings) = (Arc::clone(room), Arc::clone(&held.settings));
        let output = room.ask_engine(move |analysis| {
            let changed: Vec<String> = texts.keys().cloned().collect();
            let mut files = concerned_files(analysis, &settings, &changed);
            // A file that is new is not known before.
            let known = files
                .iter()
                .filter(|path| settings.loaded.contains(path.as_str()));
            let known: Vec<String> = known.cloned().collect();
            let before = Checked::of(analysis.file_reports(&known), &settings)?;
            let costs = costs_of(analysis, &known)?;
            let copy = Copied::with_texts(analysis, Arc::clone(&settings), texts)?;
            let tried = copy.analysis();
            files.extend(concerned_files(&tried, &settings, &changed));
            files.sort();
            files.dedup();
            let after = Checked::of(copy.file_reports(&files)?, &settings)?;
            let costs = (costs, costs_of(&tried, &files)?);
            Ok(compared_answer(
                &asked,
                &tried,
                (before, after),
                costs,
                part,
            ))
        });
        output.await.map(Json)
    }
}

/// The files that are checked and may depend on some, with these.
fn concerned_files(analysis: &Analysis, settings: &Settings, changed: &[String]) -> Vec<String> {
    let mut files = analysis.related_files(changed);
    files.retain(|path| settings.reported.contains(path.as_str()));
    files.extend(changed.iter().cloned());
    files.sort();
    files.dedup();
    files
}

/// The new texts, by the engine's path.
async fn edited_texts(
    room: &Arc<Room>,
    held: &Held,
    edits: &[OwnEdit],
) -> Result<BTreeMap<String, String>, String> {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for edit in edits {
        let path = room.root.source_path(&edit.path)?;
        let engine_path = slashes(&path);
        let text = match (&edit.old, &edit.new, &edit.text) {
            (None, None, Some(text)) => text.clone(),
            (Some(old), Some(new), None) => {
                let text = match texts.get(&engine_path) {
                    Some(text) => text.clone(),
                    None => text_of(room, held, &edit.path).await?.1,
                };
                replaced_once(&text, old, new).map_err(|why| format!("`{}`: {why}", edit.path))?
            }
            _ => {
                return Err(format!(
                    "an edit of `{}` has either `old` and `new`, or `text`",
                    edit.path
                ));
            }
        };
        if text.len() > TEXT_BYTES {
            return Err(format!(
                "`{}` would have {} bytes; the most that is checked is {TEXT_BYTES}",
                edit.path,
                text.len()
            ));
        }
        texts.insert(engine_path, text);
    }
    Ok(texts)
}

/// The text with the one place of `old` replaced.
fn replaced_once(text: &str, old: &str, new: &str) -> Result<String, String> {
    if old.is_empty() {
        return Err("`old` is empty; `text` gives the whole file".to_owned());
    }
    match text.matches(old).count() {
        1 => Ok(text.replacen(old, new, 1)),
        0 => Err("`old` does not occur in the file".to_owned()),
        count => Err(format!(
            "`old` occurs {count} times in the file; give more of the text around the place"
        )),
    }
}

fn compared_answer(
    room: &Room,
    analysis: &Analysis,
    (before, after): (Checked, Checked),
    (old, new): (Vec<KernelCost>, Vec<KernelCost>),
    part: Part,
) -> Output {
    let counts = (before.level_counts(), after.level_counts());
    let (known, known_after) = (before.outlook(), after.outlook());
    let broken = after.report.with_syntax_errors.iter();
    let broken: Vec<String> = broken.map(|path| room.root.shown_path(path)).collect();
    let gone = before.without(&known_after);
    let gone = gone.iter().take(LIMIT).map(|(_, one)| {
        let file = room.root.shown_path(&one.file);
        format!("{file}: {}: {}", one.rule, shortened_quotes(&one.message))
    });
    let gone: Vec<String> = gone.collect();
    let mut shower = Shower::new(room, analysis);
    let (new_findings, more) = part.take_part(shower.findings(&after.without(&known), false));
    let kernels = changed_kernels(room, &old, &new);
    let next = if counts.1.deny > counts.0.deny || !broken.is_empty() {
        "the edits bring errors: look at `new_findings`, and try others"
    } else if counts.1.unresolved > counts.0.unresolved {
        "the edits hide operations from the check: nothing is known of those that are unresolved"
    } else {
        "nothing was written: make the edits in the files, then `check`"
    };
    Output {
        before: counts.0,
        after: counts.1,
        new_findings,
        more,
        gone,
        kernels,
        broken,
        next: next.to_owned(),
    }
}

/// The kernels that change, or whose cycles are not known.
fn changed_kernels(room: &Room, old: &[KernelCost], new: &[KernelCost]) -> Vec<Kernel> {
    let key = |cost: &KernelCost| (cost.file.to_string(), cost.name.clone());
    let mut both: BTreeMap<(String, String), [Option<&KernelCost>; 2]> = BTreeMap::new();
    for cost in old {
        both.entry(key(cost)).or_default()[0] = Some(cost);
    }
    for cost in new {
        both.entry(key(cost)).or_default()[1] = Some(cost);
    }
    let signed = |cycles: u64| i64::try_from(cycles).unwrap_or(i64::MAX);
    let rows = both.into_iter().map(|((file, kernel), sides)| {
        let [before, after] = sides.map(|side| side.and_then(|cost| cost.total));
        let both = before.zip(after);
        Kernel {
            kernel,
            file: room.root.shown_path(&file),
            before,
            after,
            difference: both.map(|(before, after)| signed(after).saturating_sub(signed(before))),
        }
    });
    rows.filter(|row| row.difference != Some(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::replaced_once;

    #[test]
    fn a_place_is_named_by_what_occurs_once() {
        assert_eq!(replaced_once("a b a", "b", "c").as_deref(), Ok("a c a"));
        for old in ["", "a", "d"] {
            assert!(replaced_once("a b a", old, "c").is_err(), "{old}");
        }
        assert_eq!(replaced_once("점 b", "점", "곱").as_deref(), Ok("곱 b"));
    }
}
