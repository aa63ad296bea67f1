//! `explain` and `rules`: what rules say, found by name, group, or what a compiler or a library printed.

use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::{tool, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use visa_analysis::{
    Group, Rule, RuleTexts as _, all_rules, find_rule, find_run_rule, rules_foreseeing,
};

use super::server::Tools;
use super::shapes::Part;
use crate::documents::pages;
use crate::documents::rule_words::has_word;
use crate::documents::rule_words::{nothing_found_text, recognised, run_markdown};
use crate::project::folder_dialects::asked_in;
use crate::project::settings::Dialect;

/// Rules of an answer where nothing is said.
const RULES: usize = 20;

/// The most characters of a text that is looked up.
const TEXT: usize = 20_000;

/// What `explain` is asked for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ExplainInput {
    /// A rule, a group, or what a library or a compiler printed, pasted as it is.
    text: String,
    /// The library whose kernels are shown where the rule has some for it, as `opt-std@0.8`.
    dialect: Option<Dialect>,
}

/// What `explain` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ExplainOutput {
    /// The rule's page: what it reports, why in the machine, a wrong and a right kernel. Null where several rules were found.
    page: Option<String>,
    /// The rules that were found, the closest first.
    rules: Vec<Row>,
    /// How many more were found.
    more: u64,
    /// How the rules were found, where a text was given.
    found: Vec<String>,
}

/// What `rules` is asked for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RulesInput {
    /// Words that the rule's name, summary or reason has, all of them; by default every rule.
    search: Option<String>,
    /// Only the rules of this group.
    group: Option<String>,
    /// The most rules of the answer; 20 by default.
    limit: Option<usize>,
    /// Rules to pass over.
    offset: Option<usize>,
}

/// What `rules` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RulesOutput {
    /// The rules, in the catalogue's order.
    rules: Vec<Row>,
    /// How many more there are.
    more: u64,
}

/// A rule.
#[derive(Debug, Serialize, JsonSchema)]
struct Row {
    /// Its name; `explain` shows its page.
    rule: &'static str,
    /// Its group.
    group: &'static str,
    /// Its level where no setting says otherwise.
    level: &'static str,
    /// What it reports.
    summary: String,
}

#[tool_router(router = catalogue_router, vis = "pub(super)")]
impl Tools {
    /// Explain a rule, a group, or a pasted error of the compiler or the library: what, why, a wrong and a right kernel.
    #[tool(annotations(title = "Explain", read_only_hint = true, open_world_hint = false))]
    async fn explain(
        &self,
        Parameters(input): Parameters<ExplainInput>,
    ) -> Result<Json<ExplainOutput>, String> {
        if input.text.chars().count() > TEXT {
            return Err(format!(
                "the text has more than {TEXT} characters; paste the line with the error"
            ));
        }
        let name = input.text.trim().to_owned();
        if name.is_empty() {
            return Err("`text` is empty; `rules` lists the rules".to_owned());
        }
        let dialect = asked_in(self.room.root.path(), input.dialect);
        // A page checks its kernels again.
        let answer = tokio::task::spawn_blocking(move || explained(&name, dialect)).await;
        let answer =
            answer.map_err(|_| "a defect of visa-lint: the page could not be made".to_owned())?;
        answer.map(Json)
    }

    /// Search the catalogue of rules.
    #[tool(annotations(title = "Rules", read_only_hint = true, open_world_hint = false))]
    async fn rules(
        &self,
        Parameters(input): Parameters<RulesInput>,
    ) -> Result<Json<RulesOutput>, String> {
        let group = input.group.as_deref().map(group_of).transpose()?;
        let search = input.search.unwrap_or_default().to_lowercase();
        let words: Vec<&str> = search.split_whitespace().collect();
        let fits = |rule: &&Rule| {
            let text = format!("{} {} {}", rule.name, rule.summary(), rule.why()).to_lowercase();
            group.is_none_or(|group| rule.group == group)
                && words.iter().all(|word| has_word(&text, word))
        };
        let rows: Vec<Row> = all_rules().filter(fits).map(rule_row).collect();
        let (rules, more) = Part::of(input.offset, input.limit, RULES).take_part(rows);
        Ok(Json(RulesOutput { rules, more }))
    }
}

fn explained(name: &str, dialect: Dialect) -> Result<ExplainOutput, String> {
    let page = |rule: &Rule, found: Vec<String>| ExplainOutput {
        page: Some(pages::page_markdown(rule, dialect)),
        rules: vec![rule_row(rule)],
        more: 0,
        found,
    };
    if let Some(rule) = find_rule(name) {
        return Ok(page(rule, Vec::new()));
    }
    if let Some(rule) = find_run_rule(name) {
        return Ok(ExplainOutput {
            page: Some(run_markdown(rule)),
            rules: Vec::new(),
            more: 0,
            found: Vec::new(),
        });
    }
    if let Ok(group) = group_of(name) {
        let rows: Vec<Row> = all_rules()
            .filter(|rule| rule.group == group)
            .map(rule_row)
            .collect();
        let (rules, more) = Part::of(None, Some(100), RULES).take_part(rows);
        return Ok(ExplainOutput {
            page: None,
            rules,
            more,
            found: Vec::new(),
        });
    }
    let found = rules_foreseeing(name);
    match found.as_slice() {
        [] => Err(nothing_found_text(name)),
        [only] => Ok(page(only.rule, vec![recognised(only)])),
        several => {
            let (several, more) =
                Part::of(None, Some(8), RULES).take_part(several.iter().collect());
            Ok(ExplainOutput {
                page: None,
                rules: several.iter().map(|one| rule_row(one.rule)).collect(),
                more,
                found: several.iter().map(|one| recognised(one)).collect(),
            })
        }
    }
}

fn group_of(name: &str) -> Result<Group, String> {
    let found = Group::ALL.into_iter().find(|group| group.name() == name);
    found.ok_or_else(|| {
        let names: Vec<&str> = Group::ALL.into_iter().map(Group::name).collect();
        format!(
            "there is no group `{name}`; there are: {}",
            names.join(", ")
        )
    })
}

fn rule_row(rule: &Rule) -> Row {
    Row {
        rule: rule.name,
        group: rule.group.name(),
        level: rule.default_level().name(),
        summary: rule.summary().into_owned(),
    }
}
