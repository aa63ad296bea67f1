//! Methods of the book's library on tensors, contexts and streams: receiver, turbofish order, arguments, what they do. Those
//! inside of the Vector Engine are in [`super::vector`].

use crate::kernel::catalogue::{CanonicalStage, Generic, Role};
use crate::kernel::dialect::rows::{arg, once};
use crate::kernel::dialect::{
    Access, Accessor, Action, Argument, Method, Receiver, Releases, StageUse,
};
use crate::kernel::{Level, Position, Tier};

use super::RELEASE;

use Access::{Exclusive, Owned, Shared};
use CanonicalStage as S;
use Generic::{Axis, Constant, Index, Inferred};

const ELEMENT: Generic = Generic::Level(Level::Element);
const CHIP: Generic = Generic::Level(Level::Chip);
const CLUSTER: Generic = Generic::Level(Level::Cluster);
pub(super) const SLICE: Generic = Generic::Level(Level::Slice);
const ROW: Generic = Generic::Level(Level::Row);
pub(super) const TIME: Generic = Generic::Level(Level::Time);
pub(super) const PACKET: Generic = Generic::Level(Level::Packet);
const SCALAR: Generic = Generic::Scalar;

const OWNED: &[Access] = &[Owned];
const SHARED: &[Access] = &[Shared];
const EXCLUSIVE: &[Access] = &[Exclusive];
const VIEWS: &[Access] = &[Shared, Exclusive];
const ANY: &[Access] = &[Owned, Shared, Exclusive];

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
const ADDRESS: Argument = arg(Role::Address, "address", "Address")
    .meaning("The first byte of the result, in its slice or chip.");
const START: Argument = arg(Role::Start, "start", "usize")
    .meaning("The first value, in units of the index.")
    .usual("0");
const DM_TARGET: Argument =
    arg(Role::Target, "target", "DmTensorViewMut").meaning("What is written.");
const HBM_TARGET: Argument =
    arg(Role::Target, "target", "HbmTensorViewMut").meaning("What is written.");
const VIEW: Argument = arg(Role::Source, "tensor", "DmTensorView").meaning("What is read.");
const HBM_SOURCE: Argument = arg(Role::Source, "tensor", "&HbmTensor").meaning("What is read.");
const PATTERN: Argument =
    arg(Role::Pattern, "pattern", "&[usize]").meaning("For each target the number of its source.");
const INDICES: Argument = arg(Role::Indices, "indices", "&HbmTensor<i32>").meaning("The rows.");

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
        releases: Some(Releases::since(RELEASE)),
        without_body: false,
    }
}

