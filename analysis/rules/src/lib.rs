//! Judgement: turns the violations that `derivation` met into findings with words, and declares every rule.
//!
//! A rule is one static declaration beside the function that words it. Rules compute nothing about the hardware
//! themselves: the numbers they print are in the derivation, so a hover and a finding cannot disagree.
//!
//! The engine runs these checks for each function and item, and tries the fixes. Editors show the pages.

#![allow(
    unreachable_pub,
    reason = "modules are private, and `pub` is what other modules of the crate may use"
)]

// The crates below, by the names of their rooms.
use visa_base::budget;
use visa_base::names;
use visa_base::numbers;
use visa_derivation as derivation;
use visa_findings as findings;
use visa_hardware as hardware;
use visa_inputs as inputs;
use visa_inputs::db;
use visa_items as items;
use visa_kernel as kernel;
use visa_libraries as libraries;
use visa_lowering as lowering;
use visa_mapping as mapping;
use visa_simulation as simulation;
use visa_syntax as syntax;
use visa_transfer as transfer;

#[cfg(test)]
#[path = "../../kernel/src/testing.rs"]
mod testing;

mod alternatives;
mod banks;
mod broadcast;
mod budgets;
mod cast;
mod causes;
mod chain_fixes;
mod chains;
mod checked;
mod collect;
mod collectives;
mod commit;
mod contexts;
mod contraction;
mod coverage;
mod device_language;
mod dma;
mod dma_performance;
mod enabled;
mod examples;
mod families;
mod fetch;
mod guarded_limits;
mod hazards;
mod heavy;
mod indivisible;
mod lanes;
mod levels;
mod library;
mod machine;
mod mapping_expressions;
mod memory;
mod numerals;
mod operand_slots;
mod other_release;
mod performance;
mod pipeline;
mod placement;
mod plans;
mod provenance;
mod releases;
mod replacement;
mod resplit;
mod rows;
mod rule_texts;
mod rust_findings;
mod schedule;
mod scoped;
mod sequencer;
mod steps;
mod style;
pub mod suppressions;
mod switch;
mod tensors;
mod transpose;
mod uses;
mod valid_count;
mod vector;
pub mod versions;
mod wording;

pub use causes::{CauseKey, cause_key, groups_of_causes, unite_fixes};
pub use chain_fixes::add_chain_fixes;
pub use checked::{Checked, Derived};
pub use dma_performance::SLOW_TRANSFER;
pub use enabled::Families;
pub use enabled::{EnabledRules, OwnRules, own_rules_where};
pub use examples::Example;
pub use families::family_rules;
use families::{FAMILIES, Family, Judges, Needs, find};
pub use guarded_limits::GuardedLimit;
pub use machine::{EnginePicture, has_picture, machine_pictures};
pub use releases::{Foreseen, foreseeing, nearest_to_text};
pub use replacement::region_replacement;
pub use rule_texts::RuleTexts;
pub use rust_findings::{
    Alternative, Alternatives, Edit, Finding, Fix, Related, Replacement, Value,
};
pub use schedule::MISSED_OVERLAP;

use std::rc::Rc;
use std::sync::LazyLock;

use crate::db::Db;
pub use crate::findings::words::names_in_code;
pub use crate::findings::{
    Applicability, Cause, CostChange, Group, IntoReplacement, Level, Rule, Saving,
};
use crate::findings::{rule, words};
use crate::items::{ItemId, MappingSite, Span, dialect, item_text, mapping_sites, resolve_edited};
use crate::kernel::dialect::of_file as library_of;

/// What is said of a change that needs others behind it.
pub const FOLLOWING: &str = ", and what follows from it";

/// The findings of some families about one body, each place and rule once, in the order of the families. What follows from
/// another finding at the same place is left out. Fixes mend all places of their fault, as the rules propose them: what comes of
/// a fix is looked at in the room `changes`.
pub fn check_families(checked: &Checked<'_>, families: Families) -> Vec<Finding> {
    let mut findings = found_by(checked, families);
    unite_fixes(&mut findings);
    levels::label_fixes(checked.body, &mut findings);
    findings
}

pub use coverage::{
    asks_for_undecided, beyond_time, hidden_findings, not_looked_at, reports_unresolved,
    text_at_span, unresolved_operation,
};
pub use fetch::unaligned_packet;
pub use indivisible::{divisions, padding_of};
pub use mapping_expressions::is_guess_of_a_name;
pub use scoped::{NamesInScope, is_shared_alias, name_fixes_in_scope, name_in_scope, with_paths};
pub use uses::put_at_uses;

