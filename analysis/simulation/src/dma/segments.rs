//! Transfers that take several commands because their shape does not divide (book: Heterogeneous DMA Engine with
//! Segmentation).
//!
//! Knows the case of the book: an axis that the source holds in padded parts and the target in its true length. The last
//! part is written in as many commands as boxes make it up, for a full one would write behind the target's elements.
//! A target that holds the padding takes one command.

use std::sync::Arc;

use crate::kernel::{Level, Tensor};
use crate::mapping::{Atom, Axis, Digit};

use super::dm::ENGINE_SLICES;

/// How a transfer falls into commands.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Segments {
    /// The axis that does not divide.
    pub axis: Arc<str>,
    /// Its size.
    pub size: u64,
    /// Values of the axis in a full part.
    pub part: u64,
    /// Parts, the last one included.
    pub parts: u64,
    /// Values in the last part.
    pub remainder: u64,
    /// Commands that the last part takes.
    pub commands: u64,
    /// Whether each part has engines of its own: then only the engines of the last one have several commands.
    pub by_engine: bool,
}

/// A digit of an axis in a tensor.
struct Part {
    stride: u64,
    live: u64,
    extent: u64,
    by_engine: bool,
}

impl Segments {
    /// The axis of the source that needs the most commands; `None` if one command does.
    pub fn of(source: &Tensor, target: &Tensor) -> Option<Self> {
        let mut axes = Vec::new();
        for (_, mapping) in source.levels.iter() {
            axes.extend(mapping.value.as_ref()?.form().axes());
        }
        axes.sort_by(|first, second| first.name().cmp(second.name()));
        axes.dedup();
        axes.iter()
            .filter_map(|axis| Self::of_axis(source, target, axis))
            .max_by_key(|segments| segments.commands)
    }

    fn of_axis(source: &Tensor, target: &Tensor, axis: &Axis) -> Option<Self> {
        let (read, write) = (parts_of(source, axis)?, parts_of(target, axis)?);
        let (outer, inner) = read.split_first()?;
        let remainder = axis.size() % outer.stride;
        if remainder == 0 || inner.is_empty() {
            return None;
        }
        let reached = outer.live.checked_mul(outer.stride)?;
        if reached <= axis.size() || axis.size().div_ceil(outer.stride) != outer.live {
            return None;
        }
        let room = write.first()?;
        if room.extent.checked_mul(room.stride)? >= reached {
            return None;
        }
        let mut rest = remainder;
        let mut commands = 0;
        for part in inner {
            commands += u64::from(rest >= part.stride);
            rest %= part.stride;
        }
        (outer.live > 1 && commands > u64::from(outer.by_engine)).then(|| Self {
            axis: Arc::from(axis.name()),
            size: axis.size(),
            part: outer.stride,
            parts: outer.live,
            remainder,
            commands,
            by_engine: outer.by_engine,
        })
    }
}

/// The digits of an axis in a tensor, the outermost first; `None` if one is within a group or a mapping is unknown.
fn parts_of(tensor: &Tensor, axis: &Axis) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    for (level, mapping) in tensor.levels.iter() {
        let mut place: u64 = 1;
        for digit in mapping.value.as_ref()?.form().digits() {
            if let Some(term) = &digit.term {
                match &term.atom {
                    Atom::Axis(held) | Atom::PaddedRun(held) if held == axis => {
                        parts.extend(split_digit(level, place, digit, term.stride.max(1)));
                    }
                    Atom::Composite(group) if group.contains_axis(axis.name()) => return None,
                    _ => {}
                }
            }
            place = place.saturating_mul(digit.extent);
        }
    }
    parts.sort_by_key(|part| std::cmp::Reverse(part.stride));
    Some(parts)
}

/// A digit in parts: one that crosses from an engine's slices to the next engine's is shared out to the engines.
fn split_digit(level: Level, place: u64, digit: &Digit, stride: u64) -> Vec<Part> {
    let part = |stride: u64, live: u64, extent: u64, by_engine: bool| Part {
        stride,
        live,
        extent,
        by_engine,
    };
    let whole = |by_engine| vec![part(stride, digit.live, digit.extent, by_engine)];
    match level {
        Level::Chip | Level::Cluster => whole(true),
        Level::Slice if place >= ENGINE_SLICES => whole(true),
        Level::Slice if place.saturating_mul(digit.live) > ENGINE_SLICES => {
            let inner = ENGINE_SLICES / place;
            if !ENGINE_SLICES.is_multiple_of(place) {
                return whole(false);
            }
            vec![
                part(
                    stride.saturating_mul(inner),
                    digit.live.div_ceil(inner),
                    digit.extent.div_ceil(inner),
                    true,
                ),
                part(stride, inner, inner, false),
            ]
        }
        _ => whole(false),
    }
}
