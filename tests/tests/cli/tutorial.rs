//! The tutorial says what the program prints: each command of the page runs on the kernel above it.

use visa_tests::tutorial::{self, FILE, Part, filtered, parts, written};

use super::{folder_with, run, stdout};

/// The commands and the exit codes that they may have: a wrong kernel is exit code 1.
fn output_of(line: &str, kernel: &str) -> String {
    let (command, filters) = line.split_once(" | ").unwrap_or((line, ""));
    let arguments: Vec<&str> = command.split(' ').skip(1).collect();
    assert!(command.starts_with("visa-lint "), "{line}");
    let folder = folder_with(&[(FILE, kernel.as_bytes())]);
    let output = run(folder.path(), &arguments);
    assert_ne!(output.status.code(), Some(2), "{line}");
    let filters = filters.split(" | ").filter(|filter| !filter.is_empty());
    filters.fold(stdout(&output), |text, filter| {
        filtered(&text, filter).unwrap_or_else(|| panic!("{filter} of {text}"))
    })
}

#[test]
fn every_step_of_the_tutorial_prints_its_lines() {
    let page = tutorial::page();
    let mut kernel = String::new();
    let mut made = parts(&page);
    assert_eq!(written(&made), page, "the page is read in parts");
    let mut commands = 0;
    for part in &mut made {
        match part {
            Part::Prose(_) => {}
            Part::Kernel(text) => kernel.clone_from(text),
            Part::Command { line, output } => {
                *output = output_of(line, &kernel);
                commands += 1;
            }
        }
    }
    assert!(commands > 8, "{commands}");
    let made = written(&made);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        let file = visa_tests::repository().join("docs/tutorial.md");
        std::fs::write(file, &made).unwrap();
        return;
    }
    let differs = made
        .lines()
        .zip(page.lines())
        .find(|(now, then)| now != then);
    assert!(
        made == page,
        "docs/tutorial.md is out of date; run this test with UPDATE_EXPECT=1: {differs:?}"
    );
}

/// The figures that the prose names, from the axes alone: 64 rows of 8,192 elements, four of eight lanes, four pieces of a row.
#[test]
fn the_prose_of_the_tutorial_follows_from_its_axes() {
    let page = tutorial::page();
    let (rows, columns): (u64, u64) = (64, 8192);
    assert!(page.contains("axes![R = 64, C = 8192];"));
    let cycles = |method: &str| {
        let stages = tutorial::stages_of_the_legal_pass();
        let found = stages.iter().find(|stage| stage.method == method);
        found.and_then(|stage| stage.cycles)
    };
    assert_eq!(cycles("vector_fp_binary"), Some(columns / 4));
    assert_eq!(cycles("vector_intra_slice_tag"), Some(columns / 8));
    assert_eq!(rows * (columns / 2048), 256);
    // Each mistake has its rule, in this order; the legal kernels have no finding.
    let rules: Vec<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("error[")?.split(']').next())
        .collect();
    let expected = [
        "device_grid",
        "collect_packet_size",
        "vector_type",
        "vector_way",
        "cast_packet",
        "run_undefined",
    ];
    assert_eq!(rules, expected);
    assert_eq!(page.matches("operations: no findings").count(), 3);
    // The totals before and after: more than twice as fast.
    let totals: Vec<u64> = page
        .lines()
        .filter(|line| line.starts_with("scale (scale.rs:"))
        .filter_map(|line| line.split_once("): ")?.1.split_once(" cycles"))
        .filter_map(|(total, _)| total.replace(',', "").parse().ok())
        .collect();
    let [before, after] = totals[..] else {
        panic!("{totals:?}")
    };
    assert!(before > 2 * after, "{before} {after}");
    let thousands = |number: u64| format!("{},{:03}", number / 1000, number % 1000);
    let words = format!(
        "The total was {} cycles and is now {}:",
        thousands(before),
        thousands(after)
    );
    assert!(page.contains(&words), "{words}");
    let times = format!(
        "the kernel is {}.{} times",
        before / after,
        before * 10 / after % 10
    );
    assert!(page.contains(&times), "{times}");
}

#[test]
fn the_picture_of_the_tutorial_is_up_to_date() {
    let file = visa_tests::repository().join("docs/tutorial.svg");
    let picture = tutorial::picture();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&file, &picture).unwrap();
    }
    let stale = "docs/tutorial.svg is out of date; run this test with UPDATE_EXPECT=1";
    assert!(visa_tests::read(&file) == picture, "{stale}");
}
