//! The engine on files of other languages: PTO (MLIR text) and NKI (Python).
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, also in its helpers"
)]

mod front_ends;
mod nki;
