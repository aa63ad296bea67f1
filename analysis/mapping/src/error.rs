//! What can be wrong with a mapping expression, as values with their numbers.

use std::fmt;

/// Why an expression has no size: the check of the library that it fails, with the numbers involved.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MappingError {
    /// `E / n` where `n` does not divide the size of `E`.
    StrideIndivisible {
        /// Size of the operand.
        size: u64,
        /// The divisor as written.
        divisor: u64,
    },
    /// `E % n` where `n` does not divide the size of `E`.
    ModuloIndivisible {
        /// Size of the operand.
        size: u64,
        /// The divisor as written.
        divisor: u64,
    },
    /// `E # n` where `n` is below the size of `E`.
    PaddingShrinks {
        /// Size of the operand.
        size: u64,
        /// The padded total as written.
        padded: u64,
    },
    /// `E = n` where `n` is above the size of `E`.
    ResizeGrows {
        /// Size of the operand.
        size: u64,
        /// The new size as written.
        resized: u64,
    },
    /// `E / 0` or `E % 0`.
    ZeroDivisor {
        /// Size of the operand.
        size: u64,
    },
    /// `E = 0` or a broadcast over nothing: a mapping holds at least one position.
    ZeroSize,
    /// An axis declared with no values.
    AxisSizeZero {
        /// Name of the axis.
        name: String,
    },
    /// The size of a pair exceeds 64 bits.
    Overflow {
        /// Size of the outer part.
        outer: u64,
        /// Size of the inner part.
        inner: u64,
    },
    /// The expression is nested deeper, or is larger, than the analysis reads.
    TooDeep,
}

impl fmt::Display for MappingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StrideIndivisible { size, divisor } => {
                write!(f, "the stride {divisor} does not divide the size {size}")
            }
            Self::ModuloIndivisible { size, divisor } => {
                write!(f, "the modulo {divisor} does not divide the size {size}")
            }
            Self::PaddingShrinks { size, padded } => {
                write!(f, "padding to {padded} is less than the size {size}")
            }
            Self::ResizeGrows { size, resized } => {
                write!(f, "resizing to {resized} is more than the size {size}")
            }
            Self::ZeroDivisor { .. } => f.write_str("division by zero"),
            Self::ZeroSize => f.write_str("a mapping cannot have size zero"),
            Self::AxisSizeZero { name } => write!(f, "the axis {name} has size zero"),
            Self::Overflow { outer, inner } => {
                write!(f, "the size {outer} * {inner} exceeds 64 bits")
            }
            Self::TooDeep => f.write_str("the mapping expression is nested too deeply"),
        }
    }
}

impl std::error::Error for MappingError {}
