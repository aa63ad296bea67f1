//! Arrays whose elements all have one kind, each in a number of its own.

use crate::kind::ElementKind;

/// The elements of a tensor in physical order. 4-bit kinds have a byte each.
#[derive(Debug, Clone, PartialEq)]
pub enum Array {
    /// `i4`, −8 to 7.
    I4(Vec<i8>),
    /// `i5`.
    I5(Vec<i8>),
    /// `i8`.
    I8(Vec<i8>),
    /// `i9`.
    I9(Vec<i16>),
    /// `i16`.
    I16(Vec<i16>),
    /// `i32`.
    I32(Vec<i32>),
    /// Codes of `f4e2m1`, 0 to 15.
    F4E2M1(Vec<u8>),
    /// Codes of `f8e4m3`.
    F8E4M3(Vec<u8>),
    /// Codes of `f8e5m2`.
    F8E5M2(Vec<u8>),
    /// Bits of `bf16`.
    Bf16(Vec<u16>),
    /// `f32`.
    F32(Vec<f32>),
}

/// Runs a piece of code with the vector of an [`Array`] in a name, for each type of vector.
#[macro_export]
macro_rules! with_elements {
    ($array:expr, $elements:ident => $code:expr) => {
        match $array {
            $crate::Array::I4($elements)
            | $crate::Array::I5($elements)
            | $crate::Array::I8($elements) => $code,
            $crate::Array::I9($elements) | $crate::Array::I16($elements) => $code,
            $crate::Array::I32($elements) => $code,
            $crate::Array::F4E2M1($elements)
            | $crate::Array::F8E4M3($elements)
            | $crate::Array::F8E5M2($elements) => $code,
            $crate::Array::Bf16($elements) => $code,
            $crate::Array::F32($elements) => $code,
        }
    };
}

/// A type of number in which an [`Array`] holds elements.
pub trait Stored: Copy + Default + PartialEq + Send + Sync + 'static {
    /// The elements of an array that holds them in this type.
    fn elements(array: &Array) -> Option<&[Self]>;
    /// The same, to be changed.
    fn elements_mut(array: &mut Array) -> Option<&mut [Self]>;
}

macro_rules! stored {
    ($type:ty: $($variant:ident),+) => {
        impl Stored for $type {
            fn elements(array: &Array) -> Option<&[Self]> {
                match array {
                    $(Array::$variant(elements))|+ => Some(elements),
                    _ => None,
                }
            }

            fn elements_mut(array: &mut Array) -> Option<&mut [Self]> {
                match array {
                    $(Array::$variant(elements))|+ => Some(elements),
                    _ => None,
                }
            }
        }
    };
}

stored!(i8: I4, I5, I8);
stored!(i16: I9, I16);
stored!(i32: I32);
stored!(u8: F4E2M1, F8E4M3, F8E5M2);
stored!(u16: Bf16);
stored!(f32: F32);

impl Array {
    /// An array of zeros.
    pub fn zeros(kind: ElementKind, length: usize) -> Self {
        match kind {
            ElementKind::I4 => Self::I4(vec![0; length]),
            ElementKind::I5 => Self::I5(vec![0; length]),
            ElementKind::I8 => Self::I8(vec![0; length]),
            ElementKind::I9 => Self::I9(vec![0; length]),
            ElementKind::I16 => Self::I16(vec![0; length]),
            ElementKind::I32 => Self::I32(vec![0; length]),
            ElementKind::F4E2M1 => Self::F4E2M1(vec![0; length]),
            ElementKind::F8E4M3 => Self::F8E4M3(vec![0; length]),
            ElementKind::F8E5M2 => Self::F8E5M2(vec![0; length]),
            ElementKind::Bf16 => Self::Bf16(vec![0; length]),
            ElementKind::F32 => Self::F32(vec![0.0; length]),
        }
    }

