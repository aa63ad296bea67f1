//! What `cfg` leaves out, as a report sees it.

use std::sync::Arc;

use visa_analysis::{CfgSetting, FileReport, Level, PackageFeatures, Truth, Workspace};

/// A kernel whose only transfer is misaligned by some bytes.
fn kernel(name: &str, address: u32) -> String {
    format!(
        "#[device(chip = 1)] fn {name}(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![L]>) -> DmTensor<i32, m![1], m![1 # 2], m![L / 16], m![L % 16]> {{
            x.to_dm(&mut ctx.tdma, {address}) }}\n"
    )
}

const HEAD: &str = "use furiosa_visa_std::prelude::*; axes![L = 4096];\n";

fn check(files: &[(&str, &str)], features: &[(&str, Truth)], path: &str) -> FileReport {
    let mut workspace = Workspace::new();
    workspace.set_features(package(features));
    workspace.set_files(files.iter().copied());
    workspace.analysis().check_file(path)
}

fn package(features: &[(&str, Truth)]) -> Vec<PackageFeatures> {
    let features = features
        .iter()
        .map(|(name, truth)| (Arc::from(*name), *truth));
    vec![PackageFeatures {
        root: "k".into(),
        features: features.collect(),
    }]
}

fn rules(report: &FileReport) -> Vec<&'static str> {
    let found = report.diagnostics.iter();
    // Without those that say only what was not looked at.
    found
        .filter(|found| found.default_level != Level::Allow)
        .map(|found| found.rule)
        .collect()
}

#[test]
fn what_is_left_out_is_counted_and_not_judged() {
    let (right, wrong) = (kernel("right", 0), kernel("wrong", 4));
    let text = format!("{HEAD}{right}#[cfg(feature = \"a\")] {wrong}");
    let files = [("k/src/lib.rs", text.as_str())];
    for (features, kernels, configured_out, found) in [
        (&[][..], 2, 0, &["dma_alignment"][..]),
        (&[("a", Truth::On)], 2, 0, &["dma_alignment"]),
        (&[("a", Truth::Unknown)], 2, 0, &["dma_alignment"]),
        (&[("b", Truth::Off)], 2, 0, &["dma_alignment"]),
        (&[("a", Truth::Off)], 1, 1, &[]),
    ] {
        let report = check(&files, features, "k/src/lib.rs");
        assert_eq!(report.kernels, kernels, "{features:?}");
        assert_eq!(report.configured_out, configured_out, "{features:?}");
        assert_eq!(rules(&report), found, "{features:?}");
    }
}

#[test]
fn one_of_two_that_exclude_each_other_is_meant() {
    let address = |value: u32| format!("const ADDRESS: u64 = {value};");
    let text = format!(
        "{HEAD}#[cfg(feature = \"a\")] {} #[cfg(not(feature = \"a\"))] {} {}",
        address(4),
        address(0),
        kernel("one", 8).replace(", 8)", ", ADDRESS)"),
    );
    let files = [("k/src/lib.rs", text.as_str())];
    let problems = |truth| rules(&check(&files, &[("a", truth)], "k/src/lib.rs"));
    assert_eq!(problems(Truth::On), ["dma_alignment"]);
    assert_eq!(problems(Truth::Off), Vec::<&str>::new());
    // Which address is meant is unknown.
    assert_eq!(problems(Truth::Unknown), Vec::<&str>::new());
    let twins = format!(
        "{HEAD}#[cfg(feature = \"a\")] {} #[cfg(not(feature = \"a\"))] {}",
        kernel("twin", 4),
        kernel("twin", 12)
    );
    let files = [("k/src/lib.rs", twins.as_str())];
    let counts = |truth| {
        let report = check(&files, &[("a", truth)], "k/src/lib.rs");
        (report.kernels, report.configured_out, rules(&report).len())
    };
    assert_eq!(counts(Truth::On), (1, 1, 1));
    assert_eq!(counts(Truth::Off), (1, 1, 1));
    assert_eq!(counts(Truth::Unknown), (2, 0, 2));
}

