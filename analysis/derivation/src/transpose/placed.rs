//! Transposes in releases that look for the rows at every place of the input's iterations: the rows, the packets of a row
//! directly inside them, and what of the columns leaves.
//!
//! Padding is compared as it is written, and any number of columns up to what the buffers hold is taken. Where a
//! comparison cannot be decided, no answer is given.

use crate::hardware::TransposeLimits;
use crate::kernel::{Stage, StreamShape};
use crate::mapping::{Answer, Form, equal_forms, holds_every_element};

use super::{TransposeMatrix, TransposeViolation};

/// What a stage's mappings say, and how many elements of a packet the buffer takes.
struct Question<'a> {
    time: &'a Form,
    packet: &'a Form,
    out_time: &'a Form,
    /// The output packet without its padding.
    rows: &'a Form,
    limits: TransposeLimits,
    /// Elements of a packet.
    elements: u64,
}

/// Elements of a packet that the buffer takes: 16 of 8 and 16 bits where the packet brings more than eight.
pub(super) fn packet_elements(limits: TransposeLimits, data: u64, takes_sixteen: bool) -> u64 {
    // 32-bit elements are eight a flit.
    let room = takes_sixteen && limits.output_alignment >= 16;
    if room && data > limits.elements_per_packet {
        limits.elements_per_packet.max(16)
    } else {
        limits.elements_per_packet
    }
}

/// The matrix, or why there is none. `None` where a comparison cannot be decided; `Err(None)` where the fault is found by
/// the usual reading.
pub(super) fn find_placed_matrix(
    stage: &Stage,
    input: &StreamShape,
    limits: TransposeLimits,
    elements: u64,
) -> Option<Result<TransposeMatrix, Option<TransposeViolation>>> {
    let time = input.time.value.as_ref()?.form();
    let packet = input.packet.value.as_ref()?.form();
    let out_time = stage.output.time.value.as_ref()?.form();
    let rows = stage.output.packet.value.as_ref()?.form().remove_padding();
    let question = Question {
        time,
        packet,
        out_time,
        rows: &rows,
        limits,
        elements,
    };
    let mut placed = None;
    let mut unknown = false;
    for place in question.row_places() {
        match question.leaves(&place) {
            Some(Leaves::As(columns)) => return Some(question.judge_place(stage, &place, columns)),
            Some(Leaves::Else(expected)) => placed = placed.or(expected),
            None => unknown = true,
        }
    }
    if unknown || question.may_be_missed() {
        return None;
    }
    let layout = placed.map(|expected| TransposeViolation::Layout {
        declared: out_time.to_mapping(),
        expected: expected.to_mapping(),
        span: stage.output.time.span,
        time_span: input.time.span,
    });
    Some(Err(layout))
}

/// The rows at a place of the input's iterations: `[outer, rows, packets]`.
struct Place {
    outer: Form,
    packets: Form,
    rows: u64,
    /// `packets` and the elements of each.
    columns: Form,
}

/// What leaves the engine of a place.
enum Leaves {
    /// What is declared: so many columns of each matrix.
    As(u64),
    /// Something else: all columns, if these can be written.
    Else(Option<Form>),
}

impl Question<'_> {
    /// Every place where the rows are.
    fn row_places(&self) -> Vec<Place> {
        let most = self.limits.columns.last().copied().unwrap_or(1);
        let mut places = Vec::new();
        for packets in 1..=most / self.elements {
            for rows in self.rows.size()..=self.limits.max_rows {
                places.extend(self.place(packets, rows));
            }
        }
        places
    }

    /// The rows, padded to a number, with so many packets of a row inside them.
    fn place(&self, packets: u64, rows: u64) -> Option<Place> {
        let (around, inside) = split_inner(self.time, packets)?;
        let (outer, block) = split_inner(&around, rows)?;
        let padded = self.rows.pad(rows)?;
        if equal_forms(&block, &padded) != Answer::Yes {
            return None;
        }
        let (beyond, taken) = split_inner(self.packet, self.elements)?;
        if beyond.has_terms() {
            return None;
        }
        Some(Place {
            columns: Form::multiply(&inside, &taken)?,
            outer,
            packets: inside,
            rows,
        })
    }

    /// Compares what leaves a place with what is declared: trailing columns may be left out.
    fn leaves(&self, place: &Place) -> Option<Leaves> {
        let all = Form::multiply(&place.outer, &place.columns);
        let columns = self.out_time.size() / place.outer.size();
        let fits = columns.checked_mul(place.outer.size()) == Some(self.out_time.size())
            && (1..=place.columns.size()).contains(&columns);
        if !fits {
            return Some(Leaves::Else(all));
        }
        let kept = Form::multiply(&place.outer, &place.columns.resize(columns)?)?;
        match equal_forms(self.out_time, &kept) {
            Answer::Yes => Some(Leaves::As(columns)),
            Answer::No => Some(Leaves::Else(all)),
            Answer::Unknown => None,
        }
    }

    /// The matrix of a place whose columns leave as declared; columns with data that are left out are a fault.
    fn judge_place(
        &self,
        stage: &Stage,
        place: &Place,
        columns: u64,
    ) -> Result<TransposeMatrix, Option<TransposeViolation>> {
        let data = self.packet.remove_padding();
        let whole = Form::multiply(&place.outer, &place.packets)
            .and_then(|around| Form::multiply(&around, &data));
        if let Some(whole) = whole
            && holds_every_element(self.out_time, &whole) == Answer::No
        {
            return Err(Some(TransposeViolation::TrimsData {
                out_rows: columns,
                data_rows: place.packets.size().saturating_mul(data.size()),
                expected: whole.to_mapping(),
                span: stage.output.time.span,
            }));
        }
        let packets_per_column = place.packets.size();
        Ok(TransposeMatrix {
            in_rows: place.rows,
            in_cols: packets_per_column.saturating_mul(self.elements),
            packets_per_column,
            elements_per_packet: self.elements,
            out_rows: columns,
            iterations: place.outer.size(),
        })
    }

    /// Whether the algebra may have missed the rows: they are of groups or ragged runs.
    fn may_be_missed(&self) -> bool {
        let rows = self.rows;
        let plain = |form: &Form| {
            let mut terms = form.digits().iter().filter_map(|digit| digit.term.as_ref());
            terms.all(|term| term.atom.axis().is_some())
        };
        !(plain(rows) && plain(self.time) && plain(self.out_time))
    }
}

/// A form cut so that `inner` positions are inside; nothing where it cannot be.
fn split_inner(form: &Form, inner: u64) -> Option<(Form, Form)> {
    form.size()
        .is_multiple_of(inner)
        .then(|| form.split_at(inner))
        .flatten()
}
