//! Chores of this repository, run as `cargo xtask`.
//!
//! Knows where the files of a rule are and what they begin with, how the real library is asked about fixtures, how a folder of
//! kernels is measured, and which structs repeat each other; nothing about rules themselves.

mod corpus;
mod new_rule;
mod real_library;
mod similar_structs;

use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask new-rule NAME FAMILY GROUP
       cargo xtask real-library [RELEASE]
       cargo xtask corpus FOLDER [--json FILE] [--program PATH]
       cargo xtask corpus --compare OLD.json NEW.json
       cargo xtask similar-structs

  NAME    the rule's name, such as `commit_size`
  FAMILY  the file below analysis/src/rules that declares it, such as `commit` or `performance/commit`
  GROUP   mapping, hardware, silent, suspicious, toolchain, performance or style
  RELEASE such as `0.8`: only the fixtures of that release
  FOLDER  kernels of any language; FILE gets the counts, PATH is another built program";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments.as_slice() {
        ["new-rule", name, family, group] => new_rule::run(&repository(), name, family, group),
        ["real-library"] => real_library::run(&repository(), None),
        ["real-library", release] => real_library::run(&repository(), Some(release)),
        ["corpus", "--compare", before, after] => corpus::compare(before, after),
        ["corpus", folder, options @ ..] if !folder.starts_with("--") => {
            corpus::run(&repository(), folder, options)
        }
        ["similar-structs"] => similar_structs::run(&repository()),
        _ => Err(USAGE.to_owned()),
    };
    match done {
        Ok(words) => {
            println!("{words}");
            ExitCode::SUCCESS
        }
        Err(words) => {
            eprintln!("{words}");
            ExitCode::from(2)
        }
    }
}

/// The root of the repository.
fn repository() -> std::path::PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}
