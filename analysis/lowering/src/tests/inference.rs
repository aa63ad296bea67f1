//! Where mappings and element types come from, in each direction along a chain.

use super::*;
use crate::hardware::ElementType;
use crate::kernel::{
    AddressValue, Context, Level, Origin, PassEnd, Position, StageKind, Tier, TrfAddress,
};

const AXES: &str = "axes![A = 2048, B = 64];\ntype Chip = m![1];\ntype Cluster = m![1 # 2];\ntype Slice = m![A / 8 # 256];\n";

fn lower(text: &str) -> (AnalysisDatabase, Arc<Body>) {
    lower_in(&format!("{AXES}{text}"), "kernel")
}

/// Levels of the tensor of that name, outermost first.
pub(super) fn levels(body: &Body, name: &str) -> Vec<String> {
    let tensor = body
        .tensors
        .iter()
        .find(|tensor| tensor.name.as_deref() == Some(name))
        .expect("the tensor");
    tensor
        .levels
        .iter()
        .map(|(_, mapping)| shown(mapping))
        .collect()
}

#[test]
fn a_turbofish_says_each_level_and_its_place() {
    let (db, body) = lower(
        "#[device(chip = 1)] fn kernel(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![A]>) {
            let dm = x.to_dm::<Cluster, Slice, m![A % 8]>(&mut ctx.tdma, 1 << 12);
        }",
    );
    assert_eq!(reasons(&body), []);
    assert_eq!(methods(&body.operations), ["to_dm"]);
    assert_eq!(levels(&body, "dm"), ["1", "1 # 2", "A / 8 # 256", "A % 8"]);
    let dm = body
        .tensors
        .iter()
        .find(|tensor| tensor.name.as_deref() == Some("dm"))
        .expect("the tensor");
    assert_eq!(dm.tier, Tier::Dm);
    assert_eq!(dm.element_type.value, Some(ElementType::I32));
    assert_eq!(dm.address.value, AddressValue::Bytes(4096));
    assert_eq!(text_at(&db, dm.address.span), "1 << 12");
    assert_eq!(dm.origin, Origin::Operation(body.operations[0].id));
    // A macro argument is where it is written; an alias's mapping in the alias, with the use beside it.
    assert_eq!(text_at(&db, dm.levels.element.span), "m![A % 8]");
    let slice = dm.levels.slice.as_ref().expect("a slice");
    assert_eq!(text_at(&db, slice.span), "m![A / 8 # 256]");
    assert_eq!(
        slice.used_at.map(|span| text_at(&db, span)).as_deref(),
        Some("Slice")
    );
    assert_eq!(body.operations[0].context, Context::TensorDma);
    assert_eq!(text_at(&db, body.operations[0].span), "to_dm");
}

#[test]
fn an_annotation_fills_what_the_call_leaves_open() {
    let (db, body) = lower(
        "#[device(chip = 1)] fn kernel(ctx: &mut Context, x: &HbmTensor<bf16, Chip, m![A]>) {
            let dm: DmTensor<bf16, Chip, Cluster, Slice, m![A % 8]> = x.to_dm(&mut ctx.tdma, 0);
            let out: DmTensor<_, _, _, _, m![A % 8 # 16]> = ctx.main.begin(dm.view())
                .fetch::<bf16, m![1], m![A % 8 # 16]>().collect::<m![1], m![A % 8 # 16]>().commit(0x100);
        }",
    );
    assert_eq!(reasons(&body), []);
    assert_eq!(levels(&body, "dm"), ["1", "1 # 2", "A / 8 # 256", "A % 8"]);
    assert_eq!(
        levels(&body, "out"),
        ["1", "1 # 2", "A / 8 # 256", "A % 8 # 16"]
    );
    let out = body
        .tensors
        .iter()
        .find(|tensor| tensor.name.as_deref() == Some("out"))
        .expect("the tensor");
    assert_eq!(text_at(&db, out.levels.element.span), "m![A % 8 # 16]");
    assert_eq!(text_at(&db, out.span), "out");
    let pass = passes(&body)[0];
    assert_eq!(pass.context, Some(Context::Main));
    assert_eq!(shown(&pass.begin.time), "1");
    assert_eq!(shown(&pass.begin.packet), "A % 8");
    assert_eq!(pass.stages.len(), 2);
    assert!(matches!(pass.end, PassEnd::Commit { target, .. } if target == out.id));
}

#[test]
fn the_result_type_reaches_a_tail_expression() {
    let (db, body) = lower(
        "#[device(chip = 1)] fn kernel(ctx: &mut Context, x: &DmTensor<i8, Chip, Cluster, Slice, m![B]>) -> HbmTensor<i8, Chip, m![A / 8, B]> {
            x.to_hbm(&mut ctx.tdma, 0)
        }",
    );
    assert_eq!(reasons(&body), []);
    let result = body.tensors.last().expect("a tensor");
    assert_eq!(result.tier, Tier::Hbm);
    assert_eq!(shown(&result.levels.element), "A / 8, B");
    assert_eq!(text_at(&db, result.levels.element.span), "m![A / 8, B]");
    assert_eq!(body.escaping, [result.id]);
}

