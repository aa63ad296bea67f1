//! TRF loads and alignment, in words.

use crate::alternatives::{SuggestMappings as _, mappings_alternative};
use crate::contraction::{
    ALIGN_OPERAND_MISMATCH, ALIGN_PACKET_MISMATCH, ALIGN_PACKET_SIZE, ALIGN_TILING_NOT_IN_TRF,
    ALIGN_TIME_MISMATCH, CONTRACTION_TYPE, TRF_ELEMENT_MISMATCH, TRF_ROW_COUNT, TRF_ROW_MISMATCH,
    TRF_SEQUENCER,
};
use crate::derivation::contraction::{
    AlignDerivation, AlignViolation, AlignedTime, PARTIAL_ROWS, TrfLoadDerivation,
    TrfLoadViolation, TrfSequencer, TrfSequencerError, is_operand_type,
};
use crate::derivation::conventions::Conventions;
use crate::hardware::{ElementType, Target, fetch_cast_targets};
use crate::items::Span;
use crate::kernel::{Body, OperationKind, Origin, Pass, PassEnd, StageKind, Tensor, Written};
use crate::levels;
use crate::mapping::{Atom, Form, Mapping};
use crate::sequencer::bits_as_bytes;
use crate::wording::{
    StageOf, at_uses, differing, link_use, mapping_macro_text, propose_instead, quoted_names,
};
use crate::{Alternative, Applicability, Checked, Finding, Rule, broadcast, rows, words};

const TYPES: &str = "`i4`, `i8`, `f8e4m3`, `f8e5m2` and `bf16`";

/// Words the violations of a TRF load.
pub(super) fn trf_load(
    checked: &Checked<'_>,
    pass: &Pass,
    derived: &TrfLoadDerivation,
    findings: &mut Vec<Finding>,
) {
    let PassEnd::ToTrf { target, span } = &pass.end else {
        return;
    };
    let Some(tensor) = checked.body.tensor(*target) else {
        return;
    };
    let Some(row) = &tensor.levels.row else {
        return;
    };
    let stream = pass.output();
    let time = stream
        .time
        .get()
        .map_or_else(String::new, mapping_macro_text);
    let element = &tensor.levels.element;
    for violation in &derived.violations {
        let finding = match violation {
            TrfLoadViolation::RowCount {
                rows,
                time: iterations,
            } => {
                let is_count = checked.body.machine.takes_rows(*rows);
                let message = match iterations {
                    Some(iterations) if is_count => format!(
                        "{rows} rows do not divide the {iterations} iterations of the collected time, which are shared out to them"
                    ),
                    _ => format!("{rows} rows; the MAC array runs with 1, 2, 4 or 8"),
                };
                let finding = Finding::new(&TRF_ROW_COUNT, row.span, message);
                let finding = match iterations {
                    Some(iterations) => finding.related(
                        stream.time.span,
                        format!("the collected time has {iterations} iterations"),
                    ),
                    None => finding,
                };
                finding
                    .help("use a number of rows that divides this time, or pad the outermost axis")
                    .alternatives(
                        "write ",
                        rows::fewer_row_alternatives(checked.body, row.span, *rows),
                    )
            }
            TrfLoadViolation::RowMismatch => {
                let source = format!("the outermost part of the collected time `{time}`");
                let finding = load_mismatch(
                    &TRF_ROW_MISMATCH,
                    "rows are",
                    row,
                    derived.expected_row.as_ref(),
                    &source,
                )
                .related(stream.time.span, "the collected time");
                let replaced = at_uses(&load_parts(tensor, derived));
                let words = ("write ", parts_in_words(&replaced));
                finding.suggest(words, Applicability::Maybe, *span, &replaced)
            }
            TrfLoadViolation::PartialRows { axis, live } => {
                let counts = words::listed_with_or(&PARTIAL_ROWS);
                Finding::new(
                    &TRF_ROW_MISMATCH,
                    row.span,
                    format!(
                        "the lanes are steps of the padded axis `{axis}` with {live} values; the compiler cuts lanes out of such an \
                         axis where it has {counts}"
                    ),
                )
                .help("cut the lanes where no padding is, or fetch the axis with all of its values in each lane")
                .found_by_compiler()
            }
            TrfLoadViolation::ElementMismatch => {
                let source = "the rest of the collected time, then the packet,";
                let expected = derived.expected_element.as_ref();
                let finding = load_mismatch(
                    &TRF_ELEMENT_MISMATCH,
                    "element is",
                    element,
                    expected,
                    source,
                )
                .related(stream.time.span, "the collected time");
                let replaced = at_uses(&load_parts(tensor, derived));
                let words = ("write ", parts_in_words(&replaced));
                finding
                    .suggest(words, Applicability::Machine, *span, &replaced)
                    .or_alternative(broadcast::whole_flits(checked.body, pass, tensor))
            }
        };
        findings.push(link_use(finding, [row, element]));
    }
}

