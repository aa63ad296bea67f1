//! How findings are written: one file a format.

mod advice;
pub(crate) mod agent;
mod alike;
mod by_rule;
mod checkstyle;
mod common;
mod excerpt;
pub(crate) mod github;
mod gitlab;
pub(crate) mod human;
pub(crate) mod json;
mod junit;
mod lines;
mod rdjson;
mod sarif;
mod short;
mod statistics;

use self::human::Look;
use super::arguments::CheckFormat;
use super::outline::Outline;
use crate::project::Failure;

/// What of a run is written beside its findings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extent {
    /// Nothing that is no finding.
    pub(crate) quiet: bool,
    /// Counts by rule, in the formats that have a place for them.
    pub(crate) statistics: bool,
}

/// Writes what a check says in a format.
pub(crate) fn render_outline(
    format: CheckFormat,
    outline: &Outline<'_>,
    look: Look,
    Extent { quiet, statistics }: Extent,
) -> Result<String, Failure> {
    Ok(match format {
        CheckFormat::Human => human::render_human(outline, look, quiet, statistics)?,
        CheckFormat::Short => short::render_short(outline, quiet, statistics),
        CheckFormat::Json => json::render_json(outline, statistics)?,
        CheckFormat::Jsonl => json::render_lines(outline, statistics)?,
        CheckFormat::Sarif => sarif::render_sarif(outline)?,
        CheckFormat::Github => github::render_github(outline, quiet, statistics),
        CheckFormat::Gitlab => gitlab::render_gitlab(outline)?,
        CheckFormat::Junit => junit::render_junit(outline)?,
        CheckFormat::Rdjson => rdjson::render_rdjson(outline)?,
        CheckFormat::Checkstyle => checkstyle::render_checkstyle(outline)?,
        CheckFormat::Agent => agent::render_agent(outline, quiet, statistics),
    })
}

/// Whether a format has a place for counts by rule.
pub(crate) const fn has_place_for_counts(format: CheckFormat) -> bool {
    match format {
        CheckFormat::Human
        | CheckFormat::Short
        | CheckFormat::Json
        | CheckFormat::Jsonl
        | CheckFormat::Github
        | CheckFormat::Agent => true,
        CheckFormat::Sarif
        | CheckFormat::Gitlab
        | CheckFormat::Junit
        | CheckFormat::Rdjson
        | CheckFormat::Checkstyle => false,
    }
}

/// Whether a format has a place for operations that were not looked at; else standard error says how many there are.
pub(crate) const fn says_what_is_unresolved(format: CheckFormat) -> bool {
    !matches!(
        format,
        CheckFormat::Gitlab | CheckFormat::Rdjson | CheckFormat::Checkstyle
    )
}

/// Whether a format has a place for how many findings are left out; else standard error says it.
pub(crate) const fn says_what_is_left_out(format: CheckFormat) -> bool {
    match format {
        CheckFormat::Human
        | CheckFormat::Short
        | CheckFormat::Json
        | CheckFormat::Jsonl
        | CheckFormat::Sarif
        | CheckFormat::Github
        | CheckFormat::Agent => true,
        CheckFormat::Gitlab
        | CheckFormat::Junit
        | CheckFormat::Rdjson
        | CheckFormat::Checkstyle => false,
    }
}

/// Whether a format writes helps or fixes: both are then completed.
pub(crate) const fn carries_helps(format: CheckFormat) -> bool {
    match format {
        CheckFormat::Human
        | CheckFormat::Json
        | CheckFormat::Jsonl
        | CheckFormat::Sarif
        | CheckFormat::Github
        | CheckFormat::Gitlab
        | CheckFormat::Junit
        | CheckFormat::Agent
        | CheckFormat::Rdjson
        | CheckFormat::Checkstyle => true,
        CheckFormat::Short => false,
    }
}