#[test]
fn a_return_statement_has_the_result_type_too() {
    let (_, body) = lower(
        "#[device(chip = 1)] fn kernel(ctx: &mut Context, x: &DmTensor<i8, Chip, Cluster, Slice, m![B]>) -> HbmTensor<i8, Chip, m![A / 8, B]> {
            return x.to_hbm(&mut ctx.tdma, 0);
        }",
    );
    assert_eq!(reasons(&body), []);
    assert_eq!(
        shown(&body.tensors.last().expect("a tensor").levels.element),
        "A / 8, B"
    );
}

#[test]
fn a_later_use_decides() {
    let (_, body) = lower(
        "fn keep(ctx: &mut Context, x: &DmTensor<i8, Chip, Cluster, Slice, m![B % 32]>) {}
         #[device(chip = 1)] fn kernel(ctx: &mut Context, x: &DmTensor<i8, Chip, Cluster, Slice, m![B]>) {
            let late = ctx.main.begin(x.view()).fetch::<i8, m![1], m![B % 32]>().collect::<m![1], m![B % 32]>().commit(0);
            keep(ctx, &late);
        }",
    );
    assert_eq!(reasons(&body), []);
    assert_eq!(
        levels(&body, "late"),
        ["1", "1 # 2", "A / 8 # 256", "B % 32"]
    );
}

