//! Sure fixes that need something behind them, told apart from those that need nothing.
//!
//! A fix is sure if its rule says so and if the operations that it changes are refused nothing more with it. These alone are
//! derived again, so that it costs a fix the same in a kernel of ten operations and of a thousand, and does not depend on
//! what other fixes there are. What a fix does need is not looked for here: that is [`crate::fixing`].

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::body::{Change, TrialBody};
use super::reach;
use super::values::{Values, values};
use crate::derivation::content::operation_content;
use crate::derivation::memory::Lifetime;
use crate::derivation::refusals::{Refusals, more_is_refused, operation_refusals};
use crate::derivation::tensors::bytes_of;
use crate::items::Span;
use crate::kernel::{Level, Origin, TensorId, Tier, Written};
use crate::mapping::Mapping;
use crate::rules::{
    self, Alternative, Applicability, Checked, Edit, FOLLOWING, Families, Finding, Fix, Value,
};

/// How many alternatives of a finding are stated.
pub(crate) const ALTERNATIVE_LIMIT: usize = 8;

/// What some families find in a body, with fixes and helps that are judged by the operations that they change.
pub(crate) fn judged_findings(checked: &Checked<'_>, families: Families) -> Vec<Finding> {
    judged(checked, families, true)
}

/// As [`judged_findings`] by all families, with all that helps may state, whether it needs something behind it or not.
pub(crate) fn proposed_findings(checked: &Checked<'_>) -> Vec<Finding> {
    judged(checked, Families::ALL, false)
}

fn judged(checked: &Checked<'_>, families: Families, helps: bool) -> Vec<Finding> {
    let mut findings = rules::check_families(checked, families);
    reach::demote_caller_visible_fixes(checked.body, &mut findings);
    judge_findings(checked, &mut findings, helps);
    findings
}

/// Judges the fixes of findings and, where that is asked for, what their helps state.
fn judge_findings(checked: &Checked<'_>, findings: &mut [Finding], helps: bool) {
    let is_judged = |finding: &Finding| {
        finding.fixes.iter().any(is_sure) || helps && finding.alternatives.is_some()
    };
    if !findings.iter().any(is_judged) {
        return;
    }
    let mut places: FxHashSet<Span> = FxHashSet::default();
    for finding in findings.iter() {
        let sure = finding.fixes.iter().filter(|fix| is_sure(fix));
        let stated = finding.alternatives.iter().filter(|_| helps);
        let stated = stated.flat_map(|stated| &stated.list);
        let sure = sure.flat_map(|fix| &fix.edits);
        let edits = sure.chain(stated.flat_map(|stated| &stated.edits));
        places.extend(edits.map(|edit| edit.span));
    }
    let mut trial = FixTrial::of(checked, &places);
    judge_fixes(&mut trial, findings);
    if helps {
        judge_helps(&mut trial, findings);
    }
}

fn is_sure(fix: &Fix) -> bool {
    fix.applicability == Applicability::Machine
}

/// Makes sure fixes with which more is refused a matter of looking first.
fn judge_fixes(trial: &mut FixTrial<'_>, findings: &mut [Finding]) {
    let fixes = findings.iter_mut().flat_map(|finding| &mut finding.fixes);
    for fix in fixes.filter(|fix| is_sure(fix)) {
        if trial.outcome(&fix.edits) == Outcome::LeadsOn {
            fix.applicability = Applicability::Maybe;
        }
    }
}

/// Keeps of what helps state the alternatives that mend something and with which nothing more is refused. Where there is none of
/// them, and no other help, the first one that leads to other changes says that something follows from it.
fn judge_helps(trial: &mut FixTrial<'_>, findings: &mut [Finding]) {
    for finding in findings {
        let Some(alternatives) = &mut finding.alternatives else {
            continue;
        };
        let stated = std::mem::take(&mut alternatives.list);
        let (mut closed, mut leading) = (Vec::new(), Vec::new());
        for stated in stated.into_iter().take(ALTERNATIVE_LIMIT) {
            match trial.outcome(&stated.edits) {
                Outcome::Closed => closed.push(stated),
                Outcome::LeadsOn => leading.push(stated),
                Outcome::MendsNothing => {}
            }
        }
        if closed.is_empty() && finding.help.is_none() {
            closed.extend(leading.into_iter().take(1).map(|stated| Alternative {
                text: format!("{}{FOLLOWING}", stated.text),
                ..stated
            }));
        }
        alternatives.list = closed;
        if alternatives.list.is_empty() {
            finding.alternatives = None;
        }
    }
}

/// What becomes of the operations that edits concern, as far as these operations show it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// Nothing more is refused.
    Closed,
    /// More is refused, or the same mapping is written elsewhere too.
    LeadsOn,
    /// What was refused still is.
    MendsNothing,
}

/// A copy of a body in which fixes are made and taken back.
struct FixTrial<'a> {
    checked: &'a Checked<'a>,
    body: TrialBody,
    before: FxHashMap<usize, Arc<Refusals>>,
}

impl<'a> FixTrial<'a> {
    /// A copy of a body in which values at some places can be changed.
    fn of(checked: &'a Checked<'a>, places: &FxHashSet<Span>) -> Self {
        let memory = &checked.derivation().memory;
        Self {
            checked,
            body: TrialBody::of(checked.body, memory, |place| places.contains(&place)),
            before: FxHashMap::default(),
        }
    }

    /// Whether a tensor is a tile, whose element follows from what it is a tile of.
    fn is_tile(&self, number: usize) -> bool {
        let origin = self
            .body
            .body()
            .tensors
            .get(number)
            .map(|tensor| &tensor.origin);
        matches!(origin, Some(Origin::View { tile: Some(_), .. }))
    }

