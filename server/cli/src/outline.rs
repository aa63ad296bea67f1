//! What a check says, as formats read it: findings with their levels, counts, and what was not looked at.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use visa_analysis::{
    Diagnostic, FileLibrary, Language, LanguageCounts, Level, NotFollowed, OperationCounts,
    UnresolvedPlace, visible,
};

use visa_analysis::counted;

/// The rule that shows what was not looked at.
pub(crate) const UNRESOLVED_OPERATION: &str = "unresolved_operation";

/// Operations that are named where a report is not asked for all of them; GitHub shows no more notices of a step.
const EXAMPLES: usize = 10;

/// A finding that is reported, with its level.
#[derive(Debug)]
pub(crate) struct Finding {
    pub(crate) level: Level,
    pub(crate) diagnostic: Diagnostic,
    /// Counted, and not written: there are more than the run is to write.
    pub(crate) left_out: bool,
}

/// Marks findings as left out so that at most `most` are written: errors are kept before warnings, and what the sources suppress
/// goes first.
pub(crate) fn leave_out(findings: &mut [Finding], most: usize) {
    let mut order: Vec<&mut Finding> = findings.iter_mut().collect();
    order.sort_by_key(|finding| (finding.diagnostic.suppressed, Reverse(finding.level)));
    for finding in order.into_iter().skip(most) {
        finding.left_out = true;
    }
}

/// The library that a crate is written for.
#[derive(Debug)]
pub(crate) struct DialectOf<'a> {
    /// The package's name; for a file outside of all packages the root file of its modules.
    pub(crate) krate: String,
    pub(crate) library: &'a FileLibrary,
    /// The files of the crate that are written for it, as people see them.
    pub(crate) files: Vec<String>,
}

/// An operation that was not looked at.
#[derive(Debug)]
pub(crate) struct NotLookedAt {
    /// Its file, as people see it.
    pub(crate) file: String,
    pub(crate) place: UnresolvedPlace,
}

impl NotLookedAt {
    /// What is there, and why it was not looked at.
    pub(crate) fn place_and_reason(&self) -> String {
        let UnresolvedPlace { what, reason, .. } = &self.place;
        format!("`{what}` is not checked: {reason}")
    }
}

/// All that a format writes.
#[derive(Debug)]
pub(crate) struct Outline<'a> {
    pub(crate) files: u64,
    pub(crate) kernels: u64,
    /// What was checked by language.
    pub(crate) languages: &'a BTreeMap<Language, LanguageCounts>,
    /// Functions that `cfg` leaves out.
    pub(crate) configured_out: u64,
    pub(crate) operations: &'a OperationCounts,
    /// In the order of files, places and rules; suppressed ones included.
    pub(crate) findings: &'a [Finding],
    /// Operations that were not looked at, in the order of files and places.
    pub(crate) unresolved: &'a [NotLookedAt],
    /// Files in which no operation was looked at, in their order.
    pub(crate) not_followed: &'a [NotFollowed],
    /// The libraries of the crates that the files belong to.
    pub(crate) dialects: &'a [DialectOf<'a>],
    pub(crate) texts: &'a Texts<'a>,
    /// How many findings are left out because a baseline knows them.
    pub(crate) known: u64,
    /// The files that were asked for, as people see them.
    pub(crate) reported: &'a [String],
    /// Whether everything that was asked for was checked.
    pub(crate) complete: bool,
    /// What was not, and why: what standard error says.
    pub(crate) errors: &'a [&'a str],
}

