//! The book's figures, a test a row, each from a kernel that states the row's configuration.

use crate::{Engine, OperationCost};

use super::{busy, functions, input, stages};

/// The cost of the only operation of a stage function from one tensor type to another.
#[track_caller]
fn stage_function(axes: &str, from: &str, to: &str, chain: &str) -> OperationCost {
    let text = format!(
        "axes![{axes}];
         fn stage<'l, const T: Tu>(input: {from}) -> {to} {{ input.{chain} }}"
    );
    let function = functions(&text).remove(0);
    assert_eq!(function.body.unresolved, [], "{text}");
    assert_eq!(function.simulation.operations.len(), 1, "{text}");
    OperationCost::clone(&function.simulation.operations[0])
}

// ---- Fetch. ----

/// Cycles and fetch size of a fetch of `buffer`.
fn fetch(
    axes: &str,
    kind: &str,
    buffer: &str,
    time: &str,
    packet: &str,
) -> (Option<u64>, Option<u64>) {
    let text = format!(
        "axes![{axes}];
         fn stage(ctx: &mut Context, x: &DmTensor<{kind}, m![1], m![1], m![1], m![{buffer}]>) {{
            ctx.main.begin(x.view()).fetch::<{kind}, m![{time}], m![{packet}]>();
         }}"
    );
    let function = functions(&text).remove(0);
    assert_eq!(function.body.unresolved, [], "{text}");
    let cost = function.simulation.operations[0].clone();
    (
        busy(&cost, Engine::Fetch),
        input(&cost, Engine::Fetch, "fetch_size"),
    )
}

/// F1 to F6: `[N, C, H, W]` of 384 bytes.
fn image(time: &str, packet: &str) -> (Option<u64>, Option<u64>) {
    fetch(
        "N = 4, C = 3, H = 4, W = 8",
        "i8",
        "N, C, H, W",
        time,
        packet,
    )
}

#[test]
fn figure_f1() {
    assert_eq!(image("N, C, H", "W"), (Some(48), Some(8)));
}

#[test]
fn figure_f2_and_f3() {
    assert_eq!(image("C", "N, H, W").1, Some(32));
    assert_eq!(image("1", "N, H, C, W").1, Some(8));
}

#[test]
fn figure_f4() {
    assert_eq!(image("N, C, H / 2", "H % 2, W"), (Some(24), Some(16)));
}

#[test]
fn figure_f5() {
    assert_eq!(image("N, C", "H, W"), (Some(12), Some(32)));
}

#[test]
fn figure_f6() {
    assert_eq!(image("N", "C, H, W"), (Some(12), Some(32)));
}

#[test]
fn figures_f7_to_f9() {
    let cube = |time, packet| fetch("A = 3, B = 5, C = 2", "f8", "A, B, C", time, packet);
    assert_eq!(cube("A, B", "C").0, Some(15));
    assert_eq!(cube("A", "[B, C] # 16"), (Some(3), Some(16)));
    assert_eq!(cube("1", "[A, B, C] # 32"), (Some(1), Some(32)));
}

// ---- Commit. ----

/// Cycles and commit size of a commit from a stream behind the Cast Engine.
fn commit(
    axes: &str,
    kind: &str,
    stream: (&str, &str),
    element: &str,
) -> (Option<u64>, Option<u64>) {
    let (time, packet) = stream;
    let cost = stage_function(
        axes,
        &format!("CastTensor<'l, T, {kind}, m![1], m![1], m![1], m![{time}], m![{packet}]>"),
        &format!("DmTensor<{kind}, m![1], m![1], m![1], m![{element}]>"),
        "commit(1024)",
    );
    (
        busy(&cost, Engine::Commit),
        input(&cost, Engine::Commit, "commit_size"),
    )
}

