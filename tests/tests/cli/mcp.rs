//! The tools for coding agents over standard input and output: bad input, places outside of the workspace, large and broken texts,
//! calls at once and calls that are taken back.

mod client;

use serde_json::{Value, json};
use visa_tests::{read, repository};

use self::client::Client;

fn folder_with(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

fn faulty() -> String {
    read(&repository().join("tests/mcp/scale.rs"))
}

/// The kernel without its error, and as slow as before.
fn mended_slow() -> String {
    faulty().replacen("Mul0), 1.5", "Mul1), 1.5", 1)
}

fn mended() -> String {
    read(&repository().join("tests/mcp/mended.rs"))
}

#[test]
fn bad_requests_get_words_and_the_server_goes_on() {
    let folder = folder_with(&[("a.rs", &faulty())]);
    let mut client = Client::start(folder.path());
    let id = client.begin("chekc", &json!({}));
    let answer = client.answer(id);
    let words = answer["error"]["message"].as_str().unwrap_or_default();
    assert!(
        words.contains("`chekc`") && words.contains("check, compare, cost"),
        "{answer}"
    );
    let bad = [
        (
            "check",
            json!({ "pth": "a.rs" }),
            "`check` has no argument `pth`; it takes `dialect`, `limit`, `offset`, `path` and `text`",
        ),
        (
            "check",
            json!({ "path": 1 }),
            "`path` is `1`; it takes a string",
        ),
        ("check", json!({ "limit": -1 }), "`limit` is `-1`"),
        ("check", json!({ "path": "b.rs" }), "`b.rs`"),
        (
            "check",
            json!({ "path": "a.rs", "dialect": "opt-std" }),
            "`dialect` goes with `text`",
        ),
        (
            "check",
            json!({ "text": "", "dialect": "opt-std@9x" }),
            "9x",
        ),
        (
            "cost",
            json!({ "kernel": "nothing" }),
            "no kernel is called `nothing`; there are: scale",
        ),
        (
            "cost",
            json!({ "compare_to": "no-such-revision" }),
            "no-such-revision",
        ),
        ("fix", json!({ "ids": [] }), "empty"),
        ("fix", json!({ "ids": ["f0"] }), "no change `f0`"),
        ("fix", json!({ "ids": ["f0"], "path": "a.rs" }), "either"),
        ("what_if", json!({}), "edits"),
        ("run", json!({ "path": "none.rs" }), "no sources"),
        (
            "run",
            json!({ "path": "a.rs", "index_range": [5, 1] }),
            "larger number first",
        ),
        ("compare", json!({ "path": "a.rs" }), "compare_to"),
        ("what_if", json!({ "edits": [] }), "1 to"),
        (
            "what_if",
            json!({ "edits": [{ "path": "a.rs", "old": "x" }] }),
            "either",
        ),
        (
            "what_if",
            json!({ "edits": [{ "path": "a.rs", "old": "no such text", "new": "" }] }),
            "does not occur",
        ),
        (
            "what_if",
            json!({ "edits": [{ "path": "a.rs", "old": "device", "new": "" }] }),
            "times",
        ),
        (
            "stages",
            json!({ "path": "a.rs", "line": 1_000 }),
            "there is no line 1000: the file has",
        ),
        ("stages", json!({ "path": "a.rs", "line": 0 }), "line 0"),
        (
            "stages",
            json!({ "path": "a.rs", "operation": 99 }),
            "no operation 99",
        ),
        (
            "stages",
            json!({ "path": "Cargo.lock" }),
            "not a source file",
        ),
        (
            "free_addresses",
            json!({ "path": "a.rs", "memory": "hbm" }),
            "hbm",
        ),
        ("map", json!({ "expr": "A +", "axes": "A = 8" }), "explain"),
        (
            "map",
            json!({ "expr": "A", "axes": "A = 8", "from": 8 }),
            "there are 8",
        ),
        (
            "map",
            json!({ "expr": "A", "axes": "A = 8", "positions": 257 }),
            "256",
        ),
        (
            "sequence",
            json!({ "buffer": "A", "axes": "A = 8", "element_type": "f7" }),
            "f7",
        ),
        (
            "sequence",
            json!({ "buffer": "A", "axes": "A = 8", "mode": "push" }),
            "push",
        ),
        ("explain", json!({ "text": " " }), "empty"),
        ("explain", json!({ "text": "alu_resue" }), "alu_reuse"),
        ("explain", json!({ "text": "ALU_REUSE" }), "`alu_reuse`?"),
        ("rules", json!({ "group": "nothing" }), "there are: "),
        ("suggest", json!({ "effort": 1_000_000 }), "at most 2000"),
    ];
    for (tool, arguments, words) in bad {
        let said = client.refused(tool, &arguments);
        assert!(said.contains(words), "{tool} {arguments}: {said}");
    }
    // A file name that no system takes: in short, and without the place of the folder.
    let said = client.refused("check", &json!({ "path": "x".repeat(5_000) }));
    let place = folder.path().canonicalize().unwrap();
    assert!(!said.contains(place.to_str().unwrap()), "{said}");
    assert!(said.chars().count() < 2_100, "{said}");
    let id = client.request(
        "tools/call",
        &json!({ "name": "check", "arguments": ["a.rs"] }),
    );
    let answer = client.answer(id);
    let words = answer["error"]["message"].as_str().unwrap_or_default();
    assert!(words.contains("`arguments`, an object"), "{answer}");
    let axes = client.call(
        "map",
        &json!({ "expr": "m![A # 16]", "axes": "axes![A = 8];" }),
    );
    assert_eq!(axes["size"], 16, "{axes}");
    // What is no message at all is passed over, or answered with an error without an id.
    client.send("{\"jsonrpc\": \"2.0\", \"id\": ");
    client.send("no JSON");
    let checked = client.call("check", &json!({}));
    assert_eq!(checked["counts"]["deny"], 1, "{checked}");
    assert_eq!(client.end(), Some(0));
}

#[test]
fn nothing_outside_of_the_workspace_is_read_or_written() {
    let folder = folder_with(&[("in/a.rs", &faulty()), ("out/b.rs", &faulty())]);
    let (inner, outer) = (folder.path().join("in"), folder.path().join("out/b.rs"));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&outer, inner.join("link.rs")).unwrap();
        std::os::unix::fs::symlink(folder.path().join("out"), inner.join("linked")).unwrap();
    }
    let mut client = Client::start(&inner);
    let absolute = outer.to_str().unwrap();
    let mut places = vec![
        "../out/b.rs",
        "in/../../out/b.rs",
        absolute,
        "/etc/passwd",
        "..",
    ];
    if cfg!(unix) {
        places.extend(["link.rs", "linked/b.rs", "linked"]);
    }
    for path in places {
        let edit = json!([{ "path": path, "text": "" }]);
        for (tool, arguments) in [
            ("check", json!({ "path": path })),
            ("check", json!({ "path": path, "text": "fn f() {}" })),
            (
                "fix",
                json!({ "path": path, "include_unsafe": true, "apply": true }),
            ),
            ("cost", json!({ "path": path })),
            ("suggest", json!({ "path": path })),
            ("what_if", json!({ "edits": edit })),
            ("run", json!({ "path": path })),
            ("stages", json!({ "path": path })),
            ("free_addresses", json!({ "path": path })),
        ] {
            let said = client.refused(tool, &arguments);
            let known = ["outside", "not a source file"]
                .iter()
                .any(|word| said.contains(word));
            assert!(known, "{tool} {path}: {said}");
        }
    }
    // All safe and unsafe fixes of the whole workspace leave what links lead to alone.
    let fixed = client.call("fix", &json!({ "include_unsafe": true, "apply": true }));
    assert_eq!(fixed["files"], json!(["a.rs"]), "{fixed}");
    assert_eq!(read(&outer), faulty());
    assert_ne!(read(&inner.join("a.rs")), faulty());
    let place = folder.path().canonicalize().unwrap();
    let checked = client.call("check", &json!({})).to_string();
    assert!(!checked.contains(place.to_str().unwrap()), "{checked}");
    assert_eq!(client.end(), Some(0));
}

