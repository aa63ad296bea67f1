//! Quick fixes, fix-all, suppressions and refactorings.
//!
//! The order of a menu is that of what is most likely meant: what mends a finding (sure fixes before proposals; where it is about speed, a
//! change that was tried and saves cycles before both), what mends more of the file, changes of what is right, then what leaves the text
//! wrong and says so: allowing, and the page of the rule.

use serde::{Deserialize, Serialize};
use tower_lsp::ls_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, CodeActionResponse,
    Diagnostic, NumberOrString, Uri,
};
use visa_analysis::EditorQuestions as _;
use visa_analysis::{Assist, AssistKind, ByteRange, Group, Level, Trust, find_rule, thousands};

use super::diagnostics::{SOURCE, of_finding};
use super::edits::{of_files, workspace_edit};
use super::fix_all::fixed;
use super::fixes::{Carried, Chosen, ranges_touch};
use super::reports::checked_report;
use super::{explaining, settings_file};
use crate::project::engine::{Answer, Failure};
use crate::project::levels::TO_BE_LOOKED_AT;
use crate::state::Snapshot;

/// The code action that applies every safe fix of a file.
pub(crate) const FIX_ALL: CodeActionKind = CodeActionKind::new("source.fixAll.visa");

/// What a code action carries until it is chosen.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Unresolved {
    /// One fix.
    Fix(Chosen),
    /// The safe fixes of one rule in a document.
    OfRule {
        path: String,
        version: Option<i32>,
        rule: String,
    },
    /// All safe fixes of a document.
    All { path: String, version: Option<i32> },
}

/// A finding of the document, as the client sees it.
struct Shown {
    rule: String,
    diagnostic: Diagnostic,
    carried: Carried,
}

/// `textDocument/codeAction`
pub(crate) fn code_actions(
    snapshot: &Snapshot,
    params: &CodeActionParams,
) -> Answer<Option<CodeActionResponse>> {
    if !snapshot.view.client.code_action_literals {
        // Such a client knows commands only, and what is offered here are edits.
        return Ok(None);
    }
    let path = snapshot.path(&params.text_document.uri);
    let range = snapshot.file(&path)?.byte_range(params.range);
    let only = params.context.only.as_deref();
    let mut actions = Vec::new();
    let (mut left_wrong, mut slower) = (Vec::new(), Vec::new());
    let lazily = snapshot.view.client.code_action_resolve;
    let mut mends_all = None;
    let mut about = None;
    let mut offers_savings = false;
    if wants_kind(only, &CodeActionKind::QUICKFIX) {
        let found = shown_findings(snapshot, &path, range, &params.context.diagnostics)?;
        offers_savings = !found.is_empty();
        let (mended, mended_slower) = mending_actions(snapshot, (&path, range), &found)?;
        actions.extend(mended);
        slower = mended_slower;
        if lazily && !found.is_empty() {
            actions.extend(fix_rules(snapshot, &path, &found)?);
            // Editors hide source actions in the menu at a finding.
            mends_all = Some(CodeActionKind::QUICKFIX);
            // They put what is about no finding last.
            about = found.first().map(|shown| vec![shown.diagnostic.clone()]);
        }
        left_wrong = leaving_wrong(snapshot, (&path, &params.text_document.uri), &found)?;
    }
    // Asked for by name, or offered where the edit is worked out only when it is chosen.
    if mends_all.is_none() && (only.is_some() || lazily) && wants_kind(only, &FIX_ALL) {
        mends_all = Some(FIX_ALL);
    }
    if let Some(kind) = mends_all
        && is_fixable(snapshot, &path)?
    {
        let all = fix_all(snapshot, &path, (kind, lazily))?;
        actions.extend(all.map(|all| CodeAction {
            diagnostics: about,
            ..all
        }));
    }
    for assist in snapshot.analysis.assists(&path, range)? {
        if wants_kind(only, &kind_of(assist.kind)) {
            actions.push(refactoring_action(snapshot, assist)?);
        }
    }
    if !offers_savings && wants_kind(only, &CodeActionKind::REFACTOR_REWRITE) {
        actions.extend(proposed_actions(snapshot, &path, range)?);
    }
    actions.append(&mut left_wrong);
    actions.append(&mut slower);
    let actions = actions.into_iter().map(CodeActionOrCommand::CodeAction);
    Ok(Some(actions.collect()))
}