    /// The tensor whose bytes a tensor has.
    fn base_tensor(&self, number: usize) -> Option<TensorId> {
        let tensor = self.body.body().tensors.get(number)?;
        Some(self.body.body().root(tensor.id))
    }

    /// What becomes of edits. What a body does not hold as a value is not judged.
    fn outcome(&mut self, edits: &[Edit]) -> Outcome {
        let Some(values) = values(edits) else {
            return Outcome::Closed;
        };
        let Some(change) = self.body.change(edits.iter().map(|edit| edit.span)) else {
            return Outcome::Closed;
        };
        let elsewhere = self.is_written_elsewhere(&values, &change);
        self.body.make(&values, &change);
        let mut tensors = change.tensors.iter();
        let collides = tensors.any(|number| self.collides(*number) || self.is_tile(*number));
        let (mut more, mut refused, mut same) = (collides || elsewhere, false, true);
        for number in &change.touched {
            if let Some((before, after)) = self.refused_before_after(*number) {
                more |= more_is_refused(&before, &after);
                refused |= !before.is_empty();
                same &= before == after;
            }
        }
        self.body.take_back(self.checked.body, &change);
        // An address is moved for the sake of other tensors: what refuses the operations themselves stays.
        let mappings = values.values();
        let mappings = mappings
            .into_iter()
            .all(|value| matches!(value, Value::Mapping(_)));
        match () {
            () if more => Outcome::LeadsOn,
            () if refused && same && mappings => Outcome::MendsNothing,
            () => Outcome::Closed,
        }
    }

    /// Whether the slices, clusters or chips of a tensor are changed that another tensor, written elsewhere, has as well: what
    /// passes from one to the other keeps them.
    fn is_written_elsewhere(&self, values: &Values, change: &Change) -> bool {
        let tensors = &self.body.body().tensors;
        let changed = change
            .tensors
            .iter()
            .filter_map(|number| tensors.get(*number));
        // Few mappings, however many views of a tensor have them.
        let mut edited: Vec<(Level, Option<&Mapping>)> = Vec::new();
        for (level, written) in changed.flat_map(|tensor| tensor.levels.iter()) {
            let found = (level, written.value.as_ref());
            if level != Level::Element && is_edited(written, values) && !edited.contains(&found) {
                edited.push(found);
            }
        }
        let mut all = tensors.iter().flat_map(|tensor| tensor.levels.iter());
        !edited.is_empty()
            && all.any(|(level, written)| {
                edited.contains(&(level, written.value.as_ref())) && !is_edited(written, values)
            })
    }

    /// What of an operation is refused, and what is after the change.
    fn refused_before_after(&mut self, number: usize) -> Option<(Arc<Refusals>, Arc<Refusals>)> {
        let Checked {
            body: old, target, ..
        } = *self.checked;
        let derivation = self.checked.derivation();
        let (first, operation) = (
            old.operations.get(number)?,
            self.body.body().operations.get(number)?,
        );
        let content = operation_content(self.body.body(), operation, target);
        let after = operation_refusals(self.body.body(), operation, target, content);
        let before = self.before.entry(number).or_insert_with(|| {
            let known = derivation.content(number);
            let content = known.unwrap_or_else(|| operation_content(old, first, target));
            operation_refusals(old, first, target, content)
        });
        Some((Arc::clone(before), after))
    }

    /// Whether a tensor that grew reaches into another one that is needed at the same time, or out of its memory.
    fn collides(&self, number: usize) -> bool {
        let (Some(old), Some(new)) = (
            self.checked.body.tensors.get(number),
            self.body.body().tensors.get(number),
        ) else {
            return false;
        };
        let Some(bytes) = bytes_of(new).filter(|bytes| {
            let grows = bytes_of(old).is_none_or(|old| *bytes > old);
            grows || old.address != new.address
        }) else {
            return false;
        };
        let base = self.base_tensor(number);
        let lifetimes = &self.checked.derivation().memory.lifetimes;
        let own = |lifetime: &&Lifetime| Some(lifetime.tensor) == base;
        lifetimes.iter().filter(own).any(|own| {
            let Some(start) = new.address.bytes().or(own.address) else {
                return false;
            };
            let end = start.saturating_add(bytes);
            let others = lifetimes.iter().filter(|other| other.tensor != own.tensor);
            let mut others = others.filter(|other| !meets_now(own, other));
            (own.tier == Tier::Dm && end > self.body.body().machine.dm_bytes)
                || others.any(|other| meets(own, (start, end), other))
        })
    }
}

/// Whether a mapping is written at a place of the values.
fn is_edited(written: &Written<Mapping>, values: &Values) -> bool {
    values.contains_key(&written.span)
        || written
            .used_at
            .is_some_and(|place| values.contains_key(&place))
}

/// Whether bytes of a tensor's memory are another's while both are needed.
fn meets(own: &Lifetime, (start, end): (u64, u64), other: &Lifetime) -> bool {
    let (Some(address), Some(bytes)) = (other.address, other.bytes) else {
        return false;
    };
    own.tier == other.tier
        && own.from <= other.to
        && other.from <= own.to
        && start < address.saturating_add(bytes)
        && address < end
}

fn meets_now(own: &Lifetime, other: &Lifetime) -> bool {
    let (Some(address), Some(bytes)) = (own.address, own.bytes) else {
        return false;
    };
    meets(own, (address, address.saturating_add(bytes)), other)
}
