//! Rust around kernels: traits, places that are lent, patterns, sequences.

use super::*;

const HEAD: &str = "axes![A = 2048, B = 4096];
type X<T> = DmTensor<i8, m![1], m![1 # 2], T, m![A % 8]>;
type Eight = m![A / 8];
type Other = m![B / 16];
fn eight(ctx: &mut Context, h: &HbmTensor<i8, m![1], m![A, B]>) -> X<Eight> { h.to_dm(&mut ctx.tdma, 0) }
fn other(ctx: &mut Context, h: &HbmTensor<i8, m![1], m![A, B]>) -> X<Other> { h.to_dm(&mut ctx.tdma, 4096) }
";

/// The slices that the tensors have which the transfers of `kernel` make, in order.
fn loads(declarations: &str, statements: &str) -> Vec<String> {
    let text = format!(
        "{HEAD}{declarations}\n#[device(chip = 1)]\nfn kernel(ctx: &mut Context, h: &HbmTensor<i8, m![1], m![A, B]>) {{ {statements} }}"
    );
    let (_db, body) = lower_in(&text, "kernel");
    assert_eq!(reasons(&body), [], "{statements}");
    let targets = body.operations.iter().filter_map(|operation| {
        let OperationKind::Copy(copy) = &operation.kind else {
            return None;
        };
        let target = body.tensor(copy.target)?;
        let slice = target
            .levels
            .iter()
            .find(|(level, _)| *level == crate::kernel::Level::Slice);
        Some(slice.map_or_else(String::new, |(_, written)| shown(written)))
    });
    targets.collect()
}

/// What a view of a tensor is stored as, which says which tensor a name means.
fn stored(declarations: &str, statements: &str, name: &str) -> String {
    let text = format!(
        "{HEAD}{declarations}\n#[device(chip = 1)]\nfn kernel(ctx: &mut Context, h: &HbmTensor<i8, m![1], m![A, B]>) {{ {statements} let z: HbmTensor<i8, m![1], _> = {name}.to_hbm(&mut ctx.tdma, 0); }}"
    );
    let (_db, body) = lower_in(&text, "kernel");
    let mut copies = body
        .operations
        .iter()
        .filter_map(|operation| match &operation.kind {
            OperationKind::Copy(copy) => body.tensor(copy.source),
            _ => None,
        });
    let source = copies
        .next_back()
        .unwrap_or_else(|| panic!("a store: {statements}"));
    let slice = source
        .levels
        .iter()
        .find(|(level, _)| *level == crate::kernel::Level::Slice);
    slice.map_or_else(String::new, |(_, written)| shown(written))
}

const TRAIT: &str = "trait Op {
    type T: M;
    const TWICE: bool = false;
    fn once(ctx: &mut Context, h: &HbmTensor<i8, m![1], m![A, B]>) -> X<Self::T>;
    fn run(ctx: &mut Context, h: &HbmTensor<i8, m![1], m![A, B]>) -> X<Self::T> {
        let first = Self::once(ctx, h);
        if Self::TWICE { Self::once(ctx, h) } else { first }
    }
}
struct First;
struct Second;
impl Op for First {
    type T = Eight;
    fn once(ctx: &mut Context, h: &HbmTensor<i8, m![1], m![A, B]>) -> X<Eight> { eight(ctx, h) }
}
impl Op for Second {
    type T = Other;
    const TWICE: bool = true;
    fn once(ctx: &mut Context, h: &HbmTensor<i8, m![1], m![A, B]>) -> X<Other> { other(ctx, h) }
}
fn generic<O: Op>(ctx: &mut Context, h: &HbmTensor<i8, m![1], m![A, B]>) { let _ = O::run(ctx, h); }
";

#[test]
fn functions_that_a_trait_gives_know_what_they_are_called_on() {
    for (call, expected) in [
        ("First::run(ctx, h);", vec!["A / 8"]),
        ("Second::run(ctx, h);", vec!["B / 16", "B / 16"]),
        ("<First as Op>::run(ctx, h);", vec!["A / 8"]),
        ("generic::<Second>(ctx, h);", vec!["B / 16", "B / 16"]),
        ("generic::<First>(ctx, h);", vec!["A / 8"]),
    ] {
        assert_eq!(loads(TRAIT, call), expected, "{call}");
    }
}

