//! Banks of DM: the longest run of consecutive accesses to one bank.
//!
//! Knows how a byte address chooses a bank (bits 3 to 6) and what a nest of loops with constant strides does to it.
//! It knows no engine and no limit: who asks brings the accesses, and a rule compares the answer.
//!
//! The accesses are never walked. Only the address modulo 128 bytes matters, so the inner levels of the nest are one
//! of at most 1,024 possible sequences, one a starting place (in bits: elements of 4 bits can start in the middle of a
//! byte). Each is summarised by how it begins, how it ends and its longest run; a level repeats the summaries of the
//! level inside it, shifted by its stride, and doubling makes that logarithmic in the level's size.

use crate::hardware::{DM_BANK_BITS, DM_BANKS};
use crate::mapping::gcd;

/// Bits of DM address space after which the banks repeat: 16 banks of 8 bytes (book: Address Space in a Slice).
const PERIOD: u64 = DM_BANK_BITS * DM_BANKS;

/// One level of a nest of accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AccessLevel {
    /// How often the level repeats what is inside it; at least 1.
    pub size: u64,
    /// Distance in bits between the starts of two repetitions; may be negative.
    pub stride_bits: i128,
}

/// What has to be known of a sequence of accesses to continue it: does each access touch the watched bank?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Runs {
    /// Accesses at the start that touch it.
    prefix: u64,
    /// Accesses at the end that touch it.
    suffix: u64,
    /// The longest run anywhere.
    longest: u64,
    /// All accesses touch it.
    whole: bool,
}

impl Runs {
    const fn access(touches: bool) -> Self {
        let length = if touches { 1 } else { 0 };
        Self {
            prefix: length,
            suffix: length,
            longest: length,
            whole: touches,
        }
    }

    /// This sequence followed by another.
    fn then(self, next: Self) -> Self {
        let joined = self.suffix.saturating_add(next.prefix);
        Self {
            prefix: if self.whole { joined } else { self.prefix },
            suffix: if next.whole { joined } else { next.suffix },
            longest: self.longest.max(next.longest).max(joined),
            whole: self.whole && next.whole,
        }
    }
}

/// Summaries of one nest for each starting place: index `i` starts `i` units after the first place.
struct Places {
    /// Bits between two places; divides the period.
    unit: u64,
    summaries: Vec<Runs>,
}

impl Places {
    /// The nest inside, repeated `size` times with `stride` bits between (reduced modulo the period).
    fn repeat_nest(&mut self, size: u64, stride: u64) {
        let mut power = std::mem::take(&mut self.summaries);
        let mut power_stride = stride;
        let mut done: Option<Vec<Runs>> = None;
        let mut done_stride = 0;
        let mut remaining = size;
        while remaining > 0 {
            if remaining & 1 == 1 {
                done = Some(match done {
                    None => power.clone(),
                    Some(before) => join(&before, &power, done_stride / self.unit),
                });
                done_stride = (done_stride + power_stride) % PERIOD;
            }
            remaining >>= 1;
            if remaining > 0 {
                power = join(&power, &power, power_stride / self.unit);
                power_stride = (power_stride * 2) % PERIOD;
            }
        }
        self.summaries = done.unwrap_or(power);
    }
}

/// `first`, then `second` started `shift` units later, at every place.
fn join(first: &[Runs], second: &[Runs], shift: u64) -> Vec<Runs> {
    let shift = usize::try_from(shift).unwrap_or(0);
    let shifted = second.iter().cycle().skip(shift);
    first
        .iter()
        .zip(shifted)
        .map(|(before, after)| before.then(*after))
        .collect()
}

/// The largest number of consecutive accesses that all touch one same bank.
///
/// `levels` are outermost first; one access touches `access_bits` bits from its address on; `base_bits` is the
/// address of the first access, in bits from the start of the slice's DM. No levels mean one access. The answer
/// saturates at `u64::MAX`. (Book: Bank Starvation.)
pub fn longest_bank_run(levels: &[AccessLevel], access_bits: u64, base_bits: u64) -> u64 {
    let strides: Vec<u64> = levels
        .iter()
        .map(|level| reduce(level.stride_bits))
        .collect();
    // Banks are watched by moving the start by a bank's width, so the places must reach that too.
    let unit = strides
        .iter()
        .fold(DM_BANK_BITS, |unit, stride| gcd(unit, *stride));
    let first = base_bits % unit;
    let mut places = Places {
        unit,
        summaries: (0..PERIOD / unit)
            .map(|place| Runs::access(touches_first_bank(first + place * unit, access_bits)))
            .collect(),
    };
    for (level, stride) in levels.iter().zip(&strides).rev() {
        places.repeat_nest(level.size.max(1), *stride);
    }
    let start = base_bits % PERIOD / unit;
    (0..DM_BANKS)
        .filter_map(|bank| {
            let moved = (start * unit + PERIOD - bank * DM_BANK_BITS) % PERIOD / unit;
            places
                .summaries
                .get(usize::try_from(moved).ok()?)
                .map(|runs| runs.longest)
        })
        .max()
        .unwrap_or(0)
}

/// The level that carries a run to `limit` accesses: the innermost one with which the nest from there inwards
/// reaches it. `None` if the whole nest does not.
pub fn level_reaching(
    levels: &[AccessLevel],
    access_bits: u64,
    base_bits: u64,
    limit: u64,
) -> Option<usize> {
    (0..levels.len()).rev().find(|outermost| {
        longest_bank_run(
            levels.get(*outermost..).unwrap_or(&[]),
            access_bits,
            base_bits,
        ) >= limit
    })
}

