//! Sums of products: the places of the products of each result, and loops that sum many results side by side.

use std::sync::atomic::{AtomicBool, Ordering};

use visa_arrays::{Arithmetic, Array, Fault, casts, list_results};

use super::contract::NoContraction;
use super::strides::{SIDE_BY_SIDE, reached_places};

/// Blocks whose sums are kept before they are put in their places, at most: a million results.
const MOST_BLOCKS: usize = 1 << 16;

/// Results that are listed together, at most.
const MOST_LISTED: usize = 1 << 14;

/// Places of both factors and of the result, for each result: those of an outer list, and from each of them those of an inner one. Both
/// lists are short, whatever the number of results.
pub(super) struct Results {
    outer: Vec<[usize; 3]>,
    inner: Vec<[usize; 3]>,
}

impl Results {
    /// The results that some parts reach, outermost first.
    pub(super) fn new(mut outer: Vec<(usize, [usize; 3])>) -> Self {
        let mut inner = Vec::new();
        let mut room = MOST_LISTED;
        while let Some((count, strides)) = outer.pop() {
            // As much of a long part as there is room for.
            let most = count.min(room);
            let own = (1..=most).rev().find(|own| count % own == 0).unwrap_or(1);
            inner.push((own, strides));
            room /= own.max(1);
            if own < count {
                outer.push((count / own, strides.map(|stride| stride * own)));
                break;
            }
        }
        inner.reverse();
        Self {
            outer: reached_places(&outer),
            inner: reached_places(&inner),
        }
    }

    pub(super) fn count(&self) -> usize {
        self.outer.len() * self.inner.len()
    }

    /// Blocks of results side by side.
    fn block_count(&self) -> usize {
        self.outer.len() * self.inner.len().div_ceil(SIDE_BY_SIDE)
    }

    /// A block by its number: where the first place of each factor and result is, and steps from there.
    fn block(&self, number: usize) -> ([usize; 3], &[[usize; 3]]) {
        let across = self.inner.len().div_ceil(SIDE_BY_SIDE);
        let from = number % across * SIDE_BY_SIDE;
        let end = self.inner.len().min(from + SIDE_BY_SIDE);
        (self.outer[number / across], &self.inner[from..end])
    }

    /// All places, in order.
    pub(super) fn places(&self) -> impl Iterator<Item = [usize; 3]> {
        let blocks = (0..self.block_count()).map(|number| self.block(number));
        blocks.flat_map(|([a, b, target], block)| {
            block
                .iter()
                .map(move |[own_a, own_b, own]| [a + own_a, b + own_b, target + own])
        })
    }
}

/// What each result sums, in order.
pub(super) struct Order<'a> {
    /// The results.
    pub(super) results: &'a Results,
    /// The products of a result: places of both factors behind its first ones.
    pub(super) taken: &'a [(usize, usize)],
    /// The first places of both factors.
    pub(super) offsets: [usize; 2],
    /// Products of a packet.
    pub(super) packet: usize,
    /// Packets of a stretch of time.
    pub(super) time: usize,
    /// Elements of the result.
    pub(super) length: usize,
}

