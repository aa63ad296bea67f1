//! `visa-lint check`: files in, findings out.

use std::collections::BTreeMap;

use visa_analysis::{Diagnostic, FileLibrary, Level, OperationCounts, UnresolvedPlace};

use super::arguments::{CheckArguments, CheckFormat};
use super::baseline;
use super::fixing;
use super::format::human::Look;
use super::format::{self, WIDTH};
use super::ignoring;
use super::levels::Levels;
use super::output::{Console, write_error, write_note};
use super::session::{Checked, Session};
use super::watch;
use super::writing::write_file;
use super::{Failure, Outcome};

/// Stack of a checking thread in bytes: generous, because recursion over a file's nesting is bounded but deep.
const STACK_BYTES: usize = 64 << 20;

/// The rule that shows what was not looked at.
pub(crate) const UNRESOLVED_OPERATION: &str = "unresolved_operation";

/// Operations that are named where a report is not asked for all of them; GitHub shows no more notices of a step.
const EXAMPLES: usize = 10;

/// A finding that is reported, with its level.
#[derive(Debug)]
pub(crate) struct Finding {
    pub(crate) level: Level,
    pub(crate) diagnostic: Diagnostic,
}

/// The library that a crate is written for.
#[derive(Debug)]
pub(crate) struct DialectOf<'a> {
    /// The package's name; for a file outside of all packages the root file of its modules.
    pub(crate) krate: String,
    pub(crate) library: &'a FileLibrary,
}

/// An operation that was not looked at.
#[derive(Debug)]
pub(crate) struct NotLookedAt {
    /// Its file, as people see it.
    pub(crate) file: String,
    pub(crate) place: UnresolvedPlace,
}

impl NotLookedAt {
    /// What stands there, and why it was not looked at.
    pub(crate) fn words(&self) -> String {
        let UnresolvedPlace { what, reason, .. } = &self.place;
        format!("`{what}` is not looked at: {reason}")
    }
}

/// All that a format writes.
#[derive(Debug)]
pub(crate) struct Outline<'a> {
    pub(crate) files: u64,
    pub(crate) kernels: u64,
    /// Functions that `cfg` leaves out.
    pub(crate) configured_out: u64,
    pub(crate) operations: &'a OperationCounts,
    /// In the order of files, places and rules; suppressed ones included.
    pub(crate) findings: &'a [Finding],
    /// Operations that were not looked at, in the order of files and places.
    pub(crate) unresolved: &'a [NotLookedAt],
    /// The libraries of the crates that the files belong to.
    pub(crate) dialects: &'a [DialectOf<'a>],
    pub(crate) texts: &'a Texts<'a>,
    /// How many findings are left out because a baseline knows them.
    pub(crate) known: u64,
    /// The files that were asked for, as people see them.
    pub(crate) reported: &'a [String],
    /// Whether everything that was asked for was checked.
    pub(crate) complete: bool,
}

impl Outline<'_> {
    /// The findings that no suppression in the files covers.
    pub(crate) fn open(&self) -> impl Iterator<Item = &Finding> {
        self.findings
            .iter()
            .filter(|finding| !finding.diagnostic.suppressed)
    }

    /// What the run says about operations that were not looked at: how many, and how to see them where nothing shows them.
    pub(crate) fn not_looked_at(&self) -> Option<String> {
        let count = self.operations.unresolved;
        if count == 0 {
            return None;
        }
        let words = format!(
            "{} {} not looked at",
            format::counted(count, "operation"),
            if count == 1 { "was" } else { "were" }
        );
        let them = if count == 1 { "it" } else { "them" };
        Some(if self.shows_unresolved() {
            words
        } else {
            format!("{words}; --warn {UNRESOLVED_OPERATION} shows {them}")
        })
    }

    /// The first operations that were not looked at and that no finding shows: formats with a line for each thing say where.
    pub(crate) fn examples(&self) -> impl Iterator<Item = &NotLookedAt> {
        let shown = self.shows_unresolved();
        let unsaid = self.unresolved.iter();
        unsaid
            .filter(move |operation| !shown && !operation.place.said_once)
            .take(EXAMPLES)
    }

    /// Whether findings say which operations were not looked at.
    pub(crate) fn shows_unresolved(&self) -> bool {
        self.open()
            .any(|finding| finding.diagnostic.rule == UNRESOLVED_OPERATION)
    }

    /// The open findings by rule.
    pub(crate) fn by_rule(&self) -> BTreeMap<&'static str, u64> {
        let mut counts = BTreeMap::new();
        for finding in self.open() {
            *counts.entry(finding.diagnostic.rule).or_insert(0) += 1;
        }
        counts
    }
}

/// Texts of files by the path that people see.
pub(crate) type Texts<'a> = BTreeMap<String, &'a str>;

/// Runs the command.
pub(crate) fn run(
    options: &CheckArguments,
    levels: &Levels,
    console: Console,
) -> Result<Outcome, Failure> {
    in_pool(options.jobs, || check(options, levels, console))
}

