//! Macros that may hold kernels are said to be not looked at.

use visa_analysis::Workspace;

/// Line and words of what is not looked at.
fn unread(text: &str) -> Vec<(u32, String)> {
    let mut workspace = Workspace::new();
    workspace.set_file("a.rs", text);
    let report = workspace.analysis().check_file("a.rs");
    assert_eq!(report.operations.unresolved, report.unresolved.len() as u64);
    let places = report.unresolved.into_iter();
    places
        .map(|place| {
            (
                place.range.start.line,
                format!("{}: {}", place.what, place.reason),
            )
        })
        .collect()
}

#[test]
fn macros_that_hold_kernels_are_not_looked_at() {
    let words = "`cfg_if!` is not expanded";
    let given = "use furiosa_visa_std::prelude::*;
cfg_if::cfg_if! {
    if #[cfg(unix)] { #[device(chip = 1)] fn k(ctx: &mut Context) {} } else { #[furiosa::device] fn k() {} }
}
fn main() {
    cfg_if! { if #[cfg(unix)] { # [ device ] fn inner(ctx: &mut Context) {} } }
}
mod inner {
    cfg_if! { if #[cfg(unix)] { #[device(chip = 2)] fn k(ctx: &mut Context) {} } }
}
";
    let found = unread(given);
    let lines: Vec<u32> = found.iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, [2, 6, 9], "{found:?}");
    assert!(
        found
            .iter()
            .all(|(_, said)| said == &format!("cfg_if!: the macro {words}")),
        "{found:?}"
    );
}

#[test]
fn calls_that_fit_no_rule_are_not_looked_at() {
    let text =
        "macro_rules! kernel { ($n:ident) => { #[device(chip = 1)] fn $n(ctx: &mut Context) {} } }
macro_rules! plain { ($n:ident) => { fn $n() {} } }
kernel!(one);
kernel!(1);
plain!(2);
";
    assert_eq!(
        unread(text)
            .into_iter()
            .map(|(line, _)| line)
            .collect::<Vec<_>>(),
        [4]
    );
}

#[test]
fn other_macros_hide_nothing() {
    let text = "thread_local! { static DEVICE: u8 = device(3); }
wgpu! { #[shader] fn device() {} }
// cfg_if! { #[device] fn f() {} }
const TEXT: &str = \"cfg_if! { #[device] fn f() {} }\";
m! [device];
";
    assert_eq!(unread(text), []);
}
