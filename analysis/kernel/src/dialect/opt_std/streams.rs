//! Streams of the current library: beginnings, stages outside of the Vector Engine, ends.

use crate::catalogue::{CanonicalStage, Generic, Role};
use crate::dialect::common::arguments::{
    ADDRESS, BEGIN, BEGIN_INTERLEAVED, BOTH, CHIP, CLUSTER, ELEMENT, PACKET, REGION, ROW, SCALAR,
    SLICE, TIME, VIEW,
};
use crate::dialect::common::rows::{arg, method_on, stage_once, stream_method};
use crate::dialect::{Action, Argument, Method, Receiver};
use crate::{Context, Position};

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
    )
    .until(R2),
    stream_method("fetch", &[TIME, PACKET], &[], &[stage_once(S::Fetch)]).since(R3),
    stream_method(
        "fetch_chip_lift",
        &[CHIP, TIME],
        &[],
        &[stage_once(S::FetchChipLift)],
    )
    .since(R7),
    stream_method(
        "fetch_cluster_lift",
        &[CLUSTER, TIME],
        &[],
        &[stage_once(S::FetchClusterLift)],
    )
    .since(R7),
    stream_method(
        "fetch_slice_lift",
        &[SLICE, TIME],
        &[],
        &[stage_once(S::FetchSliceLift)],
    )
    .since(R7),
    stream_method(
        "fetch_mask",
        &[TIME, PACKET],
        &[],
        &[stage_once(S::FetchMask)],
    )
    .since(R3)
    .without_body(),
    stream_method(
        "fetch_table_lookup",
        &[SCALAR],
        &[],
        &[stage_once(S::FetchTable)],
    )
    .since(R3)
    .only_in(Context::Main, R5),
    stream_method("fetch_cast", &[SCALAR], &[], &[stage_once(S::FetchCast)]).since(R3),
    stream_method(
        "fetch_zero_point_sub",
        &[SCALAR],
        &[arg(Role::ZeroPoints, "zero_point", "i32")],
        &[stage_once(S::FetchZeroPoint)],
    )
    .since(R4),
    stream_method(
        "switch",
        &[SLICE, TIME],
        &[arg(Role::Configuration, "config", "SwitchConfig")],
        &[stage_once(S::Switch)],
    ),
    stream_method("collect", &[TIME, PACKET], &[], &[stage_once(S::Collect)]),
    stream_method(
        "contract_outer",
        &[TIME, PACKET, ROW, Inferred],
        &[arg(Role::Weights, "weights", "&TrfTensor")],
        &[stage_once(S::Align)],
    )
    .until(R3),
    stream_method(
        "contract_outer",
        &[TIME, PACKET, ROW, Inferred, Inferred],
        &[arg(Role::Weights, "weights", "&TrfTensor")],
        &[stage_once(S::Align)],
    )
    .since(R4)
    .only_in(Context::Main, R10),
    stream_method(
        "contract_packet",
        &[PACKET],
        &[],
        &[stage_once(S::Contract)],
    )
    .only_in(Context::Main, R10),
    stream_method(
        "contract_time",
        &[TIME],
        &[],
        &[stage_once(S::ContractTime)],
    )
    .only_in(Context::Main, R10),
    stream_method(
        "contract_lane",
        &[TIME, PACKET],
        &[LANE_MODE],
        &[stage_once(S::Accumulate)],
    )
    .only_in(Context::Main, R10)
    // The reduction over time is a stage of its own, and not left out.
    .offered_at(&[Position::ContractTime]),
    stream_method("cast", &[SCALAR, PACKET], &[], &[stage_once(S::Cast)]),
    stream_method(
        "transpose",
        &[TIME, PACKET],
        &[],
        &[stage_once(S::Transpose)],
    ),
    stream_method(
        "to_trf",
        &[ROW, ELEMENT],
        &[REGION],
        &[stage_once(S::ToTrf)],
    )
    .until(R3),
    stream_method("to_trf", &[ROW, ELEMENT], &[], &[stage_once(S::ToTrf)])
        .since(R4)
        .until(R9),
    stream_method(
        "to_trf",
        &[ROW, ELEMENT],
        &[SUB.optional()],
        &[stage_once(S::ToTrf)],
    )
    .since(R10),
    stream_method(
        "to_trf_at",
        &[ROW, ELEMENT],
        &[REGION],
        &[stage_once(S::ToTrf)],
    )
    .since(R4)
    .until(R5),
    stream_method("to_vrf", &[ELEMENT], &[ADDRESS], &[stage_once(S::ToVrf)]).until(R3),
    stream_method("to_vrf", &[ELEMENT], &[], &[stage_once(S::ToVrf)])
        .since(R4)
        .until(R6),
    stream_method(
        "to_vrf",
        &[ELEMENT],
        &[SUB.optional()],
        &[stage_once(S::ToVrf)],
    )
    .since(R7),
    stream_method("to_vrf_at", &[ELEMENT], &[ADDRESS], &[stage_once(S::ToVrf)])
        .since(R4)
        .until(R5),
    stream_method("commit_trim", &[PACKET], &[], &[stage_once(S::CommitTrim)]).since(R3),
    stream_method(
        "commit_cast",
        &[SCALAR],
        &[arg(Role::Activation, "activation", "Activation")
            .meaning("What is done to the values on the way.")],
        &[stage_once(S::CommitCast)],
    )
    .since(R3)
    .until(R5),
    stream_method("commit_cast", &[SCALAR], &[], &[stage_once(S::CommitCast)])
        .since(R6)
        .only_in(Context::Main, R10),
    stream_method(
        "commit_cast_relu",
        &[SCALAR],
        &[],
        &[stage_once(S::CommitCastRelu)],
    )
    .since(R6)
    .only_in(Context::Main, R10),
    stream_method(
        "commit_valid_count_pack",
        &[],
        &[arg(Role::Configuration, "count", "usize")],
        &[stage_once(S::CommitPack)],
    )
    .since(R3)
    .only_in(Context::Sub, R10)
    .without_body(),
    stream_method("commit", &[ELEMENT], &[ADDRESS], &[stage_once(S::Commit)])
        .until(R2)
        .offered_at(COLLECTED),
    stream_method("commit", &[ELEMENT], &[ADDRESS], &[stage_once(S::Commit)])
        .since(R3)
        .until(R3)
        .offered_at(TRIMMED),
    stream_method("commit", &[ELEMENT], &[], &[stage_once(S::Commit)])
        .since(R4)
        .offered_at(TRIMMED),
    stream_method(
        "commit_at",
        &[ELEMENT],
        &[ADDRESS],
        &[stage_once(S::Commit)],
    )
    .since(R4)
    .until(R5)
    .offered_at(TRIMMED),
    stream_method(
        "commit_view",
        &[Inferred],
        &[arg(Role::Target, "target", "DmTensorViewMut")],
        &[stage_once(S::CommitView)],
    )
    .until(R2)
    .offered_at(COLLECTED),
    stream_method(
        "commit_view",
        &[Inferred],
        &[arg(Role::Target, "target", "DmTensorViewMut")],
        &[stage_once(S::CommitView)],
    )
    .since(R3)
    .until(R7)
    .offered_at(TRIMMED),
    stream_method(
        "commit_view",
        &[Inferred, Inferred],
        &[arg(Role::Target, "target", "DmTensorViewMut")],
        &[stage_once(S::CommitView)],
    )
    .since(R8)
    .offered_at(TRIMMED),
    stream_method("vector_init", &[], &[], &[stage_once(S::VectorInit)]),
];
