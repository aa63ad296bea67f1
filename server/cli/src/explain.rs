//! `visa-lint explain`: the documentation of rules and groups, found by their names or by what a library or a compiler said.

use rayon::prelude::*;
use visa_analysis::{
    Foreseen, Group, Level, RUN_RULES, Rule, RuleTexts as _, RunRule, all_rules, find_rule,
    find_run_rule, rules_foreseeing,
};

use super::arguments::{ExplainArguments, ExplainFormat};
use super::outcome::Outcome;
use super::output::Console;
use super::rules;
use super::styles::{ADDED, REMOVED, TITLE, styled};
use super::wrap::wrap_text;
use crate::documents::pages::{self, Kernel, Part};
use crate::documents::rule_words::{nothing_found_text, recognised, run_markdown, speaker};
use crate::project::Failure;
use crate::project::folder_dialects::asked_in;
use crate::project::settings::Dialect;
use visa_analysis::counted;

/// Candidates that are listed for a text.
const CANDIDATES: usize = 8;

/// Runs the command.
pub(crate) fn run(options: &ExplainArguments, console: Console) -> Result<Outcome, Failure> {
    console.print(&explain_answer(options, console)?)?;
    Ok(Outcome::Fine)
}

fn explain_answer(options: &ExplainArguments, console: Console) -> Result<String, Failure> {
    if options.all {
        let of_runs = RUN_RULES
            .iter()
            .filter_map(|rule| named_page(rule.name, options, console));
        let pages: Vec<String> = all_rules()
            .map(|rule| rendered_rule(rule, options, console))
            .chain(of_runs)
            .collect();
        return Ok(pages.join(BETWEEN));
    }
    let names: Vec<&str> = options.rules.iter().map(|name| name.trim()).collect();
    if let [only] = names.as_slice() {
        return explain_one(only, options, console);
    }
    let pages = names.iter().map(|name| named_page(name, options, console));
    let pages: Option<Vec<String>> = pages.collect();
    match pages {
        Some(pages) => Ok(pages.join(BETWEEN)),
        // Words that nobody has put in quotes.
        None if names.iter().all(|name| !is_known(name)) => {
            explain_one(&names.join(" "), options, console)
        }
        None => {
            let wrong = names.iter().filter(|name| !is_known(name));
            Err(Failure::several(
                wrong.map(|name| nothing_found_text(name)).collect(),
            ))
        }
    }
}

/// What is between two pages.
const BETWEEN: &str = "\n\n";

fn rendered_rule(rule: &Rule, options: &ExplainArguments, console: Console) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let asked = asked_in(&here, options.dialect);
    match options.format {
        ExplainFormat::Human => rule_page_text(rule, asked, console.colored(), console.width()),
        ExplainFormat::Markdown => pages::linked(rule, asked),
    }
}

fn is_known(name: &str) -> bool {
    find_rule(name).is_some() || find_run_rule(name).is_some() || group_of(name).is_some()
}

fn group_of(name: &str) -> Option<Group> {
    Group::ALL.into_iter().find(|group| group.name() == name)
}

/// The pages of the site about rules: the file names below `docs/rules` and the Markdown that they hold.
///
/// They show the newest release, whatever crate the process runs in.
pub fn rule_pages() -> Vec<(String, String)> {
    let all: Vec<&Rule> = all_rules().collect();
    let mut made = vec![("README.md".to_owned(), rules::markdown_index(&all))];
    let of_rules = all.par_iter().map(|rule| {
        let page = pages::linked(rule, Dialect::default());
        (format!("{}.md", rule.name), page)
    });
    made.extend(of_rules.collect::<Vec<_>>());
    made.extend(Group::ALL.map(|group| (format!("group-{}.md", group.name()), group_page(group))));
    made
}

/// The page of a rule or a group of that name.
fn named_page(name: &str, options: &ExplainArguments, console: Console) -> Option<String> {
    if let Some(rule) = find_rule(name) {
        return Some(rendered_rule(rule, options, console));
    }
    if let Some(rule) = find_run_rule(name) {
        return Some(match options.format {
            ExplainFormat::Human => run_page(rule, console.colored(), console.width()),
            ExplainFormat::Markdown => run_markdown(rule),
        });
    }
    group_of(name).map(|group| match options.format {
        ExplainFormat::Human => of_group(group, console.colored(), console.width()),
        ExplainFormat::Markdown => group_page(group),
    })
}

/// The page of a rule or a group, or what is known of a text that a library or a compiler said.
fn explain_one(
    name: &str,
    options: &ExplainArguments,
    console: Console,
) -> Result<String, Failure> {
    if let Some(page) = named_page(name, options, console) {
        return Ok(page);
    }
    let found = rules_foreseeing(name);
    match found.as_slice() {
        [] => Err(Failure::new(nothing_found_text(name))),
        [only] => {
            let found = wrap_text(&recognised(only), console.width());
            Ok(format!(
                "{found}\n\n{}",
                rendered_rule(only.rule, options, console)
            ))
        }
        several => Ok(foreseen_rules_text(several)),
    }
}

