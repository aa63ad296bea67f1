//! The fewest counters, against a search over counters and strides that knows the counts of the time steps alone.

use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};

use super::super::answer::Assigned;
use super::super::digits::{AxisDigit, Digits};
use super::super::fewest::{Fewest, Wanted, counters};
use super::*;

/// A function of time, and its count at every step by its digits.
struct Case {
    wanted: Wanted,
    steps: u64,
    counts: Vec<u64>,
}

/// Digits of an axis of `size` elements in a random order of time, with other axes between them.
fn random(rng: &mut StdRng, most_steps: u64, packets: bool) -> Option<Case> {
    let lanes = if packets {
        [1, 2, 4, 8][rng.random_range(0..4)]
    } else {
        1
    };
    // The lanes hold the innermost digit or the outermost one.
    let outermost = packets && rng.random_bool(0.3);
    let extents: Vec<u64> = (0..rng.random_range(1..=5))
        .map(|_| [2, 2, 2, 3, 4][rng.random_range(0..5)])
        .collect();
    let small: u64 = extents.iter().product();
    let mut stride = if outermost { 1 } else { lanes };
    let mut parts: Vec<(u64, u64)> = extents
        .iter()
        .map(|&extent| {
            stride *= extent;
            (extent, stride / extent)
        })
        .collect();
    let lane_stride = if outermost { small } else { 1 };
    for gap in [2, 3] {
        if rng.random_bool(0.25) {
            parts.push((gap, 0));
        }
    }
    let steps: u64 = parts.iter().map(|(extent, _)| extent).product();
    if steps > most_steps {
        return None;
    }
    let size = rng.random_range(1..=small * lanes);
    parts.shuffle(rng);
    let mut position = 1;
    let mut digits = Vec::new();
    for &(extent, stride) in &parts {
        if stride > 0 {
            digits.push(AxisDigit {
                stride,
                count: extent,
                extent,
                position_stride: position,
            });
        }
        position *= extent;
    }
    let counts = (0..steps)
        .map(|time| {
            let value: u64 = digits
                .iter()
                .map(|digit| time / digit.position_stride % digit.extent * digit.stride)
                .sum();
            (0..lanes)
                .filter(|lane| value + lane * lane_stride < size)
                .count() as u64
        })
        .collect();
    let thresholds = (0..lanes)
        .map(|lane| size.saturating_sub(lane * lane_stride))
        .filter(|&threshold| threshold > 0)
        .collect();
    Some(Case {
        wanted: Wanted {
            digits: Digits::new(digits),
            thresholds,
            packets,
        },
        steps,
        counts,
    })
}

/// The counts that counters give, and how many counters it takes with those that pass time or carry the cap.
fn counted(case: &Case, counters: &[Assigned], valid: u64) -> (Vec<u64>, usize) {
    let cap = case.wanted.thresholds.len() as u64;
    let counts = (0..case.steps)
        .map(|time| {
            let index: u64 = counters
                .iter()
                .map(|counter| time / counter.position_stride % counter.limit * counter.stride)
                .sum();
            valid.saturating_sub(index).min(cap)
        })
        .collect();
    let mut position = 1;
    let mut number = 0;
    for counter in counters {
        number += 1 + usize::from(counter.position_stride > position);
        position = counter.position_stride * counter.limit;
    }
    number += usize::from(case.steps > position);
    if case.wanted.packets && counters.first().map(|counter| counter.stride) != Some(cap) {
        number += 1;
    }
    (counts, number)
}

/// The least number of counters of small strides that give these counts; `most` and more are `most`.
fn searched(counts: &[u64], packets: bool, most: usize) -> usize {
    let cap = counts.iter().copied().max().unwrap_or(0);
    let mut chains = chains(counts.len() as u64);
    chains.sort_by_key(Vec::len);
    for limits in chains {
        if limits.len() >= most {
            break;
        }
        let mut best = most;
        let mut indices = vec![0; counts.len()];
        strides(
            counts,
            &limits,
            1,
            &mut indices,
            &mut vec![],
            &mut |indices, chosen| {
                let ends = if packets {
                    0..=80
                } else {
                    0..=indices.iter().copied().max().unwrap_or(0) + 1
                };
                for end in ends {
                    let fits = indices.iter().zip(counts).all(|(&index, &count)| {
                        let given = u64::saturating_sub(end, index);
                        if packets {
                            given.min(cap) == count
                        } else {
                            (given > 0) == (count > 0)
                        }
                    });
                    if fits {
                        let innermost = chosen.iter().copied().find(|&stride| stride > 0);
                        let carrier = packets && innermost != Some(cap);
                        best = best.min(limits.len() + usize::from(carrier));
                    }
                }
                best == limits.len()
            },
        );
        if best < most {
            return best;
        }
    }
    most
}

