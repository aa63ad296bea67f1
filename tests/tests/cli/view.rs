//! `view`: who is answered, what is served, and what becomes of it when files change. The page itself is looked at in a browser (`tests/view`).

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Child;

use super::*;

/// How long an answer may take to come.
const PATIENCE: Duration = Duration::from_secs(120);

/// A running view.
struct View {
    child: Child,
    port: u16,
    secret: String,
}

impl View {
    fn start(folder: &TempDir, arguments: &[&str]) -> Self {
        let mut child = command(folder.path(), &[&["view"], arguments].concat())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut address = String::new();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        output.read_line(&mut address).unwrap();
        let (port, secret) = address
            .trim_end()
            .strip_prefix("http://127.0.0.1:")
            .and_then(|rest| rest.strip_suffix('/')?.split_once('/'))
            .unwrap_or_else(|| panic!("{address:?}"));
        Self {
            port: port.parse().unwrap(),
            secret: secret.to_owned(),
            child,
        }
    }

    /// Sends a request; its status, headers in lower case, and the stream behind them. Without a host among the headers it is the own one.
    fn ask(&self, method: &str, path: &str, headers: &[&str]) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let own = format!("Host: 127.0.0.1:{}", self.port);
        let mut all = headers.to_vec();
        if !headers.iter().any(|header| header.starts_with("Host:")) {
            all.push(&own);
        }
        let head = format!("{method} {path} HTTP/1.1\r\n{}\r\n\r\n", all.join("\r\n"));
        stream.write_all(head.as_bytes()).unwrap();
        let mut reader = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert_ne!(reader.read_line(&mut head).unwrap(), 0, "{head:?}");
        }
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer {
            status,
            head: head.to_ascii_lowercase(),
            reader,
        }
    }

    /// Below the secret.
    fn get(&self, what: &str) -> Answer {
        self.ask("GET", &format!("/{}/{what}", self.secret), &[])
    }

    fn status(&self, path: &str, headers: &[&str]) -> u16 {
        self.ask("GET", path, headers).status
    }

    /// The document, once it is whole and something holds of it.
    fn document(&self, holds: impl Fn(&Value) -> bool) -> Value {
        let mut events = self.get("events").reader;
        let deadline = Instant::now() + PATIENCE;
        loop {
            let mut line = String::new();
            assert_ne!(events.read_line(&mut line).unwrap(), 0, "the events end");
            assert!(Instant::now() < deadline, "no such document came");
            let Some(state) = line.strip_prefix("data: ") else {
                continue;
            };
            let state: Value = serde_json::from_str(state).unwrap();
            if state["work"] == "done" {
                let document: Value = serde_json::from_str(&self.get("data").body()).unwrap();
                if holds(&document) {
                    return document;
                }
            }
        }
    }
}

