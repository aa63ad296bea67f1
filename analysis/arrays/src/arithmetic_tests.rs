//! The arithmetic against brute force in double precision and against numbers made by hand.

use crate::casts::*;
use crate::*;

const NEW: Arithmetic = Arithmetic::NEWEST;
const OLD: Arithmetic = Arithmetic::BOOK;

/// The value of a float of a sign bit, so many exponent and mantissa bits, by the definition of IEEE.
fn by_definition(code: u32, exponent: u32, mantissa: u32) -> f64 {
    let bias = 2f64.powi((1 << (exponent - 1)) - 1);
    let power = (code >> mantissa) & ((1 << exponent) - 1);
    let digits = f64::from(code & ((1 << mantissa) - 1)) / 2f64.powi(mantissa as i32);
    let size = if power == 0 {
        digits * 2.0 / bias
    } else {
        (1.0 + digits) * 2f64.powi(power as i32) / bias
    };
    if code >> (exponent + mantissa) == 1 {
        -size
    } else {
        size
    }
}

/// Numbers that conversions may get wrong: all powers of two, halves between them, and their neighbours.
fn edges() -> Vec<f32> {
    let mut found = vec![0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY];
    for bits in (0u32..0x7f80_0000).step_by(0x8_0000) {
        for near in [bits.saturating_sub(1), bits, bits + 1] {
            found.push(f32::from_bits(near));
            found.push(-f32::from_bits(near));
        }
    }
    found
}

/// The code whose value is nearest, by looking at all of them. `ties` chooses of two that are equally near.
fn nearest(
    value: f32,
    finite: impl Iterator<Item = u8>,
    widen: fn(u8) -> f32,
    ties: fn(u8, u8) -> u8,
) -> u8 {
    let codes = finite.filter(|code| widen(*code).is_sign_negative() == value.is_sign_negative());
    let distance = |code: u8| (f64::from(widen(code)) - f64::from(value)).abs();
    codes
        .reduce(
            |best, code| match distance(code).total_cmp(&distance(best)) {
                std::cmp::Ordering::Less => code,
                std::cmp::Ordering::Equal => ties(best, code),
                std::cmp::Ordering::Greater => best,
            },
        )
        .unwrap()
}

#[test]
fn all_codes_of_f8e4m3_have_their_value() {
    for code in 0..=255u8 {
        let value = f8e4m3_to_f32(code);
        if code & 0x7f == 0x7f {
            assert_eq!(value.to_bits(), 0x7fc0_0000, "{code:#x}");
        } else {
            assert_eq!(
                f64::from(value),
                by_definition(u32::from(code), 4, 3),
                "{code:#x}"
            );
            assert_eq!(value.is_sign_negative(), code >= 0x80);
            assert_eq!(f32_to_f8e4m3(value), code);
        }
    }
    assert_eq!(f8e4m3_to_f32(0x7e), 448.0);
}

#[test]
fn all_codes_of_f8e5m2_have_their_value() {
    for code in 0..=255u8 {
        let value = f8e5m2_to_f32(code);
        match code & 0x7f {
            0x7c => assert!(value.is_infinite() && value.is_sign_negative() == (code >= 0x80)),
            0x7d.. => assert!(value.is_nan()),
            _ => {
                assert_eq!(
                    f64::from(value),
                    by_definition(u32::from(code), 5, 2),
                    "{code:#x}"
                );
                assert_eq!(f32_to_f8e5m2(value), code);
            }
        }
    }
    assert_eq!(f32_to_f8e5m2(f32::INFINITY), 0x7c);
    assert_eq!(f32_to_f8e5m2(f32::NEG_INFINITY), 0xfc);
}

#[test]
fn f8e4m3_is_the_nearest_with_ties_to_even_and_saturates() {
    let even = |first: u8, second: u8| if first & 1 == 0 { first } else { second };
    for value in edges() {
        let cut = value.clamp(-448.0, 448.0);
        let finite = (0..=255u8).filter(|code| code & 0x7f != 0x7f);
        let expected = nearest(cut, finite, f8e4m3_to_f32, even);
        assert_eq!(f32_to_f8e4m3(value), expected, "{value:e}");
    }
    assert_eq!(f32_to_f8e4m3(-f32::NAN), 0x7f);
}

