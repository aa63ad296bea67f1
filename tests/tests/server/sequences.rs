//! Random sequences of what an editor and its user do, with the reading of the folders under way at random: in the end the server
//! says what a fresh one says of the same files, documents and settings.
//!
//! `VISA_TIMES` multiplies how many sequences run, `VISA_SEED` with which one they begin. What fails names its seed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::support::{PATIENCE, Setup, Wire, edit, in_process, uri_of, whole};

/// Sequences of an ordinary run.
const SEQUENCES: usize = 25;
/// Files that nothing happens to: the folders take a moment to read.
const BULK: usize = 120;
/// `ServerCancelled`: the client asks again.
const SERVER_CANCELLED: i64 = -32802;

/// The files that things happen to, each with the texts that it may have.
const FILES: [(&str, &[&str]); 11] = [
    (
        "w/src/lib.rs",
        &[
            "mod a;\nmod b;\naxes![L = 6];\ntype R = m![L % 4];\n",
            "mod a;\naxes![L = 6];\n",
            "",
            "#[macro_use]\nmod b;\nmod a;\naxes![L = 6];\nrest!(Q);\n",
        ],
    ),
    (
        "w/src/a.rs",
        &[
            "axes![A = 8];\ntype K = m![A % 3];\ntype F = m![crate::b::B / 5];\n",
            "type F = m![crate::b::B / 5, super::L / 4];\n",
            "axes![A = 0];\n",
            "axes![A = 8];\nrest!(M);\n",
        ],
    ),
    (
        "w/src/b.rs",
        &[
            "axes![B = 12];\n",
            "axes![B = 10];\n",
            "axes![C = 0];\n",
            "axes![B = 12];\nmacro_rules! rest { ($n:ident) => { type $n = m![crate::b::B % 5]; } }\n",
            "axes![B = 12];\nmacro_rules! rest { ($n:ident) => { type $n = m![crate::b::B % 7]; } }\n",
        ],
    ),
    ("w/src/new.rs", &["axes![Z = 0];\n", "axes![Z = 1];\n"]),
    ("w/src/hidden.rs", &["axes![H = 0];\n", "// nothing\n"]),
    ("w/left/out.rs", &["axes![O = 0];\n", "// nothing\n"]),
    (
        "o/x.rs",
        &[
            "mod deep;\ntype X = m![deep::D % 5];\n",
            "axes![D = 8];\ntype X = m![D % 5];\n",
            "#[macro_use]\nmod deep;\nuse deep::D;\nrest!(X);\n",
        ],
    ),
    (
        "o/x/deep.rs",
        &[
            "axes![D = 8];\n",
            "axes![D = 10];\n",
            "axes![D = 8];\nmacro_rules! rest { ($n:ident) => { type $n = m![D % 3]; } }\n",
        ],
    ),
    (
        "o/y.rs",
        &[
            "axes![Y = 0];\n",
            "// nothing\n",
            "axes![D = 8];\nrest!(Y);\n",
        ],
    ),
    (
        "w/visa-lint.toml",
        &[
            "exclude = [\"left/\"]\n",
            "exclude = [\"b.rs\"]\n[levels]\naxis_size_zero = \"warn\"\n",
            "levels = 1\n",
        ],
    ),
    (
        "w/.gitignore",
        &["hidden.rs\n", "hidden.rs\nnew.rs\n", "y.rs\n"],
    ),
];
/// Of [`FILES`], those that may be documents.
const SOURCES: usize = 9;
/// Of [`FILES`], the settings.
const SETTINGS: usize = 9;
/// A file that shows, by the name in its finding, that all before it was taken in.
const SENTINEL: &str = "w/src/sentinel.rs";
const MANIFEST: &str = "w/Cargo.toml";
/// A document on no disk.
const UNTITLED: &str = "untitled:one.rs";

/// Settings that a client may have.
fn configurations() -> [Value; 4] {
    [
        json!(null),
        json!({ "levels": { "axis_size_zero": "allow" } }),
        json!({ "levels": { "mapping": "warn" } }),
        json!({ "diagnostics": { "enable": false } }),
    ]
}

/// Numbers that look random and are the same in every run (splitmix).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % bound as u64).unwrap()
    }

    fn one_of<'a, T>(&mut self, things: &'a [T]) -> &'a T {
        &things[self.below(things.len())]
    }
}