#[test]
fn figures_c1_to_c4() {
    let axes = "M = 4, K = 2, W = 8";
    assert_eq!(
        commit(axes, "i8", ("M, K", "W # 32"), "M, K, W"),
        (Some(8), Some(8))
    );
    assert_eq!(
        commit(axes, "f32", ("M, K", "W"), "K, M, W"),
        (Some(8), Some(32))
    );
    let truncated = commit("M = 4, K = 2, N = 16", "bf16", ("M, K", "N"), "K, M, N = 8");
    assert_eq!(truncated, (Some(8), Some(16)));
    // Two packets of four writes each.
    assert_eq!(
        commit(axes, "i8", ("K", "M, W"), "K, M, W # 16"),
        (Some(8), Some(8))
    );
}

#[test]
fn figures_c5_and_c6() {
    let axes = "A = 3, B = 5, C = 2";
    assert_eq!(
        commit(axes, "f8", ("A, B", "C # 32"), "B, A, C # 8"),
        (Some(15), Some(8))
    );
    assert_eq!(
        commit(axes, "f8", ("A", "[B, C] # 32"), "A, [B, C] # 32"),
        (Some(3), Some(32))
    );
}

#[test]
fn figure_c7() {
    // `A` is padded to rows of the given bytes, and each access writes as much as divides a row and the packet.
    let rows = |padded: u64, packet: u64, size: u64| {
        let (outer, time) = (padded / packet, padded / packet * 2);
        let cost = commit(
            "A = 65, B = 2",
            "f8",
            (
                &format!("B, A # {padded} / {packet}"),
                &format!("A # {padded} % {packet} # 32"),
            ),
            &format!("B, A # {padded}"),
        );
        assert_eq!(outer * packet, padded);
        assert_eq!(cost, (Some(time), Some(size)), "rows of {padded} bytes");
    };
    rows(72, 24, 24);
    rows(80, 16, 16);
    rows(88, 8, 8);
    rows(96, 32, 32);
}

// ---- Switch. ----

#[test]
fn figure_w1() {
    let cost = stage_function(
        "A = 256, B = 64, C = 63, X = 2, Y = 2",
        "FetchTensor<'l, T, i8, m![1], m![1 # 2], m![A], m![B], m![C # 64]>",
        "SwitchTensor<'l, T, i8, m![1], m![1 # 2], m![A / 4, X, Y], m![B / 4, A / 2 % 2, B % 4, A % 2], m![C # 64]>",
        "switch(SwitchConfig::Broadcast01 { slice1: 2, slice0: 2, time0: 4 })",
    );
    assert_eq!(busy(&cost, Engine::Switch), Some(512));
    assert!(!cost.holds_dma && !cost.holds_sub);
}

fn custom(slices: &str, out_slices: &str, out_time: &str, ring: u64) -> OperationCost {
    stage_function(
        "A = 4, B = 64, G = 16, H = 16, T = 8, P = 64, X = 2, Y = 2, Z = 4",
        &format!("FetchTensor<'l, T, i8, m![1], m![1 # 2], m![{slices}], m![T], m![P]>"),
        &format!(
            "SwitchTensor<'l, T, i8, m![1], m![1 # 2], m![{out_slices}], m![{out_time}], m![P]>"
        ),
        &format!("switch(SwitchConfig::CustomBroadcast {{ ring_size: {ring} }})"),
    )
}

#[test]
fn figures_w2_to_w4() {
    let whole = custom("G, H", "H, G", "T", 256);
    assert_eq!(busy(&whole, Engine::Switch), Some(4096));
    // The set-up holds back what would run beside it.
    assert!(whole.holds_dma && whole.holds_sub);
    let parts = custom("G, H", "G / 2, X, H / 2, Y", "T, G % 2, H % 2", 32);
    assert_eq!(busy(&parts, Engine::Switch), Some(512));
    let few = custom("B, A", "B, Z", "T, A", 4);
    assert_eq!(busy(&few, Engine::Switch), Some(64));
}