/// The findings of all families with their fixes as these propose them, each for its own place.
pub fn found_by_families(checked: &Checked<'_>) -> Vec<Finding> {
    found_by(checked, Families::ALL)
}

fn found_by(checked: &Checked<'_>, families: Families) -> Vec<Finding> {
    found_beside(checked, families, |_, _| false)
}

/// The findings of some families where others are known that are not looked for: whether a rule has one at a place.
pub fn found_beside(
    checked: &Checked<'_>,
    families: Families,
    is_known: impl Fn(&'static Rule, Span) -> bool,
) -> Vec<Finding> {
    let mut findings = as_each_family_finds(checked, families);
    put_at_uses(checked.body, &mut findings);
    let mut seen = rustc_hash::FxHashSet::default();
    findings.retain(|finding| seen.insert((finding.rule, finding.span)));
    drop_implied(&checked.enabled, &mut findings, |rule, place| {
        seen.contains(&(rule, place)) || is_known(rule, place)
    });
    findings
}

/// What some families find that holds in the body's dialect, where they find it and as often as they do.
pub fn as_each_family_finds(checked: &Checked<'_>, families: Families) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, family) in FAMILIES.iter().enumerate() {
        if families.has_family(number) {
            (family.check)(checked, &mut findings);
        }
    }
    enabled::keep_what_holds_in(checked.body.dialect, &mut findings);
    findings
}

/// The rules that imply others.
static IMPLYING: LazyLock<Vec<&'static Rule>> = LazyLock::new(|| {
    family_rules()
        .filter(|rule| !rule.implies.is_empty())
        .collect()
});

/// Leaves out what a finding of a rule that is on says at the same place as well.
pub fn drop_implied(
    enabled: &EnabledRules,
    findings: &mut Vec<Finding>,
    is_found: impl Fn(&'static Rule, Span) -> bool,
) {
    findings.retain(|finding| {
        let implied = |rule: &'static Rule| {
            rule.implies.contains(&finding.rule)
                && is_found(rule, finding.span)
                && enabled.has_own(rule.name)
        };
        !IMPLYING.iter().copied().any(implied)
    });
}

/// The rule whose fixes rewrite a crate for another release of its library.
pub const fn migration_rule() -> &'static Rule {
    &other_release::OTHER_RELEASE_API
}

/// The rule about the types of tiles, whose holes are written otherwise in other releases.
pub const fn tile_rule() -> &'static Rule {
    &tensors::TILE_MISMATCH
}

/// The findings of some families about the mappings written in one item, whether a kernel reaches it or not.
pub fn check_item(db: &dyn Db, item: ItemId, families: Families) -> Vec<Finding> {
    let mut findings = Vec::new();
    let sites = mapping_sites(db, item);
    if families.have_one_of(mapping_expressions::RULES) {
        findings.extend(check_expressions(db, item, &sites));
    }
    if families.have_one_of(versions::RULES) {
        findings.extend(versions::check_item(db, item));
    }
    if families.have_one_of(other_release::RULES) {
        findings.extend(other_release::check_item(db, item));
    }
    if families.have_one_of(library::RULES) {
        let library = library_of(db, item.file(db));
        findings.extend(library::check_sites(library, &sites));
    }
    if families.have_one_of(style::RULES) {
        findings.extend(style::check_sites(&sites));
    }
    if families.have_one_of(device_language::RULES) {
        findings.extend(device_language::check_item(db, item));
    }
    enabled::keep_what_holds_in(dialect(db, item.file(db)), &mut findings);
    findings
}

/// What is wrong in the mappings of an item themselves.
fn check_expressions(db: &dyn Db, item: ItemId, sites: &[MappingSite]) -> Vec<Finding> {
    let source = |span: Span| {
        let text = item_text(db, span.item);
        let place = text.text.get(span.start as usize..span.end as usize);
        place.unwrap_or_default().to_owned()
    };
    let remaining = |site: &MappingSite, span: Span, text: &str| {
        let before = source(Span {
            end: span.start,
            ..site.body
        });
        let after = source(Span {
            start: span.end,
            ..site.body
        });
        resolve_edited(db, site, &format!("{before}{text}{after}"))
            .problems
            .len()
    };
    let module = item.module_path(db).join("::");
    let divided = std::cell::OnceCell::new();
    let divisions = || {
        let divided = divided.get_or_init(|| Rc::new(indivisible::divisions(db, sites)));
        Rc::clone(divided)
    };
    let operands = |site: &MappingSite| indivisible::operands_at_fault(db, site, divisions);
    mapping_expressions::check_sites(sites, &module, source, remaining, operands, divisions)
}
