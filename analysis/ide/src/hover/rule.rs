//! The page of a rule or group whose name is where a file allows it.

use crate::catalogue;
use crate::db::Db;
use crate::findings::Group;
use crate::inputs::SourceFile;
use crate::language::Language;
use crate::rules::RuleTexts as _;
use crate::suppression::suppressions;

use super::super::{ByteRange, Hover};
use super::page::{Page, code};

/// The page, if such a name touches the offset.
pub(crate) fn rule_page(db: &dyn Db, file: SourceFile, offset: u32) -> Option<Hover> {
    let suppressions = suppressions(db, file);
    let (name, range) = suppressions.iter().find_map(|suppression| {
        let range = ByteRange {
            start: suppression.place.start,
            end: suppression.place.end,
        };
        range.touches(offset).then_some((&suppression.name, range))
    })?;
    let markdown = of_rule(name).or_else(|| of_group(name, file.language(db)))?;
    Some(Hover { range, markdown })
}

fn of_rule(name: &str) -> Option<String> {
    let rule = catalogue::find(name)?;
    let mut page = Page::headed(format!("**{}**: {}", rule.name, rule.summary()));
    page.add(rule.why().into_owned());
    page.add(format!(
        "Level {} by default, group {}, {}. {} shows the rule's page.{}",
        code(rule.default_level().name()),
        code(rule.group.name()),
        rule.engine.name(),
        code(&format!("visa-lint explain {}", rule.name)),
        catalogue::url(rule.name)
            .map(|url| format!(" [The rule's page]({url})"))
            .unwrap_or_default()
    ));
    Some(page.into_markdown())
}

fn of_group(name: &str, language: Language) -> Option<String> {
    let group = Group::ALL.into_iter().find(|group| group.name() == name)?;
    let of_group =
        catalogue::all_rules().filter(|rule| rule.group == group && rule.looks_at(language));
    let names: Vec<String> = of_group.map(|rule| code(rule.name)).collect();
    let mut page = Page::headed(format!(
        "**{name}**: a group of {} rules, level {} by default",
        names.len(),
        code(group.default_level().name())
    ));
    page.add(names.join(", "));
    Some(page.into_markdown())
}
