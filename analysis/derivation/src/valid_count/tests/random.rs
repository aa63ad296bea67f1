//! Random placements against a search over the generator's settings.

use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};

use super::*;

/// A random placement of `R`: its digits spread over slice, time and packet with other axes between them.
struct Random {
    slice: Vec<(String, u64)>,
    time: Vec<(String, u64)>,
    packet: Option<(String, u64)>,
    size: u64,
}

fn random(rng: &mut StdRng) -> Random {
    let packet_digit = rng.random_bool(0.45);
    let digits = rng.random_range(1..=4_usize);
    // Extents, innermost first.
    let extents: Vec<u64> = (0..digits)
        .map(|_| *[2, 2, 2, 3, 4, 4, 5, 8].choose(rng))
        .collect();
    let padded: u64 = extents.iter().product();
    let outermost = padded / extents.last().copied().unwrap_or(1);
    let size = rng.random_range(outermost + 1..=padded);
    let in_packet = packet_digit.then(|| {
        if rng.random_bool(0.75) {
            0
        } else {
            rng.random_range(0..digits)
        }
    });
    let mut placement = Random {
        slice: vec![],
        time: vec![],
        packet: None,
        size,
    };
    let mut stride = 1;
    for (number, &extent) in extents.iter().enumerate() {
        let part = match (stride, number + 1 == digits) {
            (1, true) => format!("R # {padded}"),
            (_, true) => format!("R # {padded} / {stride}"),
            (1, false) => format!("R # {padded} % {extent}"),
            (_, false) => format!("R # {padded} / {stride} % {extent}"),
        };
        stride *= extent;
        if in_packet == Some(number) {
            placement.packet = Some((part, extent));
        } else if rng.random_bool(0.5) {
            // Slices are powers of two: another extent is padded up to one.
            let full = extent.next_power_of_two();
            placement.slice.push((
                if full == extent {
                    part
                } else {
                    format!("{part} # {full}")
                },
                full,
            ));
        } else if number + 1 == digits && rng.random_bool(0.1) {
            placement
                .time
                .push((format!("{part} # {}", extent + 2), extent + 2));
        } else {
            placement.time.push((part, extent));
        }
    }
    if rng.random_bool(0.5) {
        placement.slice.push(("X".to_owned(), 4));
    }
    for (name, size) in [("Y", 2), ("Z", 3)] {
        if rng.random_bool(0.3) {
            placement.time.push((name.to_owned(), size));
        }
    }
    if rng.random_bool(0.6) {
        placement.slice.shuffle(rng);
    } else {
        placement.slice.reverse();
    }
    placement.time.shuffle(rng);
    placement
}

trait Choose {
    fn choose(&self, rng: &mut StdRng) -> &u64;
}

impl Choose for [u64; 8] {
    fn choose(&self, rng: &mut StdRng) -> &u64 {
        &self[rng.random_range(0..8)]
    }
}

fn joined(parts: &[(String, u64)]) -> String {
    let texts: Vec<&str> = parts.iter().map(|(text, _)| text.as_str()).collect();
    if texts.is_empty() {
        "1".to_owned()
    } else {
        texts.join(", ")
    }
}

#[test]
fn random_placements_agree_with_a_search_over_settings() {
    let mut rng = StdRng::seed_from_u64(0x7c6);
    let (mut supported, mut refused, mut unneeded) = (0, 0, 0);
    // Placements with an outer digit in the packet: supported, refused.
    let mut outer_digits = (0, 0);
    let mut undecided = 0;
    while supported + refused < 3000 {
        let random = random(&mut rng);
        let axes = [("R", random.size), ("X", 4), ("Y", 2), ("Z", 3)];
        let slices: u64 = random.slice.iter().map(|(_, size)| size).product();
        let steps: u64 = random.time.iter().map(|(_, size)| size).product();
        // The search below is exponential in counters where the packet counts: keep those short.
        let outer = random
            .packet
            .as_ref()
            .is_some_and(|(part, _)| part.contains('/'));
        if slices > 256 || steps > if outer { 16 } else { 64 } {
            continue;
        }
        let packet = random
            .packet
            .as_ref()
            .map_or("1 # 8".to_owned(), |(part, size)| {
                if *size == 8 {
                    part.clone()
                } else {
                    format!("{part} # 8")
                }
            });
        let (slice, time) = (joined(&random.slice), joined(&random.time));
        let flits = Flits::new(&slice, &time, &packet, &axes);
        let needed = flits.needed(&axes[..1]);
        let what = || {
            format!(
                "R={} slice [{slice}] time [{time}] packet [{packet}]",
                random.size
            )
        };
        match flits.place(&["R"]) {
            Some(Placement::Unneeded) => {
                let full = if packet.contains('R') {
                    8
                } else {
                    needed[0][0]
                };
                assert!(
                    needed.iter().flatten().all(|&count| count == full),
                    "{}",
                    what()
                );
                unneeded += 1;
            }
            Some(Placement::Supported(setting)) => {
                assert_counts(&setting, &needed);
                supported += 1;
                outer_digits.0 += u32::from(outer);
            }
            Some(Placement::Refused(refusal)) => {
                assert!(
                    !search::exists(&needed),
                    "{} has a setting, refused as {refusal:?}",
                    what()
                );
                refused += 1;
                outer_digits.1 += u32::from(outer);
            }
            // Counters that cut across touching digits are not looked at; with one prime there are none. Several gates for one
            // axis are not judged where slices are on padding of their own.
            None => {
                let several_gates = slice.contains(" # 4") || slice.contains(" # 8");
                assert!(
                    outer && !super::super::outer_part::is_prime_power(steps) || several_gates,
                    "undecided: {}",
                    what()
                );
                undecided += 1;
            }
        }
    }
    assert!(
        supported > 500 && refused > 500 && unneeded > 10,
        "{supported} {refused} {unneeded}"
    );
    assert!(undecided * 5 < refused, "{undecided} of {refused}");
    assert!(
        outer_digits.0 > 50 && outer_digits.1 > 50,
        "{outer_digits:?}"
    );
}

