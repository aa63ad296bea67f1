//! What a manifest asks of the libraries that kernels are written for, and the text that asks for another release.
//!
//! Only names and versions are replaced: everything else of a manifest stays as it is, byte for byte.

use std::borrow::Cow;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use visa_analysis::{Library, Release};

use super::Failure;
use super::libraries::lowest;
use super::locks::is_same;
use super::regular::{DECIDING_BYTES, read_text};

/// The tables of a manifest that name dependencies.
const SECTIONS: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

/// A manifest with another requirement.
#[derive(Debug, PartialEq, Eq)]
pub struct Required {
    /// Its new text; none where it asks for the release already, or does not name a library.
    pub text: Option<String>,
    /// Whether it leaves a dependency to its workspace.
    pub inherits: bool,
    /// What no requirement says, a line each with the line's number: dependencies by path and by Git.
    pub by_hand: Vec<(usize, String)>,
}

/// One replacement.
type Edit = (Range<usize>, String);

/// The manifest that asks for a release of the current library.
///
/// # Errors
///
/// It is no TOML; the words say where.
pub fn required(shown: &str, text: &str, release: Release) -> Result<Required, Failure> {
    let table = DeTable::parse(text).map_err(|error| {
        let line = error.span().map_or(1, |span| line_at(text, span.start));
        Failure::new(format!(
            "cannot read `{shown}`: line {line}: {}",
            error.message()
        ))
    })?;
    let mut reader = Reader {
        text,
        release,
        edits: Vec::new(),
        required: Required {
            text: None,
            inherits: false,
            by_hand: Vec::new(),
        },
    };
    let table = table.get_ref();
    reader.sections(table);
    if let Some(targets) = inner_table(table, "target") {
        for (_, target) in targets {
            if let Some(target) = target.get_ref().as_table() {
                reader.sections(target);
            }
        }
    }
    if let Some(dependencies) =
        inner_table(table, "workspace").and_then(|workspace| inner_table(workspace, "dependencies"))
    {
        reader.dependencies(dependencies);
    }
    let Reader {
        mut edits,
        mut required,
        ..
    } = reader;
    edits.sort_by_key(|(range, _)| range.start);
    if !edits.is_empty() {
        let mut written = String::with_capacity(text.len());
        let mut done = 0;
        for (range, with) in edits {
            written.push_str(text.get(done..range.start).unwrap_or_default());
            written.push_str(&with);
            done = range.end;
        }
        written.push_str(text.get(done..).unwrap_or_default());
        required.text = Some(written);
    }
    Ok(required)
}

/// The manifest of the workspace around a package.
pub fn workspace_manifest(root: &Path) -> Option<PathBuf> {
    let mut above = root.ancestors().map(|folder| folder.join("Cargo.toml"));
    above.find(|path| {
        let text = read_text(path, DECIDING_BYTES).unwrap_or_default();
        let table = DeTable::parse(&text);
        table.is_ok_and(|table| table.get_ref().contains_key("workspace"))
    })
}

struct Reader<'t> {
    text: &'t str,
    release: Release,
    edits: Vec<Edit>,
    required: Required,
}

impl Reader<'_> {
    fn sections(&mut self, table: &DeTable<'_>) {
        for section in SECTIONS {
            if let Some(dependencies) = inner_table(table, section) {
                self.dependencies(dependencies);
            }
        }
    }

    fn dependencies(&mut self, dependencies: &DeTable<'_>) {
        for (key, value) in dependencies {
            self.dependency(key, value);
        }
    }

    fn dependency(&mut self, key: &Spanned<Cow<'_, str>>, value: &Spanned<DeValue<'_>>) {
        let members = value.get_ref().as_table();
        let member = |name: &str| {
            let members = members?;
            let (_, found) = members.iter().find(|(key, _)| key.get_ref() == name)?;
            Some(found)
        };
        let package = member("package");
        let named = package.and_then(|package| package.get_ref().as_str());
        let named = named.unwrap_or_else(|| key.get_ref());
        let Some(library) = library_of(named) else {
            return;
        };
        let name = package_name(Library::OptStd);
        if library != Library::OptStd {
            match package {
                Some(package) => self.edits.push((package.span(), double_quoted(&name))),
                None => self.edits.push((key.span(), name)),
            }
        }
        if member("workspace").is_some() {
            self.required.inherits = true;
            return;
        }
        let version = match value.get_ref() {
            DeValue::String(version) => Some((value.span(), version.as_ref())),
            _ => member("version")
                .and_then(|version| Some((version.span(), version.get_ref().as_str()?))),
        };
        if let Some((span, version)) = version {
            let asked = lowest(version).map(|lowest| (lowest.major, lowest.minor));
            let wanted = (u64::from(self.release.major), u64::from(self.release.minor));
            if library != Library::OptStd || asked != Some(wanted) {
                self.edits
                    .push((span, double_quoted(&self.release.to_string())));
            }
        }
        for from in ["path", "git"] {
            if member(from).is_some() {
                let line = line_at(self.text, key.span().start);
                let words = format!(
                    "`{}` is a `{from}` dependency: point it at release {}",
                    key.get_ref(),
                    self.release
                );
                self.required.by_hand.push((line, words));
            }
        }
    }
}

