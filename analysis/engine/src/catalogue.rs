//! The rules of all languages by name, and the front end of each language beside Rust.
//!
//! It knows which there are and in what order they are listed, and nothing of what they find.

use crate::findings::{Group, Rule};
pub use crate::findings::{documentation_url, rule_url as url};
use crate::front_end::FrontEnd;
use crate::inputs::EnabledRules;
use crate::language::Language;
use crate::names::nearest_names;
use crate::{nki, pto, rules};

/// The front end of a language; `None` for Rust, which the rooms themselves are made for.
pub fn front_end(language: Language) -> Option<&'static dyn FrontEnd> {
    match language {
        Language::Rust => None,
        Language::Pto => Some(&pto::Pto),
        Language::Nki => Some(&nki::Nki),
    }
}

/// The rules about kernels in other languages than Rust.
fn front_end_rules() -> impl Iterator<Item = &'static Rule> {
    let front_ends = Language::ALL.into_iter().filter_map(front_end);
    front_ends.flat_map(|front_end| front_end.rules().iter().copied())
}

/// Every rule that is implemented, in the catalogue's order: those about kernels in Rust and about files of all languages first.
pub fn all_rules() -> impl Iterator<Item = &'static Rule> {
    rules::family_rules().chain(front_end_rules())
}

/// The rule of that name, or that had it before.
pub fn find(name: &str) -> Option<&'static Rule> {
    all_rules().find(|rule| rule.is_called(name))
}

/// Whether it names a rule or a group.
pub fn is_rule_or_group(name: &str) -> bool {
    find(name).is_some() || Group::ALL.iter().any(|group| group.name() == name)
}

/// The rules and groups whose names are nearest to one that is none, the nearest first.
pub fn nearest_rules(name: &str) -> Vec<String> {
    let names = all_rules()
        .map(|rule| rule.name)
        .chain(Group::ALL.into_iter().map(Group::name));
    nearest_names(name, names)
}

/// As [`nearest_rules`], of the names that mean something in files of a language.
pub(crate) fn nearest_in(language: Language, name: &str) -> Vec<String> {
    let rules = all_rules().filter(|rule| rule.looks_at(language));
    let names = rules.map(|rule| rule.name);
    nearest_names(name, names.chain(Group::ALL.into_iter().map(Group::name)))
}

/// The rules that are on as some of the groups that they report as: see [`Rule::groups`].
pub fn rules_that_are_on(mut is_on: impl FnMut(&'static Rule, Group) -> bool) -> EnabledRules {
    let mut rules = EnabledRules::default();
    for (number, rule) in all_rules().enumerate() {
        if !rule.groups().any(|group| is_on(rule, group)) {
            rules.remove_number(number);
        }
        if rule.graver.is_some_and(|(_, group)| !is_on(rule, group)) {
            rules.remove_graver(number);
        }
    }
    rules
}

/// Whether a rule of any language is among those that are on. One that does not exist is not.
pub fn is_rule_on(rules: &EnabledRules, name: &str) -> bool {
    all_rules()
        .position(|other| other.name == name)
        .is_some_and(|number| rules.has_number(number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::Engine;
    use crate::kernel::catalogue::order_of_engines;

    #[test]
    fn there_is_room_for_all_rules() {
        assert!(all_rules().count() <= crate::inputs::RULE_CAPACITY);
        assert!(all_rules().all(|rule| is_rule_on(&EnabledRules::default(), rule.name)));
        assert!(!is_rule_on(&EnabledRules::default(), "no_such_rule"));
    }

    #[test]
    fn rules_are_in_the_catalogue_once_and_say_their_language() {
        let names: std::collections::BTreeSet<&str> = all_rules().map(|rule| rule.name).collect();
        assert_eq!(names.len(), all_rules().count());
        for language in Language::ALL {
            let Some(front_end) = front_end(language) else {
                continue;
            };
            for rule in front_end.rules() {
                assert_eq!(rule.language, Some(language), "{}", rule.name);
                let prefix = format!("{}_", language.name());
                assert!(rule.name.starts_with(&prefix), "{}", rule.name);
            }
        }
        assert!(rules::family_rules().all(|rule| rule.looks_at(Language::Rust)));
    }

    #[test]
    fn engines_have_the_catalogues_names_and_order() {
        let known = Engine::ALL.map(Engine::name);
        let engines = order_of_engines();
        let engines: Vec<String> = (engines.iter())
            .map(|engine| format!("{engine} Engine"))
            .collect();
        let listed: Vec<&str> = (known.iter().copied())
            .filter(|name| engines.iter().any(|engine| engine == name))
            .collect();
        assert_eq!(listed, engines);
        let of = |name: &str| find(name).map(|rule| rule.engine);
        assert_eq!(of("trf_capacity"), Some(Engine::Memory));
        assert_eq!(of("trf_row_count"), Some(Engine::Contraction));
    }
}
