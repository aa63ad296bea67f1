//! Proposals in small kernels, with the cursor at `$0`.

mod addresses;
mod applied;
mod at_rest;
mod kernels;
mod moved;
mod nested;
mod releases;
mod snippets;
mod written;

use crate::Completion;
use crate::EditorQuestions as _;
use crate::workspace::Workspace;

const HEAD: &str = "use furiosa_visa_std::prelude::*;
axes![N = 2048, K = 64, P = 13, W = 256];
type Rows = m![N / 8];
";

/// The proposals at `$0`, best first, in a file that begins with [`HEAD`].
pub(super) fn proposals(text: &str) -> Vec<Completion> {
    let text = format!("{HEAD}{text}");
    let offset = text.find("$0").expect("a cursor");
    let text = text.replacen("$0", "", 1);
    let mut workspace = Workspace::new();
    workspace.set_file("kernel.rs", &text);
    let offset = u32::try_from(offset).expect("a short text");
    workspace
        .analysis()
        .completions("kernel.rs", offset)
        .expect("an answer")
}

fn labels(text: &str) -> Vec<String> {
    proposals(text)
        .into_iter()
        .map(|found| found.label)
        .collect()
}

/// Checks that some labels are proposed, in this order, and others are not.
fn check(text: &str, wanted: &[&str], unwanted: &[&str]) {
    let found = labels(text);
    let mut places = Vec::new();
    for label in wanted {
        let place = found.iter().position(|other| other == label);
        places.push(place.unwrap_or_else(|| panic!("{label} is missing in {found:?}\n{text}")));
    }
    assert!(places.is_sorted(), "the order of {wanted:?} in {found:?}");
    for label in unwanted {
        assert!(
            !found.iter().any(|other| other == label),
            "{label} is in {found:?}\n{text}"
        );
    }
}

fn detail(text: &str, label: &str) -> String {
    let found = proposals(text);
    let one = found.iter().find(|found| found.label == label);
    one.unwrap_or_else(|| panic!("{label} is missing in {found:?}"))
        .detail
        .clone()
        .unwrap_or_default()
}

