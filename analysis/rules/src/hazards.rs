//! Rules about what a release takes and what went wrong on the machine: nothing that an engine's limits would say. They warn, for
//! what was seen in one release may be mended in the next.

use crate::derivation::hazards::{Hazard, HazardKind, derive_hazards};
use crate::kernel::Level as Tier;

use super::contexts::CONTEXT_RESTRICTION;
use super::device_language::KERNEL_LANGUAGE;
use super::provenance::CLAIMED_REPLICATION;
use super::sequencer::SEQUENCER_INCOMPATIBLE;
use super::wording::mapping_macro_text;
use super::{Checked, Finding, Level, Rule, rule};

pub(crate) static DUMMY_CLUSTER_PASS: Rule = Rule {
    level: Some(Level::Warn),
    ..rule!(
        "dummy_cluster_pass",
        Silent,
        Memory,
        "derived",
        "a pass over an axis of clusters that the loaded tensor does not have",
        "An axis of clusters that the tensor in the HBM lacks asks for the same data in both clusters. In release 0.6, \
         passes over such a tensor computed garbage in the second cluster, although the load and a run without the \
         hardware give copies. An axis that other loaded tensors have divides work, and is not a dummy. Split an axis of \
         the tensor over the clusters, or write the second cluster as padding (`1 # 2`).";
        holds: Holds::SUCCESSOR.until(6),
    )
};

pub(crate) static PARTIAL_LOAD: Rule = Rule {
    level: Some(Level::Warn),
    ..rule!(
        "partial_load",
        Silent,
        Dma,
        "derived",
        "a load from the HBM into a part of a tensor, after a pass wrote another part",
        "In release 0.6, a tensor in the slices lost data if passes filled one part of it and a load from the HBM \
         another. The load left garbage in the rows of the passes. Load first and let passes write the rest afterwards, \
         or load into a tensor of its own and bring the part over by a pass.";
        holds: Holds::SUCCESSOR.since(4).until(6),
    )
};

pub(crate) static SUB_VECTOR_STORE: Rule = Rule {
    level: Some(Level::Warn),
    ..rule!(
        "sub_vector_store",
        Silent,
        Vector,
        "derived",
        "a pass of the sub context that computes and stores its result to the vector registers",
        "The sub context loads the vector registers. A pass there that runs the Vector Engine first stored wrong values in release 0.6; \
     from 0.8 on kernels use it and are right. Until then commit the result to the data memory, and load it by a pass without \
     a vector stage.";
        holds: Holds::SUCCESSOR.until(6),
    )
};

pub(crate) static CLUSTER_TRANSFER: Rule = Rule {
    level: Some(Level::Deny),
    ..rule!(
        "cluster_transfer",
        Toolchain,
        Dma,
        "derived",
        "a transfer inside of the data memory that changes what the clusters hold",
        "Up to release 0.6 a transfer between two tensors in the slices stays in its cluster. If source and target split \
         different axes over the clusters, the library accepts the kernel and the compiler refuses it. Store to the HBM \
         and load from there, or change the order before the tensor is split.";
        holds: Holds::SUCCESSOR.since(4).until(6),
        refused: Refusal::BY_COMPILER,
    )
};

pub(crate) static TILE_RESHAPE: Rule = Rule {
    level: Some(Level::Deny),
    ..rule!(
        "tile_reshape",
        Toolchain,
        Memory,
        "derived",
        "a change of type of a view that is a tile",
        "The library gives another type to any view whose levels keep their sizes. The compiler of release 0.8 does so for whole tensors \
         alone: a tile has holes, for which the new type has no place. Change the type first and tile the result, or bring the tile \
         into a tensor of its own by a pass.";
        holds: Holds::SUCCESSOR.since(8).until(8),
        refused: Refusal::BY_COMPILER,
    )
};

pub(crate) static UNFINISHED_PASS: Rule = rule!(
    "unfinished_pass",
    Suspicious,
    Collect,
    "derived",
    "a pass that nothing ends",
    "A pass gives its result to a tensor by a commit, or to a register of the contraction or of the Vector Engine. A \
     chain that stops before loses its data. Rust accepts it, since a stream may be dropped, but nothing is stored. \
     End the chain, or leave it out.";
    holds: Holds::SUCCESSOR,
);

