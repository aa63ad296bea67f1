//! Chores of this repository, run as `cargo xtask`.
//!
//! Knows where the files of a rule are and what they begin with, how the real library is asked about fixtures, how a folder of
//! kernels is measured, what that takes, which structs repeat each other, and which program writes the site's pages; nothing about rules themselves.

mod corpus;
mod docs;
mod new_rule;
mod real_library;
mod similar_structs;
mod speed;

use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask docs
       cargo xtask new-rule NAME FAMILY GROUP
       cargo xtask real-library [RELEASE | --list]
       cargo xtask corpus FOLDER [--json FILE] [--program PATH]
       cargo xtask corpus --compare OLD.json NEW.json
       cargo xtask similar-structs
       cargo xtask speed FOLDER… [--file FILE]… [--json FILE] [--program PATH] [--measurer PATH]
       cargo xtask speed --compare OLD.json NEW.json

  docs    writes the made pages of the site below docs: rules, machine, list of pages, llms-full.txt

  NAME    the rule's name, such as `commit_size`
  FAMILY  the file below analysis/rules/src that declares it, such as `commit` or `performance/commit`
  GROUP   mapping, hardware, silent, suspicious, toolchain, performance or style
  RELEASE such as `0.8`: only the fixtures of that release
  FOLDER  kernels of any language; FILE behind `--json` gets the counts, behind `--file` it has rows of its own;
          PATH is another built program (`--measurer` names another built `visa-speed`)";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments.as_slice() {
        ["docs"] => docs::run(&repository()),
        ["new-rule", name, family, group] => new_rule::run(&repository(), name, family, group),
        ["real-library", "--list"] => real_library::list(&repository()),
        ["real-library"] => real_library::run(&repository(), None),
        ["real-library", release] => real_library::run(&repository(), Some(release)),
        ["corpus", "--compare", before, after] => corpus::compare(before, after),
        ["corpus", folder, options @ ..] if !folder.starts_with("--") => {
            corpus::run(&repository(), folder, options)
        }
        ["speed", "--compare", before, after] => speed::compare_measurements(before, after),
        ["speed", arguments @ ..] if !arguments.is_empty() => {
            speed::measure_folders(&repository(), arguments)
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
