//! Tests of rename: what changes, what is refused, and that every rename of the fixtures keeps all findings.

use crate::EditorQuestions as _;
use std::collections::BTreeMap;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use crate::catalogue::rules_that_are_on;
use crate::conditions::{CfgSetting, PackageFeatures, Truth};
use crate::names::testing::Marked;
use crate::report::FileEdit;
use crate::workspace::Workspace;

fn applied(files: &[(String, String)], edits: &[FileEdit]) -> Vec<(String, String)> {
    let mut texts: BTreeMap<String, String> = files.iter().cloned().collect();
    for edit in edits.iter().rev() {
        let text = texts.get_mut(&*edit.file).unwrap();
        text.replace_range(edit.start_byte as usize..edit.end_byte as usize, &edit.text);
    }
    texts.into_iter().collect()
}

/// The marked names change to `name`, and nothing else.
#[track_caller]
fn check(name: &str, files: &[(&str, &str)]) {
    let marked = Marked::new(files);
    let analysis = marked.analysis();
    let expected: Vec<FileEdit> = marked
        .marks
        .iter()
        .map(|mark| FileEdit {
            file: mark.file.clone(),
            start_byte: mark.range.start,
            end_byte: mark.range.end,
            text: name.to_owned(),
        })
        .collect();
    let (path, offset) = &marked.caret;
    let edits = analysis.rename(path, *offset, name).unwrap();
    assert_eq!(
        applied(&marked.files, &edits.unwrap()),
        applied(&marked.files, &expected)
    );
    for mark in &marked.marks {
        let edits = analysis.rename(&mark.file, mark.range.start, name).unwrap();
        let edits = edits.unwrap();
        assert_eq!(edits, expected, "asked at {}", marked.show(mark));
        let (range, old) = analysis
            .prepare_rename(&mark.file, mark.range.start)
            .unwrap()
            .unwrap();
        assert_eq!(range, mark.range);
        assert!(marked.show(mark).contains(&old));
    }
}

/// The rename is refused, with these words in the reason.
#[track_caller]
fn check_refused(name: &str, words: &str, files: &[(&str, &str)]) {
    let marked = Marked::new(files);
    let (path, offset) = &marked.caret;
    let refused = marked.analysis().rename(path, *offset, name).unwrap();
    let reason = refused.expect_err("the rename is refused").0;
    assert!(reason.contains(words), "{reason}");
}

#[test]
fn an_axis_changes_everywhere() {
    check(
        "Rows",
        &[
            (
                "a/src/lib.rs",
                "pub mod axes_; pub use axes_::«A»; type T = m![«$0A», { self::«A» }];",
            ),
            (
                "a/src/axes_.rs",
                "axes![«A» = 8]; const N: usize = «A»::SIZE; // A",
            ),
            (
                "b/src/lib.rs",
                "use a::«A» as B; use a::axes_::*; type T = m![«A», B]; fn f() { type A = u8; }",
            ),
        ],
    );
}

#[test]
fn an_alias_changes_everywhere() {
    check(
        "Place",
        &[(
            "kernel.rs",
            "axes![A = 8]; type «$0Tile» = m![A]; type U = m![{ «Tile» }]; fn f(x: Foo<«Tile»>) -> «Tile» { g!(«Tile», x.Tile); const Tile: usize = 3; }",
        )],
    );
    check(
        "Tile",
        &[("kernel.rs", "type «r#Box2» = m![2]; type U = m![«$0Box2»];")],
    );
}

#[test]
fn what_an_import_calls_an_axis_changes_where_the_import_is_seen() {
    check(
        "Rows",
        &[(
            "kernel.rs",
            "mod a { axes![A = 8]; } mod b { pub use super::a::A as «$0R»; type T = m![«R»]; } mod c { use super::b::*; type T = m![«R», { super::a::A }]; }",
        )],
    );
    check(
        "Rows",
        &[(
            "kernel.rs",
            "mod a { axes![A = 8]; } mod b { pub use super::a::A as «R»; type T = m![«$0R»]; } mod c { use super::a::A as R; type T = m![R]; } mod d { use super::b::«R»; type T = m![«R»]; }",
        )],
    );
}

#[test]
fn one_of_two_declarations_in_blocks_changes() {
    check(
        "C",
        &[(
            "kernel.rs",
            "axes![A = 4]; type T = m![A]; fn f() { axes![«$0A» = 8]; type T = m![«A»]; }",
        )],
    );
}

#[test]
fn another_dialect_allows_lower_case() {
    let text = "use furiosa_opt_std::prelude::*; axes![«A» = 8]; type T = m![«$0A»];";
    check("rows", &[("kernel.rs", text)]);
    let text = "axes![A = 8]; type T = m![$0A];";
    check_refused("rows", "upper-case letter", &[("kernel.rs", text)]);
    check(
        "rows",
        &[(
            "kernel.rs",
            "axes![A = 8]; type «T» = m![A]; type U = m![«$0T»];",
        )],
    );
}

