//! A client of the tools for coding agents, over standard input and output.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// How long an answer is waited for.
const PATIENCE: Duration = Duration::from_secs(120);

/// A client.
pub(super) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    answers: HashMap<u64, Value>,
    last: u64,
    /// What the server said of itself when it was greeted.
    pub(super) hello: Value,
}

impl Client {
    /// Starts the program in a folder and greets it.
    pub(super) fn start(folder: &Path) -> Self {
        let mut child = visa_tests::command(env!("CARGO_BIN_EXE_visa-lint-tested"))
            .arg("mcp")
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            // Each line is a message: nothing else may be on standard output.
            for line in output.lines().map_while(Result::ok) {
                let message = serde_json::from_str(&line).unwrap_or(json!({ "no JSON": line }));
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let mut client = Self {
            input: child.stdin.take(),
            child,
            messages,
            answers: HashMap::new(),
            last: 0,
            hello: Value::Null,
        };
        let hello = client.request(
            "initialize",
            &json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": { "name": "test", "version": "0" },
            }),
        );
        let hello = client.answer(hello);
        assert_eq!(
            hello["result"]["serverInfo"]["name"], "visa-lint",
            "{hello}"
        );
        client.hello = hello["result"].clone();
        client.notify("notifications/initialized", &json!({}));
        client
    }

    pub(super) fn send(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line.as_bytes()).unwrap();
        input.write_all(b"\n").unwrap();
        input.flush().unwrap();
    }

    pub(super) fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string());
    }

    pub(super) fn request(&mut self, method: &str, params: &Value) -> u64 {
        self.last += 1;
        let id = self.last;
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send(&message.to_string());
        id
    }

    pub(super) fn answer(&mut self, id: u64) -> Value {
        loop {
            if let Some(answer) = self.answers.remove(&id) {
                return answer;
            }
            let message = self.messages.recv_timeout(PATIENCE).unwrap();
            let of = message["id"].as_u64();
            assert!(of.is_some(), "{message}");
            self.answers.insert(of.unwrap(), message);
        }
    }

    pub(super) fn begin(&mut self, tool: &str, arguments: &Value) -> u64 {
        self.request(
            "tools/call",
            &json!({ "name": tool, "arguments": arguments }),
        )
    }

    /// What a tool answers.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let id = self.begin(tool, arguments);
        let answer = self.answer(id);
        assert_eq!(answer["result"]["isError"], false, "{answer}");
        answer["result"]["structuredContent"].clone()
    }

    /// The words with which a tool refuses.
    pub(super) fn refused(&mut self, tool: &str, arguments: &Value) -> String {
        let id = self.begin(tool, arguments);
        let answer = self.answer(id);
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        answer["result"]["content"][0]["text"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    /// Ends the session; the exit code.
    pub(super) fn end(mut self) -> Option<i32> {
        drop(self.input.take());
        self.child.wait().unwrap().code()
    }
}
