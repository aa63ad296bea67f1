//! TypeScript types of a JSON schema: what the extension for VS Code reads of the server's answers.
//!
//! Knows the parts of a schema that derived ones have: objects, references, arrays, nullable and plain types. What it does not know
//! becomes `unknown`.

use std::fmt::Write;

use serde_json::{Map, Value};

/// The types of all objects of a schema, by their names.
///
/// # Panics
///
/// If the schema defines no objects.
#[expect(clippy::expect_used, reason = "a test fails by panicking")]
pub fn types_of(schema: &Value) -> String {
    let mut text = String::from(
        "// What the server answers, as it writes it: made from docs/cost.schema.json by the tests of the repository.\n\
         // Do not edit: run `UPDATE_EXPECT=1 cargo test -p visa-tests --test repository`.\n",
    );
    let definitions = schema["$defs"].as_object().expect("definitions");
    for (name, definition) in definitions {
        write_object(&mut text, name, definition);
    }
    write_object(&mut text, "Document", schema);
    text
}

fn write_object(text: &mut String, name: &str, definition: &Value) {
    let Some(properties) = definition["properties"].as_object() else {
        let _ = writeln!(text, "\nexport type {name} = {};", type_of(definition));
        return;
    };
    text.push('\n');
    write_doc(text, definition, "");
    let _ = writeln!(text, "export interface {name} {{");
    let required = definition["required"].as_array();
    for (member, schema) in properties {
        write_doc(text, schema, "  ");
        let is_required = required.is_some_and(|names| names.iter().any(|name| name == member));
        let mark = if is_required { "" } else { "?" };
        let _ = writeln!(text, "  readonly {member}{mark}: {};", type_of(schema));
    }
    text.push_str("}\n");
}

fn write_doc(text: &mut String, schema: &Value, indent: &str) {
    if let Some(words) = schema["description"].as_str() {
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        let _ = writeln!(text, "{indent}/** {words} */");
    }
}

fn type_of(schema: &Value) -> String {
    if let Some(target) = schema["$ref"].as_str() {
        return target.rsplit('/').next().unwrap_or("unknown").to_owned();
    }
    for choice in ["anyOf", "oneOf"] {
        if let Some(parts) = schema[choice].as_array() {
            let parts: Vec<String> = parts.iter().map(type_of).collect();
            return parts.join(" | ");
        }
    }
    match &schema["type"] {
        Value::Array(names) => {
            let of = |name: &Value| {
                let mut one = schema.as_object().cloned().unwrap_or_else(Map::new);
                one.insert("type".to_owned(), name.clone());
                type_of(&Value::Object(one))
            };
            names.iter().map(of).collect::<Vec<_>>().join(" | ")
        }
        Value::String(name) => named(name, schema),
        _ => "unknown".to_owned(),
    }
}

fn named(name: &str, schema: &Value) -> String {
    match name {
        "integer" | "number" => "number".to_owned(),
        "string" | "boolean" | "null" => name.to_owned(),
        "array" => {
            let item = type_of(&schema["items"]);
            let item = if item.contains(' ') {
                format!("({item})")
            } else {
                item
            };
            format!("readonly {item}[]")
        }
        _ => "Readonly<Record<string, unknown>>".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::types_of;
    use serde_json::json;

    #[test]
    fn members_are_nullable_or_left_out_as_the_schema_says() {
        let schema = json!({
            "properties": { "all": { "type": "array", "items": { "$ref": "#/$defs/One" } } },
            "required": ["all"],
            "$defs": {
                "One": {
                    "description": "One of\n them.",
                    "properties": {
                        "size": { "type": ["integer", "null"] },
                        "next": { "anyOf": [{ "$ref": "#/$defs/One" }, { "type": "null" }] },
                        "words": { "type": "array", "items": { "type": ["string", "null"] } },
                        "other": true,
                    },
                    "required": ["size"],
                },
            },
        });
        let text = types_of(&schema);
        for line in [
            "/** One of them. */\nexport interface One {",
            "  readonly size: number | null;",
            "  readonly next?: One | null;",
            "  readonly words?: readonly (string | null)[];",
            "  readonly other?: unknown;",
            "export interface Document {\n  readonly all: readonly One[];",
        ] {
            assert!(text.contains(line), "{line}\n---\n{text}");
        }
    }
}
