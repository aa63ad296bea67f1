//! Rules of sequencers: the limits that fetches, commits and transfers share.

mod padding;

use crate::alternatives::SuggestMappings as _;
use crate::derivation::commit::CommitViolation;
use crate::derivation::conventions::Conventions;
use crate::derivation::dma::DmaViolation;
use crate::derivation::fetch::{FetchDerivation, FetchViolation};
use crate::derivation::sequencer::{Misfit, SequencerViolation};
use crate::derivation::{EndDerivation, OperationDerivation, StageDerivation};
use crate::hardware::{SEQUENCER_ENTRIES as ENTRIES, SEQUENCER_ITERATIONS as COUNT};
use crate::items::Span;
use crate::kernel::{
    Body, Copy, OperationKind, Pass, PassEnd, PassSource, StreamShape, Tensor, TensorId, Tier,
    Written,
};
use crate::mapping::Mapping;

use super::wording::StageOf;
use super::{Applicability, Checked, Finding, Group, Rule, find, rule, wording};
use padding::with_padding;

pub(crate) static SEQUENCER_ENTRIES: Rule = rule!(
    "sequencer_entries",
    Hardware,
    Sequencers,
    "Configuration Failures",
    "more than 8 sequencer entries after merging",
    "A sequencer is a nest of at most eight loops, each with a size and a stride. Every digit of the stream that does \
     not continue its neighbour in memory needs a loop of its own. Neighbours that do are merged into one. A stream \
     that turns a buffer around digit by digit runs out of loops. Keep digits that are neighbours in memory \
     neighbours in the stream, or turn the tensor around in two steps.",
    alt;
    refused: Refusal::since(3),
);

pub(crate) static SEQUENCER_ITERATIONS: Rule = rule!(
    "sequencer_iterations",
    Hardware,
    Sequencers,
    "Configuration Failures",
    "a sequencer entry of more than 65,536 iterations that cannot be split",
    "A loop of a sequencer counts to 65,536. A longer one is split into two nested loops whose sizes multiply to it. \
     A prime factor above the limit prevents this, and so do too few free loops. Pad the axis to a size that has \
     small factors, or move a part of it to the slices.",
    alt,
);

pub(crate) static SEQUENCER_PACKET: Rule = rule!(
    "sequencer_packet",
    Hardware,
    Sequencers,
    "Configuration Failures",
    "no access size satisfies the innermost entry",
    "One access moves 1, 2, 4, 8, 16 or 32 neighbouring bytes. If the innermost digit of the stream has a stride, \
     only a single element is contiguous. An element of four bits is not a whole byte, so nothing can move it. The \
     innermost digit of the packet must then be innermost in the buffer too.";
    holds: Holds::EVERYWHERE.until(6),
    instead: &["fetch_packet_contiguity"],
);

pub(crate) static SEQUENCER_INSUFFICIENT_INPUT: Rule = Rule {
    // What the current library reads again and again.
    lesser: Some(Group::Suspicious),
    ..rule!(
        "sequencer_insufficient_input",
        Hardware,
        Sequencers,
        "Insufficient Input",
        "the stream runs over a part of an axis that the buffer does not hold",
        "A sequencer can skip parts of a buffer and repeat an axis that the tensor does not have. It cannot read missing \
         values. A buffer may hold only the near digits of an axis, because the rest is in other slices or was cut off. A \
         stream that asks for the other digits would read the bytes after them.";
        refused: Refusal::since(3),
    )
};

