//! Kernels that are in other functions, in constants and in `impl` blocks: everybody sees them as they see others.

use super::testing::{KERNEL, at_caret, everywhere, workspace};
use crate::EditorQuestions as _;
use crate::{ByteRange, HintLevel};

/// The kernel with its axes and aliases in the body of something.
fn inside(before: &str, after: &str) -> String {
    let (import, rest) = KERNEL.split_once("\n\n").expect("an import");
    format!("{import}\n\n{before}\n{rest}\n{after}\n")
}

/// The kernel in every kind of body.
fn bodies() -> Vec<String> {
    let method = |head: &str, foot: &str| {
        let (axes, kernel) = KERNEL.split_once("#[device").expect("a kernel");
        format!("{axes}\n{head}\n#[device{kernel}\n{foot}\n")
    };
    vec![
        inside("fn main() {", "}"),
        inside("#[test] fn checks() { let x = || {", "}; }"),
        inside("const _: () = {", "};"),
        inside("fn f(n: u8) { match n { 0 => {", "} _ => {} } }"),
        inside(
            "fn f() { mod own { use furiosa_visa_std::prelude::*;",
            "} }",
        ),
        method("struct Layer; impl Layer {", "}"),
        method("trait Layer {", "}"),
        method("fn f() { struct Layer; impl Layer {", "} }"),
    ]
}

#[test]
fn a_kernel_in_any_body_is_checked_and_costs_the_same() {
    let alone = workspace(KERNEL).analysis();
    let cost = alone.costs("kernel.rs").expect("costs");
    let operations = alone.check_file("kernel.rs").operations;
    assert_eq!((operations.resolved, operations.unresolved), (4, 0));
    for text in bodies() {
        let analysis = workspace(&text).analysis();
        let report = analysis.check_file("kernel.rs");
        assert_eq!(report.kernels, 1, "{text}");
        assert_eq!(report.operations, operations, "{text}");
        assert_eq!(report.syntax_errors, 0, "{text}");
        let own = analysis.costs("kernel.rs").expect("costs");
        let totals = |costs: &[crate::KernelCost]| {
            let totals = costs.iter().map(|cost| (cost.name.clone(), cost.total));
            totals.collect::<Vec<_>>()
        };
        assert_eq!(totals(&own), totals(&cost), "{text}");
        assert!(own[0].total.is_some());
    }
}

#[test]
fn a_fault_in_any_body_is_found_at_its_place() {
    for text in bodies() {
        // 15 of 16 values: no whole flits.
        let text = text.replace(
            "m![T, P / 8], m![P % 8]>()\n        .vector_init",
            "m![T], m![P % 8]>()\n        .vector_init",
        );
        let report = workspace(&text).analysis().check_file("kernel.rs");
        let place = text.find("collect::<m![T], ").expect("the fault");
        let found = report.diagnostics.iter().find(|found| {
            let range = found.range.start.byte as usize..found.range.end.byte as usize;
            found.default_level == crate::Level::Deny && (place..place + 60).contains(&range.start)
        });
        assert!(found.is_some(), "{text}: {:?}", report.diagnostics);
    }
}

#[test]
fn every_feature_sees_a_kernel_in_a_body() {
    for text in bodies() {
        let analysis = workspace(&text).analysis();
        let at = |needle: &str| u32::try_from(text.find(needle).expect("there")).expect("small");
        let lenses = analysis.lenses("kernel.rs").expect("lenses");
        assert_eq!(lenses.len(), 1, "{text}");
        assert_eq!(lenses[0].range.start, at("raise"));
        let hover = |needle: &str| {
            let hover = analysis.hover("kernel.rs", at(needle)).expect("an answer");
            hover.map_or_else(String::new, |hover| hover.markdown)
        };
        assert!(hover("raise").starts_with("kernel **`raise`**"), "{text}");
        let commit = hover("commit(0x1000)");
        assert!(commit.contains("commit"), "{text}: {commit}");
        assert!(!commit.contains("unknown"), "{commit}");
        let whole = ByteRange {
            start: 0,
            end: u32::try_from(text.len()).expect("small"),
        };
        let hints = analysis
            .inlay_hints("kernel.rs", whole, HintLevel::Line)
            .expect("hints");
        assert!(
            hints.iter().any(|hint| hint.label.contains("32 cycles")),
            "{text}: {hints:?}"
        );
        let symbols = analysis.document_symbols("kernel.rs").expect("symbols");
        let mut open: Vec<_> = symbols.iter().collect();
        let mut found = Vec::new();
        while let Some(symbol) = open.pop() {
            open.extend(&symbol.children);
            found.push((symbol.kind, symbol.name.clone(), symbol.children.len()));
        }
        // Its four operations.
        assert!(
            found.contains(&(crate::SymbolKind::Kernel, "raise".into(), 4)),
            "{text}: {found:?}"
        );
        let table = analysis
            .stage_table("kernel.rs", at("collect"))
            .expect("an answer");
        assert_eq!(table.map(|table| table.operations.len()), Some(1), "{text}");
        let calls = analysis
            .call_items("kernel.rs", at("raise"))
            .expect("calls");
        assert!(
            calls.len() == 1 && calls[0].name.ends_with("raise"),
            "{text}: {calls:?}"
        );
    }
}

#[test]
fn two_kernels_of_one_body_are_told_apart() {
    let kernel = |name: &str, address: &str| {
        format!(
            "#[device(chip = 1)] fn {name}(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![S]>) {{
                let y = x.to_dm::<m![1 # 2], m![S], m![1]>(&mut ctx.tdma, {address});
                y.to_hbm(&mut ctx.tdma, 1 << 28); }}"
        )
    };
    let text = format!(
        "use furiosa_visa_std::prelude::*; fn main() {{ axes![S = 256]; {} {} }}",
        kernel("one", "0"),
        kernel("two", "$04096")
    );
    let (text, analysis, at) = at_caret(&text);
    let report = analysis.check_file("kernel.rs");
    assert_eq!(report.kernels, 2);
    let names = |costs: Vec<crate::KernelCost>| costs.into_iter().map(|cost| cost.name);
    let costs = analysis.costs("kernel.rs").expect("costs");
    assert_eq!(names(costs).collect::<Vec<_>>(), ["one", "two"]);
    let cost = analysis.kernel_cost_at("kernel.rs", at).expect("an answer");
    assert_eq!(cost.map(|cost| cost.name).as_deref(), Some("two"), "{text}");
    let memory = analysis.memory_map("kernel.rs", at).expect("an answer");
    assert_eq!(memory.map(|memory| memory.kernel).as_deref(), Some("two"));
}

#[test]
fn no_text_is_too_strange() {
    everywhere(&bodies()[0], |analysis, at| {
        let _ = analysis.hover("kernel.rs", at).expect("an answer");
        let _ = analysis.document_symbols("kernel.rs").expect("an answer");
    });
}
