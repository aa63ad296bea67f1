//! The settings that an editor gives: the section `visa` of its settings, over what `visa-lint.toml` says.
//!
//! Knows names and values of settings and how to say what is wrong with them; which files they hold for and when they are
//! read again is the business of the project.

use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::ValueEnum;
use serde_json::{Map, Value};
use visa_analysis::{EFFORT, HintLevel, Level, MOST_EFFORT, nearest_names};

use crate::levels::{
    Change, Levels, Origin, nearest_names_clause, unknown_name_problem, widest_first,
};
use crate::settings::{Dialect, DialectProblem, Model, SettingsArguments, Target};

/// The section of an editor's settings.
pub const SECTION: &str = "visa";

/// Settings of the extension itself, which it acts on without the server.
const OF_THE_EXTENSION: [&str; 3] = ["trace", "server", "semanticTokens"];

/// The settings below [`SECTION`] that the server reads.
const KEYS: [&str; 12] = [
    "diagnostics.enable",
    "diagnostics.scope",
    "levels",
    "target",
    "model",
    "dialect",
    "chips",
    "configPath",
    "inlayHints.level",
    "codeLens.enable",
    "completion.methods",
    "effort",
];

/// The files whose findings are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scope {
    /// Those that are open.
    OpenFiles,
    /// All of the folders that are open, too.
    #[default]
    Workspace,
}

/// What an editor wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientSettings {
    /// Whether findings are shown at all.
    pub diagnostics: bool,
    /// Of which files.
    pub scope: Scope,
    /// Levels that win over those of the settings file.
    pub levels: Levels,
    /// What is in the place of the settings file, or beside it.
    pub arguments: SettingsArguments,
    /// How many inlay hints are shown.
    pub hints: HintLevel,
    /// Whether kernels have a line above them.
    pub lenses: bool,
    /// Whether methods and variants are completed, which a server for all of Rust completes, too.
    pub methods: bool,
    /// Changes of a kernel that are tried in the background, at most; 0 asks the rules alone.
    pub effort: usize,
}

impl Default for ClientSettings {
    fn default() -> Self {
        Self {
            diagnostics: true,
            scope: Scope::default(),
            levels: Levels::default(),
            arguments: SettingsArguments {
                force_exclude: true,
                ..SettingsArguments::default()
            },
            hints: HintLevel::default(),
            lenses: true,
            methods: true,
            effort: EFFORT,
        }
    }
}

impl ClientSettings {
    /// Whether a value that a client sent unasked says something about our settings, rather than about those of others.
    pub fn concerns_settings(value: &Value) -> bool {
        let known = |name: &String| {
            let inner = format!("{name}.");
            name == SECTION
                || KEYS
                    .iter()
                    .any(|key| key == name || key.starts_with(&inner))
        };
        value
            .as_object()
            .is_some_and(|settings| settings.keys().any(known))
    }

    /// Reads the settings below [`SECTION`], also where they still are in it. What cannot be used is given, a line each, and
    /// left as it is by default; the rest holds.
    pub fn read(value: &Value) -> (Self, Vec<String>) {
        let mut reader = Reader::default();
        let value = value.get(SECTION).unwrap_or(value);
        match value {
            Value::Null => {}
            Value::Object(section) => reader.section("", section),
            other => reader.refuse_value("", other, "a table of settings"),
        }
        widest_first(&mut reader.settings.levels.changes);
        (reader.settings, reader.problems)
    }
}

#[derive(Default)]
struct Reader {
    settings: ClientSettings,
    problems: Vec<String>,
}

impl Reader {
    /// Reads what is below a key, which is empty or ends with a dot.
    fn section(&mut self, above: &str, section: &Map<String, Value>) {
        for (name, value) in section {
            let key = format!("{above}{name}");
            let inner = format!("{key}.");
            match value {
                // What is not set.
                Value::Null => {}
                Value::Object(section) if KEYS.iter().any(|known| known.starts_with(&inner)) => {
                    self.section(&inner, section);
                }
                value => self.read_setting(&key, value),
            }
        }
    }

