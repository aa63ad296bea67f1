//! The shape of `visa-lint.toml`: what serde reads and what the JSON schema describes.
//!
//! The words over each field are also the schema's. Whether a name is a rule and a pattern well-formed is decided by
//! [`super::read`], which knows where each is in the file.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU64;

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;
use toml::Spanned;
use visa_analysis::{Group, Language, Level, all_rules};

use super::dialect::Dialect;
use super::options::{Model, NkiTarget, Target};
use crate::levels::WARNINGS;

/// Levels by rule or group. All of them are read before any is applied: the widest first, so that a rule's own line holds
/// whatever its group's says.
pub(super) type LevelTable = BTreeMap<Spanned<String>, LevelName>;

/// Settings of visa-lint. They hold for the files of the folder that they are in and of all folders below, unless a
/// nearer `visa-lint.toml` takes their place in whole.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(title = "visa-lint.toml")]
pub(super) struct SettingsFile {
    /// The library that kernels are written against: `auto` tells it by manifest, lock file and sources.
    #[schemars(with = "Dialect")]
    pub(super) dialect: Option<Spanned<Dialect>>,
    /// More about that library.
    pub(super) library: LibraryTable,
    /// The chip that kernels are checked for.
    #[schemars(with = "Target")]
    pub(super) target: Option<Spanned<Target>>,
    /// What cycles are made of.
    #[schemars(with = "Model")]
    pub(super) model: Option<Spanned<Model>>,
    /// What is known of the machine that PTO files are for.
    pub(super) pto: PtoTable,
    /// What is known of the machine and the release that NKI kernels are for.
    pub(super) nki: NkiTable,
    /// How many chips a kernel runs on whose `#[device]` gives no literal, and a function that no kernel calls.
    #[schemars(with = "NonZeroU64")]
    pub(super) chips: Option<Spanned<NonZeroU64>>,
    /// Conditions of `cfg` that hold, as `feature="x"` or a name, and with a `!` in front those that do not.
    #[schemars(with = "Vec<String>")]
    pub(super) cfg: Vec<Spanned<String>>,
    /// Files that are not checked, as patterns of `.gitignore` relative to the folder of this file.
    #[schemars(with = "Vec<String>")]
    pub(super) exclude: Vec<Spanned<String>>,
    /// Run just these rules and groups.
    #[schemars(with = "Vec<RuleOrGroup>")]
    pub(super) select: Option<Vec<Spanned<String>>>,
    /// Run all but these rules and groups.
    #[schemars(with = "Vec<RuleOrGroup>")]
    pub(super) ignore: Vec<Spanned<String>>,
    /// How severely a rule or a group is taken; `warnings` stands for all that is a warning by default.
    #[schemars(with = "Levels")]
    pub(super) levels: LevelTable,
    /// Other settings for some of the files. Of several that match a file each holds, the last one in the end.
    pub(super) overrides: Vec<Override>,
    /// What a kernel may cost, by its name or a pattern for names (`*`, `?`, `[…]`). A kernel's own name goes before a
    /// pattern, a longer pattern before a shorter one.
    #[schemars(with = "BTreeMap<String, BudgetEntry>")]
    pub(super) budgets: BTreeMap<Spanned<String>, BudgetEntry>,
}

/// What is known of the library that kernels are written against.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct LibraryTable {
    /// Its release, such as `0.8`: it goes before manifest and lock file, and counts for crates of a library that has it.
    #[schemars(with = "String", regex(pattern = r"^\d+\.\d+(\.\d+)?$"))]
    pub(super) version: Option<Spanned<String>>,
}

/// What is known of the machine that PTO files are for. Without figures no cycles are claimed.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct PtoTable {
    /// Bytes that a transfer between GM and UB moves in a cycle.
    #[schemars(with = "NonZeroU64")]
    pub(super) gm_bytes_per_cycle: Option<Spanned<NonZeroU64>>,
    /// Cycles before its first byte.
    #[schemars(with = "u64")]
    pub(super) setup_cycles: Option<Spanned<u64>>,
}

/// What is known of the machine and the release that NKI kernels are for, where the files do not say it.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct NkiTable {
    /// The generation of the machine.
    #[schemars(with = "NkiTarget")]
    pub(super) target: Option<Spanned<NkiTarget>>,
    /// The release of NKI, such as `0.6`.
    #[schemars(with = "String", regex(pattern = r"^\d+\.\d+$"))]
    pub(super) version: Option<Spanned<String>>,
}

/// Other settings for some of the files.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Override {
    /// The files, as patterns of `.gitignore` relative to the folder of this file.
    #[schemars(with = "Vec<String>", length(min = 1))]
    pub(super) paths: Spanned<Vec<Spanned<String>>>,
    /// The library that their kernels are written against.
    #[serde(default)]
    #[schemars(with = "Dialect")]
    pub(super) dialect: Option<Spanned<Dialect>>,
    /// More about that library.
    #[serde(default)]
    pub(super) library: LibraryTable,
    /// How severely a rule or a group is taken in them.
    #[serde(default)]
    #[schemars(with = "Levels")]
    pub(super) levels: LevelTable,
}

