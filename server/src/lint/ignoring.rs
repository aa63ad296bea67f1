//! `check --add-ignore`: comments that allow every open finding where it is.
//!
//! Where a comment covers a finding is the engine's knowledge; here are the options, the rounds and the files.

use clap::Args;
use visa_analysis::{Fixable, apply_fixes};

use super::arguments::CheckArguments;
use super::format::counted;
use super::output::write_note;
use super::session::Session;
use crate::project::levels::TO_BE_LOOKED_AT;

/// Rounds after which no more comments are written: one for the findings, one for each further function with places of the
/// same fault, and some for findings about the comments.
const ROUNDS: usize = 64;

/// The options about suppressions.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct IgnoreArguments {
    /// Write a comment that allows it at each finding, so that the next run is clean
    #[arg(
        long,
        help_heading = "Known findings",
        conflicts_with_all = ["diff", "baseline", "write_baseline"]
    )]
    pub(crate) add_ignore: bool,
    /// What the comments of `--add-ignore` give as the reason
    #[arg(
        long,
        value_name = "TEXT",
        help_heading = "Known findings",
        requires = "add_ignore",
        default_value = TO_BE_LOOKED_AT
    )]
    pub(crate) reason: String,
}

/// Adds the comments to the session's texts; how many findings they allow.
pub(crate) fn add(options: &CheckArguments, session: &mut Session<'_>) -> u64 {
    let found = open_findings(session);
    for _ in 0..ROUNDS {
        let fixes: Vec<_> = session
            .open_findings()
            .iter()
            .flat_map(|(path, wanted)| session.allowing(path, wanted, &options.ignoring.reason))
            .collect();
        let changed = apply_fixes(&session.own_texts(), &fixes).texts;
        if changed.is_empty() {
            break;
        }
        session.replace(&changed);
    }
    found.saturating_sub(open_findings(session))
}

/// `3 findings are allowed from now on, 0 remaining`.
pub(crate) fn sum_up(added: u64, remaining: usize) {
    let verb = if added == 1 { "is" } else { "are" };
    write_note(&format!(
        "{} {verb} allowed from now on, {remaining} remaining",
        counted(added, "finding")
    ));
}

fn open_findings(session: &Session<'_>) -> u64 {
    session
        .open_findings()
        .values()
        .map(|findings| findings.len() as u64)
        .sum()
}
