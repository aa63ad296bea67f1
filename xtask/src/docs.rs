//! The made pages of the site.
//!
//! The tests' package writes them, since it links the engine already. A chore that needs no engine is thus built in a second.

use std::path::Path;
use std::process::Command;

/// Writes the pages below `docs`. Gives the number of files, or the reason why there are none.
pub(crate) fn run(repository: &Path) -> Result<String, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["run", "--quiet", "-p", "visa-tests", "--bin", "visa-docs"])
        .current_dir(repository)
        .output()
        .map_err(|error| format!("cargo cannot be started: {error}"))?;
    if output.status.success() {
        let words = String::from_utf8_lossy(&output.stdout);
        return Ok(words.trim_end().to_owned());
    }
    Err(String::from_utf8_lossy(&output.stderr).into_owned())
}
