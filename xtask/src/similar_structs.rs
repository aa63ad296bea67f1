//! Pairs of structs that share most of their fields: each is a fact that is copied from one shape into another.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use ra_ap_syntax::ast::{self, HasName};
use ra_ap_syntax::{AstNode, Edition, SourceFile};

/// Structs with fewer fields share them by chance.
const FEWEST_FIELDS: usize = 3;

/// The part of the larger struct's fields that both have, in percent.
const LEAST_SHARED: usize = 70;

/// A struct with named fields.
struct Declared {
    file: PathBuf,
    name: String,
    fields: BTreeSet<String>,
}

/// Lists the pairs of structs in the code that ships, and counts them.
///
/// # Errors
///
/// If a folder or a file cannot be read.
pub(crate) fn run(repository: &Path) -> Result<String, String> {
    let mut structs = Vec::new();
    for folder in ["analysis", "server"] {
        collect_structs(&repository.join(folder), &mut structs)?;
    }
    let mut words = String::new();
    let mut count = 0;
    for (number, one) in structs.iter().enumerate() {
        for other in structs.iter().skip(number + 1) {
            let Some(shared) = shared_fields(one, other) else {
                continue;
            };
            count += 1;
            let place = |of: &Declared| {
                let file = of.file.strip_prefix(repository).unwrap_or(&of.file);
                format!("{} ({})", of.name, file.display())
            };
            let _ = writeln!(words, "{shared:3}  {}  {}", place(one), place(other));
        }
    }
    let _ = write!(
        words,
        "{count} pairs of {} structs share {LEAST_SHARED} % of {FEWEST_FIELDS} or more fields",
        structs.len()
    );
    Ok(words)
}

/// How many fields two structs share, where they share most of them.
fn shared_fields(one: &Declared, other: &Declared) -> Option<usize> {
    let (fewer, more) = (
        one.fields.len().min(other.fields.len()),
        one.fields.len().max(other.fields.len()),
    );
    let shared = one.fields.intersection(&other.fields).count();
    (fewer >= FEWEST_FIELDS && shared * 100 >= more * LEAST_SHARED).then_some(shared)
}

/// Adds the structs of a folder's Rust files, those of tests left out, in the order of the files' names.
fn collect_structs(folder: &Path, structs: &mut Vec<Declared>) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("cannot read `{}`: {error}", folder.display());
    let entries: Result<Vec<_>, _> = fs::read_dir(folder).map_err(failed)?.collect();
    let mut entries: Vec<PathBuf> = (entries.map_err(failed)?.iter())
        .map(fs::DirEntry::path)
        .collect();
    entries.sort();
    for path in entries {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        if name.contains("test") || name == "target" || name == "violations" {
            continue;
        }
        if path.is_dir() {
            collect_structs(&path, structs)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path);
            let text =
                text.map_err(|error| format!("cannot read `{}`: {error}", path.display()))?;
            structs.extend(structs_of_text(&path, &text));
        }
    }
    Ok(())
}

fn structs_of_text(file: &Path, text: &str) -> Vec<Declared> {
    let tree = SourceFile::parse(text, Edition::CURRENT).tree();
    let structs = tree.syntax().descendants().filter_map(ast::Struct::cast);
    let declared = structs.filter_map(|declared| {
        let Some(ast::FieldList::RecordFieldList(fields)) = declared.field_list() else {
            return None;
        };
        Some(Declared {
            file: file.to_path_buf(),
            name: declared.name()?.text().to_string(),
            fields: fields
                .fields()
                .filter_map(|field| Some(field.name()?.text().to_string()))
                .collect(),
        })
    });
    declared.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(text: &str) -> Option<usize> {
        let structs = structs_of_text(Path::new("a.rs"), text);
        let [one, other] = structs.as_slice() else {
            panic!("two structs");
        };
        shared_fields(one, other)
    }

    #[test]
    fn three_of_four_fields_are_most_and_two_of_three_are_not() {
        let three_of_four =
            "struct A { a: u8, b: u8, c: u8, d: u8 } struct B { c: u16, b: u8, a: u8 }";
        assert_eq!(shared(three_of_four), Some(3));
        assert_eq!(
            shared("struct A { a: u8, b: u8, c: u8 } struct B { a: u8, b: u8, d: u8 }"),
            None
        );
    }

    #[test]
    fn small_structs_and_tuples_are_no_copies() {
        assert_eq!(
            shared("struct A { a: u8, b: u8 } struct B { a: u8, b: u8 }"),
            None
        );
        assert!(structs_of_text(Path::new("a.rs"), "struct A(u8, u8, u8);").is_empty());
    }
}
