//! The command line of visa-lint: from arguments to an exit code.
//!
//! Standard output carries the answer, standard error what went wrong with the run. The exit code is 0 where nothing is
//! found at level deny, 1 where something is, 2 where the run itself failed.

mod arguments;
mod baseline;
mod cache;
mod check;
mod completions;
mod cost;
mod delivery;
mod explain;
mod fingerprint;
mod fixing;
mod format;
mod ignoring;
mod init;
mod limits;
mod map;
mod migrate;
mod outcome;
mod outline;
mod output;
mod pool;
mod progress;
mod rules;
mod run;
mod schema;
mod sequence;
mod session;
mod styles;
mod view;
mod watch;
mod words;
mod wrap;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};
use visa_analysis::{Workspace, visible};

// Crates of their own, by the names of their rooms.
use visa_documents as documents;
use visa_lsp as lsp;
use visa_mcp as mcp;
use visa_project as project;

use self::arguments::{Arguments, Command, misplaced_command};
pub use self::explain::rule_pages;
pub use self::format::agent::VARIABLES as AGENT_VARIABLES;
use self::outcome::Outcome;
use self::output::Console;
pub use self::schema::{schema_of_costs, schemas};
use crate::documents::json::refusal::RunFailed;
use crate::project::files::StandardInput;
use crate::project::notes::write_error;
use crate::project::settings::SettingsArguments;
use crate::project::{Failure, levels};

/// The engine with the files that a check of a folder reads, without settings: for measurements.
///
/// # Errors
///
/// The folder, or a file below it, cannot be read; one line for each.
pub fn workspace_of_folder(folder: &Path) -> Result<Workspace, Vec<String>> {
    let settings = SettingsArguments {
        isolated: true,
        ..SettingsArguments::default()
    };
    let paths = [folder.to_path_buf()];
    let given = session::Given {
        paths: &paths,
        stdin: StandardInput::Text(None),
        settings: &settings,
        since: None,
        quiet: true,
        inline_allow: true,
    };
    let opened = session::Session::open(given, &levels::Levels::default());
    let session = opened.map_err(|failure| failure.messages)?;
    let unreadable: Vec<String> = session.unreadable().cloned().collect();
    if unreadable.is_empty() {
        session.workspace();
        Ok(session.into_workspace())
    } else {
        Err(unreadable)
    }
}

/// Runs the program with the arguments of the process.
pub fn main(given: Vec<OsString>) -> ExitCode {
    report_defects();
    let as_json = asks_for_json(&given);
    let failed = |failure: &Failure| {
        failure.say();
        if as_json {
            say_as_json(failure);
        }
        Outcome::Failed.into()
    };
    let completed = match arguments::complete_arguments(given) {
        Ok(completed) => completed,
        Err(words) => return failed(&Failure::new(words)),
    };
    let matches = match Arguments::command().try_get_matches_from(&completed.arguments) {
        Ok(matches) => matches,
        Err(error) => {
            let error = in_visible_words(error, &completed.arguments);
            // Help and version are answers, everything else is a bad option. A closed pipe is no mistake.
            let _ = error.print();
            if !error.use_stderr() {
                return Outcome::Fine.into();
            }
            if as_json {
                let words = error.render().to_string();
                say_as_json(&Failure::new(words.trim_end()));
            }
            return Outcome::Failed.into();
        }
    };
    let result = Arguments::from_arg_matches(&matches)
        .map_err(|error| Failure::new(error.to_string()))
        .and_then(|arguments| {
            if let Command::Check(options) = &arguments.command
                && completed.by_default
                && let Some(words) = misplaced_command(&options.paths)
            {
                return Err(Failure::new(words));
            }
            run(&arguments, &matches)
        });
    match result {
        Ok(outcome) => outcome.into(),
        Err(failure) => failed(&failure),
    }
}

/// The same about arguments that show what a terminal would obey: a shell puts names of files among them.
fn in_visible_words(error: clap::Error, arguments: &[OsString]) -> clap::Error {
    let arguments = arguments.iter().map(|argument| argument.to_string_lossy());
    let arguments: Vec<String> = arguments
        .map(|argument| visible(&argument).into_owned())
        .collect();
    Arguments::command()
        .try_get_matches_from(arguments)
        .map_or_else(|error| error, |_| error)
}

/// Whether the answer was to be JSON, whatever else is wrong with the arguments.
fn asks_for_json(arguments: &[OsString]) -> bool {
    let mut words = arguments.iter().filter_map(|argument| argument.to_str());
    if words.clone().any(|word| word == "--json") {
        return true;
    }
    let is_json = |word: &str| ["json", "jsonl"].contains(&word);
    while let Some(word) = words.next() {
        let value = match word.strip_prefix("--format") {
            Some("") => words.next(),
            Some(rest) => rest.strip_prefix('='),
            None => None,
        };
        if value.is_some_and(is_json) {
            return true;
        }
    }
    false
}

/// Writes to standard output why there is no answer: on one line, as `jsonl` has it.
fn say_as_json(failure: &Failure) {
    if let Ok(text) = serde_json::to_string(&RunFailed::of(&failure.messages)) {
        // Ignore the error: the reader closed the pipe.
        let _ = Console::new(arguments::Color::Never).print(&format!("{text}\n"));
    }
}

fn run(arguments: &Arguments, matches: &clap::ArgMatches) -> Result<Outcome, Failure> {
    let console = Console::new(arguments.color);
    match &arguments.command {
        Command::Check(options) => {
            let matches = matches.subcommand_matches("check").unwrap_or(matches);
            check::run(options, &levels::Levels::of(matches)?, console)
        }
        Command::Clean(options) => cache::clean(options, console),
        Command::Cost(options) => cost::run(options, console),
        Command::Migrate(options) => migrate::run(options, console),
        Command::Explain(options) => explain::run(options, console),
        Command::Rules(options) => rules::run(options, console),
        Command::Map(options) => map::run(options, console),
        Command::Sequence(options) => sequence::run(options, console),
        Command::Init(options) => init::run(options, console),
        Command::Completions(options) => completions::run(options, console),
        Command::Run(options) => run::run(options, console),
        Command::View(options) => view::run(options, console),
        Command::Lsp(_) => Ok(Outcome::Served(crate::lsp::run_on_stdio())),
        Command::Mcp(options) => crate::mcp::run_on_stdio(&options.folder).map(|()| Outcome::Fine),
    }
}

/// A panic is a defect of this program. The engine catches it a function at a time; here it gets one line instead of the
/// runtime's report.
fn report_defects() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map_or_else(String::new, |place| {
            format!(" at {}:{}", place.file(), place.line())
        });
        write_error(&format!(
            "a defect of visa-lint{place}; the rest is still checked"
        ));
    }));
}
