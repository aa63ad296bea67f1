use super::{item, one, project};
use crate::db::AnalysisDatabase;
use crate::inputs::SourceFile;
use crate::mapping::MappingError;
use crate::{
    ConstValue, ItemKind, MappingProblem, MappingProblemKind, SiteKind, alias_mapping, const_value,
    device_attribute, file_items, file_range, item_text, mapping_sites,
};

const AXES: &str = "axes![A = 8, B = 16, R = 13]; ";

/// A problem as `what at text`, where the text is that of the file.
fn show(db: &AnalysisDatabase, problem: &MappingProblem) -> String {
    let (file, start, end) = file_range(db, problem.span);
    let text = file.text(db);
    let place = text.get(start as usize..end as usize).unwrap_or("?");
    let kind = match &problem.kind {
        MappingProblemKind::Grammar { .. } => "grammar".to_owned(),
        MappingProblemKind::NamedConstant { text, value, .. } => {
            format!("constant {text} of {value:?}")
        }
        MappingProblemKind::UnknownAxis {
            name,
            nearest,
            silent,
            ..
        } => {
            let silent = if *silent { " silent" } else { "" };
            format!("unknown {name} {nearest:?}{silent}")
        }
        MappingProblemKind::Invalid(MappingError::StrideIndivisible { size, divisor }) => {
            format!("stride {divisor} of {size}")
        }
        MappingProblemKind::Invalid(MappingError::ModuloIndivisible { size, divisor }) => {
            format!("modulo {divisor} of {size}")
        }
        MappingProblemKind::Invalid(MappingError::PaddingShrinks { size, padded }) => {
            format!("pad {size} to {padded}")
        }
        MappingProblemKind::Invalid(MappingError::ResizeGrows { size, resized }) => {
            format!("grow {size} to {resized}")
        }
        MappingProblemKind::Invalid(error) => format!("{error:?}"),
        MappingProblemKind::OtherRole { name, wanted, .. } => format!("{name} is no {wanted:?}"),
        MappingProblemKind::CyclicAlias { name } => format!("cycle of {name}"),
        MappingProblemKind::UnresolvedEscape => "unresolved".to_owned(),
        MappingProblemKind::DuplicateAxis { name, .. } => format!("duplicate {name}"),
        MappingProblemKind::AxisSizeZero { name } => format!("zero {name}"),
        MappingProblemKind::AxisSizeOverflow { name } => format!("overflow {name}"),
    };
    format!("{kind} at {place}")
}

/// All sites of a file: their mappings and problems, as text.
fn sites(text: &str) -> Vec<String> {
    let (db, file) = one(text);
    sites_of(&db, file)
}

pub(super) fn sites_of(db: &AnalysisDatabase, file: SourceFile) -> Vec<String> {
    let items = file_items(db, file);
    let sites = items
        .items
        .iter()
        .flat_map(|item| mapping_sites(db, *item).to_vec());
    sites
        .filter(|site| site.kind != SiteKind::Axes || !site.problems.is_empty())
        .map(|site| {
            let mappings: Vec<String> = site
                .mappings
                .iter()
                .map(|mapping| {
                    mapping
                        .as_ref()
                        .map_or_else(|| "-".to_owned(), ToString::to_string)
                })
                .collect();
            let problems: Vec<String> = site
                .problems
                .iter()
                .map(|problem| show(db, problem))
                .collect();
            [mappings, problems].concat().join("; ")
        })
        .collect()
}

fn mapping_text(mapping: &str) -> String {
    sites(&format!("{AXES}type X = m![{mapping}];")).join(" | ")
}

#[test]
fn expressions_resolve() {
    assert_eq!(
        mapping_text("A / 4, [B # 32, 1] % 8 = 4"),
        "A / 4, [B # 32, 1] % 8 = 4"
    );
    assert_eq!(mapping_text("4, A"), "4, A");
    assert_eq!(mapping_text("{ A } / 2"), "A / 2");
    assert_eq!(mapping_text("{ m![A, B] } / 2"), "[A, B] / 2");
    assert_eq!(mapping_text("{ Identity }"), "-; unresolved at Identity");
    assert_eq!(mapping_text("{ A # 32 } / 2"), "-; unresolved at A # 32");
}

