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
pub(crate) mod schema;
pub(crate) mod transfers;

use schemars::JsonSchema;
use serde::Serialize;

use crate::project::Failure;

/// Any answer as indented JSON with a line break at its end.
pub(crate) fn pretty(document: &impl Serialize) -> Result<String, Failure> {
    let mut text = serde_json::to_string_pretty(document)
        .map_err(|error| Failure::new(format!("cannot write JSON: {error}")))?;
    text.push('\n');
    Ok(text)
}

/// A range of a file.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Range {
    start: Position,
    end: Position,
}

/// A place in a file.
#[derive(Serialize, JsonSchema)]
struct Position {
    /// From 1.
    line: u32,
    /// From 1, in characters.
    column: u32,
    /// From 0.
    byte: u32,
}

/// A range as JSON has it.
pub(crate) fn range(range: visa_analysis::Range) -> Range {
    Range {
        start: position(range.start),
        end: position(range.end),
    }
}

fn position(position: visa_analysis::Position) -> Position {
    Position {
        line: position.line,
        column: position.column,
        byte: position.byte,
    }
}
