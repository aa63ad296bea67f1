//! For coding agents: a line a finding with the numbers and the edits that mend it, a line of statistics, and the next step.
//!
//! `path:line:column level rule | message | help: … | fix: title: replace "x" with "y"`. Nothing is wrapped, and line
//! breaks are escaped, so that a line is always a whole finding. Findings that say the same are one line, with their count and
//! the other places. `maybe:` in the place of `fix:` is a proposal to look at first. An edit that does not start where the
//! finding does says where it is.

use std::collections::HashMap;
use std::fmt::Write;
use std::io::IsTerminal;

use visa_analysis::{Applicability, Diagnostic, DiagnosticFix, FileEdit, Level};

use super::alike::alike_findings;
use super::common::{fixable_count, unsafely_fixable};
use super::lines::LineIndices;
use crate::outline::{Finding, NotLookedAt, Outline, UNRESOLVED_OPERATION};
use visa_analysis::counted;
use visa_analysis::visible;

/// Variables that agents set for the programs that they start: one that programs agree on, then those of single agents.
pub const VARIABLES: [&str; 11] = [
    "AI_AGENT",
    "AGENT",
    "CLAUDECODE",
    "CURSOR_AGENT",
    "GEMINI_CLI",
    "CODEX_SANDBOX",
    "CODEX_THREAD_ID",
    "OPENCODE",
    "AUGMENT_AGENT",
    "CLINE_ACTIVE",
    "GOOSE_TERMINAL",
];

/// Places that are named of findings that say the same.
const PLACES: usize = 20;

/// Whether an agent calls: its environment says so, and no person looks at a terminal.
pub(crate) fn is_calling() -> bool {
    let said = |name: &str| {
        let value = std::env::var_os(name);
        value.is_some_and(|value| !value.is_empty() && value != "0" && value != "false")
    };
    VARIABLES.into_iter().any(said) && !std::io::stdout().is_terminal()
}

/// Renders the findings, the operations that were not looked at, the line of statistics and the next step.
pub(crate) fn render_agent(outline: &Outline<'_>, quiet: bool, counts: bool) -> String {
    let mut text = String::new();
    let mut lines = LineIndices::new(outline.texts);
    for alike in alike_findings(outline.written_open()) {
        text.push_str(&finding_line(&alike, outline, &mut lines));
        text.push('\n');
    }
    if let Some(words) = outline.left_out_words() {
        text.push_str(&words);
        text.push('\n');
    }
    if quiet {
        return text;
    }
    // Writing to a string cannot fail.
    for (operation, others) in unresolved_groups(outline) {
        let _ = writeln!(
            text,
            "{} note {UNRESOLVED_OPERATION} | {}{}",
            place_of(operation),
            visible(&operation.place_and_reason()),
            repeated_text(&others)
        );
    }
    for words in outline.not_followed_words() {
        let _ = writeln!(text, "{words}");
    }
    if counts {
        text.push_str(&super::statistics::render_statistics(outline));
    }
    let _ = writeln!(text, "{}", statistics(outline));
    let _ = writeln!(text, "next: {}", next(outline));
    text
}

/// The operations that no finding shows, those of one reason together: the first, and the places of the others.
fn unresolved_groups<'a>(outline: &Outline<'a>) -> Vec<(&'a NotLookedAt, Vec<String>)> {
    let mut groups: Vec<(&NotLookedAt, Vec<String>)> = Vec::new();
    if outline.shows_unresolved() {
        return groups;
    }
    let mut known = HashMap::new();
    for operation in outline.unresolved {
        if operation.place.said_once {
            continue;
        }
        let group = *known
            .entry(operation.place_and_reason())
            .or_insert(groups.len());
        match groups.get_mut(group) {
            Some((_, others)) => others.push(place_of(operation)),
            None => groups.push((operation, Vec::new())),
        }
    }
    groups
}

fn place_of(operation: &NotLookedAt) -> String {
    let start = operation.place.range.start;
    format!(
        "{}:{}:{}",
        visible(&operation.file),
        start.line,
        start.column
    )
}

