//! What values of a kernel are: memories, element types, tensors and the views of them.
//!
//! Knows sizes of types and what a view keeps of its tensor; nothing of Python's text and nothing of rules.

use std::sync::Arc;

pub use visa_inputs::Generation;

use super::symbols::{Size, extents_product};

/// Bytes of the file's text, the end not included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// Behind the last byte.
    pub end: u32,
}

impl Span {
    /// Whether a byte is in it, its end included, where an editor's cursor may be.
    pub const fn touches_byte(self, byte: u32) -> bool {
        self.start <= byte && byte <= self.end
    }

    /// The text there.
    pub fn text_in(self, text: &str) -> &str {
        text.get(self.start as usize..self.end as usize)
            .unwrap_or_default()
    }
}

/// A memory of the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    /// The memory of the device, outside of the core.
    Hbm,
    /// The state buffer of the core: 128 partitions.
    Sbuf,
    /// The accumulation buffer of the core: 128 partitions.
    Psum,
}

impl Space {
    /// The memory's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hbm => "HBM",
            Self::Sbuf => "SBUF",
            Self::Psum => "PSUM",
        }
    }

    /// Whether its first axis is the partition.
    pub const fn has_partitions(self) -> bool {
        matches!(self, Self::Sbuf | Self::Psum)
    }
}

/// The type of a tensor's elements.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Dtype {
    /// A type by its name: `bfloat16`.
    Named(&'static str),
    /// That of an argument, as in `x.dtype`.
    Of {
        /// The argument's name.
        argument: Arc<str>,
        /// Which argument of that name.
        number: u32,
    },
}

/// Names of element types, with their bytes.
const DTYPES: &[(&str, u64)] = &[
    ("float32", 4),
    ("tfloat32", 4),
    ("float16", 2),
    ("bfloat16", 2),
    ("float8_e4m3", 1),
    ("float8_e4m3fn", 1),
    ("float8_e5m2", 1),
    ("int64", 8),
    ("uint64", 8),
    ("int32", 4),
    ("uint32", 4),
    ("int16", 2),
    ("uint16", 2),
    ("int8", 1),
    ("uint8", 1),
    ("bool_", 1),
];

impl Dtype {
    /// The type of a name.
    pub fn named(name: &str) -> Option<Self> {
        DTYPES
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(known, _)| Self::Named(known))
    }

    /// Bytes of an element, if known.
    pub fn bytes(&self) -> Option<u64> {
        match self {
            Self::Named(name) => DTYPES
                .iter()
                .find(|(known, _)| known == name)
                .map(|(_, bytes)| *bytes),
            Self::Of { .. } => None,
        }
    }

    /// Whether two types are the same; `None` where one is not known.
    pub fn is_same(&self, other: &Self) -> Option<bool> {
        match (self, other) {
            _ if self == other => Some(true),
            (Self::Named(_), Self::Named(_)) => Some(false),
            _ => None,
        }
    }
}

impl std::fmt::Display for Dtype {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Named(name) => out.write_str(name),
            Self::Of { argument, .. } => write!(out, "{argument}.dtype"),
        }
    }
}

/// Why a tensor's shape or memory is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// The shape of an argument that nothing in the kernel states.
    Argument,
    /// What a function of another file, or one that is too deep, gives back.
    Call,
    /// A view by a method that is not known.
    View,
    /// A name that branches or a loop assign differently.
    Branches,
    /// An index with a step, `...` or a mask.
    Index,
    /// A name that the file does not define.
    Name,
    /// An expression that is not followed.
    Expression,
    /// The mode is no member that is known here.
    Mode,
}

impl Reason {
    /// As it is counted in reports.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Argument => "shape of an argument",
            Self::Call => "result of a call that is not followed",
            Self::View => "view of a helper class",
            Self::Branches => "name that branches or a loop assign differently",
            Self::Index => "index with a step, `...` or a mask",
            Self::Name => "name that the file does not define",
            Self::Expression => "expression that is not followed",
            Self::Mode => "mode that is computed",
        }
    }
}

/// The extents of a tensor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// Each extent.
    Known(Vec<Size>),
    /// Not known.
    Unknown(Reason),
}

impl Shape {
    /// The extents, if known.
    pub fn known_extents(&self) -> Option<&[Size]> {
        match self {
            Self::Known(extents) => Some(extents),
            Self::Unknown(_) => None,
        }
    }
}

