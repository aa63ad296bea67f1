//! What several tools answer with: findings by cause, changes under their names, places.

use std::collections::HashMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use visa_analysis::{
    Analysis, Applicability, Diagnostic, DiagnosticFix, FileEdit, FileReport, Level, LineIndex,
    Outlook, Problem, Report, visible,
};

use super::quotes::shortened_quotes;
use super::room::Room;
use crate::project::engine::{Answer, Failure};
use crate::project::workspace_settings::Settings;

/// Places of one finding that are named.
const PLACES: usize = 5;

/// Edits of one change that are shown; the preview of `fix` shows all.
const EDITS: usize = 6;

/// Characters of a text before and after an edit that are shown.
const CHARACTERS: usize = 240;

/// Entries of an answer where nothing is said.
pub(super) const LIMIT: usize = 10;

/// The most entries of an answer.
const MOST: usize = 200;

/// How many entries an answer has, and behind how many it begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    offset: usize,
    limit: usize,
}

impl Part {
    pub(super) fn of(offset: Option<usize>, limit: Option<usize>, default: usize) -> Self {
        Self {
            offset: offset.unwrap_or(0),
            limit: limit.unwrap_or(default).clamp(1, MOST),
        }
    }

    /// The entries of this part, and how many are behind it.
    pub(super) fn take_part<T>(self, all: Vec<T>) -> (Vec<T>, u64) {
        let more = all
            .len()
            .saturating_sub(self.offset.saturating_add(self.limit));
        let part = all.into_iter().skip(self.offset).take(self.limit).collect();
        (part, more as u64)
    }
}

/// Findings of one cause.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct Finding {
    /// The rule; `explain` has its page.
    pub(super) rule: &'static str,
    /// `deny` (the kernel is wrong) or `warn`.
    pub(super) level: &'static str,
    /// What is wrong, with the numbers that are compared.
    pub(super) message: String,
    /// Further facts.
    pub(super) notes: Vec<String>,
    /// What to do.
    pub(super) help: Option<String>,
    /// How often it occurs.
    pub(super) count: u64,
    /// Where, as `file:line:column`; the first few.
    pub(super) places: Vec<String>,
    /// What else it is about, as `file:line:column: words`.
    pub(super) related: Vec<String>,
    /// Changes that mend it; `fix` applies one by its id.
    pub(super) fixes: Vec<Change>,
}

/// A change of sources.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct Change {
    /// What `fix` applies it by.
    pub(super) id: String,
    /// What it does.
    pub(super) title: String,
    /// Whether it means what the author meant for sure.
    pub(super) safe: bool,
    /// Its replacements; the first few.
    pub(super) edits: Vec<Edit>,
    /// How many replacements are not shown.
    pub(super) more_edits: u64,
}

/// A replacement.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct Edit {
    /// Where, as `file:line:column`.
    pub(super) at: String,
    /// What is there; cut where it is long.
    pub(super) old: String,
    /// What takes its place; cut where it is long.
    pub(super) new: String,
}

/// An operation that no rule has looked at.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct Unresolved {
    /// Where, as `file:line:column`.
    pub(super) at: String,
    /// What is there.
    pub(super) what: String,
    /// Why it was not looked at.
    pub(super) reason: String,
}

/// How many findings there are at each level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Counts {
    /// Errors.
    pub(super) deny: u64,
    /// Warnings.
    pub(super) warn: u64,
    /// Operations that no rule has looked at: nothing is known of them.
    pub(super) unresolved: u64,
}

/// What a check says, with the engine's paths.
pub(super) struct Checked {
    pub(super) report: Report,
    /// The open findings, the gravest first.
    pub(super) open: Vec<(Level, Diagnostic)>,
}

impl Checked {
    /// Joins reports and applies the levels that the settings give.
    pub(super) fn of(reports: Vec<FileReport>, settings: &Settings) -> Answer<Self> {
        let mut report = Report::of_files(reports);
        for (_, problem) in &report.problems {
            match problem {
                Problem::Cancelled => return Err(Failure::Overtaken),
                Problem::Internal(what) => return Err(Failure::Defect(what.clone())),
                Problem::NoSuchFile | Problem::NotAnalysed(_) => {}
            }
        }
        let open = std::mem::take(&mut report.diagnostics);
        let mut open: Vec<(Level, Diagnostic)> = open
            .into_iter()
            .filter(|found| !found.suppressed)
            .map(|found| {
                (
                    settings.table.settings_of(&found.file).level_of(&found),
                    found,
                )
            })
            .filter(|(level, _)| *level != Level::Allow)
            .collect();
        open.sort_by_key(|(level, _)| *level != Level::Deny);
        Ok(Self { report, open })
    }

    pub(super) fn level_counts(&self) -> Counts {
        let at = |wanted| {
            self.open
                .iter()
                .filter(|(level, _)| *level == wanted)
                .count() as u64
        };
        Counts {
            deny: at(Level::Deny),
            warn: at(Level::Warn),
            unresolved: self.report.operations.unresolved,
        }
    }
}

impl Checked {
    /// The open findings, to compare others with.
    pub(super) fn outlook(&self) -> Outlook {
        let mut outlook = Outlook::default();
        for (level, one) in &self.open {
            outlook.count(one, *level);
        }
        outlook
    }

    /// The findings that are not among those that are known.
    pub(super) fn without(self, known: &Outlook) -> Vec<(Level, Diagnostic)> {
        known.without_known(self.open, |(_, one)| one)
    }
}

