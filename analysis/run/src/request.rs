//! What a run is asked and what it answers, as plain data.
//!
//! Nothing here refers to the database or to files on a disk: who reads numpy files makes arrays of them before.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use visa_arrays::{Array, Bits, Effects, ElementKind, FileArray};

use crate::libraries::Release;
use crate::report::{FilePlace, Range};

/// Bytes that a run may take for the elements of tensors, where nobody says otherwise: 4 GB.
const DEFAULT_MEMORY: u64 = 4_000_000_000;

/// The order in which arrays at the edge of a run have their elements.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Layout {
    /// The axes in the order of the mapping, without padding.
    #[default]
    Value,
    /// A dimension a term of the mapping, padding included.
    Physical,
}

/// The value that an undefined element of an output gets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum PoisonFill {
    /// What the library's CPU back end has there; the mask alone says that it is undefined.
    #[default]
    Mask,
    /// NaN in floats; integers stay as they are.
    NotANumber,
    /// Bits from the seed.
    Random,
}

/// The parameter that an input is for. The device does not count.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum InputPlace {
    /// The parameter with that number, from 0.
    Position(usize),
    /// The parameter with that name; a field of a struct or an array as `params.q`, `layers[0]`.
    Name(Arc<str>),
}

/// What an input is.
#[derive(Debug, Clone, PartialEq)]
pub enum InputValue {
    /// A scalar of run time.
    Scalar(i64),
    /// A tensor's elements, as a file has them.
    Array(FileArray),
}

/// An input of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunInput {
    /// The parameter.
    pub place: InputPlace,
    /// Its value.
    pub value: InputValue,
    /// What messages call it: the file, or the text of a command line.
    pub source: Arc<str>,
}

/// The numbers that a list of indices is made of where no file gives it: from `first` up to `last`, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct IndexRange {
    /// The smallest.
    pub first: i64,
    /// The largest.
    pub last: i64,
}

/// A run of one function.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRequest {
    /// The function; `None` where the file has one `#[device]` function.
    pub function: Option<Arc<str>>,
    /// What is given. All else is random.
    pub inputs: Vec<RunInput>,
    /// Where random numbers start from.
    pub seed: u64,
    /// The range of indices in random lists; `None`: a list of indices must be given.
    pub index_range: Option<IndexRange>,
    /// The release whose rules hold; `None`: that of the file.
    pub release: Option<Release>,
    /// The layout of outputs. Inputs are taken in both.
    pub layout: Layout,
    /// Whether the padding of arguments is taken for defined zeros.
    pub padding_is_zero: bool,
    /// Bytes that the elements of all tensors may take together.
    pub max_memory: u64,
    /// What undefined elements of outputs hold.
    pub fill: PoisonFill,
    /// Lines of the kernel's file, from 1, whose results are kept.
    pub traced_lines: Vec<u32>,
    /// Whether every operation's result is summarised, as editors show it.
    pub summarises: bool,
}

impl Default for RunRequest {
    fn default() -> Self {
        Self {
            function: None,
            inputs: Vec::new(),
            seed: 0,
            index_range: None,
            release: None,
            layout: Layout::Value,
            padding_is_zero: false,
            max_memory: DEFAULT_MEMORY,
            fill: PoisonFill::Mask,
            traced_lines: Vec::new(),
            summarises: false,
        }
    }
}

/// The elements of a tensor at the end of a run. Documents have its shape and counts.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RunOutput {
    /// `result`, `result.1`, or the name of a `&mut` parameter.
    pub name: Arc<str>,
    /// The size of each dimension in the layout that was asked for.
    pub shape: Vec<usize>,
    /// What each dimension is: the name of its axis, or the term of the mapping.
    pub dimensions: Vec<Arc<str>>,
    /// The mapping, chip first.
    pub mapping: Arc<str>,
    /// The elements in the order of the shape. Undefined ones hold what the request's [`PoisonFill`] says.
    #[serde(skip)]
    pub values: Array,
    /// The elements that the device is sure to hold: neither undefined nor stale.
    #[serde(skip)]
    pub defined: Bits,
    /// The elements that are no padding. `None`: all.
    #[serde(skip)]
    pub live: Option<Bits>,
    /// Live elements that are undefined.
    pub undefined: u64,
    /// Live elements that keep an older value on the device.
    pub stale: u64,
    /// Live elements whose value follows from a function of the host's mathematics library (exp, tanh, …), in which machines differ.
    #[serde(skip)]
    pub approximate: bool,
}

