//! The program `visa-lint` under a name of this package, so that cargo builds it for these tests and tells them where.

use std::process::ExitCode;

fn main() -> ExitCode {
    visa_server::main()
}