/// The disk.
struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let world = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        for number in 0..BULK {
            let text = "// nothing happens here\n".repeat(40);
            world.write(&format!("w/bulk/part_{number}.rs"), &text);
        }
        world
    }

    /// The disk as a sequence finds it.
    fn reset(&self) {
        for (name, texts) in FILES {
            if name == "w/src/new.rs" {
                let _ = std::fs::remove_file(self.path(name));
            } else {
                self.write(name, texts[0]);
            }
        }
        self.write(MANIFEST, "[package]\nname = \"one\"\n");
        self.write(SENTINEL, "");
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn uri(&self, name: &str) -> String {
        if name.starts_with("untitled:") {
            return name.to_owned();
        }
        uri_of(&self.path(name)).to_string()
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

/// A client that answers what it is asked, unless it is given to keep the server waiting for its settings.
struct Editor {
    wire: Wire,
    next_id: i64,
    answers: HashMap<i64, Value>,
    /// What is given of each file, for clients that are shown.
    published: BTreeMap<String, Value>,
    configuration: Value,
    /// Whether questions for the settings wait, and those that do.
    holds: bool,
    asked: Vec<Value>,
    /// Whether the server waited for the settings in vain.
    untold: bool,
}

impl Editor {
    fn start(world: &World, folders: &BTreeSet<&str>, configuration: Value, pushed: bool) -> Self {
        let mut setup = Setup::utf16()
            .with("/capabilities/workspace/configuration", json!(true))
            .with("/capabilities/workspace/workspaceFolders", json!(true));
        if pushed {
            setup = setup.pushed();
        }
        // The first one is where documents on no disk are: the one that is always there.
        let folders: Vec<Value> = (folders.iter().rev())
            .map(|name| folder(world, name))
            .collect();
        let setup = setup.with("/workspaceFolders", json!(folders));
        let mut editor = Self {
            wire: in_process(),
            next_id: 0,
            answers: HashMap::new(),
            published: BTreeMap::new(),
            configuration,
            holds: false,
            asked: Vec::new(),
            untold: false,
        };
        let id = editor.send("initialize", &setup.initialize);
        editor.answer(id);
        editor.notify("initialized", &json!({}));
        editor
    }

    fn notify(&mut self, method: &str, params: &Value) {
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        self.wire.send(&message);
    }

    fn send(&mut self, method: &str, params: &Value) -> i64 {
        self.next_id += 1;
        let id = self.next_id;
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.wire.send(&message);
        id
    }

    /// The answer to a request, while those of the server are answered.
    fn answer(&mut self, id: i64) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(answer) = self.answers.remove(&id) {
                return answer;
            }
            assert!(self.take(deadline), "no answer to request {id}");
        }
    }

    /// Takes one message of the server in, if one comes in time.
    fn take(&mut self, deadline: Instant) -> bool {
        let Some(message) = self.wire.receive(deadline) else {
            return false;
        };
        let method = message["method"].as_str().unwrap_or_default().to_owned();
        match (method.as_str(), message.get("id")) {
            ("", Some(id)) => {
                self.answers.insert(id.as_i64().unwrap(), message);
            }
            ("workspace/configuration", Some(id)) => {
                self.asked.push(id.clone());
                self.tell();
            }
            ("textDocument/publishDiagnostics", _) => {
                let params = &message["params"];
                let uri = params["uri"].as_str().unwrap().to_owned();
                self.published.insert(uri, params["diagnostics"].clone());
            }
            ("window/logMessage", _) => {
                let words = message["params"]["message"].as_str().unwrap_or_default();
                assert!(!words.contains("defect"), "{words}");
                self.untold |= words.contains("does not tell its settings");
            }
            (_, Some(id)) => {
                let answer = json!({ "jsonrpc": "2.0", "id": id, "result": null });
                self.wire.send(&answer);
            }
            _ => {}
        }
        true
    }

    /// Answers the questions for settings, unless they wait.
    fn tell(&mut self) {
        if self.holds {
            return;
        }
        for id in std::mem::take(&mut self.asked) {
            let result = json!([self.configuration]);
            self.wire
                .send(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
        }
    }

    /// Takes in what comes within a time.
    fn pause(&mut self, milliseconds: usize) {
        let milliseconds = u64::try_from(milliseconds).unwrap();
        let deadline = Instant::now() + Duration::from_millis(milliseconds);
        while self.take(deadline) {}
    }

    /// Asks until there is an answer about the newest text.
    fn pull(&mut self, method: &str, params: &Value) -> Value {
        let deadline = Instant::now() + 4 * PATIENCE;
        loop {
            let id = self.send(method, params);
            let answer = self.answer(id);
            let Some(error) = answer.get("error") else {
                return answer["result"].clone();
            };
            assert_eq!(error["code"], SERVER_CANCELLED, "{error}");
            assert!(Instant::now() < deadline, "{method} is always overtaken");
        }
    }

    fn changed(&mut self, world: &World, name: &str, kind: u8) {
        let changes = json!({ "changes": [{ "uri": world.uri(name), "type": kind }] });
        self.notify("workspace/didChangeWatchedFiles", &changes);
    }

    fn open(&mut self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "rust", "version": 1, "text": text });
        self.notify("textDocument/didOpen", &json!({ "textDocument": document }));
    }

    fn close(&mut self, uri: &str) {
        let document = json!({ "textDocument": { "uri": uri } });
        self.notify("textDocument/didClose", &document);
    }

    /// What is said of each file that something is said of.
    fn told(&mut self, pushed: bool, open: &[String]) -> BTreeMap<String, Value> {
        let mut told = BTreeMap::new();
        if pushed {
            told.clone_from(&self.published);
        } else {
            let report = self.pull("workspace/diagnostic", &json!({ "previousResultIds": [] }));
            for item in report["items"].as_array().unwrap() {
                let uri = item["uri"].as_str().unwrap().to_owned();
                told.insert(uri, item["items"].clone());
            }
            for uri in open {
                let asked = json!({ "textDocument": { "uri": uri } });
                let report = self.pull("textDocument/diagnostic", &asked);
                let other = told.insert(uri.clone(), report["items"].clone());
                let other = other.unwrap_or(json!([]));
                assert_eq!(shown(&report["items"]), shown(&other), "{uri}");
            }
        }
        told.retain(|_, items| items.as_array().is_some_and(|items| !items.is_empty()));
        told.iter_mut().for_each(|(_, items)| *items = shown(items));
        told
    }

    fn end(mut self) {
        let id = self.send("shutdown", &Value::Null);
        self.answer(id);
        self.notify("exit", &Value::Null);
        let deadline = Instant::now() + PATIENCE;
        while self.take(deadline) {}
        assert_eq!(self.wire.exit_code(deadline), Some(0));
    }
}

