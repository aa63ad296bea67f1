//! Which rules are on, and which families therefore run.
//!
//! A rule is on where it holds in the dialect of what is checked, and where the user's levels report anything that it may find. A family without such a rule is not run,
//! and what only it needs of a body is not derived. How severe a finding is plays no part here: another level of a rule that
//! stays on runs nothing again.

use rustc_hash::FxHashSet;

pub use crate::inputs::EnabledRules;

use super::{FAMILIES, Finding, Group, Judges, Level, Needs, Rule, family_rules};
use crate::items::Dialect;

/// Which rules of this room are on.
pub trait OwnRules {
    /// Those of them that hold in a dialect.
    fn holding_in(self, dialect: Dialect) -> Self;

    /// Whether a rule of this room is on. One that it does not have is not.
    fn has_own(&self, rule: &str) -> bool;

    /// The families that have a rule that is on.
    fn families(&self) -> Families;
}

impl OwnRules for EnabledRules {
    fn holding_in(mut self, dialect: Dialect) -> Self {
        for (number, rule) in family_rules().enumerate() {
            if rule.graver_in(dialect).is_some() {
                self.take_graver(number);
            }
            if !rule.holds_in(dialect) {
                self.remove_number(number);
            }
        }
        self
    }

    fn has_own(&self, rule: &str) -> bool {
        family_rules()
            .position(|other| other.name == rule)
            .is_some_and(|number| self.has_number(number))
    }

    fn families(&self) -> Families {
        let mut numbers = 0..;
        Families::where_(|family| {
            let rules = numbers.by_ref().take(family.rules.len());
            // All of them are taken, so that the next family starts at its own.
            let on = rules.filter(|number| self.has_number(*number)).count();
            on > 0 || family.also.iter().any(|rule| self.has_own(rule.name))
        })
    }
}

/// The rules of this room that are on as some of the groups that they report as. Those of other rooms are on.
pub fn own_rules_where(is_on: impl Fn(&Rule, Group) -> bool) -> EnabledRules {
    let mut on = EnabledRules::default();
    for (number, rule) in family_rules().enumerate() {
        if !rule.groups().any(|group| is_on(rule, group)) {
            on.remove_number(number);
        }
        if (rule.graver).is_some_and(|(_, group)| !is_on(rule, group)) {
            on.remove_graver(number);
        }
    }
    on
}

/// Leaves out what rules find that do not hold in a dialect: a family may run for the others of its rules. What weighs more in
/// the dialect is of the graver group.
pub(super) fn keep_what_holds_in(dialect: Dialect, findings: &mut Vec<Finding>) {
    findings.retain(|finding| finding.rule.holds_in(dialect));
    for finding in findings {
        finding.group = finding.group.or_else(|| finding.rule.graver_in(dialect));
    }
}

/// A set of families: those that run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Families {
    /// A bit a family, in the catalogue's order.
    bits: u64,
}

impl Families {
    /// All of them.
    pub const ALL: Self = Self { bits: u64::MAX };

    fn where_(mut wanted: impl FnMut(&super::Family) -> bool) -> Self {
        let mut bits = 0;
        for (number, family) in FAMILIES.iter().enumerate() {
            bits |= u64::from(wanted(family)) << number;
        }
        Self { bits }
    }

    fn and(self, other: Self) -> Self {
        Self {
            bits: self.bits & other.bits,
        }
    }

    /// Those that look at what a kernel costs. No rule of another family needs a simulation.
    pub fn of_time(self) -> Self {
        self.and(Self::where_(|family| family.needs == Needs::Simulation))
    }

    /// All others: those that need no more than what the engines make of a body.
    pub fn of_engines(self) -> Self {
        self.and(Self::where_(|family| family.needs != Needs::Simulation))
    }

    /// Those whose findings may come of single operations.
    pub fn of_operations() -> Self {
        Self::where_(|family| family.judges == Judges::EachOperation)
    }

    /// All but those that look at costs and have none of some rules and no other one that may find anything as severe as a level.
    /// Where a rule about costs weighs more (`graver`), the library refuses what it finds: that is a violation, which a family that looks
    /// at no costs reports.
    pub fn that_may_find(level: Level, rules: &FxHashSet<&Rule>) -> Self {
        Self::where_(|family| {
            let mut own = family.rules.iter().chain(family.also);
            family.needs != Needs::Simulation
                || own.any(|rule| rules.contains(*rule) || rule.highest_level() >= level)
        })
    }

    /// Whether some of them looks at what the engines make of a body.
    pub fn needs_derivation(self) -> bool {
        let deriving = Self::where_(|family| family.needs != Needs::Body);
        !self.and(deriving).is_empty()
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.bits == 0
    }

    /// Whether the family of that number is among them.
    pub(super) const fn has_family(self, number: usize) -> bool {
        self.bits >> number & 1 == 1
    }

    /// Whether the family of some rules is among them.
    pub fn have_one_of(self, rules: &[&Rule]) -> bool {
        rules.first().is_some_and(|rule| self.have_rule(rule.name))
    }

    /// Whether the family of a rule is among them.
    pub fn have_rule(self, rule: &str) -> bool {
        let of_rule = |family: &super::Family| family.rules.iter().any(|own| own.name == rule);
        FAMILIES
            .iter()
            .position(of_rule)
            .is_some_and(|number| self.has_family(number))
    }

