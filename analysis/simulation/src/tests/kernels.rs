//! Whole kernels: every pass of the right ones is costed, and its table and the price of a change agree with its cost.

use std::path::Path;

use crate::kernel::OperationKind;
use crate::{Engine, stage_tables};

use super::{Function, functions};

/// The functions of the right kernels that are in one file, with its name.
pub(crate) fn right_kernels() -> Vec<(String, Function)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/kernels/right");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect();
    files.sort();
    files
        .iter()
        .flat_map(|path| {
            let text = std::fs::read_to_string(path).unwrap_or_default();
            let name = path.display().to_string();
            functions(&text)
                .into_iter()
                .map(move |function| (name.clone(), function))
        })
        .filter(|(_, function)| function.body.device.is_some())
        .collect()
}

#[test]
fn every_pass_of_a_right_kernel_is_costed() {
    let mut passes = 0;
    for (file, function) in right_kernels() {
        let operations = function.body.operations.iter();
        for (operation, cost) in operations.zip(&function.simulation.operations) {
            if !matches!(operation.kind, OperationKind::Pass(_)) {
                continue;
            }
            passes += 1;
            let place = format!("{file}: {}: {:?}", function.body.name, operation.id);
            assert_eq!(cost.gaps, [], "{place}");
            let busiest = cost.stages.iter().filter_map(|stage| stage.busy).max();
            let latency: u64 = cost.stages.iter().map(|stage| stage.latency).sum();
            assert_eq!(cost.cycles, busiest.map(|busy| busy + latency), "{place}");
            let bottleneck = cost.bottleneck.map(|index| cost.stages[index].busy);
            assert_eq!(bottleneck, Some(busiest), "{place}");
        }
    }
    assert!(passes > 60, "{passes} passes");
}

#[test]
fn a_table_has_a_row_a_stage_with_its_cycles() {
    let text = "axes![S = 256, A = 40];
        #[device(chip = 1)]
        fn kernel(ctx: &mut Context, x: &HbmTensor<i8, m![1], m![S, A]>) -> HbmTensor<i32, m![1], m![S, A]> {
            let x: DmTensor<i8, m![1], m![1 # 2], m![S], m![A]> = x.to_dm(&mut ctx.tdma, 0);
            let y: DmTensor<i32, m![1], m![1 # 2], m![S], m![A]> = ctx.main.begin(x.view())
                .fetch::<i32, m![1], m![A]>()
                .collect::<m![A / 8], m![A % 8]>()
                .vector_init()
                .vector_intra_slice_branch(BranchMode::Unconditional)
                .vector_fxp(FxpBinaryOp::AddFxp, 3)
                .vector_final()
                .commit(0x1000);
            y.to_hbm(&mut ctx.tdma, 0x1000_0000)
        }";
    let function = functions(text).remove(0);
    let tables = stage_tables(&function.body, &function.simulation);
    assert_eq!(tables.len(), 1);
    let shown: Vec<_> = tables[0]
        .rows
        .iter()
        .map(|row| {
            (
                row.method.as_str(),
                row.iterations,
                row.bytes,
                row.flits,
                row.lanes,
                row.cycles,
            )
        })
        .collect();
    // 40 bytes are five fetches of 8, each 32 bytes of `i32`: five flits, five writes of 32 bytes.
    assert_eq!(
        shown,
        [
            ("begin", Some(1), Some(40), Some(2), None, None),
            ("fetch", Some(1), Some(160), Some(5), None, Some(5)),
            ("collect", Some(5), Some(32), Some(1), None, Some(5)),
            ("vector_init", Some(5), Some(32), Some(1), Some(8), None),
            (
                "vector_intra_slice_branch",
                Some(5),
                Some(32),
                Some(1),
                Some(8),
                Some(5)
            ),
            ("vector_fxp", Some(5), Some(32), Some(1), Some(8), Some(5)),
            ("vector_final", Some(5), Some(32), Some(1), None, None),
            ("commit", None, Some(160), None, None, Some(5)),
        ]
    );
    assert_eq!(tables[0].rows[5].engine, Some(Engine::Vector));
    assert_eq!(tables[0].rows[5].latency, 1);
}
