//! The fixes of a finding as they travel: their titles in the `data` of its diagnostic, and from there into code actions.
//!
//! What a fix writes is worked out when it is chosen; for a client that cannot ask for that, when its menu is opened.

use serde::{Deserialize, Serialize};
use tower_lsp::ls_types::{CodeAction, CodeActionKind, Diagnostic};
use visa_analysis::{Applicability, ByteRange, Completing, DiagnosticFix, Trust};

use super::edits::{DocumentEdits, of_files, workspace_edit};
use super::reports::checked_report;
use crate::documents::edit_places::elsewhere_text;
use crate::project::engine::{Answer, Failure};
use crate::state::{Snapshot, View};

/// What a diagnostic carries for the code actions about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Carried {
    /// The version of the document that the diagnostic is about; none where it is not open.
    pub(crate) version: Option<i32>,
    /// The first byte of the finding.
    pub(crate) start: u32,
    /// Code actions that mend it.
    pub(crate) fixes: Vec<Fix>,
}

/// A code action that mends a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Fix {
    /// What it does, as a menu entry.
    pub(crate) title: String,
    /// Where it edits, where that is not where the finding is: the end of the entry.
    #[serde(default)]
    pub(crate) place: String,
    /// Whether it is the one to take without looking.
    pub(crate) preferred: bool,
    /// Whether it may cost cycles, as one that is not sure may: its price is worked out when the menu is opened.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) has_price: bool,
}

/// A fix in a menu.
pub(crate) struct Offered {
    /// The code action.
    pub(crate) action: CodeAction,
    /// Whether it makes the kernel slower: then it comes last.
    pub(crate) makes_slower: bool,
}

/// A fix that is chosen from a menu.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Chosen {
    /// The document.
    pub(crate) path: String,
    /// The version that the menu is about.
    pub(crate) version: Option<i32>,
    /// The rule of the finding.
    pub(crate) rule: String,
    /// The first byte of the finding.
    pub(crate) start: u32,
    /// What the fix does.
    pub(crate) title: String,
}

impl Carried {
    /// What the diagnostic of a finding carries.
    pub(crate) fn of(snapshot: &Snapshot, finding: &visa_analysis::Diagnostic) -> Self {
        let sure = |fix: &DiagnosticFix| fix.applicability == Applicability::Machine;
        let only = finding.fixes.iter().filter(|fix| sure(fix)).count() == 1;
        let line_of = |path: &str, byte| {
            let file = snapshot.file(path);
            file.map_or(1, |file| file.position(byte).line + 1)
        };
        // The sure ones first, as the command line takes them.
        let fixes = Trust::Maybe.trusted_fixes(finding).map(|fix| Fix {
            title: fix.title.clone(),
            place: elsewhere_text(&finding.file, finding.range, &fix.edits, line_of),
            preferred: only && sure(fix),
            has_price: !sure(fix),
        });
        Self {
            version: snapshot.version(&finding.file),
            start: finding.range.start.byte,
            fixes: fixes.collect(),
        }
    }

    /// What a diagnostic that the client sends back carries, if that is about the texts that it has now.
    pub(crate) fn back(view: &View, path: &str, diagnostic: &Diagnostic) -> Option<Self> {
        let data = diagnostic.data.clone()?;
        let carried: Self = serde_json::from_value(data).ok()?;
        let version = view.documents.get(path).map(|document| document.version);
        // A file that is not open has no version: what was said of it may be old.
        (carried.version == version && carried.version.is_some()).then_some(carried)
    }
}

impl Fix {
    /// The code action: without an edit where the client asks for that later. `None` for what leads nowhere.
    pub(crate) fn code_action(
        self,
        snapshot: &Snapshot,
        (path, rule, carried): (&str, &str, &Carried),
        diagnostic: &Diagnostic,
    ) -> Answer<Option<Offered>> {
        let chosen = Chosen {
            path: path.to_owned(),
            version: carried.version,
            rule: rule.to_owned(),
            start: carried.start,
            title: self.title.clone(),
        };
        let mut action = CodeAction {
            title: self.title + &self.place,
            kind: Some(CodeActionKind::QUICKFIX),
            diagnostics: Some(vec![diagnostic.clone()]),
            is_preferred: self.preferred.then_some(true),
            ..CodeAction::default()
        };
        let lazily = snapshot.view.client.code_action_resolve;
        if lazily && !self.has_price {
            action.data = serde_json::to_value(chosen).ok();
            return Ok(Some(Offered {
                action,
                makes_slower: false,
            }));
        }
        let Some(fix) = chosen.completed(snapshot)? else {
            return Ok(None);
        };
        action.title.push_str(&fix.price());
        if lazily {
            action.data = serde_json::to_value(chosen).ok();
        } else {
            let documents = of_files(snapshot, &fix.edits)?;
            action.edit = Some(workspace_edit(&snapshot.view, documents));
        }
        Ok(Some(Offered {
            action,
            makes_slower: fix.makes_slower(),
        }))
    }
}

impl Chosen {
    /// What the fix writes, with what it needs behind it; `None` where that leads to no kernel that is right.
    pub(crate) fn documents(&self, snapshot: &Snapshot) -> Answer<Option<Vec<DocumentEdits>>> {
        let fix = self.completed(snapshot)?;
        fix.map(|fix| of_files(snapshot, &fix.edits)).transpose()
    }

    /// The fix with what it needs behind it, and its price; `None` where that leads to no kernel that is right.
    fn completed(&self, snapshot: &Snapshot) -> Answer<Option<DiagnosticFix>> {
        let report = checked_report(snapshot, &self.path)?;
        let mut findings = report.diagnostics.iter();
        let proposed = findings.find_map(|finding| {
            let here = finding.rule == self.rule && finding.range.start.byte == self.start;
            let mut fixes = finding.fixes.iter().filter(|_| here);
            Some((finding, fixes.find(|fix| fix.title == self.title)?))
        });
        let proposed = proposed.ok_or(Failure::Outdated)?;
        let completed = snapshot
            .analysis
            .completed_fixes(&[proposed], Completing::Alone)?;
        Ok(completed.into_iter().next().map(|completed| completed.fix))
    }
}

/// Whether two stretches share a byte or touch, as a caret counts.
pub(crate) fn ranges_touch(one: ByteRange, other: ByteRange) -> bool {
    one.start <= other.end && other.start <= one.end
}
