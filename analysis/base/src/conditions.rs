//! What is known of the conditions of `cfg`: features of packages, the operating system, what the settings say.
//!
//! Three answers: on, off, unknown. Only what is surely off is left out of a check; what is unknown counts as on. It knows
//! names and values of conditions, no syntax.

use std::collections::BTreeMap;
use std::sync::Arc;

/// Whether a condition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Truth {
    /// It holds.
    On,
    /// It does not.
    Off,
    /// It is not set, and it depends.
    Unknown,
}

impl Truth {
    /// Of something that is known.
    pub const fn of(holds: bool) -> Self {
        if holds { Self::On } else { Self::Off }
    }

    /// `all(…)`.
    pub fn all(parts: impl IntoIterator<Item = Self>) -> Self {
        parts
            .into_iter()
            .fold(Self::On, |sum, part| match (sum, part) {
                (Self::Off, _) | (_, Self::Off) => Self::Off,
                (Self::On, Self::On) => Self::On,
                _ => Self::Unknown,
            })
    }

    /// `any(…)`.
    pub fn any(parts: impl IntoIterator<Item = Self>) -> Self {
        !Self::all(parts.into_iter().map(|part| !part))
    }
}

impl std::ops::Not for Truth {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Self::On => Self::Off,
            Self::Off => Self::On,
            Self::Unknown => Self::Unknown,
        }
    }
}

/// A condition that the settings turn on or off.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CfgSetting {
    /// Its name: `feature`, `unix`.
    pub name: Arc<str>,
    /// Its value, where it has one.
    pub value: Option<Arc<str>>,
    /// Whether it holds.
    pub on: bool,
}

impl CfgSetting {
    /// Reads a condition as `cfg` has it, `feature = "x"` or a name, with a `!` in front of what does not hold.
    ///
    /// # Errors
    ///
    /// The text is no condition; the words say why.
    pub fn parse(text: &str) -> Result<Self, String> {
        let trimmed = text.trim();
        let (on, condition) = match trimmed.strip_prefix('!') {
            Some(rest) => (false, rest.trim_start()),
            None => (true, trimmed),
        };
        let refused = || {
            format!(
                "`{text}` is not a condition: write `feature=\"NAME\"`, `NAME=\"VALUE\"` or `NAME`, and `!` in front of \
                 what is off"
            )
        };
        let (name, value) = match condition.split_once('=') {
            None => (condition, None),
            Some((name, value)) => {
                let value = value.trim();
                let quoted = value
                    .strip_prefix('"')
                    .and_then(|value| value.strip_suffix('"'))
                    .filter(|value| !value.is_empty() && !value.contains(['"', '\\']));
                (name.trim_end(), Some(quoted.ok_or_else(refused)?))
            }
        };
        let part = |character: char| character == '_' || character.is_alphanumeric();
        let is_name = !name.is_empty()
            && name.chars().all(part)
            && !name.starts_with(|first: char| first.is_ascii_digit());
        if !is_name {
            return Err(refused());
        }
        Ok(Self {
            name: name.into(),
            value: value.map(Arc::from),
            on,
        })
    }
}

/// The features of a package.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PackageFeatures {
    /// The directory that holds the manifest.
    pub root: Arc<str>,
    /// What holds for the features that the manifest has; others are unknown.
    pub features: BTreeMap<Arc<str>, Truth>,
}

/// The systems that `target_os` names and no kernel's host runs. Names that are not here, `none` among them, are unknown.
const OTHER_SYSTEMS: &[&str] = &[
    "aix",
    "android",
    "cygwin",
    "dragonfly",
    "emscripten",
    "freebsd",
    "fuchsia",
    "haiku",
    "hermit",
    "horizon",
    "illumos",
    "ios",
    "macos",
    "netbsd",
    "openbsd",
    "redox",
    "solaris",
    "tvos",
    "vita",
    "vxworks",
    "wasi",
    "watchos",
    "windows",
];

/// What is known of the conditions in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conditions {
    /// What the settings turn on and off.
    pub settings: Arc<[CfgSetting]>,
    /// The features of the package, where its manifest is known.
    pub features: Option<Arc<BTreeMap<Arc<str>, Truth>>>,
}

