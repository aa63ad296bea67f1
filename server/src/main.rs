//! The command line of visa-lint.

use std::process::ExitCode;

fn main() -> ExitCode {
    visa_server::main()
}
