//! A call of `dma_copy`, `dma_transpose`, `dma_compute`, `load` or `store` with what its arguments are.
//!
//! Plain data with the few questions that rules, hovers and cost all ask. Judges nothing.

use std::sync::Arc;

use super::names::{Api, Mode};
use super::symbols::Size;
use super::types::{Generations, Reason, Shape, Space, Span, Tensor};
use super::values::Loop;

/// Which call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `dma_copy`.
    Copy,
    /// `dma_transpose`.
    Transpose,
    /// `dma_compute`.
    Compute,
    /// `nl.load`: a tile in SBUF from HBM, by descriptors of the compiler.
    Load,
    /// `nl.store`: a tile to HBM, by descriptors of the compiler.
    Store,
}

impl Kind {
    /// The function's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Copy => "dma_copy",
            Self::Transpose => "dma_transpose",
            Self::Compute => "dma_compute",
            Self::Load => "load",
            Self::Store => "store",
        }
    }

    /// Whether it is a function of `nki.language`, which has no modes, engines or names.
    pub const fn is_of_language(self) -> bool {
        matches!(self, Self::Load | Self::Store)
    }

    /// The instruction of a name of `nki.isa`.
    pub fn of_instruction(name: &str) -> Option<Self> {
        [Self::Copy, Self::Transpose, Self::Compute]
            .into_iter()
            .find(|kind| kind.name() == name)
    }
}

/// An argument as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// The value.
    pub value: Span,
    /// The keyword, `=` and the value; the value alone where it is positional.
    pub whole: Span,
}

/// What is known of an argument that is a member or a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stated<T> {
    /// Left out.
    LeftOut,
    /// Given, and known.
    Is(T, Written),
    /// Given, and not known.
    Unknown(Written),
}

impl<T: Copy> Stated<T> {
    /// What is stated, if it is known.
    pub const fn known_value(&self) -> Option<(T, Written)> {
        match self {
            Self::Is(value, written) => Some((*value, *written)),
            _ => None,
        }
    }

    /// Where it is written.
    pub const fn written_place(&self) -> Option<Written> {
        match self {
            Self::Is(_, written) | Self::Unknown(written) => Some(*written),
            Self::LeftOut => None,
        }
    }
}

/// An engine of the core, as `engine=` names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Engine(pub &'static str);

/// A tensor argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// The tensor; one of which nothing is known where the value is none.
    pub tensor: Arc<Tensor>,
    /// Where it is written; `None` where the call gives the result back.
    pub written: Option<Written>,
}

/// What `dma_compute` combines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Combined {
    /// The sources, if the list is known.
    pub sources: Option<Vec<Arc<Tensor>>>,
    /// Where the list is written.
    pub written: Option<Written>,
    /// The path of the operation, `nki.language.add`.
    pub operation: Option<(Arc<str>, Written)>,
    /// Whether one of the scales is known to be another number than 1, with its text's place.
    pub scale: Option<Written>,
}

/// A transfer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transfer {
    /// Which call.
    pub kind: Kind,
    /// Which form of the API.
    pub api: Api,
    /// The whole call.
    pub span: Span,
    /// What is called: `nisa.dma_copy`.
    pub callee: Span,
    /// The text before the function's name that leads to the module: `nisa.`; `None` where the function was imported by name.
    pub module: Option<String>,
    /// The function that it is in; `None` at the level of the file.
    pub function: Option<usize>,
    /// The destination.
    pub destination: End,
    /// The source. Of `dma_compute` the first.
    pub source: End,
    /// How descriptors are made.
    pub mode: Stated<Mode>,
    /// Who triggers them.
    pub engine: Stated<Engine>,
    /// Whether indices out of bounds are skipped.
    pub skips_out_of_bounds: Stated<bool>,
    /// The permutation of a transpose.
    pub axes: Option<(Vec<i64>, Written)>,
    /// Whether `axes` is given.
    pub has_axes: bool,
    /// The priority, if it is a number.
    pub priority: Stated<i64>,
    /// Whether `name=` is given.
    pub has_name: bool,
    /// Keywords of the call with their places.
    pub keywords: Vec<(Arc<str>, Written)>,
    /// Whether `*` or `**` may give what is not seen.
    pub has_unseen: bool,
    /// Of `dma_compute`.
    pub combined: Combined,
    /// The loops around it, the outermost first.
    pub loops: Vec<usize>,
    /// The generations that it may run on.
    pub generations: Generations,
}