impl Drop for View {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The answer to a request.
struct Answer {
    status: u16,
    head: String,
    reader: BufReader<TcpStream>,
}

impl Answer {
    /// What is behind the headers, of the length that they say.
    fn body(mut self) -> String {
        let length = self.head.split("content-length: ").nth(1).unwrap();
        let length = length.lines().next().unwrap().parse().unwrap();
        let mut bytes = vec![0; length];
        self.reader.read_exact(&mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }
}

/// The kernels of a document by name.
fn kernels(document: &Value) -> Vec<&str> {
    let kernels = document["kernels"].as_array().unwrap().iter();
    kernels
        .map(|kernel| kernel["cost"]["name"].as_str().unwrap())
        .collect()
}

fn folder_with_kernels() -> TempDir {
    let kernel = |name: &str| fs::read(repository().join("fixtures/kernels/right").join(name));
    folder_with(&[
        ("k/dot_product.rs", &kernel("dot_product.rs").unwrap()),
        ("k/faulty.rs", FINDINGS.as_bytes()),
    ])
}

#[test]
fn the_secret_the_host_and_the_origin_decide_who_is_answered() {
    let folder = folder_with_kernels();
    let view = View::start(&folder, &["k", "--effort", "0"]);
    let page = format!("/{}/", view.secret);
    let own = format!("Origin: http://127.0.0.1:{}", view.port);
    for path in ["", "events", "data", "no-such-page", "language-server"] {
        let path = format!("{page}{path}");
        let expected = match path.rsplit('/').next() {
            Some("no-such-page" | "language-server") => 404,
            _ => 200,
        };
        assert_eq!(view.status(&path, &[]), expected, "{path}");
        assert_eq!(view.status(&path, &[&own]), expected, "{path}");
        // Another origin's page, a name that leads here, and a client that does not know the secret.
        assert_eq!(
            view.status(&path, &["Origin: https://attacker.example"]),
            403
        );
        assert_eq!(view.status(&path, &["Origin: null"]), 403);
        assert_eq!(view.status(&path, &["Host: attacker.example"]), 421);
        assert_eq!(view.status(&path.replace(&view.secret, "0123"), &[]), 403);
    }
    for path in ["/", "/data", "/events", "/favicon.ico"] {
        let answer = view.ask("GET", path, &[]);
        assert_eq!(answer.status, 403, "{path}");
        assert!(!answer.body().contains(&view.secret));
    }
    for method in ["POST", "PUT", "DELETE", "PATCH"] {
        assert_eq!(
            view.ask(method, &page, &["Content-Length: 0"]).status,
            405,
            "{method}"
        );
    }
    let without = page.trim_end_matches('/');
    let moved = view.ask("GET", without, &[]);
    assert_eq!(moved.status, 308);
    assert!(
        moved
            .head
            .contains(&format!("location: http://127.0.0.1:{}{page}", view.port))
    );
}

#[test]
fn the_page_loads_nothing_from_elsewhere() {
    let folder = folder_with_kernels();
    for arguments in [&["k", "--effort", "0"][..], &["--scratch"]] {
        let view = View::start(&folder, arguments);
        let page = view.get("");
        for header in [
            "cache-control: no-store",
            "referrer-policy: no-referrer",
            "x-content-type-options: nosniff",
            "x-frame-options: deny",
            "cross-origin-resource-policy: same-origin",
        ] {
            assert!(page.head.contains(header), "{header}: {}", page.head);
        }
        let page = page.body();
        let policy = page
            .split("Content-Security-Policy\" content=\"")
            .nth(1)
            .unwrap();
        let policy = policy.split('"').next().unwrap();
        let parts: Vec<&str> = policy.split("; ").collect();
        assert_eq!(parts[0], "default-src 'none'");
        assert!(parts.contains(&"connect-src 'self'"), "{policy}");
        assert!(parts[1].starts_with("script-src 'sha256-"), "{policy}");
        assert!(!policy.contains("unsafe") && !policy.contains('*') && !policy.contains("http"));
        assert!(!page.contains("@NONCE@"));
        // A word that is not used twice.
        assert_eq!(view.get("").body() == page, arguments[0] != "--scratch");
    }
}

#[test]
fn a_saved_and_a_removed_file_bring_new_documents() {
    let folder = folder_with_kernels();
    let view = View::start(&folder, &["k"]);
    let first = view.document(|document| document["findings"][0]["file"] == "k/faulty.rs");
    assert_eq!(kernels(&first), ["dot"]);
    assert_eq!(first["findings"].as_array().unwrap().len(), 2);
    // The search is done: its words are those of `cost`.
    assert!(
        first["kernels"][0]["cost"]["searched"]["tried"].is_u64(),
        "{first}"
    );
    let total = |document: &Value| document["kernels"][0]["cost"]["cycles"]["total"].as_u64();
    let said = json(&run(
        folder.path(),
        &["cost", "k", "--format", "json", "--effort", "0"],
    ));
    let calibrated = said["kernels"][0]["cycles"]["calibrated"]["total"].as_u64();
    assert!(calibrated.is_some());
    assert_eq!(total(&first), calibrated);

    // As editors do: nobody meets a file half written.
    let write = |name: &str, text: &str| {
        fs::write(folder.path().join(".new"), text).unwrap();
        fs::rename(folder.path().join(".new"), folder.path().join(name)).unwrap();
    };
    write("k/faulty.rs", "fn f() {}\n");
    let mended = view.document(|document| document["findings"] == serde_json::json!([]));
    assert_eq!(kernels(&mended), ["dot"]);

    // Settings that cannot be read leave a document that says so, and mended ones a whole one.
    write("visa-lint.toml", "[levels]\nunused = 1\n");
    let stuck = view.document(|document| document["stuck"] != serde_json::json!([]));
    assert!(
        stuck["stuck"][0]
            .as_str()
            .unwrap()
            .contains("visa-lint.toml"),
        "{stuck}"
    );
    fs::remove_file(folder.path().join("visa-lint.toml")).unwrap();
    view.document(|document| document["stuck"] == serde_json::json!([]));

    fs::remove_file(folder.path().join("k/dot_product.rs")).unwrap();
    let without = view.document(|document| document["kernels"] == serde_json::json!([]));
    assert_eq!(without["files"], 1);
}

#[test]
fn a_named_file_that_is_removed_is_said_in_the_page() {
    let folder = folder_with_kernels();
    let view = View::start(&folder, &["k/dot_product.rs", "--effort", "0"]);
    view.document(|document| kernels(document) == ["dot"]);
    fs::remove_file(folder.path().join("k/dot_product.rs")).unwrap();
    let gone = view.document(|document| kernels(document).is_empty());
    let errors = gone["errors"].as_array().unwrap();
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(errors[0].as_str().unwrap().contains("k/dot_product.rs"));
}

#[test]
fn what_cannot_be_served_ends_the_run() {
    let folder = folder_with_kernels();
    let missing = run(folder.path(), &["view", "no-such-folder"]);
    assert_code(&missing, 2);
    assert!(
        stderr(&missing).contains("no-such-folder"),
        "{}",
        stderr(&missing)
    );
    let input = run(folder.path(), &["view", "-"]);
    assert_code(&input, 2);
    assert!(stderr(&input).contains("standard input cannot be watched"));

    let view = View::start(&folder, &["k", "--effort", "0"]);
    let port = view.port.to_string();
    for arguments in [
        &["view", "k", "--port", &port][..],
        &["view", "--scratch", "--port", &port],
    ] {
        let taken = run(folder.path(), arguments);
        assert_code(&taken, 2);
        let words = format!("cannot serve at port {port} of 127.0.0.1: another program has it");
        assert!(stderr(&taken).contains(&words), "{}", stderr(&taken));
        assert!(stdout(&taken).is_empty());
    }
    // The one that has it goes on.
    assert_eq!(view.get("").status, 200);
    let both = run(folder.path(), &["view", "k", "--scratch"]);
    assert_code(&both, 2);
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_it() {
    let folder = folder_with_kernels();
    for arguments in [&["k"][..], &["--scratch"]] {
        let mut view = View::start(&folder, arguments);
        assert_eq!(view.get("").status, 200);
        let process = view.child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &process]).status();
        assert!(sent.unwrap().success());
        assert_eq!(view.child.wait().unwrap().code(), Some(0));
        assert!(TcpStream::connect(("127.0.0.1", view.port)).is_err());
    }
}

#[test]
fn the_scratch_page_has_a_language_server_behind_a_socket() {
    let folder = folder_with(&[]);
    let view = View::start(&folder, &["--scratch"]);
    let path = format!("/{}/language-server", view.secret);
    let upgrade = [
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ];
    // Neither another origin nor who does not know the secret gets one, and there is nothing else at its address.
    let foreign = [&upgrade[..], &["Origin: https://attacker.example"]].concat();
    assert_eq!(view.status(&path, &foreign), 403);
    assert_eq!(view.status("/language-server", &upgrade), 403);
    assert_eq!(view.status(&path, &[]), 400);
    assert_eq!(view.get("data").status, 404);

    let own = format!("Origin: http://127.0.0.1:{}", view.port);
    let mut joined = view.ask("GET", &path, &[&upgrade[..], &[&own]].concat());
    assert_eq!(joined.status, 101);
    // The key and its answer are the example of RFC 6455.
    assert!(
        joined
            .head
            .contains("sec-websocket-accept: s3pplmbitxaq9kygzzhzrbk+xoo=")
    );
    let request = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#;
    let mut frame = vec![
        0x81,
        0x80 | u8::try_from(request.len()).unwrap(),
        0,
        0,
        0,
        0,
    ];
    frame.extend_from_slice(request.as_bytes());
    joined.reader.get_mut().write_all(&frame).unwrap();
    let answer = loop {
        let message = text_of_frame(&mut joined.reader);
        let message: Value = serde_json::from_str(&message).unwrap();
        if message["id"] == 1 {
            break message;
        }
    };
    assert!(
        answer["result"]["capabilities"]["hoverProvider"] != Value::Null,
        "{answer}"
    );
}

/// The text of a frame that a server sent: short, or with its length in the two bytes behind.
fn text_of_frame(reader: &mut impl Read) -> String {
    let mut head = [0; 2];
    reader.read_exact(&mut head).unwrap();
    assert_eq!(head[0], 0x81, "a whole text");
    let mut length = usize::from(head[1]);
    if length == 126 {
        let mut more = [0; 2];
        reader.read_exact(&mut more).unwrap();
        length = usize::from(u16::from_be_bytes(more));
    }
    assert!(length < 1 << 16);
    let mut bytes = vec![0; length];
    reader.read_exact(&mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}
