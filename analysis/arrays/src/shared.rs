//! Loops over elements, on all threads where there are more than a million of them.
//!
//! Each result depends on its own place alone, so that results are the same on one thread and on many.

use rayon::prelude::*;

/// Steps of a loop from which threads share it: below, waking them costs about as much as they save.
const SHARED_FROM: usize = 1 << 20;

/// Elements that a thread takes at a time.
const CHUNK: usize = 1 << 15;

/// Whether threads share a loop of so many steps.
fn is_shared(steps: usize) -> bool {
    steps >= SHARED_FROM && rayon::current_num_threads() > 1
}

/// Fills chunks of so many elements, each by its number; the last one may be shorter.
pub(crate) fn fill_chunks<T: Send>(
    elements: &mut [T],
    chunk: usize,
    fill: impl Fn(usize, &mut [T]) + Sync,
) {
    let chunk = chunk.max(1);
    if is_shared(elements.len()) {
        let chunks = elements.par_chunks_mut(chunk).enumerate();
        chunks.for_each(|(number, chunk)| fill(number, chunk));
    } else {
        let chunks = elements.chunks_mut(chunk).enumerate();
        chunks.for_each(|(number, chunk)| fill(number, chunk));
    }
}

/// A function of each element.
pub fn map_elements<A: Copy + Sync, B: Send>(
    elements: &[A],
    convert: impl Fn(A) -> B + Send + Sync,
) -> Vec<B> {
    // Results are collected: writing them over zeros would touch their memory twice.
    if is_shared(elements.len()) {
        let shared = elements.par_iter().with_min_len(CHUNK);
        shared.map(|element| convert(*element)).collect()
    } else {
        elements.iter().map(|element| convert(*element)).collect()
    }
}

/// A function of each two elements at equal places, as many as the shorter slice has.
pub fn map_pairs<A: Copy + Sync, B: Copy + Sync, C: Send>(
    first: &[A],
    second: &[B],
    function: impl Fn(A, B) -> C + Send + Sync,
) -> Vec<C> {
    if is_shared(first.len().min(second.len())) {
        let shared = first.par_iter().zip(second).with_min_len(CHUNK);
        shared.map(|(one, other)| function(*one, *other)).collect()
    } else {
        let pairs = first.iter().zip(second);
        pairs.map(|(one, other)| function(*one, *other)).collect()
    }
}

/// The sum of a count of each chunk, which gets the place of its first element.
pub(crate) fn sum_of_counts<T: Sync>(
    elements: &[T],
    chunk: usize,
    count: impl Fn(usize, &[T]) -> u64 + Sync,
) -> u64 {
    let own = |(number, elements)| count(number * chunk, elements);
    if is_shared(elements.len()) {
        let chunks = elements.par_chunks(chunk).enumerate();
        chunks.with_min_len((CHUNK / chunk).max(1)).map(own).sum()
    } else {
        elements.chunks(chunk).enumerate().map(own).sum()
    }
}

/// The results of a function of the numbers below `count`, in order. One of them takes about `steps` steps.
pub fn list_results<T: Send>(
    count: usize,
    steps: usize,
    result: impl Fn(usize) -> T + Send + Sync,
) -> Vec<T> {
    if is_shared(count.saturating_mul(steps)) {
        let together = (CHUNK / steps.max(1)).max(1);
        let numbers = (0..count).into_par_iter().with_min_len(together);
        numbers.map(result).collect()
    } else {
        (0..count).map(result).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lengths around the limit, and one whose last chunk is short.
    const LENGTHS: [usize; 5] = [
        0,
        SHARED_FROM - 1,
        SHARED_FROM,
        SHARED_FROM + 1,
        2 * SHARED_FROM + CHUNK / 2 + 3,
    ];

    #[test]
    fn shared_loops_give_what_plain_ones_give() {
        for length in LENGTHS {
            let numbers: Vec<u32> = (0..length as u32).collect();
            let doubled: Vec<u64> = numbers
                .iter()
                .map(|number| u64::from(*number) * 2)
                .collect();
            assert_eq!(
                map_elements(&numbers, |number| u64::from(number) * 2),
                doubled
            );
            assert_eq!(
                map_pairs(&numbers, &doubled, |one, other| u64::from(one) + other),
                numbers
                    .iter()
                    .map(|number| u64::from(*number) * 3)
                    .collect::<Vec<_>>()
            );
            assert_eq!(list_results(length, 1, |number| number as u64 * 2), doubled);
            let odd =
                |_: usize, chunk: &[u32]| chunk.iter().filter(|own| *own % 2 == 1).count() as u64;
            assert_eq!(sum_of_counts(&numbers, 1000, odd), length as u64 / 2);
            let places = |from: usize, chunk: &[u32]| u64::from(chunk[0] as usize != from);
            assert_eq!(sum_of_counts(&numbers, 1000, places), 0);
            let mut filled = vec![0; length];
            fill_chunks(&mut filled, 1000, |number, chunk| {
                for (at, own) in chunk.iter_mut().enumerate() {
                    *own = (number * 1000 + at) as u32;
                }
            });
            assert_eq!(filled, numbers);
        }
    }

    #[test]
    fn pairs_end_with_the_shorter_slice() {
        let [long, short] = [vec![1_u8; SHARED_FROM + 7], vec![2_u8; SHARED_FROM + 2]];
        assert_eq!(
            map_pairs(&long, &short, |one, other| one + other),
            vec![3; SHARED_FROM + 2]
        );
        assert_eq!(
            map_pairs(&long, &[5], |one: u8, other: u8| one + other),
            [6]
        );
    }
}
