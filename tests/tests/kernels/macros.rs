//! Macros of the project: what a call declares, where its findings are, and what an edit of a definition changes.

use visa_analysis::{FileReport, Workspace};

const TEMPLATE: &str = "macro_rules! load {
    ($name:ident, $element:ty) => {
        #[device(chip = 1)]
        fn $name(device: &mut Device, x: &HbmTensor<i32, m![1], m![A]>) {
            let x: DmTensor<i32, m![1], m![1 # 2], m![A / 8], $element> = x.to_dm(&mut device.tdma);
        }
    };
}
";

fn report(files: &[(&str, &str)], path: &str) -> FileReport {
    let mut workspace = Workspace::new();
    for (path, text) in files {
        workspace.set_file(path, text);
    }
    workspace.analysis().check_file(path)
}

/// Rule, line and columns of what is denied.
fn denied(report: &FileReport) -> Vec<(&str, u32, u32, u32)> {
    let found = report.diagnostics.iter();
    let denied = found.filter(|found| found.default_level == visa_analysis::Level::Deny);
    denied
        .map(|found| {
            let (start, end) = (found.range.start, found.range.end);
            (found.rule, start.line, start.column, end.column)
        })
        .collect()
}

fn head() -> String {
    format!("use furiosa_opt_std::prelude::*;\naxes![A = 2048, B = 3];\n{TEMPLATE}")
}

#[test]
fn kernels_of_a_macro_are_judged_at_its_calls() {
    let text = head() + "load!(right, m![A % 8]);\n    load!(wrong, m![A % 7]);\n";
    let report = report(&[("a.rs", &text)], "a.rs");
    assert_eq!(report.kernels, 2);
    let unread: Vec<_> = report
        .unresolved
        .iter()
        .map(|place| (place.range.start.line, place.range.end.column))
        .collect();
    assert_eq!(unread, [(12, 10)]);
    assert_eq!(denied(&report), [("modulo_indivisible", 12, 23, 26)]);
    assert!(
        report
            .diagnostics
            .iter()
            .all(|found| found.fixes.is_empty())
    );
}

#[test]
fn macros_of_other_files_are_found_where_one_is_meant() {
    let macros = TEMPLATE;
    let user = "use furiosa_opt_std::prelude::*;\naxes![A = 2048];\ncrate::load!(k, m![A % 8]);\n";
    let root = "#[macro_use] mod macros; mod user;";
    let files = [("lib.rs", root), ("macros.rs", macros), ("user.rs", user)];
    assert_eq!(report(&files, "user.rs").kernels, 1);
    // Two of one name that differ: neither is taken, and what hides a kernel is said.
    let other = TEMPLATE.replace("chip = 1", "chip = 2");
    let root = "#[macro_use] mod macros; #[macro_use] mod more; mod user;";
    let both = [
        ("lib.rs", root),
        ("macros.rs", macros),
        ("more.rs", &*other),
        ("user.rs", user),
    ];
    assert_eq!(report(&both, "user.rs").kernels, 0);
}

#[test]
fn neither_of_two_that_a_condition_chooses_from_is_taken() {
    let other = TEMPLATE.replace("A / 8", "A / 7");
    let text = format!(
        "use furiosa_opt_std::prelude::*;\naxes![A = 2048];\n#[cfg(feature = \"a\")]\n{other}#[cfg(not(feature = \"a\"))]\n{TEMPLATE}load!(k, m![A % 8]);\n"
    );
    let report = report(&[("a.rs", &text)], "a.rs");
    assert_eq!((report.kernels, denied(&report)), (0, Vec::new()));
    assert_eq!(report.unresolved.len(), 1);
}