/// How what is declared otherwise of a load is stated: the rows and the element, or one of them.
const fn parts_in_words<T>(replaced: &[T]) -> &'static str {
    if replaced.len() == 2 {
        "{} as the rows and {} as the element"
    } else {
        "{}"
    }
}

/// The rows and the element of a load, where they are declared otherwise.
fn load_parts<'a>(
    tensor: &'a Tensor,
    derived: &'a TrfLoadDerivation,
) -> Vec<(&'a Written<Mapping>, &'a Mapping)> {
    let parts = [
        (tensor.levels.row.as_ref(), derived.expected_row.as_ref()),
        (
            Some(&tensor.levels.element),
            derived.expected_element.as_ref(),
        ),
    ];
    differing(
        parts
            .into_iter()
            .filter_map(|(declared, expected)| declared.zip(expected)),
    )
}

fn load_mismatch(
    rule: &'static Rule,
    subject: &str,
    declared: &Written<Mapping>,
    expected: Option<&Mapping>,
    source: &str,
) -> Finding {
    let shown = declared.get().map_or_else(String::new, mapping_macro_text);
    let finding = |fault: String| {
        let message = format!("the {subject} declared `{shown}`{fault}");
        Finding::new(rule, declared.span, message)
    };
    match expected {
        Some(expected) => finding(format!("; {source} is `{}`", mapping_macro_text(expected))),
        None => finding(format!(", which is not {source}")),
    }
}

/// Words the violations of an alignment.
pub(super) fn word_align_violations(
    checked: &Checked<'_>,
    of: &StageOf<'_>,
    derived: &AlignDerivation,
    findings: &mut Vec<Finding>,
) {
    let StageKind::Align { operand, .. } = &of.stage.kind else {
        return;
    };
    let operand = operand.and_then(|id| checked.body.tensor(id));
    for violation in &derived.violations {
        findings.push(match violation {
            AlignViolation::Type { .. }
            | AlignViolation::OperandType { .. }
            | AlignViolation::RowCount { .. } => word_operands(of, operand, violation),
            AlignViolation::PacketSize { .. } | AlignViolation::PacketMismatch => {
                word_packet(of, derived, violation)
            }
            AlignViolation::TimeMismatch { reason } => word_time(of, derived, reason),
            AlignViolation::TilingNotInTrf { axes } => word_tiling(of, operand, axes),
            AlignViolation::OperandMismatch { dropped } => word_mismatch(of, operand, dropped),
            AlignViolation::Sequencer(error) => {
                let finding = word_sequencer(of, derived.sequencer.as_ref(), operand, error);
                let spread = operand.and_then(|operand| {
                    let load = load_of(checked.body, operand)?;
                    broadcast::whole_flits(checked.body, load, operand)
                });
                finding.or_alternative(spread)
            }
        });
    }
}

/// The pass that loads a tensor of the TRF.
fn load_of<'a>(body: &'a Body, tensor: &Tensor) -> Option<&'a Pass> {
    let Origin::Operation(id) = tensor.origin else {
        return None;
    };
    match &body.operation(id)?.kind {
        OperationKind::Pass(pass) => Some(pass),
        _ => None,
    }
}

fn operand_span(of: &StageOf<'_>) -> Span {
    match &of.stage.kind {
        StageKind::Align { operand_span, .. } => *operand_span,
        _ => of.stage.span,
    }
}

