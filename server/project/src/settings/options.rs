//! The options of the command line that are beside `visa-lint.toml` or in its place.

use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use visa_analysis::Language;

use super::dialect::{Dialect, DialectParser};

/// Where settings come from, and the settings that also the command line can give.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub struct SettingsArguments {
    /// Use this file instead of the `visa-lint.toml` nearest to each kernel
    #[arg(long, value_name = "FILE", help_heading = "Settings")]
    pub config: Option<PathBuf>,
    /// Use no `visa-lint.toml`
    #[arg(long, conflicts_with = "config", help_heading = "Settings")]
    pub isolated: bool,
    /// Leave out also those excluded files that are named one by one
    #[arg(long, help_heading = "Settings")]
    pub force_exclude: bool,
    /// Check the Rust in doc comments of the files too, each block as a crate of its own
    #[arg(long, help_heading = "Settings")]
    pub doc: bool,
    /// The library that kernels are written against, and its release (`opt-std@0.8`); by default `auto`
    #[arg(long, value_parser = DialectParser, help_heading = "Settings")]
    pub dialect: Option<Dialect>,
    /// The chip that kernels are checked for; by default `rngd`
    #[arg(long, value_enum, help_heading = "Settings")]
    pub target: Option<Target>,
    /// What cycles are made of; by default `schedule`
    #[arg(long, value_enum, help_heading = "Settings")]
    pub model: Option<Model>,
    /// Read the files that are named, and standard input, as this language, whatever their names say; search folders for its
    /// files alone
    #[arg(long, value_parser = language_values(), help_heading = "Settings")]
    pub language: Option<Language>,
    /// The chips of kernels that do not say it; editors can give it.
    #[arg(skip)]
    pub chips: Option<NonZeroU64>,
}

/// Reads a language by its name in the engine's table.
fn language_values() -> impl TypedValueParser<Value = Language> {
    let named = |language: Language| PossibleValue::new(language.name()).help(language.meaning());
    PossibleValuesParser::new(Language::ALL.map(named)).try_map(|name| {
        Language::named(&name).ok_or_else(|| format!("there is no language `{name}`"))
    })
}

/// A generation of the machine that NKI kernels are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum NkiTarget {
    /// inf2 and trn1
    Trn1,
    /// trn2
    Trn2,
    /// trn3
    Trn3,
}

impl NkiTarget {
    /// As the engine has it.
    pub(crate) const fn of_engine(self) -> visa_analysis::Generation {
        match self {
            Self::Trn1 => visa_analysis::Generation::Trn1,
            Self::Trn2 => visa_analysis::Generation::Trn2,
            Self::Trn3 => visa_analysis::Generation::Trn3,
        }
    }
}

/// What cycles are made of.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Model {
    /// What published schedules of the vendor's compiler say
    #[default]
    Schedule,
    /// The formulas of the book
    Book,
}

impl Model {
    /// The name as settings and options write it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Schedule => "schedule",
            Self::Book => "book",
        }
    }
}

/// Which chip kernels are checked for.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Target {
    /// RNGD
    #[default]
    Rngd,
    /// RNGD-S
    RngdS,
}

impl Target {
    /// The name as settings and options write it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Rngd => "rngd",
            Self::RngdS => "rngd-s",
        }
    }
}
