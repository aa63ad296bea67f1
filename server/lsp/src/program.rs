//! From arguments to an exit code, and the server over any pair of streams.

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc::UnboundedReceiver;
use tower_lsp::LspService;
use visa_analysis::visible;

use super::early::PROMPT;
use super::handlers::Handlers;
use super::lock::lock_ignoring_poison;
use super::service::Guarded;
use super::state::Server;
use super::transport::{self, Ending};
use super::{handlers, lifecycle, unread};
use crate::project::engine::Engine;

const HELP: &str = "\
The language server for TCP Virtual ISA kernels. It speaks the Language Server Protocol on standard input and output;
editors start it, people rarely do.

Usage: visa-lsp [--stdio]
       visa-lsp check [OPTIONS] [PATHS]...  (as `visa-lint check`)

Options:
      --stdio    Speak on standard input and output (the default)
  -h, --help     Print help
  -V, --version  Print version
";

/// Runs the program with the arguments behind its name.
pub fn main(arguments: &[OsString]) -> ExitCode {
    for argument in arguments {
        match argument.to_str() {
            // Editors pass it, together with the process that the client tells of again in `initialize`.
            Some("--stdio") => {}
            Some(argument) if argument.starts_with("--clientProcessId=") => {}
            Some("-h" | "--help") => {
                print!("{HELP}");
                return ExitCode::SUCCESS;
            }
            Some("-V" | "--version") => {
                println!("visa-lsp {}", env!("CARGO_PKG_VERSION"));
                return ExitCode::SUCCESS;
            }
            _ => {
                eprintln!(
                    "error: unexpected argument '{}'\n\n{HELP}",
                    visible(&argument.to_string_lossy())
                );
                return ExitCode::from(2);
            }
        }
    }
    ExitCode::from(run_on_stdio())
}

/// Runs the server on standard input and output until the client ends it. Returns the process's exit code.
pub fn run_on_stdio() -> u8 {
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("error: cannot start the server: {error}");
            return 2;
        }
    };
    let code = runtime.block_on(serve_streams(tokio::io::stdin(), tokio::io::stdout()));
    // Standard input may stay open, and a thread of the runtime wait for it: it must not keep the process.
    runtime.shutdown_background();
    code
}

/// Runs the server on a pair of streams until the client ends it. Returns the process's exit code: 0 after `shutdown`, 1
/// without it.
pub async fn serve_streams(
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin + Send + 'static,
) -> u8 {
    serve_waiting(input, output, PROMPT).await
}

/// As [`serve_streams`], for an answer about a file of many operations that is waited for so long before one without its costs is given first. With
/// no time that one always comes first, whatever the machine is doing.
pub async fn serve_waiting(
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin + Send + 'static,
    prompt: Duration,
) -> u8 {
    let (defects, told) = tokio::sync::mpsc::unbounded_channel();
    let engine = match Engine::start(move |what| {
        // Who listens ends last.
        let _ = defects.send(what);
    }) {
        Ok(engine) => engine,
        Err(error) => {
            eprintln!("error: cannot start the server: {error}");
            return 2;
        }
    };
    let builder = LspService::build(|client| Handlers::new(Server::new(client, engine, prompt)));
    let (service, socket) = handlers::with_custom_methods(builder).finish();
    let server = Arc::clone(service.inner().server());
    tokio::spawn(log_defects(Arc::downgrade(&server), told));
    let reader = Arc::clone(&server);
    let service = Guarded::new(service, move |request| {
        unread::notice_unreadable(&reader, request);
    });
    let ended = tokio::select! {
        ending = transport::run(input, output, service, socket, &server.trace) => ending,
        () = client_gone(&server) => Ending::Closed,
    };
    // A task that holds the server may outlive it.
    drop(lock_ignoring_poison(&server.pages).take());
    let asked = server.lock().shut_down;
    u8::from(!(asked && ended != Ending::Unreadable))
}

/// Tells the client's log of defects in the engine's writes.
async fn log_defects(server: Weak<Server>, mut told: UnboundedReceiver<String>) {
    while let Some(what) = told.recv().await {
        if let Some(server) = server.upgrade() {
            server.log_defect(&what);
        }
    }
}

/// Returns when the client told of its process and that is gone.
async fn client_gone(server: &Server) {
    let process = server.client_process().await;
    lifecycle::process_gone(process).await;
    eprintln!(
        "error: the server ends, because no process {process} runs: the client named it as its own (`processId` of `initialize`)"
    );
}