impl Order<'_> {
    /// The sums of two factors, of which the second has the type of the sums. The first one is widened as it is read.
    ///
    /// # Errors
    /// A sum of integers leaves its type, or the types are no operands.
    pub(super) fn sums(
        &self,
        first: &Array,
        second: &Array,
        rules: Arithmetic,
    ) -> Result<Array, NoContraction> {
        let floats = match (first, second) {
            (Array::F32(a), Array::F32(b)) => self.floats(|at| a[at], b),
            (Array::Bf16(a), Array::F32(b)) if rules.bf16_flushes => {
                self.floats(|at| casts::flushed_bf16_to_f32(a[at]), b)
            }
            (Array::Bf16(a), Array::F32(b)) => {
                self.floats(|at| f32::from_bits(u32::from(a[at]) << 16), b)
            }
            (Array::F8E4M3(a), Array::F32(b)) => self.floats(|at| casts::f8e4m3_to_f32(a[at]), b),
            (Array::F8E5M2(a), Array::F32(b)) => self.floats(|at| casts::f8e5m2_to_f32(a[at]), b),
            (Array::I32(a), Array::I32(b)) => return self.integers(|at| a[at], b),
            (Array::I4(a) | Array::I5(a) | Array::I8(a), Array::I32(b)) => {
                return self.integers(|at| i32::from(a[at]), b);
            }
            (Array::I9(a) | Array::I16(a), Array::I32(b)) => {
                return self.integers(|at| i32::from(a[at]), b);
            }
            (other, _) => return Err(NoContraction::Kind(other.kind())),
        };
        Ok(Array::F32(floats))
    }

    /// Calls `take` with the place of each result and what `make` gives for it. Threads share the blocks, of which `make` gets the
    /// number of one.
    pub(super) fn each_result<T: Copy + Send>(
        &self,
        make: impl Fn(usize) -> [T; SIDE_BY_SIDE] + Send + Sync,
        mut take: impl FnMut(usize, T),
    ) {
        let steps = self.taken.len().saturating_mul(SIDE_BY_SIDE);
        let count = self.results.block_count();
        for from in (0..count).step_by(MOST_BLOCKS) {
            let together = MOST_BLOCKS.min(count - from);
            let made = list_results(together, steps, |number| make(from + number));
            for (number, made) in made.iter().enumerate() {
                let ([_, _, first], block) = self.results.block(from + number);
                for (made, [_, _, target]) in made.iter().zip(block) {
                    take(first + target, *made);
                }
            }
        }
    }

    /// The first places of both factors for the results of a block.
    pub(super) fn first_places(&self, number: usize) -> impl Iterator<Item = [usize; 2]> {
        let ([from_a, from_b, _], block) = self.results.block(number);
        let (from_a, from_b) = (from_a + self.offsets[0], from_b + self.offsets[1]);
        block.iter().map(move |[a, b, _]| [a + from_a, b + from_b])
    }

    fn floats(&self, first: impl Fn(usize) -> f32 + Send + Sync, second: &[f32]) -> Vec<f32> {
        let mut sums = vec![0.0_f32; self.length];
        let packet = self.packet.max(1);
        let stretch = packet.saturating_mul(self.time.max(1));
        let sum = |number| {
            let mut bases = [[0_usize; 2]; SIDE_BY_SIDE];
            bases
                .iter_mut()
                .zip(self.first_places(number))
                .for_each(|(base, own)| *base = own);
            let bases = &bases[..self.results.block(number).1.len()];
            let mut own = [0.0_f32; SIDE_BY_SIDE];
            for stretch in self.taken.chunks(stretch) {
                let mut over_time = [0.0_f32; SIDE_BY_SIDE];
                for packet in stretch.chunks(packet) {
                    let mut over_packet = [0.0_f32; SIDE_BY_SIDE];
                    for (to_a, to_b) in packet {
                        for (sum, [base_a, base_b]) in over_packet.iter_mut().zip(bases) {
                            *sum += first(base_a + to_a) * second[base_b + to_b];
                        }
                    }
                    add_each(&mut over_time, &over_packet);
                }
                add_each(&mut own, &over_time);
            }
            own
        };
        self.each_result(sum, |target, sum| sums[target] = sum);
        sums
    }

    /// Sums of integers; an error where one leaves the range of its type on the way.
    fn integers(
        &self,
        first: impl Fn(usize) -> i32 + Send + Sync,
        second: &[i32],
    ) -> Result<Array, NoContraction> {
        let mut sums = vec![0_i32; self.length];
        let leaves = AtomicBool::new(false);
        let sum = |number| {
            let mut own = [0_i32; SIDE_BY_SIDE];
            for (own, [base_a, base_b]) in own.iter_mut().zip(self.first_places(number)) {
                let mut sum = 0_i64;
                let mut is_beyond = false;
                for (to_a, to_b) in self.taken {
                    let product =
                        i64::from(first(base_a + to_a)) * i64::from(second[base_b + to_b]);
                    sum += product;
                    is_beyond |= i32::try_from(product).is_err() | i32::try_from(sum).is_err();
                }
                *own = i32::try_from(sum).unwrap_or(i32::MAX);
                if is_beyond {
                    leaves.store(true, Ordering::Relaxed);
                }
            }
            own
        };
        self.each_result(sum, |target, sum| sums[target] = sum);
        if leaves.into_inner() {
            return Err(NoContraction::Fault(Fault::ContractionOverflow));
        }
        Ok(Array::I32(sums))
    }
}

