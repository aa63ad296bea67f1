//! What an edit re-runs: the queries of the function that it is in, and no rule, derivation or lowering elsewhere.

use std::collections::BTreeMap;

use visa_analysis::{
    Applicability, Completing, Library, PackageLibrary, PackageManifest, Trust, Workspace, fix_all,
};

const PATH: &str = "kernels.rs";

/// Two kernels that share axes and aliases; the marks are where the tests edit.
const TEXT: &str = "use furiosa_visa_std::prelude::*;

axes![L = 16384];

type Chip = m![1];
type Cluster = m![1 # 2];
type Slice = m![L / 64];

#[device(chip = 1)]
fn first(ctx: &mut Context, lanes: &HbmTensor<i32, Chip, m![L]>) -> HbmTensor<i32, Chip, m![L]> {
    // first remark
    let lanes = lanes.to_dm::<Cluster, Slice, m![L % 64]>(&mut ctx.tdma, 0);
    let turned = ctx
        .main
        .begin(lanes.view())
        .fetch::<i32, m![1], m![L % 64]>()
        .collect::<m![L / 8 % 8], m![L % 8]>()
        .commit::<m![L % 64]>(1 << 13);
    turned.to_hbm(&mut ctx.tdma, 1 << 20)
}

#[device(chip = 1)]
fn second(ctx: &mut Context, lanes: &HbmTensor<i32, Chip, m![L]>) -> HbmTensor<i32, Chip, m![L]> {
    let lanes = lanes.to_dm::<Cluster, Slice, m![L % 64]>(&mut ctx.tdma, 4096);
    let copied = ctx
        .main
        .begin(lanes.view())
        .fetch::<i32, m![1], m![L % 64]>()
        .collect::<m![L / 8 % 8], m![L % 8]>()
        .commit::<m![L % 64]>(1 << 14);
    copied.to_hbm(&mut ctx.tdma, 1 << 21)
}
";

fn workspace() -> Workspace {
    let mut workspace = Workspace::with_event_log();
    workspace.set_files([(PATH, TEXT)]);
    let report = workspace.analysis().check_file(PATH);
    assert_eq!(
        (
            report.kernels,
            report.operations.resolved,
            report.operations.unresolved
        ),
        (2, 6, 0)
    );
    drop(workspace.take_events());
    workspace
}

/// How often each query ran since the last call.
fn executed(workspace: &Workspace) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for event in workspace.take_events() {
        let name = event.split('(').next().unwrap_or_default().to_owned();
        *counts.entry(name).or_insert(0) += 1;
    }
    counts
}

fn expected(counts: &[(&str, usize)]) -> BTreeMap<String, usize> {
    counts
        .iter()
        .map(|(name, count)| ((*name).to_owned(), *count))
        .collect()
}

/// What every edit of the file runs: its text is read and cut into items, whose texts are compared: an import, the axes,
/// three aliases and two functions. Whether it can hold a kernel is seen in its text. The report is put together, for the first edit of a file always.
const OF_THE_FILE: [(&str, usize); 9] = [
    ("collected", 1),
    ("file_items", 1),
    ("file_report", 1),
    ("has_kernel_words", 1),
    ("is_template", 1),
    ("item_text", 7),
    ("parse", 1),
    ("suppressions", 1),
    ("syntax_error_count", 1),
];

fn edit_and_check(workspace: &mut Workspace, from: &str, to: &str) -> BTreeMap<String, usize> {
    assert_eq!(TEXT.matches(from).count(), 1, "{from}");
    workspace.set_file(PATH, &TEXT.replace(from, to));
    let _ = workspace.analysis().check_file(PATH);
    executed(workspace)
}

#[test]
fn asking_again_runs_nothing() {
    let workspace = workspace();
    let _ = workspace.analysis().check_file(PATH);
    let _ = workspace.analysis().check_all();
    assert_eq!(executed(&workspace), expected(&[]));
}

#[test]
fn a_comment_re_runs_no_rule_no_derivation_and_no_lowering() {
    let mut workspace = workspace();
    let executed = edit_and_check(
        &mut workspace,
        "// first remark",
        "// another\n    // remark of two lines",
    );
    assert_eq!(executed, expected(&OF_THE_FILE));
}