/// A search over settings that knows nothing of digits.
mod search {
    /// Whether some setting of one packet count and one gate, with the time steps in one of them, gives these counts.
    pub(super) fn exists(needed: &[Vec<u64>]) -> bool {
        let steps = needed[0].len();
        let most: Vec<u64> = (0..steps)
            .map(|time| needed.iter().map(|row| row[time]).max().unwrap_or(0))
            .collect();
        let mut counts: Vec<u64> = needed
            .iter()
            .flatten()
            .copied()
            .filter(|&count| count > 0)
            .collect();
        counts.sort_unstable();
        counts.dedup();
        // The gate by time steps; the boundary's steps are free here, which can only find more settings.
        let rows: Vec<u64> = needed
            .iter()
            .map(|row| {
                (0_u64..)
                    .zip(row)
                    .filter(|&(_, &count)| count > 0)
                    .map(|(time, _)| 1 << time)
                    .sum()
            })
            .collect();
        let all = if steps == 64 {
            u64::MAX
        } else {
            (1 << steps) - 1
        };
        if counts.len() <= 1 && gate(&rows, all) {
            return true;
        }
        // The packet count by time steps: slices are open or closed as a whole.
        let whole = needed
            .iter()
            .all(|row| *row == most || row.iter().all(|&count| count == 0));
        let open: Vec<u64> = needed.iter().map(|row| u64::from(*row == most)).collect();
        whole && gate(&open, 1) && packet_counts(&most)
    }

    /// Tries every mask, threshold and mode on rows of open time steps.
    fn gate(rows: &[u64], all: u64) -> bool {
        (0..rows.len().next_power_of_two()).any(|mask| {
            let mut groups = std::collections::BTreeMap::new();
            for (slice, &row) in rows.iter().enumerate() {
                if *groups.entry(slice & mask).or_insert(row) != row {
                    return false;
                }
            }
            let groups: Vec<u64> = groups.into_values().collect();
            (0..=groups.len()).any(|threshold| {
                let (below, rest) = groups.split_at(threshold);
                let boundary = rest.first().copied().unwrap_or(0);
                let above = rest.get(1..).unwrap_or_default();
                below.iter().all(|&row| row == all)
                    && (above.iter().all(|&row| row == 0)
                        || above.iter().all(|&row| row == boundary))
            })
        })
    }

    /// Whether counters, strides, a valid count and a cap give these counts.
    fn packet_counts(most: &[u64]) -> bool {
        let largest = most.iter().copied().max().unwrap_or(0);
        factorisations(most.len()).iter().any(|limits| {
            (largest..=8).filter(|&cap| cap > 0).any(|cap| {
                (1..=24).any(|valid| strides(most, limits, 1, cap, valid, &mut vec![0; most.len()]))
            })
        })
    }

    /// Chooses strides for the counters from `limits` on; `indices` holds the index of the first `done` steps.
    fn strides(
        most: &[u64],
        limits: &[usize],
        done: usize,
        cap: u64,
        valid: u64,
        indices: &mut Vec<u64>,
    ) -> bool {
        let Some((&limit, rest)) = limits.split_first() else {
            return true;
        };
        (0..=valid).any(|stride| {
            for time in 0..done * limit {
                indices[time] = indices[time % done] + (time / done) as u64 * stride;
                if valid.saturating_sub(indices[time]).min(cap) != most[time] {
                    return false;
                }
            }
            strides(most, rest, done * limit, cap, valid, indices)
        })
    }

    /// All ways to write a number as a product of counters.
    fn factorisations(number: usize) -> Vec<Vec<usize>> {
        if number == 1 {
            return vec![vec![]];
        }
        (2..=number)
            .filter(|factor| number.is_multiple_of(*factor))
            .flat_map(|factor| {
                factorisations(number / factor)
                    .into_iter()
                    .map(move |mut rest| {
                        rest.insert(0, factor);
                        rest
                    })
            })
            .collect()
    }
}
