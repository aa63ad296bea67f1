//! Methods of the current library on tensors, contexts and streams: receiver, turbofish order, arguments, what they do, and
//! the releases that have them. Those inside of the Vector Engine are in [`super::vector`].

use crate::catalogue::{Generic, Role};
use crate::dialect::common::arguments::{
    ADDRESS, ANY, CHIP, CLUSTER, DM_TARGET, ELEMENT, EXCLUSIVE, HBM_TARGET, OWNED, PE, READ,
    SHARED, SLICE, START, VIEWS,
};
use crate::dialect::common::rows::{arg, method_on, tensor_method};
use crate::dialect::{Access, Accessor, Action, Argument, Method, Receiver};
use crate::{Level, Tier};

use super::{R3, R4, R5, R6, R7, R8, R9, R10};

use Access::{Exclusive, Shared};
use Generic::{Constant, Index, Inferred};

pub(super) const HOST: Tier = Tier::Host;
pub(super) const HBM: Tier = Tier::Hbm;
pub(super) const DM: Tier = Tier::Dm;

pub(super) const TDMA: Argument = arg(Role::Context, "dma", "&mut DmaContext")
    .meaning("The tensor DMA.")
    .usual("&mut device.tdma");
pub(super) const PDMA: Argument = arg(Role::Context, "dma", "&mut DmaContext")
    .meaning("The PCIe DMA.")
    .usual("&mut device.pdma");
pub(super) const ANY_DMA: Argument = arg(Role::Context, "dma", "&mut DmaContext")
    .meaning("The tensor DMA or the PCIe DMA.")
    .usual("&mut device.tdma");
pub(super) const SUB: Argument = arg(Role::Context, "sub", "&mut TuContext")
    .meaning("The sub context.")
    .usual("&mut device.sub");
pub(super) const CHOSEN: Argument = arg(Role::Pattern, "indices", "&[usize]")
    .meaning("For each part of the level the value of the axis that it takes.");
pub(super) const SPM_INDICES: Argument =
    arg(Role::Indices, "indices", "&SpmTensor<i32>").meaning("The rows.");
pub(super) const DM_INDICES: Argument =
    arg(Role::Indices, "indices", "&DmTensor<i32>").meaning("The rows.");