/// Diagnostics without what they carry of the text's version.
fn shown(items: &Value) -> Value {
    let mut items = items.clone();
    for item in items.as_array_mut().into_iter().flatten() {
        if let Some(item) = item.as_object_mut() {
            item.remove("data");
        }
    }
    items
}

fn folder(world: &World, name: &str) -> Value {
    json!({ "uri": world.uri(name), "name": name })
}

/// One sequence under way.
struct Sequence<'a> {
    seed: u64,
    world: &'a World,
    numbers: Numbers,
    editor: Editor,
    pushed: bool,
    folders: BTreeSet<&'static str>,
    /// The texts and versions of the open documents.
    open: BTreeMap<String, (String, i32)>,
    sentinel: u32,
    /// What happened, for the message of a failure.
    steps: Vec<String>,
}

impl Sequence<'_> {
    fn step(&mut self) {
        let what = self.numbers.below(20);
        let source = FILES[self.numbers.below(SOURCES)];
        let document = if self.numbers.below(12) == 0 {
            UNTITLED.to_owned()
        } else {
            self.world.uri(source.0)
        };
        match what {
            0..=3 => self.open(&document, source),
            4 | 5 => self.close(),
            6 | 7 => self.reopen(),
            8..=10 => self.change(),
            11 | 12 => self.write(),
            13 => self.delete(source.0),
            14 => self.rename(),
            15 => self.configure(),
            16 => self.move_folder(),
            17 => {
                self.steps.push(format!("save {document}"));
                let saved = json!({ "textDocument": { "uri": document } });
                self.editor.notify("textDocument/didSave", &saved);
            }
            18 => {
                // Its answer is not waited for.
                self.steps.push(format!("ask of {document}"));
                let asked = json!({ "textDocument": { "uri": document } });
                self.editor.send("textDocument/diagnostic", &asked);
            }
            _ => {
                let time = self.numbers.below(45);
                self.steps.push(format!("pause for {time} ms"));
                self.editor.pause(time);
            }
        }
        self.editor.pause(0);
    }

    fn open(&mut self, uri: &str, source: (&str, &[&str])) {
        if self.open.contains_key(uri) {
            return;
        }
        let text = (*self.numbers.one_of(source.1)).to_owned();
        self.steps.push(format!("open {uri}: {text:?}"));
        self.editor.open(uri, &text);
        self.open.insert(uri.to_owned(), (text, 1));
    }

    fn any_open(&mut self) -> Option<String> {
        let open: Vec<String> = self.open.keys().cloned().collect();
        (!open.is_empty()).then(|| self.numbers.one_of(&open).clone())
    }

    fn close(&mut self) {
        if let Some(uri) = self.any_open() {
            self.steps.push(format!("close {uri}"));
            self.editor.close(&uri);
            self.open.remove(&uri);
        }
    }

    fn reopen(&mut self) {
        let Some(uri) = self.any_open() else { return };
        let time = [0, 0, 5, 35][self.numbers.below(4)];
        self.steps.push(format!("reopen {uri} after {time} ms"));
        self.editor.close(&uri);
        self.editor.pause(time);
        let text = self.open[&uri].0.clone();
        self.editor.open(&uri, &text);
        self.open.insert(uri, (text, 1));
    }

    fn change(&mut self) {
        let Some(uri) = self.any_open() else { return };
        let (mut text, version) = self.open[&uri].clone();
        let change = match self.numbers.below(4) {
            0 => {
                let source = FILES[self.numbers.below(SOURCES)];
                text = (*self.numbers.one_of(source.1)).to_owned();
                whole(&text)
            }
            1 => {
                text.insert(0, '\n');
                edit((0, 0), (0, 0), "\n")
            }
            2 => {
                text.insert_str(0, "axes![N = 0];\n");
                edit((0, 0), (0, 0), "axes![N = 0];\n")
            }
            _ => {
                let end = text.find('\n').unwrap_or(text.len());
                text.replace_range(..end, "");
                edit((0, 0), (0, 9_999), "")
            }
        };
        self.steps.push(format!("change {uri} to {text:?}"));
        let document = json!({ "uri": uri, "version": version + 1 });
        let params = json!({ "textDocument": document, "contentChanges": [change] });
        self.editor.notify("textDocument/didChange", &params);
        self.open.insert(uri, (text, version + 1));
    }

    fn write(&mut self) {
        let (name, texts) = FILES[self.numbers.below(FILES.len())];
        let text = *self.numbers.one_of(texts);
        self.steps.push(format!("write {name}: {text:?}"));
        let kind = if self.world.path(name).exists() { 2 } else { 1 };
        self.world.write(name, text);
        self.editor.changed(self.world, name, kind);
    }

    fn delete(&mut self, name: &str) {
        let name = if self.numbers.below(4) == 0 {
            MANIFEST
        } else {
            name
        };
        if std::fs::remove_file(self.world.path(name)).is_ok() {
            self.steps.push(format!("delete {name}"));
            self.editor.changed(self.world, name, 3);
        }
    }

    /// As an editor renames a file: an open document is closed and opened by its new name.
    fn rename(&mut self) {
        let [from, to] = [(); 2].map(|()| FILES[self.numbers.below(SOURCES)].0);
        let [old, new] = [from, to].map(|name| self.world.path(name));
        let [old_uri, new_uri] = [from, to].map(|name| self.world.uri(name));
        if from == to || self.open.contains_key(&new_uri) || std::fs::rename(old, new).is_err() {
            return;
        }
        self.steps.push(format!("rename {from} to {to}"));
        if let Some((text, _)) = self.open.remove(&old_uri) {
            self.editor.close(&old_uri);
            self.editor.open(&new_uri, &text);
            self.open.insert(new_uri, (text, 1));
        }
        self.editor.changed(self.world, from, 3);
        self.editor.changed(self.world, to, 1);
    }

    fn configure(&mut self) {
        let configuration = self.numbers.one_of(&configurations()).clone();
        self.editor.holds = self.numbers.below(3) == 0;
        let held = if self.editor.holds { ", told late" } else { "" };
        self.steps.push(format!("configure {configuration}{held}"));
        self.set_configuration(configuration);
    }

    fn set_configuration(&mut self, configuration: Value) {
        self.editor.configuration = configuration;
        let settings = json!({ "settings": null });
        self.editor
            .notify("workspace/didChangeConfiguration", &settings);
        self.editor.tell();
    }

    fn move_folder(&mut self) {
        let moved = json!([folder(self.world, "o")]);
        let (added, removed) = if self.folders.remove("o") {
            (json!([]), moved)
        } else {
            self.folders.insert("o");
            (moved, json!([]))
        };
        self.steps.push(format!("folders {:?}", self.folders));
        let event = json!({ "event": { "added": added, "removed": removed } });
        self.editor
            .notify("workspace/didChangeWorkspaceFolders", &event);
    }

    /// Makes everything right that a fresh start could not know, and waits until all was taken in.
    fn settle(&mut self) {
        self.editor.holds = false;
        // Settings that are wrong leave those before them in force.
        let (name, texts) = FILES[SETTINGS];
        if std::fs::read_to_string(self.world.path(name)).is_ok_and(|text| text == texts[2]) {
            self.world.write(name, texts[1]);
            self.editor.changed(self.world, name, 2);
        }
        loop {
            self.editor.untold = false;
            let silent = self.editor.configuration == configurations()[3];
            let configuration = if silent {
                json!({})
            } else {
                self.editor.configuration.clone()
            };
            self.set_configuration(configuration);
            // What a reading finds to be read once more comes after the first of two.
            for _ in 0..2 {
                self.pass_sentinel();
            }
            if !self.editor.untold {
                return;
            }
        }
    }

    /// Writes the sentinel and waits until the server speaks of it.
    fn pass_sentinel(&mut self) {
        self.sentinel += 1;
        let axis = format!("S{}", self.sentinel);
        // No setting silences that a mapping does not exist.
        let text = format!("type T = m![{axis}];\n");
        self.world.write(SENTINEL, &text);
        self.editor.changed(self.world, SENTINEL, 2);
        let uri = self.world.uri(SENTINEL);
        let deadline = Instant::now() + 4 * PATIENCE;
        loop {
            let told = self.editor.told(self.pushed, &[]);
            let said = told.get(&uri).map(ToString::to_string).unwrap_or_default();
            if said.contains(&axis) {
                return;
            }
            assert!(
                Instant::now() < deadline,
                "{axis} is not told of: {}",
                self.history()
            );
            self.editor.pause(15);
        }
    }

    fn history(&self) -> String {
        let Self { seed, pushed, .. } = self;
        let steps = self.steps.join("\n");
        format!("seed {seed}, told unasked: {pushed}\n{steps}")
    }
}

