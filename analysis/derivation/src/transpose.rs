//! The Transpose Engine: which matrix it turns, and the stream that leaves it.
//!
//! A matrix has `in_rows` rows, the innermost iterations of the input that become the output packet, and
//! `packets_per_column` packets of `elements_per_packet` elements in each row. The engine turns it, drops rows of
//! padding, and pads each row to a flit (book: Transpose Engine, Conceptual Operation). One stage at a time; a packet
//! that an earlier engine delivers in a wrong size is that engine's violation.

use crate::hardware::{self, ElementType, TRANSPOSE_BUFFER_COLUMNS, TransposeLimits};
use crate::items::Span;
use crate::kernel::{Pass, Stage, StreamShape};
use crate::mapping::{
    Answer, Division, DivisionMode, Form, Mapping, divide, equal_forms, holds_every_element,
};

use super::cast::judges_input;
use super::conventions::Conventions;

mod placed;

/// What the Transpose Engine makes of one stage, with the violations met.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TransposeDerivation {
    /// The matrix, if the stage's mappings are known and have one.
    pub matrix: Option<TransposeMatrix>,
    /// What the engine cannot do.
    pub violations: Vec<TransposeViolation>,
}

/// The matrix that is turned, counted in elements unless said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransposeMatrix {
    /// Rows of the input.
    pub in_rows: u64,
    /// Columns of the input: packets of a row times elements of a packet.
    pub in_cols: u64,
    /// Packets of a row of the input.
    pub packets_per_column: u64,
    /// Elements of a packet that enter the buffer.
    pub elements_per_packet: u64,
    /// Rows of the output after trimming.
    pub out_rows: u64,
    /// Matrices a pass turns.
    pub iterations: u64,
}

impl TransposeMatrix {
    /// Whether input and output of neighbouring matrices overlap (book: Double Buffering).
    pub const fn double_buffered(&self) -> bool {
        self.in_cols <= TRANSPOSE_BUFFER_COLUMNS
    }

    /// Flits that enter for one matrix.
    pub const fn input_flits(&self) -> u64 {
        self.in_rows.saturating_mul(self.packets_per_column)
    }

    /// Cycles of the whole pass in the engine (book: Cycle Calculation); `None` on overflow.
    pub fn cycles(&self) -> Option<u64> {
        let (input, output) = (self.input_flits(), self.out_rows);
        if self.double_buffered() {
            let between = self
                .iterations
                .checked_sub(1)?
                .checked_mul(input.max(output))?;
            input.checked_add(between)?.checked_add(output)
        } else {
            self.iterations.checked_mul(input.checked_add(output)?)
        }
    }
}

