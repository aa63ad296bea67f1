//! What users get wrong in kernels of the current library: each text has a finding, or its operations are said to be
//! unresolved with a reason. Nothing is passed over in silence, and nothing is read as another library's. A walk over all
//! positions or runs of a loop would not end, and no limit of time is needed to see that.

use visa_analysis::{FileReport, Problem};
use visa_tests::check_text;

const HEAD: &str = "// dialect: opt-std@0.8
use furiosa_opt_std::prelude::*;
axes![S = 256, K = 64, N = 8];
type Chip = m![1];
type Cluster = m![1 # 2];
type Dm<E> = DmTensor<f32, Chip, Cluster, m![S], E>;
";

fn report(text: &str) -> FileReport {
    let report = check_text("src/lib.rs", text);
    for problem in &report.problems {
        assert!(!matches!(problem, Problem::Internal(_)), "{problem}");
    }
    report
}

/// A kernel whose middle is `body`, between a load of `x` and nothing.
fn kernel(body: &str) -> String {
    format!(
        "{HEAD}#[device(chip = 1)]
fn kernel(device: &mut Device, x: &HbmTensor<f32, Chip, m![S, K]>) {{
    let x: Dm<m![K]> = x.to_dm(&mut device.tdma);
{body}
}}
"
    )
}

fn is_said(report: &FileReport) -> bool {
    report.syntax_errors > 0
        || !report.diagnostics.is_empty()
        || !report.unresolved.is_empty()
        || !report.problems.is_empty()
}

#[track_caller]
fn is_refused(text: &str) {
    let report = report(text);
    assert!(is_said(&report), "nothing is said about\n{text}");
}

#[test]
fn two_thousand_chained_guards_are_too_many() {
    let guards = ".imm(TagGuard::group(GroupId::One), 1f32)".repeat(2_000);
    is_refused(&kernel(&format!(
        "    let y: Dm<m![K]> = device.main.begin(x.view()).fetch::<m![K / 8], m![K % 8]>().collect::<m![K / 8], m![K % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_clip(ClipBinaryOpF32::Add, Branched::imm(TagGuard::group(GroupId::Zero), 0f32){guards})
        .vector_final()
        .commit_trim::<m![K % 8]>()
        .commit();"
    )));
}

#[test]
fn two_thousand_stages_are_too_many() {
    let stages = "        .vector_clip(ClipBinaryOpF32::Add, 1f32)\n".repeat(2_000);
    let text = kernel(&format!(
        "    let y: Dm<m![K]> = device.main.begin(x.view()).fetch::<m![K / 8], m![K % 8]>().collect::<m![K / 8], m![K % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
{stages}        .vector_final()
        .commit_trim::<m![K % 8]>()
        .commit();"
    ));
    is_refused(&text);
}

#[test]
fn aliases_that_name_each_other_end() {
    for aliases in [
        "type A<E> = A<E>;",
        "type A<E> = B<E>; type B<E> = A<E>;",
        "type A<E> = B<m![{ E }, K]>; type B<E> = A<m![{ E }, N]>;",
        "type A<E, F = A<E>> = DmTensor<f32, Chip, Cluster, m![S], F>;",
        "type A<E = A> = DmTensor<f32, Chip, Cluster, m![S], E>;",
        "type A<E> = DmTensor<f32, Chip, Cluster, m![S], m![{ A<E> }]>;",
        "type A<E> = (A<E>, A<E>);",
    ] {
        let text = kernel("    let y: A<m![K]> = x.to_dm(&mut device.tdma);");
        is_refused(&text.replace("type Dm<E>", &format!("{aliases}\ntype Dm<E>")));
    }
}

#[test]
fn structs_that_hold_each_other_end() {
    let structs = "struct P { q: Q } struct Q { p: P } struct R<E: M> { r: R<m![{ E }, K]>, s: Dm<E> }
impl P { const N: usize = P::N; fn load(&self, device: &mut Device) -> Dm<m![K]> { self.load(device) } }
impl Self { fn next(&self) { self.next() } }
";
    let text = kernel("    let y = p.load(device);\n    let z = r.r.r.s.to_hbm(&mut device.tdma);");
    let text = text.replace("#[device", &format!("{structs}#[device"));
    is_refused(&text.replace("x: &HbmTensor", "p: &P, r: &R<m![K]>, x: &HbmTensor"));
}

#[test]
fn a_loop_of_many_tiles_is_cut_and_costs_nothing() {
    for bound in [
        "1usize << 40",
        "1_099_511_627_776",
        "usize::MAX",
        "N::SIZE << 37",
    ] {
        let text = kernel(&format!(
            "    let mut y: Dm<m![K]> = DmTensor::new();
    for i in 0..{bound} {{
        device.main.begin(x.view().tile::<m![K / 8], 1, m![1 # 8, K % 8]>(i)).fetch::<m![1], m![K % 8]>().collect::<m![1], m![K % 8]>()
            .commit_trim::<m![K % 8]>()
            .commit_view(y.view_mut().tile::<m![K / 8], 1, m![1 #{{!}} 8, K % 8]>(i));
    }}"
        ));
        is_refused(&text);
    }
}

#[test]
fn generics_left_out_or_too_many_are_no_silence() {
    for fetch in [
        ".fetch()",
        ".fetch::<m![K / 8]>()",
        ".fetch::<m![K / 8], m![K % 8], m![1]>()",
        ".fetch::<f32, m![K / 8], m![K % 8]>()",
        ".fetch::<_, _>()",
        ".fetch::<>()",
        ".fetch::<m![K / 8], 8>()",
        ".fetch::<'static, m![K / 8], m![K % 8]>()",
    ] {
        let text = kernel(&format!(
            "    let y: Dm<m![K]> = device.main.begin(x.view()){fetch}.collect::<m![K / 9], m![K % 8]>().commit_trim::<m![K % 8]>().commit();"
        ));
        is_refused(&text);
    }
    for transfer in [
        "let y: Dm = x.to_dm(&mut device.tdma);",
        "let y: Dm<m![K], m![K]> = x.to_dm::<m![1]>(&mut device.tdma);",
        "let y = x.to_dm::<_, _, _, _>(&mut device.tdma);",
        "let y = x.to_dm::<m![1], m![S], m![K]>();",
    ] {
        is_refused(&kernel(&format!("    {transfer}")));
    }
}

#[test]
fn chains_that_stop_in_the_middle_are_said() {
    let whole = [
        ".fetch::<m![K / 8], m![K % 8]>()",
        ".collect::<m![K / 8], m![K % 8]>()",
        ".vector_init()",
        ".vector_intra_slice_tag(TagMode::Zero)",
        ".vector_clip(ClipBinaryOpF32::Add, 1f32)",
        ".vector_final()",
        ".commit_trim::<m![K % 8]>()",
    ];
    for stages in 0..=whole.len() {
        let chain: String = whole.iter().take(stages).copied().collect();
        // A stream that nothing ends compiles, and does nothing.
        let unended = report(&kernel(&format!("    device.main.begin(x.view()){chain};")));
        assert_eq!(unended.kernels, 1);
        // While it is written: the text ends in the middle of the chain, or of a call.
        is_refused(&kernel(&format!("    device.main.begin(x.view()){chain}.")));
        is_refused(&kernel(&format!(
            "    let y = device.main.begin(x.view()){chain}.fetch::<m![K"
        )));
    }
}

#[test]
fn methods_of_several_releases_in_one_chain_are_told_apart() {
    let methods = [
        (
            "to_dm_pcopy",
            "    let y: Dm<m![K]> = x.to_dm_pcopy(&mut device.sub);",
        ),
        (
            "vector_intra_slice_branch",
            "    let y: Dm<m![K]> = device.main.begin(x.view()).fetch::<m![K / 8], m![K % 8]>().collect::<m![K / 8], m![K % 8]>().vector_init().vector_intra_slice_branch(BranchMode::Unconditional).vector_final().commit_trim::<m![K % 8]>().commit();",
        ),
        (
            "align",
            "    device.main.begin(x.view()).fetch::<m![K / 8], m![K % 8]>().collect::<m![K / 8], m![K % 8]>().align::<m![1], m![K], _, _>(&x);",
        ),
    ];
    for (name, body) in methods {
        let report = report(&kernel(body));
        let named = report
            .diagnostics
            .iter()
            .any(|found| found.rule == "other_release_api" && found.message.contains(name));
        let unresolved = report
            .unresolved
            .iter()
            .any(|left| format!("{left:?}").contains(name));
        assert!(named || unresolved, "{name}: {:?}", report.diagnostics);
    }
}

#[test]
fn a_generic_kernel_that_nothing_launches_is_said() {
    let text = format!(
        "{HEAD}#[device(chip = 1)]
fn kernel<X: AxisName>(device: &mut Device, x: &HbmTensor<f32, Chip, m![X, K]>) {{
    let x: DmTensor<f32, Chip, Cluster, m![X], m![K]> = x.to_dm(&mut device.tdma);
}}
"
    );
    assert!(!report(&text).unresolved.is_empty());
    let launched = format!(
        "{text}async fn run(device: &mut Device, x: &HbmTensor<f32, Chip, m![N, K]>) {{ device.launch(kernel, (x,)).await; }}"
    );
    let found = report(&launched);
    assert!(found.unresolved.is_empty(), "{:?}", found.unresolved);
    let rules: Vec<_> = found.diagnostics.iter().map(|found| found.rule).collect();
    assert!(
        rules.contains(&"slice_size"),
        "eight slices are no grid: {rules:?}"
    );
}

/// What of an item's types is worked out with the item itself: each of these once ended in a defect, an overflow of the stack or not
/// at all.
const WITHIN_THEMSELVES: [&str; 21] = [
    "impl<D> Self { fn f(self) {} }",
    "impl<D:Self{fn f(self",
    "impl<D> &Self { fn f(self, d: D) -> Self { self } }",
    "type B<D> = B<B<D>>; fn g(y: B<u8>) {}",
    "type B<D> = C<C<D>>; type C<D> = B<B<D>>; fn g(y: B<u8>) {}",
    "type B<D> = [B<D>; B::<D>::SIZE]; fn g(y: B<u8>, z: C) {} type C = m![{ B<C> }];",
    "struct S0 { a: [u8; M] } const M: usize = f(S0 { a: [0; M] }); fn f(x: S0) -> usize { let y: DmTensor<f32, Chip, Cluster, m![S], m![K]> = x.a; 1 }",
    "fn f(x: usize) -> usize { let w: [u8; f(1)] = [0; f(1)]; let t: Dm<m![K]> = w; x }",
    "fn f(x: usize) -> usize { let w: [u8; g(1)] = x; 1 } fn g(x: usize) -> usize { let w: [u8; f(1)] = x; 1 }",
    "type B<D, E> = DmTensor<D, m![1], m![1], m![1], E>; fn f(x: u8) { let w: B<bf16{ x, m![1]> = f(x); }",
    "struct X; impl X::T for X {} fn f(x: X::T) {}",
    "struct X; impl T for X {} use X::T::*; fn f(x: T) {}",
    "struct x; impl x::x for x {} impl x::x {} fn f(y: x::x) {}",
    "struct X; struct Y; impl Y::T for X {} impl X::T for Y {} fn f(x: X::T, y: Y::T) {}",
    "mod m { pub type B = super::<u8>::n::<u8>::B; } mod n { pub type B = super::<u8>::m::<u8>::B; } fn f(x: m::B, y: Dm<m::B>) {}",
    "mod m { pub type B<D> = super::<u8>::n::<u8>::B<D>; } mod n { pub type B<D> = super::<u8>::m::<u8>::B<D>; } fn f(x: Dm<m::B<K>>) {}",
    "struct P; impl P { const N: usize = Self::M; const M: usize = Self::N; } fn f(x: [u8; P::N]) {}",
    "trait T { const N: usize = Self::N; type B = Self::B; fn f(x: Self::B) -> Self { Self::f(Self::N) } } impl T for u8 {}",
    "impl<D: D> D for D { type D = D; const D: D = D; fn D(D: D) -> D { D::D } }",
    "struct S1<D = S1>(D); impl<D> S1<D> { fn f(x: S1) -> S1<S1<D>> { S1(x) } }",
    "macro_rules! r { ($($t:tt)*) => { r!(r!($($t)*)); type R = r!($($t)*); } } r!(x); fn f(x: R) {}",
];

#[test]
fn types_that_need_their_own_function_are_unknown() {
    for items in WITHIN_THEMSELVES {
        let body = "    let y: Dm<m![K]> = x.to_dm(&mut device.tdma);\n    let z = f(1);";
        for text in [
            format!("{HEAD}{items}\n"),
            kernel(body).replace("#[device", &format!("{items}\n#[device")),
        ] {
            visa_tests::hostile::examine(&text).unwrap_or_else(|why| panic!("{why}\n{text}"));
            report(&text);
        }
    }
}

/// As it is typed, each text ends after any letter.
#[test]
fn half_of_an_item_ends_as_the_whole() {
    for items in WITHIN_THEMSELVES {
        for end in (0..items.len()).step_by(3) {
            report(&format!("{HEAD}{}", &items[..end]));
        }
    }
}

#[test]
fn long_chains_of_names_end() {
    let chains: [&dyn Fn(usize) -> String; 6] = [
        &|at| format!("type A{} = (A{at}, A{at});", at + 1),
        &|at| format!("type A{}<D> = (A{at}<D>, A{at}<D>);", at + 1),
        &|at| format!("type A{} = m![{{ A{at} }}];", at + 1),
        &|at| format!("type A{} = self::<u8>::A{at};", at + 1),
        &|at| format!("struct A{}(A{at}, A{at});", at + 1),
        &|at| {
            format!(
                "trait T{at} {{}} struct A{}; impl A{at}::T{at} for A{} {{}}",
                at + 1,
                at + 1
            )
        },
    ];
    for chain in chains {
        let links: Vec<String> = (0..1_000).map(chain).collect();
        let text = kernel("    let y: A1000 = x.to_dm(&mut device.tdma);");
        let text = text.replace(
            "#[device",
            &format!(
                "{}\nfn g(y: A1000, z: A999<u8>) {{}}\n#[device",
                links.join("\n")
            ),
        );
        report(&text);
    }
    let constants: Vec<String> = (0..5_000)
        .map(|at| format!("const N{}: usize = Self::N{at};", at + 1))
        .collect();
    let block = format!(
        "struct P; impl P {{ const N0: usize = 1; {} }}",
        constants.join("\n")
    );
    report(&format!(
        "{HEAD}{block}\nfn g(y: [Dm<m![K]>; P::N5000]) {{}}\n"
    ));
}