impl Override {
    pub(super) fn changes_nothing(&self) -> bool {
        let library = self.dialect.is_some() || self.library.version.is_some();
        !library && self.levels.is_empty()
    }
}

/// How severely something is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum LevelName {
    /// Reported, and the run fails.
    Deny,
    /// Reported, and the run succeeds.
    Warn,
    /// Not reported.
    Allow,
}

impl From<LevelName> for Level {
    fn from(name: LevelName) -> Self {
        match name {
            LevelName::Deny => Self::Deny,
            LevelName::Warn => Self::Warn,
            LevelName::Allow => Self::Allow,
        }
    }
}

/// What a kernel may cost at most. What is not given is not limited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Budget {
    /// Cycles from the start of the kernel's first operation to the end of its last.
    #[schemars(with = "u64")]
    pub(crate) cycles: Option<u64>,
    /// Bytes of data memory a slice, at the peak.
    #[schemars(with = "u64")]
    pub(crate) dm_bytes: Option<u64>,
    /// Bytes of the tensor register file a slice, at the peak.
    #[schemars(with = "u64")]
    pub(crate) trf_bytes: Option<u64>,
    /// Bytes of the vector register file a slice, at the peak.
    #[schemars(with = "u64")]
    pub(crate) vrf_bytes: Option<u64>,
}

/// A budget as written: a number of cycles, or a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BudgetEntry(pub(super) Budget);

impl<'de> Deserialize<'de> for BudgetEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(BudgetVisitor)
    }
}

struct BudgetVisitor;

impl<'de> Visitor<'de> for BudgetVisitor {
    type Value = BudgetEntry;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(
            "a number of cycles or a table with `cycles`, `dm_bytes`, `trf_bytes`, `vrf_bytes`",
        )
    }

    fn visit_u64<E: serde::de::Error>(self, cycles: u64) -> Result<BudgetEntry, E> {
        Ok(BudgetEntry(Budget {
            cycles: Some(cycles),
            ..Budget::default()
        }))
    }

    fn visit_i64<E: serde::de::Error>(self, cycles: i64) -> Result<BudgetEntry, E> {
        let unexpected = serde::de::Unexpected::Signed(cycles);
        u64::try_from(cycles)
            .map_err(|_| E::invalid_value(unexpected, &self))
            .and_then(|cycles| self.visit_u64(cycles))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<BudgetEntry, A::Error> {
        Budget::deserialize(MapAccessDeserializer::new(map)).map(BudgetEntry)
    }
}

impl JsonSchema for BudgetEntry {
    fn schema_name() -> Cow<'static, str> {
        "BudgetEntry".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let table = generator.subschema_for::<Budget>();
        json_schema!({
            "description": "A number of cycles, or a table.",
            "anyOf": [{"type": "integer", "minimum": 0}, table]
        })
    }
}

/// The schema of a name of a rule or a group.
struct RuleOrGroup;

impl JsonSchema for RuleOrGroup {
    fn schema_name() -> Cow<'static, str> {
        "RuleOrGroup".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "enum": level_names()})
    }
}

/// The schema of a [`LevelTable`].
struct Levels;

impl JsonSchema for Levels {
    fn schema_name() -> Cow<'static, str> {
        "Levels".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let level = generator.subschema_for::<LevelName>();
        let name = generator.subschema_for::<RuleOrGroup>();
        json_schema!({
            "description": "Levels by rule or group; `warnings` stands for all that is a warning by default.",
            "type": "object",
            "propertyNames": {"anyOf": [{"const": WARNINGS}, name]},
            "additionalProperties": level
        })
    }
}

/// The groups, then the languages, then the rules, in the catalogue's order.
fn level_names() -> Vec<&'static str> {
    let groups = Group::ALL.into_iter().map(Group::name);
    let languages = Language::ALL.into_iter().map(Language::name);
    let rules = all_rules().map(|rule| rule.name);
    groups.chain(languages).chain(rules).collect()
}

/// Takes out what only Rust says: defaults of what is not given, which TOML cannot write, and the ends of source lines.
fn tidy(schema: &mut Schema) {
    if schema.get("default").is_some_and(Value::is_null) {
        schema.remove("default");
    }
    if let Some(Value::String(words)) = schema.get_mut("description") {
        *words = words.replace('\n', " ");
    }
}

/// The JSON schema of the settings file.
pub fn schema() -> Schema {
    let settings = SchemaSettings::draft2020_12().with_transform(RecursiveTransform(tidy));
    settings
        .into_generator()
        .into_root_schema_for::<SettingsFile>()
}
