//! Methods of the book's library on tensors, contexts and streams: receiver, turbofish order, arguments, what they do. Those
//! inside of the Vector Engine are in [`super::vector`].

use crate::kernel::catalogue::{CanonicalStage, Generic, Role};
use crate::kernel::dialect::common::arguments::{
    ADDRESS, ANY, BEGIN, BEGIN_INTERLEAVED, BOTH, CHIP, CLUSTER, DM_TARGET, ELEMENT, EXCLUSIVE,
    HBM_OWNED, HBM_TARGET, INDICES, OWNED, PACKET, PARALLEL_COPY, PATTERN, REGION, ROW, SCALAR,
    SCALED, SHARED, SLICE, START, TIME, VIEW, VIEWS,
};
use crate::kernel::dialect::common::rows::{arg, of, on, once, stage};
use crate::kernel::dialect::{Access, Accessor, Action, Argument, Method, Receiver};
use crate::kernel::{Level, Position, Tier};

use Access::{Exclusive, Shared};
use CanonicalStage as S;
use Generic::{Constant, Index, Inferred};

const TDMA: Argument = arg(Role::Context, "dma", "&mut DmaContext")
    .meaning("The tensor DMA.")
    .usual("&mut ctx.tdma");
const PDMA: Argument = arg(Role::Context, "dma", "&mut DmaContext")
    .meaning("The PCIe DMA.")
    .usual("&mut ctx.pdma");
const ANY_DMA: Argument = arg(Role::Context, "dma", "&mut DmaContext")
    .meaning("The tensor DMA or the PCIe DMA.")
    .usual("&mut ctx.tdma");
const SUB: Argument = arg(Role::Context, "unit", "&mut TuContext")
    .meaning("The sub context.")
    .usual("&mut ctx.sub");
const HBM_SOURCE: Argument = arg(Role::Source, "tensor", "&HbmTensor").meaning("What is read.");

const SHUFFLE: &[Generic] = &[Inferred, Constant, Inferred, Inferred, Inferred, Inferred];
const HBM_SHUFFLE: &[Generic] = &[Inferred, Inferred, Inferred];