#[test]
fn faults_stand_at_their_operator() {
    assert_eq!(
        mapping_text("A  / /* no */ 3"),
        "-; stride 3 of 8 at / /* no */ 3"
    );
    assert_eq!(mapping_text("B, A % 5"), "-; modulo 5 of 8 at % 5");
    assert_eq!(mapping_text("[A, B] # 64"), "-; pad 128 to 64 at # 64");
    assert_eq!(mapping_text("A / 2 = 5"), "-; grow 4 to 5 at = 5");
    assert_eq!(mapping_text("A / 0"), "-; ZeroDivisor { size: 8 } at / 0");
    assert_eq!(
        mapping_text("A / 3, B / 3"),
        "-; stride 3 of 8 at / 3; stride 3 of 16 at / 3"
    );
    assert_eq!(
        mapping_text("A # 9223372036854775808, B"),
        "-; Overflow { outer: 9223372036854775808, inner: 16 } at A # 9223372036854775808, B"
    );
}

/// A constant is named where the macro stops at it, and nothing else is said of the place.
#[test]
fn constants_are_no_axes_and_no_operands() {
    let of = |mapping: &str| {
        let text = format!(
            "{AXES}const N: usize = 4; const K: usize = f(); type X = m![{mapping}]; fn g(i: usize) {{ i![{mapping}: i]; }}"
        );
        let found = sites(&text);
        assert_eq!(found[0], found[1], "m! and i! agree");
        found[0].clone()
    };
    assert_eq!(of("A / N"), "-; constant N of Some(4) at N");
    assert_eq!(
        of("A / { N / 2 }"),
        "-; constant { N / 2 } of Some(2) at { N / 2 }"
    );
    assert_eq!(of("[A % K, B]"), "-; constant K of None at K");
    assert_eq!(of("A / (N)"), "-; grammar at (N)");
    assert_eq!(of("[A, N]"), "-; constant N of Some(4) at N");
    assert_eq!(
        of("[N, A] / N"),
        "-; constant N of Some(4) at N; constant N of Some(4) at N"
    );
}

#[test]
fn unknown_names_and_broken_grammar() {
    assert_eq!(mapping_text("Aa, B"), "-; unknown Aa [\"A\"] at Aa");
    assert_eq!(
        mapping_text("A, Qqqqqq / 2"),
        "-; unknown Qqqqqq [] at Qqqqqq"
    );
    // One fault, one problem: what is wrong with an operand that only the successor takes is that it is there.
    assert_eq!(mapping_text("A / B"), "-; grammar at B");
    assert_eq!(mapping_text("A / (Qqqqqq)"), "-; grammar at (Qqqqqq)");
    assert_eq!(
        sites("use other::*; type X = m![A];"),
        ["-; unknown A [] silent at A"]
    );
    assert_eq!(
        sites("use other::A; type X = m![A];"),
        ["-; unknown A [] silent at A"]
    );
    assert_eq!(
        sites("fn f<A>() -> m![A, {A}] {}"),
        ["-; unresolved at A; unresolved at A"]
    );
    assert!(
        mapping_text("A, ").contains("grammar"),
        "{}",
        mapping_text("A, ")
    );
    assert!(
        mapping_text("A / 3 4").contains("stride 3 of 8"),
        "{}",
        mapping_text("A / 3 4")
    );
}

#[test]
fn names_of_the_library_are_no_axes() {
    let text =
        "use furiosa_visa_std::prelude::*; use std::fmt::*; axes![N = 2]; type X = m![M, n];";
    // A letter is similar to none but itself.
    assert_eq!(
        sites(text),
        ["-; unknown M [] at M; unknown n [\"N\"] at n"]
    );
}

#[test]
fn the_second_library_has_lower_case_axes_and_wide_indices() {
    let text = "use furiosa_opt_std::prelude::*; axes![rows = 8, Z = 99999999999999999999]; fn f() { i![rows / (rows): 0, 4: 1]; }";
    assert_eq!(
        sites(text),
        ["overflow Z at 99999999999999999999", "rows / 8; 4"]
    );
}

#[test]
fn renamed_axes_keep_their_identity() {
    let text = "mod axes_ { axes![S_decode = 32]; } use axes_::S_decode as S; type X = m![S / 4];";
    assert_eq!(sites(text), ["S_decode / 4"]);
}