// ---- Transpose. ----

fn transpose(
    axes: &str,
    kind: &str,
    from: (&str, &str),
    to: (&str, &str),
) -> (Option<u64>, String) {
    let shape = |name: &str, (time, packet): (&str, &str)| {
        format!("{name}<'l, T, {kind}, m![1], m![1], m![1], m![{time}], m![{packet}]>")
    };
    let cost = stage_function(
        axes,
        &shape("CollectTensor", from),
        &shape("TransposeTensor", to),
        "transpose()",
    );
    let detail = stages(&cost, Engine::Transpose)[0].detail.clone();
    (busy(&cost, Engine::Transpose), detail)
}

#[test]
fn figures_t1_to_t4() {
    let (cycles, detail) = transpose(
        "C = 8, D = 8, E = 8",
        "i8",
        ("C, D", "E # 32"),
        ("C, E", "D # 32"),
    );
    assert_eq!(cycles, Some(72));
    assert_eq!(detail, "8 x 8 to 8 rows, double-buffered");
    let (cycles, _) = transpose("A = 4, B = 2", "i8", ("A", "B # 32"), ("B", "A # 32"));
    assert_eq!(cycles, Some(6));
    let (cycles, detail) = transpose(
        "B = 2, R = 8, G = 4, D = 8",
        "i8",
        ("B, R, G", "D # 32"),
        ("B, G, D", "R # 32"),
    );
    assert_eq!(cycles, Some(128));
    assert_eq!(detail, "8 x 32 to 32 rows, single-buffered");
    let (cycles, _) = transpose(
        "C = 8, R = 4, D = 8",
        "bf16",
        ("C, R", "D # 16"),
        ("C, D", "R # 16"),
    );
    assert_eq!(cycles, Some(68));
}

// ---- Contraction, reductions, Vector Engine. ----

