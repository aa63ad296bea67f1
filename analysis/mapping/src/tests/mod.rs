//! The mapping algebra against independent index functions and hand-derived examples.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod canonical;
mod division;
mod examples;
mod groups;
mod large;
mod random;
mod read;
mod regions;
mod relations;