pub(crate) static SEQUENCER_INCOMPATIBLE: Rule = rule!(
    "sequencer_incompatible",
    Hardware,
    Sequencers,
    "Incompatible Shapes",
    "the two sides split an axis at borders that do not agree",
    "A loop has one stride. The buffer holds an axis in digits to one base, and the stream walks it in digits to \
     another. The address would have to step differently from iteration to iteration. The two splits need a common \
     refinement, in which each border of one is a multiple or a divisor of each border of the other.";
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static SEQUENCER_WRITE_BOUNDS: Rule = rule!(
    "sequencer_write_bounds",
    Hardware,
    Sequencers,
    "Tail Padding and Fetch Size",
    "a write sequencer steps beyond its tensor",
    "Reading beyond the end of a tensor is harmless: the extra bytes are padding that nothing reads. Writing there is not, \
     for the bytes belong to another tensor. A stream whose padding is longer than the tensor's writes the rest of its last \
     packets after it. Pad the tensor as far as the stream, or shorten the stream.",
    fix;
    refused: Refusal::since(3),
);

pub(crate) static SEQUENCER_WRITE_BROADCAST: Rule = rule!(
    "sequencer_write_broadcast",
    Hardware,
    Sequencers,
    "Full-flit Commit",
    "a write sequencer entry with stride 0",
    "A loop without a stride repeats what it reads. A write has nothing to repeat. Every iteration would overwrite \
     the one before it, and the Commit Engine has no such loop. An axis that a fetch introduced must be reduced on \
     the way, or be kept in the element.";
    refused: Refusal::since(3),
);

pub(crate) static SEQUENCER_WRITE_STRIDE: Rule = rule!(
    "sequencer_write_stride",
    Hardware,
    Sequencers,
    "Commit Engine: Constraints",
    "a stride of a commit that is not a multiple of 8 bytes",
    "A bank of DM writes whole rows of 8 bytes. The Commit Engine therefore starts every write at a multiple of 8 bytes, so \
     each stride of its sequencer has to be one. Rows that are padded to another length make every second write start in \
     the middle of a bank's row.",
    fix;
    refused: Refusal::BY_COMPILER,
);

/// The family's rules.
pub(super) const RULES: &[&Rule] = &[
    &SEQUENCER_ENTRIES,
    &SEQUENCER_ITERATIONS,
    &SEQUENCER_PACKET,
    &SEQUENCER_INSUFFICIENT_INPUT,
    &SEQUENCER_INCOMPATIBLE,
    &SEQUENCER_WRITE_BOUNDS,
    &SEQUENCER_WRITE_BROADCAST,
    &SEQUENCER_WRITE_STRIDE,
];

/// The rule that reports a violation; none for what is not known. Answers about a sequence alone name it too.
fn rule_of(violation: &SequencerViolation) -> Option<&'static Rule> {
    find(violation.rule()?)
}

/// Turns the violations of this family into findings.
pub(super) fn check_sequencer(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    for of in wording::judged_stages(checked) {
        let StageDerivation::Fetch(derived) = of.derived else {
            continue;
        };
        let configuration = || Some(derived.sequence.as_ref()?.configuration());
        for violation in &derived.violations {
            if let FetchViolation::Sequencer(violation) = violation {
                let place = StreamPlace {
                    stream: &of.stage.output,
                    element: None,
                    verb: "the fetch",
                };
                let Some(finding) = to_finding(checked.body, violation, &place) else {
                    continue;
                };
                let finding = with_note(finding, configuration().as_deref());
                findings.push(match (violation, &derived.reordered_time) {
                    (SequencerViolation::Entries { .. }, Some((time, entries))) => {
                        let replaced = [(of.stage.output.time.span, time)];
                        let place = of.stage.span;
                        let template = format!("{{}}, which takes {entries} entries");
                        let words = ("in the buffer's order the time is ", &*template);
                        finding.suggest(words, Applicability::Maybe, place, &replaced)
                    }
                    (SequencerViolation::Packet { .. }, _) => {
                        with_source_order(checked, &of, derived, finding)
                    }
                    _ => finding,
                });
            }
        }
    }
    for (pass, derived) in wording::judged_passes(checked) {
        check_commit(checked, pass, &derived.end, findings);
    }
    for (operation, derived) in wording::judged_operations(checked) {
        if let (OperationKind::Copy(copy), OperationDerivation::Copy(derived)) =
            (&operation.kind, derived)
        {
            for violation in &derived.violations {
                if let DmaViolation::Sequencer(violation) = violation {
                    let finding = word_transfer(checked, copy, violation).map(|finding| {
                        let target = checked.body.tensor(copy.target);
                        match (&derived.reordered, target) {
                            (Some(reordered), Some(target)) => {
                                let place = target.levels.element.span;
                                let replaced = [(place, reordered)];
                                finding.suggest(
                                    ("in the source's order it is ", "{}"),
                                    Applicability::Maybe,
                                    copy.span,
                                    &replaced,
                                )
                            }
                            _ => finding,
                        }
                    });
                    findings.extend(
                        finding.map(|finding| with_note(finding, Some(&derived.configuration()))),
                    );
                }
            }
        }
    }
}