/// A dot product of two vectors of 65,536 elements spread over the slices: the sum of all products on every slice.
const FULL_SUM: &str = "axes![A = 65_536, X = 256];
    fn sum(ctx: &mut Context, x: &DmTensor<bf16, m![1], m![1 # 2], m![A / 256], m![A % 256]>,
           w: &TrfTensor<bf16, m![1], m![1 # 2], m![A / 256], m![1], m![A % 256]>) {
        let y: DmTensor<f32, m![1], m![1 # 2], m![X], m![1 # 8]> = ctx.main.begin(x.view())
            .fetch::<bf16, m![1], m![A % 256]>()
            .collect::<m![A / 16 % 16], m![A % 16]>()
            .align::<m![A / 32 % 8], m![A % 32], _, _>(w)
            .contract::<m![1]>()
            .accumulate::<m![1], m![1 # 8]>(AccumulationKind::Interleaved)
            .vector_init()
            .vector_inter_slice_reduce::<m![X], m![1]>(InterSliceReduceOpF32::Add)
            .vector_final()
            .commit(0);
    }";

#[test]
fn figure_r2() {
    let function = functions(FULL_SUM).remove(0);
    assert_eq!(function.body.unresolved, []);
    let cost = &function.simulation.operations[0];
    let latency = |engine| stages(cost, engine)[0].latency;
    assert_eq!(
        [Engine::Contract, Engine::Accumulate, Engine::Vector].map(latency),
        [5, 8, 256]
    );
    // The book's "about 40" cycles inside a slice are the depth of the tree once an iteration, and its "~296" adds the ring.
    let [tree, iterations, ring] =
        [Engine::Contract, Engine::Accumulate, Engine::Vector].map(latency);
    assert_eq!(tree * iterations, 40);
    assert_eq!(tree * iterations + ring, 296);
    // The engines overlap, though, by the book's rules for pipelines: 512 bytes a slice come in 16 fetches, and the tree's
    // depth is paid once.
    assert_eq!(busy(cost, Engine::Fetch), Some(16));
    assert_eq!(cost.cycles, Some(16 + 5 + 8 + 256));
}

#[test]
fn figure_r1_a_full_contraction_waits_for_the_whole_tree() {
    for (kind, elements, levels) in [
        ("i4", 128, 7),
        ("i8", 64, 6),
        ("f8", 64, 6),
        ("bf16", 32, 5),
    ] {
        let flit = elements / 2;
        let text = format!(
            "axes![K = {elements}];
             fn sum(ctx: &mut Context, x: &DmTensor<{kind}, m![1], m![1 # 2], m![1 # 256], m![K]>,
                    w: &TrfTensor<{kind}, m![1], m![1 # 2], m![1 # 256], m![1], m![K]>) {{
                ctx.main.begin(x.view())
                    .fetch::<{kind}, m![1], m![K]>()
                    .collect::<m![K / {flit}], m![K % {flit}]>()
                    .align::<m![1], m![K], _, _>(w)
                    .contract::<m![1]>();
             }}"
        );
        let function = functions(&text).remove(0);
        assert_eq!(function.body.unresolved, [], "{kind}");
        let cost = &function.simulation.operations[0];
        assert_eq!(stages(cost, Engine::Contract)[0].latency, levels, "{kind}");
    }
}

#[test]
fn figure_r8() {
    let cost = stage_function(
        "A = 64",
        "VectorInitTensor<'l, T, f32, m![1], m![1], m![1], m![A / 8], m![A % 8]>",
        "VectorFinalTensor<'l, T, f32, m![1], m![1], m![1], m![A / 8], m![A % 8]>",
        "vector_intra_slice_branch(BranchMode::Unconditional)
            .vector_split::<m![A / 4], m![A % 4]>()
            .vector_fp_unary(FpUnaryOp::Sqrt)
            .vector_fp_unary(FpUnaryOp::Exp)
            .vector_concat::<m![A / 8], m![A % 8]>()
            .vector_final()",
    );
    let vector = stages(&cost, Engine::Vector);
    assert_eq!(vector.iter().map(|stage| stage.latency).sum::<u64>(), 2);
    // Eight flits make 16 packets of four lanes.
    let most = vector.iter().filter_map(|stage| stage.busy).max();
    assert_eq!((vector[0].busy, most), (Some(8), Some(16)));
}

// ---- Bandwidths. ----

#[test]
fn figure_b3() {
    let text = "axes![S = 64, Z = 2, A = 256, E = 1024, F = 4096];
        #[device(chip = 1)]
        fn inside(ctx: &mut Context, x: &DmTensor<i8, m![1], m![1 # 2], m![S # 256], m![E]>) {
            let _y: DmTensor<i8, m![1], m![1 # 2], m![S # 256], m![E]> = x.to_dm(&mut ctx.tdma, 0x4_0000);
        }
        #[device(chip = 1)]
        fn load(ctx: &mut Context, x: &HbmTensor<i8, m![1], m![Z, A, F]>) {
            let _y: DmTensor<i8, m![1], m![Z], m![A], m![F]> = x.to_dm(&mut ctx.tdma, 0);
        }";
    let functions = functions(text);
    let busy =
        |function: usize, engine| busy(&functions[function].simulation.operations[0], engine);
    // One engine between 64 slices: 64 KiB at 256 bytes a cycle over both DMNs.
    assert_eq!(busy(0, Engine::DmaRead), Some(64 * 1024 / 256));
    assert_eq!(busy(0, Engine::DmaWrite), Some(64 * 1024 / 256));
    // 2 MiB from HBM to both clusters: 8,192 requests over 32 channels, 16/3 cycles each.
    let requests = 2 * 1024 * 1024 / 256_u64;
    assert_eq!(
        busy(1, Engine::DmaRead),
        Some((requests / 32 * 16).div_ceil(3))
    );
    assert_eq!(crate::dma::PCIE_BYTES, 30);
}
