//! Helpers, stage functions, generic functions, recursion.

use super::*;
use crate::hardware::ElementType;
use crate::kernel::{Context, PassEnd, PassSource, Position};

#[test]
fn a_stage_function_stands_for_itself() {
    let (_, body) = lower_in(
        "axes![P = 512];
         fn stage<'l, const T: Tu>(x: CollectTensor<'l, T, i32, m![1], m![1 # 2], m![P / 2], m![1], m![P % 2 # 8]>)
            -> VectorFinalTensor<'l, T, i32, m![1], m![1 # 2], m![P / 2], m![1], m![P % 2 # 8]> {
            x.vector_init().vector_intra_slice_branch(BranchMode::Unconditional).vector_final()
        }",
        "stage",
    );
    assert_eq!(reasons(&body), []);
    let pass = passes(&body)[0];
    assert_eq!(pass.context, None);
    assert_eq!(
        pass.source,
        PassSource::Parameter {
            position: Position::Collect
        }
    );
    assert_eq!(shown(&pass.begin.packet), "P % 2 # 8");
    assert_eq!(
        pass.stages
            .iter()
            .map(|stage| stage.method.as_str())
            .collect::<Vec<_>>(),
        ["vector_init", "vector_intra_slice_branch", "vector_final"]
    );
    assert_eq!(pass.end, PassEnd::Open);
    assert!(!body.reached_from_kernel);
}

#[test]
fn the_result_of_a_stage_function_fills_its_stage() {
    let (db, body) = lower_in(
        "axes![A = 8];
         fn stage<'l, const T: Tu>(x: BeginTensor<'l, T, i8, m![1], m![1], m![1], m![1], m![A]>)
            -> FetchTensor<'l, T, i32, m![1], m![1], m![1], m![1], m![A # 16]> { x.fetch() }",
        "stage",
    );
    assert_eq!(reasons(&body), []);
    let stage = &passes(&body)[0].stages[0];
    assert_eq!(stage.output.element_type.value, Some(ElementType::I32));
    assert_eq!(shown(&stage.output.packet), "A # 16");
    assert_eq!(text_at(&db, stage.output.packet.span), "m![A # 16]");
}

const KERNEL: &str = "axes![A = 2048, B = 512];
     type Packet = m![A % 8];
     fn add<'l, const T: Tu>(x: CollectTensor<'l, T, i32, m![1], m![1 # 2], m![A / 8], m![1], Packet>)
        -> VectorFinalTensor<'l, T, i32, m![1], m![1 # 2], m![A / 8], m![1], Packet> {
        x.vector_init().vector_intra_slice_branch(BranchMode::Unconditional).vector_fxp(FxpBinaryOp::AddFxp, 3).vector_final()
     }
     mod inner {
        use super::*;
        pub fn load(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![A]>, at: u64) -> DmTensor<i32, m![1], m![1 # 2], m![A / 8], Packet> {
            x.to_dm(&mut ctx.tdma, at + 64)
        }
     }
     #[device(chip = 1)] fn kernel(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![A]>) -> DmTensor<i32, m![1], m![1 # 2], m![A / 8], Packet> {
        let first = inner::load(ctx, x, 0);
        let second = inner::load(ctx, x, 4096);
        add(ctx.main.begin(first.view()).fetch::<i32, m![1], Packet>().collect::<m![1], Packet>()).commit(0x3000)
     }";

