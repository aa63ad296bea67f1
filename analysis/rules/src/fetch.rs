//! Rules of the Fetch Engine.

use crate::alternatives::SuggestMappings as _;
use crate::derivation::StageDerivation;
use crate::derivation::fetch::{FetchDerivation, FetchViolation};
use crate::derivation::masking::Unmaskable;
use crate::derivation::sequencer::SequencerViolation;
use crate::hardware::{ElementType, FETCH_ALIGNMENT_BYTES, FETCH_OUTPUT_BYTES};
use crate::items::Span;
use crate::kernel::PassSource;
use crate::numbers::{counted, thousands};

use super::sequencer::{SEQUENCER_INCOMPATIBLE, bits_as_bytes, with_source_order};
use super::wording::{self, StageOf};
use super::{Applicability, Checked, Finding, Rule, rule};

pub(crate) static FETCH_PACKET_ALIGNMENT: Rule = rule!(
    "fetch_packet_alignment",
    Hardware,
    Fetch,
    "Fetch Engine: Interface, Constraints",
    "the fetched packet is not a multiple of 8 bytes",
    "The Fetch Engine hands packets on in units of 8 bytes, the width of a bank of DM. A packet of another length has \
     no end that the engine could mark, so its mapping is padded to the next multiple of 8 bytes. The bytes after the \
     data are read too and cost nothing.",
    fix;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static FETCH_CAST_UNSUPPORTED: Rule = rule!(
    "fetch_cast_unsupported",
    Hardware,
    Fetch,
    "Type Casting",
    "a conversion that the Fetch Engine does not have",
    "The adapter after the fetch sequencer widens a few narrow types. It converts integers to i32, small floats to \
     f32, and some more on RNGD-S. Any other conversion takes another way: fetch the type as it is, and let the \
     Contraction, Vector or Cast Engine make the other one.",
    alt;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static FETCH_CAST_OVERFLOW: Rule = rule!(
    "fetch_cast_overflow",
    Hardware,
    Fetch,
    "Type Casting: Constraints",
    "what one fetch delivers after its conversion exceeds 32 bytes at every fetch size",
    "A fetch is converted as a whole and must fit the 32 bytes of a flit afterwards. The main context takes a smaller \
     fetch where a conversion widens the elements, down to a single byte. The sub context has one fetch size, 8 bytes \
     (4 from i4 to i32), and no smaller one. An eightfold conversion of 8 bytes makes 64.";
    refused: Refusal::BY_COMPILER,
);

pub(crate) static FETCH_SUB_CONTEXT_SIZE: Rule = rule!(
    "fetch_sub_context_size",
    Hardware,
    Fetch,
    "Fetch Sequencer: Constraints",
    "the sub context's only fetch size does not divide the packet, or what is contiguous in memory",
    "The sub context fetches 8 bytes at a time (4 where i4 becomes i32) and nothing else. Packet and neighbouring bytes in DM \
     must both be multiples of that; the main context would fall back to smaller fetches. Store the packet's elements side by \
     side, pad them, or fetch in the main context.",
    fix;
    refused: Refusal::BY_COMPILER,
);

pub(crate) static FETCH_SUB_CONTEXT_ADAPTER: Rule = rule!(
    "fetch_sub_context_adapter",
    Hardware,
    Fetch,
    "Fetch Adapter",
    "a table lookup in the sub context",
    "The adapter of the main context can mask, look values up in a table, convert, and subtract zero points. The sub \
     context's adapter has no table and no mask: it serves loads of the register files. Look the values up in a pass of \
     the main context.";
    refused: Refusal::since(5),
);

pub(crate) static FETCH_ZERO_POINT_RANGE: Rule = rule!(
    "fetch_zero_point_range",
    Hardware,
    Fetch,
    "Fetch Engine: Constraints",
    "a zero point outside its type's range, or of a float",
    "A zero point is subtracted from the stored integers, before they are widened. It is a value of the stored type, \
     in a register of that width. Floats have no zero point.";
    holds: Holds::EVERYWHERE.since(4),
    refused: Refusal::since(4),
);

pub(crate) static FETCH_MASK_LIMIT: Rule = rule!(
    "fetch_mask_limit",
    Hardware,
    Fetch,
    "Masking Configuration",
    "padding that a reduction reads and no mask covers",
    "Padding that a contraction sums up must read as zero. The fetch adapter can cut the tail of the last packet, by \
     up to 255 units of 4 bits. It can also give each of up to eight packets along the axis its own count. If an axis \
     has more packets than that and padding before the last one, no mask covers it: its sum includes whatever is in DM.",
    alt;
    holds: Holds::BOOK,
);

pub(crate) static INTERLEAVE_MISMATCH: Rule = rule!(
    "interleave_mismatch",
    Hardware,
    Fetch,
    "Interleaving Tensors",
    "interleaved tensors that one sequencer cannot read in turns",
    "Two tensors are interleaved by one sequencer whose loop over the interleave axis steps from the one to the other. That \
     works for exactly two tensors, an axis of size 2, and tensors of the same type and mapping, for every other loop is \
     shared.";
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static FETCH_PACKET_CONTIGUITY: Rule = rule!(
    "fetch_packet_contiguity",
    Hardware,
    Fetch,
    "library",
    "the innermost axis of a fetched packet is not contiguous in DM",
    "A fetch reads runs of neighbouring bytes. The innermost axis of its packet has to be the innermost one of the \
     tensor, so that one element follows the other. A packet along another axis, or one that repeats an element, has \
     no run to read. Iterations may step as they like: what is not contiguous belongs into the time.";
    holds: Holds::SUCCESSOR.since(7),
    refused: Refusal::BY_LIBRARIES,
);

/// The family's rules.
pub(super) const RULES: &[&Rule] = &[
    &FETCH_PACKET_CONTIGUITY,
    &FETCH_PACKET_ALIGNMENT,
    &FETCH_CAST_UNSUPPORTED,
    &FETCH_CAST_OVERFLOW,
    &FETCH_SUB_CONTEXT_SIZE,
    &FETCH_SUB_CONTEXT_ADAPTER,
    &FETCH_ZERO_POINT_RANGE,
    &FETCH_MASK_LIMIT,
    &INTERLEAVE_MISMATCH,
];

/// Turns the violations of this family into findings.
pub(super) fn check_fetch(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    for of in wording::judged_stages(checked) {
        if let StageDerivation::Fetch(derived) = of.derived {
            findings.extend(
                derived
                    .violations
                    .iter()
                    .filter_map(|violation| to_finding(checked, &of, derived, violation)),
            );
        }
    }
}

/// What is wrong with a packet of that many bits.
pub fn unaligned_packet(bits: u64) -> String {
    format!(
        "the packet is {}; the Fetch Engine delivers multiples of {FETCH_ALIGNMENT_BYTES}",
        bits_as_bytes(bits)
    )
}

fn to_finding(
    checked: &Checked<'_>,
    of: &StageOf<'_>,
    derived: &FetchDerivation,
    violation: &FetchViolation,
) -> Option<Finding> {
    let output = &of.stage.output;
    Some(match violation {
        FetchViolation::PacketAlignment { bits, padded } => {
            let finding = Finding::new(
                &FETCH_PACKET_ALIGNMENT,
                output.packet.span,
                unaligned_packet(*bits),
            );
            match padded {
                Some(padded) => {
                    let replaced = [(output.packet.span, padded)];
                    let words = ("pad the packet: ", "{}");
                    finding.suggest(words, Applicability::Machine, of.stage.span, &replaced)
                }
                None => finding,
            }
        }
        FetchViolation::CastUnsupported {
            from,
            to,
            alternatives,
        } => Finding::new(
            &FETCH_CAST_UNSUPPORTED,
            output.element_type.span,
            format!("the Fetch Engine does not convert {from} to {to}"),
        )
        .help(conversions_text(*from, alternatives)),
        FetchViolation::SubContextTable => Finding::new(
            &FETCH_SUB_CONTEXT_ADAPTER,
            of.stage.span,
            "the sub context's fetch adapter has no table; only the main context looks values up",
        )
        .help("begin this pass on the main context"),
        FetchViolation::ZeroPointRange {
            zero_point,
            element_type,
            range: (least, largest),
        } => Finding::new(
            &FETCH_ZERO_POINT_RANGE,
            zero_point.span,
            format!(
                "the zero point {} does not fit {element_type}, whose values are {least} to {largest}",
                zero_point.value.unwrap_or_default()
            ),
        ),
        FetchViolation::ZeroPointFloat {
            zero_point,
            element_type,
        } => Finding::new(
            &FETCH_ZERO_POINT_RANGE,
            zero_point.span,
            format!("{element_type} has no zero point: it is subtracted from integers only"),
        ),
        FetchViolation::Mask(unmaskable) => word_mask(of, unmaskable),
        FetchViolation::InterleavedCount { .. }
        | FetchViolation::InterleavedAxis { .. }
        | FetchViolation::InterleavedAxisHeld { .. }
        | FetchViolation::InterleavedTypes { .. }
        | FetchViolation::InterleavedMappings { .. } => {
            return word_interleaving(checked, of, violation);
        }
        FetchViolation::Hole { span } => Finding::new(
            &SEQUENCER_INCOMPATIBLE,
            *span,
            "the stream holds padding of the kind `#{!}`, which must not be touched: nothing can be read there",
        )
        .note("padding that is fetched is spelled with `#`"),
        FetchViolation::Contiguity { axis, stride } => {
            let steps = match stride {
                0 => "which the tensor does not have: each step reads the same element".to_owned(),
                _ => format!(
                    "whose steps are {} elements apart in DM",
                    thousands(u64::try_from(stride.unsigned_abs()).unwrap_or(u64::MAX))
                ),
            };
            Finding::new(
                &FETCH_PACKET_CONTIGUITY,
                output.packet.span,
                format!("innermost in the packet is `{axis}`, {steps}; a packet is read element by element"),
            )
            .help("put the axis that is innermost in the tensor innermost in the packet, and step through the other one in time")
        }
        FetchViolation::Sequencer(violation) => {
            return word_size(checked, of, derived, violation);
        }
        FetchViolation::Bank(_) => return None,
    })
}

fn conversions_text(from: ElementType, alternatives: &[ElementType]) -> String {
    let names: Vec<String> = alternatives.iter().map(ToString::to_string).collect();
    if names.is_empty() {
        format!("`{from}` is fetched as it is")
    } else {
        format!(
            "`{from}` is fetched as it is, or as {}",
            wording::quoted_names(&names)
        )
    }
}

fn word_mask(of: &StageOf<'_>, found: &Unmaskable) -> Finding {
    let Unmaskable {
        axis,
        live,
        extent,
        packet,
        time,
        empty,
    } = found;
    let finding = Finding::new(
        &FETCH_MASK_LIMIT,
        of.stage.output.time.span,
        format!(
            "the contraction reads {} of `{axis}` ({live} of {extent} hold data) over {time} packets of \
             {packet}; the mask cuts the last packet only, or counts for up to 8 packets",
            counted(extent.saturating_sub(*live), "padded position")
        ),
    );
    let finding = finding.note(format!("{empty} packets along `{axis}` hold only padding"));
    match live.checked_next_multiple_of(*packet) {
        Some(padded) if padded < *extent => finding.help(format!(
            "pad `{axis}` to its next whole packet and no further, so that only the last packet is cut"
        )),
        _ => finding,
    }
}

fn word_interleaving(
    checked: &Checked<'_>,
    of: &StageOf<'_>,
    violation: &FetchViolation,
) -> Option<Finding> {
    let PassSource::Interleaved {
        axis,
        tensors,
        spans,
    } = &of.pass.source
    else {
        return None;
    };
    let place = |index: usize| spans.get(index).copied().unwrap_or(of.stage.span);
    let first = |finding: Finding| match tensors.first().and_then(|id| checked.body.tensor(*id)) {
        Some(tensor) => finding.related(tensor.levels.element.span, "the first tensor's mapping"),
        None => finding,
    };
    let finding = |span: Span, message: String| Finding::new(&INTERLEAVE_MISMATCH, span, message);
    Some(match violation {
        FetchViolation::InterleavedCount { count } => finding(
            place(2),
            format!("{count} tensors are interleaved; a fetch reads two in turns"),
        ),
        FetchViolation::InterleavedAxis { size } => {
            let finding = finding(
                axis.span,
                format!(
                    "the interleave axis has size {size}; it chooses between two tensors, so its size is 2"
                ),
            );
            // The library writes both tensors at their places of the axis, whatever places there are beyond.
            if *size > 2 {
                finding.accepted_by_successor(checked.body.dialect)
            } else {
                finding
            }
        }
        FetchViolation::InterleavedAxisHeld { axis: name, index } => finding(
            axis.span,
            format!(
                "the interleave axis `{name}` is an axis of the tensors; it chooses between them, so it is another one"
            ),
        )
        .related(place(*index), format!("this tensor has `{name}`"))
        .help("declare an axis of two values for the choice"),
        FetchViolation::InterleavedTypes {
            types: (one, two),
            index,
        } => first(finding(
            place(*index),
            format!(
                "this tensor holds {two} and the one it is interleaved with holds {one}; one sequencer reads both"
            ),
        )),
        FetchViolation::InterleavedMappings {
            mappings: (one, two),
            index,
        } => first(finding(
            place(*index),
            format!(
                "this tensor is mapped `{}` and the one it is interleaved with `{}`; one sequencer walks both",
                wording::mapping_macro_text(two),
                wording::mapping_macro_text(one)
            ),
        )),
        _ => return None,
    })
}

fn word_size(
    checked: &Checked<'_>,
    of: &StageOf<'_>,
    derived: &FetchDerivation,
    violation: &SequencerViolation,
) -> Option<Finding> {
    let output = &of.stage.output;
    // A conversion may be a stage of its own behind the fetch.
    let delivering = of.pass.stages.get(of.pass.last_adapter(of.index));
    let converted = delivering.map_or(output, |stage| &stage.output);
    let converted = converted.element_type.span;
    let finding = match violation {
        SequencerViolation::SubContextSize {
            needed,
            common_bits,
        } => {
            let finding = Finding::new(
                &FETCH_SUB_CONTEXT_SIZE,
                output.packet.span,
                format!(
                    "the sub context fetches {needed} bytes at a time; packet and neighbouring bytes in DM allow only {}",
                    bits_as_bytes(*common_bits)
                ),
            );
            match padded_packet(of, *needed) {
                Some(padded) => {
                    let replaced = [(output.packet.span, &padded)];
                    let words = ("pad the packet: ", "{}");
                    finding.suggest(words, Applicability::Maybe, of.stage.span, &replaced)
                }
                None => {
                    let finding = finding.help(
                        "store the packet's elements side by side in DM, or fetch in the main context, which has smaller fetches",
                    );
                    with_source_order(checked, of, derived, finding)
                }
            }
        }
        SequencerViolation::CastPart { fetch, delivered } => Finding::new(
            &FETCH_CAST_OVERFLOW,
            converted,
            format!(
                "a fetch of {fetch} bytes delivers {delivered} after its conversion, a part of a word; words are {FETCH_ALIGNMENT_BYTES} bytes"
            ),
        )
        .help("fetch more of the packet at a time: pad it until the converted elements fill words of 8 bytes"),
        SequencerViolation::CastOverflow { fetch, delivered } => Finding::new(
            &FETCH_CAST_OVERFLOW,
            converted,
            format!(
                "a fetch of {fetch} bytes delivers {delivered} bytes after its conversion; one fetch delivers at most \
                 {FETCH_OUTPUT_BYTES}, and this context has no smaller one"
            ),
        ),
        _ => return None,
    };
    Some(match &derived.sequence {
        Some(report) => finding.note(format!("derived sequencer: {}", report.configuration())),
        None => finding,
    })
}

/// The packet padded to the sub context's fetch size, where its length is at fault.
fn padded_packet(of: &StageOf<'_>, needed: u64) -> Option<crate::mapping::Mapping> {
    let input = of.pass.input_of(of.index);
    let element_bits = input.element_type.value?.bits();
    let packet = of.stage.output.packet.get()?.form();
    let bits = packet.size().checked_mul(element_bits)?;
    let padded = bits.checked_next_multiple_of(needed.checked_mul(8)?)?;
    (padded != bits).then(|| {
        packet
            .pad(padded / element_bits)
            .map(|form| form.to_mapping())
    })?
}