#[test]
fn f8e5m2_is_the_nearest_with_ties_away_from_zero() {
    let away = |first: u8, second: u8| first.max(second);
    for value in edges() {
        let size = value.abs();
        let sign = u8::from(value.is_sign_negative()) << 7;
        let expected = if size < 2f32.powi(-14) {
            // Below the normals: steps of 2⁻¹⁶, at most three of them.
            sign | (((f64::from(size) * 65536.0) + 0.5).floor() as u8).min(3)
        } else if size >= 61440.0 {
            sign | 0x7c
        } else {
            let finite = (0..=255u8).filter(|code| code & 0x7f < 0x7c);
            nearest(value, finite, f8e5m2_to_f32, away)
        };
        assert_eq!(f32_to_f8e5m2(value), expected, "{value:e}");
    }
    assert_eq!(f32_to_f8e5m2(f32::NAN), 0x7e);
}

#[test]
fn all_bf16_values_widen_exactly_but_subnormals_and_nan() {
    for bits in 0..=u16::MAX {
        let value = bf16_to_f32(bits, NEW);
        let exponent = bits >> 7 & 0xff;
        if exponent == 0xff && bits & 0x7f != 0 {
            assert_eq!(value.to_bits(), 0x7fc0_0000);
            assert_eq!(f32_to_bf16(value, NEW), 0x7fc0);
        } else if exponent == 0 {
            assert_eq!(value.to_bits(), u32::from(bits & 0x8000) << 16);
        } else {
            assert_eq!(value.to_bits(), u32::from(bits) << 16);
            assert_eq!(f32_to_bf16(value, NEW), bits);
        }
        assert_eq!(bf16_to_f32(bits, OLD).to_bits(), u32::from(bits) << 16);
    }
}

#[test]
fn bf16_is_the_nearest_with_ties_to_even() {
    for bits in (0x0080_0000u32..0x7f80_0000).step_by(0x3_f1) {
        let value = f32::from_bits(bits);
        let (low, high) = (bits >> 16, (bits >> 16) + 1);
        let size = |half: u32| by_definition(half, 8, 7);
        let (below, above) = (f64::from(value) - size(low), size(high) - f64::from(value));
        let expected = match below.total_cmp(&above) {
            std::cmp::Ordering::Less => low,
            std::cmp::Ordering::Greater => high,
            std::cmp::Ordering::Equal => low + (low & 1),
        };
        assert_eq!(u32::from(f32_to_bf16(value, NEW)), expected, "{bits:#x}");
        assert_eq!(
            u32::from(f32_to_bf16(-value, NEW)),
            expected | 0x8000,
            "{bits:#x}"
        );
    }
    // The largest `f32` is above the middle between the largest `bf16` and 2¹²⁸.
    assert_eq!(f32_to_bf16(f32::MAX, NEW), 0x7f80);
    // The largest subnormal is nearer to the smallest normal than to zero, and becomes zero.
    assert_eq!(f32_to_bf16(f32::from_bits(0x807f_ffff), NEW), 0x8000);
    assert_eq!(f32_to_bf16(f32::from_bits(0x807f_ffff), OLD), 0x8080);
    assert_eq!(f32_to_bf16(-f32::NAN, NEW), 0x7fc0);
}

#[test]
fn the_rectifier_takes_signs_and_keeps_nan() {
    assert_eq!(f32_to_bf16_rectified(-0.0, NEW), 0);
    assert_eq!(f32_to_bf16_rectified(-3.0, NEW), 0);
    assert_eq!(f32_to_bf16_rectified(f32::NEG_INFINITY, NEW), 0);
    assert_eq!(f32_to_bf16_rectified(-f32::NAN, NEW), 0x7fc0);
    assert_eq!(f32_to_bf16_rectified(1.5, NEW), 0x3fc0);
}

#[test]
fn integers_wrap_to_their_low_bits() {
    let values = Array::I32(vec![7, 8, -9, 127, 128, -129, 32_768, i32::MIN + 5]);
    let to = |kind| converted(&values, kind, NEW).unwrap();
    assert_eq!(
        to(ElementKind::I4),
        Array::I4(vec![7, -8, 7, -1, 0, -1, 0, 5])
    );
    assert_eq!(
        to(ElementKind::I8),
        Array::I8(vec![7, 8, -9, 127, -128, 127, 0, 5])
    );
    assert_eq!(
        to(ElementKind::I16),
        Array::I16(vec![7, 8, -9, 127, 128, -129, -32_768, 5])
    );
    let effects = effects_of_cast(&values, ElementKind::I8, NEW, None);
    assert_eq!(effects.wrapped, 4);
}

