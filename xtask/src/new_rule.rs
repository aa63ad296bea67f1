//! The files that a new rule begins with: its declaration in a family, a wrong kernel and a right one.
//!
//! What they say is a beginning. The fixture tests fail until the wrong kernel has the finding that its marker names, which is
//! what they are for.

use std::fs;
use std::path::Path;

/// Groups by the names that people write, with those of the code.
const GROUPS: [(&str, &str); 7] = [
    ("mapping", "Mapping"),
    ("hardware", "Hardware"),
    ("silent", "Silent"),
    ("suspicious", "Suspicious"),
    ("toolchain", "Toolchain"),
    ("performance", "Performance"),
    ("style", "Style"),
];

/// A kernel that is legal; the wrong one has a marker besides.
const KERNEL: &str = "use furiosa_visa_std::prelude::*;

axes![S = 256, T = 4, P = 32];

type Chip = m![1];
type Cluster = m![1 # 2];
type Slice = m![S];

#[device(chip = 1)]
fn copy(ctx: &mut Context, input: &DmTensor<i8, Chip, Cluster, Slice, m![T, P]>) {
    let _output: DmTensor<i8, Chip, Cluster, Slice, m![T, P]> = ctxMARKER
        .main
        .begin(input.view())
        .fetch::<i8, m![T], m![P]>()
        .collect::<m![T], m![P]>()
        .commit(0x2000);
}
";

/// Makes the files; what to do next, or why none was made.
pub(crate) fn run(
    repository: &Path,
    name: &str,
    family: &str,
    group: &str,
) -> Result<String, String> {
    let letters =
        |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
    if !name.starts_with(|letter: char| letter.is_ascii_lowercase()) || !name.chars().all(letters) {
        return Err(format!(
            "`{name}` is no name of a rule: letters, digits and `_`, all in lower case"
        ));
    }
    let Some((_, group)) = GROUPS.iter().find(|(written, _)| *written == group) else {
        let known = GROUPS.map(|(written, _)| written).join(", ");
        return Err(format!("there is no group `{group}`; there are {known}"));
    };
    let fixtures = repository.join("fixtures/violations").join(name);
    if fixtures.exists() {
        return Err(format!("`{}` is there already", fixtures.display()));
    }
    let declared = family_of(repository, family)?;
    let text = read(&declared)?;
    let text = with_declaration(&text, name, group).ok_or_else(|| {
        format!(
            "`{}` has no `const RULES: &[&Rule] = &[`",
            declared.display()
        )
    })?;
    let marked = |marker: &str| KERNEL.replace("MARKER", marker);
    fs::create_dir_all(&fixtures).map_err(|error| failure(&fixtures, &error))?;
    write(
        &fixtures.join("wrong.rs"),
        &format!("//! What is wrong.\n{}", marked(&format!(" //~ {name}"))),
    )?;
    write(
        &fixtures.join("right.rs"),
        &format!("//! The nearest that is right.\n{}", marked("")),
    )?;
    write(&declared, &text)?;
    Ok(format!(
        "declared in {}, with two kernels in {}\n\
         next: word the violation in `check` of that file, and run\n  \
         cargo test -p visa-tests --test kernels fixtures\n  \
         UPDATE_EXPECT=1 cargo test -p visa-tests --test repository",
        declared.display(),
        fixtures.display(),
    ))
}

/// The file of a family.
fn family_of(repository: &Path, family: &str) -> Result<std::path::PathBuf, String> {
    let folder = repository.join("analysis/rules/src");
    let files = [format!("{family}.rs"), format!("{family}/mod.rs")];
    let found = files
        .iter()
        .map(|file| folder.join(file))
        .find(|path| path.is_file());
    found.ok_or_else(|| format!("`{}` has no family `{family}`", folder.display()))
}

/// The text of a family with one more rule: its declaration before the list of the family's rules, and its place in it.
fn with_declaration(text: &str, name: &str, group: &str) -> Option<String> {
    const LIST: &str = "const RULES: &[&Rule] = &[";
    let list = text.find(LIST)?;
    // The remarks of the list stay with it.
    let line = text.get(..list)?.rfind('\n').map_or(0, |end| end + 1);
    let remarks = text.get(..line)?.rfind("\n\n").map_or(0, |end| end + 2);
    let start = list + LIST.len();
    let end = start + text.get(start..)?.find("];")?;
    let listed = text.get(start..end)?.trim_end().trim_end_matches(',');
    let constant = name.to_uppercase();
    let engine = engine_of(text).unwrap_or("Memory");
    let declaration = format!(
        "pub(crate) static {constant}: Rule = rule!(\n    \"{name}\",\n    {group},\n    {engine},\n    \"derived\",\n    \
         \"what it reports, in one line\",\n    \
         \"the mechanism in the machine, what goes wrong, what to do\",\n);\n\n"
    );
    // On one line the list stays on one line.
    let last = match listed {
        "" => format!("&{constant}"),
        _ if listed.contains('\n') => format!(",\n    &{constant},\n"),
        _ => format!(", &{constant}"),
    };
    let before = text.get(..remarks)?;
    let head = text.get(remarks..start)?;
    let after = text.get(end..)?;
    Some(format!("{before}{declaration}{head}{listed}{last}{after}"))
}

/// The part of the machine that the family's first rule speaks about: behind its name and its group.
fn engine_of(text: &str) -> Option<&str> {
    let (_, declared) = text.split_once("= rule!(")?;
    let engine = declared.split(',').nth(2)?.trim();
    let is_name = engine.chars().all(|letter| letter.is_ascii_alphabetic());
    (is_name && !engine.is_empty()).then_some(engine)
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| failure(path, &error))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| failure(path, &error))
}