/// What mends findings: their fixes, and the changes of the place that save cycles, which come first at a finding about speed and
/// behind the fixes of others. Fixes that make their kernel slower are apart.
fn mending_actions(
    snapshot: &Snapshot,
    (path, range): (&str, ByteRange),
    found: &[Shown],
) -> Answer<(Vec<CodeAction>, Vec<CodeAction>)> {
    let slow = found.iter().position(|shown| {
        find_rule(&shown.rule).is_some_and(|rule| rule.group == Group::Performance)
    });
    let (mut actions, mut slower) = (Vec::new(), Vec::new());
    for (at, shown) in found.iter().enumerate() {
        if slow == Some(at) {
            actions.extend(saving_actions(snapshot, (path, range), shown)?);
        }
        for fix in shown.carried.fixes.clone() {
            let of = (path, shown.rule.as_str(), &shown.carried);
            match fix.code_action(snapshot, of, &shown.diagnostic)? {
                Some(offered) if offered.makes_slower => slower.push(offered.action),
                offered => actions.extend(offered.map(|offered| offered.action)),
            }
        }
    }
    if let Some(first) = found.first().filter(|_| slow.is_none()) {
        actions.extend(saving_actions(snapshot, (path, range), first)?);
    }
    Ok((actions, slower))
}

/// The changes of a place that save cycles, as quick fixes of a finding there.
fn saving_actions(
    snapshot: &Snapshot,
    (path, range): (&str, ByteRange),
    shown: &Shown,
) -> Answer<Vec<CodeAction>> {
    let proposed = proposed_actions(snapshot, path, range)?.into_iter();
    let of_finding = proposed.map(|action| CodeAction {
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![shown.diagnostic.clone()]),
        ..action
    });
    Ok(of_finding.collect())
}

/// What leaves a finding where it is: it is allowed at its place or in the settings file, or its rule is explained.
fn leaving_wrong(
    snapshot: &Snapshot,
    (path, uri): (&str, &Uri),
    found: &[Shown],
) -> Answer<Vec<CodeAction>> {
    let mut actions = Vec::new();
    for shown in found {
        actions.extend(allowing_action(snapshot, path, shown)?);
    }
    let mut rules: Vec<&Shown> = Vec::new();
    for shown in found {
        if !rules.iter().any(|known| known.rule == shown.rule) {
            rules.push(shown);
        }
    }
    for shown in &rules {
        let (rule, diagnostic) = (&shown.rule, &shown.diagnostic);
        actions.extend(settings_file::allow_rule_action(
            snapshot, path, rule, diagnostic,
        ));
    }
    let explained = rules
        .iter()
        .map(|shown| explaining::explain_action(uri, &shown.rule, &shown.diagnostic));
    actions.extend(explained);
    Ok(actions)
}

/// `codeAction/resolve`
pub(crate) fn resolve_action(snapshot: &Snapshot, action: &CodeAction) -> Answer<CodeAction> {
    let mut action = action.clone();
    let data = action.data.take();
    let unresolved = data.and_then(|data| serde_json::from_value::<Unresolved>(data).ok());
    let documents = match unresolved.filter(|_| action.edit.is_none()) {
        None => return Ok(action),
        Some(Unresolved::All { path, version }) => {
            is_current(snapshot, &path, version)?;
            fixed(snapshot, &path, None)?
        }
        Some(Unresolved::OfRule {
            path,
            version,
            rule,
        }) => {
            is_current(snapshot, &path, version)?;
            fixed(snapshot, &path, Some(&rule))?
        }
        Some(Unresolved::Fix(chosen)) => {
            is_current(snapshot, &chosen.path, chosen.version)?;
            let documents = chosen.documents(snapshot)?;
            documents.ok_or_else(|| Failure::Refused(LEADS_NOWHERE.to_owned()))?
        }
    };
    action.edit = Some(workspace_edit(&snapshot.view, documents));
    Ok(action)
}

/// Why a fix that was offered is not made.
const LEADS_NOWHERE: &str = "nothing is changed: after this fix something else would be refused";

/// Fails where a menu is about another text than the one that the document has now.
fn is_current(snapshot: &Snapshot, path: &str, version: Option<i32>) -> Answer<()> {
    if snapshot.version(path) == version {
        Ok(())
    } else {
        Err(Failure::Outdated)
    }
}