#[test]
fn files_of_modules_go_with_them() {
    let wrong = format!("{HEAD}mod deep;\n{}", kernel("wrong", 4));
    let deep = format!("{HEAD}{}", kernel("deeper", 4));
    let files = |root: &'static str| {
        [
            ("k/src/lib.rs", root.to_owned()),
            ("k/src/x.rs", wrong.clone()),
            ("k/src/x/deep.rs", deep.clone()),
        ]
    };
    let report = |root: &'static str, path: &str| {
        let files = files(root);
        let files: Vec<_> = files
            .iter()
            .map(|(path, text)| (*path, text.as_str()))
            .collect();
        let report = check(&files, &[], path);
        (
            report.kernels,
            report.configured_out,
            report.diagnostics.len(),
        )
    };
    for path in ["k/src/x.rs", "k/src/x/deep.rs"] {
        assert_eq!(report("mod x;", path), (1, 0, 1));
        assert_eq!(report("#[cfg(unknown)] mod x;", path), (1, 0, 1));
        assert_eq!(report("#[cfg(any())] mod x;", path), (0, 1, 0));
        assert_eq!(
            report("#[cfg(any())] mod x; #[cfg(all())] mod x;", path),
            (1, 0, 1)
        );
        assert_eq!(
            report("#[cfg_attr(any(), path = \"y.rs\")] mod x;", path),
            (1, 0, 1)
        );
    }
    let elsewhere = "#[cfg(any())] #[path = \"x.rs\"] mod y;";
    assert_eq!(report(elsewhere, "k/src/x.rs"), (0, 1, 0));
}

#[test]
fn a_suppression_that_is_left_out_is_not_unused() {
    let report = |condition: &str| {
        let text = format!(
            "#[cfg({condition})] #[allow(tcp::axis_size_zero)] fn f() {{ let x = 1; // visa-lint: allow(nonsense)\n }}"
        );
        rules(&check(&[("k/a.rs", &text)], &[], "k/a.rs"))
    };
    assert_eq!(report("any()"), Vec::<&str>::new());
    assert_eq!(report("all()"), ["unused_suppression", "unknown_rule"]);
    let report = |condition: &str| {
        let text = format!(
            "#[cfg_attr({condition}, allow(tcp::axis_size_zero))] mod m {{ axes![A = 0]; }}"
        );
        let report = check(&[("k/a.rs", &text)], &[], "k/a.rs");
        let found = report.diagnostics.iter();
        found
            .map(|found| (found.rule, found.suppressed))
            .collect::<Vec<_>>()
    };
    assert_eq!(report("all()"), [("axis_size_zero", true)]);
    assert_eq!(report("any()"), [("axis_size_zero", false)]);
}

#[test]
fn conditions_may_change_while_a_file_is_typed_into() {
    let text = format!("{HEAD}#[cfg(feature = \"a\")] {}", kernel("wrong", 4));
    let mut workspace = Workspace::new();
    workspace.set_files([("k/src/lib.rs", text.as_str())]);
    let found = |workspace: &Workspace| {
        workspace
            .analysis()
            .check_file("k/src/lib.rs")
            .diagnostics
            .len()
    };
    assert_eq!(found(&workspace), 1);
    workspace.set_file("k/src/lib.rs", &text.replace(", 4)", ", 12)"));
    assert_eq!(found(&workspace), 1);
    workspace.set_features(package(&[("a", Truth::Off)]));
    assert_eq!(found(&workspace), 0);
    let cfg = |text: &str| -> Arc<[CfgSetting]> { Arc::from([CfgSetting::parse(text).unwrap()]) };
    workspace.set_cfg([("k/src/lib.rs", cfg("feature=\"a\""))]);
    assert_eq!(found(&workspace), 1);
    workspace.set_file("k/src/lib.rs", &text.replace("feature = \"a\"", "unix"));
    assert_eq!(found(&workspace), 1);
    workspace.set_cfg([("k/src/lib.rs", cfg("!unix"))]);
    assert_eq!(found(&workspace), 0);
    workspace.set_cfg([]);
    assert_eq!(found(&workspace), 1);
}
