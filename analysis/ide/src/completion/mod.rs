//! Proposals for the text at the cursor: axes, values and operators in mappings, methods that the stage before allows,
//! operations whose ALU is free, fields of switch configurations, free addresses, names of rules; and whole kernels and chains.
//!
//! Proposes only what the library and the machine say something about; ordinary names are left to the compiler's own
//! server. Works on the tokens to the left of the cursor and on what the chain before it stands for, so that broken code
//! has proposals too.

mod addresses;
mod annotated;
mod around;
pub(super) mod context;
mod conversions;
mod expression;
mod generics;
mod half;
pub(super) mod made;
mod mappings;
pub(super) mod methods;
mod numbers;
pub(super) mod place;
pub(super) mod receiver;
mod rule_names;
mod snippets;
mod switch;
mod variants;
mod vector;

pub(super) use self::rule_names::in_text as rules_in_text;

use crate::db::Db;
use crate::inputs::SourceFile;

use self::context::{Around, Owner};
use super::{Completion, CompletionKind};

/// The macros of mappings.
const MACROS: [&str; 3] = ["m", "i", "axes"];
/// Proposals of one request at most.
const PROPOSAL_LIMIT: usize = 256;

/// Proposals at a cursor, the best first.
pub(super) fn completions_at(db: &dyn Db, file: SourceFile, offset: u32) -> Vec<Completion> {
    let Some(around) = Around::at(db, file, offset) else {
        return Vec::new();
    };
    let mut proposals = propose_at(db, &around).unwrap_or_default();
    proposals.sort_by(|one, other| (one.rank, &one.label).cmp(&(other.rank, &other.label)));
    proposals.dedup_by(|one, other| one.label == other.label && one.insert == other.insert);
    proposals.truncate(PROPOSAL_LIMIT);
    proposals
}

fn propose_at(db: &dyn Db, around: &Around) -> Option<Vec<Completion>> {
    if around.comment.is_some() {
        return rule_names::in_comment(around);
    }
    if around.in_text {
        return None;
    }
    let mapping = around.openers.iter().position(
        |opener| matches!(around.owner(*opener), Owner::Macro(name) if MACROS.contains(&&*name)),
    );
    if let Some(at) = mapping {
        return mappings::propose_mappings(db, around, at);
    }
    if let Some(dot) = around.dot() {
        return methods::propose_methods(db, around, dot);
    }
    rule_names::in_attribute(around)
        .or_else(|| switch::fields(db, around))
        .or_else(|| addresses::propose_addresses(db, around))
        .or_else(|| variants::propose_variants(db, around))
        .or_else(|| generics::propose_generics(db, around))
        .or_else(|| snippets::propose_snippets(db, around))
}

/// A proposal that replaces the word under the cursor by its label.
fn word_proposal(
    around: &Around,
    label: impl Into<String>,
    kind: CompletionKind,
    rank: u32,
) -> Completion {
    let label = label.into();
    Completion {
        insert: label.clone(),
        label,
        kind,
        detail: None,
        documentation: None,
        replace: around.replace,
        snippet: false,
        rank,
    }
}

#[cfg(test)]
mod tests;