/// Whether a client asked for a kind of code action: for all, for this one, or for one that it is part of.
fn wants_kind(only: Option<&[CodeActionKind]>, kind: &CodeActionKind) -> bool {
    only.is_none_or(|only| {
        only.iter().any(|wanted| {
            let rest = kind.as_str().strip_prefix(wanted.as_str());
            rest.is_some_and(|rest| {
                rest.is_empty() || rest.starts_with('.') || wanted.as_str().is_empty()
            })
        })
    })
}

/// The findings that a menu is about: those that the client says, if it sends back what their diagnostics carry and the
/// texts are still the same; else those at the selection.
fn shown_findings(
    snapshot: &Snapshot,
    path: &str,
    range: ByteRange,
    named: &[Diagnostic],
) -> Answer<Vec<Shown>> {
    let ours = named
        .iter()
        .filter(|diagnostic| diagnostic.source.as_deref() == Some(SOURCE));
    let named: Option<Vec<Shown>> = ours
        .map(|diagnostic| {
            let Some(NumberOrString::String(rule)) = &diagnostic.code else {
                return None;
            };
            Some(Shown {
                rule: rule.clone(),
                diagnostic: diagnostic.clone(),
                carried: Carried::back(&snapshot.view, path, diagnostic)?,
            })
        })
        .collect();
    match named {
        Some(named) if !named.is_empty() => Ok(named),
        _ => at_selection(snapshot, path, range),
    }
}

fn at_selection(snapshot: &Snapshot, path: &str, range: ByteRange) -> Answer<Vec<Shown>> {
    let settings = &snapshot.view.settings;
    if !settings.client.diagnostics || !settings.reports(path) {
        return Ok(Vec::new());
    }
    let report = checked_report(snapshot, path)?;
    let settings = settings.table.settings_of(path);
    let mut findings = Vec::new();
    for finding in &report.diagnostics {
        let bytes = ByteRange {
            start: finding.range.start.byte,
            end: finding.range.end.byte,
        };
        // A fault is mended from each of its places.
        let elsewhere = finding.related.iter().any(|place| {
            let bytes = ByteRange {
                start: place.range.start.byte,
                end: place.range.end.byte,
            };
            place.fault.is_some() && place.file == finding.file && ranges_touch(bytes, range)
        });
        let level = settings.level_of(finding);
        if (ranges_touch(bytes, range) || elsewhere) && !finding.suppressed && level != Level::Allow
        {
            findings.push(Shown {
                rule: finding.rule.to_owned(),
                diagnostic: of_finding(snapshot, finding, level)?,
                carried: Carried::of(snapshot, finding),
            });
        }
    }
    Ok(findings)
}

/// The comment that allows a finding where it is, with a reason to fill in.
fn allowing_action(snapshot: &Snapshot, path: &str, shown: &Shown) -> Answer<Option<CodeAction>> {
    let finding = (shown.carried.start, shown.rule.as_str());
    let fixes = snapshot
        .analysis
        .allowing(path, &[finding], TO_BE_LOOKED_AT);
    let Some(fix) = fixes.into_iter().next() else {
        return Ok(None);
    };
    let documents = of_files(snapshot, &fix.edits)?;
    Ok(Some(CodeAction {
        title: format!("Allow `{}` here, with a reason", shown.rule),
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![shown.diagnostic.clone()]),
        edit: Some(workspace_edit(&snapshot.view, documents)),
        ..CodeAction::default()
    }))
}

const fn kind_of(kind: AssistKind) -> CodeActionKind {
    match kind {
        AssistKind::Extract => CodeActionKind::REFACTOR_EXTRACT,
        AssistKind::Inline => CodeActionKind::REFACTOR_INLINE,
        AssistKind::Rewrite => CodeActionKind::REFACTOR_REWRITE,
    }
}

fn refactoring_action(snapshot: &Snapshot, assist: Assist) -> Answer<CodeAction> {
    let documents = of_files(snapshot, &assist.edits)?;
    Ok(CodeAction {
        title: assist.title,
        kind: Some(kind_of(assist.kind)),
        edit: Some(workspace_edit(&snapshot.view, documents)),
        ..CodeAction::default()
    })
}

