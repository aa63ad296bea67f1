//! Configurations and operands of stages.

use super::*;
use crate::hardware::ElementType;
use crate::kernel::{BranchMode, OperandSource, StageKind, SwitchConfig, Written};

const HEAD: &str = "axes![A = 2048, B = 64, R = 4];\n";

/// The stages of a function that takes a collected stream and a VRF tensor.
fn stages(chain: &str) -> (AnalysisDatabase, Vec<StageKind>) {
    let text = format!(
        "{HEAD}fn stage<'l, const T: Tu>(x: CollectTensor<'l, T, f32, m![1], m![1 # 2], m![A / 8], m![B], m![A % 8]>, v: &VrfTensor<f32, m![1], m![1 # 2], m![A / 8], m![A % 8]>) {{
            let y = x.{chain};
        }}"
    );
    let (db, body) = lower_in(&text, "stage");
    assert_eq!(reasons(&body), [], "{chain}");
    let stages = passes(&body)[0]
        .stages
        .iter()
        .map(|stage| stage.kind.clone())
        .collect();
    (db, stages)
}

fn sources(stages: &[StageKind], index: usize) -> Vec<Vec<OperandSource>> {
    let StageKind::VectorAlu(operation) = &stages[index] else {
        panic!("an operation, not {:?}", stages[index])
    };
    operation
        .operands
        .iter()
        .map(|group| group.iter().map(|operand| operand.source.clone()).collect())
        .collect()
}

#[test]
fn operands_are_told_apart() {
    const F32: OperandSource = OperandSource::Constant(Some(ElementType::F32));
    let start = "vector_init().vector_intra_slice_branch(BranchMode::Unconditional).vector_stash()";
    let cases: &[(&str, Vec<Vec<OperandSource>>)] = &[
        ("vector_clip(ClipBinaryOpF32::Max, 2.0f32)", vec![vec![F32]]),
        ("vector_clip(ClipBinaryOpF32::Max, -1.5)", vec![vec![F32]]),
        (
            "vector_clip(ClipBinaryOpF32::Max, 7)",
            vec![vec![OperandSource::Constant(Some(ElementType::I32))]],
        ),
        (
            "vector_clip(ClipBinaryOpF32::Max, Stash)",
            vec![vec![OperandSource::Stash]],
        ),
        (
            "vector_clip(ClipBinaryOpF32::Max, VeRhs::Stash)",
            vec![vec![OperandSource::Stash]],
        ),
        (
            "vector_clip_with_mode(ClipBinaryOpF32::Max, BinaryArgMode::Mode10, VeRhs::constant(1.0))",
            vec![vec![F32]],
        ),
        (
            "vector_clip(ClipBinaryOpF32::Max, (1.0, GroupId::Zero))",
            vec![vec![F32]],
        ),
        (
            "vector_clip(ClipBinaryOpF32::Max, ArrayVec::new([VeBranchOperand::group(VeRhs::constant(1.0), GroupId::Zero), VeBranchOperand::stash_group(GroupId::One)]))",
            vec![vec![F32, OperandSource::Stash]],
        ),
        (
            "vector_fp_ternary(FpTernaryOp::FmaF, (2.0, 3.0))",
            vec![vec![F32, F32]],
        ),
        ("vector_fp_unary(FpUnaryOp::Exp)", vec![vec![]]),
    ];
    for (chain, expected) in cases {
        let (_, stages) = stages(&format!("{start}.{chain}"));
        assert_eq!(sources(&stages, 3), *expected, "{chain}");
    }
}

#[test]
fn register_operands_name_their_tensor() {
    for operand in [
        "v",
        "VeRhs::vrf(v)",
        "VeBranchOperand::always(VeRhs::vrf(&v))",
    ] {
        let (_, stages) = stages(&format!(
            "vector_init().vector_intra_slice_branch(BranchMode::Unconditional).vector_clip(ClipBinaryOpF32::Add, {operand})"
        ));
        // The second tensor of the body: the parameter after the stream is the first that is no stream.
        assert_eq!(
            sources(&stages, 2),
            [[OperandSource::Vrf(crate::kernel::TensorId(0))]],
            "{operand}"
        );
    }
}