/// What the Transpose Engine cannot do, with its numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TransposeViolation {
    /// The packet that enters is no flit.
    InputPacket {
        /// Its bits.
        bits: u64,
        /// The method.
        span: Span,
        /// Where the packet is written.
        packet_span: Span,
    },
    /// The packet that enters holds more elements than the buffer takes of it.
    PacketElements {
        /// Elements of the packet up to its outermost padding.
        elements: u64,
        /// Elements that the buffer takes.
        taken: u64,
        /// The element type.
        element_type: ElementType,
        /// The method.
        span: Span,
        /// Where the packet is written.
        packet_span: Span,
    },
    /// The packet that leaves is no flit.
    OutputPacket {
        /// Its bits.
        bits: u64,
        /// The rows padded to a flit, if they fit.
        expected: Option<Mapping>,
        /// Where the packet is declared.
        span: Span,
    },
    /// More rows than the buffer has for elements of this width.
    Rows {
        /// Rows asked for.
        rows: u64,
        /// Rows at most.
        limit: u64,
        /// The output packets of the numbers of rows that the engine turns at once, the most first.
        parts: Vec<(u64, Mapping)>,
        /// The element type.
        element_type: ElementType,
        /// Where the output packet is declared.
        span: Span,
    },
    /// The output packet is no run of the input's iterations.
    RowsNotInTime {
        /// The rows as declared.
        rows: Mapping,
        /// The input's iterations.
        time: Mapping,
        /// Where the output packet is declared.
        span: Span,
        /// Where the input's iterations are written.
        time_span: Span,
    },
    /// A number of columns that the engine does not have.
    Columns {
        /// Columns asked for.
        columns: u64,
        /// Packets of a row.
        packets_per_column: u64,
        /// Elements of a packet.
        elements_per_packet: u64,
        /// The numbers it has.
        legal: &'static [u64],
        /// The element type.
        element_type: ElementType,
        /// Where the output's iterations are declared.
        span: Span,
        /// Where the input's iterations are written.
        time_span: Span,
    },
    /// Rows that hold data are cut off.
    TrimsData {
        /// Rows that leave.
        out_rows: u64,
        /// Rows that hold data.
        data_rows: u64,
        /// Iterations with all rows of data.
        expected: Mapping,
        /// Where the output's iterations are declared.
        span: Span,
    },
    /// The output's iterations are not those of the turned matrix.
    Layout {
        /// As declared.
        declared: Mapping,
        /// What leaves the engine.
        expected: Mapping,
        /// Where they are declared.
        span: Span,
        /// Where the input's iterations are written.
        time_span: Span,
    },
}

/// How the input's iterations fall apart, outermost first.
struct Split {
    outer: Form,
    rows: u64,
    packets: Form,
}

/// Derives the transpose at stage `index` of a pass.
pub fn derive_transpose(pass: &Pass, index: usize) -> TransposeDerivation {
    let mut derived = TransposeDerivation::default();
    let Some(stage) = pass.stages.get(index) else {
        return derived;
    };
    let input = pass.input_of(index);
    let Some(element_type) = input.element_type.value else {
        return derived;
    };
    let (Some(in_packet), Some(out_packet)) = (&input.packet.value, &stage.output.packet.value)
    else {
        return derived;
    };
    let limits = hardware::transpose_limits(element_type);
    if in_packet.size() != limits.output_alignment {
        if judges_input(pass, index)
            && let Some(bits) = element_type.bits_of(in_packet.size())
        {
            derived.violations.push(TransposeViolation::InputPacket {
                bits,
                span: stage.span,
                packet_span: input.packet.span,
            });
        }
        return derived;
    }
    let conventions = Conventions::of(pass.dialect);
    let data = in_packet.form().remove_padding().size();
    let elements = placed::packet_elements(limits, data, conventions.turns_sixteen_elements());
    if let Some(violation) = packet_violation(
        stage,
        input,
        element_type,
        (limits, elements),
        (in_packet, out_packet),
    ) {
        derived.violations.push(violation);
        return derived;
    }
    let turned = if conventions.places_transposed_rows() {
        match placed::find_placed_matrix(stage, input, limits, elements) {
            None => None,
            Some(Ok(matrix)) => Some(Ok(matrix)),
            Some(Err(found)) => name_matrix_fault(stage, input, element_type, limits, found),
        }
    } else {
        find_matrix(stage, input, element_type, limits)
    };
    match turned {
        Some(Ok(matrix)) => derived.matrix = Some(matrix),
        Some(Err(violation)) => derived.violations.push(violation),
        None => {}
    }
    derived
}

/// Names the fault of a matrix that has no place: what the usual reading finds, and else what was found about the places.
fn name_matrix_fault(
    stage: &Stage,
    input: &StreamShape,
    element_type: ElementType,
    limits: TransposeLimits,
    found: Option<TransposeViolation>,
) -> Option<Result<TransposeMatrix, TransposeViolation>> {
    if let Some(found) = found {
        return Some(Err(found));
    }
    match find_matrix(stage, input, element_type, limits) {
        Some(Err(violation)) => Some(Err(violation)),
        // The usual reading pads rows and columns as it needs them.
        Some(Ok(_)) | None => {
            let rows = stage.output.packet.value.as_ref()?.form().remove_padding();
            Some(Err(TransposeViolation::RowsNotInTime {
                rows: rows.to_mapping(),
                time: input.time.value.as_ref()?.clone(),
                span: stage.output.packet.span,
                time_span: input.time.span,
            }))
        }
    }
}

