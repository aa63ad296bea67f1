//! What a client is told of the tools before it calls one. Every session of an agent pays for it, so that it is short.
//!
//! Arguments keep their names, types and words. What says nothing to a caller goes: where a schema comes from, that what may be left out
//! may be null, how wide a number is. Of an answer only the members are named: what is inside of them, the answer itself shows.
//! Calls are checked against the whole schemas; see [`super::arguments`].

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool};
use serde_json::{Map, Value, json};

/// Members that mean the same in every tool: the server's instructions explain them once.
pub(super) const EXPLAINED_ONCE: [&str; 4] = ["limit", "offset", "more", "next"];

/// A tool as clients are told of it.
pub(super) fn advertised(tool: &Tool) -> Tool {
    let mut short = tool.clone();
    let arguments = Definitions::of(&tool.input_schema).object(&tool.input_schema);
    short.input_schema = Arc::new(arguments);
    short.output_schema = tool.output_schema.as_deref().map(|schema| {
        let definitions = Definitions::of(schema);
        Arc::new(definitions.members(schema))
    });
    short
}

/// The parts that a schema refers to by name.
struct Definitions<'a>(Option<&'a Map<String, Value>>);

impl<'a> Definitions<'a> {
    fn of(schema: &'a JsonObject) -> Self {
        Self(schema.get("$defs").and_then(Value::as_object))
    }

