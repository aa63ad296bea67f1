//! `visa-lint completions SHELL`: what a shell needs to complete the command line.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::arguments::Arguments;
use super::output::Console;
use super::{Failure, Outcome};

/// `visa-lint completions`
#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

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
