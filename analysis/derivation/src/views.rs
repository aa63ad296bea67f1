//! What a view of a tensor shares with the other views of it, and where in the tensor it begins.

use std::sync::Arc;

use crate::items::Span;
use crate::kernel::{Body, Level, Origin, TensorId, TileWindow};
use crate::mapping::{Mapping, find_axis, gcd};

/// Axes of which a view holds a tile in its element level: positions behind their digits belong to other tiles. Empty
/// for a tensor that is no view.
pub fn tiled_axes(body: &Body, id: TensorId) -> Vec<Arc<str>> {
    let mut axes = Vec::new();
    let mut current = body.tensor(id);
    // A view is made after what it is taken of, so the chain ends; the bound holds for any input.
    for _ in 0..=body.tensors.len() {
        let Some(Origin::View { of, tile }) = current.map(|tensor| &tensor.origin) else {
            break;
        };
        if let Some(tile) = tile
            && tile.level == Level::Element
            && let Some(index) = tile.index.get()
        {
            axes.extend(index.axes().iter().map(crate::mapping::Axis::shared_name));
        }
        current = body.tensor(*of);
    }
    axes
}

/// A view that begins within a unit of its memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MisalignedWindow {
    /// Bits from the begin of the tensor to that of the view.
    pub offset_bits: u64,
    /// The tile begins at a unit where its first value is a multiple of this.
    pub values: u64,
    /// The nearest such values below and above, with which the tile stays within its tensor; none where it begins elsewhere in
    /// another run of a loop.
    pub near: Vec<u64>,
    /// Where the first value is written.
    pub span: Span,
}

/// The tile with which a view begins within a unit of so many bits, counted from the begin of its tensor. `None` where it begins
/// at one, or where a tile begins at an unknown value or at an unknown place.
pub(crate) fn misaligned_window(
    body: &Body,
    view: TensorId,
    unit_bits: u64,
) -> Option<MisalignedWindow> {
    let mut offset_bits: u64 = 0;
    let mut found: Option<MisalignedWindow> = None;
    let mut current = body.tensor(view)?;
    let element_bits = current.element_type.value?.bits();
    // A view is made after what it is taken of, so the chain ends; the bound holds for any input.
    for _ in 0..=body.tensors.len() {
        let Origin::View { of, tile } = &current.origin else {
            break;
        };
        let whole = body.tensor(*of)?;
        if let Some(tile) = tile
            && tile.level == Level::Element
        {
            let step = step_of_tile(whole.levels.element.get()?, tile)?;
            let step_bits = step.checked_mul(element_bits)?;
            let start = *tile.start.get()?;
            let own = start.checked_mul(step_bits)?;
            offset_bits = offset_bits.checked_add(own)?;
            if !own.is_multiple_of(unit_bits) {
                let values = unit_bits / gcd(unit_bits, step_bits);
                found = Some(MisalignedWindow {
                    offset_bits: 0,
                    values,
                    near: near_starts(tile, start, values),
                    span: tile.start.span,
                });
            }
        }
        current = whole;
    }
    let found = found.filter(|_| !offset_bits.is_multiple_of(unit_bits))?;
    Some(MisalignedWindow {
        offset_bits,
        ..found
    })
}

/// The multiples of a number of values next to where a tile begins, with which it stays within its tensor.
fn near_starts(tile: &TileWindow, start: u64, values: u64) -> Vec<u64> {
    let varies = tile
        .start_range
        .is_some_and(|(least, largest)| least != largest);
    let (Some(index), Some(length)) = (tile.index.get(), tile.length.get()) else {
        return Vec::new();
    };
    let below = start - start % values;
    let above = below.saturating_add(values);
    let fits = |first: &u64| !varies && first.saturating_add(*length) <= index.size();
    [below, above].into_iter().filter(fits).collect()
}

/// Elements from one value of a tiled index to the next.
fn step_of_tile(whole: &Mapping, tile: &TileWindow) -> Option<u64> {
    find_axis(whole.form(), tile.index.get()?.form()).ok()
}