pub(super) const METHODS: &[Method] = &[
    // The host.
    of(
        (Tier::Host, OWNED),
        "to_hbm",
        &[CHIP, ELEMENT],
        &[PDMA, ADDRESS],
        Action::Transfer(Tier::Hbm),
    ),
    of(
        (Tier::Host, OWNED),
        "to_buf",
        &[],
        &[],
        Action::Accessor(Accessor::Other),
    ),
    of(
        (Tier::Host, OWNED),
        "into_inner",
        &[],
        &[],
        Action::Accessor(Accessor::Other),
    ),
    of((Tier::Host, OWNED), "clone", &[], &[], Action::Same),
    // HBM.
    of(
        (Tier::Hbm, OWNED),
        "to_host",
        &[ELEMENT],
        &[PDMA],
        Action::Transfer(Tier::Host),
    ),
    of(
        (Tier::Hbm, ANY),
        "address",
        &[],
        &[],
        Action::Accessor(Accessor::Address),
    ),
    of((Tier::Hbm, OWNED), "view", &[], &[], Action::View(Shared)),
    of(
        (Tier::Hbm, OWNED),
        "view_mut",
        &[],
        &[],
        Action::View(Exclusive),
    ),
    of(
        (Tier::Hbm, ANY),
        "to_dm",
        &[CLUSTER, SLICE, ELEMENT],
        &[TDMA, ADDRESS],
        Action::Transfer(Tier::Dm),
    ),
    of(
        (Tier::Hbm, OWNED),
        "to_hbm",
        &[Constant, ELEMENT],
        &[ANY_DMA, ADDRESS],
        Action::Transfer(Tier::Hbm),
    ),
    of(
        (Tier::Hbm, OWNED),
        "dma_gather",
        &[CLUSTER, SLICE, ELEMENT, Inferred],
        &[INDICES, ADDRESS],
        Action::Gather,
    )
    .without_body(),
    of(
        (Tier::Hbm, VIEWS),
        "tile",
        &[Index, Constant, ELEMENT],
        &[START],
        Action::Tile(Level::Element),
    ),
    of(
        (Tier::Hbm, ANY),
        "to_dm_view",
        &[Inferred, Inferred, Inferred],
        &[TDMA, DM_TARGET],
        Action::TransferInto,
    ),
    of(
        (Tier::Hbm, ANY),
        "to_hbm_view",
        &[Constant, Inferred],
        &[ANY_DMA, HBM_TARGET],
        Action::TransferInto,
    ),
    of((Tier::Hbm, SHARED), "clone", &[], &[], Action::Same),
    of((Tier::Hbm, EXCLUSIVE), "into", &[], &[], Action::Same),
    // DM.
    of(
        (Tier::Dm, ANY),
        "address",
        &[],
        &[],
        Action::Accessor(Accessor::Address),
    ),
    of((Tier::Dm, OWNED), "view", &[], &[], Action::View(Shared)),
    of(
        (Tier::Dm, OWNED),
        "view_mut",
        &[],
        &[],
        Action::View(Exclusive),
    ),
    of(
        (Tier::Dm, OWNED),
        "to_hbm",
        &[ELEMENT],
        &[TDMA, ADDRESS],
        Action::Transfer(Tier::Hbm),
    ),
    of(
        (Tier::Dm, OWNED),
        "to_dm",
        &[SLICE, ELEMENT],
        &[TDMA, ADDRESS],
        Action::Transfer(Tier::Dm),
    ),
    of(
        (Tier::Dm, ANY),
        "to_dm_pcopy",
        &[Inferred, Inferred],
        &[
            SUB,
            arg(Role::Target, "target", "&mut DmTensor").meaning("What is written."),
        ],
        Action::TransferInto,
    ),
    of(
        (Tier::Dm, OWNED),
        "dma_scatter",
        &[Index, Inferred, Inferred],
        &[INDICES, HBM_OWNED, SCALED],
        Action::Scatter,
    ),
    of(
        (Tier::Dm, OWNED),
        "reshape",
        &[CHIP, CLUSTER, SLICE, ELEMENT],
        &[],
        Action::Reshape,
    ),
    of(
        (Tier::Dm, VIEWS),
        "tile",
        &[Index, Constant, ELEMENT],
        &[START],
        Action::Tile(Level::Element),
    ),
    of(
        (Tier::Dm, VIEWS),
        "slice_tile",
        &[Index, Constant, SLICE],
        &[START],
        Action::Tile(Level::Slice),
    ),
    of(
        (Tier::Dm, VIEWS),
        "cluster_tile",
        &[Index, Constant, CLUSTER],
        &[START],
        Action::Tile(Level::Cluster),
    ),
    of(
        (Tier::Dm, VIEWS),
        "chip_tile",
        &[Index, Constant, CHIP],
        &[START],
        Action::Tile(Level::Chip),
    ),
    of(
        (Tier::Dm, VIEWS),
        "to_hbm_view",
        &[Inferred],
        &[TDMA, HBM_TARGET],
        Action::TransferInto,
    ),
    of(
        (Tier::Dm, VIEWS),
        "to_dm_view",
        &[Inferred, Inferred],
        &[TDMA, DM_TARGET],
        Action::TransferInto,
    ),
    of(
        (Tier::Dm, VIEWS),
        "to_dm_view_pcopy",
        &[Inferred, Inferred],
        &[SUB, DM_TARGET],
        Action::TransferInto,
    ),
    of((Tier::Dm, SHARED), "clone", &[], &[], Action::Same),
    of((Tier::Dm, EXCLUSIVE), "into", &[], &[], Action::Same),
    // Register files.
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
    // Collectives.
    on(
        Receiver::DmaEngine,
        "dm_cluster_shuffle",
        SHUFFLE,
        &[VIEW, PATTERN],
        Action::Shuffle(Level::Cluster),
    ),
    on(
        Receiver::DmaEngine,
        "dm_chip_shuffle",
        SHUFFLE,
        &[VIEW, PATTERN],
        Action::Shuffle(Level::Chip),
    ),
    on(
        Receiver::DmaEngine,
        "hbm_cluster_shuffle",
        HBM_SHUFFLE,
        &[HBM_SOURCE, PATTERN],
        Action::Shuffle(Level::Cluster),
    )
    .without_body(),
    on(
        Receiver::DmaEngine,
        "hbm_chip_shuffle",
        HBM_SHUFFLE,
        &[HBM_SOURCE, PATTERN],
        Action::Shuffle(Level::Chip),
    )
    .without_body(),
    on(
        Receiver::TensorUnit,
        "parallel_copy_cluster_slice",
        PARALLEL_COPY,
        &[VIEW, PATTERN],
        Action::ParallelCopy(Level::Cluster),
    ),
    on(
        Receiver::TensorUnit,
        "parallel_copy_chip_slice",
        PARALLEL_COPY,
        &[VIEW, PATTERN],
        Action::ParallelCopy(Level::Chip),
    ),
    // Streams.
    on(Receiver::TensorUnit, "begin", BEGIN, &[VIEW], Action::Begin),
    on(
        Receiver::TensorUnit,
        "begin_interleaved",
        BEGIN_INTERLEAVED,
        BOTH,
        Action::BeginInterleaved,
    ),
    stage("fetch", &[SCALAR, TIME, PACKET], &[], &[once(S::Fetch)]),
    stage(
        "fetch_with_table",
        &[SCALAR, TIME, PACKET],
        &[arg(Role::Table, "table", "&Table")],
        &[once(S::Fetch)],
    )
    .only_in_the_book(),
    stage(
        "fetch_with_zero_point",
        &[SCALAR, TIME, PACKET],
        &[arg(Role::ZeroPoints, "zero_point", "i32")],
        &[once(S::Fetch)],
    )
    .only_in_the_book(),
    stage(
        "fetch_with_zero_points",
        &[SCALAR, TIME, PACKET],
        &[arg(Role::ZeroPoints, "zero_point", "i32")],
        &[once(S::Fetch)],
    )
    .only_in_the_book(),
    stage(
        "switch",
        &[SLICE, TIME],
        &[arg(Role::Configuration, "config", "SwitchConfig")],
        &[once(S::Switch)],
    ),
    stage("collect", &[TIME, PACKET], &[], &[once(S::Collect)]),
    stage(
        "align",
        &[TIME, PACKET, ROW, Inferred],
        &[arg(Role::Weights, "weights", "&TrfTensor")],
        &[once(S::Align)],
    ),
    stage("contract", &[PACKET], &[], &[once(S::Contract)]),
    // In no release yet: the name that the book's maximum would have.
    stage("contract_max", &[PACKET], &[], &[once(S::ContractMax)]).only_in_the_book(),
    stage(
        "accumulate",
        &[TIME, PACKET],
        &[arg(Role::Configuration, "kind", "AccumulationKind")
            .usual("AccumulationKind::Interleaved")],
        &[once(S::Accumulate)],
    ),
    stage("cast", &[SCALAR, PACKET], &[], &[once(S::Cast)]),
    // The book draws Cast before Transpose; the release transposes only what it collected and what left the Vector Engine.
    stage("transpose", &[TIME, PACKET], &[], &[once(S::Transpose)])
        .offered_at(&[Position::Collect, Position::VectorFinal]),
    stage("to_trf", &[ROW, ELEMENT], &[REGION], &[once(S::ToTrf)]),
    stage("to_vrf", &[ELEMENT], &[ADDRESS], &[once(S::ToVrf)]),
    stage("commit", &[ELEMENT], &[ADDRESS], &[once(S::Commit)]),
    stage(
        "commit_view",
        &[Inferred],
        &[arg(Role::Target, "target", "DmTensorViewMut")],
        &[once(S::CommitView)],
    ),
    stage("vector_init", &[], &[], &[once(S::VectorInit)]),
];
