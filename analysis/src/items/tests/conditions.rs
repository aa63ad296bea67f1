//! What `cfg` leaves out, and what `cfg_attr` comes to.

use std::sync::Arc;

use super::{item, one};
use crate::conditions::{CfgSetting, PackageFeatures, Truth};
use crate::items::{ItemKind, file_functions, item_text, token_map};
use crate::report::FileReport;
use crate::rules::Level;
use crate::syntax::parse_text;
use crate::workspace::Workspace;

/// The normalised texts of all items, without white space.
fn texts(text: &str) -> String {
    let (db, file) = one(text);
    let items = crate::items::file_items(&db, file);
    let mut all = String::new();
    for item in &items.items {
        let text = item_text(&db, *item).text.to_string();
        assert!(
            parse_text(&text).is_ok_and(|parse| parse.errors().is_empty()),
            "{text}"
        );
        all.extend(text.chars().filter(|character| !character.is_whitespace()));
        all.push('\n');
    }
    all
}

fn functions(text: &str) -> String {
    let (db, file) = one(text);
    let names = file_functions(&db, file)
        .into_iter()
        .map(|function| function.name(&db).to_string());
    names.collect::<Vec<_>>().join(" ")
}

#[test]
fn items_go_that_are_surely_out() {
    let out = [
        "any()",
        "not(all())",
        "false",
        "windows",
        "target_os = \"windows\"",
        "target_family = \"windows\"",
        "not(unix)",
        "not(target_os = \"linux\")",
        "all(test, any())",
        "not(any(anything, true))",
        "all(not(foo), all(bar, not(all())),)",
    ];
    let kept = [
        "all()",
        "not(any())",
        "true",
        "unix",
        "target_os = \"linux\"",
        "target_os = \"none\"",
        "test",
        "not(test)",
        "anything",
        "not(anything)",
        "feature = \"x\"",
        "any(anything, any())",
        // Nothing is made of what is no predicate.
        "not()",
        "foo(bar)",
        "feature = x",
        "",
    ];
    for condition in out {
        let text = format!(
            "fn a() {{}} #[cfg({condition})] #[inline] pub fn b() {{ fn c() {{}} }} fn d() {{}}"
        );
        assert_eq!(functions(&text), "a d", "{condition}");
        let text = format!(
            "fn a() {{}} /// Doc.\n#[inline] #[cfg({condition})] mod m {{ fn b() {{}} }} fn d() {{}}"
        );
        assert_eq!(functions(&text), "a d", "{condition}");
        let text = format!("fn a() {{}} mod m {{ #![cfg({condition})] fn b() {{}} }}");
        assert_eq!(functions(&text), "a", "{condition}");
        let text = format!("#![cfg({condition})]\nfn a() {{}}");
        assert_eq!(functions(&text), "", "{condition}");
        let text = format!("struct X; impl X {{ #[cfg({condition})] fn a() {{}} fn b() {{}} }}");
        assert_eq!(functions(&text), "b", "{condition}");
        let text = format!("fn a() {{ #[cfg({condition})] fn b() {{}} fn c() {{}} }}");
        assert_eq!(functions(&text), "a c", "{condition}");
    }
    for condition in kept {
        let text = format!("fn a() {{}} #[cfg({condition})] fn b() {{ fn c() {{}} }}");
        assert_eq!(functions(&text), "a b c", "{condition}");
    }
}

