//! The formats that other programs draw: traces, schedules of the public viewer, SVG. Each is held against the JSON of the
//! same kernels.

use std::collections::{BTreeMap, BTreeSet};

use quick_xml::Reader;
use quick_xml::events::Event;

use super::*;

#[test]
fn traces_hold_the_operations_and_the_memory() {
    let folder = folder_of("double_buffer");
    let trace = json(&cost(&folder, &["k.rs", "--format", "trace"]));
    let document = cost_json(&folder, &["k.rs"]);
    let kernel = &document["kernels"][0];
    let time = word(&trace["otherData"]["time"]);
    assert!(
        time.contains("one microsecond of the trace is one cycle"),
        "{time}"
    );
    let events = list(&trace["traceEvents"]);
    // What every event of the format has.
    for event in events {
        assert!(event["name"].is_string() && event["pid"].is_u64() && event["tid"].is_u64());
        match word(&event["ph"]) {
            "M" => assert!(event["args"].is_object()),
            "X" => assert!(event["ts"].is_u64() && event["dur"].is_u64()),
            "C" => assert!(event["ts"].is_u64() && event["args"]["bytes"].is_u64()),
            other => panic!("an event {other}"),
        }
    }
    let of = |phase: &str| {
        let events = events.iter().filter(|event| event["ph"] == phase);
        events.collect::<Vec<_>>()
    };
    let names = of("M").into_iter();
    let tracks: BTreeMap<u64, &str> = names
        .filter(|event| event["name"] == "thread_name")
        .map(|event| (number(&event["tid"]), word(&event["args"]["name"])))
        .collect();
    let drawn = of("X");
    let operations = list(&kernel["operations"]);
    assert_eq!(drawn.len(), operations.len());
    for (event, row) in drawn.into_iter().zip(operations) {
        assert_eq!(
            (&event["name"], &event["ts"], &event["dur"]),
            (&row["name"], &row["start"], &row["cycles"])
        );
        let track = match word(&row["context"]) {
            "main" => "main context",
            "sub" => "sub context",
            _ => "tensor DMA",
        };
        assert_eq!(tracks[&number(&event["tid"])], track);
    }
    for (counter, key) in [
        ("DM of a slice", "dm_bytes"),
        ("TRF of a slice", "trf_bytes"),
    ] {
        let counts: Vec<u64> = of("C")
            .into_iter()
            .filter(|event| event["name"] == counter)
            .map(|event| number(&event["args"]["bytes"]))
            .collect();
        assert_eq!(counts.last(), Some(&0), "{counter}: all is free at the end");
        let most = counts.iter().max().copied().unwrap();
        assert_eq!(kernel["peak"][key], most, "{counter}");
    }
}

fn schedule_schema() -> jsonschema::Validator {
    let path = repository().join("tests/schemas/schedule-viewer-0.3.0.json");
    jsonschema::validator_for(&serde_json::from_str(&visa_tests::read(&path)).unwrap()).unwrap()
}

#[test]
fn schedules_are_what_the_viewer_reads() {
    let schema = schedule_schema();
    let mut checked = 0;
    for path in visa_tests::rust_files(&repository().join("fixtures/kernels")) {
        let folder = folder_with(&[("k.rs", visa_tests::read(&path).as_bytes())]);
        let document = cost_json(&folder, &["k.rs", "--effort", "0"]);
        for kernel in list(&document["kernels"]) {
            let name = word(&kernel["name"]);
            if kernel["cycles"]["total"].is_null() {
                continue;
            }
            let output = cost(&folder, &["k.rs", "--kernel", name, "--format", "schedule"]);
            assert_code(&output, 0);
            let schedule = json(&output);
            let errors: Vec<_> = schema
                .iter_errors(&schedule)
                .map(|error| error.to_string())
                .collect();
            assert!(errors.is_empty(), "{name}: {errors:?}");
            matches_schedule(kernel, &schedule);
            checked += 1;
        }
    }
    assert!(checked > 30, "{checked}");
    // The schema does refuse something.
    assert!(
        !schema.is_valid(&serde_json::json!({"title": "Plan", "instructions": [], "tensors": []}))
    );
}