#[test]
fn aliases_are_followed_and_keep_their_faults() {
    let text = "axes![A = 8]; mod a { pub type Slice = m![super::A_ / 4]; }
        type Good = m![A / 2 # 8]; type Same = Good; type Use = m![{ Same } % 4, Same];
        type Bad = m![A / 3]; type BadUse = m![{ Bad }, A]; type Copy = Bad;
        type Tensor = DmTensor<i8, m![A]>; type Odd = m![{ Tensor }];";
    let found = sites(text);
    assert_eq!(found.get(1).map(String::as_str), Some("A / 2 # 8"));
    assert_eq!(
        found.get(2).map(String::as_str),
        Some("A / 2 # 8 % 4, A / 2 # 8")
    );
    assert_eq!(
        found.get(3).map(String::as_str),
        Some("-; stride 3 of 8 at / 3")
    );
    assert_eq!(
        found.get(4).map(String::as_str),
        Some("-"),
        "the fault is the alias's"
    );
    assert_eq!(
        found.get(6).map(String::as_str),
        Some("-; unresolved at Tensor")
    );
    let (db, file) = one(text);
    let same = item(&db, file, ItemKind::Alias, "Same");
    assert_eq!(
        alias_mapping(&db, same)
            .mapping
            .as_ref()
            .map(crate::mapping::Mapping::size),
        Some(8)
    );
    let copy = item(&db, file, ItemKind::Alias, "Copy");
    assert_eq!(alias_mapping(&db, copy).problems, []);
}

#[test]
fn cyclic_aliases_are_reported_at_the_alias() {
    let text =
        "axes![A = 8]; type X = m![{ Y } / 2]; type Y = m![X, A]; type Z = m![{ X }]; type W = W;";
    let (db, file) = one(text);
    let problems = |name: &str| -> Vec<String> {
        let alias = item(&db, file, ItemKind::Alias, name);
        let result = alias_mapping(&db, alias);
        assert_eq!(result.mapping, None);
        result
            .problems
            .iter()
            .map(|problem| show(&db, problem))
            .collect()
    };
    assert_eq!(problems("X"), ["cycle of X at X"]);
    assert_eq!(problems("Y"), ["cycle of Y at Y"]);
    assert_eq!(problems("W"), ["cycle of W at W"]);
    assert_eq!(problems("Z"), [""; 0]);
    assert_eq!(
        sites("fn f() { type W = W; type V = m![{ V }]; } type U = U;"),
        [
            "-; cycle of W at W",
            "-; cycle of V at V",
            "-",
            "-; cycle of U at U"
        ]
    );
    let mut chain = String::from("axes![A = 8]; type T0 = m![A];");
    for index in 1..3_000 {
        chain.push_str(&format!("type T{index} = m![{{ T{} }}];", index - 1));
    }
    let (db, file) = one(&chain);
    let size = |name: &str| {
        alias_mapping(&db, item(&db, file, ItemKind::Alias, name))
            .mapping
            .as_ref()
            .map(crate::mapping::Mapping::size)
    };
    assert_eq!(size("T2999"), None);
    assert_eq!(size("T40"), Some(8));
}

#[test]
fn sites_are_everywhere_but_in_macro_definitions() {
    let text = "axes![A = 8];
        macro_rules! t { ($x:ident) => { m![$x / 3] }; }
        #[test] fn f() {
            axes![A = 4, B = 2];
            macro_rules! u { () => { m![A / 3] }; }
            let x: T<m![A, B]> = y.z::<m!{B}>(i![A / 2: 1, B: 0]);
            assert_eq!(<m![A]>::SIZE, 4); vec![<m![A / 8]>::SIZE; 2];
            fn inner() { type L = m![A / 3]; }
        }
        impl P { const N: usize = <m![A]>::SIZE; }";
    assert_eq!(
        sites(text),
        [
            "A, B",
            "B",
            "A / 2; B",
            "A",
            "-; stride 8 of 4 at / 8",
            "-; stride 3 of 4 at / 3",
            "A",
        ]
    );
}

#[test]
fn declarations_of_axes_are_checked() {
    assert_eq!(
        sites("axes![A = 8, B = 0, A = 9, C = 99999999999999999999];"),
        ["zero B at 0; overflow C at 99999999999999999999; duplicate A at A"]
    );
    assert!(sites("axes![A = , B = 2];").join("").contains("grammar"));
}

