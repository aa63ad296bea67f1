//! The language server of visa-lint.

use std::process::ExitCode;

fn main() -> ExitCode {
    visa_server::visa_lsp()
}
