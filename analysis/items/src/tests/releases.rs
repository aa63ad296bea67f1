//! Mapping expressions of the successor's library, release by release.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::mappings::sites_of;
use super::project;
use crate::inputs::{PackageLibrary, PackageManifest};
use crate::libraries::Library;
use crate::{MappingProblemKind, file_items, mapping_sites};

const HEAD: &str = "use furiosa_opt_std::prelude::*; axes![A = 8, B = 2, W = 64]; const N: usize = 4; \
                    mod sizes { pub const K: usize = 2; axes![Out = 16]; } type H = m![A / 2]; type P = m![A, B];";

fn database(minor: u16, text: &str) -> crate::db::AnalysisDatabase {
    let mut db = project(&[("src/lib.rs", text)], &[]);
    let library = PackageLibrary {
        library: Library::OptStd,
        named: Some(Arc::from("a test names it")),
        through: false,
        renamed: None,
        release: Some((format!("0.{minor}").into(), Arc::from("a test fixes it"))),
        without: None,
        place: None,
    };
    let manifest = PackageManifest {
        name: Arc::from("kernels"),
        libraries: Arc::from([library]),
        problem: None,
    };
    db.set_manifests(&BTreeMap::from([(Arc::from(""), manifest)]));
    db
}

/// The site of one more alias over what `HEAD` declares.
fn release_text(minor: u16, mapping: &str) -> String {
    let text = format!("{HEAD} type X = m![{mapping}];");
    let db = database(minor, &text);
    let file = db.file("src/lib.rs").unwrap();
    sites_of(&db, file).pop().unwrap()
}

#[test]
fn constants_as_factors() {
    for minor in 4..=10 {
        assert_eq!(release_text(minor, "A / { N }"), "A / 4", "0.{minor}");
        assert_eq!(release_text(minor, "A # { sizes::Out::SIZE }"), "A # 16");
        assert_eq!(
            release_text(minor, "A #{0} { 2 * N + sizes::K * 4 }"),
            "A #{0} 16"
        );
        assert_eq!(release_text(minor, "A % { H::SIZE }"), "A % 4");
        assert_eq!(release_text(minor, "A = { <m![A / 4, B]>::SIZE }"), "A = 4");
        assert_eq!(release_text(minor, "A / { const { N / 2 } }"), "A / 2");
        assert_eq!(
            release_text(minor, "A / { missing }"),
            "-; unresolved at missing"
        );
        assert_eq!(
            release_text(minor, "A / { N - 1 }"),
            "-; stride 3 of 8 at / { N - 1 }"
        );
    }
    for minor in [2, 3] {
        assert_eq!(
            release_text(minor, "A / { N }"),
            "-; constant { N } of Some(4) at { N }"
        );
    }
}

#[test]
fn names_as_factors() {
    for minor in [8, 9, 10] {
        assert_eq!(release_text(minor, "A / B"), "A / 2");
        assert_eq!(release_text(minor, "1 #{!} W"), "1 #{!} 64");
        assert_eq!(release_text(minor, "A / (B)"), "A / 2");
        assert_eq!(release_text(minor, "A % (W / 16)"), "A % 4");
        assert_eq!(release_text(minor, "W / (W / (A / B))"), "W / 16");
        assert_eq!(release_text(minor, "W / (4)"), "W / 4");
        assert_eq!(release_text(minor, "W / ({ H })"), "W / 4");
        assert_eq!(release_text(minor, "A / Q"), "-; unknown Q [] at Q");
    }
    for minor in 2..8 {
        assert_eq!(release_text(minor, "A / B"), "-; grammar at B");
        assert_eq!(release_text(minor, "A / (Q)"), "-; grammar at (Q)");
    }
    // A bare constant is an axis that is not there from 0.8 on, and a fault of the grammar before.
    for minor in 2..=10 {
        assert_eq!(
            release_text(minor, "A / N"),
            "-; constant N of Some(4) at N"
        );
    }
}

/// What has no size to take is refused also where an alias hides it.
#[test]
fn factors_are_counted() {
    assert_eq!(release_text(8, "W / ({ P })"), "-; grammar at ({ P })");
    assert_eq!(release_text(8, "W / (A % 2)"), "-; grammar at %");
    assert_eq!(release_text(8, "W / (A, B)"), "-; grammar at ,");
    assert_eq!(
        release_text(8, "W / ({ m![A # 16] } / 2)"),
        "-; grammar at ({ m![A # 16] } / 2)"
    );
}

