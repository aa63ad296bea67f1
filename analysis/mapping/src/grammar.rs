//! Which constructs the macros of a library read, release by release.
//!
//! The numbers of releases that decide about a macro's text are here and nowhere else. How a text is read is in
//! [`super::reader`]; which release a file is written for is not known here.

use std::fmt;

/// Which library's macros read the text, and of which release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Grammar {
    /// The book's library: one grammar.
    #[default]
    VisaStd,
    /// Its successor, whose grammar grew.
    OptStd {
        /// The release's first number.
        major: u16,
        /// The release's second number.
        minor: u16,
    },
}

/// What some releases read and others refuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Construct {
    /// A comma after the last part of a mapping or of a group.
    TrailingComma,
    /// A number other than 1 as an operand: that many positions that name no axis.
    Number,
    /// `#{*}`, `#{!}`, `#{0}`.
    PaddingKind,
    /// `{ constant }` as a right operand.
    ConstantFactor,
    /// An axis as a right operand.
    AxisFactor,
    /// A mapping in parentheses as a right operand.
    MappingFactor,
    /// An axis whose name starts with a lower-case letter.
    LowerCaseAxis,
}

impl Construct {
    /// All of them.
    #[cfg(test)]
    pub const ALL: [Self; 7] = [
        Self::TrailingComma,
        Self::Number,
        Self::PaddingKind,
        Self::ConstantFactor,
        Self::AxisFactor,
        Self::MappingFactor,
        Self::LowerCaseAxis,
    ];

    /// The first release of the successor that reads it: first and second number.
    pub const fn first_release(self) -> (u16, u16) {
        match self {
            Self::TrailingComma => (0, 2),
            Self::Number | Self::PaddingKind => (0, 3),
            Self::ConstantFactor => (0, 4),
            Self::AxisFactor | Self::MappingFactor => (0, 8),
            Self::LowerCaseAxis => (0, 9),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::TrailingComma => "a trailing comma",
            Self::Number => "a number of positions that name no axis",
            Self::PaddingKind => "a padding kind",
            Self::ConstantFactor => "`{ constant }` as a right operand",
            Self::AxisFactor => "an axis as a right operand",
            Self::MappingFactor => "a mapping in parentheses as a right operand",
            Self::LowerCaseAxis => "a lower-case first letter",
        }
    }
}

impl fmt::Display for Construct {
    /// What is read, and from which release on, as the end of a sentence.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (major, minor) = self.first_release();
        let name = self.name();
        write!(f, "{name} is read from release {major}.{minor} on")
    }
}

impl Grammar {
    /// Whether this is the book's library.
    pub const fn is_book(self) -> bool {
        matches!(self, Self::VisaStd)
    }

    /// Whether the macros read a construct. The book's text writes bare numbers and padding kinds, which its library
    /// refuses: they are read, and remarked elsewhere.
    pub const fn reads_construct(self, construct: Construct) -> bool {
        match self {
            Self::VisaStd => matches!(construct, Construct::Number | Construct::PaddingKind),
            Self::OptStd { major, minor } => {
                let since = construct.first_release();
                major > since.0 || (major == since.0 && minor >= since.1)
            }
        }
    }

    /// A message about a construct that is not read, with the releases that do.
    pub(super) fn refusal_message(
        self,
        message: impl fmt::Display,
        construct: Construct,
    ) -> String {
        if self.is_book() || self.reads_construct(construct) {
            message.to_string()
        } else {
            format!("{message}; {construct}")
        }
    }

    /// What a right operand can be, in a sentence.
    pub(super) const fn factors(self) -> &'static str {
        if self.reads_construct(Construct::AxisFactor) {
            "a plain decimal number, `{ constant }`, an axis or a mapping in parentheses"
        } else if self.reads_construct(Construct::ConstantFactor) {
            "a plain decimal number or `{ constant }`"
        } else {
            "a plain decimal number"
        }
    }

    /// What an operand can be, in a sentence.
    pub(super) const fn operands(self) -> &'static str {
        if !self.is_book() && self.reads_construct(Construct::Number) {
            "an axis, a number, a group or `{ type }`"
        } else {
            "an axis, `1`, a group or `{ type }`"
        }
    }
}

#[cfg(test)]
#[path = "grammar_tests.rs"]
mod tests;