#[test]
fn tables_are_exact() {
    let sizes = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0];
    let codes = Array::F4E2M1((0..16).collect());
    for kind in [ElementKind::F8E4M3, ElementKind::F8E5M2] {
        let table = converted(&codes, kind, NEW).unwrap();
        for (code, size) in sizes.into_iter().enumerate() {
            assert_eq!(table.number_at(code), Some(size));
            assert_eq!(table.number_at(code + 8), Some(-size));
        }
    }
    let codes = Array::F8E4M3((0..=255).collect());
    let wide = converted(&codes, ElementKind::Bf16, NEW).unwrap();
    for code in 0..=255u8 {
        let (found, expected) = (
            wide.number_at(code.into()).unwrap(),
            f64::from(f8e4m3_to_f32(code)),
        );
        assert!(found == expected || code & 0x7f == 0x7f && found.is_nan());
    }
}

#[test]
fn zero_points_are_taken_off_in_a_bit_more() {
    let bytes = Array::I8(vec![-128, 0, 127]);
    assert_eq!(
        less_zero_point(&bytes, 127),
        Some(Array::I9(vec![-255, -127, 0]))
    );
    assert_eq!(
        less_zero_point(&bytes, -128),
        Some(Array::I9(vec![0, 128, 255]))
    );
    assert_eq!(less_zero_point(&bytes, 128), None);
    let nibbles = Array::I4(vec![-8, 7]);
    assert_eq!(less_zero_point(&nibbles, 7), Some(Array::I5(vec![-15, 0])));
    assert_eq!(less_zero_point(&nibbles, 8), None);
}

#[test]
fn fixed_point_rounds_half_away_and_saturates() {
    // With 31 integer bits it is the plain integer.
    assert_eq!(float_to_fixed(2.5, 31), 3);
    assert_eq!(float_to_fixed(-2.5, 31), -3);
    assert_eq!(float_to_fixed(2.4, 31), 2);
    // With none, 1.0 would be 2³¹, and −1.0 is the smallest number.
    assert_eq!(float_to_fixed(1.0, 0), i32::MAX);
    assert_eq!(float_to_fixed(-1.0, 0), i32::MIN);
    assert_eq!(float_to_fixed(0.5, 0), 1 << 30);
    assert_eq!(float_to_fixed(f32::NAN, 4), i32::MAX);
    assert_eq!(float_to_fixed(-f32::NAN, 4), i32::MIN);
    assert_eq!(float_to_fixed(f32::INFINITY, 4), i32::MAX);
    // 2²⁴ + 1 lies in the middle between two floats, the lower one even.
    assert_eq!(fixed_to_float((1 << 24) + 1, 31), 16_777_216.0);
    assert_eq!(fixed_to_float((1 << 24) + 3, 31), 16_777_220.0);
    assert_eq!(fixed_to_float(i32::MIN, 0), -1.0);
    assert_eq!(fixed_to_float(1, 0), 2f32.powi(-31));
    assert_eq!(fixed_to_float(0, 7).to_bits(), 0);
}

#[test]
fn rounding_shifts_are_quotients_rounded_half_away() {
    for value in [
        i32::MIN,
        i32::MIN + 1,
        -7,
        -6,
        -5,
        -3,
        -1,
        0,
        1,
        2,
        3,
        5,
        6,
        7,
        i32::MAX - 1,
        i32::MAX,
    ] {
        for by in 0..32 {
            let quotient = f64::from(value) / 2f64.powi(by);
            let expected = quotient.round() as i32;
            assert_eq!(
                IntegerOperation::ShiftRightRounding.result(value, by),
                expected,
                "{value} {by}"
            );
        }
    }
}