#[test]
fn calls_in_bodies_take_their_place() {
    let text = "use furiosa_opt_std::prelude::*;
axes![A = 2048];
macro_rules! flits { ($stream:expr) => { $stream.fetch::<m![1], m![A % 8]>().collect::<m![1], m![A % 8]>() }; }
macro_rules! pass {
    ($out:ident = $device:ident, $x:expr) => {
        let $out: DmTensor<i32, m![1], m![1 # 2], m![A / 8], m![A % 8]> =
            flits!($device.main.begin($x.view())).commit_trim::<m![A % 8]>().commit();
    };
}
#[device(chip = 1)]
fn k(device: &mut Device, x: &HbmTensor<i32, m![1], m![A]>) -> HbmTensor<i32, m![1], m![A]> {
    let x: DmTensor<i32, m![1], m![1 # 2], m![A / 8], m![A % 8]> = x.to_dm(&mut device.tdma);
    pass!(y = device, x);
    y.to_hbm(&mut device.tdma)
}
";
    let report = report(&[("a.rs", text)], "a.rs");
    assert_eq!(report.unresolved, []);
    assert_eq!(report.operations.resolved, 3);
}

#[test]
fn an_edit_of_a_definition_reaches_its_calls() {
    let mut workspace = Workspace::new();
    workspace.set_file("lib.rs", "#[macro_use] mod macros; mod user;");
    workspace.set_file("macros.rs", TEMPLATE);
    let user = "use furiosa_opt_std::prelude::*;\naxes![A = 2048];\nload!(k, m![A % 8]);\n";
    workspace.set_file("user.rs", user);
    assert_eq!(denied(&workspace.analysis().check_file("user.rs")), []);
    workspace.set_file("macros.rs", &TEMPLATE.replace("m![A / 8]", "m![A / 7]"));
    let report = workspace.analysis().check_file("user.rs");
    assert_eq!(denied(&report), [("stride_indivisible", 3, 1, 6)]);
    let related = &report.diagnostics.first().expect("a finding").related;
    let place = related.last().expect("the place in the macro");
    assert_eq!((&*place.file, place.range.start.line), ("macros.rs", 5));
}

/// What is denied, as the text of the file has it.
fn denied_text<'a>(text: &'a str, report: &FileReport) -> Vec<&'a str> {
    let found = report.diagnostics.iter();
    let denied = found.filter(|found| found.default_level == visa_analysis::Level::Deny);
    let range = |found: &visa_analysis::Diagnostic| {
        found.range.start.byte as usize..found.range.end.byte as usize
    };
    denied.filter_map(|found| text.get(range(found))).collect()
}

#[test]
fn what_an_argument_says_is_reported_there() {
    let head = "use furiosa_opt_std::prelude::*;\naxes![A = 2048, B = 3];\n";
    let kernel = |body: &str| {
        format!(
            "#[device(chip = 1)]\nfn k(device: &mut Device, x: &HbmTensor<i32, m![1], m![A]>) {{\n    {body}\n}}\n"
        )
    };
    let load = "macro_rules! load { ($x:expr, $d:expr, $s:ty, $e:ty) => {{
        let x: DmTensor<i32, m![1], m![1 # 2], $s, $e> = $x.to_dm(&mut $d.tdma);
        let y: DmTensor<i32, m![1], m![1 # 2], $s, $e> = $x.to_dm(&mut $d.tdma);
    }}; }\n";
    let same = "macro_rules! same { ($($t:tt)*) => { $($t)* }; }\n";
    let own = "macro_rules! own { ($x:expr) => { let y: DmTensor<i32, m![1], m![1 # 2], m![A / 7], m![A % 8]> = $x; }; }\n";
    let cases: [(&str, &str, &[&str]); 5] = [
        // Used twice, it is the same fault at the same place.
        (
            load,
            "load!(x, device, m![A / 8], /* ä */ m![A % 7]);",
            &["% 7"],
        ),
        (load, "load!(x, device, m![A / 7], m![A % 8]);", &["/ 7"]),
        (
            same,
            "same! { let /* ä */ x: DmTensor<i32, m![1], m![1 # 2], m![A / 8], m![A % /* ö */ 7]> = x.to_dm(&mut device.tdma); }",
            &["% /* ö */ 7"],
        ),
        // One macro in another's arguments.
        (
            same,
            "same! { same!(let x: DmTensor<i32, m![1], m![1 # 2], m![A / 8], m![A % 7]> = x.to_dm(&mut device.tdma);) }",
            &["% 7"],
        ),
        // What the macro writes is reported in it.
        (own, "own!(x.to_dm(&mut device.tdma));", &["/ 7"]),
    ];
    for (definition, body, expected) in cases {
        let text = format!("{head}{definition}{}", kernel(body));
        let report = report(&[("a.rs", &text)], "a.rs");
        let mut found = denied_text(&text, &report);
        found.dedup();
        assert_eq!(found, expected, "{body}");
        let fixes = report
            .diagnostics
            .iter()
            .all(|found| found.fixes.is_empty());
        assert!(fixes, "{body}");
    }
}

