//! JSON that both programs write: costs, places in files.
//!
//! Knows shapes that scripts and the editor's views rely on; nothing of what they are asked for.

pub(crate) mod cost;
pub(crate) mod dialect;
pub(crate) mod memory_map;
pub(crate) mod roofline;

use schemars::{JsonSchema, SchemaGenerator};
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

/// The JSON schema of what `visa-lint cost --format json` prints, and of what the editor's views are answered with, which has
/// parts of it: one definition an object.
///
/// # Errors
///
/// The words of a writer of JSON that fails, which none does for a schema.
pub fn schema_of_costs() -> Result<String, String> {
    // What is written, not what would be read: a member that may be left out is no required one.
    let settings = schemars::generate::SchemaSettings::draft2020_12().for_serialize();
    let mut generator = SchemaGenerator::new(settings);
    generator.subschema_for::<memory_map::MemoryMap<'_>>();
    generator.subschema_for::<dialect::Dialect<'_>>();
    let mut schema = generator.into_root_schema_for::<cost::Document<'_>>();
    schema.insert("title".to_owned(), "The costs of visa-lint".into());
    pretty(&schema).map_err(|failure| failure.messages.join("\n"))
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
