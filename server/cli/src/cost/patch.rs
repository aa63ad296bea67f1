//! `cost --kernel X --diff` and `--apply [N]`: a proposal as a patch, or in the files.

use visa_analysis::{Fixable, KernelCost, Proposal, Texts};

use super::human::saving_text;
use super::numbered::numbered_proposals;
use crate::documents::diff::unified;
use crate::fixing::{print_unified, write_changes};
use crate::output::Console;
use crate::project::Failure;
use crate::project::notes::write_note;
use crate::session::Session;

/// What to do with a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Print the best as a patch.
    Diff,
    /// Write the one of that number, from 1.
    Apply(usize),
}

/// Prints or writes a proposal of the kernel that was asked for.
pub(super) fn run(
    session: &mut Session<'_>,
    kernels: &[KernelCost],
    wanted: Wanted,
    console: Console,
) -> Result<(), Failure> {
    let kernel = match kernels {
        [only] => only,
        [] => {
            return Err(Failure::new(
                "proposals are for kernels in Rust; of other functions only the transfers are costed",
            ));
        }
        [first, ..] => {
            return Err(Failure::new(format!(
                "{} kernels are called `{}`: name the file of one of them",
                kernels.len(),
                first.name
            )));
        }
    };
    let chosen = match wanted {
        Wanted::Diff => numbered_proposals(kernel).find(|(_, one)| !one.edits.is_empty()),
        Wanted::Apply(number) => Some(of_number(kernel, number)?),
    };
    let Some((number, proposal)) = chosen else {
        write_note(&format!(
            "no change of `{}` was found that can be made for you",
            kernel.name
        ));
        return Ok(());
    };
    let before = session.own_texts();
    let after = session.edited(&proposal.edits)?;
    let verb = match wanted {
        Wanted::Diff => "would save",
        Wanted::Apply(_) => "saves",
    };
    match wanted {
        Wanted::Diff => print_unified(patch(session, (&before, &after)), console)?,
        Wanted::Apply(_) => {
            session.replace(&after);
            write_changes(session, &before, console)?;
        }
    }
    write_note(&format!(
        "number {number} {verb} {}: {}",
        saving_text(proposal),
        proposal.message
    ));
    Ok(())
}

fn of_number(kernel: &KernelCost, number: usize) -> Result<(usize, &Proposal), Failure> {
    let found = numbered_proposals(kernel).find(|(own, _)| *own == number);
    let Some((_, proposal)) = found else {
        let count = numbered_proposals(kernel).count();
        return Err(Failure::new(format!(
            "`--apply {number}`: `{}` has {count} proposals",
            kernel.name
        )));
    };
    if proposal.edits.is_empty() {
        return Err(Failure::new(format!(
            "`--apply {number}`: this proposal is given in words and has to be made by hand"
        )));
    }
    Ok((number, proposal))
}

fn patch(session: &Session<'_>, (before, after): (&Texts, &Texts)) -> String {
    let diffs = after.iter().map(|(path, text)| {
        let old = before.get(path).map_or("", |text| text);
        unified(&session.shown_path(path), old, text)
    });
    diffs.collect()
}
