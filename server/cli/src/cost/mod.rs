//! `visa-lint cost`: what each kernel costs, and why.
//!
//! The engine predicts; here its answer is chosen, written and compared. Every number is a prediction from the book's
//! model, and a kernel of which something is unknown has no total.

mod compare;
pub(crate) mod drawn;
mod html;
mod human;
mod markdown;
mod numbered;
pub(crate) mod old;
mod overview;
mod patch;
mod schedule;
mod svg;
mod trace;
mod transfers;
mod unknown;
mod validate;

use visa_analysis::{Effort, KernelCost};

use super::arguments::{CostArguments, CostFormat};
use super::outcome::Outcome;
use super::output::Console;
use super::pool::in_pool;
use super::session::{Given, Session};
use crate::documents::json::cost as json;
use crate::documents::json::transfers::FileTransfers;
use crate::project::Failure;
use crate::project::effort::shared_effort;
use crate::project::files::StandardInput;
use crate::project::levels::Levels;
use crate::project::notes::{write_error, write_warning};
use crate::project::settings::Model;
use crate::project::writing::write_file;

use compare::{Comparison, State};
use patch::Wanted;

/// Runs the command.
pub(crate) fn run(options: &CostArguments, console: Console) -> Result<Outcome, Failure> {
    in_pool(options.jobs, || run_cost(options, console))
}

fn run_cost(options: &CostArguments, console: Console) -> Result<Outcome, Failure> {
    if let Some(words) = without_effect(options) {
        return Err(Failure::new(words));
    }
    let given = Given {
        paths: &options.paths,
        stdin: StandardInput::Text(options.stdin_filename.as_deref()),
        settings: &options.settings,
        since: None,
        quiet: options.quiet,
        inline_allow: true,
    };
    let mut session = Session::open(given, &Levels::default())?;
    let mut failed = session.say_unreadable();
    let named = options.kernel.as_deref();
    let (mut kernels, incomplete) = session.costs(search_effort(options, session.files()), named);
    failed |= incomplete;
    let mut moved = Vec::new();
    if options.compare.is_none() && options.validate.is_none() {
        let (files, incomplete) = session.transfer_costs();
        failed |= incomplete;
        moved = files;
    }
    keep_named(&mut kernels, &mut moved, named)?;
    if let Some(wanted) = wanted_change(options).filter(|_| !failed) {
        patch::run(&mut session, &kernels, wanted, console)?;
        return Ok(Outcome::Fine);
    }
    let colored = match &options.output_file {
        Some(_) => console.colored_file(),
        None => console.colored(),
    };
    let details = options.details || options.stages || options.kernel.is_some();
    let (text, exceeded) = match &options.compare {
        None if let Some(schedule) = &options.validate => {
            (validate::write(&kernels, schedule, colored)?, false)
        }
        Some(old) => {
            let limit = options.fail_on;
            let new: Vec<State> = kernels.iter().map(State::of).collect();
            let (mut before, incomplete) = old::states(&mut session, old, &kernels)?;
            failed |= incomplete;
            if let Some(name) = &options.kernel {
                before.retain(|kernel| kernel.name == *name);
            }
            let comparison = compare::compare_states(&before, &new, old, limit);
            let text = comparison_text(&comparison, options.format, details, colored)?;
            let aside = options.output_file.is_some() || options.format == CostFormat::Json;
            (text, verdict(&comparison, aside))
        }
        None => {
            let hints = !options.quiet && options.output_file.is_none();
            (
                one_state(
                    &session,
                    (&kernels, &moved),
                    options,
                    (details, hints),
                    colored,
                )?,
                false,
            )
        }
    };
    match &options.output_file {
        // A later reader of the file could not see that something is missing from it.
        Some(file) if failed => write_error(&format!(
            "`{}` is not written, because the run failed",
            file.display()
        )),
        Some(file) => write_file(file, &text)?,
        None => console.print(&text)?,
    }
    Ok(match (failed, exceeded) {
        (true, _) => Outcome::Failed,
        (false, true) => Outcome::Found,
        (false, false) => Outcome::Fine,
    })
}

/// An option that would change nothing in the answer that is asked for.
fn without_effect(options: &CostArguments) -> Option<&'static str> {
    let compared = options.compare.is_some() || options.validate.is_some();
    let human = options.format == CostFormat::Human;
    let tables = human || options.format == CostFormat::Markdown;
    match () {
        () if options.stages && (compared || !human) => Some(
            "--stages: only `--format human` without `--compare` or `--validate` has tables of stages to add to",
        ),
        () if options.validate.is_some() && !human => {
            Some("--format: `--validate` writes `human` alone")
        }
        () if options.validate.is_some() && options.settings.model == Some(Model::Book) => {
            Some("--model: `--validate` compares with the schedule model alone")
        }
        () if options.details && !tables => Some(
            "--details: only `human` and `markdown` leave operations out; the other formats always have them",
        ),
        () if options.effort.is_some_and(|effort| effort > 0)
            && (compared || !has_proposals(options.format)) =>
        {
            Some("--effort: no changes are searched, since this answer has no place for them")
        }
        () => None,
    }
}

