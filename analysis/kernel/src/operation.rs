//! Operations of a body in program order: transfers, passes of the tensor unit, collectives.

use std::sync::Arc;

use crate::hardware::Machine;
use crate::items::{ConstValue, Dialect, Span};
use crate::libraries::Library;
use crate::mapping::{Axis, Mapping};
use crate::names::nearest_names;

use super::catalogue::CanonicalStage;
use super::dialect::{self, AssociatedFunction, Method, Releases};
use super::{
    Context, Level, Position, Stage, StageKind, StreamShape, Tensor, TensorId, Tier, Written,
};

/// An operation's number within its body, in program order. An operation in a loop body has one number a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OperationId(pub u32);

/// `#[device(chip = N)]`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DeviceAttribute {
    /// The chip count, if it is a literal.
    pub chips: Option<u64>,
    /// How many processing elements of each chip, if it is a literal.
    pub pes: Option<u64>,
    /// The attribute's argument.
    pub span: Span,
}

/// One run of a loop around an operation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LoopFrame {
    /// The `for` or `while` keyword: identifies the loop.
    pub span: Span,
    /// The run that this copy of the operation stands for, from 0.
    pub iteration: u64,
    /// How many runs the loop has, if constant.
    pub count: Option<u64>,
}

/// The arm of an `if` or `match` with an unknown condition that an operation is in. Two operations whose paths
/// name different arms of one branching never both run.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct BranchArm {
    /// The `if` or `match` keyword: identifies the branching.
    pub span: Span,
    /// The arm, from 0.
    pub arm: u32,
}

/// A lowered function body.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Body {
    /// The function's name.
    pub name: String,
    /// The name's place.
    pub span: Span,
    /// `#[device]`, if it is a kernel.
    pub device: Option<DeviceAttribute>,
    /// How many chips it runs on: by the attribute, else, in a kernel or a function that none reaches, by the project's
    /// setting. A function that kernels call has none of its own.
    pub chips: Option<u64>,
    /// The library that it is written for.
    pub dialect: Dialect,
    /// What it runs on.
    pub machine: Machine,
    /// Whether some `#[device]` function of the workspace reaches this one. A fragment that nothing calls is judged
    /// more mildly: the hardware that its author has in mind is unknown.
    pub reached_from_kernel: bool,
    /// All tensors and views, by number.
    pub tensors: Vec<Tensor>,
    /// All operations in program order, helpers that are called inlined.
    pub operations: Vec<Operation>,
    /// What could not be resolved, with its reason. Each counts as one unresolved operation.
    pub unresolved: Vec<Unresolved>,
    /// The operations that `unresolved` speaks about although they are in `operations`, in program order: something
    /// of them is unknown.
    pub incomplete: Vec<OperationId>,
    /// What the function is given from outside, in order, the device left out.
    pub parameters: Vec<Parameter>,
    /// The tensors that it returns, in order, with the place of each in the result: `result`, `result.1`, `result.y`.
    pub results: Vec<(String, TensorId)>,
    /// Tensors that the body returns or that outlive it (by reference parameters written to).
    pub escaping: Vec<TensorId>,
    /// Launches of kernels, in host code: the kernels' operations are in bodies of their own.
    pub launches: Vec<Launch>,
    /// Loops whose runs were not all unrolled: only the first two and the last run are in `operations`.
    pub shortened_loops: Vec<Span>,
    /// Loops with operations that run an unknown number of times: two runs stand for all.
    pub unbounded_loops: Vec<Span>,
    /// Branchings of which an arm leaves a loop or a function before operations that are in `operations` anyway.
    pub undecided_exits: Vec<Span>,
    /// Calls that the library does not have in this release, each place once.
    pub foreign: Vec<ForeignCall>,
    /// Calls that copy a tensor of a register file by `clone`, each place once, with the tensor.
    pub register_clones: Vec<(TensorId, Span)>,
}

/// A call on something that is known to be the library's, as another release of it or the other library has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ForeignCall {
    /// The place of the name.
    pub span: Span,
    /// The library that has it.
    pub library: Library,
    /// What is called.
    pub called: ForeignCallee,
    /// The context that runs it, where that is known.
    pub context: Option<Context>,
}