#[test]
fn an_edit_inside_a_function_re_runs_that_function_only() {
    let mut workspace = workspace();
    let executed = edit_and_check(&mut workspace, "1 << 20", "1 << 22");
    // An address is edited: the mappings of the function are read again and are the same, so that their rules rest.
    let of_the_function = [
        ("block_scopes", 1),
        ("body", 1),
        ("device_attribute", 1),
        ("function_derivation", 1),
        ("function_findings", 1),
        ("function_simulation", 1),
        ("function_time_findings", 1),
        ("has_foreign_calls", 1),
        ("hidden_kernels", 1),
        ("mapping_sites", 1),
        ("plain_types", 1),
        ("rules_for", 1),
    ];
    assert_eq!(
        executed,
        expected(&[&OF_THE_FILE[..], &of_the_function].concat())
    );
}

#[test]
fn another_edit_inside_the_function_compares_its_text_alone() {
    let mut workspace = workspace();
    let _ = edit_and_check(&mut workspace, "1 << 20", "1 << 22");
    let executed = edit_and_check(&mut workspace, "1 << 20", "1 << 23");
    let names = ["collected", "item_text", "file_items", "body"];
    let times = names.map(|name| executed.get(name).copied().unwrap_or(0));
    assert_eq!(times, [1, 1, 0, 1], "{executed:?}");
}

#[test]
fn an_edit_of_a_mapping_re_runs_the_rules_about_it() {
    let mut workspace = workspace();
    let executed = edit_and_check(
        &mut workspace,
        "m![L % 64]>(&mut ctx.tdma, 0)",
        "m![L % 64 # 128]>(&mut ctx.tdma, 0)",
    );
    for query in [
        "item_findings",
        "body",
        "function_derivation",
        "function_simulation",
        "function_findings",
    ] {
        assert_eq!(executed.get(query), Some(&1), "{executed:?}");
    }
}

#[test]
fn the_edited_function_is_judged_anew_and_the_other_keeps_its_findings() {
    let mut workspace = workspace();
    workspace.set_file(
        PATH,
        &TEXT.replace("(&mut ctx.tdma, 0)", "(&mut ctx.tdma, 4)"),
    );
    let report = workspace.analysis().check_file(PATH);
    let rules: Vec<_> = report
        .diagnostics
        .iter()
        .map(|found| (found.rule, found.range.start.line))
        .collect();
    assert_eq!(rules, [("dma_alignment", 12)]);
    workspace.set_file(PATH, TEXT);
    assert_eq!(workspace.analysis().check_file(PATH).diagnostics, []);
}

#[test]
fn an_edit_in_another_file_re_runs_nothing_of_this_one() {
    let mut workspace = workspace();
    workspace.set_files([("other.rs", "fn f() {}\n")]);
    let _ = workspace.analysis().check_all();
    drop(workspace.take_events());
    workspace.set_file("other.rs", "fn f() { let _ = 1; }\n");
    let _ = workspace.analysis().check_file(PATH);
    let executed = executed(&workspace);
    for query in [
        "body",
        "function_derivation",
        "function_simulation",
        "function_findings",
        "item_findings",
        "file_report",
    ] {
        let times = executed.get(query).copied().unwrap_or(0);
        // Only the edited function itself, to see whether it calls into this file.
        assert!(times <= 1, "{executed:?}");
    }
    assert_eq!(executed.get("file_report"), None, "{executed:?}");
}

#[test]
fn a_file_that_goes_takes_its_findings_along() {
    let mut workspace = Workspace::new();
    workspace.set_files([
        ("a.rs", "#[allow(tcp::nonsense)] fn f() {}"),
        ("b.rs", "fn g() {}"),
    ]);
    assert_eq!(workspace.analysis().check_all().diagnostics.len(), 1);
    workspace.remove_file("a.rs");
    let report = workspace.analysis().check_all();
    assert_eq!((report.files, report.diagnostics.len()), (1, 0));
    assert_eq!(workspace.analysis().check_file("a.rs").problems.len(), 1);
}

