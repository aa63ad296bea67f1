//! What fixes and alternatives write, as it is written there: axes by the names that they have, numbers in their author's way.
//!
//! A mapping prints its axes by their declared names. Where an axis is imported under another name, a fix writes that
//! one; where it is not in scope at all (in an alias of another module, say) there is no text for it and the fix is
//! dropped. Axes that a body calls by their paths are escaped, in fixes and in what is said: a path is no name to the macro.
//! Only the expressions of `m!` are looked at.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::db::Db;
use crate::items::{
    ItemId, ItemKind, Namespace, Resolution, ScopeRef, Span, file_items, item_text, resolve_path,
    scope_at, visible_type_names,
};

use crate::kernel::{Body, OperationKind, Written};
use crate::lowering::body;
use crate::mapping::Mapping;

use super::numerals::in_the_way_of;
use super::{Edit, FOLLOWING, Finding, Fix};

/// Writes the mappings of all fixes and alternatives with the names in scope, and drops those for which there are none.
/// Numbers are written as the author writes them there.
pub fn name_in_scope(db: &dyn Db, function: ItemId, findings: &mut [Finding]) {
    if findings.is_empty() {
        return;
    }
    let names = Names {
        db,
        sizes: axis_sizes(&body(db, function)),
    };
    for finding in findings {
        escape_paths(db, finding);
        names.fixes(function, &mut finding.fixes);
        let Some(alternatives) = &mut finding.alternatives else {
            continue;
        };
        alternatives.list.retain_mut(|stated| {
            if stated.edits.len() > 1
                && stated
                    .edits
                    .iter()
                    .any(|edit| is_shared_alias(db, function, edit))
            {
                return false;
            }
            let written = names.as_written(&stated.edits);
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

/// As [`name_in_scope`], of fixes alone.
pub fn name_fixes_in_scope(db: &dyn Db, function: ItemId, fixes: &mut Vec<Fix>) {
    Names::of(db, function).fixes(function, fixes);
}

/// The names in scope of a function, for many of its fixes one by one: what its body names is looked at once.
pub struct NamesInScope<'a> {
    function: ItemId,
    names: Names<'a>,
}

impl<'a> NamesInScope<'a> {
    /// Those of a function.
    pub fn of(db: &'a dyn Db, function: ItemId) -> Self {
        Self {
            function,
            names: Names::of(db, function),
        }
    }

    /// As [`name_fixes_in_scope`], for one fix.
    pub fn fix_in_scope(&self, fix: Fix) -> Option<Fix> {
        let mut fixes = vec![fix];
        self.names.fixes(self.function, &mut fixes);
        fixes.pop()
    }
}

/// Whether an edit changes an alias that other functions of its file name: what suits one of them may not suit the others.
pub fn is_shared_alias(db: &dyn Db, own: ItemId, edit: &Edit) -> bool {
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

/// Words about edits, with the texts that changed.
fn in_words(words: &str, before: &[Edit], after: &[Edit]) -> String {
    let changed = before.iter().zip(after);
    changed
        .filter(|(one, other)| one.text != other.text)
        .fold(words.to_owned(), |words, (one, other)| {
            words.replacen(&one.text, &other.text, 1)
        })
}

/// The sizes of the axes of a body by their names; none for a name that stands for several.
#[allow(
    clippy::mutable_key_type,
    reason = "a mapping's form is worked out once and is no part of what it is compared by"
)]
fn axis_sizes(body: &Body) -> FxHashMap<String, Option<u64>> {
    let mut sizes: FxHashMap<String, Option<u64>> = FxHashMap::default();
    // A kernel has the same few mappings at all of its places.
    let mut seen: FxHashSet<Mapping> = FxHashSet::default();
    let mut take = |mapping: &Mapping| {
        if seen.contains(mapping) {
            return;
        }
        seen.insert(mapping.clone());
        for axis in mapping.axes() {
            let size = sizes
                .entry(axis.name().to_owned())
                .or_insert(Some(axis.size()));
            if *size != Some(axis.size()) {
                *size = None;
            }
        }
    };
    for tensor in &body.tensors {
        let levels = tensor.levels.iter().map(|(_, level)| level);
        levels.filter_map(Written::get).for_each(&mut take);
    }
    for operation in &body.operations {
        if let OperationKind::Pass(pass) = &operation.kind {
            for stage in &pass.stages {
                let output = &stage.output;
                [&output.slice, &output.time, &output.packet]
                    .into_iter()
                    .filter_map(|level| level.get())
                    .for_each(&mut take);
            }
        }
    }
    sizes
}

/// The names of a body's axes.
struct Names<'a> {
    db: &'a dyn Db,
    /// The size of each, where one name stands for one.
    sizes: FxHashMap<String, Option<u64>>,
}

impl<'a> Names<'a> {
    fn of(db: &'a dyn Db, function: ItemId) -> Self {
        Self {
            db,
            sizes: axis_sizes(&body(db, function)),
        }
    }

    /// Writes the fixes of a function with the names in scope, and drops those for which there are none.
    fn fixes(&self, function: ItemId, fixes: &mut Vec<Fix>) {
        let db = self.db;
        fixes.retain_mut(|fix| {
            // What follows in one function may break another one.
            if fix.title.ends_with(FOLLOWING)
                && fix
                    .edits
                    .iter()
                    .any(|edit| is_shared_alias(db, function, edit))
            {
                return false;
            }
            // A path is no part of a mapping as it is written: the title says what the edit does.
            if fix.title.contains("::")
                && let Some(edit) = fix.edits.first()
            {
                let scope = scope_at(db, edit.span.item, edit.span.start);
                let title = with_renamed_axes(&fix.title, |axis| self.in_scope(&scope, axis));
                fix.title = title.unwrap_or_else(|| fix.title.clone());
            }
            let written = self.as_written(&fix.edits);
            written.is_some_and(|edits| {
                fix.title = in_words(&fix.title, &fix.edits, &edits);
                fix.edits = edits;
                true
            })
        });
    }

    /// The edits as their author would write them; `None` if an axis has no name there.
    fn as_written(&self, edits: &[Edit]) -> Option<Vec<Edit>> {
        let written = edits.iter().map(|edit| {
            let span = edit.span;
            let text = if edit.text.contains("m![") {
                let scope = scope_at(self.db, span.item, span.start);
                with_renamed_axes(&edit.text, |axis| self.in_scope(&scope, axis))?
            } else {
                let item = item_text(self.db, span.item);
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

    /// The name by which an axis is in scope. An axis that a body calls by its path from the crate's root is looked for by
    /// the name and the size that this path has; without a name of its own it is an escaped type.
    fn in_scope(&self, scope: &ScopeRef, axis: &str) -> Option<String> {
        if axis.contains("::") {
            return path_of(self.db, scope, axis);
        }
        let size = self.sizes.get(axis).copied().flatten();
        let names_it = |name: &str| {
            matches!(
                resolve_path(self.db, scope, &[name], Namespace::Type),
                Resolution::Axis(found)
                    if *found.name == *axis && (size.is_none() || found.size == size)
            )
        };
        if names_it(axis) {
            return Some(axis.to_owned());
        }
        let visible = visible_type_names(self.db, scope);
        visible
            .iter()
            .find(|name| names_it(name))
            .map(ToString::to_string)
    }
}

/// Writes paths in the `m!` of what a finding says as the macro reads them.
fn escape_paths(db: &dyn Db, finding: &mut Finding) {
    let place: Span = finding.span;
    let escape = |text: &mut String| {
        if text.contains("::") && text.contains("m![") {
            *text = with_paths(db, &scope_at(db, place.item, place.start), text);
        }
    };
    escape(&mut finding.message);
    finding.help.iter_mut().for_each(escape);
    finding.notes.iter_mut().for_each(escape);
    for related in &mut finding.related {
        escape(&mut related.message);
    }
}

/// A text with the paths of axes in its calls of `m!` as they are written in a scope.
pub fn with_paths(db: &dyn Db, scope: &ScopeRef, text: &str) -> String {
    let written = with_renamed_axes(text, |axis| {
        let path = axis.contains("::").then(|| path_of(db, scope, axis));
        Some(path.flatten().unwrap_or_else(|| axis.to_owned()))
    });
    written.unwrap_or_else(|| text.to_owned())
}

fn path_of(db: &dyn Db, scope: &ScopeRef, path: &str) -> Option<String> {
    let axis_at = |path: &str| {
        let segments: Vec<&str> = path.split("::").collect();
        match resolve_path(db, scope, &segments, Namespace::Type) {
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

/// The text with the axes in its calls of `m!` named again; `None` if one has no name. A path is in braces, and what names
/// it takes their place; other types in braces stay.
fn with_renamed_axes(text: &str, name_of: impl Fn(&str) -> Option<String>) -> Option<String> {
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, call)) = rest.split_once("m![") {
        written.push_str(before);
        written.push_str("m![");
        let end = closing_bracket(call).unwrap_or(call.len());
        let (mut body, after) = call.split_at_checked(end)?;
        while let Some(letter) = body.chars().next() {
            let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | ':');
            let length = if letter == '{' {
                body.find('}').map_or(body.len(), |end| end + 1)
            } else if is_word(letter) {
                body.find(|letter| !is_word(letter)).unwrap_or(body.len())
            } else {
                letter.len_utf8()
            };
            let (part, left) = body.split_at_checked(length)?;
            body = left;
            let inside = part.trim_matches(['{', '}', ' ']);
            let escaped = letter == '{';
            let is_path = inside.contains("::") && inside.chars().all(is_word);
            if (escaped && is_path) || (is_word(letter) && !letter.is_ascii_digit()) {
                written.push_str(&name_of(inside)?);
            } else {
                written.push_str(part);
            }
        }
        rest = after;
    }
    written.push_str(rest);
    Some(written)
}

/// Where the bracket closes that was opened before the text.
fn closing_bracket(text: &str) -> Option<usize> {
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
    use super::with_renamed_axes;

    #[test]
    fn axes_of_all_expressions_are_renamed() {
        let name = |axis: &str| match axis {
            "F_hidden" => Some("F".to_owned()),
            "Gone" => None,
            other => Some(other.to_owned()),
        };
        assert_eq!(
            with_renamed_axes("a::<m![T, [F_hidden # 32] / 8], m![F_hidden % 8]>", name).as_deref(),
            Some("a::<m![T, [F # 32] / 8], m![F % 8]>")
        );
        assert_eq!(with_renamed_axes("m![Gone]", name), None);
        let path = |axis: &str| Some(format!("<{axis}>"));
        assert_eq!(
            with_renamed_axes("m![{ a::b::T } % 8, T, { Row } # 64, { C::<8> }]", path).as_deref(),
            Some("m![<a::b::T> % 8, <T>, { Row } # 64, { C::<8> }]")
        );
        assert_eq!(with_renamed_axes("0x40", name).as_deref(), Some("0x40"));
        assert_eq!(
            with_renamed_axes("m![1 # 8", name).as_deref(),
            Some("m![1 # 8")
        );
    }
}
