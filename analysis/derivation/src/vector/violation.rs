//! What the Vector Engine cannot do, with its numbers.

use crate::hardware::{Alu, ElementType, VectorOperation};
use crate::items::Span;
use crate::kernel::{Level, TensorId, VectorStage, Way};
use crate::mapping::Mapping;

/// A violation at a stage of the pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VectorViolation {
    /// The stage's number in the pass.
    pub stage: usize,
    /// Where the fault is written.
    pub span: Span,
    /// What it is.
    pub fault: VectorFault,
}

/// A mapping that is declared other than the operation makes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// `Time`, `Packet`, `TileTime` or `Slice`.
    pub parameter: &'static str,
    /// Where it is written.
    pub span: Span,
    /// What is written.
    pub declared: Mapping,
    /// What the operation makes.
    pub expected: Mapping,
}

/// What the engine cannot do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VectorFault {
    /// A stream of a type that the engine does not compute on.
    Type {
        /// Its type.
        found: ElementType,
        /// Where the type is written.
        written: Span,
    },
    /// A stream with another packet than 8 elements enters.
    Packet {
        /// Its elements.
        elements: u64,
        /// Time and packet of 8 elements with the same contents, if there are any.
        expected: Option<(Mapping, Mapping)>,
        /// Where the time is written.
        time: Span,
    },
    /// A stage is entered after a later one.
    StageOrder {
        /// The stage that is entered.
        entered: VectorStage,
        /// The stage the stream has reached.
        from: VectorStage,
        /// The method that reached it.
        earlier: Option<Span>,
        /// The stages that may be entered from there.
        allowed: Vec<VectorStage>,
    },
    /// A stage that works on other lanes than the stream has.
    Way {
        /// The stage; `None` for the engine's exit.
        entered: Option<VectorStage>,
        /// The lanes it takes.
        needs: Way,
    },
    /// An operation that the stage does not have for the stream's type.
    OperationType {
        /// The stage.
        entered: VectorStage,
        /// The operation as written.
        operation: String,
        /// The stream's type.
        stream: ElementType,
        /// Operations of the stage for that type.
        alternatives: Vec<String>,
    },
    /// An ALU is used a second time in one pass.
    AluReuse {
        /// The ALU.
        alu: Alu,
        /// The operation that used it.
        earlier: Span,
        /// The same function on ALUs that are still free.
        alternatives: Vec<&'static VectorOperation>,
        /// ALUs of the stage that are still free.
        free: Vec<Alu>,
        /// The pass runs two groups, which share their ALUs.
        pair: bool,
    },
    /// `trim_way4` drops lanes that can hold data.
    NarrowDropsData {
        /// The upper four lanes.
        upper: Mapping,
        /// Time and packet of a split.
        split: Option<(Mapping, Mapping)>,
    },
    /// A narrowing or widening on a packet of another size than its lanes.
    WaySize {
        /// Elements of the packet.
        elements: u64,
        /// Elements that it takes.
        needs: u64,
    },
    /// A widening that joins pairs of steps, of which there is an odd number.
    OddTime {
        /// Steps.
        steps: u64,
    },
    /// The declared shape is not what the operation makes.
    WayShape(Vec<Mismatch>),
    /// A stash that cannot be taken or read.
    Stash(StashFault),
    /// Something that two groups do not have.
    TwoGroup(TwoGroupFault),
    /// An operand that the stream does not hold.
    OperandMapping {
        /// The tensor in the VRF; `None` for the stash.
        tensor: Option<TensorId>,
        /// Axes that the operand has and the stream has not, or not so.
        missing: Vec<String>,
    },
    /// An operand in the VRF on other chips, clusters or slices than the stream.
    OperandPlacement {
        /// The tensor.
        tensor: TensorId,
        /// The level that differs.
        level: Level,
        /// The stream's.
        stream: Mapping,
        /// The operand's.
        held: Mapping,
    },
    /// An operand in the VRF with a hole that must not be touched.
    OperandHole {
        /// The tensor.
        tensor: TensorId,
    },
    /// An operand in the VRF of which a packet reads neither one address nor a run of cells.
    OperandAccess {
        /// The tensor.
        tensor: TensorId,
        /// The packet.
        packet: Mapping,
    },
    /// More elements inside the axis of two groups than the cache holds that the first group waits in.
    UnzipVolume {
        /// The axis.
        axis: String,
        /// Elements inside it, padding counted.
        elements: u64,
    },
    /// A reduction over an axis with padding.
    ReducePadding {
        /// The axis.
        axis: String,
        /// The part of time or packet that is padded.
        part: Mapping,
    },
    /// An operand of another type than the stream.
    OperandType {
        /// The operand's type.
        operand: ElementType,
        /// The stream's type.
        stream: ElementType,
        /// It is a literal.
        constant: bool,
    },
    /// The reduction's output is not its input without the axis.
    IntraMapping {
        /// The axis.
        axis: String,
        /// Parameters that differ, with what they should be.
        mismatches: Vec<Mismatch>,
        /// Other axes that share the four lanes with the reduced one.
        mixed: Vec<String>,
    },
    /// More accumulator slots than there are.
    IntraSlots {
        /// The axis.
        axis: String,
        /// Slots that the input needs.
        slots: u64,
        /// What needs them: factors of time inside the outermost reduced one, outermost first.
        inner: Vec<Mapping>,
        /// The input's time with the reduced axis innermost.
        reordered: Option<Mapping>,
    },
    /// A reduction across slices where there can be none.
    InterStage {
        /// The stage the stream has reached.
        from: VectorStage,
        /// An earlier reduction across slices.
        earlier: Option<Span>,
    },
    /// A reduction across slices with another output than it has.
    InterMapping {
        /// What is wrong.
        fault: InterFault,
        /// Slice and time with holes in place of what is reduced.
        expected: Option<(Mapping, Mapping)>,
    },
}

