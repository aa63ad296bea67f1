//! The libraries that kernels are written against, as plain names: crates, releases, what a prelude brings into scope, the
//! variants of enums, and what operations of the Vector Engine are called.
//!
//! One folder a library. It is below `items`, which resolves names by it, and below `kernel::dialect`, which says what the
//! names of methods and types mean. It knows the hardware's operations and nothing of kernels or of Rust.

#![allow(
    unreachable_pub,
    reason = "modules are private, and `pub` is what other modules of the crate may use"
)]

mod dialects;
mod errors;
mod kernel_texts;
mod mapping_types;
mod operations;
mod opt_std;
mod releases;
mod renamed;
mod shapes;
mod visa_std;

use borsh::{BorshDeserialize, BorshSerialize};

pub use dialects::{Crate, Dialect, FileLibrary};
pub use errors::{Pasted, Said, Speaker};
pub use kernel_texts::{dialect_line, without_dialect_line};
pub use mapping_types::MappingType;
pub use operations::{NamedOperation, OperationEnum, OperationNames};
pub use releases::Releases;
pub use renamed::{Instead, Renames};
pub use shapes::{Arguments, Pattern, SHAPE_CAPACITY, Shape};

/// The tool names that kernels register for attributes about rules, as in `#[allow(tcp::slice_size)]`.
pub const TOOLS: [&str; 3] = ["tcp", "furiosa_opt", "visa"];

/// A library that kernels are written against.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    BorshSerialize,
    BorshDeserialize,
)]
pub enum Library {
    /// The book's library.
    #[default]
    VisaStd,
    /// Its successor.
    OptStd,
}

/// A release of a library. Patches change nothing that is called.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, BorshSerialize, BorshDeserialize,
)]
pub struct Release {
    /// The first number.
    pub major: u16,
    /// The second number.
    pub minor: u16,
}

impl Release {
    /// `major.minor`.
    pub const fn new(major: u16, minor: u16) -> Self {
        Self { major, minor }
    }

    /// The release of a version: `0.8.1` is `0.8`. `None` if it does not begin with two numbers.
    pub fn of_version(version: &str) -> Option<Self> {
        let mut numbers = version.split('.').map(|number| number.trim().parse().ok());
        Some(Self::new(numbers.next()??, numbers.next()??))
    }
}

impl std::fmt::Display for Release {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}.{}", self.major, self.minor)
    }
}

/// What a library calls things, as far as names are looked up without following a kernel.
#[derive(Debug, Clone, Copy)]
struct Names {
    /// The crate, as paths write it.
    crate_name: &'static str,
    /// The library, as settings and options write it.
    setting: &'static str,
    /// The crates that its parts come from.
    crates: &'static [&'static str],
    /// What its prelude brings into scope, in several lists.
    prelude: &'static [&'static [&'static str]],
    /// Enums with their variants, beside those whose variants are operations of the Vector Engine.
    enums: &'static [(&'static str, &'static [&'static str])],
    /// What operations of the Vector Engine are called.
    operations: &'static OperationNames,
    /// The releases that are known, in their order. Never empty.
    releases: &'static [Release],
    /// The keys of the attribute of kernels.
    device_keys: &'static [DeviceKey],
    /// What it and its compiler say of kernels that they refuse, by the rule that foresees it.
    errors: &'static [(&'static str, &'static [Said])],
}

/// A key of the attribute of kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceKey {
    /// As it is written.
    pub name: &'static str,
    /// What counts where no number is read; none where the library does not look at the value.
    pub default: Option<u8>,
    /// The first release that has it.
    pub since: Release,
}

impl Library {
    /// All libraries.
    pub const ALL: [Self; 2] = [Self::VisaStd, Self::OptStd];

