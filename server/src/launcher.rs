//! Starts the program `visa-lint` that is in the same folder. On the standard library alone, so that a package holds one large program.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// Runs `visa-lint` with these arguments; its exit code, or 2 where it cannot be started.
pub(crate) fn run_visa_lint(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let own = env::current_exe().and_then(|path| path.canonicalize());
    let program = own
        .unwrap_or_else(|_| PathBuf::from("."))
        .with_file_name(format!("visa-lint{}", env::consts::EXE_SUFFIX));
    let mut command = Command::new(&program);
    command.args(arguments);
    match exit_code(&mut command) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: cannot start `{}`: {error}", program.display());
            ExitCode::from(2)
        }
    }
}

/// The command takes this process's place: signals and the parent's waiting reach it.
#[cfg(unix)]
fn exit_code(command: &mut Command) -> std::io::Result<ExitCode> {
    Err(std::os::unix::process::CommandExt::exec(command))
}

#[cfg(not(unix))]
fn exit_code(command: &mut Command) -> std::io::Result<ExitCode> {
    let code = command
        .status()?
        .code()
        .and_then(|code| u8::try_from(code).ok());
    Ok(ExitCode::from(code.unwrap_or(2)))
}
