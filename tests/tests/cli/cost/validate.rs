//! `--validate`: our schedule against the compiler's.

use super::*;

/// What the command prints by the model of the schedules, which is the one that a compiler's schedule is compared with.
fn scheduled(folder: &TempDir, more: &[&str]) -> Output {
    run(folder.path(), &[&["cost", "k.rs"], more].concat())
}

/// The schedule that we predict of a kernel, in the format of the viewer.
fn predicted(folder: &TempDir) -> Value {
    json(&scheduled(
        folder,
        &["--effort", "0", "--format", "schedule"],
    ))
}

fn validated(folder: &TempDir, schedule: &Value) -> String {
    std::fs::write(
        folder.path().join("s.json"),
        schedule.to_string().as_bytes(),
    )
    .unwrap();
    let output = scheduled(folder, &["--validate", "s.json"]);
    assert_code(&output, 0);
    stdout(&output)
}

#[test]
fn our_own_schedule_has_no_errors() {
    let folder = folder_of("dot_product");
    let text = validated(&folder, &predicted(&folder));
    let rows = text.lines().filter(|line| line.starts_with("  +0.0 %"));
    let kernel = &cost_json(&folder, &["k.rs"])["kernels"][0];
    let operations = list(&kernel["operations"]).len();
    assert_eq!(rows.count(), operations, "{text}");
    assert!(!text.contains("not in the"), "{text}");
    // A line for each operation behind the names of the columns.
    let rows = text.split("(tab-separated)\n").nth(1).unwrap();
    let fields: Vec<usize> = rows.lines().map(|line| line.split('\t').count()).collect();
    assert_eq!(fields, vec![7; operations + 1], "{text}");
}

#[test]
fn the_operation_that_is_farthest_off_comes_first() {
    let folder = folder_of("dot_product");
    let mut schedule = predicted(&folder);
    let last = &mut schedule["instructions"][3]["lifetime"];
    let (begin, end) = (number(&last["begin"]), number(&last["end"]));
    last["end"] = Value::from(end + end - begin);
    // What no operation stands for.
    let mut sync = schedule["instructions"][0].clone();
    sync["tpe"] = Value::from("ExplicitSync");
    sync["index"] = Value::from("sync");
    sync["contexts"] = serde_json::json!(["PeCore"]);
    schedule["instructions"].as_array_mut().unwrap().push(sync);
    let text = validated(&folder, &schedule);
    // Behind the names of the columns.
    let mut lines = text
        .lines()
        .skip_while(|line| !line.trim_start().starts_with("error"));
    let first = lines.nth(1).unwrap();
    assert!(first.trim_start().starts_with("-50.0 %"), "{text}");
    assert!(
        text.contains("not in the kernel: instruction sync (ExplicitSync"),
        "{text}"
    );
}

#[test]
fn without_places_operations_follow_each_other_in_their_contexts() {
    let folder = folder_of("dot_product");
    let mut schedule = predicted(&folder);
    for instruction in schedule["instructions"].as_array_mut().unwrap() {
        instruction["description"] = Value::from("");
    }
    let text = validated(&folder, &schedule);
    assert!(!text.contains("not in the"), "{text}");
    // One more transfer: nothing says which one it is.
    let more = schedule["instructions"][0].clone();
    schedule["instructions"].as_array_mut().unwrap().push(more);
    let text = validated(&folder, &schedule);
    assert!(text.contains("not in the schedule: 0 "), "{text}");
    assert!(text.contains("not in the kernel: "), "{text}");
}

#[test]
fn what_is_no_schedule_is_refused_with_the_reason() {
    let folder = folder_of("dot_product");
    let mut backward = predicted(&folder);
    backward["instructions"][0]["lifetime"]["end"] = Value::from(0);
    let mut titled = predicted(&folder);
    titled["title"] = Value::from("Plan");
    let mut empty = predicted(&folder);
    empty["instructions"] = serde_json::json!([]);
    for (text, words) in [
        (
            "{".to_owned(),
            "is not a schedule of `furiosa-schedule-viewer`",
        ),
        (
            "{\"title\": \"Schedule\"}".to_owned(),
            "missing field `instructions`",
        ),
        (titled.to_string(), "has the title `Plan`"),
        (backward.to_string(), "ends at 0 and begins at 1003"),
        (empty.to_string(), "has no instructions"),
    ] {
        std::fs::write(folder.path().join("s.json"), text.as_bytes()).unwrap();
        let output = scheduled(&folder, &["--validate", "s.json"]);
        assert_code(&output, 2);
        let error = stderr(&output);
        assert!(error.contains(words), "{words}: {error}");
    }
    let output = scheduled(&folder, &["--validate", "absent.json"]);
    assert_code(&output, 2);
    let output = scheduled(&folder, &["--validate", "s.json", "--format", "json"]);
    assert_code(&output, 2);
    assert!(stderr(&output).contains("`--validate` writes `human` alone"));
    let output = scheduled(&folder, &["--validate", "s.json", "--model", "book"]);
    assert_code(&output, 2);
    assert!(stderr(&output).contains("compares with the schedule model alone"));
}
