//! Lines on standard error: what went wrong with a run, and what was done.

use std::io::Write;

use visa_analysis::visible;

use super::Failure;

/// One line on standard error.
pub fn write_error(message: &str) {
    write_note(&format!("error: {message}"));
}

/// One line on standard error that fails nothing.
pub fn write_warning(message: &str) {
    write_note(&format!("warning: {message}"));
}

/// One line on standard error about what was done; written at once, so that lines of several programs do not mix. Names
/// that come from files are shown without what a terminal or the runner of a job would obey.
pub fn write_note(message: &str) {
    let _ = std::io::stderr()
        .lock()
        .write_all(format!("{}\n", visible(message)).as_bytes());
}

impl Failure {
    /// Says it on standard error; the exit code is then 2.
    pub fn say(&self) {
        for message in &self.messages {
            write_error(message);
        }
    }
}
