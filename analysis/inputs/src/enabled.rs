//! Which rules are on in a file, by their numbers in the catalogue. What the numbers stand for, `rules` knows.

use super::{Project, SourceFile, shown_path};
use visa_base::db::Db;

/// Rules that there is room for.
pub const RULE_CAPACITY: usize = 512;

/// Bits of an entry.
const BITS: usize = 64;

/// A set of rules: those that are on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct EnabledRules {
    /// A bit a rule, in the catalogue's order; those that no rule has are set.
    bits: [u64; RULE_CAPACITY / BITS],
    /// The same for rules that are of another group in some releases, as of that group.
    graver: [u64; RULE_CAPACITY / BITS],
}

/// All rules are on.
impl Default for EnabledRules {
    fn default() -> Self {
        Self {
            bits: [u64::MAX; RULE_CAPACITY / BITS],
            graver: [u64::MAX; RULE_CAPACITY / BITS],
        }
    }
}

impl EnabledRules {
    /// Whether the rule of a number is on.
    pub fn has_number(&self, number: usize) -> bool {
        let entry = self.bits.get(number / BITS).copied().unwrap_or(0);
        entry >> (number % BITS) & 1 == 1
    }

    /// Takes the rule of a number out.
    pub fn remove_number(&mut self, number: usize) {
        if let Some(entry) = self.bits.get_mut(number / BITS) {
            *entry &= !(1 << (number % BITS));
        }
    }

    /// Takes the rule of a number out as of the graver group that it has in some releases.
    pub fn remove_graver(&mut self, number: usize) {
        if let Some(entry) = self.graver.get_mut(number / BITS) {
            *entry &= !(1 << (number % BITS));
        }
    }

    /// Makes what holds of the graver group of the rule of a number hold of the rule.
    pub fn take_graver(&mut self, number: usize) {
        let (at, bit) = (number / BITS, 1 << (number % BITS));
        let graver = self.graver.get(at).copied().unwrap_or(0) & bit;
        if let Some(entry) = self.bits.get_mut(at) {
            *entry = (*entry & !bit) | graver;
        }
    }

    /// The rules that are on in one set or the other.
    pub fn or(mut self, other: Self) -> Self {
        for (own, other) in self.bits.iter_mut().zip(other.bits) {
            *own |= other;
        }
        for (own, other) in self.graver.iter_mut().zip(other.graver) {
            *own |= other;
        }
        self
    }
}

/// The rules that are on in a file. Another level of a rule that stays on changes nothing that depends on it.
#[salsa::tracked(returns(copy))]
pub fn enabled_rules(db: &dyn Db, file: SourceFile) -> EnabledRules {
    Project::try_get(db).map_or_else(EnabledRules::default, |project| {
        let enabled = project.enabled(db);
        let own = enabled.files.get(&shown_path(db, file)).copied();
        own.unwrap_or(enabled.default)
    })
}
