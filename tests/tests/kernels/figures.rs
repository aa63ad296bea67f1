//! Figures of all fixtures agree with each other: the named bottleneck is the slowest stage, what binds explains most of a total, and
//! no peak above its memory stands alone.

use std::collections::BTreeMap;

use visa_analysis::{Bound, KernelCost, Model, Roofline};
use visa_tests::advice::{PATH, workspace};
use visa_tests::{read, repository, rust_files, shown};

/// The kernels of all fixtures by both models, with their files.
fn costs() -> Vec<(String, Model, KernelCost)> {
    let mut found = Vec::new();
    for folder in ["fixtures/kernels", "fixtures/violations"] {
        for path in rust_files(&repository().join(folder)) {
            for model in Model::ALL {
                let workspace = workspace(&read(&path), model);
                let costs = workspace.analysis().costs(PATH).unwrap();
                found.extend(costs.into_iter().map(|cost| (shown(&path), model, cost)));
            }
        }
    }
    found
}

#[test]
fn the_named_bottleneck_is_the_slowest_stage() {
    let mut problems = Vec::new();
    let (mut seen, mut counted_more) = (0, 0);
    for (path, model, cost) in costs() {
        for row in &cost.operations {
            let place = format!("{path}: {} {:?}: {}", cost.name, model, row.name);
            let cycles = || row.engines.iter().filter_map(|engine| engine.cycles);
            let slowest: Vec<_> = row.engines.iter().filter(|one| one.is_slowest).collect();
            let Some(named) = row.bottleneck else {
                if !slowest.is_empty() {
                    problems.push(format!(
                        "{place}: {} is slowest and not named",
                        slowest[0].engine
                    ));
                }
                continue;
            };
            let [one] = slowest.as_slice() else {
                problems.push(format!("{place}: {} stages are the slowest", slowest.len()));
                continue;
            };
            seen += 1;
            if one.engine != named || one.cycles != cycles().max() {
                problems.push(format!(
                    "{place}: names {named}, and {} has {:?} of {:?}",
                    one.engine,
                    one.cycles,
                    cycles().max()
                ));
            }
            // The table of the stream says the same cycles.
            let in_table = row.stages.iter().filter_map(|stage| stage.cycles).max();
            if in_table > one.cycles {
                problems.push(format!("{place}: the stage table has {in_table:?}"));
            }
            // What the other model's document says of the schedule is what the schedule says of itself.
            let scheduled = row.calibrated.as_ref().and_then(|row| row.bottleneck);
            if model == Model::Schedule && scheduled.is_some_and(|scheduled| scheduled != named) {
                problems.push(format!("{place}: {scheduled:?} by the schedule"));
            }
            counted_more += usize::from(one.detail.contains("with the way around the ring"));
        }
    }
    assert!(
        problems.is_empty(),
        "{} of {seen}\n{}",
        problems.len(),
        problems.join("\n")
    );
    assert!(seen > 1_000, "{seen} operations");
    // Where a reduction across slices decides, its ring is in its cycles.
    assert!(counted_more > 5, "{counted_more} rings");
}

/// The rows that explain a total by themselves: busy contexts, start and end, the chain.
fn explaining(bounds: &Roofline) -> u64 {
    let own = bounds
        .bounds()
        .filter(|bound| matches!(bound, Bound::Busy(_) | Bound::Fixed | Bound::CriticalPath));
    own.filter_map(|bound| bounds.cycles(bound))
        .max()
        .unwrap_or(0)
}

#[test]
fn what_binds_explains_most_of_the_total_and_differs_between_kernels() {
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut kernels, mut below_half) = (0, Vec::new());
    for (path, model, cost) in costs() {
        let Some((bounds, total)) = cost.roofline.as_ref().zip(cost.total) else {
            continue;
        };
        let place = format!("{path}: {} {model:?}", cost.name);
        assert_eq!(bounds.total, total, "{place}");
        let binds = bounds.binds();
        let cycles = bounds.cycles(binds).unwrap_or(0);
        let most = explaining(bounds);
        // A kernel's start and end, its contexts and its chain are parts of it.
        assert!(most <= total, "{place}: {most} of {total}");
        let specific = matches!(
            binds,
            Bound::Hbm | Bound::MultiplyAccumulates | Bound::Busy(_)
        );
        let least = if specific { most * 3 / 4 } else { most };
        assert!(cycles >= least, "{place}: {binds:?} has {cycles} of {most}");
        if model == Model::Schedule && total > 0 {
            kernels += 1;
            *names.entry(binds.name()).or_default() += 1;
            if cycles * 2 < total {
                below_half.push(format!("{place}: {} {cycles} of {total}", binds.name()));
            }
        }
    }
    assert!(names.len() >= 4, "{names:?}");
    let most = names.values().copied().max().unwrap_or(0);
    assert!(most * 4 < kernels * 3, "{names:?} of {kernels}");
    assert!(
        below_half.len() * 4 < kernels,
        "{} of {kernels}\n{}",
        below_half.len(),
        below_half.join("\n")
    );
}

#[test]
fn no_peak_above_its_memory_stands_alone() {
    let (mut seen, mut problems) = (0, Vec::new());
    let mut proven: BTreeMap<&str, usize> = BTreeMap::new();
    for (path, model, cost) in costs() {
        let Some(peak) = cost.peak else {
            assert_eq!(cost.overfull, [], "{path}");
            continue;
        };
        // Bytes of a slice of the chip of these releases.
        let peaks = [
            ("dm", peak.dm_bytes, 512 << 10),
            ("trf", peak.trf_bytes, 64 << 10),
            ("vrf", peak.vrf_bytes, 8 << 10),
        ];
        for (tier, bytes, capacity) in peaks {
            let row = cost.overfull.iter().find(|row| row.tier == tier);
            if (bytes > capacity) != row.is_some() {
                problems.push(format!("{path}: {}: {tier} {bytes}: {row:?}", cost.name));
            }
            let Some(row) = row else {
                continue;
            };
            seen += 1;
            let text = read(&repository().join(&path));
            let report = workspace(&text, model).analysis().check_file(PATH);
            match row.rule {
                Some(rule) => {
                    *proven.entry(rule).or_default() += 1;
                    if !report.diagnostics.iter().any(|found| found.rule == rule) {
                        problems.push(format!("{path}: {}: no {rule}", cost.name));
                    }
                }
                None if row.sentence.contains("predicted") || row.sentence.contains("bound") => {}
                None => problems.push(format!("{path}: {}: {}", cost.name, row.sentence)),
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(
        seen > 0 && proven.contains_key("dm_capacity"),
        "{seen}: {proven:?}"
    );
}
