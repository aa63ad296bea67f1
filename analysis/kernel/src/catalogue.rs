//! The stages that the Tensor Unit has, one row each: engine, positions, lanes, types, parameters, documentation.
//!
//! The one list of stages. Where a stage may be entered, what position and lanes leave it, what an editor says of it and
//! which methods it proposes are columns here; the libraries' tables (`dialect`) only say which methods ask for which stage.
//! It knows the order of engines (book: Pipeline Position) and of the Vector Engine's stages (book: Stages), no mappings and
//! no method names.

use crate::hardware::{ElementType, contraction_type};

use super::{Context, Level, Position, VectorStage, Way};

mod columns;
mod engine;
mod rows;

pub use engine::Engine;
pub use rows::CATALOGUE;

/// A stage of the Tensor Unit, the same for every library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CanonicalStage {
    /// Reads packets from DM.
    Fetch,
    /// Reads a copy of an axis for each chip.
    FetchChipLift,
    /// Reads a copy of an axis for each cluster.
    FetchClusterLift,
    /// Reads a copy of an axis for each slice.
    FetchSliceLift,
    /// Masks what is no data.
    FetchMask,
    /// Looks elements up in a table.
    FetchTable,
    /// Converts elements while they are fetched.
    FetchCast,
    /// Subtracts a zero point while elements are fetched.
    FetchZeroPoint,
    /// Exchanges packets between slices.
    Switch,
    /// Cuts packets into flits.
    Collect,
    /// Pairs stream and TRF operand.
    Align,
    /// Sums inside of a packet.
    Contract,
    /// Takes maxima inside of a packet.
    ContractMax,
    /// Sums over time.
    ContractTime,
    /// Sums over time and lays the rows out.
    Accumulate,
    /// Enters the Vector Engine.
    VectorInit,
    /// Opens the stages inside of a slice.
    VectorBranch,
    /// Makes two groups of a stream.
    VectorUnzip,
    /// Bitwise logic.
    VectorLogic,
    /// Fixed-point arithmetic.
    VectorFxp,
    /// Fixed point to float.
    VectorFxpToFp,
    /// 8 lanes to 4 by time.
    VectorSplit,
    /// 8 lanes to 4 by dropping lanes.
    VectorTrim,
    /// Float arithmetic.
    VectorFp,
    /// Reduction inside of a slice.
    VectorIntraReduce,
    /// Float division.
    VectorFpDiv,
    /// 4 lanes to 8 by time.
    VectorConcat,
    /// 4 lanes to 8 by padding.
    VectorPad,
    /// Float to fixed point.
    VectorFpToFxp,
    /// Clip.
    VectorClip,
    /// Reduction across slices.
    VectorInterReduce,
    /// Leaves the Vector Engine.
    VectorFinal,
    /// Reads the lanes' bits as the other scalar type.
    VectorReinterpret,
    /// Keeps the stream for a later operand.
    VectorStash,
    /// Drops iterations.
    VectorFilter,
    /// Lowers the precision.
    Cast,
    /// Transposes blocks of time and packet.
    Transpose,
    /// Cuts the packet to what is written.
    CommitTrim,
    /// Converts the packet while it is written.
    CommitCast,
    /// The same, and negative values become zero.
    CommitCastRelu,
    /// Packs the valid elements of packets.
    CommitPack,
    /// Writes the stream to a new tensor in DM.
    Commit,
    /// Writes the stream to a view in DM.
    CommitView,
    /// Loads the tensor register file.
    ToTrf,
    /// Loads the vector register file.
    ToVrf,
}

/// From where a stage may be entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// From these positions.
    From(&'static [Position]),
    /// Inside of the Vector Engine, whose stages have an order of their own: [`may_follow`].
    Inside,
}

/// The position of a stream behind a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// This one.
    At(Position),
    /// That stage of the Vector Engine, for one stream or for two groups as before.
    Reaches(VectorStage),
    /// As before.
    Same,
    /// The stream ends.
    End,
}

impl Exit {
    /// Whether the Vector Engine's stages begin here.
    pub const fn opens(self) -> bool {
        matches!(
            self,
            Self::At(
                Position::Vector(VectorStage::Branch) | Position::VectorPair(VectorStage::Branch)
            )
        )
    }
}

/// The lanes of a stream behind a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lanes {
    /// None: outside of the Vector Engine.
    None,
    /// As before; 8 where that is unknown.
    Same,
    /// So many.
    Exactly(Way),
}

/// The element types that a stage takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Types {
    /// Any; what a conversion does not do is its own question.
    Any,
    /// Those that the Vector Engine computes on, which are those that leave it and the accumulator.
    Vector,
    /// Those that the Contraction Engine multiplies.
    Contraction,
    /// One.
    One(ElementType),
}

/// The element type behind a stage, where no parameter says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Makes {
    /// The same.
    Same,
    /// The one that sums of products have.
    Accumulator,
    /// One.
    One(ElementType),
}