#[test]
fn what_changes_on_disk_is_seen_and_what_is_tried_is_not_kept() {
    let folder = folder_with(&[("a.rs", &faulty())]);
    let file = folder.path().join("a.rs");
    let mut client = Client::start(folder.path());
    let deny = |client: &mut Client| client.call("check", &json!({}))["counts"]["deny"].clone();
    assert_eq!(deny(&mut client), 1);
    std::fs::write(&file, mended()).unwrap();
    assert_eq!(deny(&mut client), 0);
    // Of the same length, at once after it.
    std::fs::write(&file, mended().replace("Mul1", "Mul0")).unwrap();
    assert_eq!(deny(&mut client), 1);
    std::fs::write(folder.path().join("b.rs"), faulty()).unwrap();
    assert_eq!(deny(&mut client), 2);
    std::fs::remove_file(folder.path().join("b.rs")).unwrap();
    std::fs::write(
        folder.path().join("visa-lint.toml"),
        "[levels]\nalu_reuse = \"allow\"\n",
    )
    .unwrap();
    assert_eq!(deny(&mut client), 0);
    std::fs::write(folder.path().join("visa-lint.toml"), "[levles]\n").unwrap();
    let checked = client.call("check", &json!({}));
    assert!(
        checked["problems"].to_string().contains("levles"),
        "{checked}"
    );
    std::fs::remove_file(folder.path().join("visa-lint.toml")).unwrap();

    let edit =
        json!([{ "path": "a.rs", "text": mended() }, { "path": "new.rs", "text": faulty() }]);
    let tried = client.call("what_if", &json!({ "edits": edit }));
    assert_eq!(
        (&tried["before"]["deny"], &tried["after"]["deny"]),
        (&json!(1), &json!(1)),
        "{tried}"
    );
    assert_eq!(
        tried["new_findings"][0]["places"],
        json!(["new.rs:20:27"]),
        "{tried}"
    );
    assert_eq!(tried["gone"].as_array().map(Vec::len), Some(1), "{tried}");
    assert_eq!(deny(&mut client), 1);
    assert!(!folder.path().join("new.rs").exists());
    let text = client.call("check", &json!({ "path": "a.rs", "text": mended() }));
    assert_eq!(text["counts"]["deny"], 0, "{text}");
    assert_eq!(deny(&mut client), 1);
    assert_eq!(client.end(), Some(0));
}

