//! What the program says about the cost of kernels: the formats agree with each other and with arithmetic by hand, what is
//! unknown has no number, and nothing that is given makes it fail without words.

use super::*;

/// Shipped kernels by the name of their file.
fn kernel(name: &str) -> String {
    visa_tests::read(
        &repository()
            .join("fixtures/kernels/right")
            .join(format!("{name}.rs")),
    )
}

fn folder_of(name: &str) -> TempDir {
    let text = kernel(name);
    assert!(text.contains("#[device"), "{name}");
    folder_with(&[("k.rs", text.as_bytes())])
}

fn cost(folder: &TempDir, more: &[&str]) -> Output {
    // The figures of these tests are the book's; the search for remedies has its own.
    let effort: &[&str] = if more.contains(&"--effort") {
        &[]
    } else {
        &["--effort", "0"]
    };
    run(
        folder.path(),
        &[&["cost", "--model", "book"], effort, more].concat(),
    )
}

#[track_caller]
fn cost_json(folder: &TempDir, more: &[&str]) -> Value {
    let output = cost(folder, &[&["--format", "json"], more].concat());
    assert_code(&output, 0);
    json(&output)
}

#[test]
fn both_models_are_told_and_the_schedule_is_the_default() {
    let folder = folder_of("dot_product");
    let human = |more: &[&str]| stdout(&run(folder.path(), &[&["cost", "k.rs"], more].concat()));
    let (chosen, book) = (human(&[]), human(&["--model", "book"]));
    let json = json(&run(folder.path(), &["cost", "k.rs", "--format", "json"]));
    let cycles = &json["kernels"][0]["cycles"];
    let calibrated = &cycles["calibrated"];
    let number = |value: &Value| visa_analysis::thousands(value.as_u64().unwrap());
    let by_schedule = format!(
        "{} cycles by the schedule model of 0.5.1 ({} to {})",
        number(&calibrated["total"]),
        number(&calibrated["low"]),
        number(&calibrated["high"])
    );
    let total = number(&cycles["total"]);
    let first = |text: &str| text.lines().next().unwrap_or_default().to_owned();
    assert!(
        first(&chosen).ends_with(&format!("{by_schedule}, {total} by the book")),
        "{chosen}"
    );
    let start = format!("{total} cycles by the book, ");
    assert!(first(&book).contains(&start), "{book}");
    assert!(chosen.contains(
        "calibrated on 29 operations of 0.5.1, 49 of 0.6.0 and 45 of 0.8.1: median error "
    ));
    assert!(!book.contains("calibrated on"), "{book}");
    assert_eq!(calibrated["basis"], "schedule 0.5.1");
    // The sub context's pass into the TRF: 2,048 bf16 at 8 bytes a cycle, and 263.
    let rows = list(&json["kernels"][0]["operations"]);
    let row = rows
        .iter()
        .find(|row| row["name"] == "to_trf right")
        .unwrap();
    assert_eq!(
        (&row["cycles"], &row["calibrated"]["cycles"]),
        (&512.into(), &775.into())
    );
    assert_eq!(row["calibrated"]["class"], "sub_trf");
    let settings = folder.path().join("visa-lint.toml");
    std::fs::write(settings, "model = \"book\"\n").unwrap();
    assert_eq!(human(&[]), book);
}

fn list(value: &Value) -> &Vec<Value> {
    value
        .as_array()
        .unwrap_or_else(|| panic!("no list: {value}"))
}

fn number(value: &Value) -> u64 {
    value
        .as_u64()
        .unwrap_or_else(|| panic!("no number: {value}"))
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}"))
}

/// An operation's cycles in one engine.
fn engine(operation: &Value, name: &str) -> u64 {
    let engines = list(&operation["stages"]).iter();
    let mut engines = engines.filter(|engine| engine["engine"] == name);
    number(&engines.next().unwrap()["cycles"])
}

mod broken;
mod budgets;
mod compare;
mod limits;
mod many;
mod pictures;
mod proposals;
mod unknown;
mod validate;

