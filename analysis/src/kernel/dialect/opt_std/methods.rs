//! Methods of the current library on tensors, contexts and streams: receiver, turbofish order, arguments, what they do, and
//! the releases that have them. Those inside of the Vector Engine are in [`super::vector`].

use crate::kernel::catalogue::{CanonicalStage, Generic, Role};
use crate::kernel::dialect::rows::{arg, once};
use crate::kernel::dialect::{
    Access, Accessor, Action, Argument, Method, PlanKind, PlanStep, Receiver, Releases, StageUse,
};
use crate::kernel::{Context, Level, Position, Tier};

use super::{R2, R3, R4, R5, R6, R7, R8, R9, R10};

use Access::{Exclusive, Owned, Shared};
use CanonicalStage as S;
use Generic::{Axis, Constant, Index, Inferred};

const ELEMENT: Generic = Generic::Level(Level::Element);
const CHIP: Generic = Generic::Level(Level::Chip);
const CLUSTER: Generic = Generic::Level(Level::Cluster);
pub(super) const SLICE: Generic = Generic::Level(Level::Slice);
const PE: Generic = Generic::Level(Level::Pe);
const ROW: Generic = Generic::Level(Level::Row);
pub(super) const TIME: Generic = Generic::Level(Level::Time);
pub(super) const PACKET: Generic = Generic::Level(Level::Packet);
pub(super) const SCALAR: Generic = Generic::Scalar;

const OWNED: &[Access] = &[Owned];
const SHARED: &[Access] = &[Shared];
const EXCLUSIVE: &[Access] = &[Exclusive];
const VIEWS: &[Access] = &[Shared, Exclusive];
const ANY: &[Access] = &[Owned, Shared, Exclusive];

const HOST: Tier = Tier::Host;
const HBM: Tier = Tier::Hbm;
const DM: Tier = Tier::Dm;

const TDMA: Argument = arg(Role::Context, "dma", "&mut DmaContext")
    .meaning("The tensor DMA.")
    .usual("&mut device.tdma");
const PDMA: Argument = arg(Role::Context, "dma", "&mut DmaContext")
    .meaning("The PCIe DMA.")
    .usual("&mut device.pdma");
const ANY_DMA: Argument = arg(Role::Context, "dma", "&mut DmaContext")
    .meaning("The tensor DMA or the PCIe DMA.")
    .usual("&mut device.tdma");
const SUB: Argument = arg(Role::Context, "sub", "&mut TuContext")
    .meaning("The sub context.")
    .usual("&mut device.sub");
const ADDRESS: Argument = arg(Role::Address, "address", "Address")
    .meaning("The first byte of the result, in its slice or chip.");
const REGION: Argument = arg(Role::Address, "region", "TrfAddress").usual("TrfAddress::Full");
const START: Argument = arg(Role::Start, "start", "usize")
    .meaning("The first value, in units of the index.")
    .usual("0");
const DM_TARGET: Argument =
    arg(Role::Target, "target", "DmTensorViewMut").meaning("What is written.");
const HBM_TARGET: Argument =
    arg(Role::Target, "target", "HbmTensorViewMut").meaning("What is written.");
const HBM_OWNED: Argument =
    arg(Role::Target, "target", "&mut HbmTensor").meaning("What is written.");
const VIEW: Argument = arg(Role::Source, "tensor", "DmTensorView").meaning("What is read.");
const PATTERN: Argument =
    arg(Role::Pattern, "pattern", "&[usize]").meaning("For each target the number of its source.");
const CHOSEN: Argument = arg(Role::Pattern, "indices", "&[usize]")
    .meaning("For each part of the level the value of the axis that it takes.");
const INDICES: Argument = arg(Role::Indices, "indices", "&HbmTensor<i32>").meaning("The rows.");
const SPM_INDICES: Argument = arg(Role::Indices, "indices", "&SpmTensor<i32>").meaning("The rows.");
const DM_INDICES: Argument = arg(Role::Indices, "indices", "&DmTensor<i32>").meaning("The rows.");
const SCALED: Argument = arg(Role::Scaled, "scaled", "bool")
    .meaning("Whether indices are byte offsets.")
    .usual("false");