#[test]
fn a_name_that_cannot_be_is_refused() {
    let text = "axes![A = 8]; type T = m![$0A];";
    for (name, words) in [
        ("", "not an identifier"),
        ("1", "not an identifier"),
        ("A B", "not an identifier"),
        (" B", "not an identifier"),
        ("B,", "not an identifier"),
        ("_", "not an identifier"),
        ("fn", "keyword"),
        ("Self", "keyword"),
        ("gen", "keyword"),
        ("r#B", "without `r#`"),
    ] {
        check_refused(name, words, &[("kernel.rs", text)]);
    }
}

#[test]
fn the_same_name_changes_nothing() {
    let marked = Marked::one("axes![$0A = 8];");
    let (path, offset) = &marked.caret;
    assert_eq!(
        marked
            .analysis()
            .rename(path, *offset, "A")
            .unwrap()
            .unwrap(),
        []
    );
}

#[test]
fn a_name_that_is_taken_where_it_would_stand_is_refused() {
    let refused = |words: &str, text: &str| check_refused("B", words, &[("kernel.rs", text)]);
    refused("an axis", "axes![A = 8, B = 4]; type T = m![$0A];");
    refused(
        "a type alias",
        "axes![A = 8]; type B = m![2]; type T = m![$0A];",
    );
    refused(
        "a constant",
        "axes![A = 8]; const B: usize = 4; type T = m![$0A];",
    );
    refused("a type", "axes![A = 8]; struct B; type T = m![$0A];");
    refused(
        "a generic parameter",
        "axes![A = 8]; fn f<B>(x: Foo<m![$0A, B]>) {}",
    );
    refused(
        "an axis",
        "axes![A = 8]; fn f() { axes![B = 2]; type T = m![$0A]; }",
    );
    refused(
        "an axis",
        "axes![$0A = 8]; mod c { use super::A; axes![B = 2]; }",
    );
    // A constant is no type: an alias may have its name.
    check(
        "B",
        &[(
            "kernel.rs",
            "const B: usize = 4; type «$0A» = m![4]; type U = m![«A»];",
        )],
    );
}

#[test]
fn a_name_that_the_renamed_one_would_catch_is_refused() {
    let refused = |text: &str| check_refused("B", "would come to mean", &[("kernel.rs", text)]);
    refused(
        "axes![B = 4]; fn f() { type T = m![B]; } mod i { axes![$0A = 8]; fn f() { type T = m![B]; } }",
    );
    refused("axes![$0A = 8]; fn f(B: usize) {}");
    refused("axes![$0A = 8]; fn f() { let B = 3; }");
}

#[test]
fn names_that_are_not_ours_are_refused() {
    let refused = |words: &str, text: &str| check_refused("X", words, &[("kernel.rs", text)]);
    let library = "use furiosa_visa_std::prelude::*; fn f(x: $0DmTensor<bf16, m![1]>) {}";
    refused("kernel library", library);
    refused(
        "outside of the project",
        "use elsewhere::A; type T = m![$0A];",
    );
    refused("nowhere in sight", "type T = m![$0A];");
    refused("only axes and type aliases", "fn f() { $0f(); }");
    refused("only axes and type aliases", "fn f() { $0 }");
    refused(
        "more than once",
        "#[cfg(a)] axes![$0A = 8]; #[cfg(b)] axes![A = 4];",
    );
}

#[test]
fn axes_of_one_name_and_size_are_one_where_they_meet() {
    // The helper's `A` is the kernel's `A` to the library: both have 8 positions.
    let kernel = "use furiosa_visa_std::prelude::*; mod helper; axes![$0A = 8];
        type S = m![1 # 256]; type C = m![1 # 2];
        #[device(chip = 1)] fn kernel(ctx: &mut Context, x: &HbmTensor<bf16, m![1], m![A]>) {
            let y: DmTensor<bf16, m![1], C, S, m![A]> = x.to_dm(&mut ctx.tdma, 0);
            helper::take(ctx, y);
        }";
    let helper = |axis: &str| {
        format!(
            "use furiosa_visa_std::prelude::*; axes![{axis}]; type S = m![1 # 256]; type C = m![1 # 2];
            pub fn take(ctx: &mut Context, y: DmTensor<bf16, m![1], C, S, m![A]>) {{
                let z: HbmTensor<bf16, m![1], m![A]> = y.to_hbm(&mut ctx.tdma, 0);
            }}"
        )
    };
    let files = |axis: &str| {
        [
            ("a/src/lib.rs", kernel.to_owned()),
            ("a/src/helper.rs", helper(axis)),
        ]
    };
    let same = files("A = 8");
    let same = same.each_ref().map(|(path, text)| (*path, text.as_str()));
    let marked = Marked::new(&same);
    let (path, offset) = &marked.caret;
    let edits = marked.analysis().rename(path, *offset, "Rows").unwrap();
    let reason = edits.expect_err("the helper's tensor would be another").0;
    assert!(reason.contains("one name and size"), "{reason}");
}

