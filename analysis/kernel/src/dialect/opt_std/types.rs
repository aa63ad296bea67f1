//! Types of the current library with their parameters in order: tensors, streams, the Vector Engine's. The parameter of the
//! back end, which kernels never write, is left out.

use crate::dialect::common::types::{
    DM, P_CHIP, P_CLUSTER, P_CONTEXT, P_ELEMENT, P_PACKET, P_PE, P_ROW, P_SCALAR, P_SLICE, P_TIME,
    ROW_STREAM, STREAM, TRF, plain_type, stream_type, tensor_type, vector_streams,
};
use crate::dialect::{Access, TypeEntry, TypeParameter, TypeShape};
use crate::{Position, Tier, VectorStage, Way};

use Access::{Exclusive, Owned, Shared};
use TypeParameter::Other;

const SPM: &[TypeParameter] = &[P_SCALAR, P_CHIP, P_CLUSTER, P_PE, P_ELEMENT];
/// The stream of a contraction: the type of the sums goes first, that of the operands after it.
const OUTER: &[TypeParameter] = &[
    P_CONTEXT, Other, P_SCALAR, P_CHIP, P_CLUSTER, P_SLICE, P_ROW, P_TIME, P_PACKET,
];
const VECTOR: &[TypeParameter] = &[
    P_CONTEXT,
    P_SCALAR,
    P_CHIP,
    P_CLUSTER,
    P_SLICE,
    P_TIME,
    P_PACKET,
    Other,
    Other,
    Other,
    TypeParameter::Way,
];

/// Streams inside of the Vector Engine.
pub(super) const VECTORS: &[TypeEntry] = &vector_streams(VECTOR);

/// What the other library has not, or with other parameters.
pub(super) const TYPES: &[TypeEntry] = &[
    tensor_type("TrfTensorView", Tier::Trf, Shared, TRF),
    tensor_type("TrfTensorViewMut", Tier::Trf, Exclusive, TRF),
    tensor_type("VrfTensorView", Tier::Vrf, Shared, DM),
    tensor_type("VrfTensorViewMut", Tier::Vrf, Exclusive, DM),
    tensor_type("SpmTensor", Tier::Spm, Owned, SPM),
    stream_type("FetchChipLiftTensor", Position::FetchChipLift, STREAM),
    stream_type("FetchClusterLiftTensor", Position::FetchClusterLift, STREAM),
    stream_type("FetchSliceLiftTensor", Position::FetchSliceLift, STREAM),
    stream_type("FetchMaskTensor", Position::FetchMask, STREAM),
    stream_type("FetchTableLookupTensor", Position::FetchTableLookup, STREAM),
    stream_type("FetchCastTensor", Position::FetchCast, STREAM),
    stream_type("FetchZeroPointSubTensor", Position::FetchZeroPoint, STREAM),
    stream_type("ContractOuterTensor", Position::Align, OUTER),
    stream_type("ContractPacketTensor", Position::Contract, ROW_STREAM),
    stream_type("ContractTimeTensor", Position::ContractTime, ROW_STREAM),
    stream_type("ContractTensor", Position::Accumulate, STREAM),
    stream_type("CommitTrimTensor", Position::CommitTrim, STREAM),
    stream_type("CommitCastTensor", Position::CommitCast, STREAM),
    stream_type("CommitValidCountPackTensor", Position::CommitPack, STREAM),
    plain_type(
        "TuTensor",
        TypeShape::Stream(None, None),
        &[
            P_CONTEXT,
            TypeParameter::Position,
            P_SCALAR,
            P_CHIP,
            P_CLUSTER,
            P_SLICE,
            P_TIME,
            P_PACKET,
        ],
    ),
    plain_type(
        "VectorTensor",
        TypeShape::Stream(Some(Position::Vector(VectorStage::Branch)), Some(Way::Way8)),
        &[
            P_CONTEXT,
            TypeParameter::Stage,
            P_SCALAR,
            P_CHIP,
            P_CLUSTER,
            P_SLICE,
            P_TIME,
            P_PACKET,
            Other,
            Other,
            Other,
            TypeParameter::Way,
        ],
    ),
    // The whole context until 0.7, and since 0.8.
    plain_type("Device", TypeShape::Device, &[]),
    // Since 0.9.
    plain_type("HbmScalar", TypeShape::RunTimeValue, &[Other]),
];
