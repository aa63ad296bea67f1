//! The TRF Sequencer: how each row walks its part of the TRF to make the computation mapping (book: TRF Sequencer).
//!
//! A cycle reads `reg_read_size` contiguous bytes and repeats them over the 64 bytes that a row multiplies; the
//! entries move the read over the element as time goes on.

use crate::forms::{self, Step};
use crate::hardware::{ElementType, SEQUENCER_ENTRIES, SEQUENCER_ITERATIONS};
use crate::mapping::Form;

use super::MAC_BYTES;

/// The configuration of the TRF Sequencer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrfSequencer {
    /// Contiguous bytes read a cycle, a power of two up to 64: the innermost run that element and packet share.
    pub reg_read_size: u64,
    /// Entries after merging, outermost first.
    pub entries: Vec<TrfEntry>,
}

/// One entry of the TRF Sequencer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrfEntry {
    /// Iterations.
    pub size: u64,
    /// Bytes from one iteration to the next; 0 reads the same weights again.
    pub stride: u64,
}

/// Why there is no configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrfSequencerError {
    /// The packet is no run of the element, repeated: its parts are apart in the element, or repeat inside the run.
    Packet {
        /// Contiguous bits of the element that the packet starts with.
        contiguous_bits: u64,
    },
    /// More entries than the sequencer has.
    Entries {
        /// Entries after merging.
        count: usize,
    },
    /// An entry with more iterations than one takes, that cannot be split either.
    Iterations {
        /// Iterations.
        size: u64,
    },
    /// A stride beyond signed 32 bits.
    Stride {
        /// Bytes.
        stride: u64,
    },
    /// 64 bytes are read a cycle, and a stride would start them in the middle of a bank column.
    Alignment {
        /// Bytes.
        stride: u64,
    },
}

/// Derives the configuration that reads `element` as `[time, packet]`. `None` where bytes are no whole number, and where
/// parts of ragged digits cannot be found in the element.
pub(super) fn derive_trf_sequencer(
    element_type: ElementType,
    element: &Form,
    time: &Form,
    packet: &Form,
) -> Option<(TrfSequencer, Option<TrfSequencerError>)> {
    let bytes = |elements: u64| element_type.bytes_rounded_up(elements);
    if misses(element, packet) || misses(element, time) {
        return None;
    }
    let (run, repeats) = spatial_read(element, packet);
    let reg_read_size = bytes(run)?.checked_next_power_of_two()?.min(MAC_BYTES);
    let steps = forms::merge(&forms::buffer_steps(time, element));
    let entries = steps
        .iter()
        .map(|step| trf_entry(element_type, *step))
        .collect::<Option<Vec<_>>>()?;
    let error = if repeats {
        sequencer_limit_error(reg_read_size, &entries)
    } else {
        Some(TrfSequencerError::Packet {
            contiguous_bits: element_type.bits_of(run)?,
        })
    };
    Some((
        TrfSequencer {
            reg_read_size,
            entries,
        },
        error,
    ))
}

/// Whether a ragged part of the stream was not found in the element although the element has its axis.
fn misses(element: &Form, stream: &Form) -> bool {
    let missed = forms::divide_relaxed(stream, element).dividend_residue;
    forms::may_share_ragged(&missed, element)
}

fn trf_entry(element_type: ElementType, step: Step) -> Option<TrfEntry> {
    Some(TrfEntry {
        size: step.size,
        stride: element_type.bytes(step.stride)?,
    })
}

/// The elements that a cycle reads contiguously, and whether the packet is that run, repeated.
fn spatial_read(element: &Form, packet: &Form) -> (u64, bool) {
    let found = forms::divide_relaxed(packet, element);
    let mut run = 1_u64;
    let mut contiguous = true;
    for part in found.matches.iter().rev() {
        if part.dividend_stride != part.divisor_stride {
            contiguous = false;
            break;
        }
        run = run.max(part.dividend_stride.saturating_mul(part.count));
    }
    let repeated = found
        .dividend_residue
        .terms_with_stride()
        .into_iter()
        .map(|placed| placed.buffer_stride)
        .min();
    match repeated {
        // The read is repeated with the period of the innermost part that the element lacks.
        Some(period) => (
            period.max(run),
            contiguous && period >= run && period.is_power_of_two(),
        ),
        None => (run, contiguous),
    }
}

/// What the sequencer's limits say of a configuration.
fn sequencer_limit_error(reg_read_size: u64, entries: &[TrfEntry]) -> Option<TrfSequencerError> {
    if let Some(entry) = entries
        .iter()
        .find(|entry| i32::try_from(entry.stride).is_err())
    {
        return Some(TrfSequencerError::Stride {
            stride: entry.stride,
        });
    }
    if reg_read_size == MAC_BYTES
        && let Some(entry) = entries
            .iter()
            .find(|entry| !entry.stride.is_multiple_of(MAC_BYTES))
    {
        return Some(TrfSequencerError::Alignment {
            stride: entry.stride,
        });
    }
    let mut count = 0_usize;
    for entry in entries {
        let Some(parts) = least_entry_count(entry.size) else {
            return Some(TrfSequencerError::Iterations { size: entry.size });
        };
        count = count.saturating_add(parts);
    }
    (count > SEQUENCER_ENTRIES).then_some(TrfSequencerError::Entries { count })
}

/// The least number of entries that an entry of `size` iterations needs at least; `None` where a prime factor is
/// more than one entry takes. A lower bound where several are needed: what it refuses is refused.
fn least_entry_count(size: u64) -> Option<usize> {
    if size <= SEQUENCER_ITERATIONS {
        return Some(1);
    }
    let mut rest = size;
    let mut factor = 2;
    while factor <= SEQUENCER_ITERATIONS && factor.saturating_mul(factor) <= rest {
        if rest.is_multiple_of(factor) {
            rest /= factor;
        } else {
            factor += 1;
        }
    }
    if rest > SEQUENCER_ITERATIONS {
        return None;
    }
    let mut parts = 1;
    let mut room = SEQUENCER_ITERATIONS;
    while room < size {
        room = room.saturating_mul(SEQUENCER_ITERATIONS);
        parts += 1;
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::least_entry_count;

    #[test]
    fn entries_split_at_their_factors() {
        assert_eq!(least_entry_count(65_536), Some(1));
        assert_eq!(least_entry_count(65_537), None, "a prime");
        assert_eq!(least_entry_count(2 * 65_537), None);
        assert_eq!(least_entry_count(1 << 17), Some(2));
        assert_eq!(least_entry_count(1 << 40), Some(3));
        assert_eq!(least_entry_count(3 * 65_536), Some(2));
    }
}
