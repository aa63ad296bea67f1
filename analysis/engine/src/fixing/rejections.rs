//! Why a fix is not applied: data first, then the words of each reason.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::kernels::{Signatures, Totals};
use crate::changes::{Outlook, finding_key};
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

/// Kernels that a change must leave as they are: by their file why it may not be kept, of several kernels of a file the worst.
pub(super) type Harmed = BTreeMap<Arc<str>, Rejection>;

/// The kernels that a change makes slower by more than is allowed, with their cycles; of a file the one that loses most.
pub(super) fn slowed_kernels(before: &Totals, after: &Totals) -> Harmed {
    let mut slowed: BTreeMap<Arc<str>, (i128, Rejection)> = BTreeMap::new();
    for (kernel, total) in before {
        let Some(after) = after.get(kernel) else {
            continue;
        };
        let cost = CostChange {
            before: *total,
            after: *after,
        };
        let percent = cost.percent();
        let is_worst = slowed
            .get(&kernel.file)
            .is_none_or(|(worst, _)| percent > *worst);
        if cost.is_slower() && is_worst {
            let kernel_name = Arc::clone(&kernel.name);
            let why = Rejection::Slower {
                kernel: kernel_name,
                cost,
            };
            slowed.insert(Arc::clone(&kernel.file), (percent, why));
        }
    }
    let worst = slowed.into_iter();
    worst.map(|(file, (_, why))| (file, why)).collect()
}

/// The kernels that take or give other tensors than before; of a file the first.
pub(super) fn changed_signatures(before: &Signatures, after: &Signatures) -> Harmed {
    let mut changed = Harmed::new();
    for (kernel, signature) in before {
        if after
            .get(kernel)
            .is_some_and(|now| signature.differs_from(now))
        {
            let why = || Rejection::Signature {
                kernel: Arc::clone(&kernel.name),
            };
            changed.entry(Arc::clone(&kernel.file)).or_insert_with(why);
        }
    }
    changed
}

/// What a rule finds more often than before, at the place of the first such finding.
pub(super) fn brought_along(
    (before, after): (&Outlook, &Outlook),
    reports: &[FileReport],
    rule: &(Arc<str>, &'static str),
    mended_in: &Arc<str>,
) -> Rejection {
    let found = || {
        let all = reports.iter().flat_map(|report| &report.diagnostics);
        all.filter(|found| !found.suppressed && (&found.file, found.rule) == (&rule.0, rule.1))
    };
    let is_new = |found: &&Diagnostic| {
        let key = finding_key(found);
        after.count_like(&key) > before.count_like(&key)
    };
    let first = found().find(is_new).or_else(|| found().next());
    Rejection::Brings {
        rule: rule.1,
        file: (rule.0 != *mended_in).then(|| Arc::clone(&rule.0)),
        line: first.map_or(1, |found| found.range.start.line),
    }
}
