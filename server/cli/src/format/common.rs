//! What several formats say in the same words.

use std::collections::BTreeSet;

use visa_analysis::{
    Applicability, Confirmer, Diagnostic, FileLibrary, Level, Library, OperationCounts,
};

use crate::outline::{Finding, Outline};
use crate::styles::{ERROR, WARNING, styled};
use visa_analysis::counted;

/// `2 kernels, 14 operations (1 unresolved): 1 error, 2 warnings, 1 fixable with --fix, up to 1 more with --unsafe-fixes`, and
/// what was not looked at on a line of its own.
pub(crate) fn summary_text(outline: &Outline<'_>, colored: bool) -> String {
    let OperationCounts {
        resolved,
        unresolved,
        ..
    } = outline.operations;
    let mut text = format!(
        "{}, {}",
        counted(outline.kernels, "kernel"),
        counted(resolved.saturating_add(*unresolved), "operation")
    );
    if *unresolved > 0 {
        text.push_str(&format!(" ({unresolved} unresolved)"));
    }
    if outline.configured_out > 0 {
        let functions = counted(outline.configured_out, "function");
        text.push_str(&format!(", {functions} configured out"));
    }
    let at = |level| {
        outline
            .unsuppressed_findings()
            .filter(|finding| finding.level == level)
            .count() as u64
    };
    let (denied, warned) = (at(Level::Deny), at(Level::Warn));
    let words = [(denied, "error", ERROR), (warned, "warning", WARNING)]
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, noun, style)| styled(&counted(count, noun), style, colored));
    let words: Vec<_> = words.collect();
    if let Some(languages) = outline.of_languages() {
        let counts = languages.iter().map(|(language, counts)| {
            let files = counted(counts.files, "file");
            format!("{files} in {language}")
        });
        let counts: Vec<String> = counts.collect();
        text.push_str(&format!(" in {}", counts.join(", ")));
    }
    text.push_str(": ");
    if words.is_empty() {
        // What was not looked at has no findings either.
        let all_followed = *unresolved == 0 && outline.not_followed.is_empty();
        text.push_str(match (outline.files, resolved, all_followed) {
            (0, ..) => "no file was checked",
            (_, _, true) => "no findings",
            (_, 0, _) => "nothing was checked",
            _ => "nothing found in the others",
        });
    }
    text.push_str(&words.join(", "));
    let suppressed = (outline.findings.len() as u64).saturating_sub(denied.saturating_add(warned));
    text.push_str(&hidden_text(suppressed, outline.known));
    text.push_str(&fixable_words(
        fixable_count(outline),
        unsafely_fixable(outline),
    ));
    if let Some(words) = outline.not_looked_at(true) {
        text.push('\n');
        text.push_str(&words);
    }
    text
}

/// The word for a level that compilers use, and that editors and CI look for.
pub(super) const fn level_word(level: Level) -> &'static str {
    match level {
        Level::Deny => "error",
        Level::Warn => "warning",
        Level::Allow => "note",
    }
}

/// Crates that are named for one library before the rest is counted.
const NAMED_CRATES: usize = 3;

/// A line for each release of the book's successor that crates are written for, with these and what says so. That a crate is
/// written for the book's library goes without saying.
pub(crate) fn dialect_lines(outline: &Outline<'_>) -> Vec<String> {
    let mut alike: Vec<(&FileLibrary, Vec<&str>)> = Vec::new();
    for known in outline.dialects {
        if known.library.dialect.library == Library::VisaStd {
            continue;
        }
        let same = |(library, _): &&mut (&FileLibrary, _)| *library == known.library;
        match alike.iter_mut().find(same) {
            Some((_, crates)) => crates.push(&known.krate),
            None => alike.push((known.library, vec![&known.krate])),
        }
    }
    let line = |(library, crates): (&FileLibrary, Vec<&str>)| {
        let named = crates.iter().take(NAMED_CRATES).copied();
        let mut names = named.collect::<Vec<_>>().join(", ");
        if let Some(more) = crates
            .len()
            .checked_sub(NAMED_CRATES)
            .filter(|more| *more > 0)
        {
            names.push_str(&format!(" and {}", counted(more as u64, "more crate")));
        }
        let release = library.release.as_deref().unwrap_or_default();
        let name = library.dialect.library.name();
        format!("{names}: {name} {release} ({})", library.because)
    };
    alike.into_iter().map(line).collect()
}

