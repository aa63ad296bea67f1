//! Stages of a pass: what each method of a stream chain asks of its engine.
//!
//! A stage records what is written; whether an engine can do it is `derivation`'s business. The shape that leaves a
//! stage is the declared one, also where it is wrong: later stages go on from what the author says.

mod switch;

pub use self::switch::{SwitchConfig, SwitchParameter, SwitchTopology};

use crate::hardware::{ElementType, VectorOperation};
use crate::items::{ConstValue, Span};
use crate::mapping::{Axis, Mapping};

use super::catalogue::CanonicalStage;
use super::dialect::Dialect;
use super::{Level, TensorId, Written};

/// A position in the pipeline: the last engine a stream has left (book: Pipeline Position).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Position {
    /// After `begin`.
    Begin,
    /// After the Fetch Engine.
    Fetch,
    /// After a lift over chips.
    FetchChipLift,
    /// After a lift over clusters.
    FetchClusterLift,
    /// After a lift over slices.
    FetchSliceLift,
    /// After a mask of the Fetch Engine.
    FetchMask,
    /// After a table lookup of the Fetch Engine.
    FetchTableLookup,
    /// After a conversion of the Fetch Engine.
    FetchCast,
    /// After a zero point was subtracted.
    FetchZeroPoint,
    /// After the Switch Engine.
    Switch,
    /// After the Collect Engine.
    Collect,
    /// After `align`: stream and TRF operand side by side.
    Align,
    /// After the reduction inside of a packet.
    Contract,
    /// After the reduction over time, rows still apart.
    ContractTime,
    /// After the accumulator, rows laid out.
    Accumulate,
    /// After `vector_init`, before a first vector stage.
    VectorInit,
    /// Inside the Vector Engine.
    Vector(VectorStage),
    /// Inside the Vector Engine, two groups.
    VectorPair(VectorStage),
    /// After `vector_final`.
    VectorFinal,
    /// After the Cast Engine.
    Cast,
    /// After the Transpose Engine.
    Transpose,
    /// After the Commit Engine cut the packet.
    CommitTrim,
    /// After the Commit Engine converted the packet.
    CommitCast,
    /// After the Commit Engine packed the packet's valid elements.
    CommitPack,
}

/// A stage of the Vector Engine (book: Stages).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum VectorStage {
    /// Entry: branch configuration.
    Branch,
    /// Bitwise logic.
    Logic,
    /// Fixed point.
    Fxp,
    /// Fixed point to float.
    FxpToFp,
    /// 8-way to 4-way.
    Narrow,
    /// Float.
    Fp,
    /// Reduction inside a slice.
    IntraSliceReduce,
    /// Float division.
    FpDiv,
    /// 4-way to 8-way.
    Widen,
    /// Float to fixed point.
    FpToFxp,
    /// Clip.
    Clip,
    /// Reduction across slices.
    InterSliceReduce,
    /// Filter.
    Filter,
}

impl VectorStage {
    /// The stage's name in the book.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Branch => "Branch",
            Self::Logic => "Logic",
            Self::Fxp => "Fxp",
            Self::FxpToFp => "FxpToFp",
            Self::Narrow => "Narrow",
            Self::Fp => "Fp",
            Self::IntraSliceReduce => "IntraSliceReduce",
            Self::FpDiv => "FpDiv",
            Self::Widen => "Widen",
            Self::FpToFxp => "FpToFxp",
            Self::Clip => "Clip",
            Self::InterSliceReduce => "InterSliceReduce",
            Self::Filter => "Filter",
        }
    }
}

/// Lanes that a vector stage works on (book: Narrow, Widen).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Way {
    /// Eight 32-bit lanes: a flit a cycle.
    Way8,
    /// Four lanes: half a flit a cycle.
    Way4,
}

impl Way {
    /// How many lanes.
    pub const fn lanes(self) -> u64 {
        match self {
            Self::Way8 => 8,
            Self::Way4 => 4,
        }
    }
}

