//! Which releases of a library have something.

use std::fmt;

use crate::Release;

/// The releases that have something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Releases {
    /// The first.
    pub since: Release,
    /// The last; `None` if the newest has it.
    pub until: Option<Release>,
}

impl Releases {
    /// Each release of the library.
    pub const ALL: Self = Self::since(Release::new(0, 0));

    /// All from one on.
    pub const fn since(release: Release) -> Self {
        Self {
            since: release,
            until: None,
        }
    }

    /// Whether a release is one of them.
    pub fn contain(&self, release: Release) -> bool {
        self.since <= release && self.until.is_none_or(|until| release <= until)
    }
}

impl fmt::Display for Releases {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = self.since == Self::ALL.since;
        match self.until {
            Some(until) if first => write!(formatter, "up to {until}"),
            None if first => formatter.write_str("of any number"),
            Some(until) if until == self.since => write!(formatter, "{until}"),
            Some(until) => write!(formatter, "{} to {until}", self.since),
            None => write!(formatter, "{} and later", self.since),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_in_words() {
        let since = Releases::since(Release::new(0, 7));
        assert_eq!(since.to_string(), "0.7 and later");
        let until = Releases {
            until: Some(Release::new(0, 9)),
            ..since
        };
        assert_eq!(until.to_string(), "0.7 to 0.9");
        let one = Releases {
            until: Some(Release::new(0, 7)),
            ..since
        };
        assert_eq!(one.to_string(), "0.7");
        let early = Releases {
            until: Some(Release::new(0, 3)),
            ..Releases::ALL
        };
        assert_eq!(early.to_string(), "up to 0.3");
    }
}