/// What a stage does with the order of the packets that enter it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packets {
    /// Keeps it.
    Kept,
    /// Holds packets back until others came.
    Held,
    /// Makes one of its own, or drops packets.
    Remade,
}

/// A generic parameter of a method, by what it means for the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Generic {
    /// The element type of the result.
    Scalar,
    /// A mapping of the result.
    Level(Level),
    /// An axis type.
    Axis,
    /// A constant.
    Constant,
    /// A mapping that is no level of the result: the index of a tile, the key of a scatter, the tiled time of an unzip.
    Index,
    /// Always left to inference from an argument.
    Inferred,
}

/// What an argument of a method is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// The context that the call runs in: a DMA engine, or the sub context.
    Context,
    /// Where the result is put: bytes, or a region of the TRF.
    Address,
    /// A tensor or view that is read.
    Source,
    /// A tensor or view that is written.
    Target,
    /// A tensor of indices.
    Indices,
    /// Whether indices are byte offsets.
    Scaled,
    /// The first value of a tile.
    Start,
    /// What each part of a level takes.
    Pattern,
    /// A lookup table.
    Table,
    /// Zero points that are subtracted.
    ZeroPoints,
    /// How the engine is set: a topology, a layout, a branch mode.
    Configuration,
    /// The TRF tensor.
    Weights,
    /// The operation of an ALU or a reduction.
    Operation,
    /// The order of the operands.
    Mode,
    /// An operand of a group.
    Operand,
    /// An operand of a group with a constant beside it.
    OperandAndConstant,
    /// Whether a group runs the operation.
    GroupRuns,
    /// Integer bits of a fixed-point number.
    IntegerBits,
    /// What passes a filter.
    Condition,
    /// A value that elements are set to.
    Value,
    /// What is done to values while they are written.
    Activation,
}

/// A parameter of a stage, in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parameter {
    /// A generic: what it is, its name in a signature, what it means.
    Generic(Generic, &'static str, &'static str),
    /// An argument: its role and what it means.
    Argument(Role, &'static str),
}

/// A stage of the Tensor Unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The stage.
    pub stage: CanonicalStage,
    /// Its name, in no library's words.
    pub name: &'static str,
    /// The engine.
    pub engine: Engine,
    /// From where it may be entered.
    pub entry: Entry,
    /// The position behind it.
    pub exit: Exit,
    /// The lanes that it takes, inside of the Vector Engine.
    pub way: Option<Way>,
    /// The lanes behind it.
    pub lanes: Lanes,
    /// The element types that it takes.
    pub takes: Types,
    /// The element type behind it.
    pub makes: Makes,
    /// What it does with the order of packets.
    pub packets: Packets,
    /// Whether several operations may follow one another in it, each on an ALU of its own.
    pub repeats: bool,
    /// Whether a stash may be taken behind it.
    pub stashable: bool,
    /// Generics and arguments that a method for it has.
    pub parameters: &'static [Parameter],
    /// What it does, in a sentence.
    pub summary: &'static str,
}

/// Why a stage cannot be entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It takes flits, and the stream was not collected.
    NotCollected,
    /// The position does not lead to it.
    Order,
    /// The sub context commits only what comes straight from its fetch.
    SubContextCommit,
}

