//! Which rules run and how severely their findings are taken.

use clap::ArgMatches;
use visa_analysis::{Diagnostic, Group, Level, is_rule_or_group, nearest_rules};

use super::Failure;

/// What `--deny`, `--warn` and `--allow` may name beside rules and groups: all that would be a warning.
const WARNINGS: &str = "warnings";

/// The user's choice of rules and levels.
#[derive(Debug, Clone, Default)]
pub(crate) struct Levels {
    /// In the order of the command line.
    changes: Vec<(String, Level)>,
    select: Vec<String>,
    ignore: Vec<String>,
}

impl Levels {
    /// Reads the options of `check`, in the order in which they were given.
    pub(crate) fn of(matches: &ArgMatches) -> Result<Self, Failure> {
        let mut changes = Vec::new();
        for (option, level) in [
            ("deny", Level::Deny),
            ("warn", Level::Warn),
            ("allow", Level::Allow),
        ] {
            let names = matches.get_many::<String>(option).into_iter().flatten();
            let indices = matches.indices_of(option).into_iter().flatten();
            for (index, name) in indices.zip(names) {
                known(option, name, true)?;
                changes.push((index, name.clone(), level));
            }
        }
        changes.sort_by_key(|(index, ..)| *index);
        Ok(Self {
            changes: changes
                .into_iter()
                .map(|(_, name, level)| (name, level))
                .collect(),
            select: names(matches, "select")?,
            ignore: names(matches, "ignore")?,
        })
    }

    /// The level of a finding, `Allow` also where its rule does not run.
    pub(crate) fn of_finding(&self, diagnostic: &Diagnostic) -> Level {
        let matches = |name: &String, rule: &str, group: Option<Group>| {
            name == rule || group.is_some_and(|group| name == group.name())
        };
        let group = Some(diagnostic.group);
        let runs = |rule: &str, group: Option<Group>| {
            (self.select.is_empty() || self.select.iter().any(|name| matches(name, rule, group)))
                && !self.ignore.iter().any(|name| matches(name, rule, group))
        };
        if !runs(diagnostic.rule, group) {
            return Level::Allow;
        }
        let mut level = diagnostic.default_level;
        for (name, change) in &self.changes {
            let warning = name == WARNINGS && level == Level::Warn;
            if warning || matches(name, diagnostic.rule, group) {
                level = *change;
            }
        }
        level
    }
}

fn names(matches: &ArgMatches, option: &str) -> Result<Vec<String>, Failure> {
    let names = matches.get_many::<String>(option).into_iter().flatten();
    names
        .map(|name| known(option, name, false).map(|()| name.clone()))
        .collect()
}

/// Refuses a name that is no rule and no group.
fn known(option: &str, name: &str, warnings: bool) -> Result<(), Failure> {
    if is_rule_or_group(name) || (warnings && name == WARNINGS) {
        return Ok(());
    }
    Err(Failure::new(format!(
        "--{option}: no rule or group is called `{name}`{}",
        did_you_mean(name)
    )))
}

/// `; did you mean …?`, or nothing.
pub(crate) fn did_you_mean(name: &str) -> String {
    let nearest: Vec<_> = nearest_rules(name)
        .into_iter()
        .map(|name| format!("`{name}`"))
        .collect();
    if nearest.is_empty() {
        String::new()
    } else {
        format!("; did you mean {}?", nearest.join(" or "))
    }
}
