//! Every answer against a walk over all bytes of random nests, and answers for counts that are too large to walk.

use std::collections::{HashMap, HashSet};

use super::{Extent, Loop, Meeting, Side, Transfer, joined_in_any_order, rows_meet, sides_meet};

/// Numbers that look random and are the same in every run (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    fn step(&mut self) -> i64 {
        let unit = [1, 2, 3, 8, 16, 32][self.below(6) as usize];
        (self.below(41) as i64 - 12) * unit
    }

    /// A nest of up to four loops, of at most `most` rows.
    fn nest(&mut self, most: u64) -> Transfer {
        let mut loops = Vec::new();
        let mut rows = 1;
        for _ in 0..self.below(5) {
            let count = (1 + self.below(40)).min((most / rows).max(1));
            rows *= count;
            let (source, mut target) = (self.step(), self.step());
            if self.below(4) == 0 {
                target = source;
            }
            loops.insert(
                0,
                Loop {
                    count,
                    source,
                    target,
                },
            );
        }
        // Loops that continue each other would hardly come up by chance.
        if self.below(3) == 0 && loops.len() > 1 {
            for outer in (0..loops.len() - 1).rev() {
                let inner = loops[outer + 1];
                if self.below(2) == 0 {
                    loops[outer].source = inner.source * inner.count as i64;
                    loops[outer].target = inner.target * inner.count as i64;
                }
            }
        }
        let run = 1 + self.below(40);
        if self.below(3) == 0
            && let Some(inner) = loops.last_mut()
        {
            inner.source = run as i64;
            inner.target = run as i64;
        }
        let width = run + [0, 0, 8, 24][self.below(4) as usize];
        Transfer::new(run, loops).with_width(width)
    }
}

/// The starts of all rows on both sides, in order.
fn walk(transfer: &Transfer) -> Vec<(i128, i128)> {
    let mut rows = vec![(0, 0)];
    for one in &transfer.loops {
        let steps = |row: (i128, i128)| {
            (0..i128::from(one.count)).map(move |index| {
                (
                    row.0 + index * i128::from(one.source),
                    row.1 + index * i128::from(one.target),
                )
            })
        };
        rows = rows.into_iter().flat_map(steps).collect();
    }
    rows
}

fn start(row: (i128, i128), side: Side) -> i128 {
    match side {
        Side::Source => row.0,
        Side::Target => row.1,
    }
}

/// Whether a byte belongs to two rows: each byte of each row is marked.
fn bytes_twice(rows: &[(i128, i128)], side: Side, width: u64) -> bool {
    let mut seen = HashSet::new();
    let mut bytes = rows
        .iter()
        .flat_map(|&row| (0..i128::from(width)).map(move |byte| start(row, side) + byte));
    bytes.any(|byte| !seen.insert(byte))
}

/// The same by the starts of neighbouring rows, which is enough since all rows are of one width.
fn starts_too_near(rows: &[(i128, i128)], side: Side, width: u64) -> bool {
    let mut starts: Vec<i128> = rows.iter().map(|&row| start(row, side)).collect();
    starts.sort_unstable();
    starts
        .windows(2)
        .any(|pair| pair[1] - pair[0] < i128::from(width))
}

/// The pairs of bytes that are moved, in order.
fn moved(transfer: &Transfer) -> Vec<(i128, i128)> {
    let rows = walk(transfer);
    let bytes = |row: (i128, i128)| {
        (0..i128::from(transfer.run)).map(move |byte| (row.0 + byte, row.1 + byte))
    };
    rows.into_iter().flat_map(bytes).collect()
}

fn expect_as_walked(transfer: &Transfer, rows: &[(i128, i128)]) {
    assert_eq!(transfer.rows(), Some(rows.len() as i128));
    for side in [Side::Source, Side::Target] {
        let starts = || rows.iter().map(|&row| start(row, side));
        let low = starts().min().unwrap();
        let high = starts().max().unwrap() + i128::from(transfer.row(side));
        assert_eq!(
            transfer.extent(side),
            Some(Extent { low, high }),
            "{transfer:?}"
        );
        let twice = starts_too_near(rows, side, transfer.row(side));
        if rows.len() < 12 {
            assert_eq!(bytes_twice(rows, side, transfer.row(side)), twice);
        }
        match rows_meet(transfer, side) {
            Meeting::Never => assert!(!twice, "{transfer:?} {side:?}"),
            Meeting::Shared {
                iterations,
                distance,
            } => {
                assert!(twice, "{transfer:?} {side:?}");
                let places = iterations.iter().zip(&transfer.loops);
                let sum: i128 = places
                    .map(|(&index, one)| index * i128::from(one.step(side)))
                    .sum();
                assert_eq!(sum, distance);
                assert!(distance.unsigned_abs() < u128::from(transfer.row(side)));
                assert!(iterations.iter().any(|&index| index != 0));
            }
            Meeting::Unknown => panic!("a small nest is decided: {transfer:?}"),
        }
    }
}

