//! Loops, branches, blocks, and the values that go through them.

use super::*;
use crate::kernel::{BranchArm, LoopFrame, Origin, TileWindow};

const HEAD: &str = "axes![A = 2048, K = 32];
     type T = DmTensor<i32, m![1], m![1 # 2], m![A / 8], m![A % 8]>;
     type H = HbmTensor<i32, m![1], m![A]>;\n";

fn kernel(body: &str) -> (AnalysisDatabase, Arc<Body>) {
    let text = format!(
        "{HEAD}#[device(chip = 1)] fn kernel(ctx: &mut Context, x: &H, flag: bool, n: usize) {{ {body} }}"
    );
    lower_in(&text, "kernel")
}

/// The address of each operation's target.
fn targets(body: &Body) -> Vec<Option<u64>> {
    body.operations
        .iter()
        .filter_map(|operation| match &operation.kind {
            OperationKind::Copy(copy) => body
                .tensor(copy.target)
                .map(|tensor| tensor.address.bytes()),
            _ => None,
        })
        .collect()
}

fn copy(address: &str) -> String {
    format!("let t: T = x.to_dm(&mut ctx.tdma, {address});")
}

#[test]
fn a_loop_is_unrolled_with_its_variable() {
    let (_, body) = kernel(&format!(
        "for i in 0..3 {{ {} }}",
        copy("if i % 2 == 0 { 0x100 } else { 0x200 + i }")
    ));
    assert_eq!(reasons(&body), []);
    assert_eq!(targets(&body), [Some(0x100), Some(0x201), Some(0x100)]);
    let frames: Vec<(u64, Option<u64>)> = body
        .operations
        .iter()
        .flat_map(|operation| &operation.loops)
        .map(
            |LoopFrame {
                 iteration, count, ..
             }| (*iteration, *count),
        )
        .collect();
    assert_eq!(frames, [(0, Some(3)), (1, Some(3)), (2, Some(3))]);
    assert_eq!(body.shortened_loops, []);
}

#[test]
fn loops_run_over_what_rust_runs_over() {
    let cases: &[(&str, &str, &[u64])] = &[
        ("for i in (0..8).step_by(4) {", "i * 32", &[0, 128]),
        ("for i in 1..=2 {", "i << 5", &[32, 64]),
        ("for i in (0..2).rev() {", "i as u64 * 32", &[32, 0]),
        ("for a in [0x40, 0x80] {", "a", &[64, 128]),
        (
            "for (i, a) in ADDRESSES.iter().enumerate() {",
            "*a + 32 * i",
            &[4096, 8224],
        ),
        (
            "for (a, b) in [1u64, 2].iter().zip([32u64, 64]) {",
            "a * b",
            &[32, 128],
        ),
        ("for i in 0..<m![K / 16]>::SIZE {", "i * 32", &[0, 32]),
        ("for i in 0..COUNT {", "ADDRESSES[i]", &[4096, 8192]),
        ("let mut i = 0; while i < 2 { i += 1;", "i * 32", &[32, 64]),
        (
            "let mut i = 0; loop { if i == 2 { break; } i += 1;",
            "i * 32",
            &[32, 64],
        ),
        (
            "for i in 0..4 { if i == 1 { continue; } if i > 2 { break; }",
            "i * 32",
            &[0, 64],
        ),
    ];
    for (head, address, expected) in cases {
        let text = format!(
            "{HEAD}const ADDRESSES: [u64; 2] = [0x1000, 0x2000]; const COUNT: usize = 2;
             #[device(chip = 1)] fn kernel(ctx: &mut Context, x: &H) {{ {head} {} }} }}",
            copy(address)
        );
        let (_, body) = lower_in(&text, "kernel");
        assert_eq!(reasons(&body), [], "{head}");
        let expected: Vec<Option<u64>> = expected.iter().copied().map(Some).collect();
        assert_eq!(targets(&body), expected, "{head}");
    }
}

#[test]
fn a_long_loop_has_its_first_two_runs_and_its_last() {
    let (db, body) = kernel(&format!("for i in 0..1 << 40 {{ {} }}", copy("i * 32")));
    assert_eq!(reasons(&body), [UnresolvedReason::LongLoop(Some(1 << 40))]);
    assert_eq!(
        targets(&body),
        [Some(0), Some(32), Some(((1 << 40) - 1) * 32)]
    );
    assert_eq!(
        body.shortened_loops
            .iter()
            .map(|span| text_at(&db, *span))
            .collect::<Vec<_>>(),
        ["for"]
    );
}

#[test]
fn nested_loops_share_the_limit() {
    let (_, body) = kernel(&format!(
        "for i in 0..100 {{ for j in 0..100 {{ {} }} }}",
        copy("32")
    ));
    // 10,000 runs are too many: the outer loop is shortened to three, the inner one unrolled.
    assert_eq!(body.operations.len(), 300);
    assert_eq!(body.shortened_loops.len(), 1);
}

#[test]
fn an_unknown_condition_runs_both_arms() {
    let (db, body) = kernel(&format!(
        "if flag {{ {} }} else {{ {} }} {}",
        copy("32"),
        copy("64"),
        copy("96")
    ));
    assert_eq!(reasons(&body), []);
    assert_eq!(targets(&body), [Some(32), Some(64), Some(96)]);
    let arms: Vec<Vec<u32>> = body
        .operations
        .iter()
        .map(|operation| {
            operation
                .branches
                .iter()
                .map(|BranchArm { arm, .. }| *arm)
                .collect()
        })
        .collect();
    assert_eq!(arms, [vec![0], vec![1], vec![]]);
    assert_eq!(text_at(&db, body.operations[0].branches[0].span), "if");
    assert_eq!(
        body.operations[0].branches[0].span,
        body.operations[1].branches[0].span
    );
}

#[test]
fn a_known_condition_runs_one_arm() {
    let (_, body) = kernel(&format!(
        "const BIG: bool = 4 > 3; if BIG {{ {} }} else {{ {} }} match 3 {{ 0 | 1 => {{ {} }} 3 => {{ {} }} _ => {{ {} }} }}",
        copy("32"),
        copy("64"),
        copy("96"),
        copy("128"),
        copy("160")
    ));
    assert_eq!(targets(&body), [Some(32), Some(128)]);
    assert!(
        body.operations
            .iter()
            .all(|operation| operation.branches.is_empty())
    );
}

#[test]
fn an_unknown_match_runs_every_arm() {
    let (_, body) = kernel(&format!(
        "match n {{ 0 => {{ {} }} 1 => {{ {} }} _ => {{}} }}",
        copy("32"),
        copy("64")
    ));
    let arms: Vec<u32> = body
        .operations
        .iter()
        .flat_map(|operation| &operation.branches)
        .map(|arm| arm.arm)
        .collect();
    assert_eq!(arms, [0, 1]);
}

#[test]
fn values_that_differ_after_a_branch_are_unknown() {
    let (db, body) = kernel(&format!(
        "let mut at = 0; let mut same = 32; if flag {{ at = 64; same = 96; }} else {{ same = 96; }} {} {}",
        copy("same"),
        copy("at")
    ));
    assert_eq!(targets(&body), [Some(96), None]);
    assert_eq!(
        reasons(&body),
        [UnresolvedReason::UnsupportedExpression(
            "an address that is not a constant".to_owned()
        )]
    );
    assert_eq!(text_at(&db, body.unresolved[0].span), "at");
}

#[test]
fn tensors_of_two_arms_are_one_of_unknown_place() {
    let (_, body) = kernel(
        "let a: T = x.to_dm(&mut ctx.tdma, 0); let b: T = x.to_dm(&mut ctx.tdma, 32);
         let c = if flag { a } else { b };
         let out: H = c.to_hbm(&mut ctx.tdma, 0);",
    );
    assert_eq!(reasons(&body), []);
    let c = body
        .tensors
        .iter()
        .find(|tensor| tensor.name.as_deref() == Some("c"))
        .expect("the tensor");
    assert_eq!(c.address.bytes(), None);
    assert_eq!(shown(&c.levels.element), "A % 8");
}

#[test]
fn a_stream_from_before_a_branch_goes_on_in_each_arm() {
    let (_, body) = kernel(
        "let a: T = x.to_dm(&mut ctx.tdma, 0);
         let s = ctx.main.begin(a.view()).fetch::<i32, m![1], m![A % 8]>().collect::<m![1], m![A % 8]>();
         let c: T = if flag { s.commit(0x100) } else { s.vector_init().vector_final().commit(0x200) };",
    );
    assert_eq!(reasons(&body), []);
    assert_eq!(
        methods(&body.operations),
        ["to_dm", "pass of 2", "pass of 4"]
    );
    assert_eq!(body.operations[1].branches[0].arm, 0);
    assert_eq!(body.operations[2].branches[0].arm, 1);
}

#[test]
fn a_loop_without_known_bounds_is_named_where_it_matters() {
    let (db, body) = kernel(&format!("for i in 0..n {{ {} }}", copy("i as u64 * 32")));
    assert!(reasons(&body).contains(&UnresolvedReason::UnboundedLoop));
    let place = body
        .unresolved
        .iter()
        .find(|entry| entry.reason == UnresolvedReason::UnboundedLoop)
        .expect("the loop");
    assert_eq!(text_at(&db, place.span), "for");
    // Without the variable two runs stand for all.
    let (_, body) = kernel(&format!("for _ in 0..n {{ {} }}", copy("32")));
    assert_eq!(reasons(&body), []);
    assert_eq!(targets(&body), [Some(32), Some(32)]);
    assert_eq!(body.operations[1].loops[0].count, None);
}

fn windows(body: &Body) -> Vec<&TileWindow> {
    body.tensors
        .iter()
        .filter_map(|tensor| match &tensor.origin {
            Origin::View {
                tile: Some(tile), ..
            } => Some(&**tile),
            _ => None,
        })
        .collect()
}

#[test]
fn tiles_know_their_starts_over_all_runs() {
    let (db, body) = lower_in(
        "axes![K = 512, N = 64];
         #[device(chip = 1)] fn kernel(ctx: &mut Context, x: &DmTensor<i8, m![1], m![1 # 2], m![1 # 256], m![K, N]>) {
            for i in 0..4 {
                let y: DmTensor<i8, m![1], m![1 # 2], m![1 # 256], m![N]> =
                    ctx.main.begin(x.view().tile::<m![K / 8], 2, m![K / 8 = 2 # 64, K % 8, N]>(i * 2).tile::<m![K % 8], 1, m![K / 8 = 2 # 64, 1 # 8, N]>(3))
                        .fetch::<i8, m![K / 8 = 2], m![N]>().collect::<m![K / 8 = 2], m![N]>().commit(0x8000);
            }
         }",
        "kernel",
    );
    assert_eq!(reasons(&body), []);
    let windows = windows(&body);
    assert_eq!(windows.len(), 8);
    let starts: Vec<Option<u64>> = windows
        .iter()
        .step_by(2)
        .map(|window| window.start.value)
        .collect();
    assert_eq!(starts, [Some(0), Some(2), Some(4), Some(6)]);
    assert!(
        windows
            .iter()
            .step_by(2)
            .all(|window| window.start_range == Some((0, 6)))
    );
    assert_eq!(shown(&windows[0].index), "K / 8");
    assert_eq!(windows[0].length.value, Some(2));
    assert_eq!(text_at(&db, windows[0].length.span), "2");
    assert_eq!(text_at(&db, windows[0].start.span), "i * 2");
    assert_eq!(
        text_at(&db, windows[0].output.span),
        "m![K / 8 = 2 # 64, K % 8, N]"
    );
    assert_eq!(windows[1].start.value, Some(3));
    // The second tile is taken of the first.
    let second = body.tensors.iter().find(|tensor| matches!(&tensor.origin, Origin::View { tile: Some(tile), .. } if tile.length.value == Some(1))).expect("the tile");
    let Origin::View { of, .. } = second.origin else {
        panic!("a view")
    };
    assert_eq!(
        body.tensor(of)
            .map(|tensor| shown(&tensor.levels.element))
            .as_deref(),
        Some("K / 8 = 2 # 64, K % 8, N")
    );
}

#[test]
fn buffers_change_places_across_runs() {
    let (_, body) = kernel(
        "let mut a = unsafe { T::from_addr(0) }; let mut b = unsafe { T::from_addr(32) };
         for i in 0..2 {
            ctx.main.begin(a.view()).fetch::<i32, m![1], m![A % 8]>().collect::<m![1], m![A % 8]>().commit_view(b.view_mut());
            (a, b) = (b, a);
         }",
    );
    assert_eq!(reasons(&body), []);
    let read: Vec<Option<u64>> = passes(&body)
        .iter()
        .map(|pass| match &pass.source {
            crate::kernel::PassSource::Tensor(id) => {
                body.tensor(*id).and_then(|tensor| tensor.address.bytes())
            }
            _ => None,
        })
        .collect();
    assert_eq!(read, [Some(0), Some(32)]);
}

#[test]
fn shadowing_blocks_and_moves() {
    let (_, body) = kernel(
        "let x = { let y: T = x.to_dm(&mut ctx.tdma, 0); y };
         let x: H = x.to_hbm(&mut ctx.tdma, 64);
         let x: T = x.to_dm(&mut ctx.tdma, 96);",
    );
    assert_eq!(reasons(&body), []);
    assert_eq!(targets(&body), [Some(0), Some(64), Some(96)]);
}

#[test]
fn closures_run_where_they_are_called() {
    let (_, body) = kernel(
        "let place = |i: u64| i * 32 + 64;
         let mut load = |at| { let t: T = x.to_dm(&mut ctx.tdma, at); t };
         let a = load(place(1));
         let all = [0u64, 1].map(|i| load(i * 128));
         (2..4).for_each(|i| { load(i * 128); });
         let h: H = all[1].to_hbm(&mut ctx.tdma, 0);",
    );
    assert_eq!(reasons(&body), []);
    assert_eq!(
        targets(&body),
        [Some(96), Some(0), Some(128), Some(256), Some(384), Some(0)]
    );
}

#[test]
fn options_carry_the_tensor_of_the_run_before() {
    let (_, body) = kernel(
        "let mut before = None;
         for i in 0..3 {
            let t: T = x.to_dm(&mut ctx.tdma, i * 32);
            if let Some(last) = before { let h: H = last.to_hbm(&mut ctx.tdma, i * 4096); }
            before = Some(t);
         }",
    );
    assert_eq!(reasons(&body), []);
    assert_eq!(
        methods(&body.operations),
        ["to_dm", "to_dm", "to_hbm", "to_dm", "to_hbm"]
    );
    assert!(
        body.operations
            .iter()
            .all(|operation| operation.branches.is_empty())
    );
}

#[test]
fn constants_name_what_they_name() {
    let text = format!(
        "{HEAD}const WHERE: TrfAddress = TrfAddress::SecondHalf; const STEP: u64 = {{ 1 << 5 }};
         fn place(i: u64) -> u64 {{ let base = 64; base + i * STEP }}
         #[device(chip = 1)] fn kernel(ctx: &mut Context, x: &H) {{
            let Context {{ tdma, sub: loader, .. }} = ctx;
            let t: T = x.to_dm(tdma, place(2));
            let mut again: T = x.to_dm(tdma, t.address() + 4096);
            let w: TrfTensor<i32, m![1], m![1 # 2], m![A / 8], m![1], m![A % 8]> =
                loader.begin(t.view()).fetch::<i32, m![1], m![A % 8]>().collect::<m![1], m![A % 8]>().to_trf(WHERE);
         }}"
    );
    let (_, body) = lower_in(&text, "kernel");
    assert_eq!(reasons(&body), []);
    assert_eq!(targets(&body), [Some(128), Some(4224)]);
    let w = body
        .tensors
        .iter()
        .find(|tensor| tensor.name.as_deref() == Some("w"))
        .expect("the tensor");
    assert_eq!(
        w.address.value,
        crate::kernel::AddressValue::Trf(crate::kernel::TrfAddress::SecondHalf)
    );
    assert_eq!(passes(&body)[0].context, Some(crate::kernel::Context::Sub));
}

#[test]
fn items_in_blocks_are_seen_where_they_stand() {
    let (db, body) = kernel(
        "axes![Z = 4];
         type Here = m![A % 8];
         fn load(ctx: &mut Context, x: &H) -> DmTensor<i32, m![1], m![1 # 2], m![A / 8], m![A % 8]> { x.to_dm(&mut ctx.tdma, 0) }
         { type Here = m![Z]; let z: DmTensor<i32, m![1], m![1 # 2], m![1 # 256], Here> = unsafe { DmTensor::from_addr(0) }; let view = z.view(); }
         let a = load(ctx, x);
         let b = x.to_dm::<m![1 # 2], m![A / 8], Here>(&mut ctx.tdma, 32);",
    );
    assert_eq!(reasons(&body), []);
    let named = |name: &str| {
        body.tensors
            .iter()
            .find(|tensor| tensor.name.as_deref() == Some(name))
            .expect("the tensor")
    };
    assert_eq!(shown(&named("z").levels.element), "Z");
    assert_eq!(shown(&named("b").levels.element), "A % 8");
    assert_eq!(text_at(&db, named("b").levels.element.span), "m![A % 8]");
    assert_eq!(text_at(&db, body.operations[0].span), "to_dm");
    assert_eq!(targets(&body), [Some(0), Some(32)]);
}

#[test]
fn a_loop_of_many_expressions_is_shortened_and_not_given_up() {
    let steps = "let a = 1 + 2 * 3 - 4; ".repeat(40);
    let (_, body) = kernel(&format!(
        "for i in 0..4000 {{ {steps} {} }} {}",
        copy("i * 32"),
        copy("96")
    ));
    assert_eq!(reasons(&body), [UnresolvedReason::LongLoop(Some(4_000))]);
    assert_eq!(
        targets(&body),
        [Some(0), Some(32), Some(3999 * 32), Some(96)]
    );
    assert_eq!(body.shortened_loops.len(), 1);
}

#[test]
fn runs_that_are_left_out_are_said_where_they_differ() {
    let said = |text: &str| reasons(&kernel(text).1);
    let alike = format!("for _ in 0..6000 {{ {} }}", copy("32"));
    assert_eq!(said(&alike), []);
    assert_eq!(said("for i in 0..6000 { let j = i + 1; }"), []);
    let changes = format!(
        "let mut a = 0; for _ in 0..6000 {{ {} a += 32; }}",
        copy("a")
    );
    assert_eq!(said(&changes), [UnresolvedReason::LongLoop(Some(6_000))]);
    let counts = format!("let mut a = 0; while a < 6000 {{ {} a += 1; }}", copy("32"));
    assert_eq!(said(&counts), [UnresolvedReason::LongLoop(None)]);
}

#[test]
fn what_is_written_is_followed_however_much_it_is() {
    let (_, body) = kernel(&copy("0").repeat(5_000));
    assert_eq!(reasons(&body), []);
    assert_eq!(body.operations.len(), 5_000);
}

#[test]
fn operations_behind_a_limit_are_said_with_their_places() {
    let helper = copy("0").repeat(2_000);
    let text = |own: &str| {
        format!(
            "axes![A = 2048];
             type T = DmTensor<i32, m![1], m![1 # 2], m![A / 8], m![A % 8]>;
             fn many(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![A]>) {{ {helper} }}
             #[device(chip = 1)] fn kernel(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![A]>) {{
                 many(ctx, x); many(ctx, x); many(ctx, x); {own}
             }}"
        )
    };
    // The helper's 6,000 operations are cut at 4,096, and two more that the function says itself.
    let own = format!("let t: T = x.to_dm(&mut ctx.tdma, 7); {}", copy("9"));
    let (db, body) = lower_in(&text(&own), "kernel");
    assert_eq!(body.operations.len(), 4_096 + 2);
    assert_eq!(
        reasons(&body),
        [
            UnresolvedReason::TooManyOperations,
            UnresolvedReason::TooManyOperations
        ]
    );
    let places: Vec<_> = body
        .unresolved
        .iter()
        .map(|place| place.operation)
        .collect();
    assert!(places.iter().all(|place| text_at(&db, *place) == "to_dm"));
    assert!(places.windows(2).all(|pair| pair[0].start < pair[1].start));
    // Where only helpers go on, the function itself is the place.
    let (db, body) = lower_in(&text(""), "kernel");
    assert_eq!(reasons(&body), [UnresolvedReason::TooManyOperations]);
    assert_eq!(text_at(&db, body.unresolved[0].operation), "kernel");
}

#[test]
fn what_stands_too_deep_is_said() {
    let mut helpers = "axes![A = 2048];
        type T = DmTensor<i32, m![1], m![1 # 2], m![A / 8], m![A % 8]>;
        fn h0(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![A]>) { let t: T = x.to_dm(&mut ctx.tdma, 0); }\n"
        .to_owned();
    for level in 1..40 {
        helpers.push_str(&format!(
            "fn h{level}(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![A]>) {{ h{}(ctx, x); }}\n",
            level - 1
        ));
    }
    helpers.push_str("#[device(chip = 1)] fn kernel(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![A]>) { h39(ctx, x); }");
    let (_, body) = lower_in(&helpers, "kernel");
    assert_eq!(reasons(&body), [UnresolvedReason::TooDeep("helpers")]);
    let nested = format!(
        "{}{}{}",
        "if flag { ".repeat(170),
        copy("0"),
        " }".repeat(170)
    );
    let (db, body) = kernel(&nested);
    assert_eq!(reasons(&body), [UnresolvedReason::TooDeep("expressions")]);
    assert_eq!(text_at(&db, body.unresolved[0].operation), "to_dm");
}

#[test]
fn a_loop_that_nobody_can_count_is_named() {
    for start in [
        "for _ in 0..n",
        "while flag",
        "loop",
        "loop { if flag { break; }",
    ] {
        let end = if start.contains("{ if") { "}" } else { "" };
        let (db, body) = kernel(&format!("{start} {{ {} }} {end}", copy("32")));
        assert_eq!(targets(&body), [Some(32), Some(32)], "{start}");
        let [place] = body.unbounded_loops[..] else {
            panic!("{start}: {:?}", body.unbounded_loops);
        };
        assert!(start.starts_with(text_at(&db, place).as_str()), "{start}");
    }
    // A loop that is followed to its end, and one without operations.
    for text in [
        &format!("let mut i = 0; while i < 3 {{ i += 1; {} }}", copy("32")),
        &format!(
            "let mut i = 0; loop {{ if i == 3 {{ break; }} i += 1; {} }}",
            copy("32")
        ),
        &format!("while flag {{ let a = 1; }} {}", copy("32")),
    ] {
        let (_, body) = kernel(text);
        assert_eq!(body.unbounded_loops, [], "{text}");
        assert_eq!(body.undecided_exits, [], "{text}");
    }
}

#[test]
fn an_arm_that_leaves_before_operations_is_named() {
    for text in [
        format!("if flag {{ return; }} {}", copy("32")),
        format!("for _ in 0..4 {{ if flag {{ break; }} {} }}", copy("32")),
        format!("for _ in 0..4 {{ if flag {{ continue; }} {} }}", copy("32")),
        format!("match n {{ 0 => return, _ => {{}} }} {}", copy("32")),
    ] {
        let (db, body) = kernel(&text);
        let [place] = body.undecided_exits[..] else {
            panic!("{text}: {:?}", body.undecided_exits);
        };
        assert!(
            ["if", "match"].contains(&text_at(&db, place).as_str()),
            "{text}"
        );
    }
    // Nothing comes after it, or nothing leaves.
    for text in [
        format!("{} if flag {{ return; }}", copy("32")),
        format!("if flag {{ let a = 1; }} {}", copy("32")),
    ] {
        let (_, body) = kernel(&text);
        assert_eq!(body.undecided_exits, [], "{text}");
    }
}

#[test]
fn numbers_in_a_kernel_are_computed_as_constants_are() {
    // Each with what it is: as a constant, and with its first number in a variable.
    let cases: &[(&str, &str, u64)] = &[
        ("32", "{} + 3 * 32 - 64 / 2", 96),
        ("1", "({} << 10) >> 2 | 64 & 96 ^ 32", 256 | (64 & 96 ^ 32)),
        ("7", "{}.pow(2) * 32", 1568),
        ("5", "{}.min(9) * 32 + {}.max(9) * 64", 736),
        ("70", "{}.div_ceil(32) * 32", 96),
        ("70", "{}.next_multiple_of(64)", 128),
        ("70", "{}.next_power_of_two()", 128),
        ("96", "{}.abs_diff(160)", 64),
        ("96", "{}.ilog2() * 32", 192),
        ("96", "{}.trailing_zeros() * 32", 160),
        ("96", "if {}.is_multiple_of(32) { 32 } else { 64 }", 32),
        ("96", "if {}.is_power_of_two() { 32 } else { 64 }", 64),
        ("96", "if {} > 95 && {} <= 96 { 32 } else { 64 }", 32),
    ];
    for (number, text, expected) in cases {
        let constant = format!(
            "const C: u64 = {};",
            text.replace("{}", &format!("{number}u64"))
        );
        let variable = format!("let v = {number}; let w = {};", text.replace("{}", "v"));
        let (_, body) = kernel(&format!(
            "{constant} {variable} {} {}",
            copy("C"),
            copy("w")
        ));
        assert_eq!(targets(&body), [Some(*expected); 2], "{text}");
    }
}
