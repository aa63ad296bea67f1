//! What rows of the catalogue share: parameters, lists of positions, and rows of one engine.

use crate::{Level, Position, VectorStage, Way};

use super::{
    CanonicalStage as S, Engine, Entry, Exit, Generic, Lanes, Makes, Packets, Parameter, Role, Row,
    Types,
};
use Position::{
    Accumulate, Cast, Collect, CommitCast, CommitPack, CommitTrim, Fetch, FetchCast, FetchChipLift,
    FetchClusterLift, FetchMask, FetchSliceLift, FetchTableLookup, FetchZeroPoint, Switch,
    Transpose, VectorFinal,
};

pub(super) const SCALAR: Parameter = Parameter::Generic(
    Generic::Scalar,
    "D2",
    "The element type that leaves the stage.",
);
pub(super) const TIME: Parameter = Parameter::Generic(
    Generic::Level(Level::Time),
    "Time2",
    "The iterations that leave the stage.",
);
pub(super) const PACKET: Parameter = Parameter::Generic(
    Generic::Level(Level::Packet),
    "Packet2",
    "The elements of one iteration that leave the stage.",
);
pub(super) const SLICE: Parameter = Parameter::Generic(
    Generic::Level(Level::Slice),
    "Slice2",
    "The slices of the result.",
);
pub(super) const CHIP: Parameter =
    level_parameter(Level::Chip, "OutChip", "The chips of the result.");
pub(super) const CLUSTER: Parameter =
    level_parameter(Level::Cluster, "OutCluster", "The clusters of the result.");
pub(super) const OPERATION: Parameter = Parameter::Argument(Role::Operation, "The operation.");
pub(super) const INTEGER_BITS: Parameter =
    Parameter::Argument(Role::IntegerBits, "Integer bits, below 32.");
pub(super) const ADDRESS: Parameter = Parameter::Argument(
    Role::Address,
    "The first byte of the result, in its slice or chip.",
);

/// The parameters of an operation of an ALU.
pub(super) const ALU: &[Parameter] = &[
    Parameter::Argument(
        Role::Operation,
        "The operation. Each ALU works once in a pass.",
    ),
    Parameter::Argument(
        Role::Mode,
        "Which operand is where: digit 0 is the stream (on a zip the first group), 1 the operand.",
    ),
    Parameter::Argument(
        Role::Operand,
        "A constant, `&vrf`, `Stash`, or operands with their branches.",
    ),
    Parameter::Argument(
        Role::OperandAndConstant,
        "An operand as of a binary operation, and a constant.",
    ),
    Parameter::Argument(Role::GroupRuns, "Whether the group runs the operation."),
];

pub(super) const fn level_parameter(
    level: Level,
    name: &'static str,
    meaning: &'static str,
) -> Parameter {
    Parameter::Generic(Generic::Level(level), name, meaning)
}

/// A stage outside of the Vector Engine.
pub(super) const fn stage_row(
    (stage, name): (S, &'static str),
    engine: Engine,
    (from, exit): (&'static [Position], Exit),
    parameters: &'static [Parameter],
    summary: &'static str,
) -> Row {
    Row {
        stage,
        name,
        engine,
        entry: Entry::From(from),
        exit,
        way: None,
        lanes: Lanes::None,
        takes: Types::Any,
        makes: Makes::Same,
        packets: Packets::Remade,
        repeats: false,
        stashable: false,
        parameters,
        summary,
    }
}

/// A stage inside of the Vector Engine.
pub(super) const fn vector_stage_row(
    (stage, name): (S, &'static str),
    exit: Exit,
    (way, lanes): (Option<Way>, Lanes),
    parameters: &'static [Parameter],
    summary: &'static str,
) -> Row {
    Row {
        entry: Entry::Inside,
        way,
        lanes,
        packets: Packets::Kept,
        ..stage_row(
            (stage, name),
            Engine::Vector,
            (&[], exit),
            parameters,
            summary,
        )
    }
}

/// An operation of an ALU.
pub(super) const fn alu_row(
    names: (S, &'static str),
    reaches: VectorStage,
    way: Way,
    repeats: bool,
    summary: &'static str,
) -> Row {
    Row {
        repeats,
        stashable: true,
        ..vector_stage_row(
            names,
            Exit::Reaches(reaches),
            (Some(way), Lanes::Same),
            ALU,
            summary,
        )
    }
}

impl Row {
    pub(super) const fn packets(self, packets: Packets) -> Self {
        Self { packets, ..self }
    }

    pub(super) const fn types(self, takes: Types, makes: Makes) -> Self {
        Self {
            takes,
            makes,
            ..self
        }
    }

    pub(super) const fn stashable(self) -> Self {
        Self {
            stashable: true,
            ..self
        }
    }
}

pub(super) const EIGHT: Option<Way> = Some(Way::Way8);
pub(super) const FOUR: Option<Way> = Some(Way::Way4);
/// Every position from which data can be written: what is half a contraction cannot.
pub(super) const WRITABLE: &[Position] = &[
    Fetch,
    Switch,
    Collect,
    Accumulate,
    VectorFinal,
    Cast,
    Transpose,
    CommitTrim,
    CommitCast,
    CommitPack,
];
/// Every position of a stream that left the Fetch Engine and nothing else.
pub(super) const FETCHED: &[Position] = &[
    Fetch,
    FetchChipLift,
    FetchClusterLift,
    FetchSliceLift,
    FetchMask,
    FetchTableLookup,
    FetchCast,
    FetchZeroPoint,
];

/// A lift: the stream of each part of a level reads a copy of an axis of its own.
pub(super) const fn lift_row(
    names: (S, &'static str),
    from: &'static [Position],
    exit: Position,
    parameters: &'static [Parameter],
    summary: &'static str,
) -> Row {
    stage_row(
        names,
        Engine::Fetch,
        (from, Exit::At(exit)),
        parameters,
        summary,
    )
    .packets(Packets::Kept)
}

/// A step of the Fetch Engine on the elements that it read.
pub(super) const fn adapter_row(
    names: (S, &'static str),
    from: &'static [Position],
    exit: Position,
    parameters: &'static [Parameter],
    summary: &'static str,
) -> Row {
    lift_row(names, from, exit, parameters, summary)
}

/// A step of the Commit Engine on the packets that it writes.
pub(super) const fn commit_step_row(
    names: (S, &'static str),
    from: &'static [Position],
    exit: Position,
    parameters: &'static [Parameter],
    summary: &'static str,
) -> Row {
    stage_row(
        names,
        Engine::Commit,
        (from, Exit::At(exit)),
        parameters,
        summary,
    )
    .packets(Packets::Kept)
}
