use super::{item, one, project};
use crate::{ConstValue, ItemKind, const_value};

fn value(text: &str, name: &str) -> ConstValue {
    let (db, file) = one(text);
    const_value(&db, item(&db, file, ItemKind::Constant, name)).clone()
}

#[test]
fn constants_name_each_other() {
    let text = "const A: u64 = B * 2 + inner::C; const B: u64 = 3; mod inner { pub const C: u64 = super::B << 4; }
        const ADDRESSES: [u64; 3] = [0x100, A, 7]; const D: u64 = ADDRESSES[1] + ADDRESSES.len() as u64;
        const E: usize = { const F: usize = 5; use inner::C as G; F + G as usize };
        const NOT: u8 = !0x0f;";
    assert_eq!(value(text, "A"), ConstValue::Int(54));
    assert_eq!(value(text, "D"), ConstValue::Int(57));
    assert_eq!(value(text, "E"), ConstValue::Int(53));
    assert_eq!(value(text, "NOT"), ConstValue::Int(0xf0));
}

#[test]
fn a_value_must_fit_its_type() {
    assert!(matches!(
        value("const A: u8 = 200 + 56;", "A"),
        ConstValue::Unknown(_)
    ));
    assert!(matches!(
        value("const A: usize = 1 - 2;", "A"),
        ConstValue::Unknown(_)
    ));
    assert!(matches!(
        value("const A: usize = ;", "A"),
        ConstValue::Unknown(_)
    ));
}

#[test]
fn cycles_and_long_chains_end() {
    let text = "const A: u8 = B; const B: u8 = A; const C: u8 = B + 1; const D: u8 = D;";
    for name in ["A", "B", "C", "D"] {
        assert!(
            matches!(value(text, name), ConstValue::Unknown(_)),
            "{name}"
        );
    }
    let mut chain = String::from("const C0: usize = 1;");
    for index in 1..5_000 {
        chain.push_str(&format!("const C{index}: usize = C{} + 1;", index - 1));
    }
    assert_eq!(value(&chain, "C40"), ConstValue::Int(41));
    assert!(matches!(value(&chain, "C4999"), ConstValue::Unknown(_)));
}

#[test]
fn constants_across_files() {
    let db = project(
        &[
            (
                "lib.rs",
                "mod sizes; use sizes::{TILE as T}; const A: usize = T * sizes::TILE;",
            ),
            ("sizes.rs", "pub const TILE: usize = 12;"),
        ],
        &[],
    );
    let file = db.file("lib.rs").unwrap();
    assert_eq!(
        const_value(&db, item(&db, file, ItemKind::Constant, "A")),
        &ConstValue::Int(144)
    );
}