#[test]
fn registers_take_rows_and_elements_from_the_annotation() {
    let (_, body) = lower(
        "#[device(chip = 1)] fn kernel(ctx: &mut Context, x: &DmTensor<bf16, Chip, Cluster, Slice, m![B]>) -> DmTensor<bf16, Chip, Cluster, Slice, m![1 # 8]> {
            let weights: TrfTensor<bf16, _, _, _, m![1], m![B]> = ctx.sub.begin(x.view())
                .fetch::<bf16, m![1], m![B]>().collect::<m![B / 16], m![B % 16]>().to_trf(TrfAddress::FirstHalf);
            ctx.main.begin(x.view()).fetch::<bf16, m![1], m![B]>().collect::<m![B / 16], m![B % 16]>()
                .align::<m![B / 32], m![B % 32], _, _>(&weights)
                .contract::<m![1]>()
                .accumulate::<m![1], m![1 # 8]>(AccumulationKind::Sequential)
                .cast::<bf16, m![1 # 16]>()
                .commit::<m![1 # 8]>(0x800)
        }",
    );
    assert_eq!(reasons(&body), []);
    let weights = body
        .tensors
        .iter()
        .find(|tensor| tensor.name.as_deref() == Some("weights"))
        .expect("the tensor");
    assert_eq!(weights.tier, Tier::Trf);
    assert_eq!(
        weights.address.value,
        AddressValue::Trf(TrfAddress::FirstHalf)
    );
    assert_eq!(
        weights
            .levels
            .iter()
            .map(|(level, _)| level)
            .collect::<Vec<_>>(),
        [
            Level::Chip,
            Level::Cluster,
            Level::Slice,
            Level::Row,
            Level::Element
        ]
    );
    assert_eq!(
        levels(&body, "weights"),
        ["1", "1 # 2", "A / 8 # 256", "1", "B"]
    );
    let all = passes(&body);
    assert_eq!(all[0].context, Some(Context::Sub));
    let main = all[1];
    assert!(
        matches!(main.stages[2].kind, StageKind::Align { operand: Some(id), .. } if id == weights.id)
    );
    // Rows come from the operand, leave with the accumulation; a contraction of bf16 gives f32.
    assert_eq!(
        main.stages[2].output.row.as_ref().map(shown).as_deref(),
        Some("1")
    );
    assert_eq!(
        main.stages[3].output.element_type.value,
        Some(ElementType::F32)
    );
    assert_eq!(main.stages[4].output.row, None);
    assert_eq!(
        main.stages[5].output.element_type.value,
        Some(ElementType::Bf16)
    );
    let positions: Vec<Position> = main
        .stages
        .iter()
        .map(|stage| stage.output.position)
        .collect();
    assert_eq!(
        positions,
        [
            Position::Fetch,
            Position::Collect,
            Position::Align,
            Position::Contract,
            Position::Accumulate,
            Position::Cast
        ]
    );
}

#[test]
fn a_view_as_target_decides_what_is_written() {
    let (_, body) = lower(
        "#[device(chip = 1)] fn kernel(ctx: &mut Context, x: &DmTensor<i32, Chip, Cluster, Slice, m![A % 8]>, out: &mut HbmTensor<i32, Chip, m![A]>) {
            let mut y = unsafe { DmTensor::<i32, Chip, Cluster, Slice, m![A % 8]>::from_addr(0x4000) };
            ctx.main.begin(x.view()).fetch::<i32, m![1], m![A % 8]>().collect::<m![1], m![A % 8]>().commit_view(y.view_mut());
            y.view().to_hbm_view(&mut ctx.tdma, out.view_mut());
        }",
    );
    assert_eq!(reasons(&body), []);
    assert_eq!(methods(&body.operations), ["pass of 2", "to_hbm_view"]);
    let y = body
        .tensors
        .iter()
        .find(|tensor| tensor.name.as_deref() == Some("y"))
        .expect("the tensor");
    assert_eq!(y.origin, Origin::FromAddress);
    assert_eq!(y.address.value, AddressValue::Bytes(0x4000));
    let out = body
        .tensors
        .iter()
        .find(|tensor| tensor.name.as_deref() == Some("out"))
        .expect("the tensor");
    // Written through a parameter: it outlives the body.
    assert_eq!(body.escaping, [out.id]);
}

#[test]
fn a_reshape_takes_the_annotation_and_moves_its_source() {
    let (_, body) = lower(
        "#[device(chip = 1)] fn kernel(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![A]>) {
            let flat = x.to_dm::<Cluster, Slice, m![A % 8]>(&mut ctx.tdma, 64);
            let again: DmTensor<i32, Chip, Cluster, m![A / 8], m![A % 8]> = unsafe { flat.reshape() };
            let h: HbmTensor<i32, Chip, m![A]> = again.to_hbm(&mut ctx.tdma, 0);
        }",
    );
    assert_eq!(reasons(&body), []);
    assert_eq!(levels(&body, "again"), ["1", "1 # 2", "A / 8", "A % 8"]);
    let flat = body
        .tensors
        .iter()
        .find(|tensor| tensor.name.as_deref() == Some("flat"))
        .expect("the tensor");
    let again = body
        .tensors
        .iter()
        .find(|tensor| tensor.name.as_deref() == Some("again"))
        .expect("the tensor");
    assert_eq!(again.origin, Origin::Reshape { of: flat.id });
    assert_eq!(again.address, flat.address);
    // One operation precedes the move.
    assert_eq!(flat.moved_before.map(|before| before.0), Some(1));
}