/// The declared shape of a stream between two stages.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct StreamShape {
    /// The last engine left.
    pub position: Position,
    /// The element type.
    pub element_type: Written<ElementType>,
    /// Chips.
    pub chip: Written<Mapping>,
    /// Clusters.
    pub cluster: Written<Mapping>,
    /// Slices.
    pub slice: Written<Mapping>,
    /// Rows: only between `align` and `accumulate`.
    pub row: Option<Written<Mapping>>,
    /// Iterations.
    pub time: Written<Mapping>,
    /// Elements of an iteration.
    pub packet: Written<Mapping>,
    /// Lanes, inside the Vector Engine.
    pub way: Option<Way>,
}

impl StreamShape {
    /// The declared mappings, outermost first.
    pub fn mappings(&self) -> impl Iterator<Item = &Written<Mapping>> {
        [&self.chip, &self.cluster, &self.slice]
            .into_iter()
            .chain(&self.row)
            .chain([&self.time, &self.packet])
    }

    /// The declared mappings, outermost first, to be changed.
    pub fn mappings_mut(&mut self) -> impl Iterator<Item = &mut Written<Mapping>> {
        [&mut self.chip, &mut self.cluster, &mut self.slice]
            .into_iter()
            .chain(&mut self.row)
            .chain([&mut self.time, &mut self.packet])
    }

    /// The pair `Time, Packet`; `None` if one is unknown or the product overflows.
    pub fn stream(&self) -> Option<Mapping> {
        self.time
            .value
            .as_ref()?
            .pair(self.packet.value.as_ref()?)
            .ok()
    }

    /// The full mapping: chip, cluster, slice, row if any, time, packet; `None` if one is unknown.
    pub fn full_mapping(&self) -> Option<Mapping> {
        let mut parts = vec![
            self.chip.value.clone()?,
            self.cluster.value.clone()?,
            self.slice.value.clone()?,
        ];
        if let Some(row) = &self.row {
            parts.push(row.value.clone()?);
        }
        parts.push(self.time.value.clone()?);
        parts.push(self.packet.value.clone()?);
        Mapping::product(&parts).ok()
    }

    /// The packet padded to the next multiple of `unit` bytes; `None` if it is one, or is unknown.
    pub fn padded_packet(&self, unit: u64) -> Option<Mapping> {
        let (element_type, packet) = (self.element_type.value?, self.packet.value.as_ref()?);
        let bits = packet.size().checked_mul(element_type.bits())?;
        let unit = unit.checked_mul(8)?;
        if bits.is_multiple_of(unit) {
            return None;
        }
        let elements = bits.checked_next_multiple_of(unit)? / element_type.bits();
        packet.form().pad(elements).map(|form| form.to_mapping())
    }

    /// Bytes of a packet; `None` if unknown or no whole number of bytes.
    pub fn packet_bytes(&self) -> Option<u64> {
        self.element_type
            .value?
            .bytes(self.packet.value.as_ref()?.size())
    }
}

/// One stage of a pass.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Stage {
    /// What is asked.
    pub kind: StageKind,
    /// The declared shape that leaves it.
    pub output: StreamShape,
    /// The method's name as written.
    pub method: String,
    /// The method's place.
    pub span: Span,
}

