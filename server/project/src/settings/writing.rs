//! Changes of a settings file: a rule is allowed, and all else stays as its author wrote it.
//!
//! Knows TOML as text; which file holds and what its levels come to is the business of [`super`].

use toml_edit::{DocumentMut, TableLike, Value};

/// The table of levels.
const LEVELS: &str = "levels";

/// The text of a settings file with a rule at level `allow`. `None` where the text is no TOML, or `levels` is no table.
pub fn text_allowing_rule(text: &str, rule: &str) -> Option<String> {
    let (mark, text) = match text.strip_prefix('\u{feff}') {
        Some(rest) => ("\u{feff}", rest),
        None => ("", text),
    };
    // The library writes the ends of lines that it knows nothing of as `\n`.
    let is_windows = text.contains("\r\n");
    let mut document: DocumentMut = text.replace("\r\n", "\n").parse().ok()?;
    let is_inline = document
        .get(LEVELS)
        .is_some_and(toml_edit::Item::is_inline_table);
    let levels = document
        .entry(LEVELS)
        .or_insert_with(toml_edit::table)
        .as_table_like_mut()?;
    set(levels, rule, is_inline)?;
    let written = document.to_string();
    let written = if text.trim().is_empty() {
        written.trim_start().to_owned()
    } else {
        written
    };
    let written = if is_windows {
        written.replace('\n', "\r\n")
    } else {
        written
    };
    Some(format!("{mark}{written}"))
}

/// Gives a rule the level; a level that is there is replaced, and the remark behind it stays.
fn set(levels: &mut dyn TableLike, rule: &str, is_inline: bool) -> Option<()> {
    let allow = || Value::from("allow");
    match levels.get_mut(rule) {
        None => {
            let mut added = allow();
            let last = levels.iter_mut().last();
            let last = last.and_then(|(_, item)| item.as_value_mut());
            // In `{ a = 1 }` the space before the brace is the last value's.
            if let Some(last) = last.filter(|_| is_inline) {
                let space = last.decor().suffix().cloned().unwrap_or_default();
                last.decor_mut().set_suffix("");
                added.decor_mut().set_suffix(space);
            }
            levels.insert(rule, toml_edit::Item::Value(added));
        }
        Some(item) => {
            let value = item.as_value_mut()?;
            let around = value.decor().clone();
            *value = allow();
            *value.decor_mut() = around;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::text_allowing_rule;

    fn allowed(text: &str) -> Option<String> {
        text_allowing_rule(text, "slice_size")
    }

    #[test]
    fn what_is_written_stays_and_one_line_is_added_or_changed() {
        for (before, after) in [
            ("", "[levels]\nslice_size = \"allow\"\n"),
            (
                "# Ours.\ntarget = \"rngd\" # the chip\n",
                "# Ours.\ntarget = \"rngd\" # the chip\n\n[levels]\nslice_size = \"allow\"\n",
            ),
            (
                "[levels]\nperformance = \"warn\"\n\n# Costs.\n[budgets]\ndot = 70_000\n",
                "[levels]\nperformance = \"warn\"\nslice_size = \"allow\"\n\n# Costs.\n[budgets]\ndot = 70_000\n",
            ),
            (
                "[levels]\n  slice_size = \"deny\"   # for now\n",
                "[levels]\n  slice_size = \"allow\"   # for now\n",
            ),
            (
                "levels = { performance = \"warn\" }\n",
                "levels = { performance = \"warn\", slice_size = \"allow\" }\n",
            ),
            (
                "levels.performance = \"warn\"\n",
                "levels.performance = \"warn\"\nlevels.slice_size = \"allow\"\n",
            ),
            (
                "\u{feff}[levels]\r\nperformance = \"warn\"\r\n",
                "\u{feff}[levels]\r\nperformance = \"warn\"\r\nslice_size = \"allow\"\r\n",
            ),
        ] {
            assert_eq!(allowed(before).as_deref(), Some(after), "{before}");
        }
    }

    #[test]
    fn what_is_no_settings_file_is_left_alone() {
        for text in [
            "levels = 3\n",
            "[levels\n",
            "levels = [1]\n",
            "[levels.slice_size]\n",
        ] {
            assert_eq!(allowed(text), None, "{text}");
        }
    }
}
