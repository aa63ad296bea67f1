//! Types of the current library with their parameters in order: tensors, streams, the Vector Engine's. The parameter of the
//! back end, which kernels never write, is left out.

use crate::kernel::dialect::common::types::{
    DM, P_CHIP, P_CLUSTER, P_CONTEXT, P_ELEMENT, P_PACKET, P_PE, P_ROW, P_SCALAR, P_SLICE, P_TIME,
    ROW_STREAM, STREAM, TRF, plain, stream, tensor, vector_streams,
};
use crate::kernel::dialect::{Access, TypeEntry, TypeParameter, TypeShape};
use crate::kernel::{Position, Tier, VectorStage, Way};

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
    tensor("TrfTensorView", Tier::Trf, Shared, TRF),
    tensor("TrfTensorViewMut", Tier::Trf, Exclusive, TRF),
    tensor("VrfTensorView", Tier::Vrf, Shared, DM),
    tensor("VrfTensorViewMut", Tier::Vrf, Exclusive, DM),
    tensor("SpmTensor", Tier::Spm, Owned, SPM),
    stream("FetchChipLiftTensor", Position::FetchChipLift, STREAM),
    stream("FetchClusterLiftTensor", Position::FetchClusterLift, STREAM),
    stream("FetchSliceLiftTensor", Position::FetchSliceLift, STREAM),
    stream("FetchMaskTensor", Position::FetchMask, STREAM),
    stream("FetchTableLookupTensor", Position::FetchTableLookup, STREAM),
    stream("FetchCastTensor", Position::FetchCast, STREAM),
    stream("FetchZeroPointSubTensor", Position::FetchZeroPoint, STREAM),
    stream("ContractOuterTensor", Position::Align, OUTER),
    stream("ContractPacketTensor", Position::Contract, ROW_STREAM),
    stream("ContractTimeTensor", Position::ContractTime, ROW_STREAM),
    stream("ContractTensor", Position::Accumulate, STREAM),
    stream("CommitTrimTensor", Position::CommitTrim, STREAM),
    stream("CommitCastTensor", Position::CommitCast, STREAM),
    stream("CommitValidCountPackTensor", Position::CommitPack, STREAM),
    plain(
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
    plain(
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
    plain("Device", TypeShape::Device, &[]),
    // Since 0.9.
    plain("HbmScalar", TypeShape::RunTimeValue, &[Other]),
];