/// What a foreign call calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ForeignCallee {
    /// A method.
    Method(&'static Method),
    /// An associated function of a tensor of a tier.
    Function(&'static AssociatedFunction, Tier),
}

impl Body {
    /// How often the operation's text runs: each run of a loop, and each call of a helper, is an operation of its own here.
    pub fn runs_of(&self, operation: &Operation) -> u64 {
        let runs = self.operations.iter();
        runs.filter(|other| other.span == operation.span).count() as u64
    }

    /// The tensor of that number.
    pub fn tensor(&self, id: TensorId) -> Option<&Tensor> {
        self.tensors.get(id.0 as usize)
    }

    /// A tensor, then what it is a view or another type of, to the one that has bytes of its own.
    pub fn sharing(&self, id: TensorId) -> impl Iterator<Item = &Tensor> {
        let next = |tensor: &&Tensor| self.tensor(tensor.origin.shares()?);
        // A tensor is made after what it is a view of, so that the chain ends; the bound holds for any input.
        std::iter::successors(self.tensor(id), next).take(self.tensors.len())
    }

    /// The tensor that has the bytes which a tensor shares; itself if it has its own.
    pub fn root(&self, id: TensorId) -> TensorId {
        self.sharing(id).last().map_or(id, |tensor| tensor.id)
    }

    /// The table of the library that it is written for.
    pub const fn library(&self) -> dialect::Dialect {
        dialect::dialect_in_release(self.dialect)
    }

    /// The operation of that number.
    pub fn operation(&self, id: OperationId) -> Option<&Operation> {
        self.operations.get(id.0 as usize)
    }
}

/// A tensor or a number that a function is given.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Parameter {
    /// The parameter's name, and where it is in it: `x`, `params.q`, `layers[0]`.
    pub name: String,
    /// The number of the function's parameter that it is in, the device left out.
    pub position: usize,
    /// What it is.
    pub given: Given,
}

/// What a parameter is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Given {
    /// A tensor, and whether it is lent to be changed.
    Tensor {
        /// The tensor.
        tensor: TensorId,
        /// Whether it may be written.
        is_mutable: bool,
    },
    /// A number of run time.
    Number,
}

/// A launch of a kernel by host code.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Launch {
    /// The operations before it; it runs before the one of this number.
    pub before: OperationId,
    /// The tensors that the kernel is given.
    pub tensors: Vec<TensorId>,
    /// The call.
    pub span: Span,
}

/// One operation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Operation {
    /// Its number.
    pub id: OperationId,
    /// What it does.
    pub kind: OperationKind,
    /// The context it runs in.
    pub context: Context,
    /// The method that starts it (`to_dm`, `begin`, …).
    pub span: Span,
    /// The loops around it, outermost first.
    pub loops: Vec<LoopFrame>,
    /// The undecided branches around it, outermost first.
    pub branches: Vec<BranchArm>,
    /// Call sites through which an inlined helper was reached, outermost first; empty in the function itself.
    pub calls: Vec<Span>,
}

/// What an operation does.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum OperationKind {
    /// A DMA transfer.
    Copy(Box<Copy>),
    /// A pass of the tensor unit, from `begin` to its end. Copies of a body share it: it is most of an operation.
    Pass(Arc<Pass>),
    /// A shuffle, parallel copy, gather or scatter.
    Collective(Box<Collective>),
}

/// A DMA transfer: one tensor is written from another, in the order the two mappings say.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Copy {
    /// The method's name (`to_dm`, `to_hbm_view`, …).
    pub method: &'static str,
    /// What is read: a tensor or a view.
    pub source: TensorId,
    /// What is written: a tensor that this operation makes, or a view of one that exists.
    pub target: TensorId,
    /// The method's place.
    pub span: Span,
}

/// A collective transfer of the library.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Collective {
    /// The method's name.
    pub method: &'static str,
    /// What is read.
    pub sources: Vec<TensorId>,
    /// What is written.
    pub targets: Vec<TensorId>,
    /// What it does with them.
    pub work: CollectiveWork,
    /// The method's place.
    pub span: Span,
}

