//! Which places of a body its callers see: parameters, what is returned, the stream that is left open.
//!
//! What a fix writes there is right for this function and may be wrong for those that call it, so that it is looked at
//! first. It depends on the place alone, so it is known before a fix is tried.

use rustc_hash::FxHashSet;

use crate::items::Span;
use crate::kernel::{Body, OperationKind, Origin, PassEnd, Written};
use crate::mapping::Mapping;
use crate::rules::{Applicability, Edit, Finding};

/// The places of a body that its callers see.
pub(crate) struct Reach {
    places: FxHashSet<Span>,
}

impl Reach {
    /// The places of a body.
    pub(crate) fn of(body: &Body) -> Self {
        let mut places = FxHashSet::default();
        let mut take = |mapping: &Written<Mapping>| {
            places.insert(mapping.span);
            places.extend(mapping.used_at);
        };
        let mut addresses = Vec::new();
        for tensor in &body.tensors {
            if tensor.origin == Origin::Parameter || body.escaping.contains(&tensor.id) {
                tensor.levels.iter().for_each(|(_, level)| take(level));
                addresses.push(tensor.address.span);
            }
        }
        for operation in &body.operations {
            if let OperationKind::Pass(pass) = &operation.kind
                && pass.end == PassEnd::Open
            {
                pass.output().mappings().for_each(&mut take);
            }
        }
        places.extend(addresses);
        Self { places }
    }

    /// Whether one of the edits writes where callers see it.
    pub(crate) fn writes_where_seen(&self, edits: &[Edit]) -> bool {
        edits.iter().any(|edit| self.places.contains(&edit.span))
    }
}

/// Makes the fixes that callers see a matter of looking first.
pub(super) fn demote_caller_visible_fixes(body: &Body, findings: &mut [Finding]) {
    let fixes = findings.iter_mut().flat_map(|finding| &mut finding.fixes);
    let mut sure = fixes
        .filter(|fix| fix.applicability == Applicability::Machine)
        .peekable();
    if sure.peek().is_none() {
        return;
    }
    let reach = Reach::of(body);
    for fix in sure {
        if reach.writes_where_seen(&fix.edits) {
            fix.applicability = Applicability::Maybe;
        }
    }
}
