//! What is unknown has no number: a total is there or its absence has reasons and places.

use super::*;

const BEGINNING: &str = "use furiosa_visa_std::prelude::*;\naxes![N = 8, S = 256, Z = 1];\n";
const TYPE: &str = "DmTensor<i32, m![1], m![1 # 2], m![S], m![N]>";
const SOURCE: &str = "x: &HbmTensor<i32, m![1], m![S, N]>";

/// The only kernel of a text.
fn only(body: &str) -> Value {
    let text = format!("{BEGINNING}#[device(chip = 1)]\nfn k{body}\n");
    let folder = folder_with(&[("k.rs", text.as_bytes())]);
    let document = cost_json(&folder, &["k.rs"]);
    assert_eq!(list(&document["kernels"]).len(), 1);
    // No format has a number for what is unknown, and none fails.
    let human = cost(&folder, &["k.rs"]);
    assert_code(&human, 0);
    let kernel = document["kernels"][0].clone();
    if kernel["cycles"]["total"].is_null() {
        // A range where the number of runs is known, and never one figure.
        let ranged = kernel["runs"]["high"].is_u64();
        let words = stdout(&human);
        assert!(words.contains("cycles unknown") != ranged, "{words}");
        assert!(
            !ranged || words.contains(" for each further one"),
            "{words}"
        );
        assert!(stdout(&human).contains("No total, because"));
        let svg = stdout(&cost(&folder, &["k.rs", "--format", "svg"]));
        assert!(svg.contains("cycles unknown"), "{svg}");
        let schedule = cost(&folder, &["k.rs", "--format", "schedule"]);
        assert_code(&schedule, 2);
        assert!(
            stderr(&schedule).contains("`k` has no schedule: line "),
            "{}",
            stderr(&schedule)
        );
        let trace = json(&cost(&folder, &["k.rs", "--format", "trace"]));
        let events = list(&trace["traceEvents"]).iter();
        assert!(events.into_iter().all(|event| event["ph"] == "M"));
    }
    kernel
}

#[track_caller]
fn assert_unknown(kernel: &Value, line: u64, reason: &str) {
    for key in ["total", "main", "sub", "dma", "overlap", "least"] {
        assert!(kernel["cycles"][key].is_null(), "{key}: {kernel}");
    }
    assert!(kernel["peak"].is_null());
    for row in list(&kernel["operations"]) {
        assert!(row["start"].is_null() && row["end"].is_null(), "{row}");
    }
    let found = list(&kernel["unresolved"]).iter().any(|place| {
        place["range"]["start"]["line"] == line && word(&place["reason"]).contains(reason)
    });
    assert!(
        found,
        "no {reason:?} on line {line}: {}",
        kernel["unresolved"]
    );
}

#[test]
fn an_unknown_address_leaves_no_total() {
    let kernel = only(&format!(
        "(ctx: &mut Context, {SOURCE}, address: u64) {{\nlet _p: {TYPE} = x.to_dm(&mut ctx.tdma, address);\n}}"
    ));
    assert_unknown(&kernel, 5, "address");
}

#[test]
fn an_unbounded_loop_leaves_no_total() {
    let load = format!("let _p: {TYPE} = x.to_dm(&mut ctx.tdma, 0);");
    let kernel = only(&format!(
        "(ctx: &mut Context, {SOURCE}, count: usize) {{\nfor _ in 0..count {{\n{load}\n}}\n}}"
    ));
    assert_unknown(&kernel, 5, "loop");
    let kernel = only(&format!(
        "(ctx: &mut Context, {SOURCE}, count: usize) {{\nlet mut i = 0;\nwhile i < count {{\n{load}\ni += 1;\n}}\n}}"
    ));
    assert_unknown(&kernel, 6, "loop");
    // With a constant bound there is one.
    let kernel = only(&format!(
        "(ctx: &mut Context, {SOURCE}) {{\nfor _ in 0..3 {{\n{load}\n}}\n}}"
    ));
    let cycles = number(&kernel["operations"][0]["cycles"]);
    assert_eq!(kernel["cycles"]["total"], 3 * cycles);
}

#[test]
fn a_branch_that_is_decided_at_run_time_leaves_no_total() {
    let kernel = only(&format!(
        "(ctx: &mut Context, {SOURCE}, b: bool) {{\nif b {{\nlet _p: {TYPE} = x.to_dm(&mut ctx.tdma, 0);\n}}\n}}"
    ));
    assert_unknown(&kernel, 5, "run time");
}

#[test]
fn an_operation_that_is_not_understood_leaves_no_total() {
    let kernel = only(&format!(
        "(ctx: &mut Context, {SOURCE}) {{\nlet _p: {TYPE} = x.frobnicate(&mut ctx.tdma, 0);\n}}"
    ));
    assert_unknown(&kernel, 5, "frobnicate");
    let kernel = only(
        "(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![S, Q]>) {\nlet _p: DmTensor<i32, m![1], m![1 # 2], m![S], m![Q]> = x.to_dm(&mut ctx.tdma, 0);\n}",
    );
    assert_unknown(&kernel, 4, "Q");
}

#[test]
fn a_loop_with_more_runs_than_are_unrolled_leaves_no_total() {
    let kernel = only(&format!(
        "(ctx: &mut Context, {SOURCE}) {{\nfor _ in 0..1_000_000_000_000_usize {{\nlet _p: {TYPE} = x.to_dm(&mut ctx.tdma, 0);\n}}\n}}"
    ));
    assert_unknown(&kernel, 5, "loop");
    // Each run is one load, so that nothing overlaps: the range is one figure, of that many loads.
    let runs = &kernel["runs"];
    let one = &runs["loops"][0];
    assert_eq!(
        (&one["scheduled"], &one["best"]),
        (&3.into(), &one["worst"])
    );
    let rest = 999_999_999_997 * one["best"].as_u64().unwrap();
    assert_eq!(runs["high"], runs["scheduled"].as_u64().unwrap() + rest);
}

#[test]
fn an_empty_kernel_takes_no_time() {
    let kernel = only("(_ctx: &mut Context) {}");
    assert_eq!(kernel["cycles"]["total"], 0);
    assert_eq!(kernel["peak"]["dm_bytes"], 0);
}
