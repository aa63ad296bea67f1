//! The ground of the engine: its database, the languages that files are written in, and small rooms that every other may use.
//!
//! It uses nothing of ours. Each room is a module; those that read another say so in its first lines.

pub mod budget;
pub mod conditions;
pub mod db;
pub mod lanes;
pub mod language;
pub mod markdown;
pub mod names;
pub mod numbers;
pub mod threads;
pub mod visible;
