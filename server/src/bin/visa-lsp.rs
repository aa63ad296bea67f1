//! The language server of visa-lint: `visa-lint lsp`.

use std::process::ExitCode;

#[path = "../launcher.rs"]
mod launcher;

fn main() -> ExitCode {
    let arguments = std::env::args_os().skip(1);
    launcher::run_visa_lint(std::iter::once("lsp".into()).chain(arguments))
}
