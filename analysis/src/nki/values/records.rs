//! What following a file leaves behind: transfers, loops, named tensors, and what else rules and hovers ask for.
//!
//! Plain data; decides nothing.

use std::sync::Arc;

use crate::nki::names::{Api, Enumeration};
use crate::nki::symbols::Size;
use crate::nki::transfers::Transfer;
use crate::nki::types::{Generations, Span, Tensor};

/// A loop around transfers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loop {
    /// The loop's first line: `for i in …:`.
    pub span: Span,
    /// How often it runs, if that is known.
    pub count: Option<Size>,
    /// Whether the count is known at run time only.
    pub is_dynamic: bool,
    /// The loop that it is in.
    pub within: Option<usize>,
}

/// A tensor that is allocated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allocation {
    /// What.
    pub tensor: Arc<Tensor>,
    /// The form of the API.
    pub api: Api,
    /// The generations that it may be for.
    pub generations: Generations,
    /// Whether `par_dim` marks its partition axis.
    pub is_marked: bool,
    /// The function that it is in.
    pub function: Option<usize>,
    /// What a load reads to fill it; `None` where a shape declares it.
    pub loaded_from: Option<Span>,
}

/// An instruction that the GpSimd Engine runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instruction {
    /// Its name.
    pub name: String,
    /// Its call.
    pub span: Span,
    /// The innermost loop.
    pub within: Option<usize>,
}

/// A member that an enumeration does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownMember {
    /// The enumeration.
    pub enumeration: &'static Enumeration,
    /// The name behind the dot.
    pub span: Span,
}

/// A place where a name means a tensor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedTensor {
    /// The name's place.
    pub span: Span,
    /// The tensor there.
    pub tensor: Arc<Tensor>,
    /// Whether the name is bound there.
    pub is_assigned: bool,
}

/// A function of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenFunction {
    /// Its name.
    pub name: String,
    /// The place of the name.
    pub name_span: Span,
    /// All of it.
    pub span: Span,
    /// Whether it is decorated as a kernel.
    pub is_kernel: bool,
}

/// What following a text found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Followed {
    /// Functions, in the file's order.
    pub functions: Vec<WrittenFunction>,
    /// Transfers, in the order in which they were followed.
    pub transfers: Vec<Transfer>,
    /// Loops.
    pub loops: Vec<Loop>,
    /// Tensors that are allocated.
    pub allocations: Vec<Allocation>,
    /// Instructions of the GpSimd Engine.
    pub gpsimd: Vec<Instruction>,
    /// Members that do not exist.
    pub unknown_members: Vec<UnknownMember>,
    /// Names that mean tensors.
    pub named: Vec<NamedTensor>,
    /// Whether NKI is imported anywhere.
    pub takes_part: bool,
    /// Whether the file was too long to be followed to its end.
    pub is_cut: bool,
}