#[test]
fn integer_operations_wrap_saturate_and_multiply() {
    use IntegerOperation::*;
    let cases = [
        (Add, i32::MAX, 1, i32::MIN),
        (AddSaturating, i32::MAX, 1, i32::MAX),
        (Subtract, i32::MIN, 1, i32::MAX),
        (SubtractSaturating, i32::MIN, 1, i32::MIN),
        (Multiply, 1 << 20, 1 << 20, 0),
        // ½ · ½ = ¼ with 31 bits after the point.
        (MultiplyFixed, 1 << 30, 1 << 30, 1 << 29),
        (MultiplyFixed, i32::MIN, i32::MIN, i32::MAX),
        // 3 · 2³⁰ / 2³¹ = 1.5 is rounded up, and −1.5 up, too: to −1.
        (MultiplyFixed, 3, 1 << 30, 2),
        (MultiplyFixed, -3, 1 << 30, -1),
        (ShiftLeft, -1, 31, i32::MIN),
        (ShiftRightLogical, -1, 31, 1),
        (ShiftRightArithmetic, -5, 1, -3),
        (ShiftLeftSaturating, 3, 30, i32::MAX),
        (ShiftLeftSaturating, -3, 30, i32::MIN),
        (ShiftLeftSaturating, 3, 4, 48),
        (Min, -1, 2, -1),
        (Max, -1, 2, 2),
        // Equal magnitudes: the operand.
        (AbsMin, -3, 3, 3),
        (AbsMax, -3, 3, 3),
        (AbsMin, -2, 3, -2),
        (AbsMax, -4, 3, -4),
        (And, 0b1100, 0b1010, 0b1000),
        (Or, 0b1100, 0b1010, 0b1110),
        (Xor, 0b1100, 0b1010, 0b0110),
    ];
    for (operation, first, second, expected) in cases {
        assert_eq!(
            operation.result(first, second),
            expected,
            "{operation:?} {first} {second}"
        );
        assert_eq!(operation.fault(first, second), None);
    }
}

#[test]
fn shifts_out_of_range_and_the_smallest_magnitude_are_faults() {
    use IntegerOperation::*;
    for operation in [
        ShiftLeft,
        ShiftRightLogical,
        ShiftRightArithmetic,
        ShiftRightRounding,
    ] {
        assert_eq!(
            operation.fault(1, 32),
            Some(Fault::Shift { by: 32, most: 31 })
        );
        assert_eq!(
            operation.fault(1, -1),
            Some(Fault::Shift { by: -1, most: 31 })
        );
        assert_eq!(operation.fault(1, 31), None);
    }
    assert_eq!(
        ShiftLeftSaturating.fault(1, 31),
        Some(Fault::Shift { by: 31, most: 30 })
    );
    assert_eq!(AbsMax.fault(i32::MIN, 0), Some(Fault::Magnitude));
    assert_eq!(AbsMin.fault(0, i32::MIN), Some(Fault::Magnitude));
    assert!(!Add.may_fail() && AbsMax.may_fail());
}

#[test]
fn float_operations_skip_nan_where_the_machine_does() {
    use FloatOperation::*;
    let nan = f32::NAN;
    assert_eq!(Min.result(nan, 2.0), 2.0);
    assert_eq!(Max.result(2.0, nan), 2.0);
    assert!(Add.result(nan, 2.0).is_nan());
    // NaN on either side of a magnitude gives the operand.
    assert_eq!(AbsMin.result(nan, 2.0), 2.0);
    assert!(AbsMin.result(2.0, nan).is_nan());
    assert_eq!(AbsMax.result(-3.0, 2.0), -3.0);
    assert_eq!(AbsMax.result(-3.0, 3.0), 3.0);
    assert_eq!(
        And.result(f32::from_bits(0xffff_0000), 1.5).to_bits(),
        0x3fc0_0000
    );
    assert_eq!(Divide.result(1.0, 0.0), f32::INFINITY);
}

#[test]
fn a_fused_product_is_rounded_once_and_a_contraction_twice() {
    // (1 + 2⁻¹²)² = 1 + 2⁻¹¹ + 2⁻²⁴, whose last term one rounding of the product drops.
    let near = 1.0 + 2f32.powi(-12);
    let minus = -(1.0 + 2f32.powi(-11));
    assert_eq!(fused_multiply_add(near, near, minus), 2f32.powi(-24));
    assert_eq!(multiply_accumulate(minus, near, near), 0.0);
}

#[test]
fn unary_functions_flush_and_sine_has_a_range() {
    use UnaryOperation::*;
    let tiny = f32::from_bits(1);
    assert_eq!(Sqrt.result(tiny, NEW), 0.0);
    assert!(Sqrt.result(tiny, OLD) > 0.0);
    // e⁻⁸⁸ is about 6·10⁻³⁹, a subnormal.
    assert_eq!(Exp.result(-88.0, NEW), 0.0);
    assert!(Exp.result(-88.0, OLD) > 0.0);
    assert_eq!(Log.result(-1.0, NEW).to_bits(), 0x7fc0_0000);
    let limit = f32::from_bits(0x40c9_0fda);
    assert!(!Sin.result(limit, NEW).is_nan() && Sin.result(7.0, NEW).is_nan());
    assert!(!Sin.result(7.0, OLD).is_nan());
    assert!(Cos.result(-f32::from_bits(0x40c9_0fdb), NEW).is_nan());
    assert!((Erf.result(1.0, NEW) - 0.842_700_8).abs() < 1e-6);
    assert!((Sigmoid.result(0.0, NEW) - 0.5).abs() < f32::EPSILON);
    assert_eq!(NegExp.result(0.0, NEW), 1.0);
    assert_eq!(Tanh.result(f32::INFINITY, NEW), 1.0);
}

