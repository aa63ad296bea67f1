//! Rewriting texts for the library and release that they are read as: the fixes of one rule, and the holes of tiles, as steps of one
//! change.

use super::{
    Completed, Completing, Fixable, Fixed, Proposed, Signatures, Texts, Totals, Trust, fix_all,
};
use crate::report::{Diagnostic, DiagnosticFix, FileReport};
use crate::rules::{self, Level};

/// Applies the fixes of names and calls of other releases until none is left, also those that a person should look at, and spells
/// the holes of tiles as the release has them. What is
/// still reported by that rule afterwards is to be done by hand.
///
/// What other rules say before and after is left out of account: a kernel that is half rewritten is no kernel.
pub fn migrate_all(target: &mut impl Fixable) -> Fixed {
    fix_all(&mut Migration(target), Trust::Maybe)
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

/// Texts as a migration sees them.
struct Migration<'t, T>(&'t mut T);

impl<T: Fixable> Fixable for Migration<'_, T> {
    fn texts(&self) -> Texts {
        self.0.texts()
    }

    fn replace(&mut self, texts: &Texts) {
        self.0.replace(texts);
    }

    fn reports(&self) -> Vec<FileReport> {
        let mut reports = self.0.reports();
        let texts = self.0.texts();
        for report in &mut reports {
            let rule = migration_rule();
            report.diagnostics.retain(|found| {
                found.rule == rule
                    || found.rule == rules::tile_rule().name && spells_a_hole(found, &texts)
            });
            // What another release says is understood only once it is rewritten.
            report.operations.unresolved = 0;
        }
        reports
    }

    fn totals(&self) -> Totals {
        self.0.totals()
    }

    fn signatures(&self) -> Signatures {
        self.0.signatures()
    }

    fn level(&self, _: &Diagnostic) -> Level {
        Level::Deny
    }

    fn complete(&self, wanted: &[Proposed<'_>], _: Completing) -> Vec<Completed> {
        let wanted = wanted.iter().enumerate();
        let made = wanted.map(|(number, (_, fix))| Completed {
            of: vec![number],
            fix: DiagnosticFix::clone(fix),
        });
        made.collect()
    }

    fn is_one_change(&self) -> bool {
        true
    }
}
