//! Operations of the Vector Engine on single elements and on whole slices.

use std::fmt;

use crate::rules::Arithmetic;
use crate::shared::{map_elements, map_pairs};

/// The reason that an operation has no result for its operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fault {
    /// A shift by less than 0, or by as many bits as an element has.
    Shift {
        /// By how many bits.
        by: i32,
        /// The largest shift that has a result.
        most: i32,
    },
    /// The magnitude of the smallest integer, which is no `i32`.
    Magnitude,
    /// A sum or product of a contraction beyond the range of `i32`.
    ContractionOverflow,
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shift { by, most } => {
                write!(formatter, "a shift by {by} bits, beyond 0 to {most}")
            }
            Self::Magnitude => write!(
                formatter,
                "the magnitude of {}, which an `i32` does not hold",
                i32::MIN
            ),
            Self::ContractionOverflow => {
                formatter.write_str("a sum of a contraction beyond the range of `i32`")
            }
        }
    }
}

/// A binary operation on integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IntegerOperation {
    /// Each bit of both.
    And,
    /// Each bit of one of them.
    Or,
    /// Each bit of just one of them.
    Xor,
    /// Towards the sign; what leaves is lost.
    ShiftLeft,
    /// Towards the lowest place, zeros after it.
    ShiftRightLogical,
    /// Towards the lowest place, the sign after it.
    ShiftRightArithmetic,
    /// Multiplied by a power of two, cut at the ends of the range.
    ShiftLeftSaturating,
    /// Divided by a power of two, to the nearest, half away from zero.
    ShiftRightRounding,
    /// The sum modulo 2³².
    Add,
    /// The sum, cut at the ends of the range.
    AddSaturating,
    /// The difference modulo 2³².
    Subtract,
    /// The difference, cut at the ends of the range.
    SubtractSaturating,
    /// The product modulo 2³².
    Multiply,
    /// The product of two numbers with 31 bits after the point, rounded.
    MultiplyFixed,
    /// The smaller.
    Min,
    /// The larger.
    Max,
    /// The first where its magnitude is smaller, else the second.
    AbsMin,
    /// The first where its magnitude is larger, else the second.
    AbsMax,
}

/// Half is rounded away from zero.
const fn divided_by_power(value: i32, exponent: u32) -> i32 {
    let divisor = 1i64 << exponent;
    let value = value as i64;
    let half = divisor / 2;
    let quotient = if value < 0 {
        (value - half) / divisor
    } else {
        (value + half) / divisor
    };
    quotient as i32
}

/// Numbers with 31 bits after the point. The one product that is out of range, −1 · −1, is cut to the largest.
const fn multiplied_fixed(first: i32, second: i32) -> i32 {
    if first == i32::MIN && second == i32::MIN {
        return i32::MAX;
    }
    let product = first as i64 * second as i64;
    (((product >> 30) + 1) >> 1) as i32
}

impl IntegerOperation {
    /// The result for two operands. A shift beyond its range takes the low five bits of its second operand, as [`Self::fault`] says.
    pub const fn result(self, first: i32, second: i32) -> i32 {
        let by = second.cast_unsigned() & 31;
        match self {
            Self::And => first & second,
            Self::Or => first | second,
            Self::Xor => first ^ second,
            Self::ShiftLeft => first << by,
            Self::ShiftRightLogical => (first.cast_unsigned() >> by).cast_signed(),
            Self::ShiftRightArithmetic => first >> by,
            Self::ShiftLeftSaturating => first.saturating_mul(1 << by),
            Self::ShiftRightRounding => divided_by_power(first, by),
            Self::Add => first.wrapping_add(second),
            Self::AddSaturating => first.saturating_add(second),
            Self::Subtract => first.wrapping_sub(second),
            Self::SubtractSaturating => first.saturating_sub(second),
            Self::Multiply => first.wrapping_mul(second),
            Self::MultiplyFixed => multiplied_fixed(first, second),
            Self::Min => {
                if first < second {
                    first
                } else {
                    second
                }
            }
            Self::Max => {
                if first > second {
                    first
                } else {
                    second
                }
            }
            Self::AbsMin => {
                if first.unsigned_abs() < second.unsigned_abs() {
                    first
                } else {
                    second
                }
            }
            Self::AbsMax => {
                if first.unsigned_abs() > second.unsigned_abs() {
                    first
                } else {
                    second
                }
            }
        }
    }

