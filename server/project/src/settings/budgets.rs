//! What kernels may cost: limits by the kernel's name or by a pattern for names.

use globset::Glob;

use super::file::Budget;
use crate::levels::Origin;

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
    /// Where they are.
    pub(crate) origin: Origin,
}

impl Entry {
    /// The line as the engine takes it.
    pub(crate) fn limits(&self) -> visa_analysis::Budget {
        visa_analysis::Budget {
            kernels: self.pattern.clone(),
            cycles: self.budget.cycles,
            dm_bytes: self.budget.dm_bytes,
            trf_bytes: self.budget.trf_bytes,
            vrf_bytes: self.budget.vrf_bytes,
        }
    }
}

impl Budgets {
    /// Adds a line; refuses a pattern that is none.
    pub(super) fn add(
        &mut self,
        pattern: &str,
        budget: Budget,
        origin: Origin,
    ) -> Result<(), String> {
        Glob::new(pattern).map_err(|error| error.kind().to_string())?;
        let width = |pattern: &str| {
            let length = std::cmp::Reverse(pattern.chars().count());
            (is_pattern(pattern), length, pattern.to_owned())
        };
        let own = width(pattern);
        let place = (self.entries).partition_point(|entry| width(&entry.pattern) <= own);
        let entry = Entry {
            pattern: pattern.to_owned(),
            budget,
            origin,
        };
        self.entries.insert(place, entry);
        Ok(())
    }

    /// All lines, the narrowest first: a kernel's own name before a pattern, a longer pattern before a shorter one. The first
    /// that fits a kernel holds for it.
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
    use crate::levels::Origin;

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
            let limits = budgets.entries().iter().map(super::Entry::limits);
            limits
                .filter(|limits| limits.is_for(kernel))
                .find_map(|limits| limits.cycles)
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
