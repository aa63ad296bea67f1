use super::super::testing::{KERNEL, everywhere, workspace};
use crate::EditorQuestions as _;
use crate::{ByteRange, HintKind, HintLevel, InlayHint, Workspace};

const ALL: ByteRange = ByteRange {
    start: 0,
    end: u32::MAX,
};

fn hints(text: &str, range: ByteRange, level: HintLevel) -> Vec<InlayHint> {
    let hints = workspace(text)
        .analysis()
        .inlay_hints("kernel.rs", range, level);
    hints.expect("an answer")
}

/// The hints of a text, each with the rest of the line before it: `…#line: <label>`.
fn shown(text: &str, hints: &[InlayHint]) -> Vec<String> {
    let line = |hint: &InlayHint| {
        let before = &text[..hint.offset as usize];
        let line = before.rsplit('\n').next().unwrap_or_default().trim();
        format!("{line} <{}>", hint.label)
    };
    hints.iter().map(line).collect()
}

#[track_caller]
fn check(text: &str, level: HintLevel, expected: &[&str]) {
    assert_eq!(shown(text, &hints(text, ALL, level)), expected);
}

#[test]
fn nothing_is_shown_where_hints_are_off() {
    check(KERNEL, HintLevel::Off, &[]);
}

#[test]
fn sizes_stand_behind_aliases() {
    // 4 * 16 elements of 4 bytes a slice.
    let found = hints(KERNEL, ALL, HintLevel::Kernel);
    let sizes: Vec<InlayHint> = found
        .into_iter()
        .filter(|hint| hint.kind == HintKind::Size)
        .collect();
    assert_eq!(
        shown(KERNEL, &sizes),
        [
            "type Chip = m![1] <= 1>",
            "type Half = m![1 # 2] <= 2>",
            "type Block = DmTensor<i32, Chip, Half, m![S], m![T, P]> <= 256 B>",
        ]
    );
    let tooltips: Vec<_> = sizes
        .iter()
        .filter_map(|hint| hint.tooltip.as_deref())
        .collect();
    assert_eq!(
        tooltips,
        [
            "1 position",
            "2 positions",
            "256 bytes a slice: 64 of `i32`"
        ]
    );
}