#[test]
fn broken_foreign_and_huge_texts_are_answered() {
    let foreign = faulty()
        .replace("scale(", "점곱(")
        .replace("let y:", "/* ü𝄞 */ let 값:")
        .replace("y.to_hbm", "값.to_hbm");
    let folder = folder_with(&[("broken.rs", "fn f( { axes![A = \n"), ("점.rs", &foreign)]);
    let mut client = Client::start(folder.path());
    let checked = client.call("check", &json!({}));
    assert!(
        checked["problems"]
            .to_string()
            .contains("`broken.rs` does not parse"),
        "{checked}"
    );
    assert_eq!(
        checked["findings"][1]["places"],
        json!(["점.rs:20:27"]),
        "{checked}"
    );
    let costs = client.call("cost", &json!({ "kernel": "점곱" }));
    assert_eq!(costs["kernels"][0]["at"], "점.rs:9:8", "{costs}");
    let stages = client.call(
        "stages",
        &json!({ "path": "점.rs", "line": 13, "column": 14 }),
    );
    assert_eq!(
        stages["operations"].as_array().map(Vec::len),
        Some(1),
        "{stages}"
    );
    let huge = "// ä\n".repeat(1 << 20);
    let said = client.refused("check", &json!({ "text": huge }));
    assert!(said.contains("the most that is checked is"), "{said}");
    // As much as is checked, nested as deeply as it goes.
    let nested = format!("axes![A = 8]; fn f() {{ {} }}", "(".repeat(1 << 20));
    let checked = client.call("check", &json!({ "text": nested }));
    assert_ne!(checked["problems"], json!([]), "{checked}");
    let said = client.refused(
        "map",
        &json!({ "expr": "(".repeat(100_000), "axes": "A = 8" }),
    );
    assert!(!said.contains("defect"), "{said}");
    let strange = json!({ "path": "\u{202e}x\n.rs", "text": "fn f() {}" });
    client.call("check", &strange);
    assert_eq!(client.end(), Some(0));
}

