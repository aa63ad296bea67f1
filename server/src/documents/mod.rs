//! What several programs show: JSON, pages of rules, diffs, words about rules.
//!
//! Knows shapes and words that scripts, editors and coding agents rely on; nothing of what they are asked for.

pub(crate) mod diff;
pub(crate) mod edit_places;
mod example;
pub(crate) mod json;
pub(crate) mod pages;
pub(crate) mod rule_words;
pub(crate) mod run_findings;
