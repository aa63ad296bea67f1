//! What the values of a kernel are, found by following its statements in their order without running anything.
//!
//! `environment` holds names and facts; `statements` follows blocks, branches and loops; `expressions` and `calls` find values; `views`
//! are the tensors that indexing and access patterns give; `functions` says which function is followed with which arguments. Knows
//! nothing of rules. What is not certain is [`Value::Unknown`], with the reason.

mod allocations;
mod arguments;
mod assigned;
mod axes;
mod bindings;
mod calls;
mod described;
mod environment;
mod expressions;
mod facts;
mod following;
mod functions;
mod grids;
mod lives;
mod older;
mod parameters;
mod passing;
mod records;
mod stated;
mod statements;
mod tiles;
mod transfer_calls;
mod views;
mod waiting;

use std::sync::Arc;

pub use super::types::Argument;
pub use assigned::defined_functions;
pub use following::{FollowedRest, Part, Passes, Rest, follow_part, follow_rest};
pub use functions::{FindPart, Source};
pub use passing::agreed_value;
pub use records::{
    Allocation, Fixed, Followed, Instruction, Loop, NamedTensor, OlderForm, OlderKind,
    UnknownMember, Use, WrittenFunction,
};
pub use waiting::{Waiting, mentioned_names};

use super::names::Known;
use super::symbols::Size;
use super::types::{Dtype, Reason, Space, Tensor};

/// What a list of tensors holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Elements {
    /// Nothing yet.
    None,
    /// What the rounds before of a loop appended, which is not known.
    Appended,
    /// Tensors that are like this one.
    Each(Arc<Tensor>),
}

/// What an expression is.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Not known.
    Unknown(Reason),
    /// `None`.
    None,
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(Size),
    /// A number with a fraction.
    Float(f64),
    /// A string.
    Text(Arc<str>),
    /// A tuple, which nothing changes.
    Tuple(Arc<[Value]>),
    /// A list, until something may change it.
    List(Arc<[Value]>),
    /// A list of tensors of any length that no other name means.
    Tensors(Elements),
    /// An element type.
    Dtype(Dtype),
    /// A memory.
    Space(Space),
    /// A place in a memory: `sbuf.mod_alloc(base_addr=0)`.
    Place(Space, Arc<Fixed>),
    /// A module or member of NKI.
    Known(Known),
    /// A tensor or a view of one.
    Tensor(Arc<Tensor>),
    /// A parameter.
    Argument(Arc<Argument>),
    /// The shape of a parameter with an unknown number of axes.
    ShapeOf(Arc<Argument>),
    /// The number of axes of a parameter, unknown.
    RankOf(Arc<Argument>),
    /// `nl.ds(start, length)`.
    Section {
        /// The first index.
        start: Box<Value>,
        /// How many.
        length: Size,
    },
    /// An array of indices: `nl.arange(128)[:, None]`.
    Grid(Arc<grids::Grid>),
    /// `nl.par_dim(extent)`: the partition axis.
    Partition(Size),
    /// The version of the core that the code runs on.
    CoreVersion,
    /// A function of the file.
    Function(usize),
}

impl Value {
    /// The integer. A parameter in arithmetic is one.
    pub fn as_size(&self) -> Option<Size> {
        match self {
            Self::Int(size) | Self::Partition(size) => Some(size.clone()),
            Self::Bool(value) => Some(Size::number(i64::from(*value))),
            Self::Argument(argument) => Some(Size::named(
                Arc::clone(&argument.name),
                argument.number,
                super::symbols::Kind::Parameter,
            )),
            _ => None,
        }
    }

    /// The elements of a tuple or list.
    pub fn elements(&self) -> Option<&[Self]> {
        match self {
            Self::Tuple(elements) | Self::List(elements) => Some(elements),
            _ => None,
        }
    }

    /// Why it is not known, if so.
    pub const fn reason(&self) -> Reason {
        match self {
            Self::Unknown(reason) => *reason,
            _ => Reason::Expression,
        }
    }

    /// The member of an enumeration: `("dge_mode", "hwdge")`.
    pub fn member(&self) -> Option<(&'static str, &str)> {
        match self {
            Self::Known(known) => known
                .enumeration()
                .map(|(enumeration, member)| (enumeration.name, member)),
            _ => None,
        }
    }
}