    /// What a part refers to, or the part.
    fn resolved(&self, part: &'a Value) -> &'a Value {
        let address = part.get("$ref").and_then(Value::as_str);
        let name = address.and_then(|address| address.strip_prefix("#/$defs/"));
        let found = name.and_then(|name| self.0?.get(name));
        found.unwrap_or(part)
    }

    /// The arguments of a tool, or the members of one of them.
    fn object(&self, schema: &'a Map<String, Value>) -> JsonObject {
        let parts = schema.get("properties").and_then(Value::as_object);
        let properties: JsonObject = parts
            .into_iter()
            .flatten()
            .map(|(name, part)| {
                (
                    name.clone(),
                    described_type(name, part, self.argument(part)),
                )
            })
            .collect();
        let mut short = JsonObject::new();
        short.insert("type".to_owned(), json!("object"));
        short.insert("properties".to_owned(), Value::Object(properties));
        for kept in ["required", "additionalProperties"] {
            if let Some(value) = schema.get(kept) {
                short.insert(kept.to_owned(), value.clone());
            }
        }
        short
    }

    /// The type of an argument.
    fn argument(&self, part: &'a Value) -> JsonObject {
        let part = self.resolved(part);
        let choices = part.get("anyOf").or_else(|| part.get("oneOf"));
        if let Some(choices) = choices.and_then(Value::as_array) {
            return self.one_of(choices);
        }
        let mut short = JsonObject::new();
        match first_type(part) {
            Some("object") => {
                if let Some(members) = part.as_object() {
                    short = self.object(members);
                }
            }
            Some(kind) => {
                short.insert("type".to_owned(), json!(kind));
                if let Some(entry) = part.get("items") {
                    short.insert("items".to_owned(), Value::Object(self.argument(entry)));
                }
            }
            None => {}
        }
        short
    }

    /// The type of an argument that has one of several: the only one beside null, an enumeration of words, or any text.
    fn one_of(&self, choices: &'a [Value]) -> JsonObject {
        let choices: Vec<&Value> = choices
            .iter()
            .map(|choice| self.resolved(choice))
            .filter(|choice| first_type(choice).is_some() || choice.get("type").is_none())
            .collect();
        if let [only] = choices.as_slice() {
            return self.argument(only);
        }
        let mut short = JsonObject::new();
        short.insert("type".to_owned(), json!("string"));
        let words: Option<Vec<&Value>> = choices.iter().map(|choice| choice.get("const")).collect();
        if let Some(words) = words {
            short.insert("enum".to_owned(), json!(words));
        }
        short
    }

    /// The members of an answer.
    fn members(&self, schema: &'a Map<String, Value>) -> JsonObject {
        let parts = schema.get("properties").and_then(Value::as_object);
        let properties: JsonObject = parts
            .into_iter()
            .flatten()
            .map(|(name, part)| {
                (
                    name.clone(),
                    described_type(name, part, self.member_type(part)),
                )
            })
            .collect();
        let mut short = JsonObject::new();
        short.insert("type".to_owned(), json!("object"));
        short.insert("properties".to_owned(), Value::Object(properties));
        short
    }

    /// The type of a member of an answer, without what is inside of it.
    fn member_type(&self, part: &'a Value) -> JsonObject {
        let part = self.resolved(part);
        let kind = part.get("type").cloned().or_else(|| {
            let choices = part.get("anyOf")?.as_array()?;
            let kinds = choices.iter().map(|choice| self.resolved(choice));
            kinds.map(|choice| choice.get("type").cloned()).collect()
        });
        let mut short = JsonObject::new();
        short.extend(kind.map(|kind| ("type".to_owned(), kind)));
        short
    }
}

/// A type with the words about its member, where these are not said once for all.
fn described_type(name: &str, part: &Value, mut kind: JsonObject) -> Value {
    let words = part.get("description");
    if let Some(words) = words.filter(|_| !EXPLAINED_ONCE.contains(&name)) {
        kind.insert("description".to_owned(), words.clone());
    }
    Value::Object(kind)
}

/// The first type that a part names beside null.
fn first_type(part: &Value) -> Option<&str> {
    let named = part.get("type")?;
    let several = named.as_array().into_iter().flatten();
    let mut kinds = named
        .as_str()
        .into_iter()
        .chain(several.filter_map(Value::as_str));
    kinds.find(|kind| *kind != "null")
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::Definitions;

    fn object(value: Value) -> Map<String, Value> {
        match value {
            Value::Object(members) => members,
            _ => Map::new(),
        }
    }

    #[test]
    fn arguments_keep_what_a_caller_needs() {
        let whole = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$defs": {
                "Memory": { "description": "A memory.", "oneOf": [
                    { "const": "dm", "type": "string", "description": "The slices'." },
                    { "const": "trf", "type": "string" },
                ]},
                "Dialect": { "oneOf": [
                    { "const": "auto", "type": "string" },
                    { "pattern": "^x@", "type": "string" },
                ]},
                "Edit": {
                    "type": "object",
                    "properties": { "path": { "type": "string", "description": "The file." } },
                    "required": ["path"],
                    "additionalProperties": false,
                },
            },
            "title": "Input",
            "type": "object",
            "properties": {
                "dialect": { "anyOf": [{ "$ref": "#/$defs/Dialect" }, { "type": "null" }], "description": "A library." },
                "edits": { "type": "array", "items": { "$ref": "#/$defs/Edit" } },
                "limit": { "type": ["integer", "null"], "minimum": 0, "format": "uint", "description": "The most." },
                "memory": { "anyOf": [{ "$ref": "#/$defs/Memory" }, { "type": "null" }] },
                "now": { "type": "boolean", "default": false },
            },
            "required": ["edits"],
            "additionalProperties": false,
        });
        let whole = object(whole);
        let short = Definitions::of(&whole).object(&whole);
        let expected = json!({
            "type": "object",
            "properties": {
                "dialect": { "type": "string", "description": "A library." },
                "edits": { "type": "array", "items": {
                    "type": "object",
                    "properties": { "path": { "type": "string", "description": "The file." } },
                    "required": ["path"],
                    "additionalProperties": false,
                }},
                "limit": { "type": "integer" },
                "memory": { "type": "string", "enum": ["dm", "trf"] },
                "now": { "type": "boolean" },
            },
            "required": ["edits"],
            "additionalProperties": false,
        });
        assert_eq!(Value::Object(short), expected);
    }

    #[test]
    fn of_answers_the_members_are_named() {
        let whole = json!({
            "$defs": { "Row": { "type": "object", "properties": { "at": { "type": "string" } } } },
            "type": "object",
            "properties": {
                "best": { "anyOf": [{ "$ref": "#/$defs/Row" }, { "type": "null" }], "description": "The best." },
                "counts": { "$ref": "#/$defs/Row", "description": "How many." },
                "page": { "type": ["string", "null"] },
                "rows": { "type": "array", "items": { "$ref": "#/$defs/Row" } },
            },
            "required": ["rows"],
        });
        let whole = object(whole);
        let short = Definitions::of(&whole).members(&whole);
        let expected = json!({
            "type": "object",
            "properties": {
                "best": { "type": ["object", "null"], "description": "The best." },
                "counts": { "type": "object", "description": "How many." },
                "page": { "type": ["string", "null"] },
                "rows": { "type": "array" },
            },
        });
        assert_eq!(Value::Object(short), expected);
    }
}
