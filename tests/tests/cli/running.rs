//! `visa-lint run`: numbers by hand arithmetic, exit codes, files, formats, and inputs that are wrong.

use visa_analysis::arrays::{Arithmetic, Array, ElementKind, FileValues, read_npy, written_npy};
use visa_analysis::find_run_rule;
use visa_tests::read;

use super::*;

/// Adds 1 to each element, and stores the sum once.
const PLUS_ONE: &str = "\
use furiosa_opt_std::prelude::*;

axes![S = 64, K = 8];

type Chip = m![1];

#[device(chip = 1, pe = 1)]
pub fn plus_one(device: &mut Device, x: &HbmTensor<f32, Chip, m![S, K]>) -> HbmTensor<f32, Chip, m![S, K]> {
    let x: DmTensor<f32, Chip, m![1], m![S], m![K]> = x.to_dm(&mut device.tdma);
    let y: DmTensor<f32, Chip, m![1], m![S], m![K]> = device
        .main
        .begin(x.view())
        .fetch::<m![1], m![K]>()
        .collect::<m![1], m![K]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_clip(ClipBinaryOpF32::Add, 1.0)
        .vector_final()
        .commit_trim::<m![K]>()
        .commit();
    y.to_hbm(&mut device.tdma)
}
";

fn folder() -> TempDir {
    folder_with(&[("k.rs", PLUS_ONE.as_bytes())])
}

fn save(folder: &TempDir, name: &str, shape: &[usize], array: &Array) {
    let mut bytes = Vec::new();
    written_npy(&mut bytes, shape, array).unwrap();
    std::fs::write(folder.path().join(name), bytes).unwrap();
}

/// 0, 1, 2, … of 64 rows and 8 columns.
fn counting() -> Array {
    Array::F32((0..512).map(|number| number as f32).collect())
}

fn load(folder: &TempDir, name: &str) -> (Vec<usize>, FileValues) {
    let file = std::fs::File::open(folder.path().join(name)).unwrap();
    let array = read_npy(file, 1 << 20).unwrap();
    (array.shape, array.values)
}

fn lint_run(folder: &TempDir, arguments: &[&str]) -> Output {
    run(folder.path(), &[&["run"], arguments].concat())
}