#[test]
fn what_a_macro_writes_is_reported_in_it_once_for_all_calls() {
    // 2048 is divisible by 8 and not by 7: `A / 8 % $n` has 256 values.
    let head = "use furiosa_opt_std::prelude::*;
axes![A = 2048];
macro_rules! load { ($name:ident, $n:literal) => {
    #[device(chip = 1)]
    fn $name(device: &mut Device, x: &HbmTensor<i32, m![1], m![A]>) {
        // A remark.
        let x: DmTensor<i32, m![1], m![1 # 2], m![A / 8 # $n], m![A % 8]> = x.to_dm(&mut device.tdma);
    }
} }
";
    let calls = |text: &str| {
        let text = format!("{head}{text}");
        let report = report(&[("a.rs", &text)], "a.rs");
        let found = report.diagnostics.iter();
        let found = found.filter(|found| found.rule == "slice_size");
        let found = found.map(|found| {
            let related = found.related.iter();
            let calls = related.filter(|place| place.message.contains("writes it for this call"));
            let calls: Vec<u32> = calls.map(|place| place.range.start.line).collect();
            assert!(found.fixes.is_empty());
            (found.range.start.line, found.suppressed, calls)
        });
        found.collect::<Vec<_>>()
    };
    assert_eq!(calls("load!(right, 256);\n"), []);
    assert_eq!(
        calls("load!(a, 300);\nload!(right, 256);\nload!(b, 300);\n"),
        [(7, false, vec![10, 12])]
    );
    // What is allowed at a call is allowed for that call.
    let allowed = "// visa-lint: allow(slice_size)\n";
    assert_eq!(
        calls(&format!("{allowed}load!(a, 300);\nload!(b, 300);\n")),
        [(7, false, vec![12])]
    );
    assert_eq!(
        calls(&format!("{allowed}load!(a, 300);\n")),
        [(7, true, vec![11])]
    );
}

const CALLER: &str = "use furiosa_opt_std::prelude::*;
axes![A = 2048];
crate::load!(k, m![A % 7]);
";

/// The text of a file is never typed into; what its calls stand for changes with a file that is, and so do its findings.
#[test]
fn calls_in_an_open_file_stand_for_what_another_file_says_now() {
    let roots = [true, false];
    let changed = [
        TEMPLATE.replace("rules! load", "rules! store"),
        TEMPLATE.replace("A / 8", "A / 4"),
        TEMPLATE.replace("    ($name:ident, $element:ty) => {\n", ""),
        String::new(),
    ];
    for (in_package, now) in roots
        .into_iter()
        .flat_map(|root| changed.iter().map(move |now| (root, now)))
    {
        let start = |macros: &str| {
            let mut workspace = Workspace::new();
            if in_package {
                workspace.set_packages(vec![visa_analysis::Package {
                    name: "k".into(),
                    root: "".into(),
                }]);
            }
            for (path, text) in [
                ("src/user.rs", CALLER),
                ("src/macros.rs", macros),
                ("src/lib.rs", "#[macro_use] mod macros; mod user;"),
            ] {
                workspace.set_file(path, text);
                workspace.open_file(path);
            }
            workspace
        };
        let mut edited = start(TEMPLATE);
        let before = edited.analysis().check_all();
        edited.set_file("src/macros.rs", now);
        let after = edited.analysis().check_all();
        assert_eq!(after, start(now).analysis().check_all(), "{now}");
        assert_ne!(after, before, "{now}");
        edited.set_file("src/macros.rs", TEMPLATE);
        assert_eq!(edited.analysis().check_all(), before, "{now}");
    }
}

/// A file of no package is of the crate whose `mod` leads to it: what leads elsewhere, or nowhere, is another crate.
#[test]
fn macros_of_one_loose_crate_mean_nothing_in_another() {
    let call = CALLER.replace("crate::load!", "load!");
    let kernels = |files: &[(&str, &str)]| report(files, "a/lib.rs").kernels;
    let alone = kernels(&[("a/lib.rs", &call)]);
    assert_eq!(alone, 0);
    assert_eq!(
        kernels(&[("a/lib.rs", &call), ("b/lib.rs", TEMPLATE)]),
        alone
    );
    let with_module = format!("#[macro_use] mod macros;\n{call}");
    let own = [("a/lib.rs", &*with_module), ("a/macros.rs", TEMPLATE)];
    assert_eq!(kernels(&own), 1);
    let nested = format!("mod inner {{ #[macro_use] pub mod macros; }}\n{call}");
    let inside = [("a/lib.rs", &*nested), ("a/inner/macros.rs", TEMPLATE)];
    assert_eq!(kernels(&inside), 1);
    let by_path = format!("#[macro_use]\n#[path = \"../b/lib.rs\"]\nmod shared;\n{call}");
    assert_eq!(
        kernels(&[("a/lib.rs", &by_path), ("b/lib.rs", TEMPLATE)]),
        1
    );
    let exported = format!("#[macro_export]\n{TEMPLATE}");
    assert_eq!(kernels(&[("a/lib.rs", &call), ("b/lib.rs", &exported)]), 1);
}

#[test]
fn remarks_and_spaces_in_a_call_change_nothing() {
    for call in [
        "load!(k, m![A % 7]);",
        "load! /* all */ (k, m![A % 7]);",
        "load ! (k, m![A % 7]);",
        "load /* { */ ! // [\n (k, m![A % 7]);",
        "load // of them\n! [k, m![A % 7]];",
        "const U: &str = \"a//b\"; load!(k, m![A % 7]);",
        "/* so */ /* on */load\n\n!\n\n{k, m![A % 7]}",
    ] {
        let text = format!(
            "use furiosa_opt_std::prelude::*;\naxes![A = 2048, B = 3];\n{TEMPLATE}{call}\n"
        );
        let report = report(&[("a.rs", &text)], "a.rs");
        assert_eq!(report.kernels, 1, "{call}");
        let rules: Vec<_> = denied(&report).iter().map(|(rule, ..)| *rule).collect();
        assert_eq!(rules, ["modulo_indivisible"], "{call}");
    }
}
