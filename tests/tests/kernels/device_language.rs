//! What of Rust a kernel may not use: the language that the compiler of kernels takes.

use visa_analysis::{Diagnostic, Dialect, Library, Release, Workspace};

/// The rules about the language of kernels.
const RULES: [&str; 4] = [
    "runtime_panic",
    "generic_kernel",
    "kernel_language",
    "operand_not_constant",
];

fn found(minor: u16, text: &str) -> Vec<Diagnostic> {
    let mut workspace = Workspace::new();
    workspace.set_dialect(Dialect {
        library: Library::OptStd,
        release: Release::new(0, minor),
    });
    workspace.set_file("a.rs", text);
    let report = workspace.analysis().check_file("a.rs");
    let own = report.diagnostics.into_iter();
    own.filter(|found| RULES.contains(&found.rule)).collect()
}

/// The text at the places of the findings in the body of a kernel.
fn places(minor: u16, body: &str) -> Vec<String> {
    let text = format!("const N: usize = 4;\n#[device]\nfn k(ctx: &mut C, a: A) {{ {body} }}\n");
    let found = found(minor, &text);
    let range = |found: &Diagnostic| {
        let bytes = found.range.start.byte as usize..found.range.end.byte as usize;
        text.get(bytes).unwrap_or_default().to_owned()
    };
    found.iter().map(range).collect()
}

#[test]
fn what_depends_on_a_variable_may_not_end_the_program() {
    for (body, place) in [
        ("assert!(a > 1);", "assert"),
        ("for i in 0..4 { assert_eq!(i % 2, 0); }", "assert_eq"),
        ("a.first().unwrap();", "unwrap"),
        (
            "let n = a.read(&mut ctx.tdma).expect(\"a count\");",
            "expect",
        ),
        ("if a > 1 { std::panic!(\"{a}\"); }", "std::panic"),
        ("match a { 1 => {} _ => unreachable!() }", "unreachable"),
        (
            "let n = a.read(&mut ctx.tdma) as usize; f(xs[n + 1]);",
            "n + 1",
        ),
    ] {
        assert_eq!(places(8, body), [place], "{body}");
    }
}

#[test]
fn what_constants_decide_may() {
    for body in [
        "assert!(N > 1);",
        "const { assert!(a > 1) };",
        "const X: usize = a.first().unwrap();",
        "if N > 8 { panic!(\"too many\"); }",
        "match N { 4 => {} _ => unreachable!() }",
        "N.checked_sub(1).unwrap();",
        "for i in 0..4 { f(xs[i]); }",
        "debug_assert!(a > 1);",
        "let n = a.len(); f(xs[n]);",
    ] {
        assert_eq!(places(8, body), [""; 0], "{body}");
    }
}

#[test]
fn loops_and_closures() {
    let one = |minor, body| {
        let places = places(minor, body);
        assert!(places.len() < 2, "{places:?}");
        places.into_iter().next().unwrap_or_default()
    };
    assert_eq!(one(6, "for i in 1..4 { f(i); }"), "1..4");
    assert_eq!(one(6, "for i in N..8 { f(i); }"), "N..8");
    assert_eq!(one(6, "for i in (1..=4) { f(i); }"), "1..=4");
    assert_eq!(one(7, "for i in 1..4 { f(i); }"), "");
    assert_eq!(one(6, "for i in 0..4 { f(i); }"), "");
    assert_eq!(one(6, "for i in a..4 { f(i); }"), "");
    assert_eq!(one(8, "for i in 0..4 {}"), "for");
    assert_eq!(one(8, "for i in 0..0 { f(i); }"), "0..0");
    assert_eq!(one(8, "for i in N..4 { f(i); }"), "N..4");
    assert_eq!(one(8, "for i in N..=4 { f(i); }"), "");
    assert_eq!(one(8, "for i in 0..a { f(i); }"), "");
    assert_eq!(one(8, "while a < 4 { f(a); }"), "while");
    assert_eq!(one(8, "f(|x| x + 1);"), "|x| x + 1");
    assert_eq!(
        one(8, "let v: Vec<DmTensor<i8>> = f();"),
        "Vec<DmTensor<i8>>"
    );
    assert_eq!(one(8, "let v = vec![a];"), "vec");
    assert_eq!(one(8, "let v: Vec<usize> = f();"), "");
}

