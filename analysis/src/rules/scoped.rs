//! Axes in fixes, by the names that they have where a fix writes them.
//!
//! A mapping prints its axes by their declared names. Where an axis is imported under another name, a fix writes that
//! one; where it is not in scope at all (in an alias of another module, say) there is no text for it and the fix is
//! dropped. Only the expressions of `m!` in a fix are looked at.

use crate::db::Db;
use crate::items::{Namespace, Resolution, ScopeRef, resolve, scope_at, visible_type_names};

use super::Finding;

/// Writes the mappings of all fixes with the names in scope, and drops the fixes for which there are none.
pub(crate) fn name_in_scope(db: &dyn Db, findings: &mut [Finding]) {
    for finding in findings {
        finding.fixes.retain_mut(|fix| {
            // A path is no part of a mapping as it is written: the title says what the edit does.
            if fix.title.contains("::")
                && let Some(edit) = fix.edits.first()
            {
                let scope = scope_at(db, edit.span.item, edit.span.start);
                let title = renamed(&fix.title, |axis| name_of(db, &scope, axis));
                fix.title = title.unwrap_or_else(|| fix.title.clone());
            }
            fix.edits.iter_mut().all(|edit| {
                if !edit.text.contains("m![") {
                    return true;
                }
                let scope = scope_at(db, edit.span.item, edit.span.start);
                match renamed(&edit.text, |axis| name_of(db, &scope, axis)) {
                    Some(text) => {
                        edit.text = text;
                        true
                    }
                    None => false,
                }
            })
        });
    }
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