#[test]
fn tags_and_guards_select_elements() {
    use Comparison::*;
    let tag = compared(
        &[Equal(0.0), Less(1.0), GreaterUnsigned(1.0), True],
        -0.0f32,
    );
    // −0 equals 0, is below 1, and has more bits set than 1 has.
    assert_eq!(tag, 0b1111);
    assert_eq!(
        compared(&[Equal(0.0), Less(1.0), Greater(1.0), False], f32::NAN),
        0
    );
    assert_eq!(
        compared(
            &[Less(0), LessUnsigned(0), GreaterUnsigned(5), False],
            -1i32
        ),
        0b0101
    );
    assert!(Guard::Group(true).accepts(0b1000) && !Guard::Group(true).accepts(0b0111));
    assert!(Guard::Group(false).accepts(0b0111));
    let required = [Some(true), None, Some(false), None];
    assert!(Guard::Matches(required).accepts(0b1011) && !Guard::Matches(required).accepts(0b0101));
    assert!(Guard::NotMatches(required).accepts(0b0101) && !Guard::All.reads_tags());
    assert_eq!((toggled(6), toggled(7)), (0, 8));
}

#[test]
fn folds_have_identities_and_order() {
    let mut sums = [0.0f32; 2];
    Fold::Add.fold_floats(&mut sums, &[1e8, 1.0]);
    Fold::Add.fold_floats(&mut sums, &[1.0, 1e8]);
    Fold::Add.fold_floats(&mut sums, &[-1e8, -1e8]);
    // The 1 is lost where it meets 10⁸, whose neighbours are 8 apart.
    assert_eq!(sums, [0.0, 0.0]);
    assert_eq!(
        folded_floats(Fold::Max, &[f32::NAN, f32::NAN], None),
        f32::NEG_INFINITY
    );
    assert_eq!(
        folded_floats(
            Fold::Max,
            &[f32::NAN, 3.0, 9.0],
            Some(&Bits::from_places(3, |at| at < 2))
        ),
        3.0
    );
    assert_eq!(Fold::AddSaturating.step_of_integers(i32::MAX, 5), i32::MAX);
    assert_eq!(Fold::Add.step_of_integers(i32::MAX, 1), i32::MIN);
    assert_eq!(Fold::Multiply.identity_of_floats(), 1.0);
    assert_eq!(
        multiply_accumulate_integers(i32::MAX, 1, 1),
        Err(Fault::ContractionOverflow)
    );
    assert_eq!(multiply_accumulate_integers(1, -255, 255), Ok(-65_024));
}

#[test]
fn modes_choose_operands() {
    let (one, two) = (
        BinaryMode::from_digits("10").unwrap(),
        BinaryMode::StreamTwice,
    );
    assert_eq!(one.ordered('s', 'o'), ('o', 's'));
    assert!(!two.reads_operand() && two.reads_stream());
    assert_eq!(BinaryMode::from_digits("12"), None);
    let mode = TernaryMode::from_digits("120").unwrap();
    assert_eq!(mode.ordered('m', 'o', 'p'), ['o', 'p', 'm']);
    assert_eq!(
        TernaryMode::from_digits("020")
            .unwrap()
            .ordered('m', 'o', 'p'),
        ['m', 'p', 'm']
    );
    assert!(!TernaryMode::from_digits("002").unwrap().reads(1));
    assert_eq!(
        joined(&[1, 2], Operand::Same(10), one, |a, b| a - b),
        [9, 8]
    );
    assert_eq!(
        joined(
            &[1, 2],
            Operand::Each(&[5, 7]),
            BinaryMode::default(),
            |a, b| a - b
        ),
        [-4, -5]
    );
}

#[test]
fn releases_differ_as_their_tables_say() {
    let rules = Arithmetic::of_release;
    assert!(!rules(0, 5).bf16_flushes && rules(0, 6).bf16_flushes && rules(0, 10).bf16_flushes);
    assert!(!rules(0, 6).unary_flushes && rules(0, 7).unary_flushes);
    assert!(!rules(0, 5).first_slot_wins && rules(0, 6).first_slot_wins);
    assert!(rules(0, 3).folds_by_stage && !rules(0, 4).folds_by_stage);
}