/// Proposes that the tensor that a fetch reads is in the order of the stream, where that is enough.
pub(super) fn with_source_order(
    checked: &Checked<'_>,
    of: &StageOf<'_>,
    derived: &FetchDerivation,
    finding: Finding,
) -> Finding {
    let source = match &of.pass.source {
        PassSource::Tensor(id) => checked.body.tensor(*id),
        _ => None,
    };
    match (source, &derived.reordered_buffer) {
        (Some(source), Some(reordered)) => wording::stream_order(
            finding.related(source.levels.element.span, "the buffer's mapping"),
            reordered,
            source.levels.element.span,
            of.stage.span,
        ),
        _ => finding,
    }
}

/// The target of a commit, with the method's place.
pub(super) fn commit_target<'a>(checked: &Checked<'a>, pass: &Pass) -> Option<(&'a Tensor, Span)> {
    let (PassEnd::Commit { target, span } | PassEnd::CommitView { target, span }) = &pass.end
    else {
        return None;
    };
    Some((checked.body.tensor(*target)?, *span))
}

fn check_commit(
    checked: &Checked<'_>,
    pass: &Pass,
    end: &EndDerivation,
    findings: &mut Vec<Finding>,
) {
    let EndDerivation::Commit(derived) = end else {
        return;
    };
    let Some((target, method)) = commit_target(checked, pass) else {
        return;
    };
    let configuration = || Some(derived.sequence.as_ref()?.configuration());
    for violation in &derived.violations {
        let CommitViolation::Sequencer(violation) = violation else {
            continue;
        };
        let place = StreamPlace {
            stream: pass.output(),
            element: Some(&target.levels.element),
            verb: "the commit",
        };
        let Some(finding) = to_finding(checked.body, violation, &place) else {
            continue;
        };
        let mut finding = with_note(finding, configuration().as_deref());
        if let Some(roomy) = &derived.padded_element {
            let replaced = [(target.levels.element.span, roomy)];
            let words = ("write the element as ", "{}");
            finding = finding.suggest(words, Applicability::Maybe, method, &replaced);
        } else if let Some(reordered) = &derived.reordered_element {
            finding = wording::stream_order(finding, reordered, target.levels.element.span, method);
        }
        findings.push(finding);
    }
}

/// Where a stream's sequencer is written.
struct StreamPlace<'a> {
    stream: &'a StreamShape,
    /// The element that is written, on the writing side.
    element: Option<&'a Written<Mapping>>,
    /// Who does it.
    verb: &'static str,
}

impl StreamPlace<'_> {
    /// Time or packet, whichever has the digit of an axis that steps by so many values; the element on the writing side.
    fn digit(&self, axis: &str, step: u64) -> (Span, &'static str) {
        if let Some(element) = self.element {
            return (element.span, "the stream");
        }
        let has = |written: &Written<Mapping>| {
            written.get().is_some_and(|mapping| {
                mapping.form().digits().iter().any(|digit| {
                    digit.term.as_ref().is_some_and(|term| {
                        let names_it = term.atom.axis().is_none_or(|found| found.name() == axis);
                        names_it
                            && term.stride <= step
                            && step < term.stride.saturating_mul(term.modulo)
                    })
                })
            })
        };
        if has(&self.stream.packet) && !has(&self.stream.time) {
            (self.stream.packet.span, "the packet")
        } else {
            (self.stream.time.span, "the time")
        }
    }

    fn time(&self) -> Span {
        self.element
            .map_or(self.stream.time.span, |element| element.span)
    }
}

fn with_note(finding: Finding, configuration: Option<&str>) -> Finding {
    match configuration {
        Some(configuration) if configuration != "[]" => {
            finding.note(format!("derived sequencer: {configuration}"))
        }
        _ => finding,
    }
}

