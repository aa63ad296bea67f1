//! What the findings about time propose, with its price worked out by hand from published figures.

use visa_analysis::{Diagnostic, Model};
use visa_tests::advice::{PATH, workspace};
use visa_tests::{read, repository};

/// The finding of a rule in one of its fixtures, in the compiler's schedule.
fn finding(fixture: &str) -> Diagnostic {
    let (rule, _) = fixture.split_once('/').unwrap();
    let text = read(&repository().join(format!("fixtures/violations/{fixture}.rs")));
    let workspace = workspace(&text, Model::Schedule);
    let report = workspace.analysis().check_file(PATH);
    let mut found = report.diagnostics.into_iter();
    found.find(|found| found.rule == rule).unwrap()
}

#[test]
fn a_copying_transfer_inside_of_dm_is_compared_with_the_way_over_hbm() {
    let found = finding("slow_transfer/wrong_copies_opt_std");
    assert!(found.message.contains("54,410"), "{}", found.message);
    // 434 for a store of 7,680 bytes by one engine, 600 and 1,000 for the synchronisation, 549 + 1,920 * 9.297 for 256 readers of one
    // region; inside of DM 435 + 1,920 * (2 + 0.1024 * 255).
    assert_eq!(
        found.help.as_deref(),
        Some("store it to HBM and load it from there")
    );
    let note = "a store of 434 cycles, 1,600 for the synchronisation and a load of 18,399 take 20,433 in place of 54,410";
    assert!(
        found.notes.iter().any(|said| **said == *note),
        "{:?}",
        found.notes
    );
}

#[test]
fn readers_of_one_region_are_compared_with_those_of_two() {
    let found = finding("slow_transfer/wrong_one_region_opt_std");
    assert!(found.message.contains("18,399"), "{}", found.message);
    // 30 requests for each of the 64 slices of an engine, 9.297 cycles each, or 2.98, behind 549.
    let note = "that takes 6,271 in place of 18,399 cycles";
    assert!(
        found.notes.iter().any(|said| said.starts_with(note)),
        "{:?}",
        found.notes
    );
}

#[test]
fn the_turns_of_a_loop_are_compared_with_what_is_written_out() {
    let found = finding("missed_overlap/wrong_turns_opt_std");
    // Eight stagings of 383 follow the load of `y`, and the passes run beside them but for the last one of 341: 1,003 + 532 + 8 * 383 +
    // 341 + 434 + 600. In turns: 1,003 + 2 * 532 + 8 * (383 + 341 + 79) + 434 + 600.
    assert!(
        found
            .message
            .contains("would take 5,974 instead of 9,525 cycles"),
        "{}",
        found.message
    );
}

#[test]
fn a_decoded_copy_is_compared_with_a_lookup_in_the_contraction() {
    let found = finding("slow_lookup/wrong");
    // 64 * 30 * 2 flits behind the table, 2.5 cycles each, behind 263. A contraction of as many flits hides beside that.
    let decodes = "a pass of 9,863 cycles decodes a copy";
    let both = "one pass for both takes about 9,863";
    assert!(found.message.starts_with(decodes), "{}", found.message);
    assert!(found.message.ends_with(both), "{}", found.message);
}

#[test]
fn a_lookup_of_f8_is_compared_with_none() {
    let found = finding("slow_lookup/wrong_2");
    // 64 * 30 * 4 flits of `bf16` behind the table: 263 + 7,680 * 2.5.
    assert!(found.message.contains("19,463"), "{}", found.message);
}
