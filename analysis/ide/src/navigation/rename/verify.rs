//! Whether a rename keeps what every name means, by looking names up in a copy of the project with the edits applied.
//!
//! The copy has all settings of the project: code that a condition leaves out catches no name, and a rule that is off finds nothing.

use ra_ap_syntax::{SyntaxKind, SyntaxToken};

use super::{Edits, Renaming, file_edits, place_text, refuse_rename};
use crate::changes::{ProjectCopy, Sandbox, apply_fixes};
use crate::check::file_report;
use crate::db::Db;
use crate::inputs::SourceFile;
use crate::items::{Namespace, resolve_path};
use crate::names::{FileNames, Named, Occurrence, Role, files_around, word_places};
use crate::report::{DiagnosticFix, FileReport};
use crate::rules::Applicability;
use crate::{ByteRange, RenameProblem};

/// A name that no text has, for trying out what depends on an import.
const UNUSED: &str = "NameThatNothingElseHas";

/// The project with the edits applied. `None` where there is no project, or where they do not fit their texts.
fn edited_project(db: &dyn Db, edits: &Edits, name: &str) -> Option<Sandbox> {
    let copy = ProjectCopy::new(db, |_| true)?;
    let change = DiagnosticFix {
        title: String::new(),
        applicability: Applicability::Maybe,
        edits: file_edits(db, edits, name),
        cost: None,
    };
    let application = apply_fixes(copy.texts(), [&change]);
    let applied = !application.applied.is_empty();
    applied.then(|| Sandbox::new(&copy.with_texts(application.texts)))
}

/// The file of the copy that stands for a file.
fn copied_file(db: &dyn Db, copy: &Sandbox, file: SourceFile) -> Option<SourceFile> {
    copy.file(&file.path(db))
}

/// Where a byte of a file is after its edits; inside of an edit, where that starts.
fn moved_offset(offset: u32, ranges: &[ByteRange], name: &str) -> u32 {
    let length = u32::try_from(name.len()).unwrap_or(u32::MAX);
    let mut place = offset;
    for range in ranges {
        if range.end <= offset {
            let removed = range.end.saturating_sub(range.start);
            place = place.saturating_add(length).saturating_sub(removed);
        } else if range.start < offset {
            return place.saturating_sub(offset.saturating_sub(range.start));
        } else {
            break;
        }
    }
    place
}

fn moved_range(range: ByteRange, ranges: &[ByteRange], name: &str) -> ByteRange {
    ByteRange {
        start: moved_offset(range.start, ranges, name),
        end: moved_offset(range.end, ranges, name),
    }
}

fn token_at(names: &FileNames<'_>, name: &str, start: u32) -> Option<SyntaxToken> {
    names
        .tokens_named(name)
        .into_iter()
        .find(|token| names.range(token).start == start)
}

/// The renamed declaration as the copy knows it.
fn renamed_declaration(
    db: &dyn Db,
    copy: &Sandbox,
    named: &Named,
    edits: &Edits,
    name: &str,
) -> Option<Named> {
    let (file, place) = named.place(db)?;
    let ranges = edits.get(&file).map_or(&[][..], Vec::as_slice);
    let own = ranges.contains(&place);
    let declared = named.name(db);
    let names = FileNames::new(copy.db(), copied_file(db, copy, file)?)?;
    let token = token_at(
        &names,
        if own { name } else { &declared },
        moved_offset(place.start, ranges, name),
    )?;
    names.named_declaration(&Occurrence::of(&token)?)
}

/// The names that depend on one import's other name: those that mean something else once that is another.
pub(super) fn dependents(
    db: &dyn Db,
    renaming: &Renaming,
    import: (SourceFile, ByteRange),
) -> Option<Vec<(SourceFile, ByteRange)>> {
    let edits = Edits::from_iter([(import.0, vec![import.1])]);
    let copy = edited_project(db, &edits, UNUSED)?;
    let target = renamed_declaration(db, &copy, &renaming.named, &edits, UNUSED)?;
    let mut dependents = vec![import];
    for file in files_around(db, renaming.named.file(db)) {
        db.unwind_if_revision_cancelled();
        let mut here = renaming
            .found
            .iter()
            .filter(|found| found.file == file && found.role != Role::ImportRename)
            .peekable();
        if here.peek().is_none() {
            continue;
        }
        let names = FileNames::new(copy.db(), copied_file(db, &copy, file)?)?;
        let ranges = edits.get(&file).map_or(&[][..], Vec::as_slice);
        for found in here {
            let start = moved_offset(found.range.start, ranges, UNUSED);
            let still = token_at(&names, &found.name, start)
                .and_then(|token| Occurrence::of(&token))
                .and_then(|occurrence| names.named_declaration(&occurrence));
            if still.as_ref() != Some(&target) {
                dependents.push((file, found.range));
            }
        }
    }
    Some(dependents)
}