fn related_operand(finding: Finding, operand: Option<&Tensor>) -> Finding {
    match operand {
        Some(tensor) => {
            let element = tensor
                .levels
                .element
                .get()
                .map_or_else(String::new, mapping_macro_text);
            finding.related(
                tensor.span,
                format!("the TRF tensor holds `{element}` a row"),
            )
        }
        None => finding,
    }
}

fn word_operands(
    of: &StageOf<'_>,
    operand: Option<&Tensor>,
    violation: &AlignViolation,
) -> Finding {
    let stream = &of.pass.input_of(of.index).element_type;
    match violation {
        AlignViolation::Type { element_type } => Finding::new(
            &CONTRACTION_TYPE,
            of.stage.span,
            format!("a stream of `{element_type}` enters the Contraction Engine, which multiplies {TYPES}"),
        )
        .related(stream.span, format!("the stream becomes `{element_type}` here"))
        .help(match fetchable(of.pass) {
            types if types.is_empty() && stream.value.is_some_and(|stream| stream.bits() == 32) => {
                "contract before widening to 32 bits, or multiply in the Vector Engine".to_owned()
            }
            types if types.is_empty() => "store the operands in one of these types".to_owned(),
            types => format!("the fetch can deliver {}; or multiply in the Vector Engine", words::names_in_code(&types)),
        }),
        AlignViolation::OperandType { stream: first, trf } => {
            let finding = Finding::new(
                &CONTRACTION_TYPE,
                operand_span(of),
                format!("the stream is `{first}` and the TRF tensor `{trf}`; a row multiplies operands of one type"),
            )
            .related(stream.span, format!("the stream becomes `{first}` here"))
            .help(format!("load the TRF tensor as `{first}`, or fetch the stream as `{trf}`"));
            match operand {
                Some(tensor) => finding.related(tensor.element_type.span, format!("`{trf}` here")),
                None => finding,
            }
        }
        AlignViolation::RowCount { rows } => Finding::new(
            &TRF_ROW_COUNT,
            operand
                .and_then(|tensor| tensor.levels.row.as_ref())
                .map_or_else(|| operand_span(of), |row| row.span),
            format!("{rows} rows; the MAC array runs with 1, 2, 4 or 8"),
        )
        .help("use a number of rows that the array has, and hold the rest of them in the element"),
        _ => Finding::new(&CONTRACTION_TYPE, of.stage.span, String::new()),
    }
}

/// The types that the Contraction Engine multiplies and that the pass's fetch can deliver of what it reads.
fn fetchable(pass: &Pass) -> Vec<ElementType> {
    let Some(stored) = pass.begin.element_type.value else {
        return Vec::new();
    };
    std::iter::once(stored)
        .chain(fetch_cast_targets(Target::Rngd, stored))
        .filter(|found| is_operand_type(*found))
        .collect()
}