#[test]
fn ranges_are_rewritten_with_their_variable() {
    let edits = |body: &str| {
        let text = format!("#[device]\nfn k(ctx: &mut C) {{ {body} }}\n");
        let found = found(6, &text);
        let edits = found.iter().flat_map(|found| &found.fixes);
        let edits = edits.flat_map(|fix| &fix.edits);
        edits.map(|edit| edit.text.clone()).collect::<Vec<_>>()
    };
    let rewritten = ["0..3", "(i + 1)", "(i + 1)"];
    assert_eq!(edits("for i in 1..4 { f(i); g(2 * i); }"), rewritten);
    assert_eq!(edits("for i in 2..A::SIZE { f(1); }"), ["0..A::SIZE - 2"]);
    assert_eq!(edits("for i in 1..4 { let i = 2; f(i); }"), [""; 0]);
    assert_eq!(edits("for i in 1..4 { f(m![i]); }"), [""; 0]);
    assert_eq!(edits("for (i, j) in 1..4 { f(i); }"), [""; 0]);
}

#[test]
fn only_what_runs_on_the_device_is_looked_at() {
    let text = "#[device]\nfn k(c: &mut C, n: usize) { a(n); }\n\
                fn a(n: usize) { b(n); }\nfn b(n: usize) { assert!(n > 1); a(n - 1); }\n\
                fn host(n: usize) { assert!(n > 1); while n > 2 {} host(n); }\n";
    let found = found(8, text);
    let words: Vec<_> = found
        .iter()
        .map(|found| (found.range.start.line, &*found.message))
        .collect();
    let by = "the function calls itself by way of";
    assert_eq!(words.len(), 3, "{words:?}");
    assert_eq!(words[0].0, 3);
    assert!(words[0].1.starts_with(&format!("{by} `b`")), "{words:?}");
    assert!(words[1].1.starts_with(&format!("{by} `a`")), "{words:?}");
    assert!(words[2].1.starts_with("`assert!` may end"), "{words:?}");
}

/// What is computed of the operand of a kernel's only operation.
fn computed(before: &str, operand: &str) -> Vec<String> {
    let text = format!(
        "axes![A = 8];\nconst N: f32 = 2.0;\nfn half() -> f32 {{ 0.5 }}\nfn of(n: usize) -> Vrf {{ n }}\n\
         #[device]\nfn k(device: &mut Device, x: X) {{ {before} x.vector_fp_div({operand}); }} }}\n"
    );
    let closed = text.replace(
        "; } }",
        if before.contains("for ") {
            "; } }"
        } else {
            "; }"
        },
    );
    let found = found(8, &closed);
    let operands = found
        .into_iter()
        .filter(|found| found.rule == "operand_not_constant");
    operands.map(|found| found.message).collect()
}