/// A kernel that loads `x` and goes on with a text.
fn kernel(rest: &str) -> String {
    format!(
        "#[device(chip = 1)]
fn run(ctx: &mut Context, x: &HbmTensor<bf16, m![1], m![W, N, K]>, v: &VrfTensor<f32, m![1], m![1 # 2], m![W], m![K % 8]>) {{
    let x: DmTensor<bf16, m![1], m![1 # 2], m![W], m![N, K]> = x.to_dm(&mut ctx.tdma, 0);
    {rest}
}}
"
    )
}

/// The same up to the Vector Engine's first stage.
fn vector(rest: &str) -> String {
    kernel(&format!(
        "ctx.main.begin(x.view()).fetch::<f32, m![N], m![K]>().collect::<m![N, K / 8], m![K % 8]>().vector_init()\
         .vector_intra_slice_branch(BranchMode::Unconditional){rest}"
    ))
}

mod in_mappings {
    use super::*;

    #[test]
    fn terms_come_with_their_sizes_and_used_ones_last() {
        let text = "type E = m![K, $0];";
        check(text, &["N", "P", "Rows", "K"], &["E", "Context", "run"]);
        assert_eq!(detail(text, "N"), "= 2,048");
        // 2048 / 8.
        assert_eq!(detail(text, "Rows"), "m![N / 8] = 256");
        let rows = proposals(text);
        let rows = rows.iter().find(|found| found.label == "Rows");
        assert_eq!(rows.map(|found| found.insert.as_str()), Some("{ Rows }"));
        check("type E = m![K, { $0 }];", &["Rows"], &["K"]);
    }

    #[test]
    fn unfinished_mappings_have_proposals_too() {
        for text in [
            "type E = m![$0",
            "type E = m![A, $0];",
            "type E = m![[K, $0",
            "type E = m!($0)",
            "fn f() { let x = x.fetch::<bf16, m![K $0, m![",
        ] {
            let found = labels(text);
            assert!(!found.is_empty(), "{text}");
        }
        check("fn f() { g::<m![N, $0 }", &["K"], &[]);
    }

    #[test]
    fn a_divisor_divides() {
        check(
            "type E = m![K / $0];",
            &["2", "4", "8", "16", "32", "64"],
            &["1", "3", "128"],
        );
        check("type E = m![P % $0];", &["13"], &["2"]);
        // 13 is prime; 26 is all of 13 * 2.
        check("type E = m![[P, K = 2] / $0];", &["2", "13", "26"], &["4"]);
        assert_eq!(detail("type E = m![N / $0];", "16"), "= 128");
        assert_eq!(detail("type E = m![N % $0];", "16"), "= 16");
        assert!(labels("type E = m![N / 4 / $0];").len() <= 16);
    }

    #[test]
    fn the_other_half_of_a_split_comes_first() {
        assert_eq!(
            labels("type E = m![N / 32, K, N % $0];")
                .first()
                .map(String::as_str),
            Some("32")
        );
        let text =
            kernel("let y = ctx.main.begin(x.view()).fetch::<bf16, m![N, K / 4], m![K % $0]>();");
        assert_eq!(labels(&text).first().map(String::as_str), Some("4"));
    }

    #[test]
    fn a_padding_fills_flits_slices_and_clusters() {
        // 13 elements of 2 bytes: 16 make a flit of 32 bytes.
        let text =
            kernel("let y = ctx.main.begin(x.view()).fetch::<bf16, m![N, K], m![P # $0]>();");
        check(&text, &["16"], &["13", "8"]);
        assert_eq!(labels(&text).first().map(String::as_str), Some("16"));
        assert_eq!(detail(&text, "16"), "+3: one flit");
        check(
            "type T = DmTensor<bf16, m![1], m![1 # $0], m![W], m![N]>;",
            &["2"],
            &[],
        );
        let slices = "type T = DmTensor<bf16, m![1], m![1 # 2], m![K # $0], m![N]>;";
        assert_eq!(labels(slices).first().map(String::as_str), Some("256"));
        // 64 slices of K times 4 fill the 256.
        let parts = "type T = DmTensor<bf16, m![1], m![1 # 2], m![1 # $0, K], m![N]>;";
        assert_eq!(detail(parts, "4"), "+3: 256 slices");
        check("type Cluster = m![1 # $0];", &["2"], &[]);
    }

    #[test]
    fn operators_follow_a_term() {
        check("type E = m![K $0];", &["/", "%", "#", "="], &["K", "N"]);
        check("type E = m![K / 4 $0, N];", &["/", "%"], &["N"]);
        check("axes![A = $0];", &[], &["K", "2"]);
    }

    #[test]
    fn what_the_receiver_holds_comes_first() {
        let text = kernel("let y = ctx.main.begin(x.view()).fetch::<bf16, m![$0], m![K]>();");
        check(&text, &["K", "N", "W", "P"], &[]);
    }
}

mod of_methods {
    use super::*;

    #[test]
    fn what_follows_each_position() {
        check(
            &kernel("ctx.main.$0"),
            &["begin"],
            &[
                "fetch",
                "view",
                "parallel_copy_cluster_slice",
                "dm_cluster_shuffle",
            ],
        );
        check(
            &kernel("ctx.sub.$0"),
            &["begin", "parallel_copy_cluster_slice"],
            &[],
        );
        check(&kernel("ctx.tdma.$0"), &["dm_cluster_shuffle"], &["begin"]);
        check(
            &kernel("ctx.main.begin(x.view()).$0"),
            &["fetch"],
            &["collect", "commit", "fetch_with_table"],
        );
        let fetched = "ctx.main.begin(x.view()).fetch::<bf16, m![N], m![K]>()";
        check(
            &kernel(&format!("{fetched}.$0")),
            &["switch", "collect", "commit"],
            &["fetch", "vector_init", "to_trf"],
        );
        let collected = format!("{fetched}.collect::<m![N, K / 16], m![K % 16]>()");
        // bf16 is no type of the Vector Engine.
        check(
            &kernel(&format!("{collected}.$0")),
            &["align", "transpose", "commit", "to_trf"],
            &["vector_init", "to_vrf", "cast", "contract"],
        );
        check(
            &kernel(&format!("{collected}.commit(0).$0")),
            &["view", "to_hbm", "reshape"],
            &["commit", "collect", "tile"],
        );
        check(
            &kernel("x.view().$0"),
            &["tile", "to_dm_view"],
            &["view", "to_hbm"],
        );
    }

    #[test]
    fn the_sub_context_commits_what_it_fetched_only() {
        let fetched = "ctx.sub.begin(x.view()).fetch::<bf16, m![N], m![K]>()";
        check(&kernel(&format!("{fetched}.$0")), &["commit"], &[]);
        check(
            &kernel(&format!(
                "{fetched}.collect::<m![N, K / 16], m![K % 16]>().$0"
            )),
            &["to_trf"],
            &["commit"],
        );
    }

    #[test]
    fn an_unfinished_chain_is_followed() {
        for rest in [
            "let y = ctx.main.begin(x.view()).fetch::<bf16, m![N], m![K]>().$0",
            "let y = ctx.main.begin(x.view()).fetch::<bf16, m![N], m![K]>().$0\n    let z = 1;",
            "let y = ctx.main.begin(x.view()).fetch::<bf16, m![N], m![K]>().coll$0;",
            "let y = ctx.main.begin(x.view()).fetch::<bf16, m![N], m![K]>().$0.commit(0);",
            "let y = ctx.main.begin(x.view()).fetch::<bf16, m![N], m![K]>()\n        .$0\n        .commit(0);",
            "let s = ctx.main.begin(x.view()).fetch::<bf16, m![N], m![K]>(); s.$0",
            "for i in 0..4 { ctx.main.begin(x.view()).fetch::<bf16, m![N], m![K]>().$0 }",
        ] {
            check(&kernel(rest), &["switch", "collect"], &["fetch"]);
        }
    }

    #[test]
    fn a_snippet_has_a_place_for_each_mapping() {
        let found = proposals(&kernel("ctx.main.begin(x.view()).$0"));
        let fetch = found
            .iter()
            .find(|found| found.label == "fetch")
            .expect("fetch");
        assert!(fetch.snippet);
        assert_eq!(fetch.insert, "fetch::<${1:D2}, m![$2], m![$3]>()$0");
        assert_eq!(fetch.detail.as_deref(), Some("::<D2, Time2, Packet2>()"));
        let found = proposals(&kernel(
            "ctx.main.begin(x.view()).fe$0::<bf16, m![N], m![K]>()",
        ));
        let fetch = found
            .iter()
            .find(|found| found.label == "fetch")
            .expect("fetch");
        assert_eq!((fetch.insert.as_str(), fetch.snippet), ("fetch", false));
        assert_eq!(fetch.replace.end - fetch.replace.start, 2);
    }

    #[test]
    fn stages_of_the_vector_engine_follow_their_order_and_lanes() {
        check(
            &vector(".$0"),
            &[
                "vector_logic",
                "vector_split",
                "vector_clip",
                "vector_final",
            ],
            &[
                "vector_fp_binary",
                "vector_fxp",
                "vector_fxp_to_fp",
                "vector_concat",
                "vector_intra_slice_branch",
                "commit",
                "vector_logic_zip",
                "vector_trim_way4",
            ],
        );
        let narrow = ".vector_split::<m![N, K / 8, K % 8 / 4], m![K % 4]>()";
        check(
            &vector(&format!("{narrow}.$0")),
            &[
                "vector_fp_unary",
                "vector_fp_binary",
                "vector_fp_div",
                "vector_concat",
                "vector_stash",
            ],
            &[
                "vector_final",
                "vector_split",
                "vector_clip",
                "vector_logic",
            ],
        );
        let wide = format!(
            "{narrow}.vector_fp_unary(FpUnaryOp::Exp).vector_concat::<m![N, K / 8], m![K % 8]>()"
        );
        check(
            &vector(&format!("{wide}.$0")),
            &["vector_clip", "vector_final"],
            &[
                "vector_split",
                "vector_fp_unary",
                "vector_logic",
                "vector_stash",
            ],
        );
    }

    #[test]
    fn a_stash_is_taken_once() {
        check(
            &vector(".vector_stash().$0"),
            &["vector_clip"],
            &["vector_stash"],
        );
        // Nor again once an operand has read it: the library's type keeps the first.
        let narrow = ".vector_split::<m![N, K / 8, K % 8 / 4], m![K % 4]>().vector_stash()";
        check(
            &vector(&format!(
                "{narrow}.vector_fp_binary(FpBinaryOp::AddF, Stash).$0"
            )),
            &["vector_fp_div", "vector_concat"],
            &["vector_stash"],
        );
    }

    #[test]
    fn a_method_whose_alus_are_all_taken_is_not_proposed() {
        let narrow = ".vector_split::<m![N, K / 8, K % 8 / 4], m![K % 4]>()";
        // FpFma runs every ternary operation.
        let taken = ".vector_fp_binary(FpBinaryOp::AddF, 1.0)";
        check(
            &vector(&format!("{narrow}.$0")),
            &["vector_fp_ternary"],
            &[],
        );
        check(
            &vector(&format!("{narrow}{taken}.$0")),
            &["vector_fp_binary"],
            &["vector_fp_ternary"],
        );
    }
}

mod of_variants {
    use super::*;

    const NARROW: &str = ".vector_split::<m![N, K / 8, K % 8 / 4], m![K % 4]>()";

    #[test]
    fn operations_whose_alu_is_free_come_first() {
        let text = vector(&format!(
            "{NARROW}.vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), 2.0)\n.vector_fp_binary(FpBinaryOp::$0)"
        ));
        check(
            &text,
            &[
                "AddF",
                "DivF",
                "MulF(FpMulAlu::Mul1)",
                "MulF(FpMulAlu::Mul0)",
            ],
            &["Exp"],
        );
        // Three lines of head, five of the kernel: the chain starts on the seventh.
        assert_eq!(
            detail(&text, "MulF(FpMulAlu::Mul0)"),
            "ALU FpMul0 taken by line 7"
        );
        assert_eq!(detail(&text, "MulF(FpMulAlu::Mul1)"), "ALU FpMul1");
        let inside = vector(&format!(
            "{NARROW}.vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), 2.0).vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::$0"
        ));
        check(&inside, &["Fma", "Mul1", "Mul0"], &[]);
    }

    #[test]
    fn an_empty_argument_proposes_whole_paths() {
        check(
            &vector(&format!("{NARROW}.vector_fp_unary($0)")),
            &["FpUnaryOp::Cos", "FpUnaryOp::Exp"],
            &["FpBinaryOp::AddF"],
        );
        // The stream is f32.
        check(
            &vector(".vector_clip($0"),
            &["ClipBinaryOpF32::Max"],
            &["ClipBinaryOpI32::Max"],
        );
        check(
            &vector(".vector_clip(ClipBinaryOpF32::Max, $0"),
            &[],
            &["ClipBinaryOpF32::Max"],
        );
    }

    #[test]
    fn an_enum_of_another_stage_has_no_proposals() {
        check(&vector(".vector_clip(FpBinaryOp::$0"), &[], &["AddF"]);
    }

    #[test]
    fn configurations_come_with_their_fields() {
        let switched = |config: &str| {
            kernel(&format!(
                "ctx.main.begin(x.view()).fetch::<bf16, m![N], m![K]>().switch::<m![W % 64, W / 64], m![N]>(SwitchConfig::{config})"
            ))
        };
        let found = proposals(&switched("$0"));
        let transpose = found
            .iter()
            .find(|found| found.label == "Transpose")
            .expect("a variant");
        // [W / 64, W % 64] of 4 and 64 slices change places.
        assert_eq!(
            transpose.insert,
            "Transpose { slice1: ${1:4}, slice0: ${2:64} }$0"
        );
        assert_eq!(
            found.first().map(|found| found.label.as_str()),
            Some("Transpose")
        );
        check(
            &switched("Transpose { $0 }"),
            &["slice1", "slice0"],
            &["time0"],
        );
        check(
            &switched("Transpose { slice1: 4, $0 }"),
            &["slice0"],
            &["slice1"],
        );
        let value = switched("Transpose { slice1: 4, slice0: $0 }");
        // 256 / 4 = 64.
        check(&value, &["64", "1", "2"], &["128", "3"]);
        assert_eq!(detail(&value, "64"), "makes the declared slices and time");
    }

    #[test]
    fn regions_of_the_trf_have_their_bytes() {
        assert_eq!(
            detail(&kernel("TrfAddress::$0"), "FirstHalf"),
            "the first half of each row: 32,768 bytes"
        );
    }
}

mod elsewhere {
    use super::*;

    #[test]
    fn generics_are_mappings_or_types_that_the_engine_makes() {
        let fetch =
            |arguments: &str| kernel(&format!("ctx.main.begin(x.view()).fetch::<{arguments}>()"));
        check(&fetch("$0"), &["bf16", "f32"], &["i8", "m![]"]);
        check(&fetch("bf16, $0"), &["m![]"], &["bf16"]);
        check("type T = DmTensor<bf16, $0", &["m![]"], &[]);
    }

    #[test]
    fn what_a_stage_makes_is_proposed_whole() {
        let fetch =
            |arguments: &str| kernel(&format!("ctx.main.begin(x.view()).fetch::<{arguments}>()"));
        let first = |text: &str| labels(text).first().cloned().unwrap_or_default();
        // [N, K] of bf16: 16 elements are 32 bytes.
        assert_eq!(first(&fetch("bf16, $0")), "m![N, K / 16]");
        assert_eq!(first(&fetch("f32, m![$0]")), "N, K / 8");
        assert_eq!(first(&fetch("bf16, m![N, K / 16], $0")), "m![K % 16]");
        assert_eq!(first(&fetch("bf16, m![N], $0")), "m![K]");
        let collect = |arguments: &str| {
            kernel(&format!(
                "ctx.main.begin(x.view()).fetch::<bf16, m![N], m![K]>().collect::<{arguments}"
            ))
        };
        assert_eq!(first(&collect("$0")), "m![N, K / 16]");
        assert_eq!(first(&collect("m![N, K / 16], m![$0]>()")), "K % 16");
        let padded = kernel(
            "ctx.main.begin(x.view()).fetch::<bf16, m![N, K], m![P # 16]>().collect::<m![N, K], $0>()",
        );
        assert_eq!(first(&padded), "m![P # 16]");
        assert_eq!(first(&vector(".vector_split::<$0")), "m![N, K / 4]");
        assert_eq!(
            first(&vector(".vector_split::<m![N, K / 4], m![$0]>()")),
            "K % 4"
        );
        let narrow = ".vector_split::<m![N, K / 4], m![K % 4]>()";
        assert_eq!(
            first(&vector(&format!("{narrow}.vector_concat::<m![$0]"))),
            "N, K / 8"
        );
        assert_eq!(
            first(&vector(&format!(
                "{narrow}.vector_intra_slice_reduce::<N, $0"
            ))),
            "m![K / 4]"
        );
        // 8 values of f32 fill half a flit of bf16.
        assert_eq!(
            first(&vector(".vector_final().cast::<bf16, $0")),
            "m![K % 8 # 16]"
        );
        // K of 64 is left as a hole.
        assert_eq!(
            first(&kernel("x.view().tile::<m![K], 1, $0")),
            "m![N, 1 # 64]"
        );
        assert_eq!(
            first(&kernel("x.view().tile::<m![N], 4, m![$0]>(0)")),
            "N = 4 # 2048, K"
        );
    }

    #[test]
    fn an_annotation_of_what_a_pass_makes_follows_the_pass() {
        let annotated = |levels: &str| {
            kernel(&format!(
                "let y: DmTensor<bf16, {levels}> = ctx.main.begin(x.view()).fetch::<bf16, m![N], m![K]>().collect::<m![N, K / 16], m![K % 16]>().commit(0);"
            ))
        };
        let first = |text: &str| labels(text).first().cloned().unwrap_or_default();
        // Time and packet together: N of 2048 times K of 64.
        let element = annotated("m![1], m![1 # 2], m![W], m![$0]");
        assert_eq!(first(&element), "N, K");
    }

    #[test]
    fn axes_and_lengths_that_a_method_takes() {
        let unzip = |axis: &str| {
            format!(
                "axes![I = 2, J = 2, L = 4];
fn f(x: CollectTensor<'_, {{ Tu::Main }}, f32, m![1], m![1 # 2], m![W], m![L, I], m![K % 8]>) {{
    x.vector_init().{axis}
}}
"
            )
        };
        check(
            &unzip("vector_intra_slice_unzip::<$0"),
            &["I"],
            &["J", "L", "K", "W"],
        );
        check(
            &unzip("vector_intra_slice_unzip::<I, $0"),
            &["m![L, 1 # 2]"],
            &[],
        );
        let reduce = "vector_intra_slice_branch(BranchMode::Unconditional).vector_split::<m![L, I, K % 8 / 4], m![K % 4]>().vector_intra_slice_reduce::<$0";
        check(&unzip(reduce), &["I", "L"], &["J", "W", "N"]);
        check(
            &kernel("x.view().tile::<m![K], $0"),
            &["1", "2", "64"],
            &["3", "128"],
        );
    }

    #[test]
    fn the_current_librarys_methods_are_its_own() {
        let text = kernel("ctx.main.begin(x.view()).$0")
            .replace("fn run", "use furiosa_opt_std::prelude::*;\nfn run");
        let file = format!("use furiosa_opt_std::prelude::*;\naxes![A = 8];\n{text}");
        let offset = file.find("$0").expect("a cursor");
        let mut workspace = Workspace::new();
        workspace.set_file("kernel.rs", &file.replacen("$0", "", 1));
        let offset = u32::try_from(offset).expect("a short text");
        let found = workspace.analysis().completions("kernel.rs", offset);
        let found = found.expect("an answer");
        let inserted: Vec<&str> = found.iter().map(|found| &*found.insert).collect();
        // Its fetch has no element type: a step behind it converts.
        assert_eq!(inserted, ["fetch::<m![$1], m![$2]>()$0"]);
    }

    #[test]
    fn rules_can_be_allowed() {
        check(
            "#[allow(tcp::$0)] fn f() {}",
            &["fetch_packet_alignment"],
            &["K"],
        );
        check(
            "// visa-lint: allow(fetch_p$0)\nfn f() {}",
            &["fetch_packet_alignment"],
            &[],
        );
        check("// visa-lint: $0", &[], &["fetch_packet_alignment"]);
        check(
            "/// visa-lint: allow($0)\nfn f() {}",
            &[],
            &["fetch_packet_alignment"],
        );
        let found = proposals("fn f() {} // visa-lint: allow(fetch_p$0)");
        assert_eq!(
            found
                .first()
                .map(|found| found.replace.end - found.replace.start),
            Some(7)
        );
    }

    #[test]
    fn ordinary_places_have_no_proposals() {
        for text in [
            "fn f() { $0 }",
            "fn f() { let x = K$0; }",
            "let s = \"m![$0]\";",
            "fn f() { foo.$0 }",
            "$0",
            "use $0",
        ] {
            assert_eq!(labels(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn no_byte_of_any_beginning_of_a_kernel_fails() {
        let whole = format!(
            "\u{feff}{HEAD}// é {{ visa-lint: allow(x)\r\n{}",
            kernel(
                "ctx.main.begin(x.view()).fetch::<f32, m![N], m![[K, 1] # 64]>().switch::<m![W], m![N]>(SwitchConfig::Transpose { slice1: 2, slice0: 4 }).collect::<m![N, K / 8], m![K % 8]>().vector_init();"
            )
        );
        let mut workspace = Workspace::new();
        workspace.set_file("kernel.rs", &whole);
        let ask = |workspace: &Workspace, offset: usize| {
            let analysis = workspace.analysis();
            let offset = u32::try_from(offset).expect("a short text");
            analysis
                .completions("kernel.rs", offset)
                .expect("proposals");
            analysis
                .signature_help("kernel.rs", offset)
                .expect("a signature");
        };
        for offset in 0..=whole.len() + 1 {
            ask(&workspace, offset);
        }
        for end in (0..whole.len())
            .step_by(3)
            .filter(|end| whole.is_char_boundary(*end))
        {
            workspace.set_file("kernel.rs", whole.get(..end).unwrap_or(""));
            ask(&workspace, end);
        }
    }
}