    fn read_setting(&mut self, key: &str, value: &Value) {
        match key {
            "diagnostics.enable" => {
                self.settings.diagnostics = self.switch(key, value).unwrap_or(true);
            }
            "codeLens.enable" => self.settings.lenses = self.switch(key, value).unwrap_or(true),
            "diagnostics.scope" => {
                let scopes = [
                    ("openFiles", Scope::OpenFiles),
                    ("workspace", Scope::Workspace),
                ];
                self.settings.scope = self.one_of(key, value, &scopes).unwrap_or_default();
            }
            "inlayHints.level" => {
                let levels = [
                    ("off", HintLevel::Off),
                    ("kernel", HintLevel::Kernel),
                    ("line", HintLevel::Line),
                ];
                self.settings.hints = self.one_of(key, value, &levels).unwrap_or_default();
            }
            "completion.methods" => {
                // Whether another server completes them as well, an editor knows: `auto` is for its extension to decide.
                let values = [("auto", true), ("always", true), ("never", false)];
                self.settings.methods = self.one_of(key, value, &values).unwrap_or(true);
            }
            "target" => {
                let targets = Target::value_variants();
                let targets: Vec<_> = targets
                    .iter()
                    .map(|target| (target.name(), *target))
                    .collect();
                self.settings.arguments.target = self.one_of(key, value, &targets);
            }
            "model" => {
                let models = Model::value_variants();
                let models: Vec<_> = models.iter().map(|model| (model.name(), *model)).collect();
                self.settings.arguments.model = self.one_of(key, value, &models);
            }
            "dialect" => {
                let dialect = value.as_str().map(Dialect::parse);
                if let Some(Err(DialectProblem::Release(words))) = &dialect {
                    self.problems.push(format!("`{SECTION}.{key}`: {words}"));
                } else if !matches!(dialect, Some(Ok(_))) {
                    let names = Dialect::NAMES.map(|name| format!("`{name}`")).join(", ");
                    self.refuse_value(key, value, &format!("one of {names}"));
                }
                self.settings.arguments.dialect = dialect.and_then(Result::ok);
            }
            "chips" => {
                let chips = value.as_u64().and_then(NonZeroU64::new);
                if chips.is_none() {
                    self.refuse_value(key, value, "a whole number from 1");
                }
                self.settings.arguments.chips = chips;
            }
            "configPath" => match value.as_str() {
                Some("") => {}
                Some(path) => self.settings.arguments.config = Some(PathBuf::from(path)),
                None => self.refuse_value(key, value, "a path"),
            },
            "levels" => match value {
                Value::Object(levels) => self.levels(levels),
                other => self.refuse_value(key, other, "a table from rules and groups to levels"),
            },
            "effort" => {
                let most = MOST_EFFORT as u64;
                match value.as_u64().filter(|effort| *effort <= most) {
                    Some(effort) => {
                        self.settings.effort = usize::try_from(effort).unwrap_or(MOST_EFFORT);
                    }
                    None => self.refuse_value(key, value, &format!("a whole number up to {most}")),
                }
            }
            other if OF_THE_EXTENSION.iter().any(|own| is_below(other, own)) => {}
            other => {
                let nearest = nearest_names(other, KEYS).into_iter();
                let nearest: Vec<_> = nearest.map(|key| format!("{SECTION}.{key}")).collect();
                let nearest = nearest_names_clause(&nearest);
                self.problems
                    .push(format!("there is no setting `{SECTION}.{other}`{nearest}"));
            }
        }
    }

    fn levels(&mut self, levels: &Map<String, Value>) {
        for (name, value) in levels {
            let key = format!("levels.{name}");
            if let Some(problem) = unknown_name_problem(name, true) {
                self.problems.push(format!("`{SECTION}.levels`: {problem}"));
                continue;
            }
            let names = [Level::Deny, Level::Warn, Level::Allow].map(|level| (level.name(), level));
            if let Some(level) = self.one_of(&key, value, &names) {
                self.settings.levels.changes.push(Change {
                    name: name.clone(),
                    level,
                    origin: Origin::Editor,
                });
            }
        }
    }

    fn switch(&mut self, key: &str, value: &Value) -> Option<bool> {
        if value.as_bool().is_none() {
            self.refuse_value(key, value, "`true` or `false`");
        }
        value.as_bool()
    }

    fn one_of<T: Copy>(&mut self, key: &str, value: &Value, values: &[(&str, T)]) -> Option<T> {
        let found = values.iter().find(|(name, _)| value.as_str() == Some(name));
        if found.is_none() {
            let names: Vec<_> = values.iter().map(|(name, _)| format!("`{name}`")).collect();
            self.refuse_value(key, value, &format!("one of {}", names.join(", ")));
        }
        found.map(|(_, value)| *value)
    }

