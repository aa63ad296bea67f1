//! What a rule is: its name, group, documentation and the two kernels that show it; groups and levels.
//!
//! Knows nothing of how rules are checked.

use borsh::{BorshDeserialize, BorshSerialize};

use super::{Engine, Holds, Refusal};
use visa_base::language::Language;
use visa_libraries::{Dialect, Library, Release};

/// The groups of the catalogue, which decide a rule's default level.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, BorshSerialize, BorshDeserialize,
)]
pub enum Group {
    /// The mapping expression itself is ill-formed or has no meaning.
    Mapping,
    /// The hardware or its compiler refuses the kernel, hangs, or resets.
    Hardware,
    /// The kernel compiles and runs, and computes or stores something else than it says.
    Silent,
    /// Most likely a mistake, but there are kernels that mean it.
    Suspicious,
    /// The hardware takes the kernel; the named release of the library does not.
    Toolchain,
    /// Correct, and slower or larger than a small change would make it.
    Performance,
    /// Correct, and says more than it needs to.
    Style,
}

impl Group {
    /// All groups, in the catalogue's order.
    pub const ALL: [Self; 7] = [
        Self::Mapping,
        Self::Hardware,
        Self::Silent,
        Self::Suspicious,
        Self::Toolchain,
        Self::Performance,
        Self::Style,
    ];

    /// What its rules report, in a sentence.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Mapping => "The mapping expression itself is ill-formed or has no meaning.",
            Self::Hardware => "The hardware or its compiler refuses the kernel, hangs, or resets.",
            Self::Silent => {
                "The kernel compiles and runs, and computes or stores something else than it says."
            }
            Self::Suspicious => "Most likely a mistake, but there are kernels that mean it.",
            Self::Toolchain => {
                "The hardware takes the kernel; the named release of the library does not."
            }
            Self::Performance => "Correct, and slower or larger than a small change would make it.",
            Self::Style => "Correct, and says more than it needs to.",
        }
    }

    /// The group's name, as configuration and options write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mapping => "mapping",
            Self::Hardware => "hardware",
            Self::Silent => "silent",
            Self::Suspicious => "suspicious",
            Self::Toolchain => "toolchain",
            Self::Performance => "performance",
            Self::Style => "style",
        }
    }

    /// The level of the group's rules where no setting says otherwise.
    pub const fn default_level(self) -> Level {
        match self {
            Self::Mapping | Self::Hardware | Self::Silent => Level::Deny,
            Self::Suspicious | Self::Toolchain | Self::Performance => Level::Warn,
            Self::Style => Level::Allow,
        }
    }
}

/// How severely a finding is taken.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, BorshSerialize, BorshDeserialize,
)]
pub enum Level {
    /// Not reported.
    Allow,
    /// Reported; the run succeeds.
    Warn,
    /// Reported; the run fails.
    Deny,
}

impl Level {
    /// The level's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Warn => "warn",
            Self::Deny => "deny",
        }
    }
}

/// What every finding of a rule brings along, as far as the repair is determined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offers {
    /// A code action that mends it.
    pub fix: bool,
    /// The legal alternatives that can be computed: paddings, sizes, free addresses. They are in the help.
    pub alternatives: bool,
}

/// A rule of the catalogue, declared once beside its check.
///
/// The wrong and the right kernel of its documentation are its fixtures `fixtures/violations/<name>/wrong.rs` and
/// `right.rs`, or with the ending of its language, compiled in by [`rule!`].
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Its identity everywhere: diagnostics, configuration, suppression, documentation.
    pub name: &'static str,
    /// Names that it had before. They still mean it.
    pub aliases: &'static [&'static str],
    /// The release of visa-lint that has it first.
    pub since: &'static str,
    /// The language of the kernels that it looks at; none where it looks at files of all languages.
    pub language: Option<Language>,
    /// Its group.
    pub group: Group,
    /// The part of the machine that it speaks about.
    pub engine: Engine,
    /// In which libraries and releases it holds. It does not run in others.
    pub holds: Holds,
    /// Who else refuses what it finds, and since when.
    pub refused: Refusal,
    /// The rules that say it where this one does not hold.
    pub instead: &'static [&'static str],
    /// One line: what it reports. Names of a library are left open; its language fills them in.
    pub summary_template: &'static str,
    /// A paragraph: the mechanism in the machine, what goes wrong, what to do. Names of a library are left open; its language fills
    /// them in.
    pub why_template: &'static str,
    /// The book's heading that states it; `library` or `derived` as in the catalogue.
    pub heading: &'static str,
    /// Its level where no setting says otherwise, if it is not its group's.
    pub level: Option<Level>,
    /// Another group that it reports as where the same fact weighs less, as in fragments that no kernel reaches.
    pub lesser: Option<Group>,
    /// The group that it is of from a release of the successor on, where the same fact weighs more there.
    pub graver: Option<(Release, Group)>,
    /// The rules that say nothing new where this one says the same of a place: an address that is no multiple of its element is
    /// none of 8 bytes either.
    pub implies: &'static [&'static Self],
    /// What its findings bring along.
    pub offers: Offers,
    /// A kernel that breaks it.
    pub wrong: &'static str,
    /// The nearest kernel that does not.
    pub right: &'static str,
}

/// A rule is what its name says: there is one declaration a name.
impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Rule {}

