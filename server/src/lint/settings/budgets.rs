//! What kernels may cost: limits by the kernel's name or by a pattern for names.

use globset::{Glob, GlobMatcher};

use super::file::Budget;
use crate::lint::levels::Origin;

/// The budgets of a settings file.
#[derive(Debug, Default)]
pub(crate) struct Budgets {
    /// The narrowest first.
    entries: Vec<Entry>,
}

/// One line of `[budgets]`.
#[derive(Debug)]
pub(crate) struct Entry {
    /// The kernel's name or the pattern, as written.
    pub(crate) pattern: String,
    /// The limits.
    pub(crate) budget: Budget,
    /// Where they stand.
    pub(crate) origin: Origin,
    matcher: GlobMatcher,
}

impl Budgets {
    /// Adds a line; refuses a pattern that is none.
    pub(super) fn add(
        &mut self,
        pattern: &str,
        budget: Budget,
        origin: Origin,
    ) -> Result<(), String> {
        let matcher = Glob::new(pattern)
            .map_err(|error| error.kind().to_string())?
            .compile_matcher();
        self.entries.push(Entry {
            pattern: pattern.to_owned(),
            budget,
            origin,
            matcher,
        });
        self.entries.sort_by_key(|entry| {
            let length = std::cmp::Reverse(entry.pattern.chars().count());
            (is_pattern(&entry.pattern), length, entry.pattern.clone())
        });
        Ok(())
    }

    /// The line that holds for a kernel: its own name goes before a pattern, a longer pattern before a shorter one.
    pub(crate) fn entry_for(&self, kernel: &str) -> Option<&Entry> {
        self.entries
            .iter()
            .find(|entry| entry.matcher.is_match(kernel))
    }

    /// All lines, the narrowest first.
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }
}

/// Whether a name stands for several.
fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?', '[', '{', '\\'])
}

#[cfg(test)]
mod tests {
    use super::{Budget, Budgets};
    use crate::lint::levels::Origin;

    #[test]
    fn the_narrowest_line_holds() {
        let mut budgets = Budgets::default();
        for (pattern, cycles) in [("*", 1), ("dot_*", 2), ("dot_*_long", 3), ("dot_a", 4)] {
            let budget = Budget {
                cycles: Some(cycles),
                ..Budget::default()
            };
            budgets
                .add(pattern, budget, Origin::Option("config"))
                .unwrap();
        }
        let cycles = |kernel: &str| {
            budgets
                .entry_for(kernel)
                .and_then(|entry| entry.budget.cycles)
        };
        assert_eq!(cycles("dot_a"), Some(4));
        assert_eq!(cycles("dot_a_long"), Some(3));
        assert_eq!(cycles("dot_b"), Some(2));
        assert_eq!(cycles("gemv"), Some(1));
        assert!(
            budgets
                .add("[", Budget::default(), Origin::Option("config"))
                .is_err()
        );
    }
}
