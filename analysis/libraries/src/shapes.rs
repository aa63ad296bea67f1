//! Shapes: short sequences of tokens that only some releases of a library have.
//!
//! What a shape is and what it says; which sequences a library has is in the library's folder, and how they are found in a
//! text in `items`.

use super::Release;

/// The shapes that a set of them has room for.
pub const SHAPE_CAPACITY: usize = 128;

/// A sequence of tokens with the releases whose kernels are written so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// As an author writes it.
    pub words: &'static str,
    /// The first release that has it; none where no release of the library has, only the book's library.
    pub first: Option<Release>,
    /// The last release that has it; none where the newest still has.
    pub last: Option<Release>,
    /// Whether kernels for the book's library are written so, too.
    pub in_book: bool,
    /// The tokens.
    pub pattern: Pattern,
}

/// Tokens that are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pattern {
    /// `.name::<…>(…)`.
    Call {
        /// The method.
        name: &'static str,
        /// How many generics are written; none where that does not matter.
        generics: Option<usize>,
        /// What is between the parentheses.
        arguments: Arguments,
    },
    /// `Type::name`, or with one name any mention of a type.
    Path(&'static [&'static str]),
    /// `: &mut Type` of a parameter.
    Borrowed(&'static str),
    /// `#[name]`.
    Attribute(&'static str),
    /// `.name(…).await?`, or with a method of `Result` in the place of the `?`.
    AwaitedResult(&'static str),
    /// An axis or a parenthesis behind an operator of a mapping.
    MappingFactor,
    /// An axis whose name begins in lower case, where it is declared.
    LowerCaseAxis,
}

/// What a call is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arguments {
    /// Whatever it is.
    Any,
    /// Something.
    Some,
    /// So many.
    Count(usize),
    /// A number or a constant.
    Address,
    /// `&mut …` first.
    Borrowed,
    /// A path of the type first.
    Of(&'static str),
}

impl Shape {
    /// Whether kernels of a release of the library are written so.
    pub fn is_in(&self, release: Release) -> bool {
        self.first.is_some_and(|first| first <= release)
            && self.last.is_none_or(|last| release <= last)
    }

    /// The releases, in words that go behind *of* and *in*.
    pub fn releases(&self) -> String {
        match (self.first, self.last) {
            (None, _) => "the book's library alone".to_owned(),
            (Some(first), None) => format!("{first} and later"),
            (Some(first), Some(last)) if first == last => format!("{first} alone"),
            (Some(first), Some(last)) => format!("{first} to {last}"),
        }
    }
}

impl Pattern {
    /// Whether it is a name that only a library gives, rather than a way to write: a mistake is no name.
    pub const fn is_name(&self) -> bool {
        match self {
            Self::Call {
                generics: None,
                arguments: Arguments::Any,
                ..
            }
            | Self::Path(_)
            | Self::Borrowed(_)
            | Self::Attribute(_) => true,
            Self::Call { .. }
            | Self::AwaitedResult(_)
            | Self::MappingFactor
            | Self::LowerCaseAxis => false,
        }
    }

    /// The name that a crate may have declared itself, and that then is none of the library.
    pub fn declared_name(&self) -> Option<&'static str> {
        match self {
            Self::Call { name, .. } | Self::Borrowed(name) => Some(name),
            Self::Path(names) => names.first().copied(),
            Self::Attribute(_)
            | Self::AwaitedResult(_)
            | Self::MappingFactor
            | Self::LowerCaseAxis => None,
        }
    }
}
