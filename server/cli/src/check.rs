//! `visa-lint check`: files in, findings out.

use visa_analysis::Level;

use super::arguments::{CheckArguments, CheckFormat, FixArguments};
use super::baseline;
use super::cache::Cache;
use super::delivery::{deliver, is_colored};
use super::fixing;
use super::format;
use super::format::Extent;
use super::format::human::Look;
use super::ignoring;
use super::outcome::Outcome;
use super::outline::{Outline, leave_out};
use super::output::Console;
use super::pool::in_pool;
use super::session::{Checked, Session};
use super::watch::{self, Follower};
use super::wrap::WIDTH;
use crate::project::Failure;
use crate::project::levels::Levels;
use crate::project::notes::{write_error, write_note};
use visa_analysis::counted;

/// Runs the command.
pub(crate) fn run(
    options: &CheckArguments,
    levels: &Levels,
    console: Console,
) -> Result<Outcome, Failure> {
    in_pool(options.jobs, || run_check(options, levels, console))
}

fn run_check(
    options: &CheckArguments,
    levels: &Levels,
    console: Console,
) -> Result<Outcome, Failure> {
    let FixArguments {
        fix,
        diff,
        unsafe_fixes,
    } = options.fixing;
    if unsafe_fixes && !fix && !diff {
        return Err(Failure::new(
            "--unsafe-fixes: it says which fixes `--fix` applies or `--diff` prints, and neither is given",
        ));
    }
    if options.statistics && !format::has_place_for_counts(format_of(options)) {
        let words = "--statistics: this format has no place for counts; `human`, `short`, `json`, `jsonl`, `github` and `agent` have one";
        return Err(Failure::new(words));
    }
    let mut session = Session::open(options.into(), levels)?;
    if options.show_settings {
        let unreadable = session.say_unreadable();
        return session.show_settings(console, unreadable);
    }
    if options.watching.watch {
        let mut again = Again { options, console };
        watch::run(options.into(), &mut session, &mut again)?;
        Ok(Outcome::Fine)
    } else {
        run_pass(options, &mut session, console)
    }
}

/// `--watch`: a check at each change, until nobody reads its output any more.
struct Again<'a> {
    options: &'a CheckArguments,
    console: Console,
}

impl Follower for Again<'_> {
    fn pass(&mut self, session: &mut Session<'_>) -> bool {
        self.console.clear();
        match run_pass(self.options, session, self.console) {
            Err(failure) => failure.say(),
            Ok(_) if self.console.is_closed() => return false,
            Ok(_) => {}
        }
        if !self.options.quiet {
            let files = session.reported_paths().count() as u64;
            write_note(&format!("watching {}", counted(files, "file")));
        }
        true
    }

    fn is_stuck(&mut self, failure: &Failure) {
        failure.say();
    }
}

/// One pass over a session's files, from fixes to the report.
fn run_pass(
    options: &CheckArguments,
    session: &mut Session<'_>,
    console: Console,
) -> Result<Outcome, Failure> {
    let known = options.baseline.known_baseline()?;
    let unreadable = session.say_unreadable();
    let FixArguments { fix, diff, .. } = options.fixing;
    if fix || diff || options.ignoring.add_ignore {
        session.leave_outside_alone();
    }
    if diff {
        return fixing::diff(options, session, console, unreadable);
    }
    let ignore = options.ignoring.add_ignore;
    let before = (fix || ignore).then(|| session.own_texts());
    let fixed = fix.then(|| fixing::fix_session(options, session));
    let ignored = ignore.then(|| ignoring::add(options, session));
    let mut console = console;
    if let Some(before) = before {
        fixing::write_changes(session, &before, console)?;
        let is_named = options.paths.iter().any(|path| path.as_os_str() == "-");
        if is_named || options.stdin_filename.is_some() {
            // Standard output is for the new text.
            console = console.aside();
        }
    }
    let with_fixes =
        options.baseline.write_baseline.is_none() && format::carries_helps(format_of(options));
    let cache = Cache::of_check(&options.cache, &options.paths);
    let mut checked = session.check(with_fixes, cache.as_ref());
    let failed = unreadable || checked.failed;
    if let Some(path) = options.baseline.write_baseline.as_deref() {
        return baseline::write(path, options, &checked, session, failed);
    }
    let gone = known
        .as_ref()
        .map(|known| known.take_known(&mut checked, session));
    if let Some(most) = options.limits.max_diagnostics {
        leave_out(
            &mut checked.findings,
            usize::try_from(most).unwrap_or(usize::MAX),
        );
    }
    let outcome = report_check(options, session, &checked, console, unreadable)?;
    if let (Some(known), Some(gone)) = (known, gone.filter(|_| !failed)) {
        known.settle_gone(&gone, options)?;
    }
    if let Some(fixed) = fixed.filter(|_| !options.quiet) {
        fixing::sum_up(&fixed, checked.unsuppressed_findings().count());
        fixing::say_left_out(&fixed, session);
    }
    if let Some(ignored) = ignored.filter(|_| !options.quiet) {
        ignoring::sum_up(ignored, checked.unsuppressed_findings().count());
    }
    Ok(outcome)
}

