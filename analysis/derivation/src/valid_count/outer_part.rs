//! The packet count by time steps: whether counters and strides exist that give each time step its count.
//!
//! Where the packet holds the innermost digit of the axis the natural strides do. Where it holds an outer digit, the
//! count also depends on digits in time that are smaller than a lane: with `u` elements between two lanes and a size
//! of `u * q + w`, a flit at `u * h + low` counts `q - h` lanes, and one more while `low < w`. The index of the
//! packet count is a sum over counters, so such a step of one can be made only where a block of the small digits
//! does it alone.

use super::answer::Assigned;
use super::digits::{AxisDigit, Digits};
use super::setting::PacketCount;

/// The packet count and its counters: `Some(None)` if none that follow the digits do, `None` if this cannot tell.
///
/// Counters may also cut across digits that touch in time, which the blocks here do not look at.
pub(super) fn packet_count(
    size: u64,
    lanes: &AxisDigit,
    time: &Digits,
) -> Option<Option<(PacketCount, Vec<Assigned>)>> {
    if lanes.position_stride != 1 {
        return None;
    }
    if lanes.stride == 1 {
        let packet = PacketCount {
            valid: size,
            cap: lanes.count,
        };
        return Some(Some((
            packet,
            time.as_slice()
                .iter()
                .map(|digit| assign_whole_digit(digit, digit.stride))
                .collect(),
        )));
    }
    OuterPart::new(size, lanes, time)?.count()
}

/// Whether a number has one prime factor at most; of a large one only 2 and 3 are tried.
pub(super) fn is_prime_power(number: u64) -> bool {
    const LARGEST: u64 = 1 << 20;
    let most = if number > LARGEST { 3 } else { number };
    let Some(prime) = (2..=most).find(|prime| number.is_multiple_of(*prime)) else {
        return number == 1;
    };
    let mut rest = number;
    while rest.is_multiple_of(prime) {
        rest /= prime;
    }
    rest == 1
}

fn assign_whole_digit(digit: &AxisDigit, stride: u64) -> Assigned {
    Assigned {
        position_stride: digit.position_stride,
        limit: digit.extent,
        stride,
    }
}

struct OuterPart {
    /// Lanes of the axis.
    lanes: u64,
    /// Full lanes: `q`.
    full: u64,
    /// Digits in time of at least one lane, in lanes.
    high: Digits,
    /// Digits in time below a lane, in elements.
    low: Digits,
    /// Elements beyond the full lanes: `w`.
    over: u64,
    /// Combinations of the small digits.
    combinations: u64,
    /// Those of them below `w`.
    below: u64,
}

impl OuterPart {
    fn new(size: u64, lanes: &AxisDigit, time: &Digits) -> Option<Self> {
        let unit = lanes.stride;
        let (high, low): (Vec<AxisDigit>, Vec<AxisDigit>) = time
            .as_slice()
            .iter()
            .partition(|digit| digit.stride >= unit);
        if high.iter().any(|digit| !digit.stride.is_multiple_of(unit))
            || low.iter().any(AxisDigit::is_padded)
        {
            return None;
        }
        let high = high
            .into_iter()
            .map(|digit| AxisDigit {
                stride: digit.stride / unit,
                ..digit
            })
            .collect();
        let (high, low) = (Digits::new(high), Digits::new(low));
        let over = size % unit;
        let (combinations, below) = (low.steps()?, low.rank(over)?);
        Some(Self {
            lanes: lanes.count,
            full: size / unit,
            high,
            low,
            over,
            combinations,
            below,
        })
    }

    /// The largest value of the high digits that is at most `q`.
    fn last_high(&self) -> u64 {
        let mut rest = self.full;
        let mut value = 0_u64;
        for digit in self.high.as_slice() {
            let step = (rest / digit.stride.max(1)).min(digit.count.saturating_sub(1));
            rest -= step * digit.stride;
            value += step * digit.stride;
        }
        value
    }

    fn count(&self) -> Option<Option<(PacketCount, Vec<Assigned>)>> {
        let last = self.last_high();
        let left = self.full - last;
        if self.below == 0 || self.below == self.combinations {
            // The small digits never change the count.
            let valid = self.full.checked_add(u64::from(self.below > 0))?;
            return self.with_low(valid, self.lanes, 1, &[]);
        }
        if left >= self.lanes {
            return self.with_low(self.full, self.lanes, 1, &[]);
        }
        if last == 0 && left == 0 {
            // One lane at most: its elements are counted like those of a gate.
            let low: Vec<Assigned> = self
                .low
                .as_slice()
                .iter()
                .map(|digit| assign_whole_digit(digit, digit.stride))
                .collect();
            return self.with_low(self.over, 1, self.over, &low);
        }
        let most = if last > 0 { self.lanes } else { left + 1 };
        if left == 0 {
            let Some(low) = block_counters(&self.low, self.below) else {
                return Some(None);
            };
            let reach = counter_reach(&low)?;
            return self.with_low(last.checked_mul(reach)?.checked_add(1)?, most, reach, &low);
        }
        if left + 1 == most {
            let Some(low) = block_counters(&self.low, self.combinations - self.below) else {
                return Some(None);
            };
            let reach = counter_reach(&low)?;
            let unit = left.checked_add(reach)?;
            return self.with_low(last.checked_mul(unit)?.checked_add(unit)?, most, unit, &low);
        }
        match block_counters(&self.low, self.below).as_deref() {
            Some([single]) if single.limit == 2 => {
                self.with_low(last.checked_add(left)?.checked_add(1)?, most, 1, &[*single])
            }
            _ => Some(None),
        }
    }

    /// The setting with `unit` index steps a lane of the high digits.
    fn with_low(
        &self,
        valid: u64,
        cap: u64,
        unit: u64,
        low: &[Assigned],
    ) -> Option<Option<(PacketCount, Vec<Assigned>)>> {
        let mut counters = low.to_vec();
        for digit in self.high.as_slice() {
            counters.push(assign_whole_digit(digit, digit.stride.checked_mul(unit)?));
        }
        Some(Some((PacketCount { valid, cap }, counters)))
    }
}

/// What counters of stride 1 add up to at most.
fn counter_reach(counters: &[Assigned]) -> Option<u64> {
    counters.iter().try_fold(0_u64, |sum, counter| {
        sum.checked_add(counter.limit.checked_sub(1)?)
    })
}

/// Counters of stride 1 over the digits above a block of `size` combinations; `None` if no digits make that block.
fn block_counters(digits: &Digits, size: u64) -> Option<Vec<Assigned>> {
    let mut inside = 1_u64;
    let mut counters = Vec::new();
    for digit in digits.as_slice().iter().rev() {
        let next = inside.checked_mul(digit.extent)?;
        if size >= next {
            inside = next;
            continue;
        }
        let kept = if size > inside {
            if !size.is_multiple_of(inside) || !digit.extent.is_multiple_of(size / inside) {
                return None;
            }
            size / inside
        } else {
            1
        };
        inside = size;
        counters.push(Assigned {
            position_stride: digit.position_stride.checked_mul(kept)?,
            limit: digit.extent / kept,
            stride: 1,
        });
    }
    Some(counters)
}
