//! Streams of the current library: beginnings, stages outside of the Vector Engine, ends.

use crate::kernel::catalogue::{CanonicalStage, Generic, Role};
use crate::kernel::dialect::common::arguments::{
    ADDRESS, BEGIN, BEGIN_INTERLEAVED, BOTH, CHIP, CLUSTER, ELEMENT, PACKET, REGION, ROW, SCALAR,
    SLICE, TIME, VIEW,
};
use crate::kernel::dialect::common::rows::{arg, on, once, stage};
use crate::kernel::dialect::{Action, Argument, Method, Receiver};
use crate::kernel::{Context, Position};

use super::methods::SUB;
use super::{R2, R3, R4, R5, R6, R7, R8, R9, R10};

use CanonicalStage as S;
use Generic::Inferred;

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
pub(super) const METHODS: &[Method] = &[
    on(Receiver::TensorUnit, "begin", BEGIN, &[VIEW], Action::Begin),
    on(
        Receiver::TensorUnit,
        "begin_interleaved",
        BEGIN_INTERLEAVED,
        BOTH,
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
    .only_in(Context::Main, R10)
    // The reduction over time is a stage of its own, and not left out.
    .offered_at(&[Position::ContractTime]),
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