#[test]
fn a_transmute_between_references_is_a_reshape() {
    let named = |body: &Body, name: &str| {
        let mut tensors = body.tensors.iter();
        let found = tensors.find(|tensor| tensor.name.as_deref() == Some(name));
        found.expect("the tensor").clone()
    };
    for call in [
        "std::mem::transmute::<&Rows, &Flat>(&rows)",
        "std::mem::transmute::<_, &Flat>(&rows)",
        "std::mem::transmute(&rows)",
        "core::mem::transmute::<&Rows, _>(&rows)",
    ] {
        let (_, body) = lower(&format!(
            "type Rows = DmTensor<i32, Chip, Cluster, Slice, m![A % 8]>;
             type Flat = DmTensor<i32, Chip, Cluster, m![A / 8], m![A % 8]>;
             #[device(chip = 1)] fn kernel(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![A]>) {{
                let rows: Rows = x.to_dm(&mut ctx.tdma, 64);
                let again: &Flat = unsafe {{ {call} }};
                let h: HbmTensor<i32, Chip, m![A]> = again.to_hbm(&mut ctx.tdma, 0);
            }}"
        ));
        assert_eq!(reasons(&body), [], "{call}");
        assert_eq!(levels(&body, "again"), ["1", "1 # 2", "A / 8", "A % 8"]);
        let rows = named(&body, "rows");
        assert_eq!(
            named(&body, "again").origin,
            Origin::Reshape { of: rows.id }
        );
        // A reference is lent, and its tensor stays.
        assert_eq!(rows.moved_before, None);
    }
}

#[test]
fn an_alias_may_stand_for_a_whole_tensor_or_stream() {
    let (_, body) = lower(
        "type Acc = DmTensor<i32, Chip, Cluster, Slice, m![A % 8]>;
         type Packets<'l> = CollectTensor<'l, { Tu::Main }, i32, Chip, Cluster, Slice, m![1], m![A % 8]>;
         #[device(chip = 1)] fn kernel(ctx: &mut Context) -> Acc {
            let acc = unsafe { Acc::from_addr(8) };
            let stream: Packets<'_> = ctx.main.begin(acc.view()).fetch::<i32, m![1], m![A % 8]>().collect();
            stream.commit(0x100)
        }",
    );
    assert_eq!(reasons(&body), []);
    assert_eq!(levels(&body, "acc"), ["1", "1 # 2", "A / 8 # 256", "A % 8"]);
    assert_eq!(shown(&passes(&body)[0].stages[1].output.packet), "A % 8");
}

#[test]
fn interleaved_streams_begin_with_the_axis() {
    let (db, body) = lower_in(
        "axes![A = 2048, I = 2];
         #[device(chip = 1)] fn kernel(ctx: &mut Context, x: &DmTensor<i32, m![1], m![1 # 2], m![A / 8], m![A % 8]>, y: &DmTensor<i32, m![1], m![1 # 2], m![A / 8], m![A % 8]>) -> DmTensor<i32, m![1], m![1 # 2], m![A / 8], m![A % 8]> {
            ctx.main.begin_interleaved::<I, _, _, _, _, _>(x.view(), y.view())
                .fetch::<i32, m![I], m![A % 8]>().collect::<m![I], m![A % 8]>()
                .vector_init().vector_intra_slice_unzip::<I, m![1 # 2], m![1]>()
                .vector_fxp(FxpBinaryOp::MulInt, 10, ())
                .vector_clip_zip(ClipBinaryOpI32::AddFxp).vector_final().commit(0)
        }",
        "kernel",
    );
    assert_eq!(reasons(&body), []);
    let pass = passes(&body)[0];
    let crate::kernel::PassSource::Interleaved {
        axis,
        tensors,
        spans,
    } = &pass.source
    else {
        panic!("interleaved")
    };
    assert_eq!(
        axis.value
            .as_ref()
            .map(|axis| (axis.name().to_owned(), axis.size())),
        Some(("I".to_owned(), 2))
    );
    assert_eq!(tensors.len(), 2);
    assert_eq!(
        spans
            .iter()
            .map(|span| text_at(&db, *span))
            .collect::<Vec<_>>(),
        ["x.view()", "y.view()"]
    );
    assert_eq!(shown(&pass.begin.time), "I");
    let StageKind::VectorUnzip { tile_time, .. } = &pass.stages[3].kind else {
        panic!("unzip")
    };
    assert_eq!(shown(tile_time), "1 # 2");
    assert_eq!(shown(&pass.stages[3].output.time), "1");
    let StageKind::VectorAlu(multiply) = &pass.stages[4].kind else {
        panic!("an operation")
    };
    assert_eq!(
        (multiply.enumeration.as_str(), multiply.variant.as_str()),
        ("FxpBinaryOp", "MulInt")
    );
    assert_eq!(multiply.operands.len(), 2);
    assert_eq!(
        multiply.operands[0][0].source,
        crate::kernel::OperandSource::Constant(Some(ElementType::I32))
    );
    assert_eq!(
        multiply.operands[1][0].source,
        crate::kernel::OperandSource::Skip
    );
    let StageKind::VectorAlu(zip) = &pass.stages[5].kind else {
        panic!("an operation")
    };
    assert!(zip.zip && zip.operands.is_empty());
}