/// What a stage asks of its engine. The mappings that the method declares are in the stage's output.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum StageKind {
    /// Reads packets, also by a table or less zero points.
    Fetch {
        /// A lookup table is asked for.
        table: bool,
        /// Zero points, in the order of the arguments.
        zero_points: Vec<ZeroPoint>,
    },
    /// Reads a copy of an axis for each part of a level: chips, clusters or slices.
    FetchLift(Level),
    /// Masks what is no data.
    FetchMask,
    /// Looks elements up in a table.
    FetchTable,
    /// Converts elements while they are fetched.
    FetchCast,
    /// Subtracts a zero point while elements are fetched.
    FetchZeroPoint(ZeroPoint),
    /// Exchanges packets between slices.
    Switch(Written<SwitchConfig>),
    /// Cuts packets into flits.
    Collect,
    /// Pairs the stream with a TRF tensor.
    Align {
        /// The TRF tensor, if it could be followed.
        operand: Option<TensorId>,
        /// The argument's place.
        operand_span: Span,
    },
    /// Sums inside of a packet.
    Contract,
    /// The tree and the accumulator take maxima instead of sums (book: Spatial Reduction). No published library has a
    /// method for it.
    ContractMax,
    /// Sums over time, without laying the rows out.
    ContractTime,
    /// Sums over time, as far as that is left to do, and lays the rows out.
    Accumulate(Written<AccumulationKind>),
    /// Enters the Vector Engine.
    VectorInit,
    /// Opens the stages inside of a slice.
    VectorBranch(BranchMode),
    /// Two groups from here on.
    VectorUnzip {
        /// The interleave axis.
        axis: Written<Axis>,
        /// `Time` with the axis replaced by a hole.
        tile_time: Written<Mapping>,
    },
    /// An operation of an ALU.
    VectorAlu(AluOperation),
    /// A conversion between fixed point and float.
    VectorConvert {
        /// The stage that converts.
        to: VectorStage,
        /// Integer bits, if constant.
        integer_bits: Written<u64>,
    },
    /// Reads the lanes' 32 bits as the other scalar type.
    VectorReinterpret,
    /// Keeps the stream for a later operand.
    VectorStash,
    /// Drops iterations.
    VectorFilter,
    /// 8 lanes to 4 by time.
    VectorSplit,
    /// 8 lanes to 4 by dropping lanes.
    VectorTrim,
    /// 4 lanes to 8 by time.
    VectorConcat,
    /// 4 lanes to 8 by padding.
    VectorPad,
    /// Reduces inside of a slice.
    VectorIntraReduce {
        /// The axis that is reduced.
        axis: Written<Axis>,
        /// The operation's enum and variant.
        operation: Written<(String, String)>,
    },
    /// Reduces across slices.
    VectorInterReduce {
        /// The operation's enum and variant.
        operation: Written<(String, String)>,
    },
    /// Leaves the Vector Engine.
    VectorFinal,
    /// Lowers the precision.
    Cast,
    /// Transposes blocks of time and packet.
    Transpose,
    /// Cuts the packet to what is written.
    CommitTrim,
    /// Converts the packet while it is written.
    CommitCast {
        /// Negative values become zero.
        relu: bool,
    },
    /// Packs the valid elements of packets.
    CommitPack,
}

impl StageKind {
    /// The stage of the catalogue that asks for nothing beside the mappings that it declares; none for all others.
    pub const fn plain_stage(stage: CanonicalStage) -> Option<Self> {
        Some(match stage {
            CanonicalStage::FetchChipLift => Self::FetchLift(Level::Chip),
            CanonicalStage::FetchClusterLift => Self::FetchLift(Level::Cluster),
            CanonicalStage::FetchSliceLift => Self::FetchLift(Level::Slice),
            CanonicalStage::FetchMask => Self::FetchMask,
            CanonicalStage::FetchTable => Self::FetchTable,
            CanonicalStage::FetchCast => Self::FetchCast,
            CanonicalStage::Collect => Self::Collect,
            CanonicalStage::Contract => Self::Contract,
            CanonicalStage::ContractMax => Self::ContractMax,
            CanonicalStage::ContractTime => Self::ContractTime,
            CanonicalStage::VectorInit => Self::VectorInit,
            CanonicalStage::VectorReinterpret => Self::VectorReinterpret,
            CanonicalStage::VectorStash => Self::VectorStash,
            CanonicalStage::VectorFilter => Self::VectorFilter,
            CanonicalStage::VectorSplit => Self::VectorSplit,
            CanonicalStage::VectorTrim => Self::VectorTrim,
            CanonicalStage::VectorConcat => Self::VectorConcat,
            CanonicalStage::VectorPad => Self::VectorPad,
            CanonicalStage::VectorFinal => Self::VectorFinal,
            CanonicalStage::Cast => Self::Cast,
            CanonicalStage::Transpose => Self::Transpose,
            CanonicalStage::CommitTrim => Self::CommitTrim,
            CanonicalStage::CommitCast => Self::CommitCast { relu: false },
            CanonicalStage::CommitCastRelu => Self::CommitCast { relu: true },
            CanonicalStage::CommitPack => Self::CommitPack,
            _ => return None,
        })
    }

    /// Whether it is a step of the Fetch Engine on what was read.
    pub const fn adapts(&self) -> bool {
        matches!(
            self,
            Self::FetchLift(_)
                | Self::FetchMask
                | Self::FetchTable
                | Self::FetchCast
                | Self::FetchZeroPoint(_)
        )
    }