const fn on(
    receiver: Receiver,
    name: &'static str,
    generics: &'static [Generic],
    arguments: &'static [Argument],
    action: Action,
) -> Method {
    Method {
        name,
        receiver,
        generics,
        arguments,
        action,
        offered_at: None,
        only_in: None,
        releases: Some(Releases::since(R2)),
        without_body: false,
    }
}

const fn of(
    (tier, access): (Tier, &'static [Access]),
    name: &'static str,
    generics: &'static [Generic],
    arguments: &'static [Argument],
    action: Action,
) -> Method {
    on(
        Receiver::Tensor(tier, access),
        name,
        generics,
        arguments,
        action,
    )
}

const fn says((tier, access): (Tier, &'static [Access]), name: &'static str) -> Method {
    of(
        (tier, access),
        name,
        &[],
        &[],
        Action::Accessor(Accessor::Other),
    )
}

const fn stage(
    name: &'static str,
    generics: &'static [Generic],
    arguments: &'static [Argument],
    stages: &'static [StageUse],
) -> Method {
    on(
        Receiver::Stream,
        name,
        generics,
        arguments,
        Action::Stages(stages),
    )
}

const fn tile(
    (tier, access): (Tier, &'static [Access]),
    name: &'static str,
    level: Level,
    generics: &'static [Generic],
) -> Method {
    of(
        (tier, access),
        name,
        generics,
        &[START],
        Action::Tile(level),
    )
}

/// Tensors and views: what makes views, cuts them, or says something of them.
pub(super) const MEMORY: &[Method] = &[
    says((HOST, OWNED), "to_buf").until(R4),
    says((HOST, OWNED), "into_vec").since(R5),
    says((HOST, OWNED), "into_buffer").since(R5),
    says((HOST, OWNED), "into_inner"),
    of((HOST, OWNED), "clone", &[], &[], Action::Same),
    of(
        (HBM, ANY),
        "address",
        &[],
        &[],
        Action::Accessor(Accessor::Address),
    )
    .until(R5),
    says((HBM, OWNED), "into_buffer").since(R10),
    says((HBM, OWNED), "ready").since(R8),
    says((HBM, OWNED), "size").since(R6),
    of((HBM, OWNED), "view", &[], &[], Action::View(Shared)),
    of((HBM, OWNED), "view_mut", &[], &[], Action::View(Exclusive)),
    of(
        (HBM, ANY),
        "reshape",
        &[CHIP, ELEMENT],
        &[],
        Action::Reshape,
    )
    .since(R4),
    tile(
        (HBM, VIEWS),
        "tile",
        Level::Element,
        &[Index, Constant, ELEMENT],
    ),
    tile(
        (HBM, VIEWS),
        "chip_tile",
        Level::Chip,
        &[Index, Constant, CHIP],
    )
    .since(R4),
    of((HBM, SHARED), "pad", &[ELEMENT], &[], Action::Resize).since(R6),
    of((HBM, SHARED), "clone", &[], &[], Action::Same),
    of((HBM, EXCLUSIVE), "into", &[], &[], Action::Same),
    of(
        (DM, ANY),
        "address",
        &[],
        &[],
        Action::Accessor(Accessor::Address),
    )
    .until(R4),
    of((DM, OWNED), "view", &[], &[], Action::View(Shared)),
    of((DM, OWNED), "view_mut", &[], &[], Action::View(Exclusive)),
    of(
        (DM, ANY),
        "reshape",
        &[CHIP, CLUSTER, SLICE, ELEMENT],
        &[],
        Action::Reshape,
    ),
    tile(
        (DM, VIEWS),
        "tile",
        Level::Element,
        &[Index, Constant, ELEMENT],
    ),
    tile(
        (DM, SHARED),
        "slice_tile",
        Level::Slice,
        &[Index, Constant, SLICE],
    ),
    tile(
        (DM, EXCLUSIVE),
        "slice_tile",
        Level::Slice,
        &[Index, Constant, SLICE],
    )
    .since(R8),
    tile(
        (DM, VIEWS),
        "cluster_tile",
        Level::Cluster,
        &[Index, Constant, CLUSTER],
    )
    .since(R4),
    tile(
        (DM, VIEWS),
        "chip_tile",
        Level::Chip,
        &[Index, Constant, CHIP],
    )
    .since(R4),
    of((DM, SHARED), "pad", &[ELEMENT], &[], Action::Resize).since(R6),
    of((DM, SHARED), "unpad", &[ELEMENT], &[], Action::Resize).since(R6),
    of((DM, SHARED), "clone", &[], &[], Action::Same),
    of((DM, EXCLUSIVE), "into", &[], &[], Action::Same),
    of(
        (DM, EXCLUSIVE),
        "memset",
        &[],
        &[
            arg(Role::Value, "value", "D").meaning("What each element becomes: a constant."),
            SUB,
        ],
        Action::Fill,
    )
    .since(R5),
    of((Tier::Trf, OWNED), "view", &[], &[], Action::View(Shared)),
    of(
        (Tier::Trf, OWNED),
        "view_mut",
        &[],
        &[],
        Action::View(Exclusive),
    ),
    of((Tier::Vrf, OWNED), "view", &[], &[], Action::View(Shared)),
    of(
        (Tier::Vrf, OWNED),
        "view_mut",
        &[],
        &[],
        Action::View(Exclusive),
    ),
    of((Tier::Vrf, OWNED), "clone", &[], &[], Action::Same),
    of(
        (Tier::Vrf, OWNED),
        "reshape",
        &[CHIP, CLUSTER, SLICE, ELEMENT],
        &[],
        Action::Reshape,
    )
    .since(R7),
];

/// A transfer that makes a tensor of a tier.
const fn makes(
    (tier, access): (Tier, &'static [Access]),
    name: &'static str,
    made: Tier,
    generics: &'static [Generic],
    arguments: &'static [Argument],
) -> Method {
    of(
        (tier, access),
        name,
        generics,
        arguments,
        Action::Transfer(made),
    )
}

/// A transfer into a view.
const fn into(
    (tier, access): (Tier, &'static [Access]),
    name: &'static str,
    generics: &'static [Generic],
    arguments: &'static [Argument],
) -> Method {
    of(
        (tier, access),
        name,
        generics,
        arguments,
        Action::TransferInto,
    )
}

/// Transfers of DMA engines. Until 0.3 each is given the address of what it makes; in 0.4 and 0.5 a twin takes it.
pub(super) const TRANSFERS: &[Method] = &[
    makes(
        (HOST, OWNED),
        "to_hbm",
        HBM,
        &[CHIP, ELEMENT],
        &[PDMA, ADDRESS],
    )
    .until(R3),
    makes((HOST, OWNED), "to_hbm", HBM, &[CHIP, ELEMENT], &[PDMA]).since(R4),
    makes(
        (HOST, OWNED),
        "to_hbm_at",
        HBM,
        &[CHIP, ELEMENT],
        &[PDMA, ADDRESS],
    )
    .since(R4)
    .until(R5),
    makes((HBM, OWNED), "to_host", HOST, &[ELEMENT], &[PDMA]),
    makes(
        (HBM, ANY),
        "to_dm",
        DM,
        &[CLUSTER, SLICE, ELEMENT],
        &[TDMA, ADDRESS],
    )
    .until(R3),
    makes((HBM, ANY), "to_dm", DM, &[CLUSTER, SLICE, ELEMENT], &[TDMA]).since(R4),
    makes(
        (HBM, ANY),
        "to_dm_at",
        DM,
        &[CLUSTER, SLICE, ELEMENT],
        &[TDMA, ADDRESS],
    )
    .since(R4)
    .until(R5),
    makes(
        (HBM, OWNED),
        "to_hbm",
        HBM,
        &[Constant, ELEMENT],
        &[ANY_DMA, ADDRESS],
    )
    .until(R3),
    makes(
        (HBM, OWNED),
        "to_hbm",
        HBM,
        &[Constant, ELEMENT],
        &[ANY_DMA],
    )
    .since(R4),
    makes(
        (HBM, OWNED),
        "to_hbm_at",
        HBM,
        &[Constant, ELEMENT],
        &[ANY_DMA, ADDRESS],
    )
    .since(R4)
    .until(R5),
    makes((DM, OWNED), "to_hbm", HBM, &[ELEMENT], &[TDMA, ADDRESS]).until(R3),
    makes((DM, OWNED), "to_hbm", HBM, &[ELEMENT], &[TDMA]).since(R4),
    makes((DM, OWNED), "to_hbm_at", HBM, &[ELEMENT], &[TDMA, ADDRESS])
        .since(R4)
        .until(R5),
    makes(
        (DM, OWNED),
        "to_dm",
        DM,
        &[SLICE, ELEMENT],
        &[TDMA, ADDRESS],
    )
    .until(R3),
    makes((DM, OWNED), "to_dm", DM, &[SLICE, ELEMENT], &[TDMA])
        .since(R4)
        .until(R7),
    makes(
        (DM, OWNED),
        "to_dm",
        DM,
        &[CHIP, CLUSTER, SLICE, ELEMENT],
        &[TDMA],
    )
    .since(R8),
    makes(
        (DM, OWNED),
        "to_dm_at",
        DM,
        &[SLICE, ELEMENT],
        &[TDMA, ADDRESS],
    )
    .since(R4)
    .until(R5),
    makes((DM, OWNED), "to_dm_pcopy", DM, &[SLICE, ELEMENT], &[SUB])
        .since(R4)
        .until(R6),
    makes((DM, ANY), "to_spm", Tier::Spm, &[PE, ELEMENT], &[TDMA]).since(R9),
    makes((Tier::Spm, OWNED), "to_dm", DM, &[SLICE, ELEMENT], &[TDMA]).since(R9),
    into(
        (HBM, ANY),
        "to_dm_view",
        &[Inferred, Inferred, Inferred],
        &[TDMA, DM_TARGET],
    )
    .until(R3),
    into(
        (HBM, ANY),
        "to_dm_view",
        &[Inferred, Inferred, Inferred, Inferred],
        &[TDMA, DM_TARGET],
    )
    .since(R4),
    into(
        (HBM, ANY),
        "to_hbm_view",
        &[Constant, Inferred],
        &[ANY_DMA, HBM_TARGET],
    )
    .until(R3),
    into(
        (HBM, ANY),
        "to_hbm_view",
        &[Constant, Inferred, Inferred],
        &[ANY_DMA, HBM_TARGET],
    )
    .since(R4)
    .until(R9),
    into(
        (HBM, ANY),
        "to_hbm_view",
        &[Constant, Inferred, Inferred, Inferred],
        &[ANY_DMA, HBM_TARGET],
    )
    .since(R10),
    into((DM, ANY), "to_hbm_view", &[Inferred], &[TDMA, HBM_TARGET]).until(R3),
    into(
        (DM, ANY),
        "to_hbm_view",
        &[Inferred, Inferred],
        &[TDMA, HBM_TARGET],
    )
    .since(R4)
    .until(R9),
    into(
        (DM, ANY),
        "to_hbm_view",
        &[Inferred, Inferred, Inferred],
        &[TDMA, HBM_TARGET],
    )
    .since(R10),
    into(
        (DM, ANY),
        "to_dm_view",
        &[Inferred, Inferred],
        &[TDMA, DM_TARGET],
    )
    .until(R3),
    into(
        (DM, ANY),
        "to_dm_view",
        &[Inferred, Inferred, Inferred, Inferred],
        &[TDMA, DM_TARGET],
    )
    .since(R4),
    into(
        (DM, ANY),
        "to_dm_view_pcopy",
        &[Inferred, Inferred, Inferred, Inferred],
        &[SUB, DM_TARGET],
    )
    .since(R4)
    .until(R6),
];

/// A step of a plan.
const fn plan(
    receiver: Receiver,
    name: &'static str,
    generics: &'static [Generic],
    arguments: &'static [Argument],
    step: PlanStep,
) -> Method {
    on(receiver, name, generics, arguments, Action::Plan(step))
}

const DM_ANY: Receiver = Receiver::Tensor(DM, ANY);
const MOVED: Receiver = Receiver::Plan(PlanKind::Redistribution);
const GATHERED: Receiver = Receiver::Plan(PlanKind::Gather);
const SCATTERED: Receiver = Receiver::Plan(PlanKind::Scatter);
const SHUFFLE: &[Generic] = &[Constant];
const PARALLEL_COPY: &[Generic] = &[
    Constant, Index, Index, ELEMENT, Inferred, Inferred, Inferred, Inferred, Inferred,
];
const PAYLOAD: &[Generic] = &[Index, Index];

/// Shuffles, copies of parts, gathers and scatters.
pub(super) const COLLECTIVES: &[Method] = &[
    of(
        (DM, ANY),
        "dm_cluster_shuffle",
        SHUFFLE,
        &[TDMA, PATTERN],
        Action::Shuffle(Level::Cluster),
    )
    .until(R6),
    of(
        (DM, ANY),
        "dm_cluster_swap",
        &[],
        &[TDMA],
        Action::Shuffle(Level::Cluster),
    )
    .since(R7)
    .until(R7),
    of(
        (DM, ANY),
        "dm_chip_shuffle",
        SHUFFLE,
        &[TDMA, PATTERN],
        Action::Shuffle(Level::Chip),
    )
    .until(R7),
    of(
        (HBM, SHARED),
        "hbm_chip_shuffle",
        &[Constant, Constant],
        &[ANY_DMA, PATTERN],
        Action::Shuffle(Level::Chip),
    )
    .since(R4),
    of(
        (HBM, OWNED),
        "hbm_chip_shuffle",
        &[Constant, Constant],
        &[ANY_DMA, PATTERN],
        Action::Shuffle(Level::Chip),
    )
    .since(R8),
    of(
        (HBM, ANY),
        "hbm_cluster_shuffle",
        &[Constant, Constant],
        &[ANY_DMA, PATTERN],
        Action::Shuffle(Level::Cluster),
    )
    .without_body(),
    on(
        Receiver::TensorUnit,
        "parallel_copy_cluster_slice",
        PARALLEL_COPY,
        &[VIEW, CHOSEN],
        Action::ParallelCopy(Level::Cluster),
    )
    .until(R7),
    on(
        Receiver::TensorUnit,
        "parallel_copy_chip_slice",
        PARALLEL_COPY,
        &[VIEW, CHOSEN],
        Action::ParallelCopy(Level::Chip),
    )
    .until(R7),
    plan(
        DM_ANY,
        "chip_shuffle",
        &[],
        &[PATTERN],
        PlanStep::Shuffle(Level::Chip),
    )
    .since(R8),
    plan(
        MOVED,
        "chip_shuffle",
        &[],
        &[PATTERN],
        PlanStep::Shuffle(Level::Chip),
    )
    .since(R8),
    plan(
        DM_ANY,
        "cluster_swap",
        &[],
        &[],
        PlanStep::Shuffle(Level::Cluster),
    )
    .since(R8),
    plan(
        MOVED,
        "cluster_swap",
        &[],
        &[],
        PlanStep::Shuffle(Level::Cluster),
    )
    .since(R8),
    plan(
        DM_ANY,
        "chip_slice",
        &[Index, ELEMENT],
        &[CHOSEN],
        PlanStep::Slice(Level::Chip),
    )
    .since(R8),
    plan(
        MOVED,
        "chip_slice",
        &[Index, ELEMENT],
        &[CHOSEN],
        PlanStep::Slice(Level::Chip),
    )
    .since(R8),
    plan(
        DM_ANY,
        "cluster_slice",
        &[Index, ELEMENT],
        &[CHOSEN],
        PlanStep::Slice(Level::Cluster),
    )
    .since(R8),
    plan(
        MOVED,
        "cluster_slice",
        &[Index, ELEMENT],
        &[CHOSEN],
        PlanStep::Slice(Level::Cluster),
    )
    .since(R8),
    plan(MOVED, "to_dm", &[ELEMENT], &[TDMA], PlanStep::Make).since(R8),
    plan(
        MOVED,
        "to_dm_view",
        &[Inferred, Inferred],
        &[TDMA, DM_TARGET],
        PlanStep::Write,
    )
    .since(R8),
    of(
        (DM, ANY),
        "asymmetric_chip_slice",
        &[Index, ELEMENT],
        &[SUB, CHOSEN],
        Action::ParallelCopy(Level::Chip),
    )
    .since(R8),
    of(
        (DM, ANY),
        "asymmetric_cluster_slice",
        &[Index, ELEMENT],
        &[SUB, CHOSEN],
        Action::ParallelCopy(Level::Cluster),
    )
    .since(R8),
    of(
        (HBM, ANY),
        "dma_gather",
        &[CLUSTER, SLICE, ELEMENT, Inferred],
        &[INDICES, ADDRESS, SCALED],
        Action::Gather,
    )
    .until(R3),
    of(
        (HBM, ANY),
        "dma_gather_scaled",
        &[CLUSTER, SLICE, ELEMENT, Inferred],
        &[INDICES],
        Action::Gather,
    )
    .since(R4)
    .until(R8),
    of(
        (HBM, ANY),
        "dma_gather_unscaled",
        &[Inferred, Inferred, Inferred, CLUSTER, SLICE, ELEMENT],
        &[DM_INDICES],
        Action::Gather,
    )
    .since(R4)
    .until(R8),
    of(
        (DM, ANY),
        "dma_scatter",
        &[Index, Inferred, Inferred],
        &[INDICES, HBM_OWNED, SCALED],
        Action::Scatter,
    )
    .until(R3),
    of(
        (DM, ANY),
        "dma_scatter",
        &[Index, Inferred, Inferred],
        &[INDICES, HBM_OWNED],
        Action::Scatter,
    )
    .since(R4)
    .until(R8),
    of(
        (DM, ANY),
        "dma_scatter_unscaled",
        &[Index, Inferred, Inferred, Inferred, Inferred],
        &[DM_INDICES, HBM_OWNED],
        Action::Scatter,
    )
    .since(R4)
    .until(R8),
    plan(
        Receiver::Tensor(HBM, ANY),
        "gather",
        PAYLOAD,
        &[],
        PlanStep::Gather,
    )
    .since(R9),
    plan(
        GATHERED,
        "by_byte_offsets",
        &[Index],
        &[INDICES],
        PlanStep::Offsets,
    )
    .since(R9),
    plan(
        GATHERED,
        "by_positions",
        &[Index],
        &[SPM_INDICES],
        PlanStep::Positions,
    )
    .since(R9),
    plan(
        GATHERED,
        "sparse_prefix",
        &[],
        &[arg(Role::Start, "n", "usize").meaning("How many of the indices count.")],
        PlanStep::Prefix,
    )
    .since(R9),
    plan(
        GATHERED,
        "to_dm",
        &[CLUSTER, SLICE, ELEMENT],
        &[TDMA],
        PlanStep::Make,
    )
    .since(R9),
    plan(
        Receiver::Tensor(HBM, EXCLUSIVE),
        "scatter",
        PAYLOAD,
        &[],
        PlanStep::Scatter,
    )
    .since(R9),
    plan(
        SCATTERED,
        "by_byte_offsets",
        &[Index],
        &[INDICES],
        PlanStep::Offsets,
    )
    .since(R9),
    plan(
        SCATTERED,
        "by_positions",
        &[Index],
        &[SPM_INDICES],
        PlanStep::Positions,
    )
    .since(R9),
    plan(
        SCATTERED,
        "from_dm",
        &[],
        &[
            TDMA,
            arg(Role::Source, "updates", "DmTensor").meaning("What is written."),
        ],
        PlanStep::Write,
    )
    .since(R9),
    plan(
        SCATTERED,
        "from_dm_view",
        &[],
        &[TDMA, VIEW],
        PlanStep::Write,
    )
    .since(R9),
];

const BEGIN: &[Generic] = &[Inferred, Inferred, Inferred, Inferred, Inferred];
const BEGIN_INTERLEAVED: &[Generic] = &[Axis, Inferred, Inferred, Inferred, Inferred, Inferred];
const LANE_MODE: Argument =
    arg(Role::Configuration, "mode", "LaneMode").usual("LaneMode::Interleaved");
/// Where 0.2 offers a commit: not on what is fetched or switched.
const COLLECTED: &[Position] = &[
    Position::Collect,
    Position::Accumulate,
    Position::VectorFinal,
    Position::Cast,
    Position::Transpose,
];
/// Where a commit is offered since there is a trim.
const TRIMMED: &[Position] = &[
    Position::CommitTrim,
    Position::CommitCast,
    Position::CommitPack,
];

/// Streams.
pub(super) const STREAMS: &[Method] = &[
    on(Receiver::TensorUnit, "begin", BEGIN, &[VIEW], Action::Begin),
    on(
        Receiver::TensorUnit,
        "begin_interleaved",
        BEGIN_INTERLEAVED,
        &[
            arg(Role::Source, "first", "DmTensorView").meaning("Index 0 of the axis."),
            arg(Role::Source, "second", "DmTensorView").meaning("Index 1 of the axis."),
        ],
        Action::BeginInterleaved,
    ),
    stage("fetch", &[SCALAR, TIME, PACKET], &[], &[once(S::Fetch)]).until(R2),
    stage("fetch", &[TIME, PACKET], &[], &[once(S::Fetch)]).since(R3),
    stage(
        "fetch_chip_lift",
        &[CHIP, TIME],
        &[],
        &[once(S::FetchChipLift)],
    )
    .since(R7),
    stage(
        "fetch_cluster_lift",
        &[CLUSTER, TIME],
        &[],
        &[once(S::FetchClusterLift)],
    )
    .since(R7),
    stage(
        "fetch_slice_lift",
        &[SLICE, TIME],
        &[],
        &[once(S::FetchSliceLift)],
    )
    .since(R7),
    stage("fetch_mask", &[TIME, PACKET], &[], &[once(S::FetchMask)])
        .since(R3)
        .without_body(),
    stage("fetch_table_lookup", &[SCALAR], &[], &[once(S::FetchTable)])
        .since(R3)
        .only_in(Context::Main, R5),
    stage("fetch_cast", &[SCALAR], &[], &[once(S::FetchCast)]).since(R3),
    stage(
        "fetch_zero_point_sub",
        &[SCALAR],
        &[arg(Role::ZeroPoints, "zero_point", "i32")],
        &[once(S::FetchZeroPoint)],
    )
    .since(R4),
    stage(
        "switch",
        &[SLICE, TIME],
        &[arg(Role::Configuration, "config", "SwitchConfig")],
        &[once(S::Switch)],
    ),
    stage("collect", &[TIME, PACKET], &[], &[once(S::Collect)]),
    stage(
        "contract_outer",
        &[TIME, PACKET, ROW, Inferred],
        &[arg(Role::Weights, "weights", "&TrfTensor")],
        &[once(S::Align)],
    )
    .until(R3),
    stage(
        "contract_outer",
        &[TIME, PACKET, ROW, Inferred, Inferred],
        &[arg(Role::Weights, "weights", "&TrfTensor")],
        &[once(S::Align)],
    )
    .since(R4)
    .only_in(Context::Main, R10),
    stage("contract_packet", &[PACKET], &[], &[once(S::Contract)]).only_in(Context::Main, R10),
    stage("contract_time", &[TIME], &[], &[once(S::ContractTime)]).only_in(Context::Main, R10),
    stage(
        "contract_lane",
        &[TIME, PACKET],
        &[LANE_MODE],
        &[once(S::Accumulate)],
    )
    .only_in(Context::Main, R10),
    stage("cast", &[SCALAR, PACKET], &[], &[once(S::Cast)]),
    stage("transpose", &[TIME, PACKET], &[], &[once(S::Transpose)]),
    stage("to_trf", &[ROW, ELEMENT], &[REGION], &[once(S::ToTrf)]).until(R3),
    stage("to_trf", &[ROW, ELEMENT], &[], &[once(S::ToTrf)])
        .since(R4)
        .until(R9),
    stage(
        "to_trf",
        &[ROW, ELEMENT],
        &[SUB.optional()],
        &[once(S::ToTrf)],
    )
    .since(R10),
    stage("to_trf_at", &[ROW, ELEMENT], &[REGION], &[once(S::ToTrf)])
        .since(R4)
        .until(R5),
    stage("to_vrf", &[ELEMENT], &[ADDRESS], &[once(S::ToVrf)]).until(R3),
    stage("to_vrf", &[ELEMENT], &[], &[once(S::ToVrf)])
        .since(R4)
        .until(R6),
    stage("to_vrf", &[ELEMENT], &[SUB.optional()], &[once(S::ToVrf)]).since(R7),
    stage("to_vrf_at", &[ELEMENT], &[ADDRESS], &[once(S::ToVrf)])
        .since(R4)
        .until(R5),
    stage("commit_trim", &[PACKET], &[], &[once(S::CommitTrim)]).since(R3),
    stage(
        "commit_cast",
        &[SCALAR],
        &[arg(Role::Activation, "activation", "Activation")
            .meaning("What is done to the values on the way.")],
        &[once(S::CommitCast)],
    )
    .since(R3)
    .until(R5),
    stage("commit_cast", &[SCALAR], &[], &[once(S::CommitCast)])
        .since(R6)
        .only_in(Context::Main, R10),
    stage(
        "commit_cast_relu",
        &[SCALAR],
        &[],
        &[once(S::CommitCastRelu)],
    )
    .since(R6)
    .only_in(Context::Main, R10),
    stage(
        "commit_valid_count_pack",
        &[],
        &[arg(Role::Configuration, "count", "usize")],
        &[once(S::CommitPack)],
    )
    .since(R3)
    .only_in(Context::Sub, R10)
    .without_body(),
    stage("commit", &[ELEMENT], &[ADDRESS], &[once(S::Commit)])
        .until(R2)
        .offered_at(COLLECTED),
    stage("commit", &[ELEMENT], &[ADDRESS], &[once(S::Commit)])
        .since(R3)
        .until(R3)
        .offered_at(TRIMMED),
    stage("commit", &[ELEMENT], &[], &[once(S::Commit)])
        .since(R4)
        .offered_at(TRIMMED),
    stage("commit_at", &[ELEMENT], &[ADDRESS], &[once(S::Commit)])
        .since(R4)
        .until(R5)
        .offered_at(TRIMMED),
    stage(
        "commit_view",
        &[Inferred],
        &[arg(Role::Target, "target", "DmTensorViewMut")],
        &[once(S::CommitView)],
    )
    .until(R2)
    .offered_at(COLLECTED),
    stage(
        "commit_view",
        &[Inferred],
        &[arg(Role::Target, "target", "DmTensorViewMut")],
        &[once(S::CommitView)],
    )
    .since(R3)
    .until(R7)
    .offered_at(TRIMMED),
    stage(
        "commit_view",
        &[Inferred, Inferred],
        &[arg(Role::Target, "target", "DmTensorViewMut")],
        &[once(S::CommitView)],
    )
    .since(R8)
    .offered_at(TRIMMED),
    stage("vector_init", &[], &[], &[once(S::VectorInit)]),
];
