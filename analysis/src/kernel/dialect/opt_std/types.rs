//! Types of the current library with their parameters in order: tensors, streams, the Vector Engine's. The parameter of the
//! back end, which kernels never write, is left out.

use crate::kernel::dialect::{Access, TypeEntry, TypeParameter, TypeShape};
use crate::kernel::{Level, Position, Tier, VectorStage, Way};

use Access::{Exclusive, Owned, Shared};
use TypeParameter::Other;

const P_SCALAR: TypeParameter = TypeParameter::Scalar;
const P_CHIP: TypeParameter = TypeParameter::Level(Level::Chip);
const P_CLUSTER: TypeParameter = TypeParameter::Level(Level::Cluster);
const P_SLICE: TypeParameter = TypeParameter::Level(Level::Slice);
const P_PE: TypeParameter = TypeParameter::Level(Level::Pe);
const P_ROW: TypeParameter = TypeParameter::Level(Level::Row);
const P_TIME: TypeParameter = TypeParameter::Level(Level::Time);
const P_PACKET: TypeParameter = TypeParameter::Level(Level::Packet);
const P_ELEMENT: TypeParameter = TypeParameter::Level(Level::Element);
const P_CONTEXT: TypeParameter = TypeParameter::Context;

const HBM: &[TypeParameter] = &[P_SCALAR, P_CHIP, P_ELEMENT];
const DM: &[TypeParameter] = &[P_SCALAR, P_CHIP, P_CLUSTER, P_SLICE, P_ELEMENT];
const TRF: &[TypeParameter] = &[P_SCALAR, P_CHIP, P_CLUSTER, P_SLICE, P_ROW, P_ELEMENT];
const SPM: &[TypeParameter] = &[P_SCALAR, P_CHIP, P_CLUSTER, P_PE, P_ELEMENT];
const STREAM: &[TypeParameter] = &[
    P_CONTEXT, P_SCALAR, P_CHIP, P_CLUSTER, P_SLICE, P_TIME, P_PACKET,
];
/// The stream of a contraction: the type of the sums goes first, that of the operands after it.
const OUTER: &[TypeParameter] = &[
    P_CONTEXT, Other, P_SCALAR, P_CHIP, P_CLUSTER, P_SLICE, P_ROW, P_TIME, P_PACKET,
];
const ROW_STREAM: &[TypeParameter] = &[
    P_CONTEXT, P_SCALAR, P_CHIP, P_CLUSTER, P_SLICE, P_ROW, P_TIME, P_PACKET,
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

const fn tensor(
    name: &'static str,
    tier: Tier,
    access: Access,
    parameters: &'static [TypeParameter],
) -> TypeEntry {
    TypeEntry {
        name,
        shape: TypeShape::Tensor(tier, access),
        parameters,
    }
}

const fn stream(
    name: &'static str,
    position: Position,
    parameters: &'static [TypeParameter],
) -> TypeEntry {
    TypeEntry {
        name,
        shape: TypeShape::Stream(Some(position), None),
        parameters,
    }
}

const fn vector(name: &'static str, stage: VectorStage, way: Way) -> TypeEntry {
    TypeEntry {
        name,
        shape: TypeShape::Stream(Some(Position::Vector(stage)), Some(way)),
        parameters: VECTOR,
    }
}

const fn plain(
    name: &'static str,
    shape: TypeShape,
    parameters: &'static [TypeParameter],
) -> TypeEntry {
    TypeEntry {
        name,
        shape,
        parameters,
    }
}

pub(super) const TYPES: &[TypeEntry] = &[
    tensor("HostTensor", Tier::Host, Owned, &[P_SCALAR, P_ELEMENT]),
    tensor("HbmTensor", Tier::Hbm, Owned, HBM),
    tensor("HbmTensorView", Tier::Hbm, Shared, HBM),
    tensor("HbmTensorViewMut", Tier::Hbm, Exclusive, HBM),
    tensor("DmTensor", Tier::Dm, Owned, DM),
    tensor("DmTensorView", Tier::Dm, Shared, DM),
    tensor("DmTensorViewMut", Tier::Dm, Exclusive, DM),
    tensor("TrfTensor", Tier::Trf, Owned, TRF),
    tensor("TrfTensorView", Tier::Trf, Shared, TRF),
    tensor("TrfTensorViewMut", Tier::Trf, Exclusive, TRF),
    tensor("VrfTensor", Tier::Vrf, Owned, DM),
    tensor("VrfTensorView", Tier::Vrf, Shared, DM),
    tensor("VrfTensorViewMut", Tier::Vrf, Exclusive, DM),
    tensor("SpmTensor", Tier::Spm, Owned, SPM),
    stream("BeginTensor", Position::Begin, STREAM),
    stream("FetchTensor", Position::Fetch, STREAM),
    stream("FetchChipLiftTensor", Position::FetchChipLift, STREAM),
    stream("FetchClusterLiftTensor", Position::FetchClusterLift, STREAM),
    stream("FetchSliceLiftTensor", Position::FetchSliceLift, STREAM),
    stream("FetchMaskTensor", Position::FetchMask, STREAM),
    stream("FetchTableLookupTensor", Position::FetchTableLookup, STREAM),
    stream("FetchCastTensor", Position::FetchCast, STREAM),
    stream("FetchZeroPointSubTensor", Position::FetchZeroPoint, STREAM),
    stream("SwitchTensor", Position::Switch, STREAM),
    stream("CollectTensor", Position::Collect, STREAM),
    stream("ContractOuterTensor", Position::Align, OUTER),
    stream("ContractPacketTensor", Position::Contract, ROW_STREAM),
    stream("ContractTimeTensor", Position::ContractTime, ROW_STREAM),
    stream("ContractTensor", Position::Accumulate, STREAM),
    stream("VectorFinalTensor", Position::VectorFinal, STREAM),
    stream("CastTensor", Position::Cast, STREAM),
    stream("TransposeTensor", Position::Transpose, STREAM),
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
        "VectorInitTensor",
        TypeShape::Stream(Some(Position::VectorInit), Some(Way::Way8)),
        STREAM,
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
    plain(
        "VectorTensorPair",
        TypeShape::Stream(
            Some(Position::VectorPair(VectorStage::Branch)),
            Some(Way::Way8),
        ),
        &[
            P_CONTEXT,
            P_SCALAR,
            TypeParameter::Stage,
            P_CHIP,
            P_CLUSTER,
            P_SLICE,
            P_TIME,
            P_PACKET,
            TypeParameter::Way,
        ],
    ),
    plain(
        "VectorInterSliceReduceTensor",
        TypeShape::Stream(
            Some(Position::Vector(VectorStage::InterSliceReduce)),
            Some(Way::Way8),
        ),
        &[
            P_CONTEXT, P_SCALAR, P_CHIP, P_CLUSTER, P_SLICE, P_TIME, P_PACKET, Other,
        ],
    ),
    vector("VectorBranchTensor", VectorStage::Branch, Way::Way8),
    vector("VectorLogicTensor", VectorStage::Logic, Way::Way8),
    vector("VectorFxpTensor", VectorStage::Fxp, Way::Way8),
    vector("VectorFxpToFpTensor", VectorStage::FxpToFp, Way::Way8),
    vector("VectorNarrowTensor", VectorStage::Narrow, Way::Way4),
    vector("VectorFpTensor", VectorStage::Fp, Way::Way4),
    vector(
        "VectorIntraSliceReduceTensor",
        VectorStage::IntraSliceReduce,
        Way::Way4,
    ),
    vector("VectorFpDivTensor", VectorStage::FpDiv, Way::Way4),
    vector("VectorWidenTensor", VectorStage::Widen, Way::Way8),
    vector("VectorFpToFxpTensor", VectorStage::FpToFxp, Way::Way8),
    vector("VectorClipTensor", VectorStage::Clip, Way::Way8),
    vector("VectorFilterTensor", VectorStage::Filter, Way::Way8),
    // The whole context until 0.7, and since 0.8.
    plain("Context", TypeShape::Device, &[]),
    plain("Device", TypeShape::Device, &[]),
    plain("TuContext", TypeShape::TensorUnit, &[P_CONTEXT]),
    plain("DmaContext", TypeShape::DmaEngine, &[P_CONTEXT]),
    // Since 0.9.
    plain("HbmScalar", TypeShape::RunTimeValue, &[Other]),
    plain("ArrayVec", TypeShape::Container, &[Other, Other]),
];
