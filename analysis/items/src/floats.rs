//! Floats of constants: what `rustc` would compute in `f32` and in `f64`.

use ra_ap_syntax::ast::{ArithOp, CmpOp, Ordering};

/// A float type of Rust.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatType {
    /// `f32`.
    Single,
    /// `f64`.
    Double,
}

impl FloatType {
    /// The type of a name.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "f32" => Some(Self::Single),
            "f64" => Some(Self::Double),
            _ => None,
        }
    }
}

/// A float. A literal need not say its type, so that the value in both types is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Float {
    single: u32,
    double: u64,
    /// The type, where the text says one.
    written: Option<FloatType>,
}

impl Float {
    fn new(single: f32, double: f64, written: Option<FloatType>) -> Self {
        Self {
            single: single.to_bits(),
            double: double.to_bits(),
            written,
        }
    }

    /// A value of `f32`.
    pub fn of_single(value: f32) -> Self {
        Self::new(value, f64::from(value), Some(FloatType::Single))
    }

    /// The value of a literal, as written.
    pub fn literal(text: &str) -> Option<Self> {
        let plain: String = text.chars().filter(|letter| *letter != '_').collect();
        let (digits, written) = if let Some(digits) = plain.strip_suffix("f32") {
            (digits, Some(FloatType::Single))
        } else if let Some(digits) = plain.strip_suffix("f64") {
            (digits, Some(FloatType::Double))
        } else {
            (plain.as_str(), None)
        };
        Some(Self::new(
            digits.parse().ok()?,
            digits.parse().ok()?,
            written,
        ))
    }

    /// `value as f32`, or `as f64`.
    #[allow(
        clippy::cast_precision_loss,
        reason = "the cast of Rust rounds to the nearest, which is what is asked for"
    )]
    pub fn of_integer(value: i128, written: FloatType) -> Self {
        Self::new(value as f32, value as f64, Some(written))
    }

    /// The value as `f32`.
    pub fn single(self) -> f32 {
        f32::from_bits(self.single)
    }

    fn double(self) -> f64 {
        f64::from_bits(self.double)
    }

    /// The value under a cast to a float type.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "the cast of Rust rounds to the nearest, which is what is asked for"
    )]
    pub fn cast(self, to: FloatType) -> Self {
        let (single, double) = match self.written {
            Some(FloatType::Single) => (self.single(), f64::from(self.single())),
            Some(FloatType::Double) => (self.double() as f32, self.double()),
            None => (self.single(), self.double()),
        };
        Self::new(single, double, Some(to))
    }

    /// The value under a cast to an integer: cut towards zero, and to the range of `i64`.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "the cast of Rust cuts, which is what is asked for"
    )]
    pub fn to_integer(self) -> i128 {
        match self.written {
            Some(FloatType::Double) => i128::from(self.double() as i64),
            _ => i128::from(self.single() as i64),
        }
    }

    /// The value with the other sign.
    pub fn negated(self) -> Self {
        Self::new(-self.single(), -self.double(), self.written)
    }

    /// What an operator makes of two floats; none for operators that floats lack.
    pub fn arithmetic(self, operator: ArithOp, other: Self) -> Option<Self> {
        let (a, b) = (self.single(), other.single());
        let (c, d) = (self.double(), other.double());
        let (single, double) = match operator {
            ArithOp::Add => (a + b, c + d),
            ArithOp::Sub => (a - b, c - d),
            ArithOp::Mul => (a * b, c * d),
            ArithOp::Div => (a / b, c / d),
            ArithOp::Rem => (a % b, c % d),
            _ => return None,
        };
        Some(Self::new(single, double, self.written.or(other.written)))
    }

    /// Whether a comparison holds.
    #[allow(
        clippy::float_cmp,
        reason = "the comparison of Rust is what is asked for"
    )]
    pub fn compares(self, operator: CmpOp, other: Self) -> bool {
        let is_double = self.written.or(other.written) == Some(FloatType::Double);
        let values = if is_double {
            (self.double(), other.double())
        } else {
            (f64::from(self.single()), f64::from(other.single()))
        };
        let (left, right) = values;
        match operator {
            CmpOp::Eq { negated } => (left == right) != negated,
            CmpOp::Ord { ordering, strict } => match (ordering, strict) {
                (Ordering::Less, true) => left < right,
                (Ordering::Less, false) => left <= right,
                (Ordering::Greater, true) => left > right,
                (Ordering::Greater, false) => left >= right,
            },
        }
    }

    /// A method of a float of a name.
    pub fn method(self, name: &str, argument: Option<Self>, number: Option<i128>) -> Option<Self> {
        let (a, c) = (self.single(), self.double());
        let power = number.and_then(|number| i32::try_from(number).ok());
        let (single, double) = match (name, argument, power) {
            ("abs", None, None) => (a.abs(), c.abs()),
            ("sqrt", None, None) => (a.sqrt(), c.sqrt()),
            ("recip", None, None) => (a.recip(), c.recip()),
            ("exp", None, None) => (a.exp(), c.exp()),
            ("exp2", None, None) => (a.exp2(), c.exp2()),
            ("ln", None, None) => (a.ln(), c.ln()),
            ("log2", None, None) => (a.log2(), c.log2()),
            ("floor", None, None) => (a.floor(), c.floor()),
            ("ceil", None, None) => (a.ceil(), c.ceil()),
            ("round", None, None) => (a.round(), c.round()),
            ("powi", None, Some(power)) => (a.powi(power), c.powi(power)),
            ("max", Some(other), None) => (a.max(other.single()), c.max(other.double())),
            ("min", Some(other), None) => (a.min(other.single()), c.min(other.double())),
            ("powf", Some(other), None) => (a.powf(other.single()), c.powf(other.double())),
            _ => return None,
        };
        Some(Self::new(single, double, self.written))
    }

    /// A constant that a path of the standard library names, without `std` or `core`: `f32::EPSILON`, `f32::consts::PI`.
    pub fn named(path: &[String]) -> Option<Self> {
        let mut names = path.iter().map(String::as_str).peekable();
        names.next_if(|name| matches!(*name, "std" | "core"));
        let written = FloatType::named(names.next()?)?;
        let is_mathematical = names.next_if_eq(&"consts").is_some();
        let name = names.next().filter(|_| names.next().is_none())?;
        let (single, double) = if is_mathematical {
            mathematical(name)?
        } else {
            limit(name)?
        };
        Some(Self::new(single, double, Some(written)))
    }
}

