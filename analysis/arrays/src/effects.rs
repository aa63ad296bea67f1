//! Elements to which a conversion or operation did something that a reader may not expect.

use std::ops::AddAssign;

use crate::bits::Bits;
use crate::kind::ElementKind;
use crate::rules::Arithmetic;
use crate::values::Array;

/// Counts of elements.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Effects {
    /// Integers that lost high bits.
    pub wrapped: u64,
    /// Numbers cut to the largest or smallest of their type, and floats that became infinite.
    pub saturated: u64,
    /// Subnormal numbers that became zero.
    pub flushed: u64,
    /// NaN from operands that were none.
    pub became_nan: u64,
}

impl AddAssign for Effects {
    fn add_assign(&mut self, other: Self) {
        self.wrapped += other.wrapped;
        self.saturated += other.saturated;
        self.flushed += other.flushed;
        self.became_nan += other.became_nan;
    }
}

fn count<T: Copy>(elements: &[T], which: Option<&Bits>, counts: impl Fn(T) -> bool) -> u64 {
    let taken = elements.iter().enumerate().filter(|(place, element)| {
        counts(**element) && which.is_none_or(|which| which.is_set(*place))
    });
    taken.count() as u64
}

/// What [`converted`](crate::casts::converted) does to an array's elements: to those that are set in `which`, where it is given.
pub fn effects_of_cast(
    array: &Array,
    kind: ElementKind,
    rules: Arithmetic,
    which: Option<&Bits>,
) -> Effects {
    let mut effects = Effects::default();
    match (array, kind) {
        (Array::I32(values), ElementKind::I4 | ElementKind::I8 | ElementKind::I16) => {
            let (smallest, largest) = kind.integer_range().unwrap_or((i32::MIN, i32::MAX));
            effects.wrapped = count(values, which, |value| {
                !(smallest..=largest).contains(&value)
            });
        }
        (Array::F32(values), ElementKind::Bf16) => {
            if rules.bf16_flushes {
                effects.flushed = count(values, which, f32::is_subnormal);
            }
            // Half a step of `bf16` above its largest number.
            let limit = f32::from_bits(0x7f7f_8000);
            effects.saturated = count(values, which, |value| {
                value.is_finite() && value.abs() >= limit
            });
        }
        (Array::F32(values), ElementKind::F8E4M3) => {
            effects.saturated = count(values, which, |value| value.abs() >= 464.0);
        }
        (Array::F32(values), ElementKind::F8E5M2) => {
            effects.saturated = count(values, which, |value| {
                value.is_finite() && value.abs() >= 61440.0
            });
        }
        (Array::Bf16(bits), ElementKind::F32) if rules.bf16_flushes => {
            effects.flushed = count(bits, which, |bits| bits & 0x7f80 == 0 && bits & 0x7f != 0);
        }
        _ => {}
    }
    effects
}

/// Elements of a result that are NaN while no element of the operands at that place is.
pub fn effects_of_operation(result: &[f32], operands: &[&[f32]], which: Option<&Bits>) -> Effects {
    let is_new = |place: usize| {
        let was = |operand: &&[f32]| operand.get(place).is_some_and(|operand| operand.is_nan());
        !operands.iter().any(was)
    };
    let found = result.iter().enumerate().filter(|(place, element)| {
        element.is_nan() && is_new(*place) && which.is_none_or(|which| which.is_set(*place))
    });
    Effects {
        became_nan: found.count() as u64,
        ..Effects::default()
    }
}
