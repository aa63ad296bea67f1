//! `visa-lint rules`: the catalogue.

use std::borrow::Cow;
use std::fmt::Write;

use serde::Serialize;
use visa_analysis::{
    Confirmer, Engine, Group, Language, Library, Rule, Said, Speaker, all_rules, rule_url,
};

use super::arguments::RulesFormat;
use super::outcome::Outcome;
use super::output::Console;
use crate::json::pretty;
use crate::project::Failure;

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
    /// The language of the kernels that it looks at; files of all languages where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'static str>,
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
        summary: rule.summary(),
        why: rule.why(),
        heading: rule.heading,
        engine: rule.engine.name(),
        since: rule.since,
        aliases: rule.aliases,
        language: rule.language.map(Language::name),
        holds: if rule.example_language() == Language::Rust {
            let libraries = Library::ALL.into_iter();
            libraries
                .filter_map(|library| holds(rule, library))
                .collect()
        } else {
            Vec::new()
        },
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

/// The groups that have rules about kernels in a language, each with its rules in the catalogue's order.
fn groups(language: Language) -> impl Iterator<Item = (Group, Vec<&'static Rule>)> {
    let of_group = move |group| {
        let rules =
            all_rules().filter(|rule| rule.group == group && rule.example_language() == language);
        (group, rules.collect::<Vec<_>>())
    };
    let groups = Group::ALL.into_iter().map(of_group);
    groups.filter(|(_, rules)| !rules.is_empty())
}

/// What rules about kernels in a language are headed by.
const fn heading(language: Language) -> &'static str {
    match language {
        Language::Rust => "Rust: the Virtual ISA, and files of all languages",
        Language::Pto => "PTO",
        Language::Nki => "NKI",
    }
}

fn human() -> String {
    let width = all_rules().map(|rule| rule.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    // Writing to a string cannot fail.
    for language in Language::ALL {
        let _ = writeln!(text, "{}\n", heading(language));
        for (group, rules) in groups(language) {
            let _ = writeln!(
                text,
                "{} ({} by default)",
                group.name(),
                group.default_level().name()
            );
            for rule in rules {
                let _ = writeln!(text, "  {:width$}  {}", rule.name, rule.summary());
            }
            text.push('\n');
        }
    }
    let _ = writeln!(
        text,
        "{} rules; `visa-lint explain RULE` tells more about one",
        all_rules().count()
    );
    text
}

/// The index of `docs/rules`: by group, then by engine.
fn markdown() -> String {
    let mut text = String::from(
        "# The rules of visa-lint\n\nOne page a rule; written by `visa-lint rules --format markdown` and `visa-lint explain RULE --format markdown`.\n\n\
         *F*: its findings bring a fix, one to apply or one to look at. *A*: they list the legal alternatives.\n\n# By group\n",
    );
    // Writing to a string cannot fail.
    for (group, rules) in groups(Language::Rust) {
        let level = group.default_level().name();
        let _ = write!(
            text,
            "\n## {}\n\nLevel {level} by default.\n\n",
            group.name()
        );
        table(&mut text, &rules);
    }
    for language in Language::ALL {
        if language == Language::Rust || groups(language).next().is_none() {
            continue;
        }
        let _ = write!(text, "\n# {}\n", heading(language));
        for (group, rules) in groups(language) {
            let _ = write!(text, "\n## {language}: {}\n\n", group.name());
            table(&mut text, &rules);
        }
    }
    text.push_str("\n# By engine\n");
    let of_rust = |engine: &Engine| !matches!(engine, Engine::Pto | Engine::Nki);
    for engine in Engine::ALL.into_iter().filter(of_rust) {
        let rules: Vec<_> = all_rules().filter(|rule| rule.engine == engine).collect();
        if !rules.is_empty() {
            let _ = write!(text, "\n## {}\n\n", engine.name());
            table(&mut text, &rules);
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
