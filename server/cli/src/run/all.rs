//! `--all`: every `#[device]` function of files and folders, each with random inputs.

use std::path::PathBuf;
use std::sync::Arc;

use visa_analysis::RunRequest;

use super::answer::Answer;
use super::ran::Ran;
use super::sources::{given, run_in};
use crate::arguments::RunArguments;
use crate::outcome::Outcome;
use crate::output::Console;
use crate::project::Failure;
use crate::project::levels::Levels;
use crate::project::notes::write_warning;
use crate::session::Session;

/// Runs the command.
pub(super) fn run(options: &RunArguments, console: Console) -> Result<Outcome, Failure> {
    let mut paths: Vec<PathBuf> = options.targets.iter().map(PathBuf::from).collect();
    if paths.is_empty() {
        paths.push(PathBuf::from("."));
    }
    let given = given(&paths, &options.settings, options.quiet);
    let session = Session::open(given, &Levels::default())?;
    session.say_unreadable();
    let mut answer = Answer {
        errors: session.unreadable().cloned().collect(),
        texts: session.shown_texts(),
        ..Answer::default()
    };
    let analysis = session.workspace().analysis();
    let reported: Vec<String> = session.reported_paths().map(str::to_owned).collect();
    for path in &reported {
        for function in analysis.device_functions(path) {
            for seed in options.seed.first..=options.seed.last {
                let request = RunRequest {
                    function: Some(Arc::clone(&function)),
                    seed,
                    ..options.request()
                };
                let result = run_in(&session, path, &request);
                let ran = Ran {
                    function: function.to_string(),
                    file: session.shown_path(path),
                    seed,
                    result,
                };
                if ran.is_wrong() || seed == options.seed.last {
                    answer.ran.push(ran);
                    break;
                }
            }
        }
    }
    if answer.ran.is_empty() && answer.errors.is_empty() {
        write_warning("there is no `#[device]` function to run");
    }
    answer.write(options, console)
}
