//! Transfers that cost more than a small change would make them.

use super::edits::{fix_of_edits, removing_edit, replace_edit, with_mode};
use super::machine::{GENERATION_NS, GOOD_PAYLOAD, MANY_DESCRIPTORS, SMALL_PAYLOAD, bandwidth};
use super::modes::require_legal_mode;
use super::{Context, Found};
use crate::names::{Api, Mode};
use crate::transfers::{Kind, Transfer};
use crate::types::{Generation, Generations, Space, Tensor};
use visa_findings::{Alternative, Applicability, Finding, Rule, rule};

/// See the declaration.
pub static SBUF_COPY: Rule = rule!(
    Nki: "nki_sbuf_copy", Performance, "derived",
    "a copy within SBUF by DMA",
    "A DMA takes more than a microsecond to start. Within SBUF `tensor_copy` on the Vector or Scalar Engine starts at \
     once. The queue of the DMA engine stays free for transfers from HBM.",
    fix
);

/// See the declaration.
pub static SMALL_PAYLOAD_RULE: Rule = rule!(
    Nki: "nki_small_payload", Performance, "derived",
    "fewer than 256 contiguous bytes",
    "Each element of a descriptor costs the same whatever it holds: below 256 bytes the overhead outweighs the bytes, and 2 KiB are \
     recommended. 2 KiB are 512 elements of float32, or 1,024 of bfloat16.",
    alt
);

/// See the declaration.
pub static HWDGE_OVERHEAD: Rule = rule!(
    Nki: "nki_hwdge_overhead", Performance, "hwdge — hardware DGE",
    "an instruction with hardware descriptors that moves few bytes",
    "The hardware block takes about 600 ns for each instruction. On trn2 one queue moves about 13,800 bytes in that \
     time: an instruction with fewer bytes waits longer for its descriptors than for its data.",
    alt
);

/// See the declaration.
pub static DESCRIPTOR_COUNT: Rule = rule!(
    Nki: "nki_descriptor_count", Performance, "none — pre-computed descriptors in HBM",
    "an instruction with static descriptors that has 4,096 instances or more",
    "Descriptors that are made before the run stay in HBM, one for each instance of the instruction, and loops with \
     constant bounds multiply them. Descriptors that the hardware makes while the kernel runs take no memory: use \
     `hwdge`.",
    alt
);

/// See the declaration.
pub static GPSIMD_CONTENTION: Rule = rule!(
    Nki: "nki_gpsimd_contention", Performance, "swdge — software DGE",
    "descriptors made by the GpSimd Engine in a loop that also computes on it",
    "With `swdge` each transfer takes time of the GpSimd Engine. Where the same loop computes on it, the two wait for each other. Without \
     indices the hardware block can make the descriptors.",
    alt
);

/// Looks at a transfer.
pub fn check_performance(transfer: &Transfer, context: &Context<'_>, found: &mut Vec<Found>) {
    within_sbuf(transfer, context, found);
    small_payload(transfer, found);
    check_overhead(transfer, found);
    check_descriptors(transfer, context, found);
    check_contention(transfer, context, found);
}

/// Whether each element stays in its partition, as the engines need it: both ends have all of equally many partitions.
fn stays_in_partitions(source: &Tensor, destination: &Tensor) -> bool {
    let partitions = |tensor: &Tensor| {
        let extents = tensor.shape.known_extents()?;
        let is_whole = !tensor.cuts_partitions && tensor.partition_axis == Some(0);
        extents.first().filter(|_| is_whole).cloned()
    };
    let both = partitions(source).zip(partitions(destination));
    both.is_some_and(|(from, to)| from == to)
}

fn within_sbuf(transfer: &Transfer, context: &Context<'_>, found: &mut Vec<Found>) {
    let (source, destination) = (&transfer.source.tensor, &transfer.destination.tensor);
    let is_within = source.space == Some(Space::Sbuf) && destination.space == Some(Space::Sbuf);
    if transfer.kind != Kind::Copy
        || !is_within
        || transfer.may_be_indirect()
        || transfer.is_dynamic()
        || !stays_in_partitions(source, destination)
    {
        return;
    }
    let mut finding = Finding::new(
        &SBUF_COPY,
        transfer.callee.into(),
        "a copy within SBUF by DMA: `tensor_copy` does not pay the start of a DMA",
    )
    .help("use `tensor_copy`");
    // Partitions stay where they are only if both ends are whole tensors of one shape.
    let is_whole = !source.is_view
        && !destination.is_view
        && source.shape == destination.shape
        && source.shape.known_extents().is_some();
    let dropped = ["dge_mode", "engine", "oob_mode", "priority"];
    let is_plain = transfer
        .keywords
        .iter()
        .all(|(name, _)| dropped.contains(&&**name) || matches!(&**name, "dst" | "src" | "name"));
    if is_plain
        && !transfer.has_unseen
        && transfer.api == Api::Current
        && let Some(module) = &transfer.module
    {
        let mut edits = vec![replace_edit(
            transfer.callee,
            format!("{module}tensor_copy"),
        )];
        edits.extend(
            dropped
                .iter()
                .filter_map(|name| Some(removing_edit(transfer.keyword(name)?, context.text))),
        );
        let applicability = if is_whole {
            Applicability::Machine
        } else {
            Applicability::Maybe
        };
        finding
            .fixes
            .push(fix_of_edits(applicability, "Use `tensor_copy`", edits));
    }
    found.push(finding);
}

