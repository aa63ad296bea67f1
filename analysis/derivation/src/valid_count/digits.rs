//! The digits of one axis in slices, time and packet, and the values they can take.
//!
//! Values are counted in the axis's own elements. The digits of an axis are a mixed radix: each digit's stride is
//! larger than everything below it can add up to, so that the values that a set of digits takes are ordered like
//! the digits themselves, and questions about them need no walk over the values.

/// One digit of the axis in one of the three places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct AxisDigit {
    /// Elements of the axis that one step of the digit moves.
    pub stride: u64,
    /// Steps that select the axis; beyond them the digit is padding of its own.
    pub count: u64,
    /// Steps altogether.
    pub extent: u64,
    /// Positions of the place (slices, time steps, lanes) between two steps.
    pub position_stride: u64,
}

impl AxisDigit {
    /// The step that the digit is at for a position of its place.
    pub(super) const fn step_at(&self, position: u64) -> u64 {
        match position.checked_div(self.position_stride) {
            Some(steps) if self.extent > 0 => steps % self.extent,
            _ => 0,
        }
    }

    /// The largest value that the digit adds.
    fn largest_value(&self) -> Option<u64> {
        self.count.checked_sub(1)?.checked_mul(self.stride)
    }

    /// Whether some of its steps are padding that the axis's size does not explain.
    pub(super) const fn is_padded(&self) -> bool {
        self.count < self.extent
    }
}

/// A set of digits, largest stride first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Digits {
    digits: Vec<AxisDigit>,
}

impl Digits {
    /// Sorts the digits and joins neighbours that are one digit again. Digits of a single step are dropped.
    pub(super) fn new(mut digits: Vec<AxisDigit>) -> Self {
        digits.retain(|digit| digit.extent > 1 || digit.count > 1);
        digits.sort_by_key(|digit| std::cmp::Reverse(digit.stride));
        let mut joined: Vec<AxisDigit> = Vec::with_capacity(digits.len());
        for digit in digits {
            match joined.last_mut() {
                Some(outer) if is_split_digit(outer, &digit) => {
                    outer.stride = digit.stride;
                    outer.position_stride = digit.position_stride;
                    outer.count = outer.count.saturating_mul(digit.extent);
                    outer.extent = outer.extent.saturating_mul(digit.extent);
                }
                _ => joined.push(digit),
            }
        }
        Self { digits: joined }
    }

    /// The digits, largest stride first.
    pub(super) fn as_slice(&self) -> &[AxisDigit] {
        &self.digits
    }

    /// Whether two of them are next to each other in their place.
    pub(super) fn any_touch(&self) -> bool {
        self.digits.iter().any(|inner| {
            let end = inner.position_stride.checked_mul(inner.extent);
            self.digits
                .iter()
                .any(|outer| Some(outer.position_stride) == end)
        })
    }

    /// Whether there are none.
    pub(super) const fn is_empty(&self) -> bool {
        self.digits.is_empty()
    }

    /// The largest value the digits add up to; `None` if it does not fit.
    pub(super) fn largest_sum(&self) -> Option<u64> {
        self.digits
            .iter()
            .try_fold(0_u64, |sum, digit| sum.checked_add(digit.largest_value()?))
    }

    /// How many combinations of steps there are, padding included; `None` if they do not fit.
    pub(super) fn steps(&self) -> Option<u64> {
        self.digits
            .iter()
            .try_fold(1_u64, |product, digit| product.checked_mul(digit.extent))
    }

    /// The value at a position of the place; `None` where a digit is on padding of its own.
    pub(super) fn value_at(&self, position: u64) -> Option<u64> {
        self.digits.iter().try_fold(0_u64, |sum, digit| {
            let step = digit.step_at(position);
            if step < digit.count {
                sum.checked_add(step.checked_mul(digit.stride)?)
            } else {
                None
            }
        })
    }

    /// The value at a position of the place, the digits' own padding counted on.
    pub(super) fn stepped_value(&self, position: u64) -> Option<u64> {
        self.digits.iter().try_fold(0_u64, |sum, digit| {
            sum.checked_add(digit.step_at(position).checked_mul(digit.stride)?)
        })
    }

    /// The smallest value of the digits that is at least `bound`; `None` if all are smaller.
    pub(super) fn next(&self, bound: u64) -> Option<u64> {
        let mut value = 0_u64;
        // The last digit that could still be raised, with the value of the digits above it.
        let mut raised: Option<u64> = None;
        for (index, digit) in self.digits.iter().enumerate() {
            let missing = bound.saturating_sub(value);
            let below = Self {
                digits: self.digits.get(index + 1..).unwrap_or_default().to_vec(),
            }
            .largest_sum()?;
            // The least step after which the digits below can still reach the bound.
            let step = missing.saturating_sub(below).div_ceil(digit.stride.max(1));
            if step >= digit.count {
                return raised;
            }
            let exact = (missing / digit.stride.max(1)).min(digit.count - 1);
            let base = value.checked_add(step.checked_mul(digit.stride)?)?;
            if step > exact || base >= bound {
                // The digit alone overshoots: everything below stays at 0.
                return Some(base);
            }
            value = value.checked_add(exact.checked_mul(digit.stride)?)?;
            if exact + 1 < digit.count {
                raised = Some(value.checked_add(digit.stride)?);
            }
            if value >= bound {
                return Some(value);
            }
        }
        if value >= bound { Some(value) } else { raised }
    }

