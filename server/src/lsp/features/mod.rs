//! A file a feature: the engine's answers in the protocol's types.
//!
//! A feature is a function of a snapshot and a request's parameters. It turns the place into a byte, asks the engine, and
//! turns the bytes of the answer into places. It waits for nothing and decides nothing about kernels.

pub(crate) mod call_hierarchy;
pub(crate) mod code_actions;
pub(crate) mod code_lens;
pub(crate) mod completion;
pub(crate) mod custom;
pub(crate) mod diagnostics;
pub(crate) mod folding;
pub(crate) mod hover;
pub(crate) mod inlay_hints;
pub(crate) mod navigation;
pub(crate) mod selection;
pub(crate) mod semantic_tokens;
pub(crate) mod signature;
pub(crate) mod symbols;
pub(crate) mod view_file_text;