impl std::hash::Hash for Rule {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl PartialOrd for Rule {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rule {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.name.cmp(other.name)
    }
}

impl Rule {
    /// The level where no setting says otherwise.
    pub fn default_level(&self) -> Level {
        self.level.unwrap_or_else(|| self.group.default_level())
    }

    /// The highest level that one of its findings has where no setting says otherwise, but for [`Self::graver`].
    pub fn highest_level(&self) -> Level {
        let levels = self.lesser.into_iter().map(Group::default_level);
        levels.fold(self.default_level(), Ord::max)
    }

    /// The group that all of its findings in a dialect are of, where that is another one than its own.
    pub fn graver_in(&self, dialect: Dialect) -> Option<Group> {
        let (since, group) = self.graver?;
        let weighs = dialect.library == Library::OptStd && dialect.release >= since;
        weighs.then_some(group)
    }

    /// The groups that its findings are reported as, but for [`Self::graver`].
    pub fn groups(&self) -> impl Iterator<Item = Group> + use<> {
        std::iter::once(self.group).chain(self.lesser)
    }

    /// The language of its two kernels.
    pub fn example_language(&self) -> Language {
        self.language.unwrap_or_default()
    }

    /// Whether it looks at kernels of a language.
    pub fn looks_at(&self, language: Language) -> bool {
        self.language.is_none_or(|own| own == language)
    }

    /// Whether it is the rule's name, or one that it had before.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }

    /// Whether a name means the rule: its own, or that of a group that it reports as.
    pub fn is_meant_by(&self, name: &str) -> bool {
        self.is_called(name) || self.groups().any(|group| group.name() == name)
    }
}

/// Declares a [`Rule`], with its two kernels from the fixtures of its name. `fix` and `alt` behind the paragraph say what
/// its findings offer. Behind a semicolon are the fields that are not as with most rules, which hold in all releases and
/// which no program but visa-lint finds.
///
/// A rule about kernels in another language than Rust starts with the language, `rule!(Pto: "pto_syntax", Mapping, …)`, and names no
/// engine.
///
/// The crate that declares it has the fixtures of its rules in its folder `violations`.
#[macro_export]
macro_rules! rule {
    (@offers) => { $crate::Offers { fix: false, alternatives: false } };
    (@offers fix) => { $crate::Offers { fix: true, alternatives: false } };
    (@offers alt) => { $crate::Offers { fix: false, alternatives: true } };
    (@offers fix alt) => { $crate::Offers { fix: true, alternatives: true } };
    (@kernel $name:literal, $kernel:literal, Rust) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/violations/", $name, "/", $kernel, ".rs"))
    };
    (@kernel $name:literal, $kernel:literal, Pto) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/violations/", $name, "/", $kernel, ".pto"))
    };
    (@kernel $name:literal, $kernel:literal, Nki) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/violations/", $name, "/", $kernel, ".py"))
    };
    (
        $language:ident: $name:literal, $group:ident, $heading:literal, $summary:literal, $why:literal
        $(, $offer:ident)* $(,)?
    ) => {
        $crate::rule!(@all $language, $name, $group, $language, $heading, $summary, $why $(, $offer)*;)
    };
    (
        $language:ident: $name:literal, $group:ident, $heading:literal, $summary:literal, $why:literal
        $(, $offer:ident)*; $($field:ident: $value:expr),* $(,)?
    ) => {
        $crate::rule!(
            @all $language, $name, $group, $language, $heading, $summary, $why $(, $offer)*; $($field: $value),*
        )
    };
    (
        $name:literal, $group:ident, $engine:ident, $heading:literal, $summary:literal, $why:literal
        $(, $offer:ident)* $(,)?
    ) => {
        $crate::rule!(@all Rust, $name, $group, $engine, $heading, $summary, $why $(, $offer)*;)
    };
    (
        $name:literal, $group:ident, $engine:ident, $heading:literal, $summary:literal, $why:literal
        $(, $offer:ident)*; $($field:ident: $value:expr),* $(,)?
    ) => {
        $crate::rule!(
            @all Rust, $name, $group, $engine, $heading, $summary, $why $(, $offer)*; $($field: $value),*
        )
    };
    (
        @all $language:ident, $name:literal, $group:ident, $engine:ident, $heading:literal, $summary:literal,
        $why:literal $(, $offer:ident)*; $($field:ident: $value:expr),*
    ) => {
        $crate::Rule {
            $($field: {
                #[allow(unused_imports, reason = "a field needs one of them at most")]
                use $crate::{Holds, Refusal};
                $value
            },)*
            ..$crate::Rule {
                name: $name,
                aliases: &[],
                since: "0.1.0",
                language: Some($crate::Language::$language),
                group: $crate::Group::$group,
                engine: $crate::Engine::$engine,
                holds: $crate::Holds::EVERYWHERE,
                refused: $crate::Refusal::NEVER,
                instead: &[],
                summary_template: $summary,
                why_template: $why,
                heading: $heading,
                level: None,
                lesser: None,
                graver: None,
                implies: &[],
                offers: $crate::rule!(@offers $($offer)*),
                wrong: $crate::rule!(@kernel $name, "wrong", $language),
                right: $crate::rule!(@kernel $name, "right", $language),
            }
        }
    };
}
