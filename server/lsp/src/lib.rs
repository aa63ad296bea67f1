//! The language server: the program `visa-lsp`, and `visa-lint lsp`.
//!
//! The protocol lives here and nowhere else: the engine answers in bytes, this crate turns them into lines and columns of the
//! client. What it holds:
//!
//! - [`framing`], [`transport`], [`service`], [`unread`], [`trace`]: bytes to messages to calls, in the order of the wire,
//!   whatever the bytes are, and what became of each.
//! - [`state`], [`crate::project::engine`], [`open_documents`]: texts, the engine's queue, and the snapshot a question is answered from.
//! - [`lifecycle`], [`abilities`], [`folders`]: what the client and the workspace's folders
//!   say.
//! - [`loader`], [`publisher`]: what these two work on.
//! - [`publishing`]: what the client is sent without asking; [`early`]: diagnostics in two parts, where costs take long;
//!   [`status`]: whether there is anything to do.
//! - [`handlers`], [`features`]: the requests, a file a feature. A feature is a plain function of a snapshot. [`features`] also lists what
//!   the server announces.
//!
//! # Order
//!
//! 1. The future of every message is polled once when the message is read. A handler's first statement therefore runs in
//!    the order of the wire, and that statement takes its place in the engine's queue.
//! 2. Notification handlers never yield. They apply the edit to the document, queue the write and return. What they cause
//!    later (diagnostics, logs) runs in spawned tasks.
//! 3. A request sees exactly the texts that the messages before it made. If a later edit overtakes it, it is answered with
//!    `ContentModified` rather than with places of another text. What the server changes by itself (a file was read from
//!    disk) is not the client's business: the question is asked again.
//! 4. `$/cancelRequest` drops the request's future, which cancels the engine's work on it at its next query.
//! 5. The reader waits for only bytes: neither a write, which waits for the running questions to notice it, nor a
//!    question keeps the next message from being read.

mod abilities;
mod advice;
mod early;
mod features;
mod folders;
pub mod framing;
mod handlers;
#[cfg(test)]
mod library_tests;
mod lifecycle;
mod loader;
mod lock;
mod open_documents;
mod positions;
mod program;
mod publisher;
mod publishing;
mod runs;
mod searching;
mod service;
mod state;
mod status;
mod trace;
mod transport;
mod unread;
mod uris;

// Crates of their own, by the names of their rooms.
use visa_documents as documents;
use visa_project as project;

pub use self::program::{main, run_on_stdio, serve_streams, serve_waiting};