#[test]
fn operands_are_constants() {
    for (before, operand, why) in [
        ("", "A::SIZE as f32", "a cast of a size is computed"),
        ("", "-(A::SIZE as f32)", "a cast of a size is computed"),
        (
            "let n = A::SIZE as f32;",
            "n",
            "a cast of a size is computed",
        ),
        ("", "1.0 / A::SIZE as f32", "a cast of a size is computed"),
        ("", "half()", "a call is computed"),
        ("", "N.sqrt()", "a call is computed"),
        ("", "2.0f32.powi(3)", "a call is computed"),
        ("", "f32::from_bits(7)", "a call is computed"),
        (
            "",
            "Branched::imm(TagGuard::all(), half())",
            "a call is computed",
        ),
        ("for i in 0..4 {", "i", "the variable of a loop changes"),
        (
            "for i in 0..4 {",
            "if i > 2 { 1.0 } else { 2.0 }",
            "the condition is decided",
        ),
    ] {
        let found = computed(before, operand);
        assert_eq!(found.len(), 1, "{before} {operand}: {found:?}");
        assert!(found[0].contains(why), "{found:?}");
    }
    for (before, operand) in [
        ("", "2.0"),
        ("", "-1.5"),
        ("", "N"),
        ("", "const { A::SIZE as f32 }"),
        ("let n = const { A::SIZE as f32 };", "n"),
        ("", "&w"),
        ("", "of(3)"),
        (
            "",
            "Branched::imm(TagGuard::all(), 1.0).imm(TagGuard::all(), N)",
        ),
        ("", "w.view()"),
        ("", "if N > 1.0 { 1.0 } else { 2.0 }"),
        ("let n = 1.0; let n = A::SIZE as f32;", "n"),
        ("", "unknown"),
    ] {
        assert_eq!(computed(before, operand), [""; 0], "{before} {operand}");
    }
}

#[test]
fn what_a_helper_needs_as_a_constant_is_one_where_it_is_called() {
    let faults = |helper: &str, call: &str| {
        let text = format!(
            "axes![A = 8];\nfn of(n: usize) -> Vrf {{ n }}\nfn h(x: X, w: &[Vrf], n: usize) {{ {helper} }}\n\
             fn inner(x: X, n: f32) {{ x.vector_fp_div(n); }}\n\
             #[device]\nfn k(device: &mut Device, x: X, w: &[Vrf]) {{ for i in 0..4 {{ {call} }} }}\n"
        );
        let found = found(8, &text).into_iter();
        found
            .filter(|found| found.rule == "operand_not_constant")
            .count()
    };
    for (helper, call) in [
        ("x.vector_fp_div(n as f32);", "h(x, w, i);"),
        ("x.vector_fp_div(-(n as f32) * 2.0);", "h(x, w, i);"),
        ("inner(x, n as f32);", "h(x, w, i);"),
        (
            "x.vector_fp_div(Branched::imm(TagGuard::all(), n));",
            "h(x, w, i);",
        ),
    ] {
        assert_eq!(faults(helper, call), 1, "{helper} {call}");
    }
    for (helper, call) in [
        // Which register it is, the compiler knows: it writes every turn out.
        ("x.vector_fp_div(&w[n]);", "h(x, w, i);"),
        ("x.vector_fp_div(w[n].view());", "h(x, w, i);"),
        ("x.vector_fp_div(of(n));", "h(x, w, i);"),
        ("x.vector_fp_div(2.0);", "h(x, w, i);"),
        ("let n = 2.0; x.vector_fp_div(n);", "h(x, w, i);"),
        ("x.vector_fp_div(n as f32);", "h(x, w, 4);"),
        ("x.vector_fp_div(n as f32);", "h(x, w, const { A::SIZE });"),
        ("", "x.vector_fp_div(&w[i]); x.vector_fp_div(of(i));"),
    ] {
        assert_eq!(faults(helper, call), 0, "{helper} {call}");
    }
}

#[test]
fn kernels_have_parameters_since_a_release() {
    let text = "#[device]\nfn k<'l, A: AxisName, const N: usize>(c: &'l mut C) { h::<A>(c); }\n\
                fn h<A>(c: &mut C) {}\n";
    let early = found(6, text);
    assert_eq!(early.len(), 1, "{early:?}");
    assert!(
        early[0].message.contains("parameters `A` and `N`"),
        "{early:?}"
    );
    assert_eq!(found(7, text).len(), 0);
    let lifetimes = "#[device]\nfn k<'l>(c: &'l mut C) {}\n";
    assert_eq!(found(6, lifetimes).len(), 0);
    // The book's library has no such rule.
    let mut workspace = Workspace::new();
    workspace.set_file("a.rs", text);
    let report = workspace.analysis().check_file("a.rs");
    assert!(
        report
            .diagnostics
            .iter()
            .all(|found| found.rule != "generic_kernel")
    );
}
