//! Conversions between element types, element by element, as the machine's engines make them.
//!
//! Each function is total: inputs that an engine refuses are found by the functions of [`Fault`](crate::Fault) beside them.

use half::bf16;

use crate::kind::ElementKind;
use crate::rules::Arithmetic;
use crate::shared::map_elements;
use crate::values::Array;

/// The NaN that conversions to `f32` give.
const QUIET_NAN: u32 = 0x7fc0_0000;

/// The NaN that conversions to `bf16` give.
const QUIET_NAN_BF16: u16 = 0x7fc0;

/// The value of a code of `f4e2m1`; its upper four bits are ignored.
#[inline]
pub const fn f4e2m1_to_f32(code: u8) -> f32 {
    const SIZES: [f32; 8] = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0];
    let size = SIZES[(code & 7) as usize];
    if code & 8 == 0 { size } else { -size }
}

/// The value of a float with `exponent` and `mantissa` bits behind its sign, as bits of `f32`. Infinities and NaN are the caller's.
const fn widened_bits(code: u8, exponent: u32, mantissa: u32) -> u32 {
    let sign = (code as u32 >> 7) << 31;
    let power = (code as u32 >> mantissa) & ((1 << exponent) - 1);
    let digits = code as u32 & ((1 << mantissa) - 1);
    let bias = (1 << (exponent - 1)) - 1;
    if power != 0 {
        return sign | (power + 127 - bias) << 23 | digits << (23 - mantissa);
    }
    if digits == 0 {
        return sign;
    }
    // A subnormal is normal as `f32`: its leading digit becomes the hidden one.
    let leading = digits.ilog2();
    let power = 127 + 1 + leading - bias - mantissa;
    sign | power << 23 | (digits ^ 1 << leading) << (23 - leading)
}

const fn table_of_f8e4m3() -> [u32; 256] {
    let mut table = [0; 256];
    let mut code = 0;
    while code < 256 {
        table[code] = if code & 0x7f == 0x7f {
            QUIET_NAN
        } else {
            widened_bits(code as u8, 4, 3)
        };
        code += 1;
    }
    table
}

const fn table_of_f8e5m2() -> [u32; 256] {
    let mut table = [0; 256];
    let mut code = 0;
    while code < 256 {
        table[code] = match code & 0x7f {
            0x7c => (code as u32 >> 7) << 31 | 0x7f80_0000,
            0x7d.. => QUIET_NAN,
            _ => widened_bits(code as u8, 5, 2),
        };
        code += 1;
    }
    table
}

static F8E4M3: [u32; 256] = table_of_f8e4m3();
static F8E5M2: [u32; 256] = table_of_f8e5m2();

/// The value of a code of `f8e4m3`: exact, NaN for 0x7f and 0xff.
#[inline]
pub fn f8e4m3_to_f32(code: u8) -> f32 {
    f32::from_bits(F8E4M3[usize::from(code)])
}

/// The value of a code of `f8e5m2`: exact, infinities for 0x7c and 0xfc, NaN above.
#[inline]
pub fn f8e5m2_to_f32(code: u8) -> f32 {
    f32::from_bits(F8E5M2[usize::from(code)])
}

/// The value of a `bf16` of these bits.
#[inline]
pub fn bf16_to_f32(bits: u16, rules: Arithmetic) -> f32 {
    if rules.bf16_flushes {
        flushed_bf16_to_f32(bits)
    } else {
        f32::from_bits(u32::from(bits) << 16)
    }
}

/// The value of a `bf16` of these bits; subnormal numbers become zero, and each NaN the same one.
#[inline]
pub fn flushed_bf16_to_f32(bits: u16) -> f32 {
    let wide = u32::from(bits) << 16;
    let magnitude = wide & 0x7fff_ffff;
    f32::from_bits(if magnitude < 0x0080_0000 {
        wide & 0x8000_0000
    } else if magnitude > 0x7f80_0000 {
        QUIET_NAN
    } else {
        wide
    })
}

/// The bits of the nearest `bf16`, ties to even.
#[inline]
pub fn f32_to_bf16(value: f32, rules: Arithmetic) -> u16 {
    if rules.bf16_flushes {
        f32_to_flushed_bf16(value)
    } else {
        bf16::from_f32(value).to_bits()
    }
}

/// The bits of the nearest `bf16`, ties to even; subnormal numbers become zero.
#[inline]
fn f32_to_flushed_bf16(value: f32) -> u16 {
    let bits = value.to_bits();
    let magnitude = bits & 0x7fff_ffff;
    // Half of the last place, and one less where the last place is even: a carry runs up to infinity by itself. NaN may wrap, and gets
    // its own bits below: selections without branches convert several numbers at once.
    let rounded = (bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16) as u16;
    let normal = if magnitude < 0x0080_0000 {
        ((bits >> 16) & 0x8000) as u16
    } else {
        rounded
    };
    if magnitude > 0x7f80_0000 {
        QUIET_NAN_BF16
    } else {
        normal
    }
}