/// Why a stash cannot be taken or read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StashFault {
    /// The stage hands nothing to the stash.
    NotStashable {
        /// The stage.
        stage: VectorStage,
    },
    /// The stash holds a value that was not read yet.
    Live {
        /// The stash that holds it.
        earlier: Span,
    },
    /// The pass has stashed before, and its value was read.
    Again {
        /// The first stash.
        earlier: Span,
    },
    /// Nothing was stashed.
    Empty,
    /// The value was read before.
    Consumed {
        /// The operand that read it.
        earlier: Span,
    },
    /// The value has another type than the stream.
    Type {
        /// Its type.
        stashed: ElementType,
        /// The stream's type.
        stream: ElementType,
        /// The stash.
        taken: Span,
    },
    /// The value was stashed in another number of lanes than the reader has.
    Way {
        /// How it was stashed.
        stashed: Way,
        /// How it is read.
        read: Way,
        /// The stash.
        taken: Span,
    },
    /// Read by two groups, or after they were zipped: there the stash does not exist.
    TwoGroups,
}

/// What two groups do not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TwoGroupFault {
    /// A stash or filter.
    Method {
        /// The groups were zipped before.
        zipped: bool,
        /// Where the groups were made.
        unzip: Option<Span>,
    },
    /// An interleave axis of another size than 2.
    AxisSize {
        /// The axis.
        axis: String,
        /// Its size.
        size: u64,
    },
    /// An interleave axis that the stream's time does not have.
    AxisMissing {
        /// The axis.
        axis: String,
    },
}

/// What is wrong with the output of a reduction across slices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InterFault {
    /// The packet is another one.
    Packet,
    /// Time has axes that it did not have.
    NewInTime(Vec<String>),
    /// Axes of time are neither in time nor in the slice any more.
    LostFromTime(Vec<String>),
    /// Time runs in another order.
    TimeOrder,
    /// Axes that stay in the slice are at other slices.
    MovedInSlice(Vec<String>),
    /// Axes of the slice are reduced that are not its innermost ones.
    NotInnermost {
        /// The axes that are reduced.
        reduced: Vec<String>,
        /// The axes inside of them that stay; none where it is padding.
        inside: Vec<String>,
    },
}
