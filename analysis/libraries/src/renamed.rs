//! Names that a library no longer has, or does not have yet, with what they are called in its other releases.
//!
//! What the tables hold and how they are asked; which names there are is in a library's folder.

use super::Release;

/// Names of a library over its releases.
#[derive(Debug, Clone, Copy)]
pub struct Renames {
    /// Types, traits and enums.
    pub types: &'static [Renamed],
    /// Variants, each with the names of its enum.
    pub variants: &'static [(&'static [&'static str], Renamed)],
    /// Calls that wrap a value that is written without them, by type and function, and the first release that does.
    pub wrappers: &'static [(&'static str, &'static str, Release)],
    /// Variants that are a name of their own, by type and variant, and the first release in which they are.
    pub bare: &'static [(&'static str, &'static str, Release)],
    /// Comparisons that are wrapped by the type that is compared.
    pub comparison: Option<Comparison>,
    /// What is gone and is written otherwise by hand: type, function if it is one, the first release without it, and what there
    /// is instead.
    pub gone: &'static [(&'static str, Option<&'static str>, Release, &'static str)],
}

/// Something under the names that it had, each with the first release of it; the first is the book's, where it has it.
#[derive(Debug, Clone, Copy)]
pub struct Renamed {
    /// The name in the book's library, if it has it.
    pub book: Option<&'static str>,
    /// The names in releases.
    pub releases: &'static [(Release, &'static str)],
}

/// Comparisons that are wrapped by the type that is compared, and what they have become.
#[derive(Debug, Clone, Copy)]
pub struct Comparison {
    /// The enum around them.
    pub outer: &'static str,
    /// The enums of the comparisons.
    pub inner: &'static [&'static str],
    /// The one enum that has them all, with the bound as its only part.
    pub plain: &'static str,
    /// The first release that has it.
    pub since: Release,
}

/// What a name is in a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Instead {
    /// Another name.
    Name(&'static str),
    /// Nothing of that kind; these words say what there is.
    Words(&'static str),
}

impl Renamed {
    /// Whether it ever had a name.
    fn had(&self, name: &str) -> bool {
        self.book == Some(name) || self.releases.iter().any(|(_, own)| *own == name)
    }

    /// Its name in a release.
    fn name_in(&self, release: Release) -> Option<&'static str> {
        let mut releases = self.releases.iter().rev();
        let (_, name) = releases.find(|(since, _)| *since <= release)?;
        Some(name)
    }

    /// Its name in a release, where another one is written.
    fn name_instead(&self, name: &str, release: Release) -> Option<&'static str> {
        let own = self.name_in(release)?;
        (self.had(name) && own != name).then_some(own)
    }
}

impl Renames {
    /// No names.
    pub(super) const NONE: Self = Self {
        types: &[],
        variants: &[],
        wrappers: &[],
        bare: &[],
        comparison: None,
        gone: &[],
    };

    /// What a type's name is in a release; none where the release has the name.
    pub fn of_type(&self, name: &str, release: Release) -> Option<Instead> {
        let mut types = self.types.iter();
        let renamed = types.find_map(|renamed| renamed.name_instead(name, release));
        renamed
            .map(Instead::Name)
            .or_else(|| self.instead_of_gone(name, None, release))
    }

    /// What a variant's name is in a release, by the written name of its enum; none where the release has it.
    pub fn of_variant(&self, owner: &str, name: &str, release: Release) -> Option<Instead> {
        let mut variants = self.variants.iter();
        let renamed = variants.find_map(|(owners, renamed)| {
            let own = owners.contains(&owner);
            renamed.name_instead(name, release).filter(|_| own)
        });
        renamed
            .map(Instead::Name)
            .or_else(|| self.instead_of_gone(owner, Some(name), release))
    }

    fn instead_of_gone(
        &self,
        owner: &str,
        name: Option<&str>,
        release: Release,
    ) -> Option<Instead> {
        let mut gone = self.gone.iter();
        let found =
            gone.find(|(own, part, since, _)| *own == owner && *part == name && *since <= release);
        found.map(|(.., words)| Instead::Words(words))
    }

    /// Whether a call of a type's function is written without it in a release.
    pub fn is_wrapper(&self, owner: &str, name: &str, release: Release) -> bool {
        let mut wrappers = self.wrappers.iter();
        wrappers.any(|known| (known.0, known.1) == (owner, name) && known.2 <= release)
    }

    /// Whether a variant is written without its type in a release.
    pub fn is_bare(&self, owner: &str, name: &str, release: Release) -> bool {
        let mut bare = self.bare.iter();
        bare.any(|known| (known.0, known.1) == (owner, name) && known.2 <= release)
    }

    /// Whether a word of a text may be a name that the release does not have: what is asked before anything is resolved.
    pub fn may_concern(&self, word: &str, release: Release) -> bool {
        let variants = self.variants.iter().flat_map(|(owners, _)| owners.iter());
        let wrappers = self.wrappers.iter().map(|(owner, ..)| owner);
        let gone = self.gone.iter().map(|(owner, ..)| owner);
        let bare = self.bare.iter().map(|(owner, ..)| owner);
        let compared = self.comparison.iter().map(|comparison| &comparison.outer);
        let mut owners = variants
            .chain(wrappers)
            .chain(gone)
            .chain(bare)
            .chain(compared);
        self.of_type(word, release).is_some() || owners.any(|owner| *owner == word)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Library;
    use super::*;

    #[test]
    fn names_are_those_of_the_release() {
        let renames = Library::OptStd.renames();
        let at = |name: &str, minor| renames.of_type(name, Release::new(0, minor));
        assert_eq!(at("Context", 7), None);
        assert_eq!(at("Context", 8), Some(Instead::Name("Device")));
        assert_eq!(at("Device", 7), Some(Instead::Name("Context")));
        assert_eq!(at("Device", 10), None);
        assert_eq!(at("AccumulationKind", 2), Some(Instead::Name("LaneMode")));
        assert_eq!(at("TableLookup", 8), Some(Instead::Name("TableLookupCast")));
        assert_eq!(at("DmTensor", 8), None);
        let variant = |owner: &str, name: &str| renames.of_variant(owner, name, Release::new(0, 6));
        let zero = Some(Instead::Name("Zero"));
        assert_eq!(variant("BranchMode", "Unconditional"), zero);
        assert_eq!(variant("TagMode", "Zero"), None);
        assert_eq!(variant("TagMode", "Comparison"), None);
        assert!(matches!(variant("TagMode", "Vrf"), Some(Instead::Words(_))));
    }
}