/// A coordinate of an element along an axis.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[schemars(rename = "Coordinate")]
pub struct AxisPlace {
    /// The axis.
    pub axis: Arc<str>,
    /// The coordinate.
    pub at: u64,
}

/// The reason that an element is undefined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OriginKind {
    /// Nothing was ever written there.
    NeverWritten,
    /// Padding of a tensor that the kernel made.
    FreshPadding,
    /// Padding of an argument.
    ArgumentPadding,
    /// A store whose type claims copies that it does not make.
    ClaimedCopy,
    /// A reshape that gives padding a name.
    NamedPadding,
    /// Lanes, packets or slices that hold no data.
    IdleLanes,
    /// Rows behind the prefix of a gather, or an axis that no index fills.
    UngatheredRows,
    /// A cluster or chip that takes no part.
    IdlePlace,
    /// A place between tiles, or the rest of a tensor that was written in part.
    Hole,
    /// A window of `pad` beyond its base.
    PaddedWindow,
    /// A write to another tensor whose bytes lie there.
    Overwritten,
    /// The device keeps an older value.
    Stale,
    /// An operation that cannot be executed with its operands.
    Fault,
}

/// The place where a wrong element comes from.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[schemars(rename = "Origin")]
pub struct RunOrigin {
    /// Why.
    pub kind: OriginKind,
    /// What is there, in a clause: `the store names X, which its source lacks`.
    pub what: String,
    /// Where.
    pub span: FilePlace,
}

/// An operation that carried an element on.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[schemars(rename = "Station")]
pub struct RunStation {
    /// What it does, in a clause.
    pub what: String,
    /// Where.
    pub span: FilePlace,
}

/// A finding of a run: one an origin and output.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, JsonSchema)]
pub struct RunFinding {
    /// `run_undefined`, `run_stale`, `run_error` or `run_unequal`.
    pub rule: &'static str,
    /// The output; empty for a `run_error`, which stops the run.
    pub output: Arc<str>,
    /// Elements of it.
    pub count: u64,
    /// The coordinates of the first one, the outermost axis first.
    pub first: Vec<AxisPlace>,
    /// Where it comes from; none for `run_unequal` where no line is known.
    pub origin: Option<RunOrigin>,
    /// How it went, at most three stations.
    pub through: Vec<RunStation>,
    /// What is wrong and where.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
}

/// An error of the lint in a kernel that was run regardless.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[schemars(rename = "Standing")]
pub struct StandingError {
    /// The rule.
    pub rule: &'static str,
    /// Its message.
    pub message: String,
    /// Where.
    pub span: FilePlace,
}

/// The result of one operation, as an editor shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct TracedValue {
    /// The method or constructor that made it.
    pub name: Arc<str>,
    /// Where.
    pub span: FilePlace,
    /// The element type, the size of each dimension in physical order, and the mapping.
    pub kind: ElementKind,
    /// The size of each dimension, padding included.
    pub shape: Vec<usize>,
    /// The mapping, chip first.
    pub mapping: Arc<str>,
    /// Live elements.
    pub live: u64,
    /// Live elements that are undefined.
    pub undefined: u64,
    /// The smallest and the largest defined live number; `None` where there is none but NaN.
    pub range_of_values: Option<(f64, f64)>,
    /// The elements and which are defined, for lines that the request names.
    pub elements: Option<(Array, Bits)>,
}

/// The answer of a function that was executed.
#[derive(Debug, Clone, PartialEq)]
pub struct RunReport {
    /// The function.
    pub function: Arc<str>,
    /// Its file.
    pub file: Arc<str>,
    /// Its head in the file.
    pub range: Range,
    /// The release whose rules held.
    pub release: Release,
    /// Results and `&mut` parameters. None where an error ended the run.
    pub outputs: Vec<RunOutput>,
    /// What is wrong.
    pub findings: Vec<RunFinding>,
    /// What arithmetic did.
    pub numbers: Effects,
    /// Facts about the run, each a sentence: a conversion of an input, a guess, what nobody knows.
    pub notes: Vec<String>,
    /// Errors of the lint that stand in the kernel.
    pub standing: Vec<StandingError>,
    /// Results of operations that the request asked for.
    pub traced: Vec<TracedValue>,
    /// Operations that were executed.
    pub operations: u64,
}

/// The reason that a function was not executed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RunRefusal {
    /// The place in the sources; `None` where inputs are at fault.
    pub place: Option<FilePlace>,
    /// The reason, a sentence.
    pub reason: String,
    /// What to do.
    pub help: Option<String>,
}