#[test]
fn helpers_are_followed_into_with_their_arguments() {
    let (db, body) = lower_in(KERNEL, "kernel");
    assert_eq!(reasons(&body), []);
    assert_eq!(methods(&body.operations), ["to_dm", "to_dm", "pass of 6"]);
    let addresses: Vec<Option<u64>> = body
        .tensors
        .iter()
        .filter(|tensor| tensor.name.is_some())
        .map(|tensor| tensor.address.bytes())
        .collect();
    // The parameter's address is unknown; the two loads are 64 bytes after what they were given.
    assert_eq!(addresses, [None, Some(64), Some(4160)]);
    // A helper's operation is in the helper, with the call beside it.
    let load = &body.operations[1];
    assert_eq!(text_at(&db, load.span), "to_dm");
    assert_ne!(load.span.item, body.span.item);
    assert_eq!(
        load.calls
            .iter()
            .map(|span| text_at(&db, *span))
            .collect::<Vec<_>>(),
        ["inner::load"]
    );
    let pass = passes(&body)[0];
    assert_eq!(pass.context, Some(Context::Main));
    assert_eq!(pass.stages[4].method, "vector_fxp");
    assert!(body.reached_from_kernel);
}

#[test]
fn a_called_helper_is_reached_and_its_own_address_is_its_callers_business() {
    let (_, body) = lower_in(KERNEL, "load");
    assert!(body.reached_from_kernel);
    assert_eq!(methods(&body.operations), ["to_dm"]);
    assert_eq!(reasons(&body), []);
}