fn double_quoted(text: &str) -> String {
    format!("\"{text}\"")
}

fn line_at(text: &str, byte: usize) -> usize {
    text.get(..byte).unwrap_or_default().matches('\n').count() + 1
}

fn inner_table<'t, 'i>(table: &'t DeTable<'i>, name: &str) -> Option<&'t DeTable<'i>> {
    let (_, value) = table.iter().find(|(key, _)| key.get_ref() == name)?;
    value.get_ref().as_table()
}

/// The name of a library as Cargo knows it.
fn package_name(library: Library) -> String {
    library.crate_name().replace('_', "-")
}

fn library_of(name: &str) -> Option<Library> {
    let mut libraries = Library::ALL.into_iter();
    libraries.find(|library| is_same(name, &package_name(*library)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to(text: &str, minor: u16) -> Required {
        required("Cargo.toml", text, Release::new(0, minor)).unwrap()
    }

    #[track_caller]
    fn assert_text(before: &str, minor: u16, after: &str) {
        let required = to(before, minor);
        assert_eq!(required.text.as_deref(), Some(after));
        assert_eq!(to(after, minor).text, None, "again");
    }

    #[test]
    fn only_the_requirement_changes() {
        assert_text(
            "[package]\nname = \"k\" # kernels\n\n[dependencies]\nfuriosa-opt-std = \"0.6\"  # the library\nother = \"0.6\"\n",
            10,
            "[package]\nname = \"k\" # kernels\n\n[dependencies]\nfuriosa-opt-std = \"0.10\"  # the library\nother = \"0.6\"\n",
        );
        assert_text(
            "[dependencies]\r\nfuriosa-opt-std = { version = \"=0.7.0\", features = [] }\r\n",
            8,
            "[dependencies]\r\nfuriosa-opt-std = { version = \"0.8\", features = [] }\r\n",
        );
        assert_text(
            "[target.'cfg(unix)'.dev-dependencies.furiosa-opt-std]\nversion = '0.2'\n",
            3,
            "[target.'cfg(unix)'.dev-dependencies.furiosa-opt-std]\nversion = \"0.3\"\n",
        );
        assert_eq!(
            to("[dependencies]\nfuriosa-opt-std = \"0.8.1\"\n", 8).text,
            None
        );
        assert_eq!(to("", 8).text, None);
    }

    #[test]
    fn the_books_library_becomes_its_successor() {
        assert_text(
            "[dependencies]\nfuriosa-visa-std = \"0.1\"\n",
            8,
            "[dependencies]\nfuriosa-opt-std = \"0.8\"\n",
        );
        assert_text(
            "[dependencies]\nvisa = { package = \"furiosa-visa-std\", version = \"0.1\" }\n",
            8,
            "[dependencies]\nvisa = { package = \"furiosa-opt-std\", version = \"0.8\" }\n",
        );
        assert_text(
            "[workspace.dependencies.furiosa_visa_std]\nversion = \"0.1\"\n",
            6,
            "[workspace.dependencies.furiosa-opt-std]\nversion = \"0.6\"\n",
        );
    }

    #[test]
    fn what_no_requirement_says_is_left() {
        let required = to(
            "[dependencies]\nfuriosa-opt-std = { git = \"https://example.org\" }\n",
            8,
        );
        assert_eq!(required.text, None);
        assert_eq!(
            required.by_hand,
            [(
                2,
                "`furiosa-opt-std` is a `git` dependency: point it at release 0.8".to_owned()
            )]
        );
        assert!(to("[dependencies]\nfuriosa-opt-std.workspace = true\n", 8).inherits);
        let failure = super::required("a/Cargo.toml", "[dependencies\n", Release::new(0, 8));
        let words = failure.unwrap_err().messages.join(" ");
        assert!(
            words.starts_with("cannot read `a/Cargo.toml`: line 1:"),
            "{words}"
        );
    }
}