fn word_packet(of: &StageOf<'_>, derived: &AlignDerivation, violation: &AlignViolation) -> Finding {
    let input = of.pass.input_of(of.index);
    let output = &of.stage.output;
    let packet = input
        .packet
        .get()
        .map_or_else(String::new, mapping_macro_text);
    let exact = Conventions::of(of.pass.dialect).packs_flits_exactly();
    let mut finding = match violation {
        AlignViolation::PacketSize { bits } => Finding::new(
            &ALIGN_PACKET_SIZE,
            output.packet.span,
            format!("the aligned packet is {}; a row multiplies 64 bytes a cycle", bits_as_bytes(*bits)),
        ),
        _ => Finding::new(
            &ALIGN_PACKET_MISMATCH,
            output.packet.span,
            format!(
                "the aligned packet is declared `{}`; the flit buffer makes {} one or two flits `{packet}` as they arrive",
                output.packet.get().map_or_else(String::new, mapping_macro_text),
                if exact { "it of" } else { "64 bytes of" }
            ),
        )
        .related(input.packet.span, "the stream's packet"),
    };
    let kinds = [
        (&derived.two_flit_packet, "{} (two flits)"),
        (
            &derived.one_flit_packet,
            "{} (one flit, half of the MACs idle)",
        ),
    ];
    let possible = kinds.into_iter().filter_map(|(packet, template)| {
        let packet = packet.as_ref()?;
        let time = time_with_axes_innermost(of, packet);
        let mut replaced = vec![(&output.packet, packet)];
        replaced.extend(time.as_ref().map(|time| (&output.time, time)));
        let template = format!("{template}{}", ["", " in the time {}"][replaced.len() - 1]);
        mappings_alternative(&template, of.stage.span, &at_uses(&replaced))
    });
    let possible: Vec<Alternative> = possible.collect();
    finding = finding
        .help(if exact {
            "align one flit, or the two innermost iterations of the stream with their padding"
        } else {
            "align one or two flits as they arrive, zero-padded to 64 bytes"
        })
        .alternatives("the packet can be ", possible);
    // The declared time tells which of the two is meant.
    let steps = input
        .time
        .get()
        .zip(output.time.get())
        .map(|(from, to)| (from.size(), to.size()));
    let meant = match steps {
        Some((from, to)) if to.checked_mul(2) == Some(from) => derived.two_flit_packet.as_ref(),
        Some((from, to)) if to == from => derived.one_flit_packet.as_ref(),
        _ => None,
    };
    let Some(meant) = meant else {
        return finding;
    };
    // What the packet was to hold of the other operand alone is gone through in time.
    let time = time_with_axes_innermost(of, meant);
    let mut replacements = vec![(&output.packet, meant)];
    replacements.extend(time.as_ref().map(|time| (&output.time, time)));
    propose_instead(finding, Applicability::Maybe, of.stage.span, &replacements)
}

/// The declared time with the axes innermost that the declared packet has, and neither the stream nor the packet that is
/// meant; `None` if there are none.
fn time_with_axes_innermost(of: &StageOf<'_>, meant: &Mapping) -> Option<Mapping> {
    let stream = of.pass.input_of(of.index).stream()?;
    let output = &of.stage.output;
    let time = output.time.get()?;
    let parts = output.packet.get()?.form().digits().iter().filter(|digit| {
        digit.term.as_ref().is_some_and(|term| match &term.atom {
            Atom::Axis(axis) | Atom::PaddedRun(axis) => {
                let name = axis.name();
                let held = [&stream, meant, time];
                !held.iter().any(|held| held.form().contains_axis(name))
            }
            Atom::Broadcast | Atom::Composite(_) => false,
        })
    });
    let parts = Form::from_digits(parts.cloned())?;
    if !parts.has_terms() {
        return None;
    }
    Some(Form::multiply(time.form(), &parts)?.to_mapping())
}

fn word_time(of: &StageOf<'_>, derived: &AlignDerivation, reason: &AlignedTime) -> Finding {
    let input = of.pass.input_of(of.index);
    let output = &of.stage.output;
    let declared = output
        .time
        .get()
        .map_or_else(String::new, mapping_macro_text);
    let fault = match reason {
        AlignedTime::Missing { axes } => {
            let missing = levels::sized(axes, input.time.get());
            format!("does not go through {missing} of the stream's time")
        }
        AlignedTime::Reordered => {
            "goes through the stream's axes in another order than they arrive".to_owned()
        }
        AlignedTime::Padding => {
            "goes through the stream's axes with other padding than they arrive with".to_owned()
        }
        AlignedTime::TilingOutside { axes } => format!(
            "repeats along {} outside an axis of the stream; only the current packet can be repeated",
            quoted_names(axes)
        ),
    };
    let finding = Finding::new(
        &ALIGN_TIME_MISMATCH,
        output.time.span,
        format!("the aligned time `{declared}` {fault}"),
    )
    .related(input.time.span, "the stream's time");
    let Some(expected) = &derived.expected_time else {
        return finding;
    };
    let replaced = at_uses(&[(&output.time, expected)]);
    let words = (
        "the aligned time is ",
        "{}: the stream's time, then what is repeated",
    );
    finding.suggest(words, Applicability::Maybe, of.stage.span, &replaced)
}

