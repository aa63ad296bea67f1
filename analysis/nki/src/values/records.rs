//! What following a file leaves behind: transfers, loops, named tensors, and what else rules and hovers ask for.
//!
//! Plain data; decides nothing.

use std::sync::Arc;

use crate::names::{Api, Enumeration};
use crate::symbols::Size;
use crate::transfers::Transfer;
use crate::types::{Generations, Span, Tensor};

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
    /// The step at which it begins.
    pub begin: u32,
    /// The step at which it ends.
    pub end: u32,
}

/// Where a tensor is put by its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixed {
    /// The first byte of a partition, or the first bank of PSUM.
    pub base: i64,
    /// How many tiles are kept along each axis before the partition; none where all are at one place.
    pub tiles: Vec<i64>,
    /// Whether banks of PSUM are counted, and not bytes.
    pub in_banks: bool,
    /// Where the number is written.
    pub at: Span,
}

/// A use of a tensor in SBUF or PSUM by an instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Use {
    /// The call that declares the tensor.
    pub declared: Span,
    /// The step: statements are followed in their order.
    pub at: u32,
    /// Whether what is in it is needed, and not only written.
    pub reads: bool,
    /// The branch that it is in, by its number.
    pub branch: usize,
    /// The function that it is in.
    pub function: Option<usize>,
    /// What uses it.
    pub span: Span,
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
    /// The step at which it is allocated.
    pub at: u32,
    /// Where it is put, if the kernel says so by a number.
    pub fixed: Option<Fixed>,
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

/// What of an earlier API a kernel of the current package has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OlderKind {
    /// The result of an instruction is used, which writes a destination by now.
    Result,
    /// `nl.par_dim(…)`.
    Partition,
    /// `nl.arange(…)`.
    Arange,
    /// `mask=` of an instruction.
    Mask,
    /// A number for a member of an enumeration.
    Number,
    /// The name of a memory as a string.
    TextBuffer,
    /// The scales of `dma_compute` before the operation.
    ScalesFirst,
    /// `use_gpsimd_dma=`.
    GpsimdDma,
    /// `imm=` of `register_move`.
    Immediate,
    /// `tensor_copy_dynamic_src` and `tensor_copy_dynamic_dst`.
    DynamicCopy,
    /// `platform_target=` and `mode=` of the decorator.
    Decorator,
    /// An import of `neuronxcc.nki`.
    Package,
}

/// A place with a form of an earlier API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OlderForm {
    /// What.
    pub kind: OlderKind,
    /// Where.
    pub span: Span,
    /// The edits that write the current form; none where that takes thought.
    pub edits: Vec<(Span, String)>,
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
    /// Transfers that are named and not called there.
    pub mentions: Vec<Span>,
    /// Loops.
    pub loops: Vec<Loop>,
    /// Tensors that are allocated.
    pub allocations: Vec<Allocation>,
    /// Uses of tensors in SBUF and PSUM, in the order of the steps.
    pub uses: Vec<Use>,
    /// For each branch the one that it is in; the first is that of code in no branch, and is in itself.
    pub branches: Vec<usize>,
    /// Instructions of the GpSimd Engine.
    pub gpsimd: Vec<Instruction>,
    /// Forms of an earlier API.
    pub older: Vec<OlderForm>,
    /// Members that do not exist.
    pub unknown_members: Vec<UnknownMember>,
    /// Names that mean tensors.
    pub named: Vec<NamedTensor>,
    /// Whether comments or docstrings say what is known of arguments.
    pub has_descriptions: bool,
    /// Whether NKI is imported anywhere.
    pub takes_part: bool,
    /// Whether the file was too long to be followed to its end.
    pub is_cut: bool,
}