#[test]
fn operations_keep_their_arguments() {
    let (db, stages) = stages(
        "vector_init().vector_intra_slice_branch(BranchMode::Comparison([InputCmp::F32(InputCmpF32::Less { boundary: 0.0 }), InputCmp::F32(InputCmpF32::True), InputCmp::F32(InputCmpF32::True), InputCmp::I32(InputCmpI32::True)]))
            .vector_trim_way4::<m![A % 8 = 4]>().vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul1), 2.0)
            .vector_fp_div(FpDivBinaryOp::DivF.with_mode(BinaryArgMode::Mode10), 1.0)
            .vector_intra_slice_reduce::<B, m![1], m![A % 8 = 4]>(IntraSliceReduceOpF32::Max)",
    );
    let StageKind::VectorBranch(BranchMode::Comparison(comparisons)) = &stages[1] else {
        panic!("comparisons")
    };
    let said: Vec<_> = comparisons
        .iter()
        .map(|own| {
            (
                own.relation.as_str(),
                own.element_type,
                own.boundary.clone(),
            )
        })
        .collect();
    let zero = crate::items::ConstValue::Float(crate::items::Float::literal("0.0").unwrap());
    assert_eq!(
        said,
        [
            ("Less", Some(ElementType::F32), Some(zero)),
            ("True", Some(ElementType::F32), None),
            ("True", Some(ElementType::F32), None),
            ("True", Some(ElementType::I32), None),
        ]
    );
    let StageKind::VectorAlu(multiply) = &stages[3] else {
        panic!("an operation")
    };
    assert_eq!(
        (multiply.variant.as_str(), multiply.argument.as_deref()),
        ("MulF", Some("Mul1"))
    );
    assert_eq!(
        text_at(&db, multiply.operation_span),
        "FpBinaryOp::MulF(FpMulAlu::Mul1)"
    );
    let numbers: Vec<_> = multiply.operands[0]
        .iter()
        .map(|own| own.number.clone())
        .collect();
    let two = crate::items::ConstValue::Float(crate::items::Float::literal("2.0").unwrap());
    assert_eq!(numbers, [Some(two)]);
    let StageKind::VectorAlu(divide) = &stages[4] else {
        panic!("an operation")
    };
    assert_eq!(divide.mode.as_deref(), Some("Mode10"));
    assert_eq!(
        (divide.enumeration.as_str(), divide.variant.as_str()),
        ("FpDivBinaryOp", "DivF")
    );
    let StageKind::VectorIntraReduce { axis, operation } = &stages[5] else {
        panic!("a reduction")
    };
    assert_eq!(
        axis.value.as_ref().map(crate::mapping::Axis::name),
        Some("B")
    );
    assert_eq!(
        operation.value,
        Some(("IntraSliceReduceOpF32".to_owned(), "Max".to_owned()))
    );
}

#[test]
fn switch_configurations_keep_their_fields() {
    let text = format!(
        "{HEAD}const RING: usize = 4 * 2;
         fn stage<'l, const T: Tu>(x: FetchTensor<'l, T, f32, m![1], m![1 # 2], m![A / 8], m![B], m![A % 8]>) {{
            let y = x.switch::<m![A / 8], m![B]>(SwitchConfig::CustomBroadcast {{ ring_size: RING }})
                     .switch::<m![A / 8], m![B]>(SwitchConfig::InterTranspose {{ slice1: 8, slice0: 1 << 2, time0: 1 }});
        }}"
    );
    let (db, body) = lower_in(&text, "stage");
    let stages = &passes(&body)[0].stages;
    let StageKind::Switch(Written {
        value: Some(SwitchConfig::CustomBroadcast { ring_size }),
        ..
    }) = &stages[0].kind
    else {
        panic!("a ring")
    };
    assert_eq!(ring_size.value, Some(8));
    assert_eq!(text_at(&db, ring_size.span), "RING");
    let StageKind::Switch(Written {
        value:
            Some(SwitchConfig::InterTranspose {
                slice1,
                slice0,
                time0,
            }),
        ..
    }) = &stages[1].kind
    else {
        panic!("a transpose")
    };
    assert_eq!(
        (slice1.value, slice0.value, time0.value),
        (Some(8), Some(4), Some(1))
    );
}

