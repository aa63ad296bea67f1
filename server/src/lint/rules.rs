//! `visa-lint rules`: the catalogue.

use std::borrow::Cow;
use std::fmt::Write;

use serde::Serialize;
use visa_analysis::{Confirmer, Engine, Group, Library, Rule, Said, Speaker, all_rules, rule_url};

use super::arguments::{RulesArguments, RulesFormat};
use super::outcome::Outcome;
use super::output::Console;
use super::words::counted;
use crate::json::pretty;
use crate::project::Failure;
use crate::project::levels::did_you_mean;

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
    summary: Cow<'static, str>,
    why: Cow<'static, str>,
    heading: &'static str,
    engine: &'static str,
    since: &'static str,
    aliases: &'static [&'static str],
    holds: Vec<Holds>,
    otherwise: Option<&'static str>,
    instead: &'static [&'static str],
    texts: Vec<Text>,
    fix: bool,
    alternatives: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    wrong: &'static str,
    right: &'static str,
}

/// A library in which a rule holds, and who finds there what it finds.
#[derive(Serialize)]
struct Holds {
    library: &'static str,
    since: String,
    until: Option<String>,
    /// The first release whose own code refuses it.
    refused_since: Option<String>,
}

/// A part of what a library or a compiler says of it.
#[derive(Serialize)]
struct Text {
    by: &'static str,
    words: &'static str,
}

/// Runs the command.
pub(crate) fn run(options: &RulesArguments, console: Console) -> Result<Outcome, Failure> {
    let rules = having(&options.filter)?;
    let answer = match options.format {
        RulesFormat::Human => human(&rules),
        RulesFormat::Json => pretty(&Catalogue {
            version: 1,
            rules: rules.iter().copied().map(entry).collect(),
        })?,
        RulesFormat::Markdown => markdown(&rules),
    };
    console.print(&answer)?;
    Ok(Outcome::Fine)
}

/// The rules whose name, group and summary together have all words, in the catalogue's order; capitals do not count.
///
/// # Errors
///
/// No rule has them all: the words say which of them none has.
fn having(filter: &[String]) -> Result<Vec<&'static Rule>, Failure> {
    let filter = filter.join(" ").to_lowercase();
    let words: Vec<&str> = filter.split_whitespace().collect();
    let texts: Vec<(&Rule, String)> = all_rules()
        .map(|rule| {
            let text = format!("{} {} {}", rule.name, rule.group.name(), rule.summary());
            (rule, text.to_lowercase())
        })
        .collect();
    let has_all = |text: &str| words.iter().all(|word| text.contains(word));
    let found = texts.iter().filter(|(_, text)| has_all(text));
    let found: Vec<&Rule> = found.map(|(rule, _)| *rule).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let in_none = |word: &&&str| !texts.iter().any(|(_, text)| text.contains(**word));
    Err(Failure::new(match words.iter().find(in_none) {
        Some(word) => format!(
            "no rule has `{word}` in its name, group or summary{}",
            did_you_mean(word)
        ),
        None => {
            let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
            format!(
                "each of {} is in the name, group or summary of some rule, and no rule has them all",
                words.join(", ")
            )
        }
    }))
}

fn entry(rule: &Rule) -> Entry {
    Entry {
        name: rule.name,
        group: rule.group.name(),
        level: rule.default_level().name(),
        summary: rule.summary(),
        why: rule.why(),
        heading: rule.heading,
        engine: rule.engine.name(),
        since: rule.since,
        aliases: rule.aliases,
        holds: Library::ALL
            .into_iter()
            .filter_map(|library| holds(rule, library))
            .collect(),
        otherwise: rule.refused.otherwise().map(Confirmer::name),
        instead: rule.instead,
        texts: rule.texts().iter().map(text).collect(),
        fix: rule.offers.fix,
        alternatives: rule.offers.alternatives,
        url: rule_url(rule.name),
        wrong: rule.wrong,
        right: rule.right,
    }
}

fn holds(rule: &Rule, library: Library) -> Option<Holds> {
    let releases = rule.holds.releases(library)?;
    let refused = rule.refused.since_release(library);
    Some(Holds {
        library: library.name(),
        since: releases.since.to_string(),
        until: releases.until.map(|until| until.to_string()),
        refused_since: refused.map(|since| since.max(releases.since).to_string()),
    })
}

fn text(said: &Said) -> Text {
    Text {
        by: match said.by {
            Speaker::Library => "library",
            Speaker::Compiler => "compiler",
        },
        words: said.words,
    }
}

/// The groups that have some of the rules, each with these in the catalogue's order.
fn groups(rules: &[&'static Rule]) -> impl Iterator<Item = (Group, Vec<&'static Rule>)> {
    Group::ALL
        .into_iter()
        .map(|group| {
            let of_group = rules.iter().copied().filter(|rule| rule.group == group);
            (group, of_group.collect::<Vec<_>>())
        })
        .filter(|(_, rules)| !rules.is_empty())
}

fn human(rules: &[&'static Rule]) -> String {
    let width = rules.iter().map(|rule| rule.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    // Writing to a string cannot fail.
    for (group, of_group) in groups(rules) {
        let _ = writeln!(
            text,
            "{} ({} by default)",
            group.name(),
            group.default_level().name()
        );
        for rule in of_group {
            let _ = writeln!(text, "  {:width$}  {}", rule.name, rule.summary());
        }
        text.push('\n');
    }
    let count = counted(rules.len() as u64, "rule");
    let _ = writeln!(
        text,
        "{count}; `visa-lint explain RULE` tells more about one"
    );
    text
}

/// The index of `docs/rules`: by group, then by engine.
fn markdown(rules: &[&'static Rule]) -> String {
    let mut text = String::from(
        "# The rules of visa-lint\n\nOne page a rule; written by `visa-lint rules --format markdown` and `visa-lint explain RULE --format markdown`.\n\n\
         *F*: its findings bring a fix, one to apply or one to look at. *A*: they list the legal alternatives.\n\n# By group\n",
    );
    // Writing to a string cannot fail.
    for (group, of_group) in groups(rules) {
        let level = group.default_level().name();
        let _ = write!(
            text,
            "\n## {}\n\nLevel {level} by default.\n\n",
            group.name()
        );
        table(&mut text, &of_group);
    }
    text.push_str("\n# By engine\n");
    for engine in Engine::ALL {
        let of_engine = rules.iter().copied().filter(|rule| rule.engine == engine);
        let of_engine: Vec<_> = of_engine.collect();
        if !of_engine.is_empty() {
            let _ = write!(text, "\n## {}\n\n", engine.name());
            table(&mut text, &of_engine);
        }
    }
    text
}

fn table(text: &mut String, rules: &[&Rule]) {
    text.push_str("| rule | level | | what it reports |\n| --- | --- | --- | --- |\n");
    for rule in rules {
        let name = rule.name;
        let offers = match (rule.offers.fix, rule.offers.alternatives) {
            (true, true) => "F A",
            (true, false) => "F",
            (false, true) => "A",
            (false, false) => "",
        };
        let _ = writeln!(
            text,
            "| [`{name}`]({name}.md) | {} | {offers} | {} |",
            rule.default_level().name(),
            rule.summary().replace('|', "\\|")
        );
    }
}