/// The first kernel as it is, and the second one in the body of another function.
fn with_a_nested_kernel() -> Workspace {
    let text = TEXT.replace(
        "#[device(chip = 1)]\nfn second",
        "fn main() {\n#[device(chip = 1)]\nfn second",
    ) + "}\n";
    let mut workspace = Workspace::with_event_log();
    workspace.set_files([(PATH, text.as_str())]);
    let report = workspace.analysis().check_file(PATH);
    assert_eq!((report.kernels, report.operations.resolved), (2, 6));
    drop(workspace.take_events());
    workspace
}

/// Replaces a text that occurs once, checks, and gives the counts of some queries.
fn edit_nested(workspace: &mut Workspace, from: &str, to: &str) -> [usize; 4] {
    let old: std::sync::Arc<str> = {
        let mut files = workspace.files();
        files
            .next()
            .map(|(_, text)| std::sync::Arc::clone(text))
            .unwrap_or_default()
    };
    assert_eq!(old.matches(from).count(), 1, "{from}");
    workspace.set_file(PATH, &old.replace(from, to));
    let _ = workspace.analysis().check_file(PATH);
    let executed = executed(workspace);
    [
        "body",
        "function_derivation",
        "function_findings",
        "item_findings",
    ]
    .map(|name| executed.get(name).copied().unwrap_or(0))
}

#[test]
fn an_edit_beside_a_nested_kernel_re_runs_nothing_of_it() {
    let mut workspace = with_a_nested_kernel();
    let counts = edit_nested(&mut workspace, "// first remark", "// another\n");
    assert_eq!(counts, [0, 0, 0, 0]);
    // Once an item is typed into, it alone.
    let _ = edit_nested(&mut workspace, "1 << 20", "1 << 22");
    let counts = edit_nested(&mut workspace, "1 << 22", "(1 << 22) + 4096");
    assert_eq!(counts, [1, 1, 1, 0]);
}

#[test]
fn an_edit_in_a_nested_kernel_re_runs_the_functions_of_its_item() {
    let mut workspace = with_a_nested_kernel();
    // The kernel, and the function around it, whose text holds it.
    let counts = edit_nested(&mut workspace, "1 << 21", "(1 << 21) + 4096");
    assert_eq!(&counts[..1], [2]);
    assert!(counts[1] <= 2 && counts[2] <= 2, "{counts:?}");
}

/// A package that names a library in a release.
fn package(name: &str, library: Library, release: &str) -> PackageManifest {
    let library = PackageLibrary {
        library,
        named: Some("the manifest".into()),
        release: Some((release.into(), "the manifest".into())),
        ..PackageLibrary::default()
    };
    PackageManifest {
        name: name.into(),
        libraries: [library].into(),
        problem: None,
    }
}

#[test]
fn a_manifest_decides_its_crate_and_no_other() {
    let mut workspace = Workspace::with_event_log();
    let files = ["one/src/lib.rs", "two/src/lib.rs"];
    let text = TEXT.replace("use furiosa_visa_std::prelude::*;", "use super::*;");
    workspace.set_files(files.map(|path| (path, text.as_str())));
    let manifests = |library: Library, release: &str| {
        [
            ("one", package("one", library, release)),
            ("two", package("two", Library::VisaStd, "1.0.0")),
        ]
    };
    workspace.set_manifests(manifests(Library::VisaStd, "1.0.0"));
    let resolved = |workspace: &Workspace| {
        let analysis = workspace.analysis();
        files.map(|path| analysis.check_file(path).operations.resolved)
    };
    assert_eq!(resolved(&workspace), [6, 6]);
    drop(workspace.take_events());

    // A patch re-runs no kernel: it changes nothing that is called.
    workspace.set_manifests(manifests(Library::VisaStd, "1.0.1"));
    assert_eq!(resolved(&workspace), [6, 6]);
    let ran = executed(&workspace);
    assert_eq!(ran.get("body"), None, "{ran:?}");
    assert_eq!(ran.get("module_tree"), None, "{ran:?}");
    assert_eq!(ran.get("file_report"), Some(&1), "{ran:?}");

    // Another library re-runs the two kernels of its crate. All their operations are written with addresses, which its release
    // does not have.
    workspace.set_manifests(manifests(Library::OptStd, "0.8.0"));
    assert_eq!(resolved(&workspace), [0, 6]);
    let ran = executed(&workspace);
    assert_eq!(ran.get("body"), Some(&2), "{ran:?}");
    assert_eq!(ran.get("file_report"), Some(&1), "{ran:?}");
}