    /// The kind of its elements.
    pub const fn kind(&self) -> ElementKind {
        match self {
            Self::I4(_) => ElementKind::I4,
            Self::I5(_) => ElementKind::I5,
            Self::I8(_) => ElementKind::I8,
            Self::I9(_) => ElementKind::I9,
            Self::I16(_) => ElementKind::I16,
            Self::I32(_) => ElementKind::I32,
            Self::F4E2M1(_) => ElementKind::F4E2M1,
            Self::F8E4M3(_) => ElementKind::F8E4M3,
            Self::F8E5M2(_) => ElementKind::F8E5M2,
            Self::Bf16(_) => ElementKind::Bf16,
            Self::F32(_) => ElementKind::F32,
        }
    }

    /// How many elements it has.
    pub fn len(&self) -> usize {
        with_elements!(self, elements => elements.len())
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements, where they are held in that type.
    pub fn elements<T: Stored>(&self) -> Option<&[T]> {
        T::elements(self)
    }

    /// The elements to be changed, where they are held in that type.
    pub fn elements_mut<T: Stored>(&mut self) -> Option<&mut [T]> {
        T::elements_mut(self)
    }

    /// The value of an element as a number; `None` beyond the end.
    pub fn number_at(&self, index: usize) -> Option<f64> {
        Some(match self {
            Self::I4(elements) | Self::I5(elements) | Self::I8(elements) => {
                f64::from(*elements.get(index)?)
            }
            Self::I9(elements) | Self::I16(elements) => f64::from(*elements.get(index)?),
            Self::I32(elements) => f64::from(*elements.get(index)?),
            Self::F4E2M1(codes) => f64::from(crate::casts::f4e2m1_to_f32(*codes.get(index)?)),
            Self::F8E4M3(codes) => f64::from(crate::casts::f8e4m3_to_f32(*codes.get(index)?)),
            Self::F8E5M2(codes) => f64::from(crate::casts::f8e5m2_to_f32(*codes.get(index)?)),
            Self::Bf16(bits) => f64::from(f32::from_bits(u32::from(*bits.get(index)?) << 16)),
            Self::F32(elements) => f64::from(*elements.get(index)?),
        })
    }

    /// The places where two arrays of one kind hold different numbers; NaN equals NaN. `None` where kind or length differ.
    pub fn unequal_places(&self, other: &Self) -> Option<Vec<usize>> {
        if self.kind() != other.kind() || self.len() != other.len() {
            return None;
        }
        let unequal = with_elements!(self, elements => unequal_elements(elements, other));
        let is_nan = |array: &Self, place| array.number_at(place).is_some_and(f64::is_nan);
        let differs = |place: &usize| !(is_nan(self, *place) && is_nan(other, *place));
        Some(unequal.into_iter().filter(differs).collect())
    }
}

/// The places where elements differ from those of an array that holds them in the same type.
fn unequal_elements<T: Stored>(elements: &[T], other: &Array) -> Vec<usize> {
    let others = other.elements::<T>().unwrap_or_default();
    let pairs = elements.iter().zip(others).enumerate();
    pairs
        .filter(|(_, (one, other))| one != other)
        .map(|(place, _)| place)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unequal_places_are_those_of_different_numbers() {
        let first = Array::F32(vec![1.0, f32::NAN, 0.0, f32::NAN, 5.0]);
        let second = Array::F32(vec![1.0, f32::NAN, -0.0, 2.0, 6.0]);
        assert_eq!(first.unequal_places(&second), Some(vec![3, 4]));
        // 0x7fc0 and 0x7fc1 are both NaN, 0x3f80 is 1.
        let first = Array::Bf16(vec![0x7fc0, 0x3f80]);
        let second = Array::Bf16(vec![0x7fc1, 0x3f81]);
        assert_eq!(first.unequal_places(&second), Some(vec![1]));
        assert_eq!(first.unequal_places(&Array::I16(vec![0, 0])), None);
        assert_eq!(first.unequal_places(&Array::Bf16(vec![0])), None);
    }
}
