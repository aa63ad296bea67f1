//! `cargo visa-lint`: cargo looks for a program of this name, and passes the command's name as its first argument.

use std::process::ExitCode;

#[path = "../launcher.rs"]
mod launcher;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1).peekable();
    arguments.next_if(|first| first == "visa-lint");
    launcher::run_visa_lint(arguments)
}