    fn refuse_value(&mut self, key: &str, value: &Value, wanted: &str) {
        let dot = if key.is_empty() { "" } else { "." };
        self.problems.push(format!(
            "`{SECTION}{dot}{key}` has to be {wanted}, and is `{value}`"
        ));
    }
}

/// Whether a key is a section's, or the section itself.
fn is_below(key: &str, section: &str) -> bool {
    let rest = key.strip_prefix(section);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use visa_analysis::{HintLevel, Level};

    use super::{ClientSettings, Scope};
    use crate::settings::Target;

    #[test]
    fn settings_are_read_inside_and_outside_of_their_section() {
        let section = json!({
            "diagnostics": {"enable": false, "scope": "openFiles"},
            "levels": {"unused_suppression": "allow", "style": "deny", "warnings": "deny"},
            "target": "rngd-s",
            "dialect": null,
            "chips": 4,
            "configPath": "ci/visa-lint.toml",
            "inlayHints": {"level": "line"},
            "codeLens": {"enable": false},
            "completion": {"methods": "never"},
            "effort": 7,
            "trace": {"server": "verbose"},
            "server": {"path": "x"},
        });
        let (settings, problems) = ClientSettings::read(&section);
        assert_eq!(problems, [""; 0]);
        assert_eq!(
            ClientSettings::read(&json!({"visa": section})),
            (settings.clone(), Vec::new())
        );
        assert!(!settings.diagnostics && !settings.lenses && !settings.methods);
        assert_eq!(settings.effort, 7);
        assert_eq!(settings.scope, Scope::OpenFiles);
        assert_eq!(settings.hints, HintLevel::Line);
        assert_eq!(settings.arguments.target, Some(Target::RngdS));
        assert_eq!(settings.arguments.dialect, None);
        assert_eq!(settings.arguments.chips.map(u64::from), Some(4));
        let changes = settings.levels.changes.iter();
        let changes: Vec<_> = changes
            .map(|change| (change.name.as_str(), change.level))
            .collect();
        assert_eq!(
            changes,
            [
                ("warnings", Level::Deny),
                ("style", Level::Deny),
                ("unused_suppression", Level::Allow),
            ]
        );
    }

    #[test]
    fn settings_of_others_are_no_concern() {
        for ours in [
            json!({"visa": {}}),
            json!({"visa": null, "other": 1}),
            json!({"diagnostics": {"enable": true}}),
            json!({"chips": 2}),
        ] {
            assert!(ClientSettings::concerns_settings(&ours), "{ours}");
        }
        for others in [
            json!(null),
            json!({}),
            json!({"rust-analyzer": {"visa": 1}}),
            json!([]),
        ] {
            assert!(!ClientSettings::concerns_settings(&others), "{others}");
        }
    }

    #[test]
    fn what_cannot_be_used_is_named_and_the_rest_holds() {
        let (settings, problems) = ClientSettings::read(&json!({
            "targt": "rngd",
            "dialect": "visa",
            "chips": 0,
            "completion": {"methods": "some"},
            "effort": "much",
            "diagnostics": {"enable": "yes", "scope": "openFiles"},
            "levels": {"unused_supression": "allow", "style": "error"},
        }));
        assert_eq!(
            problems,
            [
                "`visa.chips` has to be a whole number from 1, and is `0`",
                "`visa.completion.methods` has to be one of `auto`, `always`, `never`, and is `\"some\"`",
                "`visa.diagnostics.enable` has to be `true` or `false`, and is `\"yes\"`",
                "`visa.dialect` has to be one of `auto`, `visa-std`, `opt-std`, and is `\"visa\"`",
                "`visa.effort` has to be a whole number up to 2000, and is `\"much\"`",
                "`visa.levels.style` has to be one of `deny`, `warn`, `allow`, and is `\"error\"`",
                "`visa.levels`: no rule or group is called `unused_supression`; did you mean `unused_suppression`?",
                "there is no setting `visa.targt`; did you mean `visa.target`?",
            ]
        );
        assert_eq!(settings.scope, Scope::OpenFiles);
        assert!(settings.diagnostics);
        assert!(ClientSettings::read(&json!(7)).1.len() == 1);
    }
}
