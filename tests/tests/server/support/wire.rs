//! The bytes between a client and a server: over a stream in the process, or over the pipes of a program.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf};

/// A connection to a server.
pub(crate) struct Wire {
    end: End,
    incoming: Receiver<Value>,
}

enum End {
    InProcess {
        runtime: tokio::runtime::Runtime,
        output: Option<WriteHalf<DuplexStream>>,
        code: Receiver<u8>,
    },
    Program {
        child: Child,
        input: Option<ChildStdin>,
    },
}

/// Starts a server in this process.
pub(crate) fn in_process() -> Wire {
    in_process_by(visa_server::lsp::serve_streams)
}

/// As [`in_process`], where an answer without costs always comes first.
pub(crate) fn in_process_without_costs_first() -> Wire {
    in_process_by(|input, output| {
        visa_server::lsp::serve_waiting(input, output, std::time::Duration::ZERO)
    })
}

fn in_process_by<F: Future<Output = u8> + Send + 'static>(
    serve: impl FnOnce(ReadHalf<DuplexStream>, WriteHalf<DuplexStream>) -> F + Send + 'static,
) -> Wire {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let (ended, code) = channel();
    runtime.spawn(async move {
        let (input, output) = tokio::io::split(theirs);
        let code = serve(input, output).await;
        let _ = ended.send(code);
    });
    let (mut input, output) = tokio::io::split(ours);
    let (sender, incoming) = channel();
    runtime.spawn(async move {
        let mut frames = Frames::new(sender);
        let mut chunk = vec![0; 1 << 16];
        while let Ok(read @ 1..) = input.read(&mut chunk).await {
            frames.feed(&chunk[..read]);
        }
    });
    Wire {
        end: End::InProcess {
            runtime,
            output: Some(output),
            code,
        },
        incoming,
    }
}

/// Starts the program: the one that cargo built with these tests, or the one that `VISA_LSP` names, such as a packed one.
pub(crate) fn program() -> Wire {
    let named = std::env::var_os("VISA_LSP").filter(|path| !path.is_empty());
    started(named.map_or_else(
        || {
            let mut command = visa_tests::command(env!("CARGO_BIN_EXE_visa-lint-tested"));
            command.arg("lsp");
            command
        },
        visa_tests::command,
    ))
}

/// Starts a program that speaks on standard input and output.
pub(crate) fn started(mut command: Command) -> Wire {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap();
    let input = child.stdin.take();
    let mut output = child.stdout.take().unwrap();
    let (sender, incoming) = channel();
    std::thread::spawn(move || {
        let mut frames = Frames::new(sender);
        let mut chunk = vec![0; 1 << 16];
        while let Ok(read @ 1..) = output.read(&mut chunk) {
            frames.feed(&chunk[..read]);
        }
    });
    Wire {
        end: End::Program { child, input },
        incoming,
    }
}

impl Wire {
    /// Sends a message.
    pub(crate) fn send(&mut self, message: &Value) {
        let body = message.to_string();
        self.send_bytes(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    /// Sends bytes as they are.
    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        match &mut self.end {
            End::InProcess {
                runtime, output, ..
            } => {
                let output = output.as_mut().unwrap();
                // A server that ended does not read; the test notices by its answers.
                let _ = runtime.block_on(output.write_all(bytes));
            }
            End::Program { input, .. } => {
                let input = input.as_mut().unwrap();
                let _ = input.write_all(bytes).and_then(|()| input.flush());
            }
        }
    }

    /// Closes the server's input.
    pub(crate) fn close(&mut self) {
        match &mut self.end {
            End::InProcess {
                runtime, output, ..
            } => {
                if let Some(mut output) = output.take() {
                    let _ = runtime.block_on(output.shutdown());
                }
            }
            End::Program { input, .. } => drop(input.take()),
        }
    }

    /// The number of the server's process; none for one in this process.
    pub(crate) fn process(&self) -> Option<u32> {
        match &self.end {
            End::InProcess { .. } => None,
            End::Program { child, .. } => Some(child.id()),
        }
    }

    /// The next message of the server; none at the deadline, or when the server ended.
    pub(crate) fn receive(&mut self, deadline: Instant) -> Option<Value> {
        let left = deadline.saturating_duration_since(Instant::now());
        self.incoming.recv_timeout(left).ok()
    }

    /// The exit code; none if the server does not end in time.
    pub(crate) fn exit_code(&mut self, deadline: Instant) -> Option<u8> {
        match &mut self.end {
            End::InProcess { code, .. } => {
                let left = deadline.saturating_duration_since(Instant::now());
                code.recv_timeout(left).ok()
            }
            End::Program { child, .. } => loop {
                if let Some(status) = child.try_wait().unwrap() {
                    return u8::try_from(status.code()?).ok();
                }
                if Instant::now() > deadline {
                    return None;
                }
                std::thread::sleep(std::time::Duration::from_millis(2));
            },
        }
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        if let End::Program { child, .. } = &mut self.end {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Frames out of bytes as they come; every one must be well-formed.
struct Frames {
    bytes: Vec<u8>,
    sender: Sender<Value>,
}

impl Frames {
    fn new(sender: Sender<Value>) -> Self {
        Self {
            bytes: Vec::new(),
            sender,
        }
    }

    fn feed(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        while let Some((length, head)) = self.head() {
            let Some(body) = self.bytes.get(head..head + length) else {
                return;
            };
            let message = serde_json::from_slice(body).unwrap();
            self.bytes.drain(..head + length);
            let _ = self.sender.send(message);
        }
    }

    /// The length of the next body, and where it begins.
    fn head(&self) -> Option<(usize, usize)> {
        let end = self.bytes.windows(4).position(|end| end == b"\r\n\r\n")?;
        let head = std::str::from_utf8(&self.bytes[..end]).unwrap();
        let length = head.strip_prefix("Content-Length: ").unwrap();
        Some((length.parse().unwrap(), end + 4))
    }
}
