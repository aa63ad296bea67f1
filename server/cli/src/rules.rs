//! `visa-lint rules`: the catalogue.

use std::borrow::Cow;
use std::fmt::Write;

use serde::Serialize;
use visa_analysis::{
    Confirmer, Dialect, Engine, Group, Language, Library, Release, Rule, RuleTexts as _, Said,
    Speaker, all_rules, rule_url,
};

use super::arguments::{RulesArguments, RulesFormat};
use super::outcome::Outcome;
use super::output::Console;
use crate::documents::json::pretty;
use crate::documents::rule_words::has_word;
use crate::project::Failure;
use crate::project::levels::did_you_mean;
use visa_analysis::counted;

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
    /// A kernel in which it finds something, of the current library where it has one.
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
    let rules = rules_having_words(&options.filter)?;
    let answer = match options.format {
        RulesFormat::Human => human_list(&rules),
        RulesFormat::Json => pretty(&Catalogue {
            version: 1,
            rules: rules.iter().copied().map(rule_entry).collect(),
        })?,
        RulesFormat::Markdown => markdown_index(&rules),
    };
    console.print(&answer)?;
    Ok(Outcome::Fine)
}

/// The rules whose name, group, language and summary together have all words, in the catalogue's order; capitals do not count.
///
/// # Errors
///
/// No rule has them all: the words say which of them none has.
fn rules_having_words(filter: &[String]) -> Result<Vec<&'static Rule>, Failure> {
    let filter = filter.join(" ").to_lowercase();
    let words: Vec<&str> = filter.split_whitespace().collect();
    let texts: Vec<(&Rule, String)> = all_rules()
        .map(|rule| {
            let language = rule.example_language().name();
            let text = format!(
                "{} {} {} {language}",
                rule.name,
                rule.group.name(),
                rule.summary()
            );
            (rule, text.to_lowercase())
        })
        .collect();
    let has_all = |text: &str| words.iter().all(|word| has_word(text, word));
    let found = texts.iter().filter(|(_, text)| has_all(text));
    let found: Vec<&Rule> = found.map(|(rule, _)| *rule).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let in_none = |word: &&&str| !texts.iter().any(|(_, text)| has_word(text, word));
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

fn rule_entry(rule: &Rule) -> Entry {
    let example = rule.example(Library::OptStd);
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
                .filter_map(|library| held_releases(rule, library))
                .collect()
        } else {
            Vec::new()
        },
        otherwise: rule.refused.otherwise().map(Confirmer::name),
        instead: rule.instead,
        texts: rule.texts().iter().map(said_text).collect(),
        fix: rule.offers.fix,
        alternatives: rule.offers.alternatives,
        url: rule_url(rule.name),
        wrong: example.wrong,
        right: example.right,
    }
}

fn held_releases(rule: &Rule, library: Library) -> Option<Holds> {
    let releases = rule.holds.releases(library)?;
    let refused = rule.refused.since_release(library);
    Some(Holds {
        library: library.name(),
        since: releases.since.to_string(),
        until: releases.until.map(|until| until.to_string()),
        refused_since: refused.map(|since| since.max(releases.since).to_string()),
    })
}

fn said_text(said: &Said) -> Text {
    Text {
        by: match said.by {
            Speaker::Library => "library",
            Speaker::Compiler => "compiler",
        },
        words: said.words,
    }
}

