//! `check --add-ignore`: comments that allow every open finding where it is.
//!
//! Where a comment covers a finding is the engine's knowledge; here are the options, the rounds and the files.

use visa_analysis::{Fixable, apply_fixes};

use super::arguments::CheckArguments;
use super::session::Session;
use crate::project::notes::write_note;
use visa_analysis::counted;

/// Rounds after which no more comments are written: one for the findings, one for each further function with places of the
/// same fault, and some for findings about the comments.
const ROUNDS: usize = 64;

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
