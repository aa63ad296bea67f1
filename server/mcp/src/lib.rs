//! `visa-lint mcp`: tools for coding agents, by the Model Context Protocol on standard input and output.
//!
//! The same engine, settings and files as in the language server, kept warm between calls. What it holds:
//!
//! - [`program`]: from arguments to an exit code. [`server`]: what the protocol asks of a server, a defect or a withdrawn call in
//!   one tool included.
//! - [`arguments`]: whether a call gives what its tool takes. [`advertised`]: what clients are told of the tools, in short.
//! - [`room`], [`disk`]: the workspace's files in the engine; before each call those are read again that changed on disk.
//!   A change that is only tried is taken back when its question is answered.
//! - [`places`]: paths that callers give and are given. Nothing outside of the workspace is read for a caller, and nothing is
//!   written there.
//! - [`quotes`]: how much of a source an answer's words quote. [`shapes`]: what several tools answer with. [`offers`]: changes that
//!   were offered, by the name under which `fix` applies them.
//! - [`check`], [`fix`], [`cost`], [`suggest`], [`what_if`], [`run`], [`operations`], [`expressions`], [`catalogue`]: the tools.

mod advertised;
mod arguments;
mod catalogue;
mod check;
mod cost;
mod disk;
mod expressions;
mod fix;
mod offers;
mod operations;
mod places;
mod program;
mod quotes;
mod room;
mod run;
mod server;
mod shapes;
mod suggest;
mod what_if;

// Crates of their own, by the names of their rooms.
use visa_documents as documents;
use visa_project as project;

pub use self::program::run_on_stdio;
