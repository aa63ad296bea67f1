//! Definition, references and renaming of values.

use super::super::syntax::{Kind, Place};
use super::super::values::{Definition, DefinitionId};
use super::{Seen, byte_range, token_at};
use visa_findings::answers::{ByteRange, Highlight, RenameProblem};

/// The definition of the name at an offset.
fn definition_at<'a>(
    analysis: &'a Seen<'_>,
    offset: u32,
) -> Option<(DefinitionId, &'a Definition)> {
    let (index, token) = token_at(analysis, offset)?;
    if let Some(value) = analysis.names.value(index) {
        return analysis.names.definition(value);
    }
    let mut definitions = analysis.names.definitions.iter().enumerate();
    let (number, found) = definitions.find(|(_, known)| known.place == token.place)?;
    Some((DefinitionId(u32::try_from(number).ok()?), found))
}

/// Where the name at an offset is: its definition, and then its uses in the order of the text.
pub(in super::super) fn name_places(
    analysis: &Seen<'_>,
    offset: u32,
) -> Option<(Place, Vec<Place>)> {
    let (id, definition) = definition_at(analysis, offset)?;
    let file = &analysis.file;
    let is_use = |index: u32| {
        let value = analysis.names.value(index);
        let found = value.and_then(|value| analysis.names.definition(value));
        found.is_some_and(|(of, _)| of == id)
    };
    let count = u32::try_from(file.tokens.len()).unwrap_or(u32::MAX);
    let uses = (0..count)
        .filter(|&index| file.token(index).kind == Kind::Value && is_use(index))
        .map(|index| file.token(index).place);
    Some((definition.place, uses.collect()))
}

/// The places of the name at an offset.
pub(in super::super) fn name_highlights(analysis: &Seen<'_>, offset: u32) -> Vec<Highlight> {
    let Some((definition, uses)) = name_places(analysis, offset) else {
        return Vec::new();
    };
    let highlight = |place: Place, declares: bool| Highlight {
        range: byte_range(place),
        declares,
    };
    let mut all = vec![highlight(definition, true)];
    all.extend(uses.into_iter().map(|place| highlight(place, false)));
    all.sort_by_key(|one| one.range);
    all
}

/// Why nothing is renamed where no value is.
pub(in super::super) fn nothing_to_rename() -> RenameProblem {
    RenameProblem("there is no value to rename here".to_owned())
}

/// The name at an offset without its `%`.
pub(in super::super) fn rename_place(
    analysis: &Seen<'_>,
    offset: u32,
) -> Result<(ByteRange, String), RenameProblem> {
    let (_, token) = token_at(analysis, offset).ok_or_else(nothing_to_rename)?;
    definition_at(analysis, offset).ok_or_else(nothing_to_rename)?;
    let place = Place {
        start: token.place.start + 1,
        end: token.place.end,
    };
    Ok((byte_range(place), analysis.file.text_at(place).to_owned()))
}

/// The places without `%` that get another name.
pub(in super::super) fn renamed_places(
    analysis: &Seen<'_>,
    offset: u32,
    name: &str,
) -> Result<(Vec<Place>, String), RenameProblem> {
    rename_place(analysis, offset)?;
    let name = name.strip_prefix('%').unwrap_or(name);
    let is_part =
        |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$' | '.' | '-');
    if name.is_empty() || !name.chars().all(is_part) {
        return Err(RenameProblem(format!(
            "`%{name}` is not a valid name of a value"
        )));
    }
    let (definition, uses) = name_places(analysis, offset).ok_or_else(nothing_to_rename)?;
    let file = &analysis.file;
    let (_, own) = definition_at(analysis, offset).ok_or_else(nothing_to_rename)?;
    let taken = analysis.names.definitions.iter().find(|known| {
        let related =
            file.is_within(known.region, own.region) || file.is_within(own.region, known.region);
        known.place != own.place
            && related
            && file.text_at(known.place).strip_prefix('%') == Some(name)
    });
    if let Some(taken) = taken {
        let line = analysis.line(taken.place.start);
        return Err(RenameProblem(format!(
            "`%{name}` is defined in line {line}"
        )));
    }
    let all = std::iter::once(definition).chain(uses).map(|place| {
        // The part behind `#` stays.
        Place {
            start: place.start + 1,
            end: place.end,
        }
    });
    Ok((all.collect(), name.to_owned()))
}