fn small_payload(transfer: &Transfer, found: &mut Vec<Found>) {
    if transfer.kind != Kind::Copy && !transfer.kind.is_of_language() {
        return;
    }
    let (source, destination) = (&transfer.source.tensor, &transfer.destination.tensor);
    // All of a small tensor, once: there is nothing to put together.
    if !source.is_view && !destination.is_view && transfer.loops.is_empty() {
        return;
    }
    if source.space == Some(Space::Sbuf) && destination.space == Some(Space::Sbuf) {
        return;
    }
    let Some((bytes, space)) = transfer.payload() else {
        return;
    };
    if bytes >= SMALL_PAYLOAD {
        return;
    }
    let element = destination.dtype.as_ref().or(source.dtype.as_ref());
    let element = element.and_then(crate::types::Dtype::bytes);
    let help = match element.and_then(|bytes| i64::try_from(bytes).ok()) {
        Some(element) => {
            let dtype = destination.dtype.as_ref().or(source.dtype.as_ref());
            let dtype = dtype.map_or_else(String::new, ToString::to_string);
            format!(
                "{} elements of {dtype} make the recommended {GOOD_PAYLOAD} bytes",
                GOOD_PAYLOAD / element
            )
        }
        None => format!("{GOOD_PAYLOAD} bytes are recommended"),
    };
    let place = if space == Space::Hbm {
        "of HBM"
    } else {
        "per partition"
    };
    found.push(
        Finding::new(
            &SMALL_PAYLOAD_RULE,
            transfer.callee.into(),
            format!("{bytes} contiguous bytes {place}: below {SMALL_PAYLOAD} the overhead of the DMA dominates"),
        )
        .help(help),
    );
}

fn check_overhead(transfer: &Transfer, found: &mut Vec<Found>) {
    let (Some((Mode::Hardware, at)), Kind::Copy) = (transfer.mode.known_value(), transfer.kind)
    else {
        return;
    };
    let rate = bandwidth(transfer.generations);
    let Ok(worth) = i64::try_from(GENERATION_NS * rate) else {
        return;
    };
    let Some(bytes) = transfer
        .bytes()
        .and_then(|bytes| bytes.value())
        .filter(|bytes| *bytes < worth)
    else {
        return;
    };
    let target = transfer
        .generations
        .only_generation()
        .unwrap_or(Generation::Trn2)
        .name();
    found.push(
        Finding::new(
            &HWDGE_OVERHEAD,
            at.value.into(),
            format!(
                "the instruction moves {bytes} bytes; making its hardware descriptors takes {GENERATION_NS} ns, in which one queue moves {worth} bytes on {target}"
            ),
        )
        .help("move a larger tile in one instruction, or several of these together"),
    );
}

fn check_descriptors(transfer: &Transfer, context: &Context<'_>, found: &mut Vec<Found>) {
    let Some((Mode::Static, at)) = transfer.mode.known_value() else {
        return;
    };
    let times = transfer
        .times(&context.followed.loops)
        .and_then(|times| times.value());
    let Some(times) = times.filter(|times| *times >= MANY_DESCRIPTORS) else {
        return;
    };
    found.push(
        Finding::new(
            &DESCRIPTOR_COUNT,
            at.value.into(),
            format!("{times} instances of this instruction, each with its descriptors in HBM"),
        )
        .help("let the hardware block make them, or use larger tiles")
        .alternatives("write ", hardware_alternative(transfer, context)),
    );
}

fn hardware_alternative(
    transfer: &Transfer,
    context: &Context<'_>,
) -> Option<Alternative<visa_findings::TextSpan>> {
    require_legal_mode(transfer, Mode::Hardware).ok()?;
    let known = transfer.generations != Generations::ANY;
    let edit = with_mode(transfer, context.text, Mode::Hardware)?;
    let target = if known { "" } else { ", on trn2 and later" };
    Some(Alternative {
        text: format!("`{}`{target}", edit.text),
        edits: vec![edit],
    })
}

fn check_contention(transfer: &Transfer, context: &Context<'_>, found: &mut Vec<Found>) {
    let (Some((Mode::Software, at)), Some(inner)) =
        (transfer.mode.known_value(), transfer.loops.last())
    else {
        return;
    };
    if transfer.may_be_indirect() {
        return;
    }
    let Some(other) = context.on_gpsimd.get(inner) else {
        return;
    };
    found.push(
        Finding::new(
            &GPSIMD_CONTENTION,
            at.value.into(),
            format!(
                "the GpSimd Engine makes these descriptors, and runs `{}` in the same loop",
                other.name
            ),
        )
        .related(other.span.into(), "the GpSimd Engine computes here")
        .help("let the hardware block make the descriptors")
        .alternatives("write ", hardware_alternative(transfer, context)),
    );
}
