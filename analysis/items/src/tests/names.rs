use super::{item, one, project, scope, show};
use crate::db::AnalysisDatabase;
use crate::{ItemKind, Namespace, ScopeRef, item_text, resolve_path, scope_at, visible_type_names};

fn in_type(db: &AnalysisDatabase, scope: &ScopeRef, path: &str) -> String {
    let path: Vec<&str> = path.split("::").collect();
    show(db, &resolve_path(db, scope, &path, Namespace::Type))
}

fn in_value(db: &AnalysisDatabase, scope: &ScopeRef, path: &str) -> String {
    let path: Vec<&str> = path.split("::").collect();
    show(db, &resolve_path(db, scope, &path, Namespace::Value))
}

#[test]
fn names_of_one_module() {
    let (db, _) = one(
        "axes![Rows = 1_024, C_kv = 0x10, Big = 99999999999999999999, Zero = 0];
        type Tile = m![Rows]; const N: usize = 1; static S: u8 = 1; fn f() {} struct P; mod inner { axes!(X = 4); }",
    );
    let scope = scope(&db, "kernel.rs", &[]);
    assert_eq!(in_type(&db, &scope, "Rows"), "axis Rows = 1024");
    assert_eq!(in_value(&db, &scope, "Rows"), "axis Rows = 1024");
    assert_eq!(in_type(&db, &scope, "C_kv"), "axis C_kv = 16");
    assert_eq!(in_type(&db, &scope, "Big"), "axis Big");
    assert_eq!(in_type(&db, &scope, "Zero"), "axis Zero");
    assert_eq!(in_type(&db, &scope, "Tile"), "alias Tile");
    assert_eq!(in_value(&db, &scope, "Tile"), "unknown");
    assert_eq!(in_value(&db, &scope, "N"), "const N");
    assert_eq!(in_value(&db, &scope, "S"), "const S");
    assert_eq!(in_value(&db, &scope, "f"), "fn f");
    assert_eq!(in_type(&db, &scope, "P"), "type P");
    assert_eq!(in_type(&db, &scope, "inner::X"), "axis X = 4");
    assert_eq!(in_type(&db, &scope, "self::inner::X"), "axis X = 4");
    assert_eq!(in_type(&db, &scope, "X"), "unknown");
    assert_eq!(in_type(&db, &scope, "inner::Rows"), "unknown");
    assert_eq!(in_type(&db, &scope, "usize"), "external");
}

#[test]
fn imports_with_renames_groups_and_globs() {
    let (db, _) = one(
        "mod axes_ { axes![S_decode = 32, D = 64, Q = 8]; pub fn helper() {} }
        mod a { use crate::axes_::{S_decode as S, D, self as all}; }
        mod b { use super::a::*; use super::axes_::*; }
        mod c { pub use super::axes_; use axes_::{helper, Q as _}; }
        mod d { use super::c::axes_::*; axes![D = 2]; }
        mod e { use self::inner::Y; mod inner { pub use super::super::axes_::Q as Y; } }",
    );
    let at = |name: &'static str| scope(&db, "kernel.rs", &[name]);
    assert_eq!(in_type(&db, &at("a"), "S"), "axis S_decode = 32");
    assert_eq!(in_type(&db, &at("a"), "S_decode"), "unknown");
    assert_eq!(in_type(&db, &at("a"), "all::D"), "axis D = 64");
    assert_eq!(in_type(&db, &at("b"), "S"), "axis S_decode = 32");
    assert_eq!(in_type(&db, &at("b"), "Q"), "axis Q = 8");
    assert_eq!(in_value(&db, &at("c"), "helper"), "fn helper");
    assert_eq!(in_type(&db, &at("c"), "helper"), "unknown");
    assert_eq!(in_type(&db, &at("c"), "Q"), "unknown");
    assert_eq!(in_type(&db, &at("d"), "Q"), "axis Q = 8");
    assert_eq!(
        in_type(&db, &at("d"), "D"),
        "axis D = 2",
        "a declaration goes before a glob"
    );
    assert_eq!(in_type(&db, &at("e"), "Y"), "axis Q = 8");
}

