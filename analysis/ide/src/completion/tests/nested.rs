//! Proposals in functions that are in other functions and in methods of `impl` blocks.

use super::{check, labels, proposals};

/// A kernel that reads a tensor by a function of its own, whose chain goes on with a text; the kernel's own rest follows.
fn in_kernel(chain: &str, rest: &str) -> String {
    format!(
        "#[device(chip = 1)]
fn run(ctx: &mut Context, x: &DmTensor<f32, m![1], m![1 # 2], m![W], m![N, K]>) {{
    fn inner(ctx: &mut Context, y: &DmTensor<f32, m![1], m![1 # 2], m![W], m![N, K]>) {{
        let z = ctx.main.begin(y.view()).fetch::<f32, m![N], m![K]>(){chain};
    }}
    {rest}
}}
"
    )
}

const COLLECT: &str = ".collect::<m![N, K / 8], m![K % 8]>()";
const VECTOR: &str = ".collect::<m![N, K / 8], m![K % 8]>().vector_init()\
    .vector_intra_slice_branch(BranchMode::Unconditional)";

#[test]
fn methods_follow_the_stage_whether_anybody_calls_the_function() {
    for rest in ["", "inner(ctx, x);"] {
        check(
            &in_kernel(".$0", rest),
            &["switch", "collect"],
            &["fetch", "vector_init"],
        );
        check(
            &in_kernel(&format!("{COLLECT}.$0"), rest),
            &["vector_init"],
            &["fetch", "collect", "align"],
        );
    }
}

#[test]
fn a_function_in_a_function_in_a_function_is_followed() {
    let text =
        "fn one() { fn two() { fn three(v: &HbmTensor<f32, m![1], m![K]>) { v.$0 } three(); } }";
    check(text, &["to_dm"], &["begin", "commit"]);
}

#[test]
fn the_function_around_is_not_the_one_inside() {
    let text = in_kernel("", "ctx.main.begin(x.view()).$0");
    check(&text, &["fetch"], &["collect"]);
    // `y` is the inner function's.
    assert_eq!(labels(&in_kernel("", "y.$0")), Vec::<String>::new());
    // `x` is the outer function's, which the inner one does not see.
    assert_eq!(labels(&in_kernel("; x.$0", "")), Vec::<String>::new());
}

#[test]
fn operations_know_which_units_are_taken() {
    let chain = format!(
        "{VECTOR}.vector_split::<m![N, K / 8, K % 8 / 4], m![K % 4]>()\
         .vector_fp_binary(FpBinaryOp::AddF, 1.0).vector_fp_binary(FpBinaryOp::$0)"
    );
    let found = proposals(&in_kernel(&chain, ""));
    let detail = |label: &str| {
        let found = found.iter().find(|found| found.label == label);
        found.and_then(|found| found.detail.as_deref())
    };
    // The chain is in one line: three lines of the head, then the fourth of the kernel.
    assert!(
        detail("AddF").is_some_and(|detail| detail.ends_with("taken by line 7")),
        "{found:?}"
    );
    assert!(
        detail("SubF").is_some_and(|detail| detail.ends_with("taken by line 7")),
        "{found:?}"
    );
}

#[test]
fn paddings_and_whole_mappings_follow_from_the_receiver() {
    // 64 values of 4 bytes are 8 flits of 32.
    check(
        &in_kernel(".collect::<$0", ""),
        &["m![N, K / 8]"],
        &["m![N, K / 16]"],
    );
    let text = in_kernel("", "").replace("m![N], m![K]>()", "m![N], m![P # $0]>()");
    // 13 values of 4 bytes are 52, and two flits are 64.
    assert_eq!(labels(&text).first().map(String::as_str), Some("16"));
}

#[test]
fn an_annotation_takes_what_the_pass_makes() {
    let text = in_kernel(&format!("{COLLECT}.commit(0)"), "").replace(
        "let z =",
        "let z: DmTensor<f32, m![1], m![1 # 2], m![W], m![$0]> =",
    );
    assert_eq!(labels(&text).first().map(String::as_str), Some("N, K"));
}

#[test]
fn an_alias_in_a_block_is_named_after_its_level_too() {
    let text = "fn f() { type Cluster = m![1 # $0]; }";
    check(text, &["2"], &[]);
    assert_eq!(
        labels(text).len(),
        labels("type Cluster = m![1 # $0];").len()
    );
}

#[test]
fn a_function_in_a_method_is_followed() {
    let text = in_kernel(".$0", "");
    let text = format!("struct Layer; impl Layer {{ fn forward(&self) {{ {text} }} }}");
    check(&text, &["switch", "collect"], &["fetch"]);
}

#[test]
fn unfinished_functions_in_functions_are_followed() {
    let text = in_kernel(".$0", "");
    let cut = text.split_once("$0").map_or("", |(before, _)| before);
    check(&format!("{cut}$0"), &["switch", "collect"], &["fetch"]);
}

#[test]
fn methods_of_an_impl_are_followed() {
    let method = |text: &str| {
        let text = text.replace(
            "fn inner(ctx: &mut Context",
            "}\nimpl Layer { fn inner(ctx: &mut Context",
        );
        let text = text.replace("#[device(chip = 1)]\nfn run(", "fn run(");
        format!("struct Layer; {text}")
    };
    let text = in_kernel(&format!("{COLLECT}.$0"), "");
    check(&method(&text), &["vector_init"], &["fetch", "collect"]);
    let text = in_kernel("", "").replace("m![N], m![K]>()", "m![N], m![K / $0]>()");
    check(&method(&text), &["8"], &["3"]);
}