/// The part of an axis that a digit steps through: `N / 512`.
pub(super) fn axis_part_text(axis: &str, step: u64) -> String {
    if step == 1 {
        format!("`{axis}`")
    } else {
        format!("`{axis} / {step}`")
    }
}

/// A number of bits as bytes: `20 bytes`, `4.5 bytes`.
pub(super) fn bits_as_bytes(bits: u64) -> String {
    let whole = bits / 8;
    match bits % 8 {
        0 if whole == 1 => "1 byte".to_owned(),
        0 => format!("{whole} bytes"),
        rest => {
            let fraction = format!("{:03}", rest * 125);
            format!("{whole}.{} bytes", fraction.trim_end_matches('0'))
        }
    }
}

/// Words a limit of the sequencer; violations of other families give nothing.
fn to_finding(
    body: &Body,
    violation: &SequencerViolation,
    place: &StreamPlace<'_>,
) -> Option<Finding> {
    let verb = place.verb;
    let (span, message) = match violation {
        SequencerViolation::Misfit(misfit) => {
            let mut finding = word_misfit(misfit, place)?;
            if place.element.is_none() && is_read_again(body, misfit) {
                finding.group = finding.rule.lesser;
            }
            return Some(finding);
        }
        SequencerViolation::Entries { count } => (
            place.time(),
            format!(
                "{verb} needs {count} sequencer entries after merging; the hardware has {ENTRIES}"
            ),
        ),
        SequencerViolation::Iterations { size } => (
            place.time(),
            format!(
                "{verb} needs a loop of {size} iterations; an entry counts to {COUNT}, and no split of {size} fits the entries"
            ),
        ),
        SequencerViolation::Packet {
            contiguous_bits,
            packet_bits,
        } => (
            place.stream.packet.span,
            format!(
                "only {} of the packet's {} {} contiguous in the buffer; one access moves 1, 2, 4, 8, 16 or 32 bytes",
                bits_as_bytes(*contiguous_bits),
                bits_as_bytes(*packet_bits),
                if matches!(contiguous_bits, 1 | 8) {
                    "is"
                } else {
                    "are"
                }
            ),
        ),
        SequencerViolation::WriteBroadcast { axis, size } => (
            place.time(),
            match axis {
                Some(axis) => format!(
                    "the stream runs over `{axis}` {size} times, which the element does not hold: {verb} would write the \
                     same bytes {size} times, and a write sequencer has no stride of 0"
                ),
                None => format!(
                    "the stream repeats itself {size} times: {verb} would write the same bytes each time, and a write \
                     sequencer has no stride of 0"
                ),
            },
        ),
        SequencerViolation::WriteStride { axis, bits } => {
            let stride =
                u64::try_from(*bits).map_or_else(|_| format!("{bits} bits"), bits_as_bytes);
            let of = axis
                .as_ref()
                .map_or_else(String::new, |axis| format!(" along `{axis}`"));
            (
                place.time(),
                format!(
                    "{verb} steps {stride}{of}; its strides are multiples of 8 bytes, a bank's row"
                ),
            )
        }
        SequencerViolation::WriteBounds { end, size } => (
            place.time(),
            format!(
                "{verb} writes up to element {end} of a tensor of {size} elements: the stream's padding is longer than the \
                 tensor's, and what follows belongs to another tensor"
            ),
        ),
        SequencerViolation::CommitPacket { .. }
        | SequencerViolation::SubContextSize { .. }
        | SequencerViolation::CastOverflow { .. }
        | SequencerViolation::CastPart { .. }
        | SequencerViolation::CommitSize { .. }
        | SequencerViolation::DmaPacket { .. } => return None,
    };
    let finding = Finding::new(rule_of(violation)?, span, message);
    Some(match violation {
        SequencerViolation::Entries { .. } => finding.help(
            "keep digits that are neighbours in the buffer neighbours in the stream, outer before inner: such entries merge",
        ),
        SequencerViolation::Iterations { size } => finding
            .help(OTHER_SIZE)
            .alternatives("pad the axis wherever it is written: ", with_padding(body, *size)),
        _ => finding,
    })
}

