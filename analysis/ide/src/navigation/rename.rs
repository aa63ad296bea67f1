//! Another name for an axis, an alias, or what an import calls one.
//!
//! A rename either keeps what every name means or is refused with the reason. Names that would be caught by another
//! declaration, and names that the renamed declaration would catch, are found by looking everything up again in a copy of the
//! project with the edits applied. Axes of one name and size are one axis wherever they are declared; where that may matter the
//! findings before and after are compared too.

#[cfg(test)]
mod random_tests;
#[cfg(test)]
mod tests;
mod verify;

use std::sync::Arc;

use ra_ap_syntax::SyntaxKind;
use rustc_hash::FxHashMap;

use crate::db::Db;
use crate::inputs::{SourceFile, line_index};
use crate::items::{Namespace, Resolution, dialect, resolve_path};
use crate::libraries::Library;
use crate::names::{FileNames, Found, Role, all_of};
use crate::report::FileEdit;
use crate::syntax::EDITION;
use crate::{ByteRange, RenameProblem};

use super::{Named, Occurrence, named_at};

/// Imports that give one axis or alias the same other name, at most, before a rename of that name is refused.
const MAXIMUM_IMPORTS: usize = 16;

/// The names that change, file by file, in the order of the text.
type Edits = FxHashMap<SourceFile, Vec<ByteRange>>;

/// What is renamed, with all names that change.
struct Renaming {
    named: Named,
    /// The name as it is.
    old: Arc<str>,
    /// Whether the declaration itself is renamed, not the other name that an import gives.
    declaration: bool,
    /// The names that change.
    found: Vec<Found>,
}

/// The name at a cursor, if it can be changed.
pub(crate) fn prepare_rename(
    db: &dyn Db,
    file: SourceFile,
    offset: u32,
) -> Result<(ByteRange, String), RenameProblem> {
    let (named, occurrence, range) = named_or_why(db, file, offset)?;
    declared_once(db, &named)?;
    Ok((range, occurrence.name().to_string()))
}

/// The edits that give the name at a cursor another form everywhere, in the order of files and places.
pub(crate) fn rename_at(
    db: &dyn Db,
    file: SourceFile,
    offset: u32,
    name: &str,
) -> Result<Vec<FileEdit>, RenameProblem> {
    let (named, occurrence, range) = named_or_why(db, file, offset)?;
    declared_once(db, &named)?;
    if *occurrence.name() == *name {
        return Ok(Vec::new());
    }
    let renaming = renaming(db, named, &occurrence.name(), (file, range))?;
    check_name(db, &renaming, name)?;
    free_where_used(db, &renaming, name)?;
    let edits = rename_edits(&renaming);
    verify::check_meanings(db, &renaming, &edits, name)?;
    Ok(file_edits(db, &edits, name))
}

/// The edits that write a name at places, in the order of files and places.
fn file_edits(db: &dyn Db, edits: &Edits, name: &str) -> Vec<FileEdit> {
    let edits = edits.iter().flat_map(|(file, ranges)| {
        let path = file.path(db);
        ranges.iter().map(move |range| FileEdit {
            file: Arc::clone(&path),
            start_byte: range.start,
            end_byte: range.end,
            text: name.to_owned(),
        })
    });
    let mut edits: Vec<FileEdit> = edits.collect();
    edits.sort_by(|one, other| (&one.file, one.start_byte).cmp(&(&other.file, other.start_byte)));
    edits
}

fn refuse_rename<T>(why: impl Into<String>) -> Result<T, RenameProblem> {
    Err(RenameProblem(why.into()))
}

/// The axis or alias at a cursor, or why there is none.
fn named_or_why(
    db: &dyn Db,
    file: SourceFile,
    offset: u32,
) -> Result<(Named, Occurrence, ByteRange), RenameProblem> {
    if let Some(found) = named_at(db, file, offset) {
        return Ok(found);
    }
    let nothing = "only axes and type aliases can be renamed here";
    let meaning = super::name_at(db, file, offset)
        .and_then(|token| Occurrence::of(&token))
        .and_then(|occurrence| {
            let meaning = FileNames::new(db, file)?.name_meaning(&occurrence)?;
            Some((occurrence.name(), meaning))
        });
    let Some((name, meaning)) = meaning else {
        return refuse_rename(nothing);
    };
    match meaning {
        Resolution::Prelude(_) => refuse_rename(format!("`{name}` belongs to the kernel library")),
        Resolution::External => refuse_rename(format!(
            "`{name}` is declared outside of the project, or more than once"
        )),
        Resolution::Unknown { .. } => {
            refuse_rename(format!("`{name}` is declared nowhere in sight"))
        }
        _ => refuse_rename(nothing),
    }
}

