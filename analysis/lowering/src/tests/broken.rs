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
fn aliases_that_are_written_with_themselves_end() {
    let (_, body) = lower_in(
        "type P<X> = P<P<X>>; type Q<X> = R<m![{ X }, A], Q<X>>; type R<X, Y> = Q<R<Y, X>>;
         axes![A = 2048];
         struct Held<'a, X: M> { by: &'a P<X>, with: Q<X> }
         fn helper<X: M>(ctx: &mut Context, x: &P<X>, y: Q<P<X>>) -> P<Q<X>> { x.to_dm::<m![1], X, P<X>>(&mut ctx.tdma, 0) }
         #[device(chip = 1)] fn kernel(ctx: &mut Context, x: &HbmTensor<i32, m![1], P<m![A]>>) {
            let held = Held { by: x, with: x };
            let a: P<m![A]> = x.to_dm::<P<m![A]>, Q<m![A]>, R<m![A], m![A]>>(&mut ctx.tdma, 0);
            let b = helper(ctx, held.by, a);
         }",
        "kernel",
    );
    assert!(!body.operations.is_empty());
    assert!(!body.unresolved.is_empty());
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

/// A generator of numbers that gives the same ones in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % limit.max(1)
    }
}

#[test]
fn damaged_kernels_lower() {
    let mut numbers = Numbers(11);
    let texts: Vec<String> = super::book::kernels("right")
        .into_iter()
        .map(|(_, text)| text)
        .collect();
    let all: Vec<&str> = texts
        .iter()
        .flat_map(|text| text.split_inclusive([' ', '(', ',', '.', ':', '<', '>', '[']))
        .collect();
    for text in &texts {
        let words: Vec<&str> = text
            .split_inclusive([' ', '(', ',', '.', ':', '<', '>', '['])
            .collect();
        for _ in 0..12 {
            let mut damaged = words.clone();
            for _ in 0..1 + numbers.below(4) {
                let place = numbers.below(damaged.len());
                match numbers.below(3) {
                    0 => {
                        damaged.remove(place);
                    }
                    1 => damaged.insert(place, all[numbers.below(all.len())]),
                    _ => damaged[place] = all[numbers.below(all.len())],
                }
            }
            let text = damaged.concat();
            let mut db = AnalysisDatabase::default();
            db.set_project(
                [("kernel.rs", text.as_str())],
                Vec::new(),
                Options::default(),
            );
            let file = db.file("kernel.rs").expect("the file");
            for item in file_items(&db, file)
                .items
                .iter()
                .filter(|item| item.kind(&db) == ItemKind::Function)
            {
                let body = crate::body(&db, *item);
                // Every number of the body names something.
                for operation in &body.operations {
                    if let OperationKind::Copy(copy) = &operation.kind {
                        assert!(
                            body.tensor(copy.source).is_some()
                                && body.tensor(copy.target).is_some()
                        );
                    }
                }
                for tensor in &body.tensors {
                    assert!(tensor.created_before.0 as usize <= body.operations.len());
                }
            }
        }
    }
}