#[test]
fn library_and_unknown_crates() {
    let (db, _) = one("mod a { use furiosa_visa_std::prelude::*; }
        mod b { use super::a::*; }
        mod c { use somewhere::prelude::*; use elsewhere::{X, Y as Z}; }
        mod d { use furiosa_visa_std::Cast; extern crate furiosa_visa_std as std_; }
        mod e { use super::a::Missing; use super::gone::*; }");
    let at = |name: &'static str| scope(&db, "kernel.rs", &[name]);
    assert_eq!(in_type(&db, &at("a"), "DmTensor"), "library DmTensor");
    assert_eq!(in_type(&db, &at("b"), "DmTensor"), "library DmTensor");
    assert_eq!(
        in_type(&db, &at("a"), "stage::Logic"),
        "library stage::Logic"
    );
    assert_eq!(in_type(&db, &at("a"), "Q"), "unknown");
    assert_eq!(in_type(&db, &at("c"), "Q"), "unknown, perhaps from a glob");
    assert_eq!(in_type(&db, &at("c"), "X"), "external");
    assert_eq!(in_type(&db, &at("c"), "Z"), "external");
    assert_eq!(in_type(&db, &at("d"), "Cast"), "library Cast");
    assert_eq!(
        in_type(&db, &at("d"), "std_::runtime::X"),
        "library runtime::X"
    );
    assert_eq!(
        in_type(&db, &at("d"), "furiosa_visa_std::prelude::DmTensor"),
        "library DmTensor"
    );
    assert_eq!(
        in_type(&db, &at("e"), "Missing"),
        "external",
        "a broken import is not ours"
    );
    assert_eq!(in_type(&db, &at("e"), "Q"), "unknown, perhaps from a glob");
}

#[test]
fn import_cycles_end() {
    let (db, _) = one(
        "mod a { pub use super::b::*; pub use super::b::X as Y; pub use super::a::Z; }
        mod b { pub use super::a::*; pub use super::a::Y as X; axes![Q = 2]; }
        mod c { use x as y; use y as x; use c; }",
    );
    let at = |name: &'static str| scope(&db, "kernel.rs", &[name]);
    assert_eq!(in_type(&db, &at("a"), "Q"), "axis Q = 2");
    assert_eq!(in_type(&db, &at("a"), "Y"), "external");
    assert_eq!(in_type(&db, &at("a"), "Z"), "external");
    assert_eq!(in_type(&db, &at("a"), "W"), "unknown");
    assert_eq!(in_type(&db, &at("c"), "x"), "external");
}

#[test]
fn blocks_shadow_from_the_inside_out() {
    let text = "axes![A = 1, B = 2];
        fn f<E: M, const K: usize>() {
            place0;
            axes![A = 10];
            type T = m![A];
            { axes![A = 20]; place1; { type T = m![B]; place2; } }
            use names::*;
            fn inner<Q>() { place3; }
            const N: usize = 4;
        }
        fn g() { place4; }
        impl X<G> { fn h<H>() { place5; } }
        mod names { axes![C = 5, B = 6]; }";
    let (db, file) = one(text);
    let at = |kind: ItemKind, name: &str, place: &str| {
        let item = item(&db, file, kind, name);
        let offset = item_text(&db, item).text.find(place).unwrap();
        scope_at(&db, item, u32::try_from(offset).unwrap())
    };
    let function = |name: &str, place: &str| at(ItemKind::Function, name, place);
    let expected = [
        ("place0", "axis A = 10", "axis B = 6", "alias T"),
        ("place1", "axis A = 20", "axis B = 6", "alias T"),
        ("place2", "axis A = 20", "axis B = 6", "alias T"),
        ("place3", "axis A = 10", "axis B = 6", "alias T"),
    ];
    for (place, a, b, t) in expected {
        let scope = function("f", place);
        assert_eq!(in_type(&db, &scope, "A"), a, "{place}");
        assert_eq!(
            in_type(&db, &scope, "B"),
            b,
            "{place}: a glob of a block goes before the module"
        );
        assert_eq!(in_type(&db, &scope, "T"), t, "{place}");
        assert_eq!(in_type(&db, &scope, "C"), "axis C = 5", "{place}");
        assert_eq!(in_type(&db, &scope, "E"), "parameter E", "{place}");
        assert_eq!(in_value(&db, &scope, "K"), "parameter K", "{place}");
        assert_eq!(in_value(&db, &scope, "N"), "const N", "{place}");
    }
    assert_eq!(in_type(&db, &function("f", "place3"), "Q"), "parameter Q");
    assert_eq!(in_type(&db, &function("g", "place4"), "A"), "axis A = 1");
    assert_eq!(in_type(&db, &function("g", "place4"), "T"), "unknown");
    let method = at(ItemKind::Implementation, "", "place5");
    assert_eq!(in_type(&db, &method, "H"), "parameter H");

    let aliases: Vec<_> = ["place0", "place2"]
        .iter()
        .map(|place| resolve_path(&db, &function("f", place), &["T"], Namespace::Type))
        .collect();
    assert_ne!(aliases[0], aliases[1]);
    let texts: Vec<_> = aliases
        .iter()
        .map(|alias| {
            let crate::Resolution::Alias(alias) = alias else {
                panic!("no alias");
            };
            let text = item_text(&db, *alias);
            let owner = item_text(&db, text.owner);
            let span = text.full_span();
            assert_eq!(
                &owner.text[span.start as usize..span.end as usize],
                &*text.text
            );
            text.text.to_string()
        })
        .collect();
    assert_eq!(texts, ["type T = m![A];", "type T = m![B];"]);
}

#[test]
fn packages_name_each_other() {
    let db = project(
        &[
            ("one/src/lib.rs", "pub mod axes;"),
            ("one/src/axes.rs", "axes![A = 3];"),
            (
                "two/src/lib.rs",
                "use my_one::axes::A; use ::my_one::axes as x; use self::y::Z; mod y { pub use crate::A as Z; }",
            ),
            ("two/tests/t.rs", "use two::*;"),
        ],
        &[("my-one", "one"), ("two", "two")],
    );
    let lib = scope(&db, "two/src/lib.rs", &[]);
    assert_eq!(in_type(&db, &lib, "A"), "axis A = 3");
    assert_eq!(in_type(&db, &lib, "x::A"), "axis A = 3");
    assert_eq!(in_type(&db, &lib, "Z"), "axis A = 3");
    assert_eq!(
        in_type(&db, &scope(&db, "two/tests/t.rs", &[]), "Z"),
        "axis A = 3"
    );
}

#[test]
fn names_to_propose() {
    let (db, file) = one(
        "use other::*; mod far { axes![Hidden = 1, Seen = 2]; pub type Also = m![Seen]; pub fn no() {} }
        use far::*; use far::Hidden as Shown; axes![Near = 3]; fn f() { axes![Local = 4]; }",
    );
    let item = item(&db, file, ItemKind::Function, "f");
    let names = visible_type_names(&db, &scope_at(&db, item, 9));
    let names: Vec<&str> = names.iter().map(|name| &**name).collect();
    assert_eq!(names, ["Also", "Hidden", "Local", "Near", "Seen", "Shown"]);
}

#[test]
fn macros_and_cfg_make_names_uncertain() {
    let (db, file) = one(
        "mod a { make_axes!(Q); } mod b { thread_local! { static X: u8 = 1; } }
        mod c { #[cfg(x)] axes![A = 1]; #[cfg(not(x))] axes![A = 2]; #[cfg(x)] axes![B = 3]; #[cfg(not(x))] axes![B = 3]; }
        mod d { #[cfg(x)] type T = m![1]; #[cfg(not(x))] type T = m![4]; axes![A = 5, A = 6]; }
        fn f() { make!(); place; } fn g() { println!(\"x\"); place; }",
    );
    let at = |name: &'static str| scope(&db, "kernel.rs", &[name]);
    assert_eq!(in_type(&db, &at("a"), "Q"), "unknown, perhaps from a glob");
    assert_eq!(in_type(&db, &at("b"), "Q"), "unknown");
    assert_eq!(in_type(&db, &at("c"), "A"), "external");
    assert_eq!(in_type(&db, &at("c"), "B"), "axis B = 3");
    assert_eq!(in_type(&db, &at("d"), "T"), "external");
    assert_eq!(in_type(&db, &at("d"), "A"), "axis A = 5");
    let inside = |name: &str| {
        let item = item(&db, file, ItemKind::Function, name);
        let offset = item_text(&db, item).text.find("place").unwrap();
        scope_at(&db, item, u32::try_from(offset).unwrap())
    };
    assert_eq!(
        in_type(&db, &inside("f"), "Q"),
        "unknown, perhaps from a glob"
    );
    assert_eq!(in_type(&db, &inside("g"), "Q"), "unknown");
}

#[test]
fn modules_in_blocks_see_their_own_names() {
    let (db, file) =
        one("axes![A = 1]; fn f() { mod inner { axes![A = 2]; type T = m![A]; } place; }");
    let item = item(&db, file, ItemKind::Function, "f");
    let text = item_text(&db, item).text.to_string();
    let at = |needle: &str| {
        scope_at(
            &db,
            item,
            u32::try_from(text.find(needle).unwrap()).unwrap(),
        )
    };
    assert_eq!(in_type(&db, &at("type T"), "A"), "axis A = 2");
    assert_eq!(in_type(&db, &at("place"), "A"), "axis A = 1");
}

#[test]
fn a_block_is_out_of_sight_of_the_modules_in_it() {
    let (db, file) = one("axes![A = 1, D = 4];
        fn f() {
            axes![A = 10, B = 20];
            mod inner {
                axes![C = 30];
                fn g() {
                    place1;
                    mod innermost { use super::super::D as E; fn h() { place2; } }
                    { use super::*; place3; }
                }
            }
            use inner::C;
            place4;
        }");
    let item = item(&db, file, ItemKind::Function, "f");
    let text = item_text(&db, item).text.to_string();
    let at = |needle: &str| {
        let offset = text.find(needle).unwrap();
        scope_at(&db, item, u32::try_from(offset).unwrap())
    };
    let expected = [
        // A module sees itself alone.
        ("place1", ["unknown", "unknown", "axis C = 30"]),
        ("place2", ["unknown", "unknown", "unknown"]),
        // Outside of it is the file's module, whatever blocks are between.
        ("place3", ["axis A = 1", "unknown", "axis C = 30"]),
        ("place4", ["axis A = 10", "axis B = 20", "axis C = 30"]),
    ];
    for (place, meanings) in expected {
        let found = ["A", "B", "C"].map(|name| in_type(&db, &at(place), name));
        assert_eq!(found, meanings, "{place}");
    }
    let paths = [
        ("place1", "super::A", "axis A = 1"),
        ("place1", "super::B", "unknown"),
        ("place1", "self::C", "axis C = 30"),
        ("place1", "crate::A", "axis A = 1"),
        ("place2", "E", "axis D = 4"),
        ("place2", "super::C", "axis C = 30"),
        ("place2", "super::super::D", "axis D = 4"),
        ("place4", "inner::C", "axis C = 30"),
        ("place4", "self::A", "axis A = 1"),
    ];
    for (place, path, meaning) in paths {
        assert_eq!(in_type(&db, &at(place), path), meaning, "{place}: {path}");
    }
}

#[test]
fn functions_anywhere_are_functions() {
    let (db, file) = one(
        "fn a() { fn b() { let _ = || { fn c() {} }; } match 1 { _ => { fn d() {} } } }
        impl X { fn e(&self) { fn f() {} } const N: usize = { fn g() {} 1 }; }
        trait Y { fn h(); fn i() {} }
        const _: () = { fn j() {} mod k { fn l() {} } };
        static S: u8 = { impl X { fn m() {} } 1 };
        mod n { fn o() {} }
        macro_rules! p { () => { fn q() {} } }",
    );
    let names: Vec<String> = crate::file_functions(&db, file)
        .iter()
        .map(|function| function.name(&db).to_string())
        .collect();
    assert_eq!(names.join(" "), "a b c d e f g h i j l m o");
}