#[test]
fn json_has_the_documented_shape_and_the_figures_of_the_book() {
    let folder = folder_of("dot_product");
    let document = cost_json(&folder, &["k.rs"]);
    assert_eq!(document["version"], 1);
    let kernel = &document["kernels"][0];
    assert_eq!(
        (
            &kernel["name"],
            &kernel["file"],
            &kernel["chips"],
            &kernel["unresolved"]
        ),
        (
            &"dot".into(),
            &"k.rs".into(),
            &1.into(),
            &Value::from([0; 0])
        )
    );
    let operations = list(&kernel["operations"]);
    let summary: Vec<_> = operations
        .iter()
        .map(|row| {
            (
                number(&row["id"]),
                word(&row["name"]),
                word(&row["context"]),
            )
        })
        .collect();
    assert_eq!(
        summary,
        [
            (0, "to_dm left", "dma"),
            (1, "to_dm right", "dma"),
            (2, "to_trf right", "sub"),
            (3, "commit sum", "main"),
            (4, "to_hbm sum", "dma"),
        ]
    );
    // 2,048 bf16 are 4,096 bytes: the main context fetches 32 a cycle, the sub context 8, and both collect flits of 32. A
    // transfer into one slice passes one DMN at 128 bytes a cycle, 500 cycles after its start.
    assert_eq!(engine(&operations[3], "fetch"), 128);
    assert_eq!(engine(&operations[3], "collect"), 128);
    assert_eq!(engine(&operations[2], "fetch"), 512);
    assert_eq!(operations[2]["cycles"], 512);
    assert_eq!(engine(&operations[0], "write"), 32);
    assert_eq!(operations[0]["cycles"], 532);
    assert_eq!(operations[0]["bottleneck"], "write");
    // The two loads follow each other, and the sub context needs the second one.
    assert_eq!(operations[1]["start"], 532);
    assert_eq!(operations[2]["start"], 1064);
    assert_eq!(operations[2]["waits_for"], Value::from([1]));
    assert_eq!(operations[3]["reads"], Value::from(["left", "right"]));
    assert_eq!(operations[3]["writes"], Value::from(["sum"]));
    assert_eq!(kernel["cycles"]["sub"], 512);
    assert_eq!(kernel["cycles"]["overlap"], 0);
    // Two vectors of 2,048 bf16 and a sum of one go through HBM, 1,536 bytes a cycle; 2,048 products of bf16 are fewer than the
    // 512 slices with 8 rows of 32 make in one cycle. What the last transfer needs begins with the load of an operand.
    let path: u64 = [1, 2, 3, 4]
        .iter()
        .map(|row| number(&operations[*row]["cycles"]))
        .sum();
    let (busy, total) = (
        |context: &str| number(&kernel["cycles"][context]),
        number(&kernel["cycles"]["total"]),
    );
    let of_total = format!("busy, of {} cycles", visa_analysis::thousands(total));
    let bar = |bound: &str, name: &str, cycles: u64, detail: &str| serde_json::json!({"bound": bound, "name": name, "cycles": cycles, "detail": detail});
    assert_eq!(
        kernel["roofline"],
        serde_json::json!({
            "hbm_bytes": 2 * 4096 + 2,
            "hbm_bytes_a_cycle": 1536,
            "hbm_cycles": 6,
            "multiply_accumulates": 2048,
            "multiply_accumulates_a_cycle": {"bf16": 512 * 8 * 32},
            "multiply_accumulate_cycles": 1,
            "critical_path_cycles": path,
            "bars": [
                bar("hbm", "HBM's bandwidth", 6, "8,194 bytes at 1,536 a cycle"),
                bar("multiply_accumulates", "multiply-accumulates", 1, "2,048 at 131,072 bf16 a cycle"),
                bar("main", "main context", busy("main"), &of_total),
                bar("sub", "sub context", 512, &of_total),
                bar("tensor_dma", "tensor DMA", busy("dma"), &of_total),
                bar("critical_path", "dependency chain", path, "operations that need each other's bytes"),
            ],
            "binds": "tensor_dma",
            "binds_words": format!("tensor DMA {} %", 100 * busy("dma") / total),
            "sentence": kernel["roofline"]["sentence"],
        })
    );
    assert!(word(&kernel["roofline"]["sentence"]).starts_with("The tensor DMA binds: "));
    // Both operands are in DM while the sub context reads one of them.
    assert_eq!(kernel["peak"]["dm_bytes"], 8192);
    assert_eq!(kernel["peak"]["vrf_bytes"], 0);
    let dm: Vec<_> = list(&kernel["memory"])
        .iter()
        .filter(|row| row["tier"] == "dm")
        .map(|row| {
            (
                word(&row["tensor"]),
                number(&row["address"]),
                number(&row["bytes"]),
            )
        })
        .collect();
    assert_eq!(
        dm,
        [("left", 0, 4096), ("right", 8192, 4096), ("sum", 16384, 16)]
    );
    for row in operations {
        let place = &row["range"]["start"];
        let text = visa_tests::read(&folder.path().join("k.rs"));
        let method = &text[number(&place["byte"]) as usize..];
        assert!(
            method.starts_with("to_") || method.starts_with("begin"),
            "{}",
            &method[..20]
        );
        for engine in list(&row["stages"]) {
            assert!(
                !word(&engine["formula"]).is_empty() && !word(&engine["heading"]).is_empty(),
                "{engine}"
            );
        }
    }
}