    /// Whether it looks elements up in a table.
    pub const fn looks_up(&self) -> bool {
        matches!(self, Self::Fetch { table: true, .. } | Self::FetchTable)
    }

    /// The stage of the catalogue.
    pub const fn canonical(&self) -> CanonicalStage {
        match self {
            Self::Fetch { .. } => CanonicalStage::Fetch,
            Self::FetchLift(Level::Chip) => CanonicalStage::FetchChipLift,
            Self::FetchLift(Level::Cluster) => CanonicalStage::FetchClusterLift,
            Self::FetchLift(_) => CanonicalStage::FetchSliceLift,
            Self::FetchMask => CanonicalStage::FetchMask,
            Self::FetchTable => CanonicalStage::FetchTable,
            Self::FetchCast => CanonicalStage::FetchCast,
            Self::FetchZeroPoint(_) => CanonicalStage::FetchZeroPoint,
            Self::Switch(_) => CanonicalStage::Switch,
            Self::Collect => CanonicalStage::Collect,
            Self::Align { .. } => CanonicalStage::Align,
            Self::Contract => CanonicalStage::Contract,
            Self::ContractMax => CanonicalStage::ContractMax,
            Self::ContractTime => CanonicalStage::ContractTime,
            Self::Accumulate(_) => CanonicalStage::Accumulate,
            Self::VectorInit => CanonicalStage::VectorInit,
            Self::VectorBranch(_) => CanonicalStage::VectorBranch,
            Self::VectorUnzip { .. } => CanonicalStage::VectorUnzip,
            Self::VectorAlu(operation) => match operation.stage {
                VectorStage::Logic => CanonicalStage::VectorLogic,
                VectorStage::Fxp => CanonicalStage::VectorFxp,
                VectorStage::FpDiv => CanonicalStage::VectorFpDiv,
                VectorStage::Clip => CanonicalStage::VectorClip,
                _ => CanonicalStage::VectorFp,
            },
            Self::VectorConvert {
                to: VectorStage::FxpToFp,
                ..
            } => CanonicalStage::VectorFxpToFp,
            Self::VectorConvert { .. } => CanonicalStage::VectorFpToFxp,
            Self::VectorReinterpret => CanonicalStage::VectorReinterpret,
            Self::VectorStash => CanonicalStage::VectorStash,
            Self::VectorFilter => CanonicalStage::VectorFilter,
            Self::VectorSplit => CanonicalStage::VectorSplit,
            Self::VectorTrim => CanonicalStage::VectorTrim,
            Self::VectorConcat => CanonicalStage::VectorConcat,
            Self::VectorPad => CanonicalStage::VectorPad,
            Self::VectorIntraReduce { .. } => CanonicalStage::VectorIntraReduce,
            Self::VectorInterReduce { .. } => CanonicalStage::VectorInterReduce,
            Self::VectorFinal => CanonicalStage::VectorFinal,
            Self::Cast => CanonicalStage::Cast,
            Self::Transpose => CanonicalStage::Transpose,
            Self::CommitTrim => CanonicalStage::CommitTrim,
            Self::CommitCast { relu: false } => CanonicalStage::CommitCast,
            Self::CommitCast { relu: true } => CanonicalStage::CommitCastRelu,
            Self::CommitPack => CanonicalStage::CommitPack,
        }
    }

    /// Whether it makes packets of the same places of several rows.
    pub const fn turns_rows(&self) -> bool {
        matches!(self, Self::Transpose)
    }
}

/// A zero point of a fetch (book: Fetch Engine, Zero Points).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ZeroPoint {
    /// The value, if constant.
    pub value: Option<i64>,
    /// Where it is written.
    pub span: Span,
}

/// Layout of the accumulator's output (book: Interleaved Mode, Sequential Mode).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AccumulationKind {
    /// Rows side by side in the packet.
    Interleaved,
    /// Rows one after the other in time.
    Sequential,
}

/// How a pass through the Vector Engine decides which groups run (book: Branch).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum BranchMode {
    /// Every cycle.
    Unconditional,
    /// By the parity of an axis; the path that names it, where it is known.
    AxisToggle(Option<String>),
    /// By the valid count generator.
    ValidCount,
    /// By comparisons; one for each bit of the execution id.
    Comparison(Vec<Comparison>),
    /// By a VRF tensor.
    Vrf,
    /// An expression that could not be followed.
    Unknown,
}