/// Runs the sequence of a seed.
fn run(world: &World, seed: u64) {
    let mut numbers = Numbers(seed);
    // To be told takes longer: the server waits for a quiet moment.
    let pushed = numbers.below(8) == 0;
    let folders = BTreeSet::from(["w"]);
    world.reset();
    let editor = Editor::start(world, &folders, json!(null), pushed);
    let mut sequence = Sequence {
        seed,
        world,
        numbers,
        editor,
        pushed,
        folders,
        open: BTreeMap::new(),
        sentinel: 0,
        steps: Vec::new(),
    };
    for _ in 0..4 + sequence.numbers.below(16) {
        sequence.step();
    }
    sequence.settle();
    let open: Vec<String> = sequence.open.keys().cloned().collect();
    let told = sequence.editor.told(pushed, &open);
    let configuration = sequence.editor.configuration.clone();
    let mut fresh = Editor::start(world, &sequence.folders, configuration, false);
    for (uri, (text, _)) in &sequence.open {
        fresh.open(uri, text);
    }
    let expected = fresh.told(false, &open);
    assert_eq!(told, expected, "{}", sequence.history());
    assert!(expected.contains_key(&world.uri(SENTINEL)));
    fresh.end();
    sequence.editor.end();
}

#[test]
fn random_sequences_lead_where_a_fresh_start_begins() {
    let number = |name: &str| std::env::var(name).ok()?.parse::<u64>().ok();
    let sequences = visa_tests::cases(SEQUENCES) as u64;
    let first = number("VISA_SEED").unwrap_or(1);
    let world = World::new();
    for seed in first..first + sequences {
        run(&world, seed);
        if seed % 500 == 0 {
            println!("sequence {seed}");
        }
    }
}

/// A document of a file outside of the folders that is closed and opened again while these are read keeps its findings.
#[test]
fn a_document_reopened_while_the_folders_are_read_keeps_its_findings() {
    let world = World::new();
    world.reset();
    let mut editor = Editor::start(&world, &BTreeSet::from(["w"]), json!(null), false);
    let (uri, text) = (world.uri("o/y.rs"), "axes![Y = 0];\n");
    editor.open(&uri, text);
    let found = |editor: &mut Editor| editor.told(false, std::slice::from_ref(&uri))[&uri].clone();
    let expected = found(&mut editor);
    for time in 0..60 {
        editor.close(&uri);
        editor.pause(time);
        editor.open(&uri, text);
        assert_eq!(found(&mut editor), expected, "after {time} ms");
    }
    editor.end();
}
