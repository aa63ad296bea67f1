//! The shapes by which a source tells its release: what is written so in some releases and in no other.
//!
//! A name is a shape only if kernels use it and nothing else is likely to be called so. Methods of the book's library are
//! marked, so that a crate that names no library is told from it.

use super::super::{Arguments, Pattern, Release, Shape};
use Arguments::{Address, Any, Borrowed, Count, Of, Some as Given};

const fn shape(words: &'static str, releases: (u16, Option<u16>), pattern: Pattern) -> Shape {
    let (first, last) = releases;
    Shape {
        words,
        first: Some(Release::new(0, first)),
        last: match last {
            Some(last) => Some(Release::new(0, last)),
            None => None,
        },
        in_book: false,
        pattern,
    }
}

/// Written so from a release on.
const fn since(words: &'static str, first: u16, pattern: Pattern) -> Shape {
    shape(words, (first, None), pattern)
}

/// Written so in some releases.
const fn within(words: &'static str, first: u16, last: u16, pattern: Pattern) -> Shape {
    shape(words, (first, Some(last)), pattern)
}

/// Written so for the book's library and in its successor up to a release.
const fn until(words: &'static str, last: u16, pattern: Pattern) -> Shape {
    Shape {
        in_book: true,
        ..shape(words, (2, Some(last)), pattern)
    }
}

/// Written so for the book's library alone.
const fn of_book(words: &'static str, pattern: Pattern) -> Shape {
    Shape {
        first: None,
        ..until(words, 0, pattern)
    }
}

const fn method(name: &'static str) -> Pattern {
    call(name, None, Any)
}

const fn with(name: &'static str, arguments: Arguments) -> Pattern {
    call(name, None, arguments)
}

const fn generics(name: &'static str, count: usize) -> Pattern {
    call(name, Some(count), Any)
}

const fn call(name: &'static str, generics: Option<usize>, arguments: Arguments) -> Pattern {
    Pattern::Call {
        name,
        generics,
        arguments,
    }
}

/// A path: the type alone, or the type and what is asked of it.
const fn path(names: &'static [&'static str]) -> Pattern {
    Pattern::Path(names)
}