#[test]
fn numbers_are_those_of_arithmetic_and_files_have_them() {
    let folder = folder();
    save(&folder, "x.npy", &[64, 8], &counting());
    let given = [
        "k.rs::plus_one",
        "--input",
        "x.npy",
        "--outputs",
        "out",
        "--mask",
        "m.npy",
    ];
    let output = lint_run(&folder, &given);
    assert_code(&output, 0);
    let (shape, values) = load(&folder, "out/result.npy");
    let expected: Vec<f32> = (1..=512).map(|number| number as f32).collect();
    assert_eq!((shape, values), (vec![64, 8], FileValues::F32(expected)));
    for mask in ["out/result.defined.npy", "m.npy"] {
        let bytes = std::fs::read(folder.path().join(mask)).unwrap();
        assert!(bytes.ends_with(&[1; 512]), "{mask}");
    }
    assert!(
        stdout(&output).contains("all 512 elements defined"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn json_has_outputs_findings_and_numbers() {
    let folder = folder();
    let output = lint_run(&folder, &["k.rs", "--json", "--outputs", "out"]);
    assert_code(&output, 0);
    let document = json(&output);
    let result = &document["outputs"][0];
    assert_eq!(result["name"], "result");
    assert_eq!(result["dtype"], "f32");
    assert_eq!(result["shape"], serde_json::json!([64, 8]));
    assert_eq!(
        (&result["undefined"], &result["stale"]),
        (&0.into(), &0.into())
    );
    assert_eq!(
        result["file"],
        format!("out{}result.npy", std::path::MAIN_SEPARATOR)
    );
    assert_eq!(document["findings"], serde_json::json!([]));
    assert_eq!(document["numbers"]["wrapped"], 0);
}

#[test]
fn a_seed_repeats_and_another_one_differs() {
    let folder = folder();
    let result = |seed: &str| {
        let output = lint_run(&folder, &["k.rs", "--seed", seed, "--output", "y.npy"]);
        assert_code(&output, 0);
        load(&folder, "y.npy").1
    };
    assert_eq!(result("7"), result("7"));
    assert_ne!(result("7"), result("8"));
}

#[test]
fn each_wrong_kernel_of_the_pages_has_its_finding_and_each_right_one_has_none() {
    for name in ["run_undefined", "run_stale", "run_error"] {
        let rule = find_run_rule(name).unwrap();
        let folder = folder_with(&[
            ("wrong.rs", rule.wrong.as_bytes()),
            ("right.rs", rule.right.as_bytes()),
        ]);
        let output = lint_run(&folder, &["wrong.rs", "--json"]);
        assert_code(&output, 1);
        let document = json(&output);
        assert_eq!(document["findings"][0]["rule"], name, "{document}");
        let output = lint_run(&folder, &["right.rs", "--json"]);
        assert_code(&output, 0);
    }
    // Three of the four places of `X`, with 64 times 16 elements each.
    let rule = find_run_rule("run_undefined").unwrap();
    let folder = folder_with(&[("wrong.rs", rule.wrong.as_bytes())]);
    let document = json(&lint_run(&folder, &["wrong.rs", "--json"]));
    let found = &document["findings"][0];
    assert_eq!(found["count"], 3 * 64 * 16, "{found}");
    let first = serde_json::json!([
        {"axis": "X", "at": 1}, {"axis": "S", "at": 0}, {"axis": "K", "at": 0}
    ]);
    assert_eq!(found["first"], first, "{found}");
    assert_eq!(found["origin"]["kind"], "claimed_copy", "{found}");
    assert_eq!(
        found["origin"]["span"]["range"]["start"]["line"], 10,
        "{found}"
    );
    let words = stdout(&lint_run(&folder, &["wrong.rs"]));
    assert!(
        words.contains("run_undefined") && words.contains("wrong.rs:10"),
        "{words}"
    );
}

#[test]
fn another_function_and_a_file_are_compared() {
    let rule = find_run_rule("run_unequal").unwrap();
    let folder = folder_with(&[
        ("new.rs", rule.wrong.as_bytes()),
        ("old.rs", rule.right.as_bytes()),
        ("k.rs", PLUS_ONE.as_bytes()),
    ]);
    let output = lint_run(&folder, &["new.rs", "--against", "old.rs", "--json"]);
    assert_code(&output, 1);
    let document = json(&output);
    assert_eq!(document["findings"][0]["rule"], "run_unequal");
    assert_eq!(document["findings"][0]["count"], 512);
    assert_code(
        &lint_run(&folder, &["old.rs", "--against", "k.rs", "--seed", "1..3"]),
        0,
    );

    save(&folder, "x.npy", &[64, 8], &counting());
    let plus = |more: f32| Array::F32((0..512).map(|number| number as f32 + more).collect());
    save(&folder, "right.npy", &[64, 8], &plus(1.0));
    save(&folder, "near.npy", &[64, 8], &plus(1.001));
    let compared = |file: &str, more: &[&str]| {
        let given = ["k.rs", "--input", "x=x.npy", "--expect", file];
        lint_run(&folder, &[&given, more].concat())
    };
    assert_code(&compared("right.npy", &[]), 0);
    assert_code(&compared("near.npy", &[]), 1);
    assert_code(&compared("near.npy", &["--rtol", "1e-2"]), 0);
    assert_code(&compared("result=right.npy", &["--bits"]), 0);
    assert_code(&compared("other=right.npy", &[]), 2);
}

#[test]
fn what_does_not_run_ends_with_2_and_says_why() {
    let folder = folder();
    save(
        &folder,
        "short.npy",
        &[64, 4],
        &Array::zeros(ElementKind::F32, 256),
    );
    save(
        &folder,
        "whole.npy",
        &[64, 8],
        &Array::zeros(ElementKind::I32, 512),
    );
    std::fs::write(folder.path().join("text.npy"), "no array").unwrap();
    std::fs::write(
        folder.path().join("huge.npy"),
        b"\x93NUMPY\x02\x00\xff\xff\xff\x7f",
    )
    .unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    let cases: [(&[&str], &str); 11] = [
        (&["k.rs", "--input", "short.npy"], "(64, 4)"),
        (&["k.rs", "--input", "whole.npy"], "int32"),
        (&["k.rs", "--input", "text.npy"], "not a numpy file"),
        (&["k.rs", "--input", "huge.npy"], "too long"),
        (&["k.rs", "--input", "none.npy"], "`none.npy` is no input"),
        (&["k.rs", "--input", "y=short.npy"], "`y`"),
        (&["k.rs::other"], "other"),
        (&["none.rs"], "none.rs"),
        (&["k.rs", "--outputs", "file"], "not a folder"),
        (&["k.rs", "--max-memory", "100B"], "memory"),
        (&["k.rs", "--rtol", "1"], "nothing to compare"),
    ];
    for (given, words) in cases {
        let output = lint_run(&folder, given);
        assert_code(&output, 2);
        let said = stderr(&output);
        assert!(said.contains(words), "{given:?}: {said}");
    }
    assert_eq!(std::fs::read(folder.path().join("file")).unwrap(), b"");
}

#[test]
fn all_functions_run_and_other_formats_say_what_they_find() {
    let rule = find_run_rule("run_undefined").unwrap();
    let folder = folder_with(&[
        ("right.rs", PLUS_ONE.as_bytes()),
        ("wrong.rs", rule.wrong.as_bytes()),
    ]);
    let output = lint_run(&folder, &["--all", "right.rs"]);
    assert_code(&output, 0);
    assert!(
        stdout(&output).contains("1 function: 1 defined in all elements"),
        "{}",
        stdout(&output)
    );
    for (format, words) in [
        ("sarif", "\"ruleId\": \"run_undefined\""),
        ("sarif", "\"ruleIndex\": 0"),
        ("sarif", "\"id\": \"run_undefined\""),
        ("github", "::error file=wrong.rs"),
        ("junit", "run_undefined"),
        ("json", "\"run_undefined\""),
    ] {
        let output = lint_run(&folder, &["--all", "--format", format]);
        assert_code(&output, 1);
        assert!(
            stdout(&output).contains(words),
            "{format}: {}",
            stdout(&output)
        );
    }
    let empty = folder_with(&[("f.rs", b"fn f() {}")]);
    assert_code(&lint_run(&empty, &["--all"]), 2);
}

#[test]
fn pages_of_findings_are_explained() {
    let folder = folder();
    for rule in visa_analysis::RUN_RULES {
        let output = run(folder.path(), &["explain", rule.name]);
        assert_code(&output, 0);
        assert!(stdout(&output).contains(rule.summary));
    }
}

#[test]
fn float32_for_bf16_is_rounded_and_it_is_said() {
    let kernel = "\
use furiosa_opt_std::prelude::*;

axes![S = 64, K = 16];

type Chip = m![1];

#[device(chip = 1, pe = 1)]
pub fn moved(device: &mut Device, x: &HbmTensor<bf16, Chip, m![S, K]>) -> HbmTensor<bf16, Chip, m![K, S]> {
    x.to_hbm(&mut device.tdma)
}
";
    let folder = folder_with(&[("k.rs", kernel.as_bytes())]);
    let values: Vec<f32> = (0..1024)
        .map(|number| 1.0 + number as f32 / 1024.0)
        .collect();
    save(&folder, "x.npy", &[64, 16], &Array::F32(values.clone()));
    let output = lint_run(&folder, &["k.rs", "--input", "x.npy", "--output", "y.npy"]);
    assert_code(&output, 0);
    assert!(stdout(&output).contains("bf16"), "{}", stdout(&output));
    let (shape, found) = load(&folder, "y.npy");
    let rules = Arithmetic::NEWEST;
    let rounded = |value: f32| visa_analysis::arrays::casts::f32_to_bf16(value, rules);
    let turned = (0..1024).map(|place| rounded(values[place % 64 * 16 + place / 64]));
    assert_eq!(
        (shape, found),
        (vec![16, 64], FileValues::Words(turned.collect()))
    );
}

/// A function that names the padding of its argument, and one that keeps it.
const PADDED: &str = "\
use furiosa_opt_std::prelude::*;

axes![S = 64, R = 13, L = 16];

type Chip = m![1];

#[device(chip = 1, pe = 1)]
pub fn named(device: &mut Device, x: &HbmTensor<f32, Chip, m![S, R # 16]>) -> HbmTensor<f32, Chip, m![S, L]> {
    let y: HbmTensorView<'_, f32, Chip, m![S, L]> = unsafe { x.view().reshape() };
    y.to_hbm(&mut device.tdma)
}

#[device(chip = 1, pe = 1)]
pub fn kept(device: &mut Device, x: &HbmTensor<f32, Chip, m![S, R # 16]>) -> HbmTensor<f32, Chip, m![S, R # 16]> {
    x.to_hbm(&mut device.tdma)
}
";

/// Arguments without an option, and the option.
const OPTIONS: &[(&str, &str)] = &[
    ("k.rs --json", "--release 0.8"),
    ("k.rs", "--dialect opt-std@0.8"),
    ("k.rs", "--config settings.toml"),
    ("own/k.rs", "--isolated"),
    ("k.rs", "--language nki"),
    ("k.rs", "--quiet"),
    ("k.rs", "--numbers"),
    ("p.rs::kept", "--trace 15"),
    ("p.rs::named", "--padding zero"),
    ("p.rs::named --output y.npy", "--poison nan"),
    ("p.rs::kept --output y.npy", "--layout physical"),
    ("p.rs::kept", "--mask m.npy"),
    ("k.rs", "--max-memory 1KB"),
    ("list.rs", "--index-range 0..0"),
    (
        "k.rs --input minus_one.npy --expect minus_zero.npy",
        "--bits",
    ),
    ("k.rs --input minus_one.npy --expect half.npy", "--atol 1"),
    ("k.rs", "--model book"),
    ("k.rs", "--doc"),
];

#[test]
fn every_option_of_a_run_changes_something() {
    let list = read(&repository().join("fixtures/run/poison/index_within.rs"));
    for (without, more) in OPTIONS {
        let effect = |arguments: &str| {
            let folder = folder_with(&[
                ("k.rs", PLUS_ONE.as_bytes()),
                ("own/k.rs", PLUS_ONE.as_bytes()),
                ("own/visa-lint.toml", b"dialect = \"opt-std@0.8\"\n"),
                ("p.rs", PADDED.as_bytes()),
                ("list.rs", list.as_bytes()),
                ("settings.toml", b"dialect = \"opt-std@0.8\"\n"),
            ]);
            for (name, number) in [("minus_one", -1.0), ("minus_zero", -0.0), ("half", 0.5)] {
                let array = Array::F32(vec![number; 512]);
                save(&folder, &format!("{name}.npy"), &[64, 8], &array);
            }
            let arguments: Vec<&str> = arguments.split(' ').collect();
            let output = lint_run(&folder, &arguments);
            let files = ["y.npy", "m.npy"].map(|name| std::fs::read(folder.path().join(name)).ok());
            (
                output.status.code(),
                stdout(&output),
                stderr(&output),
                files,
            )
        };
        let both = format!("{without} {more}");
        assert_ne!(effect(without), effect(&both), "{both}");
    }
}
