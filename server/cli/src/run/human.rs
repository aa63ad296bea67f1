//! Runs for people: what ran, what its outputs are, and what is to be known about the numbers.

use visa_analysis::arrays::shape_text;
use visa_analysis::{RunOutput, RunReport, TracedValue, counted, thousands, visible};

use super::ran::Ran;
use crate::arguments::RunArguments;
use crate::styles::{TITLE, styled};

/// Errors of the lint that are named.
const STANDING: usize = 5;

/// What is said of one function below the findings. Nothing of one that did not run: standard error says that.
pub(super) fn about(ran: &Ran, options: &RunArguments, colored: bool) -> String {
    let Ok(report) = &ran.result else {
        return String::new();
    };
    let ended = report.outputs.is_empty() && !report.findings.is_empty();
    let did = if ended { "stopped in" } else { "ran" };
    let mut text = format!(
        "{} (release {}, seed {}): {}\n",
        styled(&format!("{did} {}", report.function), TITLE, colored),
        report.release,
        ran.seed,
        counted(report.operations, "operation"),
    );
    let widest = report.outputs.iter().map(|output| output.name.len()).max();
    for output in &report.outputs {
        text.push_str(&format!(
            "  {:width$}  {} {}  {}\n",
            output.name,
            output.values.kind(),
            shape_text(&output.shape),
            definedness(output),
            width = widest.unwrap_or(0),
        ));
    }
    for value in &report.traced {
        text.push_str(&traced(value));
    }
    if options.numbers {
        text.push_str(&numbers(report));
    }
    for note in &report.notes {
        text.push_str(&format!("note: {}\n", visible(note)));
    }
    text.push_str(&standing(report));
    text
}

/// Live elements of an output.
fn live(output: &RunOutput) -> u64 {
    let live = output
        .live
        .as_ref()
        .map(visa_analysis::arrays::Bits::count_set);
    live.unwrap_or(output.values.len()) as u64
}

/// How many elements the device is sure to hold, in words.
fn definedness(output: &RunOutput) -> String {
    let all = live(output);
    if output.undefined == 0 && output.stale == 0 {
        return format!("all {} defined", counted(all, "element"));
    }
    let parts = [(output.undefined, "undefined"), (output.stale, "stale")];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{} {what}", thousands(count)))
        .collect();
    format!("{} of {}", parts.join(", "), counted(all, "element"))
}

fn traced(value: &TracedValue) -> String {
    let mut text = format!(
        "  line {}: `{}` {} {}  {}",
        value.span.range.start.line,
        visible(&value.name),
        value.kind,
        shape_text(&value.shape),
        visible(&value.mapping),
    );
    if let Some((least, most)) = value.range_of_values {
        text.push_str(&format!(", {least} to {most}"));
    }
    if value.undefined > 0 {
        text.push_str(&format!(
            ", {} of {} undefined",
            thousands(value.undefined),
            counted(value.live, "element")
        ));
    }
    text.push('\n');
    text
}

fn numbers(report: &RunReport) -> String {
    let numbers = &report.numbers;
    let counts = [
        (numbers.wrapped, "wrapped"),
        (numbers.saturated, "saturated"),
        (numbers.flushed, "flushed to zero"),
        (numbers.became_nan, "became NaN"),
    ];
    let counts: Vec<String> = counts
        .into_iter()
        .map(|(count, what)| format!("{} {what}", thousands(count)))
        .collect();
    format!("numbers: {}\n", counts.join(", "))
}

/// The errors of the lint that stand in a kernel that ran regardless.
fn standing(report: &RunReport) -> String {
    let count = report.standing.len();
    if count == 0 {
        return String::new();
    }
    let stand = if count == 1 { "stands" } else { "stand" };
    let mut text = format!(
        "note: {} of `visa-lint check` {stand} in the kernel\n",
        counted(count as u64, "error")
    );
    for error in report.standing.iter().take(STANDING) {
        text.push_str(&format!(
            "  {}:{}: {}: {}\n",
            visible(&error.span.file),
            error.span.range.start.line,
            error.rule,
            visible(&error.message)
        ));
    }
    if count > STANDING {
        text.push_str(&format!("  and {} more\n", count - STANDING));
    }
    text
}

/// How many functions ran, and how many did not.
pub(super) fn summary(ran: &[Ran]) -> String {
    let fine = ran.iter().filter(|ran| !ran.is_wrong()).count() as u64;
    let not_run = ran.iter().filter(|ran| ran.result.is_err()).count() as u64;
    let found = ran.len() as u64 - fine - not_run;
    format!(
        "{}: {fine} defined in all elements, {found} with findings, {not_run} not run\n",
        counted(ran.len() as u64, "function")
    )
}
