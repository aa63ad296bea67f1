//! Proposals behind `dge_mode.`, `engine.` and `oob_mode.`, and the keywords of the three calls.
//!
//! Reads the text up to the cursor; what is legal for the call comes first. All else is left to Python's own server.

use crate::Analysed;
use crate::names::{ENUMERATIONS, Mode};
use crate::rules::legal_modes;
use crate::transfers::{Kind, Transfer};
use visa_base::names::is_word_letter;
use visa_findings::answers::{ByteRange, Completion, CompletionKind};

/// Keywords of a call.
const fn keywords(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Copy => &[
            "dst", "src", "dge_mode", "engine", "name", "oob_mode", "priority",
        ],
        Kind::Transpose => &[
            "dst", "src", "axes", "dge_mode", "engine", "name", "oob_mode",
        ],
        Kind::Compute => &[
            "dst",
            "srcs",
            "scales",
            "reduce_op",
            "dge_mode",
            "engine",
            "name",
        ],
        Kind::Load => &["src", "mask", "dtype"],
        Kind::Store => &["dst", "value", "mask"],
    }
}

/// The proposals at an offset, the best first.
pub fn completions_at(analysed: &Analysed, offset: u32) -> Vec<Completion> {
    let Some(before) = analysed.text.get(..offset as usize) else {
        return Vec::new();
    };
    if !analysed.followed.takes_part {
        return Vec::new();
    }
    let lead = before.trim_end_matches(is_word_letter);
    let replace = ByteRange {
        start: u32::try_from(lead.len()).unwrap_or(offset),
        end: offset,
    };
    let around = analysed
        .followed
        .transfers
        .iter()
        .filter(|transfer| transfer.span.start <= offset && offset <= transfer.span.end)
        .max_by_key(|transfer| transfer.span.start);
    let Some(path) = lead.strip_suffix('.') else {
        return around.map_or_else(Vec::new, |transfer| {
            keyword_proposals(transfer, lead, replace)
        });
    };
    let name = path
        .get(path.trim_end_matches(is_word_letter).len()..)
        .unwrap_or_default();
    let Some(enumeration) = ENUMERATIONS.iter().find(|known| known.name == name) else {
        return Vec::new();
    };
    let members = enumeration.members.iter().map(|member| {
        let refusal = around.and_then(|transfer| member_refusal(transfer, name, member));
        new_completion(member, CompletionKind::Variant, refusal, replace)
    });
    let mut proposals: Vec<Completion> = members.collect();
    proposals.sort_by_key(|proposal| proposal.rank);
    proposals
}

fn new_completion(
    label: &str,
    kind: CompletionKind,
    refusal: Option<String>,
    replace: ByteRange,
) -> Completion {
    Completion {
        label: label.to_owned(),
        kind,
        rank: u32::from(refusal.is_some()),
        detail: refusal.map(|reason| format!("not here: {reason}")),
        documentation: None,
        replace,
        insert: label.to_owned(),
        snippet: false,
    }
}

/// Why a member is not legal for a call, if so.
fn member_refusal(transfer: &Transfer, enumeration: &str, member: &str) -> Option<String> {
    match enumeration {
        "dge_mode" => {
            let mode = Mode::named(member)?;
            let mut modes = legal_modes(transfer).into_iter();
            modes
                .find(|(known, _)| *known == mode)
                .and_then(|(_, reason)| reason)
        }
        "engine" => {
            let triggers = matches!(member, "scalar" | "sync" | "unknown");
            (!triggers).then(|| "it triggers no hardware descriptors".to_owned())
        }
        _ => (member == "skip" && transfer.kind == Kind::Transpose && transfer.is_direct())
            .then(|| "the transpose has no indices".to_owned()),
    }
}

fn keyword_proposals(transfer: &Transfer, lead: &str, replace: ByteRange) -> Vec<Completion> {
    let begins = lead.trim_end().ends_with(['(', ',']);
    if !begins || replace.start < transfer.callee.end {
        return Vec::new();
    }
    let missing = keywords(transfer.kind)
        .iter()
        .filter(|name| transfer.keyword(name).is_none());
    missing
        .map(|name| {
            let mut keyword = new_completion(name, CompletionKind::Field, None, replace);
            keyword.insert = format!("{name}=");
            keyword
        })
        .collect()
}
