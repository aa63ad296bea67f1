//! The programs of visa-lint as a library, so that tests can call them in-process.
//!
//! Knows by which name a program was started, and which crate is then asked: `visa-cli` or `visa-lsp`.

/// Trees and mappings are many small values, made on several threads: an allocator for these takes a fifth off a check.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

pub use visa_cli::{AGENT_VARIABLES, rule_pages, schema_of_costs, schemas, workspace_of_folder};
pub use visa_lsp as lsp;

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
    visa_cli::main(arguments)
}

/// The language server, with the program's name and its arguments. `visa-lsp check …` is `visa-lint check …`: where the server alone is
/// installed, as in the extension for VS Code, an editor's task runs it.
fn visa_lsp(arguments: Vec<OsString>) -> ExitCode {
    if arguments.get(1).is_some_and(|first| first == "check") {
        visa_cli::main(arguments)
    } else {
        lsp::main(&arguments[1..])
    }
}