/// The rules that foresee a text, a line each with what is known of it.
fn foreseen_rules_text(found: &[Foreseen]) -> String {
    let alike = found.iter().all(|one| one.alike);
    let mut text = if alike {
        "No rule matches this text; rules for similar texts:\n".to_owned()
    } else {
        "Rules for this text, the closest first:\n".to_owned()
    };
    for one in found.iter().take(CANDIDATES) {
        let (name, by, words) = (one.rule.name, speaker(one), one.said.words);
        let summary = one.rule.summary();
        text.push_str(&format!("\n  {name}: {summary}\n    {by}: `{words}`\n"));
    }
    if found.len() > CANDIDATES {
        text.push_str(&format!("\n  and {} more\n", found.len() - CANDIDATES));
    }
    text.push_str("\nfor details: `visa-lint explain RULE`\n");
    text
}

/// What a group is for, how its level is set, and its rules, a line each.
fn of_group(group: Group, colored: bool, columns: usize) -> String {
    let rules: Vec<&Rule> = all_rules().filter(|rule| rule.group == group).collect();
    let width = rules.iter().map(|rule| rule.name.len()).max().unwrap_or(0);
    let (name, level) = (group.name(), group.default_level().name());
    let title = styled(name, TITLE, colored);
    let meaning = wrap_text(group.meaning(), columns);
    let mut text = format!("{title} (group, {level} by default)\n\n{meaning}\n\n");
    for rule in &rules {
        text.push_str(&format!("  {:width$}  {}\n", rule.name, rule.summary()));
    }
    let count = counted(rules.len() as u64, "rule");
    text.push_str(&format!(
        "\n{count}; for details: `visa-lint explain RULE`\n{}\n",
        wrap_text(&level_setting_text(group), columns)
    ));
    text
}

/// The same as a page.
fn group_page(group: Group) -> String {
    let name = group.name();
    let mut text = format!(
        "# Group {name}\n\n{} Level {} by default.\n\n| rule | what it reports |\n| --- | --- |\n",
        group.meaning(),
        group.default_level().name()
    );
    for rule in all_rules().filter(|rule| rule.group == group) {
        let summary = rule.summary().replace('|', "\\|");
        text.push_str(&format!("| [`{0}`]({0}.md) | {summary} |\n", rule.name));
    }
    text.push_str(&format!("\n{}\n", level_setting_text(group)));
    text
}

/// How the level of a group is set.
fn level_setting_text(group: Group) -> String {
    let name = group.name();
    let other = match group.default_level() {
        Level::Deny => Level::Warn,
        Level::Warn | Level::Allow => Level::Deny,
    };
    let other = other.name();
    format!(
        "For a run: `--{other} {name}`; for a project, in `visa-lint.toml` under `[levels]`: `{name} = \"{other}\"`."
    )
}

/// The page of a finding that runs have.
fn run_page(rule: &RunRule, colored: bool, width: usize) -> String {
    let title = |text: &str| styled(text, TITLE, colored);
    let mut text = format!(
        "{} (a finding of `visa-lint run`)\n\n{}\n",
        title(rule.name),
        wrap_text(&format!("{}.", rule.summary), width)
    );
    for paragraph in rule.why {
        text.push_str(&format!("\n{}\n", wrap_text(paragraph, width)));
    }
    for (name, kernel) in [("Wrong", rule.wrong), ("Right", rule.right)] {
        text.push_str(&format!("\n{}\n\n{}", title(name), indented(kernel)));
    }
    text
}

fn rule_page_text(rule: &Rule, asked: Dialect, colored: bool, width: usize) -> String {
    let title = |text: &str| styled(text, TITLE, colored);
    let shown = pages::rule_page(rule, asked);
    let mut text = format!(
        "{} ({})\n\n{}\n",
        title(rule.name),
        pages::standing(rule),
        wrap_text(&shown.lead, width)
    );
    for section in shown.sections {
        text.push_str(&format!("\n{}\n", title(section.title)));
        for part in section.parts {
            match part {
                Part::Words(words) => text.push_str(&format!("\n{}\n", wrap_text(&words, width))),
                Part::Point(words) => text.push_str(&format!("\n{}\n", wrap_text(&words, width))),
                Part::Code(_, code) => text.push_str(&format!("\n{}", indented(&code))),
                Part::Kernel(_, kernel) => {
                    text.push_str(&format!("\n{}", marked_kernel(&kernel, colored)));
                }
                // The lines of the kernels are marked.
                Part::Changes(_) => {}
            }
        }
    }
    if let Some(address) = pages::page_address(rule) {
        text.push_str(&format!("\n{}: {address}\n", title("Page")));
    }
    text
}

/// A kernel with the lines that the other one does not have marked.
fn marked_kernel(kernel: &Kernel, colored: bool) -> String {
    let style = if kernel.sign == '-' { REMOVED } else { ADDED };
    let lines = kernel.text.lines().enumerate().map(|(number, line)| {
        if kernel.marked.contains(&number) {
            let line = format!("  {} {line}", kernel.sign);
            format!("{}\n", styled(line.trim_end(), style, colored))
        } else {
            indented_line(line)
        }
    });
    lines.collect()
}

fn indented(code: &str) -> String {
    code.lines().map(indented_line).collect()
}

fn indented_line(line: &str) -> String {
    if line.is_empty() {
        "\n".to_owned()
    } else {
        format!("    {line}\n")
    }
}