    const fn names(self) -> &'static Names {
        match self {
            Self::VisaStd => &visa_std::NAMES,
            Self::OptStd => &opt_std::NAMES,
        }
    }

    /// The library's crate, as paths write it.
    pub const fn crate_name(self) -> &'static str {
        self.names().crate_name
    }

    /// The name as settings and options write it.
    pub const fn name(self) -> &'static str {
        self.names().setting
    }

    /// The releases that are known, in their order.
    pub const fn releases(self) -> &'static [Release] {
        self.names().releases
    }

    /// Whether one of its parts comes from a crate, as paths write it.
    pub fn is_made_of(self, name: &str) -> bool {
        self.names().crates.contains(&name)
    }

    /// The newest release that is known: what a file is read as that says none.
    pub const fn newest(self) -> Release {
        match self.names().releases.last() {
            Some(release) => *release,
            None => Release::new(0, 0),
        }
    }

    /// The library whose release a number can only be: the book's library has the first one, its successor all later ones.
    pub fn having(release: Release) -> Self {
        if Self::VisaStd.releases().contains(&release) {
            Self::VisaStd
        } else {
            Self::OptStd
        }
    }

    /// The keys of the attribute of kernels in a release.
    pub fn device_keys(self, release: Release) -> impl Iterator<Item = &'static DeviceKey> {
        let keys = self.names().device_keys.iter();
        keys.filter(move |key| key.since <= release)
    }

    /// The known release that another is read as: itself, or the nearest one.
    pub fn nearest(self, release: Release) -> Release {
        let earlier = self.releases().iter().rev();
        let found = earlier.copied().find(|known| *known <= release);
        found
            .or_else(|| self.releases().first().copied())
            .unwrap_or(release)
    }

    /// Code that only some releases accept, as an author writes it, with the first and the last release that has it. `None` as the
    /// last release stands for the newest one. Code that only the book's library accepts is left out.
    pub fn release_shapes(self) -> impl Iterator<Item = (&'static str, Release, Option<Release>)> {
        let shapes = self.shapes().iter();
        shapes.filter_map(|shape| Some((shape.words, shape.first?, shape.last)))
    }

    /// The shapes by which sources tell the releases of the library that they are written for.
    pub const fn shapes(self) -> &'static [Shape] {
        match self {
            Self::VisaStd => &[],
            Self::OptStd => opt_std::SHAPES,
        }
    }

    /// Names of other releases and of the other library, with what they are in releases of this one. The book's library has one
    /// release, and kernels are not rewritten for it.
    pub const fn renames(self) -> &'static Renames {
        match self {
            Self::VisaStd => &Renames::NONE,
            Self::OptStd => &opt_std::RENAMES,
        }
    }

    /// What the library calls operations of the Vector Engine.
    pub const fn operations(self) -> &'static OperationNames {
        self.names().operations
    }

    /// The library's enum of that name, with its variants; operations of the Vector Engine are in [`Self::operations`].
    pub fn variants(self, enumeration: &str) -> Option<&'static [&'static str]> {
        let mut enums = self.names().enums.iter();
        let found = enums.find(|(name, _)| *name == enumeration);
        found.map(|(_, variants)| *variants)
    }
}

/// Whether a name is a crate of one of the libraries.
pub fn is_crate(name: &str) -> bool {
    let mut libraries = Library::ALL.into_iter();
    libraries.any(|library| library.is_made_of(name))
}

/// Whether one of the preludes declares a name.
pub fn is_prelude_name(name: &str) -> bool {
    let lists = Library::ALL.into_iter();
    let mut lists = lists.flat_map(|library| library.names().prelude);
    lists.any(|list| list.contains(&name))
}

/// Whether one of the preludes declares a tensor or a view of that name.
pub fn is_tensor(path: &str) -> bool {
    let name = path.rsplit("::").next().unwrap_or(path);
    name.contains("Tensor") && is_prelude_name(name)
}

/// Whether a trait of that name is the one that the libraries' axes have.
pub fn is_trait_of_axes(name: &str) -> bool {
    name == visa_std::TRAIT_OF_AXES
}

/// Whether a trait of that name is the one that the libraries' mappings have.
pub fn is_trait_of_mappings(name: &str) -> bool {
    name == visa_std::TRAIT_OF_MAPPINGS
}

/// Whether an enum of the libraries, by its path, has a variant of that name.
pub fn is_variant(path: &str, name: &str) -> bool {
    let enumeration = path.rsplit("::").next().unwrap_or(path);
    Library::ALL.into_iter().any(|library| {
        let own = library.variants(enumeration);
        own.is_some_and(|variants| variants.contains(&name))
            || library.operations().has_variant(enumeration, name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_releases() {
        assert_eq!(Release::of_version("0.8.1"), Some(Release::new(0, 8)));
        assert_eq!(Release::of_version("0.10"), Some(Release::new(0, 10)));
        assert_eq!(Release::of_version("1"), None);
        assert_eq!(Release::of_version("*"), None);
        assert!(Release::new(0, 10) > Release::new(0, 9));
    }

    #[test]
    fn what_is_not_known_is_read_as_the_nearest() {
        let nearest = |minor| Library::OptStd.nearest(Release::new(0, minor)).minor;
        let newest = Library::OptStd.newest().minor;
        assert_eq!([1, 2, 8, 10, 99].map(nearest), [2, 2, 8, 10, newest]);
        let major = Library::OptStd.nearest(Release::new(1, 0));
        assert_eq!(major, Library::OptStd.newest());
        for library in Library::ALL {
            assert!(library.releases().is_sorted() && !library.releases().is_empty());
        }
    }
}
