//! `cargo visa-lint`: cargo looks for a program of this name.

use std::process::ExitCode;

fn main() -> ExitCode {
    visa_server::lint::main()
}
