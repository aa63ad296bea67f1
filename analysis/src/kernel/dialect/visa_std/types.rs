//! Types of the book's library with their parameters in order (tensors at rest, streams, the Vector Engine's).

use crate::kernel::dialect::{Access, TypeEntry, TypeParameter, TypeShape};
use crate::kernel::{Level, Position, Tier, VectorStage, Way};

use Access::{Exclusive, Owned, Shared};
use TypeParameter::Other;

const P_SCALAR: TypeParameter = TypeParameter::Scalar;
const P_CHIP: TypeParameter = TypeParameter::Level(Level::Chip);
const P_CLUSTER: TypeParameter = TypeParameter::Level(Level::Cluster);
const P_SLICE: TypeParameter = TypeParameter::Level(Level::Slice);
const P_ROW: TypeParameter = TypeParameter::Level(Level::Row);
const P_TIME: TypeParameter = TypeParameter::Level(Level::Time);
const P_PACKET: TypeParameter = TypeParameter::Level(Level::Packet);
const P_ELEMENT: TypeParameter = TypeParameter::Level(Level::Element);
const P_CONTEXT: TypeParameter = TypeParameter::Context;

const HBM: &[TypeParameter] = &[P_SCALAR, P_CHIP, P_ELEMENT];
const DM: &[TypeParameter] = &[P_SCALAR, P_CHIP, P_CLUSTER, P_SLICE, P_ELEMENT];
const TRF: &[TypeParameter] = &[P_SCALAR, P_CHIP, P_CLUSTER, P_SLICE, P_ROW, P_ELEMENT];
const STREAM: &[TypeParameter] = &[
    P_CONTEXT, P_SCALAR, P_CHIP, P_CLUSTER, P_SLICE, P_TIME, P_PACKET,
];
const ROW_STREAM: &[TypeParameter] = &[
    P_CONTEXT, P_SCALAR, P_CHIP, P_CLUSTER, P_SLICE, P_ROW, P_TIME, P_PACKET,
];
/// `T, D, Chip, Cluster, Slice, Time, Packet, StashD, Stash, VE_ORDER, FS, W`.
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

pub(super) const TYPES: &[TypeEntry] = &[
    tensor("HostTensor", Tier::Host, Owned, &[P_SCALAR, P_ELEMENT]),
    tensor("HbmTensor", Tier::Hbm, Owned, HBM),
    tensor("HbmTensorView", Tier::Hbm, Shared, HBM),
    tensor("HbmTensorViewMut", Tier::Hbm, Exclusive, HBM),
    tensor("DmTensor", Tier::Dm, Owned, DM),
    tensor("DmTensorView", Tier::Dm, Shared, DM),
    tensor("DmTensorViewMut", Tier::Dm, Exclusive, DM),
    tensor("TrfTensor", Tier::Trf, Owned, TRF),
    tensor("VrfTensor", Tier::Vrf, Owned, DM),
    stream("BeginTensor", Position::Begin, STREAM),
    stream("FetchTensor", Position::Fetch, STREAM),
    stream("SwitchTensor", Position::Switch, STREAM),
    stream("CollectTensor", Position::Collect, STREAM),
    stream("AlignedPair", Position::Align, ROW_STREAM),
    stream("ContractionTensor", Position::Contract, ROW_STREAM),
    stream("AccumulationTensor", Position::Accumulate, STREAM),
    stream("VectorFinalTensor", Position::VectorFinal, STREAM),
    stream("CastTensor", Position::Cast, STREAM),
    stream("TransposeTensor", Position::Transpose, STREAM),
    TypeEntry {
        name: "StreamTensor",
        shape: TypeShape::Stream(None, None),
        parameters: &[
            P_CONTEXT,
            TypeParameter::Position,
            P_SCALAR,
            P_CHIP,
            P_CLUSTER,
            P_SLICE,
            P_TIME,
            P_PACKET,
        ],
    },
    TypeEntry {
        name: "VectorInitTensor",
        shape: TypeShape::Stream(Some(Position::VectorInit), Some(Way::Way8)),
        parameters: STREAM,
    },
    TypeEntry {
        name: "VectorTensor",
        shape: TypeShape::Stream(Some(Position::Vector(VectorStage::Branch)), Some(Way::Way8)),
        parameters: &[
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
            Other,
            TypeParameter::Way,
        ],
    },
    TypeEntry {
        name: "VectorTensorPair",
        shape: TypeShape::Stream(
            Some(Position::VectorPair(VectorStage::Branch)),
            Some(Way::Way8),
        ),
        parameters: &[
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
    },
    TypeEntry {
        name: "VectorInterSliceReduceTensor",
        shape: TypeShape::Stream(
            Some(Position::Vector(VectorStage::InterSliceReduce)),
            Some(Way::Way8),
        ),
        parameters: &[
            P_CONTEXT, P_SCALAR, P_CHIP, P_CLUSTER, P_SLICE, P_TIME, P_PACKET, Other,
        ],
    },
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
    TypeEntry {
        name: "Context",
        shape: TypeShape::Device,
        parameters: &[],
    },
    TypeEntry {
        name: "TuContext",
        shape: TypeShape::TensorUnit,
        parameters: &[P_CONTEXT],
    },
    TypeEntry {
        name: "DmaContext",
        shape: TypeShape::DmaEngine,
        parameters: &[P_CONTEXT],
    },
    TypeEntry {
        name: "ArrayVec",
        shape: TypeShape::Container,
        parameters: &[Other, Other],
    },
];
