//! Collectives keep what their checks need; what could not be followed is unresolved.

use super::*;
use crate::kernel::{CollectiveWork, Level, Parts, StageKind};

const HEAD: &str = "axes![S = 256, N = 4, H = 2, A = 8, B = 64, K = 16];\n";

/// What the collectives of a kernel over `x` in DM do, and why operations are unresolved.
fn works(statement: &str) -> (Vec<CollectiveWork>, Vec<String>) {
    let text = format!(
        "{HEAD}#[device(chip = 4)]
        fn kernel(ctx: &mut Context, x: DmTensor<i8, m![N], m![H], m![S], m![A, B]>, i: &HbmTensor<i32, m![N], m![S]>,
            o: &mut HbmTensor<i8, m![N], m![K, A, B]>, far: usize) {{ {statement} }}"
    );
    let (_, body) = lower_in(&text, "kernel");
    let works = body
        .operations
        .iter()
        .filter_map(|operation| match &operation.kind {
            OperationKind::Collective(collective) => Some(collective.work.clone()),
            _ => None,
        });
    let why = reasons(&body)
        .iter()
        .map(UnresolvedReason::reason_text)
        .collect();
    (works.collect(), why)
}

/// Level, number of parts, pattern.
fn shown_parts(parts: &Parts) -> (Level, Option<u64>, Option<Vec<Option<u64>>>) {
    let dimension = parts.dimension.as_ref().and_then(|written| written.value);
    (parts.level, dimension, parts.pattern.value.clone())
}

#[test]
fn shuffles_keep_their_parts() {
    let known = |level, dimension, pattern: &[u64]| {
        let pattern = pattern.iter().copied().map(Some).collect();
        (level, dimension, Some(pattern))
    };
    for (statement, expected) in [
        (
            "ctx.tdma.dm_chip_shuffle::<_, 4, _, _, _, _>(x.view(), &[3, 2, 1, 0]);",
            known(Level::Chip, Some(4), &[3, 2, 1, 0]),
        ),
        (
            "ctx.tdma.dm_cluster_shuffle::<_, 2, _, _, _, _>(x.view(), &[1, 0]);",
            known(Level::Cluster, Some(2), &[1, 0]),
        ),
        // The number that is left out is the pattern's length.
        (
            "let y: DmTensor<i8, _, _, _, _> = ctx.tdma.dm_chip_shuffle::<_, _, _, _, _, _>(x.view(), &[1, 0, 2]);",
            known(Level::Chip, Some(3), &[1, 0, 2]),
        ),
        (
            "ctx.tdma.dm_cluster_shuffle::<_, 2, _, _, _, _>(x.view(), &[1, far]);",
            (Level::Cluster, Some(2), Some(vec![Some(1), None])),
        ),
    ] {
        let (works, why) = works(statement);
        assert_eq!(why, [""; 0], "{statement}");
        let [CollectiveWork::Shuffle(parts)] = works.as_slice() else {
            panic!("{statement}: {works:?}")
        };
        assert_eq!(shown_parts(parts), expected, "{statement}");
    }
}

#[test]
fn parallel_copies_keep_their_index_and_what_it_leaves() {
    let (works, why) = works(
        "let y: DmTensor<i8, _, _, _, m![A, B % 16]> = ctx.sub.parallel_copy_chip_slice::<4, m![B / 16], m![A, 1 # 4, B % 16], _, _, _, _, _, _>(x.view(), &[0, 1, 2, 3]);",
    );
    assert_eq!(why, [""; 0]);
    let [
        CollectiveWork::ParallelCopy {
            parts,
            index,
            sliced,
        },
    ] = works.as_slice()
    else {
        panic!("{works:?}")
    };
    assert_eq!(shown_parts(parts).1, Some(4));
    assert_eq!(
        (shown(index), shown(sliced)),
        ("B / 16".to_owned(), "A, 1 # 4, B % 16".to_owned())
    );
}

#[test]
fn scatters_keep_their_key() {
    let (works, why) = works("x.dma_scatter::<m![S], _, _>(i, o, false);");
    assert_eq!(why, [""; 0]);
    assert!(matches!(works.as_slice(), [CollectiveWork::Scatter { key }] if shown(key) == "S"));
    let (_, why) = self::works("x.dma_scatter::<m![Unknown], _, _>(i, o, false);");
    assert_eq!(why, ["unknown name `Unknown`"]);
    let (_, why) = self::works("x.dma_scatter(i, o, false);");
    assert_eq!(why, ["type not inferred"]);
}

#[test]
fn what_a_gather_makes_is_unresolved() {
    let (works, why) =
        works("let y: DmTensor<i8, m![N], m![H], m![S], m![B]> = o.dma_gather(i, 0x40);");
    assert_eq!(works, [CollectiveWork::Gather]);
    assert_eq!(
        why,
        ["unsupported expression: what a gather makes of its table"]
    );
}

