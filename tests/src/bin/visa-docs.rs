//! Writes the made pages of the site below `docs`: run as `cargo xtask docs`.

use std::process::ExitCode;

fn main() -> ExitCode {
    let docs = visa_tests::repository().join("docs");
    match visa_tests::docs::write_made_files(&docs) {
        Ok(count) => {
            println!("{count} files in {}", docs.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("the pages cannot be written: {error}");
            ExitCode::from(2)
        }
    }
}