/// The files of crates that are written for the book's successor.
pub(super) fn successor_files<'a>(outline: &Outline<'a>) -> BTreeSet<&'a str> {
    let successor = outline
        .dialects
        .iter()
        .filter(|known| known.library.dialect.library != Library::VisaStd);
    successor
        .flat_map(|known| known.files.iter().map(String::as_str))
        .collect()
}

/// Who else would find the errors and warnings in crates for the book's successor; nothing where there are none. Of the book's
/// library no more is known than what its release checks, and `explain` says that.
pub(crate) fn confirmed(outline: &Outline<'_>) -> Option<String> {
    let files = successor_files(outline);
    let by = |confirmer: Confirmer| {
        outline
            .unsuppressed_findings()
            .filter(|finding| matches!(finding.level, Level::Deny | Level::Warn))
            .map(|finding| &finding.diagnostic)
            .filter(|diagnostic| files.contains(&*diagnostic.file))
            .filter(|diagnostic| diagnostic.confirmed_by == Some(confirmer))
            .count()
    };
    let counts = [
        (by(Confirmer::Library), "the library itself refuses"),
        (by(Confirmer::Compiler), "the vendor's compiler refuses"),
        (by(Confirmer::Model), "only the hardware model says"),
    ];
    let said = counts.iter().filter(|(count, _)| *count > 0);
    let words: Vec<String> = said
        .map(|(count, words)| format!("{words} {count}"))
        .collect();
    (!words.is_empty()).then(|| format!("Of these findings, {}.", words.join(", ")))
}

/// `, 2 fixable with --fix, up to 3 more with --unsafe-fixes`, or nothing. What an unsure fix leads to is found out when it is
/// applied, and some lead nowhere.
pub(super) fn fixable_words(safely: u64, unsafely: u64) -> String {
    match (safely, unsafely) {
        (0, 0) => String::new(),
        (safely, 0) => format!(", {safely} fixable with --fix"),
        (0, unsafely) => format!(", up to {unsafely} fixable with --fix --unsafe-fixes"),
        (safely, unsafely) => {
            format!(", {safely} fixable with --fix, up to {unsafely} more with --unsafe-fixes")
        }
    }
}

/// ` (1 more suppressed, 2 known)`, or nothing.
pub(super) fn hidden_text(suppressed: u64, known: u64) -> String {
    match (suppressed, known) {
        (0, 0) => String::new(),
        (suppressed, 0) => format!(" ({suppressed} more suppressed)"),
        (0, known) => format!(" ({known} known)"),
        (suppressed, known) => format!(" ({suppressed} more suppressed, {known} known)"),
    }
}

/// The message, the notes and the help of a finding, each on lines of its own.
pub(super) fn whole_text(diagnostic: &Diagnostic) -> String {
    let mut text = diagnostic.message.clone();
    let notes = diagnostic.notes.iter().map(|note| ("note", note));
    let help = diagnostic.help.iter().map(|help| ("help", help));
    for (word, sentence) in notes.chain(help) {
        text.push_str(&format!("\n{word}: {sentence}"));
    }
    text
}

/// How many open findings `--fix` would mend.
pub(super) fn fixable_count(outline: &Outline<'_>) -> u64 {
    outline
        .unsuppressed_findings()
        .filter(|finding| is_fixable(finding))
        .count() as u64
}

/// Whether `--fix` would mend a finding.
pub(super) fn is_fixable(finding: &Finding) -> bool {
    let mut fixes = finding.diagnostic.fixes.iter();
    fixes.any(|fix| fix.applicability == Applicability::Machine)
}

/// How many more `--unsafe-fixes` would mend at most: those whose fixes should all be looked at.
pub(super) fn unsafely_fixable(outline: &Outline<'_>) -> u64 {
    let with_fixes = outline
        .unsuppressed_findings()
        .filter(|finding| !finding.diagnostic.fixes.is_empty());
    (with_fixes.count() as u64).saturating_sub(fixable_count(outline))
}
