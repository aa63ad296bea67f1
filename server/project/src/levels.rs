//! Which rules run and how severely their findings are taken.

use std::sync::Arc;

use clap::ArgMatches;
use visa_analysis::{
    Diagnostic, Group, Language, Level, find_rule, is_rule_or_group, nearest_names, nearest_rules,
};

use super::Failure;

/// What levels may name beside rules and groups: all that would be a warning.
pub const WARNINGS: &str = "warnings";

/// What a selection may name beside rules and groups: every rule.
pub const ALL: &str = "all";

/// The reason of a suppression that a program wrote.
pub const TO_BE_LOOKED_AT: &str = "to be looked at";

/// Where a choice was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// An option of the command line, without its dashes.
    Option(&'static str),
    /// The settings of an editor.
    Editor,
    /// A line of a settings file.
    File {
        /// The file as people see it.
        path: Arc<str>,
        /// The line, from 1.
        line: u32,
    },
}

impl std::fmt::Display for Origin {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Option(name) => write!(formatter, "--{name}"),
            Self::Editor => formatter.write_str("the editor's settings"),
            Self::File { path, line } => write!(formatter, "{path}:{line}"),
        }
    }
}

/// A rule or a group that was chosen or left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// As it was written.
    pub name: String,
    /// Where it was written.
    pub origin: Origin,
}

/// A rule, a group or [`WARNINGS`] is to have a level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// As it was written.
    pub name: String,
    /// The level that it gets.
    pub level: Level,
    /// Where it was written.
    pub origin: Origin,
}

/// The user's choice of rules and levels.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Levels {
    /// In the order in which they apply: the last one that fits wins.
    pub changes: Vec<Change>,
    /// Nothing else runs, unless empty.
    pub select: Vec<Named>,
    /// These do not run.
    pub ignore: Vec<Named>,
}

impl Levels {
    /// Reads the options of `check`, in the order in which they were given.
    pub fn of(matches: &ArgMatches) -> Result<Self, Failure> {
        let mut changes = Vec::new();
        for (option, level) in [
            ("deny", Level::Deny),
            ("warn", Level::Warn),
            ("allow", Level::Allow),
        ] {
            let names = matches.get_many::<String>(option).into_iter().flatten();
            let indices = matches.indices_of(option).into_iter().flatten();
            for (index, name) in indices.zip(names) {
                require_known_name(option, name, true)?;
                let change = Change {
                    name: name.clone(),
                    level,
                    origin: Origin::Option(option),
                };
                changes.push((index, change));
            }
        }
        changes.sort_by_key(|(index, _)| *index);
        Ok(Self {
            changes: changes.into_iter().map(|(_, change)| change).collect(),
            select: named_rules(matches, "select")?,
            ignore: named_rules(matches, "ignore")?,
        })
    }

    /// These levels after those of a file: the changes come last, a selection takes the place of the file's selection and of
    /// what the file ignores, and what is ignored adds to it.
    pub(crate) fn after(&self, file: Self) -> Self {
        let mut levels = file;
        levels.changes.extend(self.changes.iter().cloned());
        if !self.select.is_empty() {
            levels.select.clone_from(&self.select);
            levels.ignore.clear();
        }
        levels.ignore.extend(self.ignore.iter().cloned());
        levels
    }

    /// The level of a finding, `Allow` also where its rule does not run. A fault that other rules find at other places is
    /// taken as severely as the severest of them.
    pub(crate) fn of_finding(&self, diagnostic: &Diagnostic) -> Level {
        let own = self
            .level(diagnostic.rule, diagnostic.group, diagnostic.default_level)
            .0;
        let elsewhere = diagnostic.related.iter().filter_map(|place| place.fault);
        let others = elsewhere
            .filter(|rule| *rule != diagnostic.rule)
            .filter_map(find_rule)
            .map(|rule| self.level(rule.name, rule.group, rule.default_level()).0);
        others.fold(own, Level::max)
    }