/// What to do about a number of iterations that cannot be split.
const OTHER_SIZE: &str =
    "pad the axis on both sides to a size with small factors, or move a part of it to the slices";

/// Whether the library reads what is missing again and again: whole multiples of what the buffer holds.
fn is_read_again(body: &Body, misfit: &Misfit) -> bool {
    let Misfit::Insufficient { needed, held, .. } = misfit else {
        return false;
    };
    Conventions::of(body.dialect).copies_missing_parts() && needed.is_multiple_of(*held)
}

fn word_misfit(misfit: &Misfit, place: &StreamPlace<'_>) -> Option<Finding> {
    let (span, message) = match misfit {
        Misfit::Insufficient {
            axis,
            step,
            needed,
            held,
        } => {
            let (span, who) = place.digit(axis, *step);
            let has = match held {
                1 => "none of them but the first".to_owned(),
                held => format!("{held} of them"),
            };
            let message = format!(
                "{who} runs over {needed} values of {}; the buffer holds {has}",
                axis_part_text(axis, *step)
            );
            (span, message)
        }
        Misfit::Incompatible { axis, step, border } => {
            let (span, who) = place.digit(axis, *step);
            let message = format!(
                "{who} steps through `{axis}` by {step}, and the buffer's digit there ends at {border}: the borders of the two \
                 splits do not agree, so no loop of one stride walks them"
            );
            (span, message)
        }
        Misfit::Unknown => return None,
    };
    Some(Finding::new(
        rule_of(&SequencerViolation::Misfit(misfit.clone()))?,
        span,
        message,
    ))
}

/// The place of a transfer's target mapping where the transfer makes it, else the method's.
pub(super) fn transfer_span(checked: &Checked<'_>, copy: &Copy) -> Span {
    let made = |id: TensorId| {
        checked
            .body
            .tensor(id)
            .map(|tensor| tensor.levels.element.span)
    };
    made(copy.target).unwrap_or(copy.span)
}

fn word_transfer(
    checked: &Checked<'_>,
    copy: &Copy,
    violation: &SequencerViolation,
) -> Option<Finding> {
    let span = transfer_span(checked, copy);
    let message = match violation {
        SequencerViolation::Entries { count } => {
            format!(
                "the transfer needs {count} sequencer entries after merging; the hardware has {ENTRIES}"
            )
        }
        SequencerViolation::Iterations { size } => format!(
            "the transfer needs a loop of {size} iterations; an entry counts to {COUNT}, and no split of {size} fits the entries"
        ),
        SequencerViolation::Misfit(Misfit::Incompatible { axis, step, border }) => format!(
            "the target steps through `{axis}` by {step}, and the source's digit there ends at {border}: the borders of the two \
             splits do not agree, so no loop of one stride walks them"
        ),
        _ => return None,
    };
    let finding = Finding::new(rule_of(violation)?, span, message);
    // The library compares the splits of transfers into DM, and counts no entries of a transfer.
    let target = checked.body.tensor(copy.target);
    let compares = target.is_some_and(|target| target.tier == Tier::Dm)
        && matches!(violation, SequencerViolation::Misfit(_));
    let finding = if compares {
        finding
    } else {
        finding.accepted_by_successor(checked.body.dialect)
    };
    let source = checked.body.tensor(copy.source);
    let finding = match source {
        Some(source) if source.levels.element.span != span => {
            finding.related(source.levels.element.span, "the source's mapping")
        }
        _ => finding,
    };
    Some(match violation {
        SequencerViolation::Iterations { size } => finding.help(OTHER_SIZE).alternatives(
            "pad the axis wherever it is written: ",
            with_padding(checked.body, *size),
        ),
        _ => finding,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_told_in_bytes() {
        assert_eq!(bits_as_bytes(160), "20 bytes");
        assert_eq!(bits_as_bytes(8), "1 byte");
        assert_eq!(bits_as_bytes(36), "4.5 bytes");
        assert_eq!(bits_as_bytes(4), "0.5 bytes");
    }
}
