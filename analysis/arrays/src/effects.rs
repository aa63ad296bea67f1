//! Elements to which a conversion or operation did something that a reader may not expect.

use std::ops::AddAssign;

use schemars::JsonSchema;
use serde::Serialize;

use crate::bits::Bits;
use crate::kind::ElementKind;
use crate::rules::Arithmetic;
use crate::shared::sum_of_counts;
use crate::values::Array;

/// Elements that are counted together.
const CHUNK: usize = 1024;

/// The bits of infinity.
const INFINITY: u32 = f32::INFINITY.to_bits();

/// Elements to which arithmetic did something that a reader may not expect.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[schemars(rename = "Numbers")]
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

/// How many elements a condition holds of, among those that are set in `which`. Conditions without branches are counted several at once.
fn count<T: Copy + Sync>(
    elements: &[T],
    which: Option<&Bits>,
    counts: impl Fn(T) -> bool + Sync,
) -> u64 {
    let all = |elements: &[T]| {
        let counted = elements.iter().map(|element| u32::from(counts(*element)));
        u64::from(counted.sum::<u32>())
    };
    sum_of_counts(elements, CHUNK, |from, chunk| {
        let found = all(chunk);
        let Some(which) = which.filter(|_| found > 0) else {
            return found;
        };
        let places = chunk.iter().zip(from..);
        let taken = places.filter(|(element, place)| counts(**element) && which.is_set(*place));
        taken.count() as u64
    })
}

/// The bits of a number without its sign: larger for larger numbers, and largest for NaN.
#[inline]
const fn magnitude(value: f32) -> u32 {
    value.to_bits() & 0x7fff_ffff
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
                effects.flushed = count(values, which, |value| {
                    magnitude(value).wrapping_sub(1) < f32::MIN_POSITIVE.to_bits() - 1
                });
            }
            // Half a step of `bf16` above its largest number.
            let limit = 0x7f7f_8000;
            effects.saturated = count(values, which, |value| {
                (limit..INFINITY).contains(&magnitude(value))
            });
        }
        (Array::F32(values), ElementKind::F8E4M3) => {
            let limit = 464f32.to_bits();
            effects.saturated = count(values, which, |value| {
                (limit..=INFINITY).contains(&magnitude(value))
            });
        }
        (Array::F32(values), ElementKind::F8E5M2) => {
            let limit = 61440f32.to_bits();
            effects.saturated = count(values, which, |value| {
                (limit..INFINITY).contains(&magnitude(value))
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
    // Results without NaN are the rule, and are counted at once.
    if count(result, None, f32::is_nan) == 0 {
        return Effects::default();
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers around each limit, by the definitions in floats.
    #[test]
    fn limits_by_bits_are_those_of_the_numbers() {
        let mut values = vec![0.0, f32::NAN, f32::INFINITY, f32::MIN_POSITIVE, 1e-45, 1e38];
        for limit in [
            464.0,
            61440.0,
            f32::from_bits(0x7f7f_8000),
            f32::MIN_POSITIVE,
        ] {
            let near = [limit, limit.next_down(), limit.next_up()];
            values.extend(near);
        }
        values.extend(values.clone().iter().map(|value| -value));
        let by_numbers =
            |is: &dyn Fn(f32) -> bool| values.iter().filter(|value| is(**value)).count() as u64;
        let array = Array::F32(values.clone());
        let effects = |kind, rules| effects_of_cast(&array, kind, rules, None);
        let book = effects(ElementKind::Bf16, Arithmetic::NEWEST);
        let largest = f32::from_bits(0x7f7f_8000);
        assert_eq!(
            book.saturated,
            by_numbers(&|value| value.is_finite() && value.abs() >= largest)
        );
        let flushed = by_numbers(&|value| value.is_subnormal());
        assert_eq!(
            book.flushed,
            if Arithmetic::NEWEST.bf16_flushes {
                flushed
            } else {
                0
            }
        );
        assert_eq!(
            effects(ElementKind::F8E4M3, Arithmetic::NEWEST).saturated,
            by_numbers(&|value| value.abs() >= 464.0)
        );
        assert_eq!(
            effects(ElementKind::F8E5M2, Arithmetic::NEWEST).saturated,
            by_numbers(&|value| value.is_finite() && value.abs() >= 61440.0)
        );
    }

    #[test]
    fn only_elements_that_are_set_are_counted() {
        let array = Array::F32(vec![500.0; 3 * CHUNK]);
        let which = Bits::from_places(3 * CHUNK, |place| place % 3 == 0);
        let effects = effects_of_cast(
            &array,
            ElementKind::F8E4M3,
            Arithmetic::NEWEST,
            Some(&which),
        );
        assert_eq!(effects.saturated, CHUNK as u64);
    }
}
