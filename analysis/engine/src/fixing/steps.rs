//! How fixes of one change belong together, and the steps of a migration: which findings they mend, and that nothing is sought behind them.

use super::{Completed, Proposed};
use crate::changes::Texts;
use crate::report::{Diagnostic, DiagnosticFix, FileReport};
use crate::rules;

/// How the fixes of all rounds belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Steps {
    /// Each is judged by what is found after it.
    Apart,
    /// They rewrite the texts for another release together. What is found between two of them, once more is understood, is no
    /// reason to take one back.
    Migration,
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
