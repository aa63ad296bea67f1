//! Whether the arguments of a call are those that its tool's schema describes, in words for the caller: which argument, what was given,
//! what it takes. What a text means is judged by who reads it.

use serde_json::{Map, Value};

/// The most characters of a value that are shown.
const SHOWN: usize = 60;

/// Says what is wrong with the arguments of a tool, if anything is: the first fault, names before values.
pub(super) fn check_arguments(
    tool: &str,
    schema: &Map<String, Value>,
    arguments: &Map<String, Value>,
) -> Result<(), String> {
    let schemas = Schemas { root: schema };
    let whole = Value::Object(schema.clone());
    schemas.object(tool, "", &whole, arguments)
}

/// The schema of a tool, with what its parts refer to.
struct Schemas<'a> {
    root: &'a Map<String, Value>,
}

impl<'a> Schemas<'a> {
    /// What a part refers to, or the part.
    fn resolved_part(&self, part: &'a Value) -> &'a Value {
        let name = part.get("$ref").and_then(Value::as_str);
        let name = name.and_then(|address| address.strip_prefix("#/$defs/"));
        name.and_then(|name| self.root.get("$defs")?.get(name))
            .unwrap_or(part)
    }

    /// The members of an object: the arguments of a tool, or of one of them.
    fn object(
        &self,
        tool: &str,
        place: &str,
        schema: &Value,
        given: &Map<String, Value>,
    ) -> Result<(), String> {
        let owner = if place.is_empty() { tool } else { place };
        let Some(known) = schema.get("properties").and_then(Value::as_object) else {
            return Ok(());
        };
        let quoted = |name: &String| format!("`{name}`");
        if let Some(unknown) = given.keys().find(|name| !known.contains_key(*name)) {
            let names: Vec<String> = known.keys().map(quoted).collect();
            return Err(format!(
                "`{owner}` has no argument `{unknown}`; it takes {}",
                listed_words(&names, "and")
            ));
        }
        let required = schema.get("required").and_then(Value::as_array);
        for name in required.into_iter().flatten().filter_map(Value::as_str) {
            if !given.contains_key(name) {
                let takes = known
                    .get(name)
                    .map(|part| Schemas::accepted_kinds(self, part));
                return Err(format!(
                    "`{owner}` needs `{name}`, {}",
                    takes.unwrap_or_default()
                ));
            }
        }
        for (name, value) in given {
            let Some(part) = known.get(name) else {
                continue;
            };
            let place = match place {
                "" => name.clone(),
                _ => format!("{place}.{name}"),
            };
            self.value(&place, part, value)?;
        }
        Ok(())
    }

    /// One value, and what is in it.
    fn value(&self, place: &str, part: &Value, value: &Value) -> Result<(), String> {
        let part = self.resolved_part(part);
        if !self.fits_part(part, value) {
            return Err(format!(
                "`{place}` is {}; it takes {}",
                shown_value(value),
                self.accepted_kinds(part)
            ));
        }
        match value {
            Value::Array(entries) => {
                let Some(of_entries) = part.get("items") else {
                    return Ok(());
                };
                for (at, entry) in entries.iter().enumerate() {
                    self.value(&format!("{place}[{at}]"), of_entries, entry)?;
                }
                Ok(())
            }
            Value::Object(members) => self.object("", place, part, members),
            _ => Ok(()),
        }
    }

    /// Whether a value is of the kind that a part describes; what is in lists and objects is not looked at.
    fn fits_part(&self, part: &Value, value: &Value) -> bool {
        let part = self.resolved_part(part);
        if let Some(choices) = choices(part) {
            return choices.iter().any(|choice| self.fits_part(choice, value));
        }
        if let Some(only) = part.get("const") {
            return only == value;
        }
        if part.get("pattern").is_some() {
            // Texts of a pattern are a library with its release; whether there is such a one is said where it is read.
            return value.as_str().is_some_and(|text| text.contains('@'));
        }
        kinds(part).any(|kind| match kind {
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            "null" => value.is_null(),
            "integer" => value.as_u64().is_some_and(|number| number <= most(part)),
            _ => true,
        })
    }

    /// What a part takes, in words.
    fn accepted_kinds(&self, part: &Value) -> String {
        let part = self.resolved_part(part);
        if let Some(choices) = choices(part) {
            let words: Vec<String> = choices
                .iter()
                .map(|choice| self.accepted_kinds(choice))
                .filter(|words| !words.is_empty())
                .collect();
            return listed_words(&words, "or");
        }
        if let Some(only) = part.get("const") {
            return only
                .as_str()
                .map_or_else(|| only.to_string(), |only| format!("`{only}`"));
        }
        let words = kinds(part).map(|kind| match kind {
            "string" if part.get("pattern").is_some() => {
                "one in a release, as `opt-std@0.8`".to_owned()
            }
            "string" => "a string".to_owned(),
            "boolean" => "true or false".to_owned(),
            "integer" if most(part) < u64::MAX => {
                format!("a whole number from 0 to {}", most(part))
            }
            "integer" => "a whole number that is not negative".to_owned(),
            "array" => {
                let entry = part.get("items").map(|entry| self.accepted_kinds(entry));
                format!("a list, each entry {}", entry.unwrap_or_default())
            }
            "object" => {
                let known = part.get("properties").and_then(Value::as_object);
                let names = known.into_iter().flat_map(Map::keys);
                let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
                format!("an object of {}", listed_words(&names, "and"))
            }
            // What may be left out may be null; nobody needs to be told.
            _ => String::new(),
        });
        let words: Vec<String> = words.filter(|words| !words.is_empty()).collect();
        listed_words(&words, "or")
    }
}

/// The descriptions of which one has to fit.
fn choices(part: &Value) -> Option<&Vec<Value>> {
    part.get("anyOf").or_else(|| part.get("oneOf"))?.as_array()
}

/// The types that a part names: one or a list.
fn kinds(part: &Value) -> impl Iterator<Item = &str> {
    let named = part.get("type");
    let several = named.and_then(Value::as_array).into_iter().flatten();
    named
        .and_then(Value::as_str)
        .into_iter()
        .chain(several.filter_map(Value::as_str))
}

/// The largest whole number that a part takes.
fn most(part: &Value) -> u64 {
    match part.get("format").and_then(Value::as_str) {
        Some("uint32") => u64::from(u32::MAX),
        _ => u64::MAX,
    }
}

/// `a, b and c`.
fn listed_words(words: &[String], last: &str) -> String {
    match words {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., end] => format!("{} {last} {end}", first.join(", ")),
    }
}