#[test]
fn calls_run_at_once_and_can_be_taken_back() {
    let folder = folder_with(&[("a.rs", &mended())]);
    let mut client = Client::start(folder.path());
    let trial = json!({ "edits": [{ "path": "a.rs", "text": faulty() }] });
    let ids: Vec<(u64, bool)> = (0..12)
        .map(|number| match number % 3 {
            0 => (client.begin("what_if", &trial), false),
            _ => (client.begin("check", &json!({})), true),
        })
        .collect();
    for (id, check) in ids {
        let answer = client.answer(id);
        let content = &answer["result"]["structuredContent"];
        let counts = if check {
            &content["counts"]
        } else {
            &content["after"]
        };
        // No call sees what another one tries.
        assert_eq!(counts["deny"], u64::from(!check), "{answer}");
    }
    let long = client.begin("suggest", &json!({ "effort": 2000 }));
    let search = json!({ "requestId": long, "reason": "no longer wanted" });
    client.notify("notifications/cancelled", &search);
    let checked = client.call("check", &json!({}));
    assert_eq!(checked["counts"]["deny"], 0, "{checked}");
    assert_eq!(client.end(), Some(0));
}

#[test]
fn answers_have_limits_and_say_how_much_more_there_is() {
    let files: Vec<(String, String)> = (0..30)
        .map(|number| {
            (
                format!("k{number:02}.rs"),
                faulty().replace("scale(", &format!("scale_{number}(")),
            )
        })
        .collect();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    let folder = folder_with(&files);
    let mut client = Client::start(folder.path());
    // Equal findings are one, with their count and the first places.
    let checked = client.call("check", &json!({}));
    let first = &checked["findings"][0];
    assert_eq!(
        (&first["rule"], &first["count"]),
        (&json!("alu_reuse"), &json!(30)),
        "{checked}"
    );
    assert_eq!(
        first["places"].as_array().map(Vec::len),
        Some(5),
        "{checked}"
    );
    let costs = client.call("cost", &json!({ "limit": 4, "offset": 24 }));
    assert_eq!(
        costs["kernels"].as_array().map(Vec::len),
        Some(4),
        "{costs}"
    );
    assert_eq!(costs["more"], 2, "{costs}");
    let fixed = client.call("fix", &json!({ "include_unsafe": true, "limit": 10 }));
    assert_eq!(fixed["files"].as_array().map(Vec::len), Some(30), "{fixed}");
    assert_eq!(
        fixed["diff"].as_str().unwrap().lines().count(),
        10,
        "{fixed}"
    );
    // A header of 2 lines, one of the place, 3 lines before and after, and the line that changes.
    assert_eq!(fixed["more"], 30 * (2 + 1 + 6 + 2) - 10, "{fixed}");
    let rules = client.call("rules", &json!({ "group": "hardware", "limit": 1 }));
    assert_eq!(rules["rules"].as_array().map(Vec::len), Some(1), "{rules}");
    assert!(rules["more"].as_u64().unwrap() > 10, "{rules}");
    assert_eq!(client.end(), Some(0));
}

#[test]
fn addresses_that_authors_write_leave_free_ones() {
    let kernel = read(&repository().join("fixtures/kernels/right/dot_product.rs"));
    let folder = folder_with(&[("dot.rs", &kernel)]);
    let mut client = Client::start(folder.path());
    let all = client.call(
        "free_addresses",
        &json!({ "path": "dot.rs", "kernel": "dot", "memory": "dm" }),
    );
    let free = all["free"].as_array().unwrap();
    assert!(!free.is_empty(), "{all}");
    let largest = free
        .iter()
        .map(|one| one["bytes"].as_u64().unwrap())
        .max()
        .unwrap();
    let room = json!({ "path": "dot.rs", "kernel": "dot", "memory": "dm", "bytes": largest });
    let only = client.call("free_addresses", &room);
    assert_eq!(only["free"].as_array().map(Vec::len), Some(1), "{only}");
    assert_eq!(client.end(), Some(0));
}

/// Tokens of a list of tools, at most: the encodings of public models hold 4.3 (`o200k_base`) and 4.5 bytes (`cl100k_base`) of it in one.
fn tokens_of_list(text: &str) -> usize {
    text.len().div_ceil(4)
}

/// Tokens of an answer, at most. Places and numbers take more: 2.4 to 3.2 bytes are in one.
fn tokens_of_answer(text: &str) -> usize {
    text.len().div_ceil(2)
}