fn expect_merged(transfer: &Transfer, rows: &[(i128, i128)]) {
    let (joined, merged) = (transfer.with_joined_loops(), transfer.with_merged_rows());
    assert_eq!(walk(&joined), rows, "{transfer:?}");
    if rows.len() < 12 {
        assert_eq!(moved(&merged), moved(transfer), "{transfer:?}");
    } else {
        // A row of the merged form is as many of these as fit into its run.
        let each = (merged.run / transfer.run) as usize;
        let firsts: Vec<_> = rows.iter().step_by(each).copied().collect();
        assert_eq!(walk(&merged), firsts, "{transfer:?}");
        let run = i128::from(transfer.run);
        let in_line = |rows: &[(i128, i128)]| {
            rows.windows(2)
                .all(|pair| (pair[0].0 + run, pair[0].1 + run) == pair[1])
        };
        assert!(rows.chunks(each).all(in_line), "{transfer:?}");
    }
    assert!(merged.loops.len() <= joined.loops.len());
    assert_eq!(merged.with_merged_rows(), merged);
    // Nothing is left that continues.
    for pair in joined.loops.windows(2) {
        let inner = pair[1].count as i64;
        assert!(
            pair[0].source != pair[1].source * inner || pair[0].target != pair[1].target * inner
        );
    }
}

fn expect_table(transfer: &Transfer, rows: &[(i128, i128)]) {
    let table = transfer.row_table();
    let place = |indices: &[u64]| {
        let loops = indices.iter().zip(&transfer.loops);
        loops.fold(0, |place, (&index, one)| place * one.count + index) as usize
    };
    let mut seen = HashSet::new();
    for row in &table {
        assert_eq!(rows[place(&row.indices)], (row.source, row.target));
        assert!(seen.insert(row.indices.clone()));
    }
    let taken = transfer.loops.iter().filter(|one| one.count > 1);
    let wanted: u64 = 1 + taken.map(|one| 2.min(one.count - 1)).sum::<u64>();
    assert_eq!(table.len() as u64, wanted);
}

#[test]
fn random_nests_are_as_walked_byte_by_byte() {
    let mut numbers = Numbers(0x5eed_0001);
    let mut meetings = HashMap::new();
    for _ in 0..100_000 {
        let transfer = numbers.nest(60);
        let rows = walk(&transfer);
        expect_as_walked(&transfer, &rows);
        expect_merged(&transfer, &rows);
        expect_table(&transfer, &rows);
        let meets = matches!(rows_meet(&transfer, Side::Target), Meeting::Shared { .. });
        *meetings.entry(meets).or_insert(0) += 1;
    }
    assert!(
        meetings[&true] > 10_000 && meetings[&false] > 10_000,
        "{meetings:?}"
    );
}

#[test]
fn larger_nests_are_as_walked() {
    let mut numbers = Numbers(0x5eed_0002);
    for _ in 0..150 {
        let transfer = numbers.nest(64_000);
        let rows = walk(&transfer);
        expect_as_walked(&transfer, &rows);
        expect_table(&transfer, &rows);
    }
}

#[test]
fn two_long_entangled_loops_are_as_walked() {
    let mut numbers = Numbers(0x5eed_0004);
    let mut met = 0;
    for _ in 0..400 {
        let mut one = || Loop {
            count: 20 + numbers.below(180),
            source: numbers.below(400) as i64 - 50,
            target: (numbers.below(3000) as i64 - 1500) * 8,
        };
        let loops = vec![one(), one()];
        let transfer = Transfer::new(1 + numbers.below(24), loops);
        let rows = walk(&transfer);
        expect_as_walked(&transfer, &rows);
        let meets = rows_meet(&transfer, Side::Target);
        met += usize::from(matches!(meets, Meeting::Shared { .. }));
    }
    assert!((40..360).contains(&met), "{met}");
}

