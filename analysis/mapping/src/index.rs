//! Axes, tensor indices, and what a buffer position holds.

use std::fmt;
use std::sync::Arc;

use super::error::MappingError;

/// A logical axis: its declared name and its size in elements. The pair is its identity.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Axis {
    name: Arc<str>,
    size: u64,
}

impl Axis {
    /// An axis of `size` values. A mapping holds at least one position, so size 0 counts as 1 here;
    /// [`Axis::checked`] refuses it.
    pub fn new(name: &str, size: u64) -> Self {
        Self {
            name: Arc::from(name),
            size: size.max(1),
        }
    }

    /// An axis of `size` values.
    ///
    /// # Errors
    /// [`MappingError::AxisSizeZero`] when `size` is 0.
    pub fn checked(name: &str, size: u64) -> Result<Self, MappingError> {
        if size == 0 {
            return Err(MappingError::AxisSizeZero {
                name: name.to_owned(),
            });
        }
        Ok(Self::new(name, size))
    }

    /// The declared name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The declared name, shared.
    pub fn shared_name(&self) -> Arc<str> {
        Arc::clone(&self.name)
    }

    /// The number of values, at least 1.
    pub fn size(&self) -> u64 {
        self.size
    }
}

impl fmt::Debug for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.name, self.size)
    }
}

/// A tensor index: a value for each axis. A value of 0 is the same as no value.
#[derive(Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Index {
    entries: Vec<(Axis, u64)>,
}

impl Index {
    /// The index with no value, or all values 0.
    pub fn empty() -> Self {
        Self::default()
    }

    /// Adds `value` to the value of `axis`, saturating.
    pub fn add(&mut self, axis: &Axis, value: u64) {
        if value == 0 {
            return;
        }
        match self.entries.binary_search_by(|(known, _)| known.cmp(axis)) {
            Ok(at) => {
                if let Some((_, sum)) = self.entries.get_mut(at) {
                    *sum = sum.saturating_add(value);
                }
            }
            Err(at) => self.entries.insert(at, (axis.clone(), value)),
        }
    }

    /// The value of the axis of that name, 0 where it has none.
    pub fn value(&self, name: &str) -> u64 {
        self.entries
            .iter()
            .find(|(axis, _)| axis.name() == name)
            .map_or(0, |(_, value)| *value)
    }

    /// The axes with values above 0, by name.
    pub fn entries(&self) -> impl Iterator<Item = (&Axis, u64)> {
        self.entries.iter().map(|(axis, value)| (axis, *value))
    }

    /// Whether every value is below the size of its axis.
    pub fn is_inside(&self) -> bool {
        self.entries
            .iter()
            .all(|(axis, value)| *value < axis.size())
    }
}

impl fmt::Debug for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map()
            .entries(
                self.entries
                    .iter()
                    .map(|(axis, value)| (axis.name(), value)),
            )
            .finish()
    }
}

/// What a position of a mapping holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Cell {
    /// The element of this tensor index.
    Index(Index),
    /// No element: padding of a kind, or a value at or beyond the size of its axis, which counts as `#`.
    Padding(PaddingKind),
    /// The position is not below the size of the mapping.
    OutOfBounds,
}

/// What the positions of a padding hold, by how it is written. Kinds are never equal to each other; where something depends on
/// an order, it is that in which they are declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PaddingKind {
    /// `#{!}`: may be read, must not be written.
    Bottom,
    /// `#{0}`: reads as zero.
    Zero,
    /// `#`: may be read and written, of unknown contents.
    Top,
}

impl PaddingKind {
    /// The operator as written.
    pub fn notation(self) -> &'static str {
        match self {
            Self::Top => "#",
            Self::Zero => "#{0}",
            Self::Bottom => "#{!}",
        }
    }
}
