//! Tile operations: loads and stores of whole tiles, the views of GM that they name, and the tiles themselves.
//!
//! Knows the types and operands of these operations. How the assembler moves a tile, and when, is its own affair: shapes, strides,
//! valid sizes, widths and addresses are what a file says of it.

mod reading;
#[cfg(test)]
mod tests;
mod types;

pub use reading::{
    Allocation, Partition, TensorView, TileFacts, TileMove, TileMoveKind, TileOperation,
    read_tile_operation,
};
pub use types::{Size, TileLayout, TileType, ViewType, tile_type, view_type};

/// Why a transfer that is no copy between GM and UB and no load or store of a tile is not followed; none for other operations.
pub fn unfollowed_transfer(name: &str) -> Option<&'static str> {
    const CUBE: &str = "transfers between the memories of the matrix unit are not followed";
    const CORES: &str = "transfers between cores are not followed";
    const DEVICES: &str = "transfers between devices are not followed";
    const GATHER: &str = "gathers and scatters are not followed";
    let short = name.strip_prefix("pto.")?;
    let begins = |words: &[&str]| words.iter().any(|word| short.starts_with(word));
    if let Some(comm) = short.strip_prefix("comm.") {
        let moves = [
            "tput",
            "tget",
            "tbroadcast",
            "treduce",
            "tscatter",
            "tgather",
        ];
        return moves
            .iter()
            .any(|word| comm.starts_with(word))
            .then_some(DEVICES);
    }
    if begins(&["mte_", "copy_", "load_cbuf_", "raw_fill_l1"]) {
        return Some(CUBE);
    }
    if begins(&["tpush", "tpop"]) {
        return Some(CORES);
    }
    matches!(short, "mgather" | "mscatter").then_some(GATHER)
}

/// Whether an operation makes, names or moves a tile.
pub fn is_tile_operation(name: &str) -> bool {
    matches!(
        name,
        "pto.tload"
            | "pto.tstore"
            | "pto.tprefetch"
            | "pto.alloc_tile"
            | "pto.make_tensor_view"
            | "pto.partition_view"
    )
}
