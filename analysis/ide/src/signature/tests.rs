//! Signatures in small kernels, with the cursor at `$0`.

use crate::EditorQuestions as _;
use crate::SignatureHelp;
use crate::workspace::Workspace;

fn signature(text: &str) -> Option<SignatureHelp> {
    let text = format!("use furiosa_visa_std::prelude::*;\naxes![N = 2048, K = 64];\n{text}");
    let offset = text.find("$0").expect("a cursor");
    let text = text.replacen("$0", "", 1);
    let mut workspace = Workspace::new();
    workspace.set_file("kernel.rs", &text);
    workspace
        .analysis()
        .signature_help("kernel.rs", u32::try_from(offset).expect("a short text"))
        .expect("an answer")
}

/// Checks the signature, and the parameter that the cursor is in.
fn check(text: &str, label: &str, active: Option<&str>) {
    let found = signature(text).unwrap_or_else(|| panic!("no signature in {text}"));
    assert_eq!(found.label, label, "{text}");
    let parameter = found
        .active
        .and_then(|active| found.parameters.get(active as usize));
    let part = parameter.and_then(|parameter| {
        let (start, end) = parameter.label;
        found.label.get(start as usize..end as usize)
    });
    assert_eq!(part, active, "{text}");
}

const FETCH: &str = "fetch::<D2, Time2, Packet2>()";

/// A function that has a stream `x`.
fn stream(rest: &str) -> String {
    format!(
        "fn f(x: BeginTensor<'_, {{ Tu::Main }}, bf16, m![1], m![1 # 2], m![1 # 256], m![1], m![N, K]>) {{ {rest}"
    )
}

#[test]
fn commas_outside_of_mappings_count() {
    for (text, active) in [
        ("x.fetch::<$0", Some("D2")),
        ("x.fetch::<bf16, $0>() }", Some("Time2")),
        ("x.fetch::<bf16, m![N, K$0], m![1]>() }", Some("Time2")),
        (
            "x.fetch::<bf16, m![[N, K] # 64, {E}], m![$0",
            Some("Packet2"),
        ),
        ("x.fetch::<bf16, m![N], m![K]>($0) }", None),
        ("x.fetch::<bf16, m![N], m![K], $0>() }", None),
    ] {
        check(&stream(text), FETCH, active);
    }
}

#[test]
fn arguments_follow_the_generics() {
    let label = "switch::<Slice2, Time2>(config: SwitchConfig)";
    check(
        &stream("x.switch::<m![N], m![K]>($0) }"),
        label,
        Some("config: SwitchConfig"),
    );
    check(
        &stream("x.switch::<m![N], m![K]>(SwitchConfig::Transpose { slice1: $0 }) }"),
        label,
        Some("config: SwitchConfig"),
    );
    check(
        "fn f() { x.vector_fxp(FxpBinaryOp::AddFxp, $0",
        "vector_fxp(op: FxpBinaryOp, operand: operand)",
        Some("operand: operand"),
    );
}

#[test]
fn the_receiver_decides_where_a_name_has_several_methods() {
    let kernel = |rest: &str| {
        format!(
            "fn f(ctx: &mut Context, h: &HbmTensor<bf16, m![1], m![N, K]>, d: &DmTensor<bf16, m![1], m![1 # 2], m![1 # 256], m![K]>) {{ {rest} }}"
        )
    };
    check(
        &kernel("let x = h.to_dm::<m![1 # 2], $0>(&mut ctx.tdma, 0);"),
        "to_dm::<Cluster2, Slice2, Element2>(dma: &mut DmaContext, address: Address)",
        Some("Slice2"),
    );
    check(
        &kernel("let x = d.to_dm::<m![1 # 256], m![K]>(&mut ctx.tdma, $0"),
        "to_dm::<Slice2, Element2>(dma: &mut DmaContext, address: Address)",
        Some("address: Address"),
    );
}

#[test]
fn types_have_signatures() {
    let label = "DmTensor<D, Chip, Cluster, Slice, Element>";
    check("type T = DmTensor<bf16, m![1], $0", label, Some("Cluster"));
    check(
        "fn f(x: DmTensorView<'_, bf16, $0>) {}",
        "DmTensorView<D, Chip, Cluster, Slice, Element>",
        Some("Chip"),
    );
    check(
        "type T = DmTensor<bf16, m![1], m![1 # 2], m![N, $0",
        label,
        Some("Slice"),
    );
}

#[test]
fn ordinary_calls_have_none() {
    for text in [
        "fn f() { g($0) }",
        "fn f() { x.push($0) }",
        "fn f() { x.iter().collect::<$0>() }",
        "fn f() { x.into($0) }",
        "fn f(x: &[u8]) { x.view($0) }",
        "type T = ArrayVec<$0>;",
        "type T = Vec<$0>;",
        "fn f() { if a < $0 {} }",
        "fn f() { x.fetch::<bf16, m![N], m![K]>(); $0 }",
        "$0",
    ] {
        assert_eq!(signature(text), None, "{text}");
    }
}

#[test]
fn every_parameter_has_words() {
    let found = signature(&stream("x.align::<$0")).expect("a signature");
    assert_eq!(found.parameters.len(), 5);
    assert!(
        found
            .parameters
            .iter()
            .all(|parameter| parameter.documentation.is_some())
    );
    assert!(found.documentation.is_some());
}