/// Whether all names mean after the edits what they meant before.
pub(super) fn check_meanings(
    db: &dyn Db,
    renaming: &Renaming,
    edits: &Edits,
    name: &str,
) -> Result<(), RenameProblem> {
    let files = files_around(db, renaming.named.file(db));
    let met = files
        .iter()
        .any(|file| word_places(&file.text(db), name).next().is_some());
    let same = same_axis(db, renaming, &files, name);
    if !met && same.is_none() {
        // Nothing has the new name, so nothing can catch it or be caught.
        return Ok(());
    }
    let Some(copy) = edited_project(db, edits, name) else {
        return refuse_rename("there is no project");
    };
    if met {
        names_keep(db, &copy, renaming, edits, name, &files)?;
    }
    if let Some((file, place)) = same
        && !findings_keep(db, &copy, edits, name, &files)
    {
        return refuse_rename(format!(
            "axes of one name and size are one axis: with the one in {}, the findings would change",
            place_text(db, file, place)
        ));
    }
    Ok(())
}

fn names_keep(
    db: &dyn Db,
    copy: &Sandbox,
    renaming: &Renaming,
    edits: &Edits,
    name: &str,
    files: &[SourceFile],
) -> Result<(), RenameProblem> {
    let Some(target) = renamed_declaration(db, copy, &renaming.named, edits, name) else {
        return refuse_rename(format!("`{name}` would not be found where it is declared"));
    };
    for file in files {
        db.unwind_if_revision_cancelled();
        let ranges = edits.get(file).map_or(&[][..], Vec::as_slice);
        let copied = copied_file(db, copy, *file);
        let Some(names) = copied.and_then(|copied| FileNames::new(copy.db(), copied)) else {
            continue;
        };
        let edited: Vec<u32> = ranges
            .iter()
            .map(|range| moved_offset(range.start, ranges, name))
            .collect();
        for token in names.tokens_named(name) {
            let range = names.range(&token);
            let ours = edited.binary_search(&range.start).is_ok();
            let means = means(copy, &names, &token, &target);
            if ours != means {
                let place = place_text(copy.db(), names.file, range);
                return refuse_rename(if ours {
                    format!("`{name}` would mean something else in {place}")
                } else {
                    format!(
                        "`{name}` in {place} would come to mean what is now `{}`",
                        renaming.old
                    )
                });
            }
        }
    }
    Ok(())
}

/// Whether a name means an axis or alias of the copy; the name of a variable does where the axis would forbid it.
fn means(copy: &Sandbox, names: &FileNames<'_>, token: &SyntaxToken, target: &Named) -> bool {
    if let Some(occurrence) = Occurrence::of(token) {
        return names.named_declaration(&occurrence).as_ref() == Some(target);
    }
    let pattern = token
        .parent_ancestors()
        .nth(1)
        .is_some_and(|node| node.kind() == SyntaxKind::IDENT_PAT);
    let scope = names.scope(token).filter(|_| pattern);
    scope.is_some_and(|scope| {
        let meaning = resolve_path(copy.db(), &scope, &[token.text()], Namespace::Value);
        Named::of(meaning).as_ref() == Some(target)
    })
}

/// Another axis of the renamed one's size that has its old or its new name: the analysis, as the library, takes axes of one
/// name and size for one.
fn same_axis(
    db: &dyn Db,
    renaming: &Renaming,
    files: &[SourceFile],
    name: &str,
) -> Option<(SourceFile, ByteRange)> {
    let Named::Axis(axis) = &renaming.named else {
        return None;
    };
    let size = axis.size.filter(|_| renaming.declaration)?;
    files.iter().find_map(|file| {
        let names = [&*renaming.old, name];
        let text = file.text(db);
        if names
            .iter()
            .all(|name| word_places(&text, name).next().is_none())
        {
            return None;
        }
        let here = FileNames::new(db, *file)?;
        names.iter().find_map(|name| {
            here.tokens_named(name).into_iter().find_map(|token| {
                let occurrence = Occurrence::of(&token)?;
                (occurrence.role == Role::AxisDeclaration).then_some(())?;
                let other = here.named_declaration(&occurrence)?;
                let Named::Axis(found) = &other else {
                    return None;
                };
                // The size of one that is declared twice is not known here: it may be the same.
                let same = other != renaming.named && found.size.is_none_or(|found| found == size);
                same.then(|| (*file, here.range(&token)))
            })
        })
    })
}

/// Whether the findings stay, but for the names in their words.
fn findings_keep(
    db: &dyn Db,
    copy: &Sandbox,
    edits: &Edits,
    name: &str,
    files: &[SourceFile],
) -> bool {
    files.iter().all(|file| {
        db.unwind_if_revision_cancelled();
        let Some(copied) = copied_file(db, copy, *file) else {
            return true;
        };
        let ranges = edits.get(file).map_or(&[][..], Vec::as_slice);
        let (before, after) = (file_report(db, *file), file_report(copy.db(), copied));
        let mut expected: Vec<_> = before
            .diagnostics
            .iter()
            .map(|found| {
                let range = ByteRange {
                    start: found.range.start.byte,
                    end: found.range.end.byte,
                };
                (moved_range(range, ranges, name), found.rule)
            })
            .collect();
        let mut found: Vec<_> = after
            .diagnostics
            .iter()
            .map(|found| {
                let range = ByteRange {
                    start: found.range.start.byte,
                    end: found.range.end.byte,
                };
                (range, found.rule)
            })
            .collect();
        expected.sort_unstable();
        found.sort_unstable();
        let counts =
            |report: &FileReport| (report.operations.resolved, report.operations.unresolved);
        expected == found && counts(&before) == counts(&after)
    })
}
