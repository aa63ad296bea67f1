//! Rules of the Commit Engine.

use crate::alternatives::SuggestMappings as _;
use crate::derivation::commit::{CommitDerivation, CommitViolation, Mismatch, MismatchKind};
use crate::derivation::memory::InPlaceCommit;
use crate::derivation::sequencer::{Misfit, SequencerViolation};
use crate::derivation::steps::StepViolation;
use crate::derivation::{EndDerivation, PassDerivation, StageDerivation};
use crate::hardware::{COMMIT_UNIT_BYTES, FLIT_BYTES};
use crate::items::Span;
use crate::kernel::{Pass, Tensor};

use super::memory::with_nearest;
use super::pipeline;
use super::sequencer::{axis_part_text, bits_as_bytes, commit_target};
use super::wording::{self, mapping_macro_text};
use super::{Applicability, Checked, Finding, Group, Rule, levels, rule};

pub(crate) static COMMIT_PACKET_SIZE: Rule = rule!(
    "commit_packet_size",
    Hardware,
    Commit,
    "Commit Engine: Constraints",
    "the committed part of the packet is not 8, 16, 24 or 32 bytes",
    "A flit of 32 bytes reaches the Commit Engine, and the engine cuts it after 8, 16, 24 or 32 bytes. How much is \
     kept follows from the element: the part of the packet that it holds, with the padding that it has after it. A \
     shorter element is padded; one scalar per slice is stored with padding too.",
    fix,
    alt;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static COMMIT_SIZE: Rule = rule!(
    "commit_size",
    Hardware,
    Commit,
    "Commit Engine: Constraints",
    "the writes of a packet are not multiples of 8 bytes",
    "A packet is written in one piece where its bytes are neighbours in DM, else in several, each as long as the neighbours \
     allow. Such a write is 8, 16, 24 or 32 bytes, for a bank writes rows of 8 bytes. An element that takes a packet apart \
     into smaller pieces cannot be written: let the Transpose Engine or the fetch turn the packet around.",
    alt;
    refused: Refusal::BY_COMPILER,
);

pub(crate) static COMMIT_MAPPING: Rule = rule!(
    "commit_mapping",
    Hardware,
    Commit,
    "Commit Engine",
    "the element is not the stream's time and packet, reordered and padded",
    "The Commit Engine puts every packet somewhere; it neither drops an axis nor invents one. The element may order \
     the stream's digits differently, pad them, and cut off the end of the packet. It must hold all of them and no \
     others.",
    fix;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static COMMIT_ALIGNMENT: Rule = rule!(
    "commit_alignment",
    Hardware,
    Commit,
    "Tail padding",
    "a commit address that is not a multiple of 8",
    "A bank of DM writes whole rows of 8 bytes, and the Commit Engine has no means to write a part of one. An element that \
     starts in the middle of a row cannot be written, however its strides are chosen.",
    fix,
);

pub(crate) static COMMIT_IN_PLACE: Rule = rule!(
    "commit_in_place",
    Suspicious,
    Commit,
    "Scheduling",
    "a pass commits over bytes that it has yet to read",
    "A pass is a pipeline: the first packets are committed while later ones are still being fetched. The scheduler \
     orders operations, not their inner steps. So a packet may overwrite its own bytes, but no bytes that are read \
     later. With an element in another order, or a few bytes further on, a later step reads what an earlier one \
     wrote. Where the steps prove it, the finding has the group `silent` and its level, `deny`. Where a reduction, a \
     switch or a transpose holds packets back for a time that is not stated, it stays a warning.",
);

/// The family's rules.
pub(super) const RULES: &[&Rule] = &[
    &COMMIT_PACKET_SIZE,
    &COMMIT_SIZE,
    &COMMIT_MAPPING,
    &COMMIT_ALIGNMENT,
    &COMMIT_IN_PLACE,
];

/// Turns the violations of this family into findings.
pub(super) fn check_commit(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    for (pass, whole) in wording::judged_passes(checked) {
        let EndDerivation::Commit(derived) = &whole.end else {
            continue;
        };
        // A pass that lacks its trim is said once, at its commit: the packet is another one than will be written.
        let untrimmed = pipeline::lacks_trim(pass, whole);
        // What is trimmed to a size that is not written is said there.
        let is_said = |violation: &CommitViolation| match violation {
            CommitViolation::Alignment { .. } | CommitViolation::Window(_) => false,
            CommitViolation::PacketSize { .. } => untrimmed || trims_too_far(whole),
            _ => untrimmed,
        };
        let Some((target, method)) = commit_target(checked, pass) else {
            continue;
        };
        let violations = derived.violations.iter();
        let violations = violations.filter(|violation| !is_said(violation));
        findings.extend(violations.filter_map(|violation| {
            to_finding(checked, pass, (target, method), derived, violation)
        }));
    }
    let in_place = &checked.derivation().memory.in_place;
    findings.extend(in_place.iter().map(|found| word_in_place(checked, found)));
}

/// Whether a trim leaves a packet of a size that is not written.
fn trims_too_far(pass: &PassDerivation) -> bool {
    pass.stages.iter().any(|stage| match stage {
        StageDerivation::Step(derived) => {
            let mut violations = derived.violations.iter();
            violations.any(|violation| matches!(violation, StepViolation::TrimSize { .. }))
        }
        _ => false,
    })
}

fn word_in_place(checked: &Checked<'_>, found: &InPlaceCommit) -> Finding {
    let name = |id| {
        let tensor = checked.body.tensor(id);
        tensor.and_then(|tensor| tensor.name.clone())
    };
    let source = match name(found.source) {
        Some(name) => format!("`{name}`"),
        None => "its source".to_owned(),
    };
    let (byte, written_at, read_at) = (found.byte, found.written_at, found.read_at);
    let message = if found.proven {
        format!(
            "the packet of step {written_at} is written to byte {byte:#x}, which step {read_at} of the same pass reads as part of {source}"
        )
    } else {
        format!(
            "a packet that is complete after step {written_at} goes to byte {byte:#x}, which step {read_at} of the same pass reads as \
             part of {source}: it may be written before it is read"
        )
    };
    let mut finding = Finding::new(&COMMIT_IN_PLACE, found.span, message)
        .help("commit to bytes of its own, or fetch the packets in the order in which the element holds them")
        .related(found.begins, "the pass reads from here on");
    // What is proven is no suspicion: the kernel runs, and stores something else than it says.
    finding.group = found.proven.then_some(Group::Silent);
    finding
}

fn to_finding(
    checked: &Checked<'_>,
    pass: &Pass,
    (target, method): (&Tensor, Span),
    derived: &CommitDerivation,
    violation: &CommitViolation,
) -> Option<Finding> {
    let element = target.levels.element.span;
    let finding = match violation {
        CommitViolation::Flit { bits } => Finding::new(
            &COMMIT_PACKET_SIZE,
            pass.output().packet.span,
            format!("the packet that is committed is {}; the Commit Engine takes flits of {FLIT_BYTES}", bits_as_bytes(*bits)),
        ),
        CommitViolation::PacketSize { bits, elements, padded } => {
            let are = if *elements == 1 { "element of a packet is" } else { "elements of a packet are" };
            let finding = Finding::new(
                &COMMIT_PACKET_SIZE,
                element,
                format!(
                    "{elements} {are} committed, {}; the Commit Engine writes 8, 16, 24 or 32 bytes of it",
                    bits_as_bytes(*bits)
                ),
            );
            match padded {
                Some(padded) => {
                    let words = ("pad the element: ", "{}");
                    finding.suggest(words, Applicability::Machine, method, &[(element, padded)])
                }
                None => finding,
            }
        }
        CommitViolation::Mapping(mismatch) => {
            let finding = word_mismatch(pass, element, mismatch)
                .related(pass.output().time.span, "the stream's time")
                .related(pass.output().packet.span, "the stream's packet");
            match &mismatch.expected {
                Some(expected) => {
                    let words = ("the stream in its own order is ", "{}");
                    finding.suggest(words, Applicability::Maybe, method, &[(element, expected)])
                }
                None => finding,
            }
        }
        CommitViolation::Alignment { address } => {
            let place = target.address.span;
            let finding = Finding::new(
                &COMMIT_ALIGNMENT,
                place,
                format!("the commit starts at address {address}; it writes whole rows of a bank, multiples of 8 bytes"),
            );
            with_nearest(checked, finding, place, COMMIT_UNIT_BYTES)
        }
        CommitViolation::Window(window) => wording::misaligned_window(
            &COMMIT_ALIGNMENT,
            window,
            &format!("a commit writes whole rows of a bank, multiples of {COMMIT_UNIT_BYTES} bytes"),
        )
        .related(method, "committed here"),
        CommitViolation::Sequencer(SequencerViolation::CommitSize { contiguous_bits, packet_bytes }) => Finding::new(
            &COMMIT_SIZE,
            element,
            format!(
                "the element keeps only {} of a packet's {packet_bytes} committed bytes contiguous; a write is a multiple of \
                 {COMMIT_UNIT_BYTES}",
                bits_as_bytes(*contiguous_bits)
            ),
        )
        .help("keep at least 8 bytes of the packet together, innermost in the element"),
        CommitViolation::Sequencer(_) | CommitViolation::Bank(_) => return None,
    };
    let finding = match (violation, &derived.reordered_element) {
        (CommitViolation::Sequencer(_), Some(reordered)) => {
            wording::stream_order(finding, reordered, element, method)
        }
        _ => finding,
    };
    Some(match &derived.sequence {
        Some(report)
            if !report.merged.is_empty()
                && !matches!(
                    violation,
                    CommitViolation::Alignment { .. } | CommitViolation::Window(_)
                ) =>
        {
            finding.note(format!("derived sequencer: {}", report.configuration()))
        }
        _ => finding,
    })
}

fn word_mismatch(pass: &Pass, element: Span, mismatch: &Mismatch) -> Finding {
    let output = pass.output();
    let stream = match (output.time.get(), output.packet.get()) {
        (Some(time), Some(packet)) => levels::steps_text(time, packet),
        _ => format!("`{}`", mapping_macro_text(&mismatch.stream)),
    };
    let why = match &mismatch.kind {
        MismatchKind::Dropped(axis) => {
            let missing = levels::sized(&[axis.to_string()], Some(&mismatch.stream));
            format!("{missing} of the stream is missing in it")
        }
        MismatchKind::Misfit(Misfit::Incompatible { axis, .. }) => {
            format!("it splits `{axis}` at borders that do not agree with the stream's")
        }
        MismatchKind::Misfit(Misfit::Insufficient {
            axis, step, needed, ..
        }) => {
            format!(
                "it does not hold the stream's {needed} values of {}",
                axis_part_text(axis, *step)
            )
        }
        MismatchKind::Invented(Misfit::Insufficient {
            axis, step, needed, ..
        }) => {
            format!(
                "the stream does not hold its {needed} values of {}",
                axis_part_text(axis, *step)
            )
        }
        MismatchKind::Copies(copies) => {
            format!("it has {copies} copies, and the stream brings one")
        }
        MismatchKind::Innermost(found) => {
            let packet = output
                .packet
                .get()
                .map_or_else(String::new, mapping_macro_text);
            match found {
                Some(found) => format!(
                    "the trimmed packet `{packet}` is the innermost run of an element, and there is `{}`",
                    mapping_macro_text(found)
                ),
                None => format!("its length is not a multiple of the trimmed packet `{packet}`"),
            }
        }
        MismatchKind::Padding { needed, held } => format!(
            "the stream has {needed} steps where the element has room for {held}, data and padding together"
        ),
        MismatchKind::Misfit(Misfit::Unknown) | MismatchKind::Invented(_) => {
            "the two do not agree".to_owned()
        }
    };
    Finding::new(
        &COMMIT_MAPPING,
        element,
        format!(
            "the element `{}` is not the stream ({stream}) in another order: {why}",
            mapping_macro_text(&mismatch.element)
        ),
    )
}