fn matches_schedule(kernel: &Value, schedule: &Value) {
    assert_eq!(schedule["total_memory"], 268_435_456);
    assert_eq!(schedule["page_size"], 16_777_216);
    let operations = list(&kernel["operations"]);
    let instructions = list(&schedule["instructions"]);
    assert_eq!(operations.len(), instructions.len());
    let indices: BTreeSet<_> = instructions.iter().map(|one| word(&one["index"])).collect();
    assert_eq!(indices.len(), instructions.len(), "unique");
    let mut lives: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for (row, instruction) in operations.iter().zip(instructions) {
        let life = &instruction["lifetime"];
        assert_eq!((&life["begin"], &life["end"]), (&row["start"], &row["end"]));
        let contexts: Vec<_> = list(&instruction["contexts"]).iter().map(word).collect();
        let expected = match word(&row["context"]) {
            "main" => (vec!["MainContext", "VectorEngine"], "Main"),
            "sub" => (vec!["SubContext"], "Sub"),
            // The context of both DMA engines.
            _ if contexts == ["PcieDmaEngine"] => (vec!["PcieDmaEngine"], "Dma"),
            _ => (vec!["DmaEngine"], "Dma"),
        };
        assert_eq!(contexts, expected.0);
        assert!(word(&instruction["tpe"]).starts_with(expected.1));
        let start = &row["range"]["start"];
        let place = format!(
            "--> {}:{}:{}\n\n",
            word(&row["file"]),
            start["line"],
            start["column"]
        );
        let description = word(&instruction["description"]);
        assert!(description.starts_with(&place), "{description}");
        assert!(description.contains("\n\npredicted: "), "{description}");
        // The source is the whole statement: what it reads and where it writes.
        let source = &description[place.len()..];
        assert!(source.contains(" . ") || source.contains('('), "{source}");
        let touched = ["input_tensors", "output_tensors"];
        for tensor in touched.iter().flat_map(|key| list(&instruction[*key])) {
            let (begin, end) = (number(&row["start"]), number(&row["end"]));
            let life = lives.entry(tensor.to_string()).or_insert((begin, end));
            *life = (life.0.min(begin), life.1.max(end));
        }
    }
    for tensor in list(&schedule["tensors"]) {
        let index = word(&tensor["index"]);
        let life = &tensor["lifetime"];
        assert_eq!(
            Some(&(number(&life["begin"]), number(&life["end"]))),
            lives.get(index),
            "from the first operation that touches it to the last: {tensor}"
        );
        let row = &kernel["memory"][index.parse::<usize>().unwrap()];
        let kind = match word(&row["tier"]) {
            "dm" => "Sram",
            "trf" => "Trf",
            _ => "Vrf",
        };
        assert_eq!(tensor["buffer_type"], kind);
        // All 512 slices together; a tensor of the TRF always has the same size.
        assert_eq!(number(&tensor["address"]), 512 * place(row));
        let size = if kind == "Trf" {
            16_777_216
        } else {
            512 * number(&row["bytes"])
        };
        assert_eq!(number(&tensor["size"]), size);
    }
}

#[test]
fn a_schedule_is_of_one_kernel() {
    let folder = folder_of("loops");
    let output = cost(&folder, &["k.rs", "--format", "schedule"]);
    assert_code(&output, 2);
    assert!(
        stderr(&output).contains("choose with `--kernel` among: alternate_halves, ping_pong"),
        "{}",
        stderr(&output)
    );
    let none = folder_with(&[("k.rs", b"fn f() {}\n")]);
    let output = cost(&none, &["k.rs", "--format", "schedule"]);
    assert_code(&output, 2);
    assert!(stderr(&output).contains("there is no kernel"));
}

/// The elements of an XML text by name, with their attributes; fails where it is not well formed.
fn elements(text: &str) -> Vec<(String, BTreeMap<String, String>)> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().enable_all_checks(true);
    let mut found = Vec::new();
    let mut depth = 0_u32;
    loop {
        let event = reader
            .read_event()
            .unwrap_or_else(|error| panic!("{error}: {text}"));
        let (start, opens) = match event {
            Event::Start(start) => (start, true),
            Event::Empty(start) => (start, false),
            Event::End(_) => {
                depth -= 1;
                continue;
            }
            Event::Text(text) => {
                text.decode().unwrap();
                continue;
            }
            Event::Eof => break,
            _ => continue,
        };
        depth += u32::from(opens);
        let attributes = start.attributes().map(|attribute| {
            let attribute = attribute.unwrap();
            let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
            (text(attribute.key.as_ref()), text(&attribute.value))
        });
        let name = String::from_utf8(start.name().as_ref().to_vec()).unwrap();
        found.push((name, attributes.collect()));
    }
    assert_eq!(depth, 0);
    found
}

