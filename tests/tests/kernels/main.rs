//! The engine on kernels in Rust: findings, fixes, proposals, levels, what an edit runs again.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, also in its helpers"
)]

mod advice;
mod bad_input;
mod bounds;
mod conditions;
mod current_kernels;
mod device_language;
mod edits;
mod figures;
mod fixes;
mod fixtures;
mod hiding_macros;
mod host;
mod hostile;
mod incremental;
mod kept;
mod kernels;
mod levels;
mod macros;
mod migrate;
mod moves;
mod mutations;
mod other_modules;
mod reference;
mod rule_pages;
mod runs;
mod session;
mod slow;
mod vector_engine;
mod worked_tables;
