//! The engine of visa-lint: reads no files, writes nothing.
//!
//! Data flows one way: text, syntax, items, kernels, derivations, rules. See the modules for what each knows.

pub mod db;
pub mod hardware;
pub mod items;
pub mod mapping;
pub mod syntax;
