//! The programs of visa-lint as a library, so that tests can call them in-process.
//!
//! Knows the outside: arguments, files, terminals, exit codes. What a kernel means is asked of the front door of
//! `visa-analysis` and nowhere else.

/// Trees and mappings are many small values, made on several threads: an allocator for these takes a fifth off a check.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

pub mod lint;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

// Crates of their own, by the names of their rooms.
use visa_documents as documents;
pub use visa_lsp as lsp;
use visa_mcp as mcp;
use visa_project as project;

pub use lint::{AGENT_VARIABLES, rule_pages, schema_of_costs, schemas, workspace_of_folder};

/// Runs the one program with the arguments of the process. Under the name `visa-lsp`, and as `visa-lint lsp …`, it is the language server.
pub fn main() -> ExitCode {
    let mut arguments: Vec<OsString> = std::env::args_os().collect();
    let name = arguments.first().map(Path::new).and_then(Path::file_stem);
    if name.is_some_and(|name| name == "visa-lsp") {
        return visa_lsp(arguments);
    }
    if arguments.get(1).is_some_and(|first| first == "lsp") {
        arguments.remove(1);
        return visa_lsp(arguments);
    }
    lint::main(arguments)
}

/// The language server, with the program's name and its arguments. `visa-lsp check …` is `visa-lint check …`: where the server alone is
/// installed, as in the extension for VS Code, an editor's task runs it.
fn visa_lsp(arguments: Vec<OsString>) -> ExitCode {
    if arguments.get(1).is_some_and(|first| first == "check") {
        lint::main(arguments)
    } else {
        lsp::main(&arguments[1..])
    }
}
