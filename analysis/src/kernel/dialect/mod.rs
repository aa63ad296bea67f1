//! The libraries that kernels are written against, as tables.
//!
//! One table a dialect: its types with their generic parameters in order, its methods with receiver, turbofish order
//! and what they do. The lowering interprets the tables and knows no library's names of its own. The tables hold no
//! numbers of the hardware.

mod guide;
mod opt_std;
mod visa_std;

use super::{Level, Position, Tier, VectorStage, Way};

pub use guide::{Guide, GuideRow, Part};
pub use opt_std::OPT_STD;
pub use visa_std::VISA_STD;

/// How a tensor type holds its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    /// The tensor itself.
    Owned,
    /// A shared view.
    Shared,
    /// An exclusive view.
    Exclusive,
}

/// A generic parameter of a type, by what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TypeParameter {
    /// The element type.
    Scalar,
    /// A mapping.
    Level(Level),
    /// The context, `main` or `sub`, as a constant.
    Context,
    /// The position marker of the general stream type.
    Position,
    /// The stage marker of the general vector stream.
    Stage,
    /// The packet mode of a vector stream.
    Way,
    /// Nothing that operations depend on.
    Other,
}

/// What a type of the library is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TypeShape {
    /// A tensor at rest, or a view of one.
    Tensor(Tier, Access),
    /// A stream at a position; `None` where a parameter names it.
    Stream(Option<Position>, Option<Way>),
    /// The whole context.
    Device,
    /// The context of the tensor unit, `main` or `sub`.
    TensorUnit,
    /// The context of a DMA engine.
    DmaEngine,
    /// A container that derefs to its argument (`ArrayVec`).
    Container,
}

/// A type of the library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TypeEntry {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub shape: TypeShape,
    /// Its type and constant parameters in order, lifetimes left out.
    pub parameters: &'static [TypeParameter],
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

/// Which receivers a method has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Receiver {
    /// Tensors of a tier, by access.
    Tensor(Tier, &'static [Access]),
    /// `ctx.main` and `ctx.sub`.
    TensorUnit,
    /// `ctx.tdma` and `ctx.pdma`.
    DmaEngine,
    /// Any stream. Whether its position allows the method is the derivation's question.
    Stream,
    /// A single stream in the Vector Engine.
    Single,
    /// Two groups in the Vector Engine.
    Pair,
}

/// How many operands an operation of an ALU takes besides the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Arity {
    /// None; on a pair two booleans say which groups run.
    Unary,
    /// One operand.
    Binary,
    /// Two operands, the second a constant.
    Ternary,
}

/// What a method of a stream asks of its engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StageAction {
    /// Fetch Engine.
    Fetch {
        /// The argument is a lookup table.
        table: bool,
        /// The argument holds zero points.
        zero_points: bool,
    },
    /// Switch Engine; the argument is the configuration.
    Switch,
    /// Collect Engine.
    Collect,
    /// Pairs the stream with the TRF tensor in the argument.
    Align,
    /// Spatial reduction.
    Contract {
        /// Of the largest, not the sum.
        maximum: bool,
    },
    /// Temporal reduction.
    Accumulate,
    /// Entry of the Vector Engine.
    VectorInit,
    /// Branch configuration in the argument.
    VectorBranch,
    /// Two groups from here on.
    VectorUnzip,
    /// An operation of an ALU.
    VectorAlu {
        /// The stage it belongs to.
        stage: VectorStage,
        /// Operands.
        arity: Arity,
        /// An argument mode stands behind the operation.
        mode: bool,
        /// Merges the two groups.
        zip: bool,
    },
    /// Conversion between fixed point and float.
    VectorConvert(VectorStage),
    /// Keeps the stream for a later operand.
    VectorStash,
    /// Drops iterations.
    VectorFilter,
    /// 8-way to 4-way by time.
    VectorSplit,
    /// 8-way to 4-way by dropping lanes.
    VectorTrim,
    /// 4-way to 8-way by time.
    VectorConcat,
    /// 4-way to 8-way by dummy lanes.
    VectorPad,
    /// Reduction inside a slice.
    VectorIntraReduce,
    /// Reduction across slices.
    VectorInterReduce,
    /// Exit of the Vector Engine.
    VectorFinal,
    /// Cast Engine.
    Cast,
    /// Transpose Engine.
    Transpose,
}