#[test]
fn sizes_in_constants() {
    let text = "axes![A = 8, B = 16]; type Tile = m![A / 2, B]; mod m_ { pub type Other = super::Tile; }
        const A1: usize = <m![A, B # 32]>::SIZE; const A2: usize = Tile::SIZE * A::SIZE;
        const A3: usize = m_::Other::SIZE; const A4: usize = <Tile>::SIZE; const A5: usize = <m![A / 3]>::SIZE;
        fn f() { axes![A = 2]; const A6: usize = <m![A, B]>::SIZE; }";
    let (db, file) = one(text);
    let value = |name: &str| const_value(&db, item(&db, file, ItemKind::Constant, name)).clone();
    assert_eq!(value("A1"), ConstValue::Int(256));
    assert_eq!(value("A2"), ConstValue::Int(512));
    assert_eq!(value("A3"), ConstValue::Int(64));
    assert_eq!(value("A4"), ConstValue::Int(64));
    assert!(matches!(value("A5"), ConstValue::Unknown(_)));
    let function = item(&db, file, ItemKind::Function, "f");
    let locals = crate::block_scopes(&db, function);
    let local = locals
        .locals
        .iter()
        .find(|local| &*local.id.name(&db) == "A6")
        .unwrap();
    assert_eq!(const_value(&db, local.id), &ConstValue::Int(32));
}

#[test]
fn factors_of_the_second_library() {
    let text = "use furiosa_opt_std::prelude::*; axes![A = 8, B = 2]; const N: usize = 4;
        type X = m![A / { N }, A % B, A / (B), A # { 2 * N * B::SIZE }, A / { missing },];";
    let found = sites(text).join("");
    assert_eq!(found, "-; unresolved at missing");
    let text = text.replace("A / { missing },", "");
    assert_eq!(sites(&text), ["A / 4, A % 2, A / 2, A # 16"]);
}

#[test]
fn device_attributes() {
    let (db, file) = one(
        "#[device(chip = 0x4, pe = 2)] fn a() {} #[device] fn b() {} #[device(chip = N)] fn c() {} fn d() {}
        #[inline] #[furiosa_visa_std::prelude::device(chip = 1)] fn e() {}",
    );
    let attribute = |name: &str| device_attribute(&db, item(&db, file, ItemKind::Function, name));
    let shown = |name: &str| attribute(name).map(|attribute| (attribute.chips, attribute.pe));
    assert_eq!(shown("a"), Some((Some(4), Some(2))));
    assert_eq!(shown("b"), Some((None, None)));
    assert_eq!(shown("c"), Some((None, None)));
    assert_eq!(shown("d"), None);
    assert_eq!(shown("e"), Some((Some(1), None)));
    let span = attribute("a").unwrap().span;
    let text = item_text(&db, span.item);
    assert_eq!(
        &text.text[span.start as usize..span.end as usize],
        "chip = 0x4, pe = 2"
    );
}

#[test]
fn half_typed_macros_do_not_stop_the_rest() {
    for broken in [
        "m![A, ",
        "m![A /",
        "m![A # ",
        "m![[A",
        "m![{ A",
        "axes![",
        "axes![Q",
        "axes![Q =",
        "i![A:",
        "i![",
        "m!",
        "m![",
    ] {
        let text = format!(
            "axes![A = 8];\nfn g() {{ let y: T<m![A / 3]>; }}\nfn f() {{ let x: T<{broken} }}\ntype Z = m![A / 5];\n"
        );
        let found = sites(&text).join(" | ");
        assert!(found.contains("stride 3 of 8"), "{broken}: {found}");
    }
}

#[test]
fn axes_of_another_file() {
    let db = project(
        &[
            (
                "lib.rs",
                "mod axes_; use axes_::*; type X = m![Rows / 4, Cols];",
            ),
            ("axes_.rs", "axes![Rows = 64, Cols = 2];"),
        ],
        &[],
    );
    let file = db.file("lib.rs").unwrap();
    let alias = item(&db, file, ItemKind::Alias, "X");
    assert_eq!(
        alias_mapping(&db, alias)
            .mapping
            .as_ref()
            .map(crate::mapping::Mapping::size),
        Some(32)
    );
}
