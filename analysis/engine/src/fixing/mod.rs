//! Applying fixes: from texts and code actions to new texts, and rounds of that until nothing changes.
//!
//! Knows texts and reports, nothing about files on disk. A check says which fixes there are; what a fix needs behind it is
//! worked out here, when the fix is asked for: in [`crate::changes`], on the function that it is about and on nothing else.
//! An application is one of [`crate::changes`]: all edits of a fix or none of them, and of two fixes that meet the first one.
//! [`fix_all`] repeats both and judges every application by the reports before and after, so that what a fix may never do
//! (break the parse, hide an operation, bring a finding of a higher level than the one it mends) cannot happen, whatever
//! the rules offer.

mod asked;
mod kernels;
mod migration;
mod rejections;
mod rounds;
mod standing;
mod steps;
#[cfg(test)]
mod tests;
mod tools;

pub(crate) use self::asked::complete_fixes;
pub use self::asked::{Completed, Completing};
pub use self::kernels::{KernelName, Signature, Signatures, Totals};
pub(crate) use self::kernels::{signatures_of, totals_of};
pub use self::migration::migrate_all;
pub use self::rejections::{LeftOut, Rejection};
pub use self::rounds::{Fixable, Fixed, Proposed, fix_all};
pub use self::steps::migration_rule;
pub(crate) use tools::tool_fixes;

use crate::report::{Diagnostic, DiagnosticFix};
use crate::rules::Applicability;

/// Which fixes are applied without anybody looking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// Those that are known to mean what the author meant.
    Machine,
    /// Those that may be meant, too.
    Maybe,
}

impl Trust {
    /// Whether fixes of an applicability are applied.
    pub fn takes(self, applicability: Applicability) -> bool {
        self == Self::Maybe || applicability == Applicability::Machine
    }

    /// The fixes of a diagnostic that may be applied, the preferred one first.
    pub fn trusted_fixes(self, diagnostic: &Diagnostic) -> impl Iterator<Item = &DiagnosticFix> {
        let sure = |fix: &&DiagnosticFix| fix.applicability == Applicability::Machine;
        let unsure = diagnostic.fixes.iter().filter(move |fix| !sure(fix));
        diagnostic
            .fixes
            .iter()
            .filter(sure)
            .chain(unsure.filter(move |_| self == Self::Maybe))
    }
}