#[test]
fn pictures_are_well_formed_and_have_a_mark_an_operation() {
    let folder = folder_with(&[
        ("a&b <\"'>.rs", kernel("dot_product").as_bytes()),
        ("loops.rs", kernel("loops").as_bytes()),
    ]);
    let text = stdout(&cost(&folder, &[".", "--format", "svg"]));
    let elements = elements(&text);
    assert_eq!(elements[0].0, "svg");
    assert_eq!(
        elements[0].1.get("xmlns").map(String::as_str),
        Some("http://www.w3.org/2000/svg")
    );
    assert!(text.contains("prefers-color-scheme:dark"));
    assert!(text.contains("a&amp;b &lt;"), "{text}");
    let document = cost_json(&folder, &["."]);
    let kernels = list(&document["kernels"]);
    let count = |class: &str| {
        let marks = elements.iter().filter(|(name, attributes)| {
            name == "rect" && attributes.get("class").is_some_and(|other| other == class)
        });
        marks.count()
    };
    for context in ["main", "sub", "dma"] {
        let operations = kernels
            .iter()
            .flat_map(|kernel| list(&kernel["operations"]));
        let expected = operations.filter(|row| row["context"] == context).count();
        assert_eq!(count(context), expected, "{context}");
    }
    for tier in ["dm", "trf", "vrf"] {
        let cells = kernels.iter().flat_map(|kernel| list(&kernel["memory"]));
        let expected = cells.filter(|row| row["tier"] == tier).count();
        assert_eq!(count(&format!("cell {tier}")), expected, "{tier}");
    }
    // Nothing is drawn beside the picture.
    let size = |key: &str| elements[0].1[key].parse::<f64>().unwrap();
    for (name, attributes) in elements.iter().filter(|(name, _)| name == "rect") {
        let of = |key: &str| {
            attributes
                .get(key)
                .map_or(0.0, |text| text.parse().unwrap())
        };
        assert!(
            of("x") + of("width") <= size("width") + 0.5
                && of("y") + of("height") <= size("height") + 0.5,
            "{name} {attributes:?}"
        );
    }
}

#[test]
fn bars_stand_where_the_cycles_say() {
    let folder = folder_of("dot_product");
    let text = stdout(&cost(&folder, &["k.rs", "--format", "svg"]));
    let elements = elements(&text);
    let of = |class: &str| {
        let marks = elements
            .iter()
            .filter(|(_, attributes)| attributes.get("class").is_some_and(|other| other == class));
        let places = marks.map(|(_, attributes)| {
            let read = |key: &str| attributes[key].parse::<f64>().unwrap();
            (read("x"), read("width"))
        });
        places.collect::<Vec<_>>()
    };
    let document = cost_json(&folder, &["k.rs"]);
    let kernel = &document["kernels"][0];
    let total = number(&kernel["cycles"]["total"]) as f64;
    let (left, width) = of("row")[0];
    let rows = list(&kernel["operations"]).iter();
    let expected = rows.filter(|row| row["context"] == "dma").map(|row| {
        let cycle = |key: &str| number(&row[key]) as f64 / total * width;
        (left + cycle("start"), cycle("cycles"))
    });
    for ((x, wide), (expected_x, expected_width)) in of("dma").into_iter().zip(expected) {
        assert!((x - expected_x).abs() < 0.01 && (wide - expected_width).abs() < 0.01);
    }
}

/// The texts of an SVG's marks of a class, words of titles left out.
fn written(text: &str, class: &str) -> Vec<String> {
    let start = format!("{class}\" ");
    let marks = text
        .lines()
        .filter(|line| line.starts_with("<text class=\"") && line.contains(&start));
    let words = marks.map(|line| {
        line.split_once('>')
            .unwrap()
            .1
            .strip_suffix("</text>")
            .unwrap()
    });
    words.map(str::to_owned).collect()
}

