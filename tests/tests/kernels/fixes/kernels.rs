//! What fixes may do to whole kernels: their cycles, and the tensors that they take and give.

use std::collections::BTreeMap;

use visa_analysis::{Rejection, Trust, Workspace, fix_all};
use visa_tests::threads::on_all_threads;
use visa_tests::{check_text, visible, workspace_of};

use super::{assert_none, fixtures, sure};

/// The totals of the kernels of a file by their names, of those that have one.
fn totals(workspace: &Workspace, path: &str) -> BTreeMap<String, u64> {
    let costs = workspace.analysis().costs(path).unwrap_or_default();
    let totals = costs
        .into_iter()
        .filter_map(|cost| Some((cost.name, cost.total?)));
    totals.collect()
}

/// What is worse of the kernels of a text after its unsure fixes, and why fixes were left out.
fn worse_after_unsure_fixes(path: &str, text: &str) -> (Vec<String>, Vec<Rejection>) {
    let mut workspace = workspace_of(path, text);
    // What is sure is applied first: it may cost what it costs.
    fix_all(&mut workspace, Trust::Machine);
    let paths = [path.to_owned()];
    let signatures = |workspace: &Workspace| workspace.analysis().kernel_signatures(&paths);
    let (before, taken) = (totals(&workspace, path), signatures(&workspace));
    let fixed = fix_all(&mut workspace, Trust::Maybe);
    let (after, given) = (totals(&workspace, path), signatures(&workspace));
    let mut worse = Vec::new();
    for (kernel, total) in before {
        let now = after.get(&kernel).copied();
        // 2 % more are 102 for 100.
        if now.is_some_and(|now| now * 100 > total * 102) {
            worse.push(format!(
                "{path}: `{kernel}` takes {now:?} instead of {total}"
            ));
        }
    }
    for (kernel, signature) in taken {
        if given
            .get(&kernel)
            .is_none_or(|now| signature.differs_from(now))
        {
            worse.push(format!("{path}: `{}` has another signature", kernel.name));
        }
    }
    let why = fixed.left_out.into_iter().map(|left| left.why);
    (worse, why.collect())
}

#[test]
fn unsure_fixes_make_no_kernel_slower_and_keep_its_signature() {
    let unsure = |text: &str, path: &str| {
        let report = check_text(path, text);
        visible(&report).any(|found| found.fixes.iter().any(|fix| !sure(fix)))
    };
    let mut with_unsure = fixtures();
    with_unsure.retain(|(path, text)| unsure(text, path));
    assert!(with_unsure.len() > 100, "only {}", with_unsure.len());
    let results = on_all_threads(&with_unsure, |(path, text)| {
        worse_after_unsure_fixes(path, text)
    });
    let why: Vec<Rejection> = results.iter().flat_map(|(_, why)| why.clone()).collect();
    let slower = |why: &&Rejection| matches!(why, Rejection::Slower { .. });
    let signature = |why: &&Rejection| matches!(why, Rejection::Signature { .. });
    let counts = (
        why.iter().filter(slower).count(),
        why.iter().filter(signature).count(),
    );
    println!(
        "{} left out, {counts:?} slower, another signature",
        why.len()
    );
    assert!(counts.0 > 0 && counts.1 > 0, "{why:?}");
    let problems: Vec<String> = results.into_iter().flat_map(|(worse, _)| worse).collect();
    assert_none(&problems);
}

#[test]
fn an_alias_in_a_signature_counts_as_what_it_stands_for() {
    let path = "kernel.rs";
    let text = |rows: &str, result: &str| {
        format!(
            "use furiosa_visa_std::prelude::*;\naxes![S = 256, R = 64];\ntype Rows = m![{rows}];\ntype Chip = m![1];\n\
             #[device(chip = 1)]\n\
             fn keep(ctx: &mut Context, x: &HbmTensor<i8, Chip, Rows>) -> HbmTensor<i8, Chip, {result}> {{\n    \
             let x: DmTensor<i8, Chip, m![1 # 2], m![S], m![R]> = x.to_dm(&mut ctx.tdma, 0);\n    \
             x.to_hbm(&mut ctx.tdma, 1 << 28)\n}}\n"
        )
    };
    let signature = |text: &str| {
        let workspace = workspace_of(path, text);
        let all = workspace.analysis().kernel_signatures(&[path.to_owned()]);
        all.into_values().next().unwrap()
    };
    let own = signature(&text("S, R", "m![S, R]"));
    // The same layout in other words, and with the alias in the result.
    assert!(!own.differs_from(&signature(&text("S, [R]", "Rows"))));
    assert!(own.differs_from(&signature(&text("R, S", "m![S, R]"))));
    assert!(own.differs_from(&signature(&text("S, R", "m![R, S]"))));
    // Of a function that a kernel calls what is in HBM is kept, since its callers are given that: the rest is its own.
    let called = |load: &str| {
        let kernel = text("S, R", "m![S, R]").replace("x.to_dm(&mut ctx.tdma, 0)", "load(ctx, x)");
        format!("{kernel}{load}")
    };
    let load = "fn load(ctx: &mut Context, y: &HbmTensor<i8, Chip, Rows>) -> DmTensor<i8, Chip, m![1 # 2], m![S], m![R]> {\n    \
                y.to_dm(&mut ctx.tdma, 0)\n}\n";
    let of_helper = |text: &str| {
        let workspace = workspace_of(path, text);
        let all = workspace.analysis().kernel_signatures(&[path.to_owned()]);
        all.into_iter()
            .find(|(function, _)| *function.name == *"load")
            .unwrap()
            .1
    };
    let helper = of_helper(&called(load));
    assert!(!helper.differs_from(&of_helper(&called(&load.replace("m![R]>", "m![R # 128]>")))));
    assert!(helper.differs_from(&of_helper(&called(&load.replace("Rows>", "m![R, S]>")))));
    // What was unknown may become known, and nothing known unknown.
    let unknown = signature(&text("S, Q", "m![S, R]"));
    assert!(!unknown.differs_from(&own));
    assert!(own.differs_from(&unknown));
}