#[test]
fn zero_points_are_constants() {
    let text = format!(
        "{HEAD}fn stage<'l, const T: Tu>(x: BeginTensor<'l, T, i8, m![1], m![1 # 2], m![A / 8], m![1], m![A % 8]>) {{
            let y = x.fetch_with_zero_points::<i32, m![1], m![A % 8]>([100, -100]);
        }}"
    );
    let (_, body) = lower_in(&text, "stage");
    let StageKind::Fetch {
        table: false,
        zero_points,
    } = &passes(&body)[0].stages[0].kind
    else {
        panic!("a fetch")
    };
    assert_eq!(
        zero_points
            .iter()
            .map(|point| point.value)
            .collect::<Vec<_>>(),
        [Some(100), Some(-100)]
    );
}

#[test]
fn collectives_lie_at_the_start_of_their_memory() {
    let text = format!(
        "{HEAD}#[device(chip = 1)] fn kernel(ctx: &mut Context, x: &DmTensor<i8, m![1], m![R % 2], m![1 # 256], m![A, B]>) {{
            let y = ctx.tdma.dm_cluster_shuffle::<_, 2, _, _, _, _>(x.view(), &[1, 0]);
            let z: DmTensor<i8, m![1], m![R % 2], m![1 # 256], m![A]> =
                ctx.sub.parallel_copy_cluster_slice::<2, m![B / 32], m![A, 1 # 2, B % 32], _, _, _, _, _, _>(y.view(), &[0, 1]);
        }}"
    );
    let (_, body) = lower_in(&text, "kernel");
    assert_eq!(reasons(&body), []);
    assert_eq!(
        methods(&body.operations),
        ["dm_cluster_shuffle", "parallel_copy_cluster_slice"]
    );
    let named = |name: &str| {
        body.tensors
            .iter()
            .find(|tensor| tensor.name.as_deref() == Some(name))
            .expect("the tensor")
    };
    assert_eq!(named("y").address.bytes(), Some(0));
    assert_eq!(shown(&named("y").levels.element), "A, B");
    assert_eq!(named("z").address.bytes(), Some(0));
    assert_eq!(shown(&named("z").levels.element), "A");
}

#[test]
fn gathers_scatters_and_parallel_copies_name_their_tensors() {
    let text = format!(
        "{HEAD}#[device(chip = 1)] fn kernel(ctx: &mut Context, table: &HbmTensor<i8, m![1], m![A, B]>, keys: &HbmTensor<i32, m![1], m![R]>, out: &mut HbmTensor<i8, m![1], m![A, B]>) {{
            let rows: DmTensor<i8, m![1], m![1 # 2], m![R # 256], m![B]> = table.dma_gather(keys, 0x40);
            let mut copy = unsafe {{ DmTensor::<i8, m![1], m![1 # 2], m![R # 256], m![B]>::from_addr(0x80) }};
            rows.to_dm_pcopy(&mut ctx.sub, &mut copy);
            rows.dma_scatter::<m![R], _, _>(keys, out, false);
        }}"
    );
    let (_, body) = lower_in(&text, "kernel");
    assert_eq!(
        reasons(&body),
        [UnresolvedReason::UnsupportedExpression(
            "what a gather makes of its table".to_owned()
        )]
    );
    assert_eq!(
        methods(&body.operations),
        ["dma_gather", "to_dm_pcopy", "dma_scatter"]
    );
    let id = |name: &str| {
        body.tensors
            .iter()
            .find(|tensor| tensor.name.as_deref() == Some(name))
            .expect("the tensor")
            .id
    };
    let collectives: Vec<_> = body
        .operations
        .iter()
        .filter_map(|operation| match &operation.kind {
            OperationKind::Collective(collective) => {
                Some((collective.sources.clone(), collective.targets.clone()))
            }
            _ => None,
        })
        .collect();
    assert_eq!(
        collectives,
        [
            (vec![id("table"), id("keys")], vec![id("rows")]),
            (vec![id("rows"), id("keys")], vec![id("out")])
        ]
    );
    assert_eq!(body.operations[1].context, crate::kernel::Context::Sub);
    assert_eq!(
        body.tensor(id("rows"))
            .and_then(|tensor| tensor.address.bytes()),
        Some(0x40)
    );
    assert_eq!(body.escaping, [id("out")]);
}

/// However an import or an alias names it, an operation is the library's.
#[test]
fn operations_are_known_by_what_is_imported() {
    for (outside, inside, operation) in [
        ("use ClipBinaryOpF32::Max;", "", "Max"),
        ("use ClipBinaryOpF32::{Max as Largest, Min};", "", "Largest"),
        ("use ClipBinaryOpF32::*;", "", "Max"),
        ("", "use ClipBinaryOpF32::*;", "Max"),
        (
            "use furiosa_visa_std::prelude::ClipBinaryOpF32::*;",
            "",
            "Max",
        ),
        ("use ClipBinaryOpF32 as Op;", "", "Op::Max"),
        ("type Op = ClipBinaryOpF32;", "", "Op::Max"),
        (
            "type Inner = ClipBinaryOpF32; type Op = Inner;",
            "",
            "Op::Max",
        ),
        (
            "mod ops { pub use furiosa_visa_std::prelude::ClipBinaryOpF32::Max; }",
            "",
            "ops::Max",
        ),
        (
            "const LARGEST: ClipBinaryOpF32 = ClipBinaryOpF32::Max;",
            "",
            "LARGEST",
        ),
    ] {
        let text = format!(
            "{HEAD}{outside}\nfn stage<'l, const T: Tu>(x: CollectTensor<'l, T, f32, m![1], m![1 # 2], m![A / 8], m![B], m![A % 8]>) {{
                {inside}
                let y = x.vector_init().vector_intra_slice_branch(BranchMode::Unconditional).vector_clip({operation}, 1.0);
            }}"
        );
        let (_, body) = lower_in(&text, "stage");
        assert_eq!(reasons(&body), [], "{outside} {inside} {operation}");
        let StageKind::VectorAlu(found) = &passes(&body)[0].stages[2].kind else {
            panic!("an operation")
        };
        assert_eq!(
            (found.enumeration.as_str(), found.variant.as_str()),
            ("ClipBinaryOpF32", "Max"),
            "{outside} {inside} {operation}"
        );
    }
    // An enum of the project is none of the library's, whatever its variants are called.
    let text = format!(
        "{HEAD}enum Own {{ Max }}\nuse Own::*;\nfn stage<'l, const T: Tu>(x: CollectTensor<'l, T, f32, m![1], m![1 # 2], m![A / 8], m![B], m![A % 8]>) {{
            let y = x.vector_init().vector_intra_slice_branch(BranchMode::Unconditional).vector_clip(Max, 1.0);
        }}"
    );
    let (_, body) = lower_in(&text, "stage");
    let StageKind::VectorAlu(found) = &passes(&body)[0].stages[2].kind else {
        panic!("an operation")
    };
    assert_ne!(found.enumeration, "ClipBinaryOpF32");
}