/// ` | 3 times, also at a.rs:2:3, b.rs:4:5`, or nothing.
fn repeated_text(others: &[String]) -> String {
    if others.is_empty() {
        return String::new();
    }
    let named = others.iter().take(PLACES).map(String::as_str);
    let named = named.collect::<Vec<_>>().join(", ");
    let more = match others.len().saturating_sub(PLACES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(" | {} times, also at {named}{more}", others.len() + 1)
}

/// What to do with what was found.
fn next(outline: &Outline<'_>) -> String {
    if !outline.complete {
        return "standard error says what could not be checked".to_owned();
    }
    let first = outline
        .unsuppressed_findings()
        .find(|finding| finding.level == Level::Deny);
    let first = first.or_else(|| outline.unsuppressed_findings().next());
    let findings = |count| counted(count, "finding");
    match (fixable_count(outline), unsafely_fixable(outline), first) {
        (0, 0, None) if outline.operations.unresolved > 0 => {
            "nothing is known of what is unresolved: write it so that it can be followed".to_owned()
        }
        (0, 0, None) => {
            "`visa-lint cost` predicts the cycles and proposes faster kernels".to_owned()
        }
        (0, 0, Some(first)) => format!(
            "`visa-lint explain {}` shows a right kernel; then check again",
            first.diagnostic.rule
        ),
        (0, maybe, _) => format!(
            "look at the proposals of {} and make those that are meant; then check again",
            findings(maybe)
        ),
        (safe, ..) => format!("`--fix` mends {}; then check again", findings(safe)),
    }
}

/// The line of findings that say the same.
fn finding_line(alike: &[&Finding], outline: &Outline<'_>, lines: &mut LineIndices<'_>) -> String {
    let Some((finding, others)) = alike.split_first() else {
        return String::new();
    };
    let diagnostic = &finding.diagnostic;
    let start = diagnostic.range.start;
    let mut line = format!(
        "{}:{}:{} {} {} | {}",
        visible(&diagnostic.file),
        start.line,
        start.column,
        finding.level.name(),
        diagnostic.rule,
        visible(&diagnostic.message)
    );
    // Writing to a string cannot fail.
    if let Some(help) = &diagnostic.help {
        let _ = write!(line, " | help: {}", visible(help));
    }
    let places: Vec<String> = others
        .iter()
        .map(|other| {
            let start = other.diagnostic.range.start;
            let file = visible(&other.diagnostic.file);
            format!("{file}:{}:{}", start.line, start.column)
        })
        .collect();
    line.push_str(&repeated_text(&places));
    let fixes = alike.iter().flat_map(|finding| &finding.diagnostic.fixes);
    for fix in fixes {
        let _ = write!(
            line,
            " | {}",
            described_fix(fix, diagnostic, outline, lines)
        );
    }
    line
}

fn described_fix(
    fix: &DiagnosticFix,
    diagnostic: &Diagnostic,
    outline: &Outline<'_>,
    lines: &mut LineIndices<'_>,
) -> String {
    let word = match fix.applicability {
        Applicability::Machine => "fix",
        Applicability::Maybe => "maybe",
    };
    let edits: Vec<_> = fix
        .edits
        .iter()
        .map(|edit| edit_action(edit, diagnostic, outline, lines))
        .collect();
    format!(
        "{word}: {}: {}",
        visible(&fix.priced_title()),
        edits.join("; ")
    )
}

fn edit_action(
    edit: &FileEdit,
    diagnostic: &Diagnostic,
    outline: &Outline<'_>,
    lines: &mut LineIndices<'_>,
) -> String {
    let text = outline.texts.get(&*edit.file).copied().unwrap_or("");
    let old = text
        .get(edit.start_byte as usize..edit.end_byte as usize)
        .unwrap_or("");
    let new = &edit.text;
    let mut action = match (old.is_empty(), new.is_empty()) {
        (true, _) => format!("insert {new:?}"),
        (false, true) => format!("delete {old:?}"),
        (false, false) => format!("replace {old:?} with {new:?}"),
    };
    let same_file = edit.file == diagnostic.file;
    if !same_file || edit.start_byte != diagnostic.range.start.byte {
        let place = lines.position(&edit.file, edit.start_byte);
        let file = if same_file {
            String::new()
        } else {
            format!("{}:", visible(&edit.file))
        };
        let _ = write!(action, " at {file}{}:{}", place.line, place.column);
    }
    action
}

fn statistics(outline: &Outline<'_>) -> String {
    let at = |level: Level| {
        outline
            .unsuppressed_findings()
            .filter(|finding| finding.level == level)
            .count()
    };
    format!(
        "files={} kernels={} configured_out={} resolved={} unresolved={} deny={} warn={} suppressed={} known={} fixable={}",
        outline.files,
        outline.kernels,
        outline.configured_out,
        outline.operations.resolved,
        outline.operations.unresolved,
        at(Level::Deny),
        at(Level::Warn),
        outline
            .findings
            .len()
            .saturating_sub(outline.unsuppressed_findings().count()),
        outline.known,
        fixable_count(outline)
    )
}
