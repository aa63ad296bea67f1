//! Rules about suppressions: one that suppresses nothing, and one that names no rule.
//!
//! They look at files, not at bodies; the room `suppression` asks for the words.

use super::{Checked, Finding, Group, Level, Rule, rule, wording};

/// How a suppression is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SuppressionKind {
    /// `#[allow(tcp::RULE)]`
    Allow,
    /// `#[expect(tcp::RULE)]`
    Expect,
    /// `// visa-lint: allow(RULE)`
    Comment,
}

/// A suppression that suppresses nothing.
pub static UNUSED_SUPPRESSION: Rule = rule!(
    "unused_suppression",
    Suspicious,
    Suppressions,
    "Suppression",
    "an attribute or comment allows a rule that reports nothing there",
    "A suppression is a promise that a finding was reviewed and is accepted. When the kernel changes and the finding \
     goes away, the suppression stays. It then accepts the next finding of the same rule, which nobody has reviewed. \
     Remove the attribute or comment, or move it to the place that it is meant for. Where an operation in its reach \
     could not be resolved nothing is said, because every rule is silent there.";
    refused: Refusal::OWN,
    language: None,
);

/// A suppression that names no rule.
pub static UNKNOWN_RULE: Rule = Rule {
    level: Some(Level::Deny),
    ..rule!(
        "unknown_rule",
        Suspicious,
        Suppressions,
        "Suppression",
        "an attribute or comment names a rule or group that does not exist",
        "A misspelt name suppresses nothing. Its finding is still reported, or there is no such finding. The compiler \
         cannot tell, because it accepts any name after a registered tool. Write one of the names that `visa-lint rules` \
         lists, or the name of a group.";
        refused: Refusal::OWN,
        language: None,
    )
};

/// The family's rules.
pub(super) const RULES: &[&Rule] = &[&UNUSED_SUPPRESSION, &UNKNOWN_RULE];

/// The family looks at files; bodies have nothing for it.
pub(super) fn check_suppressions(_checked: &Checked<'_>, _findings: &mut Vec<Finding>) {}

/// Whether the name is that of a rule about suppressions, or their group: allowing them needs no reason.
pub fn is_own(name: &str) -> bool {
    name == UNUSED_SUPPRESSION.name || name == UNKNOWN_RULE.name || name == Group::Suspicious.name()
}

/// What is wrong with a suppression that covers no finding.
pub fn unused_message(name: &str, kind: SuppressionKind) -> String {
    match kind {
        SuppressionKind::Allow => {
            format!("the attribute allows `{name}`, which reports nothing here")
        }
        SuppressionKind::Expect => {
            format!("the attribute expects `{name}`, which reports nothing here")
        }
        SuppressionKind::Comment => {
            format!("the comment allows `{name}`, which reports nothing here")
        }
    }
}

/// What to do with a suppression that covers no finding.
pub fn unused_help() -> String {
    "remove it, or move it to the statement or line that it is meant for".to_owned()
}

/// What is wrong with a name that is none.
pub fn unknown_message(name: &str) -> String {
    format!("no rule or group is called `{name}`, so that nothing is suppressed")
}

/// The names that may have been meant.
pub fn unknown_help(nearest: &[String]) -> Option<String> {
    if nearest.is_empty() {
        Some("`visa-lint rules` lists the names".to_owned())
    } else {
        Some(format!("similar names: {}", wording::quoted_names(nearest)))
    }
}