impl std::fmt::Display for Shape {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Known(extents) => write!(out, "{}", shape_text(extents)),
            Self::Unknown(_) => out.write_str("shape unknown"),
        }
    }
}

/// A shape as Python writes it: `(128, F)`, `(512,)`.
pub fn shape_text(extents: &[Size]) -> String {
    let words: Vec<String> = extents.iter().map(Size::to_string).collect();
    match words.as_slice() {
        [one] => format!("({one},)"),
        _ => format!("({})", words.join(", ")),
    }
}

/// A parameter of a function, or a field of one, of which it is not known whether it is a tensor or a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    /// As the source writes it: `x`, `cfg.tile`.
    pub name: Arc<str>,
    /// Tells apart arguments of one name.
    pub number: u32,
    /// Its memory if it is a tensor: that of a kernel's argument is HBM.
    pub space: Option<Space>,
}

/// The shape of an argument, whatever it is, or what is left of it behind its first axes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShapeOf {
    /// The argument.
    pub argument: Arc<Argument>,
    /// How many of its first axes are left out.
    pub without: usize,
}

/// How rows of a tensor are chosen at run time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gather {
    /// The tensor of indices; `None` where the value is not known.
    pub indices: Option<Arc<Tensor>>,
    /// Where it is written.
    pub span: Span,
    /// Whether it is `vector_offset=` of an access pattern, and not an index in brackets.
    pub by_offset: bool,
}

/// A tensor or a view of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tensor {
    /// The name that it was declared by.
    pub name: Option<Arc<str>>,
    /// Its memory, if known.
    pub space: Option<Space>,
    /// Its extents.
    pub shape: Shape,
    /// Whether it is a part of an argument of unknown rank, taken to have the axes that are cut and no others.
    pub has_assumed_axes: bool,
    /// The argument whose shape it has, where that is all that is known of its shape.
    pub shape_of: Option<ShapeOf>,
    /// Its element type, if known.
    pub dtype: Option<Dtype>,
    /// The steps of each axis in elements, where all are known: a view of less than an axis keeps those of its tensor.
    pub steps: Option<Vec<Size>>,
    /// The axis that is the partition, if there is one: the first, or the one that `par_dim` marks.
    pub partition_axis: Option<usize>,
    /// Whether a view leaves partitions out, or moves them, or may.
    pub cuts_partitions: bool,
    /// `scalar_offset=` beside a `vector_offset=`.
    pub second_offset: Option<Span>,
    /// An offset that is read at run time and counts along another axis than the first.
    pub column_offset: Option<Span>,
    /// Whether the address is computed at run time.
    pub is_dynamic: bool,
    /// Rows chosen at run time.
    pub gather: Option<Gather>,
    /// Whether an offset is given that may choose rows at run time, and may be none.
    pub may_gather: bool,
    /// The argument of the kernel that it is, unchanged.
    pub argument: Option<Arc<str>>,
    /// The call that declares it.
    pub declared: Option<Span>,
    /// The shape in that call.
    pub shape_span: Option<Span>,
    /// The element type in that call.
    pub dtype_span: Option<Span>,
    /// Whether it is a view, and not the tensor as declared.
    pub is_view: bool,
}

impl Tensor {
    /// A tensor of which nothing is known but why.
    pub fn unknown(reason: Reason) -> Self {
        Self {
            name: None,
            space: None,
            shape: Shape::Unknown(reason),
            has_assumed_axes: false,
            shape_of: None,
            dtype: None,
            steps: None,
            partition_axis: None,
            cuts_partitions: false,
            second_offset: None,
            column_offset: None,
            is_dynamic: false,
            gather: None,
            may_gather: false,
            argument: None,
            declared: None,
            shape_span: None,
            dtype_span: None,
            is_view: false,
        }
    }

    /// The same of which shape and steps are not known: what a view of it begins with.
    pub fn without_shape(&self) -> Self {
        Self {
            name: self.name.clone(),
            shape: Shape::Unknown(Reason::View),
            shape_of: None,
            dtype: self.dtype.clone(),
            steps: None,
            gather: self.gather.clone(),
            argument: self.argument.clone(),
            ..*self
        }
    }

