//! `visa-lint explain RULE`: one rule's documentation.

use visa_analysis::{Rule, find_rule};

use super::arguments::{ExplainArguments, ExplainFormat};
use super::format::wrap;
use super::levels::did_you_mean;
use super::output::Console;
use super::pages::{self, Part};
use super::{Failure, Outcome};

/// Runs the command.
pub(crate) fn run(options: &ExplainArguments, console: Console) -> Result<Outcome, Failure> {
    let name = &options.rule;
    let Some(rule) = find_rule(name) else {
        return Err(Failure::new(format!(
            "no rule is called `{name}`{}",
            did_you_mean(name)
        )));
    };
    console.print(&match options.format {
        ExplainFormat::Human => page(rule, console.colored(), console.width()),
        ExplainFormat::Markdown => pages::markdown(rule),
    })?;
    Ok(Outcome::Fine)
}

fn page(rule: &Rule, colored: bool, width: usize) -> String {
    let (bold, plain) = if colored {
        ("\u{1b}[1m", "\u{1b}[0m")
    } else {
        ("", "")
    };
    let mut text = format!(
        "{bold}{}{plain} ({})\n\n{}\n",
        rule.name,
        pages::standing(rule),
        wrap(rule.summary, width)
    );
    for section in pages::sections(rule) {
        text.push_str(&format!("\n{bold}{}{plain}\n", section.title));
        for part in section.parts {
            match part {
                Part::Words(words) => text.push_str(&format!("\n{}\n", wrap(&words, width))),
                Part::Point(words) => text.push_str(&format!("\n{}\n", wrap(&words, width))),
                Part::Code(_, code) => text.push_str(&format!("\n{}", indented(&code))),
            }
        }
    }
    text.push_str(&format!("\n{bold}Page{plain}: {}\n", pages::address(rule)));
    text
}

fn indented(code: &str) -> String {
    code.lines()
        .map(|line| {
            if line.is_empty() {
                "\n".to_owned()
            } else {
                format!("    {line}\n")
            }
        })
        .collect()
}