/// Everything a schedule promises, checked against its own operations, for all shipped kernels.
#[test]
fn schedules_add_up() {
    let folder = repository();
    let output = run(
        &folder,
        &[
            "cost",
            "fixtures/kernels",
            "--format",
            "json",
            "--effort",
            "0",
        ],
    );
    assert_code(&output, 0);
    let document = json(&output);
    let kernels = list(&document["kernels"]);
    let known = kernels
        .iter()
        .filter(|kernel| !kernel["cycles"]["total"].is_null());
    let mut count = 0;
    for kernel in known {
        count += 1;
        adds_up(kernel);
    }
    assert!(count > 30, "{count} of {} have a total", kernels.len());
}

fn adds_up(kernel: &Value) {
    let name = word(&kernel["name"]);
    let operations = list(&kernel["operations"]);
    let total = number(&kernel["cycles"]["total"]);
    let ends = operations.iter().map(|row| number(&row["end"]));
    assert_eq!(ends.max().unwrap_or(0), total, "{name}");
    for context in ["main", "sub", "dma"] {
        let rows: Vec<_> = operations
            .iter()
            .filter(|row| row["context"] == context)
            .collect();
        let busy: u64 = rows.iter().map(|row| number(&row["cycles"])).sum();
        assert_eq!(number(&kernel["cycles"][context]), busy, "{name} {context}");
        let idle = list(&kernel["idle"]).iter();
        let idle: u64 = idle
            .filter(|pause| pause["context"] == context)
            .map(|pause| number(&pause["end"]) - number(&pause["start"]))
            .sum();
        assert!(
            rows.is_empty() || (busy + idle).is_multiple_of(total.max(1)),
            "{name} {context}: {busy} and {idle} of {total}"
        );
    }
    for row in operations {
        let (start, end) = (number(&row["start"]), number(&row["end"]));
        assert_eq!(end - start, number(&row["cycles"]), "{name}: {row}");
        for other in list(&row["waits_for"]) {
            let other = &operations[number(other) as usize];
            assert!(number(&other["end"]) <= start, "{name}: {row}");
        }
    }
    let path = list(&kernel["critical_path"]);
    let last = path
        .last()
        .map(|id| number(&operations[number(id) as usize]["end"]));
    assert_eq!(last.unwrap_or(0), total, "{name}");
    for (key, tier) in [("dm_bytes", "dm"), ("vrf_bytes", "vrf")] {
        assert_eq!(
            number(&kernel["peak"][key]),
            peak(kernel, tier),
            "{name} {tier}"
        );
    }
}

/// Where a tensor is, or is assumed to be where the compiler chooses.
fn place(row: &Value) -> u64 {
    let assumed = row.get("assumed_address");
    number(assumed.unwrap_or(&row["address"]))
}