/// What a manifest edit decides again is asked of its crate alone: other crates are not even looked at.
#[test]
fn a_release_in_a_manifest_runs_nothing_of_other_crates() {
    const CRATES: usize = 50;
    let names: Vec<String> = (0..CRATES).map(|number| format!("k{number}")).collect();
    let text = "use super::*;\naxes![G = 8];\n#[device]\nfn f(device: &mut Device, x: &X) {}\n";
    let mut workspace = Workspace::with_event_log();
    let paths: Vec<String> = names
        .iter()
        .map(|name| format!("{name}/src/lib.rs"))
        .collect();
    workspace.set_files(paths.iter().map(|path| (path.as_str(), text)));
    let set = |workspace: &mut Workspace, release: &str| {
        let manifests = names.iter().map(|name| {
            let release = if name == "k7" { release } else { "0.8.0" };
            (name.as_str(), package(name, Library::OptStd, release))
        });
        workspace.set_manifests(manifests);
    };
    let releases = |workspace: &Workspace| -> Vec<String> {
        let analysis = workspace.analysis();
        let reports = paths.iter().map(|path| analysis.check_file(path));
        let libraries = reports.flat_map(|report| report.libraries);
        libraries
            .map(|known| known.library.dialect.release.to_string())
            .collect()
    };
    set(&mut workspace, "0.8.0");
    assert_eq!(releases(&workspace), vec!["0.8"; CRATES]);
    drop(workspace.take_events());
    set(&mut workspace, "0.10.0");
    let mut expected_releases = vec!["0.8"; CRATES];
    expected_releases[7] = "0.10";
    assert_eq!(releases(&workspace), expected_releases);
    let ran = executed(&workspace);
    for query in [
        "crate_library",
        "file_library",
        "dialect",
        "file_report",
        "body",
    ] {
        assert_eq!(ran.get(query), Some(&1), "{query}: {ran:?}");
    }
    for query in [
        "package_around",
        "crate_id",
        "module_tree",
        "file_items",
        "item_text",
    ] {
        assert_eq!(ran.get(query), None, "{query}: {ran:?}");
    }
}

/// Where shapes decide, only another shape decides again.
#[test]
fn a_release_by_shapes_follows_shapes_and_no_other_edit() {
    let mut workspace = Workspace::with_event_log();
    let first = "use super::*;\n// one\n#[device]\nfn f(c: &mut Context, x: &X) { let a = 1; }\n";
    let second = "use super::*;\n#[device]\nfn g(c: &mut Context, x: &X) {}\n";
    let files = |first: &str| {
        [
            ("k/src/lib.rs", "mod a;\nmod b;\n"),
            ("k/src/a.rs", first),
            ("k/src/b.rs", second),
        ]
        .map(|(path, text)| (path.to_owned(), text.to_owned()))
    };
    let library = PackageLibrary {
        library: Library::OptStd,
        named: Some("the manifest".into()),
        ..PackageLibrary::default()
    };
    let manifest = PackageManifest {
        name: "k".into(),
        libraries: [library].into(),
        problem: None,
    };
    workspace.set_manifests([("k", manifest)]);
    let after = |workspace: &mut Workspace, text: &str| {
        for (path, text) in files(text) {
            workspace.set_file(&path, &text);
        }
        let analysis = workspace.analysis();
        let paths = ["k/src/lib.rs", "k/src/a.rs", "k/src/b.rs"];
        let libraries = paths.map(|path| analysis.check_file(path).libraries.pop());
        let releases =
            libraries.map(|known| known.map(|known| known.library.dialect.release.to_string()));
        drop(analysis);
        (releases[2].clone().unwrap_or_default(), executed(workspace))
    };
    // What is typed into is kept apart from then on, which takes two edits; already they decide nothing again.
    assert_eq!(after(&mut workspace, first).0, "0.7");
    drop(workspace.take_events());
    for number in ["2", "3", "1"] {
        let text = first.replace("a = 1", &format!("a = {number}"));
        let (release, ran) = after(&mut workspace, &text);
        assert_eq!(release, "0.7");
        for query in ["crate_library", "dialect"] {
            assert_eq!(ran.get(query), None, "{query}: {ran:?}");
        }
        assert!(ran.get("body") <= Some(&1), "{ran:?}");
    }

    let (release, ran) = after(&mut workspace, &first.replace("// one", "// another"));
    assert_eq!(release, "0.7");
    for query in [
        "item_shapes",
        "crate_evidence",
        "crate_library",
        "dialect",
        "body",
    ] {
        assert_eq!(ran.get(query), None, "{query}: {ran:?}");
    }

    let (release, ran) = after(&mut workspace, &first.replace("a = 1", "a = 2"));
    assert_eq!(release, "0.7");
    assert_eq!(ran.get("item_shapes"), Some(&1), "{ran:?}");
    for query in ["crate_evidence", "crate_library"] {
        assert_eq!(ran.get(query), None, "{query}: {ran:?}");
    }

    let shape = first.replace("a = 1", "a = x.to_dm_pcopy(c)");
    let (release, ran) = after(&mut workspace, &shape);
    assert_eq!(release, "0.6");
    assert_eq!(ran.get("crate_library"), Some(&1), "{ran:?}");
    // The other function of the crate is read in the other release as well.
    assert_eq!(ran.get("body"), Some(&2), "{ran:?}");
}