/// Multipliers, switch configurations, branch modes and regions of the TRF too.
#[test]
fn other_enums_are_known_by_what_is_imported() {
    let (_, stages) = stages(
        "vector_init().vector_intra_slice_branch(BranchMode::Unconditional)
            .vector_trim_way4::<m![A % 8 = 4]>().vector_fp_binary({ use FpBinaryOp::*; use FpMulAlu::*; MulF(Mul1) }, 2.0)",
    );
    let StageKind::VectorAlu(multiply) = &stages[3] else {
        panic!("an operation")
    };
    assert_eq!(
        (
            multiply.enumeration.as_str(),
            multiply.variant.as_str(),
            multiply.argument.as_deref()
        ),
        ("FpBinaryOp", "MulF", Some("Mul1"))
    );
    let text = format!(
        "{HEAD}use SwitchConfig::*;\nuse BranchMode::Unconditional as Always;
        fn switched<'l, const T: Tu>(x: FetchTensor<'l, T, f32, m![1], m![1 # 2], m![A / 8], m![B], m![A % 8]>) {{
            let y = x.switch::<m![A / 8], m![B]>(Broadcast1 {{ slice1: 2, slice0: 4 }})
                .collect::<m![B], m![A % 8]>().vector_init().vector_intra_slice_branch(Always);
        }}"
    );
    let (_, body) = lower_in(&text, "switched");
    assert_eq!(reasons(&body), []);
    let kinds: Vec<&StageKind> = passes(&body)[0]
        .stages
        .iter()
        .map(|stage| &stage.kind)
        .collect();
    assert!(
        kinds
            .iter()
            .any(|kind| matches!(kind, StageKind::VectorBranch(BranchMode::Unconditional))),
        "{kinds:?}"
    );
    let config = kinds.iter().find_map(|kind| match kind {
        StageKind::Switch(config) => Some(config),
        _ => None,
    });
    assert!(
        matches!(
            config.map(|config| &config.value),
            Some(Some(SwitchConfig::Broadcast1 { .. }))
        ),
        "{kinds:?}"
    );
}
