//! Rewriting texts for the library and release that they are read as: the fixes of one rule, and the holes of tiles, as steps of one
//! change.

use super::rounds::{Steps, apply_all};
use super::{Completed, Fixable, Fixed, Proposed, Trust};
use crate::changes::Texts;
use crate::report::{Diagnostic, DiagnosticFix, FileReport};
use crate::rules;

/// Applies the fixes of names and calls of other releases until none is left, also those that a person should look at, and spells
/// the holes of tiles as the release has them. What is
/// still reported by that rule afterwards is to be done by hand.
///
/// What other rules say before and after is left out of account: a kernel that is half rewritten is no kernel.
pub fn migrate_all(target: &mut impl Fixable) -> Fixed {
    apply_all(target, Trust::Maybe, Steps::Migration)
}

/// The rule whose fixes rewrite a crate for another release.
pub fn migration_rule() -> &'static str {
    rules::migration_rule().name
}

/// Whether all that a finding's fixes change is the kind of a padding: the hole of a tile on an exclusive view has one of its own
/// since 0.6.
fn spells_a_hole(found: &Diagnostic, texts: &Texts) -> bool {
    let without_kinds = |text: &str| {
        let dense: String = text.split_whitespace().collect();
        dense.replace("#{!}", "#").replace("#{*}", "#")
    };
    let mut edits = found.fixes.iter().flat_map(|fix| &fix.edits).peekable();
    edits.peek().is_some()
        && edits.all(|edit| {
            let text = texts.get(&edit.file);
            let before =
                text.and_then(|text| text.get(edit.start_byte as usize..edit.end_byte as usize));
            before.is_some_and(|before| without_kinds(before) == without_kinds(&edit.text))
        })
}

/// Keeps of what is said what a migration looks at: the findings that its steps mend.
pub(super) fn keep_steps(reports: &mut [FileReport], texts: &Texts) {
    let (rule, tiles) = (migration_rule(), rules::tile_rule().name);
    for report in reports {
        report.diagnostics.retain(|found| {
            found.rule == rule || found.rule == tiles && spells_a_hole(found, texts)
        });
        // What another release says is understood only once it is rewritten.
        report.operations.unresolved = 0;
    }
}

/// Fixes that need nothing behind them.
pub(super) fn as_proposed(wanted: &[Proposed<'_>]) -> Vec<Completed> {
    let wanted = wanted.iter().enumerate();
    let made = wanted.map(|(number, (_, fix))| Completed {
        of: vec![number],
        fix: DiagnosticFix::clone(fix),
    });
    made.collect()
}