/// The bits of the nearest `bf16` after the Commit Engine's rectifier: what has a sign and is no NaN becomes +0.
pub fn f32_to_bf16_rectified(value: f32, rules: Arithmetic) -> u16 {
    if !value.is_nan() && value.is_sign_negative() {
        return 0;
    }
    f32_to_bf16(value, rules)
}

/// The code of the nearest `f8e4m3`, ties to even. Beyond 448 it stays 448; NaN is 0x7f without a sign.
pub fn f32_to_f8e4m3(value: f32) -> u8 {
    if value.is_nan() {
        return 0x7f;
    }
    let bits = value.to_bits();
    let sign = ((bits >> 31) << 7) as u8;
    let magnitude = bits & 0x7fff_ffff;
    // 2⁻⁶, the smallest normal.
    if magnitude < (127 - 6) << 23 {
        // The step of subnormals is 2⁻⁹, and eight of them are the smallest normal, whose code is 8.
        let steps = (f32::from_bits(magnitude) * 512.0).round_ties_even();
        return sign | steps as u8;
    }
    let rounded = (magnitude + 0x7_ffff + (magnitude >> 20 & 1)) >> 20;
    let code = rounded - ((127 - 7) << 3);
    sign | code.min(0x7e) as u8
}

/// The code of the nearest `f8e5m2`, ties away from zero. Past the largest it is infinite; NaN is 0x7e. Below 2⁻¹⁴ it stays
/// subnormal, even where the smallest normal is nearer.
pub fn f32_to_f8e5m2(value: f32) -> u8 {
    if value.is_nan() {
        return 0x7e;
    }
    let bits = value.to_bits();
    let sign = ((bits >> 31) << 7) as u8;
    let magnitude = bits & 0x7fff_ffff;
    if magnitude < (127 - 14) << 23 {
        let steps = (f32::from_bits(magnitude) * 65536.0).round();
        return sign | (steps as u8).min(3);
    }
    let rounded = (magnitude + 0x10_0000) >> 21;
    let code = rounded - ((127 - 15) << 2);
    sign | code.min(0x7c) as u8
}

/// `value · 2^(31 − integer_bits)` as an integer, half away from zero. Beyond the range it is cut; NaN becomes the largest number
/// without a sign and the smallest with one.
pub fn float_to_fixed(value: f32, integer_bits: u32) -> i32 {
    if value.is_nan() {
        return if value.is_sign_positive() {
            i32::MAX
        } else {
            i32::MIN
        };
    }
    let scale = f64::from(1u32 << 31u32.saturating_sub(integer_bits).min(31));
    // The conversion cuts what is beyond the range.
    (f64::from(value) * scale).round() as i32
}

/// `value · 2^(integer_bits − 31)`, to the nearest, ties to even.
pub fn fixed_to_float(value: i32, integer_bits: u32) -> f32 {
    let scale = f64::from(1u32 << 31u32.saturating_sub(integer_bits).min(31));
    // Both factors are exact in double precision, so that there is one rounding.
    (f64::from(value) / scale) as f32
}

fn rounded(values: &[f32], kind: ElementKind, rules: Arithmetic) -> Option<Array> {
    Some(match kind {
        // A loop for each rule, so that the compiler makes vectors of it.
        ElementKind::Bf16 if rules.bf16_flushes => {
            Array::Bf16(map_elements(values, f32_to_flushed_bf16))
        }
        ElementKind::Bf16 => Array::Bf16(map_elements(values, |value| {
            bf16::from_f32(value).to_bits()
        })),
        ElementKind::F8E4M3 => Array::F8E4M3(map_elements(values, f32_to_f8e4m3)),
        ElementKind::F8E5M2 => Array::F8E5M2(map_elements(values, f32_to_f8e5m2)),
        _ => return None,
    })
}

/// The low four bits of a number, with their sign.
const fn low_nibble(value: i32) -> i8 {
    (value << 28 >> 28) as i8
}

fn wrapped(values: &[i32], kind: ElementKind) -> Option<Array> {
    Some(match kind {
        ElementKind::I4 => Array::I4(map_elements(values, low_nibble)),
        ElementKind::I8 => Array::I8(map_elements(values, |value| value as i8)),
        ElementKind::I16 => Array::I16(map_elements(values, |value| value as i16)),
        _ => return None,
    })
}