    /// Whether the families of all rules that a name of a rule or group stands for are among them. Only then can a suppression
    /// by that name be called unused.
    pub fn have_all_of(self, name: &str) -> bool {
        let named = |rule: &Rule| rule.is_meant_by(name);
        let of_family = |family: &super::Family| {
            let mut rules = family.rules.iter().chain(family.also);
            rules.any(|rule| named(rule))
        };
        FAMILIES
            .iter()
            .enumerate()
            .filter(|(_, family)| of_family(family))
            .all(|(number, _)| self.has_family(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rules of groups, as a selection of them would turn them on.
    fn groups(groups: &[Group]) -> EnabledRules {
        own_rules_where(|_, group| groups.contains(&group))
    }

    #[test]
    fn there_is_room_for_all_families() {
        assert!(FAMILIES.len() < u64::BITS as usize);
        assert!(family_rules().all(|rule| EnabledRules::default().has_own(rule.name)));
    }

    /// The declarations in the files of a folder.
    fn declarations(folder: &std::path::Path) -> usize {
        let entries = std::fs::read_dir(folder).expect("a folder").flatten();
        let paths = entries.map(|entry| entry.path());
        let counts = paths.map(|path| {
            if path.is_dir() {
                return declarations(&path);
            }
            let text = std::fs::read_to_string(&path).expect("a text");
            text.lines()
                .filter(|line| {
                    line.starts_with("pub")
                        && line.contains(" static ")
                        && line.contains(": Rule =")
                })
                .count()
        });
        counts.sum()
    }

    #[test]
    fn every_declared_rule_is_in_the_catalogue_once() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let names: std::collections::BTreeSet<&str> =
            family_rules().map(|rule| rule.name).collect();
        assert_eq!(names.len(), family_rules().count());
        assert_eq!(declarations(&folder), names.len());
    }

    #[test]
    fn a_family_runs_where_one_of_its_rules_is_on() {
        for rule in family_rules() {
            let alone = own_rules_where(|other, _| other.name == rule.name);
            let families = alone.families();
            let running: Vec<usize> = (0..FAMILIES.len())
                .filter(|own| families.has_family(*own))
                .collect();
            let finds = |family: &super::super::Family| {
                family.rules.contains(&rule) || family.also.contains(&rule)
            };
            let finding: Vec<usize> = (0..FAMILIES.len())
                .filter(|number| finds(&FAMILIES[*number]))
                .collect();
            assert_eq!(running, finding, "{}", rule.name);
            assert!(families.have_rule(rule.name));
        }
    }

    #[test]
    fn a_rule_that_does_not_hold_in_a_dialect_is_off_there() {
        use crate::libraries::{Library, Release};
        let at = |minor| Dialect {
            library: Library::OptStd,
            release: Release::new(0, minor),
        };
        let all = EnabledRules::default();
        assert!(all.holding_in(Dialect::default()).has_own("dm_overlap"));
        assert!(all.holding_in(at(5)).has_own("dm_overlap"));
        assert!(!all.holding_in(at(6)).has_own("dm_overlap"));
        // Of the memory's family other rules hold; of valid counts none does.
        let families = all.holding_in(at(6)).families();
        assert!(families.have_rule("tensor_lost"));
        assert!(!families.have_rule("vcg_dimensions"));
        assert!(all.families().have_rule("vcg_dimensions"));
        // A ring that is only slow in the book is refused in later releases.
        let hardware = groups(&[Group::Hardware]);
        let slow = groups(&[Group::Performance]);
        let ring = "switch_ring_too_large";
        let on = |rules: EnabledRules, dialect| rules.holding_in(dialect).has_own(ring);
        assert!(!on(hardware, at(4)) && on(hardware, at(5)) && !on(hardware, Dialect::default()));
        assert!(on(slow, at(4)) && !on(slow, at(5)) && on(slow, Dialect::default()));
        assert!(on(all, at(4)) && on(all, at(5)));
        // What is off stays off.
        let none = own_rules_where(|_, _| false);
        assert!(none.holding_in(at(5)).families().is_empty());
    }

    #[test]
    fn groups_need_no_more_than_their_families() {
        // Mapping expressions are judged as they are written, and faults of hardware by what the engines make of a body.
        assert!(!groups(&[Group::Mapping]).families().needs_derivation());
        let denied = groups(&[Group::Mapping, Group::Hardware, Group::Silent]).families();
        assert!(denied.needs_derivation());
        let timed: Vec<&str> = family_rules()
            .filter(|rule| denied.of_time().have_rule(rule.name))
            .map(|rule| rule.name)
            .filter(|name| groups(&[Group::Mapping, Group::Hardware, Group::Silent]).has_own(name))
            .collect();
        assert_eq!(timed, [""; 0]);
        // A fix is judged by what may be denied of the operations that it changes: that must never need the cycles of the kernel.
        let deny = Families::that_may_find(Level::Deny, &FxHashSet::default());
        assert!(deny.of_time().is_empty() && deny.needs_derivation());
        assert!(
            !groups(&[Group::Performance])
                .families()
                .of_time()
                .is_empty()
        );
    }

    #[test]
    fn a_name_stands_for_all_families_of_its_rules() {
        let families = groups(&[Group::Hardware]).families();
        assert!(families.have_all_of("hardware"));
        assert!(families.have_all_of("dma_alignment"));
        assert!(!families.have_all_of("performance"));
        assert!(!families.have_all_of("missed_overlap"));
    }
}
