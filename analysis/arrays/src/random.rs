//! Random inputs that a seed repeats on every machine.

use std::ops::RangeInclusive;

use rand::Rng;
use rand::SeedableRng;
use rand::distr::{Distribution, StandardUniform, uniform::SampleUniform};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;

use crate::casts::{f32_to_bf16, f32_to_f8e4m3, f32_to_f8e5m2};
use crate::kind::ElementKind;
use crate::rules::Arithmetic;
use crate::shared::fill_chunks;
use crate::values::Array;

/// Elements that one generator draws. Each block of an input has its own, so that threads draw blocks in any order.
const BLOCK: usize = 1 << 16;

/// The random numbers of one input: those of another stream of a seed are independent of them. The lower 32 bits number a stream.
#[derive(Clone, Copy)]
struct Source {
    seed: u64,
    stream: u64,
}

impl Source {
    fn generator(self, block: usize) -> ChaCha8Rng {
        let mut generator = ChaCha8Rng::seed_from_u64(self.seed);
        generator.set_stream(self.stream ^ (block as u64) << 32);
        generator
    }

    fn drawn<T: Copy + Default + Send>(
        self,
        length: usize,
        draw: impl Fn(&mut ChaCha8Rng) -> T + Sync,
    ) -> Vec<T> {
        let mut elements = vec![T::default(); length];
        fill_chunks(&mut elements, BLOCK, |block, elements| {
            let mut generator = self.generator(block);
            elements.fill_with(|| draw(&mut generator));
        });
        elements
    }

    fn uniform<T: Copy + Default + Send>(self, length: usize) -> Vec<T>
    where
        StandardUniform: Distribution<T>,
    {
        self.drawn(length, ChaCha8Rng::random)
    }

    fn normal<T: Copy + Default + Send>(
        self,
        length: usize,
        convert: impl Fn(f32) -> T + Sync,
    ) -> Vec<T> {
        self.drawn(length, |generator| {
            convert(generator.sample(StandardNormal))
        })
    }

    fn within<T>(self, length: usize, range: &RangeInclusive<T>) -> Vec<T>
    where
        T: SampleUniform + PartialOrd + Copy + Default + Send + Sync,
    {
        self.drawn(length, |generator| generator.random_range(range.clone()))
    }
}

/// The code of the nearest `f4e2m1`; the smaller code of two that are equally near.
fn nearest_f4(value: f32) -> u8 {
    // Halfway between the values of two codes: 0, 0.5, 1, 1.5, 2, 3, 4, 6.
    const HALFWAY: [f32; 7] = [0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0];
    let passed = HALFWAY.map(|halfway| u8::from(value.abs() > halfway));
    passed.iter().sum::<u8>() | u8::from(value.is_sign_negative()) << 3
}

/// Random elements: floats are normal with mean 0 and deviation 1, integers come from the whole range of their type.
pub fn random_array(kind: ElementKind, length: usize, seed: u64, stream: u64) -> Array {
    let source = Source { seed, stream };
    let narrow = |range: RangeInclusive<i16>| {
        source.drawn(length, |generator| {
            generator.random_range(range.clone()) as i8
        })
    };
    match kind {
        ElementKind::I4 => Array::I4(narrow(-8..=7)),
        ElementKind::I5 => Array::I5(narrow(-16..=15)),
        ElementKind::I8 => Array::I8(source.uniform(length)),
        ElementKind::I9 => Array::I9(source.within(length, &(-256..=255))),
        ElementKind::I16 => Array::I16(source.uniform(length)),
        ElementKind::I32 => Array::I32(source.uniform(length)),
        ElementKind::F4E2M1 => Array::F4E2M1(source.normal(length, nearest_f4)),
        ElementKind::F8E4M3 => Array::F8E4M3(source.normal(length, f32_to_f8e4m3)),
        ElementKind::F8E5M2 => Array::F8E5M2(source.normal(length, f32_to_f8e5m2)),
        ElementKind::Bf16 => {
            Array::Bf16(source.normal(length, |value| f32_to_bf16(value, Arithmetic::NEWEST)))
        }
        ElementKind::F32 => Array::F32(source.normal(length, |value| value)),
    }
}

/// Random indices from a range, as `i32`.
pub fn random_indices(
    range: RangeInclusive<i32>,
    length: usize,
    seed: u64,
    stream: u64,
) -> Vec<i32> {
    if range.is_empty() {
        return vec![0; length];
    }
    Source { seed, stream }.within(length, &range)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_repeats_and_streams_differ() {
        let first = random_array(ElementKind::F32, 100, 7, 0);
        assert_eq!(first, random_array(ElementKind::F32, 100, 7, 0));
        assert_ne!(first, random_array(ElementKind::F32, 100, 7, 1));
        assert_ne!(first, random_array(ElementKind::F32, 100, 8, 0));
    }

    #[test]
    fn the_nearest_code_of_four_bits_is_that_of_all_codes() {
        let distance = |code: &u8, value: f32| (crate::casts::f4e2m1_to_f32(*code) - value).abs();
        for step in -80..=80_i8 {
            let value = f32::from(step) / 8.0;
            let nearest = (0..8).min_by(|one, other| {
                distance(one, value.abs()).total_cmp(&distance(other, value.abs()))
            });
            let sign = u8::from(value < 0.0) << 3;
            assert_eq!(
                Some(nearest_f4(value)),
                nearest.map(|code| code | sign),
                "{value}"
            );
        }
    }

    #[test]
    fn every_kind_stays_in_its_range_and_uses_most_of_it() {
        for kind in ElementKind::ALL {
            let array = random_array(kind, 4000, 1, 0);
            assert_eq!((array.kind(), array.len()), (kind, 4000));
            let numbers: Vec<f64> = (0..4000).filter_map(|at| array.number_at(at)).collect();
            let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
            let most = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            if let Some((smallest, largest)) = kind.integer_range() {
                let (smallest, largest) = (f64::from(smallest), f64::from(largest));
                assert!(least >= smallest && most <= largest, "{kind}");
                assert!(most - least > (largest - smallest) * 0.9, "{kind}");
            } else {
                let mean = numbers.iter().sum::<f64>() / 4000.0;
                let square = numbers.iter().map(|number| number * number).sum::<f64>() / 4000.0;
                // Five times the deviation of a mean of 4,000 numbers, and of their squares.
                assert!(
                    mean.abs() < 0.08 && (square - 1.0).abs() < 0.12,
                    "{kind} {mean} {square}"
                );
            }
        }
    }

    /// The second block of an input repeats neither its first one nor the input beside it.
    #[test]
    fn blocks_of_an_input_differ() {
        let length = 2 * BLOCK + 3;
        let numbers = random_indices(i32::MIN..=i32::MAX, length, 1, 0);
        let beside = random_indices(i32::MIN..=i32::MAX, length, 1, 1);
        let parts: Vec<&[i32]> = [&numbers, &beside]
            .into_iter()
            .flat_map(|numbers| numbers.chunks(BLOCK).map(|block| &block[..3]))
            .collect();
        assert_eq!(parts.len(), 6);
        for (at, part) in parts.iter().enumerate() {
            assert!(!parts[..at].contains(part), "{part:?}");
        }
    }

    #[test]
    fn indices_stay_in_their_range() {
        let indices = random_indices(3..=5, 200, 1, 0);
        assert!((3..=5).all(|index| indices.contains(&index)));
        assert!(indices.iter().all(|index| (3..=5).contains(index)));
    }
}