/// Whether a format has a place for changes that would save cycles.
const fn has_proposals(format: CostFormat) -> bool {
    !matches!(
        format,
        CostFormat::Trace | CostFormat::Schedule | CostFormat::Svg
    )
}

/// How far remedies are searched: where nothing is written of them, not at all.
fn search_effort(options: &CostArguments, files: usize) -> Effort {
    if !has_proposals(options.format) || options.compare.is_some() || options.validate.is_some() {
        return Effort::from(0);
    }
    // A kernel that is asked for by name has the search for itself.
    let shared = || match options.kernel {
        Some(_) => Effort::from(visa_analysis::EFFORT),
        None => Effort::bounded(shared_effort(files)),
    };
    options.effort.map_or_else(shared, Effort::from)
}

/// What is to be done with a proposal, where that is asked for.
fn wanted_change(options: &CostArguments) -> Option<Wanted> {
    let apply = options.apply.map(Wanted::Apply);
    apply.or_else(|| options.diff.then_some(Wanted::Diff))
}

fn comparison_text(
    comparison: &Comparison<'_>,
    format: CostFormat,
    details: bool,
    colored: bool,
) -> Result<String, Failure> {
    match format {
        CostFormat::Human => Ok(compare::human_comparison(comparison, details, colored)),
        CostFormat::Json => compare::json(comparison),
        CostFormat::Markdown => Ok(markdown::comparison_table(comparison, details)),
        CostFormat::Trace | CostFormat::Schedule | CostFormat::Svg | CostFormat::Html => {
            let words = "`--compare` writes `human`, `markdown` or `json`; of the other formats, write one of each state";
            Err(Failure::new(words))
        }
    }
}

/// Whether the limit is exceeded; said on standard error where the answer itself goes to a program or a file.
fn verdict(comparison: &Comparison<'_>, aside: bool) -> bool {
    let Some(verdict) = &comparison.limit else {
        return false;
    };
    if aside {
        for one in &verdict.beyond {
            write_error(&format!("beyond --fail-on {}: {one}", verdict.limit));
        }
        for one in &verdict.unjudged {
            write_warning(&format!("not judged by --fail-on {}: {one}", verdict.limit));
        }
    }
    verdict.exceeded
}

fn one_state(
    session: &Session<'_>,
    (kernels, moved): (&[KernelCost], &[FileTransfers]),
    options: &CostArguments,
    (details, hints): (bool, bool),
    colored: bool,
) -> Result<String, Failure> {
    let details = details || kernels.len() < 2;
    let beside = |text: String, tables: String| match (kernels.is_empty(), moved.is_empty()) {
        (_, true) => text,
        (true, false) => tables,
        (false, false) => format!("{text}\n{tables}"),
    };
    Ok(match options.format {
        CostFormat::Human => {
            let text = if details {
                human::write(kernels, (options.stages, options.details), colored)
            } else {
                overview::write(kernels, hints, colored)
            };
            beside(text, transfers::human_transfers(moved, colored))
        }
        CostFormat::Markdown => beside(
            markdown::kernels_table(kernels, details),
            transfers::markdown_transfers(moved),
        ),
        CostFormat::Json => json::write(kernels, moved, session.unreadable().cloned().collect())?,
        CostFormat::Trace => trace::write(kernels, moved)?,
        CostFormat::Schedule => schedule::write(kernels)?,
        CostFormat::Svg => svg::write(kernels, moved),
        CostFormat::Html => html::write(session, kernels)?,
    })
}

/// Leaves the kernels of that name; naming none of those that exist is a mistake.
fn keep_named(
    kernels: &mut Vec<KernelCost>,
    moved: &mut Vec<FileTransfers>,
    name: Option<&str>,
) -> Result<(), Failure> {
    let Some(name) = name else {
        return Ok(());
    };
    let mut names: Vec<String> = kernels.iter().map(|kernel| kernel.name.clone()).collect();
    kernels.retain(|kernel| kernel.name == name);
    for file in &mut *moved {
        names.extend(file.functions.iter().map(|function| function.name.clone()));
        file.functions.retain(|function| function.name == name);
    }
    moved.retain(|file| !file.functions.is_empty());
    if kernels.is_empty() && moved.is_empty() {
        let known = if names.is_empty() {
            "there is none at all".to_owned()
        } else {
            format!("there are: {}", names.join(", "))
        };
        return Err(Failure::new(format!(
            "no kernel is called `{name}`; {known}"
        )));
    }
    Ok(())
}
