//! Results of two runs, or of a run and a file, side by side.

use std::sync::Arc;

use visa_arrays::{Array, Bits, ElementKind};

use crate::numbers::counted;

use super::request::{AxisPlace, RunFinding, RunOutput, RunReport};

/// The difference up to which two numbers are taken for equal. Integers always have to be equal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Tolerance {
    /// Bit for bit: −0 is not 0. NaN of all payloads are equal.
    Bits,
    /// As far as another order of the same operations may lead: see [`Tolerance::reordered`].
    Reordered,
    /// `|found − expected| ≤ absolute + relative · |expected|`, as numpy compares.
    Near {
        /// A part of the expected number.
        relative: f64,
        /// The same for all numbers.
        absolute: f64,
    },
}

impl Tolerance {
    /// The relative difference that another order of operations may make in a float of a kind: 2⁻¹⁸ in `f32`, a step of the type in others.
    fn reordered(kind: ElementKind) -> f64 {
        let digits = match kind {
            ElementKind::F32 => 18,
            ElementKind::Bf16 => 7,
            ElementKind::F8E4M3 => 3,
            ElementKind::F8E5M2 => 2,
            ElementKind::F4E2M1 => 1,
            _ => return 0.0,
        };
        2f64.powi(-digits)
    }

    /// The limits for one array: what is allowed of a number's own size, and in any case.
    fn limits(self, expected: &Array) -> (f64, f64) {
        match self {
            Self::Bits => (0.0, 0.0),
            Self::Near { relative, absolute } => (relative, absolute),
            Self::Reordered => {
                let relative = Self::reordered(expected.kind());
                // A sum that nearly cancels keeps the errors of its terms, which are as large as the others of the array.
                let largest = (0..expected.len())
                    .filter_map(|place| expected.number_at(place))
                    .filter(|number| number.is_finite())
                    .fold(0.0, |largest: f64, number| largest.max(number.abs()));
                (relative, relative / 16.0 * largest)
            }
        }
    }

    /// Whether two numbers are equal, within limits that [`Self::limits`] gave.
    fn accepts(self, found: f64, expected: f64, (relative, absolute): (f64, f64)) -> bool {
        if found.is_nan() || expected.is_nan() {
            return found.is_nan() && expected.is_nan();
        }
        if self == Self::Bits {
            return found.to_bits() == expected.to_bits();
        }
        // Infinities differ from each other by no number.
        found == expected || (found - expected).abs() <= absolute + relative * expected.abs()
    }
}

/// An element of two arrays that differs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// How many elements differ.
    pub count: u64,
    /// The place of the first.
    pub first: usize,
    /// What was found there.
    pub found: f64,
    /// What was expected.
    pub expected: f64,
    /// The largest difference; infinite where one is NaN and the other is not.
    pub largest: f64,
}

/// The elements that differ, of those that are set in `which`. Both arrays have as many elements.
pub fn difference(
    found: &Array,
    expected: &Array,
    which: &Bits,
    tolerance: Tolerance,
) -> Option<Difference> {
    let limits = tolerance.limits(expected);
    let mut difference: Option<Difference> = None;
    for place in 0..found.len().min(expected.len()) {
        let (Some(one), Some(other)) = (found.number_at(place), expected.number_at(place)) else {
            continue;
        };
        if !which.is_set(place) || tolerance.accepts(one, other, limits) {
            continue;
        }
        let distance = (one - other).abs();
        let distance = if distance.is_nan() {
            f64::INFINITY
        } else {
            distance
        };
        let all = difference.get_or_insert(Difference {
            count: 0,
            first: place,
            found: one,
            expected: other,
            largest: 0.0,
        });
        all.count += 1;
        all.largest = all.largest.max(distance);
    }
    difference
}

/// The coordinates of an element of an output.
pub fn coordinates(output: &RunOutput, place: usize) -> Vec<AxisPlace> {
    let mut rest = place;
    let mut found: Vec<AxisPlace> = output
        .shape
        .iter()
        .zip(&output.dimensions)
        .rev()
        .map(|(size, axis)| {
            let at = rest.checked_rem(*size).unwrap_or(0) as u64;
            rest = rest.checked_div(*size).unwrap_or(0);
            AxisPlace {
                axis: Arc::clone(axis),
                at,
            }
        })
        .collect();
    found.reverse();
    found
}

/// `result[S = 3, K = 0]`.
pub fn place_text(output: &str, first: &[AxisPlace]) -> String {
    if first.is_empty() {
        return format!("`{output}`");
    }
    let places: Vec<String> = first
        .iter()
        .map(|place| format!("{} = {}", place.axis, place.at))
        .collect();
    format!("`{output}[{}]`", places.join(", "))
}