/// Why a stage function over a collected stream of `i32` is unresolved.
fn stage_reasons(parameters: &str, chain: &str) -> Vec<String> {
    let text = format!(
        "{HEAD}fn stage<'l, const T: Tu>(x: CollectTensor<'l, T, i32, m![1], m![1 # 2], m![S], m![B], m![A]>, {parameters}) {{
            let y = x.vector_init(){chain};
        }}"
    );
    let (_, body) = lower_in(&text, "stage");
    reasons(&body)
        .iter()
        .map(UnresolvedReason::reason_text)
        .collect()
}

#[test]
fn arguments_that_could_not_be_followed_are_unresolved() {
    let branch = ".vector_intra_slice_branch(BranchMode::Unconditional)";
    let unsupported = |what: &str| vec![format!("unsupported expression: {what}")];
    for (parameters, chain, expected) in [
        (
            "mode: BranchMode",
            ".vector_intra_slice_branch(mode)".to_owned(),
            unsupported("a branch mode"),
        ),
        (
            "op: FxpBinaryOp",
            format!("{branch}.vector_fxp(op, 1)"),
            unsupported("the operation of an ALU"),
        ),
        (
            "by: Shift",
            format!("{branch}.vector_fxp(FxpBinaryOp::AddFxp, by)"),
            unsupported("an operand"),
        ),
        // A number that the caller gives is an operand like any other.
        (
            "by: i32",
            format!("{branch}.vector_fxp(FxpBinaryOp::AddFxp, by)"),
            Vec::new(),
        ),
        (
            "",
            format!("{branch}.vector_filter::<m![B]>(ValidBranchIds::ValidAlways)"),
            unsupported("what a filter lets through"),
        ),
        (
            "op: InterSliceReduceOpI32",
            ".vector_inter_slice_reduce::<m![1 # 256], m![B]>(op)".to_owned(),
            unsupported("the operation of a reduction"),
        ),
    ] {
        assert_eq!(stage_reasons(parameters, &chain), expected, "{chain}");
    }
}

#[test]
fn a_switch_and_a_tile_need_their_numbers() {
    let text = format!(
        "{HEAD}fn stage<'l, const T: Tu>(x: FetchTensor<'l, T, i8, m![1], m![1 # 2], m![S], m![A], m![B]>, config: SwitchConfig, ring: usize) {{
            let y = x.switch::<m![S], m![A]>(config);
        }}
        fn ringed<'l, const T: Tu>(x: FetchTensor<'l, T, i8, m![1], m![1 # 2], m![S], m![A], m![B]>, ring: usize) {{
            let y = x.switch::<m![S], m![A]>(SwitchConfig::CustomBroadcast {{ ring_size: ring }});
        }}
        fn tiled<const L: usize>(ctx: &mut Context, x: &HbmTensor<i8, m![1], m![A, S, B]>) {{
            let y: DmTensor<i8, m![1], m![1 # 2], m![S], m![A = 2 # 8, B]> =
                x.view().tile::<m![A], L, m![A = 2 # 8, S, B]>(0).to_dm(&mut ctx.tdma, 0);
        }}"
    );
    for (name, expected) in [
        ("stage", "the configuration of a switch"),
        ("ringed", "a parameter of a switch that is not a constant"),
        ("tiled", "the length of a tile that is not a constant"),
    ] {
        let (_, body) = lower_in(&text, name);
        let why: Vec<String> = reasons(&body)
            .iter()
            .map(UnresolvedReason::reason_text)
            .collect();
        assert_eq!(
            why,
            [format!("unsupported expression: {expected}")],
            "{name}"
        );
    }
}

#[test]
fn operands_for_all_branches_are_counted() {
    let always = |operand: &str| {
        let text = format!(
            "{HEAD}fn stage<'l, const T: Tu>(x: CollectTensor<'l, T, i32, m![1], m![1 # 2], m![S], m![B], m![A]>) {{
                let y = x.vector_init().vector_intra_slice_branch(BranchMode::Unconditional).vector_fxp(FxpBinaryOp::AddFxp, {operand});
            }}"
        );
        let (_, body) = lower_in(&text, "stage");
        match &passes(&body)[0].stages.last().expect("a stage").kind {
            StageKind::VectorAlu(operation) => operation.always,
            other => panic!("{other:?}"),
        }
    };
    let one = "VeBranchOperand::always(VeRhs::constant(1))";
    let group = "VeBranchOperand::group(VeRhs::constant(1), GroupId::One)";
    assert_eq!(always("7"), 0);
    assert_eq!(always(one), 1);
    assert_eq!(always(&format!("[{one}, {group}]")), 1);
    assert_eq!(always(&format!("[{one}, {one}]")), 2);
    assert_eq!(
        always(&format!(
            "ArrayVec::new([{one}, {group}, VeBranchOperand::stash_always()])"
        )),
        2
    );
    assert_eq!(
        always("(VeRhs::constant(1), ValidBranchIds::ValidAlways)"),
        1
    );
}
