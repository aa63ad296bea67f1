//! JSON that both programs write: costs, places in files.
//!
//! Knows shapes that scripts and the editor's views rely on; nothing of what they are asked for.

pub(crate) mod cost;
pub(crate) mod dialect;
pub(crate) mod expressions;
pub(crate) mod memory_map;
pub(crate) mod refusal;
pub(crate) mod roofline;
pub(crate) mod run;
pub(crate) mod transfers;

use serde::Serialize;

use crate::project::Failure;

/// Any answer as indented JSON with a line break at its end.
pub(crate) fn pretty(document: &impl Serialize) -> Result<String, Failure> {
    let mut text = serde_json::to_string_pretty(document)
        .map_err(|error| Failure::new(format!("cannot write JSON: {error}")))?;
    text.push('\n');
    Ok(text)
}