/// What a collective does with its tensors.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum CollectiveWork {
    /// Reads rows of the first source by the indices of the second.
    Gather,
    /// Writes one row of the first source for each value of a key, to where the indices of the second source say.
    Scatter {
        /// The key: the part of the source that counts the rows.
        key: Written<Mapping>,
    },
    /// Reads the rows of the first source that the second names, as a plan describes.
    GatherRows(Rows),
    /// Writes the rows of the target that the second source names, as a plan describes.
    ScatterRows(Rows),
    /// Chips and clusters take the tensors of others, or parts of them, in one transfer.
    Redistribute {
        /// The steps of the plan.
        steps: Vec<RedistributionStep>,
        /// Each part reads its own tensor: nothing passes between parts.
        asymmetric: bool,
    },
    /// Sets each element of the target to one value.
    Fill {
        /// The value, where it is known.
        value: Option<ConstValue>,
    },
    /// Each part of a level takes what another part of it holds.
    Shuffle(Parts),
    /// Each part of a level takes a part of its own elements.
    ParallelCopy {
        /// The level and who takes what.
        parts: Parts,
        /// The index of which each part takes one value.
        index: Written<Mapping>,
        /// The elements with that index cut out, as declared.
        sliced: Written<Mapping>,
    },
}

/// The rows that a gather reads or a scatter writes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Rows {
    /// The axis of the table that the indices count.
    pub axis: Written<Mapping>,
    /// What each index names: the table's element without the axis.
    pub payload: Written<Mapping>,
    /// What the indices run over; `None` where the plan does not say it.
    pub domain: Option<Written<Mapping>>,
    /// Whether the indices are positions of the axis; else they are byte offsets.
    pub positions: bool,
    /// How many of the indices count, where not all do.
    pub prefix: Option<Written<u64>>,
}

/// A step of a redistribution.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RedistributionStep {
    /// Each part of a level takes what another part of it holds.
    Shuffle(Parts),
    /// Each part of a level takes one value of an axis.
    Slice {
        /// The level and who takes what.
        parts: Parts,
        /// The axis.
        index: Written<Mapping>,
        /// The element without it, as declared.
        element: Written<Mapping>,
    },
}

/// The parts of a level that a collective serves one by one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Parts {
    /// The level: chips or clusters.
    pub level: Level,
    /// How many parts the method is given that there are; `None` where it is not told.
    pub dimension: Option<Written<u64>>,
    /// What each part takes: another part, or a value of an index. `None` in place of a value that is no constant.
    pub pattern: Written<Vec<Option<u64>>>,
}

/// Where a pass takes its stream from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PassSource {
    /// `begin(view)`.
    Tensor(TensorId),
    /// `begin_interleaved::<I, ..>(first, second)`.
    Interleaved {
        /// The interleave axis and its place.
        axis: Written<Axis>,
        /// The tensors, index 0 of the axis first.
        tensors: Vec<TensorId>,
        /// The places of the arguments.
        spans: Vec<Span>,
    },
    /// A stream parameter of a stage function that is called with no concrete stream.
    Parameter {
        /// The position of the parameter's type.
        position: Position,
    },
}

/// A pass of the tensor unit.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Pass {
    /// The library that it is written for.
    pub dialect: Dialect,
    /// What it runs on.
    pub machine: Machine,
    /// `main` or `sub`; in a stage function generic over it, `None`.
    pub context: Option<Context>,
    /// Where the stream comes from.
    pub source: PassSource,
    /// The stream as it begins: `Time` 1 and `Packet` the tensor's element, or the parameter's type.
    pub begin: StreamShape,
    /// The stages in order.
    pub stages: Vec<Stage>,
    /// What becomes of the stream.
    pub end: PassEnd,
}

impl Pass {
    /// The table of the library that it is written for.
    pub const fn library(&self) -> dialect::Dialect {
        dialect::dialect_in_release(self.dialect)
    }

    /// The shape that enters stage `index`: the output of the stage before it, or the beginning.
    pub fn input_of(&self, index: usize) -> &StreamShape {
        match index
            .checked_sub(1)
            .and_then(|before| self.stages.get(before))
        {
            Some(stage) => &stage.output,
            None => &self.begin,
        }
    }

