//! Texts and paths that nobody would give on purpose: words on standard error, exit codes, and no partial files.

use super::*;

const FORMATS: [&str; 6] = ["human", "markdown", "json", "trace", "svg", "html"];

#[test]
fn broken_texts_make_nothing_fail() {
    let text = kernel("dot_product");
    let mut texts = vec![String::new(), "\u{feff}".to_owned(), "}}}}".to_owned()];
    // Cut off at thirty places, and without some of its characters.
    for part in 1..30 {
        let at = (text.len() * part / 30..)
            .find(|at| text.is_char_boundary(*at))
            .unwrap();
        texts.push(text[..at].to_owned());
    }
    for gone in ['}', '>', '!', ';', ','] {
        texts.push(text.replacen(gone, "", 3));
        texts.push(text.replace(gone, ""));
    }
    texts.push(text.replace("X = 2048", "X = 18446744073709551615"));
    texts.push(text.replace("X = 2048", "X = 0"));
    texts.push(text.replace("X / 16", "X / 0"));
    texts.push(text.replace("1 << 13", "1 << 63"));
    texts.push(text.replace("1 << 13", "u64::MAX"));
    let names: Vec<String> = (0..texts.len())
        .map(|index| format!("f{index}.rs"))
        .collect();
    let files: Vec<_> = names
        .iter()
        .map(String::as_str)
        .zip(texts.iter().map(String::as_bytes))
        .collect();
    let folder = folder_with(&files);
    for format in FORMATS {
        let stages: &[&str] = if format == "human" {
            &["--stages"]
        } else {
            &[]
        };
        let output = cost(&folder, &[&[".", "--format", format], stages].concat());
        assert_code(&output, 0);
        assert!(!stderr(&output).contains("panic"), "{}", stderr(&output));
        assert!(!output.stdout.is_empty());
    }
}

#[test]
fn line_ends_and_other_scripts_change_places_but_no_cycles() {
    let plain = kernel("dot_product");
    let other = plain
        .replace("left", "leftä")
        .replace("fn dot", "fn 점곱")
        .replace('\n', "\r\n");
    let folder = folder_with(&[
        ("a.rs", plain.as_bytes()),
        ("b.rs", format!("\u{feff}{other}").as_bytes()),
    ]);
    let document = cost_json(&folder, &["a.rs", "b.rs"]);
    let [one, two] = list(&document["kernels"]).as_slice() else {
        panic!("{document}");
    };
    assert_eq!(two["name"], "점곱");
    assert_eq!(two["operations"][0]["name"], "to_dm leftä");
    assert_eq!(one["cycles"], two["cycles"]);
    let line = |kernel: &Value| number(&kernel["operations"][3]["range"]["start"]["line"]);
    assert_eq!(line(one), line(two));
    for format in FORMATS {
        assert_code(&cost(&folder, &["b.rs", "--format", format]), 0);
    }
}

#[test]
fn what_cannot_be_read_or_written_has_words_and_exit_code_2() {
    let folder = folder_of("dot_product");
    let missing = cost(&folder, &["nowhere.rs"]);
    assert_code(&missing, 2);
    assert!(stderr(&missing).contains("nowhere.rs"));
    std::fs::write(folder.path().join("latin.rs"), b"// \xe9\nfn f() {}\n").unwrap();
    assert_code(&cost(&folder, &["latin.rs"]), 2);
    for arguments in [
        &["k.rs", "--format", "pdf"][..],
        &["k.rs", "--jobs", "0"],
        &["k.rs", "--config", "none.toml"],
        &["k.rs", "--frobnicate"],
        &["k.rs", "--output-file", "no/such/folder/out.json"],
        &["k.rs", "--output-file", "."],
    ] {
        let output = cost(&folder, arguments);
        assert_code(&output, 2);
        assert!(!stderr(&output).is_empty());
    }
    let left: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn an_answer_goes_to_a_file_whole_or_not_at_all() {
    let folder = folder_of("dot_product");
    let printed = cost(&folder, &["k.rs", "--format", "json"]);
    let output = cost(
        &folder,
        &["k.rs", "--format", "json", "--output-file", "out.json"],
    );
    assert_code(&output, 0);
    assert!(output.stdout.is_empty());
    let path = folder.path().join("out.json");
    assert_eq!(visa_tests::read(&path), stdout(&printed));
    // A run that fails leaves the file as it was.
    let failed = cost(
        &folder,
        &[
            "k.rs",
            "--kernel",
            "none",
            "--format",
            "json",
            "--output-file",
            "out.json",
        ],
    );
    assert_code(&failed, 2);
    assert_eq!(visa_tests::read(&path), stdout(&printed));
}

#[test]
fn standard_input_has_a_cost_too() {
    let folder = folder_with(&[]);
    let text = kernel("dot_product");
    let arguments = ["cost", "-", "--stdin-filename", "in.rs", "--format", "json"];
    let output = run_with_input(folder.path(), &arguments, text.as_bytes());
    assert_code(&output, 0);
    let document = json(&output);
    assert_eq!(document["kernels"][0]["file"], "in.rs");
    assert_eq!(document["kernels"][0]["cycles"]["sub"], 512);
}
