//! Methods of the book's library on tensors, contexts and streams: receiver, turbofish order, arguments, what they do. Those
//! inside of the Vector Engine are in [`super::vector`].

use crate::catalogue::{CanonicalStage, Generic, Role};
use crate::dialect::common::arguments::{
    ADDRESS, ANY, BEGIN, BEGIN_INTERLEAVED, BOTH, CHIP, CLUSTER, DM_TARGET, ELEMENT, EXCLUSIVE,
    HBM_OWNED, HBM_TARGET, INDICES, OWNED, PACKET, PARALLEL_COPY, PATTERN, REGION, ROW, SCALAR,
    SCALED, SHARED, SLICE, START, TIME, VIEW, VIEWS,
};
use crate::dialect::common::rows::{arg, method_on, stage_once, stream_method, tensor_method};
use crate::dialect::{Access, Accessor, Action, Argument, Method, Receiver};
use crate::{Level, Position, Tier};

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
    tensor_method(
        (Tier::Host, OWNED),
        "to_hbm",
        &[CHIP, ELEMENT],
        &[PDMA, ADDRESS],
        Action::Transfer(Tier::Hbm),
    ),
    tensor_method(
        (Tier::Host, OWNED),
        "to_buf",
        &[],
        &[],
        Action::Accessor(Accessor::Other),
    ),
    tensor_method(
        (Tier::Host, OWNED),
        "into_inner",
        &[],
        &[],
        Action::Accessor(Accessor::Other),
    ),
    tensor_method((Tier::Host, OWNED), "clone", &[], &[], Action::Same),
    // HBM.
    tensor_method(
        (Tier::Hbm, OWNED),
        "to_host",
        &[ELEMENT],
        &[PDMA],
        Action::Transfer(Tier::Host),
    ),
    tensor_method(
        (Tier::Hbm, ANY),
        "address",
        &[],
        &[],
        Action::Accessor(Accessor::Address),
    ),
    tensor_method((Tier::Hbm, OWNED), "view", &[], &[], Action::View(Shared)),
    tensor_method(
        (Tier::Hbm, OWNED),
        "view_mut",
        &[],
        &[],
        Action::View(Exclusive),
    ),
    tensor_method(
        (Tier::Hbm, ANY),
        "to_dm",
        &[CLUSTER, SLICE, ELEMENT],
        &[TDMA, ADDRESS],
        Action::Transfer(Tier::Dm),
    ),
    tensor_method(
        (Tier::Hbm, OWNED),
        "to_hbm",
        &[Constant, ELEMENT],
        &[ANY_DMA, ADDRESS],
        Action::Transfer(Tier::Hbm),
    ),
    tensor_method(
        (Tier::Hbm, OWNED),
        "dma_gather",
        &[CLUSTER, SLICE, ELEMENT, Inferred],
        &[INDICES, ADDRESS],
        Action::Gather,
    )
    .without_body(),
    tensor_method(
        (Tier::Hbm, VIEWS),
        "tile",
        &[Index, Constant, ELEMENT],
        &[START],
        Action::Tile(Level::Element),
    ),
    tensor_method(
        (Tier::Hbm, ANY),
        "to_dm_view",
        &[Inferred, Inferred, Inferred],
        &[TDMA, DM_TARGET],
        Action::TransferInto,
    ),
    tensor_method(
        (Tier::Hbm, ANY),
        "to_hbm_view",
        &[Constant, Inferred],
        &[ANY_DMA, HBM_TARGET],
        Action::TransferInto,
    ),
    tensor_method((Tier::Hbm, SHARED), "clone", &[], &[], Action::Same),
    tensor_method((Tier::Hbm, EXCLUSIVE), "into", &[], &[], Action::Same),
    // DM.
    tensor_method(
        (Tier::Dm, ANY),
        "address",
        &[],
        &[],
        Action::Accessor(Accessor::Address),
    ),
    tensor_method((Tier::Dm, OWNED), "view", &[], &[], Action::View(Shared)),
    tensor_method(
        (Tier::Dm, OWNED),
        "view_mut",
        &[],
        &[],
        Action::View(Exclusive),
    ),
    tensor_method(
        (Tier::Dm, OWNED),
        "to_hbm",
        &[ELEMENT],
        &[TDMA, ADDRESS],
        Action::Transfer(Tier::Hbm),
    ),
    tensor_method(
        (Tier::Dm, OWNED),
        "to_dm",
        &[SLICE, ELEMENT],
        &[TDMA, ADDRESS],
        Action::Transfer(Tier::Dm),
    ),
    tensor_method(
        (Tier::Dm, ANY),
        "to_dm_pcopy",
        &[Inferred, Inferred],
        &[
            SUB,
            arg(Role::Target, "target", "&mut DmTensor").meaning("What is written."),
        ],
        Action::TransferInto,
    ),
    tensor_method(
        (Tier::Dm, OWNED),
        "dma_scatter",
        &[Index, Inferred, Inferred],
        &[INDICES, HBM_OWNED, SCALED],
        Action::Scatter,
    ),
    tensor_method(
        (Tier::Dm, OWNED),
        "reshape",
        &[CHIP, CLUSTER, SLICE, ELEMENT],
        &[],
        Action::Reshape,
    ),
    tensor_method(
        (Tier::Dm, VIEWS),
        "tile",
        &[Index, Constant, ELEMENT],
        &[START],
        Action::Tile(Level::Element),
    ),
    tensor_method(
        (Tier::Dm, VIEWS),
        "slice_tile",
        &[Index, Constant, SLICE],
        &[START],
        Action::Tile(Level::Slice),
    ),
    tensor_method(
        (Tier::Dm, VIEWS),
        "cluster_tile",
        &[Index, Constant, CLUSTER],
        &[START],
        Action::Tile(Level::Cluster),
    ),
    tensor_method(
        (Tier::Dm, VIEWS),
        "chip_tile",
        &[Index, Constant, CHIP],
        &[START],
        Action::Tile(Level::Chip),
    ),
    tensor_method(
        (Tier::Dm, VIEWS),
        "to_hbm_view",
        &[Inferred],
        &[TDMA, HBM_TARGET],
        Action::TransferInto,
    ),
    tensor_method(
        (Tier::Dm, VIEWS),
        "to_dm_view",
        &[Inferred, Inferred],
        &[TDMA, DM_TARGET],
        Action::TransferInto,
    ),
    tensor_method(
        (Tier::Dm, VIEWS),
        "to_dm_view_pcopy",
        &[Inferred, Inferred],
        &[SUB, DM_TARGET],
        Action::TransferInto,
    ),
    tensor_method((Tier::Dm, SHARED), "clone", &[], &[], Action::Same),
    tensor_method((Tier::Dm, EXCLUSIVE), "into", &[], &[], Action::Same),
    // Register files.
    tensor_method((Tier::Trf, OWNED), "view", &[], &[], Action::View(Shared)),
    tensor_method(
        (Tier::Trf, OWNED),
        "view_mut",
        &[],
        &[],
        Action::View(Exclusive),
    ),
    tensor_method((Tier::Vrf, OWNED), "view", &[], &[], Action::View(Shared)),
    tensor_method(
        (Tier::Vrf, OWNED),
        "view_mut",
        &[],
        &[],
        Action::View(Exclusive),
    ),
    tensor_method((Tier::Vrf, OWNED), "clone", &[], &[], Action::Same),
    // Collectives.
    method_on(
        Receiver::DmaEngine,
        "dm_cluster_shuffle",
        SHUFFLE,
        &[VIEW, PATTERN],
        Action::Shuffle(Level::Cluster),
    ),
    method_on(
        Receiver::DmaEngine,
        "dm_chip_shuffle",
        SHUFFLE,
        &[VIEW, PATTERN],
        Action::Shuffle(Level::Chip),
    ),
    method_on(
        Receiver::DmaEngine,
        "hbm_cluster_shuffle",
        HBM_SHUFFLE,
        &[HBM_SOURCE, PATTERN],
        Action::Shuffle(Level::Cluster),
    )
    .without_body(),
    method_on(
        Receiver::DmaEngine,
        "hbm_chip_shuffle",
        HBM_SHUFFLE,
        &[HBM_SOURCE, PATTERN],
        Action::Shuffle(Level::Chip),
    )
    .without_body(),
    method_on(
        Receiver::TensorUnit,
        "parallel_copy_cluster_slice",
        PARALLEL_COPY,
        &[VIEW, PATTERN],
        Action::ParallelCopy(Level::Cluster),
    ),
    method_on(
        Receiver::TensorUnit,
        "parallel_copy_chip_slice",
        PARALLEL_COPY,
        &[VIEW, PATTERN],
        Action::ParallelCopy(Level::Chip),
    ),
    // Streams.
    method_on(Receiver::TensorUnit, "begin", BEGIN, &[VIEW], Action::Begin),
    method_on(
        Receiver::TensorUnit,
        "begin_interleaved",
        BEGIN_INTERLEAVED,
        BOTH,
        Action::BeginInterleaved,
    ),
    stream_method(
        "fetch",
        &[SCALAR, TIME, PACKET],
        &[],
        &[stage_once(S::Fetch)],
    ),
    stream_method(
        "fetch_with_table",
        &[SCALAR, TIME, PACKET],
        &[arg(Role::Table, "table", "&Table")],
        &[stage_once(S::Fetch)],
    )
    .only_in_the_book(),
    stream_method(
        "fetch_with_zero_point",
        &[SCALAR, TIME, PACKET],
        &[arg(Role::ZeroPoints, "zero_point", "i32")],
        &[stage_once(S::Fetch)],
    )
    .only_in_the_book(),
    stream_method(
        "fetch_with_zero_points",
        &[SCALAR, TIME, PACKET],
        &[arg(Role::ZeroPoints, "zero_point", "i32")],
        &[stage_once(S::Fetch)],
    )
    .only_in_the_book(),
    stream_method(
        "switch",
        &[SLICE, TIME],
        &[arg(Role::Configuration, "config", "SwitchConfig")],
        &[stage_once(S::Switch)],
    ),
    stream_method("collect", &[TIME, PACKET], &[], &[stage_once(S::Collect)]),
    stream_method(
        "align",
        &[TIME, PACKET, ROW, Inferred],
        &[arg(Role::Weights, "weights", "&TrfTensor")],
        &[stage_once(S::Align)],
    ),
    stream_method("contract", &[PACKET], &[], &[stage_once(S::Contract)]),
    // In no release yet: the name that the book's maximum would have.
    stream_method(
        "contract_max",
        &[PACKET],
        &[],
        &[stage_once(S::ContractMax)],
    )
    .only_in_the_book(),
    stream_method(
        "accumulate",
        &[TIME, PACKET],
        &[arg(Role::Configuration, "kind", "AccumulationKind")
            .usual("AccumulationKind::Interleaved")],
        &[stage_once(S::Accumulate)],
    ),
    stream_method("cast", &[SCALAR, PACKET], &[], &[stage_once(S::Cast)]),
    // The book draws Cast before Transpose; the release transposes only what it collected and what left the Vector Engine.
    stream_method(
        "transpose",
        &[TIME, PACKET],
        &[],
        &[stage_once(S::Transpose)],
    )
    .offered_at(&[Position::Collect, Position::VectorFinal]),
    stream_method(
        "to_trf",
        &[ROW, ELEMENT],
        &[REGION],
        &[stage_once(S::ToTrf)],
    ),
    stream_method("to_vrf", &[ELEMENT], &[ADDRESS], &[stage_once(S::ToVrf)]),
    stream_method("commit", &[ELEMENT], &[ADDRESS], &[stage_once(S::Commit)]),
    stream_method(
        "commit_view",
        &[Inferred],
        &[arg(Role::Target, "target", "DmTensorViewMut")],
        &[stage_once(S::CommitView)],
    ),
    stream_method("vector_init", &[], &[], &[stage_once(S::VectorInit)]),
];
