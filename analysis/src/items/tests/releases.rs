//! Mapping expressions of the successor's library, release by release.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::mappings::sites_of;
use super::project;
use crate::inputs::{PackageLibrary, PackageManifest};
use crate::items::{MappingProblemKind, file_items, mapping_sites};
use crate::libraries::Library;

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
fn of(minor: u16, mapping: &str) -> String {
    let text = format!("{HEAD} type X = m![{mapping}];");
    let db = database(minor, &text);
    let file = db.file("src/lib.rs").unwrap();
    sites_of(&db, file).pop().unwrap()
}

#[test]
fn constants_as_factors() {
    for minor in 4..=10 {
        assert_eq!(of(minor, "A / { N }"), "A / 4", "0.{minor}");
        assert_eq!(of(minor, "A # { sizes::Out::SIZE }"), "A # 16");
        assert_eq!(of(minor, "A #{0} { 2 * N + sizes::K * 4 }"), "A #{0} 16");
        assert_eq!(of(minor, "A % { H::SIZE }"), "A % 4");
        assert_eq!(of(minor, "A = { <m![A / 4, B]>::SIZE }"), "A = 4");
        assert_eq!(of(minor, "A / { const { N / 2 } }"), "A / 2");
        assert_eq!(of(minor, "A / { missing }"), "-; unresolved at missing");
        assert_eq!(
            of(minor, "A / { N - 1 }"),
            "-; stride 3 of 8 at / { N - 1 }"
        );
    }
    for minor in [2, 3] {
        assert_eq!(
            of(minor, "A / { N }"),
            "-; constant { N } of Some(4) at { N }"
        );
    }
}

#[test]
fn names_as_factors() {
    for minor in [8, 9, 10] {
        assert_eq!(of(minor, "A / B"), "A / 2");
        assert_eq!(of(minor, "1 #{!} W"), "1 #{!} 64");
        assert_eq!(of(minor, "A / (B)"), "A / 2");
        assert_eq!(of(minor, "A % (W / 16)"), "A % 4");
        assert_eq!(of(minor, "W / (W / (A / B))"), "W / 16");
        assert_eq!(of(minor, "W / (4)"), "W / 4");
        assert_eq!(of(minor, "W / ({ H })"), "W / 4");
        assert_eq!(of(minor, "A / Q"), "-; unknown Q [] at Q");
    }
    for minor in 2..8 {
        assert_eq!(of(minor, "A / B"), "-; grammar at B");
        assert_eq!(of(minor, "A / (Q)"), "-; grammar at (Q)");
    }
    // A bare constant is an axis that is not there from 0.8 on, and a fault of the grammar before.
    for minor in 2..=10 {
        assert_eq!(of(minor, "A / N"), "-; constant N of Some(4) at N");
    }
}

/// What has no size to take is refused also where an alias hides it.
#[test]
fn factors_are_counted() {
    assert_eq!(of(8, "W / ({ P })"), "-; grammar at ({ P })");
    assert_eq!(of(8, "W / (A % 2)"), "-; grammar at %");
    assert_eq!(of(8, "W / (A, B)"), "-; grammar at ,");
    assert_eq!(
        of(8, "W / ({ m![A # 16] } / 2)"),
        "-; grammar at ({ m![A # 16] } / 2)"
    );
}

#[test]
fn numbers_and_kinds() {
    assert_eq!(of(3, "2, A #{0} 16"), "2, A #{0} 16");
    assert_eq!(of(10, "[2, A] #{!} 32"), "[2, A] #{!} 32");
    assert_eq!(of(2, "2, A"), "-; grammar at 2");
    assert_eq!(of(2, "A #{!} 16"), "-; grammar at {!}");
    assert_eq!(of(2, "A,"), "A");
    assert_eq!(of(3, "0, A"), "-; ZeroSize at 0");
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
            assert!(!of(minor, mapping).is_empty());
        }
    }
    let entries: String = (0..5_000).map(|at| format!("A{at} = {at}, ")).collect();
    let text = format!("axes![{entries}]; type X = m![A4999 / A7];");
    let db = database(10, &text);
    let found = sites_of(&db, db.file("src/lib.rs").unwrap());
    assert_eq!(found[0], "zero A0 at 0");
    assert!(found[1].starts_with("-; stride 7 of 4999"), "{}", found[1]);
}
