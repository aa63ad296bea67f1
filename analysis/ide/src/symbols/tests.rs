//! Tests of outlines and of declarations by name.

use crate::EditorQuestions as _;
use crate::SymbolKind;
use crate::names::testing::{Marked, everywhere};
use crate::testing::KERNEL;
use crate::{Symbol, Workspace};

/// An outline as lines: the kind, the name, the detail; what is inside is indented.
fn lines(symbols: &[Symbol], text: &str, depth: usize, lines: &mut Vec<String>) {
    for symbol in symbols {
        let detail = symbol
            .detail
            .as_ref()
            .map_or_else(String::new, |detail| format!(": {detail}"));
        let indent = "  ".repeat(depth);
        lines.push(format!("{indent}{:?} {}{detail}", symbol.kind, symbol.name));
        let (range, selection) = (symbol.range, symbol.selection);
        assert!(range.start <= selection.start && selection.end <= range.end);
        let selected = &text[selection.start as usize..selection.end as usize];
        if symbol.kind != SymbolKind::Operation {
            assert_eq!(selected, symbol.name);
        }
        for child in &symbol.children {
            assert!(range.start <= child.range.start && child.range.end <= range.end);
        }
        self::lines(&symbol.children, text, depth + 1, lines);
    }
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let mut workspace = Workspace::new();
    workspace.set_files([("kernel.rs", text)]);
    let symbols = workspace.analysis().document_symbols("kernel.rs").unwrap();
    let mut found = Vec::new();
    lines(&symbols, text, 0, &mut found);
    assert_eq!(found, expected);
}

#[test]
fn a_kernel_with_its_operations() {
    let mut workspace = Workspace::new();
    workspace.set_files([("kernel.rs", KERNEL)]);
    let symbols = workspace.analysis().document_symbols("kernel.rs").unwrap();
    let cost = workspace.analysis().costs("kernel.rs").unwrap().remove(0);
    let mut found = Vec::new();
    lines(&symbols, KERNEL, 0, &mut found);
    let cycles =
        |number: Option<u64>| format!("{} cycles", crate::numbers::thousands(number.unwrap()));
    let mut expected = vec![
        "Axis S: 256".to_owned(),
        "Axis T: 4".to_owned(),
        "Axis P: 16".to_owned(),
        "Alias Chip: 1".to_owned(),
        "Alias Half: 2".to_owned(),
        "Alias Block".to_owned(),
        format!("Kernel raise: {}", cycles(cost.total)),
    ];
    let names = ["to_dm x", "to_vrf operand", "commit sum", "to_hbm sum"];
    for (name, row) in names.iter().zip(&cost.operations) {
        expected.push(format!("  Operation {name}: {}", cycles(row.cycles)));
    }
    assert_eq!(found, expected);
    let commit = &symbols[6].children[2];
    let text = &KERNEL[commit.range.start as usize..commit.range.end as usize];
    assert!(
        text.starts_with("begin(") && text.ends_with("commit"),
        "{text}"
    );
}

#[test]
fn what_stands_in_modules_and_blocks() {
    check(
        "type Plain = u32;
        mod sizes { axes![A = 1_000, B = 4]; mod empty { fn f() {} } pub mod tiles { use super::*; type Tile = m![A / 10, B]; } }
        const HALF: usize = 2; const OTHER: usize = 3;
        fn helper(x: DmTensor<bf16, m![1]>) { axes![C = 8]; type Local = m![C / { HALF }];
            fn inner() {} fn moving(x: DmTensor<bf16, m![1]>) { axes![D = 16]; } }
        impl Layer { fn method(x: DmTensor<bf16, m![1]>) { type Own = m![1 # { HALF }]; } }
        fn other() {}
        use furiosa_opt_std::prelude::*;",
        &[
            "Module sizes",
            "  Axis A: 1,000",
            "  Axis B: 4",
            "  Module tiles",
            "    Alias Tile: 400",
            "Constant HALF: 2",
            "Function helper",
            "  Axis C: 8",
            "  Alias Local: 4",
            "  Function moving",
            "    Axis D: 16",
            "Function method",
            "  Alias Own: 2",
        ],
    );
}

/// The names that fit a query, with what is around them.
#[track_caller]
fn check_search(query: &str, expected: &[&str]) {
    let marked = Marked::new(&[
        (
            "a/src/lib.rs",
            "mod deep { axes![Rows = 4, Columns = 8]; } type RowTile = m![4]; type Arrow = m![2];",
        ),
        (
            "a/src/more.rs",
            "axes![Row = 2]; #[device(chip = 1)] fn narrow(ctx: &mut Context) { axes![R_o_w = 2]; } const ROW: usize = 1;",
        ),
    ]);
    let found = marked.analysis().workspace_symbols(query).unwrap();
    let found: Vec<String> = found
        .iter()
        .map(|symbol| {
            let shown = marked.show(&symbol.place);
            assert!(shown.ends_with(&format!("`{}`", symbol.name)), "{shown}");
            let container = symbol
                .container
                .as_ref()
                .map_or_else(String::new, |name| format!(" in {name}"));
            format!("{}{container}", symbol.name)
        })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn declarations_by_name_the_best_first() {
    check_search(
        "row",
        &[
            "Row",
            "Rows in deep",
            "RowTile",
            "Arrow",
            "narrow",
            "R_o_w in narrow",
        ],
    );
    check_search("Rows", &["Rows in deep"]);
    check_search("clm", &["Columns in deep"]);
    check_search("zz", &[]);
    check_search(
        " ",
        &[
            "Row",
            "Rows in deep",
            "Arrow",
            "R_o_w in narrow",
            "narrow",
            "Columns in deep",
            "RowTile",
        ],
    );
}

#[test]
fn no_more_than_a_thousand() {
    let axes: Vec<String> = (0..1_200).map(|number| format!("A{number} = 2")).collect();
    let marked = Marked::one(&format!("axes![{}];", axes.join(", ")));
    assert_eq!(
        marked.analysis().workspace_symbols("a").unwrap().len(),
        1_000
    );
}

#[test]
fn in_anything() {
    let text = include_str!("../../../../fixtures/kernels/right/loops.rs");
    everywhere(text, |analysis, offset| {
        if offset == 0 {
            analysis.document_symbols("kernel.rs").unwrap();
            analysis.workspace_symbols("a").unwrap();
        }
    });
}