#[test]
fn methods_of_a_name_are_told_apart_by_what_they_are_called_on() {
    let methods = "trait Load { fn load(&mut self, h: &HbmTensor<i8, m![1], m![A, B]>) -> X<Eight>; }
        impl Load for Context { fn load(&mut self, h: &HbmTensor<i8, m![1], m![A, B]>) -> X<Eight> { eight(self, h) } }
        struct Loader;
        impl Loader { fn load(&self, ctx: &mut Context, h: &HbmTensor<i8, m![1], m![A, B]>) -> X<Other> { other(ctx, h) } }
        trait Again { fn again(&self, ctx: &mut Context, h: &HbmTensor<i8, m![1], m![A, B]>); }
        impl Again for X<Eight> { fn again(&self, ctx: &mut Context, h: &HbmTensor<i8, m![1], m![A, B]>) { eight(ctx, h); } }
        impl Again for X<Other> { fn again(&self, ctx: &mut Context, h: &HbmTensor<i8, m![1], m![A, B]>) { other(ctx, h); } }";
    assert_eq!(loads(methods, "let x = ctx.load(h);"), ["A / 8"]);
    assert_eq!(loads(methods, "let x = Loader.load(ctx, h);"), ["B / 16"]);
    assert_eq!(
        loads(methods, "let x = other(ctx, h); x.again(ctx, h);"),
        ["B / 16", "B / 16"]
    );
    assert_eq!(
        loads(methods, "let x = eight(ctx, h); x.again(ctx, h);"),
        ["A / 8", "A / 8"]
    );
}

#[test]
fn what_is_written_through_a_reference_reaches_the_place() {
    let declarations = "struct State<T> { x: T }
        impl<T> State<T> { fn set(&mut self, x: T) { self.x = x; } }
        fn replaced(first: &mut X<Other>, second: X<Other>) { *first = second; }
        struct Wrapped(X<Other>);
        impl std::ops::Deref for Wrapped { type Target = X<Other>; fn deref(&self) -> &X<Other> { &self.0 } }";
    for (statements, name, expected) in [
        (
            "let mut s = (eight(ctx, h), 1); s.0 = other(ctx, h);",
            "s.0",
            "B / 16",
        ),
        (
            "let mut s = State { x: eight(ctx, h) }; s.x = other(ctx, h);",
            "s.x",
            "B / 16",
        ),
        (
            "let mut s = State { x: eight(ctx, h) }; let o = other(ctx, h); s.set(o);",
            "s.x",
            "B / 16",
        ),
        (
            "let mut a = eight(ctx, h); let mut b = other(ctx, h); std::mem::swap(&mut a, &mut b);",
            "a",
            "B / 16",
        ),
        (
            "let mut a = eight(ctx, h); let b = other(ctx, h); let old = std::mem::replace(&mut a, b);",
            "old",
            "A / 8",
        ),
        ("let w = Wrapped(other(ctx, h));", "w", "B / 16"),
        (
            "let s = State { x: other(ctx, h) }; let t = State { ..s };",
            "t.x",
            "B / 16",
        ),
    ] {
        assert_eq!(
            stored(declarations, statements, name),
            expected,
            "{statements}"
        );
    }
}

#[test]
fn what_a_pattern_refuses_is_left() {
    let declarations = "fn load(ctx: &mut Context, h: Option<&HbmTensor<i8, m![1], m![A, B]>>) {
            let Some(h) = h else { return; };
            eight(ctx, h);
        }";
    assert_eq!(loads(declarations, "load(ctx, None);"), [""; 0]);
    assert_eq!(loads(declarations, "load(ctx, Some(h));"), ["A / 8"]);
}

#[test]
fn sequences_are_cut_and_joined() {
    for (sequence, count) in [
        ("[0, 1, 2, 3].chunks(2)", 2),
        ("[0, 1, 2, 3].windows(2)", 3),
        ("[0, 1, 2, 3].iter().skip(1)", 3),
        ("[0, 1, 2, 3].iter().skip(1).take(2)", 2),
        ("(0..2).chain(2..5)", 5),
        ("(0..6).filter(|at| at % 2 == 0)", 3),
        ("[0, 1, 2].iter().enumerate().rev()", 3),
    ] {
        let statements = format!("for _ in {sequence} {{ eight(ctx, h); }}");
        assert_eq!(loads("", &statements).len(), count, "{sequence}");
    }
}
