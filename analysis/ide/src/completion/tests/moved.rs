//! Lifts and transposes: what is proposed is what published examples have, and is taken by the checker.

use crate::Completion;

use super::releases::proposals;

/// A kernel that reads `t`, whose slices are two copies of 128, in the current library's newest release.
fn lift(generics: &str) -> Vec<Completion> {
    let text = format!(
        "use furiosa_opt_std::prelude::*;
axes![F = 128, Q = 4, H = 2, V = 8];
fn run(device: &mut Device, t: &DmTensor<i8, m![1], m![1 # 2], m![F, 2], m![Q, H, V]>) {{
    device.main.begin(t.view()).fetch::<m![Q, H], m![V]>().fetch_slice_lift::<{generics}
}}
"
    );
    proposals(10, &text)
}

fn labels(found: &[Completion]) -> Vec<&str> {
    found.iter().map(|found| found.label.as_str()).collect()
}

#[test]
fn a_lift_puts_a_part_of_the_time_in_the_place_of_copies() {
    // `F, 2` and `Q, H` to `F, Q / 2` and `Q % 2, H` is a published example; `H`, the inner half of `Q` and the slices' other copies
    // are lifted alike.
    let found = lift("m![$0], m![]>()");
    let found = labels(&found);
    assert!(found.contains(&"F, Q / 2"), "{found:?}");
    assert!(found.contains(&"F, H"), "{found:?}");
    let times = lift("m![F, Q / 2], m![$0]>()");
    assert_eq!(times[0].label, "Q % 2, H");
    let times = lift("m![F, H], m![$0]>()");
    assert_eq!(times[0].label, "Q");
    assert_eq!(
        times[0].detail.as_deref(),
        Some("the time without what is lifted")
    );
}

/// A kernel that turns a stream of the current library.
fn transpose(element: &str, time: &str, packet: &str, generics: &str) -> Vec<Completion> {
    let text = format!(
        "use furiosa_opt_std::prelude::*;
axes![C = 8, D = 4, E = 8, F = 8, B = 2, W = 256];
fn run(c: CollectTensor<'_, {{ Tu::Main }}, {element}, m![1], m![1 # 2], m![W], m![{time}], m![{packet}]>) {{
    c.transpose::<{generics}
}}
"
    );
    proposals(10, &text)
}

#[test]
fn a_transpose_turns_the_innermost_iterations() {
    // Published: `C, F` of packets `E # 32` become `C, E` of packets `F # 32`, in i8; `B` of `C # 8` becomes `C` of `B # 8` in f32.
    let times = transpose("i8", "C, F", "E # 32", "m![$0], m![]>()");
    assert!(labels(&times).contains(&"C, E"), "{:?}", labels(&times));
    let row = times.iter().find(|found| found.label == "C, E");
    let words = row.and_then(|found| found.detail.as_deref());
    assert_eq!(words, Some("8 rows of 8 elements are turned"));
    let packets = transpose("i8", "C, F", "E # 32", "m![C, E], m![$0]>()");
    assert_eq!(packets[0].label, "F # 32");
    let packets = transpose("f32", "B", "C # 8", "m![C], m![$0]>()");
    assert_eq!(packets[0].label, "B # 8");
}

#[test]
fn no_more_rows_are_turned_than_the_buffer_has() {
    // Two rows of 32 bits at most: 8 iterations are four matrices of two.
    let times = transpose("f32", "C", "E", "m![$0], m![]>()");
    let found = labels(&times);
    assert!(found.contains(&"C / 2, E"), "{found:?}");
    assert!(!found.contains(&"C / 4, E"), "{found:?}");
}
