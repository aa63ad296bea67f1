//! Types of tiles and views in both spellings, and what is known of a move.

use super::super::analysis::Analysis;
use super::super::syntax::parse;
use super::{
    TileLayout, TileMove, TileOperation, TileType, tile_type, unfollowed_transfer, view_type,
};

fn tile(text: &str) -> Option<TileType> {
    tile_type(&parse("!t = !pto.tile_buf<vec, 8x16xf16>"), text)
}

#[test]
fn both_spellings_of_a_tile_are_read() {
    let long = "!pto.tile_buf<loc=vec, dtype=f32, rows=32, cols=16, v_row=?, v_col=8, blayout=row_major, slayout=none_box, fractal=512, pad=0>";
    let short = "!pto.tile_buf<vec, 32x16xf32, valid=?x8>";
    let read = tile(long).unwrap();
    assert_eq!(Some(&read), tile(short).as_ref());
    assert_eq!(
        (read.shape, read.valid),
        ([Some(32), Some(16)], [None, Some(8)])
    );
    // 32 * 16 * 4
    assert_eq!(read.bytes(), Some(2_048));
    // Without a valid size all of it is.
    let alias = tile("!t").unwrap();
    assert_eq!((alias.valid, alias.element), ([Some(8), Some(16)], Some(2)));
}

#[test]
fn layouts_and_narrow_elements_are_told_apart() {
    let layout = |text: &str| tile(text).map(|tile| (tile.layout, tile.element, tile.is_packed));
    let columns = "!pto.tile_buf<vec, 16x1xf32, blayout=col_major>";
    assert_eq!(layout(columns), Some((TileLayout::Columns, Some(4), false)));
    let boxes = "!pto.tile_buf<mat, 16x16x!pto.f4E2M1x2, blayout=col_major, slayout=row_major>";
    assert_eq!(layout(boxes), Some((TileLayout::Boxes, Some(1), true)));
    let byte = "!pto.tile_buf<vec, 16x32x!pto.hif8>";
    assert_eq!(layout(byte), Some((TileLayout::Rows, Some(1), false)));
    for broken in [
        "!pto.tile_buf<>",
        "!pto.tile_buf<vec, 1x2x3xf32>",
        "!pto.tile_buf<vec, rows=x>",
        "!pto.tile_buf",
        "i64",
    ] {
        assert_eq!(tile(broken), None, "{broken}");
    }
}

#[test]
fn sizes_of_views_are_read() {
    let file = parse("");
    let sizes = |text: &str| view_type(&file, text).map(|view| (view.sizes, view.element));
    let five = sizes("!pto.partition_tensor_view<1x1x?x16x32xbf16>");
    assert_eq!(
        five,
        Some((vec![Some(1), Some(1), None, Some(16), Some(32)], Some(2)))
    );
    assert_eq!(
        sizes("!pto.tensor_view<?xf8E4M3FN>"),
        Some((vec![None], Some(1)))
    );
    assert_eq!(sizes("memref<4xf32>"), None);
}

/// The moves of a function whose body has a view of 32 x 32 elements.
fn moves(body: &str) -> Vec<TileMove> {
    let text = format!(
        "func.func @f(%a: !pto.ptr<f32>, %n: index) {{\n%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n\
         %c32 = arith.constant 32 : index\n%v = pto.make_tensor_view %a, shape = [%c32, %c32] strides = [%c32, %c1] : !pto.tensor_view<?x?xf32>\n\
         {body}\nreturn\n}}\n"
    );
    let analysis = Analysis::of(&text);
    assert_eq!(analysis.file.problems, [], "{text}");
    let operations = analysis
        .program
        .functions
        .iter()
        .flat_map(|function| &function.tiles);
    let moves = operations.filter_map(|operation| match operation {
        TileOperation::Move(moved) => Some(moved.clone()),
        _ => None,
    });
    moves.collect()
}

const PART: &str = "%p = pto.partition_view %v, offsets = [%c0, %n], sizes = [%c1, %c32] : !pto.tensor_view<?x?xf32> -> !pto.partition_tensor_view<?x32xf32>\n";

#[test]
fn a_move_knows_its_sizes_from_types_and_operands() {
    let tile = "!pto.tile_buf<vec, 8x32xf32, valid=?x32>";
    let load = format!(
        "{PART}%t = pto.alloc_tile valid_row = %c1 : {tile}\npto.tload ins(%p : !pto.partition_tensor_view<?x32xf32>)\n outs(%t : {tile})"
    );
    let [moved] = &moves(&load)[..] else {
        panic!("one load: {load}");
    };
    assert_eq!(
        (moved.elements, moved.valid),
        (Some(32), [Some(1), Some(32)])
    );
    assert_eq!(moved.unknown, None);
}

#[test]
fn what_is_not_known_of_a_move_is_said() {
    let vec = "!pto.tile_buf<vec, 8x32xf32>";
    let load = |tile: &str, view: &str| {
        format!("{PART}pto.tload ins(%p : {view}) outs(%t : {tile})")
            .replace("%t", "%u")
            .replace(PART, &format!("{PART}%u = pto.alloc_tile : {tile}\n"))
    };
    let part = "!pto.partition_tensor_view<?x32xf32>";
    for (tile, view, reason) in [
        ("!pto.tile_buf<mat, 8x32xf32>", part, "of a tile in `mat`"),
        (vec, "memref<8x32xf32>", "the type of the view"),
        ("memref<8x32xf32>", part, "the type of the tile"),
        (
            "!pto.tile_buf<vec, 8x32x!pto.other>",
            part,
            "the width of an element",
        ),
        (
            "!pto.tile_buf<vec, 8x32xf32, valid=?x32>",
            part,
            "the valid size",
        ),
    ] {
        let found = moves(&load(tile, view));
        let unknown = found.first().and_then(|moved| moved.unknown.clone());
        assert!(
            unknown.is_some_and(|words| words.starts_with(reason)),
            "{tile} {view}"
        );
    }
}

#[test]
fn a_store_with_factors_converts() {
    let tile = "!pto.tile_buf<acc, 16x32xf32, blayout=col_major, slayout=row_major>";
    let factors = "!pto.tile_buf<scaling, 1x32xf16>";
    let part = "!pto.partition_tensor_view<?x32xf32>";
    for (operands, converts) in [
        (format!("ins(%t : {tile})"), false),
        (format!("ins(%t : {tile} fp %f : {factors})"), true),
        (format!("ins(%t, %f : {tile}, {factors})"), true),
    ] {
        let body = format!(
            "{PART}%t = pto.alloc_tile : {tile}\n%f = pto.alloc_tile : {factors}\npto.tstore {operands} outs(%p : {part})"
        );
        let found: Vec<bool> = moves(&body).iter().map(|moved| moved.converts).collect();
        assert_eq!(found, [converts], "{body}");
    }
}

#[test]
fn transfers_that_are_not_followed_have_a_reason() {
    for name in [
        "pto.mte_l1_l0a",
        "pto.copy_gm_to_cbuf",
        "pto.load_cbuf_to_ca",
        "pto.mgather",
        "pto.tpush_to_aiv",
        "pto.comm.tput_async",
    ] {
        assert!(unfollowed_transfer(name).is_some(), "{name}");
    }
    for name in [
        "pto.tadd",
        "pto.comm.twait",
        "pto.tmov",
        "arith.addi",
        "pto.set_flag",
    ] {
        assert_eq!(unfollowed_transfer(name), None, "{name}");
    }
}