/// What the two packets alone violate.
fn packet_violation(
    stage: &Stage,
    input: &StreamShape,
    element_type: ElementType,
    (limits, most_elements): (TransposeLimits, u64),
    (in_packet, out_packet): (&Mapping, &Mapping),
) -> Option<TransposeViolation> {
    let span = stage.output.packet.span;
    let rows = out_packet.form().remove_padding();
    if out_packet.size() != limits.output_alignment {
        // Too many rows for a flit are too many rows; anything else lacks or exceeds its padding.
        if rows.size() <= limits.max_rows {
            let expected = rows
                .pad(limits.output_alignment)
                .map(|form| form.to_mapping());
            return Some(TransposeViolation::OutputPacket {
                bits: element_type.bits_of(out_packet.size())?,
                expected,
                span,
            });
        }
        return Some(TransposeViolation::Rows {
            rows: rows.size(),
            limit: limits.max_rows,
            parts: turnable_row_parts(&rows, limits),
            element_type,
            span,
        });
    }
    if rows.size() > limits.max_rows {
        return Some(TransposeViolation::Rows {
            rows: rows.size(),
            limit: limits.max_rows,
            parts: turnable_row_parts(&rows, limits),
            element_type,
            span,
        });
    }
    let elements = in_packet.form().remove_padding().size();
    (elements > most_elements).then_some(TransposeViolation::PacketElements {
        elements,
        taken: most_elements,
        element_type,
        span: stage.span,
        packet_span: input.packet.span,
    })
}

/// Output packets of as many of the rows as can be turned at once, the most first: powers of two that divide them, from two
/// rows on.
fn turnable_row_parts(rows: &Form, limits: TransposeLimits) -> Vec<(u64, Mapping)> {
    let counts = std::iter::successors(Some(limits.max_rows), |count| Some(count / 2));
    counts
        .take_while(|count| *count > 1)
        .filter(|count| rows.size().is_multiple_of(*count))
        .filter_map(|count| {
            let (_, inner) = rows.split_at(count)?;
            Some((count, inner.pad(limits.output_alignment)?.to_mapping()))
        })
        .collect()
}

