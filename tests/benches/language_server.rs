//! How long the language server takes over its pipes: to start, for the first diagnostics of a project of 100 files, and
//! for a keystroke, a hover and the hints in a file of 2,000 lines.
//! `cargo bench -p visa-tests --bench language_server` prints the times beside what they may take.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a benchmark that cannot run fails by panicking"
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use visa_tests::typing::{EDITED, Keystroke, percentile, project, replace, scripts};

const START: Duration = Duration::from_millis(40);
const FIRST: Duration = Duration::from_millis(150);
const KEYSTROKE: Duration = Duration::from_millis(10);
const HOVER: Duration = Duration::from_millis(2);
const HINTS: Duration = Duration::from_millis(3);
/// Asked again after it was told that a newer state is on its way.
const RETRIES: usize = 50;

/// A server and the pipes to it.
struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    requests: i64,
}

impl Server {
    fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_visa-lsp-tested"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            input: child.stdin.take().unwrap(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
            requests: 0,
        }
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        let frame = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        self.input.write_all(frame.as_bytes()).unwrap();
        self.input.flush().unwrap();
    }

    fn notify(&mut self, method: &str, parameters: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": parameters}));
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(
                self.output.read_line(&mut line).unwrap() > 0,
                "the server ended"
            );
            let line = line.trim_end();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("Content-Length: ") {
                length = value.parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    /// Asks, and reads until the answer is there; what the server asks meanwhile is answered with nothing.
    fn ask(&mut self, method: &str, parameters: &Value) -> Value {
        for _ in 0..RETRIES {
            self.requests += 1;
            let id = self.requests;
            self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters}));
            let answer = loop {
                let message = self.receive();
                let is_request = message.get("method").is_some();
                match message.get("id") {
                    Some(asked) if is_request => {
                        self.send(&json!({"jsonrpc": "2.0", "id": asked, "result": null}));
                    }
                    Some(answered) if *answered == json!(id) => break message,
                    _ => {}
                }
            };
            if answer.get("error").is_none() {
                return answer["result"].clone();
            }
        }
        panic!("{method} is not answered");
    }
}

/// Line and column in UTF-16 of a byte.
fn position(text: &str, byte: usize) -> Value {
    let before = &text[..byte];
    let line = before.matches('\n').count();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    json!({"line": line, "character": before[start..].encode_utf16().count()})
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

fn capabilities() -> Value {
    json!({
        "general": {"positionEncodings": ["utf-16"]},
        "textDocument": {"diagnostic": {}, "hover": {}, "inlayHint": {}, "synchronization": {}},
        "workspace": {"diagnostics": {"refreshSupport": true}},
    })
}

fn show(name: &str, times: &[Duration], budget: Duration) {
    println!(
        "{name}: {} times, median {:?}, 95th percentile {:?} (may take {budget:?})",
        times.len(),
        percentile(times, 50),
        percentile(times, 95),
    );
}

/// Times of the diagnostics, of a hover and of the hints after each keystroke.
fn typed(
    server: &mut Server,
    uri: &str,
    text: &str,
    keystrokes: &[Keystroke],
) -> [Vec<Duration>; 3] {
    let mut text = text.to_owned();
    let mut times = [const { Vec::new() }; 3];
    let document = json!({"uri": uri});
    for (version, keystroke) in (2..).zip(keystrokes) {
        let range = json!({"start": position(&text, keystroke.start), "end": position(&text, keystroke.end)});
        text = replace(&text, keystroke);
        let start = Instant::now();
        server.notify(
            "textDocument/didChange",
            &json!({
                "textDocument": {"uri": uri, "version": version},
                "contentChanges": [{"range": range, "text": keystroke.text}],
            }),
        );
        let report = server.ask(
            "textDocument/diagnostic",
            &json!({"textDocument": document}),
        );
        times[0].push(start.elapsed());
        assert!(report.get("kind").is_some(), "{report}");
        let place = position(&text, keystroke.start);
        let start = Instant::now();
        server.ask(
            "textDocument/hover",
            &json!({"textDocument": document, "position": place}),
        );
        times[1].push(start.elapsed());
        let whole = json!({"start": position(&text, 0), "end": position(&text, text.len())});
        let start = Instant::now();
        server.ask(
            "textDocument/inlayHint",
            &json!({"textDocument": document, "range": whole}),
        );
        times[2].push(start.elapsed());
    }
    times
}

fn main() {
    let files = project();
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::create_dir(root.join("src")).unwrap();
    let manifest = "[package]\nname = \"kernels\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    std::fs::write(root.join("Cargo.toml"), manifest).unwrap();
    for (path, text) in &files {
        std::fs::write(root.join(path), text).unwrap();
    }
    let text = files
        .iter()
        .find(|(path, _)| path == EDITED)
        .map_or("", |(_, text)| text);
    let uri_of_file = uri(&root.join(EDITED));

    let start = Instant::now();
    let mut server = Server::start();
    let folders = json!([{"uri": uri(&root), "name": "kernels"}]);
    server.ask(
        "initialize",
        &json!({"processId": null, "rootUri": uri(&root), "workspaceFolders": folders, "capabilities": capabilities()}),
    );
    show("initialize", &[start.elapsed()], START);
    let start = Instant::now();
    server.notify("initialized", &json!({}));
    let document = json!({"uri": uri_of_file, "languageId": "rust", "version": 1, "text": text});
    server.notify("textDocument/didOpen", &json!({"textDocument": document}));
    let all = server.ask("workspace/diagnostic", &json!({"previousResultIds": []}));
    let first = start.elapsed();
    let reported = all["items"].as_array().map_or(0, Vec::len);
    println!(
        "the first answer is about {reported} of {} files",
        files.len()
    );
    show("first diagnostics", &[first], FIRST);

    for (name, keystrokes) in scripts(text) {
        let [checked, hovered, hinted] = typed(&mut server, &uri_of_file, text, &keystrokes);
        show(
            &format!("{name}: keystroke to diagnostics"),
            &checked,
            KEYSTROKE,
        );
        show(&format!("{name}: hover"), &hovered, HOVER);
        show(&format!("{name}: hints of the whole file"), &hinted, HINTS);
    }
    server.ask("shutdown", &Value::Null);
    server.notify("exit", &Value::Null);
    server.child.wait().unwrap();
}
