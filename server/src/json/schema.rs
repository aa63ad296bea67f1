//! The JSON schema of what the server writes about costs.

use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;

use super::cost::Document;
use super::dialect::Dialect;
use super::memory_map::MemoryMap;

/// The JSON schema of what `visa-lint cost --format json` prints, and of what the editor's views are answered with, which has
/// parts of it: one definition an object.
///
/// # Errors
///
/// The words of a writer of JSON that fails, which none does for a schema.
pub fn schema_of_costs() -> Result<String, String> {
    // What is written, not what would be read: a member that may be left out is no required one.
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut generator = SchemaGenerator::new(settings);
    generator.subschema_for::<MemoryMap<'_>>();
    generator.subschema_for::<Dialect<'_>>();
    let mut schema = generator.into_root_schema_for::<Document<'_>>();
    schema.insert("title".to_owned(), "The costs of visa-lint".into());
    serde_json::to_string_pretty(&schema)
        .map(|text| text + "\n")
        .map_err(|error| error.to_string())
}