const fn on_tensor(
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

const SHUFFLE: &[Generic] = &[Inferred, Constant, Inferred, Inferred, Inferred, Inferred];
const HBM_SHUFFLE: &[Generic] = &[Inferred, Inferred, Inferred];
const PARALLEL_COPY: &[Generic] = &[
    Constant, Index, Index, ELEMENT, Inferred, Inferred, Inferred, Inferred, Inferred,
];
const BEGIN: &[Generic] = &[Inferred, Inferred, Inferred, Inferred, Inferred];
const BEGIN_INTERLEAVED: &[Generic] = &[Axis, Inferred, Inferred, Inferred, Inferred, Inferred];

pub(super) const METHODS: &[Method] = &[
    // The host.
    on_tensor(
        (Tier::Host, OWNED),
        "to_hbm",
        &[CHIP, ELEMENT],
        &[PDMA, ADDRESS],
        Action::Transfer(Tier::Hbm),
    ),
    on_tensor(
        (Tier::Host, OWNED),
        "to_buf",
        &[],
        &[],
        Action::Accessor(Accessor::Other),
    ),
    on_tensor(
        (Tier::Host, OWNED),
        "into_inner",
        &[],
        &[],
        Action::Accessor(Accessor::Other),
    ),
    on_tensor((Tier::Host, OWNED), "clone", &[], &[], Action::Same),
    // HBM.
    on_tensor(
        (Tier::Hbm, OWNED),
        "to_host",
        &[ELEMENT],
        &[PDMA],
        Action::Transfer(Tier::Host),
    ),
    on_tensor(
        (Tier::Hbm, ANY),
        "address",
        &[],
        &[],
        Action::Accessor(Accessor::Address),
    ),
    on_tensor((Tier::Hbm, OWNED), "view", &[], &[], Action::View(Shared)),
    on_tensor(
        (Tier::Hbm, OWNED),
        "view_mut",
        &[],
        &[],
        Action::View(Exclusive),
    ),
    on_tensor(
        (Tier::Hbm, ANY),
        "to_dm",
        &[CLUSTER, SLICE, ELEMENT],
        &[TDMA, ADDRESS],
        Action::Transfer(Tier::Dm),
    ),
    on_tensor(
        (Tier::Hbm, OWNED),
        "to_hbm",
        &[Constant, ELEMENT],
        &[ANY_DMA, ADDRESS],
        Action::Transfer(Tier::Hbm),
    ),
    on_tensor(
        (Tier::Hbm, OWNED),
        "dma_gather",
        &[CLUSTER, SLICE, ELEMENT, Inferred],
        &[INDICES, ADDRESS],
        Action::Gather,
    )
    .without_body(),
    on_tensor(
        (Tier::Hbm, VIEWS),
        "tile",
        &[Index, Constant, ELEMENT],
        &[START],
        Action::Tile(Level::Element),
    ),
    on_tensor(
        (Tier::Hbm, ANY),
        "to_dm_view",
        &[Inferred, Inferred, Inferred],
        &[TDMA, DM_TARGET],
        Action::TransferInto,
    ),
    on_tensor(
        (Tier::Hbm, ANY),
        "to_hbm_view",
        &[Constant, Inferred],
        &[ANY_DMA, HBM_TARGET],
        Action::TransferInto,
    ),
    on_tensor((Tier::Hbm, SHARED), "clone", &[], &[], Action::Same),
    on_tensor((Tier::Hbm, EXCLUSIVE), "into", &[], &[], Action::Same),
    // DM.
    on_tensor(
        (Tier::Dm, ANY),
        "address",
        &[],
        &[],
        Action::Accessor(Accessor::Address),
    ),
    on_tensor((Tier::Dm, OWNED), "view", &[], &[], Action::View(Shared)),
    on_tensor(
        (Tier::Dm, OWNED),
        "view_mut",
        &[],
        &[],
        Action::View(Exclusive),
    ),
    on_tensor(
        (Tier::Dm, OWNED),
        "to_hbm",
        &[ELEMENT],
        &[TDMA, ADDRESS],
        Action::Transfer(Tier::Hbm),
    ),
    on_tensor(
        (Tier::Dm, OWNED),
        "to_dm",
        &[SLICE, ELEMENT],
        &[TDMA, ADDRESS],
        Action::Transfer(Tier::Dm),
    ),
    on_tensor(
        (Tier::Dm, ANY),
        "to_dm_pcopy",
        &[Inferred, Inferred],
        &[
            SUB,
            arg(Role::Target, "target", "&mut DmTensor").meaning("What is written."),
        ],
        Action::TransferInto,
    ),
    on_tensor(
        (Tier::Dm, OWNED),
        "dma_scatter",
        &[Index, Inferred, Inferred],
        &[
            INDICES,
            arg(Role::Target, "target", "&mut HbmTensor").meaning("What is written."),
            arg(Role::Scaled, "scaled", "bool")
                .meaning("Whether indices are byte offsets.")
                .usual("false"),
        ],
        Action::Scatter,
    ),
    on_tensor(
        (Tier::Dm, OWNED),
        "reshape",
        &[CHIP, CLUSTER, SLICE, ELEMENT],
        &[],
        Action::Reshape,
    ),
    on_tensor(
        (Tier::Dm, VIEWS),
        "tile",
        &[Index, Constant, ELEMENT],
        &[START],
        Action::Tile(Level::Element),
    ),
    on_tensor(
        (Tier::Dm, VIEWS),
        "slice_tile",
        &[Index, Constant, SLICE],
        &[START],
        Action::Tile(Level::Slice),
    ),
    on_tensor(
        (Tier::Dm, VIEWS),
        "cluster_tile",
        &[Index, Constant, CLUSTER],
        &[START],
        Action::Tile(Level::Cluster),
    ),
    on_tensor(
        (Tier::Dm, VIEWS),
        "chip_tile",
        &[Index, Constant, CHIP],
        &[START],
        Action::Tile(Level::Chip),
    ),
    on_tensor(
        (Tier::Dm, VIEWS),
        "to_hbm_view",
        &[Inferred],
        &[TDMA, HBM_TARGET],
        Action::TransferInto,
    ),
    on_tensor(
        (Tier::Dm, VIEWS),
        "to_dm_view",
        &[Inferred, Inferred],
        &[TDMA, DM_TARGET],
        Action::TransferInto,
    ),
    on_tensor(
        (Tier::Dm, VIEWS),
        "to_dm_view_pcopy",
        &[Inferred, Inferred],
        &[SUB, DM_TARGET],
        Action::TransferInto,
    ),
    on_tensor((Tier::Dm, SHARED), "clone", &[], &[], Action::Same),
    on_tensor((Tier::Dm, EXCLUSIVE), "into", &[], &[], Action::Same),
    // Register files.
    on_tensor((Tier::Trf, OWNED), "view", &[], &[], Action::View(Shared)),
    on_tensor(
        (Tier::Trf, OWNED),
        "view_mut",
        &[],
        &[],
        Action::View(Exclusive),
    ),
    on_tensor((Tier::Vrf, OWNED), "view", &[], &[], Action::View(Shared)),
    on_tensor(
        (Tier::Vrf, OWNED),
        "view_mut",
        &[],
        &[],
        Action::View(Exclusive),
    ),
    on_tensor((Tier::Vrf, OWNED), "clone", &[], &[], Action::Same),
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
        &[
            arg(Role::Source, "first", "DmTensorView").meaning("Index 0 of the axis."),
            arg(Role::Source, "second", "DmTensorView").meaning("Index 1 of the axis."),
        ],
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
    stage(
        "to_trf",
        &[ROW, ELEMENT],
        &[arg(Role::Address, "region", "TrfAddress").usual("TrfAddress::Full")],
        &[once(S::ToTrf)],
    ),
    stage(
        "to_vrf",
        &[ELEMENT],
        &[arg(Role::Address, "address", "Address")],
        &[once(S::ToVrf)],
    ),
    stage(
        "commit",
        &[ELEMENT],
        &[arg(Role::Address, "address", "Address")],
        &[once(S::Commit)],
    ),
    stage(
        "commit_view",
        &[Inferred],
        &[arg(Role::Target, "target", "DmTensorViewMut")],
        &[once(S::CommitView)],
    ),
    stage("vector_init", &[], &[], &[once(S::VectorInit)]),
];
