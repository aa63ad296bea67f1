//! The schema of the JSON about costs: made of the types that write it.

use schemars::SchemaGenerator;

use super::{cost, dialect, memory_map, pretty};

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