impl Conditions {
    /// Whether a condition holds.
    pub fn truth(&self, name: &str, value: Option<&str>) -> Truth {
        let mut said = self.settings.iter().rev();
        let said = said.find(|said| *said.name == *name && said.value.as_deref() == value);
        if let Some(said) = said {
            return Truth::of(said.on);
        }
        match (name, value) {
            ("true", None) | ("unix", None) => Truth::On,
            ("false" | "windows", None) => Truth::Off,
            ("target_os", Some("linux")) | ("target_family", Some("unix")) => Truth::On,
            ("target_os", Some(system)) if OTHER_SYSTEMS.contains(&system) => Truth::Off,
            ("target_family", Some("windows" | "wasm")) => Truth::Off,
            ("feature", Some(feature)) => {
                let known = self.features.as_ref();
                let known = known.and_then(|features| features.get(feature));
                known.copied().unwrap_or(Truth::Unknown)
            }
            _ => Truth::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CfgSetting, Conditions, Truth};

    #[test]
    fn unknown_parts_decide_nothing_by_themselves() {
        use Truth::{Off, On, Unknown};
        let table = [
            (vec![], On, Off),
            (vec![On], On, On),
            (vec![Off], Off, Off),
            (vec![Unknown], Unknown, Unknown),
            (vec![On, Unknown], Unknown, On),
            (vec![Unknown, Off], Off, Unknown),
            (vec![On, Off, Unknown], Off, On),
        ];
        for (parts, all, any) in table {
            assert_eq!(Truth::all(parts.clone()), all, "{parts:?}");
            assert_eq!(Truth::any(parts.clone()), any, "{parts:?}");
        }
        assert_eq!([!On, !Off, !Unknown], [Off, On, Unknown]);
    }

    #[test]
    fn settings_are_read_as_cfg_has_them() {
        let read = |text: &str| {
            let setting = CfgSetting::parse(text).map_err(|_| ());
            setting.map(|setting| {
                let value = setting.value.map(|value| value.to_string());
                (setting.name.to_string(), value, setting.on)
            })
        };
        let feature = |on| Ok(("feature".to_owned(), Some("x-y".to_owned()), on));
        assert_eq!(read("feature=\"x-y\""), feature(true));
        assert_eq!(read(" feature = \"x-y\" "), feature(true));
        assert_eq!(read("! feature=\"x-y\""), feature(false));
        assert_eq!(read("unix"), Ok(("unix".to_owned(), None, true)));
        assert_eq!(read("!größe"), Ok(("größe".to_owned(), None, false)));
        for wrong in [
            "",
            "!",
            "feature=x",
            "feature=\"\"",
            "=\"x\"",
            "a b",
            "8",
            "not(x)",
            "feature=\"a\"b\"",
            "!!a",
        ] {
            assert_eq!(read(wrong), Err(()), "{wrong}");
        }
    }

    #[test]
    fn the_last_setting_goes_before_what_is_known() {
        let settings = ["windows", "!unix", "feature=\"a\"", "!feature=\"a\""];
        let settings = settings.map(|text| CfgSetting::parse(text).unwrap());
        let conditions = Conditions {
            settings: settings.into(),
            features: None,
        };
        assert_eq!(conditions.truth("windows", None), Truth::On);
        assert_eq!(conditions.truth("unix", None), Truth::Off);
        assert_eq!(conditions.truth("feature", Some("a")), Truth::Off);
        assert_eq!(conditions.truth("feature", Some("b")), Truth::Unknown);
        let plain = Conditions::default();
        assert_eq!(plain.truth("windows", None), Truth::Off);
        assert_eq!(plain.truth("target_os", Some("macos")), Truth::Off);
        assert_eq!(plain.truth("target_os", Some("linux")), Truth::On);
        for unknown in ["none", "furiosa"] {
            assert_eq!(plain.truth("target_os", Some(unknown)), Truth::Unknown);
        }
        assert_eq!(plain.truth("test", None), Truth::Unknown);
    }
}
