//! `visa-lint explain RULE`: one rule's documentation.

use visa_analysis::{Rule, find_rule, rule_url};

use super::format::wrap;
use super::levels::did_you_mean;
use super::output::Console;
use super::{Failure, Outcome};

/// Runs the command.
pub(crate) fn run(name: &str, console: Console) -> Result<Outcome, Failure> {
    let Some(rule) = find_rule(name) else {
        return Err(Failure::new(format!(
            "no rule is called `{name}`{}",
            did_you_mean(name)
        )));
    };
    console.print(&page(rule, console.colored()))?;
    Ok(Outcome::Fine)
}

fn page(rule: &Rule, colored: bool) -> String {
    let (bold, plain) = if colored {
        ("\u{1b}[1m", "\u{1b}[0m")
    } else {
        ("", "")
    };
    format!(
        "{bold}{}{plain} (group {}, level {})\n\n{}\n\n{}\n\n{bold}Stated in{plain}: {}\n{bold}Page{plain}: {}\n\n\
         {bold}Wrong{plain}\n\n{}\n{bold}Right{plain}\n\n{}",
        rule.name,
        rule.group.name(),
        rule.default_level().name(),
        wrap(rule.summary),
        wrap(rule.why),
        rule.heading,
        rule_url(rule.name),
        indented(rule.wrong),
        indented(rule.right),
    )
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
