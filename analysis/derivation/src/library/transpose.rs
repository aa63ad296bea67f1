//! Transposes: how the library finds the matrix in the stream's iterations (library: 5.11, transpose).
//!
//! It looks for the rows, and for the packets of a row, at the place of their outermost part, and takes them for one unpadded
//! run there. The engine counts positions and takes any run. Behind the Vector Engine the library checks nothing.

use crate::forms::{differ, divide_relaxed, known_form};
use crate::hardware;
use crate::items::Span;
use crate::kernel::{Position, Stage, StreamShape};
use crate::mapping::{Form, Mapping};

use super::{LibraryLimitKind, is_plain};

/// Why the library does not find the rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TransposeRows {
    /// The rows are of no axis: a single one, or of axes of size 1.
    NoAxis,
    /// The rows of a column take no whole number of bytes.
    Bits {
        /// Rows.
        rows: u64,
        /// Bits that they take.
        bits: u64,
    },
    /// The rows, or the packets of a row, are of several axes or of several parts of one.
    Parts {
        /// The rows or the packets.
        parts: Mapping,
        /// They are the packets.
        packets: bool,
    },
    /// The rows are in the iterations with padding, or in another order.
    Elsewhere {
        /// The rows.
        rows: Mapping,
        /// The input's iterations.
        time: Mapping,
    },
}

/// What the library refuses of a matrix that the engine turns.
pub(crate) fn judge_transpose(
    input: &StreamShape,
    stage: &Stage,
) -> Option<(LibraryLimitKind, Span)> {
    if input.position != Position::Collect {
        return None;
    }
    let stream = Stream {
        time: known_form(&input.time)?,
        packet: known_form(&input.packet)?,
        out_time: known_form(&stage.output.time)?,
        rows: known_form(&stage.output.packet)?.remove_padding(),
    };
    if ![stream.time, stream.packet, stream.out_time, &stream.rows]
        .into_iter()
        .all(is_plain)
    {
        return None;
    }
    let element = *input.element_type.get()?;
    let bits = stream.rows.size().checked_mul(element.bits())?;
    let columns = hardware::transpose_limits(element).elements_per_packet;
    let found = if !stream.rows.has_terms() {
        TransposeRows::NoAxis
    } else if !bits.is_multiple_of(8) {
        TransposeRows::Bits {
            rows: stream.rows.size(),
            bits,
        }
    } else {
        stream.library_fault(columns)?
    };
    Some((
        LibraryLimitKind::TransposeRows(found),
        stage.output.packet.span,
    ))
}

struct Stream<'a> {
    time: &'a Form,
    packet: &'a Form,
    out_time: &'a Form,
    /// The output packet without its padding.
    rows: Form,
}

impl Stream<'_> {
    /// What the library does not find. A division that the algebra cannot do finds everything: the answer is unknown then.
    fn library_fault(&self, columns: u64) -> Option<TransposeRows> {
        let rows = divide_relaxed(self.time, &self.rows);
        let elsewhere = || TransposeRows::Elsewhere {
            rows: self.rows.to_mapping(),
            time: self.time.to_mapping(),
        };
        if rows.matches.len() > 1 {
            // It counts from the outermost part, so that the other parts are taken for packets of a row.
            return Some(TransposeRows::Parts {
                parts: self.rows.to_mapping(),
                packets: false,
            });
        }
        let inside = match rows.matches.first() {
            Some(found) if rows.exact() => found.dividend_stride,
            _ => return Some(elsewhere()),
        };
        let (around, packets) = self.time.split_at(inside)?;
        if !around.size().is_multiple_of(self.rows.size()) {
            return Some(elsewhere());
        }
        let (outer, _) = around.split_at(self.rows.size())?;
        let padded = self.packet.remove_padding().pad(columns)?;
        let (out_outer, kept) = match self.leaving(&outer, &packets) {
            Leaving::Unknown => return None,
            Leaving::NoMatch(fault) => return Some(fault.unwrap_or_else(elsewhere)),
            Leaving::Parts { outer, kept } => (outer, kept),
        };
        let fits = kept.size() <= padded.size()
            && !differ(&kept.remove_padding(), &padded.remove_padding())
            && !differ(&outer, &out_outer);
        (!fits).then(elsewhere)
    }

    /// The output's iterations taken apart: those outside of the matrix, and the rows that each packet becomes.
    fn leaving(&self, outer: &Form, packets: &Form) -> Leaving {
        let parts = if packets.size() == 1 {
            if !self.out_time.size().is_multiple_of(outer.size()) {
                return Leaving::NoMatch(None);
            }
            self.out_time.split_at(self.out_time.size() / outer.size())
        } else {
            let division = divide_relaxed(self.out_time, packets);
            let Some(found) = division.matches.first() else {
                return Leaving::Unknown;
            };
            if division.matches.len() > 1 {
                return Leaving::NoMatch(Some(TransposeRows::Parts {
                    parts: packets.to_mapping(),
                    packets: true,
                }));
            }
            if !division.exact() {
                return Leaving::NoMatch(None);
            }
            let around = self.out_time.split_at(found.dividend_stride);
            around.and_then(|(around, kept)| Some((around.split_at(packets.size())?.0, kept)))
        };
        parts.map_or(Leaving::Unknown, |(outer, kept)| Leaving::Parts {
            outer,
            kept,
        })
    }
}

/// What of the output's iterations the library finds.
enum Leaving {
    /// The algebra cannot tell.
    Unknown,
    /// The output is not a transpose of the input; the reason, if the packets of a row are at fault.
    NoMatch(Option<TransposeRows>),
    /// The iterations outside of the matrix, and the rows that each packet becomes.
    Parts { outer: Form, kept: Form },
}