fn word_tiling(of: &StageOf<'_>, operand: Option<&Tensor>, axes: &[String]) -> Finding {
    related_operand(
        Finding::new(
            &ALIGN_TILING_NOT_IN_TRF,
            of.stage.output.time.span,
            format!(
                "the aligned time repeats the stream along {}, which the TRF tensor does not hold either",
                levels::sized(axes, of.stage.output.time.get())
            ),
        ),
        operand,
    )
    .help("repeat only along axes of the TRF tensor's element; fetch or switch can broadcast the stream along others")
}

fn word_mismatch(of: &StageOf<'_>, operand: Option<&Tensor>, dropped: &[String]) -> Finding {
    let operand_place = operand_span(of);
    if dropped.is_empty() {
        let finding = Finding::new(
            &ALIGN_OPERAND_MISMATCH,
            operand_place,
            "stream and TRF tensor are over different chips, clusters or slices; a row multiplies only what its own slice holds",
        );
        return match operand {
            Some(tensor) => finding.related(tensor.span, "the TRF tensor"),
            None => finding,
        };
    }
    related_operand(
        Finding::new(
            &ALIGN_OPERAND_MISMATCH,
            operand_place,
            format!(
                "each row of the TRF tensor holds {}, which neither the aligned time nor the aligned packet goes through",
                levels::sized(dropped, operand.and_then(|tensor| tensor.levels.element.get()))
            ),
        ),
        operand,
    )
    .related(of.stage.output.time.span, "the aligned time")
    .help(format!("add {} innermost to the aligned time, or load less into the TRF", quoted_names(dropped)))
}

fn word_sequencer(
    of: &StageOf<'_>,
    sequencer: Option<&TrfSequencer>,
    operand: Option<&Tensor>,
    error: &TrfSequencerError,
) -> Finding {
    let output = &of.stage.output;
    let (at, message) = match error {
        TrfSequencerError::Packet { contiguous_bits } => (
            output.packet.span,
            format!(
                "the packet shares a run of {} with the TRF tensor's element and is not these repeated; a cycle reads one run \
                 and repeats it",
                bits_as_bytes(*contiguous_bits)
            ),
        ),
        TrfSequencerError::Entries { count } => (
            output.time.span,
            format!("the TRF Sequencer would need {count} entries; it has 8"),
        ),
        TrfSequencerError::Iterations { size } => (
            output.time.span,
            format!(
                "an entry of the TRF Sequencer would need {size} iterations; it takes 65,536 and the number cannot be split"
            ),
        ),
        TrfSequencerError::Stride { stride } => (
            operand_span(of),
            format!(
                "the TRF Sequencer would step by {stride} bytes; strides are signed 32-bit numbers"
            ),
        ),
        TrfSequencerError::Alignment { stride } => (
            operand_span(of),
            format!(
                "the TRF Sequencer reads 64 bytes a cycle and would step by {stride}; such reads have to stay on 64-byte boundaries of the two bank columns"
            ),
        ),
    };
    let mut finding = related_operand(Finding::new(&TRF_SEQUENCER, at, message), operand);
    if let Some(sequencer) = sequencer {
        finding = finding.note(configuration_text(sequencer));
    }
    match error {
        TrfSequencerError::Alignment { .. } => {
            finding.help("pad each step of the TRF tensor's element to a multiple of 64 bytes, or align one flit a packet")
        }
        TrfSequencerError::Packet { .. } => {
            finding.help("load the TRF tensor with the packet's axes innermost, in the packet's order")
        }
        TrfSequencerError::Entries { .. } => {
            finding.help("load the TRF tensor in the order of the aligned time, so that neighbouring axes merge into one entry")
        }
        TrfSequencerError::Iterations { .. } | TrfSequencerError::Stride { .. } => finding,
    }
}

/// The sequencer's configuration as `[size:stride, ...]`, outermost first, strides in bytes.
fn configuration_text(sequencer: &TrfSequencer) -> String {
    let entries: Vec<String> = sequencer
        .entries
        .iter()
        .map(|entry| format!("{}:{}", entry.size, entry.stride))
        .collect();
    format!(
        "TRF Sequencer: [{}] (strides in bytes), reg_read_size {} bytes",
        entries.join(", "),
        sequencer.reg_read_size
    )
}
