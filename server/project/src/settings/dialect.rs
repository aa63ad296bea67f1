//! The choice of a library and of its release, as options and settings write it: `auto`, `opt-std`, `opt-std@0.8`.

use std::borrow::Cow;
use std::fmt;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{Deserializer, Error};
use visa_analysis::{Library, Release};

/// The words that need no release, with what they mean.
const WORDS: [(&str, &str); 3] = [
    (
        "auto",
        "By the crate's manifest and lock file, else by what its files import and look like",
    ),
    ("visa-std", "`furiosa_visa_std`, the book's library"),
    (
        "opt-std",
        "`furiosa_opt_std`, its successor; `opt-std@0.8` in that release",
    ),
];

/// Which library kernels are written against, in which release; what is not chosen is found out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Dialect {
    /// The crate.
    pub library: Option<Library>,
    /// Its version.
    pub release: Option<Release>,
}

/// Why a text is no choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DialectProblem {
    /// It is no word that is known.
    Unknown,
    /// What it says of the release is wrong, in a sentence.
    Release(String),
}

impl Dialect {
    /// The words that need no release.
    pub(crate) const NAMES: [&str; 3] = [WORDS[0].0, WORDS[1].0, WORDS[2].0];

    /// Reads `auto`, a library, or a library in a release.
    pub(crate) fn parse(text: &str) -> Result<Self, DialectProblem> {
        let (name, version) = match text.split_once('@') {
            Some((name, version)) => (name, Some(version)),
            None => (text, None),
        };
        let known = Library::ALL.into_iter();
        let library = known.clone().find(|library| library.name() == name);
        match (library, version) {
            (None, None) if name == "auto" => Ok(Self::default()),
            (None, _) => Err(DialectProblem::Unknown),
            (Some(library), version) => Ok(Self {
                library: Some(library),
                release: version
                    .map(|version| release_of(library, version).map_err(DialectProblem::Release))
                    .transpose()?,
            }),
        }
    }

    /// As options and settings write it.
    pub(crate) fn name(self) -> String {
        let library = self.library.map_or("auto", Library::name);
        match self.release.filter(|_| self.library.is_some()) {
            Some(release) => format!("{library}@{release}"),
            None => library.to_owned(),
        }
    }
}

/// The release of a library that a text means, or why it means none. One that is newer than all that are known is one.
fn release_of(library: Library, text: &str) -> Result<Release, String> {
    let release = parse_release(text)?;
    if Library::having(release) == library {
        return Ok(release);
    }
    let known: Vec<String> = library.releases().iter().map(ToString::to_string).collect();
    let name = library.crate_name();
    Err(match known.as_slice() {
        [only] => format!("`{name}` has no release {release}, only {only}"),
        [oldest, ..] => format!("`{name}` has no release {release}, its oldest is {oldest}"),
        [] => format!("`{name}` has no release {release}"),
    })
}

/// The release that a text means: two numbers, or three with a patch.
pub(super) fn parse_release(text: &str) -> Result<Release, String> {
    let is_number = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()) && part.len() < 5
    };
    let parts: Vec<&str> = text.split('.').collect();
    let release = Release::of_version(text);
    release
        .filter(|_| (2..=3).contains(&parts.len()) && parts.iter().all(|part| is_number(part)))
        .ok_or_else(|| format!("`{text}` is not a release; one is written as `0.8` or `0.8.1`"))
}

impl<'de> Deserialize<'de> for Dialect {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        Self::parse(&text).map_err(|problem| match problem {
            DialectProblem::Unknown => D::Error::unknown_variant(&text, &Self::NAMES),
            DialectProblem::Release(words) => D::Error::custom(words),
        })
    }
}

impl fmt::Display for DialectProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => formatter.write_str("it is not a library"),
            Self::Release(words) => formatter.write_str(words),
        }
    }
}

impl JsonSchema for Dialect {
    fn schema_name() -> Cow<'static, str> {
        "Dialect".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let words = WORDS.map(
            |(name, help)| json_schema!({"description": help, "type": "string", "const": name}),
        );
        let release = json_schema!({
            "description": "A library in a release: `opt-std@0.8`",
            "type": "string",
            "pattern": r"^(visa|opt)-std@\d+\.\d+(\.\d+)?$"
        });
        let all: Vec<Schema> = words.into_iter().chain([release]).collect();
        json_schema!({
            "description": "Which library kernels are written against, in which release.",
            "oneOf": all
        })
    }
}

/// Reads the option.
#[derive(Debug, Clone, Copy)]
pub struct DialectParser;

impl TypedValueParser for DialectParser {
    type Value = Dialect;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<Dialect, clap::Error> {
        let text = value.to_str().unwrap_or_default();
        match Dialect::parse(text) {
            Ok(dialect) => Ok(dialect),
            Err(DialectProblem::Unknown) => {
                // Its words name what is possible and what is near.
                let known = PossibleValuesParser::new(Dialect::NAMES);
                known.parse_ref(command, argument, value)?;
                Ok(Dialect::default())
            }
            Err(DialectProblem::Release(words)) => {
                let words = format!("`--dialect {text}`: {words}");
                Err(clap::Error::raw(ErrorKind::ValueValidation, words + "\n").with_cmd(command))
            }
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let words = WORDS.into_iter();
        let words = words.map(|(name, help)| PossibleValue::new(name).help(help));
        Some(Box::new(words))
    }
}

#[cfg(test)]
mod tests {
    use super::{Dialect, DialectProblem};

    #[test]
    fn choices_are_read_and_written() {
        for text in [
            "auto",
            "visa-std",
            "opt-std",
            "opt-std@0.8",
            "visa-std@0.1",
            "opt-std@0.11",
        ] {
            assert_eq!(Dialect::parse(text).unwrap().name(), text);
        }
        assert_eq!(
            Dialect::parse("opt-std@0.8.1").unwrap().name(),
            "opt-std@0.8"
        );
        let refused = |text: &str| match Dialect::parse(text) {
            Err(DialectProblem::Release(words)) => words,
            other => format!("{other:?}"),
        };
        assert_eq!(
            refused("visa-std@0.8"),
            "`furiosa_visa_std` has no release 0.8, only 0.1"
        );
        assert_eq!(
            refused("opt-std@0.1"),
            "`furiosa_opt_std` has no release 0.1, its oldest is 0.2"
        );
        for text in [
            "", "8", "0.x", "^0.8", "0.8.1.2", "0.8-rc1", "0.99999", " 0.8",
        ] {
            assert_eq!(
                refused(&format!("opt-std@{text}")),
                format!("`{text}` is not a release; one is written as `0.8` or `0.8.1`")
            );
        }
        assert_eq!(Dialect::parse("auto@0.8"), Err(DialectProblem::Unknown));
        assert_eq!(Dialect::parse("opt"), Err(DialectProblem::Unknown));
    }
}