    /// How many combinations of steps have a value below `bound`, digits taken as without padding of their own.
    pub(super) fn rank(&self, bound: u64) -> Option<u64> {
        let mut rank = 0_u64;
        let mut rest = bound;
        let mut inner = self.steps()?;
        for digit in &self.digits {
            inner = inner.checked_div(digit.extent)?;
            let step = rest / digit.stride.max(1);
            if step >= digit.extent {
                return rank.checked_add(digit.extent.checked_mul(inner)?);
            }
            rank = rank.checked_add(step.checked_mul(inner)?)?;
            rest -= step * digit.stride;
        }
        // What is left of the bound is above the value that the steps reached.
        rank.checked_add(u64::from(rest > 0))
    }

    /// The position of the place at which the digits have that value, other axes at 0.
    pub(super) fn position_of(&self, value: u64) -> Option<u64> {
        let mut rest = value;
        let mut position = 0_u64;
        for digit in &self.digits {
            let step = (rest / digit.stride.max(1)).min(digit.count.saturating_sub(1));
            rest -= step * digit.stride;
            position = position.checked_add(step.checked_mul(digit.position_stride)?)?;
        }
        (rest == 0).then_some(position)
    }

    /// The smallest stride of a digit that is not 0 in a value; `None` for the value 0.
    pub(super) fn lowest_stride_in(&self, value: u64) -> Option<u64> {
        let mut rest = value;
        let mut lowest = None;
        for digit in &self.digits {
            let step = (rest / digit.stride.max(1)).min(digit.count.saturating_sub(1));
            rest -= step * digit.stride;
            if step > 0 {
                lowest = Some(digit.stride);
            }
        }
        lowest
    }
}

/// Whether two digits, the outer one first, are one digit that was split.
fn is_split_digit(outer: &AxisDigit, inner: &AxisDigit) -> bool {
    !inner.is_padded()
        && inner.stride.checked_mul(inner.extent) == Some(outer.stride)
        && inner.position_stride.checked_mul(inner.extent) == Some(outer.position_stride)
}

/// Whether digits of several places are one mixed radix together: no two combinations have one value, and values are
/// ordered like the digits.
pub(super) fn is_mixed_radix<'a>(digits: impl Iterator<Item = &'a AxisDigit>) -> bool {
    let mut sorted: Vec<&AxisDigit> = digits.collect();
    sorted.sort_by_key(|digit| digit.stride);
    let mut reach = 0_u64;
    for digit in sorted {
        if digit.stride <= reach || digit.count == 0 {
            return false;
        }
        match digit.largest_value().and_then(|own| own.checked_add(reach)) {
            Some(sum) => reach = sum,
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digits(shape: &[(u64, u64)]) -> Digits {
        Digits::new(
            shape
                .iter()
                .map(|&(stride, count)| AxisDigit {
                    stride,
                    count,
                    extent: count,
                    position_stride: stride * 1000,
                })
                .collect(),
        )
    }

    /// Every question against a walk over all values.
    #[test]
    fn questions_agree_with_a_walk() {
        for shape in [
            vec![],
            vec![(1, 5)],
            vec![(8, 3), (1, 4)],
            vec![(24, 2), (6, 2), (1, 3)],
            vec![(100, 3), (7, 2), (3, 2)],
            vec![(2, 2), (16, 4)],
        ] {
            let digits = digits(&shape);
            let mut values = vec![0_u64];
            for &(stride, count) in &shape {
                values = values
                    .iter()
                    .flat_map(|value| (0..count).map(move |step| value + step * stride))
                    .collect();
            }
            values.sort_unstable();
            assert_eq!(digits.largest_sum(), values.last().copied());
            for bound in 0..350 {
                let next = values.iter().copied().find(|&value| value >= bound);
                assert_eq!(digits.next(bound), next, "{shape:?} next {bound}");
                let below = values.iter().filter(|&&value| value < bound).count() as u64;
                assert_eq!(digits.rank(bound), Some(below), "{shape:?} rank {bound}");
            }
        }
    }

    /// A digit that was split and is in order is one digit again; a permuted one is not.
    #[test]
    fn neighbours_join() {
        let inner = AxisDigit {
            stride: 1,
            count: 4,
            extent: 4,
            position_stride: 2,
        };
        let outer = AxisDigit {
            stride: 4,
            count: 3,
            extent: 3,
            position_stride: 8,
        };
        assert_eq!(
            Digits::new(vec![inner, outer]).as_slice(),
            [AxisDigit {
                stride: 1,
                count: 12,
                extent: 12,
                position_stride: 2
            }]
        );
        let elsewhere = AxisDigit {
            position_stride: 16,
            ..outer
        };
        assert_eq!(Digits::new(vec![inner, elsewhere]).as_slice().len(), 2);
    }
}