impl Transfer {
    /// The ends that gather or scatter.
    pub fn gathers(&self) -> impl Iterator<Item = &End> {
        [&self.source, &self.destination]
            .into_iter()
            .filter(|end| end.tensor.gather.is_some())
    }

    /// Whether rows are chosen at run time.
    pub fn is_indirect(&self) -> bool {
        self.gathers().next().is_some()
    }

    /// Whether rows are chosen at run time, or may be.
    pub fn may_be_indirect(&self) -> bool {
        let ends = [&self.source, &self.destination];
        self.is_indirect() || ends.iter().any(|end| end.tensor.may_gather)
    }

    /// Whether the access is proven to be direct: both ends are known tensors without a gather.
    pub fn is_direct(&self) -> bool {
        !self.may_be_indirect()
            && [&self.source, &self.destination]
                .iter()
                .all(|end| end.tensor.space.is_some() || end.written.is_none())
            && matches!(self.source.tensor.shape, Shape::Known(_))
    }

    /// Whether an address is computed at run time.
    pub fn is_dynamic(&self) -> bool {
        self.source.tensor.is_dynamic || self.destination.tensor.is_dynamic
    }

    /// The permutation: as given, else the one of the source's number of axes.
    pub fn permutation(&self) -> Option<Vec<i64>> {
        match &self.axes {
            Some((axes, _)) => Some(axes.clone()),
            None if self.has_axes => None,
            None => {
                axes_of_rank(self.source.tensor.shape.known_extents()?.len()).map(<[i64]>::to_vec)
            }
        }
    }

    /// The shape that a transpose gives.
    pub fn permuted(&self) -> Option<Vec<Size>> {
        let extents = self.source.tensor.shape.known_extents()?;
        let axes = self.permutation()?;
        let legal = axes_of_rank(extents.len())?;
        if axes != legal {
            return None;
        }
        axes.iter()
            .map(|axis| extents.get(usize::try_from(*axis).ok()?).cloned())
            .collect()
    }

    /// A keyword's place.
    pub fn keyword(&self, name: &str) -> Option<Written> {
        self.keywords
            .iter()
            .find(|(known, _)| &**known == name)
            .map(|(_, written)| *written)
    }

    /// Bytes that are moved: those of the destination, else of the source.
    pub fn bytes(&self) -> Option<Size> {
        let source = self.source.tensor.bytes();
        self.destination.tensor.bytes().or(source)
    }

    /// The fewest contiguous bytes at one of the ends, and the memory of that end.
    pub fn payload(&self) -> Option<(i64, Space)> {
        let of_end = |end: &End| Some((end.tensor.line_bytes()?, end.tensor.space?));
        let (destination, source) = (of_end(&self.destination)?, of_end(&self.source)?);
        Some(if source.0 < destination.0 {
            source
        } else {
            destination
        })
    }

    /// How often it runs in its function: the product of its loops, `None` where one is not known.
    pub fn times(&self, loops: &[Loop]) -> Option<Size> {
        self.loops
            .iter()
            .try_fold(Size::number(1), |product, place| {
                product.times(loops.get(*place)?.count.as_ref()?)
            })
    }

    /// Why it is not resolved; `None` if it is.
    pub fn unresolved(&self) -> Option<Reason> {
        if matches!(self.mode, Stated::Unknown(_)) || self.has_unseen {
            return Some(Reason::Mode);
        }
        let (destination, source) = (&self.destination.tensor, &self.source.tensor);
        let has_one_shape = source.shape_of.is_some() && source.shape_of == destination.shape_of;
        if has_one_shape && self.kind != Kind::Transpose {
            let is_placed = source.space.is_some() && destination.space.is_some();
            return (!is_placed).then_some(Reason::Argument);
        }
        [&self.destination, &self.source]
            .into_iter()
            .find_map(|end| match &end.tensor.shape {
                Shape::Unknown(reason) => Some(*reason),
                Shape::Known(_) if end.tensor.space.is_none() => Some(Reason::Argument),
                Shape::Known(_) => None,
            })
    }
}

/// The permutation that is taken for a number of axes.
pub const fn axes_of_rank(rank: usize) -> Option<&'static [i64]> {
    match rank {
        2 => Some(&[1, 0]),
        3 => Some(&[2, 1, 0]),
        4 => Some(&[3, 1, 2, 0]),
        _ => None,
    }
}
