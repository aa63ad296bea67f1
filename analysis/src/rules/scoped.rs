//! What fixes and alternatives write, as it is written there: axes by the names that they have, numbers in their author's way.
//!
//! A mapping prints its axes by their declared names. Where an axis is imported under another name, a fix writes that
//! one; where it is not in scope at all (in an alias of another module, say) there is no text for it and the fix is
//! dropped. Only the expressions of `m!` in a fix are looked at.

use crate::db::Db;
use crate::items::{
    ItemId, ItemKind, Namespace, Resolution, ScopeRef, file_items, item_text, resolve, scope_at,
    visible_type_names,
};

use super::numerals::in_the_way_of;
use super::{Edit, FOLLOWING, Finding};

/// Writes the mappings of all fixes and alternatives with the names in scope, and drops those for which there are none.
/// Numbers are written as the author writes them there.
pub(crate) fn name_in_scope(db: &dyn Db, function: ItemId, findings: &mut [Finding]) {
    for finding in findings {
        finding.fixes.retain_mut(|fix| {
            // What follows in one function may break another one.
            if fix.title.ends_with(FOLLOWING)
                && fix.edits.iter().any(|edit| is_shared(db, function, edit))
            {
                return false;
            }
            // A path is no part of a mapping as it is written: the title says what the edit does.
            if fix.title.contains("::")
                && let Some(edit) = fix.edits.first()
            {
                let scope = scope_at(db, edit.span.item, edit.span.start);
                let title = renamed(&fix.title, |axis| name_of(db, &scope, axis));
                fix.title = title.unwrap_or_else(|| fix.title.clone());
            }
            let written = as_written(db, &fix.edits);
            written.is_some_and(|edits| {
                fix.title = in_words(&fix.title, &fix.edits, &edits);
                fix.edits = edits;
                true
            })
        });
        let Some(alternatives) = &mut finding.alternatives else {
            continue;
        };
        alternatives.list.retain_mut(|stated| {
            if stated.edits.len() > 1
                && stated
                    .edits
                    .iter()
                    .any(|edit| is_shared(db, function, edit))
            {
                return false;
            }
            let written = as_written(db, &stated.edits);
            written.is_some_and(|edits| {
                stated.text = in_words(&stated.text, &stated.edits, &edits);
                stated.edits = edits;
                true
            })
        });
        if alternatives.list.is_empty() {
            finding.alternatives = None;
        }
    }
}

/// Whether an edit changes an alias that other functions of its file name: what suits one of them may not suit the others.
fn is_shared(db: &dyn Db, own: ItemId, edit: &Edit) -> bool {
    let alias = edit.span.item;
    if alias.kind(db) == ItemKind::Function {
        return false;
    }
    let name = alias.name(db);
    let items = file_items(db, alias.file(db));
    let mut functions = items.items.iter().filter(|item| {
        let text = item_text(db, **item);
        let mut words = text
            .text
            .split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        item.kind(db) == ItemKind::Function && words.any(|word| *word == *name)
    });
    functions.next().is_some_and(|first| *first != own) || functions.next().is_some()
}

/// The edits as their author would write them; `None` if an axis has no name there.
fn as_written(db: &dyn Db, edits: &[Edit]) -> Option<Vec<Edit>> {
    let written = edits.iter().map(|edit| {
        let span = edit.span;
        let text = if edit.text.contains("m![") {
            let scope = scope_at(db, span.item, span.start);
            renamed(&edit.text, |axis| name_of(db, &scope, axis))?
        } else {
            let item = item_text(db, span.item);
            let replaced = item.text.get(span.start as usize..span.end as usize);
            replaced
                .and_then(|replaced| in_the_way_of(&edit.text, replaced))
                .unwrap_or_else(|| edit.text.clone())
        };
        Some(Edit {
            text,
            ..edit.clone()
        })
    });
    written.collect()
}