#[test]
fn two_random_sides_meet_where_a_byte_is_in_both() {
    let mut numbers = Numbers(0x5eed_0003);
    let mut met = 0;
    for _ in 0..4_000 {
        let (one, other) = (numbers.nest(30), numbers.nest(30));
        let distance = i128::from(numbers.below(2000)) - 1000;
        let bytes = |transfer: &Transfer, side: Side, base: i128| -> HashSet<i128> {
            let rows = walk(transfer);
            let width = i128::from(transfer.row(side));
            rows.into_iter()
                .flat_map(|row| (0..width).map(move |byte| base + start(row, side) + byte))
                .collect()
        };
        let target = bytes(&one, Side::Target, 0);
        let wanted = !target.is_disjoint(&bytes(&other, Side::Source, distance));
        let meeting = sides_meet((&one, Side::Target), (&other, Side::Source), distance);
        assert_eq!(
            matches!(meeting, Meeting::Shared { .. }),
            wanted,
            "{one:?} {other:?} {distance}"
        );
        assert_ne!(meeting, Meeting::Unknown);
        met += usize::from(wanted);
        // A single byte is a side too.
        let byte = Transfer::new(1, Vec::new());
        let covered = sides_meet((&one, Side::Target), (&byte, Side::Source), distance);
        assert_eq!(
            matches!(covered, Meeting::Shared { .. }),
            target.contains(&distance)
        );
    }
    assert!(met > 400 && met < 3_600, "{met}");
}

#[test]
fn counts_of_two_million_in_three_loops_take_no_time() {
    let count = 1 << 21;
    let nest = |steps: [i64; 3]| {
        let loops = steps.map(|step| Loop {
            count,
            source: step,
            target: step,
        });
        Transfer::new(32, loops.to_vec())
    };
    // Rows, then loops that continue them: no two rows meet, and all is one run of 2^68 bytes, which no field holds.
    let dense = nest([32 << 42, 32 << 21, 32]);
    let begun = std::time::Instant::now();
    assert_eq!(rows_meet(&dense, Side::Target), Meeting::Never);
    assert_eq!(dense.reach(Side::Target), Some(1 << 68));
    // 2^63 rows are one loop.
    assert_eq!(dense.with_joined_loops().loops.len(), 1);
    assert_eq!(dense.row_table().len(), 7);
    // Loops within each other: the last row of a loop is after the first of the next.
    let entangled = nest([96, 64, 32 * 7]);
    assert!(matches!(
        rows_meet(&entangled, Side::Target),
        Meeting::Shared { .. }
    ));
    // Steps without a common factor, rows of one byte: whatever is answered, it is answered at once.
    let mut prime = nest([1_000_003, 999_983, 999_979]);
    prime.run = 1;
    prime.width = 1;
    assert_ne!(rows_meet(&prime, Side::Target), Meeting::Never);
    println!("three nests of 2^63 rows: {:?}", begun.elapsed());
}

#[test]
fn what_is_filled_in_belongs_to_a_row_of_the_target() {
    // 64 rows of 200 bytes in rows of 256: 12,800 bytes read, 16,384 written.
    let rows = Loop {
        count: 64,
        source: 200,
        target: 256,
    };
    let padded = Transfer::new(200, vec![rows]).with_width(256);
    assert_eq!(padded.moved(), Some(12_800));
    assert_eq!(padded.written(), Some(16_384));
    assert_eq!(padded.reach(Side::Source), Some(12_800));
    assert_eq!(padded.reach(Side::Target), Some(16_384));
    assert_eq!(padded.with_merged_rows(), padded);
    // 200 of 256 are 25 of 32 characters, and the rest is filled in.
    let picture = padded.picture(Side::Target).unwrap();
    assert_eq!(picture, format!("{}{}", "#".repeat(25), "+".repeat(7)));
}

#[test]
fn alignment_is_that_of_the_base_and_of_steps_that_are_taken() {
    let loops = vec![
        Loop {
            count: 1,
            source: 3,
            target: 3,
        },
        Loop {
            count: 4,
            source: 96,
            target: 64,
        },
    ];
    let transfer = Transfer::new(32, loops);
    assert_eq!(transfer.alignment(Side::Source, 0), 32);
    assert_eq!(transfer.alignment(Side::Target, 0), 64);
    assert_eq!(transfer.alignment(Side::Target, 48), 16);
    assert_eq!(
        Transfer::<i64>::new(32, Vec::new()).alignment(Side::Source, 0),
        1 << 63
    );
}

#[test]
fn an_empty_transfer_touches_nothing() {
    let loops = vec![Loop {
        count: 0,
        source: 32,
        target: 32,
    }];
    let transfer = Transfer::new(32, loops);
    assert_eq!(transfer.extent(Side::Target), None);
    assert_eq!(transfer.moved(), Some(0));
    assert_eq!(rows_meet(&transfer, Side::Target), Meeting::Never);
    assert!(transfer.row_table().is_empty());
}

/// All orders of a list.
fn orders<T: Copy>(list: &[T]) -> Vec<Vec<T>> {
    if list.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for place in 0..list.len() {
        let mut rest = list.to_vec();
        let first = rest.remove(place);
        all.extend(orders(&rest).into_iter().map(|mut order| {
            order.insert(0, first);
            order
        }));
    }
    all
}