impl CanonicalStage {
    /// Its row.
    pub fn row(self) -> &'static Row {
        // The rows are in the order of the enum: a test holds it.
        CATALOGUE.get(self as usize).unwrap_or(&rows::FETCH)
    }

    /// Whether it is a stage inside of the Vector Engine.
    pub fn is_inside_vector(self) -> bool {
        self.row().entry == Entry::Inside
    }

    /// Whether it ends a stream.
    pub fn ends_stream(self) -> bool {
        self.row().exit == Exit::End
    }

    /// Whether it ends a stream that it writes to DM.
    pub fn commits(self) -> bool {
        self.row().engine == Engine::Commit && self.ends_stream()
    }

    /// The stage of the Vector Engine that it reaches.
    pub fn vector_stage(self) -> Option<VectorStage> {
        match self.row().exit {
            Exit::Reaches(stage)
            | Exit::At(Position::Vector(stage) | Position::VectorPair(stage)) => Some(stage),
            Exit::At(_) | Exit::Same | Exit::End => None,
        }
    }

    /// Why the pipeline does not let a stream at a position enter; `None` if it does. What the stages inside of the Vector
    /// Engine refuse is that engine's business, so that from there only entering it again is refused here.
    pub fn refusal(self, position: Position, context: Option<Context>) -> Option<Refusal> {
        let row = self.row();
        let Entry::From(positions) = row.entry else {
            return None;
        };
        // Where the packet is cut in a step of its own, the library says in which contexts.
        let direct = position < Position::CommitTrim && position != Position::Fetch;
        if self.commits() && context == Some(Context::Sub) && direct {
            return Some(Refusal::SubContextCommit);
        }
        if position.is_inside_vector() {
            return (row.engine == Engine::Vector).then_some(Refusal::Order);
        }
        if positions.contains(&position) {
            return None;
        }
        Some(
            if row.engine.takes_flits() && position < Position::Collect {
                Refusal::NotCollected
            } else {
                Refusal::Order
            },
        )
    }

    /// Whether it takes elements of a type.
    pub fn takes_type(self, element_type: ElementType) -> bool {
        match self.row().takes {
            Types::Any => true,
            Types::Vector => matches!(element_type, ElementType::I32 | ElementType::F32),
            Types::Contraction => contraction_type(element_type).is_some(),
            Types::One(one) => element_type == one,
        }
    }

    /// The position behind it. `merges` says that it makes one stream of two groups.
    pub fn position_after(self, before: Position, merges: bool) -> Position {
        match self.row().exit {
            Exit::At(position) => position,
            Exit::Reaches(stage) if !merges && matches!(before, Position::VectorPair(_)) => {
                Position::VectorPair(stage)
            }
            Exit::Reaches(stage) => Position::Vector(stage),
            Exit::Same | Exit::End => before,
        }
    }

    /// The lanes behind it.
    pub fn way_after(self, before: Option<Way>) -> Option<Way> {
        match self.row().lanes {
            Lanes::None => None,
            Lanes::Same => before.or(Some(Way::Way8)),
            Lanes::Exactly(way) => Some(way),
        }
    }

    /// The lanes of a packet that it makes, inside of the Vector Engine.
    pub fn lanes_made(self) -> Option<Way> {
        let row = self.row();
        match row.lanes {
            Lanes::None => None,
            Lanes::Same => row.way,
            Lanes::Exactly(way) => Some(way),
        }
    }

    /// The words of a parameter: a generic's name and meaning.
    pub fn generic(self, wanted: Generic) -> Option<(&'static str, &'static str)> {
        let mut parameters = self.row().parameters.iter();
        parameters.find_map(|parameter| match parameter {
            Parameter::Generic(generic, name, meaning) if *generic == wanted => {
                Some((*name, *meaning))
            }
            _ => None,
        })
    }

    /// What an argument of a role means.
    pub fn argument(self, wanted: Role) -> Option<&'static str> {
        let mut parameters = self.row().parameters.iter();
        parameters.find_map(|parameter| match parameter {
            Parameter::Argument(role, meaning) if *role == wanted => Some(*meaning),
            _ => None,
        })
    }
}

impl Position {
    /// Whether it is inside of the Vector Engine.
    pub const fn is_inside_vector(self) -> bool {
        matches!(
            self,
            Self::VectorInit | Self::Vector(_) | Self::VectorPair(_)
        )
    }

    /// The engine that a stream has left, or is in: `the Collect Engine`; `None` for a stream that has only begun.
    pub fn engine(self) -> Option<String> {
        let leaves = |row: &&Row| row.exit == Exit::At(self);
        match CATALOGUE.iter().find(leaves) {
            _ if self.is_inside_vector() => Some(Engine::Vector.to_string()),
            Some(row) => Some(format!("the {} Engine", row.engine.whole_engine_name())),
            None => None,
        }
    }
}

/// The engines of the Tensor Unit in the order of the pipeline.
pub fn order_of_engines() -> Vec<&'static str> {
    let mut found: Vec<&'static str> = Vec::new();
    for row in CATALOGUE {
        let whole = row.engine.whole_engine_name();
        if !whole.is_empty() && found.last() != Some(&whole) {
            found.push(whole);
        }
    }
    found
}

/// The row of a stage of the Vector Engine: the first that reaches it.
fn vector_row(stage: VectorStage) -> Option<&'static Row> {
    CATALOGUE
        .iter()
        .find(|row| row.stage.vector_stage() == Some(stage))
}

/// The stages of the Vector Engine in the order of its pipeline: each may be entered from every one before it.
pub fn vector_stages() -> &'static [VectorStage] {
    rows::VECTOR_ORDER
}

/// The lanes that a stage of the Vector Engine takes.
pub fn way_into(stage: VectorStage) -> Way {
    vector_row(stage)
        .and_then(|row| row.way)
        .unwrap_or(Way::Way8)
}

/// The lanes that a stage of the Vector Engine hands on.
pub fn way_out_of(stage: VectorStage) -> Way {
    let made = vector_row(stage).and_then(|row| row.stage.lanes_made());
    made.unwrap_or(Way::Way8)
}

/// Whether a stash may be taken behind a stage of the Vector Engine.
pub fn is_stashable(stage: VectorStage) -> bool {
    vector_row(stage).is_some_and(|row| row.stashable)
}

/// Whether a stage of the Vector Engine may be entered from another, lanes left aside.
pub fn may_follow(from: VectorStage, to: VectorStage) -> bool {
    let place = |stage| vector_stages().iter().position(|other| *other == stage);
    match (place(from), place(to)) {
        (Some(before), Some(after)) if before == after => {
            vector_row(to).is_some_and(|row| row.repeats)
        }
        (Some(before), Some(after)) => before < after,
        _ => true,
    }
}

#[cfg(test)]
mod tests;