/// Runs something on threads with a stack that suits the engine.
pub(crate) fn in_pool<T: Send>(
    jobs: Option<u16>,
    run: impl FnOnce() -> Result<T, Failure> + Send,
) -> Result<T, Failure> {
    let mut pool = rayon::ThreadPoolBuilder::new().stack_size(STACK_BYTES);
    if let Some(jobs) = jobs {
        pool = pool.num_threads(usize::from(jobs));
    }
    let pool = pool
        .build()
        .map_err(|error| Failure::new(format!("cannot start threads: {error}")))?;
    pool.install(run)
}

fn check(options: &CheckArguments, levels: &Levels, console: Console) -> Result<Outcome, Failure> {
    let mut session = Session::open(options.into(), levels)?;
    if options.show_settings {
        let unreadable = session.say_unreadable();
        return session.show_settings(console, unreadable);
    }
    if options.watching.watch {
        watch::run(options, &mut session, console)
    } else {
        pass(options, &mut session, console)
    }
}

/// One pass over a session's files, from fixes to the report.
pub(crate) fn pass(
    options: &CheckArguments,
    session: &mut Session<'_>,
    console: Console,
) -> Result<Outcome, Failure> {
    let known = options.baseline.known()?;
    let unreadable = session.say_unreadable();
    if options.fixing.diff {
        return fixing::diff(options, session, console, unreadable);
    }
    let (fix, ignore) = (options.fixing.fix, options.ignoring.add_ignore);
    let before = (fix || ignore).then(|| session.own_texts());
    let fixed = fix.then(|| fixing::fix(options, session));
    let ignored = ignore.then(|| ignoring::add(options, session));
    let mut console = console;
    if let Some(before) = before {
        fixing::write_changes(session, &before, console)?;
        if options.paths.iter().any(|path| path.as_os_str() == "-") {
            // Standard output is for the new text.
            console = console.aside();
        }
    }
    let with_fixes = options.baseline.write_baseline.is_none() && carries_fixes(format_of(options));
    let mut checked = session.check(with_fixes);
    let failed = unreadable || checked.failed;
    if let Some(path) = options.baseline.write_baseline.as_deref() {
        return baseline::write(path, options, &checked, session, failed);
    }
    let gone = known
        .as_ref()
        .map(|known| known.take_known(&mut checked, session));
    let outcome = report(options, session, &checked, console, unreadable)?;
    if let (Some(known), Some(gone)) = (known, gone.filter(|_| !failed)) {
        known.settle(&gone, options)?;
    }
    if let Some(fixed) = fixed.filter(|_| !options.quiet) {
        fixing::sum_up(&fixed, checked.open().count());
    }
    if let Some(ignored) = ignored.filter(|_| !options.quiet) {
        ignoring::sum_up(ignored, checked.open().count());
    }
    Ok(outcome)
}

/// Writes what a check says, in the format that was asked for.
fn report(
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
    let outline = Outline {
        files: checked.files,
        kernels: checked.kernels,
        configured_out: checked.configured_out,
        operations: &checked.operations,
        findings: &checked.findings,
        unresolved: &checked.unresolved,
        dialects: &dialects,
        texts: &texts,
        known: checked.known,
        reported: &reported,
        complete: !failed,
    };
    let denied = outline.open().any(|finding| finding.level == Level::Deny);
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
        if options.output_file.is_none() && format::github::is_running() {
            CheckFormat::Github
        } else {
            CheckFormat::Human
        }
    })
}

/// Whether a format writes the edits of fixes: they are then completed.
const fn carries_fixes(format: CheckFormat) -> bool {
    match format {
        CheckFormat::Json | CheckFormat::Sarif | CheckFormat::Agent => true,
        CheckFormat::Human
        | CheckFormat::Short
        | CheckFormat::Github
        | CheckFormat::Gitlab
        | CheckFormat::Junit => false,
    }
}

fn write(options: &CheckArguments, outline: &Outline<'_>, console: Console) -> Result<(), Failure> {
    let look = Look {
        colored: colored(options, console),
        width: if options.output_file.is_some() {
            WIDTH
        } else {
            console.width()
        },
    };
    let format = format_of(options);
    let answer = match format {
        CheckFormat::Human => {
            format::human::render(outline, look, options.quiet, options.statistics)?
        }
        CheckFormat::Short => format::short::render(outline, options.quiet, options.statistics),
        CheckFormat::Json => format::json::render(outline, options.statistics)?,
        CheckFormat::Sarif => format::sarif::render(outline)?,
        CheckFormat::Github => format::github::render(outline, options.quiet, options.statistics),
        CheckFormat::Gitlab => format::gitlab::render(outline)?,
        CheckFormat::Junit => format::junit::render(outline)?,
        CheckFormat::Agent => format::agent::render(outline, options.quiet),
    };
    // What a program reads has no room for a sentence.
    let silent = matches!(format, CheckFormat::Gitlab);
    if let Some(words) = outline.not_looked_at().filter(|_| silent && !options.quiet) {
        write_note(&words);
    }
    deliver(options, &answer, console, !outline.complete)
}

/// Whether the answer carries colours where it was asked for.
pub(crate) fn colored(options: &CheckArguments, console: Console) -> bool {
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
        // Whoever reads the file later could not see that something is missing from it.
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
