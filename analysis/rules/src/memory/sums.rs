//! Tensors that are together more than a memory holds: the words for the sum, its parts, and what would make it smaller.

use crate::derivation::memory::{Relief, Sum};
use crate::items::Span;
use crate::kernel::{Body, Origin, Tensor, TensorId, Tier};
use crate::tensors::{DM_CAPACITY, TRF_CAPACITY, VRF_CAPACITY};

use super::super::{Finding, words};

/// Related places of a sum at most: the largest of them.
const SHOWN_TENSORS: usize = 8;

pub(super) fn word_sum(body: &Body, sum: &Sum) -> Finding {
    let (rule, what) = match sum.tier {
        Tier::Dm => (&DM_CAPACITY, "the tensors in data memory"),
        Tier::Trf => (&TRF_CAPACITY, "the tensors in the tensor register file"),
        _ => (&VRF_CAPACITY, "the vector registers"),
    };
    let mut finding = Finding::new(
        rule,
        sum.span,
        format!(
            "with this tensor of {} {what} that are needed at once take {}; a slice has {}",
            words::bytes_text(sum.last.1),
            words::bytes_text(sum.bytes),
            words::bytes_text(sum.capacity)
        ),
    )
    .found_by_compiler();
    let mut others = sum.others.clone();
    others.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
    for (other, bytes) in others.iter().take(SHOWN_TENSORS) {
        if let Some(tensor) = body.tensor(*other) {
            let bytes = words::bytes_text(*bytes);
            let message = match &tensor.name {
                Some(name) => format!("`{name}`, {bytes}, is needed at the same time"),
                None => format!("{bytes} are needed here"),
            };
            finding = finding.related(place_in_kernel(body, tensor), message);
        }
    }
    let hidden = others.iter().skip(SHOWN_TENSORS);
    let (count, bytes) = hidden.fold((0_u64, 0_u64), |(count, sum), (_, bytes)| {
        (count + 1, sum.saturating_add(*bytes))
    });
    if count > 0 {
        finding = finding.note(format!(
            "{count} smaller ones take {} of it",
            words::bytes_text(bytes)
        ));
    }
    let rest = sum
        .capacity
        .saturating_sub(sum.bytes.saturating_sub(sum.last.1));
    let mut finding = finding.note(format!("{} are left", words::bytes_text(rest)));
    for relief in &sum.reliefs {
        if let Relief::EarlierUse { operation, .. } = relief
            && let Some(operation) = body.operation(*operation)
        {
            // An operation of a helper is moved where the helper is called.
            let place = operation.calls.first().copied().unwrap_or(operation.span);
            if !finding.related.iter().any(|known| known.span == place) {
                finding = finding.related(place, "this could run before");
            }
        }
        let (change, bytes) = word_relief(body, relief);
        finding = finding.note(format!(
            "{change}: at most {} are needed at once then",
            words::bytes_text(bytes)
        ));
    }
    let reliefs: Vec<String> = (sum.reliefs.iter())
        .map(|relief| word_relief(body, relief).0)
        .collect();
    match sum.tier {
        _ if !reliefs.is_empty() => finding.help(reliefs.join("; or ")),
        Tier::Dm => finding.help(
            "make it after the last use of another tensor, work on it in tiles, or keep a narrower type",
        ),
        _ => finding.help(
            "work on it in tiles that fit, or load it after the last use of another operand",
        ),
    }
}

/// Where a tensor is made, as the kernel's author sees it: a call of a helper that makes it counts.
fn place_in_kernel(body: &Body, tensor: &Tensor) -> Span {
    let made = match tensor.origin {
        Origin::Operation(id) => body.operation(id),
        _ => None,
    };
    let call = made.and_then(|made| made.calls.first());
    call.copied().unwrap_or(tensor.span)
}

/// What a proposal changes, and the bytes of the fullest point with it.
fn word_relief(body: &Body, relief: &Relief) -> (String, u64) {
    let name = |id: TensorId| {
        let tensor = body.tensor(id);
        let name = tensor.and_then(|tensor| tensor.name.as_deref());
        name.map_or_else(|| "the tensor".to_owned(), |name| format!("`{name}`"))
    };
    match relief {
        Relief::LaterLoad { tensors, bytes } => {
            let names: Vec<String> = tensors.iter().map(|one| name(*one)).collect();
            let each = if names.len() > 1 { "each " } else { "" };
            let names = words::all_of(&names);
            (
                format!("load {names} {each}right before its first use"),
                *bytes,
            )
        }
        Relief::EarlierUse { tensor, bytes, .. } => (
            format!("use {} for the last time before this", name(*tensor)),
            *bytes,
        ),
        Relief::NarrowerType {
            tensor,
            element,
            bytes,
        } => (format!("keep {} as `{element}`", name(*tensor)), *bytes),
    }
}