/// Finds the matrix in the input and compares what leaves with what is declared. `None` where a mapping is unknown or
/// the algebra cannot tell.
fn find_matrix(
    stage: &Stage,
    input: &StreamShape,
    element_type: ElementType,
    limits: TransposeLimits,
) -> Option<Result<TransposeMatrix, TransposeViolation>> {
    let time = input.time.value.as_ref()?;
    let data = input.packet.value.as_ref()?.form().remove_padding();
    let out_time = stage.output.time.value.as_ref()?;
    let rows = stage.output.packet.value.as_ref()?.form().remove_padding();
    let split = match split_time(time.form(), &rows) {
        Ok(split) => split,
        Err(Answer::No) => {
            return Some(Err(TransposeViolation::RowsNotInTime {
                rows: rows.to_mapping(),
                time: time.clone(),
                span: stage.output.packet.span,
                time_span: input.time.span,
            }));
        }
        Err(_) => return None,
    };
    if split.rows > limits.max_rows {
        return Some(Err(TransposeViolation::Rows {
            rows: split.rows,
            limit: limits.max_rows,
            parts: turnable_row_parts(&rows, limits),
            element_type,
            span: stage.output.packet.span,
        }));
    }
    let packets = split.packets.size();
    let columns = packets.checked_mul(limits.elements_per_packet)?;
    if !limits.columns.contains(&columns) {
        return Some(Err(TransposeViolation::Columns {
            columns,
            packets_per_column: packets,
            elements_per_packet: limits.elements_per_packet,
            legal: limits.columns,
            element_type,
            span: stage.output.time.span,
            time_span: input.time.span,
        }));
    }
    let around = Form::multiply(&split.outer, &split.packets)?;
    // The rows of the output that each packet becomes, if the declared iterations divide evenly over the packets.
    let per_packet =
        (out_time.size() % around.size() == 0).then(|| out_time.size() / around.size());
    let kept = per_packet
        .filter(|&kept| kept <= limits.elements_per_packet)
        .unwrap_or_else(|| data.size());
    let trimmed = kept < data.size();
    let rows_out = if trimmed {
        data.resize(kept)?
    } else {
        data.pad(kept)?
    };
    let expected = Form::multiply(&around, &rows_out)?;
    let all = Form::multiply(&around, &data)?;
    match equal_forms(out_time.form(), &expected) {
        Answer::Unknown => None,
        Answer::Yes if trimmed => Some(Err(TransposeViolation::TrimsData {
            out_rows: packets.checked_mul(kept)?,
            data_rows: packets.checked_mul(data.size())?,
            expected: all.to_mapping(),
            span: stage.output.time.span,
        })),
        Answer::Yes => {
            let out_rows = packets.checked_mul(kept)?;
            Some(Ok(TransposeMatrix {
                in_rows: split.rows,
                in_cols: columns,
                packets_per_column: packets,
                elements_per_packet: limits.elements_per_packet,
                out_rows,
                iterations: out_time.size().checked_div(out_rows)?,
            }))
        }
        Answer::No => Some(Err(TransposeViolation::Layout {
            declared: out_time.clone(),
            expected: if trimmed {
                all.to_mapping()
            } else {
                expected.to_mapping()
            },
            span: stage.output.time.span,
            time_span: input.time.span,
        })),
    }
}

/// Finds the rows in the input's iterations: `[outer, rows, packets]`. `Err(No)` if they are no run of them,
/// `Err(Unknown)` where the algebra cannot tell.
fn split_time(time: &Form, rows: &Form) -> Result<Split, Answer> {
    if !rows.has_terms() {
        // A single row: every packet is a matrix of its own.
        return Ok(Split {
            outer: time.clone(),
            rows: 1,
            packets: Mapping::identity().form().clone(),
        });
    }
    let division = divide(time, rows, DivisionMode::Relaxed);
    if !division.exact() {
        return Err(if holds_every_element(time, rows) == Answer::No {
            Answer::No
        } else {
            Answer::Unknown
        });
    }
    let (inside, rows_in) = block_of(time, &division).ok_or(Answer::Unknown)?;
    let (around, packets) = time.split_at(inside).ok_or(Answer::Unknown)?;
    let (outer, block) = around.split_at(rows_in).ok_or(Answer::Unknown)?;
    match equal_forms(&block.remove_padding(), rows) {
        Answer::Yes => Ok(Split {
            outer,
            rows: rows_in,
            packets,
        }),
        other => Err(other),
    }
}

/// The run of iterations that the matched rows span: how many iterations are inside of it, and how many rows it has.
/// Rows may be padded in the input; the padding is turned with them.
fn block_of(time: &Form, division: &Division) -> Option<(u64, u64)> {
    let inside = division
        .matches
        .iter()
        .map(|found| found.dividend_stride)
        .min()?;
    let placed = time.terms_with_stride();
    let end = division
        .matches
        .iter()
        .map(|found| {
            let extent = placed
                .iter()
                .find(|term| {
                    term.buffer_stride == found.dividend_stride && term.live == found.count
                })
                .map_or(found.count, |term| term.extent);
            found.dividend_stride.saturating_mul(extent)
        })
        .max()?;
    Some((inside, end.checked_div(inside)?))
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod placed_tests;
