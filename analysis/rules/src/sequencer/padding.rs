//! Padding that a sequencer can split: an axis whose size has too large a prime factor becomes a multiple of 64 wherever it is
//! written.

use crate::hardware::SEQUENCER_ITERATIONS as COUNT;
use crate::kernel::Body;
use crate::mapping::{Mapping, MappingKind, PaddingKind};

use super::super::lanes::Edits;
use super::super::valid_count::written_mappings;
use super::super::{Alternative, words};

/// What an axis is padded to a multiple of, so that a loop over it can be split.
const SPLIT: u64 = 64;

/// The next size without a prime factor above the limit: a multiple of 64 is one, as long as the rest is not too large.
fn splittable(size: u64) -> Option<u64> {
    let padded = size.checked_next_multiple_of(SPLIT)?;
    (padded / SPLIT <= COUNT).then_some(padded)
}

/// Padding of the axis with so many values, wherever it is written, to a size that a sequencer can split.
pub(super) fn with_padding(body: &Body, size: u64) -> Option<Alternative> {
    let padded = splittable(size)?;
    let mut edits = Edits::default();
    for place in written_mappings(body) {
        if let Some(mapping) = place.get()
            && let Some(again) = padded_axis(mapping, (size, padded))
            && again != *mapping
        {
            edits.text(place.span, &again);
        }
    }
    let mut texts: Vec<&str> = Vec::new();
    for edit in &edits.list {
        if !texts.contains(&&*edit.text) {
            texts.push(&edit.text);
        }
    }
    (!texts.is_empty()).then(|| Alternative {
        text: words::names_in_code(&texts),
        edits: edits.list.clone(),
    })
}

/// The expression with each whole axis of a size padded.
fn padded_axis(mapping: &Mapping, sizes: (u64, u64)) -> Option<Mapping> {
    let padded = mapping.rewritten(&|part| match part.kind() {
        MappingKind::Axis(axis) if axis.size() == sizes.0 => {
            part.pad_to(sizes.1, PaddingKind::Top).map(Some)
        }
        _ => Ok(None),
    });
    padded.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suggested_size_has_small_factors() {
        assert_eq!(splittable(65_537), Some(65_600));
        assert_eq!(splittable(u64::MAX), None);
    }
}
