//! `visa-lint completions SHELL`: what a shell needs to complete the command line.

use clap::CommandFactory;

use super::arguments::{Arguments, CompletionsArguments};
use super::outcome::Outcome;
use super::output::Console;
use crate::project::Failure;

/// Runs the command.
pub(crate) fn run(options: &CompletionsArguments, console: Console) -> Result<Outcome, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(
        options.shell,
        &mut Arguments::command(),
        "visa-lint",
        &mut script,
    );
    console.print(&String::from_utf8_lossy(&script))?;
    Ok(Outcome::Fine)
}
