use std::sync::Arc;
use std::time::Duration;

use super::{Findings, run_guarded};
use crate::db::AnalysisDatabase;
use crate::inputs::SourceFile;
use crate::items::{ItemId, ItemKind, ModulePath, Typing as _};
use crate::workspace::Workspace;

/// A function of a file.
fn function_of(db: &dyn crate::db::Db, file: SourceFile) -> ItemId {
    let path = ModulePath::from([]);
    ItemId::new(
        db,
        file,
        ItemKind::Function,
        path,
        Arc::<str>::from("f"),
        0,
        None,
    )
}

#[salsa::tracked(returns(clone))]
fn failing(db: &dyn crate::db::Db, file: SourceFile) -> Findings {
    run_guarded(db, function_of(db, file), || {
        assert!(!file.text(db).contains("defect"), "a defect");
        Findings {
            kernel: true,
            ..Findings::default()
        }
    })
}

#[test]
fn a_defect_is_an_answer_and_is_asked_again_after_a_change() {
    let mut db = AnalysisDatabase::default();
    let file = SourceFile::new(&db, "a.rs".into(), "defect".into());
    let found = failing(&db, file);
    assert_eq!(found.failure.as_deref(), Some("a defect"));
    assert!(!found.kernel);
    db.set_text(file, "mended".into());
    assert_eq!(
        failing(&db, file),
        Findings {
            kernel: true,
            ..Findings::default()
        }
    );
}

#[test]
fn a_cancellation_is_no_defect() {
    let db = AnalysisDatabase::default();
    let file = SourceFile::new(&db, "a.rs".into(), "".into());
    let run = || {
        run_guarded(&db, function_of(&db, file), || {
            std::panic::resume_unwind(Box::new(salsa::Cancelled::Local))
        })
    };
    let unwound = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
    assert!(unwound.is_err_and(|payload| payload.is::<salsa::Cancelled>()));
}

#[test]
fn what_takes_too_long_is_said_at_its_name_and_the_rest_is_answered() {
    let many = "    let x = x.to_hbm(&mut device.tdma).to_dm(&mut device.tdma);\n".repeat(200);
    let text = format!(
        "use furiosa_opt_std::prelude::*;
axes![S = 256, K = 64];
type Wrong = m![K / 7];
#[device(chip = 1)]
fn long(device: &mut Device, x: &DmTensor<f32, m![1], m![1 # 2], m![S], m![K]>) {{
{many}}}
"
    );
    let mut workspace = Workspace::new();
    workspace.set_files([("k.rs", text.as_str())]);
    let whole = workspace.analysis().check_file("k.rs");
    assert!(
        !whole
            .unresolved
            .iter()
            .any(|place| place.reason.contains("longer"))
    );
    // No time at all: what looks at its clock ends there.
    let mut workspace = Workspace::new();
    workspace.set_time_limit(Duration::ZERO);
    workspace.set_files([("k.rs", text.as_str())]);
    let report = workspace.analysis().check_file("k.rs");
    assert!(report.problems.is_empty());
    assert_eq!(report.kernels, 1);
    let said = report.diagnostics.iter();
    let said: Vec<_> = said
        .map(|found| (found.rule, found.range.start.line))
        .collect();
    assert!(said.contains(&("stride_indivisible", 3)), "{said:?}");
    assert!(said.contains(&("analysis_limit", 5)), "{said:?}");
    assert!(report.operations.unresolved > 0);
}
