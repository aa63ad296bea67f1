//! What the reader of TOML refuses, in words for people who write settings.
//!
//! Knows the sentences of serde and of the TOML library, and nothing of the settings themselves. A sentence that it does not know
//! stays as it is.

/// A complaint about a key or a value.
pub(super) fn reworded(words: &str) -> String {
    unknown_key(words)
        .or_else(|| unknown_value(words))
        .or_else(|| wrong_value(words))
        .or_else(|| {
            words
                .strip_prefix("wanted string or table")
                .map(|_| format!("{HAS_TO_BE} a text"))
        })
        .unwrap_or_else(|| words.to_owned())
}

const HAS_TO_BE: &str = "this has to be";

/// ``unknown field `a`, expected one of `b`, `c` ``.
fn unknown_key(words: &str) -> Option<String> {
    let (key, others) = refused_name(words, "unknown field ")?;
    Some(match others.as_str() {
        "" => format!("there is no setting `{key}` here"),
        others => format!("there is no setting `{key}` here; there are {others}"),
    })
}

/// ``unknown variant `a`, expected `b` or `c` ``.
fn unknown_value(words: &str) -> Option<String> {
    let (value, others) = refused_name(words, "unknown variant ")?;
    Some(format!("{HAS_TO_BE} one of {others}, and is `{value}`"))
}

/// A name in backticks behind some words, and the names that were expected.
fn refused_name(words: &str, start: &str) -> Option<(String, String)> {
    let mut quoted = words.strip_prefix(start)?.split('`').skip(1).step_by(2);
    let name = quoted.next()?.to_owned();
    let others: Vec<String> = quoted.map(|other| format!("`{other}`")).collect();
    Some((name, others.join(", ")))
}

/// ``invalid type: integer `5`, expected a string``.
fn wrong_value(words: &str) -> Option<String> {
    let rest = words
        .strip_prefix("invalid type: ")
        .or_else(|| words.strip_prefix("invalid value: "))?;
    let (is, wanted) = rest.rsplit_once(", expected ")?;
    Some(format!(
        "{HAS_TO_BE} {}, and is {}",
        kind_in_words(wanted),
        value_in_words(is)
    ))
}

fn kind_in_words(wanted: &str) -> &str {
    match wanted {
        "a string" => "a text",
        "a sequence" => "a list",
        "a nonzero u64" => "a whole number above 0",
        "u64" => "a whole number from 0 on",
        "a map" => "a table",
        structure if structure.starts_with("struct ") => "a table",
        other => other,
    }
}

fn value_in_words(is: &str) -> String {
    let number = is
        .strip_prefix("integer ")
        .or_else(|| is.strip_prefix("floating point "))
        .or_else(|| is.strip_prefix("boolean "));
    if let Some(number) = number {
        return number.to_owned();
    }
    match is {
        "sequence" => "a list".to_owned(),
        "map" => "a table".to_owned(),
        other => other
            .strip_prefix("string ")
            .map_or_else(|| other.to_owned(), |text| format!("`{text}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::reworded;

    #[test]
    fn complaints_are_in_words_of_settings() {
        for (words, expected) in [
            (
                "unknown field `a`, expected one of `b`, `c`",
                "there is no setting `a` here; there are `b`, `c`",
            ),
            (
                "unknown field `a`, there are no fields",
                "there is no setting `a` here",
            ),
            (
                "unknown variant `x`, expected `y` or `z`",
                "this has to be one of `y`, `z`, and is `x`",
            ),
            (
                "invalid type: string \"a, expected b\", expected a nonzero u64",
                "this has to be a whole number above 0, and is `\"a, expected b\"`",
            ),
            (
                "invalid value: integer `-1`, expected a nonzero u64",
                "this has to be a whole number above 0, and is `-1`",
            ),
            (
                "invalid type: map, expected a sequence",
                "this has to be a list, and is a table",
            ),
            ("wanted string or table", "this has to be a text"),
            ("duplicate key", "duplicate key"),
        ] {
            assert_eq!(reworded(words), expected);
        }
    }
}
