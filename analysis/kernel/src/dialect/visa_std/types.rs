//! Types of the book's library with their parameters in order (tensors at rest, streams, the Vector Engine's).

use crate::dialect::common::types::{
    P_CHIP, P_CLUSTER, P_CONTEXT, P_PACKET, P_SCALAR, P_SLICE, P_TIME, ROW_STREAM, STREAM,
    plain_type, stream_type, vector_streams,
};
use crate::dialect::{TypeEntry, TypeParameter, TypeShape};
use crate::{Position, VectorStage, Way};

use TypeParameter::Other;

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

/// Streams inside of the Vector Engine.
pub(super) const VECTORS: &[TypeEntry] = &vector_streams(VECTOR);

/// What the other library has not, or with other parameters.
pub(super) const TYPES: &[TypeEntry] = &[
    stream_type("AlignedPair", Position::Align, ROW_STREAM),
    stream_type("ContractionTensor", Position::Contract, ROW_STREAM),
    stream_type("AccumulationTensor", Position::Accumulate, STREAM),
    plain_type(
        "StreamTensor",
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
            Other,
            TypeParameter::Way,
        ],
    ),
];
