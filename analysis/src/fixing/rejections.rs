//! Why a fix is not applied: data first, then the words of each reason.

use std::fmt;
use std::sync::Arc;

use super::kernels::{KernelName, Signature, Signatures, Totals};
use super::standing::Standing;
use crate::findings::CostChange;
use crate::report::{Diagnostic, FileReport};

/// Why a fix was taken back, or never tried.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rejection {
    /// It edits a file that may not be changed.
    OtherFile(Arc<str>),
    /// What follows from it cannot be mended, or not for certain.
    LeadsNowhere,
    /// A file has more syntax errors after it.
    BreaksSyntax,
    /// A file has more operations that cannot be followed after it.
    HidesOperation,
    /// The check of a file fails after it.
    FailsCheck,
    /// A rule finds more after it.
    Brings {
        /// The rule.
        rule: &'static str,
        /// Where it finds more, if that is another file than the one of the mended finding.
        file: Option<Arc<str>>,
        /// The line, from 1, in the changed text.
        line: u32,
    },
    /// The finding that it is to mend is still there.
    MendsNothing,
    /// Together with others it leads back to where it began.
    Circle,
    /// A kernel takes or gives other tensors after it.
    Signature {
        /// The kernel.
        kernel: Arc<str>,
    },
    /// A kernel takes more cycles after it.
    Slower {
        /// The kernel.
        kernel: Arc<str>,
        /// Its cycles before and after.
        cost: CostChange,
    },
}

/// What the fix does, after "it": `makes` followed by the kernel, for example.
impl fmt::Display for Rejection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherFile(file) => {
                write!(
                    formatter,
                    "edits `{file}`, which is not among the files to fix"
                )
            }
            Self::LeadsNowhere => formatter.write_str("needs other changes that are not certain"),
            Self::BreaksSyntax => formatter.write_str("breaks the syntax"),
            Self::HidesOperation => {
                formatter.write_str("leads to an operation that cannot be followed")
            }
            Self::FailsCheck => formatter.write_str("makes the check fail"),
            Self::Brings { rule, file, line } => {
                write!(formatter, "brings `{rule}` at line {line}")?;
                file.as_ref()
                    .map_or(Ok(()), |file| write!(formatter, " of `{file}`"))
            }
            Self::MendsNothing => formatter.write_str("leaves its finding"),
            Self::Circle => formatter.write_str("leads back to where it began"),
            Self::Signature { kernel } => write!(formatter, "changes the signature of `{kernel}`"),
            Self::Slower { kernel, cost } => {
                write!(formatter, "makes `{kernel}` slower ({cost})")
            }
        }
    }
}

/// A fix that was not applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The rule of its finding.
    pub rule: &'static str,
    /// What it would do, as a menu entry.
    pub title: String,
    /// The file of its finding.
    pub file: Arc<str>,
    /// The line of its finding, from 1.
    pub line: u32,
    /// Why it was not applied.
    pub why: Rejection,
}

/// The kernel that a change makes slower by more than is allowed, with its cycles; of several the one that loses most.
pub(super) fn slowed_kernel(before: &Totals, after: &Totals) -> Option<Rejection> {
    let slowed = before.iter().filter_map(|(kernel, total)| {
        let cost = CostChange {
            before: *total,
            after: *after.get(kernel)?,
        };
        cost.is_slower().then_some((cost.percent(), kernel, cost))
    });
    let (_, kernel, cost) = slowed.max_by_key(|(percent, ..)| *percent)?;
    Some(Rejection::Slower {
        kernel: Arc::clone(&kernel.name),
        cost,
    })
}

/// The first kernel that takes or gives other tensors than before.
pub(super) fn changed_signature(before: &Signatures, after: &Signatures) -> Option<Rejection> {
    let changed = |(kernel, signature): &(&KernelName, &Signature)| {
        let now = after.get(kernel);
        now.is_some_and(|now| signature.differs_from(now))
    };
    let (kernel, _) = before.iter().find(changed)?;
    Some(Rejection::Signature {
        kernel: Arc::clone(&kernel.name),
    })
}

/// What a rule finds more often than before, at the place of the first such finding.
pub(super) fn brought_along(
    (before, after): (&Standing, &Standing),
    reports: &[FileReport],
    rule: &(Arc<str>, &'static str),
    mended_in: &Arc<str>,
) -> Rejection {
    let found = || {
        let all = reports.iter().flat_map(|report| &report.diagnostics);
        all.filter(|found| !found.suppressed && (&found.file, found.rule) == (&rule.0, rule.1))
    };
    let is_new = |found: &&Diagnostic| after.count_like(found) > before.count_like(found);
    let first = found().find(is_new).or_else(|| found().next());
    Rejection::Brings {
        rule: rule.1,
        file: (rule.0 != *mended_in).then(|| Arc::clone(&rule.0)),
        line: first.map_or(1, |found| found.range.start.line),
    }
}