#[test]
fn numbers_and_kinds() {
    assert_eq!(release_text(3, "2, A #{0} 16"), "2, A #{0} 16");
    assert_eq!(release_text(10, "[2, A] #{!} 32"), "[2, A] #{!} 32");
    assert_eq!(release_text(2, "2, A"), "-; grammar at 2");
    assert_eq!(release_text(2, "A #{!} 16"), "-; grammar at {!}");
    assert_eq!(release_text(2, "A,"), "A");
    assert_eq!(release_text(3, "0, A"), "-; ZeroSize at 0");
}

/// Generic parameters are unknown where no instantiation says them, and no fault.
#[test]
fn generic_factors_are_open() {
    let text = "use furiosa_opt_std::prelude::*; axes![W = 64];
        fn f<Factor: AxisName, const N: usize>(x: T<m![W / Factor, W / (Factor / 2), W / { N }, 1 # Factor]>) {}";
    let db = database(8, text);
    let file = db.file("src/lib.rs").unwrap();
    let problems: Vec<_> = file_items(&db, file)
        .items
        .iter()
        .flat_map(|item| mapping_sites(&db, *item).to_vec())
        .flat_map(|site| site.problems)
        .collect();
    assert_eq!(problems.len(), 4, "{problems:?}");
    for problem in problems {
        assert_eq!(problem.kind, MappingProblemKind::UnresolvedEscape);
    }
}

#[test]
fn axes_of_a_release() {
    let sites = |minor: u16, text: &str| {
        let db = database(minor, text);
        sites_of(&db, db.file("src/lib.rs").unwrap())
    };
    let text =
        "axes![rows = 8, Cols = 0x10, D = 1_024, E = 8usize,]; type X = m![rows, Cols, D / E];";
    assert_eq!(sites(10, text), ["rows, Cols, D / 8"]);
    assert_eq!(sites(8, text), ["grammar at rows", "rows, Cols, D / 8"]);
    assert_eq!(
        sites(9, "axes![]; axes![A = 2, B = 3, A = 4];"),
        ["duplicate A at A"]
    );
    assert_eq!(
        sites(
            9,
            "axes![_a = 2, A = N, B = 4 * 2, C = 2,, D = 3]; type X = m![D, B];"
        ),
        [
            "grammar at _a; grammar at N; grammar at *; grammar at ,",
            "D, B"
        ]
    );
}

/// The note at the first of two declarations.
#[test]
fn a_duplicate_points_at_the_first() {
    let db = database(8, "axes![A = 2, B = 3, A = 4];");
    let file = db.file("src/lib.rs").unwrap();
    let items = file_items(&db, file);
    let sites = mapping_sites(&db, items.items[0]);
    let [problem] = sites[0].problems.as_slice() else {
        panic!("{sites:?}");
    };
    let MappingProblemKind::DuplicateAxis { first, .. } = problem.kind else {
        panic!("{problem:?}");
    };
    assert!(first.start < problem.span.start && first.end - first.start == 1);
}

#[test]
fn hostile_expressions_end() {
    let nested = format!("W / {}B{}", "(W / ".repeat(50), ")".repeat(50));
    let long = format!("A{}", ", A / B".repeat(2_000));
    for mapping in [
        nested.as_str(),
        &long,
        "größe / ß",
        "A / { ü }",
        "A # {",
        "W / (W / (W",
    ] {
        for minor in [2, 7, 10] {
            assert!(!release_text(minor, mapping).is_empty());
        }
    }
    let entries: String = (0..5_000).map(|at| format!("A{at} = {at}, ")).collect();
    let text = format!("axes![{entries}]; type X = m![A4999 / A7];");
    let db = database(10, &text);
    let found = sites_of(&db, db.file("src/lib.rs").unwrap());
    assert_eq!(found[0], "zero A0 at 0");
    assert!(found[1].starts_with("-; stride 7 of 4999"), "{}", found[1]);
}

/// The sites of one more item over what `HEAD` declares.
fn with(item: &str) -> Vec<String> {
    let db = database(8, &format!("{HEAD} {item}"));
    let mut sites = sites_of(&db, db.file("src/lib.rs").unwrap());
    sites.drain(..2);
    sites
}

#[test]
fn generic_aliases_are_written_out() {
    let of = |alias: &str, used: &str| {
        with(&format!("{alias} type X = m![{used}];"))
            .pop()
            .unwrap()
    };
    let table = "type Table<S> = m![{ S }, 1 # 8];";
    assert_eq!(of(table, "{ Table<m![A / 2]> }"), "A / 2, 1 # 8");
    assert_eq!(of(table, "B, { Table<A> } / 4"), "B, [A, 1 # 8] / 4");
    assert_eq!(of(table, "{ Table<H> }"), "A / 2, 1 # 8");
    assert_eq!(of(table, "{ Table<Table<A>> }"), "[A, 1 # 8], 1 # 8");
    assert_eq!(of(table, "{ Table<Missing> }"), "-");
    assert_eq!(of(table, "{ Table }"), "-");
    let tiled = "type Tiled<S, const T: usize> = m![{ S } / { T }, { S } % { T }];";
    assert_eq!(of(tiled, "{ Tiled<A, 2> }"), "A / 2, A % 2");
    assert_eq!(of(tiled, "{ Tiled<W, { N * 2 }> }"), "W / 8, W % 8");
    assert_eq!(of(tiled, "{ Tiled<W, N> }"), "W / 4, W % 4");
    assert_eq!(of(tiled, "{ Tiled<A, 3> }"), "-");
    let sized = "type Rows<F> = m![W / F, W % (F / 2), 1 # { F::SIZE }];";
    assert_eq!(of(sized, "{ Rows<A> }"), "W / 8, W % 4, 1 # 8");
    // In a module of its own, names are those of the alias.
    let apart = "mod far { axes![A = 3]; pub type Far<S> = m![A, { S }]; }";
    assert_eq!(of(apart, "{ far::Far<A> }"), "A, A");
}

#[test]
fn sizes_of_generic_aliases_are_constants() {
    let sites = with(
        "type Table<S> = m![{ S }, 1 # 8]; const ROW: usize = <Table<m![A]>>::SIZE / 2;
         const HALF: usize = const { W::SIZE / 2 }; type X = m![W # { ROW * 2 }, W / { HALF }, A = { <m![B, 2]>::SIZE }];",
    );
    assert_eq!(
        sites.last().map(String::as_str),
        Some("W # 64, W / 32, A = 4")
    );
}

/// Cycles, chains that double at every step, and long ones end.
#[test]
fn hostile_generic_aliases_end() {
    let cyclic =
        "type C<S> = m![{ D<S> }]; type D<S> = m![{ C<S> }, { C<S> }]; type X = m![{ C<A> }];";
    let sites = with(cyclic);
    assert!(sites.iter().all(|site| site.starts_with('-')), "{sites:?}");
    let own = "type C<S> = m![{ C<m![{ S }, { S }]> }]; type X = m![{ C<A> }];";
    assert!(with(own).iter().all(|site| site.starts_with('-')));
    let mut doubling = String::from("type T0<S> = m![{ S }];");
    for at in 1..40 {
        let before = at - 1;
        doubling.push_str(&format!(
            "type T{at}<S> = m![{{ T{before}<S> }}, {{ T{before}<S> }}];"
        ));
    }
    let sites = with(&format!(
        "{doubling} type X = m![{{ T39<A> }}]; type Y = m![{{ T3<2> }}, {{ T3<B> }}];"
    ));
    let [.., last, other] = sites.as_slice() else {
        panic!("{sites:?}");
    };
    assert!(last.starts_with('-'), "{last}");
    assert!(other.starts_with('-'), "a number is no type: {other}");
    let mut chain = String::from("type T0<S> = m![{ S }];");
    for at in 1..2_000 {
        chain.push_str(&format!("type T{at}<S> = m![{{ T{}<S> }}];", at - 1));
    }
    let sites = with(&format!(
        "{chain} type X = m![{{ T1999<A> }}]; type Y = m![{{ T12<A> }}];"
    ));
    assert_eq!(sites.last().map(String::as_str), Some("A"));
}

/// Axes declared in a module beside imported ones of the same name.
#[test]
fn axes_inside_modules_and_functions() {
    let sites = with(
        "mod inner { use super::*; axes![C = 3]; pub type Y = m![A, C]; fn f() { axes![A = 5]; type Z = m![A, C, B]; } }
         fn g() { use inner::C; axes![B = 7]; type V = m![A, B, C]; }",
    );
    assert_eq!(sites, ["A, C", "A, C, B", "A, B, C"]);
}
