//! `visa-lint cost`: what each kernel costs, and why.
//!
//! The engine predicts; here its answer is chosen, written and compared. Every number is a prediction from the book's
//! model, and a kernel of which something is unknown has no total.

mod compare;
mod human;
mod schedule;
mod svg;
mod trace;

use visa_analysis::KernelCost;

use super::arguments::{CostArguments, CostFormat};
use super::outcome::Outcome;
use super::output::{Console, write_error};
use super::pool::in_pool;
use super::session::{Given, Session};
use super::writing::write_file;
use crate::json::cost as json;
use crate::project::Failure;
use crate::project::levels::Levels;

/// Runs the command.
pub(crate) fn run(options: &CostArguments, console: Console) -> Result<Outcome, Failure> {
    in_pool(options.jobs, || cost(options, console))
}

fn cost(options: &CostArguments, console: Console) -> Result<Outcome, Failure> {
    let given = Given {
        paths: &options.paths,
        stdin_filename: options.stdin_filename.as_deref(),
        settings: &options.settings,
        quiet: options.quiet,
    };
    let mut session = Session::open(given, &Levels::default())?;
    let mut failed = session.say_unreadable();
    let (mut kernels, incomplete) = session.costs(effort(options, session.files()));
    failed |= incomplete;
    choose(&mut kernels, options.kernel.as_deref())?;
    let colored = match &options.output_file {
        Some(_) => console.colored_file(),
        None => console.colored(),
    };
    let text = match (&options.compare, options.format) {
        (Some(old), format) => {
            session.set_texts(compare::old_texts(&session, old)?);
            let (mut before, incomplete) = session.costs(0);
            failed |= incomplete;
            before.retain(|kernel| {
                options
                    .kernel
                    .as_ref()
                    .is_none_or(|name| kernel.name == *name)
            });
            let changes = compare::changes(&before, &kernels);
            match format {
                CostFormat::Human => compare::human(&changes, old, colored),
                CostFormat::Json => compare::json(&changes, old)?,
                CostFormat::Trace | CostFormat::Schedule | CostFormat::Svg => {
                    let words = "`--compare` writes `human` or `json`; the viewers of the other formats compare two files themselves";
                    return Err(Failure::new(words));
                }
            }
        }
        (None, format) => one_state(&kernels, format, options.stages, colored)?,
    };
    match &options.output_file {
        // Whoever reads the file later could not see that something is missing from it.
        Some(file) if failed => write_error(&format!(
            "`{}` is not written, because the run failed",
            file.display()
        )),
        Some(file) => write_file(file, &text)?,
        None => console.print(&text)?,
    }
    Ok(if failed {
        Outcome::Failed
    } else {
        Outcome::Fine
    })
}

/// Changes that are tried of the kernels of many files together, where nothing is said.
const SHARED_EFFORT: usize = 1_000;

/// The fewest that are tried of a kernel, where nothing is said.
const LEAST_EFFORT: usize = 10;

/// How far remedies are searched: where nothing is written of them, not at all.
fn effort(options: &CostArguments, files: usize) -> usize {
    let writes = matches!(options.format, CostFormat::Human | CostFormat::Json);
    if !writes || options.compare.is_some() {
        return 0;
    }
    let shared = SHARED_EFFORT / files.max(1);
    options
        .effort
        .unwrap_or_else(|| shared.clamp(LEAST_EFFORT, visa_analysis::EFFORT))
}

fn one_state(
    kernels: &[KernelCost],
    format: CostFormat,
    stages: bool,
    colored: bool,
) -> Result<String, Failure> {
    Ok(match format {
        CostFormat::Human => human::write(kernels, stages, colored),
        CostFormat::Json => json::write(kernels)?,
        CostFormat::Trace => trace::write(kernels)?,
        CostFormat::Schedule => schedule::write(kernels)?,
        CostFormat::Svg => svg::write(kernels),
    })
}

/// Leaves the kernels of that name; naming none of those that exist is a mistake.
fn choose(kernels: &mut Vec<KernelCost>, name: Option<&str>) -> Result<(), Failure> {
    let Some(name) = name else {
        return Ok(());
    };
    let names: Vec<String> = kernels.iter().map(|kernel| kernel.name.clone()).collect();
    kernels.retain(|kernel| kernel.name == name);
    if kernels.is_empty() {
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