impl<'a> Outline<'a> {
    /// What was checked by language, where that is not Rust alone.
    pub(crate) fn of_languages(&self) -> Option<&'a BTreeMap<Language, LanguageCounts>> {
        let others = self
            .languages
            .keys()
            .any(|language| *language != Language::Rust);
        others.then_some(self.languages)
    }

    /// The findings that no suppression in the files covers.
    pub(crate) fn unsuppressed_findings(&self) -> impl Iterator<Item = &'a Finding> + use<'a> {
        self.findings
            .iter()
            .filter(|finding| !finding.diagnostic.suppressed)
    }

    /// The findings to write, suppressed ones included.
    pub(crate) fn written_findings(&self) -> impl Iterator<Item = &'a Finding> + use<'a> {
        self.findings.iter().filter(|finding| !finding.left_out)
    }

    /// The findings to write that no suppression covers.
    pub(crate) fn written_open(&self) -> impl Iterator<Item = &'a Finding> + use<'a> {
        self.unsuppressed_findings()
            .filter(|finding| !finding.left_out)
    }

    /// How many findings are not written, suppressed ones included.
    pub(crate) fn left_out(&self) -> u64 {
        self.findings.iter().filter(|one| one.left_out).count() as u64
    }

    /// What the run says about findings that are not written; nothing where all are.
    pub(crate) fn left_out_words(&self) -> Option<String> {
        let count = self
            .unsuppressed_findings()
            .filter(|finding| finding.left_out)
            .count() as u64;
        let are = if count == 1 { "is" } else { "are" };
        let what = match self.written_open().next() {
            Some(_) => "more finding",
            None => "finding",
        };
        let findings = counted(count, what);
        (count > 0).then(|| format!("{findings} {are} left out by --max-diagnostics"))
    }

    /// What the run says about operations that were not looked at: how many, and how to see them where nothing shows them.
    /// `examples` is whether the first of them are written.
    pub(crate) fn not_looked_at(&self, examples: bool) -> Option<String> {
        let count = self.operations.unresolved;
        if count == 0 {
            return None;
        }
        let words = format!(
            "{} {} not checked",
            counted(count, "operation"),
            if count == 1 { "was" } else { "were" }
        );
        let them = if count == 1 { "it" } else { "them" };
        let all_are_shown = examples && self.unsaid().nth(EXAMPLES).is_none();
        Some(if self.shows_unresolved() || all_are_shown {
            words
        } else {
            format!("{words}; --warn {UNRESOLVED_OPERATION} shows {them}")
        })
    }

    /// What the run says about files of which nothing was looked at: a line each, and one for those that are left out.
    pub(crate) fn not_followed_words(&self) -> Vec<String> {
        let named = self.not_followed.iter().take(EXAMPLES).map(|file| {
            let NotFollowed {
                file,
                operations,
                reason,
            } = file;
            let most = if *operations > 1 { "most: " } else { "" };
            let count = counted(*operations, "operation");
            format!(
                "nothing in {} was checked: {count}, {most}{reason}",
                visible(file)
            )
        });
        let more = self.not_followed.len().saturating_sub(EXAMPLES) as u64;
        let more = (more > 0).then(|| {
            let files = counted(more, "more file");
            format!("nothing in {files} was checked")
        });
        named.chain(more).collect()
    }

    /// The first operations that were not looked at and that no finding shows: formats with a line for each thing say where.
    pub(crate) fn examples(&self) -> impl Iterator<Item = &NotLookedAt> {
        let shown = self.shows_unresolved();
        self.unsaid().filter(move |_| !shown).take(EXAMPLES)
    }

    /// The operations that were not looked at, but for those that a finding speaks of together.
    fn unsaid(&self) -> impl Iterator<Item = &NotLookedAt> {
        let all = self.unresolved.iter();
        all.filter(|operation| !operation.place.said_once)
    }

    /// Whether findings say which operations were not looked at.
    pub(crate) fn shows_unresolved(&self) -> bool {
        self.unsuppressed_findings()
            .any(|finding| finding.diagnostic.rule == UNRESOLVED_OPERATION)
    }

    /// The open findings by rule.
    pub(crate) fn by_rule(&self) -> BTreeMap<&'static str, u64> {
        let mut counts = BTreeMap::new();
        for finding in self.unsuppressed_findings() {
            *counts.entry(finding.diagnostic.rule).or_insert(0) += 1;
        }
        counts
    }
}

/// Texts of files by the path that people see.
pub(crate) type Texts<'a> = BTreeMap<String, &'a str>;
