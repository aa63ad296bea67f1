//! Input that no compiler takes: what can be had is had, and nothing panics or hangs.

use super::*;

const HEAD: &str = "axes![A = 2048];\n";

fn kernel(body: &str) -> Arc<Body> {
    lower_in(&format!("{HEAD}#[device(chip = 1)] fn kernel(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![A]>) {{ {body}\n}}"), "kernel").1
}

#[test]
fn every_prefix_of_a_kernel_lowers() {
    let text = "let t = x.to_dm::<m![1 # 2], m![A / 8], m![A % 8]>(&mut ctx.tdma, 1 << 4); for i in 0..2 { if i == 0 { let y: DmTensor<i32, m![1], _, _, m![A % 8]> = ctx.main.begin(t.view()).fetch::<i32, m![1], m![A % 8]>().switch::<m![A / 8], m![1]>(SwitchConfig::Transpose { slice1: 1, slice0: 1 }).collect().vector_init().vector_fxp(FxpBinaryOp::AddFxp, VeRhs::constant(1)).commit(0); match i { 0 => (), n if n > 1 => {} _ => return } } }";
    for end in 0..text.len() {
        let body = kernel(&text[..end]);
        assert!(body.operations.len() <= 3, "{}", &text[..end]);
    }
    assert_eq!(kernel(text).operations.len(), 2);
}

#[test]
fn what_stands_after_a_fault_is_still_read() {
    let body = kernel(
        "let a = x.to_dm::<m![1 # 2], m![A / 8], m![A, ]>(&mut ctx.tdma, 0);
         let b = x.to_dm::<m![1 # 2], m![A / 8], m![A % 8]>(&mut ctx.tdma, 0x100);",
    );
    assert_eq!(body.operations.len(), 2);
    assert_eq!(reasons(&body), [UnresolvedReason::IllFormedMapping]);
}

#[test]
fn long_chains_and_deep_nests_end() {
    let chain = ".view()".repeat(1_000);
    let body = kernel(&format!("let y = x{chain};"));
    assert_eq!(body.operations.len(), 0);
    let nest = format!(
        "{}x.to_dm::<m![1 # 2], m![A / 8], m![A % 8]>(&mut ctx.tdma, 0);{}",
        "{ ".repeat(150),
        " }".repeat(150)
    );
    kernel(&nest);
    let sum = format!("let y = {};", vec!["1"; 1_000].join(" + "));
    kernel(&sum);
}

#[test]
fn cyclic_aliases_are_nobodys_mapping() {
    let (_, body) = lower_in(
        "type P = m![{ Q }, { Q }]; type Q = m![{ P }, { P }]; type V = W; type W = V; type S = S;
         #[device(chip = 1)] fn kernel(ctx: &mut Context, x: &HbmTensor<i32, m![1], P>) {
            let a = x.to_dm::<V, S, Q>(&mut ctx.tdma, 0);
            let b: V = x.to_dm::<V, S, Q>(&mut ctx.tdma, 0);
         }",
        "kernel",
    );
    assert_eq!(body.operations.len(), 2);
    assert!(
        reasons(&body)
            .iter()
            .all(|reason| *reason == UnresolvedReason::IllFormedMapping),
        "{:?}",
        reasons(&body)
    );
}

#[test]
fn a_function_without_kernels_business_is_silent() {
    let (_, body) = lower_in(
        "fn plain(a: usize) -> usize { let b = other(a); foo.to_dm(b); b.unknown().view() }",
        "plain",
    );
    assert_eq!((body.operations.len(), body.unresolved.len()), (0, 0));
}

#[test]
fn tests_count_nothing() {
    let text = format!(
        "{HEAD}#[tokio::test] async fn check() {{ let mut ctx = Context::acquire(); unknown(&mut ctx.tdma); }}"
    );
    let (_, body) = lower_in(&text, "check");
    assert_eq!(reasons(&body), []);
}