/// The most bytes of a memory that are occupied at once, counting bytes that several tensors share once.
fn peak(kernel: &Value, tier: &str) -> u64 {
    let rows: Vec<_> = list(&kernel["memory"])
        .iter()
        .filter(|row| row["tier"] == tier)
        .zip(0_u64..)
        .map(|(row, index)| {
            let is_placed = row.get("assumed_address").is_some() || !row["address"].is_null();
            // Where the compiler puts it beside tensors with written addresses is not known, but that it shares no bytes.
            let from = if is_placed {
                place(row)
            } else {
                (index + 1) << 40
            };
            let bytes = from..from + number(&row["bytes"]);
            (number(&row["from"])..number(&row["to"]), bytes)
        })
        .collect();
    let at = |cycle: u64| {
        let present = rows.iter().filter(|(life, _)| life.contains(&cycle));
        let mut bytes: Vec<_> = present.map(|(_, bytes)| bytes.clone()).collect();
        bytes.sort_by_key(|bytes| bytes.start);
        let (mut covered, mut end) = (0, 0);
        for bytes in bytes {
            covered += bytes.end.saturating_sub(bytes.start.max(end));
            end = end.max(bytes.end);
        }
        covered
    };
    rows.iter()
        .map(|(life, _)| at(life.start))
        .max()
        .unwrap_or(0)
}