/// A kernel of so many passes, each with the same fault: the collect is declared as a flit and is two.
fn equal_faults(faults: usize) -> String {
    let pass = |number: usize| {
        format!(
            "    let _y{number}: DmTensor<i32, Chip, Cluster, m![S], m![T, L]> = ctx
        .main
        .begin(x.view())
        .fetch::<i32, m![T], m![L]>()
        .collect::<m![T], m![L]>()
        .commit(0x1000);
"
        )
    };
    let passes: String = (0..faults).map(pass).collect();
    format!(
        "use furiosa_visa_std::prelude::*;

axes![S = 256, T = 4, L = 16];

type Chip = m![1];
type Cluster = m![1 # 2];

#[device(chip = 1)]
fn copies(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![S, T, L]>) {{
    let x: DmTensor<i32, Chip, Cluster, m![S], m![T, L]> = x.to_dm(&mut ctx.tdma, 0);
{passes}}}
"
    )
}

/// A workspace with a text, in which nothing has been asked yet.
fn unasked(text: &str) -> Workspace {
    let mut workspace = Workspace::with_event_log();
    workspace.set_files([(PATH, text)]);
    drop(workspace.take_events());
    workspace
}

/// Bodies that were derived to find out what a fix needs behind it.
const DERIVED_AGAIN: &str = "derived_again";

#[test]
fn a_check_completes_no_fix() {
    let workspace = unasked(&equal_faults(3));
    let analysis = workspace.analysis();
    let report = analysis.check_file(PATH);
    let _ = analysis.check_all();
    let counts = executed(&workspace);
    let completing = |name: &&String| name.contains("complete") || *name == DERIVED_AGAIN;
    let completing: Vec<_> = counts.keys().filter(completing).collect();
    assert!(completing.is_empty(), "{completing:?}");
    // One fix is one function derived again, once: it needs nothing behind it.
    let mut findings = report.diagnostics.iter();
    let proposed = findings.find_map(|found| Some((found, found.fixes.first()?)));
    let completed = analysis.completed_fixes(&[proposed.unwrap()], Completing::Alone);
    assert_eq!(completed.unwrap().len(), 1);
    assert_eq!(executed(&workspace), expected(&[(DERIVED_AGAIN, 1)]));
}

#[test]
fn equal_faults_are_fixed_together_and_are_equally_sure() {
    let work = [4, 16, 64].map(|faults| {
        let mut workspace = unasked(&equal_faults(faults));
        let report = workspace.analysis().check_file_completed(PATH);
        let fixes: Vec<_> = report
            .diagnostics
            .iter()
            .flat_map(|found| &found.fixes)
            .collect();
        assert!(
            fixes
                .iter()
                .all(|fix| fix.applicability == Applicability::Machine)
        );
        assert_eq!(fixes.len(), faults);
        drop(workspace.take_events());
        let fixed = fix_all(&mut workspace, Trust::Machine);
        assert_eq!(fixed.fixed, faults as u64);
        let counts = executed(&workspace);
        [DERIVED_AGAIN, "function_findings", "body"].map(|name| counts.get(name).copied())
    });
    // How often the function is derived and checked does not depend on how many faults it has.
    assert_eq!(work[0], work[1]);
    assert_eq!(work[0], work[2]);
    assert_eq!(work[0][0], Some(1));
}

/// Kernels in several files, with helpers, methods and a trait that all of them call.
fn crate_of_helpers() -> Vec<(String, String)> {
    let shared = "use furiosa_opt_std::prelude::*;
axes![S = 256, K = 64];
pub type Tile = DmTensor<i32, m![1], m![1], m![S], m![K]>;
pub struct Layer { at: usize }
impl Layer { pub fn load(&self, device: &mut Device, x: &HbmTensor<i32, m![1], m![S, K]>) -> Tile { x.to_dm(&mut device.tdma) } }
pub trait Store { fn store(self, device: &mut Device) -> HbmTensor<i32, m![1], m![S, K]>; }
impl Store for Tile { fn store(self, device: &mut Device) -> HbmTensor<i32, m![1], m![S, K]> { self.to_hbm(&mut device.tdma) } }
pub fn copied(device: &mut Device, x: &Tile) -> Tile {
    device.main.begin(x.view()).fetch::<m![K / 8], m![K % 8]>().collect::<m![K / 8], m![K % 8]>().commit_trim::<m![K % 8]>().commit()
}
";
    let kernel = |number: usize| {
        format!(
            "#[device(chip = 1, pe = 4)]
pub fn kernel_{number}(device: &mut Device, layer: &Layer, x: &HbmTensor<i32, m![1], m![S, K]>) -> HbmTensor<i32, m![1], m![S, K]> {{
    let x = layer.load(device, x);
    let x = copied(device, &x);
    let x = copied(device, &x);
    x.store(device)
}}
"
        )
    };
    let mut files = vec![
        (
            "src/lib.rs".to_owned(),
            "mod shared;\nmod m0;\nmod m1;\nmod m2;\n".to_owned(),
        ),
        ("src/shared.rs".to_owned(), shared.to_owned()),
    ];
    for module in 0..3 {
        let kernels: String = (0..8).map(kernel).collect();
        let text = format!("use furiosa_opt_std::prelude::*;\nuse crate::shared::*;\n{kernels}");
        files.push((format!("src/m{module}.rs"), text));
    }
    files
}

#[test]
fn the_first_key_lowers_the_function_that_it_is_in_and_what_calls_it() {
    const OPEN: &str = "src/m1.rs";
    let mut files = crate_of_helpers();
    // The host launches each kernel of the file: it asks for their types alone.
    let launches: String = (0..8)
        .map(|number| format!("    device.launch(crate::m1::kernel_{number}, (layer, x)).await;\n"))
        .collect();
    let host = format!(
        "use furiosa_opt_std::prelude::*;\nuse crate::shared::*;\n\
         pub async fn run(device: &mut Device, layer: &Layer, x: &HbmTensor<i32, m![1], m![S, K]>) {{\n{launches}}}\n"
    );
    files[0].1.push_str("mod host;\n");
    files.push(("src/host.rs".to_owned(), host));
    let mut workspace = Workspace::with_event_log();
    workspace.set_packages(vec![visa_analysis::Package {
        name: "k".into(),
        root: "".into(),
    }]);
    let texts = files.iter();
    workspace.set_files(texts.map(|(path, text)| (path.as_str(), text.as_str())));
    workspace.open_file(OPEN);
    let before = workspace.analysis().check_all();
    assert_eq!(before.kernels, 24);
    drop(workspace.take_events());
    let text = files.iter().find(|(path, _)| path == OPEN);
    let (_, text) = text.unwrap();
    for number in 1..4 {
        let other =
            format!("    let x = copied(device, &x);\n    let count_{number} = 1;\n    x.store");
        let typed = text.replacen("    let x = copied(device, &x);\n    x.store", &other, 1);
        assert_ne!(typed, *text);
        workspace.set_file(OPEN, &typed);
        let _ = workspace.analysis().check_all();
        let executed = executed(&workspace);
        let of = |name: &str| executed.get(name).copied().unwrap_or(0);
        assert_eq!(of("body"), 1, "key {number}: {executed:?}");
        assert!(
            of("is_reached_from_kernel") <= 3,
            "key {number}: {executed:?}"
        );
    }
}