/// Words about edits, with the texts that changed.
fn in_words(words: &str, before: &[Edit], after: &[Edit]) -> String {
    let changed = before.iter().zip(after);
    changed
        .filter(|(one, other)| one.text != other.text)
        .fold(words.to_owned(), |words, (one, other)| {
            words.replacen(&one.text, &other.text, 1)
        })
}

/// The name by which an axis is in scope. An axis that a body calls by its path from the crate's root is looked for by the
/// name and the size that this path has; without a name of its own it is an escaped type.
fn name_of(db: &dyn Db, scope: &ScopeRef, axis: &str) -> Option<String> {
    if axis.contains("::") {
        return path_of(db, scope, axis);
    }
    let names_it = |name: &str| {
        matches!(
            resolve(db, scope, &[name], Namespace::Type),
            Resolution::Axis(found) if *found.name == *axis
        )
    };
    if names_it(axis) {
        return Some(axis.to_owned());
    }
    let visible = visible_type_names(db, scope);
    visible
        .iter()
        .find(|name| names_it(name))
        .map(ToString::to_string)
}

fn path_of(db: &dyn Db, scope: &ScopeRef, path: &str) -> Option<String> {
    let axis_at = |path: &str| {
        let segments: Vec<&str> = path.split("::").collect();
        match resolve(db, scope, &segments, Namespace::Type) {
            Resolution::Axis(axis) => Some(axis),
            _ => None,
        }
    };
    let whole = format!("crate::{path}");
    let (path, axis) = [path, whole.as_str()]
        .into_iter()
        .find_map(|path| Some((path, axis_at(path)?)))?;
    let visible = visible_type_names(db, scope);
    let named = visible.iter().find(|name| {
        axis_at(name).is_some_and(|found| found.name == axis.name && found.size == axis.size)
    });
    Some(named.map_or_else(|| format!("{{ {path} }}"), ToString::to_string))
}

/// The text with the axes in its calls of `m!` named anew; `None` if one has no name.
fn renamed(text: &str, name_of: impl Fn(&str) -> Option<String>) -> Option<String> {
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, call)) = rest.split_once("m![") {
        written.push_str(before);
        written.push_str("m![");
        let end = closing(call).unwrap_or(call.len());
        let (body, after) = call.split_at_checked(end)?;
        let mut word = String::new();
        for letter in body.chars().chain([' ']) {
            // No operator of `m!` is a colon: it joins the segments of a path.
            if letter.is_alphanumeric() || matches!(letter, '_' | ':') {
                word.push(letter);
                continue;
            }
            if word.starts_with(|first: char| first.is_ascii_digit()) {
                written.push_str(&word);
            } else if !word.is_empty() {
                written.push_str(&name_of(&word)?);
            }
            word.clear();
            written.push(letter);
        }
        // The blank behind the last word.
        written.pop();
        rest = after;
    }
    written.push_str(rest);
    Some(written)
}

/// Where the bracket closes that was opened before the text.
fn closing(text: &str) -> Option<usize> {
    let mut open = 1_usize;
    for (place, letter) in text.char_indices() {
        match letter {
            '[' => open += 1,
            ']' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some(place);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::renamed;

    #[test]
    fn axes_of_all_expressions_are_renamed() {
        let name = |axis: &str| match axis {
            "F_hidden" => Some("F".to_owned()),
            "Gone" => None,
            other => Some(other.to_owned()),
        };
        assert_eq!(
            renamed("a::<m![T, [F_hidden # 32] / 8], m![F_hidden % 8]>", name).as_deref(),
            Some("a::<m![T, [F # 32] / 8], m![F % 8]>")
        );
        assert_eq!(renamed("m![Gone]", name), None);
        let path = |axis: &str| Some(format!("<{axis}>"));
        assert_eq!(
            renamed("m![a::b::T % 8, T]", path).as_deref(),
            Some("m![<a::b::T> % 8, <T>]")
        );
        assert_eq!(renamed("0x40", name).as_deref(), Some("0x40"));
        assert_eq!(renamed("m![1 # 8", name).as_deref(), Some("m![1 # 8"));
    }
}
