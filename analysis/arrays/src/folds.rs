//! Reductions and contractions, in the order of the library: one step of all outputs at a time.

use crate::bits::Bits;
use crate::vector::Fault;

/// An operation that folds many elements to one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fold {
    /// The sum: floats rounded at each step, integers modulo 2³².
    Add,
    /// The sum of integers, cut at the ends of the range at each step; of floats, the sum.
    AddSaturating,
    /// The largest; of floats NaN is skipped.
    Max,
    /// The smallest; of floats NaN is skipped.
    Min,
    /// The product: floats rounded at each step, integers modulo 2³².
    Multiply,
}

impl Fold {
    /// The number that folds to the other operand.
    pub const fn identity_of_floats(self) -> f32 {
        match self {
            Self::Add | Self::AddSaturating => 0.0,
            Self::Max => f32::NEG_INFINITY,
            Self::Min => f32::INFINITY,
            Self::Multiply => 1.0,
        }
    }

    /// The number that folds to the other operand.
    pub const fn identity_of_integers(self) -> i32 {
        match self {
            Self::Add | Self::AddSaturating => 0,
            Self::Max => i32::MIN,
            Self::Min => i32::MAX,
            Self::Multiply => 1,
        }
    }

    /// One step of a fold.
    pub fn step_of_floats(self, folded: f32, next: f32) -> f32 {
        match self {
            Self::Add | Self::AddSaturating => folded + next,
            Self::Max => folded.max(next),
            Self::Min => folded.min(next),
            Self::Multiply => folded * next,
        }
    }

    /// One step of a fold.
    pub fn step_of_integers(self, folded: i32, next: i32) -> i32 {
        match self {
            Self::Add => folded.wrapping_add(next),
            Self::AddSaturating => folded.saturating_add(next),
            Self::Max => folded.max(next),
            Self::Min => folded.min(next),
            Self::Multiply => folded.wrapping_mul(next),
        }
    }

    /// One step of the folds of many outputs side by side.
    pub fn fold_floats(self, folded: &mut [f32], next: &[f32]) {
        match self {
            Self::Add | Self::AddSaturating => each(folded, next, |folded, next| folded + next),
            Self::Max => each(folded, next, f32::max),
            Self::Min => each(folded, next, f32::min),
            Self::Multiply => each(folded, next, |folded, next| folded * next),
        }
    }

    /// One step of the folds of many outputs side by side.
    pub fn fold_integers(self, folded: &mut [i32], next: &[i32]) {
        match self {
            Self::Add => each(folded, next, i32::wrapping_add),
            Self::AddSaturating => each(folded, next, i32::saturating_add),
            Self::Max => each(folded, next, i32::max),
            Self::Min => each(folded, next, i32::min),
            Self::Multiply => each(folded, next, i32::wrapping_mul),
        }
    }
}

fn each<T: Copy>(folded: &mut [T], next: &[T], step: impl Fn(T, T) -> T) {
    for (folded, next) in folded.iter_mut().zip(next) {
        *folded = step(*folded, *next);
    }
}

/// One step of a contraction for one output: the product is rounded, then the sum.
pub fn multiply_accumulate(sum: f32, first: f32, second: f32) -> f32 {
    sum + first * second
}

/// One step of the contractions of many outputs that share their first factor.
pub fn accumulate_floats(sums: &mut [f32], first: f32, second: &[f32]) {
    for (sum, second) in sums.iter_mut().zip(second) {
        *sum = multiply_accumulate(*sum, first, *second);
    }
}

/// One step of a contraction of integers for one output.
pub fn multiply_accumulate_integers(sum: i32, first: i32, second: i32) -> Result<i32, Fault> {
    first
        .checked_mul(second)
        .and_then(|product| sum.checked_add(product))
        .ok_or(Fault::ContractionOverflow)
}

/// A fold of one slice from the left. `None` in `which` takes all elements.
pub fn folded_floats(fold: Fold, elements: &[f32], which: Option<&Bits>) -> f32 {
    elements
        .iter()
        .enumerate()
        .filter(|(place, _)| which.is_none_or(|which| which.is_set(*place)))
        .fold(fold.identity_of_floats(), |folded, (_, next)| {
            fold.step_of_floats(folded, *next)
        })
}
