//! Fixes that take calls out of a chain or begin it elsewhere: they need the tree of the text, which no other check of a body reads.

use super::performance::round_trip_fix;
use super::{Finding, Fix, contexts};
use crate::db::Db;
use crate::kernel::Body;

/// Adds the fixes of findings whose repair is a change of the chain that they are in.
pub fn add_chain_fixes(db: &dyn Db, body: &Body, findings: &mut [Finding]) {
    for finding in findings {
        let fix = round_trip_fix(db, body, finding);
        let fix: Option<Fix> = fix.or_else(|| contexts::other_context(db, body, finding));
        finding.fixes.extend(fix);
    }
}