/// What a name that is declared twice means is unknown: a rename of one of the declarations would be a guess.
fn declared_once(db: &dyn Db, named: &Named) -> Result<(), RenameProblem> {
    let again = || -> Option<bool> {
        let (file, range) = named.place(db)?;
        let names = FileNames::new(db, file)?;
        let token = names
            .tokens_named(&named.name(db))
            .into_iter()
            .find(|token| names.range(token) == range)?;
        let meaning = names.name_meaning(&Occurrence::of(&token)?)?;
        Some(Named::of(meaning).as_ref() == Some(named))
    };
    if again() == Some(true) {
        return Ok(());
    }
    refuse_rename(format!(
        "`{}` is declared more than once, so that it is unknown which declaration its uses mean",
        named.name(db)
    ))
}

fn renaming(
    db: &dyn Db,
    named: Named,
    old: &Arc<str>,
    cursor: (SourceFile, ByteRange),
) -> Result<Renaming, RenameProblem> {
    let mut found = all_of(db, &named);
    found.retain(|found| found.name == *old);
    let declaration = *named.name(db) == **old;
    let mut renaming = Renaming {
        named,
        old: Arc::clone(old),
        declaration,
        found,
    };
    if declaration {
        return Ok(renaming);
    }
    let imports: Vec<(SourceFile, ByteRange)> = renaming
        .found
        .iter()
        .filter(|found| found.role == Role::ImportRename)
        .map(|found| (found.file, found.range))
        .collect();
    if imports.len() > MAXIMUM_IMPORTS {
        return refuse_rename(format!("too many imports give `{old}` as another name"));
    }
    if imports.len() > 1 {
        // The import that the cursor's name comes from: the one whose name's change changes the meaning there.
        let own = imports.iter().find_map(|import| {
            let dependents = verify::dependents(db, &renaming, *import)?;
            dependents.contains(&cursor).then_some(dependents)
        });
        let Some(own) = own else {
            return refuse_rename(format!(
                "several imports give `{old}` as another name; rename it at one of them"
            ));
        };
        renaming
            .found
            .retain(|found| own.contains(&(found.file, found.range)));
    }
    Ok(renaming)
}

/// Whether a name can be where the renamed one does.
fn check_name(db: &dyn Db, renaming: &Renaming, name: &str) -> Result<(), RenameProblem> {
    if name.starts_with("r#") {
        return refuse_rename(format!("`{name}`: write the name without `r#`"));
    }
    if SyntaxKind::from_keyword(name, EDITION).is_some() {
        return refuse_rename(format!("`{name}` is a keyword"));
    }
    let identifier = syn::parse_str::<syn::Ident>(name);
    if identifier.is_err() || name.contains(char::is_whitespace) || name == "_" {
        return refuse_rename(format!("`{name}` is not an identifier"));
    }
    if renaming.declaration && matches!(renaming.named, Named::Axis(_)) {
        let first = name.chars().next().unwrap_or('_');
        let dialect = dialect(db, renaming.named.file(db));
        let allowed = match dialect.library {
            Library::VisaStd => first.is_ascii_uppercase(),
            Library::OptStd => first.is_ascii_alphabetic(),
        };
        if !allowed {
            let wanted = match dialect.library {
                Library::VisaStd => "an upper-case letter",
                Library::OptStd => "a letter",
            };
            return refuse_rename(format!("an axis starts with {wanted}; `{name}` does not"));
        }
    }
    Ok(())
}

/// Whether nothing that can be seen from a use has the new name.
fn free_where_used(db: &dyn Db, renaming: &Renaming, name: &str) -> Result<(), RenameProblem> {
    let spaces: &[Namespace] = match renaming.named {
        // Axes are unit structs: types and values.
        Named::Axis(_) => &[Namespace::Type, Namespace::Value],
        Named::Alias(_) => &[Namespace::Type],
    };
    for found in &renaming.found {
        for space in spaces {
            let meaning = resolve_path(db, &found.scope, &[name], *space);
            let what = match meaning {
                Resolution::Unknown { .. } => continue,
                Resolution::Axis(_) => "an axis",
                Resolution::Alias(_) => "a type alias",
                Resolution::Const(_) => "a constant",
                Resolution::Function(_) => "a function",
                Resolution::Module(_) => "a module",
                Resolution::Type(_) => "a type",
                Resolution::Parameter(_) => "a generic parameter",
                Resolution::Prelude(_) => "a name of the kernel library",
                Resolution::External => "a name from elsewhere",
            };
            return refuse_rename(format!(
                "`{name}` is already {what} where `{}` is in {}",
                renaming.old,
                place_text(db, found.file, found.range)
            ));
        }
    }
    Ok(())
}

/// The names that change, file by file.
fn rename_edits(renaming: &Renaming) -> Edits {
    let mut edits = Edits::default();
    for found in &renaming.found {
        edits.entry(found.file).or_default().push(found.range);
    }
    for ranges in edits.values_mut() {
        ranges.sort_unstable();
        ranges.dedup();
    }
    edits
}

/// A place for messages: file and line.
fn place_text(db: &dyn Db, file: SourceFile, range: ByteRange) -> String {
    let line = line_index(db, file).line(range.start);
    format!("{}:{line}", file.path(db))
}
