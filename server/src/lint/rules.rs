//! `visa-lint rules`: the catalogue.

use std::fmt::Write;

use serde::Serialize;
use visa_analysis::{Group, Rule, all_rules, rule_url};

use super::arguments::RulesFormat;
use super::format::json::pretty;
use super::output::Console;
use super::{Failure, Outcome};

#[derive(Serialize)]
struct Catalogue {
    version: u32,
    rules: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    name: &'static str,
    group: &'static str,
    level: &'static str,
    summary: &'static str,
    why: &'static str,
    heading: &'static str,
    url: String,
    wrong: &'static str,
    right: &'static str,
}

/// Runs the command.
pub(crate) fn run(format: RulesFormat, console: Console) -> Result<Outcome, Failure> {
    let answer = match format {
        RulesFormat::Human => human(),
        RulesFormat::Json => pretty(&Catalogue {
            version: 1,
            rules: all_rules().map(entry).collect(),
        })?,
        RulesFormat::Markdown => markdown(),
    };
    console.print(&answer)?;
    Ok(Outcome::Fine)
}

fn entry(rule: &Rule) -> Entry {
    Entry {
        name: rule.name,
        group: rule.group.name(),
        level: rule.default_level().name(),
        summary: rule.summary,
        why: rule.why,
        heading: rule.heading,
        url: rule_url(rule.name),
        wrong: rule.wrong,
        right: rule.right,
    }
}

/// The groups that have rules, each with its rules in the catalogue's order.
fn groups() -> impl Iterator<Item = (Group, Vec<&'static Rule>)> {
    Group::ALL
        .into_iter()
        .map(|group| {
            (
                group,
                all_rules()
                    .filter(|rule| rule.group == group)
                    .collect::<Vec<_>>(),
            )
        })
        .filter(|(_, rules)| !rules.is_empty())
}

fn human() -> String {
    let width = all_rules().map(|rule| rule.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    // Writing to a string cannot fail.
    for (group, rules) in groups() {
        let _ = writeln!(
            text,
            "{} ({} by default)",
            group.name(),
            group.default_level().name()
        );
        for rule in rules {
            let _ = writeln!(text, "  {:width$}  {}", rule.name, rule.summary);
        }
        text.push('\n');
    }
    let _ = writeln!(
        text,
        "{} rules; `visa-lint explain RULE` tells more about one",
        all_rules().count()
    );
    text
}

fn markdown() -> String {
    let mut text = String::from(
        "# The rules of visa-lint\n\nWritten by `visa-lint rules --format markdown`.\n\n| rule | group | level | what it reports |\n| --- | --- | --- | --- |\n",
    );
    for rule in all_rules() {
        let (name, group, level) = (rule.name, rule.group.name(), rule.default_level().name());
        let _ = writeln!(
            text,
            "| [`{name}`](#{name}) | {group} | {level} | {} |",
            rule.summary.replace('|', "\\|")
        );
    }
    for rule in all_rules() {
        let _ = write!(
            text,
            "\n## {}\n\nGroup `{}`, level `{}`. Stated in: {}.\n\n{}\n\n{}\n\nWrong:\n\n```rust\n{}\n```\n\nRight:\n\n```rust\n{}\n```\n",
            rule.name,
            rule.group.name(),
            rule.default_level().name(),
            rule.heading,
            rule.summary,
            rule.why,
            rule.wrong.trim_end(),
            rule.right.trim_end(),
        );
    }
    text
}
