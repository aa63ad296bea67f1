//! Random packages of few names, so that they hide, import and catch each other: references are all names that mean the same,
//! and a rename that is not refused changes what no name means.

use crate::EditorQuestions as _;
use std::collections::BTreeMap;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use crate::Place;
use crate::navigation::definition_of_any;
use crate::report::FileEdit;
use crate::workspace::{Analysis, Workspace};
use crate::{ByteRange, Package};

const NAMES: [&str; 5] = ["A", "B", "C", "D", "E"];
const MODULES: [&str; 3] = ["x", "y", "z"];

type Files = BTreeMap<String, String>;

fn name(random: &mut StdRng) -> &'static str {
    NAMES[random.random_range(0..NAMES.len())]
}

fn module(random: &mut StdRng) -> &'static str {
    MODULES[random.random_range(0..MODULES.len())]
}

/// A declaration, an import or a use, as an item or a statement.
fn item(random: &mut StdRng) -> String {
    let (one, other, from) = (name(random), name(random), module(random));
    match random.random_range(0..9) {
        0 => format!("axes![{one} = {}];", random.random_range(2..5)),
        1 => format!("type {one} = m![{other} / 2, {{ {} }}];", name(random)),
        2 => format!("pub use crate::{from}::{one} as {other};"),
        3 => format!("pub use crate::{from}::{one};"),
        4 => format!("pub use crate::{from}::*;"),
        5 => format!(
            "const N{}: usize = {one}::SIZE;",
            random.random_range(0..100)
        ),
        6 => format!(
            "fn f{}(x: Foo<{one}, m![{other}]>) {{}}",
            random.random_range(0..100)
        ),
        7 => format!(
            "fn f{}<{one}>(x: Foo<m![{one}, {other}]>) {{}}",
            random.random_range(0..100)
        ),
        _ => format!(
            "type T{} = m![{{ crate::{from}::{one} }}];",
            random.random_range(0..100)
        ),
    }
}

fn package(random: &mut StdRng) -> Files {
    let mut files = Files::new();
    files.insert(
        "p/src/lib.rs".to_owned(),
        "pub mod x; pub mod y; pub mod z;\n".to_owned(),
    );
    for module in MODULES {
        let mut text = String::new();
        for _ in 0..random.random_range(1..6) {
            let line = match random.random_range(0..6) {
                0 => format!(
                    "fn g{}() {{ {} {{ {} }} {} }}",
                    random.random_range(0..100),
                    item(random),
                    item(random),
                    item(random)
                ),
                1 => format!(
                    "mod inner{} {{ {} {} }}",
                    random.random_range(0..100),
                    item(random),
                    item(random)
                ),
                _ => item(random),
            };
            text.push_str(&line);
            text.push('\n');
        }
        files.insert(format!("p/src/{module}.rs"), text);
    }
    files
}

fn analysis(files: &Files) -> Analysis {
    let mut workspace = Workspace::new();
    workspace.set_files(
        files
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str())),
    );
    workspace.set_packages(vec![Package {
        name: "p".into(),
        root: "p".into(),
    }]);
    workspace.analysis()
}

/// Every name of one upper-case letter, with the place of the axis or alias that it means.
fn meanings(files: &Files) -> Vec<(Place, Option<Place>)> {
    let analysis = analysis(files);
    let mut found = Vec::new();
    for (path, text) in files {
        let bytes = text.as_bytes();
        let word =
            |at: Option<&u8>| at.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        for (start, byte) in bytes.iter().enumerate() {
            let alone = !word(start.checked_sub(1).and_then(|before| bytes.get(before)));
            let mut end = start + 1;
            while word(bytes.get(end)) {
                end += 1;
            }
            let renamed = text[start..end].starts_with("Fresh");
            if !byte.is_ascii_uppercase() || !alone || (end > start + 1 && !renamed) {
                continue;
            }
            let range = ByteRange {
                start: u32::try_from(start).unwrap(),
                end: u32::try_from(end).unwrap(),
            };
            let meaning = definition_of_any(&analysis, path, range.start);
            let file = path.as_str().into();
            found.push((Place { file, range }, meaning));
        }
    }
    found
}

fn applied(files: &Files, edits: &[FileEdit]) -> Files {
    let mut files = files.clone();
    for edit in edits.iter().rev() {
        let text = files.get_mut(&*edit.file).unwrap();
        text.replace_range(edit.start_byte as usize..edit.end_byte as usize, &edit.text);
    }
    files
}

/// Where a place is after the edits, which do not overlap it or are it.
fn moved(place: &Place, edits: &[FileEdit]) -> Place {
    let mut range = place.range;
    let own = edits.iter().find(|edit| {
        edit.file == place.file && (edit.start_byte, edit.end_byte) == (range.start, range.end)
    });
    let length = own.map_or(range.end - range.start, |edit| {
        u32::try_from(edit.text.len()).unwrap()
    });
    let before = edits
        .iter()
        .filter(|edit| edit.file == place.file && edit.end_byte <= place.range.start);
    for edit in before {
        let grown = u32::try_from(edit.text.len()).unwrap();
        range.start = range.start + grown - (edit.end_byte - edit.start_byte);
    }
    range.end = range.start + length;
    Place {
        file: place.file.clone(),
        range,
    }
}

#[test]
fn references_are_all_names_that_mean_the_same() {
    let mut random = StdRng::seed_from_u64(17);
    let mut several = 0;
    for _ in 0..60 {
        let files = package(&mut random);
        let meanings = meanings(&files);
        let analysis = analysis(&files);
        for (place, meaning) in &meanings {
            let Some(meaning) = meaning else { continue };
            let same = meanings
                .iter()
                .filter(|(_, other)| other.as_ref() == Some(meaning));
            let mut expected: Vec<&Place> = same.map(|(place, _)| place).collect();
            expected.sort();
            let found = analysis
                .references(&place.file, place.range.start, true)
                .unwrap();
            assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{files:#?}");
            several += usize::from(found.len() > 2);
        }
    }
    assert!(several > 60, "{several} with more than two references");
}

#[test]
fn a_rename_keeps_what_every_name_means() {
    let mut random = StdRng::seed_from_u64(23);
    let (mut accepted, mut refused, mut taken) = (0, 0, 0);
    for _ in 0..400 {
        let files = package(&mut random);
        let before = meanings(&files);
        let (place, _) = &before[random.random_range(0..before.len().max(1))];
        let new = match random.random_range(0..3) {
            0 => "Fresh",
            _ => name(&mut random),
        };
        let edits = analysis(&files)
            .rename(&place.file, place.range.start, new)
            .unwrap();
        let Ok(edits) = edits else {
            refused += 1;
            continue;
        };
        accepted += usize::from(!edits.is_empty());
        taken += usize::from(!edits.is_empty() && new != "Fresh");
        let renamed = applied(&files, &edits);
        let after = meanings(&renamed);
        let expected: Vec<_> = before
            .iter()
            .map(|(place, meaning)| {
                let meaning = meaning.as_ref().map(|meaning| moved(meaning, &edits));
                (moved(place, &edits), meaning)
            })
            .collect();
        assert_eq!(
            after, expected,
            "{place:?} to {new} in {files:#?}\n{renamed:#?}"
        );
    }
    assert!(
        accepted > 40 && refused > 80 && taken > 15,
        "{accepted} {refused} {taken}"
    );
}