/// Writes what a check says, in the format that was asked for.
fn report_check(
    options: &CheckArguments,
    session: &Session<'_>,
    checked: &Checked,
    console: Console,
    unreadable: bool,
) -> Result<Outcome, Failure> {
    let failed = unreadable || checked.failed;
    let texts = session.texts();
    let reported = session.reported();
    let dialects = session.dialects(&checked.libraries);
    let errors = session.unreadable().chain(&checked.problems);
    let errors: Vec<&str> = errors.map(String::as_str).collect();
    let outline = Outline {
        files: checked.files,
        kernels: checked.kernels,
        languages: &checked.languages,
        configured_out: checked.configured_out,
        operations: &checked.operations,
        findings: &checked.findings,
        unresolved: &checked.unresolved,
        not_followed: &checked.not_followed,
        dialects: &dialects,
        texts: &texts,
        known: checked.known,
        reported: &reported,
        complete: !failed,
        errors: &errors,
    };
    let denied = outline
        .unsuppressed_findings()
        .any(|finding| finding.level == Level::Deny);
    let too_many = options.limits.exceeded(&outline);
    write(options, &outline, console)?;
    if let Some(words) = &too_many {
        write_error(words);
    }
    let found = denied || too_many.is_some();
    Ok(match () {
        () if failed => Outcome::Failed,
        () if found && !options.exit_zero => Outcome::Found,
        () => Outcome::Fine,
    })
}

/// The format that was asked for.
fn format_of(options: &CheckArguments) -> CheckFormat {
    options.format.unwrap_or_else(|| {
        if options.output_file.is_some() {
            CheckFormat::Human
        } else if format::agent::is_calling() {
            CheckFormat::Agent
        } else if format::github::is_running() {
            CheckFormat::Github
        } else {
            CheckFormat::Human
        }
    })
}

fn write(options: &CheckArguments, outline: &Outline<'_>, console: Console) -> Result<(), Failure> {
    let look = Look {
        colored: is_colored(options, console),
        width: if options.output_file.is_some() {
            WIDTH
        } else {
            console.width()
        },
    };
    let format = format_of(options);
    let extent = Extent {
        quiet: options.quiet,
        statistics: options.statistics,
    };
    let answer = format::render_outline(format, outline, look, extent)?;
    if !format::says_what_is_unresolved(format) && !options.quiet {
        let words = outline.not_looked_at(false).into_iter();
        let words: Vec<String> = words.chain(outline.not_followed_words()).collect();
        if !words.is_empty() {
            write_note(&words.join("; "));
        }
    }
    // A report that is cut short must not be taken for a whole one, however little else is said.
    if !format::says_what_is_left_out(format)
        && let Some(words) = outline.left_out_words()
    {
        write_note(&words);
    }
    deliver(options, &answer, console, !outline.complete)
}