    /// Steps of a tensor without gaps.
    pub fn row_major(extents: &[Size]) -> Option<Vec<Size>> {
        let mut steps = Vec::with_capacity(extents.len());
        let mut step = Size::number(1);
        // What is behind an axis, so that the first extent is not asked for.
        for extent in extents.iter().skip(1).rev() {
            let outer = step.times(extent)?;
            steps.push(std::mem::replace(&mut step, outer));
        }
        if !extents.is_empty() {
            steps.push(step);
        }
        steps.reverse();
        Some(steps)
    }

    /// Elements, with symbols.
    pub fn elements(&self) -> Option<Size> {
        extents_product(self.shape.known_extents()?)
    }

    /// Bytes, with symbols.
    pub fn bytes(&self) -> Option<Size> {
        let element = i64::try_from(self.dtype.as_ref()?.bytes()?).ok()?;
        self.elements()?.times(&Size::number(element))
    }

    /// Bytes that a partition holds.
    pub fn partition_bytes(&self) -> Option<Size> {
        let extents = self.shape.known_extents()?;
        let element = i64::try_from(self.dtype.as_ref()?.bytes()?).ok()?;
        let behind = extents.get(self.partition_axis?.checked_add(1)?..)?;
        extents_product(behind)?.times(&Size::number(element))
    }

    /// Contiguous bytes: of one partition where there are partitions.
    pub fn line_bytes(&self) -> Option<i64> {
        let extents = self.shape.known_extents()?;
        let steps = self.steps.as_ref()?;
        let mut run = 1_i64;
        for (axis, (extent, step)) in extents.iter().zip(steps).enumerate().rev() {
            if self.partition_axis == Some(axis) {
                break;
            }
            let extent = extent.value()?;
            if extent == 1 {
                continue;
            }
            if step.value()? != run {
                break;
            }
            run = run.checked_mul(extent)?;
        }
        run.checked_mul(i64::try_from(self.dtype.as_ref()?.bytes()?).ok()?)
    }

    /// As messages name it: `SBUF (128, 512) bfloat16`.
    pub fn describe(&self) -> String {
        let space = self.space.map_or("memory unknown", Space::name);
        let dtype = self
            .dtype
            .as_ref()
            .map_or_else(|| "type unknown".to_owned(), Dtype::to_string);
        format!("{space} {} {dtype}", self.shape)
    }
}

/// The generation of a target's name, `trn2`.
pub fn target_generation(name: &str) -> Option<Generation> {
    match name {
        "trn1n" => Some(Generation::Trn1),
        "trn2n" => Some(Generation::Trn2),
        _ => Generation::named(name),
    }
}

/// The generation of a member of `nc_version`, `gen3`.
pub fn version_generation(name: &str) -> Option<Generation> {
    numbered_generation(name.strip_prefix("gen")?.parse().ok()?)
}

/// The generation of a number of NKI, 2 to 4.
pub fn numbered_generation(number: u64) -> Option<Generation> {
    let mut all = Generation::ALL.into_iter();
    all.find(|generation| generation.number() == number)
}

/// Which generations a piece of code may run on. All three where nothing says one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Generations(u8);

impl Default for Generations {
    fn default() -> Self {
        Self::ANY
    }
}

impl Generations {
    /// Any of them: nothing is known.
    pub const ANY: Self = Self(0b111);
    /// One of them.
    pub const fn one(generation: Generation) -> Self {
        Self(1 << generation as u8)
    }

    /// Those for which a condition holds.
    pub fn which(holds: impl Fn(Generation) -> bool) -> Self {
        let bits = Generation::ALL
            .into_iter()
            .filter(|generation| holds(*generation));
        Self(bits.fold(0, |bits, generation| bits | Self::one(generation).0))
    }

    /// Those in both.
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Those in one of them.
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// All others.
    pub const fn not(self) -> Self {
        Self(Self::ANY.0 & !self.0)
    }

    /// Whether code there never runs.
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Whether all of them are among others. False where nothing is known, or nothing runs.
    pub const fn are_among(self, others: Self) -> bool {
        self.0 != 0 && self.0 != Self::ANY.0 && self.0 & !others.0 == 0
    }

    /// The generation, if there is one only.
    pub fn only_generation(self) -> Option<Generation> {
        Generation::ALL
            .into_iter()
            .find(|generation| Self::one(*generation) == self)
    }

    /// As targets, `trn2, trn3`.
    pub fn target_names(self) -> String {
        let named = Generation::ALL
            .into_iter()
            .filter(|generation| self.0 & Self::one(*generation).0 != 0);
        named
            .map(Generation::name)
            .collect::<Vec<_>>()
            .join(" and ")
    }
}
