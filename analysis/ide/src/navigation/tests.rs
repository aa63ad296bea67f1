//! Tests of definition and references; those of rename are with it.

use crate::EditorQuestions as _;
use crate::names::testing::{Marked, everywhere};

/// The caret's name is declared at the marked places.
#[track_caller]
fn check_definition(files: &[(&str, &str)]) {
    let marked = Marked::new(files);
    let (path, offset) = &marked.caret;
    let found = marked.analysis().definition(path, *offset).unwrap();
    assert_eq!(marked.lines(&found), marked.lines(&marked.marks));
}

/// The caret's name is at the marked places, from wherever of them it is asked.
#[track_caller]
fn check_references(files: &[(&str, &str)]) {
    let marked = Marked::new(files);
    let analysis = marked.analysis();
    let expected = marked.lines(&marked.marks);
    let (path, offset) = &marked.caret;
    let found = analysis.references(path, *offset, true).unwrap();
    assert_eq!(marked.lines(&found), expected);
    for mark in &marked.marks {
        for offset in [mark.range.start, mark.range.end] {
            let found = analysis.references(&mark.file, offset, true).unwrap();
            assert_eq!(
                marked.lines(&found),
                expected,
                "asked at {}",
                marked.show(mark)
            );
        }
    }
}

#[test]
fn definition_of_an_axis_in_a_mapping() {
    check_definition(&[(
        "kernel.rs",
        "axes![«A» = 8, B = 4]; type T = m![B, $0A / 2];",
    )]);
    check_definition(&[("kernel.rs", "axes![«A» = 8]; fn f() { i![A$0: 3]; }")]);
    check_definition(&[("kernel.rs", "axes![«$0A» = 8]; type T = m![A];")]);
    check_definition(&[("kernel.rs", "axes![«A» = 8]; fn f(x: Foo<$0A>) {}")]);
}

#[test]
fn definition_of_an_alias_only_inside_of_macros() {
    check_definition(&[(
        "kernel.rs",
        "axes![A = 8]; type «T» = m![A]; type U = m![{ $0T }];",
    )]);
    check_definition(&[("kernel.rs", "axes![A = 8]; type T = m![A]; fn f(x: $0T) {}")]);
}

#[test]
fn definition_of_constants_and_parameters_inside_of_macros() {
    check_definition(&[(
        "kernel.rs",
        "use furiosa_opt_std::prelude::*; axes![A = 8]; const «HALF»: usize = 4; type T = m![A / { $0HALF }];",
    )]);
    check_definition(&[(
        "kernel.rs",
        "fn f<«M»: Mapping>(x: DmTensor<bf16, m![$0M, 2]>) {}",
    )]);
    check_definition(&[(
        "kernel.rs",
        "const HALF: usize = 4; const N: usize = $0HALF;",
    )]);
}

#[test]
fn definition_across_files_imports_and_packages() {
    check_definition(&[
        ("a/src/lib.rs", "pub mod axes_; pub use axes_::*;"),
        ("a/src/axes_.rs", "axes![«Rows» = 8];"),
        ("b/src/lib.rs", "use a::Rows as R; type T = m![$0R];"),
    ]);
}

#[test]
fn references_in_macros_types_paths_and_arguments_of_other_macros() {
    check_references(&[(
        "kernel.rs",
        "axes![B = 2, «$0A» = 8];
        type T = m![«A» / 2, B, { Symbol<«A»> }, («A» % 2 # 4)];
        type U<A> = m![A];
        const N: usize = «A»::SIZE;
        fn f(x: &HbmTensor<bf16, m![1], m![«A»]>, r: Foo<«A»>) {
            x.fetch::<bf16, m![«A»], m![B]>();
            assert_eq!(<m![«A»]>::SIZE, self::«A»::SIZE, \"A\");
            i![«A»: 3];
            let a = Thing { A: 1 }; a.A; a.A(); // A
            A!();
        }
        #[doc(alias = \"A\")] #[foo(A)] mod inner { axes![A = 8]; type V = m![A]; type W = m![{ super::«A» }]; }
        impl X { type A = m![«A»]; }",
    )]);
}

#[test]
fn references_through_renames_globs_and_re_exports() {
    check_references(&[
        (
            "a/src/lib.rs",
            "pub mod axes_; pub use axes_::{«Rows», Cols}; mod x; mod y;",
        ),
        (
            "a/src/axes_.rs",
            "axes![«Rows» = 8, Cols = 4]; pub type Tile = m![«Rows», Cols];",
        ),
        (
            "a/src/x.rs",
            "use crate::*; type T = m![«$0Rows»]; mod deep { use super::*; type S = m![«Rows»]; }",
        ),
        (
            "a/src/y.rs",
            "use super::axes_::{self as all, «Rows» as «R»}; type T = m![«R», { all::«Rows» }]; fn f() { use super::«Rows» as «Q»; type L = m![«Q»]; } type M = m![Rows, Q];",
        ),
        ("b/src/lib.rs", "use ::a::y::«R» as «Z»; type T = m![«Z»];"),
        ("alone.rs", "axes![Rows = 8]; type T = m![Rows];"),
    ]);
}

#[test]
fn references_of_what_a_block_declares() {
    check_references(&[(
        "kernel.rs",
        "axes![A = 4]; type T = m![A];
        fn f() { axes![«A» = 8]; type T = m![«$0A»]; { type Inner = m![«A»]; axes![B = 2]; } }
        fn g() { type T = m![A]; }",
    )]);
    check_references(&[(
        "kernel.rs",
        "axes![A = 4]; type T = m![A]; fn f(x: Foo<T>) { type «T» = m![A # 8]; let x: Foo<«T»> = y::<m![«$0T»]>(); }",
    )]);
}

#[test]
fn references_of_an_alias_of_tensors() {
    check_references(&[(
        "kernel.rs",
        "axes![A = 4]; type «Weights» = DmTensor<bf16, m![1], m![A]>; fn f(x: &«$0Weights») -> «Weights» { g::<«Weights»>(x) }",
    )]);
}

#[test]
fn references_without_the_declaration() {
    let marked = Marked::one("axes![$0A = 8]; type T = m![«A»];");
    let (path, offset) = &marked.caret;
    let found = marked.analysis().references(path, *offset, false).unwrap();
    assert_eq!(marked.lines(&found), marked.lines(&marked.marks));
}

#[test]
fn a_name_that_is_declared_twice_has_its_declaration_only() {
    let marked = Marked::one("#[cfg(x)] axes![«$0A» = 8]; #[cfg(y)] axes![A = 4]; type T = m![A];");
    let (path, offset) = &marked.caret;
    let found = marked.analysis().references(path, *offset, true).unwrap();
    assert_eq!(marked.lines(&found), marked.lines(&marked.marks));
}

#[test]
fn after_a_byte_order_mark_and_letters_of_several_bytes() {
    check_references(&[(
        "kernel.rs",
        "\u{feff}/* größer */ axes![«A» = 8];\r\n/* é */ type Länge = m![«$0A»];\r\n",
    )]);
    check_references(&[(
        "kernel.rs",
        "type «r#Tile» = m![2]; type U = m![«$0Tile», «r#Tile»];",
    )]);
}

#[test]
fn anywhere_in_anything() {
    let text = include_str!("../../../../fixtures/kernels/right/helpers.rs");
    everywhere(text, |analysis, offset| {
        analysis.definition("kernel.rs", offset).unwrap();
        analysis.references("kernel.rs", offset, true).unwrap();
        let _ = analysis.prepare_rename("kernel.rs", offset).unwrap();
    });
}
