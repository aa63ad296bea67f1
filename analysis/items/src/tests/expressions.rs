use ra_ap_syntax::ast;

use crate::syntax::EDITION;
use crate::{ConstEnvironment, ConstValue, evaluate_expression};

struct Variables;

impl ConstEnvironment for Variables {
    fn local(&self, name: &str) -> Option<ConstValue> {
        match name {
            "i" => Some(ConstValue::Int(5)),
            "mystery" => Some(ConstValue::Unknown("a mystery")),
            _ => None,
        }
    }

    fn path(&self, _path: &ast::Path) -> ConstValue {
        ConstValue::Unknown("no paths here")
    }
}

fn value(text: &str) -> ConstValue {
    evaluate_expression(&ast::Expr::parse(text, EDITION).tree(), &Variables)
}

fn int(text: &str) -> Option<i128> {
    value(text).as_int()
}

#[test]
fn literals() {
    let cases: [(&str, i128); 7] = [
        ("0x4_000", 16384),
        ("0b1010", 10),
        ("0o17", 15),
        ("1_024usize", 1024),
        ("b'a'", 97),
        ("18446744073709551615", 18_446_744_073_709_551_615),
        ("((7))", 7),
    ];
    for (text, expected) in cases {
        assert_eq!(int(text), Some(expected), "{text}");
    }
}

#[test]
fn arithmetic_and_bits() {
    let cases: [(&str, i128); 15] = [
        ("128 * 1024", 131_072),
        ("2 << 28", 536_870_912),
        ("1 << 40", 1_099_511_627_776),
        ("(7 + 3) / 4", 2),
        ("17 % 5 - 3", -1),
        ("0xf0 | 0x0f", 255),
        ("0xff & !0xfu8", 0xf0),
        ("6 ^ 3", 5),
        ("-128i8", -128),
        ("300 as u8", 44),
        ("(255u8 as i8) as i64", -1),
        ("true as usize + 1", 2),
        ("!0u16", 65_535),
        ("0x80u8 << 1", 0),
        ("1024 >> 3", 128),
    ];
    for (text, expected) in cases {
        assert_eq!(int(text), Some(expected), "{text}");
    }
}

#[test]
fn what_overflows_is_unknown() {
    let cases = [
        "255u8 + 1",
        "1u32 - 2",
        "1 / 0",
        "5 % (3 - 3)",
        "1u8 << 8",
        "1 << 200",
        "170141183460469231731687303715884105727 + 1",
        "!0",
        "1.5 as u8",
        "mystery + 1",
        "10u8.pow(3)",
        "0u8.ilog2()",
        "5usize.is_multiple_of(0)",
    ];
    for text in cases {
        assert!(
            matches!(value(text), ConstValue::Unknown(_)),
            "{text}: {:?}",
            value(text)
        );
    }
}

#[test]
fn control_flow_variables_and_composites() {
    let cases: [(&str, i128); 18] = [
        ("if 3 > 2 { 10 } else { 20 }", 10),
        ("if i % 2 == 0 { 1 } else if i == 5 { 2 } else { 3 }", 2),
        ("{ let a = i * 2; a + 1 }", 11),
        ("{ let i = 1; i } + i", 6),
        ("[0x10, 0x20, 0x30][1]", 0x20),
        ("[1, 2, 3].len()", 3),
        ("[7; 4][3] + [0; 9].len()", 16),
        ("(1, (2, 3)).1.0", 2),
        ("*&i", 5),
        ("if false && 1 / 0 == 1 { 1 } else { 2 }", 2),
        ("usize::MAX", 18_446_744_073_709_551_615),
        ("u8::MAX as u32 + u16::BITS", 271),
        ("2usize.pow(10)", 1024),
        ("10usize.div_ceil(4) + 13usize.next_multiple_of(8)", 19),
        ("48u32.trailing_zeros() + 48u32.ilog2()", 9),
        ("3usize.abs_diff(10)", 7),
        ("if 48usize.is_multiple_of(16) { 1 } else { 2 }", 1),
        ("if 48usize.is_power_of_two() { 1 } else { 2 }", 2),
    ];
    for (text, expected) in cases {
        assert_eq!(int(text), Some(expected), "{text}");
    }
    assert_eq!(value("2..=4"), ConstValue::Range { start: 2, end: 5 });
    assert_eq!(value("0..19usize"), ConstValue::Range { start: 0, end: 19 });
    assert_eq!(value("1 < 2 && !(2 <= 1)"), ConstValue::Bool(true));
}

#[test]
fn depth_is_bounded() {
    let sum = vec!["1"; 400].join("+");
    assert!(matches!(value(&sum), ConstValue::Unknown(_)));
    let short = vec!["1"; 60].join("+");
    assert_eq!(int(&short), Some(60));
}