    /// Whether there are operands for which it has no result.
    pub const fn may_fail(self) -> bool {
        matches!(
            self,
            Self::ShiftLeft
                | Self::ShiftRightLogical
                | Self::ShiftRightArithmetic
                | Self::ShiftLeftSaturating
                | Self::ShiftRightRounding
                | Self::AbsMin
                | Self::AbsMax
        )
    }

    /// The reason that two operands have no result.
    pub const fn fault(self, first: i32, second: i32) -> Option<Fault> {
        let most = match self {
            Self::ShiftLeft
            | Self::ShiftRightLogical
            | Self::ShiftRightArithmetic
            | Self::ShiftRightRounding => 31,
            // 2³¹ is no `i32`, so that a shift by 31 would multiply by the smallest number and turn the sign.
            Self::ShiftLeftSaturating => 30,
            Self::AbsMin | Self::AbsMax => {
                return if first == i32::MIN || second == i32::MIN {
                    Some(Fault::Magnitude)
                } else {
                    None
                };
            }
            _ => return None,
        };
        if second < 0 || second > most {
            Some(Fault::Shift { by: second, most })
        } else {
            None
        }
    }
}

/// A binary operation on `f32`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FloatOperation {
    /// Each bit of both.
    And,
    /// Each bit of one of them.
    Or,
    /// Each bit of just one of them.
    Xor,
    /// The sum.
    Add,
    /// The difference.
    Subtract,
    /// The product.
    Multiply,
    /// The quotient.
    Divide,
    /// The smaller; the other one where one is NaN.
    Min,
    /// The larger; the other one where one is NaN.
    Max,
    /// The first where its magnitude is smaller, else the second.
    AbsMin,
    /// The first where its magnitude is larger, else the second.
    AbsMax,
}

impl FloatOperation {
    /// The result for two operands: rounded to the nearest, ties to even.
    pub fn result(self, first: f32, second: f32) -> f32 {
        let bits =
            |joined: fn(u32, u32) -> u32| f32::from_bits(joined(first.to_bits(), second.to_bits()));
        match self {
            Self::And => bits(|first, second| first & second),
            Self::Or => bits(|first, second| first | second),
            Self::Xor => bits(|first, second| first ^ second),
            Self::Add => first + second,
            Self::Subtract => first - second,
            Self::Multiply => first * second,
            Self::Divide => first / second,
            Self::Min => first.min(second),
            Self::Max => first.max(second),
            Self::AbsMin if first.abs() < second.abs() => first,
            Self::AbsMax if first.abs() > second.abs() => first,
            Self::AbsMin | Self::AbsMax => second,
        }
    }
}

/// A function of one `f32`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnaryOperation {
    /// eˣ.
    Exp,
    /// e⁻ˣ.
    NegExp,
    /// The square root.
    Sqrt,
    /// The hyperbolic tangent.
    Tanh,
    /// 1 / (1 + e⁻ˣ).
    Sigmoid,
    /// The error function.
    Erf,
    /// The natural logarithm.
    Log,
    /// The sine.
    Sin,
    /// The cosine.
    Cos,
}

/// A subnormal number as zero of its sign, and every NaN as one.
fn flushed(value: f32) -> f32 {
    if value.is_nan() {
        f32::from_bits(0x7fc0_0000)
    } else if value.is_subnormal() {
        0.0f32.copysign(value)
    } else {
        value
    }
}

/// The largest magnitude that sine and cosine take: 2π less than a step.
const LARGEST_ANGLE: f32 = f32::from_bits(0x40c9_0fda);

impl UnaryOperation {
    /// Whether machines may differ in its last places, since the host's mathematics library computes it.
    pub const fn is_approximate(self) -> bool {
        !matches!(self, Self::Sqrt)
    }

    fn plain(self, value: f32) -> f32 {
        match self {
            Self::Exp => value.exp(),
            Self::NegExp => (-value).exp(),
            Self::Sqrt => value.sqrt(),
            Self::Tanh => value.tanh(),
            Self::Sigmoid => 1.0 / (1.0 + (-value).exp()),
            Self::Erf => libm::erff(value),
            Self::Log => value.ln(),
            Self::Sin => value.sin(),
            Self::Cos => value.cos(),
        }
    }