/// One comparison that sets a bit of the execution id.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Comparison {
    /// The name of the variant (`Greater`).
    pub relation: String,
    /// The type that it is for, as far as it says one.
    pub element_type: Option<ElementType>,
    /// The number that elements are compared with; none where there is none or it is not known.
    pub boundary: Option<ConstValue>,
}

/// One operation of an ALU, on one stream or on both groups of a pair (library: vector operations).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AluOperation {
    /// The stage the method belongs to.
    pub stage: VectorStage,
    /// The enum that is written (`FxpBinaryOp`).
    pub enumeration: String,
    /// Its variant (`AddFxp`).
    pub variant: String,
    /// The argument of the variant (`Mul0` in `MulF(FpMulAlu::Mul0)`).
    pub argument: Option<String>,
    /// The operation's expression.
    pub operation_span: Span,
    /// Operands, one list a group: one list on a single stream, two on a pair, none on a zip.
    pub operands: Vec<Vec<Operand>>,
    /// The order of the arguments as written (`Mode10`), where one is.
    pub mode: Option<String>,
    /// The elements that a unary operation is for, where it says so.
    pub guard: Option<Guard>,
    /// How many operands of a list are said to be for all branches of the stream, the most of any group.
    pub always: u64,
    /// The operation merges the two groups.
    pub zip: bool,
}

impl AluOperation {
    /// The operation that the names mean in a library; `None` for names that it does not have.
    pub fn known_operation(&self, library: Dialect) -> Option<&'static VectorOperation> {
        let argument = self.argument.as_deref();
        let found = library
            .operations()
            .find(&self.enumeration, &self.variant, argument);
        found.map(|found| found.operation)
    }

    /// Whether every group skips it: it then enters its stage and computes nothing.
    pub fn is_skipped(&self) -> bool {
        let skips = |group: &Vec<Operand>| {
            let mut operands = group.iter();
            !group.is_empty() && operands.all(|operand| operand.source == OperandSource::Skip)
        };
        !self.operands.is_empty() && self.operands.iter().all(skips)
    }
}

/// One operand.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Operand {
    /// What it is.
    pub source: OperandSource,
    /// Which elements take it; none where the library's way of writing it says nothing of that.
    pub guard: Option<Guard>,
    /// Which elements take it, as releases before guarded slots write it; none where nothing is said.
    pub group: Option<Guard>,
    /// The number that a constant is, where it is known.
    pub number: Option<ConstValue>,
    /// Its expression.
    pub span: Span,
}

/// Which elements a guarded operand or operation is for, by their execution ids of 4 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Guard {
    /// Each.
    All,
    /// Those of a group, 0 or 1: bit 3 of the id.
    Group(u8),
    /// Those whose bits are as required; none for a bit that does not matter. Bit 0 first.
    Matches([Option<bool>; 4]),
    /// All but those.
    NotMatches([Option<bool>; 4]),
    /// An expression that could not be followed.
    Unknown,
}

impl Guard {
    /// Whether it admits each element; `None` where that is unknown.
    pub fn admits_all(self) -> Option<bool> {
        match self {
            Self::All => Some(true),
            Self::Group(_) => Some(false),
            Self::Matches(bits) => Some(bits.iter().all(Option::is_none)),
            // A pattern that every id matches leaves nothing, any other leaves some and refuses some.
            Self::NotMatches(_) => Some(false),
            Self::Unknown => None,
        }
    }

    /// Whether it admits no element; `None` where that is unknown.
    pub fn admits_none(self) -> Option<bool> {
        match self {
            Self::All | Self::Group(_) | Self::Matches(_) => Some(false),
            Self::NotMatches(bits) => Some(bits.iter().all(Option::is_none)),
            Self::Unknown => None,
        }
    }
}

/// What an operand reads.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum OperandSource {
    /// A constant; its type if the literal tells.
    Constant(Option<ElementType>),
    /// A tensor in the VRF.
    Vrf(TensorId),
    /// The stash.
    Stash,
    /// `()`: the group is skipped.
    Skip,
    /// An expression that could not be followed.
    Unknown,
}
