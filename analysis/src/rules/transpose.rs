//! Rules of the family "transpose".

use super::{Checked, Finding, Rule};

/// The family's rules.
pub(super) const RULES: &[Rule] = &[];

/// Turns the violations of this family into findings.
pub(super) fn check(_checked: &Checked<'_>, _findings: &mut Vec<Finding>) {}
