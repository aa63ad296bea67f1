//! What several programs show: JSON, pages of rules, diffs, words about rules.
//!
//! Knows shapes and words that scripts, editors and coding agents rely on; nothing of what they are asked for.

pub mod diff;
pub mod edit_places;
mod example;
pub mod json;
pub mod pages;
pub mod rule_words;
pub mod run_findings;

// A crate of its own, by the name of its room.
use visa_project as project;