/// The finding that an output differs from what was expected. `expected` says whose numbers these are: `the file`.
pub fn unequal(output: &RunOutput, difference: &Difference, expected: &str) -> RunFinding {
    let first = coordinates(output, difference.first);
    let Difference {
        count,
        found,
        expected: wanted,
        largest,
        ..
    } = difference;
    let elements = counted(*count, "element");
    let differ = if *count == 1 { "differs" } else { "differ" };
    let message = format!(
        "{elements} of `{}` {differ} from {expected}: {} is {found}, and {wanted} was expected; the largest difference is {largest:.3e}",
        output.name,
        place_text(&output.name, &first),
    );
    RunFinding {
        rule: "run_unequal",
        output: Arc::clone(&output.name),
        count: *count,
        first,
        origin: None,
        through: Vec::new(),
        message,
        help: None,
    }
}

/// The reason that two runs cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incomparable(pub String);

/// The findings that a run's results differ from those of another one. Elements that one of the two leaves undefined are left out: the run
/// itself reports its own.
pub fn compare_runs(
    new: &RunReport,
    old: &RunReport,
    tolerance: Tolerance,
) -> Result<Vec<RunFinding>, Incomparable> {
    let named = |report: &RunReport| {
        let names: Vec<String> = report
            .outputs
            .iter()
            .map(|output| format!("`{}` {:?}", output.name, output.shape))
            .collect();
        names.join(", ")
    };
    if new.outputs.len() != old.outputs.len() {
        return Err(Incomparable(format!(
            "the two functions have other outputs: {} against {}",
            named(new),
            named(old)
        )));
    }
    let mut findings = Vec::new();
    for (new_output, old_output) in new.outputs.iter().zip(&old.outputs) {
        if new_output.shape != old_output.shape
            || new_output.values.kind() != old_output.values.kind()
        {
            return Err(Incomparable(format!(
                "`{}` is {} {:?}, and in the other function {} {:?}",
                new_output.name,
                new_output.values.kind(),
                new_output.shape,
                old_output.values.kind(),
                old_output.shape
            )));
        }
        let mut which = new_output.defined.clone();
        which.keep_set_in(&old_output.defined);
        for live in [&new_output.live, &old_output.live].into_iter().flatten() {
            which.keep_set_in(live);
        }
        if let Some(found) = difference(&new_output.values, &old_output.values, &which, tolerance) {
            findings.push(unequal(new_output, &found, "the other function"));
        }
    }
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(values: &[f32]) -> Array {
        Array::F32(values.to_vec())
    }

    fn differs(found: &[f32], expected: &[f32], tolerance: Tolerance) -> Option<Difference> {
        let which = Bits::all_set(found.len());
        difference(&floats(found), &floats(expected), &which, tolerance)
    }

    #[test]
    fn bits_tell_zeros_apart_and_all_nan_are_equal() {
        assert!(differs(&[-0.0], &[0.0], Tolerance::Bits).is_some());
        assert!(differs(&[-0.0], &[0.0], Tolerance::Reordered).is_none());
        assert!(differs(&[-f32::NAN], &[f32::NAN], Tolerance::Bits).is_none());
        assert!(differs(&[1.0], &[f32::NAN], Tolerance::Reordered).is_some());
        assert!(differs(&[f32::INFINITY], &[f32::INFINITY], Tolerance::Reordered).is_none());
    }

    #[test]
    fn near_is_what_numpy_calls_close() {
        let near = Tolerance::Near {
            relative: 0.01,
            absolute: 0.0,
        };
        assert!(differs(&[101.0], &[100.0], near).is_none());
        let found = differs(&[100.0, 102.0, 0.1], &[100.0, 100.0, 0.0], near).unwrap();
        assert_eq!((found.count, found.first), (2, 1));
        assert!((found.largest - 2.0).abs() < 1e-9);
    }

    #[test]
    fn another_order_may_move_sums_that_cancel_and_no_integers() {
        // A sixteenth of 2⁻¹⁸ of the largest number is 2⁻²².
        let one = differs(&[2f32.powi(-22), 1.0], &[0.0, 1.0], Tolerance::Reordered);
        assert!(one.is_none());
        assert!(differs(&[2f32.powi(-10), 1.0], &[0.0, 1.0], Tolerance::Reordered).is_some());
        let which = Bits::all_set(1);
        let (one, two) = (Array::I32(vec![1 << 30]), Array::I32(vec![(1 << 30) + 1]));
        assert!(difference(&one, &two, &which, Tolerance::Reordered).is_some());
    }

    #[test]
    fn undefined_elements_are_not_compared() {
        let which = Bits::from_places(2, |place| place == 1);
        let found = difference(
            &floats(&[5.0, 1.0]),
            &floats(&[6.0, 1.0]),
            &which,
            Tolerance::Bits,
        );
        assert_eq!(found, None);
    }
}