const GENERIC: &str = "axes![A = 2048, B = 512];
     fn copy<E: M, X: AxisName, D: Scalar>(ctx: &mut Context, x: &HbmTensor<D, m![1], m![{ E }, X]>) -> DmTensor<D, m![1], m![1 # 2], m![X / 2], m![{ E } # 16, X % 2]> {
        x.to_dm(&mut ctx.tdma, 0)
     }
     #[device(chip = 1)] fn kernel(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![A / 256, B]>) {
        let y = copy(ctx, x);
        let z = copy::<m![A / 512], B, i32>(ctx, x);
     }
     fn lonely<E: M>(ctx: &mut Context, x: &HbmTensor<i32, m![1], E>) { let y: DmTensor<_, _, m![1 # 2], m![1 # 256], E> = x.to_dm(&mut ctx.tdma, 0); }";

#[test]
fn generic_parameters_are_bound_by_arguments_and_turbofish() {
    let (_, body) = lower_in(GENERIC, "kernel");
    assert_eq!(reasons(&body), []);
    let named = |name: &str| {
        body.tensors
            .iter()
            .find(|tensor| tensor.name.as_deref() == Some(name))
            .expect("the tensor")
    };
    assert_eq!(shown(&named("y").levels.element), "A / 256 # 16, B % 2");
    assert_eq!(
        named("y").levels.slice.as_ref().map(shown).as_deref(),
        Some("B / 2")
    );
    assert_eq!(named("y").element_type.value, Some(ElementType::I32));
    assert_eq!(shown(&named("z").levels.element), "A / 512 # 16, B % 2");
}

#[test]
fn a_generic_function_is_judged_where_it_is_called() {
    let (_, body) = lower_in(GENERIC, "copy");
    assert_eq!(reasons(&body), []);
    let (db, body) = lower_in(GENERIC, "lonely");
    assert_eq!(reasons(&body), [UnresolvedReason::NeverCalled]);
    assert_eq!(text_at(&db, body.unresolved[0].span), "lonely");
}

#[test]
fn recursion_ends() {
    let text = "axes![A = 2048];
         fn again(ctx: &mut Context, x: &DmTensor<i32, m![1], m![1 # 2], m![A / 8], m![A % 8]>) -> DmTensor<i32, m![1], m![1 # 2], m![A / 8], m![A % 8]> {
            let y = again(ctx, x);
            ctx.main.begin(y.view()).fetch::<i32, m![1], m![A % 8]>().collect::<m![1], m![A % 8]>().commit(0)
         }";
    let (db, body) = lower_in(text, "again");
    assert_eq!(reasons(&body), [UnresolvedReason::Recursion]);
    assert_eq!(text_at(&db, body.unresolved[0].span), "again");
    // The call still has its declared result.
    assert_eq!(methods(&body.operations), ["pass of 2"]);
    assert_eq!(shown(&passes(&body)[0].begin.packet), "A % 8");
}

#[test]
fn a_helper_from_elsewhere_is_unresolved() {
    let (db, body) = lower_in(
        "use other::helper; axes![A = 2048];
         #[device(chip = 1)] fn kernel(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![A]>) { helper(ctx, x); }",
        "kernel",
    );
    assert_eq!(
        reasons(&body),
        [UnresolvedReason::UnknownName("helper".to_owned())]
    );
    assert_eq!(text_at(&db, body.unresolved[0].span), "helper");
}

#[test]
fn tuples_come_apart() {
    let (_, body) = lower_in(
        "axes![A = 2048];
         type T = DmTensor<i32, m![1], m![1 # 2], m![A / 8], m![A % 8]>;
         fn both(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![A]>) -> (T, T) { (x.to_dm(&mut ctx.tdma, 0), x.to_dm(&mut ctx.tdma, 32)) }
         #[device(chip = 1)] fn kernel(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![A]>) -> (T, T) {
            let (one, two) = both(ctx, x);
            (two, one)
         }",
        "kernel",
    );
    assert_eq!(reasons(&body), []);
    let named = |name: &str| {
        body.tensors
            .iter()
            .find(|tensor| tensor.name.as_deref() == Some(name))
            .expect("the tensor")
    };
    assert_eq!(named("one").address.bytes(), Some(0));
    assert_eq!(named("two").address.bytes(), Some(32));
    assert_eq!(body.escaping, [named("one").id, named("two").id]);
}

#[test]
fn a_constant_parameter_hides_no_axis() {
    let (_, body) = lower_in(
        "axes![M = 32, K = 16, T = 5];
         fn stage<'l, const T: Tu>(x: CollectTensor<'l, { T }, bf16, m![1], m![1 # 2], m![1 # 256], m![M], m![K]>)
            -> CollectTensor<'l, { T }, bf16, m![1], m![1 # 2], m![1 # 256], m![M, T], m![K]> { x.collect() }",
        "stage",
    );
    assert_eq!(reasons(&body), []);
    assert_eq!(shown(&passes(&body)[0].stages[0].output.time), "M, T");
}

#[test]
fn methods_of_the_projects_own_types_are_counted() {
    let (_, body) = lower_in(
        "axes![A = 2048];
         #[device(chip = 1)] fn kernel(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![A]>) {
            let layer = Layer { scale: 3 };
            layer.run(ctx, x);
            let unknown = other();
            unknown.run(ctx);
         }",
        "kernel",
    );
    let run = UnresolvedReason::UnknownMethod {
        name: "run".to_owned(),
        dialect: crate::items::Dialect::default(),
    };
    assert_eq!(reasons(&body), [run.clone(), run]);
}

#[test]
fn structs_and_lists_carry_tensors() {
    let (_, body) = lower_in(
        "axes![A = 2048];
         type T = DmTensor<i32, m![1], m![1 # 2], m![A / 8], m![A % 8]>;
         struct Pair { one: T, two: T }
         #[device(chip = 1)] fn kernel(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![A]>) {
            let pair = Pair { one: x.to_dm(&mut ctx.tdma, 0), two: x.to_dm(&mut ctx.tdma, 32) };
            let mut list = Vec::new();
            for i in 0..2 { let t: T = x.to_dm(&mut ctx.tdma, 64 + 32 * i); list.push(t); }
            let a: HbmTensor<i32, m![1], m![A]> = list[1].to_hbm(&mut ctx.tdma, 0);
            let Pair { two, .. } = pair;
            let b: HbmTensor<i32, m![1], m![A]> = two.to_hbm(&mut ctx.tdma, 8192);
         }
         fn both(ctx: &mut Context, pair: &Pair) -> HbmTensor<i32, m![1], m![A]> { pair.one.to_hbm(&mut ctx.tdma, 0) }",
        "kernel",
    );
    assert_eq!(reasons(&body), []);
    let sources: Vec<Option<u64>> = body
        .operations
        .iter()
        .filter_map(|operation| match &operation.kind {
            OperationKind::Copy(copy) if copy.method == "to_hbm" => body
                .tensor(copy.source)
                .map(|tensor| tensor.address.bytes()),
            _ => None,
        })
        .collect();
    assert_eq!(sources, [Some(96), Some(32)]);
}

#[test]
fn the_same_helper_tiles_other_tensors_in_other_calls() {
    let (_, body) = lower_in(
        "axes![A = 4, B = 8, K = 64];
         fn part<E: M, X: AxisName>(ctx: &mut Context, x: &HbmTensor<i8, m![1], m![X, K]>, i: usize) {
            let y: DmTensor<i8, m![1], m![1 # 2], m![1 # 256], m![K]> = x.view().tile::<m![X], 1, m![1 # 4, K]>(i).to_dm(&mut ctx.tdma, 0);
         }
         #[device(chip = 1)] fn kernel(ctx: &mut Context, a: &HbmTensor<i8, m![1], m![A, K]>, b: &HbmTensor<i8, m![1], m![B, K]>) {
            for i in 0..4 { part(ctx, a, i); }
            for i in 0..8 { part(ctx, b, i); }
         }",
        "kernel",
    );
    let ranges: Vec<Option<(u64, u64)>> = body
        .tensors
        .iter()
        .filter_map(|tensor| match &tensor.origin {
            crate::kernel::Origin::View {
                tile: Some(tile), ..
            } => Some(tile.start_range),
            _ => None,
        })
        .collect();
    assert_eq!(ranges.len(), 12);
    assert!(ranges[..4].iter().all(|range| *range == Some((0, 3))));
    assert!(ranges[4..].iter().all(|range| *range == Some((0, 7))));
}

#[test]
fn a_struct_parameter_has_its_fields() {
    let (_, body) = lower_in(
        "axes![A = 2048];
         struct Inner<'l> { ctx: &'l mut Context, one: DmTensor<i32, m![1], m![1 # 2], m![A / 8], m![A % 8]>, more: Option<Box<Inner<'l>>> }
         fn store(inner: &mut Inner) -> HbmTensor<i32, m![1], m![A]> { inner.one.to_hbm(&mut inner.ctx.tdma, 64) }",
        "store",
    );
    assert_eq!(reasons(&body), []);
    assert_eq!(methods(&body.operations), ["to_hbm"]);
}

#[test]
fn helpers_of_other_files_are_followed_into() {
    let mut db = AnalysisDatabase::default();
    let files = [
        (
            "src/lib.rs",
            "pub mod axes; pub mod load;\nuse furiosa_visa_std::prelude::*;\nuse crate::axes::{Width_a as W, Local};\n#[device(chip = 1)] fn kernel(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![W]>) -> Local { let t = load::all(ctx, x); t }",
        ),
        (
            "src/axes.rs",
            "use furiosa_visa_std::prelude::*;\naxes![Width_a = 2048];\npub type Local = DmTensor<i32, m![1], m![1 # 2], m![Width_a / 8], m![Width_a % 8]>;",
        ),
        (
            "src/load.rs",
            "use furiosa_visa_std::prelude::*;\nuse super::axes::*;\npub fn all(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![Width_a]>) -> Local { x.to_dm(&mut ctx.tdma, 0) }",
        ),
    ];
    let package = crate::inputs::Package {
        name: "own".into(),
        root: "".into(),
    };
    db.set_project(files, vec![package], Options::default());
    let function = |path: &str, name: &str| {
        let file = db.file(path).expect("the file");
        file_items(&db, file)
            .items
            .iter()
            .copied()
            .find(|item| &*item.name(&db) == name)
            .expect("the function")
    };
    let body = super::super::body(&db, function("src/lib.rs", "kernel"));
    assert_eq!(reasons(&body), []);
    assert_eq!(methods(&body.operations), ["to_dm"]);
    let t = body
        .tensors
        .iter()
        .find(|tensor| tensor.name.as_deref() == Some("t"))
        .expect("the tensor");
    assert_eq!(shown(&t.levels.element), "Width_a % 8");
    assert_eq!(body.operations[0].span.item, function("src/load.rs", "all"));
    assert!(super::super::body(&db, function("src/load.rs", "all")).reached_from_kernel);
}

#[test]
fn arrays_constants_contexts_and_late_assignments_go_through_calls() {
    let text = "axes![A = 2048];
         type T = DmTensor<i32, m![1], m![1 # 2], m![A / 8], m![A % 8]>;
         type H = HbmTensor<i32, m![1], m![A]>;
         fn copy<const N: usize>(tdma: &mut DmaContext<{ Dma::Tensor }>, from: &[T; 2], flag: bool) -> H {
            let mut out: H;
            for i in 0..N { out = from[i % 2].to_hbm(tdma, i as u64 * 8192); }
            if flag { out = from[0].to_hbm(tdma, 0x10000); } else { out = from[1].to_hbm(tdma, 0x10000); }
            out
         }
         fn pass<const T: Tu>(unit: &mut TuContext<{ T }>, x: &T) -> VrfTensor<i32, m![1], m![1 # 2], m![A / 8], m![A % 8]> {
            unit.begin(x.view()).fetch::<i32, m![1], m![A % 8]>().collect::<m![1], m![A % 8]>().to_vrf(0)
         }
         #[device(chip = 1)] fn kernel(ctx: &mut Context, a: &H, flag: bool) -> H {
            let pair = [a.to_dm(&mut ctx.tdma, 0), <T>::from_addr(64)];
            let v = pass(&mut ctx.sub, &pair[0]);
            copy::<3>(&mut ctx.tdma, &pair, flag)
         }";
    let (_, body) = lower_in(text, "kernel");
    assert_eq!(reasons(&body), []);
    assert_eq!(
        methods(&body.operations),
        [
            "to_dm",
            "pass of 2",
            "to_hbm",
            "to_hbm",
            "to_hbm",
            "to_hbm",
            "to_hbm"
        ]
    );
    assert_eq!(passes(&body)[0].context, Some(Context::Sub));
    // Alone the helper knows neither its constant nor its flag; the kernel that calls it says both.
    let (_, body) = lower_in(text, "copy");
    assert_eq!(reasons(&body), []);
    assert_eq!(body.operations.len(), 4);
}

/// Functions `f0` to the one of that number, each of which calls the next one twice; the last one has a body of its own.
fn doubling(levels: usize, last: &str) -> String {
    let calls = (0..levels).map(|level| {
        let next = level + 1;
        format!("fn f{level}(ctx: &mut Context) {{ f{next}(ctx); f{next}(ctx); }}\n")
    });
    let calls: String = calls.collect();
    format!("axes![A = 64];\n{calls}fn f{levels}(ctx: &mut Context) {{ {last} }}\n")
}

#[test]
fn helpers_that_do_nothing_are_followed_once() {
    // Two to the power of twenty calls, where a body may have 200,000 expressions.
    let (_, body) = lower_in(&doubling(20, ""), "f0");
    assert_eq!(reasons(&body), []);
    // Deeper than helpers are followed: that is the only thing to say.
    let (_, body) = lower_in(
        &format!(
            "#[device(chip = 1)] {}",
            doubling(60, "").replace("axes![A = 64];\n", "")
        ),
        "f0",
    );
    let mut said = reasons(&body);
    said.dedup();
    assert_eq!(said, [UnresolvedReason::TooDeep("helpers")]);
}

/// The addresses of tensors that a kernel places by hand, with the helpers around it.
fn addresses(helpers: &str, kernel: &str) -> Vec<Option<u64>> {
    let text = format!(
        "axes![A = 64];
         type T = DmTensor<i8, m![1], m![1 # 2], m![1 # 256], m![A]>;
         {helpers}
         #[device(chip = 1)] fn kernel(ctx: &mut Context) {{ {kernel} }}"
    );
    let (_, body) = lower_in(&text, "kernel");
    assert_eq!(reasons(&body), []);
    let tensors = body.tensors.iter();
    tensors.map(|tensor| tensor.address.bytes()).collect()
}

#[test]
fn helpers_that_compute_numbers_are_followed_once_for_equal_ones() {
    // Two to the power of twenty calls, each of which gives the double of the next one.
    let calls = (0..20).map(|level| {
        let next = level + 1;
        format!("fn f{level}(x: u64) -> u64 {{ f{next}(x) + f{next}(x) }}\n")
    });
    let helpers = calls.collect::<String>() + "fn f20(x: u64) -> u64 { x }";
    let kernel = "let x = unsafe { T::from_addr(f0(3)) };";
    assert_eq!(addresses(&helpers, kernel), [Some(3 << 20)]);
}

#[test]
fn helpers_that_are_given_tensors_and_do_nothing_are_followed_once() {
    let calls = (0..20).map(|level| {
        let next = level + 1;
        format!("fn f{level}(ctx: &mut Context, x: &T) {{ f{next}(ctx, x); f{next}(ctx, x); }}\n")
    });
    let helpers = calls.collect::<String>() + "fn f20(ctx: &mut Context, x: &T) { }";
    let kernel = "let x = unsafe { T::from_addr(64) }; f0(ctx, &x);";
    assert_eq!(addresses(&helpers, kernel), [Some(64)]);
}

#[test]
fn helpers_of_a_block_are_followed_for_each_of_its_parameters() {
    let helpers = "struct Step<const N: u64>;
         impl<const N: u64> Step<N> {
            fn times(x: u64) -> u64 { x * N }
            fn at(x: u64) -> u64 { Self::times(x) }
         }
         trait Sized64 { const SIZE: u64; fn times(x: u64) -> u64 { x * Self::SIZE } fn at(x: u64) -> u64 { Self::times(x) } }
         struct One; struct Two;
         impl Sized64 for One { const SIZE: u64 = 64; }
         impl Sized64 for Two { const SIZE: u64 = 128; }";
    let kernel = "let x = unsafe { T::from_addr(Step::<64>::at(1)) };
         let y = unsafe { T::from_addr(Step::<128>::at(1)) };
         let z = unsafe { T::from_addr(One::at(3)) };
         let w = unsafe { T::from_addr(Two::at(3)) };";
    let expected = [64, 128, 192, 384].map(Some);
    assert_eq!(addresses(helpers, kernel), expected);
}

#[test]
fn a_helper_changes_each_number_that_it_is_lent() {
    let helpers = "fn step(next: &mut u64) { *next += 64; }
         fn taken(next: &mut u64) -> u64 { *next += 64; *next - 64 }";
    let kernel = "let (mut a, mut b) = (0, 0);
         step(&mut a);
         step(&mut b);
         let x = unsafe { T::from_addr(a) };
         let y = unsafe { T::from_addr(b) };
         let (mut a, mut b) = (0, 0);
         let (x, y) = (taken(&mut a), taken(&mut b));
         let x = unsafe { T::from_addr(x + a) };
         let y = unsafe { T::from_addr(y + b) };";
    assert_eq!(addresses(helpers, kernel), [Some(64); 4]);
}

#[test]
fn helpers_that_do_something_are_followed_each_time() {
    let load = "let x = unsafe { DmTensor::<i8, m![1], m![1 # 2], m![1 # 256], m![A]>::from_addr(0) };
        ctx.main.begin(x.view()).fetch::<i8, m![A / 32], m![A % 32]>().collect::<m![A / 32], m![A % 32]>().commit::<m![A]>(4096);";
    let (_, body) = lower_in(&doubling(5, load), "f0");
    assert_eq!(passes(&body).len(), 32);
    // They do not multiply without end.
    let (_, body) = lower_in(&doubling(30, load), "f0");
    assert_eq!(reasons(&body), [UnresolvedReason::TooManyOperations]);
}
