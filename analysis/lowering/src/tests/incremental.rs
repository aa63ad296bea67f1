//! What an edit makes the lowering do again.

use super::*;
use crate::items::Typing as _;

const TEXT: &str = "use furiosa_visa_std::prelude::*;
axes![A = 2048];
type T = DmTensor<i32, m![1], m![1 # 2], m![A / 8], m![A % 8]>;
#[device(chip = 1)] fn one(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![A]>) { let t: T = x.to_dm(&mut ctx.tdma, 0); }
#[device(chip = 1)] fn two(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![A]>) { let t: T = helper(ctx, x); }
fn helper(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![A]>) -> T { x.to_dm(&mut ctx.tdma, 32) }
async fn host(ctx: &mut Context, x: &HostTensor<i32, m![A]>) { let x = x.to_hbm(&mut ctx.pdma, 0).await; launch(one, (&mut *ctx, &x)).await; }
";

/// How many bodies are lowered again after an edit of that text.
fn lowered_after(from: &str, to: &str) -> usize {
    let mut db = AnalysisDatabase::with_event_log();
    db.set_project([("kernel.rs", TEXT)], Vec::new(), Options::default());
    let file = db.file("kernel.rs").expect("the file");
    let all = |db: &AnalysisDatabase| {
        for item in file_items(db, file)
            .items
            .iter()
            .filter(|item| item.kind(db) == ItemKind::Function)
        {
            super::super::body(db, *item);
        }
    };
    let bodies = |db: &AnalysisDatabase| {
        db.take_events()
            .iter()
            .filter(|event| event.starts_with("body"))
            .count()
    };
    all(&db);
    assert_eq!(bodies(&db), 4);
    assert!(TEXT.contains(from));
    db.set_text(file, TEXT.replacen(from, to, 1).into());
    all(&db);
    bodies(&db)
}

#[test]
fn an_edit_lowers_its_function_and_those_that_call_it() {
    assert_eq!(lowered_after("0)", "64)"), 1);
    assert_eq!(lowered_after("32)", "64)"), 2);
}

#[test]
fn an_edit_in_a_kernel_is_none_of_who_launches_it() {
    assert_eq!(lowered_after("tdma, 0)", "tdma, 640)"), 1);
    // Its types are: they decide what the launch is given.
    assert_eq!(
        lowered_after("m![A]>) { let t: T = x", "m![A % 4]>) { let t: T = x"),
        2
    );
}

#[test]
fn a_comment_or_a_line_break_lowers_nothing() {
    assert_eq!(lowered_after("axes!", "// words\n\naxes!"), 0);
    assert_eq!(lowered_after("let t: T = x", "let t: T = /* words */ x"), 0);
}

#[test]
fn an_alias_lowers_those_that_use_it() {
    assert_eq!(lowered_after("A % 8]>;", "A % 4]>;"), 3);
}