fn strides(
    counts: &[u64],
    limits: &[u64],
    done: usize,
    indices: &mut Vec<u64>,
    chosen: &mut Vec<u64>,
    found: &mut dyn FnMut(&[u64], &[u64]) -> bool,
) -> bool {
    let Some((&limit, rest)) = limits.split_first() else {
        return found(indices, chosen);
    };
    let upto = done * limit as usize;
    for stride in 0..=26 {
        for time in 0..upto {
            indices[time] = indices[time % done] + (time / done) as u64 * stride;
        }
        // More is counted at a smaller index, and as much at the same one.
        let ordered = (0..upto).all(|first| {
            (0..upto).all(|second| match counts[first].cmp(&counts[second]) {
                std::cmp::Ordering::Greater => indices[first] < indices[second],
                _ => true,
            })
        });
        if ordered {
            chosen.push(stride);
            let done = strides(counts, rest, upto, indices, chosen, found);
            chosen.pop();
            if done {
                return true;
            }
        }
    }
    false
}

/// All ways to write a number as a product of limits.
fn chains(number: u64) -> Vec<Vec<u64>> {
    if number == 1 {
        return vec![vec![]];
    }
    (2..=number)
        .filter(|limit| number.is_multiple_of(*limit))
        .flat_map(|limit| {
            chains(number / limit).into_iter().map(move |mut rest| {
                rest.insert(0, limit);
                rest
            })
        })
        .collect()
}

fn agrees_with_a_search(packets: bool, most_steps: u64, cases: usize, seed: u64) {
    let mut rng = StdRng::seed_from_u64(seed);
    let (mut found, mut refused, mut unknown, mut fewer) = (0, 0, 0, 0);
    while found + refused < cases {
        let Some(case) = random(&mut rng, most_steps, packets) else {
            continue;
        };
        let most = rng.random_range(1..=if packets { 4 } else { 3 });
        let digits = case.wanted.digits.as_slice().len();
        match counters(&case.wanted, case.steps, most) {
            Fewest::Counters { counters, valid } => {
                let (counts, number) = counted(&case, &counters, valid);
                assert_eq!(
                    counts, case.counts,
                    "{:?} {counters:?} {valid}",
                    case.wanted
                );
                assert!(number <= most, "{number} of {most}: {:?}", case.wanted);
                fewer += usize::from(number < digits);
                found += 1;
            }
            Fewest::TooMany(at_least) => {
                let needed = searched(&case.counts, packets, 9);
                assert!(
                    needed > most && needed >= at_least,
                    "{needed} for {at_least} of {most}: {:?}",
                    case.wanted
                );
                refused += 1;
            }
            Fewest::Unknown => unknown += 1,
        }
    }
    assert!(
        found > cases / 4 && refused > cases / 12 && fewer > cases / 50,
        "{found} {refused} {fewer}"
    );
    assert!(
        unknown * 3 < refused,
        "{unknown} unknown, {refused} refused"
    );
}

#[test]
fn gates_agree_with_a_search_over_strides() {
    agrees_with_a_search(false, 36, 400, 0x51);
}

#[test]
fn packet_counts_agree_with_a_search_over_strides() {
    agrees_with_a_search(true, 12, 400, 0x52);
}

/// Ten binary digits in reversed order, every size: what is refused needs nine counters by a walk over all time steps, and
/// what is supported counts right.
#[test]
fn reversed_digits_of_every_size() {
    let steps = 1024_u64;
    let digits: Vec<AxisDigit> = (0..10)
        .map(|bit| AxisDigit {
            stride: 512 >> bit,
            count: 2,
            extent: 2,
            position_stride: 1 << bit,
        })
        .collect();
    let (mut refused, mut unknown, mut supported) = (0, 0, 0);
    let ends = [341, 342, 682, 683];
    for size in (1..steps).step_by(11).chain(ends) {
        let counts = (0..steps)
            .map(|time| u64::from(time.reverse_bits() >> 54 < size))
            .collect();
        let wanted = Wanted {
            digits: Digits::new(digits.clone()),
            thresholds: vec![size],
            packets: false,
        };
        let case = Case {
            wanted,
            steps,
            counts,
        };
        match counters(&case.wanted, steps, COUNTERS) {
            Fewest::Counters { counters, valid } => {
                let (counts, number) = counted(&case, &counters, valid);
                assert_eq!(counts, case.counts, "size {size}");
                assert!(number <= COUNTERS);
                supported += 1;
            }
            Fewest::TooMany(at_least) => {
                assert_eq!(least_falling(&case.counts, 10), at_least, "size {size}");
                refused += 1;
            }
            Fewest::Unknown => unknown += 1,
        }
    }
    // 341 and 683 end in ten bits that alternate; 342 and 682 do with their last one.
    assert!(refused >= 4);
    assert!(supported > 80);
    assert_eq!(unknown, 0);
}

/// The least number of runs of bits along each of which the count never rises.
fn least_falling(counts: &[u64], bits: usize) -> usize {
    let falls = |from: usize, to: usize| {
        (0..counts.len()).all(|time| {
            let inside = (time >> from) % (1 << (to - from));
            inside == 0 || counts[time - (1 << from)] >= counts[time]
        })
    };
    let mut least = vec![0; bits + 1];
    for to in 1..=bits {
        least[to] = (0..to)
            .filter(|&from| falls(from, to))
            .map(|from| least[from] + 1)
            .min()
            .unwrap_or(bits);
    }
    least[bits]
}
