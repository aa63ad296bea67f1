//! The JSON schemas of what the server writes.
//!
//! # Versions
//!
//! A document says its version. Within one, members are added and none is renamed, taken away or given another meaning; a program that reads
//! one passes over members that it does not know.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;
use visa_analysis::SequenceAnswer;

use crate::documents::json::cost::Document;
use crate::documents::json::dialect::Dialect;
use crate::documents::json::expressions::Mapping;
use crate::documents::json::memory_map::MemoryMap;
use crate::documents::json::refusal::{Refused, RunFailed};
use crate::documents::json::run;
use crate::format::json as check;

/// An answer, or why there is none.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "its schema is what counts")]
enum Expression<T> {
    /// The answer.
    Answer(T),
    /// The expression is ill-formed: exit code 1.
    Refused(Refused),
    /// The run failed: exit code 2.
    Failed(RunFailed),
}

/// A report, or why there is none.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "its schema is what counts")]
enum Report<T> {
    /// The report.
    Report(T),
    /// The run failed: exit code 2.
    Failed(RunFailed),
}

/// What is written, not what would be read: a member that may be left out is no required one.
fn generator() -> SchemaGenerator {
    SchemaGenerator::new(SchemaSettings::draft2020_12().for_serialize())
}

fn schema_text<T: JsonSchema>(generator: SchemaGenerator, title: &str) -> Result<String, String> {
    let mut schema = generator.into_root_schema_for::<T>();
    schema.insert("title".to_owned(), title.into());
    serde_json::to_string_pretty(&schema)
        .map(|text| text + "\n")
        .map_err(|error| error.to_string())
}

/// The JSON schema of what `visa-lint cost --format json` prints, and of what the editor's views are answered with, which has
/// parts of it: one definition an object.
///
/// # Errors
///
/// The words of a writer of JSON that fails, which none does for a schema.
pub fn schema_of_costs() -> Result<String, String> {
    let mut generator = generator();
    generator.subschema_for::<MemoryMap<'_>>();
    generator.subschema_for::<Dialect<'_>>();
    schema_text::<Document<'_>>(generator, "The costs of visa-lint")
}

/// The JSON schemas of what `visa-lint check`, `run`, `map` and `sequence` print with `--format json`, and `check` a line with
/// `--format jsonl`, by the name of their file in `docs`.
///
/// # Errors
///
/// The words of a writer of JSON that fails, which none does for a schema.
pub fn schemas() -> Result<Vec<(&'static str, String)>, String> {
    Ok(vec![
        (
            "check.schema.json",
            schema_text::<Report<check::Document<'_>>>(generator(), "A check of visa-lint")?,
        ),
        (
            "check-line.schema.json",
            schema_text::<Report<check::Line<'_>>>(generator(), "A line of a check of visa-lint")?,
        ),
        (
            "map.schema.json",
            schema_text::<Expression<Mapping>>(generator(), "A mapping by visa-lint")?,
        ),
        (
            "run.schema.json",
            schema_text::<Report<run::Document>>(generator(), "A run of visa-lint")?,
        ),
        (
            "run-all.schema.json",
            schema_text::<Report<run::AllDocument>>(generator(), "Runs of visa-lint")?,
        ),
        (
            "sequence.schema.json",
            schema_text::<Expression<SequenceAnswer>>(generator(), "A sequencer by visa-lint")?,
        ),
    ])
}