fn limit(name: &str) -> Option<(f32, f64)> {
    Some(match name {
        "MAX" => (f32::MAX, f64::MAX),
        "MIN" => (f32::MIN, f64::MIN),
        "INFINITY" => (f32::INFINITY, f64::INFINITY),
        "NEG_INFINITY" => (f32::NEG_INFINITY, f64::NEG_INFINITY),
        "NAN" => (f32::NAN, f64::NAN),
        "EPSILON" => (f32::EPSILON, f64::EPSILON),
        "MIN_POSITIVE" => (f32::MIN_POSITIVE, f64::MIN_POSITIVE),
        _ => return None,
    })
}

fn mathematical(name: &str) -> Option<(f32, f64)> {
    use std::{f32::consts as single, f64::consts as double};
    Some(match name {
        "PI" => (single::PI, double::PI),
        "TAU" => (single::TAU, double::TAU),
        "E" => (single::E, double::E),
        "LN_2" => (single::LN_2, double::LN_2),
        "LN_10" => (single::LN_10, double::LN_10),
        "LOG2_E" => (single::LOG2_E, double::LOG2_E),
        "LOG10_E" => (single::LOG10_E, double::LOG10_E),
        "SQRT_2" => (single::SQRT_2, double::SQRT_2),
        "FRAC_1_SQRT_2" => (single::FRAC_1_SQRT_2, double::FRAC_1_SQRT_2),
        "FRAC_PI_2" => (single::FRAC_PI_2, double::FRAC_PI_2),
        "FRAC_1_PI" => (single::FRAC_1_PI, double::FRAC_1_PI),
        "FRAC_2_SQRT_PI" => (single::FRAC_2_SQRT_PI, double::FRAC_2_SQRT_PI),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_literal_is_read_in_each_type_by_itself() {
        let read = |text: &str| Float::literal(text).map(Float::single);
        assert_eq!(read("0.088_388_35"), Some(0.088_388_35_f32));
        assert_eq!(read("3f32"), Some(3.0));
        assert_eq!(read("1e-6"), Some(1e-6));
        assert_eq!(read("1.5f64"), Some(1.5));
        assert_eq!(read("x"), None);
    }

    #[test]
    fn arithmetic_rounds_in_the_type_that_is_written() {
        let third = Float::literal("1.0").and_then(|one| {
            let three = Float::of_integer(3, FloatType::Single);
            one.arithmetic(ArithOp::Div, three)
        });
        assert_eq!(third.map(Float::single), Some(1.0_f32 / 3.0));
        // A third of double precision, rounded once.
        let double = Float::of_integer(1, FloatType::Double)
            .arithmetic(ArithOp::Div, Float::of_integer(3, FloatType::Double))
            .map(|third| third.cast(FloatType::Single).single());
        assert_eq!(double, Some((1.0_f64 / 3.0) as f32));
        assert_eq!(Float::of_single(-2.75).to_integer(), -2);
    }

    #[test]
    fn constants_of_rust_have_their_values() {
        let named = |path: &str| {
            let names: Vec<String> = path.split("::").map(str::to_owned).collect();
            Float::named(&names).map(Float::single)
        };
        assert_eq!(named("f32::NEG_INFINITY"), Some(f32::NEG_INFINITY));
        assert_eq!(
            named("std::f32::consts::LOG2_E"),
            Some(std::f32::consts::LOG2_E)
        );
        assert_eq!(named("f32::NOTHING"), None);
    }
}