/// The code of an `f8` for each code of `f4e2m1`: every value of it is one of both types, so that rounding changes nothing.
fn looked_up(codes: &[u8], kind: ElementKind) -> Option<Array> {
    let by = |convert: fn(f32) -> u8| {
        let table: [u8; 16] = std::array::from_fn(|code| convert(f4e2m1_to_f32(code as u8)));
        map_elements(codes, |code| table[usize::from(code & 15)])
    };
    Some(match kind {
        ElementKind::F8E4M3 => Array::F8E4M3(by(f32_to_f8e4m3)),
        ElementKind::F8E5M2 => Array::F8E5M2(by(f32_to_f8e5m2)),
        _ => return None,
    })
}

fn looked_up_f8(codes: &[u8], widen: fn(u8) -> f32, rules: Arithmetic) -> Array {
    let table: [u16; 256] = std::array::from_fn(|code| f32_to_bf16(widen(code as u8), rules));
    Array::Bf16(map_elements(codes, |code| table[usize::from(code)]))
}

/// An array converted to another kind. `None` where no engine of the machine has that conversion.
pub fn converted(array: &Array, kind: ElementKind, rules: Arithmetic) -> Option<Array> {
    if array.kind() == kind {
        return Some(array.clone());
    }
    match (array, kind) {
        (Array::I4(values) | Array::I5(values) | Array::I8(values), ElementKind::I32) => {
            Some(Array::I32(map_elements(values, i32::from)))
        }
        (Array::I9(values) | Array::I16(values), ElementKind::I32) => {
            Some(Array::I32(map_elements(values, i32::from)))
        }
        (Array::F8E4M3(codes), ElementKind::F32) => {
            Some(Array::F32(map_elements(codes, f8e4m3_to_f32)))
        }
        (Array::F8E5M2(codes), ElementKind::F32) => {
            Some(Array::F32(map_elements(codes, f8e5m2_to_f32)))
        }
        (Array::Bf16(bits), ElementKind::F32) if rules.bf16_flushes => {
            Some(Array::F32(map_elements(bits, flushed_bf16_to_f32)))
        }
        (Array::Bf16(bits), ElementKind::F32) => {
            let widened = |bits| f32::from_bits(u32::from(bits) << 16);
            Some(Array::F32(map_elements(bits, widened)))
        }
        (Array::F32(values), _) => rounded(values, kind, rules),
        (Array::I32(values), _) => wrapped(values, kind),
        (Array::F4E2M1(codes), _) => looked_up(codes, kind),
        (Array::F8E4M3(codes), ElementKind::Bf16) => {
            Some(looked_up_f8(codes, f8e4m3_to_f32, rules))
        }
        (Array::F8E5M2(codes), ElementKind::Bf16) => {
            Some(looked_up_f8(codes, f8e5m2_to_f32, rules))
        }
        _ => None,
    }
}

/// `f32` as `bf16` behind the Commit Engine's rectifier. `None` for an array that is not `f32`.
pub fn rectified(array: &Array, rules: Arithmetic) -> Option<Array> {
    let values = array.elements::<f32>()?;
    Some(Array::Bf16(map_elements(values, |value| {
        f32_to_bf16_rectified(value, rules)
    })))
}

/// `i4` less a zero point as `i5`, `i8` as `i9`. `None` for other kinds and for zero points beyond the operand's own range.
pub fn less_zero_point(array: &Array, zero_point: i32) -> Option<Array> {
    let (smallest, largest) = array.kind().integer_range()?;
    if !(smallest..=largest).contains(&zero_point) {
        return None;
    }
    match array {
        Array::I4(values) => Some(Array::I5(map_elements(values, |value| {
            (i32::from(value) - zero_point) as i8
        }))),
        Array::I8(values) => Some(Array::I9(map_elements(values, |value| {
            (i32::from(value) - zero_point) as i16
        }))),
        _ => None,
    }
}

/// `f32` as fixed point with so many bits before the point.
pub fn fixed_from_floats(values: &[f32], integer_bits: u32) -> Vec<i32> {
    map_elements(values, |value| float_to_fixed(value, integer_bits))
}

/// Fixed point with so many bits before the point as `f32`.
pub fn floats_from_fixed(values: &[i32], integer_bits: u32) -> Vec<f32> {
    map_elements(values, |value| fixed_to_float(value, integer_bits))
}

/// The bits of `i32` as `f32`, or the other way. `None` for other kinds.
pub fn reinterpreted(array: &Array) -> Option<Array> {
    match array {
        Array::I32(values) => Some(Array::F32(map_elements(values, |value| {
            f32::from_bits(value.cast_unsigned())
        }))),
        Array::F32(values) => Some(Array::I32(map_elements(values, |value| {
            value.to_bits().cast_signed()
        }))),
        _ => None,
    }
}
