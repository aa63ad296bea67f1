//! `visa-lint run`: executes a kernel, and says which results the device is not sure to hold.
//!
//! The engine executes; here inputs are read, and its answer is compared, written and judged.

mod all;
pub(crate) mod answer;
mod comparing;
mod human;
mod inputs;
mod outputs;
mod ran;
pub(crate) mod sources;

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use visa_analysis::{RunRefusal, RunReport, RunRequest};

use self::answer::Answer;
use self::comparing::Compared;
use self::inputs::InputFiles;
use self::ran::Ran;
use self::sources::{Named, Target};
use super::arguments::RunArguments;
use super::outcome::Outcome;
use super::output::Console;
use crate::project::Failure;

/// How long a run may take before it is said that it runs.
const PATIENCE: Duration = Duration::from_secs(2);

/// Runs the command.
pub(crate) fn run(options: &RunArguments, console: Console) -> Result<Outcome, Failure> {
    if let Some(words) = without_effect(options) {
        return Err(Failure::new(words));
    }
    if options.all {
        return all::run(options, console);
    }
    let [target] = options.targets.as_slice() else {
        return Err(Failure::new(
            "one kernel runs at a time; `--all` runs every `#[device]` function of files and folders",
        ));
    };
    let inputs = InputFiles::named(&options.input)?;
    let wanted = outputs::Wanted::of(options)?;
    let expected = comparing::Expected::read(options)?;
    let (target, old) = (
        Named::parse(target),
        options.against.as_deref().map(Named::parse),
    );
    let target = Target::open(&target, &options.settings, options.quiet)?;
    let against = old
        .as_ref()
        .map(|old| Target::open(old, &options.settings, options.quiet))
        .transpose()?;
    let mut answer = Answer::default();
    for seed in options.seed.first..=options.seed.last {
        let request = RunRequest {
            seed,
            inputs: inputs.read(options.max_memory)?,
            ..options.request()
        };
        let ran = one(&target, against.as_ref(), &expected, request, options)?;
        let ends = ran.is_wrong() || seed == options.seed.last;
        if ends {
            if let Ok(report) = &ran.result {
                wanted.write(report)?;
            }
            answer.ran.push(ran);
            break;
        }
    }
    answer.texts = target.texts();
    if let Some(against) = &against {
        answer.texts.extend(against.texts());
    }
    answer.write(options, console)
}

/// An option that would change nothing.
fn without_effect(options: &RunArguments) -> Option<&'static str> {
    let compares = options.against.is_some() || !options.expect.is_empty();
    match () {
        () if options.rtol.is_some() && !compares => {
            Some("--rtol: there is nothing to compare; `--expect` or `--against` names it")
        }
        () if options.atol.is_some() && !compares => {
            Some("--atol: there is nothing to compare; `--expect` or `--against` names it")
        }
        () if options.bits && !compares => {
            Some("--bits: there is nothing to compare; `--expect` or `--against` names it")
        }
        () if options.settings.model.is_some() => {
            Some("--model: a run counts no cycles; `visa-lint cost` does")
        }
        () if options.settings.doc => {
            Some("--doc: a run takes the functions of files, not those of doc comments")
        }
        () => None,
    }
}

/// Runs a function once, and what it is compared with.
fn one(
    target: &Target<'_>,
    against: Option<&Target<'_>>,
    expected: &comparing::Expected,
    request: RunRequest,
    options: &RunArguments,
) -> Result<Ran, Failure> {
    let seed = request.seed;
    let inputs = request.inputs.clone();
    let mut result = run_of(target, request.clone(), options.quiet);
    let mut compared = Compared::default();
    if let Ok(report) = &mut result {
        compared.with_files(report, expected, options)?;
        if let Some(old) = against {
            match run_of(old, RunRequest { inputs, ..request }, options.quiet) {
                Ok(old) => compared.with_run(report, &old, options)?,
                Err(refusal) => {
                    return Ok(Ran {
                        function: old.title(),
                        file: old.file(),
                        seed,
                        result: Err(refusal),
                    });
                }
            }
        }
        report.findings.append(&mut compared.findings);
        report.notes.append(&mut compared.notes);
    }
    Ok(Ran {
        function: match &result {
            Ok(report) => report.function.to_string(),
            Err(_) => target.title(),
        },
        file: target.file(),
        seed,
        result,
    })
}

/// Runs a function, with a sign of life on the terminal where that takes long.
fn run_of(target: &Target<'_>, request: RunRequest, quiet: bool) -> Result<RunReport, RunRefusal> {
    let request = RunRequest {
        function: target.function(),
        ..request
    };
    let bar = Waiting::new(&target.title(), quiet);
    let result = target.run(&request);
    drop(bar);
    result
}

/// A spinner that appears on standard error after a while.
struct Waiting {
    done: Option<std::sync::mpsc::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Waiting {
    fn new(function: &str, quiet: bool) -> Self {
        if quiet || ProgressDrawTarget::stderr().is_hidden() {
            return Self {
                done: None,
                thread: None,
            };
        }
        let (done, ends) = std::sync::mpsc::channel();
        let text = format!("running {function}");
        let thread = std::thread::spawn(move || {
            // Ends at once where the run does, which drops the other side.
            if ends.recv_timeout(PATIENCE) != Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                return;
            }
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}, {elapsed}") {
                bar.set_style(style);
            }
            bar.set_message(text);
            bar.enable_steady_tick(Duration::from_millis(200));
            let _ = ends.recv();
            bar.finish_and_clear();
        });
        Self {
            done: Some(done),
            thread: Some(thread),
        }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.done.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
