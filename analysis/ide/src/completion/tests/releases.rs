//! What completion offers in the current library, release by release: a table of positions, each with the methods that it has and
//! the first and the last release of each. What a release lacks is not offered, and what it has is.

use crate::Completion;
use crate::EditorQuestions as _;
use crate::items::Dialect;
use crate::libraries::{Library, Release};
use crate::workspace::Workspace;

/// The minor numbers of the releases.
const RELEASES: std::ops::RangeInclusive<u16> = 2..=10;
pub(super) const NEWEST: u16 = 10;

pub(super) const fn dialect(minor: u16) -> Dialect {
    Dialect {
        library: Library::OptStd,
        release: Release::new(0, minor),
    }
}

/// The proposals at `$0` in a file for a release.
pub(super) fn proposals(minor: u16, text: &str) -> Vec<Completion> {
    let offset = text.find("$0").expect("a cursor");
    let text = text.replacen("$0", "", 1);
    let mut workspace = Workspace::new();
    workspace.set_dialect(dialect(minor));
    workspace.set_file("kernel.rs", &text);
    let offset = u32::try_from(offset).expect("a short text");
    workspace
        .analysis()
        .completions("kernel.rs", offset)
        .expect("an answer")
}

/// A function of tensors in every memory, as a release writes it, and a text at its end.
pub(super) fn function(minor: u16, rest: &str) -> String {
    let first = if minor < 8 {
        "ctx: &mut Context"
    } else {
        "device: &mut Device"
    };
    let later = if minor < 9 {
        ""
    } else {
        ", spm: &SpmTensor<bf16, m![1], m![1 # 2], m![1 # 4], m![K]>, seen: &HbmScalar<bool>"
    };
    format!(
        "use furiosa_opt_std::prelude::*;
axes![N = 2048, K = 64, W = 256];
fn run({first}, h: &HbmTensor<bf16, m![1], m![W, N, K]>, b: &DmTensor<bf16, m![1], m![1 # 2], m![W], m![N, K]>,
    f: &DmTensor<f32, m![1], m![1 # 2], m![W], m![N, K]>, q: &DmTensor<i8, m![1], m![1 # 2], m![W], m![N, K]>,
    e: &DmTensor<f8e4m3, m![1], m![1 # 2], m![W], m![N, K]>, w: &TrfTensor<bf16, m![1], m![1 # 2], m![W], m![1], m![K]>,
    v: &VrfTensor<f32, m![1], m![1 # 2], m![W], m![K]>, host: &HostTensor<bf16, m![N, K]>{later}) {{
    {rest}
}}
"
    )
}

/// The whole context's name and a fetch of a tensor in a context.
fn fetched(minor: u16, context: &str, tensor: &str) -> String {
    let (device, scalar) = match (minor, tensor) {
        (2, "f") => ("ctx", "f32, "),
        (2, "q") => ("ctx", "i8, "),
        (2, "e") => ("ctx", "f8e4m3, "),
        (2, _) => ("ctx", "bf16, "),
        (3..=7, _) => ("ctx", ""),
        _ => ("device", ""),
    };
    format!("{device}.{context}.begin({tensor}.view()).fetch::<{scalar}m![N], m![K]>()")
}

/// The same in flits.
fn collected(minor: u16, context: &str, tensor: &str) -> String {
    let elements = match tensor {
        "f" => 8,
        "b" => 16,
        _ => 32,
    };
    let stream = fetched(minor, context, tensor);
    format!("{stream}.collect::<m![N, K / {elements}], m![K % {elements}]>()")
}

fn contracted(minor: u16, steps: usize) -> String {
    let inferred = if minor < 4 { "_" } else { "_, _" };
    let steps: String = [
        &format!(".contract_outer::<m![N, K / 32], m![K % 32], m![1], {inferred}>(&w)"),
        ".contract_packet::<m![1]>()",
        ".contract_time::<m![N]>()",
        ".contract_lane::<m![N], m![1 # 8]>(LaneMode::Interleaved)",
    ]
    .into_iter()
    .take(steps)
    .collect();
    format!("{}{steps}", collected(minor, "main", "b"))
}

/// `f` in the Vector Engine, behind its first stage.
pub(super) fn tagged(minor: u16) -> String {
    format!(
        "{}.vector_init().vector_intra_slice_tag(TagMode::Zero)",
        collected(minor, "main", "f")
    )
}

fn narrowed(minor: u16) -> String {
    format!(
        "{}.vector_narrow_split::<m![N, K / 8, K % 8 / 4], m![K % 4]>()",
        tagged(minor)
    )
}

/// The expression before the dot, in a release.
pub(super) type Before = fn(u16) -> String;
/// A method with the first and the last minor release that have it at a position.
pub(super) type Row = (&'static str, u16, u16);

/// A position: since which release there is one, the expression, and the methods that it has.
pub(super) struct Position {
    name: &'static str,
    since: u16,
    before: Before,
    methods: &'static [Row],
}

pub(super) const fn position(
    name: &'static str,
    since: u16,
    before: Before,
    methods: &'static [Row],
) -> Position {
    Position {
        name,
        since,
        before,
        methods,
    }
}

/// Streams outside of the Vector Engine. Conversions are those of the stream's type.
const STREAMS: &[Position] = &[
    position(
        "Begin",
        2,
        |minor| {
            let stream = fetched(minor, "main", "b");
            stream
                .split_once(".fetch")
                .map_or_else(String::new, |(begin, _)| begin.to_owned())
        },
        &[("fetch", 2, NEWEST)],
    ),
    position(
        "Fetch of bf16",
        2,
        |minor| fetched(minor, "main", "b"),
        &[
            ("fetch_chip_lift", 7, NEWEST),
            ("fetch_cluster_lift", 7, NEWEST),
            ("fetch_slice_lift", 7, NEWEST),
            ("fetch_mask", 3, NEWEST),
            ("fetch_cast", 3, NEWEST),
            ("switch", 2, NEWEST),
            ("collect", 2, NEWEST),
        ],
    ),
    position(
        "Fetch of i8",
        2,
        |minor| fetched(minor, "sub", "q"),
        &[
            ("fetch_chip_lift", 7, NEWEST),
            ("fetch_cluster_lift", 7, NEWEST),
            ("fetch_slice_lift", 7, NEWEST),
            ("fetch_mask", 3, NEWEST),
            ("fetch_cast", 3, NEWEST),
            ("fetch_zero_point_sub", 4, NEWEST),
            ("switch", 2, NEWEST),
            ("collect", 2, NEWEST),
        ],
    ),
    position(
        "Fetch of f8e4m3 in the main context",
        2,
        |minor| fetched(minor, "main", "e"),
        &[
            ("fetch_chip_lift", 7, NEWEST),
            ("fetch_cluster_lift", 7, NEWEST),
            ("fetch_slice_lift", 7, NEWEST),
            ("fetch_mask", 3, NEWEST),
            ("fetch_table_lookup", 3, NEWEST),
            ("fetch_cast", 3, NEWEST),
            ("switch", 2, NEWEST),
            ("collect", 2, NEWEST),
        ],
    ),
    position(
        "Fetch of f8e4m3 in the sub context",
        2,
        |minor| fetched(minor, "sub", "e"),
        &[
            ("fetch_chip_lift", 7, NEWEST),
            ("fetch_cluster_lift", 7, NEWEST),
            ("fetch_slice_lift", 7, NEWEST),
            ("fetch_mask", 3, NEWEST),
            ("fetch_table_lookup", 3, 4),
            ("fetch_cast", 3, NEWEST),
            ("switch", 2, NEWEST),
            ("collect", 2, NEWEST),
        ],
    ),
    position(
        "FetchClusterLift",
        7,
        |minor| {
            format!(
                "{}.fetch_cluster_lift::<m![1 # 2], m![N]>()",
                fetched(minor, "main", "e")
            )
        },
        &[
            ("fetch_slice_lift", 7, NEWEST),
            ("fetch_mask", 7, NEWEST),
            ("fetch_table_lookup", 7, NEWEST),
            ("fetch_cast", 7, NEWEST),
            ("switch", 7, NEWEST),
            ("collect", 7, NEWEST),
        ],
    ),
    position(
        "FetchTableLookup",
        3,
        |minor| {
            format!(
                "{}.fetch_table_lookup::<bf16>()",
                fetched(minor, "main", "e")
            )
        },
        &[
            ("fetch_cast", 3, NEWEST),
            ("switch", 3, NEWEST),
            ("collect", 3, NEWEST),
        ],
    ),
    position(
        "FetchCast of i8",
        3,
        |minor| format!("{}.fetch_cast::<i8>()", fetched(minor, "main", "q")),
        &[
            ("fetch_zero_point_sub", 4, NEWEST),
            ("switch", 3, NEWEST),
            ("collect", 3, NEWEST),
        ],
    ),
    position(
        "FetchZeroPointSub",
        4,
        |minor| {
            format!(
                "{}.fetch_zero_point_sub::<i9>(3)",
                fetched(minor, "main", "q")
            )
        },
        &[("switch", 4, NEWEST), ("collect", 4, NEWEST)],
    ),
    position(
        "Switch",
        2,
        |minor| {
            let stream = fetched(minor, "main", "b");
            format!(
                "{stream}.switch::<m![W], m![N]>(SwitchConfig::Transpose {{ slice1: 4, slice0: 64 }})"
            )
        },
        &[("collect", 2, NEWEST)],
    ),
    position(
        "Collect of bf16 in the main context",
        2,
        |minor| collected(minor, "main", "b"),
        &[
            ("contract_outer", 2, NEWEST),
            ("transpose", 2, NEWEST),
            ("to_trf", 2, NEWEST),
            ("to_trf_at", 4, 5),
            ("commit_trim", 3, NEWEST),
            ("commit", 2, 2),
            ("commit_view", 2, 2),
        ],
    ),
    position(
        "Collect of bf16 in the sub context",
        3,
        |minor| collected(minor, "sub", "b"),
        &[
            ("contract_outer", 3, 9),
            ("transpose", 3, NEWEST),
            ("to_trf", 3, NEWEST),
            ("to_trf_at", 4, 5),
            ("commit_trim", 3, NEWEST),
        ],
    ),
    position(
        "Collect of f32",
        2,
        |minor| collected(minor, "main", "f"),
        &[
            ("vector_init", 2, NEWEST),
            ("cast", 2, NEWEST),
            ("transpose", 2, NEWEST),
            ("to_trf", 2, NEWEST),
            ("to_trf_at", 4, 5),
            ("to_vrf", 2, NEWEST),
            ("to_vrf_at", 4, 5),
            ("commit_trim", 3, NEWEST),
            ("commit", 2, 2),
            ("commit_view", 2, 2),
        ],
    ),
    position(
        "ContractOuter",
        2,
        |minor| contracted(minor, 1),
        &[("contract_packet", 2, NEWEST)],
    ),
    position(
        "ContractPacket",
        2,
        |minor| contracted(minor, 2),
        &[("contract_time", 2, NEWEST)],
    ),
    position(
        "ContractTime",
        2,
        |minor| contracted(minor, 3),
        &[("contract_lane", 2, NEWEST)],
    ),
    position(
        "Contraction",
        2,
        |minor| contracted(minor, 4),
        &[
            ("cast", 2, NEWEST),
            ("transpose", 2, NEWEST),
            ("vector_init", 2, NEWEST),
            ("commit_trim", 3, NEWEST),
            ("commit", 2, 2),
            ("commit_view", 2, 2),
        ],
    ),
    position(
        "VectorFinal",
        2,
        |minor| format!("{}.vector_final()", tagged(minor)),
        &[
            ("cast", 2, NEWEST),
            ("transpose", 2, NEWEST),
            ("to_vrf", 2, NEWEST),
            ("to_vrf_at", 4, 5),
            ("commit_trim", 3, NEWEST),
            ("commit", 2, 2),
            ("commit_view", 2, 2),
        ],
    ),
    position(
        "Cast",
        2,
        |minor| {
            format!(
                "{}.cast::<bf16, m![K % 8 # 16]>()",
                collected(minor, "main", "f")
            )
        },
        &[
            ("transpose", 2, NEWEST),
            ("commit_trim", 3, NEWEST),
            ("commit", 2, 2),
            ("commit_view", 2, 2),
        ],
    ),
    position(
        "Transpose",
        2,
        |minor| format!("{}.transpose::<_, _>()", collected(minor, "main", "b")),
        &[
            ("commit_trim", 3, NEWEST),
            ("commit", 2, 2),
            ("commit_view", 2, 2),
        ],
    ),
    position(
        "CommitTrim of f32 in the main context",
        3,
        |minor| {
            format!(
                "{}.commit_trim::<m![K % 8]>()",
                collected(minor, "main", "f")
            )
        },
        &[
            ("commit_cast", 3, NEWEST),
            ("commit_cast_relu", 6, NEWEST),
            ("commit_valid_count_pack", 3, 9),
            ("commit", 3, NEWEST),
            ("commit_at", 4, 5),
            ("commit_view", 3, NEWEST),
        ],
    ),
    position(
        "CommitTrim of f32 in the sub context",
        3,
        |minor| {
            format!(
                "{}.commit_trim::<m![K % 8]>()",
                collected(minor, "sub", "f")
            )
        },
        &[
            ("commit_cast", 3, 9),
            ("commit_cast_relu", 6, 9),
            ("commit_valid_count_pack", 3, NEWEST),
            ("commit", 3, NEWEST),
            ("commit_at", 4, 5),
            ("commit_view", 3, NEWEST),
        ],
    ),
    position(
        "CommitCast",
        6,
        |minor| {
            let stream = collected(minor, "main", "f");
            format!("{stream}.commit_trim::<m![K % 8]>().commit_cast::<bf16>()")
        },
        &[("commit", 6, NEWEST), ("commit_view", 6, NEWEST)],
    ),
];

/// Inside of the Vector Engine, on `f32`.
const VECTOR: &[Position] = &[
    position(
        "VectorInit",
        2,
        |minor| format!("{}.vector_init()", collected(minor, "main", "f")),
        &[
            ("vector_intra_slice_tag", 2, NEWEST),
            ("vector_intra_slice_unzip", 2, NEWEST),
            ("vector_inter_slice_reduce", 2, NEWEST),
        ],
    ),
    position(
        "Tag",
        2,
        tagged,
        &[
            ("vector_logic", 2, NEWEST),
            ("vector_logic_with_mode", 2, NEWEST),
            ("vector_narrow_split", 2, NEWEST),
            ("vector_fp_to_fxp", 2, NEWEST),
            ("vector_clip", 2, NEWEST),
            ("vector_clip_with_mode", 2, NEWEST),
            ("vector_inter_slice_reduce", 2, NEWEST),
            ("vector_filter", 2, NEWEST),
            ("vector_stash", 2, NEWEST),
            ("vector_reinterpret", 6, NEWEST),
            ("vector_final", 2, NEWEST),
        ],
    ),
    position(
        "Narrow",
        2,
        narrowed,
        &[
            ("vector_fp_unary", 2, NEWEST),
            ("vector_fp_binary", 2, NEWEST),
            ("vector_fp_binary_with_mode", 2, NEWEST),
            ("vector_fp_ternary", 2, NEWEST),
            ("vector_fp_ternary_with_mode", 2, NEWEST),
            ("vector_intra_slice_reduce", 2, NEWEST),
            ("vector_fp_div", 2, NEWEST),
            ("vector_fp_div_with_mode", 2, NEWEST),
            ("vector_widen_concat", 2, NEWEST),
            ("vector_widen_pad", 2, NEWEST),
            ("vector_stash", 2, NEWEST),
            ("vector_reinterpret", 6, NEWEST),
        ],
    ),
    position(
        "Narrow with a stash, as i32",
        6,
        |minor| {
            format!(
                "{}.vector_stash().vector_reinterpret::<i32>()",
                narrowed(minor)
            )
        },
        &[
            // No float operation takes an integer.
            ("vector_intra_slice_reduce", 6, NEWEST),
            ("vector_widen_concat", 6, NEWEST),
            ("vector_widen_pad", 6, NEWEST),
            ("vector_reinterpret", 6, NEWEST),
        ],
    ),
    position(
        "Clip behind another type",
        6,
        |minor| format!("{}.vector_reinterpret::<i32>()", tagged(minor)),
        &[
            ("vector_logic", 6, NEWEST),
            ("vector_logic_with_mode", 6, NEWEST),
            ("vector_fxp", 6, NEWEST),
            ("vector_fxp_with_mode", 6, NEWEST),
            ("vector_fxp_to_fp", 6, NEWEST),
            ("vector_narrow_split", 6, NEWEST),
            ("vector_clip", 6, NEWEST),
            ("vector_clip_with_mode", 6, NEWEST),
            ("vector_inter_slice_reduce", 6, NEWEST),
            ("vector_filter", 6, NEWEST),
            // The stash keeps the type that it is written with: the stream's may have changed.
            ("vector_stash", 6, NEWEST),
            ("vector_reinterpret", 6, NEWEST),
            ("vector_final", 6, NEWEST),
        ],
    ),
];

pub(super) fn check(positions: &[Position]) {
    let mut problems = Vec::new();
    for minor in RELEASES {
        for position in positions.iter().filter(|position| position.since <= minor) {
            let text = function(minor, &format!("{}.$0", (position.before)(minor)));
            let mut found: Vec<String> = proposals(minor, &text)
                .into_iter()
                .map(|found| found.label)
                .collect();
            found.sort();
            let rows = position.methods.iter();
            let mut wanted: Vec<&str> = rows
                .filter(|(_, since, until)| (*since..=*until).contains(&minor))
                .map(|(name, ..)| *name)
                .collect();
            wanted.sort_unstable();
            if found != wanted {
                let only = |one: &[&str], other: &[&str]| -> Vec<String> {
                    let rest = one.iter().filter(|name| !other.contains(name));
                    rest.map(|name| (*name).to_owned()).collect()
                };
                let found: Vec<&str> = found.iter().map(String::as_str).collect();
                problems.push(format!(
                    "{} in 0.{minor}: missing {:?}, too many {:?}",
                    position.name,
                    only(&wanted, &found),
                    only(&found, &wanted)
                ));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn streams_have_the_methods_of_each_release_in_their_context() {
    check(STREAMS);
}

#[test]
fn the_vector_engine_has_the_methods_of_each_release() {
    check(VECTOR);
}