/// The beginning of a value as JSON.
fn shown_value(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("`{}…`", text.get(..end).unwrap_or_default()),
        None => format!("`{text}`"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::check_arguments;

    fn said(arguments: &Value) -> String {
        let schema = json!({
            "$defs": {
                "Memory": { "oneOf": [
                    { "const": "dm", "type": "string" },
                    { "const": "trf", "type": "string" },
                ]},
                "Edit": {
                    "type": "object",
                    "properties": { "path": { "type": "string" }, "text": { "type": ["string", "null"] } },
                    "required": ["path"],
                },
            },
            "type": "object",
            "properties": {
                "edits": { "type": "array", "items": { "$ref": "#/$defs/Edit" } },
                "limit": { "type": ["integer", "null"], "minimum": 0, "format": "uint" },
                "line": { "type": ["integer", "null"], "minimum": 0, "format": "uint32" },
                "memory": { "anyOf": [{ "$ref": "#/$defs/Memory" }, { "type": "null" }] },
                "path": { "type": "string" },
            },
            "required": ["path"],
        });
        let (Value::Object(schema), Value::Object(arguments)) = (schema, arguments) else {
            return "no objects".to_owned();
        };
        check_arguments("tool", &schema, arguments)
            .err()
            .unwrap_or_default()
    }

    #[test]
    fn what_fits_is_not_spoken_of() {
        assert_eq!(said(&json!({ "path": "a" })), "");
        let all = json!({
            "path": "a", "limit": 3, "line": null, "memory": "dm",
            "edits": [{ "path": "b", "text": null }],
        });
        assert_eq!(said(&all), "");
    }

    #[test]
    fn each_fault_is_named_with_what_was_given_and_what_is_taken() {
        let words = [
            (
                json!({ "path": "a", "lines": 1 }),
                "`tool` has no argument `lines`; it takes `edits`, `limit`, `line`, `memory` and `path`",
            ),
            (json!({}), "`tool` needs `path`, a string"),
            (json!({ "path": 1 }), "`path` is `1`; it takes a string"),
            (
                json!({ "path": "a", "limit": -1 }),
                "`limit` is `-1`; it takes a whole number that is not negative",
            ),
            (
                json!({ "path": "a", "line": 4_294_967_296_u64 }),
                "`line` is `4294967296`; it takes a whole number from 0 to 4294967295",
            ),
            (
                json!({ "path": "a", "memory": "hbm" }),
                "`memory` is `\"hbm\"`; it takes `dm` or `trf`",
            ),
            (
                json!({ "path": "a", "edits": "b" }),
                "`edits` is `\"b\"`; it takes a list, each entry an object of `path` and `text`",
            ),
            (
                json!({ "path": "a", "edits": [{ "path": "b" }, { "path": [] }] }),
                "`edits[1].path` is `[]`; it takes a string",
            ),
            (
                json!({ "path": "a", "edits": [{ "file": "b" }] }),
                "`edits[0]` has no argument `file`; it takes `path` and `text`",
            ),
        ];
        for (arguments, expected) in words {
            assert_eq!(said(&arguments), expected);
        }
    }
}