/// The family's rules.
pub(super) const RULES: &[&Rule] = &[
    &DUMMY_CLUSTER_PASS,
    &PARTIAL_LOAD,
    &SUB_VECTOR_STORE,
    &CLUSTER_TRANSFER,
    &TILE_RESHAPE,
    &UNFINISHED_PASS,
];

/// Turns the hazards of a body into findings.
pub(super) fn check_hazards(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    let hazards = derive_hazards(checked.body, &checked.derivation().memory);
    findings.extend(
        hazards
            .iter()
            .map(|hazard| to_finding(hazard, checked.body.dialect.release)),
    );
}

fn to_finding(hazard: &Hazard, release: crate::libraries::Release) -> Finding {
    let finding = |rule, message: String| Finding::new(rule, hazard.span, message);
    let related = |finding: Finding, words: &str| match hazard.other {
        Some(other) => finding.related(other, words),
        None => finding,
    };
    match &hazard.kind {
        HazardKind::DummyCluster { cluster } => related(
            finding(
                &DUMMY_CLUSTER_PASS,
                format!(
                    "the pass runs over clusters `{}`, an axis that the loaded tensor lacks; in release {release} the second \
                     cluster was seen to compute garbage",
                    mapping_macro_text(cluster)
                ),
            ),
            "loaded here",
        )
        .help("split an axis of the tensor over the clusters, or write the second one as padding"),
        HazardKind::PartialLoad => related(
            finding(
                &PARTIAL_LOAD,
                format!(
                    "the load writes a part of a tensor whose other part a pass has written; in release {release} such loads were \
                     seen to leave garbage there"
                ),
            ),
            "the other part is written here",
        )
        .help("load before the passes write, or load into a tensor of its own"),
        HazardKind::VectorStore => finding(
            &SUB_VECTOR_STORE,
            format!(
                "the sub context computes and stores the result to the vector registers; in release {release} the values were seen \
                 to be wrong"
            ),
        )
        .help("commit the result, and load the registers by a pass without a vector stage"),
        HazardKind::ClusterTransfer { source, target } => finding(
            &CLUSTER_TRANSFER,
            format!(
                "the source has `{}` in its clusters, the target `{}`; release {release} transfers nothing between clusters",
                mapping_macro_text(source),
                mapping_macro_text(target)
            ),
        )
        .help("store to the HBM and load from there"),
        HazardKind::PartOfRows {
            axis,
            part,
            row,
            largest,
        } => {
            let message = format!(
                "the load takes {part} of each {row} values of `{axis}`, and {part} does not divide {row}: the compiler of release {release} finds no common split of the axis"
            );
            let finding = related(finding(&SEQUENCER_INCOMPATIBLE, message), "the part")
                .found_by_compiler()
                .help("load whole rows, or a part that divides the row");
            match largest {
                Some(largest) => {
                    finding.note(format!("the largest part below {part} that divides {row} is {largest}"))
                }
                None => finding,
            }
        }
        HazardKind::TileReshape => related(
            finding(
                &TILE_RESHAPE,
                format!("the type of a tile is changed, which the compiler of release {release} refuses"),
            ),
            "the tile",
        )
        .help("change the type of the whole tensor, and tile the result"),
        HazardKind::Unfinished => finding(
            &UNFINISHED_PASS,
            "the pass stops here, and nothing stores its result".to_owned(),
        )
        .help("commit it to a tensor or store it to a register, or leave the pass out"),
        HazardKind::SubContraction => {
            let message = format!(
                "the sub context contracts, which the library of release {release} takes and its compiler refuses"
            );
            finding(&CONTEXT_RESTRICTION, message)
                .found_by_compiler()
                .help("begin this pass on the main context")
        }
        HazardKind::TileWrites { writes } => finding(
            &KERNEL_LANGUAGE,
            format!(
                "the kernel writes {writes} tiles, and the compiler unrolls all of them; it has addresses for about a thousand"
            ),
        )
        .help("write larger tiles, or fewer of them"),
        HazardKind::GatherCopies {
            axis,
            level,
            copies,
        } => related(
            finding(
                &CLAIMED_REPLICATION,
                format!(
                    "the target has `{axis}` ({copies} {}), which neither table nor list has; a gather writes each row once",
                    match level {
                        Tier::Cluster => "clusters",
                        Tier::Slice => "slices",
                        _ => "positions",
                    }
                ),
            ),
            "gathered here",
        )
        .help("write the positions without rows as padding, and make copies by a pass"),
    }
}