#[test]
fn every_tensor_of_a_picture_is_named() {
    for name in [
        "dot_product",
        "double_buffer",
        "loops",
        "reductions",
        "norms",
    ] {
        let folder = folder_of(name);
        let document = cost_json(&folder, &["k.rs"]);
        let text = stdout(&cost(&folder, &["k.rs", "--format", "svg"]));
        let named = written(&text, "tensor").join(", ");
        let named: BTreeSet<&str> = named
            .split(", ")
            .map(|name| name.trim_start_matches("too narrow for a name: "))
            .collect();
        let memory = list(&document["kernels"])
            .iter()
            .flat_map(|kernel| list(&kernel["memory"]));
        let tensors: BTreeSet<&str> = memory
            .filter(|row| ["dm", "trf", "vrf"].contains(&word(&row["tier"])))
            .map(|row| word(&row["tensor"]))
            .collect();
        assert!(
            tensors.is_subset(&named),
            "{name}: {named:?}, not {tensors:?}"
        );
    }
}

/// The object that is written in a page.
fn in_page(page: &str) -> Value {
    let data = page
        .split("<script type=\"application/json\" id=\"cost\">")
        .nth(1);
    let data = data
        .and_then(|rest| rest.split("</script>").next())
        .unwrap();
    assert!(!data.contains('<'), "{data}");
    serde_json::from_str(data).unwrap()
}

#[test]
fn a_page_holds_what_the_json_says_and_the_source() {
    let folder = folder_of("double_buffer");
    let page = stdout(&cost(&folder, &["k.rs", "--format", "html"]));
    assert!(page.starts_with("<!DOCTYPE html>"));
    let document = in_page(&page);
    let json = cost_json(&folder, &["k.rs"]);
    // The page leaves out what no view reads, and has the tables of operations beside them.
    let mut own = document["kernels"][0]["cost"].clone();
    for operation in own["operations"].as_array_mut().unwrap() {
        let members = operation.as_object_mut().unwrap();
        let table = number(&members.remove("table").unwrap());
        let table = &document["kernels"][0]["tables"][usize::try_from(table).unwrap()];
        members.extend(table.as_object().unwrap().clone());
    }
    assert_part(&own, &json["kernels"][0], "cost");
    assert_eq!(
        list(&own["operations"]).len(),
        list(&json["kernels"][0]["operations"]).len()
    );
    let assumptions = &document["assumptions"];
    let assumes = list(&document["kernels"][0]["assumes"]).iter();
    let assumes = assumes.map(|at| word(&assumptions[usize::try_from(number(at)).unwrap()]));
    let said = list(&json["kernels"][0]["assumptions"]).iter();
    assert_eq!(
        assumes.collect::<BTreeSet<_>>(),
        said.map(word).collect::<BTreeSet<_>>()
    );
    let total = visa_analysis::thousands(number(&json["kernels"][0]["cycles"]["total"]));
    assert!(
        word(&document["kernels"][0]["words"]).starts_with(&format!("{total} cycles by the book"))
    );
    assert_eq!(document["kernels"][0]["map"]["kernel"], "two_layers");
    assert!(!list(&document["kernels"][0]["map"]["free"]).is_empty());
    // Each line is that of the file, and each line with an operation is there.
    let [source] = list(&document["kernels"][0]["sources"]).as_slice() else {
        panic!("{document}");
    };
    assert_eq!(source["file"], "k.rs");
    let text = kernel("double_buffer");
    let lines: BTreeMap<u64, &str> = list(&source["lines"])
        .iter()
        .map(|line| (number(&line["number"]), word(&line["text"])))
        .collect();
    for (number, line) in &lines {
        assert_eq!(
            text.lines().nth(usize::try_from(*number).unwrap() - 1),
            Some(*line)
        );
    }
    for row in list(&json["kernels"][0]["operations"]) {
        let line = number(&row["range"]["start"]["line"]);
        assert!(lines.contains_key(&line), "{line}");
    }
}

/// That a value is another one with members left out.
fn assert_part(part: &Value, whole: &Value, at: &str) {
    match (part, whole) {
        (Value::Object(members), Value::Object(all)) => {
            for (name, member) in members {
                let other = all.get(name).unwrap_or_else(|| panic!("{at}.{name}"));
                assert_part(member, other, &format!("{at}.{name}"));
            }
        }
        (Value::Array(items), Value::Array(all)) => {
            assert_eq!(items.len(), all.len(), "{at}");
            for (item, other) in items.iter().zip(all) {
                assert_part(item, other, at);
            }
        }
        _ => assert_eq!(part, whole, "{at}"),
    }
}