    /// The level of what a rule reports as of a group, and the choice that made it so; without one it is the default or the
    /// rule does not run.
    pub(crate) fn level(
        &self,
        rule: &str,
        group: Group,
        default: Level,
    ) -> (Level, Option<&Change>) {
        let matches = |name: &String| name == rule || name == group.name() || is_of(name, rule);
        if !self.runs_rule(rule, group) {
            return (Level::Allow, None);
        }
        let mut level = (default, None);
        for change in &self.changes {
            let warning = change.name == WARNINGS && level.0 == Level::Warn;
            if warning || matches(&change.name) {
                level = (change.level, Some(change));
            }
        }
        level
    }

    /// Whether a rule runs for what it reports as of a group.
    pub(crate) fn runs_rule(&self, rule: &str, group: Group) -> bool {
        let named = |names: &[Named]| {
            names.iter().any(|Named { name, .. }| {
                name == rule || name == group.name() || name == ALL || is_of(name, rule)
            })
        };
        (self.select.is_empty() || named(&self.select)) && !named(&self.ignore)
    }
}

/// Whether a name is that of the language whose kernels a rule looks at.
fn is_of(name: &str, rule: &str) -> bool {
    let language = Language::named(name);
    language.is_some_and(|language| find_rule(rule).is_some_and(|rule| rule.looks_at(language)))
}

/// Orders changes that were written without one: `warnings` first, then languages, then groups, then rules, so that a rule's own
/// level holds whatever its group's is.
pub(crate) fn widest_first(changes: &mut [Change]) {
    changes.sort_by_key(|change| {
        let rule = find_rule(&change.name).is_some();
        let language = Language::named(&change.name).is_some();
        (change.name != WARNINGS, !language, rule)
    });
}

fn named_rules(matches: &ArgMatches, option: &'static str) -> Result<Vec<Named>, Failure> {
    let names = matches.get_many::<String>(option).into_iter().flatten();
    names
        .map(|name| {
            require_known_name(option, name, false)?;
            Ok(Named {
                name: name.clone(),
                origin: Origin::Option(option),
            })
        })
        .collect()
}

/// Refuses a name that is no rule and no group.
fn require_known_name(option: &str, name: &str, warnings: bool) -> Result<(), Failure> {
    unknown_name_problem(name, warnings).map_or(Ok(()), |problem| {
        Err(Failure::new(format!("--{option}: {problem}")))
    })
}

/// Whether a name is a rule's, a group's or a language's, or [`WARNINGS`] where that is allowed, else [`ALL`].
pub(crate) fn is_known(name: &str, warnings: bool) -> bool {
    let is_language = Language::named(name).is_some();
    let is_word = name == if warnings { WARNINGS } else { ALL };
    is_rule_or_group(name) || is_language || is_word
}

/// What is wrong with a name that should be a rule's or a group's: also [`WARNINGS`] where that is allowed, else [`ALL`].
pub(crate) fn unknown_name_problem(name: &str, warnings: bool) -> Option<String> {
    if is_known(name, warnings) {
        return None;
    }
    let mut nearest = nearest_rules(name);
    if nearest.is_empty() {
        nearest = nearest_names(name, Language::ALL.map(Language::name));
    }
    if warnings && nearest.is_empty() {
        nearest = nearest_names(name, [WARNINGS]);
    }
    Some(format!(
        "no rule or group is called `{name}`{}",
        nearest_names_clause(&nearest)
    ))
}

/// `; did you mean …?`, or nothing.
pub fn did_you_mean(name: &str) -> String {
    nearest_names_clause(&nearest_rules(name))
}

/// `; did you mean …?` of names, or nothing.
pub fn nearest_names_clause(nearest: &[String]) -> String {
    let nearest: Vec<_> = nearest.iter().map(|name| format!("`{name}`")).collect();
    if nearest.is_empty() {
        String::new()
    } else {
        format!("; did you mean {}?", nearest.join(" or "))
    }
}