/// The findings and counts of all files, with places and without words.
fn findings(files: &[(String, String)]) -> Vec<String> {
    let mut workspace = Workspace::new();
    workspace.set_files(files.iter().map(|(path, text)| (&**path, &**text)));
    let report = workspace.analysis().check_all();
    let mut lines: Vec<String> = report
        .diagnostics
        .iter()
        .map(|found| format!("{}:{} {}", found.file, found.range.start.line, found.rule))
        .collect();
    lines.push(format!(
        "{} {}",
        report.operations.resolved, report.operations.unresolved
    ));
    lines
}

#[test]
fn every_rename_of_the_fixtures_keeps_all_findings() {
    let mut random = StdRng::seed_from_u64(5);
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut paths = Vec::new();
    let mut folders = vec![root];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                paths.push(path);
            }
        }
    }
    paths.sort();
    let (mut renamed, mut tried) = (0, 0);
    for _ in 0..60 {
        let path = &paths[random.random_range(0..paths.len())];
        let files = vec![(
            "kernel.rs".to_owned(),
            std::fs::read_to_string(path).unwrap(),
        )];
        let text = files[0].1.clone();
        let mut workspace = Workspace::new();
        workspace.set_files([("kernel.rs", text.as_str())]);
        let analysis = workspace.analysis();
        let names: Vec<u32> = (0..u32::try_from(text.len()).unwrap())
            .filter(|offset| {
                let before = text.as_bytes().get((*offset as usize).wrapping_sub(1));
                let here = text.as_bytes()[*offset as usize];
                here.is_ascii_uppercase()
                    && !before.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_')
            })
            .filter(|offset| {
                analysis
                    .prepare_rename("kernel.rs", *offset)
                    .unwrap()
                    .is_ok()
            })
            .collect();
        if names.is_empty() {
            continue;
        }
        tried += 1;
        let offset = names[random.random_range(0..names.len())];
        // Some names are taken, most are not.
        let fresh = ["Renamed", "K", "Element", "Slice", "Q9"][random.random_range(0..5)];
        let Ok(edits) = analysis.rename("kernel.rs", offset, fresh).unwrap() else {
            continue;
        };
        assert!(!edits.is_empty() || text[offset as usize..].starts_with(fresh));
        renamed += 1;
        let after = applied(&files, &edits);
        assert_eq!(
            findings(&after),
            findings(&files),
            "{} at {offset} to {fresh}",
            path.display()
        );
    }
    assert!(renamed > 20, "{renamed} renames of {tried}");
}

/// The places that a rename at the caret of a file changes, where the workspace is told more.
fn renamed_with(text: &str, tell: impl FnOnce(&mut Workspace)) -> Result<Vec<(u32, u32)>, String> {
    let mut marked = Marked::one(text);
    tell(&mut marked.workspace);
    let (path, offset) = &marked.caret;
    let edits = marked.analysis().rename(path, *offset, "New").unwrap();
    let edits = edits.map_err(|refused| refused.0)?;
    let places = edits.iter().map(|edit| (edit.start_byte, edit.end_byte));
    Ok(places.collect())
}

/// Where a text has a word, as byte ranges.
fn places_of_word(text: &str, word: &str) -> Vec<(u32, u32)> {
    let found = text.match_indices(word);
    let byte = |at: usize| u32::try_from(at).unwrap();
    found
        .map(|(start, word)| (byte(start), byte(start + word.len())))
        .collect()
}

#[test]
fn code_that_cfg_leaves_out_refuses_no_rename() {
    let text = "axes![$0Old = 8]; #[cfg(other)] axes![New = 4]; type T = m![Old];";
    let own = places_of_word(&text.replace("$0", ""), "Old");
    let without = renamed_with(text, |_| {});
    assert!(without.is_err(), "declared twice: {without:?}");
    let setting = |on| CfgSetting {
        name: "other".into(),
        value: None,
        on,
    };
    let told = |on| {
        renamed_with(text, |workspace| {
            workspace.set_cfg([("kernel.rs", [setting(on)].into())]);
        })
    };
    assert_eq!(told(false), Ok(own));
    assert!(told(true).is_err(), "declared twice");
}

#[test]
fn a_feature_that_is_off_refuses_no_rename() {
    let text = "axes![$0Old = 8]; #[cfg(feature = \"wide\")] axes![New = 4]; type T = m![Old];";
    let own = places_of_word(&text.replace("$0", ""), "Old");
    let told = renamed_with(text, |workspace| {
        workspace.set_features(vec![PackageFeatures {
            root: "".into(),
            features: BTreeMap::from([("wide".into(), Truth::Off)]),
        }]);
    });
    assert_eq!(told, Ok(own));
}

#[test]
fn a_rule_that_is_off_refuses_no_rename() {
    // 8 is no multiple of 3, which a rule refuses. The two axes of 8 are one axis, so that the findings are compared.
    let text = "use furiosa_visa_std::prelude::*; mod a { axes![$0Old = 8]; type W = m![Old / 3]; } mod b { axes![New = 8]; }";
    let own = places_of_word(&text.replace("$0", ""), "Old");
    let told = renamed_with(text, |workspace| {
        workspace.set_enabled_rules(rules_that_are_on(|_, _| false), []);
    });
    assert_eq!(told, Ok(own));
}