#[test]
fn nothing_says_the_element_of_a_commit() {
    let (db, body) = lower(
        "#[device(chip = 1)] fn kernel(ctx: &mut Context, x: &DmTensor<i8, Chip, Cluster, Slice, m![B]>) {
            ctx.main.begin(x.view()).fetch::<i8, m![1], m![B % 32]>().collect::<m![1], m![B % 32]>().commit(0);
        }",
    );
    assert_eq!(reasons(&body), [UnresolvedReason::NotInferred]);
    assert_eq!(text_at(&db, body.unresolved[0].span), "commit");
    // The operation is, with what is known of it.
    assert_eq!(methods(&body.operations), ["pass of 2"]);
}

#[test]
fn an_unknown_name_is_counted_once_an_operation() {
    let (db, body) = lower(
        "#[device(chip = 1)] fn kernel(ctx: &mut Context, x: &DmTensor<i8, Chip, Cluster, Slice, m![B]>) {
            let y: DmTensor<i8, Chip, Cluster, Slice, m![Q % 32]> = ctx.main.begin(x.view())
                .fetch::<i8, m![1], m![Q % 32]>().collect::<m![1], m![B % 32]>().commit(0);
        }",
    );
    assert_eq!(
        reasons(&body),
        [UnresolvedReason::UnknownName("Q".to_owned())]
    );
    assert_eq!(text_at(&db, body.unresolved[0].span), "m![Q % 32]");
}

#[test]
fn a_method_that_nobody_has_ends_the_chain() {
    let (db, body) = lower(
        "#[device(chip = 1)] fn kernel(ctx: &mut Context, x: &DmTensor<i8, Chip, Cluster, Slice, m![B]>) {
            let y = ctx.main.begin(x.view()).fetch::<i8, m![1], m![B % 32]>().gather_all().commit::<m![B % 32]>(0);
        }",
    );
    assert_eq!(
        reasons(&body),
        [UnresolvedReason::UnknownMethod {
            name: "gather_all".to_owned(),
            dialect: crate::items::Dialect::default(),
        }]
    );
    assert_eq!(text_at(&db, body.unresolved[0].span), "gather_all");
    assert_eq!(passes(&body)[0].end, PassEnd::Open);
}

#[test]
fn host_transfers_take_types_from_the_kernel_they_launch() {
    let (_, body) = lower_in(
        "axes![A = 2048];
         #[device(chip = 1)] fn double(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![A]>) -> HbmTensor<i32, m![1], m![A % 8, A / 8]> { todo!() }
         #[tokio::main] async fn main() {
            let mut ctx = Context::acquire();
            let x = HostTensor::<i32, m![A]>::rand(&mut rng);
            let x_hbm = x.to_hbm(&mut ctx.pdma, 0).await;
            let y_hbm = launch(double, (&mut *ctx, &x_hbm)).await;
            let y = y_hbm.to_host::<m![A]>(&mut ctx.pdma).await;
        }",
        "main",
    );
    assert_eq!(reasons(&body), []);
    assert_eq!(methods(&body.operations), ["to_hbm", "to_host"]);
    assert!(
        body.operations
            .iter()
            .all(|operation| operation.context == Context::PcieDma)
    );
    assert_eq!(levels(&body, "x_hbm"), ["1", "A"]);
    assert_eq!(levels(&body, "y_hbm"), ["1", "A % 8, A / 8"]);
    assert_eq!(levels(&body, "y"), ["A"]);
    let launches: Vec<_> = body
        .launches
        .iter()
        .map(|launch| (launch.before.0, launch.tensors.len()))
        .collect();
    assert_eq!(
        launches,
        [(1, 1)],
        "between the two transfers, with `x_hbm`"
    );
}