pub(super) const fn other_accessor(
    (tier, access): (Tier, &'static [Access]),
    name: &'static str,
) -> Method {
    tensor_method(
        (tier, access),
        name,
        &[],
        &[],
        Action::Accessor(Accessor::Other),
    )
}

pub(super) const fn tile_method(
    (tier, access): (Tier, &'static [Access]),
    name: &'static str,
    level: Level,
    generics: &'static [Generic],
) -> Method {
    tensor_method(
        (tier, access),
        name,
        generics,
        &[START],
        Action::Tile(level),
    )
}

/// Tensors and views: what makes views, cuts them, or says something of them.
pub(super) const MEMORY: &[Method] = &[
    other_accessor((HOST, OWNED), "to_buf").until(R3),
    other_accessor((HOST, OWNED), "into_vec").since(R4),
    other_accessor((HOST, OWNED), "into_buffer").since(R10),
    other_accessor((HOST, OWNED), "into_inner"),
    tensor_method((HOST, OWNED), "clone", &[], &[], Action::Same),
    tensor_method(
        (HBM, ANY),
        "address",
        &[],
        &[],
        Action::Accessor(Accessor::Address),
    )
    .until(R5),
    other_accessor((HBM, OWNED), "into_buffer").since(R10),
    other_accessor((HBM, OWNED), "ready").since(R10),
    other_accessor((HBM, OWNED), "size"),
    tensor_method((HBM, OWNED), "view", &[], &[], Action::View(Shared)),
    tensor_method((HBM, OWNED), "view_mut", &[], &[], Action::View(Exclusive)),
    tensor_method(
        (HBM, ANY),
        "reshape",
        &[CHIP, ELEMENT],
        &[],
        Action::Reshape,
    )
    .since(R4),
    tile_method(
        (HBM, VIEWS),
        "tile",
        Level::Element,
        &[Index, Constant, ELEMENT],
    ),
    tile_method(
        (HBM, VIEWS),
        "chip_tile",
        Level::Chip,
        &[Index, Constant, CHIP],
    ),
    tensor_method(
        (HBM, SHARED),
        "pad",
        &[ELEMENT],
        &[],
        Action::Resize { widens: true },
    )
    .since(R6),
    tensor_method((HBM, SHARED), "clone", &[], &[], Action::Same),
    tensor_method((HBM, EXCLUSIVE), "into", &[], &[], Action::Same),
    tensor_method(
        (DM, OWNED),
        "address",
        &[],
        &[],
        Action::Accessor(Accessor::Address),
    )
    .since(R4)
    .until(R5),
    tensor_method((DM, OWNED), "view", &[], &[], Action::View(Shared)),
    tensor_method((DM, OWNED), "view_mut", &[], &[], Action::View(Exclusive)),
    tensor_method(
        (DM, OWNED),
        "reshape",
        &[CHIP, CLUSTER, SLICE, ELEMENT],
        &[],
        Action::Reshape,
    ),
    tensor_method(
        (DM, VIEWS),
        "reshape",
        &[CHIP, CLUSTER, SLICE, ELEMENT],
        &[],
        Action::Reshape,
    )
    .since(R4),
    tile_method(
        (DM, VIEWS),
        "tile",
        Level::Element,
        &[Index, Constant, ELEMENT],
    ),
    tile_method(
        (DM, SHARED),
        "slice_tile",
        Level::Slice,
        &[Index, Constant, SLICE],
    ),
    tile_method(
        (DM, EXCLUSIVE),
        "slice_tile",
        Level::Slice,
        &[Index, Constant, SLICE],
    )
    .since(R8),
    tile_method(
        (DM, VIEWS),
        "cluster_tile",
        Level::Cluster,
        &[Index, Constant, CLUSTER],
    ),
    tile_method(
        (DM, VIEWS),
        "chip_tile",
        Level::Chip,
        &[Index, Constant, CHIP],
    ),
    tensor_method(
        (DM, SHARED),
        "pad",
        &[ELEMENT],
        &[],
        Action::Resize { widens: true },
    )
    .since(R6),
    tensor_method(
        (DM, SHARED),
        "unpad",
        &[ELEMENT],
        &[],
        Action::Resize { widens: false },
    )
    .since(R6),
    tensor_method((DM, SHARED), "clone", &[], &[], Action::Same),
    tensor_method((DM, EXCLUSIVE), "into", &[], &[], Action::Same),
    tensor_method(
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
    tensor_method(
        (Tier::Vrf, OWNED),
        "reshape",
        &[CHIP, CLUSTER, SLICE, ELEMENT],
        &[],
        Action::Reshape,
    )
    .since(R7),
];

/// A transfer that makes a tensor of a tier.
pub(super) const fn making_transfer(
    (tier, access): (Tier, &'static [Access]),
    name: &'static str,
    made: Tier,
    generics: &'static [Generic],
    arguments: &'static [Argument],
) -> Method {
    tensor_method(
        (tier, access),
        name,
        generics,
        arguments,
        Action::Transfer(made),
    )
}

/// A transfer into a view.
pub(super) const fn transfer_into_view(
    (tier, access): (Tier, &'static [Access]),
    name: &'static str,
    generics: &'static [Generic],
    arguments: &'static [Argument],
) -> Method {
    tensor_method(
        (tier, access),
        name,
        generics,
        arguments,
        Action::TransferInto,
    )
}

/// Transfers of DMA engines. Until 0.3 each is given the address of what it makes; in 0.4 and 0.5 a twin takes it.
pub(super) const TRANSFERS: &[Method] = &[
    making_transfer(
        (HOST, OWNED),
        "to_hbm",
        HBM,
        &[CHIP, ELEMENT],
        &[PDMA, ADDRESS],
    )
    .until(R3),
    making_transfer((HOST, OWNED), "to_hbm", HBM, &[CHIP, ELEMENT], &[PDMA]).since(R4),
    making_transfer((HBM, OWNED), "to_host", HOST, &[ELEMENT], &[PDMA]),
    making_transfer(
        (HBM, READ),
        "to_dm",
        DM,
        &[CLUSTER, SLICE, ELEMENT],
        &[TDMA, ADDRESS],
    )
    .until(R3),
    making_transfer(
        (HBM, READ),
        "to_dm",
        DM,
        &[CLUSTER, SLICE, ELEMENT],
        &[TDMA],
    )
    .since(R4),
    making_transfer(
        (HBM, READ),
        "to_dm_at",
        DM,
        &[CLUSTER, SLICE, ELEMENT],
        &[TDMA, ADDRESS],
    )
    .since(R4)
    .until(R5),
    making_transfer(
        (HBM, OWNED),
        "to_hbm",
        HBM,
        &[Constant, ELEMENT],
        &[ANY_DMA, ADDRESS],
    )
    .until(R3),
    making_transfer(
        (HBM, OWNED),
        "to_hbm",
        HBM,
        &[Constant, ELEMENT],
        &[ANY_DMA],
    )
    .since(R4),
    making_transfer((DM, OWNED), "to_hbm", HBM, &[ELEMENT], &[TDMA, ADDRESS]).until(R3),
    making_transfer((DM, OWNED), "to_hbm", HBM, &[ELEMENT], &[TDMA]).since(R4),
    making_transfer(
        (DM, OWNED),
        "to_dm",
        DM,
        &[SLICE, ELEMENT],
        &[TDMA, ADDRESS],
    )
    .until(R3),
    making_transfer((DM, OWNED), "to_dm", DM, &[SLICE, ELEMENT], &[TDMA])
        .since(R4)
        .until(R7),
    making_transfer(
        (DM, OWNED),
        "to_dm",
        DM,
        &[CHIP, CLUSTER, SLICE, ELEMENT],
        &[TDMA],
    )
    .since(R8),
    making_transfer(
        (DM, OWNED),
        "to_dm_at",
        DM,
        &[SLICE, ELEMENT],
        &[TDMA, ADDRESS],
    )
    .since(R4)
    .until(R5),
    making_transfer((DM, OWNED), "to_dm_pcopy", DM, &[SLICE, ELEMENT], &[SUB]).until(R6),
    making_transfer(
        (DM, OWNED),
        "to_dm_pcopy_at",
        DM,
        &[SLICE, ELEMENT],
        &[SUB, ADDRESS],
    )
    .since(R4)
    .until(R5),
    making_transfer((DM, READ), "to_spm", Tier::Spm, &[PE, ELEMENT], &[TDMA]).since(R9),
    method_on(
        Receiver::RunTimeValue,
        "to_spm",
        &[],
        &[TDMA],
        Action::Accessor(Accessor::Other),
    )
    .since(R9),
    making_transfer((Tier::Spm, OWNED), "to_dm", DM, &[SLICE, ELEMENT], &[TDMA]).since(R9),
    transfer_into_view(
        (HBM, SHARED),
        "to_dm_view",
        &[Inferred, Inferred, Inferred],
        &[TDMA, DM_TARGET],
    )
    .until(R3),
    transfer_into_view(
        (HBM, SHARED),
        "to_dm_view",
        &[Inferred, Inferred, Inferred, Inferred],
        &[TDMA, DM_TARGET],
    )
    .since(R4),
    transfer_into_view(
        (HBM, SHARED),
        "to_hbm_view",
        &[Constant, Inferred],
        &[ANY_DMA, HBM_TARGET],
    )
    .until(R3),
    transfer_into_view(
        (HBM, SHARED),
        "to_hbm_view",
        &[Constant, Inferred, Inferred],
        &[ANY_DMA, HBM_TARGET],
    )
    .since(R4)
    .until(R9),
    transfer_into_view(
        (HBM, SHARED),
        "to_hbm_view",
        &[Constant, Inferred, Inferred, Inferred],
        &[ANY_DMA, HBM_TARGET],
    )
    .since(R10),
    transfer_into_view(
        (DM, SHARED),
        "to_hbm_view",
        &[Inferred],
        &[TDMA, HBM_TARGET],
    )
    .until(R3),
    transfer_into_view(
        (DM, SHARED),
        "to_hbm_view",
        &[Inferred, Inferred],
        &[TDMA, HBM_TARGET],
    )
    .since(R4)
    .until(R9),
    transfer_into_view(
        (DM, SHARED),
        "to_hbm_view",
        &[Inferred, Inferred, Inferred],
        &[TDMA, HBM_TARGET],
    )
    .since(R10),
    transfer_into_view(
        (DM, SHARED),
        "to_dm_view",
        &[Inferred, Inferred],
        &[TDMA, DM_TARGET],
    )
    .until(R3),
    transfer_into_view(
        (DM, SHARED),
        "to_dm_view",
        &[Inferred, Inferred, Inferred, Inferred],
        &[TDMA, DM_TARGET],
    )
    .since(R4),
    transfer_into_view(
        (DM, SHARED),
        "to_dm_view_pcopy",
        &[Inferred, Inferred],
        &[SUB, DM_TARGET],
    )
    .until(R3),
    transfer_into_view(
        (DM, SHARED),
        "to_dm_view_pcopy",
        &[Inferred, Inferred, Inferred, Inferred],
        &[SUB, DM_TARGET],
    )
    .since(R4)
    .until(R6),
];
