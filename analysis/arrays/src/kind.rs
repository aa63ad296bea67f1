//! The element types that a memory or a stream holds, with their widths.

use std::fmt;

/// A type of an element of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ElementKind {
    /// A signed integer of 4 bits, −8 to 7.
    I4,
    /// An `i4` less its zero point; an operand of contractions only.
    I5,
    /// A signed integer of 8 bits.
    I8,
    /// An `i8` less its zero point; an operand of contractions only.
    I9,
    /// A signed integer of 16 bits.
    I16,
    /// A signed integer of 32 bits.
    I32,
    /// A float of 4 bits: 2 of exponent, 1 of mantissa.
    F4E2M1,
    /// A float of 8 bits: 4 of exponent, 3 of mantissa, no infinity.
    F8E4M3,
    /// A float of 8 bits: 5 of exponent, 2 of mantissa.
    F8E5M2,
    /// The upper half of an `f32`.
    Bf16,
    /// IEEE single precision.
    F32,
}

impl ElementKind {
    /// Every kind, in the order of the enum.
    pub const ALL: [Self; 11] = [
        Self::I4,
        Self::I5,
        Self::I8,
        Self::I9,
        Self::I16,
        Self::I32,
        Self::F4E2M1,
        Self::F8E4M3,
        Self::F8E5M2,
        Self::Bf16,
        Self::F32,
    ];

    /// The kind of that name in Rust: `bf16`, `f8e4m3`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The name in Rust.
    pub const fn name(self) -> &'static str {
        match self {
            Self::I4 => "i4",
            Self::I5 => "i5",
            Self::I8 => "i8",
            Self::I9 => "i9",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::F4E2M1 => "f4e2m1",
            Self::F8E4M3 => "f8e4m3",
            Self::F8E5M2 => "f8e5m2",
            Self::Bf16 => "bf16",
            Self::F32 => "f32",
        }
    }

    /// Bits of an element in a memory of the device. The fifth bit of `i5` and the ninth of `i9` are in no memory.
    pub const fn bits(self) -> u64 {
        match self {
            Self::I4 | Self::I5 | Self::F4E2M1 => 4,
            Self::I8 | Self::I9 | Self::F8E4M3 | Self::F8E5M2 => 8,
            Self::I16 | Self::Bf16 => 16,
            Self::I32 | Self::F32 => 32,
        }
    }

    /// Bytes of an element in an [`Array`](crate::Array), where each has its own.
    pub const fn held_bytes(self) -> usize {
        match self {
            Self::I4 | Self::I5 | Self::I8 | Self::F4E2M1 | Self::F8E4M3 | Self::F8E5M2 => 1,
            Self::I9 | Self::I16 | Self::Bf16 => 2,
            Self::I32 | Self::F32 => 4,
        }
    }

    /// Whether the kind is a float.
    pub const fn is_float(self) -> bool {
        matches!(
            self,
            Self::F4E2M1 | Self::F8E4M3 | Self::F8E5M2 | Self::Bf16 | Self::F32
        )
    }

    /// The smallest and the largest value of an integer; `None` for a float.
    pub const fn integer_range(self) -> Option<(i32, i32)> {
        match self {
            Self::I4 => Some((-8, 7)),
            Self::I5 => Some((-16, 15)),
            Self::I8 => Some((-128, 127)),
            Self::I9 => Some((-256, 255)),
            Self::I16 => Some((-32_768, 32_767)),
            Self::I32 => Some((i32::MIN, i32::MAX)),
            Self::F4E2M1 | Self::F8E4M3 | Self::F8E5M2 | Self::Bf16 | Self::F32 => None,
        }
    }
}

impl fmt::Display for ElementKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
