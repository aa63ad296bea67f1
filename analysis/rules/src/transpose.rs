//! Rules of the family "transpose": which matrices the Transpose Engine turns, the stream that it
//! delivers, and whether both buffers work.

use super::guarded_limits::{GuardedLimit, equal_cells, guarded_limit, size_cells};
use super::performance::{Costed, weighty_passes, with_estimate, worth};
use super::sequencer::bits_as_bytes;
use super::{Alternative, Applicability, Checked, Finding, Group, Rule, rule, wording, words};
use crate::derivation::StageDerivation;
use crate::derivation::conventions::Conventions;
use crate::derivation::transpose::{TransposeMatrix, TransposeViolation};
use crate::hardware::{ElementType, FLIT_BYTES, TRANSPOSE_BUFFER_COLUMNS, transpose_limits};
use crate::simulation::what_if_stages;

pub(crate) static TRANSPOSE_ROWS: Rule = rule!(
    "transpose_rows",
    Hardware,
    Transpose,
    "Transpose Engine: Constraints",
    "a transpose of more rows than the buffer has for the element's width",
    "Each row of the input becomes one place in every output packet. The buffer has eight bytes for a column: 16 rows \
     of 4-bit, 8 of 8-bit, 4 of 16-bit and 2 of 32-bit elements. Larger matrices are turned in several pieces, with \
     the rest of the rows left in the outer iterations.",
    alt;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static TRANSPOSE_COLUMNS: Rule = rule!(
    "transpose_columns",
    Hardware,
    Transpose,
    "Transpose Engine: Constraints",
    "a transpose with a number of columns that the engine does not have",
    "The number of columns is the elements of a packet (8, or 16 of 4-bit elements) times the packets of a row. These \
     packets are the iterations inside the rows. The buffers are built for 8, 16 or 32 columns (16 or 32 of 4-bit \
     elements) and nothing between.",
    alt;
    refused: Refusal::BY_BOOK,
);

pub(crate) static TRANSPOSE_PACKET: Rule = rule!(
    "transpose_packet",
    Hardware,
    Transpose,
    "Transpose Engine",
    "a packet that is not a flit, or a stream other than the transposed matrix",
    "The engine takes flits, keeps the first elements of each, and collects a matrix of consecutive iterations. It \
     outputs the matrix with rows and columns exchanged. The iterations outside the matrix stay, then come the \
     packets of a row and the elements of a packet. The rows become the packet, padded to a flit. Any other order of \
     what leaves is one that the hardware does not produce.",
    fix;
    refused: Refusal::BY_LIBRARIES,
);

pub(crate) static TRANSPOSE_TRIMS_DATA: Rule = Rule {
    // The current library says that it takes rows that are left out.
    lesser: Some(Group::Suspicious),
    ..rule!(
        "transpose_trims_data",
        Silent,
        Transpose,
        "Transpose Engine",
        "a transpose that cuts off rows which hold data",
        "After the exchange, padding of the input packets has become whole rows, and the engine can leave these out. It \
         counts rows and does not know their contents. A smaller count leaves out rows with elements, without an error.",
    )
};

/// The family's rules.
pub(super) const RULES: &[&Rule] = &[
    &TRANSPOSE_ROWS,
    &TRANSPOSE_COLUMNS,
    &TRANSPOSE_PACKET,
    &TRANSPOSE_TRIMS_DATA,
];

pub(crate) static TRANSPOSE_SINGLE_BUFFER: Rule = rule!(
    "transpose_single_buffer",
    Performance,
    Transpose,
    "Double Buffering",
    "a transpose of 32 columns, which cannot fill one buffer while the other empties",
    "The engine has two buffers of 16 columns. A matrix of up to 16 columns fills one while the matrix before it \
     leaves the other. One of 32 columns takes both, and input and output take turns. Half the packets of a row at a \
     time, the other half in an outer iteration, turn the same elements with both buffers at work. Reported where the \
     whole pass gets a tenth faster and the kernel 2 % and 100 cycles (without a total, the pass 500 cycles).",
);

/// The rule about the time that it takes.
pub(super) const BUFFERS: &[&Rule] = &[&TRANSPOSE_SINGLE_BUFFER];

/// Turns the violations of this family into findings.
pub(super) fn check_transpose(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    let of_rows = Conventions::of(checked.body.dialect).checks_what_is_left_out();
    for (_, pass) in wording::judged_passes(checked) {
        for stage in &pass.stages {
            if let StageDerivation::Transpose(transpose) = stage {
                let words = transpose.violations.iter().filter_map(|violation| {
                    word_packet(checked, violation).or_else(|| word_matrix(violation))
                });
                let words = words.map(|mut finding| {
                    if finding.rule == &TRANSPOSE_TRIMS_DATA && !of_rows {
                        finding.group = finding.rule.lesser;
                    }
                    finding
                });
                findings.extend(words);
            }
        }
    }
}

/// What to do about too many rows.
const FEWER_ROWS: &str = "turn fewer rows at once: put a part of the packet's axes into the iterations outside of the matrix";

/// Words what is wrong with the matrix.
fn word_matrix(violation: &TransposeViolation) -> Option<Finding> {
    Some(match violation {
        TransposeViolation::Rows { rows, limit, parts, element_type, span } => {
            let finding = Finding::new(
                &TRANSPOSE_ROWS,
                *span,
                format!("{rows} rows are transposed; for `{element_type}` the Transpose Engine has room for {limit}"),
            );
            let packets = parts.iter().map(|(_, packet)| Alternative::text(*span, packet));
            let fitting: Vec<String> = parts
                .iter()
                .map(|(count, packet)| format!("{count} (`{packet}`)"))
                .collect();
            let finding = match fitting.as_slice() {
                [] => finding,
                counts => finding.note(format!("numbers of rows that fit: {}", counts.join(", "))),
            };
            finding
                .help(FEWER_ROWS)
                .alternatives("turn fewer rows at once: ", packets)
        }
        TransposeViolation::Columns {
            columns,
            packets_per_column,
            elements_per_packet,
            legal,
            element_type,
            span,
            time_span,
        } => Finding::new(
            &TRANSPOSE_COLUMNS,
            *span,
            format!(
                "the matrix has {columns} columns ({packets_per_column} packets of {elements_per_packet} elements); for \
                 `{element_type}` the Transpose Engine has {}",
                words::listed_with_or(legal)
            ),
        )
        .related(*time_span, format!("the {packets_per_column} iterations inside the rows are the packets of a row"))
        .help("give a row as many packets as fill one of these; padding counts as columns too"),
        TransposeViolation::TrimsData { out_rows, data_rows, expected, span } => Finding::new(
            &TRANSPOSE_TRIMS_DATA,
            *span,
            format!("{out_rows} rows leave the transpose, and {data_rows} hold data: {} are cut off", data_rows - out_rows),
        )
        .alternatives("with all rows of data the iterations are ", [Alternative::text(*span, expected)])
        .fix(
            Applicability::Maybe,
            format!("keep all rows: `m![{expected}]`"),
            *span,
            expected,
        ),
        _ => return None,
    })
}

/// Words what is wrong with the packets and the iterations around the matrix.
fn word_packet(checked: &Checked<'_>, violation: &TransposeViolation) -> Option<Finding> {
    Some(match violation {
        TransposeViolation::InputPacket { bits, span, packet_span } => Finding::new(
            &TRANSPOSE_PACKET,
            *span,
            format!("a packet of {} enters the Transpose Engine, which takes flits of {FLIT_BYTES}", bits_as_bytes(*bits)),
        )
        .related(*packet_span, format!("the packet of {}", bits_as_bytes(*bits))),
        TransposeViolation::PacketElements { elements, taken, element_type, span, packet_span } => Finding::new(
            &TRANSPOSE_PACKET,
            *span,
            format!(
                "a packet brings {elements} elements; of `{element_type}` the Transpose Engine keeps the first {taken} of a \
                 packet"
            ),
        )
        .related(*packet_span, format!("the packet of {elements} elements"))
        .help("bring no more than these a packet, padded to a flit, and the rest in further packets"),
        TransposeViolation::OutputPacket { bits, expected, span } => {
            let finding = Finding::new(
                &TRANSPOSE_PACKET,
                *span,
                format!(
                    "the packet that leaves the transpose has {}; the Transpose Engine pads each row to a flit of \
                     {FLIT_BYTES}",
                    bits_as_bytes(*bits)
                ),
            );
            match expected {
                Some(expected) => finding.alternatives("the packet is ", [Alternative::text(*span, expected)]).fix(
                    checked.replacing(*span),
                    format!("pad the packet: `m![{expected}]`"),
                    *span,
                    expected,
                ),
                None => finding,
            }
        }
        TransposeViolation::RowsNotInTime { rows, time, span, time_span } => Finding::new(
            &TRANSPOSE_PACKET,
            *span,
            format!(
                "the rows `{rows}` are not one run of the input's iterations `{time}`; the Transpose Engine turns consecutive \
                 iterations into a packet"
            ),
        )
        .related(*time_span, "the input's iterations"),
        TransposeViolation::Layout { declared, expected, span, time_span } => Finding::new(
            &TRANSPOSE_PACKET,
            *span,
            format!("the iterations `{declared}` are not those of the transposed matrix, `{expected}`"),
        )
        .related(*time_span, "the input's iterations")
        .alternatives("the iterations are ", [Alternative::text(*span, expected)])
        .fix(
            Applicability::Maybe,
            format!("write `m![{expected}]`"),
            *span,
            expected,
        ),
        _ => return None,
    })
}

/// Looks for transposes that keep both buffers busy.
pub(super) fn check_buffers(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    for costed in weighty_passes(checked) {
        for (index, stage, derived) in costed.stages() {
            if let StageDerivation::Transpose(derived) = derived
                && let Some(matrix) = &derived.matrix
                && !matrix.double_buffered()
            {
                findings.extend(halved(&costed, index, matrix).map(|finding| Finding {
                    span: stage.output.time.span,
                    ..finding
                }));
            }
        }
    }
}

/// The same elements in matrices of half as many columns.
fn half(matrix: &TransposeMatrix) -> Option<TransposeMatrix> {
    let even = |number: u64| number.is_multiple_of(2).then_some(number / 2);
    Some(TransposeMatrix {
        in_cols: even(matrix.in_cols)?,
        packets_per_column: even(matrix.packets_per_column)?,
        out_rows: even(matrix.out_rows)?,
        iterations: matrix.iterations.checked_mul(2)?,
        ..*matrix
    })
}

fn halved(costed: &Costed<'_>, index: usize, matrix: &TransposeMatrix) -> Option<Finding> {
    let half = half(matrix)?;
    let (single, double) = (matrix.cycles()?, half.cycles()?);
    let mut stages = costed.cost.stages.clone();
    stages
        .iter_mut()
        .find(|stage| stage.stage == Some(index))?
        .busy = Some(double);
    let saving = worth(
        costed.known,
        &what_if_stages(costed.known, costed.operation.id, &stages)?,
    )?;
    let finding = Finding::new(
        &TRANSPOSE_SINGLE_BUFFER,
        costed.operation.span,
        format!(
            "{} columns take both buffers, so that input and output alternate, {single} cycles; {} columns would leave one for each",
            matrix.in_cols, half.in_cols
        ),
    )
    .help("leave half of the packets of a row in the iterations outside of the rows");
    Some(with_estimate(finding, saving))
}

/// The numbers of the engine that its rules guard.
pub(super) fn transpose_guarded_limits() -> Vec<GuardedLimit> {
    let types = [
        ElementType::I4,
        ElementType::I8,
        ElementType::Bf16,
        ElementType::F32,
    ];
    let rows = types.map(|element| format!("{element}: {}", transpose_limits(element).max_rows));
    let columns = transpose_limits(ElementType::I8).columns;
    vec![
        guarded_limit(
            "The buffer has this many rows for a type".to_owned(),
            rows.to_vec(),
            &["transpose_rows", "transpose_trims_data"],
        ),
        guarded_limit(
            "A matrix of 8 bits or more has one of these numbers of columns".to_owned(),
            size_cells(columns.iter().copied(), ""),
            &["transpose_columns"],
        ),
        guarded_limit(
            format!(
                "Each of the two buffers has {TRANSPOSE_BUFFER_COLUMNS} columns: one fills while the other empties"
            ),
            equal_cells(2, &format!("{TRANSPOSE_BUFFER_COLUMNS} columns")),
            &["transpose_single_buffer"],
        ),
    ]
}