pub(crate) const SHAPES: &[Shape] = &[
    // The book's library.
    of_book("`align`", generics("align", 4)),
    of_book("`accumulate`", generics("accumulate", 2)),
    of_book(
        "`vector_intra_slice_branch`",
        method("vector_intra_slice_branch"),
    ),
    of_book("`BranchMode`", path(&["BranchMode"])),
    of_book("`AccumulationKind`", path(&["AccumulationKind"])),
    // Its successor in all releases.
    since("`contract_outer`", 2, method("contract_outer")),
    since("`contract_packet`", 2, method("contract_packet")),
    since("`contract_lane`", 2, method("contract_lane")),
    since("`LaneMode`", 2, path(&["LaneMode"])),
    since(
        "`vector_intra_slice_tag`",
        2,
        method("vector_intra_slice_tag"),
    ),
    since("`TagMode`", 2, path(&["TagMode"])),
    since("`vector_narrow_split`", 2, method("vector_narrow_split")),
    since("`vector_widen_concat`", 2, method("vector_widen_concat")),
    since("`vector_widen_pad`", 2, method("vector_widen_pad")),
    // Addresses.
    until("`.commit(address)`", 3, with("commit", Given)),
    until("`.to_vrf(address)`", 3, with("to_vrf", Address)),
    until(
        "`.to_trf(TrfAddress::…)`",
        3,
        with("to_trf", Of("TrfAddress")),
    ),
    until("`.to_dm(dma, address)`", 3, with("to_dm", Count(2))),
    within("`commit_at`", 4, 5, method("commit_at")),
    within("`to_trf_at`", 4, 5, method("to_trf_at")),
    within("`to_vrf_at`", 4, 5, method("to_vrf_at")),
    within("`to_dm_at`", 4, 5, method("to_dm_at")),
    within("`to_dm_pcopy_at`", 4, 5, method("to_dm_pcopy_at")),
    within(
        "`dma_gather_scaled_at`",
        4,
        5,
        method("dma_gather_scaled_at"),
    ),
    until("`DmTensor::from_addr`", 4, path(&["DmTensor", "from_addr"])),
    until(
        "`HbmTensor::from_addr`",
        5,
        path(&["HbmTensor", "from_addr"]),
    ),
    until(
        "`TrfTensor::from_addr`",
        5,
        path(&["TrfTensor", "from_addr"]),
    ),
    until(
        "`VrfTensor::from_addr`",
        5,
        path(&["VrfTensor", "from_addr"]),
    ),
    since("`DmTensor::new`", 5, path(&["DmTensor", "new"])),
    since("`memset`", 5, with("memset", Count(2))),
    since("`HbmTensor::new`", 6, path(&["HbmTensor", "new"])),
    // Fetch and contraction.
    until("`fetch` with three generics", 2, generics("fetch", 3)),
    since("`fetch` with two generics", 3, generics("fetch", 2)),
    since("`fetch_cast`", 3, method("fetch_cast")),
    since("`fetch_table_lookup`", 3, method("fetch_table_lookup")),
    since("`fetch_zero_point_sub`", 4, method("fetch_zero_point_sub")),
    since("`fetch_chip_lift`", 7, method("fetch_chip_lift")),
    since("`fetch_cluster_lift`", 7, method("fetch_cluster_lift")),
    since("`fetch_slice_lift`", 7, method("fetch_slice_lift")),
    within(
        "`contract_outer` with four generics",
        2,
        3,
        generics("contract_outer", 4),
    ),
    since(
        "`contract_outer` with five generics",
        4,
        generics("contract_outer", 5),
    ),
    // Registers and commit.
    since("`.to_vrf(&mut …)`", 7, with("to_vrf", Borrowed)),
    since("`.to_trf(&mut …)`", 10, with("to_trf", Borrowed)),
    since("`commit_trim`", 3, method("commit_trim")),
    within(
        "`commit_cast(Activation::…)`",
        3,
        5,
        with("commit_cast", Of("Activation")),
    ),
    since("`commit_cast_relu`", 6, method("commit_cast_relu")),
    // Vector Engine.
    within("`vector_narrow_clip`", 2, 2, method("vector_narrow_clip")),
    since("`vector_narrow_trim`", 3, method("vector_narrow_trim")),
    until("`FpDivOp`", 3, path(&["FpDivOp"])),
    within("`TagFilter`", 2, 5, path(&["TagFilter"])),
    until("`VeRhs`", 5, path(&["VeRhs"])),
    within("`BranchOperands`", 4, 5, path(&["BranchOperands"])),
    until("`InputCmp`", 5, path(&["InputCmp"])),
    within(
        "`TagMode::ValidCount`",
        2,
        5,
        path(&["TagMode", "ValidCount"]),
    ),
    since("`Branched`", 6, path(&["Branched"])),
    since("`TagGuard`", 6, path(&["TagGuard"])),
    since("`Cmp`", 6, path(&["Cmp"])),
    since("`vector_reinterpret`", 6, method("vector_reinterpret")),
    until(
        "`vector_intra_slice_unzip` with three generics",
        7,
        generics("vector_intra_slice_unzip", 3),
    ),
    since(
        "`vector_intra_slice_unzip` with two generics",
        8,
        generics("vector_intra_slice_unzip", 2),
    ),
    // Views and moves.
    since("`pad`", 6, with("pad", Count(0))),
    since("`unpad`", 6, with("unpad", Count(0))),
    until("`to_dm_pcopy`", 6, method("to_dm_pcopy")),
    until("`to_dm_view_pcopy`", 6, method("to_dm_view_pcopy")),
    until("`dm_cluster_shuffle`", 6, method("dm_cluster_shuffle")),
    within("`dm_cluster_swap`", 7, 7, method("dm_cluster_swap")),
    until("`dm_chip_shuffle`", 7, method("dm_chip_shuffle")),
    until(
        "`parallel_copy_chip_slice`",
        7,
        method("parallel_copy_chip_slice"),
    ),
    until(
        "`parallel_copy_cluster_slice`",
        7,
        method("parallel_copy_cluster_slice"),
    ),
    since("`chip_shuffle`", 8, method("chip_shuffle")),
    since("`cluster_swap`", 8, method("cluster_swap")),
    since("`chip_slice`", 8, method("chip_slice")),
    since("`cluster_slice`", 8, method("cluster_slice")),
    since(
        "`asymmetric_chip_slice`",
        8,
        method("asymmetric_chip_slice"),
    ),
    since(
        "`asymmetric_cluster_slice`",
        8,
        method("asymmetric_cluster_slice"),
    ),
    since("`to_dm` with four generics", 8, generics("to_dm", 4)),
    // Gathers and scatters.
    until("`dma_gather`", 3, method("dma_gather")),
    within("`dma_gather_scaled`", 4, 8, method("dma_gather_scaled")),
    within("`dma_gather_unscaled`", 4, 8, method("dma_gather_unscaled")),
    until("`dma_scatter`", 8, method("dma_scatter")),
    within(
        "`dma_scatter_unscaled`",
        4,
        8,
        method("dma_scatter_unscaled"),
    ),
    since("`gather`", 9, call("gather", Some(2), Count(0))),
    since("`scatter`", 9, call("scatter", Some(2), Count(0))),
    since("`SpmTensor`", 9, path(&["SpmTensor"])),
    since("`to_spm`", 9, method("to_spm")),
    since("`HbmScalar`", 9, path(&["HbmScalar"])),
    // The device and the host.
    until("`&mut Context`", 7, Pattern::Borrowed("Context")),
    since("`&mut Device`", 8, Pattern::Borrowed("Device")),
    since("`Device::new`", 8, path(&["Device", "new"])),
    since("`#[unroll]`", 8, Pattern::Attribute("unroll")),
    since(
        "the `Result` of `to_host`",
        8,
        Pattern::AwaitedResult("to_host"),
    ),
    since("`HbmBuffer`", 10, path(&["HbmBuffer"])),
    // Macros.
    since(
        "an axis or a parenthesis after an operator of a mapping",
        8,
        Pattern::MappingFactor,
    ),
    since("an axis in lower case", 9, Pattern::LowerCaseAxis),
];

const _: () = assert!(SHAPES.len() <= super::super::SHAPE_CAPACITY);