#[test]
fn a_page_of_sixteen_kernels_with_loops_is_below_a_megabyte() {
    let text = kernel("loops");
    let names: Vec<String> = (0..16).map(|number| format!("k{number}.rs")).collect();
    let files: Vec<(&str, &[u8])> = names
        .iter()
        .map(|name| (name.as_str(), text.as_bytes()))
        .collect();
    let folder = folder_with(&files);
    let options = ["--kernel", "ping_pong", "--format", "html", "--effort", "0"];
    let page = stdout(&cost(&folder, &[&["."][..], &options].concat()));
    let document = in_page(&page);
    assert_eq!(list(&document["kernels"]).len(), 16);
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
    // What all of them assume is there once.
    let assumptions = list(&document["assumptions"]);
    let all: BTreeSet<&str> = assumptions.iter().map(word).collect();
    assert_eq!(all.len(), assumptions.len());
    for assumption in assumptions {
        assert_eq!(
            page.matches(&assumption.to_string()).count(),
            1,
            "{assumption}"
        );
    }
}

#[test]
fn a_proposal_of_a_page_has_its_change_as_a_diff() {
    let folder = folder_of("double_buffer");
    let page = stdout(&cost(&folder, &["k.rs", "--format", "html"]));
    let document = in_page(&page);
    let json = cost_json(&folder, &["k.rs"]);
    let kernel = &json["kernels"][0];
    let pair = &kernel["searched"]["pair"];
    let pair = (!pair.is_null()).then_some(pair);
    let proposals: Vec<&Value> = list(&kernel["proposals"]).iter().chain(pair).collect();
    let changes = list(&document["kernels"][0]["changes"]);
    assert_eq!(changes.len(), proposals.len());
    let lines = |change: &str, sign: char| -> Vec<String> {
        let lines = change.lines().skip(2);
        let lines = lines.filter(|line| line.starts_with([sign, ' ']));
        lines.map(|line| line[1..].to_owned()).collect()
    };
    let text = super::kernel("double_buffer");
    for (change, proposal) in changes.iter().zip(&proposals) {
        let Some(change) = change.as_str() else {
            assert!(list(&proposal["edits"]).is_empty(), "{proposal}");
            continue;
        };
        assert!(change.starts_with("--- k.rs\n+++ k.rs\n@@ "), "{change}");
        let new = edited(&text, list(&proposal["edits"]));
        // Each line of the diff is one of the old or the new text, and something differs.
        for (sign, whole) in [('-', &text), ('+', &new)] {
            for line in lines(change, sign) {
                assert!(whole.lines().any(|other| other == line), "{line}");
            }
        }
        assert!(
            change
                .lines()
                .skip(2)
                .any(|line| line.starts_with(['-', '+']))
        );
    }
}

/// A text with edits, applied from its end.
fn edited(text: &str, edits: &[Value]) -> String {
    let mut edits: Vec<&Value> = edits.iter().collect();
    edits.sort_by_key(|edit| std::cmp::Reverse(number(&edit["start_byte"])));
    let mut text = text.to_owned();
    for edit in edits {
        let byte = |name: &str| usize::try_from(number(&edit[name])).unwrap();
        text.replace_range(byte("start_byte")..byte("end_byte"), word(&edit["text"]));
    }
    text
}

#[test]
fn text_of_sources_ends_no_element_of_a_page() {
    let evil = "// </script><script>alert(1)</script><!-- \u{2028} &lt;\n#[device";
    let text = kernel("dot_product")
        .replacen("#[device", evil, 1)
        .replace("fn dot(", "fn 점곱(");
    let folder = folder_with(&[("<b>&.rs", text.as_bytes())]);
    let page = stdout(&cost(&folder, &[".", "--format", "html"]));
    assert_eq!(page.matches("</script>").count(), 2);
    assert!(
        !page.contains("<b>&") && !page.contains("alert(1)</"),
        "{page}"
    );
    let document = in_page(&page);
    assert_eq!(document["kernels"][0]["cost"]["name"], "점곱");
    let lines = list(&document["kernels"][0]["sources"][0]["lines"]).iter();
    let wanted = evil.lines().next().unwrap();
    assert!(
        lines.into_iter().any(|line| line["text"] == wanted),
        "{document}"
    );
}