#[test]
fn what_an_agent_reads_before_its_first_call_is_short() {
    let folder = folder_with(&[("a.rs", &faulty())]);
    let mut client = Client::start(folder.path());
    let mut read = client.hello.to_string();
    let id = client.request("tools/list", &json!({}));
    let listed = client.answer(id)["result"].clone();
    read.push_str(&listed.to_string());
    // There are none of these, so that nobody pays for a list.
    for method in ["prompts/list", "resources/list"] {
        assert_eq!(
            client.hello["capabilities"].get(&method[..method.len() - 5]),
            None
        );
        let id = client.request(method, &json!({}));
        let answer = client.answer(id).to_string();
        assert!(answer.len() < 200, "{answer}");
        read.push_str(&answer);
    }
    let tokens = tokens_of_list(&read);
    assert!(tokens <= 4_400, "{tokens} tokens");
    for tool in listed["tools"].as_array().unwrap() {
        // Of an answer the members alone; what is the same in all tools is in the instructions.
        let answer = &tool["outputSchema"];
        assert_eq!(answer.get("$defs"), None, "{tool}");
        for (name, member) in answer["properties"].as_object().unwrap() {
            for inside in ["properties", "items", "anyOf", "$ref"] {
                assert_eq!(member.get(inside), None, "{name}: {tool}");
            }
        }
        for name in ["limit", "offset"] {
            let argument = tool["inputSchema"]["properties"].get(name);
            assert_eq!(
                argument.and_then(|one| one.get("description")),
                None,
                "{tool}"
            );
        }
    }
    // What is left out where clients are told of an argument is still taken.
    let nothing = json!({ "path": null, "limit": null });
    assert_eq!(client.call("check", &nothing)["counts"]["deny"], 1);
    assert_eq!(client.end(), Some(0));
}

#[test]
fn without_a_kernel_suggestions_are_a_list() {
    let files: Vec<(String, String)> = (0..24)
        .map(|number| {
            let name = format!("scale_{number}(");
            (
                format!("k{number:02}.rs"),
                mended_slow().replace("scale(", &name),
            )
        })
        .collect();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    let folder = folder_with(&files);
    let mut client = Client::start(folder.path());
    let listed = client.call("suggest", &json!({ "effort": 8 }));
    let kernels = listed["kernels"].as_array().unwrap();
    assert_eq!(kernels.len(), 20, "{listed}");
    assert_eq!(listed["more"], 4, "{listed}");
    assert!(tokens_of_answer(&listed.to_string()) < 1_200, "{listed}");
    for kernel in kernels {
        assert_eq!(kernel.get("proposals"), None, "{kernel}");
        assert!(kernel["saves"].as_u64() > Some(0), "{kernel}");
    }
    let next = listed["next"].as_str().unwrap();
    let first = kernels[0]["kernel"].as_str().unwrap();
    assert!(next.contains(&format!("kernel \"{first}\"")), "{next}");
    let one = client.call("suggest", &json!({ "kernel": first, "effort": 8 }));
    let (of_list, of_one) = (&kernels[0], &one["kernels"][0]);
    assert_eq!(of_one["proposals"][0]["saves"], of_list["saves"], "{one}");
    assert_ne!(of_one["proposals"][0]["change"], Value::Null, "{one}");
    assert_eq!(client.end(), Some(0));
}

/// A kernel that claims copies is legal and computes what the right one does, and leaves most of it undefined.
#[test]
fn kernels_are_run_and_compared() {
    let rule = visa_analysis::find_run_rule("run_undefined").unwrap();
    let folder = folder_with(&[("wrong.rs", rule.wrong), ("right.rs", rule.right)]);
    let mut client = Client::start(folder.path());
    let ran = client.call("run", &json!({ "path": "right.rs" }));
    assert_eq!(ran["outputs"][0]["shape"], json!([4, 64, 16]), "{ran}");
    assert_eq!(ran["findings"], json!([]), "{ran}");
    let ran = client.call("run", &json!({ "path": "wrong.rs", "seed": 3 }));
    assert_eq!(ran["findings"][0]["rule"], "run_undefined", "{ran}");
    let origin = ran["findings"][0]["origin"].to_string();
    assert!(origin.starts_with("\"wrong.rs:10:"), "{ran}");
    let asked = json!({ "path": "wrong.rs", "compare_to": "right.rs" });
    let compared = client.call("compare", &asked);
    // Where both are defined, they are equal.
    assert_eq!(compared["equal"], true, "{compared}");
    assert_eq!(
        compared["findings"][0]["rule"], "run_undefined",
        "{compared}"
    );
    let asked = json!({ "path": "right.rs", "compare_to": "right.rs" });
    let compared = client.call("compare", &asked);
    assert_eq!(compared["findings"], json!([]), "{compared}");
    assert_eq!(compared["before"], compared["after"], "{compared}");
}