/// What a search proposes for the operations in the statements that a selection touches; at the kernel's name, all of it.
fn proposed_actions(snapshot: &Snapshot, path: &str, range: ByteRange) -> Answer<Vec<CodeAction>> {
    let bytes = |range: visa_analysis::Range| ByteRange {
        start: range.start.byte,
        end: range.end.byte,
    };
    let mut actions = Vec::new();
    for cost in snapshot.advised() {
        let whole = *cost.file == *path && ranges_touch(bytes(cost.range), range);
        let pair = cost.searched.as_ref().and_then(|made| made.pair.as_ref());
        let pair = pair.filter(|_| whole);
        for proposal in cost.proposals.iter().chain(pair) {
            let here = |row: &&visa_analysis::OperationRow| {
                row.range == proposal.range && *row.file == *proposal.file
            };
            let statement = cost.operations.iter().find(here).map(|row| row.statement);
            let at = bytes(statement.unwrap_or(proposal.range));
            let meant = whole || (*proposal.file == *path && ranges_touch(at, range));
            if !meant || proposal.edits.is_empty() {
                continue;
            }
            let documents = of_files(snapshot, &proposal.edits)?;
            let saves = thousands(proposal.saves.unwrap_or(0));
            actions.push(CodeAction {
                title: format!("{} (saves {saves} cycles)", proposal.message),
                kind: Some(CodeActionKind::REFACTOR_REWRITE),
                edit: Some(workspace_edit(&snapshot.view, documents)),
                ..CodeAction::default()
            });
        }
    }
    Ok(actions)
}

/// Whether something in a file can be mended without looking.
fn is_fixable(snapshot: &Snapshot, path: &str) -> Answer<bool> {
    Ok(!sure_rules(snapshot, path)?.is_empty())
}

/// The rules of the open findings of a file that have a fix to apply without looking, one a finding.
fn sure_rules(snapshot: &Snapshot, path: &str) -> Answer<Vec<&'static str>> {
    let settings = &snapshot.view.settings;
    if !settings.client.diagnostics || !settings.reports(path) {
        return Ok(Vec::new());
    }
    let report = checked_report(snapshot, path)?;
    let settings = settings.table.settings_of(path);
    let sure = report.diagnostics.iter().filter(|finding| {
        !finding.suppressed
            && Trust::Machine.trusted_fixes(finding).next().is_some()
            && settings.level_of(finding) != Level::Allow
    });
    Ok(sure.map(|finding| finding.rule).collect())
}

/// For each rule of a menu that finds several faults of the file with a sure fix, the entry that mends them all.
fn fix_rules(snapshot: &Snapshot, path: &str, found: &[Shown]) -> Answer<Vec<CodeAction>> {
    let sure = sure_rules(snapshot, path)?;
    let mut actions: Vec<CodeAction> = Vec::new();
    for shown in found {
        let count = sure.iter().filter(|rule| **rule == shown.rule).count();
        let title = format!("Fix all `{}` in this file", shown.rule);
        if count < 2 || actions.iter().any(|action| action.title == title) {
            continue;
        }
        let unresolved = Unresolved::OfRule {
            path: path.to_owned(),
            version: snapshot.version(path),
            rule: shown.rule.clone(),
        };
        actions.push(CodeAction {
            title,
            kind: Some(CodeActionKind::QUICKFIX),
            diagnostics: Some(vec![shown.diagnostic.clone()]),
            data: serde_json::to_value(unresolved).ok(),
            ..CodeAction::default()
        });
    }
    Ok(actions)
}

fn fix_all(
    snapshot: &Snapshot,
    path: &str,
    (kind, lazily): (CodeActionKind, bool),
) -> Answer<Option<CodeAction>> {
    let mut action = CodeAction {
        title: "Fix all safe problems in this file".to_owned(),
        kind: Some(kind),
        ..CodeAction::default()
    };
    if lazily {
        let unresolved = Unresolved::All {
            path: path.to_owned(),
            version: snapshot.version(path),
        };
        action.data = serde_json::to_value(unresolved).ok();
        return Ok(Some(action));
    }
    let documents = fixed(snapshot, path, None)?;
    if documents.is_empty() {
        return Ok(None);
    }
    action.edit = Some(workspace_edit(&snapshot.view, documents));
    Ok(Some(action))
}
