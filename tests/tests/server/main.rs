//! The language server as editors run it: in-process over a stream, and the program over standard input and output.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::expect_used,
    reason = "a test fails by panicking, also in its helpers"
)]

mod support;

mod advice;
mod code_actions;
mod damage;
mod diagnostics;
mod early;
mod editing;
mod features;
mod languages;
mod lifecycle;
mod memory;
mod order;
mod project;
mod running;
mod sequences;
mod status;
mod structure;
mod texts;
mod trace;