/// Whether an access at `place` (modulo the period) touches the bank at place 0.
const fn touches_first_bank(place: u64, access_bits: u64) -> bool {
    access_bits > 0 && (place < DM_BANK_BITS || access_bits > PERIOD - place)
}

fn reduce(stride: i128) -> u64 {
    u64::try_from(stride.rem_euclid(i128::from(PERIOD))).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    /// Walks every access and counts, bank by bank.
    fn walked(levels: &[AccessLevel], access_bits: u64, base_bits: u64) -> u64 {
        let total: u64 = levels.iter().map(|level| level.size).product();
        let mut current = [0_u64; 16];
        let mut longest = 0;
        for access in 0..total {
            let mut rest = access;
            let mut address = i128::from(base_bits);
            for level in levels.iter().rev() {
                address += i128::from(rest % level.size) * level.stride_bits;
                rest /= level.size;
            }
            let mut touched = [false; 16];
            // Rows of 8 bytes from the first to the last byte touched; bits 3 to 6 of the byte address choose the bank.
            let rows = (address.div_euclid(8) >> 3)
                ..=((address + i128::from(access_bits) - 1).div_euclid(8) >> 3);
            for row in rows.take(16) {
                touched[usize::try_from(row & 15).unwrap()] = true;
            }
            for (count, touches) in current.iter_mut().zip(touched) {
                *count = if touches { *count + 1 } else { 0 };
                longest = longest.max(*count);
            }
        }
        longest
    }

    #[test]
    fn agrees_with_walking_the_accesses_of_random_sequencers() {
        let mut random = StdRng::seed_from_u64(0x00ba_7c45);
        for _ in 0..12_000 {
            let count = random.random_range(0..=5);
            let mut budget = 2_000_u64;
            let element_bits = [4, 8, 16, 32][random.random_range(0..4)];
            let levels: Vec<AccessLevel> = (0..count)
                .map(|_| {
                    let size = random.random_range(1..=budget.min(80));
                    budget /= size;
                    let stride: i128 = match random.random_range(0..5) {
                        0 => 0,
                        1 => random.random_range(0..64),
                        2 => 128 * random.random_range(0..5),
                        3 => 8 * random.random_range(-40..40),
                        _ => random.random_range(-5_000..5_000),
                    };
                    AccessLevel {
                        size,
                        stride_bits: stride * element_bits,
                    }
                })
                .collect();
            let access_bits = [4, 8, 16, 32, 64, 128, 192, 256, 2048][random.random_range(0..9)];
            let base_bits = match random.random_range(0..3) {
                0 => 0,
                1 => 64 * random.random_range(0..4_000),
                _ => 8 * random.random_range(0..40_000),
            };
            assert_eq!(
                longest_bank_run(&levels, access_bits, base_bits),
                walked(&levels, access_bits, base_bits),
                "{levels:?}, {access_bits} bits from bit {base_bits}"
            );
        }
    }

    #[test]
    fn figure_b2_bits_3_to_6_of_the_byte_address_choose_the_bank() {
        let nest = |stride_bytes: i128| {
            vec![AccessLevel {
                size: 100,
                stride_bits: stride_bytes * 8,
            }]
        };
        // Bits 0 to 2 stay in a bank: eight accesses of one byte, then the next bank.
        assert_eq!(longest_bank_run(&nest(1), 8, 0), 8);
        // Bit 3 changes it, bit 6 does, bit 7 (the first row bit) does not.
        assert_eq!(longest_bank_run(&nest(8), 64, 0), 1);
        assert_eq!(longest_bank_run(&nest(64), 64, 0), 1);
        assert_eq!(longest_bank_run(&nest(128), 64, 0), 100);
    }

    #[test]
    fn figure_b1_the_limit_is_the_least_count_that_takes_4096_cycles() {
        let cycles = |accesses: u64| (256 / 128) * accesses * 32;
        assert!(cycles(crate::hardware::BANK_RUN_LIMIT - 1) < 4096);
        assert!(cycles(crate::hardware::BANK_RUN_LIMIT) >= 4096);
    }

    #[test]
    fn full_sequencers_need_no_walk() {
        // 65,536 to the eighth accesses, all on one bank: more than 64 bits count.
        let same = [AccessLevel {
            size: 65_536,
            stride_bits: 1024,
        }; 8];
        assert_eq!(longest_bank_run(&same, 64, 0), u64::MAX);
        // Seven levels that stay, and an inner one that goes through all banks: each bank once in 16 accesses, but
        // the eight-byte access at the end of a round and the one at the start of the next differ.
        let mut moving = same;
        moving[7].stride_bits = 64;
        assert_eq!(longest_bank_run(&moving, 64, 0), 1);
        // The same with an inner level of 17: the last access of a round and the first of the next share a bank.
        moving[7].size = 17;
        assert_eq!(longest_bank_run(&moving, 64, 0), 2);
    }

    #[test]
    fn the_level_that_reaches_the_limit_is_the_innermost_that_does() {
        let levels = [
            AccessLevel {
                size: 64,
                stride_bits: 4096,
            },
            AccessLevel {
                size: 2,
                stride_bits: 0,
            },
            AccessLevel {
                size: 32,
                stride_bits: 1024,
            },
        ];
        assert_eq!(level_reaching(&levels, 64, 0, 32), Some(2));
        assert_eq!(level_reaching(&levels, 64, 0, 64), Some(1));
        assert_eq!(level_reaching(&levels, 64, 0, 65), Some(0));
        assert_eq!(level_reaching(&levels, 64, 0, 64 * 64 + 1), None);
    }
}