    /// The shape that enters the accumulator whose rows stage `index` lays out: the one before the reduction over time, where
    /// that is a stage of its own.
    pub fn accumulated(&self, index: usize) -> &StreamShape {
        let before = index
            .checked_sub(1)
            .and_then(|before| self.stages.get(before));
        match before {
            Some(stage) if stage.kind == StageKind::ContractTime => {
                self.input_of(index.saturating_sub(1))
            }
            _ => self.input_of(index),
        }
    }

    /// The last of the adapters behind a fetch, which convert what it reads; the fetch itself where there is none.
    pub fn last_adapter(&self, fetch: usize) -> usize {
        let behind = self.stages.iter().enumerate().skip(fetch.saturating_add(1));
        let adapters = behind.take_while(|(_, stage)| stage.kind.adapts());
        adapters.last().map_or(fetch, |(index, _)| index)
    }

    /// The shape that leaves the last stage.
    pub fn output(&self) -> &StreamShape {
        self.stages
            .last()
            .map_or(&self.begin, |stage| &stage.output)
    }
}

/// The end of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PassEnd {
    /// Makes a DM tensor.
    Commit {
        /// The tensor it makes.
        target: TensorId,
        /// The method's place.
        span: Span,
    },
    /// Writes into a view of a DM tensor.
    CommitView {
        /// The view it writes.
        target: TensorId,
        /// The method's place.
        span: Span,
    },
    /// Loads the tensor register file.
    ToTrf {
        /// The tensor it makes.
        target: TensorId,
        /// The method's place.
        span: Span,
    },
    /// Loads the vector register file.
    ToVrf {
        /// The tensor it makes.
        target: TensorId,
        /// The method's place.
        span: Span,
    },
    /// Returned from a stage function, dropped, or lost where the chain could not be followed.
    Open,
}

impl PassEnd {
    /// The stage of the catalogue; none where nothing ends the stream.
    pub const fn canonical(&self) -> Option<CanonicalStage> {
        Some(match self {
            Self::Commit { .. } => CanonicalStage::Commit,
            Self::CommitView { .. } => CanonicalStage::CommitView,
            Self::ToTrf { .. } => CanonicalStage::ToTrf,
            Self::ToVrf { .. } => CanonicalStage::ToVrf,
            Self::Open => return None,
        })
    }

    /// The tensor or view that is written, and the method's place.
    pub const fn written_target(&self) -> Option<(TensorId, Span)> {
        match self {
            Self::Commit { target, span }
            | Self::CommitView { target, span }
            | Self::ToTrf { target, span }
            | Self::ToVrf { target, span } => Some((*target, *span)),
            Self::Open => None,
        }
    }
}

/// Something that could not be resolved.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Unresolved {
    /// Why.
    pub reason: UnresolvedReason,
    /// Where what could not be resolved is written: a name, a mapping, a method.
    pub span: Span,
    /// Where the operation is that is not looked at for it: its method, its macro, its loop.
    pub operation: Span,
}

impl Unresolved {
    /// Something that no known operation stands for: its place is that of the operation, too.
    pub const fn at(reason: UnresolvedReason, span: Span) -> Self {
        Self {
            reason,
            span,
            operation: span,
        }
    }

    /// The same for an operation that is elsewhere.
    pub fn at_operation(self, operation: Span) -> Self {
        Self { operation, ..self }
    }
}

