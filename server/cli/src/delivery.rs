//! Where the answer of a check goes, and whether it carries colours there.

use super::arguments::CheckArguments;
use super::output::Console;
use crate::project::Failure;
use crate::project::notes::write_error;
use crate::project::writing::write_file;

/// Whether the answer carries colours where it was asked for.
pub(crate) fn is_colored(options: &CheckArguments, console: Console) -> bool {
    if options.output_file.is_some() {
        console.colored_file()
    } else {
        console.colored()
    }
}

/// Writes an answer to where it was asked for.
pub(crate) fn deliver(
    options: &CheckArguments,
    answer: &str,
    console: Console,
    failed: bool,
) -> Result<(), Failure> {
    match &options.output_file {
        None => console.print(answer),
        // A later reader of the file could not see that something is missing from it.
        Some(path) if failed => {
            write_error(&format!(
                "`{}` is not written, because the run failed",
                path.display()
            ));
            Ok(())
        }
        Some(path) => write_file(path, answer),
    }
}
