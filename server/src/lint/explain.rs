//! `visa-lint explain RULE`: one rule's documentation.

use visa_analysis::{Rule, find_rule};

use super::arguments::{ExplainArguments, ExplainFormat};
use super::outcome::Outcome;
use super::output::Console;
use super::pages::{self, Part};
use super::styles::{TITLE, styled};
use super::wrap::wrap;
use crate::project::Failure;
use crate::project::levels::did_you_mean;

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
    let title = |text: &str| styled(text, TITLE, colored);
    let mut text = format!(
        "{} ({})\n\n{}\n",
        title(rule.name),
        pages::standing(rule),
        wrap(&rule.summary(), width)
    );
    for section in pages::sections(rule) {
        text.push_str(&format!("\n{}\n", title(section.title)));
        for part in section.parts {
            match part {
                Part::Words(words) => text.push_str(&format!("\n{}\n", wrap(&words, width))),
                Part::Point(words) => text.push_str(&format!("\n{}\n", wrap(&words, width))),
                Part::Code(_, code) => text.push_str(&format!("\n{}", indented(&code))),
            }
        }
    }
    text.push_str(&format!("\n{}: {}\n", title("Page"), pages::address(rule)));
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
