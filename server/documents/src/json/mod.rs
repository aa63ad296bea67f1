//! JSON that both programs write: costs, places in files.
//!
//! Knows shapes that scripts and the editor's views rely on; nothing of what they are asked for.

pub mod cost;
pub mod dialect;
pub mod expressions;
pub mod memory_map;
pub mod refusal;
pub mod roofline;
pub mod run;
pub mod transfers;

use serde::Serialize;

use crate::project::Failure;

/// Any answer as indented JSON with a line break at its end.
pub fn pretty(document: &impl Serialize) -> Result<String, Failure> {
    let mut text = serde_json::to_string_pretty(document)
        .map_err(|error| Failure::new(format!("cannot write JSON: {error}")))?;
    text.push('\n');
    Ok(text)
}