    /// The result for an operand.
    pub fn result(self, value: f32, rules: Arithmetic) -> f32 {
        if !rules.unary_flushes {
            return self.plain(value);
        }
        let value = flushed(value);
        if matches!(self, Self::Sin | Self::Cos) && value.abs() > LARGEST_ANGLE {
            return f32::from_bits(0x7fc0_0000);
        }
        flushed(self.plain(value))
    }
}

/// `first · second + third` with one rounding.
pub fn fused_multiply_add(first: f32, second: f32, third: f32) -> f32 {
    first.mul_add(second, third)
}

/// The order in which a binary operation takes the stream and its operand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum BinaryMode {
    /// The stream twice: the operand is ignored.
    StreamTwice,
    /// The stream, then the operand.
    #[default]
    StreamFirst,
    /// The operand, then the stream.
    OperandFirst,
    /// The operand twice: the stream is ignored.
    OperandTwice,
}

impl BinaryMode {
    /// The mode that a library writes with these two digits: 0 is the stream, 1 the operand.
    pub fn from_digits(digits: &str) -> Option<Self> {
        Some(match digits {
            "00" => Self::StreamTwice,
            "01" => Self::StreamFirst,
            "10" => Self::OperandFirst,
            "11" => Self::OperandTwice,
            _ => return None,
        })
    }

    /// Whether the result depends on the stream.
    pub const fn reads_stream(self) -> bool {
        !matches!(self, Self::OperandTwice)
    }

    /// Whether the result depends on the operand.
    pub const fn reads_operand(self) -> bool {
        !matches!(self, Self::StreamTwice)
    }

    /// The two operands in the order of the operation.
    pub const fn ordered<T: Copy>(self, stream: T, operand: T) -> (T, T) {
        match self {
            Self::StreamTwice => (stream, stream),
            Self::StreamFirst => (stream, operand),
            Self::OperandFirst => (operand, stream),
            Self::OperandTwice => (operand, operand),
        }
    }
}

/// The order in which a ternary operation takes the stream and its two operands: each place is 0 for the stream, 1 or 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TernaryMode([u8; 3]);

impl Default for TernaryMode {
    fn default() -> Self {
        Self([0, 1, 2])
    }
}

impl TernaryMode {
    /// The mode that a library writes with these three digits; `None` for an order that the machine does not have.
    pub fn from_digits(digits: &str) -> Option<Self> {
        Some(Self(match digits {
            "012" => [0, 1, 2],
            "002" => [0, 0, 2],
            "102" => [1, 0, 2],
            "112" => [1, 1, 2],
            "020" => [0, 2, 0],
            "021" => [0, 2, 1],
            "120" => [1, 2, 0],
            _ => return None,
        }))
    }

    /// Whether the result depends on the stream (0), the first operand (1) or the second (2).
    pub fn reads(self, source: u8) -> bool {
        self.0.contains(&source)
    }

    /// The three operands in the order of the operation.
    pub fn ordered<T: Copy>(self, stream: T, first: T, second: T) -> [T; 3] {
        let taken = |source| match source {
            0 => stream,
            1 => first,
            _ => second,
        };
        let [one, two, three] = self.0;
        [taken(one), taken(two), taken(three)]
    }
}

/// One operand of a whole slice: one value for all elements, or one each.
#[derive(Debug, Clone, Copy)]
pub enum Operand<'a, T> {
    /// The same for every element.
    Same(T),
    /// One each.
    Each(&'a [T]),
}

/// Applies a binary function to a stream and an operand, element by element.
pub fn joined<T: Copy + Send + Sync, R: Send>(
    stream: &[T],
    operand: Operand<'_, T>,
    mode: BinaryMode,
    function: impl Fn(T, T) -> R + Send + Sync,
) -> Vec<R> {
    // A loop for each mode, so that the compiler makes vectors of it.
    match mode {
        BinaryMode::StreamFirst => each_joined(stream, operand, function),
        BinaryMode::OperandFirst => each_joined(stream, operand, |own, other| function(other, own)),
        BinaryMode::StreamTwice => each_joined(stream, operand, |own, _| function(own, own)),
        BinaryMode::OperandTwice => each_joined(stream, operand, |_, other| function(other, other)),
    }
}

fn each_joined<T: Copy + Send + Sync, R: Send>(
    stream: &[T],
    operand: Operand<'_, T>,
    function: impl Fn(T, T) -> R + Send + Sync,
) -> Vec<R> {
    match operand {
        Operand::Same(operand) => map_elements(stream, |own| function(own, operand)),
        Operand::Each(operand) => map_pairs(stream, operand, function),
    }
}