/// Why an operation could not be resolved.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum UnresolvedReason {
    /// A mapping that is a type parameter of the function, or depends on one.
    GenericMapping,
    /// A generic function that nothing calls: what it does depends on a call.
    NeverCalled,
    /// A name that could not be resolved.
    UnknownName(String),
    /// A method that the dialect's table does not have on that receiver.
    UnknownMethod {
        /// Its name.
        name: String,
        /// What the function is written for.
        dialect: Dialect,
    },
    /// A method that only other releases of the library have.
    OtherRelease {
        /// Its name.
        method: String,
        /// The releases that have it.
        releases: Releases,
        /// What the function is written for.
        dialect: Dialect,
    },
    /// A method that only the other library has.
    OtherLibrary {
        /// Its name.
        method: String,
        /// The library that has it.
        library: Library,
        /// What the function is written for.
        dialect: Dialect,
    },
    /// A macro that is given a context: the operations that it runs are unknown.
    Macro(String),
    /// A closure that is handed to something that is not followed.
    ClosureNotFollowed,
    /// A type that neither a turbofish nor an annotation nor the context gives.
    NotInferred,
    /// Another number of generics than the method has.
    Generics {
        /// The method.
        method: String,
        /// How many are written.
        written: usize,
        /// How many it has.
        needed: usize,
    },
    /// A mapping with a finding of its own.
    IllFormedMapping,
    /// A helper that calls itself.
    Recursion,
    /// A loop whose bounds are no constants and whose body depends on the loop variable.
    UnboundedLoop,
    /// An expression that this analysis does not follow.
    UnsupportedExpression(String),
    /// Helpers and loops multiply to more operations than are followed: the rest of the function is not looked at.
    TooManyOperations,
    /// More of something are in each other than are followed: helpers that call each other, expressions.
    TooDeep(&'static str),
    /// Something that a derivation could not decide although all that it takes is known.
    Undecided(String),
    /// A loop with more runs than are followed, which differ; how many there are, if that is known.
    LongLoop(Option<u64>),
    /// The work for the file takes longer than it may.
    TooLong,
}

impl UnresolvedReason {
    /// Whether one finding says it for all operations of its kind.
    pub const fn is_said_once(&self) -> bool {
        self.is_limit()
    }

    /// Whether a limit of this program ended the analysis.
    pub const fn is_limit(&self) -> bool {
        matches!(
            self,
            Self::TooManyOperations | Self::TooDeep(_) | Self::LongLoop(_) | Self::TooLong
        )
    }

    /// Whether it counts as an operation that was not looked at. A function without a call is said, but runs nowhere.
    pub const fn counts_as_operation(&self) -> bool {
        !matches!(self, Self::NeverCalled)
    }

    /// The reason in a clause, as reports count it.
    pub fn reason_text(&self) -> String {
        match self {
            Self::GenericMapping => "generic mapping".to_owned(),
            Self::NeverCalled => "a generic function that nothing here calls".to_owned(),
            Self::UnknownName(name) => format!("unknown name `{name}`"),
            Self::UnknownMethod { name, dialect } => unknown_method(name, *dialect),
            Self::OtherRelease {
                method,
                releases,
                dialect,
            } => format!(
                "`{method}` is a method of `{}` {releases}, and this is written for {}",
                dialect.library.crate_name(),
                dialect.release
            ),
            Self::OtherLibrary {
                method,
                library,
                dialect,
            } => format!(
                "`{method}` is a method of `{}`, and this is written for `{}` {}",
                library.crate_name(),
                dialect.library.crate_name(),
                dialect.release
            ),
            Self::Macro(name) => format!("the macro `{name}!` is not expanded"),
            Self::ClosureNotFollowed => "a closure that is not followed".to_owned(),
            Self::NotInferred => "type not inferred".to_owned(),
            Self::Generics {
                method,
                written,
                needed,
            } => format!("`{method}` has {needed} generics, not {written}"),
            Self::IllFormedMapping => "ill-formed mapping".to_owned(),
            Self::Recursion => "recursive helper".to_owned(),
            Self::UnboundedLoop => "loop without constant bounds".to_owned(),
            Self::UnsupportedExpression(what) => format!("unsupported expression: {what}"),
            Self::Undecided(what) => what.clone(),
            Self::TooManyOperations => "too many operations".to_owned(),
            Self::TooDeep(what) => format!("{what} are nested too deeply"),
            Self::TooLong => "it takes longer than a file may".to_owned(),
            Self::LongLoop(_) => "a loop with more runs than are unrolled".to_owned(),
        }
    }
}

/// The words for a method that is none, with the one that may have been meant.
fn unknown_method(name: &str, dialect: Dialect) -> String {
    let methods = dialect::dialect_in_release(dialect)
        .every_method()
        .map(|method| method.name);
    match nearest_names(name, methods).first() {
        Some(nearest) => format!("unknown method `{name}`; the nearest is `{nearest}`"),
        None => format!("unknown method `{name}`"),
    }
}
