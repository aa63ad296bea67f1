//! Types that both libraries have with the same parameters in the same order, and how a row of types is written.

use crate::dialect::{Access, TypeEntry, TypeParameter, TypeShape};
use crate::{Level, Position, Tier, VectorStage, Way};

use Access::{Exclusive, Owned, Shared};
use TypeParameter::Other;

pub(in crate::dialect) const P_SCALAR: TypeParameter = TypeParameter::Scalar;
pub(in crate::dialect) const P_CHIP: TypeParameter = TypeParameter::Level(Level::Chip);
pub(in crate::dialect) const P_CLUSTER: TypeParameter = TypeParameter::Level(Level::Cluster);
pub(in crate::dialect) const P_SLICE: TypeParameter = TypeParameter::Level(Level::Slice);
pub(in crate::dialect) const P_PE: TypeParameter = TypeParameter::Level(Level::Pe);
pub(in crate::dialect) const P_ROW: TypeParameter = TypeParameter::Level(Level::Row);
pub(in crate::dialect) const P_TIME: TypeParameter = TypeParameter::Level(Level::Time);
pub(in crate::dialect) const P_PACKET: TypeParameter = TypeParameter::Level(Level::Packet);
pub(in crate::dialect) const P_ELEMENT: TypeParameter = TypeParameter::Level(Level::Element);
pub(in crate::dialect) const P_CONTEXT: TypeParameter = TypeParameter::Context;

pub(in crate::dialect) const HBM: &[TypeParameter] = &[P_SCALAR, P_CHIP, P_ELEMENT];
pub(in crate::dialect) const DM: &[TypeParameter] =
    &[P_SCALAR, P_CHIP, P_CLUSTER, P_SLICE, P_ELEMENT];
pub(in crate::dialect) const TRF: &[TypeParameter] =
    &[P_SCALAR, P_CHIP, P_CLUSTER, P_SLICE, P_ROW, P_ELEMENT];
pub(in crate::dialect) const STREAM: &[TypeParameter] = &[
    P_CONTEXT, P_SCALAR, P_CHIP, P_CLUSTER, P_SLICE, P_TIME, P_PACKET,
];
pub(in crate::dialect) const ROW_STREAM: &[TypeParameter] = &[
    P_CONTEXT, P_SCALAR, P_CHIP, P_CLUSTER, P_SLICE, P_ROW, P_TIME, P_PACKET,
];
/// A tensor at rest.
pub(in crate::dialect) const fn tensor_type(
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

/// A stream outside of the Vector Engine.
pub(in crate::dialect) const fn stream_type(
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

/// A stream inside of the Vector Engine.
const fn vector_type(
    parameters: &'static [TypeParameter],
    name: &'static str,
    stage: VectorStage,
    way: Way,
) -> TypeEntry {
    plain_type(
        name,
        TypeShape::Stream(Some(Position::Vector(stage)), Some(way)),
        parameters,
    )
}

/// A type of any shape.
pub(in crate::dialect) const fn plain_type(
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

/// Streams behind each stage of the Vector Engine; a library says which parameters they have.
pub(in crate::dialect) const fn vector_streams(
    parameters: &'static [TypeParameter],
) -> [TypeEntry; 12] {
    [
        vector_type(
            parameters,
            "VectorBranchTensor",
            VectorStage::Branch,
            Way::Way8,
        ),
        vector_type(
            parameters,
            "VectorLogicTensor",
            VectorStage::Logic,
            Way::Way8,
        ),
        vector_type(parameters, "VectorFxpTensor", VectorStage::Fxp, Way::Way8),
        vector_type(
            parameters,
            "VectorFxpToFpTensor",
            VectorStage::FxpToFp,
            Way::Way8,
        ),
        vector_type(
            parameters,
            "VectorNarrowTensor",
            VectorStage::Narrow,
            Way::Way4,
        ),
        vector_type(parameters, "VectorFpTensor", VectorStage::Fp, Way::Way4),
        vector_type(
            parameters,
            "VectorIntraSliceReduceTensor",
            VectorStage::IntraSliceReduce,
            Way::Way4,
        ),
        vector_type(
            parameters,
            "VectorFpDivTensor",
            VectorStage::FpDiv,
            Way::Way4,
        ),
        vector_type(
            parameters,
            "VectorWidenTensor",
            VectorStage::Widen,
            Way::Way8,
        ),
        vector_type(
            parameters,
            "VectorFpToFxpTensor",
            VectorStage::FpToFxp,
            Way::Way8,
        ),
        vector_type(parameters, "VectorClipTensor", VectorStage::Clip, Way::Way8),
        vector_type(
            parameters,
            "VectorFilterTensor",
            VectorStage::Filter,
            Way::Way8,
        ),
    ]
}

/// What both libraries have.
pub(in crate::dialect) const TYPES: &[TypeEntry] = &[
    tensor_type("HostTensor", Tier::Host, Owned, &[P_SCALAR, P_ELEMENT]),
    tensor_type("HbmTensor", Tier::Hbm, Owned, HBM),
    tensor_type("HbmTensorView", Tier::Hbm, Shared, HBM),
    tensor_type("HbmTensorViewMut", Tier::Hbm, Exclusive, HBM),
    tensor_type("DmTensor", Tier::Dm, Owned, DM),
    tensor_type("DmTensorView", Tier::Dm, Shared, DM),
    tensor_type("DmTensorViewMut", Tier::Dm, Exclusive, DM),
    tensor_type("TrfTensor", Tier::Trf, Owned, TRF),
    tensor_type("VrfTensor", Tier::Vrf, Owned, DM),
    stream_type("BeginTensor", Position::Begin, STREAM),
    stream_type("FetchTensor", Position::Fetch, STREAM),
    stream_type("SwitchTensor", Position::Switch, STREAM),
    stream_type("CollectTensor", Position::Collect, STREAM),
    stream_type("VectorFinalTensor", Position::VectorFinal, STREAM),
    stream_type("CastTensor", Position::Cast, STREAM),
    stream_type("TransposeTensor", Position::Transpose, STREAM),
    plain_type(
        "VectorInitTensor",
        TypeShape::Stream(Some(Position::VectorInit), Some(Way::Way8)),
        STREAM,
    ),
    plain_type(
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
    plain_type(
        "VectorInterSliceReduceTensor",
        TypeShape::Stream(
            Some(Position::Vector(VectorStage::InterSliceReduce)),
            Some(Way::Way8),
        ),
        &[
            P_CONTEXT, P_SCALAR, P_CHIP, P_CLUSTER, P_SLICE, P_TIME, P_PACKET, Other,
        ],
    ),
    plain_type("Context", TypeShape::Device, &[]),
    plain_type("TuContext", TypeShape::TensorUnit, &[P_CONTEXT]),
    plain_type("DmaContext", TypeShape::DmaEngine, &[P_CONTEXT]),
    plain_type("ArrayVec", TypeShape::Container, &[Other, Other]),
];