#[test]
fn loops_in_any_order_are_as_few_as_the_best_order_joins() {
    let mut numbers = Numbers(0x5eed_0005);
    let mut fewer = 0;
    for _ in 0..20_000 {
        // Steps that are often the product of another step and its count, and steps of 0.
        let mut one = || Loop {
            count: [1, 2, 2, 4][numbers.below(4) as usize],
            source: [0, 8, 16, 32, 64, 128][numbers.below(6) as usize],
            target: [0, 8, 16, 32, 64][numbers.below(5) as usize],
        };
        let loops = vec![one(), one(), one(), one()];
        let of = |order: Vec<Loop>| Transfer::new(8, order);
        let best = orders(&loops)
            .into_iter()
            .map(|order| of(order).with_joined_loops().loops.len());
        let least = best.min().unwrap();
        let joined = joined_in_any_order(loops.clone());
        assert_eq!(joined.len(), least, "{loops:?}");
        let sorted = |transfer: &Transfer| {
            let mut rows = walk(transfer);
            rows.sort_unstable();
            rows
        };
        fewer += usize::from(least < of(loops.clone()).with_joined_loops().loops.len());
        assert_eq!(sorted(&of(joined)), sorted(&of(loops)));
    }
    assert!(fewer > 1_000, "{fewer}");
}

#[test]
fn answers_in_bits_are_those_in_bytes() {
    let mut numbers = Numbers(0x5eed_0006);
    for _ in 0..5_000 {
        let bytes = numbers.nest(60);
        let bits: Transfer<i128> = Transfer {
            run: bytes.run * 8,
            width: bytes.width * 8,
            loops: bytes
                .loops
                .iter()
                .map(|one| Loop {
                    count: one.count,
                    source: i128::from(one.source) * 8,
                    target: i128::from(one.target) * 8,
                })
                .collect(),
        };
        let counts = |loops: Vec<u64>, run: u64| (loops, run);
        let (one, other) = (bytes.with_merged_rows(), bits.with_merged_rows());
        assert_eq!(
            counts(other.loops.iter().map(|one| one.count).collect(), other.run),
            counts(one.loops.iter().map(|one| one.count).collect(), one.run * 8)
        );
        for side in [Side::Source, Side::Target] {
            assert_eq!(bits.reach(side), bytes.reach(side).map(|reach| reach * 8));
            let meets = |meeting| matches!(meeting, Meeting::Shared { .. });
            assert_eq!(
                meets(rows_meet(&bits, side)),
                meets(rows_meet(&bytes, side))
            );
            assert_eq!(bits.picture(side), bytes.picture(side));
        }
    }
    // Steps that no `i64` holds: 2^70 bits.
    let far = Loop {
        count: 3,
        source: 1_i128 << 70,
        target: 64,
    };
    let transfer = Transfer::new(64, vec![far]);
    assert_eq!(transfer.reach(Side::Source), Some((1 << 71) + 64));
    assert_eq!(transfer.alignment(Side::Source, 0), 1 << 63);
    assert_eq!(rows_meet(&transfer, Side::Source), Meeting::Never);
    let farthest = Loop {
        source: i128::MIN,
        ..far
    };
    let transfer = Transfer::new(64, vec![farthest]);
    assert_eq!(rows_meet(&transfer, Side::Source), Meeting::Unknown);
    assert_eq!(transfer.reach(Side::Source), None);
}

#[test]
fn the_first_loop_that_steps_by_no_whole_units_is_named() {
    let nest = |loops: &[(u64, i64, i64)]| {
        let loops = loops.iter().map(|&(count, source, target)| Loop {
            count,
            source,
            target,
        });
        Transfer::new(8, loops.collect())
    };
    let both = [Side::Target, Side::Source];
    let of = |loops, sides: &[Side]| nest(loops).misaligned_step(8, sides);
    assert_eq!(of(&[(4, 0, -16), (2, 64, 8)], &both), None);
    // A loop of one iteration takes no step.
    assert_eq!(of(&[(1, 3, 3)], &both), None);
    let loops = &[(2, 8, 8), (2, 12, 8), (2, 8, 4)];
    assert_eq!(of(loops, &both), Some((1, Side::Source)));
    assert_eq!(of(loops, &[Side::Target]), Some((2, Side::Target)));
    // On one loop the side that is named first.
    assert_eq!(of(&[(2, 4, 4)], &both), Some((0, Side::Target)));
    assert_eq!(of(&[(2, 4, -4)], &[Side::Target]), Some((0, Side::Target)));
}
