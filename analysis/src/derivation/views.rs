//! What a view of a tensor shares with the other views of it.

use std::sync::Arc;

use crate::kernel::{Body, Level, Origin, TensorId};

/// Axes of which a view holds a tile in its element level: positions behind their digits belong to other tiles. Empty
/// for a tensor that is no view.
pub(crate) fn tiled_axes(body: &Body, id: TensorId) -> Vec<Arc<str>> {
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