/// The groups that have some of the rules about kernels in a language, each with these in the catalogue's order.
fn rules_by_group(
    rules: &[&'static Rule],
    language: Language,
) -> impl Iterator<Item = (Group, Vec<&'static Rule>)> {
    Group::ALL
        .into_iter()
        .map(move |group| {
            let of_group = rules.iter().copied();
            let of_group =
                of_group.filter(|rule| rule.group == group && rule.example_language() == language);
            (group, of_group.collect::<Vec<_>>())
        })
        .filter(|(_, rules)| !rules.is_empty())
}

/// The languages whose kernels some of the rules look at.
fn rule_languages(rules: &[&'static Rule]) -> impl Iterator<Item = Language> {
    let languages = Language::ALL.into_iter();
    languages.filter(|language| {
        rules
            .iter()
            .any(|rule| rule.example_language() == *language)
    })
}

/// What rules about kernels in a language are headed by.
const fn language_heading(language: Language) -> &'static str {
    match language {
        Language::Rust => "Rust: the Virtual ISA, and files of all languages",
        other => other.title(),
    }
}

fn human_list(rules: &[&'static Rule]) -> String {
    let width = rules.iter().map(|rule| rule.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    // Writing to a string cannot fail.
    let several = rule_languages(rules).count() > 1;
    for language in rule_languages(rules) {
        if several {
            let _ = writeln!(text, "{}\n", language_heading(language));
        }
        for (group, of_group) in rules_by_group(rules, language) {
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
    }
    let count = counted(rules.len() as u64, "rule");
    let _ = writeln!(text, "{count}; for details: `visa-lint explain RULE`");
    text
}

/// The index of the pages of rules: by group, then by engine.
pub(crate) fn markdown_index(rules: &[&'static Rule]) -> String {
    let mut text = String::from(
        "# The rules of visa-lint\n\nOne page for each rule. `visa-lint explain RULE` prints the same page.\n\n\
         *F*: its findings bring a fix, one to apply or one to look at. *A*: they list the legal alternatives.\n\n# By group\n",
    );
    // Writing to a string cannot fail.
    for (group, of_group) in rules_by_group(rules, Language::Rust) {
        let level = group.default_level().name();
        let _ = write!(
            text,
            "\n## {}\n\nLevel {level} by default.\n\n",
            group.name()
        );
        push_rule_table(&mut text, &of_group);
    }
    for language in rule_languages(rules).filter(|language| *language != Language::Rust) {
        let _ = write!(text, "\n# {}\n", language_heading(language));
        for (group, of_group) in rules_by_group(rules, language) {
            let _ = write!(text, "\n## {language}: {}\n\n", group.name());
            push_rule_table(&mut text, &of_group);
        }
    }
    text.push_str("\n# By engine\n");
    let of_rust = rules.iter().filter(|rule| rule.looks_at(Language::Rust));
    let of_rust: Vec<&Rule> = of_rust.copied().collect();
    for engine in Engine::ALL {
        let of_engine = of_rust.iter().copied().filter(|rule| rule.engine == engine);
        let of_engine: Vec<_> = of_engine.collect();
        if !of_engine.is_empty() {
            let _ = write!(text, "\n## {}\n\n", engine.name());
            push_rule_table(&mut text, &of_engine);
        }
    }
    push_refusals(&mut text, rules);
    text
}

/// Who refuses what the rules find, release by release.
fn push_refusals(text: &mut String, rules: &[&Rule]) {
    text.push_str(
        "\n# Who refuses it\n\nThe library: a compile error, or a panic of a run without the hardware. The compiler: the vendor's, after it has \
         translated the kernel. The model: no program, only visa-lint's model of the hardware. What a library or its compiler refuses in \
         a release is an error there.\n\n",
    );
    let names = Library::ALL.map(|library| format!("`{}`", library.crate_name()));
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "| rule | {} |\n| --- | --- | --- |\n",
        names.join(" | ")
    );
    for rule in rules.iter().filter(|rule| rule.looks_at(Language::Rust)) {
        let cells = Library::ALL.map(|library| refusers(rule, library));
        if cells.iter().any(|cell| !cell.is_empty()) {
            let name = rule.name;
            let _ = writeln!(text, "| [`{name}`]({name}.md) | {} |", cells.join(" | "));
        }
    }
}

/// Who refuses in the releases of a library in which a rule holds: `compiler to 0.8, library from 0.9`. Empty where it holds in none.
fn refusers(rule: &Rule, library: Library) -> String {
    let releases = library.releases().iter().copied();
    let held = releases.filter_map(|release| {
        let dialect = Dialect { library, release };
        let by = rule.confirmed_by(dialect)?;
        rule.holds_in(dialect).then_some((release, by))
    });
    let mut runs: Vec<(Release, Release, Confirmer)> = Vec::new();
    for (release, by) in held {
        match runs.last_mut() {
            Some((_, last, same)) if *same == by => *last = release,
            _ => runs.push((release, release, by)),
        }
    }
    let several = library.releases().len() > 1;
    let words = runs.into_iter().map(|(first, last, by)| match by.name() {
        by if !several => by.to_owned(),
        by if first == last => format!("{first} {by}"),
        by => format!("{first} to {last} {by}"),
    });
    words.collect::<Vec<_>>().join(", ")
}

fn push_rule_table(text: &mut String, rules: &[&Rule]) {
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
