//! `visa-lint check`: files in, findings out.

use std::collections::BTreeMap;
use std::sync::Arc;

use visa_analysis::{Diagnostic, DialectChoice, Level, OperationCounts, Options, Workspace};

use super::arguments::{CheckArguments, CheckFormat, Dialect, Target};
use super::files::Sources;
use super::format;
use super::levels::Levels;
use super::output::{Console, write_error, write_file, write_warning};
use super::{Failure, Outcome};

/// Stack of a checking thread in bytes: generous, because recursion over a file's nesting is bounded but deep.
const STACK_BYTES: usize = 64 << 20;

/// A finding that is reported, with its level.
#[derive(Debug)]
pub(crate) struct Finding {
    pub(crate) level: Level,
    pub(crate) diagnostic: Diagnostic,
}

/// All that a format writes.
#[derive(Debug)]
pub(crate) struct Outline<'a> {
    pub(crate) files: u64,
    pub(crate) kernels: u64,
    pub(crate) operations: &'a OperationCounts,
    /// In the order of files, places and rules; suppressed ones included.
    pub(crate) findings: &'a [Finding],
    pub(crate) texts: &'a Texts<'a>,
}

impl Outline<'_> {
    /// The findings that no suppression in the files covers.
    pub(crate) fn open(&self) -> impl Iterator<Item = &Finding> {
        self.findings
            .iter()
            .filter(|finding| !finding.diagnostic.suppressed)
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
    let mut pool = rayon::ThreadPoolBuilder::new().stack_size(STACK_BYTES);
    if let Some(jobs) = options.jobs {
        pool = pool.num_threads(usize::from(jobs));
    }
    let pool = pool
        .build()
        .map_err(|error| Failure::new(format!("cannot start threads: {error}")))?;
    pool.install(|| check(options, levels, console))
}

fn check(options: &CheckArguments, levels: &Levels, console: Console) -> Result<Outcome, Failure> {
    let sources = Sources::gather(&options.paths, options.stdin_filename.as_deref());
    for warning in sources.warnings.iter().filter(|_| !options.quiet) {
        write_warning(warning);
    }
    for error in &sources.errors {
        write_error(error);
    }
    let mut failed = !sources.errors.is_empty();

    let report = analyse(&sources, options);
    for (path, problem) in &report.problems {
        write_error(&format!("`{}`: {problem}", sources.shown(path)));
        failed = true;
    }
    for path in report.with_syntax_errors.iter().filter(|_| !options.quiet) {
        write_warning(&format!(
            "`{}` does not parse as Rust: only what parses is checked",
            sources.shown(path)
        ));
    }
    let mut findings: Vec<Finding> = report
        .diagnostics
        .into_iter()
        .map(|diagnostic| Finding {
            level: levels.of_finding(&diagnostic),
            diagnostic,
        })
        .filter(|finding| finding.level != Level::Allow)
        .collect();
    for finding in &mut findings {
        show_paths(&mut finding.diagnostic, &sources);
    }
    findings.sort_by(|one, other| place(&one.diagnostic).cmp(&place(&other.diagnostic)));

    let texts: Texts<'_> = sources
        .files
        .iter()
        .map(|file| (sources.shown(&file.path), file.text.as_str()))
        .collect();
    let outline = Outline {
        files: report.files,
        kernels: report.kernels,
        operations: &report.operations,
        findings: &findings,
        texts: &texts,
    };
    let denied = outline.open().any(|finding| finding.level == Level::Deny);
    write(options, &outline, console, failed)?;
    Ok(match () {
        () if failed => Outcome::Failed,
        () if denied && !options.exit_zero => Outcome::Found,
        () => Outcome::Fine,
    })
}

fn analyse(sources: &Sources, options: &CheckArguments) -> visa_analysis::Report {
    let mut workspace = Workspace::new();
    workspace.set_options(Options {
        dialect: match options.dialect {
            Dialect::Auto => DialectChoice::Auto,
            Dialect::VisaStd => DialectChoice::VisaStd,
            Dialect::OptStd => DialectChoice::OptStd,
        },
        target: match options.target {
            Target::Rngd => visa_analysis::Target::Rngd,
            Target::RngdS => visa_analysis::Target::RngdS,
        },
    });
    workspace.set_packages(sources.packages.clone());
    workspace.set_files(
        sources
            .files
            .iter()
            .map(|file| (file.path.as_str(), file.text.as_str())),
    );
    let report = workspace.analysis().check_files(&sources.reported);
    // The process ends after the report, and taking everything apart before would only delay it.
    std::mem::forget(workspace);
    report
}

fn write(
    options: &CheckArguments,
    outline: &Outline<'_>,
    console: Console,
    failed: bool,
) -> Result<(), Failure> {
    let colored = if options.output_file.is_some() {
        console.colored_file()
    } else {
        console.colored()
    };
    let answer = match options.format {
        CheckFormat::Human => {
            format::human::render(outline, colored, options.quiet, options.statistics)?
        }
        CheckFormat::Short => format::short::render(outline, options.quiet, options.statistics),
        CheckFormat::Json => format::json::render(outline, options.statistics)?,
    };
    match &options.output_file {
        None => console.print(&answer),
        // Whoever reads the file later could not see that something is missing from it.
        Some(path) if failed => {
            write_error(&format!(
                "`{}` is not written, because the run failed",
                path.display()
            ));
            Ok(())
        }
        Some(path) => write_file(path, &answer),
    }
}

/// Puts the paths that people gave in the place of the engine's.
fn show_paths(diagnostic: &mut Diagnostic, sources: &Sources) {
    let show = |path: &mut Arc<str>| *path = sources.shown(path).into();
    show(&mut diagnostic.file);
    for related in &mut diagnostic.related {
        show(&mut related.file);
    }
    for fix in &mut diagnostic.fixes {
        for edit in &mut fix.edits {
            show(&mut edit.file);
        }
    }
}

fn place(diagnostic: &Diagnostic) -> (&str, visa_analysis::Range, &str, &str) {
    (
        &diagnostic.file,
        diagnostic.range,
        diagnostic.rule,
        &diagnostic.message,
    )
}