/// What a method does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// A view of the tensor.
    View(Access),
    /// A part of a view along one level.
    Tile(Level),
    /// A transfer that makes a tensor of a tier. Arguments: context, address (no address: the library chooses).
    Transfer(Tier),
    /// A transfer into a tensor or view in the arguments. Arguments: context, target.
    TransferInto,
    /// A gather that makes a DM tensor. Arguments: index tensor, address.
    Gather,
    /// A scatter into an HBM tensor. Arguments: index tensor, target, scaled.
    Scatter,
    /// The same bytes under another type.
    Reshape,
    /// A collective that makes a tensor of the source's mapping at address 0: the parts of a level change places.
    /// Arguments: source, pattern.
    Shuffle(Level),
    /// A collective that makes a DM tensor with another element mapping at address 0: each part of a level takes a part
    /// of its elements. Arguments: source, pattern.
    ParallelCopy(Level),
    /// Begins a stream. Argument: the view.
    Begin,
    /// Begins a stream of several tensors in turn. Arguments: the views.
    BeginInterleaved,
    /// A stage of a stream.
    Stage(StageAction),
    /// Makes a DM tensor of a stream. Argument: address.
    Commit,
    /// Writes a stream to a view. Argument: the view.
    CommitView,
    /// Loads the TRF. Argument: region.
    ToTrf,
    /// Loads the VRF. Argument: address.
    ToVrf,
    /// Gives the receiver itself.
    Same,
    /// Something about the tensor that operations do not depend on.
    Accessor,
}

impl Action {
    /// Whether a call begins an operation; stages and ends of a pass belong to the one that began it.
    #[must_use]
    pub const fn runs(self) -> bool {
        matches!(
            self,
            Self::Transfer(_)
                | Self::TransferInto
                | Self::Gather
                | Self::Scatter
                | Self::Shuffle(_)
                | Self::ParallelCopy(_)
                | Self::Begin
                | Self::BeginInterleaved
        )
    }
}

/// A method of the library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Method {
    /// Its name.
    pub name: &'static str,
    /// Its receiver.
    pub receiver: Receiver,
    /// Its type and constant parameters in the order of the turbofish.
    pub generics: &'static [Generic],
    /// What it does.
    pub action: Action,
}

/// What an associated function of a tensor type makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Constructor {
    /// A tensor at a given address.
    FromAddress,
    /// A tensor with contents from outside.
    Contents,
}

/// An associated function of a tensor type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AssociatedFunction {
    /// Its name.
    pub name: &'static str,
    /// The tiers that have it.
    pub tiers: &'static [Tier],
    /// What it makes.
    pub constructor: Constructor,
}

/// A library that kernels are written against.
#[derive(Debug, Clone, Copy)]
pub struct Dialect {
    /// The library's crate.
    pub crate_name: &'static str,
    /// Its types.
    pub types: &'static [TypeEntry],
    /// Its methods. A receiver may have several of one name.
    pub methods: &'static [Method],
    /// Associated functions of tensor types.
    pub associated: &'static [AssociatedFunction],
    /// Fields of the whole context.
    pub context_fields: &'static [(&'static str, super::Context)],
}

impl Dialect {
    /// The type of that name.
    #[must_use]
    pub fn type_entry(&self, name: &str) -> Option<&'static TypeEntry> {
        self.types.iter().find(|entry| entry.name == name)
    }

    /// All methods of that name.
    pub fn methods(&self, name: &str) -> impl Iterator<Item = &'static Method> {
        self.methods
            .iter()
            .filter(move |method| method.name == name)
    }

    /// The context that a field of the whole context is.
    #[must_use]
    pub fn context_field(&self, name: &str) -> Option<super::Context> {
        self.context_fields
            .iter()
            .find(|(field, _)| *field == name)
            .map(|(_, context)| *context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_of_a_receiver_is_unique() {
        for (index, method) in VISA_STD.methods.iter().enumerate() {
            let twin = VISA_STD
                .methods
                .iter()
                .skip(index + 1)
                .find(|other| other.name == method.name && other.receiver == method.receiver);
            assert_eq!(twin, None, "{} stands twice", method.name);
        }
    }

    #[test]
    fn the_aliases_of_streams_have_the_books_order_of_parameters() {
        let entry = VISA_STD
            .type_entry("CollectTensor")
            .expect("a type of the library");
        assert_eq!(
            entry.shape,
            TypeShape::Stream(Some(Position::Collect), None)
        );
        assert_eq!(
            entry.parameters,
            [
                TypeParameter::Context,
                TypeParameter::Scalar,
                TypeParameter::Level(Level::Chip),
                TypeParameter::Level(Level::Cluster),
                TypeParameter::Level(Level::Slice),
                TypeParameter::Level(Level::Time),
                TypeParameter::Level(Level::Packet),
            ]
        );
    }

    #[test]
    fn the_vector_methods_number_as_the_library_has_them() {
        // Single: branch, unzip, inter reduce, final, stash, filter, split, trim, concat, pad, intra reduce, and the
        // operations logic, fxp, fp_unary, fp_binary, fp_ternary, fp_div, clip with their `_with_mode` twins, plus
        // two conversions and the entry.
        let single = VISA_STD
            .methods
            .iter()
            .filter(|method| {
                method.name.starts_with("vector_") && !matches!(method.receiver, Receiver::Pair)
            })
            .count();
        assert_eq!(single, 12 + 14 + 2);
        // Pair: the same operations, conversions, split, concat, trim, pad, and four zips with twins.
        let pair = VISA_STD
            .methods
            .iter()
            .filter(|method| matches!(method.receiver, Receiver::Pair))
            .count();
        assert_eq!(pair, 14 + 2 + 4 + 8);
    }
}
