//! The scalar types of the machine and of the library, with their widths in bits.

use std::fmt;

/// A scalar element type (book: Type Casting; the library's scalar table).
///
/// Types that only the book's tables name (`i5`, `i9`, `f16`, `f8e5m2`) are known too, so that a kernel
/// that uses them is judged by the hardware's tables and not dropped as unreadable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ElementType {
    /// 4-bit signed integer.
    I4,
    /// 5-bit signed integer: an `i4` after its zero point is subtracted.
    I5,
    /// 8-bit signed integer.
    I8,
    /// 8-bit unsigned integer.
    U8,
    /// 9-bit signed integer: an `i8` after its zero point is subtracted.
    I9,
    /// 16-bit signed integer.
    I16,
    /// 32-bit signed integer.
    I32,
    /// 4-bit float, 2 exponent and 1 mantissa bits.
    F4E2M1,
    /// 8-bit float of the library's older name.
    F8,
    /// 8-bit float, 4 exponent and 3 mantissa bits.
    F8E4M3,
    /// 8-bit float, 5 exponent and 2 mantissa bits.
    F8E5M2,
    /// IEEE half precision.
    F16,
    /// bfloat16.
    Bf16,
    /// IEEE single precision.
    F32,
}

impl ElementType {
    /// Every type, in the order of the enum.
    pub const ALL: [Self; 14] = [
        Self::I4,
        Self::I5,
        Self::I8,
        Self::U8,
        Self::I9,
        Self::I16,
        Self::I32,
        Self::F4E2M1,
        Self::F8,
        Self::F8E4M3,
        Self::F8E5M2,
        Self::F16,
        Self::Bf16,
        Self::F32,
    ];

    /// The type of that Rust name (`bf16`, `f8e4m3`, …).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The Rust name of the type.
    pub const fn name(self) -> &'static str {
        match self {
            Self::I4 => "i4",
            Self::I5 => "i5",
            Self::I8 => "i8",
            Self::U8 => "u8",
            Self::I9 => "i9",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::F4E2M1 => "f4e2m1",
            Self::F8 => "f8",
            Self::F8E4M3 => "f8e4m3",
            Self::F8E5M2 => "f8e5m2",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::F32 => "f32",
        }
    }

    /// Width in bits as stored and streamed. `i5` and `i9` travel in the width of `i4` and `i8`: the extra bit
    /// exists only inside the Contraction Engine.
    pub const fn bits(self) -> u64 {
        match self {
            Self::I4 | Self::I5 | Self::F4E2M1 => 4,
            Self::I8 | Self::U8 | Self::I9 | Self::F8 | Self::F8E4M3 | Self::F8E5M2 => 8,
            Self::I16 | Self::F16 | Self::Bf16 => 16,
            Self::I32 | Self::F32 => 32,
        }
    }

    /// Bits that `elements` of this type take; `None` on overflow.
    pub fn bits_of(self, elements: u64) -> Option<u64> {
        elements.checked_mul(self.bits())
    }

    /// Bytes that `elements` of this type take, or `None` when the bits are no whole number of bytes or overflow.
    pub fn bytes(self, elements: u64) -> Option<u64> {
        let bits = elements.checked_mul(self.bits())?;
        (bits % 8 == 0).then_some(bits / 8)
    }

    /// Bytes that `elements` of this type take, rounded up to whole bytes; `None` on overflow.
    pub fn bytes_rounded_up(self, elements: u64) -> Option<u64> {
        Some(elements.checked_mul(self.bits())?.div_ceil(8))
    }

    /// Elements in one 32-byte flit.
    pub const fn elements_per_flit(self) -> u64 {
        super::FLIT_BYTES * 8 / self.bits()
    }

    /// Whether the type is a float.
    pub const fn is_float(self) -> bool {
        matches!(
            self,
            Self::F4E2M1
                | Self::F8
                | Self::F8E4M3
                | Self::F8E5M2
                | Self::F16
                | Self::Bf16
                | Self::F32
        )
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
