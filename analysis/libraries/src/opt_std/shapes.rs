//! The shapes by which a source tells its release: what is written so in some releases and in no other.
//!
//! A name is a shape only if kernels use it and nothing else is likely to be called so. Methods of the book's library are
//! marked, so that a crate that names no library is told from it.

use super::super::{Arguments, Pattern, Release, Shape};
use Arguments::{Address, Any, Borrowed, Count, Of, Some as Given};

const fn shape_between(
    words: &'static str,
    releases: (u16, Option<u16>),
    pattern: Pattern,
) -> Shape {
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
const fn shape_since(words: &'static str, first: u16, pattern: Pattern) -> Shape {
    shape_between(words, (first, None), pattern)
}

/// Written so in some releases.
const fn shape_within(words: &'static str, first: u16, last: u16, pattern: Pattern) -> Shape {
    shape_between(words, (first, Some(last)), pattern)
}

/// Written so for the book's library and in its successor up to a release.
const fn shape_until(words: &'static str, last: u16, pattern: Pattern) -> Shape {
    Shape {
        in_book: true,
        ..shape_between(words, (2, Some(last)), pattern)
    }
}

/// Written so for the book's library alone.
const fn of_book(words: &'static str, pattern: Pattern) -> Shape {
    Shape {
        first: None,
        ..shape_until(words, 0, pattern)
    }
}

const fn method_pattern(name: &'static str) -> Pattern {
    call(name, None, Any)
}

const fn call_with_arguments(name: &'static str, arguments: Arguments) -> Pattern {
    call(name, None, arguments)
}

const fn call_with_generics(name: &'static str, count: usize) -> Pattern {
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
const fn path_pattern(names: &'static [&'static str]) -> Pattern {
    Pattern::Path(names)
}

pub(crate) const SHAPES: &[Shape] = &[
    // The book's library.
    of_book("`align`", call_with_generics("align", 4)),
    of_book("`accumulate`", call_with_generics("accumulate", 2)),
    of_book(
        "`vector_intra_slice_branch`",
        method_pattern("vector_intra_slice_branch"),
    ),
    of_book("`BranchMode`", path_pattern(&["BranchMode"])),
    of_book("`AccumulationKind`", path_pattern(&["AccumulationKind"])),
    // Its successor in all releases.
    shape_since("`contract_outer`", 2, method_pattern("contract_outer")),
    shape_since("`contract_packet`", 2, method_pattern("contract_packet")),
    shape_since("`contract_lane`", 2, method_pattern("contract_lane")),
    shape_since("`LaneMode`", 2, path_pattern(&["LaneMode"])),
    shape_since(
        "`vector_intra_slice_tag`",
        2,
        method_pattern("vector_intra_slice_tag"),
    ),
    shape_since("`TagMode`", 2, path_pattern(&["TagMode"])),
    shape_since(
        "`vector_narrow_split`",
        2,
        method_pattern("vector_narrow_split"),
    ),
    shape_since(
        "`vector_widen_concat`",
        2,
        method_pattern("vector_widen_concat"),
    ),
    shape_since("`vector_widen_pad`", 2, method_pattern("vector_widen_pad")),
    // Addresses.
    shape_until(
        "`.commit(address)`",
        3,
        call_with_arguments("commit", Given),
    ),
    shape_until(
        "`.to_vrf(address)`",
        3,
        call_with_arguments("to_vrf", Address),
    ),
    shape_until(
        "`.to_trf(TrfAddress::…)`",
        3,
        call_with_arguments("to_trf", Of("TrfAddress")),
    ),
    shape_until(
        "`.to_dm(dma, address)`",
        3,
        call_with_arguments("to_dm", Count(2)),
    ),
    shape_within("`commit_at`", 4, 5, method_pattern("commit_at")),
    shape_within("`to_trf_at`", 4, 5, method_pattern("to_trf_at")),
    shape_within("`to_vrf_at`", 4, 5, method_pattern("to_vrf_at")),
    shape_within("`to_dm_at`", 4, 5, method_pattern("to_dm_at")),
    shape_within("`to_dm_pcopy_at`", 4, 5, method_pattern("to_dm_pcopy_at")),
    shape_within(
        "`dma_gather_scaled_at`",
        4,
        5,
        method_pattern("dma_gather_scaled_at"),
    ),
    shape_until(
        "`DmTensor::from_addr`",
        4,
        path_pattern(&["DmTensor", "from_addr"]),
    ),
    shape_until(
        "`HbmTensor::from_addr`",
        5,
        path_pattern(&["HbmTensor", "from_addr"]),
    ),
    shape_until(
        "`TrfTensor::from_addr`",
        5,
        path_pattern(&["TrfTensor", "from_addr"]),
    ),
    shape_until(
        "`VrfTensor::from_addr`",
        5,
        path_pattern(&["VrfTensor", "from_addr"]),
    ),
    shape_since("`DmTensor::new`", 5, path_pattern(&["DmTensor", "new"])),
    shape_since("`memset`", 5, call_with_arguments("memset", Count(2))),
    shape_since("`HbmTensor::new`", 6, path_pattern(&["HbmTensor", "new"])),
    // Fetch and contraction.
    shape_until(
        "`fetch` with three generics",
        2,
        call_with_generics("fetch", 3),
    ),
    shape_since(
        "`fetch` with two generics",
        3,
        call_with_generics("fetch", 2),
    ),
    shape_since("`fetch_cast`", 3, method_pattern("fetch_cast")),
    shape_since(
        "`fetch_table_lookup`",
        3,
        method_pattern("fetch_table_lookup"),
    ),
    shape_since(
        "`fetch_zero_point_sub`",
        4,
        method_pattern("fetch_zero_point_sub"),
    ),
    shape_since("`fetch_chip_lift`", 7, method_pattern("fetch_chip_lift")),
    shape_since(
        "`fetch_cluster_lift`",
        7,
        method_pattern("fetch_cluster_lift"),
    ),
    shape_since("`fetch_slice_lift`", 7, method_pattern("fetch_slice_lift")),
    shape_within(
        "`contract_outer` with four generics",
        2,
        3,
        call_with_generics("contract_outer", 4),
    ),
    shape_since(
        "`contract_outer` with five generics",
        4,
        call_with_generics("contract_outer", 5),
    ),
    // Registers and commit.
    shape_since(
        "`.to_vrf(&mut …)`",
        7,
        call_with_arguments("to_vrf", Borrowed),
    ),
    shape_since(
        "`.to_trf(&mut …)`",
        10,
        call_with_arguments("to_trf", Borrowed),
    ),
    shape_since("`commit_trim`", 3, method_pattern("commit_trim")),
    shape_within(
        "`commit_cast(Activation::…)`",
        3,
        5,
        call_with_arguments("commit_cast", Of("Activation")),
    ),
    shape_since("`commit_cast_relu`", 6, method_pattern("commit_cast_relu")),
    // Vector Engine.
    shape_within(
        "`vector_narrow_clip`",
        2,
        2,
        method_pattern("vector_narrow_clip"),
    ),
    shape_since(
        "`vector_narrow_trim`",
        3,
        method_pattern("vector_narrow_trim"),
    ),
    shape_until("`FpDivOp`", 3, path_pattern(&["FpDivOp"])),
    shape_within("`TagFilter`", 2, 5, path_pattern(&["TagFilter"])),
    shape_until("`VeRhs`", 5, path_pattern(&["VeRhs"])),
    shape_within("`BranchOperands`", 4, 5, path_pattern(&["BranchOperands"])),
    shape_until("`InputCmp`", 5, path_pattern(&["InputCmp"])),
    shape_within(
        "`TagMode::ValidCount`",
        2,
        5,
        path_pattern(&["TagMode", "ValidCount"]),
    ),
    shape_since("`Branched`", 6, path_pattern(&["Branched"])),
    shape_since("`TagGuard`", 6, path_pattern(&["TagGuard"])),
    shape_since("`Cmp`", 6, path_pattern(&["Cmp"])),
    shape_since(
        "`vector_reinterpret`",
        6,
        method_pattern("vector_reinterpret"),
    ),
    shape_until(
        "`vector_intra_slice_unzip` with three generics",
        7,
        call_with_generics("vector_intra_slice_unzip", 3),
    ),
    shape_since(
        "`vector_intra_slice_unzip` with two generics",
        8,
        call_with_generics("vector_intra_slice_unzip", 2),
    ),
    // Views and moves.
    shape_since("`pad`", 6, call_with_arguments("pad", Count(0))),
    shape_since("`unpad`", 6, call_with_arguments("unpad", Count(0))),
    shape_until("`to_dm_pcopy`", 6, method_pattern("to_dm_pcopy")),
    shape_until("`to_dm_view_pcopy`", 6, method_pattern("to_dm_view_pcopy")),
    shape_until(
        "`dm_cluster_shuffle`",
        6,
        method_pattern("dm_cluster_shuffle"),
    ),
    shape_within("`dm_cluster_swap`", 7, 7, method_pattern("dm_cluster_swap")),
    shape_until("`dm_chip_shuffle`", 7, method_pattern("dm_chip_shuffle")),
    shape_until(
        "`parallel_copy_chip_slice`",
        7,
        method_pattern("parallel_copy_chip_slice"),
    ),
    shape_until(
        "`parallel_copy_cluster_slice`",
        7,
        method_pattern("parallel_copy_cluster_slice"),
    ),
    shape_since("`chip_shuffle`", 8, method_pattern("chip_shuffle")),
    shape_since("`cluster_swap`", 8, method_pattern("cluster_swap")),
    shape_since("`chip_slice`", 8, method_pattern("chip_slice")),
    shape_since("`cluster_slice`", 8, method_pattern("cluster_slice")),
    shape_since(
        "`asymmetric_chip_slice`",
        8,
        method_pattern("asymmetric_chip_slice"),
    ),
    shape_since(
        "`asymmetric_cluster_slice`",
        8,
        method_pattern("asymmetric_cluster_slice"),
    ),
    shape_since(
        "`to_dm` with four generics",
        8,
        call_with_generics("to_dm", 4),
    ),
    // Gathers and scatters.
    shape_until("`dma_gather`", 3, method_pattern("dma_gather")),
    shape_within(
        "`dma_gather_scaled`",
        4,
        8,
        method_pattern("dma_gather_scaled"),
    ),
    shape_within(
        "`dma_gather_unscaled`",
        4,
        8,
        method_pattern("dma_gather_unscaled"),
    ),
    shape_until("`dma_scatter`", 8, method_pattern("dma_scatter")),
    shape_within(
        "`dma_scatter_unscaled`",
        4,
        8,
        method_pattern("dma_scatter_unscaled"),
    ),
    shape_since("`gather`", 9, call("gather", Some(2), Count(0))),
    shape_since("`scatter`", 9, call("scatter", Some(2), Count(0))),
    shape_since("`SpmTensor`", 9, path_pattern(&["SpmTensor"])),
    shape_since("`to_spm`", 9, method_pattern("to_spm")),
    shape_since("`HbmScalar`", 9, path_pattern(&["HbmScalar"])),
    // The device and the host.
    shape_until("`&mut Context`", 7, Pattern::Borrowed("Context")),
    shape_since("`&mut Device`", 8, Pattern::Borrowed("Device")),
    shape_since("`Device::new`", 8, path_pattern(&["Device", "new"])),
    shape_since("`#[unroll]`", 8, Pattern::Attribute("unroll")),
    shape_since(
        "the `Result` of `to_host`",
        8,
        Pattern::AwaitedResult("to_host"),
    ),
    shape_since("`HbmBuffer`", 10, path_pattern(&["HbmBuffer"])),
    // Macros.
    shape_since(
        "an axis or a parenthesis after an operator of a mapping",
        8,
        Pattern::MappingFactor,
    ),
    shape_since("an axis in lower case", 9, Pattern::LowerCaseAxis),
];

const _: () = assert!(SHAPES.len() <= super::super::SHAPE_CAPACITY);
