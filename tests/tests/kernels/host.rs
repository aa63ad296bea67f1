//! Code of the host beside kernels: what holds no device value is not followed, and what computes something for a kernel is.

use visa_analysis::Workspace;

const HEAD: &str = "use furiosa_visa_std::prelude::*;

axes![T = 16384];

type Chip = m![1];
type Slice = m![T / 64];
type Local = DmTensor<i32, Chip, m![1 # 2], Slice, m![T % 64]>;
type Far = HbmTensor<i32, Chip, m![T]>;
";

/// A kernel that keeps two tensors, each of 256 bytes a slice, at addresses that are written as given.
fn two_at(first: &str, second: &str) -> String {
    format!(
        "#[device(chip = 1)]
fn exchange(ctx: &mut Context, keys: &Far, values: &Far, keys_out: &mut Far, values_out: &mut Far) {{
    let keys: Local = keys.to_dm(&mut ctx.tdma, {first});
    let values: Local = values.to_dm(&mut ctx.tdma, {second});
    keys.view().to_hbm_view(&mut ctx.tdma, keys_out.view_mut());
    values.view().to_hbm_view(&mut ctx.tdma, values_out.view_mut());
}}
"
    )
}

fn rules(text: &str) -> Vec<&'static str> {
    let mut workspace = Workspace::new();
    workspace.set_files([("host.rs", format!("{HEAD}{text}").as_str())]);
    let report = workspace.analysis().check_file("host.rs");
    assert!(report.problems.is_empty(), "{:?}", report.problems);
    report.diagnostics.iter().map(|found| found.rule).collect()
}

fn said(text: &str, rule: &str) -> bool {
    rules(text).contains(&rule)
}

/// Numbers that a host computes for itself: 16 million turns that mean nothing to a kernel.
const REFERENCE: &str = "    let mut bytes = Vec::new();
    let mut seed = 7;
    for row in 0..4096 {
        for column in 0..4096 {
            seed = seed * 31 + row * column;
            bytes.push(seed);
        }
    }
";

#[test]
fn numbers_that_the_host_computes_are_no_limit_of_a_check() {
    for head in [
        "async fn main() {\n    let out = launch(kernel, (&bytes,)).await;",
        "fn weights(x: &Far) -> Far {\n    let far: &Far = x;",
    ] {
        let (name, rest) = head.split_once("{\n").unwrap_or((head, ""));
        let text = format!("{name}{{\n{REFERENCE}{rest}\n    todo!()\n}}\n");
        assert!(!said(&text, "analysis_limit"), "{text}");
    }
}

#[test]
fn a_helper_that_the_host_calls_is_not_followed_through_its_loops() {
    let text = format!(
        "fn noise() -> Vec<u64> {{\n{REFERENCE}    bytes\n}}\n
async fn main() {{
    let one = noise();
    let other = noise();
    launch(kernel, (&one, &other)).await;
}}\n"
    );
    assert!(!said(&text, "analysis_limit"));
}

#[test]
fn an_address_that_a_helper_computes_in_a_loop_is_known_in_a_kernel() {
    let place = "fn place(turns: u64) -> u64 {
    let mut at = 0;
    for _ in 0..turns {
        at += 0x80;
    }
    at
}
";
    // 128 bytes on: the second tensor lands on the first one. 256 bytes on: it lands behind it.
    let at = |turns: u32| format!("{place}{}", two_at("0", &format!("place({turns})")));
    assert!(said(&at(1), "dm_overlap"));
    assert!(!said(&at(2), "dm_overlap"));
    // Many turns are followed to their end too: 2,000 of them are 0x3e800.
    let many = |second: &str| format!("{place}{}", two_at("place(2000)", second));
    assert!(said(&many("0x3e880"), "dm_overlap"));
    assert!(!said(&many("0x3e900"), "dm_overlap"));
}

#[test]
fn a_list_that_a_closure_makes_is_known_in_a_kernel() {
    let places = "fn places() -> [u64; 4] {
    let step = 0x80;
    std::array::from_fn(|index| index as u64 * step)
}
";
    let at = |index: u32| format!("{places}{}", two_at("0", &format!("places()[{index}]")));
    assert!(said(&at(1), "dm_overlap"));
    assert!(!said(&at(2), "dm_overlap"));
}

#[test]
fn a_loop_over_tensors_is_followed_in_a_kernel() {
    let text = "fn load(ctx: &mut Context, from: [&Far; 2], step: u64) -> [Local; 2] {
    let mut at = 0;
    let mut loaded = Vec::new();
    for far in from {
        let near: Local = far.to_dm(&mut ctx.tdma, at);
        loaded.push(near);
        at += step;
    }
    loaded.try_into().unwrap()
}
#[device(chip = 1)]
fn exchange(ctx: &mut Context, keys: &Far, values: &Far, keys_out: &mut Far, values_out: &mut Far) {
    let [keys, values] = load(ctx, [keys, values], STEP);
    keys.view().to_hbm_view(&mut ctx.tdma, keys_out.view_mut());
    values.view().to_hbm_view(&mut ctx.tdma, values_out.view_mut());
}
";
    assert!(said(&text.replace("STEP", "0x80"), "dm_overlap"));
    assert!(!said(&text.replace("STEP", "0x100"), "dm_overlap"));
}

#[test]
fn transfers_in_a_loop_of_the_host_are_followed() {
    // The text of a function of the host whose loop has a fault: it is found there.
    let text = "async fn main() {
    let mut seed = 1;
    for turn in 0..3 {
        let far: Far = unsafe { HbmTensor::from_addr(turn * 0x100000) };
        let near: HbmTensor<i32, Chip, m![T / 7]> = unsafe { HbmTensor::from_addr(0) };
        seed += turn;
    }
    launch(kernel, (seed,)).await;
}
";
    assert!(said(text, "stride_indivisible"));
}
