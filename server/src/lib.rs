//! The programs of visa-lint as a library, so that tests can call them in-process.
//!
//! Knows the outside: arguments, files, terminals, exit codes. What a kernel means is asked of the front door of
//! `visa-analysis` and nowhere else.

/// Trees and mappings are many small values, made on several threads: an allocator for these takes a fifth off a check.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

mod copied;
mod engine;
mod json;
pub mod lint;
pub mod lsp;
mod mcp;
mod project;

use std::process::ExitCode;

pub use json::schema::{schema_of_costs, schemas};
pub use lint::AGENT_VARIABLES;

/// The program `visa-lsp`: the language server. `visa-lsp check …` is `visa-lint check …`: where the server alone is installed, as in the
/// extension for VS Code, an editor's task runs it.
#[must_use]
pub fn visa_lsp() -> ExitCode {
    let first = std::env::args_os().nth(1);
    if first.is_some_and(|first| first == "check") {
        lint::main()
    } else {
        lsp::main()
    }
}