/// Where the library chooses addresses, no tensor has one, and each that is alive has a place that no other shares.
#[test]
fn tensors_that_the_compiler_places_have_assumed_addresses() {
    // Both copies are alive when the second is made; each takes 8 times 4 bytes a slice.
    let text = b"use furiosa_opt_std::prelude::*;
axes![G = 2048];
#[device(chip = 1)]
fn keep(device: &mut Device, x: &HbmTensor<i32, m![1], m![G]>) -> (HbmTensor<i32, m![1], m![G]>, HbmTensor<i32, m![1], m![G]>) {
    let one: DmTensor<i32, m![1], m![1 # 2], m![G / 8], m![G % 8]> = x.to_dm(&mut device.tdma);
    let two: DmTensor<i32, m![1], m![1 # 2], m![G / 8], m![G % 8]> = x.to_dm(&mut device.tdma);
    (one.to_hbm(&mut device.tdma), two.to_hbm(&mut device.tdma))
}
";
    let folder = folder_with(&[("k.rs", text)]);
    let document = cost_json(&folder, &["--dialect", "opt-std@0.8"]);
    let kernel = &document["kernels"][0];
    let dm: Vec<&Value> = list(&kernel["memory"])
        .iter()
        .filter(|row| row["tier"] == "dm")
        .collect();
    let [one, two] = dm.as_slice() else {
        panic!("{document}");
    };
    for row in [one, two] {
        assert!(row["address"].is_null(), "{row}");
        assert_eq!(number(&row["bytes"]), 32);
    }
    assert_eq!(number(&one["assumed_address"]), 0);
    assert_eq!(number(&two["assumed_address"]), 32);
    let said = list(&kernel["assumptions"]).iter().map(word);
    assert!(
        said.into_iter()
            .any(|words| words.contains("first bytes that are free")),
        "{kernel}"
    );
}

#[test]
fn people_get_tables_with_loops_folded() {
    let folder = folder_of("loops");
    let output = cost(&folder, &["k.rs", "--kernel", "ping_pong"]);
    assert_code(&output, 0);
    let text = stdout(&output);
    assert!(text.starts_with("ping_pong (k.rs:"), "{text}");
    assert!(!text.contains("alternate_halves"), "{text}");
    for words in [
        "operation",
        "to_dm x x8",
        "commit raised x8",
        "to_hbm_view raised x8",
        "(read after write of block)",
        "busy: main ",
        "idle main: ",
        "overlap: ",
        // Two buffers of 8 by 8 i32 are 256 bytes each; the raised block is beside the one that was loaded.
        "DM 512 bytes",
    ] {
        assert!(text.contains(words), "no {words:?} in\n{text}");
    }
    assert!(!text.contains('\u{1b}'), "colours in a pipe");
    let colored = cost(&folder, &["k.rs", "--color", "always"]);
    assert!(stdout(&colored).contains("\u{1b}[1m"));
}

#[test]
fn json_says_where_statements_and_tensors_stand() {
    let folder = folder_of("double_buffer");
    let kernel = &cost_json(&folder, &["k.rs"])["kernels"][0];
    let text = self::kernel("double_buffer");
    let at = |range: &Value| {
        let byte = |end: &str| number(&range[end]["byte"]) as usize;
        text[byte("start")..byte("end")].to_owned()
    };
    let operations = list(&kernel["operations"]);
    let pass = &operations[3];
    assert_eq!(at(&pass["range"]), "begin");
    let statement = at(&pass["statement"]);
    assert!(statement.starts_with("let first: TrfTensor"), "{statement}");
    assert!(
        statement.ends_with(".to_trf(TrfAddress::FirstHalf);"),
        "{statement}"
    );
    let last = at(&operations[8]["statement"]);
    assert!(last.starts_with("high.view()"), "{last}");
    for tensor in list(&kernel["memory"]) {
        assert_eq!(tensor["file"], "k.rs");
        assert_eq!(at(&tensor["range"]), word(&tensor["tensor"]));
    }
}

#[test]
fn stages_show_the_stream_of_each_pass() {
    let folder = folder_of("dot_product");
    assert!(!stdout(&cost(&folder, &["k.rs"])).contains("packet"));
    let text = stdout(&cost(&folder, &["k.rs", "--stages"]));
    let head = text.lines().find(|line| line.contains("packet")).unwrap();
    let titles: Vec<_> = head.split_whitespace().collect();
    assert_eq!(
        titles,
        [
            "stage", "type", "slice", "time", "packet", "steps", "bytes", "flits", "way", "cycles"
        ]
    );
    let align = text
        .lines()
        .find(|line| line.trim_start().starts_with("align"))
        .unwrap();
    // 2,048 elements, 32 of them in 64 bytes and two flits: 64 steps.
    for cell in ["bf16", "[X / 32]", "[X % 32]", " 64 "] {
        assert!(align.contains(cell), "no {cell:?} in {align}");
    }
}

#[test]
fn a_kernel_that_does_not_exist_is_a_mistake_that_names_those_that_do() {
    let folder = folder_of("loops");
    let output = cost(&folder, &["k.rs", "--kernel", "pingpong"]);
    assert_code(&output, 2);
    let words = stderr(&output);
    assert!(
        words.contains("`pingpong`") && words.contains("alternate_halves, ping_pong"),
        "{words}"
    );
    let none = folder_with(&[("k.rs", b"fn f() {}\n")]);
    assert_code(&cost(&none, &["k.rs"]), 0);
    assert_eq!(
        stdout(&cost(&none, &["k.rs"])),
        "no kernel: no function has `#[device]`\n"
    );
    assert_eq!(cost_json(&none, &["k.rs"])["kernels"], Value::from([0; 0]));
    assert_code(&cost(&none, &["k.rs", "--kernel", "f"]), 2);
}

#[test]
fn two_runs_print_the_same_bytes() {
    let folder = repository();
    for format in ["human", "markdown", "json", "trace", "svg", "html"] {
        // Some candidates show whether their order depends on the threads.
        let arguments = [
            "cost",
            "fixtures/kernels/right",
            "fixtures/kernels/current/cache",
            "fixtures/kernels/current/quantised",
            "--format",
            format,
        ];
        let searches = ["human", "markdown", "json", "html"].contains(&format);
        let effort: &[&str] = if searches { &["--effort", "2"] } else { &[] };
        let arguments = [&arguments[..], effort].concat();
        let one = run(&folder, &[&arguments[..], &["--jobs", "1"]].concat());
        assert_code(&one, 0);
        let two = run(&folder, &[&arguments[..], &["--jobs", "8"]].concat());
        assert!(one.stdout == two.stdout, "{format}");
    }
    // What is searched is the same, too.
    let arguments = [
        "cost",
        "fixtures/violations/hbm_partial_write/wrong.rs",
        "--format",
        "markdown",
        "--effort",
        "20",
    ];
    let one = run(&folder, &[&arguments[..], &["--jobs", "1"]].concat());
    assert_code(&one, 0);
    let two = run(&folder, &[&arguments[..], &["--jobs", "8"]].concat());
    let words = stdout(&one);
    assert!(
        one.stdout == two.stdout
            && words.contains("Would save most:")
            && words.contains("- savings do not add up")
            && words.contains("- searched "),
        "{words}"
    );
}

#[test]
fn costs_as_json_name_the_files_that_could_not_be_read() {
    let folder = folder_with(&[]);
    let output = run(folder.path(), &["cost", "nowhere.rs", "--format", "json"]);
    assert_code(&output, 2);
    let document = json(&output);
    assert_eq!(document["kernels"], serde_json::json!([]));
    let errors = document["errors"].as_array().unwrap();
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(
        errors[0]
            .as_str()
            .unwrap()
            .starts_with("cannot read `nowhere.rs`")
    );
}