fn add_each(sums: &mut [f32], others: &[f32]) {
    for (sum, other) in sums.iter_mut().zip(others) {
        *sum += other;
    }
}

/// The sum of one result that meets its products one by one, in order.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StagedSum {
    /// The steps over rows and over time of the last product.
    at: (u64, u64),
    packet: f32,
    time: f32,
    all: f32,
}

impl StagedSum {
    /// Takes in a product; `at` says its step over rows and over time, or always the same where all is one sum.
    pub(super) fn add(&mut self, product: f32, at: (u64, u64)) {
        if at != self.at {
            self.time += self.packet;
            self.packet = 0.0;
        }
        if at.0 != self.at.0 {
            self.all += self.time;
            self.time = 0.0;
        }
        self.at = at;
        self.packet += product;
    }

    /// The sum.
    pub(super) fn total(self) -> f32 {
        self.all + (self.time + self.packet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_in_two_lists_are_those_of_one() {
        let parts = [
            vec![],
            vec![(3, [1, 0, 7]), (4, [5, 2, 1])],
            // A part alone beyond what one list holds, a prime one, and several.
            vec![(2, [1, 1, 100_000]), (3 * MOST_LISTED, [0, 2, 1])],
            vec![(65_537, [1, 0, 1]), (3, [0, 1, 65_537])],
            vec![(8, [9, 9, 9]), (1 << 10, [4, 0, 2]), (1 << 8, [0, 1, 1])],
        ];
        for parts in parts {
            let results = Results::new(parts.clone());
            let listed: Vec<_> = results.places().collect();
            assert_eq!(listed, reached_places(&parts));
            assert_eq!(results.count(), listed.len());
            assert!(results.inner.len() <= MOST_LISTED);
        }
    }

    /// A product of matrices with more than a million products, which threads share, beside three plain loops.
    #[test]
    fn shared_sums_are_those_of_plain_loops() {
        let (rows, columns, depth) = (150, 130, 101);
        let first: Vec<f32> = (0..rows * depth).map(|at| (at % 97) as f32 * 0.3).collect();
        let second: Vec<f32> = (0..depth * columns)
            .map(|at| (at % 89) as f32 - 44.4)
            .collect();
        let results = Results::new(vec![(rows, [depth, 0, columns]), (columns, [0, 1, 1])]);
        let taken: Vec<(usize, usize)> = (0..depth).map(|at| (at, at * columns)).collect();
        let order = Order {
            results: &results,
            taken: &taken,
            offsets: [0, 0],
            packet: depth,
            time: 1,
            length: rows * columns,
        };
        let mut plain = vec![0.0_f32; rows * columns];
        for row in 0..rows {
            for column in 0..columns {
                for at in 0..depth {
                    plain[row * columns + column] +=
                        first[row * depth + at] * second[at * columns + column];
                }
            }
        }
        let sums = order.sums(&Array::F32(first), &Array::F32(second), Arithmetic::NEWEST);
        assert_eq!(sums.unwrap(), Array::F32(plain));
    }

    /// The one sum of a million that leaves its type is no result, whichever thread meets it.
    #[test]
    fn one_sum_beyond_its_type_is_found() {
        let count = 1 << 20;
        let results = Results::new(vec![(count, [1, 1, 1])]);
        let order = Order {
            results: &results,
            taken: &[(0, 0)],
            offsets: [0, 0],
            packet: 1,
            time: 1,
            length: count,
        };
        let twos = Array::I32(vec![2; count]);
        let sums = |first: Vec<i32>| order.sums(&Array::I32(first), &twos, Arithmetic::NEWEST);
        assert_eq!(sums(vec![3; count]).unwrap(), Array::I32(vec![6; count]));
        let mut first = vec![3; count];
        first[count - 5] = 1 << 30;
        assert_eq!(
            sums(first).unwrap_err(),
            NoContraction::Fault(Fault::ContractionOverflow)
        );
    }
}