fn failure(path: &Path, error: &std::io::Error) -> String {
    format!("`{}`: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::run;

    const FAMILY: &str =
        "pub(crate) static FIRST: Rule = rule!(\"first\", Hardware, Commit, \"words\");

/// The family's rules.
pub(super) const RULES: &[&Rule] = &[&FIRST];

fn check() {}
";

    fn repository() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap_or_else(|error| unreachable!("{error}"));
        let rules = folder.path().join("analysis/rules/src");
        let made =
            fs::create_dir_all(&rules).and_then(|()| fs::write(rules.join("commit.rs"), FAMILY));
        assert!(made.is_ok());
        folder
    }

    fn text(folder: &tempfile::TempDir, path: &str) -> String {
        fs::read_to_string(folder.path().join(path)).unwrap_or_default()
    }

    #[test]
    fn a_rule_has_a_declaration_and_two_kernels() {
        let folder = repository();
        assert!(run(folder.path(), "commit_new", "commit", "silent").is_ok());
        let family = text(&folder, "analysis/rules/src/commit.rs");
        let declared = "pub(crate) static COMMIT_NEW: Rule = rule!(\n    \"commit_new\",\n    Silent,\n    Commit,";
        assert!(family.contains(declared), "{family}");
        let list = "pub(super) const RULES: &[&Rule] = &[&FIRST, &COMMIT_NEW];\n\nfn check() {}\n";
        assert!(
            family.ends_with(&format!(");\n\n/// The family's rules.\n{list}")),
            "{family}"
        );
        // Of a list of several lines each rule has its own.
        let long = FAMILY.replace("&[&FIRST]", "&[\n    &FIRST,\n    &SECOND,\n]");
        let more = super::with_declaration(&long, "third", "Style").unwrap_or_default();
        assert!(
            more.contains("&[\n    &FIRST,\n    &SECOND,\n    &THIRD,\n];"),
            "{more}"
        );
        let wrong = text(&folder, "fixtures/violations/commit_new/wrong.rs");
        assert!(wrong.contains("= ctx //~ commit_new\n"));
        assert!(!text(&folder, "fixtures/violations/commit_new/right.rs").contains("//~"));
    }

    #[test]
    fn what_cannot_be_made_leaves_everything_as_it_was() {
        let folder = repository();
        for (name, family, group) in [
            ("Commit", "commit", "silent"),
            ("../x", "commit", "silent"),
            ("commit_new", "nothing", "silent"),
            ("commit_new", "commit", "loud"),
        ] {
            assert!(
                run(folder.path(), name, family, group).is_err(),
                "{name} {family} {group}"
            );
        }
        assert!(!folder.path().join("fixtures").exists());
        assert_eq!(text(&folder, "analysis/rules/src/commit.rs"), FAMILY);
        assert!(run(folder.path(), "twice", "commit", "style").is_ok());
        assert!(run(folder.path(), "twice", "commit", "style").is_err());
    }
}