#[test]
fn aliases_of_everything_the_library_has() {
    // Rows of the TRF are in one slice: 8 * 2,048 bytes. A packet of four 4-bit elements is two bytes, of one no byte.
    let text = "use furiosa_visa_std::prelude::*;
axes![A = 2048, R = 8, B = 4];
type Host = HostTensor<bf16, m![A]>;
type Hbm = HbmTensor<i4, m![1], m![A, B]>;
type Trf = TrfTensor<i8, m![1], m![1 # 2], m![1 # 256], m![R], m![A]>;
type Stream<'l, const C: Tu> = FetchTensor<'l, C, i4, m![1], m![1 # 2], m![1 # 256], m![A], m![B]>;
type Narrow<'l, const C: Tu> = FetchTensor<'l, C, i4, m![1], m![1 # 2], m![1 # 256], m![A], m![1]>;
fn f() {
    type Inner = m![A, R];
}
";
    check(
        text,
        HintLevel::Kernel,
        &[
            "type Host = HostTensor<bf16, m![A]> <= 4,096 B>",
            "type Hbm = HbmTensor<i4, m![1], m![A, B]> <= 4,096 B>",
            "type Trf = TrfTensor<i8, m![1], m![1 # 2], m![1 # 256], m![R], m![A]> <= 16,384 B>",
            "type Stream<'l, const C: Tu> = FetchTensor<'l, C, i4, m![1], m![1 # 2], m![1 # 256], m![A], m![B]> <= 2,048 x 2 B>",
            "type Narrow<'l, const C: Tu> = FetchTensor<'l, C, i4, m![1], m![1 # 2], m![1 # 256], m![A], m![1]> <= 2,048 x 4 bit>",
            "type Inner = m![A, R] <= 16,384>",
        ],
    );
}

#[test]
fn what_is_unknown_has_no_hint() {
    check(
        "use furiosa_visa_std::prelude::*;
axes![A = 8];
type Wrong = m![A, Nowhere];
type Broken = m![A, ];
type Generic<M> = DmTensor<i8, m![1], m![1 # 2], m![1 # 256], M>;
type Number = u64;
struct DmTensor<T, C, L, S, E>(T, C, L, S, E);
type Own = DmTensor<i8, m![1], m![1 # 2], m![1 # 256], m![A]>;
fn f<M: M>(ctx: &mut Context, x: &HbmTensor<i8, m![1], M>) {
    let y: DmTensor<i8, m![1], m![1 # 2], m![1 # 256], M> = x.to_dm(&mut ctx.tdma, 0);
}
",
        HintLevel::Line,
        &[],
    );
}

#[test]
fn streams_stand_behind_stages() {
    let found = hints(KERNEL, ALL, HintLevel::Line);
    let streams: Vec<InlayHint> = found
        .into_iter()
        .filter(|hint| hint.kind == HintKind::Stream)
        .collect();
    assert_eq!(
        shown(KERNEL, &streams),
        [
            ".fetch::<i32, m![T], m![P]>() <4 x 64 B>",
            ".collect::<m![T, P / 8], m![P % 8]>() <8 x 32 B>",
            ".fetch::<i32, m![T], m![P]>() <4 x 64 B>",
            ".collect::<m![T, P / 8], m![P % 8]>() <8 x 32 B>",
            ".vector_init() <8 x 32 B>",
            ".vector_intra_slice_branch(BranchMode::Unconditional) <8 x 32 B>",
            ".vector_fxp(FxpBinaryOp::AddFxp, &operand) <8 x 32 B>",
            ".vector_final() <8 x 32 B>",
        ]
    );
    let fetch = streams.first().and_then(|hint| hint.tooltip.as_deref());
    let words = fetch.unwrap_or_default();
    assert!(
        words.starts_with("Time `m![T]`, Packet `m![P]` of `i32`\n\nfetch: `time * ceil(packet / fetch_size)` = 32 cycles"),
        "{words}"
    );
}

#[test]
fn cycles_stand_behind_statements() {
    let found = hints(KERNEL, ALL, HintLevel::Kernel);
    let cycles: Vec<InlayHint> = found
        .into_iter()
        .filter(|hint| hint.kind == HintKind::Cycles)
        .collect();
    let shown = shown(KERNEL, &cycles);
    let starts: Vec<&str> = shown
        .iter()
        .filter_map(|line| line.rsplit_once(" <").map(|(start, _)| start))
        .collect();
    assert_eq!(
        starts,
        [
            "let block: Block = x.to_dm(&mut ctx.tdma, 0);",
            ".to_vrf(0);",
            ".commit(0x1000);",
            "sum.to_hbm(&mut ctx.tdma, 1 << 28)",
        ]
    );
    assert_eq!(
        cycles[1].label, "32 cycles",
        "4 packets of 64 bytes, 8 a cycle"
    );
    assert!(
        cycles[1].tooltip.as_ref().is_some_and(|words| words
            .starts_with("decided by fetch: `time * ceil(packet / fetch_size)` = 32 cycles (time 4, packet 64, fetch_size 8)")),
        "{:?}",
        cycles[1].tooltip
    );
}

/// The loads of the sub context, 32 cycles each, in different surroundings.
fn around_loads(body: &str) -> Vec<String> {
    let text = format!(
        "use furiosa_visa_std::prelude::*;
axes![S = 256, T = 4, P = 16];
type Block = DmTensor<i32, m![1], m![1 # 2], m![S], m![T, P]>;
type Loaded = VrfTensor<i32, m![1], m![1 # 2], m![S], m![T, P]>;
fn load(ctx: &mut Context, x: &Block, n: usize, flag: bool) {{
{}
}}
",
        body.replace(
            "LOAD",
            "ctx.sub.begin(x.view()).fetch::<i32, m![T], m![P]>().collect::<m![T, P / 8], m![P % 8]>().to_vrf(0)"
        )
    );
    let found = hints(&text, ALL, HintLevel::Kernel);
    let cycles = found.iter().filter(|hint| hint.kind == HintKind::Cycles);
    let end = |hint: &InlayHint| {
        let before: String = text[..hint.offset as usize].chars().rev().take(2).collect();
        format!("{}{}", before.chars().rev().collect::<String>(), hint.label)
    };
    cycles.map(end).collect()
}

#[test]
fn a_loop_shows_one_run_and_how_many() {
    assert_eq!(
        around_loads("for i in 0..8 { let y: Loaded = LOAD; }"),
        [");32 cycles x 8"]
    );
    assert_eq!(
        around_loads("for i in 0..2 { for j in 0..3 { let y: Loaded = LOAD; } }"),
        [");32 cycles x 6"]
    );
    // Longer than what is unrolled, so that three runs stand for all.
    assert_eq!(
        around_loads("for i in 0..1000000 { let y: Loaded = LOAD; }"),
        [");32 cycles x 1,000,000"]
    );
    // The condition holds in one run of three.
    assert_eq!(
        around_loads("for i in 0..3 { if i == 1 { let y: Loaded = LOAD; } }"),
        [");32 cycles"]
    );
}

#[test]
fn of_unknown_runs_one_is_shown() {
    assert_eq!(
        around_loads("for i in 0..n { let y: Loaded = LOAD; }"),
        [");32 cycles a run"]
    );
}

#[test]
fn hints_stand_behind_what_is_one_operation() {
    assert_eq!(
        around_loads("let (a, b): (Loaded, Loaded) = (LOAD, LOAD);"),
        ["0)32 cycles", "0)32 cycles"]
    );
    assert_eq!(
        around_loads("let y: Loaded = if flag { LOAD } else { LOAD };"),
        ["0)32 cycles", "0)32 cycles"]
    );
}

#[test]
fn only_what_is_asked_for_is_answered() {
    let start = u32::try_from(KERNEL.find(".sub").expect("a pass")).expect("small");
    let end = u32::try_from(KERNEL.find(".to_vrf").expect("its end")).expect("small");
    let found = hints(KERNEL, ByteRange { start, end }, HintLevel::Line);
    assert_eq!(
        shown(KERNEL, &found),
        [
            ".fetch::<i32, m![T], m![P]>() <4 x 64 B>",
            ".collect::<m![T, P / 8], m![P % 8]>() <8 x 32 B>",
        ]
    );
}

#[test]
fn hints_of_other_functions_are_not_worked_out_again() {
    let two = format!("{KERNEL}\nfn other() {{}}\n");
    let mut workspace = Workspace::with_event_log();
    workspace.set_file("kernel.rs", &two);
    let ask = |workspace: &Workspace| {
        let hints = workspace
            .analysis()
            .inlay_hints("kernel.rs", ALL, HintLevel::Line);
        hints.expect("an answer").len()
    };
    let before = ask(&workspace);
    let _ = workspace.take_events();
    workspace.set_file(
        "kernel.rs",
        &two.replace("fn other() {}", "// moved\n\nfn other() { 1; }"),
    );
    assert_eq!(ask(&workspace), before);
    let events = workspace.take_events();
    let worked_out = events.iter().filter(|event| event.starts_with("hints_of"));
    assert_eq!(worked_out.count(), 1, "{events:?}");
}

#[test]
fn no_text_and_no_place_is_too_strange() {
    everywhere(KERNEL, |analysis, offset| {
        let range = ByteRange {
            start: offset.saturating_sub(20),
            end: offset,
        };
        let hints = analysis.inlay_hints("kernel.rs", range, HintLevel::Line);
        let hints = hints.expect("an answer");
        assert!(hints.iter().all(|hint| range.touches(hint.offset)));
    });
}

#[test]
fn cycles_are_those_of_the_cost() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/kernels/right");
    let mut compared = 0;
    for name in ["contractions", "double_buffer", "gemm", "moves", "norms"] {
        let text = std::fs::read_to_string(format!("{folder}/{name}.rs")).expect("a kernel");
        let found = hints(&text, ALL, HintLevel::Kernel);
        let costs = workspace(&text)
            .analysis()
            .costs("kernel.rs")
            .expect("costs");
        for row in costs.iter().flat_map(|cost| &cost.operations) {
            let Some(cycles) = row.cycles.filter(|_| row.loops.is_empty()) else {
                continue;
            };
            let behind = |hint: &&InlayHint| {
                hint.kind == HintKind::Cycles && hint.offset >= row.range.end.byte
            };
            let hint = found
                .iter()
                .find(behind)
                .expect("a hint behind the operation");
            let words = crate::numbers::thousands(cycles);
            assert!(
                hint.label
                    .split(" + ")
                    .any(|label| label.trim_end_matches(" cycles") == words),
                "{name}: {} takes {words}, not {}",
                row.name,
                hint.label
            );
            compared += 1;
        }
    }
    assert!(compared > 50, "{compared}");
}