#[test]
fn parts_of_items_go_with_their_commas() {
    let text = "fn f(#[cfg(any())] a: u8, b: u8, #[cfg(any())] c: u8) {
        #[cfg(any())] let x = 1;
        #[cfg(all())] let y = 2;
        #[cfg(any())] g(y).h().i();
        match y { #[cfg(any())] 1 => {}, #[cfg(any())] 2 => 3, _ => {} }
        s(#[cfg(any())] 1, 2, #[cfg(any())] 3);
        let z = S { #[cfg(any())] a: 1, b };
        let w = [1, #[cfg(any())] 2];
        #[cfg(any())] { x }
        #[cfg(any())] use a::b;
        #[cfg(any())] x
    }
    struct S { #[cfg(any())] a: u8, b: u8 }
    enum E { A, #[cfg(any())] B(u8), C }
    const C: usize = if cfg!(any()) { 1 } else if cfg!(unix) { 2 } else { 3 };
    const D: bool = cfg!(unknown);
    #[cfg(unknown)] use a::c;";
    let expected = "fnf(b:u8,){#[cfg(all())]lety=2;;matchy{_=>{}}s(2,);letz=S{b};letw=[1,];}
structS{b:u8}
enumE{A,C}
constC:usize=iffalse{1}elseiftrue{2}else{3};
constD:bool=cfg!(unknown);
#[cfg(unknown)]usea::c;
";
    assert_eq!(texts(text), expected);
}

#[test]
fn cfg_attr_is_what_it_gives() {
    let table = [
        (
            "#[cfg_attr(any(), device(chip = 1))] fn f() {}",
            "fnf(){}\n",
        ),
        (
            "#[cfg_attr(all(), device(chip = 1))] fn f() {}",
            "#[device(chip=1)]fnf(){}\n",
        ),
        (
            "#[cfg_attr(unknown, device(chip = 1))] fn f() {}",
            "#[device(chip=1)]fnf(){}\n",
        ),
        (
            "#[cfg_attr(all(), a, b(c), d = \"e\",)] fn f() {}",
            "#[a]#[b(c)]#[d=\"e\"]fnf(){}\n",
        ),
        (
            "#[cfg_attr(all(), cfg_attr(any(), a), cfg_attr(unix, b, c), d)] fn f() {}",
            "#[b]#[c]#[d]fnf(){}\n",
        ),
        ("#[cfg_attr(all(),)] fn f() {}", "fnf(){}\n"),
        (
            "#[cfg_attr(all(), cfg(any()))] fn f() {} fn g() {}",
            "fng(){}\n",
        ),
        ("#[cfg_attr(any(), cfg(any()))] fn f() {}", "fnf(){}\n"),
        ("#[cfg_attr(unknown, cfg(any()))] fn f() {}", "fnf(){}\n"),
        ("mod m { #![cfg_attr(all(), a, b)] }", "modm{}\n"),
        (
            "fn f() { #![cfg_attr(all(), a, b)] #[cfg_attr(any(), c)] let x = 1; }",
            "fnf(){#![a]#![b]letx=1;}\n",
        ),
        (
            "#[cfg_attr(all(), a)] mod m { fn f() {} }",
            "#[a]modm{}\nfnf(){}\n",
        ),
    ];
    for (text, expected) in table {
        assert_eq!(texts(text), expected, "{text}");
    }
}

#[test]
fn places_behind_what_is_left_out_are_the_files() {
    let text = "\u{feff}#[cfg_attr(all(), one, two)]\nfn f(#[cfg(any())] ä: u8, b: u8) {\r\n #[cfg(any())] let ö = 1; let here = cfg!(any()) && there; }";
    let (db, file) = one(text);
    let item = item(&db, file, ItemKind::Function, "f");
    let normalised = item_text(&db, item);
    let map = token_map(&db, file);
    for word in ["one", "two", "fn", "b:", "here", "there", "}"] {
        let start = u32::try_from(normalised.text.find(word).expect(word)).unwrap();
        let end = start + u32::try_from(word.len()).unwrap();
        let (from, to) = map.range(normalised.span(start, end)).unwrap();
        assert_eq!(&text[from as usize..to as usize], word);
        assert_eq!(map.offset_in(item, from), Some(start), "{word}");
    }
    let gone = u32::try_from(text.find('ö').unwrap()).unwrap();
    assert_eq!(map.item_at(gone), None);
}

#[test]
fn broken_conditions_leave_everything_in() {
    for text in [
        "#[cfg(any()",
        "#[cfg(any())]",
        "#[cfg(any())] }",
        "#[cfg(any())] let",
        "fn f() { #[cfg(any())] }",
        "fn f() { cfg!( }",
        "fn f() { cfg!(any() }",
        "#[cfg_attr(all(), ",
        "#[cfg_attr] fn f() {}",
        "#[cfg] fn f() {}",
        "fn cfg() { cfg; cfg::cfg!(); x!(cfg!(any())) }",
        "// cfg\n/* cfg(any()) */ #[doc = \"cfg(any())\"] fn f() {}",
        "#![cfg(any())",
    ] {
        let (db, file) = one(text);
        let _ = crate::items::file_items(&db, file);
        let _ = file_functions(&db, file);
    }
    assert_eq!(
        functions("// cfg\n/* cfg(any()) */ #[doc = \"cfg(any())\"] fn f() { cfg; }"),
        "f"
    );
}

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