/// Lines and columns, each file indexed when it is first asked for.
pub(super) struct Shower<'a> {
    room: &'a Room,
    analysis: &'a Analysis,
    texts: HashMap<Arc<str>, (Arc<str>, LineIndex)>,
}

impl<'a> Shower<'a> {
    pub(super) fn new(room: &'a Room, analysis: &'a Analysis) -> Self {
        Self {
            room,
            analysis,
            texts: HashMap::new(),
        }
    }

    /// `file:line:column` of the start of a range.
    pub(super) fn place(&self, file: &str, range: visa_analysis::Range) -> String {
        let start = range.start;
        format!(
            "{}:{}:{}",
            visible(&self.room.root.shown_path(file)),
            start.line,
            start.column
        )
    }

    /// Findings that say the same joined, in their order.
    pub(super) fn findings(
        &mut self,
        found: &[(Level, Diagnostic)],
        with_fixes: bool,
    ) -> Vec<Finding> {
        let mut causes: Vec<(&Level, &Diagnostic, Vec<&Diagnostic>)> = Vec::new();
        for (level, one) in found {
            let same = causes.iter_mut().find(|(known, other, _)| {
                *known == level
                    && other.rule == one.rule
                    && other.message == one.message
                    && other.help == one.help
            });
            match same {
                Some((.., places)) => places.push(one),
                None => causes.push((level, one, vec![one])),
            }
        }
        causes
            .into_iter()
            .map(|(level, first, places)| {
                let fixes = places
                    .iter()
                    .flat_map(|one| &one.fixes)
                    .filter(|_| with_fixes);
                let fixes: Vec<&DiagnosticFix> = fixes.take(2 * EDITS).collect();
                Finding {
                    rule: first.rule,
                    level: level.name(),
                    message: self.room.root.without_place(&first.message),
                    notes: first
                        .notes
                        .iter()
                        .map(|note| self.room.root.without_place(note))
                        .collect(),
                    help: first
                        .help
                        .as_ref()
                        .map(|help| self.room.root.without_place(help)),
                    count: places.len() as u64,
                    places: places
                        .iter()
                        .take(PLACES)
                        .map(|one| self.place(&one.file, one.range))
                        .collect(),
                    related: first
                        .related
                        .iter()
                        .take(PLACES)
                        .map(|other| {
                            let place = self.place(&other.file, other.range);
                            format!("{place}: {}", shortened_quotes(&other.message))
                        })
                        .collect(),
                    fixes: fixes
                        .into_iter()
                        .filter_map(|fix| {
                            let safe = fix.applicability == Applicability::Machine;
                            self.named_change(&fix.priced_title(), safe, &fix.edits)
                        })
                        .collect(),
                }
            })
            .collect()
    }

    /// A change under a name that `fix` knows; none for one that leads out of the workspace.
    pub(super) fn named_change(
        &mut self,
        title: &str,
        safe: bool,
        edits: &[FileEdit],
    ) -> Option<Change> {
        let id = self.room.keep_change(self.analysis, title, edits)?;
        Some(Change {
            id,
            title: shortened_quotes(title),
            safe,
            more_edits: edits.len().saturating_sub(EDITS) as u64,
            edits: edits
                .iter()
                .take(EDITS)
                .map(|edit| self.shown_edit(edit))
                .collect(),
        })
    }

    fn shown_edit(&mut self, edit: &FileEdit) -> Edit {
        let known = self.texts.entry(Arc::clone(&edit.file)).or_insert_with(|| {
            let text = self.analysis.text(&edit.file).unwrap_or_default();
            let index = LineIndex::new(&text);
            (text, index)
        });
        let place = known.1.line_column(edit.start_byte);
        let old = known
            .0
            .get(edit.start_byte as usize..edit.end_byte as usize);
        Edit {
            at: format!(
                "{}:{}:{}",
                self.room.root.shown_path(&edit.file),
                place.line,
                place.column
            ),
            old: cut_text(old.unwrap_or_default()),
            new: cut_text(&edit.text),
        }
    }

    /// Operations that were not looked at, each place once.
    pub(super) fn unresolved(&self, report: &Report) -> Vec<Unresolved> {
        let places = report.unresolved.iter().map(|(file, place)| Unresolved {
            at: self.place(file, place.range),
            what: shortened_quotes(&place.what),
            reason: shortened_quotes(&place.reason),
        });
        places.collect()
    }
}

/// The beginning of a text.
fn cut_text(text: &str) -> String {
    match text.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// The byte of a line and a column in characters, both from 1, in a text.
pub(super) fn offset_of(text: &str, line: u32, column: Option<u32>) -> Result<u32, String> {
    let index = LineIndex::new(text);
    let missing = || {
        let lines = text.lines().count();
        format!("there is no line {line}: the file has {lines}")
    };
    let (start, end) = index.line_range(line).ok_or_else(missing)?;
    let content = text.get(start as usize..end as usize).unwrap_or_default();
    let wanted = match column {
        Some(0) => return Err("columns start at 1".to_owned()),
        Some(column) => column as usize - 1,
        // The first thing of the line.
        None => content
            .chars()
            .take_while(|letter| letter.is_whitespace())
            .count(),
    };
    let within = content
        .char_indices()
        .nth(wanted)
        .map_or(content.len(), |(at, _)| at);
    Ok(start.saturating_add(u32::try_from(within).unwrap_or(u32::MAX)))
}
